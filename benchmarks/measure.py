"""The CPU seconds of a whole child process, start-up and all."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

from attrs import frozen

PROJECT = Path(__file__).resolve().parent.parent
UNWANTED = ("PYTHONDONTWRITEBYTECODE", "PYTEST_ADDOPTS", "COVERAGE_PROCESS_START")
TAIL = 2000


class MeasureError(Exception):
    """A child did not do the work that was to be measured."""


@frozen
class Job:
    """One child: the arguments for Python, its variables, and a word on what it must print."""

    arguments: Sequence[str]
    variables: dict[str, str]
    verify: Callable[[str], str | None]


@frozen
class Sample:
    """What one child cost: user and system time of it and of its own children; its peak memory."""

    cpu_s: float
    peak_mb: float


@frozen
class Cost:
    """The samples of one job, round by round, so that two jobs can be compared within a round."""

    samples: Sequence[Sample]

    @property
    def cpu_s(self) -> float:
        """The median CPU seconds."""
        return median(sample.cpu_s for sample in self.samples)

    @property
    def peak_mb(self) -> float:
        """The median of the peak memory, in megabytes."""
        return median(sample.peak_mb for sample in self.samples)


def measure(jobs: dict[str, Job], repeat: int) -> dict[str, Cost]:
    """Run each job once uncounted, for its bytecode, then all of them in turn, `repeat` times."""
    with TemporaryDirectory() as folder:
        for job in jobs.values():
            run_child(job, folder)
        rounds = [
            {name: run_child(job, folder) for name, job in jobs.items()} for _ in range(repeat)
        ]
    return {name: Cost([samples[name] for samples in rounds]) for name in jobs}


def run_child(job: Job, folder: str) -> Sample:
    """Run one child in the folder to its end; `MeasureError` where it did not do its work."""
    with TemporaryFile("w+", encoding="utf-8") as out, TemporaryFile("w+", encoding="utf-8") as err:
        command = [sys.executable, *job.arguments]
        child = subprocess.Popen(
            command, cwd=folder, env=_environment(job.variables), stdout=out, stderr=err
        )
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        _refuse_idleness(job, child.returncode, _text(out), _text(err))
    # Linux counts ru_maxrss in kilobytes, macOS in bytes
    per_mb = 1024 if sys.platform == "linux" else 1024 * 1024
    return Sample(cpu_s=used.ru_utime + used.ru_stime, peak_mb=used.ru_maxrss / per_mb)


def _refuse_idleness(job: Job, exit_code: int, out: str, err: str) -> None:
    """Nobody wins by not doing the work."""
    problem = f"exited {exit_code}" if exit_code else job.verify(out)
    if problem is not None:
        command = " ".join(job.arguments)
        raise MeasureError(f"python {command}: {problem}\n{out[-TAIL:]}{err[-TAIL:]}")


def _environment(variables: dict[str, str]) -> dict[str, str]:
    """Ours, without what would distort the child, and with the project to be imported."""
    kept = {name: value for name, value in os.environ.items() if name not in UNWANTED}
    path = [str(PROJECT), *filter(None, [kept.get("PYTHONPATH")])]
    return {**kept, "PYTHONPATH": os.pathsep.join(path), **variables}


def _text(file: Any) -> str:
    """All that was written to the file."""
    file.seek(0)
    return str(file.read())
