"""The commands on runs that are in a log: show, report, and grade again."""

import sys
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TextIO

import click

from evalkit.api.session import Session
from evalkit.cli.options import logs, showing
from evalkit.cli.shown import last_line, shown
from evalkit.errors import Problem, RunLogError
from evalkit.grading import grade, skipped
from evalkit.model import Scenario
from evalkit.planning import Planner
from evalkit.preparing import Asked
from evalkit.registry import counted, hint_for
from evalkit.reports.files import report_to
from evalkit.reports.one_result import show_result
from evalkit.reports.run_report import PASSED, RunReport
from evalkit.reports.text import Page, wants_colour
from evalkit.result import Outline, ScenarioResult
from evalkit.runlog.reader import LoggedResults, RunLog
from evalkit.runlog.redaction import Redaction
from evalkit.runlog.runs import find_run, header_of, runs_in, summary_of
from evalkit.scorecard import Scorecard

if TYPE_CHECKING:
    from evalkit.protocols import Sink

COLOR = click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")


@click.command("show")
@click.argument("run", required=False)
@click.argument("name", required=False)
@logs
@COLOR
@click.pass_obj
def show_command(stdout: TextIO, /, run: str | None, name: str | None, **options: Any) -> int:
    """Show the runs there are; the results of RUN; everything about its scenario NAME.

    RUN is an id, a label, latest, latest~1 (the one before), or a path.
    """
    page = Page(stdout, colour=wants_colour(options["color"], stdout))
    if run is None:
        _list_runs(page, options["log_dir"])
    else:
        log = RunLog(find_run(options["log_dir"], run), salvage=options["salvage"])
        _show_run(page, log) if name is None else _show_scenario(page, log, name)
    page.flush()
    return PASSED


def _list_runs(page: Page, log_dir: Path) -> None:
    for run in runs_in(log_dir):
        header = header_of(run)
        bears = header.get("bears", {})
        label, files = header.get("label") or "", " ".join(bears.get("files", ()))
        page.columns(run.name, _state(run), label, files)


def _state(run: Path) -> str:
    """Say what a run came to, in few words."""
    said = summary_of(run)
    if said.get("interrupted", True):
        try:
            return f"unfinished, {counted(len(RunLog(run).entries), 'result')}"
        except RunLogError:
            return "damaged"
    return f"{said['summary']['scenarios_passed']} of {said['summary']['scenarios_total']} passed"


def _show_run(page: Page, log: RunLog) -> None:
    for note in log.notes:
        page.line(f"note: {note}", style="yellow")
    for key in log.in_order():
        result = log.result(key)
        epoch = f"{result.epoch}/{result.epochs}" if result.epochs > 1 else ""
        place = result.source or ""
        page.columns(result.status.value, result.name, epoch, f"{result.seconds:.3f} s", place)


def _show_scenario(page: Page, log: RunLog, name: str) -> None:
    keys = [key for key in log.in_order() if key[0] == name]
    if not keys:
        hint = hint_for(name, {key[0] for key in log.entries})
        raise RunLogError(f"there is no scenario {name!r} in run {log.id}; {hint}")
    for key in keys:
        show_result(page, log.result(key))


@click.command("report")
@click.argument("run")
@logs
@showing
@click.pass_obj
def report_command(stdout: TextIO, /, run: str, **options: Any) -> int:
    """Give again every output of RUN, from its log alone."""
    log = RunLog(find_run(options["log_dir"], run), salvage=options["salvage"])
    return _told(LoggedResults(log.run), log, options, stdout)


@click.command("grade")
@click.argument("run")
@click.argument("files", nargs=-1, type=click.Path())
@logs
@showing
@click.pass_obj
def grade_command(stdout: TextIO, /, run: str, files: tuple[str, ...], **options: Any) -> int:
    """Grade the traces of RUN with the assertions of today, from its FILES; nothing is run."""
    log = RunLog(find_run(options["log_dir"], run), salvage=options["salvage"])
    targets = files or tuple(log.header.get("bears", {}).get("files", ()))
    session = Session(Asked(targets), elsewhere=sys.stderr)
    chosen, _ = session.choose()
    return _told(_graded(log, chosen), log, options, stdout)


def _graded(log: RunLog, scenarios: list[Scenario]) -> Iterable[ScenarioResult]:
    """Grade each trace of a log; a scenario that is no longer there is left out, and said so."""
    by_name = {scenario.name: scenario for scenario in scenarios}
    gone = sorted({name for name, _ in log.entries} - by_name.keys())
    if gone:
        log.notes.append(f"no longer in the catalogue, and left out: {', '.join(gone)}")
    for key in log.in_order():
        if key[0] in by_name:
            yield _regraded(log.result(key), by_name[key[0]])


def _regraded(old: ScenarioResult, scenario: Scenario) -> ScenarioResult:
    operators = scenario.home.operators if scenario.home is not None else {}
    (plan,) = Planner(None, operators).plan([scenario]).plans
    if old.trace is None or plan.skip is not None:
        return skipped(plan, plan.skip or old.reason)
    result = grade(plan, old.trace)
    result.epoch, result.epochs, result.needed = old.epoch, old.epochs, old.needed
    return result


def _outline(log: RunLog) -> Outline:
    """Give what the run was about, as far as its log says."""
    said = log.summary or {}
    warnings = tuple(Problem("", text, warning=True) for text in said.get("warnings", ()))
    selected = log.header.get("scenarios", 0)
    notes = (f"run {log.id}, as it was recorded", *said.get("notes", ()))
    total, epochs = said.get("total", selected), said.get("epochs", selected)
    return Outline(said.get("selected", selected), total, epochs, warnings, notes)


def _told(
    results: Iterable[ScenarioResult], log: RunLog, options: dict[str, Any], stdout: TextIO
) -> int:
    """Give results to every output that is asked for."""
    redaction = Redaction()
    sinks: list[Sink] = [report_to(path, redaction) for path in options["output"]]
    sinks.append(shown(options, stdout, redaction))
    started = perf_counter()
    card = Scorecard(log.header.get("bears", {}).get("until_sure"))
    outline = _outline(log)
    for sink in sinks:
        sink.start(outline)
    for result in results:
        card.add(result)
        for sink in sinks:
            sink.add(result)
    seconds = (log.summary or {}).get("summary", {}).get("seconds", perf_counter() - started)
    notes = (*outline.notes, *log.notes)
    report = RunReport([], card, seconds, outline.warnings, notes, not log.finished)
    report.selected, report.run_id, report.run = outline.selected, log.id, log.run
    for sink in sinks:
        sink.finish(report)
    why = "the run is not finished: --resume goes on with it" if report.interrupted else report.why
    return last_line(options, stdout, report.exit_code, why)
