"""What a scenario comes to over its epochs: its status, how many passed, whether they agree."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count, permutations, product
from typing import Any

import pytest

from evalkit import Assertion, Op, Ref, RunReport, Scenario, ScenarioResult, Status, ToolCall, run
from evalkit.epochs import Fold
from evalkit.intervals import decided
from evalkit.jsonvalue import Json
from evalkit.result import Check

PASSED, FAILED, ERROR, SKIPPED = Status.PASSED, Status.FAILED, Status.ERROR, Status.SKIPPED
XFAILED, XPASSED = Status.XFAILED, Status.XPASSED
CODES = {FAILED: "wrong_value", ERROR: "transport_failed"}
SETS = list(product([PASSED, FAILED, ERROR], repeat=3))


def check(
    status: Status = PASSED, actual: Json = 1, path: str = "n", step: int | None = 0
) -> Check:
    """A check that came to this."""
    score = float(status is PASSED)
    code = CODES.get(status)
    return Check(Assertion(path, Op.EQ, 1), step, status, code, score, actual, "", 0.0)


def epoch(status: Status, number: int, of: int, needed: int, *checks: Check) -> ScenarioResult:
    """The result of one epoch."""
    made = ScenarioResult("a", status, list(checks), None, [], 0.0)
    made.epoch, made.epochs, made.needed = number, of, needed
    return made


def folded(
    statuses: Sequence[Status],
    needed: int | None = None,
    of: int | None = None,
    sure: float | None = None,
) -> Fold:
    """The fold of epochs of these statuses, of which so many must pass."""
    fold, of = Fold(sure), of or len(statuses)
    for number, status in enumerate(statuses, 1):
        fold.add(epoch(status, number, of, needed or of))
    return fold


def by_the_design(statuses: Sequence[Status], needed: int) -> Status:
    """DESIGN 5: passed where as many passed as must; else failed if any is, else error if any."""
    if statuses.count(PASSED) >= needed:
        return PASSED
    return next((each for each in (FAILED, ERROR, SKIPPED) if each in statuses), SKIPPED)


@pytest.mark.parametrize("needed", [1, 2, 3])
@pytest.mark.parametrize("statuses", [*SETS, *product([PASSED, SKIPPED], repeat=3)], ids=str)
def test_every_mix_comes_to_what_the_design_says(statuses: tuple[Status, ...], needed: int) -> None:
    """Passed where enough passed; an ERROR or SKIPPED epoch is not a passed one."""
    assert folded(statuses, needed).status is by_the_design(statuses, needed)


@pytest.mark.parametrize("statuses", [(PASSED, FAILED, ERROR), (PASSED, ERROR, ERROR, FAILED)])
@pytest.mark.parametrize("needed", [1, 2])
def test_the_order_of_epochs_is_of_no_account(statuses: tuple[Status, ...], needed: int) -> None:
    """Whichever came first, the same epochs come to the same."""
    found = {folded(each, needed).status for each in permutations(statuses)}
    assert found == {by_the_design(statuses, needed)}


@pytest.mark.parametrize(
    ("statuses", "needed", "status"),
    [
        ((XFAILED, XFAILED), 2, XFAILED),
        ((XPASSED, XPASSED), 2, XPASSED),
        ((XPASSED, XFAILED), 2, XFAILED),
        ((XFAILED, XPASSED), 1, XPASSED),
        ((XFAILED, ERROR), 2, ERROR),
        ((ERROR, XPASSED), 2, ERROR),
        ((ERROR, ERROR), 2, ERROR),
        ((ERROR, XPASSED), 1, XPASSED),
    ],
    ids=str,
)
def test_what_is_known_to_fail(statuses: tuple[Status, ...], needed: int, status: Status) -> None:
    """An xfail holds for the scenario as a whole, and hides nothing that was not measured."""
    assert folded(statuses, needed).status is status


@pytest.mark.parametrize(
    ("statuses", "needed", "of", "status"),
    [
        ([], 1, 3, None),
        ([PASSED], 1, 3, PASSED),
        ([PASSED], 2, 3, None),
        ([FAILED], 2, 3, None),
        ([FAILED], 3, 3, FAILED),
        ([ERROR], 3, 3, ERROR),
        ([ERROR, FAILED], 3, 3, FAILED),
        ([FAILED, PASSED], 2, 3, None),
        ([FAILED, FAILED], 2, 3, FAILED),
        ([FAILED, PASSED, PASSED], 2, 3, PASSED),
    ],
    ids=str,
)
def test_a_status_is_open_until_it_is_settled(
    statuses: list[Status], needed: int, of: int, status: Status | None
) -> None:
    """None as long as the epochs to come could still turn it, and no longer."""
    assert folded(statuses, needed, of).status is status


@pytest.mark.parametrize("statuses", SETS, ids=str)
@pytest.mark.parametrize("needed", [1, 2, 3])
def test_a_verdict_of_passed_or_not_is_not_taken_back(
    statuses: tuple[Status, ...], needed: int
) -> None:
    """Once a scenario has passed it stays so; once it can't pass any more it never does."""
    seen = [folded(statuses[:ran], needed, 3).status for ran in range(4)]
    settled = [each for each in seen if each is not None]
    assert None not in seen[len(seen) - len(settled) :]
    assert len({each is PASSED for each in settled}) == 1


