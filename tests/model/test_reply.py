"""What a reply accepts, keeps and refuses."""

from typing import Any

import attrs
import pytest

from evalkit import CatalogueError, Reply
from evalkit.jsonvalue import brief

NAN = float("nan")


def call(**more: Any) -> dict[str, Any]:
    """One call of a tool, and what else is told of it."""
    return {"tool": "find", "args": {"id": 1}, **more}


def test_a_text_is_enough() -> None:
    """All but the text is left untold: None, which is not the same as nothing."""
    reply = Reply("Done.")
    assert attrs.astuple(reply) == ("Done.", None, None, None, None, None, None)


def test_all_of_it() -> None:
    """What is told is kept as it is."""
    calls = [call(result=None), call(error="away"), call(error={"type": "E", "message": "m"})]
    reply = Reply(
        None,
        calls=calls,
        usage={"input_tokens": 3, "output_tokens": 0},
        cost_usd=0,
        stop_cause="loop",
        turns=2,
        meta={"taint": {"private": True}},
    )
    assert reply.text is None
    assert reply.calls == tuple(calls)
    assert reply.usage == {"input_tokens": 3, "output_tokens": 0}
    assert (reply.cost_usd, reply.stop_cause, reply.turns) == (0, "loop", 2)
    assert reply.meta == {"taint": {"private": True}}


def test_no_calls_are_told_by_an_empty_list() -> None:
    """An empty list stays one: it says that no call was made."""
    assert Reply("Done.", calls=[]).calls == ()


def test_a_call_without_a_result_has_none() -> None:
    """A result that is not told is not the result null; an error of None is none."""
    told = Reply("x", calls=[call(), call(result=None), call(error=None)]).calls
    assert told == (call(), call(result=None), call())


def test_what_is_told_is_copied() -> None:
    """What the agent changes later changes no reply."""
    args: dict[str, Any] = {"rows": [1]}
    meta: dict[str, Any] = {"rows": args["rows"]}
    reply = Reply("x", calls=[{"tool": "t", "args": args, "result": args["rows"]}], meta=meta)
    args["rows"].append(2)
    assert reply.calls == ({"tool": "t", "args": {"rows": [1]}, "result": [1]},)
    assert reply.meta == {"rows": [1]}


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"text": 1}, "Reply.text", "expected a string"),
    ({"text": b"x"}, "Reply.text", "expected a string"),
    ({"text": "\ud800"}, "Reply.text", "surrogate"),
    ({"calls": "find"}, "Reply.calls", "expected a list of calls"),
    ({"calls": call()}, "Reply.calls", "put it in [ ]"),
    ({"calls": 3}, "Reply.calls", "expected a list of calls"),
    ({"calls": ["find"]}, "Reply.calls[0]", "expected a mapping"),
    ({"calls": [call(), {}]}, "Reply.calls[1]", "has no 'tool'"),
    ({"calls": [{"tool": "find"}]}, "Reply.calls[0]", "has no 'args'"),
    ({"calls": [call(tool="")]}, "Reply.calls[0].tool", "is blank"),
    ({"calls": [call(tool=None)]}, "Reply.calls[0].tool", "expected a string"),
    ({"calls": [call(args='{"id": 1}')]}, "Reply.calls[0].args", "expected a mapping"),
    ({"calls": [call(args=None)]}, "Reply.calls[0].args", "expected a mapping"),
    ({"calls": [call(args={"a": {1}})]}, "Reply.calls[0].args.a", "no JSON value"),
    ({"calls": [call(result=NAN)]}, "Reply.calls[0].result", "not finite"),
    ({"calls": [call(result=object())]}, "Reply.calls[0].result", "no JSON value"),
    ({"calls": [call(reslt=1)]}, "Reply.calls[0]", "did you mean 'result'?"),
    ({"calls": [call(id="call_1")]}, "Reply.calls[0]", "unknown key 'id'"),
    ({"calls": [{**call(), 7: 1}]}, "Reply.calls[0]", "unknown key 7"),
    ({"calls": [call(result=1, error="away")]}, "Reply.calls[0]", "a result and an error"),
    ({"calls": [call(error="")]}, "Reply.calls[0].error", "is blank"),
    ({"calls": [call(error=True)]}, "Reply.calls[0].error", "expected a message"),
    ({"calls": [call(error=ValueError("x"))]}, "Reply.calls[0].error", "expected a message"),
    ({"calls": [call(error={"type": "E"})]}, "Reply.calls[0].error", "has no 'message'"),
    ({"calls": [call(error={"message": "m"})]}, "Reply.calls[0].error", "has no 'type'"),
    (
        {"calls": [call(error={"type": "E", "message": ""})]},
        "Reply.calls[0].error.message",
        "is blank",
    ),
    (
        {"calls": [call(error={"kind": "raised", "type": "E", "message": "m"})]},
        "Reply.calls[0].error",
        "unknown key 'kind'",
    ),
    ({"usage": 12}, "Reply.usage", "expected a mapping"),
    ({"usage": {"input_token": 1}}, "Reply.usage", "did you mean 'input_tokens'?"),
    ({"usage": {"prompt_tokens": 1}}, "Reply.usage", "unknown key 'prompt_tokens'"),
    ({"usage": {"input_tokens": -1}}, "Reply.usage.input_tokens", "whole number"),
    ({"usage": {"input_tokens": 1.0}}, "Reply.usage.input_tokens", "whole number"),
    ({"usage": {"input_tokens": True}}, "Reply.usage.input_tokens", "whole number"),
    ({"usage": {"input_tokens": None}}, "Reply.usage.input_tokens", "whole number"),
    ({"cost_usd": "0.1"}, "Reply.cost_usd", "expected a number"),
    ({"cost_usd": -0.1}, "Reply.cost_usd", "expected a number"),
    ({"cost_usd": NAN}, "Reply.cost_usd", "expected a number"),
    ({"cost_usd": False}, "Reply.cost_usd", "expected a number"),
    ({"stop_cause": ""}, "Reply.stop_cause", "is blank"),
    ({"stop_cause": 3}, "Reply.stop_cause", "expected a string"),
    ({"turns": -1}, "Reply.turns", "whole number"),
    ({"turns": True}, "Reply.turns", "whole number"),
    ({"turns": 1.5}, "Reply.turns", "whole number"),
    ({"meta": []}, "Reply.meta", "expected a mapping"),
    ({"meta": {"a": {1}}}, "Reply.meta.a", "no JSON value"),
]


@pytest.mark.parametrize(("given", "where", "told"), WRONG, ids=lambda value: brief(value, 40))
def test_a_wrong_field_is_a_catalogue_error(given: dict[str, Any], where: str, told: str) -> None:
    """A field that is wrong is refused when written, with its place."""
    with pytest.raises(CatalogueError) as caught:
        Reply(**{"text": "Done.", **given})
    (problem,) = caught.value.problems
    assert problem.where == where
    assert told in str(problem)


def test_the_text_has_to_be_said() -> None:
    """No answer is None, written out: a text that was forgotten is none."""
    with pytest.raises(TypeError, match="text"):
        Reply()  # type: ignore[call-arg]
