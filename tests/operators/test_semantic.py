"""SEMANTIC: how alike the embeddings of answer and gold are, and an embedding that is none."""

import math
from typing import Any

import pytest

from evalkit import (
    Assertion,
    CatalogueError,
    Check,
    Ref,
    Scenario,
    Services,
    Status,
    ToolCall,
    check,
    grade,
    run,
)
from evalkit.protocols import Embed

TREES = {"oak": [1.0, 0.0], "elm": [0.6, 0.8], "fir": [0.0, 2.0], "anti": [-1.0, 0.0]}


def toy(texts: list[str]) -> list[list[float]]:
    """Embed the names of trees, and nothing else."""
    return [TREES.get(text, [0.0, 0.0]) for text in texts]


def put(expected: Any, answer: Any, embed: Embed = toy, **fields: Any) -> Check:
    """The check that an answer comes to."""
    assertion = Assertion("", "semantic", expected, **fields)
    return check(assertion, answer, services=Services(embed=embed))


COSINES: list[tuple[str, Any, dict[str, Any], float, bool]] = [
    ("oak", "oak", {}, 1.0, True),
    ("elm", "fir", {}, 0.8, True),
    ("fir", "elm", {}, 0.8, True),
    ("elm", "oak", {}, 0.6, False),
    ("elm", "oak", {"threshold": 0.6}, 0.6, True),
    ("elm", "oak", {"threshold": 0.61}, 0.6, False),
    ("elm", ["oak", "fir"], {}, 0.8, True),
    ("oak", "fir", {}, 0.0, False),
    ("oak", "anti", {}, 0.0, False),
    ("The OAK!", "oak", {"normalize": "squad"}, 1.0, True),
    ("fir\nAnswer: oak", "oak", {"extract": "after_answer"}, 1.0, True),
]


@pytest.mark.parametrize(("answer", "golds", "fields", "score", "holds"), COSINES, ids=str)
def test_semantic(
    answer: str, golds: Any, fields: dict[str, Any], score: float, holds: bool
) -> None:
    """The cosine of the best gold, 0 where they point apart; 0.8 is enough unless said."""
    found = put(golds, answer, **fields)
    assert found.score == pytest.approx(score, abs=1e-12)
    assert found.passed is holds


def of(*vectors: Any) -> Embed:
    """What embeds any texts as these, the last of them again and again."""
    return lambda texts: [*vectors, *[vectors[-1]] * len(texts)][: len(texts)]


BROKEN: dict[str, Any] = {
    "none": lambda texts: [],
    "too few": lambda texts: [[1, 0]] * (len(texts) - 1),
    "too many": lambda texts: [[1, 0]] * (len(texts) + 1),
    "no list": lambda texts: None,
    "a number": lambda texts: 3,
    "by text": lambda texts: {text: [1, 0] for text in texts},
    "zero": of([1, 0], [0, 0]),
    "empty": of([]),
    "NaN": of([1, 0], [math.nan, 1]),
    "NaN first": of([math.nan, 1], [1, 0]),
    "infinite": of([1, 0], [math.inf, 1]),
    "ragged": of([1, 0], [1, 0, 0]),
    "ragged golds": of([1, 0], [1, 0], [1]),
    "null": of([1, None]),
    "words": of(["a", "b"]),
    "numerals": of(["1", "0"]),
    "text": lambda texts: ["12" for _ in texts],
    "booleans": of([True, False]),
    "nested": of([[1, 0]]),
    "raises": lambda texts: 1 // 0,
    "leaves": lambda texts: exit(0),  # noqa: PLR1722  - it is what an author might write
}


@pytest.mark.parametrize("name", BROKEN)
def test_an_embedding_that_is_none_is_an_error(name: str) -> None:
    """The instrument's fault is never the answer's: ERROR, which scores 0, and says why."""
    found = put(["oak", "elm"], "fir", BROKEN[name])
    assert (found.status, found.code, found.score) == (Status.ERROR, "operator_raised", 0)
    assert found.reason


