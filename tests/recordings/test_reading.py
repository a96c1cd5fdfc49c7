"""A file of recordings is read strictly: what is damaged is an error, and never another answer."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalkit.recordings import Recorder, Recording, RecordingsError
from evalkit.recordings.reading import read_file

ANSWER = {"result": {"n": 1}, "error": None, "output": ""}
STEP = {"subject": "tools", "epoch": 1, "step": 0, "tool": "t", "args": {"id": 7}}


def document(**changes: Any) -> dict[str, Any]:
    """A good file of one recording, changed."""
    recordings = [{"request": STEP, "answer": ANSWER}]
    return {"schema": 1, "scenario": "s", "recordings": recordings, **changes}


def read(folder: Path, content: Any) -> list[Recording]:
    """Read a file that holds a text, bytes, or a document."""
    path = folder / "s.json"
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_file(path, "s")[1]


def problem(folder: Path, content: Any) -> str:
    """What is said to be wrong with a file."""
    with pytest.raises(RecordingsError) as raised:
        read(folder, content)
    return str(raised.value)


def plain(recordings: list[Recording]) -> list[tuple[Any, Any]]:
    """Recordings as what can be compared."""
    return [(each.request, each.answer) for each in recordings]


def test_a_file_may_be_laid_out_in_another_way(tmp_path: Path) -> None:
    """Indentation, the order of keys, line ends and a byte order mark make no difference."""
    wanted = [(STEP, ANSWER)]
    text = json.dumps(document(), indent=4)
    layouts = [json.dumps(document()), text, text.replace("\n", "\r\n"), "\ufeff" + text]
    assert [plain(read(tmp_path, each)) for each in layouts] == [wanted] * 4


@pytest.mark.parametrize("which", ["of_tools", "of_agent"])
def test_a_file_that_is_cut_off_is_never_another(
    tmp_path: Path, which: str, request: pytest.FixtureRequest
) -> None:
    """Cut off at any byte, a file is an error; only its last line end may be lost."""
    Recorder(tmp_path).add("s", 1, request.getfixturevalue(which))
    whole = (tmp_path / "s.json").read_bytes()
    last = len(whole) - 1
    assert plain(read(tmp_path, whole[:last])) == plain(read(tmp_path, whole))
    for end in range(last):
        with pytest.raises(RecordingsError, match=r"s\.json: "):
            read(tmp_path, whole[:end])


def test_what_is_wrong_with_the_text_is_told_by_its_place(tmp_path: Path) -> None:
    """A text that is no JSON is told by line and column."""
    said = problem(tmp_path, json.dumps(document(), indent=2)[:40])
    assert said.startswith("s.json: line ")
    assert ": no JSON: " in said


HUGE = "9" * 5000
TEXTS: dict[str, tuple[str | bytes, str]] = {
    "nothing": ("", "line 1, column 1: no JSON: expecting value"),
    "prose": ("hello", "line 1, column 1"),
    "a list": ("[]", "is no file of recordings"),
    "an object of others": ('{"name": "x", "version": "1"}', "is no file of recordings"),
    "a schema to come": (json.dumps(document(schema=2)), "is of schema 2, and 1 is what is read"),
    "a schema that is true": (json.dumps(document(schema=True)), "is no file of recordings"),
    "NaN": (json.dumps(document()).replace("7", "NaN"), "the number NaN is not finite"),
    "an infinite number": (json.dumps(document()).replace("7", "1e999"), "1e999 is not finite"),
    "a long integer": (json.dumps(document()).replace("7", HUGE), "can't be read"),
    "a key twice": (
        json.dumps(document()).replace('"id": 7', '"id": 7, "id": 8'),
        "the key 'id' is there twice",
    ),
    "half a surrogate pair": (
        json.dumps(document()).replace('"output": ""', '"output": "\\ud800"'),
        "half of a surrogate pair",
    ),
    "another coding": (json.dumps(document()).encode("utf-16"), "can't be read"),
    "no UTF-8": (b'{"schema": "\xff"}', "can't be read"),
    "a deep list": (json.dumps(document()).replace("7", "[" * 300 + "]" * 300), "nested deeper"),
    "a very deep list": ("[" * 100_000, "can't be read"),
    "more after it": (json.dumps(document()) * 2, "extra data"),
    "the name of another": (json.dumps(document(scenario="S")), "of 'S', not of 's'"),
}


@pytest.mark.parametrize("case", TEXTS)
def test_a_text_that_is_none_is_refused(tmp_path: Path, case: str) -> None:
    """What is lost in reading, or belongs to others, is refused, and the file is named."""
    content, said = TEXTS[case]
    told = problem(tmp_path, content)
    assert told.startswith("s.json: ")
    assert said in told


def changed(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """A good recording with one thing changed in place."""
    held: dict[str, Any] = json.loads(json.dumps({"request": STEP, "answer": ANSWER}))
    change(held)
    return document(recordings=[held])


def put(where: str, value: Any) -> Callable[[dict[str, Any]], Any]:
    """What sets a value in a recording."""

    def change(held: dict[str, Any]) -> None:
        first, key = where.split(".")
        held[first][key] = value

    return change


SHAPES: dict[str, tuple[Any, str]] = {
    "a key too many": (document(more=1), "the file: unknown key 'more'"),
    "no recordings": ({"schema": 1, "scenario": "s"}, "the file: has no 'recordings'"),
    "recordings by name": (document(recordings={}), "the file.recordings: expected a list"),
    "a recording without answer": (
        document(recordings=[{"request": STEP}]),
        "the file.recordings[0]: has no 'answer'",
    ),
    "no result": (
        changed(lambda held: held["answer"].pop("result")),
        "recordings[0].answer: has no 'result'",
    ),
    "a result by a wrong name": (
        changed(put("answer.reslt", 1)),
        "recordings[0].answer: unknown key 'reslt'; did you mean 'result'?",
    ),
    "an error in words": (
        changed(put("answer.error", "no")),
        "recordings[0].answer.error: expected an object, got string",
    ),
    "an error of no kind": (
        changed(put("answer.error", {"kind": "x", "type": "E", "message": ""})),
        "recordings[0].answer.error.kind: expected one of",
    ),
    "output that is null": (changed(put("answer.output", None)), "answer.output: expected a text"),
    "a step that is true": (changed(put("request.step", True)), "request.step: expected a whole"),
    "an epoch 0": (changed(put("request.epoch", 0)), "request.epoch: expected a whole number, 1"),
    "another subject": (changed(put("request.subject", "agent")), "expected one of 'tools'"),
    "arguments in a list": (changed(put("request.args", [])), "request.args: expected an object"),
    "no call, and a result": (changed(put("request.args", None)), "answer: unknown key 'result'"),
    "one place twice": (
        document(recordings=[{"request": STEP, "answer": ANSWER}] * 2),
        "recordings[1]: there is another recording in the place of t(id=7) for step 0, epoch 1",
    ),
}


@pytest.mark.parametrize("case", SHAPES)
def test_what_has_not_the_shape_is_told_by_its_place(tmp_path: Path, case: str) -> None:
    """A recording that was edited to something else is refused, and says where and what."""
    content, said = SHAPES[case]
    assert said in problem(tmp_path, content)


def test_a_file_has_a_size(tmp_path: Path) -> None:
    """A file that is larger than what is ever written is not read."""
    with (tmp_path / "s.json").open("wb") as file:
        file.truncate(100_000_001)
    with pytest.raises(RecordingsError, match="holds more than 100,000,000 bytes"):
        read_file(tmp_path / "s.json")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """What is no file is told as that, and not waited for."""
    (tmp_path / "s.json").mkdir()
    with pytest.raises(RecordingsError, match=r"s\.json: is no file"):
        read_file(tmp_path / "s.json")
