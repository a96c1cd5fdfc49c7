"""How scenarios go from one kind of file to another, and the schema that editors check by."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from evalkit import load
from evalkit.codec import schema
from evalkit.writers import WRITERS

Cli = Callable[..., Any]
Write = Callable[[str, str], str]

SUFFIXES = sorted(WRITERS)
CASES = """
from evalkit import Answers, Assertion, Op, Ref, Scenario, ToolCall, Turn, _s

TOOL_DISPATCH = {"add": lambda a, b: {"sum": a + b}}

_s(Scenario(
    "no",
    [Turn("system", "Be brief: yes"), Turn("user", "1e3?")],
    [
        ToolCall("add", {"a": 1, "b": 2.0}, [Assertion("sum", Op.EQ, 3)], save_as={"s": "sum"}),
        ToolCall("add", {"a": Ref("s"), "b": 0}, context_args={"b": "s"}, expect_error="(?i)no"),
    ],
    tags=["~", "on"],
    answers=Answers(["0o17"], "f1", threshold=0.25),
    metadata={"deep": [{"": []}], "n": 2**70},
    xfail="# why",
    epochs=3,
    pass_epochs=2,
))
_s(Scenario("plain", tool_calls=[ToolCall("add", {"a": 1, "b": 2})]))
"""


KINDS = [".json", ".ndjson", ".toml", ".yaml"]


@pytest.mark.parametrize("second", KINDS)
@pytest.mark.parametrize("first", KINDS)
def test_every_way(cli: Cli, write: Write, first: str, second: str) -> None:
    """From Python to any kind of file, and from that to any other, the scenarios are equal."""
    meant = list(load(write("cases.py", CASES)))
    assert cli("convert", "cases.py", "-o", f"one{first}").code == 0
    assert cli("convert", f"one{first}", "-o", f"two{second}").code == 0
    assert list(load(f"one{first}")) == list(load(f"two{second}")) == meant


@pytest.mark.parametrize("kind", [suffix[1:] for suffix in SUFFIXES])
def test_stdout_gets_what_a_file_would(cli: Cli, write: Write, kind: str) -> None:
    """Without a file, stdout has its very content, and nothing else."""
    write("cases.py", CASES)
    assert cli("convert", "cases.py", "-o", f"a.{kind}").code == 0
    done = cli("convert", "cases.py", "--to", kind)
    assert done.code == 0
    assert done.out == Path(f"a.{kind}").read_text(encoding="utf-8")


def test_stdout_is_pure(process: Cli, write: Write) -> None:
    """What the catalogue prints when it is loaded is not in the file."""
    write("cases.py", f"print('noise')\n{CASES}")
    done = process("convert", "cases.py", "--to", "ndjson", PYTHONIOENCODING="latin-1")
    assert done.code == 0
    assert [json.loads(line)["name"] for line in done.out.splitlines()] == ["no", "plain"]


def test_yaml_is_written_where_nothing_is_said(cli: Cli, write: Write) -> None:
    """YAML is what people read."""
    write("cases.py", CASES)
    assert cli("convert", "cases.py").out == cli("convert", "cases.py", "--to", "yaml").out


def test_a_selection_is_converted(cli: Cli) -> None:
    """Only what is selected is written."""
    done = cli("convert", "shop.py", "-t", "small", "--to", "ndjson")
    assert [json.loads(line)["name"] for line in done.out.splitlines()] == ["small_sum"]


def test_several_files_become_one(cli: Cli, write: Write) -> None:
    """The scenarios of all files are written, in their order."""
    write("cases.py", CASES)
    done = cli("convert", "cases.py", "shop.py", "-k", "plain or talk", "--to", "ndjson")
    assert [json.loads(line)["name"] for line in done.out.splitlines()] == ["plain", "talk"]


def test_a_name_that_two_files_share_is_refused(cli: Cli, write: Write) -> None:
    """A file that could not be loaded is not written."""
    write("more.py", CASES)
    write("cases.py", CASES)
    done = cli("convert", "cases.py", "more.py", "-o", "a.yaml")
    assert done.code == 4
    assert not Path("a.yaml").exists()


def test_a_question_set_becomes_scenarios(cli: Cli, write: Write) -> None:
    """A foreign file is written as evalkit's own, with its rule."""
    write("q.ndjson", '{"Prompt": "Why?", "Answer": "x"}\n')
    assert cli("convert", "q.ndjson", "-o", "a.yaml").code == 0
    assert list(load("a.yaml")) == list(load("q.ndjson"))


def test_defaults_and_tables_are_written_out(cli: Cli, write: Write) -> None:
    """What a head and a table say is in every scenario."""
    write(
        "a.yaml",
        """
        defaults: {tags: [x]}
        scenarios:
        - {name: "${n}", tool_calls: [{tool: t}], parametrize: [{n: a}, {n: b}]}
        """,
    )
    done = cli("convert", "a.yaml", "--to", "ndjson")
    call = {"tool_calls": [{"tool": "t"}], "tags": ["x"]}
    assert [json.loads(line) for line in done.out.splitlines()] == [
        {"name": "a", **call},
        {"name": "b", **call},
    ]


