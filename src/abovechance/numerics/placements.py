"""Placements: where each case stands among those of the other class, and what follows for AUC."""

from dataclasses import dataclass

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.numerics.ranks import midranks


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
