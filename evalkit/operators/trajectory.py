"""The operators on the calls of an agent: which it made, in which order, with what arguments."""

from collections.abc import Callable
from typing import Any

from evalkit.alignment import Pairs, any_order, in_order
from evalkit.jsonvalue import MISSING, Json, brief
from evalkit.model import Assertion, filled
from evalkit.operators.expected_calls import STRICT
from evalkit.operators.verdicts import HOLDS, fails
from evalkit.operators.wanted import OTHER_TOOL, Wanted, misfit, wanted_of
from evalkit.plan import BoundAssertion
from evalkit.protocols import Context, OperatorFunction
from evalkit.registry import counted, listing
from evalkit.result import Verdict

Align = Callable[[int, int, Callable[[int, int], bool]], Pairs]
ALIGN: dict[str, Align] = {"in_order": in_order, "exact": in_order, "any_order": any_order}
MALFORMED, INVENTED = "invalid_arguments", "unknown_tool"


def pairs(wanted: list[Wanted], calls: list[Any], order: str) -> Pairs:
    """Pair expected calls with those that were made: for each the index of its call, or None."""
    return ALIGN[order](
        len(wanted), len(calls), lambda index, at: misfit(wanted[index], calls[at]) is None
    )


def _on_calls(judge: Callable[[list[Any], Assertion], Verdict]) -> OperatorFunction:
    """Make an operator that is put to a list of calls, and to nothing else."""

    def put(actual: Json, assertion: Assertion, _: Context) -> Verdict:
        if type(actual) is not list or not all(map(_is_call, actual)):
            return fails(f"a list of calls is needed, got {brief(actual)}")
        return judge(actual, assertion)

    return put


def _is_call(value: Json) -> bool:
    is_one = type(value) is dict and type(value.get("tool")) is str
    return is_one and type(value.get("args")) is dict


def _aligned(order: str) -> OperatorFunction:
    def judge(made: list[Any], assertion: Assertion) -> Verdict:
        wanted = [wanted_of(operand) for operand in assertion.expected]
        found = pairs(wanted, made, order)
        whole = max(len(wanted), len(made)) if order == "exact" else len(wanted)
        count = len(found) - found.count(None)
        if count == whole:
            return HOLDS
        reason = f"{count} of {counted(whole, 'call')}{_why(wanted, made, found)}"
        if order == "exact" and None not in found:
            extra = [call["tool"] for at, call in enumerate(made) if at not in found]
            reason += f"; not expected: {listing(extra)}"
        return Verdict(passed=False, score=count / whole, reason=reason)

    return _on_calls(judge)


def _why(wanted: list[Wanted], made: list[Any], found: Pairs) -> str:
    """Say of each expected call that was not made what comes nearest."""
    left = [call for at, call in enumerate(made) if at not in found]
    told = ""
    for each, at in zip(wanted, found, strict=True):
        if at is None:
            near = nearest_misfit(each, left)
            if near is None and any(call["tool"] == each.tool for call in made):
                near = "called, and not often enough"
            told += f"; {each.tool}: {near}" if near else f"; not called: {each.tool}"
    return told


def nearest_misfit(wanted: Wanted, calls: list[Any]) -> str | None:
    """Say what keeps the nearest call of the same tool from being the expected one."""
    flaws = [misfit(wanted, call) for call in calls if call["tool"] == wanted.tool]
    told = [flaw or "not in this order" for flaw in flaws]
    return min(told, key=lambda flaw: flaw.count(";")) if told else None


def _calls(made: list[Any], assertion: Assertion) -> Verdict:
    """Ask that each expected call was made at least once; one call may be several of them."""
    wanted = [wanted_of(operand) for operand in assertion.expected]
    missing = [each for each in wanted if all(misfit(each, call) for call in made)]
    if not missing:
        return HOLDS
    score = 1 - len(missing) / len(wanted)
    told = _why(missing, made, [None] * len(missing)).removeprefix("; ")
    return Verdict(passed=False, score=score, reason=told)


def _calls_only(made: list[Any], assertion: Assertion) -> Verdict:
    """Ask that every call is one of the expected ones, one to one; no call at all is none other."""
    wanted = [wanted_of(operand) for operand in assertion.expected]
    found = pairs(wanted, made, "any_order")
    over = [call["tool"] for at, call in enumerate(made) if at not in found]
    if not over:
        return HOLDS
    score = 1 - len(over) / len(made)
    return Verdict(passed=False, score=score, reason=f"not expected: {listing(over)}")


