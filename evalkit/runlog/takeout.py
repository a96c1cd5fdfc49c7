"""How secrets are taken out of one record: found by their keys, then out of every text in it."""

import json
import re
from functools import lru_cache
from typing import Any

from evalkit.jsonvalue import Json
from evalkit.trace import REDACTED

SHORTEST = 4
"""A shorter value is no secret, and would be found everywhere."""
BEGINNING = 12
"""So much of a secret gives it away, where a message has cut off the rest."""

_KEY = re.compile(
    r"(api|access|private|secret|signing|account)[-_. ]?key$|secret(?!ar)|passw|passphrase"
    r"|(^|[-_.])pwd$|(?<!page[-_])token$|^auth$|authorization$|credentials?$|cookies?$",
    re.IGNORECASE,
)
_OF_CHECK = ("actual", "expected")
_FIXED = frozenset(
    {"kind", "status", "code", "op", "digest", "fingerprint", "tools", "subject", "name"}
    | {"gone", "moved", "unused", "redact"}
    | {"observed", "catalogue_digest", "tools_digest", "difficulty", "severity", "rest", "cause"}
)
"""What a record says in words of its own, which are no secrets if a secret happens to be one."""
_KEYS = _FIXED | frozenset(
    {
        "name",
        "names",
        "path",
        "tool",
        "step",
        "label",
        "run",
        "epoch",
        "epochs",
        "needed",
        "number",
        "seq",
    }
    | {"attempt", "opaque", "tags", "source", "seconds", "pairing", "checks", "score", "trace"}
    | {"check_seconds", "calls", "turn", "error", "errors", "attempts", "not_run", "needs", "type"}
    | {"call", "usage", "cost_usd", "stop_cause", "schema", "evalkit", "unread", "redact", "at"}
    | {"argv", "bears", "scenarios", "environment", "gone", "moved", "unused", "interrupted"}
    | {"summary", "selected", "total", "warnings", "notes", "files", "python", "system", "wide"}
)
"""The keys of a record itself."""
_DOCUMENTS = frozenset(
    {"args", "result", "actual", "expected", "output", "message", "reason", "reasons"}
    | {"description", "state", "meta", "workspace", "response", "responses", "turns"}
)
"""The parts of a record that hold data of others: there, no key has a meaning of its own."""


@lru_cache(maxsize=10_000)
def is_credential(name: str) -> bool:
    """Say whether a key, or the last name of a path, looks like that of a credential."""
    return _KEY.search(name.rstrip("]\"'")) is not None


class TakeOut:
    """Takes secrets out of one record: those that are named, and those that its keys give away."""

    def __init__(self, named: list[tuple[str, str]]) -> None:
        """Take the values that are known beforehand, each with what stands for it."""
        self._named = named
        self._secrets = dict(named)

    def of(self, record: dict[str, Json]) -> dict[str, Json]:
        """Give the record without its secrets."""
        clean = self._keyed(record, own=True)
        longest = sorted(self._secrets.items(), key=lambda item: -len(item[0]))
        written: dict[str, Json] = _without(clean, _spelt(self._named), _spelt(longest), own=True)
        return written

    def _keyed(self, value: Json, *, own: bool, secret: bool = False) -> Json:
        """Take out what stands under a key, or is the value of a check, that gives it away."""
        if type(value) is dict:
            paths = value.get("path") if "actual" in value else None
            return {
                key: self._of_rows(item, paths)
                if key in _OF_CHECK and type(paths) is list
                else self._keyed(
                    item,
                    own=own and key not in _DOCUMENTS,
                    secret=secret or is_credential(key) or (key in _OF_CHECK and _leads(paths)),
                )
                for key, item in value.items()
            }
        if type(value) is list:
            return [self._keyed(item, own=own, secret=secret) for item in value]
        return self._secret(value) if secret else value

    def _of_rows(self, column: list[Json], paths: list[str]) -> list[Json]:
        """Take out the values of checks that are written by columns, row by row."""
        rows = zip(column, paths, strict=True)
        return [self._keyed(item, own=False, secret=_leads(path)) for item, path in rows]

    def _secret(self, value: Json) -> Json:
        """Note a value that is secret, and give what stands for it."""
        if value is None or type(value) is bool:
            return value
        text = value if type(value) is str else str(value)
        if len(text) >= SHORTEST:
            self._secrets.setdefault(text, REDACTED)
        return REDACTED


def _leads(path: Json) -> bool:
    return type(path) is str and is_credential(path)


_OWN = _KEYS | _DOCUMENTS
Spelt = list[tuple[str, str]]


def _spelt(secrets: Spelt) -> Spelt:
    return [(each, instead) for secret, instead in secrets for each in spellings(secret)]


def _without(value: Json, named: Spelt, every: Spelt, *, own: bool) -> Any:  # noqa: ANN401
    """Take secrets out of every text: in words of the record's own only those that were named."""
    if type(value) is dict:
        return {
            key
            if own and key in _KEYS | _DOCUMENTS
            else without(key, named if own else every): item
            if own and key in _FIXED
            else _without(item, named, every, own=own and key not in _DOCUMENTS)
            for key, item in value.items()
        }
    if type(value) is list:
        return [_without(item, named, every, own=own) for item in value]
    return without(value, named if own else every) if type(value) is str else value


def without(text: str, spelt: Spelt) -> str:
    """Take secrets out of a text, and the beginning of one that a message has cut off."""
    for secret, instead in spelt:
        text = text.replace(secret, instead)
    while cut := max((_beginning(text, *each) for each in spelt), default=None):
        length, at, instead = cut
        if length < BEGINNING:
            break
        text = text[:at] + instead + text[at + length :]
    return text


def _beginning(text: str, secret: str, instead: str) -> tuple[int, int, str]:
    """Find how much of a secret stands in a text, from its beginning on: length, place."""
    at = text.find(secret[:BEGINNING]) if len(secret) > BEGINNING else -1
    length = 0
    while (
        at >= 0
        and length < min(len(secret), len(text) - at)
        and text[at + length] == secret[length]
    ):
        length += 1
    return length, at, instead


def spellings(secret: str) -> list[str]:
    """Give a secret as it is, and as a message or JSON would write it."""
    quoted = [repr(secret)[1:-1], json.dumps(secret)[1:-1]]
    return list(dict.fromkeys([secret, *quoted]))
