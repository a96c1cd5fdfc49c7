"""Which task is next, in which order results are told, and what ends a run."""

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import Scenario, ScenarioResult, Status, ToolCall
from evalkit.jobs import Job
from evalkit.plan import Plan
from evalkit.schedule import AHEAD, Schedule, Task, Terms, status_of
from evalkit.toolbox import TableToolbox

WAIT_S = 20.0


class Home:
    """A scope that notes when it is made active."""

    folders: tuple[str, ...] = ()

    def __init__(self, name: str, log: list[str]) -> None:
        """Take a name, and where to note it."""
        self.name, self.log = name, log

    def activate(self) -> None:
        """Note the name."""
        self.log.append(self.name)

    def sources(self) -> list[Path]:
        """Have imported nothing."""
        return []


def job(name: str, epochs: int = 1, needed: int | None = None, scope: Home | None = None) -> Job:
    """A job of a scenario by that name."""
    plan = Plan(Scenario(name, tool_calls=[ToolCall("t")]), (), (), None)
    return Job(plan, TableToolbox({}), scope, epochs, needed or epochs)


def jobs(count: int, epochs: int = 1) -> list[Job]:
    """So many jobs, named by their numbers."""
    return [job(str(number), epochs) for number in range(count)]


def result(task: Task, status: Status = Status.PASSED) -> ScenarioResult:
    """What a task came to."""
    return ScenarioResult(task.job.plan.scenario.name, status, [], None, [], 0.0)


def taken(schedule: Schedule, most: int = 1_000_000) -> list[Task]:
    """The tasks that can be begun now."""
    tasks: list[Task] = []
    while len(tasks) < most and (task := schedule.take(wait=False)) is not None:
        tasks.append(task)
    return tasks


def told(results: Iterable[ScenarioResult]) -> list[tuple[str, int]]:
    """The names and epochs of results."""
    return [(each.name, each.epoch) for each in results]


def started(act: Callable[[], object]) -> threading.Thread:
    """Do something on another thread."""
    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    return thread


@settings(deadline=None, max_examples=60)
@given(st.permutations(range(8)), st.integers(1, 3))
def test_results_are_told_in_the_catalogue_s_order(order: list[int], epochs: int) -> None:
    """Whatever finishes first, results come in the order of the jobs, epoch by epoch."""
    results: list[ScenarioResult] = []
    schedule = Schedule(jobs(8, epochs), results.append)
    tasks = taken(schedule)
    for at in sorted(range(len(tasks)), key=lambda at: (order[at % 8], -at)):
        schedule.done(tasks[at], result(tasks[at]))
    assert told(results) == [(str(n), epoch + 1) for n in range(8) for epoch in range(epochs)]


def test_a_result_is_told_as_soon_as_all_before_it_are() -> None:
    """Nothing is kept back that could be told."""
    results: list[ScenarioResult] = []
    schedule = Schedule(jobs(3), results.append)
    first, second, third = taken(schedule)
    seen = []
    for task in (second, first, third):
        schedule.done(task, result(task))
        seen.append(len(results))
    assert seen == [0, 2, 3]


def test_epochs_and_what_is_needed_are_in_the_result() -> None:
    """A result says which epoch it is of, of how many, and how many must pass."""
    results: list[ScenarioResult] = []
    schedule = Schedule([job("a", 3, 2)], results.append)
    for task in taken(schedule):
        schedule.done(task, result(task))
    assert [(each.epoch, each.epochs, each.needed) for each in results] == [
        (1, 3, 2),
        (2, 3, 2),
        (3, 3, 2),
    ]


def test_what_is_begun_ahead_is_bounded() -> None:
    """While the first is not done, only so many others are begun: results would pile up."""
    schedule = Schedule(jobs(2 * AHEAD), lambda _: None)
    (first,) = taken(schedule, 1)
    begun = 0
    while (task := schedule.take(wait=False)) is not None:
        schedule.done(task, result(task))
        begun += 1
    assert begun <= AHEAD
    schedule.done(first, result(first))
    assert schedule.take(wait=False) is not None


