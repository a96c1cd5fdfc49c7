"""BFCL's questions: what is read of them, and which arguments are accepted."""

from pathlib import Path
from typing import Any

import pytest

from evalkit import Scenario
from evalkit.datasets.bfcl import BFCL, answers_of
from evalkit.datasets.bfcl_tools import offered
from evalkit.operators.schema import schema_flaw, schema_problem
from tests.datasets.records import flaws, one

FUNCTION: dict[str, Any] = {
    "name": "weather.find",
    "description": "Find the weather.",
    "parameters": {
        "type": "dict",
        "properties": {
            "city": {"type": "string", "description": "Where."},
            "days": {"type": "integer"},
            "limits": {"type": "array", "items": {"type": "float"}},
            "units": {"type": "dict", "properties": {"wind": {"type": "string"}}},
            "stops": {"type": "tuple", "items": {"type": "dict"}},
            "where": {"type": "any"},
            "share": {"type": "float"},
            "live": {"type": "boolean"},
        },
        "required": ["city"],
    },
}
SIMPLE: dict[str, Any] = {
    "id": "simple_python_7",
    "question": [[{"role": "user", "content": "How hot is it in Oslo?"}]],
    "function": [FUNCTION],
    "ground_truth": [{"weather.find": {"city": ["Oslo", "oslo, NO"], "days": [1, ""]}}],
}
NONE = {key: SIMPLE[key] for key in ("question", "function")} | {"id": "irrelevance_3"}
PARALLEL = SIMPLE | {
    "id": "live_parallel_2-0-0",
    "ground_truth": [{"weather.find": {"city": ["Oslo"]}}, {"weather.find": {"city": ["Rome"]}}],
}


def with_answer(**accepted: Any) -> dict[str, Any]:
    """A question whose accepted arguments are these, and any of the city's names."""
    return SIMPLE | {"ground_truth": [{"weather.find": {"city": ["Oslo"], **accepted}}]}


def with_message(*messages: dict[str, Any]) -> dict[str, Any]:
    """A question of these messages."""
    return SIMPLE | {"question": [list(messages)]}


def accepts(record: dict[str, Any], **args: Any) -> bool:
    """Whether arguments are accepted by the one call that a question asks for."""
    (operand,) = one(BFCL, record)["assertions"][0]["expected"]
    assert schema_flaw(operand["schema"]) is None
    return schema_problem(operand["schema"], args) is None


def test_a_question() -> None:
    """A question is put with its functions, and judged by the one call that is accepted."""
    found = one(BFCL, SIMPLE)
    (asserted,) = found.pop("assertions")
    assert found == {
        "name": "simple_python_7",
        "prompt": "How hot is it in Oslo?",
        "tags": ["simple_python"],
        "metadata": {"functions": [FUNCTION]},
        "hygiene": False,
    }
    assert (asserted["path"], asserted["op"]) == ("calls", "calls_exactly")
    assert [each["tool"] for each in asserted["expected"]] == ["weather.find"]


def test_parallel_calls() -> None:
    """Several calls may come in any order, and there is none beside them."""
    several, count = one(BFCL, PARALLEL)["assertions"]
    assert several["op"] == "calls_any_order"
    assert len(several["expected"]) == 2
    assert count == {"path": "calls", "op": "len_eq", "expected": 2}
    assert one(BFCL, PARALLEL)["tags"] == ["parallel"]


@pytest.mark.parametrize(
    ("named", "asserted"),
    [
        ("irrelevance_3", {"path": "calls", "op": "calls_exactly", "expected": []}),
        ("live_irrelevance_9-0-1", {"path": "calls", "op": "calls_exactly", "expected": []}),
        ("live_relevance_0-0-0", {"path": "calls", "op": "len_gte", "expected": 1}),
    ],
)
def test_without_an_answer(named: str, asserted: dict[str, Any]) -> None:
    """Where no function is of use none is called, and where one is, any call will do."""
    assert one(BFCL, NONE | {"id": named})["assertions"] == [asserted]


def test_turns() -> None:
    """The system's message is the system prompt, and neighbours of one role are one turn."""
    record = with_message(
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello."},
        {"role": "user", "content": "Anyone?"},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": "How hot is it?"},
    )
    found = one(BFCL, record)
    assert found["system_prompt"] == "Be brief."
    assert found["prompt"] == [
        {"role": "user", "content": "Hello.\n\nAnyone?"},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": "How hot is it?"},
    ]


