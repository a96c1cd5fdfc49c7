"""How a plain path finds its one value, or MISSING."""

import math
from typing import Any

import jsonpath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.jsonvalue import MISSING, equal
from evalkit.paths import PathError, compile_path

STRICT = jsonpath.JSONPathEnvironment(strict=True)
FIXED = settings(deadline=None, derandomize=True, max_examples=200)
DOCUMENT = {
    "id": "x-1",
    "null": None,
    "false": False,
    "zero": {"0": "nought", "-1": "minus"},
    "items": [{"name": "side"}, {"name": "top"}, [7, 8]],
    "8x40": 12,
    "birch ply": 0.68,
    "dc:title": "t",
    "@type": "T",
    "a/b": 1,
    "dotted.key": 2,
    "dotted": {"key": 3},
    "属性": 4,
    "$ref": 5,
    "$": {"id": "dollar"},
    "": {"": 6},
    "empty": [],
    "-0": 8,
}
FOUND = [
    ("$", DOCUMENT),
    ("", DOCUMENT),
    ("id", "x-1"),
    ("$.id", "x-1"),
    ("null", None),
    ("false", False),
    ("items.0.name", "side"),
    ("items[0].name", "side"),
    ("items[-1][0]", 7),
    ("items.-1.-1", 8),
    ("$.items[1]['name']", "top"),
    ("zero.0", "nought"),
    ("zero.-1", "minus"),
    ("zero['0']", "nought"),
    ("8x40", 12),
    ("birch ply", 0.68),
    ("dc:title", "t"),
    ("@type", "T"),
    ("a/b", 1),
    ('["dotted.key"]', 2),
    ("dotted.key", 3),
    ("属性", 4),
    ("$ref", 5),
    ("$.$ref", 5),
    ('["$"].id', "dollar"),
    ('[""][""]', 6),
    ("empty", []),
    ("-0", 8),
]
ABSENT = [
    "nope",
    "null.x",
    "null[0]",
    "id.0",
    "id[0]",
    "id.x",
    "id[-1]",
    "zero[0]",
    "zero[-1]",
    "items.name",
    "items['0']",
    "items[3]",
    "items[-4]",
    "items.3",
    "items.00",
    "empty[0]",
    "empty[-1]",
    "8x40.real",
    "birch ply[0]",
    "false.x",
    "ID",
    "items.0.name.0.0",
    "items[99999999999999999999999]",
]


@pytest.mark.parametrize(("text", "value"), FOUND, ids=[text for text, _ in FOUND])
def test_found(text: str, value: Any) -> None:
    """Names and indexes lead to these values; a stored null, false or empty list is present."""
    path = compile_path(text)
    assert not path.many
    assert path.resolve(DOCUMENT) == value
    assert type(path.resolve(DOCUMENT)) is type(value)


@pytest.mark.parametrize("text", ABSENT)
def test_missing(text: str) -> None:
    """What is not there, or is asked of a value that has no such part, is MISSING."""
    assert compile_path(text).resolve(DOCUMENT) is MISSING


@pytest.mark.parametrize("document", ["text", 1, 1.5, True, None, [], {}, [[]], math.nan])
@pytest.mark.parametrize("text", ["a", "a.b", "a.b.c", "0.0", "[0][0]", "[0].a", "['a']", "-1.a"])
def test_no_document_raises(text: str, document: Any) -> None:
    """A path never raises, whatever the document is."""
    assert compile_path(text).resolve(document) is MISSING


def test_an_empty_path_is_the_document() -> None:
    """The empty path and `$` give any document itself."""
    documents: list[Any] = ["text", 0, None, [], DOCUMENT]
    for document in documents:
        assert compile_path("").resolve(document) is document
        assert compile_path("$").resolve(document) is document


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("calls", "calls"),
        ("calls.0.tool", "calls"),
        ("$.calls[0]", "calls"),
        ('["calls"]', "calls"),
        ("calls[*].tool", "calls"),
        ("", None),
        ("$", None),
        ("[0]", None),
        ("*", None),
        ("..calls", None),
    ],
)
def test_head(text: str, head: str | None) -> None:
    """The head is the top-level key that a path begins with, where it begins with one."""
    assert compile_path(text).head == head


@pytest.mark.parametrize(
    ("text", "many"),
    [
        ("a.b[0]", False),
        ('a["*"]', False),
        ('a["0:1"]', False),
        ('["a,b"]', False),
        ('["a..b"]', False),
        ("a[*]", True),
        ("*", True),
        ("..a", True),
        ("a[0:1]", True),
        ("a[0,1]", True),
        ("a['x','y']", True),
        ("a[?(@.b)]", True),
    ],
)
def test_one_or_many_is_in_the_text(text: str, many: bool) -> None:
    """Whether a path gives a list is decided by its text, quoted names aside."""
    assert compile_path(text).many is many


def test_compiled_once() -> None:
    """The same text gives the same compiled path; a wrong one is refused each time."""
    assert compile_path("a.b.c") is compile_path("a.b.c")
    for _ in range(2):
        with pytest.raises(PathError):
            compile_path("a[")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.text(alphabet="a0", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("a0b1"), inner, max_size=3)
    ),
    max_leaves=10,
)
STEPS = st.lists(
    st.sampled_from([".a", ".b", ".0", ".1", ".-1", "[0]", "[1]", "[-1]", "['a']", "['0']"]),
    max_size=4,
)


def walked(document: Any, steps: list[str]) -> Any:
    """What a plain path gives, written out: the type that is met decides."""
    for step in steps:
        name = step.strip(".[]'")
        is_key, is_index = step[0] == "." or "'" in step, "'" not in step
        if isinstance(document, dict) and is_key and name in document:
            document = document[name]
        elif isinstance(document, list) and is_index and name.lstrip("-").isdigit():
            inside = -len(document) <= int(name) < len(document)
            document = document[int(name)] if inside else MISSING
        else:
            return MISSING
    return document


@FIXED
@given(VALUES, STEPS)
def test_walk_is_its_definition(document: Any, steps: list[str]) -> None:
    """A plain path walks as the definition does, with `$` before it or without."""
    text = "".join(steps)
    expected = walked(document, steps)
    for path in (f"${text}", text.removeprefix(".")):
        found = compile_path(path).resolve(document)
        assert (found is MISSING) is (expected is MISSING)
        assert found is MISSING or equal(found, expected)


@FIXED
@given(VALUES, st.lists(st.sampled_from([".a", ".b", "[0]", "[-1]", "['0']", '["a"]']), max_size=4))
def test_agrees_with_another_implementation(document: Any, steps: list[str]) -> None:
    """A plain path finds what python-jsonpath finds under RFC 9535, which gives a list of one."""
    text = "$" + "".join(steps)
    if not isinstance(document, dict | list):
        document = [document]
    found = compile_path(text).resolve(document)
    theirs = STRICT.findall(text, document)
    assert ([] if found is MISSING else [found]) == theirs
