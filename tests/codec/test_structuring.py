"""What the codec refuses: each thing where it stands, as it is written, with what is meant."""

from typing import Any

import pytest

from evalkit.codec import Codec, Misfit, MisfitError

Data = dict[str, Any]
CODEC = Codec()
CALL = ("tool_calls", 0)
IN_CALL = (*CALL, "assertions", 0)


def misfits(data: Any, **given: Any) -> list[Misfit]:
    """All that is wrong with data."""
    with pytest.raises(MisfitError) as caught:
        (Codec(**given) if given else CODEC).scenario(data)
    return list(caught.value.misfits)


def one(data: Any, **given: Any) -> tuple[tuple[str | int, ...], str, str | None]:
    """The steps, the problem and the hint of the one thing that is wrong with data."""
    (found,) = misfits(data, **given)
    return found.steps, found.problem, found.hint


def case(**fields: Any) -> Data:
    """A scenario with these fields."""
    return {"name": "a", **fields}


def call(**fields: Any) -> Data:
    """A scenario of one call with these fields."""
    return case(tool_calls=[{"tool": "t", **fields}])


def asserted(assertion: Any) -> Data:
    """A scenario of one call with one assertion."""
    return call(assertions=[assertion])


UNKNOWN: list[tuple[Data, tuple[str | int, ...], str]] = [
    (case(descripton="x"), ("descripton",), "description"),
    (case(tag=["x"]), ("tag",), "tags"),
    (case(toolcalls=[]), ("toolcalls",), "tool_calls"),
    (call(arg={}), (*CALL, "arg"), "args"),
    (call(saveas={}), (*CALL, "saveas"), "save_as"),
    (asserted({"op": "eq", "expcted": 1}), (*IN_CALL, "expcted"), "expected"),
    (asserted({"op": "f1", "treshold": 1}), (*IN_CALL, "treshold"), "threshold"),
    (case(answers={"golds": ["x"], "mtach": "f1"}), ("answers", "mtach"), "match"),
    (
        case(prompt=[{"role": "user", "content": "x", "contents": "y"}]),
        ("prompt", 0, "contents"),
        "content",
    ),
]


@pytest.mark.parametrize(("data", "steps", "near"), UNKNOWN, ids=lambda each: str(each)[-40:])
def test_an_unknown_key_is_told_with_the_nearest(
    data: Data, steps: tuple[str | int, ...], near: str
) -> None:
    """Every noun refuses a key that it does not know, and names the one that was meant."""
    assert one(data) == (steps, f"unknown field {steps[-1]!r}", f"did you mean {near!r}?")


@pytest.mark.parametrize("key", ["source", "home"])
def test_what_is_seen_from_the_file_is_no_field(key: str) -> None:
    """Where a scenario stands is not written by its author, and is not offered as a field."""
    steps, problem, hint = one(case(**{key: "x.py:1"}))
    assert (steps, problem) == ((key,), f"unknown field {key!r}")
    assert "source" not in str(hint)


