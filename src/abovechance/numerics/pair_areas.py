"""Areas under the ROC curve of every pair of classes."""

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.numerics.kernels import worthwhile
from abovechance.numerics.ranks import places, ratio, tied_groups

AT_ONCE = 1 << 22  # probabilities parted by class in one reading


def pair_aucs(
    probability: Floats, actual: Array, classes: int, weight: Array | None = None
) -> Floats:
    """Separability of every ordered pair of classes by the probability of the first.

    Entry [i, j] is the probability that a case of class i has a higher probability of class i than
    a case of class j has, ties one half; nan on the diagonal and where a class is empty.

    Parameters
    ----------
    probability
        Predicted probabilities, one row a class, (K, n).
    actual
        Class codes (n,).
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
    if weight is None and worthwhile(probability.size):
        return _pair_aucs_by_merging(probability, actual, classes)
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


def _pair_aucs_by_merging(probability: Floats, actual: Array, classes: int) -> Floats:
    """Part each column by class, sort the parts by value and merge them pairwise."""
    from abovechance.numerics.kernels import multiclass

    code = np.asarray(actual).astype(np.uint32)
    sizes = np.bincount(code, minlength=classes)
    start = np.concatenate([[0], np.cumsum(sizes + 1)])
    rows = max(1, min(classes, AT_ONCE // start[-1]))
    parted = np.full((rows, start[-1]), np.inf)
    twice_u = np.zeros((classes, classes))
    for block in range(0, classes, rows):
        columns = probability[block : block + rows]
        multiclass.scatter_by_class(code, columns, start, parted)
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
