"""Real predictions and real question sets, graded: official numbers, and each system's own rule."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalkit import CatalogueError, Status, load, run

DATA = Path(__file__).parents[2] / ".." / "shared" / "data"
PAIRS = DATA / "squad" / "pairs.ndjson"
LEAN = DATA / "formats" / "lean_ctx"
MAP = {"name": ["id"], "answers": ["answers"]}

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the real inputs are not here")


def pairs() -> dict[str, list[dict[str, Any]]]:
    """The rows of each model: a question comes once in each."""
    found: dict[str, list[dict[str, Any]]] = {}
    lines = PAIRS.read_bytes().split(b"\n") if PAIRS.is_file() else []
    for row in (json.loads(line) for line in lines if line):
        found.setdefault(row["model"], []).append(row)
    return found


MODELS = pairs()


def lines_of(rows: list[dict[str, Any]], path: Path) -> Path:
    """Write rows as NDJSON."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_all_of_them_are_here() -> None:
    """The file has 1,984 rows of five models."""
    assert sum(map(len, MODELS.values())) == 1984
    assert len(MODELS) == 5


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.partition(" ")[0])
def test_exact_match_and_f1_are_the_official_ones(model: str, tmp_path: Path) -> None:
    """Of every row, and in the mean, to 1e-9: dataset and predictions read from the same file."""
    rows = MODELS[model]
    path = lines_of(rows, tmp_path / "rows.ndjson")
    questions = load(path, columns=MAP, normalize="squad")
    report = run(questions, predictions=path)
    for row in rows:
        exact, f1 = report[row["id"]].checks
        assert (exact.op, f1.op) == ("exact_match", "f1")
        assert exact.score == row["em"]
        assert f1.score == pytest.approx(row["f1"], abs=1e-9)
    for name, key in (("exact_match", "em"), ("f1", "f1")):
        mean = sum(row[key] for row in rows) / len(rows)
        assert report.metrics[name]["mean"] == pytest.approx(mean, abs=1e-9)
        assert report.metrics[name]["n"] == len(rows)


def test_a_question_that_comes_twice_is_refused() -> None:
    """The file as a whole has most questions five times, which is no question set."""
    with pytest.raises(CatalogueError, match="is taken"):
        load(PAIRS, columns=MAP)


GOOD = {
    "accuracy-suite.ndjson": {
        "needle-aggressiveness-range": "It goes from 0.0 to 1.0, say the docs.",
        "longqa-anthropic-cache-discount": "**90%** off",
        "jsonqa-operator-clearance": "Kestrel has OMEGA-7.",
    },
    "testbench/qa-api.ndjson": {
        "qa-api-backoff": "Exponential backoff, 200ms base delay, up to 5 attempts; then not."
    },
    "reference-suite.ndjson": {
        "trip-japan_0": "That is the Mount Fuji, of course.",
        "study-group_0": "h2o",
        "study-group_5": "299,792 kilometers per second",
    },
}
BAD = {
    "accuracy-suite.ndjson": {
        "needle-aggressiveness-range": "0.0 and then 1.0",
        "longqa-anthropic-cache-discount": "ninety percent",
        "jsonqa-operator-clearance": "omega-8",
    },
    "testbench/qa-api.ndjson": {"qa-api-backoff": "It retries 5 times with a base delay of 200ms."},
    "reference-suite.ndjson": {
        "trip-japan_0": "Fuji",
        "study-group_0": "H 2 O",
        "study-group_5": "299 thousand",
    },
}


@pytest.mark.parametrize(("suite", "answers"), GOOD.items(), ids=GOOD)
def test_an_answer_that_contains_a_gold_passes(suite: str, answers: dict[str, str]) -> None:
    """lean-ctx's rule: a gold is part of the answer, both in words without articles."""
    report = run(load(LEAN / suite).select(names=answers), predictions=answers)
    assert {result.name: result.status for result in report.results} == dict.fromkeys(
        answers, Status.PASSED
    )


@pytest.mark.parametrize(("suite", "answers"), BAD.items(), ids=BAD)
def test_overlap_alone_does_not_pass(suite: str, answers: dict[str, str]) -> None:
    """F1 is recorded, and decides nothing, however high it is."""
    report = run(load(LEAN / suite).select(names=answers), predictions=answers)
    assert {result.name: result.status for result in report.results} == dict.fromkeys(
        answers, Status.FAILED
    )


@pytest.mark.parametrize("suite", sorted(each.name for each in LEAN.glob("*-suite.ndjson")))
def test_every_suite_is_graded_whole(suite: str) -> None:
    """Golds as answers pass every question; tasks of code are SKIPPED, each by its name."""
    if suite == "search-suite.ndjson":
        with pytest.raises(
            CatalogueError, match=r"no question set that is known: .*expected_files"
        ):
            load(LEAN / suite)
        return
    questions = load(LEAN / suite)
    answers = {each.name: str(each.answers.golds[0]) for each in questions if each.answers}
    report = run(questions, predictions={**answers, "nobody": "x"})
    code = {each.name for each in questions if "code" in each.tags}
    assert {each.name for each in report.results if each.status is Status.SKIPPED} == code
    assert report.summary["scenarios_passed"] == len(answers)
    assert len(answers) + len(code) == len(questions) == report.summary["scenarios_total"]
