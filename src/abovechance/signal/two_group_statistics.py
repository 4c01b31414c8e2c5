"""Statistics of two groups of rows: of means, of sparse differences, of distances."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats, Ints, floats_or_none, spread_out
from abovechance.errors import DataError
from abovechance.numerics import machine_room
from abovechance.numerics.covariance import (
    pooled_covariance,
    residuals,
    schafer_strimmer,
    shrunken_stack,
    total_scatter,
)
from abovechance.numerics.kernels import worthwhile
from abovechance.signal.statistic import (
    KERNEL_ROUNDING,
    SEPARATED,
    Extension,
    Statistic,
    differences,
    distance_covariance,
    distances,
    explained,
    gaussian_kernel,
    group_size,
    independence_criterion,
    kernel_spread,
    lawley_hotelling,
    linear_score,
    mean_difference,
    multinomial_score,
    pairwise_energy,
    pieces,
    row_groups,
)

# ----------------------------------------------------------------------------------------------
# Two-group statistics that compare means through a covariance matrix.
# ----------------------------------------------------------------------------------------------


PAIRS = 4  # rows, of which each group of two or more has two


def hotelling_t2(X: Floats, y: Ints) -> float:
    r"""How far apart two groups' means are, in units of the spread within groups.

    .. math:: T^2 = \frac{n_1 n_0}{n} \, d^\top S^{-1} d

    with :math:`d` the difference of means and :math:`S` the pooled covariance. Infinite when the
    groups differ in a direction in which they do not vary.

    References
    ----------
    Hotelling (1931); Rosenblatt et al., Table 1, "Hotelling".

    Examples
    --------
    >>> hotelling_t2(np.array([[1.0], [2.0], [4.0], [5.0]]), np.array([0, 0, 1, 1]))
    18.0
    """
    return distance_t2(X, y, pooled_covariance(X, y))


def hotelling_shrink_t2(X: Floats, y: Ints) -> float:
    r"""Hotelling's statistic with each group's covariance shrunken before pooling.

    .. math:: T^2 = \frac{n_1 n_0}{n} d^\top S_*^{-1} d, \quad
        S_* = \frac{(n_1 - 1) S_1^* + (n_0 - 1) S_0^*}{n - 2}

    Each group has its own shares of shrinkage, as in the code behind the source, which reads as
    if the pooled covariance were shrunken. Works with more features than rows.

    References
    ----------
    Schäfer and Strimmer (2005); Rosenblatt et al., Table 1, "Hotelling.shrink".

    Examples
    --------
    >>> hotelling_shrink_t2(np.array([[1.0], [2.0], [4.0], [5.0]]), np.array([0, 0, 1, 1]))
    18.0
    """
    groups = [X[y == 1], X[y == 0]]
    scatter = sum((len(rows) - 1) * schafer_strimmer(rows).covariance for rows in groups)
    return distance_t2(X, y, np.asarray(scatter) / (len(X) - 2))


def srivastava_du_t(X: Floats, y: Ints) -> float:
    r"""Sum of squared t statistics over features, standardised for their correlation.

    .. math:: T = \frac{\frac{n_1 n_0}{n} d^\top D^{-1} d - p}
        {\sqrt{2 (\mathrm{tr} R^2 - p^2/(n-2)) \, (1 + \mathrm{tr} R^2 / p^{3/2})}}

    with :math:`D` the diagonal of the pooled covariance and :math:`R` its correlations. Centred
    at p, as in Rosenblatt et al.; Srivastava and Du centre at :math:`p(n-2)/(n-4)`, which shifts
    the statistic and changes no permutation p-value by much. Works with more features than rows.

    References
    ----------
    Srivastava and Du (2008), equation 1.4; Rosenblatt et al., Table 1, "sd".

    Examples
    --------
    >>> srivastava_du_t(np.array([[1.0], [2.0], [4.0], [5.0]]), np.array([0, 0, 1, 1]))
    12.0208
    """
    (n, p), covariance = X.shape, pooled_covariance(X, y)
    variance, total = np.diag(covariance), X.var(axis=0) * len(X)
    if (variance * (n - 2) <= SEPARATED * total).any():
        return np.inf
    distance = group_size(y) * (mean_difference(X, y) ** 2 / variance).sum()
    trace = (covariance**2 / np.outer(variance, variance)).sum()
    return float((distance - p) / np.sqrt(2 * (trace - p**2 / (n - 2)) * (1 + trace / p**1.5)))


def distance_t2(X: Floats, y: Ints, covariance: Floats) -> float:
    """c d' S⁻¹ d, infinite once the share 1 / (1 + T²/(n-2)) left within groups is rounding."""
    d, degrees = mean_difference(X, y), len(X) - 2
    try:
        t2 = float(group_size(y) * d @ np.linalg.solve(covariance, d))
    except np.linalg.LinAlgError:
        return np.inf
    return t2 if 0 <= t2 * SEPARATED < degrees else np.inf


