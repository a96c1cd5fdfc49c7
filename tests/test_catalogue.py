"""What a catalogue holds, how scenarios get into it, and how they are found again."""

import code
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from evalkit import Catalogue, CatalogueError, Scenario, ToolCall, Verdict, load, operator, run


def scenario(name: str, *tags: str, **fields: Any) -> Scenario:
    """A scenario with one call, which is all that a catalogue needs of it."""
    return Scenario(name, tool_calls=[ToolCall("ping")], tags=tags, **fields)


def catalogue(*scenarios: Scenario) -> Catalogue:
    """A private catalogue of these scenarios."""
    made = Catalogue("shop")
    for each in scenarios:
        made.add(each)
    return made


def execute(source: str, into: Catalogue, filename: str = "scenarios.py") -> None:
    """Execute a source once, as importing a file does, with `_s` for the catalogue."""
    program = compile(textwrap.dedent(source), filename, "exec")
    exec(program, {"__name__": "scenarios", "_s": into.add, "scenario": scenario})  # noqa: S102


def repl(*statements: str) -> Catalogue:
    """What a catalogue holds after statements typed at the prompt, each an execution of its own."""
    made = Catalogue("typed")
    console = code.InteractiveConsole({"_s": made.add, "scenario": scenario})
    for statement in statements:
        console.runsource(statement, "<stdin>", "single")
    return made


def test_add_gives_the_scenario_back() -> None:
    """`add` registers the very scenario and returns it, to be named where it is made."""
    made = scenario("stock")
    shop = Catalogue("shop")
    assert shop.add(made) is made
    assert shop["stock"] is made


def test_order_is_the_order_of_registering() -> None:
    """Scenarios come in the order in which they were registered, whatever their names."""
    names = ["zebra", "ant", "mule"]
    assert [each.name for each in catalogue(*map(scenario, names))] == names


def test_source_is_the_line_of_the_call() -> None:
    """A scenario knows the file and line that registered it."""
    shop = Catalogue("shop")
    execute("\n\n_s(scenario('third_line'))", shop)
    assert shop["third_line"].source == "scenarios.py:3"


def test_a_source_of_ones_own_is_kept() -> None:
    """A source that the scenario came with is not overwritten."""
    assert catalogue(scenario("a", source="cases.csv:7"))["a"].source == "cases.csv:7"


@pytest.mark.parametrize("wrong", ["stock", None, {"name": "stock"}, [scenario("stock")], Scenario])
def test_only_a_scenario_is_registered(wrong: Any) -> None:
    """Anything else is refused with its value, and nothing is registered."""
    shop = Catalogue("shop")
    with pytest.raises(CatalogueError, match="expected a Scenario, got"):
        shop.add(wrong)
    assert len(shop) == 0


def test_a_name_twice_in_one_file_names_both_lines() -> None:
    """A second scenario of a name within one execution is an error that tells both places."""
    with pytest.raises(CatalogueError) as caught:
        execute("_s(scenario('stock'))\n\n_s(scenario('stock'))", Catalogue("shop"))
    (problem,) = caught.value.problems
    assert "'stock'" in str(problem)
    assert "scenarios.py:1" in str(problem)
    assert "scenarios.py:3" in str(problem)


def test_a_name_twice_by_a_loop_is_an_error() -> None:
    """A forgotten f-string in a loop must not turn three scenarios into one."""
    shop = Catalogue("shop")
    with pytest.raises(CatalogueError, match=r"scenarios\.py:2.*scenarios\.py:2"):
        execute("for width in (600, 900, 1200):\n    _s(scenario('shelf_{width}'))", shop)


