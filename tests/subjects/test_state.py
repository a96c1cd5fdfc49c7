"""How the state that a scenario leaves behind is captured, and held against what is expected."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from evalkit import Assertion, CatalogueError, Env, Scenario, ScenarioResult, State, ToolCall, run

Turns = list[dict[str, Any]]


class Database:
    """A few rows."""

    def __init__(self) -> None:
        self.rows: list[int] = []

    def add(self, x: int) -> dict[str, int]:
        """Add a row."""
        self.rows.append(x)
        return {"count": len(self.rows)}

    def dump(self) -> dict[str, Any]:
        """Show it all."""
        return {"rows": list(self.rows), "count": len(self.rows)}

    async def dump_later(self) -> dict[str, Any]:
        """Show it all, on a loop."""
        return self.dump()

    def last(self, count: int) -> list[int]:
        """Show the last few rows."""
        return self.rows[-count:]

    def by_dict(self, args: dict[str, Any]) -> Any:
        """Show the last few rows, asked for by one dict."""
        return self.rows[-args["count"] :]


OPENED: list[Database] = []


def factory() -> Iterator[Env]:
    """Give a database of its own to each run."""
    database = Database()
    OPENED.append(database)
    names = ("add", "dump", "dump_later", "last", "by_dict")
    tools: dict[str, Any] = {name: getattr(database, name) for name in names}
    tools["bad"] = lambda: 1 / 0
    yield Env(tools, database=database)


def adding(*numbers: int) -> Any:
    """An agent that adds rows."""

    def agent(conversation: Turns, ctx: Any) -> str:
        for number in numbers:
            ctx.tools["add"](x=number)
        return "done"

    return agent


def captured(env: Any) -> dict[str, Any]:
    """Capture the rows, by the resource that the tools stand on."""
    return {"rows": env.database.rows, "more": None}


async def captured_later(env: Any) -> dict[str, Any]:
    """Capture the rows, on a loop."""
    return captured(env)


CALLS = (ToolCall("add", {"x": 1}), ToolCall("add", {"x": 2}))
SUBJECTS = {"tools": None, "an agent": adding(1, 2)}


def left(state: State, agent: Any = None, *calls: ToolCall, tools: Any = factory) -> ScenarioResult:
    """What comes of a scenario with a state."""
    scenario = Scenario("s", "Add 1 and 2.", calls or CALLS, state=state)
    return run(scenario, agent=agent, tools=tools).results[0]


def codes(result: ScenarioResult) -> list[str | None]:
    """The codes of the checks on the state."""
    return [check.code for check in result.checks if check.path.startswith("state")]


WAYS: dict[str, State] = {
    "a function": State({"rows": [1, 2]}, capture=captured),
    "an async function": State({"rows": [1, 2]}, capture=captured_later),
    "a tool": State({"rows": [1, 2], "count": 2}, capture="dump"),
    "an async tool": State({"rows": [1, 2]}, capture="dump_later"),
    "a tool for each name": State(
        {"all": {"rows": [1, 2], "count": 2}, "later": {"rows": [1, 2], "count": 2}},
        capture={"all": "dump", "later": "dump_later"},
    ),
    "a call for each name": State(
        {"last": [2], "two": [1, 2]},
        capture={
            "last": ToolCall("last", {"count": 1}),
            "two": ToolCall("by_dict", {"count": 2}),
        },
    ),
    "equal as JSON": State({"rows": [1.0, 2.0], "more": None}, capture=captured),
}


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("way", WAYS)
def test_the_state_is_captured(way: str, subject: str) -> None:
    """By a function of the environment, a tool, or a call for each name, sync or async."""
    result = left(WAYS[way], SUBJECTS[subject])
    assert codes(result) == [None] * len(WAYS[way].expected)
    assert result.passed
    assert result.trace is not None
    assert result.trace["state"].keys() >= WAYS[way].expected.keys()
    assert "state" in result.trace["observed"]


@pytest.mark.parametrize("subject", SUBJECTS)
def test_capturing_is_no_call(subject: str) -> None:
    """A tool that captures is called after the run is over, and is none of its calls."""
    result = left(WAYS["a tool"], SUBJECTS[subject])
    assert result.trace is not None
    assert [call["tool"] for call in result.trace["calls"]] == ["add", "add"]


@pytest.mark.parametrize(
    ("agent", "expected"),
    [(adding(1, 2), None), (adding(2, 1), "wrong_state"), (adding(1), "wrong_state")],
    ids=["right", "another order", "half"],
)
def test_a_state_that_is_another_fails(agent: Any, expected: str | None) -> None:
    """What was left is held against what is expected, and the difference is told."""
    result = left(State({"rows": [1, 2]}, capture=captured), agent)
    assert codes(result) == [expected]
    (check,) = [check for check in result.checks if check.path == "state.rows"]
    assert bool(check.reason) is (expected is not None)


UNCAPTURED: dict[str, tuple[State, str]] = {
    "raises": (State({"rows": []}, capture=lambda env: 1 / 0), "ZeroDivisionError"),
    "a tool raises": (State({"rows": []}, capture="bad"), "ZeroDivisionError"),
    "one of the calls raises": (
        State({"a": {}, "b": 1}, capture={"a": "dump", "b": "bad"}),
        "ZeroDivisionError",
    ),
    "a wrong call": (State({"a": []}, capture={"a": ToolCall("last", {"n": 1})}), "TypeError"),
    "no mapping": (State({"rows": []}, capture=lambda env: [1]), "expected a mapping of name"),
    "nothing": (State({"rows": []}, capture=lambda env: None), "expected a mapping of name"),
    "no JSON": (State({"rows": []}, capture=lambda env: {"rows": {1}}), "is no JSON value"),
    "NaN": (State({"rows": 1}, capture=lambda env: {"rows": float("nan")}), "not finite"),
    "a missing name": (
        State({"rows": [1, 2], "rowss": 1}, capture="dump"),
        "'rowss' is not captured; did you mean 'rows'?",
    ),
    "exits": (State({"rows": []}, capture=lambda env: exit(0)), "SystemExit"),  # noqa: PLR1722
}


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("name", UNCAPTURED)
def test_a_state_that_can_not_be_captured_is_an_error(name: str, subject: str) -> None:
    """Where nobody knows what was left, every name of it is an ERROR, and says why."""
    state, told = UNCAPTURED[name]
    result = left(state, SUBJECTS[subject])
    assert codes(result) == ["state_uncaptured"] * len(state.expected)
    reasons = [check.reason for check in result.checks if check.path.startswith("state")]
    assert all(told in reason for reason in reasons)
    assert result.status.value == "error"
    assert result.trace is not None
    assert (result.trace["state"], "state" in result.trace["observed"]) == ({}, False)


def breaking(conversation: Turns, ctx: Any) -> str:
    """Do half of it, and raise."""
    ctx.tools["add"](x=1)
    raise ValueError(conversation)


def hanging(conversation: Turns, ctx: Any) -> str:
    """Do half of it, and hang."""
    ctx.tools["add"](x=1)
    time.sleep(2)
    return "late"


def test_the_state_is_captured_of_an_agent_that_failed() -> None:
    """What an agent has left that raised is captured as any other."""
    result = left(State({"rows": [1]}, capture=captured), breaking)
    assert codes(result) == [None]
    assert result.status.value == "failed"


def test_nothing_is_captured_of_an_agent_that_hangs() -> None:
    """While an agent may still act, nobody knows what it leaves."""
    scenario = Scenario("s", "Go.", CALLS, state=State({"rows": [1]}, capture=captured))
    result = run(scenario, agent=hanging, tools=factory, timeout_s=0.15).results[0]
    assert codes(result) == ["state_uncaptured"]
    assert result.status.value == "failed"


def test_each_epoch_has_its_own() -> None:
    """Each run is captured from the tools that were opened for it."""
    scenario = Scenario("s", "Go.", CALLS, state=State({"rows": [1, 2]}, capture=captured))
    report = run(scenario, agent=adding(1, 2), tools=factory, epochs=3)
    assert [codes(result) for result in report.results] == [[None]] * 3


REPLAYED: list[tuple[Any, list[str | None]]] = [
    (adding(1, 2), [None]),
    (adding(1, 2, 3), ["wrong_state"]),
    (adding(1), ["wrong_state"]),
    (adding(), ["wrong_state"]),
]


@pytest.mark.parametrize(("agent", "expected"), REPLAYED, ids=map(str, range(len(REPLAYED))))
@pytest.mark.parametrize("capture", [captured, "dump"], ids=["a function", "a tool"])
def test_a_state_as_the_calls_leave_it(
    capture: Any, agent: Any, expected: list[str | None]
) -> None:
    """What is replayed must be as the scenario's own calls leave it, on tools opened afresh."""
    OPENED.clear()
    result = left(State(replayed=["rows"], capture=capture), agent)
    assert codes(result) == expected
    assert [database.rows for database in OPENED][-1] == [1, 2]
    assert result.trace is not None
    assert len(result.trace["calls"]) == len(OPENED[-2].rows)


