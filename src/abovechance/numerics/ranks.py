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


def tied_groups(
    score: Array,
    positive: Array,
    weight: Array | None = None,
    known: tuple[Ints, Ints, Array] | None = None,
) -> Ranked:
    """Gather the positives and negatives at every distinct score.

    Parameters
    ----------
    score
        One score per case, (n,).
    positive
        Whether the outcome is the positive class, (n,) or a batch (..., n).
    weight
        Weights of the cases, (n,) or a batch (..., n): the scores are sorted only once.
    known
        The `sorted_groups` of the scores, where they were sorted before.

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
        return _tied_groups_of_rows(known or sorted_groups(score), positive, weight, max(batches))
    return _tied_groups_plain(known or sorted_groups(score), positive, weight)


def _tied_groups_plain(
    groups: tuple[Ints, Ints, Array], positive: Array, weight: Array | None
) -> Ranked:
    order, starts, distinct = groups
    sign = positive[..., order].astype(np.float64)
    everyone = np.ones(sign.shape[-1]) if weight is None else np.asarray(weight)[..., order]
    positives = np.add.reduceat(everyone * sign, starts, axis=-1)
    negatives = np.add.reduceat(everyone * (1 - sign), starts, axis=-1)
    return Ranked(distinct, positives, negatives)


def sorted_groups(score: Array) -> tuple[Ints, Ints, Array]:
    """The order of the scores, where each group of equal ones begins in it, and its score."""
    order = np.argsort(score)
    ordered = score[order]
    edge = np.ones(ordered[:1].shape, dtype=bool)
    starts = np.flatnonzero(np.concatenate([edge, ordered[1:] != ordered[:-1]]))
    return order, starts, ordered[starts]


def _tied_groups_of_rows(
    groups: tuple[Ints, Ints, Array], positive: Array, weight: Array | None, rows: int
) -> Ranked:
    from abovechance.numerics.kernels import class_loops

    order, starts, distinct = groups
    each = np.empty((0, 0)) if weight is None else np.atleast_2d(weight).astype(np.float64)
    classes = np.empty((2, rows, starts.size))
    class_loops.gather(order, starts, np.atleast_2d(positive).astype(bool), each, *classes)
    return Ranked(distinct, *classes)


def gather_by_cell(
    cells: Ints, score: Floats, positive: Array, count: int, width: int
) -> tuple[Floats, Floats]:
    """Positives and negatives (count, width) of small cells in ascending order of their scores.

    Cells (rows, n) are numbers of folds of rows, those of a row apart from all others; the cases
    of equal scores are counted at the first place that one of them has. In memory the places come
    first, as sums over few of them are then sums of long columns.
    """
    from abovechance.numerics.kernels import class_loops

    gathered = np.zeros((2, width, count))
    sign = np.ascontiguousarray(positive, dtype=np.bool_)
    class_loops.gather_by_cell(cells, np.ascontiguousarray(score), sign, *gathered)
    return gathered[0].T, gathered[1].T


def _tied_groups_by_merging(score: Floats, positive: Bools) -> Ranked:
    from abovechance.numerics.kernels import class_loops

    pos, neg = _sorted_classes(score, positive)
    if np.isnan(pos[:-1][-1:]).any() or np.isnan(neg[:-1][-1:]).any():
        return _tied_groups_plain(sorted_groups(score), positive, None)
    distinct, counts = np.empty(score.size), np.empty((2, score.size))
    groups = class_loops.merge_groups(pos, neg, distinct, counts)
    return Ranked(distinct[:groups], counts[0, :groups], counts[1, :groups])


def _sorted_classes(score: Floats, positive: Bools) -> tuple[Floats, Floats]:
    """The scores of positives and of negatives, sorted, infinity added to both."""
    from abovechance.numerics.kernels import class_loops

    positives = int(np.count_nonzero(positive))
    pos, neg = np.empty(positives + 1), np.empty(score.size - positives + 1)
    class_loops.split_by_class(positive, np.ascontiguousarray(score, dtype=np.float64), pos, neg)
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
    tp, fp = from_above(ranked.positives), from_above(ranked.negatives)
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
    from abovechance.numerics.kernels import class_loops

    pos, neg = _sorted_classes(score, positive)
    m, n = pos.size - 1, neg.size - 1
    if m == 0 or n == 0 or not (pos[-2] < np.inf and neg[-2] < np.inf):
        return _rank_summary_plain(score, positive)
    twice_u, precision, ks, squares_pos, squares_neg = class_loops.summarise_places(
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
    from abovechance.numerics.kernels import class_loops

    below = np.empty(first.size, dtype=np.int64)
    if not class_loops.places(first, second, True, below):
        return below[:-1], below[:-1]
    not_above = np.empty_like(below)
    class_loops.places(first, second, False, not_above)
    return below[:-1], not_above[:-1]


def _many_rows(ranked: Ranked) -> bool:
    return ranked.positives.ndim == 2 == ranked.negatives.ndim and worthwhile(ranked.positives.size)


def _by_rows(sweep: str, ranked: Ranked, *options: float) -> Floats:
    """A measure of every row by its compiled sweep."""
    from abovechance.numerics.kernels import class_loops as sweeps

    found = np.empty(len(ranked.positives))
    rows = (np.ascontiguousarray(c) for c in (ranked.positives, ranked.negatives))
    getattr(sweeps, sweep)(*rows, *options, found)
    return found


def from_above(weights: Floats) -> Floats:
    """Weight at or above each score."""
    return np.cumsum(weights[..., ::-1], axis=-1)[..., ::-1]


def _rates(ranked: Ranked) -> tuple[Floats, Floats]:
    """True and false positive rates when each score in turn is the lowest called positive."""
    positives = ranked.positives.sum(axis=-1, keepdims=True)
    negatives = ranked.negatives.sum(axis=-1, keepdims=True)
    return (
        ratio(from_above(ranked.positives), positives),
        ratio(from_above(ranked.negatives), negatives),
    )


def ratio(numerator: Array, denominator: Array) -> Floats:
    """Divide where the denominator is above 0; nan elsewhere."""
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    found = np.full(shape, np.nan)
    np.divide(numerator, denominator, out=found, where=np.asarray(denominator) > 0)
    return found


# ----------------------------------------------------------------------------------------------
# Areas under the ROC curve of every pair of classes.
# ----------------------------------------------------------------------------------------------


AT_ONCE = 1 << 22  # probabilities parted by class in one reading
WALKED = 1 << 15  # cases up to which sorting whole columns is quicker than merging their parts


def pair_aucs(
    probability: Floats, actual: Array, classes: int, weight: Array | None = None
) -> Floats:
    """Separability of every ordered pair of classes by the probability of the first.

    Entry [i, j] is the probability that a case of class i has a higher probability of class i than
    a case of class j has, ties one half; nan on the diagonal and where a class is empty.

    Parameters
    ----------
    probability
        Predicted probabilities, one row per class, (K, n).
    actual
        Class codes (n,), or without weights a batch (B, n), which gives (B, K, K).
    weight
        Weights of the cases, (n,) or a batch (..., n), which gives (..., K, K).

    References
    ----------
    Hand, Till (2001), eq. 3: their A(i, j) is the mean of [i, j] and [j, i] here.

    Examples
    --------
    >>> p = np.array([[0.8, 0.6, 0.3, 0.7], [0.2, 0.4, 0.7, 0.3]])
    >>> pair_aucs(p, np.array([0, 0, 1, 1]), 2)
    array([[ nan, 0.75],
           [0.75,  nan]])
    """
    actual = np.asarray(actual)
    size = probability.size * (len(actual) if actual.ndim > 1 else 1)
    if weight is None and worthwhile(size, module="class_loops"):
        if actual.ndim > 1 or actual.size <= WALKED:
            return _pair_aucs_by_walking(probability, actual, classes)
        return _pair_aucs_by_merging(probability, actual, classes)
    if actual.ndim > 1:
        return np.stack([_pair_aucs_plain(probability, row, classes, weight) for row in actual])
    return _pair_aucs_plain(probability, actual, classes, weight)


def _pair_aucs_plain(
    probability: Floats, actual: Array, classes: int, weight: Array | None
) -> Floats:
    member = np.asarray(actual) == np.arange(classes)[:, None]
    rows = () if weight is None else weight.shape[:-1]
    areas = np.full((*rows, classes, classes), np.nan)
    for i in range(classes):
        found = [tied_groups(probability[i], one, weight).positives for one in member]
        group = np.stack(found, axis=-2)
        below = np.cumsum(group, axis=-1) - group / 2
        total = group.sum(axis=-1)
        concordant = (below @ group[..., i, :, None])[..., 0]
        areas[..., i, :] = ratio(concordant, total * total[..., i, None])
    areas[..., np.arange(classes), np.arange(classes)] = np.nan
    return areas


def _pair_aucs_by_walking(probability: Floats, actual: Array, classes: int) -> Floats:
    """Sort each column once, then walk up it with every labelling."""
    from abovechance.numerics.kernels import class_loops

    codes = np.ascontiguousarray(np.atleast_2d(actual), dtype=np.int64)
    order = np.argsort(probability, axis=-1)
    ascending = np.take_along_axis(probability, order, axis=-1)
    if np.isnan(ascending[:, -1:]).any():  # nan sorts last
        rows = [_pair_aucs_plain(probability, row, classes, None) for row in codes]
        return np.stack(rows).reshape(*actual.shape[:-1], classes, classes)
    opens = np.ones(order.shape, dtype=np.bool_)
    np.not_equal(ascending[:, 1:], ascending[:, :-1], out=opens[:, 1:])
    twice = np.empty((len(codes), classes, classes), dtype=np.int64)
    class_loops.count_pairs(order, opens, codes, twice)
    cells = codes + classes * np.arange(len(codes))[:, None]
    sizes = np.bincount(cells.ravel(), minlength=len(codes) * classes).reshape(-1, classes)
    areas = ratio(twice, 2.0 * sizes[:, None, :] * sizes[:, :, None])
    areas[:, np.arange(classes), np.arange(classes)] = np.nan
    return areas.reshape(*actual.shape[:-1], classes, classes)


def _pair_aucs_by_merging(probability: Floats, actual: Array, classes: int) -> Floats:
    """Part each column by class, sort the parts by value and merge them pairwise."""
    from abovechance.numerics.kernels import class_loops

    code = np.asarray(actual).astype(np.uint32)
    sizes = np.bincount(code, minlength=classes)
    start = np.concatenate([[0], np.cumsum(sizes + 1)])
    rows = max(1, min(classes, AT_ONCE // start[-1]))
    parted = np.full((rows, start[-1]), np.inf)
    twice_u = np.zeros((classes, classes))
    for block in range(0, classes, rows):
        columns = probability[block : block + rows]
        class_loops.scatter_by_class(code, columns, start, parted)
        for i, column in enumerate(parted[: len(columns)], start=block):
            parts = [column[start[c] : start[c + 1]] for c in range(classes)]
            for part in parts:
                part[:-1].sort()
            if not np.all(column[start[1:] - 2][sizes > 0] < np.inf):  # nan sorts last
                return _pair_aucs_plain(probability, actual, classes, None)
            for j in range(classes):
                if i != j:
                    below, not_above = places(parts[i], parts[j])
                    twice_u[i, j] = below.sum() + not_above.sum()
    areas = ratio(twice_u, 2.0 * sizes * sizes[:, None])
    np.fill_diagonal(areas, np.nan)
    return areas


# ----------------------------------------------------------------------------------------------
# Placements: where each case stands among those of the other class, and what follows for AUC.
# ----------------------------------------------------------------------------------------------


def placements(score: Floats, positive: Bools) -> tuple[Floats, Floats]:
    """Share of negatives below each positive, and of positives above each negative; ties half.

    Their means are both the area under the ROC curve. Batched over leading axes of `score`.

    >>> placements(np.array([0.1, 0.6, 0.4, 0.9]), np.array([False, False, True, True]))
    (array([0.5, 1. ]), array([1. , 0.5]))
    """
    ranks = midranks(score)
    among_positive = midranks(score[..., positive])
    among_negative = midranks(score[..., ~positive])
    n1, n0 = among_positive.shape[-1], among_negative.shape[-1]
    below = (ranks[..., positive] - among_positive) / n0
    above = 1.0 - (ranks[..., ~positive] - among_negative) / n1
    return below, above


@dataclass(frozen=True)
class Areas:
    """Areas of k models on the same cases, with DeLong's covariance."""

    values: Floats
    covariance: Floats


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a covariance, independent of the others, with its degrees of freedom."""

    matrix: Floats
    df: float


def delong(scores: Floats, positive: Bools) -> Areas:
    """Areas of scores (k, n) and their covariance (k, k).

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), eqs. 5–7.
    """
    below, above = placements(np.atleast_2d(scores), positive)
    return Areas(below.mean(axis=-1), _scatter(below) + _scatter(above))


def covariance(influence: Floats, stratum: Array, groups: Array | None = None) -> list[Part]:
    r"""Independent parts of the covariance of sums of influences (k, n), with degrees of freedom.

    Cases vary by themselves within their stratum: one part a stratum of :math:`n` cases, scaled
    by :math:`n / (n - 1)`. With groups, whole clusters vary: one part,

    .. math:: \sum_s \frac{I_s}{I_s - 1} \sum_g u_{gs} u_{gs}'
              + \frac{I}{I - 1} \sum_g \sum_{s \ne t} u_{gs} u_{gt}'

    with :math:`u_{gs}` what cluster g adds in stratum s, :math:`I_s` the clusters that hold cases
    of it and :math:`I` all of them. Degrees of freedom are those of the stratum with the fewest. A
    stratum of one case or cluster shows no spread: `ValueError`.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), eqs. 5–7; Obuchowski (1997), section 3.

    >>> u, classes = np.array([[-0.25, 0.25, 0.0, 0.0]]), np.array([0, 0, 1, 1])
    >>> [(part.matrix.item(), part.df) for part in covariance(u, classes)]
    [(0.25, 1.0), (0.0, 1.0)]
    """
    sizes = np.bincount(stratum)
    strata = np.flatnonzero(sizes)
    if groups is None:
        if sizes[strata].min() < 2:
            raise ValueError("one case shows no spread")
        inside = [(influence * (stratum == s), float(sizes[s])) for s in strata]
        return [Part(x @ x.T * n / (n - 1.0), n - 1.0) for x, n in inside]
    code = np.unique(groups, return_inverse=True)[1]
    units = int(code.max()) + 1
    held = [len(np.unique(code[stratum == s])) for s in strata]
    if min(held) < 2:
        raise ValueError("one cluster shows no spread")
    whole = _totals(influence, code, units)
    total = whole @ whole.T * (units / (units - 1.0))
    for s, count in zip(strata, held, strict=True):
        sums = _totals(influence * (stratum == s), code, units)
        total = total + sums @ sums.T * (count / (count - 1.0) - units / (units - 1.0))
    return [Part(total, min(held) - 1.0)]


def hanley_mcneil_variance(area: float, n1: float, n0: float) -> float:
    """Variance of the area under exponential models, the larger of both ways round.

    References
    ----------
    Hanley & McNeil (1982), eq. 1.
    """
    square = area * area
    one, other = area / (2.0 - area) - square, 2.0 * square / (1.0 + area) - square
    first, second = n1 - 1.0, n0 - 1.0
    larger = max(first * one + second * other, first * other + second * one)
    return (area * (1.0 - area) + larger) / (n1 * n0)


def _scatter(values: Floats) -> Floats:
    size = values.shape[-1]
    if size < 2:
        return np.zeros((len(values), len(values)))
    centred = values - values.mean(axis=-1, keepdims=True)
    return centred @ centred.T / (size - 1) / size


def _totals(values: Floats, code: Array, units: int) -> Floats:
    return np.stack([np.bincount(code, weights=row, minlength=units) for row in values])
