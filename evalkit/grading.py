"""How a trace is graded: every assertion is put to its document, whatever happened."""

from time import perf_counter
from typing import Any

import attrs

from evalkit.jsonvalue import MISSING, Json, brief, equal
from evalkit.model import Assertion, Op
from evalkit.paths import explain
from evalkit.plan import BoundAssertion, BoundCall, Plan
from evalkit.result import CODES, ERROR, FAILED, PASSED, SKIPPED, Check, ScenarioResult, Status
from evalkit.subjects.arguments import filled
from evalkit.toolbox.errors import message_of, outcome_of
from evalkit.trace import REDACTED, Call, NotRun, Trace, TraceError

BY_KIND = {
    "raised": "tool_raised",
    "timeout": "tool_timeout",
    "invalid_arguments": "invalid_arguments",
    "unserialisable": "unserialisable_result",
    "unknown_tool": "unknown_tool",
    "transport": "transport_failed",
    "error_if": "error_if_raised",
}
BY_CAUSE = {"transport": "transport_failed"}
_JUDGED = frozenset({None, "wrong_value"})
_BARE = frozenset({Op.EXISTS, Op.HAS_KEY, Op.LACKS_KEY})
"""Operators that look at no value, but at whether there is one."""
EXPECTABLE = frozenset({"raised", "invalid_arguments"})
UNAVAILABLE = "tools_unavailable"
WHOLE = frozenset({UNAVAILABLE, "crashed", "no_prediction", "no_answer"})
"""The errors by which nothing of a scenario could be measured, or nothing of it was done."""


@attrs.define(eq=False, repr=False)
class Judged:
    """What an operator may look at: the document, and the values saved up to this step."""

    document: Json
    saved: dict[str, Json]


def grade(plan: Plan, trace: Trace) -> ScenarioResult:
    """Put every assertion of a plan to a trace. Nothing is run, and nothing is left out.

    The number of checks depends on the plan alone. A trace that has been through JSON gives the
    same result as the one it came from.
    """
    started = perf_counter()
    grading = _Grading(trace)
    for bound in plan.calls:
        grading.step(bound)
    for assertion in plan.assertions:
        grading.on_trace(assertion)
    scenario = plan.scenario
    return ScenarioResult(
        scenario.name,
        _status(grading.checks, trace, scenario.xfail),
        grading.checks,
        trace,
        grading.pairing,
        trace["seconds"] + perf_counter() - started,
        scenario.tags,
        scenario.difficulty,
        scenario.xfail or "",
        scenario.source,
    )


def regrade(plan: Plan, trace: Trace) -> ScenarioResult:
    """Grade a trace from a log: what looks at a value that was taken out is not measured."""
    result = grade(plan, trace)
    for check in result.checks:
        if check.code in _JUDGED and check.op not in _BARE and REDACTED[:-1] in str(check.actual):
            check.status, check.code, check.score = ERROR, "redacted", 0.0
            check.reason = CODES["redacted"].meaning
    result.status = _status(result.checks, trace, plan.scenario.xfail)
    return result


def skipped(plan: Plan, reason: str) -> ScenarioResult:
    """Give the result of a scenario that was not run, and why."""
    scenario = plan.scenario
    return ScenarioResult(
        scenario.name,
        SKIPPED,
        [],
        None,
        [],
        0.0,
        scenario.tags,
        scenario.difficulty,
        reason,
        scenario.source,
    )


def ungraded(plan: Plan, trace: Trace, reason: str) -> ScenarioResult:
    """Give the result of a trace whose grading did not end: no check of it was measured."""
    result = skipped(plan, plan.scenario.xfail or "")
    steps: list[tuple[int | None, BoundAssertion]]
    steps = [(bound.step, each) for bound in plan.calls for each in checks_of(bound)]
    steps += [(None, bound) for bound in plan.assertions]
    result.checks = [_unfit(bound, step, "operator_raised", reason) for step, bound in steps]
    result.status, result.trace = ERROR, trace
    result.pairing = [None] * len(plan.calls)
    return result


def checks_of(bound: BoundCall) -> list[BoundAssertion]:
    """Give every check that a step comes down to, in order."""
    wanted = [] if bound.wanted_error is None else [bound.wanted_error]
    return [*wanted, *bound.checks, *(save for _, save in bound.saves)]


