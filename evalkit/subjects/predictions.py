"""The subject that is a file of answers: what another program answered to each scenario."""

from collections.abc import Container, Iterable, Mapping
from hashlib import sha256

import attrs

from evalkit.jsontext import canonical
from evalkit.plan import Plan
from evalkit.registry import counted, listing
from evalkit.subjects.kinds import PREDICTIONS
from evalkit.trace import SCHEMA, Trace

NO_PREDICTION, NO_ANSWER = "no_prediction", "no_answer"


@attrs.frozen(eq=False, repr=False)
class Predictions:
    """Answers by the name of their scenario; None is an answer that says nothing.

    `source` names the file for messages.
    """

    answers: Mapping[str, str | None]
    source: str

    def digest_of(self, name: str) -> str:
        """Give the digest of an answer, by which an edited one is seen in a run log."""
        answer = canonical([self.answers.get(name), name in self.answers])
        return sha256(answer).hexdigest()[:16]

    def unpaired(self, asked: Iterable[str], everyone: Container[str]) -> list[str]:
        """Name the scenarios that are asked and have no answer, and the answers to nobody."""
        left = [name for name in asked if name not in self.answers]
        over = [name for name in self.answers if name not in everyone]
        notes = []
        if left:
            notes.append(f"{counted(len(left), 'scenario')} without an answer: {listing(left)}")
        if over:
            told = counted(len(over), "answer")
            notes.append(f"{told} to no scenario there is: {listing(over)}")
        return notes

    def trace_of(self, plan: Plan) -> Trace:
        """Give the trace of an answer; where there is none, it says that nothing was measured."""
        name = plan.scenario.name
        trace: Trace = {
            "schema": SCHEMA,
            "subject": PREDICTIONS.name,
            "observed": list(PREDICTIONS.observed),
            "response": self.answers.get(name),
            "responses": [],
            "turns": [],
            "calls": [],
            "not_run": [],
            "errors": [],
            "usage": None,
            "cost_usd": None,
            "seconds": 0.0,
            "stop_cause": None,
            "state": {},
            "workspace": None,
            "meta": {},
        }
        if trace["response"] is None:
            missing = name not in self.answers
            message = f"{self.source} has no answer to {name!r}"
            message = message if missing else f"{self.source} says null, which is no answer"
            kind = NO_PREDICTION if missing else NO_ANSWER
            error = {"call": None, "kind": kind, "type": "LookupError", "message": message}
            trace["errors"].append(error)  # type: ignore[arg-type]
        return trace
