"""tau2-bench's mock domain, run: the right actions pass on its database, and one too few fail."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalkit import Scenario, Status, load, run

FOLDER = Path(__file__).parents[2] / "../shared/data/formats/tau2"
ACTING = {
    "create_task_1": 1,
    "create_task_1_with_env_assertions": 1,
    "update_task_1": 1,
    "update_task_with_message_history": 1,
    "update_task_with_initialization_data": 1,
    "update_task_with_initialization_actions": 1,
    "impossible_task_1": 1,
}
"""The tasks that are judged by what the agent does, with the number of its actions."""
FINAL = "update_task_with_history_and_env_assertions"
CLOSE = {"name": "update_task_status", "arguments": {"task_id": "task_2", "status": "completed"}}
Action = dict[str, Any]
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="../shared/data is not there")


def updated(into: dict[str, Any], more: dict[str, Any]) -> None:
    """Put what a task begins with into the database, at every depth."""
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            updated(into[key], value)
        else:
            into[key] = copy.deepcopy(value)


def mock_tools(scenario: Scenario) -> dict[str, Callable[..., Any]]:
    """The tools of the mock domain, on a database of its own that is as the task begins."""
    db = json.loads((FOLDER / "db.json").read_text("utf-8"))
    tasks, users = db["tasks"], db["users"]

    def create_task(user_id: str, title: str, description: str | None = None) -> Any:
        named = f"task_{len(tasks) + 1}"
        task = {"task_id": named, "title": title, "description": description, "status": "pending"}
        tasks[named] = task
        users[user_id]["tasks"].append(named)
        return task

    def update_task_status(task_id: str, status: str) -> Any:
        tasks[task_id]["status"] = status
        return tasks[task_id]

    def assert_task_status(task_id: str, expected_status: str) -> bool:
        return bool(task_id in tasks and tasks[task_id]["status"] == expected_status)

    tools: dict[str, Callable[..., Any]] = {
        "create_task": create_task,
        "update_task_status": update_task_status,
        "assert_task_status": assert_task_status,
        "get_users": lambda: list(users.values()),
        "transfer_to_human_agents": lambda summary: f"transferred: {summary}",
        "get_db_state": lambda: db,
    }
    begin(scenario, db, tools)
    return tools


def begin(scenario: Scenario, db: dict[str, Any], tools: dict[str, Callable[..., Any]]) -> None:
    """Honour the state in which a task begins: its data, its actions, what was called before."""
    start = (scenario.metadata or {}).get("initial_state") or {}
    updated(db, (start.get("initialization_data") or {}).get("agent_data") or {})
    for action in start.get("initialization_actions") or ():
        if action["env_type"] == "assistant":
            tools[action["func_name"]](**action["arguments"])
    for message in start.get("message_history") or ():
        for call in message.get("tool_calls") or ():
            tools[call["name"]](**call["arguments"])


def scripted(actions: list[Action], said: list[str]) -> Callable[..., str]:
    """An agent that does what it was told to, and says what it was told to."""

    def agent(_conversation: Any, ctx: Any) -> str:
        for action in actions:
            ctx.tools[action["name"]](**action["arguments"])
        return ". ".join([*said, "Done"])

    return agent


def criteria(scenario: Scenario) -> dict[str, Any]:
    """What a task is judged by, as its file has it."""
    assert scenario.metadata is not None
    found: dict[str, Any] = scenario.metadata["evaluation_criteria"]
    return found


def status(scenario: Scenario, actions: list[Action], said: list[str]) -> Status:
    """The verdict on an agent that makes these actions, and says this."""
    report = run([scenario], tools=mock_tools, agent=scripted(actions, said))
    (result,) = report.results
    return result.status


@pytest.mark.parametrize("name", ACTING)
def test_the_right_actions_pass(name: str) -> None:
    """A task passes where its own actions are made, and what is to be told is told."""
    scenario = load(FOLDER / "tasks.json")[name]
    wanted = criteria(scenario)
    assert len(wanted["actions"]) == ACTING[name]
    assert status(scenario, wanted["actions"], wanted.get("communicate_info", [])) == Status.PASSED


@pytest.mark.parametrize("name", ACTING)
def test_one_action_too_few_fails(name: str) -> None:
    """A task fails where one of its actions is left out."""
    scenario = load(FOLDER / "tasks.json")[name]
    wanted = criteria(scenario)
    actions = wanted["actions"][:-1]
    assert status(scenario, actions, wanted.get("communicate_info", [])) == Status.FAILED


@pytest.mark.parametrize("name", ACTING)
def test_another_action_fails(name: str) -> None:
    """A task fails where something else is changed as well."""
    scenario = load(FOLDER / "tasks.json")[name]
    wanted = criteria(scenario)
    more = {"name": "create_task", "arguments": {"user_id": "user_1", "title": "Another"}}
    actions = [*wanted["actions"], more]
    assert status(scenario, actions, wanted.get("communicate_info", [])) == Status.FAILED


def test_another_way_to_the_same_end_passes() -> None:
    """A task on the database is no matter of which calls were made, but of how it is left."""
    scenario = load(FOLDER / "tasks.json")["update_task_1"]
    reopened = {
        "name": "update_task_status",
        "arguments": {"task_id": "task_1", "status": "pending"},
    }
    looked = {"name": "get_users", "arguments": {}}
    actions = [looked, *criteria(scenario)["actions"], reopened, *criteria(scenario)["actions"]]
    assert status(scenario, actions, []) == Status.PASSED
    assert status(scenario, [*actions, reopened], []) == Status.FAILED


def test_what_is_not_told_fails() -> None:
    """A task fails where what the user is to be told is not said."""
    scenario = load(FOLDER / "tasks.json")["update_task_with_initialization_data"]
    wanted = criteria(scenario)
    assert status(scenario, wanted["actions"], wanted["communicate_info"][:1]) == Status.FAILED
    shouted = [each.upper() for each in wanted["communicate_info"]]
    assert status(scenario, wanted["actions"], shouted) == Status.PASSED


def test_an_assertion_on_the_environment() -> None:
    """A task without actions is judged by what its environment says when all is done."""
    scenario = load(FOLDER / "tasks.json")[FINAL]
    assert status(scenario, [CLOSE], []) == Status.PASSED
    assert status(scenario, [], []) == Status.FAILED


def test_the_whole_file() -> None:
    """The file runs as it is; two tasks are skipped, for want of a judge and of a user."""
    catalogue = load(FOLDER / "tasks.json")
    report = run(catalogue, tools=mock_tools, agent=scripted([], []))
    skipped = {each.name: each.reason for each in report.results if each.status == Status.SKIPPED}
    assert skipped == {
        "create_task_1_nl_eval": "needs a judge: nl_assertions",
        "update_task_with_user_tools": "needs a simulated user: env_assertions",
    }
    assert {each.status for each in report.results} == {Status.SKIPPED, Status.FAILED}


def test_the_actions_by_themselves() -> None:
    """Without an agent the actions of the tasks run on the tools, and what is asserted holds."""
    catalogue = load(FOLDER / "tasks.json")
    report = run(catalogue, tools=mock_tools)
    found = {each.name: each.status for each in report.results}
    assert {found[name] for name in ACTING} == {Status.PASSED}
