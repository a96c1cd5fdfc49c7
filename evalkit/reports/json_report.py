"""The report as one JSON object, of which each scenario is written down as it comes."""

from collections.abc import Callable

from evalkit.jsontext import dumped_object, unmarked
from evalkit.reports.records import run_head, scenario_to_dict
from evalkit.reports.run_report import RunReport
from evalkit.result import Outline, ScenarioResult
from evalkit.runlog.records import redacted, result_digest, run_digest
from evalkit.runlog.redaction import Redaction


class JsonReport:
    """Keeps each record as bytes, and gives the whole object at the end."""

    def __init__(
        self, write: Callable[[bytes], object], redaction: Redaction | None = None
    ) -> None:
        """Take what the finished object is given to, and what is kept out of it."""
        self._write = write
        self._redaction = redaction or Redaction()
        self._records: list[bytes] = []
        self._digests: dict[tuple[str, int], str] = {}

    def start(self, outline: Outline) -> None:
        """Need nothing beforehand."""

    def add(self, result: ScenarioResult) -> None:
        """Write down one record."""
        self._digests[result.name, result.epoch] = result_digest(result)
        record = dumped_object(scenario_to_dict(result))
        if self._redaction.concerns(result, record):
            record = dumped_object(scenario_to_dict(redacted(result, self._redaction)))
        self._records.append(unmarked(record))

    def finish(self, report: RunReport) -> None:
        """Give the whole object."""
        said = dumped_object(run_head(report.head, run_digest(self._digests)))
        said = unmarked(self._redaction.text_of(said))
        self._write(said[:-1] + b',"scenarios":[' + b",\n".join(self._records) + b"]}\n")
