"""How a driver keeps a pool busy, and counts one result for each piece whatever workers do."""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, Op, RunLogError, Scenario, ScenarioResult, Status, ToolCall
from evalkit.asked import Asked
from evalkit.executors.order import Piece, digests_of, job_digest, order_of
from evalkit.executors.pools import LostError
from evalkit.executors.remote import DEATHS, WINDOW, Driver
from evalkit.jobs import Job
from evalkit.planning import Planner
from evalkit.runlog.records import record_text
from evalkit.schedule import Schedule, Terms
from evalkit.toolbox import TableToolbox

Answer = Callable[[Piece, int], "bytes | BaseException"]
TOOLS: dict[str, Any] = {"t": int, "u": int}


def passed(piece: Piece, attempt: int) -> bytes:
    """Answer as a worker does: the scenario passed, at this attempt."""
    result = ScenarioResult(piece.name, Status.PASSED, [], None, [], 0.0, reason=f"try {attempt}")
    return record_text({}, result)


class Scripted:
    """A pool that answers by a script, the newest piece first; `local` where it leaves crumbs."""

    workers = 2
    killed = False

    def __init__(self, answer: Answer = passed, *, local: bool = False) -> None:
        """Take what comes of a piece at its nth attempt."""
        self.answer, self.local = answer, local
        self.attempts: Counter[tuple[str, int]] = Counter()
        self.pieces: list[Piece] = []
        self.most = 0
        self.inner = ThreadPoolExecutor(1)
        self.waiting: list[tuple[Future[bytes], Piece]] = []

    def submit(self, function: Any, /, *args: Any) -> Future[bytes]:
        """Take a piece."""
        assert callable(function)
        future: Future[bytes] = Future()
        self.pieces.append(args[1])
        self.waiting.append((future, args[1]))
        self.most = max(self.most, len(self.waiting))
        self.inner.submit(self.step)
        return future

    def step(self) -> None:
        """Do the newest piece."""
        future, piece = self.waiting.pop()
        self.attempts[piece.name, piece.epoch] += 1
        answer = self.answer(piece, self.attempts[piece.name, piece.epoch])
        if isinstance(answer, BaseException):
            future.set_exception(answer)
        else:
            future.set_result(answer)

    def drop(self, future: Future[bytes]) -> None:
        """Take a piece for lost."""
        future.set_exception(LostError("dropped"))

    def told(self, error: BaseException) -> str:
        """Say how a worker ended."""
        return f"its worker said {error}"

    def close(self) -> None:
        """End the workers."""
        self.inner.shutdown()

    def kill(self) -> None:
        """End the workers at once."""
        self.killed = True
        self.inner.shutdown(wait=False, cancel_futures=True)


@pytest.fixture
def drive(tmp_path: Path) -> Iterator[Callable[..., list[ScenarioResult]]]:
    """Run jobs on a pool to the end, and give what was told."""
    pools: list[Scripted] = []

    def act(jobs: list[Job], pool: Scripted, terms: Terms | None = None) -> list[ScenarioResult]:
        pools.append(pool)
        results: list[ScenarioResult] = []
        schedule = Schedule(jobs, results.append, terms)
        order = order_of(Asked(()), "key")
        Driver(schedule, pool, order, digests_of(jobs), str(tmp_path)).run()
        return results

    yield act
    for pool in pools:
        pool.close()


def planned(count: int, epochs: int = 1) -> list[Job]:
    """So many jobs, each of two calls with an assertion, and one on the trace."""
    calls = [ToolCall(tool, {}, [Assertion("", Op.EQ, 0)]) for tool in TOOLS]
    on_trace = [Assertion("calls", Op.LEN_EQ, 2)]
    scenarios = [
        Scenario(f"s{n}", tool_calls=calls, assertions=on_trace, epochs=epochs)
        for n in range(count)
    ]
    plans = Planner(TOOLS, {}).plan(scenarios).plans
    return [Job(plan, TableToolbox(TOOLS), None, epochs, epochs) for plan in plans]


Drive = Callable[..., list[ScenarioResult]]


def test_each_piece_is_sent_once_and_counted_once(drive: Drive) -> None:
    """Every scenario and epoch gives one result, in the catalogue's order."""
    pool = Scripted()
    results = drive(planned(30, 2), pool)
    assert [(each.name, each.epoch) for each in results] == [
        (f"s{n}", epoch) for n in range(30) for epoch in (1, 2)
    ]
    assert set(pool.attempts.values()) == {1}


def test_only_a_window_is_sent_ahead(drive: Drive) -> None:
    """A lost worker takes few pieces with it: no more than the window are under way."""
    pool = Scripted()
    drive(planned(100), pool)
    assert 1 < pool.most <= WINDOW * pool.workers


def test_a_piece_says_what_the_driver_means(drive: Drive) -> None:
    """With each piece goes the digest by which a worker sees that it means the same."""
    jobs, pool = planned(3), Scripted()
    drive(jobs, pool)
    sent = {piece.name: piece.digest for piece in pool.pieces}
    assert sent == {job.plan.scenario.name: job_digest(job) for job in jobs}


def test_a_result_stands_where_its_scenario_stands(drive: Drive) -> None:
    """Where a scenario was declared is told by the driver: the worker's copy may lie elsewhere."""
    jobs = planned(1)
    (result,) = drive(jobs, Scripted())
    assert result.source == jobs[0].plan.scenario.source


