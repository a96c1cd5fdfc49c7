"""Exit codes with their last lines, and what a mistake on the command line is answered with."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evalkit

Cli = Callable[..., Any]
Write = Callable[[str, str], str]

HEAD = "from evalkit import Assertion, Op, Scenario, ToolCall, _s\n"


def test_code_0_all_passed(cli: Cli) -> None:
    """Where all that was measured passed the code is 0, and the last line says so."""
    done = cli("shop.py", "-t", "small")
    assert done.code == 0
    assert done.last == "exit 0: all that was measured passed"


def test_code_0_skipped_does_not_count_against(cli: Cli) -> None:
    """A scenario that needs an agent is skipped, and harms nothing."""
    assert cli("shop.py", "-t", "small", "-t", "chat").code == 0


def test_code_0_a_known_failure_does_not_count_against(cli: Cli, write: Write) -> None:
    """XFAILED is fine."""
    name = write(
        "cases.py", "from shop import TOOL_DISPATCH, case, _s\n_s(case('a', 9, xfail='known'))"
    )
    assert cli(name, "--name", "a").code == 0


def test_code_1_something_failed(cli: Cli) -> None:
    """A failure is code 1, and the last line says why."""
    done = cli("shop.py")
    assert done.code == 1
    assert done.last == "exit 1: 2 failed"


def test_code_1_a_known_failure_that_passes(cli: Cli, write: Write) -> None:
    """XPASSED fails the run."""
    name = write(
        "cases.py", "from shop import TOOL_DISPATCH, case, _s\n_s(case('a', 3, xfail='known'))"
    )
    done = cli(name, "--name", "a")
    assert done.code == 1
    assert "known to fail" in done.out
    assert done.last == "exit 1: 1 passed though known to fail"


def test_code_1_what_could_not_be_measured_is_not_called_a_failure(cli: Cli, write: Write) -> None:
    """The last line tells an error of the instrument from a failure of the subject."""
    source = "from evalkit import TransportError\n" + HEAD
    source += "def dead():\n    raise TransportError('no route')\nTOOL_DISPATCH = {'dead': dead}\n"
    source += "for n in 'abc':\n    _s(Scenario(n, tool_calls=[ToolCall('dead')]))\n"
    source += "_s(Scenario('d', tool_calls=[ToolCall('wrong')]))\n"
    source += "TOOL_DISPATCH['wrong'] = lambda: {1}\n"
    name = write("cases.py", source)
    assert cli(name, "--name", "a").last == "exit 1: 1 could not be measured"
    assert cli(name).last == "exit 1: 1 failed, 3 could not be measured"


def test_code_4_a_catalogue_error(cli: Cli, write: Write) -> None:
    """Something wrong with a catalogue is code 4; the last line says that nothing was run."""
    done = cli(write("cases.py", "1 / 0"))
    assert (done.code, done.out) == (4, "")
    assert done.last == "exit 4: 1 problem; nothing was run"


def test_code_4_counts_its_problems(cli: Cli, write: Write) -> None:
    """The last line says how many problems were told, each in a line of its own."""
    write("a.py", "1 / 0")
    write("b.py", "2 / 0")
    done = cli("a.py", "b.py")
    assert done.last == "exit 4: 2 problems; nothing was run"
    assert len(done.err.splitlines()) == 3


def test_one_is_not_many(cli: Cli) -> None:
    """A single scenario is told in the singular."""
    out = cli("shop.py", "-t", "small").out
    assert "1 passed of 1 scenario; 1 of 1 checks; " in out
    assert "1 scenarios" not in out


def test_code_5_no_scenario_matches(cli: Cli) -> None:
    """An expression that nothing fits is code 5, with the expression and what is near."""
    done = cli("shop.py", "-k", "smal_sum")
    assert done.code == 5
    assert done.last == "exit 5: no scenario matches -k 'smal_sum' (nearest 'small_sum')"


def test_code_5_all_need_an_agent(cli: Cli) -> None:
    """A selection that only an agent could answer is code 5, with their number."""
    done = cli("shop.py", "-t", "chat")
    assert done.code == 5
    assert done.last.startswith("exit 5: 1 selected, ")
    assert "need" in done.last
    assert "agent" in done.last


@pytest.mark.parametrize("options", [["-t", "sums", "--difficulty", "advanced", "-t", "not:wrong"]])
def test_code_5_tags_that_exclude_each_other(cli: Cli, options: list[str]) -> None:
    """Known tags that nothing has together are code 5, and the last line repeats what was asked."""
    done = cli("shop.py", *options)
    assert done.code == 5
    assert "-t not:wrong" in done.last


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["shop.py", "--tga", "sums"], "--tag"),
        (["shop.py", "--maxfial", "1"], "--maxfail"),
        (["shop.py", "--jsno"], "--json"),
        (["shop.py", "-t", "smal"], "unknown tag 'smal'; did you mean 'small'?"),
        (["shop.py", "--name", "small_smu"], "did you mean 'small_sum'?"),
        (["shop.py", "--difficulty", "baisc"], "'basic'"),
        (["shop.py", "--color", "allways"], "'always'"),
        (["shpo.py"], "did you mean 'shop.py'?"),
        (["shop.py", "-o", "x.jsn"], "'.json'"),
        (["shop.py", "--tools", "shop:TOOL_DISPACTH"], "did you mean 'TOOL_DISPATCH'?"),
        (["shop.py", "--tools", "shop"], "package.module:NAME"),
        (["shop.py", "--tools", "shpo:TOOL_DISPATCH"], "shpo"),
        (["lst", "shop.py"], "'list'"),
        (["vaildate", "shop.py"], "'validate'"),
        (["shop.py", "--shard", "3/2"], "'3/2'"),
        (["shop.py", "--shard", "1"], "I/N"),
        (["shop.py", "--sample", "0"], "0"),
        (["shop.py", "--sample", "many"], "'many'"),
        (["shop.py", "--maxfail", "0"], "0"),
        (["shop.py", "--timeout", "0"], "0"),
        (["shop.py", "--timeout", "nan"], "nan"),
        (["shop.py", "-k", "a and"], "'a and'"),
        (["run"], "FILES"),
        (["empty"], "there is no catalogue in this folder"),
    ],
    ids=" ".join,
)
def test_code_4_a_mistake_names_what_was_meant(cli: Cli, argv: list[str], told: str) -> None:
    """A flag, tag, name, tool, command, file or value is told with the nearest right one."""
    Path("empty").mkdir()
    done = cli(*argv)
    assert done.code == 4, done.out
    assert told in done.err
    assert done.out == ""
    assert "Traceback" not in done.err
    assert done.last.startswith("exit 4")


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("ToolCall('ad', {'a': 1, 'b': 2})", "unknown tool 'ad'; did you mean 'add'?"),
        ("ToolCall('add', {'a': 1, 'c': 2})", "'c'"),
        ("ToolCall('add', {'a': 1, 'b': 2}, [Assertion('sum', 'eqq', 3)])", "did you mean 'eq'?"),
    ],
)
def test_code_4_a_mistake_in_a_file_names_what_was_meant(
    cli: Cli, write: Write, call: str, told: str
) -> None:
    """A wrong tool, argument or operator is told by file:line, field, value and the nearest."""
    source = HEAD + f"from shop import TOOL_DISPATCH\n_s(Scenario('b', tool_calls=[{call}]))"
    done = cli(write("cases.py", source))
    assert done.code == 4
    assert "cases.py:3" in done.err
    assert "b.tool_calls[0]" in done.err
    assert told in done.err


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("TOOL_DISPATCH = [1, 2]", "[1, 2]"),
        ("TOOL_DISPATCH = {'x': 3}", "TOOL_DISPATCH['x']"),
        ("TOOL_DISPATCH = {3: print}", "3"),
        ("def TOOL_DISPATCH():\n    raise RuntimeError('db down')", "RuntimeError: db down"),
        ("def TOOL_DISPATCH():\n    return 3", "3"),
        ("", "TOOL_DISPATCH"),
    ],
)
def test_code_4_wrong_tools_name_their_file(cli: Cli, write: Write, table: str, told: str) -> None:
    """Among several files, a reader is told whose table or factory is wrong, and how."""
    source = HEAD + f"{table}\n_s(Scenario('b', tool_calls=[ToolCall('x')]))"
    done = cli("shop.py", write("cases.py", source), "--name", "b", "--name", "small_sum")
    assert done.code == 4
    assert told in done.err
    assert "cases" in done.err


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("Scenario('a', toolcalls=[])", "'tool_calls'"),
        ("Scenario('a', tag=['x'])", "'tags'"),
        ("ToolCall('add', asertions=[])", "'assertions'"),
        ("Assertion('sum', Op.EQ, 3, tolerence=1)", "'tolerance'"),
        ("Assertion('sum', Op.EQUALS, 3)", "EQUALS"),
        ("Assertion('sum', Op.EQAL, 3)", "did you mean 'EQ'?"),
        ("Assertion('sum', Op.CONTIANS, 3)", "did you mean 'CONTAINS'?"),
        ("from evalkit import Opp", "did you mean 'Op'?"),
        ("from evalkit import Scenaro", "did you mean 'Scenario'?"),
    ],
)
def test_code_4_an_unknown_field_names_the_nearest(
    cli: Cli, write: Write, call: str, told: str
) -> None:
    """A keyword, operator or import that there is not is told with its line and the nearest."""
    done = cli(write("cases.py", HEAD + call))
    assert done.code == 4
    assert "cases.py:2" in done.err
    assert told in done.err


def test_code_4_a_catalogue_without_tools_says_how_to_name_them(cli: Cli, write: Write) -> None:
    """Scenarios with calls and no table: both ways to give one are told."""
    done = cli(write("cases.py", HEAD + "_s(Scenario('a', tool_calls=[ToolCall('add')]))"))
    assert done.code == 4
    assert "cases" in done.err
    assert "TOOL_DISPATCH" in done.err
    assert "--tools" in done.err


@pytest.mark.parametrize("argv", [["--version"], ["-h"], ["--help"], ["run", "--help"], []])
def test_help_and_version_are_code_0(cli: Cli, argv: list[str]) -> None:
    """Who asks for help or the version gets it, on stdout."""
    done = cli(*argv)
    assert done.code == 0
    assert done.out.strip()


def test_the_version(process: Cli) -> None:
    """`--version` gives the version of the package."""
    assert process("--version").out == f"evalkit {evalkit.__version__}\n"


def test_help_lists_every_exit_code(cli: Cli) -> None:
    """A reader of the help learns what each code means."""
    words = cli("--help").out.split()
    assert {str(code) for code in range(6)} <= set(words)


def test_run_may_be_left_out(cli: Cli) -> None:
    """`evalkit FILE` is `evalkit run FILE`, options before or after the file."""
    assert cli("run", "shop.py", "-t", "small").code == 0
    assert cli("-t", "small", "shop.py").code == 0
    assert cli("shop.py", "-t", "small").code == 0


def test_a_file_may_be_called_as_a_command(cli: Cli, write: Write) -> None:
    """A file named `list.py` is a file."""
    name = write("list.py", "from shop import TOOL_DISPATCH, case, _s\n_s(case('a', 3))")
    assert cli(name, "-t", "small").code == 0


def test_main_gives_the_streams_back(cli: Cli) -> None:
    """Who calls the command line from Python keeps stdout and stderr."""
    streams = sys.stdout, sys.stderr
    cli("shop.py")
    assert (sys.stdout, sys.stderr) == streams


def test_code_4_a_mistyped_table_is_named(cli: Cli, write: Write) -> None:
    """A file whose table is called nearly right is told which name it has."""
    source = HEAD + "TOOL_DISPATCHER = {}\n_s(Scenario('a', tool_calls=[ToolCall('add')]))"
    done = cli(write("cases.py", source))
    assert done.code == 4
    assert "it has TOOL_DISPATCHER;" in done.err
    assert "define TOOL_DISPATCH in its file" in done.err


def test_stdout_is_the_report_s_until_the_process_has_ended(process: Cli, write: Write) -> None:
    """What the author's code prints at exit does not end up behind the JSON."""
    source = HEAD + "import atexit\natexit.register(print, 'bye')\n"
    source += "TOOL_DISPATCH = {'one': lambda: 1}\n_s(Scenario('a', tool_calls=[ToolCall('one')]))"
    done = process(write("cases.py", source), "--json")
    assert done.code == 0
    assert json.loads(done.out)["summary"]["scenarios_passed"] == 1
    assert "bye" in done.err


def test_the_last_line_says_what_was_not_run(cli: Cli) -> None:
    """After `-x` the rest of the selection is counted."""
    assert "of 3 scenarios; 2 more not run; " in cli("shop.py", "-x").out
    assert "not run" not in cli("shop.py").out
