"""A run is held to its deadlines from outside, without a hand-off for each call."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path

import pytest

from evalkit import CatalogueError
from evalkit.watch import GivenUp, Track, Watch

LONG_S, SHORT_S = 30.0, 0.05
NAME: ContextVar[str] = ContextVar("NAME", default="nobody")


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """An event that hung work waits for; it is set at the end of the test."""
    event = threading.Event()
    yield event
    event.set()


def watch() -> Watch[object]:
    """A watch that looks often."""
    made: Watch[object] = Watch()
    made.shortest_s = SHORT_S
    return made


def held(watched: Watch[object], seconds: float, act: Callable[[], object]) -> object:
    """Do something under a deadline, as a subject does with a call; "late" where it was."""
    lane = watched.lane
    lane.armed.append(time.perf_counter() + seconds)
    answer = act()
    try:
        lane.armed.pop()
    except IndexError:
        lane.late()
        return "late"
    return answer


def test_it_gives_what_the_work_returns() -> None:
    """The work's own answer comes back."""
    assert watch().run(lambda: 7) == 7


@pytest.mark.parametrize("raised", [ValueError("x"), KeyboardInterrupt(), SystemExit(3)])
def test_it_raises_what_the_work_raises(raised: BaseException) -> None:
    """What the work raises is raised where it was asked for, whatever it is."""

    def work() -> None:
        raise raised

    with pytest.raises(type(raised)) as caught:
        watch().run(work)
    assert caught.value is raised


def test_the_work_has_the_caller_s_context() -> None:
    """Context variables are the caller's, in the work too."""
    token = NAME.set("caller")
    try:
        assert watch().run(NAME.get) == "caller"
    finally:
        NAME.reset(token)


def test_the_work_is_on_one_other_thread() -> None:
    """All of the work is done on one thread, which is not the caller's."""
    idents: list[int] = []

    def work() -> None:
        idents.extend(threading.get_ident() for _ in range(3))

    watch().run(work)
    assert len(set(idents)) == 1
    assert threading.get_ident() not in idents


def test_work_in_time_is_left_alone() -> None:
    """A deadline that is not reached changes nothing."""
    watched = watch()
    assert watched.run(lambda: held(watched, LONG_S, lambda: "answer")) == "answer"
    assert watched.lost == 0


def test_a_lane_that_hangs_is_given_up(released: threading.Event) -> None:
    """Work past its deadline loses its place: another lane recovers, and the loss is counted."""
    watched = watch()
    watched.recover = lambda: "recovered"
    started = time.monotonic()
    work = lambda: held(watched, SHORT_S, lambda: released.wait(LONG_S))  # noqa: E731
    assert watched.run(work) == "recovered"
    assert time.monotonic() - started < 5
    assert watched.lost == 1


def test_a_second_hang_is_given_up_as_well(released: threading.Event) -> None:
    """A lane that recovers is watched as the first one was."""
    watched = watch()

    def hang() -> object:
        return held(watched, SHORT_S, lambda: released.wait(LONG_S))

    def again() -> object:
        watched.recover = lambda: "recovered twice"
        return hang()

    watched.recover = again
    assert watched.run(hang) == "recovered twice"
    assert watched.lost == 2


def test_without_a_way_to_recover_it_is_the_author_s_error(released: threading.Event) -> None:
    """Work that hangs before there is anything to go on with is told as what it was doing."""
    watched = watch()
    watched.doing = "loading: not within 1 s"
    with pytest.raises(CatalogueError, match="loading: not within 1 s"):
        watched.run(lambda: held(watched, SHORT_S, lambda: released.wait(LONG_S)))


def test_a_given_up_lane_changes_nothing_when_it_comes_back() -> None:
    """Work that returns after its place was taken is unwound, and its answer is dropped."""
    watched = watch()
    came_back, unwound = threading.Event(), threading.Event()

    def work() -> object:
        try:
            return held(watched, SHORT_S, came_back.wait)
        except GivenUp:
            unwound.set()
            raise

    def recover() -> str:
        came_back.set()
        assert unwound.wait(5)
        return "recovered"

    watched.recover = recover
    assert watched.run(work) == "recovered"


@pytest.mark.parametrize("limit_s", [0.02, 0.2])
def test_a_deadline_is_overrun_by_a_little_only(limit_s: float, released: threading.Event) -> None:
    """A hang is noticed soon after its deadline, never before it."""
    watched: Watch[float] = Watch()
    watched.shortest_s = limit_s
    watched.recover = time.monotonic
    started = time.monotonic()

    def work() -> float:
        watched.lane.armed.append(time.perf_counter() + limit_s)
        released.wait(LONG_S)
        return 0.0

    assert limit_s <= watched.run(work) - started < limit_s + 0.5


def test_thousands_of_deadlines_are_kept_apart() -> None:
    """Work that is in time every time is never taken for late, however short its deadline was."""
    watched = watch()

    def work() -> int:
        return sum(held(watched, LONG_S, lambda: 1) == 1 for _ in range(10_000))

    assert watched.run(work) == 10_000
    assert watched.lost == 0


LEFT = {
    "a task": """
async def left():
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            pass

async def tool():
    TASKS.append(asyncio.ensure_future(left()))
    await asyncio.sleep(0)
""",
    "an async generator": """
async def left():
    try:
        yield 1
    finally:
        await asyncio.sleep(60)

async def tool():
    TASKS.append(left())
    await anext(TASKS[0])
""",
}
LEAVING = """
import asyncio
from evalkit import Scenario, ToolCall, run
TASKS = []
{left}
print(run(Scenario("s", tool_calls=[ToolCall("t")]), tools={{"t": tool}}).passed, flush=True)
"""


