"""Real answers, graded through the command line: the official scores, to the last digit."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalkit.cli import main

FILE = Path(__file__).parents[2] / ".." / "shared" / "data" / "squad" / "pairs.ndjson"
Row = dict[str, Any]
Grade = Callable[..., Any]

pytestmark = pytest.mark.skipif(not FILE.is_file(), reason="the real inputs are not here")


def rows() -> list[Row]:
    """The real predictions, with the official scores of each."""
    lines = FILE.read_bytes().split(b"\n") if FILE.is_file() else []
    return [json.loads(line) for line in lines if line.strip()]


ROWS = rows()
MODELS = sorted({row["model"] for row in ROWS})


@pytest.fixture
def grade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Grade:
    """Grade answers to the questions of some rows, and give the report."""
    monkeypatch.chdir(tmp_path)

    def graded(found: list[Row], *argv: str) -> Any:
        Path("rows.ndjson").write_text("".join(f"{json.dumps(row)}\n" for row in found))
        fields = ("--map", "name=id,answers=answers")
        mapped = ("--predictions-map", "name=id,response=prediction")
        given = ("--predictions", "rows.ndjson", *mapped, "--json", "--no-log", *argv)
        code = main(["grade", "rows.ndjson", *fields, *given])
        out, err = capsys.readouterr()
        assert code in (0, 1), err
        return json.loads(out)

    return graded


def test_there_are_five_models_and_all_rows() -> None:
    """The whole file is graded below, each model by itself."""
    assert len(MODELS) == 5
    assert len(ROWS) == 1_984


@pytest.mark.parametrize("model", MODELS)
def test_the_scores_of_a_model_are_the_official_ones(grade: Grade, model: str) -> None:
    """Mean exact match and F1, and those of each question, equal the official script's."""
    found = [row for row in ROWS if row["model"] == model]
    report = grade(found)
    metrics = report["summary"]["metrics"]
    for operator, field in (("exact_match", "em"), ("f1", "f1")):
        official = {row["id"]: float(row[field]) for row in found}
        assert metrics[operator]["n"] == len(found)
        mean = sum(official.values()) / len(found)
        assert metrics[operator]["mean"] == pytest.approx(mean, rel=0, abs=1e-9)
        ours = {
            each["name"]: check["score"]
            for each in report["scenarios"]
            for check in each["checks"]
            if check["op"] == operator
        }
        assert ours == pytest.approx(official, rel=0, abs=1e-9)


def test_exact_match_decides(grade: Grade) -> None:
    """A question passes where the official exact match is 1, whatever its F1."""
    found = [row for row in ROWS if row["model"] == MODELS[0]]
    report = grade(found)
    passed = {each["name"] for each in report["scenarios"] if each["status"] == "passed"}
    assert passed == {row["id"] for row in found if row["em"] == 1}
    assert report["summary"]["scenarios_total"] == len(found)


def test_f1_decides_where_it_is_asked_for(grade: Grade) -> None:
    """With `--match f1` a question passes from its threshold on."""
    found = [row for row in ROWS if row["model"] == MODELS[0]]
    report = grade(found, "--match", "f1")
    passed = {each["name"] for each in report["scenarios"] if each["status"] == "passed"}
    assert passed == {row["id"] for row in found if row["f1"] >= 0.5}
