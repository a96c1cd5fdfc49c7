"""What an agent may know of its run, beside the conversation: never what is expected of it."""

import subprocess
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from evalkit import (
    Assertion,
    Attachment,
    Catalogue,
    CatalogueError,
    Env,
    FewShot,
    Limits,
    Scenario,
    State,
    Tool,
    ToolCall,
    default_session_id,
    run,
)

Turns = list[dict[str, Any]]


def handed(scenario: Any = None, tools: Any = None, **options: Any) -> list[Any]:
    """The contexts that an agent is handed, one for each run, and what it read of them."""
    seen: list[Any] = []

    def agent(conversation: Turns, ctx: Any) -> str:
        seen.append({name: getattr(ctx, name) for name in dir(ctx) if not name.startswith("_")})
        return "done"

    scenario = scenario or Scenario("s", "Hello?", forbid_tools=["drop"])
    report = run(scenario, agent=agent, tools=tools or {"ping": int}, **options)
    assert [result.status.value for result in report.results] == ["passed"] * len(report.results)
    return seen


def test_what_there_is_to_know() -> None:
    """These are the parts of the context: none tells what is expected."""
    (seen,) = handed()
    assert set(seen) == {
        *("tools", "tool_specs", "env", "limits", "few_shot", "attachments", "session_id"),
        *("epoch", "turn", "deadline_s", "begin"),
    }


class Colour(Enum):
    """What there is to choose."""

    RED = "red"
    BLUE = "blue"


def typed(  # noqa: PLR0913  - one parameter for each kind
    id: int,  # noqa: A002
    name: str = "x",
    tags: list[str] | None = None,
    *,
    colour: Colour = Colour.RED,
    mode: Literal["a", "b"] = "a",
    share: Annotated[float, "from 0 to 1"] = 1.0,
    sure: bool = True,
    extra: dict[str, int] | None = None,
) -> str:
    """Find an order.

    By its number.
    """
    return str((id, name, tags, colour, mode, share, sure, extra))


def bare(a, b=1, **more):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN003, ANN201, D103
    return a, b, more


def by_dict(args: dict[str, Any]) -> Any:
    """Take all."""
    return args


def spec_of(handler: Any) -> dict[str, Any]:
    """How a tool is described to a model."""
    (spec,) = handed(tools={"tool": handler})[0]["tool_specs"]
    assert (spec["type"], spec["function"]["name"]) == ("function", "tool")
    function: dict[str, Any] = spec["function"]
    return function


SCHEMAS: list[tuple[Any, str, dict[str, Any]]] = [
    (
        typed,
        "Find an order.\n\nBy its number.",
        {
            "type": "object",
            "properties": {
                "id": {"type": "integer"},
                "name": {"type": "string"},
                "tags": {
                    "anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]
                },
                "colour": {"enum": ["red", "blue"]},
                "mode": {"enum": ["a", "b"]},
                "share": {"type": "number"},
                "sure": {"type": "boolean"},
                "extra": {"anyOf": [{"type": "object"}, {"type": "null"}]},
            },
            "required": ["id"],
            "additionalProperties": False,
        },
    ),
    (bare, "", {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]}),
    (by_dict, "Take all.", {"type": "object"}),
    (
        Tool(bare, schema={"properties": {"a": {"type": "integer"}}, "required": ["a"]}),
        "",
        {"properties": {"a": {"type": "integer"}}, "required": ["a"]},
    ),
]


@pytest.mark.parametrize(("handler", "said", "parameters"), SCHEMAS, ids=map(str, range(4)))
def test_tools_are_described(handler: Any, said: str, parameters: dict[str, Any]) -> None:
    """A tool is described by its docstring and its own schema, else by its signature."""
    function = spec_of(handler)
    assert function["description"] == said
    assert function["parameters"] == parameters


def test_descriptions_are_the_agent_s_own() -> None:
    """What an agent does to a description shows in no later one."""

    def agent(conversation: Turns, ctx: Any) -> str:
        ctx.tool_specs[0]["function"]["parameters"]["properties"].clear()
        return str(ctx.tool_specs[0]["function"]["parameters"]["properties"])

    scenario = Scenario("s", "Hello?", answers=["{'a': {}, 'b': {}}"])
    assert run(scenario, agent=agent, tools={"bare": bare}).passed


def test_a_tool_that_captures_the_state_is_not_offered() -> None:
    """What is there to look at the state alone is neither described nor callable."""
    names: list[Any] = []

    def agent(conversation: Turns, ctx: Any) -> str:
        names.append(([*ctx.tools], [spec["function"]["name"] for spec in ctx.tool_specs]))
        return "done"

    tools = {"ping": int, "dump": lambda: {"a": 1}}
    for state, seen in (
        (State({"a": 1}, capture="dump"), ["ping"]),
        (State({"a": {"a": 1}}, capture={"a": "dump"}), ["ping"]),
        (None, ["ping", "dump"]),
    ):
        run(Scenario("s", "Hi", answers=["done"], state=state), agent=agent, tools=tools)
        assert names.pop() == (seen, seen)


def test_the_environment_is_that_of_the_tools() -> None:
    """What a factory has opened besides the tools is there for the agent."""
    database = object()
    (seen,) = handed(tools=lambda: Env({"ping": int}, database=database))
    assert seen["env"].database is database


