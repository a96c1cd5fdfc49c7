"""The table of operators: what each takes, what it does, how it reads in a message."""

from collections.abc import Callable
from types import SimpleNamespace

import attrs

from evalkit.jsonvalue import Json, brief, copy_json, is_number
from evalkit.model import Assertion, Op
from evalkit.operators import operands, values
from evalkit.operators.issues import has_issue, no_issue
from evalkit.operators.schema import schema
from evalkit.operators.verdicts import HOLDS, fails
from evalkit.protocols import Context, OperatorFunction
from evalkit.result import Verdict


@attrs.frozen(eq=False, repr=False)
class Operator:
    """One operator: the rule for its operand, its function, and its words.

    `scalar` says that it is for single values: put to a path that selects many, it needs `each`.
    `saved_rule` is for an operand that a call saved, where that is stricter.
    """

    rule: Callable[[Assertion], operands.Flaw | None]
    function: OperatorFunction
    words: str
    scalar: bool = False
    saved_rule: Callable[[Assertion], operands.Flaw | None] | None = None


def _about_issues(function: OperatorFunction, words: str) -> Operator:
    return Operator(operands.optional_text, function, words, saved_rule=operands.key)


OPERATORS: dict[str, Operator] = {
    Op.EQ: Operator(operands.anything, values.eq, "equals"),
    Op.NE: Operator(operands.anything, values.ne, "differs from"),
    Op.APPROX: Operator(operands.approximate, values.approx, "is about", scalar=True),
    Op.GT: Operator(operands.ordering, values.gt, "is above", scalar=True),
    Op.GTE: Operator(operands.at_least, values.gte, "is at least", scalar=True),
    Op.LT: Operator(operands.below, values.lt, "is below", scalar=True),
    Op.LTE: Operator(operands.ordering, values.lte, "is at most", scalar=True),
    Op.BETWEEN: Operator(operands.pair, values.between, "is between", scalar=True),
    Op.IN: Operator(operands.choices, values.among, "is one of", scalar=True),
    Op.NOT_IN: Operator(operands.exclusions, values.not_among, "is none of", scalar=True),
    Op.CONTAINS: Operator(operands.member, values.contains, "contains"),
    Op.NOT_CONTAINS: Operator(operands.member, values.not_contains, "does not contain"),
    Op.CONTAINS_ALL: Operator(operands.all_members, values.contains_all, "contains all of"),
    Op.CONTAINS_ANY: Operator(operands.any_member, values.contains_any, "contains any of"),
    Op.EXISTS: Operator(operands.none_needed, values.exists, "exists"),
    Op.HAS_KEY: Operator(
        operands.optional_key, values.has_key, "has the key", saved_rule=operands.key
    ),
    Op.LACKS_KEY: Operator(operands.key, values.lacks_key, "lacks the key"),
    Op.LEN_EQ: Operator(operands.length, values.len_eq, "has length"),
    Op.LEN_GTE: Operator(operands.least_length, values.len_gte, "has at least length"),
    Op.LEN_LTE: Operator(operands.length, values.len_lte, "has at most length"),
    Op.SAME_ITEMS: Operator(operands.items, values.same_items, "has the same items as"),
    Op.IS_TRUE: Operator(operands.TRUE, values.is_true, "is truthy", scalar=True),
    Op.IS_FALSE: Operator(operands.FALSE, values.is_false, "is not truthy", scalar=True),
    Op.IS_NULL: Operator(operands.none_needed, values.is_null, "is null", scalar=True),
    Op.TYPE_IS: Operator(operands.type_name, values.type_is, "is of type", scalar=True),
    Op.MATCHES: Operator(operands.matching, values.matches, "matches", scalar=True),
    Op.NOT_MATCHES: Operator(operands.matching, values.not_matches, "does not match", scalar=True),
    Op.SCHEMA: Operator(operands.schema, schema, "is valid against"),
    Op.SUBSET: Operator(operands.part, values.subset, "contains as a part"),
    Op.NO_ERRORS: _about_issues(no_issue("error"), "has no error"),
    Op.NO_WARNINGS: _about_issues(no_issue("warning"), "has no warning"),
    Op.HAS_ERROR: _about_issues(has_issue("error"), "has the error"),
    Op.HAS_WARNING: _about_issues(has_issue("warning"), "has the warning"),
}


def custom(function: Callable[..., Verdict | bool], name: str) -> Operator:
    """Make an operator of an author's function; what it answers is checked, since it decides."""

    def judged(actual: Json, assertion: Assertion, context: Context) -> Verdict:
        expected = assertion.expected
        if type(expected) in (dict, list):
            assertion = assertion.but(expected=copy_json(expected))
        shown = SimpleNamespace(
            document=copy_json(context.document), saved=copy_json(dict(context.saved))
        )
        verdict = function(copy_json(actual), assertion, shown)
        if type(verdict) is bool:
            return HOLDS if verdict else fails(f"{name} says no to {brief(actual)}")
        if type(verdict) is not Verdict or type(verdict.passed) is not bool:
            raise TypeError(f"operator {name!r} gave {verdict!r}, expected a Verdict or a bool")
        if not is_number(verdict.score) or not 0 <= verdict.score <= 1:
            raise ValueError(f"operator {name!r} gave the score {verdict.score!r}, expected 0 to 1")
        if type(verdict.reason) is not str:
            raise TypeError(
                f"operator {name!r} gave the reason {verdict.reason!r}, expected a text"
            )
        return verdict

    return Operator(lambda _: None, judged, name)


def each_of(function: OperatorFunction, each: str | None) -> OperatorFunction:
    """Put an operator to every value of a list: all must hold, or any; over none, it fails."""
    if each is None:
        return function

    def every(actual: Json, assertion: Assertion, context: Context) -> Verdict:
        if not actual:
            return fails(f"there is no value to put it to; each={each!r} over an empty list fails")
        verdicts = [function(value, assertion, context) for value in actual]
        held = sum(verdict.passed for verdict in verdicts)
        if held == len(verdicts) or (each == "any" and held):
            return HOLDS
        first = next(at for at, verdict in enumerate(verdicts) if not verdict.passed)
        reason = f"{held} of {len(verdicts)} hold; value {first}: {verdicts[first].reason}"
        return Verdict(
            passed=False, score=held / len(verdicts) if each == "all" else 0.0, reason=reason
        )

    return every


def some_of(function: OperatorFunction) -> OperatorFunction:
    """Ask that a path which selects many has selected something, before the operator is put."""

    def some(actual: Json, assertion: Assertion, context: Context) -> Verdict:
        return function(actual, assertion, context) if actual else fails("the path selects nothing")

    return some
