"""Everything that is wrong with data is told at once, each thing once."""

from typing import Any

import pytest

from evalkit.codec import Codec, Misfit, MisfitError

CODEC = Codec()


def steps(data: Any) -> list[tuple[str | int, ...]]:
    """Where data is wrong, sorted by the text of the steps."""
    with pytest.raises(MisfitError) as caught:
        CODEC.scenario(data)
    return sorted((each.steps for each in caught.value.misfits), key=str)


def test_all_fields_of_a_scenario() -> None:
    """A scenario in which every field is wrong is told field by field."""
    wrong: dict[str, Any] = {
        "name": 1,
        "prompt": "",
        "tool_calls": "x",
        "tags": "x",
        "description": None,
        "difficulty": "hard",
        "assertions": {},
        "answers": 5,
        "epochs": True,
        "pass_epochs": "1",
        "timeout_s": 0,
        "xfail": " ",
        "metadata": [],
        "nmae": "a",
    }
    assert steps(wrong) == sorted([(name,) for name in wrong], key=str)


def test_all_fields_of_a_call() -> None:
    """A call in which every field is wrong is told field by field."""
    wrong: dict[str, Any] = {
        "tool": 1,
        "args": [],
        "assertions": {},
        "label": None,
        "save_as": [],
        "context_args": "x",
        "arg_transforms": [],
        "expect_error": False,
        "timeout_s": "1",
        "retry": -1,
        "tol": "x",
    }
    told = steps({"name": "a", "tool_calls": [wrong]})
    assert told == sorted([("tool_calls", 0, name) for name in wrong], key=str)


def test_all_fields_of_an_assertion() -> None:
    """An assertion in which every field is wrong is told field by field."""
    wrong: dict[str, Any] = {
        "path": 1,
        "op": "eqq",
        "expected": float("nan"),
        "description": None,
        "each": "some",
        "tolerance": 0,
        "rel": "1",
        "threshold": 2,
        "normalize": "nope",
        "extract": 3,
        "weight": True,
        "severity": "bad",
        "pth": "x",
    }
    told = steps({"name": "a", "assertions": [wrong]})
    assert told == sorted([("assertions", 0, name) for name in wrong], key=str)


def test_all_fields_of_answers() -> None:
    """Answers in which every field is wrong are told field by field."""
    wrong = {
        "golds": [],
        "match": "exact",
        "threshold": 2,
        "normalize": "x",
        "extract": "y",
        "z": 1,
    }
    told = steps({"name": "a", "answers": wrong})
    assert told == sorted([("answers", name) for name in wrong], key=str)


def test_a_right_field_is_not_told_beside_a_wrong_one() -> None:
    """A threshold that F1 has stays right where the normaliser is wrong."""
    answers = {"golds": ["x"], "match": "f1", "threshold": 0.5, "normalize": "nope"}
    assert steps({"name": "a", "answers": answers}) == [("answers", "normalize")]


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ({"golds": [1], "normalize": "nope"}, [("golds", 0), ("normalize",)]),
        ({"golds": ["x"], "threshold": 0.5, "extract": "nope"}, [("extract",), ("threshold",)]),
    ],
)
def test_what_does_not_hang_together_is_told_beside_a_wrong_field(
    answers: dict[str, Any], told: list[tuple[str | int, ...]]
) -> None:
    """One mistake of answers does not hide another."""
    assert steps({"name": "a", "answers": answers}) == [("answers", *each) for each in told]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"arg_transforms": {"a": "m:f", "b": 3, "c": "m:g"}}, ["a", "b", "c"]),
        ({"save_as": {"a": 1, "b": "x", "c": 2}}, ["a", "c"]),
        ({"context_args": {"a": None, "b": []}}, ["a", "b"]),
    ],
)
def test_all_parts_of_one_field_of_a_call(fields: dict[str, Any], told: list[str]) -> None:
    """Of a mapping, all entries that are wrong are told."""
    (name,) = fields
    data = {"name": "a", "tool_calls": [{"tool": "t", **fields}]}
    assert steps(data) == [("tool_calls", 0, name, each) for each in told]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"tags": [1, "x", ""]}, [("tags", 0), ("tags", 2)]),
        ({"prompt": ["", "x", 3]}, [("prompt", 0), ("prompt", 2)]),
        ({"answers": [1, "x", None]}, [("answers", 0), ("answers", 2)]),
    ],
)
def test_all_items_of_one_list(fields: dict[str, Any], told: list[tuple[str | int, ...]]) -> None:
    """Of a list, all items that are wrong are told."""
    assert steps({"name": "a", **fields}) == told


def test_all_saved_values_without_a_name() -> None:
    """Two references that name nothing are two mistakes, beside a third."""
    args = {"a": {"$ref": 1}, "b": [{"$ref": ""}]}
    data = {"name": "a", "tool_calls": [{"tool": "t", "args": args, "label": 1}]}
    assert steps(data) == [
        ("tool_calls", 0, "args", "a", "$ref"),
        ("tool_calls", 0, "args", "b", 0, "$ref"),
        ("tool_calls", 0, "label"),
    ]


def test_a_wrong_reference_hides_no_other_field_of_its_assertion() -> None:
    """An assertion with a reference to nothing and a wrong severity has two mistakes."""
    assertion = {"path": "x", "op": "eq", "expected": {"$ref": 1}, "severity": "bad"}
    assert steps({"name": "a", "assertions": [assertion]}) == [
        ("assertions", 0, "expected", "$ref"),
        ("assertions", 0, "severity"),
    ]


def test_all_nouns_at_every_depth() -> None:
    """What is wrong in calls, assertions, turns and answers comes together."""
    data = {
        "name": "a",
        "prompt": [{"role": "user", "content": "x"}, {"role": "usr", "content": "y"}],
        "tool_calls": [
            {"tool": "t", "assertions": [["x", "eq"], ["x", "eqq"], {"op": "eq", "wieght": 1}]},
            {"tool": "", "assertions": [["x"]]},
        ],
        "assertions": [["calls", "len_eq", 1], 5],
        "answers": {"golds": ["x"], "match": "f2"},
        "tags": ["ok", 1],
    }
    assert steps(data) == [
        ("answers", "match"),
        ("assertions", 1),
        ("prompt", 1, "role"),
        ("tags", 1),
        ("tool_calls", 0, "assertions", 1, 1),
        ("tool_calls", 0, "assertions", 2, "wieght"),
        ("tool_calls", 1, "assertions", 0),
        ("tool_calls", 1, "tool"),
    ]


def test_a_misfit_is_seen_from_further_above() -> None:
    """The steps grow at their beginning; problem and hint stay."""
    misfit = Misfit(("op",), "unknown operator 'x'", "known: ...")
    assert misfit.below("assertions", 2) == Misfit(
        ("assertions", 2, "op"), "unknown operator 'x'", "known: ..."
    )


def test_the_error_says_all_of_them() -> None:
    """Who prints the error reads every problem."""
    assert str(MisfitError(Misfit((), "one"), Misfit((), "two"))) == "one; two"
