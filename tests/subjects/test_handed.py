"""What an agent is handed: its tools, which note what it calls, and how much it may call."""

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from evalkit import CATALOGUE, Limits, Scenario, ScenarioResult, Tool, TransportError, run

Turns = list[dict[str, Any]]


async def later(n: int = 0) -> int:
    """An async tool."""
    await asyncio.sleep(0.001)
    return n


def taking(args: dict[str, Any]) -> dict[str, Any]:
    """A tool that takes one dict."""
    return args


def adding(items: list[int]) -> list[int]:
    """A tool that changes what it is given, and keeps what it gives."""
    items.append(1)
    KEPT.append(items)
    return items


def breaking(message: str = "no such order") -> None:
    """A tool that raises."""
    raise LookupError(message)


def dead() -> None:
    """A tool whose far end is out of reach."""
    raise TransportError("gone")


KEPT: list[list[int]] = []
TOOLS: dict[str, Any] = {
    "ping": lambda n=0: {"n": n},
    "later": later,
    "taking": taking,
    "adding": adding,
    "breaking": breaking,
    "dead": dead,
    "odd": lambda: {1},
    "own": Tool(lambda n: n, schema={"properties": {"n": {"type": "integer"}}}),
    "failing": Tool(lambda: {"failed": True}, error_if=lambda result: bool(result["failed"])),
}


def asked(agent: Any, *, tools: Any = TOOLS, **fields: Any) -> ScenarioResult:
    """What comes of a scenario of which nothing is asked but that a tool is not called."""
    scenario = Scenario(**{"name": "s", "prompt": "Hello?", "forbid_tools": ["drop"], **fields})
    return run(scenario, agent=agent, tools=tools).results[0]


def traced(agent: Any, **fields: Any) -> dict[str, Any]:
    """The trace of an agent."""
    trace = asked(agent, **fields).trace
    assert trace is not None
    return dict(trace)


def made(act: Callable[[Any], Any], **fields: Any) -> tuple[Any, list[dict[str, Any]]]:
    """What an agent got from its tools, or what they raised, and the calls that were noted."""
    got: list[Any] = []

    def agent(conversation: Turns, ctx: Any) -> str:
        try:
            got.append(act(ctx.tools))
        except Exception as error:  # noqa: BLE001  - whatever reaches an agent is what is asked
            got.append(error)
        return "done"

    trace = traced(agent, **fields)
    return got[0], trace["calls"]


WAYS: list[tuple[Callable[[Any], Any], dict[str, Any], Any]] = [
    (lambda tools: tools["ping"](n=1), {"n": 1}, {"n": 1}),
    (lambda tools: tools["ping"]({"n": 1}), {"n": 1}, {"n": 1}),
    (lambda tools: tools["ping"]('{"n": 1}'), {"n": 1}, {"n": 1}),
    (lambda tools: tools["ping"](), {}, {"n": 0}),
    (lambda tools: tools["ping"]({}), {}, {"n": 0}),
    (lambda tools: tools["ping"]("{}"), {}, {"n": 0}),
    (lambda tools: tools.get("ping")(n=None), {"n": None}, {"n": None}),
    (lambda tools: tools["taking"](a=1, b=[2]), {"a": 1, "b": [2]}, {"a": 1, "b": [2]}),
    (lambda tools: tools["taking"]({"args": 1}), {"args": 1}, {"args": 1}),
    (lambda tools: tools["own"]({"n": 7}), {"n": 7}, 7),
    (lambda tools: tools["later"](n=3), {"n": 3}, 3),
]


@pytest.mark.parametrize(("act", "args", "result"), WAYS, ids=map(str, range(len(WAYS))))
def test_a_tool_is_called(act: Callable[[Any], Any], args: dict[str, Any], result: Any) -> None:
    """By keyword, with one dict, or with the JSON text of a model: one call, and its result."""
    got, (call,) = made(act)
    assert got == result
    assert (call["args"], call["result"], call["error"]) == (args, result, None)
    assert (call["step"], call["turn"], call["attempts"]) == (None, 0, [])
    assert call["seconds"] > 0


