"""How a run goes by its options: epochs, rate, where it runs, what is recorded, what failed."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
Write = Callable[[str, str], str]

RUNS = Path(".evalkit") / "runs"
NAMES = ["small_sum", "large_sum", "wrong_sum", "other_wrong", "talk"]
FLIPS = """
from itertools import cycle
from evalkit import Assertion, Op, Scenario, ToolCall, _s

values = cycle([1, 2])
TOOL_DISPATCH = {"next": lambda: next(values), "one": lambda: 1}
call = lambda tool: [ToolCall(tool, {}, [Assertion("", Op.EQ, 1)])]
_s(Scenario("flips", tool_calls=call("next")))
_s(Scenario("tolerated", tool_calls=call("next"), pass_epochs=1))
_s(Scenario("steady", tool_calls=call("one")))
"""
TOGETHER = """
from threading import Barrier
from evalkit import Scenario, ToolCall, _s

both = Barrier(2, timeout=10)
TOOL_DISPATCH = {"meet": lambda: both.wait()}
for name in ("a", "b"):
    _s(Scenario(name, tool_calls=[ToolCall("meet")]))
"""


def told(done: Any) -> Any:
    """The one JSON object of a run with `--json`."""
    return json.loads(done.out)


def ran(done: Any) -> list[str]:
    """The names of the scenarios that a run with `--json` has run."""
    return [each["name"] for each in told(done)["scenarios"]]


def runs(place: Path = RUNS) -> list[Path]:
    """The runs that are recorded."""
    return sorted(each.parent for each in place.glob("*/run.ndjson"))


def header(one: Any) -> Any:
    """The first record of the log of a run, by its JSON object."""
    with (RUNS / one["run_id"] / "run.ndjson").open(encoding="utf-8") as file:
        return json.loads(file.readline())


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--epochs", "0"], ["--epochs", "0"]),
        (["--epochs", "1001"], ["--epochs", "1000"]),
        (["--epochs", "many"], ["--epochs", "'many'"]),
        (["--epochs", "2.5"], ["--epochs", "'2.5'"]),
        (["--until-sure", "0"], ["--until-sure", "no rate between 0 and 1"]),
        (["--until-sure", "1"], ["--until-sure", "no rate between 0 and 1"]),
        (["--until-sure", "90"], ["--until-sure", "90"]),
        (["--until-sure", "nan"], ["--until-sure", "nan"]),
        (["--until-sure", "90%"], ["--until-sure", "'90%'"]),
        (["--rate", "0"], ["--rate", "10/s"]),
        (["--rate", "-1/s"], ["--rate", "'-1/s'"]),
        (["--rate", "10/d"], ["--rate", "'10/d'"]),
        (["--rate", "fast"], ["--rate", "'fast'"]),
        (["--rate", "inf"], ["--rate", "'inf'"]),
        (["--rate", "nan/s"], ["--rate", "'nan/s'"]),
        (["--rate", "/s"], ["--rate", "'/s'"]),
        (["--concurrency", "0"], ["--concurrency", "0"]),
        (["--concurrency", "x"], ["--concurrency", "'x'"]),
        (["-n", "0"], ["-n", "0"]),
        (["-n", "-2"], ["-n", "-2"]),
        (["--executor", "thread"], ["unknown executor 'thread'; did you mean 'threads'?"]),
        (["--executor", "threads=4"], ["unknown executor 'threads=4'"]),
        (["--executor", "pool"], ["executor", "'pool'"]),
        (["--redact", "NOT_SET_ANYWHERE"], ["no variable 'NOT_SET_ANYWHERE' is set"]),
        (["--redact", "SHORT"], ["'SHORT' has fewer than 4 characters"]),
        (["--resume", "nope"], ["there is no run 'nope'"]),
        (["--epoch", "3"], ["--epochs"]),
        (["--until-sre", "0.9"], ["--until-sure"]),
        (["--lable", "x"], ["--label"]),
        (["--nolog"], ["--no-log"]),
        (["--log-dir", "shop.py"], ["'shop.py'", "--no-log"]),
    ],
    ids=lambda value: " ".join(value) if value[0].startswith("-") else "",
)
def test_code_4_a_wrong_value_is_told(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, options: list[str], what: list[str]
) -> None:
    """A value that can't be is told with its option and what would be right; nothing is run."""
    monkeypatch.setenv("SHORT", "abc")
    done = cli("shop.py", *options)
    assert done.code == 4, done.out + done.err
    assert done.out == ""
    assert [part for part in what if part not in done.err] == []
    assert "Traceback" not in done.err
    assert done.last.startswith("exit 4")
    assert runs() == []


