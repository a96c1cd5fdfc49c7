"""What a scenario accepts, keeps and refuses."""

import copy
import pickle
from typing import Any

import attrs
import pytest

from evalkit import (
    Answers,
    Assertion,
    Attachment,
    Budget,
    Catalogue,
    CatalogueError,
    FewShot,
    Limits,
    Scenario,
    State,
    ToolCall,
    Turn,
)
from evalkit.jsonvalue import brief

CALL = ToolCall("count")


def test_the_order_is_fixed() -> None:
    """Name, prompt, tool calls, tags, description and difficulty come in this order."""
    scenario = Scenario("s", "p", [CALL], ["t"], "d", "basic")
    assert attrs.astuple(scenario, recurse=False)[:6] == ("s", "p", (CALL,), ("t",), "d", "basic")


@pytest.mark.parametrize("name", ["a/b", "..", "x" * 300, "größe", "1", "a b"])
def test_name(name: str) -> None:
    """Fault 42: any name that says something is one."""
    assert Scenario(name, tool_calls=[CALL]).name == name


NO_HYGIENE: list[Any] = [None, 0, 1, 1.0, "", "Strict", []]
NO_LISTS: list[Any] = [None, 0, False, "", "cancel", {}, {"a": 1}, 3]
NO_NOUNS: list[Any] = [{}, {"max_calls": 3}, 3, 0, False, "", []]
WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"name": ""}, "Scenario.name", "is blank"),
    ({"name": " "}, "Scenario.name", "is blank"),
    ({"name": 1}, "Scenario.name", "expected a string"),
    ({"name": "a\x00"}, "Scenario.name", "a control character"),
    ({"prompt": ""}, "Scenario.prompt", "is blank"),
    ({"prompt": " \n"}, "Scenario.prompt", "is blank"),
    ({"prompt": []}, "Scenario.prompt", "expected a prompt"),
    ({"prompt": 1}, "Scenario.prompt", "expected a prompt"),
    ({"prompt": {"role": "user"}}, "Scenario.prompt", "expected a prompt"),
    ({"prompt": [1]}, "Scenario.prompt", "expected a string"),
    ({"prompt": ["a", " "]}, "Scenario.prompt[1]", "is blank"),
    ({"prompt": [Turn("user", "")]}, "Scenario.prompt[0]", "is blank"),
    ({"prompt": ["a", Turn("user", "b")]}, "Scenario.prompt", "mixes strings and Turn"),
    ({"tool_calls": CALL}, "Scenario.tool_calls", "expected a list of ToolCall"),
    ({"tool_calls": ["count"]}, "Scenario.tool_calls[0]", "expected a ToolCall"),
    ({"tool_calls": None}, "Scenario.tool_calls", "expected a list of ToolCall"),
    ({"tags": "stock"}, "Scenario.tags", "expected a list of strings"),
    ({"tags": [1]}, "Scenario.tags[0]", "expected a string"),
    ({"tags": [""]}, "Scenario.tags", "is blank"),
    ({"description": None}, "Scenario.description", "expected a string"),
    ({"difficulty": "hard"}, "Scenario.difficulty", "'basic', 'standard', 'advanced'"),
    ({"difficulty": None}, "Scenario.difficulty", "'basic', 'standard', 'advanced'"),
    ({"assertions": Assertion("calls", "exists")}, "Scenario.assertions", "expected a list"),
    ({"assertions": "calls"}, "Scenario.assertions", "expected a list"),
    ({"answers": "Paris"}, "Answers.golds", "expected a list of golds, got 'Paris'; put it in"),
    ({"answers": []}, "Answers.golds", "there is no gold answer"),
    ({"answers": [None]}, "Answers.golds[0]", "expected a gold answer, got None"),
    ({"answers": [["Paris"]]}, "Answers.golds[0]", "expected a gold answer"),
    ({"answers": ["Paris", 3]}, "Answers.golds[1]", "expected a text, got 3"),
    ({"answers": {"golds": ["Paris"]}}, "Answers.golds", "expected a list of golds"),
    ({"answers": 3}, "Answers.golds", "expected a list of golds, got 3"),
    ({"timeout_s": 0}, "Scenario.timeout_s", "above 0"),
    ({"timeout_s": True}, "Scenario.timeout_s", "above 0"),
    ({"timeout_s": float("inf")}, "Scenario.timeout_s", "above 0"),
    *[
        ({name: value}, f"Scenario.{name}", "expected a whole number, from 1 to 1,000")
        for name in ("epochs", "pass_epochs")
        for value in (0, -1, True, 2.0, "3", [3], float("nan"))
    ],
    ({"xfail": ""}, "Scenario.xfail", "is blank"),
    ({"xfail": True}, "Scenario.xfail", "expected a string"),
    ({"metadata": []}, "Scenario.metadata", "expected a mapping"),
    ({"metadata": {"a": {1}}}, "Scenario.metadata.a", "no JSON value"),
    ({"match": "ordered"}, "Scenario.match", "one of 'in_order', 'exact', 'any_order', 'off'"),
    ({"match": None}, "Scenario.match", "unknown value None"),
    ({"match": True}, "Scenario.match", "unknown value True"),
    ({"hygiene": "lax"}, "Scenario.hygiene", "unknown value 'lax'; one of True, False, 'strict'"),
    *[({"hygiene": value}, "Scenario.hygiene", "unknown value") for value in NO_HYGIENE],
    *[
        ({name: value}, f"Scenario.{name}", f"expected a list of {noun}, got {value!r}")
        for name, noun in (
            *(("forbid_tools", "strings"), ("few_shot", "FewShot"), ("attachments", "Attachment")),
        )
        for value in NO_LISTS
    ],
    ({"forbid_tools": [""]}, "Scenario.forbid_tools", "is blank"),
    ({"forbid_tools": [CALL]}, "Scenario.forbid_tools[0]", "expected a string"),
    ({"few_shot": [("2 + 2", "4")]}, "Scenario.few_shot[0]", "expected a FewShot"),
    ({"few_shot": FewShot("2 + 2", "4")}, "Scenario.few_shot", "put it in [ ]"),
    ({"attachments": ["a.png"]}, "Scenario.attachments[0]", "expected an Attachment"),
    *[
        ({name: value}, f"Scenario.{name}", f"expected {noun}(...), got")
        for name, noun in (("budget", "Budget"), ("limits", "Limits"), ("state", "State"))
        for value in NO_NOUNS
    ],
    ({"budget": Limits(max_calls=3)}, "Scenario.budget", "expected Budget(...), got Limits("),
    ({"system_prompt": ""}, "Scenario.system_prompt", "is blank"),
    ({"system_prompt": ["be brief"]}, "Scenario.system_prompt", "expected a string"),
    ({"session_id": " "}, "Scenario.session_id", "is blank"),
    ({"session_id": "a\nb"}, "Scenario.session_id", "a control character"),
    ({"session_id": 7}, "Scenario.session_id", "expected a string, got 7"),
    ({"skip": ""}, "Scenario.skip", "is blank"),
    ({"skip": True}, "Scenario.skip", "expected a string, got True"),
    ({"skip": False}, "Scenario.skip", "expected a string, got False"),
]


