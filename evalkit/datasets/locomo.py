"""LoCoMo: questions about long conversations, as published, of zeph-bench, or of lean-ctx."""

from collections.abc import Iterator, Mapping

import attrs

from evalkit.datasets.dataset import Dataset, Record, ScenarioData
from evalkit.datasets.reading import (
    Part,
    gold,
    golds,
    has,
    kept,
    known,
    name,
    note,
    parts,
    scenario,
    settled,
    text,
    whole,
)
from evalkit.datasets.rules import on_response
from evalkit.jsonvalue import brief

ADVERSARIAL = "adversarial"
NOT_THERE = ["no information available", "not mentioned"]
"""What the official script wants to read in the response to an adversarial question."""

_PUBLISHED = {
    "qa[].question": "prompt",
    "qa[].answer": "the gold; a number is taken as its decimal text; of category 5: metadata",
    "qa[].category": "metadata, and tag: 1 `multi-hop`, 2 `temporal`, 3 `open-domain`, "
    "4 `single-hop`, 5 `adversarial`; of lean-ctx: 1 `single-hop`, 2 `multi-hop`, 3 `temporal`, "
    "4 `open-domain`, 5 `adversarial`",
    "qa[].evidence": "metadata",
    "qa[].adversarial_answer": "metadata",
    "conversation": "metadata of each question",
    "event_summary": "metadata of each question",
    "observation": "metadata of each question",
    "session_summary": "metadata of each question",
}
FIELDS = {
    "session_id": "name, with the question's index: `s1_0`",
    "sample_id": "name, with the question's index: `conv-26_0`",
    "id": "name, with the question's index: `trip_0`",
    "sessions": "metadata of each question",
    "qa[].answers": "the golds",
    **_PUBLISHED,
}
_SHARED = frozenset(field for field, becomes in FIELDS.items() if becomes.endswith("each question"))


@attrs.frozen
class Shape:
    """One shape of the records: the field that names them, their fields, what categories mean."""

    id: str
    fields: Mapping[str, str]
    categories: tuple[str, str, str, str, str]


_OFFICIAL = ("multi-hop", "temporal", "open-domain", "single-hop", ADVERSARIAL)
"""Not in the order of the paper: by the official script, and by the questions themselves."""
_LEAN_CTX = ("single-hop", "multi-hop", "temporal", "open-domain", ADVERSARIAL)
_LEAN_CTX_FIELDS = ("id", "sessions", "qa[].question", "qa[].answers", "qa[].category")

SHAPES = (
    Shape("sample_id", {"sample_id": FIELDS["sample_id"], **_PUBLISHED}, _OFFICIAL),
    Shape("session_id", {"session_id": FIELDS["session_id"], **_PUBLISHED}, _OFFICIAL),
    Shape("id", {field: FIELDS[field] for field in _LEAN_CTX_FIELDS}, _LEAN_CTX),
)


def scenarios(record: Record, _number: int) -> Iterator[ScenarioData]:
    """Give the questions of a conversation, named after it and their index, by their own rule.

    F1 of at least 0.5 over distinct tokens decides, as in zeph-bench; the published script stems
    words, so its means are not these. Adversarial questions are judged by that script's rule, and
    those of lean-ctx by lean-ctx's: a gold is contained in the response.
    """
    part = whole(record)
    shape = next((each for each in SHAPES if each.id in part.data), SHAPES[0])
    known(part, shape.fields)
    named = name(part, shape.id)
    shared = kept(part, *(field for field in shape.fields if field in _SHARED))
    found = [_question(each, named, shape, shared) for each in parts(part, "qa")]
    return settled(part, found)


def _question(part: Part, named: str, shape: Shape, shared: Record) -> ScenarioData:
    known(part, shape.fields)
    kind = _kind(part, shape) if has(part, "category") else None
    own = kept(part, "category", "evidence", "adversarial_answer")
    rule: Record = {}
    if kind == ADVERSARIAL and "qa[].answer" in shape.fields:
        own |= kept(part, "answer")
        said = "says that it is not there"
        wanted = on_response("contains_any", NOT_THERE, normalize="prose", description=said)
        rule["assertions"] = [wanted]
    else:
        rule["answers"] = _answers(part, shape)
    return scenario(
        name=f"{named}_{part.steps[-1]}",
        prompt=text(part, "question"),
        tags=[] if kind is None else [kind],
        metadata=own | shared,
        **rule,
    )


def _kind(part: Part, shape: Shape) -> str | None:
    """Give what a category means; some copies of the file have it as a text."""
    category = part.data["category"]
    kinds: dict[int | str, str] = {}
    for number, kind in enumerate(shape.categories, 1):
        kinds |= {number: kind, str(number): kind}
    if type(category) in (int, str) and category in kinds:
        return kinds[category]
    note(part, "category", f"unknown category {brief(category)}", "1 to 5")
    return None


def _answers(part: Part, shape: Shape) -> Record:
    if "qa[].answers" in shape.fields:
        return {"golds": golds(part, "answers"), "match": "contains", "normalize": "words"}
    rule = {"match": "f1", "threshold": 0.5, "normalize": "basic+distinct"}
    return {"golds": [gold(part, "answer")], **rule}


LOCOMO = Dataset(
    name="locomo",
    about="questions about long conversations",
    source="snap-research/locomo, zeph-bench's locomo.json, and lean-ctx's reference suite",
    fields=FIELDS,
    needs=tuple(
        frozenset(keys)
        for keys in ({"session_id", "qa"}, {"sample_id", "qa"}, {"id", "sessions", "qa"})
    ),
    scenarios=scenarios,
)
