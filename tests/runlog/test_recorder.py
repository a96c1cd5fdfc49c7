"""A run is gone on with: what is done is kept, the rest is run, and nothing is mixed up."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalkit import (
    Assertion,
    Catalogue,
    Op,
    RunLogError,
    RunReport,
    Scenario,
    Status,
    ToolCall,
    TransportError,
    run,
)
from evalkit.runlog.lines import lines_of
from evalkit.runlog.reader import RunLog
from evalkit.runlog.resume import NEWEST
from evalkit.runlog.runs import FILE, runs_in

Tools = dict[str, Callable[..., Any]]


def one(name: str, tool: str = "yes", **fields: Any) -> Scenario:
    """A scenario of one call, which must give true."""
    call = ToolCall(tool, {}, [Assertion("", Op.EQ, True)], timeout_s=fields.pop("call_s", None))
    return Scenario(name, tool_calls=[call], **fields)


def catalogue(*scenarios: Scenario) -> Catalogue:
    """A catalogue of these."""
    made = Catalogue("suite")
    for each in scenarios:
        made.add(each.but())
    return made


def yes() -> bool:
    """A tool that answers."""
    return True


def no() -> bool:
    """A tool that answers wrongly."""
    return False


def raises() -> None:
    """A tool that raises."""
    raise ValueError("no")


def hangs() -> None:
    """A tool that does not answer in time."""
    import threading  # noqa: PLC0415  - what the tool names is all of it

    threading.Event().wait(0.5)


def lost_until(flag: Path) -> Callable[[], bool]:
    """A tool that is out of reach until a file is there."""
    name = str(flag)

    def tool() -> bool:
        if not Path(name).exists():
            raise TransportError("gone")
        return True

    return tool


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    """Tools of every outcome; `lost` answers once the file `back` is there."""
    lost = lost_until(tmp_path / "back")
    return {"yes": yes, "no": no, "raises": raises, "hangs": hangs, "lost": lost}


def cut(report: RunReport, keep: int = -1) -> RunLog:
    """Cut a log off after some records, as a kill does; without a number, before its summary."""
    assert report.run is not None
    lines = (report.run / FILE).read_bytes().splitlines(keepends=True)
    (report.run / FILE).write_bytes(b"".join(lines[:keep]))
    return RunLog(report.run)


def attempts(report: RunReport) -> dict[str, int]:
    """How often each scenario and epoch was run, by the log."""
    assert report.run is not None
    entries = RunLog(report.run).entries.items()
    return {
        name if epoch == 1 else f"{name} {epoch}": each.attempt for (name, epoch), each in entries
    }


KEPT_OR_NOT = {
    "passed": (one("it"), 1),
    "failed": (one("it", "no"), 1),
    "raised": (one("it", "raises"), 1),
    "timed out": (one("it", "hangs", call_s=0.02), 1),
    "known to fail": (one("it", "no", xfail="known"), 1),
    "passed though known to fail": (one("it", xfail="known"), 1),
    "for an agent only": (Scenario("it", "?", assertions=[Assertion("response", "exists")]), 1),
    "could not be measured": (one("it", "lost"), 2),
    "could not be measured though known to fail": (one("it", "lost", xfail="known"), 2),
}


@pytest.mark.parametrize("outcome", KEPT_OR_NOT)
def test_what_was_measured_is_kept(outcome: str, tools: Tools, tmp_path: Path) -> None:
    """A result is kept whatever it says; what could not be measured is run again."""
    scenario, wanted = KEPT_OR_NOT[outcome]
    options: dict[str, Any] = {"tools": tools, "log_dir": tmp_path / "runs"}
    first = run(catalogue(scenario, one("other")), **options)
    cut(first)
    second = run(catalogue(scenario, one("other")), resume=first.run_id, **options)
    assert attempts(second) == {"it": wanted, "other": 1}
    assert second.run_id == first.run_id
    assert second.digest == first.digest


def test_an_error_that_is_over_is_measured(tools: Tools, tmp_path: Path) -> None:
    """What could not be measured counts as it comes out the next time."""
    suite = catalogue(one("it", "lost"), one("other"))
    options: dict[str, Any] = {"tools": tools, "log_dir": tmp_path / "runs"}
    first = run(suite, **options)
    assert first["it"].status is Status.ERROR
    (tmp_path / "back").touch()
    second = run(suite, resume=first.run_id, **options)
    assert second["it"].status is Status.PASSED
    assert (second.passed, second.summary["scenarios_total"]) == (True, 2)
    assert second.digest == run(suite, tools=tools).digest


def test_all_attempts_stay_in_the_log(tools: Tools, tmp_path: Path) -> None:
    """Records are only ever added: each attempt can still be read."""
    suite = catalogue(one("it", "lost"))
    options: dict[str, Any] = {"tools": tools, "log_dir": tmp_path / "runs"}
    report = run(suite, **options)
    for _ in range(2):
        report = run(suite, resume=report.run_id, **options)
    assert report.run is not None
    records = [line.record or {} for line in lines_of(report.run / FILE)]
    found = [each["attempt"] for each in records if each["kind"] == "result"]
    assert found == [1, 2, 3]
    assert [each["seq"] for each in records] == list(range(1, len(records) + 1))


@pytest.mark.parametrize("keep", [1, 3, 5, 9])
def test_epochs_are_kept_one_by_one(keep: int, tools: Tools, tmp_path: Path) -> None:
    """A scenario whose epochs are partly there runs the others only."""
    suite = catalogue(one("a", epochs=3), one("b", "no", epochs=4, pass_epochs=2), one("c"))
    options: dict[str, Any] = {"tools": tools, "log_dir": tmp_path / "runs"}
    first = run(suite, **options)
    cut(first, keep)
    second = run(suite, resume=first.run_id, **options)
    assert set(attempts(second).values()) == {1}
    assert len(second.results) == 8
    assert (second.digest, second.summary["scenarios_total"]) == (first.digest, 3)


class Names:
    """A sink that notes what it is told, by name."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.told: list[str] = []

    def start(self, outline: Any) -> None:
        """Note how many there are to be."""
        self.told.append(f"{outline.selected} begin")

    def add(self, result: Any) -> None:
        """Note a result."""
        self.told.append(result.name)

    def finish(self, report: Any) -> None:
        """Note how many there were."""
        self.told.append(f"{report.summary['scenarios_total']} counted")


