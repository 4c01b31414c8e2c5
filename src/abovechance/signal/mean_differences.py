"""Two-group statistics that compare means through a covariance matrix."""

from functools import partial

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.numerics import machine_room
from abovechance.numerics.covariance import (
    pooled_covariance,
    schafer_strimmer,
    shrunken_stack,
    total_scatter,
)
from abovechance.numerics.kernels import worthwhile
from abovechance.signal.row_groups import (
    SEPARATED,
    differences,
    group_size,
    mean_difference,
    pieces,
    row_groups,
)
from abovechance.signal.several_groups import Extension, explained, lawley_hotelling
from abovechance.signal.statistic import Statistic

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
    """T² grows with the share of the labels' variance that the features explain."""
    basis = np.linalg.qr(X - X.mean(axis=0))[0]
    projected = np.asarray(labels.astype(float) @ basis)
    share = (projected**2).sum(axis=1) / group_size(labels[0])
    left = 1 - share
    with np.errstate(divide="ignore"):
        return np.where(left > SEPARATED, (X.shape[0] - 2) * share / left, np.inf)


def _srivastava_du_batch(X: Floats, labels: Ints) -> Floats:
    """Scatter within groups is total scatter less a matrix of rank one: c d d'."""
    (n, p), c = X.shape, group_size(labels[0])
    scale = np.sqrt(np.diag(total_scatter(X)))
    total = total_scatter(X / scale)
    d = differences(X / scale, labels)
    within = 1 - c * d**2
    separated = np.asarray((within <= SEPARATED).any(axis=1))
    inverse = 1 / np.where(separated[:, None], 1.0, within)
    weighted = inverse * d
    squared = (weighted * d).sum(axis=1)
    trace = (
        ((inverse @ total**2) * inverse).sum(axis=1)
        - 2 * c * ((weighted @ total) * weighted).sum(axis=1)
        + (c * squared) ** 2
    )
    distance = (n - 2) * c * squared
    spread = 2 * (trace - p**2 / (n - 2)) * (1 + trace / p**1.5)
    spread[separated] = 1.0
    return np.where(separated, np.inf, (distance - p) / np.sqrt(spread))


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
    whitener = np.linalg.inv(np.linalg.cholesky(np.asarray(covariance, dtype=float)))
    return Statistic(
        name="oracle",
        title="Distance under the true covariance",
        source="Rosenblatt et al. (2019)",
        naive=partial(_whitened_distance, whitener),
        batch=partial(_whitened_distances, whitener),
        aliases=("Oracle",),
        least_group=1,
    )
