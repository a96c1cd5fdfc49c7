"""What the fields of the nouns accept, and how what they refuse is said.

Each function here turns what an author wrote into what a noun holds, or raises `CatalogueError`
with the field's place, the value, and what would have been accepted.
"""

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn, TypeVar

from evalkit.errors import CatalogueError
from evalkit.jsonvalue import Json, NotJsonError, brief, is_number, plain, refuse
from evalkit.registry import hint_for

T = TypeVar("T")

NORMALISERS = frozenset(
    {"raw", "basic", "squad", "gaia", "words", "prose", "nfc", "nfkc", "punctuation", "distinct"}
)
"""The names of the normalisers in `texts`, which is imported where one is used."""
EXTRACTS = frozenset({"first_line", "after_answer", "terse"})
"""The names of what `texts` can take out of an answer."""


def fail(where: str, problem: str, hint: str | None = None) -> NoReturn:
    """Refuse a value, naming the field."""
    raise CatalogueError(where, problem, hint)


def text(where: str, value: object) -> str:
    """Accept a string that says something: not blank, no control characters."""
    if type(value) is str and value.isprintable() and value and not value.isspace():
        return value
    if type(value) is not str:
        fail(where, f"expected a string, got {brief(value)}")
    if any(unicodedata.category(char) == "Cc" for char in value):
        fail(where, f"a control character in {value!r}")
    if not value or value.isspace():
        fail(where, "is blank", "give it a name that says what it is")
    return value


def prose(where: str, value: object) -> str:
    """Accept any string, an empty one too."""
    if type(value) is not str:
        fail(where, f"expected a string, got {brief(value)}")
    return value


def several(where: str, value: object, kind: type[T]) -> tuple[T, ...]:
    """Accept a sequence of one kind of noun; a single one, a string or a mapping is refused."""
    if type(value) is not list and type(value) is not tuple:
        value = _listed(where, value, kind)
    for item in value:
        if type(item) is not kind:
            index = next(at for at, other in enumerate(value) if other is item)
            fail(f"{where}[{index}]", f"expected {_article(kind)}, got {brief(item)}")
    return tuple(value)


def _listed(where: str, value: object, kind: type) -> tuple[Any, ...]:
    """Take any other iterable that is meant as a sequence."""
    if isinstance(value, str | bytes | Mapping | kind) or not isinstance(value, Iterable):
        name = "strings" if kind is str else kind.__name__
        hint = "leave it out" if value is None else "put it in [ ]"
        fail(where, f"expected a list of {name}, got {brief(value)}", hint)
    return tuple(value)


def texts(where: str, value: object) -> tuple[str, ...]:
    """Accept a sequence of strings that each say something."""
    items = several(where, value, str)
    for item in items:
        text(where, item)
    return items


def json_value(where: str, value: object, other: Callable[[Any], Json] = refuse) -> Json:
    """Copy a JSON value: finite, no surprises; `other` decides on what is no JSON."""
    try:
        return plain(value, other)
    except NotJsonError as error:
        fail(where + _below(error), error.problem)


def json_object(
    where: str, value: object, other: Callable[[Any], Json] = refuse
) -> dict[str, Json]:
    """Copy a JSON object, as `json_value` does."""
    if type(value) is not dict:
        if not isinstance(value, Mapping):
            fail(where, f"expected a mapping, got {brief(value)}")
        value = dict(value)
    copied: dict[str, Json] = json_value(where, value, other)
    return copied


def names(where: str, value: object) -> dict[str, str]:
    """Accept a mapping from strings to strings."""
    if type(value) is not dict and not isinstance(value, Mapping):
        fail(where, f"expected a mapping of name to name, got {brief(value)}")
    for key, item in value.items():
        text(where, key)
        if type(item) is not str:
            prose(f"{where}[{key!r}]", item)
    return dict(value)


def callables(where: str, value: object) -> dict[str, Callable[[Any], Any]]:
    """Accept a mapping from names to callables of one value."""
    if not isinstance(value, Mapping):
        fail(where, f"expected a mapping of argument to function, got {brief(value)}")
    for key, item in value.items():
        text(where, key)
        if not callable(item):
            fail(f"{where}[{key!r}]", f"expected a function of one value, got {brief(item)}")
    return dict(value)


def positive(where: str, value: object) -> float:
    """Accept a finite number above zero; a bool is no number."""
    if not is_number(value) or not 0 < value < float("inf"):  # type: ignore[operator]
        fail(where, f"expected a number above 0, got {brief(value)}")
    return value  # type: ignore[return-value]


def not_negative(where: str, value: object) -> float:
    """Accept a finite number, 0 or above; a bool is no number."""
    if not is_number(value) or not 0 <= value < float("inf"):  # type: ignore[operator]
        fail(where, f"expected a number, 0 or above, got {brief(value)}")
    return value  # type: ignore[return-value]


def share(where: str, value: object) -> float:
    """Accept a number above 0 and up to 1: at 0, every score would do."""
    if not is_number(value) or not 0 < value <= 1:  # type: ignore[operator]
        fail(where, f"expected a number above 0 and up to 1, got {brief(value)}")
    return value  # type: ignore[return-value]


def normaliser(where: str, value: object) -> str:
    """Accept the name of a normaliser, or several joined by +."""
    name = text(where, value)
    for part in name.split("+"):
        if part not in NORMALISERS:
            fail(where, f"unknown normaliser {part!r}", hint_for(part, NORMALISERS))
    return name


def extract(where: str, value: object) -> str:
    """Accept the name of what can be taken out of an answer."""
    name = text(where, value)
    if name not in EXTRACTS:
        fail(where, f"nothing called {name!r} can be taken out", hint_for(name, EXTRACTS))
    return name


def count(where: str, value: object, least: int = 0, most: int | None = None) -> int:
    """Accept a whole number, from the least to the most; a bool is no number."""
    if type(value) is not int or value < least or (most is not None and value > most):
        asked = f"{least} or more" if most is None else f"from {least} to {most:,}"
        fail(where, f"expected a whole number, {asked}, got {brief(value)}")
    return value


def one_of(where: str, value: object, known: tuple[str, ...]) -> str:
    """Accept one of a few strings."""
    if value not in known:
        fail(where, f"unknown value {brief(value)}", f"one of {', '.join(map(repr, known))}")
    return str(value)


def _below(error: NotJsonError) -> str:
    path = str(error).removesuffix(error.problem).removeprefix("at ").removesuffix(": ")
    return f".{path}" if path and not path.startswith("[") else path


def _article(kind: type) -> str:
    name = "a string" if kind is str else kind.__name__
    return name if kind is str else f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"
