"""How a file of answers is read: what another program answered to each question, by its name."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evalkit.errors import CatalogueError, Problem
from evalkit.jsonvalue import Json, brief
from evalkit.loaders import beside, reader_of
from evalkit.loaders.records import Document, Record
from evalkit.registry import hint_for, listing
from evalkit.subjects.predictions import Predictions

NAMES = ("name", "id", "question_id", "qid", "task_id")
RESPONSES = (
    *("response", "prediction", "answer", "output", "hypothesis", "model_answer"),
    "prediction_text",
)
"""The fields that a name and an answer are found in, where it is not said in which."""
NAME, RESPONSE = "name", "response"
Fields = tuple[str, str]


def predictions_of(path: Path, mapping: str | None = None) -> Predictions:
    """Read a file of answers: records of name and answer, or one object of name to answer.

    Each name comes once; an answer is a text, or null for none. `mapping` says in which fields they
    are, `name=ID,response=ANSWER`. `CatalogueError` has all that is wrong.
    """
    shown = str(path)
    if not path.exists() or path.is_dir():
        raise CatalogueError(shown, "there is no such file", beside(path))
    document = reader_of(path)(path, shown)
    fields = None if mapping is None else _fields(mapping)
    answers: dict[str, str | None] = {}
    places: dict[str, str] = {}
    problems: list[Problem] = []
    pairs = _pairs_of_object(document.whole) if fields is None else None
    for name, answer, place in pairs or _pairs(_records(document, problems), fields, problems):
        flaw = _flaw(name, answer, places)
        if flaw is not None:
            problems.append(Problem(str(name), *flaw, source=place))
            continue
        answers[name], places[name] = answer, place
    if problems:
        raise CatalogueError(problems=problems)
    if not answers:
        raise CatalogueError(shown, "holds no answer")
    return Predictions(answers, shown)


def predictions_given(value: Any) -> Predictions:  # noqa: ANN401
    """Take answers by name, or the path of a file of them."""
    if isinstance(value, str | Path):
        return predictions_of(Path(value))
    if not isinstance(value, Mapping):
        hint = "a mapping of name to answer, or the path of a file"
        raise CatalogueError("predictions", f"got {brief(value)}", hint)
    flaws = [(name, _flaw(name, answer, {})) for name, answer in value.items()]
    problems = [Problem(f"predictions[{name!r}]", *flaw) for name, flaw in flaws if flaw]
    if problems or not value:
        raise CatalogueError("predictions", "there is none", problems=problems)
    return Predictions(dict(value), "predictions")


def _flaw(name: Json, answer: Json, places: Mapping[str, str]) -> tuple[str, str | None] | None:
    if name in places:
        return f"a second answer to {name!r}, after {places[name]}", "one for each name"
    if answer is not None and type(answer) is not str:
        return f"expected a text or null, got {brief(answer)}", "an answer is in quotes"
    return None


def _records(document: Document, problems: list[Problem]) -> Iterator[Record]:
    """Give the records; what can't be read is told with what can and is wrong."""
    try:
        yield from document.records()
    except CatalogueError as error:
        problems += error.problems


def _pairs_of_object(whole: Record | None) -> Iterator[tuple[str, Json, str]] | None:
    """Give the pairs of one object of name to answer; None where the file is something else."""
    if whole is None or type(whole.data) is not dict:
        return None
    data = whole.data
    if any(type(value) in (dict, list) for value in data.values()) or _found(data) is not None:
        return None
    return ((name, data[name], whole.locate((name,))) for name in data)


def _pairs(
    records: Iterator[Record], fields: Fields | None, problems: list[Problem]
) -> Iterator[tuple[str, Json, str]]:
    for record in records:
        data, place = record.data, record.locate(())
        if type(data) is not dict:
            problems.append(Problem("", f"expected an object, got {brief(data)}", source=place))
            continue
        found = fields or _found(data)
        absent = [field for field in found if field not in data] if found else []
        if found is None or absent:
            problems.append(Problem("", *_told(data, absent), source=place))
            continue
        name, answer = (data[field] for field in found)
        if type(name) not in (str, int):
            problem = f"expected a name, got {brief(name)}"
            problems.append(Problem("", problem, source=record.locate((found[0],))))
        else:
            yield str(name), answer, record.locate((found[1],))


def _found(data: Mapping[str, Json]) -> Fields | None:
    """Find the fields of name and answer; None where there is none, or more than one could be."""
    names = [field for field in NAMES if field in data]
    responses = [field for field in RESPONSES if field in data]
    return (names[0], responses[0]) if len(names) == len(responses) == 1 else None


def _told(data: Mapping[str, Json], absent: list[str]) -> tuple[str, str]:
    if absent:
        return f"has no {absent[0]!r}", hint_for(absent[0], data)
    hint = f"say --predictions-map name=...,response=...; it has {listing(data)}"
    return "can't tell which field is the name, and which the answer", hint


def _fields(mapping: str) -> Fields:
    """Read `name=ID,response=ANSWER`."""
    parts = [part.partition("=")[::2] for part in mapping.split(",")]
    pairs = {key.strip(): value.strip() for key, value in parts}
    twice = len(parts) != len(pairs) or len(set(pairs.values())) != len(pairs)
    if twice or pairs.keys() != {NAME, RESPONSE} or not all(pairs.values()):
        hint = "name=ID,response=ANSWER, two fields"
        raise CatalogueError("predictions-map", f"got {mapping!r}", hint)
    return pairs[NAME], pairs[RESPONSE]
