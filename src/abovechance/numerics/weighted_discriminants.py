"""Discriminants of many samples of the rows of one table, given as counts per row."""

from typing import NamedTuple

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.numerics.hat import RANK

TOGETHER = 4_096  # samples whose moments are taken in one product of matrices
UNSURE = 1e-12  # share of a feature's scatter below which differences of sums cannot tell it


class Moments(NamedTuple):
    """Sizes (F, 2) and means (F, 2, p) of the classes; scatter (F, p) within them, if sure."""

    sizes: Floats
    means: Floats
    within: Floats
    unsure: Bools


def class_moments(X: Floats, labels: Ints, counts: Ints) -> Moments:
    """Moments of two classes in F samples: row i counts[f, i] times with class labels[f, i].

    Scatter is a difference of sums, so `X` should be centred.
    """
    times = counts.astype(float)
    ones = times * labels
    n1, n = ones.sum(axis=1), times.sum(axis=1)
    sums1, sums = ones @ X, times @ X
    squares = times @ X**2
    sizes = np.stack([n - n1, n1], axis=1)
    means = np.stack([sums - sums1, sums1], axis=1) / np.maximum(sizes, 1)[:, :, None]
    within = squares - (sizes[:, :, None] * means**2).sum(axis=1)
    unsure = within <= UNSURE * squares
    return Moments(sizes, means, np.where(unsure, 1.0, within), unsure)


def weighted_discriminants(
    X: Floats, labels: Ints, counts: Ints, lost: int = 2
) -> tuple[Floats, Bools]:
    """Log-odds (F, n) of all rows by F discriminants, and which of them are to be mistrusted.

    Their covariance is the scatter within classes over the rows drawn less those `lost`.
    Doubtful are samples with fewer than three rows, a single class, a feature that hardly varies
    within classes, or a direction of so little spread that the rule for singular covariances
    might leave it out.
    """
    centred = X - X.mean(axis=0)
    parts = [
        _some(centred, labels[k : k + TOGETHER], counts[k : k + TOGETHER], lost)
        for k in range(0, len(labels), TOGETHER)
    ]
    return np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts])


def _some(X: Floats, labels: Ints, counts: Ints, lost: int) -> tuple[Floats, Bools]:
    from abovechance.numerics.kernels.weighted import directions

    p, moments = X.shape[1], class_moments(X, labels, counts)
    number = moments.sizes.sum(axis=1)
    doubtful = (moments.sizes.min(axis=1) < 1) | (number < 3)
    doubtful |= moments.unsure.any(axis=1)
    spreads = np.sqrt(moments.within / np.maximum(number - 1, 1)[:, None])
    distinct = (counts > 0).sum(axis=1)
    found = np.zeros((len(labels), p))
    for narrow in (False, True):
        some = np.flatnonzero(~doubtful & ((distinct - 2 < p) == narrow))
        if len(some):
            some = some[np.argsort(distinct[some], kind="stable")]
            rows = np.argsort(counts[some] == 0, axis=1, kind="stable")[:, : distinct[some[-1]]]
            out, bad = np.empty((len(some), p)), np.empty(len(some), dtype=bool)
            directions(
                X,
                rows,
                distinct[some],
                labels[some],
                np.sqrt(counts[some] / np.maximum(number[some] - lost, 1)[:, None]),
                moments.means[some],
                spreads[some],
                narrow,
                RANK,
                out,
                bad,
            )
            found[some], doubtful[some] = out, bad
    middle = (found * moments.means.mean(axis=1)).sum(axis=1)
    with np.errstate(divide="ignore"):
        prior = np.log(moments.sizes[:, 1]) - np.log(moments.sizes[:, 0])
    return found @ X.T + (prior - middle)[:, None], doubtful
