"""JSON is read strictly: nothing is dropped, changed or made up on the way."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evalkit.errors import CatalogueError
from evalkit.loaders.json_file import BadJsonError, read_json, strict_loads
from evalkit.loaders.records import MAX_NESTING

QUICK = settings(max_examples=150, deadline=None)
TEXTS = st.text(st.sampled_from('a:"\\{}[],\né\U0001f600\u2028 03u'), max_size=6)
NUMBERS = (
    st.integers(-(10**25), 10**25)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([2**63, 2**64, -(2**63) - 1, 10**18, 10**19, -0.0, 1e22])
)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=10,
)
VALUE = "a value is an object, array, string, number, true, false or null"
STYLES: list[dict[str, Any]] = [
    {"ensure_ascii": False, "separators": (",", ":")},
    {"ensure_ascii": True, "separators": (",", ":")},
    {"ensure_ascii": False},
    {"ensure_ascii": True, "indent": 2},
]


def problems(text: str | bytes) -> list[str]:
    """What reading a file of this text is answered with, a line for each problem."""
    path = Path("a.json")
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    with pytest.raises(CatalogueError) as caught:
        read_json(path, "a.json")
    return [str(problem) for problem in caught.value.problems]


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same to the type, the sign and the order."""
    return repr(one) == repr(other)


@QUICK
@given(VALUES, st.sampled_from(STYLES))
def test_what_is_good_is_read_as_the_standard_library_reads_it(
    value: Any, style: dict[str, Any]
) -> None:
    """In whatever way a value is written, it is read to the type, the order and the last digit."""
    text = json.dumps(value, **style)
    assert same(strict_loads(text.encode("utf-8")), json.loads(text))


@QUICK
@given(VALUES, TEXTS, VALUES, VALUES, st.lists(st.booleans(), max_size=4), st.sampled_from(STYLES))
def test_a_key_that_is_there_twice_is_refused_at_any_depth(  # noqa: PLR0913, PLR0917
    beside: Any, key: str, one: Any, other: Any, way: list[bool], style: dict[str, Any]
) -> None:
    """No colon, quote or escape in keys and values hides a repetition, however deep it is."""
    name, first, second, third = (json.dumps(each, **style) for each in (key, one, other, beside))
    text = f'{{{name}:{first},"-":{third}, {name} : {second}}}'
    for in_list in way:
        text = f"[{third},{text}]" if in_list else f'{{"--":{third},"x":{text}}}'
    with pytest.raises(BadJsonError, match="is there twice"):
        strict_loads(text.encode("utf-8"))


@pytest.mark.parametrize(
    "text",
    [
        r'{"a":1,"\u0061":2}',
        r'{"a":1,"\u0061":"\u003a"}',
        r'{"a:":1,"a\u003a":2}',
        r'{"a\u003A":1,"a\u003A":"::::"}',
        r'{"\\u003a":1,"\\u003a":2}',
        '{"é":1,"\\u00e9":2}',
        '{"":1,"":2}',
    ],
)
def test_a_key_is_the_same_however_it_is_written(text: str) -> None:
    """Keys are compared as they are read; an escaped colon makes up for none that is lost."""
    with pytest.raises(BadJsonError, match="is there twice"):
        strict_loads(text.encode("utf-8"))


@QUICK
@given(st.integers(17, 25), st.integers(0, 40), st.sampled_from(["", "-"]))
def test_no_digit_of_an_integer_is_lost(digits: int, before: int, sign: str) -> None:
    """Wherever a long integer stands in the text, and in front of whatever, it is exact."""
    number = sign + "9" * digits
    text = f'{{"{"x" * before}": [1, {number}], "n": {number} }}'
    assert strict_loads(text.encode())["n"] == int(number)
    assert type(strict_loads(text.encode())["n"]) is int


