"""What a run log costs, and how near runs side by side come to the ideal."""

import re
from importlib.util import find_spec
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.contenders.waiting import AT_ONCE, TOOLS, WAIT_S
from benchmarks.field import EVALKIT, EVALKIT_AGENT, EVALKIT_LOGGED
from benchmarks.measure import Job, measure, run_child
from benchmarks.ratios import marginal_us
from benchmarks.table import Bound, Table, judged

SIZE, QUICK_SIZE = 10_000, 500
LOG_BOUND_US = Bound(20)
AGENT_BOUND = Bound(3)
WAITING_BOUND = Bound(1.15)
IDEAL_S = TOOLS * WAIT_S / AT_ONCE
WAITERS = {
    "evalkit, sync tools on threads": ("sync", WAITING_BOUND),
    "evalkit, async tools on one loop": ("async", WAITING_BOUND),
    "pydantic-evals, async tasks": ("peer", None),
}


def log(repeat: int, size: int) -> Table:
    """What one record costs: the run with its log against the same run without."""
    jobs = {"without": EVALKIT.job(size), "with": EVALKIT_LOGGED.job(size)}
    costs = measure(jobs, repeat)
    pairs = zip(costs["with"].samples, costs["without"].samples, strict=True)
    each = median([(mine.cpu_s - bare.cpu_s) / size * 1e6 for mine, bare in pairs])
    rows = [(f"a record of five checks and two calls, at {size:,}", *judged(each, LOG_BOUND_US))]
    return Table("A run log", ("CPU us over no log", "", "bound", ""), rows)


def agent(repeat: int, size: int) -> Table:
    """What an agent of two recorded calls costs, in what the same scenario costs without one."""
    jobs = {
        f"{which}, {count:,}": contender.job(count)
        for which, contender in (("direct", EVALKIT), ("agent", EVALKIT_AGENT))
        for count in (1, size)
    }
    costs = measure(jobs, repeat)
    each = {
        which: marginal_us(costs[f"{which}, {size:,}"], costs[f"{which}, 1"], size)
        for which in ("direct", "agent")
    }
    title = f"An agent of two recorded calls, at {size:,}, without start-up"
    direct = ("direct", f"{each['direct']:.1f}", "", "", "")
    judgement = judged(each["agent"] / each["direct"], AGENT_BOUND)
    rows = [direct, ("agent", f"{each['agent']:.1f}", *judgement)]
    return Table(title, ("subject", "CPU us", "x direct", "bound", ""), rows)


def side_by_side(repeat: int) -> Table:
    """Tools that wait, so many at once: the time inside the process, in the ideal one."""
    rows = []
    for name, (which, bound) in WAITERS.items():
        if which != "peer" or find_spec("pydantic_evals") is not None:
            seconds = median([_elapsed(which) for _ in range(repeat)])
            rows.append((name, f"{seconds:.3f}", *judged(seconds / IDEAL_S, bound)))
    title = f"{TOOLS} tools of {WAIT_S * 1e3:g} ms, {AT_ONCE} at once: ideal {IDEAL_S:g} s"
    return Table(title, ("contender", "s", "x ideal", "bound", ""), rows)


def _elapsed(which: str) -> float:
    """Run one child, which must have done all of the work, and give the seconds that it states."""
    stated: list[float] = []

    def verify(output: str) -> str | None:
        found = re.search(r"^(\d+) passed in ([\d.]+) s", output, flags=re.MULTILINE)
        if found is None or int(found[1]) != TOOLS:
            return f"wanted {TOOLS} passed"
        stated.append(float(found[2]))
        return None

    with TemporaryDirectory() as folder:
        run_child(Job(["-m", "benchmarks.contenders.waiting", which], {}, verify), folder)
    return stated[0]
