"""How far a conversation with an agent has come, and how what it tells is taken in."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import attrs

from evalkit.jsonvalue import Json, equal, is_number
from evalkit.model import Limits
from evalkit.subjects.agent import Manner
from evalkit.subjects.conversation import Message
from evalkit.subjects.handed import Context
from evalkit.subjects.noted import Calls
from evalkit.subjects.replies import COMPLETED, NO_OUTPUT, Told
from evalkit.trace import Call


@attrs.define(eq=False, repr=False)
class Talk:
    """How far one agent's run has come: the conversation, what was told, and why it stopped.

    `usage` and `cost_usd` are None from the first turn on that does not tell them; `seen` says that
    every call is known, `counted` that the agent counted its turns itself.
    """

    pieces: list[list[Message]]
    epoch: int
    conversation: list[Message] = attrs.field(factory=list)
    responses: list[str] = attrs.field(factory=list)
    calls: Calls | None = None
    seen: bool = True
    answer: Callable[..., Any] | None = None
    manner: Manner = attrs.field(default=Manner(wants_context=False, shows_calls=False))
    manager: AbstractContextManager[Any] | None = None
    context: Context | None = None
    usage: dict[str, int] | None = attrs.field(factory=dict)
    cost_usd: float | None = 0.0
    stop_cause: str | None = None
    turns: int = 0
    counted: bool = True
    limits: Limits | None = None
    meta: dict[str, Json] = attrs.field(factory=dict)


def take(talk: Talk, told: Told, number: int) -> None:
    """Take what a turn told into the trace."""
    noted: list[Call] = talk.calls.noted  # type: ignore[union-attr]
    made = [call for call in noted if call["turn"] == number]
    talk.seen = talk.seen and (told.calls is not None or talk.manner.shows_calls)
    more = _not_noted(told.calls or [], made)
    for call in more:
        call["turn"] = number
        talk.calls.look_at(call, handed=talk.manner.wants_context)  # type: ignore[union-attr]
    if more:
        noted[len(noted) - len(made) :] = _in_order(told.calls or [], made, more)
    talk.conversation += told.messages
    talk.responses.append(told.text or "")
    talk.counted = talk.counted and told.turns is not None
    talk.turns += len(made) + len(more) + 1 if told.turns is None else told.turns
    # one message of the model tells nothing of what those before it used, which asked for calls
    used = None if told.alone and made else told.usage
    talk.usage = _sum_of(talk.usage, used) if number else used
    talk.cost_usd = _total(talk.cost_usd, told.cost_usd)
    talk.meta = _together(talk.meta, told.meta)
    limits = talk.limits
    acted = told.stop_cause == NO_OUTPUT and (made or more)
    talk.stop_cause = COMPLETED if acted else told.stop_cause
    if len(noted) > talk.calls.most:  # type: ignore[union-attr]
        talk.stop_cause = "max_calls"
    elif limits and limits.max_turns and talk.counted and talk.turns > limits.max_turns:
        talk.stop_cause = "max_turns"


def _together(before: dict[str, Json], told: dict[str, Json]) -> dict[str, Json]:
    """Put what a turn tells of itself to what others told: numbers add up, a yes stays a yes."""
    whole = dict(before)
    for name, value in told.items():
        old = whole.get(name)
        if is_number(value) and is_number(old):
            value = old + value  # noqa: PLW2901
        elif type(value) is bool and type(old) is bool:
            value = old or value  # noqa: PLW2901
        elif type(value) is dict and type(old) is dict:
            value = _together(old, value)  # noqa: PLW2901
        whole[name] = value
    return whole


def _not_noted(told: list[Call], made: list[Call]) -> list[Call]:
    """Give the calls that an agent tells of and that were not noted when it made them."""
    left = list(made)
    more = []
    for call in told:
        same = next((each for each in left if _is_same(each, call)), None)
        if same is None:
            more.append(call)
        else:
            left.remove(same)
    return more


def _in_order(told: list[Call], made: list[Call], more: list[Call]) -> list[Call]:
    """Put the calls of a turn in the order that is told, where that has all of them."""
    left, ordered = list(made), []
    for call in told:
        same = next((each for each in left if _is_same(each, call)), None)
        ordered.append(call if same is None else same)
        if same is not None:
            left.remove(same)
    in_turn = [call for call in ordered if any(call is each for each in made)]
    as_noted = not left and all(one is two for one, two in zip(in_turn, made, strict=True))
    return ordered if as_noted else made + more


def _is_same(noted: Call, told: Call) -> bool:
    return noted["tool"] == told["tool"] and equal(noted["args"], told["args"])


def _sum_of(before: dict[str, int] | None, told: dict[str, int] | None) -> dict[str, int] | None:
    """Add up what each turn used; unknown from the first turn on that does not tell."""
    if before is None or told is None:
        return None
    return {name: before[name] + told[name] for name in told if name in before}


def _total(before: float | None, told: float | None) -> float | None:
    return None if before is None or told is None else before + told