@pytest.mark.parametrize(("given", "where", "told"), WRONG, ids=lambda value: brief(value, 40))
def test_a_wrong_field_is_a_catalogue_error(given: dict[str, Any], where: str, told: str) -> None:
    """A field that is wrong is refused when written, with its place."""
    with pytest.raises(CatalogueError) as caught:
        Scenario(**{"name": "s", "tool_calls": [CALL], **given})
    (problem,) = caught.value.problems
    assert problem.where == where
    assert told in str(problem)


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("one", "one"),
        (["first", "second"], "first"),
        (("first",), "first"),
        ([Turn("system", "be kind"), Turn("user", "hello")], "hello"),
    ],
)
def test_primary_prompt(prompt: Any, text: str) -> None:
    """The primary prompt is the text of the first user turn."""
    assert Scenario("s", prompt).primary_prompt() == text


@pytest.mark.parametrize("prompt", [None, [Turn("system", "be kind")], [Turn("assistant", "hi")]])
def test_without_a_user_turn(prompt: Any) -> None:
    """Where there is no user turn, the error names the scenario."""
    with pytest.raises(CatalogueError, match=r"^lonely: has no user turn"):
        Scenario("lonely", prompt, tool_calls=[CALL]).primary_prompt()


@pytest.mark.parametrize("role", ["tool", "User", "", None])
def test_a_role_is_known(role: Any) -> None:
    """A turn is of the user, the assistant or the system."""
    with pytest.raises(CatalogueError, match=r"Turn\.role"):
        Turn(role, "x")


def test_lists_are_copied() -> None:
    """What the author changes later changes no scenario."""
    calls, tags, metadata = [CALL], ["t"], {"a": [1]}
    scenario = Scenario("s", tool_calls=calls, tags=tags, metadata=metadata)
    calls.clear()
    tags.clear()
    metadata["a"].append(2)
    assert (scenario.tool_calls, scenario.tags) == ((CALL,), ("t",))
    assert scenario.metadata == {"a": [1]}


def test_source_is_no_part_of_equality() -> None:
    """Two scenarios that say the same are equal, wherever they stand."""
    assert Scenario("s", "p", source="a.py:1") == Scenario("s", "p", source="b.py:2")
    assert Scenario("s", "p") != Scenario("s", "q")


def test_home_is_no_part_of_it() -> None:
    """Where a scenario is registered shows neither in equality nor in its repr, nor is it given."""
    plain, registered = Scenario("s", "p"), Scenario("s", "p")
    assert plain.home is None
    home = Catalogue("shop")
    home.add(registered)
    assert registered.home is home
    assert registered.but(source=None) == registered == plain
    assert "shop" not in repr(registered)
    with pytest.raises(TypeError, match="home"):
        Scenario("s", home=home)  # type: ignore[call-arg]


