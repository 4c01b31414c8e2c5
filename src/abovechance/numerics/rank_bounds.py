"""What ordered groups of cases say about ranks, with bounds where their inner order is unknown."""

from dataclasses import dataclass

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.numerics.kernels import worthwhile
from abovechance.numerics.ranks import RankSummary


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
    summed = _summed if worthwhile(a.size, module="stream") else _summed_plain
    return summed(a, b, unknown, below, total)


def _summed(
    a: Ints, b: Ints, unknown: Bools, below: tuple[int, int], of: tuple[int, int]
) -> RankTotals:
    from abovechance.numerics.kernels import stream

    twice_u, slack, others = stream.sum_groups(a, b, unknown, *below, *of)
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