def test_counts() -> None:
    """How many ran, passed and were measured, whatever came of the others."""
    fold = folded([PASSED, FAILED, ERROR, SKIPPED, XPASSED, XFAILED], 1)
    assert (fold.ran, fold.passed, fold.measured, fold.known) == (6, 2, 5, True)
    assert not folded([PASSED, FAILED]).known


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        ([PASSED] * 7, PASSED),
        ([PASSED] * 6, None),
        ([FAILED] * 7, FAILED),
        ([ERROR] * 7, ERROR),
        ([ERROR] * 6 + [FAILED], FAILED),
        ([XFAILED] * 7, XFAILED),
        ([XPASSED] * 7, XPASSED),
        ([PASSED, FAILED] * 3, None),
        ([SKIPPED] * 7, None),
    ],
    ids=str,
)
def test_until_sure_is_what_was_decided(statuses: list[Status], status: Status | None) -> None:
    """To be sure of a rate, a scenario is what `decided` says, and open until it says so."""
    assert folded(statuses, 20, 20, sure=0.5).status is status


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        ([PASSED, FAILED] * 3, ERROR),
        ([PASSED] * 6, ERROR),
        ([SKIPPED] * 6, SKIPPED),
        ([XFAILED, XPASSED] * 3, ERROR),
    ],
    ids=str,
)
def test_what_can_not_be_told_in_all_its_epochs_is_an_error(
    statuses: list[Status], status: Status
) -> None:
    """Where the last epoch leaves it undecided, it was not measured, and never passed."""
    assert decided(6, 6, 0.5) == 0
    assert folded(statuses, 1, len(statuses), sure=0.5).status is status


def test_to_be_sure_an_error_counts_as_not_passed() -> None:
    """An ERROR epoch leaves the denominator no more than any other."""
    assert folded([PASSED] * 7 + [ERROR] * 5, 20, 20, sure=0.5).status is None
    assert decided(7, 12, 0.5) == 0


def test_epochs_that_agree_are_not_flaky() -> None:
    """The same checks with the same statuses are no difference, though values differ."""
    fold = Fold()
    for number, value in enumerate([1, 2, 3], 1):
        fold.add(epoch(FAILED, number, 3, 3, check(), check(FAILED, value)))
    assert not fold.flaky
    assert fold.difference() == ""


@pytest.mark.parametrize("statuses", SETS, ids=str)
def test_mixed_epochs_are_flaky_whatever_the_verdict(statuses: tuple[Status, ...]) -> None:
    """A scenario that passes with one epoch of three is flaky, and so is one that does not."""
    for needed in (1, 2, 3):
        assert folded(statuses, needed).flaky is (len(set(statuses)) > 1)


def two(left: Sequence[Check], right: Sequence[Check]) -> Fold:
    """The fold of two epochs with these checks."""
    fold = Fold()
    for number, checks in enumerate((left, right), 1):
        bad = any(each.status is FAILED for each in checks)
        fold.add(epoch(FAILED if bad else PASSED, number, 2, 2, *checks))
    return fold


@pytest.mark.parametrize(
    ("left", "right", "told"),
    [
        (
            [check()],
            [check(FAILED, 2)],
            "step 0, 'n' eq: epoch 1 passed, epoch 2 wrong_value: 1, then 2",
        ),
        (
            [check(), check(path="m", step=3)],
            [check(), check(FAILED, 7, "m", 3)],
            "step 3, 'm' eq: epoch 1 passed, epoch 2 wrong_value: 1, then 7",
        ),
        (
            [check(FAILED, "no", "response", None)],
            [check(PASSED, "yes", "response", None)],
            "the trace, 'response' eq: epoch 1 wrong_value, epoch 2 passed: 'no', then 'yes'",
        ),
        (
            [check(PASSED, {"a": [1, {"b": 2}], "c": 3})],
            [check(FAILED, {"a": [1, {"b": 5}], "c": 3})],
            "step 0, 'n' eq: epoch 1 passed, epoch 2 wrong_value at a[1].b: 2, then 5",
        ),
    ],
    ids=["value", "later step", "trace", "leaf"],
)
def test_flaky_names_the_check_and_the_leaf(
    left: list[Check], right: list[Check], told: str
) -> None:
    """Which check, which two epochs, what came of it, and where in the value they part."""
    assert two(left, right).difference() == told


def test_a_difference_is_of_the_first_epoch_that_is_odd() -> None:
    """The first epoch and the first that differs from it are told, by their numbers."""
    fold = Fold()
    for number, value in enumerate([1, 1, 1, 9, 8], 1):
        status = PASSED if value == 1 else FAILED
        fold.add(epoch(status, number, 5, 1, check(status, value)))
    assert fold.difference().endswith("epoch 1 passed, epoch 4 wrong_value: 1, then 9")