@pytest.mark.parametrize("kind", LEFT)
def test_what_a_tool_leaves_on_the_loop_does_not_hold_the_run(kind: str) -> None:
    """The outcome is there before the loop is closed: what never ends is waited for a moment."""
    code = LEAVING.format(left=LEFT[kind])
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    argv = [sys.executable, "-c", code]
    done = subprocess.run(argv, capture_output=True, check=False, timeout=20, env=env)
    assert done.stdout == b"True\n", done.stderr.decode()


def test_work_side_by_side_is_on_threads_of_its_own() -> None:
    """Work that is added runs beside the first: each waits until all are there."""
    watched, meeting, idents = watch(), threading.Barrier(3, timeout=LONG_S), set[int]()

    def meet() -> int:
        idents.add(threading.get_ident())
        return meeting.wait()

    def work() -> object:
        for _ in range(2):
            watched.add(lambda _: meet)
        return meet()

    watched.run(work)
    assert len(idents) == 3


def test_it_waits_for_what_was_added() -> None:
    """A run is over when all of its work is; its answer is the first one's."""
    watched, ended = watch(), list[str]()

    def slow() -> None:
        time.sleep(0.1)
        ended.append("added")

    def work() -> str:
        watched.add(lambda _: slow)
        return "first"

    assert watched.run(work) == "first"
    assert ended == ["added"]


def test_added_work_has_the_caller_s_context() -> None:
    """Context variables are the caller's in work that is added, and what one sets is its own."""
    token, seen = NAME.set("caller"), list[str]()
    watched = watch()

    def added() -> None:
        seen.append(NAME.get())
        NAME.set("added")

    def work() -> object:
        watched.add(lambda _: added)
        return None

    try:
        watched.run(work)
        assert (seen, NAME.get()) == (["caller"], "caller")
    finally:
        NAME.reset(token)


@pytest.mark.parametrize("raised", [ValueError("x"), KeyboardInterrupt(), SystemExit(3)])
def test_it_raises_what_added_work_raises(raised: BaseException) -> None:
    """An error of work that was added is raised where the run was asked for."""
    watched = watch()

    def added() -> None:
        raise raised

    def work() -> object:
        watched.add(lambda _: added)
        return None

    with pytest.raises(type(raised)) as caught:
        watched.run(work)
    assert caught.value is raised


def test_added_work_that_hangs_is_given_up_alone(released: threading.Event) -> None:
    """A lane beside the first loses its own place; the first one's work goes on untouched."""
    watched = watch()

    def hanging(track: Track[object]) -> Callable[[], object]:
        def work() -> object:
            track.recover = lambda: "recovered"
            track.lane.armed.append(time.perf_counter() + SHORT_S)
            return released.wait(LONG_S)

        return work

    def work() -> object:
        watched.add(hanging)
        return [held(watched, LONG_S, lambda: time.sleep(0.001)) for _ in range(100)]

    assert watched.run(work) == [None] * 100
    assert watched.lost == 1
    assert [track.outcome for track in watched.tracks[1:]] == [(True, "recovered")]


def test_several_that_hang_are_given_up_together(released: threading.Event) -> None:
    """Of many lanes that hang at once each is replaced, and none waits for the others."""
    watched = watch()

    def hanging(track: Track[object]) -> Callable[[], object]:
        def work() -> object:
            track.recover = lambda: "recovered"
            track.lane.armed.append(time.perf_counter() + SHORT_S)
            return released.wait(LONG_S)

        return work

    def work() -> object:
        for _ in range(8):
            watched.add(hanging)
        return None

    started = time.monotonic()
    watched.run(work)
    assert time.monotonic() - started < 10
    assert watched.lost == 8


def test_who_wants_to_know_is_told_of_a_stop() -> None:
    """An interrupt begins nothing new, tells who wants to know once, and is raised again."""
    watched, told, stopped = watch(), list[str](), threading.Event()

    def stop() -> None:
        told.append("stop")
        stopped.set()

    def interrupting() -> None:
        if not told:
            told.append("interrupt")
            raise KeyboardInterrupt

    watched.on_stop, watched.on_tick = stop, interrupting
    with pytest.raises(KeyboardInterrupt):
        watched.run(lambda: stopped.wait(LONG_S))
    assert told == ["interrupt", "stop"]
    assert watched.stopping


def test_an_interrupt_waits_for_what_is_under_way() -> None:
    """What ends within a moment of the interrupt has ended when it is raised again."""
    watched, stopped, ended = watch(), threading.Event(), list[str]()
    watched.stopping_s = LONG_S
    watched.on_stop = stopped.set

    def interrupting() -> None:
        raise KeyboardInterrupt

    def work() -> None:
        stopped.wait(LONG_S)
        time.sleep(0.05)
        ended.append("cleaned up")

    watched.on_tick = interrupting
    with pytest.raises(KeyboardInterrupt):
        watched.run(work)
    assert ended == ["cleaned up"]


def test_it_ticks_while_work_goes_on() -> None:
    """Whoever wants to do something now and then is called at least twice a second."""
    watched, ticks = Watch[object](), list[float]()
    watched.on_tick = lambda: ticks.append(time.monotonic())
    watched.run(lambda: time.sleep(1.3))
    assert len(ticks) >= 2
