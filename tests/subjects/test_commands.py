"""A program is an agent: asked on stdin, heard on stdout, in time, and never left running."""

import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from math import inf
from pathlib import Path
from typing import Any

import attrs
import pytest

from evalkit import CatalogueError, TransportError
from evalkit.subjects.commands import CommandAgent, CommandError, LateCommandError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the commands are for a POSIX shell")

ASKED = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Where is it?"},
    {"role": "assistant", "content": "Which?"},
    {"role": "user", "content": "Order 7, Grüße"},
]
PROC = Path("/proc/self/stat")
LONG = "x" * 300_000
"""More than a pipe takes before somebody reads."""


@attrs.frozen
class Ctx:
    """What a program is told beside the conversation."""

    session_id: str | None = "session-1"
    epoch: int = 2
    turn: int = 3
    deadline_s: float = 20.0


def answer(command: str, conversation: Any = ASKED, **told: Any) -> str:
    """Let a command answer."""
    return CommandAgent(command)(conversation, Ctx(**told))


def python(code: str) -> str:
    """The command that runs Python code."""
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"


def took(act: Callable[[], object]) -> float:
    """How long something takes."""
    began = time.monotonic()
    act()
    return time.monotonic() - began


def runs(pid: int) -> bool:
    """Whether a process runs: one that has ended and waits to be seen off does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[
            0
        ] not in ("Z", "X")
    except OSError:
        return False


@pytest.fixture
def noted(tmp_path: Path) -> Iterator[Path]:
    """Where a command notes the number of a process it has started."""
    if not PROC.exists():
        pytest.skip("looks for processes in /proc")
    path = tmp_path / "pid"
    yield path
    assert not runs(int(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("cat", "Order 7, Grüße"),
        ("printf late", "late"),
        ("printf 'late\\n'", "late"),
        ("printf 'late\\r\\n'", "late"),
        ("printf 'late\\n\\n'", "late\n"),
        ("printf ' late '", " late "),
        ("printf '\\377'", "\N{REPLACEMENT CHARACTER}"),
        ("true", ""),
        ("echo", ""),
        ("echo loud >&2; echo late", "late"),
        ("head -c 1000000 /dev/zero | tr '\\0' x", "x" * 1_000_000),
    ],
)
def test_the_answer_is_what_it_prints(command: str, text: str) -> None:
    """The last message of the user goes in, and stdout comes out, without its last newline."""
    assert answer(command) == text


def test_many_words_go_in() -> None:
    """A message of any length arrives whole."""
    assert answer("wc -c", [{"role": "user", "content": LONG}]).strip() == str(len(LONG))


@pytest.mark.parametrize(
    "command", ["echo ok", "head -c 1 >/dev/null; echo ok", "exec <&-; echo ok"]
)
def test_it_need_not_listen(command: str) -> None:
    """A program that reads nothing, or a part, is answered for as any other."""
    assert answer(command, [{"role": "user", "content": LONG}]) == "ok"


def test_it_is_told_what_surrounds_it() -> None:
    """Session, epoch and turn are in its environment."""
    told = answer('echo "$EVALKIT_SESSION_ID $EVALKIT_EPOCH $EVALKIT_TURN"')
    assert told == "session-1 2 3"


def test_without_a_session_none_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The session of a run around this one is not taken for its own; the rest is handed on."""
    monkeypatch.setenv("EVALKIT_SESSION_ID", "another")
    monkeypatch.setenv("SHOP_KEY", "k")
    assert answer('echo "${EVALKIT_SESSION_ID-none} $SHOP_KEY"', session_id=None) == "none k"


def test_it_can_read_the_whole_conversation() -> None:
    """A file holds it as JSON, and is gone afterwards, with its folder."""
    told = answer('echo "$EVALKIT_CONVERSATION"; cat "$EVALKIT_CONVERSATION"')
    path, _, text = told.partition("\n")
    assert json.loads(text) == ASKED
    assert not Path(path).parent.exists()


def test_it_may_remove_its_files() -> None:
    """A program that tidies up more than is its own is heard all the same."""
    assert answer('echo late; rm -r "$(dirname "$EVALKIT_CONVERSATION")"') == "late"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("echo out; echo 'no key' >&2; exit 3", "exit code 3: no key"),
        ("exit 1", "exit code 1: nothing on stderr"),
        ("printf '\\377' >&2; exit 1", "exit code 1: \N{REPLACEMENT CHARACTER}"),
        ("head -c 700 /dev/zero | tr '\\0' x >&2; exit 1", "exit code 1: " + "x" * 600),
        ("kill -SEGV $$", "killed by SIGSEGV: nothing on stderr"),
        ("kill -KILL $$", "killed by SIGKILL: nothing on stderr"),
        ("sh -c 'kill -KILL $$'; exit $?", "exit code 137 (as after SIGKILL)"),
        ("exit 255", "exit code 255 (as after signal 127): nothing on stderr"),
    ],
)
def test_a_program_that_fails_has_not_answered(command: str, told: str) -> None:
    """Whatever it printed, a program that ends otherwise than with 0 gave no answer."""
    with pytest.raises(CommandError) as caught:
        answer(command)
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize("command", ["no-such-program-anywhere", "/", "exit 126"])
def test_a_program_that_is_not_there_is_out_of_reach(command: str) -> None:
    """What a shell can't run was never asked: that is no verdict on an agent."""
    with pytest.raises(TransportError, match=r"could not be started: exit code 12[67]: "):
        answer(command)


