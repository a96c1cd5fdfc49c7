"""The subject that is an agent: it is put the prompt, turn by turn, and its calls are noted."""

from inspect import isawaitable
from math import inf
from time import perf_counter
from typing import Any

from evalkit.fingerprints import handed_digest
from evalkit.plan import Plan
from evalkit.protocols import Guard, Table
from evalkit.subjects.agent import Agent, manner_of
from evalkit.subjects.attachments import attached
from evalkit.subjects.conversation import conversation_of, pieces_of, response_of
from evalkit.subjects.handed import Context
from evalkit.subjects.kinds import AGENTS
from evalkit.subjects.noted import Calls, Cut
from evalkit.subjects.output import Output
from evalkit.subjects.progress import Progress, note_error, nothing_yet, trace_of
from evalkit.subjects.replies import COMPLETED, Told, read_reply
from evalkit.subjects.talk import Talk, take
from evalkit.toolbox.errors import is_transport, outcome_of
from evalkit.toolbox.offered import Offered
from evalkit.trace import Trace

OPENING_S = 60.0
ALWAYS_SEEN = (
    *("schema", "subject", "observed", "response", "responses", "turns", "seconds"),
    *("stop_cause", "meta"),
)
FAILED_KINDS = frozenset(
    {"raised", "timeout", "invalid_arguments", "unknown_tool", "transport", "unserialisable"}
    | {"error_if"}
)


