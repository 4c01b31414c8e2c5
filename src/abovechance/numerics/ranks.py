"""What depends on the order of scores only: ranks, areas under curves, placements."""

from dataclasses import dataclass

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.numerics.kernels import worthwhile


def midranks(values: Array) -> Floats:
    """Rank values from 1 to n along the last axis; equal values share their average rank.

    Examples
    --------
    >>> midranks(np.array([0.2, 0.9, 0.2, 0.5]))
    array([1.5, 4. , 1.5, 3. ])
    """
    values = np.asarray(values)
    size = values.shape[-1]
    if size == 0:
        return np.zeros(values.shape)
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    position = np.arange(size)
    differs = ordered[..., 1:] != ordered[..., :-1]
    edge = np.ones((*values.shape[:-1], 1), dtype=bool)
    first = np.where(np.concatenate([edge, differs], axis=-1), position, 0)
    last = np.where(np.concatenate([differs, edge], axis=-1), position, size)
    first = np.maximum.accumulate(first, axis=-1)
    last = np.minimum.accumulate(last[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return ranks


@dataclass(frozen=True)
class Ranked:
    """The distinct scores in ascending order and the weight of each class at each of them."""

    score: Floats
    positives: Floats
    negatives: Floats


def tied_groups(score: Array, positive: Array, weight: Array | None = None) -> Ranked:
    """Gather the positives and negatives at every distinct score.

    Parameters
    ----------
    score
        One score a case, (n,).
    positive
        Whether the outcome is the positive class, (n,) or a batch (..., n).
    weight
        Weights of the cases, (n,) or a batch (..., n): the scores are sorted only once.

    Examples
    --------
    >>> tied_groups(np.array([0.5, 0.1, 0.5]), np.array([True, False, False]))
    Ranked(score=array([0.1, 0.5]), positives=array([0., 1.]), negatives=array([1., 1.]))
    """
    score, positive = np.asarray(score), np.asarray(positive)
    if weight is None and positive.ndim == 1 and score.dtype.kind == "f" and worthwhile(score.size):
        return _tied_groups_by_merging(score, positive.astype(bool))
    batches = [len(a) for a in (positive, weight) if a is not None and a.ndim == 2]
    if batches and worthwhile(max(batches) * score.size):
        return _tied_groups_of_rows(score, positive, weight, max(batches))
    return _tied_groups_plain(score, positive, weight)


def _tied_groups_plain(score: Array, positive: Array, weight: Array | None) -> Ranked:
    order, starts, distinct = _sorted_groups(score)
    sign = positive[..., order].astype(np.float64)
    everyone = np.ones(sign.shape[-1]) if weight is None else np.asarray(weight)[..., order]
    positives = np.add.reduceat(everyone * sign, starts, axis=-1)
    negatives = np.add.reduceat(everyone * (1 - sign), starts, axis=-1)
    return Ranked(distinct, positives, negatives)


def _sorted_groups(score: Array) -> tuple[Ints, Ints, Array]:
    """The order of the scores, where each group of equal ones begins in it, and its score."""
    order = np.argsort(score)
    ordered = score[order]
    edge = np.ones(ordered[:1].shape, dtype=bool)
    starts = np.flatnonzero(np.concatenate([edge, ordered[1:] != ordered[:-1]]))
    return order, starts, ordered[starts]


def _tied_groups_of_rows(score: Array, positive: Array, weight: Array | None, rows: int) -> Ranked:
    from abovechance.numerics.kernels import ranked

    order, starts, distinct = _sorted_groups(score)
    each = np.empty((0, 0)) if weight is None else np.atleast_2d(weight).astype(np.float64)
    classes = np.empty((2, rows, starts.size))
    ranked.gather(order, starts, np.atleast_2d(positive).astype(bool), each, *classes)
    return Ranked(distinct, *classes)


def _tied_groups_by_merging(score: Floats, positive: Bools) -> Ranked:
    from abovechance.numerics.kernels import binary

    pos, neg = _sorted_classes(score, positive)
    if np.isnan(pos[:-1][-1:]).any() or np.isnan(neg[:-1][-1:]).any():
        return _tied_groups_plain(score, positive, None)
    distinct, counts = np.empty(score.size), np.empty((2, score.size))
    groups = binary.merge_groups(pos, neg, distinct, counts)
    return Ranked(distinct[:groups], counts[0, :groups], counts[1, :groups])


def _sorted_classes(score: Floats, positive: Bools) -> tuple[Floats, Floats]:
    """The scores of positives and of negatives, sorted, infinity added to both."""
    from abovechance.numerics.kernels import binary

    positives = int(np.count_nonzero(positive))
    pos, neg = np.empty(positives + 1), np.empty(score.size - positives + 1)
    binary.split_by_class(positive, np.ascontiguousarray(score, dtype=np.float64), pos, neg)
    for group in (pos, neg):
        group[:-1].sort()
        group[-1] = np.inf
    return pos, neg


def auc(ranked: Ranked) -> Floats:
    """Probability that a positive case has the higher score, ties counting one half.

    U / (n1 n0) with U of Mann and Whitney, the area under the ROC curve.

    Examples
    --------
    >>> auc(tied_groups(np.array([1, 2, 2, 3]), np.array([False, False, True, True]))).item()
    0.875
    """
    positives, negatives = ranked.positives, ranked.negatives
    below = np.cumsum(negatives, axis=-1) - negatives / 2
    pairs = positives.sum(axis=-1) * negatives.sum(axis=-1)
    return ratio((positives * below).sum(axis=-1), pairs)


def average_precision(ranked: Ranked) -> Floats:
    """Precision averaged over the positive cases, each at its own score as threshold.

    The sum over descending thresholds of the step in recall times the precision reached,
    without interpolation. Defined also without negative cases, and then 1.

    Examples
    --------
    >>> average_precision(tied_groups(np.array([1, 2, 3]), np.array([True, False, True]))).item()
    0.8333333333333333
    """
    if _many_rows(ranked):
        return _by_rows("average_precision", ranked)
    tp, fp = _from_above(ranked.positives), _from_above(ranked.negatives)
    precision = np.divide(tp, tp + fp, out=np.zeros(tp.shape), where=tp + fp > 0)
    reached = (ranked.positives * precision).sum(axis=-1)
    return ratio(reached, ranked.positives.sum(axis=-1))


def kolmogorov_smirnov(ranked: Ranked) -> Floats:
    """Largest excess of the true over the false positive rate, over all thresholds.

    At least 0, which the threshold above all scores reaches.

    Examples
    --------
    >>> kolmogorov_smirnov(tied_groups(np.array([1, 2, 3, 4]), np.array([0, 1, 0, 1]))).item()
    0.5
    """
    if _many_rows(ranked):
        return _by_rows("kolmogorov_smirnov", ranked)
    tpr, fpr = _rates(ranked)
    return np.asarray(np.maximum(tpr - fpr, 0.0).max(axis=-1))


def partial_area(ranked: Ranked, max_fpr: float) -> Floats:
    """Area under the ROC curve left of a false positive rate, not standardised.

    Trapezoids between the distinct thresholds; the curve is cut at `max_fpr` on the straight line
    between its neighbours. `max_fpr` = 1 gives the whole area.

    Examples
    --------
    >>> partial_area(tied_groups(np.array([1, 2, 3, 4]), np.array([0, 1, 0, 1])), 0.25).item()
    0.125
    """
    if _many_rows(ranked):
        return _by_rows("partial_area", ranked, max_fpr)
    tpr, fpr = _rates(ranked)
    right, top = fpr, tpr
    left = np.concatenate([fpr[..., 1:], np.zeros((*fpr.shape[:-1], 1))], axis=-1)
    bottom = np.concatenate([tpr[..., 1:], np.zeros((*tpr.shape[:-1], 1))], axis=-1)
    inside = np.clip(max_fpr - left, 0.0, right - left)
    share = np.divide(inside, right - left, out=np.zeros(left.shape), where=right > left)
    area = (inside * (bottom + share * (top - bottom) / 2)).sum(axis=-1)
    return np.where(np.isnan(tpr[..., 0] + fpr[..., 0]), np.nan, area)


@dataclass(frozen=True, kw_only=True)
class RankSummary:
    """What one sort of the scores says about two classes.

    `pairs_twice_u` is 2U: twice the pairs in which the positive case has the higher score plus
    the tied pairs, an exact integer. `placement_squares_positive` is the sum over positive cases of
    V10 squared, V10 being the share of negatives below (ties one half);
    `placement_squares_negative` the sum over negative cases of V01 squared, the share of
    positives above.
    """

    pairs_twice_u: int
    average_precision: float
    ks: float
    placement_squares_positive: float
    placement_squares_negative: float
    n_positive: int
    n_negative: int

    @property
    def auc(self) -> float:
        """Area under the ROC curve; nan when a class is empty."""
        pairs = self.n_positive * self.n_negative
        return self.pairs_twice_u / (2 * pairs) if pairs else float("nan")


def rank_summary(score: Array, positive: Array) -> RankSummary:
    """Sort once; return U, average precision, Kolmogorov-Smirnov distance and placements.

    References
    ----------
    DeLong, DeLong, Clarke-Pearson (1988) for V10 and V01.

    Examples
    --------
    >>> rank_summary(np.array([1, 2, 2, 3]), np.array([False, False, True, True])).auc
    0.875
    """
    score, positive = np.asarray(score), np.asarray(positive, dtype=bool)
    fast = worthwhile(score.size) and score.dtype.kind == "f"
    return (
        _rank_summary_by_merging(score, positive) if fast else _rank_summary_plain(score, positive)
    )


def _rank_summary_plain(score: Array, positive: Bools) -> RankSummary:
    ranked = tied_groups(score, positive)
    pos, neg = ranked.positives, ranked.negatives
    m, n = pos.sum(), neg.sum()
    twice_below = 2 * np.cumsum(neg) - neg
    twice_above = 2 * m - 2 * np.cumsum(pos) + pos
    nothing = float("nan")
    return RankSummary(
        pairs_twice_u=int(pos @ twice_below),
        average_precision=float(average_precision(ranked)),
        ks=float(kolmogorov_smirnov(ranked)),
        placement_squares_positive=float(pos @ twice_below**2 / (2 * n) ** 2) if n else nothing,
        placement_squares_negative=float(neg @ twice_above**2 / (2 * m) ** 2) if m else nothing,
        n_positive=int(m),
        n_negative=int(n),
    )


def _rank_summary_by_merging(score: Floats, positive: Bools) -> RankSummary:
    """Sort the two classes apart by value and merge them: no argsort, no branch on the data."""
    from abovechance.numerics.kernels import binary

    pos, neg = _sorted_classes(score, positive)
    m, n = pos.size - 1, neg.size - 1
    if m == 0 or n == 0 or not (pos[-2] < np.inf and neg[-2] < np.inf):
        return _rank_summary_plain(score, positive)
    twice_u, precision, ks, squares_pos, squares_neg = binary.summarise_places(
        pos, n, *places(pos, neg)
    )
    return RankSummary(
        pairs_twice_u=twice_u,
        average_precision=precision / m,
        ks=ks / (m * n),
        placement_squares_positive=squares_pos / (2 * n) ** 2,
        placement_squares_negative=squares_neg / (2 * m) ** 2,
        n_positive=m,
        n_negative=n,
    )


def places(first: Floats, second: Floats) -> tuple[Ints, Ints]:
    """How many in `second` are below, and not above, each in `first`; both sorted, ended by inf."""
    from abovechance.numerics.kernels import binary

    below = np.empty(first.size, dtype=np.int64)
    if not binary.places(first, second, True, below):
        return below[:-1], below[:-1]
    not_above = np.empty_like(below)
    binary.places(first, second, False, not_above)
    return below[:-1], not_above[:-1]


def _many_rows(ranked: Ranked) -> bool:
    return ranked.positives.ndim == 2 == ranked.negatives.ndim and worthwhile(ranked.positives.size)


def _by_rows(sweep: str, ranked: Ranked, *options: float) -> Floats:
    """A measure of every row by its compiled sweep."""
    from abovechance.numerics.kernels import ranked as sweeps

    found = np.empty(len(ranked.positives))
    getattr(sweeps, sweep)(ranked.positives, ranked.negatives, *options, found)
    return found


def _from_above(weights: Floats) -> Floats:
    """Weight at or above each score."""
    return np.cumsum(weights[..., ::-1], axis=-1)[..., ::-1]


def _rates(ranked: Ranked) -> tuple[Floats, Floats]:
    """True and false positive rates when each score in turn is the lowest called positive."""
    positives = ranked.positives.sum(axis=-1, keepdims=True)
    negatives = ranked.negatives.sum(axis=-1, keepdims=True)
    return (
        ratio(_from_above(ranked.positives), positives),
        ratio(_from_above(ranked.negatives), negatives),
    )


def ratio(numerator: Array, denominator: Array) -> Floats:
    """Divide where the denominator is above 0; nan elsewhere."""
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    found = np.full(shape, np.nan)
    np.divide(numerator, denominator, out=found, where=np.asarray(denominator) > 0)
    return found