NUMBER = "expected a number above 0, got "
WHOLE = "expected a whole number, "
COERCED: list[tuple[Data, tuple[str | int, ...], str]] = [
    (case(name=1), ("name",), "expected a string, got 1"),
    (case(name=None), ("name",), "expected a string, got None"),
    (case(description=5), ("description",), "expected a string, got 5"),
    (case(description=None), ("description",), "expected a string, got None"),
    (case(tags="abc"), ("tags",), "expected a list of strings, got 'abc'"),
    (case(tags=None), ("tags",), "expected a list of strings, got None"),
    (case(tags={"a": 1}), ("tags",), "expected a list of strings, got {'a': 1}"),
    (case(tags=["a", 5]), ("tags", 1), "expected a string, got 5"),
    (case(timeout_s="5"), ("timeout_s",), f"{NUMBER}'5'"),
    (case(timeout_s=True), ("timeout_s",), f"{NUMBER}True"),
    (case(epochs="5"), ("epochs",), f"{WHOLE}from 1 to 1,000, got '5'"),
    (case(epochs=True), ("epochs",), f"{WHOLE}from 1 to 1,000, got True"),
    (case(epochs=2.5), ("epochs",), f"{WHOLE}from 1 to 1,000, got 2.5"),
    (case(pass_epochs=0), ("pass_epochs",), f"{WHOLE}from 1 to 1,000, got 0"),
    (case(xfail=True), ("xfail",), "expected a string, got True"),
    (case(metadata=[]), ("metadata",), "expected a mapping, got []"),
    (case(metadata="abc"), ("metadata",), "expected a mapping, got 'abc'"),
    (case(prompt=5), ("prompt",), "expected a prompt, got 5"),
    (case(prompt={"role": "user"}), ("prompt",), "expected a prompt, got {'role': 'user'}"),
    (case(tool_calls={"tool": "t"}), ("tool_calls",), "expected a list, got {'tool': 't'}"),
    (case(tool_calls="abc"), ("tool_calls",), "expected a list, got 'abc'"),
    (case(tool_calls=None), ("tool_calls",), "expected a list, got None"),
    (case(tool_calls=["abc"]), CALL, "expected a mapping, got 'abc'"),
    (case(tool_calls=[None]), CALL, "expected a mapping, got None"),
    (case(assertions={"op": "eq"}), ("assertions",), "expected a list, got {'op': 'eq'}"),
    (case(assertions=None), ("assertions",), "expected a list, got None"),
    (call(tool=5), (*CALL, "tool"), "expected a string, got 5"),
    (call(args="abc"), (*CALL, "args"), "expected a mapping, got 'abc'"),
    (call(args=[["a", 1]]), (*CALL, "args"), "expected a mapping, got [['a', 1]]"),
    (call(args=None), (*CALL, "args"), "expected a mapping, got None"),
    (call(label=True), (*CALL, "label"), "expected a string, got True"),
    (call(label=None), (*CALL, "label"), "expected a string, got None"),
    (call(save_as={"a": 1}), (*CALL, "save_as", "a"), "expected a string, got 1"),
    (
        call(save_as=["a"]),
        (*CALL, "save_as"),
        "expected a mapping of name to name, got ['a']",
    ),
    (
        call(context_args=None),
        (*CALL, "context_args"),
        "expected a mapping of name to name, got None",
    ),
    (
        call(expect_error=False),
        (*CALL, "expect_error"),
        "expected True or a pattern for the message, got False",
    ),
    (
        call(expect_error=1),
        (*CALL, "expect_error"),
        "expected True or a pattern for the message, got 1",
    ),
    (call(retry="1"), (*CALL, "retry"), f"{WHOLE}0 or more, got '1'"),
    (call(retry=True), (*CALL, "retry"), f"{WHOLE}0 or more, got True"),
    (call(retry=1.0), (*CALL, "retry"), f"{WHOLE}0 or more, got 1.0"),
    (call(retry=None), (*CALL, "retry"), f"{WHOLE}0 or more, got None"),
    (asserted("abc"), IN_CALL, "expected a mapping or a list, got 'abc'"),
    (asserted(None), IN_CALL, "expected a mapping or a list, got None"),
    (asserted({"op": "eq", "path": 0}), (*IN_CALL, "path"), "expected a string, got 0"),
    (asserted({"op": "eq", "path": None}), (*IN_CALL, "path"), "expected a string, got None"),
    (asserted({"op": 5}), (*IN_CALL, "op"), "expected a string, got 5"),
    (asserted({"op": None}), (*IN_CALL, "op"), "expected a string, got None"),
    (asserted({"op": "eq", "tolerance": "0.1"}), (*IN_CALL, "tolerance"), f"{NUMBER}'0.1'"),
    (asserted({"op": "eq", "rel": True}), (*IN_CALL, "rel"), f"{NUMBER}True"),
    (
        asserted({"op": "f1", "threshold": "1"}),
        (*IN_CALL, "threshold"),
        "expected a number above 0 and up to 1, got '1'",
    ),
    (
        asserted({"op": "eq", "weight": False}),
        (*IN_CALL, "weight"),
        "expected a number, 0 or above, got False",
    ),
    (
        asserted({"op": "eq", "weight": None}),
        (*IN_CALL, "weight"),
        "expected a number, 0 or above, got None",
    ),
    (
        asserted({"op": "eq", "description": 1}),
        (*IN_CALL, "description"),
        "expected a string, got 1",
    ),
]


@pytest.mark.parametrize(("data", "steps", "problem"), COERCED, ids=lambda each: str(each)[-40:])
def test_nothing_is_coerced(data: Data, steps: tuple[str | int, ...], problem: str) -> None:
    """A value of another type is refused where it stands, as it is written, and null too."""
    assert one(data)[:2] == (steps, problem)


VALUES: list[tuple[Data, tuple[str | int, ...], str, str]] = [
    (case(difficulty="hard"), ("difficulty",), "unknown value 'hard'", "'advanced'"),
    (case(difficulty=None), ("difficulty",), "unknown value None", "'basic'"),
    (asserted({"op": "eq", "each": "some"}), (*IN_CALL, "each"), "unknown value 'some'", "'any'"),
    (
        asserted({"op": "eq", "severity": "error"}),
        (*IN_CALL, "severity"),
        "unknown value 'error'",
        "'warn'",
    ),
    (
        asserted({"op": "f1", "normalize": "sqaud"}),
        (*IN_CALL, "normalize"),
        "unknown normaliser 'sqaud'",
        "'squad'",
    ),
    (
        asserted({"op": "f1", "extract": "frist_line"}),
        (*IN_CALL, "extract"),
        "nothing called 'frist_line' can be taken out",
        "'first_line'",
    ),
    (
        case(prompt=[{"role": "usr", "content": "x"}]),
        ("prompt", 0, "role"),
        "unknown value 'usr'",
        "'user'",
    ),
    (
        case(answers={"golds": ["x"], "match": "exact"}),
        ("answers", "match"),
        "unknown value 'exact'",
        "'exact_match'",
    ),
    (case(answers={"golds": []}), ("answers", "golds"), "there is no gold answer", "not measured"),
    (
        asserted({"op": "eqq"}),
        (*IN_CALL, "op"),
        "unknown operator 'eqq'",
        "did you mean 'eq'?",
    ),
    (asserted({"op": "CONTIANS"}), (*IN_CALL, "op"), "unknown operator 'CONTIANS'", "'contains'"),
]


