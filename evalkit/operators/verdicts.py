"""How an operator says yes and no."""

from evalkit.jsonvalue import Json, brief, type_name
from evalkit.result import Verdict

HOLDS = Verdict(passed=True, score=1.0)


def fails(reason: str) -> Verdict:
    """Say no, and why."""
    return Verdict(passed=False, score=0.0, reason=reason)


def wrong_type(wanted: str, actual: Json) -> Verdict:
    """Say that the value is of a type that the operator is not for."""
    got = "null" if actual is None else f"the {type_name(actual)} {brief(actual)}"
    return fails(f"{wanted} is needed, got {got}")
