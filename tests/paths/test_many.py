"""How a path that selects many values is walked: a list, or MISSING, never something shorter."""

from time import perf_counter
from typing import Any

import jsonpath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import Assertion, Op, check
from evalkit.jsonvalue import MISSING, equal
from evalkit.paths import compile_path, explain

STRICT = jsonpath.JSONPathEnvironment(strict=True)
FIXED = settings(deadline=None, derandomize=True, max_examples=200)
SIDE, TOP, BACK = {"name": "side", "mm": 9}, {"name": "top", "mm": 8}, {"name": "back"}
DOCUMENT = {
    "items": [SIDE, TOP, BACK],
    "by_sku": {"b": {"mm": 1}, "a": {"mm": 2}},
    "none": [],
    "nothing": {},
    "text": "abc",
    "number": 3,
    "null": None,
    "rows": [[1, 2], [3], []],
}
SELECTED: list[tuple[str, list[Any]]] = [
    ("items[*].name", ["side", "top", "back"]),
    ("items.*.name", ["side", "top", "back"]),
    ("items[*]", [SIDE, TOP, BACK]),
    ("items[0:2].mm", [9, 8]),
    ("items[:2].mm", [9, 8]),
    ("items[-3:-1].mm", [9, 8]),
    ("items[1::-1].mm", [8, 9]),
    ("items[::-2].name", ["back", "side"]),
    ("items[5:]", []),
    ("items[::0]", []),
    ("items[0,2].name", ["side", "back"]),
    ("items[2,0,0].name", ["back", "side", "side"]),
    ("items[0]['name','mm']", ["side", 9]),
    ("by_sku[*].mm", [1, 2]),
    ("by_sku.*", [{"mm": 1}, {"mm": 2}]),
    ("..mm", [9, 8, 1, 2]),
    ("items..mm", [9, 8]),
    ("..nope", []),
    ("rows[*][*]", [1, 2, 3]),
    ("rows[0:2][0]", [1, 3]),
    ("none[*]", []),
    ("nothing[*]", []),
    ("none[*].name", []),
    ("none[0:1]", []),
    ("none[?(@.a == 1)]", []),
    ("nothing[?(@.a == 1)]", []),
    ("items[?(@.mm > 8)].name", ["side"]),
    ("items[?(@.mm > 100)]", []),
    ("items[?(@.mm > 100)].nope", []),
    ("rows..[0]", [[1, 2], 1, 3]),
]
ABSENT = [
    "itmes[*]",
    "itmes[*].name",
    "itmes..name",
    "items[*].mm",
    "items[*].nope",
    "items[0:].mm",
    "items[0,5]",
    "items[0]['name','nope']",
    "items[?(@.name == 'back')].mm",
    "rows[*][0]",
    "rows[*][*].x",
    "items['a','b']",
    "by_sku[0,1]",
    "by_sku[0:1]",
    "text[*]",
    "text[0:1]",
    "text[?(@.a)]",
    "number[*]",
    "null[*]",
    "null.*",
    "items[*][*][*]",
    "..items.nope",
    "..name.x",
]


@pytest.mark.parametrize(("text", "values"), SELECTED, ids=[text for text, _ in SELECTED])
def test_selected(text: str, values: list[Any]) -> None:
    """A path of many gives the list of what it selects, in the order in which it selects."""
    assert compile_path(text).resolve(DOCUMENT) == values
    assert compile_path(f"$.{text}".replace("$...", "$..")).resolve(DOCUMENT) == values


@pytest.mark.parametrize("text", ABSENT)
def test_missing(text: str) -> None:
    """A typo is no empty list, and a list of prices with one price missing is no list of prices."""
    assert compile_path(text).resolve(DOCUMENT) is MISSING


