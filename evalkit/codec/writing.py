"""How scenarios become plain data, of which the codec makes equal ones again."""

import sys
from typing import Any

import attrs

from evalkit.codec.misfits import OURS, Misfit, MisfitError
from evalkit.codec.structuring import REF
from evalkit.errors import CatalogueError
from evalkit.jsonvalue import MISSING, Json, brief
from evalkit.model import Answers, Assertion, Op, Ref, Scenario, refs


def plain_scenario(scenario: Scenario) -> dict[str, Json]:
    """Give a scenario as plain data, which `Codec.scenario` makes an equal one of.

    `CatalogueError` where it can't be written: a function without a name of its own, or data that
    would be read as a `Ref`.
    """
    try:
        return _plain_noun(scenario)
    except MisfitError as error:
        (misfit,) = error.misfits
        raise CatalogueError(scenario.name, misfit.problem, source=scenario.source) from error


def _plain_noun(noun: Any, *but: str) -> dict[str, Json]:  # noqa: ANN401
    """Write each field that is not as it is by default, but for some."""
    written = {}
    for each in attrs.fields(type(noun)):
        value = getattr(noun, each.name)
        default = getattr(each.default, "factory", lambda default=each.default: default)()
        if each.name not in (*OURS, *but) and not _same(value, default):
            written[each.name] = value if _is_plain(noun, each.name) else _field(each.name, value)
    return written


def _is_plain(noun: Any, name: str) -> bool:  # noqa: ANN401
    """Say whether a field is plain data, in which nothing is read as a `Ref`."""
    return name == "expected" and type(noun).__name__ == "State"


def _field(name: str, value: Any) -> Json:  # noqa: ANN401
    """Write a field; where a `Ref` may stand, data must not look like one."""
    if name == "capture" and type(value) is str and ":" in value:
        raise MisfitError(Misfit((), f"a file would take the tool {value!r} for a function"))
    if name == "args":
        return {key: _with_refs(item) for key, item in value.items()}
    return _with_refs(value) if name == "expected" else _plain_value(value)


def _with_refs(value: Any) -> Json:  # noqa: ANN401
    if isinstance(value, Ref):
        return {REF: value.name}
    if type(value) is list:
        return [_with_refs(item) for item in value]
    if type(value) is dict:
        if value.keys() == {REF}:
            raise MisfitError(Misfit((), f"data with the one key {REF!r} would be read as a Ref"))
        return {key: _with_refs(item) for key, item in value.items()}
    return value


def _same(value: Any, default: Any) -> bool:  # noqa: ANN401
    return value is default or (type(value) is type(default) and value == default)


def _plain_value(value: Any) -> Json:  # noqa: ANN401
    if isinstance(value, Answers) and _plain_noun(value, "golds") == {}:
        return list(value.golds)
    if isinstance(value, Assertion) and value.op is Op.SCHEMA:
        if next(refs(value.expected), None) is not None:
            raise MisfitError(Misfit((), "in a file, a JSON Schema can't be a saved value"))
        return {**_plain_noun(value.but(expected=MISSING)), "expected": value.expected}
    if attrs.has(type(value)):
        return _plain_noun(value)
    if isinstance(value, tuple | list):
        return [_plain_value(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain_value(item) for key, item in value.items()}
    return name_of(value) if callable(value) else str(value) if isinstance(value, str) else value


def name_of(function: Any) -> str:  # noqa: ANN401
    """Give the name by which a file can name a function."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    found = getattr(sys.modules.get(str(module)), name, None)
    if found is not function or not name.isidentifier():
        raise MisfitError(Misfit((), f"a file can't name {brief(function)}"))
    return f"{module}:{name}"