class AgentSubject:
    """Puts the prompts of scenarios to one agent, whose tools are those of an open table."""

    def __init__(self, guard: Guard, output: Output) -> None:
        """Take what holds turns to their deadlines, and what keeps what is printed."""
        self._guard = guard
        self._output = output

    def begin(self, plan: Plan, epoch: int) -> Progress:
        """Start the clock of a scenario."""
        now = perf_counter()
        limit = plan.scenario.timeout_s
        progress = nothing_yet(plan, now, inf if limit is None else now + limit)
        pieces = pieces_of(conversation_of(plan.scenario))
        progress.talk = Talk(pieces, epoch, limits=plan.scenario.limits)
        return progress

    def proceed(self, progress: Progress, agent: Agent, offered: Offered) -> None:
        """Put the turns to the agent, until one stops it."""
        talk: Talk = progress.talk
        try:
            if not self._opened(progress, agent, offered):
                return
            for number, piece in enumerate(talk.pieces):
                progress.next = number
                talk.conversation += piece
                self._turn(progress, number)
                if talk.stop_cause != COMPLETED:
                    return
        finally:
            self._close(progress)

    def finish(self, progress: Progress) -> Trace:
        """Give the trace of what has happened."""
        talk: Talk = progress.talk
        calls = [] if talk.calls is None else talk.calls.noted
        progress.calls = calls
        for index, call in enumerate(calls):
            if call["error"] is not None and call["error"]["kind"] != "unobserved":
                progress.errors.append({"call": index, **call["error"]})
        trace = trace_of(progress, AGENTS.name, self._observed(progress))
        trace["response"] = response_of(talk.responses, len(talk.pieces))
        trace["responses"], trace["turns"] = talk.responses, talk.conversation
        trace["usage"], trace["cost_usd"] = talk.usage or None, talk.cost_usd
        trace["stop_cause"], trace["state"] = talk.stop_cause, progress.state or {}
        last = calls[-1]["error"] if calls else None
        failed = last is not None and last["kind"] in FAILED_KINDS
        known = talk.seen and (last is None or last["kind"] != "unobserved")
        counted: dict[str, Any] = {"ended_on_failed_call": failed} if known else {}
        if talk.seen or talk.counted:
            counted |= {"turns": talk.turns, "turns_told": talk.counted}
        printed = self._output.take()
        handed = handed_digest(progress.plan.scenario)
        counted |= {} if handed is None else {"handed": handed}
        trace["meta"] = {**talk.meta, **counted, **({"output": printed} if printed else {})}
        return trace

    def give_up(self, progress: Progress, printed: str) -> None:
        """Note that the turn under way did not come to an end."""
        self._output.keep(printed)
        self._stop(progress, "timeout", self._late(progress))
        self._end_calls(progress, lost=True)

    def _observed(self, progress: Progress) -> list[str]:
        talk: Talk = progress.talk
        seen = {
            "calls": talk.seen,
            "errors": talk.seen,
            "usage": bool(talk.usage),
            "cost_usd": talk.cost_usd is not None and bool(talk.responses),
            "state": progress.state is not None,
        }
        return [*ALWAYS_SEEN, *(name for name, is_seen in seen.items() if is_seen)]

    def _opened(self, progress: Progress, agent: Agent, offered: Offered) -> bool:
        """Make the agent, where it is made afresh; False where that failed."""
        talk: Talk = progress.talk
        table: Table = progress.table  # type: ignore[assignment]
        scenario = progress.plan.scenario
        talk.calls = calls = Calls(scenario, table, offered, self._guard, self._output)
        self._output.listening = True
        progress.phase = "the agent was made"
        try:
            attached(scenario)
            if agent.makes:
                talk.answer = self._guard.in_time(OPENING_S, lambda: _entered(agent, talk))
            else:
                talk.answer = agent.given
            talk.manner = agent.manner or manner_of(talk.answer)
        except BaseException as raised:  # noqa: BLE001  - around the author's factory
            talk.stop_cause = "unreachable"
            said = "the agent could not be made"
            note_error(progress, "agent_unreachable", outcome_of(raised), said)
            return False
        finally:
            self._output.listening = False
            progress.phase = ""
        talk.context = Context(scenario, calls, table, offered, talk.epoch)
        return True

    def _turn(self, progress: Progress, number: int) -> None:
        """Put one turn to the agent, in time, and take what it told."""
        talk: Talk = progress.talk
        answer, context, calls = talk.answer, talk.context, talk.calls
        calls.turn = number  # type: ignore[union-attr]
        progress.called = started = perf_counter()
        deadline = min(started + progress.plan.timeout_s, progress.deadline)
        context.begin(number + 1, deadline)  # type: ignore[union-attr]
        conversation = [dict(message) for message in talk.conversation]
        given = (conversation, context) if talk.manner.wants_context else (conversation,)
        told: Told | None = None
        failure: BaseException | None = None
        self._guard.armed.append(deadline)
        self._output.listening = True
        try:
            returned = answer(*given)  # type: ignore[misc]
            if type(returned) is not str and isawaitable(returned):
                returned = self._guard.awaiter(returned)
            told = read_reply(returned)
        except Cut as cut:
            failure = cut
        except BaseException as raised:  # noqa: BLE001  - around the subject
            failure = outcome_of(raised)
        finally:
            self._output.listening = False
        if not self._in_time(deadline):
            self._stop(progress, "timeout", self._late(progress))
        elif told is None or calls.is_cut:  # type: ignore[union-attr]
            self._failed(progress, Cut() if failure is None or calls.is_cut else failure)  # type: ignore[union-attr]
        else:
            take(talk, told, number)

    def _in_time(self, deadline: float) -> bool:
        """Say whether a turn came to its end before its deadline; the watcher may have taken it."""
        try:
            self._guard.armed.pop()
        except IndexError:
            self._guard.late()
            return False
        return perf_counter() <= deadline

    def _failed(self, progress: Progress, failure: BaseException) -> None:
        """Note why a turn gave no answer."""
        talk: Talk = progress.talk
        talk.seen, talk.counted = talk.seen and talk.manner.shows_calls, False
        talk.usage = talk.cost_usd = None  # nobody knows what such a turn took
        if isinstance(failure, Cut):
            progress.talk.stop_cause = "max_calls"
            progress.talk.turns = len(progress.talk.calls.noted)
        elif is_transport(failure):
            note_error(progress, "agent_unreachable", failure)
            progress.talk.stop_cause = "unreachable"
        else:
            self._stop(progress, "raised", failure)

    def _stop(self, progress: Progress, cause: str, raised: BaseException) -> None:
        talk: Talk = progress.talk
        note_error(progress, f"agent_{cause}", raised)
        talk.stop_cause = cause
        talk.seen, talk.counted = talk.seen and talk.manner.shows_calls, False
        talk.usage = talk.cost_usd = None
        made = talk.calls.noted if talk.calls is not None else []
        talk.turns += sum(call["turn"] == progress.next for call in made) + 1

    def _close(self, progress: Progress) -> None:
        """Let go of the agent, and close the calls that are still under way."""
        talk: Talk = progress.talk
        self._end_calls(progress)
        manager, talk.manager = talk.manager, None
        if manager is None:
            return
        self._output.listening = True
        progress.phase = "the agent was closed"
        try:
            self._guard.in_time(OPENING_S, lambda: manager.__exit__(None, None, None))
        except BaseException as raised:  # noqa: BLE001  - around the author's factory
            said = "the agent could not be closed"
            note_error(progress, "agent_unreachable", outcome_of(raised), said)
        finally:
            self._output.listening = False
            progress.phase = ""

    def _end_calls(self, progress: Progress, *, lost: bool = False) -> None:
        if progress.talk.calls is not None:
            progress.talk.calls.end(lost=lost)

    def _late(self, progress: Progress) -> TimeoutError:
        """Say that a turn was not answered in time, and in which call that was."""
        whole = progress.plan.scenario.timeout_s
        limit = f"within {progress.plan.timeout_s:g} s"
        if whole is not None and perf_counter() >= progress.deadline:
            limit = f"before the scenario's {whole:g} s were over"
        calls = progress.talk.calls
        under_way = [] if calls is None else [c["tool"] for c in calls.noted if c["seconds"] < 0]
        inside = f"; it was in {under_way[-1]}" if under_way else ""
        return TimeoutError(f"turn {progress.next + 1} was not answered {limit}{inside}")


def _entered(agent: Agent, talk: Talk) -> Any:  # noqa: ANN401
    """Make an agent afresh, and note how it is let go of."""
    manager = agent.open()
    talk.manager = manager
    return manager.__enter__()
