"""BFCL: questions with the functions that are offered, judged by the calls that are accepted."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import attrs

from evalkit.datasets.bfcl_accepted import PYTHON, accepted_arguments, impossible
from evalkit.datasets.dataset import Dataset, Flaw, Record, ScenarioData
from evalkit.datasets.reading import (
    Part,
    inner,
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
from evalkit.datasets.trajectories import arguments, choice, on_calls
from evalkit.jsonvalue import Json, brief
from evalkit.registry import counted, hint_for, listing

ANSWER: Final = "ground_truth"
FOLDER: Final = "possible_answer"
"""What stands beside the questions, and holds the accepted answers."""
ROLES: Final = ("system", "user", "assistant")
ONE, SEVERAL, NONE, SOME = "one call", "calls", "no call", "a call"
KINDS: Final[Mapping[str, str]] = {
    "simple": ONE,
    "simple_python": ONE,
    "multiple": ONE,
    "parallel": SEVERAL,
    "parallel_multiple": SEVERAL,
    "irrelevance": NONE,
    "relevance": SOME,
}
"""What is right in each category; all but the second are there as `live_...` too."""
FREE: Final[Mapping[str | None, Record]] = {
    NONE: {"op": "calls_exactly", "expected": []},
    SOME: {"op": "len_gte", "expected": 1},
}
"""What is asserted where no answer is published."""
FIELDS: Final = {
    "id": "name; what stands before the number is the category, and the tag",
    "question": "prompt: a list of one list of messages; neighbours of one role are one turn",
    "question[][].role": "the turn's role; a message of the system that comes first: system_prompt",
    "question[][].content": "the turn's content",
    "function": "metadata.functions: what is offered",
    "function[].name": "the tool's name, as it is written there",
    "function[].description": "metadata.functions",
    "function[].parameters": "metadata.functions; a value is compared by the type it has there",
    "ground_truth": "an assertion on `calls`: these, each once, in any order, and no others",
}
_CATEGORY: Final = re.compile(r"(?:live_)?(.*?)_\d")


@attrs.frozen
class Function:
    """A function that is offered: what is said of each argument, and which must be given."""

    arguments: Mapping[str, Any]
    required: list[str]


def answers_of(questions: Path) -> Path:
    """Give the file that holds the accepted answers to those in a file.

    >>> answers_of(Path("data", "BFCL_v4_multiple.json")).parts
    ('data', 'possible_answer', 'BFCL_v4_multiple.json')
    """
    return questions.parent / FOLDER / questions.name


def scenarios(record: Record, _number: int) -> Iterator[ScenarioData]:
    """Give the question of a record, judged by the calls alone, whatever they result in.

    A call is accepted where BFCL's own checker accepts it, but for one thing: 5.0 is as good as 5
    where an integer is asked for, as everywhere in evalkit. A question whose accepted answer no
    call can be is skipped.
    """
    part = whole(record)
    known(part, FIELDS)
    named = name(part, "id")
    category, kind = _kind(part, named)
    system, turns = _turns(part)
    functions = _functions(part)
    assertions, skip = _rule(part, kind, functions)
    found = scenario(
        name=named,
        prompt=turns[0]["content"] if len(turns) == 1 else turns,
        system_prompt=system,
        tags=[category],
        skip=skip,
        assertions=assertions,
        metadata={"functions": part.data.get("function")},
    )
    return settled(part, [found | {"hygiene": False}])


def _kind(part: Part, named: str) -> tuple[str, str | None]:
    """Give the category that a name begins with, and what is right in it."""
    match = _CATEGORY.match(named)
    category = match[1] if match else named
    if named and category not in KINDS:
        note(part, "id", f"unknown category {category!r}", f"known: {listing(KINDS)}")
    return category, KINDS.get(category)


def _turns(part: Part) -> tuple[str, list[dict[str, str]]]:
    """Give the system prompt and the turns; what is put to a model at once is one turn."""
    said: list[dict[str, str]] = []
    messages = _messages(part)
    for message in messages:
        role, content = choice(message, "role", ROLES), text(message, "content")
        known(message, FIELDS)
        if said and said[-1]["role"] == role:
            said[-1]["content"] += f"\n\n{content}"
        else:
            said.append({"role": role, "content": content})
    system = said.pop(0)["content"] if said and said[0]["role"] == "system" else ""
    if messages and (not said or said[-1]["role"] != "user"):
        problem = "does not end with a message of the user"
        note(part, "question", problem, "that is what is answered")
    return system, said or [{"role": "user", "content": ""}]


def _messages(part: Part) -> list[Part]:
    """Give the messages of a question, which is a list of one conversation."""
    asked = part.data.get("question")
    if type(asked) is not list or len(asked) != 1 or type(asked[0]) is not list or not asked[0]:
        hint = "several are of other categories, with several turns"
        note(part, "question", f"expected a list of one list of messages, got {brief(asked)}", hint)
        return []
    found = [Part(each, ("question", 0, at), part.flaws) for at, each in enumerate(asked[0])]
    for each in found:
        if type(each.data) is not dict:
            part.flaws.append(Flaw(each.steps, f"expected an object, got {brief(each.data)}"))
    return [each for each in found if type(each.data) is dict]


def _functions(part: Part) -> dict[str, Function]:
    """Give the functions that are offered, of one name the first; each must be one to be called."""
    found: dict[str, Function] = {}
    for each in parts(part, "function"):
        known(each, FIELDS)
        named, said = text(each, "name"), inner(each, "parameters")
        properties = inner(said, "properties") if said else None
        required = texts(said, "required") if said and said.data.get("required") != [] else []
        if properties is not None:
            _check_types(properties)
            found.setdefault(named, Function(properties.data, required))
    return found


def _check_types(properties: Part) -> None:
    """Note every argument of a type that is not one of Python's, as BFCL names them."""
    for key in properties.data:
        said = inner(properties, key)
        kind = said.data.get("type") if said else None
        if said and (type(kind) is not str or kind not in PYTHON):
            note(said, "type", f"unknown type {brief(kind)}", f"known: {listing(PYTHON)}")


