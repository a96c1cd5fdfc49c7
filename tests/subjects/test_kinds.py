"""What each kind of subject can see, and which scenarios are for it."""

from typing import Any

import pytest

from evalkit import (
    Answers,
    Assertion,
    Budget,
    CatalogueError,
    Op,
    Scenario,
    ScenarioResult,
    Services,
    State,
    Status,
    ToolCall,
    grade,
    run,
)
from evalkit.plan import Plan
from evalkit.planning import Planner
from evalkit.subjects.kinds import AGENTS, PREDICTIONS, TOOLS, Kind, kind_of
from evalkit.subjects.predictions import Predictions
from evalkit.trace import KEYS

CALLED = [ToolCall("ping")]
ON_CALLS = Assertion("calls", Op.LEN_EQ, 1)
ON_STATE = Assertion("state.rows", Op.EXISTS)
SAID = Assertion("response", Op.EQ, "oak")
WARNS = SAID.but(severity="warn")
ALIKE = Assertion("response", Op.SEMANTIC, "oak")
KINDS = [TOOLS, PREDICTIONS, AGENTS]
KINDS_BY_NAME = ["tools", "predictions", "agents"]


@pytest.mark.parametrize("kind", KINDS, ids=KINDS_BY_NAME)
def test_a_kind_sees_parts_of_the_trace(kind: Kind) -> None:
    """What a kind observes are parts of the trace, each named once."""
    assert set(kind.observed) < KEYS
    assert len(set(kind.observed)) == len(kind.observed)


def test_tools_alone_say_nothing_and_predictions_show_nothing() -> None:
    """Calls are seen of tools, a response of an agent whose answers are all that is known."""
    seen = {"calls", "response", "errors", "not_run", "seconds", "usage", "state"}
    assert seen & set(TOOLS.observed) == {"calls", "errors", "not_run", "seconds", "state"}
    assert seen & set(PREDICTIONS.observed) == {"response"}
    assert seen - set(AGENTS.observed) == {"not_run"}


def live(kind: Kind, **fields: Any) -> dict[str, Any]:
    """The trace that a subject of one kind leaves."""
    scenario = Scenario("s", "Ping it.", tool_calls=CALLED, **fields)
    agent = None if kind is TOOLS else lambda conversation, ctx: str(ctx.tools["ping"]())
    trace = run(scenario, tools={"ping": lambda: 1}, agent=agent)["s"].trace
    assert trace is not None
    return dict(trace)


STATE = State({"a": 1}, capture=lambda tools: {"a": 1})
LIVE: list[tuple[Kind, dict[str, Any], set[str]]] = [
    (TOOLS, {}, {"state"}),
    (TOOLS, {"state": STATE}, set()),
    (AGENTS, {}, {"state", "usage", "cost_usd"}),
    (AGENTS, {"state": STATE}, {"usage", "cost_usd"}),
]


@pytest.mark.parametrize(("kind", "fields", "missing"), LIVE, ids=map(str, range(len(LIVE))))
def test_a_live_trace_is_of_its_kind(kind: Kind, fields: dict[str, Any], missing: set[str]) -> None:
    """A live trace names its kind, and shows what that observes but for what nobody told."""
    trace = live(kind, **fields)
    assert kind_of(trace) is kind
    assert set(kind.observed) - set(trace["observed"]) == missing
    assert len(set(trace["observed"])) == len(trace["observed"])


def test_a_prediction_is_of_its_kind() -> None:
    """The trace that is made of a prediction is that of an agent of which only answers are seen."""
    trace = Predictions({"s": "oak"}, "f").trace_of(planned(PREDICTIONS, assertions=[SAID]))
    assert kind_of(trace) is PREDICTIONS


UNTIMED = {"seconds", "cost_usd"}
OF_TRACES: list[tuple[str, list[str], set[str]]] = [
    ("tools", ["calls", "seconds"], set(TOOLS.observed)),
    ("tools", ["calls"], set(TOOLS.observed) - UNTIMED),
    ("agent", ["turns", "seconds"], set(AGENTS.observed)),
    ("agent", ["turns", "calls"], set(AGENTS.observed) - UNTIMED),
    ("agent", ["schema", "subject", "observed", "response"], set(PREDICTIONS.observed)),
    ("agent", ["response"], set(PREDICTIONS.observed)),
    ("agent", [], set(PREDICTIONS.observed)),
]


