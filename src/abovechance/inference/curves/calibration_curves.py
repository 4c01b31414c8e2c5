"""Calibration curves: how often the outcome happened, against its predicted probability."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.format import p_phrase
from abovechance.inference.curves.curve import (
    FEW_CLUSTERS,
    Curve,
    as_cases_allow,
    each_case,
    no_band,
)
from abovechance.inference.proportions import clopper_pearson, score_limits
from abovechance.measures import find
from abovechance.measures.calibration import bin_sums, decile_groups
from abovechance.numerics.exact import critical_value
from abovechance.numerics.roots import crossing
from abovechance.numerics.smooth import SPAN, Smoother, loess
from abovechance.predictions import Predictions, View
from abovechance.settings import Settings, settled

# ----------------------------------------------------------------------------------------------
# The best rising calibration curve, and which values of it the outcomes do not rule out.
# ----------------------------------------------------------------------------------------------


CELLS = 10_000  # distinct probabilities that are told apart; more are gathered in cells
SHOWN = 2_000  # of them, when there are more
PLACES = 101  # where limits are solved for; between them the nearer ones hold
EDGE = 1e-12

# Twice the log-likelihood ratio of a rising curve's value follows Banerjee and Wellner's D,
# whatever the curve: its quantiles, by simulation (.95: 2.286 in their paper).
SHARES = (0.0, 0.5, 0.8, 0.9, 0.95, 0.975, 0.99, 0.995, 0.999)
QUANTILES = (0.0, 0.288, 0.997, 1.62, 2.287, 2.985, 3.905, 4.60, 6.43)


class Limits(NamedTuple):
    """A step function at its places, with pointwise limits."""

    x: Floats
    y: Floats
    low: Floats
    high: Floats


class Steps(NamedTuple):
    """A rising step function: cases, positives and share of each step."""

    total: Floats
    positive: Floats
    share: Floats


def likelihood_limits(
    outcome: Floats,
    predicted: Floats,
    level: float,
    design_effect: Callable[[Floats], Floats] | None = None,
) -> Limits:
    r"""Isotonic regression of outcomes on probabilities with limits by likelihood ratio.

    At each place the values θ for which
    :math:`2 (\max \ell - \max_{f(x) = \theta} \ell) \le d`, both maxima over rising curves. With d
    the quantile of Banerjee and Wellner's limit; or that of χ² on one degree of freedom where more
    than :math:`n^{1/3}` cases share a place on average, for then shares of places, not
    neighbourhoods, make the curve. A design effect, of clusters, multiplies d.

    References
    ----------
    Banerjee & Wellner (2001); Tang, Banerjee & Kosorok (2012) for shared places.
    """
    place, cell = _cells(predicted)
    total = np.bincount(cell).astype(np.float64)
    positive = np.bincount(cell, weights=outcome).astype(np.float64)
    fitted = rising(positive, total)
    shown, solved = _spread(len(place), SHOWN), _spread(len(place), PLACES)
    most = np.full(len(solved), critical(level, len(outcome), len(np.unique(predicted))))
    if design_effect is not None:
        most *= design_effect(place[solved])
    best = _log_likelihood(_steps(positive, total))
    least = best - most / 2.0
    ends = np.array(
        [_at(positive, total, int(k), m, fitted[k]) for k, m in zip(solved, least, strict=True)]
    )
    # a rising curve is no lower than to the left and no higher than to the right
    left = np.searchsorted(solved, shown, side="right") - 1
    right = np.searchsorted(solved, shown, side="left")
    return Limits(place[shown], fitted[shown], ends[left, 0], ends[right, 1])


def critical(level: float, n: int, places: int) -> float:
    """By how much twice the log-likelihood may drop.

    Examples
    --------
    >>> critical(0.95, 1000, 1000), critical(0.95, 1000, 50)
    (2.287, 3.841)
    """
    from scipy.special import chdtri

    if n / places >= n ** (1 / 3) or level > SHARES[-1]:
        return float(chdtri(1, 1.0 - level))
    rate = -np.log1p(-np.array(SHARES))  # nearly a straight line
    return float(np.interp(-np.log1p(-level), rate, QUANTILES))


def rising(positive: Floats, total: Floats) -> Floats:
    """The rising shares nearest to positive/total, weighted by total."""
    from scipy.optimize import isotonic_regression

    return np.asarray(isotonic_regression(positive / total, weights=total).x)


def _at(
    positive: Floats, total: Floats, k: int, least: float, fitted: float
) -> tuple[float, float]:
    """Which values the curve may take at the k-th place, the likelihood being at least so much."""
    below = _steps(positive[:k], total[:k])
    above = _steps(positive[k + 1 :], total[k + 1 :])
    here = Steps(total[k : k + 1], positive[k : k + 1], np.zeros(1))

    def beyond(value: float) -> float:
        kept = (
            below._replace(share=np.minimum(below.share, value)),
            here._replace(share=np.array([value])),
            above._replace(share=np.maximum(above.share, value)),
        )
        return least - sum(map(_log_likelihood, kept))

    centre = float(np.clip(fitted, EDGE, 1.0 - EDGE))
    return _end(beyond, centre, EDGE), _end(beyond, centre, 1.0 - EDGE)


def _end(beyond: Callable[[float], float], centre: float, edge: float) -> float:
    """Where the likelihood is just enough, between the estimate and 0 or 1."""

    if beyond(edge) <= 0.0:
        return float(np.round(edge))
    return float(crossing(beyond, centre, edge, xtol=1e-9, rtol=1e-10))


def _steps(positive: Floats, total: Floats) -> Steps:
    from scipy.optimize import isotonic_regression

    if not len(total):
        return Steps(total, positive, positive)
    found = isotonic_regression(positive / total, weights=total)
    start = found.blocks[:-1]
    cases, hits = (np.add.reduceat(part, start) for part in (total, positive))
    return Steps(cases, hits, np.asarray(found.x[start]))


def _log_likelihood(steps: Steps) -> float:
    from scipy.special import xlog1py, xlogy

    negative = steps.total - steps.positive
    return float((xlogy(steps.positive, steps.share) + xlog1py(negative, -steps.share)).sum())


def _spread(size: int, most: int) -> Ints:
    """All places, or so many evenly spread ones."""
    return np.unique(np.round(np.linspace(0, size - 1, min(size, most))).astype(np.int64))


def _cells(predicted: Floats) -> tuple[Floats, Array]:
    """Distinct probabilities, or the means of cells of equal count, and each case's cell."""
    distinct, code = np.unique(predicted, return_inverse=True)
    if len(distinct) <= CELLS:
        return distinct, code
    counts = np.bincount(code)
    upto = np.cumsum(counts) - counts / 2.0
    cell_of = np.minimum((upto / len(predicted) * CELLS).astype(np.int64), CELLS - 1)
    cell = np.unique(cell_of, return_inverse=True)[1][code]
    means = np.bincount(cell, weights=predicted) / np.bincount(cell)
    return means, cell


