"""tau2-bench's tasks: what is read of them, and what they are judged by; and tau-bench's."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalkit.datasets.tau2 import TAU2
from tests.datasets.records import asked, flaws, one

TASKS = Path(__file__).parents[2] / "../shared/data/formats/tau2/tasks.json"
ACTION: dict[str, Any] = {
    "action_id": "close_1",
    "name": "close_ticket",
    "arguments": {"id": 7, "note": "solved"},
    "info": "Close it",
}
ENV_ASSERTION: dict[str, Any] = {
    "env_type": "assistant",
    "func_name": "is_open",
    "arguments": {"id": 7},
    "assert_value": False,
}
CRITERIA: dict[str, Any] = {"actions": [ACTION], "nl_assertions": ["The agent is polite"]}
TASK: dict[str, Any] = {
    "id": "close_7",
    "description": {"purpose": "Close a ticket", "relevant_policies": None, "notes": "Simple"},
    "user_scenario": {"persona": None, "instructions": "You want ticket 7 closed."},
    "ticket": "Close ticket 7.",
    "initial_state": None,
    "evaluation_criteria": CRITERIA,
}
OLDER: dict[str, Any] = {
    "annotator": 0,
    "user_id": "mia_li",
    "instruction": "You are mia_li. Close ticket 7.",
    "actions": [
        {"name": "close_ticket", "kwargs": {"id": 7}},
        {"name": "respond", "arguments": {"content": "It cost 1,200."}},
    ],
    "outputs": ["1200"],
}
ON_7 = "is_open(id=7)"


def judged_by(**criteria: Any) -> dict[str, Any]:
    """The scenario of a task with these criteria."""
    return one(TAU2, TASK | {"evaluation_criteria": criteria})


def acted(**changes: Any) -> dict[str, Any]:
    """What is read of a task that rests on its actions, of which one is changed."""
    return judged_by(actions=[ACTION | changes], reward_basis=["ACTION"])


def test_a_task() -> None:
    """A task is its ticket; its actions say how the database is to be left, not how to do it."""
    assert one(TAU2, TASK) == {
        "name": "close_7",
        "description": "Purpose: Close a ticket\nNotes: Simple",
        "prompt": "Close ticket 7.",
        "tool_calls": [
            {"tool": "close_ticket", "args": {"id": 7, "note": "solved"}, "label": "close_1"}
        ],
        "match": "off",
        "state": {"capture": {"db": {"tool": "get_db_state"}}, "replayed": ["db"]},
        "hygiene": False,
        "metadata": {
            "user_scenario": TASK["user_scenario"],
            "evaluation_criteria": CRITERIA,
        },
    }


def test_older() -> None:
    """A task of tau-bench is named after its place, and judged by its database and its outputs."""
    found = asked(TAU2, OLDER, 12)
    assert found == [
        {
            "name": "task_12",
            "prompt": "You are mia_li. Close ticket 7.",
            "tool_calls": [{"tool": "close_ticket", "args": {"id": 7}}],
            "match": "off",
            "assertions": [
                {
                    "path": "responses[*]",
                    "op": "contains",
                    "expected": "1200",
                    "normalize": "prose",
                    "each": "any",
                    "description": "is told",
                }
            ],
            "state": {"capture": {"db": {"tool": "get_db_state"}}, "replayed": ["db"]},
            "metadata": {"user_id": "mia_li", "annotator": 0},
            "hygiene": False,
        }
    ]


def test_instructions() -> None:
    """Without a ticket the instructions are the prompt, their parts written as tau2-bench does."""
    instructions = {
        "domain": "desk",
        "reason_for_call": "A ticket.",
        "known_info": "It is 7.",
        "unknown_info": None,
        "task_instructions": "Have it closed.",
    }
    user = {"persona": None, "instructions": instructions}
    assert one(TAU2, TASK | {"ticket": None, "user_scenario": user})["prompt"] == (
        "Domain: desk\n"
        "Reason for call:\nA ticket.\n"
        "Known info:\nIt is 7.\n"
        "Task instructions:\nHave it closed."
    )


def test_history() -> None:
    """What was said before comes before the prompt; what was called is for the tools to redo."""
    history = [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "tool_calls": [{"id": "1", "name": "find", "arguments": {}}]},
        {"role": "tool", "id": "1", "content": "[7]"},
        {"role": "assistant", "content": "Which one?"},
    ]
    found = one(TAU2, TASK | {"initial_state": {"message_history": history}})
    assert found["prompt"] == [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "Which one?"},
        {"role": "user", "content": "Close ticket 7."},
    ]
    assert found["metadata"]["initial_state"] == {"message_history": history}


@pytest.mark.parametrize(
    ("compare_args", "operand"),
    [
        (None, {"args": {"id": 7, "note": "solved"}}),
        (["id"], {"args": {"id": 7}, "args_match": "subset"}),
        (["id", "note"], {"args": {"id": 7, "note": "solved"}, "args_match": "subset"}),
        ([], {"args_match": "ignore"}),
    ],
)
def test_compared(compare_args: list[str] | None, operand: dict[str, Any]) -> None:
    """With ACTION in the basis a call is found by all arguments, by those compared, or by none."""
    found = acted(compare_args=compare_args)
    wanted = {"tool": "close_ticket", **operand}
    assert found["assertions"] == [{"path": "calls", "op": "calls", "expected": [wanted]}]
    assert found["tool_calls"][0]["args"] == {"id": 7, "note": "solved"}
    assert "state" not in found


@pytest.mark.parametrize(
    ("criteria", "kept"),
    [
        ({"reward_basis": ["DB"]}, {"state"}),
        ({"reward_basis": ["ACTION"]}, {"assertions"}),
        ({"reward_basis": ["COMMUNICATE"]}, {"assertions"}),
        ({"reward_basis": ["ENV_ASSERTION"]}, {"state"}),
        ({"reward_basis": ["DB", "ACTION"]}, {"state", "assertions"}),
        ({}, {"state", "assertions"}),
    ],
)
def test_basis(criteria: dict[str, Any], kept: set[str]) -> None:
    """Only what the reward rests on is asked for."""
    whole = {
        "actions": [ACTION],
        "env_assertions": [ENV_ASSERTION],
        "communicate_info": ["closed"],
        "nl_assertions": ["The agent is polite"],
    }
    found = judged_by(**whole, **criteria)
    assert {"state", "assertions"} & found.keys() == kept
    assert "skip" not in found


def test_env_assertions() -> None:
    """What is asserted of the environment is what its tool must say when all is done."""
    found = judged_by(
        env_assertions=[ENV_ASSERTION, ENV_ASSERTION | {"arguments": {}, "assert_value": True}],
        reward_basis=["ENV_ASSERTION"],
    )
    assert found["state"] == {
        "expected": {ON_7: False, "is_open()": True},
        "capture": {
            ON_7: {"tool": "is_open", "args": {"id": 7}},
            "is_open()": {"tool": "is_open", "args": {}},
        },
    }


def test_nothing_to_do() -> None:
    """Where there is no action, the database is to be left as it was."""
    found = judged_by(actions=[])
    assert found["state"]["replayed"] == ["db"]
    assert "tool_calls" not in found


@pytest.mark.parametrize(
    ("criteria", "skip"),
    [
        ({"nl_assertions": ["Polite"]}, "needs a judge: nl_assertions"),
        (
            {"actions": [ACTION], "nl_assertions": ["Polite"], "reward_basis": ["NL_ASSERTION"]},
            "needs a judge: nl_assertions",
        ),
        (
            {"actions": [ACTION | {"requestor": "user"}]},
            "needs a simulated user: actions",
        ),
        (
            {
                "env_assertions": [ENV_ASSERTION | {"env_type": "user"}],
                "reward_basis": ["DB", "ENV_ASSERTION"],
            },
            "needs a simulated user: env_assertions",
        ),
    ],
)
def test_skipped(criteria: dict[str, Any], skip: str) -> None:
    """What only a judge can say, or a user's hand can do, is not measured, and says so."""
    assert judged_by(**criteria)["skip"] == skip


