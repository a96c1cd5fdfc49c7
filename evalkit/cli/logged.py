"""The commands on runs that are in a log: show, report, and grade again."""

import os
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TextIO

import attrs
import click

from evalkit.cli.options import logs, showing
from evalkit.cli.shown import last_line, shown
from evalkit.errors import Problem, RunLogError
from evalkit.registry import counted, hint_for
from evalkit.reports.files import report_to
from evalkit.reports.one_result import show_result
from evalkit.reports.run_report import PASSED, RunReport
from evalkit.reports.text import Page, wants_colour
from evalkit.result import Outline, ScenarioResult
from evalkit.runlog.reader import LoggedResults, RunLog
from evalkit.runlog.redaction import Redaction
from evalkit.runlog.runs import find_run, header_of, runs_in, summary_of
from evalkit.runlog.takeout import SHORTEST
from evalkit.scorecard import Scorecard

if TYPE_CHECKING:
    from evalkit.protocols import Sink

RECORDED, GRADED = "as it was recorded", "graded again"
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
    runs = runs_in(log_dir)
    if not runs:
        page.line(f"no run is recorded in {log_dir}")
    for run in runs:
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
    return told(LoggedResults(log.run), log, options, stdout, RECORDED)


def _outline(log: RunLog) -> Outline:
    """Give what the run was about, as far as its log says."""
    said = log.summary or {}
    warnings = tuple(Problem("", text, warning=True) for text in said.get("warnings", ()))
    selected = log.header.get("scenarios", 0)
    notes = (*log.notes, *said.get("notes", ()))
    total, epochs = said.get("total", selected), said.get("epochs", selected)
    sure = log.header.get("bears", {}).get("until_sure") is not None
    return Outline(said.get("selected", selected), total, epochs, warnings, notes, sure)


def _secrets(log: RunLog) -> dict[str, str]:
    """Give what the run kept out, as far as it is still known here."""
    values = {name: os.environ.get(name, "") for name in log.header.get("redact", ())}
    return {name: value for name, value in values.items() if len(value) >= SHORTEST}


def _why_not_whole(log: RunLog) -> str:
    """Say what there is no telling of, where that is so: such a run has not passed."""
    if not log.finished:
        return "the run is not finished: --resume goes on with it"
    if log.damaged:
        return f"{counted(len(log.damaged), 'record')} of the run are damaged, and left out"
    if log.conflicting:
        return f"{counted(len(log.conflicting), 'result')} came twice and differently"
    if log.missing:
        return f"{counted(log.missing, 'scenario')} of the catalogue without a trace in the run"
    return ""


def told(
    results: Iterable[ScenarioResult],
    log: RunLog,
    options: dict[str, Any],
    stdout: TextIO,
    how: str,
) -> int:
    """Give results to every output that is asked for."""
    redaction = Redaction(_secrets(log))
    sinks: list[Sink] = [report_to(path, redaction) for path in options["output"]]
    sinks.append(shown(options, stdout, redaction))
    started = perf_counter()
    card = Scorecard(log.header.get("bears", {}).get("until_sure"))
    outline = _outline(log)
    for sink in sinks:
        sink.start(attrs.evolve(outline, notes=(f"run {log.id}, {how}", *outline.notes)))
    for result in results:
        card.add(result)
        for sink in sinks:
            sink.add(result)
    seconds = (log.summary or {}).get("summary", {}).get("seconds", perf_counter() - started)
    cut = bool(_why_not_whole(log))
    report = RunReport([], card, seconds, outline.warnings, outline.notes, cut)
    report.selected, report.run_id = outline.selected, log.id
    report.run = None if how == GRADED else log.run
    if how == GRADED:
        report.selected = card.all.total + log.missing
    for sink in sinks:
        sink.finish(report)
    return last_line(options, stdout, report.exit_code, _why_not_whole(log) or report.why)
