"""What every executor keeps, wherever it runs: a new one adds itself to `EXECUTORS`."""

import textwrap
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import attrs
import pytest

from evalkit import (
    Catalogue,
    CatalogueError,
    EvalkitError,
    RunReport,
    Scenario,
    ToolCall,
    load,
    run,
)

distributed = pytest.importorskip("distributed", reason="needs the extra dask")

SOURCE = '''
    import asyncio, itertools, sys, time
    from evalkit import Assertion, Op, Ref, Scenario, ToolCall, _s, operator

    def double(n: int):
        print("doubling", n)
        return {"n": 2 * n, "text": "Grüße", "big": 2**70, "float": 0.1 + 0.2}

    async def later(n: int):
        await asyncio.sleep(0.002 * (10 - n))
        return {"n": 2 * n}

    def raising():
        raise ValueError("the saw is off")

    def leaving():
        sys.exit(0)

    def hanging():
        time.sleep(5)

    def odd():
        return {"n": {1}}

    def table(scenario):
        """Give tools that count from the beginning, for every scenario and epoch."""
        count = itertools.count(1)
        yield {"double": double, "later": later, "raising": raising, "leaving": leaving,
               "hanging": hanging, "odd": odd, "count": lambda: {"n": next(count)}}

    TOOL_DISPATCH = table

    @operator("halves")
    def halves(actual, assertion, context):
        return actual == 2 * assertion.expected

    def case(name, *calls, **fields):
        return _s(Scenario(name, tool_calls=calls, **fields))

    def called(tool, n, **fields):
        return ToolCall(tool, {"n": n}, [Assertion("n", Op.EQ, 2 * n)], **fields)

    for n in range(8):
        case(f"quick_{n}", called("later", n), called("double", n), tags=["quick"])
    case("wrong", ToolCall("double", {"n": 3}, [Assertion("n", Op.EQ, 7)]), difficulty="basic")
    case("chain", called("double", 4, save_as={"x": "n"}),
         ToolCall("double", {"n": Ref("x")}, [Assertion("n", Op.EQ, 16)]))
    case("raises", ToolCall("raising"), called("double", 1))
    case("refuses", ToolCall("raising", {}, [Assertion("error.message", Op.CONTAINS, "saw")],
         expect_error="saw"))
    case("leaves", ToolCall("leaving"), called("double", 1))
    case("odd", ToolCall("odd"))
    case("hangs", called("double", 1), ToolCall("hanging", timeout_s=0.3), called("double", 2))
    case("counts", ToolCall("count", {}, [Assertion("n", Op.EQ, 1)]),
         ToolCall("count", {}, [Assertion("n", Op.EQ, 2)]), epochs=3, pass_epochs=2)
    case("known", ToolCall("raising"), xfail="the saw is off")
    case("own_operator", ToolCall("double", {"n": 5}, [Assertion("n", "halves", 5)]))
    case("trace", called("double", 1), assertions=[Assertion("calls", Op.LEN_EQ, 1)])
    case("big", ToolCall("double", {"n": 2**60}, [Assertion("big", Op.EQ, 2**70),
         Assertion("float", Op.EQ, 0.1 + 0.2), Assertion("text", Op.EQ, "Grüße")]))
    _s(Scenario("talk", "Hello?", assertions=[Assertion("response", Op.EXISTS)]))
'''
NAMES = [f"quick_{n}" for n in range(8)] + [
    *("wrong", "chain", "raises", "refuses", "leaves", "odd", "hangs"),
    *("counts", "counts", "counts", "known", "own_operator", "trace", "big", "talk"),
]
MANY = """
    from evalkit import Assertion, Op, Scenario, ToolCall, _s

    def one(n: int):
        return {"n": n}

    TOOL_DISPATCH = {"one": one}
    for n in range(200):
        check = Assertion("n", Op.EQ, n if n != 2 else -1)
        _s(Scenario(f"s{n}", tool_calls=[ToolCall("one", {"n": n}, [check])]))
"""
Run = Callable[..., RunReport]


class Heard:
    """A sink that keeps what it is told, in order."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.told: list[str] = []

    def start(self, outline: Any) -> None:
        """Note that so many are to run."""
        self.told.append(f"start {outline.epochs}")

    def add(self, result: Any) -> None:
        """Note a result."""
        self.told.append(result.name)

    def finish(self, report: Any) -> None:
        """Note that it is over."""
        self.told.append(f"finish {report.exit_code}")


@attrs.frozen
class Ran:
    """A run on one executor, and what a sink was told of it."""

    report: RunReport
    told: list[str]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The catalogues, in files of their own."""
    folder = tmp_path_factory.mktemp("executors")
    found = {}
    for name, source in (("whole", SOURCE), ("many", MANY)):
        found[name] = folder / f"{name}_of_executors.py"
        found[name].write_text(textwrap.dedent(source), encoding="utf-8")
    return found