@pytest.mark.parametrize("size", [3e38, 1e200, 1e-200, 5e-324], ids=str)
def test_the_length_of_a_vector_does_not_count(size: float) -> None:
    """Vectors that point the same way are alike, however long or short they are."""
    found = put("oak", "elm", of([size, size], [1, 1]))
    assert found.score == pytest.approx(1)
    assert found.passed


@pytest.mark.parametrize("answer", ["", " ", "\n"])
def test_a_blank_answer_fails(answer: str) -> None:
    """An answer that says nothing is FAILED, also where an embedding has no vector for it."""
    found = put("oak", answer)
    assert (found.status, found.code, found.score) == (Status.FAILED, "wrong_value", 0)


@pytest.mark.parametrize("embed", [None, 3, "pkg.module:function"], ids=str)
def test_what_can_t_embed_is_a_catalogue_error(embed: Any) -> None:
    """Fault 36: a service that is none, or no function, is found before anything is judged."""
    with pytest.raises(CatalogueError, match="embed"):
        put("oak", "oak", embed)


@pytest.mark.parametrize(
    "services",
    [None, Services(), toy, {"embed": toy}],
    ids=["none", "empty", "a function", "a dict"],
)
def test_what_are_no_services_is_a_catalogue_error(services: Any) -> None:
    """`services` left out, None, empty, or something else: refused in words by every door."""
    with pytest.raises(CatalogueError):
        check(Assertion("", "semantic", "oak"), "oak", services=services)
    trace = run(Scenario("s", tool_calls=[ToolCall("t")]), tools={"t": lambda: "oak"})["s"].trace
    assert trace is not None
    asked = ToolCall("t", {}, [Assertion("", "semantic", "oak")])
    with pytest.raises(CatalogueError):
        grade(Scenario("s", tool_calls=[asked]), trace, services=services)


def test_any_numbers_of_any_sequence_will_do() -> None:
    """An embedding may give tuples, generators and integers."""
    assert put("oak", "elm", lambda texts: ((1, len(text)) for text in texts)).passed


def test_texts_are_embedded_as_they_are_compared() -> None:
    """What is embedded is the answer that was taken out and every gold, normalised."""
    asked: list[str] = []

    def embed(texts: list[str]) -> list[list[float]]:
        asked.extend(texts)
        return [[1.0] for _ in texts]

    put(["An Oak.", "ELM"], "x\nAnswer: The Fir", embed, normalize="squad", extract="after_answer")
    assert sorted(asked) == ["elm", "fir", "oak"]


SCENARIO = Scenario(
    "s",
    tool_calls=[
        ToolCall("first", save_as={"gold": "gold"}),
        ToolCall("second", assertions=[Assertion("", "semantic", [Ref("gold"), "elm"])]),
    ],
)
TOOLS = {"first": lambda: {"gold": "fir"}, "second": lambda: "fir"}


def test_run_takes_services() -> None:
    """`run` hands its services to the operators, whose golds may be saved by a call."""
    report = run(SCENARIO, tools=TOOLS, services=Services(embed=toy))
    assert report.passed
    assert report["s"].checks[-1].score == pytest.approx(1)


def test_run_without_the_service_is_refused() -> None:
    """A run is refused before its first call where there is nothing to embed with."""
    with pytest.raises(CatalogueError, match=r"s\.tool_calls\[1\]\.assertions\[0\]\.op"):
        run(SCENARIO, tools=TOOLS)


def test_with_a_real_embedding() -> None:
    """With a package that ships its weights, a paraphrase is nearer than another subject."""
    package = pytest.importorskip("static_model", reason="tokenlearn-static-model is not installed")
    embed = package.get_embeddings
    gold = "The weather is cold today"
    near, far = put(gold, "It is cold today", embed), put(gold, "Bananas are yellow", embed)
    assert near.passed
    assert (far.status, far.passed) == (Status.FAILED, False)
    assert near.score > far.score + 0.3
