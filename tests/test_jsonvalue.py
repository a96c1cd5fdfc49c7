"""What a JSON value is: plain, copied, finite, bounded, and compared strictly."""

import copy
import json
import math
import pickle
import subprocess
import sys
from collections import OrderedDict, UserDict, deque
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from enum import IntEnum, StrEnum
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.jsonvalue import (
    MAX_DEPTH,
    MAX_SIZE,
    MISSING,
    NotJsonError,
    brief,
    copy_json,
    dotted,
    equal,
    is_flat,
    is_number,
    plain,
    type_name,
)
from evalkit.paths import compile_path

ROOT = Path(__file__).parents[1]
FIXED = settings(deadline=None, derandomize=True, max_examples=100)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.integers()
    | st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, float(2**53)])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)


class LyingDict(dict[str, Any]):
    """A dict that equals everything and says that it is empty."""

    __hash__ = None

    def __eq__(self, other: object) -> bool:
        """Agree with anything."""
        return True

    def __len__(self) -> int:
        """Claim to hold nothing."""
        return 0


class LyingText(str):
    """A string that equals everything."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        """Agree with anything."""
        return True


class Masked:
    """An object whose `__class__`, `__bool__` and `__eq__` lie."""

    __hash__ = None  # type: ignore[assignment]

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Pretend to be a dict."""
        return dict

    def __eq__(self, other: object) -> bool:
        """Agree with anything."""
        return True

    def __bool__(self) -> bool:
        """Be true."""
        return True


class Unprintable:
    """An object, usable as a key, whose repr raises."""

    def __repr__(self) -> str:
        """Refuse to be shown."""
        raise RuntimeError("no repr")


class Number(float):
    """A subclass of a number, as numpy's scalars are."""


class Size(IntEnum):
    """A number with a name."""

    SMALL = 1


class Wood(StrEnum):
    """A string with a name."""

    OAK = "oak"


NO_JSON: list[tuple[object, str]] = [
    ({1, 2}, "builtins.set"),
    (frozenset(), "builtins.frozenset"),
    (b"raw", "builtins.bytes"),
    (bytearray(b"raw"), "builtins.bytearray"),
    (object(), "builtins.object"),
    ((n for n in [1]), "builtins.generator"),
    (range(2), "builtins.range"),
    ({"a": 1}.keys(), "builtins.dict_keys"),
    (1j, "builtins.complex"),
    (Decimal(1), "decimal.Decimal"),
    (Fraction(1, 2), "fractions.Fraction"),
    (datetime(2024, 1, 1, tzinfo=UTC), "datetime.datetime"),
    (PurePosixPath("a"), "PurePosixPath"),
    (deque([1]), "collections.deque"),
    (OrderedDict(a=1), "collections.OrderedDict"),
    (UserDict(a=1), "collections.UserDict"),
    (Number(1.5), "Number"),
    (Size.SMALL, "Size"),
    (Wood.OAK, "Wood"),
    (LyingDict(a=1), "LyingDict"),
    (LyingText("a"), "LyingText"),
    (Masked(), "Masked"),
    (Unprintable(), "Unprintable"),
    (ValueError("x"), "builtins.ValueError"),
    (dict, "builtins.type"),
    (len, "builtins.builtin_function_or_method"),
    (MISSING, "Missing"),
]


def refusal(value: object) -> NotJsonError:
    """The error that `plain` raises for a value."""
    with pytest.raises(NotJsonError) as caught:
        plain(value)
    return caught.value


def nested(depth: int, make: Callable[[Any], Any] = lambda inner: [inner]) -> Any:
    """A value of so many containers around each other."""
    value: Any = make(1)
    for _ in range(depth - 1):
        value = make(value)
    return value


def types_of(value: Any) -> Any:
    """A value's exact types, at every depth."""
    if type(value) is dict:
        return {key: types_of(item) for key, item in value.items()}
    return [types_of(item) for item in value] if type(value) is list else type(value)


