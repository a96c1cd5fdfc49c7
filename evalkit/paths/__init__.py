"""How a path finds its value in a JSON document.

compile_path(text)  ->  Path         once, when planned; PathError where the text is no path
path.resolve(doc)   ->  value        MISSING where it does not resolve; never raises
explain(path, doc)  ->  Unresolved   how far a path that gave MISSING got, for the message
"""

from evalkit.paths.explain import Unresolved, explain
from evalkit.paths.path import Path, compile_path
from evalkit.paths.scan import PathError

__all__ = ["Path", "PathError", "Unresolved", "compile_path", "explain"]