@pytest.mark.parametrize(
    ("criteria", "flaw"),
    [
        (
            {},
            "reward_basis: nothing is there that the reward rests on; any agent would pass",
        ),
        (
            {"actions": [ACTION], "reward_basis": ["COMMUNICATE"]},
            "reward_basis: nothing is there that the reward rests on; any agent would pass",
        ),
        (
            {"actions": [ACTION], "reward_basis": ["DBS"]},
            "reward_basis: unknown reward 'DBS'; did you mean 'DB'?",
        ),
        (
            {"actions": [ACTION], "action": []},
            "action: unknown field 'action'; did you mean 'actions'?",
        ),
        (
            {"actions": [ACTION | {"compare_args": ["ids"]}]},
            "actions[0].compare_args: 'ids' is none of the arguments; did you mean 'id'?",
        ),
        (
            {"actions": [ACTION | {"requestor": "agent"}]},
            "actions[0].requestor: unknown requestor 'agent'; known: 'assistant', 'user'",
        ),
        (
            {"actions": [{"action_id": "1", "name": "close_ticket"}]},
            "actions[0].arguments: there is no 'arguments'; {} where it takes none",
        ),
        (
            {"actions": [ACTION | {"arguments": [7]}]},
            "actions[0].arguments: expected an object, got [7]",
        ),
        (
            {"env_assertions": [ENV_ASSERTION | {"assert_value": "no"}], "actions": []},
            "env_assertions[0].assert_value: expected true or false, got 'no'",
        ),
        (
            {"env_assertions": [ENV_ASSERTION, ENV_ASSERTION], "actions": []},
            "env_assertions[1].func_name: is_open(id=7) is there twice",
        ),
        (
            {"actions": [ACTION], "communicate_info": "closed"},
            "communicate_info: expected a list of texts, got 'closed'; put it in [ ]",
        ),
    ],
)
def test_criteria_refused(criteria: dict[str, Any], flaw: str) -> None:
    """Criteria that are not as they must be, or that any agent would meet, are an error."""
    found = flaws(TAU2, TASK | {"evaluation_criteria": criteria})
    assert found == [f"evaluation_criteria.{flaw}"]


