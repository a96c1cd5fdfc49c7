"""The operators on issue lists: `summary.errors`, `summary.warnings`, and issues by their check.

Without `expected` they read the count in the document's summary; with a string, they look for an
issue of that severity and check in the list at the path, else in the document's `issues`. A count
that is absent, null or no number passes neither way.
"""

from evalkit.jsonvalue import MISSING, Json, brief, is_number
from evalkit.model import Assertion
from evalkit.operators.verdicts import HOLDS, fails
from evalkit.paths import compile_path, explain
from evalkit.protocols import Context, OperatorFunction
from evalkit.result import Verdict


def has_issue(severity: str) -> OperatorFunction:
    """Make the operator that wants an issue of a severity."""

    def has(actual: Json, assertion: Assertion, context: Context) -> Verdict:
        if type(assertion.expected) is str:
            return _named(actual, severity, assertion.expected, context.document)
        count, problem = _count(severity, context.document)
        if count > 0:
            return HOLDS
        return fails(problem or f"summary.{severity}s is {count}")

    return has


def no_issue(severity: str) -> OperatorFunction:
    """Make the operator that wants no issue of a severity."""

    def no(actual: Json, assertion: Assertion, context: Context) -> Verdict:
        if type(assertion.expected) is str:
            return _unnamed(actual, severity, assertion.expected, context.document)
        count, problem = _count(severity, context.document)
        if not problem and count == 0:
            return HOLDS
        return fails(problem or _reported(severity, count, context))

    return no


def _count(severity: str, document: Json) -> tuple[float, str]:
    """Read a count from the summary: the count, or what is wrong with it."""
    path = compile_path(f"summary.{severity}s")
    count = path.resolve(document)
    if count is MISSING:
        return 0, f"'{path.text}' {explain(path, document)}"
    if not is_number(count):
        return 0, f"'{path.text}' is no count: {brief(count)}"
    return count, ""


def _reported(severity: str, count: float, context: Context) -> str:
    issues = _issues(MISSING, context.document) or []
    checks = [str(issue.get("check")) for issue in issues if _is(issue, severity)]
    listed = f": {', '.join(checks)}" if checks else ""
    return f"summary.{severity}s is {count}{listed}"


def _issues(actual: Json, document: Json) -> list[Json] | None:
    found = actual if type(actual) is list else compile_path("issues").resolve(document)
    return found if type(found) is list else None


def _is(issue: Json, severity: str) -> bool:
    return type(issue) is dict and issue.get("severity") == severity


def _named(actual: Json, severity: str, check: str, document: Json) -> Verdict:
    issues = _issues(actual, document)
    if issues is None:
        return fails("there is no list of issues, neither at the path nor as 'issues'")
    checks = [issue.get("check") for issue in issues if _is(issue, severity)]
    if check in checks:
        return HOLDS
    return fails(f"no {severity} {check!r} among the {severity}s {brief(checks)}")


def _unnamed(actual: Json, severity: str, check: str, document: Json) -> Verdict:
    issues = _issues(actual, document)
    if issues is None:
        return fails("there is no list of issues, neither at the path nor as 'issues'")
    for index, issue in enumerate(issues):
        said = (issue.get("severity"), issue.get("check")) if type(issue) is dict else ()
        if len(said) == 0 or any(type(each) is not str for each in said):
            return fails(f"issue {index} has no severity and check to go by: {brief(issue)}")
        if _is(issue, severity) and issue["check"] == check:
            return fails(f"there is the {severity} {check!r}: {brief(issue)}")
    return HOLDS
