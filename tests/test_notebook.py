"""Notebooks, in a real kernel: cells that are run again, loops in a cell, the kernel's own loop."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

manager = pytest.importorskip("jupyter_client.manager", reason="needs jupyter_client")
pytest.importorskip("ipykernel", reason="needs ipykernel")

ROOT = Path(__file__).parents[1]
WAIT_S = 60
FIRST = "from evalkit import ALL_TAGS, CATALOGUE, Assertion, Op, Scenario, ToolCall, _s, arun, run"
CELL = """
_s(Scenario("a", tool_calls=[ToolCall("ping", {}, [Assertion("", Op.EQ, 1)])], tags=["old"]))
_s(Scenario("b", tool_calls=[ToolCall("ping")]))
"""


class Cells:
    """A kernel that cells are run in, one after the other, as the notebook's page does."""

    def __init__(self, client: Any) -> None:
        """Take the client of a kernel that is up."""
        self._client = client

    def run(self, code: str, **options: Any) -> str:
        """What a cell shows; an AssertionError with its traceback where it raised."""
        shown, error = self.outcome(code, **options)
        assert error == "", error
        return shown

    def outcome(self, code: str, **options: Any) -> tuple[str, str]:
        """What a cell shows, and the type and message of what it raised."""
        parts: list[str] = []

        def hook(message: dict[str, Any]) -> None:
            content = message["content"]
            if message["msg_type"] == "stream":
                parts.append(content["text"])
            elif message["msg_type"] in ("execute_result", "display_data"):
                parts.append(content["data"]["text/plain"])

        reply = self._client.execute_interactive(
            code, output_hook=hook, timeout=WAIT_S, allow_stdin=False, **options
        )["content"]
        error = "" if reply["status"] == "ok" else f"{reply['ename']}: {reply['evalue']}"
        return "".join(parts), error


@pytest.fixture(scope="module")
def kernel() -> Iterator[Cells]:
    """One kernel for the module: it takes a second to start."""
    started, client = manager.start_new_kernel(
        kernel_name="python3", startup_timeout=WAIT_S, cwd=ROOT
    )
    try:
        cells = Cells(client)
        yield cells
    finally:
        client.stop_channels()
        started.shutdown_kernel(now=True)


@pytest.fixture
def cells(kernel: Cells) -> Cells:
    """The kernel, with a catalogue in which nothing is registered yet."""
    kernel.run(
        "import sys\n"
        "for name in [each for each in sys.modules if each.startswith('evalkit')]:\n"
        "    del sys.modules[name]\n"
        f"{FIRST}"
    )
    return kernel


def test_a_cell_that_is_run_again_replaces(cells: Cells) -> None:
    """The same cell, run twice, leaves the scenarios once, and raises nothing."""
    cells.run(CELL)
    cells.run(CELL)
    assert cells.run("print(len(CATALOGUE), list(ALL_TAGS))").strip() == "2 ['old']"


def test_an_edited_cell_replaces_and_says_so(cells: Cells) -> None:
    """The edited scenario takes the place of the old one; the run tells what was replaced."""
    cells.run(CELL)
    cells.run(CELL.replace('"old"', '"new"'))
    assert cells.run("print(CATALOGUE['a'].tags)").strip() == "('new',)"
    notes = cells.run("print(*run(CATALOGUE, tools={'ping': lambda: 1}).notes, sep='\\n')")
    assert "replaces the scenario 'a'" in notes
    assert "replaces the scenario 'b'" in notes


def test_what_was_replaced_is_said_where_it_happens(cells: Cells) -> None:
    """The cell that replaces says so itself: its reader may never look at the notes of a run."""
    assert "replaces" not in cells.run(CELL)
    assert "replaces the scenario 'a'" in cells.run(CELL.replace('"old"', '"new"'))


def test_a_loop_in_a_cell_that_registers_one_name_is_an_error(cells: Cells) -> None:
    """A forgotten f-string in a loop is an error that names both places."""
    scenario = "Scenario('shelf_{width}', tool_calls=[ToolCall('ping')])"
    _, error = cells.outcome(f"for width in (600, 900, 1200):\n    _s({scenario})")
    assert error.startswith("CatalogueError")
    assert "'shelf_{width}'" in error
    assert error.count(":2") == 2


