"""Agents run as tools do: on every executor, for several epochs, into a log, and on from one."""

import json
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evalkit import CatalogueError, RunLogError, RunReport, Scenario, grade, load, run
from evalkit.runlog.reader import RunLog

CASES = '''
    from evalkit import Budget, Env, Scenario, State, ToolCall, _s

    class Shop:
        def __init__(self):
            self.refunds = []

    def table():
        """Give each run a shop of its own."""
        shop = Shop()

        def find(id: int):
            return {"id": id, "paid": 5 * id}

        def refund(id: int, amount: float):
            shop.refunds.append(amount)
            return {"amount": amount}

        yield Env({"find": find, "refund": refund}, shop=shop)

    TOOL_DISPATCH = table

    def refunds(env):
        return {"refunds": env.shop.refunds}

    def case(name, n, **fields):
        calls = [ToolCall("find", {"id": n}, save_as={"paid": "paid"}),
                 ToolCall("refund", {"id": n}, context_args={"amount": "paid"})]
        return _s(Scenario(name, f"{name} {n}", calls, state=State({"refunds": [5 * n]},
            capture=refunds), **fields))

    for n in range(4):
        case(f"right_{n}", n)
    case("several", 7, epochs=3, pass_epochs=2)
    case("wrong", 1)
    case("raises", 2)
    case("silent", 3)
    case("hangs", 4)
    case("loops", 5)
    case("known", 6, xfail="it sends too much")
    case("spends", 7, budget=Budget(max_calls=2))
    _s(Scenario("tools_only", tool_calls=[ToolCall("find", {"id": 1})]))
'''
AGENT = '''
    import time

    asked = {}

    def answer(conversation, ctx):
        name, _, number = conversation[-1]["content"].partition(" ")
        n = int(number)
        order = ctx.tools["find"](id=n)
        if name == "spends":
            ctx.tools["find"](id=n)
        if name == "raises":
            raise ValueError(f"lost {n}")
        if name == "silent":
            return None
        if name == "hangs":
            time.sleep(3)
        while name == "loops":
            ctx.tools["find"](id=n)
        over = name in ("wrong", "known") or (name == "several" and ctx.epoch == 2)
        ctx.tools["refund"](id=n, amount=order["paid"] + over)
        return "done"

    class Fresh:
        """An agent that may be asked once."""

        def __init__(self):
            self.asked = 0

        def __call__(self, conversation, ctx):
            self.asked += 1
            assert self.asked == 1
            return answer(conversation, ctx)

    async def later(conversation, ctx):
        return answer(conversation, ctx)
'''
STATUSES = {
    **{f"right_{n}": ["passed"] for n in range(4)},
    "several": ["passed", "failed", "passed"],
    "wrong": ["failed"],
    "raises": ["failed"],
    "silent": ["failed"],
    "hangs": ["failed"],
    "loops": ["failed"],
    "known": ["xfailed"],
    "spends": ["failed"],
    "tools_only": ["skipped"],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stand in a folder with a catalogue and an agent; leave the interpreter as it was."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path, modules = list(sys.path), set(sys.modules)
    (tmp_path / "cases.py").write_text(textwrap.dedent(CASES), encoding="utf-8")
    (tmp_path / "clerk.py").write_text(textwrap.dedent(AGENT), encoding="utf-8")
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def done(**options: Any) -> RunReport:
    """A run of the catalogue with the agent."""
    return run("cases.py", **{"agent": "clerk:answer", "timeout_s": 0.4, **options})


def statuses(report: RunReport) -> dict[str, list[str]]:
    """What each scenario came to, epoch by epoch."""
    found: dict[str, list[str]] = {}
    for result in report.results:
        found.setdefault(result.name, []).append(result.status.value)
    return found


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("executor", "agent"),
    [
        *(("serial", f"clerk:{name}") for name in ("answer", "Fresh", "later")),
        *(("threads", f"clerk:{name}") for name in ("answer", "Fresh")),
        ("processes", "clerk:Fresh"),
    ],
)
def test_every_executor_finds_the_same(executor: str, agent: str) -> None:
    """Verdicts and values do not depend on where an agent runs, nor on who makes it."""
    report = done(executor=executor, agent=agent)
    assert statuses(report) == STATUSES
    assert [result.name for result in report.results] == [
        name for name, epochs in STATUSES.items() for _ in epochs
    ]
    assert report.digest == done().digest


