"""How scenarios become plans, and how everything wrong with them is found before the first call."""

from evalkit.planning.plans import Planned, Planner

__all__ = ["Planned", "Planner"]
