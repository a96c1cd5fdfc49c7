"""Catalogues in files, through the command line: several at once, folders, stdin, options."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
Write = Callable[[str, str], str]

TABLE = ("--tools", "shop:TOOL_DISPATCH")
SUFFIXES = ("yaml", "json", "toml", "ndjson")


def scenario(name: str, total: int = 3, **fields: Any) -> dict[str, Any]:
    """A scenario that adds 1 and 2."""
    call = {"tool": "add", "args": {"a": 1, "b": 2}, "assertions": [["sum", "eq", total]]}
    return {"name": name, "tool_calls": [call], **fields}


def ran(done: Any) -> list[str]:
    """The names of the scenarios that were run, in order."""
    return [each["name"] for each in json.loads(done.out)["scenarios"]]


@pytest.fixture
def every(cli: Cli, write: Write, tmp_path: Path) -> list[str]:
    """A file of each kind, with one scenario."""
    names = []
    for kind in SUFFIXES:
        (tmp_path / "one.json").write_text(json.dumps([scenario(f"of_{kind}", tags=[kind])]))
        names.append(f"{kind}_cases.{kind}")
        assert cli("convert", "one.json", "-o", names[-1]).code == 0
    (tmp_path / "one.json").unlink()
    return names


@pytest.mark.parametrize("kind", SUFFIXES)
def test_every_kind_of_file_is_run(cli: Cli, every: list[str], kind: str) -> None:
    """A file of data runs as a Python file does, with the tools that are named."""
    done = cli(f"{kind}_cases.{kind}", *TABLE, "--json")
    assert done.code == 0, done.err
    assert ran(done) == [f"of_{kind}"]


def test_files_of_all_kinds_are_one_run(cli: Cli, every: list[str]) -> None:
    """They are run in the order in which they are named, the Python file among them."""
    done = cli(every[0], "shop.py", *every[1:], *TABLE, "-k", "of_ or small_sum", "--json")
    assert ran(done) == ["of_yaml", "small_sum", "of_json", "of_toml", "of_ndjson"]


def test_a_tag_of_any_file_is_known(cli: Cli, every: list[str]) -> None:
    """A selection is of all files together."""
    assert ran(cli(*every, *TABLE, "-t", "toml", "--json")) == ["of_toml"]
    assert "did you mean 'toml'?" in cli(*every, *TABLE, "-t", "tmol").err


@pytest.mark.parametrize("command", ["list", "validate"])
def test_other_commands_take_files_of_data(cli: Cli, every: list[str], command: str) -> None:
    """`list` and `validate` read the same files."""
    done = cli(command, *every, *TABLE)
    assert done.code == 0
    assert ("of_toml" in done.out) is (command == "list")


def test_a_folder_is_its_catalogues_in_order(cli: Cli, write: Write, tmp_path: Path) -> None:
    """All files of the known kinds, below it too; hidden ones, `_` ones and tables left out."""
    folder = tmp_path / "evals"
    (folder / "deep").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "_old").mkdir()
    kept = ["a.json", "b.ndjson", "deep/c.json", "z.json"]
    hidden = [".hidden.json", "_draft.json", ".git/d.json", "_old/e.json", "deep/_f.json"]
    for name in (*kept, *hidden):
        content = json.dumps(scenario(name))
        (folder / name).write_text(content if name == "b.ndjson" else f"[{content}]")
    (folder / "notes.md").write_text("no catalogue")
    (folder / "table.csv").write_text("x,y\n1,2\n")
    (folder / "table.tsv").write_text("x\ty\n1\t2\n")
    done = cli("evals", *TABLE, "--json")
    assert done.code == 0, done.err
    assert ran(done) == kept


def test_a_folder_without_catalogues_is_exit_4(cli: Cli, tmp_path: Path) -> None:
    """A folder that holds none is a mistake, and no green run of nothing."""
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "table.csv").write_text("x,y\n1,2\n")
    done = cli("evals")
    assert done.code == 4
    assert "evals: there is no catalogue in this folder" in done.err


def test_one_bad_file_of_a_folder_is_exit_4(cli: Cli, tmp_path: Path) -> None:
    """What is wrong with any of its files refuses the run."""
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "a.json").write_text(json.dumps([scenario("a")]))
    (tmp_path / "evals" / "b.json").write_text("[")
    done = cli("evals", *TABLE)
    assert (done.code, done.out) == (4, "")
    assert "b.json:1:" in done.err


def given(monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    """Have this on stdin."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))


