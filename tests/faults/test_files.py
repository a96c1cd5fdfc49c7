"""Rows 46 to 49: what a file may do to its reader, and what is said of it."""

import gzip
import io
import json
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from evalkit.errors import CatalogueError
from evalkit.loaders.csv_file import read_csv
from evalkit.loaders.json_file import read_json
from evalkit.loaders.ndjson_file import read_ndjson
from evalkit.loaders.records import MAX_NESTING, Document
from evalkit.loaders.toml_file import read_toml
from evalkit.loaders.yaml_file import read_yaml

Reader = Callable[[Path, str], Document]
READERS: dict[str, Reader] = {
    "csv": read_csv,
    "json": read_json,
    "ndjson": read_ndjson,
    "toml": read_toml,
    "yaml": read_yaml,
}
DEEP = 100_000


def told(tmp_path: Path, kind: str, content: bytes) -> str:
    """What the one problem is that reading a file of these bytes ends with."""
    path = tmp_path / "a"
    path.write_bytes(content)
    with pytest.raises(CatalogueError) as caught:
        list(READERS[kind](path, "a").records())
    (problem,) = caught.value.problems
    return str(problem)


@pytest.mark.parametrize(
    ("kind", "content", "where"),
    [
        ("json", b"[" * DEEP, f"a:1:{MAX_NESTING + 1}"),
        ("json", b'{\n"a":[' * DEEP + b"1" + b"]}" * DEEP, f"a:{MAX_NESTING // 2 + 1}:6"),
        ("ndjson", b"{}\n" + b"[" * DEEP + b"]" * DEEP, f"a:2:{MAX_NESTING + 1}"),
        ("ndjson", b'{}\n{"a": ' + b'{"a":' * DEEP + b"1" + b"}" * DEEP + b"}\n{}", "a:2:"),
        ("toml", b"a = " + b"[" * DEEP + b"]" * DEEP, "a"),
        ("yaml", b"\n" + b"- " * DEEP + b"x", f"a:2:{2 * MAX_NESTING + 1}"),
        ("yaml", b"\n[" + b"{a: " * DEEP, "a:2:"),
    ],
)
def test_row_46_a_deep_value(tmp_path: Path, kind: str, content: bytes, where: str) -> None:
    """A value 100,000 levels deep is one error with its place; no RecursionError, no crash."""
    found = told(tmp_path, kind, content)
    assert found.startswith(where)
    assert "nest" in found


def test_row_46_a_long_line(tmp_path: Path) -> None:
    """A line of 100 MB is one error with its number, in the memory of 40; the next is read."""
    path = tmp_path / "a"
    with path.open("wb") as file:
        file.write(b'{"a": "')
        for _ in range(100):
            file.write(b"x" * 1_000_000)
        file.write(b'"}\n{"b": 1}\n')
    records = read_ndjson(path, "a").records()
    tracemalloc.start()
    try:
        assert next(records).data == {"b": 1}
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()
    with pytest.raises(CatalogueError, match=r"^a:1:1: a line of more than 10,000,000 bytes$"):
        next(records)


@pytest.mark.parametrize(
    ("kind", "content", "where"),
    [
        ("json", b'[\n{"n": %b}]', "a:2:7: [0].n: an integer"),
        ("ndjson", b'{}\n{"n": %b}', "a:2:7: n: an integer"),
        ("yaml", b"- 1\n- n: %b", "a:2:6: [1]: a number"),
    ],
)
def test_row_46_a_number_of_5000_digits(
    tmp_path: Path, kind: str, content: bytes, where: str
) -> None:
    """An integer that could not be written again is refused with its place; a shorter is read."""
    found = told(tmp_path, kind, content % (b"7" * 5000))
    assert found == f"{where} of more than 4,000 digits"
    (tmp_path / "b").write_bytes(content % (b"7" * 4000))
    assert str(list(READERS[kind](tmp_path / "b", "b").records())[-1].data)


def test_row_46_a_number_of_5000_digits_in_toml(tmp_path: Path) -> None:
    """The parser of TOML refuses it by itself, without a place."""
    assert told(tmp_path, "toml", b"n = " + b"7" * 5000).startswith("a: exceeds the limit")


@pytest.mark.parametrize(
    ("kind", "content", "where"),
    [
        ("json", b'[{"x": 1,\n "x": 2}]', "a:2:2: [0]: the key 'x' is there twice"),
        ("ndjson", b'{}\n{"a": {"x": 1, "x": 1}}', "a:2:16: a: the key 'x' is there twice"),
        ("yaml", b"a:\n  x: 1\n  x: 1", "a:3:3: a: the key 'x' is there twice"),
        ("toml", b"x = 1\nx = 1\n", "a:2:6: cannot overwrite a value"),
        ("csv", b"x,x\n1,2\n", "a:1: 2 columns of the name 'x'"),
    ],
)
def test_row_46_a_key_that_is_there_twice(
    tmp_path: Path, kind: str, content: bytes, where: str
) -> None:
    """A key that is there twice is refused in every format, also where both say the same."""
    assert told(tmp_path, kind, content).startswith(where)


