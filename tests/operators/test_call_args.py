"""CALL_ARGS: what is asked of the arguments of one call, with values that were saved before it."""

from typing import Any

import pytest

from evalkit import Assertion, CatalogueError, Check, Op, Ref, Scenario, ToolCall, check, run


def found(order: Any) -> Check:
    """The check of CALL_ARGS in a run of a good agent, in which an order was saved as 7."""
    where = [["order_id", *order]]
    scenario = Scenario(
        "refund",
        "refund order 7",
        [ToolCall("find", {"id": 7}, save_as={"order": "id"})],
        assertions=[Assertion("calls", Op.CALL_ARGS, {"tool": "refund", "where": where})],
    )

    def answer(_conversation: Any, ctx: Any) -> str:
        ctx.tools["refund"](order_id=ctx.tools["find"](id=7)["id"])
        return "done"

    tools = {"find": lambda id: {"id": id}, "refund": lambda order_id: {"of": order_id}}  # noqa: A006  - the argument's name
    report = run([scenario], agent=answer, tools=tools)
    (only,) = (each for each in report.results[0].checks if each.op == Op.CALL_ARGS)
    return only


@pytest.mark.parametrize(
    ("order", "holds"),
    [
        (("eq", Ref("order")), True),
        (("ne", Ref("order")), False),
        (("gt", Ref("order")), False),
        (("in", [Ref("order"), 9]), True),
        (("not_in", [Ref("order"), 9]), False),
    ],
)
def test_a_saved_value_is_put_in(order: Any, holds: bool) -> None:
    """An assertion of `where` is held against the value that was saved, negated ones too."""
    assert found(order).passed is holds


def test_a_saved_value_that_can_not_be_expected_fails() -> None:
    """What an operator could not have been given beforehand, it is not given later either."""
    check_of = found(("matches", Ref("order")))
    assert not check_of.passed
    assert "the saved value can't be expected" in check_of.reason


@pytest.mark.parametrize("field", [{"weight": 0}, {"severity": "warn"}])
def test_what_says_nothing_is_refused(field: dict[str, Any]) -> None:
    """All assertions of `where` must hold, so none of them is lighter, or only a warning."""
    where = [{"path": "id", "op": "eq", "expected": 1, **field}]
    with pytest.raises(CatalogueError, match="says nothing here; all of these must hold"):
        check(Assertion("", Op.CALL_ARGS, {"tool": "find", "where": where}), [])


@pytest.mark.parametrize("value", [5, None, ["exact"], {}])
def test_an_args_match_that_is_no_text_is_refused(value: Any) -> None:
    """It is a problem of the catalogue like any other, and names what there is."""
    operand = {"tool": "find", "args": {}, "args_match": value}
    with pytest.raises(CatalogueError, match=r"unknown args_match .*known: 'exact'"):
        check(Assertion("", Op.CALLS, [operand]), [])


@pytest.mark.parametrize("error", ["invalid_arguments", {}, {"kind": None}, {"kind": ["x"]}, True])
def test_an_error_without_its_kind_is_no_hygiene(error: Any) -> None:
    """HYGIENE fails where it can't tell what kind of error a call had."""
    made = {"tool": "find", "args": {}, "error": error}
    assert not check(Assertion("", Op.HYGIENE), [made]).passed


def test_the_whole_operand_is_known_beforehand() -> None:
    """A saved value may stand in `where`; what is asked as a whole is bound when planned."""
    with pytest.raises(CatalogueError, match="can't be a saved value as a whole"):
        check(Assertion("", Op.CALL_ARGS, Ref("asked")), [])
