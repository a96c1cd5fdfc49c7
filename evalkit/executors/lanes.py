"""Runs in this process: on one lane, or on several side by side."""

from collections.abc import Callable

from evalkit.engine import Engine
from evalkit.schedule import Schedule
from evalkit.watch import Track, Watch


def on_lanes(schedule: Schedule, watch: Watch[None], width: int) -> None:
    """Run a schedule on so many lanes, of which the caller's is one."""

    def work(track: Track[None]) -> Callable[[], None]:
        return Engine(schedule, track).run

    for _ in range(width - 1):
        watch.add(work)
    Engine(schedule, watch.tracks[0]).run()
