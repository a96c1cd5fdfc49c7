"""YAML is read as YAML 1.2 means it, each part with its place, and nothing hidden in an alias."""

import json
import re
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.errors import CatalogueError
from evalkit.loaders.records import MAX_NESTING, Document, Steps
from evalkit.loaders.yaml_file import MAX_ALIASED, read_yaml

TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Cn", "Co"]) | st.sampled_from("\n\t:-#\x85"),
    max_size=6,
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)


def read(text: str) -> Document:
    """Read a file of this text."""
    Path("a.yaml").write_bytes(text.encode("utf-8"))
    return read_yaml(Path("a.yaml"), "a.yaml")


def value_of(scalar: str) -> Any:
    """What a scalar is read as."""
    whole = read(f"- {scalar}\n").whole
    assert whole is not None
    return whole.data[0]


def problems(text: str) -> list[str]:
    """What reading this text is answered with, a line for each problem."""
    with pytest.raises(CatalogueError) as caught:
        read(text)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        *((word, None) for word in ("", "~", "null", "Null", "NULL")),
        *((word, True) for word in ("true", "True", "TRUE")),
        *((word, False) for word in ("false", "False", "FALSE")),
        *((word, word) for word in ("no", "yes", "on", "off", "y", "N", "nULL", "tRUE", "none")),
        *((word, word) for word in ("12:30:45", "2020-01-01", "1_000", "0b1", "1.2.3", "+", "-x")),
        *((word, word) for word in (".", "e5", "0o8", "0xG", "1e", "+.e1", "=", "<<", "-0x1")),
        ("014", 14),
        ("-014", -14),
        ("+12", 12),
        ("0o17", 15),
        ("0xFf", 255),
        ("12345678901234567890123", 12345678901234567890123),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("-3.", -3.0),
        ("1.5E-2", 0.015),
        ('"12"', "12"),
        ("'true'", "true"),
        ('""', ""),
        ("!!str 12", "12"),
        ("! 12", "12"),
        ('!!int "12"', 12),
        ("!!float 3", 3.0),
        ('!!bool "true"', True),
        ('!!null ""', None),
        ("!!seq []", []),
        ("!!map {}", {}),
        ('"\\U0001F600 \\x41"', "\U0001f600 A"),
    ],
)
def test_scalars_are_those_of_the_core_schema(scalar: str, value: Any) -> None:
    """A plain scalar is what YAML 1.2 says, to its type; everything else is a string."""
    assert repr(value_of(scalar)) == repr(value)


@pytest.mark.parametrize(
    ("scalar", "told"),
    [
        *((word, f"{word} is no number of JSON") for word in (".inf", "-.INF", "+.Inf", ".nan")),
        ("1e999", "1e999 is no number of JSON"),
        ("1" * 4001, "a number of more than 4,000 digits"),
        ("0x" + "f" * 4000, "a number of more than 4,000 digits"),
        ("1" * 100_000, "a number of more than 4,000 digits"),
        ("!!python/object/apply:os.system [x]", "unknown tag !!python/object/apply:os.system"),
        ("!custom x", "unknown tag !custom"),
        ("!!binary aGk=", "unknown tag !!binary"),
        ("!!timestamp 2020-01-01", "unknown tag !!timestamp"),
        ("!!set {a}", "unknown tag !!set"),
        ("!!str [a]", "unknown tag !!str"),
        ("!!int 3.5", "'3.5' is no int"),
        ("!!bool yes", "'yes' is no bool"),
        ("!!int", "'' is no int"),
        ("!!float 9007199254740993", "'9007199254740993' is no float"),
        ("!!float " + "9" * 25, "'9999999999999999999999999' is no float"),
    ],
)
def test_what_json_has_not_is_refused_with_its_place(scalar: str, told: str) -> None:
    """Infinities, endless digits and tags that would build something are named, and placed."""
    assert problems(f"a:\n  - {scalar}\n") == [f"a.yaml:2:5: a: {told}"]


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_json_is_yaml(value: Any) -> None:
    """What JSON's writer writes is read as the same value, line ends of YAML 1.1 included."""
    assert value_of(json.dumps(value, ensure_ascii=False)) == value