@pytest.mark.parametrize("document", ["text", 1, 1.5, True, None])
@pytest.mark.parametrize("text", ["*", "[*]", "[0:1]", "[0,1]", "[?(@.a)]", "a[*]", "[*].a"])
def test_a_scalar_has_no_many(text: str, document: Any) -> None:
    """A wildcard, slice, union or filter put to a scalar is MISSING, and raises nothing."""
    assert compile_path(text).resolve(document) is MISSING


def test_a_list_is_given_of_one() -> None:
    """A path of many gives a list also where it finds one value, or one list."""
    assert compile_path("[*]").resolve(["a"]) == ["a"]
    assert compile_path("[*]").resolve([["a", "b"]]) == [["a", "b"]]
    assert compile_path("[0:1]").resolve([["a"]]) == [["a"]]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.text(alphabet="ab", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=12,
)
STEPS = st.lists(
    st.sampled_from(
        [".a", "[0]", "[-1]", "[*]", ".*", "..a", "..*", "..[0]", "[0:2]", "[::-1]", "[?@.a == 1]"]
    ),
    min_size=1,
    max_size=3,
)


@FIXED
@given(VALUES, STEPS)
def test_agrees_with_another_implementation(document: Any, steps: list[str]) -> None:
    """What a path of many gives is what RFC 9535 gives, or MISSING; never another list."""
    text = "$" + "".join(steps)
    path = compile_path(text)
    if not path.many or not isinstance(document, dict | list):
        return
    found, theirs = path.resolve(document), STRICT.findall(text, document)
    if "..[" in text or "..*" in text:
        assert found is MISSING or sorted(map(repr, found)) == sorted(map(repr, theirs))
    else:
        assert found is MISSING or equal(found, theirs)


def deep(levels: int) -> Any:
    """An object in an object, so many levels deep."""
    document: Any = {}
    for _ in range(levels):
        document = {"a": document}
    return document


WIDE = {"items": [{"id": number, "x": {"y": [number]}} for number in range(20_000)]}
IN_TIME_S = 15
"""A third of a second, and ten times that under a coverage measurement; unbounded, for ever."""
HOSTILE = [
    "$..*..*..*",
    "$..*..*..*..*",
    "..a..a..a..a..a..a..a",
    "..*" * 300,
    "$..*..*..[?(@..b)]",
    "$..[?(@..b)]..[?(@..b)]",
    "..[?(@..b == 1)]",
    "$..*..*..b",
]


@pytest.mark.parametrize("document", [deep(100), WIDE], ids=["deep", "wide"])
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:24])
def test_no_path_takes_for_ever(text: str, document: Any) -> None:
    """Fault 40: whatever a path multiplies, it and the reason why it is MISSING end within time."""
    started = perf_counter()
    try:
        path = compile_path(text)
    except ValueError:
        return
    if path.resolve(document) is MISSING:
        assert len(str(explain(path, document))) < 1_000
    assert perf_counter() - started < IN_TIME_S


CAPPED: dict[str, tuple[str, Any]] = {
    "matches": ("$..*..*..*", deep(100)),
    "a wide list": ("[*]", [0] * 100_001),
    "visits": ("..nope", [[0]] * 200_001),
}


@pytest.mark.parametrize("name", CAPPED)
def test_too_many_say_so(name: str) -> None:
    """Fault 40: over 100,000 matches, or 200,000 values looked at, are MISSING, and are told."""
    text, document = CAPPED[name]
    path = compile_path(text)
    assert path.resolve(document) is MISSING
    told = str(explain(path, document))
    assert "selects more than 100,000 values, or looks at more than 200,000" in told
    assert check(Assertion(text, Op.NE, [1]), document).code == "unresolved_path"


@pytest.mark.parametrize(("text", "rows"), [("[*]", 100_000), ("..nope", 199_999)])
def test_as_many_as_may_be_are_no_problem(text: str, rows: int) -> None:
    """Just at the caps, a path gives its list."""
    found = compile_path(text).resolve([[]] * rows)
    assert len(found) == (0 if "nope" in text else rows)
