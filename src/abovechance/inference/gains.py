"""Is a value better than that of the same prediction for every case? The gain and its test."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.inference.bootstrap import (
    FEW,
    Padded,
    Studentised,
    Units,
    span,
    studentised,
    studentised_rows,
)
from abovechance.inference.exchange import flips
from abovechance.inference.interval_choice import Shared
from abovechance.inference.means import cluster_mean
from abovechance.inference.method import Fact, Kind, answer, find, gain, limits
from abovechance.inference.proportions import mcnemar, tango
from abovechance.inference.results import Estimate, Interval, Skill
from abovechance.inference.shares import LARGEST, NO_BETTER, against_constant
from abovechance.inference.unseen_errors import TWICE, Ends, held, with_more_errors
from abovechance.measures import Form, Law, Measure
from abovechance.measures.chance import SameNumber
from abovechance.measures.sample import Sample
from abovechance.numerics.exact import critical_value
from abovechance.predictions import Predictions, View
from abovechance.settings import QUICK, Settings

# ----------------------------------------------------------------------------------------------
# Does a forecast lose less than one that knows only how frequent outcomes are?
# ----------------------------------------------------------------------------------------------


SYMMETRIC = "gains over the uninformative forecast are symmetric about zero"
NO_GAIN = "the mean gain over the uninformative forecast is zero or less"


def skill(
    measure: Measure,
    predictions: Predictions,
    *,
    confidence_level: float = 0.95,
    draws: int | None = None,
    seed: int = 0,
) -> Skill:
    """Test whether a mean loss is better than that of always predicting the class frequencies.

    For numbers the comparison is with always predicting the number that is best for this loss: the
    mean, the median, … From 30 cases (or clusters) on the mean gain is tested, resampled about
    itself and each time in standard errors of its own; with fewer the signs of the cases' gains are
    flipped (whole clusters together), which asks whether they are symmetric about zero.

    Parameters
    ----------
    measure
        A mean of losses, such as `measures.brier`, or its name.
    predictions
        Predictions of any kind but `Survival`.
    draws
        Number of resamples or flips; 9999 when not given.
    seed
        Seed of the draws; 0 unless stated.

    Returns
    -------
    Skill
        The `reference`, what the uninformative forecast scores; the `difference`, the gain over it,
        positive when the predictions do better; its `interval` and its `p_value`.

    Raises
    ------
    NotApplicable
        If neither direction of the measure is better, or it is no mean of losses; for predictions
        pooled over folds, cases in time order, and sampling weights.

    See Also
    --------
    permutation : tests association, which a model with wrong probabilities can have too.

    References
    ----------
    Dinga et al., Statistical inference; Hall (1988) for the studentised bootstrap.

    Examples
    --------
    >>> from abovechance import examples, measures
    >>> found = skill(measures.brier, examples.breast_cancer("p_texture"), draws=999)
    >>> found.reference, found.difference, found.p_value
    (0.234, 0.065, 0.001)
    """
    settings = Settings(level=confidence_level, draws=draws, seed=seed)
    return _skill(measure, predictions, settings, {})


def _skill(
    measure: Measure,
    predictions: Predictions,
    settings: Settings,
    known: Mapping[str, Studentised | None],
) -> Skill:
    """The same where resampled gains of some measures may be `known` already."""
    predictions = find("skill", Kind.GAIN).checked(predictions)
    if measure.higher_is_better is None:
        raise NotApplicable(f"{measure.title} has no better direction, so no skill.")
    gains, reference = _gains(measure, predictions)
    if not np.isfinite(gains).all():
        sign = 1.0 if measure.higher_is_better else -1.0
        return Skill(reference=reference, difference=sign * (measure.of(predictions) - reference))
    groups = predictions.cases.groups
    units = Units.of(gains, groups)
    found: Studentised | Padded | None
    if measure.label in known:
        found = known[measure.label] or Padded.of(units)
    else:
        found = _resampled(units, settings)
    bounds = span(measure.range)
    # few units do not show the skewness that the bootstrap corrects for; flips assume symmetry, and
    # say so in their hypothesis
    if isinstance(found, Studentised) and len(units) >= FEW:
        name, p_value, hypothesis = found.name, found.p_value("greater"), NO_GAIN
        known_of_it = found.known(one_sided=True)
    else:
        p_value = flips(gains, groups=groups, alternative="greater", settings=settings).p_value
        name, hypothesis, known_of_it = "sign_flip", SYMMETRIC, {}
    tested = answer(
        name,
        statistic=float(gains.sum()),
        p_value=p_value,
        alternative="greater",
        hypothesis=hypothesis,
        against="the uninformative forecast",
        **known_of_it,
    )
    interval, gain = _interval(found, units, groups, settings.level, bounds), float(gains.mean())
    try:
        ends = with_more_errors(measure, predictions, settings.level)
    except NotApplicable:
        interval = None  # one more error would be infinite
    else:
        if interval is not None:
            value = measure.of(predictions)
            least, most = (None if end is None else gain - abs(end - value) for end in ends)
            usual = TWICE * critical_value(settings.level, len(units) - 1.0) * units.errors[0]
            most = None if most is None else min(most, gain - float(usual))
            interval = held(interval, low=Ends(least, most))
    return Skill.tested(reference, gain, interval, tested)


def _gains(measure: Measure, predictions: Predictions) -> tuple[Floats, float]:
    """How much better each case does than by the uninformative forecast, and what that scores."""
    plain = uninformative(predictions, measure)
    sign = 1.0 if measure.higher_is_better else -1.0
    with np.errstate(invalid="ignore"):
        return sign * (measure.losses(predictions) - measure.losses(plain)), measure.of(plain)


def _of_all_means(
    measures: Sequence[Measure], predictions: Predictions, settings: Settings
) -> dict[str, Studentised | None]:
    """Resampled gains of all mean losses that have a spread, on the same resamples."""
    rows = {}
    for m in measures:
        if m.law is Law.MEAN and m.form is Form.LOSSES and m.higher_is_better is not None:
            rows[m.label] = _gains(m, predictions)[0]
    rows = {label: gains for label, gains in rows.items() if np.isfinite(gains).all()}
    if not rows or predictions.n < 2:
        return {}
    every = Units.of(np.stack(list(rows.values())), predictions.cases.groups)
    told = dict(zip(rows, every.vary, strict=True))
    if len(every) < 2 or not any(told.values()):
        return {}
    varying = Units(every.totals[every.vary], every.sizes)
    found = studentised_rows(varying, settings)
    return dict(zip([label for label, varies in told.items() if varies], found, strict=True))


def _resampled(units: Units, settings: Settings) -> Studentised | Padded | None:
    """How the mean gain varies; None where nothing does."""
    if settings.quick and not units.closed.all():
        raise NotApplicable(QUICK)
    try:
        return studentised(units, settings) or Padded.of(units)
    except NotApplicable:
        return None


def _interval(
    found: Studentised | Padded | None,
    units: Units,
    groups: Array | None,
    level: float,
    bounds: tuple[float, float],
) -> Interval | None:
    if found is None:
        return None
    if groups is not None and len(units) < FEW:
        reach = critical_value(level, len(units) - 1.0) * float(units.errors[0])
        centre = float(units.means[0])
        ends, name = (centre - reach, centre + reach), "cluster_mean"
        known = {"clusters": len(units)}
    elif isinstance(found, Padded):
        ends, name, known = found.limits(level), "student", {"padded": True}
    else:
        ends, name, known = found.bounds(level), found.name, found.known(one_sided=True)
    return limits(name, max(ends[0], bounds[0]), min(ends[1], bounds[1]), level, **known)


@gain(
    name="skill",
    title="gain over the uninformative forecast",
    words="the gain over the uninformative forecast",
    source=("dinga2019", "hall1988"),
    default=[Law.MEAN],
    allows=[Fact.CLUSTERS],
)
def skill_of_mean(measure: Measure, predictions: Predictions, settings: Settings) -> Skill:
    """A mean loss; of a function of one the gain in its own units, without an interval."""
    how = Settings(
        level=settings.level, draws=settings.draws, seed=settings.seed, quick=settings.quick
    )
    known: dict[str, Studentised | None] = {}
    # what is quick is in closed form, and shares no resamples
    if isinstance(settings, Shared) and predictions is settings.predictions and not how.quick:
        known = settings.gains
        if not known:
            known.update(_of_all_means(settings.measures, predictions, how))
    found = _skill(measure, predictions, how, known)
    if measure.after is None:
        return found
    turned = 1.0 if measure.higher_is_better else -1.0
    difference = turned * (measure.of(predictions) - found.reference)
    return replace(found, difference=difference, interval=None)


def uninformative(predictions: Any, measure: Measure) -> Any:
    """The same cases, each predicted by the class frequencies, or by the best single number."""
    if isinstance(measure.reference, SameNumber):
        return measure.reference.forecast(predictions)
    return predictions.uninformed()


# ----------------------------------------------------------------------------------------------
# Is a value better than that of predicting the same for every case?
# ----------------------------------------------------------------------------------------------

SAME = 1e-9  # a reference this near to chance is no other level
# What predictions are scored by: these, unlike ranks and labels, can be associated with the
# outcome and still be worse than one number for all.
SCORED = (View.PROBABILITY, View.VALUE, View.SURVIVAL)


@gain(
    title="gain over the largest class",
    words="the gain over always predicting the largest class",
    source="mcnemar1947",
    default=[Law.SHARE],
    allows=[Fact.CLUSTERS, Fact.SUMMARY],
)
def share_skill(measure: Measure, predictions: Any, settings: Settings) -> Skill:
    """A share of all cases beside that of always predicting the largest class.

    Exact McNemar test, one-sided, with Tango's interval; over clusters sign flips and Student's t.
    """
    level = settings.level
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
    actual = np.asarray(Sample.of(predictions).outcome, dtype=np.int64)
    largest = int(np.argmax(predictions.prevalences))
    gains = (predictions.label == actual).astype(float) - (actual == largest)
    limits = _scaled(measure, cluster_mean(gains, groups, confidence_level=level), slope)
    tested = answer(
        "sign_flip",
        statistic=float(gains.sum()),
        p_value=flips(
            gains, groups=groups, alternative="greater", settings=settings.alone()
        ).p_value,
        alternative="greater",
        hypothesis="gains over the largest class are symmetric about zero",
        whole=True,
        against=LARGEST["against"],
    )
    return Skill.tested(worth, turned * (value - worth) + 0.0, limits, tested)


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