def serial() -> Iterator[dict[str, Any]]:
    """One after the other."""
    yield {"executor": "serial"}


def threads() -> Iterator[dict[str, Any]]:
    """Side by side."""
    yield {"executor": "threads", "workers": 3}


def processes() -> Iterator[dict[str, Any]]:
    """In processes of our own."""
    yield {"executor": "processes", "workers": 2}


def pool() -> Iterator[dict[str, Any]]:
    """In a pool of the caller's own."""
    with ProcessPoolExecutor(2, get_context("spawn")) as theirs:
        yield {"executor": theirs}


def dask() -> Iterator[dict[str, Any]]:
    """On a Dask cluster that is there already."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        yield {"executor": f"dask={cluster.scheduler_address}"}


EXECUTORS: dict[str, Callable[[], Iterator[dict[str, Any]]]] = {
    "serial": serial,
    "threads": threads,
    "processes": processes,
    "pool": pool,
    "dask": dask,
}
ELSEWHERE = sorted(set(EXECUTORS) - {"serial", "threads"})


@pytest.fixture(scope="module", params=EXECUTORS)
def name(request: pytest.FixtureRequest) -> str:
    """The name of an executor."""
    return str(request.param)


@pytest.fixture(scope="module")
def on(name: str) -> Iterator[Run]:
    """What runs a catalogue on that executor."""
    making = EXECUTORS[name]()
    options = next(making)

    def act(target: Any, **more: Any) -> RunReport:
        return run(target, **options, **more)

    yield act
    assert next(making, None) is None


@pytest.fixture(scope="module")
def plain(files: dict[str, Path]) -> RunReport:
    """The serial run that all others are compared with."""
    return run(files["whole"])


@pytest.fixture(scope="module")
def ran(on: Run, files: dict[str, Path]) -> Ran:
    """The whole catalogue, run on that executor."""
    heard = Heard()
    return Ran(on(files["whole"], sinks=[heard]), heard.told)


def told(result: Any) -> list[Any]:
    """All of a verdict but how long it took: what an assertion on the trace saw holds times."""
    checks = [
        (each.step, each.status, each.code, each.score, each.step is None or each.actual)
        for each in result.checks
    ]
    return [result.name, result.epoch, result.epochs, result.needed, result.status, checks]


def test_the_digest_is_the_same_everywhere(ran: Ran, plain: RunReport) -> None:
    """Verdicts and values do not depend on where a run was made."""
    assert ran.report.digest == plain.digest


def test_each_result_is_the_same_everywhere(ran: Ran, plain: RunReport) -> None:
    """Result by result: the same checks, statuses, codes, scores and values."""
    assert list(map(told, ran.report.results)) == list(map(told, plain.results))
    assert ran.report.summary | {"seconds": 0} == plain.summary | {"seconds": 0}
    assert ran.report.exit_code == plain.exit_code == 1


def test_the_rest_of_a_result_is_the_same_everywhere(ran: Ran, plain: RunReport) -> None:
    """So are tags, reasons, places, and what the trace says of calls, errors and prints."""
    for mine, theirs in zip(ran.report.results, plain.results, strict=True):
        assert (mine.tags, mine.difficulty, mine.reason) == (
            theirs.tags,
            theirs.difficulty,
            theirs.reason,
        )
        assert mine.source == theirs.source
        assert [check.assertion for check in mine.checks] == [
            check.assertion for check in theirs.checks
        ]
        if mine.trace is None or theirs.trace is None:
            assert mine.trace is theirs.trace
            continue
        for key in ("errors", "not_run", "observed"):
            assert mine.trace[key] == theirs.trace[key]
        for one, other in zip(mine.trace["calls"], theirs.trace["calls"], strict=True):
            assert one | {"seconds": 0} == other | {"seconds": 0}


def test_one_result_for_each_scenario_and_epoch(ran: Ran) -> None:
    """Nothing is counted twice, and nothing is missing."""
    keys = [(result.name, result.epoch) for result in ran.report.results]
    assert len(keys) == len(set(keys)) == len(NAMES)
    assert [epoch for each, epoch in keys if each == "counts"] == [1, 2, 3]


def test_sinks_are_told_in_the_catalogue_s_order(ran: Ran) -> None:
    """A sink hears of the start, of each result in order, and of the end."""
    assert ran.told == [f"start {len(NAMES)}", *NAMES, "finish 1"]


def test_a_hung_call_is_a_timeout_of_its_own(ran: Ran) -> None:
    """A call past its deadline fails, its own tools are lost with it, and the run goes on."""
    result = ran.report["hangs"]
    assert [check.code for check in result.checks] == [None, "tool_timeout", "not_run"]
    assert result.seconds < 4


@pytest.mark.parametrize(
    ("scenario", "codes"),
    [
        ("wrong", ["wrong_value"]),
        ("raises", ["tool_raised", None]),
        ("leaves", ["tool_raised", None]),
        ("odd", ["unserialisable_result"]),
        ("refuses", [None, None]),
    ],
)
def test_an_error_is_its_call_s_own(ran: Ran, scenario: str, codes: list[str | None]) -> None:
    """What a tool does wrong is said with its call's own code, and the next call runs."""
    assert [check.code for check in ran.report[scenario].checks] == codes