METHODS = ("loess", "isotonic", "binned")
POINTS = 101
ENOUGH = 1000  # cases beyond which neighbourhoods shrink
FEW = 500
PARTS, TAKEN = 20, 5  # of the cases, and how many of them a smooth curve follows by itself
EXPECTED, NOT_FOLLOWED = 3.0, 0.01  # the least variance of a part; p of a curve that is told of


@dataclass(frozen=True, eq=False)
class Problem:
    """Outcomes and what was predicted of them, whatever the kind of predictions."""

    outcome: Floats
    predicted: Floats
    weight: Floats | None
    groups: Array | None
    x_name: str
    y_name: str
    share: bool = True
    judged: Floats | None = None  # the outcome, where it is not the class that predictions are of


@settled
def calibration(
    predictions: Predictions,
    *,
    method: str = "loess",
    pos_label: Any = None,
    t: float | None = None,
    span: float | None = None,
    bins: int = 10,
    binning: str = "count",
    **given: Any,
) -> Curve:
    r"""How often the outcome happened where it was predicted with some probability.

    Parameters
    ----------
    predictions
        Probabilities of classes, numbers, or survival at stated times.
    method
        "loess": the local regression of R's `loess`, with a pointwise band: Wilson's limits at the
        effective number of cases :math:`1 / \sum_i l_i^2`, with :math:`l_i` what case i adds to
        the curve there. Beyond 1000 cases the span falls with the fourth root of their number,
        lest the curve's bias outgrow its band; up to there, and with `span=0.75`, it is R's curve.
        "isotonic": the best rising step function, with the values at each place that a
        likelihood-ratio test does not reject. (The bootstrap is not consistent for isotonic
        regression: Sen, Banerjee & Woodroofe 2010.) With clusters the ratio is divided by the
        design effect of the smooth curve there.
        "binned": means in `bins` of equal "count" or "width" (`binning`), with Clopper–Pearson
        limits.
    pos_label
        Of several classes: this class against the rest; without it, the most probable class
        against whether it was right (top label).
    t
        The time at which predicted survival is judged; the last predicted one if not stated.
    bins
        Number of bins of a binned curve; 10 unless stated.
    binning
        Whether bins hold equally many cases ("count") or are equally wide ("width").

    Raises
    ------
    NotApplicable
        For an unknown method, fewer than one bin, predictions without probabilities, and weights or
        numbers with other methods than "loess".

    See Also
    --------
    abovechance.intervals.recalibration : the line of recalibration in one number.
    abovechance.significance.calibration : the test whether probabilities are right.

    References
    ----------
    Austin & Steyerberg (2014), Graphical assessment of internal and external calibration;
    Banerjee & Wellner (2001) for the isotonic curve's limits.

    Examples
    --------
    >>> from abovechance import examples
    >>> calibration(examples.breast_cancer("p_texture")).at(0.5)
    {'y': 0.451, 'low': 0.342, 'high': 0.565}
    >>> calibration(examples.breast_cancer("p_texture"), method="binned", bins=3).y
    array([0.095, 0.368, 0.653])
    """
    settings = Settings.of("calibration", given)
    if bins < 1:
        raise NotApplicable(f"bins must be at least 1; got {bins}.")
    if method not in METHODS:
        raise NotApplicable(f"method must be one of {', '.join(METHODS)}; got {method!r}.")
    if t is not None and View.RISK not in predictions.views:
        raise NotApplicable("t is a time of predicted survival, which these predictions have not.")
    if pos_label is not None and not predictions.each_class:
        raise NotApplicable("pos_label picks one of several classes; these predictions have none.")
    predictions = each_case(predictions)
    problem = _problem(predictions, pos_label, t)
    curve = _drawn(problem, predictions, method, span, bins, binning, settings.level)
    if predictions.each_class or View.PROBABILITY not in predictions.views:
        return curve
    return replace(curve, summary={"slope": find("calibration_slope").of(predictions)})


