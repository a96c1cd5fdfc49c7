"""How one assertion, or a recorded trace, is graded without running anything."""

from collections.abc import Mapping
from typing import Any

from evalkit.catalogue import AMBIENT
from evalkit.errors import CatalogueError
from evalkit.grading import Judged, put, skipped
from evalkit.grading import grade as grade_plan
from evalkit.jsonvalue import Json, NotJsonError, plain
from evalkit.model import Assertion, Scenario
from evalkit.planning import Planner
from evalkit.planning.assertions import AssertionBinder
from evalkit.planning.problems import Problems
from evalkit.registry import hint_for
from evalkit.result import Check, ScenarioResult, Status
from evalkit.trace import KEYS, Trace

GRADED = ("tools",)
_ALONE = Scenario("assertion", assertions=[Assertion("calls", "exists")])


def check(assertion: Assertion, document: Json) -> Check:
    """Put one assertion to one JSON document.

    A document that is no JSON fails (`unserialisable_result`); an assertion that can't be put, for
    its path, operator or operand is wrong, raises `CatalogueError`.

    >>> from evalkit import Op
    >>> check(Assertion("size.width", Op.GT, 500), {"size": {"width": 600}}).passed
    True
    """
    problems = Problems()
    bound = AssertionBinder(AMBIENT.get().operators, problems).bind(_ALONE, (), assertion)
    problems.raise_if_any()
    if bound is None:
        raise CatalogueError("assertion", "can't be put to a document")
    try:
        return put(bound, Judged(plain(document), {}), None)
    except NotJsonError as error:
        code = "unserialisable_result"
        return Check(assertion, None, Status.FAILED, code, 0.0, None, str(error), 0.0)


def grade(scenario: Scenario, trace: Trace | Mapping[str, Any]) -> ScenarioResult:
    """Grade a recorded trace with a scenario's assertions, without running anything.

    `grade(scenario, json.loads(json.dumps(trace)))` equals the result of the run that gave the
    trace. `CatalogueError` where the scenario can't be graded or the trace is none.
    """
    checked = _checked(trace)
    (plan,) = Planner(None, AMBIENT.get().operators).plan([scenario]).plans
    if plan.skip is not None and checked["subject"] == "tools":
        return skipped(plan, plan.skip)
    return grade_plan(plan, checked)


def _checked(trace: Any) -> Trace:  # noqa: ANN401
    """Refuse what is no trace, naming what is wrong with it."""
    if not isinstance(trace, Mapping):
        raise CatalogueError("trace", f"expected an object, got {type(trace).__name__}")
    absent = sorted(KEYS - trace.keys())
    if absent:
        raise CatalogueError("trace", f"has no {absent[0]!r}", hint_for(absent[0], trace))
    try:
        checked: Trace = plain(dict(trace))
    except NotJsonError as error:
        raise CatalogueError("trace", str(error)) from error
    if checked["subject"] not in GRADED:
        known = hint_for(str(checked["subject"]), GRADED)
        raise CatalogueError("trace.subject", f"can't grade {checked['subject']!r}", known)
    return checked
