"""What was edited since a run was broken off is run again, and nothing else is."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalkit import RunReport, run
from evalkit.runlog.reader import RunLog

HEAD = """
from evalkit import Assertion, Op, Scenario, Tool, ToolCall, Verdict, _s, operator
def case(name, expected=1, tool="t", **fields):
    return _s(Scenario(name, tool_calls=[ToolCall(tool, {}, [Assertion("", Op.EQ, expected)])],
        **fields))
"""
PLAIN = "def t(): return 1\ndef u(): return 1\nTOOL_DISPATCH = {'t': t, 'u': u}\n"
BOTH = "case('a')\ncase('b', tool='u')\n"
Write = Callable[[str, str], str]


@pytest.fixture
def resumed(write: Write) -> Callable[..., RunReport]:
    """Run a catalogue's file, edit it, and go on with the run; the log is asked for attempts."""

    def edit(old: str, new: str, helper: tuple[str, str] = ("", "")) -> RunReport:
        write("helper.py", helper[0])
        first = run(write("suite.py", HEAD + old), log_dir="runs")
        write("helper.py", helper[1])
        report = run(write("suite.py", HEAD + new), log_dir="runs", resume=first.run_id)
        fresh = run("suite.py")
        assert report.digest == fresh.digest
        assert [each.status for each in report.results] == [each.status for each in fresh.results]
        assert [each.name for each in report.results] == [each.name for each in fresh.results]
        return report

    return edit


def attempts(report: RunReport) -> dict[str, int]:
    """How often each scenario was run, by the log."""
    assert report.run is not None
    return {name: each.attempt for (name, _), each in RunLog(report.run).entries.items()}


def test_what_was_not_edited_is_kept(resumed: Callable[..., RunReport]) -> None:
    """The same files are the same run: nothing is run again."""
    assert attempts(resumed(PLAIN + BOTH, PLAIN + BOTH)) == {"a": 1, "b": 1}


@pytest.mark.parametrize(
    "edited",
    [
        "case('a', 2)",
        "case('a', True)",
        "case('a', tags=['x'])",
        "case('a', difficulty='basic')",
        "case('a', xfail='known')",
        "case('a', timeout_s=5)",
        "case('a', prompt='What?')",
        "case('a', description='words')",
        "case('a', metadata={'x': 1})",
        "case('a', assertions=[Assertion('calls', Op.LEN_EQ, 1)])",
        "case('a', epochs=2)",
        "case('a', tool='u')",
    ],
)
def test_an_edited_scenario_is_run_again(edited: str, resumed: Callable[..., RunReport]) -> None:
    """Whatever a scenario declares, an edit of it runs it again, and no other."""
    report = resumed(PLAIN + BOTH, f"{PLAIN}{edited}\ncase('b', tool='u')\n")
    found = attempts(report)
    assert found["b"] == 1
    assert report["a"].fingerprint is not None
    assert found["a"] > 1 or "epochs" in edited


TOOLS = {
    "its code": "def t(): return NEW",
    "a function it calls": "def r(): return NEW\ndef t(): return r()",
    "a constant": "RATE = NEW\ndef t(): return RATE",
    "an object's method": "class S:\n    def r(self): return NEW\nSHOP = S()\n"
    "def t(): return SHOP.r()",
    "a bound method's helper": "class S:\n    def r(self): return NEW\n"
    "    def t(self): return self.r()\nt = S().t",
    "an object that is called": "class S:\n    def __call__(self): return NEW\nt = S()",
    "a class's constant": "class S:\n    RATE = NEW\ndef t(): return S.RATE",
    "a cached function": "import functools\n@functools.cache\ndef r(): return NEW\n"
    "def t(): return r()",
    "a closure": "def make(x):\n    def t(): return x\n    return t\nt = make(NEW)",
    "a partial": "import functools\ndef r(x): return x\nt = functools.partial(r, NEW)",
}
OTHER = "\ndef u(): return 1\nTOOL_DISPATCH = {'t': t, 'u': u}\n"


@pytest.mark.parametrize("where", TOOLS)
def test_an_edited_tool_s_scenarios_are_run_again(
    where: str, resumed: Callable[..., RunReport]
) -> None:
    """A scenario whose tool was edited, or what that reaches, is run again."""
    old, new = (TOOLS[where].replace("NEW", each) + OTHER + BOTH for each in "12")
    assert attempts(resumed(old, new))["a"] == 2


HELPERS = {
    "a tool": "def t(): return NEW",
    "what it names": "RATE = NEW\ndef t(): return RATE",
    "an object's method": "class S:\n    def r(self): return NEW\nSHOP = S()\n"
    "def t(): return SHOP.r()",
}


