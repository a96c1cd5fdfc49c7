"""FRAMES: questions that take several articles and steps to answer."""

from collections.abc import Iterator

from evalkit.datasets.dataset import Dataset, Record, ScenarioData
from evalkit.datasets.reading import has, kept, rest, scenario, settled, text, whole

FIELDS = {
    "Prompt": "prompt",
    "Answer": "the gold",
    "reasoning_types": "metadata, and tags: split at each vertical bar, without outer blanks",
}


def scenarios(record: Record, number: int) -> Iterator[ScenarioData]:
    """Give the question of a record, named after its place in the file: exact match decides."""
    part = whole(record)
    kinds = text(part, "reasoning_types") if has(part, "reasoning_types") else ""
    tags = [kind.strip() for kind in kinds.split("|") if kind.strip()]
    found = scenario(
        name=f"frames_{number}",
        prompt=text(part, "Prompt"),
        tags=list(dict.fromkeys(tags)),
        metadata=kept(part, "reasoning_types") | rest(part, FIELDS),
        answers={"golds": [text(part, "Answer")], "match": "exact_match", "normalize": "basic"},
    )
    return settled(part, [found])


FRAMES = Dataset(
    name="frames",
    about="questions that take several articles and steps to answer",
    source="google/frames-benchmark, and zeph-bench's frames.jsonl",
    fields=FIELDS,
    needs=(frozenset({"Prompt", "Answer"}),),
    scenarios=scenarios,
    extra=True,
)