def _never_calls(made: list[Any], assertion: Assertion) -> Verdict:
    """Ask that none of the calls is one of these."""
    wanted = [wanted_of(operand) for operand in assertion.expected]
    for at, call in enumerate(made):
        if any(misfit(each, call) is None for each in wanted):
            return fails(f"call {at} is {call['tool']}({brief(call['args'])})")
    return HOLDS


def _hygiene(made: list[Any], assertion: Assertion) -> Verdict:
    """Ask that no call had malformed arguments or an invented tool, but for those repaired."""
    strict = assertion.expected == STRICT
    odd = next((call for call in made if not _tells_error(call)), None)
    if odd is not None:
        return fails(f"{odd['tool']}: an error with its kind is needed, got {brief(odd['error'])}")
    bad = [at for at in range(len(made)) if _is_bad(made[at])]
    told = [at for at in bad if strict or not _is_repaired(made, at)]
    if not told:
        return HOLDS
    call = made[told[0]]
    reason = f"call {told[0]}, {call['tool']}: {call['error'].get('message')}"
    more = f"; and {counted(len(told) - 1, 'more call')}" if len(told) > 1 else ""
    return Verdict(passed=False, score=1 - len(told) / len(made), reason=reason + more)


def _tells_error(call: Any) -> bool:  # noqa: ANN401
    """Say whether a call had no error, or one of which the kind is told."""
    error = call.get("error")
    return error is None or (type(error) is dict and type(error.get("kind")) is str)


def _kind(call: Any) -> str | None:  # noqa: ANN401
    error = call.get("error")
    return None if error is None else error["kind"]


def _is_bad(call: Any) -> bool:  # noqa: ANN401
    return _kind(call) in (MALFORMED, INVENTED)


def _is_repaired(made: list[Any], at: int) -> bool:
    """Say whether a later call was well-formed: of the same tool, or of any for an invented one."""
    tool = None if _kind(made[at]) == INVENTED else made[at]["tool"]
    later = (call for call in made[at + 1 :] if tool in (None, call["tool"]))
    return any(not _is_bad(call) for call in later)


calls = _on_calls(_calls)
calls_in_order = _aligned("in_order")
calls_exactly = _aligned("exact")
calls_any_order = _aligned("any_order")
calls_only = _on_calls(_calls_only)
never_calls = _on_calls(_never_calls)
hygiene = _on_calls(_hygiene)


def call_args(assertion: Assertion, asked: list[BoundAssertion]) -> OperatorFunction:
    """Make CALL_ARGS: that assertions hold, all of them, of the arguments of one call of a tool."""
    tool = assertion.expected["tool"]

    def put(actual: Json, assertion: Assertion, context: Context) -> Verdict:
        def judge(made: list[Any], _: Assertion) -> Verdict:
            of_tool = [call["args"] for call in made if call["tool"] == tool]
            if not of_tool:
                called = listing(dict.fromkeys(call["tool"] for call in made))
                return fails(f"{tool} was not called" + (f"; called: {called}" if called else ""))
            told = [_held(asked, args, context) for args in of_tool]
            return max(told, key=lambda verdict: (verdict.passed, verdict.score))

        return _on_calls(judge)(actual, assertion, context)

    return put


def _held(asked: list[BoundAssertion], args: dict[str, Json], context: Context) -> Verdict:
    flaws = []
    for bound in asked:
        actual = bound.path.resolve(args)
        if actual is MISSING:
            flaws.append(f"{bound.assertion.path} was not sent")
            continue
        verdict = _verdict(bound, actual, context)
        if not verdict.passed:
            flaws.append(f"{bound.assertion.path}: {verdict.reason}")
    if not flaws:
        return HOLDS
    score = 1 - len(flaws) / len(asked)
    reason = f"with the arguments {brief(args)}: {'; '.join(flaws)}"
    return Verdict(passed=False, score=score, reason=reason)


def _verdict(bound: BoundAssertion, actual: Json, context: Context) -> Verdict:
    """Put one assertion to an argument, with what was saved where it expects that."""
    if not bound.needs:
        return bound.function(actual, bound.assertion, context)
    assertion = bound.assertion.but(expected=filled(bound.assertion.expected, context.saved))
    flaw = bound.rule(assertion)
    if flaw is not None and not flaw.warning:
        return fails(f"the saved value can't be expected: {flaw.problem}")
    return bound.function(actual, assertion, context)


__all__ = [
    "OTHER_TOOL",
    "call_args",
    "calls",
    "calls_any_order",
    "calls_exactly",
    "calls_in_order",
    "calls_only",
    "hygiene",
    "nearest_misfit",
    "never_calls",
    "pairs",
]