MALFORMED: list[tuple[Any, dict[str, Any], str]] = [
    ('{"n": ', {}, "the arguments are no JSON"),
    ("", {}, "the arguments are no JSON"),
    ('{"n": NaN}', {}, "the arguments are no JSON"),
    ("[1]", {}, "expected an object of arguments, got [1]"),
    ("null", {}, "expected an object of arguments, got None"),
    ('"{}"', {}, "expected an object of arguments, got '{}'"),
    (None, {}, "expected an object of arguments, got None"),
    (7, {}, "expected an object of arguments, got 7"),
    ([["n", 1]], {}, "expected an object of arguments"),
    (b'{"n": 1}', {}, "expected an object of arguments"),
    ({"n": {1}}, {}, "the arguments are no JSON: at n: builtins.set is no JSON value"),
    ({"n": float("nan")}, {}, "the arguments are no JSON"),
    ({1: 2}, {}, "the key 1 is no string"),
    ({"m": 1}, {"m": 1}, "ping takes no argument 'm'"),
]


@pytest.mark.parametrize(("given", "args", "told"), MALFORMED, ids=map(str, range(len(MALFORMED))))
def test_malformed_arguments_are_noted(given: Any, args: dict[str, Any], told: str) -> None:
    """What does not fit is raised to the agent, and stands in the trace as a call that failed."""
    error, (call,) = made(lambda tools: tools["ping"](given))
    assert told in str(error)
    assert (call["tool"], call["args"], call["result"]) == ("ping", args, None)
    assert call["error"]["kind"] == "invalid_arguments"
    assert told in call["error"]["message"]


def test_two_ways_at_once_are_malformed() -> None:
    """A dict beside keywords, or two of them, is no call that a tool could have had."""
    for act in (lambda tools: tools["ping"]({"n": 1}, n=2), lambda tools: tools["ping"]({}, {})):
        _, (call,) = made(act)
        assert call["error"]["kind"] == "invalid_arguments"


def test_a_schema_is_held_to() -> None:
    """Arguments that a tool's own schema refuses are malformed, and the tool is not called."""
    error, (call,) = made(lambda tools: tools["own"](n="7"))
    assert "own" in str(error)
    assert call["error"]["kind"] == "invalid_arguments"


def test_an_invented_tool_is_noted() -> None:
    """A tool that there is not can be called, as a model may: that is noted, with the nearest."""
    error, (call,) = made(lambda tools: tools["pingg"]({"n": 1}))
    assert str(error) == "there is no tool 'pingg'; did you mean 'ping'?"
    assert isinstance(error, LookupError)
    assert (call["tool"], call["args"]) == ("pingg", {"n": 1})
    assert call["error"]["kind"] == "unknown_tool"


FAILS: list[tuple[str, type[Exception], str, str]] = [
    ("breaking", LookupError, "raised", "no such order"),
    ("dead", TransportError, "transport", "gone"),
    ("odd", Exception, "unserialisable", "builtins.set is no JSON value"),
    ("failing", Exception, "raised", ""),
]


@pytest.mark.parametrize(("tool", "raised", "kind", "told"), FAILS, ids=[row[0] for row in FAILS])
def test_what_a_tool_raises_is_raised_again(
    tool: str, raised: type[Exception], kind: str, told: str
) -> None:
    """The agent sees what its tool raised, and so does the trace."""
    error, (call,) = made(lambda tools: tools[tool]())
    assert isinstance(error, raised)
    assert told in str(error)
    assert (call["error"]["kind"], call["result"]) == (kind, None)
    assert told in call["error"]["message"]


def test_arguments_and_results_are_copied_both_ways() -> None:
    """Neither what a tool does to its arguments, nor what an agent does to a result, is noted."""
    KEPT.clear()
    mine = [0]

    def act(tools: Any) -> Any:
        result = tools["adding"](items=mine)
        result.append("mine")
        return result

    got, (call,) = made(act)
    KEPT[0].append(9)
    assert (mine, got) == ([0], [0, 1, "mine"])
    assert (call["args"], call["result"]) == ({"items": [0]}, [0, 1])


