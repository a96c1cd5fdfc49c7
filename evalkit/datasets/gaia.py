"""GAIA: questions for assistants with tools, in three levels."""

from collections.abc import Iterator

from evalkit.datasets.dataset import Dataset, Record, ScenarioData
from evalkit.datasets.reading import Part, kept, known, name, note, scenario, settled, text, whole
from evalkit.jsonvalue import brief

HIDDEN = "?"
"""What stands for the answer where it is not published."""

FIELDS = {
    "task_id": "name",
    "Question": "prompt",
    "Level": "tag `level-1`, `level-2` or `level-3`, and metadata `level`",
    "Final answer": "the gold; `?`, which hides it in the test split, is refused",
    "Annotator Metadata": "metadata `annotator_metadata`",
    "file_name": "metadata, and where it is not empty the tag `has-file`; the file is not sent",
    "file_path": "metadata, where it is not empty",
}
_LEVELS = {level: str(level) for level in (1, 2, 3)} | {level: level for level in ("1", "2", "3")}
"""The levels, as the JSON and the Parquet files write them."""


def scenarios(record: Record, _number: int) -> Iterator[ScenarioData]:
    """Give the question of a record: exact match decides, as zeph-bench normalises for GAIA.

    A question with a file is asked without it, and tagged `has-file` so that it can be left out.
    """
    part = whole(record)
    known(part, FIELDS)
    files = {key: value for key, value in kept(part, "file_name", "file_path").items() if value}
    annotated = part.data.get("Annotator Metadata")
    found = scenario(
        name=name(part, "task_id"),
        prompt=text(part, "Question"),
        tags=[f"level-{_level(part)}", *["has-file"] * bool(files)],
        metadata={"level": part.data.get("Level"), "annotator_metadata": annotated, **files},
        answers={"golds": [_answer(part)], "match": "exact_match", "normalize": "gaia"},
    )
    return settled(part, [found])


def _level(part: Part) -> str:
    level = part.data.get("Level")
    if type(level) not in (int, str) or level not in _LEVELS:
        note(part, "Level", f"expected a level, got {brief(level)}", "1, 2 or 3")
        return ""
    return _LEVELS[level]


def _answer(part: Part) -> str:
    answer = text(part, "Final answer")
    if answer.strip() == HIDDEN:
        hint = "the test split hides its answers; take the validation split"
        note(part, "Final answer", f"the answer is hidden: {answer!r}", hint)
    return answer


GAIA = Dataset(
    name="gaia",
    about="questions for assistants with tools, in three levels",
    source="gaia-benchmark/GAIA, metadata.jsonl, and zeph-bench's gaia.jsonl",
    fields=FIELDS,
    needs=(frozenset({"task_id", "Question", "Final answer"}),),
    scenarios=scenarios,
)
