"""How a problem reads, and how problems are gathered."""

import pickle

import pytest

from evalkit import CatalogueError, Problem, Scenario
from evalkit.planning.problems import Problems

SCENARIO = Scenario("a", source="cases.py:7")


def test_a_problem_names_its_scenario_and_line() -> None:
    """What is noted without a field is the scenario's own."""
    problems = Problems()
    problems.add(SCENARIO, (), "has nothing to check", "give it tool_calls")
    (problem,) = problems.errors
    assert str(problem) == "cases.py:7: a: has nothing to check; give it tool_calls"


def test_errors_and_warnings_are_told_apart() -> None:
    """Only errors are raised; all of them, together."""
    problems = Problems()
    problems.add(SCENARIO, (), "doubtful", warning=True)
    problems.raise_if_any()
    problems.add(SCENARIO, (), "wrong")
    problems.add(SCENARIO, (), "wrong too")
    with pytest.raises(CatalogueError) as caught:
        problems.raise_if_any()
    assert [problem.problem for problem in caught.value.problems] == ["wrong", "wrong too"]
    assert [problem.problem for problem in problems.warnings] == ["doubtful"]


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (Problem("a.b", "is wrong"), "a.b: is wrong"),
        (Problem("a.b", "is wrong", "do right"), "a.b: is wrong; do right"),
        (Problem("a.b", "is wrong", None, "f.py:1"), "f.py:1: a.b: is wrong"),
        (Problem("", "is wrong", None, "f.py:1"), "f.py:1: is wrong"),
        (Problem("", "is wrong"), "is wrong"),
    ],
)
def test_a_problem_is_one_line(problem: Problem, line: str) -> None:
    """Where, what and how to mend it, with nothing between where a part is absent."""
    assert str(problem) == line


def test_an_error_can_be_sent_to_another_process() -> None:
    """Its problems survive pickling."""
    error = CatalogueError(problems=[Problem("a", "wrong", "hint", "f.py:1"), Problem("b", "too")])
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (str(again), again.problems) == (str(error), error.problems)
