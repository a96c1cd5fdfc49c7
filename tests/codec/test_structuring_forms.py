"""What data may say in a way of its own: operators, lists, saved values, turns, functions."""

from collections.abc import Callable
from typing import Any

import pytest

from evalkit import Assertion, Op, Ref, Scenario, ToolCall, Turn
from evalkit.codec import Codec, Misfit, MisfitError
from evalkit.errors import CatalogueError

Data = dict[str, Any]
CODEC = Codec()
CALL = ("tool_calls", 0)
IN_CALL = (*CALL, "assertions", 0)


def misfits(data: Any, **given: Any) -> list[Misfit]:
    """All that is wrong with data."""
    with pytest.raises(MisfitError) as caught:
        (Codec(**given) if given else CODEC).scenario(data)
    return list(caught.value.misfits)


def one(data: Any, **given: Any) -> tuple[tuple[str | int, ...], str, str | None]:
    """The steps, the problem and the hint of the one thing that is wrong with data."""
    (found,) = misfits(data, **given)
    return found.steps, found.problem, found.hint


def case(**fields: Any) -> Data:
    """A scenario with these fields."""
    return {"name": "a", **fields}


def call(**fields: Any) -> Data:
    """A scenario of one call with these fields."""
    return case(tool_calls=[{"tool": "t", **fields}])


def asserted(assertion: Any) -> Data:
    """A scenario of one call with one assertion."""
    return call(assertions=[assertion])


def test_an_operator_of_the_author_s_own_is_known_where_it_is_given() -> None:
    """Operators by name are those that there are: the built-in ones, and what a catalogue adds."""
    data = asserted({"op": "Is_Prime"})
    assert one(data)[:2] == ((*IN_CALL, "op"), "unknown operator 'Is_Prime'")
    found = Codec(operators=["is_prime", *Op]).scenario(data)
    assert found.tool_calls[0].assertions[0].op == "is_prime"
    near = one(asserted({"op": "is_prme"}), operators=["is_prime", *Op])
    assert near[2] == "did you mean 'is_prime'?"


@pytest.mark.parametrize("op", ["eq", "EQ", "Eq"])
def test_an_operator_is_written_in_either_case(op: str) -> None:
    """`EQ` in a file is `Op.EQ`."""
    found = CODEC.scenario(asserted(["x", op, 1]))
    assert found.tool_calls[0].assertions == (Assertion("x", Op.EQ, 1),)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (["x", "exists"], Assertion("x", Op.EXISTS)),
        (["x", "eq", None], Assertion("x", Op.EQ, None)),
        (["x", "eq", [1]], Assertion("x", Op.EQ, [1])),
        (["", "has_key", "a", "why"], Assertion("", Op.HAS_KEY, "a", "why")),
        ({"op": "exists"}, Assertion("", Op.EXISTS)),
        ({"op": "subset", "expected": {"a": 1}}, Assertion("", Op.SUBSET, {"a": 1})),
    ],
)
def test_the_short_ways_to_write_an_assertion(written: Any, meant: Assertion) -> None:
    """A list is path, operator, expected, description; a mapping without path means the whole."""
    assert CODEC.scenario(asserted(written)).tool_calls[0].assertions == (meant,)


@pytest.mark.parametrize(
    ("written", "below", "problem"),
    [
        ([], (), "expected a list of path, op, expected, description, got []"),
        (["x"], (), "expected a list of path, op, expected, description, got ['x']"),
        (["x", "eq", 1, "d", 5], (), "got ['x', 'eq', 1, 'd', 5]"),
        ([5, "eq"], (0,), "path: expected a string, got 5"),
        (["x", "eqq"], (1,), "op: unknown operator 'eqq'"),
        (["x", True], (1,), "op: expected a string, got True"),
        (["x", "eq", 1, None], (3,), "description: expected a string, got None"),
        ([["x", "eq", 1]], (), "got [['x', 'eq', 1]]"),
    ],
)
def test_an_error_in_a_list_points_to_its_item(
    written: Any, below: tuple[int, ...], problem: str
) -> None:
    """Of an assertion that is a list, the item is named that is wrong, and what it stands for."""
    found = one(asserted(written))
    assert found[0] == (*IN_CALL, *below)
    assert problem in found[1]


def test_a_list_in_which_two_items_are_wrong() -> None:
    """Both items are told."""
    assert [each.steps for each in misfits(asserted(["x", "eqq", 1, 4]))] == [
        (*IN_CALL, 1),
        (*IN_CALL, 3),
    ]


REFS: list[tuple[Data, Any]] = [
    ({"a": {"$ref": "x"}}, {"a": Ref("x")}),
    ({"a": [{"$ref": "x"}, {"b": {"$ref": "y"}}]}, {"a": [Ref("x"), {"b": Ref("y")}]}),
    ({"a": {"$ref": "x", "b": 1}}, {"a": {"$ref": "x", "b": 1}}),
    ({"a": {"$refs": "x"}}, {"a": {"$refs": "x"}}),
    ({"$ref": "x"}, {"$ref": "x"}),
]


@pytest.mark.parametrize(("args", "meant"), REFS, ids=str)
def test_a_saved_value_stands_anywhere_in_arguments(args: Data, meant: Any) -> None:
    """A mapping of the one key `$ref` is a saved value at any depth; the arguments are none."""
    found = CODEC.scenario(call(args=args))
    assert found == Scenario("a", tool_calls=[ToolCall("t", meant)])