def test_a_result_is_the_document_of_it() -> None:
    """What a tool returns becomes JSON before the agent sees it: as graded, so handed on."""
    got, (call,) = made(lambda tools: tools["text"](), tools={"text": lambda: '{"a": [1]}'})
    assert got == call["result"] == {"a": [1]}


def test_what_a_tool_prints_is_the_call_s() -> None:
    """What is printed in a call stands with the call, what an agent prints with the run."""

    def agent(conversation: Turns, ctx: Any) -> str:
        sys_print("before")
        ctx.tools["loud"]()
        sys_print("after")
        return "done"

    trace = traced(agent, tools={"loud": lambda: sys_print("inside")})
    assert "inside\n" in trace["calls"][0]["output"]
    assert trace["meta"]["output"].endswith("after\n")
    assert "inside" not in trace["meta"]["output"]


def sys_print(text: str) -> None:
    """Print a line."""
    print(text)  # noqa: T201  - what is printed is what is asked


def test_the_names_there_are() -> None:
    """The tools are a mapping of those that there are; `get` gives none of the others."""

    def act(tools: Any) -> Any:
        return [*tools], len(tools), "ping" in tools, "pingg" in tools, tools.get("pingg")

    got, calls = made(act, tools={"ping": int, "pong": int})
    assert got == (["ping", "pong"], 2, True, False, None)
    assert calls == []


async def gathering(conversation: Turns, ctx: Any) -> str:
    """Call several at once, a sync one among them."""
    found = await asyncio.gather(*[ctx.tools["later"](n=n) for n in (3, 1, 2)])
    return json.dumps([found, ctx.tools["ping"](n=4)])


def test_parallel_calls() -> None:
    """Calls that are gathered are noted in the order in which they were begun, each once."""
    trace = traced(gathering)
    assert json.loads(trace["response"]) == [[3, 1, 2], {"n": 4}]
    assert [(call["tool"], call["args"]["n"], call["result"]) for call in trace["calls"]] == [
        *(("later", 3, 3), ("later", 1, 1), ("later", 2, 2), ("ping", 4, {"n": 4}))
    ]


def test_parallel_calls_of_which_one_fails() -> None:
    """Of gathered calls each has its own outcome."""

    async def failing(n: int) -> int:
        await asyncio.sleep(0.001)
        if n == 2:
            raise ValueError("two")
        return n

    async def agent(conversation: Turns, ctx: Any) -> str:
        waiting = [ctx.tools["failing"](n=n) for n in (1, 2, 3)]
        found = await asyncio.gather(*waiting, return_exceptions=True)
        return str(found)

    calls = traced(agent, tools={"failing": failing})["calls"]
    kinds = [call["error"] and call["error"]["kind"] for call in calls]
    assert ([call["result"] for call in calls], kinds) == ([1, None, 3], [None, "raised", None])


def test_calls_from_threads_of_the_agent() -> None:
    """An agent may call from threads of its own: each call is noted once."""

    def agent(conversation: Turns, ctx: Any) -> str:
        with ThreadPoolExecutor(4) as pool:
            return json.dumps(list(pool.map(lambda n: ctx.tools["ping"](n=n), range(20))))

    trace = traced(agent)
    assert json.loads(trace["response"]) == [{"n": n} for n in range(20)]
    assert sorted(call["result"]["n"] for call in trace["calls"]) == list(range(20))


@pytest.mark.filterwarnings("ignore:coroutine")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_call_that_is_not_awaited_did_not_return() -> None:
    """A call whose result nobody waited for was begun, and has no result: it passes nothing."""

    async def agent(conversation: Turns, ctx: Any) -> str:
        ctx.tools["later"](n=1)
        return "done"

    (call,) = traced(agent)["calls"]
    assert (call["result"], call["error"]["kind"]) == (None, "timeout")
    assert call["error"]["message"] == "later did not return"


