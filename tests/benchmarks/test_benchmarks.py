"""The benchmarks measure the same work for everyone; nothing here looks at a clock."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.field import EVERYONE, Contender
from benchmarks.measure import Job, MeasureError, measure, run_child
from benchmarks.table import Bound, Table, as_markdown, as_text, judged
from benchmarks.workload import BROKEN_VARIABLE

PROJECT = Path(__file__).resolve().parent.parent.parent
SIZE = 3


def parameter(contender: Contender) -> object:
    """One contender as a parameter: skipped where absent."""
    absent = pytest.mark.skipif(
        not contender.installed, reason=f"{contender.name} is not installed"
    )
    slow = [pytest.mark.slow] if contender.name == "inspect-ai" else []
    return pytest.param(contender, id=contender.name, marks=[absent, *slow])


everyone = pytest.mark.parametrize("contender", [parameter(one) for one in EVERYONE])


@everyone
def test_each_contender_passes_every_check_of_every_case(
    contender: Contender, tmp_path: Path
) -> None:
    """It states the number of checks that the workload has: `run_child` refuses any other."""
    run_child(contender.job(SIZE), str(tmp_path))


@everyone
def test_each_contender_notices_a_fault_in_one_case(contender: Contender, tmp_path: Path) -> None:
    """With one check that must not pass, none of them states the full number."""
    with pytest.raises(MeasureError):
        run_child(contender.job(SIZE, **{BROKEN_VARIABLE: "1"}), str(tmp_path))


def test_a_child_that_fails_is_an_error_and_no_measurement(tmp_path: Path) -> None:
    """A process that exits with another code than 0 did not do the work; its words are shown."""
    job = Job(["-c", "import sys; sys.exit('no such tool')"], {}, lambda _output: None)
    with pytest.raises(MeasureError, match=r"exited 1\n.*no such tool"):
        run_child(job, str(tmp_path))


def test_the_cost_of_a_child_counts_its_own_children() -> None:
    """CPU spent by a grandchild is CPU of the contender."""
    busy = "for _ in range(3_000_000): pass"
    nested = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {busy!r}])"
    jobs = {
        "idle": Job(["-c", "import subprocess"], {}, lambda _output: None),
        "nested": Job(["-c", nested], {}, lambda _output: None),
    }
    costs = measure(jobs, repeat=1)
    assert costs["nested"].cpu_s > costs["idle"].cpu_s


def test_a_missed_bound_is_said_so() -> None:
    """A ratio stands beside its bound, and what is not kept is marked."""
    assert judged(13, Bound(12, aim=6)) == ("13.00", "<= 12 (aim 6)", "MISSED")
    assert judged(13, Bound(8, least=True)) == ("13.00", ">= 8", "met")
    assert judged(13, None) == ("13.00", "", "")


def test_a_table_is_aligned_as_text_and_piped_as_markdown() -> None:
    """Both forms hold the same cells."""
    table = Table("Start-up", ("process", "ms"), [("python", "12"), ("x", "3")], ["a note"])
    assert as_text(table).splitlines()[2:6] == [
        "process  ms",
        "-----------",
        "python   12",
        "x         3",
    ]
    assert as_markdown(table).splitlines() == [
        *("### Start-up", "", "| process | ms |", "| :-- | --: |", "| python | 12 |", "| x | 3 |"),
        *("", "a note"),
    ]


def test_the_command_prints_the_table_that_was_asked_for() -> None:
    """`python -m benchmarks startup` measures start-up and nothing else."""
    command = [sys.executable, "-m", "benchmarks", "startup", "--quick", "--repeat", "1"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True)
    assert "Start-up" in done.stdout
    assert "Building blocks" not in done.stdout
