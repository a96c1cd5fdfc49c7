"""What is found wrong with a tool call before anything runs, and how it is said."""

from typing import Any

import pytest

from evalkit import Assertion, Op, Problem, Ref, Scenario, Tool, ToolCall, run, validate

SCHEMA = {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]}


def evaluate_cabinet(width: int, height: int = 700) -> dict[str, Any]:
    """A tool with one argument that it needs, and one that it does not."""
    return {"width": width, "parts": [width, height]}


TOOLS: dict[str, Any] = {
    "evaluate_cabinet": evaluate_cabinet,
    "open_ended": lambda **anything: anything,
    "by_dict": lambda args: args,
    "with_schema": Tool(lambda **anything: anything, schema=SCHEMA),
}
SAVING = ToolCall("evaluate_cabinet", {"width": 3}, save_as={"width": "width"})


def found(*calls: ToolCall) -> list[Problem]:
    """What planning says of these calls of one scenario."""
    return list(validate(Scenario("a", tool_calls=calls, source="cases.py:7"), tools=TOOLS))


@pytest.mark.parametrize(
    ("call", "where", "told"),
    [
        (
            ToolCall("evaluate_cabnet", {"width": 3}),
            "tool",
            "unknown tool 'evaluate_cabnet'; did you mean 'evaluate_cabinet'?",
        ),
        (ToolCall("Evaluate_Cabinet", {"width": 3}), "tool", "did you mean 'evaluate_cabinet'?"),
        (
            ToolCall("evaluate_cabinet", {"widht": 3, "width": 1}),
            "args",
            "'widht'; did you mean 'width'?",
        ),
        (ToolCall("evaluate_cabinet"), "args", "needs the argument 'width'"),
        (ToolCall("evaluate_cabinet", {"height": 3}), "args", "needs the argument 'width'"),
        (ToolCall("with_schema", {}), "args", "size"),
        (ToolCall("with_schema", {"size": "big"}), "args", "'big'"),
        (
            ToolCall("evaluate_cabinet", {"width": Ref("nope")}),
            "args",
            "no earlier call saves 'nope'",
        ),
        (
            ToolCall("evaluate_cabinet", context_args={"width": "nope"}),
            "context_args",
            "no earlier call saves 'nope'",
        ),
        (
            ToolCall("evaluate_cabinet", context_args={"widht": "w"}, save_as={"w": "width"}),
            "",
            "widht",
        ),
        (
            ToolCall("evaluate_cabinet", {"width": 3}, arg_transforms={"width": str}),
            "arg_transforms",
            "'width'",
        ),
        (ToolCall("evaluate_cabinet", {"width": 3}, save_as={"w": "a["}), "save_as", "'a['"),
        (
            ToolCall("evaluate_cabinet", {"width": 3}, save_as={"w": "width"}, expect_error=True),
            "save_as",
            "error",
        ),
        (ToolCall("evaluate_cabinet", expect_error="(a"), "expect_error", "'(a'"),
        (ToolCall("evaluate_cabinet", expect_error=".*"), "expect_error", "'.*'"),
        (
            ToolCall("evaluate_cabinet", {"width": 3}, [Assertion("width", Op.EQ, Ref("nope"))]),
            "assertions[0].expected",
            "'nope'",
        ),
    ],
    ids=lambda value: None if isinstance(value, ToolCall) else str(value)[:40],
)
def test_what_is_wrong_is_told_by_place_and_value(call: ToolCall, where: str, told: str) -> None:
    """A mistake is told with file:line, the field, the value, and the nearest right one."""
    problems = found(call)
    assert problems
    assert all(problem.source == "cases.py:7" for problem in problems)
    assert problems[0].where.startswith(f"a.tool_calls[0].{where}".rstrip("."))
    assert any(told in str(problem) for problem in problems)


def test_the_step_is_named() -> None:
    """A mistake in the third call is told as the third call's."""
    calls = (SAVING, ToolCall("by_dict"), ToolCall("nope"))
    (problem,) = found(*calls)
    assert problem.where == "a.tool_calls[2].tool"


def test_a_saved_name_is_answered_with_the_nearest() -> None:
    """A typo in a Ref or in context_args names the value that was meant."""
    for call in (
        ToolCall("evaluate_cabinet", {"width": Ref("widht")}),
        ToolCall("evaluate_cabinet", context_args={"width": "widht"}),
        ToolCall("evaluate_cabinet", {"width": 1}, [Assertion("width", Op.EQ, Ref("widht"))]),
    ):
        (problem,) = found(SAVING, call)
        assert "did you mean 'width'?" in str(problem)


def test_a_name_saved_later_is_not_there_yet() -> None:
    """A call can't use what only a later one saves, nor its own in its arguments."""
    using = ToolCall("evaluate_cabinet", {"width": Ref("width")})
    assert len(found(using, SAVING)) == 1
    own = using.but(save_as={"width": "width"})
    assert len(found(own)) == 1


