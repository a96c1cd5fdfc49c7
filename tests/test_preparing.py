"""What a caller names becomes jobs: loaded, selected, opened once, planned, or refused whole."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, Catalogue, CatalogueError, Op, Scenario, ToolCall
from evalkit.asked import Asked, Prepared, targets_of
from evalkit.desk import MOST_TO_BE_SURE
from evalkit.engine import OPENING_S
from evalkit.intervals import MOST_EPOCHS
from evalkit.preparing import LOADING_S, Preparation
from evalkit.select import Selection

FILE = """
from evalkit import Scenario, ToolCall, _s
TOOL_DISPATCH = {"ping": lambda: "pong"}
_s(Scenario("{name}", tool_calls=[ToolCall("ping")], tags=["t"]))
"""


@pytest.fixture(autouse=True)
def _own_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what a load puts on `sys.path` go with the test."""
    monkeypatch.setattr(sys, "path", list(sys.path))


class Clock:
    """What holds the author's code to a deadline, and notes what it was asked for."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.asked: list[tuple[str, float]] = []

    def __call__(self, doing: str, limit_s: float, act: Callable[[], Any]) -> Any:
        """Do it."""
        self.asked.append((doing, limit_s))
        return act()


def pinging(name: str, *tags: str, tool: str = "ping") -> Scenario:
    """A scenario of one call."""
    return Scenario(name, tool_calls=[ToolCall(tool)], tags=tags)


def shop(name: str, *scenarios: Scenario) -> Catalogue:
    """A catalogue with its own tools."""
    made = Catalogue(name)
    made.tools = {"ping": lambda: "pong"}
    for each in scenarios:
        made.add(each)
    return made


def preparation(*targets: Any, clock: Clock | None = None, **asked: Any) -> Preparation:
    """A preparation of these targets."""
    return Preparation(Asked(targets_of(targets), **asked), clock or Clock())


def names(prepared: Prepared) -> list[str]:
    """The names of the scenarios that would run, in order."""
    return [job.plan.scenario.name for job in prepared.jobs]


def problems(made: Preparation) -> list[str]:
    """What is wrong, a line each."""
    with pytest.raises(CatalogueError) as caught:
        made.prepare()
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    "target", ["a.py", Path("a.py"), pinging("a"), Catalogue("a"), 7], ids=type
)
def test_one_target_may_stand_by_itself(target: Any) -> None:
    """A text, a path, a scenario and a catalogue are one target; so is what is none, to be told."""
    assert targets_of(target) == (target,)


def test_several_targets_are_kept_in_order() -> None:
    """Any iterable of targets is read once."""
    assert targets_of(iter(["a.py", "b.py"])) == ("a.py", "b.py")


def test_catalogues_keep_their_order_and_loose_scenarios_come_last() -> None:
    """Jobs are in the order of the catalogues; what is not selected is counted in the total."""
    first, second = shop("one", pinging("a", "t"), pinging("b")), shop("two", pinging("c", "t"))
    targets = (pinging("loose", "t"), first, second)
    made = preparation(*targets, tools={"ping": int}, selection=Selection(tags=["t"]))
    prepared = made.prepare()
    assert names(prepared) == ["a", "c", "loose"]
    assert prepared.outline.total == 4
    assert [each.name for each in prepared.everything] == ["a", "b", "c", "loose"]


def test_scenarios_of_one_home_are_one_catalogue() -> None:
    """Loose scenarios that were registered together are opened and planned together."""
    opened: list[str] = []

    def factory() -> dict[str, Any]:
        opened.append("open")
        return {"ping": int}

    home = shop("one", pinging("a"), pinging("b"), pinging("c"))
    home.tools = factory
    assert names(preparation(home["c"], home["a"]).prepare()) == ["c", "a"]
    assert opened == ["open"]


def test_the_author_s_code_is_held_to_deadlines(tmp_path: Path) -> None:
    """Loading, importing, opening and closing are each done in time, and said by the file."""
    path = tmp_path / "held_of_test_preparing.py"
    path.write_text(FILE.replace("{name}", "a"), encoding="utf-8")
    clock = Clock()
    preparation(path, clock=clock).prepare()
    assert clock.asked == [
        (f"loading {path}", LOADING_S),
        ("importing the agent", LOADING_S),
        (f"{path}: importing the tools", LOADING_S),
        (f"{path}: opening the tools", OPENING_S),
        (f"{path}: closing the tools", OPENING_S),
    ]


def test_a_factory_is_opened_once_for_a_catalogue_and_closed() -> None:
    """To plan, tools are opened for one scenario, and closed before anything runs."""
    log: list[str] = []

    @contextmanager
    def factory() -> Iterator[dict[str, Any]]:
        log.append("open")
        yield {"ping": int}
        log.append("close")

    preparation(pinging("a"), pinging("b"), tools=factory).prepare()
    assert log == ["open", "close"]


def test_a_catalogue_of_which_nothing_is_selected_is_not_opened() -> None:
    """Tools that nothing would be called on are left alone."""
    other = shop("other", pinging("b"))
    other.tools = lambda: 1 / 0
    made = preparation(shop("one", pinging("a")), other, selection=Selection(names=["a"]))
    assert names(made.prepare()) == ["a"]


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    """A file that fails, tools that do not open, a wrong tool: one error with all of them."""
    broken = tmp_path / "broken_of_test_preparing.py"
    broken.write_text("1 / 0", encoding="utf-8")
    closed = shop("closed", pinging("b"))
    closed.tools = lambda: 1 / 0
    told = problems(preparation(shop("one", pinging("a", tool="pong")), broken, closed))
    assert [line for line in told if "ZeroDivisionError" in line and str(broken) in line]
    assert [line for line in told if line.startswith("closed: opening the tools: failed")]
    assert [line for line in told if "unknown tool 'pong'; did you mean 'ping'?" in line]
    assert len(told) == 3


@pytest.mark.parametrize("raised", [SystemExit(0), RuntimeError("db down")], ids=repr)
@pytest.mark.parametrize("where", ["opening", "closing"])
def test_tools_that_fail_while_planning_are_a_problem(where: str, raised: BaseException) -> None:
    """What a factory raises before the run is the catalogue's, with the place and what was done."""

    @contextmanager
    def factory() -> Iterator[dict[str, Any]]:
        if where == "opening":
            raise raised
        yield {"ping": int}
        raise raised

    (told,) = problems(preparation(shop("one", pinging("a")), tools=factory))
    assert told == f"one: {where} the tools: failed: {type(raised).__name__}: {raised}"


