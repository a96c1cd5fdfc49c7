"""What `[tool.evalkit]` in pyproject.toml sets: defaults, under the long options' names."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from evalkit.errors import CatalogueError, Problem
from evalkit.jsonvalue import brief
from evalkit.registry import hint_for

MARK = b"evalkit"
TABLE = "[tool.evalkit]"


def configured(start: Path, commands: Iterable[click.Command]) -> dict[str, Any]:
    """Give the settings of the nearest pyproject.toml, by the options' parameter names.

    Every key that no command knows and every value that its option refuses is told, at once.
    """
    path = _nearest(start)
    settings = {} if path is None else _table(path)
    if not settings:
        return {}
    options = {_long(each): each for command in commands for each in command.params if _long(each)}
    found: dict[str, Any] = {}
    problems = []
    for key, value in settings.items():
        option = options.get(key)
        place = f"{path} {TABLE}"
        if option is None:
            problems.append(Problem(place, f"unknown key {key!r}", hint_for(key, options)))
            continue
        try:
            _check(option, value)
            single = option.multiple and not isinstance(value, list)
            found[str(option.name)] = [value] if single else value
        except click.BadParameter as error:
            problems.append(
                Problem(f"{place} {key}", f"{brief(value)}: {error.message}", _near(option, value))
            )
    if problems:
        raise CatalogueError(problems=problems)
    return found


def _nearest(start: Path) -> Path | None:
    files = (each / "pyproject.toml" for each in (start, *start.parents))
    return next((file for file in files if file.is_file()), None)


def _table(path: Path) -> Mapping[str, Any]:
    content = path.read_bytes()
    if MARK not in content:
        return {}
    import tomllib  # noqa: PLC0415  - 4 ms, only where there are settings

    try:
        document = tomllib.loads(content.decode("utf-8"))
    except ValueError as error:
        raise CatalogueError(str(path), f"is no TOML: {error}") from error
    table = document.get("tool", {})
    settings = table.get("evalkit", {}) if isinstance(table, dict) else {}
    if not isinstance(settings, dict):
        raise CatalogueError(f"{path} {TABLE}", f"expected a table, got {brief(settings)}")
    return settings


def _long(parameter: click.Parameter) -> str:
    """Give the long name of an option; an argument has none."""
    return next((name[2:] for name in parameter.opts if name.startswith("--")), "")


def _check(option: click.Parameter, value: Any) -> None:
    """Refuse a value that the option would refuse on the command line."""
    flag = isinstance(option, click.Option) and option.is_flag
    if flag != isinstance(value, bool):
        raise click.BadParameter("expected true or false" if flag else "expected no boolean")
    listed = value if isinstance(value, list) else [value]
    if isinstance(value, list) and not option.multiple:
        raise click.BadParameter("expected one value")
    if not all(isinstance(each, str | int | float) for each in listed):
        raise click.BadParameter("expected text or a number")
    context = click.Context(click.Command("evalkit"))
    taken = [option.type.convert(each, option, context) for each in listed]
    if option.callback is not None and not flag:
        option.callback(context, option, taken if option.multiple else taken[0])


def _near(option: click.Parameter, value: Any) -> str | None:
    """Name the nearest choice, where an option has choices."""
    choices = getattr(option.type, "choices", None)
    return hint_for(str(value), choices) if choices and isinstance(value, str) else None
