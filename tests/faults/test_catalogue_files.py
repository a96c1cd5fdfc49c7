"""Rows 42 to 49 for catalogues in files: names, broken and partial files, and files that change."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, CatalogueError, Op, Scenario, ToolCall, load, run
from evalkit.errors import ChangedError
from evalkit.select import Selection
from evalkit.writers import written

ROOT = Path(__file__).parents[2]
SUFFIXES = [".yaml", ".json", ".toml", ".ndjson"]
TOOLS = {"add": lambda a, b: {"sum": a + b}}
TABLE = "def add(a, b):\n    return {'sum': a + b}\n\nTABLE = {'add': add}\n"


def case(number: int, name: str = "") -> Scenario:
    """A scenario that adds two numbers."""
    call = ToolCall("add", {"a": number, "b": 1}, [Assertion("sum", Op.EQ, number + 1)])
    return Scenario(name or f"case_{number}", tool_calls=[call], tags=["even"])


def filed(folder: Path, name: str, *found: Scenario) -> Path:
    """A file of these scenarios."""
    path = folder / name
    path.write_bytes(written(found, path.suffix))
    return path


def refused(path: Path) -> list[str]:
    """All that is said of a file that is refused."""
    with pytest.raises(CatalogueError) as caught:
        load(path)
    return [str(problem) for problem in caught.value.problems]


def evalkit(folder: Path, *argv: str, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    """What the command line answers in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "evalkit", *argv],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        input=stdin.decode(),
        check=False,
        timeout=60,
    )


