"""A run is a directory, found by its id, its label, its age or its path."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from evalkit import Catalogue, RunLogError, RunReport, Scenario, ToolCall, run
from evalkit.runlog.runs import FILE, find_run, header_of, new_run, new_run_id, runs_in

Log = Callable[..., RunReport]


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """Log a run of one scenario in the folder `runs`."""
    catalogue = Catalogue("suite")
    catalogue.add(Scenario("one", tool_calls=[ToolCall("t")]))

    def logged(label: str | None = None) -> RunReport:
        return run(catalogue, tools={"t": bool}, log_dir=tmp_path / "runs", label=label)

    return logged


def place_of(report: RunReport) -> Path:
    """The directory of a run."""
    assert report.run is not None
    return report.run


def test_a_run_is_a_directory_with_its_log(log: Log, tmp_path: Path) -> None:
    """`<log dir>/<run id>/run.ndjson` holds the run, and the report says where it is."""
    report = log()
    assert place_of(report) == tmp_path / "runs" / str(report.run_id)
    assert (place_of(report) / "run.ndjson").is_file()


def test_runs_ignore_themselves(log: Log, tmp_path: Path) -> None:
    """The log directory has an ignore file of its own, which is left alone once it is there."""
    log()
    ignore = tmp_path / "runs" / ".gitignore"
    assert ignore.read_text(encoding="utf-8") == "*\n"
    ignore.write_text("mine\n", encoding="utf-8")
    log()
    assert ignore.read_text(encoding="utf-8") == "mine\n"


def test_the_newest_is_the_one_that_was_begun_last(log: Log, tmp_path: Path) -> None:
    """`latest` and `latest~1` go by when runs were begun, within one second too."""
    made = [place_of(log()) for _ in range(12)]
    assert runs_in(tmp_path / "runs") == made
    for back, run_ in enumerate(reversed(made)):
        assert find_run(tmp_path / "runs", f"latest~{back}") == run_
    assert find_run(tmp_path / "runs", "latest") == made[-1]


def test_a_run_is_found_by_id_label_and_path(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that names a run finds it, a path from the current folder too."""
    place, _ = place_of(log("before the change")), log()
    monkeypatch.chdir(tmp_path)
    for reference in (place.name, "before the change", str(place), os.path.relpath(place)):
        assert find_run(tmp_path / "runs", reference).resolve() == place.resolve()


def test_a_label_that_was_given_twice_means_the_newer_run(log: Log, tmp_path: Path) -> None:
    """Of runs with the same label, the one that was begun last is meant."""
    log("nightly")
    newer = place_of(log("nightly"))
    assert find_run(tmp_path / "runs", "nightly") == newer


@pytest.mark.parametrize("reference", ["nope", "latest~2", "latest~x", "../runs/nope", "before"])
def test_a_reference_to_no_run_is_refused(reference: str, log: Log, tmp_path: Path) -> None:
    """A run that is not there is a RunLogError that names what was asked for."""
    log("before the change")
    log()
    with pytest.raises(RunLogError, match="there is no run") as caught:
        find_run(tmp_path / "runs", reference)
    assert repr(reference) in str(caught.value)


def test_a_mistyped_label_gets_the_nearest(log: Log, tmp_path: Path) -> None:
    """The nearest label is named."""
    log("nightly")
    with pytest.raises(RunLogError, match="did you mean 'nightly'"):
        find_run(tmp_path / "runs", "nigthly")


def test_without_a_log_directory_there_are_no_runs(tmp_path: Path) -> None:
    """A folder that is not there holds no run, and is not made by asking."""
    assert runs_in(tmp_path / "runs") == []
    with pytest.raises(RunLogError, match="'latest'"):
        find_run(tmp_path / "runs", "latest")
    assert not (tmp_path / "runs").exists()


def test_other_things_in_the_log_directory_are_no_runs(log: Log, tmp_path: Path) -> None:
    """Files, and folders without a log, are left alone and never taken for a run."""
    place = place_of(log())
    (tmp_path / "runs" / "zzz").mkdir()
    (tmp_path / "runs" / "notes.txt").write_text("mine", encoding="utf-8")
    assert runs_in(tmp_path / "runs") == [place]
    assert find_run(tmp_path / "runs", "latest") == place


def test_ids_are_never_the_same() -> None:
    """A thousand ids that are made at once are a thousand."""
    assert len({new_run_id() for _ in range(1000)}) == 1000


def test_a_directory_is_never_used_twice(tmp_path: Path) -> None:
    """Each run has a directory of its own, however soon one follows the other."""
    assert len({new_run(tmp_path) for _ in range(50)}) == 50


def test_a_header_that_can_t_be_read_is_empty(log: Log) -> None:
    """The first record of a run is given; where it is torn, there is none."""
    place = place_of(log("nightly"))
    assert header_of(place)["label"] == "nightly"
    (place / FILE).write_bytes((place / FILE).read_bytes()[:40])
    assert header_of(place) == {}
