"""Where a scenario was registered: its file and line, and in which execution of that file."""

import sys
from bisect import bisect_right
from pathlib import Path
from types import CodeType, FrameType

KEPT = 64

Table = tuple[CodeType, str, list[int], list[int], dict[int, str]]

_TABLES: dict[int, Table] = {}
"""By a code object's id: the object, which keeps the id its own; its file; where lines begin; the
places already told, by instruction, since the statement in a loop is asked for again and again."""


def place_of(frame: FrameType) -> str:
    """Give file:line of a frame; the file relative to the current directory if below it.

    CPython finds a line by a walk from the top of the file each time, which would make a file of
    many scenarios quadratic; here the table is read once.
    """
    code = frame.f_code
    _, file, starts, lines, told = _TABLES.get(id(code)) or _read(code)
    at = frame.f_lasti
    place = told.get(at)
    if place is None:
        place = told[at] = f"{file}:{lines[bisect_right(starts, at) - 1]}"
    return place


def forget_places() -> None:
    """Read the line tables anew, and the current directory with them."""
    _TABLES.clear()


def _read(code: CodeType) -> Table:
    """Read the line table of a code object; entries without a line go with the one before."""
    starts, lines, last = [], [], code.co_firstlineno
    for start, _, line in code.co_lines():
        last = line or last
        starts.append(start)
        lines.append(last)
    if len(_TABLES) >= KEPT:
        _TABLES.clear()
    table = _TABLES[id(code)] = (code, _shown(code.co_filename), starts, lines, {})
    return table


def _shown(filename: str) -> str:
    if filename.startswith("<"):
        return filename
    path = Path(filename)
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return filename


def execution_of(frame: FrameType) -> tuple[object, ...]:
    """Give what stands for one execution of a file, cell or statement: equal within it, else not.

    In a notebook that is the cell's number, since each of its statements is compiled by itself;
    elsewhere the code object of the module, which every execution loads anew: by its identity, for
    two of the same text are equal.
    """
    cell = _cell()
    if cell is not None:
        return cell
    outermost: FrameType | None = frame
    while outermost is not None and outermost.f_code.co_name != "<module>":
        outermost = outermost.f_back
    code = (outermost or frame).f_code
    return "code", id(code), code


def in_cell() -> bool:
    """Say whether a notebook's cell is being executed."""
    return _cell() is not None


def _cell() -> tuple[object, ...] | None:
    """Tell one execution of a cell from another; None outside of a notebook.

    By its number, and by the message that asked for it, which a silent execution has too.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return None
    kernel = getattr(shell, "kernel", None)
    parent = kernel.get_parent() if kernel is not None else {}
    return "cell", shell.execution_count, parent.get("header", {}).get("msg_id")
