"""The order desk's catalogue: it passes, and notices every way in which the desk can break."""

import inspect
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

import evalkit
from evalkit import Catalogue, Env, Status

ROOT = Path(__file__).parents[2]
SHOP = ROOT / "scenarios" / "shop.py"
TOOLS = (
    "apply_voucher",
    "audit_order",
    "cancel_order",
    "check_stock",
    "find_customer",
    "find_order",
    "list_orders",
    "monthly_report",
    "place_order",
    "refund",
    "search_products",
    "ship_order",
)
READS_ONLY = {
    "audit_order": "it reports what is wrong, and mends nothing",
    "check_stock": "it asks the warehouse, and moves nothing",
    "find_customer": "a lookup",
    "find_order": "a lookup",
    "list_orders": "a lookup",
    "monthly_report": "it adds up what is recorded",
    "search_products": "a lookup",
}
"""The tools that have no effect to lose, each with the reason."""

Answer = Any
Place = tuple[str | int, ...]
"""Where in an answer a value stands: keys and indexes."""
Broken = Callable[..., Awaitable[Answer]]
Way = Callable[[str, Env, Env], Broken]
"""A way to break a tool: given its name, the desk, and a spare desk on a database of its own."""


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    """The catalogue without the scenario that is wrong on purpose."""
    return evalkit.load(SHOP).select(tags=["not:wrong"])


@pytest.fixture(scope="module")
def answers(catalogue: Catalogue) -> dict[str, list[Answer]]:
    """What each tool answers in a run in which nothing is broken."""
    answers: dict[str, list[Answer]] = {tool: [] for tool in TOOLS}
    for result in evalkit.run(catalogue).results:
        assert result.trace
        for call in result.trace["calls"]:
            if call["error"] is None:
                answers[call["tool"]].append(call["result"])
    return answers


def test_exactly_the_wrong_scenario_fails() -> None:
    """From the command line the whole catalogue exits 1, for one scenario."""
    code, report = command_line()
    failed = [
        row["name"] for row in report["scenarios"] if row["status"] not in ("passed", "xfailed")
    ]
    assert (code, failed) == (1, ["wrong_on_purpose"])


def test_the_wrong_scenario_explains_itself() -> None:
    """The failure gives the value that is there, and the key that was meant."""
    _, report = command_line("--name", "wrong_on_purpose")
    [scenario] = report["scenarios"]
    [total, shipping] = [check for check in scenario["checks"] if check["status"] == "failed"]
    assert (total["code"], total["actual"]) == ("wrong_value", 4880)
    assert shipping["code"] == "unresolved_path"
    assert "shipping_cents" in shipping["reason"]


def test_without_it_all_pass() -> None:
    """`-t not:wrong` exits 0, and leaves out that one alone."""
    code, report = command_line("-t", "not:wrong")
    assert (code, report["summary"]["scenarios_failed"]) == (0, 0)
    assert report["summary"]["scenarios_total"] == len(evalkit.load(SHOP)) - 1


def test_every_tool_and_difficulty_is_used(catalogue: Catalogue) -> None:
    """No tool is left out, and there are easy and hard scenarios."""
    assert {call.tool for scenario in catalogue for call in scenario.tool_calls} == set(TOOLS)
    assert {scenario.difficulty for scenario in catalogue} == {"basic", "standard", "advanced"}
    assert len(catalogue) >= 34


@pytest.mark.parametrize("tool", TOOLS)
def test_a_wrong_number_is_noticed(
    tool: str, catalogue: Catalogue, answers: dict[str, list[Answer]]
) -> None:
    """Each number that the tool ever answers with, one place at a time, is off by one."""
    wrong = {place for place, value in places(answers[tool]) if type(value) in (int, float)}
    broken = {place[1:]: off_by_one(place[1:]) for place in wrong}
    assert broken
    unnoticed = [place for place, way in broken.items() if survives(catalogue, tool, way)]
    assert unnoticed == []


@pytest.mark.parametrize("tool", TOOLS)
def test_a_missing_key_is_noticed(
    tool: str, catalogue: Catalogue, answers: dict[str, list[Answer]]
) -> None:
    """Each key of the tool's answers, at any depth, one place at a time, is dropped."""
    keys = {place for place, _ in places(answers[tool]) if type(place[-1]) is str}
    broken = {place[1:]: without(place[1:]) for place in keys}
    assert broken
    unnoticed = [place for place, way in broken.items() if survives(catalogue, tool, way)]
    assert unnoticed == []


