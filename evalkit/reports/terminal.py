"""The report on the terminal: tallies, the slowest, the failures last, and a line that says why."""

from collections.abc import Iterable, Mapping
from heapq import nlargest
from itertools import groupby
from typing import Any

from evalkit.registry import counted
from evalkit.reports.failures import call_line, call_of, details, headline
from evalkit.reports.run_report import FAILED, INTERRUPTED, RunReport
from evalkit.reports.text import Page
from evalkit.result import BAD, Check, ScenarioResult, Status
from evalkit.scorecard import Tally

SLOWEST = 3
NOTABLE_S = 0.1
MARKS = {
    Status.PASSED: ".",
    Status.FAILED: "F",
    Status.ERROR: "E",
    Status.SKIPPED: "s",
    Status.XFAILED: "x",
    Status.XPASSED: "X",
}
_WORDS = (
    (Status.FAILED, "failed"),
    (Status.ERROR, "could not be measured"),
    (Status.XPASSED, "passed though known to fail"),
    (Status.PASSED, "passed"),
    (Status.XFAILED, "failed as known"),
    (Status.SKIPPED, "skipped"),
)


class TerminalReport:
    """Shows a run on a page: as it goes with `verbosity` 1 or more, failures at the end, always.

    At verbosity -1 only the failures and the last line are shown.
    """

    def __init__(self, page: Page, verbosity: int = 0, *, progress: bool = False) -> None:
        """Take the page, how much to say, and whether to show a mark for each scenario."""
        self._page = page
        self._verbosity = verbosity
        self._progress = progress and verbosity == 0
        self._bad: list[ScenarioResult] = []
        self._slow: list[tuple[float, str]] = []

    def start(self, prepared: Any) -> None:  # noqa: ANN401
        """Say what is about to run, and what planning found doubtful."""
        if self._verbosity < 0:
            return
        for warning in prepared.warnings:
            self._page.line(f"warning: {warning}", style="yellow")
        for note in prepared.notes:
            self._page.line(f"note: {note}")
        count = len(prepared.jobs)
        of = f"{count} of " if prepared.total != count else ""
        self._page.line(f"{of}{counted(prepared.total, 'scenario')}")

    def add(self, result: ScenarioResult) -> None:
        """Take one result."""
        if result.status in BAD:
            self._bad.append(result)
        if self._verbosity > 0:
            self._show(result)
        elif self._progress:
            self._page.raw(self._page.styled(MARKS[result.status], result.status.value))
            self._page.flush()
        if result.seconds >= NOTABLE_S:
            self._slow = nlargest(SLOWEST, [*self._slow, (result.seconds, result.name)])

    def finish(self, report: RunReport) -> None:
        """Show the whole: tallies, the slowest, the failures, the last line."""
        if self._progress:
            self._page.line()
        if self._verbosity >= 0:
            self._tallies("by tag", report.scorecard.by_tag)
            self._tallies("by difficulty", report.scorecard.by_difficulty)
            self._slowest()
        for result in self._bad:
            self._failure(result)
        for note in report.notes[len(report.notes) - bool(report.threads_lost) :]:
            self._page.line(f"note: {note}", style="yellow")
        self._last_line(report)

    def _show(self, result: ScenarioResult) -> None:
        measured = [check for check in result.checks if check.status is not Status.SKIPPED]
        passed = sum(check.passed for check in measured)
        reason = f"  {result.reason}" if result.reason else ""
        counts = f"{passed}/{len(measured)}"
        line = f"{result.status.value:8} {result.name}  {counts}  {result.seconds:.3f} s{reason}"
        self._page.line(line, style=result.status.value)
        if self._verbosity > 1:
            for check in result.checks:
                self._page.line(f"{check.status.value:8} {headline(check)}", indent=2)

    def _tallies(self, title: str, tallies: Mapping[str, Tally]) -> None:
        if not tallies:
            return
        self._page.line()
        self._page.line(title, bold=True)
        widest = max(map(len, tallies))
        for name, tally in tallies.items():
            passed = tally.statuses[Status.PASSED]
            known = tally.statuses[Status.XFAILED]
            also = f"  {known} failed as known" if known else ""
            checks = f"{tally.checks_passed}/{tally.checks_total} checks"
            style = "failed" if any(tally.statuses[status] for status in BAD) else None
            self._page.line(
                f"{name:{widest}}  {passed}/{tally.total}  {checks}{also}", indent=2, style=style
            )

    def _slowest(self) -> None:
        if self._slow:
            self._page.line()
            self._page.line("slowest", bold=True)
        for seconds, name in self._slow:
            self._page.line(f"{seconds:.2f} s  {name}", indent=2)

    def _failure(self, result: ScenarioResult) -> None:
        """Show one scenario that failed: step by step, each check with what explains it."""
        self._page.line()
        place = f"  {result.source}" if result.source else ""
        title = f"{result.status.value.upper()}  {result.name}{place}"
        self._page.line(title, style=result.status.value, bold=True)
        if result.reason:
            self._page.line(f"known to fail: {result.reason}", indent=2)
        for step, checks in groupby(result.failures, key=lambda check: check.step):
            self._step(result, step, list(checks))
        if result.trace is not None:
            for error in result.trace["errors"]:
                if error["call"] is None and not result.failures:
                    self._page.line(error["message"], indent=2)

    def _step(self, result: ScenarioResult, step: int | None, checks: list[Check]) -> None:
        title = "the trace" if step is None else call_line(result, step)
        self._page.line(title, indent=2)
        reasons = {check.reason for check in checks}
        shared = len(reasons) == 1 and len(checks) > 1 and checks[0].code != "wrong_value"
        for check in checks:
            said = f"  ({check.description})" if check.description else ""
            self._page.line(
                f"{check.code}: {headline(check)}{said}", indent=4, style=check.status.value
            )
            for line in () if shared else details(check):
                self._page.line(line, indent=6)
        if shared:
            self._page.line(checks[0].reason, indent=6)
        call = None if step is None else call_of(result, step)
        if call is not None and call["output"]:
            self._page.line(f"it printed: {call['output'].rstrip()[-400:]!r}", indent=6)

    def _last_line(self, report: RunReport) -> None:
        tally = report.scorecard.all
        checks = f"{tally.checks_passed} of {tally.checks_total} checks"
        of = f"{_counts(tally, _WORDS)} of {counted(tally.total, 'scenario')}"
        style = {FAILED: "failed", INTERRUPTED: "error"}.get(report.exit_code, "passed")
        self._page.line()
        cut = "interrupted: " if report.interrupted else ""
        said = of if tally.total else "no scenario was run"
        left = report.selected - tally.total
        said += f"; {left} more not run" if left > 0 else ""
        self._page.line(f"{cut}{said}; {checks}; {report.seconds:.2f} s", style=style, bold=True)


def bad_counts(report: RunReport) -> str:
    """Say how many scenarios fail the run, and in what way."""
    return _counts(report.scorecard.all, [each for each in _WORDS if each[0] in BAD])


def _counts(tally: Tally, words: Iterable[tuple[Status, str]]) -> str:
    counts = ((tally.statuses[status], word) for status, word in words)
    return ", ".join(f"{count} {word}" for count, word in counts if count)
