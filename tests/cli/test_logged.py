"""What is told of runs from their logs alone: show, report, and how a run is named."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
Write = Callable[[str, str], str]

RUNS = Path(".evalkit") / "runs"
NAMES = ["small_sum", "large_sum", "wrong_sum", "other_wrong", "talk"]
CASES = """
from pathlib import Path
from evalkit import Assertion, Op, Scenario, ToolCall, TransportError, _s

calls = Path("calls.txt")

def add(a: int, b: int):
    with calls.open("a") as file:
        file.write("add\\n")
    return {"sum": a + b, "secret": None}

def dead():
    raise TransportError("no route")

TOOL_DISPATCH = {"add": add, "dead": dead}
call = ToolCall("add", {"a": 1, "b": 2}, [Assertion("sum", Op.EQ, 3, "three")])
_s(Scenario("good", tool_calls=[call], tags=["t"]))
_s(Scenario("doubtful", tool_calls=[call.but(assertions=[Assertion("sum", Op.GTE, 0)])]))
_s(Scenario("unreachable", tool_calls=[ToolCall("dead")]))
_s(Scenario("known", tool_calls=[call.but(assertions=[Assertion("sum", Op.LT, 0)])], xfail="why"))
_s(Scenario("trace", tool_calls=[call], assertions=[Assertion("calls", Op.LEN_EQ, 2)]))
"""


def told(done: Any) -> Any:
    """The one JSON object of what was answered with `--json`."""
    return json.loads(done.out)


def recorded(cli: Cli, *argv: str) -> str:
    """The id of a run with these options."""
    run_id: str = told(cli(*argv, "--json"))["run_id"]
    return run_id


def statuses(done: Any) -> dict[str, str]:
    """The status of each scenario of a run with `--json`."""
    return {each["name"]: each["status"] for each in told(done)["scenarios"]}


def without_notes(text: str) -> list[str]:
    """The lines of a report that are not notes on the log itself."""
    return [line for line in text.splitlines() if not line.startswith("note: ")]


def cut(run_id: str, lines: int, more: int = 0) -> None:
    """Keep so many lines of a log, and some bytes of the next: as a run that was killed."""
    path = RUNS / run_id / "run.ndjson"
    kept = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(kept[:lines]) + kept[lines][:more])


def test_show_without_a_run_lists_them(cli: Cli) -> None:
    """A line for each run, the oldest first: its id, what it came to, its label, its files."""
    first, second = recorded(cli, "shop.py"), recorded(cli, "shop.py", "-t", "sums", "--label", "x")
    lines = [line.split("\t") for line in cli("show").out.splitlines()]
    assert sorted(lines) == sorted(
        [[first, "2 of 5 passed", "", "shop.py"], [second, "2 of 3 passed", "x", "shop.py"]]
    )


def test_show_lists_runs_in_the_order_of_time(cli: Cli) -> None:
    """However fast they came, the oldest is first and the newest last."""
    ids = [recorded(cli, "shop.py", "-t", "small") for _ in range(5)]
    assert [line.split("\t")[0] for line in cli("show").out.splitlines()] == ids


@pytest.mark.parametrize(
    ("lines", "more", "state"),
    [(6, 0, "unfinished, 5 results"), (3, 7, "unfinished, 2 results"), (1, 0, "unfinished, 0")],
)
def test_show_says_which_run_is_not_finished(cli: Cli, lines: int, more: int, state: str) -> None:
    """A run that was killed is listed with how far it came."""
    cut(recorded(cli, "shop.py"), lines, more)
    assert state in cli("show").out


def test_show_says_which_log_is_damaged(cli: Cli) -> None:
    """A log whose end is damaged is listed as such, and keeps nothing else from being listed."""
    path = RUNS / recorded(cli, "shop.py") / "run.ndjson"
    recorded(cli, "shop.py")
    path.write_bytes(path.read_bytes().replace(b'"summary"', b'"sammury"', 1))
    done = cli("show")
    assert done.code == 0
    assert sorted(line.split("\t")[1] for line in done.out.splitlines()) == [
        "2 of 5 passed",
        "damaged",
    ]


def test_show_says_that_there_is_no_run(cli: Cli) -> None:
    """Where nothing is recorded a reader is told, and where it was looked for."""
    done = cli("show")
    assert str(RUNS) in done.out + done.err


def test_show_of_a_run_is_a_line_for_each_result(cli: Cli) -> None:
    """Status, name, epoch where there are several, seconds and place, in the catalogue's order."""
    done = cli("show", recorded(cli, "shop.py"))
    lines = [line.split("\t") for line in done.out.splitlines()]
    assert [line[1] for line in lines] == NAMES
    assert [line[0] for line in lines] == ["passed", "passed", "failed", "failed", "skipped"]
    assert all(line[2] == "" and line[3].endswith(" s") for line in lines)
    assert all(line[4].startswith("shop.py:") for line in lines)
    twice = cli("show", recorded(cli, "shop.py", "-t", "small", "--epochs", "2"))
    assert [line.split("\t")[2] for line in twice.out.splitlines()] == ["1/2", "2/2"]


