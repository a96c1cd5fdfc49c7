"""The commands: options in, one call of the Python doors, an exit code out."""

import gc
import sys
from pathlib import Path
from typing import Any, TextIO

import click

from evalkit.api.session import Asked, Prepared, Session
from evalkit.cli.options import loading, selecting, selection_of
from evalkit.planning.plans import TIMEOUT_S
from evalkit.protocols import Sink
from evalkit.reports.files import report_to
from evalkit.reports.json_report import JsonReport
from evalkit.reports.run_report import NOTHING, RunReport
from evalkit.reports.terminal import TerminalReport
from evalkit.reports.text import Page, safe, wants_colour
from evalkit.result import ScenarioResult
from evalkit.select import Selection

WHY = {
    0: "all that was measured passed",
    1: "something failed",
    2: "interrupted",
}


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


@click.command("run")
@loading
@selecting
@click.option("-x", "--exitfirst", is_flag=True, help="Stop after the first scenario that fails.")
@click.option("--maxfail", type=click.IntRange(min=1), help="Stop after this many.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=TIMEOUT_S,
    help="Seconds for a call that does not say.  [default: 60]",
)
@click.option(
    "-v", "--verbose", count=True, help="A line for each scenario; twice: for each check."
)
@click.option("-q", "--quiet", is_flag=True, help="Only the failures and the last line.")
@click.option(
    "--json", "as_json", is_flag=True, help="One JSON object on stdout, nothing else there."
)
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
def run_command(files: tuple[str, ...], tools: str | None, **options: Any) -> int:  # noqa: ANN401
    """Run the scenarios of FILES against their tools."""
    selection = selection_of(options)
    stdout = sys.stdout
    outputs: list[Sink] = [report_to(path) for path in options["output"]]
    sinks = [Thrift(), *outputs, _shown(options, stdout)]
    limit = 1 if options["exitfirst"] else options["maxfail"]
    asked = Asked(tuple(files), tools, selection, options["timeout"], limit, keep_results=False)
    session = Session(asked, sinks, elsewhere=sys.stderr)
    gc.disable()
    report = session.run()
    return _ended(report, session.prepared, selection, sys.stderr if options["as_json"] else stdout)


def _shown(options: dict[str, Any], stdout: TextIO) -> Sink:
    """Make the report that stdout gets: for a reader, or for a program."""
    if options["as_json"]:
        return JsonReport(lambda content: _out(stdout, content))
    page = Page(stdout, colour=wants_colour(options["color"], stdout))
    verbosity = -1 if options["quiet"] else options["verbose"]
    return TerminalReport(page, verbosity, progress=stdout.isatty())


def _out(stdout: TextIO, content: bytes) -> None:
    try:
        stdout.write(content.decode("utf-8"))
        stdout.flush()
    except BrokenPipeError:
        pass


def _ended(report: RunReport, prepared: Prepared, selection: Selection, stream: TextIO) -> int:
    """Say why the run ends with its exit code, in the last line."""
    code = report.exit_code
    why = WHY.get(code) or _nothing(prepared, selection)
    page = Page(stream, colour=False)
    page.line(f"exit {code}: {why}")
    page.flush()
    return code


def _nothing(prepared: Prepared, selection: Selection) -> str:
    """Say why nothing was measured: nothing was selected, or all of it needs another subject."""
    if not prepared.jobs:
        close = selection.nearest([*prepared.everything])
        hint = f" (nearest {close!r})" if close else ""
        return f"no scenario matches {selection}{hint}"
    return f"{len(prepared.jobs)} selected, none has tool calls: all need an agent"


@click.command("list")
@loading
@selecting
def list_command(files: tuple[str, ...], tools: str | None, **options: Any) -> int:  # noqa: ANN401
    """List the scenarios of FILES: name, difficulty, tags, calls."""
    selection = selection_of(options)
    session = Session(Asked(tuple(files), tools, selection), elsewhere=sys.stderr)
    scenarios = session.choose()
    for scenario in scenarios:
        columns = (
            scenario.name,
            scenario.difficulty,
            str(len(scenario.tool_calls)),
            " ".join(scenario.tags),
        )
        click.echo("\t".join(map(safe, columns)))
    if not scenarios:
        click.echo(f"exit {NOTHING}: no scenario matches {selection}", err=True)
    return 0 if scenarios else NOTHING


@click.command("validate")
@loading
@selecting
def validate_command(files: tuple[str, ...], tools: str | None, **options: Any) -> int:  # noqa: ANN401
    """Check FILES without a call: every problem, each with its place and the nearest right one."""
    selection = selection_of(options)
    session = Session(Asked(tuple(files), tools, selection), elsewhere=sys.stderr)
    prepared = session.prepare()
    for warning in prepared.warnings:
        click.echo(safe(f"warning: {warning}"), err=True)
    count, doubtful = len(prepared.jobs), len(prepared.warnings)
    click.echo(
        f"{count} scenario{'s' * (count != 1)}, no error, {doubtful} warning{'s' * (doubtful != 1)}"
    )
    return 0 if count else NOTHING


COMMANDS: dict[str, click.Command] = {
    "run": run_command,
    "list": list_command,
    "validate": validate_command,
}
