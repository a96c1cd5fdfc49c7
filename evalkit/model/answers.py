"""What the gold answers to a prompt are, and what counts as having given one."""

from collections.abc import Iterable, Mapping
from typing import Literal

import attrs
from attrs import field

from evalkit.jsonvalue import brief, is_number
from evalkit.model import fields

Match = Literal["exact_match", "f1", "contains", "numeric", "similar", "semantic"]
MATCHES = ("exact_match", "f1", "contains", "numeric", "similar", "semantic")
SCORED = ("f1", "similar", "semantic")
"""The ways to match that give more than yes or no, and so have a threshold."""
Gold = str | int | float


def _golds(value: Iterable[Gold]) -> tuple[Gold, ...]:
    """Take gold answers: texts, or numbers where numbers are matched; at least one."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        fields.fail(
            "Answers.golds", f"expected a list of golds, got {brief(value)}", "put it in [ ]"
        )
    golds = tuple(value)
    if not golds:
        hint = "what nothing is held against is not measured"
        fields.fail("Answers.golds", "there is no gold answer", hint)
    for index, gold in enumerate(golds):
        if type(gold) is not str and not is_number(gold):
            problem = f"expected a gold answer, got {brief(gold)}"
            hint = f"a plain text, not {type(gold).__name__}"
            fields.fail(f"Answers.golds[{index}]", problem, hint)
    return tuple(fields.json_value("Answers.golds", golds))


def _match(value: Match) -> Match:
    return fields.one_of("Answers.match", value, MATCHES)  # type: ignore[return-value]


@attrs.frozen
class Answers:
    """The gold answers to a prompt: one of them is to be given, in the sense of `match`.

    `threshold`, `normalize` and `extract` are as in `Assertion`. Whichever way decides, exact match
    and F1 are recorded beside it. Golds may be numbers where `match` is numeric.

    >>> Answers(["Paris", "the city of Paris"], match="contains").match
    'contains'
    """

    golds: tuple[Gold, ...] = field(converter=_golds)
    match: Match = field(default="exact_match", converter=_match)
    threshold: float | None = field(default=None, kw_only=True)
    normalize: str | None = field(default=None, kw_only=True)
    extract: str | None = field(default=None, kw_only=True)

    def __attrs_post_init__(self) -> None:
        """Check what hangs together."""
        if self.threshold is not None:
            fields.share("Answers.threshold", self.threshold)
            if self.match not in SCORED:
                problem = f"{self.match!r} is met or not, and has no threshold"
                fields.fail("Answers.threshold", problem, f"for {', '.join(SCORED)}")
        if self.normalize is not None:
            fields.normaliser("Answers.normalize", self.normalize)
        if self.extract is not None:
            fields.extract("Answers.extract", self.extract)
        for index, gold in enumerate(self.golds):
            if self.match != "numeric" and not isinstance(gold, str):
                problem = f"expected a text, got {brief(gold)}"
                fields.fail(
                    f"Answers.golds[{index}]", problem, "write '...'; numbers are for numeric"
                )


def answers_of(value: "Iterable[Gold] | Answers | None") -> Answers | None:
    """Take gold answers as they are, or as a list of them."""
    return value if value is None or isinstance(value, Answers) else Answers(value)
