"""What an author says about tools beyond a plain function."""

import copy
import pickle
from typing import Any

import pytest

from evalkit import CatalogueError, Env, Tool


def double(n: int) -> int:
    """Twice the number."""
    return 2 * n


@pytest.mark.parametrize(
    ("given", "where", "told"),
    [
        ({"handler": "double"}, "Tool.handler", "expected a function"),
        ({"handler": None}, "Tool.handler", "expected a function"),
        ({"style": "json"}, "Tool.style", "'kwargs', 'dict'"),
        ({"style": True}, "Tool.style", "'kwargs', 'dict'"),
        ({"schema": []}, "Tool.schema", "expected a mapping"),
        ({"schema": {"a": {1}}}, "Tool.schema.a", "no JSON value"),
        ({"error_if": "error"}, "Tool.error_if", "expected a function"),
    ],
)
def test_a_wrong_field_is_a_catalogue_error(given: dict[str, Any], where: str, told: str) -> None:
    """A field that is wrong is refused when written, with its place."""
    with pytest.raises(CatalogueError) as caught:
        Tool(**{"handler": double, **given})
    (problem,) = caught.value.problems
    assert problem.where == where
    assert told in str(problem)


def test_a_schema_is_copied() -> None:
    """What the author changes later changes no tool."""
    schema: dict[str, Any] = {"required": ["n"]}
    tool = Tool(double, schema=schema)
    schema["required"].clear()
    assert tool.schema == {"required": ["n"]}


def test_an_env_gives_its_resources() -> None:
    """The resources of an env are its attributes, beside its tools."""
    env = Env({"double": double}, db="db", tmp=[1])
    assert (env.tools, env.db, env.tmp) == ({"double": double}, "db", [1])


def test_an_unknown_resource_is_an_attribute_error() -> None:
    """A resource that there is not is refused, and the known ones are named."""
    with pytest.raises(AttributeError, match=r"no resource 'bd'; known: 'db'"):
        _ = Env({}, db=1).bd
    with pytest.raises(AttributeError, match="known: none"):
        _ = Env({}).db


def test_an_env_can_be_copied() -> None:
    """Copies and pickles, which ask for attributes of an empty object, come through."""
    env = Env({}, db=1)
    assert copy.copy(env).db == 1
    assert pickle.loads(pickle.dumps(env)).db == 1  # noqa: S301  - our own bytes