def test_the_tools_of_a_file_are_kept(cli: Cli, write: Write) -> None:
    """A file that names its tools names them in the other form as well: nothing is lost."""
    head = "tools: shop:TOOL_DISPATCH\nscenarios:\n"
    write("a.yaml", f"{head}- {{name: a, tool_calls: [{{tool: add, args: {{a: 1, b: 2}}}}]}}\n")
    assert cli("a.yaml", "--allow-import").code == 0
    assert cli("convert", "a.yaml", "-o", "b.json").code == 0
    assert cli("b.json", "--allow-import").code == 0


def test_functions_are_named(cli: Cli, write: Write) -> None:
    """A function of a module is written by its name, and found by that where it may be."""
    source = CASES.replace('context_args={"b": "s"}', 'context_args={"b": "s"}, FUNCTION')
    write("cases.py", source.replace("FUNCTION", 'arg_transforms={"b": abs}'))
    assert cli("convert", "cases.py", "-o", "a.yaml").code == 0
    assert "b: 'builtins:abs'" in Path("a.yaml").read_text().replace('"', "'")
    assert cli("convert", "a.yaml").code == 4
    assert cli("convert", "a.yaml", "--allow-import").out == Path("a.yaml").read_text()


@pytest.mark.parametrize(
    ("function", "told"),
    [("lambda value: value", "a file can't name"), ("str.upper", "a file can't name")],
)
def test_what_can_not_be_written_is_exit_4(
    cli: Cli, write: Write, function: str, told: str
) -> None:
    """A scenario that no file can hold is named with its line, and no file is written."""
    source = CASES.replace('context_args={"b": "s"}', 'context_args={"b": "s"}, FUNCTION')
    write("cases.py", source.replace("FUNCTION", f'arg_transforms={{"b": {function}}}'))
    done = cli("convert", "cases.py", "-o", "a.yaml")
    assert done.code == 4
    assert "cases.py:" in done.err
    assert told in done.err
    assert not Path("a.yaml").exists()


def test_null_is_no_toml(cli: Cli, write: Write) -> None:
    """What the other form has no word for is told, and no file is written."""
    write("a.yaml", "- {name: a, tool_calls: [{tool: t, args: {x: null}}]}\n")
    done = cli("convert", "a.yaml", "-o", "a.toml")
    assert done.code == 4
    assert "a.tool_calls[0].args.x: TOML has no null" in done.err
    assert not Path("a.toml").exists()


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["-o", "a.yml2"], "can't write '.yml2'"),
        (["-o", "a.py"], "can't write '.py'"),
        (["-o", "a"], "can't write ''"),
        (["-o", "nowhere/a.yaml"], "nowhere/a.yaml"),
        (["-o", "."], "."),
        (["--to", "py"], "'py'"),
        (["-t", "smal"], "did you mean 'small'?"),
        (["-k", "nobody"], "no scenario matches -k 'nobody'"),
    ],
    ids=" ".join,
)
def test_a_mistake_is_exit_4(cli: Cli, argv: list[str], told: str) -> None:
    """A kind of file, a folder or a selection that there is not is the author's mistake."""
    done = cli("convert", "shop.py", *argv)
    assert done.code == 4, done.err
    assert told in done.err
    assert done.out == ""


def test_a_file_is_written_whole_or_not_at_all(cli: Cli, write: Write) -> None:
    """What was there before stays where the new content can't be made."""
    write("a.toml", "kept = 1\n")
    write("a.yaml", "- {name: a, metadata: {x: null}, tool_calls: [{tool: t}]}\n")
    assert cli("convert", "a.yaml", "-o", "a.toml").code == 4
    assert Path("a.toml").read_text() == "kept = 1\n"


@pytest.mark.parametrize("setting", ['output = ["x.json"]', 'output = "x.json"'])
def test_the_reports_of_a_run_are_no_file_of_scenarios(
    cli: Cli, write: Write, setting: str
) -> None:
    """`output` in pyproject.toml is for reports: `convert` and `run` do not share it."""
    write("pyproject.toml", f"[tool.evalkit]\n{setting}\n")
    done = cli("convert", "shop.py", "-k", "talk", "--to", "ndjson")
    assert done.code == 0
    assert json.loads(done.out)["name"] == "talk"
    assert not Path("x.json").exists()
    assert cli("shop.py", "-t", "small").code == 0
    assert json.loads(Path("x.json").read_text())["summary"]["scenarios_passed"] == 1


def test_the_schema(cli: Cli) -> None:
    """`evalkit schema` is the JSON Schema of the codec, and valid itself."""
    done = cli("schema")
    assert done.code == 0
    assert json.loads(done.out) == schema()
    Draft202012Validator.check_schema(json.loads(done.out))


def test_the_schema_accepts_what_convert_writes(cli: Cli) -> None:
    """An editor finds nothing wrong with a file that evalkit has written."""
    found = json.loads(cli("convert", "shop.py", "--to", "json").out)
    assert Draft202012Validator(json.loads(cli("schema").out)).is_valid(found)
