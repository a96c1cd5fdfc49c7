"""What is an agent, what is a factory of one, and what is neither."""

import functools
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from evalkit import CatalogueError
from evalkit.subjects.agent import agent_of, manner_of

Turns = list[dict[str, str]]


def one(conversation: Turns) -> str:
    """Take the conversation."""
    return str(conversation)


def two(conversation: Turns, ctx: Any) -> str:
    """Take the context, too."""
    return str((conversation, ctx))


async def one_async(conversation: Turns) -> str:
    """Take the conversation, on a loop."""
    return str(conversation)


async def two_async(conversation: Turns, ctx: Any) -> str:
    """Take the context, too, on a loop."""
    return str((conversation, ctx))


def usual(conversation: Turns, ctx: Any = None) -> str:
    """Do without the context where there is none."""
    return str((conversation, ctx))


def three(conversation: Turns, ctx: Any, model: str = "small") -> str:
    """Have an option beside."""
    return str((conversation, ctx, model))


def named(conversation: Turns, *, model: str = "small") -> str:
    """Have an option by name."""
    return str((conversation, model))


def anything(*given: Any) -> str:
    """Take whatever comes."""
    return str(given)


def anything_named(conversation: Turns, **options: Any) -> str:
    """Take the conversation, and options."""
    return str((conversation, options))


class Callee:
    """An object that is called, and has methods that are agents."""

    shows_calls = False

    def __call__(self, conversation: Turns) -> str:
        """Take the conversation."""
        return str(conversation)

    def answer(self, conversation: Turns, ctx: Any) -> str:
        """Take the context, too."""
        return str((conversation, ctx))

    @staticmethod
    def static(conversation: Turns) -> str:
        """Take the conversation."""
        return str(conversation)

    @classmethod
    def of_class(cls, conversation: Turns) -> str:
        """Take the conversation."""
        return str((cls, conversation))


def with_model(model: str, conversation: Turns, ctx: Any) -> str:
    """Be bound to a model."""
    return str((model, conversation, ctx))


ARE_AGENTS: list[tuple[Any, bool]] = [
    (one, False),
    (two, True),
    (one_async, False),
    (two_async, True),
    (usual, True),
    (three, True),
    (named, False),
    (anything, True),
    (anything_named, False),
    (Callee(), False),
    (Callee().answer, True),
    (Callee.static, False),
    (Callee.of_class, False),
    (functools.partial(with_model, "small"), True),
    (functools.partial(two, ctx=None), False),
    (lambda conversation, ctx: str((conversation, ctx)), True),
]


@pytest.mark.parametrize(("given", "wants"), ARE_AGENTS, ids=lambda each: str(each)[:30])
def test_what_is_an_agent(given: Any, wants: bool) -> None:
    """A function of the conversation is an agent; it gets the context where it has room for it."""
    agent = agent_of(given)
    assert (agent.given, agent.makes) == (given, False)
    assert agent.manner is not None
    assert agent.manner.wants_context is wants
    with agent.open() as answer:
        assert answer is given


def test_an_agent_with_a_context_shows_its_calls() -> None:
    """One that can call tools by the context shows them there, unless it says that it does not."""
    for answer, shows in ((one, False), (two, True), (usual, True)):
        assert manner_of(answer).shows_calls is shows

    class Silent:
        shows_calls = False

        def __call__(self, conversation: Turns, ctx: Any) -> str:
            return str((conversation, ctx))

    assert (manner_of(Silent()).wants_context, manner_of(Silent()).shows_calls) == (True, False)


class Fresh:
    """An agent that is made for every run."""

    def __call__(self, conversation: Turns) -> str:
        """Take the conversation."""
        return str(conversation)


class Entered(Fresh):
    """A context manager that gives an agent, and notes that it was left."""

    left = 0

    def __enter__(self) -> Any:
        """Give an agent."""
        return one

    def __exit__(self, *_: object) -> None:
        """Note it."""
        Entered.left += 1


