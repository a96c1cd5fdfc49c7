"""How a Python file is executed afresh as a catalogue, the same for every door."""

import importlib
import linecache
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from evalkit.catalogue import AMBIENT, CATALOGUE, LOADING, REGISTERING, Catalogue, Loading
from evalkit.errors import CatalogueError, Problem
from evalkit.loaders.scope import Scope, forget_registering
from evalkit.model import Assertion, Op, Scenario, ToolCall
from evalkit.places import forget_places
from evalkit.registry import hint_for, nearest

TABLE = "TOOL_DISPATCH"
_SCOPES: dict[Path, Scope] = {}
"""The scope of each file that was loaded, so that loading it again imports its helpers afresh."""


def load_python(path: Path) -> Catalogue:
    """Execute a file, and give the scenarios that it and the modules it imports register.

    Names that are taken are in the catalogue's `problems`; everything else that is wrong is raised.
    """
    forget_places()
    file = path.resolve()
    catalogue, loading = Catalogue(file.stem), Loading()
    folder, package = _package(file)
    catalogue.scope = scope = scope_of(file, folder)
    with registering_in(catalogue, loading):
        module = _imported(package, path) if package else _executed(file, path)
        _take_in_private(catalogue, module, loading)
    scope.collect()
    catalogue.source = str(path)
    catalogue.problems = loading.problems
    if not len(catalogue):
        raise CatalogueError(str(path), "registers no scenario", "wrap each in _s(Scenario(...))")
    catalogue.tools = getattr(module, TABLE, None)
    if catalogue.tools is None:
        near = nearest(TABLE, [name for name in vars(module) if name.isupper()])
        catalogue.tools_hint = (f"it has {near}; " if near else "") + f"define {TABLE} in its file"
    return catalogue


def named_from_here(reference: str, what: str) -> Any:  # noqa: ANN401
    """Import an object named `package.module:NAME`, from the current directory or installed."""
    Scope([Path.cwd()]).activate()
    return object_named(reference, what)


def object_named(reference: str, what: str) -> Any:  # noqa: ANN401
    """Import an object named `package.module:NAME`, in the scope that is active."""
    module_name, colon, name = reference.partition(":")
    if not colon or not module_name or not name:
        raise CatalogueError(what, f"{reference!r} names no object", "write package.module:NAME")
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        where = f"importing {module_name!r} for the {what}"
        raise CatalogueError(where, _told(error), _searched()) from error
    if not hasattr(module, name):
        raise CatalogueError(what, f"{module_name} has no {name!r}", hint_for(name, dir(module)))
    return getattr(module, name)


def scope_of(file: Path, folder: Path) -> Scope:
    """Make the scope of a file active, with nothing in it that an earlier load brought in."""
    if file in _SCOPES:
        _SCOPES[file].forget()
    root = next((each for each in file.parents if (each / "pyproject.toml").exists()), file.parent)
    scope = _SCOPES[file] = Scope(dict.fromkeys((folder, root, Path.cwd())))
    scope.activate()
    forget_registering(REGISTERING)
    return scope


def _package(file: Path) -> tuple[Path, str | None]:
    """Give the folder to import from, and the dotted name of a file that is part of a package."""
    folder, parts = file.parent, [file.stem] if file.stem != "__init__" else []
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    in_package = folder != file.parent and all(part.isidentifier() for part in parts)
    return folder if in_package else file.parent, ".".join(parts) if in_package else None


@contextmanager
def registering_in(catalogue: Catalogue, loading: Loading) -> Iterator[None]:
    """Have `_s` and `@operator` register in a catalogue that is being loaded."""
    ambient, under_way = AMBIENT.set(catalogue), LOADING.set(loading)
    try:
        yield
    finally:
        AMBIENT.reset(ambient)
        LOADING.reset(under_way)


def _imported(name: str, path: Path) -> ModuleType:
    """Import a file that is part of a package, by its name, anew."""
    for known in [each for each in sys.modules if f"{name}.".startswith(f"{each}.")]:
        sys.modules.pop(known)
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise _failed(error, path.resolve(), path) from error


