"""What an assertion accepts, keeps and refuses."""

import copy
import json
import math
import pickle
from enum import Enum, IntEnum, StrEnum
from typing import Any

import attrs
import pytest

from evalkit import MISSING, Assertion, CatalogueError, Op, Ref
from evalkit.jsonvalue import brief
from evalkit.model import refs

BIG = 10**5000


class Bare(Enum):
    """No builtin by inheritance."""

    ONE = 1


class Size(IntEnum):
    """A number by inheritance."""

    BIG = 3


class Colour(StrEnum):
    """A string by inheritance."""

    RED = "red"


class Text(str):
    """A string of its own kind."""

    __slots__ = ()


@pytest.mark.parametrize("op", Op)
def test_an_operator_is_its_string(op: Op) -> None:
    """An operator equals, hashes and reads as its lower-case string, which may stand for it."""
    assert op == op.value == op.name.lower() == str(op)
    assert {op: 1}[op.value] == 1  # type: ignore[index]
    assert json.dumps(op) == f'"{op.value}"'
    for text in (op.value, op.name, op.value.title(), op):
        assert Assertion("a", text, 1).op is op


def test_another_name_is_the_authors_own() -> None:
    """A name that is not built in is kept, folded to lower case."""
    assert Assertion("a", "Divisible_By").op == "divisible_by"


def test_the_order_is_fixed() -> None:
    """Path, operator, expected and description come in this order."""
    assertion = Assertion("a", "eq", 1, "why")
    assert (assertion.path, assertion.op, assertion.expected, assertion.description) == (
        "a",
        Op.EQ,
        1,
        "why",
    )


def test_nothing_expected_is_not_null_expected() -> None:
    """An absent `expected` is MISSING, and null is a value."""
    assert Assertion("a", "eq").expected is MISSING
    assert Assertion("a", "eq", None).expected is None
    assert Assertion("a", "eq") != Assertion("a", "eq", None)


@pytest.mark.parametrize("value", [None, True, 0, 1.5, "", "x", [], {}, {"a": [1, {"b": None}]}])
def test_expected_is_json(value: Any) -> None:
    """Any JSON value may be expected."""
    assert Assertion("a", "eq", value).expected == value


def test_expected_is_copied() -> None:
    """What the author changes later changes no assertion; a tuple becomes a list."""
    given = {"a": [1]}
    assertion = Assertion("a", "eq", given)
    given["a"].append(2)
    assert assertion.expected == {"a": [1]}
    assert Assertion("a", "in", (1, 2)).expected == [1, 2]


def test_a_ref_may_stand_within() -> None:
    """A `Ref` stays one, by itself and inside a value."""
    assert Assertion("a", "eq", Ref("x")).expected == Ref("x")
    assert Assertion("a", "between", [Ref("x"), 3]).expected == [Ref("x"), 3]


NO_BOUNDS: list[Any] = [0, -1, math.nan, math.inf, True, "1", []]
WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"path": 1}, "Assertion.path", "expected a string, got 1"),
    ({"path": None}, "Assertion.path", "expected a string, got None"),
    ({"op": ""}, "Assertion.op", "is blank"),
    ({"op": 3}, "Assertion.op", "expected a string, got 3"),
    ({"op": "e\nq"}, "Assertion.op", "a control character"),
    ({"expected": math.nan}, "Assertion.expected", "nan is not finite"),
    ({"expected": {"a": [math.inf]}}, "Assertion.expected.a[0]", "inf is not finite"),
    ({"expected": {1}}, "Assertion.expected", "builtins.set is no JSON value"),
    ({"expected": [b"x"]}, "Assertion.expected[0]", "builtins.bytes is no JSON value"),
    ({"expected": {1: 2}}, "Assertion.expected", "the key 1 is no string"),
    ({"expected": BIG}, "Assertion.expected", "digits"),
    ({"expected": [BIG]}, "Assertion.expected[0]", "digits"),
    ({"expected": Bare.ONE}, "Assertion.expected", "Bare is no JSON value"),
    ({"expected": [Size.BIG]}, "Assertion.expected[0]", "Size is no JSON value"),
    ({"expected": Colour.RED}, "Assertion.expected", "Colour is no JSON value"),
    ({"expected": {"a": Text("x")}}, "Assertion.expected.a", "Text is no JSON value"),
    ({"expected": {Colour.RED: 1}}, "Assertion.expected", "no JSON value"),
    ({"description": 1}, "Assertion.description", "expected a string"),
    ({"each": "every"}, "Assertion.each", "'all', 'any'"),
    ({"each": True}, "Assertion.each", "'all', 'any'"),
    ({"severity": "error"}, "Assertion.severity", "'fail', 'warn'"),
    ({"severity": None}, "Assertion.severity", "'fail', 'warn'"),
    *(
        ({name: value}, f"Assertion.{name}", "expected a number above 0")
        for name in ("tolerance", "rel")
        for value in NO_BOUNDS
    ),
    *(
        ({"weight": value}, "Assertion.weight", "expected a number, 0 or above")
        for value in NO_BOUNDS[1:]
    ),
    *(
        ({"threshold": value}, "Assertion.threshold", "expected a number above 0 and up to 1")
        for value in (*NO_BOUNDS, 1.0001, 2, -0.0)
    ),
    ({"normalize": "sqad"}, "Assertion.normalize", "'sqad'; did you mean 'squad'?"),
    ({"normalize": "nfkc+basc"}, "Assertion.normalize", "'basc'; did you mean 'basic'?"),
    ({"normalize": "squad+"}, "Assertion.normalize", "unknown normaliser ''"),
    ({"normalize": "squad +raw"}, "Assertion.normalize", "unknown normaliser 'squad '"),
    ({"normalize": "SQUAD"}, "Assertion.normalize", "did you mean 'squad'?"),
    ({"normalize": ""}, "Assertion.normalize", "is blank"),
    ({"normalize": ["squad"]}, "Assertion.normalize", "expected a string"),
    ({"normalize": str.lower}, "Assertion.normalize", "expected a string"),
    ({"extract": "after_answr"}, "Assertion.extract", "did you mean 'after_answer'?"),
    ({"extract": "terse+first_line"}, "Assertion.extract", "'terse+first_line'"),
    ({"extract": ""}, "Assertion.extract", "is blank"),
    ({"extract": True}, "Assertion.extract", "expected a string"),
]


