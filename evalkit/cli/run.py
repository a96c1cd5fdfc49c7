"""`evalkit run`: options in, one session, an exit code out."""

import gc
import math
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click
from click.core import ParameterSource

from evalkit.api.options import secrets_of
from evalkit.api.session import Manner, Session
from evalkit.asked import Asked, Prepared
from evalkit.cli.options import (
    agent_given,
    asking,
    judging,
    loading,
    logs,
    reading_of,
    recording,
    selecting,
    selection_of,
    showing,
)
from evalkit.cli.process import Started, interrupts, no_early_end
from evalkit.cli.shown import last_line, shown
from evalkit.cli.streams import cleaned
from evalkit.errors import CatalogueError
from evalkit.executors import Execution, execution_of
from evalkit.intervals import MOST_EPOCHS
from evalkit.registry import listing
from evalkit.reports.files import report_to
from evalkit.reports.run_report import INTERRUPTED, RunReport
from evalkit.result import Outline, ScenarioResult
from evalkit.runlog.reader import LoggedResults
from evalkit.runlog.redaction import Redaction
from evalkit.runlog.resume import NEWEST, LogOptions
from evalkit.runlog.runs import runs_in
from evalkit.scorecard import failing
from evalkit.select import Selection
from evalkit.subjects.kinds import FOR_AGENTS

if TYPE_CHECKING:
    from evalkit.protocols import Sink

COUNTS = {
    "concurrency": ("threads", "--concurrency"),
    "processes": ("processes", "dask", "-n"),
}
"""The options that say how many, the executors that each is for, and its flag."""
MOST_SKIPS = 1_000
"""How many scenarios are looked at, to say why all were skipped."""
YOUNG = 20_000
"""How many new objects the collector waits for: a scenario makes some hundred, and drops them."""


class Thrift:
    """Spares the garbage collector what a run only ever reads: the catalogue and its plans."""

    def start(self, outline: Outline) -> None:
        """Freeze all that was loaded and planned."""
        del outline
        gc.freeze()
        gc.set_threshold(YOUNG, 20, 20)
        gc.enable()

    def add(self, result: ScenarioResult) -> None:
        """Need nothing of a result."""

    def finish(self, report: RunReport) -> None:
        """Need nothing at the end."""


def _positive(_context: click.Context, option: click.Parameter, value: float | None) -> Any:
    if value is not None and not 0 < value < math.inf:
        raise click.BadParameter(f"{value!r} is no number above 0", param=option)
    return value


def _share(_context: click.Context, option: click.Parameter, value: float | None) -> Any:
    if value is not None and not 0 < value < 1:
        raise click.BadParameter(f"{value!r} is no rate between 0 and 1", param=option)
    return value


def _per_second(_context: click.Context, option: click.Parameter, value: str | None) -> Any:
    """Read a rate: `10/s`, `90/m`, or a plain number of them a second."""
    if value is None:
        return None
    number, _, unit = value.partition("/")
    try:
        rate = float(number) / {"": 1, "s": 1, "m": 60, "h": 3600}[unit]
    except (ValueError, KeyError):
        rate = 0.0
    if not 0 < rate < math.inf:
        problem = f"{value!r} is no rate; write 10/s, 90/m or 500/h"
        raise click.BadParameter(problem, param=option)
    return rate


