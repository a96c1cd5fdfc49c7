"""How an agent is put a prompt, turn by turn, and what is told of it."""

import asyncio
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from evalkit import Budget, Reply, Scenario, ScenarioResult, ToolCall, TransportError, Turn, run

Turns = list[dict[str, Any]]
TOOLS: dict[str, Any] = {"ping": lambda: "pong"}


def asked(agent: Any, *, timeout_s: float | None = None, **fields: Any) -> ScenarioResult:
    """What comes of a scenario of which nothing is asked but that a tool is not called."""
    usual: dict[str, Any] = {"name": "s", "prompt": "Hello?", "forbid_tools": ["drop"]}
    scenario = Scenario(**{**usual, **fields})
    return run(scenario, agent=agent, tools=TOOLS, timeout_s=timeout_s).results[0]


def traced(agent: Any, **fields: Any) -> dict[str, Any]:
    """The trace of an agent."""
    trace = asked(agent, **fields).trace
    assert trace is not None
    return dict(trace)


def said(role: str, content: str) -> dict[str, str]:
    """A message."""
    return {"role": role, "content": content}


class Listener:
    """An agent that keeps what it is put, and answers each turn with its number."""

    def __init__(self, answer: Callable[[int], Any] = str) -> None:
        self.heard: list[Turns] = []
        self.answer = answer

    def __call__(self, conversation: Turns) -> Any:
        """Keep it, and answer."""
        self.heard.append([dict(message) for message in conversation])
        return self.answer(len(self.heard))


def test_one_turn() -> None:
    """A prompt of one turn is put once, and what comes back is the response."""
    agent = Listener()
    trace = traced(agent)
    assert agent.heard == [[said("user", "Hello?")]]
    assert (trace["response"], trace["responses"]) == ("1", ["1"])
    assert trace["turns"] == [said("user", "Hello?"), said("assistant", "1")]
    assert trace["stop_cause"] == "completed"


def test_several_turns_are_one_conversation() -> None:
    """Each turn is put after what was said before, the agent's own answers among it."""
    agent = Listener()
    trace = traced(agent, prompt=["a", "b", "c"])
    whole = [
        *(said("user", "a"), said("assistant", "1"), said("user", "b"), said("assistant", "2")),
        *(said("user", "c"), said("assistant", "3")),
    ]
    assert agent.heard == [whole[:1], whole[:3], whole[:5]]
    assert trace["turns"] == whole
    assert (trace["response"], trace["responses"]) == ("3", ["1", "2", "3"])


def test_the_system_prompt_comes_first() -> None:
    """The system prompt stands before the conversation, in each turn."""
    agent = Listener()
    trace = traced(agent, prompt=["a", "b"], system_prompt="Be brief.")
    assert [heard[0] for heard in agent.heard] == [said("system", "Be brief.")] * 2
    assert trace["turns"][0] == said("system", "Be brief.")


def test_what_was_answered_is_history() -> None:
    """A user's turn that the prompt answers itself is not put again."""
    agent = Listener()
    prompt = [
        *(Turn("system", "s"), Turn("user", "a"), Turn("assistant", "A"), Turn("user", "b")),
        *(Turn("user", "c"), Turn("system", "t"), Turn("user", "d")),
    ]
    trace = traced(agent, prompt=prompt)
    history = [said("system", "s"), said("user", "a"), said("assistant", "A"), said("user", "b")]
    first = [*history, said("assistant", "1"), said("user", "c")]
    second = [*first, said("assistant", "2"), said("system", "t"), said("user", "d")]
    assert agent.heard == [history, first, second]
    assert trace["responses"] == ["1", "2", "3"]


def test_the_conversation_is_the_agent_s_to_keep() -> None:
    """What an agent does to the list that it is given changes no trace, and no later turn."""
    seen: list[int] = []

    def wrecking(conversation: Turns) -> str:
        seen.append(len(conversation))
        conversation[0]["content"] = "wrecked"
        conversation.clear()
        return "ok"

    trace = traced(wrecking, prompt=["a", "b"])
    assert seen == [1, 3]
    assert [message["content"] for message in trace["turns"]] == ["a", "ok", "b", "ok"]


async def async_one(conversation: Turns) -> str:
    """Answer on a loop."""
    await asyncio.sleep(0)
    return f"{len(conversation)}"


async def async_two(conversation: Turns, ctx: Any) -> str:
    """Answer on a loop, with the context."""
    await asyncio.sleep(0)
    return f"{len(conversation)} {ctx.turn}"


def two(conversation: Turns, ctx: Any) -> str:
    """Answer with the context."""
    return f"{len(conversation)} {ctx.turn}"


class Async:
    """An object whose call is async."""

    async def __call__(self, conversation: Turns) -> str:
        """Answer on a loop."""
        return f"{len(conversation)}"


SHAPES: list[tuple[Any, list[str]]] = [
    (lambda conversation: f"{len(conversation)}", ["1", "3"]),
    (two, ["1 1", "3 2"]),
    (async_one, ["1", "3"]),
    (async_two, ["1 1", "3 2"]),
    (Async(), ["1", "3"]),
    (Async, ["1", "3"]),
    (lambda: async_two, ["1 1", "3 2"]),
    (lambda conversation: async_one(conversation), ["1", "3"]),  # noqa: PLW0108
]


