"""What the parts of such a library cost in-process, in cases of the plain loop."""

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from statistics import median
from time import perf_counter, process_time

import attrs
import tenacity
from jsonpath_ng.ext.parser import parse

from benchmarks.contenders.plain import checks_passed
from benchmarks.table import Table
from benchmarks.workload import HEIGHT_MM, design, width_of

CASE = "one case of the plain loop"
RESULT = design(width_mm=width_of(0), height_mm=HEIGHT_MM)
NUMBER_S = 0.05

HEAD = ("part", "CPU us", "x one case", "x one case, elapsed")

Block = Callable[[], object]
Seconds = tuple[float, float]


@attrs.frozen
class Frozen:
    """What a check might be, frozen."""

    path: str
    op: str
    expected: object
    score: float
    reason: str | None


@attrs.define
class Slotted:
    """The same, slotted and not frozen."""

    path: str
    op: str
    expected: object
    score: float
    reason: str | None


def blocks(repeat: int) -> Table:
    """Each part as a multiple of one case, by medians of rounds run in turn."""
    with ThreadPoolExecutor(1) as pool:
        parts = _parts(pool)
        numbers = {name: _number(part) for name, part in parts.items()}
        rounds = [
            {name: _seconds(part, numbers[name]) for name, part in parts.items()}
            for _ in range(repeat)
        ]
    return Table("Building blocks", HEAD, _rows({name: _median(name, rounds) for name in parts}))


def _median(name: str, rounds: list[dict[str, Seconds]]) -> Seconds:
    """The medians of one part, of CPU and of elapsed time each."""
    cpu, elapsed = zip(*(costs[name] for costs in rounds), strict=True)
    return median(cpu), median(elapsed)


def _rows(costs: dict[str, Seconds]) -> list[tuple[str, ...]]:
    """A row for each part, beside one case of the plain loop."""
    base_cpu, base_elapsed = costs[CASE]
    return [
        (name, f"{cpu * 1e6:.1f}", f"{cpu / base_cpu:.1f}", f"{elapsed / base_elapsed:.1f}")
        for name, (cpu, elapsed) in costs.items()
    ]


def _parts(pool: ThreadPoolExecutor) -> dict[str, Block]:
    """The parts by name, in the order of the table."""
    return {
        CASE: lambda: checks_passed(0),
        "eight slotted attrs objects": lambda: _eight(Slotted),
        "eight frozen attrs objects": lambda: _eight(Frozen),
        "JSON round trip of a result": lambda: json.loads(json.dumps(RESULT)),
        "deepcopy of a result": lambda: deepcopy(RESULT),
        "a call through a new tenacity Retrying": _retrying,
        "a hand-off to a thread": lambda: pool.submit(int).result(),
        "asyncio.run": lambda: asyncio.run(_nothing()),
        "a JSONPath parse": lambda: parse("items[*].price"),
    }


def _eight(kind: type[Frozen] | type[Slotted]) -> list[Frozen | Slotted]:
    """Eight checks of the kind."""
    return [kind("exterior.width_mm", "eq", number, 1.0, None) for number in range(8)]


def _retrying() -> object:
    """A call that succeeds at once, with a retry around it."""
    return tenacity.Retrying(stop=tenacity.stop_after_attempt(3), reraise=True)(int)


async def _nothing() -> None:
    """As little as a coroutine can do."""


def _number(part: Block) -> int:
    """How many calls make a round long enough for the clock."""
    number = 1
    while (seconds := _seconds(part, number)[0] * number) < NUMBER_S:
        number *= 2 if seconds else 10
    return number


def _seconds(part: Block, number: int) -> Seconds:
    """The CPU seconds (of all threads) and the elapsed seconds of one call, over this many."""
    began = process_time(), perf_counter()
    for _ in range(number):
        part()
    return (process_time() - began[0]) / number, (perf_counter() - began[1]) / number
