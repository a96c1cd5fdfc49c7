"""Whatever an agent returns is read as one thing, or refused: nothing is taken for granted."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import Reply
from evalkit.jsonvalue import brief, equal, plain
from evalkit.subjects.messages import UNOBSERVED, ReplyError
from evalkit.subjects.replies import read_reply
from tests.subjects.wire import asks, assistant, completion, gives, only, outcomes


def test_a_text_says_nothing_of_calls() -> None:
    """A text is the answer, goes into the conversation, and leaves all else untold."""
    told = read_reply("It is late.")
    assert told.text == "It is late."
    assert told.messages == [{"role": "assistant", "content": "It is late."}]
    assert (told.calls, told.usage, told.cost_usd, told.turns) == (None, None, None, None)
    assert (told.stop_cause, told.meta, told.alone) == ("completed", {}, False)


@pytest.mark.parametrize(
    "nothing",
    [
        None,
        "",
        " \n\t",
        Reply(None),
        Reply(""),
        Reply(None, calls=[{"tool": "t", "args": {}}]),
        assistant(None),
        assistant(""),
        assistant([]),
        assistant([{"type": "text", "text": " "}]),
        completion(assistant(None)),
        completion(assistant("")),
        completion(assistant(""), None),
        [assistant(None)],
        [assistant("One moment.", asks("find")), gives("{}")],
    ],
    ids=brief,
)
def test_an_answer_that_says_nothing_is_no_output(nothing: Any) -> None:
    """Where nothing was said, and no call asked for last, the run is not a completed one."""
    told = read_reply(nothing)
    assert told.stop_cause == "no_output"
    assert not (told.text or "").strip()


def test_a_reply_is_taken_as_it_is() -> None:
    """What a `Reply` tells arrives, the errors of its calls in a trace's form."""
    told = read_reply(
        Reply(
            "Done.",
            calls=[
                {"tool": "a", "args": {"n": 1}, "result": None},
                {"tool": "b", "args": {}, "error": "out of stock"},
                {"tool": "c", "args": {}, "error": {"type": "E", "message": "m"}},
                {"tool": "d", "args": {}},
            ],
            usage={"input_tokens": 3},
            cost_usd=0.25,
            stop_cause="cost_budget",
            turns=0,
            meta={"compactions": 1},
        )
    )
    assert told.calls is not None
    assert [call["error"] for call in told.calls] == [
        None,
        {"kind": "raised", "type": "ToolError", "message": "out of stock"},
        {"kind": "raised", "type": "E", "message": "m"},
        UNOBSERVED,
    ]
    assert (told.text, told.usage, told.cost_usd) == ("Done.", {"input_tokens": 3}, 0.25)
    assert (told.stop_cause, told.turns, told.meta) == ("cost_budget", 0, {"compactions": 1})


@pytest.mark.parametrize(("calls", "read"), [(None, None), ([], [])])
def test_no_calls_are_not_untold_ones(calls: Any, read: Any) -> None:
    """An empty list of calls says that there was none; None says nothing."""
    assert read_reply(Reply("x", calls=calls)).calls == read


def test_a_usage_without_numbers_is_untold() -> None:
    """An empty mapping of tokens is no usage of none."""
    assert read_reply(Reply("x", usage={})).usage is None
    assert read_reply(completion(assistant("x"), usage={})).usage is None


def test_a_list_without_calls_tells_that_there_was_none() -> None:
    """A list holds all that the turn added, so a call that is not in it was not made."""
    assert read_reply([assistant("x")]).calls == []


@pytest.mark.parametrize("one", [assistant("x"), completion(assistant("x"))], ids=brief)
def test_one_message_does_not_tell_that_there_was_no_call(one: Any) -> None:
    """The last message of several looks the same: of those before it nothing is known."""
    told = read_reply(one)
    assert (told.calls, told.turns, told.alone) == (None, None, True)


@pytest.mark.parametrize("reason", ["tool_calls", "stop", None])
def test_one_message_may_ask_for_calls(reason: str | None) -> None:
    """A message that asks for calls tells of them, and has not stopped for want of words."""
    asking = assistant(None, asks("find", '{"id": 7}'))
    for told in (read_reply(asking), read_reply(completion(asking, reason))):
        assert outcomes(told) == [["find", {"id": 7}, "unobserved"]]
        assert (told.stop_cause, told.messages, told.alone) == ("completed", [], True)


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        ("stop", "completed"),
        ("length", "output_token_budget"),
        ("content_filter", "content_filter"),
        ("error", "error"),
        ("", "completed"),
        (None, "completed"),
    ],
)
def test_why_a_completion_ended(reason: str | None, cause: str) -> None:
    """Reasons have the trace's words; one that is not known is not taken for completed."""
    assert read_reply(completion(assistant("x"), reason)).stop_cause == cause


