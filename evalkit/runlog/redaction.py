"""How secrets are kept out of what is written: values that were named, keys that look like one."""

import re
from typing import Any

from evalkit.jsontext import dumped, dumped_object, loaded
from evalkit.jsonvalue import Json

SHORTEST = 4
"""A shorter value is no secret, and would be found everywhere."""

_WORDS = (b'key"', b"secret", b"passw", b'token"', b"auth", b"credential", b"cookie", b'pwd"')
_KEY = re.compile(
    r"(api|access|private|secret|signing|account)[-_. ]?key$|secret|passw|passphrase|(^|[-_.])pwd$"
    r"|token$|^auth$|authorization$|credentials?$|cookie$",
    re.IGNORECASE,
)


class Redaction:
    """Takes secrets out of JSON text and of messages.

    A value under a key that looks like a credential is replaced whole; one that is the value of a
    variable named with `--redact` is replaced wherever it stands, in the middle of a text too.
    """

    def __init__(self, named: dict[str, str] | None = None) -> None:
        """Take the secret values by the names of their variables; the longest goes first."""
        values = sorted((named or {}).items(), key=lambda item: -len(item[1]))
        self._values = [(value, f"[redacted: {name}]") for name, value in values]
        self._written = [dumped(value)[1:-1] for value, _ in self._values]

    def text_of(self, text: bytes) -> bytes:
        """Take secrets out of an object's JSON; mostly there are none, which is seen fast."""
        folded = text.lower()
        for word in _WORDS:
            if word in folded:
                break
        else:
            if not self._values or not any(each in text for each in self._written):
                return text
        return dumped_object(self.value_of(loaded(text)))

    def value_of(self, value: Json, key: str = "") -> Any:  # noqa: ANN401
        """Take secrets out of a JSON value; `key` is what it stands under."""
        if value is not None and type(value) is not bool and key and _KEY.search(key):
            return "[redacted]"
        if type(value) is dict:
            return {self.message_of(name): self.value_of(value[name], name) for name in value}
        if type(value) is list:
            return [self.value_of(item) for item in value]
        return self.message_of(value) if type(value) is str else value

    def message_of(self, text: str) -> str:
        """Take the named values out of a text."""
        for value, instead in self._values:
            if value in text:
                text = text.replace(value, instead)
        return text
