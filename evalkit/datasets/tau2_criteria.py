"""What a task of tau2-bench is judged by: the parts of its criteria that its reward rests on."""

from collections.abc import Mapping
from typing import Final

import attrs

from evalkit.datasets.dataset import Record
from evalkit.datasets.reading import Part, has, known, note, parts, text, texts
from evalkit.datasets.rules import on_response
from evalkit.datasets.trajectories import arguments, below, called, choice, flag, on_calls, skipping
from evalkit.jsonvalue import Json, brief
from evalkit.registry import hint_for

DATABASE: Final = "db"
"""The name of the state that is compared: the whole database."""
STATE_TOOL: Final = "get_db_state"
"""The tool, without arguments, that gives the database; the author's table has it."""
DB, ENV, SAID, NL, ACTION = "DB", "ENV_ASSERTION", "COMMUNICATE", "NL_ASSERTION", "ACTION"
REWARDS: Final = (DB, ENV, SAID, NL, ACTION)
BASIS: Final = (DB, SAID)
"""What a reward rests on that says nothing of it."""
USER, AGENT = "user", "assistant"
REQUESTORS: Final = (AGENT, USER)
ENV_CALL: Final = {
    "env_type": "whose environment it is: one of the `user` needs a simulated user",
    "func_name": "the tool",
    "arguments": "its args",
}
CRITERIA: Final = {
    "actions": "tool_calls; with DB in the reward's basis, as they leave `db`, so is it to be left",
    "actions[].action_id": "label",
    "actions[].requestor": "an action of the `user` is metadata, and needs a simulated user",
    "actions[].name": "the tool",
    "actions[].arguments": "args",
    "actions[].info": "metadata",
    "actions[].compare_args": "the arguments that a call is compared by, with ACTION in the basis",
    "env_assertions": "state, with ENV_ASSERTION in the reward's basis",
    **below("env_assertions[]", ENV_CALL),
    "env_assertions[].assert_value": "what is expected of it; true where it is not said",
    "env_assertions[].message": "metadata",
    "communicate_info": "with COMMUNICATE in the basis: each is contained in a response",
    "nl_assertions": "skipped for want of a judge, with NL_ASSERTION in the basis or nothing else",
    "reward_basis": "what decides; DB and COMMUNICATE where it is not said",
}


@attrs.frozen
class Action:
    """An action of the agent's: the call, and what an agent's call is compared with."""

    call: Record
    operand: Record


def of_criteria(part: Part) -> Record:
    """Give what a scenario has from the criteria of its task, as fields in a file of evalkit.

    What the reward does not rest on is left out. `actions` are never a trajectory by themselves:
    with DB in the basis any way that leaves the database alike is right, and with ACTION each is
    found among the calls, whatever their order, others and results. Criteria by which any agent
    would pass are refused.
    """
    basis = _basis(part)
    actions, by_user = _actions(part)
    asserted, of_user = _env_assertions(part)
    said = _texts(part, "communicate_info") if SAID in basis else []
    found: Record = {"tool_calls": [each.call for each in actions]}
    if actions:
        found["match"] = "off"
    found["assertions"] = [contained(each) for each in said]
    if ACTION in basis and actions:
        found["assertions"] += [on_calls("calls", [each.operand for each in actions])]
    replayed = DB in basis and (has(part, "actions") or has(part, "env_assertions"))
    found["state"] = left(asserted if ENV in basis else {}, replayed=replayed)
    needs = _needs(part, basis, judged=bool(found["assertions"] or found["state"]))
    needs += [("a simulated user", "actions")] if by_user and basis & {DB, ACTION} else []
    needs += [("a simulated user", "env_assertions")] if of_user and ENV in basis else []
    return found | skipping(needs)


def _basis(part: Part) -> set[str]:
    if "reward_basis" not in part.data:
        return set(BASIS)
    found = texts(part, "reward_basis")
    for each in found:
        if each and each not in REWARDS:
            note(part, "reward_basis", f"unknown reward {brief(each)}", hint_for(each, REWARDS))
    return set(found)


