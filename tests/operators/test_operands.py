"""What each operator accepts as `expected`: refused, warned of, accepted; planned or saved."""

import math
from typing import Any, Final

import pytest

from evalkit import Assertion, CatalogueError, Ref, check
from evalkit.jsonvalue import brief
from evalkit.operators import OPERATORS
from tests.operators.operands import OF_CALLS, Kind, Rule, each

OPS = sorted(OPERATORS)
NO_OPERAND: Final = {"exists", "is_null", "is_true", "is_false"}
OPTIONAL: Final = {"has_key", "no_errors", "no_warnings", "has_error", "has_warning", "hygiene"}
NEVER_SAVED: Final = {"hygiene", "call_args"}
"""What may be said when it is planned, and at no other time."""
NUMBER, ORDERED, LIST = "expected a number", "expected a number or a string", "expected a list"
LENGTH, CHECK, NOTHING = "expected a length", "the name of a check", "takes no expected value"
TEXT, NO_GOLD, NONE_LEFT = (
    "expected a text",
    "there is no gold answer",
    "nothing is left of the gold",
)

DRAFT_7 = "http://json-schema.org/draft-07/schema#"


GOLDS: list[Rule] = [
    *each("accepted", "", "oak", ["oak"], ["oak", "the elm"], ["oak", Ref("elm")]),
    ([], "refused", NO_GOLD),
    *each("refused", "is blank", " ", "\n", ["oak", "\N{NO-BREAK SPACE}"]),
    *each("refused", TEXT, None, True, 3, {"oak": 1}, ["oak", 3], ["oak", None], [["oak"]]),
]