@pytest.mark.parametrize(
    "options",
    [
        ["-n", "2", "--concurrency", "2"],
        ["--executor", "threads", "-n", "2"],
        ["--executor", "processes", "--concurrency", "2"],
        ["--executor", "serial", "-n", "2"],
        ["--executor", "serial", "--concurrency", "2"],
        ["--lf", "--resume", "latest"],
        ["--ff", "--resume="],
        ["--no-log", "--resume="],
        ["--no-log", "--resume", "latest"],
        ["--no-log", "--label", "nightly"],
    ],
    ids=" ".join,
)
def test_code_4_options_that_contradict_each_other(cli: Cli, options: list[str]) -> None:
    """Two options of which one would be passed over in silence are refused, both named."""
    done = cli("shop.py", *options)
    assert done.code == 4, done.out
    assert done.out == ""
    named = {"--executor", "-n", "--concurrency", "--lf", "--ff", "--resume", "--no-log", "--label"}
    for each in named & {option.rstrip("=") for option in options}:
        assert each in done.err


def test_epochs(cli: Cli) -> None:
    """`--epochs` runs each scenario so often, one after the other, and counts it once."""
    done = cli("shop.py", "-t", "sums", "--epochs", "3", "--json")
    assert [(each["name"], each["epoch"]) for each in told(done)["scenarios"]] == [
        (name, epoch) for name in NAMES[:3] for epoch in (1, 2, 3)
    ]
    assert told(done)["summary"]["scenarios_total"] == 3
    assert done.code == 1


def test_pass_epochs_decide_on_the_exit_code(cli: Cli, write: Write) -> None:
    """A scenario that passes as often as it must is no failure, however it is called flaky."""
    name = write("cases.py", FLIPS)
    assert cli(name, "--epochs", "2", "--name", "tolerated").code == 0
    assert cli(name, "--epochs", "2", "--name", "flips").code == 1
    done = cli(name, "--name", "tolerated", "--epochs", "4")
    assert "flaky  tolerated  2/4" in done.out


def test_until_sure(cli: Cli) -> None:
    """`--until-sure` stops as soon as each is decided on, and says what was saved."""
    done = cli("shop.py", "-t", "sums", "--until-sure", "0.5")
    assert done.code == 1
    assert "21 epochs were run, 279 were saved" in done.out
    assert "2 passed" in done.out


def test_until_sure_has_a_most(cli: Cli) -> None:
    """With `--epochs` as the most, what stays open is no success, and told as not measured."""
    done = cli("shop.py", "-t", "small", "--until-sure", "0.9", "--epochs", "3")
    assert done.code == 1
    assert done.last == "exit 1: 1 could not be measured"


@pytest.mark.parametrize("rate", ["40", "40/s", "2400/m", "144000/h"])
def test_rate(cli: Cli, rate: str) -> None:
    """At 40 a second, by whatever unit, the fifth scenario begins after a tenth of a second."""
    began = time.perf_counter()
    assert cli("shop.py", "--rate", rate).code == 1
    assert time.perf_counter() - began >= 4 / 40


@pytest.mark.parametrize(
    "options",
    [["--concurrency", "2"], ["--executor", "threads"]],
    ids=" ".join,
)
def test_concurrency(cli: Cli, write: Write, options: list[str]) -> None:
    """Two scenarios that wait for each other end when they run side by side."""
    assert cli(write("cases.py", TOGETHER), *options).code == 0


def test_concurrency_keeps_the_order(cli: Cli) -> None:
    """Results are told in the catalogue's order, wherever they were run."""
    assert ran(cli("shop.py", "--json", "--concurrency", "4")) == NAMES


