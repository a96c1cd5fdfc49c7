"""mecha's cases."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalkit.datasets import DATASETS, recognised
from evalkit.datasets.mecha import STOP_CAUSES
from tests.datasets.records import flaws, one

MECHA = DATASETS["mecha"]
FILES = Path(__file__).parents[2] / "../shared/data/formats/mecha"
SKIPPED = {
    "kata-median": "needs a command: expect.verify",
    "kata-bugfix": "needs a command: expect.verify",
    "reports-outlier": "needs a judge: expect.judge",
    "reports-superseded": "needs a judge: expect.judge",
    "ambiguous-rate": "needs a judge: expect.judge",
    "ambiguous-hours": "needs a judge: expect.judge",
    "false-premise": "needs a judge: expect.judge",
    "memory-ambiguous": "needs a judge: expect.judge",
}
COUNTS = {"cases.jsonl": 36, "graph-cases.jsonl": 10}
CASE = {"id": "a", "tags": ["t"], "prompt": "Read it.", "expect": {"tools": ["read"]}}
ENDED = {
    "path": "stop_cause",
    "op": "in",
    "expected": list(STOP_CAUSES),
    "weight": 0,
    "description": "came to an end",
}


def case(**expect: Any) -> dict[str, Any]:
    """A case that expects this alone."""
    return CASE | {"expect": expect}


def asserted(**expect: Any) -> list[Any]:
    """The assertions that an expectation becomes, without the one of every case."""
    found = one(MECHA, case(**expect))["assertions"]
    return [each for each in found if each != ENDED]


def test_case() -> None:
    """A case is its prompt and tags; hygiene is strict, and any stop that mecha knows will do."""
    assert one(MECHA, CASE) == {
        "name": "a",
        "prompt": "Read it.",
        "tags": ["t"],
        "hygiene": "strict",
        "assertions": [{"path": "calls", "op": "calls", "expected": ["read"]}, ENDED],
    }


def test_turns() -> None:
    """Several texts are the turns of one conversation."""
    assert one(MECHA, CASE | {"prompt": ["First.", "Then."]})["prompt"] == ["First.", "Then."]


def test_what_a_run_is_given() -> None:
    """The turns and tokens of the case are its limits; those of `expect` are its budget."""
    found = one(MECHA, case(tools=["read"], max_turns=4) | {"max_turns": 9})
    assert found["limits"] == {"max_turns": 9}
    assert found["budget"] == {"max_turns": 4}
    assert one(MECHA, CASE | {"compact_at_tokens": 900})["limits"] == {"compact_at_tokens": 900}


def text(op: str, expected: Any) -> dict[str, Any]:
    """An assertion on the response by mecha's own rule."""
    return {"path": "response", "op": op, "expected": expected, "normalize": "prose"}


def meta(path: str, op: str, expected: Any) -> dict[str, Any]:
    """An assertion on what the agent tells of its run."""
    return {"path": f"meta.{path}", "op": op, "expected": expected}


def called(op: str, expected: Any) -> dict[str, Any]:
    """An assertion on the calls."""
    return {"path": "calls", "op": op, "expected": expected}


@pytest.mark.parametrize(
    ("expect", "assertions"),
    [
        ({"tools": ["a", "b"]}, [called("calls", ["a", "b"])]),
        ({"tools_in_order": ["a", "b"]}, [called("calls_in_order", ["a", "b"])]),
        ({"no_tools": True}, [called("calls_exactly", [])]),
        ({"contains": ["2,520", "EUR"]}, [text("contains_all", ["2,520", "EUR"])]),
        ({"contains_any": ["no ", "not"]}, [text("contains_any", ["no ", "not"])]),
        ({"not_contains": ["a", "b"]}, [text("not_contains", "a"), text("not_contains", "b")]),
        ({"taint": {"private": True}}, [meta("taint.private", "eq", True)]),
        (
            {"taint": {"private": False, "untrusted": True}},
            [meta("taint.private", "eq", False), meta("taint.untrusted", "eq", True)],
        ),
        ({"blocked_sends": 0}, [meta("blocked_sends", "eq", 0)]),
        ({"min_compactions": 1}, [meta("compactions", "gte", 1)]),
        ({"ended_on_failed_call": False}, [meta("ended_on_failed_call", "eq", False)]),
    ],
)
def test_expect(expect: Any, assertions: list[Any]) -> None:
    """Each field of `expect` is one check, or one for each of its items."""
    assert asserted(**expect) == assertions


