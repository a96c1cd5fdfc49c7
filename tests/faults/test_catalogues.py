"""Catalogues that are wrong, broken or hostile: FAULTS rows 35 to 37 and 42 to 46."""

import json
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from evalkit import (
    Assertion,
    CatalogueError,
    Op,
    Ref,
    Scenario,
    ToolCall,
    check,
    load,
    run,
    validate,
)

ROOT = Path(__file__).parents[2]
TOOLS = {"ping": lambda: {"n": 3, "text": "pong", "items": [], "ok": True}}
GOOD = """
from evalkit import Scenario, ToolCall, _s
TOOL_DISPATCH = {"ping": lambda: "pong"}
_s(Scenario(__file__, tool_calls=[ToolCall("ping")], tags=["refund"]))
"""


def write(folder: Path, **files: str) -> list[str]:
    """Write Python files by name, and give their names."""
    for name, source in files.items():
        (folder / f"{name}.py").write_text(textwrap.dedent(source), encoding="utf-8")
    return [f"{name}.py" for name in files]


def evalkit(folder: Path, *argv: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """What the command line answers in a folder, after a line of Python."""
    call = f"import sys; from evalkit.cli import main; {before}\nsys.exit(main(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", call, *argv],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )


def problems(*assertions: Assertion, warning: bool = False) -> list[str]:
    """What planning says of assertions on the result of one call: errors, or warnings."""
    call = ToolCall("ping", {}, assertions)
    found = validate(Scenario("a", tool_calls=[call]), tools=TOOLS)
    return [str(problem) for problem in found if problem.warning is warning]


@pytest.mark.parametrize(
    "scenario",
    [
        Scenario("empty"),
        Scenario("empty", "Hello?"),
        Scenario("empty", assertions=[Assertion("calls", Op.LEN_EQ, 0, severity="warn")]),
    ],
    ids=["nothing", "a prompt", "a warning"],
)
def test_row_35_nothing_to_check(scenario: Scenario) -> None:
    """A scenario that checks nothing is a catalogue error that names it."""
    with pytest.raises(CatalogueError, match=r"empty.*nothing to check"):
        run([scenario], tools=TOOLS)


def test_row_35_a_bare_tool_call_is_the_check_returned() -> None:
    """A call without assertions is one check, which passes when it returns."""
    report = run(Scenario("bare", tool_calls=[ToolCall("ping")]), tools=TOOLS)
    assert [(each.description, each.passed) for each in report["bare"].checks] == [
        ("returned", True)
    ]


@pytest.mark.parametrize("each", ["all", "any"])
def test_row_35_each_over_an_empty_list_fails(each: Any) -> None:
    """An assertion on each of no values holds for nothing."""
    found = check(Assertion("items[*].price", Op.GT, 0, each=each), {"items": []})
    assert not found.passed
    assert "empty" in found.reason


@pytest.mark.parametrize(
    "assertion",
    [
        Assertion("text", Op.CONTAINS, ""),
        Assertion("text", Op.CONTAINS_ALL, [""]),
        Assertion("text", Op.CONTAINS_ALL, []),
        Assertion("text", Op.CONTAINS_ANY, ["", "pong"]),
        Assertion("text", Op.MATCHES, ""),
        Assertion("text", Op.MATCHES, ".*"),
        Assertion("text", Op.MATCHES, "(pong)?"),
        Assertion("text", Op.GTE, ""),
        Assertion("items", Op.LEN_GTE, 0),
        Assertion("n", Op.NOT_IN, []),
        Assertion("", Op.SUBSET, {}),
        Assertion("", Op.SCHEMA, {}),
        Assertion("", Op.SCHEMA, {"description": "anything goes"}),
    ],
    ids=lambda assertion: f"{assertion.op} {assertion.expected!r}",
)
def test_row_36_what_can_never_fail_is_an_error(assertion: Assertion) -> None:
    """An operand that every value of the right type meets is refused with its place and value."""
    (problem,) = problems(assertion)
    assert "a.tool_calls[0].assertions[0].expected" in problem


