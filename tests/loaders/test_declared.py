"""How a file of data becomes scenarios: defaults, tables, places, and everything that is wrong."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalkit import CatalogueError, Scenario, fingerprint, load
from evalkit.loaders import Reading, opened, read

Write = Callable[..., Path]

CALL = {"tool_calls": [{"tool": "t"}]}
YAML = """
defaults:
  tags: [all]
  difficulty: basic
  timeout_s: 5
scenarios:
  - name: a
    tool_calls: [{tool: t}]
  - name: b
    tags: [own]
    difficulty: advanced
    tool_calls: [{tool: t}]
"""


def refused(path: Path, **options: Any) -> list[str]:
    """All that is said of a file that is refused, its path cut to its name."""
    with pytest.raises(CatalogueError) as caught:
        load(path, **options)
    return [str(each).replace(f"{path.parent}/", "") for each in caught.value.problems]


def test_defaults_stand_below_what_a_scenario_says(write: Write) -> None:
    """Its tags are added to theirs; any other field of its own counts instead."""
    first, second = load(write("a.yaml", YAML))
    assert (first.tags, first.difficulty, first.timeout_s) == (("all",), "basic", 5)
    assert (second.tags, second.difficulty, second.timeout_s) == (("all", "own"), "advanced", 5)


def test_defaults_are_part_of_the_fingerprint(write: Write) -> None:
    """A scenario with defaults is the one that is written out, to the fingerprint."""
    short = load(write("a.yaml", YAML))["b"]
    written_out = load(
        write(
            "b.yaml",
            """
            - name: b
              tags: [all, own]
              difficulty: advanced
              timeout_s: 5
              tool_calls: [{tool: t}]
            """,
        )
    )["b"]
    assert short == written_out
    assert fingerprint(short) == fingerprint(written_out)


def test_a_tag_that_stands_twice_counts_once(write: Write) -> None:
    """Who repeats a default tag has it once."""
    head, line = {"defaults": {"tags": ["x", "y"]}}, {"name": "a", "tags": ["y", "z"], **CALL}
    (scenario,) = load(write("a.ndjson", f"{json.dumps(head)}\n{json.dumps(line)}\n"))
    assert scenario.tags == ("x", "y", "z")


def test_a_null_of_a_scenario_s_own_is_its_own(write: Write) -> None:
    """What a scenario says counts, also where it says null."""
    head, line = {"defaults": {"timeout_s": 5}}, {"name": "a", "timeout_s": None, **CALL}
    (scenario,) = load(write("a.ndjson", f"{json.dumps(head)}\n{json.dumps(line)}\n"))
    assert scenario.timeout_s is None


def test_what_is_wrong_with_defaults_is_told_once(write: Write) -> None:
    """Not for every scenario, and where the defaults say it."""
    told = refused(
        write(
            "a.yaml",
            """
            defaults:
              tgas: [x]
              difficulty: hard
            scenarios:
              - {name: a, tool_calls: [{tool: t}]}
              - {name: b, tool_calls: [{tool: t}]}
            """,
        )
    )
    assert told == [
        "a.yaml:3:3: defaults.tgas: unknown field 'tgas'; did you mean 'tags'?",
        (
            "a.yaml:4:3: defaults.difficulty: unknown value 'hard'; "
            "one of 'basic', 'standard', 'advanced'"
        ),
    ]


def test_wrong_defaults_hide_no_wrong_scenario(write: Write) -> None:
    """All of a file's problems come together, those of its head too."""
    told = refused(write("a.yaml", "defaults: {tgas: [x]}\nscenarios:\n- {name: a, tag: [x]}\n"))
    assert ["tgas" in each for each in told] == [True, False]


def test_tags_of_a_scenario_that_are_none_are_told_as_its_own(write: Write) -> None:
    """Defaults do not hide what is wrong."""
    told = refused(write("a.yaml", "defaults: {tags: [x]}\nscenarios:\n- {name: a, tags: y}\n"))
    assert told[0].startswith("a.yaml:3:13: a.tags: expected a list of strings, got 'y'")


