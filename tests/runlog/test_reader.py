"""A log is read as far as it is whole, and what is not is named, never passed over in silence."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, Catalogue, Op, RunLogError, Scenario, Status, ToolCall, run
from evalkit.jsontext import dumped_object, loaded
from evalkit.runlog.lines import line_of, lines_of
from evalkit.runlog.reader import LoggedResults, RunLog, salvage
from evalkit.runlog.records import result_digest
from evalkit.runlog.runs import FILE

GOLDEN = Path(__file__).parent / "golden"
Edit = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


def catalogue(*names: str, epochs: int | None = None) -> Catalogue:
    """A catalogue of scenarios of these names, of which each gives its name."""
    made = Catalogue("suite")
    for name in names:
        call = ToolCall("echo", {"value": name}, [Assertion("value", Op.EQ, name)])
        made.add(Scenario(name, tool_calls=[call], epochs=epochs))
    return made


TOOLS = {"echo": lambda value: {"value": value}}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The directory of a finished run of three scenarios."""
    made = run(catalogue("a", "b", "c"), tools=TOOLS, log_dir=tmp_path).run
    assert made is not None
    return made


def records(place: Path) -> list[dict[str, Any]]:
    """The records of a log."""
    return [line.record for line in lines_of(place / FILE) if line.record is not None]


def rewrite(place: Path, edit: Edit) -> None:
    """Change the records of a log, numbers and checksums put right."""
    edited = edit(records(place))
    lines = [line_of({**record, "seq": at}) for at, record in enumerate(edited, 1)]
    (place / FILE).write_bytes(b"".join(lines))


def test_a_finished_run_is_read(place: Path) -> None:
    """The id, the end, the order and the results of a run are there."""
    log = RunLog(place)
    assert (log.id, log.finished, log.notes) == (place.name, True, [])
    assert log.in_order() == [("a", 1), ("b", 1), ("c", 1)]
    assert [log.result(key).status for key in log.in_order()] == [Status.PASSED] * 3


def test_results_are_read_when_they_are_asked_for(place: Path) -> None:
    """The results of a log are a sequence: counted, indexed, sliced, gone through."""
    results = LoggedResults(place)
    assert len(results) == 3
    assert [each.name for each in results] == ["a", "b", "c"]
    assert results[-1].name == "c"
    assert [each.name for each in results[1:]] == ["b", "c"]
    with pytest.raises(IndexError):
        results[3]


def test_results_come_in_the_run_s_order(tmp_path: Path) -> None:
    """Results are in the order of the catalogue and of epochs, however they came."""
    options: dict[str, Any] = {"executor": "threads", "workers": 4}
    suite = catalogue("c", "a", "b", epochs=3)
    report = run(suite, tools=TOOLS, log_dir=tmp_path, **options)
    wanted = [(name, epoch) for name in ("c", "a", "b") for epoch in (1, 2, 3)]
    assert [(each.name, each.epoch) for each in report.results] == wanted


@pytest.mark.parametrize(
    "edit",
    [
        lambda found: found[:-1],
        lambda found: [*found[:-1], {**found[-1], "interrupted": True}],
        lambda found: [*found, {**found[0], "kind": "resume", "gone": [], "moved": {}}],
        lambda found: [*found, found[1]],
    ],
    ids=["no summary", "interrupted", "resumed", "a result after it"],
)
def test_a_log_without_its_end_is_not_finished(edit: Edit, place: Path) -> None:
    """A run is finished where its last word is the summary of a run that was not interrupted."""
    rewrite(place, edit)
    assert not RunLog(place).finished
    assert len(RunLog(place).entries) == 3


@pytest.mark.parametrize("content", [b"", b"{"])
def test_a_log_that_was_hardly_begun_is_empty(content: bytes, place: Path) -> None:
    """A log without a whole record has no results, and is not finished."""
    (place / FILE).write_bytes(content)
    log = RunLog(place)
    assert (log.entries, log.header, log.finished) == ({}, {}, False)


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    """A place without a log is a RunLogError that names it."""
    with pytest.raises(RunLogError, match="no run log"):
        RunLog(tmp_path)


@pytest.mark.parametrize("schema", [0, 2, 99, "1", None])
def test_a_log_of_another_schema_is_refused(schema: Any, place: Path) -> None:
    """Records of another version are not guessed at: both versions and the writer are named."""
    other = {"schema": schema, "evalkit": "9.8.7"}
    rewrite(place, lambda found: [{**found[0], **other}, *found[1:]])
    with pytest.raises(RunLogError) as caught:
        RunLog(place)
    assert re.search(rf"schema {schema}\b.*9\.8\.7.*reads 1\b", str(caught.value))


def test_another_schema_is_refused_when_salvaging_too(place: Path) -> None:
    """`--salvage` is for damage, not for records of another version."""
    rewrite(place, lambda found: [{**found[0], "schema": 2}, *found[1:]])
    with pytest.raises(RunLogError, match="schema 2"):
        RunLog(place, salvage=True)


def test_unknown_fields_and_kinds_are_tolerated(place: Path) -> None:
    """A log of the same schema may hold more than this evalkit knows."""
    before, results = RunLog(place).digest, list(LoggedResults(place))
    later: dict[str, Any] = {"later": [1, {"a": None}]}
    note: dict[str, Any] = {"kind": "note", "text": "x"}
    rewrite(place, lambda found: [{**each, **later} for each in [*found[:2], note, *found[2:]]])
    assert (RunLog(place).digest, RunLog(place).finished) == (before, True)
    assert list(LoggedResults(place)) == results


