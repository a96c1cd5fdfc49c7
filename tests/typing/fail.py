"""Lines that a type checker must refuse: every marked line, and no other."""

import evalkit
from evalkit import (
    Assertion,
    Attachment,
    Budget,
    Catalogue,
    FewShot,
    Limits,
    Op,
    Reply,
    Scenario,
    State,
    ToolCall,
    check,
    load,
    run,
)

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
ToolCall("a", args_match="part")  # expect-error
ToolCall("a", arg_assertions=Assertion("a", Op.EQ, 1))  # expect-error
Scenario("a", match="ordered")  # expect-error
Scenario("a", hygiene="lax")  # expect-error
Scenario("a", forbid_tools=[ToolCall("b")])  # expect-error
Scenario("a", budget={"max_calls": 3})  # expect-error
Scenario("a", limits=Budget(max_calls=3))  # expect-error
Scenario("a", few_shot=[("a", "b")])  # expect-error
Scenario("a", attachments=["a.png"])  # expect-error
Budget(4)  # expect-error
Budget(max_turn=4)  # expect-error
Limits(max_seconds=4)  # expect-error
State(7)  # expect-error
State({"a": 1}, "get")  # expect-error
State({"a": 1}, capture=7)  # expect-error
FewShot("a")  # expect-error
FewShot("a", "b", "c")  # expect-error
Attachment("a.png")  # expect-error
Reply()  # expect-error
Reply("a", [])  # expect-error
Reply("a", cost=1.0)  # expect-error
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