def test_nothing_new_after_so_many_failures() -> None:
    """With `max_failures` nothing is begun after them; what was under way is still told."""
    results: list[ScenarioResult] = []
    schedule = Schedule(jobs(10), results.append, Terms(max_failures=2))
    tasks = taken(schedule, 4)
    for task in tasks[:2]:
        schedule.done(task, result(task, Status.FAILED))
    assert schedule.take() is None
    for task in tasks[2:]:
        schedule.done(task, result(task))
    assert told(results) == [(str(n), 1) for n in range(4)]


@pytest.mark.parametrize(
    ("status", "ends"),
    [
        (Status.PASSED, False),
        (Status.SKIPPED, False),
        (Status.XFAILED, False),
        (Status.FAILED, True),
        (Status.ERROR, True),
        (Status.XPASSED, True),
    ],
)
def test_what_counts_as_a_failure(status: Status, ends: bool) -> None:
    """What fails a run counts for `max_failures`, and nothing else does."""
    schedule = Schedule(jobs(2), lambda _: None, Terms(max_failures=1))
    (task,) = taken(schedule, 1)
    schedule.done(task, result(task, status))
    assert (schedule.take(wait=False) is None) is ends


def test_a_scenario_is_one_failure_over_all_its_epochs() -> None:
    """A scenario that passed often enough is no failure, though one of its epochs is."""
    schedule = Schedule([job("a", 3, 2), job("b")], lambda _: None, Terms(max_failures=1))
    for task, status in zip(taken(schedule, 3), ("failed", "passed", "passed"), strict=True):
        schedule.done(task, result(task, Status(status)))
    assert schedule.take(wait=False) is not None


def test_a_scenario_runs_until_it_is_sure() -> None:
    """With a rate to be sure of, one epoch is begun at a time, and none once that is settled."""
    results: list[ScenarioResult] = []
    schedule = Schedule([job("a", 100)], results.append, Terms(sure=0.5))
    ran = 0
    while (task := schedule.take(wait=False)) is not None:
        assert schedule.take(wait=False) is None
        schedule.done(task, result(task))
        ran += 1
    assert 1 < ran < 100
    assert told(results) == [("a", epoch + 1) for epoch in range(ran)]
    assert status_of(results, 0.5) is Status.PASSED


def test_what_is_kept_is_not_begun() -> None:
    """A result of an earlier attempt is told in its place, and its task is handed to nobody."""
    results: list[ScenarioResult] = []

    def kept(task: Task) -> ScenarioResult | None:
        return result(task) if task.number % 2 else None

    schedule = Schedule(jobs(6), results.append, Terms(kept=kept))
    tasks = taken(schedule)
    assert [task.number for task in tasks] == [0, 2, 4]
    for task in reversed(tasks):
        schedule.done(task, result(task))
    assert told(results) == [(str(n), 1) for n in range(6)]


def test_each_result_is_recorded_as_it_comes() -> None:
    """A record is made when a result is there, not when it can be told; none of what was kept."""
    recorded: list[int] = []

    def record(task: Task, _: ScenarioResult) -> None:
        recorded.append(task.number)

    def kept(task: Task) -> ScenarioResult | None:
        return result(task) if task.number == 1 else None

    schedule = Schedule(jobs(4), lambda _: None, Terms(record=record, kept=kept))
    for task in reversed(taken(schedule)):
        schedule.done(task, result(task))
    assert recorded == [3, 2, 0]


def test_a_stopped_run_begins_nothing_and_takes_nothing() -> None:
    """After an interrupt, nothing is handed out, and what comes late is void."""
    results: list[ScenarioResult] = []
    recorded: list[int] = []
    terms = Terms(record=lambda task, _: recorded.append(task.number))
    schedule = Schedule(jobs(3), results.append, terms)
    first, second = taken(schedule, 2)
    schedule.done(first, result(first))
    schedule.stop()
    schedule.done(second, result(second))
    assert schedule.take() is None
    assert (told(results), recorded) == ([("0", 1)], [0])


def test_what_was_kept_back_is_told_in_the_end() -> None:
    """A run that was cut short tells what was measured beyond the gap, in order."""
    results: list[ScenarioResult] = []
    schedule = Schedule([*jobs(4), job("epochs", 3)], results.append)
    tasks = taken(schedule)
    for at in (6, 4, 3, 1):
        schedule.done(tasks[at], result(tasks[at]))
    schedule.stop()
    schedule.close()
    assert told(results) == [("1", 1), ("3", 1), ("epochs", 1), ("epochs", 3)]


