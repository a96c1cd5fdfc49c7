"""What an author writes: the nouns, frozen, and what their fields accept."""

from evalkit.model.assertion import Assertion, Op, Ref, refs
from evalkit.model.scenario import DIFFICULTIES, Scenario, Turn
from evalkit.model.tool import Env, Tool
from evalkit.model.tool_call import ToolCall

__all__ = [
    "DIFFICULTIES",
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
