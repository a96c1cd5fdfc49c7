"""What tools print: kept from the terminal, capped, and noted with the call that printed it."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOBase
from typing import TextIO

LIMIT = 65_536


class Output(TextIOBase):
    """Stands in for stdout or stderr: what the thread of a call prints is kept for `take`.

    What other threads print goes to `elsewhere`.
    """

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, elsewhere: TextIO) -> None:
        """Take the stream for what no call prints."""
        self._elsewhere = elsewhere
        self._owner: int | None = None
        self._parts: list[str] = []
        self._kept = 0
        self._dropped = 0

    def own(self) -> None:
        """Take what the current thread prints from now on as printed by a call."""
        self._owner = threading.get_ident()
        self.take()

    def writable(self) -> bool:
        """Accept text."""
        return True

    def isatty(self) -> bool:
        """Be no terminal."""
        return False

    def write(self, text: str) -> int:
        """Keep what the call's thread prints, up to 64 kB a call; pass on the rest."""
        if threading.get_ident() != self._owner:
            return self._elsewhere.write(text)
        room = LIMIT - self._kept
        if room > 0:
            self._parts.append(text[:room])
            self._kept += min(room, len(text))
        self._dropped += max(0, len(text) - max(room, 0))
        return len(text)

    def flush(self) -> None:
        """Have nothing to flush: what was kept is in memory."""

    def take(self) -> str:
        """Give what was printed since the last time, and how much was dropped."""
        if not self._parts:
            return ""
        text = "".join(self._parts)
        if self._dropped:
            text += f"… {self._dropped} more characters"
        self._parts, self._kept, self._dropped = [], 0, 0
        return text


@contextmanager
def captured(elsewhere: TextIO | None = None) -> Iterator[Output]:
    """Put an `Output` in the place of stdout and stderr while a run lasts."""
    stdout, stderr = sys.stdout, sys.stderr
    output = Output(elsewhere or stdout)
    sys.stdout = sys.stderr = output
    try:
        yield output
    finally:
        sys.stdout, sys.stderr = stdout, stderr
