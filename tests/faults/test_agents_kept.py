"""Rows 25, 30 and 62 of the table of faults: what agents print, wreck and let slip."""

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evalkit import Reply, Scenario, ScenarioResult, Status, ToolCall, run

ROOT = Path(__file__).parents[2]
Turns = list[dict[str, Any]]


def twice(agent: Any) -> Sequence[ScenarioResult]:
    """What comes of an agent in one scenario, and of another one after it."""

    def careful(conversation: Turns, ctx: Any) -> Any:
        return agent(conversation, ctx) if conversation[-1]["content"] == "it" else "ok"

    return run(
        [Scenario(name, name, answers=["ok"]) for name in ("it", "after")], agent=careful
    ).results


def test_what_an_agent_prints_is_its_own(capfd: pytest.CaptureFixture[str]) -> None:
    """Fault 25: what is printed is kept with the scenario, and reaches no terminal."""

    def loud(conversation: Turns, ctx: Any) -> str:
        sys.stdout.write("out\n")
        sys.stderr.write("err\n")
        return "ok"

    trace, other = (result.trace for result in twice(loud))
    assert trace is not None
    assert other is not None
    assert "out\n" in str(trace["meta"]["output"])
    assert "output" not in other["meta"]
    assert capfd.readouterr().out == ""


def test_what_an_agent_prints_is_capped() -> None:
    """Fault 25: of very much that is printed a part is kept."""

    def flooding(conversation: Turns, ctx: Any) -> str:
        for _ in range(200):
            sys.stdout.write("x" * 100_000)
        return "ok"

    trace = twice(flooding)[0].trace
    assert trace is not None
    assert 0 < len(str(trace["meta"]["output"])) < 1_000_000


def test_json_stays_json(tmp_path: Path) -> None:
    """Fault 25: with an agent and tools that print, `--json` prints one document."""
    (tmp_path / "cases.py").write_text(
        textwrap.dedent("""
            import os
            from evalkit import Scenario, ToolCall, _s
            def ping():
                print("from the tool", flush=True)
                return 1
            TOOL_DISPATCH = {"ping": ping}
            def agent(conversation, ctx):
                print("from the agent", flush=True)
                ctx.tools["ping"]()
                return "ok"
            _s(Scenario("it", "it", [ToolCall("ping")]))
        """),
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "evalkit", "cases.py", "--agent", "cases:agent", "--json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )
    assert json.loads(done.stdout)["summary"]["scenarios_passed"] == 1, done.stderr


def test_nothing_is_shared_between_scenarios_by_the_agent() -> None:
    """Fault 30: an agent that wrecks all it is handed wrecks it for no other scenario."""
    tools: dict[str, Any] = {"rows": lambda: ROWS}

    def wrecking(conversation: Turns, ctx: Any) -> str:
        rows = ctx.tools["rows"]()
        answer = "ok" if rows == [{"n": 1}] and conversation[-1]["content"] == "it" else "wrecked"
        rows[0].clear()
        rows.clear()
        conversation[0].clear()
        conversation.clear()
        for spec in ctx.tool_specs:
            spec.clear()
        return answer

    scenario = Scenario("it", "it", [ToolCall("rows")], answers=["ok"], metadata={"a": [1]})
    report = run(scenario, agent=wrecking, tools=tools, epochs=3)
    assert [result.status for result in report.results] == [Status.PASSED] * 3
    assert ROWS == [{"n": 1}]


ROWS = [{"n": 1}]


def test_what_an_agent_returned_is_copied() -> None:
    """Fault 30: an agent that changes its reply later changes no trace."""
    args = {"n": [1]}
    kept: list[Reply] = []

    def agent(conversation: Turns) -> Reply:
        kept.append(Reply("ok", calls=[{"tool": "t", "args": args, "result": args}]))
        return kept[0]

    trace = run(Scenario("it", "it", answers=["ok"]), agent=agent)["it"].trace
    assert trace is not None
    args["n"].append(2)
    if kept[0].calls is not None:
        kept[0].calls[0]["args"]["n"].append(3)
    assert trace["calls"][0]["args"] == trace["calls"][0]["result"] == {"n": [1]}


CANARY = "sk-canary-1234567890"


@pytest.mark.parametrize("place", ["answer", "argument", "result", "error", "printed", "meta"])
def test_a_secret_is_on_no_disk(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault 62: a value that is named as secret is in no log, wherever an agent shows it."""
    monkeypatch.setenv("MODEL_KEY", CANARY)

    def leaking(conversation: Turns, ctx: Any) -> Any:
        shown = {"answer": CANARY, "meta": Reply("ok", meta={"key": f"by {CANARY}"})}
        if place in ("argument", "result"):
            ctx.tools["ping"](key=CANARY if place == "argument" else "")
        if place == "printed":
            sys.stdout.write(f"key {CANARY}\n")
        if place == "error":
            raise ValueError(f"401 for {CANARY}")
        return shown.get(place, "ok")

    tools = {"ping": lambda key: {"key": CANARY} if place == "result" else 1}
    scenario = Scenario(
        "it", "it", [ToolCall("ping", {"key": ""}, args_match="ignore")], answers=["ok"]
    )
    report = run(
        scenario, agent=leaking, tools=tools, log_dir=tmp_path / "runs", redact=["MODEL_KEY"]
    )
    assert report.run is not None
    written = b"".join(path.read_bytes() for path in report.run.rglob("*") if path.is_file())
    assert CANARY.encode() not in written
    assert b"it" in written
