"""What a statistic of groups of rows is: checked inputs, a formula with facts, its parts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints, floats_or_none
from abovechance.errors import DataError, NotApplicable, listed
from abovechance.predictions import checks

# ----------------------------------------------------------------------------------------------
# The parts two-group statistics share: means, their differences, rows by group.
# ----------------------------------------------------------------------------------------------


SEPARATED = 1e-13  # a share of scatter within groups this small is rounding: the groups part
CACHE = 100_000  # numbers worked on at a time; about the size of a second-level cache


def group_size(y: Ints) -> float:
    """Effective size n₁n₀/n of a comparison of two groups."""
    ones = y.sum().item()
    return ones * (len(y) - ones) / len(y)


def mean_difference(X: Floats, y: Ints) -> Floats:
    """Mean of group 1 minus mean of group 0, feature by feature."""
    return np.asarray(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))


def differences(X: Floats, labels: Ints) -> Floats:
    """Differences of means (B, p) of many labellings with the same group sizes.

    >>> X = np.array([[1.0], [2.0], [6.0]])
    >>> differences(X, np.array([[0, 0, 1], [1, 0, 0]]))
    array([[ 4.5], [-3. ]])
    """
    centred = X - X.mean(axis=0)
    return np.asarray(labels.astype(float) @ centred / group_size(labels[0]))


def row_groups(labels: Ints) -> tuple[Ints, Ints]:
    """Row numbers of group 1 (B, n₁) and of group 0 (B, n₀), in order."""
    order = np.argsort(1 - labels, axis=1, kind="stable")
    n1 = int(labels[0].sum())
    return order[:, :n1], order[:, n1:]


def pieces(labels: Ints, width: int) -> Iterator[Ints]:
    """Labellings a few at a time, so that `width` numbers for each stay in the cache."""
    step = max(1, CACHE // width)
    for start in range(0, len(labels), step):
        yield labels[start : start + step]


# ----------------------------------------------------------------------------------------------
# How near rows are to each other: distances and the Gaussian kernel of all pairs.
# ----------------------------------------------------------------------------------------------


KERNEL_ROUNDING = 1e-14  # means of kernel values agree no better than this


def distances(X: Floats) -> Floats:
    """Euclidean distances between all rows (n, n), exactly zero between equal rows."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(X, X))


def gaussian_kernel(X: Floats) -> Floats:
    """Kernel of all rows, its width the median distance between rows that differ."""
    squares = distances(X) ** 2
    between = squares[np.triu_indices(len(X), 1)]
    return np.asarray(np.exp(-squares / np.median(between[between > 0])))


# ----------------------------------------------------------------------------------------------
# Statistics of two groups carried over to several groups and to outcomes that are numbers.
# ----------------------------------------------------------------------------------------------


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
    return np.sqrt(np.where(square > KERNEL_ROUNDING, square, 0.0))


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


# ----------------------------------------------------------------------------------------------
# What features and labels must be, checked once before any statistic sees them.
# ----------------------------------------------------------------------------------------------


MOST_CLASSES = 20  # more different numbers than this are taken for a quantity
ROUNDING = 1e-14  # spread, as a share of its size, by which a feature that varies exceeds rounding
ABSENT = {"None", "nan", "<NA>", "NaT"}  # how missing values of all libraries print