ACCEPTED = {
    "a byte order mark": b'\xef\xbb\xbf{"a": 1}\n{"b": 2}\n',
    "CR and LF": b'{"a": 1}\r\n{"b": 2}\r\n',
    "U+2028 and U+0085 in a text": '{"a": "\u2028\x85"}\n{"b": 2}\n'.encode(),
    "blank lines": b'\n{"a": 1}\n\n  \n{"b": 2}\n\n',
    "no end of the last line": b'{"a": 1}\n{"b": 2}',
}
REFUSED = {
    "UTF-16": ('{"a": 1}\n'.encode("utf-16"), "a:1:1: is UTF-16"),
    "UTF-16 without a mark": ('{"a": 1}'.encode("utf-16-le"), "a:1:2: "),
    "invalid UTF-8": (b'{"a": 1}\n{"b": "\xe9"}\n', "a:2:8: the byte 0xe9 is no UTF-8"),
    "NUL": (b'{"a": 1}\n{"b": "\0"}\n', "a:2:8: "),
    "a truncated last line": (b'{"a": 1}\n{"b": [1, {"c"', "a:2:15: "),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_row_47_what_is_accepted(tmp_path: Path, name: str) -> None:
    """Marks, line ends and blank lines make no difference; texts are cut at no other character."""
    (tmp_path / "a").write_bytes(ACCEPTED[name])
    records = list(read_ndjson(tmp_path / "a", "a").records())
    text = ACCEPTED[name].decode("utf-8-sig").strip().split("\n")
    assert [each.data for each in records] == [json.loads(line) for line in text if line.strip()]


@pytest.mark.parametrize("name", REFUSED)
def test_row_47_what_is_refused(tmp_path: Path, name: str) -> None:
    """Other encodings, bytes that are no text and half a line are refused, with their line."""
    content, where = REFUSED[name]
    assert told(tmp_path, "ndjson", content).startswith(where)


def zipped(content: bytes) -> bytes:
    """An archive that holds one file of this content."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", content)
    return file.getvalue()


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("pack", [gzip.compress, zipped])
def test_row_48_a_packed_file(tmp_path: Path, kind: str, pack: Callable[[bytes], bytes]) -> None:
    """A bomb is never unpacked: what is packed is refused by its first bytes."""
    found = told(tmp_path, kind, pack(b"0" * 50_000_000))
    assert found.startswith("a: is packed")
    assert found.endswith("unpack it")


@pytest.mark.parametrize("levels", [5, 9, 1_000])
def test_row_48_a_bomb_of_aliases(tmp_path: Path, levels: int) -> None:
    """Lists of aliases of lists of aliases end with one error, before memory or time do."""
    lines = [b"l0: &l0 [x, x, x, x, x, x, x, x, x]"]
    for level in range(1, levels):
        some = b", ".join([b"*l%d" % (level - 1)] * 9)
        lines.append(b"l%d: &l%d {k: [%b]}" % (level, level, some))
    began = time.perf_counter()
    found = told(tmp_path, "yaml", b"\n".join(lines))
    assert found.endswith("aliases stand for more than 10,000 nodes")
    assert time.perf_counter() - began < 10


def test_row_48_an_alias_of_itself(tmp_path: Path) -> None:
    """A value that holds itself is refused."""
    assert "stands inside of what it names" in told(tmp_path, "yaml", b"a: &a {b: [1, *a]}")


@pytest.mark.parametrize("more", [b'{"a": 2}\n', b"\n", b"#"])
def test_row_49_a_file_that_grows_between_two_passes(tmp_path: Path, more: bytes) -> None:
    """What is appended after a file was checked is never run: the file is refused."""
    path = tmp_path / "a"
    path.write_bytes(b'{"a": 1}\n')
    document = read_ndjson(path, "a")
    assert len(list(document.records())) == 1
    with path.open("ab") as file:
        file.write(more)
    records = document.records()
    with pytest.raises(CatalogueError, match=r"^a: changed while it was being read"):
        next(records)


def test_row_49_a_file_that_grows_while_it_is_read_for_the_first_time(tmp_path: Path) -> None:
    """What the first pass has seen is what counts, whenever it was written."""
    path = tmp_path / "a"
    path.write_bytes(b'{"a": "%b"}\n' % (b"x" * 50) * 40_000)
    document = read_ndjson(path, "a")
    records = document.records()
    next(records)
    with path.open("ab") as file:
        file.write(b'{"b": 1}\n')
    count = 1 + sum(1 for _ in records)
    assert sum(1 for _ in document.records()) == count == 40_001


def test_row_49_a_file_that_is_replaced_by_one_of_the_same_size(tmp_path: Path) -> None:
    """Neither size nor time of a file is trusted, only what it holds."""
    path, other = tmp_path / "a", tmp_path / "b"
    path.write_bytes(b'{"a": 1}\n')
    other.write_bytes(b'{"a": 2}\n')
    document = read_ndjson(path, "a")
    assert len(list(document.records())) == 1
    other.replace(path)
    with pytest.raises(CatalogueError, match="changed while it was being read"):
        list(document.records())
