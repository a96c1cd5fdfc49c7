"""What runs a coroutine for a synchronous engine: a loop of its own, a shared one, the caller's."""

import threading
from typing import Any

CANCEL_S = 1.0
RESPONDING_S = 0.2


class OwnLoop:
    """A loop that belongs to one lane, made when the first coroutine comes."""

    def __init__(self) -> None:
        """Make nothing yet: asyncio costs 40 ms, and most tables have no async handler."""
        self._loop: Any = None
        self._task: Any = None

    def __call__(self, awaitable: Any, /) -> Any:  # noqa: ANN401
        """Run an awaitable to its end on this lane's loop."""
        import asyncio  # noqa: PLC0415

        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        self._task = asyncio.ensure_future(_outcome(awaitable), loop=self._loop)
        try:
            return _given(self._loop.run_until_complete(self._task))
        except asyncio.CancelledError:
            raise RuntimeError("the coroutine was cancelled") from None
        finally:
            self._task = None

    def cancel(self) -> bool:
        """Ask the coroutine under way to stop, from another thread."""
        task, loop = self._task, self._loop
        if task is None:
            return False
        loop.call_soon_threadsafe(task.cancel)
        return True

    def close(self) -> None:
        """Cancel what is left on the loop, within a second, and close it."""
        if self._loop is not None and not self._loop.is_running():
            _closed(self._loop)


class CallersLoop:
    """The loop that the caller of `arun` runs: coroutines are handed over to it."""

    def __init__(self, loop: Any) -> None:  # noqa: ANN401
        """Take the running loop."""
        self._loop = loop
        self._future: Any = None

    def __call__(self, awaitable: Any, /) -> Any:  # noqa: ANN401
        """Run an awaitable to its end on the caller's loop."""
        import asyncio  # noqa: PLC0415
        from concurrent.futures import CancelledError  # noqa: PLC0415

        self._future = asyncio.run_coroutine_threadsafe(_outcome(awaitable), self._loop)
        try:
            return _given(self._future.result())
        except CancelledError:
            raise RuntimeError("the coroutine was cancelled") from None
        finally:
            self._future = None

    def cancel(self) -> bool:
        """Ask the coroutine under way to stop, from another thread."""
        future = self._future
        return bool(future is not None and future.cancel())

    def close(self) -> None:
        """Leave the loop to its owner."""


class SharedLoop:
    """One loop for all lanes of a run, on a thread of its own that starts when it is needed."""

    def __init__(self) -> None:
        """Make nothing yet."""
        self._lock = threading.Lock()
        self._loop: Any = None
        self._thread: threading.Thread | None = None

    def lane(self) -> "LaneOfShared":
        """Give what runs the coroutines of one lane."""
        return LaneOfShared(self)

    def running(self) -> Any:  # noqa: ANN401
        """Give the loop, started if it was not."""
        with self._lock:
            if self._loop is None:
                import asyncio  # noqa: PLC0415

                self._loop = asyncio.new_event_loop()
                thread = threading.Thread(target=_turn, args=(self._loop,), name="evalkit-loop")
                thread.daemon = True
                thread.start()
                self._thread = thread
        return self._loop

    def responds(self) -> bool:
        """Say whether the loop still turns: a coroutine may block it."""
        with self._lock:
            loop = self._loop
        answered = threading.Event()
        if loop is not None:
            loop.call_soon_threadsafe(answered.set)
        return answered.wait(RESPONDING_S)

    def renew(self) -> None:
        """Have another loop for what comes next: a tool blocks this one, or does not let go."""
        with self._lock:
            self._stop()

    def close(self) -> None:
        """Cancel what tools left on the loop, within a second, and close it."""
        with self._lock:
            thread = self._thread
            self._stop()
        if thread is not None:
            thread.join(2 * CANCEL_S)

    def _stop(self) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
        self._loop = self._thread = None


class LaneOfShared:
    """One lane's side of a shared loop, which is started for its first coroutine."""

    def __init__(self, shared: SharedLoop) -> None:
        """Take the loop that is shared."""
        self._shared = shared
        self._inner: CallersLoop | None = None

    def __call__(self, awaitable: Any, /) -> Any:  # noqa: ANN401
        """Run an awaitable to its end on the shared loop."""
        self._inner = CallersLoop(self._shared.running())
        return self._inner(awaitable)

    def cancel(self) -> bool:
        """Ask the coroutine under way to stop; False where the loop is blocked."""
        inner = self._inner
        return inner is not None and self._shared.responds() and inner.cancel()

    def close(self) -> None:
        """Leave the loop to the others."""


def _turn(loop: Any) -> None:  # noqa: ANN401
    """Run a loop on a thread of its own until it is stopped."""
    loop.run_forever()
    _closed(loop)


def _closed(loop: Any) -> None:  # noqa: ANN401
    """Cancel what is left on a loop that has stopped, within a second, and close it."""
    import asyncio  # noqa: PLC0415

    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.wait(left, timeout=CANCEL_S))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


async def _outcome(awaitable: Any) -> tuple[bool, Any]:  # noqa: ANN401
    """Await anything; what it raises is handed over, so that no loop ends by a SystemExit."""
    try:
        return True, await awaitable
    except (Exception, SystemExit) as error:  # noqa: BLE001  - around the subject
        return False, error


def _given(outcome: tuple[bool, Any]) -> Any:  # noqa: ANN401
    returned, value = outcome
    if returned:
        return value
    raise value
