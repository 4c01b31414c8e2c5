"""The quadratic family: squared distance between outcomes and probabilities."""

from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.measures.chance import constant, outcome_variance
from abovechance.measures.measure import Family, Form, LabelScore, Law, Statistic, measure
from abovechance.measures.shares import class_shares, positive_share
from abovechance.numerics.counts import weighted_mean
from abovechance.predictions import Binary, View

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