def _rule(
    part: Part, kind: str | None, functions: Mapping[str, Function]
) -> tuple[list[Record], str | None]:
    """Give the assertions on the calls, and why there is nothing to be asked, if so."""
    if kind in FREE:
        if part.data.get(ANSWER):
            note(part, ANSWER, f"is not for the category of {part.data.get('id')!r}")
        return [on_calls(**FREE[kind])], None
    if ANSWER not in part.data:
        hint = f"it is looked for in {FOLDER}/, in a file of the same name"
        note(part, ANSWER, f"there is no {ANSWER!r}", hint)
        return [], None
    if part.flaws:  # by what is wrong here, no value can be compared
        return [], None
    wanted = [_operand(each, functions) for each in parts(part, ANSWER)]
    if not part.flaws and (not wanted or (kind == ONE and len(wanted) != 1)):
        note(part, ANSWER, f"expected {kind}, got {counted(len(wanted), 'call')}")
    absurd = [name for each in wanted for name in impossible(each["schema"])]
    skip = f"no call is accepted: {listing(absurd)} must be given, and can't be" if absurd else None
    return _just_these(wanted), skip


def _just_these(wanted: list[Record]) -> list[Record]:
    """Assert that the calls are these, in any order, and no others."""
    if len(wanted) == 1:
        return [on_calls("calls_exactly", wanted)]
    return [on_calls("calls_any_order", wanted), on_calls("len_eq", len(wanted))]


def _operand(part: Part, functions: Mapping[str, Function]) -> Record:
    """Give the call that an accepted answer asks for: a function, and a list for each argument."""
    tool = next(iter(part.data), "")
    if len(part.data) != 1:
        part.flaws.append(Flaw(part.steps, f"expected one function, got {listing(part.data)}"))
    elif tool not in functions:
        note(part, tool, f"no function {tool!r} is offered", hint_for(tool, functions))
    else:
        answer = inner(part, tool)
        if answer and arguments(part, tool) is not None and _are_lists(answer):
            function = functions[tool]
            schema = accepted_arguments(function.arguments, function.required, answer.data)
            return {"tool": tool, "schema": schema}
    return {"tool": tool, "schema": accepted_arguments({}, [], {})}


def _are_lists(answer: Part) -> bool:
    """Note every argument whose accepted values are no list."""
    found = [_is_list(answer, key, values) for key, values in answer.data.items()]
    return all(found)


def _is_list(answer: Part, key: str, values: Json) -> bool:
    """Note what is no list of values; within an object, each key has one as well."""
    if type(values) is not list:
        note(answer, key, f"expected a list of values, got {brief(values)}", "put it in [ ]")
        return False
    listed = [each for value in values for each in (value if type(value) is list else [value])]
    inside = [each for value in listed if type(value) is dict for each in value.values()]
    for each in inside:
        if type(each) is not list:
            problem = f"expected a list of values for each key, got {brief(each)}"
            note(answer, key, problem, "put it in [ ]")
            return False
    return True


BFCL = Dataset(
    name="bfcl",
    about="questions with functions to choose from, and the calls that are accepted",
    source="the Berkeley Function Calling Leaderboard: simple_python, multiple, parallel, "
    "parallel_multiple, irrelevance, and the live ones",
    fields=FIELDS,
    needs=(frozenset({"id", "question", "function"}),),
    scenarios=scenarios,
    beside=answers_of,
)