@pytest.mark.parametrize(
    ("data", "steps", "problem", "hint"), VALUES, ids=lambda each: str(each)[-40:]
)
def test_a_wrong_value_is_told_with_those_there_are(
    data: Data, steps: tuple[str | int, ...], problem: str, hint: str
) -> None:
    """Where one of a few is meant, the others are told: the nearest, or all."""
    found = one(data)
    assert found[:2] == (steps, problem)
    assert hint in str(found[2])


BLANK: list[tuple[Data, tuple[str | int, ...]]] = [
    (case(name=""), ("name",)),
    (case(name=" \u2003"), ("name",)),
    (case(prompt=""), ("prompt",)),
    (case(prompt=["x", "  "]), ("prompt", 1)),
    (case(prompt=[{"role": "user", "content": " "}]), ("prompt", 0)),
    (case(xfail="\t"), ("xfail",)),
    (case(tags=["a", ""]), ("tags", 1)),
    (call(tool=" "), (*CALL, "tool")),
    (call(save_as={"": "x"}), (*CALL, "save_as", "")),
    (asserted({"op": " "}), (*IN_CALL, "op")),
]


@pytest.mark.parametrize(("data", "steps"), BLANK, ids=lambda each: str(each)[-40:])
def test_what_is_blank_is_refused(data: Data, steps: tuple[str | int, ...]) -> None:
    """A name or a prompt that says nothing is refused where it stands."""
    found = one(data)
    assert found[0] == steps
    assert "blank" in found[1] or "control character" in found[1]


NAN = float("nan")


@pytest.mark.parametrize(
    ("data", "steps"),
    [
        (case(metadata={"x": NAN}), ("metadata", "x")),
        (call(args={"x": [NAN]}), (*CALL, "args", "x", 0)),
        (asserted({"op": "eq", "expected": NAN}), (*IN_CALL, "expected")),
        (asserted(["x", "eq", float("inf")]), (*IN_CALL, 2)),
        (case(timeout_s=NAN), ("timeout_s",)),
        (asserted({"op": "eq", "weight": float("inf")}), (*IN_CALL, "weight")),
        (asserted({"op": "f1", "threshold": NAN}), (*IN_CALL, "threshold")),
    ],
    ids=lambda each: str(each)[-40:],
)
def test_what_is_not_finite_is_refused(data: Data, steps: tuple[str | int, ...]) -> None:
    """NaN and the infinities are no values of any field."""
    assert one(data)[0] == steps


@pytest.mark.parametrize("data", [None, [], "a", 5, True, [{"name": "a"}]], ids=repr)
def test_a_scenario_is_a_mapping(data: Any) -> None:
    """Anything else is refused as a whole."""
    assert one(data) == ((), f"expected a mapping, got {data!r}", None)


@pytest.mark.parametrize(
    ("data", "steps", "field"),
    [
        ({}, (), "name"),
        (call(tool="t") | {"tool_calls": [{}]}, CALL, "tool"),
        (asserted({"path": "a"}), IN_CALL, "op"),
        (case(answers={"match": "f1"}), ("answers",), "golds"),
        (case(prompt=[{"role": "user"}]), ("prompt", 0), "content"),
    ],
)
def test_a_field_that_must_be_there_is_named(
    data: Data, steps: tuple[str | int, ...], field: str
) -> None:
    """A field without which a noun is nothing is told by its name."""
    assert one(data)[:2] == (steps, f"needs {field!r}")


def answered(**fields: Any) -> Data:
    """A scenario with these answers."""
    return case(answers={"golds": ["x"], **fields})


@pytest.mark.parametrize(
    ("data", "steps", "problem"),
    [
        (
            answered(match="exact_match", threshold=0.5),
            ("answers", "threshold"),
            "'exact_match' is met or not, and has no threshold",
        ),
        (answered(threshold=0.5), ("answers", "threshold"), "'exact_match' is met or not"),
        (answered(golds=[1]), ("answers", "golds", 0), "expected a text, got 1"),
        (answered(golds=["x", True], match="numeric"), ("answers", "golds", 1), "got True"),
        (answered(golds="x"), ("answers", "golds"), "expected a list of golds, got 'x'"),
        (case(answers="x"), ("answers",), "expected a list of golds, got 'x'"),
        (case(answers=[]), ("answers",), "there is no gold answer"),
        (case(answers=["x", None]), ("answers", 1), "got None"),
        (case(answers=["x", 1]), ("answers", 1), "expected a text, got 1"),
    ],
    ids=lambda each: str(each)[-40:],
)
def test_answers_that_do_not_hang_together(
    data: Data, steps: tuple[str | int, ...], problem: str
) -> None:
    """What is wrong with gold answers is told where it is written, by what is written there."""
    found = one(data)
    assert found[0] == steps
    assert problem in found[1]
