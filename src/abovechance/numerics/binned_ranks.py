"""Class counts in narrow cells of the score axis: ranks that can be added up piece by piece."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.numerics.kernels import worthwhile
from abovechance.numerics.rank_bounds import RankTotals, rank_totals

CELLS = 2**20
FULL = 2**31 - 1  # cases a packed count can hold; then it is unpacked


@dataclass(frozen=True)
class Grid:
    """Cells of the score axis, of width 2^exponent; the first begins at first · 2^exponent.

    A power of two as width makes every edge a float and finding the cell of a score exact.
    """

    exponent: int
    first: int
    cells: int

    @classmethod
    def over(cls, low: float, high: float, cells: int = CELLS) -> "Grid":
        """A grid of at most `cells` + 2 cells, and half as many at least, from `low` to `high`.

        >>> Grid.over(0.0, 1.0)
        Grid(exponent=-20, first=0, cells=1048577)
        """
        half = high / 2.0 - low / 2.0  # the whole may be too large for a float
        width = max(half / (cells / 2.0), np.spacing(max(abs(low), abs(high))))
        mantissa, exponent = np.frexp(width)
        exponent = max(int(exponent) - int(mantissa == 0.5), -1000)
        first = int(np.floor(np.ldexp(low, -exponent)))
        return cls(exponent, first, int(np.floor(np.ldexp(high, -exponent))) - first + 1)

    @property
    def scale(self) -> float:
        """Cells per unit of the score."""
        return float(np.ldexp(1.0, -self.exponent))

    def cell(self, score: Floats) -> Ints:
        """The cell of each score."""
        return (np.floor(score * self.scale) - float(self.first)).astype(np.int64)

    def edge(self, cell: Array) -> Floats:
        """The least score of each cell."""
        return np.ldexp(np.asarray(cell, dtype=np.float64) + float(self.first), self.exponent)


UNIT = Grid.over(0.0, 1.0)


@dataclass(frozen=True, eq=False)
class BinnedRanks:
    """How many cases of each class have a score in each cell; `+` joins two parts of the data.

    Only cells that hold a case are listed. `value` is the one score of all cases in a cell, nan
    where they differ: ties are known as such, and only cells of different scores leave anything
    open.
    """

    grid: Grid
    cell: Ints
    positives: Ints
    negatives: Ints
    value: Floats

    @classmethod
    def of(cls, score: Array, positive: Array, grid: Grid = UNIT) -> "BinnedRanks":
        """Count the cases of some scores, all of them on the grid.

        >>> ranks = BinnedRanks.of(np.array([0.3, 0.3, 0.9]), np.array([True, False, True]))
        >>> ranks.positives, ranks.negatives, ranks.value
        (array([1, 1]), array([1, 0]), array([0.3, 0.9]))
        """
        counter = Counter(grid)
        counter.add(np.asarray(score, dtype=np.float64), np.asarray(positive, dtype=np.bool_))
        return counter.ranks

    @classmethod
    def empty(cls, grid: Grid = UNIT) -> "BinnedRanks":
        """No case yet."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(grid, nothing, nothing, nothing, np.zeros(0))

    def __add__(self, other: "BinnedRanks") -> "BinnedRanks":
        if self.grid != other.grid:
            raise ValueError("only counts on the same grid can be added")
        if not self.cell.size or not other.cell.size:
            return self if self.cell.size else other
        cell, place = np.unique(np.concatenate([self.cell, other.cell]), return_inverse=True)
        mine, theirs = place[: self.cell.size], place[self.cell.size :]
        positives, negatives = np.zeros((2, cell.size), dtype=np.int64)
        lowest, highest = np.full(cell.size, np.inf), np.full(cell.size, -np.inf)
        for ranks, at in ((self, mine), (other, theirs)):
            positives[at] += ranks.positives
            negatives[at] += ranks.negatives
            lowest[at] = np.minimum(lowest[at], ranks.value)  # nan stays nan
            highest[at] = np.maximum(highest[at], ranks.value)
        value = np.where(lowest == highest, lowest, np.nan)
        return BinnedRanks(self.grid, cell, positives, negatives, value)

    @property
    def mixed(self) -> Bools:
        """Which cells hold different scores."""
        return np.isnan(self.value)

    @cached_property
    def totals(self) -> RankTotals:
        """What is known about the ranks."""
        return rank_totals(self.positives, self.negatives, self.mixed)


class Counter:
    """Counts in the making: a long stream must not copy a million cells for every piece of it."""

    def __init__(self, grid: Grid = UNIT) -> None:
        self.grid = grid
        self._done = BinnedRanks.empty(grid)
        self._counts: Ints | None = None
        self._value = np.zeros(0, dtype=np.int64)
        self._room = FULL

    def add(self, score: Floats, positive: Bools) -> None:
        """Count some more cases."""
        if not worthwhile(score.size, module="stream"):
            self._done = self._done + _binned_plain(score, positive, self.grid)
            return
        from abovechance.numerics.kernels import stream

        if self._counts is None or self._room < score.size:
            self._unpack()
            self._counts, self._value = np.zeros((2, self.grid.cells), dtype=np.int64)
        score = np.ascontiguousarray(score)
        bits, scale, first = score.view(np.int64), self.grid.scale, float(self.grid.first)
        stream.add_cells(positive, score, bits, scale, first, self._counts, self._value)
        self._room -= score.size

    @property
    def ranks(self) -> BinnedRanks:
        """What was counted so far."""
        self._unpack()
        return self._done

    def _unpack(self) -> None:
        if self._counts is not None:
            cell, positives, negatives, value = unpacked(self._counts, self._value)
            more = BinnedRanks(self.grid, cell, positives, negatives, value)
            self._done, self._counts, self._room = self._done + more, None, FULL


def unpacked(counts: Ints, value: Ints) -> tuple[Ints, Ints, Ints, Floats]:
    """Places that hold a case, their positives and negatives, and the score where it is one."""
    place = np.flatnonzero(counts)
    taken = counts[place]
    several = taken < 0
    number = taken & np.int64(2**63 - 1)
    score = np.where(several, np.nan, value[place].view(np.float64))
    return place, number >> 32, number & np.int64(2**32 - 1), score


def _binned_plain(score: Floats, positive: Bools, grid: Grid) -> BinnedRanks:
    if score.size == 0:
        return BinnedRanks.empty(grid)
    order = np.argsort(score)
    cells, ordered = grid.cell(score[order]), score[order]
    cell, starts, total = np.unique(cells, return_index=True, return_counts=True)
    positives = np.add.reduceat(positive[order].astype(np.int64), starts)
    lowest, highest = ordered[starts], ordered[starts + total - 1]
    value = np.where(lowest == highest, lowest, np.nan)
    return BinnedRanks(grid, cell, positives, total - positives, value)
