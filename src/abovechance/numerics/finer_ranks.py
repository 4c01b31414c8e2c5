"""Sharper ranks from further readings: cells split where they matter, or sorted out entirely.

Floats are compared through their keys, whole numbers in the same order: a stretch of the score
axis is a range of keys and is split by a shift of bits, without rounding.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.numerics.binned_ranks import BinnedRanks, Grid, unpacked
from abovechance.numerics.rank_bounds import RankTotals, rank_totals

FINER_CELLS = 2**22  # in one reading
BUFFER = 4 * 10**7  # scores sorted after one reading


def keys(score: Floats) -> Ints:
    """Whole numbers in the order of the floats; 0 for 0 and -0.

    >>> keys(np.array([-1.0, -0.0, 0.0, 5e-324])).tolist()
    [-4607182418800017408, 0, 0, 1]
    """
    bits = np.asarray(score, dtype=np.float64).view(np.int64)
    return np.where(bits >= 0, bits, (bits ^ np.int64(2**63 - 1)) + 1)


def floats(key: Ints) -> Floats:
    """The floats of some keys."""
    bits = np.where(key >= 0, key, (key - 1) ^ np.int64(2**63 - 1))
    return bits.astype(np.int64).view(np.float64)


@dataclass(frozen=True, eq=False)
class Stretches:
    """Stretches of the score axis in order, each a range of keys, with the cases in it.

    `mixed` says which of them hold different scores. The grid of the first reading tells quickly
    which stretches a score can lie in: none of them crosses the edge of a cell.
    """

    grid: Grid
    low: Ints
    high: Ints
    positives: Ints
    negatives: Ints
    mixed: Bools

    @classmethod
    def of(cls, ranks: BinnedRanks) -> "Stretches":
        """The cells of a first reading."""
        low, high = (keys(ranks.grid.edge(ranks.cell + k)) for k in (0, 1))
        return cls(ranks.grid, low, high, ranks.positives, ranks.negatives, ranks.mixed)

    def __getitem__(self, chosen: Array | slice) -> "Stretches":
        return Stretches(
            self.grid,
            self.low[chosen],
            self.high[chosen],
            self.positives[chosen],
            self.negatives[chosen],
            self.mixed[chosen],
        )

    def __len__(self) -> int:
        return len(self.low)

    @property
    def size(self) -> Ints:
        """Number of cases in each."""
        return self.positives + self.negatives

    @cached_property
    def totals(self) -> RankTotals:
        """What is known about the ranks."""
        return rank_totals(self.positives, self.negatives, self.mixed)

    @property
    def cells(self) -> Ints:
        """The cell of the grid that each lies in."""
        return self.grid.cell(floats(self.low))

    @property
    def begins(self) -> Array:
        """Which stretches lie in each cell of the grid: those from its entry to the next one."""
        return np.searchsorted(self.cells, np.arange(self.grid.cells + 1)).astype(np.int32)

    def joined(self, other: "Stretches") -> "Stretches":
        """Both, in order."""
        both = Stretches(
            self.grid,
            np.concatenate([self.low, other.low]),
            np.concatenate([self.high, other.high]),
            np.concatenate([self.positives, other.positives]),
            np.concatenate([self.negatives, other.negatives]),
            np.concatenate([self.mixed, other.mixed]),
        )
        return both[np.argsort(both.low, kind="stable")]


def heaviest(stretches: Stretches, bound: float) -> Bools:
    """Those to split for the area to be known to `bound`: the others leave open half of that."""
    pairs = np.where(stretches.mixed, stretches.positives * stretches.negatives, 0)
    order = np.argsort(pairs)
    n1, n0 = int(stretches.positives.sum()), int(stretches.negatives.sum())
    light = np.cumsum(pairs[order].astype(np.float64)) <= bound * n1 * n0
    chosen = np.empty(len(pairs), dtype=np.bool_)
    chosen[order] = ~light
    return chosen & (pairs > 0)


def unsettled(stretches: Stretches) -> Bools:
    """Those whose inner order matters for anything computed from ranks."""
    several = (stretches.negatives > 0) | (stretches.positives > 1)
    return stretches.mixed & (stretches.positives > 0) & several


class Splitter:
    """Counts in finer cells of some stretches, for one more reading of the data."""

    def __init__(self, stretches: Stretches, chosen: Bools, cells: int = FINER_CELLS) -> None:
        self._kept, self._split = stretches[~chosen], stretches[chosen]
        low, high = self._split.low, self._split.high
        weight = np.sqrt(self._split.positives * self._split.negatives.astype(np.float64) + 1.0)
        share = np.maximum(cells * weight / weight.sum(), 2.0)
        shift = np.maximum(np.ceil(np.log2((high - low) / share)), 0.0).astype(np.int64)
        parts = ((high - 1 - low) >> shift) + 1
        end = np.cumsum(parts)
        self._table = np.stack([low, high, shift, end - parts], axis=1)
        self._counts, self._value = np.zeros((2, int(end[-1])), dtype=np.int64)
        self._begins = self._split.begins

    def add(self, score: Floats, positive: Bools) -> None:
        """Count some cases, those outside of the stretches being ignored."""
        from abovechance.numerics.kernels import stream

        score, grid = np.ascontiguousarray(score), self._split.grid
        where = (grid.scale, float(grid.first), self._begins, self._table)
        bits = score.view(np.int64)
        stream.add_finer(positive, score, bits, *where, self._counts, self._value)

    @property
    def stretches(self) -> Stretches:
        """All stretches, the chosen ones in parts."""
        place, positives, negatives, _ = unpacked(self._counts, self._value)
        whole = np.searchsorted(self._table[:, 3], place, side="right") - 1
        low, high, shift, first = self._table[whole].T
        begin = low + ((place - first) << shift)
        end = np.minimum(begin + (np.int64(1) << shift), high)
        parts = (begin, end, positives, negatives, self._counts[place] < 0)
        return self._kept.joined(Stretches(self._split.grid, *parts))


class Collector:
    """The scores of some stretches in a run of them, to be sorted out entirely."""

    def __init__(self, stretches: Stretches, chosen: Bools) -> None:
        self._rest, self._chosen = stretches[~chosen], stretches[chosen]
        grid, chosen_cells = stretches.grid, self._chosen.cells
        self._wanted = np.zeros(grid.cells, dtype=np.uint8)
        self._wanted[chosen_cells] = 1
        whole = keys(grid.edge(chosen_cells + 1)) - keys(grid.edge(chosen_cells))
        partly = self._chosen.high - self._chosen.low < whole
        self._wanted[chosen_cells[partly]] = 2
        self._begins = self._chosen.begins
        self._table = np.stack([self._chosen.low, self._chosen.high], axis=1)
        self._kept = np.zeros(2, dtype=np.int64)
        sizes = (self._chosen.negatives, self._chosen.positives)
        self._negatives, self._positives = (np.empty(int(n.sum()) + 1) for n in sizes)

    def add(self, score: Floats, positive: Bools) -> None:
        """Keep the scores that lie in the stretches."""
        from abovechance.numerics.kernels import stream

        score, grid = np.ascontiguousarray(score), self._chosen.grid
        where = (grid.scale, float(grid.first), self._wanted, self._begins, self._table)
        classes = (self._kept, self._positives, self._negatives)
        stream.collect(positive, score, score.view(np.int64), *where, *classes)

    def totals(self, below: tuple[int, int], of: tuple[int, int]) -> RankTotals:
        """Ranks of the whole run, given the positives and negatives below it and in all."""
        from abovechance.numerics.kernels import stream

        for scores in (self._positives, self._negatives):
            scores[:-1].sort()
            scores[-1] = np.inf
        rest, (n1, n0) = self._rest, of
        groups = np.append(floats(rest.low), np.inf)
        twice_u, precision, best, squares1, squares0, ties = stream.walk(
            self._positives, self._negatives, groups, rest.positives, rest.negatives, *below, *of
        )
        ks = best / (n1 * n0) if n1 and n0 else 0.0
        tied = rest.size[~rest.mixed].astype(np.float64)
        return RankTotals(
            n_positive=n1,
            n_negative=n0,
            twice_u=twice_u,
            precision=precision,
            precision_low=precision,
            precision_high=precision,
            ks_low=ks,
            ks_high=ks,
            squares_positive=squares1 / (2.0 * n0) ** 2 if n0 else 0.0,
            squares_negative=squares0 / (2.0 * n1) ** 2 if n1 else 0.0,
            ties=ties + float((tied**3 - tied).sum()),
        )


def collectable(stretches: Stretches, most: int = BUFFER) -> Iterator[tuple[slice, Bools]]:
    """Runs of stretches whose unsettled ones hold no more than `most` cases together.

    A stretch that alone holds more comes alone.
    """
    wanted = unsettled(stretches)
    size = np.where(wanted, stretches.size, 0)
    start = 0
    while start < len(size):
        total = np.cumsum(size[start:])
        end = start + max(1, int(np.searchsorted(total, most, side="right")))
        yield slice(start, end), wanted[start:end]
        start = end
