"""Scatter of rows of features: covariances, plain and shrunken, and the hat matrix."""

from typing import Literal, NamedTuple

import numpy as np

from abovechance.arrays import Bools, Floats, Ints

# ----------------------------------------------------------------------------------------------
# Scatter and covariance matrices of rows of features, plain and shrunken.
# ----------------------------------------------------------------------------------------------


ROUNDING = 1e-26  # scatter this small beside the squares is that of a feature that stands still


def total_scatter(X: Floats) -> Floats:
    """Sums of products of the features about their means; labels play no part in it.

    >>> total_scatter(np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 4.0]]))
    array([[8., 6.],
           [6., 6.]])
    """
    centred = X - X.mean(axis=0)
    return np.asarray(centred.T @ centred)


def residuals(X: Floats, y: Ints) -> Floats:
    """What is left of each row when the mean of its own group is taken away."""
    left = np.array(X, dtype=float)
    for group in np.unique(y):
        left[y == group] -= X[y == group].mean(axis=0)
    return left


def pooled_covariance(X: Floats, y: Ints) -> Floats:
    """Covariance within groups, with the degrees of freedom left by their means.

    >>> pooled_covariance(np.array([[0.0], [2.0], [5.0], [9.0]]), np.array([0, 0, 1, 1]))
    array([[5.]])
    """
    left = residuals(X, y)
    return np.asarray(left.T @ left / (len(X) - len(np.unique(y))))


class Shrunken(NamedTuple):
    """A shrunken covariance with the share of shrinkage of its correlations and variances."""

    covariance: Floats
    correlation_share: float
    variance_share: float


def schafer_strimmer(X: Floats) -> Shrunken:
    r"""Covariance with correlations drawn towards zero and variances towards their median.

    With :math:`m` rows, :math:`v_j` the unbiased variances, :math:`z = (x - \bar x)^2` and
    :math:`x^s` the standardised features,

    .. math::
        \lambda_v = \frac{\sum_j (\overline{z_j^2} - \bar z_j^2)}
                         {(m-1) \sum_j (\bar z_j - \mathrm{med}(v)(m-1)/m)^2}, \quad
        \lambda = \frac{\sum_{i \ne j} (\overline{(x^s_i x^s_j)^2} - \tilde r_{ij}^2)}
                       {(m-1) \sum_{i \ne j} \tilde r_{ij}^2},

    both cut to [0, 1]. Where nothing is left to estimate (0/0, as with one feature) the share
    is 1; a feature that does not vary has zero correlations.

    References
    ----------
    Schäfer and Strimmer (2005), section 2.4; variances as in Opgen-Rhein and Strimmer (2007).

    Examples
    --------
    >>> rows = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0], [5.0, 8.0]])
    >>> schafer_strimmer(rows).correlation_share
    0.43305
    """
    m, p = X.shape
    centred = X - X.mean(axis=0)
    z = centred**2
    variance = z.sum(axis=0) / (m - 1)
    variance[z.sum(axis=0) <= ROUNDING * (X**2).sum(axis=0)] = 0.0
    middle = float(np.median(variance))
    spread = ((z**2).mean(axis=0) - z.mean(axis=0) ** 2).sum() / (m - 1)
    variance_share = share(spread, ((z.mean(axis=0) - middle * (m - 1) / m) ** 2).sum())
    shrunken = variance_share * middle + (1 - variance_share) * variance

    scale = np.where(variance > 0, np.sqrt(variance), np.inf)
    standard = centred / scale
    off = ~np.eye(p, dtype=bool)
    products = standard.T @ standard / m
    squares = (standard**2).T @ (standard**2) / m
    noise = (squares - products**2)[off].sum() / (m - 1)
    correlation_share = share(noise, (products[off] ** 2).sum())

    correlation = (1 - correlation_share) * products * m / (m - 1)
    np.fill_diagonal(correlation, 1.0)
    covariance = correlation * np.sqrt(np.outer(shrunken, shrunken))
    return Shrunken(covariance, correlation_share, variance_share)


