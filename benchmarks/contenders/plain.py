"""A hand-written loop over the cases: what there is to lose."""

import sys

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


def checks_passed(case: int) -> int:
    """Make the two calls of one case, and count which of its five checks hold."""
    shelf = design(width_mm=width_of(case), height_mm=HEIGHT_MM)
    width_mm = shelf["exterior"]["width_mm"]
    verdict = evaluate(width_mm=width_mm, load_kg=LOAD_KG)
    passed = 0
    if width_mm == width_of(case):
        passed += 1
    if shelf["interior"]["width_mm"] > INSIDE_OVER_MM:
        passed += 1
    if "hinges" in shelf["hardware"]:
        passed += 1
    if len(verdict["issues"]) == ISSUES:
        passed += 1
    if abs(verdict["cost"]["total"] - price_of(case)) < 0.15:
        passed += 1
    return passed


def main() -> None:
    """Run every case, and say how many checks passed."""
    passed = sum(checks_passed(case) for case in range(size()))
    sys.stdout.write(f"{passed} checks passed\n")


if __name__ == "__main__":
    main()
