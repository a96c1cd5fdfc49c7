"""What is found wrong with an assertion before anything runs, and how it is said."""

from typing import Any

import pytest

from evalkit import (
    Assertion,
    Catalogue,
    CatalogueError,
    Check,
    Op,
    Problem,
    Ref,
    Scenario,
    ToolCall,
    check,
    run,
    validate,
)

TOOLS = {"ping": lambda: {"n": 3, "items": [{"price": 1}], "flag": True}}
PLACE = "a.tool_calls[0].assertions[0]"


def found(assertion: Assertion) -> list[Problem]:
    """What planning says of one assertion on the result of a call."""
    call = ToolCall("ping", {}, [assertion])
    return list(validate(Scenario("a", tool_calls=[call], source="cases.py:7"), tools=TOOLS))


def on_the_trace(assertion: Assertion) -> list[Problem]:
    """What planning says of one assertion on the trace."""
    made = Scenario("a", tool_calls=[ToolCall("ping")], assertions=[assertion], source="cases.py:7")
    return list(validate(made, tools=TOOLS))


@pytest.mark.parametrize(
    ("assertion", "field", "told"),
    [
        (Assertion("n", "eqq", 1), "op", "unknown operator 'eqq'; did you mean 'eq'?"),
        (Assertion("n", "equals", 1), "op", "unknown operator 'equals'"),
        (Assertion("n", "contians", "a"), "op", "did you mean 'contains'?"),
        (Assertion("n", Op.EQ), "expected", "has no expected value"),
        (Assertion("n", Op.GT, True), "expected", "True"),
        (Assertion("n", Op.GT, None), "expected", "None"),
        (Assertion("n", Op.GT, [1]), "expected", "[1]"),
        (Assertion("n", Op.APPROX, "3"), "expected", "'3'"),
        (Assertion("n", Op.BETWEEN, 3), "expected", "[low, high]"),
        (Assertion("n", Op.BETWEEN, [1, 2, 3]), "expected", "[1, 2, 3]"),
        (Assertion("n", Op.BETWEEN, [1, "b"]), "expected", "[1, 'b']"),
        (Assertion("n", Op.BETWEEN, [True, 2]), "expected", "True"),
        (Assertion("n", Op.BETWEEN, [2, 1]), "expected", "2 is above 1"),
        (Assertion("n", Op.IN, "abc"), "expected", "expected a list, got 'abc'"),
        (Assertion("n", Op.CONTAINS_ALL, "abc"), "expected", "'abc'"),
        (Assertion("n", Op.EXISTS, 3), "expected", "3"),
        (Assertion("n", Op.IS_NULL, "x"), "expected", "'x'"),
        (Assertion("", Op.HAS_KEY, 3), "expected", "3"),
        (Assertion("", Op.LACKS_KEY), "expected", "has no expected value"),
        (Assertion("", Op.LACKS_KEY, True), "expected", "True"),
        (Assertion("items", Op.LEN_EQ, 1.5), "expected", "1.5"),
        (Assertion("items", Op.LEN_EQ, True), "expected", "True"),
        (Assertion("items", Op.LEN_LTE, -1), "expected", "-1"),
        (Assertion("items", Op.SAME_ITEMS, {"a": 1}), "expected", "{'a': 1}"),
        (Assertion("n", Op.TYPE_IS, "strng"), "expected", "did you mean 'string'?"),
        (Assertion("n", Op.TYPE_IS, "Integer"), "expected", "did you mean 'integer'?"),
        (Assertion("n", Op.MATCHES, "(a"), "expected", "'(a'"),
        (Assertion("n", Op.MATCHES, 3), "expected", "3"),
        (Assertion("", Op.SCHEMA, "object"), "expected", "'object'"),
        (Assertion("", Op.SCHEMA, {"type": "objekt"}), "expected", "objekt"),
        (Assertion("", Op.SUBSET, "abc"), "expected", "'abc'"),
        (Assertion("", Op.HAS_ERROR, 3), "expected", "3"),
        (Assertion("", Op.NO_ERRORS, ""), "expected", "blank"),
        (Assertion("flag", Op.IS_TRUE, False), "expected", "contradicts the expected False"),
        (Assertion("flag", Op.IS_FALSE, True), "expected", "contradicts the expected True"),
        (Assertion("n", Op.EQ, 3, tolerance=0.1), "tolerance", "approx"),
        (Assertion("n", Op.EQ, 3, rel=0.1), "", "approx"),
        (Assertion("n", Op.EQ, 3, each="all"), "each", "'n'"),
        (Assertion("items[*].price", Op.GT, 0), "each", "each='all'"),
        (Assertion("items[*].price", Op.NE, 0), "each", "each='all'"),
        (Assertion("items[*].price", Op.IS_TRUE), "each", "each='all'"),
        (Assertion("items[", Op.EQ, 1), "path", "'items['"),
        (Assertion("a..", Op.EQ, 1), "path", "'a..'"),
        (Assertion("items[?(@.a == foo)]", Op.EXISTS), "path", "foo"),
        (Assertion("$.a =~ 'x'", Op.EXISTS), "path", "$.a =~ 'x'"),
        (Assertion("items[*].sub(x)", Op.EXISTS), "path", "items[*].sub(x)"),
    ],
    ids=lambda value: (
        f"{value.path} {value.op} {value.expected!r}" if isinstance(value, Assertion) else None
    ),
)
def test_what_is_wrong_is_told_by_place_and_value(
    assertion: Assertion, field: str, told: str
) -> None:
    """One mistake is one problem: file:line, the field, the value, and what would be right."""
    (problem,) = found(assertion)
    assert problem.source == "cases.py:7"
    assert problem.where.startswith(f"{PLACE}.{field}")
    assert told in f"{problem.problem}; {problem.hint}"
    assert not problem.warning


