"""How more texts are sorted than are held: in runs on the disk, which are merged at the end."""

from collections.abc import Iterator
from heapq import merge
from typing import IO

HELD = 20_000


class Spill:
    """Texts without line ends, given back sorted; at most so many are held in memory.

    >>> spill = Spill(held=2)
    >>> for text in ("c", "a", "d", "b", "e"):
    ...     spill.add(text)
    >>> "".join(spill)
    'abcde'
    """

    def __init__(self, held: int = HELD) -> None:
        """Begin with none."""
        self._most = held
        self._held: list[str] = []
        self._runs: list[IO[str]] = []

    def add(self, text: str) -> None:
        """Take in one more."""
        self._held.append(text)
        if len(self._held) >= self._most:
            self._write()

    def __iter__(self) -> Iterator[str]:
        """Give all, sorted by code points; to be done once, after the last was added."""
        return merge(sorted(self._held), *map(_lines, self._runs))

    def __del__(self) -> None:
        """Let go of what is on the disk."""
        for run in self._runs:
            run.close()

    def _write(self) -> None:
        """Bring what is held to the disk, where it is gone with the process."""
        import tempfile  # noqa: PLC0415  - 5 ms, for large runs alone

        self._held.sort()
        run = tempfile.TemporaryFile(  # noqa: SIM115  - it is read when all are there
            "w+", encoding="utf-8", errors="surrogatepass", newline="\n"
        )
        run.writelines(f"{text}\n" for text in self._held)
        self._runs.append(run)
        self._held.clear()


def _lines(run: IO[str]) -> Iterator[str]:
    run.seek(0)
    return (line[:-1] for line in run)
