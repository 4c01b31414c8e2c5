"""Intervals of recalibration lines: which intercepts and slopes do the outcomes not rule out?"""

from collections.abc import Callable

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.inference.method import Fact, Kind, Takes, checked, declared, limits
from abovechance.inference.results import Interval
from abovechance.measures import Law
from abovechance.numerics.recalibration import (
    Line,
    expit,
    information,
    line,
    line_log_likelihood,
    log_likelihood,
    log_odds,
    shift,
)
from abovechance.predictions import Binary, Numeric, Survival

PARAMETERS = ("in_the_large", "intercept", "slope")
SINGULAR = 1e14  # condition of a matrix that rounding has made
LOPSIDED = 1e12  # condition of a line that hangs on one cluster
FARTHEST = 1e6  # so many times the first step away there is no limit to find


SANDWICH = declared(
    Kind.INTERVAL,
    name="sandwich",
    title="sandwich[ over {clusters} clusters, Student's t]",
    words="the sandwich estimate[ over {clusters} clusters with Student's t]",
    source="bell2002",
    laws=[Law.CALIBRATION],
    allows=[Fact.CLUSTERS],
    takes=Takes.PARTS,
    origin=__name__,
)


def recalibration(
    predictions: Binary, parameter: str = "slope", *, confidence_level: float = 0.95
) -> Interval:
    r"""Profile-likelihood interval of the recalibration line of binary predictions.

    All values θ that a likelihood-ratio test does not reject:
    :math:`2 (\ell(\hat\theta) - \max \ell(\theta)) \le \chi^2_1`, the maximum over the other
    parameter. Where the classes are separated one limit is infinite, and the method says so. With
    groups: the sandwich estimate over clusters and Student's t.

    Parameters
    ----------
    predictions
        Probabilities of two classes, made with `Binary`.
    parameter
        "slope" or "intercept" of the line with both free, or "in_the_large": the intercept with
        the slope kept at 1.
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.

    Returns
    -------
    Interval
        Its limits `low` and `high`, its `level`, and its `method` in words.

    Raises
    ------
    NotApplicable
        For an unknown parameter; for predictions pooled over folds, cases in time order, and
        sampling weights.

    See Also
    --------
    abovechance.significance.likelihood_ratio : the test that goes with it.

    References
    ----------
    Venzon & Moolgavkar (1988); Heinze & Schemper (2002) on separation.

    Examples
    --------
    >>> from abovechance import examples
    >>> print(recalibration(examples.breast_cancer("p_texture")))
    0.624 to 1.046
    """
    if parameter not in PARAMETERS:
        raise NotApplicable(f"parameter must be one of {', '.join(PARAMETERS)}; got {parameter!r}.")
    predictions = checked("recalibration", predictions)
    y, x, weight = _told(predictions)
    if predictions.cases.groups is not None:
        inside = _inside(predictions)
        return _sandwich(y, x, predictions.cases.groups[inside], parameter, confidence_level)
    best, centre, error, profile = _profile(y, x, weight, parameter)
    low, high = _limits(profile, best, centre, error, confidence_level)
    known = {"unbounded": True} if np.isinf(low) or np.isinf(high) else {}
    return limits("recalibration", low, high, confidence_level, **known)


def observed_expected(predictions: Binary, *, confidence_level: float = 0.95) -> Interval:
    r"""Interval of the ratio of observed to expected outcomes.

    On the log scale, with the variance of a ratio of means
    :math:`\sum_i (y_i - R p_i)^2 / (\sum_i y_i)^2`; with groups, of cluster totals.

    Parameters
    ----------
    predictions
        Probabilities of two classes, made with `Binary`.
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.

    Returns
    -------
    Interval
        Its limits `low` and `high`, its `level`, and its `method` in words.

    Raises
    ------
    NotApplicable
        For predictions pooled over folds, cases in time order, and sampling weights.

    See Also
    --------
    recalibration : by how much probabilities are too extreme.
    abovechance.curves.calibration : at every probability.

    References
    ----------
    Cochran (1977), section 6.3.

    Examples
    --------
    >>> from abovechance import examples
    >>> print(observed_expected(examples.breast_cancer("p_texture")))
    0.926 to 1.200
    """
    predictions = checked("observed_expected", predictions)
    assert predictions.probability is not None
    y, p = predictions.positive.astype(np.float64), predictions.probability
    return _log_ratio(y, p, predictions.cases.groups, confidence_level)


