"""How a value becomes plain JSON: copied, of exact types, finite and bounded, or refused."""

import itertools
import json
import math
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

from evalkit.jsonvalue import MAX_DEPTH, MAX_SIZE, MISSING, NotJsonError, plain

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
    "key",
    [1, 1.5, None, True, (1,), b"a", Size.SMALL, Masked, Unprintable()],
    ids=lambda key: type(key).__name__,
)
def test_a_key_is_a_string(key: object) -> None:
    """A key that is no string is refused, never written as one: two keys could become one."""
    assert "is no string" in refusal({"a": [{"ok": 1, key: 2}]}).problem


@pytest.mark.parametrize("make", [lambda v: [v], lambda v: (v,), lambda v: {"k": v}])
def test_depth_is_bounded(make: Callable[[Any], Any]) -> None:
    """Fault 28: two hundred levels pass, one more is refused by a message, not by the stack."""
    plain(nested(MAX_DEPTH, make))
    told = f"deeper than {MAX_DEPTH} levels"
    assert told in refusal(nested(MAX_DEPTH + 1, make)).problem


def test_depth_is_bounded_among_many() -> None:
    """Fault 28: a value of many parts is no deeper for it."""
    wide: list[Any] = [[] for _ in range(MAX_DEPTH)]
    assert plain([wide, nested(MAX_DEPTH - 1)]) == [wide, nested(MAX_DEPTH - 1)]
    assert "deeper than" in refusal([wide, nested(MAX_DEPTH)]).problem


class Shifty(str):
    """A string that hashes otherwise each time it is asked."""

    __slots__ = ()
    hashes = itertools.count()

    def __hash__(self) -> int:
        """Give another number."""
        return next(self.hashes)

    def __eq__(self, other: object) -> bool:
        """Be nobody's equal."""
        return False


def test_a_key_that_hashes_otherwise_is_refused() -> None:
    """A key whose hash lies takes nobody in, and takes nothing down."""
    assert "no JSON value" in refusal({"a": {Shifty("b"): [1], "c": {}}}).problem


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
        ("[value]", 100_000, "nested deeper than"),
        ("(value,)", 100_000, "nested deeper than"),
        ("{'k': value}", 100_000, "nested deeper than"),
        ("[(value,)]", 100_000, "nested deeper than"),
        ("ring", 1, "nested deeper than"),
        ("knot", 1, "nested deeper than"),
        ("[value, value]", 40, "larger than"),
        ("(value, value)", 40, "larger than"),
        ("{'a': value, 'b': value}", 40, "larger than"),
        ("['x' * 1_000] * 9_000_000", 1, "larger than"),
        ("[['x' * 1_000] * 9_000_000]", 1, "larger than"),
        ("[['x' * 1_000_000] * 90_000]", 1, "larger than"),
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


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\udc00\ud800"], ids=ascii)
@pytest.mark.parametrize("wrap", [lambda t: t, lambda t: [t], lambda t: {t: 1}, lambda t: {"a": t}])
def test_half_a_character_is_refused(text: str, wrap: Callable[[str], object]) -> None:
    """A lone surrogate is no text: JSON would lose it, or join it with its neighbour."""
    assert "half of a surrogate pair" in refusal(wrap(text)).problem


def test_a_whole_character_is_no_half() -> None:
    """A letter beyond the first plane is a letter."""
    assert plain({"\U0001f600": "\U0001f600\ud7ff\ue000"}) == {
        "\U0001f600": "\U0001f600\ud7ff\ue000"
    }
