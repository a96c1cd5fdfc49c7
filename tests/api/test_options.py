"""What a caller may say of a run from Python, and what is refused before anything is done."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from evalkit import (
    Assertion,
    CatalogueError,
    EvalkitError,
    Op,
    RunLogError,
    RunReport,
    Scenario,
    ToolCall,
    arun,
    run,
)
from evalkit.api.options import RunOptions, secrets_of
from evalkit.select import Selection

Door = Callable[..., RunReport]


def awaited(target: Any, **options: Any) -> RunReport:
    """The answer of `arun` on a loop of its own."""
    return asyncio.run(arun(target, **options))


@pytest.fixture(params=[run, awaited], ids=["run", "arun"])
def door(request: pytest.FixtureRequest) -> Door:
    """Each of the two doors that run something."""
    made: Door = request.param
    return made


class Tool:
    """A tool that counts its calls."""

    def __init__(self) -> None:
        """Begin with none."""
        self.calls = 0

    def __call__(self) -> dict[str, int]:
        """Count, and answer."""
        self.calls += 1
        return {"n": self.calls}


def scenario(name: str = "a", *assertions: Assertion, **fields: Any) -> Scenario:
    """A scenario of one call."""
    return Scenario(name, tool_calls=[ToolCall("count", {}, assertions)], **fields)


def runs(place: Path) -> list[str]:
    """The runs that are recorded."""
    return sorted(each.parent.name for each in place.glob("*/run.ndjson"))


WRONG: list[tuple[dict[str, Any], str]] = [
    *[({"epochs": value}, "epochs") for value in (0, -1, True, 2.0, "3", 1_001, float("nan"))],
    *[({"until_sure": value}, "until_sure") for value in (0, 1, 90, True, "0.9", float("nan"))],
    *[({"rate": value}, "rate") for value in (0, -1, True, "10/s", float("nan"), float("inf"))],
    *[({"timeout_s": value}, "timeout_s") for value in (0, -1, True, "60", float("nan"))],
    *[({"max_failures": value}, "max_failures") for value in (0, -1, True, "1", 1.5)],
    *[({"executor": "threads", "workers": value}, "workers") for value in (0, -1, True, "4", 2.5)],
    *[({"executor": value}, "executor") for value in ("thread", "", "pool", "threads=2", 3, None)],
    ({"workers": 4}, "workers"),
    ({"selection": "small"}, "selection"),
    ({"selection": ["small"]}, "selection"),
    ({"sinks": 3}, "sinks"),
    ({"sinks": [3]}, "sinks"),
    ({"log_dir": 3}, "log_dir"),
    ({"label": "nightly"}, "log_dir"),
    ({"resume": "latest"}, "log_dir"),
    ({"resume": ""}, "log_dir"),
    ({"redact": "HOME"}, "'HOME'"),
    ({"redact": 3}, "redact"),
    ({"redact": [3]}, "redact"),
    ({"redact": ["NOT_SET_ANYWHERE"]}, "'NOT_SET_ANYWHERE'"),
    ({"redact": ["SHORT"]}, "'SHORT'"),
]


@pytest.mark.parametrize(("options", "told"), WRONG, ids=str)
def test_a_value_that_can_not_be_is_refused(
    door: Door, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], told: str
) -> None:
    """A wrong value is a `CatalogueError` that names the option, and nothing is called."""
    monkeypatch.setenv("SHORT", "abc")
    tool = Tool()
    with pytest.raises(CatalogueError) as caught:
        door(scenario(), tools={"count": tool}, **options)
    assert told in str(caught.value)
    assert tool.calls == 0


@pytest.mark.parametrize("value", [3, ["a"], "\x00"], ids=repr)
@pytest.mark.parametrize("option", ["label", "resume"])
def test_a_name_of_a_run_is_a_text(door: Door, tmp_path: Path, option: str, value: Any) -> None:
    """A label, or a run to go on with, that is none is refused, and nothing is recorded."""
    with pytest.raises(EvalkitError, match=rf"{option}|no run"):
        door(scenario(), tools={"count": Tool()}, log_dir=tmp_path, **{option: value})
    assert runs(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "near"),
    [("epoch", "epochs"), ("until", "until_sure"), ("timeout", "timeout_s"), ("logdir", "log_dir")],
)
def test_an_option_that_there_is_not_is_told_by_arun(name: str, near: str) -> None:
    """`arun` takes the options of `run`, and answers another one with the nearest."""
    options: Any = {name: 3}
    with pytest.raises(CatalogueError, match=f"there is no option '{name}'; did you mean '{near}'"):
        awaited(scenario(), tools={"count": Tool()}, **options)


def test_an_option_that_there_is_not_is_no_option_of_run() -> None:
    """`run` has its options in its signature."""
    options: Any = {"epoch": 3}
    with pytest.raises(TypeError, match="epoch"):
        run(scenario(), tools={"count": Tool()}, **options)


def test_both_doors_have_the_same_options() -> None:
    """What `run` takes by keyword is what `arun` takes."""
    taken = get_type_hints(run).keys() - {"target", "return"}
    assert taken == RunOptions.__annotations__.keys()


OPTIONS: list[tuple[dict[str, Any], int]] = [
    ({}, 1),
    ({"epochs": 3}, 3),
    ({"epochs": 1_000, "max_failures": 1, "until_sure": 0.5}, 7),
    ({"until_sure": 0.5}, 7),
    ({"until_sure": 0.5, "epochs": 4}, 4),
    ({"rate": 1_000}, 1),
    ({"rate": 0.5}, 1),
    ({"executor": "threads"}, 1),
    ({"executor": "threads", "workers": 2, "epochs": 4}, 4),
    ({"selection": Selection(names="a")}, 1),
    ({"timeout_s": 5}, 1),
    ({"timeout_s": None}, 1),
    ({"sinks": ()}, 1),
    ({"redact": ()}, 1),
    (dict.fromkeys(["epochs", "until_sure", "rate", "label", "resume", "log_dir", "workers"]), 1),
]


@pytest.mark.parametrize(("options", "calls"), OPTIONS, ids=str)
def test_options_at_every_door(door: Door, options: dict[str, Any], calls: int) -> None:
    """Each option means the same at both doors; None stands for leaving it out."""
    tool = Tool()
    made = scenario("a", Assertion("n", Op.GTE, 1))
    report = door(made, tools={"count": tool}, **options)
    assert tool.calls == calls == len(report.results)


def test_an_executor_may_be_the_caller_s_own(door: Door) -> None:
    """Whatever has `submit` is taken for one, is told where it can't serve, and is left open."""
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(CatalogueError, match="say executor='threads'"):
            door(scenario(), tools={"count": lambda: {"n": 1}}, executor=pool)
        assert pool.submit(int).result() == 0