def share(noise: float, signal: float) -> float:
    """Estimated noise over observed size, cut to [0, 1]; all noise where there is nothing."""
    return float(min(max(noise / signal, 0.0), 1.0)) if signal > 0 else 1.0


class ShrunkenStack(NamedTuple):
    """Shrunken covariances of B sets of m rows, not multiplied out.

    `rows` (B, m, p) are standardised, with zeros for a feature that does not vary; `kept` (B,) is
    the share of their correlations that is kept and `variance` (B, p) the shrunken variances.
    """

    rows: Floats
    kept: Floats
    variance: Floats
    varies: Bools

    def covariance(self) -> Floats:
        """The covariances (B, p, p) themselves."""
        degrees = self.rows.shape[1] - 1
        product = self.rows.swapaxes(1, 2) @ self.rows
        product *= (self.kept / degrees)[:, None, None]
        np.einsum("...ii->...i", product)[...] = 1.0
        root = np.sqrt(self.variance)
        return np.asarray(product * root[:, :, None] * root[:, None, :])

    def diagonal(self) -> Floats:
        """The part (B, p) of the covariances that is not made of products of rows."""
        return np.asarray(self.variance * np.where(self.varies, 1 - self.kept[:, None], 1.0))

    def factors(self) -> Floats:
        """The rows (B, m, p) whose products make the rest, m - 1 times over."""
        return np.asarray(self.rows * np.sqrt(self.variance * self.kept[:, None])[:, None, :])


def shrunken_stack(rows: Floats) -> ShrunkenStack:
    r"""Shrunken covariances of many sets of rows (B, m, p) at once.

    The sum of :math:`(x^s_i x^s_j)^2` over pairs of features is, row by row, the square of a sum
    less the sum of squares, and that of :math:`\tilde r_{ij}^2` is the same from the side of the
    rows, so neither needs a matrix of the size of the features when these are many.
    """
    m, p = rows.shape[1:]
    centred = rows - rows.mean(axis=1, keepdims=True)
    z = centred**2
    mean = z.mean(axis=1)
    varies = mean > ROUNDING * (rows**2).mean(axis=1)
    variance = np.where(varies, mean * m / (m - 1), 0.0)
    middle = np.median(variance, axis=1, keepdims=True)
    spread = ((z**2).mean(axis=1) - mean**2).sum(axis=1) / (m - 1)
    part = _shares(spread, ((mean - middle * (m - 1) / m) ** 2).sum(axis=1))[:, None]

    scale = np.where(varies, variance, np.inf)[:, None, :]
    standard = centred / np.sqrt(scale)
    z /= scale
    across = standard if m < p else standard.swapaxes(1, 2)
    product = across @ across.swapaxes(1, 2) / m
    size = (product**2).sum(axis=(1, 2)) - (z.mean(axis=1) ** 2).sum(axis=1)
    squares = (z.sum(axis=2) ** 2 - (z**2).sum(axis=2)).mean(axis=1)
    kept = 1 - _shares((squares - size) / (m - 1), size)
    return ShrunkenStack(standard, kept, part * middle + (1 - part) * variance, varies)


def _shares(noise: Floats, signal: Floats) -> Floats:
    """`share` of many."""
    ratio = np.divide(noise, signal, out=np.ones_like(noise), where=signal > 0)
    return np.clip(ratio, 0.0, 1.0)


# ----------------------------------------------------------------------------------------------
# The hat matrix: what least squares on the features makes of any labels.
# ----------------------------------------------------------------------------------------------


LEAST_CORRELATION = 1e-8  # eigenvalue within classes below which a direction is left out


class Hat(NamedTuple):
    """Hat matrix of features with an intercept, and how far from collinear they are."""

    matrix: Floats
    least: float


