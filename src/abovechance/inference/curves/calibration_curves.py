"""Calibration curves: how often the outcome happened, against its predicted probability."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
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
    level_by_units,
    no_band,
)
from abovechance.inference.proportions import clopper_pearson, modified_score_limits
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
PARTS, TAKEN = 40, 5  # of the cases, for places; how many a smooth curve follows by itself
FEWEST_PARTS, EACH = 10, 100  # of the cases whose frequencies are asked; cases of many parts
NARROWED = 100_000  # cases, beyond which narrow curves need much memory
NEAREST = 1e-9  # to 0 or 1, of what is told from these
EXPECTED, NOT_FOLLOWED = 1.0, 0.05  # the least variance of a part; p of a curve that is too smooth
GRADES, GRADED = 40, 10  # so many different probabilities, and cases of each, make grades
NARROWER = 2.0 / 3.0  # of the span, where a curve does not follow the cases


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
        "loess": the local regression of R's `loess`, with a pointwise band: modified Wilson limits
        at the effective number of cases :math:`1 / \sum_i l_i^2`, with :math:`l_i` what case i
        adds to the curve there, and out to where those of the same regression on log odds reach:
        next to 0 and 1 a curve may bend more steeply than any polynomial of probabilities follows.
        Clusters count by their design effect and Student's t. Beyond 1000 cases the span falls with
        the fourth root of their number, lest the curve's bias outgrow its band; it is a third less
        where up to 40 probabilities are given again and again, and falls by thirds as long as
        frequencies in parts of up to 100 000 cases depart from the curve (χ² tests at .05). Else,
        and with `span=0.75`, it is R's curve.
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
    seen = slice(None) if problem.weight is None else problem.weight > 0
    y, p = problem.outcome[seen], problem.predicted[seen]
    if problem.share:  # what lies next to 0 and 1 is not told apart
        p = np.where(p < NEAREST, 0.0, np.where(p > 1.0 - NEAREST, 1.0, p))
    groups = None if problem.groups is None else problem.groups[seen]
    weight = None if problem.weight is None else problem.weight[seen]
    n, width, said = len(y), _span(p) if span is None else span, None
    parts = _Parts(y, p, weight, groups) if problem.share else None
    while True:
        smoother = loess(p, span=width, weight=weight)
        fitted = smoother.curve(y, p)
        if parts is None:
            break
        fitted = np.clip(fitted, 0.0, 1.0)
        chance, count = parts.misfit(fitted, _taken(smoother, p, width))
        if count:
            said = _not_followed(chance, count) if chance < NOT_FOLLOWED else None
        elif said is not None:
            said = Advice("AC255", UNASKED)
        if said is None or span is not None or not count or n > NARROWED:
            break
        width *= NARROWER
    x = _places(p)
    curve = smoother.curve(y, x)
    if problem.share:
        curve = np.clip(curve, 0.0, 1.0)
        odds = _log_odds(p, p)
        by_odds = loess(odds, span=width, weight=weight)
        scales = ((smoother, p, x), (by_odds, odds, _log_odds(x, p)))
        low, high = _share_band(scales, y, groups, level)
    else:
        units = np.inf if groups is None else len(np.unique(groups))
        reach = critical_value(level, max(units - 1.0, 1.0))
        half = reach * np.sqrt(_variance(smoother, y - fitted, groups, x))
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
        columns={"cases": _near(p, x)},
        advice=(*_few(n, groups), *(() if said is None else (said,))),
    )


def _places(p: Floats) -> Floats:
    """Evenly spread places, and quantiles of what was predicted where these lie closer together.

    Where half of all cases lie between two places, nothing drawn from one to the other is a curve.
    """
    even = np.linspace(float(p.min()), float(p.max()), POINTS)
    quantiles = np.quantile(p, np.linspace(0.0, 1.0, PARTS + 1))
    close = np.diff(quantiles) < even[1] - even[0]
    return np.unique([*even, *quantiles[:-1][close], *quantiles[1:][close]])


def _share_band(
    scales: Sequence[tuple[Smoother, Floats, Floats]],
    y: Floats,
    groups: Array | None,
    level: float,
) -> tuple[Floats, Floats]:
    """Limits of a share by curves on several scales, out to where any of them reaches.

    Of each: the smoother, where cases are, where limits are asked for; the first is the curve's.
    """
    if groups is not None:
        held = min(len(np.unique(groups[y == outcome])) for outcome in np.unique(y))
        level = level_by_units(level, held)
    worth = [_worth(smoother, y, at, x, groups) for smoother, at, x in scales]
    ends = []
    for (smoother, _, x), own in zip(scales, worth, strict=True):
        # far apart, as log odds are next to 0 and 1, a case or two would make up a band
        cases = np.maximum(own, worth[0] / 4)
        share = np.clip(smoother.curve(y, x), 0.0, 1.0)
        ends.append(modified_score_limits(share * cases, cases, level))
    low, high = zip(*ends, strict=True)
    return np.min(low, axis=0), np.max(high, axis=0)


def _worth(smoother: Smoother, y: Floats, at: Floats, x: Floats, groups: Array | None) -> Floats:
    """How many independent cases what the smoother averages at x is worth.

    Limits of a share of these stay within 0 and 1, where a standard error would leave them.
    """
    cases = 1.0 / smoother.variance(np.ones(len(y)), x)
    if groups is None:
        return cases
    fitted = np.clip(smoother.curve(y, at), 0.0, 1.0)
    return cases / _design_effect(smoother, fitted, y - fitted, groups, x)


def _log_odds(p: Floats, seen: Floats) -> Floats:
    """Log odds, of 0 and 1 as if half as far from these as the nearest case that is not there."""
    away = np.minimum(seen, 1.0 - seen)
    edge = max(float(away[away > 0].min(initial=0.5)), NEAREST) / 2.0
    within = np.clip(p, edge, 1.0 - edge)
    return np.asarray(np.log(within) - np.log1p(-within))


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
        smoother = loess(p, span=_span(p))
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


def _span(p: Floats) -> float:
    """The share of the cases in a neighbourhood: less of many, and where a few grades are given."""
    grades = len(np.unique(p))
    graded = grades <= GRADES and len(p) >= GRADED * grades
    return SPAN * min(1.0, (ENOUGH / len(p)) ** 0.25) * (NARROWER if graded else 1.0)


def _few(n: int, groups: Array | None) -> tuple[Advice, ...]:
    if n >= FEW or (groups is not None and len(np.unique(groups)) < FEW_CLUSTERS):
        return ()  # of few clusters `over_clusters` speaks
    text = f"{n} cases are few for a curve: its band may cover less than it says."
    return (Advice("AC250", text),)


@dataclass(frozen=True, eq=False)
class _Parts:
    """Frequencies in parts of the cases, in the order of their probabilities."""

    outcome: Floats
    predicted: Floats
    weight: Floats | None
    groups: Array | None

    @cached_property
    def order(self) -> Ints:
        """The cases by rising probability: the same for every span."""
        return np.argsort(self.predicted, kind="stable")

    def misfit(self, fitted: Floats, taken: float) -> tuple[float, int]:
        """The p of the hypothesis that frequencies are those fitted, and in how many parts.

        So many parts, `taken`, a curve follows by itself; 0 parts where none are left to ask. Many
        see a narrow bend, few of them a slight one: ten, twenty, forty and, of many cases, more
        are asked, and the smallest p counts as often.
        """
        from scipy.special import chdtrc

        weight, n, order = self.weight, len(fitted), self.order
        worth = np.ones(n) if weight is None else weight * weight.sum() / (weight @ weight)
        p = self.predicted[order]
        gap = (worth * (self.outcome - fitted))[order]
        noise = (worth**2 * fitted * (1.0 - fitted))[order]
        group = None if self.groups is None else np.unique(self.groups[order], return_inverse=True)
        found = []
        for wanted in FEWEST_PARTS * 2 ** np.arange(8):
            if wanted > max(4 * FEWEST_PARTS, n / EACH):
                break
            part = _enough(p, noise, int(wanted))
            count = int(part[-1]) + 1
            if count - taken < 1.0:
                continue
            expected, effect = np.bincount(part, weights=noise), 1.0
            if group is not None:
                _, cell = np.unique(group[1] * count + part, return_inverse=True)
                sums = np.bincount(cell, weights=gap)
                effect = max(float(sums @ sums / expected.sum()), 1.0)
            beyond = float((np.bincount(part, weights=gap) ** 2 / (effect * expected)).sum())
            found.append((float(chdtrc(count - taken, beyond)), count))
        chance, count = min(found, default=(1.0, 0))
        return min(len(found) * chance, 1.0), count


def _enough(p: Floats, noise: Floats, wanted: int) -> Ints:
    """Which of so many parts rising cases are in, each with enough variance and ties together."""
    n = len(p)
    at = np.searchsorted(p, p[np.arange(1, wanted) * n // wanted])
    starts, total = [0], np.append(0.0, np.cumsum(noise))
    for stop in np.unique(at):
        if min(total[stop] - total[starts[-1]], total[n] - total[stop]) >= EXPECTED:
            starts.append(int(stop))
    return np.searchsorted(np.array(starts[1:]), np.arange(n), side="right")


def _taken(smoother: Smoother, p: Floats, width: float) -> float:
    """How many parts of the cases a curve follows by itself: of grades its trace."""
    grades, code = np.unique(p, return_inverse=True)
    if len(grades) > GRADES:
        return TAKEN * SPAN / width
    rows = np.stack([np.bincount(smoother.ordered(code), weights=r) for r in smoother.rows])
    return float((smoother.basis(grades) * rows.T).sum())


UNASKED = (
    "the cases bend too sharply for a wider curve, and too few parts are left to ask whether they "
    "follow this one: its band may cover less than it says."
)


def _not_followed(chance: float, parts: int) -> Advice:
    text = (
        f"the curve is smoother than the cases are ({p_phrase(chance)} of the frequencies in "
        f"{parts} parts of them): where they bend away from it, its band may cover less than "
        "it says. A smaller span follows them."
    )
    return Advice("AC255", text)


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
