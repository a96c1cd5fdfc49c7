"""The code of the tools has a digest, which changes with whatever may change a verdict."""

import sys
from collections.abc import Callable, Iterator
from operator import itemgetter
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from evalkit import Catalogue, Env, Scenario, Tool, ToolCall, load
from evalkit.planning import Planner
from evalkit.toolbox import toolbox_of
from evalkit.toolcode import ToolCode

HEAD = "from evalkit import Scenario, ToolCall, _s\n"
TAIL = "\n_s(Scenario('one', tool_calls=[ToolCall('t')]))\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stand in an empty folder; leave the interpreter as it was."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path, modules = list(sys.path), set(sys.modules)
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def code_of(catalogue: Catalogue, tools: Any) -> tuple[ToolCode, Callable[[str], str]]:
    """The code of a catalogue's tools, and what gives the digest for the scenario of a name."""
    toolbox = toolbox_of(tools)
    with toolbox.open(next(iter(catalogue))) as table:
        code = ToolCode(table.entries, toolbox, catalogue)
        planner = Planner(table.entries, catalogue.operators)
        plans = {scenario.name: planner.compile(scenario) for scenario in catalogue}
    return code, lambda name: code.digest(plans[name])


def digest(tools: Any, *called: str) -> str:
    """The digest of the code behind the tools that one scenario calls."""
    catalogue = Catalogue("made")
    catalogue.add(Scenario("one", tool_calls=[ToolCall(name) for name in called or ("t",)]))
    return code_of(catalogue, tools)[1]("one")


def loaded_digest(folder: Path, suite: str, **helpers: str) -> str:
    """The digest for scenario `one` of a catalogue's file, loaded afresh, with its helpers."""
    for name, source in {"suite": HEAD + dedent(suite) + TAIL, **helpers}.items():
        (folder / f"{name}.py").write_text(dedent(source), encoding="utf-8")
    catalogue = load("suite.py")
    return code_of(catalogue, catalogue.tools)[1]("one")


def one() -> int:
    """A tool."""
    return 1


def two() -> int:
    """Another tool."""
    return 2


def test_the_same_tools_have_the_same_digest() -> None:
    """A table that is made anew is the same, in whatever order its names stand."""
    assert digest({"t": one, "u": two}) == digest({"u": two, "t": one})


def test_another_function_is_another_digest() -> None:
    """What a name stands for counts."""
    assert digest({"t": one}) != digest({"t": two})


def test_only_the_tools_that_are_called_count() -> None:
    """The digest is of the tools that a scenario calls: others may be edited."""
    assert digest({"t": one, "u": one}) == digest({"t": one, "u": two})
    assert digest({"t": one, "u": one}, "t", "u") != digest({"t": one, "u": two}, "t", "u")


@pytest.mark.parametrize(
    "tool",
    [
        Tool(one, style="kwargs"),
        Tool(one, schema={"type": "object"}),
        Tool(one, error_if=lambda result: result == 1),
        Tool(one, error_if=lambda result: result == 2),
    ],
    ids=["style", "schema", "error_if", "another error_if"],
)
def test_what_a_tool_says_of_its_handler_counts(tool: Tool) -> None:
    """Style, schema and error_if are part of it."""
    others = [Tool(one), Tool(one, error_if=lambda result: result == 3)]
    assert digest({"t": tool}) not in {digest({"t": each}) for each in others}


def test_a_factory_counts() -> None:
    """Two factories that give the same table are told apart."""

    def factory() -> Env:
        return Env({"t": one})

    def another() -> Env:
        return Env({"t": one}, size=2)

    assert digest(factory) == digest(factory)
    assert digest(factory) != digest(another)


def test_a_tool_that_can_t_be_looked_at_is_named() -> None:
    """A handler whose code is out of sight is in `unread`, others are not."""
    catalogue = Catalogue("made")
    catalogue.add(Scenario("one", tool_calls=[ToolCall("t")]))
    code, _ = code_of(catalogue, {"t": one, "hidden": itemgetter("a")})
    assert code.unread == ["hidden"]


TABLE = "TOOL_DISPATCH = {'t': t, 'u': u}"
SUITES = {
    "the tool": "def t(): return NEW\ndef u(): return 0\n" + TABLE,
    "a function it calls": "def r(): return NEW\ndef t(): return r()\ndef u(): return 0\n" + TABLE,
    "a constant": "RATE = NEW\ndef t(): return RATE\ndef u(): return 0\n" + TABLE,
    "a factory": "def t(): return 1\ndef TOOL_DISPATCH():\n    start = NEW\n    return {'t': t}",
}


