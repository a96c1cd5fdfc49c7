"""How a command line is answered: the command it names, and the exit code it ends with."""

import os
import sys
import threading
import traceback
from collections.abc import Sequence
from pathlib import Path

import click

from evalkit.cli.commands import COMMANDS
from evalkit.cli.config import configured
from evalkit.errors import CatalogueError
from evalkit.registry import nearest
from evalkit.reports.run_report import INTERRUPTED
from evalkit.reports.text import safe
from evalkit.version import VERSION

INTERNAL, USAGE = 3, 4
LINGER_S = 2.0


@click.group(commands=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, message="evalkit %(version)s")
def evalkit() -> None:
    """Evaluate tools by scenarios. `evalkit FILE...` is short for `evalkit run FILE...`.

    Exit codes: 0 all that was measured passed, 1 something failed, 2 interrupted, 3 internal error,
    4 usage or catalogue error, 5 nothing measured.
    """


def main(argv: Sequence[str]) -> int:
    """Answer a command line, and give the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _answer(_with_command(argv))
    except KeyboardInterrupt:
        code = _said(INTERRUPTED, "interrupted")
    except click.UsageError as error:
        code = _said(USAGE, f"{error.format_message()}{_usage_hint(error)}")
    except click.ClickException as error:
        code = _said(USAGE, error.format_message())
    except CatalogueError as error:
        code = _refused(error)
    except Exception:  # noqa: BLE001  - the last door: whatever it is, it is ours, and said so
        code = _said(
            INTERNAL, f"{traceback.format_exc()}internal error: this is a fault of evalkit"
        )
    return _leave(code)


def _with_command(argv: Sequence[str]) -> list[str]:
    """Put `run` before what names no command."""
    known = argv and (argv[0] in COMMANDS or argv[0] in ("-h", "--help", "--version"))
    return list(argv) if known or not argv else ["run", *argv]


def _answer(argv: list[str]) -> int:
    if not argv:
        argv = ["--help"]
    command = COMMANDS.get(argv[0])
    settings = {}
    if command is not None:
        long = {
            each.opts[-1].removeprefix("--")
            for each in command.params
            if isinstance(each, click.Option)
        }
        everywhere = {
            option.opts[-1].removeprefix("--")
            for each in COMMANDS.values()
            for option in each.params
            if isinstance(option, click.Option)
        }
        found = configured(Path.cwd(), everywhere)
        settings = {
            argv[0]: {key: value for key, value in found.items() if key.replace("_", "-") in long}
        }
    code = evalkit.main(argv, prog_name="evalkit", standalone_mode=False, default_map=settings)
    return code if isinstance(code, int) else 0


def _refused(error: CatalogueError) -> int:
    for problem in error.problems:
        click.echo(safe(f"error: {problem}"), err=True)
    count = len(error.problems)
    return _said(USAGE, f"{count} problem{'s' * (count > 1)}; nothing was run")


def _usage_hint(error: click.UsageError) -> str:
    """Name the option closest to one that does not exist."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None or error.possibilities:
        return ""
    names = [name for each in error.ctx.command.params for name in each.opts]
    close = nearest(error.option_name, names)
    return f"; did you mean {close!r}?" if close else ""


def _said(code: int, why: str) -> int:
    click.echo(safe_lines(why), err=True)
    click.echo(f"exit {code}", err=True)
    return code


def safe_lines(text: str) -> str:
    """Make each line of a text harmless."""
    return "\n".join(safe(line) for line in text.split("\n"))


def _leave(code: int) -> int:
    """End the process even where the author's threads do not end; a closed pipe is no error."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (BrokenPipeError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno() if not stream.closed else 1)
    if _lingering():
        os._exit(code)
    return code


def _lingering() -> bool:
    """Say whether threads are left that would keep the process from ending."""
    others = [each for each in threading.enumerate() if each is not threading.main_thread()]
    for thread in others:
        if thread.name == "evalkit":
            return True
        if not thread.daemon:
            thread.join(LINGER_S)
    return any(each.is_alive() and not each.daemon for each in others)
