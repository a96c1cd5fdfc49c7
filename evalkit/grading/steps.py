"""How a trace is gone through: each step by the call that was made for it, then the whole."""

from importlib import import_module
from typing import Any

from evalkit.grading.made import index_of, is_of
from evalkit.grading.putting import Judged, put, put_sent, unfit
from evalkit.grading.reasons import (
    BY_CALLS,
    BY_CAUSE,
    STOPPED,
    UNSEEN,
    unavailable,
    why_failed,
    why_not_run,
    why_stopped,
)
from evalkit.jsonvalue import MISSING, Json, brief
from evalkit.plan import RETURNED, BoundAssertion, BoundCall, Plan
from evalkit.result import CODES, Check
from evalkit.trace import UNMADE, Call, NotRun, Trace

REPLAYED = "the replayed state "
"""What a saved value is called that a replay of the scenario's own calls has left."""
EXPECTABLE = frozenset({"raised", "invalid_arguments"})


class Grading:
    """One trace being graded: the checks so far, and the values saved so far."""

    def __init__(self, plan: Plan, trace: Trace, *, lenient: bool = False) -> None:
        self.checks: list[Check] = []
        self.beside: list[Check] = []
        self.pairing: list[int | None] = []
        self._trace = trace
        self._saved: dict[str, Json] = {}
        self._unavailable = unavailable(trace) if trace["errors"] else None
        self._calls = trace["calls"]
        self._observable = plan.observable
        self._wanting = [bound for bound in plan.calls if bound.wanted_error is not None]
        self._made = plan.pairing == "step"
        if not self._made:
            self._pairing = import_module("evalkit.grading.pairing")  # no direct run needs it
            self._pairs = self._pairing.paired(plan, self._calls, lenient=lenient)
            if "replayed_state" in trace["meta"]:
                self._take_replayed(plan, trace["meta"])

    def _take_replayed(self, plan: Plan, meta: dict[str, Any]) -> None:
        """Take the state that a replay has left, if it was of the scenario's calls as they are."""
        fingerprints = import_module("evalkit.fingerprints")
        if meta.get("replayed_calls") == fingerprints.script_digest(plan.scenario):
            for name, value in meta["replayed_state"].items():
                self._saved[f"{REPLAYED}{name}"] = value

    def step(self, bound: BoundCall) -> None:
        """Grade one step: the call that was made for it, or that none was."""
        if not self._made:
            self._asked(bound)
            return
        index = index_of(self._calls, bound.step)
        self.pairing.append(index)
        if index is None:
            self._fail_all(bound, *self._why_not_run(bound))
            return
        call = self._calls[index]
        if not is_of(call, bound):
            reason = f"the trace holds another call for this step: {call['tool']}({call['args']})"
            self._fail_all(bound, "not_run", brief(reason, 200).strip("'\""))
            return
        self._came(bound, call)

    def _asked(self, bound: BoundCall) -> None:
        """Grade a step that is an agent's to make: what it sent, and what came of it."""
        index = self._pairs[bound.step]
        self.pairing.append(index)
        if self._unavailable is not None:
            self._fail_asked(bound, self._unavailable["kind"], self._unavailable["message"])
        elif "calls" not in self._trace["observed"]:
            reason = "the agent does not show all of its calls: see Reply(calls=) and the context"
            self._fail_asked(bound, "calls_unobserved", reason)
        elif index is None:
            self._fail_asked(
                bound, "missing_call", self._pairing.missing_reason(bound, self._calls, self._pairs)
            )
        else:
            call = self._calls[index]
            judged = Judged(call["args"], self._saved)
            fewer = bound.call.args_match == "superset"
            for check in bound.arg_checks:
                self.checks.append(put_sent(check, judged, bound.step, may_lack=fewer))
            self._came(bound, call)

    def _fail_asked(self, bound: BoundCall, code: str, reason: str) -> None:
        self.checks.extend(unfit(check, bound.step, code, reason) for check in bound.arg_checks)
        self._fail_all(bound, code, reason)

    def _came(self, bound: BoundCall, call: Call) -> None:
        """Grade what came of a call: its result, or its error where that is wanted."""
        if bound.wanted_error is not None:
            self._expecting(bound, bound.wanted_error, call)
        elif call["error"] is not None:
            self._fail_all(bound, *why_failed(call))
        else:
            self._returned(bound, call["result"])

    def _returned(self, bound: BoundCall, document: Json) -> None:
        """Put the assertions of a call to its result, and keep what it saves. The hot path."""
        judged = Judged(document, self._saved)
        append = self.checks.append
        step = bound.step
        for check in bound.checks:
            append(put(check, judged, step))
        for name, save in bound.saves:
            saved = put(save, judged, step)
            append(saved)
            if saved.code is None:
                self._saved[name] = saved.actual
            else:
                saved.code = "unsaved_value"
                self._saved.pop(name, None)

    def _expecting(self, bound: BoundCall, wanted_error: BoundAssertion, call: Call) -> None:
        """Grade a call whose error is what is wanted: the error is the document."""
        error = call["error"]
        if error is None:
            reason = (
                f"an error was expected, and {bound.call.tool} returned {brief(call['result'])}"
            )
            self._fail_all(bound, "no_error", reason)
        elif error["kind"] not in EXPECTABLE or not self._is_own(bound, call):
            self._fail_all(bound, *why_failed(call))
        else:
            document = {"error": {"type": error["type"], "message": error["message"]}}
            judged = Judged(document, self._saved)
            wanted = put(wanted_error, judged, bound.step)
            if wanted.code == "wrong_value":
                wanted.code = "wrong_error"
            self.checks.append(wanted)
            self.checks.extend(put(check, judged, bound.step) for check in bound.checks)

    def on_trace(self, bound: BoundAssertion) -> None:
        """Put an assertion to the whole trace; a part that can't be observed is skipped."""
        head = bound.path.head
        observed = head in self._trace["observed"]
        if not observed and head not in self._observable:
            reason = f"the subject {self._trace['subject']!r} does not observe {head!r}"
            check = unfit(bound, None, "not_observed", reason)
        elif bound.of_agents and self._made:
            reason = "the calls of a direct run are the scenario's own"
            check = unfit(bound, None, "not_observed", reason)
        elif self._unavailable is not None:
            error = self._unavailable
            check = unfit(bound, None, error["kind"], error["message"])
        elif not observed or self._is_untold(bound):
            check = self._unseen(bound, str(head))
        elif head == "response" and self._trace["response"] is None:
            code, reason = why_stopped(self._trace)
            check = unfit(bound, None, "no_answer", f"no answer: {reason or code}")
        else:
            check = self._seen(bound)
        self.checks.append(check)
        if bound.beside:
            self.beside.append(check)

    def is_asked(self) -> bool:
        """Say whether a check has passed that the author asked for, and that could have failed."""
        return any(
            check.code is None and check.assertion.severity == "fail"
            for check in self.checks
            if not any(check is each for each in self.beside)
        )

    def _is_untold(self, bound: BoundAssertion) -> bool:
        """Say whether an assertion is on what hangs on something that an agent does not tell."""
        if any(name.startswith(REPLAYED) and name not in self._saved for name in bound.needs):
            return True
        if bound.path.head == "usage" and not self._made:
            return bound.path.resolve(self._trace) is MISSING
        if bound.assertion.path in BY_CALLS and "calls" not in self._trace["observed"]:
            return bound.path.resolve(self._trace) is MISSING
        return False

    def _seen(self, bound: BoundAssertion) -> Check:
        document = self._without_wanted() if bound.incidental else self._trace
        check = put(bound, Judged(document, self._saved), None)
        told = self._trace["meta"].get("turns_told", True)
        if bound.assertion.path == "meta.turns" and check.code is not None and not told:
            reason = f"{check.reason}, if every call took one; Reply(turns=) tells how many it took"
            return unfit(bound, None, "usage_unknown", reason)
        if check.code == STOPPED:
            check.code, reason = why_stopped(self._trace)
            check.reason = reason or check.reason
        return check

    def _is_own(self, bound: BoundCall, call: Call) -> bool:
        """Say whether a refusal of arguments is that of the step's own, and not of others."""
        error = call["error"]
        refused = error is not None and error["kind"] == "invalid_arguments"
        return not refused or self._made or is_of(call, bound)

    def _without_wanted(self) -> Any:  # noqa: ANN401
        """Give the trace without the calls whose errors are wanted: no lack of hygiene."""
        pairs = [(bound, self.pairing[bound.step]) for bound in self._wanting]
        wanted = {
            at for bound, at in pairs if at is not None and self._is_own(bound, self._calls[at])
        }
        if not wanted:
            return self._trace
        calls = [call for index, call in enumerate(self._calls) if index not in wanted]
        return {**self._trace, "calls": calls}

    def _unseen(self, bound: BoundAssertion, head: str) -> Check:
        """Give the check of what the subject could have shown: it was not measured."""
        code = "calls_unobserved" if head == "meta" else UNSEEN.get(head, "untold")
        errors = [error["message"] for error in self._trace["errors"] if error["kind"] == code]
        reason = errors[0] if errors else f"the agent does not tell {bound.assertion.path!r}"
        code = "not_observed" if bound.incidental else code
        return unfit(bound, None, code, reason)

    def _why_not_run(self, bound: BoundCall) -> tuple[str, str]:
        if self._unavailable is not None:
            return self._unavailable["kind"], self._unavailable["message"]
        entry: NotRun | None = next(
            (entry for entry in self._trace["not_run"] if entry["step"] == bound.step), None
        )
        if entry is None:
            return "not_run", "the trace says nothing of this step"
        return BY_CAUSE.get(entry["cause"], entry["cause"]), why_not_run(entry, self._trace)

    def _fail_all(self, bound: BoundCall, code: str, reason: str) -> None:
        """Give every check of a step that code: the number of checks never shrinks."""
        step = bound.step
        wanted = () if bound.wanted_error is None else (bound.wanted_error,)
        for check in (*wanted, *bound.checks):
            untold = (
                code == "result_unobserved" and check.assertion is RETURNED and reason != UNMADE
            )
            self.checks.append(unfit(check, step, "not_observed" if untold else code, reason))
        instrument = CODES[code].family == "instrument"
        for name, save in bound.saves:
            self._saved.pop(name, None)
            self.checks.append(unfit(save, step, code if instrument else "unsaved_value", reason))
