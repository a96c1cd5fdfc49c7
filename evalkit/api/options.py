"""What a caller may say of a run, and the session that it comes down to."""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypedDict

from evalkit.api.session import Manner, Session
from evalkit.errors import CatalogueError
from evalkit.executors import execution_of
from evalkit.intervals import MOST_EPOCHS
from evalkit.jsonvalue import brief, is_number
from evalkit.loops import OwnLoop
from evalkit.planning.plans import TIMEOUT_S
from evalkit.preparing import Asked, Target, targets_of
from evalkit.protocols import Awaiter, Sink
from evalkit.registry import hint_for
from evalkit.runlog.recorder import LogOptions
from evalkit.runlog.redaction import SHORTEST, Redaction
from evalkit.select import Selection


class RunOptions(TypedDict, total=False):
    """The options of `run`, which says what they mean."""

    tools: Any
    selection: Selection | None
    epochs: int | None
    until_sure: float | None
    timeout_s: float
    max_failures: int | None
    executor: Any
    workers: int | None
    rate: float | None
    log_dir: str | Path | None
    label: str | None
    resume: str | None
    redact: Iterable[str]
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
    asked = Asked(
        targets_of(target),
        options.get("tools"),
        options.get("selection") or Selection(),
        options.get("timeout_s", TIMEOUT_S),
        _epochs(options.get("epochs")),
        _rate(options.get("until_sure")),
    )
    manner = Manner(
        options.get("max_failures"),
        _above_zero("rate", options.get("rate")),
        execution_of(options.get("executor", "serial"), options.get("workers")),
        options.get("keep_results", True),
        _log(options),
        Redaction(secrets_of(options.get("redact", ()))),
    )
    return Session(asked, options.get("sinks", ()), awaiter, manner=manner)


def secrets_of(names: Iterable[str]) -> dict[str, str]:
    """Give the values of the variables that are named as secret; each must be there."""
    found = {}
    for name in names:
        value = os.environ.get(name)
        if value is None:
            hint = hint_for(name, os.environ)
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


def _epochs(value: Any) -> int | None:  # noqa: ANN401
    if value is None or (type(value) is int and 1 <= value <= MOST_EPOCHS):
        return value
    hint = f"a whole number from 1 to {MOST_EPOCHS:,}"
    raise CatalogueError("epochs", f"got {brief(value)}", hint)


def _rate(value: Any) -> float | None:  # noqa: ANN401
    if value is None or (is_number(value) and 0 < value < 1):
        return value  # type: ignore[no-any-return]
    hint = "a pass rate between 0 and 1, such as 0.9"
    raise CatalogueError("until_sure", f"got {brief(value)}", hint)


def _above_zero(name: str, value: Any) -> float | None:  # noqa: ANN401
    if value is None or (is_number(value) and 0 < value < float("inf")):
        return value  # type: ignore[no-any-return]
    raise CatalogueError(name, f"got {brief(value)}", "a number above 0")
