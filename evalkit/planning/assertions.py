"""How an assertion is bound to its path and operator, and what can be wrong with it."""

from collections.abc import Mapping

from evalkit.jsonvalue import MISSING
from evalkit.model import Assertion, Op, Ref, Scenario, refs
from evalkit.operators import OPERATORS, Flaw, Operator, each_of, some_of
from evalkit.paths import Path, PathError, compile_path
from evalkit.plan import BoundAssertion
from evalkit.planning.problems import Problems, Where
from evalkit.registry import hint_for
from evalkit.trace import KEYS

_TRUTHY = (Op.IS_TRUE, Op.IS_FALSE)
_WHOLE = (Op.EQ, Op.NE)
_LISTS = (list, Ref)
_THERE = (Op.EXISTS, Op.HAS_KEY)
_SCALAR = frozenset({str, int, float, bool, type(None), type(MISSING)})


class AssertionBinder:
    """Binds assertions against one table of operators, noting what is wrong with them."""

    def __init__(self, operators: Mapping[str, Operator], problems: Problems) -> None:
        """Take the author's own operators, which are looked up after the built-in ones."""
        self._operators = {**operators, **OPERATORS}
        self._problems = problems

    def bind(self, scenario: Scenario, where: Where, assertion: Assertion) -> BoundAssertion | None:
        """Bind one assertion; None where something is wrong with it, which is then noted."""
        try:
            operator = self._operators[assertion.op]
            path = compile_path(assertion.path)
        except (KeyError, PathError):
            self._refuse(scenario, where, assertion)
            return None
        flaw = operator.rule(assertion)
        plain = assertion.each is None and not path.many and assertion.tolerance is None
        if flaw is None and plain and assertion.rel is None:
            function = operator.function
        elif self._sound(scenario, where, assertion, operator, path):
            function = each_of(operator.function, assertion.each)
            if assertion.op in _TRUTHY:
                assertion = _described(assertion)
            if path.many and assertion.op in _THERE and assertion.each is None:
                function = some_of(function)
        else:
            return None
        expected = assertion.expected
        needs = () if type(expected) in _SCALAR else tuple(dict.fromkeys(refs(expected)))
        rule = operator.saved_rule or operator.rule
        return BoundAssertion(assertion, path, function, needs, rule)

    def bind_to_trace(self, scenario: Scenario, index: int) -> BoundAssertion | None:
        """Bind an assertion on the trace, which begins with the name of one of its parts."""
        where = ("assertions", index)
        bound = self.bind(scenario, where, scenario.assertions[index])
        if bound is None or bound.path.head in KEYS:
            return bound
        head = bound.path.head
        problem = f"the trace has no part {head!r}"
        if head is None:
            problem = "an assertion on the trace begins with the name of a part of it"
        self._problems.add(scenario, (*where, "path"), problem, hint_for(head or "", KEYS))
        return None

    def _refuse(self, scenario: Scenario, where: Where, assertion: Assertion) -> None:
        """Note an operator that is not known, and a path that is none."""
        if assertion.op not in self._operators:
            problem = f"unknown operator {str(assertion.op)!r}"
            hint = hint_for(assertion.op, self._operators)
            self._problems.add(scenario, (*where, "op"), problem, hint)
        else:
            self._sound(scenario, where, assertion, self._operators[assertion.op], None)
        try:
            compile_path(assertion.path)
        except PathError as error:
            self._problems.add(scenario, (*where, "path"), str(error))

    def _sound(
        self,
        scenario: Scenario,
        where: Where,
        assertion: Assertion,
        operator: Operator,
        path: Path | None,
    ) -> bool:
        """Note every flaw of an assertion; say whether it can be put all the same."""
        flaws = {
            "expected": operator.rule(assertion),
            "each": None if path is None else _each_flaw(assertion, operator, path),
            "tolerance": _tolerance_flaw(assertion),
        }
        sound = True
        for field, flaw in flaws.items():
            if flaw is not None:
                place = (*where, field)
                self._problems.add(scenario, place, flaw.problem, flaw.hint, warning=flaw.warning)
                sound = sound and flaw.warning
        return sound


def _each_flaw(assertion: Assertion, operator: Operator, path: Path) -> Flaw | None:
    if assertion.each is not None and not path.many:
        problem = f"the path {assertion.path!r} gives one value"
        return Flaw(problem, "each is for a path with [*], .., a slice, a union or a filter")
    whole = assertion.op in _WHOLE and type(assertion.expected) not in _LISTS
    if assertion.each is None and path.many and (operator.scalar or whole):
        problem = f"{str(assertion.op)!r} is for one value, and {assertion.path!r} gives a list"
        return Flaw(problem, "say each='all' or each='any'")
    return None


def _tolerance_flaw(assertion: Assertion) -> Flaw | None:
    if assertion.op is Op.APPROX or (assertion.tolerance is None and assertion.rel is None):
        return None
    return Flaw(f"tolerance and rel are for approx, not {str(assertion.op)!r}")


def _described(assertion: Assertion) -> Assertion:
    """Take an `expected` that a truthiness operator can't use as the description."""
    said = assertion.description
    if assertion.expected is not MISSING and assertion.expected is not None:
        said = said or str(assertion.expected)
    return assertion.but(expected=MISSING, description=said)
