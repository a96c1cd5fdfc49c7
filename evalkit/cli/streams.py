"""How the command line keeps stdout to itself: only reports get there, whatever else prints."""

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO, cast

from evalkit.runlog.redaction import Redaction


@contextmanager
def own_stdout(*, give_back: bool = True) -> Iterator[TextIO]:
    """Give the stdout for reports; until the end, all else that goes to stdout goes to stderr.

    Without `give_back` that stays so for as long as the process lives.

    That holds for the descriptor, so for child processes and C code too. A stdout that is closed,
    or is no file (a test's capture), is written to as it is.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    try:
        sys.stdout.flush()
        private, error = os.dup(sys.stdout.fileno()), sys.stderr.fileno()
    except (OSError, ValueError, AttributeError, io.UnsupportedOperation):
        yield sys.stdout
        return
    number = sys.stdout.fileno()
    stream = open(private, "w", encoding=sys.stdout.encoding, errors="backslashreplace")  # noqa: PTH123, SIM115
    os.dup2(error, number)
    try:
        yield stream
    finally:
        with suppress(OSError, ValueError, AttributeError):
            sys.stdout.flush()
        if give_back:
            os.dup2(private, number)
        _closed(stream)


def _closed(stream: TextIO) -> None:
    """Close a stream; what can't be written any more has been told already."""
    with suppress(OSError):
        stream.close()


class Cleaned(io.TextIOBase):
    """A stream for stray prints, which secrets are taken out of on the way."""

    def __init__(self, stream: TextIO, clean: Callable[[str], str]) -> None:
        """Take the stream behind, and what takes secrets out of a text."""
        self._stream = stream
        self._clean = clean

    def write(self, text: str) -> int:
        """Pass on a text without its secrets."""
        self._stream.write(self._clean(text))
        return len(text)

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """Give the encoding of the stream behind."""
        return self._stream.encoding

    def fileno(self) -> int:
        """Give the descriptor of the stream behind."""
        return self._stream.fileno()

    def flush(self) -> None:
        """Flush the stream behind."""
        self._stream.flush()


def cleaned(stream: TextIO, redaction: Redaction) -> TextIO:
    """Give a stream that keeps named secrets out; the very same one where none are named."""
    if not redaction.names:
        return stream
    return cast("TextIO", Cleaned(stream, redaction.message_of))


def write_bytes(stream: TextIO, content: bytes) -> None:
    """Write bytes as they are, whatever the encoding of the stream."""
    with suppress(BrokenPipeError):
        stream.flush()
        if hasattr(stream, "buffer"):
            stream.buffer.write(content)
        else:
            stream.write(content.decode("utf-8"))
        stream.flush()
