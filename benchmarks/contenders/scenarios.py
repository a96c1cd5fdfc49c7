"""The cases as evalkit scenarios: `python -m evalkit scenarios.py`."""

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
from evalkit import Assertion, Op, Scenario, ToolCall, _s

TOOL_DISPATCH = {"design": design, "evaluate": evaluate}

for case in range(size()):
    _s(
        Scenario(
            name=f"case_{case}",
            prompt=f"A bookcase {width_of(case)} mm wide, please: does it carry {LOAD_KG} kg?",
            tool_calls=[
                ToolCall(
                    "design",
                    {"width_mm": width_of(case), "height_mm": HEIGHT_MM},
                    [
                        Assertion("exterior.width_mm", Op.EQ, width_of(case)),
                        Assertion("interior.width_mm", Op.GT, INSIDE_OVER_MM),
                        Assertion("hardware", Op.HAS_KEY, "hinges"),
                    ],
                    save_as={"width": "exterior.width_mm"},
                ),
                ToolCall(
                    "evaluate",
                    {"load_kg": LOAD_KG},
                    [
                        Assertion("issues", Op.LEN_EQ, ISSUES),
                        Assertion("cost.total", Op.APPROX, price_of(case)),
                    ],
                    context_args={"width_mm": "width"},
                ),
            ],
        )
    )
