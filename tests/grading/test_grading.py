"""A trace is graded: every check is there, whatever happened, and folds into one status."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from evalkit import (
    Assertion,
    Catalogue,
    Op,
    Ref,
    Scenario,
    ScenarioResult,
    Status,
    ToolCall,
    TransportError,
    Verdict,
    run,
)
from evalkit.catalogue import AMBIENT, operator
from evalkit.result import CODES

Tools = dict[str, Callable[..., Any]]
BAD = Assertion("n", Op.EQ, 2)
GOOD = Assertion("n", Op.EQ, 1)


@pytest.fixture(autouse=True)
def catalogue() -> Iterator[Catalogue]:
    """A catalogue of this test's own for `@operator` to add to."""
    token = AMBIENT.set(Catalogue("test"))
    yield AMBIENT.get()
    AMBIENT.reset(token)


def tell(message: str = "no such order") -> None:
    """A tool that raises."""
    raise LookupError(message)


def unreachable() -> None:
    """A tool whose far end is out of reach."""
    raise TransportError("connection refused")


def late() -> None:
    """A tool that reports a timeout of its own."""
    raise TimeoutError("no answer")


TOOLS: Tools = {
    "one": lambda: {"n": 1},
    "none": lambda: None,
    "tell": tell,
    "unreachable": unreachable,
    "late": late,
    "odd": lambda: {1, 2},
}


def outcome(*calls: ToolCall, tools: Tools = TOOLS, **fields: Any) -> ScenarioResult:
    """What comes of a scenario of these calls."""
    return run(Scenario("s", tool_calls=calls, **fields), tools=tools)["s"]


def codes(result: ScenarioResult) -> list[str | None]:
    """The codes of the checks."""
    return [check.code for check in result.checks]


def broken() -> str:
    """An operator that raises."""

    @operator("broken")
    def function(actual: Any, assertion: Assertion, context: Any) -> bool:
        return actual["absent"]  # type: ignore[no-any-return]

    return "broken"


def one(*assertions: Assertion) -> ToolCall:
    """A call that returns `{"n": 1}`."""
    return ToolCall("one", {}, assertions)


def test_every_assertion_is_put() -> None:
    """A check that fails or raises touches no other."""
    odd = Assertion("n", broken())
    result = outcome(one(BAD, odd, GOOD, BAD), one(GOOD))
    assert [check.status.value for check in result.checks] == [
        "failed",
        "error",
        "passed",
        "failed",
        "passed",
    ]


@pytest.mark.parametrize(
    "raised", [ValueError("x"), RecursionError("x"), SystemExit(0), GeneratorExit()]
)
def test_an_operator_that_raises_is_an_error(raised: BaseException) -> None:
    """Whatever an operator raises makes its check ERROR `operator_raised`, and ends no run."""

    @operator("raising")
    def function(actual: Any, assertion: Assertion, context: Any) -> bool:
        raise raised

    result = outcome(one(GOOD, Assertion("n", "raising"), GOOD))
    assert codes(result) == [None, "operator_raised", None]
    assert result.status is Status.ERROR
    assert type(raised).__name__ in result.checks[1].reason


@pytest.mark.parametrize("answer", [None, 1, "yes", Verdict(True, 2.0), Verdict(1, 1.0)])  # type: ignore[arg-type]
def test_an_operator_that_answers_anything_else_is_an_error(answer: Any) -> None:
    """An operator that gives neither a bool nor a sound verdict has measured nothing."""

    @operator("odd")
    def function(actual: Any, assertion: Assertion, context: Any) -> Any:
        return answer

    assert codes(outcome(one(Assertion("n", "odd")))) == ["operator_raised"]


STATUSES: dict[str, tuple[list[Assertion], Status]] = {
    "all pass": ([GOOD, GOOD], Status.PASSED),
    "one fails": ([GOOD, BAD], Status.FAILED),
    "one errs": ([GOOD, Assertion("n", "broken")], Status.ERROR),
    "one fails and one errs": ([Assertion("n", "broken"), BAD], Status.FAILED),
    "a warning fails": ([GOOD, BAD.but(severity="warn")], Status.PASSED),
    "a warning errs": ([GOOD, Assertion("n", "broken", severity="warn")], Status.PASSED),
    "only a warning": ([BAD.but(severity="warn")], Status.PASSED),
}


@pytest.mark.parametrize("name", STATUSES)
def test_checks_fold_into_a_status(name: str) -> None:
    """FAILED if any check is, else ERROR if any is, else PASSED; warnings change nothing."""
    broken()
    assertions, expected = STATUSES[name]
    assert outcome(one(*assertions)).status is expected


@pytest.mark.parametrize("name", STATUSES)
def test_xfail_turns_failed_and_passed_round(name: str) -> None:
    """With `xfail` FAILED is XFAILED and PASSED is XPASSED; an ERROR stays one."""
    broken()
    assertions, plain = STATUSES[name]
    expected = {Status.FAILED: Status.XFAILED, Status.PASSED: Status.XPASSED}.get(plain, plain)
    result = outcome(one(*assertions), xfail="known since spring")
    assert (result.status, result.reason) == (expected, "known since spring")