def _drawn(
    problem: Problem,
    predictions: Any,
    method: str,
    span: float | None,
    bins: int,
    binning: str,
    confidence_level: float,
) -> Curve:
    if method == "loess":
        curve = _smooth(problem, span, confidence_level)
        return as_cases_allow(curve, predictions, problem.judged)
    if not problem.share or problem.weight is not None:
        raise NotApplicable(f"{method} calibration curves are of unweighted classes; use 'loess'.")
    if method == "binned":
        curve = _binned(problem, bins, binning, confidence_level)
        return as_cases_allow(curve, predictions) if no_band(predictions) else curve
    curve = _isotonic(problem, confidence_level)
    return as_cases_allow(curve, predictions, problem.judged)


def _smooth(problem: Problem, span: float | None, level: float) -> Curve:
    p, y, weight = problem.predicted, problem.outcome, problem.weight
    seen = np.ones(len(p), dtype=np.bool_) if weight is None else weight > 0
    n = int(seen.sum())
    width = _span(n) if span is None else span
    smoother = loess(p[seen], span=width, weight=None if weight is None else weight[seen])
    x = np.linspace(float(p[seen].min()), float(p[seen].max()), POINTS)
    x = x if x[-1] > x[0] else x[:1]
    fitted, curve = smoother.curve(y[seen], p[seen]), smoother.curve(y[seen], x)
    if problem.share:
        fitted, curve = np.clip(fitted, 0.0, 1.0), np.clip(curve, 0.0, 1.0)
    groups = None if problem.groups is None else problem.groups[seen]
    if problem.share:
        # what the smoother averages at x is worth so many independent cases: limits of a share of
        # these stay within 0 and 1, where a standard error of the curve would leave them
        cases = 1.0 / smoother.variance(np.ones(n), x)
        if groups is not None:
            cases = cases / _design_effect(smoother, fitted, y[seen] - fitted, groups, x)
        low, high = score_limits(curve * cases, cases, level)
    else:
        residual = y[seen] - fitted
        half = critical_value(level) * np.sqrt(_variance(smoother, residual, groups, x))
        low, high = curve - half, curve + half
    return Curve(
        curve="calibration",
        title="Calibration curve",
        x_name=problem.x_name,
        y_name=problem.y_name,
        x=x,
        y=curve,
        low=low,
        high=high,
        level=level,
        method=f"loess, span {width:.2g}, pointwise"
        + ("" if groups is None else ", clusters as units"),
        n=n,
        columns={"cases": _near(p[seen], x)},
        advice=(*_few(n, groups), *_not_followed(problem, fitted)),
    )


