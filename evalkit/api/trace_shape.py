"""Whether what a caller gives as a trace is one: every part there, each of its kind."""

from collections.abc import Collection, Mapping
from typing import Any

from evalkit.errors import CatalogueError
from evalkit.jsonvalue import Json, NotJsonError, brief, equal, is_number, plain
from evalkit.registry import hint_for
from evalkit.trace import (
    CAUSES,
    ERROR_KINDS,
    KINDS,
    SCHEMA,
    Call,
    CallError,
    NotRun,
    Trace,
    TraceError,
)

_LISTS: dict[str, type] = {"calls": Call, "not_run": NotRun, "errors": TraceError}


_KINDS: dict[str, tuple[type, str]] = {
    "responses": (list, "a list"),
    "turns": (list, "a list"),
    "meta": (dict, "an object"),
    "state": (dict, "an object"),
}


def checked_trace(trace: Any, subjects: tuple[str, ...]) -> Trace:  # noqa: ANN401
    """Give a trace as a document of its own; `CatalogueError` names what is wrong with it."""
    if not isinstance(trace, Mapping):
        raise CatalogueError("trace", f"expected an object, got {type(trace).__name__}")
    try:
        checked: Trace = plain(dict(trace))
    except NotJsonError as error:
        raise CatalogueError("trace", str(error)) from error
    _check_keys("trace", checked, Trace)
    _check_parts(checked)
    if checked["subject"] not in subjects:
        known = hint_for(str(checked["subject"]), subjects)
        raise CatalogueError("trace.subject", f"can't grade {brief(checked['subject'])}", known)
    return checked


def _check_parts(trace: Trace) -> None:
    for name, kind in _LISTS.items():
        _check_list(f"trace.{name}", trace[name], kind)  # type: ignore[literal-required]
    for index, call in enumerate(trace["calls"]):
        _check_call(f"trace.calls[{index}]", call)
    for index, entry in enumerate(trace["not_run"]):
        _check_one_of(f"trace.not_run[{index}].cause", entry["cause"], CAUSES)
    for index, error in enumerate(trace["errors"]):
        _check_one_of(f"trace.errors[{index}].kind", error["kind"], ERROR_KINDS)
    _check_kinds(trace)


def _check_kinds(trace: Trace) -> None:
    for name, (kind, wanted) in _KINDS.items():
        _check_kind(f"trace.{name}", trace[name], kind, wanted)  # type: ignore[literal-required]
    observed: Json = trace["observed"]
    if type(observed) is not list or any(type(name) is not str for name in observed):
        raise CatalogueError("trace.observed", f"expected a list of names, got {brief(observed)}")
    if not is_number(trace["seconds"]):
        raise CatalogueError("trace.seconds", f"expected a number, got {brief(trace['seconds'])}")
    if not equal(trace["schema"], SCHEMA):
        raise CatalogueError("trace.schema", f"expected {SCHEMA}, got {brief(trace['schema'])}")


def _check_call(where: str, call: Call) -> None:
    _check_kind(f"{where}.tool", call["tool"], str, "a string")
    _check_kind(f"{where}.args", call["args"], dict, "an object")
    if call["step"] is not None and type(call["step"]) is not int:
        problem = f"expected a whole number or null, got {brief(call['step'])}"
        raise CatalogueError(f"{where}.step", problem)
    if call["error"] is not None:
        _check_keys(f"{where}.error", call["error"], CallError)
        _check_one_of(f"{where}.error.kind", call["error"]["kind"], KINDS)


def _check_kind(where: str, value: Json, kind: type, wanted: str) -> None:
    if type(value) is not kind:
        raise CatalogueError(where, f"expected {wanted}, got {brief(value)}")


def _check_one_of(where: str, value: Json, known: Collection[str]) -> None:
    if type(value) is not str or value not in known:
        raise CatalogueError(where, f"unknown {brief(value)}", hint_for(str(value), known))


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
