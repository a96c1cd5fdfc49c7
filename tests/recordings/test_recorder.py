"""What is kept in a folder: one file for each scenario, the same bytes for the same answers."""

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.errors import CatalogueError
from evalkit.recordings import Recorder, Recording, RecordingsError, recordings_of
from evalkit.recordings.names import file_of
from evalkit.recordings.reading import read_file
from evalkit.recordings.recorder import written
from evalkit.trace import REDACTED, Trace

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBERS = st.integers(-(10**25), 10**25) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=3)
ERRORS = st.none() | st.fixed_dictionaries(
    {"kind": st.sampled_from(["raised", "timeout"]), "type": TEXTS, "message": TEXTS}
)
CALLS = st.fixed_dictionaries(
    {
        "step": st.none(),
        "turn": st.none(),
        "tool": TEXTS,
        "args": OBJECTS,
        "result": VALUES,
        "error": ERRORS,
        "attempts": st.lists(st.fixed_dictionaries({"error": ERRORS, "seconds": st.just(1.0)})),
        "seconds": st.floats(0, 10),
        "output": TEXTS,
    }
)


def names(folder: Path) -> list[str]:
    """The files in a folder."""
    return sorted(path.name for path in folder.iterdir())


def plain(recordings: list[Recording] | str) -> list[tuple[str, str]]:
    """Recordings as what can be compared, to the type of each number."""
    assert isinstance(recordings, list)
    return [(json.dumps(e.request, sort_keys=True), json.dumps(e.answer)) for e in recordings]


def kept(folder: Path, name: str) -> list[tuple[str, int]]:
    """The runs of which something is recorded, in the file's order."""
    requests = [each.request for each in read_file(folder / file_of(name), name)[1]]
    return list(dict.fromkeys((each["subject"], each["epoch"]) for each in requests))


def test_a_scenario_has_one_file(tmp_path: Path, of_tools: Trace, of_agent: Trace) -> None:
    """What was answered in a scenario is in one file, and nothing else is left in the folder."""
    recorder = Recorder(tmp_path)
    for name in ("refund", "a/b", ".."):
        assert recorder.add(name, 1, of_tools) is None
        assert recorder.add(name, 1, of_agent) is None
    recorder.close()
    assert names(tmp_path) == sorted(map(file_of, ("refund", "a/b", "..")))
    assert json.loads((tmp_path / file_of("a/b")).read_bytes())["scenario"] == "a/b"


def test_a_file_is_read_by_people(tmp_path: Path, of_tools: Trace) -> None:
    """Two blanks, letters as they are, and a line end: a change of an answer is a line's."""
    of_tools["calls"][0]["output"] = "Grüße"
    Recorder(tmp_path).add("refund", 1, of_tools)
    text = (tmp_path / "refund.json").read_text(encoding="utf-8")
    document = json.loads(text)
    assert text == json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    assert list(document) == ["schema", "scenario", "recordings"]
    assert list(document["recordings"][0]) == ["request", "answer"]


