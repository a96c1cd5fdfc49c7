"""How scenarios are written as files: what any reader of the format makes of them."""

import json
import tomllib
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from evalkit import Assertion, CatalogueError, Op, Scenario, ToolCall
from evalkit.codec import plain_scenario
from evalkit.writers import WRITERS, written
from tests.codec.scenarios import FIXED, HOSTILE, scenarios

Read = Callable[[bytes], Any]
READ: dict[str, Read] = {
    ".json": json.loads,
    ".ndjson": lambda content: [json.loads(line) for line in content.split(b"\n")[:-1]],
    ".toml": lambda content: tomllib.loads(content.decode())["scenarios"],
    ".yaml": yaml.safe_load,
}
"""What others read the formats by; of YAML that is version 1.1, where `no` is false."""


@pytest.mark.parametrize("suffix", READ)
def test_another_reader_reads_the_same(suffix: str) -> None:
    """What is written is plain data to any reader of the format, exact types and all."""

    @FIXED
    @given(st.lists(scenarios(null=False), min_size=1, max_size=2))
    def holds(found: list[Scenario]) -> None:
        assert READ[suffix](written(found, suffix)) == [plain_scenario(each) for each in found]

    holds()


@pytest.mark.parametrize("suffix", READ)
def test_a_hostile_text_is_a_text_to_others(suffix: str) -> None:
    """Words that mean something in one version of a format mean nothing in what is written."""
    texts = {f"{at:03}": text for at, text in enumerate(HOSTILE)}
    (found,) = READ[suffix](written([Scenario("a", metadata=texts)], suffix))
    assert {at: text for at, text in texts.items() if found["metadata"].get(at) != text} == {}


@pytest.mark.parametrize("suffix", WRITERS)
def test_no_scenario_is_a_file_of_none(suffix: str) -> None:
    """Nothing is written for nothing, in every format."""
    content = written([], suffix)
    kind = {".yml": ".yaml", ".jsonl": ".ndjson"}.get(suffix, suffix)
    assert READ[kind](content) == []


@pytest.mark.parametrize(
    ("suffix", "told"),
    [(".yamll", "'.yaml'"), (".JSON", "'.json'"), ("", "known: "), (".py", "can't write '.py'")],
)
def test_a_kind_of_file_that_is_not_written(suffix: str, told: str) -> None:
    """What there is no writer for is told with the nearest."""
    with pytest.raises(CatalogueError, match="can't write") as caught:
        written([Scenario("a")], suffix)
    assert told in str(caught.value)


CALL = ToolCall("find_order", {"id": 1007, "full": True}, [Assertion("status", Op.EQ, "open")])
PROSE = Scenario(
    "refund", "Order 1007 arrived broken.\nI want my money back.", [CALL], ["refund", "no"]
)
YAML = """\
- name: refund
  prompt: |-
    Order 1007 arrived broken.
    I want my money back.
  tool_calls:
  - tool: find_order
    args: {id: 1007, full: true}
    assertions:
    - {path: status, op: eq, expected: open}
  tags: [refund, "no"]
"""


def test_yaml_is_for_people() -> None:
    """Lines are lines, what is innermost stands in one, and only doubtful words are quoted."""
    assert written([PROSE], ".yaml").decode() == YAML


def test_ndjson_is_a_line_each() -> None:
    """A scenario is a line that ends, whatever is in its texts."""
    odd = Scenario("a", "x\ny\u2028z\x85")
    lines = written([odd, PROSE], ".ndjson").split(b"\n")
    assert len(lines) == 3
    assert lines[-1] == b""


def test_json_is_indented_and_ends() -> None:
    """JSON is for people who compare files line by line."""
    content = written([PROSE, Scenario("é")], ".json").decode()
    assert content.endswith("]\n")
    assert '"name": "é"' in content
    assert len(content.splitlines()) > 10


def test_what_stands_twice_is_written_twice() -> None:
    """YAML's aliases are no help to a reader who wants to change one of two."""
    shared = {"a": [1, 2]}
    content = written([Scenario("a", metadata={"x": shared, "y": shared})], ".yaml").decode()
    assert "&" not in content
    assert "*" not in content


@pytest.mark.parametrize("suffix", WRITERS)
def test_the_same_is_written_the_same(suffix: str) -> None:
    """A file that is written again does not change."""
    assert written([PROSE], suffix) == written([PROSE], suffix)
