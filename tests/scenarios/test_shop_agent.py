"""The order desk's catalogue, one and the same, in three ways; and how its agent reads."""

import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import pytest

import evalkit
from evalkit import Catalogue, Check, RunReport, Status

ROOT = Path(__file__).parents[2]
SHOP = ROOT / "scenarios" / "shop.py"
KNOWN = {"search_forgives_a_typo": "xfailed", "wrong_on_purpose": "failed"}
"""The scenarios that do not pass, whichever way they are run."""
Conversation = list[dict[str, str]]
Agent = Callable[[Conversation, Any], str]


@attrs.frozen
class Shop:
    """The catalogue without the scenario that is wrong on purpose, its agent, and its desk."""

    catalogue: Catalogue
    answer: Agent
    desk: Any


@pytest.fixture(scope="module")
def shop() -> Shop:
    """What stands in the folder of the scenarios; loading one file makes the others importable."""
    catalogue = evalkit.load(SHOP).select(tags=["not:wrong"])
    agent, desk = importlib.import_module("shop_agent"), importlib.import_module("order_desk")
    return Shop(catalogue, agent.answer, desk)


@pytest.mark.parametrize("way", ["directly", "against its agent", "from the recording"])
def test_one_catalogue_three_ways(way: str, shop: Shop, tmp_path: Path) -> None:
    """The tools, the agent, and what was recorded of the agent come to the same verdicts."""
    agent = None if way == "directly" else shop.answer
    report = evalkit.run(SHOP, agent=agent, record=tmp_path)
    if way == "from the recording":
        report = evalkit.run(SHOP, agent=unasked, replay=tmp_path)
    assert {name: status for name, status in statuses(report).items() if status != "passed"} == (
        KNOWN
    )
    assert statuses(report).keys() == {scenario.name for scenario in evalkit.load(SHOP)}


def test_the_recording_gives_the_very_checks(shop: Shop, tmp_path: Path) -> None:
    """A run from the recording looks at as many checks, with the same outcome each."""
    live = evalkit.run(shop.catalogue, agent=shop.answer, record=tmp_path)
    again = evalkit.run(shop.catalogue, agent=unasked, replay=tmp_path)
    assert [outcomes(result.checks) for result in again.results] == [
        outcomes(result.checks) for result in live.results
    ]


def test_what_only_an_agent_gives_is_measured_only_then(shop: Shop) -> None:
    """Directly the checks of the response are skipped; against the agent none of any kind is."""
    direct = evalkit.run(shop.catalogue)
    skipped = {check.path for check in checks(direct) if check.status is Status.SKIPPED}
    assert skipped == {"response", "responses", "responses[0]", "responses[1]"}
    against = evalkit.run(shop.catalogue, agent=shop.answer)
    assert [check for check in checks(against) if check.status is Status.SKIPPED] == []


def test_from_the_command_line() -> None:
    """`--agent scenarios.shop_agent:answer` exits 1, for the scenario that is wrong on purpose."""
    command = [sys.executable, "-m", "evalkit", str(SHOP), "--json"]
    command += ["--agent", "scenarios.shop_agent:answer"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    rows = json.loads(done.stdout)["scenarios"]
    assert done.returncode == 1, done.stderr
    assert {row["name"] for row in rows if row["status"] == "failed"} == {"wrong_on_purpose"}


def test_the_agent_reads_what_it_is_told(shop: Shop) -> None:
    """Other words and numbers than the catalogue's come to other calls."""
    tools = shop.desk.OrderDesk(shop.desk.open_database()).tools()
    context = SimpleNamespace(tools=tools)
    said = "Show me order 1009. I am zoe@example.org, list all of my orders."
    answer = shop.answer([{"role": "user", "content": said}], context)
    assert "21.00 euros" in answer
    assert "1003 (delivered, 46.30 euros), 1008 (placed, 44.80 euros)" in answer


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Tell me a joke.", "did not understand"),
        ("Cancel it.", "I was not told the orders"),
        ("Which of my orders are shipped?", "I was not told the customer"),
    ],
)
def test_the_agent_says_what_it_can_not_do(said: str, answer: str, shop: Shop) -> None:
    """It calls nothing with what it was not told, and makes nothing up."""
    context = SimpleNamespace(tools={})
    assert answer in shop.answer([{"role": "user", "content": said}], context)


def test_the_agent_knows_no_scenario(shop: Shop) -> None:
    """Neither of its files holds the name or the whole prompt of a scenario."""
    files = ROOT.glob("scenarios/shop_*.py")
    source = "".join(path.read_text(encoding="utf-8") for path in files)
    assert "INTENTS" in source
    for scenario in shop.catalogue:
        assert scenario.name not in source
        assert scenario.primary_prompt() not in source


def test_an_agent_may_say_more_where_it_is_let(shop: Shop) -> None:
    """A refund in full may name its amount, for the arguments are a subset of what is sent."""

    def spelt_out(conversation: Conversation, ctx: Any) -> str:
        refund = partial(ctx.tools["refund"], amount_cents=4880)
        return shop.answer(conversation, SimpleNamespace(tools={**ctx.tools, "refund": refund}))

    report = evalkit.run(shop.catalogue["broken_on_arrival"], agent=spelt_out)
    assert report.passed


def unasked(conversation: Conversation) -> str:
    """An agent that a recording stands in for."""
    raise AssertionError(conversation)


def statuses(report: RunReport) -> dict[str, str]:
    """What each scenario came to."""
    return {result.name: result.status.value for result in report.results}


def checks(report: RunReport) -> list[Check]:
    """All the checks of a run."""
    return [check for result in report.results for check in result.checks]


def outcomes(found: list[Check]) -> list[tuple[object, ...]]:
    """What checks looked at and came to, without how long it took."""
    return [(check.step, check.assertion, check.status, check.code) for check in found]
