"""Terminals and readers that are hostile or poor: FAULTS row 71, and row 69 for the terminal."""

import gc
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, Op, Scenario, ToolCall, run
from evalkit.cli import main
from evalkit.reports.terminal import TerminalReport
from evalkit.reports.text import Page

ROOT = Path(__file__).parents[2]
CASES = """
from evalkit import Assertion, Op, Scenario, ToolCall, _s
TOOL_DISPATCH = {"ping": lambda text: {"text": text}}
for n in range(NUMBER):
    text = "caf\u00e9 \u6f22\u5b57 \U0001f600 " + "long " * 40
    call = ToolCall("ping", {"text": text}, [Assertion("text", Op.EQ, f"{n}")])
    _s(Scenario(f"caf\u00e9_\u6f22\u5b57_{n}", tool_calls=[call], tags=["\u00fcber", "\U0001f600"]))
"""
CONTROL = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]"
)
HOSTILE = {
    "ANSI": "\x1b[31mred\x1b[0m",
    "clear": "\x1b[2J\x1b[H",
    "OSC 8": "\x1b]8;;http://example.com\x1b\\link\x1b]8;;\x1b\\",
    "OSC 52": "\x1b]52;c;ZXZpbA==\x07",
    "title": "\x1b]0;title\x07",
    "C1": "\x9b31m\x9d0;t\x9c",
    "bidi": "\u202eevil\u202c \u2066iso\u2069",
    "carriage": "good\rbad\x08\x08",
    "separators": "a\u2028b\u2029c\x0bd\x0ce",
    "NUL and DEL": "a\0b\x7fc",
    "half": "\ud800",
}
MARKUP = "[bold red]not bold[/] [link=http://example.com]x[/link] :smile: **md** <b>"


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    """Leave the path and the collector as they were before a command line was answered here."""
    path = list(sys.path)
    yield
    sys.path[:] = path
    gc.enable()
    gc.unfreeze()


def written(folder: Path, number: int = 2) -> Path:
    """A catalogue of so many failing scenarios."""
    path = folder / "cases.py"
    path.write_text(CASES.replace("NUMBER", str(number)), encoding="utf-8")
    return path


def evalkit(folder: Path, *argv: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    """What the command line answers, byte by byte, in an environment of its own."""
    written(folder)
    return subprocess.run(
        [sys.executable, "-m", "evalkit", *argv],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1", **env},
        capture_output=True,
        check=False,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )


def shown(
    scenario: Scenario, tools: dict[str, Any], verbosity: int = 2, *, colour: bool = False
) -> str:
    """What the terminal report writes of a run."""
    stream = StringIO()
    run(scenario, tools=tools, sinks=[TerminalReport(Page(stream, colour=colour), verbosity)])
    return stream.getvalue()


def everywhere(text: str) -> tuple[Scenario, dict[str, Any]]:
    """A failing scenario and tools that have a text in every field that data can reach."""

    def ping(**args: Any) -> dict[str, Any]:
        print(text)  # noqa: T201  - what a tool prints is data too
        return {"text": text, text: {text: 1}, "list": [text]}

    def refuse(text: str) -> None:
        raise ValueError(text)

    key = f"[{json.dumps(text)}]" if text.isascii() else "[0].x"
    checks = [
        Assertion("text", Op.EQ, text + "x", text),
        Assertion(f"list{key}", Op.EQ, 1, text),
        Assertion("", Op.EQ, {text: {text: 2}}),
        Assertion("text", Op.CONTAINS, text + "y"),
        Assertion("text", Op.IN, [text + "z"]),
    ]
    calls = [
        ToolCall("ping", {"a": text, text: [text]}, checks, text),
        ToolCall("refuse", {"text": text}),
    ]
    return Scenario("hostile", text, calls, description=text), {"ping": ping, "refuse": refuse}


WHOLE = {name: text for name, text in HOSTILE.items() if name != "half"}


@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE)
def test_row_69_control_characters_never_reach_the_terminal(text: str) -> None:
    """Escapes, links, clipboard writes and direction marks in any field are shown as text."""
    scenario, tools = everywhere(text)
    out = shown(scenario, tools)
    assert "FAILED  hostile" in out
    assert CONTROL.findall(out) == []
    out.encode("utf-8")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("field", ["tags", "xfail", "tool", "operator"])
def test_row_69_names_are_refused_or_shown_as_text(text: str, field: str) -> None:
    """Tags, reasons and names hold no control characters, or do not reach the terminal raw."""
    try:
        fields: dict[str, Any] = {"tags": [text]} if field == "tags" else {}
        fields |= {"xfail": text} if field == "xfail" else {}
        tool = text if field == "tool" else "ping"
        checks = [Assertion("", text, 2)] if field == "operator" else [Assertion("", Op.EQ, 2)]
        scenario = Scenario("hostile", tool_calls=[ToolCall(tool, {}, checks)], **fields)
        out = shown(scenario, {tool: lambda: 1})
    except ValueError as error:
        out = str(error)
        if field != "operator":
            assert CONTROL.findall(out) == []
        return
    assert CONTROL.findall(out) == []


def test_row_69_markup_is_text() -> None:
    """What looks like Rich markup or Markdown is written as it is."""
    scenario, tools = everywhere(MARKUP)
    assert "[bold red]not bold[/]" in shown(scenario, tools).replace("\n", " ")


def test_row_69_colours_are_ours_alone() -> None:
    """With colours on, the only escapes are those of the report."""
    scenario, tools = everywhere(HOSTILE["ANSI"])
    out = shown(scenario, tools, colour=True)
    assert set(re.findall("\x1b[^m]*m", out)) <= {f"\x1b[{n}m" for n in (0, 1, 22, 31, 32, 33, 35)}
    assert CONTROL.findall(re.sub("\x1b\\[[0-9]+m", "", out)) == []


