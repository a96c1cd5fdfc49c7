"""How answers of another program are graded: `grade DATASET --predictions FILE`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
Write = Callable[[str, str], str]

QUESTIONS = """
- {name: q1, prompt: "Capital of France?", answers: [Paris], tags: [geo]}
- {name: q2, prompt: "Two plus two?", answers: {golds: ["4", four], match: contains}}
- {name: q3, prompt: "Colour of oak?", answers: {golds: [light brown], match: f1}, tags: [wood]}
"""
ANSWERS = {"q1": "the Paris.", "q2": "It is four", "q3": "brown"}


@pytest.fixture(autouse=True)
def questions(write: Write) -> None:
    """Have a file of questions, and one of answers."""
    write("q.yaml", QUESTIONS)
    write("p.json", json.dumps(ANSWERS))


def told(done: Any) -> Any:
    """The one JSON object of what was answered with `--json`."""
    return json.loads(done.out)


def statuses(done: Any) -> dict[str, str]:
    """The status of each scenario of what was answered with `--json`."""
    return {each["name"]: each["status"] for each in told(done)["scenarios"]}


def graded(cli: Cli, answers: Any, *argv: str) -> Any:
    """What grading these answers comes to, as JSON."""
    Path("p.json").write_text(json.dumps(answers))
    return cli("grade", "q.yaml", "--predictions", "p.json", "--json", *argv)


def test_answers_are_graded(cli: Cli) -> None:
    """Each answer is held against its golds by the rule of its question."""
    done = graded(cli, ANSWERS)
    assert statuses(done) == {"q1": "passed", "q2": "passed", "q3": "passed"}
    assert done.code == 0
    metrics = told(done)["summary"]["metrics"]
    assert metrics["exact_match"]["n"] == metrics["f1"]["n"] == 3
    assert metrics["exact_match"]["mean"] == pytest.approx(1 / 3)


def test_a_wrong_answer_fails(cli: Cli) -> None:
    """Wrong, empty and null are FAILED, and so is the run."""
    done = graded(cli, {"q1": "London", "q2": "", "q3": None})
    assert set(statuses(done).values()) == {"failed"}
    assert done.code == 1


@pytest.mark.parametrize(
    "assertion",
    ["[response, exists]", "[response, ne, x]", "[response, not_contains, x]"],
)
def test_no_answer_passes_nothing(cli: Cli, write: Write, assertion: str) -> None:
    """A null passes no assertion on the response, whatever it asks for; an answer does."""
    write("q.yaml", f"- {{name: q1, prompt: Hi, assertions: [{assertion}]}}\n")
    assert statuses(graded(cli, {"q1": None})) == {"q1": "failed"}
    assert statuses(graded(cli, {"q1": "y"})) == {"q1": "passed"}


FORMS = {
    "p.ndjson": "".join(
        json.dumps({"id": name, "prediction": text}) + "\n" for name, text in ANSWERS.items()
    ),
    "p.json": json.dumps(ANSWERS),
    "list.json": json.dumps([{"name": name, "response": text} for name, text in ANSWERS.items()]),
    "p.csv": "qid,answer\n" + "".join(f"{name},{text}\n" for name, text in ANSWERS.items()),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_gives_the_same(cli: Cli, write: Write, name: str) -> None:
    """NDJSON, one object, a list and a table are the same answers, to the digest."""
    found = told(graded(cli, ANSWERS))["digest"]
    write(name, FORMS[name])
    assert told(cli("grade", "q.yaml", "--predictions", name, "--json"))["digest"] == found


def test_fields_of_any_names(cli: Cli, write: Write) -> None:
    """`--predictions-map` says which fields are what."""
    rows = [{"frage": name, "antwort": text, "id": 1} for name, text in ANSWERS.items()]
    write("list.json", json.dumps(rows))
    argv = ("grade", "q.yaml", "--predictions", "list.json", "--json")
    assert cli(*argv).code == 4
    done = cli(*argv, "--predictions-map", "name=frage,response=antwort")
    assert set(statuses(done).values()) == {"passed"}


def test_a_missing_answer_stays_in_the_total(cli: Cli) -> None:
    """What has no answer is ERROR, counts 0 in every rate, and is named and counted."""
    done = graded(cli, {"q1": "Paris"})
    assert statuses(done) == {"q1": "passed", "q2": "error", "q3": "error"}
    summary = told(done)["summary"]
    assert (summary["scenarios_total"], summary["scenarios_error"]) == (3, 2)
    assert summary["metrics"]["f1"]["n"] == 3
    assert summary["metrics"]["f1"]["mean"] == pytest.approx(1 / 3)
    assert done.code == 1
    assert any("2 scenarios without an answer: 'q2', 'q3'" in note for note in told(done)["notes"])


def test_a_missing_answer_is_never_an_expected_failure(cli: Cli, write: Write) -> None:
    """A scenario that is known to fail was not measured, and so did not fail as expected."""
    write("q.yaml", QUESTIONS.replace("tags: [geo]", "xfail: known"))
    assert statuses(graded(cli, {"q2": "4"}))["q1"] == "error"
    assert statuses(graded(cli, {"q1": "London"}))["q1"] == "xfailed"


def test_an_answer_to_nothing_is_named(cli: Cli) -> None:
    """An answer that belongs to no scenario is told, and counts for nothing."""
    done = graded(cli, {**ANSWERS, "q4": "x", "Q1": "y"})
    assert told(done)["summary"]["scenarios_total"] == 3
    assert any(
        "2 answers to no scenario there is: 'q4', 'Q1'" in each for each in told(done)["notes"]
    )


def test_the_notes_are_shown_to_a_reader(cli: Cli) -> None:
    """What is missing on either side is said without `--json` as well."""
    Path("p.json").write_text('{"q1": "Paris", "q9": "x"}')
    out = cli("grade", "q.yaml", "--predictions", "p.json").out
    assert "2 scenarios without an answer: 'q2', 'q3'" in out
    assert "1 answer to no scenario there is: 'q9'" in out


def test_answers_to_nothing_at_all(cli: Cli) -> None:
    """Where no answer fits, nothing is measured, and nothing passes."""
    done = graded(cli, {"1": "Paris", "2": "4"})
    assert set(statuses(done).values()) == {"error"}
    assert done.code == 1


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ('{"id": "q1", "answer": "x"}\n{"id": "q1", "answer": "x"}\n', "a second answer to 'q1'"),
        ('{"id": "q1", "answer": 5}\n', "expected a text or null, got 5"),
        ('{"id": "q1", "answer": ["Paris"]}\n', "expected a text or null, got ['Paris']"),
        ('{"id": "q1"}\n', "can't tell which field"),
        ("", "p.ndjson"),
    ],
)
def test_a_file_of_answers_that_is_wrong_is_exit_4(
    cli: Cli, write: Write, content: str, what: str
) -> None:
    """Twice, no text, or nothing: the file is refused, and nothing graded."""
    write("p.ndjson", content)
    done = cli("grade", "q.yaml", "--predictions", "p.ndjson", "--json")
    assert (done.code, done.out) == (4, "")
    assert what in done.err


def test_a_file_of_answers_that_is_not_there_is_exit_4(cli: Cli) -> None:
    """A typo in its name is told."""
    done = cli("grade", "q.yaml", "--predictions", "predictions.json")
    assert done.code == 4
    assert "predictions.json" in done.err


def test_what_is_wrong_with_answers_hides_nothing_of_the_questions(cli: Cli, write: Write) -> None:
    """A question set that is wrong is refused as ever."""
    write("q.yaml", QUESTIONS.replace("answers: [Paris]", "answrs: [Paris]"))
    done = graded(cli, ANSWERS)
    assert done.code == 4
    assert "q.yaml:2:" in done.err
    assert "did you mean 'answers'?" in done.err


def test_a_selection_is_graded(cli: Cli) -> None:
    """Answers to what is not selected are answers to something there is."""
    done = graded(cli, ANSWERS, "-t", "wood")
    assert statuses(done) == {"q3": "passed"}
    assert not any("no scenario there is" in note for note in told(done)["notes"])


def test_a_selection_of_nobody_is_exit_5(cli: Cli) -> None:
    """Nothing selected is nothing measured."""
    assert graded(cli, ANSWERS, "-k", "nobody").code == 5


def test_what_needs_tools_is_skipped(cli: Cli, write: Write) -> None:
    """A scenario with tool calls can't be graded by answers: SKIPPED and named, never passed."""
    write("q.yaml", QUESTIONS + "- {name: q4, prompt: Add, tool_calls: [{tool: add}]}\n")
    done = graded(cli, {**ANSWERS, "q4": "done"})
    assert statuses(done)["q4"] == "skipped"
    assert told(done)["summary"]["scenarios_skipped"] == 1