@pytest.mark.parametrize("lost", [LostError("gone"), CancelledError()])
def test_what_a_lost_worker_had_is_done_again(drive: Drive, lost: BaseException) -> None:
    """A piece whose worker ended is tried once more, and its one result is counted."""

    def answer(piece: Piece, attempt: int) -> bytes | BaseException:
        return lost if piece.name in ("s3", "s4") and attempt == 1 else passed(piece, attempt)

    pool = Scripted(answer)
    results = drive(planned(10), pool)
    assert [result.name for result in results] == [f"s{n}" for n in range(10)]
    assert [result.reason for result in results[2:5]] == ["try 1", "try 2", "try 2"]


def test_what_ends_every_worker_is_the_reason(drive: Drive) -> None:
    """A scenario in which two workers ended is an ERROR of its own; it is not tried for ever."""

    def answer(piece: Piece, attempt: int) -> bytes | BaseException:
        return LostError("SIGSEGV") if piece.name == "s2" else passed(piece, attempt)

    pool = Scripted(answer)
    results = drive(planned(6), pool)
    assert [each.name for each in results if each.status is not Status.PASSED] == ["s2"]
    assert results[2].status is Status.ERROR
    assert pool.attempts["s2", 1] == DEATHS == 2
    assert results[2].trace is not None
    assert "SIGSEGV" in results[2].trace["errors"][0]["message"]


def test_epochs_die_apart(drive: Drive) -> None:
    """Deaths are counted for each epoch: two workers lost in two epochs are no poison."""

    def answer(piece: Piece, attempt: int) -> bytes | BaseException:
        return LostError("gone") if attempt == 1 else passed(piece, attempt)

    results = drive(planned(1, 3), Scripted(answer))
    assert [result.status for result in results] == [Status.PASSED] * 3


def test_a_lost_scenario_has_all_its_checks(drive: Drive) -> None:
    """How many checks there are is the scenario's: all of them are there, none has passed."""
    (result,) = drive(planned(1), Scripted(lambda *_: LostError("gone")))
    assert [(check.step, check.code) for check in result.checks[:2]] == [
        (0, "crashed"),
        (1, "crashed"),
    ]
    assert len(result.checks) == 3
    assert not any(check.passed for check in result.checks)


def test_a_lost_scenario_says_where_its_process_was(drive: Drive) -> None:
    """A worker leaves a crumb of the call under way, and the message names its step and tool."""

    def answer(piece: Piece, _: int) -> BaseException:
        Path(str(piece.crumbs)).write_text(f"{os.getpid()} 1\n")
        return LostError("gone")

    (result,) = drive(planned(1), Scripted(answer, local=True))
    assert result.trace is not None
    assert "step 1, 'u'" in result.trace["errors"][0]["message"]


def test_a_process_ended_for_its_deadline_is_a_timeout(drive: Drive) -> None:
    """Where a call let nothing else run, it is a timeout; it is not tried again."""

    def answer(piece: Piece, _: int) -> BaseException:
        Path(str(piece.crumbs)).write_text(f"{os.getpid()} 1\nTimeout (0:00:02)!\nThread ...\n")
        return LostError("gone")

    pool = Scripted(answer, local=True)
    (result,) = drive(planned(1), pool)
    assert pool.attempts["s0", 1] == 1
    assert result.status is Status.FAILED
    assert [check.code for check in result.checks if check.step == 1] == ["tool_timeout"]
    assert len(result.checks) == 3


def test_other_machines_get_no_crumbs(drive: Drive) -> None:
    """A worker that does not share this machine's files is given no path of it."""
    pool = Scripted()
    drive(planned(2), pool)
    assert [piece.crumbs for piece in pool.pieces] == [None, None]


def test_a_refusal_ends_the_run(drive: Drive) -> None:
    """What a worker refuses is no result: it is raised, as the worker said it."""

    def answer(piece: Piece, attempt: int) -> bytes | BaseException:
        return RunLogError("not the same") if piece.name == "s5" else passed(piece, attempt)

    with pytest.raises(RunLogError, match="not the same"):
        drive(planned(20), Scripted(answer))


def test_a_killed_pool_gives_nothing_more(drive: Drive) -> None:
    """After an interrupt what workers still say is void, and the driver returns."""
    pool = Scripted()

    def answer(piece: Piece, attempt: int) -> bytes:
        if piece.name == "s9":
            pool.killed = True
        return passed(piece, attempt)

    pool.answer = answer
    assert len(drive(planned(100), pool)) < 100


def test_nothing_new_is_sent_after_the_first_failure(drive: Drive) -> None:
    """With `max_failures` what was sent is waited for and counted; nothing more is sent."""

    def answer(piece: Piece, attempt: int) -> bytes | BaseException:
        return LostError("gone") if piece.name == "s0" else passed(piece, attempt)

    pool = Scripted(answer)
    results = drive(planned(100), pool, Terms(max_failures=1))
    assert results[0].status is Status.ERROR
    assert len(results) == len(pool.attempts) < 100


def test_what_is_kept_is_not_sent(drive: Drive) -> None:
    """What an earlier attempt has measured is told, and not sent to anybody."""
    kept = ScenarioResult("s1", Status.PASSED, [], None, [], 0.0, reason="kept")
    pool = Scripted()
    terms = Terms(kept=lambda task: kept if task.number == 1 else None)
    results = drive(planned(3), pool, terms)
    assert [result.reason for result in results] == ["try 1", "kept", "try 1"]
    assert {piece.name for piece in pool.pieces} == {"s0", "s2"}
