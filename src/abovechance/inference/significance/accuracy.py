"""Is accuracy better than a stated rate, or than always predicting the largest class?"""

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.inference.results import Test
from abovechance.inference.significance.counts import binomial
from abovechance.predictions import Binary, Multiclass


def against_rate(predictions: Binary | Multiclass, rate: float | str) -> Test:
    """Exact binomial test of accuracy against a rate stated beforehand, such as 1/2.

    Examples
    --------
    >>> against_rate(Binary([0, 0, 0, 1, 1, 1], label=[0, 0, 1, 1, 1, 1]), 0.5).p_value
    0.109
    """
    right, _ = _right(predictions)
    return binomial(int(right.sum()), len(right), float(rate))


def against_majority(predictions: Binary | Multiclass) -> Test:
    """Exact one-sided McNemar test against always predicting the largest class.

    The share of the largest class in the sample is not a rate known beforehand: a binomial test
    against it has type I error up to .18.
    """
    right, of_largest = _right(predictions)
    gained, lost = int((right & ~of_largest).sum()), int((~right & of_largest).sum())
    p = binomial(gained, gained + lost, 0.5).p_value if gained + lost else 1.0
    return Test(
        statistic=float(gained - lost),
        p_value=p,
        alternative="greater",
        hypothesis="no more accurate than always predicting the largest class",
        method="McNemar against the largest class, exact",
    )


def _right(predictions: Binary | Multiclass) -> tuple[np.ndarray, np.ndarray]:
    if predictions.cases.sample_weight is not None:
        raise NotApplicable("exact tests are for cases that count one each, not for weights.")
    if isinstance(predictions, Binary):
        actual, label = predictions.positive, predictions.label
    else:
        actual, label = predictions.actual, predictions.label
    return actual == label, actual == int(predictions.prevalences.argmax())
