"""Cases in time order, whose neighbours may be alike: intervals, tests and comparisons."""

import itertools
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import DataError, NotApplicable
from abovechance.inference import method
from abovechance.inference.bootstrap import EXTREME, span, without_parts
from abovechance.inference.confusion_tables import as_share, of_table
from abovechance.inference.contrasts import (
    Answer,
    Contrast,
    Standardised,
    Unanswerable,
    less,
    recovered,
)
from abovechance.inference.influence import Gap, NotLinear, components
from abovechance.inference.interval_choice import Shared, interval_by_law
from abovechance.inference.method import (
    Fact,
    Kind,
    Takes,
    answer,
    comparison,
    declared,
    declared_difference,
    interval,
    limits,
    test,
)
from abovechance.inference.method import find as find_method
from abovechance.inference.results import Interval, Test
from abovechance.inference.shares import turn
from abovechance.measures import Form, Law, Measure, find
from abovechance.measures.sample import COUNTING, Sample
from abovechance.numerics.exact import critical_value, p_of
from abovechance.numerics.ranks import midranks
from abovechance.predictions import Predictions, checks
from abovechance.resampling import Alternative
from abovechance.settings import Settings

# ----------------------------------------------------------------------------------------------
# Means of values in time order: neighbours may be alike, so cases do not vary by themselves.
# ----------------------------------------------------------------------------------------------


FEWEST = 30  # times
ROUNDING = 1e-12  # relative; values of a time that differ by less are the same
PERSISTENT = 0.7  # beyond which many times count as few
STRETCHES = 32  # of time, and how many of them must make up what differs for a verdict on a margin
TELLING_STRETCHES, TELLING_TIMES = 14, 100  # the latter where more than this is left at the next:
DEPENDENT = 0.2
INDEPENDENT = 60  # times that a verdict needs; neighbours that are alike count for less
DECIDING_TIMES = 20.0  # of equal size and independent: what squares of differences must be worth


