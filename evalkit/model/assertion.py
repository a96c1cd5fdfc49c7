"""What an assertion is: a path, an operator, and what is expected."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Literal

import attrs
from attrs import field

from evalkit.jsonvalue import BIG, LOW, MISSING, Json, copy_json, refuse
from evalkit.model import fields

EACH = ("all", "any")
SEVERITIES = ("fail", "warn")


class Op(StrEnum):
    """The operators; each is its lower-case string, and what they mean is in `operators`."""

    EQ = "eq"
    NE = "ne"
    APPROX = "approx"
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"
    BETWEEN = "between"
    IN = "in"
    NOT_IN = "not_in"
    CONTAINS = "contains"
    NOT_CONTAINS = "not_contains"
    CONTAINS_ALL = "contains_all"
    CONTAINS_ANY = "contains_any"
    EXISTS = "exists"
    HAS_KEY = "has_key"
    LACKS_KEY = "lacks_key"
    LEN_EQ = "len_eq"
    LEN_GTE = "len_gte"
    LEN_LTE = "len_lte"
    SAME_ITEMS = "same_items"
    IS_TRUE = "is_true"
    IS_FALSE = "is_false"
    IS_NULL = "is_null"
    TYPE_IS = "type_is"
    MATCHES = "matches"
    NOT_MATCHES = "not_matches"
    SCHEMA = "schema"
    SUBSET = "subset"
    NO_ERRORS = "no_errors"
    NO_WARNINGS = "no_warnings"
    HAS_ERROR = "has_error"
    HAS_WARNING = "has_warning"
    EXACT_MATCH = "exact_match"
    F1 = "f1"
    SIMILAR = "similar"
    NUMERIC = "numeric"
    SEMANTIC = "semantic"
    CALLS = "calls"
    CALLS_IN_ORDER = "calls_in_order"
    CALLS_EXACTLY = "calls_exactly"
    CALLS_ANY_ORDER = "calls_any_order"
    CALLS_ONLY = "calls_only"
    NEVER_CALLS = "never_calls"
    CALL_ARGS = "call_args"
    HYGIENE = "hygiene"

    __hash__ = str.__hash__
    """Hash as the string it equals: the operator table is looked up by either."""


_BY_TEXT = {op.value: op for op in Op}


def _ref_name(value: str) -> str:
    return fields.text("Ref.name", value)


@attrs.frozen
class Ref:
    """A value that an earlier call saved, wherever it stands in `args` or as `expected`.

    >>> Ref("order_id")
    Ref(name='order_id')
    """

    name: str = field(converter=_ref_name)


def refs(value: Json) -> Iterator[str]:
    """Yield the names of the saved values that stand in a value."""
    kind = type(value)
    if kind is Ref:
        yield value.name
    elif kind is dict:
        for item in value.values():
            yield from refs(item)
    elif kind is list:
        for item in value:
            yield from refs(item)


def filled(value: Json, saved: Mapping[str, Json]) -> Json:
    """Copy a value with every `Ref` replaced by what was saved under its name."""
    kind = type(value)
    if kind is Ref:
        return copy_json(saved[value.name])
    if kind is dict:
        return {key: filled(item, saved) for key, item in value.items()}
    if kind is list:
        return [filled(item, saved) for item in value]
    return value


def allow_ref(value: object) -> Any:  # noqa: ANN401
    """Let a `Ref` stand in a JSON value; refuse anything else that is none."""
    return value if type(value) is Ref else refuse(value)


def _allow_operand(value: object) -> Any:  # noqa: ANN401
    """Let a `Ref` stand in what is expected; tool calls and assertions are written as data."""
    as_data = getattr(type(value), "as_data", None)
    return allow_ref(value) if as_data is None else as_data(value)


def _op(value: Op | str) -> Op | str:
    """Take an operator or its string, in either case; another name is the author's own."""
    if type(value) is Op:
        return value
    name = fields.text("Assertion.op", value).lower()
    return _BY_TEXT.get(name, name)


_AS_IS = frozenset({str, bool, type(None), type(MISSING), Ref})


