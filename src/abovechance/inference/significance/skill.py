"""Does a forecast lose less than one that knows only how frequent outcomes are?"""

import numpy as np

from abovechance.arrays import Array
from abovechance.errors import NotApplicable
from abovechance.inference.estimates import Skill
from abovechance.inference.guards import independent
from abovechance.inference.results import Interval
from abovechance.inference.significance.sign_flip import flips
from abovechance.inference.significance.studentised import (
    FEW,
    Padded,
    Studentised,
    Units,
    span,
    studentised,
)
from abovechance.measures import Measure
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions
from abovechance.resampling import Resampling

DRAWS = 9999
AGAINST = "against the uninformative forecast"
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
    """A mean loss beside that of always predicting the class frequencies or the mean outcome.

    `difference` is the gain over the uninformative forecast: positive when the predictions do
    better. From 30 cases (or clusters) on the mean gain is tested, resampled about itself and each
    time in standard errors of its own; with fewer the signs of the cases' gains are flipped (whole
    clusters together), which asks whether they are symmetric about zero. Sampling weights and
    predictions pooled over folds are refused: every case counts once, and as independent.
    """
    predictions = independent(predictions, "a test of skill")
    if measure.higher_is_better is None:
        raise NotApplicable(f"{measure.title} has no better direction, so no skill.")
    plain = uninformative(predictions)
    sign = 1.0 if measure.higher_is_better else -1.0
    with np.errstate(invalid="ignore"):
        gains = sign * (measure.losses(predictions) - measure.losses(plain))
    reference = measure.of(plain)
    if not np.isfinite(gains).all():
        return Skill(reference=reference, difference=sign * (measure.of(predictions) - reference))
    groups = predictions.cases.groups
    how = Resampling(draws=DRAWS if draws is None else draws, seed=seed)
    units = Units.of(gains, groups)
    found = _resampled(units, how)
    bounds = span(measure.range)
    if isinstance(found, Studentised) and len(units) >= FEW:
        p_value, test = found.p_value("greater"), f"{_kind(found)} {AGAINST}"
        hypothesis = NO_GAIN
    else:
        p_value = flips(gains, groups=groups, alternative="greater", resampling=how).p_value
        test, hypothesis = f"sign flip {AGAINST}", SYMMETRIC
    return Skill(
        reference=reference,
        difference=float(gains.mean()),
        interval=_interval(found, units, groups, confidence_level, bounds),
        p_value=p_value,
        hypothesis=hypothesis,
        test=test,
    )


def _resampled(units: Units, how: Resampling) -> Studentised | Padded | None:
    """How the mean gain varies; None where nothing does."""
    try:
        return studentised(units, how) or Padded.of(units)
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
        from scipy.special import stdtrit

        reach = float(stdtrit(len(units) - 1.0, 0.5 + level / 2.0)) * float(units.errors[0])
        centre = float(units.means[0])
        limits, name = (centre - reach, centre + reach), f"t over {len(units)} clusters"
    elif isinstance(found, Padded):
        limits, name = found.limits(level), "Student's t, padded"
    else:
        drawn = f", {len(found.pivots)} draws" if len(found.pivots) else ""
        limits, name = found.bounds(level), f"{_kind(found)}{drawn}"
    return Interval(max(limits[0], bounds[0]), min(limits[1], bounds[1]), level, name)


def _kind(found: Studentised) -> str:
    """Very many cases are not resampled: their pivots are Student's."""
    return "studentised bootstrap" if len(found.pivots) else "Student's t"


def uninformative(predictions: Predictions) -> Predictions:
    """The same cases, each predicted by the class frequencies or the mean outcome."""
    if isinstance(predictions, Binary):
        return predictions.replace(probability=np.full(predictions.n, predictions.prevalences[1]))
    if isinstance(predictions, Multiclass):
        shares = predictions.prevalences[:, None]
        return predictions.replace(probability=np.repeat(shares, predictions.n, axis=1))
    if isinstance(predictions, Numeric):
        centre = np.average(predictions.outcome, axis=-1, weights=predictions.weight)
        return predictions.replace(value=np.repeat(centre[:, None], predictions.n, axis=1))
    raise NotApplicable("there is no uninformative forecast for these outcomes.")
