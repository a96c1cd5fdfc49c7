"""What a worker elsewhere is told, and what can't be sent."""

import pickle
import textwrap
from pathlib import Path
from typing import Any

import pytest

from evalkit import Catalogue, CatalogueError, Scenario, ToolCall, load
from evalkit.asked import Asked
from evalkit.executors.order import Piece, job_digest, order_of, versions
from evalkit.jobs import Job
from evalkit.preparing import Preparation
from evalkit.select import Selection

SHOP = """
    from evalkit import Scenario, ToolCall, _s

    def one():
        return {body}

    def other():
        return 2

    TOOL_DISPATCH = {{"one": one, "other": other}}
    _s(Scenario("a", tool_calls=[ToolCall("one")]))
    _s(Scenario("b", tool_calls=[ToolCall("other")]))
"""


def shop(folder: Path, body: str = "1", name: str = "shop_of_orders.py") -> Path:
    """A catalogue's file."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(textwrap.dedent(SHOP.format(body=body)), encoding="utf-8")
    return path


def planned(target: Catalogue | Path) -> dict[str, Job]:
    """The jobs of a catalogue, by name."""
    preparation = Preparation(Asked((target,), digests=True), lambda _doing, _limit_s, act: act())
    return {each.plan.scenario.name: each for each in preparation.prepare().jobs}


def test_an_order_and_its_pieces_can_be_sent(tmp_path: Path) -> None:
    """All that goes to a worker survives pickling, whatever the catalogue holds."""
    asked = Asked((load(shop(tmp_path)),), None, timeout_s=3.0)
    order = order_of(asked, "key")
    sent = pickle.loads(pickle.dumps((order, Piece("a", 2, "digest"))))  # noqa: S301  - our own
    assert (sent[0].files, sent[0].timeout_s, sent[0].key) == (order.files, 3.0, "key")
    assert (sent[1].name, sent[1].epoch, sent[1].digest) == ("a", 2, "digest")


def test_an_order_names_files_by_where_they_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker may stand in another folder: a relative path is made absolute."""
    path = shop(tmp_path)
    monkeypatch.chdir(tmp_path)
    for target in (path.name, Path(path.name), load(path.name)):
        assert order_of(Asked((target,)), "key").files == (str(path),)


def test_an_order_names_each_file_once(tmp_path: Path) -> None:
    """Two scenarios of one file are one file to load, for a name may be taken only once."""
    catalogue = load(shop(tmp_path))
    assert len(order_of(Asked((catalogue["a"], catalogue["b"])), "key").files) == 1


def test_what_was_selected_from_a_file_is_selected_again(tmp_path: Path) -> None:
    """Where files are named, the worker gets the selection; it plans no more than is meant."""
    selection = Selection(names=["a"])
    assert order_of(Asked((shop(tmp_path),), None, selection), "key").selection is selection


def test_an_order_tells_the_versions() -> None:
    """Both sides can see whether they are the same evalkit, on the same Python."""
    assert order_of(Asked(()), "key").versions == versions()


@pytest.mark.parametrize(
    ("tools", "told"), [({"one": int}, "dict"), (shop, "function")], ids=["table", "factory"]
)
def test_tools_that_are_an_object_can_t_be_sent(tools: Any, told: str, tmp_path: Path) -> None:
    """A table or factory given as an object is refused, and told how to name it."""
    with pytest.raises(CatalogueError, match=rf"tools: .*{told}.*package\.module:NAME"):
        order_of(Asked((shop(tmp_path),), tools), "key")


def test_tools_that_are_named_are_sent_by_name(tmp_path: Path) -> None:
    """A reference is sent as it was written."""
    assert order_of(Asked((shop(tmp_path),), "shop.server:TOOLS"), "key").tools == (
        "shop.server:TOOLS"
    )


@pytest.mark.parametrize("kind", ["scenario", "catalogue"])
def test_what_comes_from_no_file_is_refused_by_name(kind: str) -> None:
    """A catalogue or scenario that was made in memory is named, with what to do."""
    scenario = Scenario("made_here", tool_calls=[ToolCall("one")])
    catalogue = Catalogue("made_here")
    catalogue.add(scenario.but())
    target = scenario if kind == "scenario" else catalogue
    with pytest.raises(CatalogueError, match=r"'made_here' comes from no file.*threads"):
        order_of(Asked((target,)), "key")


def test_a_digest_is_the_same_in_every_folder(tmp_path: Path) -> None:
    """Where a catalogue lies is no part of what it is: two copies mean the same."""
    one, two = (planned(shop(tmp_path / folder)) for folder in ("x", "y"))
    assert job_digest(one["a"]) == job_digest(two["a"])


def test_a_digest_changes_with_the_tool_s_code(tmp_path: Path) -> None:
    """A worker whose tool does something else is noticed by the scenarios that call it."""
    one, two = (planned(shop(tmp_path / body, body)) for body in ("1", "2"))
    assert job_digest(one["a"]) != job_digest(two["a"])


def test_a_digest_changes_with_the_scenario(tmp_path: Path) -> None:
    """A scenario that declares something else is noticed."""
    catalogue = load(shop(tmp_path))
    catalogue.replace(catalogue["a"].but(prompt="Another question?"))
    edited, fresh = planned(catalogue), planned(shop(tmp_path))
    assert job_digest(edited["a"]) != job_digest(fresh["a"])
    assert job_digest(edited["b"]) == job_digest(fresh["b"])