def test_show_of_a_scenario_is_everything_about_it(cli: Cli) -> None:
    """The call with its arguments, what it gave and printed, and every check."""
    out = cli("show", recorded(cli, "shop.py"), "wrong_sum").out
    for part in (
        "FAILED  wrong_sum",
        "step 0: add(a=1, b=2)",
        "gave {'sum': 3}",
        "printed 'adding 1 2",
        "wrong_value: 'sum' equals 4",
        "expected 4, got 3",
    ):
        assert part in out
    assert "small_sum" not in out


def test_show_of_a_scenario_has_all_its_epochs(cli: Cli) -> None:
    """Each epoch by itself, with its number."""
    out = cli("show", recorded(cli, "shop.py", "--epochs", "3"), "small_sum").out
    assert [line.split("(")[1].split(")")[0] for line in out.splitlines() if "PASSED" in line] == [
        "epoch 1 of 3",
        "epoch 2 of 3",
        "epoch 3 of 3",
    ]


@pytest.mark.parametrize(
    "reference",
    [
        lambda run_id: run_id,
        lambda run_id: "nightly",
        lambda run_id: "latest",
        lambda run_id: "latest~0",
        lambda run_id: str(RUNS / run_id),
        lambda run_id: str((RUNS / run_id).absolute()),
    ],
    ids=["id", "label", "latest", "latest~0", "path", "absolute path"],
)
@pytest.mark.parametrize("command", ["show", "report", "grade"])
def test_a_run_is_found(cli: Cli, command: str, reference: Callable[[str], str]) -> None:
    """A RUN is an id, a label, `latest` or a path, for every command that takes one."""
    run_id = recorded(cli, "shop.py", "--label", "nightly")
    assert "small_sum" in cli(command, reference(run_id), *["-v"][: command != "show"]).out


def test_runs_are_counted_back_from_the_latest(cli: Cli) -> None:
    """`latest~N` is the Nth before the latest, in the order they were made."""
    ids = [recorded(cli, "shop.py", "-t", "small") for _ in range(4)]
    found = [told(cli("report", f"latest~{back}", "--json"))["run_id"] for back in range(4)]
    assert found == ids[::-1]


def test_the_newest_run_of_a_label_counts(cli: Cli) -> None:
    """A label that several runs have is that of the newest."""
    ids = [recorded(cli, "shop.py", "-t", "small", "--label", "nightly") for _ in range(4)]
    assert told(cli("report", "nightly", "--json"))["run_id"] == ids[-1]


def test_a_path_may_lead_out_of_the_log_dir(cli: Cli, tmp_path: Path) -> None:
    """A run that was copied elsewhere is found by its path."""
    run_id = recorded(cli, "shop.py")
    shutil.move(RUNS / run_id, tmp_path / "kept")
    assert "small_sum" in cli("show", "kept").out


@pytest.mark.parametrize("command", ["show", "report", "grade"])
@pytest.mark.parametrize(
    ("reference", "what"),
    [
        ("nightyl", "'nightyl'"),
        ("nightyl", "did you mean 'nightly'?"),
        ("latest~9", "'latest~9'"),
        ("latest~x", "'latest~x'"),
        ("latset", "'latset'"),
        ("a/b", "'a/b'"),
    ],
)
def test_a_run_that_there_is_not_is_told(cli: Cli, command: str, reference: str, what: str) -> None:
    """A wrong RUN is a usage error, with the nearest one there is."""
    recorded(cli, "shop.py", "--label", "nightly")
    done = cli(command, reference)
    assert (done.code, done.out) == (4, "")
    assert what in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(("command", "what"), [("report", "RUN"), ("grade", "FILES")])
def test_a_command_on_a_run_needs_one(cli: Cli, command: str, what: str) -> None:
    """Without a RUN the argument is named that is missing; `grade` takes files as well."""
    done = cli(command)
    assert done.code == 4
    assert what in done.err


def test_a_scenario_that_there_is_not_is_told(cli: Cli) -> None:
    """A wrong NAME is a usage error, with the nearest one there is."""
    done = cli("show", recorded(cli, "shop.py"), "smal_sum")
    assert done.code == 4
    assert "did you mean 'small_sum'?" in done.err


