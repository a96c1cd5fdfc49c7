"""What it costs to read scenarios from files strictly, and how much of them is held in a run."""

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import orjson

from benchmarks.measure import Job, measure, run_child
from benchmarks.table import Bound, Table, judged

SIZE, QUICK_SIZE = 100_000, 2_000
SIZES, QUICK_SIZES = (10_000, 100_000, 1_000_000), (2_000, 10_000)
STRICT = Bound(2.5)
HELD = Bound(16)
TOOLS = "tools.py"
CODE = "def count(n):\n    return {'n': n, 'ok': True}\n\n\nTOOLS = {'count': count}\n"
CHECKS = 2


def structuring(repeat: int, size: int) -> Table:
    """CPU time within the process: strictly structured against the trusting way."""
    with TemporaryDirectory() as folder:
        path = _written(Path(folder), size)
        seconds: dict[str, list[float]] = {"plain": [], "evalkit": []}
        for _ in range(repeat):
            for way, found in seconds.items():
                found.append(_read_in(way, path, size))
    ratios = [mine / bare for mine, bare in zip(seconds["evalkit"], seconds["plain"], strict=True)]
    spread = f"{min(ratios):.1f}..{max(ratios):.1f}"
    rows = [(f"{size:,} scenarios from NDJSON", *judged(median(ratios), STRICT), spread)]
    title = "Strict structuring against orjson.loads and constructors"
    return Table(title, ("what", "x plain", "bound", "", "rounds"), rows)


def held(sizes: Sequence[int]) -> Table:
    """Bytes of peak memory for each scenario more, through the command line."""
    peaks: dict[int, float] = {}
    arguments = ["--tools", "tools:TOOLS", "-q", "--no-log"]
    with TemporaryDirectory() as folder:
        (Path(folder) / TOOLS).write_text(CODE, encoding="utf-8")
        for size in sizes:
            path = _written(Path(folder), size)
            job = Job(["-m", "evalkit", path.name, *arguments], {}, partial(_done, size))
            peaks[size] = run_child(job, folder).peak_mb
    first, rows = sizes[0], []
    for size in sizes[1:]:
        more = (peaks[size] - peaks[first]) * 2**20 / (size - first)
        what = f"from {first:,} to {size:,} scenarios"
        rows.append((what, f"{peaks[size]:.1f}", *judged(more, HELD)))
    head = ("what", "peak MB", "bytes a scenario", "bound", "")
    return Table("Memory of a run from NDJSON, names that came twice found", head, rows)


def _done(size: int, output: str) -> str | None:
    """Whether a run says that all checks passed."""
    wanted = f"{size * CHECKS} of {size * CHECKS} checks"
    return None if wanted in output else f"wanted {wanted}"


def _written(folder: Path, size: int) -> Path:
    """Write a file of so many scenarios, each of a call with two checks."""
    path = folder / f"scenarios_{size}.ndjson"
    with path.open("wb") as file:
        for number in range(size):
            checks = [
                {"path": "n", "op": "eq", "expected": number},
                {"path": "ok", "op": "eq", "expected": True},
            ]
            call = {"tool": "count", "args": {"n": number}, "assertions": checks}
            scenario = {
                "name": f"scenario number {number}",
                "prompt": "How many are there?",
                "tool_calls": [call],
                "tags": ["count"],
            }
            file.write(orjson.dumps(scenario) + b"\n")
    return path


def _read_in(way: str, path: Path, size: int) -> float:
    """Run one reader, which must have read all checks, and give the seconds that it states."""
    stated: list[float] = []

    def verify(output: str) -> str | None:
        found = re.search(r"^(\d+) checks read in ([\d.]+) s", output, flags=re.MULTILINE)
        if found is None or int(found[1]) != size * CHECKS:
            return f"wanted {size * CHECKS} checks"
        stated.append(float(found[2]))
        return None

    arguments = ["-m", "benchmarks.contenders.structuring", way, str(path)]
    measure({way: Job(arguments, {}, verify)}, 1)
    return min(stated)
