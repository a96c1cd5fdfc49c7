"""What a command shows: on stdout for a reader or a program, and the last line that says why."""

import sys
from typing import Any, TextIO

from evalkit.cli.streams import write_bytes
from evalkit.protocols import Sink
from evalkit.reports.json_report import JsonReport
from evalkit.reports.terminal import TerminalReport
from evalkit.reports.text import Page, wants_colour
from evalkit.runlog.redaction import Redaction


def shown(options: dict[str, Any], stdout: TextIO, redaction: Redaction) -> Sink:
    """Make the report that stdout gets: for a reader, or for a program."""
    if options["as_json"]:
        return JsonReport(lambda content: write_bytes(stdout, content), redaction)
    colour = wants_colour(options["color"], stdout)
    page = Page(stdout, colour=colour, clean=redaction.message_of)
    verbosity = -1 if options["quiet"] else options["verbose"]
    return TerminalReport(page, verbosity, progress=stdout.isatty(), redaction=redaction)


def last_line(options: dict[str, Any], stdout: TextIO, code: int, why: str) -> int:
    """Say in the last line why the process ends with this code, and give the code."""
    page = Page(sys.stderr if options.get("as_json") else stdout, colour=False)
    page.line(f"exit {code}: {why}")
    page.flush()
    return code
