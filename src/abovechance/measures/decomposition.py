"""The Brier score taken apart: miscalibration, discrimination, uncertainty."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.measures.chance import constant
from abovechance.measures.measure import Family, Form, Law, measure
from abovechance.predictions import View

PART: dict[str, Any] = {
    "family": Family.QUADRATIC,
    "reads": View.PROBABILITY,
    "form": Form.DRAWS,
    "directed": True,
    "outcomes": frozenset({"binary"}),
    "law": Law.UNKNOWN,
    "reference": constant(0.0),
    "listed": False,
    "extreme": True,  # recalibration follows chance, so both parts are greater than they are
}


@dataclass(frozen=True)
class BrierParts:
    """Brier score = miscalibration − discrimination + uncertainty (+ what binning left over).

    Attributes
    ----------
    miscalibration
        How much the score would improve if the probabilities were recalibrated.
    discrimination
        How much recalibrated probabilities improve on always predicting the prevalence.
    uncertainty
        The score of always predicting the prevalence.
    remainder
        What the spread of probabilities within bins leaves over; 0 without bins.

    See Also
    --------
    brier_decomposition : makes it.
    """

    miscalibration: float
    discrimination: float
    uncertainty: float
    remainder: float


def brier_decomposition(
    outcome: Any,
    probability: Any,
    weight: Any = None,
    *,
    method: str = "isotonic",
    bins: int = 10,
) -> BrierParts:
    r"""Take the Brier score of outcomes 0/1 and their probabilities apart.

    With :math:`\hat p` the probabilities after recalibration and :math:`\pi` the prevalence,
    miscalibration is :math:`Brier(p) - Brier(\hat p)`, discrimination
    :math:`Brier(\pi) - Brier(\hat p)` and uncertainty :math:`\pi (1 - \pi)`; the parts add up.

    Parameters
    ----------
    outcome
        Observed outcomes, 0 or 1.
    probability
        Their predicted probabilities.
    weight
        Weight of each case; all count alike when not given.
    method
        How probabilities are recalibrated: "isotonic" regression, or "binned": Murphy's mean
        outcome within equal-width bins, where the spread within a bin leaves a remainder.
    bins
        Number of bins; read by `method="binned"` alone.

    Returns
    -------
    BrierParts
        The parts.

    Raises
    ------
    NotApplicable
        For an unknown method.

    See Also
    --------
    brier : the score itself.
    brier_miscalibration, brier_discrimination : the parts as measures.

    References
    ----------
    Dimitriadis, Gneiting & Jordan (2021), eq. 3; Murphy (1973), eq. 7.

    Examples
    --------
    >>> brier_decomposition([0, 1, 0, 1], [0.2, 0.3, 0.6, 0.9]).discrimination
    0.125
    """
    y, p = np.asarray(outcome, dtype=np.float64), np.asarray(probability, dtype=np.float64)
    w = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
    w = w / w.sum()
    prevalence = float(w @ y)
    uncertainty = prevalence * (1.0 - prevalence)
    score = float(w @ (y - p) ** 2)
    if method == "isotonic":
        fitted = _isotonic(y, p, w)
        best = float(w @ (y - fitted) ** 2)
        return BrierParts(score - best, uncertainty - best, uncertainty, 0.0)
    if method != "binned":
        raise NotApplicable(f"method must be 'isotonic' or 'binned'; got {method!r}.")
    reliability, resolution = _murphy(y, p, w, bins, prevalence)
    rest = score - (reliability - resolution + uncertainty)
    return BrierParts(reliability, resolution, uncertainty, rest)


@measure(
    title="Miscalibration part of the Brier score",
    **PART,
    range=(0.0, 1.0),
    best=0.0,
    source="Dimitriadis, Gneiting & Jordan (2021); binned: Murphy (1973)",
)
def brier_miscalibration(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    method: str = "isotonic",
    bins: int = 10,
) -> float:
    """How much the Brier score would improve if the probabilities were recalibrated.

    Parameters
    ----------
    method
        How probabilities are recalibrated: "isotonic", or "binned" in bins of equal width.
    bins
        Number of bins; read by `method="binned"` alone.

    Examples
    --------
    >>> brier_miscalibration([0, 1, 0, 1], [0.2, 0.3, 0.6, 0.9])
    0.1
    """
    parts = brier_decomposition(outcome, probability, weight, method=method, bins=bins)
    return parts.miscalibration


@measure(
    title="Discrimination part of the Brier score",
    **PART,
    range=(0.0, 0.25),
    best=0.25,
    attainable=False,
    source="Dimitriadis, Gneiting & Jordan (2021); binned: Murphy (1973)",
)
def brier_discrimination(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    method: str = "isotonic",
    bins: int = 10,
) -> float:
    """How much recalibrated probabilities improve on always predicting the prevalence.

    At most the uncertainty of the outcome, π (1 − π).

    Parameters
    ----------
    method
        How probabilities are recalibrated: "isotonic", or "binned" in bins of equal width.
    bins
        Number of bins; read by `method="binned"` alone.

    Examples
    --------
    >>> brier_discrimination([0, 1, 0, 1], [0.2, 0.3, 0.6, 0.9])
    0.125
    """
    parts = brier_decomposition(outcome, probability, weight, method=method, bins=bins)
    return parts.discrimination


def _isotonic(y: Floats, p: Floats, w: Floats) -> Floats:
    from scipy.optimize import isotonic_regression

    levels, at = np.unique(p, return_inverse=True)
    total = np.bincount(at, weights=w, minlength=len(levels))
    kept = total > 0
    means = np.bincount(at, weights=w * y, minlength=len(levels))[kept] / total[kept]
    fitted = np.zeros(len(levels))
    fitted[kept] = isotonic_regression(means, weights=total[kept]).x
    return fitted[at]


def _murphy(y: Floats, p: Floats, w: Floats, bins: int, prevalence: float) -> tuple[float, float]:
    # borders are k/bins, rounded once, as those of the calibration errors: .57 · 100 is below 57
    at = np.searchsorted(np.arange(1, bins) / bins, p, side="right")
    total = np.bincount(at, weights=w, minlength=bins)
    kept = total > 0
    observed = np.bincount(at, weights=w * y, minlength=bins)[kept] / total[kept]
    forecast = np.bincount(at, weights=w * p, minlength=bins)[kept] / total[kept]
    share = total[kept]
    return float(share @ (forecast - observed) ** 2), float(share @ (observed - prevalence) ** 2)
