"""Selected sets of features: how alike they are, and how many that say little are among them."""

import math
from typing import Literal

import numpy as np

from abovechance.arrays import Bools, Floats, Ints

# ----------------------------------------------------------------------------------------------
# How alike sets of selected features are: Nogueira, Sechidis and Brown's index.
# ----------------------------------------------------------------------------------------------


def set_stability(chosen: Bools) -> float:
    r"""How alike M sets of d features are, rows of True and False (M, d).

    .. math:: 1 - \frac{\frac1d \sum_f \frac{M}{M-1} \hat p_f (1 - \hat p_f)}
        {\frac{\bar k}{d} (1 - \frac{\bar k}{d})}

    with :math:`\hat p_f` how often feature f was selected and :math:`\bar k` the mean size. 1 if
    all are the same, 0 on average if they are as different as chance makes them, down to
    −1/(M − 1). Undefined where every set is empty, or every one is full.

    References
    ----------
    Nogueira, Sechidis & Brown (2018), definition 4.

    >>> set_stability(np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], dtype=bool))
    -0.5
    """
    count, features = chosen.shape
    often = chosen.mean(axis=0)
    share = often.sum() / features
    if share in (0.0, 1.0):
        return float("nan")
    apart = count / (count - 1) * (often * (1 - often)).mean()
    return float(1 - apart / (share * (1 - share)))


def set_influences(chosen: Bools) -> Floats:
    """What each set contributes to the index (M,); the index has twice their mean's variance.

    References
    ----------
    Nogueira, Sechidis & Brown (2018), theorem 7.
    """
    features = chosen.shape[1]
    often = chosen.mean(axis=0)
    share, own = often.sum() / features, chosen.mean(axis=1)
    shared = (chosen * often).mean(axis=1) - own * share
    index = set_stability(chosen)
    return np.asarray(
        (shared + index / 2 * (2 * own * share - own - share + 1)) / (share * (1 - share))
    )


def influence_variance(influence: Floats, unit: Ints | None = None) -> float:
    r"""The variance of an index, or of a difference, from the contributions of the sets.

    .. math:: \frac{4}{M^2} \sum_i (\hat\phi_i - \bar\phi)^2

    Sets of one `unit`, such as the two halves of the cases, are not independent of each other;
    their contributions are added before they are squared.

    >>> one = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]], dtype=bool)
    >>> influence_variance(set_influences(one))
    0.0
    """
    left = influence - influence.mean()
    if unit is not None:
        left = np.bincount(unit, weights=left)
    return float(4 / len(influence) ** 2 * (left**2).sum())


# ----------------------------------------------------------------------------------------------
# How many features that say little are selected by stability selection, at most on average.
# ----------------------------------------------------------------------------------------------


Assumption = Literal["none", "unimodal", "r-concave"]

BOTH, SINGLE = -1 / 2, -1 / 4
"""The r of r-concavity: of how often both halves select a feature, and of how often one does."""

POINTS = 400  # places at which a tail is looked at before the search narrows
ROUNDS = 5  # times that it does
WIDEST = 1e5  # a distribution (a + i)^(1/r) with an a beyond it is flat


def false_selections(
    features: int, selected: float, cutoff: float, pairs: int, assumption: Assumption = "unimodal"
) -> float:
    r"""The mean number of features of low selection probability in the stable set, at most.

    With p features of which q are selected on average in each half of the cases, those chosen no
    more often than a choice blind to the outcome (:math:`\theta = q/p`) make up at most

    .. math:: \frac{q^2}{p\,(2\pi - 1)}

    of the stable set on average without any assumption. If the share of pairs of halves in which
    both select a feature has one mode, a bound is :math:`q^2/p` divided by
    :math:`2\,(2\pi - 1 - 1/(2B))` up to a cut-off :math:`\pi` of 3/4 and multiplied by
    :math:`4\,(1 - \pi + 1/(2B))/(1 + 1/B)` above it. If that share is r-concave with r = −1/2, and
    the share of halves with r = −1/4, it is p times the largest tail that any such distribution
    has. Never more than all p; all p where a bound does not reach.

    References
    ----------
    Meinshausen & Bühlmann (2010), theorem 1; Shah & Samworth (2013), equations 3, 8 and 9.

    Examples
    --------
    >>> [false_selections(100, 10, 0.6, 50, kind) for kind in ("none", "unimodal", "r-concave")]
    [5.0, 2.6316, 1.1413]
    """
    share = selected / features
    if assumption == "r-concave":
        steps = steps_of(cutoff, 2 * pairs)
        tails = (
            concave_tail(share**2, steps - pairs, pairs, BOTH),
            concave_tail(share, steps, 2 * pairs, SINGLE),
        )
        return features * min(tails)
    if cutoff <= 0.5:
        return float(features)
    plain = selected**2 / features
    if assumption == "none":
        return min(float(features), plain / (2 * cutoff - 1))
    if cutoff > 3 / 4:
        return min(float(features), plain * 4 * (1 - cutoff + 1 / (2 * pairs)) / (1 + 1 / pairs))
    reach = 0.5 + min(share**2, 1 / (2 * pairs) + 0.75 * share**2)
    room = 2 * (2 * cutoff - 1 - 1 / (2 * pairs))
    if cutoff <= reach or room <= 0:
        return float(features)
    return min(float(features), plain / room)


