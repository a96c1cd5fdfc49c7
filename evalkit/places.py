"""Where a scenario was registered: its file and line, and in which execution of that file."""

import sys
from bisect import bisect_right
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType

KEPT = 64

_LINES: dict[int, tuple[CodeType, list[int], list[int]]] = {}
"""By a code object's id: the object, which keeps the id its own, and where each line begins."""


def place_of(frame: FrameType) -> str:
    """Give file:line of a frame; the file relative to the current directory if below it.

    CPython finds a line by a walk from the top of the file each time, which would make a file of
    many scenarios quadratic; here the table is read once.
    """
    code = frame.f_code
    known = _LINES.get(id(code)) or _read(code)
    line = known[2][bisect_right(known[1], frame.f_lasti) - 1]
    return f"{_shown(code.co_filename)}:{line}"


def _read(code: CodeType) -> tuple[CodeType, list[int], list[int]]:
    """Read the line table of a code object; entries without a line go with the one before."""
    starts, lines, last = [], [], code.co_firstlineno
    for start, _, line in code.co_lines():
        last = line or last
        starts.append(start)
        lines.append(last)
    if len(_LINES) >= KEPT:
        _LINES.clear()
    known = _LINES[id(code)] = (code, starts, lines)
    return known


@lru_cache(maxsize=256)
def _shown(filename: str) -> str:
    if filename.startswith("<"):
        return filename
    path = Path(filename)
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return filename


def execution_of(frame: FrameType) -> object:
    """Give what stands for one execution of a file, cell or statement: equal within it, else not.

    In a notebook that is the cell's number, since each of its statements is compiled by itself;
    elsewhere the code object of the module, which every execution loads anew.
    """
    cell = _cell()
    if cell is not None:
        return cell
    outermost: FrameType | None = frame
    while outermost is not None and outermost.f_code.co_name != "<module>":
        outermost = outermost.f_back
    return (outermost or frame).f_code


def _cell() -> object:
    """Give the number of the cell that a notebook is executing; None outside of one."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return None if shell is None else ("cell", shell.execution_count)
