"""Messages are read for what was said and which calls were made: no id, no guess."""

import json
from typing import Any

import pytest

from evalkit.jsonvalue import brief
from evalkit.subjects.replies import read_reply
from evalkit.trace import KINDS
from tests.subjects.wire import WHOLE, as_objects, asks, assistant, gives, only, outcomes


def test_messages_pair_results_with_calls() -> None:
    """Results reach the call of their id, in whatever order; JSON in a text is read."""
    told = read_reply(WHOLE)
    assert outcomes(told) == [
        ["find", {"id": 7}, {"status": "late"}],
        ["count", {}, "3"],
        ["refund", {"id": 7}, "no such order"],
    ]
    assert (told.text, told.turns, told.stop_cause) == ("It is late.", 3, "completed")
    assert [said["content"] for said in told.messages] == ["One moment.", "It is late."]


def test_messages_may_be_objects() -> None:
    """Attributes are read as keys are."""
    assert read_reply(as_objects(WHOLE)).calls == read_reply(WHOLE).calls


def test_ids_are_not_kept() -> None:
    """Two runs that differ in ids alone are told the same."""
    other = json.loads(json.dumps(WHOLE).replace('"a"', '"x"').replace('"b"', '"y"'))
    assert read_reply(other).calls == read_reply(WHOLE).calls
    assert "call_1" not in json.dumps(read_reply([assistant("x", asks("t"))]).calls)


def test_an_id_may_be_used_again() -> None:
    """An id that has had its result is free, as with clients that number the calls of a turn."""
    told = read_reply([assistant(None, asks("a")), gives("1"), assistant(None, asks("b"))])
    assert outcomes(told) == [["a", {}, "1"], ["b", {}, "unobserved"]]


def test_a_call_is_an_entry_of_a_trace() -> None:
    """A call has all that a trace's has, of the turn 0, and no step."""
    told = read_reply([assistant(None, asks("find", '{"id": 7}')), gives("[1]"), assistant("x")])
    assert dict(only(told)) == {
        "step": None,
        "turn": 0,
        "tool": "find",
        "args": {"id": 7},
        "result": [1],
        "error": None,
        "attempts": [],
        "seconds": 0.0,
        "output": "",
    }


def test_the_old_form_is_read() -> None:
    """A `function_call`, and the result that names the function, are a call and its result."""
    old = assistant(None, function_call={"name": "find", "arguments": '{"id": 7}'})
    told = read_reply([old, {"role": "function", "name": "find", "content": "[]"}])
    assert outcomes(told) == [["find", {"id": 7}, []]]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "It is "}, {"type": "text", "text": "late."}], "It is late."),
        ([{"type": "refusal", "refusal": "I won't."}], "I won't."),
        ("It is late.", "It is late."),
    ],
    ids=brief,
)
def test_the_content_may_come_in_parts(content: Any, text: str) -> None:
    """Parts of text are one text."""
    assert read_reply(assistant(content)).text == text
    assert read_reply(as_objects(assistant(content))).text == text


def test_a_refusal_is_what_was_said() -> None:
    """A message that refuses says so in a field of its own, which is what a user reads."""
    assert read_reply(assistant(None, refusal="I won't.")).text == "I won't."


MALFORMED = [
    '{"id": ',
    "",
    "id=7",
    "[7]",
    '"7"',
    "7",
    "null",
    "None",
    '{"id": NaN}',
    '{"id": 1e999}',
    '{"id": 1, "id": 2}',
    '{"id": "\\ud800"}',
    '{"id": ' + "9" * 5_000 + "}",
    '{"id": ' + "[" * 300 + "]" * 300 + "}",
    "[" * 100_000,
    '{"id": "' + "x" * 10_000_000 + '"}',
    None,
    7,
    ["id", 7],
    {"id": {7}},
    {7: "id"},
]


@pytest.mark.parametrize("arguments", MALFORMED, ids=lambda value: brief(value, 30))
def test_malformed_arguments_are_the_call_s_error(arguments: Any) -> None:
    """A call whose arguments are no JSON object was made all the same, and says what it sent."""
    told = read_reply([assistant(None, asks("find", arguments)), gives("{}"), assistant("x")])
    assert outcomes(told) == [["find", {}, "invalid_arguments"]]
    call = only(told)
    assert call["error"] is not None
    assert call["error"]["message"]
    assert call["result"] is None


def test_malformed_arguments_are_named() -> None:
    """The message shows the text that was sent."""
    call = only(read_reply(assistant(None, asks("find", '{"id": '))))
    assert call["error"] is not None
    assert """'{"id": '""" in call["error"]["message"]


def test_arguments_may_come_as_an_object() -> None:
    """A client that has parsed the arguments hands over the same."""
    assert outcomes(
        read_reply(assistant(None, asks("find", {"isError": True, "content": []})))
    ) == [["find", {"isError": True, "content": []}, "unobserved"]]


@pytest.mark.parametrize(
    ("content", "kind"),
    [('{"a": NaN}', "unserialisable"), ('{"a": 1, "a": 2}', "unserialisable")],
)
def test_a_result_that_is_no_strict_json_is_an_error(content: str, kind: str) -> None:
    """JSON that is not strict is no prose, and no result either."""
    told = read_reply([assistant(None, asks("find")), gives(content), assistant("x")])
    assert outcomes(told) == [["find", {}, kind]]
    assert kind in KINDS


def test_a_result_that_says_it_is_an_error_is_one() -> None:
    """A tool's message that is marked as an error gives no result."""
    told = read_reply([assistant(None, asks("find")), gives("no", is_error=True), assistant("x")])
    assert outcomes(told) == [["find", {}, "raised"]]