def test_a_ref_is_found_at_any_depth() -> None:
    """A Ref inside lists and objects of the arguments is checked like any other."""
    deep = ToolCall("open_ended", {"a": {"b": [1, {"c": Ref("nope")}]}})
    (problem,) = found(deep)
    assert "'nope'" in str(problem)


def test_an_argument_given_twice() -> None:
    """The same argument in args and in context_args is an error."""
    twice = ToolCall("evaluate_cabinet", {"width": 1}, context_args={"width": "width"})
    (problem,) = found(SAVING, twice)
    assert "context_args" in problem.where
    assert "'width'" in problem.problem


@pytest.mark.parametrize(
    "call",
    [
        ToolCall("evaluate_cabinet", {"width": 3}),
        ToolCall("evaluate_cabinet", {"width": 3, "height": 2}),
        ToolCall("open_ended", {"whatever": 1}),
        ToolCall("by_dict", {"whatever": 1}),
        ToolCall("with_schema", {"size": 3}),
        ToolCall("with_schema", {"size": Ref("width")}),
        ToolCall("evaluate_cabinet", {"width": 3}, expect_error=True),
        ToolCall(
            "evaluate_cabinet", context_args={"width": "width"}, arg_transforms={"width": abs}
        ),
    ],
    ids=str,
)
def test_what_is_right_is_let_alone(call: ToolCall) -> None:
    """Arguments that fit, of whatever style the tool is, are neither an error nor a warning."""
    assert found(SAVING, call) == []


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (ToolCall("evaluate_cabinet", {"widht": 3, "width": 1}, expect_error=True), "'widht'"),
        (ToolCall("evaluate_cabinet", {}, expect_error="missing"), "'width'"),
        (ToolCall("with_schema", {}, expect_error=True), "'size'"),
    ],
    ids=str,
)
def test_arguments_that_are_refused_at_the_door_are_a_warning(call: ToolCall, told: str) -> None:
    """With `expect_error` a typo would be the error that is expected, so it is said."""
    (problem,) = found(call)
    assert problem.warning
    assert problem.where == "a.tool_calls[0].args"
    assert told in problem.problem
    assert problem.problem.endswith(", so that is the error it will give")


def test_a_name_that_is_saved_twice_is_a_warning() -> None:
    """A second save under a name is told with its place; the run goes on."""
    (problem,) = found(SAVING, SAVING)
    assert problem.warning
    assert problem.where == "a.tool_calls[1].save_as.width"
    assert "'width' is saved before" in problem.problem


def test_every_wrong_argument_is_a_problem() -> None:
    """Two arguments that a tool does not take are told both."""
    told = " ".join(map(str, found(ToolCall("evaluate_cabinet", {"a": 1, "b": 2, "width": 1}))))
    assert "'a'" in told
    assert "'b'" in told


def test_a_wrong_tool_does_not_hide_wrong_assertions() -> None:
    """Where a tool is unknown, its call's assertions are looked at all the same."""
    call = ToolCall("nope", {"x": Ref("y")}, [Assertion("a", "eqq", 1), Assertion("b[", Op.EQ, 1)])
    assert len(found(call)) == 4


@pytest.mark.parametrize(
    ("call", "count"),
    [
        (ToolCall("by_dict", {"a": 1}), 1),
        (ToolCall("by_dict", {"a": 1}, [Assertion("a", Op.EQ, 1)]), 1),
        (ToolCall("by_dict", {"a": 1}, [Assertion("a", Op.EQ, 1)] * 3), 3),
        (ToolCall("by_dict", {"a": 1}, save_as={"x": "a", "y": "a"}), 3),
        (ToolCall("by_dict", {"a": 1}, [Assertion("a", Op.EQ, 1)], save_as={"x": "a"}), 2),
        (ToolCall("by_dict", {"a": 1}, expect_error=True), 1),
        (ToolCall("by_dict", {"a": 1}, [Assertion("error", Op.EXISTS)], expect_error=True), 2),
        (ToolCall("by_dict", {"a": 1}, [Assertion("a", Op.EQ, 1, severity="warn")]), 2),
    ],
    ids=str,
)
@pytest.mark.parametrize("raises", [False, True])
def test_the_number_of_checks_is_planned(call: ToolCall, count: int, *, raises: bool) -> None:
    """How many checks a call has is known from what is written, whatever happens."""

    def by_dict(args: dict[str, Any]) -> dict[str, Any]:
        if raises:
            raise ValueError("no")
        return args

    report = run(Scenario("a", tool_calls=[call]), tools={"by_dict": by_dict})
    assert len(report["a"].checks) == count
