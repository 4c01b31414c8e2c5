"""Whether predictions mean what they say: in the large, as lines, in bins, along curves."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.format import thousands
from abovechance.measures.measure import Calibration, Family, Form, Law, Statistic, measure
from abovechance.numerics import smooth as robust
from abovechance.numerics.counts import weighted_mean
from abovechance.numerics.kernels import worthwhile
from abovechance.numerics.recalibration import Line, line, lines, log_odds, shift
from abovechance.numerics.smooth import SPAN, Repeated, Smoother, loess
from abovechance.predictions import Binary, View
from abovechance.predictions.checks import spelled_out

# ----------------------------------------------------------------------------------------------
# Do outcomes happen as often as predicted? Recalibration lines and tests of fit.
#
# Two intercepts are in use, and they answer different questions. `calibration_in_the_large` keeps
# the slope at 1: are predictions too low or too high on the whole? `calibration_intercept` is
# that of the line with a free slope (what rms's `val.prob` calls Intercept): it depends on where
# the slope leaves it, and only the two together say anything.
#
# Probabilities of 0 and 1 have infinite log odds. Where the outcome came out so, every line with
# a positive slope agrees with it and the case says nothing; where it did not, no line can mend
# the prediction and the line is undefined. Nothing is clipped.
# ----------------------------------------------------------------------------------------------


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
    shortcut=lambda predictions: kept_shift(predictions),
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
    inside, impossible = _informative(outcome, probability, weight)
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
    shortcut=lambda predictions: float(kept_line(predictions).intercept),
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
    shortcut=lambda predictions: float(kept_line(predictions).slope),
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


MOST_GROUPS = 1_000_000


def in_deciles(probability: Floats, *, groups: int) -> Ints:
    """The group of every case, cut at quantiles; some may be empty."""
    if not 1 <= groups <= MOST_GROUPS:
        raise NotApplicable(f"groups must be from 1 to {thousands(MOST_GROUPS)}; got {groups}.")
    cuts = np.unique(np.quantile(probability, np.arange(groups + 1) / groups))[1:-1]
    return np.searchsorted(cuts, probability, side="left").astype(np.int64)


def _squared_gaps(size: Floats, observed: Floats, expected: Floats) -> Floats:
    """Squared distance of observed and expected numbers, over their variance, summed."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        terms = (observed - expected) ** 2 / (expected * (1.0 - expected / size))
    return np.where(observed == expected, 0.0, terms).sum(axis=-1)


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
    grouping=in_deciles,
    of_groups=_squared_gaps,
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
    return _squared_gaps(*decile_groups(outcome, probability, groups))


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


def kept_line(predictions: Binary) -> Line:
    """The recalibration line of cases that count one each, fitted once."""
    found: Line = predictions.once("recalibration line", lambda: _plain(recalibrated, predictions))
    return found


def kept_shift(predictions: Binary) -> float:
    """Their intercept with the slope kept at 1, fitted once."""
    level = calibration_in_the_large.formula
    return float(predictions.once("recalibration shift", lambda: _plain(level, predictions)))


def _plain(fit: Callable[..., Any], predictions: Binary) -> Any:
    assert predictions.probability is not None
    return fit(predictions.positive.astype(np.float64), predictions.probability, None)


def recalibrated(outcome: Floats, probability: Floats, weight: Floats | None) -> Line:
    """The recalibration line; (0, 1) where every probability is 0 or 1 and came true."""
    if probability.ndim > 1:
        return _many_lines(outcome, probability, weight)
    inside, impossible = _informative(outcome, probability, weight)
    if not inside.any():
        return Line(np.where(impossible, np.nan, 0.0), np.where(impossible, np.nan, 1.0))
    w = None if weight is None else weight[..., inside]
    found = line(outcome[..., inside], log_odds(probability[inside]), w)
    return Line(*(np.where(impossible, np.nan, part) for part in found))


