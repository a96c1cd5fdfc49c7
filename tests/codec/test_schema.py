"""The JSON Schema of catalogue files: it accepts what the codec accepts, and nothing else."""

from copy import deepcopy
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from evalkit import (
    Answers,
    Assertion,
    Attachment,
    Budget,
    CatalogueError,
    FewShot,
    Limits,
    Scenario,
    State,
    ToolCall,
    Turn,
)
from evalkit.codec import Codec, MisfitError, plain_scenario, schema
from evalkit.codec.schema import FIELDS, REQUIRED
from tests.codec.scenarios import ATTACHMENTS, FIXED, scenarios

NOUNS = {
    "turn": Turn,
    "assertion": Assertion,
    "tool_call": ToolCall,
    "answers": Answers,
    "budget": Budget,
    "limits": Limits,
    "state": State,
    "few_shot": FewShot,
    "attachment": Attachment,
    "scenario": Scenario,
}
SEEN_FROM_THE_FILE = {"source", "home"}
SCHEMA = schema()
VALID = Draft202012Validator(SCHEMA)
FREE = {"args", "expected", "metadata"}
"""The fields that hold any JSON: what is in them is the author's."""
OTHERS = (None, True, 5, 1.5, "text", ["text"], {"a": "text"})
"""A value of each type, none of them one that is nearly of another: no 1.0, no blank text.

What JSON Schema can't say is left to the codec: a whole number written as 3.0, the nesting and the
size of JSON, a `$ref` that names nothing, operators that there are, functions that there are, golds
that are numbers where texts are matched, a threshold of a match that has none, and what makes up a
whole: bounds that bound something, a state whose names are captured, an attachment of one source.
"""


def test_it_is_a_schema() -> None:
    """The metaschema of its own dialect accepts it."""
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", NOUNS)
def test_every_field_of_every_noun_has_its_row(name: str) -> None:
    """A noun that gains a field without a row here is noticed, and so is a row without one."""
    fields = [each.name for each in attrs.fields(NOUNS[name])]
    assert list(FIELDS[name]) == [each for each in fields if each not in SEEN_FROM_THE_FILE]
    assert FIELDS.keys() == NOUNS.keys()


@pytest.mark.parametrize("name", NOUNS)
def test_what_must_be_there_is_what_has_no_default(name: str) -> None:
    """The required fields are the noun's own; a path may be left out, as in the codec."""
    needed = [each.name for each in attrs.fields(NOUNS[name]) if each.default is attrs.NOTHING]
    needed = [each for each in needed if each not in {*SEEN_FROM_THE_FILE, "path"}]
    assert REQUIRED[name] == needed


def named(name: str) -> Any:
    """A function, by any name that could be one's."""
    if not all(part.isidentifier() for part in name.partition(":")[::2]):
        raise CatalogueError("a function", f"{name!r} names none")
    return len


CODEC = Codec(named=named)


def is_accepted(data: Any) -> bool:
    """Whether the codec makes a scenario of data."""
    try:
        CODEC.scenario(data)
    except MisfitError:
        return False
    return True


@FIXED
@given(scenarios())
def test_what_the_codec_accepts_is_valid(scenario: Scenario) -> None:
    """The data of any scenario is valid, in a list and below `scenarios`."""
    data = plain_scenario(scenario)
    assert list(VALID.iter_errors([data])) == []
    assert list(VALID.iter_errors({"scenarios": [data]})) == []


