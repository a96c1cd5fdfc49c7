"""What decides a question: the assertions and answers that datasets write, and another rule."""

from typing import Any

from evalkit.datasets.dataset import ScenarioData
from evalkit.jsonvalue import Json
from evalkit.texts import normaliser

RESPONSE = "response"
GOLDEN = frozenset({"exact_match", "f1", "similar", "numeric", "semantic"})
"""The operators whose `expected` is gold answers, and which are ways to match them."""
DECIDING = GOLDEN | {"matches", "contains", "contains_any"}
"""The operators by which a dataset judges a response."""
SCORED = frozenset({"f1", "similar", "semantic"})
"""The ways to match that have a threshold, which says nothing to another."""


def says_nothing(text: str) -> bool:
    """Say whether SQuAD's normaliser leaves nothing of a text, so that an empty response equals it.

    >>> says_nothing("The!"), says_nothing("The Who")
    (True, False)
    """
    return not normaliser("squad")(text)


def on_response(op: str, expected: Json, **more: Json) -> dict[str, Json]:
    """Write an assertion on the response."""
    return {"path": RESPONSE, "op": op, "expected": expected, **more}


def recorded(op: str, golds: Json, normalize: str) -> dict[str, Json]:
    """Write an assertion that is reported and changes neither verdict nor score."""
    said = {"normalize": normalize, "severity": "warn", "weight": 0, "description": "recorded"}
    return on_response(op, golds, **said)


def with_rule(
    data: ScenarioData,
    match: str | None = None,
    normalize: str | None = None,
    extract: str | None = None,
    threshold: float | None = None,
) -> ScenarioData:
    """Give a question another rule: its golds, matched in another way, as `answers`.

    What is not given stays as the question has it, but for a threshold, which goes with its own
    `match`. Where assertions judged the response, they go; others stay. A question without gold
    answers keeps its own rule, for it would lose what it is judged by.

    >>> with_rule({"name": "q", "answers": ["Paris"]}, match="contains", normalize="words")
    {'name': 'q', 'answers': {'golds': ['Paris'], 'match': 'contains', 'normalize': 'words'}}
    """
    given = {"match": match, "normalize": normalize, "extract": extract, "threshold": threshold}
    given = {key: value for key, value in given.items() if value is not None}
    if not given:
        return data
    rule = _rule(data)
    if rule is None:
        return data
    if given.get("match", rule.get("match")) != rule.get("match"):
        rule.pop("threshold", None)
    changed = data | {"answers": rule | given}
    if "answers" not in data:
        changed["assertions"] = [each for each in data["assertions"] if not _judges(each)]
    return {key: value for key, value in changed.items() if key != "assertions" or value}


def _rule(data: ScenarioData) -> dict[str, Any] | None:
    """Find the gold answers of a question, and by what they are matched now."""
    answers = data.get("answers")
    if answers:
        return dict(answers) if type(answers) is dict else {"golds": list(answers)}
    golden = [each for each in data.get("assertions", ()) if _judges(each, GOLDEN)]
    if not golden:
        return None
    decides = next((each for each in golden if each.get("severity") != "warn"), None)
    expected = golden[0]["expected"]
    rule: dict[str, Any] = {"golds": list(expected) if type(expected) is list else [expected]}
    if decides is not None:
        rule["match"] = decides["op"]
        kept = ("normalize", "extract", "threshold")
        rule |= {key: decides[key] for key in kept if key in decides}
    return rule


def _judges(assertion: Json, ops: frozenset[str] = DECIDING) -> bool:
    if type(assertion) is not dict:
        return False
    return assertion.get("path") == RESPONSE and assertion.get("op") in ops