def put(bound: BoundAssertion, judged: Judged, step: int | None) -> Check:
    """Put one assertion to one document. The hot path: what is done here is done for each check."""
    started = perf_counter()
    assertion = bound.assertion
    if bound.needs:
        assertion, flaw = _with_saved(bound, judged.saved)
        if flaw is not None:
            return _unfit(bound, step, "unsaved_value", flaw)
    actual = bound.path.resolve(judged.document)
    if actual is MISSING:
        reason = str(explain(bound.path, judged.document))
        seconds = perf_counter() - started
        return Check(assertion, step, FAILED, "unresolved_path", 0.0, None, reason, seconds)
    try:
        verdict = bound.function(actual, assertion, judged)
    except BaseException as error:  # noqa: BLE001  - an operator may be the author's
        outcome_of(error)
        reason = f"{type(error).__name__}: {message_of(error)}"
        seconds = perf_counter() - started
        return Check(assertion, step, ERROR, "operator_raised", 0.0, actual, reason, seconds)
    seconds, score = perf_counter() - started, verdict.score
    if verdict.passed:
        return Check(assertion, step, PASSED, None, score, actual, "", seconds)
    return Check(assertion, step, FAILED, "wrong_value", score, actual, verdict.reason, seconds)


def _with_saved(bound: BoundAssertion, saved: dict[str, Json]) -> tuple[Assertion, str | None]:
    """Put saved values where the assertion expects them; say why it can't be put with them."""
    for name in bound.needs:
        if name not in saved:
            return bound.assertion, f"the saved value {name!r} is not there"
    assertion = bound.assertion.but(expected=filled(bound.assertion.expected, saved))
    flaw = bound.rule(assertion)
    if flaw is None or flaw.warning:
        return assertion, None
    return assertion, f"the saved value can't be expected: {flaw.problem}"


class _Grading:
    """One trace being graded: the checks so far, and the values saved so far."""

    def __init__(self, trace: Trace) -> None:
        self.checks: list[Check] = []
        self.pairing: list[int | None] = []
        self._trace = trace
        self._saved: dict[str, Json] = {}
        self._unavailable = _unavailable(trace) if trace["errors"] else None
        self._calls = trace["calls"]

    def step(self, bound: BoundCall) -> None:
        """Grade one step: the call that was made for it, or that none was."""
        index = _index_of(self._calls, bound.step)
        self.pairing.append(index)
        if index is None:
            self._fail_all(bound, *self._why_not_run(bound))
            return
        call = self._calls[index]
        if not _is_of(call, bound):
            reason = f"the trace holds another call for this step: {call['tool']}({call['args']})"
            self._fail_all(bound, "not_run", brief(reason, 200).strip("'\""))
            return
        if bound.wanted_error is not None:
            self._expecting(bound, bound.wanted_error, call)
        elif call["error"] is not None:
            self._fail_all(bound, *_why_failed(call))
        else:
            self._returned(bound, call["result"])

    def _returned(self, bound: BoundCall, document: Json) -> None:
        """Put the assertions of a call to its result, and keep what it saves. The hot path."""
        judged = Judged(document, self._saved)
        append = self.checks.append
        step = bound.step
        for check in bound.checks:
            append(put(check, judged, step))
        for name, save in bound.saves:
            saved = put(save, judged, step)
            append(saved)
            if saved.code is None:
                self._saved[name] = saved.actual
            else:
                saved.code = "unsaved_value"
                self._saved.pop(name, None)

    def _expecting(self, bound: BoundCall, wanted_error: BoundAssertion, call: Call) -> None:
        """Grade a call whose error is what is wanted: the error is the document."""
        error = call["error"]
        if error is None:
            reason = (
                f"an error was expected, and {bound.call.tool} returned {brief(call['result'])}"
            )
            self._fail_all(bound, "no_error", reason)
        elif error["kind"] not in EXPECTABLE:
            self._fail_all(bound, *_why_failed(call))
        else:
            document = {"error": {"type": error["type"], "message": error["message"]}}
            judged = Judged(document, self._saved)
            wanted = put(wanted_error, judged, bound.step)
            if wanted.code == "wrong_value":
                wanted.code = "wrong_error"
            self.checks.append(wanted)
            self.checks.extend(put(check, judged, bound.step) for check in bound.checks)

    def on_trace(self, bound: BoundAssertion) -> None:
        """Put an assertion to the whole trace; a part that was not observed is skipped."""
        if bound.path.head not in self._trace["observed"]:
            subject = self._trace["subject"]
            reason = f"the subject {subject!r} does not observe {bound.path.head!r}"
            self.checks.append(_unfit(bound, None, "not_observed", reason))
        elif self._unavailable is not None:
            error = self._unavailable
            self.checks.append(_unfit(bound, None, error["kind"], error["message"]))
        else:
            self.checks.append(put(bound, Judged(self._trace, self._saved), None))

    def _why_not_run(self, bound: BoundCall) -> tuple[str, str]:
        if self._unavailable is not None:
            return self._unavailable["kind"], self._unavailable["message"]
        entry: NotRun | None = next(
            (entry for entry in self._trace["not_run"] if entry["step"] == bound.step), None
        )
        if entry is None:
            return "not_run", "the trace says nothing of this step"
        return BY_CAUSE.get(entry["cause"], entry["cause"]), _told(entry, self._trace)

    def _fail_all(self, bound: BoundCall, code: str, reason: str) -> None:
        """Give every check of a step that code: the number of checks never shrinks."""
        step = bound.step
        wanted = () if bound.wanted_error is None else (bound.wanted_error,)
        for check in (*wanted, *bound.checks):
            self.checks.append(_unfit(check, step, code, reason))
        instrument = CODES[code].family == "instrument"
        for name, save in bound.saves:
            self._saved.pop(name, None)
            self.checks.append(_unfit(save, step, code if instrument else "unsaved_value", reason))


