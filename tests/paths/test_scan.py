"""How the text of a path is cut into steps, and what is no path."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.paths import PathError
from evalkit.paths.scan import MAX_LENGTH, Index, Key, Name, Selector, Step, scan

FIXED = settings(deadline=None, derandomize=True, max_examples=200)

STEPS: list[tuple[str, list[Step]]] = [
    ("", []),
    ("$", []),
    ("a", [Name("a", None)]),
    ("a.b", [Name("a", None), Name("b", None)]),
    ("$.a", [Name("a", None)]),
    ("$[0]", [Index(0)]),
    ("$ref", [Name("$ref", None)]),
    ("a.$ref", [Name("a", None), Name("$ref", None)]),
    ("0", [Name("0", 0)]),
    ("a.0", [Name("a", None), Name("0", 0)]),
    ("a.-1", [Name("a", None), Name("-1", -1)]),
    ("a.-0", [Name("a", None), Name("-0", None)]),
    ("a.007", [Name("a", None), Name("007", None)]),
    ("a[0]", [Name("a", None), Index(0)]),
    ("a[-1]", [Name("a", None), Index(-1)]),
    ("a[ 1 ]", [Name("a", None), Index(1)]),
    ('a["b.c"]', [Name("a", None), Key("b.c")]),
    ("['b c']", [Key("b c")]),
    ('["]"]', [Key("]")]),
    ('["0"]', [Key("0")]),
    (r'["\u00e9\n\"\\"]', [Key('\N{LATIN SMALL LETTER E WITH ACUTE}\n"\\')]),
    (r'["\ud83d\ude00"]', [Key("\N{GRINNING FACE}")]),
    (r"['it\'s']", [Key("it's")]),
    ("birch ply.8x40", [Name("birch ply", None), Name("8x40", None)]),
    ("a/b.@type.dc:title", [Name("a/b", None), Name("@type", None), Name("dc:title", None)]),
    ("größe.属性", [Name("größe", None), Name("属性", None)]),
    ("ikea-black-128", [Name("ikea-black-128", None)]),
    ("a[*]", [Name("a", None), Selector("*", 1)]),
    ("a.*", [Name("a", None), Selector("*", 2)]),
    ("*", [Selector("*", 0)]),
    ("..a", [Name("a", None, deep=True)]),
    ("$..a", [Name("a", None, deep=True)]),
    ("a..[0]", [Name("a", None), Index(0, deep=True)]),
    ("a..*", [Name("a", None), Selector("*", 3, deep=True)]),
    ("a[0:2]", [Name("a", None), Selector("0:2", 1)]),
    ("a[0,1]", [Name("a", None), Selector("0,1", 1)]),
    ("a[?(@.b == ']')]", [Name("a", None), Selector("?(@.b == ']')", 1)]),
]


@pytest.mark.parametrize(("text", "steps"), STEPS, ids=[text for text, _ in STEPS])
def test_steps(text: str, steps: list[Step]) -> None:
    """Each kind of path is cut into these steps."""
    assert list(scan(text)) == steps


REFUSED = [
    ("a.", 2, "a name is missing"),
    (".a", 0, "does not begin with a dot"),
    ("$.", 2, "a name is missing"),
    ("$..", 3, "a name is missing"),
    ("a...b", 3, "a name is missing"),
    (" a", 0, "blanks around the path"),
    ("a ", 0, "blanks around the path"),
    ("a. b", 2, "blanks around the name"),
    ("a .b", 0, "blanks around the name"),
    ("a[", 1, "not closed"),
    ("a[0", 1, "not closed"),
    ("a['b]", 1, "not closed"),
    ("a[]", 1, "nothing stands in the brackets"),
    ("a[ ]", 1, "nothing stands in the brackets"),
    ("a]", 1, "can't stand in a name"),
    ("a(b)", 1, "can't stand in a name"),
    ("it's", 2, "can't stand in a name"),
    ('say "hi"', 4, "can't stand in a name"),
    ("a[b]", 1, "is quoted: ['b']"),
    ("a[01]", 1, "is no index"),
    ("a[-0]", 1, "is no index"),
    ("a[1.5]", 1, "is no index"),
    ("a[0]b", 4, "a dot or a bracket is missing"),
    ("a*", 1, "a dot or a bracket is missing"),
    ("*a", 1, "a dot or a bracket is missing"),
    (r'["\x"]', 0, "is no escape"),
    (r'["\ud800"]', 0, "surrogate"),
    ('["a\nb"]', 0, "control character"),
    ("a.sub()", 5, "can't stand in a name"),
    ("a.b + c(d)", 7, "can't stand in a name"),
]


@pytest.mark.parametrize(("text", "position", "told"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(text: str, position: int, told: str) -> None:
    """A text that is no path is refused with what is wrong, where in it, and the text."""
    with pytest.raises(PathError) as caught:
        scan(text)
    assert (caught.value.position, caught.value.text) == (position, text)
    assert told in str(caught.value)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("text", ["a" * 2_000, "a." * 1_000 + "a", "a" + "[0]" * 700, "[*]" * 700])
def test_length_is_bounded(text: str) -> None:
    """Fault 40: a path of two thousand characters is refused, and not shown in full."""
    with pytest.raises(PathError, match=f"over {MAX_LENGTH} characters") as caught:
        scan(text)
    assert len(str(caught.value)) < 200


def test_length_at_the_bound() -> None:
    """A path of the greatest length is still one."""
    assert scan("a" * MAX_LENGTH) == (Name("a" * MAX_LENGTH, None),)


@FIXED
@given(st.text(max_size=8) | st.text(alphabet="ab01.$[]*()'\"\\?@,: -u", max_size=12))
def test_scan_is_total(text: str) -> None:
    """Whatever the text, it is cut into steps or refused as no path; nothing else is raised."""
    with suppress(PathError):
        assert all(isinstance(step, Name | Key | Index | Selector) for step in scan(text))


@FIXED
@given(st.text(alphabet=st.characters(exclude_characters=".[]*()'\""), min_size=1, max_size=6))
def test_any_other_run_of_characters_is_a_name(name: str) -> None:
    """A name is any run of characters but the reserved ones, without outer blanks."""
    if name == name.strip() and name != "$":
        (step,) = scan(name)
        assert isinstance(step, Name)
        assert step.name == name