@pytest.mark.parametrize(("subject", "observed", "seen"), OF_TRACES, ids=str)
def test_whose_a_trace_is(subject: str, observed: list[str], seen: set[str]) -> None:
    """A trace is a recording's where no time was taken, a prediction where it is but an answer."""
    kind = kind_of({"subject": subject, "observed": observed})
    assert (kind.name, set(kind.observed)) == (subject, seen)


def planned(kind: Kind, embed: Any = None, **fields: Any) -> Plan:
    """The plan of a scenario for a kind of subject."""
    planner = Planner(None, {}, kind=kind, services=Services(embed=embed))
    return planner.plan([Scenario(**{"name": "s", "prompt": "What?", **fields})]).plans[0]


CHEAP = Budget(max_calls=1)
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
    (PREDICTIONS, {"state": STATE}, "looks at 'state' alone"),
    (PREDICTIONS, {"forbid_tools": ["ping"], "answers": ["oak"]}, None),
    (TOOLS, {"tool_calls": CALLED, "prompt": None}, None),
    (TOOLS, {"tool_calls": CALLED, "state": STATE}, None),
    (TOOLS, {"tool_calls": CALLED, "skip": "needs a judge"}, "needs a judge"),
    (PREDICTIONS, {"answers": ["oak"], "skip": "needs a judge"}, "needs a judge"),
    (AGENTS, {"answers": ["oak"], "skip": "needs a judge"}, "needs a judge"),
    (AGENTS, {"tool_calls": CALLED}, None),
    (AGENTS, {"tool_calls": CALLED, "prompt": None}, "is for the tools alone: it has no prompt"),
    (AGENTS, {"answers": ["oak"]}, None),
    (AGENTS, {"assertions": [ON_CALLS]}, None),
    (AGENTS, {"forbid_tools": ["ping"]}, None),
    (AGENTS, {"state": STATE}, None),
    (AGENTS, {"tool_calls": CALLED, "match": "off"}, "match is off, and nothing else is asked"),
    (AGENTS, {"tool_calls": CALLED, "match": "off", "answers": ["oak"]}, None),
    (AGENTS, {"tool_calls": CALLED, "match": "off", "forbid_tools": ["x"]}, None),
    (AGENTS, {"tool_calls": CALLED, "match": "off", "budget": CHEAP}, "nothing else is asked"),
    (AGENTS, {"tool_calls": CALLED, "match": "off", "hygiene": "strict"}, "nothing else is asked"),
    (AGENTS, {"assertions": [Assertion("not_run", Op.EQ, [])]}, "looks at 'not_run' alone"),
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
def test_what_could_be_seen_and_was_not_is_an_error(schema: int) -> None:
    """In a recorded trace with less than its kind can show, nothing passes for being absent."""
    doubt = Assertion("schema", Op.EQ, schema, severity="warn")
    scenario = Scenario("s", "What?", assertions=[SAID, doubt])
    trace = Predictions({"s": "oak"}, "f").trace_of(planned(PREDICTIONS, assertions=[SAID]))
    unseen = {**trace, "observed": ["schema"], "response": None}
    assert grade(scenario, trace).status is Status.PASSED
    result = grade(scenario, unseen)
    assert (result.status, result.checks[0].code) == (Status.ERROR, "untold")


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
    (AGENTS, {"assertions": [ALIKE]}),
    (AGENTS, {"assertions": [ALIKE.but(path="responses[0]")]}),
    (AGENTS, {"tool_calls": [ToolCall("ping", arg_assertions=[ALIKE.but(path="a")])]}),
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
    (AGENTS, {"prompt": None, "tool_calls": [ToolCall("ping", {}, [ALIKE.but(path="")])]}),
    (AGENTS, {"skip": "later", "assertions": [ALIKE]}),
]


@pytest.mark.parametrize(("kind", "fields"), SKIPPED_ANYWAY, ids=map(str, range(5)))
def test_what_is_skipped_needs_no_service(kind: Kind, fields: dict[str, Any]) -> None:
    """A scenario that is not for the subject refuses no run for a service that it lacks."""
    assert planned(kind, **fields).skip
