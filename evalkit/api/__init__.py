"""The doors for Python: run, arun, check, grade and validate; `load` is with the loaders."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Unpack

from evalkit.api.grading import check, grade
from evalkit.api.options import RunOptions, session_of
from evalkit.api.session import Session
from evalkit.asked import Asked, Target, targets_of
from evalkit.errors import CatalogueError, Problem
from evalkit.loops import CallersLoop
from evalkit.protocols import Services, Sink, services_of
from evalkit.reports.run_report import RunReport
from evalkit.select import Selection

__all__ = ["arun", "check", "grade", "run", "validate"]


def run(
    target: Target | Iterable[Target],
    *,
    tools: Any = None,  # noqa: ANN401
    agent: Any = None,  # noqa: ANN401
    selection: Selection | None = None,
    epochs: int | None = None,
    until_sure: float | None = None,
    timeout_s: float | None = None,
    max_failures: int | None = None,
    executor: Any = "serial",  # noqa: ANN401
    workers: int | None = None,
    rate: float | None = None,
    log_dir: str | Path | None = None,
    label: str | None = None,
    resume: str | None = None,
    redact: Iterable[str] = (),
    services: Services | None = None,
    predictions: Mapping[str, str | None] | str | Path | None = None,
    record: str | Path | None = None,
    replay: str | Path | None = None,
    sinks: Sequence[Sink] = (),
    keep_results: bool = True,
) -> RunReport:
    """Run scenarios against their tools, or against an agent, and give the report.

    `target` is a catalogue, the path of one, a scenario, or a list of these. `tools` is a table of
    name to handler, a factory of one, or `package.module:NAME`; without it, each catalogue's own.
    With an `agent`, the prompts are put to it: a function of the conversation, and of a context
    if it takes one, a factory that gives one for each run, or `package.module:NAME`.
    `epochs` is how often each scenario runs; without it, as it says itself. With `until_sure`, a
    rate between 0 and 1, it runs until it is sure on which side of that its pass rate is (at most
    100 times, or `epochs`). `timeout_s` (seconds) is for calls that do not say, 60 unless given,
    and for each turn of an agent, 300 unless given. The run stops after
    `max_failures` scenarios that failed or erred.

    `executor` is `serial`, `threads`, `processes`, `dask`, `dask=ADDRESS` or an executor by the
    protocol of `concurrent.futures`; `workers` is how many, and `rate` how many scenarios are begun
    a second at most. With a `log_dir` the run is recorded there, under a `label` if given;
    `resume` names a run to go on with (`""`: the newest unfinished one), and `redact` environment
    variables whose values are secret. `services` holds what operators ask for: `embed`, for
    SEMANTIC. With `predictions`, answers by the names of scenarios or the path of a file of them,
    nothing is run: these are graded. With `record`, what the tools or the agent answer is kept in a
    folder, a file for each scenario; with `replay`, that folder answers in their place.

    `sinks` are told of each result; with `keep_results=False` they alone have them, and memory
    stays flat, as it does with a log. Everything wrong with a catalogue is raised as one
    `CatalogueError` before the first call. Works inside a running event loop: async handlers run on
    a loop of the run's own, on its own thread.

    >>> from evalkit import Scenario, ToolCall
    >>> double = Scenario("double", tool_calls=[ToolCall("double", {"n": 2})])
    >>> run(double, tools={"double": lambda n: 2 * n}).passed
    True
    """
    options: RunOptions = {
        "tools": tools,
        "agent": agent,
        "selection": selection,
        "epochs": epochs,
        "until_sure": until_sure,
        "timeout_s": timeout_s,
        "max_failures": max_failures,
        "executor": executor,
        "workers": workers,
        "rate": rate,
        "log_dir": log_dir,
        "label": label,
        "resume": resume,
        "redact": redact,
        "services": services,
        "predictions": predictions,
        "record": record,
        "replay": replay,
        "sinks": sinks,
        "keep_results": keep_results,
    }
    return session_of(target, options).run()


async def arun(target: Target | Iterable[Target], **options: Unpack[RunOptions]) -> RunReport:
    """Run as `run` does, with async handlers on the caller's own loop, which is not blocked.

    It takes the options of `run`. Everything else (the factory, sync handlers) runs on the run's
    own threads, as with `run`: tools that mix the two on one resource bound to a thread are for
    `run`.
    """
    import asyncio  # noqa: PLC0415  - a caller of this has it loaded; nobody else should pay

    loop = asyncio.get_running_loop()
    session = session_of(target, options, lambda: CallersLoop(loop))
    try:
        return await asyncio.to_thread(session.run)
    except asyncio.CancelledError:
        session.stop()
        raise


def validate(
    target: Target | Iterable[Target],
    *,
    tools: Any = None,  # noqa: ANN401
    agent: Any = None,  # noqa: ANN401
    services: Services | None = None,
) -> tuple[Problem, ...]:
    """Give everything wrong or doubtful with scenarios, without a call; empty where nothing is.

    With an `agent`, as they are put to that.

    >>> from evalkit import Scenario, ToolCall
    >>> typo = Scenario("double", tool_calls=[ToolCall("duoble", {"n": 2})])
    >>> print(*validate(typo, tools={"double": lambda n: 2 * n}))
    double.tool_calls[0].tool: unknown tool 'duoble'; did you mean 'double'?
    """
    asked = Asked(targets_of(target), tools, services=services_of(services), agent=agent)
    session = Session(asked)
    with suppress(CatalogueError):
        session.prepare()
    return tuple(session.preparation.problems)