RUN_OPTIONS = pytest.mark.parametrize(
    "options",
    [
        [],
        ["--epochs", "2"],
        ["--until-sure", "0.5"],
        ["-x"],
        ["-t", "t"],
        ["--concurrency", "3"],
        ["--label", "nightly", "--timeout", "9"],
    ],
    ids=" ".join,
)


@RUN_OPTIONS
def test_a_report_has_the_json_of_the_run(cli: Cli, write: Write, options: list[str]) -> None:
    """`report RUN --json` and `-o` give the very object that the run gave."""
    done = cli(write("cases.py", CASES), "--json", "-o", "run.json", *options)
    again = cli("report", told(done)["run_id"], "--json", "-o", "again.json")
    assert told(again) == told(done)
    assert again.code == done.code
    assert json.loads(Path("again.json").read_text()) == json.loads(Path("run.json").read_text())


@RUN_OPTIONS
@pytest.mark.parametrize("how", [[], ["-v"], ["-vv"], ["-q"]], ids=str)
def test_a_report_has_the_text_of_the_run(
    cli: Cli, write: Write, how: list[str], options: list[str]
) -> None:
    """`report RUN` gives what the run showed, line for line, but for the notes."""
    done = cli(write("cases.py", CASES), *how, *options)
    again = cli("report", "latest", *how)
    assert without_notes(again.out) == without_notes(done.out)
    assert again.code == done.code


def test_a_report_needs_neither_files_nor_tools(cli: Cli, tmp_path: Path) -> None:
    """The log alone is enough: the catalogue may be gone."""
    done = cli("shop.py", "--json")
    (tmp_path / "shop.py").unlink()
    assert told(cli("report", told(done)["run_id"], "--json")) == told(done)


def test_a_report_is_of_the_run_as_it_ended(cli: Cli) -> None:
    """Fewer epochs are another run, which is refused, and leaves the report as it was."""
    before = cli("shop.py", "-t", "sums", "--epochs", "3", "--label", "x", "--json")
    refused = cli("shop.py", "-t", "sums", "--epochs", "2", "--resume", "x", "--force", "--json")
    assert refused.code == 4
    assert "epochs was 3, now 2" in refused.err
    assert told(cli("report", "x", "--json")) == told(before)


@pytest.mark.parametrize("command", ["report", "grade"])
@pytest.mark.parametrize(("lines", "more"), [(1, 0), (3, 0), (3, 9), (6, 0), (6, 9)])
def test_code_2_a_run_that_is_not_finished(cli: Cli, command: str, lines: int, more: int) -> None:
    """What there is of a run that was killed is told, with code 2 and how to go on."""
    run_id = recorded(cli, "shop.py")
    cut(run_id, lines, more)
    done = cli(command, run_id, "--json")
    assert done.code == 2
    assert [each["name"] for each in told(done)["scenarios"]] == NAMES[: lines - 1]
    assert told(done)["interrupted"] is True
    shown = cli(command, run_id)
    assert shown.code == 2
    assert shown.last == "exit 2: the run is not finished: --resume goes on with it"
    assert any(line.startswith("interrupted: ") for line in shown.out.splitlines())


@pytest.mark.parametrize("command", ["show", "report", "grade"])
def test_a_record_that_was_cut_off_is_told(cli: Cli, command: str) -> None:
    """A torn last record is dropped with one note, which says so (fault 2)."""
    run_id = recorded(cli, "shop.py")
    cut(run_id, 3, 40)
    notes = [line for line in cli(command, run_id).out.splitlines() if "cut off" in line]
    assert len(notes) == 1
    assert run_id in notes[0]


@pytest.mark.parametrize("command", ["show", "report", "grade"])
def test_a_damaged_log_is_refused_or_salvaged(cli: Cli, command: str) -> None:
    """Damage in the middle is told by line and byte; `--salvage` gives the rest (fault 3)."""
    run_id = recorded(cli, "shop.py")
    path = RUNS / run_id / "run.ndjson"
    path.write_bytes(path.read_bytes().replace(b"large_sum", b"large_sim", 1))
    done = cli(command, run_id)
    assert (done.code, done.out) == (4, "")
    assert "line 3, byte " in done.err
    assert "--salvage" in done.err
    saved = cli(command, run_id, "--salvage", *["-v"][: command != "show"])
    assert "small_sum" in saved.out
    assert "line 3, byte " in saved.out + saved.err


@pytest.mark.parametrize("command", ["show", "report", "grade"])
def test_the_log_dir_may_be_a_setting(cli: Cli, write: Write, command: str) -> None:
    """What `[tool.evalkit]` says of the log folder holds for what reads it, too."""
    write("pyproject.toml", '[tool.evalkit]\nlog-dir = "logs"\n')
    run_id = recorded(cli, "shop.py")
    assert not RUNS.exists()
    assert "small_sum" in cli(command, run_id, *["-v"][: command != "show"]).out
