"""How a trace is graded: every assertion is put to its document, whatever happened."""

from time import perf_counter

from evalkit.grading.putting import Judged, put, unfit
from evalkit.grading.reasons import STOPPED, UNAVAILABLE, unavailable
from evalkit.grading.steps import REPLAYED, Grading
from evalkit.model import Op
from evalkit.plan import BoundAssertion, BoundCall, Plan
from evalkit.result import CODES, ERROR, FAILED, PASSED, SKIPPED, Check, ScenarioResult, Status
from evalkit.trace import REDACTED, Trace

__all__ = [
    "REPLAYED",
    "STOPPED",
    "UNAVAILABLE",
    "Judged",
    "checks_of",
    "grade",
    "put",
    "regrade",
    "skipped",
    "ungraded",
]


_JUDGED = frozenset(
    {None, "wrong_value", "wrong_calls", "wrong_argument", "forbidden_call", "malformed_call"}
    | {"wrong_state"}
)
"""The codes of checks that have looked at a value."""
ON_CALLS = frozenset(
    {Op.CALLS, Op.CALLS_IN_ORDER, Op.CALLS_EXACTLY, Op.CALLS_ANY_ORDER, Op.CALLS_ONLY}
    | {Op.NEVER_CALLS, Op.CALL_ARGS, Op.HYGIENE}
)
"""Operators that look at the arguments of calls, and not at what came of them."""
_BARE = frozenset({Op.EXISTS, Op.HAS_KEY, Op.LACKS_KEY})
"""Operators that look at no value, but at whether there is one."""


def grade(plan: Plan, trace: Trace, *, lenient: bool = False) -> ScenarioResult:
    """Put every assertion of a plan to a trace. Nothing is run, and nothing is left out.

    The number of checks depends on the plan alone. A trace that has been through JSON gives the
    same result as the one it came from. `lenient` is for a trace from which secrets were taken.
    """
    started = perf_counter()
    grading = Grading(plan, trace, lenient=lenient)
    for bound in plan.calls:
        grading.step(bound)
    for assertion in plan.assertions:
        grading.on_trace(assertion)
    scenario = plan.scenario
    return ScenarioResult(
        scenario.name,
        _status(grading, trace, scenario.xfail),
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
    result = grade(plan, trace, lenient=True)
    for check in result.checks:
        if check.code in _JUDGED and check.op not in _BARE and _looks_at_secret(check):
            check.status, check.code, check.score = ERROR, "redacted", 0.0
            check.reason = CODES["redacted"].meaning
    if any(check.code == "redacted" for check in result.checks):
        status = _worst(result.checks)
        result.status = _EXPECTED.get(status, status) if plan.scenario.xfail else status
    return result


def _looks_at_secret(check: Check) -> bool:
    """Say whether a check looked at what was taken out of the trace, or was held against it."""
    actual = check.actual
    if check.op in ON_CALLS and type(actual) is list:
        actual = [call["args"] for call in actual if type(call) is dict and "args" in call]
    return any(REDACTED[:-1] in str(value) for value in (actual, check.expected))


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
    result.checks = [unfit(bound, step, "operator_raised", reason) for step, bound in steps]
    result.status, result.trace = ERROR, trace
    result.pairing = [None] * len(plan.calls)
    return result


def checks_of(bound: BoundCall) -> list[BoundAssertion]:
    """Give every check that a step comes down to, in order."""
    wanted = [] if bound.wanted_error is None else [bound.wanted_error]
    return [*bound.arg_checks, *wanted, *bound.checks, *(save for _, save in bound.saves)]


def _status(grading: Grading, trace: Trace, xfail: str | None) -> Status:
    """Fold the checks: any failed, else any error, else nothing measured, else passed."""
    checks = grading.checks
    status = PASSED if checks else SKIPPED
    for check in checks:
        if check.code is not None:
            status = _worst(checks)
            break
    if status is PASSED and grading.beside and not grading.is_asked():
        status = SKIPPED
    if trace["errors"] and status is not FAILED and unavailable(trace):
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
