"""What a worker does with what it is sent: it plans as the driver did, or refuses."""

import json
import signal
import textwrap
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import attrs
import pytest

from evalkit import RunLogError
from evalkit.asked import Asked
from evalkit.executors.order import Order, Piece, job_digest, order_of
from evalkit.executors.worker import begin_process, greet, run_piece
from evalkit.preparing import Preparation
from evalkit.runlog.records import result_of
from evalkit.runlog.runs import new_run_id

SHOP = """
    from evalkit import Assertion, Op, Scenario, ToolCall, _s
    from pathlib import Path

    def one(n):
        print("asked for", n)
        return {"n": n}

    TOOL_DISPATCH = {"one": one}
    with Path(__file__).with_name("loads").open("a") as loads:
        loads.write("x")
    for n in (1, 2):
        check = Assertion("n", Op.EQ, 1)
        _s(Scenario(f"s{n}", tool_calls=[ToolCall("one", {"n": n}, [check])], epochs=3))
"""


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    """A catalogue's file that is asked to be run."""
    path = tmp_path / "shop_of_workers.py"
    path.write_text(textwrap.dedent(SHOP), encoding="utf-8")
    return Asked((path,), digests=True)


def ordered(asked: Asked) -> tuple[Order, dict[str, Piece]]:
    """The order of a run, and its first pieces by name."""
    preparation = Preparation(asked, lambda _doing, _limit_s, act: act())
    jobs = {job.plan.scenario.name: job for job in preparation.prepare().jobs}
    pieces = {name: Piece(name, 1, job_digest(job)) for name, job in jobs.items()}
    return order_of(asked, new_run_id()), pieces


def test_a_piece_gives_the_result_as_json(asked: Asked) -> None:
    """A worker gives the same result as a run here, as one JSON text."""
    order, pieces = ordered(asked)
    results = [result_of(json.loads(run_piece(order, piece))) for piece in pieces.values()]
    assert [(each.name, each.status.value) for each in results] == [
        ("s1", "passed"),
        ("s2", "failed"),
    ]
    assert [check.actual for each in results for check in each.checks] == [1, 2]
    assert results[0].trace is not None
    assert results[0].trace["calls"][0]["output"] == "asked for 1\n"


def test_a_piece_says_which_epoch_it_is(asked: Asked) -> None:
    """One epoch is run, and it is the one that was asked for."""
    order, pieces = ordered(asked)
    record = json.loads(run_piece(order, attrs.evolve(pieces["s1"], epoch=3)))
    assert record["epoch"] == 3


def test_a_worker_loads_and_plans_once(asked: Asked, tmp_path: Path) -> None:
    """For all pieces of a run the catalogue is loaded once."""
    order, pieces = ordered(asked)
    before = len((tmp_path / "loads").read_text())
    for piece in [*pieces.values(), *pieces.values()]:
        run_piece(order, piece)
    assert len((tmp_path / "loads").read_text()) == before + 1


@pytest.mark.parametrize("changed", [{"name": "s3"}, {"digest": "another"}])
def test_what_is_not_what_the_driver_means_is_refused(
    asked: Asked, changed: dict[str, Any]
) -> None:
    """A scenario that a worker does not know, or knows as another one, is refused by its name."""
    order, pieces = ordered(asked)
    with pytest.raises(RunLogError, match=r"'s[13]' is not the same on a worker"):
        run_piece(order, attrs.evolve(pieces["s1"], **changed))


def test_a_catalogue_that_changed_since_is_refused(asked: Asked, tmp_path: Path) -> None:
    """A file that was edited after the driver had read it gives no result by its new words."""
    order, pieces = ordered(asked)
    path = tmp_path / "shop_of_workers.py"
    path.write_text(path.read_text().replace('"n", Op.EQ, 1', '"n", Op.EQ, 12'), encoding="utf-8")
    with pytest.raises(RunLogError, match="'s1' is not the same"):
        run_piece(order, pieces["s1"])


@pytest.mark.parametrize("which", [0, 1], ids=["evalkit", "Python"])
def test_other_versions_are_refused_before_anything_runs(
    asked: Asked, tmp_path: Path, which: int
) -> None:
    """A worker of another version says which it has and which the driver; nothing is loaded."""
    order, pieces = ordered(asked)
    there = ("0.0.1", order.versions[1]) if which == 0 else (order.versions[0], "3.8.0")
    other = attrs.evolve(order, versions=there, key=new_run_id())
    loads = (tmp_path / "loads").read_text()
    for act in (lambda: greet(other), lambda: run_piece(other, pieces["s1"])):
        with pytest.raises(RunLogError, match=r"a worker has evalkit .* the driver evalkit"):
            act()
    assert (tmp_path / "loads").read_text() == loads


def test_equal_versions_are_welcome(asked: Asked) -> None:
    """A worker of the same versions has nothing to say."""
    greet(order_of(asked, "key"))


def test_a_worker_leaves_ctrl_c_to_the_driver() -> None:
    """A process that runs pieces is not ended by the Ctrl-C that its driver gets too."""
    with ProcessPoolExecutor(1, get_context("spawn"), initializer=begin_process) as pool:
        assert pool.submit(signal.getsignal, signal.SIGINT).result(60) is signal.SIG_IGN


def test_crumbs_are_gone_with_the_piece(asked: Asked, tmp_path: Path) -> None:
    """What a worker noted about the call under way is taken away when the piece is done."""
    order, pieces = ordered(asked)
    crumbs = tmp_path / "crumbs"
    run_piece(order, attrs.evolve(pieces["s1"], crumbs=str(crumbs)))
    assert not crumbs.exists()
