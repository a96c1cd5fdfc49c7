"""What runs a coroutine for a synchronous engine: a loop of its own, or the caller's."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from evalkit.loops import CallersLoop, OwnLoop, SharedLoop


async def answer() -> int:
    """Answer, later."""
    await asyncio.sleep(0)
    return 7


async def refuse() -> None:
    """Raise, later."""
    await asyncio.sleep(0)
    raise LookupError("no such order")


async def long() -> None:
    """Take long."""
    await asyncio.sleep(30)


class Later(Awaitable[int]):
    """An awaitable that is no coroutine."""

    def __await__(self) -> Generator[Any, None, int]:
        """Answer."""
        yield from ()
        return 7


@pytest.fixture
def own() -> Any:
    """A loop of one's own, closed in the end."""
    loop = OwnLoop()
    yield loop
    loop.close()


def test_it_gives_what_is_awaited(own: OwnLoop) -> None:
    """A coroutine and any other awaitable give what they return."""
    assert own(answer()) == own(Later()) == 7


def test_it_raises_what_the_coroutine_raises(own: OwnLoop) -> None:
    """What a coroutine raises is raised to who runs it, and the loop serves the next."""
    with pytest.raises(LookupError, match="no such order"):
        own(refuse())
    assert own(answer()) == 7


@pytest.mark.parametrize("raised", [SystemExit, KeyboardInterrupt])
def test_the_loop_outlives_an_exit(own: OwnLoop, raised: type[BaseException]) -> None:
    """A coroutine that exits or is interrupted says so to who runs it, and the loop serves on."""

    async def leave() -> None:
        raise raised

    with pytest.raises(raised):
        own(leave())
    assert own(answer()) == 7


def test_one_loop_serves_all(own: OwnLoop) -> None:
    """All coroutines of a lane share one loop, so that what one opens the next can use."""

    async def which() -> int:
        return id(asyncio.get_running_loop())

    assert own(which()) == own(which())


def cancel_soon(loop: Any) -> None:
    """Cancel what runs, from another thread, as soon as something does."""
    deadline = time.monotonic() + 5
    while not loop.cancel() and time.monotonic() < deadline:
        time.sleep(0.001)


def test_what_runs_can_be_cancelled_from_another_thread(own: OwnLoop) -> None:
    """A coroutine that is told to stop stops, as an ordinary error of it."""
    thread = threading.Thread(target=cancel_soon, args=(own,))
    thread.start()
    started = time.monotonic()
    with pytest.raises(RuntimeError, match="cancelled"):
        own(long())
    thread.join()
    assert time.monotonic() - started < 5
    assert own(answer()) == 7


def test_there_may_be_nothing_to_cancel(own: OwnLoop) -> None:
    """To cancel where nothing runs says so."""
    assert own.cancel() is False
    own(answer())
    assert own.cancel() is False


def test_a_coroutine_that_cancels_itself_is_an_error(own: OwnLoop) -> None:
    """A CancelledError of the coroutine's own is an ordinary error, not an end of the run."""

    async def cancelled() -> None:
        raise asyncio.CancelledError

    with pytest.raises(RuntimeError, match="cancelled"):
        own(cancelled())


def test_what_is_left_is_cancelled_at_the_end() -> None:
    """Tasks that a tool has left behind are cancelled, and their clean-up runs."""
    loop = OwnLoop()
    ended: list[str] = []

    async def background() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            ended.append("cleaned up")

    tasks: list[asyncio.Task[None]] = []

    async def start() -> None:
        tasks.append(asyncio.get_running_loop().create_task(background()))
        await asyncio.sleep(0)

    loop(start())
    loop.close()
    assert ended == ["cleaned up"]


def test_to_close_what_was_never_used_is_nothing() -> None:
    """A lane without a coroutine has no loop to close."""
    OwnLoop().close()


def test_the_caller_s_loop_runs_what_it_is_handed() -> None:
    """Coroutines handed over run on the caller's loop, whose thread is another one."""

    async def which() -> tuple[int, int]:
        return id(asyncio.get_running_loop()), threading.get_ident()

    async def caller() -> None:
        loop = CallersLoop(asyncio.get_running_loop())
        here = (id(asyncio.get_running_loop()), threading.get_ident())
        assert await asyncio.to_thread(loop, which()) == here
        with pytest.raises(LookupError, match="no such order"):
            await asyncio.to_thread(loop, refuse())

    asyncio.run(caller())


def test_what_runs_on_the_caller_s_loop_can_be_cancelled() -> None:
    """A coroutine on the caller's loop that is told to stop stops, and the caller does not."""

    async def caller() -> str:
        loop = CallersLoop(asyncio.get_running_loop())
        thread = threading.Thread(target=cancel_soon, args=(loop,))
        thread.start()
        with pytest.raises(RuntimeError, match="cancelled"):
            await asyncio.to_thread(loop, long())
        thread.join()
        return "still here"

    assert asyncio.run(caller()) == "still here"