def test_old_and_new_come_in_the_catalogue_s_order(tools: Tools, tmp_path: Path) -> None:
    """Kept results and new ones are one run: in one order, in one summary."""
    suite = catalogue(*(one(name, "no" if name == "b" else "yes") for name in "abcdef"))
    options: dict[str, Any] = {"tools": tools, "log_dir": tmp_path / "runs"}
    first = run(suite, **options)
    cut(first, 4)
    sink = Names()
    second = run(suite, resume=first.run_id, sinks=[sink], **options)
    assert sink.told == ["6 begin", *"abcdef", "6 counted"]
    assert [each.name for each in second.results] == list("abcdef")
    counts = ("scenarios_total", "scenarios_passed", "scenarios_failed", "checks_total")
    assert [second.summary[each] for each in counts] == [6, 5, 1, 6]
    assert second.run is not None
    log = RunLog(second.run)
    assert log.summary is not None
    assert log.summary["digest"] == second.digest
    assert log.finished


@pytest.mark.parametrize("times", [1, 2, 3])
def test_resuming_again_changes_nothing(times: int, tools: Tools, tmp_path: Path) -> None:
    """A finished run that is gone on with runs nothing, however often."""
    suite = catalogue(one("a"), one("b", "no"))
    options: dict[str, Any] = {"tools": tools, "log_dir": tmp_path / "runs"}
    first = report = run(suite, **options)
    for _ in range(times):
        report = run(suite, resume=first.run_id, **options)
    assert report.digest == first.digest
    assert attempts(report) == {"a": 1, "b": 1}


def test_the_newest_unfinished_run_is_gone_on_with(tools: Tools, tmp_path: Path) -> None:
    """Without a name it is the newest run that has not come to its end."""
    options: dict[str, Any] = {"tools": tools, "log_dir": tmp_path / "runs"}
    reports = [run(catalogue(one("a"), one("b")), **options) for _ in range(4)]
    for report in reports[1:3]:
        cut(report, 2)
    second = run(catalogue(one("a"), one("b")), resume=NEWEST, **options)
    assert second.run_id == reports[2].run_id


def test_where_no_run_is_unfinished_a_new_one_begins(tools: Tools, tmp_path: Path) -> None:
    """Asking for the newest unfinished run, where there is none, begins anew."""
    options: dict[str, Any] = {"tools": tools, "log_dir": tmp_path / "runs", "resume": NEWEST}
    first = run(catalogue(one("a")), **options)
    second = run(catalogue(one("a")), **options)
    assert len({first.run_id, second.run_id}) == 2
    assert len(runs_in(tmp_path / "runs")) == 2