def test_a_name_twice_through_a_helper_is_an_error() -> None:
    """A function of the file that registers belongs to the execution of the file that calls it."""
    source = """
    def shelf(width):
        _s(scenario("shelf"))
    shelf(600)
    shelf(900)
    """
    with pytest.raises(CatalogueError, match="taken"):
        execute(source, Catalogue("shop"))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("caf\N{LATIN SMALL LETTER E WITH ACUTE}", "cafe\N{COMBINING ACUTE ACCENT}"),
        ("Stock", "stock"),
        ("STRASSE", "stra\N{LATIN SMALL LETTER SHARP S}e"),
    ],
)
def test_names_that_a_reader_takes_for_one_are_one(first: str, second: str) -> None:
    """Names that are equal once composed and in one case are the same name twice."""
    source = f"_s(scenario({first!r}))\n_s(scenario({second!r}))"
    with pytest.raises(CatalogueError, match="taken"):
        execute(source, Catalogue("shop"))


def test_an_edited_file_executed_again_replaces_and_says_so() -> None:
    """A later execution puts its scenario in the place of the earlier one, with a note."""
    shop = Catalogue("shop")
    execute("_s(scenario('a'))\n_s(scenario('b'))", shop)
    execute("\n_s(scenario('a', 'edited'))\n_s(scenario('b'))", shop)
    assert [each.name for each in shop] == ["a", "b"]
    assert shop["a"].tags == ("edited",)
    assert any("'a'" in note and "scenarios.py:1" in note for note in shop.notes)


def test_an_unchanged_file_executed_again_replaces() -> None:
    """A reload without an edit is a later execution too, though its code is equal."""
    shop = Catalogue("shop")
    execute("_s(scenario('a'))", shop)
    execute("_s(scenario('a'))", shop)
    assert len(shop) == 1
    assert len(shop.notes) == 1


def test_two_executions_of_different_files_replace() -> None:
    """Without a load, a plain import of another file that has the name is a later execution."""
    shop = Catalogue("shop")
    execute("_s(scenario('a', 'old'))", shop, "one.py")
    execute("_s(scenario('a', 'new'))", shop, "two.py")
    assert shop["a"].tags == ("new",)
    assert "one.py:1" in shop.notes[0]
    assert "two.py:1" in shop.notes[0]


def test_a_statement_typed_again_replaces() -> None:
    """At a prompt each statement is an execution: the same one again replaces."""
    typed = repl("_s(scenario('a'))", "_s(scenario('a'))")
    assert (len(typed), len(typed.notes)) == (1, 1)


def test_a_loop_typed_at_a_prompt_is_one_execution(capsys: pytest.CaptureFixture[str]) -> None:
    """A loop that registers one name thrice is an error at a prompt too."""
    repl("for n in range(3): _s(scenario('a'))\n")
    assert "the name is taken" in capsys.readouterr().err


def test_a_name_twice_leaves_the_first() -> None:
    """The scenario that was there first stays, whoever catches the error."""
    shop = Catalogue("shop")
    source = """
    _s(scenario("a", "first"))
    try:
        _s(scenario("a", "second"))
    except ValueError:
        pass
    """
    execute(source, shop)
    assert shop["a"].tags == ("first",)


def test_replace_puts_a_changed_copy_in_its_place() -> None:
    """`replace` keeps the order and the source, and gives what was put in."""
    shop = catalogue(scenario("a"), scenario("b"), scenario("c"))
    changed = shop["b"].but(xfail="the saw is being mended")
    assert shop.replace(changed) is changed
    assert [each.name for each in shop] == ["a", "b", "c"]
    assert shop["b"].xfail == "the saw is being mended"
    assert shop["b"].source


def test_replace_of_a_name_that_is_not_there() -> None:
    """A renamed copy has nothing to replace: the nearest name is told."""
    shop = catalogue(scenario("refund_in_window"))
    with pytest.raises(CatalogueError, match="did you mean 'refund_in_window'"):
        shop.replace(scenario("refund_in_windov"))
    assert len(shop) == 1


def test_but_leaves_the_original() -> None:
    """`but` makes a copy; the catalogue keeps the scenario that it had."""
    shop = catalogue(scenario("a"))
    shop["a"].but(tags=["changed"])
    assert shop["a"].tags == ()


