"""What is written is what was meant: scenarios as plain data, and as files of every kind."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit import Assertion, Op, Scenario, ToolCall, fingerprint, load
from evalkit.codec import Codec, plain_scenario
from evalkit.errors import CatalogueError
from evalkit.names import folded
from evalkit.writers import WRITERS, written
from tests.codec.scenarios import FIXED, HOSTILE, scenarios

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "builtins:len": len,
    "builtins:abs": abs,
    "builtins:str": str,
}
CODEC = Codec(named=FUNCTIONS.__getitem__)
SEVERAL = st.lists(scenarios(), min_size=1, max_size=3, unique_by=lambda each: folded(each.name))
WITHOUT_NULL = st.lists(
    scenarios(null=False), min_size=1, max_size=3, unique_by=lambda each: folded(each.name)
)


def by_file(found: list[Scenario], suffix: str, folder: Path) -> list[Scenario]:
    """What scenarios are once they were written to a file of that suffix, and loaded from it."""
    path = folder / f"cases{suffix}"
    path.write_bytes(written(found, suffix))
    return list(load(path))


@FIXED
@given(scenarios(transforms=True))
def test_plain_data_is_the_scenario(scenario: Scenario) -> None:
    """Of a scenario's plain data the codec makes an equal one, with the same fingerprint."""
    again = CODEC.scenario(plain_scenario(scenario))
    assert again == scenario
    assert fingerprint(again) == fingerprint(scenario)


@pytest.mark.parametrize("suffix", [".json", ".ndjson", ".yaml"])
def test_a_file_is_the_scenarios(suffix: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Scenarios with any texts at any place are equal, in order, once written and loaded."""
    folder = tmp_path_factory.mktemp("files")

    @FIXED
    @given(SEVERAL)
    def holds(found: list[Scenario]) -> None:
        assert by_file(found, suffix, folder) == found

    holds()


def test_a_toml_file_is_the_scenarios(tmp_path_factory: pytest.TempPathFactory) -> None:
    """TOML, which has no null, holds all that has none."""
    folder = tmp_path_factory.mktemp("files")

    @FIXED
    @given(WITHOUT_NULL)
    def holds(found: list[Scenario]) -> None:
        assert by_file(found, ".toml", folder) == found

    holds()


def everywhere(name: str, text: str) -> Scenario:
    """A scenario that has a text wherever a text may be: as value, as key, and in lists."""
    nested = {text: [text, {text: text}]}
    call = ToolCall("tool", nested, [Assertion(text, Op.EQ, nested, text)], text, {"a": text})
    return Scenario(name, tool_calls=[call], description=text, metadata=nested)


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_hostile_text_is_itself_everywhere(suffix: str, tmp_path: Path) -> None:
    """A text that means something in a format is no more than a text there, also as a key."""
    texts = [each for each in HOSTILE if each != "$ref"]
    meant = [everywhere(f"of {at}", text) for at, text in enumerate(texts)]
    found = by_file(meant, suffix, tmp_path)
    assert [
        text for text, *pair in zip(texts, found, meant, strict=True) if pair[0] != pair[1]
    ] == []


VALUES = [1, 1.0, -0.0, 2**53 + 1, 2**64, -(2**70), 1e16, 1e-7, 5e-324, True, False, "1", [], {}]


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_value_keeps_its_type(suffix: str, tmp_path: Path) -> None:
    """Neither integers nor floats, texts or booleans become one another."""
    (found,) = by_file([Scenario("a", metadata={"values": VALUES})], suffix, tmp_path)
    assert repr(found.metadata) == repr({"values": VALUES})


class SecondTime:
    """Names functions, but not when it is asked for the first time."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, name: str) -> Callable[[Any], Any]:
        """Give a function, or say that there is none."""
        self.asked += 1
        if self.asked == 1:
            raise CatalogueError("function", "not yet")
        return FUNCTIONS[name]


@FIXED
@given(scenarios())
def test_the_quick_way_and_the_thorough_give_the_same(scenario: Scenario) -> None:
    """What is gone through again, for something in it was wrong, comes out no different."""
    transforms = ToolCall("t", context_args={"x": "y"}, arg_transforms={"x": len})
    scenario = scenario.but(tool_calls=[transforms, *scenario.tool_calls])
    named = SecondTime()
    assert Codec(named=named).scenario(plain_scenario(scenario)) == scenario
    assert named.asked > 1


def test_null_can_not_be_written_as_toml() -> None:
    """Every null is named with its place, and what to do; nothing is left out in silence."""
    call = ToolCall("t", {"a": [1, None]}, [Assertion("x", Op.EQ, None)])
    scenario = Scenario("a", tool_calls=[call], metadata={"m": None})
    with pytest.raises(CatalogueError) as caught:
        written([scenario], ".toml")
    assert [problem.where for problem in caught.value.problems] == [
        "a.tool_calls[0].args.a[1]",
        "a.tool_calls[0].assertions[0].expected",
        "a.metadata.m",
    ]
