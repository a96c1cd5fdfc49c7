"""The commands that only look at a catalogue: list and validate."""

import sys
from typing import Any, TextIO

import click

from evalkit.api.session import Session
from evalkit.asked import Asked, Prepared
from evalkit.cli.options import (
    agent_given,
    asking,
    judging,
    loading,
    reading_of,
    selecting,
    selection_of,
)
from evalkit.cli.run import nobody
from evalkit.cli.shown import last_line
from evalkit.registry import counted
from evalkit.reports.run_report import NOTHING, PASSED
from evalkit.reports.text import Page
from evalkit.select import Selection


@click.command("list")
@loading
@selecting
@click.pass_obj
def list_command(
    stdout: TextIO, /, files: tuple[str, ...], tools: str | None, **options: Any
) -> int:
    """List the scenarios of FILES: name, difficulty, number of calls, tags."""
    session, selection = _session(files, tools, options)
    scenarios, everything = session.choose()
    page = Page(stdout, colour=False)
    for scenario in scenarios:
        calls, tags = str(len(scenario.tool_calls)), " ".join(scenario.tags)
        page.columns(scenario.name, scenario.difficulty, calls, tags)
    page.flush()
    if scenarios:
        return PASSED
    why = nobody(selection, Prepared(everything=tuple(everything)))
    return last_line({}, sys.stderr, NOTHING, why)


@click.command("validate")
@loading
@asking
@selecting
@judging
@click.pass_obj
def validate_command(
    stdout: TextIO, /, files: tuple[str, ...], tools: str | None, **options: Any
) -> int:
    """Check FILES without a call: every problem, each with its place and the nearest right one."""
    session, selection = _session(files, tools, options)
    prepared = session.prepare()
    if not prepared.jobs:
        return last_line({}, sys.stderr, NOTHING, nobody(selection, prepared))
    page = Page(stdout, colour=False)
    for warning in prepared.warnings:
        page.line(f"warning: {warning}")
    warnings = counted(len(prepared.warnings), "warning")
    page.line(f"{counted(len(prepared.jobs), 'scenario')}, no error, {warnings}")
    page.flush()
    return PASSED


def _session(
    files: tuple[str, ...], tools: str | None, options: dict[str, Any]
) -> tuple[Session, Selection]:
    """Give the session that only looks, and what is selected."""
    selection, reading = selection_of(options), reading_of(options)
    agent = agent_given(options) if "agent" in options else None
    asked = Asked(files, tools, selection, reading=reading, embed=options.get("embed"), agent=agent)
    return Session(asked, elsewhere=sys.stderr), selection
