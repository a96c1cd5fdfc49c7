"""Inspect: samples with an input and a target, judged as its `match` and `choice` scorers do."""

import re
import string
from collections.abc import Iterator, Mapping

from evalkit.datasets.dataset import Dataset, Record, ScenarioData
from evalkit.datasets.reading import (
    Part,
    gold,
    golds,
    has,
    known,
    name,
    note,
    parts,
    scenario,
    settled,
    text,
    whole,
)
from evalkit.datasets.rules import on_response, recorded, says_nothing
from evalkit.jsonvalue import Json, brief

ROLES = ("system", "user", "assistant")
LETTERS = string.ascii_uppercase
NOT_HONOURED = ("sandbox", "files", "setup", "checkpoint")
"""Fields that change what is measured, and that evalkit can't follow."""

FIELDS = {
    "id": "name; without it `sample_0`, by the sample's place in the file",
    "input": "prompt: a text, or messages",
    "input[].role": "the turn's role: `system`, `user` or `assistant`",
    "input[].content": "the turn's content: a text, or parts of text, which are joined by newlines",
    "input[].content[].type": "`text`; another kind of part is refused",
    "input[].content[].text": "a line of the turn's content",
    "target": "the gold, or the golds; a number is taken as its decimal text",
    "choices": "the prompt's end, each with its letter; the target is then the letter of one",
    "description": "description",
    "metadata": "metadata",
    **dict.fromkeys(NOT_HONOURED, "refused, where it is not empty"),
}
CHOOSE = (
    "Answer the multiple choice question below. Your whole response must be 'ANSWER: LETTER' "
    "(without the quotes), where LETTER is one of {letters}."
)
"""What a prompt with choices begins with."""

_STRIPPED = string.whitespace + string.punctuation
_END = r"[\t-\r -/:-@\[-`{-~]*+[\s\x1c-\x1f]*+\Z"
"""What Inspect strips of the end: ASCII punctuation and blanks, and before that blanks of any kind.

Possessive, so that a response full of blanks takes no longer than it is long.
"""


def ends_with(targets: list[str]) -> str:
    r"""Give the pattern that is found where Inspect's `match` scorer says CORRECT.

    That is where a response ends with one of the targets, whatever the case, both stripped of
    blanks and ASCII punctuation. Two kinds of letters differ. One that folds to several counts as
    a whole: Inspect alone finds the target "s" at the end of "ß". The letters i of Turkish, with
    and without a dot, count as one: evalkit alone finds "i" at the end of "İ".

    >>> ends_with(["Paris."])[:12]
    '(?if)(?:Pari'
    """
    alternatives = "|".join(re.escape(target.strip().strip(_STRIPPED)) for target in targets)
    return f"(?if)(?:{alternatives}){_END}"


def scenarios(record: Record, number: int) -> Iterator[ScenarioData]:
    """Give the sample of a record, judged by the scorer that Inspect takes for its kind.

    Without choices, the response ends with the target (`match()`), with exact match and F1 beside
    it. With choices, what stands after `ANSWER:` is the letter of the target (`choice()`).
    """
    part = whole(record)
    known(part, FIELDS)
    for key in NOT_HONOURED:
        if part.data.get(key):
            problem = f"can't be honoured: {brief(part.data[key])}"
            note(part, key, problem, "leave the sample out, or take the field out of it")
    prompt = _input(part)
    targets = _targets(part)
    choices = golds(part, "choices") if part.data.get("choices") else []
    found = scenario(
        name=_named(part, number),
        prompt=_with_choices(prompt, choices) if choices else prompt,
        description=text(part, "description") if part.data.get("description") else "",
        metadata=_metadata(part),
        **(_choice(part, targets, choices) if choices else _match(part, targets)),
    )
    return settled(part, [found])


def _named(part: Part, number: int) -> str:
    if not has(part, "id"):
        return f"sample_{number}"
    value = part.data["id"]
    return str(value) if type(value) is int else name(part, "id")


def _metadata(part: Part) -> Json:
    metadata = part.data.get("metadata")
    if metadata is None or type(metadata) is dict:
        return metadata
    note(part, "metadata", f"expected an object, got {brief(metadata)}")
    return None


