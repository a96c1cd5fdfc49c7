"""The operators on values, against their plain definitions: every operator, type and type."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import MISSING, Assertion, Status, check
from evalkit.jsonvalue import brief
from evalkit.operators import OPERATORS

FIXED = settings(deadline=None, derandomize=True, max_examples=60)
SHAPES: list[Any] = [
    *[None, True, False, 0, 1, 2, -1, 1.5, 0.0, 10**17 + 1, 1e17, "", "a", "ab", "1", "true"],
    *[[], [1], [True], [1, 2], [2, 1], ["a"], ["a", "b"], [None], [[]], [{"a": 1}]],
    *[{}, {"a": 1}, {"a": True}, {"a": 1, "b": 2}, {"b": {"a": 1}}, {"1": None}, {"a": [1, 2]}],
]


def number(value: Any) -> bool:
    """Whether a value is a number; a bool is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def same(left: Any, right: Any) -> bool:
    """JSON equality, written out."""
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return set(left) == set(right) and all(same(left[key], right[key]) for key in left)
    if number(left) and number(right):
        return Fraction(left) == Fraction(right)
    return type(left) is type(right) and bool(left == right)


def comparable(left: Any, right: Any) -> bool:
    """Whether two values have an order: both numbers, or both strings."""
    return (number(left) and number(right)) or (type(left) is str and type(right) is str)


def near(actual: Any, expected: Any) -> bool:
    """Strictly less than 0.15 away, in exact arithmetic."""
    return number(actual) and abs(Fraction(actual) - Fraction(expected)) < Fraction(0.15)


def can_contain(actual: Any, member: Any) -> bool:
    """Whether it makes sense to ask: a list has members, a string parts, an object keys."""
    return isinstance(actual, list) or (isinstance(actual, str | dict) and isinstance(member, str))


def contains(actual: Any, member: Any) -> bool:
    """Whether a list, string or object contains a member, part or key."""
    if isinstance(actual, list):
        return any(same(item, member) for item in actual)
    return can_contain(actual, member) and member in actual


def sized(actual: Any, test: Callable[[int], bool]) -> bool:
    """Whether a value has a length, and it is as wanted."""
    return isinstance(actual, list | dict | str) and test(len(actual))


def same_items(actual: Any, expected: list[Any]) -> bool:
    """Whether two lists are equal as multisets: each item occurs as often in both."""
    return isinstance(actual, list) and all(
        sum(same(item, one) for item in actual) == sum(same(item, one) for item in expected)
        for one in [*actual, *expected]
    )


def part_of(expected: Any, actual: Any) -> bool:
    """Whether a value is contained: keys at every depth, lists item by item."""
    if isinstance(expected, dict):
        return isinstance(actual, dict) and all(
            key in actual and part_of(item, actual[key]) for key, item in expected.items()
        )
    if isinstance(expected, list):
        return (
            isinstance(actual, list)
            and len(actual) == len(expected)
            and all(map(part_of, expected, actual))
        )
    return same(expected, actual)


KINDS: Final[dict[str, Callable[[Any], bool]]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "number": number,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}
SCHEMAS: list[tuple[Any, Callable[[Any], bool]]] = [
    ({"type": "number"}, number),
    ({"type": "boolean"}, KINDS["boolean"]),
    ({"type": "array", "minItems": 1}, lambda value: isinstance(value, list) and len(value) > 0),
    ({"const": 1}, lambda value: same(value, 1)),
    ({"enum": [True, "a"]}, lambda value: value is True or value == "a"),
    ({"const": [True]}, lambda value: same(value, [True])),
    ({"type": "object", "required": ["a"]}, lambda v: isinstance(v, dict) and "a" in v),
]

ANY: list[Any] = SHAPES
NUMBERS: list[Any] = [2, -1, 1.5, 3, 10**17 + 1, 1e17]
ORDERED: list[Any] = [*NUMBERS, "a", "ab", "1"]
TEXTS: list[Any] = ["a", "ab", "1", "b"]
LISTS: list[Any] = [item for item in SHAPES if isinstance(item, list) and item]
NO_OPERAND: list[Any] = [MISSING]

