"""SQuAD: questions on a paragraph, as the official document or as flat rows."""

from collections.abc import Iterator

from evalkit.datasets.dataset import Dataset, Record, ScenarioData
from evalkit.datasets.reading import (
    Part,
    has,
    inner,
    kept,
    known,
    name,
    note,
    parts,
    scenario,
    settled,
    text,
    texts,
    whole,
)
from evalkit.datasets.rules import says_nothing
from evalkit.jsonvalue import brief

UNANSWERABLE = ""
"""The gold of a question that the paragraph does not answer."""

DOCUMENT = {
    "version": "metadata",
    "data[].title": "metadata",
    "data[].paragraphs[].context": "the prompt's beginning, before a blank line",
    "data[].paragraphs[].qas[].id": "name",
    "data[].paragraphs[].qas[].question": "the prompt's end",
    "data[].paragraphs[].qas[].answers[].text": "the golds, each once; none: the gold is empty",
    "data[].paragraphs[].qas[].answers[].answer_start": "metadata `answers`",
    "data[].paragraphs[].qas[].is_impossible": "true: the gold is empty; metadata",
    "data[].paragraphs[].qas[].plausible_answers": "metadata",
}
ROWS = {
    "id": "name",
    "title": "metadata",
    "context": "the prompt's beginning, before a blank line",
    "question": "the prompt's end",
    "answers.text": "the golds, each once; none: the gold is empty",
    "answers.answer_start": "metadata `answers`",
}


def scenarios(record: Record, _number: int) -> Iterator[ScenarioData]:
    """Give the questions of a document, or of a row: exact match decides, normalised as in SQuAD.

    A question that can't be answered has the gold "": an empty response answers it. A gold of which
    the normaliser leaves nothing is left out, as in the official script.
    """
    part = whole(record)
    if "data" not in part.data:
        return settled(part, [_row(part)])
    known(part, DOCUMENT)
    found = []
    for article in parts(part, "data"):
        known(article, DOCUMENT)
        about = kept(part, "version") | kept(article, "title")
        for paragraph in parts(article, "paragraphs"):
            known(paragraph, DOCUMENT)
            context = text(paragraph, "context")
            found += [_question(each, context, about) for each in parts(paragraph, "qas")]
    return settled(part, found)


def _row(part: Part) -> ScenarioData:
    known(part, ROWS)
    answers = inner(part, "answers")
    found: list[str] = []
    if answers is not None:
        known(answers, ROWS)
        found = texts(answers, "text")
    return _asked(part, text(part, "context"), found, kept(part, "title", "answers"))


def _question(part: Part, context: str, about: Record) -> ScenarioData:
    known(part, DOCUMENT)
    answers = parts(part, "answers")
    for answer in answers:
        known(answer, DOCUMENT)
    found = [text(answer, "text") for answer in answers]
    _check_impossible(part, answered=bool(part.data.get("answers")))
    about = about | kept(part, "answers", "is_impossible", "plausible_answers")
    return _asked(part, context, found, about)


def _check_impossible(part: Part, *, answered: bool) -> None:
    """Note where a question is said to have no answer and has one, or the other way round."""
    if not has(part, "is_impossible"):
        return
    impossible = part.data["is_impossible"]
    if type(impossible) is not bool:
        note(part, "is_impossible", f"expected true or false, got {brief(impossible)}")
    elif impossible == answered:
        there = "answers" if answered else "no answers"
        note(part, "is_impossible", f"is {str(impossible).lower()}, and there are {there}")


def _asked(part: Part, context: str, answers: list[str], about: Record) -> ScenarioData:
    """Put a question together, with its golds each once, or the empty one where none is left."""
    golds = [answer for answer in dict.fromkeys(answers) if not says_nothing(answer)]
    return scenario(
        name=name(part, "id"),
        prompt=f"{context}\n\n{text(part, 'question')}",
        metadata=about,
        answers={"golds": golds or [UNANSWERABLE], "match": "exact_match", "normalize": "squad"},
    )


SQUAD = Dataset(
    name="squad",
    about="questions on a paragraph, whose answers stand in it",
    source="the official train and dev files of SQuAD 1.1 and 2.0, and rows of rajpurkar/squad",
    fields=DOCUMENT | ROWS,
    needs=(frozenset({"version", "data"}), frozenset({"id", "context", "question", "answers"})),
    scenarios=scenarios,
)
