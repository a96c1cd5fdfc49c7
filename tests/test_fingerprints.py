"""A scenario's fingerprint changes with everything it declares, and with nothing else."""

import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import attrs
import pytest

from evalkit import (
    Answers,
    Assertion,
    Attachment,
    Budget,
    Catalogue,
    FewShot,
    Limits,
    Op,
    Ref,
    Scenario,
    State,
    ToolCall,
    Turn,
    default_session_id,
    fingerprint,
)

ROOT = Path(__file__).parents[1]
CALL = ToolCall("find", {"id": 1}, [Assertion("a", Op.EQ, 1)], save_as={"order": "id"})
BASE = Scenario("name", "prompt", [CALL], ["tag"], assertions=[Assertion("calls", Op.LEN_EQ, 1)])
ANSWERED = BASE.but(answers=Answers(["Paris"], "f1"))

BUDGET = [each.name for each in attrs.fields(Budget)]
LIMITS = [each.name for each in attrs.fields(Limits)]

SCENARIO: dict[str, list[dict[str, Any]]] = {
    "name": [{"name": "other"}],
    "prompt": [
        {"prompt": None},
        {"prompt": "other"},
        {"prompt": ["prompt", "more"]},
        {"prompt": [Turn("user", "prompt")]},
        {"prompt": [Turn("system", "prompt")]},
        {"prompt": ["user", "prompt"]},
    ],
    "tool_calls": [{"tool_calls": []}, {"tool_calls": [CALL, CALL]}],
    "tags": [{"tags": []}, {"tags": ["tag", "more"]}, {"tags": ["gat"]}],
    "description": [{"description": "words"}],
    "difficulty": [{"difficulty": "basic"}, {"difficulty": "advanced"}],
    "assertions": [{"assertions": []}, {"assertions": [Assertion("calls", Op.LEN_EQ, 2)]}],
    "answers": [{"answers": ["Paris"]}, {"answers": Answers(["Paris"], "contains")}],
    "epochs": [{"epochs": 1}, {"epochs": 2}, {"epochs": 2, "pass_epochs": 1}],
    "pass_epochs": [{"epochs": 3, "pass_epochs": 1}, {"epochs": 3, "pass_epochs": 2}],
    "timeout_s": [{"timeout_s": 1}, {"timeout_s": 2.5}],
    "xfail": [{"xfail": "known"}, {"xfail": "known better"}],
    "metadata": [{"metadata": {}}, {"metadata": {"a": 1}}, {"metadata": {"a": None}}],
    "skip": [{"skip": "needs a judge"}, {"skip": "needs a nose"}],
    "state": [
        {"state": State({"a": 1})},
        {"state": State({"a": 2})},
        {"state": State({"b": 1})},
        {"state": State({"a": None})},
        {"state": State({"a": 1}, capture="get")},
        {"state": State({"a": 1}, capture="give")},
        {"state": State({"a": 1}, capture=len)},
        {"state": State({"a": 1}, capture=str)},
        {"state": State({"a": 1}, capture={"a": "get"})},
        {"state": State({"a": 1}, capture={"a": ToolCall("get", {"b": 1})})},
        {"state": State({"a": 1}, replayed=["b"])},
        {"state": State({"a": 1}, replayed=["b", "c"])},
        {"state": State(replayed=["a"])},
    ],
    "match": [{"match": each} for each in ("exact", "any_order", "off")],
    "forbid_tools": [
        {"forbid_tools": ["a"]},
        {"forbid_tools": ["b"]},
        {"forbid_tools": ["a", "b"]},
    ],
    "hygiene": [{"hygiene": False}, {"hygiene": "strict"}],
    "budget": [
        *({"budget": Budget(**{name: value})} for name in BUDGET for value in (1, 2)),
        {"budget": Budget(**dict.fromkeys(BUDGET, 1))},
    ],
    "limits": [
        *({"limits": Limits(**{name: value})} for name in LIMITS for value in (1, 2)),
        {"limits": Limits(**dict.fromkeys(LIMITS, 1))},
    ],
    "system_prompt": [{"system_prompt": "be brief"}, {"system_prompt": "be long"}],
    "few_shot": [
        {"few_shot": [FewShot("a", "b")]},
        {"few_shot": [FewShot("b", "a")]},
        {"few_shot": [FewShot("a", "b", reasoning="c")]},
        {"few_shot": [FewShot("a", "b"), FewShot("a", "b")]},
    ],
    "attachments": [
        {"attachments": [Attachment(path="a.png")]},
        {"attachments": [Attachment(path="b.png")]},
        {"attachments": [Attachment(url="https://example.com/a.png")]},
        {"attachments": [Attachment(base64="AAEC", mime="image/png")]},
        {"attachments": [Attachment(base64="AAEC", mime="image/gif")]},
        {"attachments": [Attachment(base64="AAED", mime="image/png")]},
        {"attachments": [Attachment(path="a.png"), Attachment(path="b.png")]},
    ],
    "session_id": [{"session_id": "a"}, {"session_id": "b"}],
}
TOOL_CALL: dict[str, list[dict[str, Any]]] = {
    "tool": [{"tool": "other"}],
    "args": [
        {"args": {}},
        {"args": {"id": 2}},
        {"args": {"id": True}},
        {"args": {"id": "1"}},
        {"args": {"id": 1, "more": None}},
        {"args": {"id": [1]}},
        {"args": {"id": 2**70}},
        {"args": {"id": Ref("x")}},
        {"args": {"id": {"$ref": "x"}}},
    ],
    "assertions": [{"assertions": []}, {"assertions": [Assertion("a", Op.EQ, 2)]}],
    "label": [{"label": "words"}],
    "save_as": [{"save_as": {}}, {"save_as": {"order": "ids"}}, {"save_as": {"orders": "id"}}],
    "context_args": [{"context_args": {"a": "x"}}, {"context_args": {"a": "y"}}],
    "arg_transforms": [
        {"context_args": {"a": "x"}, "arg_transforms": {"a": lambda x: x + 1}},
        {"context_args": {"a": "x"}, "arg_transforms": {"a": lambda x: x + 2}},
        {"context_args": {"a": "x"}, "arg_transforms": {"a": str}},
    ],
    "expect_error": [{"expect_error": True}, {"expect_error": "no"}],
    "timeout_s": [{"timeout_s": 1}, {"timeout_s": 2.5}],
    "retry": [{"retry": 1}, {"retry": 2}],
    "args_match": [{"args_match": each} for each in ("subset", "superset", "ignore")],
    "arg_assertions": [
        {"arg_assertions": [Assertion("id", Op.EQ, 1)]},
        {"arg_assertions": [Assertion("id", Op.EQ, 2)]},
        {"arg_assertions": [Assertion("id", Op.EQ, 1)], "args_match": "subset"},
        {"arg_assertions": [Assertion("id", Op.EQ, 1)], "assertions": []},
    ],
}
ASSERTION: dict[str, list[dict[str, Any]]] = {
    "path": [{"path": "b"}, {"path": ""}, {"path": "a[0]"}],
    "op": [{"op": Op.NE}, {"op": "mine"}],
    "expected": [
        {"expected": None},
        {"expected": "1"},
        {"expected": True},
        {"expected": [1]},
        {"expected": Ref("x")},
        {"expected": {"$ref": "x"}},
        {"expected": [Ref("x")]},
        {"expected": 2**70},
    ],
    "description": [{"description": "words"}],
    "each": [{"each": "all"}, {"each": "any"}],
    "tolerance": [{"tolerance": 0.5}, {"tolerance": 0.25}],
    "rel": [{"rel": 0.5}, {"rel": 0.25}],
    "threshold": [{"threshold": 0.5}, {"threshold": 0.25}, {"threshold": 1}],
    "normalize": [{"normalize": "raw"}, {"normalize": "squad"}, {"normalize": "nfkc+squad"}],
    "extract": [{"extract": "terse"}, {"extract": "first_line"}],
    "weight": [{"weight": 2}, {"weight": 0.5}, {"weight": 0}],
    "severity": [{"severity": "warn"}],
}
ANSWERS: dict[str, list[dict[str, Any]]] = {
    "golds": [
        {"golds": ["Rome"]},
        {"golds": ["Paris", "Rome"]},
        {"golds": ["1"]},
        {"golds": ["1"], "match": "numeric"},
        {"golds": [1], "match": "numeric"},
    ],
    "match": [{"match": "exact_match"}, {"match": "similar"}, {"match": "contains"}],
    "threshold": [{"threshold": 0.5}, {"threshold": 0.25}, {"threshold": 1}],
    "normalize": [{"normalize": "raw"}, {"normalize": "squad"}],
    "extract": [{"extract": "terse"}, {"extract": "first_line"}],
}
NOT_DECLARED = {"source", "home"}