def _many_lines(outcome: Floats, probability: Floats, weight: Floats | None) -> Line:
    """Lines of a batch of probabilities: together where all of a row tell, else row by row."""
    own = np.ones(outcome.shape) if weight is None else weight
    shape = np.broadcast_shapes(outcome.shape, probability.shape, own.shape)
    y, p, w = (
        np.broadcast_to(c, shape).reshape(-1, shape[-1]) for c in (outcome, probability, own)
    )
    found = np.full((2, len(p)), np.nan)
    telling = ((p > 0.0) & (p < 1.0)).all(axis=1)
    if telling.any():
        found[:, telling] = lines(y[telling], log_odds(p[telling]), w[telling])
    left = np.isnan(found[1])
    if left.any():
        some = None if weight is None else w[left]
        found[:, left] = _by_rows(_one_line, y[left], p[left], some).T
    return Line(*found.reshape(2, *shape[:-1]))


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
    at = in_deciles(probability, groups=groups)
    if outcome.ndim == 1:
        sums = np.array([np.bincount(at, weights) for weights in (None, outcome, probability)])
        size, observed, expected = sums[:, sums[0] > 0]
        return size, observed, expected
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


def _informative(
    outcome: Floats, probability: Floats, weight: Floats | None
) -> tuple[Bools, Bools]:
    """Which cases tell about a line, and whether something impossible happened (…)."""
    inside = (probability > 0.0) & (probability < 1.0)
    wrong = np.where(outcome > 0.5, probability == 0.0, probability == 1.0)
    if weight is not None:
        wrong = wrong & (weight > 0)
    return inside, wrong.any(axis=-1)


# ----------------------------------------------------------------------------------------------
# How far observed frequencies are from predicted probabilities, in bins.
#
# These are distances, so chance alone makes them greater than 0 even for probabilities that
# are exactly right, the more so the fewer cases and the more bins there are. Compare a value with
# what is expected of right probabilities (`assess` shows it), never with 0.
# ----------------------------------------------------------------------------------------------


ERROR: dict[str, Any] = {
    **CALIBRATION,
    "outcomes": frozenset({"binary", "multiclass"}),
    "range": (0.0, 1.0),
    "best": 0.0,
    "calibration": Calibration.DISTANCE,
}
BINNED: dict[str, Any] = {**ERROR, "form": Form.SAMPLE}
OF_TOP_LABEL: dict[str, Any] = {"grouping": None, "of_groups": None, "of_top_label": True}


def _in_bins(probability: Floats, *, bins: int, binning: str, closed: str) -> Ints | None:
    """The bin of every case; None where a border may divide one."""
    return _places(probability, bins, closed) if binning == "width" else None


def _mean_gap(size: Floats, observed: Floats, expected: Floats) -> Floats:
    """Distance of frequency and probability, averaged over the cases of all bins."""
    gaps = _distance_in_bins(size, observed, expected)
    return (size / size.sum(axis=-1, keepdims=True) * gaps).sum(axis=-1)


def _greatest_gap(size: Floats, observed: Floats, expected: Floats) -> Floats:
    """Distance of frequency and probability in the bin where it is greatest."""
    return np.asarray(_distance_in_bins(size, observed, expected).max(axis=-1))


def _root_mean_squared_gap(size: Floats, observed: Floats, expected: Floats) -> Floats:
    """Root of the squared distances, averaged over the cases of all bins."""
    gaps = _distance_in_bins(size, observed, expected)
    return np.sqrt((size / size.sum(axis=-1, keepdims=True) * gaps**2).sum(axis=-1))


def _distance_in_bins(size: Floats, observed: Floats, expected: Floats) -> Floats:
    return np.abs(observed - expected) / np.where(size > 0, size, 1.0)


def _ece_of_top_label(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    bins: int = 10,
    binning: str = "width",
    closed: str = "left",
) -> Floats:
    """Of the most probable class: its probability against how often it was right."""
    sums = bin_sums(outcome, probability, weight, bins=bins, binning=binning, closed=closed)
    return _mean_gap(*sums)