Oracle = tuple[list[Any], Callable[[Any, Any], bool]]
ORACLES: dict[str, Oracle] = {
    "eq": (ANY, same),
    "ne": (ANY, lambda a, e: not same(a, e)),
    "approx": (NUMBERS, near),
    "gt": (ORDERED, lambda a, e: comparable(a, e) and a > e),
    "gte": (ORDERED, lambda a, e: comparable(a, e) and a >= e),
    "lt": (ORDERED, lambda a, e: comparable(a, e) and a < e),
    "lte": (ORDERED, lambda a, e: comparable(a, e) and a <= e),
    "between": (
        [[0, 2], [-1, 1.5], ["a", "b"], [1e17, 10**17 + 1]],
        lambda a, e: comparable(a, e[0]) and e[0] <= a <= e[1],
    ),
    "in": (LISTS, lambda a, e: any(same(a, one) for one in e)),
    "not_in": (LISTS, lambda a, e: not any(same(a, one) for one in e)),
    "contains": ([one for one in ANY if one != ""], contains),
    "not_contains": (
        [one for one in ANY if one != ""],
        lambda a, e: can_contain(a, e) and not contains(a, e),
    ),
    "contains_all": (LISTS, lambda a, e: all(contains(a, one) for one in e)),
    "contains_any": (LISTS, lambda a, e: any(contains(a, one) for one in e)),
    "exists": (NO_OPERAND, lambda _a, _e: True),
    "has_key": (TEXTS, lambda a, e: isinstance(a, dict) and e in a),
    "lacks_key": (TEXTS, lambda a, e: isinstance(a, dict) and e not in a),
    "len_eq": ([0, 1, 2], lambda a, e: sized(a, lambda size: size == e)),
    "len_gte": ([1, 2], lambda a, e: sized(a, lambda size: size >= e)),
    "len_lte": ([0, 1, 2], lambda a, e: sized(a, lambda size: size <= e)),
    "same_items": ([*LISTS, []], same_items),
    "is_true": (NO_OPERAND, lambda a, _: a not in (None, False, 0, "", [], {})),
    "is_false": (NO_OPERAND, lambda a, _: a in (None, False, 0, "", [], {})),
    "is_null": (NO_OPERAND, lambda a, _: a is None),
    "type_is": (list(KINDS), lambda a, e: KINDS[e](a)),
    "matches": (["a", "^a$", "[0-9]"], lambda a, e: type(a) is str and bool(re.search(e, a))),
    "not_matches": (["a", "^a$", "[0-9]"], lambda a, e: type(a) is str and not re.search(e, a)),
    "schema": (
        [schema for schema, _ in SCHEMAS],
        lambda a, e: next(valid for schema, valid in SCHEMAS if schema is e)(a),
    ),
    "subset": (
        [one for one in ANY if isinstance(one, list | dict) and one != {}],
        lambda a, e: part_of(e, a),
    ),
}
ISSUES = {"no_errors", "no_warnings", "has_error", "has_warning"}
"""Tested in test_issues.py."""
SCORING = {"exact_match", "f1", "similar", "numeric", "semantic"}
"""Tested in test_text.py: their verdict rests on a score."""
TRAJECTORY = {
    *("calls", "calls_in_order", "calls_exactly", "calls_any_order", "calls_only"),
    *("never_calls", "call_args", "hygiene"),
}
"""Tested in test_trajectory.py: they look at nothing but calls."""


def test_every_operator_has_its_definition() -> None:
    """An operator on values that has no plain definition here has not been thought about."""
    assert sorted(ORACLES) == sorted(set(OPERATORS) - ISSUES - SCORING - TRAJECTORY)


@pytest.mark.parametrize("op", sorted(ORACLES))
def test_operator_is_its_definition(op: str) -> None:
    """Fault 34: over every operand and every shape of value, an operator is its definition."""
    operands, holds = ORACLES[op]
    wrong = [
        (actual, operand, found.status, found.reason)
        for operand in operands
        for actual in SHAPES
        for found in [check(Assertion("value", op, operand), {"value": actual})]
        if found.status is not (Status.PASSED if holds(actual, operand) else Status.FAILED)
    ]
    assert wrong == []