def test_only_what_failed(cli: Cli) -> None:
    """`--lf` runs what failed in the last run."""
    cli("shop.py")
    assert ran(cli("shop.py", "--json", "--lf")) == ["wrong_sum", "other_wrong"]


def test_what_failed_first(cli: Cli) -> None:
    """`--ff` runs all, those that failed before the others."""
    cli("shop.py")
    first = ["wrong_sum", "other_wrong"]
    rest = [name for name in NAMES if name not in first]
    assert ran(cli("shop.py", "--json", "--ff")) == first + rest


@pytest.mark.parametrize("option", ["--lf", "--ff"])
def test_without_a_failure_all_are_run(cli: Cli, option: str) -> None:
    """Where there is no run yet, or nothing failed in it, all are run."""
    assert ran(cli("shop.py", "--json", option)) == NAMES
    cli("shop.py", "-t", "small", "--log-dir", "other")
    assert ran(cli("shop.py", "--json", option, "--log-dir", "other")) == NAMES


def test_what_failed_narrows_a_selection(cli: Cli) -> None:
    """`--lf` looks among what is selected otherwise."""
    cli("shop.py")
    assert ran(cli("shop.py", "--json", "--lf", "-t", "sums")) == ["wrong_sum"]


def test_the_last_run_is_the_one_before(cli: Cli, tmp_path: Path) -> None:
    """What was mended between two runs is no longer run by `--lf`, however fast they came."""
    shop = tmp_path / "shop.py"
    for _ in range(4):
        cli("shop.py")
    shop.write_text(shop.read_text().replace('"wrong_sum", 4', '"wrong_sum", 3'))
    cli("shop.py")
    assert ran(cli("shop.py", "--json", "--lf")) == ["other_wrong"]


def test_what_failed_is_a_matter_of_all_epochs(cli: Cli, write: Write) -> None:
    """A scenario that passed over its epochs did not fail, though one of them did."""
    name = write("cases.py", FLIPS)
    assert cli(name, "--epochs", "2").last == "exit 1: 1 failed"
    assert ran(cli(name, "--json", "--lf")) == ["flips"]


def test_what_could_not_be_told_is_run_again(cli: Cli) -> None:
    """A scenario of which it stayed open whether it passes failed the run, and is among them."""
    options = ("shop.py", "--name", "small_sum", "--until-sure", "0.9", "--epochs", "3")
    assert cli(*options).code == 1
    assert ran(cli("shop.py", "--json", "--lf")) == ["small_sum"]


def test_a_run_is_recorded(cli: Cli) -> None:
    """Each run is a folder of its own in `.evalkit/runs`, which git is told to leave alone."""
    done = cli("shop.py")
    (run,) = runs()
    assert f"recorded in {run}" in done.out.splitlines()
    assert (RUNS / ".gitignore").read_text().strip() == "*"
    cli("shop.py")
    assert len(runs()) == 2


def test_no_log(cli: Cli, tmp_path: Path) -> None:
    """With `--no-log` nothing is recorded, and nothing said of it."""
    before = sorted(tmp_path.iterdir())
    done = cli("shop.py", "--no-log")
    assert done.code == 1
    assert "recorded" not in done.out
    assert [each for each in sorted(tmp_path.iterdir()) if each.name != "__pycache__"] == before


def test_log_dir(cli: Cli) -> None:
    """`--log-dir` is where runs are recorded, made where it is not there."""
    cli("shop.py", "--log-dir", "a/b")
    assert len(runs(Path("a/b"))) == 1
    assert not RUNS.exists()


def test_a_log_dir_with_other_things_is_not_hidden_from_git(cli: Cli, tmp_path: Path) -> None:
    """A folder that was there before keeps being seen by git: only what is ours is ignored."""
    cli("shop.py", "-t", "small", "--log-dir", ".")
    ignored = tmp_path / ".gitignore"
    assert not ignored.exists() or "*" not in ignored.read_text().split()


def test_nothing_is_recorded_of_what_is_refused(cli: Cli) -> None:
    """A catalogue error leaves no run behind."""
    assert cli("shop.py", "-t", "nope").code == 4
    assert runs() == []