@pytest.mark.parametrize(
    "assertion",
    [
        Assertion("n", "EQ", 3),
        Assertion("n", "Eq", 3),
        Assertion("n", Op.EQ, None),
        Assertion("n", Op.NE, None),
        Assertion("n", Op.IN, [None]),
        Assertion("n", Op.EXISTS),
        Assertion("n", Op.EXISTS, None),
        Assertion("n", Op.EXISTS, True),
        Assertion("", Op.HAS_KEY, None),
        Assertion("n", Op.HAS_KEY, True),
        Assertion("", Op.HAS_KEY, "n"),
        Assertion("n", Op.BETWEEN, [3, 3]),
        Assertion("n", Op.BETWEEN, ["a", "b"]),
        Assertion("items", Op.LEN_LTE, 0),
        Assertion("items[*].price", Op.EQ, [1]),
        Assertion("items[*].price", Op.EQ, 1, each="any"),
        Assertion("items[*].price", Op.CONTAINS, 1),
        Assertion("n", Op.APPROX, 0.1, tolerance=0.01),
        Assertion("n", Op.APPROX, 100, rel=0.01),
        Assertion("n", Op.IS_TRUE),
        Assertion("n", Op.IS_TRUE, None),
    ],
    ids=lambda value: f"{value.path} {value.op} {value.expected!r}",
)
def test_what_is_right_is_let_alone(assertion: Assertion) -> None:
    """What the design allows is neither an error nor a warning."""
    assert found(assertion) == []


@pytest.mark.parametrize(
    ("assertion", "told"),
    [
        (Assertion("n", Op.APPROX, 1.2), "tolerance"),
        (Assertion("n", Op.GTE, 0), "count"),
        (Assertion("flag", Op.IS_TRUE, "the flag is set"), "description"),
        (Assertion("flag", Op.IS_FALSE, False), "description"),
        (Assertion("flag", Op.IS_TRUE, True), "description"),
    ],
    ids=lambda value: (
        f"{value.path} {value.op} {value.expected!r}" if isinstance(value, Assertion) else None
    ),
)
def test_what_is_doubtful_is_a_warning(assertion: Assertion, told: str) -> None:
    """What may be meant is told with its place, and does not stop a run."""
    (problem,) = found(assertion)
    assert problem.warning
    assert problem.source == "cases.py:7"
    assert problem.where == f"{PLACE}.expected"
    assert told in f"{problem.problem}; {problem.hint}"


def graded(assertion: Assertion) -> Check:
    """The check that an assertion comes to in a run, which it does not stop."""
    made = Scenario("a", tool_calls=[ToolCall("ping", {}, [assertion])])
    return run(made, tools=TOOLS)["a"].checks[0]


@pytest.mark.parametrize("expected", [None, 0, "", "the flag is set", ["x"]])
def test_truthiness_takes_its_operand_as_the_description(expected: Any) -> None:
    """IS_TRUE with an operand looks at the value alone, whatever the operand is."""
    assert graded(Assertion("flag", Op.IS_TRUE, expected)).passed
    assert not graded(Assertion("flag", Op.IS_FALSE, expected)).passed


