"""Rows 26 to 30 of the table of faults: results that are no JSON, too much, or that lie."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, Check, Op, Ref, Scenario, Status, ToolCall, run
from evalkit.jsonvalue import MAX_DEPTH

ROOT = Path(__file__).parents[2]
MEGABYTE = 1_000_000
Tools = dict[str, Callable[..., Any]]


def check_of(value: Any, assertion: Assertion | None = None) -> Check:
    """The check of a call that returns a value: of an assertion, or that it returned."""
    call = ToolCall("t", {}, [assertion] if assertion else [])
    tools: Tools = {"t": lambda: value}
    (check,) = run(Scenario("s", tool_calls=[call]), tools=tools)["s"].checks
    return check


def refused(value: Any) -> str:
    """The reason why a result is no JSON document."""
    check = check_of(value)
    assert check.status is Status.FAILED
    assert check.code == "unserialisable_result"
    return check.reason


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize(
    ("wrap", "place"),
    [
        (lambda n: n, ""),
        (lambda n: {"a": n}, "at a"),
        (lambda n: {"a": [{"b": (1, n)}]}, "at a[0].b[1]"),
        (lambda n: [[[[[n]]]]], "at [0][0][0][0][0]"),
    ],
)
def test_row_26_a_number_that_is_not_finite(
    number: float, wrap: Callable[[float], Any], place: str
) -> None:
    """NaN and infinities are no JSON at any depth: an error that names the place."""
    reason = refused(wrap(number))
    assert place in reason
    assert repr(number) in reason


def generate() -> Iterator[int]:
    """A generator."""
    yield 1


class Scalar:
    """A number that is no builtin, as numpy's integers are."""

    def __int__(self) -> int:
        """Be one."""
        return 1

    __index__ = __int__


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({1}, "set"),
        (frozenset({1}), "frozenset"),
        (b"x", "bytes"),
        (bytearray(b"x"), "bytearray"),
        (memoryview(b"x"), "memoryview"),
        (object(), "object"),
        (generate(), "generator"),
        (range(3), "range"),
        (Scalar(), "Scalar"),
        ({}.keys(), "dict_keys"),
        (map(str, []), "map"),
    ],
)
def test_row_27_a_value_that_is_no_json(value: Any, kind: str) -> None:
    """Sets, bytes, objects, generators, scalars: an error naming place and type, never `str()`."""
    assert kind in refused(value)
    assert "at rows[1].x" in refused({"rows": [1, {"x": value}]})
    assert kind in refused({"rows": [1, {"x": value}]})


def cyclic_list() -> Any:
    """A list that holds itself."""
    value: list[Any] = []
    value.append(value)
    return value


def cyclic_dict() -> Any:
    """Two dicts that hold each other."""
    value: dict[str, Any] = {"a": {}}
    value["a"]["b"] = value
    return value


def deep(depth: int) -> Any:
    """A list in a list, so often."""
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def deep_dict(depth: int) -> Any:
    """A dict in a dict, so often."""
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"k": value}
    return value


@pytest.mark.parametrize(
    "make",
    [
        cyclic_list,
        cyclic_dict,
        lambda: deep(100_000),
        lambda: deep_dict(100_000),
        lambda: deep(MAX_DEPTH),
        lambda: "[" * 100_000 + "]" * 100_000,
    ],
    ids=["list", "dict", "deep list", "deep dict", "a level too deep", "deep text"],
)
def test_row_28_a_result_that_is_cyclic_or_too_deep(make: Callable[[], Any]) -> None:
    """A cycle, or one level too many, is an error that says so, in a message one can read."""
    reason = refused(make())
    assert f"deeper than {MAX_DEPTH} levels" in reason
    assert len(reason) < 5_000


LARGE = {
    "text": "'x' * SIZE",
    "JSON text of numbers": "'[' + '0,' * (SIZE // 4) + '0]'",
    "list": "[0] * (SIZE // 8)",
    "key": "{'x' * SIZE: 1}",
    "bytes": "bytes(SIZE)",
    "set": "set(range(SIZE // 64))",
}
MEASURE = """
import resource, sys
from evalkit import Scenario, ToolCall, run
SIZE = 100_000_000
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
scenario = Scenario("s", tool_calls=[ToolCall("t")])
run(scenario, tools={{"t": lambda: {{1: 2}}}})
value = {value}
before = peak()
(check,) = run(scenario, tools={{"t": lambda: value}})["s"].checks
print(check.code, peak() - before, len(check.reason))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux")
@pytest.mark.parametrize("name", LARGE)
def test_row_28_a_result_that_is_too_large(name: str) -> None:
    """A result of 100 MB is an error, and to find that out takes one copy of it at the most."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE.format(value=LARGE[name])],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
    )
    code, grown, length = done.stdout.split()
    assert code == "unserialisable_result"
    assert int(grown) < 150 * MEGABYTE
    assert int(length) < 5_000


class Liar:
    """An object that is equal to everything, and says that it is a dict."""

    def __eq__(self, other: object) -> bool:
        """Lie."""
        return True

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        """Lie."""
        return 3

    def __bool__(self) -> bool:
        """Lie."""
        return True

    def __contains__(self, item: object) -> bool:
        """Lie."""
        return True

    def __getattr__(self, name: str) -> Any:
        """Have everything."""
        return Liar()

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """Lie."""
        return dict


