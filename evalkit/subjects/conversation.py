"""What a prompt is as a conversation, and which of its turns an agent is to answer."""

from evalkit.model import Scenario

Message = dict[str, str]
"""One message of a conversation: its role, and its content."""


def conversation_of(scenario: Scenario) -> list[Message]:
    """Give the system prompt and the turns of the prompt as messages.

    >>> conversation_of(Scenario("a", "Where is my order?", answers=["in Oslo"]))
    [{'role': 'user', 'content': 'Where is my order?'}]
    """
    system = [] if scenario.system_prompt is None else [_message("system", scenario.system_prompt)]
    prompt = scenario.prompt
    if prompt is None or isinstance(prompt, str):
        return system if prompt is None else [*system, _message("user", prompt)]
    return system + [
        _message("user", turn) if isinstance(turn, str) else _message(turn.role, turn.content)
        for turn in prompt
    ]


def pieces_of(messages: list[Message]) -> list[list[Message]]:
    """Cut a conversation after each message that is to be answered: the last of each piece.

    A user's message that is followed by one of the assistant has been answered, and is history.
    """
    pieces: list[list[Message]] = []
    piece: list[Message] = []
    for index, message in enumerate(messages):
        piece.append(message)
        following = messages[index + 1]["role"] if index + 1 < len(messages) else None
        if message["role"] == "user" and following != "assistant":
            pieces.append(piece)
            piece = []
    return pieces


def response_of(responses: list[str], asked: int) -> str | None:
    """Give the answer to the last turn; None where not all were answered, or it says nothing.

    >>> response_of(["Hello", " "], 2) is None
    True
    """
    whole = len(responses) == asked and responses and responses[-1].strip()
    return responses[-1] if whole else None


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content}