def test_who_waits_is_woken_by_a_stop() -> None:
    """A thread that waits for the next task gets none as soon as the run is stopped."""
    log: list[str] = []
    two = [job("a", scope=Home("one", log)), job("b", scope=Home("two", log))]
    schedule = Schedule(two, lambda _: None)
    assert schedule.take() is not None
    got: list[Task | None] = []
    thread = started(lambda: got.append(schedule.take()))
    schedule.stop()
    thread.join(WAIT_S)
    assert got == [None]


def test_code_of_another_file_waits_for_what_is_under_way() -> None:
    """A scope is made active only when no code of another one runs: they share `sys.modules`."""
    log: list[str] = []
    one, two = Home("one", log), Home("two", log)
    schedule = Schedule(
        [job("a", scope=one), job("b", scope=one), job("c", scope=two)], lambda _: None
    )
    a, b = schedule.take(), schedule.take()
    assert a is not None
    assert b is not None
    thread = started(schedule.take)
    schedule.done(a, result(a))
    thread.join(0.05)
    assert thread.is_alive()
    assert log[0] == "one"
    assert "two" not in log
    schedule.done(b, result(b))
    thread.join(WAIT_S)
    assert log[-1] == "two"


def test_elsewhere_scopes_do_not_matter() -> None:
    """What runs in other processes is handed out at once, and no scope is made active here."""
    log: list[str] = []
    both = [job("a", scope=Home("one", log)), job("b", scope=Home("two", log))]
    assert len(taken(Schedule(both, lambda _: None))) == 2
    assert log == []


def test_a_rate_is_kept() -> None:
    """So many a second are begun at most, however many ask."""
    schedule = Schedule(jobs(6), lambda _: None, Terms(rate=50.0))
    began = time.monotonic()
    threads = [started(schedule.take) for _ in range(6)]
    for thread in threads:
        thread.join(WAIT_S)
    assert 5 / 50 <= time.monotonic() - began < WAIT_S


def test_to_be_slow_is_not_made_up_for() -> None:
    """After a pause, tasks do not come in a burst: the rate holds between any two."""
    schedule = Schedule(jobs(4), lambda _: None, Terms(rate=20.0))
    schedule.take()
    time.sleep(0.15)
    schedule.take()
    began = time.monotonic()
    schedule.take()
    assert time.monotonic() - began >= 0.04


def test_a_stop_ends_the_wait_of_a_rate() -> None:
    """A task that waits for its turn when the run is stopped is not begun any more."""
    schedule = Schedule(jobs(3), lambda _: None, Terms(rate=0.01))
    assert schedule.take() is not None
    got: list[Task | None] = []
    thread = started(lambda: got.append(schedule.take()))
    thread.join(0.1)
    assert thread.is_alive()
    schedule.stop()
    thread.join(WAIT_S)
    assert got == [None]


def test_a_failure_ends_the_wait_of_a_rate() -> None:
    """A task that waits for its turn when `max_failures` are reached is not begun any more."""
    schedule = Schedule(jobs(3), lambda _: None, Terms(rate=0.01, max_failures=1))
    first = schedule.take()
    assert first is not None
    got: list[Task | None] = []
    thread = started(lambda: got.append(schedule.take()))
    thread.join(0.1)
    schedule.done(first, result(first, Status.FAILED))
    thread.join(WAIT_S)
    assert got == [None]


def test_many_threads_get_each_task_once() -> None:
    """Threads that ask side by side get every task, each exactly once, and tell all in order."""
    results: list[ScenarioResult] = []
    schedule = Schedule(jobs(300, 2), results.append)

    def work() -> None:
        while (task := schedule.take()) is not None:
            schedule.done(task, result(task))

    threads = [started(work) for _ in range(8)]
    for thread in threads:
        thread.join(WAIT_S)
    assert told(results) == [(str(n), epoch) for n in range(300) for epoch in (1, 2)]


def test_jobs_are_read_as_they_are_needed() -> None:
    """Jobs may come from a generator: none is asked for before it can be begun."""
    read: list[str] = []

    def lazily() -> Iterable[Job]:
        for each in jobs(5):
            read.append(each.plan.scenario.name)
            yield each

    schedule = Schedule(lazily(), lambda _: None)
    taken(schedule, 2)
    assert read == ["0", "1"]
