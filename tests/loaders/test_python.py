"""How a Python file is executed afresh: what it registers, imports, and is taken for."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from evalkit import CATALOGUE, Catalogue, grade, load, run

Write = Callable[..., Path]

HEAD = """\
from evalkit import Assertion, Catalogue, Op, Scenario, ToolCall, _s

def case(name, tool="ping", **fields):
    return Scenario(name, tool_calls=[ToolCall(tool)], **fields)

"""


def names(catalogue: Catalogue) -> list[str]:
    """The names of a catalogue, in order."""
    return [each.name for each in catalogue]


def test_a_file_gives_its_scenarios_and_tools(write: Write) -> None:
    """Scenarios come in the file's order with their lines; its table becomes the tools."""
    path = write(
        "cases.py", HEAD + "TOOL_DISPATCH = {'ping': lambda: 1}\n_s(case('b'))\n_s(case('a'))"
    )
    catalogue = load(path)
    assert names(catalogue) == ["b", "a"]
    assert catalogue["a"].source == "cases.py:8"
    assert list(catalogue.tools) == ["ping"]
    assert run(catalogue).passed


def test_every_load_is_afresh(write: Write) -> None:
    """A file is executed for each load: two loads share nothing, and none is a repetition."""
    path = write("cases.py", HEAD + "TOOL_DISPATCH = {}\n_s(case('a'))")
    first, second = load(path), load(path)
    assert names(first) == names(second) == ["a"]
    assert first.tools is not second.tools
    assert not second.notes


def test_an_edited_file_is_loaded_as_it_is(write: Write) -> None:
    """A load sees the file of now, and the helpers beside it of now."""
    main = "from helper import NAME\n_s(case(NAME))"
    write("helper.py", "NAME = 'old'")
    path = write("cases.py", HEAD + main)
    load(path)
    write("helper.py", "NAME = 'newer'")
    assert names(load(path)) == ["newer"]
    write("cases.py", HEAD + main + "\n_s(case('more'))")
    assert names(load(path)) == ["newer", "more"]


def test_a_helper_made_after_the_first_load_is_found(write: Write) -> None:
    """A module that was not there a moment ago is imported all the same."""
    path = write("cases.py", HEAD + "_s(case('a'))")
    load(path)
    write("later.py", "NAME = 'b'")
    write("cases.py", HEAD + "from later import NAME\n_s(case(NAME))")
    assert names(load(path)) == ["b"]


def test_the_main_part_is_not_run(write: Write) -> None:
    """What a file does as a script it does not do when it is loaded."""
    path = write(
        "cases.py", HEAD + "_s(case('a'))\nif __name__ == '__main__':\n    raise SystemExit(7)"
    )
    assert names(load(path)) == ["a"]


def test_scenarios_of_imported_modules_belong_to_it(write: Write) -> None:
    """A catalogue may be spread over files, each named as where its scenario stands."""
    write("parts/refunds.py", HEAD + "_s(case('refund'))")
    write("stock.py", HEAD + "_s(case('stock'))")
    catalogue = load(
        write("cases.py", HEAD + "import stock\nimport parts.refunds\n_s(case('own'))")
    )
    assert names(catalogue) == ["stock", "refund", "own"]
    assert catalogue["refund"].source == "parts/refunds.py:6"


def test_a_second_load_takes_in_imported_modules_again(write: Write) -> None:
    """A module that the first load has imported already belongs to the second as well."""
    write("stock.py", HEAD + "_s(case('stock'))")
    path = write("cases.py", HEAD + "import stock\n_s(case('own'))")
    assert names(load(path)) == names(load(path)) == ["stock", "own"]


def test_a_module_of_two_files_belongs_to_both(write: Write) -> None:
    """What two catalogue files import is in either, whichever is loaded first."""
    write("stock.py", HEAD + "_s(case('stock'))")
    first = write("one.py", HEAD + "import stock\n_s(case('one'))")
    second = write("two.py", HEAD + "import stock\n_s(case('two'))")
    assert names(load(first)) == ["stock", "one"]
    assert names(load(second)) == ["stock", "two"]


