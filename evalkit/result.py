"""What came of it: statuses, codes, and the records that every report is made from."""

from enum import StrEnum
from typing import Any, Literal

import attrs

from evalkit.errors import Problem
from evalkit.jsonvalue import Json
from evalkit.model import Assertion
from evalkit.trace import Trace


class Status(StrEnum):
    """What a check or a scenario came to; lower case in JSON."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"

    __hash__ = str.__hash__


PASSED, FAILED, ERROR, SKIPPED = Status.PASSED, Status.FAILED, Status.ERROR, Status.SKIPPED
"""The members that each check is asked for: to find one in its enum costs Python 3.11 0.2 us."""

BAD = frozenset({FAILED, ERROR, Status.XPASSED})
"""The statuses that fail a run."""


@attrs.frozen(eq=False, repr=False)
class Code:
    """What a check's code means, and whose fault it is: the subject's, or the instrument's."""

    family: Literal["subject", "instrument"]
    meaning: str


CODES: dict[str, Code] = {
    "wrong_value": Code("subject", "the path resolved, and the operator said no"),
    "unresolved_path": Code("subject", "the path does not resolve in the document"),
    "no_error": Code("subject", "an error was expected, and the tool returned"),
    "wrong_error": Code("subject", "an error was expected, and another one came"),
    "tool_raised": Code("subject", "the tool raised, or reported an error"),
    "tool_timeout": Code("subject", "the tool did not return before its deadline"),
    "scenario_timeout": Code("subject", "the scenario's time was over before the step"),
    "invalid_arguments": Code("subject", "the tool refused the arguments before it did anything"),
    "unserialisable_result": Code("subject", "the result is no JSON document"),
    "unknown_tool": Code("subject", "there is no tool of that name in the open table"),
    "unsaved_value": Code("subject", "a value that was to be saved is not there"),
    "transform_raised": Code("subject", "an argument's transform failed on the saved value"),
    "not_run": Code("subject", "the step was not run, for its tools were lost with a hung call"),
    "no_answer": Code("subject", "no answer was given to the scenario"),
    "missing_call": Code("subject", "the agent made no call that is this step"),
    "wrong_calls": Code("subject", "the agent's calls are not the expected ones"),
    "wrong_argument": Code("subject", "the agent sent another argument"),
    "forbidden_call": Code("subject", "the agent called a tool that it may not"),
    "malformed_call": Code("subject", "the agent sent malformed arguments, or invented a tool"),
    "over_budget": Code("subject", "the run did not keep within its budget"),
    "wrong_state": Code("subject", "the state that was left is another one"),
    "stopped_by_limit": Code("subject", "the agent was cut short, or stopped by itself"),
    "agent_raised": Code("subject", "the agent raised, or gave what is no answer"),
    "agent_timeout": Code("subject", "the agent did not answer before its deadline"),
    "crashed": Code("instrument", "the process that the scenario ran in ended"),
    "transport_failed": Code("instrument", "the far end of a tool was out of reach"),
    "error_if_raised": Code("instrument", "the tool's own `error_if` failed"),
    "tools_unavailable": Code("instrument", "the tools could not be opened or closed"),
    "no_prediction": Code("instrument", "the file of predictions has no answer to the scenario"),
    "no_recording": Code("instrument", "there is no recording of what was asked"),
    "agent_unreachable": Code("instrument", "the agent, or the model behind it, was out of reach"),
    "calls_unobserved": Code("instrument", "the agent does not show its calls"),
    "result_unobserved": Code("instrument", "the agent does not tell the result of the call"),
    "usage_unknown": Code("instrument", "the agent does not tell what it used"),
    "state_uncaptured": Code("instrument", "the state could not be captured"),
    "untold": Code("instrument", "the subject could have shown this part of the trace"),
    "redacted": Code("instrument", "the value was taken out of the recorded trace, as a secret"),
    "operator_raised": Code("instrument", "the operator itself failed"),
    "not_observed": Code("instrument", "the subject can't fill this part of the trace"),
}
"""Every code a check can carry. The subject's make it FAILED, the instrument's ERROR; a part that
the subject can't observe is SKIPPED."""


@attrs.frozen(eq=False, repr=False)
class Outline:
    """What is about to run: how many scenarios are selected, of how many, and for how many epochs.

    `warnings` are what planning found doubtful, `notes` what a reader should know beforehand;
    `until_sure` says that fewer epochs may be enough, `scoring` by what texts are scored.
    """

    selected: int
    total: int
    epochs: int
    warnings: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    until_sure: bool = False
    scoring: tuple[str, ...] = ()


@attrs.define(eq=False)
class Verdict:
    """What an operator says: whether it holds, how much of it (0 to 1), and why not."""

    passed: bool
    score: float
    reason: str = ""


@attrs.define
class Check:
    """One assertion, put to one document, and what came of it. Never changed once made.

    `code` is None where it passed; `expected` has saved values put in; `actual` is the value at the
    path, None where there was none; `step` is the index of the tool call, None for an assertion on
    the trace.
    """

    assertion: Assertion
    step: int | None
    status: Status
    code: str | None
    score: float
    actual: Json
    reason: str
    seconds: float

    @property
    def passed(self) -> bool:
        """Say whether it passed."""
        return self.status is Status.PASSED

    @property
    def counts(self) -> bool:
        """Say whether it counts: it was measured, and has a weight, or fails its scenario."""
        if self.status is SKIPPED:
            return False
        return self.assertion.weight != 0 or self.assertion.severity == "fail"

    @property
    def path(self) -> str:
        """Give the path of the assertion."""
        return self.assertion.path

    @property
    def op(self) -> str:
        """Give the operator of the assertion."""
        return self.assertion.op

    @property
    def expected(self) -> Any:  # noqa: ANN401
        """Give what the assertion expects."""
        return self.assertion.expected

    @property
    def description(self) -> str:
        """Give the author's words for the assertion."""
        return self.assertion.description


@attrs.define
class ScenarioResult:
    """One scenario's verdict with everything it rests on. Never changed once made.

    `pairing` gives, for each tool call of the scenario, the index of its call in the trace.
    `reason` says why it was skipped, or is known to fail. It is the result of one of `epochs`
    epochs, counted from 1, of which `needed` must pass. `fingerprint` is that of the scenario, and
    `digest` that of the verdict, where they were needed.
    """

    name: str
    status: Status
    checks: list[Check]
    trace: Trace | None
    pairing: list[int | None]
    seconds: float
    tags: tuple[str, ...] = ()
    difficulty: str = "standard"
    reason: str = ""
    source: str | None = None
    epoch: int = 1
    epochs: int = 1
    needed: int = 1
    fingerprint: str | None = None
    digest: str | None = None

    @property
    def passed(self) -> bool:
        """Say whether the scenario passed."""
        return self.status is Status.PASSED

    @property
    def failures(self) -> list[Check]:
        """Give the checks that failed or could not be measured."""
        return [check for check in self.checks if check.status in (Status.FAILED, Status.ERROR)]

    @property
    def score(self) -> float | None:
        """Give the mean of the check scores by weight; None where nothing was measured.

        What was skipped is left out; what could not be measured counts as 0.
        """
        total = weights = 0.0
        for check in self.checks:
            if check.status is not SKIPPED:
                weight = check.assertion.weight
                total += check.score * weight
                weights += weight
        return total / weights if weights else None
