"""How plain data becomes scenarios, and scenarios plain data: strictly, nothing lost."""

from evalkit.codec.misfits import Misfit, MisfitError, Steps
from evalkit.codec.schema import schema
from evalkit.codec.structuring import REF, Codec
from evalkit.codec.writing import plain_scenario

__all__ = ["REF", "Codec", "Misfit", "MisfitError", "Steps", "plain_scenario", "schema"]
