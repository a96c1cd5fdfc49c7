"""mecha: cases for agents with tools, judged by their calls first and by their answer second."""

from collections.abc import Iterator, Mapping

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
from evalkit.datasets.rules import on_response
from evalkit.datasets.trajectories import choice, count, flag, listed, on_calls, skipping
from evalkit.jsontext import dumped, loaded
from evalkit.jsonvalue import Json, dotted
from evalkit.texts import normaliser

STOP_CAUSES = (
    *("completed", "max_turns", "output_token_budget", "cost_budget", "interrupted", "loop"),
    "no_output",
)
"""Why a run of mecha may stop; one that stops for another reason has raised, and fails."""
PROSE = "prose"
"""The normaliser that is mecha's own rule."""
FIELDS = {
    "id": "name",
    "prompt": "prompt: a text, or texts, which are the turns of one conversation",
    "tags": "tags, of which there is at least one",
    "sandbox": "metadata",
    "max_turns": "the limit `max_turns`, which the run is given",
    "compact_at_tokens": "the limit `compact_at_tokens`",
    "expect.tools": "each of these is called (`calls`)",
    "expect.tools_in_order": "these are called in this order, others between (`calls_in_order`)",
    "expect.forbid_tools": "`forbid_tools`",
    "expect.no_tools": "where true, nothing is called (`calls_exactly` nothing)",
    "expect.contains": "the response contains all of these, normalised by `prose`",
    "expect.not_contains": "the response contains none of these, normalised by `prose`",
    "expect.contains_any": "the response contains one of these, normalised by `prose`",
    "expect.args[].tool": "the tool that is called with what follows (`call_args`)",
    "expect.args[].key": "the argument, which is sent",
    "expect.args[].equals": "the argument is this text, or the value that JSON writes so",
    "expect.args[].contains": "the argument is a text that contains this, normalised by `prose`",
    "expect.max_turns": "the budget `max_turns`",
    "expect.stop_cause": "`stop_cause` equals it; without it, it is any that mecha knows",
    "expect.taint.private": "`meta.taint.private` equals it",
    "expect.taint.untrusted": "`meta.taint.untrusted` equals it",
    "expect.blocked_sends": "`meta.blocked_sends` equals it",
    "expect.min_compactions": "`meta.compactions` is at least this",
    "expect.ended_on_failed_call": "`meta.ended_on_failed_call` equals it",
    "expect.judge": "metadata `judge`; the case is skipped, for it needs a judge",
    "expect.verify": "metadata `verify`; the case is skipped, for it needs a command",
}
_NOT_YET = {"judge": "a judge", "verify": "a command"}


def scenarios(record: Record, _number: int) -> Iterator[ScenarioData]:
    """Give the case of a record, judged by mecha's rules.

    A malformed call or an invented tool fails it, though the agent repaired it (`hygiene` is
    strict), and a run may stop for any reason that mecha knows, unless `stop_cause` says which.
    """
    part = whole(record)
    known(part, FIELDS)
    tags = texts(part, "tags")
    if part.data.get("tags") == []:
        note(part, "tags", "there is no tag", "mecha breaks its scorecard down by them")
    expect = inner(part, "expect") or Part({}, ("expect",), [])
    known(expect, FIELDS)
    found = scenario(
        name=name(part, "id"),
        prompt=_prompt(part),
        tags=tags,
        limits=_counts(part, "max_turns", "compact_at_tokens"),
        forbid_tools=listed(expect, "forbid_tools"),
        hygiene="strict",
        budget=_most(expect),
        assertions=_asserted(part, expect),
        metadata=_metadata(part, expect),
        **skipping((_NOT_YET[key], f"expect.{key}") for key in _NOT_YET if has(expect, key)),
    )
    return settled(part, [found])


def _prompt(part: Part) -> str | list[str]:
    if type(part.data.get("prompt")) is not list:
        return text(part, "prompt")
    if part.data["prompt"] == []:
        note(part, "prompt", "has no turn")
    return texts(part, "prompt")


def _counts(part: Part, *keys: str) -> Record:
    """Give those of some whole numbers, from 1, that are there."""
    return {key: count(part, key, 1) for key in keys if has(part, key)}


def _most(expect: Part) -> Record:
    return {"max_turns": count(expect, "max_turns")} if has(expect, "max_turns") else {}


def _asserted(part: Part, expect: Part) -> list[Json]:
    """Give the assertions on the trace, and note a case that asks for nothing."""
    found = [*_on_calls(expect), *_on_response(expect), *_on_the_run(expect)]
    others = expect.data.get("forbid_tools") or any(has(expect, key) for key in _NOT_YET)
    if not found and not others and not part.flaws:
        hint = "max_turns alone is no expectation" if has(expect, "max_turns") else None
        note(part, "expect", "there is nothing to check", hint)
    return [*found, *_came_to_an_end(expect)]


