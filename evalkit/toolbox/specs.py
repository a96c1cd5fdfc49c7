"""What is known of a tool before it is called: its style, and which arguments it accepts."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from evalkit.jsonvalue import Json
from evalkit.model import Tool, refs
from evalkit.operators.schema import schema_problem
from evalkit.registry import hint_for, listing

DICT_NAMES = frozenset({"args", "arguments", "params"})


@attrs.frozen(eq=False, repr=False)
class ToolSpec:
    """How a tool is called and what it accepts; `accepted` None: anything, or not known."""

    by_dict: bool
    accepted: tuple[str, ...] | None
    required: tuple[str, ...]
    schema: dict[str, Json] | None
    error_if: Callable[[Json], Any] | None


@attrs.frozen(eq=False, repr=False)
class ArgumentProblem:
    """What is wrong with the arguments of a call, and what would be right."""

    problem: str
    hint: str | None = None


def handler_of(tool: Any) -> Callable[..., Any]:  # noqa: ANN401
    """Give the function behind an entry of the table."""
    handler: Callable[..., Any] = tool.handler if type(tool) is Tool else tool
    return handler


def spec_of(tool: Any) -> ToolSpec:  # noqa: ANN401
    """Describe an entry of the table: by what it says itself, else by its signature."""
    said = tool if type(tool) is Tool else None
    parameters = _parameters(handler_of(tool))
    style = said.style if said else None
    by_dict = style == "dict" or (style is None and _takes_a_mapping(parameters))
    schema = said.schema if said else None
    error_if = said.error_if if said else None
    if by_dict or parameters is None:
        return ToolSpec(by_dict, None, (), schema, error_if)
    open_ended = any(each.kind is each.VAR_KEYWORD for each in parameters)
    named = [
        each for each in parameters if each.kind in (each.KEYWORD_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    required = tuple(each.name for each in named if each.default is each.empty)
    accepted = None if open_ended else tuple(each.name for each in named)
    return ToolSpec(by_dict, accepted, required, schema, error_if)


def _parameters(handler: Callable[..., Any]) -> list[inspect.Parameter] | None:
    try:
        return list(inspect.signature(handler).parameters.values())
    except (TypeError, ValueError):
        return None


def _takes_a_mapping(parameters: list[inspect.Parameter] | None) -> bool:
    """Say whether the one parameter of a signature takes all arguments as a dict."""
    if parameters is None or len(parameters) != 1:
        return False
    (only,) = parameters
    if only.kind not in (only.POSITIONAL_ONLY, only.POSITIONAL_OR_KEYWORD):
        return False
    if only.annotation is only.empty:
        return only.name in DICT_NAMES
    return _is_mapping(only.annotation)


def _is_mapping(annotation: Any) -> bool:  # noqa: ANN401
    if isinstance(annotation, str):
        head = annotation.split("[")[0].strip().rpartition(".")[2]
        return head in ("dict", "Dict", "Mapping", "MutableMapping")
    origin = getattr(annotation, "__origin__", annotation)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def argument_problems(
    spec: ToolSpec, args: Mapping[str, Json], later: Mapping[str, str], *, whole: bool = True
) -> list[ArgumentProblem]:
    """Say what signature and schema have against arguments; `later` are filled in the run.

    Where they are not the `whole`, none is missing.
    """
    given = {**args, **later} if later else args
    found = []
    if spec.accepted is not None:
        for name in given:
            if name not in spec.accepted:
                hint = hint_for(name, spec.accepted)
                found.append(ArgumentProblem(f"takes no argument {name!r}", hint))
    absent = [name for name in spec.required if whole and name not in given]
    if absent:
        found.append(ArgumentProblem(f"needs the argument {listing(absent)}"))
    if spec.schema is not None:
        missing = {} if whole else dict.fromkeys(spec.schema.get("required", ()), "")
        found += _schema_problems(spec.schema, args, {**missing, **later})
    return found


def _schema_problems(
    schema: dict[str, Json], args: Mapping[str, Json], later: Mapping[str, str]
) -> list[ArgumentProblem]:
    """Put the schema to the arguments that are known; what a `Ref` fills is left to the run."""
    known = {name: value for name, value in args.items() if next(refs(value), None) is None}
    unknown = {*later, *(name for name in args if name not in known)}
    relaxed = dict(schema)
    if unknown:
        relaxed["required"] = [name for name in schema.get("required", []) if name not in unknown]
    problem = schema_problem(relaxed, known)
    return (
        [] if problem is None else [ArgumentProblem(f"its schema refuses the arguments: {problem}")]
    )
