"""What must not pass: for every operator the documents that are empty, absent, or of a wrong type.

A new operator has to be put into the table here, with documents that it must refuse.
"""

import math
from typing import Any, Final, NamedTuple

import pytest

from evalkit import MISSING, Assertion, Check, Services, Status, check
from evalkit.jsonvalue import brief
from evalkit.operators import OPERATORS

SAG: Final = {"severity": "error", "check": "sag"}
SPAN: Final = {"severity": "warning", "check": "span"}


class Row(NamedTuple):
    """An operand, a value that holds, and values that must not."""

    expected: Any
    holds: Any
    refused: list[Any]


ABSENT_COUNTS: list[Any] = [
    {},
    None,
    [],
    {"summary": None},
    {"summary": {}},
    {"summary": []},
    {"summary": {"errors": None, "warnings": None}},
    {"summary": {"errors": False, "warnings": False}},
    {"summary": {"errors": True, "warnings": True}},
    {"summary": {"errors": "0", "warnings": "0"}},
    {"summary": {"errors": "1", "warnings": "1"}},
    {"summary": {"errors": [], "warnings": []}},
    {"summary": {"errors": [SAG], "warnings": [SPAN]}},
    {"summary": {"errors": -1, "warnings": -1}},
    {"errors": 0, "warnings": 0},
]
NO_COUNT: list[Any] = [None, True, "", "3", [], [3], {}, {"a": 3}]
NO_TEXT: list[Any] = [None, True, False, 0, 1.5, [], ["oak"], {}, {"oak": 1}]
SAID_OTHERWISE: list[Any] = [3.1, "three", "H3", "3.1", "1.2.3", "3 of 4", "3, no. Answer: none"]
NO_CONTAINER: list[Any] = [None, True, False, 0, 3, 1.5]


def call(tool: str, kind: str | None = None, **args: Any) -> dict[str, Any]:
    """A call that was made, with the kind of its error."""
    error = None if kind is None else {"kind": kind, "type": "Error", "message": "no"}
    return {"tool": tool, "args": args, "error": error}


