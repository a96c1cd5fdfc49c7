"""The subject that is the tools themselves: it makes a scenario's calls and gives the trace."""

from collections.abc import Callable
from inspect import isawaitable
from math import inf
from time import perf_counter
from typing import Any

from evalkit.jsonvalue import Json, copy_json
from evalkit.plan import BoundCall, Plan
from evalkit.protocols import Guard, Table
from evalkit.subjects.arguments import arguments_of
from evalkit.subjects.output import Output
from evalkit.subjects.progress import LOST, Progress, call_note, note, note_error, skip, trace_of
from evalkit.subjects.retries import retried
from evalkit.toolbox import SubjectError, document_of, error_of
from evalkit.toolbox.documents import is_transport
from evalkit.trace import Attempt, CallError, Trace

OBSERVED = ["schema", "subject", "observed", "calls", "not_run", "errors", "seconds"]

Handler = Callable[..., Any]


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
        return Progress(plan, None, now, deadline, 0, [], [], [], {}, {})

    def proceed(self, progress: Progress) -> None:
        """Make the calls that are still to be made."""
        for bound in progress.plan.calls[progress.next :]:
            self._step(progress, bound)
            progress.next = bound.step + 1

    def finish(self, progress: Progress) -> Trace:
        """Give the trace of what has happened."""
        return trace_of(progress, self.kind, OBSERVED)

    def give_up(self, progress: Progress) -> None:
        """Note that the call under way did not return; with its own tools lost, the rest can't."""
        bound = progress.plan.calls[progress.next]
        try:
            args = arguments_of(bound, progress.saved)
        except Exception:  # noqa: BLE001  - the author's transform, a second time
            args = {}
        note(progress, bound, call_note(bound, args, _timed_out(progress, bound)))
        progress.next += 1
        if progress.table is not None and progress.table.own:
            for rest in progress.plan.calls[progress.next :]:
                skip(progress, rest, "not_run")
            progress.next = len(progress.plan.calls)

    def _step(self, progress: Progress, bound: BoundCall) -> None:
        """Make the arguments of a call, and the call; without a value that it needs, neither."""
        if progress.deadline != inf and perf_counter() >= progress.deadline:
            skip(progress, bound, "scenario_timeout")
            return
        args = bound.args
        if bound.needs:
            for name in bound.needs:
                if name not in progress.saved:
                    skip(progress, bound, progress.lost.get(name, LOST), name)
                    return
            try:
                args = arguments_of(bound, progress.saved)
            except Exception as error:  # noqa: BLE001  - the author's transform of a subject's value
                note_error(progress, "transform_raised", error)
                skip(progress, bound, "transform_raised")
                return
        self._call(progress, bound, args)

    def _call(self, progress: Progress, bound: BoundCall, args: dict[str, Json]) -> None:
        """Make one call. What is done here is paid for every call there is."""
        handler = progress.table.tools.get(bound.tool)  # type: ignore[union-attr]
        if handler is None:
            note(progress, bound, call_note(bound, args, _unknown(bound)))
            return
        armed = self._guard.armed
        error: CallError | None = None
        document: Json = None
        attempts: list[Attempt] = []
        started = perf_counter()
        deadline = started + bound.timeout_s
        armed.append(deadline if deadline < progress.deadline else progress.deadline)  # noqa: FURB136
        try:
            make = self._retrying if bound.retry else self._once
            document = document_of(make(handler, bound, args, attempts), bound.error_if)
        except (Exception, SystemExit) as raised:  # noqa: BLE001  - around the subject
            error = _described(raised)
        try:
            armed.pop()
        except IndexError:
            self._guard.late()
            document, error = None, _timed_out(progress, bound)
        seconds = perf_counter() - started
        output = self._output.take()
        note(progress, bound, call_note(bound, args, error, document, attempts, seconds, output))

    def _once(
        self, handler: Handler, bound: BoundCall, args: dict[str, Json], _: list[Attempt]
    ) -> Any:  # noqa: ANN401
        """Call the handler with arguments of its own; an awaitable is run to its end."""
        if bound.by_dict:
            returned = handler(dict(args) if bound.flat else copy_json(args))
        else:
            returned = handler(**(args if bound.flat else copy_json(args)))
        if type(returned) is not dict and isawaitable(returned):
            return self._guard.awaiter(returned)
        return returned

    def _retrying(
        self, handler: Handler, bound: BoundCall, args: dict[str, Json], attempts: list[Attempt]
    ) -> Any:  # noqa: ANN401
        """Call the handler, and again where its transport failed, within the call's deadline."""
        started = perf_counter()
        try:
            return self._once(handler, bound, args, attempts)
        except Exception as error:
            if not is_transport(error):
                raise
            left = bound.timeout_s - (perf_counter() - started)
            again = lambda: self._once(handler, bound, args, attempts)  # noqa: E731
            return retried(again, error, bound.retry, left, attempts)


def _described(raised: BaseException) -> CallError:
    """Tell a tool that raised from one that never began, since the arguments do not fit it."""
    error = error_of(raised)
    if type(raised) is TypeError and _refused_at_the_door(raised):
        error["kind"] = "invalid_arguments"
    if isinstance(raised, SubjectError):
        error["type"] = "ToolError"
    return error


def _refused_at_the_door(raised: TypeError) -> bool:
    """Say whether a TypeError came from the call itself: the handler has no frame in it."""
    trace = raised.__traceback__
    while trace is not None and trace.tb_frame.f_globals.get("__name__") == __name__:
        trace = trace.tb_next
    return trace is None


def _unknown(bound: BoundCall) -> CallError:
    message = f"no tool {bound.tool!r} in the open table"
    return {"kind": "unknown_tool", "type": "LookupError", "message": message}


def _timed_out(progress: Progress, bound: BoundCall) -> CallError:
    limit = f"within {bound.timeout_s:g} s"
    whole = progress.plan.scenario.timeout_s
    if whole is not None and perf_counter() >= progress.deadline:
        limit = f"before the scenario's {whole:g} s were over"
    message = f"{bound.tool} did not return {limit}"
    return {"kind": "timeout", "type": "TimeoutError", "message": message}
