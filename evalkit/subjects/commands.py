"""The agent that is a program: the user's message on its stdin, the answer on its stdout."""

import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar, Protocol

import attrs
from attrs import field

from evalkit.errors import TransportError
from evalkit.jsontext import dumped
from evalkit.jsonvalue import Json
from evalkit.model import fields
from evalkit.subjects.programs import (
    MOST_BYTES,
    CommandError,
    LateCommandError,
    Output,
    opened,
    run_command,
)

__all__ = ["CommandAgent", "CommandError", "LateCommandError"]

TAIL = 600
NOT_STARTED = (126, 127)
"""How a shell says that it could not run the command, or found none."""
SIGNALLED = 128
"""What a shell adds to the number of the signal that ended its command."""


class Circumstances(Protocol):
    """What a program is told beside the conversation; epochs and turns count from 1."""

    @property
    def session_id(self) -> str | None:
        """Give the name of the conversation."""
        ...

    @property
    def epoch(self) -> int:
        """Give the number of the epoch."""
        ...

    @property
    def turn(self) -> int:
        """Give the number of the user's turn."""
        ...

    @property
    def deadline_s(self) -> float:
        """Give how many seconds are left."""
        ...


def _command(value: str) -> str:
    where = "CommandAgent.command"
    if not fields.prose(where, value).strip():
        fields.fail(where, "is blank", "what a shell is to run")
    if "\0" in value:
        fields.fail(where, f"a control character in {value!r}")
    return value


@attrs.frozen
class CommandAgent:
    """An agent that is a shell command, run once for each turn of the user.

    It gets the last message of the user on stdin, and in its environment EVALKIT_SESSION_ID,
    EVALKIT_EPOCH and EVALKIT_TURN (both from 1), and EVALKIT_CONVERSATION: the path of a JSON file
    with the whole conversation, which is removed afterwards. Its answer is what it writes to
    stdout, in UTF-8, up to 1 MB, without the newline at its end. What it has started and left
    running is ended with it. Of its calls it shows none.

    >>> CommandAgent("tr a-z A-Z").command
    'tr a-z A-Z'
    """

    command: str = field(converter=_command)
    shows_calls: ClassVar[bool] = False

    def __call__(self, conversation: Sequence[Mapping[str, Json]], ctx: Circumstances) -> str:
        """Run the command, and give its answer.

        `CommandError` says that it failed, `LateCommandError` that it took longer than
        `ctx.deadline_s`, `TransportError` that there was nothing to run.
        """
        with (
            TemporaryDirectory(prefix="evalkit-", ignore_cleanup_errors=True) as name,
            ExitStack() as files,
        ):
            told, asked = Path(name, "conversation.json"), Path(name, "stdin")
            told.write_bytes(dumped(list(conversation)))
            asked.write_bytes(_last_of_user(conversation).encode("utf-8", "replace"))
            out, err = (opened(Path(name, each), files) for each in ("stdout", "stderr"))
            code = run_command(
                self.command,
                stdin=files.enter_context(asked.open("rb")),
                out=out,
                err=err,
                environment=_environment(told, ctx),
                seconds=ctx.deadline_s,
            )
            if code:
                raise _failure(code, _tail(err))
            return _answer(out)


def _last_of_user(conversation: Sequence[Mapping[str, Json]]) -> str:
    for message in reversed(conversation):
        if message["role"] == "user":
            content: str = message["content"]
            return content
    raise LookupError("no message of the user in the conversation")


def _environment(told: Path, ctx: Circumstances) -> dict[str, str]:
    environment = {
        **os.environ,
        "EVALKIT_EPOCH": str(ctx.epoch),
        "EVALKIT_TURN": str(ctx.turn),
        "EVALKIT_CONVERSATION": str(told),
    }
    environment.pop("EVALKIT_SESSION_ID", None)  # that of a run around this one
    if ctx.session_id is not None:
        environment["EVALKIT_SESSION_ID"] = ctx.session_id
    return environment


def _failure(code: int, tail: str) -> Exception:
    """Say how a program ended that did not end well."""
    said = tail or "nothing on stderr"
    if code in NOT_STARTED:
        return TransportError(f"could not be started: exit code {code}: {said}")
    if code < 0:
        return CommandError(f"killed by {_signal(-code)}: {said}")
    after = f" (as after {_signal(code - SIGNALLED)})" if code > SIGNALLED else ""
    return CommandError(f"exit code {code}{after}: {said}")


def _signal(number: int) -> str:
    names = {each.value: each.name for each in signal.Signals}
    return names.get(number, f"signal {number}")


def _tail(err: Output) -> str:
    err.reader.seek(max(0, err.size - 4 * TAIL))
    return err.reader.read().decode("utf-8", "replace")[-TAIL:].strip()


def _answer(out: Output) -> str:
    text = out.reader.read(MOST_BYTES).decode("utf-8", "replace")
    return text.removesuffix("\r\n" if text.endswith("\r\n") else "\n")
