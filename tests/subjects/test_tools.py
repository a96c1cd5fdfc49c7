"""The tools as subject: what is called with what, what is saved, what is noted in the trace."""

import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from evalkit import Assertion, Op, Ref, Scenario, ScenarioResult, Status, ToolCall, run
from evalkit.trace import Trace

Tools = dict[str, Callable[..., Any]]


def outcome(*calls: ToolCall, tools: Any, **fields: Any) -> ScenarioResult:
    """What comes of a scenario of these calls."""
    return run(Scenario("s", tool_calls=calls, **fields), tools=tools)["s"]


def traced(*calls: ToolCall, tools: Any) -> Trace:
    """The trace of a scenario of these calls."""
    trace = outcome(*calls, tools=tools).trace
    assert trace is not None
    return trace


def codes(result: ScenarioResult, step: int | None = None) -> list[str | None]:
    """The codes of the checks, of all or of one step."""
    return [check.code for check in result.checks if step is None or check.step == step]


def echo(**args: Any) -> dict[str, Any]:
    """Give back what was sent."""
    return args


def give(value: Any) -> Callable[[], Any]:
    """A tool that returns one thing."""
    return lambda: value


def show(n: int) -> None:
    """A tool that prints."""
    print(n)  # noqa: T201  - printing is under test


def fail() -> None:
    """A tool that raises."""
    raise ValueError("the saw is off")


def test_calls_are_made_in_order() -> None:
    """The calls of a scenario are made one after the other, as they stand."""
    made: list[int] = []

    def tool(n: int) -> None:
        made.append(n)

    outcome(*(ToolCall("t", {"n": n}) for n in (3, 1, 2)), tools={"t": tool})
    assert made == [3, 1, 2]


def test_arguments_arrive_as_they_stand() -> None:
    """A tool gets the arguments of its call, nested ones too, and nothing else."""
    args = {"a": 1, "b": {"c": [1, {"d": None}]}, "e": "text"}
    trace = traced(ToolCall("echo", args), tools={"echo": echo})
    assert trace["calls"][0]["args"] == args
    assert trace["calls"][0]["result"] == args


