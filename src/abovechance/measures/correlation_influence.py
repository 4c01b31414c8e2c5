"""How much each case moves a correlation: its derivative by the case's share of the sample.

The variance of the value is the mean square of these over n, whatever the distribution.
"""

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.numerics.censoring import concordance_by_case


def of_pearson(outcome: Floats, value: Floats) -> Floats:
    r"""Of Pearson's: :math:`u v - r (u^2 + v^2) / 2` for standardised u and v."""
    u, v = _standardised(outcome), _standardised(value)
    return np.asarray(u * v - (u * v).mean() * (u**2 + v**2) / 2.0)


def of_spearman(outcome: Floats, value: Floats) -> Floats:
    """Of Spearman's: a case has its own ranks, and moves the ranks of those above it."""
    f, g = _centred_ranks(outcome), _centred_ranks(value)
    covariance, first, second = (f * g).mean(), (f**2).mean(), (g**2).mean()
    rho = covariance / np.sqrt(first * second)
    moved = _centred(f * g + _above(outcome, g) + _above(value, f)) / np.sqrt(first * second)
    spreads = _centred(f**2 + 2.0 * _above(outcome, f)) / first
    spreads = spreads + _centred(g**2 + 2.0 * _above(value, g)) / second
    return np.asarray(moved - rho * spreads / 2.0)


def of_kendall(outcome: Floats, value: Floats) -> Floats:
    """Of Kendall's tau-b: from the pairs each case takes part in."""
    n = len(outcome)
    pairs = concordance_by_case(outcome, np.ones(n, dtype=np.bool_), -value)
    surplus = (pairs.concordant - pairs.discordant) / n
    first, second = (1.0 - _alike(values) / n for values in (outcome, value))
    scale = np.sqrt(first.mean() * second.mean())
    tau = surplus.mean() / scale
    spreads = _centred(first) / first.mean() + _centred(second) / second.mean()
    return np.asarray(2.0 * (_centred(surplus) / scale - tau * spreads / 2.0))


def _standardised(values: Floats) -> Floats:
    return (values - values.mean()) / values.std()


def _centred(values: Floats) -> Floats:
    return np.asarray(values - values.mean())


def _places(values: Floats) -> tuple[Ints, Ints]:
    """How many values are less, and how many are not greater, than each."""
    ordered = np.sort(values)
    return np.searchsorted(ordered, values, "left"), np.searchsorted(ordered, values, "right")


def _alike(values: Floats) -> Floats:
    """How many values equal each one, itself included."""
    less, upto = _places(values)
    return np.asarray(upto - less, dtype=np.float64)


def _centred_ranks(values: Floats) -> Floats:
    """Share of values below, and half of those equal, less one half."""
    less, upto = _places(values)
    return np.asarray((less + upto) / (2.0 * len(values)) - 0.5)


def _above(key: Floats, values: Floats) -> Floats:
    """Sum of the values of cases with a greater key, half of those with an equal one, over n."""
    total = np.concatenate([[0.0], np.cumsum(values[np.argsort(key, kind="stable")])])
    less, upto = _places(key)
    return np.asarray((total[-1] - (total[less] + total[upto]) / 2.0) / len(key))
