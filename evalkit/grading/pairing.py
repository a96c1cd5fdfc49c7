"""Which call of an agent is which step: as many pairs as can be, the earliest among equals."""

from evalkit.alignment import any_order, best_any_order, best_in_order, in_order
from evalkit.jsonvalue import MISSING, Json
from evalkit.operators.trajectory import nearest_misfit
from evalkit.operators.wanted import Wanted, misfit
from evalkit.plan import BoundAssertion, BoundCall, Plan
from evalkit.registry import counted, listing
from evalkit.toolbox.errors import outcome_of
from evalkit.trace import Call

Pairs = list[int | None]
BEST = 4
"""The rank of a call that is a step in every way."""


def paired(plan: Plan, calls: list[Call], *, lenient: bool = False) -> Pairs:
    """Pair the steps of a plan with an agent's calls: for each step the index of its call, or None.

    By tool and literal arguments, in order where the scenario asks for that, as many as can be.
    Where that leaves a choice, a call goes first that came out as the step wants it, by a result or
    an error, and whose arguments are what the step asserts of them; then the earlier one.
    """
    wanted = [_wanted(bound, lenient=lenient) for bound in plan.calls]
    static = [[each for each in bound.arg_checks if not each.needs] for bound in plan.calls]

    def rank(step: int, index: int) -> int:
        call = calls[index]
        if misfit(wanted[step], call) is not None:
            return 0
        failed = call["error"] is not None and call["error"]["kind"] != "unobserved"
        as_wanted = failed == (plan.calls[step].wanted_error is not None)
        return BEST - 2 * (not _holds(static[step], call)) - (not as_wanted)

    align = any_order if plan.pairing == "any_order" else in_order
    quick = align(len(wanted), len(calls), lambda step, index: rank(step, index) == BEST)
    if None not in quick:
        return quick
    if plan.pairing == "any_order":
        return best_any_order(len(wanted), len(calls), rank)
    return best_in_order(len(wanted), len(calls), rank)


def _wanted(bound: BoundCall, *, lenient: bool = False) -> Wanted:
    args_match, free = bound.call.args_match, bound.free
    return Wanted(bound.tool, bound.asked, args_match, free, lenient=lenient)


def _holds(checks: list[BoundAssertion], call: Call) -> bool:
    """Say whether assertions hold of the arguments of a call; one that raises does not."""
    return all(_is_held(bound, call["args"]) for bound in checks)


def _is_held(bound: BoundAssertion, args: dict[str, Json]) -> bool:
    actual = bound.path.resolve(args)
    if actual is MISSING:
        return False
    try:
        return bound.function(actual, bound.assertion, _Arguments(args)).passed
    except BaseException as error:  # noqa: BLE001  - an operator may be the author's
        outcome_of(error)
        return False


class _Arguments:
    """What an operator may look at: the arguments, and nothing that was saved."""

    def __init__(self, document: Json) -> None:
        self.document = document
        self.saved: dict[str, Json] = {}


def missing_reason(bound: BoundCall, calls: list[Call], pairs: Pairs) -> str:
    """Say why none of an agent's calls is a step: by the call of the same tool that is nearest."""
    wanted, taken = _wanted(bound), set(pairs)
    left = [call for at, call in enumerate(calls) if at not in taken]
    near = nearest_misfit(wanted, left)
    if near is not None:
        return f"{bound.tool} was called, but {near}"
    count = sum(call["tool"] == bound.tool for call in calls)
    if count:
        times = counted(count, "time")
        return f"{bound.tool} was called {times}, and each is another step: one more is expected"
    made = listing(dict.fromkeys(call["tool"] for call in calls))
    return f"{bound.tool} was not called" + (f"; called: {made}" if made else "")
