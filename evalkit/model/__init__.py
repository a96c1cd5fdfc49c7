"""What an author writes: the nouns, frozen, and what their fields accept."""

from evalkit.model.answers import MATCHES, Answers
from evalkit.model.assertion import RARE, USUAL, Assertion, Op, Ref, refs
from evalkit.model.scenario import DIFFICULTIES, Scenario, Turn
from evalkit.model.tool import Env, Tool
from evalkit.model.tool_call import ToolCall

__all__ = [
    "DIFFICULTIES",
    "MATCHES",
    "RARE",
    "USUAL",
    "Answers",
    "Assertion",
    "Env",
    "Op",
    "Ref",
    "Scenario",
    "Tool",
    "ToolCall",
    "Turn",
    "refs",
]
