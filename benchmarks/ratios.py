"""Ratios of costs: of the medians, over rounds that were run in turn."""

from benchmarks.measure import Cost


def ratio_of(cost: Cost, base: Cost) -> float:
    """How many times the base it costs."""
    return cost.cpu_s / base.cpu_s


def spread_of(cost: Cost, base: Cost) -> str:
    """The least and the greatest ratio of any one round: how far the machine's noise reached."""
    pairs = zip(cost.samples, base.samples, strict=True)
    ratios = [mine.cpu_s / theirs.cpu_s for mine, theirs in pairs]
    return f"{min(ratios):.1f}..{max(ratios):.1f}"


def marginal_us(cost: Cost, one: Cost, size: int) -> float:
    """Microseconds for each case after the first: without what the process costs anyhow."""
    return (cost.cpu_s - one.cpu_s) / (size - 1) * 1e6