def test_two_statements_of_a_cell_that_register_one_name_are_an_error(cells: Cells) -> None:
    """Each statement of a cell is compiled by itself, and still they are one execution."""
    statement = "_s(Scenario('twin', tool_calls=[ToolCall('ping')]))"
    _, error = cells.outcome(f"{statement}\n\n{statement}")
    assert error.startswith("CatalogueError")
    assert ":1" in error
    assert ":3" in error


def test_a_cell_that_failed_can_be_mended_and_run_again(cells: Cells) -> None:
    """What a broken cell had registered before it failed does not stand in the way."""
    cells.outcome("_s(Scenario('a', tool_calls=[ToolCall('ping')]))\n1 / 0")
    cells.run("_s(Scenario('a', tool_calls=[ToolCall('ping')]))")
    assert cells.run("print(len(CATALOGUE))").strip() == "1"


def test_another_cell_may_take_a_name_over(cells: Cells) -> None:
    """A scenario that was copied to a new cell and edited there replaces the old one."""
    cells.run(CELL)
    cells.run("_s(Scenario('a', tool_calls=[ToolCall('ping')], tags=['copied']))")
    assert cells.run("print(CATALOGUE['a'].tags)").strip() == "('copied',)"


def test_a_silent_execution_is_one_too(cells: Cells) -> None:
    """An extension that runs a cell without keeping its history may run it again."""
    cells.run(CELL, store_history=False)
    cells.run(CELL, store_history=False)
    assert cells.run("print(len(CATALOGUE))").strip() == "2"


def test_run_works_inside_the_loop_of_the_kernel(cells: Cells) -> None:
    """`run(CATALOGUE, tools=...)` runs an async tool though the kernel's own loop is running."""
    cells.run(CELL)
    source = """
import asyncio
assert asyncio.get_running_loop().is_running()

async def ping():
    await asyncio.sleep(0.01)
    return 1

report = run(CATALOGUE, tools={"ping": ping})
print(report.passed, report["a"].status.value)
"""
    assert cells.run(source).strip() == "True passed"


def test_arun_works_on_the_loop_of_the_kernel(cells: Cells) -> None:
    """`await arun(...)` runs async tools on the notebook's own loop."""
    cells.run(CELL)
    source = """
import asyncio
loops = set()

async def ping():
    loops.add(asyncio.get_running_loop())
    return 1

report = await arun(CATALOGUE, tools={"ping": ping})
print(report.passed, loops == {asyncio.get_running_loop()})
"""
    assert cells.run(source).strip() == "True True"


def test_what_tools_print_stays_out_of_the_cell(cells: Cells) -> None:
    """A print of a tool belongs to its call; a print of the cell afterwards is shown again."""
    cells.run(CELL)
    source = "report = run(CATALOGUE, tools={'ping': lambda: print('noise') or 1})\nprint('after')"
    assert cells.run(source).strip() == "after"
    assert "noise" in cells.run("print(report['a'].trace['calls'][0]['output'])")


def test_a_report_as_the_last_line_says_what_came_of_it(cells: Cells) -> None:
    """A cell that ends with a report shows how many passed."""
    cells.run(CELL)
    assert "2 of 2 scenarios passed" in cells.run("run(CATALOGUE, tools={'ping': lambda: 1})")


def test_an_interrupt_of_the_kernel_stops_a_run(cells: Cells) -> None:
    """The stop button of the notebook ends a run that hangs, and the kernel goes on."""
    cells.run(CELL)
    source = """
import _thread, threading, time
threading.Timer(0.3, _thread.interrupt_main).start()
run(CATALOGUE, tools={"ping": lambda: time.sleep(30)})
"""
    _, error = cells.outcome(source)
    assert error.startswith("KeyboardInterrupt")
    assert cells.run("print(1 + 1)").strip() == "2"
