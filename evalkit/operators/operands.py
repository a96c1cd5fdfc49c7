"""What each operator accepts as `expected`, checked when planned.

Nothing reaches a run that can't fail, can't pass, or would raise.
"""

from collections.abc import Callable
from typing import Any

import attrs

from evalkit.jsonvalue import MISSING, Json, brief, is_number
from evalkit.model import Assertion, Ref, refs
from evalkit.operators.schema import schema_flaw
from evalkit.operators.values import TYPES, pattern
from evalkit.registry import hint_for

SMALL = 1.5


@attrs.frozen(eq=False, repr=False)
class Flaw:
    """What is wrong with an assertion's operand; a warning where it may be meant."""

    problem: str
    hint: str | None = None
    warning: bool = False


Rule = Callable[[Assertion], Flaw | None]


def given(accept: Rule) -> Rule:
    """Ask for an operand; a `Ref` stands for one that is known only in the run."""

    def rule(assertion: Assertion) -> Flaw | None:
        expected = assertion.expected
        if expected is MISSING:
            return Flaw("has no expected value", "say what it is compared with; None means null")
        return None if type(expected) is Ref else accept(assertion)

    return rule


def _given(accept: Callable[[Any], Flaw | None]) -> Rule:
    """Ask for an operand that is good by itself, whatever else the assertion says."""
    return given(lambda assertion: accept(assertion.expected))


def none_needed(assertion: Assertion) -> Flaw | None:
    """Take no operand; None and True may stand there."""
    if assertion.expected in (MISSING, None) or assertion.expected is True:
        return None
    return Flaw(f"takes no expected value, got {brief(assertion.expected)}", "leave it out")


def truthiness(*, wanted: bool) -> Rule:
    """Take no operand; one that is given is taken as the description, with a warning."""

    def rule(assertion: Assertion) -> Flaw | None:
        expected = assertion.expected
        if expected is MISSING or expected is None:
            return None
        if type(expected) is bool and expected is not wanted:
            return Flaw(f"contradicts the expected {expected!r}", "is_true and is_false take none")
        problem = f"takes no expected value; {brief(expected)} is taken as the description"
        return Flaw(problem, "give it as description=", warning=True)

    return rule


TRUE, FALSE = truthiness(wanted=True), truthiness(wanted=False)


def optional_key(assertion: Assertion) -> Flaw | None:
    """Take a key, or None or True for mere existence."""
    expected = assertion.expected
    if expected is MISSING or expected is None or expected is True or type(expected) in (str, Ref):
        return None
    return Flaw(f"expected a key, got {brief(expected)}", "a string; None or True for any value")


def optional_text(assertion: Assertion) -> Flaw | None:
    """Take the name of a check, or nothing."""
    expected = assertion.expected
    if expected is MISSING or expected is None or type(expected) in (str, Ref):
        return Flaw("the name of the check is blank") if expected == "" else None
    return Flaw(f"expected the name of a check, got {brief(expected)}", "a string, or nothing")


anything = _given(lambda _: None)


def _text(expected: Json) -> Flaw | None:
    if type(expected) is not str:
        return Flaw(f"expected a string, got {brief(expected)}")
    return None


key = _given(_text)


def _number(expected: Json) -> Flaw | None:
    if is_number(expected):
        return None
    return Flaw(f"expected a number, got {brief(expected)}")


def _orderable(expected: Json) -> Flaw | None:
    if is_number(expected) or type(expected) is str:
        return None
    return Flaw(f"expected a number or a string, got {brief(expected)}")


ordering = _given(_orderable)


def _below(expected: Json) -> Flaw | None:
    if expected == "" and type(expected) is str:
        return Flaw("no string is below ''")
    return _orderable(expected)


below = _given(_below)


def _at_least(expected: Json) -> Flaw | None:
    if is_number(expected) and expected == 0:
        return Flaw(
            "0 or more holds for every count", "assert the bound that is meant", warning=True
        )
    if expected == "" and type(expected) is str:
        return Flaw("every string is '' or above", "assert the bound that is meant")
    return _orderable(expected)


at_least = _given(_at_least)


number = _given(_number)


