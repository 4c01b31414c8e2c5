"""What wrong predictions cost: categorical measures with stated costs."""

from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.measures.categorical import OF_TABLE
from abovechance.measures.chance import best_constant
from abovechance.measures.measure import Family, Law, measure

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
