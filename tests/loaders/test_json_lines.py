"""A file of JSON may hold one value, or one on each line; which, is seen from how it begins."""

import pytest

from evalkit.errors import CatalogueError
from evalkit.loaders.json_lines import read_json_or_lines
from tests.loaders.conftest import Write


@pytest.mark.parametrize(
    ("text", "records"),
    [
        ('{"a": 1}\n{"a": 2}\n', [{"a": 1}, {"a": 2}]),
        ('{"a": 1}\n\n  {"a": 2}', [{"a": 1}, {"a": 2}]),
        ('\ufeff{"a": 1}\r\n{"a": 2}\r\n', [{"a": 1}, {"a": 2}]),
        ('{"a": 1}\n', [{"a": 1}]),
        ('{"a": 1}\n\n', [{"a": 1}]),
        ('[{"a": 1}, {"a": 2}]\n', [{"a": 1}, {"a": 2}]),
        ('{"a":\n{"b": 2}}', [{"a": {"b": 2}}]),
        ('{\n"a": 1}', [{"a": 1}]),
        ('\n{"a": 1}', [{"a": 1}]),
    ],
)
def test_read(write: Write, text: str, records: list[object]) -> None:
    """Objects one on each line are a record each; anything else is one value."""
    path = write("a.json", "")
    path.write_text(text, encoding="utf-8")
    found = read_json_or_lines(path, "a.json")
    assert [record.data for record in found.records()] == records
    assert found.by_line is (text.count("{") == 2 and len(records) == 2 and "[" not in text)


@pytest.mark.parametrize("text", ["", " ", '{"a": 1}{"a": 2}', "1\n2\n", '{"a": 1}\n[2]'])
def test_refused(write: Write, text: str) -> None:
    """What is neither is refused as JSON."""
    path = write("a.json", "")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CatalogueError):
        list(read_json_or_lines(path, "a.json").records())


def test_a_bad_line_is_told_by_its_place(write: Write) -> None:
    """Of objects one on each line, what is wrong with one is told by its line."""
    path = write("a.json", '{"a": 1}\n{"a": 2}\n{"a": }\n')
    with pytest.raises(CatalogueError, match=r"a\.json:3:7"):
        list(read_json_or_lines(path, "a.json").records())


def test_there_is_no_such_file(write: Write) -> None:
    """A file that is not there is refused, not taken for an empty one."""
    path = write("a.json", "").parent / "b.json"
    with pytest.raises(CatalogueError, match="can't be read"):
        list(read_json_or_lines(path, "b.json").records())
