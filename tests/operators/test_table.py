"""The table of operators, operators of the author's own, and `each`."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from evalkit import (
    Assertion,
    Catalogue,
    CatalogueError,
    Check,
    Op,
    Ref,
    Scenario,
    Status,
    ToolCall,
    Verdict,
    check,
    operator,
    run,
)
from evalkit.catalogue import AMBIENT
from evalkit.operators import OPERATORS, each_of


@pytest.fixture(autouse=True)
def _own_catalogue() -> Iterator[None]:
    """Operators that a test defines are known in that test alone."""
    token = AMBIENT.set(Catalogue("test"))
    yield
    AMBIENT.reset(token)


def judged(function: Callable[..., Any], document: Any = None, **options: Any) -> Check:
    """The check that an author's operator gives."""
    operator("own")(function)
    path = "items[*]" if "each" in options else ""
    return check(Assertion(path, "own", **options), document)


def raising(error: BaseException) -> Callable[..., Any]:
    """An operator that raises."""

    def raises(actual: Any, assertion: Assertion, context: Any) -> bool:
        raise error

    return raises


def answering(answer: Any) -> Callable[..., Any]:
    """An operator that always gives the same answer."""
    return lambda actual, assertion, context: answer


class UnspeakableError(Exception):
    """An error that can't even be told."""

    def __str__(self) -> str:
        """Fail to be told."""
        raise RuntimeError("no words")


def test_the_table_is_complete() -> None:
    """Each name of `Op` has its row, and each row its name, in the same order."""
    assert list(OPERATORS) == list(Op)


@pytest.mark.parametrize("op", Op)
def test_every_row_has_words(op: Op) -> None:
    """Each operator has words of its own for a message."""
    assert OPERATORS[op].words
    assert [row.words for row in OPERATORS.values()].count(OPERATORS[op].words) == 1


@pytest.mark.parametrize(
    ("answer", "passed", "score", "reason"),
    [
        (True, True, 1.0, ""),
        (False, False, 0.0, "own says no to None"),
        (Verdict(passed=True, score=0.7), True, 0.7, ""),
        (Verdict(passed=False, score=0.3, reason="nearly"), False, 0.3, "nearly"),
        (Verdict(passed=True, score=1), True, 1, ""),
        (Verdict(passed=False, score=0), False, 0, ""),
    ],
    ids=str,
)
def test_a_verdict_is_taken(answer: Any, passed: bool, score: float, reason: str) -> None:
    """A bool, or a verdict with its score and reason, is what the check says."""
    found = judged(answering(answer))
    assert (found.passed, found.score, found.reason) == (passed, score, reason)


@pytest.mark.parametrize(
    "answer",
    [
        *[None, 1, 0, 1.0, "yes", "", [], {}, object(), NotImplemented],
        *[(True, 1.0, ""), {"passed": True}, Verdict],
        Verdict(passed=1, score=1.0),  # type: ignore[arg-type]
        Verdict(passed=None, score=1.0),  # type: ignore[arg-type]
        Verdict(passed=True, score=math.nan),
        Verdict(passed=True, score=math.inf),
        Verdict(passed=False, score=-0.1),
        Verdict(passed=True, score=1.1),
        Verdict(passed=True, score="1"),  # type: ignore[arg-type]
        Verdict(passed=True, score=None),  # type: ignore[arg-type]
        Verdict(passed=True, score=True),
        Verdict(passed=False, score=0.0, reason=None),  # type: ignore[arg-type]
        Verdict(passed=False, score=0.0, reason=["no"]),  # type: ignore[arg-type]
    ],
    ids=str,
)
def test_any_other_answer_is_an_error(answer: Any) -> None:
    """What is no verdict never passes: a broken check is an ERROR, and its score is 0."""
    found = judged(answering(answer))
    assert (found.status, found.code, found.score) == (Status.ERROR, "operator_raised", 0)
    assert found.reason


@pytest.mark.parametrize(
    "error",
    [
        *[ValueError("bad"), AssertionError(), KeyError("x"), RecursionError(), MemoryError()],
        *[StopIteration(), ZeroDivisionError("zero"), UnspeakableError()],
        *[GeneratorExit(), SystemExit(0)],
    ],
    ids=lambda error: type(error).__name__,
)
def test_one_that_raises_is_an_error(error: BaseException) -> None:
    """An operator that raises is an ERROR that names the exception, whatever that one does."""
    found = judged(raising(error))
    assert (found.status, found.code, found.score) == (Status.ERROR, "operator_raised", 0)
    assert type(error).__name__ in found.reason


