"""How a tool call is bound to its tool and to what earlier calls save, and what can be wrong."""

from collections.abc import Mapping
from typing import Any

import attrs

from evalkit.jsonvalue import Json
from evalkit.model import Assertion, Op, Ref, Scenario, ToolCall, refs
from evalkit.operators.schema import schema_flaw
from evalkit.plan import RETURNED, BoundAssertion, BoundCall
from evalkit.planning.assertions import AssertionBinder
from evalkit.planning.problems import Problems, Where, check_known
from evalkit.planning.sent import SentBinder
from evalkit.registry import hint_for
from evalkit.toolbox import ToolSpec, argument_problems, spec_of

RAISED = Assertion("error", Op.EXISTS, description="raised")
ANY_SPEC = ToolSpec(by_dict=False, accepted=None, required=(), schema=None, error_if=None)
_DEEP = frozenset({dict, list, Ref})


class CallBinder:
    """Binds the calls of scenarios to one table; without a table, for grading alone."""

    def __init__(
        self,
        tools: Mapping[str, Any] | None,
        assertions: AssertionBinder,
        problems: Problems,
        timeout_s: float,
        *,
        asks: bool = False,
    ) -> None:
        """Take the open table, and how long a call may take that does not say.

        `asks` says that calls are an agent's to make, so that their arguments are judged, too.
        """
        self._asks = asks
        self._sent = SentBinder(assertions, problems)
        self._tools = tools
        self._assertions = assertions
        self._problems = problems
        self._timeout_s = timeout_s
        self._specs: dict[str, ToolSpec] = {}
        self._fitting: dict[tuple[str, ...], frozenset[str]] = {}
        self._saving: dict[tuple[str, str], BoundAssertion | None] = {}

    def bind(self, scenario: Scenario, step: int, call: ToolCall, known: set[str]) -> BoundCall:
        """Bind one call; `known` names what earlier calls save, and takes what this one does."""
        spec = self._specs.get(call.tool) or self._spec(scenario, step, call)
        flat = _DEEP.isdisjoint(map(type, call.args.values()))
        needs: tuple[str, ...] = ()
        if call.context_args or call.arg_transforms or not flat:
            needs = self._needs(scenario, step, call, known, flat=flat)
        literal = call.args if flat else _literal(call.args)
        asked: tuple[Any, ...] = ()
        if self._asks:
            simple = literal is call.args and not (call.context_args or call.arg_assertions)
            if simple and call.args_match != "ignore":
                asked = (literal,)
            else:
                asked = self._sent.asked(scenario, step, call, literal, known)
        elif call.arg_assertions:
            self._sent.arg_assertions(scenario, step, call, known)
        return BoundCall(
            step,
            call,
            call.tool,
            call.args,
            literal,
            self._names(scenario, step, call, spec),
            flat and not needs,
            needs,
            spec.by_dict,
            spec.schema if needs and call.expect_error is None else None,
            spec.error_if,
            call.timeout_s or self._timeout_s,
            call.retry,
            None if call.expect_error is None else self._wanted_error(scenario, step, call),
            self._checks(scenario, step, call, known),
            self._saves(scenario, step, call, known) if call.save_as else (),
            *asked,
        )

    def _spec(self, scenario: Scenario, step: int, call: ToolCall) -> ToolSpec:
        """Describe the tool of a call, once for each tool there is."""
        if self._tools is None:
            return ANY_SPEC
        if call.tool not in self._tools:
            hint = hint_for(call.tool, self._tools)
            where = ("tool_calls", step, "tool")
            self._problems.add(scenario, where, f"unknown tool {call.tool!r}", hint)
            return ANY_SPEC
        spec = self._specs[call.tool] = spec_of(self._tools[call.tool])
        flaw = None if spec.schema is None else schema_flaw(spec.schema, strict=False)
        if flaw is not None:
            where = ("tool_calls", step, "tool")
            self._problems.add(scenario, where, f"the schema of {call.tool!r} {flaw}")
            spec = self._specs[call.tool] = attrs.evolve(spec, schema=None)
        return spec

    def _names(
        self, scenario: Scenario, step: int, call: ToolCall, spec: ToolSpec
    ) -> frozenset[str]:
        """Name all arguments, held against signature and schema; what fitted once fits again."""
        shape = (call.tool, *call.args, *call.context_args)
        names = self._fitting.get(shape)
        if names is None:
            names = frozenset(shape[1:])
            fits = spec is ANY_SPEC or self._check_arguments(scenario, step, call, spec)
            if fits and spec.schema is None:
                self._fitting[shape] = names
        return names

    def _check_arguments(
        self, scenario: Scenario, step: int, call: ToolCall, spec: ToolSpec
    ) -> bool:
        """Hold arguments against signature and schema; True where they fit."""
        free = bool(call.arg_assertions) or call.args_match in ("subset", "ignore")
        whole = not (self._asks and free)  # an agent may send what is left open here
        found = argument_problems(spec, call.args, call.context_args, whole=whole)
        meant = call.expect_error is not None
        for each in found:
            problem = f"{call.tool} {each.problem}" + ", so that is the error it will give" * meant
            where = ("tool_calls", step, "args")
            self._problems.add(scenario, where, problem, each.hint, warning=meant)
        return not found

    def _needs(
        self, scenario: Scenario, step: int, call: ToolCall, known: set[str], *, flat: bool
    ) -> tuple[str, ...]:
        """Name the saved values that the arguments take, noting those that nothing saves."""
        where: Where = ("tool_calls", step)
        in_args: list[str] = []
        if not flat:
            in_args += refs(call.args)
            check_known(self._problems, scenario, (*where, "args"), in_args, known)
        for argument, name in call.context_args.items():
            if name not in known:
                check_known(
                    self._problems, scenario, (*where, "context_args", argument), (name,), known
                )
            if argument in call.args:
                problem = f"the argument {argument!r} stands in args too"
                hint = "leave one of them out"
                self._problems.add(scenario, (*where, "context_args"), problem, hint)
        for argument in call.arg_transforms:
            if argument not in call.context_args:
                problem = f"no argument {argument!r} is taken from a saved value"
                hint = f"add context_args={{{argument!r}: ...}}"
                self._problems.add(scenario, (*where, "arg_transforms"), problem, hint)
        return tuple(dict.fromkeys((*in_args, *call.context_args.values())))

    def _checks(
        self, scenario: Scenario, step: int, call: ToolCall, known: set[str]
    ) -> tuple[BoundAssertion, ...]:
        """Bind the call's assertions; without any that can fail it, add that it returned."""
        found = []
        can_fail = call.expect_error is not None
        for index, assertion in enumerate(call.assertions):
            where = ("tool_calls", step, "assertions", index)
            bound = self._assertions.bind(scenario, where, assertion)
            can_fail = can_fail or assertion.severity == "fail"
            if bound is not None:
                found.append(bound)
                if bound.needs:
                    check_known(self._problems, scenario, (*where, "expected"), bound.needs, known)
        if not can_fail:
            found.append(self._assertions.own(scenario, ("tool_calls", step), RETURNED))
        return tuple(found)

    def _wanted_error(self, scenario: Scenario, step: int, call: ToolCall) -> BoundAssertion | None:
        """Make the check for an expected error: that one came, or that its message matches."""
        where = ("tool_calls", step)
        if call.save_as:
            problem = "a call that expects an error has no result to save from"
            self._problems.add(scenario, (*where, "save_as"), problem)
        wanted = RAISED
        if isinstance(call.expect_error, str):
            wanted = Assertion("error.message", Op.MATCHES, call.expect_error, "raised")
        return self._assertions.bind(scenario, (*where, "expect_error"), wanted)

    def _saves(
        self, scenario: Scenario, step: int, call: ToolCall, known: set[str]
    ) -> tuple[tuple[str, BoundAssertion], ...]:
        """Bind each value that is saved to the check that it is there."""
        found = []
        for pair in call.save_as.items():
            name, path = pair
            if name in known:
                where: Where = ("tool_calls", step, "save_as", name)
                problem = f"{name!r} is saved before; this value counts from here on"
                self._problems.add(scenario, where, problem, "another name", warning=True)
            bound = self._saving.get(pair)
            if bound is None:
                saved = Assertion(path, Op.EXISTS, description=f"saved as {name!r}")
                where = ("tool_calls", step, "save_as", name)
                bound = self._saving[pair] = self._assertions.bind(scenario, where, saved)
            if bound is not None:
                found.append((name, bound))
            known.add(name)
        return tuple(found)


def _literal(args: dict[str, Json]) -> dict[str, Json]:
    """Give the arguments in which no saved value stands."""
    return {name: value for name, value in args.items() if next(refs(value), None) is None}