TABLE = {
    "name": "width ${w}",
    "tool_calls": [{"tool": "t", "args": {"w": "${w}"}, "assertions": [["w", "eq", "${w}"]]}],
    "tags": ["${kind}"],
    "parametrize": [{"w": 1, "kind": "small"}, {"w": "1", "kind": "text"}],
}


def lines(write: Write, *records: Any) -> Path:
    """An NDJSON file of these records."""
    return write("a.ndjson", "".join(f"{json.dumps(each)}\n" for each in records))


def test_a_table_makes_scenarios(write: Write) -> None:
    """Each row is a scenario whose values keep their types; two rows of one name are refused."""
    table = {**TABLE, "name": "${kind} ${w}"}
    found = list(load(lines(write, table)))
    assert [each.name for each in found] == ["small 1", "text 1"]
    assert [each.tool_calls[0].args for each in found] == [{"w": 1}, {"w": "1"}]
    assert [each.tags for each in found] == [("small",), ("text",)]


def test_two_rows_of_one_name_are_refused(write: Write) -> None:
    """A table that makes the same name twice would run half of what it says."""
    (told,) = refused(lines(write, TABLE))
    assert told.startswith("a.ndjson:1: 'width 1': the name is taken by 'width 1' at ")
    assert told.count("a.ndjson:1") == 2


def test_a_row_s_wrong_value_is_told_where_it_goes(write: Write) -> None:
    """A value that its field refuses is told with the field, and the scenario of its row."""
    table = {"name": "${n}", "timeout_s": "${t}", **CALL}
    table["parametrize"] = [{"n": "good", "t": 5}, {"n": "bad", "t": "5"}]
    (told,) = refused(lines(write, table))
    assert told == "a.ndjson:1:18: bad.timeout_s: expected a number above 0, got '5'"


def test_a_wrong_table_is_told_with_its_place(write: Write) -> None:
    """Columns that are unknown or unused have file, line and column."""
    told = refused(
        write(
            "a.yaml",
            """
            - name: ${widht}
              parametrize:
                - {width: 1}
            - name: b ${n}
              parametrize:
                - {n: 1, m: 2}
            """,
        )
    )
    assert [each.partition(";")[0] for each in told] == [
        "a.yaml:2:3: ${widht}.name: no column 'widht' in the row 'width'",
        "a.yaml:7:14: b ${n}.parametrize[0].m: the column 'm' is not used",
    ]


def test_defaults_are_below_a_table(write: Write) -> None:
    """Defaults reach every scenario that a table makes."""
    table = {"name": "${n}", **CALL, "parametrize": [{"n": "a"}, {"n": "b"}]}
    found = load(lines(write, {"defaults": {"tags": ["x"]}}, table))
    assert [each.tags for each in found] == [("x",), ("x",)]


def test_problems_come_in_the_order_of_the_file(write: Write) -> None:
    """Whatever field of a noun comes first, the reader goes down the file once."""
    told = refused(
        write(
            "a.yaml",
            """
            - tool_calls:
                - {tool: t, lable: x}
              tags: y
              name: a
              descripton: z
            - name: b
              tool_calls: [{tool: t, assertions: [[x, eqq, 1], {op: eq, path: 3}]}]
              difficulty: hard
            """,
        )
    )
    places = [tuple(map(int, each.split(":")[1:3])) for each in told]
    assert places == sorted(places)
    assert places == [(3, 17), (4, 3), (6, 3), (8, 43), (8, 61), (9, 3)]


def test_a_line_that_is_no_json_hides_no_wrong_scenario(write: Write) -> None:
    """All lines of a file that are wrong are told together, in their order."""
    good, typo = json.dumps({"name": "a", **CALL}), json.dumps({"name": "b", "tag": [], **CALL})
    path = write("a.ndjson", f"{typo}\n{{broken\n{good}\n{typo.replace('b', 'c')}\n")
    assert [each.split(":")[1] for each in refused(path)] == ["1", "2", "4"]


