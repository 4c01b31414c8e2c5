"""Counts, sums, means, variances and medians over cases, plain or weighted."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.numerics.kernels import worthwhile

# ----------------------------------------------------------------------------------------------
# Counts and sums over cases, plain or weighted: confusion tables, class totals, sums of losses.
# ----------------------------------------------------------------------------------------------


def of_unit_size(values: Floats) -> Floats:
    """Values by the power of two that brings the largest of a row next to 1.

    For what has no unit: no digit changes, and fourth powers stay numbers.

    >>> of_unit_size(np.array([3e200, -1.5e200])).round(2).tolist()
    [0.98, -0.49]
    """
    most = np.abs(values).max(axis=-1, keepdims=True, initial=0.0)
    return np.ldexp(values, -np.frexp(most)[1])


# ----------------------------------------------------------------------------------------------
# Weighted means over the cases, the last axis.
# ----------------------------------------------------------------------------------------------


def weighted_mean(values: Floats, weight: Floats | None) -> Floats:
    """Mean over the cases; an infinite value counts only where its case has weight.

    >>> float(weighted_mean(np.array([1.0, np.inf]), np.array([2.0, 0.0])))
    1.0
    """
    if weight is None:
        return np.asarray(values.mean(axis=-1))
    total = weight.sum(axis=-1)
    if values.ndim == 1 and np.isfinite(values).all():
        return np.asarray(weight @ values / total)
    with np.errstate(invalid="ignore"):
        terms = np.where(weight > 0, weight * values, 0.0)
    return np.asarray(terms.sum(axis=-1) / total)


# ----------------------------------------------------------------------------------------------
# Counting how often each class was predicted for each actual class.
# ----------------------------------------------------------------------------------------------


def confusion(actual: Array, predicted: Array, classes: int, weight: Array | None = None) -> Floats:
    """Cross-tabulate actual and predicted classes; rows are actual, columns predicted.

    Parameters
    ----------
    actual, predicted
        Class codes 0, ..., `classes` - 1, cases along the last axis.
    weight
        Weights of the cases. Codes and weights are broadcast against each other, so many
        weightings of the same cases (bootstrap counts) are one call.

    Returns
    -------
    Array (..., K, K) of total weights.

    Examples
    --------
    >>> confusion(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), 2)
    array([[1., 1.],
           [0., 2.]])
    """
    cells = classes * classes
    cell = _cell(actual, predicted, classes)
    if cell.ndim == 1 and weight is not None and np.ndim(weight) > 1:
        counts = _weights_of_fixed_cells(cell, weight, cells)
    elif cell.ndim == 1:
        counts = np.bincount(cell, weights=weight, minlength=cells).astype(np.float64)
    else:
        counts = _batched_counts(cell, weight, cells)
    return counts.reshape(*counts.shape[:-1], classes, classes)


CANCELLED = 1e-14  # of the total: what sums of weights may miss by
HELD = 4_000_000  # numbers of tables of many classes that are held at once


def table_blocks(count: int, classes: int) -> Iterator[Ints]:
    """The numbers of so many tables, as many at a time as may be held at once.

    >>> [len(some) for some in table_blocks(5, 1_400)]
    [2, 2, 1]
    """
    rows = max(1, HELD // classes**2)
    for start in range(0, count, rows):
        yield np.arange(start, min(start + rows, count))


def one_against_rest(table: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Split a confusion table into true and false positives and negatives of every class.

    Returns
    -------
    TP, FP, FN, TN, each (..., K).

    Examples
    --------
    >>> tp, fp, fn, tn = one_against_rest(np.array([[5, 1], [2, 4]]))
    >>> tp, fp, fn, tn
    (array([5, 4]), array([2, 1]), array([1, 2]), array([4, 5]))
    """
    tp = np.diagonal(table, axis1=-2, axis2=-1)
    if table.shape[-1] == 2:  # a cell each, without rounding
        one, other = [0, 1], [1, 0]
        return tp, table[..., other, one], table[..., one, other], table[..., other, other]
    actual, predicted = table.sum(axis=-1), table.sum(axis=-2)
    total = actual.sum(axis=-1, keepdims=True)
    least = CANCELLED * total
    fp, fn, tn = predicted - tp, actual - tp, total - actual - predicted + tp
    return tp, *(np.where(x <= least, np.zeros_like(x), x) for x in (fp, fn, tn))


