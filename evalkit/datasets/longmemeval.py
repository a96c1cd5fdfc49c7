"""LongMemEval: questions about long chat histories, in the form of zeph-bench or as published."""

from collections.abc import Iterator

from evalkit.datasets.dataset import Dataset, Record, ScenarioData
from evalkit.datasets.reading import gold, has, kept, known, name, scenario, settled, text, whole
from evalkit.datasets.rules import on_response, recorded

ABSTENTION = "_abs"
"""How the id of a question ends that is to be turned down, for nothing was said about it."""

FIELDS = {
    "question_id": "name; where it ends in `_abs`, the tag `abstention`",
    "question": "prompt",
    "answer": "the gold; a number is taken as its decimal text",
    "question_type": "tag",
    "question_date": "metadata",
    "session_id": "metadata",
    "sessions": "metadata",
    "haystack_dates": "metadata",
    "haystack_session_ids": "metadata",
    "haystack_sessions": "metadata",
    "answer_session_ids": "metadata",
}
_KEPT = tuple(field for field, becomes in FIELDS.items() if becomes == "metadata")


def scenarios(record: Record, _number: int) -> Iterator[ScenarioData]:
    """Give the question of a record: exact match decides, F1 of the raw texts is beside it.

    That is zeph-bench's rule. The gold of an abstention question describes what is missing, so no
    response is likely to match it: leave the tag `abstention` out, or have those judged otherwise.
    """
    part = whole(record)
    known(part, FIELDS)
    named, answer = name(part, "question_id"), gold(part, "answer")
    tags = [text(part, "question_type")] if has(part, "question_type") else []
    if named.endswith(ABSTENTION):
        tags.append("abstention")
    found = scenario(
        name=named,
        prompt=text(part, "question"),
        tags=tags,
        metadata=kept(part, *_KEPT),
        assertions=[
            on_response("exact_match", answer, normalize="basic"),
            recorded("f1", answer, "raw+distinct"),
        ],
    )
    return settled(part, [found])


LONGMEMEVAL = Dataset(
    name="longmemeval",
    about="questions about long chat histories",
    source="xiaowu0162/longmemeval, and zeph-bench's longmemeval.jsonl",
    fields=FIELDS,
    needs=(
        frozenset({"question_id", "question", "answer", "sessions"}),
        frozenset({"question_id", "question", "answer", "question_type"}),
    ),
    scenarios=scenarios,
)
