"""Exact match and F1 against the official definition, on hard texts and on real predictions."""

import json
import re
import string
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.texts import NAMES, exact, exact_and_f1, f1, normaliser

DATA = Path(__file__).parents[2] / "../shared/data"
PAIRS, CASES = DATA / "squad/pairs.ndjson", DATA / "reports/cases.ndjson"
PAIRS_TOTAL = 1_984

# letters and marks that fold, letters of other widths, and whatever may stand beside an article
HARD = [
    *(
        "a",
        "an",
        "The",
        "b",
        "c",
        "7",
        " ",
        " ",
        "\t",
        "\n",
        "\r",
        "\x00",
        "\x1f",
        "\x7f",
        "-",
        "_",
        ".",
    ),
    *("\u2013", "\u0301", "\u0130", "\u0131", "\u03a3", "\uff41", "\u2028", "\u0085", "\u200b"),
    *("\u3000", "\u00bd", "\u00e9", "\u5b57", "\ud800", "\udc00"),
]
texts = st.lists(st.sampled_from(HARD), max_size=10).map("".join) | st.text(max_size=12)
wordy = st.lists(st.sampled_from(["to", "be", "or", "the", "a", "-", "To"]), max_size=40).map(
    " ".join
)


def official(text: str) -> str:
    """The normalisation of the official script."""
    text = "".join(each for each in text.lower() if each not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def official_f1(gold: list[str], said: list[str]) -> float:
    """The F1 of the official script, of tokens."""
    same = sum((Counter(gold) & Counter(said)).values())
    if not gold or not said:
        return int(gold == said)
    if same == 0:
        return 0
    precision, recall = same / len(said), same / len(gold)
    return (2 * precision * recall) / (precision + recall)


@settings(max_examples=500, deadline=None)
@given(texts | wordy, st.lists(texts | wordy, min_size=1, max_size=4))
def test_squad_scores_are_the_official_ones(prediction: str, golds: list[str]) -> None:
    """To the last bit, whatever the texts are: a pair at a time, and the best of the golds."""
    said = official(prediction)
    em = any(official(gold) == said for gold in golds)
    best = max(official_f1(official(gold).split(), said.split()) for gold in golds)
    assert exact_and_f1(prediction, golds, "squad") == (em, best)
    assert exact(prediction, golds, "squad") is em
    assert f1(prediction, golds, "squad") == best


@pytest.mark.parametrize("name", [*NAMES, "nfkc+squad", "basic+distinct"])
@settings(max_examples=100, deadline=None)
@given(prediction=wordy | texts, golds=st.lists(wordy | texts, min_size=1, max_size=3))
def test_scores_by_any_normaliser(name: str, prediction: str, golds: list[str]) -> None:
    """EM compares what is left of the texts, F1 what whitespace leaves of that."""
    said, left = normaliser(name)(prediction), list(map(normaliser(name), golds))
    best = max(official_f1(gold.split(), said.split()) for gold in left)
    assert exact_and_f1(prediction, golds, name) == (said in left, best)


@pytest.mark.parametrize(
    ("prediction", "golds", "em", "score"),
    [
        ("Paris Paris Paris Paris Paris", ["Paris"], False, 1 / 3),
        ("the cat sat", ["cat sat"], True, 1.0),
        ("b a n a n a b", ["b b c"], False, 4 / 7),
        ("", [""], True, 1.0),
        ("the", ["..."], True, 1.0),
        ("", ["Paris"], False, 0.0),
        ("Paris", [""], False, 0.0),
        ("Paris", ["Rome", "Paris, France", "paris!"], True, 1.0),
        ("Paris", ["Rome", "Paris, France"], False, 2 / 3),
        ("U.S.", ["us"], True, 1.0),
        ("\u0391\u03a3", ["\u03b1\u03c3", "\u03b1\u03c2"], True, 1.0),
        ("\u0391\u03a3", ["\u03b1\u03c3"], False, 0.0),
        ("in\nthe year", ["year", "in year\n"], True, 1.0),
    ],
)
def test_examples(prediction: str, golds: list[str], em: bool, score: float) -> None:
    """Tokens count as often as they occur, nothing equals nothing alone, the best gold decides."""
    equal, overlap = exact_and_f1(prediction, golds, "squad")
    assert equal is em
    assert overlap == pytest.approx(score)


@pytest.mark.parametrize("score", [exact, f1, exact_and_f1])
@pytest.mark.parametrize("golds", [[], ()])
def test_without_a_gold_nothing_is_scored(score: object, golds: Sequence[str]) -> None:
    """There is no best of none, not for an empty answer either."""
    assert callable(score)
    for prediction in ("Paris", "", "x" * 5_000):
        with pytest.raises(ValueError, match="no gold"):
            score(prediction, golds, "squad")


@pytest.mark.parametrize("score", [exact, f1, exact_and_f1])
def test_a_gold_is_no_list_of_letters(score: object) -> None:
    """One text where several are meant is refused: its letters would be the golds."""
    assert callable(score)
    with pytest.raises(TypeError, match="'Paris'"):
        score("P", "Paris", "squad")


@pytest.mark.parametrize("score", [exact, f1, exact_and_f1])
def test_an_unknown_normaliser_scores_nothing(score: object) -> None:
    """No rule stands in for one that is not there."""
    assert callable(score)
    with pytest.raises(KeyError, match="squda"):
        score("Paris", ["Paris"], "squda")


def test_a_list_of_golds_that_changes_is_looked_at_again() -> None:
    """What is remembered belongs to the texts, not to the list that held them."""
    golds = ["Rome"]
    assert not exact("Paris", golds, "squad")
    golds.append("Paris")
    assert exact("Paris", golds, "squad")
    assert f1("Paris", golds, "raw") == 1.0


@pytest.mark.skipif(not PAIRS.exists(), reason="../shared/data is not there")
def test_real_predictions_get_the_official_scores() -> None:
    """EM and F1 of 1,984 predictions of real models are those of the official script."""
    rows = [json.loads(line) for line in PAIRS.read_bytes().split(b"\n") if line]
    assert len(rows) == PAIRS_TOTAL
    wrong = [
        row["id"]
        for row in rows
        for em, score in [exact_and_f1(row["prediction"], row["answers"], "squad")]
        if int(em) != row["em"] or abs(score - row["f1"]) > 1e-9
    ]
    assert wrong == []


@pytest.fixture(scope="module")
def reported() -> dict[str, dict[str, str]]:
    """The inputs of the bug reports about question sets, by id."""
    rows = [json.loads(line) for line in CASES.read_bytes().split(b"\n") if line]
    return {row["id"]: row["input"] for row in rows if row["kind"] == "qa"}


@pytest.mark.skipif(not CASES.exists(), reason="../shared/data is not there")
def test_reports_about_em_and_f1(reported: dict[str, dict[str, str]]) -> None:
    """Multiplicity counts; friendlier rules are there, and have another name."""
    twice = reported["f1-multiplicity"]
    assert f1(twice["prediction"], [twice["gold"]], "squad") == pytest.approx(1 / 3)
    years, typed = reported["normalise-en-dash"], reported["exact-nfc-nfd"]
    for case, opted in ((years, "punctuation+squad"), (typed, "nfkc+squad")):
        assert not exact(case["prediction"], [case["gold"]], "squad")
        assert exact(case["prediction"], [case["gold"]], opted)
    for name in ("squad", "nfkc+squad", "punctuation+nfkc+squad"):
        assert not exact("$8.540", ["$9.540"], name)


def test_texts_without_a_token_overlap_in_full() -> None:
    """Blanks of two kinds are two texts where they stay raw, and neither has a token."""
    assert exact_and_f1(" ", ["\t", "Paris"], "raw") == (False, 1.0)
