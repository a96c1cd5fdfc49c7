"""What a scenario comes down to under an agent, beside what its author asserts."""

from collections.abc import Iterator

import attrs

from evalkit.grading import REPLAYED, STOPPED
from evalkit.jsonvalue import MISSING, Missing, dotted
from evalkit.model import Assertion, Budget, Op, Ref, Scenario, State, assertion_of
from evalkit.paths import PathError, compile_path
from evalkit.plan import BoundCall
from evalkit.planning.problems import Where

COMPLETED = "completed"
MATCH = {
    "in_order": Op.CALLS_IN_ORDER,
    "exact": Op.CALLS_EXACTLY,
    "any_order": Op.CALLS_ANY_ORDER,
}
_SPENT = {
    "max_turns": ("meta.turns", Op.LTE),
    "max_calls": ("calls", Op.LEN_LTE),
    "max_input_tokens": ("usage.input_tokens", Op.LTE),
    "max_output_tokens": ("usage.output_tokens", Op.LTE),
    "max_cost_usd": ("cost_usd", Op.LTE),
    "max_seconds": ("seconds", Op.LTE),
}


@attrs.frozen(eq=False)
class Derived:
    """An assertion that a field of a scenario comes down to, and the code of its failure.

    `doubtful` is one that holds what the author wrote, and has to be looked at; one `beside` is put
    to every agent.
    """

    where: Where
    assertion: Assertion
    code: str
    incidental: bool = False
    doubtful: bool = False
    beside: bool = False


def _of_hygiene(expected: str | Missing) -> Derived:
    said = Assertion("calls", Op.HYGIENE, expected, "hygiene", weight=0)
    return Derived(("hygiene",), said, "malformed_call", incidental=True, beside=True)


HYGIENE, STRICT = _of_hygiene(MISSING), _of_hygiene("strict")
_END = Assertion("stop_cause", Op.EQ, COMPLETED, "came to its end", weight=0)
ENDED = Derived((), _END, STOPPED, beside=True)
ALIKE = frozenset({HYGIENE, STRICT, ENDED})
"""What is derived of nearly every scenario, and so is bound once."""


def of_agents(scenario: Scenario, calls: tuple[BoundCall, ...]) -> Iterator[Derived]:
    """Give the assertions on the trace of an agent that a scenario's fields come down to."""
    if calls or (scenario.match == "exact" and not scenario.tool_calls):
        expected = [_as_operand(bound) for bound in calls]
        said = assertion_of("calls", MATCH[scenario.match], expected, "match", 1.0)
        yield Derived(("match",), said, "wrong_calls")
    if scenario.forbid_tools:
        said = Assertion("calls", Op.NEVER_CALLS, list(scenario.forbid_tools), "forbid_tools")
        yield Derived(("forbid_tools",), said, "forbidden_call")
    if scenario.hygiene:
        yield HYGIENE if scenario.hygiene is True else STRICT
    deciding = [each for each in scenario.assertions if each.severity == "fail"]
    if not any(_is_about_stopping(each) for each in deciding):
        yield ENDED
    yield from _of_budget(scenario.budget)


def of_state(state: State | None, *, replayed: bool) -> Iterator[Derived]:
    """Give the assertions on the state that is left; what is replayed only where it differs."""
    if state is None:
        return
    expected = dict(state.expected)
    if replayed:
        expected |= {name: Ref(f"{REPLAYED}{name}") for name in state.replayed}
    for name, value in expected.items():
        said = Assertion(dotted(["state", name]), Op.EQ, value, "state")
        yield Derived(("state",), said, "wrong_state", doubtful=True)


def _of_budget(budget: Budget | None) -> Iterator[Derived]:
    for name, (path, op) in _SPENT.items():
        most = getattr(budget, name, None)
        if most is not None:
            yield Derived(("budget", name), Assertion(path, op, most, "budget"), "over_budget")


def _as_operand(bound: BoundCall) -> dict[str, object]:
    """Write what a step asks of an agent's call, as an operator expects it."""
    asked = {} if bound.asked is None else {"args": bound.asked}
    free = {"free": sorted(bound.free)} if bound.free else {}
    return {"tool": bound.tool, **asked, "args_match": bound.call.args_match, **free}


def _is_about_stopping(assertion: Assertion) -> bool:
    """Say whether an assertion names the cause by which an agent is to stop."""
    if assertion.op not in (Op.EQ, Op.IN):
        return False
    try:
        return compile_path(assertion.path).head == "stop_cause"
    except PathError:  # which is told where the assertion is bound
        return False