def most_selected(
    features: int, errors: float, cutoff: float, pairs: int, assumption: Assumption = "unimodal"
) -> int:
    """How many features each half may select, so that the bound is met; 0 if not even one.

    >>> [most_selected(200, 0.2, 0.6, 50, kind) for kind in ("unimodal", "r-concave")]
    [3, 6]
    """
    found = 0
    while found < features and (
        false_selections(features, found + 1, cutoff, pairs, assumption) <= errors
    ):
        found += 1
    return found


def least_cutoff(
    features: int, selected: float, errors: float, pairs: int, assumption: Assumption = "unimodal"
) -> float | None:
    """The lowest share of halves above one half at which the bound is met; None if there is none.

    >>> [least_cutoff(200, 7, 0.2, 50, kind) for kind in ("unimodal", "r-concave")]
    [0.81, 0.62]
    """
    for steps in range(pairs + 1, 2 * pairs + 1):
        if false_selections(features, selected, steps / (2 * pairs), pairs, assumption) <= errors:
            return steps / (2 * pairs)
    return None


def steps_of(cutoff: float, halves: int) -> int:
    """How many of the halves must select a feature that is to be stable; rounding forgiven."""
    return math.ceil(round(cutoff * halves, 9))


def concave_tail(mean: float, least: int, steps: int, r: float) -> float:
    r"""The largest P(N ≥ least) of an r-concave N on 0, 1, …, `steps` whose mean/steps is `mean`.

    The worst distribution is :math:`c\,(a + i)^{1/r}` up to some k, and what is left at k + 1;
    given a, the mean fixes k and c, so that one number is to be looked for.

    References
    ----------
    Shah & Samworth (2013), appendix A.4.

    >>> concave_tail(0.01, 20, 100, -1 / 4)
    0.002
    """
    if least <= math.ceil(2 * mean * steps):
        return 1.0
    if least > steps:
        return 0.0
    low, high = math.log(_flattest(mean, steps, 1 / r)), math.log(WIDEST)
    best = 0.0
    for _ in range(ROUNDS):
        places = np.linspace(low, high, POINTS)
        tails = _tails(np.exp(places), mean * steps, least, steps, 1 / r)
        at = int(tails.argmax())
        best = max(best, float(tails[at]))
        low, high = places[max(at - 1, 0)], places[min(at + 1, POINTS - 1)]
    return best


def _flattest(mean: float, steps: int, power: float) -> float:
    """The smallest a at which all steps together have no less than the mean."""
    from scipy.optimize import brentq

    i = np.arange(steps + 1)

    def above(log_a: float) -> float:
        weight = (1 + i / math.exp(log_a)) ** power
        return float(i @ weight / weight.sum() - mean * steps)

    return math.exp(brentq(above, math.log(1e-9), math.log(WIDEST), xtol=1e-13))


def _tails(a: Floats, mean: float, least: int, steps: int, power: float) -> Floats:
    """P(N ≥ least) of the distributions with these a (…,)."""
    i = np.arange(steps + 1)
    weight = (1 + i / a[:, None]) ** power
    mass, moment = weight.cumsum(axis=1), (i * weight).cumsum(axis=1)
    # the last k of which all mass up to it still has no more than the mean; one step is left over
    k = np.minimum((moment <= mean * mass * (1 + 1e-12)).sum(axis=1) - 1, steps - 1)
    rows = np.arange(len(a))
    spread = (k + 1) * mass[rows, k] - moment[rows, k]
    below = np.where(least > k, mass[rows, k], mass[rows, np.minimum(least - 1, k)])
    return np.asarray(np.where(least > k + 1, 0.0, 1 - (k + 1 - mean) * below / spread))
