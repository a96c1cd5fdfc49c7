"""Which modules a loaded file's code sees: its own helpers, also where another file's share a name.

Modules stay imported after a load, as Python users expect. What a scope adds is that code of one
file never gets the equally named helper of another: before it runs, its scope is made active.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

_KEPT = frozenset({"__main__", "__mp_main__", "evalkit"})
_INSTALLED = ("site-packages", "dist-packages")
_LAST: list["Scope"] = []
"""The scope that was made active last; there is one `sys.modules`, so there is one of these."""


class Scope:
    """The folders that a file's code imports from, and the modules it has brought in from there."""

    def __init__(self, folders: Iterable[Path]) -> None:
        """Take the folders, in the order in which they are searched."""
        self.folders = tuple(map(str, folders))
        self._modules: dict[str, ModuleType] = {}
        self._before: set[str] = set()

    def activate(self) -> None:
        """Put the folders first on `sys.path`, and the scope's own modules in `sys.modules`."""
        if _LAST and _LAST[0] is not self:
            _LAST[0].collect()
            _LAST[0].leave_to(self)
        _LAST[:] = [self]
        for folder in reversed(self.folders):
            if folder in sys.path:
                sys.path.remove(folder)
            sys.path.insert(0, folder)
        sys.modules.update(self._modules)
        self._before = set(sys.modules)

    def collect(self) -> None:
        """Note what has been imported from the folders since the scope became active."""
        for name in set(sys.modules) - self._before:
            if not _is_kept(name) and self._holds(sys.modules[name]):
                self._modules[name] = sys.modules[name]

    def sources(self) -> list[Path]:
        """Give the files that have been imported from the folders."""
        self.collect()
        return [Path(str(vars(module)["__file__"])) for module in self._modules.values()]

    def leave_to(self, other: "Scope") -> None:
        """Take away the scope's modules, where the other would not find the very same files."""
        for name, module in self._modules.items():
            if sys.modules.get(name) is module and not other.finds(name, module):
                del sys.modules[name]

    def forget(self) -> None:
        """Take away all that the scope has brought in, so that it is imported afresh."""
        self.collect()
        for name, module in self._modules.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
        self._modules.clear()

    def finds(self, name: str, module: ModuleType) -> bool:
        """Say whether an import by that name would come to that very module's file."""
        top = name.partition(".")[0]
        for folder in map(Path, self.folders):
            for root in (folder / top, folder / f"{top}.py"):
                if (root / "__init__.py").exists() or root.is_file():
                    return str(vars(module).get("__file__")).startswith(str(root))
        return False

    def _holds(self, module: ModuleType) -> bool:
        file = vars(module).get("__file__")
        if not isinstance(file, str) or is_installed(file):
            return False
        return any(file.startswith(folder) for folder in self.folders)


def forget_registering(registering: Iterable[str]) -> None:
    """Take away modules that registered scenarios elsewhere, and those that import from them.

    A file that is loaded imports them anew, and so registers their scenarios as its own.
    """
    gone = {name for name in registering if name in sys.modules and not _is_kept(name)}
    while gone:
        leaving = {name: sys.modules.pop(name) for name in gone}
        gone = {
            name
            for name, module in list(sys.modules.items())
            if not _is_kept(name) and _knows(module, leaving)
        }


def is_installed(file: str) -> bool:
    """Say whether a file belongs to an installed package."""
    return any(part in file for part in _INSTALLED)


def _is_kept(name: str) -> bool:
    return name.partition(".")[0] in _KEPT


def _knows(module: ModuleType, others: dict[str, ModuleType]) -> bool:
    """Say whether a module's names lead to one of the others, or to what is defined there."""
    file = getattr(module, "__dict__", {}).get("__file__")
    if not isinstance(file, str) or is_installed(file) or _is_standard(file):
        return False
    known = {id(other) for other in others.values()}
    values = list(vars(module).values())
    return any(id(value) in known or _defined_in(value, others) for value in values)


def _defined_in(value: object, others: dict[str, ModuleType]) -> bool:
    home = getattr(value, "__module__", None) if callable(value) else None
    return isinstance(home, str) and home in others


def _is_standard(file: str) -> bool:
    return file.startswith(str(Path(sys.base_prefix)))
