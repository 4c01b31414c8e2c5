"""Means of values in time order: neighbours may be alike, so cases do not vary by themselves."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from abovechance.arrays import Array, Floats
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.method import Fact, Takes, interval, limits
from abovechance.inference.results import Interval
from abovechance.measures import Law

FEWEST = 30  # times
ROUNDING = 1e-12  # relative; values of a time that differ by less are the same
PERSISTENT = 0.7  # beyond which many times count as few


@dataclass(frozen=True)
class Ordered:
    """The standard error of a mean in time order, with its degrees of freedom.

    `persistence` is how much of a value is left at the next time; `times` how many there are.
    """

    mean: float
    error: float
    df: float
    persistence: float
    times: int

    @property
    def known(self) -> dict[str, float]:
        """What a method that rests on it knows of its use."""
        return {"df": self.df, "times": self.times}

    @property
    def few(self) -> bool:
        """Whether so many times tell as little as few independent ones."""
        return self.persistence > PERSISTENT or (self.df <= 3 and self.times >= 60)


@interval(
    title="EWC[, t({df:.0f}), {times} times]",
    words="slow cosines of the series (EWC)[ with Student's t ({df:.0f} degrees of freedom), "
    "{times} times]",
    source="lazarus2018",
    laws=[Law.MEAN],
    allows=[Fact.ORDER],
    takes=Takes.PARTS,
)
def ordered_mean(
    values: ArrayLike, order: ArrayLike | None = None, *, confidence_level: float = 0.95
) -> Interval:
    """Interval of a mean of values in time order, whose neighbours may be alike.

    Equal-weighted cosines measure how slowly the values change; limits are Student's.

    Parameters
    ----------
    values
        One number per case.
    order
        When each was observed, as numbers or dates; as they stand when not given.
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.

    Returns
    -------
    Interval
        Its limits `low` and `high`, its `level`, and its `method` in words.

    Raises
    ------
    NotApplicable
        If there are too few values to see how slowly they change, or they are all the same.

    See Also
    --------
    abovechance.significance.ordered : the test whether two models do equally well in time order.

    References
    ----------
    Lazarus, Lewis, Stock & Watson (2018), HAR inference: recommendations for practice.

    Examples
    --------
    >>> import numpy as np
    >>> print(ordered_mean(np.sin(np.arange(60.0)) + 1.0))
    0.947 to 1.117
    """
    from scipy.special import stdtrit

    if not 0.0 < confidence_level < 1.0:
        raise DataError(f"confidence_level must lie between 0 and 1; got {confidence_level}.")
    x = np.asarray(values, dtype=np.float64)
    when = np.arange(len(x)) if order is None else np.asarray(order)
    found = cosines(x, when)
    half = float(stdtrit(found.df, 0.5 + confidence_level / 2.0)) * found.error
    low, high = found.mean - half, found.mean + half
    return limits("ordered_mean", low, high, confidence_level, **found.known)


def cosines(values: Floats, order: Array) -> Ordered:
    r"""The standard error of a mean in time order, from its slowest cosines (EWC).

    .. math:: \Omega = \frac 1 \nu \sum_{j \le \nu} \Lambda_j^2, \quad
              \Lambda_j = \sqrt{2/T} \sum_t x_t \cos \frac{\pi j (t - 1/2)}{T}

    with ν falling as persistence rises: the usual ν = 0.4 T^(2/3) alone rejects .09 to .11 at .05
    where .8 of a value is left at the next time. Several cases at one time are summed first.
    """
    x, mean, times = _by_time(values, order)
    if times < FEWEST:
        raise NotApplicable(
            f"time order needs at least {FEWEST} times, and these are {times}; without order cases "
            "count as independent, which times in a row are not."
        )
    if np.ptp(values) == 0:
        raise NotApplicable("all values are the same, so nothing says how their mean varies.")
    if np.ptp(x) <= ROUNDING * np.abs(values).max() * len(values) / times:
        raise NotApplicable(
            "the mean is the same at all times, so nothing says how it varies over time."
        )
    left = persistence(x)
    most = int(0.4 * times ** (2.0 / 3.0))
    wanted = most if left == 0 else 0.12 * times * (1.0 - left) / np.sqrt(left)
    count = int(min(max(np.floor(wanted), 3), most))
    middle = (np.arange(times) + 0.5) * np.pi / times
    waves = np.cos(np.arange(1, count + 1)[:, None] * middle) @ x * np.sqrt(2.0 / times)
    omega = float((waves**2).mean())
    return Ordered(mean, float(np.sqrt(omega / times)), float(count), left, times)


def persistence(x: Floats) -> float:
    """How much of a value is left at the next time, from lags 1 to 4, corrected for few times."""
    times = len(x)
    centred = x - x.mean()
    whole = float(centred @ centred)
    lags = [float(centred[k:] @ centred[:-k]) / whole for k in range(1, 5)]
    later = [max(r - 1.0 / np.sqrt(times), 0.0) ** (1.0 / k) for k, r in enumerate(lags[1:], 2)]
    found = max(0.0, lags[0], *later)
    return float(min(found + (1.0 + 3.0 * found) / times, 0.97))


def autocorrelated(values: Floats) -> float:
    """p of no autocorrelation of the ranks, in the order in which values stand (Ljung and Box)."""
    from scipy.special import chdtrc

    from abovechance.numerics.ranks import midranks

    n = len(values)
    lags = min(10, n // 5)
    ranks = midranks(values) - (n + 1) / 2.0
    whole = float(ranks @ ranks)
    if lags < 1 or whole == 0.0:
        return 1.0
    shares = [(float(ranks[k:] @ ranks[:-k]) / whole) ** 2 / (n - k) for k in range(1, lags + 1)]
    return float(chdtrc(lags, n * (n + 2) * sum(shares)))


def _by_time(values: Floats, order: Array) -> tuple[Floats, float, int]:
    """One value a time, the mean of all cases, the number of times."""
    if values.shape != order.shape or values.ndim != 1:
        raise DataError("values and order must be lists of equal length.")
    if not np.isfinite(values).all():
        raise NotApplicable("a mean with infinite or missing values has no interval.")
    code = np.unique(order, return_inverse=True)[1]
    times, mean = int(code.max()) + 1, float(values.mean())
    if times == len(values):
        return np.asarray(values[np.argsort(order, kind="stable")]), mean, times
    sums = np.bincount(code, weights=values - mean)
    return np.asarray(sums * times / len(values)), mean, times


def wilson_at(
    mean: float,
    error: float,
    *,
    df: float,
    units: int,
    bounds: tuple[float, float] = (0.0, 1.0),
    level: float = 0.95,
) -> tuple[float, float]:
    """Wilson's limits of a mean of bounded values with a standard error, however found.

    Without spread, or at a bound, the mean counts as that of so many units.

    >>> low, high = wilson_at(1.0, 0.0, df=19, units=20)
    >>> round(low, 4), high
    (0.8203, 1.0)
    """
    from scipy.special import stdtrit

    low, high = bounds
    share = (mean - low) / (high - low)
    own = error / (high - low)
    count = float(units)
    if own > 0 and 0 < share < 1:
        count = share * (1.0 - share) / own**2
    reach = float(stdtrit(df, 0.5 + level / 2.0))
    centre = share + reach**2 / (2.0 * count)
    half = reach * np.sqrt(share * (1.0 - share) / count + reach**2 / (4.0 * count**2))
    ends = [(centre + s * half) / (1.0 + reach**2 / count) for s in (-1.0, 1.0)]
    inside = min(max(ends[0], 0.0), share), max(min(ends[1], 1.0), share)
    return float(low + (high - low) * inside[0]), float(low + (high - low) * inside[1])
