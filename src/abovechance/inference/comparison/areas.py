"""Are several areas under ROC curves, or concordances, equal? One test of all of them."""

from collections.abc import Sequence

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference.comparison.results import Omnibus
from abovechance.inference.significance.delong import Components
from abovechance.numerics.p_values import never_zero


def all_equal(
    label: str, found: Components, *, ranked: bool, least: int, few: int, at_most: float
) -> Omnibus:
    """F of all areas being equal; χ² where there are many cases and no clusters.

    The covariance is estimated, and with k models its uncertainty weighs more than with two. So F
    stands wherever two models have Student's t, whose square it is for k = 2. `least`: cases in
    the smallest class; fewer than `few` for every independent difference have F; `at_most`: bound
    of the degrees of freedom that a difference has.
    """
    hypothesis = "all areas are equal" if ranked else "all concordances are equal"
    name = "DeLong" if ranked else "infinitesimal jackknife"
    if found.groups is None:
        statistic, df = wald(found.areas, found.covariance)
        if least >= few * df:
            return _omnibus(label, f"{name} χ²", statistic, df, None, hypothesis)
        name += " F"
    else:
        name = "Obuchowski" if ranked else name
        name += f" F over {len(np.unique(found.groups))} clusters"
    statistic, df, error = box(found.areas, covariances(found), at_most)
    return _omnibus(label, name, statistic, df, error, hypothesis)


def wald(values: Floats, covariance: Floats) -> tuple[float, float]:
    """χ² of all values being equal, and its degrees of freedom; alike models count once.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), eq. 9.
    """
    k = len(values)
    contrast = np.eye(k - 1, k) - np.eye(k - 1, k, 1)
    spread = contrast @ covariance @ contrast.T
    gaps = contrast @ values
    scale = float(np.abs(covariance).max())
    rank = int(np.linalg.matrix_rank(spread, tol=1e-10 * scale)) if scale > 0 else 0
    if rank == 0:
        return 0.0, 0.0
    inverse = np.linalg.pinv(spread, rcond=1e-10, hermitian=True)
    return float(gaps @ inverse @ gaps), float(rank)


def box(
    values: Floats, parts: Sequence[tuple[Floats, float]], at_most: float = np.inf
) -> tuple[float, float, float]:
    r"""F of all values being equal, with its two degrees of freedom.

    The squared distances of the values v from their mean, over what the covariance V of the
    values lets expect:

    .. math:: F = \frac{v' T v}{\mathrm{tr}(T V)}, \quad
              f = \frac{\mathrm{tr}(TV)^2}{\mathrm{tr}(TVTV)}, \quad
              f_0 = \frac{\mathrm{tr}(TV)^2}{\sum_i \mathrm{tr}(T V_i T V_i) / \nu_i}

    with T = I − 1/k and `parts` the independent V_i that add up to V, each with its degrees of
    freedom ν_i. No matrix is inverted, so few clusters and many models do no harm: with 4 equal
    models on 10 clusters of 6 this rejects .040 at .05, Hotelling's F .073, χ² .24.

    References
    ----------
    Box (1954), theorem 3.1; Brunner, Dette & Munk (1997), the ANOVA-type statistic; their f_0 is
    replaced by that of the variance of tr(TV), which is Satterthwaite's for two values and
    Greenhouse and Geisser's (1959) for one part.

    >>> box(np.array([0.9, 0.7, 0.8]), [(0.01 * np.eye(3), 9.0)])
    (1.0, 2.0, 18.0)
    """
    k = len(values)
    middle = np.eye(k) - 1.0 / k
    turned = [(middle @ part @ middle, df) for part, df in parts]
    whole = sum((part for part, _ in turned), np.zeros((k, k)))
    trace, gap = float(np.trace(whole)), float(((values - values.mean()) ** 2).sum())
    if trace <= 1e-12 * sum(float(np.trace(part)) for part, _ in parts):
        if gap > 1e-18:
            raise NotApplicable("the values differ without any spread in these cases.")
        return 0.0, 0.0, np.inf
    df = trace**2 / float((whole * whole).sum())
    below = sum(float((part * part).sum()) / freedom for part, freedom in turned)
    return gap / trace, df, min(trace**2 / below, df * at_most)


def covariances(found: Components) -> list[tuple[Floats, float]]:
    """Independent parts of the covariance of areas, one a class, with their degrees of freedom.

    Over clusters there is one part, of Obuchowski's totals.
    """
    if found.groups is not None:
        code = np.unique(found.groups, return_inverse=True)[1]
        sums = np.stack([np.bincount(code, weights=row) for row in found.influence])
        units = sums.shape[1]
        if units < 2:
            raise NotApplicable("a comparison over clusters needs at least two of them.")
        return [(sums @ sums.T * units / (units - 1), units - 1.0)]
    parts = []
    for k, size in enumerate(np.bincount(found.stratum).tolist()):
        if size > 1:
            inside = found.influence * (found.stratum == k)
            parts.append((inside @ inside.T * size / (size - 1), size - 1.0))
    return parts


def _omnibus(
    label: str, test: str, statistic: float, df: float, error: float | None, hypothesis: str
) -> Omnibus:
    from scipy.special import chdtrc, fdtrc

    if df == 0:
        p, error = 1.0, None
    else:
        p = float(chdtrc(df, statistic) if error is None else fdtrc(df, error, statistic))
    return Omnibus(
        measure=label,
        test=test,
        statistic=statistic,
        df=df,
        df_error=error,
        p_value=never_zero(p),
        hypothesis=hypothesis,
    )
