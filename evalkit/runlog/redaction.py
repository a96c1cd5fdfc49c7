"""How secrets are kept out of what is written: values that were named, keys that look like one."""

import json
from gc import get_referents
from typing import Any

from evalkit.errors import CatalogueError, Problem
from evalkit.jsontext import dumped, dumped_object, loaded
from evalkit.result import ScenarioResult
from evalkit.runlog.takeout import TakeOut, is_credential, spellings, without

_CONTAINERS = frozenset({dict, list})


class Redaction:
    """Takes secrets out of records, messages and errors.

    A value under a key that looks like a credential is replaced whole, and wherever else it stands
    in the same record; one that is the value of a variable named with `--redact`, everywhere, in
    the middle of a text too.
    """

    def __init__(self, named: dict[str, str] | None = None) -> None:
        """Take the secret values by the names of their variables; the longest goes first."""
        values = sorted((named or {}).items(), key=lambda item: -len(item[1]))
        self.names = [name for name, _ in values]
        self._named = [(value, f"[redacted: {name}]") for name, value in values]
        self._spelt = [(each, said) for value, said in self._named for each in spellings(value)]
        self._written = [
            each
            for value, _ in self._named
            for each in (dumped(value)[1:-1], json.dumps(value)[1:-1].encode())
        ]
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
        """Take secrets out of the JSON of a record."""
        return dumped_object(TakeOut(self._named).of(loaded(text)))

    def message_of(self, text: str) -> str:
        """Take the named values out of a text."""
        return without(text, self._spelt) if self._spelt else text

    def error_of(self, error: CatalogueError) -> CatalogueError:
        """Take the named values out of what is wrong with a catalogue."""
        clean = self.message_of
        return CatalogueError(
            problems=[
                Problem(
                    clean(each.where),
                    clean(each.problem),
                    None if each.hint is None else clean(each.hint),
                    each.source,
                    each.warning,
                )
                for each in error.problems
            ]
        )