def with_call(**changes: Any) -> Scenario:
    """The scenario with its call changed."""
    return BASE.but(tool_calls=[CALL.but(**changes)])


def with_assertion(**changes: Any) -> Scenario:
    """The scenario with its call's assertion changed."""
    return with_call(assertions=[CALL.assertions[0].but(**changes)])


def with_answers(**changes: Any) -> Scenario:
    """The scenario with its gold answers changed."""
    return BASE.but(answers=attrs.evolve(Answers(["Paris"], "f1"), **changes))


VARIANTS = {
    "Scenario": [BASE.but(**each) for row in SCENARIO.values() for each in row],
    "ToolCall": [with_call(**each) for row in TOOL_CALL.values() for each in row],
    "Assertion": [with_assertion(**each) for row in ASSERTION.values() for each in row],
    "Answers": [ANSWERED, *(with_answers(**each) for row in ANSWERS.values() for each in row)],
}


@pytest.mark.parametrize(
    ("noun", "table"),
    [(Scenario, SCENARIO), (ToolCall, TOOL_CALL), (Assertion, ASSERTION), (Answers, ANSWERS)],
    ids=["Scenario", "ToolCall", "Assertion", "Answers"],
)
def test_the_tables_have_every_field(noun: type[Any], table: dict[str, Any]) -> None:
    """A field that is added later has its row here, or is said to be no part of it."""
    assert {each.name for each in attrs.fields(noun)} - NOT_DECLARED == set(table)


