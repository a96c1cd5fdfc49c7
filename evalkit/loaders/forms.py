"""What a file of data holds: scenarios of evalkit's own, or the records of a question set."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import attrs

from evalkit.datasets import DATASETS, Dataset, DatasetError, recognised, table, with_rule
from evalkit.errors import CatalogueError, Problem
from evalkit.jsonvalue import Json, brief
from evalkit.loaders.gathered import gathered
from evalkit.loaders.joined import whole_records
from evalkit.loaders.reading import EVALKIT, Reading
from evalkit.loaders.records import Document, Record, Steps
from evalkit.registry import hint_for, listing

Data = dict[str, Json]
Reader = Callable[[Path, str], Document]
"""What reads a file, shown by a name."""
TOOLS, DEFAULTS, SCENARIOS = "tools", "defaults", "scenarios"
HEAD = (TOOLS, DEFAULTS, SCENARIOS, "$schema")
"""What a file of evalkit's own may hold where it is a mapping; the last is for editors."""
SURE = frozenset({"name", "tool_calls", *HEAD})
"""Fields by which a record is taken for evalkit's own."""
LIKELY = frozenset({"prompt", "assertions", "answers"})
"""Fields by which it is, where no question set is recognised: so that a typo is told as one."""


@attrs.frozen(eq=False, repr=False)
class Form:
    """What a document holds: what it says of all scenarios, and its records.

    `head` is the record that says it. `made` gives the scenarios of a record as data; those of a
    question set are `foreign`: what is wrong in them is not where the record has it.
    """

    records: Callable[[], Iterable[Record]]
    made: Callable[[Record], Iterator[Data]]
    head: Record | None = None
    foreign: bool = False


def form_of(document: Document, reading: Reading, read: Reader | None = None) -> Form:
    """See what a document holds; `CatalogueError` where that is nothing that is known.

    `read` reads the file that a question set may have beside its own.
    """
    first = document.whole or next(iter(document.records()), None)
    if first is None or first.data == []:
        raise CatalogueError(document.path, "holds no scenario")
    dataset = _dataset(document, first, reading)
    if dataset is not None:
        records = _records(document, dataset, read)
        return Form(records, partial(_asked, dataset, reading), foreign=True)
    if reading.rule:
        problem = f"{listing(reading.rule)} is for question sets, and this is a catalogue"
        raise CatalogueError(document.path, problem, "say it in its answers")
    if document.whole is not None and type(first.data) is dict:
        return Form(partial(_listed, first), _itself, head=first)
    if type(first.data) is dict and first.data and first.data.keys() <= {TOOLS, DEFAULTS}:
        return Form(partial(_after_first, document), _itself, head=first)
    return Form(document.records, _itself)


def _records(
    document: Document, dataset: Dataset, read: Reader | None
) -> Callable[[], Iterable[Record]]:
    """Give what reads the records of a question set: with those beside it, or as one."""
    if dataset.beside is None or read is None:
        return gathered(document, dataset.gathered)
    return whole_records(document, dataset.beside(Path(document.path)), read)


def _dataset(document: Document, first: Record, reading: Reading) -> Dataset | None:
    """Find the question set that a document is of; None where it is evalkit's own."""
    if reading.columns is not None:
        return _table(reading.columns)
    if reading.format is not None:
        return None if reading.format == EVALKIT else DATASETS[reading.format]
    sample = next(iter(document.records()), first).data
    found = recognised(first.data) or recognised(sample)
    sure = SURE if len(found) != 1 else SURE - found[0].fields.keys()
    if _has(first.data, sure) or _has(sample, sure):
        return None
    if not found and _has(sample, LIKELY):
        return None
    if len(found) != 1:
        raise CatalogueError(document.path, *_unknown(sample, [each.name for each in found]))
    return found[0]


def _table(columns: Mapping[str, Sequence[str]]) -> Dataset:
    try:
        return table(columns)
    except DatasetError as error:
        problems = [Problem("map", each.problem, each.hint) for each in error.flaws]
        raise CatalogueError(problems=problems) from error


def _has(data: Json, fields: frozenset[str]) -> bool:
    return type(data) is dict and not fields.isdisjoint(data)


def _unknown(data: Json, names: list[str]) -> tuple[str, str]:
    """Say what a file holds that is no catalogue, and how to say what it is."""
    if names:
        return f"could be {' or '.join(names)}", f"say --format {names[0]}"
    fields = f"it has the fields {listing(data)}" if type(data) is dict else f"it has {brief(data)}"
    known = f"say --format ({', '.join(DATASETS)}), or which columns are what: --map name=...,..."
    return f"is no catalogue, and no question set that is known: {fields}", known


def _itself(record: Record) -> Iterator[Data]:
    yield record.data


def _asked(dataset: Dataset, reading: Reading, record: Record) -> Iterator[Data]:
    """Give the questions of a foreign record, by its own rule or the one that is asked for."""
    for data in dataset.scenarios(record.data, record.number):
        yield with_rule(data, **reading.rule)  # type: ignore[arg-type]


def _listed(whole: Record) -> Iterator[Record]:
    """Give the scenarios of a mapping that holds them."""
    scenarios = whole.data.get(SCENARIOS)
    if type(scenarios) is not list:
        problem = f"expected a list of scenarios, got {brief(scenarios)}"
        if SCENARIOS not in whole.data:
            problem = f"has no {SCENARIOS!r}"
        hint = "a file is a list of scenarios, or a mapping with tools, defaults and scenarios"
        raise CatalogueError(SCENARIOS, problem, hint, source=whole.locate((SCENARIOS,)))
    for index, data in enumerate(scenarios):
        yield Record(data, index, partial(_below, whole, (SCENARIOS, index)))


def _below(whole: Record, base: Steps, steps: Steps) -> str:
    return whole.locate((*base, *steps))


def _after_first(document: Document) -> Iterator[Record]:
    records = iter(document.records())
    next(records, None)
    yield from records


@attrs.frozen(eq=False, repr=False)
class Head:
    """What a file says of all its scenarios, and what is wrong with that."""

    tools: str | None = None
    defaults: Data = attrs.field(factory=dict)
    problems: tuple[Problem, ...] = ()


def head_of(form: Form) -> Head:
    """Read the head of a form, as far as it is right."""
    if form.head is None:
        return Head()
    data, locate = form.head.data, form.head.locate
    problems = [
        Problem(key, f"unknown field {key!r}", hint_for(key, HEAD), locate((key,)))
        for key in data
        if key not in HEAD
    ]
    tools, defaults = data.get(TOOLS), data.get(DEFAULTS, {})
    if TOOLS in data and type(tools) is not str:
        problem = f"expected package.module:NAME, got {brief(tools)}"
        problems.append(Problem(TOOLS, problem, source=locate((TOOLS,))))
        tools = None
    if type(defaults) is not dict:
        problem = f"expected a mapping, got {brief(defaults)}"
        problems.append(Problem(DEFAULTS, problem, source=locate((DEFAULTS,))))
        defaults = {}
    if "name" in defaults:
        place = locate((DEFAULTS, "name"))
        problems.append(Problem(DEFAULTS, "each scenario has a name of its own", source=place))
        defaults = {}
    return Head(tools, defaults, tuple(problems))