SCALARS = (
    st.sampled_from(SHAPES) | st.integers() | st.floats(-3, 3) | st.text(alphabet="ab1", max_size=3)
)
VALUES = st.recursive(
    st.sampled_from(SHAPES)
    | st.integers()
    | st.floats(-3, 3)
    | st.text(alphabet="ab1", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab1"), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.mark.parametrize("op", sorted(ORACLES))
@FIXED
@given(data=st.data(), value=VALUES)
def test_operator_is_its_definition_on_any_value(op: str, data: st.DataObject, value: Any) -> None:
    """On generated values, nested and large, an operator is its definition and never raises."""
    operands, holds = ORACLES[op]
    operand = data.draw(st.sampled_from(operands))
    found = check(Assertion("value", op, operand), {"value": value})
    assert found.status is (Status.PASSED if holds(value, operand) else Status.FAILED)
    assert found.score == float(found.passed)
    assert bool(found.reason) is not found.passed


@pytest.mark.parametrize(
    "op", ["eq", "ne", "in", "not_in", "contains", "not_contains", "same_items"]
)
@FIXED
@given(expected=VALUES, actual=VALUES)
def test_any_operand(op: str, expected: Any, actual: Any) -> None:
    """Whatever is compared with whatever, operators that take anything are as defined."""
    if op in ("in", "not_in", "same_items"):
        expected = [expected, actual] if op == "same_items" else [expected]
    if expected in ("", []) or (op == "same_items" and not isinstance(actual, list)):
        return
    found = check(Assertion("value", op, expected), {"value": actual})
    assert found.passed is ORACLES[op][1](actual, expected)


@FIXED
@given(VALUES)
def test_a_value_equals_itself(value: Any) -> None:
    """EQ and SUBSET hold of a value against itself, and NE does not."""
    document = {"value": value}
    assert check(Assertion("value", "eq", value), document).passed
    assert not check(Assertion("value", "ne", value), document).passed
    if isinstance(value, list | dict) and value != {}:
        assert check(Assertion("value", "subset", value), document).passed


APPROX: list[tuple[Any, Any, dict[str, Any], bool]] = [
    (10.149, 10, {}, True),
    (10.15, 10, {}, False),
    (9.85, 10, {}, False),
    (10.5, 10, {"tolerance": 0.5}, False),
    (10.49, 10, {"tolerance": 0.5}, True),
    (101, 100, {"rel": 0.01}, False),
    (100.9, 100, {"rel": 0.01}, True),
    (-100.9, -100, {"rel": 0.01}, True),
    (100.5, 100, {"tolerance": 0.6, "rel": 0.001}, True),
    (0, 0, {"rel": 0.1}, True),
    (-0.0, 0, {"tolerance": 0.1}, True),
    (10**17 + 1, 10**17, {}, False),
    (10**17 + 1, 1e17, {}, False),
    (10**400, 1.5, {}, False),
    (1.5, 10**400, {}, False),
    (1.5, 10**400, {"rel": 0.1}, False),
    (10**400 + 1, 10**400, {"rel": 0.1}, True),
    (1e308, -1e308, {}, False),
]


@pytest.mark.parametrize(
    ("actual", "expected", "bounds", "holds"), APPROX, ids=lambda value: brief(value, 20)
)
def test_approx(actual: Any, expected: Any, bounds: dict[str, Any], holds: bool) -> None:
    """Fault 38: strictly nearer than the tolerance, or the share; integers are exact."""
    found = check(Assertion("value", "approx", expected, **bounds), {"value": actual})
    assert found.status is (Status.PASSED if holds else Status.FAILED)


EXACT: list[tuple[str, Any, Any, bool]] = [
    ("eq", 10**17 + 1, 1e17, False),
    ("gt", 10**17 + 1, 1e17, True),
    ("lte", 10**17 + 1, 1e17, False),
    ("eq", 2**53 + 1, float(2**53), False),
    ("eq", -0.0, 0, True),
    ("lt", -0.0, 0, False),
    ("eq", 0.1 + 0.2, 0.3, False),
    ("gt", 10**400, 1.5, True),
    ("between", 10**400, [0, 1.5], False),
]


@pytest.mark.parametrize(
    ("op", "actual", "expected", "holds"), EXACT, ids=lambda value: brief(value, 20)
)
def test_numbers_are_exact(op: str, actual: Any, expected: Any, holds: bool) -> None:
    """Fault 38: integers beyond 2**53 keep every digit, floats are as they are, -0.0 is 0."""
    assert check(Assertion("value", op, expected), {"value": actual}).passed is holds


COMPOSED, DECOMPOSED = "caf\N{LATIN SMALL LETTER E WITH ACUTE}", "cafe\N{COMBINING ACUTE ACCENT}"


@pytest.mark.parametrize("op", ["eq", "in", "contains", "matches"])
@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (COMPOSED, DECOMPOSED),
        ("oak\N{ZERO WIDTH SPACE}tree", "oaktree"),
        ("\N{RIGHT-TO-LEFT OVERRIDE}x\N{POP DIRECTIONAL FORMATTING}y", "xy"),
        ("Oak", "oak"),
        ("STRASSE", "stra\N{LATIN SMALL LETTER SHARP S}e"),
    ],
)
def test_texts_are_exact(op: str, actual: str, expected: str) -> None:
    """Fault 39: texts that look or fold alike are not equal, nor found in each other."""
    operand: Any = [expected] if op == "in" else expected
    assert not check(Assertion("value", op, operand), {"value": actual}).passed


def test_a_visual_tie_shows_code_points() -> None:
    """Fault 39: where two texts look the same, the reason gives the code points that differ."""
    reason = check(Assertion("value", "eq", COMPOSED), {"value": DECOMPOSED}).reason
    assert "U+00E9" in reason
    assert "U+0065 U+0301" in reason


def test_a_pattern_has_a_time_limit() -> None:
    """Fault 40: a pattern that would run for ever on a text is ERROR, within seconds."""
    found = check(Assertion("value", "matches", r"(?:(?:a|a)+)+\d$"), {"value": "a" * 40})
    assert (found.status, found.code) == (Status.ERROR, "operator_raised")
    assert found.seconds < 5