@pytest.mark.usefixtures("folder")
def test_what_the_processes_tell_is_what_happened() -> None:
    """A result that has crossed from another process has its trace, checks and pairing."""
    here, there = done(), done(executor="processes", workers=2)
    for one, other in zip(here.results, there.results, strict=True):
        assert one.pairing == other.pairing
        assert [(check.code, check.step) for check in one.checks] == [
            (check.code, check.step) for check in other.checks
        ]
        assert (one.trace is None) is (other.trace is None)
        if one.trace is not None and other.trace is not None:
            assert [call["args"] for call in one.trace["calls"]] == [
                call["args"] for call in other.trace["calls"]
            ]


@pytest.mark.usefixtures("folder")
def test_an_agent_goes_to_processes_by_its_name() -> None:
    """An object can't be sent to another process, and what would be right is said."""
    with pytest.raises(CatalogueError, match=r"name it: agent='package\.module:NAME'"):
        done(agent=lambda conversation: "ok", executor="processes")


NO_AGENTS: list[tuple[Any, str]] = [
    ("clerk:nobody", "has no 'nobody'"),
    ("clark:answer", "clark"),
    ("clerk", "clerk"),
    ("", "agent"),
    ("clerk:asked", "expected a function, got {}"),
    (7, "expected a function, got 7"),
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("agent", "told"), NO_AGENTS, ids=str)
def test_what_is_no_agent_is_found_before_anything_runs(agent: Any, told: str) -> None:
    """A name that leads to no agent is a catalogue error, and no tools were opened."""
    with pytest.raises(CatalogueError) as caught:
        done(agent=agent)
    assert told in str(caught.value)


@pytest.mark.usefixtures("folder")
def test_epochs_of_the_run() -> None:
    """Epochs that are asked for count for an agent, and each has tools and agent of its own."""
    report = done(agent="clerk:Fresh", epochs=2)
    found = statuses(report)
    assert found["right_1"] == ["passed", "passed"]
    assert found["several"] == ["passed", "failed"]
    assert found["tools_only"] == ["skipped"]
    states = [each.trace["state"] for each in report.results if each.trace and each.name == "wrong"]
    assert states == [{"refunds": [6]}] * 2


@pytest.mark.usefixtures("folder")
def test_a_hang_gives_up_its_lane_alone() -> None:
    """After a turn that hangs, those that follow are run as ever, in each executor of threads."""
    for executor in ("serial", "threads"):
        report = done(executor=executor, epochs=2)
        assert statuses(report)["hangs"] == ["failed", "failed"]
        assert statuses(report)["spends"] == ["failed", "failed"]
        assert statuses(report)["right_3"] == ["passed", "passed"]


@pytest.fixture
def logged(folder: Path) -> Callable[..., RunReport]:
    """A run that is recorded, or goes on with one."""

    def act(**options: Any) -> RunReport:
        return done(log_dir=folder / "runs", **options)

    return act


def test_a_run_is_recorded(logged: Callable[..., RunReport]) -> None:
    """The log holds what the run came to, traces and all."""
    report = logged()
    assert report.run is not None
    log = RunLog(report.run)
    kept = [log.result(key) for key in log.in_order()]
    assert [result.status for result in kept] == [result.status for result in report.results]
    assert [result.pairing for result in kept] == [result.pairing for result in report.results]
    lines = (report.run / "run.ndjson").read_text(encoding="utf-8").splitlines()
    assert any("clerk:answer" in line for line in lines[:1])