@pytest.mark.parametrize(
    "assertion",
    [
        Assertion("items", Op.IN, []),
        Assertion("text", Op.CONTAINS_ANY, []),
        Assertion("n", Op.BETWEEN, [3, 1]),
        Assertion("text", Op.NOT_CONTAINS, ""),
        Assertion("text", Op.NOT_MATCHES, ".*"),
        Assertion("items", Op.LEN_EQ, -1),
        Assertion("text", Op.LT, ""),
    ],
    ids=lambda assertion: f"{assertion.op} {assertion.expected!r}",
)
def test_row_36_what_can_never_pass_is_an_error(assertion: Assertion) -> None:
    """An operand that no value meets is a mistake as well."""
    assert len(problems(assertion)) == 1


@pytest.mark.parametrize(
    "assertion",
    [
        Assertion("n", Op.GTE, 0),
        Assertion("n", Op.GTE, 0.0),
        Assertion("n", Op.APPROX, 0.1),
        Assertion("n", Op.APPROX, -1.4),
    ],
    ids=lambda assertion: f"{assertion.op} {assertion.expected!r}",
)
def test_row_36_what_hardly_fails_is_a_warning(assertion: Assertion) -> None:
    """An operand that nearly every value meets is a warning, and the run goes on."""
    assert problems(assertion) == []
    assert len(problems(assertion, warning=True)) == 1


@pytest.mark.parametrize(
    "assertion",
    [
        Assertion("n", Op.GTE, -1),
        Assertion("n", Op.APPROX, 1.5),
        Assertion("n", Op.APPROX, 0.1, tolerance=0.01),
        Assertion("text", Op.MATCHES, "^$"),
        Assertion("items", Op.LEN_LTE, 0),
        Assertion("", Op.SUBSET, {"n": {}}),
    ],
    ids=lambda assertion: f"{assertion.op} {assertion.expected!r}",
)
def test_row_36_what_can_fail_is_neither(assertion: Assertion) -> None:
    """An operand that may be meant is let alone."""
    assert problems(assertion) + problems(assertion, warning=True) == []


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize(
    ("wrap", "below"),
    [
        (lambda value: value, ""),
        (lambda value: [1, value], "[1]"),
        (lambda value: {"a": {"b": value}}, ".a.b"),
    ],
    ids=["bare", "list", "object"],
)
def test_row_37_what_is_not_finite_is_no_expectation(value: float, wrap: Any, below: str) -> None:
    """NaN and the infinities equal nothing: in `expected` and `args` they are refused."""
    with pytest.raises(CatalogueError) as caught:
        Assertion("n", Op.EQ, wrap(value))
    assert f"Assertion.expected{below}: {value!r} is not finite" in str(caught.value)
    with pytest.raises(CatalogueError, match="not finite"):
        ToolCall("ping", {"x": wrap(value)})


@pytest.mark.parametrize(
    ("first", "second"),
    [("a", "a"), ("A", "a"), ("caf\u00e9", "cafe\u0301"), ("\ufb01t", "\ufb01T")],
)
def test_row_42_names_that_are_equal_name_both_places(
    tmp_path: Path, first: str, second: str
) -> None:
    """Two scenarios of one name, also after NFC and casefold, are an error with both lines."""
    source = "from evalkit import Scenario, ToolCall, _s\n"
    source += "".join(
        f"_s(Scenario({each!r}, tool_calls=[ToolCall('x')]))\n" for each in (first, second)
    )
    write(tmp_path, cases=source)
    with pytest.raises(CatalogueError) as caught:
        load(tmp_path / "cases.py")
    (problem,) = caught.value.problems
    assert "cases.py:2" in str(problem)
    assert "cases.py:3" in str(problem)


@pytest.mark.parametrize(
    "name", [1, None, True, b"a", "", "  ", "\t", "a\nb", "nul\0", "\x1b[31m", "\x85"], ids=repr
)
def test_row_42_a_name_that_is_none_is_refused(name: Any) -> None:
    """A name that is no string, blank, or holds a control character is refused with its value."""
    with pytest.raises(CatalogueError, match=r"Scenario\.name"):
        Scenario(name)


