"""How an assertion is bound to its path and operator, and what can be wrong with it."""

from collections.abc import Collection, Mapping

from evalkit.jsonvalue import MISSING
from evalkit.model import RARE, Assertion, Op, Ref, Scenario, refs
from evalkit.operators import OPERATORS, Flaw, Operator, each_of, some_of
from evalkit.operators.operands import FALSE, TRUE, none_needed, optional_key, optional_text
from evalkit.operators.scores import scoring_of
from evalkit.paths import Path, PathError, compile_path
from evalkit.plan import BoundAssertion
from evalkit.planning.problems import Problems, Where
from evalkit.protocols import OperatorFunction, Services
from evalkit.registry import hint_for
from evalkit.trace import KEYS

_TRUTHY = (Op.IS_TRUE, Op.IS_FALSE)
_WHOLE = (Op.EQ, Op.NE)
_LISTS = (list, Ref)
_THERE = (Op.EXISTS, Op.HAS_KEY)
_MAY_BE_LEFT_OUT = frozenset({TRUE, FALSE, none_needed, optional_key, optional_text})
"""The rules to which null says as much as nothing; so nothing is what counts in the digest."""
FOR_SOME = tuple(name for name in RARE if name not in ("each", "weight", "severity"))
"""The fields that only some operators take."""
_SCALAR = frozenset({str, int, float, bool, type(None), type(MISSING)})


class AssertionBinder:
    """Binds assertions against one table of operators, noting what is wrong with them."""

    def __init__(
        self,
        operators: Mapping[str, Operator],
        problems: Problems,
        services: Services,
        observed: Collection[str] | None = None,
    ) -> None:
        """Take the author's own operators, which are looked up after the built-in ones.

        `observed` names the parts of a trace that the subject can fill; without it, all.
        """
        self._operators = {**operators, **OPERATORS}
        self._problems = problems
        self._services = services
        self._observed = observed
        self.scoring: dict[str, None] = {}
        self.asks = True
        """Whether services are asked for: not for a scenario that the subject skips."""

    def bind(self, scenario: Scenario, where: Where, assertion: Assertion) -> BoundAssertion | None:
        """Bind one assertion; None where something is wrong with it, which is then noted."""
        try:
            operator = self._operators[assertion.op]
            path = compile_path(assertion.path)
        except (KeyError, PathError):
            self._refuse(scenario, where, assertion)
            return None
        if assertion.expected is None and operator.rule in _MAY_BE_LEFT_OUT:
            assertion = assertion.but(expected=MISSING)
        flaw = operator.rule(assertion)
        function: OperatorFunction | None = operator.function
        if operator.scores or (operator.asks is not None and flaw is None):
            function = self._made(scenario, where, assertion, operator, path)
        if function is None:
            return None
        if flaw is not None or path.many or _is_special(assertion):
            if not self._sound(scenario, where, assertion, operator, path):
                return None
            function = _on_many(function, assertion, path)
            if assertion.op in _TRUTHY:
                assertion = _described(assertion)
        expected = assertion.expected
        needs = () if type(expected) in _SCALAR else tuple(dict.fromkeys(refs(expected)))
        rule = operator.saved_rule or operator.rule
        of_agents = operator.of_calls
        return BoundAssertion(assertion, path, function, needs, rule, of_agents=of_agents)

    def _made(
        self,
        scenario: Scenario,
        where: Where,
        assertion: Assertion,
        operator: Operator,
        path: Path,
    ) -> OperatorFunction | None:
        """Make the function of an operator that is made when it is planned."""
        if operator.scores:
            return self._scoring(scenario, where, assertion, operator, path)
        return self._asking(scenario, where, assertion, operator)

    def _asking(
        self, scenario: Scenario, where: Where, assertion: Assertion, operator: Operator
    ) -> OperatorFunction | None:
        """Make an operator of the assertions in its operand; None where one of them is wrong."""
        found = operator.asks(assertion) if operator.asks is not None else ()
        asked = [
            self.bind(scenario, (*where, "expected", "where", index), each)
            for index, each in enumerate(found if type(found) is list else ())
        ]
        return operator.function(assertion, asked) if all(asked) else None  # type: ignore[call-arg,return-value,arg-type]

    def sound(self, assertion: Assertion) -> BoundAssertion:
        """Bind an assertion of our own that is made of what has been checked before."""
        operator, path = self._operators[assertion.op], compile_path(assertion.path)
        of_agents = operator.of_calls
        return BoundAssertion(
            assertion, path, operator.function, (), operator.rule, of_agents=of_agents
        )

    def own(self, scenario: Scenario, where: Where, assertion: Assertion) -> BoundAssertion:
        """Bind an assertion that is evalkit's own, in which nothing is wrong."""
        bound = self.bind(scenario, where, assertion)
        if bound is None:
            raise AssertionError(assertion)
        return bound

    def bind_to_trace(
        self, scenario: Scenario, where: Where, assertion: Assertion
    ) -> BoundAssertion | None:
        """Bind an assertion on the trace, which begins with the name of one of its parts."""
        bound = self.bind(scenario, where, assertion)
        if bound is None or bound.path.head in KEYS:
            return bound
        head = bound.path.head
        problem = f"the trace has no part {head!r}"
        if head is None:
            problem = "an assertion on the trace begins with the name of a part of it"
        self._problems.add(scenario, (*where, "path"), problem, hint_for(head or "", KEYS))
        return None

    def _scoring(
        self,
        scenario: Scenario,
        where: Where,
        assertion: Assertion,
        operator: Operator,
        path: Path,
    ) -> OperatorFunction:
        """Note by what a text is scored; an operator that needs a service is made by that."""
        self.scoring.setdefault(scoring_of(assertion))
        if operator.service is None:
            return operator.function
        service = getattr(self._services, operator.service)
        if service is not None:
            return operator.function(service)  # type: ignore[call-arg,return-value]
        seen = self._observed is None or path.head in self._observed
        if self.asks and (seen or where[:1] == ("tool_calls",)):
            name = operator.service
            hint = f"--{name} package.module:function, or run(services=Services({name}=...))"
            self._problems.add(scenario, (*where, "op"), f"there is nothing to {name} with", hint)
        return operator.function

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
            **_unused(assertion, operator),
        }
        sound = True
        for field, flaw in flaws.items():
            if flaw is not None:
                place = where if where == ("answers",) else (*where, field)
                self._problems.add(scenario, place, flaw.problem, flaw.hint, warning=flaw.warning)
                sound = sound and flaw.warning
        return sound


