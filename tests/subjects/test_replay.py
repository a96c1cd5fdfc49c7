"""Recordings of tools as subject: the traces are those of the runs, but for times."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, Op, Ref, Scenario, State, Status, ToolCall, load, run
from evalkit.grading import grade
from evalkit.subjects.replay import REPLAYED_TOOLS
from evalkit.trace import REDACTED
from tests.subjects.replayed import TOOLS, codes, missed, planned, recorded, timeless

SHOP = Path(__file__).parents[2] / "scenarios" / "shop.py"
CHAIN = Scenario(
    "chain",
    "Refund it.",
    [
        ToolCall("find", {"id": 7}, save_as={"id": "id", "cents": "cents", "gone": "absent"}),
        ToolCall(
            "refund",
            {"id": Ref("id")},
            [Assertion("refunded", Op.EQ, 100)],
            context_args={"cents": "cents"},
            arg_transforms={"cents": min},
        ),
        ToolCall("refund", {"id": 7, "cents": 250}, expect_error="too much"),
        ToolCall("refund", {"id": 7, "cents": Ref("gone")}),
        ToolCall(
            "find", context_args={"id": "id"}, arg_transforms={"id": lambda value: value["x"]}
        ),
    ],
    assertions=[Assertion("errors", Op.LEN_EQ, 2)],
)


def test_a_run_of_the_tools_is_given_again(tmp_path: Path) -> None:
    """Results, errors, prints, what could not be saved, and transforms that fail: all is there."""
    live = run(CHAIN, tools=TOOLS)["chain"]
    plan = planned(CHAIN, REPLAYED_TOOLS)
    trace = recorded(tmp_path, [live]).trace_of(plan, 1)
    assert timeless(trace) == timeless(live.trace)
    assert codes(grade(plan, trace)) == codes(live)
    assert {status for status, *_ in codes(live)} == {Status.PASSED, Status.FAILED}


def test_the_shop_is_given_again(tmp_path: Path) -> None:
    """Every scenario of a whole catalogue has the verdicts of the run that was recorded."""
    shop = load(SHOP)
    report = run(shop)
    replay = recorded(tmp_path, report.results)
    for live in report.results:
        if live.trace is not None:
            plan = planned(shop[live.name], REPLAYED_TOOLS, shop.operators)
            trace = replay.trace_of(plan, live.epoch)
            assert timeless(trace) == timeless(live.trace)
            assert codes(grade(plan, trace)) == codes(live)
    assert len(list(tmp_path.iterdir())) > 40


def test_what_a_path_selects_stays_in_order(tmp_path: Path) -> None:
    """The values of an object come in the order that the tool gave them."""
    call = ToolCall("t", {}, [Assertion("sizes[*]", Op.EQ, [3, 1, 2])])
    scenario = Scenario("s", tool_calls=[call])
    live = run(scenario, tools={"t": lambda: {"sizes": {"z": 3, "a": 1, "m": 2}}})["s"]
    plan = planned(scenario, REPLAYED_TOOLS)
    assert live.passed
    assert grade(plan, recorded(tmp_path, [live]).trace_of(plan, 1)).passed


def test_each_epoch_is_given_for_itself(tmp_path: Path) -> None:
    """Tools that answer otherwise the second time do so in the recording too."""
    given = iter(range(9))
    scenario = Scenario("s", tool_calls=[ToolCall("t", {}, [Assertion("", Op.EQ, 1)])])
    report = run(scenario, tools={"t": lambda: next(given)}, epochs=3)
    replay = recorded(tmp_path, report.results)
    plan = planned(scenario, REPLAYED_TOOLS)
    statuses = [grade(plan, replay.trace_of(plan, epoch)).status for epoch in (1, 2, 3, 4)]
    assert statuses == [Status.FAILED, Status.PASSED, Status.FAILED, Status.ERROR]


def test_time_that_was_over_is_over_again(tmp_path: Path) -> None:
    """A step that was not run, for the scenario's time was over, is not run in a replay either."""
    calls = [ToolCall("find", {"id": 7}), ToolCall("find", {"id": 8})]
    scenario = Scenario("s", tool_calls=calls)
    live = run(scenario, tools=TOOLS)["s"]
    assert live.trace is not None
    del live.trace["calls"][1]
    live.trace["not_run"] = [
        {"step": 1, "tool": "find", "cause": "scenario_timeout", "needs": None}
    ]
    plan = planned(scenario, REPLAYED_TOOLS)
    trace = recorded(tmp_path, [live]).trace_of(plan, 1)
    assert timeless(trace) == timeless(live.trace)
    assert grade(plan, trace).checks[1].code == "scenario_timeout"


