"""A table of cells, as aligned text or as Markdown."""

from collections.abc import Sequence

from attrs import field, frozen


@frozen
class Bound:
    """What a measured ratio is held to: no more than `limit`, or no less where `least` is set."""

    limit: float
    aim: float | None = None
    least: bool = False

    def __str__(self) -> str:
        """For a cell: `<= 12 (aim 6)`."""
        aim = "" if self.aim is None else f" (aim {self.aim:g})"
        return f"{'>=' if self.least else '<='} {self.limit:g}{aim}"

    def verdict(self, ratio: float) -> str:
        """Whether the ratio keeps to it."""
        kept = ratio >= self.limit if self.least else ratio <= self.limit
        return "met" if kept else "MISSED"


@frozen
class Table:
    """A title, the head of the columns, rows of as many cells, and notes below."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = field(factory=tuple)


def judged(ratio: float, bound: Bound | None) -> tuple[str, str, str]:
    """Three cells: the ratio, the bound, and whether it is kept."""
    if bound is None:
        return f"{ratio:.2f}", "", ""
    return f"{ratio:.2f}", str(bound), bound.verdict(ratio)


def as_text(table: Table) -> str:
    """Aligned columns: the first to the left, numbers to the right."""
    lines = [table.head, *table.rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(table.head))]
    body = ["  ".join(_aligned(line, widths)).rstrip() for line in lines]
    rule = "-" * max(map(len, body))
    return "\n".join([table.title, rule, body[0], rule, *body[1:], *table.notes, ""])


def as_markdown(table: Table) -> str:
    """The same as a Markdown section."""
    marks = [":--", *["--:"] * (len(table.head) - 1)]
    rows = ["| " + " | ".join(cells) + " |" for cells in (table.head, marks, *table.rows)]
    notes = ["", *table.notes] if table.notes else []
    return "\n".join([f"### {table.title}", "", *rows, *notes, ""])


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    """The cells of one line, padded to the widths of their columns."""
    first = cells[0].ljust(widths[0])
    rest = zip(cells[1:], widths[1:], strict=True)
    return [first, *(cell.rjust(width) for cell, width in rest)]
