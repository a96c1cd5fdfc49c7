"""What gold answers accept, keep and refuse."""

import copy
import math
import pickle
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, get_args

import attrs
import pytest

from evalkit import Answers, CatalogueError
from evalkit.jsonvalue import brief
from evalkit.model import MATCHES
from evalkit.model.answers import SCORED, Match


class Colour(StrEnum):
    """A string by inheritance."""

    RED = "red"


class Text(str):
    """A string of its own kind."""

    __slots__ = ()


def several() -> Iterator[str]:
    """Golds that come one by one."""
    yield from ("Paris", "Lutetia")


def test_the_order_is_fixed() -> None:
    """Golds and the way to match come in this order; everything else is given by name."""
    answers = Answers(["Paris"], "f1")
    assert (answers.golds, answers.match) == (("Paris",), "f1")
    with pytest.raises(TypeError):
        Answers(["Paris"], "f1", 0.5)  # type: ignore[call-arg]


def test_what_is_left_out() -> None:
    """Golds alone match exactly, with no threshold, normaliser or extract of their own."""
    answers = Answers(["Paris"])
    assert attrs.astuple(answers) == (("Paris",), "exact_match", None, None, None)


@pytest.mark.parametrize("golds", [["Paris", "Lutetia"], ("Paris", "Lutetia"), several()])
def test_golds_are_a_tuple(golds: Any) -> None:
    """A sequence of any make reads back as a tuple, in its order."""
    assert Answers(golds).golds == ("Paris", "Lutetia")


def test_golds_are_copied() -> None:
    """What the author changes later changes no answers."""
    golds = ["Paris"]
    answers = Answers(golds)
    golds.append("Rome")
    assert answers.golds == ("Paris",)


@pytest.mark.parametrize("golds", [[5], [-1.5, "7"], [0], [2**70]])
def test_golds_may_be_numbers_where_numbers_are_matched(golds: list[Any]) -> None:
    """NUMERIC takes numbers as well as texts that state one."""
    assert Answers(golds, "numeric").golds == tuple(golds)


@pytest.mark.parametrize("match", sorted(set(MATCHES) - {"numeric"}))
def test_golds_are_texts_elsewhere(match: Any) -> None:
    """A number where texts are matched is refused, with how to write it."""
    with pytest.raises(CatalogueError) as caught:
        Answers(["Paris", 3], match)
    (problem,) = caught.value.problems
    assert problem.where == "Answers.golds[1]"
    assert "expected a text, got 3; write '...'" in str(problem)


GOLDS = "expected a list of golds"
WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"golds": "Paris"}, "Answers.golds", f"{GOLDS}, got 'Paris'; put it in [ ]"),
    ({"golds": Text("Paris")}, "Answers.golds", GOLDS),
    ({"golds": b"Paris"}, "Answers.golds", GOLDS),
    ({"golds": b"Paris", "match": "numeric"}, "Answers.golds", GOLDS),
    ({"golds": {"Paris": 1}}, "Answers.golds", GOLDS),
    ({"golds": {}}, "Answers.golds", GOLDS),
    ({"golds": None}, "Answers.golds", GOLDS),
    ({"golds": 3, "match": "numeric"}, "Answers.golds", f"{GOLDS}, got 3"),
    ({"golds": []}, "Answers.golds", "there is no gold answer"),
    ({"golds": iter(())}, "Answers.golds", "there is no gold answer"),
    ({"golds": [None]}, "Answers.golds[0]", "expected a gold answer, got None"),
    ({"golds": ["Paris", None]}, "Answers.golds[1]", "expected a gold answer, got None"),
    ({"golds": [True], "match": "numeric"}, "Answers.golds[0]", "got True"),
    ({"golds": [["Paris"]]}, "Answers.golds[0]", "got ['Paris']"),
    ({"golds": [math.nan], "match": "numeric"}, "Answers.golds[0]", "nan"),
    ({"golds": [1, math.inf], "match": "numeric"}, "Answers.golds[1]", "inf"),
    ({"golds": [10**5000], "match": "numeric"}, "Answers.golds[0]", "digits"),
    ({"golds": ["\ud800"]}, "Answers.golds[0]", "half of a surrogate pair"),
    ({"golds": [Colour.RED]}, "Answers.golds[0]", "Colour"),
    ({"golds": [Text("Paris")]}, "Answers.golds[0]", "Text"),
    ({"match": "exact"}, "Answers.match", "unknown value 'exact'; one of 'exact_match'"),
    ({"match": "F1"}, "Answers.match", "unknown value 'F1'"),
    ({"match": None}, "Answers.match", "unknown value None"),
    ({"match": ["f1"]}, "Answers.match", "unknown value ['f1']"),
    ({"normalize": "sqad"}, "Answers.normalize", "did you mean 'squad'?"),
    ({"normalize": "squad+"}, "Answers.normalize", "unknown normaliser ''"),
    ({"normalize": 3}, "Answers.normalize", "expected a string"),
    ({"extract": "after_answr"}, "Answers.extract", "did you mean 'after_answer'?"),
    ({"extract": ""}, "Answers.extract", "is blank"),
    *(
        ({"match": "f1", "threshold": value}, "Answers.threshold", "above 0 and up to 1")
        for value in (0, -0.5, 1.01, math.nan, math.inf, True, "0.5")
    ),
    *(
        ({"match": match, "threshold": 0.5}, "Answers.threshold", "for f1, similar, semantic")
        for match in ("exact_match", "contains")
    ),
    (
        {"golds": [3], "match": "numeric", "threshold": 0.5},
        "Answers.threshold",
        "'numeric' is met or not, and has no threshold",
    ),
]


@pytest.mark.parametrize(("given", "where", "told"), WRONG, ids=lambda value: brief(value, 40))
def test_a_wrong_field_is_a_catalogue_error(given: dict[str, Any], where: str, told: str) -> None:
    """Faults 35 and 37: a field that is wrong is refused when written, with place and value."""
    with pytest.raises(CatalogueError) as caught:
        Answers(**{"golds": ["Paris"], **given})
    (problem,) = caught.value.problems
    assert problem.where == where
    assert told in str(problem)


@pytest.mark.parametrize("match", SCORED)
@pytest.mark.parametrize("threshold", [1, 0.5, 1e-3])
def test_a_threshold_is_for_what_has_a_score(match: Any, threshold: float) -> None:
    """F1, SIMILAR and SEMANTIC take a threshold, up to 1."""
    assert Answers(["Paris"], match, threshold=threshold).threshold == threshold


def test_the_ways_to_match_are_those_of_the_type() -> None:
    """What a type checker lets pass is what is accepted, one and all."""
    assert get_args(Match) == MATCHES
    assert set(SCORED) < set(MATCHES)


def test_it_is_frozen_and_equal_by_value() -> None:
    """Answers do not change, and are the same as others that say the same."""
    answers = Answers(["Paris"], "f1", threshold=0.4, normalize="raw", extract="terse")
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        answers.match = "similar"  # type: ignore[misc]
    for again in (copy.deepcopy(answers), pickle.loads(pickle.dumps(answers))):  # noqa: S301
        assert again == answers
        assert hash(again) == hash(answers)
    assert answers != attrs.evolve(answers, threshold=0.5)