def features_of(X: Any, names: Sequence[str] | None = None) -> Floats:
    """Features as numbers (n, p): finite, and none of them constant.

    Messages call columns by `names`, by those of a dataframe, or by their number.
    """
    if hasattr(X, "toarray"):
        raise DataError("features must be a dense table; got a sparse one. Use X.toarray().")
    called = _column_names(X) if names is None else [repr(name) for name in names]
    features = floats_or_none(X)
    if features is None:
        words = [
            name for name, cells in zip(called, _cells(X), strict=False) if not _numbers(cells)
        ]
        where = f"; column {listed(words)} holds something else" if words else ""
        raise DataError(f"features must be numbers{where}. Encode or drop such columns.")
    if features.ndim != 2 or 0 in features.shape:
        raise DataError(
            f"features must be a table of rows and columns; got shape {features.shape}. "
            "One feature: X.reshape(-1, 1)."
        )
    if names is not None and len(names) != features.shape[1]:
        raise DataError(
            f"feature names must be one for each of the {features.shape[1]} columns; "
            f"got {len(names)}. Name all of them, or none."
        )
    high, low = features.max(axis=0), features.min(axis=0)
    sizes = np.maximum(high, -low)
    called = called or [str(column + 1) for column in range(features.shape[1])]
    if not np.isfinite(sizes).all():
        row, column = np.argwhere(~np.isfinite(features))[0]
        raise DataError(
            f"features must be finite; got {features[row, column]} at row {row + 1}, "
            f"column {called[column]}. Drop or impute such rows."
        )
    spans = high - low
    # what spans a millionth of its size or more has more than rounding to it
    if sizes.max() <= checks.LARGEST and (spans > 1e-6 * sizes + checks.SMALLEST).all():
        return features
    strange = (sizes > checks.LARGEST) | ((spans > 0) & (spans < checks.SMALLEST))
    if strange.any():
        raise DataError(
            f"features must be within ±{checks.LARGEST:g} and differ by {checks.SMALLEST:g} or "
            f"more; those of column {called[int(np.argmax(strange))]} do not. Use another unit."
        )
    still = [called[k] for k in np.flatnonzero(~_varying(features, sizes))]
    if still:
        one = len(still) == 1
        raise DataError(
            f"features must vary; column{'' if one else 's'} {listed(still)} "
            f"{'is' if one else 'are'} constant. Drop {'it' if one else 'them'}."
        )
    return features


def _column_names(X: Any) -> list[str]:
    return [repr(str(name)) for name in getattr(X, "columns", ())]


def _cells(X: Any) -> Array:
    """The columns of a table that is not all numbers."""
    return np.atleast_2d(np.asarray(X, dtype=object)).T


def _numbers(cells: Array) -> bool:
    try:
        cells.astype(float)
    except (TypeError, ValueError):
        return False
    return True


def _varying(X: Floats, size: Floats) -> Bools:
    """Which features, none larger than its size, vary by more than rounding, in any unit."""
    unit = X / np.where(size > 0, size, 1.0)
    scatter = ((unit - unit.mean(axis=0)) ** 2).sum(axis=0)
    return np.asarray(scatter > ROUNDING**2 * (unit**2).sum(axis=0))


def present(what: str, values: Any) -> Array:
    """Values as an array, refused when one is missing or when they cannot be put in order.

    >>> present("labels", ["a", None])
    Traceback (most recent call last):
    ...
    abovechance.errors.DataError: labels must not be missing; got None at row 2. Drop such rows...
    """
    # An array made of a list would turn what is missing among words into a word.
    listed_ones = isinstance(values, list | tuple)
    kept = np.asarray(values, dtype=object) if listed_ones else checks.unmasked(values, what)
    if kept.ndim == 1 and kept.dtype.kind in "fcmMO":
        gone = [str(v) in ABSENT and not isinstance(v, str) for v in kept.tolist()]
        if any(gone):
            row = gone.index(True)
            raise DataError(
                f"{what} must not be missing; got {kept[row]} at row {row + 1}. "
                "Drop such rows, or complete them."
            )
    found = checks.unmasked(values, what)
    try:
        if found.dtype.kind == "O":  # others are of one type
            np.unique(found)
    except TypeError:
        kinds = sorted({type(value).__name__ for value in found.ravel().tolist()})
        raise DataError(
            f"{what} must be all of one type; got {listed(kinds)}. Write them all as text."
        ) from None
    return found