@pytest.mark.parametrize("kind", [str, Path])
def test_a_log_dir_is_where_the_run_is_recorded(
    door: Door, tmp_path: Path, kind: Callable[[Path], Any]
) -> None:
    """A text or a path, made where it is not there; the report says where and by what id."""
    place = tmp_path / "a" / "b"
    report = door(scenario(), tools={"count": Tool()}, log_dir=kind(place), label="nightly")
    assert report.run == place / str(report.run_id)
    assert runs(place) == [report.run_id]
    assert [each.name for each in report.results] == ["a"]


def test_without_a_log_dir_nothing_is_recorded(
    door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the command line has a folder unless it is told one."""
    monkeypatch.chdir(tmp_path)
    report = door(scenario(), tools={"count": Tool()})
    assert (report.run, report.run_id) == (None, None)
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_there_is_not_is_not_gone_on_with(door: Door, tmp_path: Path) -> None:
    """A wrong name to resume is told with the nearest, and no run is begun instead."""
    door(scenario(), tools={"count": Tool()}, log_dir=tmp_path, label="nightly")
    before = runs(tmp_path)
    with pytest.raises(RunLogError, match="did you mean 'nightly'"):
        door(scenario(), tools={"count": Tool()}, log_dir=tmp_path, resume="nightyl")
    assert runs(tmp_path) == before


def test_nothing_to_go_on_with_begins_anew(door: Door, tmp_path: Path) -> None:
    """`resume=""` goes on with the newest unfinished run, and begins one where there is none."""
    for number in (1, 2):
        assert door(scenario(), tools={"count": Tool()}, log_dir=tmp_path, resume="").passed
        assert len(runs(tmp_path)) == number


def test_a_secret_is_kept_out_of_the_log(
    door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The value of a variable that is named is not in the log, in whatever text it stands."""
    monkeypatch.setenv("SHOP_PIN", "s3cr3t-4711")
    tools = {"count": lambda: {"said": "the pin is s3cr3t-4711."}}
    report = door(scenario(), tools=tools, log_dir=tmp_path, redact=["SHOP_PIN"])
    assert report.run is not None
    text = (report.run / "run.ndjson").read_text(encoding="utf-8")
    assert "s3cr3t" not in text
    assert "[redacted: SHOP_PIN]" in text


def test_secrets_are_the_values_of_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the names of the variables; none for none."""
    monkeypatch.setenv("SHOP_PIN", "4711")
    assert secrets_of(["SHOP_PIN"]) == {"SHOP_PIN": "4711"}
    assert secrets_of([]) == {}


def test_a_secret_that_is_not_set_names_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    """A typo in the name of a secret is no run without redaction; no value is shown."""
    monkeypatch.setenv("SHOP_PIN", "s3cr3t-4711")
    with pytest.raises(CatalogueError, match="did you mean 'SHOP_PIN'") as caught:
        secrets_of(["SHOP_PIM"])
    assert "s3cr3t" not in str(caught.value)
