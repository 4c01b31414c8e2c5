"""Intervals when cases come in clusters: the clusters are what varies."""

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.inference.method import Fact, Takes, interval, limits
from abovechance.inference.results import Interval
from abovechance.measures import Law


@interval(
    title="t[ over {clusters} clusters]",
    words="Student's t[ over {clusters} clusters]",
    source="cochran1977",
    laws=[Law.CONDITIONAL],
    allows=[Fact.CLUSTERS],
    takes=Takes.PARTS,
)
def cluster_ratio(
    numerator: Floats,
    denominator: Floats,
    groups: Array,
    *,
    confidence_level: float = 0.95,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> Interval:
    r"""Interval of a ratio of totals, :math:`\sum y / \sum x`, when cases come in clusters.

    The linearised residuals :math:`z_g = \sum_{i \in g} (y_i - \hat r x_i) / \bar X` have the
    ratio's variance; limits are Student's with one degree of freedom less than clusters that
    hold any of the denominator.

    Parameters
    ----------
    numerator, denominator
        What each case adds to the upper and to the lower total.
    groups
        The cluster of each case.
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.
    bounds
        The smallest and the largest possible ratio, beyond which no limit goes; none unless stated.

    Returns
    -------
    Interval
        Its limits `low` and `high`, its `level`, and its `method` in words.

    Raises
    ------
    NotApplicable
        If fewer than two clusters hold any of the denominator.

    See Also
    --------
    cluster_mean : for a mean over cases.

    References
    ----------
    Cochran (1977), section 6.3; Rao & Scott (1992).

    Examples
    --------
    >>> import numpy as np
    >>> right = np.array([1, 1, 0, 1, 0, 0, 1, 1.0])
    >>> print(cluster_ratio(right, np.ones(8), np.array([1, 1, 2, 2, 3, 3, 4, 4])))
    -0.137 to 1.387
    """
    from scipy.special import stdtrit

    _, code = np.unique(groups, return_inverse=True)
    y = np.bincount(code, weights=numerator)
    x = np.bincount(code, weights=denominator)
    # a cluster without any of the denominator tells nothing
    y, x = y[x != 0], x[x != 0]
    units = len(x)
    if units < 2:
        raise NotApplicable("an interval over clusters needs at least two of them.")
    ratio = y.sum() / x.sum()
    residual = (y - ratio * x) / x.sum()
    error = np.sqrt(units / (units - 1) * (residual**2).sum())
    half = float(stdtrit(units - 1, 0.5 + confidence_level / 2.0)) * error
    low, high = max(ratio - half, bounds[0]), min(ratio + half, bounds[1])
    return limits("cluster_ratio", low, high, confidence_level, clusters=units)


@interval(
    title="t[ over {clusters} clusters]",
    words="Student's t[ over {clusters} clusters]",
    source="cochran1977",
    laws=[Law.SHARE, Law.MEAN],
    allows=[Fact.CLUSTERS],
    takes=Takes.PARTS,
)
def cluster_mean(
    values: Floats,
    groups: Array,
    *,
    confidence_level: float = 0.95,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> Interval:
    """Interval of a mean over cases when cases come in clusters, such as patients of a hospital.

    Clusters, not cases, are taken for independent; limits are Student's.

    Parameters
    ----------
    values
        One number per case.
    groups
        The cluster of each case.
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.
    bounds
        The smallest and the largest possible mean, beyond which no limit goes; none unless stated.

    Returns
    -------
    Interval
        Its limits `low` and `high`, its `level`, and its `method` in words.

    Raises
    ------
    NotApplicable
        If there are fewer than two clusters.

    See Also
    --------
    cluster_ratio : for a ratio of two totals.

    References
    ----------
    Cochran (1977), section 6.3.

    Examples
    --------
    >>> import numpy as np
    >>> right, hospital = np.array([1, 1, 0, 1, 0, 0, 1, 1.0]), np.array([1, 1, 2, 2, 3, 3, 4, 4])
    >>> print(cluster_mean(right, hospital, bounds=(0, 1)))
    0.000 to 1.000
    """
    ones = np.ones(len(values))
    return cluster_ratio(values, ones, groups, confidence_level=confidence_level, bounds=bounds)
