"""How good probabilities are: the quadratic family, Brier's parts, the information family."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable, shown
from abovechance.gate import gated
from abovechance.measures.chance import constant, entropy, outcome_variance
from abovechance.measures.measure import Family, Form, LabelScore, Law, Statistic, measure
from abovechance.numerics.counts import class_shares, positive_share, weighted_mean
from abovechance.predictions import Binary, View

# ----------------------------------------------------------------------------------------------
# The quadratic family: squared distance between outcomes and probabilities.
# ----------------------------------------------------------------------------------------------


QUADRATIC: dict[str, Any] = {
    "family": Family.QUADRATIC,
    "reads": View.PROBABILITY,
    "label_score": LabelScore.PROBABILITY,
    "directed": True,
}


def _brier_shortcut(predictions: Binary) -> float:
    return float(predictions.sums.sum_squares) / predictions.n


def _half_sum(outcome: Floats, probability: Floats) -> Floats:
    return ((outcome - probability) ** 2).sum(axis=-2) / 2.0


@measure(
    title="Brier score",
    aliases=("brier_score", "neg_brier_score"),
    **QUADRATIC,
    form=Form.LOSSES,
    range=(0.0, 1.0),
    best=0.0,
    reference=outcome_variance,
    law=Law.MEAN,
    shortcut=_brier_shortcut,
    multiclass=_half_sum,
    sufficient=Statistic.SQUARES,
    source="Brier (1950); in this form Dinga et al., Quadratic error-based measures",
)
def brier(outcome: Floats, probability: Floats) -> Floats:
    r"""Squared distance between an outcome (0 or 1) and its predicted probability.

    .. math:: \frac{1}{n} \sum_{i=1}^{n} (y_i - p_i)^2

    Always predicting the prevalence :math:`\pi` scores :math:`\pi (1 - \pi)`. Brier summed over
    all classes; this is half of his score, so that it lies in [0, 1] for any number of classes.

    Examples
    --------
    >>> brier([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9])
    0.085
    """
    return (outcome - probability) ** 2


def _twice_outcome_variance(predictions: Any, measure: Any) -> float:
    """The summed score of always predicting the class frequencies."""
    return 2.0 * outcome_variance(predictions, measure)


def _brier_sum_shortcut(predictions: Binary) -> float:
    return 2.0 * _brier_shortcut(predictions)


def _whole_sum(outcome: Floats, probability: Floats) -> Floats:
    return ((outcome - probability) ** 2).sum(axis=-2)


@measure(
    title="Brier score, summed over classes",
    **QUADRATIC,
    form=Form.LOSSES,
    range=(0.0, 2.0),
    best=0.0,
    reference=_twice_outcome_variance,
    law=Law.MEAN,
    shortcut=_brier_sum_shortcut,
    multiclass=_whole_sum,
    listed=False,
    sufficient=Statistic.SQUARES,
    source="Brier (1950), eq. 2",
)
def brier_sum(outcome: Floats, probability: Floats) -> Floats:
    r"""Brier's original: squared distance summed over all classes, twice `brier`.

    Examples
    --------
    >>> brier_sum([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9])
    0.17
    """
    return 2.0 * (outcome - probability) ** 2


def _scaled_sum(
    outcome: Floats, probability: Floats, weight: Floats | None, *, reference: str = "prevalence"
) -> Floats:
    losses = ((outcome - probability) ** 2).sum(axis=-2) / 2.0
    base = class_shares(_reference(reference, outcome, probability), weight)
    return _gain(weighted_mean(losses, weight), (base * (1.0 - base)).sum(axis=-1) / 2.0)


def _gain(loss: Floats, reference: Floats) -> Floats:
    return np.where(reference > 0, 1.0 - loss / reference, np.nan)


def _scaled_brier_shortcut(predictions: Binary) -> float:
    share = predictions.sums.n_positive / predictions.n
    reference = share * (1.0 - share)
    return 1.0 - _brier_shortcut(predictions) / reference if reference else float("nan")


@measure(
    title="Scaled Brier score",
    aliases=("brier_skill_score", "d2_brier_score"),
    **QUADRATIC,
    form=Form.SAMPLE,
    range=(-np.inf, 1.0),
    best=1.0,
    reference=constant(0.0),
    law=Law.UNKNOWN,
    multiclass=_scaled_sum,
    undefined="only one class was observed",
    shortcut=_scaled_brier_shortcut,
    sufficient=Statistic.SQUARES,
    source="Dinga et al., Quadratic error-based measures; reference from the prevalence",
    monotone_in="brier",
)
def scaled_brier(
    outcome: Floats, probability: Floats, weight: Floats | None, *, reference: str = "prevalence"
) -> Floats:
    r"""One minus the Brier score over that of always predicting the prevalence.

    .. math:: 1 - \frac{Brier}{\bar p (1 - \bar p)}

    0 for an uninformative prediction, 1 for perfect ones, negative below that. The paper prints
    the mean *prediction* for :math:`\bar p` (`reference="mean_prediction"`), with which an
    uninformative but miscalibrated prediction does not score 0; the default is the prevalence.

    Parameters
    ----------
    reference
        What is always predicted instead: the "prevalence", or the "mean_prediction".

    Examples
    --------
    >>> scaled_brier([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9])
    0.66
    """
    base = positive_share(_reference(reference, outcome, probability), weight)
    return _gain(weighted_mean((outcome - probability) ** 2, weight), base * (1.0 - base))


def _reference(reference: str, outcome: Floats, probability: Floats) -> Floats:
    if reference not in ("prevalence", "mean_prediction"):
        raise NotApplicable(
            f"reference must be 'prevalence' or 'mean_prediction'; got {reference!r}."
        )
    return outcome if reference == "prevalence" else probability


def _tjur_shortcut(predictions: Binary) -> float:
    sums, n = predictions.sums, predictions.n
    if not 0 < sums.n_positive < n:
        return float("nan")
    rest = (sums.sum_p - sums.sum_p_positive) / (n - sums.n_positive)
    return float(sums.sum_p_positive / sums.n_positive - rest)


@measure(
    title="Tjur's R²",
    aliases=("discrimination_slope",),
    **QUADRATIC,
    form=Form.SAMPLE,
    outcomes=frozenset({"binary"}),
    range=(-1.0, 1.0),
    best=1.0,
    chance=constant(0.0),
    reference=constant(0.0),
    prevalence_free=True,
    law=Law.UNKNOWN,
    undefined="only one class was observed",
    shortcut=_tjur_shortcut,
    sufficient=Statistic.CLASS_MEANS,
    source="Tjur (2009); Dinga et al., Quadratic error-based measures",
)
def tjur_r2(outcome: Floats, probability: Floats, weight: Floats | None) -> Floats:
    r"""Mean predicted probability of the positive cases minus that of the negative ones.

    Examples
    --------
    >>> tjur_r2([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9])
    0.5
    """
    own = np.ones(outcome.shape) if weight is None else weight
    positive, negative = own * outcome, own * (1.0 - outcome)
    return (positive * probability).sum(axis=-1) / positive.sum(axis=-1) - (
        negative * probability
    ).sum(axis=-1) / negative.sum(axis=-1)


# ----------------------------------------------------------------------------------------------
# The Brier score taken apart: miscalibration, discrimination, uncertainty.
# ----------------------------------------------------------------------------------------------


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


@gated
def brier_decomposition(
    outcome: Array,
    probability: Floats,
    weight: Floats | None = None,
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
    made = Binary(outcome, probability=probability, sample_weight=weight)
    assert made.probability is not None
    return _parts(made.positive.astype(np.float64), made.probability, made.weight, method, bins)


def _parts(y: Floats, p: Floats, weight: Floats | None, method: str, bins: int) -> BrierParts:
    w = np.ones(len(y)) if weight is None else weight
    w = w / w.sum()
    prevalence = float(w @ y)
    uncertainty = prevalence * (1.0 - prevalence)
    score = float(w @ (y - p) ** 2)
    if method == "isotonic":
        fitted = _isotonic(y, p, w)
        best = float(w @ (y - fitted) ** 2)
        return BrierParts(score - best, uncertainty - best, uncertainty, 0.0)
    if method != "binned":
        raise NotApplicable(f"method must be 'isotonic' or 'binned'; got {shown(method)}.")
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
    parts = _parts(outcome, probability, weight, method, bins)
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
    parts = _parts(outcome, probability, weight, method, bins)
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


# ----------------------------------------------------------------------------------------------
# The information family: the logarithm of the probability given to what happened.
#
# Probabilities are never clipped. An outcome of predicted probability 0 that happened costs an
# infinite amount, and is reported as such with the number of such cases.
# ----------------------------------------------------------------------------------------------


INFORMATION: dict[str, Any] = {
    "family": Family.INFORMATION,
    "reads": View.PROBABILITY,
    "label_score": LabelScore.LOGIT,
    "directed": True,
}
EXPLAINED: dict[str, Any] = {
    **INFORMATION,
    "form": Form.SAMPLE,
    "range": (-np.inf, 1.0),
    "best": 1.0,
    "reference": constant(0.0),
    "law": Law.UNKNOWN,
    "undefined": "only one class was observed",
}


def _log_target(outcome: Floats, probability: Floats) -> Floats:
    """Log of the probability given to what happened; two classes."""
    found = np.where(outcome == 1.0, probability, 1.0 - probability)
    return np.log(found, out=found)


def _log_target_of_classes(outcome: Floats, probability: Floats) -> Floats:
    return np.log((outcome * probability).sum(axis=-2))


def _log_score_of_classes(outcome: Floats, probability: Floats, *, base: float = np.e) -> Floats:
    return _log_target_of_classes(outcome, probability) / np.log(base)


def _log_score_shortcut(predictions: Binary) -> float:
    return float(predictions.sums.sum_log) / predictions.n


def _log_loss_shortcut(predictions: Binary) -> float:
    return 0.0 - _log_score_shortcut(predictions)  # 0, not -0, for certainty that was right


def _negative_entropy(predictions: Any, measure: Any) -> float:
    """The score of always predicting the class frequencies: minus their entropy."""
    return 0.0 - entropy(predictions, measure) / float(np.log(measure.parameters["base"]))


@measure(
    title="Log score",
    aliases=("neg_log_loss", "logarithmic_score"),
    **INFORMATION,
    form=Form.LOSSES,
    range=(-np.inf, 0.0),
    best=0.0,
    reference=_negative_entropy,
    law=Law.MEAN,
    shortcut=_log_score_shortcut,
    multiclass=_log_score_of_classes,
    sufficient=Statistic.LOGS,
    source="Good (1952); Dinga et al., Information criteria",
)
def log_score(outcome: Floats, probability: Floats, *, base: float = np.e) -> Floats:
    r"""Mean logarithm of the probability that was given to what happened.

    .. math:: \frac{1}{n} \sum_i \ln p_i(y_i)

    In nats; `base=2` gives bits. Always predicting the class frequencies scores minus their
    entropy. Not clipped: −∞ if something happened that was given probability 0.

    Parameters
    ----------
    base
        Base of the logarithm: e for nats, 2 for bits.

    Examples
    --------
    >>> log_score([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9])
    -0.308
    """
    found = _log_target(outcome, probability)
    found /= np.log(base)
    return found


def _log_loss_of_classes(outcome: Floats, probability: Floats, *, base: float = np.e) -> Floats:
    return 0.0 - _log_target_of_classes(outcome, probability) / np.log(base)


def _entropy(predictions: Any, measure: Any) -> float:
    """The loss of always predicting the class frequencies: their entropy."""
    return 0.0 - _negative_entropy(predictions, measure)


@measure(
    title="Log loss",
    aliases=("cross_entropy", "negative_log_likelihood"),
    **INFORMATION,
    form=Form.LOSSES,
    range=(0.0, np.inf),
    best=0.0,
    reference=_entropy,
    law=Law.MEAN,
    shortcut=_log_loss_shortcut,
    multiclass=_log_loss_of_classes,
    sufficient=Statistic.LOGS,
    source="Good (1952), negated",
)
def log_loss(outcome: Floats, probability: Floats, *, base: float = np.e) -> Floats:
    """The log score negated: mean surprise at what happened, lower is better.

    Parameters
    ----------
    base
        Base of the logarithm: e for nats, 2 for bits.

    Examples
    --------
    >>> log_loss([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9])
    0.308
    """
    found = log_score.formula(outcome, probability, base=base)
    return np.subtract(0.0, found, out=found)


def _means(outcome: Floats, probability: Floats, weight: Floats | None) -> tuple[Floats, Floats]:
    """Mean log-likelihood of the predictions and of the class frequencies; two classes."""
    positive = positive_share(outcome, weight)
    shares = np.stack([1.0 - positive, positive], axis=-1)
    return weighted_mean(_log_target(outcome, probability), weight), _mean_log(shares)


def _means_of_classes(
    outcome: Floats, probability: Floats, weight: Floats | None
) -> tuple[Floats, Floats]:
    logs = _log_target_of_classes(outcome, probability)
    return weighted_mean(logs, weight), _mean_log(class_shares(outcome, weight))


def _mean_log(shares: Floats) -> Floats:
    """Minus the entropy of shares (…, K)."""
    return (shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=-1)


def _cox_snell(fitted: Floats, null: Floats) -> Floats:
    with np.errstate(over="ignore"):  # infinitely bad where what happened was all but excluded
        return -np.expm1(2.0 * (null - fitted))


def _nagelkerke(fitted: Floats, null: Floats) -> Floats:
    return np.where(null < 0, _cox_snell(fitted, null) / -np.expm1(2.0 * null), np.nan)


def _mcfadden(fitted: Floats, null: Floats) -> Floats:
    return np.where(null < 0, 1.0 - fitted / null, np.nan)


def _summed(predictions: Binary) -> tuple[Any, Any]:
    """Mean log-likelihood of the predictions and of the class frequencies, from one pass."""
    shares = predictions.prevalences
    null = float(np.sum(shares * np.log(np.where(shares > 0, shares, 1.0))))
    return np.float64(_log_score_shortcut(predictions)), np.float64(null)


def _nagelkerke_shortcut(predictions: Binary) -> float:
    return float(_nagelkerke(*_summed(predictions)))


def _cox_snell_shortcut(predictions: Binary) -> float:
    return float(_cox_snell(*_summed(predictions)))


def _mcfadden_shortcut(predictions: Binary) -> float:
    return float(_mcfadden(*_summed(predictions)))


def _nagelkerke_of_classes(outcome: Floats, probability: Floats, weight: Floats | None) -> Floats:
    return _nagelkerke(*_means_of_classes(outcome, probability, weight))


def _cox_snell_of_classes(outcome: Floats, probability: Floats, weight: Floats | None) -> Floats:
    return _cox_snell(*_means_of_classes(outcome, probability, weight))


def _mcfadden_of_classes(outcome: Floats, probability: Floats, weight: Floats | None) -> Floats:
    return _mcfadden(*_means_of_classes(outcome, probability, weight))


@measure(
    title="Nagelkerke's R²",
    **EXPLAINED,
    multiclass=_nagelkerke_of_classes,
    shortcut=_nagelkerke_shortcut,
    sufficient=Statistic.LOGS,
    source="Nagelkerke (1991); Dinga et al., Information criteria, from likelihoods",
    monotone_in="log_loss",
)
def nagelkerke_r2(outcome: Floats, probability: Floats, weight: Floats | None) -> Floats:
    r"""Cox and Snell's R² over the largest value it could reach.

    .. math:: \frac{1 - (L_0 / L)^{2/n}}{1 - L_0^{2/n}}

    with :math:`L` the likelihood of the predictions as given and :math:`L_0` that of the class
    frequencies. The paper speaks of log scores here; the formula needs likelihoods.

    Examples
    --------
    >>> nagelkerke_r2([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9])
    0.716
    """
    return _nagelkerke(*_means(outcome, probability, weight))


@measure(
    title="Cox and Snell's R²",
    **{**EXPLAINED, "undefined": ""},
    attainable=False,
    multiclass=_cox_snell_of_classes,
    shortcut=_cox_snell_shortcut,
    sufficient=Statistic.LOGS,
    source="Cox & Snell (1989)",
    monotone_in="log_loss",
)
def cox_snell_r2(outcome: Floats, probability: Floats, weight: Floats | None) -> Floats:
    r"""One minus the likelihood ratio of the class frequencies, per case.

    .. math:: 1 - (L_0 / L)^{2/n}

    Perfect predictions stay below 1: :math:`1 - L_0^{2/n}`.

    Examples
    --------
    >>> cox_snell_r2([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9])
    0.537
    """
    return _cox_snell(*_means(outcome, probability, weight))


@measure(
    title="McFadden's R²",
    aliases=("d2_log_loss_score",),
    **EXPLAINED,
    multiclass=_mcfadden_of_classes,
    shortcut=_mcfadden_shortcut,
    sufficient=Statistic.LOGS,
    source="McFadden (1974)",
    monotone_in="log_loss",
)
def mcfadden_r2(outcome: Floats, probability: Floats, weight: Floats | None) -> Floats:
    r"""One minus the log score over that of always predicting the class frequencies.

    .. math:: 1 - \frac{\ln L}{\ln L_0}

    Examples
    --------
    >>> mcfadden_r2([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9])
    0.556
    """
    return _mcfadden(*_means(outcome, probability, weight))
