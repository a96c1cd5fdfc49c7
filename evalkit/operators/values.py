"""The operators on values: JSON equality, no coercion, and a no for a type they are not for."""

from functools import lru_cache
from typing import Any

from evalkit.jsonvalue import Json, brief, equal, is_number, type_name
from evalkit.model import Assertion
from evalkit.operators.difference import differences, first_difference
from evalkit.operators.verdicts import HOLDS, fails, wrong_type
from evalkit.protocols import Context
from evalkit.result import Verdict

DEFAULT_TOLERANCE = 0.15
EXACT = 2**53
"""Above this, a float is a whole number and an integer may be no float."""
MATCH_TIMEOUT_S = 1.0
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def eq(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the value equals the expected one as JSON."""
    if equal(actual, assertion.expected):
        return HOLDS
    return fails(first_difference(assertion.expected, actual))


def ne(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the value does not equal the expected one, of whatever types they are."""
    return HOLDS if not equal(actual, assertion.expected) else fails(f"it is {brief(actual)}")


def approx(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where |actual - expected| < tolerance (0.15), or within `rel` times |expected|."""
    if not is_number(actual):
        return wrong_type("a number", actual)
    off = _distance(actual, assertion.expected)
    bound = _allowed(assertion)
    if off < bound or off == 0:
        return HOLDS
    return fails(f"got {brief(actual)}, off by {brief(off)}, allowed below {brief(bound)}")


def _allowed(assertion: Assertion) -> float:
    """Give the distance below which a value is near enough."""
    if assertion.rel is None:
        return DEFAULT_TOLERANCE if assertion.tolerance is None else assertion.tolerance
    size: float = abs(assertion.expected)
    share = int(assertion.rel * EXACT) * size // EXACT if size > EXACT else assertion.rel * size
    return max(assertion.tolerance or 0.0, share)


def _distance(left: float, right: float) -> float:
    """Give |left - right|, exactly: a float beyond 2^53 is a whole number, and taken as one."""
    if abs(left) > EXACT or abs(right) > EXACT:
        return abs(int(left) - int(right))
    return abs(left - right)


def _comparable(actual: Json, expected: Json) -> bool:
    if type(expected) is str:
        return type(actual) is str
    return is_number(actual) and is_number(expected)


def _ordered(actual: Json, expected: Json) -> Verdict:
    wanted = "a string" if type(expected) is str else "a number"
    return wrong_type(f"{wanted} to compare with {brief(expected)}", actual)


def gt(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the value is above the expected one."""
    expected = assertion.expected
    if not _comparable(actual, expected):
        return _ordered(actual, expected)
    return HOLDS if actual > expected else fails(f"{brief(actual)} is not above {brief(expected)}")


def gte(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the value is the expected one or above."""
    expected = assertion.expected
    if not _comparable(actual, expected):
        return _ordered(actual, expected)
    return HOLDS if actual >= expected else fails(f"{brief(actual)} is below {brief(expected)}")


def lt(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the value is below the expected one."""
    expected = assertion.expected
    if not _comparable(actual, expected):
        return _ordered(actual, expected)
    return HOLDS if actual < expected else fails(f"{brief(actual)} is not below {brief(expected)}")


def lte(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the value is the expected one or below."""
    expected = assertion.expected
    if not _comparable(actual, expected):
        return _ordered(actual, expected)
    return HOLDS if actual <= expected else fails(f"{brief(actual)} is above {brief(expected)}")


def between(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where low <= value <= high."""
    low, high = assertion.expected
    if not _comparable(actual, low) or not _comparable(actual, high):
        return _ordered(actual, low)
    if low <= actual <= high:
        return HOLDS
    return fails(f"{brief(actual)} is outside {brief(low)} to {brief(high)}")


def among(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the value equals one of the expected ones."""
    if any(equal(actual, one) for one in assertion.expected):
        return HOLDS
    return fails(f"{brief(actual)} is none of {brief(assertion.expected)}")


def not_among(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the value equals none of the expected ones."""
    found = any(equal(actual, one) for one in assertion.expected)
    return HOLDS if not found else fails(f"{brief(actual)} is one of {brief(assertion.expected)}")


def _has(container: Json, member: Json) -> bool | None:
    """Say whether a list has a member, a text a part, an object a key; None where it can't be."""
    kind = type(container)
    if kind is list:
        return any(equal(item, member) for item in container)
    if kind is str or kind is dict:
        return member in container if type(member) is str else None
    return None


def contains(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the list has the member, the text the part, or the object the key."""
    return _contained(actual, [assertion.expected], every=True)


def contains_all(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where all the expected ones are contained."""
    return _contained(actual, assertion.expected, every=True)


def contains_any(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where at least one of the expected ones is contained."""
    return _contained(actual, assertion.expected, every=False)


def _contained(actual: Json, members: list[Json], *, every: bool) -> Verdict:
    found = [_has(actual, member) for member in members]
    if None in found and (every or not any(found)):
        return _uncontainable(actual, members[found.index(None)])
    if all(found) if every else any(found):
        return HOLDS
    absent = [brief(one) for one, there in zip(members, found, strict=True) if not there]
    verb = "is" if len(members) == 1 else "are"
    return fails(f"{', '.join(absent)} {verb} not in {brief(actual)}")


def _uncontainable(actual: Json, member: Json) -> Verdict:
    if type(actual) in (str, dict):
        return fails(f"a {type_name(actual)} can only contain a string, not {brief(member)}")
    return wrong_type("an array, a string or an object", actual)


def not_contains(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where a list, text or object is there and does not contain the expected one."""
    found = _has(actual, assertion.expected)
    if found is None:
        return _uncontainable(actual, assertion.expected)
    return HOLDS if not found else fails(f"{brief(assertion.expected)} is in {brief(actual)}")


def exists(_actual: Json, _assertion: Assertion, _: Context) -> Verdict:
    """Hold: a path that does not resolve never gets this far."""
    return HOLDS


def has_key(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the object has the key; without a key, where the path resolves."""
    key = assertion.expected
    if type(key) is not str:
        return HOLDS
    if type(actual) is not dict:
        return wrong_type("an object", actual)
    return HOLDS if key in actual else fails(f"no key {key!r} among {brief(list(actual))}")


def lacks_key(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the object is there and has no such key."""
    if type(actual) is not dict:
        return wrong_type("an object", actual)
    key = assertion.expected
    return HOLDS if key not in actual else fails(f"the key {key!r} is there")


def _length(actual: Json) -> int | None:
    return len(actual) if type(actual) in (list, dict, str) else None


def len_eq(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the length is the expected one."""
    length = _length(actual)
    if length is None:
        return wrong_type("an array, an object or a string", actual)
    return (
        HOLDS if length == assertion.expected else fails(f"its length is {length}: {brief(actual)}")
    )


def len_gte(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the length is the expected one or more."""
    length = _length(actual)
    if length is None:
        return wrong_type("an array, an object or a string", actual)
    return (
        HOLDS if length >= assertion.expected else fails(f"its length is {length}: {brief(actual)}")
    )


def len_lte(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the length is the expected one or less."""
    length = _length(actual)
    if length is None:
        return wrong_type("an array, an object or a string", actual)
    return (
        HOLDS if length <= assertion.expected else fails(f"its length is {length}: {brief(actual)}")
    )


def same_items(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the list has the same items as often, in whatever order."""
    if type(actual) is not list:
        return wrong_type("an array", actual)
    left = list(actual)
    absent = []
    for one in assertion.expected:
        at = next((index for index, item in enumerate(left) if equal(item, one)), None)
        absent += [one] if at is None else []
        if at is not None:
            del left[at]
    reasons = [f"missing {brief(absent)}"] * bool(absent) + [f"not expected {brief(left)}"] * bool(
        left
    )
    return HOLDS if not reasons else fails("; ".join(reasons))


def is_true(actual: Json, _assertion: Assertion, _: Context) -> Verdict:
    """Hold where the value is truthy: not false, 0, null, nor empty."""
    return HOLDS if bool(actual) else fails(f"{brief(actual)} is not truthy")


def is_false(actual: Json, _assertion: Assertion, _: Context) -> Verdict:
    """Hold where the value is there and not truthy."""
    return HOLDS if not actual else fails(f"{brief(actual)} is truthy")


def is_null(actual: Json, _assertion: Assertion, _: Context) -> Verdict:
    """Hold where null is stored at the path."""
    return HOLDS if actual is None else fails(f"it is {brief(actual)}")


def type_is(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the value is of the JSON type; an integer is a number too."""
    allowed = TYPES[assertion.expected]
    return (
        HOLDS
        if type(actual) in allowed
        else fails(f"it is the {type_name(actual)} {brief(actual)}")
    )


@lru_cache(maxsize=1_024)
def pattern(text: str) -> Any:  # noqa: ANN401
    """Compile a pattern, once for each text; `regex.error` where it is none."""
    import regex  # noqa: PLC0415  - 30 ms, only where a pattern is used

    return regex.compile(text)


def matches(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the pattern is found anywhere in the text; over a second is an error."""
    if type(actual) is not str:
        return wrong_type("a string", actual)
    found = pattern(assertion.expected).search(actual, timeout=MATCH_TIMEOUT_S)
    return HOLDS if found is not None else fails(f"no match in {brief(actual)}")


def not_matches(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where a text is there and the pattern is found nowhere in it."""
    if type(actual) is not str:
        return wrong_type("a string", actual)
    found = pattern(assertion.expected).search(actual, timeout=MATCH_TIMEOUT_S)
    return HOLDS if found is None else fails(f"{brief(found.group())} matches in {brief(actual)}")


def subset(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the expected value is contained: its keys at every depth, lists item by item."""
    shared = _restricted(actual, assertion.expected)
    if equal(shared, assertion.expected):
        return HOLDS
    found = differences(assertion.expected, shared, 1)
    return fails(str(found[0]) if found else f"got {brief(actual)}")


def _restricted(actual: Json, expected: Json) -> Json:
    """Leave out of a value what is not asked for."""
    if type(actual) is dict and type(expected) is dict:
        return {
            key: _restricted(actual[key], item) for key, item in expected.items() if key in actual
        }
    if type(actual) is list and type(expected) is list and len(actual) == len(expected):
        return [_restricted(item, one) for item, one in zip(actual, expected, strict=True)]
    return actual