FOUND, PAID, OTHER = call("find", id=1), call("pay", id=1), call("drop")
NO_CALLS: list[Any] = [
    *[None, True, False, 0, 1, "", "find", {}, FOUND, {"calls": [FOUND]}],
    *[["find"], [None], [[FOUND]], [{"tool": "find"}], [{"args": {"id": 1}}], [FOUND, "pay"]],
    *[[{"tool": "find", "args": None}], [{"tool": "find", "args": "{}"}]],
    *[[{"tool": None, "args": {}}], [{"tool": ["find"], "args": {"id": 1}}]],
]
"""Documents that are no list of calls: nothing is said of one there, that none was made neither."""
SENT_OTHERWISE: list[Any] = [
    [call("find")],
    [call("find", id="1")],
    [call("find", id=True)],
    [call("find", id=None)],
    [call("find", id=[1])],
    [call("find", id=1.0000001)],
    [call("find", id=1, more=None)],
    [call("find", ID=1)],
    [call("Find", id=1)],
    [call("find ", id=1)],
]
FIND: Final = {"tool": "find", "args": {"id": 1}}
MALFORMED, INVENTED = call("find", "invalid_arguments"), call("fnd", "unknown_tool", id=1)
TABLE: dict[str, Row] = {
    "eq": Row(1, 1.0, [None, True, "1", "", [], [1], {}, 2, 1.0000001]),
    "ne": Row(1, True, [1, 1.0]),
    "approx": Row(3, 3.1, [*NO_COUNT, 3.2, 2.8, 10**400, -(10**400)]),
    "gt": Row(3, 4, [*NO_COUNT, 3, 2, -math.pi]),
    "gte": Row(3, 3, [*NO_COUNT, 2]),
    "lt": Row(3, 2, [*NO_COUNT, False, 3, 4]),
    "lte": Row(3, 3, [*NO_COUNT, False, 4]),
    "between": Row([0, 2], 1, [*NO_COUNT, False, -0.1, 2.1]),
    "in": Row([1, "a", None], 1.0, [True, "1", "", [], [1], {}, 2, "ab"]),
    "not_in": Row([1, "a"], None, [1, 1.0, "a"]),
    "contains": Row("oak", "oaken", [*NO_CONTAINER, "", "pine", [], ["oaken"], [["oak"]], {}]),
    "not_contains": Row("oak", [], [*NO_CONTAINER, "oak", "oaken", ["oak"], {"oak": None}]),
    "contains_all": Row(["a", "b"], "ab", [*NO_CONTAINER, "", "a", [], ["a"], {}, {"a": 1}]),
    "contains_any": Row(["a", "b"], ["b"], [*NO_CONTAINER, "", "c", [], ["ab"], {}, {"c": "a"}]),
    "exists": Row(MISSING, None, []),
    "has_key": Row("a", {"a": None}, [None, True, 0, "a", [], ["a"], {}, {"b": "a"}]),
    "lacks_key": Row("a", {}, [None, True, 0, "", "b", [], ["b"], {"a": None}]),
    "len_eq": Row(2, [1, 2], [*NO_CONTAINER, 2, "", "a", [], [[1, 2]], {}, {"a": 2}]),
    "len_gte": Row(2, "abc", [*NO_CONTAINER, 2, 10, "", "a", [], [1], {}, {"a": [1, 2]}]),
    "len_lte": Row(2, [], [*NO_CONTAINER, 0, 1, "abc", [1, 2, 3], {"a": 1, "b": 2, "c": 3}]),
    "same_items": Row([1, 2, 2], [2, 1, 2.0], [None, 1, "122", [], [1, 2], [1, 1, 2], {}]),
    "is_true": Row(MISSING, 1, [None, False, 0, 0.0, -0.0, "", [], {}]),
    "is_false": Row(MISSING, 0, [True, 1, -1, 0.1, "0", "false", " ", [0], [[]], {"a": None}]),
    "is_null": Row(MISSING, None, [False, 0, "", "null", [], [None], {}]),
    "type_is": Row("number", 1, [None, True, False, "", "1", [], [1], {}]),
    "matches": Row("oak", "oaken", [*NO_TEXT, "", "pine", "OAK"]),
    "not_matches": Row("oak", "", [*NO_TEXT, "oak", "an oaken door"]),
    "schema": Row({"type": "integer"}, 1, [None, True, "", "1", 1.5, [], [1], {}]),
    "subset": Row({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, [None, 1, "", [], {}, {"a": {}}]),
    "exact_match": Row("oak", "The oak!", [*NO_TEXT, "", " ", "the", "pine", "oak oak", "oaken"]),
    "f1": Row("red oak tree", "an oak tree", [*NO_TEXT, "", " ", "the", "pine", "tall oak"]),
    "similar": Row("oaken", "oakem", [*NO_TEXT, "", " ", "oak", "OAKEN"]),
    "numeric": Row(3, "It is 3.", [*NO_COUNT[:3], False, *SAID_OTHERWISE, [], [3], {}, {"a": 3}]),
    "semantic": Row("oak", "an oaken door", [*NO_TEXT, "", " ", "pine"]),
    "calls": Row([FIND, "pay"], [PAID, FOUND], [[], *NO_CALLS, [FOUND], *SENT_OTHERWISE]),
    "calls_in_order": Row(
        [FIND, "pay"],
        [OTHER, call("find", id=1.0), OTHER, PAID],
        [[], [PAID, FOUND], [FOUND], *NO_CALLS, *([*made, PAID] for made in SENT_OTHERWISE)],
    ),
    "calls_exactly": Row(
        [FIND, "pay"],
        [FOUND, PAID],
        [
            *[[], [PAID, FOUND], [FOUND], [FOUND, PAID, PAID], [FOUND, OTHER, PAID], *NO_CALLS],
            *([*made, PAID] for made in SENT_OTHERWISE),
        ],
    ),
    "calls_any_order": Row(
        [FIND, "find"],
        [call("find"), FOUND],
        [[], [FOUND], [FOUND, PAID], *NO_CALLS, *([*made, OTHER] for made in SENT_OTHERWISE)],
    ),
    "calls_only": Row(
        [FIND, "pay"],
        [PAID],
        [[OTHER], [FOUND, PAID, OTHER], [PAID, PAID], *NO_CALLS, *SENT_OTHERWISE],
    ),
    "never_calls": Row([FIND, "pay"], [OTHER], [[FOUND], [OTHER, PAID], *NO_CALLS]),
    "call_args": Row(
        {"tool": "find", "where": [["id", "eq", 1], ["more", "is_null"]]},
        [OTHER, call("find", id=1, more=None)],
        [
            *[[], *NO_CALLS, [FOUND], [PAID], [call("find", id=2, more=None)]],
            *[[FOUND, call("find", more=None)], [call("pay", id=1, more=None)]],
        ],
    ),
    "hygiene": Row(
        MISSING,
        [MALFORMED, INVENTED, FOUND],
        [
            *[[MALFORMED], [FOUND, MALFORMED], [MALFORMED, PAID], [INVENTED], [FOUND, INVENTED]],
            *[[MALFORMED, INVENTED], [INVENTED, MALFORMED, PAID], [MALFORMED, MALFORMED]],
            *NO_CALLS,
        ],
    ),
    "no_errors": Row(MISSING, {"summary": {"errors": 0}}, ABSENT_COUNTS),
    "no_warnings": Row(MISSING, {"summary": {"warnings": 0}}, ABSENT_COUNTS),
    "has_error": Row(MISSING, {"summary": {"errors": 1}}, ABSENT_COUNTS),
    "has_warning": Row(MISSING, {"summary": {"warnings": 1}}, ABSENT_COUNTS),
}
ISSUES = ("no_errors", "no_warnings", "has_error", "has_warning")
OPS = sorted(OPERATORS)
SERVICES = Services(embed=lambda texts: [[1, 0] if "oak" in text else [0, 1] for text in texts])


def checked(assertion: Assertion, document: Any) -> Check:
    """The check of an assertion that has all it may ask for from outside."""
    return check(assertion, document, services=SERVICES)


def document_of(op: str, value: Any) -> Any:
    """The document and path that put a row's value to its operator."""
    return value if op in ISSUES else {"value": value}


def put(op: str, value: Any, expected: Any = MISSING) -> tuple[Status, str | None]:
    """Status and code of an operator put to a value, with the row's operand unless given."""
    operand = TABLE[op].expected if expected is MISSING else expected
    path = "" if op in ISSUES else "value"
    found = checked(Assertion(path, op, operand), document_of(op, value))
    return found.status, found.code


def test_every_operator_has_its_row() -> None:
    """An operator that is not in the table of what must not pass has not been thought about."""
    assert sorted(TABLE) == OPS


@pytest.mark.parametrize("op", OPS)
def test_holds(op: str) -> None:
    """Each row's operand can be met, so that its refusals say something."""
    assert put(op, TABLE[op].holds) == (Status.PASSED, None)


def refusals() -> list[tuple[str, Any]]:
    """Every operator with every value that it must not pass on."""
    return [(op, value) for op in OPS for value in TABLE[op].refused]


@pytest.mark.parametrize(("op", "value"), refusals(), ids=lambda value: brief(value, 20))
def test_refused(op: str, value: Any) -> None:
    """Faults 34 and 41: what is empty, null, of a wrong type or just off is FAILED, no error."""
    assert put(op, value) in (
        (Status.FAILED, "wrong_value"),
        (Status.FAILED, "unresolved_path"),
    )


NOWHERE: list[tuple[str, Any]] = [
    ("value", {}),
    ("value", None),
    ("value", []),
    ("value", "value"),
    ("value", {"Value": 1}),
    ("value", [{"value": 1}]),
    ("value.x", {"value": None}),
    ("value.x", {"value": "x"}),
    ("value[0]", {"value": "x"}),
    ("value[0]", {"value": []}),
    ("value[0]", {"value": {"0": 1}}),
    ("value[-2]", {"value": [1]}),
    ("value.0", {"value": {}}),
    ('["value.x"]', {"value": {"x": 1}}),
]
COUNTED: Final = {"summary": {"errors": 0, "warnings": 0}, "issues": []}


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize(("path", "document"), NOWHERE, ids=str)
def test_a_missing_path_fails(op: str, path: str, document: Any) -> None:
    """Fault 33: a path that does not resolve fails every operator, negated ones too."""
    if type(document) is dict:
        document = {**COUNTED, **document}
    found = checked(Assertion(path, op, TABLE[op].expected), document)
    assert (found.status, found.code) == (Status.FAILED, "unresolved_path")
    assert found.score == 0
    assert found.actual is None
    assert "does not resolve" in found.reason


@pytest.mark.parametrize("op", ["has_key", "exists", "is_null", "is_true", "is_false"])
@pytest.mark.parametrize("expected", [MISSING, None])
def test_a_missing_path_fails_without_an_operand(op: str, expected: Any) -> None:
    """Fault 33: also where nothing, or null, is expected."""
    assert checked(Assertion("value", op, expected), {}).code == "unresolved_path"


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf], ids=repr)
def test_a_document_that_is_no_json_fails(op: str, number: float) -> None:
    """Fault 26: NaN or an infinity anywhere in the document passes nothing, NE neither."""
    for document in ({"value": number}, {**COUNTED, "value": TABLE[op].holds, "other": [number]}):
        found = checked(Assertion("value", op, TABLE[op].expected), document)
        assert (found.status, found.code) == (Status.FAILED, "unserialisable_result")


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("each", ["all", "any"])
@pytest.mark.parametrize("empty", [[], {}], ids=str)
def test_each_over_nothing_fails(op: str, each: Any, empty: Any) -> None:
    """Fault 35: put to every value of an empty list, no operator holds, nor does a negated one."""
    good = TABLE[op].holds if op in ISSUES else {}
    assertion = Assertion("items[*]", op, TABLE[op].expected, each=each)
    found = checked(assertion, {**good, "items": empty})
    assert (found.status, found.code, found.score) == (Status.FAILED, "wrong_value", 0)
    assert "empty" in found.reason


@pytest.mark.parametrize("op", sorted(set(OPS) - {*ISSUES, "exists"}))
def test_each(op: str) -> None:
    """Of a value that holds and one that does not, `all` fails and `any` holds."""
    row = TABLE[op]
    document = {"items": [row.holds, row.refused[0]], "bad": row.refused[:1] * 2}
    every = Assertion("items[*]", op, row.expected, each="all")
    some = Assertion("items[*]", op, row.expected, each="any")
    assert not checked(every, document).passed
    assert checked(some, document).passed
    assert not checked(some.but(path="bad[*]"), document).passed


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("each", ["all", "any"])
def test_each_with_a_gap_fails(op: str, each: Any) -> None:
    """Fault 33: a name that one of the items lacks makes the path MISSING, under `any` as well."""
    items = [{"value": TABLE[op].holds}, {}]
    assertion = Assertion("items[*].value", op, TABLE[op].expected, each=each)
    found = checked(assertion, {**COUNTED, "items": items})
    assert (found.status, found.code) == (Status.FAILED, "unresolved_path")
