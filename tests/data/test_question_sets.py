"""Question sets of other systems, graded by their own documented rules (SEEDS.md)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalkit.cli import main

FORMATS = Path(__file__).parents[2] / ".." / "shared" / "data" / "formats"
LEAN = FORMATS / "lean_ctx"
SUITES = [
    "accuracy-suite.ndjson",
    "footprint-suite.ndjson",
    "testbench/qa-api.ndjson",
    "testbench/code-fizz.ndjson",
]
Grade = Callable[..., Any]

here = pytest.mark.skipif(not LEAN.is_dir(), reason="the real inputs are not here")


@pytest.fixture
def grade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Grade:
    """Grade answers to the questions of a file: the exit code, and the report or what was said."""
    monkeypatch.chdir(tmp_path)

    def graded(file: Path | str, answers: dict[str, Any], *argv: str) -> Any:
        Path("p.json").write_text(json.dumps(answers))
        code = main(["grade", str(file), "--predictions", "p.json", "--json", "--no-log", *argv])
        out, err = capsys.readouterr()
        return code, json.loads(out) if out else err

    return graded


def statuses(report: Any) -> dict[str, str]:
    """The status of each scenario."""
    return {each["name"]: each["status"] for each in report["scenarios"]}


def records(suite: str) -> list[dict[str, Any]]:
    """The records of a file of lean-ctx's, without its comments."""
    lines = (LEAN / suite).read_text("utf-8").split("\n") if LEAN.is_dir() else []
    return [json.loads(line) for line in lines if line.strip() and not line.startswith("#")]


def of_lean_ctx(text: str) -> str:
    """Normalise as lean-ctx does: lower case, other characters blanks, no articles."""
    words = "".join(char if char.isalnum() else " " for char in text.lower()).split()
    return " ".join(word for word in words if word not in ("a", "an", "the"))


def passes(answer: str, golds: list[str]) -> bool:
    """Whether lean-ctx passes an answer: it equals a gold, or contains one."""
    said = [of_lean_ctx(gold) for gold in golds]
    return any(gold in of_lean_ctx(answer) for gold in said if gold)