def test_what_the_scenario_gives_is_handed_on() -> None:
    """Limits and examples are those of the scenario, none where it gives none."""
    shots = (FewShot("2 + 2", "4"), FewShot("3 + 3", "6", reasoning="twice 3"))
    limits = Limits(max_turns=3, compact_at_tokens=100)
    scenario = Scenario("s", "Hello?", answers=["done"], few_shot=shots, limits=limits)
    (seen,) = handed(scenario)
    assert (seen["few_shot"], seen["limits"]) == (shots, limits)
    (plain,) = handed()
    assert (plain["few_shot"], plain["limits"], plain["attachments"]) == ((), None, ())


def test_epochs_and_turns_are_counted() -> None:
    """The agent is told which run it is, and which turn, both from 1."""
    scenario = Scenario("s", ["a", "b"], answers=["done"], epochs=2)
    assert [(seen["epoch"], seen["turn"]) for seen in handed(scenario)] == [
        *((1, 1), (1, 2), (2, 1), (2, 2))
    ]


def test_the_time_that_is_left() -> None:
    """An agent is told how long it has for the turn: its own, or what is left of the scenario."""
    (seen,) = handed(timeout_s=7)
    assert 6 < seen["deadline_s"] <= 7
    (usual,) = handed()
    assert 299 < usual["deadline_s"] <= 300
    (whole,) = handed(Scenario("s", "Hello?", answers=["done"], timeout_s=5))
    assert 4 < whole["deadline_s"] <= 5


def test_a_session_has_one_id() -> None:
    """It is the scenario's own, else derived from it: the same in each epoch and turn."""
    (own,) = handed(Scenario("s", "Hello?", answers=["done"], session_id="session 7"))
    assert own["session_id"] == "session 7"
    scenario = Scenario("s", ["a", "b"], answers=["done"], epochs=2)
    ids = {seen["session_id"] for seen in handed(scenario)}
    assert ids == {default_session_id(scenario)}


CHILD = """
from evalkit import Scenario, run
scenario = Scenario("s", "Hello?", answers=["done"])
run(scenario, agent=lambda conversation, ctx: print("id", ctx.session_id, flush=True) or "done")
result = run(scenario, agent=lambda conversation, ctx: ctx.session_id).results[0]
print(result.trace["response"])
"""


def test_a_session_s_id_is_the_same_in_another_process() -> None:
    """An id that is derived does not change from run to run."""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", CHILD], capture_output=True, text=True, check=True, cwd=root
    )
    scenario = Scenario("s", "Hello?", answers=["done"])
    assert done.stdout.split() == [default_session_id(scenario)]


@pytest.fixture
def home(tmp_path: Path) -> Catalogue:
    """A catalogue in a folder with a file beside it."""
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "receipt.png").write_bytes(b"PNG")
    made = Catalogue("shop")
    made.source = str(tmp_path / "scenarios.py")
    return made


def attaching(home: Catalogue, *files: Attachment) -> Scenario:
    """A scenario at home in a catalogue, with files."""
    return home.add(Scenario("s", "Hello?", answers=["done"], attachments=files))


FILES: list[tuple[Attachment, tuple[str, str, bytes | None, str | None]]] = [
    (Attachment(path="below/receipt.png"), ("receipt.png", "image/png", b"PNG", None)),
    (Attachment(base64="AAEC", mime="image/gif"), ("", "image/gif", b"\x00\x01\x02", None)),
    (
        Attachment(url="https://example.com/a/b.pdf"),
        ("b.pdf", "application/pdf", None, "https://example.com/a/b.pdf"),
    ),
    (
        Attachment(url="https://example.com/b.pdf?page=2#x"),
        ("b.pdf", "application/pdf", None, "https://example.com/b.pdf?page=2#x"),
    ),
    (
        Attachment(url="https://example.com"),
        ("", "application/octet-stream", None, "https://example.com"),
    ),
]


@pytest.mark.parametrize(("file", "read"), FILES, ids=map(str, range(len(FILES))))
def test_files_are_read(
    home: Catalogue, file: Attachment, read: tuple[str, str, bytes | None, str | None]
) -> None:
    """A file is handed on as its bytes and its type; an address as it is: nothing is fetched."""
    (seen,) = handed(attaching(home, file))
    (got,) = seen["attachments"]
    assert (got.name, got.mime, got.data, got.url) == read
    assert "PNG" not in repr(got)


def test_a_file_that_is_not_there_is_found_before_anything_runs(home: Catalogue) -> None:
    """A path that leads to no file is a catalogue error, with the nearest name."""
    with pytest.raises(CatalogueError, match=r"no file 'below/recipt.png' .*'receipt.png'"):
        handed(attaching(home, Attachment(path="below/recipt.png")))


def test_a_folder_is_no_file(home: Catalogue) -> None:
    """What is attached is a file."""
    with pytest.raises(CatalogueError, match="there is no file 'below'"):
        handed(attaching(home, Attachment(path="below")))


def test_a_link_that_leads_out_is_refused(home: Catalogue, tmp_path: Path) -> None:
    """A file below the folder that is a link to one elsewhere is not handed to an agent."""
    secret = tmp_path.parent / f"{tmp_path.name}.secret"
    secret.write_text("secret", encoding="utf-8")
    (tmp_path / "link.txt").symlink_to(secret)
    with pytest.raises(CatalogueError, match="is a link that leads out of the catalogue's folder"):
        handed(attaching(home, Attachment(path="link.txt")))


def test_a_direct_run_looks_at_no_files(home: Catalogue) -> None:
    """What goes with the prompt is of no use to the tools, and does not stop them."""
    scenario = Scenario("s", "Hi", [ToolCall("ping", {}, [Assertion("", "eq", 0)])])
    attached = home.add(scenario.but(attachments=[Attachment(path="below/receipt.png")]))
    assert run(attached, tools={"ping": int}).passed
