"""Some scenarios of a catalogue, or one by itself, keep what the catalogue knows."""

import pytest

from evalkit import Assertion, Catalogue, CatalogueError, Op, Ref, Scenario, ToolCall, run
from evalkit.operators import OPERATORS


def scenario(name: str, *tags: str) -> Scenario:
    """A scenario with one call."""
    return Scenario(name, tool_calls=[ToolCall("ping")], tags=tags)


def catalogue(*scenarios: Scenario) -> Catalogue:
    """A catalogue of these scenarios."""
    made = Catalogue("shop")
    for each in scenarios:
        made.add(each)
    return made


def test_of_gives_a_catalogue_of_some() -> None:
    """`of` takes any of the scenarios, in the order given, with the same tools and operators."""
    shop = catalogue(scenario("a"), scenario("b"), scenario("c"))
    shop.tools = {"ping": lambda: "pong"}
    shop.operators["even"] = OPERATORS["exists"]
    some = shop.of([shop["c"], shop["a"]])
    assert [each.name for each in some] == ["c", "a"]
    assert (some.tools, some.operators) == (shop.tools, shop.operators)
    assert len(shop) == 3


def test_of_refuses_a_name_twice() -> None:
    """One scenario cannot stand twice in what `of` gives."""
    shop = catalogue(scenario("a"))
    with pytest.raises(CatalogueError, match="taken"):
        shop.of([shop["a"], shop["a"]])


def test_home_is_where_a_scenario_was_registered() -> None:
    """`add` and `replace` make a catalogue the scenario's home; a selection leaves it there."""
    shop = catalogue(scenario("a", "x"), scenario("b"))
    changed = shop.replace(scenario("b", "changed"))
    assert shop["a"].home is shop
    assert changed.home is shop
    assert shop.select(tags=["x"])["a"].home is shop


def test_a_scenario_by_itself_runs_as_in_its_catalogue() -> None:
    """`run` of one scenario, or of a list of them, knows the tools and operators of their home."""
    shop = catalogue(scenario("a"), scenario("b"))
    shop.tools = {"ping": lambda: "pong"}
    assert run(shop["a"]).passed
    assert [each.name for each in run(list(shop)).results] == ["a", "b"]


def test_scenarios_of_several_homes_run_on_the_tools_of_each() -> None:
    """Loose scenarios are put to the tools of where each was registered."""
    shops = [Catalogue("one"), Catalogue("two")]
    check = Assertion("", Op.EQ, Ref("shop"))
    for shop in shops:
        calls = [ToolCall("ping", save_as={"shop": ""}), ToolCall("ping", {}, [check])]
        shop.add(Scenario(shop.name, tool_calls=calls))
        shop.tools = {"ping": lambda name=shop.name: name}
    report = run([shops[1]["two"], shops[0]["one"]])
    assert report.passed
    traces = {each.name: each.trace for each in report.results}
    assert {name: trace and trace["calls"][0]["result"] for name, trace in traces.items()} == {
        "one": "one",
        "two": "two",
    }