def _binned(problem: Problem, bins: int, binning: str, level: float) -> Curve:
    if binning == "width":
        parts = bin_sums(problem.outcome, problem.predicted, None, bins=bins)
        seen = parts[0] > 0
        size, observed, expected = (part[seen] for part in parts)
    elif binning == "count":
        size, observed, expected = decile_groups(problem.outcome, problem.predicted, bins)
    else:
        raise NotApplicable(f"binning must be 'width' or 'count'; got {binning!r}.")
    limits = [
        clopper_pearson(float(k), float(m), confidence_level=level)
        for k, m in zip(observed, size, strict=True)
    ]
    return Curve(
        curve="calibration",
        title="Calibration in bins",
        x_name=problem.x_name,
        y_name=problem.y_name,
        x=expected / size,
        y=observed / size,
        low=np.array([limit.low for limit in limits]),
        high=np.array([limit.high for limit in limits]),
        level=level,
        method=f"Clopper–Pearson in bins of equal {binning}",
        n=len(problem.outcome),
        columns={"cases": size},
        advice=_clustered(problem),
    )


def _isotonic(problem: Problem, level: float) -> Curve:
    y, p, groups = problem.outcome, problem.predicted, problem.groups
    effect, method = None, "isotonic, likelihood ratio, pointwise"
    if groups is not None:
        smoother = loess(p, span=_span(len(p)))
        fitted = np.clip(smoother.curve(y, p), 0.0, 1.0)
        effect = partial(_design_effect, smoother, fitted, y - fitted, groups)
        method = "isotonic, likelihood ratio over design effect of clusters, pointwise"
    found = likelihood_limits(y, p, level, effect)
    return Curve(
        curve="calibration",
        title="Isotonic calibration curve",
        x_name=problem.x_name,
        y_name=problem.y_name,
        x=found.x,
        y=found.y,
        low=found.low,
        high=found.high,
        level=level,
        method=method,
        n=len(y),
        advice=_few(len(y), groups),
    )


def _problem(predictions: Any, pos_label: Any, t: float | None) -> Problem:
    """What is predicted and what came true, from any kind of predictions."""
    if View.VALUE in predictions.views:
        if len(predictions.outputs) > 1:
            raise NotApplicable("a calibration curve is of one output; take .output(k).")
        y, p, share = predictions.outcome[0], predictions.value[0], False
        names = ("Predicted value", "Observed value")
    elif View.RISK in predictions.views:
        from abovechance.measures.survival import at_horizon

        if predictions.survival is None:
            raise NotApplicable("a calibration curve needs predicted survival at a time.")
        known = at_horizon(predictions, t)
        if np.isnan(known.weight).any():
            raise NotApplicable("the follow-up does not reach the time; choose an earlier one.")
        names = (f"Predicted risk by {known.time:g}", f"Observed share by {known.time:g}")
        outcome = known.happened.astype(np.float64)
        return Problem(outcome, known.risk, known.weight, predictions.cases.groups, *names)
    else:
        y, p, names = _of_classes(predictions, pos_label)
        share = True
    weight, groups = predictions.weight, predictions.cases.groups
    judged = y if predictions.each_class else None
    return Problem(y, p, weight, groups, *names, share=share, judged=judged)