def _hotelling_batch(X: Floats, labels: Ints) -> Floats:
    return _hotelling_of(X)(labels)


def _hotelling_of(X: Floats) -> Callable[[Ints], Floats]:
    return partial(_explained_odds, np.linalg.qr(X - X.mean(axis=0))[0])


def _size_of_all(labels: Array) -> float:
    """The effective size of labellings (…, n), which is the same of all."""
    return group_size(labels.reshape(-1, labels.shape[-1])[0])


def _products(one: Floats, other: Floats) -> Floats:
    """The sums of products of rows, by one pass over them."""
    return np.asarray(np.einsum("...i,...i->...", one, other))


def _explained_odds(basis: Floats, labels: Ints) -> Floats:
    """T² grows with the share of the labels' variance that the features explain."""
    projected = np.asarray(labels, dtype=float) @ basis
    share = _products(projected, projected) / _size_of_all(labels)
    left = 1 - share
    known = left > SEPARATED
    if known.all():
        return np.asarray((len(basis) - 2) * share / left)
    return np.where(known, (len(basis) - 2) * share / np.where(known, left, 1.0), np.inf)


def _srivastava_du_batch(X: Floats, labels: Ints) -> Floats:
    return _srivastava_du_of(X)(labels)


def _srivastava_du_of(X: Floats) -> Callable[[Ints], Floats]:
    Z = X / np.sqrt(np.diag(total_scatter(X)))
    Z -= Z.mean(axis=0)
    total = Z.T @ Z
    return partial(_diagonal_distance, Z, total, total**2)


def _diagonal_distance(Z: Floats, total: Floats, squares: Floats, labels: Ints) -> Floats:
    """Scatter within groups is total scatter less a matrix of rank one: c d d'."""
    (n, p), c = Z.shape, _size_of_all(labels)
    d, inverse, weighted, product = spread_out(4, (*labels.shape[:-1], p))
    np.matmul(np.asarray(labels, dtype=float), Z, out=d)
    d /= c
    within = np.multiply(d, d, out=inverse)
    within *= -c
    within += 1
    separated = None
    if not within.min() > SEPARATED:
        separated = (within <= SEPARATED).any(axis=-1)
        within[separated] = 1.0
    np.divide(1.0, within, out=inverse)
    np.multiply(inverse, d, out=weighted)
    squared = _products(d, weighted)
    trace = _products(np.matmul(inverse, squares, out=product), inverse)
    shared = _products(np.matmul(weighted, total, out=product), weighted)
    trace = trace - 2 * c * shared + (c * squared) ** 2
    distance = (n - 2) * c * squared
    spread = 2 * (trace - p**2 / (n - 2)) * (1 + trace / p**1.5)
    if separated is None:
        return np.asarray((distance - p) / np.sqrt(spread))
    spread[separated] = 1.0
    return np.where(separated, np.inf, (distance - p) / np.sqrt(spread))


