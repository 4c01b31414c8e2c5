"""How probable is it that one model is more accurate than another on the same cases?"""

from typing import Any

import numpy as np

from abovechance.arrays import Array
from abovechance.inference.comparison.contributions import class_sizes, classes_of, labels_of
from abovechance.inference.comparison.results import Posterior
from abovechance.inference.comparison.shares import slopes_by_class, turn
from abovechance.inference.posterior.draws import Draws
from abovechance.inference.posterior.paired import Gain, agreement, paired_difference, prior_words
from abovechance.measures import Law, Measure

PRIOR = 0.5  # that of `posterior.paired_difference`, which these numbers are


def posterior_of(measure: Measure, first: Any, second: Any, rope: float | None) -> Posterior | None:
    """The posterior of a difference of shares of all cases, or of class shares averaged.

    None for other measures. Independent cases only: no groups, no weights, no order.
    """
    dependent = first.cases.groups is not None or first.cases.order is not None
    if dependent or first.weight is not None:
        return None
    if measure.law not in (Law.SHARE, Law.BALANCED):
        return None
    slopes = slopes_by_class(measure, first)
    if slopes is None or (turn(measure) * slopes < 0).any():
        return None
    sizes = class_sizes(first)
    scale = float(np.abs(slopes).sum())
    within = None if rope is None else rope / scale
    tables = agreement(classes_of(first), labels_of(first), labels_of(second))
    if measure.law is Law.SHARE:
        if not np.allclose(slopes, scale * turn(measure) * sizes / sizes.sum()):
            return None
        return _told(_gain(tables.sum(axis=0)), within, rope, "")
    found = paired_difference(tables, weights=np.abs(slopes[sizes > 0]))
    return _told(found.distribution, within, rope, ", in every class")


def of_accuracy(gained: int, lost: int, n: int, rope: float | None = None) -> Posterior:
    """The difference of two paired shares.

    >>> round(of_accuracy(12, 2, 50).p_better, 4)
    0.9974
    """
    table = np.array([[n - gained - lost, gained], [lost, 0]])
    return _told(_gain(table), rope, rope, "")


def _gain(table: Array) -> Gain:
    both, gained, lost, neither = (float(cell) + PRIOR for cell in table.ravel())
    return Gain(np.zeros(1), (both, gained, lost, neither))


def _told(found: Any, within: float | None, rope: float | None, where: str) -> Posterior:
    p_better, prior = float(found.sf(0.0)), f"{prior_words(PRIOR)}{where}"
    if rope is None or within is None:
        return Posterior(p_better=p_better, prior=prior)
    below, above = float(found.cdf(-within)), float(found.sf(within))
    if isinstance(found, Draws) and not isinstance(found, Gain):
        below = float((found.values < -within).mean())
    return Posterior(
        p_better=p_better,
        prior=prior,
        rope=rope,
        p_first=above,
        p_equal=1.0 - above - below,
        p_second=below,
    )
