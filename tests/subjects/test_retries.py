"""A call is made again only where its transport failed, as often as it says; each try is noted."""

import time
from typing import Any

import pytest

from evalkit import (
    Assertion,
    Op,
    RunReport,
    Scenario,
    ScenarioResult,
    Status,
    ToolCall,
    TransportError,
    run,
)

WORK_S = 0.05


class StatusError(Exception):
    """What an HTTP client raises for a status."""

    def __init__(self, status_code: int) -> None:
        """Take the status."""
        super().__init__(f"status {status_code}")
        self.status_code = status_code


class Flaky:
    """A tool that raises what it is given, one after the other, then answers."""

    def __init__(self, *raised: BaseException) -> None:
        """Take what to raise."""
        self.raised = list(raised)
        self.calls = 0

    def __call__(self) -> dict[str, bool]:
        """Work for a while; raise, or answer."""
        self.calls += 1
        time.sleep(WORK_S)
        if self.raised:
            raise self.raised.pop(0)
        return {"ok": True}

    async def later(self) -> dict[str, bool]:
        """Be called as an async tool."""
        return self()


def wrong() -> dict[str, bool]:
    """Answer, and wrongly."""
    return {"ok": False}


RESET, BUSY, DOWN = ConnectionResetError("reset"), StatusError(429), StatusError(503)
FLAKY: dict[str, Flaky] = {
    "mended": Flaky(RESET),
    "mended busy": Flaky(BUSY),
    "mended down": Flaky(DOWN),
    "mended async": Flaky(TransportError("away")),
    "hopeless": Flaky(*[ConnectionRefusedError("refused")] * 9),
    "raising": Flaky(ValueError("x")),
    "not found": Flaky(StatusError(404)),
    "leaving": Flaky(SystemExit(0)),
    "raising in the end": Flaky(RESET, ValueError("x")),
}
MENDED = ["mended", "mended busy", "mended down", "mended async"]


@pytest.fixture(scope="module")
def report() -> RunReport:
    """One run of every tool, each with one retry."""
    tools = {**FLAKY, "wrong": wrong, "mended async": FLAKY["mended async"].later}
    scenarios = [
        Scenario(name, tool_calls=[ToolCall(name, {}, [Assertion("ok", Op.EQ, True)], retry=1)])
        for name in tools
    ]
    return run(scenarios, tools=tools)


def attempts(result: ScenarioResult) -> list[Any]:
    """The attempts of a scenario's one call."""
    assert result.trace is not None
    return list(result.trace["calls"][0]["attempts"])


@pytest.mark.parametrize("name", MENDED)
def test_a_transport_that_comes_back_is_tried_again(name: str, report: RunReport) -> None:
    """A connection that broke, 429 and 5xx are tried again, and the answer then counts."""
    assert report[name].status is Status.PASSED
    assert FLAKY[name].calls == 2


@pytest.mark.parametrize("name", MENDED)
def test_every_attempt_is_noted(name: str, report: RunReport) -> None:
    """Each try is in the trace with its error and how long it took."""
    first, second = attempts(report[name])
    assert first["error"]["kind"] == "transport"
    assert second["error"] is None
    assert WORK_S <= first["seconds"] < 1
    assert WORK_S <= second["seconds"] < 1


def test_a_transport_that_stays_away_is_an_error(report: RunReport) -> None:
    """After the last try nothing was measured: ERROR, with the last failure as its reason."""
    result = report["hopeless"]
    assert result.status is Status.ERROR
    assert [check.code for check in result.checks] == ["transport_failed"]
    assert "refused" in result.checks[0].reason
    assert len(attempts(result)) == FLAKY["hopeless"].calls == 2


@pytest.mark.parametrize("name", ["raising", "not found", "leaving"])
def test_what_a_tool_raises_is_never_tried_again(name: str, report: RunReport) -> None:
    """An error that is the tool's own is final, retry or not."""
    assert report[name].status is Status.FAILED
    assert FLAKY[name].calls == 1


def test_a_wrong_answer_is_never_tried_again(report: RunReport) -> None:
    """An answer that fails its assertion is final, retry or not."""
    result = report["wrong"]
    assert result.status is Status.FAILED
    assert result.trace is not None
    assert len(result.trace["calls"]) == 1
    assert len(attempts(result)) <= 1


def test_the_second_failure_decides(report: RunReport) -> None:
    """A tool that raises its own error on the second try is FAILED, not ERROR."""
    result = report["raising in the end"]
    assert [check.code for check in result.checks] == ["tool_raised"]
    assert [each["error"]["kind"] for each in attempts(result)] == ["transport", "raised"]


def test_without_retry_a_call_is_made_once() -> None:
    """A call that does not say `retry` is never tried again."""
    tool = Flaky(RESET)
    result = run(Scenario("s", tool_calls=[ToolCall("t")]), tools={"t": tool})["s"]
    assert result.status is Status.ERROR
    assert tool.calls == 1


def test_retries_end_with_the_call_s_deadline() -> None:
    """All tries together are held to the call's deadline."""
    tool = Flaky(*[RESET] * 99)
    call = ToolCall("t", retry=50, timeout_s=0.3)
    started = time.monotonic()
    result = run(Scenario("s", tool_calls=[call]), tools={"t": tool})["s"]
    assert time.monotonic() - started < 3
    assert result.checks[0].code in ("transport_failed", "tool_timeout")


def test_every_try_has_its_own_arguments() -> None:
    """A tool that changes its arguments before the connection breaks gets them whole again."""
    seen: list[list[int]] = []

    def tool(rows: list[int]) -> None:
        seen.append(list(rows))
        rows.clear()
        if len(seen) == 1:
            raise RESET

    run(Scenario("s", tool_calls=[ToolCall("t", {"rows": [1, 2]}, retry=1)]), tools={"t": tool})
    assert seen == [[1, 2], [1, 2]]
