"""How an assertion is bound to its path and operator, and what can be wrong with it."""

from collections.abc import Mapping

from evalkit.jsonvalue import MISSING
from evalkit.model import Assertion, Op, Scenario
from evalkit.operators import OPERATORS, Flaw, Operator, each_of
from evalkit.paths import Path, PathError, compile_path
from evalkit.plan import BoundAssertion
from evalkit.planning.problems import Problems
from evalkit.registry import hint_for
from evalkit.subjects.arguments import refs
from evalkit.trace import KEYS

_TRUTHY = (Op.IS_TRUE, Op.IS_FALSE)
_SCALAR = frozenset({str, int, float, bool, type(None), type(MISSING)})


class AssertionBinder:
    """Binds assertions against one table of operators, noting what is wrong with them."""

    def __init__(self, operators: Mapping[str, Operator], problems: Problems) -> None:
        """Take the author's own operators, which are looked up after the built-in ones."""
        self._own = operators
        self._problems = problems

    def bind(self, scenario: Scenario, where: str, assertion: Assertion) -> BoundAssertion | None:
        """Bind one assertion; None where something is wrong with it, which is then noted."""
        operator = OPERATORS.get(assertion.op) or self._own.get(assertion.op)
        if operator is None:
            known = [*OPERATORS, *self._own]
            self._problems.add(
                scenario,
                f"{where}.op",
                f"unknown operator {str(assertion.op)!r}",
                hint_for(assertion.op, known),
            )
            return None
        path = self._path(scenario, where, assertion)
        sound = self._sound(scenario, where, assertion, operator, path)
        if path is None or not sound:
            return None
        if assertion.expected is not MISSING and assertion.op in _TRUTHY:
            assertion = _described(assertion)
        function = (
            operator.function
            if assertion.each is None
            else each_of(operator.function, assertion.each)
        )
        expected = assertion.expected
        needs = tuple(dict.fromkeys(refs(expected))) if type(expected) not in _SCALAR else ()
        return BoundAssertion(assertion, path, function, needs)

    def bind_to_trace(self, scenario: Scenario, index: int) -> BoundAssertion | None:
        """Bind an assertion on the trace, which begins with the name of one of its parts."""
        assertion = scenario.assertions[index]
        where = f"assertions[{index}]"
        bound = self.bind(scenario, where, assertion)
        if bound is None:
            return None
        head = bound.path.head
        if head in KEYS:
            return bound
        if head is None:
            problem = "an assertion on the trace begins with the name of a part of it"
            self._problems.add(scenario, f"{where}.path", problem, hint_for("calls", KEYS))
        else:
            problem = f"the trace has no part {head!r}"
            self._problems.add(scenario, f"{where}.path", problem, hint_for(head, KEYS))
        return None

    def _path(self, scenario: Scenario, where: str, assertion: Assertion) -> Path | None:
        try:
            return compile_path(assertion.path)
        except PathError as error:
            self._problems.add(scenario, f"{where}.path", str(error))
            return None

    def _sound(
        self,
        scenario: Scenario,
        where: str,
        assertion: Assertion,
        operator: Operator,
        path: Path | None,
    ) -> bool:
        flaws = [(f"{where}.expected", operator.rule(assertion))]
        if assertion.each is not None or (path is not None and path.many):
            flaws.append((f"{where}.each", _each_flaw(assertion, operator, path)))
        if assertion.tolerance is not None or assertion.rel is not None:
            flaws.append((f"{where}.tolerance", _tolerance_flaw(assertion)))
        sound = True
        for place, flaw in flaws:
            if flaw is not None:
                self._problems.add(scenario, place, flaw.problem, flaw.hint, warning=flaw.warning)
                sound = sound and flaw.warning
        return sound


def _each_flaw(assertion: Assertion, operator: Operator, path: Path | None) -> Flaw | None:
    many = path is not None and path.many
    if assertion.each is not None and path is not None and not many:
        return Flaw(
            f"the path {assertion.path!r} gives one value",
            "each is for a path with [*], .., a slice or a filter",
        )
    if assertion.each is None and many and operator.scalar:
        return Flaw(
            f"{str(assertion.op)!r} is for one value, and {assertion.path!r} gives a list",
            "say each='all' or each='any'",
        )
    return None


def _tolerance_flaw(assertion: Assertion) -> Flaw | None:
    if assertion.op is Op.APPROX:
        return None
    return Flaw(f"tolerance and rel are for approx, not {str(assertion.op)!r}")


def _described(assertion: Assertion) -> Assertion:
    """Take an `expected` that a truthiness operator can't use as the description."""
    if assertion.expected is None:
        return assertion.but(expected=MISSING)
    return assertion.but(
        expected=MISSING, description=assertion.description or str(assertion.expected)
    )
