"""The table of operators: what each takes, what it does, how it reads in a message."""

from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

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
    `saved_rule` is for an operand that a call saved, where that is stricter. `takes` names the
    fields of an assertion that are for some operators only. `scores` says that its score is more
    than yes or no, or that its mean is published. `service` is what it needs from outside: its
    function is then made by that.
    """

    rule: Callable[[Assertion], operands.Flaw | None]
    function: OperatorFunction
    words: str
    scalar: bool = False
    saved_rule: Callable[[Assertion], operands.Flaw | None] | None = None
    takes: frozenset[str] = frozenset()
    scores: bool = False
    service: str | None = None
    of_calls: bool = False
    asks: Callable[[Assertion], list[Assertion] | operands.Flaw] | None = None


TEXT = "evalkit.operators.text"
CALLS, CALL_RULES = "evalkit.operators.trajectory", "evalkit.operators.expected_calls"
NEAR = frozenset({"tolerance", "rel"})
NORMALISED = frozenset({"normalize", "extract"})
SCORED = NORMALISED | {"threshold"}


def _later(name: str, module: str = TEXT) -> Callable[..., Any]:
    """Give what is in the module of the text operators, or another that few runs need to import."""
    found: list[Callable[..., Any]] = []

    def act(*given: Any) -> Any:  # noqa: ANN401
        if not found:
            found.append(getattr(import_module(module), name))
        return found[0](*given)

    return act


def _on_text(function: str, words: str, takes: frozenset[str] = NORMALISED) -> Operator:
    rule = operands.given(_later("golds_flaw"))
    return Operator(rule, _later(function), words, scalar=True, takes=takes, scores=True)


def _contained(
    rule: Callable[[Assertion], operands.Flaw | None], function: OperatorFunction, words: str
) -> Operator:
    """Make an operator for what is contained, which may look at normalised texts."""
    flaw, on_normalised = _later("members_flaw"), _later("on_normalised")
    normalised: list[OperatorFunction] = []

    def checked(assertion: Assertion) -> operands.Flaw | None:
        plain = assertion.normalize is None and assertion.extract is None
        found = rule(assertion)
        return found if plain or found else flaw(assertion)

    def put(actual: Json, assertion: Assertion, context: Context) -> Verdict:
        if assertion.normalize is None and assertion.extract is None:
            return function(actual, assertion, context)
        if not normalised:
            normalised.append(on_normalised(function))
        return normalised[0](actual, assertion, context)

    return Operator(checked, put, words, takes=NORMALISED)


def _about_issues(function: OperatorFunction, words: str) -> Operator:
    return Operator(operands.optional_text, function, words, saved_rule=operands.key)


def _about_calls(rule: str, function: str, words: str) -> Operator:
    """Make an operator on what an agent called, which only a run of one needs to import."""
    return Operator(_later(rule, CALL_RULES), _later(function, CALLS), words, of_calls=True)


OPERATORS: dict[str, Operator] = {
    Op.EQ: Operator(operands.anything, values.eq, "equals"),
    Op.NE: Operator(operands.anything, values.ne, "differs from"),
    Op.APPROX: Operator(operands.approximate, values.approx, "is about", scalar=True, takes=NEAR),
    Op.GT: Operator(operands.ordering, values.gt, "is above", scalar=True),
    Op.GTE: Operator(operands.at_least, values.gte, "is at least", scalar=True),
    Op.LT: Operator(operands.below, values.lt, "is below", scalar=True),
    Op.LTE: Operator(operands.ordering, values.lte, "is at most", scalar=True),
    Op.BETWEEN: Operator(operands.pair, values.between, "is between", scalar=True),
    Op.IN: Operator(operands.choices, values.among, "is one of", scalar=True),
    Op.NOT_IN: Operator(operands.exclusions, values.not_among, "is none of", scalar=True),
    Op.CONTAINS: _contained(operands.member, values.contains, "contains"),
    Op.NOT_CONTAINS: _contained(operands.member, values.not_contains, "does not contain"),
    Op.CONTAINS_ALL: _contained(operands.all_members, values.contains_all, "contains all of"),
    Op.CONTAINS_ANY: _contained(operands.any_member, values.contains_any, "contains any of"),
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
    Op.EXACT_MATCH: _on_text("exact_match", "is exactly"),
    Op.F1: _on_text("token_f1", "overlaps with", SCORED),
    Op.SIMILAR: _on_text("similar", "is similar to", SCORED),
    Op.NUMERIC: Operator(
        operands.given(_later("numbers_flaw")),
        _later("numeric"),
        "states the number",
        scalar=True,
        takes=NEAR | {"extract"},
        scores=True,
    ),
    Op.SEMANTIC: attrs.evolve(_on_text("semantic", "means", SCORED), service="embed"),
    Op.CALLS: _about_calls("some_calls", "calls", "include"),
    Op.CALLS_IN_ORDER: _about_calls("some_calls", "calls_in_order", "are, in this order,"),
    Op.CALLS_EXACTLY: _about_calls("any_calls", "calls_exactly", "are exactly"),
    Op.CALLS_ANY_ORDER: _about_calls("some_calls", "calls_any_order", "are, in any order,"),
    Op.CALLS_ONLY: _about_calls("any_calls", "calls_only", "are none but"),
    Op.NEVER_CALLS: _about_calls("some_calls", "never_calls", "are never"),
    Op.CALL_ARGS: attrs.evolve(
        _about_calls("call_args", "call_args", "have one with"),
        asks=_later("asked_of", CALL_RULES),
    ),
    Op.HYGIENE: _about_calls("hygiene", "hygiene", "are well-formed"),
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
        scores = [verdict.score for verdict in verdicts]
        score = max(scores) if each == "any" else sum(scores) / len(scores)
        if held == len(verdicts) or (each == "any" and held):
            return Verdict(passed=True, score=score)
        first = next(at for at, verdict in enumerate(verdicts) if not verdict.passed)
        reason = f"{held} of {len(verdicts)} hold; value {first}: {verdicts[first].reason}"
        return Verdict(passed=False, score=score, reason=reason)

    return every


def some_of(function: OperatorFunction) -> OperatorFunction:
    """Ask that a path which selects many has selected something, before the operator is put."""

    def some(actual: Json, assertion: Assertion, context: Context) -> Verdict:
        return function(actual, assertion, context) if actual else fails("the path selects nothing")

    return some