def test_but() -> None:
    """`but` gives a changed copy, checked again; the original stays."""
    scenario = Scenario("s", "p")
    assert scenario.but(name="t") == Scenario("t", "p")
    assert scenario.name == "s"
    with pytest.raises(CatalogueError):
        scenario.but(difficulty="hard")


OF_AGENTS: dict[str, Any] = {
    "skip": "later",
    "state": State({"a": 1}, capture="get"),
    "match": "exact",
    "forbid_tools": ["a", "b", "a"],
    "hygiene": "strict",
    "budget": Budget(max_calls=3),
    "limits": Limits(max_turns=8),
    "system_prompt": "be\nbrief",
    "few_shot": [FewShot("2 + 2", "4")],
    "attachments": [Attachment(path="a.png")],
    "session_id": "s 1",
}


def test_what_is_about_agents_is_kept() -> None:
    """Each further field is kept, lists as tuples, a tool that is forbidden twice once."""
    scenario = Scenario("s", "p", **OF_AGENTS)
    kept = {name: getattr(scenario, name) for name in OF_AGENTS}
    lists = {name: tuple(value) for name, value in OF_AGENTS.items() if isinstance(value, list)}
    assert kept == {**OF_AGENTS, **lists, "forbid_tools": ("a", "b")}
    assert pickle.loads(pickle.dumps(scenario)) == scenario  # noqa: S301  - our own bytes


@pytest.mark.parametrize("name", OF_AGENTS)
def test_what_is_about_agents_is_part_of_equality(name: str) -> None:
    """A scenario that asks an agent for something else is another one."""
    assert Scenario("s", "p") != Scenario("s", "p", **{name: OF_AGENTS[name]})


def test_it_pickles() -> None:
    """A scenario crosses to another process."""
    scenario = Scenario("s", [Turn("user", "p")], [CALL], ["t"], metadata={"a": 1})
    assert pickle.loads(pickle.dumps(scenario)) == scenario  # noqa: S301  - our own bytes


def test_a_registered_one_crosses_without_its_home() -> None:
    """A catalogue with tools that nobody can copy does not keep its scenarios from being copied."""
    home = Catalogue("shop")
    home.tools = {"count": lambda: 1}
    registered = home.add(Scenario("s", "p", [CALL], metadata={"a": [1]}))
    for crossed in (
        pickle.loads(pickle.dumps(registered)),  # noqa: S301  - our own bytes
        copy.deepcopy(registered),
    ):
        assert crossed == registered
    assert registered.home is home


def test_further_fields_are_keywords() -> None:
    """`assertions` and what follows it are given by name."""
    with pytest.raises(TypeError):
        Scenario("s", "p", [CALL], [], "", "basic", [])  # type: ignore[call-arg]


@pytest.mark.parametrize(("epochs", "needed"), [(None, None), (1, 1), (5, 3), (5, None), (None, 2)])
def test_epochs(epochs: int | None, needed: int | None) -> None:
    """How often it runs and how many must pass are whole numbers, each left out as one likes."""
    scenario = Scenario("s", tool_calls=[CALL], epochs=epochs, pass_epochs=needed)
    assert (scenario.epochs, scenario.pass_epochs) == (epochs, needed)
    assert scenario.but(epochs=7).epochs == 7


def test_epochs_are_part_of_equality() -> None:
    """A scenario that runs more often, or may fail more often, is another one."""
    several = Scenario("s", tool_calls=[CALL], epochs=3)
    assert several != several.but(epochs=4)
    assert several != several.but(pass_epochs=2)


def test_a_list_of_answers_is_answers() -> None:
    """Gold answers as a list are `Answers` that match exactly."""
    listed = Scenario("s", "p", answers=["Paris", "the city of Paris"])
    assert listed.answers == Answers(["Paris", "the city of Paris"], "exact_match")
    assert listed == Scenario("s", "p", answers=listed.answers)
    assert Scenario("s", "p").answers is None


def test_single() -> None:
    """A question of one turn is made of its id, its prompt, its one gold and its metadata."""
    asked = Scenario.single("q1", "What is 6 by 7?", "42", {"page": [3]})
    assert asked == Scenario("q1", "What is 6 by 7?", answers=["42"], metadata={"page": [3]})
    assert asked.primary_prompt() == "What is 6 by 7?"
    assert Scenario.single("q1", "What is 6 by 7?", "42").metadata is None


@pytest.mark.parametrize("expected", [None, 42, ["42"], True, {"a": 1}], ids=str)
def test_single_takes_one_text(expected: Any) -> None:
    """A gold that is no text is refused, instead of being matched as something else."""
    with pytest.raises(CatalogueError, match=r"Answers\.golds\[0\]"):
        Scenario.single("q1", "What is 6 by 7?", expected)
