"""The commands: options in, one call of the Python doors, an exit code out."""

import gc
import math
import sys
from pathlib import Path
from typing import Any, TextIO

import click

from evalkit.api.preparing import Asked, Prepared
from evalkit.api.session import Session
from evalkit.cli.options import loading, selecting, selection_of
from evalkit.cli.streams import write_bytes
from evalkit.model import Scenario
from evalkit.planning.plans import TIMEOUT_S
from evalkit.protocols import Sink
from evalkit.registry import counted
from evalkit.reports.files import report_to
from evalkit.reports.json_report import JsonReport
from evalkit.reports.run_report import FAILED, INTERRUPTED, NOTHING, PASSED, RunReport
from evalkit.reports.terminal import TerminalReport, bad_counts
from evalkit.reports.text import Page, wants_colour
from evalkit.result import ScenarioResult
from evalkit.select import Selection

YOUNG = 20_000
"""How many new objects the collector waits for: a scenario makes some hundred, and drops them."""


class Thrift:
    """Spares the garbage collector what a run only ever reads: the catalogue and its plans."""

    def start(self, prepared: Prepared) -> None:
        """Freeze all that was loaded and planned."""
        del prepared
        gc.freeze()
        gc.set_threshold(YOUNG, 20, 20)
        gc.enable()

    def add(self, result: ScenarioResult) -> None:
        """Need nothing of a result."""

    def finish(self, report: RunReport) -> None:
        """Need nothing at the end."""


def _seconds(_context: click.Context, _option: click.Parameter, value: float) -> float:
    if not 0 < value < math.inf:
        raise click.BadParameter(f"{value!r} is no number of seconds above 0")
    return value


@click.command("run")
@loading
@selecting
@click.option("-x", "--exitfirst", is_flag=True, help="Stop after the first scenario that fails.")
@click.option("--maxfail", type=click.IntRange(min=1), help="Stop after this many.")
@click.option(
    "--timeout",
    type=float,
    default=TIMEOUT_S,
    callback=_seconds,
    help="Seconds for a call that does not say.  [default: 60]",
)
@click.option("-v", "--verbose", count=True, help="A line per scenario; twice: per check.")
@click.option("-q", "--quiet", is_flag=True, help="Only the failures and the last lines.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout, nothing else.")
@click.option(
    "-o",
    "--output",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Write a report to a file, by suffix: .json (repeatable).",
)
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Colours; NO_COLOR is honoured.",
)
@click.pass_obj
def run_command(
    stdout: TextIO, /, files: tuple[str, ...], tools: str | None, **options: Any
) -> int:
    """Run the scenarios of FILES against their tools."""
    selection = selection_of(options)
    outputs: list[Sink] = [report_to(path) for path in options["output"]]
    sinks = [Thrift(), *outputs, _shown(options, stdout)]
    limit = 1 if options["exitfirst"] else options["maxfail"]
    asked = Asked(tuple(files), tools, selection, options["timeout"], limit, keep_results=False)
    session = Session(asked, sinks, elsewhere=sys.stderr)
    gc.disable()
    last = Page(sys.stderr if options["as_json"] else stdout, colour=False)
    try:
        report = session.run()
    except KeyboardInterrupt:
        last.line(f"exit {INTERRUPTED}: interrupted")
        last.flush()
        return INTERRUPTED
    last.line(f"exit {report.exit_code}: {_why(report, session.prepared, selection)}")
    last.flush()
    return report.exit_code


def _shown(options: dict[str, Any], stdout: TextIO) -> Sink:
    """Make the report that stdout gets: for a reader, or for a program."""
    if options["as_json"]:
        return JsonReport(lambda content: write_bytes(stdout, content))
    page = Page(stdout, colour=wants_colour(options["color"], stdout))
    verbosity = -1 if options["quiet"] else options["verbose"]
    return TerminalReport(page, verbosity, progress=stdout.isatty())


def _why(report: RunReport, prepared: Prepared, selection: Selection) -> str:
    """Say why a run ends with its exit code."""
    if report.exit_code == PASSED:
        return "all that was measured passed"
    if report.exit_code == FAILED:
        return bad_counts(report)
    if not prepared.jobs:
        return _nobody(selection, list(prepared.everything))
    return f"{len(prepared.jobs)} selected, none has tool calls: all need an agent"


def _nobody(selection: Selection, everything: list[Scenario]) -> str:
    close = selection.nearest(everything)
    return f"no scenario matches {selection}" + (f" (nearest {close!r})" if close else "")


@click.command("list")
@loading
@selecting
@click.pass_obj
def list_command(
    stdout: TextIO, /, files: tuple[str, ...], tools: str | None, **options: Any
) -> int:
    """List the scenarios of FILES: name, difficulty, number of calls, tags."""
    selection = selection_of(options)
    session = Session(Asked(tuple(files), tools, selection), elsewhere=sys.stderr)
    scenarios, everything = session.choose()
    page = Page(stdout, colour=False)
    for scenario in scenarios:
        calls, tags = str(len(scenario.tool_calls)), " ".join(scenario.tags)
        page.columns(scenario.name, scenario.difficulty, calls, tags)
    page.flush()
    return PASSED if scenarios else _nothing(selection, everything)


@click.command("validate")
@loading
@selecting
@click.pass_obj
def validate_command(
    stdout: TextIO,
    /,
    files: tuple[str, ...],
    tools: str | None,
    **options: Any,
) -> int:
    """Check FILES without a call: every problem, each with its place and the nearest right one."""
    selection = selection_of(options)
    session = Session(Asked(tuple(files), tools, selection), elsewhere=sys.stderr)
    prepared = session.prepare()
    if not prepared.jobs:
        return _nothing(selection, list(prepared.everything))
    page = Page(stdout, colour=False)
    for warning in prepared.warnings:
        page.line(f"warning: {warning}")
    warnings = counted(len(prepared.warnings), "warning")
    page.line(f"{counted(len(prepared.jobs), 'scenario')}, no error, {warnings}")
    page.flush()
    return PASSED


def _nothing(selection: Selection, everything: list[Scenario]) -> int:
    Page(sys.stderr, colour=False).line(f"exit {NOTHING}: {_nobody(selection, everything)}")
    return NOTHING


COMMANDS: dict[str, click.Command] = {
    "run": run_command,
    "list": list_command,
    "validate": validate_command,
}