@pytest.mark.parametrize("tool", TOOLS)
def test_stale_state_is_noticed(tool: str, catalogue: Catalogue) -> None:
    """The answer it gave the first time, or the one it would have given at the beginning."""
    assert not survives(catalogue, tool, first_answer_again)
    assert not survives(catalogue, tool, answer_from_before)


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool not in READS_ONLY])
def test_a_lost_effect_is_noticed(tool: str, catalogue: Catalogue) -> None:
    """The right answer, and nothing done."""
    assert not survives(catalogue, tool, no_effect)


@pytest.mark.parametrize("tool", sorted(READS_ONLY))
def test_the_others_have_no_effect_to_lose(tool: str, catalogue: Catalogue) -> None:
    """They change no row, and on a copy of the database they answer the same."""
    assert survives(catalogue, tool, changing_nothing)
    assert survives(catalogue, tool, no_effect)


def command_line(*flags: str) -> tuple[int, Any]:
    """The exit code and the JSON of a run of the catalogue from the command line."""
    command = [sys.executable, "-m", "evalkit", str(SHOP), "--json", *flags]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def survives(catalogue: Catalogue, tool: str, way: Way) -> bool:
    """Say whether no scenario turns red when the tool is broken in this way."""
    whole_desk = contextmanager(catalogue.tools)

    def broken_desk() -> Iterator[Env]:
        with whole_desk() as desk, whole_desk() as spare:
            yield Env({**desk.tools, tool: way(tool, desk, spare)}, db=desk.db)

    users = [
        scenario
        for scenario in catalogue
        if scenario.xfail is None and tool in {call.tool for call in scenario.tool_calls}
    ]
    report = evalkit.run(users, tools=broken_desk, max_failures=1)
    return not any(result.status is Status.FAILED for result in report.results)


def places(value: Answer, at: Place = ()) -> Iterator[tuple[Place, Answer]]:
    """Every place in an answer, at any depth, and what stands there."""
    steps: Any = ()
    if isinstance(value, dict):
        steps = value.items()
    elif isinstance(value, list):
        steps = enumerate(value)
    for step, inner in steps:
        yield (*at, step), inner
        yield from places(inner, (*at, step))


def off_by_one(place: Place) -> Way:
    """A number in its answers is one too many."""

    def change(holder: Answer, key: str | int) -> None:
        holder[key] += 1

    return altered(place, change)


def without(place: Place) -> Way:
    """A key in its answers is not there."""

    def change(holder: Answer, key: str | int) -> None:
        del holder[key]

    return altered(place, change)


def altered(place: Place, change: Callable[[Answer, Any], None]) -> Way:
    """It answers, and one place of the answer, where it is there, is changed on the way."""

    def way(tool: str, desk: Env, _: Env) -> Broken:
        @wraps(desk.tools[tool])
        async def broken(**args: Any) -> Answer:
            answer = holder = await ask(desk, tool, args)
            with suppress(IndexError, KeyError, TypeError):
                for step in place[:-1]:
                    holder = holder[step]
                change(holder, place[-1])
            return answer

        return broken

    return way


def first_answer_again(tool: str, desk: Env, _: Env) -> Broken:
    """It does what it should, and answers what it answered the first time."""
    given: list[Answer] = []

    @wraps(desk.tools[tool])
    async def broken(**args: Any) -> Answer:
        given.append(await ask(desk, tool, args))
        return given[0]

    return broken


def answer_from_before(tool: str, desk: Env, spare: Env) -> Broken:
    """It does what it should, and answers from the database as it was at the beginning."""
    beginning = desk.db.serialize()

    @wraps(desk.tools[tool])
    async def broken(**args: Any) -> Answer:
        await ask(desk, tool, args)
        spare.db.deserialize(beginning)
        return await ask(spare, tool, args)

    return broken


def no_effect(tool: str, desk: Env, spare: Env) -> Broken:
    """It answers as if, and touches a copy of the database."""

    @wraps(desk.tools[tool])
    async def broken(**args: Any) -> Answer:
        spare.db.deserialize(desk.db.serialize())
        return await ask(spare, tool, args)

    return broken


def changing_nothing(tool: str, desk: Env, _: Env) -> Broken:
    """It is whole, and raises if a row of the database has changed."""

    @wraps(desk.tools[tool])
    async def watched(**args: Any) -> Answer:
        before = desk.db.total_changes
        answer = await ask(desk, tool, args)
        assert desk.db.total_changes == before
        return answer

    return watched


async def ask(desk: Env, tool: str, args: dict[str, Any]) -> Answer:
    """The whole tool's answer, sync or async."""
    answer = desk.tools[tool](**args)
    return await answer if inspect.isawaitable(answer) else answer