def test_a_label_is_in_the_log(cli: Cli) -> None:
    """`--label` gives the run a name, by which it is found."""
    done = cli("shop.py", "--json", "--label", "nightly")
    assert header(told(done))["label"] == "nightly"
    assert cli("show", "nightly").out == cli("show", told(done)["run_id"]).out


@pytest.mark.parametrize(
    ("setting", "came"),
    [
        ("epochs = 2", lambda one: len(one["scenarios"]) == 9),
        ("until-sure = 0.5", lambda one: one["epochs"]["until_sure"] == 0.5),
        ("concurrency = 2", lambda one: len(one["scenarios"]) == 5),
        ('executor = "threads"', lambda one: len(one["scenarios"]) == 5),
        ('rate = "1000/s"', lambda one: len(one["scenarios"]) == 5),
        ("rate = 1000", lambda one: len(one["scenarios"]) == 5),
        ("no-log = true", lambda one: one["run_id"] is None and not RUNS.exists()),
        ('log-dir = "logs"', lambda one: (Path("logs") / one["run_id"]).is_dir()),
        ('label = "nightly"', lambda one: header(one)["label"] == "nightly"),
        ("lf = true", lambda one: len(one["scenarios"]) == 5),
        ('redact = ["SECRET"]', lambda one: "s3cr3t" not in json.dumps(one)),
        ('redact = "SECRET"', lambda one: "s3cr3t" not in json.dumps(one)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_settings(
    cli: Cli,
    write: Write,
    monkeypatch: pytest.MonkeyPatch,
    setting: str,
    came: Callable[[Any], bool],
) -> None:
    """Each option of a run may stand in `[tool.evalkit]`, under its long name."""
    monkeypatch.setenv("SECRET", "s3cr3t")
    write("pyproject.toml", f"[tool.evalkit]\n{setting}\n")
    done = cli("shop.py", "--json")
    assert done.code == 1, done.err
    assert came(told(done))


@pytest.mark.parametrize(
    ("setting", "what"),
    [
        ("epochs = 0", "epochs: 0"),
        ("epochs = true", "expected no boolean"),
        ('epochs = "many"', "'many'"),
        ("until-sure = 2", "no rate between 0 and 1"),
        ('rate = "fast"', "'fast'"),
        ("rate = 0", "10/s"),
        ('executor = "thread"', "did you mean 'threads'?"),
        ("concurrency = 0", "concurrency: 0"),
        ("processes = 0", "processes: 0"),
        ("no-log = 'yes'", "expected true or false"),
        ("lf = 1", "expected true or false"),
        ("epoch = 3", "did you mean 'epochs'?"),
        ("until_sure = 0.9", "did you mean 'until-sure'?"),
        ('redact = ["NOT_SET_ANYWHERE"]', "no variable 'NOT_SET_ANYWHERE' is set"),
    ],
)
def test_a_wrong_setting_is_told(cli: Cli, write: Write, setting: str, what: str) -> None:
    """What the command line refuses is refused in the file, too."""
    write("pyproject.toml", f"[tool.evalkit]\n{setting}\n")
    done = cli("shop.py")
    assert done.code == 4, done.out
    assert what in done.err
    assert runs() == []


@pytest.mark.parametrize(
    ("setting", "flags", "records"),
    [
        ("epochs = 2", ["--epochs", "1"], 1),
        ("until-sure = 0.5", ["--epochs", "2"], 2),
        ("concurrency = 2", ["--concurrency", "1"], 1),
        ("concurrency = 2", ["-n", "1"], 1),
        ("concurrency = 2", ["--executor", "serial"], 1),
        ('executor = "threads"', ["--executor", "serial"], 1),
    ],
    ids=str,
)
def test_a_flag_wins(cli: Cli, write: Write, setting: str, flags: list[str], records: int) -> None:
    """What the command line says takes the place of a setting, and of what contradicts it."""
    write("pyproject.toml", f"[tool.evalkit]\n{setting}\n")
    done = cli("shop.py", "--json", "-t", "small", *flags)
    assert done.code in (0, 1), done.err
    assert len(told(done)["scenarios"]) == records