SAVED = {"order": {"id": 7, "lines": [1, 2]}, "note": None}
REFERENCES: dict[str, tuple[ToolCall, Any]] = {
    "a ref": (ToolCall("echo", {"x": Ref("id")}), {"x": 7}),
    "deep refs": (
        ToolCall("echo", {"x": [{"y": Ref("id")}, Ref("order")]}),
        {"x": [{"y": 7}, {"id": 7, "lines": [1, 2]}]},
    ),
    "a context argument": (ToolCall("echo", {"a": 1}, context_args={"x": "id"}), {"a": 1, "x": 7}),
    "a transform": (
        ToolCall("echo", context_args={"x": "lines"}, arg_transforms={"x": sum}),
        {"x": 3},
    ),
    "a saved null": (ToolCall("echo", {"x": Ref("note")}), {"x": None}),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_saved_values_take_the_place_of_references(name: str) -> None:
    """A saved value stands wherever an argument refers to it, through its transform if given."""
    call, expected = REFERENCES[name]
    paths = {"id": "order.id", "order": "order", "lines": "order.lines", "note": "note"}
    trace = traced(ToolCall("get", save_as=paths), call, tools={"get": give(SAVED), "echo": echo})
    assert trace["calls"][1]["args"] == expected
    assert trace["calls"][1]["result"] == expected


def test_a_saved_value_may_be_expected() -> None:
    """A `Ref` as expected value compares with what was saved, and the check shows the value."""
    calls = [
        ToolCall("get", save_as={"id": "order.id"}),
        ToolCall("echo", {"x": 7}, [Assertion("x", Op.EQ, Ref("id"))]),
        ToolCall("echo", {"x": 8}, [Assertion("x", Op.EQ, Ref("id"))]),
    ]
    result = outcome(*calls, tools={"get": give(SAVED), "echo": echo})
    assert [(check.status, check.expected) for check in result.checks[2:]] == [
        (Status.PASSED, 7),
        (Status.FAILED, 7),
    ]


def test_a_later_save_replaces_an_earlier_one() -> None:
    """A name that is saved twice holds the later value, and none where the later one is absent."""
    save = ToolCall("get", save_as={"n": "n"})
    use = ToolCall("echo", {"n": Ref("n")})
    answers = iter([{"n": 1}, {"n": 2}, {"m": 3}])
    result = outcome(
        save, use, save, use, save, use, tools={"get": lambda: next(answers), "echo": echo}
    )
    assert result.trace is not None
    assert [call["args"] for call in result.trace["calls"] if call["tool"] == "echo"] == [
        {"n": 1},
        {"n": 2},
    ]
    assert codes(result, 5) == ["unsaved_value"]


def test_each_call_has_its_own_copy_of_its_arguments() -> None:
    """A tool that changes its arguments changes neither the trace nor the next call of them."""

    def take_all(items: list[int], deep: dict[str, Any]) -> int:
        deep["gone"] = True
        items.clear()
        return len(deep)

    call = ToolCall("t", {"items": [1], "deep": {"a": 1}}, [Assertion("", Op.EQ, 2)])
    scenarios = [Scenario(name, tool_calls=[call, call]) for name in "ab"]
    report = run(scenarios, tools={"t": take_all})
    assert report.passed
    for result in report.results:
        assert result.trace is not None
        assert [each["args"] for each in result.trace["calls"]] == [call.args, call.args]


def test_a_tool_that_takes_a_dict_has_its_own() -> None:
    """A tool that empties the dict it is given changes nothing else."""

    def pop_all(args: dict[str, Any]) -> int:
        count = len(args)
        args.clear()
        return count

    call = ToolCall("t", {"a": 1, "b": 2}, [Assertion("", Op.EQ, 2)])
    assert run(
        [Scenario(name, tool_calls=[call, call]) for name in "ab"], tools={"t": pop_all}
    ).passed


def test_saved_values_can_not_be_changed_by_a_tool() -> None:
    """A tool that changes its result, or a saved value it is given, changes no saved value."""
    kept: list[dict[str, Any]] = []

    def get() -> dict[str, Any]:
        kept.append({"rows": [1]})
        return kept[-1]

    def use(rows: list[int]) -> int:
        kept[-1]["rows"].append(2)
        rows.append(3)
        return len(rows)

    get_call = ToolCall("get", {}, [Assertion("rows", Op.EQ, [1])], save_as={"rows": "rows"})
    use_call = ToolCall("use", {"rows": Ref("rows")}, [Assertion("", Op.EQ, 2)])
    by_name = ToolCall("use", {}, [Assertion("", Op.EQ, 2)], context_args={"rows": "rows"})
    assert outcome(get_call, use_call, by_name, tools={"get": get, "use": use}).passed


def test_a_transform_can_not_change_a_saved_value() -> None:
    """A transform that changes what it is given changes no saved value."""
    popped = ToolCall(
        "echo", context_args={"x": "rows"}, arg_transforms={"x": lambda rows: rows.pop()}
    )
    calls = [
        ToolCall("get", save_as={"rows": "rows"}),
        popped,
        ToolCall("echo", {"x": Ref("rows")}, [Assertion("x", Op.EQ, [1, 2])]),
    ]
    assert outcome(*calls, tools={"get": give({"rows": [1, 2]}), "echo": echo}).passed


CHAIN = [
    ToolCall("first", {}, [Assertion("a", Op.EQ, 1), Assertion("b", Op.EQ, 2)], save_as={"a": "a"}),
    ToolCall("echo", {"x": Ref("a")}, [Assertion("x", Op.EQ, 1)], save_as={"x": "x"}),
    ToolCall("echo", {"y": Ref("x")}, save_as={"y": "y"}),
    ToolCall("echo", {"z": 1}, [Assertion("z", Op.EQ, 1)]),
    ToolCall("echo", {"z": 1}, [Assertion("z", Op.EQ, Ref("a")), Assertion("z", Op.EQ, 1)]),
]
RAISED, UNSAVED, UNJSON = "tool_raised", "unsaved_value", "unserialisable_result"
CHAINS: dict[str, tuple[Callable[[], Any], list[str | None]]] = {
    "raises": (fail, [RAISED, RAISED, UNSAVED]),
    "is no JSON": (give({1}), [UNJSON, UNJSON, UNSAVED]),
    "lacks the value": (give({"b": 2}), ["unresolved_path", None, UNSAVED]),
}


@pytest.mark.parametrize("name", CHAINS)
def test_steps_that_need_a_lost_value_are_not_run(name: str) -> None:
    """Steps that need a value that was not saved fail `unsaved_value`; others still run."""
    first, expected = CHAINS[name]
    result = outcome(*CHAIN, tools={"first": first, "echo": echo})
    assert [codes(result, step) for step in range(5)] == [
        expected,
        [UNSAVED, UNSAVED],
        [UNSAVED, UNSAVED],
        [None],
        [UNSAVED, None],
    ]
    assert result.status is Status.FAILED
    assert result.trace is not None
    assert [call["step"] for call in result.trace["calls"]] == [0, 3, 4]
    assert [(each["step"], each["needs"]) for each in result.trace["not_run"]] == [
        (1, "a"),
        (2, "x"),
    ]


def test_the_reason_names_the_value_that_was_not_saved() -> None:
    """A step that was not run says which value it needs."""
    result = outcome(*CHAIN, tools={"first": fail, "echo": echo})
    assert all("'a'" in check.reason for check in result.checks if check.step == 1)


def test_a_raising_tool_fails_all_the_assertions_of_its_call() -> None:
    """Every assertion of a call that raised fails, with the exception's type and message."""
    assertions = [
        Assertion("x", Op.EQ, 1),
        Assertion("x", Op.NE, 1),
        Assertion("x", Op.IS_FALSE),
        Assertion("", Op.LACKS_KEY, "x"),
    ]
    result = outcome(ToolCall("t", {}, assertions), tools={"t": fail})
    assert codes(result) == [RAISED] * 4
    assert {check.reason for check in result.checks} == {"ValueError: the saw is off"}
    assert {check.score for check in result.checks} == {0.0}


@pytest.mark.parametrize(
    ("transform", "reason"),
    [
        (lambda order: order["absent"], "KeyError"),
        (set, "set"),
        (lambda order: order["id"] * float("nan"), "nan"),
        (lambda order: sys.exit(order["id"]), "SystemExit"),
    ],
)
def test_a_transform_that_fails_is_an_outcome(transform: Callable[[Any], Any], reason: str) -> None:
    """A transform that raises fails its step as `transform_raised`; others still run."""
    calls = [
        ToolCall("get", save_as={"order": "order"}),
        ToolCall("echo", context_args={"x": "order"}, arg_transforms={"x": transform}),
        ToolCall("echo", {"z": 1}),
    ]
    result = outcome(*calls, tools={"get": give({"order": {"id": 0}}), "echo": echo})
    assert codes(result) == [None, None, "transform_raised", None]
    assert reason in result.checks[2].reason


def test_arguments_refused_at_the_door_are_told_from_errors_inside() -> None:
    """A TypeError of the call itself is `invalid_arguments`; one from inside is the tool's."""

    def inside(**_: Any) -> None:
        len(7)  # type: ignore[arg-type]

    async def later(n: int) -> None:
        """Take n."""

    wanted = [Assertion("error.type", Op.EQ, "TypeError")]
    calls = [
        ToolCall("door", {"m": 1}, wanted, expect_error=True),
        ToolCall("later", {}, wanted, expect_error=True),
        ToolCall("inside", {"m": 1}, wanted, expect_error=True),
    ]
    trace = traced(*calls, tools={"door": lambda n: n, "inside": inside, "later": later})
    kinds = [call["error"] and call["error"]["kind"] for call in trace["calls"]]
    assert kinds == ["invalid_arguments", "invalid_arguments", "raised"]


def test_a_tool_that_is_gone_is_an_outcome() -> None:
    """A tool that the plan's table had and the scenario's lacks is `unknown_tool`; others run."""
    tables: list[Tools] = [{"a": give(1), "b": give(2)}, {"b": give(2)}]
    result = outcome(ToolCall("a"), ToolCall("b"), tools=lambda: tables.pop(0))
    assert codes(result) == ["unknown_tool", None]
    assert "'a'" in result.checks[0].reason


@pytest.mark.parametrize("kind", ["coroutine", "awaitable"])
def test_an_async_tool_is_awaited(kind: str) -> None:
    """What a handler returns is awaited where it can be."""

    class Later:
        def __await__(self) -> Any:
            yield from ()
            return {"n": 1}

    async def coroutine() -> dict[str, int]:
        return {"n": 1}

    tools: Tools = {"t": coroutine if kind == "coroutine" else Later}
    assert outcome(ToolCall("t", {}, [Assertion("n", Op.EQ, 1)]), tools=tools).passed


def test_the_trace_notes_every_error_with_its_call() -> None:
    """`errors` of the trace lists each error with the index of its call."""
    trace = traced(ToolCall("ok"), ToolCall("bad"), tools={"ok": give(1), "bad": fail})
    assert trace["errors"] == [
        {"call": 1, "kind": "raised", "type": "ValueError", "message": "the saw is off"}
    ]
    assert trace["calls"][1]["error"] == {
        "kind": "raised",
        "type": "ValueError",
        "message": "the saw is off",
    }


def test_what_is_printed_stays_with_its_call() -> None:
    """What each call prints is noted with it, and with no other."""
    tools: Tools = {"t": show, "quiet": give(None)}
    calls = [ToolCall("t", {"n": 1}), ToolCall("quiet"), ToolCall("t", {"n": 2})]
    trace = traced(*calls, tools=tools)
    assert [call["output"] for call in trace["calls"]] == ["1\n", "", "2\n"]


def test_seconds_are_the_calls_own() -> None:
    """The seconds of a call are how long it took, and the trace's are no less than their sum."""
    trace = traced(
        ToolCall("slow"),
        ToolCall("fast"),
        tools={"slow": lambda: time.sleep(0.05), "fast": give(1)},
    )
    slow, fast = (call["seconds"] for call in trace["calls"])
    assert 0.05 <= slow < 1
    assert 0 <= fast < 0.05
    assert trace["seconds"] >= slow + fast