@pytest.mark.parametrize(
    ("record", "flaw"),
    [
        (
            {key: TASK[key] for key in ("id", "user_scenario")},
            "evaluation_criteria: there is no 'evaluation_criteria'",
        ),
        (TASK | {"id": True}, "id: expected a text, got True"),
        (TASK | {"tickets": "x"}, "tickets: unknown field 'tickets'; did you mean 'ticket'?"),
        (TASK | {"ticket": " "}, "ticket: is blank: ' '"),
        (
            TASK | {"user_scenario": {"instructions": {"domain": "d", "reason_for_call": "r"}}},
            "user_scenario.instructions.task_instructions: there is no 'task_instructions'",
        ),
        (
            TASK | {"initial_state": {"message_history": [{"role": "bot", "content": "Hi"}]}},
            (
                "initial_state.message_history[0].role: unknown role 'bot'; "
                "known: 'assistant', 'system', 'tool', 'user'"
            ),
        ),
        (
            OLDER | {"actions": [{"name": "close_ticket"}]},
            "actions[0].kwargs: there is no 'kwargs'; {} where it takes none",
        ),
        (
            OLDER | {"output": []},
            "output: unknown field 'output'; did you mean 'outputs'?",
        ),
    ],
)
def test_refused(record: dict[str, Any], flaw: str) -> None:
    """A task that is not as it must be is refused, with the place and what would be right."""
    assert flaws(TAU2, record) == [flaw]


def test_a_number_is_a_name() -> None:
    """Tasks that are numbered are named by their number."""
    assert one(TAU2, TASK | {"id": 12})["name"] == "12"


def test_tasks() -> None:
    """Every task of the mock domain is read; those that need a judge or a user say so."""
    if not TASKS.exists():
        pytest.skip("../shared/data is not there")
    found = [one(TAU2, record) for record in json.loads(TASKS.read_text("utf-8"))]
    assert len(found) == 10
    assert {each["name"]: each["skip"] for each in found if "skip" in each} == {
        "create_task_1_nl_eval": "needs a judge: nl_assertions",
        "update_task_with_user_tools": "needs a simulated user: env_assertions",
    }
