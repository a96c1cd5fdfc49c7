"""A record is one line with a checksum: what is torn and what is damaged are told apart."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalkit.runlog.lines import line_of, lines_of, record_at, sealed

RECORDS: list[dict[str, Any]] = [
    {"kind": "run", "text": "a\nb\u2028c\u2029d\r\v\x85\x00é\U0001f600"},
    {"kind": "result", "wide": [2**70, -(2**70)], "n": None},
    {"kind": "result", "crc": "00000000", "deep": {"a": [{"b": "}\n"}]}},
    {"kind": "summary"},
]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A file of four records."""
    path = tmp_path / "log"
    path.write_bytes(b"".join(map(line_of, RECORDS)))
    return path


def test_records_are_read_as_they_were_written(log: Path) -> None:
    """Line breaks of every kind, and integers of every size, come back."""
    found = [line.record for line in lines_of(log)]
    for record, line in zip(RECORDS, found, strict=True):
        assert line is not None
        assert record.items() <= line.items()


def test_lines_are_split_at_newline_bytes_only(log: Path) -> None:
    """A record is one line of the file, whatever its texts hold; places are in lines and bytes."""
    raw = log.read_bytes()
    found = list(lines_of(log))
    assert raw.count(b"\n") == len(RECORDS)
    assert [line.number for line in found] == [1, 2, 3, 4]
    for line in found:
        assert raw[line.offset :].startswith(b"{")
        assert raw[line.offset + line.size - 1 : line.offset + line.size] == b"\n"


def test_a_line_is_json_for_any_program(log: Path) -> None:
    """Each line is an object to a strict reader, with the checksum among its keys."""
    for raw in log.read_bytes().split(b"\n")[:-1]:
        assert "crc" in json.loads(raw)


def test_a_record_is_read_by_its_place(log: Path) -> None:
    """One record can be had without those before it."""
    for line in lines_of(log):
        assert record_at(log, line.offset) == line.record


def test_a_line_without_an_end_is_torn(log: Path) -> None:
    """However little of the last line is left, it is torn, and those before it are whole."""
    raw = log.read_bytes()
    start = raw.rindex(b"\n", 0, -1) + 1
    for end in range(start + 1, len(raw)):
        log.write_bytes(raw[:end])
        *whole, last = lines_of(log)
        assert all(line.record is not None for line in whole)
        assert (last.record, last.torn, last.offset) == (None, True, start)


@pytest.mark.parametrize(
    "raw",
    [
        b"\n",
        b"{}\n",
        b"x\n",
        b'{"kind":"run"}\n',
        b'{"kind":"run","crc":"00000000"}\n',
        line_of({"kind": "run"}).replace(b"run", b"ran"),
        line_of({"kind": "run"})[1:],
        line_of({"kind": "run"})[:-1] + b" \n",
        line_of({"kind": "run"})[:-1] + b"\r\n",
        b" " + line_of({"kind": "run"}),
        b"\xef\xbb\xbf" + line_of({"kind": "run"}),
        b"\x00" * 100 + b"\n",
        sealed(b'{"kind":}'),
        sealed(b"\xff\xff}"),
    ],
)
def test_a_whole_line_that_is_wrong_is_damaged(raw: bytes, tmp_path: Path) -> None:
    """A line that has its end and is no record is damaged, never torn, and says why."""
    path = tmp_path / "log"
    path.write_bytes(raw + line_of({"kind": "summary"}))
    found, after = lines_of(path)
    assert (found.record, found.torn) == (None, False)
    assert found.damage
    assert after.record is not None


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    """A log that was only opened has nothing in it, and nothing wrong with it."""
    (tmp_path / "log").touch()
    assert list(lines_of(tmp_path / "log")) == []
