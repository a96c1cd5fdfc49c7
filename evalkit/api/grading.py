"""How one assertion, or a recorded trace, is graded without running anything."""

from collections.abc import Mapping
from typing import Any

from evalkit.api.trace_shape import checked_trace
from evalkit.catalogue import AMBIENT, Catalogue
from evalkit.errors import CatalogueError
from evalkit.grading import Judged, put, regrade, skipped
from evalkit.jsonvalue import Json, NotJsonError, brief, plain
from evalkit.model import Assertion, Scenario
from evalkit.operators import Operator
from evalkit.planning import Planner
from evalkit.planning.assertions import AssertionBinder
from evalkit.planning.problems import Problems
from evalkit.protocols import Services, services_of
from evalkit.result import Check, ScenarioResult, Status
from evalkit.subjects.kinds import AGENTS, TOOLS, kind_of
from evalkit.trace import Trace

SUBJECTS = (TOOLS.name, AGENTS.name)
_ALONE = Scenario("assertion", assertions=[Assertion("calls", "exists")])


def check(
    assertion: Assertion,
    document: Json,
    *,
    catalogue: Catalogue | None = None,
    services: Services | None = None,
) -> Check:
    """Put one assertion to one JSON document; `catalogue` is whose operators it may use.

    A document that is no JSON fails (`unserialisable_result`); an assertion that can't be put, for
    its path, operator or operand is wrong, raises `CatalogueError`.

    >>> from evalkit import Op
    >>> check(Assertion("size.width", Op.GT, 500), {"size": {"width": 600}}).passed
    True
    """
    if type(assertion) is not Assertion:
        raise CatalogueError("check", f"expected an Assertion, got {brief(assertion)}")
    problems = Problems()
    binder = AssertionBinder(_operators(catalogue), problems, services_of(services))
    bound = binder.bind(_ALONE, (), assertion)
    problems.raise_if_any()
    if bound is None:
        raise CatalogueError("assertion", "can't be put to a document")
    try:
        return put(bound, Judged(plain(document), {}), None)
    except NotJsonError as error:
        code = "unserialisable_result"
        return Check(assertion, None, Status.FAILED, code, 0.0, None, str(error), 0.0)


def grade(
    scenario: Scenario,
    trace: Trace | Mapping[str, Any],
    *,
    services: Services | None = None,
) -> ScenarioResult:
    """Grade a recorded trace with a scenario's assertions, without running anything.

    Its assertions may use the operators of the catalogue that it is registered in.
    `grade(scenario, json.loads(json.dumps(trace)))` equals the result of the run that gave the
    trace. `CatalogueError` where the scenario can't be graded or the trace is none.
    """
    checked = checked_trace(trace, SUBJECTS)
    kind = kind_of(checked)
    planner = Planner(None, _operators(scenario.home), kind=kind, services=services_of(services))
    (plan,) = planner.plan([scenario]).plans
    if plan.skip is not None:
        return skipped(plan, plan.skip)
    return regrade(plan, checked)


def _operators(catalogue: Catalogue | None) -> Mapping[str, Operator]:
    return (AMBIENT.get() if catalogue is None else catalogue).operators