@pytest.mark.parametrize(
    ("args", "accepted"),
    [
        ({"city": "Oslo", "days": 1}, True),
        ({"city": "Oslo"}, True),
        ({"city": "OSLO no", "days": 1.0}, True),
        ({"city": "o-s_l.o", "days": 1}, True),
        ({"city": "Oslo\n", "days": 1}, False),
        ({"city": "Bergen", "days": 1}, False),
        ({"city": "Oslo", "days": 2}, False),
        ({"city": "Oslo", "days": True}, False),
        ({"city": "Oslo", "days": "1"}, False),
        ({"city": "Oslo", "days": ""}, False),
        ({"city": "Oslo", "days": None}, False),
        ({"city": ["Oslo"]}, False),
        ({"city": "Oslo", "live": True}, False),
        ({"days": 1}, False),
        ({}, False),
    ],
)
def test_accepted_values(args: dict[str, Any], accepted: bool) -> None:
    """An argument is one of the accepted values; what may be left out is what has the mark."""
    assert accepts(SIMPLE, **args) is accepted


@pytest.mark.parametrize(
    ("listed", "value", "accepted"),
    [
        ({"limits": [[1.5, 2]]}, [1.5, 2.0], True),
        ({"limits": [[1.5, 2]]}, [2, 1.5], False),
        ({"limits": [[1.5, 2]]}, [1.5], False),
        ({"limits": [[1.5, 2]]}, [1.5, 2, 3], False),
        ({"limits": [[1.5, 2], [3]]}, [3], True),
        ({"limits": [["a b"]]}, ["A-B"], True),
        ({"limits": [["a b"]]}, [["a b"]], False),
        ({"limits": ["sales"]}, "sales", True),
        ({"limits": ["sales"]}, "Sales", False),
        ({"limits": [[1], ""]}, [], True),
        ({"units": [{"wind": ["m/s", "kn"], "rain": ["mm", ""]}]}, {"wind": "MS"}, True),
        ({"units": [{"wind": ["m/s"], "rain": [1, ""]}]}, {"wind": "m/s", "rain": 1}, True),
        ({"units": [{"wind": ["m/s"], "rain": [1, ""]}]}, {"wind": "m/s", "rain": 2}, False),
        ({"units": [{"wind": ["m/s"]}]}, {"wind": "m/s", "snow": 1}, False),
        ({"units": [{"wind": ["m/s"]}]}, {}, False),
        ({"units": [{"wind": [["a", "b"]]}]}, {"wind": ["a", "b"]}, True),
        ({"units": [{"wind": [["a", "b"]]}]}, {"wind": ["a", "B"]}, False),
        ({"stops": [[{"at": ["Ski"]}, {"at": ["Moss"]}]]}, [{"at": "ski"}, {"at": "moss"}], True),
        ({"stops": [[{"at": ["Ski"]}, {"at": ["Moss"]}]]}, [{"at": "moss"}, {"at": "ski"}], False),
        ({"stops": [[{"at": ["Ski"]}]]}, [], False),
        ({"where": ["Ski", 3]}, "ski", True),
        ({"where": [3]}, 3, True),
        ({"where": [3]}, "3", False),
        ({"where": ["", None]}, None, True),
        ({"where": ["", None]}, "", True),
        ({"share": [5]}, 5.0, True),
        ({"share": [5.0]}, 5, True),
        ({"share": [0.5]}, True, False),
        ({"live": [True]}, True, True),
        ({"live": [True]}, 1, False),
        ({"live": [""]}, True, False),
    ],
)
def test_accepted_by_type(listed: dict[str, Any], value: object, accepted: bool) -> None:
    """Values are compared by the type that the function gives the argument."""
    (name,) = listed
    assert accepts(with_answer(**listed), city="Oslo", **{name: value}) is accepted


@pytest.mark.parametrize(
    ("listed", "named"),
    [({"days": []}, "'days'"), ({"dayz": [1]}, "'dayz'"), ({"city": [[]]}, None)],
)
def test_an_answer_that_none_can_give(listed: dict[str, Any], named: str | None) -> None:
    """Where no call is accepted the question is skipped, naming the argument that can't be."""
    skip = one(BFCL, with_answer(**listed)).get("skip")
    assert skip == (named and f"no call is accepted: {named} must be given, and can't be")