def is_number_in_1_2(value: Any) -> bool:
    """Whether a text is anywhere in a value that is one in YAML 1.1, and a number in YAML 1.2."""
    texts = re.findall(r'"([^"]*)"', json.dumps(value))
    return any(re.fullmatch(r"[-+]?[0-9.]+[eE][-+]?[0-9]+|0o[0-7]+", text) for text in texts)


@settings(max_examples=60, deadline=None)
@given(VALUES.filter(lambda value: not is_number_in_1_2(value)))
def test_what_a_yaml_writer_writes_is_read(value: Any) -> None:
    """A value written in block style by a writer of YAML 1.1 comes back."""
    whole = read(yaml.safe_dump([value])).whole
    assert whole is not None
    assert whole.data == [value]


@pytest.mark.parametrize("char", ["\x85", "\u2028", "\u2029"])
def test_what_ends_a_line_in_yaml_1_1_is_a_character(char: str) -> None:
    """It stays in texts, quoted or not, ends no comment, and moves no line."""
    whole = read(f"# one{char}two\na: x{char}y\nb: ' {char} \ue000'\nc: 1\n").whole
    assert whole is not None
    assert whole.data == {"a": f"x{char}y", "b": f" {char} \ue000", "c": 1}
    assert whole.locate(("c",)) == "a.yaml:4:1"


PLACED = """\
- name: first
  tool_calls:
    - tool: a
      args: {width: 600, depth: [1, 2]}
- &second
  name: second
- {name: "third: x", again: *second}
"""


@pytest.mark.parametrize(
    ("steps", "place"),
    [
        ((), "1:1"),
        ((0,), "1:3"),
        ((0, "name"), "1:3"),
        ((0, "tool_calls"), "2:3"),
        ((0, "tool_calls", 0), "3:7"),
        ((0, "tool_calls", 0, "args", "depth"), "4:26"),
        ((0, "tool_calls", 0, "args", "depth", 1), "4:37"),
        ((0, "tool_calls", 3, "args"), "2:3"),
        ((0, "no such"), "1:3"),
        ((1,), "5:3"),
        ((2, "again"), "7:22"),
        ((2, "again", "name"), "6:3"),
        ((9,), "1:1"),
    ],
)
def test_every_part_has_its_place(steps: Steps, place: str) -> None:
    """A key, an item, and inside of an alias what it stands for; else the deepest part there is."""
    whole = read(PLACED).whole
    assert whole is not None
    assert whole.locate(steps) == f"a.yaml:{place}"


def test_the_records_are_the_items_of_the_list() -> None:
    """A list gives its items, each with its own places; a mapping is its one record."""
    records = list(read(PLACED).records())
    assert [(each.number, each.data["name"]) for each in records] == [
        (0, "first"),
        (1, "second"),
        (2, "third: x"),
    ]
    assert records[2].locate(("name",)) == "a.yaml:7:4"
    (one,) = read("a: 1").records()
    assert (one.data, one.locate(("a",))) == ({"a": 1}, "a.yaml:1:1")


