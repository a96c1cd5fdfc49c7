"""How far a path that does not resolve got, in words."""

from time import perf_counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.jsonvalue import MISSING
from evalkit.paths import compile_path, explain

FIXED = settings(deadline=None, derandomize=True, max_examples=150)
DOCUMENT = {
    "size": {"width": 3},
    "items": [{"name": "side"}, {"nmae": "top"}],
    "none": [],
    "nothing": {},
    "null": None,
    "text": "abc",
    "n": 1,
    "dotted.key": {"a": 1},
}
ROWS = [
    ("size.widht", "size", "an object with the key 'width'", "size.width"),
    ("siez.width", "", "an object with the keys 'size', 'items'", "size"),
    ("size.width.x", "size.width", "an integer", None),
    ("items.5", "items", "an array of 2", "items[1]"),
    ("items[-3].name", "items", "an array of 2", "items[1]"),
    ("items.1.name", "items.1", "an object with the key 'nmae'", "items.1.nmae"),
    ("items.name", "items", "an array of 2", None),
    ("none[0]", "none", "an empty array", None),
    ("nothing.x", "nothing", "an empty object", None),
    ("null.x", "null", "null", None),
    ("text[0]", "text", "a string", None),
    ("size.zzz", "size", "an object with the key 'width'", None),
    ('["dotted.kye"].a', "", "an object with the keys", '["dotted.key"]'),
    ("items[*].name", "items[*]", "2 values, of which number 1 is an object", "items[*].nmae"),
    ("itmes[*].name", "", "an object with the keys", "items"),
    ("text[*]", "text", "a string", None),
]


@pytest.mark.parametrize(("text", "resolved", "found", "nearest"), ROWS, ids=[r[0] for r in ROWS])
def test_explained(text: str, resolved: str, found: str, nearest: str | None) -> None:
    """The reason gives the deepest part that resolved, what stands there, and the nearest name."""
    path = compile_path(text)
    assert path.resolve(DOCUMENT) is MISSING
    told = explain(path, DOCUMENT)
    assert (told.resolved, told.nearest) == (resolved, nearest)
    assert told.found.startswith(found)


def test_one_line() -> None:
    """A reader gets all of it in one line."""
    assert str(explain(compile_path("size.widht"), DOCUMENT)) == (
        "does not resolve: 'size' is an object with the key 'width'; did you mean 'size.width'?"
    )
    assert str(explain(compile_path("x"), [])) == (
        "does not resolve: the document is an empty array"
    )


def test_many_keys_are_cut() -> None:
    """An object of many keys is shown by a few, and how many more there are."""
    line = str(explain(compile_path("zzz"), {f"k{number}": 1 for number in range(50)}))
    assert "and 42 more" in line
    assert len(line) < 200


@pytest.mark.parametrize(
    ("typo", "name"),
    [
        ("two wrods", "two words"),
        ("dotted_name", "dotted.name"),
        ("say hi", 'say "hi"'),
        ("its so", "it's so"),
        ("a0 b0", "a[0] b0"),
        ("name", " name"),
        ("namee", "name\\"),
    ],
)
def test_the_nearest_is_a_path(typo: str, name: str) -> None:
    """What is proposed may be taken as it stands: it resolves, however odd the name is."""
    document = {"a": {name: 1}}
    told = explain(compile_path(f"a.{typo}"), document)
    assert told.nearest is not None
    assert compile_path(told.nearest).resolve(document) == 1


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.text(alphabet="ab'\"$. ", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(alphabet="ab'\"$.* ", max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)
STEPS = st.lists(
    st.sampled_from([".a", ".ab", "[0]", "[-1]", "[*]", "..a", "[0:1]", "[?(@.a == 1)]"]),
    max_size=4,
)


@FIXED
@given(VALUES, STEPS)
def test_what_is_told_resolves(document: Any, steps: list[str]) -> None:
    """The part that is said to resolve does, and so does the nearest where it stands alone."""
    path = compile_path("$" + "".join(steps))
    if path.resolve(document) is not MISSING:
        return
    told = explain(path, document)
    assert compile_path(told.resolved).resolve(document) is not MISSING
    if told.nearest is not None and not path.many:
        assert compile_path(told.nearest).resolve(document) is not MISSING


def test_a_large_document_is_explained_in_time() -> None:
    """A typo in a document of a hundred thousand keys is explained at once."""
    document = {f"key_{number}": number for number in range(100_000)}
    started = perf_counter()
    told = explain(compile_path("key_x"), document)
    assert told.resolved == ""
    assert perf_counter() - started < 0.5
