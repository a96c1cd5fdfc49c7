"""What a scenario is compiled to: names, paths, operators and call styles bound before a run.

These are made for every call and assertion of a catalogue, so they are slotted and not frozen;
nothing changes them once they are made.
"""

from collections.abc import Callable
from typing import Any

import attrs

from evalkit.jsonvalue import Json
from evalkit.model import Assertion, Scenario, ToolCall
from evalkit.paths import Path
from evalkit.protocols import OperatorFunction

Transform = Callable[[Any], Any]


@attrs.define(eq=False, repr=False)
class BoundAssertion:
    """An assertion with its path and operator bound; `needs` names the saved values it expects.

    `rule` says what is wrong with an operand that is only known in the run.
    """

    assertion: Assertion
    path: Path
    function: OperatorFunction
    needs: tuple[str, ...]
    rule: Callable[[Assertion], Any]


@attrs.define(eq=False, repr=False)
class BoundCall:
    """A tool call, ready to be made: `needs` names the saved values that its arguments take.

    `literal` are the arguments that are known before the run, `names` the names of all of them.
    `flat` says that the arguments are scalars only, so that a shallow copy is the tool's own.
    `by_dict` says that the handler takes all of them as one dict. `schema` is what arguments are
    put to that are only known in the run. `error_if` is the tool's own test for a result that
    reports an error. `wanted_error` is the check for an expected error.
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


@attrs.define(eq=False, repr=False)
class Plan:
    """A scenario compiled for one kind of subject; `skip` says why it is not for it."""

    scenario: Scenario
    calls: tuple[BoundCall, ...]
    assertions: tuple[BoundAssertion, ...]
    skip: str | None
