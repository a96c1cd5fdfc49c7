"""The options that several commands take."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from evalkit.model import DIFFICULTIES
from evalkit.runlog.runs import DEFAULT
from evalkit.select import Selection

Command = Callable[..., Any]


def selecting(command: Command) -> Command:
    """Add the options that select scenarios."""
    options = [
        click.option(
            "-t",
            "--tag",
            multiple=True,
            help="With this tag (repeatable: any of them); not:TAG excludes.",
        ),
        click.option(
            "--difficulty",
            multiple=True,
            type=click.Choice(DIFFICULTIES),
            help="Of this difficulty (repeatable).",
        ),
        click.option(
            "-k", "--expr", help="Whose name or tags contain these words; and, or, not, ( )."
        ),
        click.option("--name", multiple=True, help="Of exactly this name (repeatable)."),
        click.option("--shard", metavar="I/N", callback=_shard, help="The Ith of N equal shares."),
        click.option("--sample", type=click.IntRange(min=1), help="This many, drawn by --seed."),
        click.option("--seed", type=int, default=0, help="What --sample draws by.  [default: 0]"),
    ]
    return _with(command, options)


def loading(command: Command) -> Command:
    """Add the files, and the tools they are for."""
    options = [
        click.argument("files", nargs=-1, required=True, type=click.Path()),
        click.option(
            "--tools", metavar="MODULE:NAME", help="The table of tools, or a factory of one."
        ),
    ]
    return _with(command, options)


def logs(command: Command) -> Command:
    """Add the options that say where runs are recorded."""
    options = [
        click.option(
            "--log-dir",
            type=click.Path(path_type=Path),
            default=DEFAULT,
            help="Where runs are recorded.  [default: .evalkit/runs]",
        ),
        click.option("--salvage", is_flag=True, help="Leave out what is damaged in a log."),
    ]
    return _with(command, options)


def showing(command: Command) -> Command:
    """Add the options that say what is shown, and where it is written."""
    options = [
        click.option("-v", "--verbose", count=True, help="A line per scenario; twice: per check."),
        click.option("-q", "--quiet", is_flag=True, help="Only the failures and the last lines."),
        click.option(
            "--json", "as_json", is_flag=True, help="One JSON object on stdout, nothing else."
        ),
        click.option(
            "-o",
            "--output",
            multiple=True,
            type=click.Path(path_type=Path),
            help="Write a report to a file, by suffix: .json (repeatable).",
        ),
        click.option(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            help="Colours; NO_COLOR is honoured.",
        ),
    ]
    return _with(command, options)


def selection_of(
    options: dict[str, Any], failed: frozenset[str] | None = None, *, failed_first: bool = False
) -> Selection:
    """Make the selection that the options ask for, taking them out."""
    return Selection(
        tags=options.pop("tag"),
        difficulty=options.pop("difficulty"),
        names=options.pop("name"),
        expr=options.pop("expr"),
        shard=options.pop("shard"),
        sample=options.pop("sample"),
        seed=options.pop("seed"),
        failed=failed,
        failed_first=failed_first,
    )


def _with(command: Command, options: Sequence[Callable[[Any], Any]]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def _shard(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    if value is None:
        return None
    found = re.fullmatch(r"([0-9]+)/([0-9]+)", value)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise click.BadParameter(
            f"{value!r} is no share; write I/N with I from 1 to N, such as 2/5"
        )
    return int(found[1]), int(found[2])
