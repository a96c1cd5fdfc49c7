"""The subject that is the tools themselves: it makes a scenario's calls and gives the trace."""

from collections.abc import Callable
from inspect import isawaitable
from math import inf
from time import perf_counter
from typing import Any

import attrs

from evalkit.jsonvalue import MISSING, Json, copy_json, plain
from evalkit.plan import BoundCall, Plan
from evalkit.protocols import Guard, Table
from evalkit.subjects.output import Output
from evalkit.subjects.retries import retried
from evalkit.subjects.saved import filled
from evalkit.toolbox import SubjectError, document_of, error_of
from evalkit.toolbox.documents import convert, is_transport, message_of
from evalkit.trace import SCHEMA, Attempt, Call, CallError, NotRun, Trace, TraceError

OBSERVED = ["schema", "subject", "observed", "calls", "not_run", "errors", "seconds"]


@attrs.define(eq=False)
class Progress:
    """How far the run of one scenario has come; another thread can go on from it."""

    plan: Plan
    table: Table | None
    started: float
    deadline: float
    next: int = 0
    calls: list[Call] = attrs.field(factory=list)
    not_run: list[NotRun] = attrs.field(factory=list)
    errors: list[TraceError] = attrs.field(factory=list)
    saved: dict[str, Json] = attrs.field(factory=dict)
    lost: dict[str, str] = attrs.field(factory=dict)


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
        return Progress(plan, None, now, inf if limit is None else now + limit)

    def proceed(self, progress: Progress) -> None:
        """Make the calls that are still to be made."""
        for bound in progress.plan.calls[progress.next :]:
            progress.next = bound.step
            if progress.deadline != inf and perf_counter() >= progress.deadline:
                self._skip(progress, bound, "scenario_timeout", None)
            else:
                self._step(progress, bound)
            progress.next = bound.step + 1

    def finish(self, progress: Progress) -> Trace:
        """Give the trace of what has happened."""
        return {
            "schema": SCHEMA,
            "subject": self.kind,
            "observed": OBSERVED,
            "response": None,
            "responses": [],
            "turns": [],
            "calls": progress.calls,
            "not_run": progress.not_run,
            "errors": progress.errors,
            "usage": None,
            "cost_usd": None,
            "seconds": perf_counter() - progress.started,
            "stop_cause": None,
            "state": {},
            "workspace": None,
            "meta": {},
        }

    def give_up(self, progress: Progress) -> None:
        """Note that the call under way did not return; with its own tools lost, the rest can't run."""
        bound = progress.plan.calls[progress.next]
        self._record(progress, bound, _known_args(progress, bound), _timed_out(bound, progress))
        progress.next += 1
        if progress.table is not None and progress.table.own:
            for rest in progress.plan.calls[progress.next :]:
                self._skip(progress, rest, "not_run", None)
            progress.next = len(progress.plan.calls)

    def _step(self, progress: Progress, bound: BoundCall) -> None:
        args = bound.args
        if bound.needs:
            for name in bound.needs:
                if name not in progress.saved:
                    self._skip(progress, bound, progress.lost.get(name, "unsaved_value"), name)
                    return
            try:
                args = _arguments(bound, progress.saved)
            except Exception as error:  # noqa: BLE001  - the author's transform, put to the subject's value
                self._skip(progress, bound, "transform_raised", None, error)
                return
        self._call(progress, bound, args)

    def _call(self, progress: Progress, bound: BoundCall, args: dict[str, Json]) -> None:
        """Make one call. Everything here is paid for every call there is."""
        handler = progress.table.tools.get(bound.call.tool)  # type: ignore[union-attr]
        if handler is None:
            self._record(progress, bound, args, _unknown(bound.call.tool))
            return
        armed = self._guard.armed
        error: CallError | None = None
        document: Json = None
        attempts: list[Attempt] = []
        started = perf_counter()
        deadline = started + bound.timeout_s
        armed.append(deadline if deadline < progress.deadline else progress.deadline)
        try:
            document = document_of(self._made(handler, bound, args, attempts), bound.error_if)
        except (Exception, SystemExit) as raised:  # noqa: BLE001  - around the subject
            error = _described(raised, handler, args)
        try:
            armed.pop()
        except IndexError:
            self._guard.late()
            document, error = None, _timed_out(bound, progress)
        self._record(progress, bound, args, error, document, attempts, started)

    def _made(
        self, handler: Callable[..., Any], bound: BoundCall, args: dict[str, Json], attempts: list[Attempt]
    ) -> Any:  # noqa: ANN401
        started = perf_counter() if bound.call.retry else 0.0
        try:
            return self._once(handler, bound, args)
        except Exception as error:
            if not bound.call.retry or not is_transport(error):
                raise
            left = bound.timeout_s - (perf_counter() - started)
            return retried(
                lambda: self._once(handler, bound, args), error, bound.call.retry, left, attempts
            )

    def _once(self, handler: Callable[..., Any], bound: BoundCall, args: dict[str, Json]) -> Any:  # noqa: ANN401
        """Call the handler with arguments of its own; an awaitable is run to its end."""
        if bound.by_dict:
            returned = handler(dict(args) if bound.flat else copy_json(args))
        else:
            returned = handler(**(args if bound.flat else copy_json(args)))
        if type(returned) is not dict and isawaitable(returned):
            return self._guard.awaiter(returned)
        return returned

    def _record(
        self,
        progress: Progress,
        bound: BoundCall,
        args: dict[str, Json],
        error: CallError | None,
        document: Json = None,
        attempts: list[Attempt] | None = None,
        started: float | None = None,
    ) -> None:
        """Note a call that was made, and keep what is to be saved of its result."""
        calls = progress.calls
        calls.append(
            {
                "step": bound.step,
                "turn": None,
                "tool": bound.call.tool,
                "args": args,
                "result": document,
                "error": error,
                "attempts": attempts or [],
                "seconds": 0.0 if started is None else perf_counter() - started,
                "output": self._output.take(),
            }
        )
        if error is not None:
            progress.errors.append({"call": len(calls) - 1, **error})
            self._lose(progress, bound, "transport" if error["kind"] == "transport" else "unsaved_value")
            return
        for name, save in bound.saves:
            value = save.path.resolve(document)
            if value is MISSING:
                progress.lost[name] = "unsaved_value"
            else:
                progress.saved[name] = value

    def _skip(
        self,
        progress: Progress,
        bound: BoundCall,
        cause: str,
        needs: str | None,
        raised: Exception | None = None,
    ) -> None:
        """Note a step that was not run, and that what it should have saved is lost."""
        tool = bound.call.tool
        progress.not_run.append({"step": bound.step, "tool": tool, "cause": cause, "needs": needs})
        if raised is not None:
            error = {"kind": cause, "type": type(raised).__name__, "message": message_of(raised)}
            progress.errors.append({"call": None, **error})  # type: ignore[typeddict-item]
        self._lose(progress, bound, "transport" if cause == "transport" else "unsaved_value")

    def _lose(self, progress: Progress, bound: BoundCall, cause: str) -> None:
        for name, _ in bound.saves:
            progress.saved.pop(name, None)
            progress.lost[name] = cause


