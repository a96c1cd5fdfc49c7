"""`evalkit grade`: verdicts without running anything, on a recorded run or on predictions."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from evalkit.api.session import Manner, Session
from evalkit.asked import Asked
from evalkit.cli.logged import GRADED, told
from evalkit.cli.options import (
    judging,
    logs,
    reading_files,
    reading_of,
    recording,
    selecting,
    selection_of,
    showing,
)
from evalkit.cli.run import nobody
from evalkit.cli.shown import last_line, shown
from evalkit.errors import CatalogueError, Problem
from evalkit.grading import regrade, skipped
from evalkit.loaders import PYTHON, READERS, Reading, named_from_here
from evalkit.loaders.predictions import predictions_of
from evalkit.model import Scenario
from evalkit.plan import Plan
from evalkit.planning import Planner
from evalkit.protocols import Services
from evalkit.registry import listing
from evalkit.reports.files import report_to
from evalkit.result import ScenarioResult
from evalkit.runlog.reader import RunLog
from evalkit.runlog.redaction import Redaction
from evalkit.runlog.resume import LogOptions
from evalkit.runlog.runs import find_run
from evalkit.subjects.kinds import AGENTS, PREDICTIONS, TOOLS, replayed

if TYPE_CHECKING:
    from evalkit.protocols import Sink


FOR_PREDICTIONS = {
    "fields": "--predictions-map",
    "label": "--label",
    "no_log": "--no-log",
}
"""The options that only predictions have, which are recorded as a run."""


@click.command("grade")
@reading_files
@selecting
@click.option(
    "--predictions",
    type=click.Path(path_type=Path),
    help="A file of answers by name or id, of another program.",
)
@click.option(
    "--predictions-map",
    "fields",
    metavar="name=ID,response=ANSWER",
    help="Which of its columns are what.",
)
@logs
@recording
@judging
@showing
@click.pass_obj
def grade_command(stdout: TextIO, /, files: tuple[str, ...], **options: Any) -> int:
    """Grade a recorded run again: grade RUN [FILE]...; or answers: grade FILE --predictions FILE.

    Nothing is run. RUN is an id, a label, latest, latest~1 or a path, and FILES are its own, if
    none are given.
    """
    if options["predictions"] is not None:
        return _grade_predictions(stdout, files, options)
    for name, flag in FOR_PREDICTIONS.items():
        if options[name]:
            raise click.UsageError(f"{flag} is for --predictions; to grade a run records nothing")
    return _grade_run(stdout, files[0], files[1:], options)


def _grade_predictions(stdout: TextIO, files: tuple[str, ...], options: dict[str, Any]) -> int:
    if options["salvage"]:
        raise click.UsageError("--salvage is for a run, and answers have no log")
    selection = selection_of(options)
    asked = Asked(
        files,
        selection=selection,
        reading=reading_of(options),
        embed=options["embed"],
        predictions=predictions_of(options["predictions"], options["fields"]),
    )
    log = None
    if not options["no_log"]:
        log = LogOptions(options["log_dir"], options["label"], argv=tuple(sys.argv))
    sinks: list[Sink] = [report_to(path, Redaction()) for path in options["output"]]
    sinks.append(shown(options, stdout, Redaction()))
    session = Session(
        asked, sinks, elsewhere=sys.stderr, manner=Manner(keep_results=False, log=log)
    )
    report = session.run()
    why = "" if len(session.prepared.jobs) else nobody(selection, session.prepared)
    return last_line(options, stdout, report.exit_code, why or report.why)


def _grade_run(
    stdout: TextIO,
    run: str,
    files: tuple[str, ...],
    options: dict[str, Any],
) -> int:
    if Path(run).suffix in (PYTHON, *READERS):
        raise click.UsageError(f"{run!r} is no run; to grade answers, say --predictions FILE")
    log = RunLog(find_run(options["log_dir"], run), salvage=options["salvage"])
    targets = files or tuple(log.header.get("bears", {}).get("files", ()))
    reading = reading_of(options)
    recorded = log.header.get("bears", {}).get("reading", {})
    if not {name for name in reading.said if name != "allow_import"}:  # as it was graded then
        allowed = reading.allow_import or recorded.get("allow_import", False)
        reading = Reading(**{**recorded, "allow_import": allowed})
    asked = Asked(targets, None, selection_of(options), reading=reading)
    chosen, _ = Session(asked, elsewhere=sys.stderr).choose()
    plans = _planned(log, chosen, options["embed"])
    results = (
        _regraded(log.result(key), plans[key[0]]) for key in log.in_order() if key[0] in plans
    )
    return told(results, log, options, stdout, GRADED)


def _planned(log: RunLog, scenarios: list[Scenario], embed: str | None) -> dict[str, Plan]:
    """Plan what the log has traces of; everything wrong with it is raised at once."""
    names = {name for name, _ in log.entries}
    bears = log.header.get("bears", {})
    kind = PREDICTIONS if "predictions" in bears else AGENTS
    kind = TOOLS if bears.get("subject") == TOOLS.name else kind
    kind = replayed(kind) if "replay" in bears else kind
    services = Services(None if embed is None else named_from_here(embed, "embed"))
    plans: dict[str, Plan] = {}
    problems: list[Problem] = []
    for scenario in scenarios:
        if scenario.name in names:
            operators = scenario.home.operators if scenario.home is not None else {}
            planner = Planner(None, operators, kind=kind, services=services)
            plans[scenario.name] = planner.compile(scenario)
            problems += planner.problems.errors
    if problems:
        raise CatalogueError(problems=problems)
    untried = [scenario.name for scenario in scenarios if scenario.name not in names]
    if untried:
        log.notes.append(f"without a trace in this run, and not graded: {listing(untried)}")
    log.missing = len(untried)
    gone = sorted(names - plans.keys())
    if gone:
        log.notes.append(f"not in the catalogue or not selected, and left out: {listing(gone)}")
    return plans


def _regraded(old: ScenarioResult, plan: Plan) -> ScenarioResult:
    if old.trace is None or plan.skip is not None:
        return skipped(plan, plan.skip or old.reason)
    result = regrade(plan, old.trace)
    result.epoch, result.epochs = old.epoch, old.epochs
    result.needed = min(plan.scenario.pass_epochs or old.epochs, old.epochs)
    return result