@measure(
    title="Expected calibration error",
    aliases=("expected_calibration_error",),
    **BINNED,
    multiclass=_ece_of_top_label,
    multiclass_facts={"title": "Expected calibration error of the top label", **OF_TOP_LABEL},
    grouping=_in_bins,
    of_groups=_mean_gap,
    source="Naeini, Cooper, Hauskrecht (2015); top label: Guo et al. (2017)",
)
def ece(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    bins: int = 10,
    binning: str = "width",
    closed: str = "left",
) -> Floats:
    r"""Mean distance of observed frequency and predicted probability, in bins.

    .. math:: \sum_b \frac{n_b}{n} \, |\bar y_b - \bar p_b|

    Bins are of equal width, [0, 0.1), [0.1, 0.2), …, [0.9, 1], or hold equally many cases
    (`binning="count"`; ties share their outcomes where a border divides them). `closed="right"`
    gives a value on a border to the bin below. It depends on the bins, and is biased upwards.

    Examples
    --------
    >>> ece([0, 1, 0, 1, 1], [0.15, 0.15, 0.6, 0.6, 0.9])
    0.2
    """
    sums = bin_sums(outcome, probability, weight, bins=bins, binning=binning, closed=closed)
    return _mean_gap(*sums)


def _mce_of_top_label(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    bins: int = 10,
    binning: str = "width",
    closed: str = "left",
) -> Floats:
    """Of the most probable class: the bin where it was right least as often as it said."""
    sums = bin_sums(outcome, probability, weight, bins=bins, binning=binning, closed=closed)
    return _greatest_gap(*sums)


@measure(
    title="Maximum calibration error",
    extreme=True,
    aliases=("maximum_calibration_error",),
    **BINNED,
    multiclass=_mce_of_top_label,
    multiclass_facts={"title": "Maximum calibration error of the top label", **OF_TOP_LABEL},
    grouping=_in_bins,
    of_groups=_greatest_gap,
    source="Naeini, Cooper, Hauskrecht (2015)",
)
def mce(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    bins: int = 10,
    binning: str = "width",
    closed: str = "left",
) -> Floats:
    r"""Greatest distance of observed frequency and predicted probability over bins.

    .. math:: \max_b |\bar y_b - \bar p_b|

    A bin with a single case can decide it. Bins as in `ece`.

    Examples
    --------
    >>> mce([0, 1, 0, 1, 1], [0.15, 0.15, 0.6, 0.6, 0.9])
    0.35
    """
    sums = bin_sums(outcome, probability, weight, bins=bins, binning=binning, closed=closed)
    return _greatest_gap(*sums)


@measure(
    title="Root mean squared calibration error",
    **{**BINNED, "outcomes": frozenset({"binary"})},
    grouping=_in_bins,
    of_groups=_root_mean_squared_gap,
    listed=False,
    source="Naeini, Cooper, Hauskrecht (2015), with squares",
)
def rmsce(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    bins: int = 10,
    binning: str = "width",
    closed: str = "left",
) -> Floats:
    r"""Root of the mean squared distance of frequency and probability, in bins as in `ece`.

    .. math:: \sqrt{\sum_b \frac{n_b}{n} (\bar y_b - \bar p_b)^2}

    Examples
    --------
    >>> rmsce([0, 1, 0, 1, 1], [0.15, 0.15, 0.6, 0.6, 0.9])
    0.235
    """
    sums = bin_sums(outcome, probability, weight, bins=bins, binning=binning, closed=closed)
    return _root_mean_squared_gap(*sums)


@measure(
    title="Expected calibration error, mean over classes",
    **{**BINNED, "outcomes": frozenset({"multiclass"}), "directed": False},
    source="Kull et al. (2019)",
)
def classwise_ece(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    bins: int = 10,
    binning: str = "width",
    closed: str = "left",
) -> Floats:
    """Expected calibration error of each class against the rest, averaged over the classes.

    Examples
    --------
    >>> p = [[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.2, 0.2, 0.6], [0.1, 0.7, 0.2]]
    >>> classwise_ece([0, 1, 2, 2], p)
    0.3
    """
    found = [
        ece.formula(
            outcome[..., k, :],
            probability[..., k, :],
            weight,
            bins=bins,
            binning=binning,
            closed=closed,
        )
        for k in range(probability.shape[-2])
    ]
    return np.mean(found, axis=0)