def test_a_difference_without_checks_is_of_statuses() -> None:
    """Where no check tells two epochs apart, their statuses do."""
    assert folded([PASSED, ERROR], 1).difference() == "epoch 1 passed, epoch 2 error"


def ran(scenario: Scenario, tools: Any, **options: Any) -> RunReport:
    """The report of running one scenario."""
    return run(scenario, tools=tools, **options)


ONE = Scenario("a", tool_calls=[ToolCall("next", {}, [Assertion("n", Op.EQ, 1)])], epochs=3)


@pytest.mark.parametrize("executor", ["serial", "threads"])
def test_every_epoch_has_tools_of_its_own(executor: str) -> None:
    """A factory is entered and closed once for each epoch, after once for planning."""
    log: list[str] = []

    @contextmanager
    def factory() -> Iterator[dict[str, Any]]:
        numbers = count(1)
        log.append("open")
        yield {"next": lambda: {"n": next(numbers)}}
        log.append("close")

    assert ran(ONE, factory, executor=executor).passed
    assert (log.count("open"), log.count("close")) == (4, 4)
    assert log == ["open", "close"] * 4 or executor != "serial"


def test_epochs_share_a_table_that_is_given_ready_made() -> None:
    """A mapping is open for the run: its tools keep what they know, and the scenario is flaky."""
    numbers = count(1)
    report = ran(ONE, {"next": lambda: {"n": next(numbers)}})
    assert [each.status for each in report.results] == [PASSED, FAILED, FAILED]
    assert report.epochs["flaky"].keys() == {"a"}


def test_saved_values_do_not_leak_into_the_next_epoch() -> None:
    """What the first epoch saved is not there in the second, which saves nothing."""
    answers = iter([{"id": 7}, {}])
    calls = [
        ToolCall("find", save_as={"id": "id"}),
        ToolCall("use", {"id": Ref("id")}, [Assertion("", Op.EQ, 7)]),
    ]
    used: list[int] = []

    def use(id: int) -> int:  # noqa: A002  - the argument is called so
        used.append(id)
        return id

    tools = {"find": lambda: next(answers), "use": use}
    first, second = ran(Scenario("a", tool_calls=calls, epochs=2), tools).results
    assert (first.status, second.status) == (PASSED, FAILED)
    assert [each.code for each in second.checks if each.step == 1] == ["unsaved_value"]
    assert used == [7]


def test_an_epoch_gets_its_own_copy_of_the_arguments() -> None:
    """A tool that empties what it is given spoils no later epoch."""
    seen: list[int] = []

    def take(items: list[int]) -> None:
        seen.append(len(items))
        items.clear()

    assert ran(
        Scenario("a", tool_calls=[ToolCall("take", {"items": [1, 2]})]), {"take": take}, epochs=3
    ).passed
    assert seen == [2, 2, 2]


def test_a_factory_that_fails_in_one_epoch_costs_that_one() -> None:
    """Tools that can't be opened are an ERROR of their epoch; the others are measured."""
    opened = count()

    def factory() -> dict[str, Any]:
        if next(opened) == 2:
            raise OSError("no database")
        return {"next": lambda: {"n": 1}}

    report = ran(ONE.but(pass_epochs=2), factory)
    assert [each.status for each in report.results] == [PASSED, ERROR, PASSED]
    assert report.passed


@pytest.mark.parametrize("executor", ["serial", "threads"])
def test_until_sure_stops_as_soon_as_it_is(executor: str) -> None:
    """Seven passes decide on a rate of a half; the rest of the hundred epochs is saved."""
    report = ran(
        ONE.but(epochs=None), {"next": lambda: {"n": 1}}, until_sure=0.5, executor=executor
    )
    assert len(report.results) == 7
    assert report.passed
    assert (report.epochs["epochs_run"], report.epochs["epochs_saved"]) == (7, 93)


def test_until_sure_with_a_single_epoch_is_not_sure() -> None:
    """One epoch decides nothing: it does not pass for being the only one."""
    report = ran(ONE, {"next": lambda: {"n": 1}}, until_sure=0.9, epochs=1)
    assert decided(1, 1, 0.9) == 0
    assert report.summary["scenarios_passed"] == 0
    assert report.exit_code == 1


def test_a_failure_that_is_allowed_for_is_none() -> None:
    """`failures` are what fails the run; an epoch that `pass_epochs` makes up for does not."""
    numbers = count(1)
    report = ran(ONE.but(pass_epochs=1), {"next": lambda: {"n": next(numbers)}})
    assert report.passed
    assert report.failures == []


def test_a_run_stops_by_scenarios_not_by_epochs() -> None:
    """`max_failures` counts scenarios: one with three failed epochs is one, and is run whole."""
    bad = [ONE.but(name=name) for name in "abc"]
    report = run(bad, tools={"next": lambda: {"n": 2}}, max_failures=2)
    assert [each.name for each in report.results] == ["a"] * 3 + ["b"] * 3
