"""The report on the terminal: tallies, the slowest, the failures last, and a line that says why."""

from collections.abc import Iterable, Mapping
from heapq import nlargest

from evalkit.epochs import Fold
from evalkit.metrics import Metrics
from evalkit.registry import counted
from evalkit.reports.failures import headline
from evalkit.reports.one_result import show_failure
from evalkit.reports.run_report import BAD_WORDS, FAILED, INTERRUPTED, RunReport
from evalkit.reports.text import Page
from evalkit.result import BAD, Outline, ScenarioResult, Status
from evalkit.runlog.records import redacted
from evalkit.runlog.redaction import Redaction
from evalkit.runlog.runs import from_here
from evalkit.scorecard import Repeats, Scorecard
from evalkit.tally import Tally

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
    *BAD_WORDS,
    (Status.PASSED, "passed"),
    (Status.XFAILED, "failed as known"),
    (Status.SKIPPED, "skipped"),
)


class TerminalReport:
    """Shows a run on a page: as it goes with `verbosity` 1 or more, failures at the end, always.

    At verbosity -1 only the failures and the last line are shown. A scenario that was run more than
    once is shown by the first of its epochs that failed.
    """

    def __init__(
        self,
        page: Page,
        verbosity: int = 0,
        *,
        progress: bool = False,
        redaction: Redaction | None = None,
    ) -> None:
        """Take the page, how much to say, whether to show marks, and what takes secrets out."""
        self._page = page
        self._verbosity = verbosity
        self._progress = progress and verbosity == 0
        self._redaction = redaction or Redaction()
        self._bad: dict[str, ScenarioResult] = {}
        self._slow: dict[str, float] = {}
        self._noted = 0

    def start(self, outline: Outline) -> None:
        """Say what is about to run, and what planning found doubtful."""
        self._noted = len(outline.notes)
        if self._verbosity < 0:
            return
        for warning in outline.warnings:
            self._page.line(f"warning: {warning}", style="yellow")
        for note in outline.notes:
            self._page.line(f"note: {note}")
        of = f"{outline.selected} of " if outline.total != outline.selected else ""
        times = f", {outline.epochs} epochs" if outline.epochs > outline.selected else ""
        times += " at most" if times and outline.until_sure else ""
        self._page.line(f"{of}{counted(outline.total, 'scenario')}{times}")
        if outline.scoring:
            self._page.line(f"scored: {', '.join(outline.scoring)}")

    def add(self, result: ScenarioResult) -> None:
        """Take one result."""
        shown = self._verbosity > 0
        if result.status in BAD or shown:
            result = redacted(result, self._redaction)
        if result.status in BAD:
            self._bad.setdefault(result.name, result)
        if shown:
            self._show(result)
        elif self._progress:
            self._page.raw(self._page.styled(MARKS[result.status], result.status.value))
            self._page.flush()
        if result.seconds >= NOTABLE_S:
            self._slow[result.name] = max(result.seconds, self._slow.get(result.name, 0.0))
            slowest = nlargest(SLOWEST, self._slow, key=self._slow.__getitem__)
            self._slow = {name: self._slow[name] for name in slowest}

    def finish(self, report: RunReport) -> None:
        """Show the whole: tallies, the slowest, the failures, the last line."""
        card = report.scorecard
        if self._progress:
            self._page.line()
        if self._verbosity >= 0:
            self._scores(card.all.metrics)
            self._tallies("by tag", card.by_tag)
            self._tallies("by difficulty", card.by_difficulty)
            self._slowest()
        if self._verbosity > 0:
            self._operators(card)
        for result in self._bad.values():
            fold = card.repeats.folds.get(result.name)
            if fold is None or fold.status in BAD:
                show_failure(self._page, result, _of_epochs(result, fold))
        if card.repeats.folds and self._verbosity >= 0:
            self._repeats(card.repeats)
        for note in report.notes[self._noted :]:
            self._page.line(f"note: {note}", style="yellow")
        self._last_line(report)

    def _show(self, result: ScenarioResult) -> None:
        measured = [check for check in result.checks if check.counts]
        passed = sum(check.passed for check in measured)
        reason = f"  {result.reason}" if result.reason else ""
        counts = f"{passed}/{len(measured)}"
        counts += f"  epoch {result.epoch}" if result.epochs > 1 else ""
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
            passed, known = tally.statuses[Status.PASSED], tally.statuses[Status.XFAILED]
            also = f"  {known} failed as known" if known else ""
            checks = f"{tally.checks_passed}/{tally.checks_total} checks{also}"
            means = tally.metrics.by_name().items()
            checks += "".join(f"  {name} {mean.mean:.3f}" for name, (_, mean) in means)
            share = f"{passed}/{tally.total}  {_interval(tally.interval)}".rstrip()
            style = "failed" if any(tally.statuses[status] for status in BAD) else None
            self._page.line(f"{name:{widest}}  {share}  {checks}", indent=2, style=style)

    def _scores(self, metrics: Metrics) -> None:
        """Show what answers score: the means that people publish."""
        means = metrics.by_name()
        if means:
            self._page.line()
            self._page.line("scores", bold=True)
        widest = max(map(len, means), default=0)
        for name, (normalize, mean) in means.items():
            errors = f"  {mean.errors} could not be measured" if mean.errors else ""
            counts = f"{mean.mean:.4f}  {_interval(mean.interval)}  n {mean.count:,}"
            by = f"  by {normalize}" if normalize else ""
            self._page.line(f"{name:{widest}}  {counts}{by}{errors}", indent=2)

    def _slowest(self) -> None:
        if self._slow:
            self._page.line()
            self._page.line("slowest", bold=True)
        for name, seconds in self._slow.items():
            self._page.line(f"{seconds:.2f} s  {name}", indent=2)

    def _operators(self, card: Scorecard) -> None:
        self._page.line()
        self._page.line("by operator", bold=True)
        for op, tally in card.by_operator.items():
            errors = f"  {tally.errors} could not be measured" if tally.errors else ""
            counts = f"{tally.passed}/{tally.total} checks  {_interval(tally.interval)}"
            self._page.line(f"{op}  {counts}{errors}", indent=2)

    def _repeats(self, repeats: Repeats) -> None:
        """Show how reliable scenarios are that were run more than once."""
        told = repeats.to_dict()
        self._page.line()
        self._page.line("over epochs", bold=True)
        if told["pass_hat"]:
            most = max(told["pass_hat"])
            interval = _interval(told["pass_hat_interval"])
            line = f"pass^{most} {told['pass_hat'][most]:.3f} {interval}".rstrip()
            line += f"  pass@{most} {told['pass_at'][most]:.3f}  pass^1 {told['pass_hat'][1]:.3f}"
            self._page.line(line, indent=2)
        if repeats.sure is not None:
            run, saved = told["epochs_run"], told["epochs_saved"]
            share = f"{told['error_bound']:.0%}"
            line = f"pass rate of {repeats.sure:g}; a verdict is wrong at most {share} of the time"
            self._page.line(line, indent=2)
            self._page.line(f"{run} epochs were run, {saved} were saved", indent=2)
        for name, fold in repeats.open.items():
            line = f"not sure  {name}  {fold.passed}/{fold.ran}"
            self._page.line(line, indent=2, style="error")
        for name, fold in repeats.flaky.items():
            line = f"flaky  {name}  {fold.passed}/{fold.ran}  {fold.difference()}"
            self._page.line(line, indent=2, style="yellow")

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
        if report.run is not None and self._verbosity >= 0:
            self._page.line(f"recorded in {from_here(report.run)}")


def _of_epochs(result: ScenarioResult, fold: Fold | None) -> str:
    """Say which epoch a result is of, and how many passed."""
    if fold is None:
        return ""
    unsure = ", which does not tell" if fold.status is Status.ERROR and fold.sure else ""
    return f"epoch {result.epoch}; {fold.passed} of {counted(fold.ran, 'epoch')} passed{unsure}"


def _interval(bounds: tuple[float, float] | None) -> str:
    return "" if bounds is None else f"[{bounds[0]:.2f}, {bounds[1]:.2f}]"


def _counts(tally: Tally, words: Iterable[tuple[Status, str]]) -> str:
    counts = ((tally.statuses[status], word) for status, word in words)
    return ", ".join(f"{count} {word}" for count, word in counts if count)
