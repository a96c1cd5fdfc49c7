"""What gold answers come down to: one assertion that decides, and what is recorded beside it."""

from typing import Any

import pytest

from evalkit import (
    Answers,
    Assertion,
    Op,
    Scenario,
    ScenarioResult,
    Services,
    Status,
    ToolCall,
    grade,
    run,
    validate,
)
from evalkit.planning import Planner
from evalkit.planning.answers import assertions_of
from evalkit.subjects.kinds import PREDICTIONS
from evalkit.subjects.predictions import Predictions

SERVICES = Services(embed=lambda texts: [[1, 0] if "oak" in text else [0, 1] for text in texts])


def answered(
    answers: Answers | list[str], said: str | None, *assertions: Assertion
) -> ScenarioResult:
    """The result of a question that was answered like that."""
    scenario = Scenario("q", "What?", answers=answers, assertions=assertions)
    planner = Planner(None, {}, kind=PREDICTIONS, services=SERVICES)
    (plan,) = planner.plan([scenario]).plans
    trace = Predictions({"q": said}, "answers.json").trace_of(plan)
    return grade(scenario, trace, services=SERVICES)


DECIDED: list[tuple[dict[str, Any], list[str]]] = [
    ({"match": "exact_match"}, ["exact_match", "f1"]),
    ({"match": "f1"}, ["f1", "exact_match"]),
    ({"match": "contains"}, ["contains_any", "exact_match", "f1"]),
    ({"match": "similar"}, ["similar", "exact_match", "f1"]),
    ({"match": "semantic"}, ["semantic", "exact_match", "f1"]),
    ({"match": "numeric", "golds": [3, "4"]}, ["numeric", "exact_match", "f1"]),
]


@pytest.mark.parametrize(("given", "ops"), DECIDED, ids=str)
def test_exact_match_and_f1_are_recorded_whatever_decides(
    given: dict[str, Any], ops: list[str]
) -> None:
    """The first assertion decides; EM and F1 stand beside it, once each, on the response."""
    found = assertions_of(Answers(**{"golds": ["oak"], **given}))
    assert [str(each.op) for each in found] == ops
    assert {each.path for each in found} == {"response"}
    assert [each.severity for each in found] == ["fail", *["warn"] * (len(ops) - 1)]
    assert [each.weight for each in found] == [1, *[0] * (len(ops) - 1)]


def test_what_is_recorded_is_held_against_the_same_golds() -> None:
    """All golds count for each; numbers are written as texts where texts are compared."""
    deciding, *beside = assertions_of(Answers([3, "4"], "numeric"))
    assert deciding.expected == [3, "4"]
    assert [each.expected for each in beside] == [["3", "4"]] * 2


@pytest.mark.parametrize("match", ["exact_match", "f1", "contains", "similar", "semantic"])
def test_what_is_said_is_handed_on(match: Any) -> None:
    """Normaliser and extract are those of every assertion, a threshold of the deciding one."""
    threshold = None if match in ("exact_match", "contains") else 0.3
    answers = Answers(["x"], match, threshold=threshold, normalize="basic", extract="terse")
    deciding, *beside = assertions_of(answers)
    assert {each.normalize for each in (deciding, *beside)} == {"basic"}
    assert {each.extract for each in (deciding, *beside)} == {"terse"}
    assert deciding.threshold == threshold
    assert [each.threshold for each in beside] == [None] * len(beside)


OAK = ["oak", "elm tree"]
VERDICTS: list[tuple[dict[str, Any], str, Status, float]] = [
    ({"golds": OAK}, "The Oak.", Status.PASSED, 1.0),
    ({"golds": OAK}, "an elm tree", Status.PASSED, 1.0),
    ({"golds": OAK}, "elm", Status.FAILED, 0.0),
    ({"golds": OAK, "normalize": "raw"}, "Oak", Status.FAILED, 0.0),
    ({"golds": OAK, "extract": "after_answer"}, "elm. Answer: oak", Status.PASSED, 1.0),
    ({"golds": OAK, "extract": "after_answer"}, "oak", Status.FAILED, 0.0),
    ({"golds": OAK, "match": "f1"}, "elm", Status.PASSED, 2 / 3),
    ({"golds": OAK, "match": "f1", "threshold": 0.7}, "elm", Status.FAILED, 2 / 3),
    ({"golds": OAK, "match": "contains"}, "It's an ELM TREE, I think", Status.PASSED, 1.0),
    ({"golds": OAK, "match": "contains"}, "elm", Status.FAILED, 0.0),
    ({"golds": OAK, "match": "similar"}, "elm treq", Status.PASSED, 7 / 8),
    ({"golds": OAK, "match": "similar"}, "ELM TREE", Status.FAILED, 1 / 8),
    ({"golds": OAK, "match": "semantic"}, "an oaken door", Status.PASSED, 1.0),
    ({"golds": ["oak"], "match": "semantic"}, "pine", Status.FAILED, 0.0),
    ({"golds": [3, "4"], "match": "numeric"}, "It is 4.", Status.PASSED, 1.0),
    ({"golds": [3, "4"], "match": "numeric"}, "It is 34.", Status.FAILED, 0.0),
    ({"golds": [""]}, "", Status.PASSED, 1.0),
    ({"golds": [""]}, "something", Status.FAILED, 0.0),
]