@pytest.mark.parametrize("where", HELPERS)
def test_an_edited_module_is_noticed(where: str, resumed: Callable[..., RunReport]) -> None:
    """A tool that comes from a module beside the catalogue counts with all of that module."""
    suite = "from helper import t\nTOOL_DISPATCH = {'t': t}\ncase('a')\n"
    old, new = (HELPERS[where].replace("NEW", each) for each in "12")
    assert attempts(resumed(suite, suite, (old, new))) == {"a": 2}


OWN = {
    "an operator": "@operator('mine')\ndef mine(actual, assertion, context):\n"
    "    return Verdict(NEW == 1, 1.0)\n"
    "_s(Scenario('a', tool_calls=[ToolCall('t', {}, [Assertion('', 'mine')])]))\n",
    "a transform": "_s(Scenario('a', tool_calls=[ToolCall('t', save_as={'x': ''}), "
    "ToolCall('e', {}, [Assertion('', Op.EQ, 1)], context_args={'x': 'x'}, "
    "arg_transforms={'x': lambda x: x * NEW})]))\n",
    "a transform's function": "def f(x): return x * NEW\n"
    "_s(Scenario('a', tool_calls=[ToolCall('t', save_as={'x': ''}), "
    "ToolCall('e', {}, [Assertion('', Op.EQ, 1)], context_args={'x': 'x'}, "
    "arg_transforms={'x': lambda x: f(x)})]))\n",
    "an error_if": "TOOL_DISPATCH['t'] = Tool(t, error_if=lambda result: result == NEW)\n"
    "case('a')\n",
    "a factory": "def TOOL_DISPATCH():\n    value = NEW\n    return {'t': lambda: value}\n"
    "case('a')\n",
}


@pytest.mark.parametrize("what", OWN)
def test_the_author_s_other_functions_count(what: str, resumed: Callable[..., RunReport]) -> None:
    """Operators, transforms, error_if and factories bear on verdicts: an edit runs it again."""
    head = PLAIN + "TOOL_DISPATCH['e'] = lambda x: x\n"
    old, new = (head + OWN[what].replace("NEW", each) for each in "12")
    assert attempts(resumed(old, new)) == {"a": 2}


def test_what_can_t_be_told_apart_is_run_again(resumed: Callable[..., RunReport]) -> None:
    """A scenario with a function whose code is out of sight is run again every time."""
    opaque = "import operator as o\n_s(Scenario('a', tool_calls=[ToolCall('t', save_as={'x': ''}), "
    opaque += "ToolCall('e', {}, context_args={'x': 'x'}, "
    opaque += "arg_transforms={'x': o.methodcaller('bit_length')})]))\ncase('b')\n"
    suite = PLAIN + "TOOL_DISPATCH['e'] = lambda x: x\n" + opaque
    assert attempts(resumed(suite, suite)) == {"a": 2, "b": 1}


def test_lines_that_move_are_no_edit(resumed: Callable[..., RunReport]) -> None:
    """Comments and blank lines run nothing again; results name today's lines."""
    report = resumed(PLAIN + BOTH, "\n# a comment\n\n" + PLAIN + BOTH)
    assert attempts(report) == {"a": 1, "b": 1}


@pytest.mark.parametrize(
    ("new", "wanted"),
    [
        ("case('b', tool='u')\n", {"b": 1}),
        (BOTH + "case('c')\n", {"a": 1, "b": 1, "c": 1}),
        ("case('c')\n" + BOTH, {"a": 1, "b": 1, "c": 1}),
        ("case('b', tool='u')\ncase('a')\n", {"a": 1, "b": 1}),
        ("case('c')\ncase('b', tool='u')\n", {"b": 1, "c": 1}),
        ("case('c')\n", {"c": 1}),
    ],
    ids=["deleted", "added", "added first", "reordered", "replaced", "all replaced"],
)
def test_scenarios_may_come_and_go(
    new: str, wanted: dict[str, int], resumed: Callable[..., RunReport]
) -> None:
    """What was deleted is left out, what was added is run, the order is today's."""
    assert attempts(resumed(PLAIN + BOTH, PLAIN + new)) == wanted


def test_a_deleted_scenario_is_named(resumed: Callable[..., RunReport]) -> None:
    """A result that no longer counts is no silent loss."""
    report = resumed(PLAIN + BOTH, PLAIN + "case('b', tool='u')\n")
    assert any("no longer in the catalogue" in note for note in report.notes)