@pytest.mark.parametrize(("fields", "where", "told"), WRONG, ids=lambda value: brief(value, 40))
def test_a_wrong_field_is_a_catalogue_error(fields: dict[str, Any], where: str, told: str) -> None:
    """Fault 37: a field that is wrong is refused when written, with its place and the value."""
    with pytest.raises(CatalogueError) as caught:
        Assertion(**{"path": "a", "op": "eq", "expected": 1, **fields})
    (problem,) = caught.value.problems
    assert problem.where == where
    assert told in str(problem)


@pytest.mark.parametrize(
    "given",
    [
        {"weight": 0},
        {"weight": 0.0},
        {"weight": 2.5},
        {"threshold": 1},
        {"threshold": 1.0},
        {"threshold": 2 / 3},
        {"threshold": 5e-324},
        {"normalize": "raw"},
        {"normalize": "nfkc+punctuation+squad+distinct"},
        {"extract": "terse"},
    ],
    ids=str,
)
def test_what_a_field_may_be(given: dict[str, Any]) -> None:
    """A weight may be 0, a threshold up to 1, and normalisers may be joined."""
    ((name, value),) = given.items()
    assert getattr(Assertion("a", "f1", "x", **given), name) == value


def test_further_fields_are_keywords() -> None:
    """`each` and what follows it are given by name."""
    with pytest.raises(TypeError):
        Assertion("a", "eq", 1, "", "all")  # type: ignore[call-arg]


def test_it_is_frozen() -> None:
    """An assertion does not change; `but` gives a changed copy, checked again."""
    assertion = Assertion("a", "eq", 1, weight=2)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        assertion.path = "b"  # type: ignore[misc]
    assert assertion.but(path="b") == Assertion("b", "eq", 1, weight=2)
    with pytest.raises(CatalogueError):
        assertion.but(weight=-1)


def test_it_survives_copies_and_pickles() -> None:
    """Equal by value, also after a pickle, with MISSING the one object."""
    assertion = Assertion("a", "exists")
    for again in (copy.deepcopy(assertion), pickle.loads(pickle.dumps(assertion))):  # noqa: S301
        assert again == assertion
        assert again.expected is MISSING


@pytest.mark.parametrize("name", ["", "  ", 1, None, "a\x00"])
def test_a_ref_has_a_name(name: Any) -> None:
    """A `Ref` without a name that says something is refused."""
    with pytest.raises(CatalogueError, match=r"Ref\.name"):
        Ref(name)


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (Ref("a"), ["a"]),
        ([Ref("a"), {"x": Ref("b")}], ["a", "b"]),
        ({"x": {"y": [Ref("a"), Ref("a")]}}, ["a", "a"]),
        ("Ref(name='a')", []),
        ({"$ref": "a"}, []),
        (None, []),
    ],
)
def test_refs_are_found_at_any_depth(value: Any, names: list[str]) -> None:
    """Every `Ref` in a value is named, in order, and nothing that only looks like one."""
    assert list(refs(value)) == names
