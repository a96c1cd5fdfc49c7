"""How a failure explains itself: what was asked, what came, where they part, and what is near."""

from collections.abc import Iterator

from evalkit.jsonvalue import MISSING, Json, brief
from evalkit.model import Op
from evalkit.operators import OPERATORS
from evalkit.operators.difference import differences
from evalkit.registry import counted
from evalkit.result import Check, ScenarioResult
from evalkit.runlog.records import written
from evalkit.trace import Call

SHOWN = 10
COUNTED = 10_000
WIDE = 160
_WHOLE = frozenset({Op.EQ, Op.SUBSET})
_CONTAINERS = (dict, list)


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
    expected = "" if check.expected is MISSING else f" {brief(written(check.expected), WIDE)}"
    return f"{subject} {words}{expected}{each}"


def details(check: Check) -> Iterator[str]:
    """Yield what a reader needs to know of a check that failed, a line each."""
    if check.code == "wrong_value" and check.op in _WHOLE and _both_containers(check):
        yield from _parts(check.expected, check.actual, subset=check.op == Op.SUBSET)
    elif check.reason:
        yield check.reason
    got = brief(check.actual, WIDE)
    if check.code == "wrong_value" and check.op not in _WHOLE and got not in check.reason:
        yield f"got {got}"


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
        errors = result.trace["errors"] if result.trace is not None else ()
        lost = any(error["call"] is None for error in errors)
        return f"step {step}" if lost else f"step {step}: not called"
    args = ", ".join(f"{name}={brief(value, 60)}" for name, value in call["args"].items())
    return f"step {step}: {call['tool']}({args})"


def call_of(result: ScenarioResult, step: int) -> Call | None:
    """Give the call that a step is paired with."""
    index = result.pairing[step] if step < len(result.pairing) else None
    return None if result.trace is None or index is None else result.trace["calls"][index]
