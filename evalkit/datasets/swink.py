"""Swink: sets of cases for agents, with the calls, the response and the state that are expected."""

from base64 import b64encode
from collections.abc import Callable, Iterator
from functools import partial
from uuid import UUID

from evalkit.datasets.dataset import Dataset, Record, ScenarioData
from evalkit.datasets.reading import (
    Part,
    has,
    inner,
    kept,
    known,
    name,
    note,
    parts,
    scenario,
    settled,
    text,
    texts,
    whole,
)
from evalkit.datasets.swink_expected import Expected, expected_of, left_in
from evalkit.datasets.trajectories import below, choice, skipping, unique
from evalkit.jsonvalue import Json, brief

_JUDGED = "the case is skipped, for it needs a judge"
CASE = {
    "id": "name; of a set: metadata `eval_set`",
    "name": "the description's beginning; of a set: metadata `eval_set`",
    "description": "the description's end; of a set: metadata `eval_set`",
    "system_prompt": "system_prompt, where it is not blank",
    "user_messages": "prompt: the turns of the user, of which there is at least one",
    "expected_trajectory[].tool_name": "the tool of a call; they are made in this order, others "
    "between",
    "expected_trajectory[].arguments": "the arguments, all of them; without it, any",
    "expected_response.mode": "`exact`, `contains` or `regex`; `custom` is code, and refused",
    "expected_response.expected": "the response equals it",
    "expected_response.substring": "the response contains it",
    "expected_response.pattern": "the response matches it",
    "expected_assertion.description": "the assertion's description, or metadata",
    "expected_assertion.kind": f"`goal_completed` or `user_satisfied`: metadata; {_JUDGED}",
    "expected_assertion.kind.tool_invoked": "this tool is called (`calls`)",
    "expected_assertion.kind.custom.predicate": f"metadata; {_JUDGED}",
    "expected_interactions[].from": f"metadata; {_JUDGED}",
    "expected_interactions[].to": "metadata",
    "expected_interactions[].description": "metadata",
    "few_shot_examples[].input": "metadata: examples are for the judge, and tell what is expected",
    "few_shot_examples[].expected": "metadata",
    "few_shot_examples[].reasoning": "metadata",
    "budget.max_cost": "the budget `max_cost_usd`",
    "budget.max_input": "the budget `max_input_tokens`",
    "budget.max_output": "the budget `max_output_tokens`",
    "budget.max_turns": "the budget `max_turns`",
    "evaluators": "metadata, and which expectations decide: all where it is empty; those that are "
    "left out are metadata. With one that needs a judge or code, the case is skipped",
    "metadata": "metadata: the fields of an object; another value as `metadata`",
    "attachments[].path": "an attachment's `path`",
    "attachments[].base64.mime": "an attachment's `mime` type",
    "attachments[].base64.bytes": "an attachment's `base64`",
    "attachments[].url": "an attachment's `url`",
    "session_id": "session_id, a UUID",
    "expected_environment_state[].name": "a name in `state.expected`",
    "expected_environment_state[].state": "its value; what captures it is not in the file",
    "expected_tool_intent.intent": f"metadata; {_JUDGED}",
    "expected_tool_intent.tool_name": "metadata",
    "semantic_tool_selection": f"where true: metadata; {_JUDGED}",
}
FIELDS = {"cases": "a scenario each, with the fields of a case", **CASE}
_SET = dict.fromkeys(("id", "name", "description", "cases"), "")
_IN_SET = below("cases[]", CASE)
_MIMES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_SOURCES = ("path", "base64", "url")
_BYTES = range(256)

Check = Callable[[Part], None]


def scenarios(record: Record, _number: int) -> Iterator[ScenarioData]:
    """Give the cases of a set, or the case that a record is, judged by what decides in Swink.

    That is the calls in order, the response, the budget and the state; its score of efficiency is
    left out. What needs a judge or code skips its case, and is named.
    """
    part = whole(record)
    if "cases" not in part.data:
        return settled(part, [_case(part, {}, partial(known, fields=CASE))])
    known(part, _SET)
    about = _about(part)
    cases = parts(part, "cases")
    if part.data["cases"] == []:
        note(part, "cases", "there is no case, so there is nothing to check")
    unique(cases, "id")
    check = partial(known, fields=_IN_SET)
    return settled(part, [_case(each, {"eval_set": about}, check) for each in cases])


