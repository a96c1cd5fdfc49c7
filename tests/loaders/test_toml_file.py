"""TOML is read as plain JSON; what JSON has not is refused by the name of its field."""

from pathlib import Path

import pytest

from evalkit.errors import CatalogueError
from evalkit.loaders.records import MAX_NESTING, Document
from evalkit.loaders.toml_file import read_toml


def read(text: str) -> Document:
    """Read a file of this text."""
    Path("a.toml").write_bytes(text.encode("utf-8"))
    return read_toml(Path("a.toml"), "a.toml")


def problems(text: str) -> list[str]:
    """What reading this text is answered with, a line for each problem."""
    with pytest.raises(CatalogueError) as caught:
        read(text)
    return [str(problem) for problem in caught.value.problems]


def test_a_file_is_one_mapping() -> None:
    """Tables and arrays of tables become mappings and lists; a part is located by the file."""
    document = read('tools = "x"\n[[scenarios]]\nname = "a"\n[scenarios.args]\nn = 0x10\nf = 1.0\n')
    (record,) = document.records()
    scenario = {"name": "a", "args": {"n": 16, "f": 1.0}}
    assert record.data == {"tools": "x", "scenarios": [scenario]}
    assert record is document.whole
    assert record.locate(("scenarios", 0)) == "a.toml"


def test_all_that_json_has_not_is_told_at_once() -> None:
    """Dates, times, infinities and NaN are named with their fields, in whatever they stand."""
    found = problems("[[a]]\nx = 2020-01-01\ny = [1, inf]\n[b]\nz = nan\nt = 12:30:45\n")
    assert sorted(found) == [
        "a.toml: a[0].x: '2020-01-01' is a date, which JSON has not; put it in quotes",
        "a.toml: a[0].y[1]: inf is no number of JSON; put it in quotes",
        "a.toml: b.t: '12:30:45' is a time, which JSON has not; put it in quotes",
        "a.toml: b.z: nan is no number of JSON; put it in quotes",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a = 1\nb = \n", "a.toml:2:5: invalid value"),
        ("a = 1\na = 2\n", "a.toml:2:6: cannot overwrite a value"),
        ("a = [1,\n", "a.toml:2:1: invalid value"),
        ('a = "x', "a.toml:1:7: unterminated string"),
        ("a = " + "9" * 5000, "a.toml: exceeds the limit"),
        ("a = 0x" + "f" * 4000, "a.toml: a: an integer of more than 4,000 digits"),
        ("# nothing", "a.toml: the file is empty"),
        ("a = " + "[" * 100_000, f"a.toml: nested deeper than {MAX_NESTING} levels"),
        ("[" + ".".join("a" * 300) + "]", f"a.toml: nested deeper than {MAX_NESTING} levels"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, told: str) -> None:
    """The parser's words come with file, line and column, where it says them."""
    (found,) = problems(text)
    assert found.startswith(told)