@dataclass(frozen=True)
class Ordered:
    """The standard error of a mean in time order, with its degrees of freedom.

    `persistence` is how much of a value is left at the next time; `times` how many there are;
    `telling` how many of them make up what varies (two thirds of normal values, few where most
    are the same), and `stretches` how many of 32 stretches of time do.
    """

    mean: float
    error: float
    df: float
    persistence: float
    times: int
    telling: float
    stretches: float

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

    if not 0.0 < confidence_level < 1.0:
        raise DataError(f"confidence_level must lie between 0 and 1; got {confidence_level}.")
    x = np.asarray(values, dtype=np.float64)
    when = np.arange(len(x)) if order is None else checks.vector("order", order)
    found = cosines(x, when)
    half = critical_value(confidence_level, found.df) * found.error
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
    omega = float((_waves(x, count) ** 2).mean())
    error, away = float(np.sqrt(omega / times)), x - np.median(x)
    sums = np.add.reduceat(away, np.unique(np.arange(STRETCHES) * times // STRETCHES))
    stretches = equal_values(sums - np.median(sums))
    return Ordered(mean, error, float(count), left, times, equal_values(away), stretches)


def equal_values(away: Floats) -> float:
    """How many values of equal size these are worth."""
    return float(np.abs(away).sum() ** 2 / (away @ away)) if away.any() else 0.0


def _waves(x: Floats, count: int) -> Floats:
    """So many of the slowest cosines of a series."""
    times = len(x)
    middle = (np.arange(times) + 0.5) * np.pi / times
    slow = np.cos(np.arange(1, count + 1)[:, None] * middle) @ x * np.sqrt(2.0 / times)
    return np.asarray(slow)


def vary_together(first: Floats, second: Floats, order: Array, count: int) -> float:
    """How far two series in time order vary together, by so many of their slowest cosines."""
    one, other = (_waves(_by_time(values, order)[0], count) for values in (first, second))
    size = float(np.sqrt((one @ one) * (other @ other)))
    return float(one @ other) / size if size > 0.0 else 0.0


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

    n = len(values)
    lags = min(10, n // 5)
    ranks = midranks(values) - (n + 1) / 2.0
    whole = float(ranks @ ranks)
    if lags < 1 or whole == 0.0:
        return 1.0
    shares = [(float(ranks[k:] @ ranks[:-k]) / whole) ** 2 / (n - k) for k in range(1, lags + 1)]
    return float(chdtrc(lags, n * (n + 2) * sum(shares)))


def _by_time(values: Floats, order: Array) -> tuple[Floats, float, int]:
    """One value per time, the mean of all cases, the number of times."""
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

    low, high = bounds
    share = (mean - low) / (high - low)
    own = error / (high - low)
    count = float(units)
    if own > 0 and 0 < share < 1:
        count = share * (1.0 - share) / own**2
    reach = critical_value(level, df)
    centre = share + reach**2 / (2.0 * count)
    half = reach * np.sqrt(share * (1.0 - share) / count + reach**2 / (4.0 * count**2))
    ends = [(centre + s * half) / (1.0 + reach**2 / count) for s in (-1.0, 1.0)]
    inside = min(max(ends[0], 0.0), share), max(min(ends[1], 1.0), share)
    return float(low + (high - low) * inside[0]), float(low + (high - low) * inside[1])


# ----------------------------------------------------------------------------------------------
# Do two models lose equally much, case after case in time? Neighbouring cases may be alike.
# ----------------------------------------------------------------------------------------------


EQUAL = "both models have the same expected value over time"


@test(
    title="EWC[, t({df:.0f}), {times} times]",
    words="Student's t from slow cosines of the series (EWC[, {df:.0f} degrees of freedom, "
    "{times} times])",
    source="lazarus2018",
    hypothesis=EQUAL,
    laws=tuple(Law),
    allows=[Fact.FOLDS],
    needs=[Fact.ORDER],
    takes=Takes.PARTS,
    models=2,
)
def ordered(
    first: Predictions,
    second: Predictions,
    measure: Measure | str,
    *,
    alternative: Alternative = "two-sided",
) -> Test:
    """Test whether two models do equally well on cases in time order, as `compare` does.

    The mean difference over its standard error from slow cosines (EWC), by Student's t; of shares,
    tables and areas by the limits that both models have.

    Parameters
    ----------
    first, second
        Predictions of two models for the same cases, made with `order=`.
    measure
        A measure or its name.
    alternative
        "two-sided" (default); "greater": the first model is better; "less".

    Raises
    ------
    DataError
        If the cases have no order, or are not the same for both models.
    NotApplicable
        If there are too few times, or the difference never changes.

    See Also
    --------
    diebold_mariano : for differences of a stated horizon.
    abovechance.intervals.ordered_mean : the interval of a mean in time order.

    References
    ----------
    Lazarus, Lewis, Stock & Watson (2018), HAR inference: recommendations for practice.

    Examples
    --------
    >>> import numpy as np
    >>> from abovechance import Numeric
    >>> rng = np.random.default_rng(1)
    >>> y, when = rng.normal(size=80), np.arange(80)
    >>> near, far = (y + size * rng.normal(size=80) for size in (1.0, 1.5))
    >>> ordered(Numeric(y, near, order=when), Numeric(y, far, order=when), "mae").p_value < 0.05
    True
    """
    from abovechance.inference.pairing import two_on_the_same_cases

    first, second = two_on_the_same_cases(first, second)
    if first.cases.order is None:
        raise DataError("cases must have an order; give order= with the predictions.")
    chosen = (find(measure) if isinstance(measure, str) else measure).for_outcome(first.kind)
    return difference_in_order(chosen, first, second, Settings()).test(alternative).test


@test(
    title="Diebold–Mariano[, horizon {horizon}][, t({df})]",
    words="Diebold and Mariano's test[ at horizon {horizon}][ ({df} degrees of freedom)]",
    source=("diebold1995", "harvey1997"),
    hypothesis="expected losses are equal",
    laws=[Law.MEAN],
    allows=[Fact.ORDER],
    takes=Takes.PARTS,
    models=2,
)
def diebold_mariano(
    differences: ArrayLike, *, horizon: int = 1, alternative: Alternative = "two-sided"
) -> Test:
    r"""Diebold and Mariano's test of loss differences in time order, corrected for few of them.

    .. math:: \frac{\bar d}{\sqrt{V / n}}
              \sqrt{\frac{n + 1 - 2h + h(h - 1)/n}{n}}, \quad V = \gamma_0 + 2 \sum_{k<h} \gamma_k

    by t(n − 1). It allows for dependence up to the horizon h and no further; `ordered` works out by
    itself how far it reaches.

    Parameters
    ----------
    differences
        Loss of the first model less that of the second, one number per case in time order.
    horizon
        How many steps ahead was forecast, so that as many less one neighbours depend on each other.
    alternative
        "two-sided" (default); "greater": the mean difference is above zero; "less".

    Raises
    ------
    DataError
        If the horizon is not a whole number from 1 to the number of differences less one.
    NotApplicable
        If their variance comes out as zero or less.

    See Also
    --------
    ordered : works on predictions, and needs no horizon.
    ibragimov_mueller : by means of blocks.

    References
    ----------
    Diebold & Mariano (1995); Harvey, Leybourne & Newbold (1997).

    Examples
    --------
    >>> import numpy as np
    >>> d = np.sin(np.arange(40.0)) + 0.2
    >>> round(diebold_mariano(d, horizon=2).p_value, 3)
    0.175
    """
    d = _numbers(differences)
    n = len(d)
    if not 1 <= horizon < n:
        raise DataError(f"horizon must be a whole number from 1 to {n - 1}; got {horizon}.")
    centred = d - d.mean()
    gammas = [float(centred[k:] @ centred[: n - k]) / n for k in range(horizon)]
    variance = gammas[0] + 2.0 * sum(gammas[1:])
    if variance <= 0:
        raise NotApplicable("the variance of these differences comes out as zero or less.")
    small = (n + 1 - 2 * horizon + horizon * (horizon - 1) / n) / n
    statistic = float(d.mean() / np.sqrt(variance / n) * np.sqrt(small))
    return answer(
        "diebold_mariano",
        statistic=statistic,
        p_value=p_of(statistic, n - 1.0, alternative),
        alternative=alternative,
        horizon=horizon,
        df=n - 1,
    )


@test(
    title="Ibragimov–Müller[, {blocks} blocks][, t({df})]",
    words="Ibragimov and Müller's test[ of {blocks} blocks][ ({df} degrees of freedom)]",
    source="ibragimov2010",
    hypothesis="expected losses are equal",
    laws=[Law.MEAN],
    allows=[Fact.ORDER],
    takes=Takes.PARTS,
    models=2,
)
def ibragimov_mueller(
    differences: ArrayLike, *, blocks: int = 8, alternative: Alternative = "two-sided"
) -> Test:
    """Test of loss differences in time order, by Student's t of the means of successive blocks.

    Parameters
    ----------
    differences
        Loss of the first model less that of the second, one number per case in time order.
    blocks
        Number of blocks; 8 unless stated.
    alternative
        "two-sided" (default); "greater": the mean difference is above zero; "less".

    Raises
    ------
    DataError
        If there are fewer than two blocks, or more than differences.
    NotApplicable
        If all blocks have the same mean.

    See Also
    --------
    ordered : works on predictions, and uses all frequencies.

    References
    ----------
    Ibragimov & Müller (2010), t-statistic based correlation and heterogeneity robust inference.

    Examples
    --------
    >>> import numpy as np
    >>> round(ibragimov_mueller(np.sin(np.arange(40.0)) + 0.2).p_value, 3)
    0.011
    """
    d = _numbers(differences)
    if not 2 <= blocks <= len(d):
        raise DataError(f"blocks must be a whole number from 2 to {len(d)}; got {blocks}.")
    edges = np.round(np.linspace(0, len(d), blocks + 1)).astype(np.int64)
    means = np.array([d[a:b].mean() for a, b in itertools.pairwise(edges)])
    error = float(means.std(ddof=1) / np.sqrt(blocks))
    if error == 0:
        raise NotApplicable("all blocks have the same mean, so it has no standard error.")
    statistic = float(means.mean() / error)
    return answer(
        "ibragimov_mueller",
        statistic=statistic,
        p_value=p_of(statistic, blocks - 1.0, alternative),
        alternative=alternative,
        blocks=blocks,
        df=blocks - 1,
    )


def _numbers(differences: Any) -> Any:
    d = np.asarray(differences, dtype=np.float64)
    if d.ndim != 1 or len(d) < 2 or not np.isfinite(d).all():
        raise DataError("differences must be a list of at least two numbers, in time order.")
    return d


# ----------------------------------------------------------------------------------------------
# Measures of cases in time order: what each case adds, and the limits of the whole.
# ----------------------------------------------------------------------------------------------


MOST = 5000  # cases that are left out one by one
SLOW = 1000  # where every value is computed by itself
SHARES = (Law.SHARE, Law.CONDITIONAL)


def case_values(measure: Measure, predictions: Any) -> Floats:
    """What every case says of a measure: numbers whose mean moves as the measure does.

    Losses are that by themselves. Areas: the value and n times the influence. Others: n times the
    value less n − 1 times that without the case.

    References
    ----------
    Efron & Tibshirani (1993), chapter 11, pseudo-values.
    """
    n, value = predictions.n, measure.of(predictions)
    if measure.extreme:
        raise NotApplicable(EXTREME)
    if not measure.smooth:
        raise NotApplicable(
            f"{measure.title} depends on no single case, so a series of cases does not tell how it "
            "varies; means over the cases have an interval in time order."
        )
    if measure.form is Form.LOSSES and measure.after is None:
        return np.asarray(measure.losses(predictions), dtype=np.float64)
    if n < 2:
        raise NotApplicable("one case says nothing of how a value varies over time.")
    if measure.law is Law.PAIRS:
        try:
            return np.asarray(value + n * components([predictions], measure).influence[0])
        except NotLinear:
            pass
    without = _without(measure, predictions)
    if not np.isfinite(without).all():
        raise NotApplicable(
            f"{measure.title} hangs on so few cases that without one of them it has no value."
        )
    return np.asarray(n * value - (n - 1.0) * without)


def _without(measure: Measure, predictions: Any) -> Floats:
    """The value without each of the cases."""
    n, sample = predictions.n, Sample.of(predictions)
    if measure.form in COUNTING:
        seen, at = np.unique(_cells(sample), return_inverse=True)
        less = np.repeat(np.asarray(sample.confusion)[None], len(seen), axis=0)
        less.reshape(len(seen), -1)[np.arange(len(seen)), seen] -= 1.0
        return np.asarray(measure.on_counts(less)[at])
    most = SLOW if measure.needs_index_draws else MOST
    if n > most and measure.form is not Form.LOSSES:
        raise NotApplicable(
            f"{measure.title} in time order is worked out for up to {most} cases, not for {n}."
        )
    return without_parts(measure, sample, np.arange(n))


@interval(
    name="ordered",
    title="[Wilson at the effective n, {share}]EWC[, t({df:.0f}), {times} times]"
    "[, no narrower than {floor}]",
    words="[Wilson's score method at the effective sample size by {share}]slow cosines of the "
    "series (EWC)[ with Student's t ({df:.0f} degrees of freedom), {times} times][, no narrower "
    "than for independent cases ({floor})]",
    source=("lazarus2018", "[{share}wilson1927]"),
    default=tuple(Law),
    needs=[Fact.ORDER],
    allows=[Fact.FOLDS, Fact.CASE_CONTROL],
    smallest=FEWEST,
)
def interval_in_order(measure: Measure, predictions: Any, settings: Settings) -> Interval:
    """The interval of a measure of cases in time order."""
    if measure.law in (Law.CALIBRATION, Law.UTILITY):
        raise NotApplicable(f"{measure.title} has no interval for cases in time order.")
    found = _by_series(measure, predictions, settings.level)
    if not _few_may_tell(measure):
        return found
    alone = predictions.with_cases(order=None)
    least = interval_by_law(measure, alone, Shared.among(settings, alone, [measure]))
    low, high = min(found.low, least.low), max(found.high, least.high)
    if (low, high) == (found.low, found.high):
        return found
    name, known = find_method(found.by["name"], Kind.INTERVAL), {**found.by, "floor": least.method}
    return name.limits(low, high, settings.level, **{k: v for k, v in known.items() if k != "name"})


def _few_may_tell(measure: Measure) -> bool:
    """Whether the cases that tell of a value may be few among many: of a class, of a label.

    A series of which few cases matter does not show how its mean varies, least of all where none
    of them erred: limits are then no narrower than those of independent cases.
    """
    return of_table(measure) or measure.law is Law.PAIRS


def _by_series(measure: Measure, predictions: Any, level: float) -> Interval:
    """Limits from what every case says of a measure, by the slow cosines of that series."""
    value, order = measure.of(predictions), predictions.cases.order
    values = case_values(measure, predictions)
    low, high = measure.range
    if measure.law in SHARES and np.ptp(values) == 0:
        cosines(np.arange(len(order), dtype=np.float64), order)  # refused with too few times
        times = _times_that_tell(measure, predictions)
        limits = wilson_at(value, 0.0, df=times - 1.0, units=times, bounds=(low, high), level=level)
        return method.limits("ordered_alike", *limits, level, times=times)
    found = cosines(values, order)
    if measure.law in SHARES:
        times = _times_that_tell(measure, predictions)
        limits = wilson_at(
            value, found.error, df=found.df, units=times, bounds=(low, high), level=level
        )
        return method.limits("ordered", *limits, level, share=True, **found.known)
    reach = critical_value(level, found.df) * found.error
    if measure.law is Law.MEAN:
        limits = (value - reach, value + reach)
    else:
        limits = on_scale(value, reach, (low, high))
    return method.limits("ordered", max(limits[0], low), min(limits[1], high), level, **found.known)


def _times_that_tell(measure: Measure, predictions: Any) -> int:
    """Times with cases of a share's denominator; all of them where it has none of its own."""
    sample = Sample.of(predictions)
    share = as_share(measure, sample.classes) if measure.form in COUNTING else None
    inside = slice(None) if share is None else share.inside.ravel()[_cells(sample)]
    return len(np.unique(predictions.cases.order[inside]))


def _cells(sample: Sample) -> Ints:
    """Row · K + column of the confusion table, for every case."""
    actual, label = (np.asarray(v, np.int64) for v in (sample.outcome, sample.column("label")))
    return np.asarray(actual * sample.classes + label)


ALIKE = declared(
    Kind.INTERVAL,
    name="ordered_alike",
    title="Wilson[, as of {times} times][, no narrower than {floor}]",
    words="Wilson's score method[ as of {times} times][, no narrower than for independent cases "
    "({floor})]",
    source="wilson1927",
    laws=SHARES,
    needs=[Fact.ORDER],
    takes=Takes.PARTS,
    origin=__name__,
)


def on_scale(value: float, reach: float, bounds: tuple[float, float]) -> tuple[float, float]:
    """Limits on the scale of a range: logit between two bounds, log from one.

    >>> [round(limit, 3) for limit in on_scale(0.9, 0.1, (0.0, 1.0))]
    [0.748, 0.965]
    """
    low, high = bounds
    if not low < value < high:
        raise NotApplicable("a value at the end of its range has no interval in time order.")
    if np.isfinite(high - low):
        share = (value - low) / (high - low)
        step = reach / (high - low) / (share * (1.0 - share))
        centre = np.log(share / (1.0 - share))
        ends = [low + (high - low) / (1.0 + np.exp(-(centre + s * step))) for s in (-1.0, 1.0)]
        return float(ends[0]), float(ends[1])
    if np.isfinite(low):
        factor = float(np.exp(reach / (value - low)))
        return low + (value - low) / factor, low + (value - low) * factor
    if np.isfinite(high):
        factor = float(np.exp(reach / (high - value)))
        return high - (high - value) * factor, high - (high - value) / factor
    return value - reach, value + reach


def case_differences(measure: Measure, first: Any, second: Any) -> Floats:
    """What every case says of the difference of two models."""
    if measure.law is Law.CALIBRATION:
        raise NotApplicable(f"differences of {measure.title} are not compared in time order.")
    with np.errstate(invalid="ignore"):  # what is infinite for both has no mean, and is refused so
        return case_values(measure, first) - case_values(measure, second)


# ----------------------------------------------------------------------------------------------
# Two models compared on cases in time order.
# ----------------------------------------------------------------------------------------------

OVER_TIME = "both models have the same expected value over time"


@comparison(
    name="ordered",
    title="EWC with Student's t",
    words="slow cosines of the series (EWC) with Student's t",
    source="lazarus2018",
    hypothesis=OVER_TIME,
    default=tuple(Law),
    needs=[Fact.ORDER],
    allows=[Fact.CLUSTERS],
)
def difference_in_order(measure: Measure, first: Any, second: Any, settings: Settings) -> Contrast:
    """The contrast of models on cases in time order, whose neighbours may be alike."""
    gap = less(measure.of(first), measure.of(second))
    if not np.isfinite(gap):
        return Unanswerable(gap, f"{measure.title} is not finite here")
    try:
        apart = case_differences(measure, first, second)
        found = cosines(apart, first.cases.order)
    except NotApplicable as reason:
        return Unanswerable(gap, str(reason).removesuffix("."))
    if found.error == 0.0:
        return Unanswerable(gap, "the models differ alike at all times, so nothing varies")
    spread = Gap(gap, found.error, found.df)
    bounds = span(measure.range)
    series = _by_time(apart, first.cases.order)[0]
    alike = max(found.persistence, persistence(midranks(series)))
    alone = (1.0 - alike) / (1.0 + alike)  # of a time, beside its neighbours
    few = _few_times(found.times, alone)
    both = _few_may_tell(measure)
    none = few if both else few or _few_that_differ(found, series, alone)
    whole = Standardised(spread, turn(measure), "ordered", OVER_TIME, found.known, bounds, none)
    return OfBoth(whole, measure, first, second, settings, none) if both else whole


def _few_times(times: int, alone: float) -> str | None:
    """Why there is no verdict on a margin of times that depend so much on their neighbours.

    Of 125 times with errors in a row, areas and false positive rates were non-inferior at the
    margin in 10 % of samples, where 5 % may: of 250 in 8 %, of 1000 in 5 %.
    """
    worth = times * alone
    if worth >= INDEPENDENT:
        return None
    return (
        f"a verdict on a margin needs {INDEPENDENT} independent times, and these {times} are so "
        f"much like their neighbours that they are worth about {worth:.0f}."
    )


def _few_that_differ(found: Ordered, series: Floats, alone: float) -> str | None:
    """Why there is no verdict on a margin: errors in a row that happen to be few look sure.

    Of rare errors of which each keeps nine tenths of the one before, at 409 to 3000 times, 11 to
    22 % of means lay beyond bounds that 5 % may: 0 to 3 % where 14 of 32 stretches tell. Scaled
    Brier scores that 77 to 113 times made up were found non-inferior at the margin in 10 %, in
    5 % of those judged by both rules. Squared lognormal differences of 400 to 3000 times still were
    in 7 to 15 % of samples: in none to 4 % where squares are worth 20 independent times.
    """
    away = series - np.median(series)
    deciding = alone * equal_values((away / np.abs(away).max()) ** 2)
    if found.stretches < TELLING_STRETCHES:
        few = f"about {found.stretches:.0f} of {STRETCHES} stretches of time"
    elif found.persistence > DEPENDENT and found.telling < TELLING_TIMES:
        few = f"about {found.telling:.0f} times, which depend on their neighbours,"
    elif deciding < DECIDING_TIMES:
        few = f"as few as {max(deciding, 1.0):.0f} independent times"
    else:
        return None
    return (
        f"a verdict on a margin in time order needs differences spread over time, and {few} make "
        "up these."
    )


declared_difference(
    name="ordered_both",
    title="MOVER of both intervals[ ({both})][, t({df:.0f}), {times} times]",
    words="the MOVER method with both models' own limits[ ({both})] over time and their "
    "correlation[, with Student's t ({df:.0f} degrees of freedom), {times} times]",
    source=("zou2008", "lazarus2018"),
    hypothesis=OVER_TIME,
    laws=[Law.SHARE, Law.CONDITIONAL, Law.BALANCED, Law.PAIRS, Law.UNKNOWN],
    needs=[Fact.ORDER],
    origin=__name__,
)


@dataclass(frozen=True, eq=False)
class OfBoth:
    """Two models on cases in time order, few of which may tell: by the limits that each has.

    A series of differences of which few cases make any does not show how its mean varies: shares
    of the cases that a model calls positive, 86 times, were non-inferior in .13 of samples at the
    margin. p is that of the limit on the side of 0.
    """

    whole: Standardised  # by the series of differences
    measure: Measure
    first: Any
    second: Any
    settings: Settings
    no_verdict: str | None = None  # on a margin

    @property
    def difference(self) -> float:
        return self.whole.difference

    def test(self, alternative: Alternative) -> Answer:
        level, df = self.settings.level, self.whole.gap.df
        below, above, _ = self._recovered(level)
        side = below if self.difference > 0 else above
        error = side / critical_value(level, df)
        gap = Gap(self.difference, error, df)
        return replace(self.whole, gap=gap, name="ordered_both").test(alternative)

    def interval(self, level: float) -> Interval:
        below, above, both = self._recovered(level)
        least, most = self.whole.bounds
        low, high = max(self.difference - below, least), min(self.difference + above, most)
        return limits("ordered_both", low, high, level, both=both)

    def beyond(self, margin: float) -> tuple[float, float] | None:
        return None

    def _recovered(self, level: float) -> tuple[float, float, str]:
        """How far below and above its value the difference may lie, and by what limits."""
        at, (one, other) = replace(self.settings, level=level), (self.first, self.second)
        own = tuple(interval_in_order(self.measure, p, at) for p in (one, other))
        values = self.measure.of(one), self.measure.of(other)
        below, above = recovered(values, (own[0], own[1]), self._correlation)
        if below == above == 0.0:
            raise NotApplicable("both vary alike over time, so nothing says how they differ.")
        return below, above, own[0].method

    @cached_property
    def _correlation(self) -> float:
        one, other = (case_values(self.measure, p) for p in (self.first, self.second))
        return vary_together(one, other, self.first.cases.order, int(self.whole.gap.df))
