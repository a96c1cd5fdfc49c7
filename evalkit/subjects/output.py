"""What tools print: kept from the terminal, capped, and noted with the call that printed it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from io import BufferedIOBase, TextIOBase
from typing import TextIO

from evalkit.toolbox.errors import whole

LIMIT = 65_536


class Output:
    """What one lane's calls print: kept while `listening`, up to 64 kB a call."""

    def __init__(self) -> None:
        """Begin with nothing kept."""
        self.listening = False
        self._parts: list[str] = []
        self._kept = 0
        self._dropped = 0

    def own(self) -> None:
        """Take what is printed in the current context from now on, while listening."""
        OUTPUT.set(self)

    def keep(self, text: str) -> None:
        """Keep a text, as far as there is room."""
        room = LIMIT - self._kept
        if room > 0:
            self._parts.append(text[:room])
            self._kept += min(room, len(text))
        self._dropped += max(0, len(text) - max(room, 0))

    def take(self) -> str:
        """Give what was printed since the last time, and how much was dropped."""
        if not self._parts:
            return ""
        text = whole("".join(self._parts))
        if self._dropped:
            text += f"… {self._dropped} more characters"
        self._parts, self._kept, self._dropped = [], 0, 0
        return text


OUTPUT: ContextVar[Output | None] = ContextVar("output", default=None)
"""Whose prints those of the current context are."""


class Router(TextIOBase):
    """Stands in for stdout or stderr: what a call prints goes to its output, the rest elsewhere."""

    errors = "replace"

    def __init__(self, elsewhere: TextIO) -> None:
        """Take the stream for what no call prints."""
        self.elsewhere = elsewhere
        self.before = elsewhere
        self.runs = 0

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """Give the encoding of the stream behind."""
        return self.elsewhere.encoding or "utf-8"

    @property
    def buffer(self) -> BufferedIOBase:
        """Give a stream for those who print bytes."""
        return _Bytes(self)

    def write(self, text: str) -> int:
        """Keep what a call prints; pass on the rest."""
        output = OUTPUT.get()
        if output is None or not output.listening:
            return self.elsewhere.write(text)
        output.keep(text)
        return len(text)

    def writable(self) -> bool:
        """Accept text."""
        return True

    def isatty(self) -> bool:
        """Be no terminal."""
        return False

    def fileno(self) -> int:
        """Give the descriptor of the stream behind."""
        return self.elsewhere.fileno()

    def flush(self) -> None:
        """Flush the stream behind."""
        if not self.elsewhere.closed:
            self.elsewhere.flush()


class _Bytes(BufferedIOBase):
    """The bytes side of a router."""

    def __init__(self, router: Router) -> None:
        self._router = router

    def write(self, data: bytes) -> int:  # type: ignore[override]
        """Print bytes as text."""
        self._router.write(bytes(data).decode("utf-8", "replace"))
        return len(data)

    def writable(self) -> bool:
        """Accept bytes."""
        return True


@contextmanager
def captured(elsewhere: TextIO | None = None) -> Iterator[None]:
    """Route stdout and stderr while a run lasts; runs that overlap share the routing."""
    routers = _routed("stdout", elsewhere), _routed("stderr", elsewhere)
    try:
        yield
    finally:
        for name, router in zip(("stdout", "stderr"), routers, strict=True):
            router.runs -= 1
            if not router.runs and getattr(sys, name) is router:
                setattr(sys, name, router.before)


def _routed(name: str, elsewhere: TextIO | None) -> Router:
    stream = getattr(sys, name)
    if not isinstance(stream, Router):
        router = Router(elsewhere or stream)
        router.before = stream
        setattr(sys, name, router)
        stream = router
    stream.runs += 1
    return stream
