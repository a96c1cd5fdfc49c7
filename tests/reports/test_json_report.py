"""The report as one JSON object: strict, whole, the same by every way to it."""

import json
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, Op, Ref, RunReport, Scenario, ToolCall, run
from evalkit.intervals import wilson
from evalkit.reports.json_report import JsonReport


def strict(content: bytes) -> Any:
    """Read by a reader that knows no NaN and no key twice."""

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len({key for key, _ in found}) == len(found)
        return dict(found)

    def refuse(name: str) -> None:
        raise ValueError(name)

    return json.loads(content.decode("utf-8"), parse_constant=refuse, object_pairs_hook=pairs)


def written_by(*scenarios: Scenario, **options: Any) -> tuple[Any, RunReport]:
    """What a run with these options writes, and the report of Python beside it."""
    written: list[bytes] = []
    report = run(scenarios, sinks=[JsonReport(written.append)], **options)
    (content,) = written
    return strict(content), report


def reported(*scenarios: Scenario, **tools: Any) -> tuple[Any, RunReport]:
    """What the report writes, and the report of Python beside it."""
    return written_by(*scenarios, tools=tools)


CHECKS = [Assertion("n", Op.EQ, 1, "the number"), Assertion("m", Op.IS_FALSE)]
CALL = ToolCall("ping", {}, CHECKS, save_as={"n": "n"})
SCENARIO = Scenario("a", "Hi?", [CALL, CALL], ["t"], "", "basic", source="cases.py:1")


def test_it_is_what_to_dict_gives() -> None:
    """The object that is written is `RunReport.to_dict()`."""
    written, report = reported(SCENARIO, ping=lambda: {"n": 1})
    assert written == json.loads(json.dumps(report.to_dict()))


def test_warnings_are_in_it() -> None:
    """What planning found doubtful is a list of lines, empty where nothing was."""
    clear = SCENARIO.but(tool_calls=[CALL])
    assert reported(clear, ping=lambda: {"n": 1})[0]["warnings"] == []
    call = ToolCall("ping", {}, [Assertion("n", Op.GTE, 0)])
    doubtful = Scenario("a", tool_calls=[call], source="cases.py:1")
    written, report = reported(doubtful, ping=lambda: {"n": 1})
    assert written["warnings"] == [str(warning) for warning in report.warnings]
    (line,) = written["warnings"]
    assert line.startswith("cases.py:1: a.tool_calls[0].assertions[0].expected: 0 or more")


def test_a_scenario_has_its_fields() -> None:
    """Name, epoch, status, tags, difficulty, seconds and checks are there."""
    written, _ = reported(SCENARIO, ping=lambda: {"n": 1})
    (scenario,) = written["scenarios"]
    assert (scenario["name"], scenario["epoch"], scenario["status"]) == ("a", 1, "failed")
    assert (scenario["tags"], scenario["difficulty"]) == (["t"], "basic")
    assert scenario["source"] == "cases.py:1"
    assert [check["step"] for check in scenario["checks"]] == [0] * 3 + [1] * 3


def test_a_check_has_its_fields() -> None:
    """What was asserted, what came, and why not, each under its own name."""
    written, _ = reported(SCENARIO, ping=lambda: {"n": 1})
    first, second = written["scenarios"][0]["checks"][:2]
    assert first["description"] == "the number"
    assert {key: first[key] for key in ("status", "path", "op", "expected", "actual", "code")} == {
        "status": "passed",
        "path": "n",
        "op": "eq",
        "expected": 1,
        "actual": 1,
        "code": None,
    }
    assert (second["status"], second["code"], second["score"]) == ("failed", "unresolved_path", 0.0)
    assert "does not resolve" in second["reason"]


def test_a_check_on_the_trace_has_no_step() -> None:
    """The step of an assertion on the trace is null."""
    scenario = Scenario("a", tool_calls=[CALL], assertions=[Assertion("calls", Op.LEN_EQ, 1)])
    written, _ = reported(scenario, ping=lambda: {"n": 1})
    assert written["scenarios"][0]["checks"][-1]["step"] is None


def test_a_saved_value_stands_where_it_was_expected() -> None:
    """`expected` shows the value that was saved; one that never was stays a reference."""
    using = ToolCall("ping", {}, [Assertion("n", Op.EQ, Ref("n"))])
    scenario = Scenario("a", tool_calls=[ToolCall("ping", save_as={"n": "n"}), using])
    written, _ = reported(scenario, ping=lambda: {"n": 1})
    assert written["scenarios"][0]["checks"][-1]["expected"] == 1
    written, _ = reported(scenario, ping=dict)
    assert written["scenarios"][0]["checks"][-1]["expected"] == {"$ref": "n"}


@pytest.mark.parametrize(
    "value",
    [
        10**30,
        -(10**3000),
        1e308,
        5e-324,
        "\x00\u2028",
        {"": ""},
        None,
        [],
        "\U0001f600",
    ],
    ids=ascii,
)
def test_any_json_value_is_written_strictly(value: Any) -> None:
    """Huge integers, control characters and empty keys come back as what they were."""
    check = Assertion("v", Op.EQ, value)
    scenario = Scenario(
        "a", tool_calls=[ToolCall("ping", {}, [check, Assertion("v", Op.NE, value)])]
    )
    written, report = reported(scenario, ping=lambda: {"v": value})
    first, second = written["scenarios"][0]["checks"]
    assert (first["expected"], second["actual"]) == (value, value)
    assert report["a"].checks[0].passed