RULES: dict[str, list[Rule]] = {
    "eq": each("accepted", "", None, True, 0, 1.5, "", [], {}, {"a": [None]}),
    "ne": each("accepted", "", None, False, 0, "", [], {}),
    "approx": [
        (10, "accepted", ""),
        (-1.5, "accepted", ""),
        (1.49, "warned", "tolerance"),
        (0, "warned", "tolerance"),
        (-1, "warned", "tolerance"),
        *each("refused", NUMBER, "10", True, None, [10]),
    ],
    "gt": [
        (0, "accepted", ""),
        ("2024-01-01", "accepted", ""),
        *each("refused", ORDERED, None, True, [1], {}),
    ],
    "gte": [
        (1, "accepted", ""),
        (-1, "accepted", ""),
        ("a", "accepted", ""),
        (0, "warned", "holds for every count"),
        (0.0, "warned", "holds for every count"),
        ("", "refused", "every string"),
        *each("refused", ORDERED, None, False, [1], {}),
    ],
    "lt": [(0, "accepted", ""), *each("refused", ORDERED, None, True, [1], {})],
    "lte": [(0, "accepted", ""), *each("refused", ORDERED, None, True, [1], {})],
    "between": [
        ([1, 2], "accepted", ""),
        ([1, 1.0], "accepted", ""),
        (["a", "b"], "accepted", ""),
        ([Ref("low"), 2], "accepted", ""),
        ([2, 1], "refused", "nothing lies between"),
        ([1, "b"], "refused", "two numbers or two strings"),
        ([True, 2], "refused", ORDERED),
        ([None, 2], "refused", ORDERED),
        *each("refused", "[low, high]", 1, "ab", [], [1], [1, 2, 3], {}),
    ],
    "in": [
        ([1], "accepted", ""),
        ([None], "accepted", ""),
        ([], "refused", "empty"),
        *each("refused", LIST, "abc", None, {"a": 1}, 1),
    ],
    "not_in": [
        ([1], "accepted", ""),
        ([], "refused", "empty"),
        *each("refused", LIST, "abc", None, {"a": 1}, 1),
    ],
    "contains": [
        ("a", "accepted", ""),
        (None, "accepted", ""),
        ([1], "accepted", ""),
        ("", "refused", "in every string"),
    ],
    "not_contains": [("a", "accepted", ""), (1, "accepted", ""), ("", "refused", "every string")],
    "contains_all": [
        (["a", 1], "accepted", ""),
        ([], "refused", "empty"),
        (["a", ""], "refused", "in every string"),
        *each("refused", LIST, "abc", None, {"a": 1}, 1),
    ],
    "contains_any": [
        (["a", 1], "accepted", ""),
        ([], "refused", "empty"),
        (["a", ""], "refused", "in every string"),
        *each("refused", LIST, "abc", None, {"a": 1}, 1),
    ],
    "exists": [
        (None, "accepted", ""),
        (True, "accepted", ""),
        *each("refused", NOTHING, False, 1, "x", []),
    ],
    "has_key": [
        ("a", "accepted", ""),
        ("", "accepted", ""),
        (None, "accepted", ""),
        (True, "accepted", ""),
        *each("refused", "expected a key", False, 1, ["a"], {}),
    ],
    "lacks_key": [
        ("a", "accepted", ""),
        *each("refused", "expected a string", None, True, 1, ["a"]),
    ],
    "len_eq": [
        (0, "accepted", ""),
        (3, "accepted", ""),
        *each("refused", LENGTH, -1, 1.0, 1.5, True, "1", None, [1]),
    ],
    "len_gte": [
        (1, "accepted", ""),
        (0, "refused", "every length is 0 or more"),
        *each("refused", LENGTH, -1, 1.0, True, "1", None),
    ],
    "len_lte": [
        (0, "accepted", ""),
        *each("refused", LENGTH, -1, 1.0, False, "1", None),
    ],
    "same_items": [
        ([], "accepted", ""),
        ([1, "a"], "accepted", ""),
        *each("refused", LIST, "abc", None, {"a": 1}, 1),
    ],
    "is_true": [
        (None, "accepted", ""),
        *each("warned", "taken as the description", "is open", True, 0),
        (False, "refused", "contradicts the expected False"),
    ],
    "is_false": [
        (None, "accepted", ""),
        *each("warned", "taken as the description", "is shut", False, 0),
        (True, "refused", "contradicts the expected True"),
    ],
    "is_null": [
        (None, "accepted", ""),
        (True, "accepted", ""),
        *each("refused", NOTHING, False, 0, "", []),
    ],
    "type_is": [
        *each("accepted", "", "object", "array", "string", "number", "integer", "boolean", "null"),
        *each("refused", "unknown type", "str", "dict", "Object", "", None, 1),
    ],
    "matches": [
        ("a", "accepted", ""),
        ("^$", "accepted", ""),
        ("(", "refused", "is no pattern"),
        *each(
            "refused",
            "matches every string",
            "",
            ".*",
            "a*",
            "x?",
            "^",
            "$",
            "(?s).*",
            "a|",
            r"\s*",
            "(?:)",
        ),
        *each("refused", "expected a pattern", None, 1, True, ["a"]),
    ],
    "not_matches": [
        ("a", "accepted", ""),
        ("[", "refused", "is no pattern"),
        (".*", "refused", "matches every string"),
        *each("refused", "expected a pattern", None, 1, True, ["a"]),
    ],
    "schema": [
        ({"type": "string"}, "accepted", ""),
        ({"$defs": {"n": {"type": "null"}}, "$ref": "#/$defs/n"}, "accepted", ""),
        ({}, "refused", "accepts everything"),
        ({"title": "a part", "description": "says nothing"}, "refused", "accepts everything"),
        ({"type": "strin"}, "refused", "no JSON Schema"),
        ({"minimum": "3"}, "refused", "no JSON Schema"),
        ({"type": "string", "pattern": "("}, "refused", "no JSON Schema"),
        ({"type": "string", "x-note": 1}, "accepted", ""),
        ({"requierd": ["a"]}, "refused", "did you mean 'required'?"),
        ({"properties": {"a": {"tpye": "null"}}}, "refused", "did you mean 'type'?"),
        ({"anyOf": [{"minimun": 1}]}, "refused", "did you mean 'minimum'?"),
        ({"allOf": 5}, "refused", "no JSON Schema"),
        ({"dependencies": {"a": {"tpye": "null"}}}, "refused", "did you mean 'type'?"),
        ({"items": [{"tpye": "null"}], "$schema": DRAFT_7}, "refused", "did you mean 'type'?"),
        ({"patternProperties": {"a": {"type": "null"}}}, "refused", "without a time limit"),
        ({"properties": {"patternProperties": {"type": "null"}}}, "accepted", ""),
        ({"$ref": "#/$defs/nope"}, "refused", ""),
        ({"$ref": "http://127.0.0.1:9/schema.json"}, "refused", ""),
        *each("refused", "expected a JSON Schema", None, True, "string", []),
    ],
    "subset": [
        ({"a": 1}, "accepted", ""),
        ([1], "accepted", ""),
        ({}, "refused", "contained in every object"),
        *each("refused", "an object or a list", None, 1, "a", True),
    ],
    **{
        op: [
            *GOLDS,
            *each("accepted", "", "", [""]),
            *each("refused", NONE_LEFT, "the", "?!", ["oak", "a"]),
        ]
        for op in ("exact_match", "f1")
    },
    **{
        op: [
            *GOLDS,
            *each("accepted", "", "the", "?!"),
            *each("refused", "is blank", "", ["oak", ""]),
        ]
        for op in ("similar", "semantic")
    },
    "numeric": [
        *each("accepted", "", 3, -1.5, 0, "3", "$1,234.50", [3, "20%"], [3, Ref("other")]),
        ([], "refused", NO_GOLD),
        *each("refused", "states no number", "three", "", "1.2.3", "12,34", [3, "H2O"]),
        *each("refused", "states no number", None, True, {}, [None], [[3]]),
    ],
    **{
        op: [
            ("sag", "accepted", ""),
            (None, "accepted", ""),
            ("", "refused", "blank"),
            *each("refused", CHECK, True, 1, ["sag"], {}),
        ]
        for op in ("no_errors", "no_warnings", "has_error", "has_warning")
    },
    **OF_CALLS,
}