@pytest.mark.parametrize("noun", VARIANTS)
def test_every_declared_field_changes_it(noun: str) -> None:
    """Of scenarios that differ in one field each, no two have one fingerprint."""
    found: dict[str, list[Scenario]] = {}
    for each in [BASE, *VARIANTS[noun]]:
        found.setdefault(fingerprint(each), []).append(each)
    assert [alike for alike in found.values() if len(alike) > 1] == []


def test_where_it_is_registered_does_not_count() -> None:
    """Neither the line that registers a scenario nor its catalogue is part of it."""
    registered = Catalogue("one").add(BASE.but(source="there.py:7"))
    assert fingerprint(registered) == fingerprint(BASE)


def test_the_order_of_keys_does_not_count() -> None:
    """Dicts that are equal are the same, in whatever order they were written."""
    one, other = {"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 3, "c": 2}, "a": 1}
    assert fingerprint(with_call(args=one)) == fingerprint(with_call(args=other))
    assert fingerprint(BASE.but(metadata=one)) == fingerprint(BASE.but(metadata=other))
    assert fingerprint(with_assertion(expected=one)) == fingerprint(with_assertion(expected=other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (with_assertion(op=Op.EQ), with_assertion(op="EQ")),
        (BASE.but(tags=("tag",)), BASE.but(tags=["tag", "tag"])),
        (BASE.but(timeout_s=None), BASE),
        (BASE.but(answers=None), BASE),
        (BASE.but(answers=["Paris"]), BASE.but(answers=Answers(("Paris",), "exact_match"))),
    ],
)
def test_spellings_of_the_same_are_the_same(one: Scenario, other: Scenario) -> None:
    """Scenarios that are equal have one fingerprint."""
    assert one == other
    assert fingerprint(one) == fingerprint(other)


def test_the_order_of_calls_counts() -> None:
    """The same calls in another order are another scenario."""
    first, second = CALL, CALL.but(tool="other")
    one, other = BASE.but(tool_calls=[first, second]), BASE.but(tool_calls=[second, first])
    assert fingerprint(one) != fingerprint(other)


def test_two_lambdas_on_one_line_differ() -> None:
    """Two transforms that stand on one line are told apart by their code."""
    one, other = (lambda x: x * 2), (lambda x: x * 3)
    made = [with_call(context_args={"a": "x"}, arg_transforms={"a": each}) for each in (one, other)]
    assert fingerprint(made[0]) != fingerprint(made[1])


def test_what_a_transform_holds_counts() -> None:
    """Two closures of one function differ by what they hold."""

    def times(number: int) -> Scenario:
        transforms = {"a": lambda x: x * number}
        return with_call(context_args={"a": "x"}, arg_transforms=transforms)

    assert fingerprint(times(2)) == fingerprint(times(2))
    assert fingerprint(times(2)) != fingerprint(times(3))


def test_it_is_sha_256_in_hexadecimal() -> None:
    """A fingerprint has 64 hexadecimal digits."""
    assert len(fingerprint(BASE)) == 64
    assert int(fingerprint(BASE), 16) >= 0


CHILD = """
from evalkit import Assertion, Op, Ref, Scenario, ToolCall, default_session_id, fingerprint
COLOURS = {"x": [1, None, 2**70], "y": 0.1}
def shade(x): return (x in {"red", "green", "blue"}, COLOURS)
call = ToolCall("t", {"b": 1, "a": Ref("x")}, [Assertion("a", Op.IN, ["x", 2**70], weight=0)],
    context_args={"c": "x", "d": "x"}, arg_transforms={"c": shade, "d": lambda x: {x, "a", "b"}})
made = Scenario("täst", "Who?", [ToolCall("t", save_as={"x": "x"}), call], ["b", "a"],
    answers=["Räd", "blue"])
print(fingerprint(made), default_session_id(made))
"""


def test_it_is_the_same_in_another_process() -> None:
    """Neither hash seeds nor the folder that one stands in change a fingerprint or session id."""
    found = set()
    for seed, folder in (("1", "."), ("2", "/"), ("3", "/")):
        env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed}
        argv = [sys.executable, "-c", CHILD]
        done = subprocess.run(argv, env=env, capture_output=True, check=True, cwd=folder)
        found.add(done.stdout)
    assert len(found) == 1


def test_a_session_id_is_a_uuid_of_version_5() -> None:
    """The default session id is derived from the fingerprint: a UUID of version 5."""
    made = uuid.UUID(default_session_id(BASE))
    assert (made.version, made.variant) == (5, uuid.RFC_4122)


def test_a_session_id_is_the_scenario_s_own() -> None:
    """It is the same for the same scenario, and another for an edited one."""
    assert default_session_id(BASE) == default_session_id(BASE.but())
    assert default_session_id(BASE) != default_session_id(BASE.but(prompt="other"))
