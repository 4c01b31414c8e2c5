"""Is accuracy better than a stated rate, or than always predicting the largest class?"""

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference.guards import refuse_dependent
from abovechance.inference.results import Test
from abovechance.inference.significance.counts import binomial
from abovechance.predictions import Binary, Multiclass

CLUSTERS = "Compare the rate with the interval of accuracy over clusters (intervals.cluster_mean)."


def against_rate(predictions: Binary | Multiclass, rate: float | str) -> Test:
    """Exact binomial test of accuracy against a rate stated beforehand, such as 1/2.

    Examples
    --------
    >>> against_rate(Binary([0, 0, 0, 1, 1, 1], label=[0, 0, 1, 1, 1, 1]), 0.5).p_value
    0.109
    """
    return table_against(_table(predictions), float(rate))


def against_majority(predictions: Binary | Multiclass) -> Test:
    """Exact one-sided McNemar test against always predicting the largest class.

    The share of the largest class in the sample is not a rate known beforehand: a binomial test
    against it has type I error up to .18.
    """
    return table_against(_table(predictions), "majority")


def table_against(table: Floats, rate: float | str) -> Test:
    """The same from a confusion table, rows actual; `rate` may be "majority".

    >>> table_against(np.array([[5, 1], [2, 12]]), "majority").p_value
    0.2266
    """
    right, rows = int(np.trace(table)), table.sum(axis=1)
    if rate != "majority":
        return binomial(right, int(table.sum()), float(rate))
    largest = int(rows.argmax())
    lost = int(rows[largest] - table[largest, largest])
    gained = right - int(table[largest, largest])
    return Test(
        statistic=float(gained - lost),
        p_value=binomial(gained, gained + lost, 0.5).p_value if gained + lost else 1.0,
        alternative="greater",
        hypothesis="no more accurate than always predicting the largest class",
        method="McNemar against the largest class, exact",
    )


def _table(predictions: Binary | Multiclass) -> Floats:
    refuse_dependent(predictions, "an exact test of accuracy", clusters=CLUSTERS)
    if predictions.label is None:
        raise NotApplicable("accuracy needs predicted labels, or a score with its threshold.")
    return predictions.confusion
