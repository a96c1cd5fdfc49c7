"""What a file of data is taken for: a catalogue of evalkit's own, or a question set."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalkit import CatalogueError, Scenario, load

Write = Callable[..., Path]

CALL = {"tool_calls": [{"tool": "t"}]}
FRAMES = {"Prompt": "Why?", "Answer": "Because"}
SQUAD = {
    "id": "1",
    "context": "x is why.",
    "question": "Why?",
    "answers": {"text": ["x"], "answer_start": [0]},
}


def as_json(write: Write, data: Any) -> Path:
    """A JSON file of this value."""
    return write("a.json", json.dumps(data))


def as_lines(write: Write, *records: Any) -> Path:
    """An NDJSON file of these records."""
    return write("a.ndjson", "".join(f"{json.dumps(each)}\n" for each in records))


def names(path: Path, **options: Any) -> list[str]:
    """The names of the scenarios that a file holds."""
    return [scenario.name for scenario in load(path, **options)]


def refused(path: Path, **options: Any) -> list[str]:
    """All that is said of a file that is refused."""
    with pytest.raises(CatalogueError) as caught:
        load(path, **options)
    return [str(problem) for problem in caught.value.problems]


def test_a_list_of_scenarios(write: Write) -> None:
    """A file may be a list."""
    assert names(as_json(write, [{"name": "a", **CALL}, {"name": "b", **CALL}])) == ["a", "b"]


def test_a_mapping_with_scenarios(write: Write) -> None:
    """A file may be a mapping that holds one, with defaults beside it."""
    data = {"defaults": {"tags": ["x"]}, "scenarios": [{"name": "a", **CALL}]}
    (scenario,) = load(as_json(write, data))
    assert scenario.tags == ("x",)


def test_a_mapping_may_name_its_schema(write: Write) -> None:
    """`$schema` is for editors, and says nothing of any scenario."""
    data = {"$schema": "evalkit.schema.json", "scenarios": [{"name": "a", **CALL}]}
    assert names(as_json(write, data)) == ["a"]


def test_lines_of_scenarios(write: Write) -> None:
    """An NDJSON file is a scenario a line."""
    assert names(as_lines(write, {"name": "a", **CALL}, {"name": "b", **CALL})) == ["a", "b"]


@pytest.mark.parametrize("head", [{"defaults": {"tags": ["x"]}}, {"tools": "m:T"}])
def test_a_first_line_may_be_a_head(write: Write, head: Any) -> None:
    """The first line may say what all scenarios have, and is none itself."""
    assert names(as_lines(write, head, {"name": "a", **CALL})) == ["a"]


@pytest.mark.parametrize(
    ("at", "where"), [(1, "a.ndjson:2:2"), (2, "a.ndjson:3:2")], ids=["second", "last"]
)
def test_a_later_line_is_no_head(write: Write, at: int, where: str) -> None:
    """Defaults that come after a scenario are refused, for they would be of half a file."""
    lines: list[Any] = [{"name": "a", **CALL}, {"name": "b", **CALL}]
    lines.insert(at, {"defaults": {}})
    told = refused(as_lines(write, *lines))
    assert any(where in each and "'defaults'" in each for each in told)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"tools": "m:T"}, "a.json:1:1: scenarios: has no 'scenarios'; a file is a list"),
        ({"scenarios": {"a": 1}}, "a.json:1:2: scenarios: expected a list of scenarios"),
        ({"scenarios": None}, "a.json:1:2: scenarios: expected a list of scenarios, got None"),
        ({"scenarios": []}, "a.json: holds no scenario"),
        ({"name": "a", **CALL}, "a.json:1:2: name: unknown field 'name'"),
        ({"scenarios": [], "tols": 1}, "a.json:1:19: tols: unknown field 'tols'; did you mean"),
        ({"scenarios": [], "defaults": []}, "a.json:1:19: defaults: expected a mapping, got []"),
        ({"scenarios": [], "defaults": None}, "a.json:1:19: defaults: expected a mapping"),
        ({"scenarios": [], "tools": None}, "a.json:1:19: tools: expected package.module:NAME"),
        ({"scenarios": [], "tools": 3}, "a.json:1:19: tools: expected package.module:NAME, got 3"),
        ({"scenarios": [], "defaults": {"name": "x"}}, "a name of its own"),
        ([], "a.json"),
    ],
    ids=str,
)
def test_a_mapping_that_is_no_catalogue(write: Write, data: Any, told: str) -> None:
    """What a file says that evalkit has no use for is refused with its place."""
    assert any(told in each for each in refused(as_json(write, data)))


def test_all_unknown_fields_of_a_head_are_told(write: Write) -> None:
    """Two of them are two problems."""
    data = {"tols": "m:T", "default": {}, "scenarios": [{"name": "a", **CALL}]}
    told = refused(as_json(write, data))
    assert [each.partition(": unknown field ")[2].partition(";")[0] for each in told] == [
        "'tols'",
        "'default'",
    ]


def test_a_head_without_scenarios_is_refused(write: Write) -> None:
    """An NDJSON file of a head alone holds nothing that could pass."""
    assert refused(as_lines(write, {"defaults": {"tags": ["x"]}})) == [
        f"{Path('a.ndjson').absolute()}: holds no scenario"
    ]


@pytest.mark.parametrize("name", ["a.ndjson", "a.json", "a.yaml", "a.toml", "a.csv"])
@pytest.mark.parametrize("content", ["", "\n", "# nothing\n", " \n \n"])
def test_an_empty_file_is_refused(write: Write, name: str, content: str) -> None:
    """A file without a record is an error in every format, never a green run of nothing."""
    assert len(refused(write(name, content))) >= 1


def test_a_question_set_is_recognised(write: Write) -> None:
    """A first record that has a format's fields is taken for that format."""
    assert names(as_lines(write, FRAMES)) == ["frames_0"]


