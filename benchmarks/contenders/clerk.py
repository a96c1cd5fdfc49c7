"""The agent that the cases are put to: two calls for each, no model."""

import re
from typing import Any

from benchmarks.workload import HEIGHT_MM

NUMBER = re.compile(r"\d+")


def answer(conversation: list[dict[str, str]], ctx: Any) -> str:
    """Design the bookcase that is asked for, and say whether it carries the load."""
    width_mm, load_kg = map(int, NUMBER.findall(conversation[-1]["content"]))
    design = ctx.tools["design"](width_mm=width_mm, height_mm=HEIGHT_MM)
    width_mm = design["exterior"]["width_mm"]
    found = ctx.tools["evaluate"](width_mm=width_mm, load_kg=load_kg)
    return f"There are {len(found['issues'])} issues."