@pytest.mark.parametrize(("assertion", "passes"), [(BAD, True), (GOOD, False)])
def test_xfailed_is_fine_and_xpassed_fails_the_run(assertion: Assertion, passes: bool) -> None:
    """A run of a known failure passes; one in which it passed does not."""
    scenarios = [Scenario("s", tool_calls=[one(assertion)], xfail="known")]
    assert run(scenarios, tools=TOOLS).passed is passes


def test_a_warning_is_reported_like_any_other() -> None:
    """A failed warning is a check with its code and reason."""
    result = outcome(one(BAD.but(severity="warn")))
    (warning,) = [check for check in result.checks if check.assertion.severity == "warn"]
    assert (warning.status, warning.code) == (Status.FAILED, "wrong_value")
    assert warning.reason


def test_a_call_of_warnings_alone_must_return() -> None:
    """Where nothing else can fail a call, that it returned is a check."""
    call = ToolCall("tell", {}, [Assertion("n", Op.EQ, 1, severity="warn")])
    assert outcome(call).status is Status.FAILED


SCORES: dict[str, tuple[list[Assertion], float]] = {
    "equal weights": ([GOOD, BAD], 1 / 2),
    "weights": ([GOOD.but(weight=3.0), BAD], 3 / 4),
    "a heavy failure": ([GOOD, BAD.but(weight=9.0)], 1 / 10),
    "an error counts zero": ([GOOD, Assertion("n", "broken")], 1 / 2),
    "a warning counts": ([GOOD, BAD.but(severity="warn")], 1 / 2),
}


@pytest.mark.parametrize("name", SCORES)
def test_the_score_is_the_weighted_mean(name: str) -> None:
    """The score of a scenario is the mean of its checks' by weight; ERROR is 0."""
    broken()
    assertions, expected = SCORES[name]
    assert outcome(one(*assertions)).score == pytest.approx(expected)


def test_what_was_skipped_is_left_out_of_the_score() -> None:
    """A check of what tools can't give is SKIPPED and counts in no mean."""
    result = outcome(one(GOOD), assertions=[Assertion("response", Op.CONTAINS, "x")])
    assert [check.code for check in result.checks] == [None, "not_observed"]
    assert (result.status, result.score) == (Status.PASSED, 1.0)
    assert "response" in result.checks[1].reason


def test_a_partial_score_is_kept() -> None:
    """The score that an operator gives stands, whether it passes or not."""

    @operator("half")
    def function(actual: Any, assertion: Assertion, context: Any) -> Verdict:
        return Verdict(assertion.expected, 0.5, "half of it")

    result = outcome(one(Assertion("n", "half", True), Assertion("n", "half", False)))
    assert [check.score for check in result.checks] == [0.5, 0.5]
    assert result.score == 0.5


UNFIT: dict[str, tuple[Any, Op, str]] = {
    "no number": (None, Op.GT, "expected a number or a string, got None"),
    "no length": (1.5, Op.LEN_EQ, "expected a length, got 1.5"),
    "no list": ("ab", Op.IN, "expected a list, got 'ab'"),
    "an empty text": ("", Op.CONTAINS, "'' is in every string"),
    "an empty list": ([], Op.NOT_IN, "the list is empty"),
    "no pattern": ("(a", Op.MATCHES, "is no pattern"),
    "a pattern of everything": ("x*", Op.NOT_MATCHES, "matches every string"),
    "no type": ("strng", Op.TYPE_IS, "did you mean 'string'?"),
    "no key": (None, Op.HAS_KEY, "expected a string, got None"),
    "no check": (True, Op.HAS_ERROR, "expected a string, got True"),
}


@pytest.mark.parametrize("name", UNFIT)
def test_a_saved_operand_is_held_to_the_operator_s_rule(name: str) -> None:
    """A saved value that can't be expected is FAILED `unsaved_value` with why, and never passes."""
    value, op, told = UNFIT[name]
    calls = [
        ToolCall("give", save_as={"v": "v"}),
        ToolCall("give", {}, [Assertion("v", op, Ref("v")), Assertion("w", Op.EQ, 1)]),
    ]
    result = outcome(*calls, tools={"give": lambda: {"v": value, "w": 1}})
    assert codes(result)[-2:] == ["unsaved_value", None]
    assert result.checks[-2].status is Status.FAILED
    assert "the saved value can't be expected: " in result.checks[-2].reason
    assert told.split("; ")[0] in result.checks[-2].reason or "'string'" in told


FIT: dict[str, tuple[Any, Op]] = {
    "null": (None, Op.EQ),
    "a warning": (0, Op.GTE),
    "a small number": (0.5, Op.APPROX),
    "a list": ([[1, 2]], Op.SAME_ITEMS),
}


