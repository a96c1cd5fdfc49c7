"""What a run comes to: counts, rates and scores, in all, by tag, difficulty and operator."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import (
    Assertion,
    Check,
    Op,
    RunReport,
    Scenario,
    ScenarioResult,
    Status,
    ToolCall,
    TransportError,
    run,
)
from evalkit.intervals import wilson
from evalkit.scorecard import Scorecard

PASS, FAIL, ERR = Status.PASSED, Status.FAILED, Status.ERROR

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


def checked(status: Status, op: str = "eq") -> Check:
    """A check of an operator that came to this."""
    made = Assertion("n", op, 1)
    return Check(made, 0, status, None, float(status is Status.PASSED), None, "", 0.0)


def result(name: str, status: Status, *checks: Check, epoch: int = 1, **fields: Any) -> Any:
    """The result of an epoch."""
    made = ScenarioResult(name, status, list(checks), None, [], 0.0)
    for key, value in {"epoch": epoch, **fields}.items():
        setattr(made, key, value)
    return made


def carded(*results: Any, sure: float | None = None) -> Scorecard:
    """The scorecard of these results."""
    card = Scorecard(sure)
    for each in results:
        card.add(each)
    return card


def epochs(name: str, *statuses: Status, needed: int = 0, of: int = 0, **fields: Any) -> list[Any]:
    """The results of a scenario's epochs, in order."""
    of = of or len(statuses)
    return [
        result(name, status, epoch=number, epochs=of, needed=needed or of, **fields)
        for number, status in enumerate(statuses, 1)
    ]


def test_by_operator_counts_the_checks_of_each() -> None:
    """Total, passed and errors by operator, sorted by name, over all scenarios."""
    card = carded(
        result("a", FAIL, checked(PASS, "ne"), checked(FAIL, "eq"), checked(PASS, "eq")),
        result("b", ERR, checked(ERR, "eq"), checked(Status.SKIPPED, "gt")),
    )
    counts = {
        op: (tally.total, tally.passed, tally.errors) for op, tally in card.by_operator.items()
    }
    assert counts == {"eq": (3, 1, 1), "ne": (1, 1, 0)}
    assert list(counts) == ["eq", "ne"]


def test_by_operator_adds_up_to_the_whole() -> None:
    """Checks by operator are all the checks there are, as the summary counts them."""
    found = report(PASSED, FAILED, ERROR, SKIPPED, XFAILED)
    for key in ("checks_total", "checks_passed"):
        assert sum(tally[key] for tally in found.by_operator.values()) == found.summary[key]


def test_by_operator_has_rates_and_intervals() -> None:
    """An error stays in the denominator of the operator's rate and of its interval."""
    found = report(FAILED, ERROR).by_operator["eq"]
    assert found == {
        "checks_total": 6,
        "checks_passed": 1,
        "checks_error": 2,
        "pass_rate": 1 / 6,
        "interval": wilson(1, 6),
    }


def test_an_interval_is_of_the_scenarios_that_were_measured() -> None:
    """What was skipped is in no denominator; what erred is in every one."""
    summary = report(PASSED, FAILED, ERROR, SKIPPED).summary
    assert summary["scenario_pass_interval"] == wilson(1, 3)
    assert report(SKIPPED).summary["scenario_pass_interval"] is None


def test_intervals_are_by_tag_and_difficulty_too() -> None:
    """Each tally has the interval of its own counts."""
    found = report(PASSED, FAILED)
    assert found.by_tag["y"]["scenario_pass_interval"] == wilson(1, 2)
    assert found.by_difficulty["advanced"]["scenario_pass_interval"] == wilson(0, 1)


def test_a_scenario_counts_once_over_its_epochs() -> None:
    """Three epochs of two scenarios are two scenarios, with the checks of all six."""
    card = carded(
        *epochs("a", PASS, PASS, PASS, tags=("t",), checks=[checked(PASS)]),
        *epochs("b", PASS, FAIL, PASS, tags=("t",), checks=[checked(PASS)]),
    )
    for tally in (card.all, card.by_tag["t"], card.by_difficulty["standard"]):
        assert (tally.total, tally.statuses[PASS], tally.statuses[FAIL]) == (2, 1, 1)
        assert tally.checks_total == 6