def approximate(assertion: Assertion) -> Flaw | None:
    """Take a number; a small one without a tolerance is nearly always met."""
    flaw = number(assertion)
    expected = assertion.expected
    bounded = assertion.tolerance is not None or assertion.rel is not None
    if flaw or bounded or not is_number(expected) or abs(expected) >= SMALL:
        return flaw
    problem = f"the default tolerance 0.15 is large for {expected!r}"
    return Flaw(problem, "give tolerance= or rel=", warning=True)


def _pair(expected: Json) -> Flaw | None:
    if type(expected) is not list or len(expected) != 2:  # noqa: PLR2004
        return Flaw(f"expected [low, high], got {brief(expected)}")
    low, high = expected
    if Ref in (type(low), type(high)):
        return None
    flaw = _orderable(low) or _orderable(high)
    if flaw is None and type(low) is not type(high) and not (is_number(low) and is_number(high)):
        return Flaw(f"expected two numbers or two strings, got {brief(expected)}")
    if flaw is None and low > high:
        return Flaw(f"{brief(low)} is above {brief(high)}, so nothing lies between")
    return flaw


pair = _given(_pair)


def _choices(empty: str) -> Rule:
    def accept(expected: Json) -> Flaw | None:
        if type(expected) is not list:
            return Flaw(f"expected a list, got {brief(expected)}")
        return None if expected else Flaw(empty)

    return _given(accept)


choices = _choices("the list is empty, so nothing can be one of it")
exclusions = _choices("the list is empty, so everything is none of it")


def _members(empty: str) -> Rule:
    def accept(expected: Json) -> Flaw | None:
        if type(expected) is not list:
            return Flaw(f"expected a list, got {brief(expected)}")
        if "" in expected:
            return Flaw("'' is in every string")
        return None if expected else Flaw(empty)

    return _given(accept)


all_members = _members("the list is empty, so everything contains all of it")
any_member = _members("the list is empty, so nothing contains any of it")


def _member(expected: Json) -> Flaw | None:
    if expected == "" and type(expected) is str:
        return Flaw("'' is in every string", "say what is to be found")
    return None


member = _given(_member)
items = _given(lambda e: None if type(e) is list else Flaw(f"expected a list, got {brief(e)}"))


def _length(expected: Json) -> Flaw | None:
    if type(expected) is int and expected >= 0:
        return None
    return Flaw(f"expected a length, got {brief(expected)}", "a whole number, 0 or more")


length = _given(_length)


def _least_length(expected: Json) -> Flaw | None:
    if expected == 0 and type(expected) is int:
        return Flaw("every length is 0 or more", "assert 1 or more, or LEN_EQ 0")
    return _length(expected)


least_length = _given(_least_length)


def _type(expected: Json) -> Flaw | None:
    if type(expected) is str and expected in TYPES:
        return None
    return Flaw(f"unknown type {brief(expected)}", hint_for(str(expected), TYPES))


type_name = _given(_type)


def _pattern(expected: Json) -> Flaw | None:
    if type(expected) is not str:
        return Flaw(f"expected a pattern, got {brief(expected)}")
    try:
        compiled = pattern(expected)
    except Exception as error:  # noqa: BLE001  - regex.error, which is not imported before it is needed
        return Flaw(f"{expected!r} is no pattern: {error}")
    if compiled.search("") and compiled.search("\N{SNOWMAN}\n"):
        return Flaw(
            f"{expected!r} matches every string", "anchor it, or ask for at least one character"
        )
    return None


matching = _given(_pattern)


_ANNOTATIONS = frozenset(
    {"$schema", "$id", "$comment", "title", "description", "default", "examples", "$defs"}
)


def _schema(expected: Json) -> Flaw | None:
    if type(expected) is not dict:
        return Flaw(f"expected a JSON Schema, got {brief(expected)}", "an object")
    if next(refs(expected), None) is not None:
        return Flaw("a schema holds no saved values", "save the whole schema, or write it out")
    if _ANNOTATIONS.issuperset(expected):
        return Flaw("the schema accepts everything", "say at least its type")
    problem = schema_flaw(expected)
    return None if problem is None else Flaw(problem)


schema = _given(_schema)


def _part(expected: Json) -> Flaw | None:
    if type(expected) not in (dict, list):
        return Flaw(
            f"expected an object or a list, got {brief(expected)}", "EQ compares whole values"
        )
    if expected == {}:
        return Flaw("{} is contained in every object", "TYPE_IS 'object' says that much")
    return None


part = _given(_part)
