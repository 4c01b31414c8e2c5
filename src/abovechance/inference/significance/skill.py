"""Does a forecast lose less than one that knows only how frequent outcomes are?"""

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.inference.estimates import Skill
from abovechance.inference.guards import independent
from abovechance.inference.intervals.bootstrap import studentised_limits
from abovechance.inference.intervals.clusters import cluster_mean
from abovechance.inference.results import Interval
from abovechance.inference.significance.sign_flip import flips
from abovechance.measures import Measure
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions
from abovechance.resampling import Resampling

DRAWS = 9999
METHOD = "sign flip against the uninformative forecast"
HYPOTHESIS = "gains over the uninformative forecast are symmetric about zero"


def skill(
    measure: Measure,
    predictions: Predictions,
    *,
    confidence_level: float = 0.95,
    draws: int | None = None,
    seed: int = 0,
    interval_draws: int = 1999,
) -> Skill:
    """A mean loss beside that of always predicting the class frequencies or the mean outcome.

    `difference` is the gain over the uninformative forecast: positive when the predictions do
    better. The test flips the signs of the cases' differences (whole clusters together); its
    hypothesis is that they are symmetric about zero. Sampling weights and predictions pooled over
    folds are refused: flips count every case once, and as independent.
    """
    predictions = independent(predictions, "a test of skill")
    plain = uninformative(predictions)
    sign = 1.0 if measure.higher_is_better else -1.0
    with np.errstate(invalid="ignore"):
        gains = sign * (measure.losses(predictions) - measure.losses(plain))
    reference = measure.of(plain)
    if not np.isfinite(gains).all():
        return Skill(reference=reference, difference=sign * (measure.of(predictions) - reference))
    groups = predictions.cases.groups
    how = Resampling(draws=DRAWS if draws is None else draws, seed=seed)
    found = flips(gains, groups=groups, alternative="greater", resampling=how)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(7,)))
    try:
        if groups is None:
            limits = studentised_limits(gains, confidence_level, interval_draws, rng)
            name = f"studentised bootstrap, {interval_draws} draws"
        else:
            over = cluster_mean(gains, groups, confidence_level=confidence_level)
            limits, name = (over.low, over.high), over.method
        interval = Interval(*limits, confidence_level, name)
    except NotApplicable:
        interval = None
    return Skill(
        reference=reference,
        difference=float(gains.mean()),
        interval=interval,
        p_value=found.p_value,
    )


def uninformative(predictions: Predictions) -> Predictions:
    """The same cases, each predicted by the class frequencies or the mean outcome."""
    other = predictions.take(slice(None))
    if isinstance(predictions, Binary):
        other.__dict__["probability"] = np.full(predictions.n, predictions.prevalences[1])
    elif isinstance(predictions, Multiclass):
        shares = predictions.prevalences[:, None]
        other.__dict__["probability"] = np.repeat(shares, predictions.n, axis=1)
    elif isinstance(predictions, Numeric):
        centre = np.average(predictions.outcome, axis=-1, weights=predictions.weight)
        other.__dict__["value"] = np.repeat(centre[:, None], predictions.n, axis=1)
    else:
        raise NotApplicable("there is no uninformative forecast for these outcomes.")
    return other
