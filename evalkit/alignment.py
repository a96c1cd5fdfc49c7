"""How two sequences are aligned: one to one, as many as can be, the earliest among equals."""

from collections.abc import Callable

Fits = Callable[[int, int], bool]
Pairs = list[int | None]
"""For each that is wanted, the index of the one that was found for it, or None."""
SETTLED = 100_000
"""Up to so many pairs, equal matchings are told apart by who comes first."""


def in_order(wanted: int, found: int, fits: Fits) -> Pairs:
    """Align as many as can be without a change of order: a longest common subsequence.

    `fits(i, j)` says whether the j-th found can be the i-th wanted.

    >>> word, other = "abc", "xaxc"
    >>> in_order(3, 4, lambda i, j: word[i] == other[j])
    [1, None, 3]
    """
    pairs: Pairs = []
    at = 0
    for index in range(wanted):
        while at < found and not fits(index, at):
            at += 1
        if at == found:
            return _longest(wanted, found, fits)
        pairs.append(at)
        at += 1
    return pairs


def _longest(wanted: int, found: int, fits: Fits) -> Pairs:
    """Align by the table of how many of each rest fit; of equals, the first wanted goes first."""
    grid = [[fits(index, at) for at in range(found)] for index in range(wanted)]
    best = [[0] * (found + 1) for _ in range(wanted + 1)]
    for index in range(wanted - 1, -1, -1):
        row, below = best[index], best[index + 1]
        for at in range(found - 1, -1, -1):
            with_it = below[at + 1] + 1 if grid[index][at] else 0
            row[at] = max(with_it, row[at + 1], below[at])
    pairs: Pairs = []
    at = 0
    for index in range(wanted):
        most = best[index][at]
        taken = next(
            (j for j in range(at, found) if grid[index][j] and best[index + 1][j + 1] + 1 == most),
            None,
        )
        pairs.append(taken)
        at = at if taken is None else taken + 1
    return pairs


def any_order(wanted: int, found: int, fits: Fits) -> Pairs:
    """Pair as many as can be, in any order: a maximum matching, by augmenting paths.

    Berge 1957. Of equal ones, that in which the first wanted has the first found.

    >>> any_order(2, 2, lambda i, j: (i, j) in {(0, 0), (0, 1), (1, 0)})
    [1, 0]
    """
    pairs = _first_come(wanted, found, fits)
    if None not in pairs:
        return pairs
    options = [[at for at in range(found) if fits(index, at)] for index in range(wanted)]
    matching = _Matching(options, found)
    dead: set[int] = set()
    for index in range(wanted):
        matching.augment(index, 0, dead)
    if wanted * found <= SETTLED:
        matching.settle()
    return matching.pairs


def _first_come(wanted: int, found: int, fits: Fits) -> Pairs:
    """Give each the first that is left; where none goes without, nothing can be earlier."""
    pairs: Pairs = []
    left = list(range(found))
    for index in range(wanted):
        taken = next((at for at in left if fits(index, at)), None)
        pairs.append(taken)
        if taken is None:
            break
        left.remove(taken)
    return pairs


class _Matching:
    """A matching that grows: what each wanted has, and who has each found."""

    def __init__(self, options: list[list[int]], found: int) -> None:
        self._options = options
        self._owners: Pairs = [None] * found
        self.pairs: Pairs = [None] * len(options)

    def widen(self, options: list[list[int]]) -> None:
        """Pair more, by more options than there were."""
        self._options = options
        dead: set[int] = set()
        for index, at in enumerate(self.pairs):
            if at is None:
                self.augment(index, 0, dead)

    def augment(self, start: int, settled: int, dead: set[int]) -> bool:
        """Give `start` one, where others but those before `settled` can make room for it.

        What a search in vain has looked at leads nowhere for the next one either: it is `dead`.
        """
        came_from: dict[int, int] = {}
        waiting = [start]
        for index in waiting:
            for at in self._options[index]:
                owner = self._owners[at]
                if at in came_from or at in dead or (owner is not None and owner < settled):
                    continue
                came_from[at] = index
                if owner is None:
                    self._shift(at, came_from, start)
                    return True
                waiting.append(owner)
        dead.update(came_from)
        return False

    def _shift(self, at: int, came_from: dict[int, int], start: int) -> None:
        """Move everyone along the path that ends in a free one."""
        while True:
            index = came_from[at]
            before = self.pairs[index]
            self.pairs[index], self._owners[at] = at, index
            if index == start or before is None:
                return
            at = before

    def settle(self) -> None:
        """Give each wanted, in turn, the first it can have without that fewer are paired."""
        for index, options in enumerate(self._options):
            mine, dead = self.pairs[index], set[int]()
            for at in options:
                if at == mine or (at not in dead and self._exchanged(index, at, mine, dead)):
                    break

    def _exchanged(self, index: int, at: int, mine: int | None, dead: set[int]) -> bool:
        """Give one another than it has, where as many are paired then; else leave all as it was."""
        owner = self._owners[at]
        if owner is not None and owner < index:
            return False
        self._owners[at], self.pairs[index] = index, at
        if mine is not None:
            self._owners[mine] = None
        if owner is None:
            return True
        self.pairs[owner] = None
        left = [each for each in range(index + 1, len(self.pairs)) if self.pairs[each] is None]
        if mine is None or any(self.augment(each, index + 1, dead) for each in left):
            return True
        self._owners[mine], self._owners[at] = index, owner
        self.pairs[index], self.pairs[owner] = mine, at
        return False


Rank = Callable[[int, int], int]
"""How well the j-th found is the i-th wanted; 0 where it is not."""


def best_in_order(wanted: int, found: int, rank: Rank) -> Pairs:
    """Align as many as can be without a change of order; of equals, those of the highest ranks.

    >>> best_in_order(1, 2, lambda i, j: j + 1)
    [1]
    """
    grid = [[rank(index, at) for at in range(found)] for index in range(wanted)]
    best = [[(0, 0)] * (found + 1) for _ in range(wanted + 1)]
    for index in range(wanted - 1, -1, -1):
        for at in range(found - 1, -1, -1):
            options = [best[index][at + 1], best[index + 1][at]]
            if grid[index][at]:
                count, total = best[index + 1][at + 1]
                options.append((count + 1, total + grid[index][at]))
            best[index][at] = max(options)
    pairs: Pairs = []
    at = 0
    for index in range(wanted):
        most = best[index][at]
        taken = next(
            (
                j
                for j in range(at, found)
                if grid[index][j] and _with(best[index + 1][j + 1], grid[index][j]) == most
            ),
            None,
        )
        pairs.append(taken)
        at = at if taken is None else taken + 1
    return pairs


def _with(rest: tuple[int, int], rank: int) -> tuple[int, int]:
    return rest[0] + 1, rest[1] + rank


def best_any_order(wanted: int, found: int, rank: Rank) -> Pairs:
    """Pair as many as can be, in any order: those of the highest rank first, then the others.

    >>> best_any_order(1, 2, lambda i, j: j + 1)
    [1]
    """
    grid = [[rank(index, at) for at in range(found)] for index in range(wanted)]
    ranks = sorted({each for row in grid for each in row if each}, reverse=True)
    matching = _Matching([[] for _ in grid], found)
    for least in ranks:
        options = [[at for at, each in enumerate(row) if each >= least] for row in grid]
        matching.widen(options)
    return matching.pairs
