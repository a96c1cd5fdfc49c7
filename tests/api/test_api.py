"""The doors for Python: what `run`, `arun` and `validate` take, and what they give."""

import asyncio
import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from evalkit import (
    Assertion,
    Catalogue,
    CatalogueError,
    Env,
    Op,
    RunReport,
    Scenario,
    ToolCall,
    arun,
    run,
    validate,
)
from evalkit.select import Selection

Tools = dict[str, Callable[..., Any]]
Door = Callable[..., RunReport]

FILE = """
from evalkit import Assertion, Op, Scenario, ToolCall, _s

TOOL_DISPATCH = {"double": lambda n: 2 * n}
_s(Scenario("{name}", tool_calls=[ToolCall("double", {"n": 2}, [Assertion("", Op.EQ, 4)])]))
"""


def by_arun(*args: Any, **options: Any) -> RunReport:
    """`arun`, on a loop made for it."""
    return asyncio.run(arun(*args, **options))


def inside_a_loop(*args: Any, **options: Any) -> RunReport:
    """`run`, called where a loop is running already."""

    async def caller() -> RunReport:
        return run(*args, **options)

    return asyncio.run(caller())


DOORS = {"run": run, "arun": by_arun, "run inside a loop": inside_a_loop}


@pytest.fixture(params=sorted(DOORS))
def door(request: pytest.FixtureRequest) -> Door:
    """Each of the doors in turn."""
    return DOORS[request.param]


@pytest.fixture(autouse=True)
def _own_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what a load puts on `sys.path` go with the test."""
    monkeypatch.setattr(sys, "path", list(sys.path))


def doubled(name: str, n: int = 2, expected: int = 4, **fields: Any) -> Scenario:
    """A scenario that doubles a number."""
    call = ToolCall("double", {"n": n}, [Assertion("", Op.EQ, expected)])
    return Scenario(name, tool_calls=[call], **fields)


def double(n: int) -> int:
    """A tool."""
    return 2 * n


async def double_later(n: int) -> int:
    """An async tool."""
    await asyncio.sleep(0)
    return 2 * n


@contextmanager
def managed() -> Iterator[Tools]:
    """A context manager of tools."""
    yield {"double": double}


def generator(scenario: Scenario) -> Iterator[Env]:
    """A generator of the scenario's tools."""
    assert scenario.name
    yield Env({"double": double_later})


TABLE: Tools = {"double": double}
TOOLS: dict[str, Any] = {
    "table": TABLE,
    "async table": {"double": double_later},
    "env": Env(TABLE),
    "factory": lambda: TABLE,
    "factory of the scenario": lambda scenario: {"double": double} if scenario.name else {},
    "context manager": managed,
    "generator": generator,
}


def names(report: RunReport) -> list[str]:
    """The names of the results, in order."""
    return [result.name for result in report.results]


def files(folder: Path, *stems: str) -> list[Path]:
    """Catalogues of one scenario each, with their own tools."""
    for stem in stems:
        (folder / f"{stem}.py").write_text(FILE.replace("{name}", stem), encoding="utf-8")
    return [folder / f"{stem}.py" for stem in stems]


def catalogue(*scenarios: Scenario, tools: Any = None) -> Catalogue:
    """A catalogue of one's own."""
    made = Catalogue("own")
    made.tools = tools
    for scenario in scenarios:
        made.add(scenario)
    return made


@pytest.mark.parametrize("name", TOOLS)
def test_every_door_takes_every_kind_of_tools(name: str, door: Door) -> None:
    """A table, an `Env`, a factory of any kind, sync or async tools: at every door alike."""
    assert door([doubled("a"), doubled("b")], tools=TOOLS[name]).passed


def test_one_target_may_stand_by_itself(door: Door, tmp_path: Path) -> None:
    """A scenario, a catalogue and a path, as a `Path` or a string, are targets without a list."""
    (path,) = files(tmp_path, "one_file")
    for target in (doubled("a"), catalogue(doubled("a")), path, str(path)):
        assert door(target, tools=TABLE).summary["scenarios_passed"] == 1