@pytest.mark.parametrize("where", SUITES)
def test_an_edit_in_the_catalogue_s_file_is_seen(where: str, folder: Path) -> None:
    """A tool that stands beside its scenarios counts, with what it names there."""
    old, new = (loaded_digest(folder, SUITES[where].replace("NEW", each)) for each in "12")
    assert old != new


def test_an_edited_scenario_is_no_edited_tool(folder: Path) -> None:
    """The catalogue's file changes with every scenario; that alone is no other code."""
    suite = "def t(): return 1\nTOOL_DISPATCH = {'t': t}\n"
    more = "_s(Scenario('two', 'NEW', tool_calls=[ToolCall('t')]))"
    old, new = (loaded_digest(folder, suite + more.replace("NEW", each)) for each in "12")
    assert old == new == loaded_digest(folder, suite)


HELPERS = {
    "the tool's own module": {"shop": "def t(): return NEW"},
    "what that names": {"shop": "RATE = NEW\ndef t(): return RATE"},
    "what that imports": {
        "shop": "import rates\ndef t(): return rates.rate()",
        "rates": "def rate(): return NEW",
    },
    "an object of another module": {
        "shop": "from rates import SHOP\ndef t(): return SHOP.rate()",
        "rates": "class S:\n    def rate(self): return NEW\nSHOP = S()",
    },
}


@pytest.mark.parametrize("where", HELPERS)
def test_an_edit_in_a_module_beside_it_is_seen(where: str, folder: Path) -> None:
    """Modules that the catalogue has imported from its folder count, file by file."""
    suite = "from shop import t\nTOOL_DISPATCH = {'t': t}"
    old, new = (
        loaded_digest(
            folder,
            suite,
            **{name: source.replace("NEW", each) for name, source in HELPERS[where].items()},
        )
        for each in "12"
    )
    assert old != new


def test_where_the_files_lie_does_not_count(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same catalogue with the same helper has one digest in every folder."""
    found = set()
    for name in ("here", "there"):
        (folder / name).mkdir()
        monkeypatch.chdir(folder / name)
        helper = {"shop": "def t(): return 1"}
        suite = "from shop import t\nTOOL_DISPATCH = {'t': t}"
        found.add(loaded_digest(folder / name, suite, **helper))
    assert len(found) == 1


LAZY = {
    "in a function": ("def t():\n    import helper\n    return helper.price()", "helper.py"),
    "of another": ("import middle\ndef t(): return middle.helper.price()", "helper.py"),
}


@pytest.mark.parametrize("how", LAZY)
def test_a_helper_counts_however_it_is_imported(how: str, folder: Path) -> None:
    """A file of the project that is imported late, or by another one, changes the digest."""
    source, name = LAZY[how]
    suite = source + "\nTOOL_DISPATCH = {'t': t}"
    helpers = {"middle": "import helper", "helper": "def price(): return 10"}
    before = loaded_digest(folder, suite, **helpers)
    assert before == loaded_digest(folder, suite, **helpers)
    (folder / name).write_text("def price(): return 11  # now")
    assert before != loaded_digest(folder, suite)


def test_a_helper_of_two_catalogues_counts_for_both(folder: Path) -> None:
    """What the first file has imported is seen from the second one, too."""
    source = HEAD + "import helper\nTOOL_DISPATCH = {'t': lambda: helper.price()}" + TAIL
    (folder / "helper.py").write_text("def price(): return 10")
    digests = []
    for number in (10, 11):
        (folder / "helper.py").write_text(f"def price(): return {number}  # {'x' * number}")
        for name in ("a.py", "b.py"):
            (folder / name).write_text(source)
        both = [load(name) for name in ("a.py", "b.py")]
        digests.append([code_of(each, each.tools)[1]("one") for each in both])
    assert digests[0][0] != digests[1][0]
    assert digests[0][1] != digests[1][1]


def test_a_helper_that_is_imported_by_dots_counts(folder: Path) -> None:
    """In a package, too, where the import is late and relative."""
    shop = folder / "shop"
    shop.mkdir()
    (shop / "__init__.py").write_text("")
    lazy = "def t():\n    from .helper import price\n    return price()\nTOOL_DISPATCH = {'t': t}"
    (shop / "suite.py").write_text(HEAD + lazy + TAIL)
    digests = []
    for number in (10, 11):
        (shop / "helper.py").write_text(f"def price(): return {number}  # {'x' * number}")
        catalogue = load("shop/suite.py")
        digests.append(code_of(catalogue, catalogue.tools)[1]("one"))
    assert digests[0] != digests[1]