def test_a_question_set_may_be_a_list(write: Write) -> None:
    """A list in JSON is as good as lines."""
    assert names(as_json(write, [FRAMES, FRAMES])) == ["frames_0", "frames_1"]


def test_a_record_of_no_known_format_is_refused_with_its_fields(write: Write) -> None:
    """A file that could be anything is no catalogue of nothing: how to say what it is is told."""
    (told,) = refused(as_lines(write, {"query": "x", "expected": ["y"]}))
    assert "is no catalogue, and no question set that is known" in told
    assert "'query', 'expected'" in told
    assert "--format" in told
    assert "--map" in told


@pytest.mark.parametrize("data", [5, "x", None, [1]], ids=repr)
def test_a_record_that_is_no_mapping_is_refused(write: Write, data: Any) -> None:
    """A line of anything else is no scenario."""
    assert len(refused(as_lines(write, data))) == 1


def test_a_record_that_could_be_of_several_formats_is_refused(write: Write) -> None:
    """Nothing is guessed: the formats that it could be are told, and how to say which."""
    both = {**FRAMES, "task_id": "1", "Question": "Why?", "Final answer": "x", "Level": 1}
    (told,) = refused(as_lines(write, both))
    assert "could be frames or gaia" in told
    assert "say --format frames" in told


def test_a_format_that_is_said_is_not_guessed(write: Write) -> None:
    """With a format, the file is of that one, and what does not fit it is refused."""
    path = as_lines(write, FRAMES)
    assert names(path, format="frames") == ["frames_0"]
    assert refused(path, format="gaia")
    assert refused(path, format="evalkit")


def test_a_typo_in_a_scenario_is_told_as_one(write: Write) -> None:
    """A record with a field that only evalkit's own have is evalkit's own, with a mistake."""
    (told,) = refused(as_lines(write, {"name": "a", "prompt": "x", "answrs": ["y"], **CALL}))
    assert told.endswith("a.ndjson:1:30: a.answrs: unknown field 'answrs'; did you mean 'answers'?")


@pytest.mark.parametrize("option", [{"match": "f1"}, {"normalize": "raw"}, {"extract": "terse"}])
def test_a_rule_is_for_question_sets(write: Write, option: dict[str, str]) -> None:
    """A catalogue says in its own answers how they match: an option that would not bear is told."""
    (told,) = refused(as_lines(write, {"name": "a", **CALL}), **option)
    assert "is for question sets, and this is a catalogue" in told
    assert next(iter(option)) in told