@pytest.mark.parametrize(
    "returned", [float("nan"), {1}, b"x", object()], ids=["nan", "set", "bytes", "object"]
)
def test_what_is_no_json_is_an_outcome(returned: Any) -> None:
    """A result that can't be written is a failed check, and the report is written all the same."""
    scenario = Scenario("a", tool_calls=[ToolCall("ping")])
    written, _ = reported(scenario, ping=lambda: returned)
    (check,) = written["scenarios"][0]["checks"]
    assert (check["status"], check["code"]) == ("failed", "unserialisable_result")
    assert check["reason"]


def test_nothing_is_an_object_too() -> None:
    """A run of no scenario has null rates and no scenarios."""
    written, _ = reported()
    assert written["scenarios"] == []
    assert written["summary"]["score"] is None


EQ = Scenario("b", tool_calls=[ToolCall("ping", {}, [Assertion("n", Op.EQ, 1)])])


def counting(*values: int) -> dict[str, Any]:
    """A table whose tool gives one value after the other, over and over."""
    numbers = cycle(values)
    return {"ping": lambda: {"n": next(numbers)}}


def test_with_a_log_it_is_what_to_dict_gives(tmp_path: Path) -> None:
    """With epochs and a log, too, the object that is written is `RunReport.to_dict()`."""
    options = {"tools": counting(1, 2), "epochs": 2, "log_dir": tmp_path}
    written, report = written_by(SCENARIO, EQ, **options)
    assert written == json.loads(json.dumps(report.to_dict()))


def test_the_run_id_is_that_of_the_log(tmp_path: Path) -> None:
    """A recorded run is named by its directory; one without a log has no name."""
    written, _ = written_by(EQ, tools=counting(1), log_dir=tmp_path)
    (place,) = (each for each in tmp_path.iterdir() if each.is_dir())
    assert written["run_id"] == place.name
    assert written_by(EQ, tools=counting(1))[0]["run_id"] is None


def test_the_digest_is_of_verdicts_and_values(tmp_path: Path) -> None:
    """Equal for equal runs, with a log or without; another where a value or an epoch differs."""
    runs: dict[str, dict[str, Any]] = {
        "once": {"tools": counting(1)},
        "again": {"tools": counting(1), "log_dir": tmp_path},
        "threads": {"tools": counting(1), "executor": "threads"},
        "value": {"tools": counting(2)},
        "epochs": {"tools": counting(1), "epochs": 2},
    }
    digests = {name: written_by(EQ, **options)[0]["digest"] for name, options in runs.items()}
    assert digests["once"] == digests["again"] == digests["threads"]
    assert len(set(digests.values())) == 3


def test_by_operator_is_in_it() -> None:
    """Counts, rate and interval of each operator, sorted by name."""
    written, _ = reported(SCENARIO, ping=lambda: {"n": 1})
    assert list(written["by_operator"]) == sorted(written["by_operator"])
    assert written["by_operator"]["eq"] == {
        "checks_total": 2,
        "checks_passed": 2,
        "checks_error": 0,
        "pass_rate": 1.0,
        "interval": list(wilson(2, 2) or ()),
    }


def test_intervals_are_in_it() -> None:
    """The interval of the scenarios that passed is two numbers, null where nothing was counted."""
    written, _ = reported(EQ, ping=lambda: {"n": 1})
    assert written["summary"]["scenario_pass_interval"] == list(wilson(1, 1) or ())
    assert reported()[0]["summary"]["scenario_pass_interval"] is None


def test_without_epochs_there_is_nothing_on_them() -> None:
    """`epochs` is null where every scenario ran once."""
    assert reported(EQ, ping=lambda: {"n": 1})[0]["epochs"] is None


def test_epochs_are_in_it() -> None:
    """A record for each epoch, one scenario in the summary, pass^k and the flaky ones by name."""
    written, _ = written_by(EQ, tools=counting(1, 2), epochs=2)
    assert [(each["epoch"], each["status"]) for each in written["scenarios"]] == [
        (1, "passed"),
        (2, "failed"),
    ]
    assert written["summary"]["scenarios_total"] == written["summary"]["scenarios_failed"] == 1
    told = written["epochs"]
    assert (told["pass_hat"], told["pass_at"]) == ({"1": 0.5, "2": 0.0}, {"1": 0.5, "2": 1.0})
    assert list(told["flaky"]) == ["b"]
    assert (told["until_sure"], told["error_bound"]) == (None, None)


def test_what_it_took_to_be_sure_is_in_it() -> None:
    """The rate, the bound on errors, and how many epochs were run and saved."""
    told = written_by(EQ, tools=counting(1), until_sure=0.5)[0]["epochs"]
    assert (told["until_sure"], told["error_bound"]) == (0.5, 0.05)
    assert (told["epochs_run"], told["epochs_saved"]) == (7, 93)
