"""What an agent is handed beside the conversation: its tools, limits, files, examples."""

from collections.abc import Callable, Iterator, Mapping
from time import perf_counter
from typing import Any

from evalkit.fingerprints import default_session_id
from evalkit.model import Env, FewShot, Limits, Scenario
from evalkit.protocols import Table
from evalkit.subjects.attachments import Attached, attached
from evalkit.subjects.noted import Calls
from evalkit.toolbox.offered import Offered


class Tools(Mapping[str, Callable[..., Any]]):
    """The tools as an agent calls them: `tools["name"](argument=value)`, or with one dict.

    A name that there is not can be called as well, as a model may: that is noted and raises.
    """

    def __init__(self, calls: Calls, names: Mapping[str, Any]) -> None:
        """Take where calls are noted, and the names that there are."""
        self._calls = calls
        self._names = names

    def __getitem__(self, name: str) -> Callable[..., Any]:
        """Give what calls a tool."""
        make = self._calls.make

        def act(*given: Any, **args: Any) -> Any:  # noqa: ANN401
            if not given:
                return make(name, args)
            return make(name, given[0] if len(given) == 1 and not args else list(given))

        return act

    def __iter__(self) -> Iterator[str]:
        """Name the tools."""
        return iter(self._names)

    def __len__(self) -> int:
        """Count the tools."""
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        """Say whether there is a tool of that name."""
        return name in self._names

    def get(self, name: str, default: Any = None) -> Any:  # noqa: ANN401
        """Give what calls a tool, where there is one of that name."""
        return self[name] if name in self._names else default


class Context:
    """What an agent may know of the run: never what is expected of it.

    `tools` calls the tools by name, `tool_specs` describes them as OpenAI's clients take it. `env`
    has the resources of the tools. `turn` counts the user's turns and `epoch` the runs, from 1;
    `deadline_s` is how many seconds are left for this turn.
    """

    def __init__(
        self, scenario: Scenario, calls: Calls, table: Table, offered: Offered, epoch: int
    ) -> None:
        """Take what is handed to the agent."""
        self.tools = Tools(calls, calls.tools)
        self.epoch = epoch
        self.turn = 0
        self._scenario, self._table, self._offered = scenario, table, offered
        self._ends = 0.0

    def begin(self, turn: int, ends: float) -> None:
        """Begin a turn, which ends at a time of the clock at the latest."""
        self.turn, self._ends = turn, ends

    @property
    def tool_specs(self) -> list[dict[str, Any]]:
        """Describe the tools: {"type": "function", "function": {name, description, parameters}}."""
        return [
            each for each in self._offered.functions() if each["function"]["name"] in self.tools
        ]

    @property
    def env(self) -> Env:
        """Give the resources that the tools stand on, with the tools as the agent has them."""
        return Env(self.tools, **self._table.env.resources)

    @property
    def limits(self) -> Limits | None:
        """Give what the run is given."""
        return self._scenario.limits

    @property
    def few_shot(self) -> tuple[FewShot, ...]:
        """Give the examples that go with the prompt."""
        return self._scenario.few_shot

    @property
    def attachments(self) -> tuple[Attached, ...]:
        """Give the files that go with the prompt, read from where they are."""
        return attached(self._scenario)

    @property
    def session_id(self) -> str:
        """Give the session's id: the scenario's own, else one that is always the same for it."""
        return self._scenario.session_id or default_session_id(self._scenario.but(session_id=None))

    @property
    def deadline_s(self) -> float:
        """Give how many seconds are left for this turn."""
        return max(0.0, self._ends - perf_counter())