def linear_calibration(
    predictions: Numeric, parameter: str = "slope", *, confidence_level: float = 0.95
) -> Interval:
    """Interval of the line of outcomes on predicted numbers, whatever the spread of the errors.

    The sandwich estimate HC3, or CR3 over clusters when there are groups, with Student's t.

    Parameters
    ----------
    predictions
        Predicted numbers, made with `Numeric`.
    parameter
        "slope" or "intercept" of the line.
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.

    Returns
    -------
    Interval
        Its limits `low` and `high`, its `level`, and its `method` in words.

    Raises
    ------
    NotApplicable
        If all predictions are equal, there are fewer than three cases, or the parameter is unknown;
        for predictions pooled over folds, cases in time order, and sampling weights.

    See Also
    --------
    recalibration : for probabilities of two classes.

    References
    ----------
    MacKinnon & White (1985); Bell & McCaffrey (2002) for clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from abovechance import Numeric
    >>> rng = np.random.default_rng(1)
    >>> value = rng.normal(size=200)
    >>> print(linear_calibration(Numeric(0.5 * value + rng.normal(size=200), value)))
    0.412 to 0.668
    """
    predictions = checked("linear_calibration", predictions)
    y, x = predictions.outcome[0], predictions.value[0]
    if x.min() == x.max():
        raise NotApplicable("all predictions are equal, so there is no line and no interval.")
    if len(x) < 3:
        raise NotApplicable("a line through two cases has no errors, so no interval.")
    design = np.stack([np.ones(len(x)), x])
    inner = _inverse(design @ design.T)
    estimate = inner @ (design @ y)
    leverage = np.einsum("in,ij,jn->n", design, inner, design)
    residual = y - estimate @ design
    groups = predictions.cases.groups
    if groups is None:
        with np.errstate(divide="ignore", invalid="ignore"):
            score = design * (residual / (1.0 - leverage))
        freedom, known = len(x) - 2, {"cases": len(x)}
        spread = inner @ (score @ score.T) @ inner
    else:
        spread, units = _over_clusters(design, residual, np.ones(len(x)), groups)
        freedom, known = units - 1, {"clusters": units}
    if parameter not in PARAMETERS[1:]:
        raise NotApplicable(f"parameter must be intercept or slope; got {parameter!r}.")
    at = PARAMETERS.index(parameter) - 1
    error = float(np.sqrt(spread[at, at]))
    return limits(
        "linear_calibration",
        *_student(float(estimate[at]), error, freedom, confidence_level),
        confidence_level,
        **known,
    )


def observed_expected_at(
    predictions: Survival, value: float, time: float, *, confidence_level: float = 0.95
) -> Interval:
    r"""Interval of observed to expected events by a time, the expected number taken as given.

    Greenwood's variance of the Kaplan–Meier estimate, on the scale of log(1 − S).
    """
    at_risk = np.sort(predictions.time)
    happened = np.unique(predictions.time[predictions.event & (predictions.time <= time)])
    deaths = np.array([(predictions.event & (predictions.time == t)).sum() for t in happened])
    left = len(at_risk) - np.searchsorted(at_risk, happened, side="left")
    survived = float(np.prod(1.0 - deaths / left))
    if survived <= 0.0:
        raise NotApplicable("nobody is left at the time, so the spread is not known.")
    spread = survived * np.sqrt(float((deaths / (left * (left - deaths))).sum()))
    half = _normal(confidence_level) * spread / (1.0 - survived)
    low, high = value * np.exp(-half), value * np.exp(half)
    return limits("observed_expected_at", low, high, confidence_level)


def weighted_slope(
    y: Floats, risk: Floats, weight: Floats, *, confidence_level: float = 0.95
) -> Interval:
    """Interval of a recalibration slope of weighted cases, the weights taken as given."""
    inside = (risk > 0.0) & (risk < 1.0)
    x, y, w = log_odds(risk[inside]), y[inside], weight[inside]
    found = line(y, x, w)
    if not np.isfinite(found.slope):
        raise NotApplicable("the slope is not finite, so it has no interval of this kind.")
    at = float(found.intercept) + float(found.slope) * x
    score = np.stack([np.ones(len(x)), x]) * (w * (y - expit(at)))
    inner = _inverse(information(x, at, w))
    error = float(np.sqrt((inner @ (score @ score.T) @ inner)[1, 1]))
    half = _normal(confidence_level) * error
    centre = float(found.slope)
    return limits("sandwich", centre - half, centre + half, confidence_level)


