"""What decisions based on predictions cost, and what they are worth at the threshold of acting."""

from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.measures.categorical import OF_TABLE
from abovechance.measures.chance import best_constant
from abovechance.measures.measure import Family, Form, Law, Measure, Statistic, measure
from abovechance.numerics.counts import weighted_mean
from abovechance.predictions import Binary, Predictions, View

# ----------------------------------------------------------------------------------------------
# What wrong predictions cost: categorical measures with stated costs.
# ----------------------------------------------------------------------------------------------


COSTS: dict[str, Any] = {
    **OF_TABLE,
    "family": Family.UTILITY,
    "outcomes": frozenset({"binary"}),
    "directed": True,
    "law": Law.UTILITY,
    "reference": best_constant,
}


@measure(
    title="Expected cost",
    **COSTS,
    range=(0.0, np.inf),
    best=0.0,
    source="Dinga et al., Categorical measures",
)
def expected_cost(table: Floats, *, cost_fp: float = 1.0, cost_fn: float = 1.0) -> Floats:
    r"""Mean cost of a case when false positives and false negatives cost what is stated.

    .. math:: \frac{c_{FP} FP + c_{FN} FN}{n}

    Parameters
    ----------
    cost_fp
        What a false positive costs.
    cost_fn
        What a false negative costs.

    Examples
    --------
    >>> expected_cost([0, 0, 1, 1], [0, 1, 1, 0], cost_fp=1, cost_fn=5)
    1.5
    """
    spent = cost_fp * table[..., 0, 1] + cost_fn * table[..., 1, 0]
    return spent / table.sum(axis=(-2, -1))


@measure(
    title="Cost-weighted accuracy",
    **COSTS,
    range=(0.0, 1.0),
    best=1.0,
    undefined="the costs allow no loss here",
    source="Dinga et al., Categorical measures (named there without a formula)",
)
def cost_weighted_accuracy(table: Floats, *, cost_fp: float = 1.0, cost_fn: float = 1.0) -> Floats:
    r"""One minus the cost spent over the cost of getting everything wrong.

    .. math:: 1 - \frac{c_{FP} FP + c_{FN} FN}{c_{FP} N + c_{FN} P}

    The threshold that goes with the costs is :math:`c_{FP} / (c_{FP} + c_{FN})`.

    Parameters
    ----------
    cost_fp
        What a false positive costs.
    cost_fn
        What a false negative costs.

    Examples
    --------
    >>> cost_weighted_accuracy([0, 0, 1, 1], [0, 1, 1, 0], cost_fp=1, cost_fn=5)
    0.5
    """
    spent = cost_fp * table[..., 0, 1] + cost_fn * table[..., 1, 0]
    worst = cost_fp * table[..., 0, :].sum(axis=-1) + cost_fn * table[..., 1, :].sum(axis=-1)
    return 1.0 - spent / worst


# ----------------------------------------------------------------------------------------------
# What decisions based on predictions are worth, at the threshold of risk where one would act.
#
# Acting on a case costs t/(1 − t) of the benefit of acting on a positive one, t being the risk at
# which one is indifferent. Cases are acted on when their probability is at least t.
# ----------------------------------------------------------------------------------------------


USUAL = 0.5  # where neither a measure nor the labels have a threshold of their own

UTILITY: dict[str, Any] = {
    "family": Family.UTILITY,
    "reads": View.PROBABILITY,
    "outcomes": frozenset({"binary"}),
    "directed": True,
    "range": (-np.inf, 1.0),
    "best": 1.0,
    "law": Law.UTILITY,
}


def labelling_threshold(predictions: Predictions) -> float | None:
    """Above what cases are called positive; None where labels were stated or there are none."""
    if not isinstance(predictions, Binary) or predictions.threshold is None:
        return None
    return None if predictions.labels_stated else predictions.threshold


def at_threshold(measure: Measure, predictions: Predictions) -> Measure:
    """A measure at the threshold that cases are called positive by, if none was stated for it."""
    if measure.parameters.get("threshold", USUAL) is not None:
        return measure
    threshold = labelling_threshold(predictions)
    if threshold is None or View.PROBABILITY not in predictions.views:
        return measure
    if threshold == USUAL or not 0.0 < threshold < 1.0:
        return measure
    return measure.with_parameters(threshold=threshold)


def threshold_of(measure: Measure) -> float:
    """The risk from which on a measure of utility acts: as stated, else one half."""
    return _stated(measure.parameters["threshold"])


def _stated(threshold: float | None) -> float:
    return USUAL if threshold is None else threshold


def treat_all_or_none(predictions: Any, measure: Measure) -> float:
    """The better of acting on every case and on none."""
    share = float(predictions.prevalences[1])
    odds = exchange(threshold_of(measure))
    return max(share - (1.0 - share) * odds, 0.0)


def _treat_all_or_none_standardised(predictions: Any, measure: Measure) -> float:
    """The better of acting on every case and on none, over the prevalence."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.divide(treat_all_or_none(predictions, measure), predictions.prevalences[1]))


@measure(
    title="Net benefit",
    **UTILITY,
    form=Form.LOSSES,
    reference=treat_all_or_none,
    attainable=False,
    sufficient=Statistic.DECISIONS,
    source="Vickers & Elkin (2006)",
)
def net_benefit(outcome: Floats, probability: Floats, *, threshold: float | None = None) -> Floats:
    r"""True positives per case, less false positives at their rate of exchange.

    .. math:: \frac{TP}{n} - \frac{FP}{n} \cdot \frac{t}{1 - t}

    At most the prevalence. Worth having only above the better of acting on all and on none,
    its reference.

    Parameters
    ----------
    threshold
        The probability from which on one would act; it states what false positives cost. That of
        the predicted labels when not given, one half where they have none.

    Examples
    --------
    >>> net_benefit([0, 0, 1, 1], [0.1, 0.4, 0.2, 0.8], threshold=0.2)
    0.4375
    """
    t = _stated(threshold)
    return np.where(probability >= t, outcome - (1.0 - outcome) * exchange(t), 0.0)


@measure(
    title="Standardised net benefit",
    aliases=("standardized_net_benefit", "relative_utility"),
    **UTILITY,
    form=Form.SAMPLE,
    reference=_treat_all_or_none_standardised,
    undefined="no case is positive",
    sufficient=Statistic.DECISIONS,
    source="Vickers & Elkin (2006); Kerr et al. (2016)",
)
def standardised_net_benefit(
    outcome: Floats, probability: Floats, weight: Floats | None, *, threshold: float | None = None
) -> Floats:
    r"""Net benefit over the prevalence, the most there is to gain.

    .. math:: TPR - FPR \cdot \frac{1 - \pi}{\pi} \cdot \frac{t}{1 - t}

    Parameters
    ----------
    threshold
        The probability from which on one would act; it states what false positives cost. That of
        the predicted labels when not given, one half where they have none.

    Examples
    --------
    >>> standardised_net_benefit([0, 0, 1, 1], [0.1, 0.4, 0.2, 0.8], threshold=0.2)
    0.875
    """
    gained = net_benefit.formula(outcome, probability, threshold=threshold)
    return weighted_mean(gained, weight) / weighted_mean(outcome, weight)


def exchange(threshold: float) -> float:
    """How many true positives a false positive costs at a threshold: its odds."""
    if not 0.0 < threshold < 1.0:
        raise NotApplicable(f"threshold must lie between 0 and 1; got {threshold}.")
    return threshold / (1.0 - threshold)
