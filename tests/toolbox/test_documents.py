"""What a handler returns becomes one JSON document of its own, or a clear error."""

import gc
import json
from collections import OrderedDict, UserDict, deque, namedtuple
from collections.abc import Callable
from dataclasses import InitVar, dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from types import SimpleNamespace
from typing import Any, ClassVar

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, RootModel

from evalkit import Scenario, Status, Tool, ToolCall, run
from evalkit.jsonvalue import MAX_DEPTH, NotJsonError
from evalkit.toolbox import SubjectError, document_of

HUGE = 10**5_000


@attrs.define
class Board:
    """A record of attrs."""

    sku: str
    sizes: tuple[int, ...] = (1, 2)


@dataclass
class Shelf:
    """A record of the standard library, with what is no field of its instances."""

    board: Board
    unit: ClassVar[str] = "mm"
    seed: InitVar[int] = 7


class Order(BaseModel):
    """A record of pydantic."""

    id: int = Field(alias="orderId")
    placed: datetime = datetime(2024, 1, 2, tzinfo=UTC)


@attrs.define
class Shape:
    """A record that has a `type` and is no content block."""

    type: str
    radius: int


class Numbers(RootModel[list[int]]):
    """A pydantic model of a list."""


class Colour(StrEnum):
    """A string by inheritance."""

    RED = "red"


class Size(IntEnum):
    """An integer by inheritance."""

    BIG = 3


class Bare(Enum):
    """No builtin by inheritance."""

    ONE = 1


class Corner(Enum):
    """Members that are tuples."""

    TOP = (0, 1)


class Nested(Enum):
    """A member that is a member of another."""

    RED = Colour.RED


class Odd(Enum):
    """A member that is no JSON."""

    SET = frozenset({1})


Pair = namedtuple("Pair", "left right")  # noqa: PYI024  - an untyped one, as old tools return it


def text(content: str) -> SimpleNamespace:
    """A text block, as tool servers return it."""
    return SimpleNamespace(type="text", text=content)


def mcp(*blocks: Any, **fields: Any) -> SimpleNamespace:
    """A result of the Model Context Protocol."""
    return SimpleNamespace(content=list(blocks), **{"isError": False, **fields})


def mcp_dict(*blocks: Any, **fields: Any) -> dict[str, Any]:
    """The same, as a client without classes gives it."""
    return {"isError": False, "content": list(blocks), **fields}


def nested(depth: int) -> list[Any]:
    """A list in a list in a list; the innermost is empty."""
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


def cyclic() -> list[Any]:
    """A list that holds itself."""
    value: list[Any] = []
    value.append(value)
    return value


