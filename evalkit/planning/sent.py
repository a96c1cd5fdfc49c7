"""What an agent must send for its call to be a step, and how what it sends is judged."""

from typing import Any

from evalkit.jsonvalue import Json, dotted
from evalkit.model import Assertion, Op, Ref, Scenario, ToolCall
from evalkit.plan import BoundAssertion
from evalkit.planning.assertions import AssertionBinder
from evalkit.planning.problems import Problems, check_known


class SentBinder:
    """Binds what is asked of the arguments that an agent sends."""

    def __init__(self, assertions: AssertionBinder, problems: Problems) -> None:
        """Take what binds assertions, and where problems are noted."""
        self._assertions = assertions
        self._problems = problems

    def asked(
        self,
        scenario: Scenario,
        step: int,
        call: ToolCall,
        literal: dict[str, Json],
        known: set[str],
    ) -> tuple[dict[str, Json] | None, frozenset[str], tuple[BoundAssertion, ...]]:
        """Say what an agent's call must send to be this one, what is free, and what is judged."""
        judged = self.arg_assertions(scenario, step, call, known)
        deciding = [bound for bound in judged if bound.assertion.severity == "fail"]
        heads = {bound.path.head for bound in deciding} - {None}
        taken = _taken(call, literal)
        passed = [
            self._passed_on(scenario, step, name, value, call)
            for name, value in taken.items()
            if name not in heads
        ]
        free = frozenset((*taken, *map(str, heads)))
        asked = {name: value for name, value in literal.items() if name not in heads}
        any_ = call.args_match == "ignore"
        return None if any_ else asked, frozenset() if any_ else free, (*judged, *passed)

    def arg_assertions(
        self, scenario: Scenario, step: int, call: ToolCall, known: set[str]
    ) -> tuple[BoundAssertion, ...]:
        """Bind the assertions on the arguments that an agent sends."""
        found = []
        for index, assertion in enumerate(call.arg_assertions):
            where = ("tool_calls", step, "arg_assertions", index)
            bound = self._assertions.bind(scenario, where, assertion)
            if bound is not None:
                bound.code = "wrong_argument"
                found.append(bound)
                check_known(self._problems, scenario, (*where, "expected"), bound.needs, known)
        return tuple(found)

    def _passed_on(
        self, scenario: Scenario, step: int, name: str, value: Json, call: ToolCall
    ) -> BoundAssertion:
        """Make the check that an argument is what earlier calls have saved."""
        said = Assertion(dotted([name]), Op.EQ, value, "passed on")
        bound = self._assertions.own(scenario, ("tool_calls", step, "args", name), said)
        bound.code, bound.transform = "wrong_argument", call.arg_transforms.get(name)
        return bound


def _taken(call: ToolCall, literal: dict[str, Json]) -> dict[str, Any]:
    """Give the arguments in which saved values stand, each as it is written."""
    written = {name: value for name, value in call.args.items() if name not in literal}
    return written | {name: Ref(saved) for name, saved in call.context_args.items()}
