"""Where the parts of a JSON text stand, and all that is wrong with it: asked when something is."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Final

import attrs

from evalkit.errors import Problem
from evalkit.jsonvalue import brief
from evalkit.loaders.records import MAX_DIGITS, MAX_NESTING, Place, Steps, where

OPEN, CLOSE, KEY, ATOM, CUT, OTHER = "open", "close", "key", "atom", "cut", "other"

_TOKEN = re.compile(
    r'[ \t\n\r]*+(?:([{}\[\],:])|("(?:[^"\\]++|\\.)*+")|([^\s{}\[\],:"]++))', re.DOTALL
)
_MARKS: Final = {"{": OPEN, "[": OPEN, "}": CLOSE, "]": CLOSE, ",": OTHER, ":": OTHER}
_HALF = re.compile("[\ud800-\udfff]")
_WORDS: Final = {"NaN", "Infinity", "-Infinity"}
_WHOLE = re.compile(r"-?[0-9]+")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_HINTS: Final = {
    "Expecting property name": "keys stand in double quotes, and no comma after the last",
    "Expecting value": "a value is an object, array, string, number, true, false or null",
    "Extra data": "there is one JSON value, and nothing after it",
    "Invalid control": "in a string, a line break is written \\n, a tab \\t",
    "Invalid \\": "a backslash in a string is written twice",
    "Illegal trailing": "no comma stands after the last",
}


@attrs.frozen
class Flaw:
    """One thing wrong with a JSON text: at which character, below which steps, and what it is.

    `first` is where a key that is there twice stood first.
    """

    at: int
    problem: str
    hint: str | None = None
    steps: Steps = ()
    first: int | None = None


@attrs.define(eq=False)
class _Level:
    """An object or array that is open: the offsets of its keys, and the step to its latest part."""

    is_object: bool
    is_key_next: bool
    step: str | int = -1
    keys: dict[str, int] = attrs.field(factory=dict)


def places_of(text: str) -> Place:
    """Find where each part of a JSON text stands: in an object its key, in an array the item.

    >>> places_of('{"a": [1, 2]}').parts["a"].parts[1].at
    10
    """
    root: dict[str | int, Place] = {}
    way, key_at = [root], 0
    for kind, at, _, levels in _events(text):
        if kind == KEY:
            key_at = at
        elif kind == CLOSE:
            way.pop()
        elif kind in {OPEN, ATOM}:
            parts: dict[str | int, Place] = {}
            way[-1][levels[-1].step] = Place(key_at if levels[-1].is_object else at, parts)
            way += [parts] * (kind == OPEN)
    return root.get(0, Place(0))


def flaws_of(text: str) -> tuple[Flaw, ...]:
    """Find all that is wrong with a JSON text, in its order.

    Of what comes after an error of syntax, nothing can be said.

    >>> [flaw.problem for flaw in flaws_of('{"a": NaN, "a": 1}')]
    ['NaN is no JSON', "the key 'a' is there twice"]
    """
    syntax = _syntax(text)
    end = len(text) if syntax is None else syntax.at
    found = [flaw for flaw in _values(text) if flaw.at < end]
    return (*found, *([syntax] if syntax is not None else []))


def problem_of(flaw: Flaw, place: Callable[[int], str]) -> Problem:
    """Write a flaw as a problem of a file; `place` gives file:line:column of an offset."""
    hint = flaw.hint if flaw.first is None else f"it is there first at {place(flaw.first)}"
    return Problem(where(flaw.steps), flaw.problem, hint, place(flaw.at))


def _values(text: str) -> Iterator[Flaw]:
    """Give what is wrong with keys, texts, numbers and depth."""
    for kind, at, word, levels in _events(text):
        if kind == OPEN and len(levels) > MAX_NESTING:
            yield Flaw(at, f"nested deeper than {MAX_NESTING} levels")
            return
        if kind == KEY:
            key = str(levels[-1].step)
            first = levels[-1].keys.setdefault(key, at)
            if first != at:
                problem = f"the key {brief(key)} is there twice"
                yield Flaw(at, problem, steps=_steps(levels[:-1]), first=first)
        problem = _odd(word) if kind in {KEY, ATOM} else ""
        if problem:
            yield Flaw(at, problem, steps=_steps(levels))


def _steps(levels: list[_Level]) -> Steps:
    return tuple(level.step for level in levels[1:])


def _odd(word: str) -> str:
    """Say what is wrong with a string, word or number."""
    if word.startswith('"'):
        told = _decoded(word) if "\\u" in word else ""
        return f"half of a surrogate pair in {brief(told)}" if _HALF.search(told) else ""
    if word in _WORDS:
        return f"{word} is no JSON"
    if _WHOLE.fullmatch(word):
        is_long = len(word.lstrip("-")) > MAX_DIGITS
        return f"an integer of more than {MAX_DIGITS:,} digits" if is_long else ""
    if _NUMBER.fullmatch(word) and abs(float(word)) == float("inf"):
        return f"{brief(word)[1:-1]} is too large for a number"
    return ""


def _syntax(text: str) -> Flaw | None:
    """Give what the standard library says, where it says that a text is no JSON at all."""
    try:
        json.loads(text, parse_int=len, parse_float=len, parse_constant=len)
    except json.JSONDecodeError as error:
        told = re.sub(r"( starting)? at$|: $", "", error.msg)
        hint = next((_HINTS[head] for head in _HINTS if error.msg.startswith(head)), None)
        if any(kind == CUT for kind, *_ in _events(text)):
            hint = "it looks cut off: what it opens is not closed"
        return Flaw(error.pos, told[0].lower() + told[1:], hint)
    except RecursionError:
        pass  # the depth is told of by itself
    return None


def _events(text: str) -> Iterator[tuple[str, int, str, list[_Level]]]:
    """Walk over a text without recursion; give kind, offset, word, and the levels around it.

    The text itself is the first level, whose one part is the value. Ends where the text is no
    JSON; with `CUT` where it ends before all is closed.
    """
    levels, end = [_Level(is_object=False, is_key_next=False)], 0
    while match := _TOKEN.match(text, end):
        at, end = match.start(match.lastindex or 0), match.end()
        word = match[match.lastindex or 0]
        kind = _MARKS.get(word) or (KEY if levels[-1].is_key_next else ATOM)
        if kind == CLOSE:
            is_object = levels.pop().is_object
            if not levels or is_object != (word == "}"):
                return
        _step_on(levels[-1], kind, word)
        yield kind, at, word, levels
        if kind == OPEN:
            levels.append(_Level(word == "{", word == "{"))
    rest = text[end:].lstrip()
    if len(levels) > 1 and (not rest or rest.startswith('"')):
        yield CUT, len(text), "", levels


def _step_on(level: _Level, kind: str, word: str) -> None:
    """Note the step to the part that begins, and whether a key comes next."""
    if kind == KEY:
        level.step = _decoded(word)
    elif kind in {OPEN, ATOM} and not level.is_object:
        level.step = int(level.step) + 1
    if kind != CLOSE:
        level.is_key_next = word == "," and level.is_object


def _decoded(word: str) -> str:
    """Read a string as the standard library does; one that it refuses stands for itself."""
    try:
        return str(json.loads(word))
    except ValueError:
        return word
