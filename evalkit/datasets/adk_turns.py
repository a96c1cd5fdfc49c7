"""What one turn of an ADK case says: what is asked, the calls, and the answer to be given."""

import re

import attrs

from evalkit.datasets.dataset import Record
from evalkit.datasets.reading import Part, has, inner, kept, note, parts, text
from evalkit.datasets.trajectories import arguments, called, only

INVOCATION = (
    *("invocation_id", "user_content", "final_response", "intermediate_data", "rubrics"),
    *("creation_timestamp", "duration", "model_duration", "tool_duration", "app_details"),
)
_READ = ("user_content", "final_response", "intermediate_data")
_STEPS = ("tool_uses", "tool_responses", "intermediate_responses", "invocation_events")
_EVENT = ("author", "content", "grounding_metadata", "usage_metadata", "model_version")
_CALL = ("id", "name", "args", "partial_args", "will_continue")
_CONTENT = ("parts", "role")
_BESIDE = ("thought", "thought_signature", "part_metadata", "video_metadata", "media_resolution")
"""What a part of a content says beside what it holds."""
_KINDS = (
    *("text", "function_call", "function_response", "inline_data", "file_data"),
    *("executable_code", "code_execution_result", "tool_call", "tool_response"),
)
"""What a part of a content may hold."""
_PART = (*_KINDS, *_BESIDE)
OLD = ("query", "expected_tool_use", "reference", "expected_intermediate_agent_responses")
_OLD_CALL = ("tool_name", "tool_input", "mock_tool_output")
_HUMP = re.compile("(?<=[a-z])[A-Z]")


@attrs.frozen(eq=False)
class Turn:
    """A turn of a case: the text of the user, the calls, the answer's text, and what is kept."""

    asked: str
    calls: list[Record]
    answer: str
    kept: Record


def opened(part: Part, names: tuple[str, ...]) -> Part:
    """Read the fields of a part under their own names; ADK takes them in camel case as well."""
    data: Record = {}
    for key, value in part.data.items():
        plain = _HUMP.sub(lambda hump: f"_{hump[0].lower()}", key)
        known = plain if plain in names else key
        if known in data:
            note(part, key, f"the field {known!r} is there twice")
        data[known] = value
    found = Part(data, part.steps, part.flaws)
    only(found, names)
    return found


def turn_of(part: Part) -> Turn:
    """Read an invocation."""
    part = opened(part, INVOCATION)
    asked = _said(part, "user_content")
    if not asked.strip() and has(part, "user_content"):
        note(part, "user_content", "holds no text")
    answer = _said(part, "final_response") if has(part, "final_response") else ""
    calls, beside = _steps(part) if has(part, "intermediate_data") else ([], {})
    own = {key: part.data[key] for key in INVOCATION if key not in _READ and part.data.get(key)}
    own |= {"intermediate_data": beside} if beside else {}
    return Turn(asked, calls, answer.strip() and answer, own)


def _said(part: Part, key: str) -> str:
    """Give the text of a content: those of its parts, a line each; another kind is refused."""
    content = inner(part, key)
    if content is None:
        return ""
    content = opened(content, _CONTENT)
    lines = []
    for each in parts(content, "parts") if has(content, "parts") else ():
        piece = opened(each, _PART)
        for kind in kept(piece, *_KINDS):
            if kind != "text":
                note(piece, kind, "can't be sent or compared", "only parts of text")
        line = piece.data.get("text")
        if line is not None:
            lines.append(line if type(line) is str else text(piece, "text"))
    return "\n".join(filter(None, lines))


def _steps(part: Part) -> tuple[list[Record], Record]:
    """Give the calls of an invocation, and what else happened on the way."""
    steps = inner(part, "intermediate_data")
    if steps is None:
        return [], {}
    steps = opened(steps, _STEPS)
    beside = {key: value for key, value in kept(steps, *_STEPS[1:]).items() if value}
    if has(steps, "invocation_events"):
        if has(steps, "tool_uses"):
            note(steps, "tool_uses", "says the same as invocation_events", "leave one out")
        return _called_in(parts(steps, "invocation_events")), beside
    uses = parts(steps, "tool_uses") if has(steps, "tool_uses") else []
    return [_call(each) for each in uses], beside


def _called_in(events: list[Part]) -> list[Record]:
    calls = []
    for event in events:
        event = opened(event, _EVENT)  # noqa: PLW2901  - the same event, by its own names
        content = inner(event, "content") if has(event, "content") else None
        held = None if content is None else opened(content, _CONTENT)
        for each in parts(held, "parts") if held is not None and has(held, "parts") else ():
            piece = opened(each, _PART)
            call = inner(piece, "function_call") if has(piece, "function_call") else None
            calls += [] if call is None else [_call(call)]
    return calls


def _call(part: Part) -> Record:
    part = opened(part, _CALL)
    for key in ("partial_args", "will_continue"):
        if part.data.get(key):
            note(part, key, "is of a call that is not whole", "leave it out, with the call")
    return called(text(part, "name"), arguments(part, "args") or {})


def old_turn_of(part: Part) -> Turn:
    """Read a turn of the older form, which a table of texts was once."""
    only(part, OLD)
    calls, made = [], []
    for each in parts(part, "expected_tool_use") if has(part, "expected_tool_use") else ():
        only(each, _OLD_CALL)
        if "tool_input" not in each.data:
            note(each, "tool_input", "there is no 'tool_input'", "{} for no arguments")
        calls.append(called(text(each, "tool_name"), arguments(each, "tool_input") or {}))
        made.append(each.data.get("mock_tool_output"))
    answer = part.data.get("reference") or ""
    if type(answer) is not str:
        answer = text(part, "reference")
    own = {key: value for key, value in kept(part, OLD[-1]).items() if value}
    own |= {"mock_tool_output": made} if any(each is not None for each in made) else {}
    return Turn(text(part, "query"), calls, answer.strip() and answer, own)
