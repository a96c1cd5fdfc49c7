"""How scenarios are compiled to plans, with every problem of all of them gathered first."""

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from evalkit.errors import Problem
from evalkit.model import Scenario
from evalkit.operators import Operator
from evalkit.plan import Plan
from evalkit.planning.assertions import AssertionBinder
from evalkit.planning.calls import CallBinder
from evalkit.planning.problems import Problems

TIMEOUT_S = 60.0
FOR_AGENTS = "needs an agent: it has no tool calls"


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
    ) -> None:
        """Take the open table, the author's own operators, and the timeout of a call in seconds."""
        self._problems = Problems()
        self._assertions = AssertionBinder(operators, self._problems)
        self._calls = CallBinder(tools, self._assertions, self._problems, timeout_s)

    @property
    def problems(self) -> Problems:
        """Give what has been found wrong so far."""
        return self._problems

    def plan(self, scenarios: Iterable[Scenario]) -> Planned:
        """Compile scenarios; `CatalogueError` carries everything wrong with any of them."""
        plans = [self.compile(scenario) for scenario in scenarios]
        self._problems.raise_if_any()
        return Planned(plans, self._problems.warnings)

    def compile(self, scenario: Scenario) -> Plan:
        """Compile one scenario, noting what is wrong with it."""
        if not scenario.tool_calls and _all_warn(scenario):
            problem = "has nothing to check that can fail it"
            self._problems.add(
                scenario,
                (),
                problem,
                "give it tool_calls, or an assertion on the trace that may fail",
            )
        known: set[str] = set()
        bind = self._calls.bind
        calls = tuple(
            [bind(scenario, step, call, known) for step, call in enumerate(scenario.tool_calls)]
        )
        assertions = self._on_the_trace(scenario, known) if scenario.assertions else ()
        skip = None if scenario.tool_calls else FOR_AGENTS
        return Plan(scenario, calls, assertions, skip)

    def _on_the_trace(self, scenario: Scenario, known: set[str]) -> tuple[Any, ...]:
        found = []
        for index in range(len(scenario.assertions)):
            bound = self._assertions.bind_to_trace(scenario, index)
            if bound is None:
                continue
            found.append(bound)
            for name in bound.needs:
                if name not in known:
                    where = ("assertions", index, "expected")
                    self._problems.add(scenario, where, f"no call saves {name!r}")
        return tuple(found)


def _all_warn(scenario: Scenario) -> bool:
    return all(assertion.severity == "warn" for assertion in scenario.assertions)