def test_every_operator_has_its_rule() -> None:
    """An operator whose operands are not in this table has not been thought about."""
    assert sorted(RULES) == OPS


def rows() -> list[tuple[str, Any, Kind, str]]:
    """Every operator with each of its operands."""
    return [(op, *row) for op in OPS for row in RULES[op]]


@pytest.mark.parametrize(
    ("op", "expected", "kind", "told"), rows(), ids=lambda value: brief(value, 24)
)
def test_operand(op: str, expected: Any, kind: Kind, told: str) -> None:
    """Fault 36: an operand that can't pass, can't fail or has the wrong shape is told in words."""
    flaw = OPERATORS[op].rule(Assertion("value", op, expected))
    found = "accepted" if flaw is None else "warned" if flaw.warning else "refused"
    assert found == kind
    assert flaw is None or told in flaw.problem


@pytest.mark.parametrize("op", OPS)
def test_no_operand(op: str) -> None:
    """An operator that compares asks for an operand; the others do without."""
    flaw = OPERATORS[op].rule(Assertion("value", op))
    assert (flaw is None) is (op in NO_OPERAND | OPTIONAL)
    assert flaw is None or "has no expected value" in flaw.problem


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf], ids=repr)
@pytest.mark.parametrize("wrap", [lambda n: n, lambda n: [1, n], lambda n: {"a": {"b": n}}])
def test_an_operand_is_finite(op: str, number: float, wrap: Any) -> None:
    """Fault 37: NaN or an infinity in `expected`, at any depth, is a catalogue error."""
    with pytest.raises(CatalogueError, match="is not finite"):
        Assertion("value", op, wrap(number))


@pytest.mark.parametrize("op", sorted(set(OPS) - NO_OPERAND - NEVER_SAVED))
def test_a_saved_value_may_stand_there(op: str) -> None:
    """A `Ref` is accepted by every operator that takes an operand."""
    assert OPERATORS[op].rule(Assertion("value", op, Ref("saved"))) is None


@pytest.mark.parametrize(
    ("op", "expected", "told"),
    [
        ("contains", "", "assertion.expected: '' is in every string; say what is to be found"),
        ("type_is", "strin", "unknown type 'strin'; did you mean 'string'?"),
        ("len_gte", 0, "every length is 0 or more; assert 1 or more, or LEN_EQ 0"),
        ("calls", [], "which nothing can fail; CALLS_EXACTLY [] asks for none"),
        ("calls", [{"tool": "a", "arg": 1}], "call 0: unknown key 'arg'; did you mean 'args'?"),
        (
            "call_args",
            {"tool": "a", "where": [["id", "eqq", 1]]},
            "assertion.expected.where[0].op: unknown operator 'eqq'; did you mean 'eq'?",
        ),
        (
            "call_args",
            {"tool": "a", "where": [["id", "exists"], ["id[", "eq", 1]]},
            "assertion.expected.where[1].path: the bracket is not closed",
        ),
        (
            "call_args",
            {"tool": "a", "where": [["id", "gt", None]]},
            "assertion.expected.where[0].expected: expected a number or a string, got None",
        ),
    ],
)
def test_a_refused_operand_is_a_catalogue_error(op: str, expected: Any, told: str) -> None:
    """What is refused is raised before anything is judged, with the field and a hint."""
    with pytest.raises(CatalogueError) as caught:
        check(Assertion("value", op, expected), {"value": "x"})
    assert told in str(caught.value)


