"""Ranks of more cases than fit in memory: counts in cells, bounds, and further readings."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.numerics.kernels import worthwhile
from abovechance.numerics.ranks import RankSummary

# ----------------------------------------------------------------------------------------------
# What ordered groups of cases say about ranks, with bounds where their inner order is unknown.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class RankTotals:
    """Sums over groups of cases in ascending order of score; `+` joins neighbouring stretches.

    Cases of a group are tied, or their order is unknown. `twice_u` counts pairs of a group one half
    either way, and is twice Mann and Whitney's U up to `slack`, the number of pairs of unknown
    order. `precision` sums the precision at every positive case as if unknown orders were evenly
    mixed, with certain bounds beside it; so are `ks` and its bounds. `ties` is the sum of t³ - t
    over the groups known to be ties. Squared placements are as in `ranks.RankSummary`.
    """

    n_positive: int
    n_negative: int
    twice_u: int = 0
    slack: int = 0
    precision: float = 0.0
    precision_low: float = 0.0
    precision_high: float = 0.0
    ks_low: float = 0.0
    ks_high: float = 0.0
    squares_positive: float = 0.0
    squares_negative: float = 0.0
    ties: float = 0.0

    def __add__(self, other: "RankTotals") -> "RankTotals":
        summed = {name: getattr(self, name) + getattr(other, name) for name in SUMMED}
        return RankTotals(
            n_positive=self.n_positive,
            n_negative=self.n_negative,
            ks_low=max(self.ks_low, other.ks_low),
            ks_high=max(self.ks_high, other.ks_high),
            **summed,
        )

    @property
    def auc_bound(self) -> float:
        """By how much the area under the ROC curve may be off at most."""
        pairs = self.n_positive * self.n_negative
        return self.slack / (2 * pairs) if pairs else 0.0

    @property
    def precision_bound(self) -> float:
        """By how much the average precision may be off at most."""
        off = max(self.precision_high - self.precision, self.precision - self.precision_low)
        return max(off, 0.0) / self.n_positive if self.n_positive else 0.0

    @property
    def ks_bound(self) -> float:
        """By how much the Kolmogorov–Smirnov distance may be off at most."""
        return (self.ks_high - self.ks_low) / 2.0

    @property
    def summary(self) -> RankSummary:
        """The totals as ranks of known order would give them."""
        n1, n0 = self.n_positive, self.n_negative
        nothing = float("nan")
        return RankSummary(
            pairs_twice_u=self.twice_u,
            average_precision=self.precision / n1 if n1 else nothing,
            ks=(self.ks_low + self.ks_high) / 2.0 if n1 and n0 else nothing,
            placement_squares_positive=self.squares_positive if n0 else nothing,
            placement_squares_negative=self.squares_negative if n1 else nothing,
            n_positive=n1,
            n_negative=n0,
        )


SUMMED = (
    *("twice_u", "slack", "squares_positive", "squares_negative", "ties"),
    *("precision", "precision_low", "precision_high"),
)


def rank_totals(
    positives: Array,
    negatives: Array,
    mixed: Bools | None = None,
    *,
    below: tuple[int, int] = (0, 0),
    of: tuple[int, int] | None = None,
) -> RankTotals:
    r"""Sum over groups in ascending order of score.

    Parameters
    ----------
    positives, negatives
        Cases of each class in every group.
    mixed
        Which groups are not ties but cases of unknown order; None for none of them.
    below, of
        Positive and negative cases below the first group, and in all; none, and those given here,
        when the groups are all there is.

    With T positives and F negatives above a group of a positives and b negatives, the precision at
    its positives is at most (T + a) / (T + a + F), all of them tied above the negatives, and sums
    to no less than :math:`a - (F + b) \log(1 + a / (T + F + b + ½))`, all apart and below them.

    Examples
    --------
    >>> totals = rank_totals(np.array([1, 2]), np.array([3, 0]), np.array([True, False]))
    >>> totals.twice_u / (2 * 3 * 3), totals.auc_bound
    (0.833, 0.167)
    """
    a, b = np.asarray(positives, dtype=np.int64), np.asarray(negatives, dtype=np.int64)
    total = (int(a.sum()), int(b.sum())) if of is None else of
    unknown = np.zeros(a.shape, dtype=np.bool_) if mixed is None else mixed
    if a.size == 0:
        return RankTotals(n_positive=total[0], n_negative=total[1])
    summed = _summed if worthwhile(a.size, module="stream_loops") else _summed_plain
    return summed(a, b, unknown, below, total)


def _summed(
    a: Ints, b: Ints, unknown: Bools, below: tuple[int, int], of: tuple[int, int]
) -> RankTotals:
    from abovechance.numerics.kernels import stream_loops

    twice_u, slack, others = stream_loops.sum_groups(a, b, unknown, *below, *of)
    middle, low, high, ks_low, ks_high, squares1, squares0, ties = others.tolist()
    return RankTotals(
        n_positive=of[0],
        n_negative=of[1],
        twice_u=twice_u,
        slack=slack,
        precision=middle,
        precision_low=low,
        precision_high=high,
        ks_low=ks_low,
        ks_high=ks_high,
        squares_positive=squares1,
        squares_negative=squares0,
        ties=ties,
    )


def _summed_plain(
    a: Ints, b: Ints, unknown: Bools, below: tuple[int, int], of: tuple[int, int]
) -> RankTotals:
    n1, n0 = of
    twice_below = 2 * (below[1] + np.cumsum(b)) - b
    above1, above0 = n1 - below[0] - np.cumsum(a), n0 - below[1] - np.cumsum(b)
    twice_above = 2 * above1 + a
    size = (a + b).astype(np.float64)
    middle, low, high = _precision(a, b, above1, above0, unknown)
    ks_low, ks_high = _distance(a, b, above1, above0, unknown, n1, n0)
    return RankTotals(
        n_positive=n1,
        n_negative=n0,
        twice_u=int(a @ twice_below),
        slack=int((a * b)[unknown].sum()),
        precision=middle,
        precision_low=low,
        precision_high=high,
        ks_low=ks_low,
        ks_high=ks_high,
        squares_positive=_squares(a, twice_below, n0),
        squares_negative=_squares(b, twice_above, n1),
        ties=float((size**3 - size)[~unknown].sum()),
    )


def _squares(cases: Ints, twice: Ints, others: int) -> float:
    """Sum of squared placements, each the share of the other class that `twice` counts double."""
    return float(cases @ (twice / (2.0 * others)) ** 2) if others else 0.0


def _precision(
    a: Ints, b: Ints, above1: Ints, above0: Ints, unknown: Bools
) -> tuple[float, float, float]:
    """Precision summed over the positives: evenly mixed where unknown, at least, at most."""
    some = a > 0
    hits, misses, t, f, open_ = a[some], b[some], above1[some], above0[some], unknown[some]
    tied = hits * ((t + hits) / (t + hits + f + misses))
    total = t + f + (hits + misses + 1.0) / 2.0
    mixed = hits * (t + (hits + 1.0) / 2.0) / total
    last = t + f + misses + 0.5
    least = hits - (f + misses) * np.log1p(hits / last)
    most = hits * ((t + hits) / (t + hits + f))
    return (
        float(np.where(open_, np.clip(mixed, least, most), tied).sum()),
        float(np.where(open_, least, tied).sum()),
        float(np.where(open_, most, tied).sum()),
    )


def _distance(
    a: Ints, b: Ints, above1: Ints, above0: Ints, unknown: Bools, n1: int, n0: int
) -> tuple[float, float]:
    """Largest excess of the true over the false positive rate: at least, at most."""
    if not n1 or not n0:
        return 0.0, 0.0
    tpr = (above1 + a) / n1
    reached = tpr - (above0 + b) / n0
    most: Floats = np.where(unknown, tpr - above0 / n0, reached)
    return max(0.0, float(reached.max())), max(0.0, float(most.max()))


# ----------------------------------------------------------------------------------------------
# Class counts in narrow cells of the score axis: ranks that can be added up piece by piece.
# ----------------------------------------------------------------------------------------------


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
        if not worthwhile(score.size, module="stream_loops"):
            self._done = self._done + _binned_plain(score, positive, self.grid)
            return
        from abovechance.numerics.kernels import stream_loops

        if self._counts is None or self._room < score.size:
            self._unpack()
            self._counts, self._value = np.zeros((2, self.grid.cells), dtype=np.int64)
        score = np.ascontiguousarray(score)
        bits, scale, first = score.view(np.int64), self.grid.scale, float(self.grid.first)
        stream_loops.add_cells(positive, score, bits, scale, first, self._counts, self._value)
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


# ----------------------------------------------------------------------------------------------
# Sharper ranks from further readings: cells split where they matter, or sorted out entirely.
#
# Floats are compared through their keys, whole numbers in the same order: a stretch of the score
# axis is a range of keys and is split by a shift of bits, without rounding.
# ----------------------------------------------------------------------------------------------


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
        from abovechance.numerics.kernels import stream_loops

        score, grid = np.ascontiguousarray(score), self._split.grid
        where = (grid.scale, float(grid.first), self._begins, self._table)
        bits = score.view(np.int64)
        stream_loops.add_finer(positive, score, bits, *where, self._counts, self._value)

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
        from abovechance.numerics.kernels import stream_loops

        score, grid = np.ascontiguousarray(score), self._chosen.grid
        where = (grid.scale, float(grid.first), self._wanted, self._begins, self._table)
        classes = (self._kept, self._positives, self._negatives)
        stream_loops.collect(positive, score, score.view(np.int64), *where, *classes)

    def totals(self, below: tuple[int, int], of: tuple[int, int]) -> RankTotals:
        """Ranks of the whole run, given the positives and negatives below it and in all."""
        from abovechance.numerics.kernels import stream_loops

        for scores in (self._positives, self._negatives):
            scores[:-1].sort()
            scores[-1] = np.inf
        rest, (n1, n0) = self._rest, of
        groups = np.append(floats(rest.low), np.inf)
        twice_u, precision, best, squares1, squares0, ties = stream_loops.walk(
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