@pytest.mark.parametrize("text", ["-0", "0.0", "-0.0", "1E5", "1e-400", "123456789012345678901.5"])
def test_odd_numbers_are_what_they_say(text: str) -> None:
    """Signs of zero, exponents and long fractions are read as the standard library reads them."""
    assert same(strict_loads(f"[{text}]".encode()), json.loads(f"[{text}]"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[{"a": NaN}]', "a.json:1:8: [0].a: NaN is no JSON"),
        ("[-Infinity]", "a.json:1:2: [0]: -Infinity is no JSON"),
        ("[1e400]", "a.json:1:2: [0]: 1e400 is too large for a number"),
        (f"[\n {'1' * 4001}]", "a.json:2:2: [0]: an integer of more than 4,000 digits"),
        (r'["\ud800"]', r"a.json:1:2: [0]: half of a surrogate pair in '\ud800'"),
        (r'[{"\udc00x": 1}]', r"a.json:1:3: "),
        ('{"a": 1,}', "a.json:1:9: expecting property name enclosed in double quotes; keys"),
        ("{'a': 1}", "a.json:1:2: expecting property name enclosed in double quotes; keys"),
        ('["a" "b"]', "a.json:1:6: expecting ',' delimiter"),
        ("[1] [2]", "a.json:1:5: extra data; there is one JSON value"),
        ('["a\nb"]', "a.json:1:4: invalid control character; in a string"),
        ('["\\q"]', "a.json:1:3: invalid \\escape; a backslash"),
        ("[1, 2", "a.json:1:6: expecting ',' delimiter; it looks cut off"),
        ('[{"a": "b', "a.json:1:8: unterminated string; it looks cut off"),
        ("[01]", "a.json:1:3: expecting ',' delimiter"),
        ("true", "a.json:1:1: expected a list or a mapping, got True"),
        ("", "a.json: the file is empty"),
        (" \n", "a.json: the file is empty"),
        ('["a"]\0', "a.json:1:6: a NUL character; save it as UTF-8"),
        (b'[\n"a\xff"]', "a.json:2:3: the byte 0xff is no UTF-8; save it as UTF-8"),
        (b'["\xed\xa0\x80"]', "a.json:1:3: the byte 0xed is no UTF-8"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str | bytes, told: str) -> None:
    """Each kind of mistake is named with line, column and field, and what would be right."""
    (found,) = problems(text)
    assert found.startswith(told)


def test_all_that_is_wrong_is_told_at_once() -> None:
    """Keys that are there twice, numbers that are none and the error of syntax after them."""
    text = '{"a": 1, "b": {"c": NaN,\n "c": 1e999},\n "a": 2, "d": }'
    assert problems(text) == [
        "a.json:1:21: b.c: NaN is no JSON",
        "a.json:2:2: b: the key 'c' is there twice; it is there first at a.json:1:16",
        "a.json:2:7: b.c: 1e999 is too large for a number",
        "a.json:3:2: the key 'a' is there twice; it is there first at a.json:1:2",
        f"a.json:3:15: expecting value; {VALUE}",
    ]


@pytest.mark.parametrize("around", [("[", "]"), ('{"a":', "}"), ('[ {"a": ', "} ]")])
def test_nesting_is_bounded_at_the_same_depth_in_every_form(around: tuple[str, str]) -> None:
    """As deep as allowed is read; one level more is refused, however the text is written."""
    head, tail = around
    each = head.count("[") + head.count("{")
    deepest = MAX_NESTING // each
    for blank in ("", " "):
        text = head * deepest + f"{blank}1" + tail * deepest
        assert strict_loads(text.encode()) is not None
        with pytest.raises(BadJsonError, match=f"nested deeper than {MAX_NESTING} levels"):
            strict_loads(f"[{text}]".encode())


def test_a_document_gives_the_items_of_its_list() -> None:
    """A list gives a record for each item, with its number and its place; as often as asked."""
    Path("a.json").write_text('[{"a": [1, 2]},\n {"b": 3}]', encoding="utf-8")
    read = read_json(Path("a.json"), "a.json")
    records = list(read.records())
    for again in (records, list(read.records())):
        assert [(each.data, each.number) for each in again] == [({"a": [1, 2]}, 0), ({"b": 3}, 1)]
    assert records[0].locate(("a", 1)) == "a.json:1:12"
    assert records[1].locate(()) == "a.json:2:2"
    assert read.whole is not None
    assert read.whole.locate((1, "b")) == "a.json:2:3"


def test_a_document_gives_its_one_mapping() -> None:
    """A mapping is its own one record; a byte order mark in front of it is no part of it."""
    Path("a.json").write_bytes(b'\xef\xbb\xbf{"a": 1}')
    read = read_json(Path("a.json"), "shown.json")
    (record,) = read.records()
    assert (record.data, record.locate(("a",))) == ({"a": 1}, "shown.json:1:2")


@QUICK
@given(TEXTS, VALUES)
def test_a_text_of_escapes_alone_is_read(key: str, value: Any) -> None:
    """A key each character of which is an escape is what those characters are."""
    assume(not any(char > "\uffff" for char in key))
    name = "".join(f"\\u{ord(char):04X}" for char in key)
    text = f'{{"{name}": {json.dumps(value)}}}'
    assert same(strict_loads(text.encode()), {key: json.loads(json.dumps(value))})
