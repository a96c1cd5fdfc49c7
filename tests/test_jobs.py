"""The jobs of a run: what they come to is known without holding them."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

from evalkit import Scenario, ToolCall
from evalkit.jobs import Job, Jobs, held
from evalkit.planning import Planner
from evalkit.subjects.kinds import TOOLS
from evalkit.toolbox import toolbox_of


def job(name: str = "s", call_s: float | None = None, **fields: Any) -> Job:
    """The job of a scenario of one call."""
    whole_s = fields.pop("whole_s", None)
    scenario = Scenario(name, tool_calls=[ToolCall("t", timeout_s=call_s)], timeout_s=whole_s)
    (plan,) = Planner(None, {}).plan([scenario]).plans
    return Job(plan, toolbox_of({}), **fields)


def test_held_jobs_are_counted_and_in_order() -> None:
    """Jobs that are there already come in their order, as often as one likes."""
    jobs = held(job(name) for name in "cab")
    assert len(jobs) == 3
    for _ in range(2):
        assert [each.plan.scenario.name for each in jobs] == ["c", "a", "b"]


def test_jobs_are_made_anew_each_time() -> None:
    """Where they are not held, each pass asks for them again, from the first."""
    asked: list[int] = []

    def each() -> Iterator[Job]:
        asked.append(1)
        yield from (job("a"), job("b"))

    jobs = Jobs(each)
    for one in (job("a"), job("b")):
        jobs.count(one)
    assert [[found.plan.scenario.name for found in jobs] for _ in range(2)] == [["a", "b"]] * 2
    assert (len(jobs), len(asked)) == (2, 2)


def test_no_jobs() -> None:
    """Where there is none, there is nothing to go through, and nothing is counted."""
    jobs = Jobs()
    assert (list(jobs), len(jobs), bool(jobs), jobs.epochs) == ([], 0, False, 0)
    assert jobs.shortest_s == TOOLS.timeout_s


def test_epochs_are_the_sum() -> None:
    """Two epochs of one and three of another are five."""
    assert held([job("a", epochs=2), job("b", epochs=3)]).epochs == 5


@pytest.mark.parametrize(
    ("jobs", "shortest"),
    [
        ([job()], TOOLS.timeout_s),
        ([job(call_s=5), job("b", call_s=7)], 5),
        ([job(call_s=7), job("b", whole_s=0.5)], 0.5),
        ([job(whole_s=10 * TOOLS.timeout_s)], TOOLS.timeout_s),
        ([], TOOLS.timeout_s),
        ([job(call_s=10 * TOOLS.timeout_s)], TOOLS.timeout_s),
    ],
    ids=["none is said", "of two calls", "a whole", "a long whole", "a long call", "no job"],
)
def test_the_shortest_deadline_of_all(jobs: list[Job], shortest: float) -> None:
    """A watcher's pace is set by the shortest deadline of any call or scenario."""
    assert held(jobs).shortest_s == shortest


def digest(prints: list[str]) -> str:
    """SHA-256 of a sorted list of texts in JSON."""
    text = json.dumps(sorted(prints), separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("prints", [["b", "a", "c"], ["a"], ["a", "a"], ["ff", "0", "f"]], ids=str)
def test_the_digest_of_a_catalogue(prints: list[str]) -> None:
    """It is SHA-256 of the sorted fingerprints as a list in JSON, each time it is asked for."""
    jobs = held(job(fingerprint=each) for each in prints)
    assert jobs.catalogue_digest == jobs.catalogue_digest == digest(prints)


def test_the_order_of_scenarios_is_not_in_the_digest() -> None:
    """The same scenarios in another order are the same catalogue; one more is another."""
    one = held(job(fingerprint=each) for each in ("a", "b"))
    other = held(job(fingerprint=each) for each in ("b", "a"))
    more = held(job(fingerprint=each) for each in ("b", "a", "c"))
    assert one.catalogue_digest == other.catalogue_digest != more.catalogue_digest


def test_tools_are_told_apart_by_their_digests() -> None:
    """The digests of the tools' code are kept once each, where fingerprints are wanted."""
    jobs = [job(fingerprint="a", tools_digest="x"), job(fingerprint="b", tools_digest="x")]
    assert held([*jobs, job(fingerprint="c", tools_digest="y")]).tools_digests == {"x", "y"}
    assert held([job(tools_digest="x")]).tools_digests == set()
