"""Alignment: as many pairs as can be, one to one, and the earliest among equals."""

from collections.abc import Callable, Iterator
from itertools import product
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.alignment import Pairs, any_order, best_any_order, best_in_order, in_order

Grid = list[list[bool]]
GRIDS = st.integers(0, 4).flatmap(
    lambda width: st.lists(st.lists(st.booleans(), min_size=width, max_size=width), max_size=4)
)
SMALL = settings(max_examples=400, deadline=None)


def fits_in(grid: Grid) -> Callable[[int, int], bool]:
    """Whether the j-th found fits the i-th wanted, by a grid."""
    return lambda index, at: grid[index][at]


def width_of(grid: Grid) -> int:
    """How many there are to be found."""
    return len(grid[0]) if grid else 0


def all_pairs(grid: Grid) -> Iterator[Pairs]:
    """Every way to pair each wanted with one found that fits, each at most once."""
    choices = [[None, *(at for at in range(width_of(grid)) if row[at])] for row in grid]
    for pairs in product(*choices):
        taken = [at for at in pairs if at is not None]
        if len(taken) == len(set(taken)):
            yield list(pairs)


def rank(pairs: Pairs) -> tuple[int, list[float]]:
    """Most pairs first; of equals, the first wanted with the first found."""
    return pairs.count(None), [float("inf") if at is None else at for at in pairs]


@SMALL
@given(GRIDS)
def test_any_order_is_the_best_of_all(grid: Grid) -> None:
    """It is the maximum matching, and of equals the earliest, by trying all there are."""
    found = any_order(len(grid), width_of(grid), fits_in(grid))
    assert found == min(all_pairs(grid), key=rank)


@SMALL
@given(GRIDS)
def test_in_order_is_the_best_of_those_in_order(grid: Grid) -> None:
    """It is the longest alignment that keeps the order, and of equals the earliest."""

    def ordered(pairs: Pairs) -> bool:
        taken = [at for at in pairs if at is not None]
        return taken == sorted(taken)

    found = in_order(len(grid), width_of(grid), fits_in(grid))
    assert found == min(filter(ordered, all_pairs(grid)), key=rank)


@pytest.mark.parametrize("align", [in_order, any_order])
def test_nothing_is_paired_with_nothing(align: Callable[..., Pairs]) -> None:
    """Where nothing is wanted there are no pairs; where nothing is found, all are None."""
    assert align(0, 3, lambda _index, _at: True) == []
    assert align(2, 0, lambda _index, _at: True) == [None, None]


def test_a_greedy_choice_is_taken_back() -> None:
    """The first takes the second found where that leaves the first to another."""
    grid = [[True, True], [True, False]]
    assert any_order(2, 2, fits_in(grid)) == [1, 0]


def test_duplicates_are_told_apart() -> None:
    """Two that are alike need two: one found is one pair."""
    assert any_order(2, 1, lambda _index, _at: True) == [0, None]
    assert any_order(2, 2, lambda _index, _at: True) == [0, 1]


def test_a_long_chain_of_exchanges_ends() -> None:
    """Pushing all of a thousand along by one needs no deep stack."""
    size = 1_000

    def fits(index: int, at: int) -> bool:
        return at in (index, index + 1) if index < size - 1 else at == 0

    assert None not in any_order(size, size, fits)


def test_what_has_no_whole_matching_ends_soon() -> None:
    """Most want what few can have: no search in vain is made again, which would take a minute."""
    size = 250

    def fits(index: int, at: int) -> bool:
        return at < size // 2 or index < size // 3

    started = process_time()
    pairs = any_order(size, size, fits)
    assert size - pairs.count(None) == size // 2 + size // 3
    assert process_time() - started < 10


RANKS = st.integers(0, 4).flatmap(
    lambda width: st.lists(st.lists(st.integers(0, 4), min_size=width, max_size=width), max_size=4)
)


@SMALL
@given(RANKS)
def test_ranks_choose_among_the_largest(ranks: list[list[int]]) -> None:
    """By ranks as many are paired as without, and in order none is better in sum."""
    width = len(ranks[0]) if ranks else 0
    grid = [[bool(each) for each in row] for row in ranks]

    def rank(index: int, at: int) -> int:
        return ranks[index][at]

    ordered = best_in_order(len(ranks), width, rank)
    free = best_any_order(len(ranks), width, rank)
    assert ordered.count(None) == in_order(len(ranks), width, fits_in(grid)).count(None)
    assert free.count(None) == any_order(len(ranks), width, fits_in(grid)).count(None)
    taken = [at for at in ordered if at is not None]
    assert taken == sorted(set(taken))

    def total(pairs: Pairs) -> int:
        return sum(ranks[index][at] for index, at in enumerate(pairs) if at is not None)

    rivals = [
        pairs
        for pairs in all_pairs(grid)
        if pairs.count(None) == ordered.count(None)
        and [at for at in pairs if at is not None] == sorted(at for at in pairs if at is not None)
    ]
    assert total(ordered) == max(map(total, rivals))