def _needs(part: Part, basis: set[str], *, judged: bool) -> list[tuple[str, str]]:
    """Say whether a judge is needed, and note criteria that say nothing."""
    spoken = _texts(part, "nl_assertions")
    if spoken and (NL in basis or not judged):
        return [("a judge", "nl_assertions")]
    if not judged and not part.flaws:
        hint = "any agent would pass"
        note(part, "reward_basis", "nothing is there that the reward rests on", hint)
    return []


def _texts(part: Part, key: str) -> list[str]:
    return texts(part, key) if has(part, key) else []


def _parts(part: Part, key: str) -> list[Part]:
    return parts(part, key) if has(part, key) else []


def _actions(part: Part) -> tuple[list[Action], bool]:
    """Give the actions of the agent, and whether there are some of the user."""
    read = [_action(each) for each in _parts(part, "actions")]
    return [each for each in read if each is not None], None in read


def _action(part: Part) -> Action | None:
    known(part, below("evaluation_criteria", CRITERIA))
    call = called_as(part, "arguments")
    label = text(part, "action_id")
    compared = _compared(part, call)
    by = choice(part, "requestor", REQUESTORS) if has(part, "requestor") else AGENT
    return None if by == USER else Action({**call, "label": label}, compared)


def called_as(part: Part, key: str) -> Record:
    """Give the call of an action: its tool, and all of its arguments."""
    args = arguments(part, key)
    if args is None and not has(part, key):
        note(part, key, f"there is no {key!r}", "{} where it takes none")
    return called(text(part, "name"), args or {})


def _compared(part: Part, call: Record) -> Record:
    """Give what an agent's call is compared with: by all arguments, by some, or by none."""
    if not has(part, "compare_args"):
        return call
    names = texts(part, "compare_args")
    args: Record = call["args"]
    for each in names:
        if each and each not in args:
            problem = f"{each!r} is none of the arguments"
            note(part, "compare_args", problem, hint_for(each, args))
    if not names:
        return called(call["tool"])
    some = {key: value for key, value in args.items() if key in names}
    return {**call, "args": some, "args_match": "subset"}


def _env_assertions(part: Part) -> tuple[dict[str, Record], bool]:
    """Give the assertions on the agent's tools by name, and whether some are on the user's."""
    found: dict[str, Record] = {}
    of_user = False
    for each in _parts(part, "env_assertions"):
        known(each, below("evaluation_criteria", CRITERIA))
        whose = choice(each, "env_type", REQUESTORS)
        tool, args = text(each, "func_name"), arguments(each, "arguments") or {}
        value = flag(each, "assert_value")
        named = f"{tool}({', '.join(f'{key}={args[key]!r}' for key in args)})"
        of_user = of_user or whose == USER
        if whose == AGENT:
            if named in found:
                note(each, "func_name", f"{named} is there twice")
            found[named] = {"expected": value is not False, "capture": called(tool, args)}
    return found, of_user


def left(asserted: Mapping[str, Record], *, replayed: bool) -> Record:
    """Give the state that a scenario is to leave: what is asserted of it, and the database.

    >>> left({}, replayed=True)
    {'capture': {'db': {'tool': 'get_db_state'}}, 'replayed': ['db']}
    """
    if not asserted and not replayed:
        return {}
    capture: Record = {name: each["capture"] for name, each in asserted.items()}
    expected = {name: each["expected"] for name, each in asserted.items()}
    said: Record = {"expected": expected} if expected else {}
    if not replayed:
        return {**said, "capture": capture}
    capture[DATABASE] = {"tool": STATE_TOOL}
    return {**said, "capture": capture, "replayed": [DATABASE]}


def contained(said: str) -> dict[str, Json]:
    """Assert that one of the responses contains a text, whatever the case and digit grouping."""
    wanted = on_response("contains", said, normalize="prose", each="any", description="is told")
    return wanted | {"path": "responses[*]"}