def hat_matrix(X: Floats) -> Hat | None:
    """Hat matrix (n, n) of the features with an intercept, or None if they are collinear.

    A feature that stands still is collinear with the intercept.
    """
    n, p = X.shape
    if n - 2 < p:
        return None
    scatter = total_scatter(X)
    spread = np.sqrt(np.diag(scatter))
    if (spread**2 <= ROUNDING * (X**2).sum(axis=0)).any():
        return None
    least = float(np.linalg.eigvalsh(scatter / np.outer(spread, spread))[0])
    if least <= LEAST_CORRELATION:
        return None
    basis = np.linalg.qr((X - X.mean(axis=0)) / spread)[0]
    return Hat(basis @ basis.T + 1 / n, least)


def folded_discriminants(
    hat: Hat, labels: Ints, folds: Ints, count: int, lost: int = 2
) -> tuple[Floats, Bools]:
    """Log-odds (B, n) of linear discriminants that did not see the row's fold.

    Their covariance is the scatter within classes over the training rows less those `lost`.

    With it come the folds (B, V) whose training rows may be too few or collinear for it: their
    values are to be found otherwise. A fold's within-class correlations have no eigenvalue
    below that of all rows' total correlations, times the least eigenvalue of I - H over the
    fold, times the share of the labels' variance the features leave unexplained.
    """
    from abovechance.numerics.kernels.hat_loops import folded

    ones = labels.astype(float)
    out, doubtful = np.zeros(ones.shape), np.zeros((len(ones), count), dtype=bool)
    floor = LEAST_CORRELATION / hat.least
    folded(hat.matrix, ones, folds, count, float(lost), floor, out, doubtful)
    return out, doubtful


def resubstituted_discriminants(hat: Hat, labels: Ints, lost: int = 2) -> tuple[Floats, Bools]:
    """Log-odds (B, n) of linear discriminants for their own rows, and where to mistrust them."""
    ones = labels.astype(float)
    n, n1 = ones.shape[1], ones.sum(axis=1, keepdims=True)
    n0 = n - n1
    fitted = ones @ hat.matrix
    above = (fitted * ones).sum(axis=1, keepdims=True) / n1
    below = (fitted * (1 - ones)).sum(axis=1, keepdims=True) / n0
    left = 1 - (above - below)
    doubtful = left[:, 0] * hat.least <= LEAST_CORRELATION
    unit = np.where(doubtful[:, None], 1.0, left) * (n1 * n0 / n) / (n - lost)
    return (fitted - (above + below) / 2) / unit + np.log(n1 / n0), doubtful


# ----------------------------------------------------------------------------------------------
# Means and scatter of two classes in many samples of the rows, given as counts per row.
# ----------------------------------------------------------------------------------------------

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


# ----------------------------------------------------------------------------------------------
# Linear discriminants with shrunken covariances, in many samples of the rows.
# ----------------------------------------------------------------------------------------------


LEAST_EIGENVALUE = 1e-9  # of a covariance in units of its diagonal: below it, it is singular
FITS_AT_ONCE = 400_000  # numbers in covariances worked on at a time, so that they stay in the cache
MOST_PRODUCTS = 8_000_000  # products of two features of a row that are kept for all samples
SMALLEST_CLASS = 3  # rows of a class whose covariance is estimated


