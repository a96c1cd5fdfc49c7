"""NDJSON is read line by line, in little memory, and twice the same or not at all."""

import io
import os
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.errors import CatalogueError
from evalkit.loaders import ndjson_file
from evalkit.loaders.ndjson_file import MAX_LINE, read_ndjson, spooled
from evalkit.loaders.records import BLOCK, Document, Record

CABINET = Path(__file__).parents[2] / "../shared/data/cabinet/catalogue.ndjson"


def read(content: bytes) -> Document:
    """Read a file of these bytes."""
    Path("a.ndjson").write_bytes(content)
    return read_ndjson(Path("a.ndjson"), "a.ndjson")


def problems(records: Iterator[Record]) -> list[str]:
    """What a pass is answered with, a line for each problem."""
    with pytest.raises(CatalogueError) as caught:
        list(records)
    return [str(problem) for problem in caught.value.problems]


def test_each_line_is_a_record_with_its_number() -> None:
    """Blank lines and comments are left out, and counted; so is no line end inside of a text."""
    text = '\ufeff{"a": 1}\r\n\n   \t\n# x\n  // y\n{"b": "\u2028\x85"}\n[2]'
    document = read(text.encode())
    for _ in range(2):
        found = [(each.number, each.data) for each in document.records()]
        assert found == [(0, {"a": 1}), (5, {"b": "\u2028\x85"}), (6, [2])]
    assert document.whole is None


def test_parts_are_located_in_their_line() -> None:
    """The line is the one of the file, the column counts characters."""
    first, second = read('{"a": 1}\n\n{"é": [10, {"x": 1}]}'.encode()).records()
    assert first.locate(("a",)) == "a.ndjson:1:2"
    assert second.locate(("é", 1, "x")) == "a.ndjson:3:13"
    assert second.locate(("é", 5)) == "a.ndjson:3:2"
    assert second.locate(()) == "a.ndjson:3:1"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b'{"a": 1, "a": 2}', ":2:10: the key 'a' is there twice; it is there first at a.n"),
        (b'{"a": [NaN]}', ":2:8: a[0]: NaN is no JSON"),
        (b'{"a": 1} {"b": 2}', ":2:10: extra data; there is one JSON value, and nothing after it"),
        (b'{"a": "\xff"}', ":2:8: the byte 0xff is no UTF-8; save it as UTF-8"),
        (b'{"a": "\0"}', ":2:8: invalid control character; in a string"),
        (b'\xef\xbb\xbf{"a": 1}', ":2:1: unexpected UTF-8 BOM"),
        (b"a: 1", ":2:1: expecting value"),
    ],
)
def test_what_is_wrong_with_a_line_is_told_with_its_place(line: bytes, told: str) -> None:
    """Each kind of mistake is named with line, column and field."""
    (found,) = problems(read(b'{"a": 1}\n' + line + b'\n{"b": 2}').records())
    assert found.startswith("a.ndjson" + told)


def test_a_pass_goes_on_after_a_bad_line_and_tells_of_all_at_its_end() -> None:
    """The good lines are given, and then all the bad ones are told at once."""
    records = read(b'{"a": 1}\n{"a": \n{"b": 2}\nnope\n{"c": 3}\n').records()
    assert [each.data for each in islice(records, 3)] == [{"a": 1}, {"b": 2}, {"c": 3}]
    found = problems(records)
    assert [each.partition(": ")[0] for each in found] == ["a.ndjson:2:7", "a.ndjson:4:1"]


def test_of_many_bad_lines_a_hundred_are_told_and_the_others_counted() -> None:
    """A file that is all wrong costs no memory, and no scrolling."""
    found = problems(read(b"nope\n" * 20_000).records())
    assert len(found) == 101
    assert found[-1] == "a.ndjson: and 19,900 more problems"


@pytest.mark.parametrize("cut", range(1, len('{"a": [1, "b\\n"], "c": {"d": true}}')))
def test_a_last_line_that_was_cut_off_is_refused_wherever_that_was(cut: int) -> None:
    """At whatever byte a writer stopped, the line is refused, and said to look cut off."""
    whole = b'{"a": [1, "b\\n"], "c": {"d": true}}'
    (found,) = problems(read(whole + b"\n" + whole[:cut]).records())
    assert found.startswith("a.ndjson:2:")
    assert found.endswith("it looks cut off: what it opens is not closed")


def test_a_line_may_be_so_long() -> None:
    """The longest line is read; a longer one is refused in bounded memory, and the next is read."""
    text = b'{"a": "%b"}'
    longest = text % (b"x" * (MAX_LINE - len(text) + 2))
    assert next(read(longest).records()).data["a"][:1] == "x"
    blank = b'{"a": 1}' + b" " * MAX_LINE
    for longer in (longest.replace(b"x", b"xx", 1), blank, b"[" * 3 * MAX_LINE):
        records = read(longer + b'\n{"b": 2}\n').records()
        assert next(records).data == {"b": 2}
        assert problems(records) == ["a.ndjson:1:1: a line of more than 10,000,000 bytes"]


def test_memory_does_not_grow_with_the_file() -> None:
    """Forty megabytes are read in the memory of a few blocks."""
    line = orjson.dumps({"name": "x" * 1000}) + b"\n"
    with Path("a.ndjson").open("wb") as file:
        file.writelines(line for _ in range(40_000))
    document = read_ndjson(Path("a.ndjson"), "a.ndjson")
    tracemalloc.start()
    try:
        assert sum(1 for _ in document.records()) == 40_000
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()


LINE = b'{"n": "%0990d"}\n'
SIZE = len(LINE % 0)