def test_an_exit_does_not_end_the_caller_s_loop() -> None:
    """A coroutine that exits says so to who runs it; the caller's loop goes on."""

    async def leave() -> None:
        raise SystemExit(0)

    async def caller() -> str:
        loop = CallersLoop(asyncio.get_running_loop())
        with pytest.raises(SystemExit):
            await asyncio.to_thread(loop, leave())
        return "still here"

    assert asyncio.run(caller()) == "still here"


@pytest.fixture
def shared() -> Any:
    """A loop for several lanes, closed in the end."""
    loop = SharedLoop()
    yield loop
    loop.close()


def side_by_side(acts: Sequence[Callable[[], Any]]) -> list[Any]:
    """Do things at the same time, each on a thread of its own."""
    with ThreadPoolExecutor(len(acts)) as threads:
        return [future.result(30) for future in [threads.submit(act) for act in acts]]


def on(lane: Any, make: Callable[[], Any]) -> Any:
    """Run a coroutine on a lane."""
    return lane(make())


def test_all_lanes_share_one_loop(shared: SharedLoop) -> None:
    """Coroutines of several lanes run on one loop, on one thread, which is nobody's lane."""

    async def which() -> tuple[int, int]:
        await asyncio.sleep(0)
        return id(asyncio.get_running_loop()), threading.get_ident()

    acts = [partial(on, shared.lane(), which) for _ in range(4)]
    places = {place for _ in range(2) for place in side_by_side(acts)}
    assert len(places) == 1
    assert threading.get_ident() not in {thread for _, thread in places}


def test_coroutines_of_lanes_meet(shared: SharedLoop) -> None:
    """While one lane's coroutine waits the others' run: each waits for all."""
    there: list[asyncio.Future[None]] = []

    async def meet() -> int:
        there.append(asyncio.get_running_loop().create_future())
        if len(there) == 5:
            for each in there:
                each.set_result(None)
        await asyncio.wait_for(there[-1], 30)
        return 7

    acts = [partial(on, shared.lane(), meet) for _ in range(5)]
    assert side_by_side(acts) == [7] * 5


def test_a_lane_of_a_shared_loop_gives_what_is_awaited(shared: SharedLoop) -> None:
    """What a coroutine returns or raises is its own lane's; an exit does not end the loop."""

    async def leave() -> None:
        raise SystemExit(3)

    lane = shared.lane()
    assert lane(answer()) == lane(Later()) == 7
    with pytest.raises(LookupError, match="no such order"):
        lane(refuse())
    with pytest.raises(SystemExit):
        lane(leave())
    assert lane(answer()) == 7


def test_one_lane_is_cancelled_alone(shared: SharedLoop) -> None:
    """To cancel one lane's coroutine leaves those of the others."""
    hung, good = shared.lane(), shared.lane()

    async def brief() -> int:
        await asyncio.sleep(0.1)
        return 7

    thread = threading.Thread(target=cancel_soon, args=(hung,))

    def cancelled() -> str:
        with pytest.raises(RuntimeError, match="cancelled"):
            hung(long())
        return "cancelled"

    thread.start()
    assert side_by_side([cancelled, lambda: good(brief())]) == ["cancelled", 7]
    thread.join()
    assert hung(answer()) == 7


def test_a_shared_loop_may_have_nothing_to_cancel(shared: SharedLoop) -> None:
    """To cancel where nothing runs says so, before the first coroutine and after it."""
    lane = shared.lane()
    assert lane.cancel() is False
    lane(answer())
    assert lane.cancel() is False


def test_a_lane_leaves_the_shared_loop_to_the_others(shared: SharedLoop) -> None:
    """A lane that ends closes nothing: the others go on."""
    one, other = shared.lane(), shared.lane()
    one(answer())
    one.close()
    assert other(answer()) == 7


def test_a_shared_loop_is_closed_in_the_end() -> None:
    """Its loop is closed and its thread ends; one that was never used had none."""
    shared = SharedLoop()

    async def which() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    loop = shared.lane()(which())
    shared.close()
    deadline = time.monotonic() + 5
    while not loop.is_closed() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert loop.is_closed()
    SharedLoop().close()


def test_what_is_left_on_a_shared_loop_is_cancelled_at_the_end() -> None:
    """Tasks that a tool has left behind are cancelled, and their clean-up runs."""
    shared, ended = SharedLoop(), threading.Event()
    tasks: list[asyncio.Task[None]] = []

    async def background() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            ended.set()

    async def start() -> None:
        tasks.append(asyncio.get_running_loop().create_task(background()))
        await asyncio.sleep(0)

    shared.lane()(start())
    shared.close()
    assert ended.wait(5)
