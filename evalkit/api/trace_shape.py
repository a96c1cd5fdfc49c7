"""Whether what a caller gives as a trace is one: every part there, each of its kind."""

from collections.abc import Mapping
from typing import Any

from evalkit.errors import CatalogueError
from evalkit.jsonvalue import Json, NotJsonError, brief, is_number, plain
from evalkit.registry import hint_for
from evalkit.trace import Call, CallError, NotRun, Trace, TraceError

_LISTS: dict[str, type] = {"calls": Call, "not_run": NotRun, "errors": TraceError}


def checked_trace(trace: Any, subjects: tuple[str, ...]) -> Trace:  # noqa: ANN401
    """Give a trace as a document of its own; `CatalogueError` names what is wrong with it."""
    if not isinstance(trace, Mapping):
        raise CatalogueError("trace", f"expected an object, got {type(trace).__name__}")
    try:
        checked: Trace = plain(dict(trace))
    except NotJsonError as error:
        raise CatalogueError("trace", str(error)) from error
    _check_keys("trace", checked, Trace)
    for name, kind in _LISTS.items():
        _check_list(f"trace.{name}", checked[name], kind)  # type: ignore[literal-required]
    for index, call in enumerate(checked["calls"]):
        if call["error"] is not None:
            _check_keys(f"trace.calls[{index}].error", call["error"], CallError)
    if not is_number(checked["seconds"]):
        raise CatalogueError("trace.seconds", f"expected a number, got {brief(checked['seconds'])}")
    if checked["subject"] not in subjects:
        known = hint_for(str(checked["subject"]), subjects)
        raise CatalogueError("trace.subject", f"can't grade {brief(checked['subject'])}", known)
    return checked


def _check_list(where: str, entries: Json, kind: type) -> None:
    if type(entries) is not list:
        raise CatalogueError(where, f"expected a list, got {brief(entries)}")
    for index, entry in enumerate(entries):
        _check_keys(f"{where}[{index}]", entry, kind)


def _check_keys(where: str, value: Json, kind: type) -> None:
    if type(value) is not dict:
        raise CatalogueError(where, f"expected an object, got {brief(value)}")
    absent = sorted(kind.__annotations__.keys() - value.keys())
    if absent:
        raise CatalogueError(where, f"has no {absent[0]!r}", hint_for(absent[0], value))
