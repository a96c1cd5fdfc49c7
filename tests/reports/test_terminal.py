"""What the terminal shows of a run: tallies, failures last, one line that says what it came to."""

from io import StringIO
from typing import Any

from evalkit import Assertion, Catalogue, Op, Scenario, ToolCall, TransportError, run
from evalkit.reports.terminal import TerminalReport
from evalkit.reports.text import Page


def ping() -> dict[str, int]:
    """A tool that prints and answers."""
    print("pinged")  # noqa: T201  - that is what is tested
    return {"n": 1}


def dead() -> None:
    """A tool whose far end is out of reach."""
    raise TransportError("no route")


TOOLS = {"ping": ping, "dead": dead}
RIGHT, WRONG = Assertion("n", Op.EQ, 1), Assertion("n", Op.EQ, 2, "one more than it is")


def made(name: str, *checks: Assertion, **fields: Any) -> Scenario:
    """A scenario of one call of ping."""
    return Scenario(name, tool_calls=[ToolCall("ping", {}, checks)], **fields)


ALL = [
    made("bad", RIGHT, WRONG, tags=["t"], source="cases.py:7"),
    made("good", RIGHT, tags=["t", "u"], difficulty="basic"),
    Scenario("dead", tool_calls=[ToolCall("dead")]),
    made("known", WRONG, xfail="the saw is being mended"),
    made("mended", RIGHT, xfail="the saw is being mended"),
    Scenario("talk", "Hello?", assertions=[Assertion("response", Op.EXISTS)]),
]


def shown(*scenarios: Scenario, verbosity: int = 0, progress: bool = False) -> str:
    """What the report writes."""
    stream = StringIO()
    report = TerminalReport(Page(stream, colour=False), verbosity, progress=progress)
    run(scenarios, tools=TOOLS, sinks=[report])
    return stream.getvalue()


def test_the_last_line_counts_every_status() -> None:
    """Failures first, each status with its words, the total, the checks, the time."""
    last = shown(*ALL).rstrip().splitlines()[-1]
    assert last.startswith(
        "1 failed, 1 could not be measured, 1 passed though known to fail, 1 passed, "
        "1 failed as known, 1 skipped of 6 scenarios; "
    )
    assert "checks" in last


def test_failures_come_last() -> None:
    """After the tallies, so that they are what is on the screen at the end."""
    out = shown(*ALL)
    tallies = out.index("by difficulty")
    for title in ("FAILED  bad", "ERROR  dead", "XPASSED  mended"):
        assert out.index(title) > tallies
    assert "known " not in out[tallies:].replace("known to fail", "").replace("as known", "")


def test_a_failure_names_scenario_line_call_check_and_why() -> None:
    """Everything a reader needs stands together."""
    out = shown(ALL[0])
    block = out[out.index("FAILED") :]
    for part in ("bad", "cases.py:7", "step 0: ping()", "wrong_value", "'n' equals 2"):
        assert part in block
    for part in ("one more than it is", "expected 2, got 1", "pinged"):
        assert part in block


def test_a_check_that_passed_is_not_shown_with_a_failure() -> None:
    """Of a scenario that failed only the checks that did."""
    assert "'n' equals 1" not in shown(ALL[0])


def test_what_passed_against_its_reason_shows_the_reason() -> None:
    """An XPASSED scenario says why it was thought to fail."""
    assert "known to fail: the saw is being mended" in shown(ALL[4])


def test_an_error_tells_what_could_not_be_reached() -> None:
    """An instrument's failure is told with its code and message."""
    out = shown(ALL[2])
    assert "transport_failed" in out
    assert "no route" in out


def test_a_shared_reason_is_told_once() -> None:
    """Ten checks of a call that raised have one reason between them."""
    scenario = Scenario("a", tool_calls=[ToolCall("dead", {}, [RIGHT] * 10)])
    assert shown(scenario).count("no route") == 1


def test_tallies_by_tag_and_difficulty() -> None:
    """How many of each tag and difficulty passed."""
    lines = [" ".join(line.split()) for line in shown(*ALL[:2]).splitlines()]
    assert "t 1/2 [0.09, 0.91] 2/3 checks" in lines
    assert "u 1/1 [0.21, 1.00] 1/1 checks" in lines
    assert lines.index("basic 1/1 [0.21, 1.00] 1/1 checks") < lines.index(
        "standard 0/1 [0.00, 0.79] 1/2 checks"
    )


def test_quiet_shows_failures_and_the_last_line() -> None:
    """Verbosity -1 leaves out everything else."""
    assert len(shown(ALL[1], verbosity=-1).strip().splitlines()) == 1
    assert "FAILED  bad" in shown(*ALL, verbosity=-1)
    assert "by tag" not in shown(*ALL, verbosity=-1)


def test_verbose_says_why_something_was_skipped() -> None:
    """A line for each scenario, with the reason of one that was skipped or is known to fail."""
    lines = shown(*ALL, verbosity=1).splitlines()
    assert any(line.startswith("skipped") and "agent" in line for line in lines)
    assert any(line.startswith("xfailed") and "saw" in line for line in lines)


def test_progress_is_a_mark_for_each() -> None:
    """On a terminal each scenario shows by one character how it ended."""
    assert "F.ExXs" in shown(*ALL, progress=True).splitlines()


def test_a_note_of_a_replaced_scenario_is_shown() -> None:
    """That a later execution replaced a scenario is said at the beginning."""
    catalogue = Catalogue("shop")
    catalogue.tools = TOOLS
    for number in (1, 2):
        source = f"add(made('a'))\nnumber = {number}"
        exec(compile(source, "cases.py", "exec"), {"add": catalogue.add, "made": made})  # noqa: S102
    stream = StringIO()
    run(catalogue, sinks=[TerminalReport(Page(stream, colour=False))])
    assert "replaces the scenario 'a'" in stream.getvalue()


def test_the_number_of_scenarios_reads_well() -> None:
    """One is one scenario, two are scenarios."""
    assert "1 passed of 1 scenario;" in shown(ALL[1])
    assert "of 2 scenarios;" in shown(*ALL[:2])
