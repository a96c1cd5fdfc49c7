"""What a worker elsewhere is told of a run, and how it is seen that both mean the same."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attrs

from evalkit.asked import Asked
from evalkit.callables import digest_of
from evalkit.catalogue import Catalogue
from evalkit.errors import CatalogueError
from evalkit.jobs import Job
from evalkit.loaders import STDIN, Reading
from evalkit.select import Selection
from evalkit.version import VERSION


@attrs.frozen(eq=False, repr=False)
class Order:
    """A run, as it is sent: files, the name of the tools, options; all of it can be pickled.

    `key` tells one run from another; `versions` are those of evalkit and Python; `expected` is a
    file with the digest of every scenario by name, where workers share files with the driver.
    """

    key: str
    files: tuple[str, ...]
    tools: str | None
    selection: Selection
    timeout_s: float | None
    versions: tuple[str, str]
    reading: Reading = attrs.field(factory=Reading)
    embed: str | None = None
    expected: str | None = None
    agent: Any = None
    replay: Path | None = None


@attrs.frozen(eq=False, repr=False)
class Piece:
    """One scenario and epoch to run; `digest` is that of the scenario and its tools' code.

    `crumbs` is a file to note in which call is under way, for a process may end in it.
    """

    name: str
    epoch: int
    digest: str
    crumbs: str | None = None


def versions() -> tuple[str, str]:
    """Give the versions that both sides must share."""
    return VERSION, ".".join(map(str, sys.version_info[:3]))


def order_of(asked: Asked, key: str) -> Order:
    """Make the order of a run; `CatalogueError` names what can't be sent."""
    if asked.tools is not None and not isinstance(asked.tools, str):
        problem = f"an object can't be sent to another process: {type(asked.tools).__name__}"
        raise CatalogueError("tools", problem, "name it: tools='package.module:NAME'")
    files = tuple(dict.fromkeys(_file(target) for target in asked.targets))
    loaded = any(not isinstance(target, str | Path) for target in asked.targets)
    selection = Selection() if loaded else asked.selection
    agent = asked.agent
    if not (agent is None or isinstance(agent, str) or hasattr(agent, "command")):
        problem = f"an object can't be sent to another process: {type(agent).__name__}"
        raise CatalogueError("agent", problem, "name it: agent='package.module:NAME'")
    if asked.services.embed is not None and asked.embed is None:
        problem = "an object can't be sent to another process: embed"
        raise CatalogueError("services", problem, "name it: --embed package.module:function")
    said = versions(), asked.reading, asked.embed, None, agent, asked.replay
    return Order(key, files, asked.tools, selection, asked.timeout_s, *said)


def is_whole(path: Path) -> bool:
    """Say whether a path can be read as often as it is asked for: a pipe can't."""
    return path.is_file() or path.is_dir()


def job_digest(job: Job) -> str:
    """Give the digest of a scenario together with the code of its tools."""
    return digest_of([job.fingerprint, job.tools_digest])


def digests_of(jobs: Iterable[Job]) -> dict[str, str]:
    """Give the digests of all scenarios of a run, by name."""
    return {job.plan.scenario.name: job_digest(job) for job in jobs}


def _file(target: Any) -> str:  # noqa: ANN401
    """Give the file that another process can load a target from."""
    if str(target) == STDIN:
        raise CatalogueError("executor", "no other process can read stdin", "name a file")
    if isinstance(target, str | Path) and Path(target).exists() and not is_whole(Path(target)):
        raise CatalogueError("executor", f"no other process can read {target}", "name a file")
    if isinstance(target, str | Path):
        return str(Path(target).absolute())
    home = target if isinstance(target, Catalogue) else target.home
    if home is None or home.source is None:
        problem = f"{target.name!r} comes from no file, so no other process can load it"
        raise CatalogueError("executor", problem, "put it in a file, or run it on threads")
    return str(Path(home.source).absolute())
