"""What a bracket that selects many means, and what of JSONPath's dialects is refused."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.jsonvalue import MISSING
from evalkit.paths import PathError, compile_path

FIXED = settings(deadline=None, derandomize=True, max_examples=150)

REFUSED = [
    ("[?(@.a =~ 'x')]", "=~"),
    ("[?(@.a =~ '(a+)+$')]", "=~"),
    ("a.`sub(/x/, y)`", "name"),
    ("a.`split(x, 0, -1)`", "name"),
    ("a * 2", ""),
    ("[?(@.a.`sub(/x/, y)` == 'y')]", ""),
    ("[?(@.a == foo)]", "foo"),
    ("[?(@.a == 'x' & @.b == foo)]", ""),
    ("[?($.a == 1)]", "@"),
    ("[?(@.a == $.b)]", "@"),
    ("a.$.b", ""),
    ("a[$.b]", "index"),
    ("[?(@.a + 1 == 2)]", ""),
    ("[?(@.a * 2 > 2)]", ""),
    ("[?(1 == 1)]", ""),
    ("[?('a' == @.b)]", "right"),
    ("[?(@.a = 1)]", "=="),
    ("[?(@[*] == 1)]", "one value"),
    ("[?(@..a == 1)]", ".. is not allowed in a filter"),
    ("[?(@..a)]", ".. is not allowed in a filter"),
    ("[?(!@..a)]", ".. is not allowed in a filter"),
    ("[?(@.b == 1 && @.c..a)]", ".. is not allowed in a filter"),
    ("[?(@.b[?(@..a)])]", ".. is not allowed in a filter"),
    ("[?(length(@.a) == 1)]", ""),
    ("[?(match(@.a, 'x'))]", ""),
    ("[?]", ""),
    ("[?()]", ""),
    ("[?(@.a == 1 and @.b == 2)]", "&&"),
    ("[?(@.a == 1 or @.b == 2)]", "||"),
    ("[?(@.a ==)]", ""),
    ("[?(@.a == 1]", ""),
    ("[0:1:2:3]", ""),
    ("[1,]", ""),
    ("[,]", ""),
    ("['a',0]", ""),
    ("[\\/]", "index"),
    ("[/a:b/]", ""),
]


@pytest.mark.parametrize(("text", "told"), REFUSED, ids=[text for text, _ in REFUSED])
def test_refused(text: str, told: str) -> None:
    """Fault 40: patterns, functions, arithmetic, bare words and the root are refused."""
    with pytest.raises(PathError) as caught:
        compile_path(text)
    assert told in str(caught.value)


@pytest.mark.parametrize("text", ["a + b", "a - b", "a.`len`", "l.`sorted`", "a.`this`", "a | b"])
def test_no_dialect_turns_text_into_data(text: str) -> None:
    """What a dialect computes is not there: it is a name that no document has."""
    assert compile_path(text).resolve({"a": 1, "b": 2, "l": [2, 1]}) is MISSING


ROWS = [
    {"n": 1, "s": "a", "t": True},
    {"n": 1.0, "s": "b", "t": False},
    {"n": True, "s": "1", "t": None},
    {"n": "1", "s": "", "l": [1]},
    {"n": None, "o": {"p": 1}},
]
FILTERS: list[tuple[str, list[int]]] = [
    ("@.n == 1", [0, 1]),
    ("@.n == 1.0", [0, 1]),
    ("@.n == true", [2]),
    ("@.n == '1'", [3]),
    ('@.n == "1"', [3]),
    ("@.n == null", [4]),
    ("@.n != 1", [2, 3, 4]),
    ("@.n > 0", [0, 1]),
    ("@.n >= 1", [0, 1]),
    ("@.n < 5", [0, 1]),
    ("@.n > '0'", [3]),
    ("@.t == false", [1]),
    ("@.s == ''", [3]),
    ("@.s > 'a'", [1]),
    ("@.o", [4]),
    ("@.t", [0, 1, 2]),
    ("@.o.p == 1", [4]),
    ("@.l[0] == 1", [3]),
    ("@.nope == 1", []),
    ("@.nope != 1", [0, 1, 2, 3, 4]),
    ("@.n == 1 && @.s == 'a'", [0]),
    ("@.s == 'a' || @.s == 'b'", [0, 1]),
    ("n == 1", [0, 1]),
    ("@.n == @.n", [0, 1, 2, 3, 4]),
]


@pytest.mark.parametrize(("condition", "rows"), FILTERS, ids=[text for text, _ in FILTERS])
def test_filter(condition: str, rows: list[int]) -> None:
    """A filter compares as JSON does: nothing is coerced, a bool is no number, null is a value."""
    found = compile_path(f"[?({condition})]").resolve(ROWS)
    assert [ROWS.index(row) for row in found] == rows
    assert compile_path(f"[?{condition}]").resolve(ROWS) == found


def test_filter_of_an_object() -> None:
    """A filter put to an object chooses among its values."""
    assert compile_path("a[?(@.n > 1)]").resolve({"a": {"x": {"n": 1}, "y": {"n": 2}}}) == [
        {"n": 2}
    ]


@pytest.mark.parametrize("document", ["text", 1, None, [None], ["text"], [[]], {"a": 1}, [True]])
@pytest.mark.parametrize(
    "text", ["[?(@.a > 1)]", "[?(@.a.b == 'x')]", "[?(@[0] == 1)]", "[?(!@.a)]", "..[?(@.a < 'x')]"]
)
def test_no_document_raises(text: str, document: Any) -> None:
    """A filter never raises, whatever it meets."""
    compile_path(text).resolve(document)


INNER = st.text(alphabet="@.abn01 =<>!&|()'\"[]*,:?$-+~/`", max_size=14)


@FIXED
@given(INNER)
def test_brackets_are_total(inner: str) -> None:
    """Whatever stands in brackets, it is compiled or refused as no path, and then never raises."""
    with suppress(PathError):
        path = compile_path(f"a[{inner}]")
        documents: list[Any] = [{"a": ROWS}, {"a": [1, "x", None, [2]]}, {"a": {}}, [], "a"]
        for document in documents:
            path.resolve(document)


@pytest.mark.parametrize(
    "inner", ["?" + "(" * 400, "?" + "!" * 500, "?" + "@.a[?" * 150, "0," * 400 + "0"]
)
def test_nested_brackets_are_total(inner: str) -> None:
    """Fault 40: deep nesting in brackets is compiled or refused, never a recursion error."""
    with suppress(PathError):
        compile_path(f"[{inner}]").resolve([1])
