"""Two-group statistics for differences that sit in a few features."""

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.numerics.covariance import residuals
from abovechance.signal.row_groups import (
    SEPARATED,
    differences,
    group_size,
    mean_difference,
    pieces,
    row_groups,
)
from abovechance.signal.statistic import Statistic


def simes_score(X: Floats, y: Ints) -> float:
    r"""Evidence of the best of the features' t tests, paid for by their number.

    .. math:: -\log\bigl(p \min_i p_{(i)} / i\bigr)

    of the two-sided Welch tests of the p features; infinite when the groups differ in a feature
    that varies in neither.

    References
    ----------
    Simes (1986); Rosenblatt et al. (2019), "Simes".

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [2.0, 1.0], [4.0, 0.5], [5.0, 0.6]])
    >>> simes_score(X, np.array([0, 0, 1, 1]))
    2.2765918
    """
    left, total = (residuals(X, y) ** 2).sum(axis=0), X.var(axis=0) * len(X)
    if (left <= SEPARATED * total).any():
        return np.inf
    first, zeroth = X[y == 1], X[y == 0]
    p_values = welch(
        first.mean(axis=0) - zeroth.mean(axis=0),
        (first.var(axis=0, ddof=1) / len(first), len(first)),
        (zeroth.var(axis=0, ddof=1) / len(zeroth), len(zeroth)),
    )
    return float(-np.log(simes_p_value(p_values)))


def welch(d: Floats, first: tuple[Floats, int], second: tuple[Floats, int]) -> Floats:
    """Two-sided p-values of Welch's t tests from differences, squared errors and sizes."""
    from scipy.special import stdtr

    (error1, n1), (error0, n0) = first, second
    error = error1 + error0
    degrees = error**2 / (error1**2 / (n1 - 1) + error0**2 / (n0 - 1))
    return np.asarray(2 * stdtr(degrees, -np.abs(d) / np.sqrt(error)))


def simes_p_value(p_values: Floats) -> Floats:
    """Simes' combination over the last axis.

    >>> float(simes_p_value(np.array([0.04, 0.01, 0.6])))
    0.03
    """
    p = p_values.shape[-1]
    return np.asarray(p * (np.sort(p_values, axis=-1) / np.arange(1, p + 1)).min(axis=-1))


def cai_score(X: Floats, y: Ints) -> float:
    r"""The largest standardised difference of means after removing the features' correlation.

    With :math:`S` the covariance within groups (divisor n) and :math:`\theta_{ij}` the variance
    of its terms, entries with :math:`|S_{ij}| < 2 \sqrt{\theta_{ij} \log p / n}` become zero and
    eigenvalues are raised to :math:`\log p / n`; with :math:`z = \hat\Sigma^{-1} x`,

    .. math:: \frac{n_1 n_0}{n} \max_j (\bar z_{1j} - \bar z_{0j})^2 / \omega_j, \quad
        \omega_j = (n_1 s_{1j}^2 + n_0 s_{0j}^2) / n.

    References
    ----------
    Cai, Liu and Xia (2014), section 3; Rosenblatt et al. (2019), "Cai".

    Examples
    --------
    >>> cai_score(np.array([[1.0], [2.0], [4.0], [5.0]]), np.array([0, 0, 1, 1]))
    36.0
    """
    n, p = X.shape
    left = residuals(X, y)
    covariance = left.T @ left / n
    if (np.diag(covariance) <= SEPARATED * X.var(axis=0)).any():
        return np.inf
    theta = (left**2).T @ (left**2) / n - covariance**2
    kept = np.abs(covariance) >= 2 * np.sqrt(np.maximum(theta, 0) * np.log(p) / n)
    values, vectors = np.linalg.eigh(np.where(kept, covariance, 0.0))
    values = np.maximum(values, np.log(p) / n)
    inverse = (vectors / values) @ vectors.T
    omega = ((left @ inverse) ** 2).mean(axis=0)
    return float(group_size(y) * ((inverse @ mean_difference(X, y)) ** 2 / omega).max())


def _simes_batch(X: Floats, labels: Ints) -> Floats:
    """Group means and variances of all labellings from two matrix products."""
    centred = X - X.mean(axis=0)
    ones, n1 = labels.astype(float), int(labels[0].sum())
    n0 = labels.shape[1] - n1
    first, second = ones @ centred, ones @ centred**2
    total = (centred**2).sum(axis=0)
    left1, left0 = second - first**2 / n1, total - second - first**2 / n0
    separated = left1 + left0 <= SEPARATED * total
    error1 = np.where(separated, 1.0, np.maximum(left1, 0.0) / (n1 * (n1 - 1)))
    error0 = np.where(separated, 1.0, np.maximum(left0, 0.0) / (n0 * (n0 - 1)))
    p_values = welch(first * (1 / n1 + 1 / n0), (error1, n1), (error0, n0))
    return np.where(separated.any(axis=1), np.inf, -np.log(simes_p_value(p_values)))


def _cai_batch(X: Floats, labels: Ints) -> Floats:
    """The formula on stacks of labellings; its eigenvectors leave little that is invariant."""
    n, p = X.shape
    total, results = X.var(axis=0), []
    for some in pieces(labels, n * p + 4 * p * p):
        left = _residuals(X, some)
        covariance = left.transpose(0, 2, 1) @ left / n
        variance = np.diagonal(covariance, axis1=1, axis2=2)
        theta = (left**2).transpose(0, 2, 1) @ (left**2) / n - covariance**2
        kept = np.abs(covariance) >= 2 * np.sqrt(np.maximum(theta, 0) * np.log(p) / n)
        values, vectors = np.linalg.eigh(np.where(kept, covariance, 0.0))
        separated = (variance <= SEPARATED * total).any(axis=1)
        values = np.where(separated[:, None], 1.0, np.maximum(values, np.log(p) / n))
        inverse = (vectors / values[:, None, :]) @ vectors.transpose(0, 2, 1)
        omega = ((left @ inverse) ** 2).mean(axis=1)
        z = (inverse @ differences(X, some)[:, :, None])[:, :, 0]
        score = group_size(some[0]) * (z**2 / np.where(separated[:, None], 1.0, omega)).max(axis=1)
        results.append(np.where(separated, np.inf, score))
    return np.concatenate(results)


def _residuals(X: Floats, labels: Ints) -> Floats:
    """Rows less the mean of their own group, for every labelling (B, n, p)."""
    left = np.empty((len(labels), *X.shape))
    for rows in row_groups(labels):
        taken = X[rows]
        np.put_along_axis(left, rows[:, :, None], taken - taken.mean(axis=1, keepdims=True), 1)
    return left


simes = Statistic(
    name="simes",
    title="Simes' combination of t tests",
    source="Simes (1986)",
    naive=simes_score,
    batch=_simes_batch,
    aliases=("Simes",),
)
cai = Statistic(
    name="cai",
    title="Cai, Liu and Xia's largest difference",
    source="Cai, Liu and Xia (2014)",
    naive=cai_score,
    batch=_cai_batch,
    aliases=("Cai",),
)