def _profile(
    y: Floats, x: Floats, weight: Floats | None, parameter: str
) -> tuple[float, float, float, Callable[[float], float]]:
    """Greatest log-likelihood, estimate, its standard error, and the log-likelihood elsewhere."""
    if parameter == "in_the_large":
        centre = float(shift(y, x, None, weight))
        finite = np.isfinite(centre)
        best = float(log_likelihood(y, x + centre, weight)) if finite else 0.0
        error = information(x, x + centre, weight)[0, 0] ** -0.5 if finite else 1.0
        return best, centre, error, lambda a: float(log_likelihood(y, x + a, weight))
    found = line(y, x, weight)
    if np.isnan(found.slope):
        raise NotApplicable("the recalibration line is not defined, so it has no interval.")
    best = line_log_likelihood(found, y, x, weight)
    ones = np.ones(len(x))
    if parameter == "slope":
        error = _error(found, x, weight)[1] if np.isfinite(found.slope) else 1.0 / x.std()
        return best, float(found.slope), error, lambda b: _most(y, b * x, ones, weight)
    if np.isinf(found.slope):
        raise NotApplicable("the classes are separated, so the intercept is not defined.")
    error = _error(found, x, weight)[0]
    return best, float(found.intercept), error, lambda a: _most(y, a * ones, x, weight)


def _error(found: Line, x: Floats, weight: Floats | None) -> Floats:
    """Standard errors of intercept and slope."""
    inverse = _inverse(information(x, found.intercept + found.slope * x, weight))
    return np.sqrt(np.diag(inverse))


def _inverse(matrix: Floats) -> Floats:
    """Refused where rounding decides: lines through nearly equal or nearly certain predictions."""
    if not np.isfinite(matrix).all() or np.linalg.cond(matrix) > SINGULAR:
        raise NotApplicable("the cases hardly tell a line apart from others, so no interval.")
    return np.asarray(np.linalg.inv(matrix))


def _most(y: Floats, offset: Floats, direction: Floats, weight: Floats | None) -> float:
    """The greatest log-likelihood along a direction, as a limit if need be."""
    theta = float(shift(y, offset, direction, weight))
    if np.isfinite(theta):
        return float(log_likelihood(y, offset + theta * direction, weight))
    still = direction == 0.0  # only these keep a likelihood below 1 in the limit
    w = None if weight is None else weight[still]
    return float(log_likelihood(y[still], offset[still], w))


def _limits(
    profile: Callable[[float], float], best: float, centre: float, error: float, level: float
) -> tuple[float, float]:
    """Where twice the drop of the log-likelihood reaches the quantile, on both sides."""
    z = _normal(level)

    def beyond(value: float) -> float:
        # its root is nearly a straight line, the drop a parabola: quicker to solve
        return float(np.sqrt(2.0 * max(best - profile(value), 0.0))) - z

    step = 1.2 * z * error
    return _limit(beyond, centre, -step), _limit(beyond, centre, step)


def _limit(beyond: Callable[[float], float], centre: float, step: float) -> float:
    """One limit: steps away from the estimate that double until the drop is large enough."""
    from scipy.optimize import brentq

    if np.isinf(centre):
        if np.sign(centre) == np.sign(step):
            return centre
        near, far = _bracket_from_infinity(beyond, step)
    else:
        near, far, first = centre, centre + step, abs(step)
        while beyond(far) < 0.0:
            near, far, step = far, far + 2.0 * step, 2.0 * step
            if abs(step) > FARTHEST * first:
                return float(np.copysign(np.inf, step))
    return float(brentq(beyond, near, far, xtol=1e-10 * max(abs(step), 1e-3), rtol=1e-12))


def _bracket_from_infinity(beyond: Callable[[float], float], step: float) -> tuple[float, float]:
    """A stretch with the limit in it, when the estimate lies infinitely far on the other side."""
    far, stride = 0.0, abs(step)
    while beyond(far) < 0.0:  # not yet ruled out: further away
        far += np.copysign(stride, step)
        stride *= 2.0
    near, stride = far, abs(step)
    while beyond(near) >= 0.0:
        near -= np.copysign(stride, step)
        stride *= 2.0
    return near, far


