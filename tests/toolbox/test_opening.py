"""How tools are opened: a table that stays open, or a factory entered afresh for every scenario."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import count
from types import TracebackType
from typing import Any

import pytest

from evalkit import Assertion, CatalogueError, Env, Op, Scenario, Tool, ToolCall, run
from evalkit.toolbox import toolbox_of

Log = list[str]
LOG: Log = []


@pytest.fixture(autouse=True)
def log() -> Log:
    """What the factories below have done, from the beginning of each test."""
    LOG.clear()
    return LOG


def table() -> dict[str, Callable[..., Any]]:
    """Tools that count their own calls, from 1, as long as the table lives."""
    numbers = count(1)
    return {"count": lambda: next(numbers)}


def plain_factory() -> dict[str, Callable[..., Any]]:
    """Give a table."""
    LOG.append("open")
    return table()


def of_the_scenario(scenario: Scenario) -> dict[str, Callable[..., Any]]:
    """Give a table for a scenario."""
    LOG.append(f"open {scenario.name}")
    return table()


def with_a_default(path: str = ":memory:") -> dict[str, Callable[..., Any]]:
    """Give a table; the parameter is the factory's own."""
    LOG.append(f"open {path}")
    return table()


def giving_an_env() -> Env:
    """Give an `Env`."""
    LOG.append("open")
    return Env(table(), db="connection")


@contextmanager
def managed() -> Iterator[dict[str, Callable[..., Any]]]:
    """Give a table, and close it."""
    LOG.append("open")
    yield table()
    LOG.append("close")


@contextmanager
def managed_env(scenario: Scenario) -> Iterator[Env]:
    """Give an `Env` for a scenario, and close it."""
    LOG.append(f"open {scenario.name}")
    yield Env(table())
    LOG.append(f"close {scenario.name}")


def generator(scenario: Scenario) -> Iterator[dict[str, Callable[..., Any]]]:
    """Give a table for a scenario, and close it, undecorated."""
    LOG.append(f"open {scenario.name}")
    yield table()
    LOG.append(f"close {scenario.name}")


class Desk(AbstractContextManager[Env]):
    """A class that is a factory: each instance is a context manager."""

    def __enter__(self) -> Env:
        """Open."""
        LOG.append("open")
        return Env(table())

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        LOG.append("close")

    def make(self) -> dict[str, Callable[..., Any]]:
        """Be a factory as a method."""
        return plain_factory()


async def async_factory() -> dict[str, Any]:
    """A factory that nobody awaits."""
    return {"t": len}


async def async_generator() -> AsyncIterator[dict[str, Any]]:
    """A generator that nobody awaits."""
    yield {"t": len}


BOTH = ("a", "b")
OPEN = ["open", "open"]
OPEN_AND_CLOSE = ["open", "close", "open", "close"]
NAMED = ["open a", "close a", "open b", "close b"]
FACTORIES: dict[str, tuple[Callable[..., Any], Log]] = {
    "plain": (plain_factory, OPEN),
    "of the scenario": (of_the_scenario, ["open a", "open b"]),
    "with a default": (with_a_default, ["open :memory:"] * 2),
    "partial": (partial(with_a_default, path="x"), ["open x"] * 2),
    "env": (giving_an_env, OPEN),
    "context manager": (managed, OPEN_AND_CLOSE),
    "context manager of the scenario": (managed_env, NAMED),
    "generator of the scenario": (generator, NAMED),
    "class": (Desk, OPEN_AND_CLOSE),
    "method": (Desk().make, OPEN),
}


def counting(name: str, expected: int) -> Scenario:
    """A scenario whose one call must be the `expected`th of its table."""
    return Scenario(name, tool_calls=[ToolCall("count", {}, [Assertion("", Op.EQ, expected)])])


@pytest.mark.parametrize("name", FACTORIES)
def test_a_factory_is_entered_for_every_scenario(name: str) -> None:
    """Each scenario gets tools of its own, whatever the kind of factory."""
    factory, _ = FACTORIES[name]
    assert run([counting(each, 1) for each in BOTH], tools=factory).passed


@pytest.mark.parametrize("name", FACTORIES)
def test_a_factory_is_closed_after_every_scenario(name: str) -> None:
    """A factory is opened and closed once for planning, then around each scenario, in order."""
    factory, expected = FACTORIES[name]
    run([counting(each, 1) for each in BOTH], tools=factory)
    per_scenario = len(expected) // len(BOTH)
    planning, running = LOG[:per_scenario], LOG[per_scenario:]
    assert planning == expected[:per_scenario]
    assert running == expected


def test_a_table_stays_open() -> None:
    """A mapping is one and the same for every scenario of a run."""
    assert run([counting("a", 1), counting("b", 2)], tools=table()).passed


def test_an_env_itself_is_a_table() -> None:
    """An `Env` that is no factory's is open for the run, as its table is."""
    assert run([counting("a", 1), counting("b", 2)], tools=Env(table())).passed


def test_tools_of_a_factory_may_say_their_style() -> None:
    """A `Tool` in the table of a factory is called as it says."""
    call = ToolCall("t", {"n": 2}, [Assertion("", Op.EQ, 2)])
    tools = {"t": Tool(lambda everything: everything["n"], style="dict")}
    assert run(Scenario("s", tool_calls=[call]), tools=lambda: tools).passed


@pytest.mark.parametrize(
    "tools",
    [
        pytest.param(7, id="number"),
        pytest.param([len], id="list"),
        pytest.param({"t": "no function"}, id="handler"),
        pytest.param({1: len}, id="name"),
        pytest.param(lambda: 7, id="factory of a number"),
        pytest.param(lambda: {"t": None}, id="factory of no handler"),
        pytest.param(lambda: Env([len]), id="env of a list"),  # type: ignore[arg-type]
        pytest.param(lambda a, b: {"t": (a, b)}, id="factory of two"),
        pytest.param(lambda: iter(()), id="iterator"),
        pytest.param(async_factory, id="async factory"),
        pytest.param(async_generator, id="async generator"),
    ],
)
def test_what_is_no_table_is_refused_before_the_run(tools: Any) -> None:
    """Anything but a mapping of names to handlers, or a factory of one, is a catalogue error."""
    with pytest.raises(CatalogueError):
        run(Scenario("s", tool_calls=[ToolCall("t")]), tools=tools)


@pytest.mark.parametrize("raised", [ValueError("no database"), SystemExit(0), GeneratorExit()])
def test_a_factory_that_fails_while_planning_is_a_catalogue_error(raised: BaseException) -> None:
    """Tools that can't even be opened to be looked at are told before the run, with the reason."""

    def factory() -> dict[str, Any]:
        raise raised

    with pytest.raises(CatalogueError, match=type(raised).__name__):
        run(Scenario("s", tool_calls=[ToolCall("t")]), tools=factory)


def test_tools_that_never_close_are_a_catalogue_error() -> None:
    """A factory whose closing fails while planning is told as the author's error, not as ours."""

    @contextmanager
    def factory() -> Iterator[dict[str, Any]]:
        yield table()
        raise RuntimeError("no disk")

    with pytest.raises(CatalogueError, match="no disk"):
        run(counting("s", 1), tools=factory)


def test_a_toolbox_is_what_opens_tools() -> None:
    """Tables and factories are opened alike; a factory's table is its scenario's own."""
    for tools, own in ((table(), False), (plain_factory, True)):
        with toolbox_of(tools).open(counting("s", 1)) as opened:
            assert opened.own is own
            assert opened.tools["count"]() == 1
