"""Intervals and skill from a summary of the cases; nothing is resampled but tables of counts.

With as many cases as make a summary necessary, means and smooth functions of means are normal;
what is neither that, nor a function of counts, nor an area, has no interval here.
"""

from collections.abc import Callable

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference import method
from abovechance.inference.defaults import Setting, has_interval, interval_by_law
from abovechance.inference.estimates import Skill
from abovechance.inference.intervals.areas import summarised_area
from abovechance.inference.intervals.bootstrap import clamped
from abovechance.inference.intervals.tables import of_table
from abovechance.inference.intervals.utility import (
    gain_of,
    of_counts,
    of_four_cases,
    of_two_shares,
)
from abovechance.inference.results import Interval
from abovechance.inference.values import reference_level
from abovechance.measures import Calibration, Law, Measure
from abovechance.measures.area_scale import area_scale
from abovechance.measures.measure import Statistic
from abovechance.measures.sample import COUNTING
from abovechance.measures.shuffled import shuffled
from abovechance.measures.summary import BinarySummary, Summarised
from abovechance.measures.utility import threshold_of
from abovechance.numerics.exact import never_zero

# sums over each class that a summary holds, by what a measure is a function of
KIND = {Statistic.SQUARES: "losses", Statistic.LOGS: "logs"}
STEP = 1e-5  # of numerical derivatives, relative


def chance(measure: Measure, predictions: Summarised) -> float | None:
    """The mean of a measure if outcomes were shuffled; of functions of a mean loss at its mean."""
    found = shuffled(measure, predictions)
    if found is not None or measure.sufficient not in KIND:
        return found
    summary = predictions.summary
    n, share = summary.n, summary.positives.n / summary.n
    both = summary.positives + summary.negatives
    if not 0.0 < share < 1.0:
        return None
    if measure.sufficient is Statistic.SQUARES:
        squares = summary.positives.squared_p + summary.negatives.losses
        mean = (share * (n - 2.0 * both.p) + squares) / n
        return measure.of(predictions.moved("losses", mean, share))
    # sums of log p and of log(1 - p) over all: what happened, less the odds in its favour
    happens, fails = both.logs - summary.negatives.odds, both.logs - summary.positives.odds
    mean = (share * happens + (1.0 - share) * fails) / n
    certain = both.impossible + both.certain > 0
    return measure.of(predictions.moved("logs", -np.inf if certain else mean, share))


def interval(
    measure: Measure, predictions: Summarised, value: float, setting: Setting
) -> Interval | None:
    """The interval of a measure with some value; None where it would need the cases."""
    if not np.isfinite(value) or not has_interval(measure):
        return None
    try:
        return _interval(measure, predictions, value, setting)
    except NotApplicable:
        return None


def _interval(
    measure: Measure, predictions: Summarised, value: float, setting: Setting
) -> Interval | None:
    level = setting.level
    if of_table(measure):
        return _of_table(measure, predictions, setting)
    if measure.law is Law.PAIRS:
        return _of_area(measure, predictions, level)
    if measure.sufficient is Statistic.DECISIONS:
        return _of_net_benefit(measure, predictions, setting)
    error = _standard_error(measure, predictions)
    if error is not None:
        half = normal_quantile(level) * error
        return clamped(measure, method.limits("normal", value - half, value + half, level))
    if measure.calibration is Calibration.RATIO:
        return _of_ratio(predictions.summary, value, level)
    return _of_table(measure, predictions, setting) if measure.form in COUNTING else None


def skill(
    measure: Measure, predictions: Summarised, value: float, setting: Setting
) -> Skill | None:
    """A mean loss beside that of always predicting the class frequencies; net benefit's gain."""
    if measure.sufficient is Statistic.DECISIONS and measure.decomposable:
        return _gain(measure, predictions, value, setting)
    if measure.law is not Law.MEAN or measure.sufficient not in KIND:
        return None
    reference = reference_level(measure, predictions)
    if reference is None:
        return None
    sign = 1.0 if measure.higher_is_better else -1.0
    difference = sign * (value - reference)
    error = _error_of_gain(measure, predictions)
    if not np.isfinite(difference) or error is None:
        return Skill(reference=reference, difference=difference)
    half = normal_quantile(setting.level) * error
    limits = method.limits("normal", difference - half, difference + half, setting.level)
    p = normal_tail(difference / error) if error > 0 else 1.0
    return Skill(reference=reference, difference=difference, interval=limits, p_value=p)


def _of_table(measure: Measure, predictions: Summarised, setting: Setting) -> Interval | None:
    """What the counts tell is told as of cases in memory."""
    return interval_by_law(measure, predictions, setting)


def _of_area(measure: Measure, predictions: Summarised, level: float) -> Interval | None:
    """Newcombe's and logit DeLong's from binned placements, widened by what bins leave open."""
    ranks, bound = predictions.rank_summary, predictions.totals.auc_bound
    if min(ranks.n_positive, ranks.n_negative) < 1:
        return None
    found = summarised_area(ranks)
    scale = area_scale(measure, measure.of(predictions), found.value)
    if scale is None:
        return None
    inside = found.interval(level)
    low, high = max(inside.low - bound, 0.0), min(inside.high + bound, 1.0)
    known = {**inside.by, **({"binned": True} if bound > 0 else {})}
    return method.limits(known.pop("name"), *scale.limits(low, high), level, **known)