def test_an_alias_stands_for_a_copy() -> None:
    """What is changed in one place is not changed in the other."""
    whole = read("a: &x {k: [1]}\nb: *x\n").whole
    assert whole is not None
    whole.data["a"]["k"].append(2)
    assert whole.data["b"] == {"k": [1]}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: 1\n'a': 2", "a.yaml:2:1: the key 'a' is there twice; it is there first at a.yaml:1:1"),
        ("- {b: {c: 1,\n c: 2}}", "a.yaml:2:2: [0].b: the key 'c' is there twice; it is"),
        ("1: x", "a.yaml:1:1: the key 1 is no string but integer; quote it"),
        ("~: x", "a.yaml:1:1: the key None is no string but null; quote it"),
        ("true: x", "a.yaml:1:1: the key True is no string but boolean; quote it"),
        ("[a]: x", "a.yaml:1:1: the key ['a'] is no string but array; quote it"),
        ("? {a: 1}\n: x", "a.yaml:1:3: the key {'a': 1} is no string but object; quote it"),
        ("a: &x 1\n*x : 2", "a.yaml:2:1: the key 1 is no string but integer"),
        ("b: &x {a: 1}\nc:\n  <<: *x", "a.yaml:3:3: c: YAML 1.2 has no merge key '<<'; give"),
        ("a: *x", "a.yaml:1:4: no &x stands before *x; there is none"),
        ("a: &xy 1\nb: *xz", "a.yaml:2:4: no &xz stands before *xz; known: 'xy'"),
        ("a: &x [1, *x]", "a.yaml:1:11: a: *x stands inside of what it names"),
        ("a: &x {b: *x}", "a.yaml:1:11: a: *x stands inside of what it names"),
        ("a: 1\n---\nb: 2", "a.yaml:2:1: a second document begins; a file holds one"),
        ("%YAML 1.1\n---\na: 1", "a.yaml:1:1: asks for another YAML than 1.2; leave out"),
        ("x", "a.yaml:1:1: expected a list or a mapping, got 'x'"),
        ("# nothing", "a.yaml: the file is empty"),
        ("a: [1", "a.yaml:1:6: a: did not find expected ',' or ']'; while parsing a flow"),
        ("a:\n\t- 1", "a.yaml:2:1: found character that cannot start any token"),
        ('a: "\\ud800"', "a.yaml:1:7: found invalid Unicode character escape code"),
        ('a: "\\ud83d\\ude00"', "a.yaml:1:7: found invalid Unicode character escape code"),
        ("a: \x07", "a.yaml:1:4: control characters are not allowed"),
        ("a: b: c", "a.yaml:1:5: mapping values are not allowed in this context"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, told: str) -> None:
    """Each kind of mistake is named with line, column and field, and what would be right."""
    (found,) = problems(text)
    assert found.startswith(told)


@pytest.mark.parametrize("text", ["%YAML 1.2\n---\na: 1\n...\n", '"<<": 1\n', "a: <<\n", "'1': x"])
def test_what_looks_alike_is_read(text: str) -> None:
    """A version that is meant, an end that is marked, and keys in quotes are no mistakes."""
    assert read(text).whole is not None


def test_all_that_is_wrong_is_told_at_once() -> None:
    """All mistakes up to the first error of syntax, and that, are told together."""
    found = problems("a: .inf\nb: !x y\na: 2\n3: 4\nc: [1, {d: 1, d: 2}]\ne: [\n")
    assert [each.partition(": ")[0] for each in found] == [
        "a.yaml:1:4",
        "a.yaml:2:4",
        "a.yaml:3:1",
        "a.yaml:4:1",
        "a.yaml:5:15",
        "a.yaml:7:1",
    ]


@pytest.mark.parametrize(("head", "tail"), [("[", "]"), ("{a: ", "}"), ("- ", "")])
def test_nesting_is_bounded(head: str, tail: str) -> None:
    """As deep as allowed is read; one level more is refused, with its place."""
    assert read(head * MAX_NESTING + "x" + tail * MAX_NESTING).whole is not None
    deeper = MAX_NESTING + 1
    (found,) = problems(head * deeper + "x" + tail * deeper)
    assert found == (
        f"a.yaml:1:{len(head) * MAX_NESTING + 1}: nested deeper than {MAX_NESTING} levels"
    )


def test_aliases_can_not_build_what_is_too_deep() -> None:
    """Depth is counted through aliases: each stage is shallow by itself."""
    stages = [f"a{n}: &a{n} {'[' * 90}{f'*a{n - 1}' if n else ''}{']' * 90}" for n in range(4)]
    (found,) = problems("\n".join(stages))
    assert found.startswith("a.yaml:3:")
    assert found.endswith(f"nested deeper than {MAX_NESTING} levels")


def test_aliases_may_stand_for_so_many_nodes() -> None:
    """The nodes that aliases stand for are counted over the whole file, to the last one."""
    items = ", ".join("x" * 99)
    enough = "\n".join(f"b{n}: *a" for n in range(MAX_ALIASED // 100))
    assert read(f"a: &a [{items}]\n{enough}").whole is not None
    (found,) = problems(f"a: &a [{items}]\n{enough}\nc: &c 1\nd: *c")
    assert found.endswith("aliases stand for more than 10,000 nodes")


def test_an_alias_bomb_is_refused_at_once() -> None:
    """Nine aliases of nine aliases of nine, nine times, cost neither time nor memory."""
    lines = [f"a0: &a0 [{', '.join('x' * 9)}]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    began = perf_counter()
    (found,) = problems("\n".join(lines))
    assert found.endswith("aliases stand for more than 10,000 nodes")
    assert perf_counter() - began < 5