@pytest.mark.parametrize(("given", "said", "status", "score"), VERDICTS, ids=str)
def test_the_deciding_one_is_the_verdict(
    given: dict[str, Any], said: str, status: Status, score: float
) -> None:
    """An answer's status and score are those of the way it is matched; the rest is on record."""
    result = answered(Answers(**given), said)
    assert result.status is status
    assert result.score == pytest.approx(score)
    assert {str(check.op) for check in result.checks} >= {"exact_match", "f1"}


@pytest.mark.parametrize("golds", [["oak"], [""]], ids=str)
def test_no_answer_is_not_the_empty_one(golds: list[str]) -> None:
    """An answer that is null fails, also where nothing is what was to be said."""
    result = answered(golds, None)
    assert result.status is Status.FAILED
    assert {check.code for check in result.checks} == {"no_answer"}


def test_the_author_s_assertions_come_after() -> None:
    """Assertions on the trace are put beside the answers, and a failed one fails the scenario."""
    result = answered(["oak"], "oak", Assertion("response", Op.MATCHES, "^elm"))
    assert [str(check.op) for check in result.checks] == ["exact_match", "f1", "matches"]
    assert result.status is Status.FAILED
    assert result.score == pytest.approx(0.5)


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"golds": ["The"]}, "answers", "nothing is left of the gold 'The' by 'squad'"),
    ({"golds": [" "]}, "answers", "is blank"),
    ({"golds": [""], "normalize": "raw"}, "answers", "is blank"),
    ({"golds": [""], "match": "contains"}, "answers", "in every string"),
    ({"golds": ["A"], "match": "contains"}, "answers", "nothing is left of 'A'"),
    ({"golds": [""], "match": "similar"}, "answers", "is blank"),
    ({"golds": ["none"], "match": "numeric"}, "answers", "states no number"),
    ({"golds": ["oak"], "match": "semantic"}, "answers.op", "nothing to embed with"),
]


@pytest.mark.parametrize(("given", "where", "told"), REFUSED, ids=str)
def test_golds_that_measure_nothing_are_refused_once(
    given: dict[str, Any], where: str, told: str
) -> None:
    """Fault 36: a gold that an empty answer meets, or none can, is one problem with its place."""
    scenario = Scenario("q", "What?", answers=Answers(**given), source="cases.py:7")
    planner = Planner(None, {}, kind=PREDICTIONS)
    planner.compile(scenario)
    (problem,) = planner.problems.errors
    assert (problem.where, problem.source) == (f"q.{where}", "cases.py:7")
    assert told in problem.problem


def test_problems_of_answers_are_told_with_the_others() -> None:
    """Golds that are refused hide no other mistake of the catalogue."""
    wrong = Scenario("q", "What?", answers=["the"], assertions=[Assertion("respons", Op.EXISTS)])
    places = [problem.where for problem in validate([wrong, Scenario("empty", "What?")])]
    assert places == ["q.answers", "q.assertions[0].path", "empty"]


def test_answers_alone_are_something_to_check() -> None:
    """Fault 35: a question with gold answers needs no assertion of its own."""
    assert validate(Scenario("q", "What?", answers=["oak"])) == ()


def test_tools_alone_give_no_answer() -> None:
    """Run against its tools, a scenario's answers are SKIPPED, and its calls decide."""
    scenario = Scenario("q", "What?", [ToolCall("ping")], answers=["oak"])
    result = run(scenario, tools={"ping": lambda: 1})["q"]
    assert [check.status.value for check in result.checks] == ["passed", "skipped", "skipped"]
    assert (result.status, result.score) == (Status.PASSED, 1)
    talk = run(scenario.but(tool_calls=[]), tools={})["q"]
    assert talk.status is Status.SKIPPED


def test_what_is_scored_by_is_told_beforehand() -> None:
    """What has been compiled names each way of scoring once, for the report's header."""
    planner = Planner(None, {}, kind=PREDICTIONS)
    for name in ("a", "b"):
        planner.compile(Scenario(name, "What?", answers=Answers(["oak"], "f1", threshold=0.25)))
    assert planner.scoring == ("f1 from 0.25 by squad", "exact_match by squad")