def test_what_is_replayed_stands_in_the_trace() -> None:
    """A recorded trace holds what the replay has left, so that it is graded again without one."""
    state = State({"count": 2}, replayed=["rows"], capture="dump")
    result = left(state, adding(1, 2))
    assert result.trace is not None
    assert result.trace["meta"]["replayed_state"]["rows"] == [1, 2]
    assert codes(result) == [None, None]


def test_the_tools_themselves_are_not_replayed() -> None:
    """In a direct run the calls are the scenario's own: only what is expected is checked."""
    OPENED.clear()
    result = left(State({"count": 2}, replayed=["rows"], capture="dump"))
    assert codes(result) == [None]
    assert len(OPENED) == 2  # once while planning


FAILED_REPLAYS: dict[str, tuple[ToolCall, ...]] = {
    "a call raises": (ToolCall("bad"), *CALLS),
    "a value is lost": (
        ToolCall("add", {"x": 1}, save_as={"x": "nope"}),
        ToolCall("add", context_args={"x": "x"}),
    ),
    "a wrong argument": (ToolCall("add", {"x": 1}), ToolCall("last", {"count": "a"})),
}


@pytest.mark.parametrize("name", FAILED_REPLAYS)
def test_a_replay_that_fails_is_an_error(name: str) -> None:
    """Where the scenario's own calls do not all work, nobody knows what they would leave."""
    for agent in (adding(1, 2), adding(1)):
        result = left(State(replayed=["rows"], capture=captured), agent, *FAILED_REPLAYS[name])
        assert codes(result) == ["state_uncaptured"]
        (check,) = [check for check in result.checks if check.path == "state.rows"]
        assert "the replay of the tool calls" in check.reason