def test_a_result_of_the_log_is_graded_again(logged: Callable[..., RunReport]) -> None:
    """Grading a recorded trace gives what was recorded, without any agent or tool."""
    report = logged()
    scenarios = {scenario.name: scenario for scenario in load("cases.py")}
    for result in report.results:
        if result.trace is None:
            continue
        again = grade(scenarios[result.name], json.loads(json.dumps(result.trace)))
        assert again.status is result.status
        assert again.pairing == result.pairing
        assert [(each.code, each.reason, each.score) for each in again.checks] == [
            (each.code, each.reason, each.score) for each in result.checks
        ]


def test_a_run_is_gone_on_with(logged: Callable[..., RunReport]) -> None:
    """What a log has is not asked again; a run that was cut short comes to the same."""
    whole = logged()
    assert whole.run is not None
    path = whole.run / "run.ndjson"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:5]) + lines[5][: len(lines[5]) // 2])
    report = logged(resume=whole.run_id)
    assert report.digest == whole.digest
    assert statuses(report) == STATUSES
    assert attempts_of(report)["right_0"] == 1


def attempts_of(report: RunReport) -> dict[str, int]:
    """How often each scenario was run, by the log."""
    assert report.run is not None
    return {name: each.attempt for (name, _), each in RunLog(report.run).entries.items()}


def test_an_agent_that_was_edited_is_asked_again(
    logged: Callable[..., RunReport], folder: Path
) -> None:
    """Where the agent's own code has changed, what it answered before is of no use."""
    first = logged()
    assert set(attempts_of(logged(resume=first.run_id)).values()) == {1}
    agent = folder / "clerk.py"
    agent.write_text(agent.read_text("utf-8").replace('"wrong", ', ""), encoding="utf-8")
    del sys.modules["clerk"]
    again = logged(resume=first.run_id)
    assert attempts_of(again)["right_0"] == 2
    assert statuses(again)["wrong"] == ["passed"]


@pytest.mark.parametrize("agent", ["clerk:Fresh", None], ids=str)
def test_another_subject_is_another_run(logged: Callable[..., RunReport], agent: Any) -> None:
    """A run of one agent is not gone on with by another one, nor by the tools."""
    first = logged()
    with pytest.raises(RunLogError, match=r"is another run: .*agent was 'clerk:answer'"):
        logged(resume=first.run_id, agent=agent)


def test_an_edited_scenario_is_put_again(logged: Callable[..., RunReport], folder: Path) -> None:
    """What is about agents is part of a scenario: where it changed, the agent is asked again."""
    first = logged()
    cases = folder / "cases.py"
    old, new = 'case("wrong", 1)', 'case("wrong", 1, match="off", hygiene=False)'
    cases.write_text(cases.read_text("utf-8").replace(old, new), encoding="utf-8")
    found = attempts_of(logged(resume=first.run_id))
    assert (found["wrong"], found["right_0"]) == (2, 1)


def test_direct_and_agent_runs_are_of_one_catalogue(folder: Path) -> None:
    """The same file runs against the tools alone, with no word changed."""
    report = run(folder / "cases.py")
    assert {result.name for result in report.results} == set(STATUSES)
    assert statuses(report)["tools_only"] == ["passed"]
    assert statuses(report)["loops"] == ["passed"]


def test_scenarios_of_one_home_are_put_to_one_agent() -> None:
    """An agent that is an object is asked by every scenario of a run, in order."""
    heard: list[str] = []

    def agent(conversation: list[dict[str, Any]]) -> str:
        heard.append(conversation[-1]["content"])
        return "ok"

    scenarios = [Scenario(name, name, answers=["ok"]) for name in "abc"]
    assert run(scenarios, agent=agent).passed
    assert heard == ["a", "b", "c"]
