"""How a run is held to its deadlines without a hand-off for each call.

The work is done on one worker thread, a lane; the thread that asked for it waits, and now and then
looks at the deadline that the lane has armed. Whoever takes the armed deadline away owns the
outcome: the lane, when its call has returned, or the watcher, when time was up. The watcher first
asks an async call to stop; a lane that still does not come back is given up, and counted, and a
new one goes on where it was.
"""

import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter
from typing import Any, Generic, TypeVar

from evalkit.errors import CatalogueError, StopRun
from evalkit.loops import OwnLoop
from evalkit.protocols import Awaiter

T = TypeVar("T")

GRACE_S = 0.5
CLOSING_S = 2.0
LONGEST_TICK_S = 0.5
SHORTEST_TICK_S = 0.005


class GivenUp(StopRun):
    """Unwinds a lane that came back after another had taken its place."""


class Lane:
    """One worker thread's side: the deadline it has armed, and whether it has been given up."""

    def __init__(self, awaiter: Awaiter) -> None:
        """Take what runs coroutines on this lane."""
        self.armed: list[float] = []
        self.awaiter = awaiter
        self._lock = threading.Lock()
        self._back = threading.Event()
        self._given_up = False

    def late(self) -> None:
        """Come back after the deadline; raise `GivenUp` where another lane has taken the place."""
        with self._lock:
            if self._given_up:
                raise GivenUp
            self._back.set()

    def overdue(self, now: float) -> bool:
        """Take away a deadline that has passed; from then on the outcome is the watcher's."""
        try:
            deadline = self.armed[-1]
            if deadline > now:
                return False
            self.armed.remove(deadline)
        except (IndexError, ValueError):
            return False
        return True

    def give_up(self) -> bool:
        """Wait a moment for a lane whose deadline has passed; True where it does not come back."""
        with self._lock:  # a lane that is back may be in its next call, which is not to be stopped
            asked = not self._back.is_set() and self.awaiter.cancel()
        self._back.wait(GRACE_S if asked else SHORTEST_TICK_S)
        with self._lock:
            self._given_up = not self._back.is_set()
            self._back.clear()
            return self._given_up


class Watch(Generic[T]):
    """Runs one piece of work on a lane, and watches it from the thread that asked."""

    def __init__(self, make_awaiter: Callable[[], Awaiter] = OwnLoop) -> None:
        """Take what makes the runner of coroutines for each lane."""
        self._make_awaiter = make_awaiter
        self._done = threading.Event()
        self._outcome: list[tuple[bool, Any]] = []
        self._thread: threading.Thread | None = None
        self._context = contextvars.copy_context()
        self.lane = Lane(make_awaiter())
        self.shortest_s = LONGEST_TICK_S
        self.stopping = False
        self.lost = 0
        self.doing = "the work"
        self.recover: Callable[[], T] | None = None

    def run(self, work: Callable[[], T]) -> T:
        """Do the work and give what it returns, or raise what it raises.

        A KeyboardInterrupt sets `stopping`, waits for the call under way, and is raised again.
        """
        self._start(work)
        try:
            self._wait()
        except KeyboardInterrupt:
            self.stopping = True
            self._done.wait(GRACE_S)
            raise
        if self._thread is not None:
            self._thread.join(CLOSING_S)
        returned, value = self._outcome[0]
        if returned:
            return value  # type: ignore[no-any-return]
        raise value

    def _start(self, work: Callable[[], T]) -> None:
        context = self._context.copy()
        self._thread = threading.Thread(
            target=context.run, args=(self._work, self.lane, work), name="evalkit", daemon=True
        )
        self._thread.start()

    def _work(self, lane: Lane, work: Callable[[], T]) -> None:
        """Do the work on this lane, and leave its outcome, unless the lane was given up."""
        outcome: tuple[bool, Any] | None = None
        try:
            outcome = (True, work())
        except GivenUp:
            pass
        except BaseException as error:  # noqa: BLE001  - handed to the thread that waits
            outcome = (False, error)
        if outcome is not None and lane is self.lane:
            self._outcome.append(outcome)
            self._done.set()
        with suppress(BaseException):  # what tools left on the loop; it is waited for a moment only
            lane.awaiter.close()

    def _wait(self) -> None:
        while not self._done.wait(self._tick()):
            if self.lane.overdue(perf_counter()) and self.lane.give_up():
                self._replace()

    def _tick(self) -> float:
        """Look often enough that the shortest deadline is overrun by a quarter at most."""
        return max(SHORTEST_TICK_S, min(self.shortest_s / 4, LONGEST_TICK_S))

    def _replace(self) -> None:
        """Go on with a new lane; the given-up thread is left to itself."""
        self.lost += 1
        self.lane = Lane(self._make_awaiter())
        if self.recover is None:
            self._thread = None
            self._outcome.append((False, CatalogueError("", self.doing)))
            self._done.set()
        else:
            self._start(self.recover)
