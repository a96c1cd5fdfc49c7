"""What each command does with its files and options."""

import json
import subprocess
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
Write = Callable[[str, str], str]

HEAD = "from evalkit import Assertion, Op, Scenario, ToolCall, _s\n"
NAMES = ["small_sum", "large_sum", "wrong_sum", "other_wrong", "talk"]
CHECK = {
    "status",
    "passed",
    "code",
    "score",
    "path",
    "op",
    "expected",
    "actual",
    "reason",
    "seconds",
    "step",
}


def strict(text: str) -> Any:
    """The one JSON object of a text, by a strict reader."""

    def refuse(name: str) -> None:
        raise ValueError(name)

    return json.loads(text, parse_constant=refuse)


def ran(done: Any) -> list[str]:
    """The names of the scenarios that a run with `--json` has run."""
    return [each["name"] for each in strict(done.out)["scenarios"]]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["-t", "sums"], NAMES[:3]),
        (["-t", "small", "-t", "large"], NAMES[:2]),
        (["-t", "sums", "-t", "not:wrong"], NAMES[:2]),
        (["--difficulty", "basic", "--difficulty", "advanced"], ["small_sum", "wrong_sum"]),
        (["-k", "wrong and not other"], ["wrong_sum"]),
        (["-k", "LARGE or talk"], ["large_sum", "talk"]),
        (["--name", "talk", "--name", "small_sum"], ["small_sum", "talk"]),
        (["--shard", "1/2"], ["small_sum", "wrong_sum", "talk"]),
        (["--shard", "2/2"], ["large_sum", "other_wrong"]),
        (["-t", "sums", "-k", "sum", "--shard", "3/3"], ["wrong_sum"]),
    ],
    ids=str,
)
def test_selection(cli: Cli, options: list[str], names: list[str]) -> None:
    """Each option of selection narrows down what runs, and what `list` lists."""
    assert ran(cli("shop.py", "--json", *options)) == names
    listed = cli("list", "shop.py", *options).out.splitlines()
    assert [line.split("\t")[0] for line in listed] == names


def test_a_sample_is_the_same_for_a_seed(cli: Cli) -> None:
    """`--sample` draws that many, by `--seed` and nothing else."""
    first = ran(cli("shop.py", "--json", "--sample", "3", "--seed", "5"))
    assert len(first) == 3
    assert first == ran(cli("shop.py", "--json", "--sample", "3", "--seed", "5"))
    drawn = {
        tuple(ran(cli("shop.py", "--json", "--sample", "3", "--seed", str(seed))))
        for seed in range(6)
    }
    assert len(drawn) > 1


def test_shards_share_out_a_sample(cli: Cli) -> None:
    """Machines with one seed share out one sample."""
    options = ("shop.py", "--json", "--sample", "4", "--seed", "1")
    whole = ran(cli(*options))
    shares = [ran(cli(*options, "--shard", f"{each}/3")) for each in (1, 2, 3)]
    assert sorted(chain(*shares)) == sorted(whole)


@pytest.mark.parametrize(
    ("options", "count"),
    [(["-x"], 3), (["--exitfirst"], 3), (["--maxfail", "1"], 3), (["--maxfail", "2"], 4)],
)
def test_a_run_stops_after_failures(cli: Cli, options: list[str], count: int) -> None:
    """`-x` stops at the first that fails, `--maxfail N` at the Nth; that one is reported."""
    done = cli("shop.py", "--json", *options)
    assert done.code == 1
    assert ran(done) == NAMES[:count]


def test_a_run_that_stopped_says_what_it_left(cli: Cli) -> None:
    """A reader sees that not everything was run."""
    out = cli("shop.py", "-x").out
    assert "5" in out
    assert "3 scenarios" in out or "2 were not run" in out or "not run" in out


def test_quiet_is_the_failures_and_the_last_line(cli: Cli) -> None:
    """`-q` of a run that passed is a line or two; of one that failed, the failures too."""
    assert len(cli("shop.py", "-t", "small", "-q").out.strip().splitlines()) <= 3
    out = cli("shop.py", "-q").out
    assert "wrong_sum" in out
    assert "by tag" not in out
    assert "small_sum" not in out


def test_verbose_is_a_line_for_each_scenario(cli: Cli) -> None:
    """`-v` names every scenario with its status, and says why one was skipped."""
    lines = cli("shop.py", "-v").out.splitlines()
    for name, status in zip(
        NAMES, ["passed", "passed", "failed", "failed", "skipped"], strict=True
    ):
        (line,) = [each for each in lines if name in each and each.startswith(status)]
        assert name != "talk" or "agent" in line


def test_twice_verbose_is_a_line_for_each_check(cli: Cli) -> None:
    """`-vv` shows what each check asserted."""
    out = cli("shop.py", "-vv", "-t", "small").out
    assert "'sum' equals 3" in out