def classes_of(y: Any, n: int) -> tuple[Ints, Array]:
    """Labels as class numbers 0, 1, … in sorted order, and the classes themselves."""
    labels = present("labels", y)
    if labels.shape != (n,):
        raise DataError(f"labels must be one for each of the {n} rows; got shape {labels.shape}.")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        row = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise DataError(f"labels must be finite; got {labels[row]} at row {row + 1}.")
    classes, codes = np.unique(labels, return_inverse=True)
    return codes.astype(np.int64), classes


def holds_numbers(y: Any) -> bool:
    """Whether an outcome is a quantity and not a class: fractions, or many different numbers.

    >>> holds_numbers(np.array([1, 2, 3])), holds_numbers(np.array([1.5, 2.0, 3.0]))
    (False, True)
    """
    outcome = checks.unmasked(y, "y")
    if outcome.dtype.kind not in "iuf":
        return False
    whole = outcome.dtype.kind == "i" and outcome.size
    if whole and float(outcome.max()) - float(outcome.min()) < MOST_CLASSES:
        return False
    different = len(np.unique(outcome))
    fractions = outcome.dtype.kind == "f" and bool((outcome != np.round(outcome)).any())
    return (fractions and different > 2) or different > MOST_CLASSES


def numbers_of(y: Any, n: int) -> Floats:
    """An outcome as numbers, finite and not all the same."""
    try:
        outcome = np.asarray(y, dtype=float)
    except (TypeError, ValueError):
        raise DataError("a numeric outcome must hold numbers.") from None
    if outcome.shape != (n,):
        raise DataError(f"outcomes must be one for each of the {n} rows; got {outcome.shape}.")
    if not np.isfinite(outcome).all():
        row = int(np.flatnonzero(~np.isfinite(outcome))[0])
        raise DataError(f"outcomes must be finite; got {outcome[row]} at row {row + 1}.")
    if np.ptp(outcome) == 0:
        raise NotApplicable("permuting needs outcomes that differ; all are the same.")
    return outcome


def two_groups(X: Any, y: Any) -> tuple[Floats, Ints]:
    """Features and labels 0 and 1, or the reason why they are not two groups."""
    features = features_of(X)
    labels, classes = classes_of(y, len(features))
    if len(classes) != 2:
        raise NotApplicable(
            f"two groups are compared; the labels hold {len(classes)} values "
            f"({listed(list(classes))}). With more, use detect with hotelling, goeman, mmd or "
            "energy, or an accuracy such as lda.cv8."
        )
    return features, labels


GENERAL = "hotelling, goeman, mmd or energy"  # what extends beyond two groups
COLLINEAR = 1e-7  # spread, in standard deviations, of a direction in which nothing varies
PLAINLY = 1e-3  # one in which standard features vary for sure, seen without singular values


def _plainly_apart(centred: Floats) -> bool:
    """Whether no centred feature nearly follows from others: all directions vary plainly."""
    scatter = centred.T @ centred
    squares = np.einsum("ii->i", scatter)
    scale = 1 / np.sqrt(squares)
    squares *= 1 - PLAINLY**2  # the correlations' ones less the least variance
    try:
        np.linalg.cholesky(scatter * scale * scale[:, None])
    except np.linalg.LinAlgError:
        return False
    return True


