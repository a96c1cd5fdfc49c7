"""How text reaches a terminal: harmless, in colour where wanted, in lines that fit."""

from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.reports.text import Page, safe, wants_colour


class Terminal(StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Be one."""
        return True


class Gone(StringIO):
    """A stream whose reader has gone away."""

    def write(self, _: str) -> int:
        """Fail as a pipe does."""
        raise BrokenPipeError(32, "Broken pipe")


@given(st.text())
@settings(max_examples=150, deadline=None)
def test_safe_text_has_nothing_that_a_terminal_obeys(text: str) -> None:
    """Whatever comes in, what goes out is printable, and printable text is unchanged."""
    out = safe(text)
    assert out.isprintable()
    assert out == text or not text.isprintable()


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("caf\u00e9 \u6f22\u5b57 \U0001f600", "caf\u00e9 \u6f22\u5b57 \U0001f600"),
        ("\x1b[31m", r"\x1b[31m"),
        ("\u202e", r"\u202e"),
        ("a\tb\nc", r"a\tb\nc"),
        ("\ud800", r"\ud800"),
        ("[bold]", "[bold]"),
        ("", ""),
    ],
)
def test_safe_text(text: str, out: str) -> None:
    """Letters of any script stay; control, direction and half characters become escapes."""
    assert safe(text) == out


def lines(text: str, monkeypatch: pytest.MonkeyPatch, columns: str, indent: int = 0) -> list[str]:
    """What a page of some width makes of a text."""
    monkeypatch.setenv("COLUMNS", columns)
    stream = StringIO()
    Page(stream, colour=False).line(text, indent=indent)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("indent", [0, 4, 30])
@pytest.mark.parametrize("text", ["word " * 30, "x" * 200, "a b", "", "  led  by  blanks " * 10])
def test_a_page_wraps_and_loses_nothing(
    monkeypatch: pytest.MonkeyPatch, text: str, indent: int
) -> None:
    """Every line fits the width, and together they hold the whole text."""
    found = lines(text, monkeypatch, "40", indent)
    assert max(map(len, found), default=0) <= 40
    assert "".join("".join(found).split()) == "".join(text.split())


def test_a_pipe_is_not_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a program reads keeps its lines whole."""
    monkeypatch.delenv("COLUMNS", raising=False)
    stream = StringIO()
    Page(stream, colour=False).line("word " * 100)
    assert stream.getvalue().count("\n") == 1


def test_a_reader_that_has_gone_is_no_error() -> None:
    """Writing goes on into nothing."""
    page = Page(Gone(), colour=False)
    page.line("a")
    page.line("b")
    page.flush()
    assert page.closed


@pytest.mark.parametrize(
    ("choice", "no_colour", "terminal", "wanted"),
    [
        ("auto", None, True, True),
        ("auto", None, False, False),
        ("auto", "1", True, False),
        ("auto", "", True, True),
        ("always", "1", False, True),
        ("never", None, True, False),
    ],
)
def test_who_decides_on_colour(
    monkeypatch: pytest.MonkeyPatch,
    choice: str,
    no_colour: str | None,
    *,
    terminal: bool,
    wanted: bool,
) -> None:
    """The option first, then NO_COLOR where it says something, then the stream."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_colour is not None:
        monkeypatch.setenv("NO_COLOR", no_colour)
    assert wants_colour(choice, Terminal() if terminal else StringIO()) is wanted


def test_colour_goes_around_the_text() -> None:
    """A style colours a line; without colour the line is the same without it."""
    for colour in (True, False):
        stream = StringIO()
        Page(stream, colour=colour).line("text", style="failed")
        assert ("\x1b[31m" in stream.getvalue()) is colour
        assert "text" in stream.getvalue()