def _about(part: Part) -> Record:
    """Give what a set says of itself."""
    for key in ("id", "name"):
        text(part, key)
    if has(part, "description"):
        text(part, "description")
    return kept(part, "id", "name", "description")


def _case(part: Part, shared: Record, check: Check) -> ScenarioData:
    before = len(part.flaws)
    check(part)
    expected = expected_of(part, check)
    if not expected.asks and len(part.flaws) == before:
        hint = "its evaluators leave out what is expected" if expected.kept else None
        hint = "a budget alone is no expectation" if expected.fields.get("budget") else hint
        note(part, "id", f"{brief(part.data.get('id'))} has nothing to check", hint)
    found = scenario(
        name=name(part, "id"),
        description=_description(part),
        prompt=_prompt(part),
        system_prompt=_system_prompt(part),
        attachments=_attachments(part, check),
        session_id=_session_id(part),
        metadata=_metadata(part, expected, shared, check),
        **expected.fields,
        **skipping(expected.needs),
    )
    return found | {"hygiene": False}


def _description(part: Part) -> str:
    said = [text(part, "name")]
    if has(part, "description"):
        said.append(text(part, "description"))
    return ": ".join(said)


def _prompt(part: Part) -> str | list[str]:
    messages = texts(part, "user_messages")
    if part.data.get("user_messages") == []:
        note(part, "user_messages", "there is no message, so nothing is put to an agent")
    return messages[0] if len(messages) == 1 else messages


def _system_prompt(part: Part) -> str:
    value = part.data.get("system_prompt")
    return "" if type(value) is str and not value.strip() else text(part, "system_prompt")


def _attachments(part: Part, check: Check) -> list[Record]:
    found = parts(part, "attachments") if "attachments" in part.data else []
    return [_attachment(each, check) for each in found]


def _attachment(part: Part, check: Check) -> Record:
    check(part)
    given = [key for key in _SOURCES if key in part.data]
    if len(given) != 1:
        at = given[1] if given else _SOURCES[0]
        note(part, at, "expected exactly one of path, base64 and url")
        return {}
    return _data(part, check) if given == ["base64"] else {given[0]: text(part, given[0])}


def _data(part: Part, check: Check) -> Record:
    held = inner(part, "base64")
    if held is None:
        return {}
    check(held)
    # Swink compares the type without its parameters, whatever the case
    mime = held.data.get("mime")
    if type(mime) is str:
        plain = {"mime": mime.partition(";")[0].strip().lower()}
        held = Part({**held.data, **plain}, held.steps, held.flaws)
    content: Json = held.data.get("bytes")
    if not _are_bytes(content):
        note(held, "bytes", f"expected a list of numbers from 0 to 255, got {brief(content)}")
        content = []
    return {"base64": b64encode(bytes(content)).decode(), "mime": choice(held, "mime", _MIMES)}


def _are_bytes(content: Json) -> bool:
    if type(content) is not list or not content:
        return False
    return all(type(each) is int and each in _BYTES for each in content)


def _session_id(part: Part) -> str:
    if not has(part, "session_id"):
        return ""
    found = text(part, "session_id")
    try:
        UUID(found or "0" * 32)
    except ValueError:
        note(part, "session_id", f"{brief(found)} is no UUID")
    return found


def _metadata(part: Part, expected: Expected, shared: Record, check: Check) -> Record:
    _examples(part, check)
    own: Json = part.data.get("metadata")
    said = own if type(own) is dict else kept(part, "metadata")
    beside = shared | left_in(part, expected)
    for key in beside:
        if key in said:
            note(part, "metadata", f"has a field {key!r}, and the case keeps its own there")
    return said | beside


def _examples(part: Part, check: Check) -> None:
    for each in parts(part, "few_shot_examples") if "few_shot_examples" in part.data else ():
        check(each)
        for key in ("input", "expected"):
            text(each, key)
        if has(each, "reasoning"):
            text(each, "reasoning")


SWINK = Dataset(
    name="swink",
    about="sets of cases for agents, with expected calls, response and state",
    source="the EvalSets and EvalCases of swink-agent-eval",
    fields=FIELDS,
    needs=(
        frozenset({"id", "name", "cases"}),
        frozenset({"id", "system_prompt", "user_messages"}),
    ),
    scenarios=scenarios,
)