def test_what_is_doubtful_is_a_warning() -> None:
    """Warnings are with what is prepared, and in the way of nothing."""
    call = ToolCall("ping", {}, [Assertion("n", Op.GTE, 0)])
    prepared = preparation(shop("one", Scenario("a", tool_calls=[call]))).prepare()
    (warning,) = prepared.warnings
    assert warning.warning
    assert names(prepared) == ["a"]


def test_notes_are_told_once() -> None:
    """What a later execution replaced is said with the next run, and not again."""
    home = shop("one", pinging("a"))
    home.notes.append("replaced")
    assert preparation(home).prepare().notes == ("replaced",)
    assert preparation(home).prepare().notes == ()


def test_to_choose_needs_no_tools() -> None:
    """What is meant, and all there is, are known without opening or planning anything."""
    home = shop("one", pinging("a", "t"), pinging("b", tool="nope"))
    home.tools = lambda: 1 / 0
    chosen, everything = preparation(home, selection=Selection(tags=["t"])).choose()
    assert [each.name for each in chosen] == ["a"]
    assert [each.name for each in everything] == ["a", "b"]


def test_a_wrong_selection_is_told_with_the_rest() -> None:
    """A tag that is nobody's is a problem beside a target that is none."""
    told = problems(
        preparation(shop("one", pinging("a", "tag")), 7, selection=Selection(tags=["tga"]))
    )
    assert any("unknown tag 'tga'; did you mean 'tag'?" in line for line in told)
    assert any("can't run 7" in line for line in told)


