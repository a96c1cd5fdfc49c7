"""What a process costs before it has done anything: against `import json`."""

from benchmarks.field import CATALOGUE, EVALKIT
from benchmarks.measure import Job, measure
from benchmarks.ratios import ratio_of
from benchmarks.table import Bound, Table, judged
from benchmarks.workload import SIZE_VARIABLE

BASE = 'python -c "import json"'
VERSION = "python -m evalkit --version"
ONE = "python -m evalkit one_scenario.py"
BOUNDS = {VERSION: Bound(3), ONE: Bound(6)}


def startup(repeat: int) -> Table:
    """Bare Python, an import of the library, its version, and a run of one scenario."""
    costs = measure(_jobs(), repeat)
    rows = [
        (
            name,
            f"{cost.cpu_s * 1000:.0f}",
            *judged(ratio_of(cost, costs[BASE]), BOUNDS.get(name)),
        )
        for name, cost in costs.items()
    ]
    return Table("Start-up", ("process", "CPU ms", "x import json", "bound", ""), rows)


def _jobs() -> dict[str, Job]:
    """The processes, in the order of the table."""
    jobs = {BASE: _job(["-c", "import json"])}
    if EVALKIT.installed:
        jobs['python -c "import evalkit"'] = _job(["-c", "import evalkit"])
        jobs[VERSION] = _job(["-m", "evalkit", "--version"])
        jobs[ONE] = _job(["-m", "evalkit", CATALOGUE])
    return jobs


def _job(arguments: list[str]) -> Job:
    """A process that need only exit with 0."""
    return Job(arguments, {SIZE_VARIABLE: "1"}, lambda _output: None)