ACCEPTED: dict[str, tuple[Any, Any]] = {
    "null": (None, None),
    "a bool": (True, True),
    "a text": ("prose", "prose"),
    "an empty text": ("", ""),
    "a text of digits": ("1007", "1007"),
    "a text with a bracket": ("[draft] hello", "[draft] hello"),
    "a tuple": ((1, (2,)), [1, [2]]),
    "an ordered dict": (OrderedDict(b=1, a=OrderedDict(c=2)), {"b": 1, "a": {"c": 2}}),
    "a named tuple": (Pair(1, 2), [1, 2]),
    "a string enum": ({"colour": Colour.RED}, {"colour": "red"}),
    "an integer enum": ([Size.BIG], [3]),
    "a bare enum": ({"one": Bare.ONE}, {"one": 1}),
    "an enum of tuples": (Corner.TOP, [0, 1]),
    "an enum of enums": ([Nested.RED], ["red"]),
    "a key that is an enum": ({Colour.RED: {Colour.RED: 1}}, {"red": {"red": 1}}),
    "attrs": (Board("oak"), {"sku": "oak", "sizes": [1, 2]}),
    "a list of attrs": ([Board("oak", ())], [{"sku": "oak", "sizes": []}]),
    "attrs with a type": ([Shape("circle", 2)], [{"type": "circle", "radius": 2}]),
    "a dataclass": (Shelf(Board("oak", ())), {"board": {"sku": "oak", "sizes": []}}),
    "pydantic": (Order(orderId=7), {"orderId": 7, "placed": "2024-01-02T00:00:00Z"}),
    "pydantic inside": ({"of": [Numbers([1])]}, {"of": [[1]]}),
    "JSON text": ('{"a": [1, 2.5]}', {"a": [1, 2.5]}),
    "a JSON list": ("[1]", [1]),
    "JSON text after a blank": ('\n {"a": 1}\n', {"a": 1}),
    "half a JSON text": ('{"a": 1', '{"a": 1'),
    "prose with an infinity": ("[Infinity War] is sold out", "[Infinity War] is sold out"),
    "prose after a key twice": ('{"a": 1, "a": 2} is wrong', '{"a": 1, "a": 2} is wrong'),
    "two JSON texts": ('{"a": NaN} {"b": 2}', '{"a": NaN} {"b": 2}'),
    "a text in braces": ("{name} is not there", "{name} is not there"),
    "NaN by itself": ("NaN", "NaN"),
    "a JSON string": ('"quoted"', '"quoted"'),
    "JSON text inside": ({"raw": '{"a": 1}'}, {"raw": '{"a": 1}'}),
    "one block": ([text('{"a": 1}')], {"a": 1}),
    "a block of prose": ([text("the saw is off")], "the saw is off"),
    "a block of a number": ([text("42")], 42),
    "several blocks": ([text("1"), text("two")], [1, "two"]),
    "blocks in a tuple": ((text("1"),), 1),
    "no blocks": ([], []),
    "an MCP text": (mcp(text('{"a": 1}')), {"a": 1}),
    "MCP in snake case": (SimpleNamespace(content=[text("1")], is_error=False), 1),
    "structured MCP": (mcp(text("prose"), structuredContent={"a": 1}), {"a": 1}),
    "empty structured MCP": (mcp(text("prose"), structuredContent={}), {}),
    "MCP without structure": (mcp(text("prose"), structuredContent=None), "prose"),
    "an MCP dict": (mcp_dict({"type": "text", "text": '{"a": 1}'}), {"a": 1}),
    "a structured MCP dict": (mcp_dict(structuredContent={"a": 1}), {"a": 1}),
    "a dict with a flag": ({"isError": True, "why": "x"}, {"isError": True, "why": "x"}),
    "a dict with a flag of text": (mcp_dict(isError="no"), {"isError": "no", "content": []}),
    "the deepest": (nested(MAX_DEPTH), nested(MAX_DEPTH)),
    "a great integer": ({"n": 10**3_999}, {"n": 10**3_999}),
}