@click.command("run")
@loading
@asking
@click.option("--record", type=click.Path(path_type=Path), help="Keep every answer in this folder.")
@click.option(
    "--replay",
    type=click.Path(path_type=Path),
    help="Take every answer from this folder, where --record kept it.",
)
@selecting
@click.option("--lf", "last_failed", is_flag=True, help="Only what failed in the last run.")
@click.option("--ff", "failed_first", is_flag=True, help="What failed in the last run first.")
@click.option("-x", "--exitfirst", is_flag=True, help="Stop after the first scenario that fails.")
@click.option("--maxfail", type=click.IntRange(min=1), help="Stop after this many.")
@click.option(
    "--epochs",
    type=click.IntRange(1, MOST_EPOCHS),
    help="Run each scenario so often, a factory's tools afresh; all must pass, or pass_epochs.",
)
@click.option(
    "--until-sure",
    type=float,
    callback=_share,
    metavar="RATE",
    help="Run each until it is sure whether it passes at this rate; --epochs is the most.",
)
@click.option(
    "--timeout",
    type=float,
    callback=_positive,
    help="Seconds for a call that does not say, or a turn of an agent.  [default: 60; 300]",
)
@click.option("--concurrency", type=click.IntRange(min=1), help="Run so many at once, on threads.")
@click.option("-n", "--processes", type=click.IntRange(min=1), help="Run in so many processes.")
@click.option("--executor", help="serial, threads, processes, or dask[=ADDRESS].")
@click.option("--rate", callback=_per_second, help="Begin at most so many: 10/s, 90/m.")
@logs
@recording
@click.option(
    "--resume",
    is_flag=False,
    flag_value=NEWEST,
    metavar="[RUN]",
    help="Go on with a run; without a name, with the newest unfinished one.",
)
@click.option("--force", is_flag=True, help="Go on with it though files or options differ.")
@click.option("--redact", multiple=True, metavar="VARIABLE", help="Its value is secret.")
@judging
@showing
@click.pass_obj
def run_command(
    stdout: TextIO, /, files: tuple[str, ...], tools: str | None, **options: Any
) -> int:
    """Run the scenarios of FILES against their tools, or against an agent."""
    selection = _selection(options)
    redaction = Redaction(secrets_of(options["redact"]))
    outputs: list[Sink] = [report_to(path, redaction) for path in options["output"]]
    started = Started()
    sinks: list[Sink] = [Thrift(), started, *outputs, shown(options, stdout, redaction)]
    asked = Asked(
        files,
        tools,
        selection,
        options["timeout"],
        options["epochs"],
        options["until_sure"],
        reading=reading_of(options),
        embed=options["embed"],
        agent=agent_given(options),
        replay=options["replay"],
    )
    limit = 1 if options["exitfirst"] else options["maxfail"]
    log = _log(options)
    execution, record = _execution(options), options["record"]
    manner = Manner(limit, options["rate"], execution, False, log, redaction, record)  # noqa: FBT003
    session = Session(asked, sinks, elsewhere=cleaned(sys.stderr, redaction), manner=manner)
    gc.disable()
    with interrupts(started), no_early_end(started):
        try:
            report = session.run()
        except KeyboardInterrupt:
            return last_line(options, stdout, INTERRUPTED, "interrupted")
        except CatalogueError as error:
            raise redaction.error_of(error) from None
    why = _why_nothing(report, session.prepared, selection)
    return last_line(options, stdout, report.exit_code, why or report.why)


def _selection(options: dict[str, Any]) -> Selection:
    """Make the selection, with what failed in the last run where that is asked for."""
    last_failed, failed_first = options.pop("last_failed"), options.pop("failed_first")
    if not (last_failed or failed_first):
        return selection_of(options)
    if options["resume"] is not None:
        raise click.UsageError("--lf and --ff look at another run than --resume goes on with")
    runs = runs_in(options["log_dir"])
    bad: list[str] = []
    if runs:
        last = LoggedResults(runs[-1])
        bad = failing(last, last.log.header.get("bears", {}).get("until_sure"))
    return selection_of(options, frozenset(bad), failed_first=failed_first)


def _execution(options: dict[str, Any]) -> Execution:
    """Read where to run; `-n` and `--concurrency` alone say it, too.

    What is said on the command line wins over a setting of the project.
    """
    source = click.get_current_context().get_parameter_source
    said = {name: options[name] for name in COUNTS if options[name]}
    flags = [name for name in (*said, "executor") if source(name) is ParameterSource.COMMANDLINE]
    kind = None if flags and "executor" not in flags else options["executor"]
    if flags:
        said = {name: said[name] for name in flags if name in said}
    wanted = kind.partition("=")[0] if kind else None
    if len(said) > 1 or any(wanted not in (None, *COUNTS[name]) for name in said):
        told = " and ".join(COUNTS[name][-1] for name in said)
        other = f"--executor {kind}" if kind else "each other"
        raise click.UsageError(f"{told} with {other}: choose one")
    for name in said:
        return execution_of(kind or COUNTS[name][0], said[name])
    return execution_of(kind or "serial")


def _log(options: dict[str, Any]) -> LogOptions | None:
    if options["no_log"]:
        if options["resume"] is not None or options["label"] is not None:
            raise click.UsageError("--resume and --label are of a log, and --no-log has none")
        return None
    return LogOptions(
        options["log_dir"],
        options["label"],
        options["resume"],
        options["force"],
        options["salvage"],
        tuple(sys.argv),
    )


def _why_nothing(report: RunReport, prepared: Prepared, selection: Selection) -> str:
    """Say why nothing was measured, where that is so."""
    if report.scorecard.all.measured:
        return ""
    if prepared.jobs:
        skips = {job.plan.skip for job in islice(prepared.jobs, MOST_SKIPS)}
        if skips != {FOR_AGENTS}:
            return f"{len(prepared.jobs)} selected, all skipped: {listing(sorted(map(str, skips)))}"
        told = f"{len(prepared.jobs)} selected, all need an agent: --agent package.module:function"
        asked = any(job.plan.scenario.answers for job in islice(prepared.jobs, 1))
        return told + " (or evalkit grade FILE --predictions ANSWERS)" * asked
    return nobody(selection, prepared)


def nobody(selection: Selection, prepared: Prepared) -> str:
    """Say that nothing is selected, and what is near."""
    close = selection.nearest(list(prepared.everything))
    return f"no scenario matches {selection}" + (f" (nearest {close!r})" if close else "")