def test_several_targets_run_in_their_order(door: Door, tmp_path: Path) -> None:
    """A list of targets of several kinds runs each; loose scenarios come last, as one catalogue."""
    first, second = files(tmp_path, "first_file", "second_file")
    targets = [doubled("loose"), first, catalogue(doubled("own"), tools=TABLE), second]
    report = door(targets, tools=TABLE)
    assert names(report) == ["first_file", "own", "second_file", "loose"]
    assert report.passed


def test_each_catalogue_runs_on_its_own_tools(door: Door) -> None:
    """Without `tools` every catalogue brings its own; with it, all run on the given."""
    good = catalogue(doubled("good"), tools=TABLE)
    bad = catalogue(doubled("bad"), tools={"double": lambda n: n})
    assert [result.passed for result in door([good, bad]).results] == [True, False]
    assert door([good, bad], tools=TABLE).passed


def test_targets_may_come_from_a_generator(door: Door) -> None:
    """Any iterable of targets will do, one that can be read only once too."""
    assert names(door((doubled(name) for name in "abc"), tools=TABLE)) == ["a", "b", "c"]


@pytest.mark.parametrize("target", [7, [7], [None], object()])
def test_what_is_no_target_is_refused(target: Any, door: Door) -> None:
    """Anything else is the author's error, with what would have been accepted."""
    with pytest.raises(CatalogueError, match="a path"):
        door(target, tools=TABLE)


def test_nothing_to_run_is_no_success(door: Door) -> None:
    """A run of no scenario passes nothing: exit code 5."""
    report = door([], tools=TABLE)
    assert (report.passed, report.exit_code) == (False, 5)


def test_nothing_measured_is_no_success(door: Door) -> None:
    """A run of scenarios that are for agents only is SKIPPED, with a reason, and exits 5."""
    agents = Scenario("s", "Hello?", assertions=[Assertion("response", Op.EXISTS)])
    report = door(agents, tools=TABLE)
    assert (report.passed, report.exit_code) == (False, 5)
    assert report["s"].status.value == "skipped"
    assert "agent" in report["s"].reason


@pytest.mark.parametrize("twice", [[doubled("a"), doubled("a")], [doubled("a"), doubled("A")]])
def test_a_name_belongs_to_one_scenario(twice: list[Scenario], door: Door) -> None:
    """Two scenarios of one name in a run are refused, loose or in two catalogues."""
    with pytest.raises(CatalogueError, match="taken"):
        door(twice, tools=TABLE)
    with pytest.raises(CatalogueError, match="taken"):
        door([catalogue(each) for each in twice], tools=TABLE)


def test_without_tools_there_is_no_run(door: Door) -> None:
    """Scenarios with calls and no tools to make them on are refused, with what to do."""
    with pytest.raises(CatalogueError, match="TOOL_DISPATCH"):
        door(doubled("a"))


def test_problems_of_all_catalogues_come_together(door: Door) -> None:
    """What is wrong in several catalogues is raised as one error."""
    wrong = [catalogue(Scenario(name, tool_calls=[ToolCall("duoble")])) for name in "ab"]
    with pytest.raises(CatalogueError) as refused:
        door(wrong, tools=TABLE)
    assert [problem.where for problem in refused.value.problems] == [
        "a.tool_calls[0].tool",
        "b.tool_calls[0].tool",
    ]


@pytest.fixture
def module() -> Iterator[ModuleType]:
    """A module of tools that can be imported by name."""
    made = ModuleType("desk_of_test_api")
    vars(made).update(TOOLS_HERE=TABLE, factory=managed, number=7)
    sys.modules[made.__name__] = made
    yield made
    del sys.modules[made.__name__]


@pytest.mark.parametrize("name", ["TOOLS_HERE", "factory"])
def test_tools_may_be_named(name: str, module: ModuleType, door: Door) -> None:
    """`module:NAME` names a table or a factory."""
    assert door(doubled("a"), tools=f"{module.__name__}:{name}").passed


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("desk_of_test_api:TOLS_HERE", "TOOLS_HERE"),
        ("desk_of_test_api:number", "7"),
        ("desk_of_test_api", "module:NAME"),
        (":NAME", "module:NAME"),
        ("no_such_module_of_test_api:NAME", "no_such_module_of_test_api"),
    ],
)
def test_a_name_of_no_tools_is_refused(name: str, said: str, module: ModuleType) -> None:
    """A name that leads to no tools is the author's error, with the nearest or the right form."""
    with pytest.raises(CatalogueError, match=said):
        run(doubled("a"), tools=name)