def _srivastava_du_local(X: Floats, labels: Ints, starts: Ints, members: Any) -> Floats:
    """The same of many neighbourhoods: what a column does is found once for all of them."""
    from abovechance.numerics.kernels.map_loops import diagonal_parts

    n, c = len(X), group_size(labels[0])
    Z = unit_columns(X)
    d = np.ascontiguousarray(Z @ labels.T.astype(float) / c)
    within = 1 - c * d**2
    apart = within <= SEPARATED
    inverse = 1 / np.where(apart, 1.0, within)
    shape = (len(starts) - 1, len(labels))
    squared, trace = np.empty(shape), np.empty(shape)
    diagonal_parts(Z, d, inverse, c, starts, members, squared, trace)
    p = np.diff(starts)[:, None].astype(float)
    spread = 2 * (trace - p**2 / (n - 2)) * (1 + trace / p**1.5)
    separated = np.zeros(shape, dtype=bool)
    if apart.any():
        separated = np.logical_or.reduceat(apart[members], starts[:-1], axis=0)
    spread[separated] = 1.0
    return np.where(separated, np.inf, ((n - 2) * c * squared - p) / np.sqrt(spread))


def unit_columns(X: Floats) -> Floats:
    """Columns, centred and of length one, as rows (p, n)."""
    centred = (X - X.mean(axis=0)).T
    return np.ascontiguousarray(centred / np.sqrt((centred**2).sum(axis=1, keepdims=True)))


def _hotelling_shrink_batch(X: Floats, labels: Ints) -> Floats:
    """Groups of the centred rows; with more features than rows, a system of the rows' size."""
    (n, p), centred = X.shape, X - X.mean(axis=0)
    if p <= n and worthwhile(labels.size) and machine_room.is_open():
        distance = machine_room.shrunken_distances(centred, *row_groups(labels))
    else:
        way = _distance_by_features if p <= n else _distance_by_rows
        width = n * p + 3 * min(n, p) ** 2
        distance = np.concatenate([way(centred, some) for some in pieces(labels, width)])
    t2 = group_size(labels[0]) * distance
    return np.where((t2 >= 0) & (t2 * SEPARATED < n - 2), t2, np.inf)


def _distance_by_features(X: Floats, labels: Ints) -> Floats:
    """d' S⁻¹ d of a stack of labellings."""
    ones, zeros = row_groups(labels)
    scatter = (ones.shape[1] - 1) * shrunken_stack(X[ones]).covariance()
    scatter += (zeros.shape[1] - 1) * shrunken_stack(X[zeros]).covariance()
    d = differences(X, labels)
    still = (np.einsum("...ii->...i", scatter) <= 0).any(axis=1)
    scatter[still] = np.eye(X.shape[1])
    solved = np.linalg.solve(scatter / (len(X) - 2), d[:, :, None])[:, :, 0]
    return np.where(still, np.inf, (d * solved).sum(axis=1))


def _distance_by_rows(X: Floats, labels: Ints) -> Floats:
    """The same when features are many: S is a diagonal and as many products as there are rows."""
    parts = [shrunken_stack(X[rows]) for rows in row_groups(labels)]
    diagonal = sum(part.diagonal() * (part.rows.shape[1] - 1) for part in parts) / (len(X) - 2)
    if not (diagonal > 0).all():
        return _distance_by_features(X, labels)
    wide = np.concatenate([part.factors() for part in parts], axis=1) / np.sqrt(len(X) - 2)
    d = differences(X, labels)
    narrow = wide / diagonal[:, None, :]
    system = narrow @ wide.transpose(0, 2, 1) + np.eye(len(X))
    seen = (narrow * d[:, None, :]).sum(axis=2)
    taken = np.linalg.solve(system, seen[:, :, None])[:, :, 0]
    return np.asarray((d**2 / diagonal).sum(axis=1) - (seen * taken).sum(axis=1))


def _two_pairs(X: Floats, labels: Ints) -> str | None:
    """Correlations of two rows are all 1 or -1: nothing is left to shrink by."""
    n, p = X.shape
    if n > PAIRS or p <= 2:
        return None
    return (
        f"needs 5 rows or more for 3 features or more; got {n} rows and {p} features. "
        "Use goeman or energy, or more rows."
    )


