"""The peers against evalkit, at the sizes that each of them can bear."""

from collections.abc import Sequence

from benchmarks.field import EVALKIT, PEERS, PLAIN, Contender
from benchmarks.measure import Cost, measure
from benchmarks.ratios import ratio_of, spread_of
from benchmarks.table import Bound, Table, judged

SIZES = (1, 1_000, 10_000)
QUICK_SIZES = (1, 100)
HEAD = ("contender", "CPU s", "x plain loop", "x evalkit", "bound", "", "rounds")
BOUNDS = {
    ("pytest", 10_000): Bound(8, aim=15, least=True),
    ("pydantic-evals", 10_000): Bound(8, aim=15, least=True),
    ("inspect-ai", 1_000): Bound(100, least=True),
}
ABSENT = "not installed (pip install -e '.[bench]')"


def peers(repeat: int, sizes: Sequence[int]) -> list[Table]:
    """A table for each size."""
    return [_at(size, repeat) for size in sizes]


def _at(size: int, repeat: int) -> Table:
    """All who can bear this size, in turn."""
    field = [one for one in (PLAIN, EVALKIT, *PEERS) if one.installed and size <= one.largest]
    costs = measure({one.name: one.job(size) for one in field}, repeat)
    rows = [_row(one, size, costs) for one in field]
    absent = [f"{one.name}: {ABSENT}" for one in PEERS if not one.installed]
    return Table(f"Peers at {size:,}", HEAD, rows, absent)


def _row(contender: Contender, size: int, costs: dict[str, Cost]) -> tuple[str, ...]:
    """What one costs, in plain loops and in evalkits."""
    cost = costs[contender.name]
    in_loops = f"{ratio_of(cost, costs[PLAIN.name]):.1f}"
    mine = costs.get(EVALKIT.name)
    if mine is None or contender in (PLAIN, EVALKIT):
        against: tuple[str, ...] = ("", "", "", "")
    else:
        bound = BOUNDS.get((contender.name, size))
        against = (*judged(ratio_of(cost, mine), bound), spread_of(cost, mine))
    return (contender.title, f"{cost.cpu_s:.3f}", in_loops, *against)
