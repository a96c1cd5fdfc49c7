"""How a result is written as JSON, and read again as the very same result."""

from hashlib import sha256
from typing import Any

import orjson

from evalkit.jsontext import WIDE, canonical, dumped, loaded
from evalkit.jsonvalue import MISSING, Json
from evalkit.model import Assertion, Ref
from evalkit.result import Check, ScenarioResult, Status
from evalkit.runlog.redaction import Redaction

_EXTRAS = ("each", "tolerance", "rel", "weight", "severity")
_USUAL = (None, None, None, 1.0, "fail")


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


def result_digest(result: ScenarioResult) -> str:
    """Give the digest of a verdict: what came of each check, and on which values; no times."""
    if result.digest is None:
        verdicts = [_verdict(check) for check in result.checks]
        result.digest = _digest(result, verdicts, canonical(verdicts))
    return result.digest


def record_text(head: dict[str, Any], result: ScenarioResult) -> tuple[bytes, str]:
    """Write a result as one JSON object that begins with `head`, and give its digest.

    What makes up the verdict is written once, for the record and for the digest.
    """
    verdicts = [_verdict(check) for check in result.checks]
    record = {**head, **_record(result)}
    try:
        checks = orjson.dumps(verdicts, option=orjson.OPT_SORT_KEYS)
        text = orjson.dumps({**record, "checks": orjson.Fragment(checks)})
    except TypeError:
        checks = canonical(verdicts)
        text = WIDE + dumped({**record, "checks": verdicts})[1:]
    return text, _digest(result, verdicts, checks)


def redacted(result: ScenarioResult, redaction: Redaction) -> ScenarioResult:
    """Give a result without what is secret; the very same one where there is nothing."""
    text, _ = record_text({}, result)
    clean = redaction.text_of(text)
    return result if clean is text else result_of(loaded(clean))


def _record(result: ScenarioResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "epoch": result.epoch,
        "epochs": result.epochs,
        "needed": result.needed,
        "status": result.status,
        "reason": result.reason,
        "tags": result.tags,
        "difficulty": result.difficulty,
        "source": result.source,
        "fingerprint": result.fingerprint,
        "seconds": result.seconds,
        "pairing": result.pairing,
        "reasons": [check.reason for check in result.checks],
        "check_seconds": [check.seconds for check in result.checks],
        "trace": result.trace,
    }


def _digest(result: ScenarioResult, verdicts: list[dict[str, Any]], checks: bytes) -> str:
    """Give the digest of a result whose checks are written already.

    An assertion on the trace may look at times, which are no part of a verdict.
    """
    if verdicts and verdicts[-1]["step"] is None:
        checks = canonical([_without_times(verdict) for verdict in verdicts])
    head = dumped([result.name, result.epoch, result.status])
    return sha256(head + checks).hexdigest()[:32]


def _without_times(verdict: dict[str, Any]) -> dict[str, Any]:
    if verdict["step"] is not None:
        return verdict
    timed = verdict["path"].endswith("seconds")
    return {**verdict, "actual": None if timed else _timeless(verdict["actual"])}


def result_of(record: dict[str, Any]) -> ScenarioResult:
    """Give the result that a record was made from."""
    notes = zip(record["reasons"], record["check_seconds"], strict=True)
    result = ScenarioResult(
        record["name"],
        Status(record["status"]),
        [_check(*each) for each in zip(record["checks"], notes, strict=True)],
        record["trace"],
        record["pairing"],
        record["seconds"],
        tuple(record["tags"]),
        record["difficulty"],
        record["reason"],
        record["source"],
    )
    for name in ("epoch", "epochs", "needed", "fingerprint", "digest"):
        setattr(result, name, record.get(name))
    return result


def _verdict(check: Check) -> dict[str, Any]:
    """Give what makes up the verdict of a check: all but its time, and the words for it."""
    assertion = check.assertion
    verdict = {
        "actual": check.actual,
        "code": check.code,
        "description": assertion.description,
        "op": assertion.op,
        "path": assertion.path,
        "score": check.score,
        "status": check.status,
        "step": check.step,
    }
    if assertion.expected is not MISSING:
        verdict["expected"] = written(assertion.expected)
    extras = (
        assertion.each,
        assertion.tolerance,
        assertion.rel,
        assertion.weight,
        assertion.severity,
    )
    if extras != _USUAL:
        verdict |= dict(zip(_EXTRAS, extras, strict=True))
    return verdict


def _check(verdict: dict[str, Any], notes: tuple[str, float]) -> Check:
    extras = {name: verdict[name] for name in _EXTRAS if name in verdict}
    expected = _read(verdict["expected"]) if "expected" in verdict else MISSING
    assertion = Assertion(
        verdict["path"], verdict["op"], expected, verdict["description"], **extras
    )
    status = Status(verdict["status"])
    reason, seconds = notes
    return Check(
        assertion,
        verdict["step"],
        status,
        verdict["code"],
        verdict["score"],
        verdict["actual"],
        reason,
        seconds,
    )


def _read(expected: Json) -> Any:  # noqa: ANN401
    """Read what was expected: a value that was never saved is a `Ref` again."""
    if type(expected) is dict:
        if expected.keys() == {"$ref"} and type(expected["$ref"]) is str:
            return Ref(expected["$ref"])
        return {key: _read(item) for key, item in expected.items()}
    return [_read(item) for item in expected] if type(expected) is list else expected


def _timeless(value: Json) -> Json:
    """Leave out what is named `seconds`, at any depth."""
    if type(value) is dict:
        return {key: _timeless(item) for key, item in value.items() if key != "seconds"}
    return [_timeless(item) for item in value] if type(value) is list else value


def run_digest(digests: dict[tuple[str, int], str]) -> str:
    """Give the digest of a run from those of its results, by name and epoch: equal everywhere."""
    whole = sha256()
    for name, epoch in sorted(digests):
        whole.update(f"{name}\0{epoch}\0{digests[name, epoch]}\n".encode())
    return whole.hexdigest()