def test_a_scenario_knows_its_line(write: Write) -> None:
    """`source` is file and line, in every format that has lines."""
    found = load(write("a.yaml", YAML))
    assert [each.source for each in found] == [f"{found.source}:7", f"{found.source}:9"]
    found = load(lines(write, {"name": "a", **CALL}, {"name": "b", **CALL}))
    assert [each.source for each in found] == [f"{found.source}:1", f"{found.source}:2"]
    path = write("a.json", json.dumps([{"name": "a", **CALL}, {"name": "b", **CALL}], indent=1))
    assert [each.source for each in load(path)] == [f"{path}:2", f"{path}:10"]


def test_a_scenario_is_at_home(write: Write) -> None:
    """It belongs to the file's catalogue, as one that a Python file registers does."""
    found = load(write("a.yaml", YAML))
    assert all(each.home is found for each in found)
    assert (found.name, found.source) == ("a", str(Path("a.yaml").absolute()))


@pytest.mark.parametrize(
    ("first", "second"),
    [("a", "a"), ("A", "a"), ("caf\u00e9", "cafe\u0301"), ("\ufb01t", "\ufb01T")],
)
@pytest.mark.parametrize("suffix", [".yaml", ".json", ".ndjson"])
def test_a_name_that_is_taken_names_both_places(
    write: Write, suffix: str, first: str, second: str
) -> None:
    """Two scenarios of one name are refused with both lines, in every format."""
    records = [json.dumps({"name": each, **CALL}) for each in (first, "between", second)]
    listed = "[" + ",\n".join(records) + "]"
    path = write(f"a{suffix}", "\n".join(records) if suffix == ".ndjson" else listed)
    (told,) = refused(path)
    assert told.startswith("a" + suffix + ":3:")
    assert f"a{suffix}:1" in told


def test_names_that_are_taken_are_left_to_who_reads_on(write: Write) -> None:
    """`read` leaves them with the catalogue, so that they are told with the rest."""
    path = lines(write, {"name": "a", **CALL}, {"name": "a", **CALL})
    assert len(read(path).problems) == 1


def test_a_name_that_is_a_number_is_refused(write: Write) -> None:
    """`1` in a file is a number, and no name: "1" is one."""
    assert refused(write("a.yaml", "- {name: 1}\n- {name: '1', tool_calls: [{tool: t}]}\n")) == [
        "a.yaml:1:4: name: expected a string, got 1"
    ]


SHOP = """
from evalkit import Scenario, ToolCall, _s, operator

def double(value):
    return 2 * value

NUMBER = 3
TOOLS = {"t": lambda **args: args}

@operator("is_even")
def is_even(actual, assertion, context):
    return actual % 2 == 0

_s(Scenario("of_the_shop", tool_calls=[ToolCall("t")]))
"""
NAMING: dict[str, Any] = {
    "name": "a",
    "tool_calls": [
        {"tool": "t", "save_as": {"x": ""}},
        {"tool": "t", "context_args": {"v": "x"}, "arg_transforms": {"v": "shop:double"}},
    ],
}


def test_a_file_names_tools_where_it_may(write: Write) -> None:
    """With `allow_import`, `tools` is imported from beside the file."""
    write("shop.py", SHOP)
    found = load(lines(write, {"tools": "shop:TOOLS"}, {"name": "a", **CALL}), allow_import=True)
    assert found.tools["t"](n=1) == {"n": 1}


def test_a_file_names_functions_where_it_may(write: Write) -> None:
    """With `allow_import`, the function of an argument is the one of that name."""
    write("shop.py", SHOP)
    (scenario,) = load(lines(write, NAMING), allow_import=True)
    assert scenario.tool_calls[1].arg_transforms["v"](4) == 8


def test_nothing_is_imported_where_it_may_not(write: Write) -> None:
    """Without `allow_import` no line of a module that a file names is executed."""
    write("shop.py", "raise AssertionError('was imported')\n")
    found = load(lines(write, {"tools": "shop:TOOLS"}, {"name": "a", **CALL}))
    assert found.tools is None
    assert "'shop:TOOLS'" in found.tools_hint
    assert "--allow-import" in found.tools_hint
    assert refused(lines(write, NAMING)) == [
        (
            "a.ndjson:1:128: a.tool_calls[1].arg_transforms.v: "
            "a file may not name the function 'shop:double'; --allow-import lets it"
        )
    ]


