"""How a Python file is executed afresh as a catalogue, the same for every door."""

import importlib
import linecache
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from evalkit.catalogue import AMBIENT, CATALOGUE, LOADING, Catalogue, Loading
from evalkit.errors import CatalogueError, Problem
from evalkit.registry import hint_for

TABLE = "TOOL_DISPATCH"
_BROUGHT_IN: set[str] = set()
"""Modules that earlier loads brought in from beside their files, to be imported anew."""


def load_python(path: Path) -> Catalogue:
    """Execute a file, and give the scenarios that it and the modules it imports register."""
    file = path.resolve()
    catalogue = Catalogue(file.stem)
    loading = Loading()
    folder, name = _module_name(file)
    _on_path(folder, _root(file), Path.cwd())
    with _afresh(name, folder, _root(file)), _registering_in(catalogue, loading):
        module = _executed(file, path, name)
    _take_in_private(catalogue, module, loading)
    if loading.problems:
        raise CatalogueError(problems=loading.problems)
    if not len(catalogue):
        raise CatalogueError(str(path), "registers no scenario", "wrap each in _s(Scenario(...))")
    catalogue.tools = getattr(module, TABLE, None)
    return catalogue


def tools_named(reference: str) -> Any:  # noqa: ANN401
    """Import a table or factory named `package.module:NAME`."""
    module_name, colon, name = reference.partition(":")
    if not colon or not module_name or not name:
        raise CatalogueError("tools", f"{reference!r} names no object", "write package.module:NAME")
    _on_path(Path.cwd())
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        where = f"importing {module_name!r} for the tools"
        raise CatalogueError(where, _told(error), _searched()) from error
    if not hasattr(module, name):
        raise CatalogueError("tools", f"{module_name} has no {name!r}", hint_for(name, dir(module)))
    return getattr(module, name)


def _root(file: Path) -> Path:
    """Give the nearest folder above with a pyproject.toml, else the file's own."""
    return next((each for each in file.parents if (each / "pyproject.toml").exists()), file.parent)


def _module_name(file: Path) -> tuple[Path, str]:
    """Give the folder to import from and the name: dotted where the file is part of a package."""
    folder, parts = file.parent, [file.stem]
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(parts)


def _on_path(*folders: Path) -> None:
    """Put folders first on `sys.path`, in this order; tools may import from them later too."""
    for folder in reversed(folders):
        text = str(folder)
        if text in sys.path:
            sys.path.remove(text)
        sys.path.insert(0, text)


@contextmanager
def _afresh(name: str, *folders: Path) -> Iterator[None]:
    """Forget modules that earlier loads brought in or that register; note the new ones."""
    for known in {*_BROUGHT_IN, *CATALOGUE.modules, name} - {"__main__", "evalkit"}:
        sys.modules.pop(known, None)
    before = set(sys.modules)
    try:
        yield
    finally:
        for new in set(sys.modules) - before:
            file = getattr(sys.modules[new], "__file__", None)
            if file and _beside(Path(file), folders):
                _BROUGHT_IN.add(new)


def _beside(file: Path, folders: tuple[Path, ...]) -> bool:
    installed = "site-packages" in file.parts or Path(sys.prefix) in file.parents
    return not installed and any(folder in file.parents for folder in folders)


@contextmanager
def _registering_in(catalogue: Catalogue, loading: Loading) -> Iterator[None]:
    ambient, under_way = AMBIENT.set(catalogue), LOADING.set(loading)
    try:
        yield
    finally:
        AMBIENT.reset(ambient)
        LOADING.reset(under_way)


def _executed(file: Path, path: Path, name: str) -> ModuleType:
    module = ModuleType(name)
    module.__file__ = str(file)
    module.__package__ = name.rpartition(".")[0]
    code = _compiled(file, path)
    linecache.checkcache(str(file))
    if module.__package__:
        _imported(module.__package__, path)
    sys.modules[name] = module
    try:
        exec(code, module.__dict__)  # noqa: S102  - executing the author's file is what loading is
    except (Exception, SystemExit) as error:
        sys.modules.pop(name, None)
        raise _failed(error, file, path) from error
    return module


def _imported(package: str, path: Path) -> None:
    try:
        importlib.import_module(package)
    except Exception as error:
        raise CatalogueError(
            str(path), f"its package {package!r} can't be imported: {_told(error)}"
        ) from error


def _compiled(file: Path, path: Path) -> CodeType:
    try:
        return compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
    except SyntaxError as error:
        place = f"{path}:{error.lineno}"
        raise CatalogueError("", f"{type(error).__name__}: {error.msg}", source=place) from error
    except (ValueError, OSError) as error:
        raise CatalogueError(str(path), f"can't be read as Python: {error}") from error


def _failed(error: BaseException, file: Path, path: Path) -> CatalogueError:
    """Say what an author's file raised, and at which of its lines; problems stay as they are."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(file)
    ]
    place = f"{path}:{lines[-1]}" if lines else str(path)
    if isinstance(error, CatalogueError):
        return CatalogueError(problems=[_placed(problem, place) for problem in error.problems])
    if isinstance(error, SystemExit):
        return CatalogueError("", f"the file calls sys.exit({error.code!r})", source=place)
    hint = _searched() if isinstance(error, ImportError) else None
    return CatalogueError("", _told(error), hint, source=place)


def _placed(problem: Problem, place: str) -> Problem:
    if problem.source:
        return problem
    return Problem(problem.where, problem.problem, problem.hint, place, problem.warning)


def _told(error: BaseException) -> str:
    """Say what was raised, and where, for what was raised in another file."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = f" (raised at {frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{inside}"


def _searched() -> str:
    return f"looked in {', '.join(repr(folder) for folder in sys.path[:3])} and what is installed"


def _take_in_private(catalogue: Catalogue, module: ModuleType, loading: Loading) -> None:
    """Take in the scenarios of catalogues that the file made or imported for itself."""
    seen: set[int] = {id(CATALOGUE), id(catalogue)}
    for value in list(vars(module).values()):
        if isinstance(value, Catalogue) and id(value) not in seen:
            seen.add(id(value))
            catalogue.take_in(value, loading)
