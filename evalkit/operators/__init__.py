"""What the operators mean: one table, a row for each, and the rules for their operands.

To add one, write its function and its rule in a module here, and a row in `table.OPERATORS`.
"""

from evalkit.operators.operands import Flaw
from evalkit.operators.table import OPERATORS, Operator, custom, each_of, some_of

__all__ = ["OPERATORS", "Flaw", "Operator", "custom", "each_of", "some_of"]
