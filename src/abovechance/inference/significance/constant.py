"""Is a value better than that of predicting the same for every case?"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from abovechance.inference.estimates import Estimate, Skill
from abovechance.inference.intervals.clusters import cluster_mean
from abovechance.inference.intervals.proportions import tango
from abovechance.inference.method import Fact, Kind, answer, find, gain
from abovechance.inference.results import Interval
from abovechance.inference.significance.accuracy import LARGEST, NO_BETTER, against_constant
from abovechance.inference.significance.counts import mcnemar
from abovechance.inference.significance.sign_flip import flips
from abovechance.measures import Form, Law, Measure
from abovechance.predictions import Binary, View
from abovechance.resampling import Resampling

DRAWS = 9999
SAME = 1e-9  # a reference this near to chance is no other level
# What predictions are scored by: these, unlike ranks and labels, can be associated with the
# outcome and still be worse than one number for all.
SCORED = (View.PROBABILITY, View.VALUE, View.SURVIVAL)


@gain(
    title="gain over the largest class",
    words="the gain over always predicting the largest class",
    source="mcnemar1947",
    default=[Law.SHARE],
    allows=[Fact.CLUSTERS],
)
def share_skill(measure: Measure, predictions: Any, settings: Any) -> Skill:
    """A share of all cases beside that of always predicting the largest class.

    Exact McNemar test, one-sided, with Tango's interval; over clusters sign flips and Student's t.
    """
    level, draws, seed = settings.level, settings.draws, settings.seed
    predictions = find("share_skill", Kind.GAIN).checked(predictions)
    of_accuracy = at_accuracy(measure, len(predictions.classes))
    reference, value = measure.reference, measure.of(predictions)
    assert reference is not None
    worth = reference(predictions, measure)
    slope = of_accuracy(1.0) - of_accuracy(0.0)
    turned = 1.0 if measure.higher_is_better else -1.0
    groups = predictions.cases.groups
    if groups is None:
        return _counted(measure, predictions.confusion, value, worth, slope, level)
    actual = predictions.positive if isinstance(predictions, Binary) else predictions.actual
    largest = int(np.argmax(predictions.prevalences))
    gains = (predictions.label == actual).astype(float) - (actual == largest)
    limits = _scaled(measure, cluster_mean(gains, groups, confidence_level=level), slope)
    how = Resampling(draws=DRAWS if draws is None else draws, seed=seed)
    tested = answer(
        "sign_flip",
        statistic=float(gains.sum()),
        p_value=flips(gains, groups=groups, alternative="greater", resampling=how).p_value,
        alternative="greater",
        hypothesis="gains over the largest class are symmetric about zero",
        whole=True,
        against=LARGEST["against"],
    )
    return Skill.tested(worth, turned * (value - worth) + 0.0, limits, tested)


def table_skill(measure: Measure, table: Any, value: float, worth: float, level: float) -> Skill:
    """The same from a confusion table of independent cases."""
    of_accuracy = at_accuracy(measure, len(table))
    return _counted(measure, table, value, worth, of_accuracy(1.0) - of_accuracy(0.0), level)


def _counted(
    measure: Measure, table: Any, value: float, worth: float, slope: float, level: float
) -> Skill:
    gained, lost = against_constant(table)
    found = tango(gained, lost, int(table.sum()), confidence_level=level)
    turned = 1.0 if measure.higher_is_better else -1.0
    tested = answer(
        "mcnemar",
        statistic=float(gained - lost),
        p_value=mcnemar(gained, lost, alternative="greater").p_value,
        alternative="greater",
        hypothesis=NO_BETTER,
        **LARGEST,
    )
    difference = turned * (value - worth) + 0.0  # never minus zero
    return Skill.tested(worth, difference, _scaled(measure, found, slope), tested)


def _scaled(measure: Measure, found: Interval, slope: float) -> Interval | None:
    """Limits of a gain in accuracy as limits of a gain in what is linear in accuracy."""
    of_accuracy = at_accuracy(measure, 2)
    if not np.isclose(2.0 * of_accuracy(0.5), of_accuracy(0.0) + of_accuracy(1.0)):
        return None
    low, high = (abs(slope) * limit + 0.0 for limit in (found.low, found.high))
    return replace(found, low=low, high=high)


def at_accuracy(measure: Measure, classes: int) -> Callable[[float], float]:
    """A measure that is a function of accuracy alone, as that function."""

    def of_accuracy(accuracy: float) -> float:
        k = classes
        table = np.full((k, k), (1.0 - accuracy) / (k * (k - 1)))
        np.fill_diagonal(table, accuracy / k)
        return float(measure.on_counts(table))

    return of_accuracy


def gain_over(row: Estimate, measure: Measure) -> Skill | None:
    """The distance of a value from a reference that is not what chance gives, untested.

    Where the reference is a constant, the interval of the value is that of the gain too.
    """
    if measure.higher_is_better is None or row.reference is None or np.isnan(row.value):
        return None
    known = measure.law in (Law.SHARE, Law.MEAN, Law.UTILITY) or (
        measure.law is Law.UNKNOWN and measure.reads in SCORED and measure.form is not Form.DRAWS
    )
    if not known:
        return None
    if row.chance is not None and abs(row.chance - row.reference) <= SAME:
        return None
    turned = 1.0 if measure.higher_is_better else -1.0
    interval = None
    if row.interval is not None and hasattr(measure.reference, "level"):
        ends = sorted(turned * (x - row.reference) for x in (row.interval.low, row.interval.high))
        interval = replace(row.interval, low=ends[0], high=ends[1])
    with np.errstate(invalid="ignore"):
        difference = turned * (row.value - row.reference) + 0.0
    if np.isnan(difference):
        return None
    return Skill(reference=row.reference, difference=difference, interval=interval)
