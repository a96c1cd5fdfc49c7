"""How everything wrong with a catalogue is found at once, before the first call."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evalkit import Assertion, Catalogue, CatalogueError, Op, Ref, Scenario, ToolCall, run, validate
from evalkit.cli import main

TEN = """
from evalkit import Assertion, Op, Ref, Scenario, ToolCall, _s
def add(a: int, b: int):
    open("called", "w").close()
    return {"sum": a + b}
TOOL_DISPATCH = {"add": add}
OK = {"a": 1, "b": 2}
_s(Scenario("sound", tool_calls=[ToolCall("add", OK)]))
_s(Scenario("tool", tool_calls=[ToolCall("ad", OK)]))
_s(Scenario("argument", tool_calls=[ToolCall("add", {**OK, "bb": 1})]))
_s(Scenario("absent", tool_calls=[ToolCall("add", {"a": 1})]))
_s(Scenario("operator", tool_calls=[ToolCall("add", OK, [Assertion("sum", "eqq", 3)])]))
_s(Scenario("path", tool_calls=[ToolCall("add", OK, [Assertion("sum[", Op.EQ, 3)])]))
_s(Scenario("operand", tool_calls=[ToolCall("add", OK, [Assertion("sum", Op.IN, "abc")])]))
_s(Scenario("reference", tool_calls=[ToolCall("add", {"a": 1, "b": Ref("sums")})]))
_s(Scenario("nothing"))
_s(Scenario("part", "Hello?", assertions=[Assertion("respnse", Op.EXISTS)]))
_s(Scenario("sound", tool_calls=[ToolCall("add", OK)]))
"""
MISTAKES = {
    "cases.py:9": "tool.tool_calls[0].tool: unknown tool 'ad'; did you mean 'add'?",
    "cases.py:10": "argument.tool_calls[0].args: add takes no argument 'bb'; did you mean 'b'?",
    "cases.py:11": "absent.tool_calls[0].args: add needs the argument 'b'",
    "cases.py:12": "unknown operator 'eqq'; did you mean 'eq'?",
    "cases.py:13": "path.tool_calls[0].assertions[0].path",
    "cases.py:14": "operand.tool_calls[0].assertions[0].expected: expected a list, got 'abc'",
    "cases.py:15": "no earlier call saves 'sums'",
    "cases.py:16": "nothing: has nothing to check",
    "cases.py:17": "the trace has no part 'respnse'; did you mean 'response'?",
    "cases.py:18": "'sound': the name is taken by 'sound' at cases.py:8",
}


@pytest.fixture
def cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Write a catalogue in a folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    def write(source: str) -> Path:
        path = tmp_path / "cases.py"
        path.write_text(source, encoding="utf-8")
        return path

    return write


def test_ten_mistakes_are_ten_problems_of_one_error(
    cases: Callable[[str], Path], tmp_path: Path
) -> None:
    """Whatever kind they are of, all are raised together, each with its line, before any call."""
    path = cases(TEN)
    with pytest.raises(CatalogueError) as caught:
        run(path)
    told = {problem.source: str(problem) for problem in caught.value.problems}
    assert len(caught.value.problems) == len(MISTAKES)
    for source, words in MISTAKES.items():
        assert words in told[source]
    assert not (tmp_path / "called").exists()


def test_ten_mistakes_are_exit_4(
    cases: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """The command line prints a line for each, and their number."""
    assert main([str(cases(TEN))]) == 4
    out, err = capsys.readouterr()
    assert out == ""
    assert sum(line.startswith("error: cases.py:") for line in err.splitlines()) == len(MISTAKES)
    assert "10 problems; nothing was run" in err


def test_mistakes_of_several_catalogues_are_told_together() -> None:
    """A run of two catalogues is refused with the problems of both."""
    both = []
    for name in ("one", "two"):
        catalogue = Catalogue(name)
        catalogue.tools = {"ping": lambda: 1}
        catalogue.add(Scenario(name, tool_calls=[ToolCall(f"pnig_{name}")]))
        both.append(catalogue)
    with pytest.raises(CatalogueError) as caught:
        run(both)
    assert [problem.where.split(".")[0] for problem in caught.value.problems] == ["one", "two"]


def test_a_catalogue_without_tools_does_not_hide_the_mistakes_of_another() -> None:
    """Tools that are missing are one problem among the others."""
    bare, wrong = Catalogue("bare"), Catalogue("wrong")
    wrong.tools = {"ping": lambda: 1}
    bare.add(Scenario("a", tool_calls=[ToolCall("ping")]))
    wrong.add(Scenario("b", tool_calls=[ToolCall("pong")]))
    with pytest.raises(CatalogueError) as caught:
        run([bare, wrong])
    assert len(caught.value.problems) == 2


def test_validate_gives_the_warnings_of_a_sound_catalogue() -> None:
    """What is doubtful is given where nothing is wrong, and nothing where nothing is."""
    doubt = Assertion("", Op.GTE, 0)
    scenario = Scenario("a", tool_calls=[ToolCall("ping", {}, [doubt])])
    (warning,) = validate(scenario, tools={"ping": lambda: 3})
    assert warning.warning
    assert validate(Scenario("b", tool_calls=[ToolCall("ping")]), tools={"ping": lambda: 3}) == ()


def test_validate_gives_warnings_beside_errors() -> None:
    """`validate` gives everything wrong or doubtful at once."""
    checks = [Assertion("", Op.GTE, 0), Assertion("", "eqq", 1)]
    found = validate(
        Scenario("a", tool_calls=[ToolCall("ping", {}, checks)]), tools={"ping": lambda: 3}
    )
    assert sorted(problem.warning for problem in found) == [False, True]


def test_a_warning_is_in_the_report() -> None:
    """A run that has warnings gives them."""
    scenario = Scenario("a", tool_calls=[ToolCall("ping", {}, [Assertion("", Op.GTE, 0)])])
    report = run(scenario, tools={"ping": lambda: 3})
    assert len(report.warnings) == 1
    assert report.passed


def test_a_scenario_for_agents_is_skipped_and_says_so() -> None:
    """Without tool calls there is nothing to hold against tools alone."""
    talk = Scenario("talk", "Hello?", assertions=[Assertion("response", Op.EXISTS)])
    result = run(talk, tools={})["talk"]
    assert result.status.value == "skipped"
    assert "agent" in result.reason


def test_an_assertion_on_the_trace_may_use_what_any_call_saves() -> None:
    """The whole trace is graded after all calls: their saved values are known to it."""
    call = ToolCall("ping", save_as={"n": ""})
    made = Scenario(
        "a", tool_calls=[call], assertions=[Assertion("calls[0].result", Op.EQ, Ref("n"))]
    )
    assert run(made, tools={"ping": lambda: 3}).passed
    wrong = made.but(assertions=[Assertion("calls[0].result", Op.EQ, Ref("m"))])
    (problem,) = validate(wrong, tools={"ping": lambda: 3})
    assert problem.where == "a.assertions[0].expected"
    assert "'m'" in problem.problem


def test_only_what_is_selected_is_planned(
    cases: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """A mistake in a scenario that was not asked for does not stop the others."""
    source = TEN.replace('_s(Scenario("sound", tool_calls=[ToolCall("add", OK)]))\n', "", 1)
    assert main([str(cases(source)), "--name", "sound"]) == 0
    capsys.readouterr()
