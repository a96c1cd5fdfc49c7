"""Where two JSON values differ: the leaves, each with its path, and texts that only look alike."""

import unicodedata
from collections.abc import Iterator
from itertools import islice

import attrs

from evalkit.jsonvalue import MISSING, Json, brief, dotted, equal

Steps = tuple[str | int, ...]
AROUND = 20
WHOLE = 70


@attrs.frozen(eq=False, repr=False)
class Difference:
    """One leaf that differs; `MISSING` stands on the side that has nothing there."""

    path: str
    expected: Json
    actual: Json

    def __str__(self) -> str:
        """Say it in one line."""
        place = f"at {self.path}: " if self.path else ""
        if self.actual is MISSING:
            return f"{place}{brief(self.expected)} is missing"
        if self.expected is MISSING:
            return f"{place}{brief(self.actual)} was not expected"
        expected, actual = _side_by_side(self.expected, self.actual)
        line = f"{place}expected {expected}, got {actual}"
        return line + look_alike(self.expected, self.actual)


def differences(expected: Json, actual: Json, limit: int) -> list[Difference]:
    """Give up to `limit` leaves that differ, in document order."""
    found = islice(_walk(expected, actual, ()), limit)
    return [Difference(dotted(steps), left, right) for steps, left, right in found]


def first_difference(expected: Json, actual: Json) -> str:
    """Say where two values that are not equal first differ."""
    found = differences(expected, actual, 1)
    return str(found[0]) if found else f"expected {brief(expected)}, got {brief(actual)}"


def _walk(expected: Json, actual: Json, steps: Steps) -> Iterator[tuple[Steps, Json, Json]]:
    if type(expected) is dict and type(actual) is dict:
        for key in [*expected, *(key for key in actual if key not in expected)]:
            left, right = expected.get(key, MISSING), actual.get(key, MISSING)
            yield from _walk(left, right, (*steps, key))
    elif type(expected) is list and type(actual) is list:
        for index in range(max(len(expected), len(actual))):
            left = expected[index] if index < len(expected) else MISSING
            right = actual[index] if index < len(actual) else MISSING
            yield from _walk(left, right, (*steps, index))
    elif not equal(expected, actual):
        yield steps, expected, actual


def _side_by_side(expected: Json, actual: Json) -> tuple[str, str]:
    """Write both values; of long texts, the parts around the first character that differs."""
    if type(expected) is not str or type(actual) is not str or expected == actual:
        return brief(expected), brief(actual)
    start = max(0, _first_difference(expected, actual) - AROUND)
    if start == 0 or max(len(expected), len(actual)) <= WHOLE:
        return brief(expected), brief(actual)
    return f"…{brief(expected[start:])}", f"…{brief(actual[start:])}"


def _first_difference(expected: str, actual: str) -> int:
    pairs = enumerate(zip(expected, actual, strict=False))
    shorter = min(len(expected), len(actual))
    return next((index for index, pair in pairs if pair[0] != pair[1]), shorter)


def look_alike(expected: Json, actual: Json) -> str:
    """Show the code points where two texts that differ look the same; else nothing."""
    if type(expected) is not str or type(actual) is not str or expected == actual:
        return ""
    if _seen(expected) != _seen(actual):
        return ""
    at = _first_difference(expected, actual)
    return (
        f" (they look alike: at character {at}, {_points(expected, at)} and {_points(actual, at)})"
    )


def _seen(text: str) -> str:
    """Give what a reader sees of a text: composed, without characters that have no width."""
    composed = unicodedata.normalize("NFKC", text)
    return "".join(char for char in composed if unicodedata.category(char) not in ("Cf", "Cc"))


def _points(text: str, at: int) -> str:
    return " ".join(f"U+{ord(char):04X}" for char in text[at : at + 3]) or "the end"
