"""Which modules a loaded file's code sees, and which a load imports anew."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from evalkit.loaders.scope import Scope, forget_registering

Write = Callable[..., Path]


@pytest.fixture
def two(write: Write) -> tuple[Scope, Scope]:
    """Two folders with a helper of one name each, and one that only the first has."""
    for folder in ("one", "two"):
        write(f"{folder}/helper_of_scope.py", f"NAME = {folder!r}")
    write("one/alone_of_scope.py", "NAME = 'alone'")
    return Scope([Path.cwd() / "one"]), Scope([Path.cwd() / "two"])


def name(module: str) -> str:
    """What the module of a name says it is, for code that runs now."""
    found: str = importlib.import_module(module).NAME
    return found


def test_each_scope_sees_its_own(two: tuple[Scope, Scope]) -> None:
    """Two helpers of one name: code gets the one beside its file, in whatever order it runs."""
    seen = []
    for scope in (*two, *two):
        scope.activate()
        seen.append(name("helper_of_scope"))
    assert seen == ["one", "two", "one", "two"]


def test_a_module_is_imported_once_for_a_scope(two: tuple[Scope, Scope]) -> None:
    """A scope that is made active again has the very modules that it had before."""
    first, second = two
    first.activate()
    module = importlib.import_module("helper_of_scope")
    second.activate()
    first.activate()
    assert importlib.import_module("helper_of_scope") is module


def test_its_folders_come_first_on_the_path(two: tuple[Scope, Scope]) -> None:
    """The folders of a scope are searched first, and stand there once."""
    first, second = two
    for scope in (first, second, first):
        scope.activate()
    assert sys.path[0] == str(Path.cwd() / "one")
    assert sys.path.count(str(Path.cwd() / "one")) == 1


def test_what_another_scope_can_not_find_is_not_there(two: tuple[Scope, Scope]) -> None:
    """A helper of another file is not visible by having been imported there."""
    first, second = two
    first.activate()
    assert name("alone_of_scope") == "alone"
    second.activate()
    assert "alone_of_scope" not in sys.modules


def test_modules_of_elsewhere_are_everybodys(two: tuple[Scope, Scope]) -> None:
    """What is not from a scope's folders stays imported, whichever scope is active."""
    first, second = two
    first.activate()
    importlib.import_module("colorsys")
    module = sys.modules["colorsys"]
    second.activate()
    assert sys.modules["colorsys"] is module


def test_a_scope_that_forgets_imports_afresh(two: tuple[Scope, Scope], write: Write) -> None:
    """After `forget` a helper that was edited is read anew."""
    first, _ = two
    first.activate()
    assert name("helper_of_scope") == "one"
    write("one/helper_of_scope.py", "NAME = 'edited, and longer'")
    importlib.invalidate_caches()
    first.forget()
    first.activate()
    assert name("helper_of_scope") == "edited, and longer"


def test_a_registering_module_goes_with_those_that_import_from_it(
    two: tuple[Scope, Scope], write: Write
) -> None:
    """What registered elsewhere, and what holds a name of it, are imported anew by a load."""
    write("one/deep_of_scope.py", "def add(): pass")
    write("one/hub_of_scope.py", "from deep_of_scope import add")
    two[0].activate()
    for module in ("hub_of_scope", "alone_of_scope"):
        importlib.import_module(module)
    forget_registering(["deep_of_scope", "no_such_module"])
    left = [each for each in ("deep_of_scope", "hub_of_scope") if each in sys.modules]
    assert (left, "alone_of_scope" in sys.modules) == ([], True)


@pytest.mark.parametrize("module", ["evalkit", "evalkit.catalogue", "evalkit.model", "__main__"])
def test_evalkit_itself_is_never_forgotten(module: str) -> None:
    """Whoever registers in evalkit's own name (as a docstring's example does), it stays one."""
    importlib.import_module(module)
    before = sys.modules[module]
    forget_registering([module])
    assert sys.modules.get(module) is before
