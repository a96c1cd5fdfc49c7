"""tau2-bench: tasks on a database, judged by how it is left and what was said; tau-bench's too."""

from collections.abc import Iterator
from typing import Final

from evalkit.datasets.dataset import Dataset, Record, ScenarioData
from evalkit.datasets.reading import (
    Part,
    has,
    inner,
    kept,
    known,
    name,
    parts,
    scenario,
    settled,
    text,
    texts,
    whole,
)
from evalkit.datasets.tau2_criteria import CRITERIA, called_as, contained, left, of_criteria
from evalkit.datasets.trajectories import below, choice

JUDGED: Final = "evaluation_criteria"
ROLES: Final = ("user", "assistant", "tool", "system")
TALK: Final = ("user", "assistant")
RESPOND: Final = "respond"
"""What tau-bench calls it where the agent speaks; it is no tool."""
INSTRUCTIONS: Final = {
    "domain": "Domain: ",
    "reason_for_call": "Reason for call:\n",
    "known_info": "Known info:\n",
    "unknown_info": "Unknown info:\n",
    "task_instructions": "Task instructions:\n",
}
"""The parts of structured instructions, in order, each with what is written before it."""
OPTIONAL: Final = ("known_info", "unknown_info")
DESCRIPTION: Final = {
    "purpose": "Purpose: ",
    "relevant_policies": "Relevant policies: ",
    "notes": "Notes: ",
}
_KEPT: Final = ("issues", "required_documents", "user_tools", "annotations")
_START: Final = ("initialization_data", "initialization_actions", "message_history")
TASK: Final = {
    "id": "name; a number is taken as its decimal text",
    "description": "description",
    **below("description", dict.fromkeys(DESCRIPTION, "a line of it")),
    "user_scenario": "metadata",
    "user_scenario.persona": "metadata",
    "user_scenario.instructions": "the prompt's last turn, where there is no ticket",
    **below("user_scenario.instructions", dict.fromkeys(INSTRUCTIONS, "a paragraph of it")),
    "ticket": "the prompt's last turn",
    "initial_state": "metadata, for the factory of tools to honour",
    **below("initial_state", dict.fromkeys(_START, "metadata")),
    "initial_state.message_history": "metadata; what says something: turns before the last",
    JUDGED: "metadata, and what it comes down to",
    **below(JUDGED, CRITERIA),
    **dict.fromkeys(_KEPT, "metadata"),
}
OLDER: Final = {
    "user_id": "metadata",
    "instruction": "prompt",
    "actions": "tool_calls: as they leave `db`, so is it to be left",
    "actions[].name": "the tool; `respond` is none, and left out",
    "actions[].kwargs": "args",
    "actions[].arguments": "args",
    "outputs": "each is contained in a response",
    "annotator": "metadata",
}
"""The fields of tau-bench's tasks, which are named after their place in the file: `task_0`."""


def scenarios(record: Record, number: int) -> Iterator[ScenarioData]:
    """Give the task of a record, judged by the criteria that its reward rests on.

    The database is what the tool `get_db_state` gives of it. Where the reward needs what is done
    by a user's hand, or a judge, the task is skipped, and says so.
    """
    part = whole(record)
    if "user_scenario" not in record and "instruction" in record:
        return settled(part, [_older(part, number)])
    known(part, TASK)
    ended = inner(part, JUDGED)
    if ended:
        known(ended, TASK)
    found = scenario(
        name=_named(part),
        description=_description(part),
        prompt=_prompt(part),
        metadata=kept(part, "user_scenario", "initial_state", JUDGED, *_KEPT),
        **(of_criteria(ended) if ended else {}),
    )
    return settled(part, [found | {"hygiene": False}])


def _named(part: Part) -> str:
    value = part.data.get("id")
    return str(value) if type(value) is int else name(part, "id")


def _description(part: Part) -> str:
    about = inner(part, "description") if has(part, "description") else None
    if about is None:
        return ""
    known(about, TASK)
    return "\n".join(
        f"{DESCRIPTION[key]}{text(about, key)}" for key in DESCRIPTION if has(about, key)
    )


def _prompt(part: Part) -> str | list[dict[str, str]]:
    """Give what is asked: the ticket, else the user's instructions, after what was said before."""
    user = inner(part, "user_scenario")
    instructions = _instructions(user) if user else ""
    asked = text(part, "ticket") if has(part, "ticket") else instructions
    before = _history(part)
    return [*before, {"role": "user", "content": asked}] if before else asked


def _instructions(user: Part) -> str:
    """Give the instructions of a user: a text, or written as tau2-bench does from their parts."""
    known(user, TASK)
    if has(user, "persona"):
        text(user, "persona")
    if type(user.data.get("instructions")) is not dict:
        return text(user, "instructions")
    said = inner(user, "instructions")
    if said is None:
        return ""
    known(said, TASK)
    wanted = [key for key in INSTRUCTIONS if has(said, key) or key not in OPTIONAL]
    return "\n".join(f"{INSTRUCTIONS[key]}{text(said, key)}" for key in wanted)


def _history(part: Part) -> list[dict[str, str]]:
    """Give what user and agent had said to each other; their calls are for the tools to redo."""
    start = inner(part, "initial_state") if has(part, "initial_state") else None
    if start is None:
        return []
    known(start, TASK)
    messages = parts(start, "message_history") if has(start, "message_history") else []
    said = []
    for each in messages:
        role = choice(each, "role", ROLES)
        if has(each, "content") and role in TALK:
            said.append({"role": role, "content": text(each, "content")})
    return said


def _older(part: Part, number: int) -> ScenarioData:
    """Give a task of tau-bench: its database, and what is to be told."""
    known(part, OLDER)
    calls = []
    for each in parts(part, "actions"):
        known(each, OLDER)
        call = called_as(each, "arguments" if "arguments" in each.data else "kwargs")
        calls += [call] if call["tool"] != RESPOND else []
    outputs = texts(part, "outputs") if has(part, "outputs") else []
    found = scenario(
        name=f"task_{number}",
        prompt=text(part, "instruction"),
        tool_calls=calls,
        match="off",
        assertions=[contained(each) for each in outputs],
        state=left({}, replayed=True),
        metadata=kept(part, "user_id", "annotator"),
    )
    return found | {"hygiene": False}


TAU2 = Dataset(
    name="tau2",
    about="tasks on a database, which an agent is to leave as the right actions do",
    source="tau2-bench's tasks.json, and the tasks of tau-bench",
    fields=TASK | OLDER,
    needs=(
        frozenset({"id", "user_scenario", JUDGED}),
        frozenset({"user_id", "instruction", "actions"}),
    ),
    scenarios=scenarios,
)