hotelling = Statistic(
    name="hotelling",
    title="Hotelling's T²",
    source="Hotelling (1931)",
    naive=hotelling_t2,
    batch=_hotelling_batch,
    of_table=_hotelling_of,
    aliases=("Hotelling",),
    full_rank=True,
    least_group=1,
    several=Extension(
        "Lawley and Hotelling's trace", "Anderson (2003), section 8.6.1", lawley_hotelling
    ),
    numeric=Extension("Share explained by least squares, as odds", "Hotelling (1931)", explained),
)
hotelling_shrink = Statistic(
    name="hotelling_shrink",
    title="Hotelling's T² with shrunken covariances",
    source="Schäfer and Strimmer (2005)",
    naive=hotelling_shrink_t2,
    batch=_hotelling_shrink_batch,
    aliases=("Hotelling.shrink", "Schafer"),
    undefined=_two_pairs,
)
srivastava_du = Statistic(
    name="srivastava_du",
    title="Srivastava and Du's diagonal statistic",
    source="Srivastava and Du (2008)",
    naive=srivastava_du_t,
    batch=_srivastava_du_batch,
    of_table=_srivastava_du_of,
    local=_srivastava_du_local,
    aliases=("sd", "Srivastava"),
)


def _whitened_distance(whitener: Floats, X: Floats, y: Ints) -> float:
    return float(((whitener @ mean_difference(X, y)) ** 2).sum())


def _whitened_distances(whitener: Floats, X: Floats, labels: Ints) -> Floats:
    return np.asarray((differences(X @ whitener.T, labels) ** 2).sum(axis=1))


def oracle(covariance: Floats) -> Statistic:
    """The distance between means when the true covariance is known, as in a simulation.

    No test that must estimate the covariance does better against a shift; its power is that of
    a noncentral chi-square with n₁n₀/n μ'Σ⁻¹μ.

    References
    ----------
    Rosenblatt et al. (2019), "Oracle".

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [2.0, 1.0], [4.0, 0.5], [5.0, 0.5]])
    >>> oracle(np.diag([4.0, 1.0]))(X, np.array([0, 0, 1, 1]))
    2.25
    """
    known = floats_or_none(covariance)
    if known is None or known.ndim != 2 or len({0, *known.shape}) != 2:
        raise DataError("covariance must be a square table of numbers, a row for each feature.")
    if not np.isfinite(known).all() or not np.linalg.eigvalsh(known).min() > 0:
        raise DataError("covariance must be positive definite, as that of features that differ.")
    whitener = np.linalg.inv(np.linalg.cholesky(known))
    return Statistic(
        name="oracle",
        title="Distance under the true covariance",
        source="Rosenblatt et al. (2019)",
        naive=partial(_whitened_distance, whitener),
        batch=partial(_whitened_distances, whitener),
        aliases=("Oracle",),
        least_group=1,
    )


# ----------------------------------------------------------------------------------------------
# Two-group statistics for differences that sit in a few features.
# ----------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------
# Two-group statistics that compare means of a kernel or of distances between rows.
# ----------------------------------------------------------------------------------------------


def goeman_score(X: Floats, y: Ints) -> float:
    r"""Squared length of the difference of the two groups' means.

    .. math:: \lVert \bar x_1 - \bar x_0 \rVert^2 = u^\top X X^\top u, \quad
        u_i = y_i / n_1 - (1 - y_i) / n_0

    With group sizes fixed the score statistic of the global test is an increasing function of
    it, so their permutation p-values are equal.

    References
    ----------
    Goeman et al. (2004), section 3; Rosenblatt et al. (2019), "Goeman".

    Examples
    --------
    >>> goeman_score(np.array([[0.0, 0.0], [0.0, 2.0], [3.0, 5.0]]), np.array([0, 0, 1]))
    25.0
    """
    return float((mean_difference(X, y) ** 2).sum())