def _executed(file: Path, path: Path) -> ModuleType:
    module = ModuleType(_module_name(file))
    module.__file__ = str(file)
    code = _compiled(file, path)
    linecache.checkcache(str(file))
    sys.modules[module.__name__] = module
    try:
        exec(code, module.__dict__)  # noqa: S102  - executing the author's file is what loading is
    except (Exception, SystemExit) as error:
        sys.modules.pop(module.__name__, None)
        raise _failed(error, file, path) from error
    return module


def _module_name(file: Path) -> str:
    """Name a file's module after it; where that is another module's name, by one of its own."""
    name = re.sub(r"\W", "_", file.stem)
    known = sys.modules.get(name)
    same = known is not None and vars(known).get("__file__") == str(file)
    taken = name in sys.stdlib_module_names or (known is not None and not same)
    return f"_evalkit_{name}" if taken else name


def _compiled(file: Path, path: Path) -> CodeType:
    try:
        return compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
    except SyntaxError as error:
        place = f"{path}:{error.lineno}" if error.lineno else str(path)
        raise CatalogueError("", f"{type(error).__name__}: {error.msg}", source=place) from error
    except (ValueError, OSError, RecursionError, MemoryError) as error:
        problem = f"can't be read as Python: {type(error).__name__}: {error}"
        raise CatalogueError(str(path), problem) from error


def _failed(error: BaseException, file: Path, path: Path) -> CatalogueError:
    """Say what an author's file raised, and at which of its lines; problems stay as they are."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(file)]
    place = f"{path}:{lines[-1]}" if lines else str(path)
    if isinstance(error, CatalogueError):
        return CatalogueError(problems=[_placed(problem, place) for problem in error.problems])
    if isinstance(error, SystemExit):
        return CatalogueError("", f"the file calls sys.exit({error.code!r})", source=place)
    if isinstance(error, SyntaxError) and error.filename:
        told = f"{type(error).__name__}: {error.msg} (imported at {place})"
        return CatalogueError("", told, source=f"{error.filename}:{error.lineno}")
    return CatalogueError("", _told(error), _hint(error), source=place)


def _hint(error: BaseException) -> str | None:
    """Say what would have been right, where a name was mistyped or not found."""
    if isinstance(error, AttributeError) and error.obj is Op:
        return hint_for(str(error.name), Op.__members__)
    ours = _IMPORTED.search(str(error)) if isinstance(error, ImportError) else None
    if ours is not None:
        return hint_for(ours[1], sys.modules["evalkit"].__all__)
    return _searched() if isinstance(error, ImportError) else _unknown_field(error)


def _placed(problem: Problem, place: str) -> Problem:
    if problem.source:
        return problem
    return Problem(problem.where, problem.problem, problem.hint, place, problem.warning)


def _told(error: BaseException) -> str:
    """Say what was raised, and where, for what was raised in another file."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = f" (raised at {frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{inside}"


_IMPORTED = re.compile(r"cannot import name '(\w+)' from 'evalkit'")
_KEYWORD = re.compile(r"(\w+)\.__init__\(\) got an unexpected keyword argument '(\w+)'")
_NOUNS = {noun.__name__: noun for noun in (Assertion, Scenario, ToolCall)}


def _unknown_field(error: BaseException) -> str | None:
    """Name the field nearest to a keyword that a noun does not know."""
    found = _KEYWORD.search(str(error)) if isinstance(error, TypeError) else None
    if found is None or found[1] not in _NOUNS:
        return None
    return hint_for(found[2], [each.name for each in _NOUNS[found[1]].__attrs_attrs__])


def _searched() -> str:
    return f"looked in {', '.join(repr(folder) for folder in sys.path[:3])} and what is installed"


def _take_in_private(catalogue: Catalogue, module: ModuleType, loading: Loading) -> None:
    """Take in the scenarios of catalogues that the file made or imported for itself."""
    seen: set[int] = {id(CATALOGUE), id(catalogue)}
    for value in list(vars(module).values()):
        if isinstance(value, Catalogue) and id(value) not in seen:
            seen.add(id(value))
            catalogue.take_in(value, loading)
