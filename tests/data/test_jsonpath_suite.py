"""The JSONPath compliance suite: what evalkit accepts of it, it answers right or not at all."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalkit.jsonvalue import MISSING, equal
from evalkit.paths import PathError, compile_path

FILE = Path(__file__).parents[2] / "../shared/data/jsonpath/cts.json"
VALID, INVALID, ANSWERED = 456, 247, 180

pytestmark = pytest.mark.skipif(not FILE.exists(), reason="../shared/data is not there")


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    """The cases of the suite."""
    tests: list[dict[str, Any]] = json.loads(FILE.read_bytes())["tests"]
    return tests


def answer(case: dict[str, Any]) -> str:
    """What evalkit makes of a valid case: right, missing, wrong, or refused."""
    try:
        path = compile_path(case["selector"])
    except PathError:
        return "refused"
    found = path.resolve(case["document"])
    results = case.get("results") or [case["result"]]
    if not path.many:
        results = [result[0] if result else MISSING for result in results if len(result) < 2]
    if any(found is MISSING if result is MISSING else equal(found, result) for result in results):
        return "right"
    return "missing" if found is MISSING else f"wrong: {found!r}"


def test_no_answer_is_wrong(cases: list[dict[str, Any]]) -> None:
    """A selector that is accepted gives the suite's answer or MISSING, never another value."""
    valid = [case for case in cases if not case.get("invalid_selector")]
    answers = {case["name"]: answer(case) for case in valid}
    assert {name: told for name, told in answers.items() if told.startswith("wrong")} == {}
    assert len(valid) == VALID
    assert list(answers.values()).count("right") >= ANSWERED


def test_invalid_selectors_are_refused_or_resolve(cases: list[dict[str, Any]]) -> None:
    """A selector that the suite calls invalid raises a PathError, or is a plain path; no more."""
    invalid = [case["selector"] for case in cases if case.get("invalid_selector")]
    assert len(invalid) == INVALID
    refused = 0
    for selector in invalid:
        try:
            path = compile_path(selector)
        except PathError:
            refused += 1
            continue
        for document in ({"a": 1}, [1, {"a": [2]}], "text", None):
            path.resolve(document)
    assert refused > INVALID / 2
