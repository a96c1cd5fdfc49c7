"""What is given as a trace is one, or it is refused with the place of what is wrong."""

import json
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest

from evalkit import CatalogueError, Scenario, ToolCall, TransportError, run
from evalkit.api.trace_shape import checked_trace
from evalkit.trace import KEYS

Trace = dict[str, Any]
SUBJECTS = ("tools",)


def dead() -> None:
    """A tool that can't be reached."""
    raise TransportError("no route")


def whole() -> Trace:
    """A trace with a call that worked, one that failed, a step that was not run."""
    calls = [
        ToolCall("one", save_as={"n": "absent"}),
        ToolCall("dead", retry=1),
        ToolCall("one", context_args={"n": "n"}),
    ]
    tools = {"one": lambda n=1: {"n": n}, "dead": dead}
    trace = run(Scenario("s", tool_calls=calls), tools=tools)["s"].trace
    made: Trace = json.loads(json.dumps(trace))
    return made


WHOLE = whole()


def without(*steps: str | int) -> Trace:
    """The trace without what the last of these steps leads to."""
    trace = json.loads(json.dumps(WHOLE))
    below = trace
    for step in steps[:-1]:
        below = below[step]
    del below[steps[-1]]
    return trace  # type: ignore[no-any-return]


def changed(value: Any, *steps: str | int) -> Trace:
    """The trace with another value where these steps lead."""
    trace = json.loads(json.dumps(WHOLE))
    below = trace
    for step in steps[:-1]:
        below = below[step]
    below[steps[-1]] = value
    return trace  # type: ignore[no-any-return]


def refused(trace: Any) -> str:
    """The message of the error that a trace is refused with."""
    with pytest.raises(CatalogueError) as caught:
        checked_trace(trace, SUBJECTS)
    (problem,) = caught.value.problems
    return str(problem)


def test_the_sample_has_every_part() -> None:
    """The trace that the tables below are made from has an entry of every kind."""
    assert WHOLE.keys() == KEYS
    assert [len(WHOLE[name]) for name in ("calls", "not_run", "errors")] == [2, 1, 1]


@pytest.mark.parametrize("wrap", [dict, MappingProxyType])
def test_a_trace_is_given_back_as_a_copy(wrap: Callable[[Trace], Any]) -> None:
    """What was checked is equal to what was given, and a document of its own."""
    given = json.loads(json.dumps(WHOLE))
    checked = checked_trace(wrap(given), SUBJECTS)
    given["calls"].clear()
    assert checked == WHOLE


@pytest.mark.parametrize("trace", [None, 7, "{}", [], [WHOLE], b"{}"], ids=type)
def test_anything_but_an_object_is_refused(trace: Any) -> None:
    """A trace is an object."""
    assert refused(trace).startswith("trace: expected an object, got ")


@pytest.mark.parametrize("key", sorted(KEYS))
def test_every_part_has_to_be_there(key: str) -> None:
    """A trace without one of its parts is none; the part is named."""
    assert refused(without(key)).startswith(f"trace: has no {key!r}")


ENTRIES = [(name, 0, key) for name in ("calls", "not_run", "errors") for key in WHOLE[name][0]]


@pytest.mark.parametrize(("name", "index", "key"), ENTRIES, ids=str)
def test_every_part_of_an_entry_has_to_be_there(name: str, index: int, key: str) -> None:
    """A call, a step that was not run and an error are whole, or are named with what is absent."""
    assert refused(without(name, index, key)).startswith(f"trace.{name}[{index}]: has no {key!r}")


@pytest.mark.parametrize("key", ["kind", "type", "message"])
def test_the_error_of_a_call_is_whole(key: str) -> None:
    """Why a call gave no result has its kind, type and message."""
    told = refused(without("calls", 1, "error", key))
    assert told.startswith(f"trace.calls[1].error: has no {key!r}")


@pytest.mark.parametrize("name", ["calls", "not_run", "errors"])
@pytest.mark.parametrize("value", [None, {}, "calls", 7], ids=repr)
def test_lists_are_lists(name: str, value: Any) -> None:
    """Calls, steps not run and errors are lists."""
    assert refused(changed(value, name)).startswith(f"trace.{name}: expected a list, got ")


@pytest.mark.parametrize("name", ["calls", "not_run", "errors"])
@pytest.mark.parametrize("value", [None, [], "call", 7], ids=repr)
def test_entries_are_objects(name: str, value: Any) -> None:
    """What stands in these lists are objects; the first that is none is named."""
    told = refused(changed([WHOLE[name][0], value], name))
    assert told.startswith(f"trace.{name}[1]: expected an object, got ")


@pytest.mark.parametrize("value", ["boom", [], 7, True], ids=repr)
def test_the_error_of_a_call_is_an_object(value: Any) -> None:
    """An error is null or an object."""
    told = refused(changed(value, "calls", 0, "error"))
    assert told.startswith("trace.calls[0].error: expected an object, got ")


@pytest.mark.parametrize("value", [None, "3", True, [3]], ids=repr)
def test_seconds_are_a_number(value: Any) -> None:
    """How long it took is a number, for a result adds to it."""
    assert refused(changed(value, "seconds")).startswith("trace.seconds: expected a number, got ")


@pytest.mark.parametrize("value", ["tolos", "agent", None, 7, ["tools"]], ids=repr)
def test_the_subject_is_one_that_is_graded(value: Any) -> None:
    """A trace of another kind of subject is refused with what there is."""
    told = refused(changed(value, "subject"))
    assert told.startswith("trace.subject: can't grade ")
    assert "'tools'" in told


@pytest.mark.parametrize("value", ["response", None, 7, {"calls": 1}, [1], [None]], ids=repr)
def test_what_was_observed_is_a_list_of_names(value: Any) -> None:
    """Which parts were observed decides what is SKIPPED: anything but names would guess."""
    assert refused(changed(value, "observed")).startswith("trace.observed")


@pytest.mark.parametrize("value", ["0", 0.5, [0], True, {}], ids=repr)
def test_the_step_of_a_call_is_an_index_or_null(value: Any) -> None:
    """By its step a call is paired: it is a whole number, or null for an agent's call."""
    assert refused(changed(value, "calls", 0, "step")).startswith("trace.calls[0].step")


@pytest.mark.parametrize("value", [7, None, ["raised"], {}], ids=repr)
def test_the_kind_of_an_error_is_a_text(value: Any) -> None:
    """What a code is looked up by is a text, or the trace is none: never a crash while grading."""
    told = refused(changed(value, "calls", 1, "error", "kind"))
    assert told.startswith("trace.calls[1].error")


@pytest.mark.parametrize("value", ["no_such_cause", 7, None, ["transport"]], ids=repr)
def test_the_cause_of_a_step_not_run_is_one_there_is(value: Any) -> None:
    """Why a step was not run becomes the code of its checks, so it is one that there is."""
    assert refused(changed(value, "not_run", 0, "cause")).startswith("trace.not_run[0]")


@pytest.mark.parametrize(
    ("value", "place"), [({"x": {1}}, "meta.x"), ({"n": float("nan")}, "meta.n")]
)
def test_a_trace_is_json(value: Any, place: str) -> None:
    """What no JSON can hold is no part of a trace, and its place is told."""
    told = refused({**WHOLE, "meta": value})
    assert told.startswith("trace: ")
    assert place in told


def test_an_absent_part_that_is_misspelt_is_told() -> None:
    """Where a part is there under a name like its own, that name is in the message."""
    trace = without("calls")
    trace["cals"] = []
    assert "'cals'" in refused(trace)
