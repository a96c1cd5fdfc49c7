"""What a hostile review of files, question sets and predictions found: each of it stays mended."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, CatalogueError, Op, Ref, Scenario, Status, ToolCall, check, load, run
from evalkit.cli import main
from evalkit.writers import written

Write = Callable[[str, Any], Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a file of JSON, or of the text it is given, into the folder one stands in."""
    monkeypatch.chdir(tmp_path)

    def act(name: str, content: Any) -> Path:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return act


def refused(path: Path, **options: Any) -> str:
    """What a file is refused with."""
    with pytest.raises(CatalogueError) as caught:
        load(path, **options)
    return "\n".join(map(str, caught.value.problems))


CALL: dict[str, Any] = {"tool": "t", "args": {}}


def over(rows: list[Any], **fields: Any) -> list[Any]:
    """One scenario over a table."""
    return [{"name": "n ${i}", "tool_calls": [{**CALL, **fields}], "parametrize": rows}]


def test_a_run_is_graded_again_by_the_rule_it_was_graded_by(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the command line said of the questions counts again, unless it says something else."""
    write("q.json", [{"id": "a", "input": "?", "target": "Rome"}])
    write("p.json", {"a": "its rome!"})
    strict = ("--match", "exact_match", "--normalize", "raw")
    assert main(("grade", "q.json", "--predictions", "p.json", *strict, "--label", "one")) == 1
    assert main(("grade", "one")) == 1
    assert main(("grade", "one", "q.json", "--match", "contains", "--normalize", "words")) == 0
    capsys.readouterr()


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"save_as": {"${k}": "x", "a": "y"}}, "the key 'a' is there twice"),
        ({"assertions": [["", "subset", {"${k}": 2, "a": 1}]]}, "the key 'a' is there twice"),
        ({"args": {"${m}": 1}}, "expected a text as the key, got {'x': 1}"),
        ({"assertions": [["", "ne", "${i"]]}, "is not closed"),
        ({"assertions": [["", "ne", "${{i}}"]]}, "is not closed"),
        ({"assertions": [["", "ne", "${a${k}}"]]}, "is not closed"),
    ],
    ids=str,
)
def test_a_table_that_loses_something_is_refused(
    write: Write, fields: dict[str, Any], told: str
) -> None:
    """Keys that meet, keys that are no texts, placeholders that are none: nothing disappears."""
    row = {"i": 1, "k": "a", "m": {"x": 1}}
    assert told in refused(write("a.json", over([row], **fields)))


def test_what_is_meant_as_text_is_written_with_two_signs(write: Write) -> None:
    """`$${` stands for itself."""
    path = write("a.json", over([{"i": 1}], args={"home": "$${HOME}", "n": "${i}"}))
    (scenario,) = load(path)
    assert scenario.tool_calls[0].args == {"home": "${HOME}", "n": 1}


def test_a_folder_hides_nothing(write: Write) -> None:
    """Linked folders are gone through, and a link that leads nowhere is refused."""
    write("suite/a.json", [{"name": "a", "tool_calls": [CALL]}])
    write("other/b.json", [{"name": "b", "tool_calls": [CALL]}])
    Path("suite/linked").symlink_to(Path("other").absolute())
    Path("suite/linked/back").symlink_to(Path("suite").absolute())
    report = run("suite", tools={"t": dict})
    assert [result.name for result in report.results] == ["a", "b"]
    Path("suite/z.yaml").symlink_to("nowhere.yaml")
    with pytest.raises(CatalogueError, match=r"z\.yaml: there is no such file"):
        run("suite", tools={"t": dict})


def test_a_file_without_a_name_is_none(write: Write) -> None:
    """An empty word, as of a variable that is not set, is not the folder one stands in."""
    write("a.json", [{"name": "a", "tool_calls": [CALL]}])
    with pytest.raises(CatalogueError, match="the name of a file is empty"):
        run("", tools={"t": dict})


@pytest.mark.parametrize("mapping", ["name=id,response=id", "name=a,name=id,response=r"])
def test_a_map_of_predictions_names_two_fields(write: Write, mapping: str) -> None:
    """The id is never graded as the answer, and no part of a map is passed over."""
    write("q.json", [{"name": "Paris", "answers": ["Paris"]}])
    write("p.json", [{"id": "Paris", "r": "x"}])
    argv = ("grade", "q.json", "--predictions", "p.json", "--predictions-map", mapping)
    assert main(argv) == 4


def test_blanks_in_a_map_are_none_of_a_name(write: Write) -> None:
    """As in `--map`."""
    write("q.json", [{"name": "a", "answers": ["Paris"]}])
    write("p.json", [{"id": "a", "r": "Paris"}])
    argv = (
        "grade",
        "q.json",
        "--predictions",
        "p.json",
        "--predictions-map",
        "name=id, response=r",
    )
    assert main(argv) == 0


def test_one_record_is_one_answer(write: Write) -> None:
    """An object of an id and an answer is no table of two answers."""
    path = write("p.json", {"id": "q", "prediction": "Paris"})
    report = run(Scenario.single("q", "?", "Paris"), predictions=path)
    assert report.passed
    assert report.notes == ()


@pytest.mark.parametrize(
    "assertion",
    [
        Assertion("response", Op.NE, "Paris"),
        Assertion("response", Op.NOT_IN, ["x"]),
        Assertion("response", Op.EXISTS),
        Assertion("response", Op.IS_NULL),
    ],
    ids=lambda assertion: str(assertion.op),
)
def test_no_answer_passes_nothing(assertion: Assertion) -> None:
    """A prediction that is null fails every assertion, negated ones too."""
    report = run(Scenario("q", "?", assertions=[assertion]), predictions={"q": None})
    (result,) = report.results
    assert (result.status, result.checks[0].code) == (Status.FAILED, "no_answer")


@pytest.mark.parametrize(
    "option", [{"epochs": 3}, {"tools": {}}, {"executor": "threads"}, {"until_sure": 0.9}], ids=str
)
def test_what_says_nothing_of_answers_is_refused(option: dict[str, Any]) -> None:
    """An option of running is not passed over where answers are graded."""
    with pytest.raises(CatalogueError, match="says nothing"):
        run(Scenario.single("q", "?", "Paris"), predictions={"q": "Paris"}, **option)


def test_an_answer_to_nobody_names_the_nearest() -> None:
    """A name that is mistyped is seen from the note."""
    report = run(Scenario.single("capital", "?", "x"), predictions={"capitl": "x", "capital": "x"})
    assert report.notes == ("1 answer to no scenario there is: 'capitl' (nearest 'capital')",)


def test_what_every_trace_holds_measures_nothing() -> None:
    """Who looks only at what the subject is called has looked at nothing."""
    found = [Assertion("subject", Op.EQ, "agent"), Assertion("schema", Op.EXISTS)]
    report = run(Scenario("q", "?", assertions=found), predictions={"q": "x"})
    assert [result.status for result in report.results] == [Status.SKIPPED]
    assert report.exit_code == 5


def test_a_record_without_a_question_is_told(write: Write) -> None:
    """What is in the file and gives nothing is no smaller total."""
    rows = [
        {"session_id": "s1", "qa": [{"question": "?", "answer": "x"}]},
        {"session_id": "s2", "qa": []},
    ]
    assert "holds no question" in refused(write("l.json", rows))


def test_to_say_nothing_is_right_where_it_is_wanted() -> None:
    """What is taken out of an empty answer is nothing, and an unanswerable question wants that."""
    asked = Assertion("", Op.EXACT_MATCH, "", extract="first_line")
    assert check(asked, "").passed
    assert not check(asked, "Paris").passed
    assert not check(asked.but(expected="x"), "").passed


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "string", "format": "email"}, "format, which is not checked"),
        ({"items": {"format": "datetme"}}, "format, which is not checked"),
        ({"if": {"type": "string"}}, "without then or else"),
        ({"minContains": 2}, "without contains"),
        ({"properties": {"a": {"const": Ref("s")}}}, "holds no saved values"),
    ],
    ids=str,
)
def test_a_schema_that_checks_nothing_is_refused(schema: dict[str, Any], told: str) -> None:
    """What a validator passes over in silence is told before the run."""
    with pytest.raises(CatalogueError, match=told):
        check(Assertion("", Op.SCHEMA, schema), "zzz")


def test_a_saved_schema_can_t_be_written() -> None:
    """In a file its `$ref` would be one of JSON Schema."""
    call = ToolCall("t", assertions=[Assertion("", Op.SCHEMA, Ref("s"))])
    for suffix in (".json", ".yaml", ".toml", ".ndjson"):
        with pytest.raises(CatalogueError, match="can't be a saved value"):
            written([Scenario("a", tool_calls=[call])], suffix)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_for_one_process(write: Write) -> None:
    """Other processes would wait for what has been read already."""
    write("tools.py", "TOOLS = {'t': dict}\n")
    os.mkfifo("f.ndjson")
    with pytest.raises(CatalogueError, match=r"no other process can read f\.ndjson"):
        run("f.ndjson", tools="tools:TOOLS", executor="processes", workers=2)


def test_without_tools_the_rest_is_told_too(write: Write) -> None:
    """That there are no tools hides no mistake of a file that is read line by line."""
    lines = [{"name": "a", "tool_calls": [CALL]}, {"name": "b", "tol_calls": []}]
    path = write("a.ndjson", "\n".join(map(json.dumps, lines)) + "\n{cut")
    with pytest.raises(CatalogueError) as caught:
        run(path)
    told = "\n".join(map(str, caught.value.problems))
    for part in ("no tools to run against", "a.ndjson:2:", "a.ndjson:3:"):
        assert part in told


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        (r"\boxed{- 5}", -5),
        ("profit: - $5", -5),
        ("$x = - 5$", -5),
        ("#### - 5", -5),
        (r"5\ 000", 5000),
        ("- 5 apples", 5),
        ("he is - 5 now", 5),
    ],
)
def test_a_sign_with_a_blank_after_it_counts(text: str, stated: int) -> None:
    """Where a number opens what is stated, its sign may stand apart; a bullet is none."""
    assert check(Assertion("", Op.NUMERIC, stated), text).passed
    assert not check(Assertion("", Op.NUMERIC, -stated), text).passed


def test_give_or_take_is_no_number() -> None:
    """What states a range states no number, and not its last part."""
    assert not check(Assertion("", Op.NUMERIC, 1), "5±1").passed


def test_convert_says_what_it_leaves_out(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    """Two answers to where it goes, and a folder that is not there, are refused."""
    write("a.json", [{"name": "a", "tool_calls": [CALL]}])
    assert main(("convert", "a.json", "-o", "b.yaml", "--to", "json")) == 4
    assert main(("convert", "a.json", "-o", "nowhere/b.yaml")) == 4
    assert "no such folder" in capsys.readouterr().err