def test_a_scenario_that_comes_back_is_run_anew(write: Write) -> None:
    """One that was deleted and is there again does not find its old result."""
    report = run(write("suite.py", HEAD + PLAIN + BOTH), log_dir="runs")
    for new in ("case('b', tool='u')\n", BOTH):
        suite = write("suite.py", HEAD + PLAIN + new)
        report = run(suite, log_dir="runs", resume=report.run_id)
    assert [each.name for each in report.results] == ["a", "b"]
    assert report.digest == run("suite.py").digest


@pytest.mark.parametrize(("old", "new"), [(3, 2), (2, 3), (2, 1)])
def test_epochs_may_be_edited(old: int, new: int, resumed: Callable[..., RunReport]) -> None:
    """Epochs that are no longer asked for are no part of the run; new ones are run."""
    suites = (f"{PLAIN}case('a', epochs={each})\ncase('b')\n" for each in (old, new))
    assert len(resumed(*suites).results) == new + 1


FORCEABLE: list[tuple[str, ...]] = [
    ("other.py",),
    ("suite.py", "other.py"),
    ("suite.py", "--tools", "suite:TOOL_DISPATCH"),
]
OPTIONS: list[tuple[str, ...]] = [
    ("suite.py", "-t", "x"),
    ("suite.py", "-k", "a"),
    ("suite.py", "--name", "a"),
    ("suite.py", "--difficulty", "standard"),
    ("suite.py", "--shard", "1/2"),
    ("suite.py", "--sample", "1"),
    ("suite.py", "--epochs", "2"),
    ("suite.py", "--timeout", "7"),
    ("suite.py", "--until-sure", "0.9"),
]


@pytest.fixture
def broken_off(write: Write, cli: Callable[..., Any], log_of: Callable[[str], RunLog]) -> bytes:
    """The log of a run of suite.py that did not come to its end, beside other.py."""
    write("suite.py", HEAD + PLAIN + "case('a', tags=['x'])\ncase('b', tags=['y'])\n")
    write("other.py", HEAD + PLAIN + "case('c')\n")
    cli("suite.py")
    path = log_of("latest").path
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    return path.read_bytes()


@pytest.mark.parametrize("argv", FORCEABLE + OPTIONS, ids=" ".join)
def test_another_run_is_refused(
    argv: tuple[str, ...],
    broken_off: bytes,
    cli: Callable[..., Any],
    log_of: Callable[[str], RunLog],
) -> None:
    """What bears on verdicts must be as it was: exit 4, naming the difference, no byte written."""
    refused = cli(*argv, "--resume", "latest")
    assert refused.code == 4, refused
    assert " was " in refused.err
    assert ("--force" in refused.err) is (argv in FORCEABLE)
    assert log_of("latest").path.read_bytes() == broken_off


@pytest.mark.parametrize("argv", FORCEABLE, ids=" ".join)
def test_other_files_and_tools_can_be_forced(
    argv: tuple[str, ...],
    broken_off: bytes,
    cli: Callable[..., Any],
    log_of: Callable[[str], RunLog],
) -> None:
    """Whoever says so goes on with files or tools of another name; the run is that of today."""
    forced = json.loads(cli(*argv, "--resume", "latest", "--force", "--json").out)
    assert log_of("latest").path.read_bytes().startswith(broken_off)
    assert log_of("latest").finished
    told = json.loads(cli("report", "latest", "--json").out)
    fresh = json.loads(cli(*argv, "--json").out)
    assert forced["digest"] == told["digest"] == fresh["digest"]
    assert forced["summary"]["scenarios_total"] == fresh["summary"]["scenarios_total"]


@pytest.mark.parametrize("argv", OPTIONS, ids=" ".join)
def test_other_options_can_t_be_forced(
    argv: tuple[str, ...],
    broken_off: bytes,
    cli: Callable[..., Any],
    log_of: Callable[[str], RunLog],
) -> None:
    """A run of another selection or number of epochs is another run, whatever is said."""
    assert cli(*argv, "--resume", "latest", "--force").code == 4
    assert log_of("latest").path.read_bytes() == broken_off


def test_a_file_s_other_spelling_is_the_same_file(write: Write, folder: Path) -> None:
    """A path that is written differently, and leads to the same file, is the same run."""
    first = run(write("suite.py", HEAD + PLAIN + BOTH), log_dir="runs")
    for spelling in ("./suite.py", folder / "suite.py", f"../{folder.name}/suite.py"):
        assert run(spelling, log_dir="runs", resume=first.run_id).digest == first.digest
