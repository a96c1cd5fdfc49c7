"""The memory of the order desk's agent: what was mentioned, and what the last call came to."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

NUMBERS = {
    "zero": 0,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirty": 30,
}
NUMBER = rf"(?:\d{{1,3}}|{'|'.join(NUMBERS)})\b"
SKU = r"\(([a-z][a-z0-9-]*)\)"
VOUCHER = r"(?-i:\b[A-Z]{4,}\d\d\b)"
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


class UnableError(Exception):
    """A request that can't be met: the desk refused it, or something was never said."""


class Notes(dict[str, Any]):
    """What was mentioned so far, by kind; who looks up what was not, is unable to go on."""

    def __missing__(self, kind: str) -> Any:  # noqa: ANN401
        """Ask for it."""
        raise UnableError(f"I was not told the {kind}")


class Clerk:
    """Someone at work on one conversation, with tools at hand and notes of what was said."""

    def __init__(self, tools: Mapping[str, Callable[..., Any]]) -> None:
        self.notes = Notes()
        self.was_refused = False
        self._tools = tools

    def read(self, clause: str) -> None:
        """Note what a clause mentions; a later mention of a kind takes the place of an earlier."""
        for kind, pattern, value_of in MENTIONS:
            found = list(re.finditer(pattern, clause, re.IGNORECASE))
            if found:
                self.notes[kind] = value_of(found)
            if found and kind == "email":
                self.notes.pop("customer", None)

    def call(self, tool: str, **args: Any) -> dict[str, Any]:  # noqa: ANN401
        """Call a tool with the arguments that are known, and pass its refusal on."""
        given = {name: value for name, value in args.items() if value is not None}
        self.was_refused = True
        try:
            document: dict[str, Any] = self._tools[tool](**given)
        except (LookupError, ValueError) as refusal:
            raise UnableError(str(refusal)) from refusal
        self.was_refused = False
        return document


def number(word: str) -> int:
    """A number, in digits or as a word."""
    return int(word) if word.isdecimal() else NUMBERS[word.lower()]


Matches = Sequence[re.Match[str]]


def order_ids(found: Matches) -> list[int]:
    """Every number of an order, as in "the orders 1004 and 1009"."""
    return [int(digits) for match in found for digits in re.findall(r"\d+", match[0])]


def quantities(found: Matches) -> dict[str, int]:
    """Pieces by SKU, as in "two blue cups (cup-blue)"."""
    return {match[2]: number(match[1]) for match in found}


def month(found: Matches) -> str:
    """A month as the desk writes it, as in "May 2024"."""
    return f"{found[0][2]}-{MONTHS.index(found[0][1].lower()) + 1:02}"


MENTIONS: tuple[tuple[str, str, Callable[[Matches], Any]], ...] = (
    ("email", r"\S+@[\w.-]+\w", lambda found: found[0][0]),
    ("customer", r"\bcustomer (\d+)", lambda found: int(found[0][1])),
    ("orders", r"\borders? \d{4}( and \d{4})*", order_ids),
    ("items", rf"\b({NUMBER})(?:(?! {NUMBER})[^()])*{SKU}", quantities),
    ("sku", rf"{SKU}|\b([a-z]+-[a-z0-9]+)\b", lambda found: found[0][1] or found[0][2]),
    ("voucher", VOUCHER, lambda found: found[0][0]),
    ("month", rf"\b({'|'.join(MONTHS)})[a-z]* (\d{{4}})\b", month),
    ("month", r"\b\d{4}-\d\d\b", lambda found: found[0][0]),
    ("reason", r"\bbroken\b", lambda _: "broken"),
    ("reason", r"\blate\b", lambda _: "late"),
    ("reason", r"changed my mind", lambda _: "changed_mind"),
    ("reason", r"wrong item", lambda _: "wrong_item"),
)
"""What is understood without a question: its kind, how it is said, and what it means."""
