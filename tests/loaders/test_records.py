"""What all readers share: how a file is read, how its records are made, and where parts stand."""

from functools import partial
from pathlib import Path
from time import perf_counter

import pytest

from evalkit.errors import CatalogueError, Problem
from evalkit.loaders import records
from evalkit.loaders.csv_file import read_csv
from evalkit.loaders.json_file import read_json
from evalkit.loaders.ndjson_file import read_ndjson
from evalkit.loaders.records import MAX_NESTING, MAX_PROBLEMS, Place, Problems
from evalkit.loaders.toml_file import read_toml
from evalkit.loaders.yaml_file import read_yaml

READERS = {
    "a.csv": read_csv,
    "a.json": read_json,
    "a.ndjson": read_ndjson,
    "a.toml": read_toml,
    "a.yaml": read_yaml,
}
WHOLE = [name for name in READERS if name != "a.ndjson"]
GOOD = {
    "a.csv": "a\r\n1\r\n",
    "a.json": '{"a":\r\n "1"}\r\n',
    "a.ndjson": '{"a": "1"}\r\n',
    "a.toml": 'a = "1"\r\n',
    "a.yaml": 'a: "1"\r\n',
}


@pytest.mark.parametrize("name", READERS)
def test_a_byte_order_mark_and_the_ends_of_lines_change_nothing(name: str) -> None:
    """Every format takes a UTF-8 mark, lines ended by CR and LF, and a last line without an end."""
    for text in (GOOD[name], GOOD[name].replace("\r\n", "\n"), GOOD[name].rstrip()):
        for mark in (b"", b"\xef\xbb\xbf"):
            Path(name).write_bytes(mark + text.encode())
            (record,) = READERS[name](Path(name), name).records()
            assert (record.data, record.number) == ({"a": "1"}, 0)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    ("head", "told"),
    [
        (b"\x1f\x8b\x08\x00", "is packed (gzip); unpack it"),
        (b"PK\x03\x04", "is packed (zip); unpack it"),
        ("a: 1".encode("utf-16"), "is UTF-16; save it as UTF-8"),
        ("a: 1".encode("utf-32"), "is UTF-32; save it as UTF-8"),
    ],
)
def test_what_is_no_utf8_is_refused_by_its_first_bytes(name: str, head: bytes, told: str) -> None:
    """What is packed or of another encoding is called by its name, in every format."""
    Path(name).write_bytes(head)
    with pytest.raises(CatalogueError, match=name) as caught:
        list(READERS[name](Path(name), name).records())
    assert str(caught.value).endswith(told)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("bad", [b"\xff", b"\0"])
def test_a_byte_that_is_no_text_is_refused_with_its_line(name: str, bad: bytes) -> None:
    """Invalid UTF-8 and NUL are refused in every format, with the line."""
    text = GOOD[name].replace("\r\n", "\n").rstrip().encode()
    Path(name).write_bytes(text.replace(b"1", b"1" + bad))
    line = 2 if name in {"a.csv", "a.json"} else 1
    with pytest.raises(CatalogueError, match=f"{name}:{line}"):
        list(READERS[name](Path(name), name).records())


@pytest.mark.parametrize("name", READERS)
def test_a_file_that_can_not_be_read_says_so(name: str) -> None:
    """A file that has gone is a problem of the catalogue, no OSError."""
    with pytest.raises(CatalogueError, match=f"{name}: can't be read: No such file"):
        list(READERS[name](Path(name), name).records())


@pytest.mark.parametrize("name", WHOLE)
def test_a_file_that_is_read_as_a_whole_is_bounded(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a file that is larger than allowed, no more than a block too much is read."""
    monkeypatch.setattr(records, "MAX_FILE", 2 * 2**20)
    with Path(name).open("wb") as file:
        file.truncate(2 * 2**20 + 1)
    with pytest.raises(CatalogueError, match="a file of more than 2 MB; use NDJSON"):
        READERS[name](Path(name), name)


@pytest.mark.parametrize("name", WHOLE)
def test_an_empty_file_is_no_catalogue(name: str) -> None:
    """An empty file is refused in every format that is read as a whole."""
    Path(name).write_bytes(b"")
    with pytest.raises(CatalogueError, match=r"is empty|no row"):
        READERS[name](Path(name), name)


def test_problems_are_told_up_to_a_hundred() -> None:
    """Of more problems than a hundred, the number of the others is told."""
    problems = Problems("a.json")
    problems.refuse()
    for number in range(MAX_PROBLEMS + 20):
        problems.add(partial(Problem, "", f"problem {number}"))
    with pytest.raises(CatalogueError) as caught:
        problems.refuse()
    assert len(caught.value.problems) == MAX_PROBLEMS + 1
    assert str(caught.value).endswith("problem 99\na.json: and 20 more problems")


def test_text_and_places_are_asked_for_once_and_late() -> None:
    """Nothing is looked up for a good file, and nothing twice for a bad one."""
    asked: list[int] = []

    def read() -> tuple[str, Place]:
        asked.append(1)
        return "[\n\n 1,\n2]", Place(0, {0: Place(4), 1: Place(7)})

    locate = records.locator("a.json", read)
    assert not asked
    assert [locate(()), locate((0,)), locate((1, "x"))] == [
        "a.json:1:1",
        "a.json:3:2",
        "a.json:4:1",
    ]
    assert len(asked) == 1


def test_depth_is_counted_without_recursion() -> None:
    """A value is deeper than allowed from one level above the limit on."""
    value: object = 1
    for _ in range(MAX_NESTING):
        value = [value]
    assert not records.is_deeper(value)
    assert records.is_deeper({"a": value})
    for _ in range(100_000):
        value = [value]
    assert records.is_deeper(value)
    while isinstance(value, list):  # taken apart, or taking it away would be a recursion of its own
        value = value.pop()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", "{" + '"a": 1,\n' * 100_000 + '"a": 1}'),
        ("a.ndjson", "{" + '"a": 1, ' * 100_000 + '"a": 1}'),
        ("a.yaml", "a: 1\n" * 30_001),
        ("a.csv", "a,b\n" + "1\n" * 100_000),
        ("a.toml", "a = [\n" + "inf,\n" * 100_000 + "]"),
    ],
)
def test_mistakes_by_the_thousand_take_a_time_that_grows_with_the_file(
    name: str, text: str
) -> None:
    """The places of a hundred are found out, not those of all."""
    Path(name).write_text(text, encoding="utf-8")
    began = perf_counter()
    with pytest.raises(CatalogueError, match=r"and [0-9]+,[0-9]{3} more problems$"):
        list(READERS[name](Path(name), name).records())
    assert perf_counter() - began < 20
