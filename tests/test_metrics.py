"""The numbers that people publish: mean scores by operator, with their count and interval."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import Assertion, Check, Op, RunReport, Scenario, Status, ToolCall, TransportError, run
from evalkit.cli import main
from evalkit.intervals import wilson
from evalkit.metrics import SCORING, Metrics

FIXED = settings(deadline=None, derandomize=True, max_examples=60)
F1 = Assertion("", Op.F1, "x y z")
EM = Assertion("", Op.EXACT_MATCH, "x y z")


def check_of(assertion: Assertion, score: float, status: Status = Status.PASSED) -> Check:
    """A check that came to this score."""
    return Check(assertion, None, status, None, score, "x", "", 0.0)


def metrics(*checks: Check) -> dict[str, dict[str, Any]]:
    """What these checks come to, each of a scenario of its own."""
    found = Metrics()
    for check in checks:
        found.add([check])
    return found.to_dict()


def test_the_mean_is_of_scores_whatever_the_verdict() -> None:
    """A score counts as it is, of checks that passed and of checks that failed."""
    told = metrics(check_of(F1, 0.5), check_of(F1, 0.25, Status.FAILED), check_of(F1, 0))
    assert told == {
        "f1": {"mean": 0.25, "n": 3, "ci": wilson(0.75, 3), "errors": 0, "normalize": "squad"}
    }


def test_an_error_counts_0_and_is_counted() -> None:
    """What could not be measured stays in the denominator, and is told apart."""
    told = metrics(check_of(F1, 1), *[check_of(F1, 0, Status.ERROR)] * 3)["f1"]
    assert (told["mean"], told["n"], told["errors"]) == (0.25, 4, 3)


def test_what_was_skipped_is_left_out() -> None:
    """What was not put to anything is in no mean, and makes none where there is nothing else."""
    told = metrics(check_of(F1, 1), check_of(F1, 0, Status.SKIPPED))["f1"]
    assert (told["mean"], told["n"]) == (1, 1)
    assert metrics(check_of(F1, 0, Status.SKIPPED)) == {}


def test_each_operator_has_its_mean() -> None:
    """Operators stand by themselves, sorted."""
    told = metrics(check_of(F1, 0.5), check_of(EM, 0), check_of(F1.but(op=Op.SIMILAR), 0.25))
    assert {name: row["mean"] for name, row in told.items()} == {
        "exact_match": 0,
        "f1": 0.5,
        "similar": 0.25,
    }
    assert list(told) == sorted(told)


def test_normalisers_are_never_put_together() -> None:
    """Where one operator has several normalisers, each has its mean, and its name in brackets."""
    raw = F1.but(normalize="raw")
    told = metrics(check_of(F1, 1), check_of(raw, 0), check_of(F1, 0.5), check_of(EM, 1))
    assert {name: (row["mean"], row["normalize"]) for name, row in told.items()} == {
        "exact_match": (1, "squad"),
        "f1[raw]": (0, "raw"),
        "f1": (0.75, "squad"),
    }


def test_what_is_usual_and_what_is_said_are_one() -> None:
    """A normaliser that is named and is the usual one anyway is the same."""
    told = metrics(check_of(F1, 1), check_of(F1.but(normalize="squad"), 0))
    assert (list(told), told["f1"]["n"]) == (["f1"], 2)


@FIXED
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_a_mean_lies_in_its_interval(scores: list[float]) -> None:
    """The mean is that of the scores, within an interval that never is of no width."""
    told = metrics(*(check_of(F1, score) for score in scores))["f1"]
    low, high = told["ci"]
    assert told["mean"] == pytest.approx(sum(scores) / len(scores))
    assert 0 <= low <= told["mean"] <= high <= 1
    assert low < high


def say(text: Any) -> Any:
    """Say it."""
    return text


def gone() -> None:
    """Be out of reach."""
    raise TransportError("no route")


def asked(name: str, said: Any, *assertions: Assertion, **fields: Any) -> Scenario:
    """A scenario in which this is said."""
    return Scenario(name, tool_calls=[ToolCall("say", {"text": said}, assertions)], **fields)


def report(*scenarios: Scenario) -> RunReport:
    """The report of running these."""
    return run(scenarios, tools={"say": say, "gone": gone})


GOOD = asked("good", "x y z", F1, EM, tags=["a", "b"], difficulty="basic")
HALF = asked("half", "x", F1, EM, tags=["b"])
LOST = Scenario("lost", tool_calls=[ToolCall("gone", {}, [F1, EM])], tags=["c"])


def test_a_report_has_them() -> None:
    """`report.metrics` is what the summary has, and its means are over all scenarios."""
    found = report(GOOD, HALF)
    assert found.metrics == found.summary["metrics"]
    assert found.metrics["f1"]["mean"] == pytest.approx(0.75)
    assert found.metrics["exact_match"]["mean"] == pytest.approx(0.5)
    assert {row["n"] for row in found.metrics.values()} == {2}


def test_they_are_by_tag_and_difficulty_too() -> None:
    """Each tag and each difficulty has the means of its own scenarios."""
    found = report(GOOD, HALF)
    assert found.by_tag["a"]["metrics"]["exact_match"]["mean"] == 1
    assert found.by_tag["b"]["metrics"]["exact_match"]["mean"] == 0.5
    assert found.by_difficulty["standard"]["metrics"]["f1"]["mean"] == pytest.approx(0.5)


def test_an_answer_that_never_came_is_in_the_mean() -> None:
    """A scenario that could not be measured lowers the mean, and is counted as an error."""
    told = report(GOOD, LOST).metrics["exact_match"]
    assert (told["mean"], told["n"], told["errors"]) == (0.5, 2, 1)


def broken() -> Any:
    """Fail."""
    raise ValueError("the saw is off")


def test_a_wrong_kind_of_answer_is_in_the_mean() -> None:
    """A null, a number and a tool that raised are scores of 0, and the subject's fault."""
    raised = Scenario("raised", tool_calls=[ToolCall("broken", {}, [EM])])
    scenarios = [GOOD, asked("null", None, EM), asked("number", 3, EM), raised]
    told = run(scenarios, tools={"say": say, "broken": broken}).metrics["exact_match"]
    assert (told["mean"], told["n"], told["errors"]) == (0.25, 4, 0)


