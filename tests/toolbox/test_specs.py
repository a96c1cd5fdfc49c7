"""What is known of a tool before it is called: its style, and which arguments it accepts."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypedDict

import pytest

from evalkit import Assertion, CatalogueError, Env, Problem, Ref, Scenario, Tool, ToolCall, run
from evalkit import validate as problems_of
from evalkit.toolbox import argument_problems, spec_of


class Order(TypedDict):
    """A mapping with its keys said."""

    id: int


class Desk:
    """Tools that are methods."""

    def by_keyword(self, width: int) -> int:
        """Take an argument each."""
        return width

    def by_dict(self, args: dict[str, int]) -> int:
        """Take all of them as one."""
        return args["width"]

    def __call__(self, width: int) -> int:
        """Be a tool itself."""
        return width


def plain(width: int, height: int = 10) -> int:
    """Take two numbers."""
    return width * height


def keyword_only(*, width: int) -> int:
    """Take one by name."""
    return width


def open_ended(width: int, **rest: int) -> int:
    """Take any."""
    return width + len(rest)


def untyped_args(args):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Take a dict, by name alone."""
    return args


def untyped_arguments(arguments):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Take a dict, by name alone."""
    return arguments


def untyped_params(params):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Take a dict, by name alone."""
    return params


def untyped_other(everything):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Take one argument of that name."""
    return everything


def annotated_dict(order: dict[str, Any]) -> Any:
    """Take a dict."""
    return order


def annotated_mapping(order: Mapping[str, Any]) -> Any:
    """Take a mapping."""
    return order


def annotated_text(order: "dict[str, Any]") -> Any:
    """Take a dict, annotated by a string."""
    return order


def annotated_typed(order: Order) -> Any:
    """Take a dict of known keys."""
    return order


def args_of_text(args: str) -> Any:
    """Take one text that happens to be called args."""
    return args


def two_dicts(args: dict[str, Any], more: dict[str, Any]) -> Any:
    """Take two mappings, each an argument."""
    return args, more


async def asynchronous(args: dict[str, Any]) -> Any:
    """Take a dict, later."""
    return args


BY_DICT: list[Callable[..., Any]] = [
    untyped_args,
    untyped_arguments,
    untyped_params,
    annotated_dict,
    annotated_mapping,
    annotated_text,
    annotated_typed,
    asynchronous,
    Desk().by_dict,
]
BY_KEYWORD: list[Callable[..., Any]] = [
    plain,
    keyword_only,
    open_ended,
    untyped_other,
    args_of_text,
    two_dicts,
    Desk().by_keyword,
    Desk(),
    partial(plain, height=2),
    lambda: None,
]


@pytest.mark.parametrize("handler", BY_DICT, ids=repr)
def test_a_single_mapping_is_taken_as_a_dict(handler: Callable[..., Any]) -> None:
    """A handler whose one parameter is a mapping gets all arguments as that dict."""
    assert spec_of(handler).by_dict
    assert not argument_problems(spec_of(handler), {"anything": 1}, {})


@pytest.mark.parametrize("handler", BY_KEYWORD, ids=repr)
def test_anything_else_is_called_by_keyword(handler: Callable[..., Any]) -> None:
    """A handler of any other signature gets an argument each."""
    assert not spec_of(handler).by_dict


@pytest.mark.parametrize(("style", "by_dict"), [("dict", True), ("kwargs", False)])
def test_a_tool_says_its_style(style: Any, by_dict: bool) -> None:
    """`Tool(style=)` decides against what the signature looks like."""
    assert spec_of(Tool(untyped_other, style=style)).by_dict is by_dict
    assert spec_of(Tool(untyped_args, style=style)).by_dict is by_dict


SIGNATURES: list[tuple[Callable[..., Any], dict[str, Any], dict[str, str], list[str]]] = [
    (plain, {"width": 1}, {}, []),
    (plain, {"width": 1, "height": 2}, {}, []),
    (plain, {}, {"width": "w"}, []),
    (plain, {}, {}, ["needs the argument 'width'"]),
    (plain, {"widht": 1}, {}, ["takes no argument 'widht'", "needs the argument 'width'"]),
    (plain, {"width": 1}, {"depth": "d"}, ["takes no argument 'depth'"]),
    (keyword_only, {"width": 1}, {}, []),
    (keyword_only, {}, {}, ["needs the argument 'width'"]),
    (open_ended, {"width": 1, "more": 2}, {}, []),
    (open_ended, {"more": 2}, {}, ["needs the argument 'width'"]),
    (partial(plain, width=1), {"height": 1}, {}, []),
    (Desk().by_keyword, {"width": 1}, {}, []),
    (Desk().by_keyword, {"self": 1}, {}, ["takes no argument 'self'", "needs the argument"]),
    (lambda: None, {"x": 1}, {}, ["takes no argument 'x'"]),
]


@pytest.mark.parametrize(("handler", "args", "later", "expected"), SIGNATURES)
def test_arguments_against_the_signature(
    handler: Callable[..., Any], args: dict[str, Any], later: dict[str, str], expected: list[str]
) -> None:
    """Every argument too many and every one too few is said, with those that are filled later."""
    found = [problem.problem for problem in argument_problems(spec_of(handler), args, later)]
    assert len(found) == len(expected)
    for problem, said in zip(found, expected, strict=True):
        assert said in problem


def test_a_wrong_argument_is_answered_with_the_nearest() -> None:
    """A misspelt argument is answered with the one that was meant."""
    (first, _) = argument_problems(spec_of(plain), {"widht": 1}, {})
    assert first.hint is not None
    assert "'width'" in first.hint


SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "of": {"type": "object"}, "tags": {"maxItems": 1}},
    "required": ["n"],
    "additionalProperties": False,
}


def planned(*calls: ToolCall, schema: Any = SCHEMA) -> tuple[Problem, ...]:
    """What planning has against calls of a tool with a schema."""
    tools = {"t": Tool(lambda **_: {"n": "text"}, schema=schema)}
    return problems_of(Scenario("s", tool_calls=calls), tools=tools)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"n": "1"}, "'1'"),
        ({}, "'n'"),
        ({"n": 1, "x": 2}, "'x'"),
        ({"n": 1, "of": []}, "object"),
        ({"n": True}, "True"),
        ({"n": 1, "tags": ["Ref(a)", "b"]}, "too long"),
    ],
)
def test_arguments_against_the_schema(args: dict[str, Any], said: str) -> None:
    """What the schema refuses is found before the run, and quoted."""
    (problem,) = planned(ToolCall("t", args))
    assert problem.where == "s.tool_calls[0].args"
    assert said in problem.problem


def test_a_schema_that_is_met_is_no_problem() -> None:
    """Arguments that the schema accepts are no problem."""
    assert planned(ToolCall("t", {"n": 1, "of": {}})) == ()


@pytest.mark.parametrize(
    "call",
    [
        ToolCall("t", {"n": Ref("saved")}),
        ToolCall("t", {"n": 1, "of": {"deep": [Ref("saved")]}}),
        ToolCall("t", {}, context_args={"n": "saved"}),
    ],
)
def test_what_is_filled_in_the_run_is_left_to_the_run(call: ToolCall) -> None:
    """An argument that an earlier call saves is no problem of the plan."""
    assert planned(ToolCall("t", {"n": 1}, save_as={"saved": "n"}), call) == ()


def test_a_saved_value_is_checked_against_the_schema_when_it_is_known() -> None:
    """A saved value that the schema refuses is `invalid_arguments`, and the tool is not called."""
    called: list[Any] = []
    tools = {
        "first": lambda: {"n": "text"},
        "t": Tool(lambda **args: called.append(args), schema=SCHEMA),
    }
    calls = [ToolCall("first", save_as={"n": "n"}), ToolCall("t", context_args={"n": "n"})]
    result = run(Scenario("s", tool_calls=calls), tools=tools)["s"]
    assert [check.code for check in result.checks if check.step == 1] == ["invalid_arguments"]
    assert called == []


@pytest.mark.parametrize("args", [{}, {"widht": 1}, {"width": "wide", "height": None}])
def test_a_call_that_expects_an_error_may_be_refused(args: dict[str, Any]) -> None:
    """With `expect_error` wrong arguments may be what is tested: planning warns, no more."""
    schema = {"properties": {"width": {"type": "integer"}}}
    call = ToolCall("t", args, expect_error=True)
    for tool in (plain, Tool(plain, schema=schema)):
        found = problems_of(Scenario("s", tool_calls=[call]), tools={"t": tool})
        assert all(problem.warning for problem in found)


def test_all_problems_come_at_once_before_the_first_call() -> None:
    """Wrong tool, wrong argument and missing argument are told together, and nothing is called."""
    called: list[int] = []

    def tool(width: int) -> int:
        called.append(width)
        return width

    calls = [ToolCall("t", {"width": 1}), ToolCall("t", {"w": 1}), ToolCall("tt", {"width": 1})]
    with pytest.raises(CatalogueError) as refused:
        run(
            [Scenario("a", tool_calls=calls), Scenario("b", tool_calls=[ToolCall("t")])],
            tools={"t": tool},
        )
    places = [problem.where for problem in refused.value.problems]
    assert places == [
        "a.tool_calls[1].args",
        "a.tool_calls[1].args",
        "a.tool_calls[2].tool",
        "b.tool_calls[0].args",
    ]
    assert called == []


@pytest.mark.parametrize(
    ("handler", "answer"),
    [
        (plain, 40),
        (lambda **given: given["width"] * 10, 40),
        (Tool(lambda everything: everything["width"] * 10, style="dict"), 40),
        (Tool(lambda args: args["width"] * 10, style="dict"), 40),
        (Desk().by_keyword, 4),
        (Desk().by_dict, 4),
        (Desk(), 4),
    ],
)
def test_each_style_is_called_as_it_says(handler: Any, answer: int) -> None:
    """A handler of every style gets the arguments of the call."""
    call = ToolCall("t", {"width": 4}, [Assertion("", "eq", answer)])
    assert run(Scenario("s", tool_calls=[call]), tools={"t": handler}).passed


@pytest.mark.parametrize(
    "make",
    [
        lambda: Tool("no function"),  # type: ignore[arg-type]
        lambda: Tool(plain, style="positional"),  # type: ignore[arg-type]
        lambda: Tool(plain, schema=[1]),  # type: ignore[arg-type]
        lambda: Tool(plain, error_if="status"),  # type: ignore[arg-type]
    ],
)
def test_a_tool_refuses_what_no_call_could_honour(make: Callable[[], Tool]) -> None:
    """A `Tool` with a field of the wrong kind is refused where it is made."""
    with pytest.raises(CatalogueError, match=r"Tool\."):
        make()


def test_an_unusable_schema_is_a_problem_of_the_catalogue() -> None:
    """A schema that is none is told before the run, not raised by the library that reads it."""
    (problem, *_) = planned(ToolCall("t", {"n": 1}), schema={"type": "integre"})
    assert "integre" in problem.problem


def test_env_gives_its_resources_by_name() -> None:
    """An `Env` keeps resources beside its tools, and answers a wrong name with those it has."""
    env = Env({"t": plain}, db="connection")
    assert env.db == "connection"
    with pytest.raises(AttributeError, match="'db'"):
        _ = env.bd
