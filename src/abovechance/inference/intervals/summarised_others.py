"""Intervals and skill from summaries of predicted numbers and of several classes."""

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.inference.defaults import Setting, interval_by_law
from abovechance.inference.estimates import Skill
from abovechance.inference.intervals.bootstrap import clamped
from abovechance.inference.intervals.summarised import normal_quantile, normal_tail
from abovechance.inference.intervals.tables import of_table
from abovechance.inference.method import limits
from abovechance.inference.results import Interval
from abovechance.inference.values import reference_level
from abovechance.measures import Law, Measure
from abovechance.measures.chance import uncorrelated
from abovechance.measures.class_summary import SummarisedClasses
from abovechance.measures.loss_sums import LossSums
from abovechance.measures.measure import Statistic
from abovechance.measures.number_summary import SummarisedNumbers
from abovechance.measures.shuffled import shuffled
from abovechance.predictions import Numeric


def chance_of_numbers(measure: Measure, predictions: SummarisedNumbers) -> float | None:
    """The mean of a measure if outcomes were shuffled; roots of means as if at the mean."""
    found = shuffled(measure, predictions)
    return uncorrelated(predictions, measure) if found is None and _of_squares(measure) else found


def reference_of_numbers(measure: Measure, predictions: SummarisedNumbers) -> float | None:
    """The value of always predicting the mean, where it follows from the outcome's variance."""
    if measure.chance is not uncorrelated and not _of_squares(measure):
        return None
    centre, spread = (float(part[0, 0]) for part in predictions.centre_and_spread)
    outcome = np.array([centre - spread, centre + spread])
    return measure.of(Numeric(outcome, np.full(2, centre)))


def _of_squares(measure: Measure) -> bool:
    """Whether a measure is a root of one that only the covariance changes."""
    return measure.after is np.sqrt and measure.sufficient is Statistic.MOMENTS


def of_numbers(
    measure: Measure, predictions: SummarisedNumbers, value: float, setting: Setting
) -> Interval | None:
    """Normal for means; None for what else would be resampled.

    A correlation's spread hangs on fourth moments, which a summary does not hold; without them it
    is that of normal data, and wrong for others however many there are.
    """
    if not np.isfinite(value):
        return None
    return _of_mean(measure, predictions.summary.losses, setting.level)


def of_classes(
    measure: Measure, predictions: SummarisedClasses, value: float, setting: Setting
) -> Interval | None:
    """As in memory for tables, normal for means; None for what else would be resampled."""
    if not np.isfinite(value):
        return None
    if of_table(measure):
        try:
            return interval_by_law(measure, predictions, setting)
        except NotApplicable:
            return None
    return _of_mean(measure, predictions.summary.losses, setting.level)


def skill_of_classes(
    measure: Measure, predictions: SummarisedClasses, value: float, setting: Setting
) -> Skill | None:
    """A mean loss beside that of always predicting the class frequencies."""
    losses = predictions.summary.losses
    if measure.label not in losses.sums or measure.law is not Law.MEAN:
        return None
    reference = reference_level(measure, predictions)
    if reference is None:
        return None
    k, shares = len(predictions.classes), predictions.prevalences
    with np.errstate(divide="ignore"):
        plain = measure.formula(
            np.eye(k), np.repeat(shares[:, None], k, axis=1), **measure.parameters
        )
    plain = np.where(losses.cases > 0, plain, 0.0)  # a class that never occurred costs nothing
    difference = (value - reference) * (1.0 if measure.higher_is_better else -1.0)
    error = losses.error(measure.label, plain)
    if not np.isfinite(difference) or error is None:
        return Skill(reference=reference, difference=difference)
    half = normal_quantile(setting.level) * error
    return Skill(
        reference=reference,
        difference=difference,
        interval=limits("normal", difference - half, difference + half, setting.level),
        p_value=normal_tail(difference / error) if error > 0 else 1.0,
    )


def _of_mean(measure: Measure, losses: LossSums, level: float) -> Interval | None:
    if measure.label not in losses.sums:
        return None
    error = losses.error(measure.label)
    if error is None:
        return None
    mean, half = losses.mean(measure.label), normal_quantile(level) * error
    low, high = mean - half, mean + half
    if measure.after is not None:
        low, high = (float(measure.after(max(x, 0.0))) for x in (low, high))
    return clamped(measure, limits("normal", low, high, level))