REFUSED: dict[str, tuple[Callable[[], Any], str, str]] = {
    "a set": (lambda: {"a": {1}}, "a", "set"),
    "bytes": (lambda: [b"x"], "[0]", "bytes"),
    "a bytearray": (lambda: bytearray(b"x"), "", "bytearray"),
    "a generator": (lambda: {"rows": (n for n in [1])}, "rows", "generator"),
    "an object": (lambda: {"a": [{"b": object()}]}, "a[0].b", "object"),
    "a function": (lambda: {"f": len}, "f", "builtin_function_or_method"),
    "a class": (lambda: Board, "", "type"),
    "a complex": (lambda: [1, 2j], "[1]", "complex"),
    "a decimal": (lambda: {"price": Decimal("1.5")}, "price", "Decimal"),
    "a date": (lambda: {"at": datetime(2024, 1, 2, tzinfo=UTC)}, "at", "datetime"),
    "an enum of sets": (lambda: {"odd": Odd.SET}, "odd", "set"),
    "a key that is a bare enum": (lambda: {"a": {Bare.ONE: 1}}, "a", "no string"),
    "JSON text with NaN": (lambda: '{"a": NaN}', "", "NaN"),
    "JSON text with infinity": (lambda: "[1, -Infinity]", "", "-Infinity"),
    "JSON text with a number beyond all": (lambda: '{"a": 1e999}', "a", "inf"),
    "JSON text with a key twice": (lambda: '{"a": 1, "a": 2}', "", "the key 'a' twice"),
    "JSON text with a key twice below": (lambda: '[{"b": {"a": 1, "a": 1}}]', "", "twice"),
    "JSON text with a huge integer": (lambda: f'{{"n": {"1" * 5_000}}}', "", "digits"),
    "a block with NaN": (lambda: [text('{"a": NaN}')], "", "NaN"),
    "MCP with a key twice": (lambda: mcp(text('{"a": 1, "a": 2}')), "", "twice"),
    "a deque": (lambda: deque([1]), "", "deque"),
    "a user dict": (lambda: UserDict(a=1), "", "UserDict"),
    "an exception": (lambda: {"e": ValueError("x")}, "e", "ValueError"),
    "in attrs": (lambda: Board("oak", ({1},)), "sizes[0]", "set"),  # type: ignore[arg-type]
    "in a dataclass": (lambda: Shelf({"x": {1}}), "board.x", "set"),  # type: ignore[arg-type]
    "NaN": (lambda: {"a": {"b": float("nan")}}, "a.b", "nan"),
    "infinity": (lambda: [1.0, float("-inf")], "[1]", "-inf"),
    "a huge integer": (lambda: {"n": HUGE}, "n", "4,000 digits"),
    "an integer key": (lambda: {"a": {1: 2}}, "a", "1"),
    "a null key": (lambda: {None: 2}, "", "None"),
    "a dotted key": (lambda: {"a.b": {1}}, '["a.b"]', "set"),
    "one level more": (lambda: nested(MAX_DEPTH + 1), "[0]", str(MAX_DEPTH)),
    "a cycle": (cyclic, "[0]", "cyclic"),
    "deep attrs": (lambda: Board("x", cyclic()), "sizes[0]", "cyclic"),  # type: ignore[arg-type]
    "half a character": (lambda: {"a": ["\ud800"]}, "a[0]", "half of a surrogate pair"),
    "a key of half a character": (lambda: {"\udfff": 1}, "", "half of a surrogate pair"),
    "JSON text of half a character": (lambda: '["\\ud800"]', "[0]", "half of a surrogate pair"),
    "an MCP dict of an image": (lambda: mcp_dict({"type": "image", "data": "x"}), "", "image"),
    "an MCP dict with a key of a number": (lambda: {**mcp_dict(text="x"), 1: 2}, "", "no string"),
    "an image": (lambda: mcp(SimpleNamespace(type="image", data="x")), "", "image"),
    "MCP without content": (mcp, "", "content"),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_result_becomes_this_document(name: str) -> None:
    """Every kind of result that is JSON in the end becomes plain builtins, of exact types."""
    returned, expected = ACCEPTED[name]
    document = document_of(returned, None)
    assert document == expected
    assert json.loads(json.dumps(document)) == expected
    assert type(document) is type(expected)


@pytest.mark.parametrize("name", REFUSED)
def test_anything_else_is_refused(name: str) -> None:
    """What is no JSON is refused, naming the place and the type, never written as text."""
    make, place, kind = REFUSED[name]
    with pytest.raises(NotJsonError) as refused:
        document_of(make(), None)
    message = str(refused.value)
    assert kind in message
    assert message.startswith(f"at {place}") if place else not message.startswith("at ")


def test_keys_are_plain_strings() -> None:
    """A key that is a string by inheritance is read as the string, of the exact type."""
    document = document_of({Colour.RED: 1}, None)
    assert {type(key) for key in document} == {str}


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("x" * 10_000_001, id="text"),
        pytest.param({"x" * 10_000_001: 1}, id="key"),
        pytest.param([["x" * 6_000_000], ["x" * 6_000_000]], id="texts"),
        pytest.param([None] * 3_000_000, id="list"),
        pytest.param({"deep": {"x" * 6_000_000: {"x" * 6_000_000: 1}}}, id="keys"),
    ],
)
def test_size_is_bounded(value: Any) -> None:
    """About 10 MB is the most that a document may hold, wherever in it the characters are."""
    with pytest.raises(NotJsonError, match="larger than"):
        document_of(value, None)


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 990, 100_000])
def test_deep_json_text_is_no_prose(depth: int) -> None:
    """JSON text nested too deep is refused like the value it stands for, however deep it is."""
    with pytest.raises(NotJsonError, match="deep"):
        document_of("[" * depth + "]" * depth, None)