@pytest.mark.parametrize(
    ("own", "asked", "sure", "found"),
    [
        ({}, None, None, (1, 1)),
        ({}, 5, None, (5, 5)),
        ({"epochs": 4}, None, None, (4, 4)),
        ({"epochs": 4, "pass_epochs": 3}, None, None, (4, 3)),
        ({"epochs": 4}, 2, None, (2, 2)),
        ({"pass_epochs": 3}, 5, None, (5, 3)),
        ({"pass_epochs": 1}, None, None, (1, 1)),
        ({}, None, 0.9, (MOST_TO_BE_SURE, MOST_TO_BE_SURE)),
        ({}, 20, 0.9, (20, 20)),
        ({"epochs": 30}, None, 0.9, (30, 30)),
    ],
    ids=str,
)
def test_epochs(
    own: dict[str, int], asked: int | None, sure: float | None, found: tuple[int, int]
) -> None:
    """As many as are asked for, or its own, or one (to be sure, a hundred); all must pass."""
    home = shop("one", pinging("a").but(**own))
    (job,) = preparation(home, epochs=asked, sure=sure).prepare().jobs
    assert (job.epochs, job.needed) == found


def test_the_outline_counts_epochs() -> None:
    """What is about to run is said in scenarios and in epochs."""
    home = shop("one", pinging("a").but(epochs=3), pinging("b"))
    outline = preparation(home).prepare().outline
    assert (outline.selected, outline.epochs) == (2, 4)


@pytest.mark.parametrize(
    ("own", "asked", "told"),
    [
        ({"epochs": 2, "pass_epochs": 3}, None, "3 epochs must pass, of 2 epochs"),
        ({"pass_epochs": 3}, None, "3 epochs must pass, of 1 epoch"),
        ({"pass_epochs": 3}, 2, "3 epochs must pass, of 2 epochs"),
    ],
    ids=str,
)
def test_more_may_not_have_to_pass_than_run(
    own: dict[str, int], asked: int | None, told: str
) -> None:
    """A scenario that could never pass is a problem of the catalogue, with its place and a hint."""
    (line,) = problems(preparation(shop("one", pinging("a").but(**own)), epochs=asked))
    assert f": a.pass_epochs: {told}; " in line


def test_epochs_that_can_not_be_are_told_with_the_rest() -> None:
    """All scenarios that ask for too much are told at once, beside what else is wrong."""
    scenarios = [pinging("a"), pinging("b"), pinging("c", tool="pong")]
    home = shop("one", *[each.but(pass_epochs=2) for each in scenarios])
    assert len(problems(preparation(home))) == 4


def test_a_scenario_for_agents_is_skipped_once() -> None:
    """What the tools can't run is one result, however many epochs it or the caller asks for."""
    talk = Scenario("talk", "Hi?", assertions=[Assertion("response", Op.EXISTS)], epochs=3)
    (job,) = preparation(shop("one", talk), epochs=5).prepare().jobs
    assert (job.epochs, job.needed) == (1, 1)


def test_a_scenario_for_agents_may_not_contradict_itself() -> None:
    """That three of two epochs must pass is wrong under every subject, and told before the run."""
    talk = Scenario("talk", "Hi?", assertions=[Assertion("response", Op.EXISTS)])
    (line,) = problems(preparation(shop("one", talk.but(epochs=2, pass_epochs=3))))
    assert "3 epochs must pass, of 2 epochs" in line


def test_no_more_epochs_than_can_be_decided_on() -> None:
    """A scenario may ask for no more epochs than a caller may: 1,000, or it is a problem."""
    with pytest.raises(CatalogueError, match=r"Scenario\.epochs: .* from 1 to 1,000"):
        pinging("a").but(epochs=MOST_EPOCHS + 1)
