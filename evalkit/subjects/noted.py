"""How the calls that an agent makes are noted: each when it begins, and again when it is over."""

from collections.abc import Mapping
from contextlib import suppress
from inspect import isawaitable
from sys import modules
from threading import get_ident
from time import perf_counter
from typing import Any

from evalkit.errors import StopRun
from evalkit.jsontext import loaded
from evalkit.jsonvalue import Json, NotJsonError, brief, copy_json, plain
from evalkit.model import Scenario
from evalkit.protocols import Guard, Table
from evalkit.registry import hint_for
from evalkit.subjects.output import Output
from evalkit.subjects.state import capturing
from evalkit.toolbox.documents import convert, document_of
from evalkit.toolbox.errors import ArgumentsError, UnknownToolError, error_of, outcome_of, whole
from evalkit.toolbox.offered import Offered
from evalkit.toolbox.specs import ToolSpec, argument_problems
from evalkit.trace import UNMADE, Call, CallError

MOST_CALLS = 1_000
"""After so many calls an agent is cut short, where its limits do not say."""
MOST_NAME = 200
UNDER_WAY = -1.0
"""What stands for the seconds of a call that is not over."""


class Cut(StopRun):
    """Unwinds an agent that may make no more calls; it is no `Exception`, which it may catch."""


class OverError(RuntimeError):
    """A tool was called after the run that it was handed out for."""


class Calls:
    """The calls of one agent's run: each is noted when it begins, and filled when it is over."""

    def __init__(
        self,
        scenario: Scenario,
        table: Table,
        offered: Offered,
        guard: Guard,
        output: Output,
    ) -> None:
        """Take the open tools, what is known of them, and what runs coroutines.

        Tools that only capture the state are not for the agent.
        """
        hidden = capturing(scenario)
        tools = table.tools
        self.tools = (
            {name: tools[name] for name in tools if name not in hidden} if hidden else tools
        )
        self.noted: list[Call] = []
        self.turn = 0
        self.is_cut = False
        self.closed = False
        self._waiting: list[Any] = []
        self._lost = False
        self._thread = get_ident()
        self._offered, self._guard, self._output = offered, guard, output
        limits = scenario.limits
        self.most = (limits and limits.max_calls) or MOST_CALLS

    def make(self, tool: str, given: Any) -> Any:  # noqa: ANN401
        """Call a tool for the agent, and give the JSON document of its result.

        On a loop, an async tool gives a coroutine; elsewhere it is run to its end. What the tool
        raises is raised again.
        """
        call = self._begun(tool)
        started = perf_counter()
        try:
            returned = self._called(call, given)
            if type(returned) is not dict and isawaitable(returned):
                if _on_a_loop():
                    waiting = self._awaited(call, returned, started)
                    self._waiting += (waiting, returned)
                    return waiting
                own = get_ident() == self._thread
                returned = self._guard.awaiter(returned) if own else _alone(returned)
            return self._returned(call, returned, started)
        except BaseException as raised:
            self._failed(call, outcome_of(raised), started)
            raise

    def look_at(self, call: Call, *, handed: bool) -> None:
        """Look at a call that the agent tells of: whether its tool takes it, and who made it.

        One of a tool that was `handed` to the agent, and that was not noted, was not made by it.
        """
        if call["tool"] not in self.tools:  # one of the agent's own
            return
        if handed:
            call["result"], call["error"] = None, _error("unobserved", "LookupError", UNMADE)
        try:
            _check(call["tool"], self._offered.spec(call["tool"]), call["args"])
        except ArgumentsError as error:
            call["result"], call["error"] = None, error_of(error)

    def end(self, *, lost: bool = False) -> None:
        """Close what is still under way: it was not waited for, or did not return.

        An agent that is `lost` may still be at it, on a thread that nobody waits for.
        """
        self.closed, self._lost = True, lost
        for each in self._waiting:  # what was never awaited would warn of it, in some later run
            with suppress(Exception):
                each.close()
        for call in self.noted:
            if call["seconds"] == UNDER_WAY:
                call["seconds"] = 0.0
                call["error"] = _error("timeout", "TimeoutError", f"{call['tool']} did not return")

    def _begun(self, tool: str) -> Call:
        if self.closed:
            raise Cut if self._lost else OverError(f"the run is over, and {tool} can't be called")
        tool = whole(str(tool))[:MOST_NAME]  # a model may have made it up
        if len(self.noted) >= self.most:
            self.is_cut = True
            raise Cut
        call: Call = {
            "step": None,
            "turn": self.turn,
            "tool": tool,
            "args": {},
            "result": None,
            "error": None,
            "attempts": [],
            "seconds": UNDER_WAY,
            "output": "",
        }
        self.noted.append(call)
        return call

    def _called(self, call: Call, given: Any) -> Any:  # noqa: ANN401
        """Call the handler with arguments of its own, once they are seen to fit it."""
        tool = call["tool"]
        call["args"] = args = _arguments(given)
        handler = self.tools.get(tool)
        if handler is None:
            hint = hint_for(tool, self.tools)
            raise UnknownToolError(f"there is no tool {tool!r}" + (f"; {hint}" if hint else ""))
        spec = self._offered.spec(tool)
        _check(tool, spec, args)
        own = copy_json(args)
        return handler(own) if spec.by_dict else handler(**own)

    async def _awaited(self, call: Call, awaitable: Any, started: float) -> Any:  # noqa: ANN401
        try:
            return self._returned(call, await awaitable, started)
        except BaseException as raised:
            self._failed(call, raised, started)
            raise

    def _returned(self, call: Call, returned: Any, started: float) -> Json:  # noqa: ANN401
        document = document_of(returned, self._offered.spec(call["tool"]).error_if)
        if not self.closed:
            call["result"] = document
            call["seconds"] = perf_counter() - started
            call["output"] = self._output.take()
        return copy_json(document)

    def _failed(self, call: Call, raised: BaseException, started: float) -> None:
        if not self.closed:
            call["error"] = error_of(raised)
            call["seconds"] = perf_counter() - started
            call["output"] = self._output.take()


def _arguments(given: Any) -> dict[str, Json]:  # noqa: ANN401
    """Take arguments as a mapping, or as the JSON text that a model has written."""
    if isinstance(given, str):
        try:
            given = loaded(given.encode())
        except ValueError as error:
            raise ArgumentsError(f"the arguments are no JSON: {error}") from None
    if not isinstance(given, Mapping):
        raise ArgumentsError(f"expected an object of arguments, got {brief(given)}")
    try:
        return plain(dict(given), convert)  # type: ignore[no-any-return]
    except NotJsonError as error:
        raise ArgumentsError(f"the arguments are no JSON: {error}") from None


def _check(tool: str, spec: ToolSpec, args: dict[str, Json]) -> None:
    found = argument_problems(spec, args, {})
    if found:
        told = "; ".join(each.problem + (f" ({each.hint})" if each.hint else "") for each in found)
        raise ArgumentsError(f"{tool} {told}")


def _error(kind: str, name: str, message: str) -> CallError:
    return {"kind": kind, "type": name, "message": message}


def _alone(awaitable: Any) -> Any:  # noqa: ANN401
    """Run an awaitable to its end on a loop of its own, on a thread that the agent has started."""
    import asyncio  # noqa: PLC0415

    async def awaited() -> Any:  # noqa: ANN401
        return await awaitable

    return asyncio.run(awaited())


def _on_a_loop() -> bool:
    """Say whether an event loop runs in this thread."""
    asyncio = modules.get("asyncio")
    return asyncio is not None and asyncio._get_running_loop() is not None  # noqa: SLF001