def test_the_operand_of_is_true_becomes_the_description() -> None:
    """The text that was given as `expected` is what a report shows as the description."""
    assert graded(Assertion("flag", Op.IS_TRUE, "the flag is set")).description == "the flag is set"


def test_a_description_of_its_own_is_kept() -> None:
    """Where both are given, the description stays."""
    assert graded(Assertion("flag", Op.IS_TRUE, "x", "kept")).description == "kept"


def test_two_mistakes_of_one_assertion_are_two_problems() -> None:
    """A wrong path and a wrong operand are told together."""
    assert len(found(Assertion("items[", Op.GT, "x", tolerance=0.1))) >= 2
    assert len(found(Assertion("items[", "eqq", 1))) == 2
    assert len(found(Assertion("items[", Op.IN, "abc"))) == 2


@pytest.mark.parametrize(
    ("assertion", "told"),
    [
        (Assertion("respnse", Op.EXISTS), "did you mean 'response'?"),
        (Assertion("call[0].tool", Op.EQ, "x"), "did you mean 'calls'?"),
        (Assertion("", Op.EXISTS), "calls"),
        (Assertion("$", Op.EXISTS), "calls"),
        (Assertion("$..tool", Op.EXISTS), "calls"),
        (Assertion("*", Op.EXISTS), "calls"),
        (Assertion("result.n", Op.EQ, 1), "'result'"),
    ],
    ids=lambda value: value.path if isinstance(value, Assertion) else None,
)
def test_a_part_that_no_trace_has_is_an_error(assertion: Assertion, told: str) -> None:
    """An assertion on the trace begins with a part of it; a wrong one gets the nearest."""
    (problem,) = on_the_trace(assertion)
    assert problem.where == "a.assertions[0].path"
    assert told in str(problem)


@pytest.mark.parametrize(
    "path",
    [
        *("response", "responses", "turns", "calls", "calls[0].tool", "$.calls", "calls[*].tool"),
        *("not_run", "errors", "usage", "cost_usd", "seconds", "stop_cause", "state"),
        *("workspace", "meta"),
    ],
)
def test_every_part_of_the_trace_is_known(path: str) -> None:
    """All the parts that the design lists can be asserted on."""
    assert on_the_trace(Assertion(path, Op.EXISTS)) == []


def test_an_operator_of_the_catalogue_is_known() -> None:
    """The author's own operator is looked up in either case, and is a near name for a typo."""
    catalogue = Catalogue("shop")
    catalogue.tools = TOOLS
    catalogue.add(Scenario("a", tool_calls=[ToolCall("ping", {}, [Assertion("n", "is_evn", 1)])]))
    (problem,) = validate(catalogue)
    assert "unknown operator 'is_evn'" in str(problem)


@pytest.mark.parametrize(
    ("assertion", "told"),
    [
        (Assertion("n", "eqq", 1), "did you mean 'eq'?"),
        (Assertion("items[", Op.EQ, 1), "'items['"),
        (Assertion("n", Op.EQ), "has no expected value"),
    ],
)
def test_check_refuses_what_planning_refuses(assertion: Assertion, told: str) -> None:
    """`check` says the same of an assertion that can't be put."""
    with pytest.raises(CatalogueError) as caught:
        check(assertion, {"n": 1})
    assert told in str(caught.value)


@pytest.mark.parametrize("op", [Op.EXISTS, Op.HAS_KEY])
@pytest.mark.parametrize(("rows", "passed"), [([], False), ([None], True)], ids=str)
def test_to_be_there_is_to_be_at_least_one(op: Op, rows: list[Any], *, passed: bool) -> None:
    """A path that selects many and has selected nothing has found nothing that exists."""
    assert check(Assertion("items[*]", op), {"items": rows}).passed is passed


def test_nothing_selected_is_nothing_saved() -> None:
    """To save a path that selects nothing is `unsaved_value`; its dependents are not run."""
    calls = [
        ToolCall("ping", save_as={"x": "items[?(@.price > 9)]"}),
        ToolCall("pong", {"x": Ref("x")}),
    ]
    tools = {**TOOLS, "pong": lambda x: x}
    result = run(Scenario("a", tool_calls=calls), tools=tools)["a"]
    assert [each.code for each in result.checks] == [None, "unsaved_value", "unsaved_value"]
    assert result.trace is not None
    assert [call["tool"] for call in result.trace["calls"]] == ["ping"]