def _is_special(assertion: Assertion) -> bool:
    """Say whether one of the fields is given that are for some operators or paths only."""
    return bool(
        assertion.each
        or assertion.tolerance
        or assertion.rel
        or assertion.threshold
        or assertion.normalize
        or assertion.extract
    )


def _on_many(function: OperatorFunction, assertion: Assertion, path: Path) -> OperatorFunction:
    """Put an operator to what a path selects: to each value, or to the list, which has one."""
    if path.many and assertion.op in _THERE and assertion.each is None:
        return some_of(function)
    return each_of(function, assertion.each)


def _each_flaw(assertion: Assertion, operator: Operator, path: Path) -> Flaw | None:
    if assertion.each is not None and not path.many:
        problem = f"the path {assertion.path!r} gives one value"
        return Flaw(problem, "each is for a path with [*], .., a slice, a union or a filter")
    whole = assertion.op in _WHOLE and type(assertion.expected) not in _LISTS
    text = assertion.normalize is not None or assertion.extract is not None
    if assertion.each is None and path.many and (operator.scalar or whole or text):
        problem = f"{str(assertion.op)!r} is for one value, and {assertion.path!r} gives a list"
        return Flaw(problem, "say each='all' or each='any'")
    return None


def _unused(assertion: Assertion, operator: Operator) -> dict[str, Flaw | None]:
    """Find fields that the operator has no use for."""
    return {
        name: Flaw(f"{name} is not for {str(assertion.op)!r}", f"for {', '.join(_takers(name))}")
        for name in FOR_SOME
        if getattr(assertion, name) is not None and name not in operator.takes
    }


def _takers(name: str) -> list[str]:
    return [str(op) for op, operator in OPERATORS.items() if name in operator.takes]


def _described(assertion: Assertion) -> Assertion:
    """Take an `expected` that a truthiness operator can't use as the description."""
    said = assertion.description
    if assertion.expected is not MISSING and assertion.expected is not None:
        said = said or str(assertion.expected)
    return assertion.but(expected=MISSING, description=said)
