"""How a command line is answered: the command it names, and the exit code it ends with."""

import atexit
import os
import sys
import threading
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import click

from evalkit.cli.commands import COMMANDS
from evalkit.cli.config import configured
from evalkit.cli.streams import own_stdout
from evalkit.errors import CatalogueError, ChangedError, RunLogError, RunLogWriteError
from evalkit.registry import counted, nearest
from evalkit.reports.run_report import INTERRUPTED
from evalkit.reports.text import safe
from evalkit.version import VERSION

INTERNAL, USAGE = 3, 4
LINGER_S = 2.0
MOST_TOLD = 100
"""So many problems are told; who has more will not read them."""
HELP = ("-h", "--help", "--version")


@click.group(commands=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, message="evalkit %(version)s")
def evalkit() -> None:
    """Evaluate tools by scenarios. `evalkit FILE...` is short for `evalkit run FILE...`.

    Exit codes: 0 all that was measured passed, 1 something failed, 2 interrupted, 3 internal error,
    4 usage or catalogue error, 5 nothing measured.
    """


def main(argv: Sequence[str], *, last: bool = False) -> int:
    """Answer a command line, and give the exit code; `last` where the process ends with it."""
    with own_stdout(give_back=not last) as stdout:
        code = _answered(list(argv) or ["--help"], stdout)
    return _leave(code) if last else code


def _answered(argv: list[str], stdout: object) -> int:
    try:
        return _answer(argv, stdout)
    except (KeyboardInterrupt, click.Abort):
        return _said(INTERRUPTED, "interrupted")
    except click.UsageError as error:
        return _said(USAGE, f"{error.format_message().rstrip('.')}{_usage_hint(error)}")
    except click.ClickException as error:
        return _said(USAGE, error.format_message())
    except CatalogueError as error:
        return _refused(error)
    except ChangedError as error:
        return _said(INTERRUPTED, f"interrupted: {error}")
    except (RunLogError, OSError) as error:
        return _not_written(error)
    except BaseException:  # noqa: BLE001  - the last door: whatever it is, it is ours
        click.echo(safe_lines(traceback.format_exc()), err=True)
        return _said(INTERNAL, "internal error, which is a fault of evalkit")


def _answer(argv: list[str], stdout: object) -> int:
    if argv[0] not in COMMANDS and argv[0] not in HELP:
        _refuse_mistyped_command(argv[0])
        argv = ["run", *argv]
    argv = _unnamed_resume(argv)
    settings = {}
    if argv[0] in COMMANDS:
        taken = {each.name for each in COMMANDS[argv[0]].params}
        found = configured(Path.cwd(), COMMANDS.values())
        settings = {argv[0]: {key: value for key, value in found.items() if key in taken}}
    if argv[0] in HELP or {"-h", "--help"} & set(argv):
        click.echo(_help(argv), file=stdout)  # type: ignore[arg-type]
        return 0
    code = evalkit.main(
        argv, prog_name="evalkit", standalone_mode=False, default_map=settings, obj=stdout
    )
    return code if isinstance(code, int) else 0


def _unnamed_resume(argv: list[str]) -> list[str]:
    """Read `--resume FILE` as one that names no run, for what follows is a file to run."""
    return [
        "--resume=" if each == "--resume" and Path(after).is_file() else each
        for each, after in zip(argv, [*argv[1:], ""], strict=True)
    ]


def _help(argv: list[str]) -> str:
    if argv[0] == "--version":
        return f"evalkit {VERSION}"
    command = COMMANDS.get(argv[0])
    root = click.Context(evalkit, info_name="evalkit", help_option_names=["-h", "--help"])
    if command is None:
        return evalkit.get_help(root)
    return command.get_help(click.Context(command, info_name=argv[0], parent=root))


def _refuse_mistyped_command(word: str) -> None:
    """Tell a mistyped command from a file: it has no suffix, is no file, and is near a command."""
    close = None if "." in word or word.startswith("-") else nearest(word, COMMANDS)
    if close is not None and not Path(word).exists():
        raise click.UsageError(f"no command {word!r}; did you mean {close!r}?")


def _refused(error: CatalogueError) -> int:
    for problem in error.problems[:MOST_TOLD]:
        click.echo(safe(f"error: {problem}"), err=True)
    more = len(error.problems) - MOST_TOLD
    if more > 0:
        click.echo(f"and {more:,} more, of which the first may be the reason", err=True)
    return _said(USAGE, f"{counted(len(error.problems), 'problem')}; nothing was run")


def _not_written(error: RunLogError | OSError) -> int:
    """Say what became of a log or a report: the log is fine as far as it goes."""
    if isinstance(error, RunLogWriteError):
        return _said(INTERNAL, f"the run log could not be written: {error}; --resume goes on")
    if isinstance(error, RunLogError):
        return _said(USAGE, str(error))
    return _said(INTERNAL, f"a report could not be written: {error}")


def _usage_hint(error: click.UsageError) -> str:
    """Name the option closest to one that does not exist."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None or error.possibilities:
        return ""
    names = [name for each in error.ctx.command.params for name in each.opts]
    close = nearest(error.option_name, names)
    return f"; did you mean {close!r}?" if close else ""


def _said(code: int, why: str) -> int:
    """Say in the last line why the process ends with this code."""
    click.echo(f"exit {code}: {safe_lines(why)}", err=True)
    return code


def safe_lines(text: str) -> str:
    """Make each line of a text harmless."""
    return "\n".join(safe(line) for line in text.split("\n"))


def _leave(code: int) -> NoReturn:
    """End the process at once: threads of the author's may not end, and nothing is left to do.

    What was registered for the end is done, but no object is taken apart, which costs 15 ms.
    """
    if not _lingering():
        atexit._run_exitfuncs()  # noqa: SLF001  - what the interpreter does first
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _lingering() -> bool:
    """Say whether threads are left that would keep the process from ending."""
    others = [each for each in threading.enumerate() if each is not threading.main_thread()]
    for thread in others:
        if thread.name == "evalkit" and thread.is_alive():
            return True
        if not thread.daemon:
            thread.join(LINGER_S)
    return any(each.is_alive() and not each.daemon for each in others)
