"""Inspect's samples, and the pattern that stands for its `match` scorer."""

import importlib.util
import json
import string
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import regex
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from evalkit.datasets import DATASETS, parse_map, recognised, table
from evalkit.datasets.inspect import ends_with
from tests.datasets.records import flaws, one

INSPECT = DATASETS["inspect"]
FIXED = settings(deadline=None, derandomize=True, max_examples=400)
SPEC = importlib.util.find_spec("inspect_ai")
SAMPLES = {"bias_detection": 100, "security_guide": 16, "theory_of_mind": 100}
MAPS = {
    "biology_qa": (20, "name=id,prompt=question,answers=answer"),
    "popularity": (100, "prompt=question,answers=answer_matching_behavior"),
}
HOSTILE = "aAsSKkſ.,!;'\"-–…¿ \t\n\x1f\x85\xa0\u2003\u200béÉßσςΣ[]()\\^$*+?#&~|"
ORIGIN = {"input": "Where is it?", "target": "The bathtub"}


def correct(response: str, target: str | list[str]) -> bool:
    """Whether a response passes the assertion that decides."""
    deciding, *_ = one(INSPECT, {"input": "Q", "target": target})["assertions"]
    return regex.search(deciding["expected"], response) is not None


def examples(name: str) -> list[Any]:
    """The samples of one of Inspect's example files."""
    if SPEC is None or not SPEC.submodule_search_locations:
        pytest.skip("inspect-ai is not installed")
    path = Path(SPEC.submodule_search_locations[0]) / "dataset/_examples" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def test_sample() -> None:
    """How the response ends decides; exact match and F1 are recorded beside it."""
    found = one(INSPECT, ORIGIN | {"id": "s1", "metadata": {"k": 1}, "description": "D"})
    beside = {"severity": "warn", "weight": 0, "description": "recorded", "normalize": "squad"}
    golds = ["The bathtub"]
    assert found == {
        "name": "s1",
        "prompt": "Where is it?",
        "description": "D",
        "metadata": {"k": 1},
        "assertions": [
            {
                "path": "response",
                "op": "matches",
                "expected": ends_with(golds),
                "description": "ends with the target",
            },
            {"path": "response", "op": "exact_match", "expected": golds, **beside},
            {"path": "response", "op": "f1", "expected": golds, **beside},
        ],
    }


@pytest.mark.parametrize(("id_", "name"), [(7, "7"), ("7", "7"), (None, "sample_3")])
def test_name(id_: Any, name: str) -> None:
    """A sample is named by its id, or by its place."""
    assert one(INSPECT, ORIGIN | {"id": id_}, 3)["name"] == name
    assert one(INSPECT, ORIGIN, 3)["name"] == "sample_3"


def test_messages() -> None:
    """Messages become turns; parts of text are joined by newlines, as Inspect reads them."""
    messages = [
        {"role": "system", "content": "Be short.", "source": None},
        {"role": "user", "content": [{"type": "text", "text": t} for t in ("One", "Two")]},
    ]
    assert one(INSPECT, {"input": messages, "target": "A1"})["prompt"] == [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "One\nTwo"},
    ]


def test_choices() -> None:
    """The choices stand below the question with their letters, and the letter is the gold."""
    sample = {"input": "Capital of France?", "choices": ["Paris", "Bonn"], "target": "a"}
    found = one(INSPECT, sample)
    assert found["prompt"] == (
        "Answer the multiple choice question below. Your whole response must be 'ANSWER: LETTER' "
        "(without the quotes), where LETTER is one of A,B.\n\n"
        "Capital of France?\n\n"
        "A) Paris\nB) Bonn"
    )
    assert found["answers"] == {
        "golds": ["A"],
        "match": "exact_match",
        "normalize": "basic",
        "extract": "after_answer",
    }
    assert "assertions" not in found


def test_choices_of_messages() -> None:
    """With messages, the last one gets the choices."""
    messages = [{"role": "system", "content": "S"}, {"role": "user", "content": "Q {x}"}]
    sample = {"input": messages, "choices": ["a {letters}", "b"], "target": ["B"]}
    first, last = one(INSPECT, sample)["prompt"]
    assert first == {"role": "system", "content": "S"}
    assert last["role"] == "user"
    assert last["content"].endswith("one of A,B.\n\nQ {x}\n\nA) a {letters}\nB) b")


@pytest.mark.parametrize("target", ["C", "AB", ["A", "B"], "", "a)", 1, "Ä"], ids=repr)
def test_choices_have_one_right_letter(target: Any) -> None:
    """A target that is no letter of one choice can't be judged so, and is refused."""
    found = flaws(INSPECT, {"input": "Q", "choices": ["x", "y"], "target": target})
    assert any(flaw.startswith("target: ") for flaw in found)


def test_too_many_choices() -> None:
    """There are letters for 26 choices."""
    sample = {"input": "Q", "choices": [f"c{i}" for i in range(27)], "target": "A"}
    assert flaws(INSPECT, sample) == ["choices: there are 27; at most 26 have letters"]


@pytest.mark.parametrize("field", ["sandbox", "files", "setup", "checkpoint"])
def test_what_can_t_be_honoured(field: str) -> None:
    """A field that changes what is measured is refused by name, unless it is empty."""
    assert one(INSPECT, ORIGIN | {field: None})
    assert one(INSPECT, ORIGIN | {field: {}})
    (flaw,) = flaws(INSPECT, ORIGIN | {field: {"a": "b"}})
    assert flaw.startswith(f"{field}: can't be honoured: {{'a': 'b'}}")