def shrunken_discriminants(
    X: Floats, labels: Ints, counts: Ints, shrinkage: float | Literal["auto"]
) -> tuple[Floats, Bools]:
    """Log-odds (F, n) of all rows by F discriminants, and which of them are to be mistrusted.

    Row i is used counts[f, i] times with class labels[f, i]; each class's covariance is shrunken
    by a share, or by one estimated after Ledoit and Wolf at unit spread ("auto"). Doubtful are
    samples with a tiny class, a feature that hardly varies in one, or a singular covariance.
    """
    p = X.shape[1]
    # a covariance is linear in how often each row is used, so those of all samples are one product
    # of counts with the products of pairs of features; centring first keeps the digits
    centred = X - X.mean(axis=0)
    i, j = np.tril_indices(p)
    products = centred[:, i] * centred[:, j]
    place = np.empty((p, p), dtype=np.int64)
    place[i, j] = place[j, i] = np.arange(len(i))
    values, doubtful = np.empty(labels.shape), np.empty(len(labels), dtype=bool)
    step = max(1, FITS_AT_ONCE // p**2)
    for start in range(0, len(labels), step):
        some = slice(start, start + step)
        total, means, sizes, bad = np.zeros((len(labels[some]), p, p)), [], [], False
        for k in (0, 1):
            times = (counts[some] * (labels[some] == k)).astype(np.float64)
            size = times.sum(axis=1)
            mean = times @ centred / np.maximum(size, 1)[:, None]
            covariance = (times @ products)[:, place] / np.maximum(size, 1)[:, None, None]
            squares = np.einsum("fii->fi", covariance).copy()
            covariance -= mean[:, :, None] * mean[:, None, :]
            varying = np.einsum("fii->fi", covariance) > UNSURE * squares
            bad = bad | (size < SMALLEST_CLASS) | ~varying.all(axis=1)
            _shrink_towards_identity(covariance, centred, times, mean, varying, shrinkage)
            total += size[:, None, None] * covariance
            means.append(mean)
            sizes.append(size)
        bad = bad | (times.sum(axis=1) == 0)
        direction, singular = _solved(total, means[1] - means[0], np.asarray(bad))
        direction *= (sizes[0] + sizes[1])[:, None]
        middle = (direction * (means[0] + means[1])).sum(axis=1) / 2
        with np.errstate(divide="ignore"):
            prior = np.log(sizes[1]) - np.log(sizes[0])
        values[some] = direction @ centred.T + (prior - middle)[:, None]
        doubtful[some] = singular
    return values, doubtful


def _shrink_towards_identity(
    covariance: Floats,
    X: Floats,
    times: Floats,
    mean: Floats,
    varying: Bools,
    shrinkage: float | Literal["auto"],
) -> None:
    """Covariances (F, p, p) of rows `times` (F, n), shrunken in place."""
    p, at = X.shape[1], np.arange(X.shape[1])
    if shrinkage != "auto":
        level = np.einsum("fii->f", covariance) / p
        covariance *= 1 - shrinkage
        covariance[:, at, at] += (shrinkage * level)[:, None]
        return
    if p == 1:
        return
    variance = np.where(varying, covariance[:, at, at], 1.0)
    spread = np.sqrt(variance)
    covariance /= spread[:, :, None] * spread[:, None, :]
    # squared lengths of the rows at unit spread, from products of matrices
    inverse = 1 / variance
    length = inverse @ (X**2).T - 2 * (inverse * mean) @ X.T + (inverse * mean**2).sum(1)[:, None]
    size = np.maximum(times.sum(axis=1), 1)
    squared = (covariance**2).sum(axis=(1, 2))
    noise = ((times * length**2).sum(axis=1) / size - squared) / size
    signal = squared - p
    share = np.where(noise < signal, noise / np.where(signal > 0, signal, 1.0), 1.0)
    share = np.where(noise == 0, 0.0, share)
    covariance *= (1 - share)[:, None, None]
    covariance[:, at, at] += share[:, None]
    covariance *= spread[:, :, None] * spread[:, None, :]


def _solved(matrices: Floats, right: Floats, bad: Bools) -> tuple[Floats, Bools]:
    """Solutions (F, p) of symmetric systems, and where they are `bad` already or singular."""
    at = np.arange(matrices.shape[1])
    unit = np.sqrt(np.where(bad[:, None], 1.0, matrices[:, at, at]))
    standard = matrices / (unit[:, :, None] * unit[:, None, :])
    standard[bad] = np.eye(len(at))
    # what is singular stays solvable, and is told by its trace
    inverse = np.linalg.inv(standard + 1e-5 * LEAST_EIGENVALUE * np.eye(len(at)))
    singular = bad | ~(np.trace(inverse, axis1=1, axis2=2) * LEAST_EIGENVALUE < 1.0)
    return (inverse @ (right / unit)[:, :, None])[:, :, 0] / unit, singular
