"""How one assertion is put to one document, and what check that makes."""

from time import perf_counter

import attrs

from evalkit.jsonvalue import MISSING, Json
from evalkit.model import Assertion, filled
from evalkit.paths import explain
from evalkit.plan import BoundAssertion
from evalkit.registry import listing
from evalkit.result import CODES, ERROR, FAILED, PASSED, SKIPPED, Check
from evalkit.subjects.arguments import TransformError, transformed
from evalkit.toolbox.errors import message_of, outcome_of


@attrs.define(eq=False, repr=False)
class Judged:
    """What an operator may look at: the document, and the values saved up to this step."""

    document: Json
    saved: dict[str, Json]


def put(bound: BoundAssertion, judged: Judged, step: int | None) -> Check:
    """Put one assertion to one document. The hot path: what is done here is done for each check."""
    started = perf_counter()
    assertion = bound.assertion
    if bound.needs:
        assertion, code, flaw = _with_saved(bound, judged.saved)
        if code is not None:
            return unfit(bound, step, code, flaw)
    actual = bound.path.resolve(judged.document)
    if actual is MISSING:
        reason = str(explain(bound.path, judged.document))
        seconds = perf_counter() - started
        return Check(assertion, step, FAILED, "unresolved_path", 0.0, None, reason, seconds)
    try:
        verdict = bound.function(actual, assertion, judged)
    except BaseException as error:  # noqa: BLE001  - an operator may be the author's
        outcome_of(error)
        reason = f"{type(error).__name__}: {message_of(error)}"
        seconds = perf_counter() - started
        return Check(assertion, step, ERROR, "operator_raised", 0.0, actual, reason, seconds)
    seconds, score = perf_counter() - started, verdict.score
    if verdict.passed:
        return Check(assertion, step, PASSED, None, score, actual, "", seconds)
    return Check(assertion, step, FAILED, bound.code, score, actual, verdict.reason, seconds)


def put_sent(bound: BoundAssertion, judged: Judged, step: int, *, may_lack: bool) -> Check:
    """Put an assertion to what an agent sent; what it did not send is a wrong argument, too."""
    check = put(bound, judged, step)
    if check.code == "unresolved_path":
        check.code = "wrong_argument"
        sent = listing(judged.document)
        check.reason = f"{bound.assertion.path} was not sent; sent: {sent or 'nothing'}"
        if may_lack and bound.needs:
            return unfit(bound, step, "not_observed", check.reason)
    return check


def _with_saved(bound: BoundAssertion, saved: dict[str, Json]) -> tuple[Assertion, str | None, str]:
    """Put saved values where the assertion expects them; else say why not: a code, and in words."""
    for name in bound.needs:
        if name not in saved:
            return bound.assertion, "unsaved_value", f"the saved value {name!r} is not there"
    expected = filled(bound.assertion.expected, saved)
    if bound.transform is not None:
        try:
            expected = transformed(bound.transform, expected)
        except TransformError as error:
            cause = error.__cause__ or error
            told = f"the transform raised {type(cause).__name__}: {message_of(cause)}"
            return bound.assertion, "transform_raised", told
    assertion = bound.assertion.but(expected=expected)
    flaw = bound.rule(assertion)
    if flaw is None or flaw.warning:
        return assertion, None, ""
    return assertion, "unsaved_value", f"the saved value can't be expected: {flaw.problem}"


def unfit(bound: BoundAssertion, step: int | None, code: str, reason: str) -> Check:
    """Give the check of an assertion that could not be put to a document."""
    status = ERROR if CODES[code].family == "instrument" else FAILED
    if code == "not_observed":
        status = SKIPPED
    return Check(bound.assertion, step, status, code, 0.0, None, reason, 0.0)
