"""What `[tool.evalkit]` in pyproject.toml sets: defaults, under the long options' names."""

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from evalkit.errors import CatalogueError
from evalkit.registry import hint_for

MARK = b"tool.evalkit"


def configured(start: Path, known: Iterable[str]) -> dict[str, Any]:
    """Give the settings of the nearest pyproject.toml; an unknown key is an error."""
    path = next(
        (
            each / "pyproject.toml"
            for each in (start, *start.parents)
            if (each / "pyproject.toml").is_file()
        ),
        None,
    )
    if path is None:
        return {}
    content = path.read_bytes()
    if MARK not in content:
        return {}
    try:
        document = tomllib.loads(content.decode("utf-8"))
    except ValueError as error:
        raise CatalogueError(str(path), f"is no TOML: {error}") from error
    settings: dict[str, Any] = document.get("tool", {}).get("evalkit", {})
    names = list(known)
    for key in settings:
        if key not in names:
            raise CatalogueError(
                f"{path} [tool.evalkit]", f"unknown key {key!r}", hint_for(key, names)
            )
    return {key.replace("-", "_"): value for key, value in settings.items()}
