"""What an agent is: a function of the conversation, or what makes one afresh for every run."""

import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import attrs

from evalkit.errors import CatalogueError
from evalkit.jsonvalue import brief
from evalkit.registry import listing

PLACE = "agent"
HINT = "agent(conversation), agent(conversation, ctx), or a factory of one that takes nothing"
CONTEXTS = frozenset({"ctx", "context"})
MOST = 2
"""An agent takes the conversation, and the context if it wants it."""
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@attrs.frozen(eq=False, repr=False)
class Agent:
    """An agent as it was given; `makes` says that it is a factory, entered for each run.

    `manner` says how it is called, where it is no factory.
    """

    given: Callable[..., Any]
    makes: bool
    manner: "Manner | None" = None

    def open(self) -> AbstractContextManager[Callable[..., Any]]:
        """Give the agent for one run: made afresh where it is a factory."""
        if not self.makes:
            return nullcontext(self.given)
        if inspect.isgeneratorfunction(self.given):
            return contextmanager(self.given)()
        made = self.given()
        has_both = hasattr(made, "__enter__") and hasattr(made, "__exit__")
        return made if has_both else nullcontext(made)


@attrs.frozen(eq=False)
class Manner:
    """How an agent is called: whether it takes the context, and shows its calls by that."""

    wants_context: bool
    shows_calls: bool


def agent_of(given: Any) -> Agent:  # noqa: ANN401
    """Take an agent, or a factory of one; `CatalogueError` for anything else.

    A class is a factory, and so is a function that needs nothing and takes no conversation.
    """
    if not callable(given):
        raise CatalogueError(PLACE, f"expected a function, got {brief(given)}", HINT)
    if inspect.isclass(given):
        if _required(given):
            problem = f"{given.__qualname__} can't be made: it needs an argument"
            raise CatalogueError(PLACE, problem, "give a function that makes it")
        return Agent(given, makes=True)
    needed = [each.name for each in _parameters(given) or () if _is_named(each)]
    if needed:
        problem = f"{brief(given)} needs {listing(needed)} by name, which nobody gives it"
        raise CatalogueError(PLACE, problem, HINT)
    taken = _positional(given)
    if taken == 0:
        inner = inspect.unwrap(given)
        if inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner):
            hint = "make it sync; the agent may be async"
            raise CatalogueError(PLACE, "is an async factory", hint)
        return Agent(given, makes=True)
    if taken is not None and _required(given) > MOST:
        raise CatalogueError(PLACE, f"{brief(given)} needs more than two arguments", HINT)
    return Agent(given, makes=False, manner=manner_of(given))


def manner_of(answer: Any) -> Manner:  # noqa: ANN401
    """Say how an agent is called; `TypeError` where it is none.

    One that takes the context calls its tools there, unless its attribute `shows_calls` is false.
    """
    if not callable(answer):
        raise TypeError(f"the factory gave {brief(answer)}, which is no agent: {HINT}")
    taken = _positional(answer)
    if taken == 0:
        raise TypeError(f"the factory gave {brief(answer)}, which takes no conversation: {HINT}")
    wants = taken is None or (taken >= MOST and _second_is_context(answer))
    return Manner(wants, wants and bool(getattr(answer, "shows_calls", True)))


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter] | None:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None


def _positional(function: Callable[..., Any]) -> int | None:
    """Count the arguments that are taken by their place; None where that can't be known."""
    parameters = _parameters(function)
    if parameters is None:
        return None
    if any(each.kind is each.VAR_POSITIONAL for each in parameters):
        return MOST
    return sum(each.kind in _POSITIONAL for each in parameters)


def _second_is_context(answer: Callable[..., Any]) -> bool:
    """Say whether the second argument is meant for the context: it is needed, or called so."""
    parameters = _parameters(answer) or []
    positional = [each for each in parameters if each.kind in _POSITIONAL]
    if len(positional) < MOST:  # it takes any number of them
        return True
    second = positional[1]
    return second.default is second.empty or second.name in CONTEXTS


def _is_named(parameter: inspect.Parameter) -> bool:
    """Say whether an argument has to be given, by its name alone."""
    return parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty


def _required(function: Callable[..., Any]) -> int:
    return sum(
        each.kind in _POSITIONAL and each.default is each.empty
        for each in _parameters(function) or ()
    )
