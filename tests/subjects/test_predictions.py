"""Answers that another program gave: their traces, and what is graded where one is missing."""

import json

import pytest

from evalkit import Answers, Assertion, Op, Scenario, ScenarioResult, Status, grade
from evalkit.planning import Planner
from evalkit.subjects.kinds import PREDICTIONS
from evalkit.subjects.predictions import Predictions
from evalkit.trace import KEYS, Trace

ASKED = Scenario("q1", "What?", answers=["oak"])
GIVEN = Predictions({"q1": "Oak!", "q2": None, "q3": ""}, "answers.json")


def trace_of(scenario: Scenario, predictions: Predictions = GIVEN) -> Trace:
    """The trace of a scenario's answer."""
    (plan,) = Planner(None, {}, kind=PREDICTIONS).plan([scenario]).plans
    return predictions.trace_of(plan)


def graded(scenario: Scenario, predictions: Predictions = GIVEN) -> ScenarioResult:
    """The result of a scenario's answer."""
    return grade(scenario, trace_of(scenario, predictions))


def test_a_trace_has_every_part() -> None:
    """It is a trace like any other, of an agent whose response alone was observed."""
    trace = trace_of(ASKED)
    assert trace.keys() == KEYS
    assert (trace["subject"], trace["response"]) == ("agent", "Oak!")
    assert tuple(trace["observed"]) == PREDICTIONS.observed
    assert trace["errors"] == []


@pytest.mark.parametrize("name", ["q1", "q2", "q3", "absent"])
def test_a_trace_survives_json(name: str) -> None:
    """A trace that has been through JSON gives the same result, missing answers too."""
    scenario = ASKED.but(name=name)
    trace = trace_of(scenario)
    crossed = json.loads(json.dumps(trace))
    one, other = grade(scenario, trace), grade(scenario, crossed)
    told = [(each.status, each.score, [c.code for c in each.checks]) for each in (one, other)]
    assert crossed == trace
    assert told[0] == told[1]


STATUSES = [("q1", "passed"), ("q2", "failed"), ("q3", "failed"), ("absent", "error")]


@pytest.mark.parametrize(("name", "status"), STATUSES)
def test_an_answer_that_is_missing_is_no_answer_that_is_wrong(name: str, status: str) -> None:
    """Right is PASSED, null and empty FAILED, and where there is no answer it is ERROR."""
    assert graded(ASKED.but(name=name)).status.value == status


def test_a_missing_answer_counts_0_in_every_check() -> None:
    """Without a prediction each check is ERROR `no_prediction`, scores 0 and names the file."""
    scenario = ASKED.but(name="absent", answers=Answers(["oak"], "contains"))
    result = graded(scenario.but(assertions=[Assertion("response", Op.IS_NULL)]))
    assert {(check.status, check.code, check.score) for check in result.checks} == {
        (Status.ERROR, "no_prediction", 0.0)
    }
    assert len(result.checks) == 4
    assert result.score == 0
    assert "answers.json has no answer to 'absent'" in result.checks[0].reason


def test_the_number_of_checks_is_that_of_the_scenario() -> None:
    """Whether there is an answer or not, the scenario has as many checks."""
    counts = {len(graded(ASKED.but(name=name)).checks) for name in ("q1", "q2", "q3", "absent")}
    assert counts == {2}


def test_what_is_known_to_fail_does_not_hide_a_missing_answer() -> None:
    """`xfail` turns FAILED into XFAILED, and leaves what could not be measured an ERROR."""
    known = ASKED.but(xfail="never knew")
    assert graded(known.but(name="q3")).status is Status.XFAILED
    assert graded(known.but(name="absent")).status is Status.ERROR


def test_a_warning_does_not_hide_a_missing_answer() -> None:
    """A check that only warns, and is ERROR too, leaves the scenario an ERROR."""
    warns = Assertion("response", Op.EQ, "oak", severity="warn")
    scenario = Scenario("absent", "What?", answers=["oak"], assertions=[warns])
    assert graded(scenario).status is Status.ERROR


def test_the_digest_is_of_the_answer() -> None:
    """An answer that was edited, or is not there any more, is seen by its digest."""
    said: list[str | None] = ["Oak!", "oak", None, "", "null", "None", "\N{SNOWMAN}"]
    digests = [Predictions({"q1": each}, "f").digest_of("q1") for each in said]
    digests.append(Predictions({}, "f").digest_of("q1"))
    assert len(set(digests)) == len(digests)


def test_the_digest_is_of_nothing_else() -> None:
    """Neither the file's name nor other answers change the digest of one."""
    one, other = GIVEN, Predictions({"q9": "x", "q1": "Oak!"}, "elsewhere.csv")
    assert one.digest_of("q1") == other.digest_of("q1")
    assert one.digest_of("absent") == other.digest_of("q2")
