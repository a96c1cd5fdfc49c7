"""How a run that is in a log is graded again, with the assertions of today."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
Write = Callable[[str, str], str]

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


def test_grade_puts_the_assertions_of_today(cli: Cli, tmp_path: Path) -> None:
    """An assertion that was edited decides anew, on the values that were recorded."""
    run_id = recorded(cli, "shop.py")
    shop = tmp_path / "shop.py"
    shop.write_text(shop.read_text().replace('"wrong_sum", 4', '"wrong_sum", 3'))
    done = cli("grade", run_id, "--json")
    assert statuses(done)["wrong_sum"] == "passed"
    assert statuses(done)["other_wrong"] == "failed"
    assert done.code == 1
    assert statuses(cli("report", run_id, "--json"))["wrong_sum"] == "failed"


def test_grade_runs_no_tool(cli: Cli, write: Write) -> None:
    """The traces are those of the log: no tool is called, no factory opened."""
    name = write("cases.py", CASES)
    run_id = recorded(cli, name)
    calls = Path("calls.txt").read_text()
    assert cli("grade", run_id).code == 1
    assert Path("calls.txt").read_text() == calls
    source = CASES.replace(
        'TOOL_DISPATCH = {"add": add, "dead": dead}', "TOOL_DISPATCH = lambda: 1 / 0"
    )
    write("cases.py", source)
    assert cli("grade", run_id).code == 1


@pytest.mark.parametrize("options", [[], ["--epochs", "2"], ["--until-sure", "0.5"]], ids=" ".join)
def test_grade_without_a_change_changes_nothing(cli: Cli, write: Write, options: list[str]) -> None:
    """With the assertions of the run, verdicts, values and digest are those of the run."""
    done = cli(write("cases.py", CASES), "--json", *options)
    again = cli("grade", told(done)["run_id"], "--json")
    assert again.code == done.code
    for key in ("digest", "epochs", "by_tag", "by_difficulty", "by_operator"):
        assert told(again)[key] == told(done)[key], key


def test_grade_may_be_of_other_files(cli: Cli, write: Write, tmp_path: Path) -> None:
    """FILES stand for those of the run, which may be gone."""
    run_id = recorded(cli, "shop.py")
    write(
        "cases.py", (tmp_path / "shop.py").read_text().replace('"small_sum", 3', '"small_sum", 9')
    )
    (tmp_path / "shop.py").unlink()
    assert statuses(cli("grade", run_id, "cases.py", "--json"))["small_sum"] == "failed"
    refused = cli("grade", run_id)
    assert refused.code == 4
    assert "shop.py" in refused.err


def test_grade_takes_in_what_is_known_to_fail_today(cli: Cli, tmp_path: Path) -> None:
    """A scenario that was marked since then is XFAILED, and its tags are those of today."""
    run_id = recorded(cli, "shop.py", "-t", "wrong")
    shop = tmp_path / "shop.py"
    text = shop.read_text().replace(
        '"other_wrong", 5, "wrong"', '"other_wrong", 5, "new", xfail="why"'
    )
    shop.write_text(text)
    done = cli("grade", run_id, "--json")
    assert statuses(done) == {"wrong_sum": "failed", "other_wrong": "xfailed"}
    assert "new" in told(done)["by_tag"]


@pytest.mark.parametrize(("needed", "status"), [(1, "passed"), (2, "failed")])
def test_grade_takes_as_many_epochs_as_must_pass_today(
    cli: Cli, write: Write, needed: int, status: str
) -> None:
    """How many epochs must pass is a part of the scenario, and that of today decides."""
    source = """
    from itertools import cycle
    from evalkit import Assertion, Op, Scenario, ToolCall, _s
    values = cycle([1, 2])
    TOOL_DISPATCH = {"next": lambda: next(values)}
    call = ToolCall("next", {}, [Assertion("", Op.EQ, 1)])
    _s(Scenario("a", tool_calls=[call], epochs=2, pass_epochs=NEEDED))
    """
    run_id = recorded(cli, write("cases.py", source.replace("NEEDED", str(3 - needed))))
    write("cases.py", source.replace("NEEDED", str(needed)))
    assert told(cli("grade", run_id, "--json"))["summary"][f"scenarios_{status}"] == 1


def test_grade_tells_what_is_gone(cli: Cli, tmp_path: Path) -> None:
    """A scenario that is no longer in the catalogue is named, and so is one without a trace."""
    run_id = recorded(cli, "shop.py")
    shop = tmp_path / "shop.py"
    shop.write_text(shop.read_text().replace('"other_wrong"', '"another"'))
    done = cli("grade", run_id)
    assert "not in the catalogue or not selected, and left out: 'other_wrong'" in done.out
    assert "without a trace in this run, and not graded: 'another'" in done.out
    assert done.last == ("exit 2: 1 scenario of the catalogue without a trace in the run")
    as_json = cli("grade", run_id, "--json")
    assert statuses(as_json).keys() == set(NAMES) - {"other_wrong"}
    assert "other_wrong" in as_json.out + as_json.err


def test_grade_refuses_a_wrong_catalogue(cli: Cli, tmp_path: Path) -> None:
    """Mistakes in the assertions of today are code 4, all told at once before anything else."""
    run_id = recorded(cli, "shop.py")
    shop = tmp_path / "shop.py"
    shop.write_text(shop.read_text().replace("Op.EQ", '"eqq"'))
    done = cli("grade", run_id)
    assert done.code == 4
    assert done.err.count("did you mean 'eq'?") == 4
    assert done.last == "exit 4: 4 problems; nothing was run"
    assert done.out == ""