def test_epochs_have_tools_of_their_own(ran: Ran) -> None:
    """A factory is entered afresh for every epoch: what one counted, the next does not see."""
    values = [
        [check.actual for check in result.checks]
        for result in ran.report.results
        if result.name == "counts"
    ]
    assert values == [[1, 2]] * 3


def test_a_run_ends_after_the_first_failure(on: Run, files: dict[str, Path]) -> None:
    """With `max_failures` the rest is not begun, what was told is in order, and the exit is 1."""
    report = on(files["many"], max_failures=1)
    names = [result.name for result in report.results]
    assert [result.name for result in report.failures] == ["s2"]
    assert 3 <= len(names) < 200
    assert names == sorted(names, key=lambda each: int(each[1:]))
    assert report.exit_code == 1


def test_a_loaded_catalogue_runs_everywhere(on: Run, files: dict[str, Path]) -> None:
    """What was loaded from a file, or selected of it, runs as the file does."""
    catalogue = load(files["many"])
    assert on(catalogue.select(names=["s3"])).passed
    report = on([catalogue["s4"], catalogue["s1"]])
    assert {result.name for result in report.results} == {"s1", "s4"}
    assert report.passed


def test_a_run_is_recorded_everywhere(on: Run, files: dict[str, Path], tmp_path: Path) -> None:
    """With a log, each scenario and epoch has one record, and a resume has nothing left to do."""
    catalogue = load(files["whole"]).select(expr="quick or counts")
    report = on(catalogue, log_dir=tmp_path)
    assert len(report.results) == 11
    again = on(catalogue, log_dir=tmp_path, resume=report.run_id)
    assert again.digest == report.digest
    assert report.run is not None
    assert (report.run / "run.ndjson").read_bytes().count(b'"kind":"result"') == 11


@pytest.fixture(scope="module", params=ELSEWHERE)
def elsewhere(request: pytest.FixtureRequest) -> Any:
    """An executor that runs in other processes; none of it is started where it refuses."""
    if request.param == "pool":
        return Unused()
    return request.param


class Unused:
    """A pool that must not be asked for anything."""

    def submit(self, *_: Any) -> Any:
        """Be asked."""
        raise AssertionError("something was sent")


def test_tools_as_an_object_are_refused(
    elsewhere: Any, files: dict[str, Path], tmp_path: Path
) -> None:
    """A table that can't be sent is a catalogue error, before anything runs or is recorded."""
    with pytest.raises(CatalogueError, match=r"tools: .*package\.module:NAME"):
        run(files["many"], tools={"one": int}, executor=elsewhere, log_dir=tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_a_catalogue_without_a_file_is_refused_by_name(
    elsewhere: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was made in memory is named, before anything runs or is recorded."""
    (tmp_path / "tools_of_executors.py").write_text("TOOLS = {'one': int}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    made = Catalogue("made_here")
    made.add(Scenario("a", tool_calls=[ToolCall("one")]))
    with pytest.raises(CatalogueError, match="'made_here' comes from no file"):
        run(made, tools="tools_of_executors:TOOLS", executor=elsewhere, log_dir=tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("at", ["s0", "s199"])
def test_a_scenario_of_another_source_is_refused(at: str, tmp_path: Path) -> None:
    """A scenario that the file does not hold so is refused before any tool is called."""
    source = MANY.replace(
        'return {"n": n}', 'open(__file__ + f".{n}", "w").close(); return {"n": n}'
    )
    path = tmp_path / "edited_of_executors.py"
    path.write_text(textwrap.dedent(source), encoding="utf-8")
    catalogue = load(path)
    catalogue.replace(catalogue[at].but(prompt="Another one?"))
    with pytest.raises(EvalkitError, match=f"{at}.* not the same on a worker"):
        run(catalogue, executor="processes", workers=1)
    assert list(tmp_path.glob("*.py.*")) == []


def test_the_pool_of_the_caller_s_is_still_open(files: dict[str, Path]) -> None:
    """A pool of one's own is used for one run after the other, and is never shut down."""
    with ProcessPoolExecutor(1, get_context("spawn")) as theirs:
        digests = {run(files["many"], executor=theirs).digest for _ in range(2)}
        assert theirs.submit(time.monotonic).result(30) > 0
    assert len(digests) == 1
