"""What a scenario is, as one short text: equal where nothing that it declares has changed."""

from typing import Any

import attrs

from evalkit.callables import Callables, digest_of
from evalkit.jsonvalue import MISSING, Json
from evalkit.model import Assertion, Ref, Scenario, ToolCall

SESSIONS = "0f3f1f0a-6f1c-5a57-9d39-2d1f2c1e7a54"
"""The namespace of session ids; any constant will do, as long as it never changes."""


def ref_written(value: Any) -> Json:  # noqa: ANN401
    """Write a `Ref`, which is all that is no JSON in what a scenario declares.

    By a key that data will not have, so that data that says `$ref` is something else.
    """
    if type(value) is Ref:
        return {"\0ref": value.name}
    raise TypeError(type(value))


def fingerprint(scenario: Scenario) -> str:
    """Give SHA-256 of everything that a scenario declares, in 64 hexadecimal digits.

    A function among it counts by its name, its code, and what it holds.

    >>> one = Scenario("a", tool_calls=[ToolCall("t", {"x": 1, "y": 2})])
    >>> fingerprint(one) == fingerprint(one.but(name="b"))
    False
    """
    return digest_of(declared(scenario, Callables()), ref_written)


def declared(scenario: Scenario, callables: Callables) -> list[Any]:
    """Give everything that a scenario declares as JSON, with `Ref` still in it."""
    prompt = scenario.prompt
    if prompt is not None and type(prompt) is not str:
        prompt = [turn if type(turn) is str else [turn.role, turn.content] for turn in prompt]  # type: ignore[union-attr,assignment]
    return [
        scenario.name,
        prompt,
        [_call(call, callables) for call in scenario.tool_calls],
        scenario.tags,
        scenario.description,
        scenario.difficulty,
        [_assertion(each) for each in scenario.assertions],
        [scenario.epochs, scenario.pass_epochs, scenario.timeout_s, scenario.xfail],
        scenario.metadata,
        *([] if scenario.answers is None else [attrs.astuple(scenario.answers)]),
        *_further(scenario, callables),
    ]


_FURTHER = (
    *("skip", "match", "forbid_tools", "hygiene", "budget", "limits", "system_prompt"),
    *("few_shot", "attachments", "session_id"),
)
"""The fields that count by name, and only where they say something: an old digest stays."""
_USUAL = Scenario("usual")


def _further(scenario: Scenario, callables: Callables) -> list[Any]:
    """Give what few scenarios declare, by name."""
    said: dict[str, Any] = {}
    for name in _FURTHER:
        value = getattr(scenario, name)
        if value != getattr(_USUAL, name):
            said[name] = [
                attrs.astuple(each) if attrs.has(type(each)) else each for each in _listed(value)
            ]
    state = scenario.state
    if state is not None:
        said["state"] = [state.expected, state.replayed, _captured(state.capture, callables)]
    return [said] if said else []


def _listed(value: Any) -> list[Any]:  # noqa: ANN401
    return list(value) if type(value) is tuple else [value]


def _fields(value: Any) -> Any:  # noqa: ANN401
    return attrs.astuple(value) if attrs.has(type(value)) else value


def _captured(capture: Any, callables: Callables) -> Any:  # noqa: ANN401
    if type(capture) is dict:
        return {name: _call(call, callables) for name, call in capture.items()}
    return callables.description(capture) if callable(capture) else capture


def script_digest(scenario: Scenario) -> str:
    """Give the digest of a scenario's tool calls, by which it is seen what a replay was of."""
    callables = Callables()
    return digest_of([_call(call, callables) for call in scenario.tool_calls], ref_written)[:16]


def handed_digest(scenario: Scenario) -> str | None:
    """Give the digest of what an agent is handed beside the prompt; None where that is nothing."""
    handed = scenario.few_shot, scenario.attachments, scenario.limits, scenario.session_id
    if handed == ((), (), None, None):
        return None
    return digest_of([list(map(_fields, _listed(each))) for each in handed])[:16]


def default_session_id(scenario: Scenario) -> str:
    """Give a UUID that is the same as long as the scenario is: version 5, of its fingerprint.

    >>> default_session_id(Scenario("a", tool_calls=[ToolCall("t")]))[14]
    '5'
    """
    import uuid  # noqa: PLC0415  - 3 ms, and few ask for it

    return str(uuid.uuid5(uuid.UUID(SESSIONS), fingerprint(scenario)))


def _call(call: ToolCall, callables: Callables) -> list[Any]:
    transforms = call.arg_transforms
    return [
        call.tool,
        call.args,
        [_assertion(each) for each in call.assertions],
        call.label,
        call.save_as,
        call.context_args,
        {name: callables.description(transforms[name]) for name in transforms},
        [call.expect_error, call.timeout_s, call.retry],
        *([] if call.args_match == "exact" else [call.args_match]),
        *([[_assertion(each) for each in call.arg_assertions]] if call.arg_assertions else []),
    ]


def _assertion(each: Assertion) -> list[Any]:
    return [
        each.path,
        each.op,
        [] if each.expected is MISSING else [each.expected],
        each.description,
        *each.rare,
    ]
