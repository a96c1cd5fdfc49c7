"""How text reaches a terminal: data made harmless, colours where wanted, lines that fit."""

import os
from collections.abc import Callable
from typing import TextIO

import click

NARROWEST = 20
COLOURS = {
    "passed": "green",
    "failed": "red",
    "error": "magenta",
    "skipped": "yellow",
    "xfailed": "yellow",
}


def safe(text: str) -> str:
    r"""Show control, format and other unprintable characters as escapes, so that data stays data.

    >>> safe("red\x1b[31m")
    'red\\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


class Page:
    """Writes lines to a stream; a reader that has gone away is no error, only an end of writing."""

    def __init__(
        self, stream: TextIO, *, colour: bool, clean: Callable[[str], str] | None = None
    ) -> None:
        """Take the stream, whether it shows colours, and what takes secrets out of a text."""
        self._clean = clean
        self._stream = stream
        self._colour = colour
        self._width = _width(stream)
        self.closed = False

    def line(
        self, text: str = "", *, indent: int = 0, style: str | None = None, bold: bool = False
    ) -> None:
        """Write one line of text, made harmless, wrapped where the stream has a width."""
        text = safe(text if self._clean is None else self._clean(text))
        for part in self._wrapped(" " * indent + text, indent):
            self._write(self.styled(part, style, bold=bold) + "\n")

    def columns(self, *texts: str) -> None:
        """Write one line of columns, each made harmless, with tabs between."""
        self._write("\t".join(map(safe, texts)) + "\n")

    def raw(self, text: str) -> None:
        """Write text that is harmless already."""
        self._write(text)

    def styled(self, text: str, style: str | None, *, bold: bool = False) -> str:
        """Give harmless text the colour of a status."""
        if not self._colour or (style is None and not bold):
            return text
        return click.style(text, fg=COLOURS.get(style or "", style), bold=bold)

    def flush(self) -> None:
        """Bring out what was written."""
        try:
            self._stream.flush()
        except (BrokenPipeError, ValueError):
            self.closed = True

    def _wrapped(self, text: str, indent: int) -> list[str]:
        if self._width is None or len(text) <= self._width:
            return [text]
        import textwrap  # noqa: PLC0415  - 2 ms, only where a line is too long

        further = " " * (indent + 2)
        if len(further) > self._width // 2:
            further = "  "
        return textwrap.wrap(
            text, self._width, subsequent_indent=further, drop_whitespace=False
        ) or [text]

    def _write(self, text: str) -> None:
        if self.closed:
            return
        try:
            self._stream.write(text)
        except BrokenPipeError:
            self.closed = True


def _width(stream: TextIO) -> int | None:
    """Give the width of a terminal, or of `COLUMNS`; a pipe or file has none."""
    if not stream.isatty() and "COLUMNS" not in os.environ:
        return None
    from shutil import get_terminal_size  # noqa: PLC0415  - 3 ms, only where there is a terminal

    return max(NARROWEST, get_terminal_size().columns)


def wants_colour(choice: str, stream: TextIO) -> bool:
    """Decide on colour: by the option, then `NO_COLOR`, then whether the stream is a terminal."""
    if choice != "auto":
        return choice == "always"
    dumb = os.environ.get("TERM") == "dumb"
    return not os.environ.get("NO_COLOR") and not dumb and stream.isatty()
