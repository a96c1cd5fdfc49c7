"""Where a scenario was registered: its file and line, and in which execution of that file."""

import sys
from functools import lru_cache
from pathlib import Path
from types import FrameType


def place_of(frame: FrameType) -> str:
    """Give file:line of a frame; the file relative to the current directory if below it."""
    return f"{_shown(frame.f_code.co_filename)}:{frame.f_lineno}"


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
