"""The cases as one parametrised pytest function; run by its path, since its name hides it."""

import pytest

from benchmarks.workload import (
    HEIGHT_MM,
    INSIDE_OVER_MM,
    ISSUES,
    LOAD_KG,
    design,
    evaluate,
    price_of,
    size,
    width_of,
)


@pytest.mark.parametrize("case", range(size()))
def test_case(case: int) -> None:
    """The five checks of one case hold."""
    shelf = design(width_mm=width_of(case), height_mm=HEIGHT_MM)
    assert shelf["exterior"]["width_mm"] == width_of(case)
    assert shelf["interior"]["width_mm"] > INSIDE_OVER_MM
    assert "hinges" in shelf["hardware"]
    verdict = evaluate(width_mm=shelf["exterior"]["width_mm"], load_kg=LOAD_KG)
    assert len(verdict["issues"]) == ISSUES
    assert verdict["cost"]["total"] == pytest.approx(price_of(case), abs=0.15)