def test_a_wrong_name_is_answered_with_the_nearest() -> None:
    """`catalogue["nam"]` says which name was meant."""
    shop = catalogue(scenario("refund_in_window"), scenario("stock"))
    with pytest.raises(CatalogueError, match=r"'refund_in_windo'.*did you mean 'refund_in_window'"):
        shop["refund_in_windo"]


def test_a_name_like_none_is_answered_with_what_there_is() -> None:
    """Where no name is close, the names that there are are listed."""
    with pytest.raises(CatalogueError, match=r"'zzz'.*known: 'refund', 'stock'"):
        catalogue(scenario("stock"), scenario("refund"))["zzz"]


@pytest.mark.parametrize("wrong", [0, None, ("a",), slice(0, 1)])
def test_what_is_no_name_finds_nothing(wrong: Any) -> None:
    """An index, a slice or None is no name, and gets the same answer as a wrong one."""
    shop = catalogue(scenario("a"))
    assert wrong not in shop
    with pytest.raises(CatalogueError, match="no scenario"):
        shop[wrong]


def test_in_is_by_name() -> None:
    """A catalogue contains names."""
    assert "a" in catalogue(scenario("a"))
    assert "b" not in catalogue(scenario("a"))


def test_tags_are_sorted_and_live() -> None:
    """The view that was taken before shows what is registered after, sorted, each once."""
    shop = Catalogue("shop")
    tags = shop.tags
    assert list(tags) == []
    shop.add(scenario("a", "wide", "shelf"))
    shop.add(scenario("b", "narrow", "shelf"))
    assert list(tags) == ["narrow", "shelf", "wide"]
    assert tags == ["narrow", "shelf", "wide"]
    assert (len(tags), tags[0], tags[-1], "wide" in tags) == (3, "narrow", "wide", True)
    assert repr(tags) == "['narrow', 'shelf', 'wide']"


def test_tags_follow_a_replaced_scenario() -> None:
    """A tag that no scenario has any more is gone from the view."""
    shop = catalogue(scenario("a", "old"))
    tags = shop.tags
    shop.replace(shop["a"].but(tags=["new"]))
    assert list(tags) == ["new"]


def test_select_gives_a_catalogue_that_runs() -> None:
    """A selection is a catalogue with the tools of the one that it was made from."""
    shop = catalogue(scenario("a", "x"), scenario("b", "y"))
    shop.tools = {"ping": lambda: "pong"}
    chosen = shop.select(tags=["y"])
    assert isinstance(chosen, Catalogue)
    assert [each.name for each in run(chosen).results] == ["b"]
    assert run(chosen).passed


def test_select_leaves_the_catalogue() -> None:
    """The catalogue that was selected from keeps everything."""
    shop = catalogue(scenario("a", "x"), scenario("b", "y"))
    shop.select(tags=["x"])
    assert len(shop) == 2


def test_a_catalogue_says_what_it_is() -> None:
    """Its repr gives the name and how many scenarios it holds."""
    assert repr(catalogue(scenario("a"))) == "<Catalogue 'shop': 1 scenario>"
    assert repr(catalogue(scenario("a"), scenario("b"))) == "<Catalogue 'shop': 2 scenarios>"


def test_an_operator_may_not_take_a_built_in_name() -> None:
    """`@operator` refuses a name of the table, in either case."""
    with pytest.raises(CatalogueError, match=r"'EQ'.*built in"):
        operator("EQ")(lambda actual, assertion, context: Verdict(passed=True, score=1.0))


async def waiting(actual: Any, assertion: Any, context: Any) -> bool:
    """An operator that nobody awaits."""
    return True


@pytest.mark.parametrize("name", ["", " ", "two words", "a-b", "a.b", "1st", None, 3, ["a"]])
def test_an_operator_has_a_name_that_is_a_word(name: Any) -> None:
    """`@operator` refuses what could not be written, or named in a message."""
    with pytest.raises(CatalogueError, match="expected a name"):
        operator(name)


