"""What kinds of subject there are: what each can see, and which scenarios are for it."""

from collections.abc import Callable

import attrs

from evalkit.model import Scenario

FOR_AGENTS = "needs an agent: it has no tool calls"
NO_CALLS = "has tool calls, and predictions show none"


@attrs.frozen(eq=False, repr=False)
class Kind:
    """One kind of subject: its name in traces, the parts of a trace it can fill, whom it skips.

    `skip` gives the reason why a scenario is not for it, None where it is.
    """

    name: str
    observed: tuple[str, ...]
    skip: Callable[[Scenario], str | None]


ALWAYS = frozenset({"schema", "subject", "observed"})
"""What every trace holds, of whichever subject: who looks at nothing else looks at nothing."""

TOOLS = Kind(
    "tools",
    ("schema", "subject", "observed", "calls", "not_run", "errors", "seconds"),
    lambda scenario: None if scenario.tool_calls else FOR_AGENTS,
)
"""The tools themselves."""

PREDICTIONS = Kind(
    "agent",
    ("schema", "subject", "observed", "response"),
    lambda scenario: NO_CALLS if scenario.tool_calls else None,
)
"""An agent of which only the answers are known, for another program has asked it."""