@pytest.mark.parametrize(("agent", "answers"), SHAPES, ids=map(str, range(len(SHAPES))))
def test_sync_or_async_with_or_without_context(agent: Any, answers: list[str]) -> None:
    """However it is made, the agent is asked once a turn, and gets the context if it wants it."""
    assert traced(agent, prompt=["a", "b"])["responses"] == answers


def test_an_agent_s_tasks_live_as_long_as_the_run() -> None:
    """What an async agent keeps between its turns is on one loop."""

    class Keeping:
        def __init__(self) -> None:
            self.loops: list[Any] = []

        async def __call__(self, conversation: Turns) -> str:
            self.loops.append(asyncio.get_running_loop())
            return f"{len(conversation)} {len(set(map(id, self.loops)))}"

    assert traced(Keeping, prompt=["a", "b", "c"])["responses"] == ["1 1", "3 1", "5 1"]


class Made:
    """An agent that counts how many were made, and how many turns each had."""

    made = 0

    def __init__(self) -> None:
        Made.made += 1
        self.turns = 0

    def __call__(self, conversation: Turns) -> str:
        """Count the turn."""
        self.turns += 1
        return f"{Made.made} {self.turns} {len(conversation)}"


def test_a_factory_makes_one_for_every_scenario_and_epoch() -> None:
    """A class is made afresh for each run, and answers all the turns of it."""
    Made.made = 0
    scenarios = [
        Scenario(name, ["a", "b"], forbid_tools=["drop"], epochs=epochs)
        for name, epochs in (("one", 2), ("other", 1))
    ]
    report = run(scenarios, agent=Made)
    answers = [result.trace["responses"] for result in report.results if result.trace]
    assert answers == [["1 1 1", "1 2 3"], ["2 1 1", "2 2 3"], ["3 1 1", "3 2 3"]]


def test_what_a_factory_opened_is_closed() -> None:
    """A generator is gone on with after each run, also where the agent has raised."""
    log: list[str] = []

    def factory() -> Any:
        log.append("open")

        def answer(conversation: Turns) -> str:
            log.append("asked")
            raise ValueError(conversation)

        yield answer
        log.append("closed")

    asked(factory, epochs=2)
    assert log == ["open", "asked", "closed"] * 2


