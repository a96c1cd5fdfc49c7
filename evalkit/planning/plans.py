"""How scenarios are compiled to plans, with every problem of all of them gathered first."""

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from evalkit.errors import Problem
from evalkit.model import Assertion, Scenario
from evalkit.operators import Operator
from evalkit.plan import BoundAssertion, Plan
from evalkit.planning.answers import assertions_of
from evalkit.planning.assertions import AssertionBinder
from evalkit.planning.calls import CallBinder
from evalkit.planning.problems import Problems, Where
from evalkit.protocols import NO_SERVICES, Services
from evalkit.registry import listing
from evalkit.subjects.kinds import ALWAYS, TOOLS, Kind

TIMEOUT_S = 60.0


@attrs.frozen(eq=False, repr=False)
class Planned:
    """The plans of a selection, in its order, and the warnings that making them gave."""

    plans: list[Plan]
    warnings: tuple[Problem, ...]


class Planner:
    """Compiles scenarios against one table of tools; without a table, for grading alone."""

    def __init__(
        self,
        tools: Mapping[str, Any] | None,
        operators: Mapping[str, Operator],
        timeout_s: float = TIMEOUT_S,
        *,
        kind: Kind = TOOLS,
        services: Services = NO_SERVICES,
    ) -> None:
        """Take the open table, the author's own operators, and the timeout of a call in seconds.

        `kind` is what the subject can do and see, `services` what operators may ask for.
        """
        self._problems = Problems()
        self._kind = kind
        self._assertions = AssertionBinder(operators, self._problems, services, kind.observed)
        self._calls = CallBinder(tools, self._assertions, self._problems, timeout_s)

    @property
    def problems(self) -> Problems:
        """Give what has been found wrong so far."""
        return self._problems

    @property
    def scoring(self) -> tuple[str, ...]:
        """Say by what texts are scored in what has been compiled so far."""
        return tuple(self._assertions.scoring)

    def plan(self, scenarios: Iterable[Scenario]) -> Planned:
        """Compile scenarios; `CatalogueError` carries everything wrong with any of them."""
        plans = [self.compile(scenario) for scenario in scenarios]
        self._problems.raise_if_any()
        return Planned(plans, self._problems.warnings)

    def compile(self, scenario: Scenario) -> Plan:
        """Compile one scenario, noting what is wrong with it."""
        if not (scenario.tool_calls or scenario.answers) and _all_warn(scenario):
            problem = "has nothing to check that can fail it"
            self._problems.add(
                scenario,
                (),
                problem,
                "give it tool_calls, answers, or an assertion on the trace that may fail",
            )
        known: set[str] = set()
        skip = self._kind.skip(scenario)
        self._assertions.asks = skip is None
        bind = self._calls.bind
        calls = tuple(
            [bind(scenario, step, call, known) for step, call in enumerate(scenario.tool_calls)]
        )
        assertions: tuple[BoundAssertion, ...] = ()
        if scenario.assertions or scenario.answers:
            assertions = self._on_the_trace(scenario, known)
        if skip is None and not scenario.tool_calls:
            skip = self._unseen(assertions)
        return Plan(scenario, calls, assertions, skip)

    def _unseen(self, assertions: tuple[BoundAssertion, ...]) -> str | None:
        """Say that nothing of what is asserted can be seen, where that is so."""
        heads = {bound.path.head for bound in assertions}
        if not heads or heads & (set(self._kind.observed) - ALWAYS):
            return None
        return f"looks at {listing(sorted(map(str, heads)))} alone, which can't be seen here"

    def _on_the_trace(self, scenario: Scenario, known: set[str]) -> tuple[BoundAssertion, ...]:
        """Bind the assertions on the trace: those of the answers, and the author's."""
        answers = () if scenario.answers is None else assertions_of(scenario.answers)
        asserted: list[tuple[Where, Assertion]] = [(("answers",), each) for each in answers]
        asserted += [(("assertions", at), each) for at, each in enumerate(scenario.assertions)]
        found: list[BoundAssertion] = []
        wrong: set[Where] = set()
        for where, assertion in asserted:
            if where in wrong:  # what is recorded beside it would say the same again
                continue
            bound = self._assertions.bind_to_trace(scenario, where, assertion)
            if bound is None:
                wrong.add(where)
                continue
            found.append(bound)
            for name in bound.needs:
                if name not in known:
                    place = (*where, "expected")
                    self._problems.add(scenario, place, f"no call saves {name!r}")
        return tuple(found)


def _all_warn(scenario: Scenario) -> bool:
    return all(assertion.severity == "warn" for assertion in scenario.assertions)