@pytest.mark.parametrize(
    "option",
    [
        {"match": "f1"},
        {"normalize": "raw"},
        {"extract": "terse"},
        {"format": "squad"},
        {"columns": {"answers": ("a",)}},
    ],
    ids=str,
)
def test_what_is_for_data_is_not_for_python(write: Write, option: dict[str, Any]) -> None:
    """An option that says how data is read is refused for a Python file, not passed over."""
    source = "from evalkit import Scenario, ToolCall, _s\n"
    path = write("a.py", f"{source}_s(Scenario('a', tool_calls=[ToolCall('t')]))\n")
    assert len(refused(path, **option)) == 1


def test_a_rule_takes_the_place_of_a_question_set_s_own(write: Write) -> None:
    """Match, normaliser and extract are those that are asked for, in every question."""
    path = as_lines(write, FRAMES, FRAMES)
    for scenario in load(path, match="contains", normalize="words", extract="first_line"):
        assert scenario.answers is not None
        assert scenario.answers.golds == ("Because",)
        found = scenario.answers
        assert (found.match, found.normalize, found.extract) == ("contains", "words", "first_line")


MAP = {"name": ("id",), "prompt": ("q",), "answers": ("gold", "other"), "tags": ("kind",)}


def test_a_table_by_its_columns(write: Write) -> None:
    """A map says which columns are what; the others are kept as metadata."""
    path = write("a.csv", "id,q,gold,other,kind,more\n7,Why?,x,y,odd,z\n")
    (scenario,) = load(path, columns=MAP)
    assert scenario == Scenario(
        "7", "Why?", tags=["odd"], answers=["x", "y"], metadata={"more": "z"}
    )


def test_a_map_of_a_column_that_is_not_there(write: Write) -> None:
    """Each row lacks it: told with its line and the nearest column."""
    path = write("a.csv", "id,question,gold\n7,Why?,x\n")
    (told,) = refused(path, columns={"prompt": ("qestion",), "answers": ("gold",)})
    assert "a.csv:2" in told
    assert "there is no column 'qestion'; did you mean 'question'?" in told


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"prompt": ("q",)}, "no column is named for 'answers'"),
        ({"answers": ("gold",), "promt": ("q",)}, "unknown field 'promt'"),
        ({"answers": ("gold",), "name": ("a", "b")}, "'name' takes one column"),
        ({}, "no column is named for 'answers'"),
    ],
    ids=str,
)
def test_a_map_that_can_not_be_meant(write: Write, columns: Any, told: str) -> None:
    """A map that names no answers, or fields that there are not, is refused."""
    assert told in refused(write("a.csv", "id,q,gold\n7,Why?,x\n"), columns=columns)[0]


def test_squad_rows(write: Write) -> None:
    """A format with nested fields is recognised by its keys."""
    assert names(as_lines(write, SQUAD)) == ["1"]


def test_a_question_set_that_has_names(write: Write) -> None:
    """A field of evalkit's own does not hide a question set that has it as well."""
    case: dict[str, Any] = {"id": "c", "name": "C", "system_prompt": "", "user_messages": ["Q"]}
    case |= {"expected_response": {"mode": "exact", "expected": "A"}}
    assert names(as_json(write, {"id": "s", "name": "S", "cases": [case]})) == ["c"]
    assert names(as_json(write, [{"name": "old", "data": [{"query": "Q"}]}])) == ["old"]


def test_a_list_of_turns(write: Write) -> None:
    """A list of ADK's turns is one case, named after the file, and located in the list."""
    assert names(as_json(write, [{"query": "Q", "reference": "A"}, {"query": "R"}])) == ["a"]
    turns = [{"query": "Q", "reference": "A"}, {"query": "R", "refrence": "B"}]
    (problem,) = refused(as_json(write, turns))
    assert "a.json:1:51: a.data[1].refrence: unknown field 'refrence'" in problem