def big() -> bytes:
    """A file of three blocks and some."""
    return b"".join(LINE % number for number in range(3 * BLOCK // SIZE + 100))


def edited(at: int) -> bytes:
    """The big file with one line changed, still good JSON of the same length."""
    content = bytearray(big())
    content[at // SIZE * SIZE + 7] += 1
    return bytes(content)


def take(records: Iterator[Record], taken: list[Any]) -> None:
    """Take the values of records, and keep those that came before an error."""
    for record in records:
        taken.append(record.data)  # noqa: PERF401  - a list that fails to be built keeps nothing


@pytest.mark.parametrize(
    ("changed", "kept"),
    [
        pytest.param(edited(0), 0, id="first block"),
        pytest.param(edited(2 * BLOCK + 5000), 2, id="third block"),
        pytest.param(big() + LINE % 1, 3, id="grown"),
        pytest.param(big()[: 2 * BLOCK], 2, id="shrunk to a block's end"),
        pytest.param(big()[:-SIZE], 3, id="shrunk"),
        pytest.param(b"", 0, id="emptied"),
    ],
)
def test_a_file_that_changed_is_refused_before_the_change_is_given(
    changed: bytes, kept: int
) -> None:
    """A second pass gives the blocks that are as they were, and nothing of the one that is not."""
    document, second = read(big()), list[Any]()
    first = [each.data for each in document.records()]
    Path("a.ndjson").write_bytes(changed)
    with pytest.raises(CatalogueError, match=r"^a\.ndjson: changed while it was being read"):
        take(document.records(), second)
    assert second == first[: kept * BLOCK // SIZE]


def test_a_file_that_grows_by_whole_blocks_is_refused() -> None:
    """Also where all blocks that were there are as they were, nothing of what is new is given."""
    content = b"[1]\n" * (BLOCK // 4)
    document, second = read(content), list[Any]()
    assert len(list(document.records())) == BLOCK // 4
    Path("a.ndjson").write_bytes(2 * content)
    with pytest.raises(CatalogueError, match="changed while it was being read"):
        take(document.records(), second)
    assert len(second) == BLOCK // 4


def test_what_a_pass_that_was_given_up_has_seen_is_held_to() -> None:
    """A look at the first lines counts: a file that is rewritten after it is refused."""
    document = read(big())
    assert next(document.records()).number == 0
    Path("a.ndjson").write_bytes(edited(100))
    assert len(problems(document.records())) == 1


def test_a_file_that_is_as_it_was_is_read_as_often_as_asked() -> None:
    """Passes may even run side by side."""
    document = read(big())
    pairs = zip(document.records(), document.records(), strict=True)
    assert all(one.data == other.data and one.number == other.number for one, other in pairs)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([b'{"a": 1}', b"", b" ", b"#", b"[]", b'"\xc2\x85"']), max_size=12),
    st.integers(1, 9),
    st.sampled_from([b"\n", b"\r\n"]),
)
def test_where_blocks_end_changes_nothing(lines: list[bytes], block: int, end: bytes) -> None:
    """Lines are the same wherever the file is cut into blocks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evalkit.loaders.records.BLOCK", block)
        found = [(each.number, each.data) for each in read(end.join(lines)).records()]
    expected = [
        (number, orjson.loads(line))
        for number, line in enumerate(lines)
        if line.strip() and not line.startswith(b"#")
    ]
    assert found == expected


def test_a_stream_is_copied_and_read_twice() -> None:
    """What can be read only once is read from a copy, as often as asked."""
    path = spooled(io.BytesIO(b'{"a": 1}\n'))
    document = read_ndjson(path, "-")
    for _ in range(2):
        (record,) = document.records()
        assert (record.data, record.locate(("a",))) == ({"a": 1}, "-:1:2")
    path.unlink()


def test_a_stream_without_an_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than is allowed is not taken, and nothing is left behind."""
    monkeypatch.setenv("TMPDIR", str(Path.cwd()))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(ndjson_file, "MAX_SPOOLED", 3 * BLOCK)
    with Path("/dev/zero").open("rb") as stream, pytest.raises(CatalogueError, match="more than"):
        spooled(stream)
    assert list(Path.cwd().iterdir()) == []


def test_a_copy_is_deleted_when_the_process_ends() -> None:
    """Nothing is left in the folder for temporary files."""
    code = (
        "import sys; from evalkit.loaders.ndjson_file import spooled;"
        "print(spooled(sys.stdin.buffer).read_text())"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code],
        input='{"a": 1}',
        env={**os.environ, "PYTHONPATH": str(root), "TMPDIR": str(Path.cwd())},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == '{"a": 1}\n'
    assert list(Path.cwd().iterdir()) == []


def test_a_pipe_is_read_as_a_file_is() -> None:
    """A named pipe, which gives its bytes once, is read twice all the same."""
    os.mkfifo("pipe.ndjson")
    writer = threading.Thread(target=Path("pipe.ndjson").write_bytes, args=(b'{"a": 1}\n[2]\n',))
    writer.start()
    document = read_ndjson(Path("pipe.ndjson"), "pipe.ndjson")
    writer.join()
    for _ in range(2):
        assert [each.data for each in document.records()] == [{"a": 1}, [2]]


@pytest.mark.skipif(not CABINET.exists(), reason="the real inputs are not beside the project")
def test_a_real_catalogue_is_read_to_the_last_value() -> None:
    """Every line of a real file is what the standard reader reads."""
    lines = CABINET.read_bytes().splitlines()
    records = list(read_ndjson(CABINET, "catalogue.ndjson").records())
    assert [each.data for each in records] == [orjson.loads(line) for line in lines]