def _index_of(calls: list[Call], step: int) -> int | None:
    """Find the call that was made for a step; where all were made, it stands at its own place."""
    if step < len(calls) and calls[step]["step"] == step:
        return step
    return next((at for at, call in enumerate(calls) if call["step"] == step), None)


def _is_of(call: Call, bound: BoundCall) -> bool:
    """Say whether a call is the one that a step asks for: its tool, and its literal arguments."""
    args = call["args"]
    if call["tool"] != bound.tool or args is bound.args:
        return call["tool"] == bound.tool
    if bound.needs and not args and call["error"] is not None:
        return True  # it failed before its arguments were made
    if args.keys() != bound.names:
        return False
    for name, value in bound.literal.items():
        sent = args[name]
        if sent is not value and not equal(sent, value) and not _hidden(sent, value):
            return False
    return True


def _hidden(sent: Json, value: Json) -> bool:
    """Say whether an argument differs only in what was taken out of the trace as secret."""
    if type(sent) is dict and type(value) is dict:
        same = sent.keys() == value.keys()
        return same and all(_hidden(sent[key], item) for key, item in value.items())
    if type(sent) is list and type(value) is list:
        return len(sent) == len(value) and all(map(_hidden, sent, value))
    return equal(sent, value) or sent == REDACTED


def _unfit(bound: BoundAssertion, step: int | None, code: str, reason: str) -> Check:
    """Give the check of an assertion that could not be put to a document."""
    status = ERROR if CODES[code].family == "instrument" else FAILED
    if code == "not_observed":
        status = SKIPPED
    return Check(bound.assertion, step, status, code, 0.0, None, reason, 0.0)


def _why_failed(call: Call) -> tuple[str, str]:
    error: Any = call["error"]
    message = error["message"]
    kind = error["kind"]
    reason = f"{error['type']}: {message}" if message else error["type"]
    return BY_KIND.get(kind, "tool_raised"), reason


def _told(entry: NotRun, trace: Trace) -> str:
    """Say why a step was not run, in words."""
    cause, needs = entry["cause"], entry["needs"]
    if needs is not None:
        return f"not run, for it needs {needs!r}, which was not saved"
    alike = [other["step"] for other in trace["not_run"] if other["cause"] == cause]
    errors = [error for error in trace["errors"] if error["kind"] == cause]
    if len(errors) == len(alike):
        error = errors[alike.index(entry["step"])]
        return f"not run: {error['type']}: {error['message']}"
    return f"not run: {CODES[cause].meaning}" if cause in CODES else f"not run: {cause}"


def _unavailable(trace: Trace) -> TraceError | None:
    """Find the error by which the tools, or the process, were not to be had."""
    return next((error for error in trace["errors"] if error["kind"] in WHOLE), None)


def _status(checks: list[Check], trace: Trace, xfail: str | None) -> Status:
    """Fold the checks: any failed, else any error, else nothing measured, else passed."""
    status = PASSED if checks else SKIPPED
    for check in checks:
        if check.code is not None:
            status = _worst(checks)
            break
    if trace["errors"] and status is not FAILED and _unavailable(trace):
        status = ERROR
    return status if xfail is None else _EXPECTED.get(status, status)


def _worst(checks: list[Check]) -> Status:
    """Give the worst that counts: a warning's status does not."""
    found = {check.status for check in checks if check.assertion.severity == "fail"}
    for status in (FAILED, ERROR):
        if status in found:
            return status
    return PASSED if PASSED in found else SKIPPED


_EXPECTED: dict[Status, Status] = {FAILED: Status.XFAILED, PASSED: Status.XPASSED}