def _on_calls(expect: Part) -> Iterator[Record]:
    for key, op in (("tools", "calls"), ("tools_in_order", "calls_in_order")):
        if tools := listed(expect, key):
            yield on_calls(op, tools)
    if flag(expect, "no_tools"):
        yield on_calls("calls_exactly", [])
    for each in parts(expect, "args") if "args" in expect.data else ():
        known(each, FIELDS)
        yield on_calls("call_args", {"tool": text(each, "tool"), "where": _where(each)})


def _where(part: Part) -> list[Json]:
    """Give what must hold of one argument, all of it on the same call."""
    path = dotted([text(part, "key")])
    found: list[Json] = []
    if has(part, "equals"):
        found.append([path, "in", _written_so(_kept_text(part, "equals"))])
    if has(part, "contains"):
        wanted = _needle(part, "contains", _kept_text(part, "contains"))
        found.append({"path": path, "op": "contains", "expected": wanted, "normalize": PROSE})
    return found or [[path, "exists"]]


def _kept_text(part: Part, key: str) -> str:
    """Give a text that may be blank."""
    value = part.data[key]
    return value if type(value) is str else text(part, key)


def _written_so(said: str) -> list[Json]:
    """Give the values that mecha writes as this text: itself, and what it is as JSON.

    >>> _written_so("3"), _written_so("03")
    (['3', 3], ['03'])
    """
    try:
        value = loaded(said.encode())
    except ValueError:
        return [said]
    as_json = type(value) is not str and dumped(value).decode() == said
    return [said, value] if as_json else [said]


def _on_response(expect: Part) -> Iterator[Record]:
    for key in ("contains", "contains_any"):
        if wanted := _needles(expect, key):
            op = "contains_all" if key == "contains" else key
            yield on_response(op, wanted, normalize=PROSE)
    for unwanted in _needles(expect, "not_contains"):
        yield on_response("not_contains", unwanted, normalize=PROSE)


def _needles(expect: Part, key: str) -> list[str]:
    inside = Part({}, (*expect.steps, key), expect.flaws)
    found = texts(expect, key) if key in expect.data else []
    return [_needle(inside, index, each) for index, each in enumerate(found)]


def _needle(part: Part, key: str | int, wanted: str) -> str:
    """Note a text of which nothing is left, so that every text contains it."""
    if wanted and not normaliser(PROSE)(wanted):
        note(part, key, f"nothing is left of {wanted!r} once it is normalised")
    return wanted


def _on_the_run(expect: Part) -> Iterator[Record]:
    if has(expect, "taint"):
        yield from _on_taint(expect)
    if has(expect, "blocked_sends"):
        yield _on_meta("blocked_sends", "eq", count(expect, "blocked_sends"))
    if has(expect, "min_compactions"):
        yield _on_meta("compactions", "gte", count(expect, "min_compactions", 1))
    if has(expect, "ended_on_failed_call"):
        yield _on_meta("ended_on_failed_call", "eq", flag(expect, "ended_on_failed_call"))
    if has(expect, "stop_cause"):
        cause = choice(expect, "stop_cause", STOP_CAUSES)
        yield {"path": "stop_cause", "op": "eq", "expected": cause}


def _on_taint(expect: Part) -> Iterator[Record]:
    taint = inner(expect, "taint")
    if taint is None:
        return
    known(taint, FIELDS)
    legs = kept(taint, "private", "untrusted")
    if not legs:
        note(expect, "taint", "names no leg", "private, untrusted, or both")
    for leg in legs:
        yield _on_meta(f"taint.{leg}", "eq", flag(taint, leg))


def _on_meta(path: str, op: str, expected: Json) -> Record:
    return {"path": f"meta.{path}", "op": op, "expected": expected}


def _came_to_an_end(expect: Part) -> list[Record]:
    """Take any cause to stop that mecha knows, where none is expected: it judges none by itself."""
    if has(expect, "stop_cause"):
        return []
    said = {"weight": 0, "description": "came to an end"}
    return [{"path": "stop_cause", "op": "in", "expected": list(STOP_CAUSES), **said}]


def _metadata(part: Part, expect: Part) -> Mapping[str, Json]:
    sandbox = flag(part, "sandbox")
    if has(expect, "verify") and not sandbox:
        note(expect, "verify", "would run in what all cases share", "say sandbox: true")
    for key in _NOT_YET:
        if has(expect, key):
            text(expect, key)
    return ({"sandbox": True} if sandbox else {}) | kept(expect, *_NOT_YET)


MECHA = Dataset(
    name="mecha",
    about="cases for agents with tools, judged by their calls and their answer",
    source="the case files of mecha eval",
    fields=FIELDS,
    needs=(frozenset({"id", "prompt", "expect"}),),
    scenarios=scenarios,
)