@pytest.mark.parametrize("name", ["a/b", "..", "../../etc/passwd", "x" * 300, "CON", "a:b*?", "1"])
def test_row_42_an_odd_name_is_a_name(tmp_path: Path, name: str) -> None:
    """Names that would be bad file names are accepted, and nothing is written by them."""
    before = set(tmp_path.rglob("*"))
    report = run(Scenario(name, tool_calls=[ToolCall("ping")]), tools=TOOLS)
    assert report[name].passed
    assert set(tmp_path.rglob("*")) == before


BROKEN = {
    "a syntax error": ("x = 1\ndef f(:\n", "cases.py:2", "SyntaxError"),
    "an indentation": ("x = 1\n  y = 2\n", "cases.py:2", "IndentationError"),
    "a missing module": (
        "x = 1\nimport no_such_module_at_all\n",
        "cases.py:2",
        "no_such_module_at_all",
    ),
    "a missing name": ("from evalkit import Scenaro\n", "cases.py:1", "Scenaro"),
    "sys.exit": ("import sys\nsys.exit(0)\n", "cases.py:2", "sys.exit(0)"),
    "exit": ("raise SystemExit('bye')\n", "cases.py:1", "'bye'"),
    "an exception": ("x = 1\n\n1 / 0\n", "cases.py:3", "ZeroDivisionError"),
    "recursion": ("def f(): f()\nf()\n", "cases.py:", "RecursionError"),
    "a NUL": ("x = 1\0\n", "cases.py", "null bytes"),
    "a bad field": (
        "from evalkit import Scenario\nx = Scenario('a', difficulty='hard')\n",
        "cases.py:2",
        "Scenario.difficulty: unknown value 'hard'",
    ),
    "nothing": ("", "cases.py", "registers no scenario"),
}


@pytest.mark.parametrize(("source", "place", "what"), BROKEN.values(), ids=BROKEN)
def test_row_43_a_broken_file_is_exit_4_with_its_line(
    tmp_path: Path, source: str, place: str, what: str
) -> None:
    """What a file raises at import is told with file and line, and is the author's error."""
    write(tmp_path, cases=source)
    done = evalkit(tmp_path, "cases.py")
    assert done.returncode == 4, done.stderr
    (line,) = [each for each in done.stderr.splitlines() if each.startswith("error: ")]
    assert place in line
    assert what in line
    assert ": :" not in line
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_row_43_a_syntax_error_of_a_helper_names_the_helper(tmp_path: Path) -> None:
    """Where an imported file is broken, that file and its line are told."""
    write(tmp_path, cases="import helper\n", helper="x = 1\ndef f(:\n")
    done = evalkit(tmp_path, "cases.py")
    assert done.returncode == 4
    assert "cases.py:1" in done.stderr
    assert "helper.py" in done.stderr
    assert "line 2" in done.stderr or "helper.py:2" in done.stderr


def test_row_43_a_failed_import_names_module_and_paths(tmp_path: Path) -> None:
    """The folders that were searched are told with the module."""
    write(tmp_path, cases="import no_such_module\n")
    done = evalkit(tmp_path, "cases.py")
    assert "'no_such_module'" in done.stderr
    assert str(tmp_path) in done.stderr


@pytest.mark.parametrize(
    ("command", "loop"),
    [
        ("run", "while True: pass"),
        ("list", "import time\nwhile True: time.sleep(99)"),
        ("validate", "import threading\nthreading.Event().wait()"),
    ],
)
def test_row_43_an_endless_file_is_given_up(tmp_path: Path, command: str, loop: str) -> None:
    """A file that never ends is refused at its deadline, and the process ends."""
    (name,) = write(tmp_path, cases=loop)
    began = time.monotonic()
    before = "import evalkit.preparing as preparing; preparing.LOADING_S = 0.2"
    done = evalkit(tmp_path, command, name, before=before)
    assert time.monotonic() - began < 10
    assert done.returncode == 4, done.stderr
    assert name in done.stderr
    assert "0.2 s" in done.stderr


