"""How a tool call is bound to its tool and to what earlier calls save, and what can be wrong."""

from collections.abc import Mapping
from typing import Any

from evalkit.jsonvalue import is_flat
from evalkit.model import Assertion, Op, Scenario, ToolCall
from evalkit.plan import BoundAssertion, BoundCall
from evalkit.planning.assertions import AssertionBinder
from evalkit.planning.problems import Problems
from evalkit.registry import hint_for, nearest
from evalkit.subjects.arguments import refs
from evalkit.toolbox import ToolSpec, argument_problems, spec_of

RETURNED = Assertion("", Op.EXISTS, description="returned")
RAISED = Assertion("error", Op.EXISTS, description="raised")
ANY_SPEC = ToolSpec(by_dict=False, accepted=None, required=(), schema=None, error_if=None)


class CallBinder:
    """Binds the calls of scenarios to one table; without a table, for grading alone."""

    def __init__(
        self,
        tools: Mapping[str, Any] | None,
        assertions: AssertionBinder,
        problems: Problems,
        timeout_s: float,
    ) -> None:
        """Take the open table, and how long a call may take that does not say."""
        self._tools = tools
        self._specs: dict[str, ToolSpec] = {}
        self._assertions = assertions
        self._problems = problems
        self._timeout_s = timeout_s
        self._saving: dict[tuple[str, str], BoundAssertion | None] = {}

    def bind(self, scenario: Scenario, step: int, known: set[str]) -> BoundCall:
        """Bind one call; `known` names what earlier calls save, and takes what this one does."""
        call = scenario.tool_calls[step]
        where = f"tool_calls[{step}]"
        spec = self._spec(scenario, where, call)
        needs = self._needs(scenario, where, call, known)
        if spec is not ANY_SPEC and call.expect_error is None:
            for found in argument_problems(spec, call.args, call.context_args):
                problem = f"{call.tool} {found.problem}"
                self._problems.add(scenario, f"{where}.args", problem, found.hint)
        checks = self._checks(scenario, where, call, known)
        return BoundCall(
            step,
            call,
            call.tool,
            call.args,
            not needs and is_flat(call.args),
            needs,
            spec.by_dict,
            spec.error_if,
            call.timeout_s or self._timeout_s,
            call.retry,
            None if call.expect_error is None else self._wanted_error(scenario, where, call),
            checks,
            self._saves(scenario, where, call, known) if call.save_as else (),
        )

    def _spec(self, scenario: Scenario, where: str, call: ToolCall) -> ToolSpec:
        spec = self._specs.get(call.tool)
        if spec is not None:
            return spec
        if self._tools is None:
            return ANY_SPEC
        if call.tool not in self._tools:
            hint = hint_for(call.tool, self._tools)
            self._problems.add(scenario, f"{where}.tool", f"unknown tool {call.tool!r}", hint)
            return ANY_SPEC
        spec = self._specs[call.tool] = spec_of(self._tools[call.tool])
        return spec

    def _needs(
        self, scenario: Scenario, where: str, call: ToolCall, known: set[str]
    ) -> tuple[str, ...]:
        """Name the saved values that the arguments take, noting those that nothing saves."""
        if not call.context_args and not call.arg_transforms and _takes_nothing(call):
            return ()
        taken = {f"{where}.args": list(refs(call.args))}
        for argument, name in call.context_args.items():
            taken[f"{where}.context_args[{argument!r}]"] = [name]
            if argument in call.args:
                problem = f"the argument {argument!r} stands in args too"
                self._problems.add(
                    scenario, f"{where}.context_args", problem, "leave one of them out"
                )
        for argument in call.arg_transforms:
            if argument not in call.context_args:
                problem = f"no argument {argument!r} is taken from a saved value"
                hint = f"add context_args={{{argument!r}: ...}}"
                self._problems.add(scenario, f"{where}.arg_transforms", problem, hint)
        for place, names in taken.items():
            self._check_known(scenario, place, names, known)
        return tuple(dict.fromkeys(name for names in taken.values() for name in names))

    def _check_known(
        self, scenario: Scenario, where: str, names: list[str], known: set[str]
    ) -> None:
        for name in names:
            if name not in known:
                close = nearest(name, known)
                hint = (
                    f"did you mean {close!r}?" if close else "an earlier call saves it by save_as"
                )
                self._problems.add(scenario, where, f"no earlier call saves {name!r}", hint)

    def _checks(
        self, scenario: Scenario, where: str, call: ToolCall, known: set[str]
    ) -> tuple[BoundAssertion, ...]:
        """Bind the call's assertions; without any that can fail it, add that it returned."""
        assertions = call.assertions
        if call.expect_error is None and all(each.severity == "warn" for each in assertions):
            assertions = (*assertions, RETURNED)
        return self._bound(scenario, f"{where}.assertions", assertions, known)

    def _bound(
        self, scenario: Scenario, where: str, assertions: tuple[Assertion, ...], known: set[str]
    ) -> tuple[BoundAssertion, ...]:
        bind = self._assertions.bind
        found = []
        for index, assertion in enumerate(assertions):
            bound = bind(scenario, f"{where}[{index}]", assertion)
            if bound is not None:
                found.append(bound)
                if bound.needs:
                    self._check_known(
                        scenario, f"{where}[{index}].expected", list(bound.needs), known
                    )
        return tuple(found)

    def _wanted_error(
        self, scenario: Scenario, where: str, call: ToolCall
    ) -> BoundAssertion | None:
        """Make the check for an expected error: that one came, or that its message matches."""
        if call.save_as:
            problem = "a call that expects an error has no result to save from"
            self._problems.add(scenario, f"{where}.save_as", problem)
        wanted = RAISED
        if isinstance(call.expect_error, str):
            wanted = Assertion("error.message", Op.MATCHES, call.expect_error, "raised")
        return self._assertions.bind(scenario, f"{where}.expect_error", wanted)

    def _saves(
        self, scenario: Scenario, where: str, call: ToolCall, known: set[str]
    ) -> tuple[tuple[str, BoundAssertion], ...]:
        """Bind each value that is saved to the check that it is there."""
        found = []
        for name, path in call.save_as.items():
            if (name, path) not in self._saving:
                saved = Assertion(path, Op.EXISTS, description=f"saved as {name!r}")
                bound = self._assertions.bind(scenario, f"{where}.save_as[{name!r}]", saved)
                self._saving[name, path] = bound
            bound = self._saving[name, path]
            if bound is not None:
                found.append((name, bound))
            known.add(name)
        return tuple(found)


def _takes_nothing(call: ToolCall) -> bool:
    return next(refs(call.args), None) is None
