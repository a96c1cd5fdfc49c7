"""Who is observed in a run: the tools, an agent, or what has been recorded of either."""

from importlib import import_module
from typing import TYPE_CHECKING

import attrs

from evalkit.asked import Asked
from evalkit.jobs import Recorded
from evalkit.loaders import named_from_here
from evalkit.subjects.kinds import AGENTS, PREDICTIONS, TOOLS, Kind, replayed

if TYPE_CHECKING:
    from evalkit.subjects.agent import Agent


@attrs.frozen(eq=False, repr=False)
class Cast:
    """The kind of subject, the agent where it is one, and what is recorded where nothing is run."""

    kind: Kind = TOOLS
    agent: "Agent | None" = None
    recorded: Recorded | None = None


def cast_of(asked: Asked) -> Cast:
    """Give who is observed; `CatalogueError` where that can't be found."""
    if asked.predictions is not None:
        return Cast(PREDICTIONS, None, asked.predictions)
    if asked.replay is not None:
        recordings = import_module("evalkit.recordings").Recordings(asked.replay)
        replay = import_module("evalkit.subjects.replay")
        talks = asked.agent is not None or recordings.subjects() == {AGENTS.name}
        return Cast(replayed(AGENTS if talks else TOOLS), None, replay.ReplaySubject(recordings))
    if asked.agent is None:
        return Cast()
    given = asked.agent
    if isinstance(given, str):
        given = named_from_here(given, "agent")
    return Cast(AGENTS, import_module("evalkit.subjects.agent").agent_of(given))
