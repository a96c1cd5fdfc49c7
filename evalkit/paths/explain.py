"""How far a path that does not resolve got: the part that did, what is there, the nearest."""

import attrs

from evalkit.jsonvalue import Json, dotted, type_name
from evalkit.paths.many import Stage, TooManyError
from evalkit.paths.path import Path
from evalkit.paths.scan import Index, Key, Name, Selector, Step
from evalkit.registry import listing, nearest


@attrs.frozen(eq=False, repr=False)
class Unresolved:
    """Where a path stopped: the part that resolved, what stands there, and the nearest name."""

    resolved: str
    found: str
    nearest: str | None

    def __str__(self) -> str:
        """Say it in one line, as a check's reason does."""
        place = repr(self.resolved) if self.resolved else "the document"
        joint = " " if self.found.startswith("selects") else " is "
        line = f"does not resolve: {place}{joint}{self.found}"
        return f"{line}; did you mean {self.nearest!r}?" if self.nearest else line


def explain(path: Path, document: Json) -> Unresolved:
    """Say how far a path got in a document that it does not resolve in.

    >>> from evalkit.paths import compile_path
    >>> str(explain(compile_path("size.widht"), {"size": {"width": 3}}))
    "does not resolve: 'size' is an object with the key 'width'; did you mean 'size.width'?"
    """
    values: list[Json] = [document]
    walked: list[Step] = []
    try:
        for stage in path.stages:
            selected = stage(values)
            if selected is None:
                return _stopped(walked, stage, _culprit(stage, values), len(values))
            values = selected
            walked.append(stage.step)
    except TooManyError as error:
        return Unresolved(path.text, str(error), None)
    return Unresolved(path.text, describe(document), None)


def _culprit(stage: Stage, values: list[Json]) -> tuple[int, Json]:
    """Find the first of the values that the stage can't be put to."""
    return next(
        ((number, value) for number, value in enumerate(values) if stage([value]) is None),
        (0, values),
    )


def _stopped(walked: list[Step], stage: Stage, at: tuple[int, Json], count: int) -> Unresolved:
    number, value = at
    resolved = _written(walked)
    found = describe(value)
    if any(step.deep or isinstance(step, Selector) for step in walked):
        found = f"{count} values, of which number {number} is {found}"
    close = _nearest_step(stage.step, value)
    return Unresolved(resolved, found, None if close is None else _written([*walked, close]))


def _nearest_step(step: Step, value: Json) -> Step | None:
    if type(value) is list and isinstance(step, Name | Index) and step.index is not None:
        last = len(value) - 1
        return Index(last) if last >= 0 else None
    if type(value) is dict and isinstance(step, Name | Key):
        close = nearest(step.name, value)
        return None if close is None else Key(close)
    return None


def _written(steps: list[Step]) -> str:
    """Write steps back as a path."""
    text = ""
    for step in steps:
        dots = ".." if step.deep else ""
        if isinstance(step, Selector):
            text += f"{dots}[{step.text}]"
        elif isinstance(step, Index):
            text += f"{dots}[{step.index}]"
        else:
            name = dotted([step.name])
            joint = dots or ("." if text and not name.startswith("[") else "")
            text += joint + name
    return text


def describe(value: Json) -> str:
    """Say what a value is in a few words, with the keys or the length that a reader looks for."""
    if type(value) is dict:
        if not value:
            return "an empty object"
        return f"an object with the key{'s' * (len(value) > 1)} {listing(value)}"
    if type(value) is list:
        return f"an array of {len(value)}" if value else "an empty array"
    if value is None:
        return "null"
    article = "an" if type_name(value)[0] in "aeiou" else "a"
    return f"{article} {type_name(value)}"
