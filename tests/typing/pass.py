"""Lines that a type checker must accept, with the types that users see."""

from collections.abc import Mapping
from typing import Any, assert_type

import evalkit
from evalkit import (
    CATALOGUE,
    MISSING,
    Assertion,
    Attachment,
    Budget,
    Catalogue,
    CatalogueError,
    Check,
    Env,
    FewShot,
    Limits,
    Op,
    Ref,
    Reply,
    RunReport,
    Scenario,
    ScenarioResult,
    State,
    Status,
    Tool,
    ToolCall,
    TransportError,
    Turn,
    Verdict,
    _s,
    arun,
    check,
    grade,
    load,
    operator,
    run,
    validate,
)


def find_order(id: int) -> dict[str, Any]:  # noqa: A002
    """A tool with keyword arguments."""
    return {"id": id}


async def refund(args: dict[str, Any]) -> list[object]:
    """An async tool that takes one dict."""
    return [args]


# The nouns, by position and by keyword; lists come back as tuples.
bare = ToolCall("find_order")
call = ToolCall(
    "find_order",
    {"id": 1007, "nested": {"list": [1, 2.5, None, True, "x"]}},
    [Assertion("status", Op.EQ, "delivered")],
    "find it",
    {"order": "id"},
    {"order_id": "order"},
    {"order_id": lambda value: value + 1},
    timeout_s=5,
)
scenario = Scenario(
    "refund",
    "Order 1007 arrived broken.",
    [call, bare],
    ["refund"],
    "a chain",
    "basic",
    assertions=[Assertion("seconds", Op.LT, 5)],
    timeout_s=30,
    xfail="not built yet",
    metadata={"owner": "desk"},
)
tuples = Scenario(name="tuples", prompt=["a", "b"], tool_calls=(bare,), tags=("a", "b"))
turns = Scenario(name="turns", prompt=[Turn("user", "hello"), Turn("assistant", "hi")])
without_prompt = Scenario("tools_only", tool_calls=[ToolCall("find_order", {"id": Ref("order")})])
assert_type(scenario.name, str)
assert_type(scenario.tags, tuple[str, ...])
assert_type(scenario.tool_calls, tuple[ToolCall, ...])
assert_type(call.assertions, tuple[Assertion, ...])
assert_type(call.tool, str)
assert_type(scenario.primary_prompt(), str)

# What is about agents.
sent = ToolCall(
    "refund",
    {"id": 1007},
    args_match="subset",
    arg_assertions=[Assertion("reason", Op.MATCHES, "broken")],
)
asked = Scenario(
    "asked",
    "Order 1007 arrived broken.",
    [sent],
    match="any_order",
    forbid_tools=["cancel"],
    hygiene="strict",
    budget=Budget(max_turns=4, max_cost_usd=0.5),
    limits=Limits(max_calls=8),
    state=State({"open": 2}, capture=lambda env: {"open": env.count()}, replayed=["rows"]),
    system_prompt="Be brief.",
    few_shot=[FewShot("2 + 2", "4", reasoning="it is even")],
    attachments=[
        Attachment(path="receipt.png"),
        Attachment(base64="AAEC", mime="image/png"),
        Attachment(url="https://example.com/receipt.png"),
    ],
    session_id="session 7",
    skip="needs a judge",
)
State({"open": 2}, capture="count")
State(capture={"open": ToolCall("count", {"kind": "open"}), "rows": "list"}, replayed=["rows"])
Assertion("calls", Op.CALLS_IN_ORDER, ["find_order", sent])
Assertion("calls", Op.CALL_ARGS, {"tool": "refund", "where": [Assertion("id", Op.EQ, 7)]})
assert_type(asked.budget, Budget | None)
assert_type(asked.limits, Limits | None)
assert_type(asked.state, State | None)
assert_type(asked.forbid_tools, tuple[str, ...])
assert_type(asked.few_shot, tuple[FewShot, ...])
assert_type(asked.attachments, tuple[Attachment, ...])
assert_type(sent.arg_assertions, tuple[Assertion, ...])
assert_type(Budget(max_calls=3).max_calls, int | None)

# Assertions.
Assertion("items[*].price", Op.GT, 0, each="all")
Assertion("price", "approx", 9.99, tolerance=0.01, rel=0.1, weight=2.0, severity="warn")
Assertion("paid", Op.EQ, Ref("paid"))
Assertion("flag", Op.IS_TRUE)
Assertion("stored_null", Op.EQ, None)
eq: str = Op.EQ.value

# Catalogues.
catalogue = Catalogue("mine")
assert_type(catalogue.add(scenario), Scenario)
assert_type(_s(scenario), Scenario)
assert_type(catalogue["refund"], Scenario)
assert_type(load("scenarios.py"), Catalogue)
assert_type(catalogue.select(tags=["refund"]), Catalogue)
assert_type(scenario.but(name="other"), Scenario)
for member in CATALOGUE:
    assert_type(member, Scenario)
assert_type(len(catalogue), int)


# Tools.
TOOL_DISPATCH = {"find_order": find_order, "refund": refund, "typed": Tool(find_order)}


def factory() -> Env:
    """A table made afresh for every scenario."""
    return Env(TOOL_DISPATCH, database=object())


# Doors.
report = run(catalogue, tools=TOOL_DISPATCH)
assert_type(report, RunReport)
run("scenarios.py")
run([scenario], tools=factory)
run(scenario, tools={"find_order": find_order})


def silent(conversation: list[dict[str, Any]]) -> Reply:
    """An agent that tells what it did."""
    made = {"tool": "find_order", "args": {"id": 1007}, "result": None}
    return Reply(conversation[-1]["content"], calls=[made], usage={"input_tokens": 7}, turns=2)


class Fresh:
    """An agent that is made afresh for every run."""

    def __call__(self, conversation: list[dict[str, Any]]) -> str:
        """Answer."""
        return str(conversation)


async def talking(conversation: list[dict[str, Any]], ctx: Any) -> str:
    """An async agent that calls its tools."""
    return str(await ctx.tools["find_order"](id=1007))


run(scenario, agent=silent)
run(scenario, agent=talking, timeout_s=None)
run(scenario, agent="shop.agent:answer")
run(scenario, agent=Fresh)
assert_type(Reply("done").text, str | None)
assert_type(report.passed, bool)
assert_type(report["refund"], ScenarioResult)
verdict = check(Assertion("a.b", Op.EQ, 1), {"a": {"b": 1}})
assert_type(verdict, Check)
assert_type(verdict.status, Status)
assert_type(verdict.passed, bool)
assert_type(verdict.reason, str)
trace: Mapping[str, Any] = {}
assert_type(grade(scenario, trace), ScenarioResult)
validate(catalogue, tools=TOOL_DISPATCH)
version: str = evalkit.__version__


async def in_a_loop() -> RunReport:
    """`arun` is awaited on the caller's own loop."""
    return await arun(catalogue, tools=TOOL_DISPATCH)


@operator("divides")
def divides(actual: Any, assertion: Assertion, context: Any) -> Verdict:
    """An operator of the author's."""
    if actual is MISSING:
        return Verdict(passed=False, score=0.0, reason="missing")
    return Verdict(assertion.expected % actual == 0, 1.0, "")


# Errors.
try:
    raise TransportError("the server went away")
except TransportError as error:
    assert_type(error.args, tuple[Any, ...])
try:
    load("absent.py")
except CatalogueError as error:
    assert_type(str(error), str)
