"""What a compiled path is, and how it is compiled: a walker of our own, chosen by the shape."""

from collections.abc import Callable
from functools import lru_cache

import attrs

from evalkit.jsonvalue import MISSING, Json
from evalkit.paths.many import Stage, stages_of, walk_stages
from evalkit.paths.scan import Index, Key, Name, Selector, Step, scan

Resolve = Callable[[Json], Json]
_CACHED = 4_096


@attrs.frozen(eq=False, repr=False)
class Path:
    """A compiled path: `resolve(document)` gives its value, or `MISSING`; it never raises.

    `many` is decided by the text: such a path gives a list, of however many values there are.
    `head` is the name of the top-level key that it begins with, None where it begins otherwise.
    """

    text: str
    steps: tuple[Step, ...]
    stages: tuple[Stage, ...]
    many: bool
    head: str | None
    resolve: Resolve


@lru_cache(maxsize=_CACHED)
def compile_path(text: str) -> Path:
    """Compile a path, once for each text; `PathError` names what is wrong and where.

    >>> compile_path("items.0.name").resolve({"items": [{"name": "oak"}]})
    'oak'
    """
    steps = scan(text)
    many = any(step.deep or isinstance(step, Selector) for step in steps)
    stages = stages_of(text, steps)
    resolve = _many(stages) if many else _single(steps)
    first = steps[0] if steps else None
    head = first.name if isinstance(first, Name | Key) and not first.deep else None
    return Path(text, steps, stages, many, head, resolve)


def _many(stages: tuple[Stage, ...]) -> Resolve:
    def resolve(document: Json) -> Json:
        return walk_stages(stages, document)

    return resolve


def _single(steps: tuple[Step, ...]) -> Resolve:
    """Choose the walker: names alone need no look at the types met."""
    if all(
        isinstance(step, Key) or (isinstance(step, Name) and step.index is None) for step in steps
    ):
        return _names(tuple(step.name for step in steps if isinstance(step, Key | Name)))
    return _mixed(steps)


def _names(names: tuple[str, ...]) -> Resolve:
    """Walk by names alone: a dict answers or raises KeyError, anything else raises TypeError."""
    if not names:
        return lambda document: document
    if len(names) == 1:
        return _one_name(names[0])
    if len(names) == 2:  # noqa: PLR2004
        return _two_names(*names)

    def resolve(document: Json) -> Json:
        try:
            for name in names:
                document = document[name]
        except (KeyError, TypeError):
            return MISSING
        return document

    return resolve


def _one_name(name: str) -> Resolve:
    def resolve(document: Json) -> Json:
        try:
            return document[name]
        except (KeyError, TypeError):
            return MISSING

    return resolve


def _two_names(first: str, second: str) -> Resolve:
    def resolve(document: Json) -> Json:
        try:
            return document[first][second]
        except (KeyError, TypeError):
            return MISSING

    return resolve


def _mixed(steps: tuple[Step, ...]) -> Resolve:
    """Walk by names and indexes: the type met decides, and a string is never indexed."""
    keys = tuple(None if isinstance(step, Index) else _text_of(step) for step in steps)
    indexes = tuple(
        None if isinstance(step, Key) else getattr(step, "index", None) for step in steps
    )
    pairs = tuple(zip(keys, indexes, strict=True))

    def resolve(document: Json) -> Json:
        try:
            for key, index in pairs:
                document = document[index if type(document) is list else _only_in(document, key)]
        except (KeyError, TypeError, IndexError):
            return MISSING
        return document

    return resolve


def _text_of(step: Step) -> str:
    return step.name if isinstance(step, Name | Key) else ""


def _only_in(document: Json, key: str | None) -> str:
    if type(document) is dict and key is not None:
        return key
    raise KeyError(key)
