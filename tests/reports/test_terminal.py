"""What the terminal shows of a run: tallies, failures last, one line that says what it came to."""

from io import StringIO
from itertools import cycle
from pathlib import Path
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


def counting(*values: int) -> dict[str, Any]:
    """A table whose tool gives one value after the other, over and over."""
    numbers = cycle(values)
    return {"ping": lambda: {"n": next(numbers)}}


def lines_of(*scenarios: Scenario, verbosity: int = 0, **options: Any) -> list[str]:
    """The lines that the report writes of a run with these options, without their indent."""
    stream = StringIO()
    report = TerminalReport(Page(stream, colour=False), verbosity)
    run(scenarios, **{"tools": TOOLS, "sinks": [report], **options})
    return [line.strip() for line in stream.getvalue().splitlines()]


def test_the_first_line_counts_the_epochs() -> None:
    """How often scenarios will run is said where that is more than once each."""
    assert lines_of(*ALL[:2], epochs=3)[0] == "2 scenarios, 6 epochs"
    assert lines_of(*ALL[:2])[0] == "2 scenarios"


def test_a_scenario_that_failed_is_shown_by_its_first_epoch_that_did() -> None:
    """Once, with the number of the epoch and how many passed."""
    lines = lines_of(made("a", RIGHT), tools=counting(1, 3, 5), epochs=3)
    (title,) = (line for line in lines if line.startswith("FAILED"))
    assert title == "FAILED  a  (epoch 2; 1 of 3 epochs passed)"
    assert "expected 1, got 3" in lines
    assert "expected 1, got 5" not in lines


def test_an_epoch_that_is_allowed_to_fail_is_no_failure() -> None:
    """A scenario that passed over its epochs is flaky, and not among the failures."""
    lines = lines_of(made("a", RIGHT, pass_epochs=1), tools=counting(1, 3), epochs=2)
    assert not any(line.startswith("FAILED") for line in lines)
    assert any(line.startswith("1 passed of 1 scenario; ") for line in lines)


def test_pass_k_is_the_headline_over_epochs() -> None:
    """pass^k for all epochs with its interval, pass@k beside it, and pass^1, the mean rate."""
    lines = lines_of(made("a", RIGHT), made("b", RIGHT), tools=counting(1, 1, 1, 3), epochs=2)
    at = lines.index("over epochs")
    assert lines[at + 1] == "pass^2 0.500 [0.09, 0.91]  pass@2 1.000  pass^1 0.750"


def test_a_flaky_scenario_is_named_with_what_differed() -> None:
    """Its name, how many epochs passed, the check, and the leaf of the value."""
    lines = lines_of(made("a", RIGHT), made("b"), tools=counting(1, 1, 3, 3), epochs=4)
    flaky = [line for line in lines if line.startswith("flaky")]
    assert flaky == [
        "flaky  a  2/4  step 0, 'n' eq: epoch 1 passed, epoch 3 wrong_value: 1, then 3"
    ]


def test_without_epochs_nothing_is_said_of_them() -> None:
    """A run of single epochs has no part about them."""
    assert "over epochs" not in lines_of(*ALL)


def test_to_be_sure_tells_rate_bound_and_what_was_saved() -> None:
    """Which rate, how often a verdict is wrong at most, how many epochs were run and spared."""
    lines = lines_of(ALL[1], until_sure=0.5)
    assert "pass rate of 0.5; a verdict is wrong at most 5% of the time" in lines
    assert "7 epochs were run, 93 were saved" in lines


def test_what_could_not_be_told_is_named() -> None:
    """A scenario that passed each time, and too seldom to be sure, is no success: it is shown."""
    lines = lines_of(ALL[1], until_sure=0.9, epochs=3)
    assert any(line.startswith("1 could not be measured of 1 scenario") for line in lines)
    assert any("good" in line and "3" in line for line in lines), lines


def test_quiet_says_nothing_of_epochs() -> None:
    """Verbosity -1 is the failures and the last line, with epochs too."""
    (last,) = (line for line in lines_of(ALL[1], epochs=2, verbosity=-1) if line)
    assert last.startswith("1 passed of 1 scenario; ")


def test_verbose_names_each_epoch() -> None:
    """A line for every epoch, with its number; none where there is one."""
    lines = lines_of(ALL[1], epochs=2, verbosity=1)
    assert [" ".join(line.split()[:5]) for line in lines if line.startswith("passed")] == [
        "passed good 1/1 epoch 1",
        "passed good 1/1 epoch 2",
    ]
    assert not any("epoch" in line for line in lines_of(ALL[1], verbosity=1))


def test_verbose_tells_operators_with_their_intervals() -> None:
    """How many checks of each operator passed, and how sure that is; an error is said to be one."""
    scenarios = [made("a", RIGHT, WRONG), Scenario("d", tool_calls=[ToolCall("dead", {}, [RIGHT])])]
    lines = lines_of(*scenarios, verbosity=1)
    at = lines.index("by operator")
    assert lines[at + 1] == "eq  1/3 checks  [0.06, 0.79]  1 could not be measured"
    assert "by operator" not in lines_of(*scenarios)


def test_where_a_run_is_recorded(tmp_path: Path) -> None:
    """The run's directory is the last line of a run with a log, and not said without one."""
    lines = lines_of(ALL[1], log_dir=tmp_path)
    (place,) = (each for each in tmp_path.iterdir() if each.is_dir())
    assert lines[-1] == f"recorded in {place}"
    assert not any("recorded in" in line for line in lines_of(ALL[1]))
    assert not any(
        "recorded in" in line for line in lines_of(ALL[1], log_dir=tmp_path, verbosity=-1)
    )
