"""How a run is held to its deadlines without a hand-off for each call.

The work is done on worker threads, lanes; the thread that asked for it waits, and now and then
looks at the deadlines that the lanes have armed. Whoever takes an armed deadline away owns the
outcome: the lane, when its call has returned, or the watcher, when time was up. The watcher first
asks an async call to stop; a lane that still does not come back is given up, and counted, and a
new one goes on where it was. Deadlines are on `time.perf_counter`, a clock that no change of the
date moves; while the machine sleeps, it stands still (Linux) or goes on (others).
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

    def __init__(self, awaiter: Awaiter, armed: list[float] | None = None) -> None:
        """Take what runs coroutines on this lane, and the list that deadlines are put in."""
        self.armed: list[float] = [] if armed is None else armed
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

    def in_time(self, limit_s: float, act: Callable[[], T]) -> T:
        """Do what runs code of the author's, held to a deadline as a call is."""
        self.armed.append(perf_counter() + limit_s)
        try:
            return act()
        finally:
            try:
                self.armed.pop()
            except IndexError:
                self.late()

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

    def ask_to_stop(self) -> bool:
        """Ask an async call whose deadline has passed to stop; False where there is none to ask."""
        with self._lock:  # a lane that is back may be in its next call, which is not to be stopped
            return not self._back.is_set() and self.awaiter.cancel()

    def give_up(self, wait_s: float) -> bool:
        """Wait a moment for a lane whose deadline has passed; True where it does not come back."""
        self._back.wait(wait_s)
        with self._lock:
            self._given_up = not self._back.is_set()
            self._back.clear()
            return self._given_up


class Track(Generic[T]):
    """One piece of work under watch: the lane it is on now, and how it goes on from a lost one."""

    def __init__(self, lane: Lane) -> None:
        """Take the first lane."""
        self.lane = lane
        self.thread: threading.Thread | None = None
        self.recover: Callable[[], T] | None = None
        self.outcome: tuple[bool, Any] = (True, None)


class Watch(Generic[T]):
    """Runs work on lanes, and watches them from the thread that asked.

    Most work is on one lane, that of the first track; what runs side by side `adds` tracks.
    `on_stop` is called when an interrupt comes, `on_tick` at least twice a second, `on_lost` where
    a lane is given up.
    """

    def __init__(self, make_awaiter: Callable[[], Awaiter] = OwnLoop) -> None:
        """Take what makes the runner of coroutines for each lane."""
        self.make_awaiter = make_awaiter
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._ended = 0
        self._context = contextvars.copy_context()
        self.tracks: list[Track[T]] = [Track(Lane(make_awaiter()))]
        self.shortest_s = LONGEST_TICK_S
        self.stopping = False
        self.stopping_s = GRACE_S
        self.lost = 0
        self.doing = "the work"
        self.on_stop: Callable[[], None] = _nothing
        self.on_tick: Callable[[], None] = _nothing
        self.on_lost: Callable[[], None] = _nothing
        self.make_armed: Callable[[], list[float]] = list

    @property
    def lane(self) -> Lane:
        """Give the lane of the first track."""
        return self.tracks[0].lane

    @property
    def recover(self) -> Callable[[], T] | None:
        """Give how the first track goes on from a lost lane."""
        return self.tracks[0].recover

    @recover.setter
    def recover(self, recover: Callable[[], T]) -> None:
        self.tracks[0].recover = recover

    def run(self, work: Callable[[], T]) -> T:
        """Do the work and give what it returns, or raise what it, or work that it added, raises.

        A KeyboardInterrupt sets `stopping`, waits a moment for what is under way, and is raised
        again.
        """
        self._start(self.tracks[0], work)
        try:
            self._wait()
        except KeyboardInterrupt:
            self.stop()
            self._done.wait(self.stopping_s)
            raise
        for track in self.tracks:
            if track.thread is not None:
                track.thread.join(CLOSING_S)
        outcomes = [track.outcome for track in self.tracks]
        for returned, value in outcomes:
            if not returned:
                raise value
        return outcomes[0][1]  # type: ignore[no-any-return]

    def add(self, make_work: Callable[[Track[T]], Callable[[], T]]) -> None:
        """Start a piece of work beside the first, on a lane of its own; called from a lane."""
        track: Track[T] = Track(Lane(self.make_awaiter()))
        with self._lock:
            self.tracks.append(track)
        self._start(track, make_work(track))

    def in_time(self, doing: str, limit_s: float, act: Callable[[], Any]) -> Any:  # noqa: ANN401
        """Do something of the author's on the first lane, under a deadline."""
        self.doing = f"{doing}: not done within {limit_s:g} s"
        return self.lane.in_time(limit_s, act)

    def stop(self) -> None:
        """Begin nothing new, and tell whoever wants to know."""
        self.stopping = True
        self.on_stop()

    def _start(self, track: Track[T], work: Callable[[], T]) -> None:
        context = self._context.copy()
        track.thread = threading.Thread(
            target=context.run, args=(self._work, track, track.lane, work), name="evalkit"
        )
        track.thread.daemon = True
        track.thread.start()

    def _work(self, track: Track[T], lane: Lane, work: Callable[[], T]) -> None:
        """Do the work on this lane, and leave its outcome, unless the lane was given up."""
        outcome: tuple[bool, Any] | None = None
        try:
            outcome = (True, work())
        except GivenUp:
            pass
        except BaseException as error:  # noqa: BLE001  - handed to the thread that waits
            outcome = (False, error)
        if outcome is not None and lane is track.lane:
            self._end(track, outcome)
        with suppress(BaseException):  # what tools left on the loop; it is waited for a moment only
            lane.awaiter.close()

    def _end(self, track: Track[T], outcome: tuple[bool, Any]) -> None:
        track.outcome = outcome
        with self._lock:
            self._ended += 1
            if self._ended == len(self.tracks):
                self._done.set()

    def _wait(self) -> None:
        while not self._done.wait(self._tick()):
            now = perf_counter()
            late = [track for track in list(self.tracks) if track.lane.overdue(now)]
            asked = [track.lane.ask_to_stop() for track in late]
            until = perf_counter() + (GRACE_S if any(asked) else SHORTEST_TICK_S)
            for track in late:
                if track.lane.give_up(max(0.0, until - perf_counter())):
                    self._replace(track)
            self.on_tick()

    def _tick(self) -> float:
        """Look often enough that the shortest deadline is overrun by a quarter at most."""
        return max(SHORTEST_TICK_S, min(self.shortest_s / 4, LONGEST_TICK_S))

    def _replace(self, track: Track[T]) -> None:
        """Go on with a new lane; the given-up thread is left to itself."""
        self.lost += 1
        self.on_lost()
        track.lane = Lane(self.make_awaiter(), self.make_armed())
        if track.recover is None:
            track.thread = None
            self._end(track, (False, CatalogueError("", self.doing)))
        else:
            self._start(track, track.recover)


def _nothing() -> None:
    """Do nothing: what is called where nobody wants to be told."""
