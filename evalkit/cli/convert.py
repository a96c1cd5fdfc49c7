"""The commands on files of scenarios: convert them from one form to another, and their schema."""

import json
import sys
from pathlib import Path
from typing import Any, TextIO

import click

from evalkit.api.session import Session
from evalkit.asked import Asked
from evalkit.cli.options import reading_files, reading_of, selecting, selection_of
from evalkit.cli.streams import write_bytes
from evalkit.codec import schema
from evalkit.errors import CatalogueError
from evalkit.model import Scenario
from evalkit.reports.files import write_whole
from evalkit.reports.run_report import PASSED
from evalkit.writers import WRITERS, written

FORMS = tuple(sorted({suffix[1:] for suffix in WRITERS}))


@click.command("convert")
@reading_files
@selecting
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    help="The file to write, by suffix: .yaml .json .toml .ndjson; without it, stdout.",
)
@click.option("--to", type=click.Choice(FORMS), help="What stdout gets.  [default: yaml]")
@click.pass_obj
def convert_command(stdout: TextIO, /, files: tuple[str, ...], **options: Any) -> int:
    """Write the scenarios of FILES as another kind of file, which loads as equal ones."""
    selection = selection_of(options)
    asked = Asked(files, None, selection, reading=reading_of(options))
    scenarios, _ = Session(asked, elsewhere=sys.stderr).choose()
    if not scenarios:
        raise CatalogueError("convert", f"no scenario matches {selection}")
    output: Path | None = options["out"]
    if output is not None and options["to"] is not None:
        raise click.UsageError("--to is for standard output; the suffix of --out says what it gets")
    if output is not None and not output.parent.is_dir():
        raise CatalogueError(f"-o {output}", "can't be written: there is no such folder")
    if output is None:
        kind = options["to"] or "yaml"
        write_bytes(stdout, written(scenarios, f".{kind}", _tools_of(scenarios)))
    else:
        write_whole(output, written(scenarios, output.suffix, _tools_of(scenarios)))
    return PASSED


def _tools_of(scenarios: list[Scenario]) -> str | None:
    """Name the tools that all scenarios are for; that there is no such name is said."""
    named = {each.home.tools_reference if each.home is not None else None for each in scenarios}
    if len(named) == 1:
        reference = named.pop()
        if reference is not None:
            return str(reference)
    if any(each.tool_calls for each in scenarios):
        told = "note: which tools they are for is not written; name them when you run: --tools"
        click.echo(told, err=True)
    return None


@click.command("schema")
@click.pass_obj
def schema_command(stdout: TextIO, /) -> int:
    """Write the JSON Schema of catalogue files, for editors."""
    write_bytes(stdout, (json.dumps(schema(), indent=2) + "\n").encode())
    return PASSED
