"""How a file becomes a catalogue: one loader for each kind of file, in one table."""

from collections.abc import Callable, Mapping
from pathlib import Path

from evalkit.catalogue import Catalogue
from evalkit.errors import CatalogueError
from evalkit.loaders.python import load_python, tools_named
from evalkit.registry import listing, nearest

__all__ = ["LOADERS", "load", "read", "tools_named"]

LOADERS: Mapping[str, Callable[[Path], Catalogue]] = {".py": load_python}


def load(path: str | Path) -> Catalogue:
    """Load a catalogue from a file; `CatalogueError` carries all that is wrong with it.

    A Python file is executed afresh, with its root (the nearest folder with a pyproject.toml, else
    its own) and the current directory on `sys.path`. The scenarios of modules that it imports
    belong to it; its `TOOL_DISPATCH` becomes the catalogue's `tools`.
    """
    catalogue = read(path)
    if catalogue.problems:
        raise CatalogueError(problems=catalogue.problems)
    return catalogue


def read(path: str | Path) -> Catalogue:
    """Load as `load` does, but leave names that are taken in the catalogue's `problems`."""
    path = Path(path)
    if path.is_dir():
        files = sorted(each.name for each in path.glob("*.py"))
        raise CatalogueError(str(path), "is a folder", f"name the files in it: {listing(files)}")
    if not path.exists():
        raise CatalogueError(str(path), "there is no such file", _beside(path))
    loader = LOADERS.get(path.suffix)
    if loader is None:
        problem = f"a file of kind {path.suffix!r} can't be loaded"
        raise CatalogueError(str(path), problem, f"known: {', '.join(LOADERS)}")
    return loader(path)


def _beside(path: Path) -> str | None:
    """Name the file beside it that could be meant."""
    beside = [each.name for each in path.parent.glob("*.py")] if path.parent.is_dir() else []
    close = nearest(path.name, beside)
    return f"did you mean {str(path.parent / close)!r}?" if close else None
