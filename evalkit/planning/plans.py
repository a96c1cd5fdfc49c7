"""How scenarios are compiled to plans, with every problem of all of them gathered first."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import attrs

from evalkit.errors import Problem
from evalkit.model import Assertion, Op, Scenario, Turn
from evalkit.operators import Operator
from evalkit.plan import BoundAssertion, BoundCall, Plan
from evalkit.planning.answers import assertions_of
from evalkit.planning.assertions import AssertionBinder
from evalkit.planning.calls import CallBinder
from evalkit.planning.problems import Problems, Where
from evalkit.protocols import NO_SERVICES, Services
from evalkit.registry import hint_for, listing
from evalkit.subjects.kinds import ALWAYS, PREDICTIONS, TOOLS, Kind

if TYPE_CHECKING:
    from evalkit.model import State
    from evalkit.planning.agents import Derived


@attrs.frozen(eq=False, repr=False)
class Planned:
    """The plans of a selection, in its order, and the warnings that making them gave."""

    plans: list[Plan]
    warnings: tuple[Problem, ...]


class Planner:
    """Compiles scenarios against one table of tools; without a table, for grading alone."""

    def __init__(  # noqa: PLR0913  - one thing after the other that planning needs
        self,
        tools: Mapping[str, Any] | None,
        operators: Mapping[str, Operator],
        timeout_s: float | None = None,
        *,
        kind: Kind = TOOLS,
        services: Services = NO_SERVICES,
        own: bool | None = None,
    ) -> None:
        """Take the open table, the author's own operators, and the timeout of a call in seconds.

        `kind` is what the subject can do and see, `services` what operators may ask for, and `own`
        says whether tools are opened afresh for each scenario, where that is known.
        """
        self._problems = Problems()
        self._kind = kind
        self._observable = frozenset(kind.observed)
        self._tools = tools
        self._own = own
        self._alike: dict[Any, BoundAssertion] = {}
        self._timeout_s = kind.timeout_s if timeout_s is None else timeout_s
        self._assertions = AssertionBinder(operators, self._problems, services, kind.observed)
        self._calls = CallBinder(
            tools, self._assertions, self._problems, timeout_s or TOOLS.timeout_s, asks=kind.talks
        )

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
        """Compile one scenario, noting what is wrong; one to be skipped is not looked at."""
        if scenario.skip is not None:
            return Plan(scenario, (), (), scenario.skip, self._observable)
        if not (scenario.tool_calls or scenario.answers) and _nothing_else(scenario):
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
            unpaired = self._kind.talks and scenario.match == "off"  # no call of an agent is a step
            assertions = self._on_the_trace(scenario, set() if unpaired else known)
        self._check_names(scenario)
        pairing, held = "step", calls
        if self._kind.talks:
            pairing, held = scenario.match, () if scenario.match == "off" else calls
            self._check_prompt(scenario)
            self._check_possible(scenario, held)
        if scenario.state is not None or self._kind is not TOOLS:
            assertions += self._derived(scenario, held)
        if skip is None and not held:
            skip = self._unseen(scenario, assertions)
        return Plan(
            scenario, held, assertions, skip, self._observable, pairing, self._timeout_s, calls
        )

    def _check_prompt(self, scenario: Scenario) -> None:
        """Note a prompt in which nothing is left to answer."""
        turns = scenario.prompt
        if type(turns) is tuple and type(turns[-1]) is Turn and turns[-1].role != "user":
            problem = "ends with a turn that is not the user's, so nothing is put to an agent"
            self._problems.add(scenario, ("prompt",), problem)

    def _derived(
        self, scenario: Scenario, held: tuple[BoundCall, ...]
    ) -> tuple[BoundAssertion, ...]:
        """Bind what the fields of a scenario come down to."""
        found = []
        if scenario.state is not None:
            self._check_state(scenario, scenario.state)
        agents = import_module("evalkit.planning.agents")  # no run of the tools alone needs it
        derived: list[Derived] = list(agents.of_state(scenario.state, replayed=self._kind.talks))
        if self._kind.talks:
            derived += agents.of_agents(scenario, held)
        elif self._kind is PREDICTIONS:  # which can't be seen to keep to any of it
            derived += [each for each in agents.of_agents(scenario, ()) if not each.beside]
        for each in derived:
            bound = self._alike.get(each)
            if bound is None:
                bound = self._bound(scenario, each)
                if bound is None:
                    continue
                bound.code, bound.incidental, bound.beside = each.code, each.incidental, each.beside
                if each in agents.ALIKE:
                    self._alike[each] = bound
            found.append(bound)
        return tuple(found)

    def _bound(self, scenario: Scenario, derived: "Derived") -> BoundAssertion | None:
        if derived.doubtful:
            return self._assertions.bind_to_trace(scenario, derived.where, derived.assertion)
        return self._assertions.sound(derived.assertion)

    def _check_names(self, scenario: Scenario) -> None:
        """Warn of tools that an agent may not call, and that there are not: a name may be wrong."""
        named: list[tuple[Where, str]] = []
        named += [(("forbid_tools",), each) for each in scenario.forbid_tools]
        for index, assertion in enumerate(scenario.assertions):
            if assertion.op == Op.NEVER_CALLS and type(assertion.expected) is list:
                where = ("assertions", index, "expected")
                named += [(where, each) for each in assertion.expected if type(each) is str]
        for place, name in named:
            if self._tools and name not in self._tools:
                problem = f"there is no tool {name!r}, which so is never called"
                hint = hint_for(name, self._tools)
                self._problems.add(scenario, place, problem, hint, warning=True)

    def _check_possible(self, scenario: Scenario, held: tuple[BoundCall, ...]) -> None:
        """Note what no agent could do: make calls that are forbidden, or more than it may."""
        for bound in held:
            if bound.tool in scenario.forbid_tools:
                problem = f"{bound.tool!r} is forbidden, and a tool call asks for it"
                self._problems.add(scenario, ("forbid_tools",), problem)
        most = scenario.budget.max_calls if scenario.budget is not None else None
        if most is not None and most < len(held):
            problem = f"{most} calls at most, and the tool calls are {len(held)}"
            self._problems.add(scenario, ("budget", "max_calls"), problem)

    def _check_state(self, scenario: Scenario, state: "State") -> None:
        """Note tools that capture and are not there, and a replay that has no tools of its own."""
        named = [state.capture] if isinstance(state.capture, str) else []
        calls = state.capture if isinstance(state.capture, dict) else {}
        for name in (*named, *(call.tool for call in calls.values())):
            if self._tools is not None and name not in self._tools:
                hint = hint_for(name, self._tools)
                where = ("state", "capture")
                self._problems.add(scenario, where, f"unknown tool {name!r}", hint)
        if state.replayed and self._kind.talks and self._own is False:
            problem = "the tool calls can't be replayed on tools that are shared"
            hint = "make TOOL_DISPATCH a factory, so that each run has its own"
            self._problems.add(scenario, ("state", "replayed"), problem, hint)

    def _unseen(self, scenario: Scenario, assertions: tuple[BoundAssertion, ...]) -> str | None:
        """Say that nothing of what is asserted can be seen, where that is so."""
        talks = self._kind.talks
        asked = [bound for bound in assertions if talks or not bound.of_agents]
        heads = {bound.path.head for bound in asked if _asked_for(bound)}
        if not heads and scenario.tool_calls:
            return "match is off, and nothing else is asked of an agent"
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


def _nothing_else(scenario: Scenario) -> bool:
    """Say whether nothing beside calls and answers can fail a scenario, within its bounds."""
    asserted = any(assertion.severity == "fail" for assertion in scenario.assertions)
    return not (asserted or scenario.state is not None or scenario.forbid_tools)


def _asked_for(bound: BoundAssertion) -> bool:
    """Say whether an assertion is one that a scenario may rest on."""
    deciding = bound.assertion.severity == "fail"
    return deciding and not bound.beside and bound.code != "over_budget"
