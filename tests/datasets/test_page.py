"""The page of question sets says what the code does: its files load, its tables are the code's."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from evalkit.datasets import DATASETS, parse_map, recognised, table
from evalkit.datasets.table import FIELDS
from tests.datasets.records import asked

PAGE = (Path(__file__).parents[2] / "docs/datasets.md").read_text("utf-8")
BLOCK = re.MULTILINE | re.DOTALL
SECTIONS = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
FILES: dict[str, str] = dict(re.findall(r'^```json title="([^"]+)"\n(.*?)^```', PAGE, BLOCK))


def section(mark: str) -> str:
    """The section of the page that has a mark in its first paragraph."""
    (found,) = [each for each in SECTIONS if mark in each.split("\n\n")[1]]
    return found


def rows(text: str) -> dict[str, str]:
    """The rows of a section's table: a field, and what becomes of it."""
    return dict(re.findall(r"^\| `([^`]+)` \| (.*) \|$", text, re.MULTILINE))


def records(name: str) -> list[Any]:
    """The records of a file of the page."""
    text = FILES[name]
    return (
        [json.loads(text)] if name.endswith(".json") else list(map(json.loads, text.splitlines()))
    )


@pytest.mark.parametrize("name", DATASETS)
def test_every_field_has_its_row(name: str) -> None:
    """The table of each format is that of the code, word for word."""
    assert rows(section(f"`--format {name}`")) == dict(DATASETS[name].fields)


def test_every_field_of_a_map_has_its_row() -> None:
    """The table of what a map may name is that of the code, word for word."""
    assert rows(section("`--map FIELD")) == FIELDS


def test_every_format_has_a_file() -> None:
    """There is a file to copy for each format, and for tables."""
    assert {name.partition(".")[0] for name in FILES} == {*DATASETS, "biology"}


@pytest.mark.parametrize("name", sorted(FILES))
def test_files_load(name: str) -> None:
    """Each file is recognised as what the page calls it, and read."""
    found = records(name)
    if name.startswith("biology"):
        (written,) = re.findall(r"`--map (name=[^`]+)`", PAGE)
        dataset = table(parse_map(written))
        assert recognised(found[0]) == []
    else:
        dataset = DATASETS[name.partition(".")[0]]
        assert [recognised(record) for record in found] == [[dataset]] * len(found)
    scenarios = [each for at, record in enumerate(found) for each in asked(dataset, record, at)]
    names = [scenario["name"] for scenario in scenarios]
    assert len(names) == len(set(names)) >= len(found)


def test_the_prompt_with_choices() -> None:
    """The page shows what a prompt with choices becomes, letter for letter."""
    (shown,) = re.findall(r"^```text\n(.*?)\n```", PAGE, BLOCK)
    sample = records("inspect.ndjson")[1] | {"input": "What is the capital of France?"}
    assert asked(DATASETS["inspect"], sample)[0]["prompt"] == shown
