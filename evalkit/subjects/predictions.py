"""The subject that is a file of answers: what another program answered to each scenario."""

from collections.abc import Collection, Iterable, Mapping
from hashlib import sha256
from math import inf
from time import perf_counter

import attrs

from evalkit.jsontext import canonical
from evalkit.plan import Plan
from evalkit.registry import counted, listing, nearest
from evalkit.subjects.kinds import PREDICTIONS
from evalkit.subjects.progress import note_error, nothing_yet, trace_of
from evalkit.trace import Trace

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

    def unpaired(self, asked: Iterable[str], everyone: Collection[str]) -> list[str]:
        """Name the scenarios that are asked and have no answer, and the answers to nobody."""
        left = [name for name in asked if name not in self.answers]
        over = [name for name in self.answers if name not in everyone]
        notes = []
        if left:
            notes.append(f"{counted(len(left), 'scenario')} without an answer: {listing(left)}")
        if over:
            close = nearest(over[0], everyone)
            meant = f" (nearest {close!r})" if close else ""
            told = counted(len(over), "answer")
            notes.append(f"{told} to no scenario there is: {listing(over)}{meant}")
        return notes

    def trace_of(self, plan: Plan, _epoch: int = 1, /) -> Trace:
        """Give the trace of an answer; where there is none, it says that nothing was measured."""
        name = plan.scenario.name
        progress = nothing_yet(plan, perf_counter(), inf)
        answer = self.answers.get(name)
        if answer is None and name in self.answers:
            said = LookupError(f"{self.source} says null, which is no answer")
            note_error(progress, NO_ANSWER, said)
        elif answer is None:
            said = LookupError(f"{self.source} has no answer to {name!r}")
            note_error(progress, NO_PREDICTION, said)
        trace = trace_of(progress, PREDICTIONS.name, list(PREDICTIONS.observed))
        trace["response"] = answer
        return trace
