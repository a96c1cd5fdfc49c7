"""The functions that a BFCL question offers, as tools: there is nothing behind them."""

from collections.abc import Callable
from typing import Any, Final

from evalkit.jsonvalue import Json
from evalkit.model import Scenario, Tool

JSON_SCHEMA: Final = {"dict": "object", "float": "number", "tuple": "array"}
"""The types that JSON Schema calls otherwise; it has no word for `any`."""
ANY: Final = "any"
KEPT: Final = ("description", "enum", "required", "default")


def offered(scenario: Scenario) -> dict[str, Tool]:
    """Give the tools of a question, which an agent may call, and which give null.

    It is a factory of tools: `--tools evalkit.datasets.bfcl_tools:offered`. Arguments that do not
    fit are refused, as by any tool; what was called is judged by the accepted answers all the same.
    """
    functions = (scenario.metadata or {}).get("functions", ())
    return {
        each["name"]: Tool(_idle(each), style="kwargs", schema=schema_of(each["parameters"]))
        for each in functions
    }


def _idle(function: dict[str, Json]) -> Callable[..., None]:
    def called(**_arguments: Json) -> None:
        """Do nothing."""

    called.__doc__ = function.get("description")
    return called


def schema_of(said: dict[str, Json]) -> dict[str, Any]:
    """Write the type of a parameter, or of all of them together, as JSON Schema does.

    >>> schema_of({"type": "dict", "properties": {"x": {"type": "float"}}, "required": ["x"]})
    {'type': 'object', 'required': ['x'], 'properties': {'x': {'type': 'number'}}}
    """
    schema = {} if said.get("type", ANY) == ANY else {"type": _renamed(said["type"])}
    schema |= {key: said[key] for key in KEPT if key in said}
    if type(said.get("properties")) is dict:
        inside = said["properties"].items()
        schema["properties"] = {name: schema_of(each) for name, each in inside}
    if type(said.get("items")) is dict:
        schema["items"] = schema_of(said["items"])
    return schema


def _renamed(kind: Json) -> Json:
    return JSON_SCHEMA.get(kind, kind) if type(kind) is str else kind
