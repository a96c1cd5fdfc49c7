"""How saved values are put where `Ref` stands, and so the arguments of a call are made."""

from collections.abc import Iterator, Mapping

from evalkit.jsonvalue import Json, copy_json, plain
from evalkit.model import Ref
from evalkit.plan import BoundCall
from evalkit.toolbox.documents import convert


def refs(value: Json) -> Iterator[str]:
    """Yield the names of the saved values that stand in a value."""
    kind = type(value)
    if kind is Ref:
        yield value.name
    elif kind is dict:
        for item in value.values():
            yield from refs(item)
    elif kind is list:
        for item in value:
            yield from refs(item)


def filled(value: Json, saved: Mapping[str, Json]) -> Json:
    """Copy a value with every `Ref` replaced by what was saved under its name."""
    kind = type(value)
    if kind is Ref:
        return copy_json(saved[value.name])
    if kind is dict:
        return {key: filled(item, saved) for key, item in value.items()}
    if kind is list:
        return [filled(item, saved) for item in value]
    return value


def arguments_of(bound: BoundCall, saved: Mapping[str, Json]) -> dict[str, Json]:
    """Make the arguments of a call from saved values, each through its transform.

    What a transform raises comes through; `NotJsonError` where it gives no JSON value.
    """
    args: dict[str, Json] = filled(bound.args, saved)
    transforms = bound.call.arg_transforms
    for name, source in bound.call.context_args.items():
        value = copy_json(saved[source])
        args[name] = plain(transforms[name](value), convert) if name in transforms else value
    return args