# ----------------------------------------------------------------------------------------------
# What a statistic of two groups is: a formula with its facts.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Statistic:
    """A number that is large when two groups of rows differ.

    Attributes
    ----------
    naive
        The formula, on features (n, p) and labels 0 and 1 (n,).
    batch
        The same on many labellings (B, n) of one table at once, all with the same group sizes.
    full_rank
        Whether the covariance within groups must be invertible, so n - 2 >= p.
    least_group
        The fewest rows the smaller group may have.
    of_distances
        Whether it rests on distances between rows, and so on the units of the features.
    several, numeric
        What it becomes for more than two classes and for an outcome of numbers, if anything.
    local
        The same in many neighbourhoods of the columns of one table at once (S, B), where that is
        much faster: of the table, labellings, and `starts` and `members` of the neighbourhoods as
        `numerics/kernels/map_loops.py` has them. Needs compiled loops.
    of_table
        `batch` of one table, with what labels do not change done once; None where that is nothing.
    undefined
        Why it is not defined on features and labels for a reason of its own; None if it is. Labels
        count by how many rows each group has.
    """

    name: str
    title: str
    source: str
    naive: Callable[[Floats, Ints], float]
    batch: Callable[[Floats, Ints], Floats]
    aliases: tuple[str, ...] = ()
    full_rank: bool = False
    least_group: int = 2
    of_distances: bool = False
    several: Extension | None = None
    numeric: Extension | None = None
    undefined: Callable[[Floats, Ints], str | None] | None = None
    local: Callable[[Floats, Ints, Ints, Any], Floats] | None = field(default=None, compare=False)
    of_table: Callable[[Floats], Callable[[Ints], Floats]] | None = field(
        default=None, compare=False
    )

    @property
    def undefined_when(self) -> str:
        """Why it has no value, where it has none."""
        return "the features are too large or too small for it; bring them to another unit"

    def __call__(self, X: Array, y: Array) -> float:
        """The statistic of features `X` (n, p) and the two-valued labels `y`."""
        features, labels = two_groups(X, y)
        self.require(features, labels)
        return float(self.naive(features, labels))

    def on(self, X: Floats, classes: int) -> Callable[[Ints], Floats]:
        """The statistic of labellings (B, n) of one table; its extension beyond two groups."""
        if classes > 2 and self.several is not None:
            return partial(self.several.batch, X)
        return partial(self.batch, X) if self.of_table is None else self.of_table(X)

    def require(self, X: Floats, labels: Ints) -> None:
        """Refuse data on which the statistic is not defined, naming one that is."""
        sizes = np.bincount(labels)
        classes = int(np.count_nonzero(sizes))
        if classes < 2:
            raise NotApplicable(f"{self.name} needs two classes or more; all labels are equal.")
        if classes > 2 and self.several is None:
            raise NotApplicable(
                f"{self.name} compares two groups; the labels hold {classes} classes. "
                f"With more, use {GENERAL}, or an accuracy such as lda.cv8."
            )
        smallest = int(sizes.min())
        if smallest < self.least_group:
            raise NotApplicable(
                f"{self.name} needs at least {self.least_group} rows in each group; "
                f"got {smallest}. Use goeman or energy, or more rows."
            )
        self._require_rank(X, classes)
        reason = None if self.undefined is None else self.undefined(X, labels)
        if reason is not None:
            raise NotApplicable(f"{self.name} {reason}")

    def require_numeric(self, X: Floats) -> None:
        """Refuse an outcome of numbers where the statistic has no meaning for it."""
        if self.numeric is None:
            raise NotApplicable(
                f"{self.name} compares two groups; the outcome holds numbers. Use {GENERAL}."
            )
        self._require_rank(X, 2)

    def _require_rank(self, X: Floats, lost: int) -> None:
        n, p = X.shape
        other = "hotelling_shrink or srivastava_du" if lost == 2 else "goeman, mmd or energy"
        if self.full_rank and n - lost < p:
            raise NotApplicable(
                f"{self.name} needs n - {lost} >= p; got n = {n} rows and p = {p} features. "
                f"Use {other}."
            )
        if self.full_rank:
            centred = X - X.mean(axis=0)
            if _plainly_apart(centred):
                return
            standard = centred / np.sqrt((centred**2).mean(axis=0))
            rank = int(np.linalg.matrix_rank(standard, tol=COLLINEAR * np.sqrt(n)))
            if rank < p:
                raise NotApplicable(
                    f"{self.name} needs features that do not follow from each other; got {p} "
                    f"of rank {rank}. Drop {p - rank}, or use {other}."
                )
