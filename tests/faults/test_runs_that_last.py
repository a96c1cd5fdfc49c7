"""What a hostile reader made of runs that last: no green that measured nothing, nothing lost."""

import os
from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, Op, RunLogError, Scenario, ToolCall, run
from evalkit.runlog.reader import RunLog


def one(name: str, tool: str = "t", wanted: int = 1, **args: Any) -> Scenario:
    """A scenario whose tool has to give this number."""
    return Scenario(name, tool_calls=[ToolCall(tool, args, [Assertion("n", Op.EQ, wanted)])])


def test_a_password_in_a_name_keeps_results_apart(tmp_path: Path) -> None:
    """A name is what a result is found by: a secret that stands in it is not taken out of it."""
    tools = {"t": lambda password: {"n": {"alice": 1}.get(password, 0)}}
    both = [one(f"login_{user}", password=user) for user in ("alice", "bobby")]
    report = run(both, tools=tools, log_dir=tmp_path)
    assert [each.name for each in report.results] == ["login_alice", "login_bobby"]
    assert len(report.failures) == 1
    assert report.run is not None
    assert "alice" not in (report.run / "run.ndjson").read_text().replace("login_alice", "")


def test_a_child_that_comes_back_is_not_the_run(tmp_path: Path) -> None:
    """A tool forks, and its child's SystemExit is caught: the child neither runs nor writes on."""

    def fork() -> dict[str, int]:
        child = os.fork()
        if not child:
            raise SystemExit(0)
        os.waitpid(child, 0)
        return {"n": 1}

    report = run(
        [one("f", "fork"), one("a")], tools={"fork": fork, "t": lambda: {"n": 1}}, log_dir=tmp_path
    )
    assert report.passed
    assert report.run is not None
    assert len(RunLog(report.run).entries) == 2


def test_stopping_early_on_resume_loses_nothing(tmp_path: Path) -> None:
    """Failures that were kept do not stop a run, and what it does not reach stays in the log."""
    cases = [one(f"s{n}", wanted=0 if n in (0, 3) else 1) for n in range(5)]
    options: dict[str, Any] = {"tools": {"t": lambda: {"n": 1}}, "log_dir": tmp_path}
    first = run(cases, **options)
    again = run(cases, resume="latest", max_failures=1, **options)
    assert len(again.results) == 5
    assert again.digest == first.digest


def test_a_run_is_not_gone_on_with_in_the_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a run has kept out has to be named again when it is gone on with."""
    monkeypatch.setenv("MY_KEY", "canary-4711")
    options: dict[str, Any] = {"tools": {"t": lambda: {"n": 1}}, "log_dir": tmp_path}
    run([one("a")], redact=["MY_KEY"], **options)
    with pytest.raises(RunLogError, match="--redact MY_KEY"):
        run([one("a")], resume="latest", **options)


def test_a_tool_that_moves_does_not_lose_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The results are read from where they were written, wherever a tool has gone."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()

    def move() -> dict[str, int]:
        os.chdir(tmp_path / "sub")
        return {"n": 1}

    report = run([one("a", "move")], tools={"move": move}, log_dir="runs")
    assert len(report.results) == 1