@pytest.mark.parametrize(
    ("changed", "flaw"),
    [
        ({"input": ""}, "input: is blank: ''"),
        ({"input": None}, "input: expected a text, got None"),
        (
            {"input": []},
            "input: does not end with a message of the user; that is what is answered",
        ),
        (
            {"input": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}]},
            "input: does not end with a message of the user; that is what is answered",
        ),
        (
            {"input": [{"role": "tool", "content": "x"}, {"role": "user", "content": "Q"}]},
            "input[0].role: unknown role 'tool'; one of 'system', 'user', 'assistant'",
        ),
        (
            {"input": [{"role": "user", "content": "Q", "tool_calls": [1]}]},
            "input[0].tool_calls: can't be honoured: [1]; only role and content",
        ),
        (
            {"input": [{"role": "user", "content": [{"type": "image", "text": "x"}]}]},
            "input[0].content[0].type: a part of kind 'image' can't be sent; only parts of text",
        ),
        ({"target": []}, "target: there is no gold answer; what nothing is held against is not "),
        ({"target": ["a1", " "]}, "target[1]: is blank: ' '"),
        ({"target": True}, "target: expected a text, got True"),
        ({"target": "?!"}, "target: nothing is left of '?!' without its punctuation; Inspect "),
        ({"target": "(\xa0x)"}, "target: '(\\xa0x)' has blanks of an unusual kind"),
        ({"metadata": "{}"}, "metadata: expected an object, got '{}'"),
        ({"id": True}, "id: expected a text, got True"),
        ({"choices": "a,b"}, "choices: expected a list of texts, got 'a,b'; put it in [ ]"),
    ],
)
def test_refused(changed: dict[str, Any], flaw: str) -> None:
    """What bears on the question or its verdict is as it must be, or named."""
    assert flaws(INSPECT, ORIGIN | changed)[0].startswith(flaw)


@pytest.mark.parametrize(
    ("response", "target", "passes"),
    [
        ("It was in the BATHTUB.", "bathtub", True),
        ("bathtub or pantry", "bathtub", False),
        ("**Bathtub**\n", "bathtub", True),
        ("711", "11", True),
        ("", "bathtub", False),
        ("STRASSE", "straße", True),
        ("in the Straße", "strasse", True),
        ("ﬁn", "fin", True),
        ("B", ["A1", "b"], True),
        ("a.c", "a.c", True),
        ("abc", "a.c", False),
        ("206", 206, True),
    ],
)
def test_how_a_response_ends(response: str, target: Any, passes: bool) -> None:
    """Case, outer blanks and ASCII punctuation do not count, everything else does."""
    assert correct(response, target) is passes


@pytest.mark.parametrize(("response", "target"), [("ß", "s"), ("ŉ", "n"), ("I", "ı"), ("İ", "i")])
def test_letters_that_differ(response: str, target: str) -> None:
    """Letters that fold to several are not cut in two, and the letters i of Turkish are one."""
    of_inspect = response.casefold().endswith(target.casefold())
    assert correct(response, target) is not of_inspect


def test_blanks_take_no_time() -> None:
    """A response of many blanks is matched in the time of its length."""
    hostile = ("a" + " \t" * 50_000 + "\x1f" * 50_000 + "b") * 2
    assert regex.search(ends_with(["a"]), hostile, timeout=1) is None


@pytest.mark.parametrize("target", ["A", "the", "[an]"])
def test_targets_that_squad_deletes(target: str) -> None:
    """A target of articles alone is recorded as it is: normalised, an empty answer would do."""
    _, *beside = one(INSPECT, {"input": "Q", "target": target})["assertions"]
    assert {each["normalize"] for each in beside} == {"raw"}


@pytest.mark.skipif(SPEC is None, reason="inspect-ai is not installed")
@FIXED
@given(st.text(HOSTILE, max_size=8), st.text(HOSTILE, min_size=1, max_size=4), st.booleans())
@example("a\xa0.", "a", False)
@example("a.\xa0", "a", False)
def test_the_pattern_is_inspect_s_rule(response: str, target: str, append: bool) -> None:
    """The pattern says of any response what Inspect's own `match` says."""
    left = target.strip().strip(string.punctuation + string.whitespace)
    assume(left and left == left.strip() and not left.casefold().startswith("s"))
    response += target.swapcase() + " ." if append else ""
    _, expected = import_module("inspect_ai.scorer._common").match_str(response, target)
    assert (regex.search(ends_with([target]), response) is not None) is expected


@pytest.mark.parametrize("name", SAMPLES)
def test_example_sets(name: str) -> None:
    """Inspect's example sets are recognised and read, and their targets pass for themselves."""
    records = examples(name)
    assert len(records) == SAMPLES[name]
    for number, record in enumerate(records):
        assert recognised(record) == [INSPECT]
        found = one(INSPECT, record, number)
        assert found["name"] == f"sample_{number}"
        assert correct(f"It is: {record['target']}.", record["target"])


@pytest.mark.parametrize("name", MAPS)
def test_example_sets_with_other_columns(name: str) -> None:
    """Example sets with columns of their own are read by a map."""
    count, written = MAPS[name]
    records = examples(name)
    found = [one(table(parse_map(written)), record, at) for at, record in enumerate(records)]
    assert len(found) == count
    assert all(each["answers"] for each in found)
    assert recognised(records[0]) == []
