"""Do outcomes happen as often as predicted? Recalibration lines and tests of fit.

Two intercepts are in use, and they answer different questions. `calibration_in_the_large` keeps
the slope at 1: are predictions too low or too high on the whole? `calibration_intercept` is that
of the line with a free slope (what rms's `val.prob` calls Intercept): it depends on where the
slope leaves it, and only the two together say anything.

Probabilities of 0 and 1 have infinite log odds. Where the outcome came out so, every line with a
positive slope agrees with it and the case says nothing; where it did not, no line can mend the
prediction and the line is undefined. Nothing is clipped.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.measures.measure import Calibration, Family, Form, Law, Statistic, measure
from abovechance.numerics.counts import weighted_mean
from abovechance.numerics.recalibration import Line, line, log_odds, shift
from abovechance.predictions import Binary, View

CALIBRATION: dict[str, Any] = {
    "family": Family.CALIBRATION,
    "reads": View.PROBABILITY,
    "outcomes": frozenset({"binary"}),
    "directed": True,
    "law": Law.CALIBRATION,
}
IMPOSSIBLE = "something of predicted probability 0 happened, which no recalibration can mend"
LINE: dict[str, Any] = {
    **CALIBRATION,
    "form": Form.SAMPLE,
    "range": (-np.inf, np.inf),
    "undefined": f"all probabilities are equal, or only one class was observed, or {IMPOSSIBLE}",
}


@measure(
    title="Calibration in the large",
    aliases=("citl",),
    **{**LINE, "undefined": IMPOSSIBLE},
    best=0.0,
    calibration=Calibration.LEVEL,
    source="Cox (1958); Steyerberg et al. (2010)",
)
def calibration_in_the_large(outcome: Floats, probability: Floats, weight: Floats | None) -> Floats:
    r"""By how much log odds are too low on the whole: the intercept with the slope kept at 1.

    .. math:: \log\frac{P(y=1)}{P(y=0)} = a + \log\frac{p}{1-p}

    0 is right; positive values mean that more happened than was predicted. Infinite when all
    outcomes are equal.

    Examples
    --------
    >>> calibration_in_the_large([0, 1, 1, 1], [0.5, 0.5, 0.5, 0.5])  # log of 3
    1.099
    """
    if probability.ndim > 1:
        return _by_rows(calibration_in_the_large.formula, outcome, probability, weight)
    inside, impossible = _told(outcome, probability, weight)
    if not inside.any():
        return np.where(impossible, np.nan, 0.0)
    w = None if weight is None else weight[..., inside]
    found = shift(outcome[..., inside], log_odds(probability[inside]), None, w)
    return np.where(impossible, np.nan, found)


@measure(
    title="Calibration intercept",
    **LINE,
    best=0.0,
    calibration=Calibration.INTERCEPT,
    source="Cox (1958); Harrell, Lee, Mark (1996)",
)
def calibration_intercept(outcome: Floats, probability: Floats, weight: Floats | None) -> Floats:
    r"""Intercept of the recalibration line whose slope is free.

    .. math:: \log\frac{P(y=1)}{P(y=0)} = a + b \log\frac{p}{1-p}

    It agrees with rms's `val.prob`. Read it with the slope; `calibration_in_the_large` answers
    whether predictions are too low or too high on the whole. Undefined where the classes are
    separated.

    Examples
    --------
    >>> calibration_intercept([0, 1, 0, 1, 1], [0.2, 0.2, 0.6, 0.6, 0.6])
    0.536
    """
    return recalibrated(outcome, probability, weight).intercept


@measure(
    title="Calibration slope",
    **LINE,
    best=1.0,
    calibration=Calibration.SLOPE,
    source="Cox (1958); Steyerberg et al. (2010)",
)
def calibration_slope(outcome: Floats, probability: Floats, weight: Floats | None) -> Floats:
    r"""Slope of the recalibration line: by what the log odds should be multiplied.

    .. math:: \log\frac{P(y=1)}{P(y=0)} = a + b \log\frac{p}{1-p}

    1 is right; below 1 the predictions are too extreme (overfitted), above 1 not extreme enough.
    Infinite where the classes are separated: the outcomes allow a line as steep as one likes.

    Examples
    --------
    >>> calibration_slope([0, 1, 0, 1, 1], [0.2, 0.2, 0.6, 0.6, 0.6])
    0.387
    """
    return recalibrated(outcome, probability, weight).slope


@measure(
    title="Observed to expected ratio",
    aliases=("oe_ratio",),
    **CALIBRATION,
    form=Form.SAMPLE,
    range=(0.0, np.inf),
    best=1.0,
    undefined="nothing was expected: every probability is 0",
    calibration=Calibration.RATIO,
    sufficient=Statistic.CLASS_MEANS,
    source="Steyerberg et al. (2010)",
)
def observed_expected_ratio(outcome: Floats, probability: Floats, weight: Floats | None) -> Floats:
    r"""How many times more often the outcome happened than was predicted.

    .. math:: \sum_i y_i / \sum_i p_i

    Examples
    --------
    >>> observed_expected_ratio([0, 1, 1, 1], [0.2, 0.2, 0.6, 0.5])
    2.0
    """
    return weighted_mean(outcome, weight) / weighted_mean(probability, weight)


@measure(
    title="Observed minus expected",
    aliases=("mean_calibration_difference",),
    **CALIBRATION,
    form=Form.LOSSES,
    range=(-1.0, 1.0),
    best=0.0,
    listed=False,
    calibration=Calibration.DIFFERENCE,
    sufficient=Statistic.CLASS_MEANS,
    source="Steyerberg et al. (2010)",
)
def calibration_difference(outcome: Floats, probability: Floats) -> Floats:
    """Share of positive outcomes minus mean predicted probability.

    Examples
    --------
    >>> calibration_difference([0, 1, 1, 1], [0.2, 0.2, 0.6, 0.5])
    0.375
    """
    return outcome - probability


@measure(
    title="Hosmer–Lemeshow statistic",
    aliases=("hosmer_lemeshow_chi2", "hoslem"),
    **CALIBRATION,
    form=Form.DRAWS,
    takes_batches=True,
    range=(0.0, np.inf),
    best=0.0,
    weighted=False,
    calibration=Calibration.DISTANCE,
    source="Hosmer & Lemeshow (1980)",
)
def hosmer_lemeshow(
    outcome: Floats, probability: Floats, weight: Floats | None, *, groups: int = 10
) -> Floats:
    r"""Squared distance of observed and expected numbers in groups of rising probability.

    .. math:: \sum_g \frac{(O_g - E_g)^2}{E_g (1 - E_g / n_g)}

    Groups are cut at the quantiles of the probabilities (R's type 7; each takes its upper end),
    so ties can leave fewer. For predictions of new cases it is compared with that of outcomes
    simulated from them (χ² on as many degrees of freedom as there are groups rejects right
    probabilities too often, at .001 nine to sixteen times); for the cases a logistic model was
    fitted to, with χ² on two fewer. It grows with the number of cases and has little power: a curve
    says more.

    Parameters
    ----------
    groups
        Number of groups of equally many cases, by predicted probability.

    Examples
    --------
    >>> hosmer_lemeshow([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.8, 0.9], groups=2)
    0.501
    """
    if probability.ndim > 1:
        fit = partial(hosmer_lemeshow.formula, groups=groups)
        return _by_rows(fit, outcome, probability, weight)
    size, observed, expected = decile_groups(outcome, probability, groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = (observed - expected) ** 2 / (expected * (1.0 - expected / size))
    return np.where(observed == expected, 0.0, terms).sum(axis=-1)


@measure(
    title="Spiegelhalter's z",
    aliases=("spiegelhalter",),
    **CALIBRATION,
    form=Form.DRAWS,
    takes_batches=True,
    range=(-np.inf, np.inf),
    best=0.0,
    weighted=False,
    undefined="every probability is 0, 1/2 or 1",
    calibration=Calibration.SCORE,
    source="Spiegelhalter (1986)",
)
def spiegelhalter_z(outcome: Floats, probability: Floats, weight: Floats | None) -> Floats:
    r"""How far the Brier score is from what it should be were the probabilities right.

    .. math:: \frac{\sum_i (y_i - p_i)(1 - 2 p_i)}{\sqrt{\sum_i (1 - 2 p_i)^2 p_i (1 - p_i)}}

    In standard errors; positive when the score is worse than the probabilities promise.

    Examples
    --------
    >>> spiegelhalter_z([0, 1, 1, 0], [0.2, 0.8, 0.7, 0.6])
    -0.603
    """
    p = probability
    distance = ((outcome - p) * (1.0 - 2.0 * p)).sum(axis=-1)
    spread = ((1.0 - 2.0 * p) ** 2 * p * (1.0 - p)).sum(axis=-1)
    certain = np.isin(p, (0.0, 1.0)).all(axis=-1)
    level = np.where(distance == 0.0, np.where(certain, 0.0, np.nan), np.copysign(np.inf, distance))
    return np.where(spread > 0.0, distance / np.sqrt(np.where(spread > 0.0, spread, 1.0)), level)


def recalibrated(outcome: Floats, probability: Floats, weight: Floats | None) -> Line:
    """The recalibration line; (0, 1) where every probability is 0 or 1 and came true."""
    if probability.ndim > 1:
        return Line(*np.moveaxis(_by_rows(_one_line, outcome, probability, weight), -1, 0))
    inside, impossible = _told(outcome, probability, weight)
    if not inside.any():
        return Line(np.where(impossible, np.nan, 0.0), np.where(impossible, np.nan, 1.0))
    w = None if weight is None else weight[..., inside]
    found = line(outcome[..., inside], log_odds(probability[inside]), w)
    return Line(*(np.where(impossible, np.nan, part) for part in found))


def _one_line(outcome: Floats, probability: Floats, weight: Floats | None) -> Floats:
    return np.stack(recalibrated(outcome, probability, weight), axis=-1)


def _by_rows(
    fit: Callable[..., Floats], outcome: Floats, probability: Floats, weight: Floats | None
) -> Floats:
    """A fit to every row of a batch of probabilities: which cases tell differs between rows."""
    given = (outcome, probability, *(() if weight is None else (weight,)))
    shape = np.broadcast_shapes(*(column.shape for column in given))
    rows = zip(*(np.broadcast_to(c, shape).reshape(-1, shape[-1]) for c in given), strict=True)
    found = np.array([fit(y, p, *(w or (None,))) for y, p, *w in rows])
    return found.reshape(*shape[:-1], *found.shape[1:])


def decile_groups(
    outcome: Floats, probability: Floats, groups: int
) -> tuple[Floats, Floats, Floats]:
    """Cases, observed (…, groups) and expected positives in groups cut at quantiles.

    Empty groups are left out.
    """
    cuts = np.unique(np.quantile(probability, np.arange(groups + 1) / groups))[1:-1]
    at = np.searchsorted(cuts, probability, side="left")
    member = (at[:, None] == np.unique(at)).astype(np.float64)
    return member.sum(axis=0), outcome @ member, probability @ member


def remark_on(predictions: Binary, value: float) -> str | None:
    """Why a recalibration line is infinite or undefined for these predictions."""
    p, y = predictions.probability, predictions.positive
    assert p is not None
    if np.isfinite(value):
        return None
    kept = np.ones(len(y), dtype=np.bool_) if predictions.weight is None else predictions.weight > 0
    wrong = int((kept & np.where(y, p == 0.0, p == 1.0)).sum())
    if wrong:
        cases = f"{wrong} case{'s' * (wrong != 1)}"
        return f"{cases} had an outcome of predicted probability 0; no line can mend that"
    inside = kept & (p > 0.0) & (p < 1.0)
    if len(np.unique(y[inside])) < 2:
        return "only one class was observed among probabilities other than 0 and 1"
    if len(np.unique(p[inside])) < 2:
        return "all probabilities are equal, so there is no slope"
    return "the probabilities separate the classes, so no finite line is the most likely"


def _told(outcome: Floats, probability: Floats, weight: Floats | None) -> tuple[Bools, Bools]:
    """Which cases tell about a line, and whether something impossible happened (…)."""
    inside = (probability > 0.0) & (probability < 1.0)
    wrong = np.where(outcome > 0.5, probability == 0.0, probability == 1.0)
    if weight is not None:
        wrong = wrong & (weight > 0)
    return inside, wrong.any(axis=-1)
