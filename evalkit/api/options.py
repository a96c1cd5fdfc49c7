"""What a caller may say of a run, and the session that it comes down to."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from math import inf
from pathlib import Path
from typing import Any, Literal, TypedDict

from evalkit.api.session import Manner, Session
from evalkit.asked import Asked, Target, targets_of
from evalkit.errors import CatalogueError, Problem
from evalkit.executors import execution_of
from evalkit.intervals import MOST_EPOCHS
from evalkit.jsonvalue import brief, is_number
from evalkit.loops import OwnLoop
from evalkit.protocols import Awaiter, Services, Sink, services_of
from evalkit.registry import hint_for, listing, nearest
from evalkit.runlog.redaction import Redaction
from evalkit.runlog.resume import LogOptions
from evalkit.runlog.runs import is_label
from evalkit.runlog.takeout import SHORTEST
from evalkit.select import Selection
from evalkit.subjects.predictions import Predictions

Check = Callable[[Any], bool]


class RunOptions(TypedDict, total=False):
    """The options of `run`, which says what they mean."""

    tools: Any
    agent: Any
    selection: Selection | None
    epochs: int | None
    until_sure: float | None
    timeout_s: float | None
    max_failures: int | None
    executor: Any
    workers: int | None
    rate: float | None
    log_dir: str | Path | None
    label: str | None
    resume: str | None
    redact: Iterable[str]
    services: Services | None
    predictions: Mapping[str, str | None] | str | Path | None
    record: str | Path | None
    replay: str | Path | None
    sinks: Sequence[Sink]
    keep_results: bool


def session_of(
    target: Target | Iterable[Target],
    options: RunOptions,
    awaiter: Callable[[], Awaiter] = OwnLoop,
) -> Session:
    """Make the session of a run; `CatalogueError` where an option is none."""
    unknown = [name for name in options if name not in RunOptions.__annotations__]
    if unknown:
        hint = hint_for(unknown[0], RunOptions.__annotations__)
        raise CatalogueError("run", f"there is no option {unknown[0]!r}", hint)
    given = checked(options)
    asked = Asked(
        targets_of(target),
        given.get("tools"),
        given.get("selection") or Selection(),
        given.get("timeout_s"),
        given.get("epochs"),
        given.get("until_sure"),
        services=services_of(given.get("services")),
        predictions=_predictions(given),
        agent=given.get("agent"),
        replay=_folder(given, "replay"),
    )
    manner = Manner(
        given.get("max_failures"),
        given.get("rate"),
        execution_of(given.get("executor", "serial"), given.get("workers")),
        given.get("keep_results", True),
        _log(given),
        Redaction(secrets_of(given.get("redact", ()))),
        _folder(given, "record"),
    )
    return Session(asked, given.get("sinks", ()), awaiter, manner=manner)


def checked(options: RunOptions) -> RunOptions:
    """Refuse values that an option can't have; `CatalogueError` names every one of them."""
    problems = [
        Problem(name, f"got {brief(value)}", wanted)
        for name, value in options.items()
        for fits, wanted in [CHECKS[name]]
        if not fits(value)
    ]
    if problems:
        raise CatalogueError(problems=problems)
    return options


def _is_count(value: Any, most: float = inf) -> bool:  # noqa: ANN401
    return type(value) is int and 1 <= value <= most


def _above_zero(value: Any, most: float = inf) -> bool:  # noqa: ANN401
    return is_number(value) and 0 < value < most


def _is_path(value: Any) -> bool:  # noqa: ANN401
    return isinstance(value, str | Path)


def _are_names(value: Any) -> bool:  # noqa: ANN401
    listed = isinstance(value, Iterable) and not isinstance(value, str | Mapping)
    return listed and all(isinstance(name, str) and name for name in value)


def _are_sinks(value: Any) -> bool:  # noqa: ANN401
    methods = ("start", "add", "finish")
    return isinstance(value, Sequence) and all(
        callable(getattr(sink, method, None)) for sink in value for method in methods
    )


def _or_none(fits: Check) -> Check:
    return lambda value: value is None or fits(value)


CHECKS: Mapping[str, tuple[Check, str]] = {
    "tools": (lambda _: True, ""),
    "agent": (lambda _: True, ""),
    "record": (_or_none(_is_path), "the path of a folder"),
    "replay": (_or_none(_is_path), "the path of a folder"),
    "selection": (_or_none(lambda value: isinstance(value, Selection)), "a Selection"),
    "epochs": (
        _or_none(lambda value: _is_count(value, MOST_EPOCHS)),
        f"a whole number from 1 to {MOST_EPOCHS:,}",
    ),
    "until_sure": (
        _or_none(lambda value: _above_zero(value, 1)),
        "a pass rate between 0 and 1, such as 0.9",
    ),
    "timeout_s": (_or_none(_above_zero), "a number of seconds above 0"),
    "max_failures": (_or_none(_is_count), "a whole number, 1 or more"),
    "executor": (lambda _: True, ""),
    "workers": (_or_none(_is_count), "a whole number, 1 or more"),
    "rate": (_or_none(_above_zero), "a number of scenarios a second above 0"),
    "log_dir": (_or_none(_is_path), "a path"),
    "label": (_or_none(is_label), "a name, other than latest"),
    "resume": (_or_none(lambda value: isinstance(value, str)), "a run's id, label or path, or ''"),
    "redact": (_are_names, "a list of names of environment variables"),
    "services": (
        _or_none(lambda value: isinstance(value, Services)),
        "Services(embed=a function of a list of texts)",
    ),
    "predictions": (lambda _: True, ""),
    "sinks": (_are_sinks, "a list of objects with start, add and finish"),
    "keep_results": (lambda value: isinstance(value, bool), "True or False"),
}


FOR_RUNNING = (
    *("tools", "agent", "record", "replay", "executor", "workers", "epochs", "until_sure"),
    *("timeout_s", "rate"),
)
"""The options that say nothing where answers are graded."""


def _folder(options: RunOptions, name: Literal["record", "replay"]) -> Path | None:
    given = options.get(name)
    return None if given is None else Path(given)


def _predictions(options: RunOptions) -> Predictions | None:
    """Take answers that are to be graded; nothing is run then, by any tools, anywhere."""
    given = options.get("predictions")
    if given is None:
        return None
    usual = {"executor": "serial"}
    idle = [name for name in FOR_RUNNING if options.get(name) not in (None, usual.get(name))]
    if idle:
        problem = f"predictions are graded, and nothing is run: {listing(idle)} says nothing"
        raise CatalogueError("run", problem, "leave it out")
    found: Predictions = import_module("evalkit.loaders.predictions").predictions_given(given)
    return found


def secrets_of(names: Iterable[str]) -> dict[str, str]:
    """Give the values of the variables that are named as secret; each must be there."""
    found = {}
    for name in names:
        value = os.environ.get(name)
        if value is None:
            close = nearest(name, os.environ)
            hint = f"did you mean {close!r}?" if close else None
            raise CatalogueError("redact", f"no variable {name!r} is set", hint)
        if len(value) < SHORTEST:
            problem = f"the value of {name!r} has fewer than {SHORTEST} characters"
            raise CatalogueError("redact", problem, "it would be found everywhere")
        found[name] = value
    return found


def _log(options: RunOptions) -> LogOptions | None:
    place, resume, label = options.get("log_dir"), options.get("resume"), options.get("label")
    if place is not None:
        return LogOptions(Path(place), label, resume)
    if resume is not None or label is not None:
        raise CatalogueError("run", "resume and label are of a run log", "say log_dir, too")
    return None
