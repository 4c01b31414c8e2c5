"""The information family: the logarithm of the probability given to what happened.

Probabilities are never clipped. An outcome of predicted probability 0 that happened costs an
infinite amount, and is reported as such with the number of such cases.
"""

from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.measures.chance import constant, entropy
from abovechance.measures.measure import Family, Form, LabelScore, Law, Statistic, measure
from abovechance.measures.shares import class_shares, positive_share
from abovechance.numerics.counts import weighted_mean
from abovechance.predictions import Binary, View

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
    return np.log(np.where(outcome == 1.0, probability, 1.0 - probability))


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
    return _log_target(outcome, probability) / np.log(base)


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
    return 0.0 - _log_target(outcome, probability) / np.log(base)


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