def test_an_interrupt_passes_through() -> None:
    """Ctrl-C in an operator is the user's, and is no verdict."""
    with pytest.raises(KeyboardInterrupt):
        judged(raising(KeyboardInterrupt()))


def test_an_operator_sees_the_document() -> None:
    """It is given the value at the path, the assertion, and the whole document."""
    seen: list[Any] = []

    @operator("seen")
    def see(actual: Any, assertion: Assertion, context: Any) -> bool:
        seen.extend([actual, assertion.expected, context.document, dict(context.saved)])
        return True

    assert check(Assertion("a.b", "SEEN", [1]), {"a": {"b": 2}}).passed
    assert seen == [2, [1], {"a": {"b": 2}}, {}]


def test_an_operator_is_given_a_copy() -> None:
    """One that changes the value it is given changes it for nobody else."""
    document = {"items": [{"n": 2}, {"n": 1}]}

    @operator("wrecking")
    def wreck(actual: Any, assertion: Assertion, context: Any) -> bool:
        actual[0]["n"] = 99
        actual.clear()
        return bool(context.document == {"items": [{"n": 2}, {"n": 1}]})

    found = check(Assertion("items", "wrecking"), document)
    assert found.passed
    assert found.actual == document["items"] == [{"n": 2}, {"n": 1}]


def test_an_operator_s_context_is_a_copy() -> None:
    """One that changes document, saved values or operand changes them for no later check."""

    @operator("wrecking")
    def wreck(actual: Any, assertion: Assertion, context: Any) -> bool:
        context.document["rows"].clear()
        context.saved["kept"].clear()
        assertion.expected.clear()
        return True

    checks = [
        Assertion("n", "wrecking", [1]),
        Assertion("rows", Op.EQ, [1]),
        Assertion("rows", Op.EQ, Ref("kept")),
    ]
    saving = ToolCall("t", {}, save_as={"kept": "rows"})
    scenario = Scenario("s", tool_calls=[saving, ToolCall("t", {}, checks)])
    result = run(scenario, tools={"t": lambda: {"n": 1, "rows": [1]}})["s"]
    assert result.passed, result.checks
    assert checks[0].expected == [1]
    assert result.checks[2].expected == [1]


def test_an_unresolved_path_is_not_put_to_it() -> None:
    """Fault 33: an operator of one's own is never asked about what is not there."""
    operator("always")(answering(True))
    assert check(Assertion("nope", "always"), {}).code == "unresolved_path"


@pytest.mark.parametrize(
    ("each", "passed", "score"), [("all", False, 2 / 3), ("any", True, 1.0)], ids=str
)
def test_each_of_ones_own(each: Any, passed: bool, score: float) -> None:
    """`each` puts it to every value; the score of `all` is the share that holds."""
    found = judged(lambda actual, *_: actual > 1, {"items": [2, 1, 3]}, each=each)
    assert found.passed is passed
    assert found.score == pytest.approx(score)
    assert passed or "2 of 3 hold; value 1: own says no to 1" in found.reason


def test_each_that_raises_is_an_error() -> None:
    """One value that it raises on makes the whole check an ERROR, under `any` as well."""
    found = judged(lambda actual, *_: 1 / actual > 0, {"items": [1, 0]}, each="any")
    assert found.status is Status.ERROR


def test_each_of_is_a_function() -> None:
    """`each_of` makes an operator of an operator."""
    every = each_of(OPERATORS["gt"].function, "all")
    context = type("Looked", (), {"document": None, "saved": {}})()
    assert every([2, 3], Assertion("a[*]", "gt", 1), context).passed
    assert not every([], Assertion("a[*]", "gt", 1), context).passed


@pytest.mark.parametrize("name", ["eq", "EQ", "contains"])
def test_a_built_in_name_is_taken(name: str) -> None:
    """An operator of one's own does not replace a built-in one."""
    with pytest.raises(CatalogueError, match="is built in"):
        operator(name)


@pytest.mark.parametrize(
    ("op", "hint"),
    [("equ", "did you mean 'eq'?"), ("contain", "'contains'"), ("own_on", "'own_one'")],
)
def test_an_unknown_name_is_answered_with_the_nearest(op: str, hint: str) -> None:
    """An operator that there is not is a catalogue error, and names the nearest, one's own too."""
    operator("own_one")(answering(True))
    with pytest.raises(CatalogueError) as caught:
        check(Assertion("a", op, 1), {})
    assert f"unknown operator {op!r}" in str(caught.value)
    assert hint in str(caught.value)
