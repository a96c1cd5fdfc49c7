"""What evalkit costs against a plain loop, as the number of scenarios grows."""

from collections.abc import Sequence

from benchmarks.field import EVALKIT, PLAIN, Contender
from benchmarks.measure import Cost, measure
from benchmarks.ratios import marginal_us, ratio_of, spread_of
from benchmarks.table import Bound, Table, judged

SIZES = (1, 1_000, 10_000, 100_000)
QUICK_SIZES = (1, 1_000)
HEAD = ("cases", "CPU s", "peak MB", "us/case", "us/case after the first")
BOUNDS = {10_000: Bound(12, aim=6)}
GROWTH = Bound(1.2)

Costs = dict[str, Cost]


def scale(repeat: int, sizes: Sequence[int]) -> list[Table]:
    """What each costs at each size, and how evalkit compares with the loop and with itself."""
    field = [contender for contender in (PLAIN, EVALKIT) if contender.installed]
    jobs = {_key(one, size): one.job(size) for size in sizes for one in field}
    costs = measure(jobs, repeat)
    tables = [_absolute(field, sizes, costs)]
    if EVALKIT in field:
        tables.append(_relative(sizes, costs))
    return tables


def _key(contender: Contender, size: int) -> str:
    """The name of a job: `evalkit, 1,000`."""
    return f"{contender.name}, {size:,}"


def _absolute(field: Sequence[Contender], sizes: Sequence[int], costs: Costs) -> Table:
    """A row for each contender and size."""
    rows = []
    for contender in field:
        one = costs[_key(contender, sizes[0])]
        for size in sizes:
            cost = costs[_key(contender, size)]
            each = f"{cost.cpu_s / size * 1e6:.1f}"
            after = f"{marginal_us(cost, one, size):.1f}" if size > 1 else ""
            numbers = (f"{cost.cpu_s:.3f}", f"{cost.peak_mb:.0f}", each, after)
            rows.append((_key(contender, size), *numbers))
    return Table("Whole processes", HEAD, rows)


def _relative(sizes: Sequence[int], costs: Costs) -> Table:
    """What evalkit costs in plain loops, and a case of it as the number of cases grows."""
    rows = [_against_plain(size, costs) for size in sizes]
    if sizes[-1] > 10_000:
        rows += _growth(sizes[-1], costs)
    return Table("evalkit, relative", ("ratio", "", "bound", "", "rounds"), rows)


def _against_plain(size: int, costs: Costs) -> tuple[str, ...]:
    """One row: whole process against whole process."""
    mine, plain = costs[_key(EVALKIT, size)], costs[_key(PLAIN, size)]
    cells = judged(ratio_of(mine, plain), BOUNDS.get(size))
    return (f"evalkit / plain loop at {size:,}", *cells, spread_of(mine, plain))


def _growth(size: int, costs: Costs) -> list[tuple[str, ...]]:
    """Two rows: the cost of a case at the largest size in that at 10,000."""
    one, some, many = (costs[_key(EVALKIT, number)] for number in (1, 10_000, size))
    whole = (many.cpu_s / size) / (some.cpu_s / 10_000)
    after = marginal_us(many, one, size) / marginal_us(some, one, 10_000)
    name = f"a case of evalkit at {size:,} / at 10,000"
    return [
        (name, *judged(whole, GROWTH), ""),
        (f"{name}, start-up taken off", *judged(after, GROWTH), ""),
    ]
