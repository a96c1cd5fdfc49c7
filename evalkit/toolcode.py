"""What the code of the tools is, as one digest: another one where an edit may change a verdict."""

import ast
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from sys import modules, stdlib_module_names
from typing import TYPE_CHECKING, Any

from evalkit.callables import Callables, digest_of
from evalkit.catalogue import REGISTERING, Catalogue
from evalkit.loaders.scope import is_installed
from evalkit.model import Tool
from evalkit.plan import Plan
from evalkit.toolbox import FactoryToolbox, TableToolbox
from evalkit.toolbox.specs import handler_of

if TYPE_CHECKING:
    from evalkit.subjects.agent import Agent

SCENARIO_WORDS = frozenset({"_s", "Scenario"})
"""A statement with one of these is about scenarios, which have fingerprints of their own."""


class ToolCode:
    """The code of one catalogue's tools: their functions, and the files that these come from.

    Of a file that registers scenarios, the statements that do so are left out, for they change
    whenever a scenario does. `unread` names tools whose code can't be looked at.
    """

    def __init__(
        self,
        entries: Mapping[str, Any],
        toolbox: TableToolbox | FactoryToolbox,
        catalogue: Catalogue,
        agent: "Agent | None" = None,
        named: str | None = None,
    ) -> None:
        """Look at the open table, at what the catalogue's file has imported, and at an agent.

        `named` is how the agent was named, by a module that may not be that of its code.
        """
        callables = Callables()
        self._handlers = {name: _described(entries[name], callables) for name in entries}
        self.unread = [name for name in entries if len(self._handlers[name][0]) == 1]
        sources = {_file(handler_of(entry)) for entry in entries.values()}
        sources |= set(catalogue.scope.sources()) if catalogue.scope is not None else set()
        factory: list[Any] = []
        if isinstance(toolbox, FactoryToolbox):
            factory = callables.description(toolbox.factory)
            sources.add(_file(toolbox.factory))
        if agent is not None:  # which may call any of the tools
            factory.append(callables.description(agent.given))
            sources |= {_file(agent.given), _file(type(agent.given)), _file_named(named)}
        self._any = agent is not None
        operators = [
            callables.description(each.function) for _, each in sorted(catalogue.operators.items())
        ]
        folders = catalogue.scope.folders if catalogue.scope is not None else ()
        own = _catalogue_files(catalogue, sources)
        sources |= _imported({each for each in sources | own if each}, folders)
        files = [_digest(each) for each in sources - own if each], [_rest_of(each) for each in own]
        self._common = [factory, operators, *map(sorted, files)]
        self._known: dict[tuple[str, ...], str] = {}

    def digest(self, plan: Plan) -> str:
        """Give the digest of the code behind the tools that a plan calls."""
        names = tuple(self._handlers) if self._any else tuple(bound.tool for bound in plan.calls)
        known = self._known.get(names)
        if known is None:
            used = {name: self._handlers.get(name) for name in names}
            known = self._known[names] = digest_of([used, self._common])[:16]
        return known


def _described(entry: Any, callables: Callables) -> list[Any]:  # noqa: ANN401
    """Describe an entry of the table: its handler, and what it says of it."""
    said: list[Any] = []
    if type(entry) is Tool:
        error_if = None if entry.error_if is None else callables.description(entry.error_if)
        said = [entry.style, entry.schema, error_if]
    return [callables.description(handler_of(entry)), said]


def _file(function: Any) -> Path | None:  # noqa: ANN401
    """Give the file of the module that a function, or an object's class, was defined in."""
    module = modules.get(str(getattr(function, "__module__", None)))
    file = None if module is None else vars(module).get("__file__")
    return Path(file) if isinstance(file, str) else None


def _file_named(reference: str | None) -> Path | None:
    """Give the file of the module that a reference such as `package.module:NAME` names."""
    module = modules.get((reference or "").partition(":")[0])
    file = None if module is None else vars(module).get("__file__")
    return Path(file) if isinstance(file, str) else None