def test_a_command_that_no_shell_takes_is_out_of_reach() -> None:
    """A command that is too long for the system was never asked either."""
    with pytest.raises(TransportError, match=r"could not be started: .*too long"):
        answer(f"echo {'x' * 3_000_000}")


@pytest.mark.parametrize("command", ["yes", "head -c 2000000 /dev/zero", "yes >&2"])
def test_a_program_that_never_stops_talking_is_stopped(command: str) -> None:
    """More than 1 MB is no answer, and neither disk nor memory is filled with it."""
    with pytest.raises(CommandError, match=r"more than [\d,]+ bytes to std"):
        answer(command)


@pytest.mark.parametrize(
    "command", ["sleep 60", "sleep 60 & wait", python("import time; time.sleep(60)")]
)
def test_a_program_is_stopped_at_its_deadline(command: str) -> None:
    """One that is late is ended, and is no transport that failed."""

    def act() -> None:
        with pytest.raises(LateCommandError, match=r"did not end within 0\.3 s"):
            answer(command, deadline_s=0.3)

    assert 0.3 <= took(act) < 2.0
    assert not issubclass(LateCommandError, TimeoutError)


@pytest.mark.parametrize("left", [0.0, -1.0])
def test_without_time_nothing_is_started(left: float, tmp_path: Path) -> None:
    """Where no time is left the program is not run at all."""
    mark = tmp_path / "ran"
    with pytest.raises(LateCommandError):
        answer(f"touch {mark}", deadline_s=left)
    assert not mark.exists()


def test_there_may_be_no_deadline() -> None:
    """A deadline that never comes is none."""
    assert answer("echo late", deadline_s=inf) == "late"


@pytest.mark.slow
def test_a_program_that_will_not_end_is_killed(noted: Path) -> None:
    """SIGTERM is a request; two seconds later comes SIGKILL, for it and for its children."""
    command = f"trap '' TERM; sh -c \"trap '' TERM; while :; do sleep 1; done\" & echo $! >{noted}"
    with pytest.raises(LateCommandError):
        answer(f"{command}; while :; do sleep 1; done", deadline_s=0.5)


def test_a_child_left_behind_does_not_keep_us(noted: Path) -> None:
    """A background process that holds stdout is not waited for, and ended."""
    assert took(lambda: answer(f"sleep 60 & echo $! >{noted}; echo late")) < 2.0


def test_the_end_is_announced(tmp_path: Path) -> None:
    """A program has its two seconds to put things in order."""
    mark = tmp_path / "tidied"
    code = (
        "import signal, sys, time, pathlib\n"
        f"def tidy(*_): pathlib.Path({str(mark)!r}).touch(); sys.exit()\n"
        "signal.signal(signal.SIGTERM, tidy)\n"
        "time.sleep(60)"
    )
    with pytest.raises(LateCommandError):
        answer(python(code), deadline_s=1.0)
    assert mark.exists()


def test_two_do_not_meet() -> None:
    """Two that run at once have each their own conversation, and their own answer."""
    command = (
        'sleep 0.2; cat; grep -c "" "$EVALKIT_CONVERSATION" >/dev/null; cat "$EVALKIT_CONVERSATION"'
    )
    words = ["one", "two", "three", "four"]
    with ThreadPoolExecutor(2) as pool:
        told = list(
            pool.map(lambda word: answer(command, [{"role": "user", "content": word}]), words)
        )
    for word, text in zip(words, told, strict=True):
        assert text == word + json.dumps([{"role": "user", "content": word}], separators=(",", ":"))


@pytest.mark.parametrize("command", ["", " \n", "echo \0", None, ["echo"]])
def test_a_command_is_a_text_that_says_something(command: Any) -> None:
    """What no shell could run is refused when it is written."""
    with pytest.raises(CatalogueError, match=r"CommandAgent\.command"):
        CommandAgent(command)


def test_it_needs_a_question() -> None:
    """A conversation in which no user speaks is nothing to put to a program."""
    with pytest.raises(LookupError, match="no message of the user"):
        answer("cat", [{"role": "system", "content": "Be brief."}])
