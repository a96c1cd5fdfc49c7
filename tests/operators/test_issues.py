"""The operators on issue lists: counts in the summary, issues by severity and check."""

from typing import Any, Final

import pytest

from evalkit import MISSING, Assertion, Status, check

SAG: Final = {"severity": "error", "check": "sag"}
SPAN: Final = {"severity": "warning", "check": "span"}

COUNTS: list[tuple[str, Any, bool]] = [
    ("no_errors", {"errors": 0}, True),
    ("no_errors", {"errors": 0.0}, True),
    ("no_errors", {"errors": 1}, False),
    ("no_errors", {"warnings": 0}, False),
    ("no_warnings", {"warnings": 0}, True),
    ("no_warnings", {"errors": 0}, False),
    ("has_error", {"errors": 2}, True),
    ("has_error", {"errors": 0}, False),
    ("has_error", {"warnings": 2}, False),
    ("has_warning", {"warnings": 2}, True),
    ("has_warning", {"warnings": 0}, False),
]


@pytest.mark.parametrize(("op", "summary", "holds"), COUNTS, ids=str)
@pytest.mark.parametrize("expected", [MISSING, None])
def test_counts(op: str, summary: Any, holds: bool, expected: Any) -> None:
    """Without a name, the count in the document's summary decides, wherever the path leads."""
    for path in ("", "data", "summary"):
        document = {"data": None, "summary": summary}
        assert check(Assertion(path, op, expected), document).passed is holds


NAMED: list[tuple[str, str, Any, bool]] = [
    ("has_error", "sag", [SAG], True),
    ("has_error", "sag", [SPAN, SAG], True),
    ("has_error", "sag", [SPAN], False),
    ("has_error", "span", [SPAN], False),
    ("has_error", "sag", [], False),
    ("has_error", "sag", [None, "sag", ["sag"]], False),
    ("has_error", "sag", [{"check": "sag"}], False),
    ("has_error", "sag", [{"severity": "error", "check": ["sag"]}], False),
    ("has_error", "sa", [SAG], False),
    ("has_warning", "span", [SPAN], True),
    ("has_warning", "sag", [SAG], False),
    ("no_errors", "sag", [], True),
    ("no_errors", "sag", [SPAN], True),
    ("no_errors", "sag", [SAG], False),
    ("no_errors", "sag", [{"severity": "warning", "check": "sag"}], True),
    ("no_errors", "sag", [None], False),
    ("no_errors", "sag", ["sag"], False),
    ("no_errors", "sag", [{"check": "sag"}], False),
    ("no_errors", "sag", [{"severity": "error"}], False),
    ("no_errors", "sag", [{"severity": None, "check": "sag"}], False),
    ("no_errors", "sag", [{"severity": 1, "check": "sag"}], False),
    ("no_errors", "sag", [{"severity": "error", "check": None}], False),
    ("no_warnings", "span", [SAG], True),
    ("no_warnings", "span", [SPAN], False),
]


@pytest.mark.parametrize(("op", "name", "issues", "holds"), NAMED, ids=str)
def test_named(op: str, name: str, issues: Any, holds: bool) -> None:
    """With a name, an issue of that severity and check decides, at the path or in `issues`."""
    assert check(Assertion("found", op, name), {"found": issues}).passed is holds
    assert check(Assertion("", op, name), {"issues": issues}).passed is holds
    assert check(Assertion("", op, name), issues).passed is holds


@pytest.mark.parametrize("op", ["has_error", "no_errors", "has_warning", "no_warnings"])
@pytest.mark.parametrize(
    "document", [{}, {"issues": None}, {"issues": {}}, {"issues": "sag"}, "sag"]
)
def test_without_a_list_a_name_fails(op: str, document: Any) -> None:
    """Fault 41: where there is no list of issues, none of that name is not known to be absent."""
    found = check(Assertion("", op, "sag"), document)
    assert (found.status, found.code) == (Status.FAILED, "wrong_value")
    assert "no list of issues" in found.reason


def test_the_list_at_the_path_comes_first() -> None:
    """A list at the path is the one that is meant, whatever `issues` holds."""
    document = {"found": [], "issues": [SAG]}
    assert check(Assertion("found", "no_errors", "sag"), document).passed
    assert not check(Assertion("found", "has_error", "sag"), document).passed


def test_the_reason_names_the_issues() -> None:
    """A count that is not 0 is told with the checks of that severity."""
    document = {"summary": {"errors": 1}, "issues": [SPAN, SAG]}
    assert check(Assertion("", "no_errors"), document).reason == "summary.errors is 1: sag"
