"""How the text of a path is cut into steps.

A step is a `Name` (after a dot: a key, or an index where a list is met and the name is a number), a
`Key` (quoted, in brackets), an `Index` (a number in brackets), or a `Selector` (a wildcard, or what
stands in brackets and selects many). `deep` says that `..` stood before it.
"""

import re
from collections.abc import Iterator

import attrs

MAX_LENGTH = 1_000
_RESERVED = frozenset(".[]*()'\"")
_INDEX = re.compile(r"-?(?:0|[1-9][0-9]*)\Z")
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_AS_THEY_ARE = frozenset("\\/'\"")


class PathError(ValueError):
    """A text that is no path: what is wrong, where in it, and what would be right."""

    def __init__(self, text: str, position: int, problem: str) -> None:
        """Take the text, the offset of the mistake in it, and the mistake."""
        super().__init__(f"{problem}, at character {position} of {text!r}")
        self.text = text
        self.position = position


@attrs.frozen
class Name:
    """A name after a dot: a key of an object, or an index where a list is met."""

    name: str
    index: int | None
    deep: bool = False


@attrs.frozen
class Key:
    """A quoted name in brackets: a key of an object, nothing else."""

    name: str
    deep: bool = False


@attrs.frozen
class Index:
    """A number in brackets: an index of a list, nothing else."""

    index: int
    deep: bool = False


@attrs.frozen
class Selector:
    """What selects many: `*`, or the text in brackets of a slice, a union or a filter."""

    text: str
    position: int
    deep: bool = False


Step = Name | Key | Index | Selector


def scan(text: str) -> tuple[Step, ...]:
    """Cut a path into its steps; `PathError` where it is none."""
    if len(text) > MAX_LENGTH:
        raise PathError(text[:40] + "…", MAX_LENGTH, f"a path of over {MAX_LENGTH} characters")
    if text != text.strip():
        raise PathError(text, 0, "blanks around the path")
    return tuple(_steps(text, _start(text)))


def _start(text: str) -> int:
    """Skip a leading `$`, which changes nothing before a dot, a bracket or the end."""
    return 1 if text[:1] == "$" and text[1:2] in ("", ".", "[") else 0


def _steps(text: str, at: int) -> Iterator[Step]:
    first = at == 0
    while at < len(text):
        at, deep = _separator(text, at, first=first)
        first = False
        if text[at : at + 1] == "[":
            at, step = _bracket(text, at, deep=deep)
        elif text[at : at + 1] == "*":
            at, step = at + 1, Selector("*", at, deep)
        else:
            at, step = _name(text, at, deep=deep)
        yield step


def _separator(text: str, at: int, *, first: bool) -> tuple[int, bool]:
    """Give the offset behind `..`, `.` or nothing, and whether it was `..`."""
    if text.startswith("..", at):
        return at + 2, True
    if text[at] == ".":
        if first:
            raise PathError(text, at, "a path does not begin with a dot")
        return at + 1, False
    if not first and text[at] != "[":
        raise PathError(text, at, f"a dot or a bracket is missing before {text[at]!r}")
    return at, False


def _name(text: str, at: int, *, deep: bool) -> tuple[int, Step]:
    end = at
    while end < len(text) and text[end] not in _RESERVED:
        end += 1
    name = text[at:end]
    if end < len(text) and text[end] in "()'\"]":
        raise PathError(text, end, f'{text[end]!r} can\'t stand in a name; quote it: ["…"]')
    if not name:
        raise PathError(text, at, "a name is missing")
    if name == "$":
        raise PathError(text, at, "$ stands for the document, at the beginning only; quote it")
    if name != name.strip():
        raise PathError(text, at, f"blanks around the name {name!r}; quote it: [{name!r}]")
    return end, Name(name, _index(name), deep)


def _index(text: str) -> int | None:
    return int(text) if _INDEX.match(text) and text != "-0" else None


def _bracket(text: str, at: int, *, deep: bool) -> tuple[int, Step]:
    end = _closing(text, at)
    inner = text[at + 1 : end].strip()
    if not inner:
        raise PathError(text, at, "nothing stands in the brackets")
    if inner[0] in "'\"" and _quote_end(inner) == len(inner) - 1:
        return end + 1, Key(_unquote(inner, text, at), deep)
    index = _index(inner)
    if index is not None:
        return end + 1, Index(index, deep)
    if inner != "*" and inner[0] != "?" and not set(inner) & set(":,"):
        raise PathError(
            text, at, f"[{inner}] is no index; a name in brackets is quoted: [{inner!r}]"
        )
    return end + 1, Selector(inner, at, deep)


def _closing(text: str, at: int) -> int:
    """Find the bracket that closes the one at `at`, past quotes and nested brackets."""
    depth, here = 0, at
    while here < len(text):
        char = text[here]
        if char in "'\"":
            here += _quote_end(text[here:])
        elif char == "[":
            depth += 1
        elif char == "]":
            depth -= 1
            if not depth:
                return here
        here += 1
    raise PathError(text, at, "the bracket is not closed")


def _quote_end(text: str) -> int:
    """Find the quote that closes the one a text begins with; its length where there is none."""
    here = 1
    while here < len(text) and text[here] != text[0]:
        here += 2 if text[here] == "\\" else 1
    return here


def _unquote(quoted: str, text: str, at: int) -> str:
    out, here, end = "", 1, len(quoted) - 1
    while here < end:
        char = quoted[here]
        if char < " ":
            raise PathError(text, at, "a control character in quotes; write it as an escape")
        if char == "\\":
            char, here = _escape(quoted, here, text, at)
        out += char
        here += 1
    return _joined_surrogates(out, text, at)


def _escape(quoted: str, here: int, text: str, at: int) -> tuple[str, int]:
    """Read one JSON escape; give its character and the offset of its last character."""
    code = quoted[here + 1]
    if code == "u" and re.fullmatch(r"[0-9a-fA-F]{4}", quoted[here + 2 : here + 6]):
        return chr(int(quoted[here + 2 : here + 6], 16)), here + 5
    if code in _ESCAPES:
        return _ESCAPES[code], here + 1
    if code in _AS_THEY_ARE and code not in ("'" if quoted[0] == '"' else '"'):
        return code, here + 1
    raise PathError(
        text, at, f"\\{code} is no escape; known: \\\\ \\/ \\' \\\" \\b \\f \\n \\r \\t \\uXXXX"
    )


def _joined_surrogates(name: str, text: str, at: int) -> str:
    try:
        return name.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise PathError(text, at, "half of a surrogate pair") from None
