"""Public bug reports of tools that do this job, on scores and means: evalkit gets them right."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evalkit import (
    Assertion,
    Catalogue,
    CatalogueError,
    Check,
    Op,
    Scenario,
    ScenarioResult,
    Status,
    ToolCall,
    TransportError,
    Verdict,
    check,
    operator,
    run,
)
from evalkit.catalogue import AMBIENT
from evalkit.cli import main
from evalkit.model.fields import NORMALISERS
from evalkit.scorecard import Scorecard

FILE = Path(__file__).parents[2] / "../shared/data/reports/cases.ndjson"
ABSENT = not FILE.exists()
KINDS = {"qa", "aggregate"}
OF_THE_COMPARISON = {"agg-nan-baseline"}
RIGHT = Assertion("", Op.EXACT_MATCH, "right")

pytestmark = pytest.mark.skipif(ABSENT, reason="../shared/data is not there")


def read() -> dict[str, dict[str, Any]]:
    """The cases about scores and means, by id."""
    if ABSENT:
        return {}
    cases = [json.loads(line) for line in FILE.read_bytes().split(b"\n") if line]
    return {case["id"]: case for case in cases if case["kind"] in KINDS}


CASES = read()


def put(op: Op, golds: Any, answer: Any, **fields: Any) -> Check:
    """The check of one answer."""
    return check(Assertion("", op, golds, **fields), answer)


def f1(given: Any) -> float:
    """The F1 of the case's prediction."""
    return put(Op.F1, given["gold"], given["prediction"]).score


def exact(given: Any, *normalisers: str) -> list[float]:
    """Exact match of the case's pair, by default and by each of these."""
    pair = given["gold"], given["prediction"]
    named = [put(Op.EXACT_MATCH, *pair, normalize=each).score for each in normalisers]
    return [put(Op.EXACT_MATCH, *pair).score, *named]


def composed(given: Any) -> list[Any]:
    """Exact match of the case's pair, and of two prices, which no rule makes one."""
    prices = "$8.540", "$9.540"
    rules = [*NORMALISERS, "nfkc+punctuation+squad", "nfkc+gaia+distinct"]
    return [
        *exact(given, "nfkc+squad", "nfc+squad"),
        {put(Op.EXACT_MATCH, *prices, normalize=each).score for each in rules},
    ]


def suffixes(given: Any) -> list[bool]:
    """Whether the case's numbers equal what they only end in."""
    return [put(Op.NUMERIC, gold, said).passed for said, gold in given["pairs"]]


def percent(given: Any) -> list[bool]:
    """Whether a percent sign is a unit, on either side, and no earlier number counts."""
    gold, said = given["gold"], given["output"]
    put_to = [(gold, said), (f"{gold}%", said), (gold, gold), ("7", f"Of 7 {said}"), ("0.2", said)]
    return [put(Op.NUMERIC, *pair).passed for pair in put_to]


PUT: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "f1-multiplicity": (f1, pytest.approx(1 / 3)),
    "normalise-en-dash": (lambda given: exact(given, "punctuation+squad"), [0, 1]),
    "exact-nfc-nfd": (composed, [0, 1, 1, {0.0}]),
    "numeric-suffix": (suffixes, [False, False]),
    "numeric-percent": (percent, [True, True, True, False, False]),
}
OF_A_RUN = {"agg-nan-roundtrip", "agg-missing-denominator", "agg-empty-is-pass"}
"""Those that have a test of their own, for a run is what they are about."""


def test_every_case_is_put() -> None:
    """Each case about scores or means is here, but the one that is about comparing runs."""
    assert sorted([*PUT, *OF_A_RUN, *OF_THE_COMPARISON]) == sorted(CASES)


@pytest.mark.parametrize("name", PUT)
def test_case(name: str) -> None:
    """The case gets the answer that its reporter wanted."""
    put_to, right = PUT[name]
    assert put_to(CASES[name]["input"]) == right


@pytest.fixture
def own() -> Iterator[Catalogue]:
    """A catalogue with an operator that scores what it expects."""
    catalogue = Catalogue("own")
    token = AMBIENT.set(catalogue)

    @operator("scored")
    def score(actual: Any, assertion: Assertion, _: Any) -> Verdict:
        return Verdict(passed=True, score=float(assertion.expected))

    yield catalogue
    AMBIENT.reset(token)


def told(results: Iterable[ScenarioResult]) -> list[Any]:
    """What results come to, folded anew, and each check's status and score."""
    card = Scorecard()
    checks = []
    for result in results:
        card.add(result)
        checks += [(check.status, check.score) for check in result.checks]
    return [card.all.to_dict(), checks]


def test_a_score_that_is_none_stays_none(own: Catalogue, tmp_path: Path) -> None:
    """agg-nan-roundtrip: a NaN is an ERROR before and after it is logged, and after a retry."""
    (scores,) = CASES["agg-nan-roundtrip"]["input"]["scores"]
    checks = [Assertion("", "scored", score, name) for name, score in scores.items()]
    own.tools = {"say": lambda: "x"}
    own.add(Scenario("s", tool_calls=[ToolCall("say", {}, checks)]))
    plain = told(run(own).results)
    logged = run(own, log_dir=tmp_path)
    retried = run(own, log_dir=tmp_path, resume=logged.run_id)
    assert plain[1] == [(Status.ERROR, 0.0), (Status.PASSED, 1.0)]
    assert told(logged.results) == told(retried.results) == plain


def lost() -> None:
    """Be out of reach."""
    raise TransportError("no route")


def test_a_mean_has_its_count() -> None:
    """agg-missing-denominator: beside the mean stand its count and its errors, and it fails."""
    scores = CASES["agg-missing-denominator"]["input"]["scores"]
    tools = {"error": lost, "1.0": lambda: "right"}
    scenarios = [
        Scenario(str(at), tool_calls=[ToolCall(str(score), {}, [RIGHT])])
        for at, score in enumerate(scores)
    ]
    report = run(scenarios, tools=tools)
    mean = report.metrics["exact_match"]
    assert (mean["n"], mean["errors"]) == (4, 3)
    assert mean["mean"] * mean["n"] / (mean["n"] - mean["errors"]) == 1.0
    assert mean["mean"] == 0.25
    assert not report.passed


def test_nothing_is_no_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """agg-empty-is-pass: neither a scenario without checks passes, nor a selection of none."""
    given = CASES["agg-empty-is-pass"]["input"]["assertions"]
    with pytest.raises(CatalogueError, match="has nothing to check"):
        run(Scenario("empty", "What?", assertions=given), tools={})
    assert not run([], tools={}).passed
    file = tmp_path / "cases.py"
    file.write_text(
        'from evalkit import Scenario, _s\n_s(Scenario("a", "b", answers=["c"], tags=["d"]))'
    )
    assert main([str(file), "-k", "nothing", "--no-log"]) not in (0, 3)
    capsys.readouterr()