@pytest.mark.parametrize(
    ("record", "flaw"),
    [
        (
            SIMPLE | {"id": "simple_java_1"},
            (
                "id: unknown category 'simple_java'; known: 'simple', 'simple_python', 'multiple', "
                "'parallel', 'parallel_multiple', 'irrelevance', 'relevance'"
            ),
        ),
        (
            {key: SIMPLE[key] for key in ("id", "question", "function")},
            (
                "ground_truth: there is no 'ground_truth'; "
                "it is looked for in possible_answer/, in a file of the same name"
            ),
        ),
        (
            NONE | {"ground_truth": [{"weather.find": {}}]},
            "ground_truth: is not for the category of 'irrelevance_3'",
        ),
        (
            SIMPLE | {"ground_truth": PARALLEL["ground_truth"]},
            "ground_truth: expected one call, got 2 calls",
        ),
        (PARALLEL | {"ground_truth": []}, "ground_truth: expected calls, got 0 calls"),
        (
            SIMPLE | {"ground_truth": [{"weather.fine": {}}]},
            (
                "ground_truth[0][\"weather.fine\"]: no function 'weather.fine' is offered; "
                "did you mean 'weather.find'?"
            ),
        ),
        (
            SIMPLE | {"ground_truth": [{"a": {}, "b": {}}]},
            "ground_truth[0]: expected one function, got 'a', 'b'",
        ),
        (
            with_answer(days=1),
            'ground_truth[0]["weather.find"].days: expected a list of values, got 1; put it in [ ]',
        ),
        (
            with_answer(units=[{"wind": "m/s"}]),
            (
                'ground_truth[0]["weather.find"].units: '
                "expected a list of values for each key, got 'm/s'; put it in [ ]"
            ),
        ),
        (
            SIMPLE | {"ground_truth": [{"weather.find": None}]},
            'ground_truth[0]["weather.find"]: expected an object, got None',
        ),
        (
            SIMPLE | {"question": []},
            (
                "question: expected a list of one list of messages, got []; "
                "several are of other categories, with several turns"
            ),
        ),
        (
            with_message({"role": "user", "content": "Hi."}, {"role": "assistant", "content": "?"}),
            "question: does not end with a message of the user; that is what is answered",
        ),
        (
            with_message({"role": "system", "content": "Be brief."}),
            "question: does not end with a message of the user; that is what is answered",
        ),
        (
            with_message({"role": "usr", "content": "Hi."}, {"role": "user", "content": "Hi."}),
            "question[0][0].role: unknown role 'usr'; did you mean 'user'?",
        ),
        (
            with_message({"role": "user", "content": "Hi.", "name": "x"}),
            "question[0][0].name: unknown field 'name'; known: 'content', 'role'",
        ),
        (
            SIMPLE | {"function": [FUNCTION | {"strict": True}]},
            (
                "function[0].strict: unknown field 'strict'; "
                "known: 'description', 'name', 'parameters'"
            ),
        ),
    ],
)
def test_refused(record: dict[str, Any], flaw: str) -> None:
    """What is not as it must be is told, with its place and what would be right."""
    assert flaws(BFCL, record) == [flaw]


def test_a_saved_value_is_refused() -> None:
    """What evalkit's own files take for a saved value is not accepted by accident."""
    (flaw,) = flaws(BFCL, with_answer(units=[{"$ref": ["m/s"]}]))
    assert flaw.startswith('ground_truth[0]["weather.find"]: holds')
    assert "'$ref'" in flaw


def test_an_unknown_type_is_refused() -> None:
    """A type that is not one of Python's is named, for its values could not be compared."""
    parameters = {"type": "dict", "properties": {"m": {"type": "HashMap"}}, "required": []}
    record = SIMPLE | {"function": [{"name": "f", "description": "F.", "parameters": parameters}]}
    (flaw,) = flaws(BFCL, record)
    assert flaw.startswith("function[0].parameters.properties.m.type: unknown type 'HashMap'")


def test_the_answers_are_beside() -> None:
    """The accepted answers are in a folder beside the questions, under the same name."""
    assert answers_of(Path("data/multiple.json")) == Path("data/possible_answer/multiple.json")


def test_offered() -> None:
    """The functions of a question are tools, described as they are in its words and JSON Schema."""
    tools = offered(Scenario("a", "Hot?", answers=["no"], metadata={"functions": [FUNCTION]}))
    tool = tools["weather.find"]
    assert tool.handler(city="Oslo") is None
    assert tool.handler.__doc__ == "Find the weather."
    assert tool.schema is not None
    assert tool.schema["required"] == ["city"]
    assert tool.schema["properties"]["limits"] == {"type": "array", "items": {"type": "number"}}
    assert tool.schema["properties"]["where"] == {}
    assert tool.schema["properties"]["units"]["properties"] == {"wind": {"type": "string"}}


def test_offered_without_functions() -> None:
    """A scenario of another kind offers nothing."""
    assert offered(Scenario("a", "Hot?", answers=["no"])) == {}