def _cell(actual: Array, predicted: Array, classes: int) -> Array:
    """Number the cells of the table row by row, in the narrowest type that holds them."""
    narrow = np.min_scalar_type(classes * classes - 1)
    row = np.asarray(actual).astype(narrow, copy=False)
    column = np.asarray(predicted).astype(narrow, copy=False)
    return np.asarray(row * narrow.type(classes) + column)


def _weights_of_fixed_cells(cell: Array, weight: Array, cells: int) -> Floats:
    """Sum many weightings over the same cells: cases are sorted by cell once."""
    order = np.argsort(cell, kind="stable")
    present, starts = np.unique(cell[order], return_index=True)
    counts = np.zeros((*weight.shape[:-1], cells))
    counts[..., present] = np.add.reduceat(weight[..., order], starts, axis=-1)
    return counts


def _batched_counts(cell: Array, weight: Array | None, cells: int) -> Floats:
    batch = (
        cell.shape[:-1] if weight is None else np.broadcast_shapes(cell.shape, weight.shape)[:-1]
    )
    shape = (*batch, cell.shape[-1])
    rows = int(np.prod(batch))
    flat = np.broadcast_to(cell, shape).reshape(rows, -1) + cells * np.arange(rows)[:, None]
    weights = None if weight is None else np.broadcast_to(weight, shape).ravel()
    counts = np.bincount(flat.ravel(), weights=weights, minlength=rows * cells)
    return counts.astype(np.float64).reshape(*batch, cells)


# ----------------------------------------------------------------------------------------------
# One reading of outcomes and probabilities: the sums from which many measures follow.
# ----------------------------------------------------------------------------------------------


LANES = 128  # cases read side by side, enough to fill the vector registers


@dataclass(frozen=True, kw_only=True)
class ProbabilitySums:
    """Counts and sums over cases with outcome y (0 or 1) and predicted probability p.

    `sum_squares` is the sum of (y - p)²; `sum_log` that of the logarithm of the probability given
    to what happened, minus infinity once something happened that was called `impossible`
    (probability 0); `tp` and `fp` count the cases with p > threshold. `lowest`, `highest` and
    `nans` are for checking: the extremes of p without regard to nan, and how many nan there are.
    """

    n: int
    n_positive: int
    sum_p: float
    sum_p_positive: float
    sum_squares: float
    sum_log: float
    impossible: int
    tp: int
    fp: int
    lowest: float
    highest: float
    nans: int


def probability_sums(
    positive: Array, probability: Floats, threshold: float = 0.5
) -> ProbabilitySums:
    """Count and sum what accuracy, Brier score, log score and their kin need.

    Examples
    --------
    >>> sums = probability_sums(np.array([True, False, True]), np.array([0.9, 0.2, 0.4]))
    >>> sums.tp, sums.fp, round(sums.sum_squares, 12)
    (1, 0, 0.41)
    """
    positive = np.asarray(positive, dtype=bool)
    probability = np.asarray(probability, dtype=np.float64)
    sums = (
        _sums_in_one_pass(positive, probability, threshold) if worthwhile(positive.size) else None
    )
    return sums or _probability_sums_plain(positive, probability, threshold)


def _sums_in_one_pass(
    positive: Bools, probability: Floats, threshold: float
) -> ProbabilitySums | None:
    """The same, compiled; nothing if a value outside [0, 1] or a nan was met."""
    from abovechance.numerics.kernels import class_loops

    probability = np.ascontiguousarray(probability)
    bits = probability.view(np.int64)
    n_positive, sum_p, sum_p_positive, sum_squares, sum_log, impossible, tp, fp, low, high = (
        class_loops.sum_probabilities(positive, probability, bits, threshold, LANES)
    )
    lowest, highest = np.array([low, high]).view(np.float64).tolist()
    if low < 0 or not highest <= 1:
        return None
    return ProbabilitySums(
        n=probability.size,
        n_positive=n_positive,
        sum_p=sum_p,
        sum_p_positive=sum_p_positive,
        sum_squares=sum_squares,
        sum_log=sum_log,
        impossible=impossible,
        tp=tp,
        fp=fp,
        lowest=lowest,
        highest=highest,
        nans=0,
    )