FAILING: dict[str, tuple[str, str]] = {
    "made": ("raise OSError('no model')", "the agent could not be made: OSError: no model"),
    "no agent": ("yield 7", "the agent could not be made: TypeError: the factory gave 7"),
    "closed": (
        "yield lambda conversation: 'ok'\n    raise OSError('busy')",
        "the agent could not be closed: OSError: busy",
    ),
    "empty": ("return\n    yield", "the agent could not be made: RuntimeError: generator didn't"),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_factory_that_fails_is_an_error(name: str) -> None:
    """Where the agent can't be made or closed, nothing was measured, and that is said."""
    body, told = FAILING[name]
    scope: dict[str, Any] = {}
    body = body if "yield" in body else f"{body}\n    yield"
    exec(f"def factory():\n    {body}", scope)  # noqa: S102  - our own lines
    result = asked(scope["factory"])
    assert result.status.value == "error"
    assert {check.code for check in result.checks} == {"agent_unreachable"}
    assert result.checks[0].reason.startswith(told)


STOPS: list[tuple[Any, str, str | None]] = [
    ("done", "completed", None),
    (Reply("done"), "completed", None),
    (Reply("done", stop_cause="completed"), "completed", None),
    (None, "no_output", "no_answer"),
    ("", "no_output", "no_answer"),
    (" \n", "no_output", "no_answer"),
    (Reply(None), "no_output", "no_answer"),
    (Reply("half", stop_cause="output_token_budget"), "output_token_budget", "stopped_by_limit"),
    (Reply("half", stop_cause="max_turns"), "max_turns", "stopped_by_limit"),
    (Reply("half", stop_cause="cost_budget"), "cost_budget", "stopped_by_limit"),
    (Reply("half", stop_cause="interrupted"), "interrupted", "stopped_by_limit"),
    (Reply("half", stop_cause="loop"), "loop", "stopped_by_limit"),
    (Reply("half", stop_cause="anything"), "anything", "stopped_by_limit"),
    (7, "raised", "agent_raised"),
    ({"answer": "done"}, "raised", "agent_raised"),
    ([], "raised", "agent_raised"),
]


@pytest.mark.parametrize(("answer", "cause", "code"), STOPS, ids=map(str, range(len(STOPS))))
def test_why_it_stopped(answer: Any, cause: str, code: str | None) -> None:
    """Only an agent that came to its end passes; each other end has its cause and its code."""
    result = asked(lambda conversation, ctx: answer)
    assert result.trace is not None
    assert result.trace["stop_cause"] == cause
    (ended,) = [check for check in result.checks if check.path == "stop_cause"]
    assert ended.code == code
    assert result.status.value == ("passed" if code is None else "failed")


RAISED: list[tuple[BaseException, str, str, str]] = [
    (ValueError("lost"), "raised", "agent_raised", "failed"),
    (AssertionError(), "raised", "agent_raised", "failed"),
    (SystemExit(0), "raised", "agent_raised", "failed"),
    (GeneratorExit(), "raised", "agent_raised", "failed"),
    (StopIteration(), "raised", "agent_raised", "failed"),
    (RecursionError("deep"), "raised", "agent_raised", "failed"),
    (TransportError("gone"), "unreachable", "agent_unreachable", "error"),
    (ConnectionRefusedError("no"), "unreachable", "agent_unreachable", "error"),
    (TimeoutError("late"), "unreachable", "agent_unreachable", "error"),
]


@pytest.mark.parametrize("turn", [1, 2])
@pytest.mark.parametrize(
    ("error", "cause", "code", "status"), RAISED, ids=lambda each: type(each).__name__
)
def test_what_an_agent_raises(
    error: BaseException, cause: str, code: str, status: str, turn: int
) -> None:
    """What it raises is its fault, a dead transport the instrument's; no later turn is put."""
    turns: list[int] = []

    def raising(conversation: Turns, ctx: Any) -> str:
        turns.append(ctx.turn)
        if ctx.turn == turn:
            raise error
        return str(conversation)

    result = asked(raising, prompt=["a", "b", "c"])
    assert turns == list(range(1, turn + 1))
    assert result.trace is not None
    assert (result.trace["stop_cause"], result.trace["response"]) == (cause, None)
    assert len(result.trace["responses"]) == turn - 1
    (told,) = result.trace["errors"]
    assert (told["call"], told["kind"], told["type"]) == (None, code, type(error).__name__)
    assert code in {check.code for check in result.checks}
    assert result.status.value == status


def test_an_interrupt_passes_through() -> None:
    """Ctrl-C in an agent is the user's, and ends the run."""

    def interrupted(conversation: Turns) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asked(interrupted)


def hanging(conversation: Turns, ctx: Any) -> str:
    """Do not answer."""
    time.sleep(3)
    return "late"


async def hanging_async(conversation: Turns, ctx: Any) -> str:
    """Do not answer."""
    await asyncio.sleep(3)
    return "late"


@pytest.mark.parametrize("agent", [hanging, hanging_async])
@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"timeout_s": 0.15}, "turn 1 was not answered within 0.15 s"),
        ({}, "turn 1 was not answered before the scenario's 0.15 s were over"),
    ],
    ids=["a turn", "a scenario"],
)
def test_an_agent_that_hangs(agent: Any, fields: dict[str, Any], told: str) -> None:
    """A turn that takes too long is given up, at its own deadline or the scenario's."""
    started = time.perf_counter()
    whole = None if fields else 0.15
    scenario = Scenario("s", "Hello?", forbid_tools=["drop"], timeout_s=whole)
    result = run(scenario, agent=agent, **fields).results[0]
    assert time.perf_counter() - started < 2
    assert result.trace is not None
    assert result.trace["stop_cause"] == "timeout"
    assert [error["message"] for error in result.trace["errors"]] == [told]
    assert "agent_timeout" in {check.code for check in result.checks}
    assert result.status.value == "failed"


def test_a_hang_costs_no_other_scenario() -> None:
    """After a turn that was given up, the next scenario is put to the agent as ever."""

    def sometimes(conversation: Turns) -> str:
        if conversation[-1]["content"] == "hang":
            time.sleep(2)
        return "ok"

    scenarios = [
        Scenario(name, name, assertions=[], answers=["ok"]) for name in ("a", "hang", "b", "c")
    ]
    report = run(scenarios, agent=sometimes, timeout_s=0.15)
    assert [result.status.value for result in report.results] == [
        *("passed", "failed", "passed", "passed")
    ]


def test_what_is_printed_is_kept() -> None:
    """What an agent prints stands in the trace, and not among what the run prints."""

    def printing(conversation: Turns) -> str:
        sys.stdout.write(f"hello from {len(conversation)}\n")
        return "ok"

    assert traced(printing, prompt=["a", "b"])["meta"]["output"] == "hello from 1\nhello from 3\n"
    assert "output" not in traced(lambda conversation: "ok")["meta"]


def test_a_scenario_of_the_tools_alone_is_skipped() -> None:
    """A scenario without a prompt is not put to an agent, and says so."""
    scenario = Scenario("s", tool_calls=[ToolCall("ping")])
    result = run(scenario, agent=Listener(), tools=TOOLS).results[0]
    assert (result.status.value, result.trace) == ("skipped", None)
    assert "no prompt" in result.reason


def test_seconds_are_those_of_the_whole() -> None:
    """The trace tells how long the agent took, and a budget of seconds is held against it."""

    def slow(conversation: Turns, ctx: Any) -> str:
        time.sleep(0.02)
        return "ok"

    result = asked(slow, prompt=["a", "b"], budget=Budget(max_seconds=0.01))
    assert result.trace is not None
    assert result.trace["seconds"] >= 0.04
    assert [check.code for check in result.failures] == ["over_budget"]
