"""What the operators on calls accept as `expected`, checked when planned."""

from collections.abc import Callable
from typing import Any

from evalkit.errors import CatalogueError
from evalkit.jsonvalue import MISSING, Json, brief
from evalkit.model import RARE, Assertion, Ref
from evalkit.model.tool_call import ARGS_MATCHES
from evalkit.operators.operands import Flaw, given
from evalkit.operators.schema import schema_flaw
from evalkit.operators.wanted import KEYS
from evalkit.registry import hint_for

Rule = Callable[[Assertion], Flaw | None]
UNSAID = ("weight", "severity")
"""The fields of an assertion that say nothing of one among several that must all hold."""
FIELDS = ("path", "op", "expected", "description", *(name for name in RARE if name not in UNSAID))
POSITIONAL = FIELDS[:4]
FEWEST = 2
STRICT = "strict"


def _list_of_calls(*, may_be_empty: bool) -> Rule:
    def accept(assertion: Assertion) -> Flaw | None:
        expected = assertion.expected
        if type(expected) is not list:
            hint = "a list of names of tools, or of ToolCall"
            return Flaw(f"expected a list of calls, got {brief(expected)}", hint)
        if not expected and not may_be_empty:
            return Flaw("expects no call, which nothing can fail", "CALLS_EXACTLY [] asks for none")
        found = (_call_flaw(index, each) for index, each in enumerate(expected))
        return next((flaw for flaw in found if flaw is not None), None)

    return given(accept)


some_calls = _list_of_calls(may_be_empty=False)
any_calls = _list_of_calls(may_be_empty=True)


def _call_flaw(index: int, value: Json) -> Flaw | None:
    """Say what is wrong with one expected call."""
    if type(value) is str:
        return None if value.strip() else Flaw(f"call {index}: the name of the tool is blank")
    if type(value) is not dict:
        return Flaw(f"call {index}: expected a tool, got {brief(value)}", "a name, or a ToolCall")
    for key in value:
        if key not in KEYS:
            return Flaw(f"call {index}: unknown key {key!r}", hint_for(key, KEYS))
    tool = value.get("tool")
    if type(tool) is not str or not tool.strip():
        return Flaw(f"call {index}: expected the name of a tool, got {brief(tool)}")
    return _args_flaw(f"call {index}", value)


def _args_flaw(where: str, value: dict[str, Any]) -> Flaw | None:
    match = value.get("args_match", "exact")
    if match not in ARGS_MATCHES:
        hint = hint_for(match if type(match) is str else "", ARGS_MATCHES)
        return Flaw(f"{where}: unknown args_match {brief(match)}", hint)
    if type(value.get("args", {})) is not dict:
        return Flaw(f"{where}: expected a mapping of arguments, got {brief(value['args'])}")
    free = value.get("free", [])
    if type(free) is not list or any(type(name) is not str for name in free):
        return Flaw(f"{where}: free is a list of names of arguments, got {brief(free)}")
    if "schema" not in value:
        return None
    beside = [key for key in value if key not in ("tool", "schema")]
    if beside:
        return Flaw(f"{where}: {beside[0]!r} says nothing beside a schema", "leave one out")
    if type(value["schema"]) is not dict:
        return Flaw(f"{where}: expected a schema, got {brief(value['schema'])}", "a mapping")
    flaw = schema_flaw(value["schema"])
    return None if flaw is None else Flaw(f"{where}: the schema {flaw}")


def hygiene(assertion: Assertion) -> Flaw | None:
    """Take nothing, or "strict"."""
    expected = assertion.expected
    if expected is MISSING or expected is None or expected == STRICT:
        return None
    return Flaw(f"expected nothing or {STRICT!r}, got {brief(expected)}")


def call_args(assertion: Assertion) -> Flaw | None:
    """Take a tool, and assertions on the arguments of a call of it, known before the run."""
    if type(assertion.expected) is Ref:
        return Flaw("can't be a saved value as a whole", "a Ref may stand inside `where`")
    return _call_args(assertion)


@given
def _call_args(assertion: Assertion) -> Flaw | None:
    expected = assertion.expected
    if type(expected) is not dict or expected.keys() != {"tool", "where"}:
        return Flaw(f'expected {{"tool": ..., "where": [...]}}, got {brief(expected)}')
    if type(expected["tool"]) is not str or not expected["tool"].strip():
        return Flaw(f"expected the name of a tool, got {brief(expected['tool'])}")
    found = asked_of(assertion)
    return found if isinstance(found, Flaw) else None


def asked_of(assertion: Assertion) -> list[Assertion] | Flaw:
    """Read the assertions on the arguments of a call, as files write them."""
    where = assertion.expected["where"] if type(assertion.expected) is dict else None
    if type(where) is not list or not where:
        return Flaw(f"where: expected a list of assertions, got {brief(where)}", "one at least")
    found = []
    for index, data in enumerate(where):
        made = _assertion(data)
        if isinstance(made, Flaw):
            return Flaw(f"where[{index}]: {made.problem}", made.hint)
        found.append(made)
    return found


def _assertion(data: Any) -> Assertion | Flaw:  # noqa: ANN401
    if type(data) is list:
        if not FEWEST <= len(data) <= len(POSITIONAL):
            return Flaw(f"expected a list of {', '.join(POSITIONAL)}, got {brief(data)}")
        data = dict(zip(POSITIONAL, data, strict=False))
    if type(data) is not dict:
        return Flaw(f"expected an assertion, got {brief(data)}", "a list, or a mapping")
    flaw = _fields_flaw(data)
    if flaw is not None:
        return flaw
    try:
        return Assertion(**{"path": "", **data})
    except CatalogueError as error:
        return Flaw(str(error))


def _fields_flaw(data: dict[str, Json]) -> Flaw | None:
    for key in data:
        if key in UNSAID:
            return Flaw(f"{key} says nothing here", "all of these must hold")
        if key not in FIELDS:
            return Flaw(f"unknown field {key!r}", hint_for(key, FIELDS))
    return None if "op" in data else Flaw("needs 'op'")
