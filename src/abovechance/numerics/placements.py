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


def delong(scores: Floats, positive: Bools) -> Areas:
    """Areas of scores (k, n) and their covariance (k, k).

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), eqs. 5–7.
    """
    below, above = placements(np.atleast_2d(scores), positive)
    return Areas(below.mean(axis=-1), _scatter(below) + _scatter(above))


def clustered_delong(scores: Floats, positive: Bools, groups: Array) -> Areas:
    """The same with whole clusters as the units that vary.

    References
    ----------
    Obuchowski (1997), section 3.
    """
    scores = np.atleast_2d(scores)
    below, above = placements(scores, positive)
    area = below.mean(axis=-1, keepdims=True)
    _, code = np.unique(groups, return_inverse=True)
    units = int(code.max()) + 1
    n1, n0 = below.shape[-1], above.shape[-1]
    at1 = _totals(below - area, code[positive], units) / n1
    at0 = _totals(above - area, code[~positive], units) / n0
    together = at1 + at0
    return Areas(area[:, 0], together @ together.T * units / (units - 1))


def hanley_mcneil_variance(area: Floats, n1: int, n0: int) -> Floats:
    """Variance of the area under exponential models, the larger of both ways round.

    References
    ----------
    Hanley & McNeil (1982), eq. 1.
    """
    q1, q2 = area / (2.0 - area), 2.0 * area**2 / (1.0 + area)
    square = area**2
    one = area * (1 - area) + (n1 - 1) * (q1 - square) + (n0 - 1) * (q2 - square)
    other = area * (1 - area) + (n1 - 1) * (q2 - square) + (n0 - 1) * (q1 - square)
    return np.maximum(one, other) / (n1 * n0)


def _scatter(values: Floats) -> Floats:
    size = values.shape[-1]
    if size < 2:
        return np.zeros((len(values), len(values)))
    centred = values - values.mean(axis=-1, keepdims=True)
    return centred @ centred.T / (size - 1) / size


def _totals(values: Floats, code: Array, units: int) -> Floats:
    return np.stack([np.bincount(code, weights=row, minlength=units) for row in values])
