"""What the code of the tools is, as one digest: another one where an edit may change a verdict."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from sys import modules
from typing import Any

from evalkit.callables import Callables, digest_of
from evalkit.catalogue import REGISTERING, Catalogue
from evalkit.model import Tool
from evalkit.plan import Plan
from evalkit.toolbox import FactoryToolbox, TableToolbox
from evalkit.toolbox.specs import handler_of


class ToolCode:
    """The code of one catalogue's tools: their functions, and the files that these come from.

    A file that registers scenarios is left out, for it changes whenever one of them does; the
    functions in it count by themselves. `unread` names tools whose code can't be looked at.
    """

    def __init__(
        self,
        entries: Mapping[str, Any],
        toolbox: TableToolbox | FactoryToolbox,
        catalogue: Catalogue,
    ) -> None:
        """Look at the open table, and at what the catalogue's file has imported."""
        callables = Callables()
        self._handlers = {name: _described(entries[name], callables) for name in entries}
        self.unread = [name for name in entries if len(self._handlers[name][0]) == 1]
        sources = {_file(handler_of(entry)) for entry in entries.values()}
        sources |= set(catalogue.scope.sources()) if catalogue.scope is not None else set()
        factory: list[Any] = []
        if isinstance(toolbox, FactoryToolbox):
            factory = callables.description(toolbox.factory)
            sources.add(_file(toolbox.factory))
        self._common = [factory, _contents(sources - _catalogue_files(catalogue))]
        self._known: dict[tuple[str, ...], str] = {}

    def digest(self, plan: Plan) -> str:
        """Give the digest of the code behind the tools that a plan calls."""
        names = tuple(bound.tool for bound in plan.calls)
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
    """Give the file of the module that a function was defined in."""
    module = modules.get(str(getattr(function, "__module__", None)))
    file = None if module is None else vars(module).get("__file__")
    return Path(file) if isinstance(file, str) else None


def _catalogue_files(catalogue: Catalogue) -> set[Path | None]:
    registering = [modules[name] for name in REGISTERING if name in modules]
    files = {vars(module).get("__file__") for module in registering}
    own = {Path(catalogue.source).resolve()} if catalogue.source is not None else set()
    return {Path(file) for file in files if isinstance(file, str)} | own | {None}


def _contents(files: Iterable[Path | None]) -> list[str]:
    """Give the digests of files, sorted, so that it does not matter where they lie."""
    found = [file for file in files if file is not None and file.is_file()]
    return sorted(sha256(file.read_bytes()).hexdigest() for file in found)
