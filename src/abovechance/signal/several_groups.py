"""Statistics of two groups carried over to several groups and to outcomes that are numbers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.signal.row_groups import CACHE, ROUNDING, SEPARATED, distances, gaussian_kernel


@dataclass(frozen=True)
class Extension:
    """What a statistic of two groups becomes for another kind of outcome.

    `batch` takes features (n, p) and outcomes (B, n), class numbers from 0 on or numbers, each a
    permutation of the first.
    """

    title: str
    source: str
    batch: Callable[[Floats, Any], Floats]


def lawley_hotelling(X: Floats, labels: Ints) -> Floats:
    r"""Spread of the groups' means in units of the spread within groups.

    .. math:: (n - K) \, \mathrm{tr}(W^{-1} B)

    with B and W the scatter between and within K groups; Hotelling's T² for two.

    References
    ----------
    Anderson (2003), An Introduction to Multivariate Statistical Analysis, section 8.6.1.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [4.0], [5.0]])
    >>> lawley_hotelling(X, np.array([[0, 0, 1, 1]]))
    array([18.])
    """
    basis, members = _orthonormal(X), _members(labels)
    means = [one @ basis / np.sqrt(one[0].sum()) for one in members]
    between = np.einsum("jbp,kbp->bjk", means, means)
    shares = np.linalg.eigvalsh(between)
    return (X.shape[0] - len(means)) * _odds(shares).sum(axis=1)


def explained(X: Floats, outcomes: Floats) -> Floats:
    r"""How much of an outcome least squares on the features explains.

    .. math:: (n - 2) \, R^2 / (1 - R^2)

    For an outcome of two values it is Hotelling's T².

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [4.0], [5.0]])
    >>> explained(X, np.array([[0.0, 0.0, 1.0, 1.0]]))
    array([18.])
    """
    centred = outcomes - outcomes.mean(axis=1, keepdims=True)
    share = ((centred @ _orthonormal(X)) ** 2).sum(axis=1) / (centred**2).sum(axis=1)
    return (X.shape[0] - 2) * _odds(share)


def multinomial_score(X: Floats, labels: Ints) -> Floats:
    r"""Score statistic of the global test for several classes.

    .. math:: \sum_k n_k^2 \lVert \bar x_k - \bar x \rVert^2

    References
    ----------
    Goeman et al. (2004), section 3, with the multinomial model of the R package globaltest.

    Examples
    --------
    >>> multinomial_score(np.array([[0.0], [1.0], [5.0]]), np.array([[0, 1, 2]]))
    array([14.])
    """
    centred = X - X.mean(axis=0)
    return np.asarray(sum(((one @ centred) ** 2).sum(axis=1) for one in _members(labels)))


def linear_score(X: Floats, outcomes: Floats) -> Floats:
    r"""Score statistic of the global test for numbers: :math:`\lVert X^T (y - \bar y) \rVert^2`.

    References
    ----------
    Goeman et al. (2004), equation 5.

    Examples
    --------
    >>> linear_score(np.array([[0.0], [1.0], [5.0]]), np.array([[1.0, 2.0, 3.0]]))
    array([25.])
    """
    centred = outcomes - outcomes.mean(axis=1, keepdims=True)
    return np.asarray(((centred @ (X - X.mean(axis=0))) ** 2).sum(axis=1))


def pairwise_energy(X: Floats, labels: Ints) -> Floats:
    """Sum over pairs of groups of their energy distances.

    References
    ----------
    Székely and Rizzo (2004), section 2.2.

    Examples
    --------
    >>> pairwise_energy(np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([[0, 0, 1, 1]]))
    array([2.])
    """
    members, distance = _members(labels), distances(X)
    total = np.zeros(len(labels))
    sizes = [float(one[0].sum()) for one in members]
    sums = [one @ distance for one in members]
    within = [(s * one).sum(axis=1) / n**2 for s, one, n in zip(sums, members, sizes, strict=True)]
    for j, n in enumerate(sizes):
        for k in range(j):
            m = sizes[k]
            across = (sums[j] * members[k]).sum(axis=1) / (n * m)
            total += n * m / (n + m) * (2 * across - within[j] - within[k])
    return total


def distance_covariance(X: Floats, outcomes: Floats) -> Floats:
    r"""Dependence of any kind between features and a number: n times the squared covariance of
    distances.

    .. math:: \frac1n \sum_{ij} A_{ij} \lvert y_i - y_j \rvert

    with A the doubly centred distances between rows.

    References
    ----------
    Székely, Rizzo and Bakirov (2007), definition 4 and theorem 6.
    """
    centred = _doubly_centred(distances(X))
    found = [
        np.einsum("ij,bij->b", centred, np.abs(part[:, :, None] - part[:, None, :]))
        for part in _pieces(outcomes)
    ]
    return np.concatenate(found) / X.shape[0]


def kernel_spread(X: Floats, labels: Ints) -> Floats:
    r"""Spread of the groups' mean embeddings under a Gaussian kernel.

    .. math:: \sqrt{\sum_k \tfrac{n_k}{n} \lVert \mu_k - \mu \rVert^2}

    For two groups it is :math:`\sqrt{n_1 n_0} / n` times the maximum mean discrepancy.

    References
    ----------
    Gretton et al. (2012), equation 5; Gretton et al. (2005) with the classes' identity as kernel.
    """
    kernel, n = gaussian_kernel(X), X.shape[0]
    parts = [((one @ kernel) * one).sum(axis=1) / one[0].sum() for one in _members(labels)]
    square = np.asarray(sum(parts)) / n - kernel.mean()
    return np.sqrt(np.where(square > ROUNDING, square, 0.0))


def independence_criterion(X: Floats, outcomes: Floats) -> Floats:
    r"""Dependence of any kind between features and a number, under Gaussian kernels.

    .. math:: \frac{1}{n^2} \mathrm{tr}(K H L H)

    with K and L the kernels of features and of the outcome, each as wide as its median distance.

    References
    ----------
    Gretton et al. (2005), definition 2.
    """
    centred = _doubly_centred(gaussian_kernel(X))
    apart = (outcomes[0][:, None] - outcomes[0]) ** 2
    width = np.median(apart[np.triu(apart, 1) > 0])
    found = [
        np.einsum(
            "ij,bij->b", centred, np.exp(-((part[:, :, None] - part[:, None, :]) ** 2) / width)
        )
        for part in _pieces(outcomes)
    ]
    return np.concatenate(found) / X.shape[0] ** 2


def _members(labels: Ints) -> list[Floats]:
    """Who is in each group, as numbers (B, n)."""
    return [(labels == k).astype(float) for k in range(int(labels[0].max()) + 1)]


def _orthonormal(X: Floats) -> Floats:
    return np.asarray(np.linalg.qr((X - X.mean(axis=0)) / X.std(axis=0))[0])


def _odds(share: Floats) -> Floats:
    """share / (1 - share), infinite once what is left is rounding."""
    left = 1 - share
    return np.asarray(np.where(left > SEPARATED, share / np.maximum(left, SEPARATED), np.inf))


def _doubly_centred(matrix: Floats) -> Floats:
    mean = matrix.mean(axis=0)
    return np.asarray(matrix - mean - mean[:, None] + mean.mean())


def _pieces(outcomes: Floats) -> Iterator[Floats]:
    """Outcomes a few at a time, so that their differences stay in the cache."""
    step = max(1, CACHE // outcomes.shape[1] ** 2)
    for start in range(0, len(outcomes), step):
        yield outcomes[start : start + step]