def test_nothing_but_what_needs_tools_is_exit_5(cli: Cli, write: Write) -> None:
    """A run in which nothing was measured does not pass."""
    write("q.yaml", "- {name: q1, prompt: Add, tool_calls: [{tool: add}]}\n")
    assert graded(cli, {"q1": "done"}).code == 5


def test_what_answers_do_not_show_is_skipped(cli: Cli, write: Write) -> None:
    """An assertion on calls or turns holds of none: there is nothing to see."""
    asserted = "[[calls, len_eq, 0], [response, contains, Paris]]"
    write("q.yaml", f"- {{name: q1, prompt: Where, assertions: {asserted}}}\n")
    (result,) = told(graded(cli, {"q1": "Paris"}))["scenarios"]
    assert [check["status"] for check in result["checks"]] == ["skipped", "passed"]


def test_a_run_is_recorded_and_graded_again(cli: Cli) -> None:
    """The log is that of any run: `report` and `grade` give the same verdicts from it alone."""
    done = graded(cli, {"q1": "Paris", "q2": "five"}, "--label", "mine")
    Path("p.json").unlink()
    for command in ("report", "grade"):
        again = cli(command, "mine", "--json")
        assert statuses(again) == statuses(done)
        assert told(again)["digest"] == told(done)["digest"]
        assert told(again)["summary"]["metrics"] == told(done)["summary"]["metrics"]
        assert again.code == done.code