def _arguments(bound: BoundCall, saved: dict[str, Json]) -> dict[str, Json]:
    """Put saved values where the arguments refer to them, each through its transform."""
    args: dict[str, Json] = filled(bound.args, saved)
    for name, source in bound.call.context_args.items():
        value = copy_json(saved[source])
        transform = bound.call.arg_transforms.get(name)
        args[name] = value if transform is None else plain(transform(value), convert)
    return args


def _known_args(progress: Progress, bound: BoundCall) -> dict[str, Json]:
    """Give the arguments of a call that hangs, as far as they can be told again."""
    try:
        return _arguments(bound, progress.saved) if bound.needs else bound.args
    except Exception:  # noqa: BLE001  - the author's transform, a second time
        return {}


def _described(raised: BaseException, handler: Callable[..., Any], args: dict[str, Json]) -> CallError:
    """Tell a tool that raised from one that never began, since the arguments do not fit it."""
    error = error_of(raised)
    if type(raised) is TypeError and _refused_at_the_door(raised):
        error["kind"] = "invalid_arguments"
    if isinstance(raised, SubjectError):
        error["type"] = "ToolError"
    return error


def _refused_at_the_door(raised: TypeError) -> bool:
    """Say whether a TypeError came from the call itself: no frame of the handler is in its traceback."""
    trace = raised.__traceback__
    while trace is not None and trace.tb_frame.f_globals.get("__name__") == __name__:
        trace = trace.tb_next
    return trace is None


def _unknown(tool: str) -> CallError:
    return {"kind": "unknown_tool", "type": "LookupError", "message": f"no tool {tool!r} in the open table"}


def _timed_out(bound: BoundCall, progress: Progress) -> CallError:
    limit = bound.timeout_s
    if progress.plan.scenario.timeout_s is not None and perf_counter() >= progress.deadline:
        whole = progress.plan.scenario.timeout_s
        message = f"{bound.call.tool} did not return before the scenario's {whole:g} s were over"
    else:
        message = f"{bound.call.tool} did not return within {limit:g} s"
    return {"kind": "timeout", "type": "TimeoutError", "message": message}


