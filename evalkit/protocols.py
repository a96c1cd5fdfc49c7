"""What the parts that can be exchanged must offer each other."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

import attrs

from evalkit.jsonvalue import Json, brief
from evalkit.model import Assertion, fields
from evalkit.result import Outline, ScenarioResult, Verdict

T = TypeVar("T")


class Embed(Protocol):
    """What turns texts into vectors, in which near means alike."""

    def __call__(self, texts: list[str], /) -> Iterable[Iterable[float]]:
        """Give one vector for each text, all of one length."""
        ...


def _embed(value: Embed | None) -> Embed | None:
    if value is not None and not callable(value):
        hint = "a function of a list of texts; the command line takes its name"
        fields.fail("Services.embed", f"expected a function, got {brief(value)}", hint)
    return value


@attrs.frozen(eq=False)
class Services:
    """What operators may ask for from outside: `embed`, for SEMANTIC."""

    embed: Embed | None = attrs.field(default=None, converter=_embed)


def services_of(value: Services | None) -> Services:
    """Take services, or None for none; `CatalogueError` for anything else."""
    if value is None:
        return NO_SERVICES
    if not isinstance(value, Services):
        fields.fail("services", f"got {brief(value)}", "Services(embed=...)")
    return value


NO_SERVICES = Services()
"""What there is where nothing is given."""


class Context(Protocol):
    """What an operator may look at besides the value: the document, and the values saved so far."""

    @property
    def document(self) -> Json:
        """Give the whole document."""
        ...

    @property
    def saved(self) -> Mapping[str, Json]:
        """Give the values that earlier calls saved, by name."""
        ...


class OperatorFunction(Protocol):
    """What an operator is: a judgement on one value."""

    def __call__(self, actual: Json, assertion: Assertion, context: Context, /) -> Verdict:
        """Say whether the assertion holds of the value."""
        ...


class Awaiter(Protocol):
    """What runs an awaitable to its end on an event loop, and can be told to give it up."""

    def __call__(self, awaitable: Any, /) -> Any:  # noqa: ANN401
        """Run an awaitable and give what it returns."""
        ...

    def cancel(self) -> bool:
        """Ask what is running to stop, from another thread; False where nothing is."""
        ...

    def close(self) -> None:
        """Close the loop, if it is this object's own."""
        ...


class Guard(Protocol):
    """What holds a call to its deadline, from outside.

    Before a call its deadline is appended to `armed`, after it popped; an empty list then says that
    the deadline has passed, and `late` has to be asked who goes on.
    """

    armed: list[float]
    awaiter: Awaiter

    def late(self) -> None:
        """Return where this thread may go on; raise where another has taken its place."""
        ...

    def in_time(self, limit_s: float, act: Callable[[], T], /) -> T:
        """Do something of the author's, held to a deadline."""
        ...


class Table(Protocol):
    """The tools, open for one scenario."""

    tools: Mapping[str, Any]
    entries: Mapping[str, Any]
    own: bool
    env: Any


class Scope(Protocol):
    """What makes a loaded file's code see its own modules, from `folders`."""

    folders: tuple[str, ...]

    def activate(self) -> None:
        """Make this the scope that code runs in from now on."""
        ...

    def sources(self) -> list[Path]:
        """Give the files that have been imported in this scope."""
        ...


class Sink(Protocol):
    """What is told of a run: that it starts, each result in order, and that it is over."""

    def start(self, outline: Outline) -> None:
        """Take what is about to run."""
        ...

    def add(self, result: ScenarioResult) -> None:
        """Take one result."""
        ...

    def finish(self, report: Any) -> None:  # noqa: ANN401
        """Take the report, of an interrupted run too."""
        ...