def _of_classes(predictions: Any, pos_label: Any) -> tuple[Floats, Floats, tuple[str, str]]:
    if View.PROBABILITY not in predictions.views:
        raise NotApplicable("a calibration curve needs probabilities.")
    names = ("Predicted probability", "Observed frequency")
    if predictions.each_class:
        if pos_label is None:
            top = predictions.probability.argmax(axis=0)
            sure = predictions.probability[top, np.arange(predictions.n)]
            names = ("Probability of the top label", "Share that was right")
            return (top == predictions.actual).astype(np.float64), sure, names
        predictions = predictions.against_rest(pos_label)
    assert predictions.probability is not None
    return predictions.positive.astype(np.float64), predictions.probability, names


def _variance(smoother: Smoother, residual: Floats, groups: Array | None, x: Floats) -> Floats:
    """Variance of a curve from its residuals, case by case or cluster by cluster."""
    if groups is None:
        return smoother.variance(residual**2, x)
    _, code = np.unique(groups, return_inverse=True)
    code, residual = smoother.ordered(code), smoother.ordered(residual)
    sums = np.stack([np.bincount(code, weights=row * residual) for row in smoother.rows])
    units = sums.shape[1]
    return np.asarray(((smoother.basis(x) @ sums) ** 2).sum(axis=1) * units / max(units - 1, 1))


def _design_effect(
    smoother: Smoother, fitted: Floats, residual: Floats, groups: Array, x: Floats
) -> Floats:
    """How many times greater the variance is than that of independent cases, never less.

    Few clusters may agree by chance; a band would then shrink to the curve.
    """
    alone = smoother.variance(fitted * (1.0 - fitted), x)
    together = _variance(smoother, residual, groups, x)
    return np.maximum(np.divide(together, alone, out=np.ones(len(x)), where=alone > 0), 1.0)


def _span(n: int) -> float:
    return SPAN * min(1.0, (ENOUGH / n) ** 0.25)


def _few(n: int, groups: Array | None) -> tuple[Advice, ...]:
    if n >= FEW or (groups is not None and len(np.unique(groups)) < FEW_CLUSTERS):
        return ()  # of few clusters `over_clusters` speaks
    text = f"{n} cases are few for a curve: its band may cover less than it says."
    return (Advice("AC250", text),)


def _not_followed(problem: Problem, fitted: Floats) -> tuple[Advice, ...]:
    """That a smooth curve does not follow the cases, by their frequencies in up to twenty parts."""
    from scipy.special import chdtrc

    n, p = len(fitted), problem.predicted
    if not problem.share or n < FEW or problem.weight is not None or problem.groups is not None:
        return ()
    order = np.argsort(p, kind="stable")
    y, f, noise = problem.outcome[order], fitted[order], (fitted * (1.0 - fitted))[order]
    borders = np.searchsorted(p[order], p[order[np.arange(1, PARTS) * n // PARTS]])  # ties together
    beyond, start = [], 0
    for stop in [*np.unique(borders), n]:
        if (variance := float(noise[start:stop].sum())) >= EXPECTED:
            beyond.append(float((y[start:stop] - f[start:stop]).sum()) ** 2 / variance)
            start = stop
    if len(beyond) <= TAKEN + 1:
        return ()
    chance = float(chdtrc(len(beyond) - TAKEN, sum(beyond)))
    if chance >= NOT_FOLLOWED:
        return ()
    text = (
        f"the curve is smoother than the cases are ({p_phrase(chance)} of the frequencies in "
        f"{len(beyond)} parts of them): where they bend away from it, its band covers less than it "
        "says. A smaller span, or method='isotonic', follows them."
    )
    return (Advice("AC255", text),)


def _near(p: Floats, x: Floats) -> Floats:
    """How many cases lie nearest to each point."""
    middles = (x[1:] + x[:-1]) / 2.0
    return np.bincount(np.searchsorted(middles, p), minlength=len(x)).astype(np.float64)


def _clustered(problem: Problem) -> tuple[Advice, ...]:
    if problem.groups is None:
        return ()
    return (
        Advice(
            "AC252", "limits in bins assume independent cases, which those of a cluster are not."
        ),
    )