def test_forbidden_tools() -> None:
    """`forbid_tools` is the scenario's own field, and is expectation enough."""
    assert one(MECHA, case(forbid_tools=["rm"]))["forbid_tools"] == ["rm"]


def test_stop_cause() -> None:
    """A stop that is expected takes the place of any that mecha knows."""
    wanted = {"path": "stop_cause", "op": "eq", "expected": "max_turns"}
    assert one(MECHA, case(stop_cause="max_turns"))["assertions"] == [wanted]


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({}, [["path", "exists"]]),
        ({"equals": "README"}, [["path", "in", ["README"]]]),
        ({"equals": "3"}, [["path", "in", ["3", 3]]]),
        ({"equals": "true"}, [["path", "in", ["true", True]]]),
        ({"equals": "null"}, [["path", "in", ["null", None]]]),
        ({"equals": "[1,2]"}, [["path", "in", ["[1,2]", [1, 2]]]]),
        ({"equals": "[1, 2]"}, [["path", "in", ["[1, 2]"]]]),
        ({"equals": "03"}, [["path", "in", ["03"]]]),
        ({"equals": '"x"'}, [["path", "in", ['"x"']]]),
        ({"equals": ""}, [["path", "in", [""]]]),
        (
            {"contains": "READ me"},
            [{"path": "path", "op": "contains", "expected": "READ me", "normalize": "prose"}],
        ),
        (
            {"equals": "3", "contains": "3"},
            [
                ["path", "in", ["3", 3]],
                {"path": "path", "op": "contains", "expected": "3", "normalize": "prose"},
            ],
        ),
    ],
)
def test_arguments(given: dict[str, str], where: list[Any]) -> None:
    """Both conditions hold of one call; `equals` takes the text, or the value written so."""
    found = asserted(args=[{"tool": "read", "key": "path", **given}])
    assert found == [called("call_args", {"tool": "read", "where": where})]


def test_an_odd_argument() -> None:
    """A key with a dot in it is one name, at the top level."""
    (found,) = asserted(args=[{"tool": "t", "key": "a.b", "equals": "x"}])
    assert found["expected"]["where"] == [['["a.b"]', "in", ["x"]]]


@pytest.mark.parametrize(
    ("expect", "skip"),
    [
        ({"judge": "it asks"}, "needs a judge: expect.judge"),
        ({"verify": "true"}, "needs a command: expect.verify"),
        (
            {"judge": "it asks", "verify": "true"},
            "needs a judge: expect.judge; needs a command: expect.verify",
        ),
    ],
)
def test_not_yet(expect: dict[str, str], skip: str) -> None:
    """What needs a judge or a command is skipped by the field, and its text is kept."""
    found = one(MECHA, case(tools=["a"], **expect) | {"sandbox": True})
    assert found["skip"] == skip
    assert found["metadata"] == {"sandbox": True, **expect}


def test_sandbox() -> None:
    """A private workspace alone is no reason to skip a case."""
    found = one(MECHA, CASE | {"sandbox": True})
    assert found["metadata"] == {"sandbox": True}
    assert "skip" not in found


NOTHING = "expect: there is nothing to check"
BLANK = "nothing is left of '**' once it is normalised"


