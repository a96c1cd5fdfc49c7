"""What a case of Swink expects: each field that says so, and what becomes of it."""

from collections.abc import Callable, Mapping

import attrs

from evalkit.datasets.dataset import Record
from evalkit.datasets.reading import Part, has, inner, kept, name, note, parts, text
from evalkit.datasets.rules import on_response
from evalkit.datasets.swink_evaluators import BY_FIELD, EVALUATORS, JUDGE, needs_of
from evalkit.datasets.trajectories import (
    arguments,
    called,
    choice,
    count,
    flag,
    listed,
    on_calls,
    unique,
)
from evalkit.jsonvalue import Json, brief, is_number
from evalkit.registry import hint_for

Check = Callable[[Part], None]
"""What notes the unknown fields of a part."""

_MODES = {"exact": "expected", "contains": "substring", "regex": "pattern"}
_JUDGED_KINDS = ("goal_completed", "user_satisfied", "custom")
_KINDS = ("tool_invoked", *_JUDGED_KINDS)
_BUDGET = {"max_input": "max_input_tokens", "max_output": "max_output_tokens"}


@attrs.define(eq=False)
class Expected:
    """What is expected, as fields of a scenario; what it needs to be judged; what is only kept."""

    fields: Record = attrs.field(factory=dict)
    needs: list[tuple[str, str]] = attrs.field(factory=list)
    kept: list[str] = attrs.field(factory=list)

    @property
    def asks(self) -> bool:
        """Say whether anything can fail the case; a budget alone is no expectation."""
        return bool(self.needs) or any(value for key, value in self.fields.items() if key != BUDGET)


BUDGET = "budget"


def expected_of(part: Part, check: Check) -> Expected:
    """Read what a case expects; what its evaluators leave out is kept, and decides nothing."""
    evaluators = _evaluators(part)
    found = Expected(needs=needs_of(evaluators))
    for field, read in _READ.items():
        if not has(part, field):
            continue
        fields = read(part, field, check)
        if evaluators and not set(BY_FIELD[field]) & set(evaluators):
            found.kept.append(field)
        elif fields is None:
            found.kept.append(field)
            found.needs.append((JUDGE, field))
        else:
            assertions = [*found.fields.get("assertions", ()), *fields.get("assertions", ())]
            found.fields |= {**fields, "assertions": assertions}
    return found


def _evaluators(part: Part) -> list[str]:
    names = listed(part, "evaluators")
    inside = Part({}, (*part.steps, "evaluators"), part.flaws)
    for index, each in enumerate(names):
        if each not in EVALUATORS:
            note(inside, index, f"unknown evaluator {brief(each)}", hint_for(each, EVALUATORS))
    return names


def _trajectory(part: Part, field: str, check: Check) -> Record:
    calls = []
    for each in parts(part, field):
        check(each)
        calls.append(called(text(each, "tool_name"), arguments(each, "arguments")))
    return {"tool_calls": calls}


def _response(part: Part, field: str, check: Check) -> Record:
    criteria = inner(part, field)
    if criteria is None:
        return {}
    check(criteria)
    mode = choice(criteria, "mode", _MODES)
    for key in _MODES.values():
        if mode and key in criteria.data and key != _MODES[mode]:
            note(criteria, key, f"says nothing where the mode is {mode!r}")
    if not mode:
        return {}
    wanted = _wanted(criteria, _MODES[mode], may_be_empty=mode == "exact")
    op = {"exact": "eq", "contains": "contains", "regex": "matches"}[mode]
    return {"assertions": [on_response(op, wanted)]}


def _wanted(part: Part, key: str, *, may_be_empty: bool) -> str:
    value = part.data.get(key)
    if type(value) is not str or not (value or may_be_empty):
        return text(part, key)
    return value


def _budget(part: Part, field: str, check: Check) -> Record:
    budget = inner(part, field)
    if budget is None:
        return {}
    check(budget)
    found: Record = {}
    if has(budget, "max_cost"):
        cost = budget.data["max_cost"]
        if not is_number(cost) or cost < 0:
            note(budget, "max_cost", f"expected a number from 0, got {brief(cost)}")
        found["max_cost_usd"] = cost
    for key, becomes in (*_BUDGET.items(), ("max_turns", "max_turns")):
        if has(budget, key):
            found[becomes] = count(budget, key)
    return {BUDGET: found}


def _state(part: Part, field: str, check: Check) -> Record:
    states = parts(part, field)
    unique(states, "name")
    found: Record = {}
    for each in states:
        check(each)
        if "state" not in each.data:
            note(each, "state", "there is no 'state'")
        found[name(each, "name")] = each.data.get("state")
    return {"state": {"expected": found} if found else {}}


def _assertion(part: Part, field: str, check: Check) -> Record | None:
    """Read an assertion: a tool that is called can be seen, all else is for a judge."""
    assertion = inner(part, field)
    if assertion is None:
        return {}
    check(assertion)
    said, kind = text(assertion, "description"), assertion.data.get("kind")
    if type(kind) is str:
        kind = choice(assertion, "kind", _KINDS)
        if kind in ("tool_invoked", "custom"):
            note(assertion, "kind", f"{kind!r} is not said in full", f"{{{kind}: ...}}")
        return None
    held = inner(assertion, "kind")
    if held is None:
        return {}
    check(held)
    if len(held.data) != 1:
        note(assertion, "kind", f"expected one of {', '.join(_KINDS)}, got {brief(held.data)}")
    if "tool_invoked" in held.data:
        return {"assertions": [on_calls("calls", [text(held, "tool_invoked")], description=said)]}
    predicate = inner(held, "custom") if "custom" in held.data else None
    if predicate is not None:
        check(predicate)
        text(predicate, "predicate")
    return None


def _interactions(part: Part, field: str, check: Check) -> Record | None:
    found = parts(part, field)
    for each in found:
        check(each)
        for key in ("from", "to", "description"):
            text(each, key)
    return None if found else {}


def _intent(part: Part, field: str, check: Check) -> Record | None:
    intent = inner(part, field)
    if intent is not None:
        check(intent)
        text(intent, "intent")
        if has(intent, "tool_name"):
            text(intent, "tool_name")
    return None


def _selection(part: Part, field: str, _: Check) -> Record | None:
    return None if flag(part, field) else {}


_READ: Mapping[str, Callable[[Part, str, Check], Record | None]] = {
    "expected_trajectory": _trajectory,
    "expected_response": _response,
    BUDGET: _budget,
    "expected_environment_state": _state,
    "expected_assertion": _assertion,
    "expected_interactions": _interactions,
    "expected_tool_intent": _intent,
    "semantic_tool_selection": _selection,
}
"""How each expectation is read; None where it is for a judge."""


def left_in(part: Part, found: Expected) -> dict[str, Json]:
    """Give what a case says that decides nothing, under its own names."""
    said = kept(part, *found.kept, "evaluators", "few_shot_examples")
    return {key: value for key, value in said.items() if value}