def test_a_completion_that_was_cut_is_not_completed() -> None:
    """A call in an answer that was cut off does not make it a whole one."""
    cut = completion(assistant(None, asks("find", '{"id": ')), "length")
    told = read_reply(cut)
    assert told.stop_cause == "output_token_budget"
    assert outcomes(told) == [["find", {}, "invalid_arguments"]]


def test_what_a_completion_used() -> None:
    """Tokens have the trace's names; those that are not told are left out."""
    used = {"prompt_tokens": 5, "completion_tokens": 0, "total_tokens": None, "queue_ms": 3}
    told = read_reply(completion(assistant("x"), usage=used))
    assert told.usage == {"input_tokens": 5, "output_tokens": 0}


class Shouting(str):
    """A string that lies."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Equal everything."""
        return True

    __hash__ = str.__hash__

    def isspace(self) -> bool:
        """Be blank."""
        return True


class Hiding(dict[str, Any]):
    """A dict that says it is empty."""

    def __len__(self) -> int:
        """Count nothing."""
        return 0


def test_what_is_told_is_plain() -> None:
    """No object of the agent's gets any further, and none that it may still change."""
    result = {"rows": [1]}
    reply = Reply("x", calls=[{"tool": "t", "args": {}, "result": result}])
    told = read_reply(reply)
    assert told.calls is not None
    assert reply.calls is not None
    assert told.calls[0]["result"] is not reply.calls[0]["result"]
    for odd in (Shouting("x"), assistant(Shouting("x")), [assistant(Shouting("x"))]):
        told = read_reply(odd)
        assert type(told.text) is str
        assert told.stop_cause == "completed"
        assert plain(told.messages) == told.messages
    call = only(read_reply(assistant(None, asks("t", Hiding(a=1)))))
    assert call["args"] == {"a": 1}
    assert type(call["args"]) is dict


def streamed() -> Any:
    """Answer piece by piece."""
    yield "It is late."


