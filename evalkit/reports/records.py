"""How results are written as JSON: the object that `--json` prints, and each record in it."""

from collections.abc import Iterable
from typing import Any

import attrs

from evalkit.errors import Problem
from evalkit.result import ScenarioResult
from evalkit.runlog.records import check_to_dict
from evalkit.scorecard import Scorecard

SCHEMA_VERSION = 1


@attrs.frozen(eq=False, repr=False)
class Head:
    """A run without its scenarios."""

    scorecard: Scorecard
    seconds: float
    interrupted: bool = False
    warnings: tuple[Problem, ...] = ()
    run_id: str | None = None
    notes: tuple[str, ...] = ()


def run_to_dict(results: Iterable[ScenarioResult], head: Head, digest: str) -> dict[str, Any]:
    """Give a whole run as one JSON object."""
    return {
        **run_head(head, digest),
        "scenarios": [scenario_to_dict(result) for result in results],
    }


def run_head(head: Head, digest: str) -> dict[str, Any]:
    """Give a run's JSON object without its scenarios."""
    card = head.scorecard
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": head.run_id,
        "digest": digest,
        "interrupted": head.interrupted,
        "warnings": list(map(str, head.warnings)),
        "notes": list(head.notes),
        "summary": {**card.all.to_dict(), "seconds": head.seconds},
        "by_tag": {tag: tally.to_dict() for tag, tally in card.by_tag.items()},
        "by_difficulty": {each: tally.to_dict() for each, tally in card.by_difficulty.items()},
        "by_operator": {op: tally.to_dict() for op, tally in card.by_operator.items()},
        "epochs": _text_keys(card.repeats.to_dict()) if card.repeats.folds else None,
    }


def _text_keys(epochs: dict[str, Any]) -> dict[str, Any]:
    """Write the k of pass^k and pass@k as JSON does."""
    by_k = {
        name: {str(k): epochs[name][k] for k in epochs[name]} for name in ("pass_hat", "pass_at")
    }
    return {**epochs, **by_k}


def scenario_to_dict(result: ScenarioResult) -> dict[str, Any]:
    """Give one scenario's record, of one epoch."""
    return {
        "name": result.name,
        "epoch": result.epoch,
        "status": result.status.value,
        "tags": list(result.tags),
        "difficulty": result.difficulty,
        "seconds": result.seconds,
        "reason": result.reason,
        "source": result.source,
        "checks": [check_to_dict(check) for check in result.checks],
    }