@pytest.mark.parametrize("name", FIT)
def test_a_saved_operand_that_fits_is_put(name: str) -> None:
    """A saved value that the operator can use is used, also where planning would only warn."""
    value, op = FIT[name]
    calls = [
        ToolCall("give", save_as={"v": "v"}),
        ToolCall("give", {}, [Assertion("v", op, Ref("v"))]),
    ]
    result = outcome(*calls, tools={"give": lambda: {"v": value}})
    assert codes(result)[-1] is None
    assert result.checks[-1].expected == value


TRUE, PATTERN = True, "no such"
EXPECTED: list[tuple[str, bool | str, list[str | None]]] = [
    ("tell", TRUE, [None]),
    ("tell", PATTERN, [None]),
    ("tell", "^no", [None]),
    ("tell", "other", ["wrong_error"]),
    ("one", TRUE, ["no_error"]),
    ("one", PATTERN, ["no_error"]),
    ("none", TRUE, ["no_error"]),
    ("odd", TRUE, ["unserialisable_result"]),
    ("unreachable", TRUE, ["transport_failed"]),
    ("unreachable", "connection refused", ["transport_failed"]),
    ("late", TRUE, ["transport_failed"]),
]


@pytest.mark.parametrize(("tool", "wanted", "expected"), EXPECTED)
def test_expected_errors(tool: str, wanted: bool | str, expected: list[str | None]) -> None:
    """An error that the tool raised counts; none, another, a timeout or a dead transport never."""
    assert codes(outcome(ToolCall(tool, expect_error=wanted))) == expected


def test_the_error_is_the_document() -> None:
    """With `expect_error` assertions are put to the error's type and message."""
    assertions = [
        Assertion("error.type", Op.EQ, "LookupError"),
        Assertion("error.message", Op.CONTAINS, "order"),
        Assertion("error.message", Op.EQ, "something else"),
        Assertion("n", Op.EXISTS),
    ]
    result = outcome(ToolCall("tell", {}, assertions, expect_error=True))
    assert codes(result) == [None, None, None, "wrong_value", "unresolved_path"]


def test_invalid_arguments_may_be_what_is_expected() -> None:
    """A call that the tool's signature refuses counts as an expected error."""
    assert codes(outcome(ToolCall("one", {"x": 1}, expect_error="unexpected"))) == [None]


def test_an_error_that_mcp_reports_may_be_what_is_expected() -> None:
    """A result with `isError` counts as an expected error, with its text as the message."""

    class Block:
        type = "text"
        text = "no such order"

    class Result:
        content = (Block(),)
        isError = True  # noqa: N815  - the protocol's spelling

    call = ToolCall("mcp", expect_error="such order")
    assert codes(outcome(call, tools={"mcp": Result})) == [None]
    assert codes(outcome(ToolCall("mcp"), tools={"mcp": Result})) == ["tool_raised"]


def test_a_timeout_is_never_what_was_expected() -> None:
    """A call with `expect_error` that does not return is `tool_timeout`."""
    import threading  # noqa: PLC0415

    event = threading.Event()
    call = ToolCall("hang", {}, [Assertion("error", Op.EXISTS)], expect_error=True, timeout_s=0.05)
    result = outcome(call, tools={"hang": lambda: event.wait(10)})
    event.set()
    assert codes(result) == ["tool_timeout", "tool_timeout"]


def test_a_dead_transport_is_an_error_and_so_are_its_dependents() -> None:
    """Nothing was measured where the far end was out of reach, nor where its value was needed."""
    calls = [
        ToolCall("unreachable", {}, [GOOD], save_as={"n": "n"}),
        ToolCall("one", {}, [Assertion("n", Op.EQ, 1)]),
        ToolCall("echo", {"n": Ref("n")}),
    ]
    result = outcome(*calls, tools={**TOOLS, "echo": lambda n: n})
    assert codes(result) == ["transport_failed", "transport_failed", None, "transport_failed"]
    assert result.status is Status.ERROR


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_belongs_to_a_family(code: str) -> None:
    """A code is the subject's fault or the instrument's, and says what it means."""
    assert CODES[code].family in ("subject", "instrument")
    assert CODES[code].meaning


def test_pairing_names_the_call_of_each_step() -> None:
    """For each step the result names its call in the trace, and None where none was made."""
    calls = [ToolCall("tell", save_as={"n": "n"}), ToolCall("echo", {"n": Ref("n")}), one(GOOD)]
    result = outcome(*calls, tools={**TOOLS, "echo": lambda n: n})
    assert result.pairing == [0, None, 1]


def test_assertions_on_the_trace() -> None:
    """A scenario's own assertions read the trace, saved values included."""
    assertions = [
        Assertion("calls[*].tool", Op.EQ, ["one", "tell"]),
        Assertion("errors[0].type", Op.EQ, "LookupError"),
        Assertion("calls[0].result.n", Op.EQ, Ref("n")),
        Assertion("not_run", Op.LEN_EQ, 1),
    ]
    calls = [ToolCall("one", save_as={"n": "n"}), ToolCall("tell", expect_error=True)]
    result = outcome(*calls, assertions=assertions)
    assert codes(result)[-4:] == [None, None, None, "wrong_value"]
    assert [check.step for check in result.checks[-4:]] == [None] * 4
