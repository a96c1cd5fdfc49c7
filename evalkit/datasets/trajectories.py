"""What datasets of agents have in common: expected calls, counts, and what can't be judged yet."""

from collections.abc import Iterable, Iterator, Mapping

from evalkit.datasets.dataset import Record
from evalkit.datasets.reading import Part, has, inner, note, text, texts
from evalkit.jsonvalue import Json, brief
from evalkit.registry import hint_for

CALLS = "calls"


def on_calls(op: str, expected: Json, turn: int | None = None, **more: Json) -> Record:
    """Write an assertion on the calls of an agent, or on those in one turn of the user.

    >>> on_calls("calls_exactly", [], turn=1)["path"]
    'calls[?(@.turn == 1)]'
    """
    path = CALLS if turn is None else f"{CALLS}[?(@.turn == {turn})]"
    return {"path": path, "op": op, "expected": expected, **more}


def called(tool: str, args: Json = None) -> Record:
    """Write a call of a tool; without arguments, any will do.

    >>> called("find"), called("find", {})
    ({'tool': 'find', 'args_match': 'ignore'}, {'tool': 'find', 'args': {}})
    """
    return {"tool": tool, "args_match": "ignore"} if args is None else {"tool": tool, "args": args}


def skipping(needs: Iterable[tuple[str, str]]) -> Record:
    """Write why a scenario is not run: what it needs, and the field that says so.

    >>> skipping([("a judge", "expect.judge"), ("a command", "expect.verify")])
    {'skip': 'needs a judge: expect.judge; needs a command: expect.verify'}
    >>> skipping([])
    {}
    """
    reason = "; ".join(f"needs {what}: {field}" for what, field in needs)
    return {"skip": reason} if reason else {}


def below(level: str, fields: Mapping[str, str]) -> dict[str, str]:
    """Put the fields of a table below another.

    >>> below("cases[]", {"id": "name"})
    {'cases[].id': 'name'}
    """
    return {f"{level}.{field}": becomes for field, becomes in fields.items()}


def count(part: Part, key: str, least: int = 0) -> int | None:
    """Give a whole number, where there is one."""
    value = part.data.get(key)
    if value is None or (type(value) is int and value >= least):
        return value
    note(part, key, f"expected a whole number from {least}, got {brief(value)}")
    return None


def flag(part: Part, key: str) -> bool | None:
    """Give true or false, where it says either."""
    value = part.data.get(key)
    if value is None or type(value) is bool:
        return value
    note(part, key, f"expected true or false, got {brief(value)}")
    return None


def choice(part: Part, key: str, known: Iterable[str]) -> str:
    """Give a text that is one of those there are; the empty text where it is none."""
    found, known = text(part, key), tuple(known)
    if not found or found in known:
        return found
    note(part, key, f"unknown {key} {brief(found)}", hint_for(found, known))
    return ""


def listed(part: Part, key: str) -> list[str]:
    """Give a list of texts, which may be left out."""
    return [each for each in texts(part, key) if each] if key in part.data else []


def arguments(part: Part, key: str) -> Record | None:
    """Give the arguments of a call, None where there are none.

    They are compared as they are: what evalkit's own files take for a saved value is refused.
    """
    if not has(part, key):
        return None
    held = inner(part, key)
    if held is None:
        return None
    if any(each.keys() == {"$ref"} for each in _mappings(held.data)):
        note(part, key, "holds {'$ref': ...}, which is a saved value here")
    return held.data


def _mappings(value: Json) -> Iterator[Record]:
    """Give all the mappings within a value; no depth is too much for it."""
    todo = [value]
    while todo:
        held = todo.pop()
        if type(held) is dict:
            yield held
            todo += held.values()
        elif type(held) is list:
            todo += held


def unique(parts: Iterable[Part], key: str) -> None:
    """Note a name that several parts of one record have."""
    seen: set[str] = set()
    for part in parts:
        named = part.data.get(key)
        if type(named) is not str:
            continue
        if named in seen:
            note(part, key, f"{brief(named)} is there twice")
        seen.add(named)


def only(part: Part, names: Iterable[str]) -> None:
    """Note every field of a part that is none of those there are, with the nearest that is."""
    names = tuple(names)
    for key in part.data:
        if key not in names:
            note(part, key, f"unknown field {key!r}", hint_for(key, names))