@pytest.mark.parametrize(
    ("expected", "meant"),
    [({"$ref": "x"}, Ref("x")), ([1, {"a": {"$ref": "x"}}], [1, {"a": Ref("x")}])],
)
@pytest.mark.parametrize("positional", [False, True])
def test_a_saved_value_stands_anywhere_in_expected(
    expected: Any, meant: Any, positional: bool
) -> None:
    """What is expected may be a saved value, or hold some, in both ways to write it."""
    written = (
        ["p", "eq", expected] if positional else {"path": "p", "op": "eq", "expected": expected}
    )
    found = CODEC.scenario(asserted(written))
    assert found.tool_calls[0].assertions == (Assertion("p", Op.EQ, meant),)


@pytest.mark.parametrize("op", ["schema", "SCHEMA"])
@pytest.mark.parametrize("positional", [False, True])
def test_in_a_schema_a_reference_is_the_schema_s_own(op: str, positional: bool) -> None:
    """JSON Schema has a `$ref` too, and under SCHEMA it is that one."""
    schema = {"$defs": {"n": {"type": "null"}}, "items": {"$ref": "#/$defs/n"}}
    written = ["", op, schema] if positional else {"op": op, "expected": schema}
    found = CODEC.scenario(asserted(written))
    assert found.tool_calls[0].assertions == (Assertion("", Op.SCHEMA, schema),)


def test_metadata_holds_no_saved_values() -> None:
    """`$ref` in the author's own data is the author's."""
    found = CODEC.scenario(case(metadata={"$ref": "x", "y": {"$ref": 3}}))
    assert found.metadata == {"$ref": "x", "y": {"$ref": 3}}


@pytest.mark.parametrize("name", [3, None, "", " ", "a\nb", [], {"$ref": "x"}], ids=repr)
@pytest.mark.parametrize(
    ("wrap", "steps"),
    [
        (lambda ref: call(args={"a": {"b": [ref]}}), (*CALL, "args", "a", "b", 0, "$ref")),
        (lambda ref: asserted({"op": "eq", "expected": ref}), (*IN_CALL, "expected", "$ref")),
        (lambda ref: asserted(["x", "eq", [ref]]), (*IN_CALL, 2, 0, "$ref")),
    ],
    ids=["args", "expected", "positional"],
)
def test_a_saved_value_without_a_name_is_refused(
    name: Any, wrap: Callable[[Any], Data], steps: tuple[str | int, ...]
) -> None:
    """A `$ref` that names nothing is refused where it stands, and never taken as data."""
    assert one(wrap({"$ref": name}))[0] == steps


def test_a_conversation_is_turns() -> None:
    """Mappings of role and content are `Turn`s; texts are texts."""
    said = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello?"}]
    found = CODEC.scenario(case(prompt=said))
    assert found.prompt == (Turn("system", "Be brief."), Turn("user", "Hello?"))
    assert CODEC.scenario(case(prompt=["a", "b"])).prompt == ("a", "b")


@pytest.mark.parametrize("prompt", [["a", {"role": "user", "content": "b"}], []], ids=str)
def test_a_conversation_is_of_one_kind(prompt: Any) -> None:
    """Texts and turns are not mixed, and none is no prompt."""
    assert one(case(prompt=prompt))[0][:1] == ("prompt",)


def naming(name: str) -> Callable[[Any], Any]:
    """Give the functions that there are by name."""
    if name != "m:double":
        raise CatalogueError("a function", f"there is no {name!r}", "m:double")
    return doubled


def doubled(value: Any) -> Any:
    """Double a value."""
    return value * 2


TRANSFORMED = call(context_args={"a": "x"}, arg_transforms={"a": "m:double"})


def test_a_function_is_named_where_that_is_allowed() -> None:
    """With something to name functions by, a name is the function."""
    found = Codec(named=naming).scenario(TRANSFORMED)
    assert found.tool_calls[0].arg_transforms == {"a": doubled}


def test_a_function_is_refused_by_name_where_it_is_not_allowed() -> None:
    """Without that, its name is told, and what would let it."""
    assert one(TRANSFORMED) == (
        (*CALL, "arg_transforms", "a"),
        "a file may not name the function 'm:double'",
        "--allow-import lets it",
    )


@pytest.mark.parametrize(
    ("transforms", "steps", "problem"),
    [
        ({"a": "m:duoble"}, ("a",), "there is no 'm:duoble'"),
        ({"a": 3}, ("a",), "expected package.module:name, got 3"),
        ({"a": None}, ("a",), "expected package.module:name, got None"),
        (["m:double"], (), "expected a mapping of argument to function, got ['m:double']"),
        (None, (), "expected a mapping of argument to function, got None"),
    ],
    ids=str,
)
def test_a_function_that_is_none(transforms: Any, steps: tuple[str, ...], problem: str) -> None:
    """What names no function is told where it stands."""
    found = one(call(arg_transforms=transforms), named=naming)
    assert found[:2] == ((*CALL, "arg_transforms", *steps), problem)


def test_what_is_named_must_be_a_function() -> None:
    """A name that leads to something else is refused at the argument."""
    found = one(TRANSFORMED, named=lambda _: 3)
    assert found[0] == (*CALL, "arg_transforms", "a")
    assert "expected a function of one value, got 3" in found[1]
