"""The work that every contender does: two chained calls a case, five checks on what they return.

Imports next to nothing, because every contender pays for it.
"""

from __future__ import annotations

import os

# typing's own constant would cost more to import than a thousand cases
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Document = dict[str, Any]
    Tool = Callable[..., Document]

SIZE_VARIABLE = "BENCH_N"
BROKEN_VARIABLE = "BENCH_BROKEN"

CHECKS_PER_CASE = 5
FIRST_WIDTH_MM = 600
HEIGHT_MM = 1800
INSIDE_OVER_MM = 500
LOAD_KG = 40
ISSUES = 2
PRICE_PER_MM = 0.25


def size() -> int:
    """How many cases this process is to run."""
    return int(os.environ[SIZE_VARIABLE])


def width_of(case: int) -> int:
    """The width that the case asks for: no two cases ask for the same."""
    return FIRST_WIDTH_MM + case


def price_of(case: int) -> float:
    """The price that the second call should come to."""
    return width_of(case) * PRICE_PER_MM


def design(width_mm: int, height_mm: int) -> Document:
    """A bookcase of this size: a nested document of 46 keys."""
    inside_mm = width_mm - 36
    return {
        "kind": "bookcase",
        "exterior": {"width_mm": width_mm, "height_mm": height_mm, "depth_mm": 320},
        "interior": {"width_mm": inside_mm, "height_mm": height_mm - 36, "depth_mm": 302},
        "joinery": {"corner": "dowel", "back": "groove"},
        "panels": {
            "side": {"count": 2, "width_mm": 320, "height_mm": height_mm, "thickness_mm": 18},
            "top": {"count": 1, "width_mm": inside_mm, "depth_mm": 302, "thickness_mm": 18},
            "bottom": {"count": 1, "width_mm": inside_mm, "depth_mm": 302, "thickness_mm": 18},
            "back": {"count": 1, "width_mm": inside_mm, "height_mm": height_mm, "thickness_mm": 6},
        },
        "shelves": [{"at_mm": 400, "fixed": True}, {"at_mm": 800, "fixed": False}],
        "hardware": {"pins": 8, "feet": 4, "hinges": 0, "supplier": None},
        "summary": {"errors": 0, "warnings": 1},
    }


def evaluate(width_mm: int, load_kg: int) -> Document:
    """How a bookcase of this width carries a load, and its price: a document of 46 keys."""
    sag_mm = load_kg * width_mm / 40000
    return {
        "load": {"total_kg": load_kg, "per_shelf_kg": load_kg / 4, "limit_kg": 120},
        "shelf": {"span_mm": width_mm - 36, "sag_mm": sag_mm, "limit_mm": 2.0, "ok": sag_mm < 2},
        "stability": {"anchored": True, "tips_at_kg": 31.5, "ratio": 0.18, "ok": True},
        "cost": {
            "total": width_mm * PRICE_PER_MM,
            "currency": "EUR",
            "board": {"sheets": 2, "area_m2": 3.1, "price": 96.0},
            "fittings": {"count": 12, "price": 9.6},
            "labour": {"hours": 3.5, "price": 140.0},
        },
        "issues": [
            {"check": "sag", "severity": "warning", "part": "shelf", "message": "stiffen"},
            {"check": "anchor", "severity": "info", "part": "side", "message": "fix to wall"},
        ],
        "material": {"name": "oak", "density": 0.72, "grade": "B", "moisture": None},
        "weight_kg": 28.4,
        "fits": True,
        "summary": {"errors": 0, "warnings": 1},
    }


def _without_issues_at(width_mm: int, tool: Tool) -> Tool:
    """The tool with a fault for one width, so that a test can see who notices."""

    def broken(**arguments: int) -> Document:
        result = tool(**arguments)
        return {**result, "issues": []} if arguments["width_mm"] == width_mm else result

    return broken


if BROKEN_VARIABLE in os.environ:
    evaluate = _without_issues_at(width_of(int(os.environ[BROKEN_VARIABLE])), evaluate)
