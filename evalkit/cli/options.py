"""The options that several commands take."""

import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from evalkit.loaders import Reading
from evalkit.loaders.reading import FORMATS
from evalkit.model import DIFFICULTIES, MATCHES
from evalkit.model.fields import EXTRACTS
from evalkit.runlog.runs import DEFAULT, is_label
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
    tools = click.option(
        "--tools", metavar="MODULE:NAME", help="The table of tools, or a factory of one."
    )
    return reading_files(tools(command))


def asking(command: Command) -> Command:
    """Add the agent that the prompts are put to."""
    options = [
        click.option("--agent", metavar="MODULE:NAME", help="The agent, or a factory of one."),
        click.option(
            "--agent-cmd", metavar="CMD", help="A program: prompt on stdin, answer on stdout."
        ),
    ]
    return _with(command, options)


def agent_given(options: dict[str, Any]) -> Any:
    """Give the agent that the options name, taking them out; None where they name none."""
    named, command = options.pop("agent"), options.pop("agent_cmd")
    if command is None:
        return named
    if named is not None:
        raise click.UsageError("--agent and --agent-cmd are two agents: choose one")
    return import_module("evalkit.subjects.commands").CommandAgent(command)


def reading_files(command: Command) -> Command:
    """Add the files, and how they are read."""
    files = click.argument("files", nargs=-1, required=True, type=click.Path())
    return _with(command, [files, *READING])


def judging(command: Command) -> Command:
    """Add the services that operators ask for."""
    option = click.option(
        "--embed", metavar="MODULE:NAME", help="What gives vectors of texts, for SEMANTIC."
    )
    return _with(command, [option])


def _label(_context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    if value is not None and not is_label(value):
        raise click.BadParameter(f"{value!r} is no name to find a run by", param=option)
    return value


def _columns(
    _context: click.Context, option: click.Parameter, value: str | None
) -> Mapping[str, Sequence[str]] | None:
    if value is None:
        return None
    try:
        return import_module("evalkit.datasets").parse_map(value)  # type: ignore[no-any-return]
    except ValueError as error:  # a DatasetError, which says all that is wrong
        raise click.BadParameter(str(error).replace("\n", "; "), param=option) from error


READING = [
    click.option(
        "--allow-import",
        is_flag=True,
        help="Let files of data name functions and tools, which are then imported.",
    ),
    click.option("--format", "form", type=click.Choice(FORMATS), help="What a file of data holds."),
    click.option(
        "--map",
        "columns",
        callback=_columns,
        metavar="FIELD=COLUMN,...",
        help="Which columns of a table are what: name=id,prompt=question,answers=gold.",
    ),
    click.option(
        "--match", type=click.Choice(MATCHES), help="How answers of a question set match."
    ),
    click.option("--normalize", help="What is done to both texts first: squad, basic, ..."),
    click.option(
        "--extract",
        type=click.Choice(sorted(EXTRACTS)),
        help="What is taken out of an answer before it is held against the golds.",
    ),
]
"""The options that say how files of data are read."""


def reading_of(options: dict[str, Any]) -> Reading:
    """Make what the options say of files of data, taking them out."""
    return Reading(
        options.pop("allow_import"),
        options.pop("form"),
        options.pop("columns"),
        options.pop("match"),
        options.pop("normalize"),
        options.pop("extract"),
    )


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


def recording(command: Command) -> Command:
    """Add the options that say whether a run is recorded, and under which name."""
    options = [
        click.option("--no-log", is_flag=True, help="Record nothing."),
        click.option("--label", callback=_label, help="A name for the run."),
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