def test_a_task_that_is_left_behind_changes_nothing() -> None:
    """A call under way when the agent answers did not return, whatever comes of it later."""

    async def agent(conversation: Turns, ctx: Any) -> str:
        task = asyncio.ensure_future(ctx.tools["later"](n=1))
        await asyncio.sleep(0)
        return str(task.done())

    (call,) = traced(agent)["calls"]
    assert (call["result"], call["error"]["kind"]) == (None, "timeout")


def test_calls_after_the_end_are_refused() -> None:
    """A context that is kept calls nothing any more, once the agent has been closed."""
    kept: list[Any] = []
    called: list[int] = []

    def agent(conversation: Turns, ctx: Any) -> str:
        kept.append(ctx)
        return "done"

    trace = traced(agent, tools={"ping": lambda: called.append(1)})
    with pytest.raises(RuntimeError, match="the run is over, and ping can't be called"):
        kept[0].tools["ping"]()
    assert (trace["calls"], called) == ([], [])


def stubborn(conversation: Turns, ctx: Any) -> str:
    """Go on whatever is raised that one may catch."""
    while True:
        with suppress(Exception):
            ctx.tools["ping"](n=1)


async def stubborn_async(conversation: Turns, ctx: Any) -> str:
    """Go on whatever is raised that one may catch, on a loop."""
    while True:
        with suppress(Exception):
            await ctx.tools["later"](n=1)


def deaf(conversation: Turns, ctx: Any) -> str:
    """Answer as if nothing had been, whatever was raised."""
    for _ in range(9):
        with suppress(BaseException):
            ctx.tools["ping"](n=1)
    return "all done"


def threaded(conversation: Turns, ctx: Any) -> str:
    """Call from another thread."""
    with ThreadPoolExecutor(1) as pool:
        return str(list(pool.map(lambda n: ctx.tools["ping"](n=n), range(9))))


@pytest.mark.parametrize("agent", [stubborn, stubborn_async, deaf, threaded])
def test_after_the_last_call_it_is_cut_short(agent: Any) -> None:
    """An agent that has made all the calls it may make is ended, even where it catches errors."""
    result = asked(agent, limits=Limits(max_calls=3), prompt=["a", "b"])
    assert result.trace is not None
    assert len(result.trace["calls"]) == 3
    assert (result.trace["stop_cause"], result.trace["response"]) == ("max_calls", None)
    assert result.trace["responses"] == []
    (ended,) = [check for check in result.checks if check.code is not None]
    assert (ended.code, result.status.value) == ("stopped_by_limit", "failed")


def test_as_many_calls_as_it_may_make_are_fine() -> None:
    """The limit is what it may make: it is cut short by the call after that."""

    def agent(conversation: Turns, ctx: Any) -> str:
        return str([ctx.tools["ping"](n=n) for n in range(3)])

    assert asked(agent, limits=Limits(max_calls=3)).passed
    assert not asked(agent, limits=Limits(max_calls=2)).passed


def test_the_limit_is_for_the_whole_conversation() -> None:
    """Calls of all turns count together."""

    def agent(conversation: Turns, ctx: Any) -> str:
        return str([ctx.tools["ping"](n=n) for n in range(2)])

    trace = traced(agent, prompt=["a", "b"], limits=Limits(max_calls=3))
    assert [call["turn"] for call in trace["calls"]] == [0, 0, 1]
    assert (trace["stop_cause"], len(trace["responses"])) == ("max_calls", 1)


def test_there_is_a_limit_where_none_is_given() -> None:
    """An agent that loops for ever is cut short after 1,000 calls."""
    trace = traced(stubborn)
    assert (len(trace["calls"]), trace["stop_cause"]) == (1_000, "max_calls")


def test_nothing_of_a_run_is_registered() -> None:
    """Putting scenarios to agents adds nothing to the ambient catalogue."""
    before = len(CATALOGUE)
    asked(gathering)
    assert len(CATALOGUE) == before
