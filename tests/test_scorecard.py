"""What a run comes to: counts, rates and scores, in all, by tag and by difficulty."""

from typing import Any

import pytest

from evalkit import Assertion, Op, RunReport, Scenario, ToolCall, TransportError, run

YES = Assertion("n", Op.EQ, 1)
NO = Assertion("n", Op.EQ, 2)
DOUBT = Assertion("n", Op.EQ, 2, severity="warn")
UNSEEN = Assertion("response", Op.EXISTS)


def one() -> dict[str, int]:
    """A tool that answers."""
    return {"n": 1}


def dead() -> None:
    """A tool whose far end is out of reach."""
    raise TransportError("no route")


TOOLS = {"one": one, "dead": dead}


def made(name: str, *assertions: Assertion, tool: str = "one", **fields: Any) -> Scenario:
    """A scenario of one call with these assertions."""
    return Scenario(name, tool_calls=[ToolCall(tool, {}, assertions)], **fields)


PASSED = made("passed", YES, YES, tags=["x", "y"], difficulty="basic")
FAILED = made("failed", YES, NO, NO, NO, tags=["y"], difficulty="advanced")
ERROR = made("error", YES, YES, tool="dead", tags=["y"])
SKIPPED = Scenario("skipped", "Hello?", tags=["z"], assertions=[UNSEEN])
XFAILED = made("xfailed", NO, xfail="known")
XPASSED = made("xpassed", YES, xfail="known")


def report(*scenarios: Scenario) -> RunReport:
    """The report of running these."""
    return run(scenarios, tools=TOOLS)


def test_statuses_are_counted_each_by_itself() -> None:
    """Every scenario is in the total and in exactly one of the counts."""
    summary = report(PASSED, FAILED, ERROR, SKIPPED, XFAILED, XPASSED).summary
    statuses = ["passed", "failed", "error", "skipped", "xfailed", "xpassed"]
    assert summary["scenarios_total"] == 6
    assert [summary[f"scenarios_{status}"] for status in statuses] == [1] * 6


def test_the_summary_has_the_keys_of_the_design() -> None:
    """Keys that readers and programs rely on are there, whatever was run."""
    assert {
        "scenarios_total",
        "scenarios_passed",
        "scenarios_failed",
        "scenarios_error",
        "scenarios_skipped",
        "checks_total",
        "checks_passed",
        "pass_rate",
        "score",
        "seconds",
    } <= report(PASSED).summary.keys()


def test_the_pass_rate_is_of_checks() -> None:
    """Two of two and one of four checks are three of six."""
    summary = report(PASSED, FAILED).summary
    assert (summary["checks_total"], summary["checks_passed"]) == (6, 3)
    assert summary["pass_rate"] == 0.5


def test_the_score_is_the_mean_over_scenarios() -> None:
    """A scenario counts once, however many checks it has: (1 + 1/4) / 2."""
    assert report(PASSED, FAILED).summary["score"] == pytest.approx(0.625)


def test_an_error_never_leaves_the_denominator() -> None:
    """What could not be measured counts as nothing reached: checks not passed, score 0."""
    summary = report(PASSED, ERROR).summary
    assert (summary["checks_total"], summary["checks_passed"]) == (4, 2)
    assert (summary["pass_rate"], summary["score"]) == (0.5, 0.5)


def test_what_is_skipped_counts_for_nothing() -> None:
    """A skipped scenario changes the total alone, neither a rate nor the score."""
    with_it, without = report(PASSED, SKIPPED).summary, report(PASSED).summary
    assert with_it["scenarios_total"] == without["scenarios_total"] + 1
    for key in ("checks_total", "checks_passed", "pass_rate", "score"):
        assert with_it[key] == without[key]


def test_rates_are_null_where_nothing_was_counted() -> None:
    """Nothing measured is no rate: neither 0 nor 1."""
    summary = report(SKIPPED).summary
    assert (summary["checks_total"], summary["pass_rate"], summary["score"]) == (0, None, None)


def test_weights_count_in_the_score() -> None:
    """A check of weight 3 that holds, beside one of weight 1 that does not, is three quarters."""
    heavy = made("heavy", YES.but(weight=3.0), NO)
    assert report(heavy).summary["score"] == pytest.approx(0.75)


def test_a_warning_changes_no_status() -> None:
    """A check that warns is counted, and the scenario passes."""
    warned = report(made("warned", YES, DOUBT))
    assert warned.summary["scenarios_passed"] == 1
    assert warned.passed


def test_by_tag_is_sorted_and_counts_each_tag() -> None:
    """A scenario counts under every tag it has; one without a tag under none."""
    by_tag = report(FAILED, PASSED, XFAILED, SKIPPED).by_tag
    assert list(by_tag) == ["x", "y", "z"]
    assert {tag: tally["scenarios_total"] for tag, tally in by_tag.items()} == {
        "x": 1,
        "y": 2,
        "z": 1,
    }
    assert (by_tag["y"]["scenarios_passed"], by_tag["y"]["scenarios_failed"]) == (1, 1)


def test_a_tag_given_twice_counts_once() -> None:
    """A scenario that repeats a tag is one scenario of that tag."""
    assert report(made("a", YES, tags=["x", "x"])).by_tag["x"]["scenarios_total"] == 1


def test_by_difficulty_goes_from_basic_to_advanced() -> None:
    """Difficulties come in their order, not in that of the alphabet, and only those there are."""
    everything = report(FAILED, XFAILED, PASSED).by_difficulty
    assert list(everything) == ["basic", "standard", "advanced"]
    assert list(report(FAILED, PASSED).by_difficulty) == ["basic", "advanced"]


def test_a_tally_of_a_tag_has_the_keys_of_the_summary() -> None:
    """What is known of the whole is known of each tag and each difficulty."""
    found = report(PASSED)
    keys = found.summary.keys() - {"seconds"}
    assert keys <= found.by_tag["x"].keys()
    assert keys <= found.by_difficulty["basic"].keys()


@pytest.mark.parametrize(
    ("scenarios", "code"),
    [
        ([PASSED], 0),
        ([PASSED, SKIPPED], 0),
        ([XFAILED], 0),
        ([PASSED, FAILED], 1),
        ([PASSED, ERROR], 1),
        ([PASSED, XPASSED], 1),
        ([SKIPPED], 5),
        ([], 5),
    ],
)
def test_exit_codes(scenarios: list[Scenario], code: int) -> None:
    """The code follows from the statuses alone, and `passed` is code 0."""
    found = report(*scenarios)
    assert found.exit_code == code
    assert found.passed is (code == 0)