def test_stdin_is_a_file_of_lines(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` is NDJSON, and a run like any other."""
    given(monkeypatch, f"{json.dumps(scenario('a'))}\n{json.dumps(scenario('b', 4))}\n")
    done = cli("-", *TABLE, "--json")
    assert ran(done) == ["a", "b"]
    assert done.code == 1


def test_stdin_and_files_are_one_run(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands among files where it is named."""
    given(monkeypatch, json.dumps(scenario("a")))
    assert ran(cli("shop.py", "-", *TABLE, "-k", "a or small", "--name", "a", "--json")) == ["a"]


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing\n"])
def test_an_empty_stdin_is_exit_4(cli: Cli, monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    """Nothing that came is a mistake of the pipe, and no green run."""
    given(monkeypatch, content)
    done = cli("-", *TABLE)
    assert done.code == 4
    assert "stdin" in done.err


def test_what_is_wrong_with_stdin_is_told_by_its_line(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its place is its line, under its own name."""
    given(monkeypatch, f"{json.dumps(scenario('a'))}\n{json.dumps(scenario('b', tag=['x']))}\n")
    done = cli("-", *TABLE)
    assert done.code == 4
    assert "stdin" in done.err
    assert ":2:" in done.err
    assert "did you mean 'tags'?" in done.err


def test_the_tools_that_a_file_names_need_leave(cli: Cli, write: Write) -> None:
    """Without `--allow-import` nothing is imported by a file of data, and it is said what would."""
    head = json.dumps({"tools": "shop:TOOL_DISPATCH"})
    write("a.ndjson", f"{head}\n{json.dumps(scenario('a'))}\n")
    refused = cli("a.ndjson")
    assert refused.code == 4
    assert "the file names 'shop:TOOL_DISPATCH': --allow-import lets it" in refused.err
    assert ran(cli("a.ndjson", "--allow-import", "--json")) == ["a"]


def test_the_tools_of_the_command_line_count(cli: Cli, write: Write) -> None:
    """Tools that are named there take the place of the file's, which are then not needed."""
    head = json.dumps({"tools": "nowhere:TABLE"})
    write("a.ndjson", f"{head}\n{json.dumps(scenario('a'))}\n")
    assert ran(cli("a.ndjson", *TABLE, "--json")) == ["a"]


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["--format", "gaai"], "gaai"),
        (["--format", "gaia", "--map", "answers=x"], "'gaia' has no columns to map"),
        (["--map", "answers"], "write field=column"),
        (["--map", "answrs=x"], "did you mean 'answers'?"),
        (["--map", "name=x"], "no column is named for 'answers'"),
        (["--match", "f2"], "f2"),
        (["--match", "f1"], "is for question sets"),
        (["--normalize", "squda", "--match", "f1"], "did you mean 'squad'?"),
        (["--normalize", "squad"], "is for question sets"),
        (["--extract", "terse"], "is for question sets"),
        (["--extract", "ters"], "ters"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("name", ["a.ndjson", "a.json"])
def test_a_wrong_way_to_read_is_exit_4(
    cli: Cli, write: Write, name: str, argv: list[str], told: str
) -> None:
    """What there is not, or would say nothing, is told, and nothing is run."""
    content = json.dumps(scenario("a"))
    write(name, content if name == "a.ndjson" else f"[{content}]")
    done = cli(name, *TABLE, *argv)
    assert (done.code, done.out) == (4, "")
    assert told in done.err


def test_a_question_set_needs_an_agent(cli: Cli, write: Write) -> None:
    """Against the tools a question is not measured, which is code 5 and says why."""
    write("q.csv", "id,question,gold\n1,Why?,x\n")
    done = cli("q.csv", "--map", "name=id,prompt=question,answers=gold")
    assert done.code == 5
    assert "agent" in done.last


@pytest.mark.parametrize("kind", SUFFIXES)
def test_a_file_that_there_is_not_is_answered_with_the_nearest(
    cli: Cli, every: list[str], kind: str
) -> None:
    """A typo in the name of a file of data is told as one."""
    assert f"did you mean '{kind}_cases.{kind}'?" in cli(f"{kind}_case.{kind}").err