def _probability_sums_plain(
    positive: Bools, probability: Floats, threshold: float
) -> ProbabilitySums:
    happened = np.where(positive, probability, 1 - probability)
    above = probability > threshold
    with np.errstate(divide="ignore", invalid="ignore"):
        sum_log = float(np.log(happened).sum())
    return ProbabilitySums(
        n=probability.size,
        n_positive=int(np.count_nonzero(positive)),
        sum_p=float(probability.sum()),
        sum_p_positive=float(probability[positive].sum()),
        sum_squares=float(((1 - happened) ** 2).sum()),
        sum_log=sum_log,
        impossible=int(np.count_nonzero(happened == 0)),
        tp=int(np.count_nonzero(above & positive)),
        fp=int(np.count_nonzero(above & ~positive)),
        lowest=float(np.fmin.reduce(probability, initial=np.inf)),
        highest=float(np.fmax.reduce(probability, initial=-np.inf)),
        nans=int(np.count_nonzero(np.isnan(probability))),
    )


# ----------------------------------------------------------------------------------------------
# Sums over the cases of each class, which can be added up piece by piece.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ClassSums:
    """Counts and sums over the cases of one class; `+` joins those of two parts of the data.

    With outcome y (1 in the positive class, 0 in the other) and predicted probability p:
    `called` counts the cases above the threshold; `p`, `losses` and `squared_losses` are the sums
    of p, (y - p)² and (y - p)⁴; `logs` and `squared_logs` those of the logarithm of the probability
    given to what happened and of its square; `odds` and `squared_odds` those of the log odds in
    favour of what happened. Logarithms of 0 are left out of the sums: cases are `impossible` where
    what happened was given probability 0, `certain` where what did not happen was.
    """

    n: int = 0
    called: int = 0
    p: float = 0.0
    losses: float = 0.0
    squared_losses: float = 0.0
    logs: float = 0.0
    squared_logs: float = 0.0
    odds: float = 0.0
    squared_odds: float = 0.0
    impossible: int = 0
    certain: int = 0

    def __add__(self, other: "ClassSums") -> "ClassSums":
        return ClassSums(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in PARTS})

    @property
    def squared_p(self) -> float:
        """Sum of p² in the positive class, where (y - p)² is (1 - p)²."""
        return self.losses - self.n + 2.0 * self.p


PARTS = fields(ClassSums)
COUNTS = ("n", "called", "impossible", "certain")
SUMS = ("p", "losses", "squared_losses", "logs", "squared_logs", "odds", "squared_odds")
ONE = int(np.float64(1.0).view(np.int64))  # its bits; those of nan and of larger numbers are more


def class_sums(
    positive: Array, probability: Floats, threshold: float = 0.5
) -> tuple[ClassSums, ClassSums] | None:
    """Sums over the positive and over the negative cases; None if a p lies outside [0, 1].

    Examples
    --------
    >>> positives, negatives = class_sums(np.array([True, False]), np.array([0.9, 0.2]))
    >>> positives.losses, negatives.losses, positives.called
    (0.01, 0.04, 1)
    """
    positive = np.asarray(positive, dtype=np.bool_)
    probability = np.ascontiguousarray(probability, dtype=np.float64)
    if probability.size == 0:
        return ClassSums(), ClassSums()
    if worthwhile(positive.size, module="stream_loops"):
        return _class_sums_compiled(positive, probability, threshold)
    return _class_sums_plain(positive, probability, threshold)


