"""Whether a value of a trace differs from another only in what was taken out of it as secret."""

from evalkit.jsonvalue import Json, equal
from evalkit.trace import REDACTED


def is_hidden(sent: Json, value: Json) -> bool:
    """Say whether a value that was sent differs only in what was taken out of the trace."""
    if type(sent) is dict and type(value) is dict:
        same = sent.keys() == value.keys()
        return same and all(is_hidden(sent[key], item) for key, item in value.items())
    if type(sent) is list and type(value) is list:
        return len(sent) == len(value) and all(map(is_hidden, sent, value))
    return equal(sent, value) or sent == REDACTED