class LyingDict(dict[str, Any]):
    """A dict that shows other items than it has."""

    def items(self) -> Any:
        """Lie."""
        return {"n": 1}.items()

    def __iter__(self) -> Any:
        """Lie."""
        return iter(["n"])

    def __getitem__(self, key: object) -> Any:
        """Lie."""
        return 1

    def __eq__(self, other: object) -> bool:
        """Lie."""
        return True

    __hash__ = None


class LyingList(list[Any]):
    """A list that shows other items than it has."""

    def __iter__(self) -> Any:
        """Lie."""
        return iter([1])

    def __len__(self) -> int:
        """Lie."""
        return 1

    def __eq__(self, other: object) -> bool:
        """Lie."""
        return True

    __hash__ = None


class LyingInt(int):
    """An integer that is equal to everything, and more than anything."""

    def __eq__(self, other: object) -> bool:
        """Lie."""
        return True

    def __gt__(self, other: object) -> bool:
        """Lie."""
        return True

    def __int__(self) -> int:
        """Lie."""
        return 1

    __hash__ = int.__hash__


class LyingText(str):
    """A text that is equal to everything, and has everything in it."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Lie."""
        return True

    def __contains__(self, item: object) -> bool:
        """Lie."""
        return True

    def __str__(self) -> str:
        """Lie."""
        return "1"

    __hash__ = str.__hash__


class LyingEnum(Enum):
    """An enumeration whose members are equal to everything."""

    TWO = 2

    def __eq__(self, other: object) -> bool:
        """Lie."""
        return True

    __hash__ = Enum.__hash__


@pytest.mark.parametrize("value", [Liar(), {"n": Liar()}, [{"n": (Liar(),)}]])
def test_row_29_an_object_that_lies_is_no_json(value: Any) -> None:
    """An object that claims to be anything is refused, by its real type."""
    assert "Liar" in refused(value)


@pytest.mark.parametrize(
    ("value", "truth"),
    [
        (LyingDict(n=2), {"n": 2}),
        (LyingList([2, 3]), [2, 3]),
        (LyingInt(2), 2),
        (LyingText("two"), "two"),
        ({"n": [LyingInt(2), LyingText("two")]}, {"n": [2, "two"]}),
        ({LyingText("n"): LyingDict(m=LyingInt(2))}, {"n": {"m": 2}}),
        (LyingEnum.TWO, 2),
        ({"n": [LyingEnum.TWO]}, {"n": [2]}),
    ],
)
def test_row_29_what_lies_is_read_by_what_it_holds(value: Any, truth: Any) -> None:
    """A kind of builtin, or an enum member, is what it holds, whatever its methods say."""
    check = check_of(value, Assertion("", Op.EQ, truth))
    assert check.passed
    assert type(check.actual) is type(truth)
    for wrong in ({"n": 1}, [1], 1, "1", 7, "seven"):
        assert not check_of(value, Assertion("", Op.EQ, wrong)).passed


@pytest.mark.parametrize("op", [Op.EQ, Op.GT, Op.GTE, Op.IN, Op.CONTAINS, Op.IS_NULL])
def test_row_29_a_lie_passes_no_assertion(op: Op) -> None:
    """No operator lets a value pass that only claims to be what is expected."""
    expected: dict[Op, Any] = {Op.IN: [7, "seven"], Op.CONTAINS: "seven"}
    operand = {} if op is Op.IS_NULL else {"expected": expected.get(op, 7)}
    lies = (Liar(), LyingInt(2), LyingText("two"), LyingDict(n=2), LyingList([2]), LyingEnum.TWO)
    for lie in lies:
        assert not check_of({"x": lie}, Assertion("x", op, **operand)).passed


def test_row_30_a_tool_that_changes_what_it_is_given() -> None:
    """Arguments, saved values and results are copied: a tool changes only what is its own."""
    kept: list[Any] = []

    def get() -> dict[str, Any]:
        kept.append({"rows": [1, {"n": 1}]})
        return kept[-1]  # type: ignore[no-any-return]

    def wreck(rows: list[Any], more: dict[str, Any]) -> int:
        rows[1]["n"] = more["deep"]["n"] = 99
        rows.clear()
        kept[-1].clear()
        return len(more)

    calls = [
        ToolCall("get", save_as={"rows": "rows"}),
        *[ToolCall("wreck", {"rows": Ref("rows"), "more": {"deep": {"n": 1}}})] * 2,
    ]
    on_trace = [
        Assertion("calls[0].result.rows", Op.EQ, [1, {"n": 1}]),
        Assertion("calls[2].args", Op.EQ, {"rows": [1, {"n": 1}], "more": {"deep": {"n": 1}}}),
        Assertion("calls[2].args.rows", Op.EQ, Ref("rows")),
    ]
    scenarios = [Scenario(name, tool_calls=calls, assertions=on_trace) for name in "ab"]
    assert run(scenarios, tools={"get": get, "wreck": wreck}).passed