def gretton_mmd(X: Floats, y: Ints) -> float:
    r"""Distance between two groups' mean embeddings under a Gaussian kernel.

    .. math:: \sqrt{\max(0, u^\top K u)}, \quad K_{ij} = e^{-\sigma \lVert x_i - x_j \rVert^2}

    :math:`\sigma` is one over the median squared distance between different rows of the pooled
    sample, so it is the same for every labelling. The software behind the source draws random
    pairs for it anew in every permutation, which only adds noise.

    References
    ----------
    Gretton et al. (2012), equation 5; Rosenblatt et al. (2019), "Gretton".

    Examples
    --------
    >>> gretton_mmd(np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 0, 1, 1]))
    1.1244
    """
    kernel = gaussian_kernel(X)
    ones, zeros = y == 1, y == 0
    within = kernel[np.ix_(ones, ones)].mean() + kernel[np.ix_(zeros, zeros)].mean()
    square = float(within - 2 * kernel[np.ix_(ones, zeros)].mean())
    return square**0.5 if square > KERNEL_ROUNDING else 0.0


def energy_distance(X: Floats, y: Ints) -> float:
    r"""How much farther apart rows of different groups are than rows of the same group.

    .. math:: \frac{n_1 n_0}{n} \bigl( 2\,\overline{\lVert x - x' \rVert}_{10}
        - \overline{\lVert x - x' \rVert}_{11} - \overline{\lVert x - x' \rVert}_{00} \bigr)

    The published paper calls it dCOV; it is the energy statistic, not a distance covariance.

    References
    ----------
    Székely and Rizzo (2004); Rosenblatt et al. (2019), "dCOV".

    Examples
    --------
    >>> energy_distance(np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 0, 1, 1]))
    2.0
    """
    distance = distances(X)
    ones, zeros = y == 1, y == 0
    within = distance[np.ix_(ones, ones)].mean() + distance[np.ix_(zeros, zeros)].mean()
    return group_size(y) * float(2 * distance[np.ix_(ones, zeros)].mean() - within)


def contrasts(labels: Ints) -> Floats:
    """The vectors u whose products with values per row are differences of group means."""
    n1 = labels[0].sum()
    return np.asarray(np.where(labels == 1, 1 / n1, -1 / (labels.shape[1] - n1)))


def _goeman_batch(X: Floats, labels: Ints) -> Floats:
    return np.asarray((differences(X, labels) ** 2).sum(axis=1))


def _mmd_batch(X: Floats, labels: Ints) -> Floats:
    u = contrasts(labels)
    square = ((u @ gaussian_kernel(X)) * u).sum(axis=1)
    return np.sqrt(np.where(square > KERNEL_ROUNDING, square, 0.0))


def _energy_batch(X: Floats, labels: Ints) -> Floats:
    u = contrasts(labels)
    return np.asarray(-group_size(labels[0]) * ((u @ distances(X)) * u).sum(axis=1))


goeman = Statistic(
    name="goeman",
    title="Goeman's global test",
    source="Goeman et al. (2004)",
    naive=goeman_score,
    batch=_goeman_batch,
    aliases=("Goeman",),
    least_group=1,
    of_distances=True,
    several=Extension(
        "Goeman's global test, several classes", "Goeman et al. (2004)", multinomial_score
    ),
    numeric=Extension("Goeman's global test, numbers", "Goeman et al. (2004)", linear_score),
)
mmd = Statistic(
    name="mmd",
    title="Maximum mean discrepancy, Gaussian kernel",
    source="Gretton et al. (2012)",
    naive=gretton_mmd,
    batch=_mmd_batch,
    aliases=("Gretton",),
    least_group=1,
    of_distances=True,
    several=Extension(
        "Spread of mean embeddings, Gaussian kernel", "Gretton et al. (2012)", kernel_spread
    ),
    numeric=Extension(
        "Hilbert–Schmidt independence criterion", "Gretton et al. (2005)", independence_criterion
    ),
)
energy = Statistic(
    name="energy",
    title="Energy distance",
    source="Székely and Rizzo (2004)",
    naive=energy_distance,
    batch=_energy_batch,
    aliases=("dCOV",),
    least_group=1,
    of_distances=True,
    several=Extension(
        "Energy distances between all pairs", "Székely and Rizzo (2004)", pairwise_energy
    ),
    numeric=Extension(
        "Distance covariance", "Székely, Rizzo and Bakirov (2007)", distance_covariance
    ),
)