def answered(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str]:
    """The code and all the text of a command line that is answered in this process."""
    capsys.readouterr()
    code = main(argv)
    return code, "".join(capsys.readouterr())


@pytest.mark.parametrize("command", ["run", "list", "validate"])
def test_row_69_errors_of_catalogues_are_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """What a broken file says reaches the terminal harmless too."""
    hostile = HOSTILE["OSC 52"] + HOSTILE["bidi"]
    (tmp_path / "bad.py").write_text(f"raise ValueError({hostile!r})", encoding="utf-8")
    code, out = answered(capsys, command, str(tmp_path / "bad.py"))
    assert code == 4
    assert CONTROL.findall(out) == []


@pytest.mark.parametrize(
    "option", ["--name", "-t", "-k", "--tools", "-o", "--difficulty", "--nope\x1b[31m", "--shard"]
)
def test_row_69_arguments_are_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    """What came in from the shell is not written back raw."""
    path = written(tmp_path)
    code, out = answered(capsys, str(path), option, "\x1b]0;evil\x07\u202e")
    assert code in (4, 5)
    assert CONTROL.findall(out) == []


@pytest.mark.parametrize("options", [["-vv"], ["--json"], ["list"]], ids=" ".join)
def test_row_71_a_reader_that_leaves_early(tmp_path: Path, options: list[str]) -> None:
    """`| head -1` brings no traceback and no complaint, and the code is that of the run."""
    written(tmp_path, 1000)
    argv = ["list", "cases.py"] if options == ["list"] else ["cases.py", *options]
    command = [sys.executable, "-m", "evalkit", *argv]
    env = {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, env=env, stdout=pipe, stderr=pipe) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.read(1)
        child.stdout.close()
        err = child.stderr.read().decode()
        code = child.wait(timeout=60)
    assert "Traceback" not in err
    assert "BrokenPipe" not in err
    assert code == (0 if options == ["list"] else 1), err


@pytest.mark.parametrize("number", [1, 2], ids=["stdout", "stderr"])
def test_row_71_no_stream_at_all(tmp_path: Path, number: int) -> None:
    """A process that was started without stdout or stderr runs to its code."""
    written(tmp_path)
    argv = "[sys.executable, '-m', 'evalkit', 'cases.py']"
    call = f"import os, sys; os.close({number}); os.execv(sys.executable, {argv})"
    done = subprocess.run(
        [sys.executable, "-c", call],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1, done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_row_71_a_full_disk_behind_stdout(tmp_path: Path) -> None:
    """A report that could not be written is an error that says so, without a traceback."""
    written(tmp_path)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "evalkit", "cases.py", "--json"],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    assert done.returncode == 3, done.stderr
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LANG": "C", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "utf-16"},
    ],
    ids=["ascii", "LANG=C", "utf-16"],
)
def test_row_71_a_poor_encoding(tmp_path: Path, env: dict[str, str]) -> None:
    """Where the terminal has no letters for it, text is escaped; the code is that of the run."""
    done = evalkit(tmp_path, "cases.py", "-vv", **env)
    assert done.returncode == 1, done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_row_71_json_is_json_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    """`--json` is the same object whatever the terminal's encoding: JSON is UTF-8, or escaped."""
    done = evalkit(tmp_path, "cases.py", "--json", PYTHONIOENCODING=encoding)
    found = json.loads(done.stdout.decode("utf-8"))
    names = [each["name"] for each in found["scenarios"]]
    assert names == [f"caf\u00e9_\u6f22\u5b57_{n}" for n in range(2)]


@pytest.mark.parametrize("columns", ["10", "40", "0", "-5", "x", "100000", ""])
def test_row_71_a_narrow_terminal(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    columns: str,
) -> None:
    """Any width, or one that is none, brings a report in which nothing is lost."""
    monkeypatch.setenv("COLUMNS", columns)
    code, out = answered(capsys, str(written(tmp_path)), "-vv")
    together = "".join(out.split())
    assert code == 1
    assert together.count("FAILEDcaf\u00e9") == 2
    assert "exit1:" in together


def test_row_71_lines_fit_forty_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With forty columns no line is longer, the long value of a failure included."""
    monkeypatch.setenv("COLUMNS", "40")
    _, out = answered(capsys, str(written(tmp_path)), "-vv")
    assert max(map(len, out.splitlines())) <= 40


@pytest.mark.parametrize(
    ("env", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)], ids=["plain", "NO_COLOR"]
)
def test_row_71_colour_on_a_terminal(
    tmp_path: Path, env: dict[str, str], *, coloured: bool
) -> None:
    """A terminal gets colours unless NO_COLOR says otherwise."""
    written(tmp_path)
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "evalkit", "cases.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "TERM": "xterm", "PYTHONIOENCODING": "utf-8", **env},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
    ) as child:
        os.close(theirs)
        out = drained(ours)
        assert child.wait(timeout=60) == 1
    assert (b"\x1b[" in out) is coloured


def drained(handle: int) -> bytes:
    """All that a terminal is given until its last writer has gone."""
    out = b""
    with suppress(OSError):  # that is how Linux says so
        while part := os.read(handle, 4096):
            out += part
    os.close(handle)
    return out


def test_row_71_a_pipe_gets_no_colour(tmp_path: Path) -> None:
    """What is no terminal gets neither colours nor progress marks."""
    out = evalkit(tmp_path, "cases.py", PYTHONIOENCODING="utf-8", TERM="xterm").stdout
    assert b"\x1b" not in out
    assert b"FF" not in out