@pytest.mark.parametrize(
    ("record", "flaw"),
    [
        (CASE | {"id": " "}, "id: is blank: ' '"),
        (CASE | {"prompt": []}, "prompt: has no turn"),
        (CASE | {"prompt": ["Hi", " "]}, "prompt[1]: is blank: ' '"),
        (CASE | {"tags": []}, "tags: there is no tag; mecha breaks its scorecard down by them"),
        (CASE | {"sandbox": 1}, "sandbox: expected true or false, got 1"),
        (CASE | {"max_turns": 0}, "max_turns: expected a whole number from 1, got 0"),
        (
            CASE | {"compact_at_tokens": True},
            "compact_at_tokens: expected a whole number from 1, got True",
        ),
        (CASE | {"sandbx": True}, "sandbx: unknown field 'sandbx'; did you mean 'sandbox'?"),
        (CASE | {"expect": {}}, NOTHING),
        (case(max_turns=4), f"{NOTHING}; max_turns alone is no expectation"),
        (case(tools=[], no_tools=False), NOTHING),
        (case(tool=["a"]), "expect.tool: unknown field 'tool'; did you mean 'tools'?"),
        (case(tools="a"), "expect.tools: expected a list of texts, got 'a'; put it in [ ]"),
        (case(tools=["a", ""]), "expect.tools[1]: is blank: ''"),
        (
            case(forbid_tools="a"),
            "expect.forbid_tools: expected a list of texts, got 'a'; put it in [ ]",
        ),
        (case(contains=["**"]), f"expect.contains[0]: {BLANK}"),
        (case(not_contains=["a", "**"]), f"expect.not_contains[1]: {BLANK}"),
        (case(no_tools="yes"), "expect.no_tools: expected true or false, got 'yes'"),
        (
            case(stop_cause="maxturns"),
            "expect.stop_cause: unknown stop_cause 'maxturns'; did you mean 'max_turns'?",
        ),
        (case(taint={}), "expect.taint: names no leg; private, untrusted, or both"),
        (
            case(taint={"privat": True, "untrusted": True}),
            "expect.taint.privat: unknown field 'privat'; did you mean 'private'?",
        ),
        (
            case(blocked_sends=-1),
            "expect.blocked_sends: expected a whole number from 0, got -1",
        ),
        (
            case(min_compactions=0),
            "expect.min_compactions: expected a whole number from 1, got 0",
        ),
        (
            case(args=[{"tool": "t", "key": "k", "equal": "x"}]),
            "expect.args[0].equal: unknown field 'equal'; did you mean 'equals'?",
        ),
        (
            case(args=[{"tool": "t", "key": "k", "equals": 3}]),
            "expect.args[0].equals: expected a text, got 3",
        ),
        (
            case(args=[{"tool": "t", "key": "k", "contains": "**"}]),
            f"expect.args[0].contains: {BLANK}",
        ),
        (case(args=[{"tool": "t"}]), "expect.args[0].key: there is no 'key'"),
        (
            case(verify="true"),
            "expect.verify: would run in what all cases share; say sandbox: true",
        ),
    ],
)
def test_refused(record: dict[str, Any], flaw: str) -> None:
    """A case that can't measure what it claims to is refused, with the field and what is wrong."""
    assert flaws(MECHA, record) == [flaw]


@pytest.mark.parametrize("file", COUNTS)
def test_files(file: str) -> None:
    """Those of mecha itself are recognised and read; what waits is named with its field."""
    path = FILES / file
    if not path.exists():
        pytest.skip("../shared/data is not there")
    lines = [line for line in path.read_text("utf-8").split("\n") if line.startswith("{")]
    records = [json.loads(line) for line in lines]
    assert all(recognised(record) == [MECHA] for record in records)
    found = [one(MECHA, record) for record in records]
    assert len(found) == COUNTS[file]
    skipped = {each["name"]: each["skip"] for each in found if "skip" in each}
    names = {each["name"] for each in found}
    assert skipped == {name: why for name, why in SKIPPED.items() if name in names}