@pytest.mark.parametrize("line", ["import sys; sys.exit(0)", "raise ValueError('x')", "1 +", "nme"])
def test_a_module_of_tools_that_fails_is_refused(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module of tools that raises, exits or is no Python is the author's error."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "failing_desk_of_test_api.py").write_text(line, encoding="utf-8")
    with pytest.raises(CatalogueError, match="failing_desk_of_test_api"):
        run(doubled("a"), tools="failing_desk_of_test_api:NAME")


def test_a_selection_is_run_alone(door: Door) -> None:
    """Only what is selected is planned and run."""
    broken = Scenario("broken", tool_calls=[ToolCall("duoble")], tags=["broken"])
    selection = Selection(tags=("not:broken",))
    assert names(door([doubled("a"), broken], tools=TABLE, selection=selection)) == ["a"]


@pytest.mark.parametrize(("limit", "ran"), [(1, 2), (2, 3), (None, 4)])
def test_a_run_may_stop_after_failures(limit: int | None, ran: int, door: Door) -> None:
    """`max_failures` ends the run early, at every door."""
    wrong = [doubled("a"), doubled("b", expected=5), doubled("c", expected=5), doubled("d")]
    assert len(door(wrong, tools=TABLE, max_failures=limit).results) == ran


@pytest.mark.parametrize("kind", ["sync", "async", "blocking"])
def test_timeouts_hold_at_every_door(kind: str, door: Door) -> None:
    """A call past its deadline fails, and the next scenario's tools work, at every door."""
    event = threading.Event()

    async def later(n: int) -> None:
        await asyncio.sleep(5)

    async def blocking(n: int) -> None:
        event.wait(1)

    def sync(n: int) -> None:
        event.wait(5)

    handler = {"sync": sync, "async": later, "blocking": blocking}[kind]
    slow = Scenario("slow", tool_calls=[ToolCall("slow", {"n": 1}, timeout_s=0.1)])
    tools = {"slow": handler, "double": double_later}
    report = door([slow, doubled("next")], tools=tools)
    event.set()
    assert report["slow"].checks[0].code == "tool_timeout"
    assert report["next"].passed


def test_async_tools_of_arun_share_the_caller_s_loop() -> None:
    """`arun` runs async handlers on the loop that awaits it, which is not blocked meanwhile."""
    ticks: list[float] = []

    async def which(n: int) -> int:
        await asyncio.sleep(0.05)
        return id(asyncio.get_running_loop())

    async def tick() -> None:
        while True:
            ticks.append(time.monotonic())
            await asyncio.sleep(0.005)

    async def caller() -> None:
        ticking = asyncio.create_task(tick())
        loop = id(asyncio.get_running_loop())
        sync = ToolCall("sync")
        call = ToolCall("which", {"n": 1}, [Assertion("", Op.EQ, loop)])
        tools = {"which": which, "sync": lambda: time.sleep(0.05)}
        assert (await arun(Scenario("s", tool_calls=[call, sync]), tools=tools)).passed
        ticking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await ticking

    asyncio.run(caller())
    assert len(ticks) > 5


def test_validate_gives_what_a_run_would_refuse(tmp_path: Path) -> None:
    """`validate` calls nothing, and gives every problem with its place and the nearest."""
    called: list[int] = []

    def counting(n: int) -> None:
        called.append(n)

    typo = Scenario("typo", tool_calls=[ToolCall("duoble", {"n": 1}), ToolCall("double", {"m": 1})])
    found = validate([typo, doubled("a")], tools={"double": counting})
    assert [problem.where for problem in found] == [
        "typo.tool_calls[0].tool",
        "typo.tool_calls[1].args",
        "typo.tool_calls[1].args",
    ]
    assert "'double'" in str(found[0])
    assert called == []
    (path,) = files(tmp_path, "valid_file")
    assert validate(path) == ()