def _catalogue_files(catalogue: Catalogue, sources: set[Path | None]) -> set[Path]:
    """Give those of the files that register scenarios."""
    registering = [modules[name] for name in REGISTERING if name in modules]
    files = {vars(module).get("__file__") for module in registering}
    source = Path(catalogue.source or "")
    own = {source.resolve()} if source.suffix == ".py" else set()
    return own | {each for each in sources if each is not None and str(each) in files}


def _imported(files: set[Path], folders: tuple[str, ...]) -> set[Path]:
    """Give the files of the project that these import, and those import in turn, wherever."""
    found: set[Path] = set()
    left = list(files)
    while left:
        importing = left.pop()
        beside = _relatives_imported(importing)
        for file in beside + [_module_file(name, folders) for name in _names_imported(importing)]:
            if file is not None and file not in found and file not in files:
                found.add(file)
                left.append(file)
    return found


def _module_file(name: str, folders: tuple[str, ...]) -> Path | None:
    """Find the file of a module that is no part of Python, nor installed."""
    if name.partition(".")[0] in (*stdlib_module_names, "evalkit"):
        return None
    loaded = vars(modules[name]).get("__file__") if name in modules else None
    steps = name.replace(".", "/")
    beside = [
        Path(each) / tail for each in folders for tail in (f"{steps}.py", f"{steps}/__init__.py")
    ]
    known = (
        [Path(loaded)] if isinstance(loaded, str) else [each for each in beside if each.is_file()]
    )
    return known[0] if known and not is_installed(str(known[0])) else None


def _names_imported(file: Path) -> set[str]:
    """Give the modules that a file's statements import, those inside functions too."""
    names: set[str] = set()
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            names |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
    return names


def _relatives_imported(file: Path) -> list[Path | None]:
    """Give the files that a module of a package imports by dots."""
    found: list[Path | None] = []
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = file.parents[min(node.level, len(file.parents)) - 1]
            steps = base.joinpath(*(node.module or "").split("."))
            named = [steps, *(steps / each.name for each in node.names)]
            tails = [(each.with_suffix(".py"), each / "__init__.py") for each in named]
            found += [each for pair in tails for each in pair if each.is_file()]
    return found


def _digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest() if file.is_file() else ""


def _rest_of(file: Path) -> str:
    """Give the digest of a file's statements that are not about scenarios."""
    statements = _tree(file).body
    words = _words_of_scenarios(statements)
    rest = [ast.dump(each) for each in statements if words.isdisjoint(_names_in(each))]
    return sha256("\n".join(rest).encode("utf-8", "surrogatepass")).hexdigest()


def _tree(file: Path) -> ast.Module:
    """Read a file as Python; nothing where it is none."""
    try:
        known = file.stat()
        return _tree_of_version(file, known.st_mtime_ns, known.st_size)
    except (OSError, SyntaxError, ValueError):
        return ast.Module([], [])


@lru_cache
def _tree_of_version(file: Path, _mtime_ns: int, _size: int) -> ast.Module:
    return ast.parse(file.read_bytes())


def _words_of_scenarios(statements: list[ast.stmt]) -> set[str]:
    """Give the names by which a file makes scenarios: evalkit's, and those of its own functions."""
    words = set(SCENARIO_WORDS)
    functions = [each for each in statements if isinstance(each, _FUNCTIONS)]
    while found := [
        each.name
        for each in functions
        if each.name not in words and not words.isdisjoint(_names_in(each))
    ]:
        words.update(found)
    return words


def _names_in(statement: ast.stmt) -> set[str]:
    """Give every name that a statement uses, and its own where it is a function's."""
    names = {getattr(statement, "name", "")}
    for node in ast.walk(statement):
        names.add(str(getattr(node, "id", None) or getattr(node, "attr", None) or ""))
    return names


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