def test_row_43_threads_of_a_file_do_not_keep_the_process(tmp_path: Path) -> None:
    """A thread that a file starts and never ends does not hold up the end."""
    thread = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\n"
    write(tmp_path, cases=thread + GOOD)
    began = time.monotonic()
    assert evalkit(tmp_path, "cases.py").returncode == 0
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("options", [("--json",), ("list",)])
def test_row_43_prints_of_a_file_stay_out_of_stdout(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    """What a file prints at import, at any level, is no part of an answer."""
    prints = "import os, sys\nprint('noise')\nsys.stdout.write('noise')\nos.write(1, b'noise')\n"
    prints += "sys.__stdout__.write('noise')\nsys.__stdout__.flush()\nos.system('echo noise')\n"
    write(tmp_path, cases=prints + GOOD)
    argv = (*options, "cases.py") if options == ("list",) else ("cases.py", *options)
    done = evalkit(tmp_path, *argv)
    assert done.returncode == 0, done.stderr
    assert "noise" not in done.stdout


def test_row_44_one_of_five_files_refuses_the_whole_run(tmp_path: Path) -> None:
    """A file that fails to load makes no smaller green run of the others."""
    files = write(tmp_path, a=GOOD, b=GOOD, c="import nope\n", d=GOOD, e=GOOD)
    done = evalkit(tmp_path, *files, "--json")
    assert done.returncode == 4
    assert done.stdout == ""
    assert "c.py:1" in done.stderr


def test_row_44_all_files_that_are_broken_are_told_at_once(tmp_path: Path) -> None:
    """Two broken files of five are two problems."""
    files = write(tmp_path, a=GOOD, b="1 / 0\n", c="import nope\n", d=GOOD)
    done = evalkit(tmp_path, *files)
    assert done.returncode == 4
    assert "b.py:1" in done.stderr
    assert "c.py:1" in done.stderr
    assert "2 problems" in done.stderr


def test_row_44_a_missing_file_refuses_the_whole_run(tmp_path: Path) -> None:
    """A file that is not there is as bad as one that is broken."""
    write(tmp_path, scenarios=GOOD)
    done = evalkit(tmp_path, "scenarios.py", "scenaros.py")
    assert done.returncode == 4
    assert "did you mean 'scenarios.py'" in done.stderr


@pytest.mark.parametrize("tag", ["refudn", "not:refudn"])
def test_row_45_a_tag_that_is_nobodys_is_exit_4(tmp_path: Path, tag: str) -> None:
    """A typo in a tag is answered with the nearest; to exclude by a typo is no better."""
    write(tmp_path, cases=GOOD)
    done = evalkit(tmp_path, "cases.py", "--tag", tag)
    assert done.returncode == 4
    assert "did you mean 'refund'" in done.stderr
    assert done.stdout == ""


def test_row_46_text_that_only_looks_like_json_stays_text() -> None:
    """A result of 100,000 brackets is one outcome of one call, not a crash."""
    deep = Scenario("deep", tool_calls=[ToolCall("deep"), ToolCall("ping")])
    report = run(deep, tools={**TOOLS, "deep": lambda: "[" * 100_000 + "]" * 100_000})
    assert [each.status.value for each in report["deep"].checks][1] == "passed"


@pytest.mark.parametrize(
    ("value", "what"),
    [(10**5000, "digits"), ([[]], "nested"), ("x" * 10_000_001, "larger")],
    ids=["5,001 digits", "100,000 deep", "10 MB"],
)
def test_row_46_what_no_log_could_hold_is_refused_by_place(value: Any, what: str) -> None:
    """Arguments and expectations that could not be written down are refused where they stand."""
    if value == [[]]:
        for _ in range(100_000):
            value = [value]
    with pytest.raises(CatalogueError, match=rf"ToolCall\.args.*{what}"):
        ToolCall("ping", {"value": value})
    with pytest.raises(CatalogueError, match=rf"Assertion\.expected.*{what}"):
        Assertion("n", Op.EQ, {"value": value})


def test_row_46_a_refused_value_is_not_printed_whole() -> None:
    """The message about a huge value is short."""
    with pytest.raises(CatalogueError) as caught:
        ToolCall("ping", ["x" * 100_000])  # type: ignore[arg-type]
    assert len(str(caught.value)) < 300
    assert len(json.dumps(str(caught.value))) < 600
    assert Ref("x") != Ref("y")
