"""How one result is shown in full: a failure with what explains it, or everything there is."""

from itertools import groupby
from typing import Any

from evalkit.jsonvalue import brief
from evalkit.registry import counted
from evalkit.reports.calls import call_text
from evalkit.reports.failures import call_line, call_of, details, headline
from evalkit.reports.text import Page
from evalkit.result import PASSED, Check, ScenarioResult
from evalkit.trace import Call

ABSENT = frozenset({"missing_call", "calls_unobserved"})
"""The codes of steps without a call, by which all checks of a step fail alike."""
WHOLE = 2_000
"""How much of a value is shown where everything is asked for."""


def show_failure(page: Page, result: ScenarioResult, of_epochs: str = "") -> None:
    """Show one scenario that failed: step by step, each check with what explains it."""
    page.line()
    _title(page, result, of_epochs)
    if result.reason:
        page.line(f"known to fail: {result.reason}", indent=2)
    told = [check for check in result.failures if not _is_recorded(check)]
    for step, checks in groupby(told, key=lambda check: check.step):
        _step(page, result, step, list(checks))
    if result.trace is not None:
        for error in result.trace["errors"]:
            if error["call"] is None and not result.failures:
                page.line(error["message"], indent=2)


def show_result(page: Page, result: ScenarioResult) -> None:
    """Show all of a result: each call with what it was given and gave, each check."""
    _title(page, result, f"epoch {result.epoch} of {result.epochs}" if result.epochs > 1 else "")
    if result.reason:
        page.line(result.reason, indent=2)
    for step, checks in groupby(result.checks, key=lambda check: check.step):
        _call(page, result, step)
        for check in checks:
            said = f"{check.code or check.status.value}: {headline(check)}"
            page.line(said, indent=4, style=check.status.value)
            for line in () if check.status is PASSED else details(check):
                page.line(line, indent=6)
    for error in result.trace["errors"] if result.trace is not None else ():
        page.line(f"{error['kind']}: {error['type']}: {error['message']}", indent=2)
    page.line(f"{result.seconds:.3f} s", indent=2)


def _is_recorded(check: Check) -> bool:
    """Say whether a check stands beside the deciding one, and decides nothing itself."""
    return check.assertion.weight == 0 and check.assertion.severity == "warn"


def _title(page: Page, result: ScenarioResult, of_epochs: str) -> None:
    place = f"  {result.source}" if result.source else ""
    which = f"  ({of_epochs})" if of_epochs else ""
    title = f"{result.status.value.upper()}  {result.name}{which}{place}"
    page.line(title, style=result.status.value, bold=True)


def _call(page: Page, result: ScenarioResult, step: int | None) -> None:
    """Show a call: what it was given, what it gave, how often it was tried, what it printed."""
    if step is None:
        page.line("the trace", indent=2)
        if result.trace is not None and "response" in result.trace["observed"]:
            page.line(f"answered {brief(result.trace['response'], WHOLE)}", indent=4)
        for made in result.trace["calls"] if result.trace is not None else ():
            if made["step"] is None:
                page.line(f"called {call_text(made)}", indent=4)
                page.line(f"which gave {brief(_came(made), WHOLE)}", indent=6)
        return
    page.line(call_line(result, step), indent=2)
    call = call_of(result, step)
    if call is None:
        return
    page.line(f"gave {brief(_came(call), WHOLE)}", indent=4)
    if len(call["attempts"]) > 1:
        page.line(f"after {len(call['attempts'])} attempts", indent=4)
    if call["output"]:
        page.line(f"printed {brief(call['output'], WHOLE)}", indent=4)


def _came(call: Call) -> Any:  # noqa: ANN401
    """Give what came of a call: its error, or its result."""
    return call["error"] if call["error"] is not None else call["result"]


def _step(page: Page, result: ScenarioResult, step: int | None, checks: list[Check]) -> None:
    title = "the trace" if step is None else call_line(result, step)
    page.line(title, indent=2)
    codes = {check.code for check in checks}
    if step is not None and len(codes) == 1 and codes <= ABSENT:
        said = f"{checks[0].code}: {counted(len(checks), 'check')} of its arguments and result"
        page.line(said, indent=4, style=checks[0].status.value)
        page.line(checks[0].reason, indent=6)
        return
    reasons = {check.reason for check in checks}
    shared = len(reasons) == 1 and len(checks) > 1 and checks[0].code != "wrong_value"
    for check in checks:
        said = f"  ({check.description})" if check.description else ""
        page.line(f"{check.code}: {headline(check)}{said}", indent=4, style=check.status.value)
        for line in () if shared else details(check):
            page.line(line, indent=6)
    if shared:
        page.line(checks[0].reason, indent=6)
    call = None if step is None else call_of(result, step)
    if call is not None and call["output"]:
        page.line(f"it printed: {call['output'].rstrip()[-400:]!r}", indent=6)
