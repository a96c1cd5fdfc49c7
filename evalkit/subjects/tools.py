"""The subject that is the tools themselves: it makes a scenario's calls and gives the trace."""

from functools import partial
from inspect import isawaitable
from math import inf
from time import perf_counter
from typing import Any

from evalkit.jsonvalue import Json, copy_json
from evalkit.plan import BoundCall, Plan
from evalkit.protocols import Guard, Table
from evalkit.subjects.arguments import TransformError, arguments_of
from evalkit.subjects.kinds import TOOLS
from evalkit.subjects.output import Output
from evalkit.subjects.progress import (
    LOST,
    Progress,
    call_note,
    note,
    note_error,
    nothing_yet,
    skip,
    trace_of,
)
from evalkit.subjects.retries import retried
from evalkit.toolbox.documents import document_of
from evalkit.toolbox.errors import (
    UnknownToolError,
    error_of,
    is_transport,
    outcome_of,
)
from evalkit.trace import Attempt, CallError, Trace

OBSERVED = [name for name in TOOLS.observed if name != "state"]


class ToolSubject:
    """Makes the calls of a scenario, in order, on the tools of an open table."""

    kind = "tools"

    def __init__(self, guard: Guard, output: Output) -> None:
        """Take what holds calls to their deadlines, and what keeps what they print."""
        self._guard = guard
        self._output = output

    def run(self, plan: Plan, table: Table) -> Trace:
        """Run a plan from its first call to its trace."""
        progress = self.begin(plan)
        progress.table = table
        self.proceed(progress)
        return self.finish(progress)

    def begin(self, plan: Plan) -> Progress:
        """Start the clock of a scenario."""
        now = perf_counter()
        limit = plan.scenario.timeout_s
        deadline = inf if limit is None else now + limit
        return nothing_yet(plan, now, deadline)

    def proceed(self, progress: Progress) -> None:
        """Make the calls that are still to be made."""
        for bound in progress.plan.calls[progress.next :]:
            if progress.deadline != inf and perf_counter() >= progress.deadline:
                skip(progress, bound, "scenario_timeout")
            else:
                self._step(progress, bound)
            progress.next = bound.step + 1

    def finish(self, progress: Progress) -> Trace:
        """Give the trace of what has happened."""
        if progress.state is None:
            return trace_of(progress, self.kind, OBSERVED)
        trace = trace_of(progress, self.kind, [*OBSERVED, "state"])
        trace["state"] = progress.state
        return trace

    def give_up(self, progress: Progress, printed: str) -> None:
        """Note that the call under way did not return; with its own tools lost, the rest can't."""
        bound = progress.plan.calls[progress.next]
        seconds = perf_counter() - progress.called
        error = _timed_out(progress, bound)
        note(progress, bound, call_note(bound, progress.args, error, None, None, seconds, printed))
        progress.next += 1
        if progress.table is not None and progress.table.own:
            for rest in progress.plan.calls[progress.next :]:
                skip(progress, rest, "not_run")
            progress.next = len(progress.plan.calls)

    def _step(self, progress: Progress, bound: BoundCall) -> None:
        """Make one call, if what it needs was saved. What is done here is paid for every call."""
        for name in bound.needs:
            if name not in progress.saved:
                skip(progress, bound, progress.lost.get(name, LOST), name)
                return
        output = self._output
        attempts: list[Attempt] = []
        failure: BaseException | None = None
        document: Json = None
        progress.args = {} if bound.needs else bound.args
        progress.called = started = perf_counter()
        deadline = min(started + bound.timeout_s, progress.deadline)
        armed = self._guard.armed
        armed.append(deadline)
        output.listening = True
        args = bound.args
        try:
            if bound.needs:
                args = arguments_of(bound, progress.saved)
                if armed:
                    progress.args = args
            make = self._retrying if bound.retry else self._once
            document = document_of(make(progress, bound, args, attempts), bound.error_if)
        except BaseException as raised:  # noqa: BLE001  - around the subject
            failure = outcome_of(raised)
        finally:
            output.listening = False
        try:
            armed.pop()
        except IndexError:  # the watcher took it: too late, and perhaps another lane goes on
            self._guard.late()
            self._note_failure(progress, bound, None, attempts)
            return
        seconds = perf_counter() - started
        late = started + seconds > deadline
        if late or failure is not None:
            self._note_failure(progress, bound, None if late else failure, attempts)
            return
        call = call_note(bound, args, None, document, attempts, seconds, output.take())
        note(progress, bound, call)

    def _note_failure(
        self,
        progress: Progress,
        bound: BoundCall,
        failure: BaseException | None,
        attempts: list[Attempt],
    ) -> None:
        """Note a call that gave no result: too late, never made, or with the error it gave."""
        printed = self._output.take()
        if isinstance(failure, TransformError):
            note_error(progress, "transform_raised", failure.__cause__ or failure)
            skip(progress, bound, "transform_raised")
            return
        error = _timed_out(progress, bound) if failure is None else _described(failure)
        seconds = perf_counter() - progress.called
        note(
            progress,
            bound,
            call_note(bound, progress.args, error, None, attempts, seconds, printed),
        )

    def _once(
        self, progress: Progress, bound: BoundCall, args: dict[str, Json], _: list[Attempt]
    ) -> Any:  # noqa: ANN401
        """Call the handler with arguments of its own; an awaitable is run to its end."""
        if not self._guard.armed:
            raise LateError
        handler = progress.table.tools.get(bound.tool)  # type: ignore[union-attr]
        if handler is None:
            raise UnknownToolError(f"no tool {bound.tool!r} in the open table")
        if bound.by_dict:
            returned = handler(dict(args) if bound.flat else copy_json(args))
        else:
            returned = handler(**(args if bound.flat else copy_json(args)))
        if type(returned) is not dict and isawaitable(returned):
            return self._guard.awaiter(returned)
        return returned

    def _retrying(
        self, progress: Progress, bound: BoundCall, args: dict[str, Json], attempts: list[Attempt]
    ) -> Any:  # noqa: ANN401
        """Call the handler, and again where its transport failed, within the call's deadline."""
        started = perf_counter()
        try:
            return self._once(progress, bound, args, attempts)
        except Exception as error:
            if not is_transport(error):
                raise
            seconds = perf_counter() - started
            attempts.append({"error": error_of(error), "seconds": seconds})
            again = partial(self._once, progress, bound, args, attempts)
            return retried(again, error, bound.retry, bound.timeout_s - seconds, attempts)


class LateError(Exception):
    """The deadline of a call has passed before it was made, or made again."""


def _described(failure: BaseException) -> CallError:
    """Tell a tool that raised from one that never began, since the arguments do not fit it."""
    error = error_of(failure)
    if type(failure) is TypeError and _refused_at_the_door(failure):
        error["kind"] = "invalid_arguments"
    return error


def _refused_at_the_door(failure: TypeError) -> bool:
    """Say whether a TypeError came from the call itself: the handler has no frame in it."""
    trace = failure.__traceback__
    while trace is not None and trace.tb_frame.f_globals.get("__name__") == __name__:
        trace = trace.tb_next
    return trace is None


def _timed_out(progress: Progress, bound: BoundCall) -> CallError:
    limit = f"within {bound.timeout_s:g} s"
    whole = progress.plan.scenario.timeout_s
    if whole is not None and perf_counter() >= progress.deadline:
        limit = f"before the scenario's {whole:g} s were over"
    message = f"{bound.tool} did not return {limit}"
    return {"kind": "timeout", "type": "TimeoutError", "message": message}