def _input(part: Part) -> str | list[dict[str, str]]:
    """Give the prompt of a sample: a text, or the turns of its messages."""
    if type(part.data.get("input")) is not list:
        return text(part, "input")
    turns = [_turn(message) for message in parts(part, "input")]
    if not turns or turns[-1]["role"] != "user":
        note(part, "input", "does not end with a message of the user", "that is what is answered")
    return turns


def _turn(part: Part) -> dict[str, str]:
    _only(part, "role", "content")
    role = text(part, "role")
    if role and role not in ROLES:
        note(part, "role", f"unknown role {role!r}", f"one of {', '.join(map(repr, ROLES))}")
    return {"role": role, "content": _content(part)}


def _only(part: Part, *keys: str) -> None:
    """Note what else a message or a part of it holds."""
    for key, value in part.data.items():
        if key not in keys and value:
            note(part, key, f"can't be honoured: {brief(value)}", f"only {' and '.join(keys)}")


def _content(part: Part) -> str:
    if type(part.data.get("content")) is not list:
        return text(part, "content")
    lines = []
    for piece in parts(part, "content"):
        _only(piece, "type", "text")
        if piece.data.get("type") == "text":
            lines.append(text(piece, "text"))
        else:
            kind = brief(piece.data.get("type"))
            note(piece, "type", f"a part of kind {kind} can't be sent", "only parts of text")
    if not lines:
        note(part, "content", "holds no text")
    return "\n".join(lines)


def _targets(part: Part) -> list[str]:
    if type(part.data.get("target")) is list:
        return golds(part, "target", numbers=True)
    return [gold(part, "target")]


def _match(part: Part, targets: list[str]) -> Mapping[str, Json]:
    """Judge a response by how it ends."""
    for target in filter(None, targets):
        left = target.strip().strip(_STRIPPED)
        if not left:
            hint = "Inspect takes any response for it"
            note(part, "target", f"nothing is left of {target!r} without its punctuation", hint)
        elif left != left.strip():
            note(part, "target", f"{target!r} has blanks of an unusual kind inside of punctuation")
    normalize = "raw" if any(map(says_nothing, targets)) else "squad"
    ends = on_response("matches", ends_with(targets), description="ends with the target")
    beside = [recorded(op, targets, normalize) for op in ("exact_match", "f1")]
    return {"assertions": [ends, *beside]}


def _choice(part: Part, targets: list[str], choices: list[str]) -> Mapping[str, Json]:
    """Judge a response by the letter after `ANSWER:`."""
    letters = LETTERS[: len(choices)]
    target = targets[0].strip().upper() if len(targets) == 1 else ""
    if len(choices) > len(LETTERS):
        note(part, "choices", f"there are {len(choices)}", f"at most {len(LETTERS)} have letters")
    elif len(target) != 1 or target not in letters:
        problem = f"expected the letter of one choice, got {brief(part.data.get('target'))}"
        note(part, "target", problem, f"one of {', '.join(letters)}")
    rule = {"match": "exact_match", "normalize": "basic", "extract": "after_answer"}
    return {"answers": {"golds": [target], **rule}}


def _with_choices(
    prompt: str | list[dict[str, str]], choices: list[str]
) -> str | list[dict[str, str]]:
    """Put the choices below the question, which is the last turn of the user."""
    if isinstance(prompt, list):
        *before, last = prompt or [{"role": "user", "content": ""}]
        return [*before, last | {"content": str(_with_choices(last["content"], choices))}]
    letters = LETTERS[: len(choices)]
    lettered = zip(LETTERS, choices, strict=False)
    listed = "\n".join(f"{letter}) {choice}" for letter, choice in lettered)
    return "\n\n".join([CHOOSE.format(letters=",".join(letters)), prompt, listed])


INSPECT = Dataset(
    name="inspect",
    about="samples of Inspect, with an input and a target",
    source="the JSON and CSV datasets of inspect_ai",
    fields=FIELDS,
    needs=(frozenset({"input", "target"}),),
    scenarios=scenarios,
)
