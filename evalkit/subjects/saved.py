"""How values that earlier calls saved are put where `Ref` stands."""

from collections.abc import Iterator, Mapping

from evalkit.jsonvalue import Json, copy_json
from evalkit.model import Ref


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
