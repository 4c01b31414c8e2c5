"""P-values beyond the last draw: a generalised Pareto distribution fitted to a null's tail.

Of many columns at once: the draws of a null in the rows, a test in each column.

References
----------
Knijnenburg, Wessels, Reinders & Shmulevich (2009): the procedure, the 250 highest draws and the
ten exceedances from which on counting does better. Zhang & Stephens (2009): the estimates.
Choulakian & Stephens (2001), table 2: the 5 % points of Anderson and Darling's statistic when both
parameters are estimated.
"""

from typing import NamedTuple

import numpy as np

from abovechance.arrays import Bools, Floats

ENOUGH = 10  # draws at least as extreme from which on a p-value is counted, not extrapolated
MOST, STEP, LEAST = 250, 10, 30
"""Highest draws that are fitted at first, how many fewer after a bad fit, and at least."""

SHARE = 4  # of the draws at most a quarter is called the tail
# The paper's k is minus the shape: k from 0.5 (tails with an end) down to -0.9 (long ones). Some
# programs have the column of k with the other sign; the simulation in the tests tells which is so.
SHAPES = (-0.5, -0.4, -0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.5, 0.9)
FIVE_PERCENT = (1.321, 1.221, 1.140, 1.074, 1.020, 0.974, 0.935, 0.903, 0.830, 0.771)


class Extrapolated(NamedTuple):
    """P-values by the fitted tails, nan where none fits, and how many draws each was fitted to."""

    p_value: Floats
    fitted: Floats


def extrapolated(observed: Floats, tails: Floats, draws: int) -> Extrapolated:
    """P-values (C,) of observed values from the highest null values (K, C) of so many draws.

    `tails` are in falling order. The fit begins with the 250 highest (a quarter of the draws when
    these are fewer) and leaves the ten lowest out until Anderson and Darling's test at 5 % has
    nothing against it. Where no fit is good, or where the fitted distribution ends below what was
    observed, there is no p-value.
    """
    p = np.full(observed.shape, np.nan)
    fitted = np.zeros(observed.shape)
    # one more value than is fitted: the threshold lies between the two
    most = min(MOST, draws // SHARE, len(tails) - 1)
    for used in range(most, LEAST - 1, -STEP):
        open_ = np.flatnonzero(fitted == 0)
        if not open_.size:
            break
        part = tails[: used + 1, open_]
        threshold = (part[used - 1] + part[used]) / 2
        excess = part[:used][::-1] - threshold
        scale, shape = pareto_fit(excess)
        good = fits(excess, scale, shape)
        chosen = open_[good]
        fitted[chosen] = used
        beyond = survival(observed[chosen] - threshold[good], scale[good], shape[good])
        p[chosen] = np.where(beyond > 0, used / draws * beyond, np.nan)
    return Extrapolated(p, fitted)


def pareto_fit(excess: Floats) -> tuple[Floats, Floats]:
    """Scale and shape of generalised Pareto distributions, of rising columns (n, C) above 0.

    The mean of the profile likelihood's parameter over a data-based prior: as good as maximum
    likelihood and always defined. Positive shapes have long tails, negative ones an end.

    >>> x = -np.log1p(-(np.arange(1000) + 0.5) / 1000)[:, None]  # exponential: scale 1, shape 0
    >>> scale, shape = pareto_fit(x)
    >>> abs(round(float(scale[0]), 1)), abs(round(float(shape[0]), 1))
    (1.0, 0.0)

    References
    ----------
    Zhang & Stephens (2009), A new and efficient estimation method for the generalized Pareto
    distribution, section 3.
    """
    n = len(excess)
    many = 20 + int(np.sqrt(n))
    quartile, last = excess[int(n / 4 + 0.5) - 1], excess[-1]
    flat = (excess[0] == last) | (quartile <= 0)  # ties all the way: no tail to fit
    quartile, last = np.where(flat, 1.0, quartile), np.where(flat, 1.0, last)
    grid = 1 - np.sqrt(many / (np.arange(1, many + 1) - 0.5))
    theta = 1 / last + grid[:, None] / (3 * quartile)
    with np.errstate(all="ignore"):
        k = np.stack([np.log1p(-one * excess).mean(axis=0) for one in theta])
        profile = n * (np.log(-theta / k) - k - 1)
        weight = 1 / np.stack([np.exp(profile - one).sum(axis=0) for one in profile])
        mean = (theta * weight).sum(axis=0) / weight.sum(axis=0)
        shape = np.log1p(-mean * excess).mean(axis=0)
        scale = -shape / mean
    return np.where(flat, np.nan, scale), np.where(flat, np.nan, shape)


def survival(x: Floats, scale: Floats, shape: Floats) -> Floats:
    """Probability of more than x; 0 beyond the end that a negative shape has.

    >>> survival(np.array([1.0, 1.0]), np.array([1.0, 0.5]), np.array([0.0, -0.5])).round(3)
    array([0.368, 0.   ])
    """
    with np.errstate(all="ignore"):
        base = np.maximum(1 + shape * x / scale, 0.0)
        near = np.abs(shape) < 1e-12
        power = np.where(near, np.exp(-x / scale), base ** (-1 / np.where(near, 1.0, shape)))
    return np.asarray(np.where(x <= 0, 1.0, power))


def fits(excess: Floats, scale: Floats, shape: Floats) -> Bools:
    """Whether Anderson and Darling's test at 5 % has nothing against each column's fit."""
    n = len(excess)
    above = survival(excess, scale, shape)
    with np.errstate(all="ignore"):
        i = np.arange(1, n + 1)[:, None]
        distance = -n - ((2 * i - 1) * (np.log1p(-above) + np.log(above[::-1]))).mean(axis=0)
    return np.asarray(distance <= np.interp(shape, SHAPES, FIVE_PERCENT))
