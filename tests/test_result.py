"""What came of it: statuses, codes, checks and scenario results."""

import json

import pytest

from evalkit import Assertion, Check, ScenarioResult, Status
from evalkit.result import BAD, CODES

WEIGHTED = Assertion("a", "eq", 1, weight=3)


def checked(status: Status, score: float = 0.0, assertion: Assertion = WEIGHTED) -> Check:
    """A check of that status and score."""
    return Check(assertion, 0, status, None, score, 1, "", 0.0)


def result(*checks: Check, status: Status = Status.PASSED) -> ScenarioResult:
    """A scenario's result with these checks."""
    return ScenarioResult("s", status, list(checks), None, [], 0.0)


@pytest.mark.parametrize("status", Status)
def test_status_is_lower_case(status: Status) -> None:
    """A status is its lower-case name: as text, in JSON, and as a key."""
    assert str(status) == status.value == status.name.lower()
    assert json.loads(json.dumps(status)) == status.value
    assert {status: 1}[status.value] == 1  # type: ignore[index]


def test_bad_statuses() -> None:
    """What fails a run: failed, error and xpassed; a known failure and a skip do not."""
    assert set(Status) - BAD == {Status.PASSED, Status.SKIPPED, Status.XFAILED}


FAMILIES = {
    "wrong_value": "subject",
    "unresolved_path": "subject",
    "tool_raised": "subject",
    "tool_timeout": "subject",
    "invalid_arguments": "subject",
    "unserialisable_result": "subject",
    "unsaved_value": "subject",
    "operator_raised": "instrument",
    "tools_unavailable": "instrument",
}


@pytest.mark.parametrize(("code", "family"), FAMILIES.items())
def test_code_is_of_its_family(code: str, family: str) -> None:
    """What the subject did wrong and what could not be measured are told apart by the code."""
    assert CODES[code].family == family


@pytest.mark.parametrize("code", CODES)
def test_code_says_what_it_means(code: str) -> None:
    """Each code is a short stable word of one family, with a meaning in words."""
    assert code == code.lower()
    assert code.replace("_", "").isalpha()
    assert CODES[code].family in ("subject", "instrument")
    assert " " in CODES[code].meaning


def test_check_reads_from_its_assertion() -> None:
    """A check gives path, operator, expected and description of its assertion."""
    check = checked(Status.PASSED, 1.0, Assertion("a.b", "EQ", [1], "the first"))
    assert (check.path, check.op, check.expected, check.description) == (
        "a.b",
        "eq",
        [1],
        "the first",
    )


@pytest.mark.parametrize("status", Status)
def test_passed_is_passed_alone(status: Status) -> None:
    """Only PASSED is passed, of a check and of a scenario."""
    assert checked(status).passed is (status is Status.PASSED)
    assert result(status=status).passed is (status is Status.PASSED)


def test_failures() -> None:
    """The failures are the checks that failed or erred, in order."""
    checks = [checked(status) for status in (Status.ERROR, Status.PASSED, Status.FAILED)]
    assert [check.status for check in result(*checks).failures] == [Status.ERROR, Status.FAILED]


def test_score_is_weighted() -> None:
    """The score is the mean of the check scores by weight."""
    light = Assertion("b", "eq", 1)
    assert result(
        checked(Status.PASSED, 1.0), checked(Status.FAILED, 0.0, light)
    ).score == pytest.approx(0.75)


def test_score_counts_errors_as_zero() -> None:
    """What could not be measured stays in the denominator."""
    assert result(checked(Status.PASSED, 1.0), checked(Status.ERROR)).score == pytest.approx(0.5)


def test_score_leaves_skips_out() -> None:
    """What was skipped counts neither way."""
    assert result(checked(Status.PASSED, 1.0), checked(Status.SKIPPED)).score == pytest.approx(1.0)


@pytest.mark.parametrize("checks", [[], [checked(Status.SKIPPED)]])
def test_score_of_nothing_is_none(checks: list[Check]) -> None:
    """Where nothing was measured there is no score: neither 0 nor 1."""
    assert result(*checks).score is None


def test_results_compare_by_value() -> None:
    """Two checks with the same fields are equal, which is what grading again is tested by."""
    assert checked(Status.PASSED, 1.0) == checked(Status.PASSED, 1.0)
    assert checked(Status.PASSED, 1.0) != checked(Status.PASSED, 0.5)
    assert result(checked(Status.PASSED)) == result(checked(Status.PASSED))