def bin_sums(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    bins: int = 10,
    binning: str = "width",
    closed: str = "left",
) -> tuple[Floats, Floats, Floats]:
    """Weight, observed and expected positives of every bin: (…, bins) each."""
    if bins < 1:
        raise NotApplicable(f"bins must be at least 1; got {bins}.")
    if binning == "width":
        return _of_equal_width(outcome, probability, weight, _places(probability, bins, closed))
    if binning != "count":
        raise NotApplicable(f"binning must be 'width' or 'count'; got {binning!r}.")
    w = np.ones(outcome.shape) if weight is None else weight
    given = (outcome, probability, w)
    shape = np.broadcast_shapes(*(part.shape for part in given))
    rows = (np.broadcast_to(part, shape).reshape(-1, shape[-1]) for part in given)
    found = [_of_equal_count(y, p, each, bins) for y, p, each in zip(*rows, strict=True)]
    stacked = np.stack(found, axis=1).reshape(3, *shape[:-1], bins)
    return stacked[0], stacked[1], stacked[2]


def _places(probability: Floats, bins: int, closed: str) -> Ints:
    """The bin of every probability; borders are k/bins, rounded once."""
    if closed not in ("left", "right"):
        raise NotApplicable(f"closed must be 'left' or 'right'; got {closed!r}.")
    inner = np.arange(1, bins) / bins
    side: Any = "right" if closed == "left" else "left"
    return np.searchsorted(inner, probability, side=side).astype(np.int64)


def _of_equal_width(
    outcome: Floats, probability: Floats, weight: Floats | None, at: Ints
) -> tuple[Floats, Floats, Floats]:
    count = int(at.max()) + 1
    if outcome.ndim == at.ndim == 1 and (weight is None or weight.ndim == 1):
        w = np.ones(len(at)) if weight is None else weight
        parts = np.stack([w, w * outcome, w * probability])
        sums = np.array([np.bincount(at, weights=part, minlength=count) for part in parts])
        return sums[0], sums[1], sums[2]
    if at.ndim > 1:
        return _of_own_bins(outcome, probability, weight, at, count)
    member = (at[:, None] == np.arange(count)).astype(np.float64)
    if weight is None:
        return member.sum(axis=0), outcome @ member, probability @ member
    return weight @ member, (weight * outcome) @ member, (weight * probability) @ member


def _of_own_bins(
    outcome: Floats, probability: Floats, weight: Floats | None, at: Ints, count: int
) -> tuple[Floats, Floats, Floats]:
    """The same where every row of a batch has probabilities of its own."""
    w = np.ones(outcome.shape[-1]) if weight is None else weight
    shape = np.broadcast_shapes(outcome.shape, at.shape, w.shape)
    rows = int(np.prod(shape[:-1]))
    cell = np.broadcast_to(at, shape).reshape(rows, -1) + count * np.arange(rows)[:, None]
    totals = (
        np.bincount(cell.ravel(), np.broadcast_to(part, shape).ravel(), rows * count)
        for part in (w, w * outcome, w * probability)
    )
    weighed, observed, expected = (t.astype(np.float64).reshape(*shape[:-1], count) for t in totals)
    return weighed, observed, expected


def _of_equal_count(y: Floats, p: Floats, w: Floats, bins: int) -> Floats:
    """Equal shares of the weight in order of probability; a border may divide a case, or a tie."""
    _, at = np.unique(p, return_inverse=True)
    sums = np.stack([np.bincount(at, weights=v) for v in (w, w * y, w * p)])
    upto = np.concatenate([np.zeros((3, 1)), np.cumsum(sums, axis=1)], axis=1)
    borders = np.linspace(0.0, upto[0, -1], bins + 1)
    return np.diff(np.stack([np.interp(borders, upto[0], row) for row in upto]), axis=1)


# ----------------------------------------------------------------------------------------------
# How far observed frequencies are from predicted probabilities, along a smooth curve.
#
# The curve is the local regression of outcomes on probabilities, that of R's `loess(y ~ p)` with
# default settings, evaluated at every case. Like all distances these are greater than 0 by chance
# alone; compare them with what is expected of right probabilities (`assess` shows it).
# ----------------------------------------------------------------------------------------------


