"""The operators on texts: what an answer scores against its golds, and when that is enough."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import Assertion, CatalogueError, Check, Op, Status, check

FIXED = settings(deadline=None, derandomize=True, max_examples=60)
CAFE, DECOMPOSED = "caf\N{LATIN SMALL LETTER E WITH ACUTE}", "cafe\N{COMBINING ACUTE ACCENT}"


def put(op: str, expected: Any, answer: Any, **fields: Any) -> Check:
    """The check that an answer comes to."""
    return check(Assertion("", op, expected, **fields), answer)


EXACT: list[tuple[str, Any, dict[str, Any], bool]] = [
    ("The Paris!", "paris", {}, True),
    ("in Paris", "Paris", {}, False),
    ("Rome", ["Paris", "Rome"], {}, True),
    ("Oslo", ["Paris", "Rome"], {}, False),
    ("Paris Rome", ["Paris", "Rome"], {}, False),
    ("Paris.", "Paris", {"normalize": "raw"}, False),
    ("Paris", "Paris", {"normalize": "raw"}, True),
    (" Paris", "Paris", {"normalize": "raw"}, False),
    ("The Paris", "Paris", {"normalize": "basic"}, False),
    ("PARIS!", "Paris", {"normalize": "basic"}, True),
    ("**2,520** EUR", "2520 eur", {"normalize": "prose"}, True),
    ("the H\N{SUBSCRIPT TWO}O", "H2O", {"normalize": "gaia"}, True),
    ("state-of-the-art", "state of art", {"normalize": "words"}, True),
    (CAFE, DECOMPOSED, {}, False),
    (CAFE, DECOMPOSED, {"normalize": "nfc+squad"}, True),
    ("Final: x\nAnswer: Paris", "Paris", {"extract": "after_answer"}, True),
    ("Paris\nAnswer: Rome", "Paris", {"extract": "after_answer"}, False),
    ("\n Paris \nfor it is the capital", "Paris", {"extract": "first_line"}, True),
    ("**Paris**\nfor", "Paris", {"extract": "terse", "normalize": "raw"}, True),
    ("", "", {}, True),
    ("The.", "", {}, True),
    ("Paris", "", {}, False),
    ("", "", {"normalize": "nfkc+squad"}, True),
]


@pytest.mark.parametrize(("answer", "golds", "fields", "holds"), EXACT, ids=str)
def test_exact_match(answer: str, golds: Any, fields: dict[str, Any], holds: bool) -> None:
    """The answer equals a gold, both normalised by squad unless another is named."""
    found = put("exact_match", golds, answer, **fields)
    assert (found.passed, found.score) == (holds, float(holds))


F1: list[tuple[str, Any, dict[str, Any], float, bool]] = [
    ("paris", ["Paris"], {}, 1.0, True),
    ("x", "x y z", {}, 0.5, True),
    ("x", "x y z w", {}, 0.4, False),
    ("x", "x y z w", {"threshold": 0.4}, 0.4, True),
    ("x y", "x y z w", {"threshold": 2 / 3}, 2 / 3, True),
    ("x", "x y", {"threshold": 2 / 3}, 2 / 3, True),
    ("x", "x y", {"threshold": 0.6667}, 2 / 3, False),
    ("x", "x y z", {"threshold": 0.500001}, 0.5, False),
    ("x y z", "x y z", {"threshold": 1}, 1.0, True),
    ("x y", "x y z", {"threshold": 1}, 0.8, False),
    ("x y", ["q", "x", "x y z"], {}, 0.8, True),
    ("x y", ["x y z", "q", "x"], {}, 0.8, True),
    ("Paris " * 5, "Paris", {}, 1 / 3, False),
    ("Paris " * 5, "Paris", {"normalize": "squad+distinct"}, 1.0, True),
    ("the x", "x", {"normalize": "raw"}, 2 / 3, True),
    ("q", "x", {}, 0.0, False),
    ("", "", {}, 1.0, True),
    ("q", "", {}, 0.0, False),
    ("q q q\nAnswer: x", "x", {"extract": "after_answer"}, 1.0, True),
]


@pytest.mark.parametrize(("answer", "golds", "fields", "score", "holds"), F1, ids=str)
def test_f1(answer: str, golds: Any, fields: dict[str, Any], score: float, holds: bool) -> None:
    """Tokens overlap as multisets; the best of the golds counts, and the threshold decides."""
    found = put("f1", golds, answer, **fields)
    assert found.score == pytest.approx(score, abs=1e-12)
    assert found.passed is holds


SIMILAR: list[tuple[str, Any, dict[str, Any], float, bool]] = [
    ("abcde", "abcde", {}, 1.0, True),
    ("abcdx", "abcde", {}, 0.8, True),
    ("abcdef", "abcde", {}, 5 / 6, True),
    ("abxdx", "abcde", {}, 0.6, False),
    ("abxdx", "abcde", {"threshold": 0.6}, 0.6, True),
    ("ba", "ab", {}, 0.0, False),
    ("bac", "abc", {"threshold": 1 / 3}, 1 / 3, True),
    ("bac", "abc", {"threshold": 0.34}, 1 / 3, False),
    ("ABCDE", "abcde", {}, 0.0, False),
    ("ABCDE", "abcde", {"normalize": "basic"}, 1.0, True),
    ("abcde", ["xxxxx", "abcdx", "abxxx"], {}, 0.8, True),
    ("", "abc", {}, 0.0, False),
    ("\N{GRINNING FACE}bcde", "abcde", {}, 0.8, True),
]


@pytest.mark.parametrize(("answer", "golds", "fields", "score", "holds"), SIMILAR, ids=str)
def test_similar(
    answer: str, golds: Any, fields: dict[str, Any], score: float, holds: bool
) -> None:
    """1 - edits / length of the longer text, best over the golds, of 0.8 or what is said."""
    found = put("similar", golds, answer, **fields)
    assert found.score == pytest.approx(score, abs=1e-12)
    assert found.passed is holds


@FIXED
@given(st.text("abc", min_size=1, max_size=8), st.text("abc", min_size=1, max_size=8))
def test_similar_is_the_same_either_way(one: str, other: str) -> None:
    """An answer is as like its gold as the gold is like the answer."""
    assert put("similar", one, other).score == put("similar", other, one).score


NUMERIC: list[tuple[Any, Any, dict[str, Any], bool]] = [
    ("It is 42.", 42, {}, True),
    ("It is 42.", "42", {}, True),
    ("It is 42.", [41, "$42.00"], {}, True),
    ("It is 43.", [41, 42], {}, False),
    ("The answer is 20%", "20", {}, True),
    ("20", "20%", {}, True),
    ("0.2", "20%", {}, False),
    ("ANSWER: 711", "11", {}, False),
    ("-5", 5, {}, False),
    ("(1,234.50 USD)", 1234.5, {}, True),
    ("3 apples, or 4", 3, {}, False),
    ("7\nAnswer: none", 7, {}, False),
    ("Answer: 7\nof 9", 7, {"extract": "after_answer"}, True),
    ("7", 7, {"extract": "after_answer"}, False),
    ("1.2.3", 3, {}, False),
    (42, 42, {}, True),
    (42.0, "42", {}, True),
    (0.1, "0.1", {}, True),
    ("1e22", 1e22, {}, True),
    (5e-324, 5e-324, {}, True),
    (-0.0, 0, {}, True),
    (42, 42, {"extract": "after_answer"}, True),
    (True, 1, {}, False),
    (2**53, 2**53 + 1, {}, False),
    (10**399 + 1, 10**399, {}, False),
    ("0.1499", 0.1, {"tolerance": 0.05}, True),
    ("0.15", 0.1, {"tolerance": 0.05}, False),
    ("0.05", 0.1, {"tolerance": 0.05}, False),
    ("1.15", 1, {"tolerance": 0.15}, False),
    ("1.3", 1, {"tolerance": 0.3}, False),
    ("100.99", 100, {"rel": 0.01}, True),
    ("101", 100, {"rel": 0.01}, False),
    ("-101", -100, {"rel": 0.01}, False),
    ("104", 100, {"rel": 0.01, "tolerance": 5}, True),
    ("0.001", 0, {"rel": 0.5}, False),
    ("0", 0, {"rel": 0.5}, True),
    ("7", [100, 7.4], {"tolerance": 0.5}, True),
]


@pytest.mark.parametrize(("answer", "golds", "fields", "holds"), NUMERIC, ids=str)
def test_numeric(answer: Any, golds: Any, fields: dict[str, Any], holds: bool) -> None:
    """Fault 38: the number that is stated equals a gold, or is strictly within the tolerance."""
    found = put("numeric", golds, answer, **fields)
    assert (found.passed, found.score) == (holds, float(holds))


CONTAINED: list[tuple[str, Any, str, dict[str, Any], bool]] = [
    ("contains", "PARIS", "In Paris.", {"normalize": "squad"}, True),
    ("contains", "PARIS", "In Paris.", {}, False),
    ("contains", "new york", "New-York", {"normalize": "words"}, True),
    ("contains", "Paris", "Rome. Answer: Paris!", {"extract": "after_answer"}, True),
    ("contains", "Paris", "Paris. Answer: Rome", {"extract": "after_answer"}, False),
    ("not_contains", "paris", "In Paris.", {"normalize": "squad"}, False),
    ("not_contains", "rome", "In Paris.", {"normalize": "squad"}, True),
    ("not_contains", "Paris", "Paris. Answer: Rome", {"extract": "after_answer"}, True),
    ("contains_all", ["ROME", "paris"], "Paris, Rome", {"normalize": "basic"}, True),
    ("contains_all", ["ROME", "oslo"], "Paris, Rome", {"normalize": "basic"}, False),
    ("contains_any", ["ROME", "oslo"], "Paris, Rome", {"normalize": "basic"}, True),
    ("contains_any", ["oslo"], "Paris, Rome", {"normalize": "basic"}, False),
    (
        *("contains_any", ["PARIS"], "x\nAnswer: in Paris"),
        {"normalize": "squad", "extract": "after_answer"},
        True,
    ),
]


@pytest.mark.parametrize(("op", "expected", "answer", "fields", "holds"), CONTAINED, ids=str)
def test_what_is_contained_may_be_normalised(
    op: str, expected: Any, answer: str, fields: dict[str, Any], holds: bool
) -> None:
    """CONTAINS and its like look at both sides normalised, after what is taken out."""
    assert put(op, expected, answer, **fields).passed is holds


WITH_EXTRACT = ["exact_match", "f1", "similar", "numeric", "contains", "not_contains"]
OPERANDS: dict[str, Any] = {"numeric": 3, "contains_all": ["3"], "contains_any": ["3"]}


@pytest.mark.parametrize("op", [*WITH_EXTRACT, "contains_all", "contains_any"])
@pytest.mark.parametrize("answer", ["3", "", "Answer:", "3\nAnswer: \n3"])
def test_where_nothing_is_to_be_taken_out_it_fails(op: str, answer: str) -> None:
    """An answer without its `ANSWER:` is FAILED, by NOT_CONTAINS too; never taken as it is."""
    found = put(op, OPERANDS.get(op, "3"), answer, extract="after_answer")
    assert (found.status, found.code, found.score) == (Status.FAILED, "wrong_value", 0)
    assert "'after_answer'" in found.reason


@pytest.mark.parametrize("op", ["contains", "not_contains", "contains_all", "contains_any"])
@pytest.mark.parametrize("value", [None, True, 3, ["oak"], {"oak": 1}], ids=str)
def test_what_is_no_text_is_not_normalised(op: str, value: Any) -> None:
    """Fault 34: with `normalize`, only a text can contain; a list or null fails, negated too."""
    found = put(op, ["elm"] if "_a" in op else "elm", value, normalize="squad")
    assert (found.status, found.code) == (Status.FAILED, "wrong_value")


@pytest.mark.parametrize("threshold", [1e-9, 1e-12, 5e-324])
@pytest.mark.parametrize("op", ["f1", "similar"])
def test_a_score_of_0_is_never_enough(op: str, threshold: float) -> None:
    """However low the threshold is, an answer that has nothing of its gold fails."""
    found = put(op, "x", "y", threshold=threshold)
    assert (found.passed, found.score) == (False, 0)


@pytest.mark.parametrize(
    ("op", "expected", "fields", "answer", "told"),
    [
        ("exact_match", "Paris", {}, "In Rome!", "'in rome' is not 'Paris', by 'squad'"),
        ("exact_match", ["a b", "c"], {}, "x", "'x' is none of ['a b', 'c'], by 'squad'"),
        ("f1", "x y z w", {}, "X", "scores 0.40, below 0.5: 'x' to 'x y z w', by 'squad'"),
        ("similar", ["ab", "cd"], {}, "xy", "below 0.8: 'xy' to the nearest of ['ab', 'cd']"),
        ("numeric", 7, {}, "H2O", "no number is stated, in 'H2O'"),
        ("numeric", 7, {}, "1.2.3", "'1.2.3' is no number that can be read"),
        ("numeric", [7, 8], {}, "about 9 kg", "states '9', which is none of [7, 8]"),
        ("contains", "PARIS", {"normalize": "basic"}, "Rome", "'paris' is not in 'rome'"),
        ("f1", "x", {}, 3, "a text is needed, got the integer 3"),
    ],
)
def test_the_reason_says_what_was_compared(
    op: str, expected: Any, fields: dict[str, Any], answer: Any, told: str
) -> None:
    """A failed score names the answer as it was compared, the gold, the score and the rule."""
    assert told in put(op, expected, answer, **fields).reason


EACH: list[tuple[str, list[str], bool, float]] = [
    ("any", ["x y", "q"], True, 0.8),
    ("any", ["q", "r"], False, 0.0),
    ("any", ["x y z w v u t", "x q q q"], True, 0.6),
    ("all", ["x y", "x y z"], True, 0.9),
    ("all", ["x", "q"], False, 0.25),
    ("all", ["q", "r"], False, 0.0),
]


@pytest.mark.parametrize(("each", "answers", "holds", "score"), EACH, ids=str)
def test_each_keeps_the_score(each: Any, answers: list[str], holds: bool, score: float) -> None:
    """Of many answers the score is kept too: their mean for all, the best for any."""
    assertion = Assertion("items[*]", Op.F1, "x y z", each=each)
    found = check(assertion, {"items": answers})
    assert found.passed is holds
    assert found.score == pytest.approx(score)


def test_a_service_that_is_not_there_is_a_catalogue_error() -> None:
    """SEMANTIC without anything to embed with is refused, and says how to give it."""
    with pytest.raises(CatalogueError, match=r"nothing to embed with; --embed"):
        put("semantic", "oak", "oak")
