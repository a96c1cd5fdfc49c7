"""Rows 31 and 32 of the table of faults: calls that can't be made, values that are not there."""

import pytest

from evalkit import Assertion, CatalogueError, Op, Ref, Scenario, ScenarioResult, ToolCall, run


def codes(result: ScenarioResult) -> list[str | None]:
    """The codes of the checks."""
    return [check.code for check in result.checks]


def takes(n: int) -> int:
    """A tool of one number."""
    return n


@pytest.mark.parametrize(
    "call",
    [
        ToolCall("tkaes", {"n": 1}),
        ToolCall("takes", {"m": 1}),
        ToolCall("takes", {}),
        ToolCall("takes", {"n": 1}, context_args={"m": "saved"}),
        ToolCall("takes", {"n": 1}, context_args={"n": "saved"}),
        ToolCall("takes", {"n": 1}, arg_transforms={"n": str}),
    ],
)
def test_row_31_a_call_that_can_not_be_made(call: ToolCall) -> None:
    """An unknown tool, wrong or missing arguments: refused before the first call."""
    called: list[int] = []

    def get() -> dict[str, int]:
        called.append(1)
        return {"n": 1}

    scenario = Scenario("s", tool_calls=[ToolCall("get", save_as={"saved": "n"}), call])
    with pytest.raises(CatalogueError, match=r"s\.tool_calls\[1\]"):
        run(scenario, tools={"get": get, "takes": takes})
    assert called == []


def test_row_31_a_transform_that_raises() -> None:
    """A transform that raises fails its call, dependents are not run, others are."""
    calls = [
        ToolCall("get", save_as={"n": "n"}),
        ToolCall(
            "takes",
            save_as={"m": ""},
            context_args={"n": "n"},
            arg_transforms={"n": lambda n: n.absent},
        ),
        ToolCall("takes", {"n": Ref("m")}),
        ToolCall("takes", {"n": Ref("n")}),
    ]
    result = run(Scenario("s", tool_calls=calls), tools={"get": lambda: {"n": 1}, "takes": takes})[
        "s"
    ]
    expected = [None, None, "transform_raised", "unsaved_value", "unsaved_value", None]
    assert codes(result) == expected


def test_row_32_a_value_that_is_not_there() -> None:
    """A `save_as` that finds nothing fails its check and the calls that need it; others run."""
    calls = [
        ToolCall("get", save_as={"n": "n", "m": "m"}),
        ToolCall("takes", context_args={"n": "m"}),
        ToolCall("takes", context_args={"n": "n"}),
        ToolCall("takes", {"n": 7}, [Assertion("", Op.EQ, 7)]),
    ]
    result = run(Scenario("s", tool_calls=calls), tools={"get": lambda: {"n": 1}, "takes": takes})[
        "s"
    ]
    assert codes(result) == [None, None, "unsaved_value", "unsaved_value", None, None]


@pytest.mark.parametrize(
    "call", [ToolCall("takes", {"n": Ref("m")}), ToolCall("takes", context_args={"n": "m"})]
)
def test_row_32_a_name_that_is_never_saved(call: ToolCall) -> None:
    """A name that no earlier call saves is refused before the run, a later one's too."""
    saving = ToolCall("takes", {"n": 1}, save_as={"m": ""})
    for calls in ([call], [call, saving]):
        with pytest.raises(CatalogueError, match="'m'"):
            run(Scenario("s", tool_calls=calls), tools={"takes": takes})
