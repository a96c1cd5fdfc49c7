"""What `[tool.evalkit]` in pyproject.toml sets, and who wins."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
Write = Callable[[str, str], str]


def ran(done: Any) -> list[str]:
    """The names of the scenarios that a run with `--json` has run."""
    return [each["name"] for each in json.loads(done.out)["scenarios"]]


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ('tag = ["small"]', ["small_sum"]),
        ('difficulty = ["basic", "advanced"]', ["small_sum", "wrong_sum"]),
        ('expr = "large"', ["large_sum"]),
        ('name = ["talk"]', ["talk"]),
        ('shard = "2/2"', ["large_sum", "other_wrong"]),
        ("maxfail = 1", ["small_sum", "large_sum", "wrong_sum"]),
        ("exitfirst = true", ["small_sum", "large_sum", "wrong_sum"]),
        ("", ["small_sum", "large_sum", "wrong_sum", "other_wrong", "talk"]),
    ],
)
def test_settings_stand_for_flags(cli: Cli, write: Write, settings: str, names: list[str]) -> None:
    """A setting under a long option's name is as if the flag had been given."""
    write("pyproject.toml", f"[tool.evalkit]\n{settings}\n")
    assert ran(cli("shop.py", "--json")) == names


def test_json_by_a_setting(cli: Cli, write: Write) -> None:
    """A flag that is on or off is a boolean, under the name that it is given by."""
    write("pyproject.toml", "[tool.evalkit]\njson = true\n")
    assert len(ran(cli("shop.py"))) == 5


def test_quiet_by_a_setting(cli: Cli, write: Write) -> None:
    """`quiet = true` leaves out the tallies."""
    write("pyproject.toml", "[tool.evalkit]\nquiet = true\n")
    assert "by tag" not in cli("shop.py").out


def test_output_by_a_setting(cli: Cli, write: Write, tmp_path: Path) -> None:
    """Files to write may be settings."""
    write("pyproject.toml", '[tool.evalkit]\noutput = ["x.json"]\n')
    cli("shop.py")
    assert json.loads((tmp_path / "x.json").read_text())


@pytest.mark.parametrize(
    ("settings", "flags", "names"),
    [
        ('tag = ["small"]', ["--tag", "large"], ["large_sum"]),
        ("maxfail = 1", ["--maxfail", "9", "-t", "wrong"], ["wrong_sum", "other_wrong"]),
        ('expr = "small"', ["-k", "talk"], ["talk"]),
    ],
)
def test_a_flag_wins(
    cli: Cli, write: Write, settings: str, flags: list[str], names: list[str]
) -> None:
    """What the command line says takes the place of what the file says."""
    write("pyproject.toml", f"[tool.evalkit]\n{settings}\n")
    assert ran(cli("shop.py", "--json", *flags)) == names


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ('tga = "x"', "unknown key 'tga'; did you mean 'tag'?"),
        ("max-fail = 1", "did you mean 'maxfail'?"),
        ('tag = ["smal"]', "unknown tag 'smal'; did you mean 'small'?"),
        ('difficulty = "baisc"', "'basic'"),
        ('maxfail = "many"', "'many'"),
        ("tag = 3", "3"),
        ("shard = 2", "2"),
        ("verbose = 'a lot'", "'a lot'"),
        ("quiet = 'no way'", "no way"),
        ("timeout = [1]", "1"),
    ],
)
def test_a_wrong_setting_is_told(cli: Cli, write: Write, settings: str, told: str) -> None:
    """An unknown key or a wrong value is code 4, with its value and the nearest right one."""
    write("pyproject.toml", f"[tool.evalkit]\n{settings}\n")
    done = cli("shop.py")
    assert done.code == 4, done.out + done.err
    assert told in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ('tag = "small"', ["small_sum"]),
        ('difficulty = "basic"', ["small_sum"]),
        ('name = "talk"', ["talk"]),
    ],
)
def test_one_text_for_a_repeatable_option_is_a_list_of_one(
    cli: Cli, write: Write, settings: str, names: list[str]
) -> None:
    """An option that may be given several times may be set once without brackets."""
    write("pyproject.toml", f"[tool.evalkit]\n{settings}\n")
    assert ran(cli("shop.py", "--json")) == names


def test_a_wrong_setting_names_its_file(cli: Cli, write: Write) -> None:
    """A reader is told which file the key stands in."""
    write("pyproject.toml", "[tool.evalkit]\nnope = 1\n")
    assert "pyproject.toml" in cli("shop.py").err


def test_all_wrong_settings_are_told_at_once(cli: Cli, write: Write) -> None:
    """Two unknown keys are two problems."""
    write("pyproject.toml", "[tool.evalkit]\ntga = 1\nmxafail = 1\n")
    err = cli("shop.py").err
    assert "'tga'" in err
    assert "'mxafail'" in err


@pytest.mark.parametrize(
    "content", ["[tool.evalkit\n", "[tool]\nevalkit = 3\n", "tool = 'evalkit'\n# tool.evalkit"]
)
def test_a_file_that_is_no_table_is_told(cli: Cli, write: Write, content: str) -> None:
    """A broken pyproject.toml that speaks of evalkit is code 4 with its name, never a traceback."""
    write("pyproject.toml", content)
    done = cli("shop.py", "-t", "small")
    assert "Traceback" not in done.err
    assert done.code in (0, 4)
    assert done.code == 0 or "pyproject.toml" in done.err


def test_a_project_without_the_table_is_let_alone(cli: Cli, write: Write) -> None:
    """Other tools' settings are none of ours."""
    write("pyproject.toml", "[tool.ruff]\nline-length = 100\n")
    assert cli("shop.py", "-t", "small").code == 0


def test_the_table_may_be_written_in_other_ways(cli: Cli, write: Write) -> None:
    """TOML has several spellings of one table."""
    for content in ("[tool]\nevalkit = {tag = ['small']}\n", '[tool."evalkit"]\ntag = ["small"]\n'):
        write("pyproject.toml", content)
        assert ran(cli("shop.py", "--json")) == ["small_sum"]


def test_settings_come_from_above(
    cli: Cli, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The nearest pyproject.toml above the current directory counts."""
    write("pyproject.toml", '[tool.evalkit]\ntag = ["small"]\n')
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")
    assert ran(cli("../shop.py", "--json")) == ["small_sum"]


def test_settings_of_a_run_do_not_trouble_list(cli: Cli, write: Write) -> None:
    """A setting that only `run` knows is no mistake for the other commands."""
    write("pyproject.toml", "[tool.evalkit]\ntimeout = 3\nquiet = true\ntag = ['small']\n")
    done = cli("list", "shop.py")
    assert done.code == 0
    assert [line.split("\t")[0] for line in done.out.splitlines()] == ["small_sum"]
