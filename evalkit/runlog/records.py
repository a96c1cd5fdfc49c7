"""How a result is written as JSON, and read again as the very same result."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import orjson

from evalkit.jsontext import WIDE, canonical, dumped, loaded
from evalkit.jsonvalue import MISSING, Json
from evalkit.model import RARE, USUAL, Assertion, Ref, refs
from evalkit.result import Check, ScenarioResult, Status
from evalkit.runlog.redaction import Redaction
from evalkit.spill import Spill
from evalkit.trace import Call

_COLUMNS = (
    *("step", "path", "op", "expected", "description", "rest"),
    *("status", "code", "score", "actual"),
)
_ALWAYS = frozenset({"each", "tolerance", "rel"})
"""Rare fields that are written where they are None, too: as they were from the first."""
CALL_KEYS = frozenset(Call.__annotations__)
_SCALARS = frozenset({str, int, float, bool, type(None)})
_EMPTY: list[tuple[Any, ...]] = [()] * len(_COLUMNS)


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
        columns = _columns(result)
        result.digest = _digest(result, columns, canonical(columns))
    return result.digest


def record_text(head: dict[str, Any], result: ScenarioResult) -> bytes:
    """Write a result as one JSON object that begins with `head`, and note its digest in it.

    The checks are written by columns, once, for the record and for the digest.
    """
    columns = _columns(result)
    try:
        checks = orjson.dumps(columns, option=orjson.OPT_SORT_KEYS)
        fragment: Any = orjson.Fragment(checks)
    except TypeError:
        checks, fragment = canonical(columns), columns
    result.digest = _digest(result, columns, checks)
    record = {
        **head,
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
        "digest": result.digest,
        "seconds": result.seconds,
        "pairing": result.pairing,
        "checks": fragment,
        "reasons": [check.reason for check in result.checks],
        "check_seconds": [check.seconds for check in result.checks],
        "trace": result.trace,
    }
    try:
        return orjson.dumps(record)
    except TypeError:
        return WIDE + dumped({**record, "checks": columns})[1:]


def redacted(result: ScenarioResult, redaction: Redaction) -> ScenarioResult:
    """Give a result without what is secret; the very same one where there is nothing."""
    text = record_text({}, result)
    if not redaction.concerns(result, text):
        return result
    return result_of(loaded(redaction.text_of(text)))


def _columns(result: ScenarioResult) -> dict[str, tuple[Any, ...]]:
    """Give what makes up a verdict, a list for each kind of thing: all but times, and the words.

    What is expected is a list: of nothing, of a value, or of a value that holds a `Ref`, and True.
    """
    rows = [
        (
            check.step,
            (assertion := check.assertion).path,
            assertion.op,
            _wanted(assertion.expected),
            assertion.description,
            _rest(assertion),
            check.status,
            check.code,
            check.score,
            check.actual,
        )
        for check in result.checks
    ]
    return dict(zip(_COLUMNS, zip(*rows, strict=True) if rows else _EMPTY, strict=True))


def _wanted(expected: Any) -> list[Json]:  # noqa: ANN401
    """Write what is expected: a list of it, empty for nothing; True after it where a `Ref` is."""
    if expected is MISSING:
        return []
    if type(expected) in _SCALARS or next(refs(expected), None) is None:
        return [expected]
    return [written(expected), True]


def _rest(assertion: Assertion) -> dict[str, Any] | None:
    """Give the fields of an assertion that are rarely used, where one of them is."""
    rest = assertion.rare
    if rest == USUAL:
        return None
    fields = dict(zip(RARE, rest, strict=True))
    return {name: value for name, value in fields.items() if value is not None or name in _ALWAYS}


def _digest(result: ScenarioResult, columns: dict[str, tuple[Any, ...]], checks: bytes) -> str:
    """Give the digest of a result whose checks are written already.

    An assertion on the trace may look at times, which are no part of a verdict.
    """
    if columns["step"] and columns["step"][-1] is None:
        actual = [
            _timeless(value, path) if step is None else value
            for step, path, value in zip(
                columns["step"], columns["path"], columns["actual"], strict=True
            )
        ]
        checks = canonical({**columns, "actual": actual})
    head = f"{result.name}\0{result.epoch}\0{result.status}\0"
    return sha256(head.encode() + checks).hexdigest()[:32]


def result_of(record: dict[str, Any]) -> ScenarioResult:
    """Give the result that a record was made from."""
    columns = record["checks"]
    rows = zip(*map(columns.__getitem__, _COLUMNS), strict=True)
    notes = zip(record["reasons"], record["check_seconds"], strict=True)
    result = ScenarioResult(
        record["name"],
        Status(record["status"]),
        [_check(row, *said) for row, said in zip(rows, notes, strict=True)],
        record["trace"],
        record["pairing"],
        record["seconds"],
        tuple(record["tags"]),
        record["difficulty"],
        record["reason"],
        record["source"],
    )
    for name in ("epoch", "epochs", "needed", "fingerprint", "digest"):
        setattr(result, name, record[name])
    return result


def _check(row: tuple[Any, ...], reason: str, seconds: float) -> Check:
    """Give the check of one row of the columns."""
    step, path, op, expected, description, rest, status, code, score, actual = row
    wanted = MISSING if not expected else expected[0] if len(expected) == 1 else _read(expected[0])
    assertion = Assertion(path, op, wanted, description, **rest or {})
    return Check(assertion, step, Status(status), code, score, actual, reason, seconds)


def _read(expected: Json) -> Any:  # noqa: ANN401
    """Read what was expected: a value that was never saved is a `Ref` again."""
    if type(expected) is dict:
        if expected.keys() == {"$ref"} and type(expected["$ref"]) is str:
            return Ref(expected["$ref"])
        return {key: _read(item) for key, item in expected.items()}
    return [_read(item) for item in expected] if type(expected) is list else expected


def _timeless(value: Json, path: str = "") -> Json:
    """Leave out what is named `seconds`, at any depth; of an agent's call, what it printed.

    Such texts hold addresses and times of the day, by which no verdict should differ.
    """
    if "seconds" in path:
        return None
    if type(value) is dict:
        if value.keys() >= CALL_KEYS and value["step"] is None:
            error = value["error"]
            kind = error["kind"] if type(error) is dict and "kind" in error else error
            value = {**value, "output": "", "error": kind}
        return {key: _timeless(item) for key, item in value.items() if key != "seconds"}
    return [_timeless(item) for item in value] if type(value) is list else value


class RunDigest:
    """The digest of a run, made of those of its results as they come, sorted by name and epoch."""

    def __init__(self) -> None:
        """Begin with no result."""
        self._spill = Spill()

    def add(self, key: tuple[str, int], digest: str) -> None:
        """Take in the digest of a result, by its name and epoch."""
        name, epoch = key
        self._spill.add(f"{name}\0{epoch:06}\0{digest}")

    def hexdigest(self) -> str:
        """Give the digest in hexadecimal digits."""
        whole = sha256()
        for text in self._spill:
            name, epoch, digest = text.split("\0")
            whole.update(f"{name}\0{int(epoch)}\0{digest}\n".encode())
        return whole.hexdigest()


def run_digest(digests: Mapping[tuple[str, int], str]) -> str:
    """Give the digest of a run from those of its results, by name and epoch: equal everywhere."""
    whole = RunDigest()
    for key, digest in digests.items():
        whole.add(key, digest)
    return whole.hexdigest()