def test_another_run_s_damage_is_no_obstacle(tools: Tools, tmp_path: Path) -> None:
    """A damaged run that is not meant does not keep one from going on with the one that is."""
    options: dict[str, Any] = {"tools": tools, "log_dir": tmp_path / "runs"}
    old, new = (run(catalogue(one("a"), one("b")), **options) for _ in range(2))
    assert old.run is not None
    damaged = (old.run / FILE).read_bytes().replace(b"result", b"resalt", 1)
    (old.run / FILE).write_bytes(damaged)
    cut(new, 2)
    assert run(catalogue(one("a"), one("b")), resume=NEWEST, **options).run_id == new.run_id
    assert (old.run / FILE).read_bytes() == damaged


DIFFERENT: dict[str, dict[str, Any]] = {
    "epochs": {"epochs": 2},
    "until_sure": {"until_sure": 0.5},
    "timeout_s": {"timeout_s": 7.0},
}


@pytest.mark.parametrize("name", DIFFERENT)
@pytest.mark.parametrize("finished", [True, False])
def test_other_options_are_refused(name: str, finished: bool, tools: Tools, tmp_path: Path) -> None:
    """An option that bears on verdicts must be as it was; it is named; the log stays as it is."""
    suite = catalogue(one("a"), one("b"))
    options: dict[str, Any] = {"tools": tools, "log_dir": tmp_path / "runs"}
    first = run(suite, **options)
    if not finished:
        cut(first, 2)
    assert first.run is not None
    before = (first.run / FILE).read_bytes()
    with pytest.raises(RunLogError, match=rf"{name} was .*, now {DIFFERENT[name][name]}"):
        run(suite, resume=first.run_id, **options, **DIFFERENT[name])
    assert (first.run / FILE).read_bytes() == before
    assert run(suite, resume=first.run_id, **options).digest == first.digest


SPEED: dict[str, dict[str, Any]] = {
    "threads": {"executor": "threads", "workers": 3},
    "rate": {"rate": 1000},
    "max_failures": {"max_failures": 5},
    "keep_results": {"keep_results": False},
    "label": {"label": "again"},
}


@pytest.mark.parametrize("name", SPEED)
def test_options_of_speed_and_output_may_differ(name: str, tools: Tools, tmp_path: Path) -> None:
    """How fast, where, and what is shown does not make another run."""
    suite = catalogue(one("a"), one("b"), one("c"))
    options: dict[str, Any] = {"tools": tools, "log_dir": tmp_path / "runs"}
    first = run(suite, **options)
    cut(first, 2)
    second = run(suite, resume=first.run_id, **options, **SPEED[name])
    assert second.digest == first.digest


def test_another_kind_of_tools_is_refused(tools: Tools, tmp_path: Path) -> None:
    """A factory in the place of a table is another run."""
    suite = catalogue(one("a"))
    first = run(suite, tools=tools, log_dir=tmp_path / "runs")
    with pytest.raises(RunLogError, match="tools was 'dict', now"):
        run(suite, tools=lambda: tools, log_dir=tmp_path / "runs", resume=first.run_id)


def test_another_catalogue_is_refused(tools: Tools, tmp_path: Path) -> None:
    """A run of one catalogue is not gone on with by another."""
    options: dict[str, Any] = {"tools": tools, "log_dir": tmp_path / "runs"}
    first = run(catalogue(one("a")), **options)
    other = Catalogue("other")
    other.add(one("a"))
    with pytest.raises(RunLogError, match=r"files was \['suite'\], now \['other'\]"):
        run(other, resume=first.run_id, **options)


def test_what_only_the_kept_results_know_is_today_s(tools: Tools, tmp_path: Path) -> None:
    """A run that stops at its first failure, and is gone on with, shows no stale result."""
    options: dict[str, Any] = {"tools": tools, "log_dir": tmp_path / "runs"}
    first = run(catalogue(one("a"), one("b")), **options)
    edited = catalogue(one("a", "no"), one("b", "no"))
    second = run(edited, resume=first.run_id, max_failures=1, **options)
    assert [(each.name, each.status.value) for each in second.results] == [("a", "failed")]
    assert second.digest == run(edited, tools=tools, max_failures=1).digest
