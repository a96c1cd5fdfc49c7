"""How results are written as JSON: the object that `--json` prints, and each record in it."""

from collections.abc import Iterable
from typing import Any

from evalkit.jsonvalue import MISSING, Json
from evalkit.model import Ref
from evalkit.result import Check, ScenarioResult
from evalkit.scorecard import Scorecard

SCHEMA_VERSION = 1


def run_to_dict(
    results: Iterable[ScenarioResult],
    scorecard: Scorecard,
    seconds: float,
    *,
    interrupted: bool = False,
    warnings: Iterable[str] = (),
) -> dict[str, Any]:
    """Give a whole run as one JSON object."""
    return {
        **run_head(scorecard, seconds, interrupted=interrupted, warnings=warnings),
        "scenarios": [scenario_to_dict(result) for result in results],
    }


def run_head(
    scorecard: Scorecard,
    seconds: float,
    *,
    interrupted: bool = False,
    warnings: Iterable[str] = (),
) -> dict[str, Any]:
    """Give a run's JSON object without its scenarios."""
    return {
        "schema_version": SCHEMA_VERSION,
        "interrupted": interrupted,
        "warnings": list(warnings),
        "summary": {**scorecard.all.to_dict(), "seconds": seconds},
        "by_tag": {tag: tally.to_dict() for tag, tally in scorecard.by_tag.items()},
        "by_difficulty": {each: tally.to_dict() for each, tally in scorecard.by_difficulty.items()},
    }


def scenario_to_dict(result: ScenarioResult) -> dict[str, Any]:
    """Give one scenario's record."""
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


def check_to_dict(check: Check) -> dict[str, Any]:
    """Give one check's record."""
    return {
        "step": check.step,
        "status": check.status.value,
        "passed": check.passed,
        "code": check.code,
        "score": check.score,
        "path": check.path,
        "op": str(check.op),
        "expected": written(check.expected),
        "actual": check.actual,
        "reason": check.reason,
        "description": check.description,
        "seconds": check.seconds,
    }


def written(expected: Any) -> Json:  # noqa: ANN401
    """Write what is expected: nothing as null, a value that was never saved as `{"$ref": name}`."""
    kind = type(expected)
    if expected is MISSING:
        return None
    if kind is Ref:
        return {"$ref": expected.name}
    if kind is dict:
        return {key: written(item) for key, item in expected.items()}
    if kind is list:
        return [written(item) for item in expected]
    return expected