@FIXED
@given(VALUES)
def test_plain_is_the_identity_on_json(value: Any) -> None:
    """A JSON value comes through with the same values, of the same exact types."""
    copied = plain(value)
    assert copied == value
    assert types_of(copied) == types_of(value)
    assert types_of(copied) == types_of(json.loads(json.dumps(value, allow_nan=False)))


def test_plain_copies() -> None:
    """What was copied shares no container with what it was copied from."""
    inner: dict[str, Any] = {"list": [1]}
    copied = plain([inner, inner])
    inner["list"].append(2)
    copied[0]["list"].append(3)
    assert copied == [{"list": [1, 3]}, {"list": [1]}]


def test_plain_makes_tuples_lists() -> None:
    """A tuple is read as the list that it is in JSON, at every depth."""
    assert plain(({"a": (1, ())},)) == [{"a": [1, []]}]


@pytest.mark.parametrize(("value", "name"), NO_JSON, ids=[name for _, name in NO_JSON])
def test_what_is_no_json_is_refused(value: object, name: str) -> None:
    """Faults 27 and 29: what is no exact builtin is refused with its type, never read as one."""
    assert f"{name} is no JSON value" in refusal(value).problem


@pytest.mark.parametrize(("value", "name"), NO_JSON, ids=[name for _, name in NO_JSON])
def test_what_is_no_json_is_refused_within(value: object, name: str) -> None:
    """Fault 27: the message names the place as well, below dicts, lists and tuples."""
    error = refusal({"a": [0, ({"b c": value},)]})
    assert str(error).startswith("at a[1][0].b c: ")
    assert name in str(error)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf], ids=repr)
@pytest.mark.parametrize(
    ("wrap", "place"),
    [
        (lambda n: n, ""),
        (lambda n: [1, n], "[1]"),
        (lambda n: {"a": n}, "a"),
        (lambda n: {"a": {"b": [[n]]}}, "a.b[0][0]"),
        (lambda n: ({"x.y": (n,)},), '[0]["x.y"][0]'),
    ],
)
def test_no_number_is_not_finite(
    number: float, wrap: Callable[[float], object], place: str
) -> None:
    """Fault 26: NaN and the infinities are refused at every depth, with the place."""
    told = f"{number!r} is not finite"
    assert str(refusal(wrap(number))) == (f"at {place}: {told}" if place else told)


@pytest.mark.parametrize(
    "key", [1, 1.5, None, True, (1,), b"a", Wood.OAK, LyingText("a"), Unprintable()], ids=type
)
def test_a_key_is_a_string(key: object) -> None:
    """A key that is no exact string is refused: two keys could become one."""
    assert "is no string" in refusal({"a": [{"ok": 1, key: 2}]}).problem


@pytest.mark.parametrize("make", [lambda v: [v], lambda v: (v,), lambda v: {"k": v}])
def test_depth_is_bounded(make: Callable[[Any], Any]) -> None:
    """Fault 28: two hundred levels pass, one more is refused by a message, not by the stack."""
    plain(nested(MAX_DEPTH, make))
    told = f"deeper than {MAX_DEPTH} levels"
    assert told in refusal(nested(MAX_DEPTH + 1, make)).problem


HOSTILE = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
from evalkit.jsonvalue import NotJsonError, plain
value, ring, knot = 1, [], {}
ring.append({"a": (ring,)})
knot["left"] = knot["right"] = [knot, knot]
for _ in range(LEVELS):
    value = SHAPE
try:
    plain(value)
except NotJsonError as error:
    print(error.problem)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="bounds the child's memory by resource")
