"""Lines that a type checker must refuse: every marked line, and no other."""

import evalkit
from evalkit import Assertion, Catalogue, Op, Scenario, ToolCall, check, load, run

call = ToolCall("find_order")
scenario = Scenario("refund", tool_calls=[call])

evalkit.Scenari("a")  # expect-error
Scenario()  # expect-error
Scenario("a", nmae="b")  # expect-error
Scenario("a", difficulty="hard")  # expect-error
Scenario("a", tool_calls=call)  # expect-error
Scenario("a", tool_calls=["find_order"])  # expect-error
Scenario("a", None, [], [], "", "basic", [])  # expect-error
Scenario(7)  # expect-error
Scenario("a", tags=[1])  # expect-error
ToolCall()  # expect-error
ToolCall("a", assertion=[])  # expect-error
ToolCall("a", ["positional"])  # expect-error
ToolCall("a", save_as=["x"])  # expect-error
ToolCall("a", timeout_s="5")  # expect-error
Assertion("a")  # expect-error
Assertion("a", Op.EQUALS, 1)  # expect-error
Assertion("a", 1, 1)  # expect-error
Assertion("a", Op.EQ, 1, "d", "all")  # expect-error
Assertion("a", Op.EQ, 1, each="every")  # expect-error
Assertion("a", Op.EQ, 1, severity="info")  # expect-error
scenario.name = "b"  # expect-error
scenario.tags.append("b")  # expect-error
call.args = {}  # expect-error
Catalogue("a").add(call)  # expect-error
Catalogue("a").add("refund")  # expect-error
load(7)  # expect-error
run(scenario, {"a": print})  # expect-error
check("a.b", {"a": 1})  # expect-error
