"""How one result is shown in full: a failure with what explains it, or everything there is."""

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest

from evalkit import (
    Assertion,
    Op,
    Ref,
    Scenario,
    ScenarioResult,
    Tool,
    ToolCall,
    TransportError,
    run,
)
from evalkit.reports.failures import headline
from evalkit.reports.one_result import show_failure, show_result
from evalkit.reports.text import Page

RIGHT, WRONG = Assertion("n", Op.EQ, 1), Assertion("n", Op.EQ, 2, "one more than it is")


def ping(sku: str = "oak") -> dict[str, Any]:
    """A tool that prints and answers."""
    print("pinged", sku)  # noqa: T201  - that is what is tested
    return {"n": 1, "sku": sku}


def broken() -> None:
    """A tool that raises."""
    raise ValueError("the saw is broken")


def dead() -> None:
    """A tool whose far end is out of reach."""
    raise TransportError("no route")


TOOLS = {"ping": ping, "broken": broken, "dead": dead}
Show = Callable[[Page, ScenarioResult], None]
BOTH = pytest.mark.parametrize("show", [show_result, show_failure], ids=["result", "failure"])


def of(*calls: ToolCall, tools: Any = None, **fields: Any) -> ScenarioResult:
    """The result of a scenario of these calls."""
    made = Scenario("stock", tool_calls=calls, source="cases.py:7", **fields)
    (result,) = run(made, tools=tools or TOOLS).results
    return result


def shown(show: Show, result: ScenarioResult) -> list[str]:
    """The lines that are shown of a result."""
    stream = StringIO()
    show(Page(stream, colour=False), result)
    return stream.getvalue().splitlines()


def ping_of(*assertions: Assertion, **fields: Any) -> ToolCall:
    """A call of ping."""
    return ToolCall("ping", {"sku": "elm"}, assertions, **fields)


@BOTH
def test_the_title_is_status_name_and_place(show: Show) -> None:
    """What came of it, which scenario, and where it stands."""
    lines = [line for line in shown(show, of(ping_of(WRONG))) if line]
    assert lines[0] == "FAILED  stock  cases.py:7"


@BOTH
def test_what_failed_is_told_with_what_was_expected(show: Show) -> None:
    """A check that failed shows path, operator, operand, and the value that came."""
    text = "\n".join(shown(show, of(ping_of(WRONG))))
    assert "'n' equals 2" in text
    assert "expected 2, got 1" in text


@BOTH
def test_the_reason_of_a_known_failure_is_told(show: Show) -> None:
    """Why it is known to fail stands below the title."""
    lines = shown(show, of(ping_of(RIGHT), xfail="the saw is being mended"))
    assert any("the saw is being mended" in line for line in lines)


@BOTH
@pytest.mark.parametrize("text", ["\x1b[31mred", "\x1b]8;;http://x\x07", "\u202eevil", "\x00"])
def test_data_stays_data(show: Show, text: str) -> None:
    """Control characters of an argument, a value or an output are shown as escapes (fault 69)."""
    call = ToolCall("ping", {"sku": text}, [Assertion("sku", Op.EQ, "oak", text)])
    written = "".join(shown(show, of(call)))
    assert written.isprintable()


def test_everything_is_shown_of_a_scenario_that_passed() -> None:
    """Each call with its arguments, what it gave and what it printed, and each check."""
    first, second = ping_of(RIGHT), ToolCall("ping", {}, [Assertion("sku", Op.NE, "elm")])
    result = of(first, second)
    assert shown(show_result, result)[:-1] == [
        "PASSED  stock  cases.py:7",
        "  step 0: ping(sku='elm')",
        "    gave {'n': 1, 'sku': 'elm'}",
        r"    printed 'pinged elm\n'",
        f"    passed: {headline(result.checks[0])}",
        "  step 1: ping()",
        "    gave {'n': 1, 'sku': 'oak'}",
        r"    printed 'pinged oak\n'",
        f"    passed: {headline(result.checks[1])}",
    ]


def test_checks_that_passed_are_shown_beside_those_that_did_not() -> None:
    """All checks of a call stand below it, in their order."""
    lines = shown(show_result, of(ping_of(RIGHT, WRONG)))
    statuses = [line.split(":")[0].strip() for line in lines if "'n' equals" in line]
    assert statuses == ["passed", "wrong_value"]


