"""What a finished run gives to Python: results by name, failures, the summary."""

import pytest

from evalkit import Assertion, CatalogueError, Op, RunReport, Scenario, ToolCall, run


@pytest.fixture
def report() -> RunReport:
    """A run of three scenarios, of which the second fails."""
    scenarios = [
        Scenario(f"shelf_{n}", tool_calls=[ToolCall("ping", {}, [Assertion("", Op.NE, n)])])
        for n in range(3)
    ]
    return run(scenarios, tools={"ping": lambda: 1})


def test_results_come_in_the_order_of_the_catalogue(report: RunReport) -> None:
    """As they were registered."""
    assert [result.name for result in report.results] == ["shelf_0", "shelf_1", "shelf_2"]


def test_a_result_is_found_by_name(report: RunReport) -> None:
    """`report["name"]` gives it; a wrong name is answered with the nearest."""
    assert report["shelf_1"].status.value == "failed"
    with pytest.raises(CatalogueError, match=r"no scenario 'shelf'.*did you mean 'shelf_"):
        report["shelf"]


def test_failures_are_those_that_fail_the_run(report: RunReport) -> None:
    """Only what makes the code 1."""
    assert [result.name for result in report.failures] == ["shelf_1"]
    assert not report.passed


def test_it_says_what_came_of_it(report: RunReport) -> None:
    """Its repr gives how many passed."""
    assert repr(report) == "<RunReport: 2 of 3 scenarios passed>"


def test_results_can_be_left_out() -> None:
    """With `keep_results=False` the counts are there and the results are not."""
    made = Scenario("a", tool_calls=[ToolCall("ping")])
    report = run(made, tools={"ping": lambda: 1}, keep_results=False)
    assert report.results == []
    assert report.passed
    assert report.summary["scenarios_passed"] == 1