def test_answers_are_graded_again_by_the_rules_of_today(cli: Cli, write: Write) -> None:
    """A gold that was corrected decides anew, on the answers that were recorded."""
    graded(cli, {"q1": "London", "q2": "4", "q3": "brown"})
    write("q.yaml", QUESTIONS.replace("[Paris]", "[London]"))
    assert statuses(cli("grade", "latest", "--json"))["q1"] == "passed"


def test_a_table_is_graded_again(cli: Cli, write: Write) -> None:
    """How the questions are to be read is in the log, too."""
    write("q.csv", "id,question,gold\nq1,Capital?,Paris\n")
    argv = ("--map", "name=id,prompt=question,answers=gold", "--match", "contains")
    done = cli("grade", "q.csv", *argv, "--predictions", "p.json", "--json")
    assert statuses(done) == {"q1": "passed"}
    assert statuses(cli("grade", "latest", "--json")) == {"q1": "passed"}


@pytest.mark.parametrize("option", [["--no-log"], []])
def test_recording_may_be_left_out(cli: Cli, option: list[str]) -> None:
    """With `--no-log` nothing is written."""
    graded(cli, ANSWERS, *option)
    assert Path(".evalkit").exists() is not bool(option)


def test_a_report_is_written(cli: Cli) -> None:
    """`-o` is as for any run."""
    done = graded(cli, ANSWERS, "-o", "x.json")
    assert json.loads(Path("x.json").read_text()) == told(done)


@pytest.mark.parametrize(
    ("argv", "what"),
    [
        (["--predictions-map", "name=id"], "name=ID,response=ANSWER"),
        (["--resume"], "--resume"),
        (["--epochs", "2"], "--epochs"),
        (["--tools", "shop:TOOL_DISPATCH"], "--tools"),
        (["--salvage"], "--salvage"),
        (["--match", "f2"], "'f2'"),
        (["-t", "gep"], "did you mean 'geo'?"),
    ],
    ids=" ".join,
)
def test_an_option_that_says_nothing_of_answers_is_exit_4(
    cli: Cli, argv: list[str], what: str
) -> None:
    """What bears on calls or on a log can't be said of answers, and is not passed over."""
    done = cli("grade", "q.yaml", "--predictions", "p.json", *argv)
    assert done.code == 4, done.out
    assert what in done.err


def test_a_map_without_predictions_is_exit_4(cli: Cli) -> None:
    """Which fields are what says nothing of a recorded run."""
    graded(cli, ANSWERS)
    done = cli("grade", "latest", "--predictions-map", "name=id,response=answer")
    assert done.code == 4
    assert "--predictions-map is for --predictions" in done.err


def test_several_files_are_one_question_set(cli: Cli, write: Write) -> None:
    """One file of answers is for all the questions."""
    first, second, third = QUESTIONS.strip().split("\n")
    write("q.yaml", first)
    write("r.yaml", f"{second}\n{third}\n")
    done = cli("grade", "q.yaml", "r.yaml", "--predictions", "p.json", "--json")
    assert set(statuses(done).values()) == {"passed"}
    assert told(done)["notes"] == []