def places(data: Any, steps: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The steps to every value of a scenario, but for what is in the fields that hold any JSON."""
    if not isinstance(data, dict | list) or not FREE.isdisjoint(steps):
        return [steps]
    items = data.items() if isinstance(data, dict) else enumerate(data)
    inner = [place for step, item in items for place in places(item, (*steps, step))]
    return [steps, *inner] if steps else inner


def mutated(draw: st.DrawFn, data: Any) -> Any:
    """Data with one thing changed: a key added or removed, or a value of another type."""
    changed = deepcopy(data)
    *above, last = draw(st.sampled_from(places(changed)))
    holder = changed
    for step in above:
        holder = holder[step]
    kind = draw(st.sampled_from(["remove", "add", "replace", "replace"]))
    if kind == "remove":
        del holder[last]
    elif kind == "add" and isinstance(holder, dict):
        holder[draw(st.sampled_from(["nmae", "tool", "op", "source", "label", "golds"]))] = "text"
    else:
        holder[last] = draw(st.sampled_from(OTHERS))
    return changed


@st.composite
def mutations(draw: st.DrawFn) -> Any:
    """The data of a scenario with one thing changed."""
    return mutated(draw, plain_scenario(draw(scenarios(transforms=True))))


def is_left_to_the_codec(data: Any) -> bool:
    """Whether a rule bears on data that JSON Schema can't say."""
    answers = data.get("answers")
    if isinstance(answers, dict):
        texts = answers.get("match") != "numeric"
        numbers = any(isinstance(gold, int | float) for gold in listed(answers, "golds"))
        scored = answers.get("match") in ("f1", "similar", "semantic")
        if (texts and numbers) or (answers.get("threshold") is not None and not scored):
            return True
    if not (is_bound(data) and is_captured(data.get("state")) and is_attached(data)):
        return True
    return any(each not in KNOWN for each in operators_in(data))


def is_bound(data: Any) -> bool:
    """Whether budget and limits bound something, where they are any."""
    bounds = [data.get(name) for name in ("budget", "limits")]
    return all(any(each.values()) for each in bounds if isinstance(each, dict))


def is_captured(state: Any) -> bool:
    """Whether a state expects something, nothing twice, and its calls capture all of it."""
    if not isinstance(state, dict):
        return True
    expected, replayed = state.get("expected", {}), state.get("replayed", [])
    if not isinstance(expected, dict) or not isinstance(replayed, list):
        return True
    texts = {name for name in replayed if isinstance(name, str)}
    capture = state.get("capture")
    names = capture if isinstance(capture, dict) else [*expected, *texts]
    whole = texts.isdisjoint(expected) and texts | set(expected) <= set(names)
    return bool(expected or replayed) and whole


def is_attached(data: Any) -> bool:
    """Whether each attachment is one of those that are known to be whole."""
    return all(each in KNOWN_FILES for each in listed(data, "attachments"))


KNOWN_FILES = [
    plain_scenario(Scenario("a", attachments=[each]))["attachments"][0] for each in ATTACHMENTS
]


KNOWN = set(FIELDS["assertion"]["op"]["anyOf"][0]["enum"])


def operators_in(data: Any) -> list[str]:
    """The operators of a scenario, as they are written."""
    holders = [data, *(each for each in listed(data, "tool_calls") if isinstance(each, dict))]
    fields = ("assertions", "arg_assertions")
    asserted = [each for holder in holders for name in fields for each in listed(holder, name)]
    found = [each.get("op") for each in asserted if isinstance(each, dict)]
    found += [each[1] for each in asserted if isinstance(each, list) and len(each) > 1]
    return [each for each in found if isinstance(each, str)]


def listed(data: Any, name: str) -> list[Any]:
    """The items of a field, where that is a list."""
    value = data.get(name)
    return value if isinstance(value, list) else []


@FIXED
@given(mutations())
def test_what_is_changed_is_accepted_by_both_or_by_none(data: Any) -> None:
    """One change makes data wrong for the schema where it does for the codec, and only there."""
    if not is_left_to_the_codec(data):
        assert VALID.is_valid([data]) == is_accepted(data)


CASE = {"name": "a", "tool_calls": [{"tool": "t"}]}


def asserted(*written: Any) -> dict[str, Any]:
    """A scenario with these assertions on the trace."""
    return {"name": "a", "assertions": list(written)}


BY_BOTH: list[tuple[dict[str, Any], bool]] = [
    (asserted(["calls", "len_eq", 1]), True),
    (asserted(["calls", "len_eq", 1, "why"]), True),
    (asserted(["calls", "exists"]), True),
    (asserted(["calls"]), False),
    (asserted([]), False),
    (asserted(["calls", "len_eq", 1, "why", 5]), False),
    (asserted(["calls", "len_eq", 1, 5]), False),
    (asserted([5, "len_eq"]), False),
    (asserted({"op": "exists"}), True),
    (asserted({"path": "calls"}), False),
    (CASE | {"prompt": " "}, False),
    (CASE | {"prompt": [" "]}, False),
    (CASE | {"prompt": []}, False),
    (CASE | {"prompt": [{"role": "user", "content": " "}]}, False),
    (CASE | {"prompt": [{"role": "user", "content": "x"}, "y"]}, False),
    (CASE | {"prompt": None}, True),
    (CASE | {"answers": []}, False),
    (CASE | {"answers": None}, True),
    (CASE | {"answers": {"golds": []}}, False),
    (CASE | {"tags": ["a\nb"]}, False),
    (CASE | {"tags": [" "]}, False),
    (CASE | {"tags": ["\u2003"]}, False),
    (CASE | {"tags": ["x\n"]}, False),
    (CASE | {"tags": ["\u202e"]}, True),
    (CASE | {"name": "\x85"}, False),
    (CASE | {"xfail": ""}, False),
    (CASE | {"epochs": 0}, False),
    (CASE | {"epochs": 1000}, True),
    (CASE | {"epochs": 1001}, False),
    (CASE | {"epochs": True}, False),
    (CASE | {"timeout_s": 0}, False),
    (CASE | {"timeout_s": 1e-9}, True),
    (CASE | {"tool_calls": [{"tool": "t", "retry": -1}]}, False),
    (CASE | {"tool_calls": [{"tool": "t", "expect_error": False}]}, False),
    (CASE | {"tool_calls": [{"tool": "t", "expect_error": 1}]}, False),
    (CASE | {"tool_calls": [{"tool": "t", "expect_error": ""}]}, False),
    (CASE | {"tool_calls": [{"tool": "t", "expect_error": None}]}, True),
    (CASE | {"tool_calls": [{"tool": "t", "save_as": {" ": "x"}}]}, False),
    (CASE | {"tool_calls": [{"tool": "t", "save_as": {"x": ""}}]}, True),
    (CASE | {"skip": "needs a judge"}, True),
    (CASE | {"skip": ""}, False),
    (CASE | {"match": "exact"}, True),
    (CASE | {"match": "same"}, False),
    (CASE | {"match": None}, False),
    (CASE | {"forbid_tools": []}, True),
    (CASE | {"forbid_tools": ["cancel"]}, True),
    (CASE | {"forbid_tools": None}, False),
    (CASE | {"forbid_tools": "cancel"}, False),
    (CASE | {"forbid_tools": [""]}, False),
    *((CASE | {"hygiene": value}, True) for value in (True, False, "strict")),
    *((CASE | {"hygiene": value}, False) for value in (None, 0, 1, "on", "Strict")),
    *((CASE | {"budget": {"max_calls": value}}, True) for value in (0, 5)),
    *((CASE | {"budget": {"max_calls": value}}, False) for value in (-1, True, 1.5, "5")),
    (CASE | {"budget": {"max_seconds": 0}}, True),
    (CASE | {"budget": {"max_seconds": -0.5}}, False),
    (CASE | {"budget": {"max_call": 1}}, False),
    (CASE | {"budget": None}, True),
    (CASE | {"budget": []}, False),
    (CASE | {"limits": {"max_calls": 1}}, True),
    *((CASE | {"limits": {"max_calls": value}}, False) for value in (0, True, 1.5)),
    (CASE | {"limits": {"max_seconds": 1}}, False),
    (CASE | {"state": {"expected": {"a": None}}}, True),
    (CASE | {"state": {"expected": {"a": 1}, "capture": "get"}}, True),
    (CASE | {"state": {"expected": {"a": 1}, "capture": "shop:capture"}}, True),
    (CASE | {"state": {"expected": {"a": 1}, "capture": None}}, True),
    (CASE | {"state": {"expected": {"a": 1}, "capture": {"a": "get"}}}, True),
    (CASE | {"state": {"expected": {"a": 1}, "capture": {"a": {"tool": "get"}}}}, True),
    (CASE | {"state": {"expected": {"a": 1}, "capture": {"a": {"args": {}}}}}, False),
    (CASE | {"state": {"expected": {"a": 1}, "capture": ["get"]}}, False),
    (CASE | {"state": {"expected": {" ": 1}}}, False),
    (CASE | {"state": {"replayed": ["a"]}}, True),
    (CASE | {"state": {"replayed": "a"}}, False),
    (CASE | {"state": None}, True),
    (CASE | {"system_prompt": " "}, False),
    (CASE | {"system_prompt": None}, True),
    (CASE | {"few_shot": [{"input": "2 + 2", "expected": "4"}]}, True),
    (CASE | {"few_shot": [{"input": "2 + 2"}]}, False),
    (CASE | {"few_shot": [{"input": " ", "expected": "4"}]}, False),
    (CASE | {"few_shot": [["2 + 2", "4"]]}, False),
    (CASE | {"few_shot": None}, False),
    (CASE | {"attachments": [{"path": "a.png"}]}, True),
    (CASE | {"attachments": ["a.png"]}, False),
    (CASE | {"attachments": [{"file": "a.png"}]}, False),
    (CASE | {"attachments": None}, False),
    (CASE | {"session_id": "s1"}, True),
    (CASE | {"session_id": 5}, False),
    (CASE | {"tool_calls": [{"tool": "t", "args_match": "subset"}]}, True),
    (CASE | {"tool_calls": [{"tool": "t", "args_match": "part"}]}, False),
    (CASE | {"tool_calls": [{"tool": "t", "arg_assertions": [["a", "eq", 1]]}]}, True),
    (CASE | {"tool_calls": [{"tool": "t", "arg_assertions": [{"op": "eq"}]}]}, True),
    (CASE | {"tool_calls": [{"tool": "t", "arg_assertions": ["a"]}]}, False),
    (asserted({"op": "f1", "threshold": 0}), False),
    (asserted({"op": "f1", "threshold": 1}), True),
    (asserted({"op": "f1", "threshold": 1.01}), False),
    (asserted({"op": "f1", "normalize": "basic+distinct"}), True),
    (asserted({"op": "f1", "normalize": "basic+"}), False),
    (asserted({"op": "f1", "normalize": "basic\n"}), False),
    (asserted({"op": "eq", "weight": 0}), True),
    (asserted({"op": "eq", "weight": -1}), False),
    (asserted({"op": "eq", "each": None}), True),
    (asserted({"op": "EQ"}), True),
]


@pytest.mark.parametrize(("data", "good"), BY_BOTH, ids=lambda each: str(each)[-40:])
def test_the_edges_are_the_same_for_both(data: dict[str, Any], good: bool) -> None:
    """At the ends of a range, and where a text says nothing, schema and codec agree."""
    assert is_accepted(data) is good
    assert VALID.is_valid([data]) is good


@pytest.mark.parametrize(
    ("data", "good"),
    [
        ({"scenarios": [CASE]}, True),
        ({"scenarios": [CASE], "tools": "shop:TOOLS"}, True),
        ({"scenarios": [CASE], "$schema": "evalkit.schema.json"}, True),
        ({"scenarios": [CASE], "defaults": {"tags": ["x"]}}, True),
        ({"scenarios": [CASE], "defaults": {"name": "x"}}, False),
        ({"scenarios": [CASE], "defaults": {"parametrize": [{"a": 1}]}}, False),
        ({"scenarios": [CASE], "defaults": {"tgas": ["x"]}}, False),
        ({"scenarios": [CASE], "defaults": None}, False),
        ({"scenarios": [CASE], "tools": None}, False),
        ({"scenarios": [CASE], "tools": ["shop:TOOLS"]}, False),
        ({"scenarios": [CASE], "version": 1}, False),
        ({"scenarios": []}, False),
        ({"scenarios": CASE}, False),
        ({"defaults": {}}, False),
        ([], False),
        ([CASE, 5], False),
        (CASE, False),
        ([CASE | {"parametrize": [{"a": 1}]}], True),
        ([CASE | {"parametrize": []}], False),
        ([CASE | {"parametrize": [{}]}], False),
        ([CASE | {"parametrize": [5]}], False),
        ([CASE | {"parametrize": {"a": 1}}], False),
    ],
    ids=lambda each: str(each)[-40:],
)
def test_a_file_as_a_whole(data: Any, good: bool) -> None:
    """A file is a list of scenarios, or a mapping that holds one beside tools and defaults."""
    assert VALID.is_valid(data) is good
