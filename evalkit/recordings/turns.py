"""Which turns of a conversation an agent was put, and what it added to each.

A trace holds the whole conversation, in which an answer of the agent's looks like a scripted one.
"""

from collections.abc import Sequence
from typing import Any

import attrs

Message = dict[str, Any]
COMPLETED = "completed"


@attrs.frozen(eq=False)
class Turn:
    """One turn that was put to an agent: the conversation up to it, and what came of it.

    `text` is None where it was not answered.
    """

    conversation: list[Message]
    messages: list[Message]
    text: str | None


def turns_of(messages: Sequence[Message], responses: Sequence[str]) -> list[Turn] | None:
    """Give the turns of a conversation that an agent was put; None where that can't be told.

    The last message of the user's was put to it, and one that no message of the assistant's
    follows; the others, where what follows ends with what the agent has responded. Of several that
    do, the later ones count, for what is scripted comes first.

    >>> said = [("user", "Hi"), ("assistant", "Hello."), ("user", "Bye"), ("assistant", "Bye.")]
    >>> messages = [{"role": role, "content": content} for role, content in said]
    >>> [turn.text for turn in turns_of(messages, ["Bye."])]
    ['Bye.']
    """
    places = [at for at, message in enumerate(messages) if message["role"] == "user"]
    added = [_added(messages, at + 1) for at in places]
    for answers in ([*responses], [*responses, None]):  # the second: the last was not answered
        found = _aligned(added, answers)
        if found is not None:
            return [
                Turn(list(messages[: places[index] + 1]), added[index], text)
                for index, text in found
            ]
    return None


def _added(messages: Sequence[Message], start: int) -> list[Message]:
    """Give the assistant's messages from a place on."""
    end = start
    while end < len(messages) and messages[end]["role"] == "assistant":
        end += 1
    return list(messages[start:end])


def _aligned(
    added: list[list[Message]], answers: Sequence[str | None]
) -> list[tuple[int, str | None]] | None:
    """Give each answer its message of the user's, from the last on; None where they do not fit."""
    left = list(answers)
    found: list[tuple[int, str | None]] = []
    last = len(added) - 1
    for index in range(last, -1, -1):
        if left and _fits(added[index], left[-1], is_last=index == last):
            found.append((index, left.pop()))
        elif index == last or not added[index]:
            return None
    return None if left else found[::-1]


def _fits(messages: list[Message], text: str | None, *, is_last: bool) -> bool:
    """Say whether an answer may have added these messages to the conversation.

    An agent that ended with a call has said something before, and has no text. That is known only
    where it can't be a scripted message.
    """
    if text is None:
        return not messages
    if not text and (is_last or not messages):
        return True
    return bool(messages) and messages[-1]["content"] == text