VARIANTS: dict[str, Callable[[list[str]], str]] = {
    "the first gold": lambda golds: golds[0],
    "the last gold, shouted in a sentence": lambda golds: f"Well: {golds[-1].upper()}!",
    "with dashes": lambda golds: f"**{golds[0].replace(' ', '-')}**",
    "with articles": lambda golds: f"the {golds[0].replace(' ', ' the ')}",
    "negated": lambda golds: f"not {golds[0]}",
    "half of it": lambda golds: golds[0][: len(golds[0]) // 2],
    "its words in reverse": lambda golds: " ".join(reversed(golds[0].split())) + " x",
    "something else": lambda golds: "I don't know.",
    "nothing": lambda golds: "",
}


@here
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("suite", SUITES[:3])
def test_questions_of_lean_ctx(grade: Grade, suite: str, variant: str) -> None:
    """Every question passes exactly where lean-ctx's rule passes it: containment is a pass."""
    asked = [each for each in records(suite) if each["domain"] == "qa"]
    answers = {each["id"]: VARIANTS[variant](each["answers"]) for each in asked}
    _, report = grade(LEAN / suite, answers)
    found = statuses(report)
    for each in asked:
        good = passes(answers[each["id"]], each["answers"])
        assert found[each["id"]] == ("passed" if good else "failed"), answers[each["id"]]


@here
def test_the_variants_tell_right_from_wrong() -> None:
    """Among the answers above some pass everywhere, and some nowhere."""
    asked = [each for suite in SUITES for each in records(suite) if each["domain"] == "qa"]
    good = {
        name: sum(passes(VARIANTS[name](each["answers"]), each["answers"]) for each in asked)
        for name in VARIANTS
    }
    assert good["the first gold"] == good["negated"] == len(asked) == 9
    assert good["nothing"] == good["something else"] == 0


@here
@pytest.mark.parametrize("suite", SUITES)
def test_code_tasks_of_lean_ctx_are_skipped_and_named(grade: Grade, suite: str) -> None:
    """Without a sandbox a task of code is not measured: SKIPPED, whatever its answer says."""
    code = [each["id"] for each in records(suite) if each["domain"] == "code"]
    answers = {each["id"]: "exit 0" for each in records(suite)}
    exit_code, report = grade(LEAN / suite, answers)
    found = statuses(report)
    assert [name for name in found if found[name] == "skipped"] == code
    assert report["summary"]["scenarios_total"] == len(records(suite))
    assert report["summary"]["scenarios_skipped"] == len(code)
    if len(code) == len(found):
        assert exit_code == 5


@here
def test_a_suite_of_queries_is_no_question_set(grade: Grade) -> None:
    """Search queries with expected files are refused, with the fields that they have."""
    code, err = grade(LEAN / "search-suite.ndjson", {"x": "y"})
    assert code == 4
    assert "no question set that is known" in err
    assert "'query', 'expected_files', 'category'" in err


@here
@pytest.mark.parametrize("variant", ["the first gold", "negated", "something else", "nothing"])
def test_conversations_of_lean_ctx(grade: Grade, variant: str) -> None:
    """The LoCoMo samples of lean-ctx pass by its rule, named after sample and question."""
    asked = [
        (f"{sample['id']}_{at}", each["answers"])
        for sample in records("reference-suite.ndjson")
        for at, each in enumerate(sample["qa"])
    ]
    answers = {name: VARIANTS[variant](golds) for name, golds in asked}
    _, report = grade(LEAN / "reference-suite.ndjson", answers)
    good = {name: "passed" if passes(answers[name], golds) else "failed" for name, golds in asked}
    assert statuses(report) == good


def lines(*found: Any) -> str:
    """An NDJSON file of these records."""
    Path("q.ndjson").write_text("".join(f"{json.dumps(each)}\n" for each in found))
    return "q.ndjson"


def score(report: Any, operator: str) -> float:
    """The score of the one check by this operator."""
    (found,) = [each for each in report["scenarios"][0]["checks"] if each["op"] == operator]
    return float(found["score"])


EXACT: list[tuple[str, str, bool]] = [
    ("State-of", "stateof", True),
    ("state of", "State-of", False),
    ("The cat", "cat", False),
    ("  Light   BROWN.", "light brown", True),
    ("light brown oak", "light brown", False),
    ("", "x", False),
]


@pytest.mark.parametrize(("answer", "gold", "good"), EXACT)
def test_frames_of_zeph_bench(grade: Grade, answer: str, gold: str, good: bool) -> None:
    """Frames: punctuation deleted, case and blanks folded, articles kept, and then equal."""
    file = lines({"Prompt": "Why?", "Answer": gold, "reasoning_types": "Temporal | Tabular"})
    _, report = grade(file, {"frames_0": answer})
    assert statuses(report) == {"frames_0": "passed" if good else "failed"}


def test_frames_are_named_after_their_physical_line(grade: Grade) -> None:
    """A blank line counts, from 0: so the id of a question is zeph-bench's."""
    Path("q.ndjson").write_text(
        '{"Prompt": "a", "Answer": "x"}\n\n{"Prompt": "b", "Answer": "y"}\n'
    )
    _, report = grade("q.ndjson", {"frames_0": "x", "frames_2": "y"})
    assert statuses(report) == {"frames_0": "passed", "frames_2": "passed"}


@pytest.mark.parametrize(
    ("answer", "gold", "good"),
    [
        ("The cat", "cat", True),
        ("an  H\u2082O!", "h2o", True),
        ("10\u00b3", "103", True),
        ("cats", "cat", False),
        ("state of", "state-of", False),
        ("", "x", False),
    ],
)
def test_gaia_of_zeph_bench(grade: Grade, answer: str, gold: str, good: bool) -> None:
    """GAIA: digits folded, punctuation deleted, articles dropped, and then equal."""
    record = {"task_id": "t1", "Question": "Why?", "Level": 1, "Final answer": gold}
    _, report = grade(lines({**record, "Annotator Metadata": {"Steps": "1"}}), {"t1": answer})
    assert statuses(report) == {"t1": "passed" if good else "failed"}
    assert list(report["by_tag"]) == ["level-1"]


@pytest.mark.parametrize(
    ("answer", "gold", "good", "f1"),
    [
        ("Light brown.", "light brown", True, 0.0),
        ("light brown", "light brown", True, 1.0),
        ("light oak", "light brown", False, 0.5),
        ("light light", "light brown", False, 2 / 3),
        ("", "light brown", False, 0.0),
    ],
)
def test_longmemeval_of_zeph_bench(
    grade: Grade, answer: str, gold: str, good: bool, f1: float
) -> None:
    """LongMemEval: exact match decides; F1 of the raw texts, over distinct tokens, is beside it."""
    record = {"question_id": "q1", "question": "Why?", "answer": gold}
    file = lines({**record, "session_id": "s1", "sessions": [[{"role": "user", "content": "x"}]]})
    _, report = grade(file, {"q1": answer})
    assert statuses(report) == {"q1": "passed" if good else "failed"}
    assert score(report, "f1") == pytest.approx(f1)


@pytest.mark.parametrize(
    ("answer", "gold", "good", "f1"),
    [
        ("Light, brown!", "light brown", True, 1.0),
        ("light", "light brown", True, 2 / 3),
        ("oak oak oak light", "light", True, 2 / 3),
        ("a b c light", "light brown oak", False, 2 / 7),
        ("", "light brown", False, 0.0),
    ],
)
def test_locomo_of_zeph_bench(grade: Grade, answer: str, gold: str, good: bool, f1: float) -> None:
    """LoCoMo: F1 over distinct tokens, normalised, from 0.5 on; ids are session and index."""
    record = {"session_id": "s1", "qa": [{"question": "Why?", "answer": gold}]}
    Path("q.json").write_text(json.dumps([record]))
    _, report = grade("q.json", {"s1_0": answer})
    assert statuses(report) == {"s1_0": "passed" if good else "failed"}
    assert score(report, "f1") == pytest.approx(f1)


def test_one_bad_line_refuses_a_question_set(grade: Grade) -> None:
    """As in zeph-bench a bad line makes the whole file fail, with its place."""
    good = {"Prompt": "a", "Answer": "x"}
    code, err = grade(lines(good, {"Prompt": "b"}, good), {"frames_0": "x"})
    assert code == 4
    assert "q.ndjson:2:" in err
    assert "'Answer'" in err


def test_an_answer_that_is_longer_may_be_cut(grade: Grade) -> None:
    """Answers that talk are cut to what they say first, where that is asked for."""
    file = lines({"Prompt": "Why?", "Answer": "oak"})
    answers = {"frames_0": "\n**Oak**\nbecause it is."}
    assert statuses(grade(file, answers)[1]) == {"frames_0": "failed"}
    assert statuses(grade(file, answers, "--extract", "terse")[1]) == {"frames_0": "passed"}


def test_that_an_answer_was_cut_is_told(grade: Grade, capsys: pytest.CaptureFixture[str]) -> None:
    """What is taken out of an answer is a stage of its own, which the report's head names."""
    lines({"Prompt": "Why?", "Answer": "oak"})
    Path("p.json").write_text('{"frames_0": "oak"}')
    argv = ("grade", "q.ndjson", "--predictions", "p.json", "--no-log", "--extract", "terse")
    assert main(argv) == 0
    assert "terse" in capsys.readouterr().out