KEPT = 1 << 25  # weights of smoothers that are kept for other measures and outcomes
SMOOTHERS = ("loess", "direct", "lowess")
DISTANCE: dict[str, Any] = {
    **ERROR,
    "form": Form.DRAWS,
    "weighted": False,
    "takes_batches": True,
    "range": (0.0, np.inf),  # a smooth curve may leave [0, 1]
    "source": "Austin & Steyerberg (2019)",
}


def resampled_distances(sample: Any, counts: Any, **how: Any) -> Iterator[Floats]:
    """Distances of the curves of resamples, each of which has a case as often as counts (B, n) say.

    In the order of the cases, each as often as it counts: (N,), of several classes (K, N).
    """
    p = sample.column("probability")
    several = sample.kind == "multiclass"
    quick = how["smoother"] == "loess" and worthwhile(counts.size * (len(p) if several else 1))
    if not quick:
        plain = replace(sample, columns={}, kept={})
        yield from (sample_distances(plain.taken(spelled_out(row)), **how) for row in counts)
        return
    code, rows = (sample.outcome, p) if several else (1 - np.asarray(sample.outcome, int), p[None])
    curves = Repeated.of(rows, code)
    for row in counts:
        at = np.repeat(rows, row, axis=-1)
        found = distance_of(curves.curves(row, SPAN if how["span"] is None else how["span"]), at)
        yield found if several else found[0]


def sample_distances(sample: Any, places: Any = None, **how: Any) -> Floats:
    """Distances of the curve of a sample (…, n), of several classes (…, K, n).

    Curves are linear in the outcomes, so one smoother per class serves all samples that have the
    same predictions. `places`: where the curve is compared with the diagonal, at every case unless
    stated.
    """
    outcome, probability = sample.outcome, sample.column("probability")
    if sample.kind != "multiclass":
        return _along(sample, 0, outcome, probability, places, how)
    each = [
        _along(
            sample,
            k,
            outcome == k,
            probability[..., k, :],
            None if places is None else places[k],
            how,
        )
        for k in range(sample.classes)
    ]
    return np.stack(each, axis=-2)


def _along(
    sample: Any, k: int, outcome: Any, probability: Floats, places: Any, how: dict[str, Any]
) -> Floats:
    observed = outcome.astype(np.float64)
    if probability.ndim > 1:
        shape = np.broadcast_shapes(observed.shape, probability.shape)
        rows = (np.broadcast_to(c, shape).reshape(-1, shape[-1]) for c in (observed, probability))
        found = [distances(y, p, **how) for y, p in zip(*rows, strict=True)]
        return np.reshape(found, shape)
    if how["smoother"] == "lowess":
        return distances(observed, probability, **how)
    curve = _kept_curve(sample, k, probability, how)
    at = probability if places is None else places
    return distance_of(curve.curve(observed, at), at)


def _kept_curve(sample: Any, k: int, probability: Floats, how: dict[str, Any]) -> Smoother:
    key = (k, *how.values())
    curve: Smoother = sample.kept.get(key) or smoother_of(probability, **how)
    held = sum(known.rows.size for known in sample.kept.values() if isinstance(known, Smoother))
    # one is kept however many cases it is of: to make it again takes as much memory
    if key not in sample.kept and (not held or held + curve.rows.size <= KEPT):
        sample.kept[key] = curve
    return curve


def sample_curve(sample: Any, **how: Any) -> Smoother | None:
    """The smoother of two classes behind the distances; None where it is not linear."""
    probability = sample.column("probability")
    if how["smoother"] == "lowess" or sample.kind != "binary" or probability.ndim > 1:
        return None
    return _kept_curve(sample, 0, probability, how)


def _mean(distance: Floats) -> Floats:
    return np.asarray(distance.mean(axis=-1))


def _median(distance: Floats) -> Floats:
    return np.asarray(np.median(distance, axis=-1))


def _nine_tenths(distance: Floats) -> Floats:
    return np.asarray(np.quantile(distance, 0.9, axis=-1))


def _largest(distance: Floats) -> Floats:
    return np.asarray(distance.max(axis=-1))