def test_a_scenario_counts_once() -> None:
    """However often it is run, and however many checks of one kind it has: by their mean."""
    told = report(GOOD.but(epochs=3)).metrics["f1"]
    assert (told["mean"], told["n"]) == (1, 1)
    found = Metrics()
    found.add([check_of(F1, 1), check_of(F1, 0)])
    found.add([check_of(F1, 0.2)], epochs=2)
    found.add([check_of(F1, 0.4)], epochs=2)
    told = found.to_dict()["f1"]
    assert (told["mean"], told["n"]) == (pytest.approx((0.5 + 0.3) / 2), 2)


def test_a_warning_counts() -> None:
    """What is only recorded, with weight 0 and no say in the verdict, has its mean."""
    recorded = F1.but(severity="warn", weight=0)
    found = report(asked("s", "x", EM.but(expected="x"), recorded))
    assert found.passed
    assert found.summary["score"] == 1
    assert found.metrics["f1"]["mean"] == pytest.approx(0.5)


def test_without_scores_there_are_none() -> None:
    """Where nothing is scored there is no mean, neither 0 nor 1."""
    found = report(asked("s", "x", Assertion("", Op.CONTAINS, "x"), Assertion("", Op.EQ, "x")))
    assert found.metrics == {}
    assert "contains" not in SCORING


def down() -> Any:
    """Open for planning, and never again."""
    opened.append(1)
    if len(opened) > 1:
        raise RuntimeError("the shop is shut")
    return {"say": say}


opened: list[int] = []


def test_what_tools_can_t_show_has_no_mean() -> None:
    """Tools give no response: run against them, answers have no mean, nor where they are shut."""
    opened.clear()
    both = GOOD.but(answers=["x y z"], tool_calls=[ToolCall("say", {"text": "x"})])
    assert report(both).metrics == {}
    shut = run(both, tools=down)
    assert shut["good"].status is Status.ERROR
    assert shut.metrics == {}


ANSWERED = """
from evalkit import Answers, Scenario, _s
_s(Scenario("q1", "What?", answers=["x y z"], tags=["t"]))
_s(Scenario("q2", "What?", answers=Answers(["x y z"], "f1"), tags=["t"]))
_s(Scenario("q3", "What?", answers=Answers(["x"], "contains", normalize="raw")))
_s(Scenario("q4", "What?", answers=["x"]))
"""


def test_they_are_in_the_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`grade FILE --predictions FILE --json` has the means: a missing answer counts 0 in them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases.py").write_text(ANSWERED, encoding="utf-8")
    said = {"q1": "The X, y z!", "q2": "x", "q3": "Xx"}
    (tmp_path / "said.json").write_text(json.dumps(said), encoding="utf-8")
    argv = ["grade", "cases.py", "--predictions", "said.json", "--json", "--no-log"]
    assert main(argv) == 1
    told = json.loads(capsys.readouterr().out)
    means = told["summary"]["metrics"]
    assert {name: (row["n"], row["errors"]) for name, row in means.items()} == {
        "exact_match[raw]": (1, 0),
        "exact_match": (3, 1),
        "f1[raw]": (1, 0),
        "f1": (3, 1),
    }
    assert means["exact_match"]["mean"] == pytest.approx(1 / 3)
    assert means["f1"]["mean"] == pytest.approx(0.5)
    tagged = told["by_tag"]["t"]["metrics"].values()
    assert [(row["normalize"], row["n"]) for row in tagged] == [("squad", 2)] * 2
    statuses = [each["status"] for each in told["scenarios"]]
    assert statuses == ["passed", "passed", "passed", "error"]