@pytest.mark.parametrize(
    ("shape", "levels", "told"),
    [
        ("[value]", 100_000, "nested deeper than 200 levels"),
        ("(value,)", 100_000, "nested deeper than 200 levels"),
        ("{'k': value}", 100_000, "nested deeper than 200 levels"),
        ("[(value,)]", 100_000, "nested deeper than 200 levels"),
        ("ring", 1, "nested deeper than 200 levels, or cyclic"),
        ("knot", 1, "larger than"),
        ("[value, value]", 40, "larger than"),
        ("(value, value)", 40, "larger than"),
        ("{'a': value, 'b': value}", 40, "larger than"),
    ],
)
def test_no_shape_takes_the_process(shape: str, levels: int, told: str) -> None:
    """Fault 28: the abyss, the ring and what is shared are refused within time and memory."""
    code = HOSTILE.replace("SHAPE", shape).replace("LEVELS", str(levels))
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        timeout=5,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(told)


@pytest.mark.parametrize(
    "value",
    [
        "x" * (MAX_SIZE + 1),
        ["x" * (MAX_SIZE // 2)] * 3,
        {"a": "x" * MAX_SIZE, "b": "x"},
        [None] * (MAX_SIZE // 4),
        {"k" * (MAX_SIZE + 1): 1},
        [{"k" * (MAX_SIZE // 2): 1}] * 3,
    ],
    ids=["text", "texts", "values", "items", "key", "keys"],
)
def test_size_is_bounded(value: object) -> None:
    """Fault 28: about 10 MB of text, keys and values together, and no more."""
    assert "larger than" in refusal(value).problem


@pytest.mark.parametrize("value", ["x" * (MAX_SIZE - 100), [0] * (MAX_SIZE // 10)])
def test_large_is_not_too_large(value: object) -> None:
    """A value below the bound comes through."""
    assert plain(value) == value


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("wrap", [lambda n: n, lambda n: [n], lambda n: {"a": n}])
def test_digits_are_bounded(sign: int, wrap: Callable[[int], object]) -> None:
    """An integer that could not be written to a log is refused; the one before it is exact."""
    last = 10**4000 - 1
    assert plain(wrap(sign * last)) == wrap(sign * last)
    assert "digits" in refusal(wrap(sign * (last + 1))).problem


def test_other_is_asked_for_what_is_no_json() -> None:
    """`other` replaces what is no JSON, and what it gives is checked in turn."""
    assert plain({"a": {3, 1}}, sorted) == {"a": [1, 3]}
    with pytest.raises(NotJsonError, match=r"^at a\[0\]: nan is not finite$"):
        plain({"a": {1}}, lambda _: [math.nan])


def test_other_may_keep_the_object() -> None:
    """An object that `other` gives back itself stays as it is."""
    kept = Unprintable()
    assert plain([kept], lambda value: value)[0] is kept


def test_other_that_never_ends_is_stopped() -> None:
    """Fault 28: an `other` that answers with something new each time runs into the depth."""
    with pytest.raises(NotJsonError, match="deeper"):
        plain(object(), lambda _: object())


def same(left: Any, right: Any) -> bool:
    """What JSON equality is, written out."""
    if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return Fraction(left) == Fraction(right)
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return set(left) == set(right) and all(same(left[key], right[key]) for key in left)
    return False


@FIXED
@given(VALUES, VALUES)
def test_equal_is_its_definition(left: Any, right: Any) -> None:
    """`equal` is JSON equality: no coercion, exact numbers, key order ignored."""
    assert equal(left, right) is same(left, right)
    assert equal([left, {"a": left}], [left, {"a": right}]) is same(left, right)


@FIXED
@given(VALUES, VALUES)
def test_equal_is_an_equivalence(left: Any, right: Any) -> None:
    """Every value equals its copy, and equality goes both ways."""
    assert equal(left, copy.deepcopy(left))
    assert equal(left, right) is equal(right, left)


@pytest.mark.parametrize(
    ("left", "right", "answer"),
    [
        (600, 600.0, True),
        (0, -0.0, True),
        (True, 1, False),
        (False, 0, False),
        (None, False, False),
        (None, MISSING, False),
        ("1", 1, False),
        ([], {}, False),
        ([True], [1], False),
        ([[0]], [[False]], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": None}, {}, False),
        ({"a": None}, {"b": None}, False),
        ([1, 2], [2, 1], False),
        (10**17 + 1, 1e17, False),
        (2**53 + 1, float(2**53), False),
        (0.1 + 0.2, 0.3, False),
        ("\N{LATIN SMALL LETTER E WITH ACUTE}", "e\N{COMBINING ACUTE ACCENT}", False),
        ("a", "a\N{ZERO WIDTH SPACE}", False),
    ],
)
def test_equal_is_strict(left: Any, right: Any, answer: bool) -> None:
    """Faults 38 and 39: the pairs that comparisons get wrong most often."""
    assert equal(left, right) is answer
    assert equal(right, left) is answer


def test_nan_equals_nothing() -> None:
    """Not even itself, by identity, inside a container."""
    nan = math.nan
    assert not equal(nan, nan)
    assert not equal([nan], [nan])
    assert not equal({"a": nan}, {"a": nan})


def pickled(value: Any) -> Any:
    """A value that has been through a pickle."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301  - our own bytes


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled])
def test_missing_is_one(again: Callable[[Any], Any]) -> None:
    """`MISSING` stays the one object through copies and pickles, and is false."""
    assert again(MISSING) is MISSING
    assert again([MISSING])[0] is MISSING
    assert not MISSING
    assert repr(MISSING) == "MISSING"


@FIXED
@given(VALUES)
def test_copy_json_copies(value: Any) -> None:
    """A copy is equal and shares no container."""
    copied = copy_json(value)
    assert types_of(copied) == types_of(value)
    assert equal(copied, value)
    containers = [item for item in (copied, value) if isinstance(item, dict | list)]
    assert len(containers) == len({id(item) for item in containers})


@pytest.mark.parametrize(
    ("value", "flat"),
    [({}, True), ({"a": 1, "b": None, "c": "x"}, True), ({"a": []}, False), ({"a": {}}, False)],
)
def test_is_flat(value: dict[str, Any], flat: bool) -> None:
    """A dict is flat where it holds scalars only."""
    assert is_flat(value) is flat


@pytest.mark.parametrize(
    ("value", "name", "number"),
    [
        ({}, "object", False),
        ([], "array", False),
        ("1", "string", False),
        (True, "boolean", False),
        (1, "integer", True),
        (1.0, "number", True),
        (None, "null", False),
        (MISSING, "missing", False),
    ],
)
def test_kinds(value: Any, name: str, number: bool) -> None:
    """Each value has its JSON name, and a bool is no number."""
    assert (type_name(value), is_number(value)) == (name, number)


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ([], ""),
        (["a", "b"], "a.b"),
        (["items", 0, "name"], "items[0].name"),
        ([0, 1], "[0][1]"),
        (["a", "x.y", ""], 'a["x.y"][""]'),
        (["birch ply", " b"], 'birch ply[" b"]'),
    ],
)
def test_dotted(steps: list[str | int], text: str) -> None:
    """Names stand behind dots, indexes and odd names in brackets."""
    assert dotted(steps) == text


NAMES = st.text(max_size=3) | st.text(alphabet="$.[]*()'\"\\ \n0-a", min_size=1, max_size=4)


@FIXED
@given(st.lists(NAMES | st.integers(0, 2), max_size=4))
def test_dotted_is_a_path(steps: list[str | int]) -> None:
    """What is written as a path is one: it leads to the place that it was written for."""
    document: Any = "here"
    for step in reversed(steps):
        document = {step: document} if isinstance(step, str) else [None] * step + [document]
    assert compile_path(dotted(steps)).resolve(document) == "here"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("abc", "'abc'"),
        ("x" * 100, f"'{'x' * 78}…"),
        (Unprintable(), "<Unprintable whose repr raised RuntimeError>"),
    ],
)
def test_brief(value: object, text: str) -> None:
    """A value is shown by its repr, cut at eighty characters, whatever its repr does."""
    assert brief(value) == text