MANY: list[tuple[str, Any]] = [
    *[("in", [1]), ("not_in", [1]), ("is_true", None), ("is_false", None)],
    *[("is_null", None), ("type_is", "integer"), ("eq", {}), ("ne", None)],
]
NO_USE: list[tuple[str, dict[str, Any], str]] = [
    ("eq", {"tolerance": 0.1}, "for approx, numeric"),
    ("gt", {"rel": 0.1}, "for approx, numeric"),
    ("f1", {"rel": 0.1, "expected": "x"}, "for approx, numeric"),
    ("eq", {"normalize": "squad"}, "for contains, not_contains, contains_all, contains_any, exact"),
    ("numeric", {"normalize": "squad"}, "normalize is not for 'numeric'"),
    ("matches", {"extract": "terse"}, "extract is not for 'matches'"),
    ("exact_match", {"threshold": 0.5, "expected": "x"}, "for f1, similar, semantic"),
    ("numeric", {"threshold": 0.5}, "for f1, similar, semantic"),
    ("contains", {"threshold": 0.5, "expected": "x"}, "for f1, similar, semantic"),
]
EACH: list[tuple[str, str, dict[str, Any], str]] = [
    ("a", "eq", {"each": "all"}, "gives one value"),
    ("a[0]", "eq", {"each": "any"}, "gives one value"),
    *(
        ("a[*]", op, {}, "say each='all' or each='any'")
        for op in ("approx", "gt", "gte", "lt", "lte", "matches", "not_matches", "eq", "ne")
    ),
    *(
        ("a[*]", op, {"expected": expected}, "say each='all' or each='any'")
        for op, expected in MANY
    ),
    *(("a[*]", op, {"expected": "x"}, "say each=") for op in ("exact_match", "f1", "similar")),
    ("a[*]", "numeric", {}, "say each="),
    ("a[*]", "contains", {"expected": "x", "normalize": "squad"}, "say each="),
    ("a[*]", "not_contains", {"expected": "x", "extract": "terse"}, "say each="),
    *(("a", *row) for row in NO_USE),
]


@pytest.mark.parametrize(("path", "op", "options", "told"), EACH, ids=str)
def test_options_that_do_nothing_are_refused(
    path: str, op: str, options: dict[str, Any], told: str
) -> None:
    """`each` on one value, a scalar operator on many, a tolerance for another: catalogue errors."""
    given: dict[str, Any] = {"expected": "x" if "match" in op else 3, **options}
    with pytest.raises(CatalogueError) as caught:
        check(Assertion(path, op, **given), {"a": [1]})
    assert told in str(caught.value)


NO_MEMBERS: list[tuple[str, Any, str]] = [
    ("contains", "the", "nothing is left of 'the' by 'squad'"),
    ("not_contains", "?", "nothing is left of '?' by 'squad'"),
    ("contains_all", ["oak", "a"], "nothing is left of 'a' by 'squad'"),
    ("contains_any", ["oak", "a"], "nothing is left of 'a' by 'squad'"),
    ("contains", 3, "3 is none"),
    ("contains", ["oak"], "['oak'] is none"),
    ("not_contains", ["oak"], "['oak'] is none"),
    ("contains_any", ["oak", None], "None is none"),
]


@pytest.mark.parametrize(("op", "expected", "told"), NO_MEMBERS, ids=str)
def test_what_no_normalised_text_contains_is_refused(op: str, expected: Any, told: str) -> None:
    """Fault 36: with `normalize`, what is in every text, or in none, is a catalogue error."""
    with pytest.raises(CatalogueError) as caught:
        check(Assertion("a", op, expected, normalize="squad"), {"a": "oak"})
    assert told in str(caught.value)
