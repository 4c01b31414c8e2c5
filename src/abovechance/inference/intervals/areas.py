"""Intervals for areas under ROC curves."""

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.inference.guards import independent
from abovechance.inference.results import Interval
from abovechance.numerics.placements import (
    clustered_delong,
    hanley_mcneil_variance,
)
from abovechance.numerics.placements import delong as delong_areas
from abovechance.predictions import Binary

SCALES = ("adjusted_logit", "logit", "identity")


def delong(
    predictions: Binary,
    *,
    confidence_level: float = 0.95,
    scale: str = "adjusted_logit",
) -> Interval:
    r"""Interval for the area under the ROC curve.

    Parameters
    ----------
    scale
        "adjusted_logit" (default): on the logit scale at :math:`A' = (U + ½) / (n_1 n_0 + 1)`,
        with the larger of DeLong's variance and Hanley and McNeil's both ways round, so that it
        is defined and covers when the area is near or at 1. "logit": the plain logit interval.
        "identity": DeLong's variance on the area itself, clipped to [0, 1] as pROC does.

    With `groups` the variance is Obuchowski's, clusters being what varies.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988); Hanley & McNeil (1982); Obuchowski (1997).

    Examples
    --------
    >>> from abovechance import examples
    >>> print(delong(examples.breast_cancer("p_texture")))
    0.756 to 0.865
    """
    if scale not in SCALES:
        raise NotApplicable(f"scale must be one of {', '.join(SCALES)}; got {scale!r}.")
    area, variance, n1, n0 = area_and_variance(predictions)
    clustered = predictions.cases.groups is not None
    name = "Obuchowski" if clustered else "DeLong"
    if scale == "adjusted_logit":
        centre = (area * n1 * n0 + 0.5) / (n1 * n0 + 1.0)
        spread = max(variance, float(hanley_mcneil_variance(np.asarray(centre), n1, n0)))
        low, high = _logit_limits(centre, spread, confidence_level)
        return Interval(min(low, area), max(high, area), confidence_level, f"adjusted-logit {name}")
    if scale == "logit":
        low, high = _logit_limits(area, variance, confidence_level)
        return Interval(low, high, confidence_level, f"logit {name}")
    half = _normal(confidence_level) * np.sqrt(variance)
    limits = np.clip([area - half, area + half], 0.0, 1.0)
    return Interval(float(limits[0]), float(limits[1]), confidence_level, name)


def area_and_variance(predictions: Binary) -> tuple[float, float, int, int]:
    """Area, DeLong's (or with groups Obuchowski's) variance, and the class sizes."""
    predictions = independent(predictions, "DeLong's variance")
    n1, n0 = int(predictions.positive.sum()), int((~predictions.positive).sum())
    if min(n1, n0) < 1:
        raise NotApplicable("an area under the ROC curve needs cases of both classes.")
    if predictions.ranking is None:
        raise NotApplicable("areas under ROC curves need a score or a probability.")
    groups = predictions.cases.groups
    if groups is not None:
        if len(np.unique(groups)) < 2:
            raise NotApplicable("an interval over clusters needs at least two of them.")
        found = clustered_delong(predictions.ranking, predictions.positive, groups)
        return float(found.values[0]), float(found.covariance[0, 0]), n1, n0
    if min(n1, n0) < 2:
        found = delong_areas(predictions.ranking, predictions.positive)
        return float(found.values[0]), float(found.covariance[0, 0]), n1, n0
    summary = predictions.rank_summary
    area = summary.pairs_twice_u / (2.0 * n1 * n0)
    variance = (summary.placement_squares_positive / n1 - area**2) / (n1 - 1) + (
        summary.placement_squares_negative / n0 - area**2
    ) / (n0 - 1)
    return area, max(variance, 0.0), n1, n0


def _logit_limits(area: float, variance: float, level: float) -> tuple[float, float]:
    if not 0.0 < area < 1.0:
        return (area, area) if variance == 0 else (0.0, 1.0)
    centre = np.log(area / (1.0 - area))
    half = _normal(level) * np.sqrt(variance) / (area * (1.0 - area))
    return (
        float(1.0 / (1.0 + np.exp(-(centre - half)))),
        float(1.0 / (1.0 + np.exp(-(centre + half)))),
    )


def _normal(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2.0))