def making() -> Any:
    """Make an agent."""
    return one


def with_options(model: str = "small") -> Any:
    """Look like an agent, for it can be called with one thing."""
    return model


def generating() -> Iterator[Any]:
    """Make an agent, and clean up."""
    yield one
    Entered.left += 1


@contextmanager
def managing() -> Iterator[Any]:
    """Make an agent, and clean up."""
    yield one
    Entered.left += 1


def managed() -> Any:
    """Give a context manager that gives an agent."""
    return Entered()


FACTORIES: list[tuple[Any, int]] = [
    (making, 0),
    (lambda: one, 0),
    (functools.partial(managed), 1),
    (generating, 1),
    (managing, 1),
    (managed, 1),
    (Entered, 1),
]


@pytest.mark.parametrize(("given", "left"), FACTORIES, ids=lambda each: str(each)[:30])
def test_what_is_a_factory(given: Any, left: int) -> None:
    """What takes nothing makes an agent; what can be entered is entered, and left after it."""
    agent = agent_of(given)
    assert (agent.makes, agent.manner) == (True, None)
    Entered.left = 0
    with agent.open() as answer:
        assert answer is one
        assert Entered.left == 0
    assert Entered.left == left


def test_a_class_is_a_factory() -> None:
    """An instance is made for every run, and is an agent of its own."""
    agent = agent_of(Fresh)
    with agent.open() as first, agent.open() as second:
        assert type(first) is type(second) is Fresh
        assert first is not second


def test_what_can_be_called_with_a_conversation_is_an_agent() -> None:
    """A function with an option is no factory: what it takes first is the conversation."""
    assert agent_of(with_options).makes is False


async def making_async() -> Any:
    """Make an agent on a loop."""
    return one


async def generating_async() -> AsyncIterator[Any]:
    """Make an agent on a loop, and clean up."""
    yield one


def many(conversation: Turns, ctx: Any, model: str) -> str:
    """Need more than there is."""
    return str((conversation, ctx, model))


NEITHER: list[tuple[Any, str]] = [
    (None, "expected a function, got None"),
    ("shop.agent:answer", "expected a function, got 'shop.agent:answer'"),
    (7, "expected a function, got 7"),
    ({"agent": one}, "expected a function, got {"),
    ([one], "expected a function, got ["),
    (making_async, "is an async factory; make it sync; the agent may be async"),
    (generating_async, "is an async factory; make it sync; the agent may be async"),
    (many, "needs more than two arguments"),
    (functools.partial(many), "needs more than two arguments"),
    (with_model, "needs more than two arguments"),
]


@pytest.mark.parametrize(("given", "told"), NEITHER, ids=lambda each: str(each)[:30])
def test_what_is_neither_is_refused(given: Any, told: str) -> None:
    """What is no agent and no factory is a catalogue error that says what is one."""
    with pytest.raises(CatalogueError) as caught:
        agent_of(given)
    assert str(caught.value).startswith("agent: ")
    assert told in str(caught.value)


@pytest.mark.parametrize("needed", ["by name", "by name and more"])
def test_what_needs_an_argument_by_name_is_refused(needed: str) -> None:
    """Nobody gives what is required by name, so that every run of it would raise."""

    def needing(conversation: Turns, *, model: str) -> str:
        return str((conversation, model))

    def making_of(*, model: str) -> Any:
        return model

    with pytest.raises(CatalogueError, match="'model'"):
        agent_of(needing if needed == "by name" else making_of)


MADE: list[Any] = [None, "an answer", 7, {"agent": one}, making]


@pytest.mark.parametrize("made", MADE, ids=lambda each: str(each)[:20])
def test_what_a_factory_makes_is_an_agent(made: Any) -> None:
    """What a factory gave and is none is told, before it is asked anything."""
    with pytest.raises(TypeError, match=r"the factory gave .*agent\(conversation\)"):
        manner_of(made)
