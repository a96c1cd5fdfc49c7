"""The doors for Python: run, arun, check, grade and validate; `load` is with the loaders."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from evalkit.api.grading import check, grade
from evalkit.api.preparing import Asked, Target, targets_of
from evalkit.api.session import Session
from evalkit.errors import CatalogueError, Problem
from evalkit.loops import CallersLoop
from evalkit.planning.plans import TIMEOUT_S
from evalkit.protocols import Sink
from evalkit.reports.run_report import RunReport
from evalkit.select import Selection

__all__ = ["arun", "check", "grade", "run", "validate"]


def run(
    target: Target | Iterable[Target],
    *,
    tools: Any = None,  # noqa: ANN401
    selection: Selection | None = None,
    timeout_s: float = TIMEOUT_S,
    max_failures: int | None = None,
    sinks: Sequence[Sink] = (),
    keep_results: bool = True,
) -> RunReport:
    """Run scenarios against their tools, and give the report.

    `target` is a catalogue, the path of one, a scenario, or a list of these. `tools` is a table of
    name to handler, a factory of one, or `package.module:NAME`; without it, each catalogue's own.
    `timeout_s` (seconds) is for calls that do not say. The run stops after `max_failures` scenarios
    that failed or erred. `sinks` are told of each result; with `keep_results=False` they alone have
    them, and memory stays flat. Everything wrong with a catalogue is raised as one `CatalogueError`
    before the first call. Works inside a running event loop: async handlers run on a loop of the
    run's own, on its own thread.

    >>> from evalkit import Scenario, ToolCall
    >>> double = Scenario("double", tool_calls=[ToolCall("double", {"n": 2})])
    >>> run(double, tools={"double": lambda n: 2 * n}).passed
    True
    """
    asked = Asked(
        targets_of(target), tools, selection or Selection(), timeout_s, max_failures, keep_results
    )
    return Session(asked, sinks).run()


async def arun(
    target: Target | Iterable[Target],
    *,
    tools: Any = None,  # noqa: ANN401
    selection: Selection | None = None,
    timeout_s: float = TIMEOUT_S,
    max_failures: int | None = None,
    sinks: Sequence[Sink] = (),
    keep_results: bool = True,
) -> RunReport:
    """Run as `run` does, with async handlers on the caller's own loop, which is not blocked.

    Everything else (the factory, sync handlers) runs on the run's own thread, as with `run`: tools
    that mix the two on one resource bound to a thread are for `run`.
    """
    import asyncio  # noqa: PLC0415  - a caller of this has it loaded; nobody else should pay

    asked = Asked(
        targets_of(target), tools, selection or Selection(), timeout_s, max_failures, keep_results
    )
    loop = asyncio.get_running_loop()
    session = Session(asked, sinks, lambda: CallersLoop(loop))
    try:
        return await asyncio.to_thread(session.run)
    except asyncio.CancelledError:
        session.stop()
        raise


def validate(target: Target | Iterable[Target], *, tools: Any = None) -> tuple[Problem, ...]:  # noqa: ANN401
    """Give everything wrong or doubtful with scenarios, without a call; empty where nothing is.

    >>> from evalkit import Scenario, ToolCall
    >>> typo = Scenario("double", tool_calls=[ToolCall("duoble", {"n": 2})])
    >>> print(*validate(typo, tools={"double": lambda n: 2 * n}))
    double.tool_calls[0].tool: unknown tool 'duoble'; did you mean 'double'?
    """
    session = Session(Asked(targets_of(target), tools))
    with suppress(CatalogueError):
        session.prepare()
    return tuple(session.preparation.problems)
