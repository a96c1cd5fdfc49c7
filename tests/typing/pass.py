"""Lines that a type checker must accept, with the types that users see."""

from collections.abc import Mapping
from typing import Any, assert_type

import evalkit
from evalkit import (
    CATALOGUE,
    MISSING,
    Assertion,
    Catalogue,
    CatalogueError,
    Check,
    Env,
    Op,
    Ref,
    RunReport,
    Scenario,
    ScenarioResult,
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
