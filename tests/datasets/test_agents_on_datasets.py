"""The cases of mecha and ADK, run against agents that are told what to do: their own verdicts.

What each system would say is worked out here by its plain rule, beside what evalkit says.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from evalkit import Catalogue, Reply, Status, load, run
from evalkit.datasets.mecha import STOP_CAUSES
from tests.datasets.test_mecha import SKIPPED

FILES = Path(__file__).parents[2] / "../shared/data/formats"
Call = dict[str, Any]


@attrs.frozen
class Act:
    """What an agent does over a whole conversation: its calls and answers by turn, and the rest."""

    calls: list[list[Call]]
    answers: list[str]
    turns: int = 1
    stop_cause: str = "completed"
    meta: dict[str, Any] = attrs.field(factory=dict)


def agent_of(acts: dict[str, Act]) -> Callable[..., Reply]:
    """An agent that acts by the first turn of the prompt."""

    def agent(conversation: list[dict[str, str]]) -> Reply:
        said = [each["content"] for each in conversation if each["role"] == "user"]
        act, at = acts[said[0]], len(said) - 1
        last = at == len(act.answers) - 1
        return Reply(
            act.answers[at],
            calls=[{**call, "result": "done"} for call in act.calls[at]],
            turns=act.turns if last else 0,
            stop_cause=act.stop_cause if last else "completed",
            meta=act.meta if last else None,
        )

    return agent


def first(prompt: Any) -> str:
    """The first turn of a prompt, as a file or a scenario has it."""
    return prompt if type(prompt) is str else prompt[0]


def statuses(catalogue: Catalogue, acts: dict[str, Act]) -> dict[str, Status]:
    """How the scenarios come out, by the first turn of their prompts."""
    report = run(catalogue, agent=agent_of(acts))
    prompts = {scenario.name: first(scenario.prompt) for scenario in catalogue}
    return {prompts[result.name]: result.status for result in report.results}


MECHA = [FILES / "mecha" / name for name in ("cases.jsonl", "graph-cases.jsonl")]


def mecha_records(path: Path) -> list[Any]:
    """The cases of a file that are not skipped."""
    if not path.exists():
        pytest.skip("../shared/data is not there")
    lines = [line for line in path.read_text("utf-8").split("\n") if line.startswith("{")]
    return [each for each in map(json.loads, lines) if each["id"] not in SKIPPED]


def good(record: Any) -> Act:
    """What does all that a case of mecha expects."""
    expect = record["expect"]
    called = [*expect.get("tools_in_order", ()), *expect.get("tools", ())]
    calls: list[Call] = [{"tool": name, "args": {}} for name in called]
    for each in expect.get("args", ()):
        value = int(each["equals"]) if "equals" in each else f"a **{each['contains']}** b"
        calls.append({"tool": each["tool"], "args": {each["key"]: value}})
    wanted = [*expect.get("contains", ()), *expect.get("contains_any", ())[:1]]
    meta = {
        "taint": {"private": False, "untrusted": False, **expect.get("taint", {})},
        "blocked_sends": expect.get("blocked_sends", 0),
        "compactions": expect.get("min_compactions", 0),
    }
    more = (1 if type(record["prompt"]) is str else len(record["prompt"])) - 1
    answer = f"It is {', '.join(each.upper() for each in wanted)}."
    return Act([[]] * more + [calls], ["So far so good."] * more + [answer], meta=meta)


def mecha_says(record: Any, act: Act) -> bool:
    """Whether a case of mecha passes, by mecha's rules."""
    expect, calls = record["expect"], [call for turn in act.calls for call in turn]
    named = [call["tool"] for call in calls]
    later = iter(named)
    answer = plain(act.answers[-1])
    meta = act.meta
    return (
        all(name in named for name in expect.get("tools", ()))
        and all(any(name == other for other in later) for name in expect.get("tools_in_order", ()))
        and not set(named) & set(expect.get("forbid_tools", ()))
        and not (expect.get("no_tools") and named)
        and all(plain(each) in answer for each in expect.get("contains", ()))
        and not any(plain(each) in answer for each in expect.get("not_contains", ()))
        and any(plain(each) in answer for each in expect.get("contains_any", [""]))
        and all(any(is_sent(each, call) for call in calls) for each in expect.get("args", ()))
        and act.turns <= expect.get("max_turns", act.turns)
        and act.stop_cause == expect.get("stop_cause", act.stop_cause)
        and all(meta["taint"][leg] is want for leg, want in expect.get("taint", {}).items())
        and meta["blocked_sends"] == expect.get("blocked_sends", meta["blocked_sends"])
        and meta["compactions"] >= expect.get("min_compactions", 0)
    )