HOSTILE: list[tuple[Any, str]] = [
    (7, "expected a text, None, Reply, a message"),
    (True, "expected a text"),
    (b"It is late.", "expected a text"),
    (float("nan"), "expected a text"),
    (object(), "expected a text"),
    (Reply, "expected a text"),
    (streamed(), "expected a text"),
    ({"It is late."}, "expected a text"),
    ({}, "expected a text"),
    ({"answer": "It is late."}, "expected a text"),
    ({"content": "It is late."}, "expected a text"),
    ({"error": {"message": "overloaded", "code": 503}}, "overloaded"),
    (SimpleNamespace(text="It is late."), "expected a text"),
    ("\ud800", "surrogate"),
    ("x" * 10_000_001, "larger than"),
    ([], "at least one message"),
    ((), "at least one message"),
    (["It is late."], "message 0 is 'It is late.'"),
    (("It is late.", []), "message 0 is 'It is late.'"),
    ([None], "message 0 is None"),
    ([{}], "message 0 is {}"),
    ([Reply("x")], "message 0 is Reply"),
    ([completion(assistant("x"))], "message 0 is"),
    ([assistant("x"), {"role": "user", "content": "y"}], "message 1 is {'role': 'user'}"),
    ([{"role": "system", "content": "y"}], "of role 'assistant' or 'tool'"),
    ([{"role": "Assistant", "content": "y"}], "of role 'assistant' or 'tool'"),
    ([{"role": ["assistant"], "content": "y"}], "of role 'assistant' or 'tool'"),
    ({"role": "user", "content": "y"}, "a message of role 'assistant'"),
    ({"role": "tool", "tool_call_id": "a", "content": "y"}, "a message of role 'assistant'"),
    (gives("{}"), "a message of role 'assistant'"),
    ([gives("{}"), assistant("x")], "'call_1', and no call waits"),
    ([assistant(None, asks("t")), gives("{}", "call_2")], "'call_2', and no call waits"),
    (
        [assistant(None, asks("t")), gives("1"), gives("2")],
        "message 2 gives the result of 'call_1'",
    ),
    ([assistant(None, asks("t"), asks("u")), gives("{}")], "several calls wait"),
    ([assistant(None, asks("t")), {"role": "tool", "content": "{}"}], "None, and no call waits"),
    ([assistant(None, asks("t")), gives(None)], "the text of a result"),
    ([assistant(None, asks("t")), gives({"a": 1})], "a text, null, or a list of parts"),
    (assistant(7), "a text, null, or a list of parts"),
    (assistant({"text": "x"}), "a text, null, or a list of parts"),
    (assistant([{"type": "image_url", "image_url": {}}]), "{'type': 'text', 'text': ...}"),
    (assistant([{"type": "text"}]), "{'type': 'text', 'text': ...}"),
    (assistant(["x"]), "{'type': 'text', 'text': ...}"),
    (assistant("\ud800"), "surrogate"),
    (assistant("x", tool_calls={"id": "a"}), "expected a list"),
    (assistant("x", tool_calls="find"), "expected a list"),
    (assistant("x", tool_calls=[None]), "the name of a function"),
    (assistant("x", tool_calls=[{"id": "a", "type": "function"}]), "the name of a function"),
    (assistant("x", asks("")), "the name of a function"),
    (assistant("x", asks(" ")), "the name of a function"),
    (assistant("x", asks(["find"])), "the name of a function"),  # type: ignore[arg-type]
    (assistant("x", {"type": "custom", "custom": {}}), "a call of type 'function'"),
    (assistant("x", function_call="find"), "the name of a function"),
    (completion(None), "the choice's message is None"),
    ({"choices": []}, "0 choices"),
    ({"choices": None, "role": None}, "expected a text"),
    ({"choices": "stop"}, "a list of one choice"),
    ({"choices": [None]}, "the choice's message is None"),
    ({"choices": [{"delta": {"content": "It"}}]}, "the choice's message is None"),
    ({"choices": [{"text": "It is late."}]}, "the choice's message is None"),
    ({"choices": [{"message": assistant("x")}] * 3}, "3 choices"),
    (completion({"role": "user", "content": "x"}), "a message of role 'assistant'"),
    (completion(assistant("x"), reason=7), "a string"),  # type: ignore[arg-type]
    (completion(assistant("x"), usage={"prompt_tokens": "5"}), "a whole number"),
    (completion(assistant("x"), usage={"prompt_tokens": -5}), "a whole number"),
    (completion(assistant("x"), usage={"prompt_tokens": True}), "a whole number"),
    (completion(assistant("x"), usage={"prompt_tokens": 5.0}), "a whole number"),
]


@pytest.mark.parametrize(("returned", "told"), HOSTILE, ids=lambda value: brief(value, 40))
def test_what_can_not_be_read_is_refused(returned: Any, told: str) -> None:
    """Anything else raises, a TypeError that says what was got and what is accepted."""
    with pytest.raises(ReplyError) as caught:
        read_reply(returned)
    assert told in str(caught.value)
    assert len(str(caught.value)) < 500
    assert isinstance(caught.value, TypeError)


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["role", "content", "choices", "message", "tool_calls", "function"]
                ),
                inner | st.sampled_from(["assistant", "tool"]),
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_no_json_breaks_the_reader(returned: Any) -> None:
    """Any JSON value is read or refused; what is read is plain JSON."""
    try:
        told = read_reply(returned)
    except ReplyError:
        return
    assert equal(plain([told.calls, told.messages]), [told.calls, told.messages])
    assert told.stop_cause in ("completed", "no_output") or isinstance(returned, dict)


def test_a_client_s_own_objects_are_read() -> None:
    """A completion of the client itself is read as the JSON that it was made from."""
    chat = pytest.importorskip("openai.types.chat", reason="the client is not installed")
    message = assistant(None, asks("find", '{"id": 7}'), asks("count", "{}", "call_2"))
    used = {"prompt_tokens": 5, "completion_tokens": 6, "total_tokens": 11}
    wire = completion(message, "tool_calls", usage=used)
    wire |= {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
    parsed = chat.ChatCompletion.model_validate(wire)
    told = read_reply(parsed)
    assert told.calls == read_reply(wire).calls
    assert outcomes(told) == [["find", {"id": 7}, "unobserved"], ["count", {}, "unobserved"]]
    assert told.usage == {"input_tokens": 5, "output_tokens": 6, "total_tokens": 11}
    assert told.stop_cause == "completed"
    own = parsed.choices[0].message
    told = read_reply([own, gives("[]", "call_2"), assistant("None.")])
    assert outcomes(told) == [["find", {"id": 7}, "unobserved"], ["count", {}, []]]
    assert read_reply(own).calls == read_reply(wire).calls