EDITS: dict[str, tuple[Scenario, str]] = {
    "another argument": (
        CHAIN.but(tool_calls=[ToolCall("find", {"id": 8})]),
        "nearest: find(id=7): at args.id: expected 7, got 8",
    ),
    "another tool": (
        CHAIN.but(tool_calls=[ToolCall("refund", {"id": 7})]),
        "nearest: find(id=7): at tool: expected 'find', got 'refund'",
    ),
    "another transform": (
        CHAIN.but(
            tool_calls=[
                CHAIN.tool_calls[0],
                CHAIN.tool_calls[1].but(arg_transforms={"cents": sum}),
            ]
        ),
        "nearest: refund(cents=100, id=7): at args.cents: expected 100, got 350",
    ),
    "one step more": (
        CHAIN.but(tool_calls=[*CHAIN.tool_calls, ToolCall("find", {"id": 7})]),
        "no recording of find(id=7) for step 5, epoch 1; nearest: find(id=7): at step: expected 0",
    ),
    "another name": (CHAIN.but(name="chains"), "nearest: 'chain.json'"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_what_was_not_recorded_is_an_error(tmp_path: Path, edit: str) -> None:
    """A scenario that asks something else is ERROR, as a whole, and names what comes nearest."""
    scenario, said = EDITS[edit]
    replay = recorded(tmp_path, [run(CHAIN, tools=TOOLS)["chain"]])
    plan = planned(scenario, REPLAYED_TOOLS)
    trace = replay.trace_of(plan, 1)
    assert said in missed(trace)
    result = grade(plan, trace)
    assert result.status in (Status.ERROR, Status.FAILED)
    assert "no_recording" in {check.code for check in result.checks}
    assert not result.passed


def test_what_is_expected_may_change(tmp_path: Path) -> None:
    """Other assertions are put to what was recorded: it is found by what was asked alone."""
    replay = recorded(tmp_path, [run(CHAIN, tools=TOOLS)["chain"]])
    call = ToolCall("find", {"id": 7}, [Assertion("cents[1]", Op.EQ, 250)])
    plan = planned(CHAIN.but(tool_calls=[call], assertions=[]), REPLAYED_TOOLS)
    assert grade(plan, replay.trace_of(plan, 1)).passed


def _stateful(*calls: ToolCall) -> Scenario:
    state = State({"made": 2}, capture=lambda env: {"made": 2})
    return Scenario("s", tool_calls=calls, state=state)


def test_the_state_is_that_of_the_calls_that_were_made(tmp_path: Path) -> None:
    """With one call less, the state that was captured after all of them is not that of the rest."""
    calls = [ToolCall("find", {"id": 7}), ToolCall("find", {"id": 8})]
    whole, less = _stateful(*calls), _stateful(calls[0])
    replay = recorded(tmp_path, [run(whole, tools=TOOLS)["s"]])
    plan = planned(whole, REPLAYED_TOOLS)
    assert grade(plan, replay.trace_of(plan, 1)).passed
    plan = planned(less, REPLAYED_TOOLS)
    trace = replay.trace_of(plan, 1)
    assert "after 1 call, epoch 1; nearest: the end, after 2 calls" in missed(trace)
    assert grade(plan, trace).status is Status.ERROR


def test_a_state_that_was_not_captured_is_not_made_up(tmp_path: Path) -> None:
    """A state that is asked for only now is ERROR."""
    scenario = _stateful(ToolCall("find", {"id": 7}))
    replay = recorded(tmp_path, [run(scenario.but(state=None), tools=TOOLS)["s"]])
    plan = planned(scenario, REPLAYED_TOOLS)
    assert grade(plan, replay.trace_of(plan, 1)).status is Status.ERROR


def test_a_recording_took_no_time(tmp_path: Path) -> None:
    """How long it took is not observed: it neither keeps a budget nor breaks it."""
    late = Assertion("seconds", Op.LT, 60)
    scenario = CHAIN.but(tool_calls=CHAIN.tool_calls[:1], assertions=[late])
    live = run(scenario, tools=TOOLS)["chain"]
    plan = planned(scenario, REPLAYED_TOOLS)
    trace = recorded(tmp_path, [live]).trace_of(plan, 1)
    assert trace["seconds"] == 0
    assert {call["seconds"] for call in trace["calls"]} == {0}
    assert [check.code for check in grade(plan, trace).checks[-1:]] == ["not_observed"]


def test_arguments_that_were_never_made_are_refused_again(tmp_path: Path) -> None:
    """A call that failed before its arguments were made fails so again, unless that is expected."""
    scenario = CHAIN.but(tool_calls=CHAIN.tool_calls[:2], assertions=[])
    live = run(scenario, tools=TOOLS)["chain"]
    assert live.trace is not None
    error: Any = {"kind": "invalid_arguments", "type": "TypeError", "message": "refused"}
    live.trace["calls"][1] |= {"args": {}, "result": None, "error": error}
    failed: Any = {"call": 1, **error}
    live.trace["errors"] = [failed]
    replay = recorded(tmp_path, [live])
    trace = replay.trace_of(planned(scenario, REPLAYED_TOOLS), 1)
    assert timeless(trace) == timeless(live.trace)
    expecting = scenario.but(
        tool_calls=[CHAIN.tool_calls[0], CHAIN.tool_calls[1].but(expect_error=True)]
    )
    assert "refund" in missed(replay.trace_of(planned(expecting, REPLAYED_TOOLS), 1))


def test_a_damaged_file_is_an_error_of_its_scenario(tmp_path: Path) -> None:
    """A file that can't be read ends one scenario, and says so; it does not end the run."""
    replay = recorded(tmp_path, [run(CHAIN, tools=TOOLS)["chain"]])
    path = tmp_path / "chain.json"
    path.write_bytes(path.read_bytes()[:-9])
    plan = planned(CHAIN, REPLAYED_TOOLS)
    assert missed(replay.trace_of(plan, 1)).startswith("chain.json: line ")
    assert grade(plan, replay.trace_of(plan, 1)).status is Status.ERROR


def test_what_was_taken_out_as_a_secret_is_asked_for_all_the_same(tmp_path: Path) -> None:
    """A recording in which an argument is redacted answers the call that sends it in full."""
    call = ToolCall("login", {"user": "ada", "token": "s3cret"}, [Assertion("ok", Op.IS_TRUE)])
    scenario = Scenario("s", tool_calls=[call])
    live = run(scenario, tools={"login": lambda user, token: {"ok": True}})["s"]
    live.trace = json.loads(json.dumps(live.trace).replace("s3cret", REDACTED))
    replay = recorded(tmp_path, [live])
    plan = planned(scenario, REPLAYED_TOOLS)
    assert grade(plan, replay.trace_of(plan, 1)).passed
    other = scenario.but(tool_calls=[call.but(args={"user": "eve", "token": "s3cret"})])
    assert "expected 'ada', got 'eve'" in missed(replay.trace_of(planned(other, REPLAYED_TOOLS)))


def test_the_digest_is_that_of_what_is_recorded(tmp_path: Path) -> None:
    """Whoever resumes a run sees by the digest that the recordings are others."""
    live = run(CHAIN, tools=TOOLS)["chain"]
    replay = recorded(tmp_path, [live])
    before = replay.digest_of("chain")
    assert replay.digest_of("chain") == before
    assert live.trace is not None
    live.trace["calls"][0]["result"] = "another"
    assert recorded(tmp_path, [live]).digest_of("chain") != before