def _class_sums_compiled(
    positive: Bools, probability: Floats, threshold: float
) -> tuple[ClassSums, ClassSums] | None:
    from abovechance.numerics.kernels import stream_loops

    sums = np.zeros(2 * len(SUMS))
    scratch = np.empty((4, stream_loops.LANES))
    *counts, low, high = stream_loops.add_probabilities(
        positive, probability, threshold, scratch, sums
    ).tolist()
    if low < 0 or high > ONE:  # or a -0, which is a probability
        return _class_sums_plain(positive, probability, threshold)
    whole = dict(zip(COUNTS, counts[::2], strict=True))
    positives: dict[str, Any] = dict(zip(COUNTS, counts[1::2], strict=True))
    negatives: dict[str, Any] = {name: whole[name] - positives[name] for name in COUNTS}
    negatives |= zip(SUMS, sums[::2].tolist(), strict=True)
    positives |= zip(SUMS, sums[1::2].tolist(), strict=True)
    return ClassSums(**positives), ClassSums(**negatives)


def _class_sums_plain(
    positive: Bools, probability: Floats, threshold: float
) -> tuple[ClassSums, ClassSums] | None:
    if not ((probability >= 0.0) & (probability <= 1.0)).all():
        return None
    p, q = probability[positive], probability[~positive]
    return _one_class(p, p, 1.0 - p, threshold), _one_class(q, 1.0 - q, q, threshold)


def _one_class(probability: Floats, happened: Floats, other: Floats, threshold: float) -> ClassSums:
    losses = (1.0 - happened) ** 2
    logs = np.log(np.where(happened > 0, happened, 1.0))
    odds = logs - np.log(np.where(other > 0, other, 1.0))
    return ClassSums(
        n=probability.size,
        called=int(np.count_nonzero(probability > threshold)),
        p=float(probability.sum()),
        losses=float(losses.sum()),
        squared_losses=float((losses**2).sum()),
        logs=float(logs.sum()),
        squared_logs=float((logs**2).sum()),
        odds=float(odds.sum()),
        squared_odds=float((odds**2).sum()),
        impossible=int(np.count_nonzero(happened == 0)),
        certain=int(np.count_nonzero(other == 0)),
    )


# ----------------------------------------------------------------------------------------------
# How frequent classes are under weights: exactly 1 where only one class has weight.
#
# A weighted mean of ones need not be 1 in floating point; then what is undefined for one class
# alone would get a value.
# ----------------------------------------------------------------------------------------------


def positive_share(outcome: Floats, weight: Floats | None) -> Floats:
    """Share of positives among outcomes 0 and 1; both may be batches (…, n).

    >>> positive_share(np.array([1.0, 1.0, 0.0]), np.array([0.1, 0.7, 0.0])).item()
    1.0
    """
    if weight is None:
        return np.asarray(outcome.mean(axis=-1))
    positive, negative = (_total(weight, part) for part in (outcome, 1.0 - outcome))
    return np.asarray(positive / (positive + negative))


def class_shares(onehot: Floats, weight: Floats | None) -> Floats:
    """Share of each class, the last axis, from indicators (…, K, n) and weights (…, n)."""
    if weight is None:
        totals = onehot.sum(axis=-1)
    elif onehot.ndim == 2:
        totals = weight @ onehot.T
    else:
        totals = _total(weight[..., None, :], onehot)
    return np.asarray(totals / totals.sum(axis=-1, keepdims=True))


def _total(weight: Floats, values: Floats) -> Floats:
    """Weighted sum over the cases, as one product where the values are no batch."""
    return weight @ values if values.ndim == 1 else np.einsum("...n,...n->...", weight, values)


# ----------------------------------------------------------------------------------------------
# Variances and medians under weights, for one weighting of the cases or a batch of them.
#
# Values are (…, n) or (…, outputs, n); a weight is None or (…, n) and broadcasts against them.
# ----------------------------------------------------------------------------------------------


ROUNDING = 1e-12  # how far, relative to all weights, half of them may be missed by adding up
FAR = (
    100.0  # how many variances a squared mean may have before the two are told apart by difference
)


class Moments(NamedTuple):
    """Variances of two columns and their covariance, all divided by the sum of weights."""

    first: Floats
    second: Floats
    covariance: Floats


def mean(values: Floats, weight: Floats | None) -> Floats:
    """Weighted mean over the cases of finite values."""
    if weight is None or values.ndim == 1:
        return weighted_mean(values, weight)
    return np.asarray(np.einsum("...n,...n->...", weight, values) / weight.sum(axis=-1))