def test_unknown_fields_are_kept_when_a_log_is_mended(place: Path) -> None:
    """What a later evalkit has written is not lost when a damaged log is salvaged."""
    rewrite(place, lambda found: [{**each, "later": 2**70} for each in found])
    raw = (place / FILE).read_bytes().replace(b'"b"', b'"B"', 1)
    (place / FILE).write_bytes(raw)
    salvage(RunLog(place, salvage=True))
    assert [each["later"] for each in records(place)] == [2**70] * 4
    assert [each["seq"] for each in records(place)] == [1, 2, 3, 4]


def test_the_damaged_file_stays_beside_the_mended_one(place: Path) -> None:
    """Mending a log deletes nothing: each damaged file is kept, byte by byte."""
    for number in range(2):
        damaged = (place / FILE).read_bytes().replace(b'"kind":"result"', b'"kind":"resalt"', 1)
        (place / FILE).write_bytes(damaged)
        salvage(RunLog(place, salvage=True))
        assert (place / f"damaged-{number}.ndjson").read_bytes() == damaged
    assert len(RunLog(place).entries) == 1


@pytest.mark.parametrize("missing", [1, 2, 3])
def test_a_record_that_is_gone_is_noticed(missing: int, place: Path) -> None:
    """A line that was taken out of the middle leaves no damaged line, but a gap: refused."""
    lines = (place / FILE).read_bytes().splitlines(keepends=True)
    (place / FILE).write_bytes(b"".join(lines[:missing] + lines[missing + 1 :]))
    with pytest.raises(RunLogError, match=rf"line {missing + 1}, byte \d+"):
        RunLog(place)
    log = RunLog(place, salvage=True)
    assert len(log.entries) == 2
    assert log.notes


def test_each_gap_and_each_damage_is_noted(place: Path) -> None:
    """Salvaging says of everything that is not there, and counts nothing out silently."""
    lines = (place / FILE).read_bytes().splitlines(keepends=True)
    damaged = lines[1].replace(b"result", b"resalt", 1)
    (place / FILE).write_bytes(lines[0] + damaged + lines[2] + lines[4])
    log = RunLog(place, salvage=True)
    assert list(log.entries) == [("b", 1)]
    assert len(log.notes) == 2


def test_lines_that_were_put_twice_are_noticed(place: Path) -> None:
    """A line that stands twice is no record of the run: the log was tampered with."""
    lines = (place / FILE).read_bytes().splitlines(keepends=True)
    (place / FILE).write_bytes(b"".join([*lines[:2], lines[1], *lines[2:]]))
    with pytest.raises(RunLogError, match="line 3"):
        RunLog(place)


def test_the_first_of_two_results_counts(place: Path) -> None:
    """A result that came late and again is no second result, and no note where it is the same."""
    rewrite(place, lambda found: [*found[:2], found[1], *found[2:]])
    log = RunLog(place)
    assert len(log.entries) == 3
    assert (log.conflicting, log.notes) == ([], [])


def test_results_that_contradict_each_other_are_noted(place: Path) -> None:
    """Of two results of the same attempt that differ the first counts, and it is said."""
    first = RunLog(place).result(("a", 1))
    other = {"status": "failed", "digest": "f" * 32}
    rewrite(place, lambda found: [*found[:2], {**found[1], **other}, *found[2:]])
    log = RunLog(place)
    assert log.result(("a", 1)) == first
    assert log.conflicting == [("a", 1)]
    assert any("differently" in note for note in log.notes)


def test_a_later_attempt_counts(place: Path) -> None:
    """The result of a scenario that was run again is that of the last attempt."""
    other = {"status": "failed", "digest": "f" * 32, "attempt": 2}
    rewrite(place, lambda found: [*found[:2], {**found[1], **other}, *found[2:]])
    log = RunLog(place)
    assert log.result(("a", 1)).status is Status.FAILED
    assert log.conflicting == []


def test_a_log_of_schema_1_is_read_for_ever() -> None:
    """A log that an earlier evalkit has written, with every kind of record and value, is read."""
    log = RunLog(GOLDEN)
    statuses = {key: log.result(key).status.value for key in log.in_order()}
    assert statuses == {
        ("passes", 1): "passed",
        ("fails", 1): "failed",
        ("lost", 1): "error",
        ("chain", 1): "failed",
        ("known", 1): "xfailed",
        ("talk", 1): "skipped",
        ("twice", 1): "passed",
        ("twice", 2): "passed",
    }
    assert log.finished
    assert log.header["label"] == "golden"
    assert log.entries["lost", 1].attempt == 2
    assert log.result(("passes", 1)).checks[0].actual == 2**70


def test_the_digests_of_schema_1_are_the_same_for_ever() -> None:
    """What the old log says its verdicts come to is what they come to today."""
    log = RunLog(GOLDEN)
    assert log.summary is not None
    assert log.digest == log.summary["digest"]
    for key in log.in_order():
        result = log.result(key)
        noted, result.digest = result.digest, None
        assert result_digest(result) == noted == log.entries[key].digest


def test_the_old_log_can_be_mended_and_shown(tmp_path: Path) -> None:
    """A copy of the old log is a run like any other."""
    shutil.copytree(GOLDEN, tmp_path / "old")
    assert [each.name for each in LoggedResults(tmp_path / "old")][:2] == ["passes", "fails"]
    assert all(loaded(dumped_object(each)) for each in records(tmp_path / "old"))