def test_the_document_is_a_copy() -> None:
    """A tool that changes what it has returned changes nothing of the document."""
    returned = {"a": [1, {"b": 2}]}
    document = document_of(returned, None)
    returned["a"][1]["b"] = 3  # type: ignore[index]
    returned["a"].append(4)
    assert document == {"a": [1, {"b": 2}]}


@pytest.mark.parametrize("spelling", ["isError", "is_error"])
def test_mcp_error_comes_first(spelling: str) -> None:
    """An MCP result with its error flag is an error, whatever else is in it."""
    result = SimpleNamespace(
        content=[text("no such order")], structuredContent={"ok": True}, **{spelling: True}
    )
    with pytest.raises(SubjectError, match="no such order"):
        document_of(result, None)


def test_an_mcp_dict_may_report_an_error() -> None:
    """The flag of a result that came as a dict counts as the object's does."""
    with pytest.raises(SubjectError, match="no such order"):
        document_of(mcp_dict({"type": "text", "text": "no such order"}, isError=True), None)


@attrs.define
class Locked:
    """A record whose only field can't be read."""

    field: int = attrs.field(default=1, init=False)

    def __getattribute__(self, name: str) -> Any:
        """Refuse."""
        if name == "field":
            raise RuntimeError("locked")
        return object.__getattribute__(self, name)


def test_a_result_that_can_not_be_read_is_no_json() -> None:
    """An object whose attributes raise is refused with what they raise, as the subject's fault."""
    with pytest.raises(NotJsonError, match="RuntimeError: locked"):
        document_of(Locked(), None)


def broken(_: Any) -> bool:
    """An `error_if` that fails."""
    raise KeyError("status")


def throwing(_: Any) -> bool:
    """An `error_if` that throws what is no Exception."""
    raise GeneratorExit


async def later(_: Any) -> bool:
    """An `error_if` that nobody awaits."""
    return True


@pytest.mark.parametrize(
    ("error_if", "told"), [(broken, "KeyError"), (throwing, "GeneratorExit"), (later, "is async")]
)
def test_an_error_if_that_fails_has_measured_nothing(error_if: Any, told: str) -> None:
    """Where nobody knows whether the call failed, it is ERROR `error_if_raised`, not FAILED."""
    tools = {"t": Tool(lambda: {"status": 200}, error_if=error_if)}
    (check,) = run(Scenario("s", tool_calls=[ToolCall("t")]), tools=tools)["s"].checks
    assert (check.status, check.code) == (Status.ERROR, "error_if_raised")
    assert told in check.reason
    gc.collect()  # a coroutine that was left open would warn now, in whoever's test runs


def test_error_if_is_given_a_copy() -> None:
    """One that changes the document changes nothing of the result."""
    assert document_of({"rows": [1]}, lambda document: document["rows"].clear()) == {"rows": [1]}


@pytest.mark.parametrize(
    ("answer", "message"), [("refused", "refused"), (True, "status"), (1, "status")]
)
def test_error_if_makes_an_error(answer: Any, message: str) -> None:
    """What `error_if` answers, if anything true, makes the result an error; a string says which."""
    with pytest.raises(SubjectError, match=message):
        document_of({"status": 500}, lambda _: answer)


@pytest.mark.parametrize("answer", [None, False, "", 0])
def test_error_if_lets_pass(answer: Any) -> None:
    """Where `error_if` answers with nothing true the result stands."""
    assert document_of('{"status": 200}', lambda _: answer) == {"status": 200}


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None, max_examples=40)
@given(st.dictionaries(st.text(), JSON, max_size=4) | st.lists(JSON, max_size=4))
def test_json_is_left_as_it_is(value: Any) -> None:
    """A JSON object or array comes through as itself, and as its text."""
    assert document_of(value, None) == value
    assert document_of(json.dumps(value), None) == value