def _expected(value: object) -> Any:  # noqa: ANN401
    kind = type(value)
    if kind in _AS_IS:
        return value
    if (kind is int or kind is float) and LOW < value < BIG:  # type: ignore[operator]
        return value
    return fields.json_value("Assertion.expected", value, _allow_operand)


@attrs.frozen
class Assertion:
    """What must hold: the value at `path` of a document, under an operator, against `expected`.

    `each` puts the operator to every value of a path that selects many: all of them, or any.
    `tolerance` (absolute) and `rel` (a share of the expected value) are for APPROX and NUMERIC.
    `threshold` is the score, above 0 and up to 1, from which a text operator holds; `normalize`
    names what is done to both texts first, and `extract` what is taken out of the answer before
    that. `weight` counts in the score, 0 not at all; `severity="warn"` reports without changing the
    verdict.

    >>> Assertion("summary.errors", Op.EQ, 0).path
    'summary.errors'
    """

    path: str
    op: Op | str = field(converter=_op)
    expected: Any = field(default=MISSING, converter=_expected)
    description: str = ""
    each: Literal["all", "any"] | None = field(default=None, kw_only=True)
    tolerance: float | None = field(default=None, kw_only=True)
    rel: float | None = field(default=None, kw_only=True)
    threshold: float | None = field(default=None, kw_only=True)
    normalize: str | None = field(default=None, kw_only=True)
    extract: str | None = field(default=None, kw_only=True)
    weight: float = field(default=1.0, kw_only=True)
    severity: Literal["fail", "warn"] = field(default="fail", kw_only=True)

    def __attrs_post_init__(self) -> None:
        """Check what has no converter; the rarely used fields only where one of them was used."""
        if type(self.path) is not str or type(self.description) is not str:
            fields.prose("Assertion.path", self.path)
            fields.prose("Assertion.description", self.description)
        texts = self.threshold, self.normalize, self.extract
        rest = self.each, self.tolerance, self.rel, *texts, self.weight, self.severity
        if rest != USUAL or type(self.weight) is bool:
            _check_unusual(self)

    @property
    def rare(self) -> tuple[Any, ...]:
        """Give the fields that are rarely used, in the order of `RARE`."""
        return (
            self.each,
            self.tolerance,
            self.rel,
            self.threshold,
            self.normalize,
            self.extract,
            self.weight,
            self.severity,
        )

    def but(self, **changes: Any) -> "Assertion":  # noqa: ANN401
        """Give a copy with some fields changed."""
        return attrs.evolve(self, **changes)

    def as_data(self) -> dict[str, Any]:
        """Give it as data, as it stands where another assertion expects it."""
        said = {"path": self.path, "op": str(self.op), "description": self.description}
        said |= {} if self.expected is MISSING else {"expected": self.expected}
        changed = zip(RARE, self.rare, USUAL, strict=True)
        return said | {name: value for name, value, usual in changed if value != usual}


def assertion_of(path: str, op: Op, expected: Json, description: str, weight: float) -> Assertion:
    """Make an assertion of our own of values that have been checked and copied before."""
    made = Assertion(path, op, description=description)
    object.__setattr__(made, "expected", expected)
    object.__setattr__(made, "weight", weight)
    return made


RARE = ("each", "tolerance", "rel", "threshold", "normalize", "extract", "weight", "severity")
"""The fields that most assertions leave as they are."""
USUAL = (None, None, None, None, None, None, 1.0, "fail")
"""What these are, where they are left."""


def _check_unusual(assertion: Assertion) -> None:
    if assertion.each is not None:
        fields.one_of("Assertion.each", assertion.each, EACH)
    if assertion.tolerance is not None:
        fields.positive("Assertion.tolerance", assertion.tolerance)
    if assertion.rel is not None:
        fields.positive("Assertion.rel", assertion.rel)
    if assertion.threshold is not None:
        fields.share("Assertion.threshold", assertion.threshold)
    if assertion.normalize is not None:
        fields.normaliser("Assertion.normalize", assertion.normalize)
    if assertion.extract is not None:
        fields.extract("Assertion.extract", assertion.extract)
    fields.not_negative("Assertion.weight", assertion.weight)
    fields.one_of("Assertion.severity", assertion.severity, SEVERITIES)