def test_a_module_that_was_imported_before_belongs_to_it(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plain import earlier in the session takes nothing away from a load."""
    monkeypatch.syspath_prepend(tmp_path)
    write("stock_plain.py", HEAD + "_s(case('stock_plain'))")
    path = write("cases.py", HEAD + "import stock_plain\n_s(case('own'))")
    importlib.import_module("stock_plain")
    assert "stock_plain" in CATALOGUE
    assert names(load(path)) == ["stock_plain", "own"]


def test_a_module_that_was_imported_before_through_another_belongs_to_it(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does it where the registering module is reached by one that registers nothing itself."""
    monkeypatch.syspath_prepend(tmp_path)
    write("stock_deep.py", HEAD + "_s(case('stock_deep'))")
    write("hub.py", "import stock_deep")
    path = write("cases.py", HEAD + "import hub\n_s(case('own'))")
    importlib.import_module("hub")
    assert names(load(path)) == ["stock_deep", "own"]


def test_a_file_of_a_package_imports_relatively(write: Write) -> None:
    """A file below an `__init__.py` is a module of that package: `from .server import`."""
    write("shop/__init__.py", "")
    write("shop/server.py", "TOOL_DISPATCH = {'ping': lambda: 'pong'}")
    write("shop/evals/__init__.py", "")
    source = "from ..server import TOOL_DISPATCH\nfrom . import more\n_s(case('a'))"
    write("shop/evals/more.py", HEAD + "_s(case('more'))")
    catalogue = load(write("shop/evals/cases.py", HEAD + source))
    assert names(catalogue) == ["more", "a"]
    assert run(catalogue).passed


def test_a_package_that_imports_its_scenarios_is_no_repetition(write: Write) -> None:
    """An `__init__.py` with `from . import cases` does not make each scenario stand twice."""
    write("shop/__init__.py", "from . import cases")
    path = write("shop/cases.py", HEAD + "_s(case('a'))")
    assert names(load(path)) == ["a"]


def test_an_init_file_can_be_the_catalogue(write: Write) -> None:
    """A package's `__init__.py` is a file like any other."""
    write("shop/server.py", "NAME = 'a'")
    path = write("shop/__init__.py", HEAD + "from .server import NAME\n_s(case(NAME))")
    assert names(load(path)) == ["a"]


def test_a_file_imports_from_the_root_of_its_project(write: Write, tmp_path: Path) -> None:
    """The nearest folder with a pyproject.toml is on the path, wherever one stands."""
    write("project/pyproject.toml", "")
    write("project/shop/server.py", "NAME = 'a'")
    path = write(
        "project/evals/deep/cases.py", HEAD + "from shop.server import NAME\n_s(case(NAME))"
    )
    assert names(load(path)) == ["a"]


def test_a_file_imports_from_the_current_directory(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the command is given from is on the path too."""
    write("here/shop_here.py", "NAME = 'a'")
    path = write("elsewhere/cases.py", HEAD + "from shop_here import NAME\n_s(case(NAME))")
    monkeypatch.chdir(tmp_path / "here")
    assert names(load(path)) == ["a"]


def test_helpers_of_one_name_in_two_folders_are_two(write: Write) -> None:
    """Each file gets the `server.py` beside it, in either order and in one run."""
    paths = []
    for folder in ("one", "two"):
        write(f"{folder}/server.py", f"def ping():\n    return {folder!r}\n")
        check = f"Assertion('', Op.EQ, {folder!r})"
        source = (
            "from server import ping\nTOOL_DISPATCH = {'ping': ping}\n"
            f"_s(Scenario({folder!r}, tool_calls=[ToolCall('ping', {{}}, [{check}])]))"
        )
        paths.append(write(f"{folder}/cases.py", HEAD + source))
    for order in (paths, paths[::-1]):
        report = run(order)
        assert (report.passed, len(report.results)) == (True, 2)


def test_helpers_of_one_name_that_are_imported_late_are_two(write: Write) -> None:
    """A handler that imports its helper only when it is called gets the one beside its file."""
    paths = []
    for folder in ("one", "two"):
        write(f"{folder}/late.py", f"NAME = {folder!r}")
        check = f"Assertion('', Op.EQ, {folder!r})"
        source = (
            "def ping():\n    import late\n    return late.NAME\nTOOL_DISPATCH = {'ping': ping}\n"
            f"_s(Scenario({folder!r}, tool_calls=[ToolCall('ping', {{}}, [{check}])]))"
        )
        paths.append(write(f"{folder}/cases.py", HEAD + source))
    report = run(paths)
    assert [result.status.value for result in report.results] == ["passed", "passed"]


def test_helper_packages_of_one_name_in_two_folders_are_two(write: Write) -> None:
    """That holds for packages and their submodules as well."""
    for folder in ("one", "two"):
        write(f"{folder}/lib/__init__.py", "")
        write(f"{folder}/lib/names.py", f"NAME = {folder!r}")
        write(f"{folder}/cases.py", HEAD + "from lib.names import NAME\n_s(case(NAME))")
    assert [names(load(f"{folder}/cases.py")) for folder in ("one", "two", "one")] == [
        ["one"],
        ["two"],
        ["one"],
    ]


def test_private_catalogues_of_the_file_belong_to_it(write: Write) -> None:
    """`_s = catalogue.add` makes a catalogue of the file's own, which is what is loaded."""
    source = "shop = Catalogue('shop')\nstock = Catalogue('stock')\n"
    source += "shop.add(case('a'))\nstock.add(case('b'))\n_s(case('c'))"
    assert sorted(names(load(write("cases.py", HEAD + source)))) == ["a", "b", "c"]


def test_a_private_catalogue_that_is_imported_belongs_to_it(write: Write) -> None:
    """A file may gather the catalogues of other modules by importing them."""
    write("stock.py", HEAD + "catalogue = Catalogue('stock')\n_s = catalogue.add\n_s(case('b'))")
    path = write("cases.py", HEAD + "from stock import catalogue\nalso = catalogue\n_s(case('c'))")
    assert sorted(names(load(path))) == ["b", "c"]


def test_operators_of_the_file_belong_to_it(write: Write) -> None:
    """An author's operator is known in the file's own catalogue, and nowhere else."""
    write(
        "ops.py",
        "from evalkit import operator\noperator('ponged')(lambda a, b, c: a == 1)",
    )
    source = "import ops\nTOOL_DISPATCH = {'ping': lambda: 1}\n"
    source += "_s(Scenario('a', tool_calls=[ToolCall('ping', {}, [Assertion('', 'ponged')])]))"
    path = write("cases.py", HEAD + source)
    for _ in range(2):
        assert run(load(path)).passed
    assert "ponged" not in CATALOGUE.operators


def test_one_scenario_of_a_file_runs_with_what_the_file_knows(write: Write) -> None:
    """`load(...)["a"]` by itself has its file's tools and operators, from a private one too."""
    source = "from evalkit import operator\nTOOL_DISPATCH = {'ping': lambda: 1}\n"
    source += "operator('ponged')(lambda a, b, c: a == 1)\nown = Catalogue('own')\n"
    source += "for name, add in (('a', _s), ('b', own.add)):\n"
    source += "    check = Assertion('', 'ponged')\n"
    source += "    add(Scenario(name, tool_calls=[ToolCall('ping', {}, [check])]))"
    catalogue = load(write("cases.py", HEAD + source))
    for name in "ab":
        result = run(catalogue[name])[name]
        assert result.passed
        assert result.trace is not None
        assert grade(catalogue[name], result.trace).passed
    assert run(list(catalogue)).passed


@pytest.mark.parametrize(
    "name",
    ["json.py", "select.py", "random.py", "my-cases.v2.py", "with blank.py", "1st.py", "types.py"],
)
def test_a_file_may_have_any_name(write: Write, name: str) -> None:
    """A file named as a module of Python's, or as none could be, is a catalogue like any other."""
    path = write(name, HEAD + "TOOL_DISPATCH = {'ping': lambda: 1}\n_s(case('a'))")
    catalogue = load(path)
    assert names(catalogue) == ["a"]
    assert run(catalogue).passed


@pytest.mark.parametrize("name", ["json", "evalkit", "click"])
def test_a_file_does_not_take_the_place_of_a_module(write: Write, name: str) -> None:
    """Whatever a catalogue's file is called, the module of that name stays importable."""
    importlib.import_module(name)
    before = sys.modules[name]
    load(write(f"{name}.py", HEAD + "_s(case('a'))"))
    assert sys.modules.get(name) is before


@pytest.mark.parametrize("name", ["json", "logging"])
def test_a_helper_does_not_take_the_place_of_a_loaded_module(write: Write, name: str) -> None:
    """A file beside the catalogue that is called as a module in use does no harm to it."""
    write(f"{name}.py", "raise RuntimeError('not me')")
    importlib.import_module(name)
    path = write("cases.py", HEAD + f"import {name}\n_s(case('a'))")
    assert names(load(path)) == ["a"]


def test_dataclasses_of_the_file_work(write: Write) -> None:
    """A file is a module of `sys.modules` while it runs, which dataclasses and pickles ask for."""
    source = "from __future__ import annotations\nfrom dataclasses import dataclass\n"
    source += HEAD + "@dataclass\nclass Order:\n    id: int\n_s(case(f'order_{Order(3).id}'))"
    assert names(load(write("cases.py", source))) == ["order_3"]


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + HEAD.encode() + b"_s(case('caf\xc3\xa9'))",
        HEAD.replace("\n", "\r\n").encode() + b"_s(case('caf\xc3\xa9'))\r\n",
        b"# -*- coding: latin-1 -*-\n" + HEAD.encode() + b"_s(case('caf\xe9'))",
    ],
    ids=["BOM", "CRLF", "latin-1"],
)
def test_files_are_read_as_python_reads_them(tmp_path: Path, content: bytes) -> None:
    """A byte order mark, Windows line ends and a declared encoding are all Python's own."""
    path = tmp_path / "cases.py"
    path.write_bytes(content)
    assert names(load(path)) == ["caf\N{LATIN SMALL LETTER E WITH ACUTE}"]


def test_a_file_may_load_another(write: Write) -> None:
    """A catalogue that a file loads itself is a private one of that file."""
    write("other.py", HEAD + "_s(case('b'))")
    source = "from evalkit import load\nother = load('other.py')\n_s(case('a'))"
    assert sorted(names(load(write("cases.py", HEAD + source)))) == ["a", "b"]