def test_a_status_may_change_with_a_later_epoch() -> None:
    """One that could not be measured, and then fails, is moved: from ERROR to FAILED."""
    card = Scorecard()
    seen = []
    for each in epochs("a", ERR, FAIL, PASS):
        card.add(each)
        seen.append((card.all.total, card.all.statuses[ERR], card.all.statuses[FAIL]))
    assert seen == [(1, 1, 0), (1, 0, 1), (1, 0, 1)]


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from(list(Status))), min_size=1, max_size=20
    ),
    st.integers(1, 6),
)
@settings(max_examples=60, deadline=None)
def test_totals_never_shrink(told: list[tuple[str, Status]], needed: int) -> None:
    """Whatever epochs come in whatever order, no total gets smaller, and no count negative."""
    card, before = Scorecard(), 0
    for number, (name, status) in enumerate(told, 1):
        card.add(result(name, status, epoch=number, epochs=max(6, len(told)), needed=needed))
        assert card.all.total >= before
        assert min(card.all.statuses.values(), default=0) >= 0
        before = card.all.total
    assert before <= len({name for name, _ in told})


def test_scenarios_of_one_epoch_have_no_part_in_repeats() -> None:
    """Reliability is said of what was run more than once, and of nothing else."""
    card = carded(result("a", PASS), *epochs("b", PASS, PASS))
    assert list(card.repeats.folds) == ["b"]
    assert report(PASSED).epochs["scenarios"] == 0


def test_pass_k_is_the_mean_over_scenarios() -> None:
    """2 of 2 and 1 of 2: pass^1 0.75, pass^2 0.5; pass@1 0.75, pass@2 1; the interval of 1 of 2."""
    told = carded(*epochs("a", PASS, PASS), *epochs("b", PASS, FAIL)).repeats.to_dict()
    assert told["pass_hat"] == {1: 0.75, 2: 0.5}
    assert told["pass_at"] == {1: 0.75, 2: 1.0}
    assert told["pass_hat_interval"] == wilson(1, 2)
    assert told["scenarios"] == 2


def test_pass_k_goes_as_far_as_every_scenario_does() -> None:
    """With two and four epochs, k is 1 and 2, and there is no one interval of all of them."""
    told = carded(*epochs("a", PASS, PASS), *epochs("b", *[PASS] * 4)).repeats.to_dict()
    assert list(told["pass_hat"]) == [1, 2]
    assert told["pass_hat_interval"] is None


def test_an_error_is_not_passed_in_pass_k() -> None:
    """An epoch that could not be measured stays in the denominator of pass^k and pass@k."""
    told = carded(*epochs("a", PASS, ERR)).repeats.to_dict()
    assert (told["pass_hat"], told["pass_at"]) == ({1: 0.5, 2: 0.0}, {1: 0.5, 2: 1.0})


@pytest.mark.parametrize("statuses", [[Status.XFAILED, Status.XPASSED], [Status.SKIPPED] * 2])
def test_pass_k_leaves_out_what_says_nothing_of_reliability(statuses: list[Status]) -> None:
    """What is known to fail, and what was not measured, is in no mean of pass^k."""
    told = carded(*epochs("a", *statuses), *epochs("b", PASS, PASS)).repeats.to_dict()
    assert (told["scenarios"], told["pass_hat"]) == (1, {1: 1.0, 2: 1.0})


def test_pass_k_of_nothing_is_nothing() -> None:
    """Where no scenario counts there is no rate, neither 0 nor 1."""
    told = carded(*epochs("a", Status.SKIPPED, Status.SKIPPED)).repeats.to_dict()
    assert (told["pass_hat"], told["pass_at"], told["pass_hat_interval"]) == ({}, {}, None)


def test_flaky_scenarios_are_named() -> None:
    """By name, with what differed; those that agree are not among them."""
    card = carded(*epochs("a", PASS, FAIL, needed=1), *epochs("b", FAIL, FAIL))
    assert card.repeats.to_dict()["flaky"] == {"a": "epoch 1 passed, epoch 2 failed"}
    assert card.all.statuses[PASS] == 1


def test_saved_epochs_are_those_that_being_sure_spared() -> None:
    """Of twenty each, seven decided on one scenario; the other is still open."""
    first, second = epochs("a", *[PASS] * 7, of=20), epochs("b", PASS, FAIL, of=20)
    told = carded(*first, *second, sure=0.5).repeats.to_dict()
    assert (told["epochs_run"], told["epochs_saved"]) == (9, 13)
    assert (told["until_sure"], told["error_bound"]) == (0.5, 0.05)


def test_without_a_rate_to_be_sure_of_there_is_no_bound() -> None:
    """`until_sure` and its bound are null where nothing was cut short."""
    told = carded(*epochs("a", PASS, PASS)).repeats.to_dict()
    assert (told["until_sure"], told["error_bound"], told["epochs_saved"]) == (None, None, 0)
