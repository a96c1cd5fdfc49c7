"""What a budget and limits accept: counts from 0, or from 1, and at least one of them."""

import math
from typing import Any

import attrs
import pytest

from evalkit import Budget, CatalogueError, Limits
from evalkit.jsonvalue import brief

Bounds = type[Budget] | type[Limits]
COUNTS = ("max_turns", "max_calls", "max_input_tokens", "max_output_tokens")
AMOUNTS = ("max_cost_usd", "max_seconds")
GIVEN = ("max_turns", "max_calls", "compact_at_tokens")


def refused(bounds: Bounds, **fields: Any) -> str:
    """How bounds are refused."""
    with pytest.raises(CatalogueError) as caught:
        bounds(**fields)
    return str(caught.value)


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("value", [0, 1, 10**12])
def test_a_budget_counts_from_0(name: str, value: int) -> None:
    """A budget may allow none of what it counts: that nothing is called can be asked for."""
    assert getattr(Budget(**{name: value}), name) == value


@pytest.mark.parametrize("name", AMOUNTS)
@pytest.mark.parametrize("value", [0, 0.0, 1, 0.005, 1e9])
def test_a_budget_takes_amounts(name: str, value: Any) -> None:
    """Dollars and seconds are numbers from 0, with a fraction or without."""
    assert getattr(Budget(**{name: value}), name) == value


@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize("value", [1, 2, 10**12])
def test_limits_count_from_1(name: str, value: int) -> None:
    """What a run is given is 1 or more."""
    assert getattr(Limits(**{name: value}), name) == value


NO_COUNT: list[Any] = [-1, True, False, 1.0, 1.5, "4", [4], {}, math.nan, math.inf]
WRONG: list[tuple[Bounds, str, Any, str]] = [
    *((Budget, name, value, "whole number, 0 or more") for name in COUNTS for value in NO_COUNT),
    *((Limits, name, value, "whole number, 1 or more") for name in GIVEN for value in NO_COUNT),
    *((Limits, name, 0, "whole number, 1 or more") for name in GIVEN),
    *(
        (Budget, name, value, "expected a number, 0 or above")
        for name in AMOUNTS
        for value in (-0.01, -1, True, False, "4", [4], math.nan, math.inf, -math.inf)
    ),
]


@pytest.mark.parametrize(
    ("bounds", "name", "value", "told"), WRONG, ids=lambda value: brief(value, 20)
)
def test_a_wrong_bound_is_refused(bounds: Bounds, name: str, value: Any, told: str) -> None:
    """What is no number, or too small, is refused with the field and the value."""
    said = refused(bounds, **{name: value})
    assert said.startswith(f"{bounds.__name__}.{name}: ")
    assert told in said
    assert said.endswith(f"got {brief(value)}")


@pytest.mark.parametrize("bounds", [Budget, Limits])
def test_bounds_bound_something(bounds: Bounds) -> None:
    """Bounds without a number are refused, also where each is given as None, and name them all."""
    names = [each.name for each in attrs.fields(bounds)]
    for fields in ({}, dict.fromkeys(names)):
        said = refused(bounds, **fields)
        assert said.startswith(f"{bounds.__name__}: bounds nothing; give one of ")
        assert all(name in said for name in names)


@pytest.mark.parametrize("bounds", [Budget, Limits])
def test_bounds_are_given_by_name(bounds: Bounds) -> None:
    """A number by itself does not say what it bounds."""
    with pytest.raises(TypeError):
        bounds(4)  # type: ignore[call-arg]


def test_bounds_are_frozen_and_equal_by_value() -> None:
    """Bounds do not change; a budget of as many is no limits."""
    budget = Budget(max_calls=3)
    assert budget == Budget(max_calls=3, max_turns=None)
    assert budget != Budget(max_calls=4)
    limits: Any = Limits(max_calls=3)
    assert budget != limits
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        budget.max_calls = 4  # type: ignore[misc]
