"""How saved values are put where `Ref` stands, and so the arguments of a call are made."""

from collections.abc import Mapping

from evalkit.jsonvalue import Json, copy_json, plain
from evalkit.model import filled
from evalkit.operators.schema import schema_problem
from evalkit.plan import BoundCall, Transform
from evalkit.toolbox.documents import convert
from evalkit.toolbox.errors import ArgumentsError, outcome_of


class TransformError(Exception):
    """A transform of the author's that failed on a saved value; its cause is what it raised."""


def arguments_of(bound: BoundCall, saved: Mapping[str, Json]) -> dict[str, Json]:
    """Make the arguments of a call from saved values, each through its transform.

    `TransformError` where a transform raises or gives no JSON value, `ArgumentsError` where the
    tool's schema refuses what came of it.
    """
    # where all that was written is known, it is scalars: see `CallBinder.bind`
    args = dict(bound.args) if bound.literal is bound.args else filled(bound.args, saved)
    transforms = bound.call.arg_transforms
    for name, source in bound.call.context_args.items():
        value = copy_json(saved[source])
        args[name] = transformed(transforms[name], value) if name in transforms else value
    if bound.schema is not None:
        problem = schema_problem(bound.schema, args)
        if problem is not None:
            raise ArgumentsError(f"the schema refuses the arguments: {problem}")
    return args


def transformed(transform: Transform, value: Json) -> Json:
    """Put a saved value through the author's transform; `TransformError` where that fails."""
    try:
        return plain(transform(value), convert)
    except BaseException as error:  # noqa: BLE001  - around the author's transform
        raise TransformError from outcome_of(error)
