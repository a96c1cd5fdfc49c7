"""How the tools are opened for a scenario: one table for the run, or a factory entered afresh."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import attrs

from evalkit.errors import CatalogueError
from evalkit.jsonvalue import brief
from evalkit.model import Env, Scenario, Tool
from evalkit.toolbox.specs import handler_of

PLACE = "TOOL_DISPATCH"


@attrs.define(eq=False, repr=False)
class OpenTable:
    """The tools, open: name to handler; `own` where they were opened for one scenario alone.

    `env` has them with the resources that they stand on, where a factory gave such.
    """

    tools: Mapping[str, Callable[..., Any]]
    entries: Mapping[str, Any]
    own: bool
    env: Env


class TableToolbox:
    """A table of handlers that stays open for the whole run."""

    def __init__(self, table: Mapping[str, Any] | Env) -> None:
        """Take the table, whose entries are handlers or `Tool`; or an `Env` that holds one."""
        self.table = _checked(table, own=False)

    def open(self, _: Scenario) -> AbstractContextManager[OpenTable]:
        """Give the one table."""
        return nullcontext(self.table)


class FactoryToolbox:
    """A factory that gives a table, or an `Env`, for each scenario, and is closed after it."""

    def __init__(self, factory: Callable[..., Any]) -> None:
        """Take a factory of no parameter, or of the scenario."""
        self.factory = factory
        self._wants_scenario = _wants_scenario(factory)
        self._generates = inspect.isgeneratorfunction(factory)

    @contextmanager
    def open(self, scenario: Scenario) -> Iterator[OpenTable]:
        """Enter the factory for one scenario."""
        factory = contextmanager(self.factory) if self._generates else self.factory
        made = factory(scenario) if self._wants_scenario else factory()
        manager = (
            made if hasattr(made, "__enter__") and hasattr(made, "__exit__") else nullcontext(made)
        )
        with manager as env:
            yield _checked(env, own=True)


def toolbox_of(tools: Any) -> TableToolbox | FactoryToolbox:  # noqa: ANN401
    """Make a toolbox of a table or of a factory; `CatalogueError` for anything else."""
    if isinstance(tools, Mapping | Env):
        return TableToolbox(tools)
    if inspect.iscoroutinefunction(tools) or inspect.isasyncgenfunction(tools):
        raise CatalogueError(PLACE, "is an async factory", "make it sync; its tools may be async")
    if callable(tools):
        return FactoryToolbox(tools)
    raise CatalogueError(
        PLACE, f"expected a mapping of name to handler, or a factory of one, got {brief(tools)}"
    )


def _checked(given: Any, *, own: bool) -> OpenTable:  # noqa: ANN401
    table = given.tools if isinstance(given, Env) else given
    if not isinstance(table, Mapping):
        raise CatalogueError(
            PLACE,
            f"expected a mapping of name to handler, got {brief(table)}",
            "or Env(tools, ...)",
        )
    for name, entry in table.items():
        if type(name) is not str:
            raise CatalogueError(PLACE, f"the name {brief(name)} is no string")
        if type(entry) is not Tool and not callable(entry):
            raise CatalogueError(f"{PLACE}[{name!r}]", f"expected a function, got {brief(entry)}")
    env = given if isinstance(given, Env) else Env(table)
    return OpenTable({name: handler_of(entry) for name, entry in table.items()}, table, own, env)


def _wants_scenario(factory: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return any(each.kind in positional and each.default is each.empty for each in parameters)
