"""The report as one JSON object, of which each scenario is written down as it comes."""

import json
from collections.abc import Callable
from typing import Any

from evalkit.reports.records import run_head, scenario_to_dict
from evalkit.reports.run_report import RunReport
from evalkit.result import ScenarioResult


class JsonReport:
    """Keeps each record as bytes, and gives the whole object at the end."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        """Take what the finished object is given to."""
        self._write = write
        self._records: list[bytes] = []

    def start(self, prepared: Any) -> None:  # noqa: ANN401
        """Need nothing beforehand."""

    def add(self, result: ScenarioResult) -> None:
        """Write down one record."""
        self._records.append(dumped(scenario_to_dict(result)))

    def finish(self, report: RunReport) -> None:
        """Give the whole object."""
        warnings = map(str, report.warnings)
        head = run_head(
            report.scorecard, report.seconds, interrupted=report.interrupted, warnings=warnings
        )
        opening = dumped(head)[:-1] + b',"scenarios":['
        self._write(opening + b",\n".join(self._records) + b"]}\n")


def dumped(value: Any) -> bytes:  # noqa: ANN401
    """Write strict JSON; what the fast writer refuses (huge integers, surrogates) is escaped."""
    import orjson  # noqa: PLC0415  - 15 ms, only where JSON is written

    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, allow_nan=False).encode("ascii")