def test_an_operator_is_not_async() -> None:
    """An operator that would give a coroutine, which is true, is refused when it is defined."""
    with pytest.raises(CatalogueError, match=r"'waiting'.*is async"):
        operator("waiting")(waiting)


def test_an_operator_s_name_twice_in_one_file_names_the_first(tmp_path: Path) -> None:
    """A second operator of a name, in any case, would silently be the first one's judge."""
    path = tmp_path / "operators_of_test_catalogue.py"
    first = "@operator('even')\ndef first(actual, assertion, context): return True\n"
    second = first.replace("even", "EVEN").replace("first", "second")
    path.write_text(f"from evalkit import operator\n{first}{second}", encoding="utf-8")
    with pytest.raises(CatalogueError, match=r"the name is taken at .*:2") as caught:
        load(path)
    assert ":4: operator 'even'" in str(caught.value)


def python(source: str, folder: Path) -> str:
    """What a fresh interpreter prints that runs a source in a folder."""
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)],
        cwd=folder,
        env={"PYTHONPATH": f"{root}:{folder}", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


CASES = """\
from evalkit import Scenario, ToolCall, _s

_s(Scenario("a", tool_calls=[ToolCall("ping")], tags=["wide", "shelf"]))
"""


def test_outside_of_a_load_the_ambient_catalogue_takes_all(tmp_path: Path) -> None:
    """A plain import registers in `CATALOGUE`, whose tags `ALL_TAGS` shows sorted and live."""
    (tmp_path / "cases.py").write_text(CASES)
    source = """
    from evalkit import ALL_TAGS, CATALOGUE
    before = list(ALL_TAGS)
    import cases
    print(before, list(ALL_TAGS), [each.name for each in CATALOGUE], CATALOGUE["a"].source)
    """
    assert python(source, tmp_path).strip() == "[] ['shelf', 'wide'] ['a'] cases.py:3"


def test_a_reload_replaces_in_the_ambient_catalogue(tmp_path: Path) -> None:
    """`importlib.reload` of a file, edited or not, replaces what it registered before."""
    (tmp_path / "cases.py").write_text(CASES)
    source = """
    import importlib, pathlib
    from evalkit import CATALOGUE
    import cases
    importlib.reload(cases)
    file = pathlib.Path("cases.py")
    file.write_text(file.read_text().replace('"wide"', '"very_wide"'))
    importlib.reload(cases)
    print(len(CATALOGUE), list(CATALOGUE.tags), len(CATALOGUE.notes))
    """
    assert python(source, tmp_path).strip() == "1 ['shelf', 'very_wide'] 2"


def test_a_catalogue_file_runs_as_a_plain_script(tmp_path: Path) -> None:
    """`python scenarios.py` registers in `CATALOGUE`, and its own `__main__` part can run it."""
    tail = """
if __name__ == "__main__":
    from evalkit import CATALOGUE, run
    print(run(CATALOGUE, tools={"ping": lambda: "pong"}).passed)
"""
    (tmp_path / "cases.py").write_text(CASES + tail)
    source = "import runpy; runpy.run_path('cases.py', run_name='__main__')"
    assert python(source, tmp_path).strip() == "True"


def test_a_load_leaves_the_ambient_catalogue_alone(tmp_path: Path) -> None:
    """What a load registers belongs to the loaded file, and not to `CATALOGUE`."""
    (tmp_path / "cases.py").write_text(CASES)
    source = """
    from evalkit import ALL_TAGS, CATALOGUE, Scenario, _s, load
    loaded = load("cases.py")
    print(len(loaded), len(CATALOGUE), list(ALL_TAGS))
    _s(Scenario("b"))
    print(len(loaded), len(CATALOGUE))
    """
    assert python(source, tmp_path).split("\n")[:2] == ["1 0 []", "1 1"]