def test_an_error_that_is_expected_is_part_of_the_replay() -> None:
    """A call that is to fail fails in the replay, too, and what the others leave counts."""
    calls = (ToolCall("bad", expect_error="division"), *CALLS)
    result = left(State(replayed=["rows"], capture=captured), adding(1, 2), *calls)
    assert codes(result) == [None]


def test_a_check_that_fails_does_not_stop_the_replay() -> None:
    """What is asserted of a result says nothing of what the call has left."""
    calls = (ToolCall("add", {"x": 1}, [Assertion("count", "eq", 99)]), CALLS[1])
    assert codes(left(State(replayed=["rows"], capture=captured), adding(1, 2), *calls)) == [None]


WRONG: dict[str, tuple[State, str]] = {
    "a tool": (State({"a": 1}, capture="dum"), "unknown tool 'dum'; did you mean 'dump'?"),
    "a call": (
        State({"a": 1}, capture={"a": ToolCall("las")}),
        "unknown tool 'las'; did you mean 'last'?",
    ),
}


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("name", WRONG)
def test_a_capture_by_no_tool_is_found_when_planned(name: str, subject: str) -> None:
    """A tool that captures and is not there is a catalogue error, for any subject."""
    state, told = WRONG[name]
    with pytest.raises(CatalogueError) as caught:
        left(state, SUBJECTS[subject])
    assert told in str(caught.value)
    assert "s.state.capture" in str(caught.value)


def test_shared_tools_have_a_state_too() -> None:
    """A plain table has no resources: what captures by it is a tool, or knows them itself."""
    database = Database()
    tools = {"add": database.add, "dump": database.dump}
    for capture in ("dump", lambda env: database.dump()):
        database.rows.clear()
        state = State({"rows": [1, 2]}, capture=capture)
        assert codes(left(state, adding(1, 2), tools=tools)) == [None]
