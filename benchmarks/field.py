"""Who takes part, how each is started, and how its own words say that the work was done."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from attrs import evolve, field, frozen

from benchmarks.measure import Job
from benchmarks.workload import CHECKS_PER_CASE, SIZE_VARIABLE

CONTENDERS = Path(__file__).resolve().parent / "contenders"
CATALOGUE = str(CONTENDERS / "scenarios.py")

# as light as pytest gets: no plugins but its own, no cache, no configuration of this project
PYTEST_OPTIONS = ("-q", "-p", "no:cacheprovider", "--rootdir=.", "-c", os.devnull)


@frozen
class Contender:
    """One way to run the cases: `says` matches what it counts, `counts` is that of one case."""

    name: str
    arguments: Sequence[str]
    module: str | None = None
    distribution: str | None = None
    largest: int = 100_000
    says: str = r"^(\d+) checks passed"
    counts: int = CHECKS_PER_CASE
    variables: Mapping[str, str] = field(factory=dict)

    @property
    def installed(self) -> bool:
        """Whether it can take part here."""
        return self.module is None or find_spec(self.module) is not None

    @property
    def title(self) -> str:
        """Its name, and its version where it is a peer."""
        return f"{self.name} {version(self.distribution)}" if self.distribution else self.name

    def job(self, size: int, **variables: str) -> Job:
        """The child that runs this many cases."""
        return Job(
            arguments=self.arguments,
            variables={**self.variables, **variables, SIZE_VARIABLE: str(size)},
            verify=_count_is(self.says, size * self.counts),
        )


def _count_is(pattern: str, wanted: int) -> Callable[[str], str | None]:
    """A check of the output: the number it states last is the one wanted."""

    def verify(output: str) -> str | None:
        found = re.findall(pattern, output, flags=re.MULTILINE)
        if found and int(found[-1]) == wanted:
            return None
        return f"wanted {wanted} from {pattern!r}, found {found[-1:] or 'nothing'}"

    return verify


PLAIN = Contender("plain loop", ["-m", "benchmarks.contenders.plain"])

# five assertions and one check that the value for the second call was saved
EVALKIT = Contender(
    "evalkit",
    ["-m", "evalkit", CATALOGUE, "-q", "--no-log"],
    module="evalkit.__main__",
    says=r"(\d+) (?:of \d+ )?checks",
    counts=CHECKS_PER_CASE + 1,
)

EVALKIT_LOGGED = evolve(EVALKIT, name="evalkit, logged", arguments=EVALKIT.arguments[:-1])

# beside these, an argument passed on, the order of the calls, hygiene, and that it came to its end
EVALKIT_AGENT = evolve(
    EVALKIT,
    name="evalkit, an agent",
    arguments=[*EVALKIT.arguments, "--agent", "benchmarks.contenders.clerk:answer"],
    counts=EVALKIT.counts + 4,
)

PYTEST = Contender(
    "pytest",
    ["-m", "pytest", *PYTEST_OPTIONS, str(CONTENDERS / "pytest_cases.py")],
    module="pytest",
    distribution="pytest",
    largest=10_000,
    says=r"^(\d+) passed",
    counts=1,
    variables={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
)

PYDANTIC_EVALS = Contender(
    "pydantic-evals",
    ["-m", "benchmarks.contenders.pydantic_cases"],
    module="pydantic_evals",
    distribution="pydantic-evals",
    largest=10_000,
)

INSPECT_AI = Contender(
    "inspect-ai",
    ["-m", "benchmarks.contenders.inspect_cases"],
    module="inspect_ai",
    distribution="inspect-ai",
    largest=1_000,
)

PEERS = (PYTEST, PYDANTIC_EVALS, INSPECT_AI)
EVERYONE = (PLAIN, EVALKIT, *PEERS)
