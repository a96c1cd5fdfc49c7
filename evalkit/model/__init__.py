"""What an author writes: the nouns, frozen, and what their fields accept."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from evalkit.model.answers import MATCHES, Answers
from evalkit.model.assertion import RARE, USUAL, Assertion, Op, Ref, assertion_of, filled, refs
from evalkit.model.scenario import DIFFICULTIES, Scenario, Turn
from evalkit.model.tool import Env, Tool
from evalkit.model.tool_call import ToolCall

if TYPE_CHECKING:
    from evalkit.model.bounds import Budget, Limits
    from evalkit.model.material import Attachment, FewShot
    from evalkit.model.reply import Reply
    from evalkit.model.state import State

_LATER = {
    "Attachment": "evalkit.model.material",
    "Budget": "evalkit.model.bounds",
    "FewShot": "evalkit.model.material",
    "Limits": "evalkit.model.bounds",
    "Reply": "evalkit.model.reply",
    "State": "evalkit.model.state",
}
"""The nouns that few catalogues use, each imported when it is first asked for."""

__all__ = [
    "DIFFICULTIES",
    "MATCHES",
    "RARE",
    "USUAL",
    "Answers",
    "Assertion",
    "Attachment",
    "Budget",
    "Env",
    "FewShot",
    "Limits",
    "Op",
    "Ref",
    "Reply",
    "Scenario",
    "State",
    "Tool",
    "ToolCall",
    "Turn",
    "assertion_of",
    "filled",
    "refs",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:  # noqa: ANN401
        """Import a noun that few catalogues use, once."""
        module = _LATER.get(name)
        if module is None:
            raise AttributeError(f"module 'evalkit.model' has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(module), name)
        return value
