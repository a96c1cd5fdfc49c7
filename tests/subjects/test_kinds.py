"""What each kind of subject can see, and which scenarios are for it."""

from typing import Any

import pytest

from evalkit import (
    Answers,
    Assertion,
    CatalogueError,
    Op,
    Scenario,
    ScenarioResult,
    Services,
    Status,
    ToolCall,
    grade,
    run,
)
from evalkit.plan import Plan
from evalkit.planning import Planner
from evalkit.subjects.kinds import PREDICTIONS, TOOLS, Kind
from evalkit.subjects.predictions import Predictions
from evalkit.trace import KEYS

CALLED = [ToolCall("ping")]
ON_CALLS = Assertion("calls", Op.LEN_EQ, 1)
ON_STATE = Assertion("state.rows", Op.EXISTS)
SAID = Assertion("response", Op.EQ, "oak")
WARNS = SAID.but(severity="warn")
ALIKE = Assertion("response", Op.SEMANTIC, "oak")


@pytest.mark.parametrize("kind", [TOOLS, PREDICTIONS], ids=lambda kind: kind.name)
def test_a_kind_sees_parts_of_the_trace(kind: Kind) -> None:
    """What a kind observes are parts of the trace, each named once."""
    assert set(kind.observed) < KEYS
    assert len(set(kind.observed)) == len(kind.observed)


def test_tools_alone_say_nothing_and_predictions_show_nothing() -> None:
    """Calls are seen of tools, a response of an agent whose answers are all that is known."""
    seen = {"calls", "response", "errors", "not_run", "seconds", "usage", "state"}
    assert seen & set(TOOLS.observed) == {"calls", "errors", "not_run", "seconds"}
    assert seen & set(PREDICTIONS.observed) == {"response"}


def test_a_live_trace_is_of_its_kind() -> None:
    """The trace that tools leave names its kind, and what that observes."""
    trace = run(Scenario("s", tool_calls=CALLED), tools={"ping": lambda: 1})["s"].trace
    assert trace is not None
    assert (trace["subject"], tuple(trace["observed"])) == (TOOLS.name, TOOLS.observed)


def planned(kind: Kind, embed: Any = None, **fields: Any) -> Plan:
    """The plan of a scenario for a kind of subject."""
    planner = Planner(None, {}, kind=kind, services=Services(embed=embed))
    return planner.plan([Scenario("s", "What?", **fields)]).plans[0]


SKIPS: list[tuple[Kind, dict[str, Any], str | None]] = [
    (TOOLS, {"tool_calls": CALLED}, None),
    (TOOLS, {"tool_calls": CALLED, "answers": ["oak"]}, None),
    (TOOLS, {"answers": ["oak"]}, "needs an agent"),
    (TOOLS, {"assertions": [ON_CALLS]}, "needs an agent"),
    (PREDICTIONS, {"answers": ["oak"]}, None),
    (PREDICTIONS, {"assertions": [SAID]}, None),
    (PREDICTIONS, {"assertions": [SAID, ON_CALLS]}, None),
    (PREDICTIONS, {"answers": ["oak"], "assertions": [ON_CALLS]}, None),
    (PREDICTIONS, {"tool_calls": CALLED}, "has tool calls, and predictions show none"),
    (PREDICTIONS, {"tool_calls": CALLED, "answers": ["oak"]}, "predictions show none"),
    (PREDICTIONS, {"assertions": [ON_CALLS]}, "looks at 'calls' alone, which can't be seen"),
    (PREDICTIONS, {"assertions": [ON_CALLS, ON_STATE]}, "looks at 'calls', 'state' alone"),
]


@pytest.mark.parametrize(("kind", "fields", "told"), SKIPS, ids=map(str, range(len(SKIPS))))
def test_whom_a_kind_skips(kind: Kind, fields: dict[str, Any], told: str | None) -> None:
    """A scenario of which nothing that decides can be seen is SKIPPED, and says why."""
    skip = planned(kind, **fields).skip
    assert (skip is None) is (told is None)
    assert told is None or told in str(skip)


