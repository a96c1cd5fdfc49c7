"""What was recorded is found by what is asked, and by nothing that is only like it."""

from pathlib import Path
from typing import Any

import pytest

from evalkit.errors import CatalogueError
from evalkit.recordings import NoRecordingError, Recorder, Recordings, RecordingsError
from evalkit.recordings.requests import of_step, of_turn
from evalkit.trace import Trace


@pytest.fixture
def folder(tmp_path: Path, of_tools: Trace) -> Path:
    """A folder in which the scenario "refund" was recorded, in two epochs."""
    recorder = Recorder(tmp_path / "kept")
    recorder.add("refund", 1, of_tools)
    of_tools["calls"][0]["result"] = "of the second epoch"
    recorder.add("refund", 2, of_tools)
    return tmp_path / "kept"


def test_an_answer_is_found_by_its_request(folder: Path) -> None:
    """Each epoch has its own answer."""
    recordings = Recordings(folder)
    found = [recordings.answer("refund", of_step(n, 0, "find", {"id": 7})) for n in (2, 1)]
    assert [each["result"] for each in found] == [
        "of the second epoch",
        {"id": 7, "lines": [{"sku": "cup", "cents": 1250}]},
    ]


def test_arguments_are_compared_as_json(folder: Path) -> None:
    """7 is 7.0, and the order of arguments does not matter."""
    args = {"why": "broken", "id": 7.0}
    assert Recordings(folder).answer("refund", of_step(1, 1, "refund", args))["error"] is None


MISSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "another argument": (
        "refund",
        of_step(1, 0, "find", {"id": 8}),
        (
            "no recording of find(id=8) for step 0, epoch 1; "
            "nearest: find(id=7): at args.id: expected 7, got 8"
        ),
    ),
    "an epoch too many": (
        "refund",
        of_step(3, 1, "refund", {"id": 7, "why": "broken"}),
        (
            "no recording of refund(id=7, why='broken') for step 1, epoch 3; "
            "nearest: refund(id=7, why='broken'): at epoch: expected 1, got 3"
        ),
    ),
    "another subject": (
        "refund",
        of_turn(1, [{"role": "user", "content": "Hi"}]),
        "no recording of the answer to 'Hi', epoch 1; nearest: find(id=7): ",
    ),
    "a scenario by a like name": (
        "refunds",
        of_step(1, 0, "find", {"id": 7}),
        "nothing is recorded of 'refunds': there is no file 'refunds.json'; nearest: 'refund.json'",
    ),
    "a scenario that is unlike": (
        "zzz",
        of_step(1, 0, "find", {"id": 7}),
        "nothing is recorded of 'zzz': there is no file 'zzz.json'",
    ),
}


@pytest.mark.parametrize("case", MISSED)
def test_what_was_not_recorded_is_an_error(folder: Path, case: str) -> None:
    """A miss is never answered by what comes near, but names it."""
    name, request, said = MISSED[case]
    with pytest.raises(NoRecordingError) as raised:
        Recordings(folder).answer(name, request)
    told = str(raised.value)
    assert told.startswith(said)
    assert said.endswith(": ") or told == said


def test_a_folder_that_moved_answers_the_same(folder: Path, tmp_path: Path) -> None:
    """No message and no digest holds the path of the folder."""
    said = []
    for place in (folder, folder.rename(tmp_path / "elsewhere")):
        if place.exists():
            recordings = Recordings(place)
            with pytest.raises(NoRecordingError) as raised:
                recordings.answer("refunds", of_step(1, 0, "find", {}))
            said.append((str(raised.value), recordings.digest_of("refund")))
    assert str(tmp_path) not in str(said)


def test_a_damaged_file_is_an_error_that_names_it(folder: Path) -> None:
    """A file that can't be read does not answer, nor pass for one that is not there."""
    (folder / "refund.json").write_bytes((folder / "refund.json").read_bytes()[:-20])
    recordings = Recordings(folder)
    with pytest.raises(RecordingsError, match=r"refund\.json: line "):
        recordings.answer("refund", of_step(1, 0, "find", {"id": 7}))
    with pytest.raises(CatalogueError, match=r"refund\.json: line "):
        recordings.subjects()


def test_the_file_of_another_does_not_answer(folder: Path) -> None:
    """A file that was copied to the name of another scenario is refused."""
    (folder / "other.json").write_bytes((folder / "refund.json").read_bytes())
    with pytest.raises(RecordingsError, match="holds the recordings of 'refund', not of 'other'"):
        Recordings(folder).answer("other", of_step(1, 0, "find", {"id": 7}))


def test_files_are_read_when_they_are_asked_for(folder: Path) -> None:
    """A file that is not asked for may be anything."""
    (folder / "other.json").write_text("{", encoding="utf-8")
    recordings = Recordings(folder)
    assert recordings.answer("refund", of_step(1, 0, "find", {"id": 7}))["error"] is None


def test_the_digest_is_of_the_file(folder: Path, of_tools: Trace) -> None:
    """A change of what is recorded is seen, and its loss; what is recorded of others is not."""
    digests = [Recordings(folder).digest_of("refund")]
    Recorder(folder).add("other", 1, of_tools)
    assert Recordings(folder).digest_of("refund") == digests[0]
    of_tools["calls"][0]["result"] = "changed"
    Recorder(folder).add("refund", 1, of_tools)
    digests.append(Recordings(folder).digest_of("refund"))
    (folder / "refund.json").unlink()
    digests.append(Recordings(folder).digest_of("refund"))
    assert len(set(digests)) == 3


def test_it_is_known_who_was_recorded(folder: Path, of_agent: Trace) -> None:
    """A folder says whether tools, an agent, or both were recorded in it."""
    assert Recordings(folder).subjects() == {"tools"}
    Recorder(folder).add("refund", 1, of_agent)
    assert Recordings(folder).subjects() == {"tools", "agent"}


def test_a_folder_without_recordings_is_refused(tmp_path: Path) -> None:
    """No folder, and one in which nothing is recorded, are errors of the caller's."""
    with pytest.raises(CatalogueError, match="replay: there is no folder"):
        Recordings(tmp_path / "absent")
    with pytest.raises(CatalogueError, match="replay: nothing is recorded in"):
        Recordings(tmp_path)
