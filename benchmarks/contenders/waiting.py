"""Tools that only wait, run side by side: `waiting.py sync|async|peer` prints how long it took."""

import asyncio
import sys
import time
from collections.abc import Callable
from typing import Any

TOOLS, WAIT_S, AT_ONCE = 200, 0.05, 50


def wait(number: int) -> dict[str, int]:
    """Wait as a call of a far server does."""
    time.sleep(WAIT_S)
    return {"number": number}


async def wait_async(number: int) -> dict[str, int]:
    """Wait on an event loop."""
    await asyncio.sleep(WAIT_S)
    return {"number": number}


def by_evalkit(tool: Callable[..., Any]) -> tuple[int, float]:
    """How many of the scenarios passed, and the seconds that the run took."""
    from evalkit import Assertion, Op, Scenario, ToolCall, run

    scenarios = [
        Scenario(
            f"wait_{number}",
            tool_calls=[ToolCall("wait", {"number": number}, [Assertion("number", Op.EQ, number)])],
        )
        for number in range(TOOLS)
    ]
    report = run(scenarios, tools={"wait": tool}, executor="threads", workers=AT_ONCE)
    return report.summary["scenarios_passed"], report.seconds


def by_pydantic_evals() -> tuple[int, float]:
    """The same by pydantic-evals, whose tasks are best async."""
    from pydantic_evals import Case, Dataset
    from pydantic_evals.evaluators import EqualsExpected

    async def task(number: int) -> int:
        return (await wait_async(number))["number"]

    cases = [
        Case(name=f"wait_{number}", inputs=number, expected_output=number)
        for number in range(TOOLS)
    ]
    dataset: Dataset[int, int, None] = Dataset(
        name="waiting", cases=cases, evaluators=[EqualsExpected()]
    )
    started = time.perf_counter()
    report = dataset.evaluate_sync(task, progress=False, max_concurrency=AT_ONCE)
    seconds = time.perf_counter() - started
    return sum(check.value for case in report.cases for check in case.assertions.values()), seconds


BY = {
    "sync": lambda: by_evalkit(wait),
    "async": lambda: by_evalkit(wait_async),
    "peer": by_pydantic_evals,
}

if __name__ == "__main__":
    passed, seconds = BY[sys.argv[1]]()
    sys.stdout.write(f"{passed} passed in {seconds:.4f} s\n")
