"""What kinds of subject there are: what each can see, and which scenarios are for it."""

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from evalkit.model import Scenario

FOR_AGENTS = "needs an agent: it has no tool calls"
FOR_TOOLS = "is for the tools alone: it has no prompt"
NO_CALLS = "has tool calls, and predictions show none"


@attrs.frozen(eq=False, repr=False)
class Kind:
    """One kind of subject: its name in traces, the parts of a trace it can fill, whom it skips.

    `skip` gives the reason why a scenario is not for it, None where it is. `timeout_s` is how long
    a call has, or a turn of an agent, that does not say. `talks` says that it is put the prompt.
    """

    name: str
    observed: tuple[str, ...]
    skip: Callable[[Scenario], str | None]
    timeout_s: float = 60.0
    talks: bool = False


ALWAYS = frozenset({"schema", "subject", "observed"})
"""What every trace holds, of whichever subject: who looks at nothing else looks at nothing."""

TOOLS = Kind(
    "tools",
    ("schema", "subject", "observed", "calls", "not_run", "errors", "seconds", "state"),
    lambda scenario: None if scenario.tool_calls else FOR_AGENTS,
)
"""The tools themselves."""

PREDICTIONS = Kind(
    "agent",
    ("schema", "subject", "observed", "response"),
    lambda scenario: NO_CALLS if scenario.tool_calls else None,
)
"""An agent of which only the answers are known, for another program has asked it."""

AGENTS = Kind(
    "agent",
    (
        *("schema", "subject", "observed", "response", "responses", "turns", "calls", "errors"),
        *("usage", "cost_usd", "seconds", "stop_cause", "state", "meta"),
    ),
    lambda scenario: None if scenario.prompt is not None else FOR_TOOLS,
    timeout_s=300.0,
    talks=True,
)
"""An agent that is put the prompt, and makes the calls itself."""


UNCOUNTED = frozenset({"seconds", "cost_usd"})
"""What is not observed in a recording: it took no time, and cost nothing."""


def replayed(kind: Kind) -> Kind:
    """Give the kind of subject that is a recording of another: it does not see time or cost."""
    seen = tuple(name for name in kind.observed if name not in UNCOUNTED)
    return attrs.evolve(kind, observed=seen)


def kind_of(trace: Mapping[str, Any]) -> Kind:
    """Give the kind of subject that a trace is of."""
    observed = trace["observed"]
    kind = TOOLS if trace["subject"] == TOOLS.name else AGENTS
    if kind is AGENTS and set(observed) <= set(PREDICTIONS.observed):
        return PREDICTIONS
    return kind if "seconds" in observed else replayed(kind)