def test_an_error_is_shown_as_what_the_call_gave() -> None:
    """A tool that raised gave its error, with type and message."""
    lines = shown(show_result, of(ToolCall("broken", {}, [RIGHT])))
    (gave,) = (line for line in lines if line.startswith("    gave"))
    assert "ValueError" in gave
    assert "the saw is broken" in gave


def test_a_call_that_was_tried_again_says_how_often() -> None:
    """Attempts are never silent."""
    left = [1]

    def flaky() -> dict[str, int]:
        if left:
            left.pop()
            raise TransportError("no route")
        return {"n": 1}

    lines = shown(show_result, of(ToolCall("flaky", {}, [RIGHT], retry=2), tools={"flaky": flaky}))
    assert any("2 attempts" in line for line in lines)


def test_a_call_that_was_not_made_is_told() -> None:
    """A step that needs a value that was never saved was not called."""
    calls = [ping_of(save_as={"x": "nope"}), ToolCall("ping", {"sku": Ref("x")}, [RIGHT])]
    lines = shown(show_result, of(*calls))
    assert "  step 1: not called" in lines
    assert any(
        line.startswith("    unsaved_value: ")
        for line in lines[lines.index("  step 1: not called") :]
    )


def test_checks_on_the_trace_stand_by_themselves() -> None:
    """Assertions of the scenario have no call; they stand below a heading of their own."""
    result = of(ping_of(RIGHT), assertions=[Assertion("calls", Op.LEN_EQ, 2)])
    for show in (show_result, show_failure):
        lines = shown(show, result)
        below = lines[lines.index("  the trace") + 1 :]
        assert any(headline(result.checks[-1]) in line for line in below)


def test_a_skipped_scenario_says_why() -> None:
    """One that needs an agent has a title and a reason, and no call."""
    (result,) = run(Scenario("talk", "Hi?", assertions=[Assertion("response", Op.EXISTS)])).results
    lines = shown(show_result, result)
    assert lines[0] == "SKIPPED  talk"
    assert "agent" in lines[1]
    assert not any("step" in line for line in lines)


def test_tools_that_could_not_be_opened_are_told() -> None:
    """An error that is of no call is shown, with its kind, type and message."""
    opened: list[int] = []

    def factory() -> dict[str, Any]:
        opened.append(1)
        if len(opened) > 1:
            raise OSError("no database")
        return {"ping": ping}

    result = of(ping_of(RIGHT), tools=factory)
    text = "\n".join(shown(show_result, result))
    assert "tools_unavailable: OSError" in text
    assert "no database" in text
    assert "no database" in "\n".join(shown(show_failure, result))


def test_an_epoch_is_named() -> None:
    """Of several epochs it is said which one this is."""
    made = Scenario("stock", tool_calls=[ping_of(RIGHT)], epochs=2)
    _, second = run(made, tools=TOOLS).results
    assert shown(show_result, second)[0] == "PASSED  stock  (epoch 2 of 2)"


def test_a_failure_says_of_which_epochs_it_is() -> None:
    """What the caller knows of the epochs stands in the title."""
    stream = StringIO()
    show_failure(Page(stream, colour=False), of(ping_of(WRONG)), "epoch 1; 0 of 2 epochs passed")
    assert "FAILED  stock  (epoch 1; 0 of 2 epochs passed)  cases.py:7" in stream.getvalue()


def test_a_failure_leaves_out_what_passed() -> None:
    """Of the checks only those that failed, and of the calls only theirs."""
    text = "\n".join(shown(show_failure, of(ping_of(RIGHT), ping_of(WRONG))))
    assert "'n' equals 1" not in text
    assert "step 0" not in text
    assert "step 1: ping(sku='elm')" in text


def test_a_failure_has_the_author_s_words_and_the_output() -> None:
    """The description of the check, and what the tool printed."""
    text = "\n".join(shown(show_failure, of(ping_of(WRONG))))
    assert "(one more than it is)" in text
    assert "it printed: 'pinged elm'" in text


def test_a_long_value_is_cut() -> None:
    """A value of a megabyte does not fill the screen, even where all is asked for."""
    tools = {"big": Tool(lambda: "x" * 1_000_000)}
    lines = shown(show_result, of(ToolCall("big", {}, [Assertion("", Op.EQ, "y")]), tools=tools))
    assert max(map(len, lines)) < 3_000
