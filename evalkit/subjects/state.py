"""How the state that a scenario leaves behind is captured, as one JSON object."""

from inspect import isawaitable
from typing import Any

from evalkit.jsonvalue import Json, brief, copy_json
from evalkit.model import Scenario, State, ToolCall
from evalkit.protocols import Guard, Table
from evalkit.registry import hint_for
from evalkit.toolbox.documents import document_of
from evalkit.toolbox.specs import spec_of


def capturing(scenario: Scenario) -> frozenset[str]:
    """Name the tools that do nothing but capture the state: they take no arguments.

    One that is given arguments is one of the tools like others.
    """
    capture = None if scenario.state is None else scenario.state.capture
    if not isinstance(capture, str | dict):
        return frozenset()
    calls = () if isinstance(capture, str) else capture.values()
    named = {capture} if isinstance(capture, str) else {c.tool for c in calls if not c.args}
    return frozenset(named - {call.tool for call in scenario.tool_calls})


class CaptureError(Exception):
    """The state could not be captured, so that nobody knows what it is."""


def captured_state(state: State, table: Table, guard: Guard) -> dict[str, Json]:
    """Capture the state, by the names that a scenario has for it; whatever it raises is why not."""
    capture = state.capture
    if capture is None:
        raise CaptureError("nothing says how: give State a capture")
    if isinstance(capture, dict):
        return {name: _of_call(call, table, guard) for name, call in capture.items()}
    if isinstance(capture, str):
        found = _of_call(ToolCall(capture), table, guard)
    else:
        found = _document(capture(table.env), guard)
    if type(found) is not dict:
        raise CaptureError(f"expected a mapping of name to value, got {brief(found)}")
    for name in (*state.expected, *state.replayed):
        if name not in found:
            hint = hint_for(name, found)
            raise CaptureError(f"{name!r} is not captured" + (f"; {hint}" if hint else ""))
    return found


def _of_call(call: ToolCall, table: Table, guard: Guard) -> Json:
    handler = table.tools.get(call.tool)
    if handler is None:
        raise CaptureError(f"there is no tool {call.tool!r} in the open table")
    args = copy_json(call.args)
    by_dict = spec_of(table.entries[call.tool]).by_dict
    return _document(handler(args) if by_dict else handler(**args), guard)


def _document(returned: Any, guard: Guard) -> Json:  # noqa: ANN401
    if isawaitable(returned):
        returned = guard.awaiter(returned)
    return document_of(returned, None)