ODD_NAMES = ["a/b", "..", "../../etc/passwd", "x" * 300, "CON", "1", "no"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_row_42_an_odd_name_is_a_name(tmp_path: Path, suffix: str) -> None:
    """In files, too, what would be a bad name of a file is a name, and names no file."""
    path = filed(tmp_path, f"a{suffix}", *[case(1, name) for name in ODD_NAMES])
    before = set(tmp_path.rglob("*"))
    report = run(path, tools=TOOLS)
    assert [each.name for each in report.results if each.status == "passed"] == ODD_NAMES
    assert set(tmp_path.rglob("*")) == before


BAD_NAMES = [1, True, None, "", "  ", "\t", "a\nb", "\x1b[31m", "\x85", ["a"], {"a": 1}, 1.5]


@pytest.mark.parametrize("suffix", [".yaml", ".json", ".ndjson"])
@pytest.mark.parametrize("name", BAD_NAMES, ids=repr)
def test_row_42_a_name_that_is_none_is_refused(tmp_path: Path, suffix: str, name: Any) -> None:
    """A name that is no string, blank or holds a control character is told with its place."""
    path = tmp_path / f"a{suffix}"
    record = json.dumps({"name": name, "tool_calls": [{"tool": "t"}]})
    path.write_text(record if suffix == ".ndjson" else f"[{record}]")
    (told,) = refused(path)
    assert told.startswith(f"{path}:1:")
    assert "name: " in told


@pytest.mark.parametrize(("first", "second"), [("1", "1"), ("A", "a"), ("é", "e\u0301")])
@pytest.mark.parametrize("suffixes", [(".yaml", ".ndjson"), (".ndjson", ".py"), (".json", ".toml")])
def test_row_42_a_name_in_two_files_names_both_places(
    tmp_path: Path, suffixes: tuple[str, str], first: str, second: str
) -> None:
    """Names are held against all files of a run, whatever their kinds, and nothing is run."""
    paths = [filed(tmp_path, f"a{suffixes[0]}", case(1, first))]
    if suffixes[1] == ".py":
        paths.append(tmp_path / "b.py")
        source = "from evalkit import Scenario, ToolCall, _s\nARGS = {'a': 1, 'b': 2}\n"
        paths[1].write_text(
            f"{source}_s(Scenario({second!r}, tool_calls=[ToolCall('add', ARGS)]))\n"
        )
    else:
        paths.append(filed(tmp_path, f"b{suffixes[1]}", case(2, second)))
    with pytest.raises(CatalogueError) as caught:
        run(paths, tools=TOOLS)
    (problem,) = caught.value.problems
    assert "the name is taken by" in str(problem)
    assert str(paths[0]) in str(problem)
    assert str(paths[1]) in str(problem)


BROKEN = {
    ".yaml": "- name: a\n  tool_calls: [{tool: add\n",
    ".json": '[{"name": "a",}]',
    ".toml": "[[scenarios]]\nname = \n",
    ".ndjson": '{"name": "a"\n',
}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_row_43_a_broken_file_is_exit_4_with_its_line(tmp_path: Path, suffix: str) -> None:
    """A file of data that can't be read is told with its line, and nothing is run."""
    (tmp_path / f"bad{suffix}").write_text(BROKEN[suffix])
    done = evalkit(tmp_path, f"bad{suffix}")
    assert done.returncode == 4
    assert f"bad{suffix}:" in done.stderr
    assert "nothing was run" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_row_44_one_bad_file_refuses_the_whole_run(tmp_path: Path, suffix: str) -> None:
    """Beside good files of every kind, one that is broken refuses all; no smaller green run."""
    names = [f"good{each}" for each in SUFFIXES]
    for number, name in enumerate(names):
        filed(tmp_path, name, case(number))
    (tmp_path / f"bad{suffix}").write_text(BROKEN[suffix])
    (tmp_path / "their_tools.py").write_text(TABLE)
    calls: list[int] = []
    tools = {"add": lambda a, b: calls.append(a)}
    with pytest.raises(CatalogueError, match=rf"bad\{suffix}"):
        run([tmp_path / each for each in (*names, f"bad{suffix}")], tools=tools)
    assert calls == []


def test_row_44_one_bad_file_of_a_folder_refuses_all(tmp_path: Path) -> None:
    """A folder is all its files, and so is what is wrong with any of them."""
    filed(tmp_path, "good.yaml", case(1))
    (tmp_path / "a.ndjson").write_text('{"name": "a", "tol_calls": []}\n')
    (tmp_path / "z.json").write_text(BROKEN[".json"])
    with pytest.raises(CatalogueError) as caught:
        run(tmp_path, tools=TOOLS)
    told = [str(each) for each in caught.value.problems]
    assert any("a.ndjson:1" in each for each in told)
    assert any("z.json:1" in each for each in told)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("tag", ["eevn", "not:eevn"])
def test_row_45_a_tag_that_is_nobodys(tmp_path: Path, suffix: str, tag: str) -> None:
    """A typo in a tag is answered with the nearest, for files of every kind, and nothing is run."""
    path = filed(tmp_path, f"a{suffix}", case(1))
    with pytest.raises(CatalogueError, match="did you mean 'even'"):
        run(path, tools=TOOLS, selection=Selection(tags=[tag]))


DEEP = "[" * 100_000 + "]" * 100_000
HUGE: dict[str, str] = {
    ".json": '[{"name": "a", "metadata": {"x": VALUE}, "tool_calls": [{"tool": "t"}]}]',
    ".ndjson": '{"name": "a", "metadata": {"x": VALUE}, "tool_calls": [{"tool": "t"}]}\n',
    ".yaml": "- {name: a, metadata: {x: VALUE}, tool_calls: [{tool: t}]}\n",
    ".toml": "[[scenarios]]\nname = 'a'\nmetadata = {x = VALUE}\ntool_calls = [{tool = 't'}]\n",
}


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("value", [DEEP, "7" * 5_000], ids=["100,000 deep", "5,000 digits"])
def test_row_46_a_value_that_no_log_could_hold(tmp_path: Path, suffix: str, value: str) -> None:
    """It is one error of a file that is otherwise good, and no crash."""
    path = tmp_path / f"a{suffix}"
    path.write_text(HUGE[suffix].replace("VALUE", value))
    (told,) = refused(path)
    assert str(path) in told
    assert len(told) < 500


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_row_46_a_value_as_deep_as_may_be(tmp_path: Path, suffix: str) -> None:
    """What a reader lets through and a noun refuses is told with its place as well."""
    path = tmp_path / f"a{suffix}"
    path.write_text(HUGE[suffix].replace("VALUE", "[" * 230 + "]" * 230))
    (told,) = refused(path)
    assert "nested deeper than" in told
    assert len(told) < 500


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_row_46_a_key_that_is_there_twice(tmp_path: Path, suffix: str) -> None:
    """A field that a scenario gives twice is refused, not the last one taken."""
    path = tmp_path / f"a{suffix}"
    text = HUGE[suffix].replace("VALUE", "1")
    twice = {"name: a": "name: a, name: b", '"name": "a"': '"name": "a", "name": "b"'}
    for once, more in {**twice, "name = 'a'": "name = 'a'\nname = 'b'"}.items():
        text = text.replace(once, more)
    path.write_text(text)
    (told,) = refused(path)
    assert told.startswith(f"{path}:")


BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("how", ["mark", "CRLF", "blank lines", "no end"])
def test_row_47_what_makes_no_difference(tmp_path: Path, suffix: str, how: str) -> None:
    """A mark, line ends, blank lines and a missing last one change nothing of a catalogue."""
    content = written([case(1), case(2)], suffix)
    changed = {
        "mark": BOM + content,
        "CRLF": content.replace(b"\n", b"\r\n"),
        "blank lines": b"\n\n" + content + b"\n  \n",
        "no end": content.rstrip(b"\n"),
    }[how]
    path = tmp_path / f"a{suffix}"
    path.write_bytes(changed)
    assert list(load(path)) == [case(1), case(2)]


CUT = [(".json", "cut"), (".ndjson", "cut")]  # what is left of the others is a file of its own
REFUSED = [(suffix, how) for suffix in SUFFIXES for how in ("UTF-16", "latin-1", "NUL")]


@pytest.mark.parametrize(("suffix", "how"), [*REFUSED, *CUT])
def test_row_47_what_is_refused(tmp_path: Path, suffix: str, how: str) -> None:
    """Other encodings, a NUL and half a file are refused in every format."""
    content = written([case(1), case(2, "café")], suffix)
    changed = {
        "UTF-16": content.decode().encode("utf-16"),
        "latin-1": content.decode().encode("latin-1"),
        "NUL": content.replace(b"even", b"e\0en"),
        "cut": content[:-12],
    }[how]
    path = tmp_path / f"a{suffix}"
    path.write_bytes(changed)
    assert refused(path)


def test_row_48_a_bomb_of_aliases_is_one_error(tmp_path: Path) -> None:
    """A small file that would be a large one ends before memory or time do."""
    lines = ["- name: a", "  metadata:", "    l0: &l0 [x, x, x, x, x, x, x, x, x, x]"]
    ten = ", ".join(["*l{}"] * 10)
    lines += [f"    l{at}: &l{at} [{ten.replace('{}', str(at - 1))}]" for at in range(1, 12)]
    path = tmp_path / "a.yaml"
    path.write_text("\n".join(lines))
    (told,) = refused(path)
    assert "aliases stand for more than" in told


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.system ['touch owned']", "!x 1"])
def test_row_48_nothing_is_built_by_a_tag(tmp_path: Path, tag: str) -> None:
    """YAML is data: a tag that would make something is refused, and nothing happens."""
    path = tmp_path / "a.yaml"
    path.write_text(f"- name: a\n  metadata: {{x: {tag}}}\n  tool_calls: [{{tool: t}}]\n")
    assert any("unknown tag" in each for each in refused(path))
    assert not (tmp_path / "owned").exists()


class Growing:
    """Tools from a factory that changes the file when it is opened for a given time."""

    def __init__(self, path: Path, at: int, change: Callable[[Path], object]) -> None:
        self.path, self.at, self.change = path, at, change
        self.opened = 0
        self.calls: list[int] = []

    def open(self) -> Iterator[dict[str, Callable[..., Any]]]:
        """Open the tools, and change the file where it is time."""
        self.opened += 1
        if self.opened == self.at:
            self.change(self.path)
        yield {"add": self.add}

    def add(self, a: int, b: int) -> dict[str, int]:
        """Note the call."""
        self.calls.append(a)
        return {"sum": a + b}


def appended(path: Path) -> None:
    """Put one more scenario at the end."""
    with path.open("ab") as file:
        file.write(written([case(999)], ".ndjson"))


def edited(path: Path) -> None:
    """Change a scenario without changing the size of the file."""
    path.write_text(path.read_text().replace('"even"', '"evem"'))


def emptied(path: Path) -> None:
    """Take away everything."""
    path.write_bytes(b"")


def removed(path: Path) -> None:
    """Take away the file."""
    path.unlink()


CHANGES = [appended, edited, emptied, removed]


@pytest.mark.parametrize("change", CHANGES)
def test_row_49_a_file_that_changes_before_it_is_run(tmp_path: Path, change: Any) -> None:
    """What changes while the file is checked, or after, is refused: nothing was checked of it."""
    path = filed(tmp_path, "cases.ndjson", *map(case, range(12)))
    tools = Growing(path, 1, change)  # which is opened for planning first
    with pytest.raises((ChangedError, CatalogueError)):
        run(path, tools=tools.open)
    assert tools.calls == []


@pytest.mark.parametrize("change", [appended, edited, emptied])
def test_row_49_a_file_that_changes_while_it_is_run(tmp_path: Path, change: Any) -> None:
    """A later part of a large file that has changed is not run, nor what was appended."""
    path = filed(tmp_path, "cases.ndjson", *map(case, range(1_000)))
    tools = Growing(path, 3, change)
    with pytest.raises(ChangedError, match="changed while it was being read"):
        run(path, tools=tools.open)
    assert 999 not in tools.calls
    assert len(tools.calls) < 1_001


CHANGING = """
from pathlib import Path

def add(a, b):
    if a == 4 and Path("change").exists():
        Path("change").unlink()
        with open("cases.ndjson", "a") as file:
            file.write("\\n")
    return {"sum": a + b}

TABLE = {"add": add}
"""


def test_row_49_a_changed_file_is_exit_2_and_can_be_gone_on_with(tmp_path: Path) -> None:
    """The command line says so; what was measured is kept, and `--resume` runs the rest."""
    path = filed(tmp_path, "cases.ndjson", *map(case, range(12)))
    (tmp_path / "their_tools.py").write_text(CHANGING)
    (tmp_path / "change").write_text("")
    content = path.read_bytes()
    argv = ("cases.ndjson", "--tools", "their_tools:TABLE")
    done = evalkit(tmp_path, *argv, "--label", "cut")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "changed while it was being read" in done.stdout + done.stderr
    path.write_bytes(content)
    again = evalkit(tmp_path, *argv, "--resume", "cut", "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["digest"] == run(path, tools=TOOLS).digest


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_row_49_a_pipe_that_stalls_is_given_up(tmp_path: Path) -> None:
    """A file that never ends is refused at its deadline, and the process ends."""
    pipe = tmp_path / "stalls.ndjson"
    os.mkfifo(pipe)
    call = "import sys, evalkit.preparing as p; p.LOADING_S = 0.5; from evalkit.cli import main"
    began = time.monotonic()
    child = subprocess.Popen(
        [sys.executable, "-c", f"{call}\nsys.exit(main(['stalls.ndjson'], last=True))"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        stderr=subprocess.PIPE,
    )
    with pipe.open("wb") as file:
        file.write(written([case(1)], ".ndjson"))
        file.flush()
        _, err = child.communicate(timeout=30)
    assert child.returncode == 4, err
    assert b"stalls.ndjson" in err
    assert time.monotonic() - began < 25


def test_row_49_a_pipe_is_read_once_and_whole(tmp_path: Path) -> None:
    """What can be read only once is copied first, so that it can be checked before it is run."""
    (tmp_path / "their_tools.py").write_text(TABLE)
    content = written([case(number) for number in range(50)], ".ndjson")
    done = evalkit(tmp_path, "-", "--tools", "their_tools:TABLE", "--json", stdin=content)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["summary"]["scenarios_passed"] == 50
    bad = evalkit(tmp_path, "-", "--tools", "their_tools:TABLE", stdin=content + b"{")
    assert (bad.returncode, bad.stdout) == (4, "")
    assert "stdin" in bad.stderr
    assert ":51:" in bad.stderr


def test_what_planning_finds_has_its_place_too(tmp_path: Path) -> None:
    """An unknown tool and a path that is none are told by line and column, held or in passing."""
    scenario = {
        "name": "a",
        "tool_calls": [{"tool": "fnd", "args": {}, "assertions": [["a[", "eq", 1]]}],
    }
    line = json.dumps(scenario)
    path = tmp_path / "a.ndjson"
    path.write_text(f"\n{line}\n", encoding="utf-8")
    places = [f"a.ndjson:2:{line.index(part) + 1}" for part in ('"tool":', '["a["')]
    for target in (path, [path, tmp_path / "b.ndjson"]):
        (tmp_path / "b.ndjson").write_text('{"name": "b", "tool_calls": [{"tool": "find"}]}')
        with pytest.raises(CatalogueError) as caught:
            run(target, tools={"find": dict})
        told = [str(problem) for problem in caught.value.problems]
        for place, what in zip(places, ("unknown tool 'fnd'", "not closed"), strict=True):
            assert any(place in each and what in each for each in told), told