def centred(values: Floats, weight: Floats | None) -> Floats:
    """Deviations from the weighted mean: exactly zero where all cases with weight are equal.

    Subtracting one of the values first keeps the digits of numbers far from zero, and makes
    constant outcomes recognisable: the mean of equal numbers need not equal them in floating point.

    >>> centred(np.array([0.1, 0.1, 0.1, 7.0]), np.array([1.0, 1.0, 1.0, 0.0]))[:3]
    array([0., 0., 0.])
    """
    if weight is None:
        start = values[..., :1]
    else:
        values, weight = np.broadcast_arrays(values, weight)
        start = np.take_along_axis(values, np.argmax(weight > 0, axis=-1)[..., None], axis=-1)
    shifted = values - start
    return np.asarray(shifted - mean(shifted, weight)[..., None])


def moments(first: Floats, second: Floats, weight: Floats | None) -> Moments:
    """Variances and covariance; zero exactly where all cases with weight are equal.

    A batch is one matrix product with the columns, centred once for all, and their products. Rows
    whose own mean lies so far from the common one that digits were lost are done again by
    deviations.

    >>> moments(np.array([1.0, 2.0, 6.0]), np.array([1.0, 3.0, 2.0]), None).covariance.item()
    0.333
    """
    if (
        weight is None
        or weight.size == weight.shape[-1]
        or not _same_for_all(first, second, weight)
    ):
        return _by_deviations(first, second, weight)
    a, b = centred(first, None), centred(second, None)
    rows = weight if first.ndim == 1 else weight[..., 0, :]
    sums = np.tensordot(rows, np.stack([a, b, a * a, b * b, a * b]), axes=(-1, -1))
    mean_a, mean_b, *squares = np.moveaxis(sums, 1, 0) / weight.sum(axis=-1)
    found = Moments(squares[0] - mean_a**2, squares[1] - mean_b**2, squares[2] - mean_a * mean_b)
    far = (mean_a**2 > FAR * found.first) | (mean_b**2 > FAR * found.second)
    again = np.flatnonzero(far if far.ndim == 1 else far.any(axis=-1))
    if again.size:
        for column, exact in zip(found, _by_deviations(first, second, weight[again]), strict=True):
            column[again] = exact
    return found


def _same_for_all(first: Floats, second: Floats, weight: Floats) -> bool:
    """Whether one row of values, or one of each output, stands beside a single axis of weights."""
    if first.ndim == second.ndim == 1:
        return weight.ndim == 2
    return first.ndim == second.ndim == 2 and weight.ndim == 3 and weight.shape[-2] == 1


def _by_deviations(first: Floats, second: Floats, weight: Floats | None) -> Moments:
    a, b = centred(first, weight), centred(second, weight)
    return Moments(*(mean(x, weight) for x in (a * a, b * b, a * b)))


def weighted_median(values: Floats, weight: Floats | None) -> Floats:
    """The value with half of the weight on either side; the middle of two where both qualify.

    >>> weighted_median(np.array([1.0, 2.0, 9.0]), np.array([1.0, 1.0, 2.0])).item()
    5.5
    """
    if weight is None:
        return np.asarray(np.median(values, axis=-1))
    order = np.argsort(values, axis=-1)
    if values.ndim == 1:
        ordered, weighed = values[order], weight[..., order]
    else:
        weight, order, ordered = np.broadcast_arrays(
            weight, order, np.take_along_axis(values, order, axis=-1)
        )
        weighed = np.take_along_axis(weight, order, axis=-1)
    reached = np.cumsum(weighed, axis=-1)
    half, slack = reached[..., -1:] / 2.0, ROUNDING * reached[..., -1:]
    low = np.argmax(reached >= half - slack, axis=-1)[..., None]
    high = np.argmax(reached > half + slack, axis=-1)[..., None]
    if values.ndim == 1:
        return np.asarray((ordered[low] + ordered[high])[..., 0] / 2.0)
    middle = (
        np.take_along_axis(ordered, low, axis=-1) + np.take_along_axis(ordered, high, axis=-1)
    ) / 2.0
    return np.asarray(middle[..., 0])
