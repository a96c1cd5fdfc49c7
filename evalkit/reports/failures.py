"""How a failure explains itself: what was asked, what came, where they part, and what is near."""

from collections.abc import Iterator
from importlib import import_module

from evalkit.jsonvalue import MISSING, Json, brief
from evalkit.model import Op
from evalkit.operators import OPERATORS
from evalkit.operators.difference import differences
from evalkit.registry import counted
from evalkit.reports.calls import call_text
from evalkit.result import Check, ScenarioResult
from evalkit.runlog.records import written
from evalkit.trace import Call

SHOWN = 10
COUNTED = 10_000
WIDE = 160
_WHOLE = frozenset({Op.EQ, Op.SUBSET})
_CONTAINERS = (dict, list)
_DIFFERS = frozenset({"wrong_value", "wrong_argument", "wrong_state", "over_budget"})
ORDERS: dict[str, str] = {
    Op.CALLS_IN_ORDER: "in_order",
    Op.CALLS_EXACTLY: "exact",
    Op.CALLS_ANY_ORDER: "any_order",
}
"""The operators that hold calls against a list of them, and in which order these are."""
_ON_CALLS = frozenset({*ORDERS, Op.CALLS, Op.CALLS_ONLY, Op.NEVER_CALLS, Op.CALL_ARGS, Op.HYGIENE})
_OF_CALLS = frozenset({*ORDERS, Op.CALLS, Op.CALLS_ONLY, Op.NEVER_CALLS})


def headline(check: Check) -> str:
    """Say what was asserted, in one line.

    >>> from evalkit import Assertion, Op, check
    >>> headline(check(Assertion("a.b", Op.EQ, 1), {"a": {"b": 2}}))
    "'a.b' equals 1"
    """
    operator = OPERATORS.get(check.op)
    words = operator.words if operator else check.op
    subject = repr(check.path) if check.path else "the document"
    each = f" (each: {check.assertion.each})" if check.assertion.each else ""
    expected = "" if check.expected is MISSING else f" {_expected(check)}"
    return f"{subject} {words}{expected}{each}"


def details(check: Check) -> Iterator[str]:
    """Yield what a reader needs to know of a check that failed, a line each."""
    if check.op in ORDERS and type(check.actual) is list and type(check.expected) is list:
        trajectory = import_module("evalkit.reports.trajectory")  # only once one has failed
        yield from trajectory.aligned(check.expected, check.actual, ORDERS[check.op])
    elif check.code in _DIFFERS and check.op in _WHOLE and _both_containers(check):
        yield from _parts(check.expected, check.actual, subset=check.op == Op.SUBSET)
    elif check.code == "over_budget" and type(check.actual) is list:
        yield f"{counted(len(check.actual), 'call')} were made"
    elif check.reason:
        yield check.reason
    got = brief(check.actual, WIDE)
    shown = check.op in _WHOLE or check.op in _ON_CALLS or type(check.actual) is list
    if check.code in _DIFFERS and not shown and got not in check.reason:
        yield f"got {got}"


def _expected(check: Check) -> str:
    """Write what is expected, calls as one would write them."""
    if check.op in _OF_CALLS and type(check.expected) is list:
        return ", ".join(map(call_text, check.expected)) or "none"
    if check.op == Op.CALL_ARGS and type(check.expected) is dict:
        where = [_argument(each) for each in check.expected["where"]]
        return f"{check.expected['tool']}: {', '.join(where)}"
    return brief(written(check.expected), WIDE)


def _argument(asserted: Json) -> str:
    """Write what CALL_ARGS asks of an argument: its path, operator and what is expected."""
    if type(asserted) is dict:
        asserted = [asserted.get(name) for name in ("path", "op", "expected") if name in asserted]
    path, *rest = asserted[:3]
    return " ".join([str(path), *(str(rest[0]),), *map(brief, rest[1:])])


def _both_containers(check: Check) -> bool:
    return type(check.expected) in _CONTAINERS and type(check.actual) in _CONTAINERS


def _parts(expected: Json, actual: Json, *, subset: bool) -> Iterator[str]:
    """Yield the leaves that differ, up to ten, and how many more there are."""
    found = differences(expected, actual, COUNTED)
    if subset:
        found = [each for each in found if each.expected is not MISSING]
    for difference in found[:SHOWN]:
        yield str(difference)
    if len(found) > SHOWN:
        least = "at least " if len(found) == COUNTED else ""
        yield f"and {least}{counted(len(found) - SHOWN, 'more difference')}"


def call_line(result: ScenarioResult, step: int) -> str:
    """Say which call a step was: the tool, and the arguments that it received."""
    call = call_of(result, step)
    if call is None:
        known = result.trace is not None and "calls" in result.trace["observed"]
        errors = result.trace["errors"] if result.trace is not None else ()
        lost = not known or any(error["call"] is None for error in errors)
        return f"step {step}{_asked(result, step)}" + ("" if lost else ": not called")
    return f"step {step}: {call_text(call)}"


def _asked(result: ScenarioResult, step: int) -> str:
    """Say which call a step asks of an agent, where that is known."""
    for check in result.checks:
        if check.op in ORDERS and check.step is None and len(check.expected) > step:
            return f": {call_text(check.expected[step])}"
    return ""


def call_of(result: ScenarioResult, step: int) -> Call | None:
    """Give the call that a step is paired with."""
    index = result.pairing[step] if step < len(result.pairing) else None
    return None if result.trace is None or index is None else result.trace["calls"][index]