def predicted(said: str, *assertions: Assertion) -> ScenarioResult:
    """The result of a question with these assertions, from its answer alone."""
    scenario = Scenario("s", "What?", assertions=assertions)
    plan = planned(PREDICTIONS, assertions=assertions)
    return grade(scenario, Predictions({"s": said}, "answers.json").trace_of(plan))


@pytest.mark.parametrize("said", ["oak", "elm"])
def test_a_warning_alone_measures_nothing(said: str) -> None:
    """Where all that could fail is unseen, a scenario is SKIPPED, whatever its warnings say."""
    assert predicted(said, ON_CALLS, WARNS).status is Status.SKIPPED


@pytest.mark.parametrize("schema", [1, 2])
def test_a_warning_alone_measures_nothing_in_any_trace(schema: int) -> None:
    """The same holds of a recorded trace in which less was observed than the kind can see."""
    doubt = Assertion("schema", Op.EQ, schema, severity="warn")
    scenario = Scenario("s", "What?", assertions=[SAID, doubt])
    trace = Predictions({"s": "oak"}, "f").trace_of(planned(PREDICTIONS, assertions=[SAID]))
    unseen = {**trace, "observed": ["schema"], "response": None}
    assert grade(scenario, trace).status is Status.PASSED
    assert grade(scenario, unseen).status is Status.SKIPPED


@pytest.mark.parametrize(("said", "status"), [("oak", "passed"), ("elm", "failed")])
def test_what_can_be_seen_decides(said: str, status: str) -> None:
    """Beside an assertion that is SKIPPED, one that was put makes the verdict and the score."""
    result = predicted(said, SAID, ON_CALLS)
    assert [check.code for check in result.checks][1] == "not_observed"
    assert (result.status.value, result.score) == (status, float(status == "passed"))


def test_what_is_unseen_needs_no_service() -> None:
    """SEMANTIC on a part that can't be seen is SKIPPED: nothing to embed with is no problem."""
    unseen = Assertion("state.note", Op.SEMANTIC, "oak")
    assert predicted("oak", SAID, unseen).checks[1].status is Status.SKIPPED
    scenario = Scenario("s", "What?", CALLED, assertions=[ALIKE])
    result = run(scenario, tools={"ping": lambda: 1})["s"]
    assert (result.checks[1].code, result.status) == ("not_observed", Status.PASSED)


SEEN: list[tuple[Kind, dict[str, Any]]] = [
    (PREDICTIONS, {"assertions": [ALIKE]}),
    (PREDICTIONS, {"answers": Answers(["oak"], "semantic")}),
    (TOOLS, {"tool_calls": [ToolCall("ping", {}, [Assertion("", Op.SEMANTIC, "oak")])]}),
    (TOOLS, {"tool_calls": CALLED, "assertions": [ALIKE.but(path="calls[0].output")]}),
]


@pytest.mark.parametrize(("kind", "fields"), SEEN, ids=map(str, range(len(SEEN))))
def test_what_is_seen_needs_its_service(kind: Kind, fields: dict[str, Any]) -> None:
    """SEMANTIC on what can be seen is a catalogue error without its service, and fine with it."""
    with pytest.raises(CatalogueError, match="nothing to embed with"):
        planned(kind, **fields)
    assert planned(kind, lambda texts: [[1] for _ in texts], **fields).skip is None


SKIPPED_ANYWAY: list[tuple[Kind, dict[str, Any]]] = [
    (PREDICTIONS, {"tool_calls": [ToolCall("ping", {}, [Assertion("", Op.SEMANTIC, "oak")])]}),
    (PREDICTIONS, {"tool_calls": CALLED, "answers": Answers(["oak"], "semantic")}),
    (TOOLS, {"assertions": [ALIKE.but(path="calls[0].output")]}),
]


@pytest.mark.parametrize(("kind", "fields"), SKIPPED_ANYWAY, ids=["step", "answers", "trace"])
def test_what_is_skipped_needs_no_service(kind: Kind, fields: dict[str, Any]) -> None:
    """A scenario that is not for the subject refuses no run for a service that it lacks."""
    assert planned(kind, **fields).skip