@settings(max_examples=40, deadline=None)
@given(calls=st.lists(CALLS, max_size=3), state=OBJECTS, epoch=st.integers(1, 3))
def test_what_is_recorded_is_read_again(
    calls: list[Any], state: dict[str, Any], epoch: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever tools were sent and gave, it is read as it was written, to the last digit."""
    steps = [{**call, "step": step} for step, call in enumerate(calls)]
    trace: Any = {"subject": "tools", "observed": ["calls", "state"], "calls": steps}
    trace |= {"not_run": [], "errors": [], "state": state}
    folder = tmp_path_factory.mktemp("kept")
    assert Recorder(folder).add("s", epoch, trace) is None
    assert plain(read_file(folder / "s.json", "s")[1]) == plain(recordings_of(epoch, trace))


def test_the_same_answers_are_the_same_bytes(tmp_path: Path, of_tools: Trace) -> None:
    """How long a call took, and the order in which arguments are written, do not change a file."""
    Recorder(tmp_path).add("refund", 1, of_tools)
    before = (tmp_path / "refund.json").read_bytes()
    of_tools["seconds"] = of_tools["calls"][0]["seconds"] = 99.0
    of_tools["calls"][1]["args"] = dict(reversed(of_tools["calls"][1]["args"].items()))
    Recorder(tmp_path).add("refund", 1, of_tools)
    assert (tmp_path / "refund.json").read_bytes() == before


def test_the_keys_of_a_result_stay_in_order(tmp_path: Path, of_tools: Trace) -> None:
    """A path may select all values of an object, in its order; so that is a part of an answer."""
    of_tools["calls"][0]["result"] = {"b": 1, "a": {"d": 2, "c": 3}}
    Recorder(tmp_path).add("refund", 1, of_tools)
    result = read_file(tmp_path / "refund.json")[1][0].answer["result"]
    assert json.dumps(result) == '{"b": 1, "a": {"d": 2, "c": 3}}'


def test_a_second_epoch_is_added(tmp_path: Path, of_tools: Trace, of_agent: Trace) -> None:
    """Epochs, and subjects, are kept side by side, in whichever order they end."""
    recorder = Recorder(tmp_path)
    for epoch, trace in ((2, of_tools), (1, of_agent), (1, of_tools), (10, of_tools)):
        recorder.add("refund", epoch, trace)
    assert kept(tmp_path, "refund") == [("agent", 1), ("tools", 1), ("tools", 2), ("tools", 10)]
    other = Recorder(tmp_path / "other")
    for epoch, trace in ((10, of_tools), (1, of_tools), (1, of_agent), (2, of_tools)):
        other.add("refund", epoch, trace)
    files = [folder / "refund.json" for folder in (tmp_path, tmp_path / "other")]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_an_epoch_is_replaced(tmp_path: Path, of_tools: Trace) -> None:
    """The same epoch once more takes the place of the old one, wholly."""
    recorder = Recorder(tmp_path)
    recorder.add("refund", 1, of_tools)
    recorder.add("refund", 2, of_tools)
    of_tools["calls"] = of_tools["calls"][:1]
    of_tools["calls"][0]["result"] = "another"
    recorder.add("refund", 1, of_tools)
    found = read_file(tmp_path / "refund.json")[1]
    assert [each.request["epoch"] for each in found] == [1, 2, 2]
    assert found[0].answer["result"] == "another"


def test_what_was_recorded_of_others_stays(tmp_path: Path, of_tools: Trace) -> None:
    """A later run of other scenarios takes nothing away; nor does one that was not measured."""
    Recorder(tmp_path).add("old", 1, of_tools)
    before = (tmp_path / "old.json").read_bytes()
    recorder = Recorder(tmp_path)
    recorder.add("new", 1, of_tools)
    of_tools["errors"] = [{"call": None, "kind": "crashed", "type": "E", "message": "gone"}]
    assert recorder.add("old", 1, of_tools) == "crashed: gone"
    assert (tmp_path / "old.json").read_bytes() == before


def test_secrets_are_taken_out_before_anything_is_written(
    tmp_path: Path, of_tools: Trace, of_agent: Trace
) -> None:
    """What takes secrets out sees the whole trace, so that none is left in another call."""

    def redact(trace: Trace) -> Trace:
        cleaned: Trace = json.loads(json.dumps(trace).replace("s3cret", REDACTED))
        return cleaned

    recorder = Recorder(tmp_path, redact)
    of_tools["calls"][0]["result"] = {"token": "s3cret"}
    of_tools["calls"][1]["args"] = {"t": "s3cret"}
    of_tools["calls"][1]["output"] = "sent s3cret"
    of_agent["turns"][0]["content"] = "my key is s3cret"
    of_agent["meta"]["key"] = "s3cret"
    for trace in (of_tools, of_agent):
        recorder.add("refund", 1, trace)
    content = (tmp_path / "refund.json").read_text(encoding="utf-8")
    assert "s3cret" not in content
    assert content.count(REDACTED) >= 5
    assert of_tools["calls"][1]["args"] == {"t": "s3cret"}


def test_a_new_file_may_be_read_by_others(tmp_path: Path, of_tools: Trace) -> None:
    """A new file has the mode of a file; one that was there keeps its own."""
    recorder = Recorder(tmp_path)
    recorder.add("refund", 1, of_tools)
    path = tmp_path / "refund.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    path.chmod(0o600)
    recorder.add("refund", 1, of_tools)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def _file(path: Path) -> None:
    path.write_text("x", encoding="utf-8")


def _of_others(path: Path) -> None:
    path.mkdir()
    (path / "package.json").write_text('{"name": "x"}', encoding="utf-8")


def _to_come(path: Path) -> None:
    path.mkdir()
    document = {"schema": 2, "scenario": "a", "recordings": []}
    (path / "a.json").write_text(json.dumps(document), encoding="utf-8")


def _damaged(path: Path) -> None:
    path.mkdir()
    (path / "a.json").write_bytes(written("a", [])[:-5])


REFUSED: dict[str, tuple[Callable[[Path], None], str]] = {
    "a file": (_file, "no folder can be made at"),
    "files of others": (_of_others, "package.json: is no file of recordings"),
    "another schema": (_to_come, "a.json: is of schema 2"),
    "a damaged file": (_damaged, "a.json: line 4, column 1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_folder_that_is_none_is_refused(tmp_path: Path, case: str) -> None:
    """Before anything runs, a folder is refused that can't be written, or that is not ours."""
    make, said = REFUSED[case]
    make(tmp_path / "kept")
    before = names(tmp_path)
    with pytest.raises(CatalogueError, match="record") as raised:
        Recorder(tmp_path / "kept")
    assert said in str(raised.value)
    assert names(tmp_path) == before


def test_what_can_t_be_written_is_an_error(tmp_path: Path, of_tools: Trace) -> None:
    """A folder that goes away is an error, which names the file."""
    recorder = Recorder(tmp_path / "kept")
    (tmp_path / "kept").rmdir()
    with pytest.raises(RecordingsError, match=r"refund\.json: can't be written"):
        recorder.add("refund", 1, of_tools)


def test_a_file_that_was_damaged_meanwhile_is_not_written_over(
    tmp_path: Path, of_tools: Trace
) -> None:
    """What is there of another epoch is not lost by recording one more."""
    recorder = Recorder(tmp_path)
    recorder.add("refund", 1, of_tools)
    path = tmp_path / "refund.json"
    path.write_bytes(path.read_bytes()[:-9])
    before = path.read_bytes()
    with pytest.raises(RecordingsError, match=r"refund\.json: line"):
        recorder.add("refund", 2, of_tools)
    assert path.read_bytes() == before


def test_a_hidden_file_is_no_recording(tmp_path: Path, of_tools: Trace) -> None:
    """What a killed run has left half written, beside its place, disturbs nobody."""
    (tmp_path / ".recording.abc").write_text("{", encoding="utf-8")
    assert Recorder(tmp_path).add("refund", 1, of_tools) is None