def _of_net_benefit(measure: Measure, predictions: Summarised, setting: Setting) -> Interval | None:
    threshold = threshold_of(measure)
    table = predictions.summary.table_from(threshold)
    if table is None:
        return None
    worth = of_four_cases(measure)
    known = of_two_shares(worth, table, setting.level)
    if known is not None:
        return known
    return of_counts(
        worth,
        table,
        confidence_level=setting.level,
        draws=setting.bootstrap_draws,
        rng=setting.rng(7),
    )


def _gain(
    measure: Measure, predictions: Summarised, value: float, setting: Setting
) -> Skill | None:
    threshold = threshold_of(measure)
    table = predictions.summary.table_from(threshold)
    if table is None:
        return None
    worth = gain_of(threshold, table)
    difference = float(worth(table))
    limits = of_two_shares(worth, table, setting.level)
    return Skill(reference=value - difference, difference=difference, interval=limits)


def _of_ratio(summary: BinarySummary, ratio: float, level: float) -> Interval | None:
    """Observed to expected, on the log scale; Cochran (1977), section 6.3."""
    from scipy.special import stdtrit

    n, observed = summary.n, summary.positives.n
    if ratio <= 0 or n < 2:
        return None
    squares = summary.positives.squared_p + summary.negatives.losses
    residual = observed - 2.0 * ratio * summary.positives.p + ratio**2 * squares
    error = np.sqrt(n / (n - 1) * max(residual, 0.0)) / observed
    half = float(stdtrit(n - 1, 0.5 + level / 2.0)) * error
    ends = np.exp([np.log(ratio) - half, np.log(ratio) + half])
    return method.limits("observed_expected", ends[0], ends[1], level, cases=n)


def _standard_error(measure: Measure, predictions: Summarised) -> float | None:
    """Of a mean, of a difference of two means, or by the delta method; None if it is neither."""
    summary, n = predictions.summary, predictions.n
    if n < 2:
        return None
    means = measure.sufficient is Statistic.CLASS_MEANS
    if means and measure.calibration is None:  # the difference of the two
        positives, negatives = summary.positives, summary.negatives
        if min(positives.n, negatives.n) < 2:
            return None
        variance = _variance_of_mean(positives.n, positives.p, positives.squared_p)
        return float(
            np.sqrt(variance + _variance_of_mean(negatives.n, negatives.p, negatives.losses))
        )
    if measure.calibration is Calibration.DIFFERENCE:
        off = (summary.positives.n - summary.positives.p - summary.negatives.p) / n
        squares = summary.positives.losses + summary.negatives.losses
        return float(np.sqrt(max(squares / n - off**2, 0.0) / (n - 1)))
    if measure.sufficient not in KIND:
        return None
    if measure.law is not Law.MEAN and not 0 < summary.positives.n < n:
        return None
    spread = _spread(summary, KIND[measure.sufficient])
    slope = _gradient(measure, predictions)
    return float(np.sqrt(max(float(slope @ spread @ slope), 0.0) / (n - 1)))


def _variance_of_mean(n: int, total: float, squares: float) -> float:
    return max(squares - total**2 / n, 0.0) / (n - 1) / n


def _spread(summary: BinarySummary, kind: str) -> Floats:
    """Covariance of a case's loss and its outcome."""
    n, share = summary.n, summary.positives.n / summary.n
    ours = getattr(summary.positives, kind)
    mean = (ours + getattr(summary.negatives, kind)) / n
    squares = getattr(summary.positives + summary.negatives, f"squared_{kind}") / n
    together = ours / n - mean * share
    return np.array([[squares - mean**2, together], [together, share * (1.0 - share)]])


def _gradient(measure: Measure, predictions: Summarised) -> Floats:
    """How a measure changes with the mean loss and with the share of positives."""
    summary = predictions.summary
    assert measure.sufficient is not None
    kind = KIND[measure.sufficient]
    mean = getattr(summary.positives + summary.negatives, kind) / summary.n
    share = summary.positives.n / summary.n

    def change(step: float, at: Callable[[float], Summarised]) -> float:
        return (measure.of(at(step)) - measure.of(at(-step))) / (2.0 * step)

    loss = change(STEP * max(abs(mean), 1e-3), lambda d: predictions.moved(kind, mean + d, share))
    if measure.law is Law.MEAN:
        return np.array([loss, 0.0])
    rare = min(share, 1.0 - share)
    prevalence = change(STEP * rare, lambda d: predictions.moved(kind, mean, share + d))
    return np.array([loss, prevalence])


def _error_of_gain(measure: Measure, predictions: Summarised) -> float | None:
    """Standard error of the mean difference from the loss of the uninformative forecast."""
    summary, n = predictions.summary, predictions.n
    positives, negatives = summary.positives, summary.negatives
    if n < 2 or not 0 < positives.n < n:
        return None
    share = positives.n / n
    squared = measure.sufficient is Statistic.SQUARES
    kind = "losses" if squared else "logs"
    plain = ((1 - share) ** 2, share**2) if squared else (np.log(share), np.log(1 - share))
    total = squares = 0.0
    for part, loss in zip((positives, negatives), plain, strict=True):
        ours = getattr(part, kind)
        total += ours - part.n * loss
        squares += getattr(part, f"squared_{kind}") - 2.0 * loss * ours + part.n * loss**2
    error = np.sqrt(max(squares / n - (total / n) ** 2, 0.0) / (n - 1))
    return float(error * abs(_gradient(measure, predictions)[0]))  # in the measure's own units


def normal_tail(z: float) -> float:
    """Probability of a standard normal number above z; never 0."""
    from scipy.special import ndtr

    return never_zero(float(ndtr(-z)))


def normal_quantile(level: float) -> float:
    """How many standard errors an interval of some level reaches to either side."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2.0))