@measure(
    title="Integrated calibration index",
    aliases=("integrated_calibration_index", "eavg"),
    **DISTANCE,
    distances=sample_distances,
    resampled_distances=resampled_distances,
    curve=sample_curve,
    of_distances=_mean,
)
def ici(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    smoother: str = "loess",
    span: float | None = None,
) -> Floats:
    r"""Mean distance of predicted probability and observed frequency, along a smooth curve.

    .. math:: \frac{1}{n} \sum_i |\hat f(p_i) - p_i|

    `smoother="direct"` evaluates the local regression :math:`\hat f` at every case rather than
    between borders of cells as R does by default; `smoother="lowess"` is the curve of rms's
    `val.prob`, where this is called Eavg. With several classes: one against the rest, averaged.

    Examples
    --------
    >>> ici([0, 1, 0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    0.114
    """
    return _mean(distances(outcome, probability, smoother=smoother, span=span))


@measure(
    title="Median calibration distance",
    **DISTANCE,
    distances=sample_distances,
    resampled_distances=resampled_distances,
    curve=sample_curve,
    of_distances=_median,
)
def e50(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    smoother: str = "loess",
    span: float | None = None,
) -> Floats:
    """Median distance of predicted probability and observed frequency along the curve of `ici`.

    Examples
    --------
    >>> e50([0, 1, 0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    0.101
    """
    return _median(distances(outcome, probability, smoother=smoother, span=span))


@measure(
    title="90 % calibration distance",
    **DISTANCE,
    distances=sample_distances,
    resampled_distances=resampled_distances,
    curve=sample_curve,
    of_distances=_nine_tenths,
)
def e90(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    smoother: str = "loess",
    span: float | None = None,
) -> Floats:
    """Distance of probability and frequency that 90 % of the cases do not exceed; curve of `ici`.

    The quantile interpolates linearly between order statistics (R's type 7).

    Examples
    --------
    >>> e90([0, 1, 0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    0.2
    """
    return _nine_tenths(distances(outcome, probability, smoother=smoother, span=span))


@measure(
    title="Largest calibration distance",
    extreme=True,
    **DISTANCE,
    distances=sample_distances,
    resampled_distances=resampled_distances,
    curve=sample_curve,
    of_distances=_largest,
)
def emax(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    smoother: str = "loess",
    span: float | None = None,
) -> Floats:
    """Largest distance of predicted probability and observed frequency along the curve of `ici`.

    Examples
    --------
    >>> emax([0, 1, 0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    0.273
    """
    return _largest(distances(outcome, probability, smoother=smoother, span=span))


def distances(
    outcome: Floats, probability: Floats, *, smoother: str = "loess", span: float | None = None
) -> Floats:
    """Distance of curve and probability at every case, for outcomes (…, n)."""
    if smoother == "lowess":
        width = robust.LOWESS_SPAN if span is None else span
        rows = [robust.lowess(probability, y, span=width) for y in np.atleast_2d(outcome)]
        return distance_of(np.stack(rows).reshape(outcome.shape), probability)
    curve = smoother_of(probability, smoother=smoother, span=span)
    return distance_of(curve.curve(outcome, probability), probability)


def distance_of(curve: Floats, probability: Floats) -> Floats:
    """How far a curve of frequencies is from the probabilities.

    A local polynomial may leave 0 to 1, in R as here. Where many probabilities crowd at one end it
    can do so by hundreds, between them and the next; such an artefact is cut at one unit beyond.
    """
    return np.abs(np.clip(curve, -1.0, 2.0) - probability)


def smoother_of(
    probability: Floats,
    *,
    smoother: str = "loess",
    span: float | None = None,
    weight: Floats | None = None,
) -> Smoother:
    """The local regression on some probabilities, to be applied to any outcomes."""
    if smoother not in SMOOTHERS[:2]:
        raise NotApplicable(f"smoother must be one of {', '.join(SMOOTHERS)}; got {smoother!r}.")
    surface = "interpolate" if smoother == "loess" else "direct"
    width = SPAN if span is None else span
    return loess(probability, span=width, surface=surface, weight=weight)