@pytest.mark.parametrize(
    ("tools", "told"),
    [
        ("shpo:TOOLS", "No module named 'shpo'"),
        ("shop:TOLS", "shop has no 'TOLS'; did you mean 'TOOLS'?"),
        ("shop", "'shop' names no object; write package.module:NAME"),
        ("broken:TOOLS", "ZeroDivisionError"),
    ],
)
def test_tools_that_can_not_be_imported_are_told_with_their_place(
    write: Write, tools: str, told: str
) -> None:
    """What is wrong with a name of tools is told where the file says it."""
    write("shop.py", SHOP)
    write("broken.py", "1 / 0\n")
    path = write(
        "a.yaml", f"tools: {tools}\nscenarios:\n- {{name: a, tool_calls: [{{tool: t}}]}}\n"
    )
    (found,) = refused(path, allow_import=True)
    assert found.startswith("a.yaml:1:1: ")
    assert told in found


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("shop:duoble", "shop has no 'duoble'; did you mean 'double'?"),
        ("shpo:double", "No module named 'shpo'"),
        ("double", "'double' names no object; write package.module:NAME"),
        ("shop:NUMBER", "expected a function of one value, got 3"),
    ],
)
def test_functions_that_can_not_be_imported_are_told_with_their_place(
    write: Write, name: str, told: str
) -> None:
    """What is wrong with a name of a function is told where the file says it."""
    write("shop.py", SHOP)
    data = json.loads(json.dumps(NAMING).replace("shop:double", name))
    (found,) = refused(lines(write, data), allow_import=True)
    assert found.startswith("a.ndjson:1:128: ")
    assert "a.tool_calls[1].arg_transforms.v: " in found
    assert told in found


def test_operators_of_the_tools_module_are_known(write: Write) -> None:
    """What `@operator` adds in the module of the tools may be used in the file."""
    write("shop.py", SHOP)
    asserted = {"name": "a", "tool_calls": [{"tool": "t", "assertions": [["n", "is_even"]]}]}
    path = lines(write, {"tools": "shop:TOOLS"}, asserted)
    assert [each.name for each in load(path, allow_import=True)][-1] == "a"
    (told,) = refused(path)
    assert "unknown operator 'is_even'" in told


def test_scenarios_of_the_tools_module_are_not_the_file_s(write: Write) -> None:
    """A file of data holds its own scenarios, whatever else the module of its tools registers."""
    write("shop.py", SHOP)
    path = lines(write, {"tools": "shop:TOOLS"}, {"name": "a", **CALL})
    assert [each.name for each in load(path, allow_import=True)] == ["a"]


def test_the_scenarios_can_be_read_again(write: Write) -> None:
    """A source gives the same scenarios each time, and keeps none."""
    path = lines(write, {"name": "a", **CALL}, {"name": "b", **CALL})
    source = opened(path, Reading())
    first, second = list(source.scenarios()), list(source.scenarios())
    assert first == second
    assert len(source.catalogue) == 0


def test_what_is_wrong_comes_after_the_last(write: Write) -> None:
    """Good scenarios are given, and at the end it is told that there are wrong ones."""
    path = lines(write, {"name": "a", "tag": []}, {"name": "b", **CALL})
    found: list[Scenario] = []
    with pytest.raises(CatalogueError):
        found.extend(opened(path, Reading()).scenarios())
    assert [each.name for each in found] in ([], ["b"])


QUESTIONS = "id,question,gold\n1,Why?,x\n,What?,y\n3,,z\n"


def test_what_is_wrong_with_a_question_is_told_by_its_row(write: Write) -> None:
    """A foreign record that its format refuses is told with its line and its own field."""
    columns = {"name": ("id",), "prompt": ("question",), "answers": ("gold",)}
    told = refused(write("a.csv", QUESTIONS), columns=columns)
    assert [each.split(": ")[:2] for each in told] == [["a.csv:3", "id"], ["a.csv:4", "question"]]