def test_json_is_one_object_of_the_design(cli: Cli) -> None:
    """`--json` prints one object: summary, tallies, and every scenario with its checks."""
    found = strict(cli("shop.py", "--json").out)
    assert {"schema_version", "summary", "by_tag", "by_difficulty", "scenarios"} <= found.keys()
    assert found["summary"]["scenarios_total"] == 5
    assert found["summary"]["pass_rate"] == 0.5
    assert found["by_tag"]["wrong"]["scenarios_failed"] == 2
    for scenario in found["scenarios"]:
        assert {
            "name",
            "epoch",
            "status",
            "tags",
            "difficulty",
            "seconds",
            "checks",
        } <= scenario.keys()
        for check in scenario["checks"]:
            assert check.keys() >= CHECK
    (check,) = found["scenarios"][2]["checks"]
    assert (check["expected"], check["actual"], check["code"], check["step"]) == (
        4,
        3,
        "wrong_value",
        0,
    )


def test_json_of_a_mistake_leaves_stdout_empty(cli: Cli) -> None:
    """A program that reads stdout never gets half an object: the mistake is on stderr."""
    done = cli("shop.py", "--json", "-t", "nope")
    assert (done.code, done.out) == (4, "")


def test_json_of_nothing_is_an_object(cli: Cli) -> None:
    """Where nothing matches, the object says so with null rates."""
    done = cli("shop.py", "--json", "-k", "zebra")
    assert done.code == 5
    assert strict(done.out)["summary"]["pass_rate"] is None
    assert done.err.rstrip().rpartition("\n")[2].startswith("exit 5: no scenario matches")


NOISE = """
import logging, os, sys, threading, warnings
from evalkit import Scenario, ToolCall, _s
kept = sys.stdout
def thread():
    helper = threading.Thread(target=print, args=("noise",))
    helper.start()
    helper.join()
def noisy():
    {statement}
    return 1
noisy()
TOOL_DISPATCH = {{"noisy": noisy}}
_s(Scenario("a", tool_calls=[ToolCall("noisy")]))
"""


@pytest.mark.parametrize(
    "statement",
    [
        "print('noise'); print('noise', file=sys.stderr)",
        "sys.stdout.write('noise'); sys.stdout.flush()",
        "print('noise', file=kept, flush=True)",
        "thread()",
        "logging.warning('noise'); warnings.warn('noise')",
        "sys.__stdout__.write('noise'); sys.__stdout__.flush()",
        "os.write(1, b'noise')",
        "os.system('echo noise')",
    ],
)
def test_json_is_pure_whatever_prints(process: Cli, write: Write, statement: str) -> None:
    """What a file or a tool prints, at the level of Python or of the system, is not on stdout."""
    done = process(write("cases.py", NOISE.format(statement=statement)), "--json")
    assert done.code == 0, done.err
    assert strict(done.out)["summary"]["scenarios_passed"] == 1
    assert "noise" not in done.out


def test_what_a_tool_prints_is_shown_with_its_failure(cli: Cli) -> None:
    """The print of a call that failed stands with it, and that of one that passed nowhere."""
    out = cli("shop.py").out
    assert "adding 1 2" in out
    assert "adding" not in cli("shop.py", "-t", "small").out


def test_a_report_is_written_to_a_file(cli: Cli, tmp_path: Path) -> None:
    """`-o x.json` holds what `--json` prints, and stdout keeps its own report; it is repeatable."""
    done = cli("shop.py", "-o", "x.json", "-o", "y.json")
    assert "by tag" in done.out
    first, second = (strict((tmp_path / name).read_text()) for name in ("x.json", "y.json"))
    assert first == second
    assert [each["name"] for each in first["scenarios"]] == NAMES


def test_a_report_replaces_the_old_one_as_a_whole(cli: Cli, tmp_path: Path) -> None:
    """An older report stays until the new one is whole; a run that never began leaves it alone."""
    (tmp_path / "x.json").write_text("old")
    assert cli("shop.py", "-t", "nope", "-o", "x.json").code == 4
    assert (tmp_path / "x.json").read_text() == "old"
    cli("shop.py", "-o", "x.json")
    assert strict((tmp_path / "x.json").read_text())
    assert sorted(each.name for each in tmp_path.iterdir() if each.is_file()) == [
        "shop.py",
        "x.json",
    ]


def test_a_report_can_be_read_by_others(cli: Cli, tmp_path: Path) -> None:
    """A written report has the permissions of any other new file."""
    (tmp_path / "plain").write_text("")
    cli("shop.py", "-o", "x.json")
    assert (tmp_path / "x.json").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("name", ["no/such/folder/x.json", "x", "x.xml", "folder.json"])
def test_a_report_that_cannot_be_written_is_known_before_the_run(
    cli: Cli, tmp_path: Path, name: str
) -> None:
    """A wrong place or suffix costs no run: code 4, with the name."""
    (tmp_path / "folder.json").mkdir()
    done = cli("shop.py", "-o", name)
    assert (done.code, done.out) == (4, "")
    assert name in done.err


def test_list_gives_name_difficulty_and_tags(cli: Cli) -> None:
    """`list` writes a line for each scenario and runs nothing."""
    done = cli("list", "shop.py")
    assert done.code == 0
    lines = [line.split("\t") for line in done.out.splitlines()]
    assert [line[0] for line in lines] == NAMES
    assert lines[0][1] == "basic"
    assert "sums" in lines[0][3]
    assert "adding" not in done.out + done.err


