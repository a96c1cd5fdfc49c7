"""Every example in a docstring of the package is executed, for the API page shows them."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "evalkit").rglob("*.py")
    if path.name != "__main__.py"
)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    """What the examples of a module show is what happens."""
    result = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


def test_there_are_docstrings_with_examples() -> None:
    """The modules hold examples: a finder that finds none would pass everything."""
    finder = doctest.DocTestFinder()
    assert sum(
        bool(found.examples) for name in MODULES for found in finder.find(import_module(name))
    )
