"""What a scenario is compiled to: names, paths, operators and call styles bound before a run.

These are made for every call and assertion of a catalogue, so they are slotted and not frozen;
nothing changes them once they are made.
"""

from collections.abc import Callable
from typing import Any

import attrs

from evalkit.jsonvalue import Json
from evalkit.model import Assertion, Op, Scenario, ToolCall
from evalkit.paths import Path
from evalkit.protocols import OperatorFunction

RETURNED = Assertion("", Op.EXISTS, description="returned")
"""What is asked of a call of which nothing else is."""
Transform = Callable[[Any], Any]
"""What a saved value goes through before it is an argument."""


@attrs.define(eq=False, repr=False)
class BoundAssertion:
    """An assertion with its path and operator bound; `needs` names the saved values it expects.

    `rule` says what is wrong with an operand that is only known in the run, and `transform` is what
    a saved value goes through before it is expected. `code` is what it comes to where it does not
    hold. One that is `incidental` was not asked for, and is skipped where nothing can be seen; one
    `of_agents` is about what an agent chose to call, which nobody chooses in a direct run; one
    `beside` is put to every agent, and makes no scenario pass by itself.
    """

    assertion: Assertion
    path: Path
    function: OperatorFunction
    needs: tuple[str, ...]
    rule: Callable[[Assertion], Any]
    code: str = "wrong_value"
    transform: Transform | None = None
    incidental: bool = False
    of_agents: bool = False
    beside: bool = False


@attrs.define(eq=False, repr=False)
class BoundCall:
    """A tool call, ready to be made: `needs` names the saved values that its arguments take.

    `literal` are the arguments that are known before the run, `names` the names of all of them.
    `flat` says that the arguments are scalars only, so that a shallow copy is the tool's own.
    `by_dict` says that the handler takes all of them as one dict. `schema` is what arguments are
    put to that are only known in the run. `error_if` is the tool's own test for a result that
    reports an error. `wanted_error` is the check for an expected error.

    An agent's call is this one where it sends what is `asked`, beside what is `free`, which is
    judged by `arg_checks` alone; `asked` None asks for no arguments.
    """

    step: int
    call: ToolCall
    tool: str
    args: dict[str, Json]
    literal: dict[str, Json]
    names: frozenset[str]
    flat: bool
    needs: tuple[str, ...]
    by_dict: bool
    schema: dict[str, Json] | None
    error_if: Callable[[Json], bool | str | None] | None
    timeout_s: float
    retry: int
    wanted_error: BoundAssertion | None
    checks: tuple[BoundAssertion, ...]
    saves: tuple[tuple[str, BoundAssertion], ...]
    asked: dict[str, Json] | None = None
    free: frozenset[str] = frozenset()
    arg_checks: tuple[BoundAssertion, ...] = ()


@attrs.define(eq=False, repr=False)
class Plan:
    """A scenario compiled for one kind of subject; `skip` says why it is not for it.

    `observable` are the parts of a trace that such a subject can fill. `pairing` says how calls are
    paired with steps: each was made for one ("step"), or as in `Scenario.match`. `timeout_s` is how
    long an agent has for a turn. `script` are all the scenario's calls, of which a replay is made.
    """

    scenario: Scenario
    calls: tuple[BoundCall, ...]
    assertions: tuple[BoundAssertion, ...]
    skip: str | None
    observable: frozenset[str] = frozenset()
    pairing: str = "step"
    timeout_s: float = 60.0
    script: tuple[BoundCall, ...] = ()