def test_list_needs_no_tools(cli: Cli, write: Write) -> None:
    """A catalogue can be listed without its table."""
    source = (
        "from evalkit import Scenario, ToolCall, _s\n_s(Scenario('a', tool_calls=[ToolCall('x')]))"
    )
    assert cli("list", write("cases.py", source)).code == 0


@pytest.mark.parametrize("command", ["list", "validate"])
def test_list_and_validate_of_nothing_say_so(cli: Cli, command: str) -> None:
    """A selection of nothing is code 5 with the nearest, as for a run."""
    done = cli(command, "shop.py", "-k", "smal_sum")
    assert done.code == 5
    assert "exit 5: no scenario matches -k 'smal_sum' (nearest 'small_sum')" in done.out + done.err


def test_validate_runs_nothing(cli: Cli) -> None:
    """`validate` plans, says how many scenarios are sound, and calls no tool."""
    done = cli("validate", "shop.py")
    assert done.code == 0
    assert "5 scenarios" in done.out
    assert "adding" not in done.out + done.err


def test_validate_finds_what_run_finds(cli: Cli, write: Write) -> None:
    """Both refuse a catalogue with the same problems."""
    source = "from evalkit import Scenario, ToolCall, _s\nfrom shop import TOOL_DISPATCH\n"
    name = write("cases.py", source + "_s(Scenario('a', tool_calls=[ToolCall('ad')]))")
    validated, run = cli("validate", name), cli("run", name)
    assert validated.code == run.code == 4
    assert validated.err == run.err


def test_a_warning_is_shown_and_harms_nothing(cli: Cli, write: Write) -> None:
    """What is doubtful is told with its place by run and validate, and the code stays 0."""
    source = HEAD + "TOOL_DISPATCH = {'n': lambda: 3}\n"
    name = write(
        "cases.py",
        source + "_s(Scenario('a', tool_calls=[ToolCall('n', {}, [Assertion('', Op.GTE, 0)])]))",
    )
    for command in ("run", "validate"):
        done = cli(command, name)
        assert done.code == 0
        assert "warning: cases.py:3: a.tool_calls[0].assertions[0].expected" in done.out + done.err


def test_tools_from_elsewhere(cli: Cli, write: Write) -> None:
    """`--tools` takes the place of the file's own table."""
    write("tables.py", "OTHER = {'add': lambda a, b: {'sum': 4}}")
    done = cli("shop.py", "--tools", "tables:OTHER", "--name", "wrong_sum")
    assert done.code == 0, done.out


@pytest.mark.parametrize("flag", ["always", "never", "auto"])
def test_colour(cli: Cli, monkeypatch: pytest.MonkeyPatch, flag: str) -> None:
    """Colours are there when asked for, and never where the output is no terminal."""
    monkeypatch.delenv("NO_COLOR")
    assert ("\x1b[" in cli("shop.py", "--color", flag).out) is (flag == "always")


def test_two_files_are_one_run(cli: Cli, write: Write) -> None:
    """Scenarios of all files run, each against its own table."""
    source = HEAD + "TOOL_DISPATCH = {'add': lambda: 7}\n"
    name = write(
        "cases.py",
        source + "_s(Scenario('b', tool_calls=[ToolCall('add', {}, [Assertion('', Op.EQ, 7)])]))",
    )
    done = cli("shop.py", name, "--json", "--name", "b", "--name", "small_sum")
    assert (done.code, ran(done)) == (0, ["small_sum", "b"])


def test_two_files_with_one_name(cli: Cli, write: Write) -> None:
    """A name that two files have is an error with both places."""
    source = "from evalkit import Scenario, ToolCall, _s\nTOOL_DISPATCH = {'x': lambda: 7}\n"
    name = write("cases.py", source + "_s(Scenario('small_sum', tool_calls=[ToolCall('x')]))")
    done = cli("shop.py", name)
    assert done.code == 4
    assert "cases.py:3" in done.err
    assert "shop.py:14" in done.err


def test_one_file_twice(cli: Cli) -> None:
    """A file that is named twice is a slip that runs once or is refused, and never runs twice."""
    done = cli("shop.py", "./shop.py", "--json")
    assert done.code == 4 or len(ran(done)) == len(NAMES)


def test_a_file_that_begins_with_a_dash(process: Cli, write: Write) -> None:
    """`--` ends the options."""
    name = write("-x.py", "from shop import TOOL_DISPATCH, case, _s\n_s(case('a', 3))")
    done = process("run", "-t", "small", "--", name)
    assert done.code == 0, done.err


def test_the_installed_command_is_the_module(tmp_path: Path) -> None:
    """The console script answers as `python -m evalkit` does, where it is installed."""
    try:
        done = subprocess.run(
            ["evalkit", "--version"], capture_output=True, check=False, text=True, timeout=60
        )
    except FileNotFoundError:
        pytest.skip("the console script is not installed here")
    assert done.stdout.startswith("evalkit ")