def is_sent(expect: Any, call: Call) -> bool:
    """Whether a call sends an argument as mecha wants it."""
    if call["tool"] != expect["tool"] or expect["key"] not in call["args"]:
        return False
    value = call["args"][expect["key"]]
    written = value if type(value) is str else json.dumps(value)
    equal = written == expect.get("equals", written)
    return equal and plain(expect.get("contains", "")) in plain(written)


def plain(text: str) -> str:
    """A text as mecha compares it."""
    bare = re.sub(r"[*_`#]", "", text.lower())
    return " ".join(re.sub(r"(?<=[0-9]),(?=[0-9])", "", bare).split())


def changed(act: Act, **last: Any) -> Act:
    """An act whose last turn has other calls or another answer, or which tells something else."""
    whole = ("turns", "stop_cause", "meta")
    fields: dict[str, Any] = {key: last.pop(key) for key in whole if key in last}
    for name, value in last.items():
        fields[name] = [*getattr(act, name)[:-1], value]
    return attrs.evolve(act, **fields)


def forbidden(record: Any) -> list[str]:
    """Texts that a case does not want in the answer, or a text that none speaks of."""
    return list(record["expect"].get("not_contains", ())) or ["whatever"]


CHANGES: dict[str, Callable[[Any, Act], Act]] = {
    "nothing": lambda _, act: act,
    "no call": lambda _, act: changed(act, calls=[]),
    "calls swapped": lambda _, act: changed(act, calls=act.calls[-1][::-1]),
    "a call left out": lambda _, act: changed(act, calls=act.calls[-1][1:]),
    "another tool": lambda _, act: changed(
        act, calls=[{**call, "tool": "elsewhere"} for call in act.calls[-1]]
    ),
    "other arguments": lambda _, act: changed(
        act, calls=[{**call, "args": dict.fromkeys(call["args"], "?")} for call in act.calls[-1]]
    ),
    "one more call": lambda _, act: changed(
        act, calls=[*act.calls[-1], {"tool": "fs_read", "args": {"path": "x"}}]
    ),
    "a forbidden call": lambda record, act: changed(
        act,
        calls=[
            *act.calls[-1],
            *({"tool": each, "args": {}} for each in record["expect"].get("forbid_tools", ())),
        ],
    ),
    "another answer": lambda _, act: changed(act, answers="I have no idea."),
    "half an answer": lambda _, act: changed(act, answers=act.answers[-1].partition(",")[0]),
    "too much said": lambda record, act: changed(
        act, answers=f"{act.answers[-1]} {forbidden(record)[0]}"
    ),
    "too many turns": lambda _, act: changed(act, turns=1_000),
    "cut short": lambda _, act: changed(act, stop_cause="max_turns"),
    "clean": lambda _, act: changed(
        act, meta={**act.meta, "taint": {"private": False, "untrusted": False}}
    ),
    "one send blocked more": lambda _, act: changed(
        act, meta={**act.meta, "blocked_sends": act.meta["blocked_sends"] + 1}
    ),
    "never compacted": lambda _, act: changed(act, meta={**act.meta, "compactions": 0}),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("path", MECHA, ids=lambda path: path.name)
def test_mecha(path: Path, change: str) -> None:
    """Each case of mecha comes out as mecha would have it, whatever the agent does."""
    records = mecha_records(path)
    acts = {first(each["prompt"]): CHANGES[change](each, good(each)) for each in records}
    expected = {
        first(each["prompt"]): mecha_says(each, acts[first(each["prompt"])]) for each in records
    }
    names = [each["id"] for each in records]
    found = statuses(load(path).select(names=names), acts)
    assert found == {
        prompt: Status.PASSED if passes else Status.FAILED for prompt, passes in expected.items()
    }
    assert all(expected.values()) or change != "nothing"


def test_a_change_is_one() -> None:
    """Every change fails some case of mecha, but for the one that mecha does not mind."""
    records = [each for path in MECHA for each in mecha_records(path)]
    failed = {
        name: sum(not mecha_says(each, change(each, good(each))) for each in records)
        for name, change in CHANGES.items()
    }
    assert {name for name, count in failed.items() if not count} == {"nothing", "cut short"}


@pytest.mark.parametrize("path", MECHA, ids=lambda path: path.name)
def test_mecha_skips(path: Path) -> None:
    """What needs a judge or a command is SKIPPED, by name and field."""
    mecha_records(path)
    catalogue = load(path)
    waiting = [name for name in SKIPPED if name in {each.name for each in catalogue}]
    report = run(catalogue.select(names=waiting), agent=agent_of({}))
    assert [result.status for result in report.results] == [Status.SKIPPED] * len(waiting)
    assert {result.name: result.reason for result in report.results} == {
        name: SKIPPED[name] for name in waiting
    }


def test_an_end_that_mecha_does_not_know() -> None:
    """A run of mecha that ends as none of its own does has raised, and fails."""
    path = MECHA[0]
    record = next(each for each in mecha_records(path) if each["id"] == "csv-rows")
    act = changed(good(record), stop_cause="content_filter")
    assert act.stop_cause not in STOP_CAUSES
    found = statuses(load(path).select(names=["csv-rows"]), {first(record["prompt"]): act})
    assert list(found.values()) == [Status.FAILED]


ADK = sorted((FILES / "adk").glob("*.json"))


def adk_turns(path: Path) -> list[tuple[str, list[Call], str]]:
    """What is asked, called and answered in each turn of the one case of a file."""
    held = json.loads(path.read_text("utf-8"))
    if type(held) is list:
        return [
            (
                each["query"],
                [
                    {"tool": call["tool_name"], "args": call["tool_input"]}
                    for call in each["expected_tool_use"]
                ],
                each["reference"],
            )
            for each in held
        ]
    (case,) = held["eval_cases"]
    return [
        (
            each["user_content"]["parts"][0]["text"],
            [
                {"tool": call["name"], "args": call["args"]}
                for call in each["intermediate_data"]["tool_uses"]
            ],
            each["final_response"]["parts"][0]["text"] or "",
        )
        for each in case["conversation"]
    ]


def moved(calls: list[list[Call]]) -> list[list[Call]]:
    """The calls of each turn in the next one."""
    return [calls[-1], *calls[:-1]]


MOVES: dict[str, Callable[[list[list[Call]]], list[list[Call]]]] = {
    "nothing": lambda calls: calls,
    "the first left out": lambda calls: [turn[1:] for turn in calls],
    "none": lambda calls: [[] for _ in calls],
    "twice": lambda calls: [turn + turn for turn in calls],
    "backwards": lambda calls: [turn[::-1] for turn in calls],
    "a turn late": moved,
    "all at once": lambda calls: [[call for turn in calls for call in turn], *calls[1:]],
    "another tool": lambda calls: [[{**call, "tool": "t"} for call in turn] for turn in calls],
    "without arguments": lambda calls: [[{**call, "args": {}} for call in turn] for turn in calls],
    "more arguments": lambda calls: [
        [{**call, "args": {**call["args"], "x": 1}} for call in turn] for turn in calls
    ],
    "one more": lambda calls: [*calls[:-1], [*calls[-1], {"tool": "t", "args": {}}]],
}


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("path", ADK, ids=lambda path: path.stem)
def test_adk_calls(path: Path, move: str) -> None:
    """The calls of each turn are to be the expected ones, as by ADK's EXACT."""
    turns = adk_turns(path)
    expected = [calls for _, calls, _ in turns]
    made = MOVES[move](expected)
    act = Act(made, [answer or "Done." for _, _, answer in turns])
    (status,) = statuses(load(path), {turns[0][0]: act}).values()
    assert status is (Status.PASSED if made == expected else Status.FAILED)


@pytest.mark.parametrize("path", ADK, ids=lambda path: path.stem)
def test_adk_answers(path: Path) -> None:
    """An answer in other words fails, in each turn that expects one."""
    turns = adk_turns(path)
    good = [answer or "Done." for _, _, answer in turns]
    for at, (_, _, answer) in enumerate(turns):
        told = [*good[:at], "Something else entirely.", *good[at + 1 :]]
        act = Act([calls for _, calls, _ in turns], told)
        (status,) = statuses(load(path), {turns[0][0]: act}).values()
        assert status is (Status.FAILED if answer else Status.PASSED)
