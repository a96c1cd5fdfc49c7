"""How secrets are kept out of what is written: values that were named, keys that look like one."""

import re
from collections.abc import Iterator
from functools import lru_cache
from gc import get_referents
from typing import Any

from evalkit.jsontext import dumped, dumped_object, loaded
from evalkit.jsonvalue import Json
from evalkit.result import ScenarioResult

REDACTED = "[redacted]"
SHORTEST = 4
"""A shorter value is no secret, and would be found everywhere."""

_KEY = re.compile(
    r"(api|access|private|secret|signing|account)[-_. ]?key$|secret|passw|passphrase|(^|[-_.])pwd$"
    r"|token$|^auth$|authorization$|credentials?$|cookie$",
    re.IGNORECASE,
)
_CONTAINERS = frozenset({dict, list})
_VALUES = ("actual", "expected")


@lru_cache(maxsize=10_000)
def is_credential(name: str) -> bool:
    """Say whether a key, or the last name of a path, looks like that of a credential."""
    return _KEY.search(name.rstrip("]\"'")) is not None


class Redaction:
    """Takes secrets out of JSON text and of messages.

    A value under a key that looks like a credential is replaced whole, and wherever else it stands
    in the same record; one that is the value of a variable named with `--redact`, everywhere, in
    the middle of a text too.
    """

    def __init__(self, named: dict[str, str] | None = None) -> None:
        """Take the secret values by the names of their variables; the longest goes first."""
        values = sorted((named or {}).items(), key=lambda item: -len(item[1]))
        self._named = [(value, f"[redacted: {name}]") for name, value in values]
        self._written = [dumped(value)[1:-1] for value, _ in self._named]
        self._harmless: set[str] = set()

    def concerns(self, result: ScenarioResult, text: bytes) -> bool:
        """Say whether a result, written as `text`, holds a secret. Asked for every record."""
        for each in self._written:
            if each in text:
                return True
        left: list[Any] = []
        for check in result.checks:
            assertion = check.assertion
            if is_credential(assertion.path):
                return True
            if type(assertion.expected) in _CONTAINERS:
                left.append(assertion.expected)
        for call in result.trace["calls"] if result.trace is not None else ():
            left += (call["args"], call["result"])
        return self._in_any([value for value in left if type(value) in _CONTAINERS])

    def _in_any(self, level: list[Any]) -> bool:
        """Look at the keys of all dicts; those that were seen before are known to be harmless.

        It goes level by level, and has the collector give what is in a level: in C, in one call.
        """
        harmless = self._harmless
        while level:
            for value in level:
                if type(value) is dict and not harmless.issuperset(value):
                    if any(map(is_credential, value)):
                        return True
                    harmless.update(value)
            level = [item for item in get_referents(*level) if type(item) in _CONTAINERS]
        return False

    def text_of(self, text: bytes) -> bytes:
        """Take secrets out of an object's JSON."""
        value = loaded(text)
        secrets: set[str] = set()
        clean = self._value(value, secrets)
        return dumped_object(_without(clean, sorted(secrets, key=len, reverse=True)))

    def message_of(self, text: str) -> str:
        """Take the named values out of a text."""
        for value, instead in self._named:
            if value in text:
                text = text.replace(value, instead)
        return text

    def _value(self, value: Json, secrets: set[str], *, secret: bool = False) -> Any:  # noqa: ANN401
        """Take secrets out of a value, and note those that were under a key of their own."""
        if type(value) is dict:
            return {
                self.message_of(key): self._value(item, secrets, secret=secret or under)
                for key, item, under in _under_credentials(value)
            }
        if type(value) is list:
            return [self._value(item, secrets, secret=secret) for item in value]
        if secret and value is not None and type(value) is not bool:
            if type(value) is str and len(value) >= SHORTEST:
                secrets.add(value)
            return REDACTED
        return self.message_of(value) if type(value) is str else value


def _under_credentials(value: dict[str, Json]) -> Iterator[tuple[str, Json, bool]]:
    """Yield the items of a dict, and whether each is secret for what it stands under.

    For a check that is its path; checks that are written by columns have a path for each row.
    """
    path = value.get("path")
    for key, item in value.items():
        of_check = key in _VALUES and "actual" in value
        if of_check and type(path) is list and type(item) is list:
            rows = zip(path, item, strict=True)
            yield key, [REDACTED if is_credential(each) else row for each, row in rows], False
        else:
            yield key, item, is_credential(key) or (of_check and is_credential(str(path)))


def _without(value: Json, secrets: list[str]) -> Any:  # noqa: ANN401
    """Take secret values out of every text."""
    if type(value) is dict:
        return {key: _without(item, secrets) for key, item in value.items()}
    if type(value) is list:
        return [_without(item, secrets) for item in value]
    if type(value) is str:
        for secret in secrets:
            value = value.replace(secret, REDACTED)
    return value