def _sandwich(y: Floats, x: Floats, groups: Array, parameter: str, level: float) -> Interval:
    """Student's t with the sandwich estimate over clusters."""
    if parameter == "in_the_large":
        centre = float(shift(y, x))
        design, estimate, at = np.ones((1, len(x))), centre, x + centre
    else:
        found = line(y, x)
        design = np.stack([np.ones(len(x)), x])
        estimate = float(found.slope if parameter == "slope" else found.intercept)
        with np.errstate(invalid="ignore"):  # of a line that is not finite
            at = float(found.intercept) + float(found.slope) * x
    if not np.isfinite(estimate) or not np.isfinite(at).all():
        raise NotApplicable("the recalibration line is not finite; no interval over clusters.")
    chance = expit(at)
    spread, units = _over_clusters(design, y - chance, chance * (1.0 - chance), groups)
    k = 1 if parameter == "slope" else 0
    ends = _student(estimate, float(np.sqrt(spread[k, k])), units - 1, level)
    return limits("sandwich", *ends, level, clusters=units)


def _over_clusters(
    design: Floats, residual: Floats, curvature: Floats, groups: Array
) -> tuple[Floats, int]:
    """Covariance of a line by leaving out each cluster in turn (one step), and their number.

    CR3: plain sums of scores make it too small when clusters are few.
    """
    _, code = np.unique(groups, return_inverse=True)
    units = int(code.max()) + 1
    if units < 2:
        raise NotApplicable("an interval over clusters needs at least two of them.")
    score = _cluster_sums(design * residual, groups).T
    products = (design[:, None] * design[None] * curvature).reshape(-1, len(code))
    own = _cluster_sums(products, groups).T.reshape(units, len(design), len(design))
    left = own.sum(axis=0) - own
    if (np.linalg.cond(left) > LOPSIDED).any():
        raise NotApplicable("without one of the clusters there is no line, so no interval either.")
    moved = np.linalg.solve(left, score[..., None])[..., 0]
    return np.asarray((units - 1) / units * moved.T @ moved), units


def _log_ratio(y: Floats, p: Floats, groups: Array | None, level: float) -> Interval:
    if y.sum() == 0 or p.sum() == 0:
        raise NotApplicable("nothing was observed or expected, so the ratio has no interval.")
    ratio = float(y.sum() / p.sum())
    residual = y - ratio * p
    if groups is not None:
        residual = _cluster_sums(residual[None], groups)[0]
    units = len(residual)
    if units < 2:
        raise NotApplicable("an interval needs at least two cases or clusters.")
    error = np.sqrt(units / (units - 1) * float((residual**2).sum())) / float(y.sum())
    low, high = np.exp(_student(np.log(ratio), error, units - 1, level))
    known = {"cases": units} if groups is None else {"clusters": units}
    return limits("observed_expected", low, high, level, **known)


def _cluster_sums(scores: Floats, groups: Array) -> Floats:
    _, code = np.unique(groups, return_inverse=True)
    return np.stack([np.bincount(code, weights=row) for row in scores])


def _student(centre: float, error: float, freedom: int, level: float) -> tuple[float, float]:
    from scipy.special import stdtrit

    half = float(stdtrit(freedom, 0.5 + level / 2.0)) * error
    if not np.isfinite(half):
        raise NotApplicable("the spread is not known with so few cases.")
    if half <= 1e-12 * max(abs(centre), 1.0):
        raise NotApplicable("the cases show no spread: every one lies on the line.")
    return centre - half, centre + half


def _normal(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2.0))


def _inside(predictions: Binary) -> Array:
    assert predictions.probability is not None
    return (predictions.probability > 0.0) & (predictions.probability < 1.0)


def _told(predictions: Binary) -> tuple[Floats, Floats, Floats | None]:
    """Outcomes, log odds and counts of the cases that tell about a line."""
    p, y = predictions.probability, predictions.positive
    assert p is not None
    if np.where(y, p == 0.0, p == 1.0).any():
        raise NotApplicable("something of predicted probability 0 happened: no line, no interval.")
    inside = _inside(predictions)
    if not inside.any():
        raise NotApplicable("every probability is 0 or 1, which says nothing about a line.")
    weight = None if predictions.weight is None else predictions.weight[inside]
    return y[inside].astype(np.float64), log_odds(p[inside]), weight
