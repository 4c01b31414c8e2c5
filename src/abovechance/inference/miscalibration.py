"""The law of calibration: intervals of recalibration lines, and tests of probabilities."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any, cast

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import NotApplicable
from abovechance.format import number, signed
from abovechance.inference import miscalibration as lines
from abovechance.inference.bootstrap import (
    LEAST_FREEDOM,
    freedom_of,
    freedom_over_classes,
    refuse_one_class,
)
from abovechance.inference.confusion_tables import alike
from abovechance.inference.method import (
    Fact,
    Kind,
    Takes,
    answer,
    checked,
    declared,
    facts_of,
    first_of,
    interval,
    limits,
    suited,
    test,
)
from abovechance.inference.permutation import affordable_draws, null_of
from abovechance.inference.results import Interval, Result, Test
from abovechance.measures import Calibration, Law, Measure, applicable, every, find
from abovechance.measures.calibration import decile_groups, distance_of, kept_line, kept_shift
from abovechance.measures.evaluation import fit
from abovechance.measures.sample import Sample, evaluate
from abovechance.numerics.exact import critical_value, never_zero
from abovechance.numerics.recalibration import (
    Line,
    expit,
    free_intercept,
    free_slope,
    information,
    line,
    line_log_likelihood,
    log_likelihood,
    log_odds,
    parts,
    shift,
)
from abovechance.numerics.roots import crossing
from abovechance.numerics.smooth import Smoother
from abovechance.predictions import Binary, Multiclass, Numeric, Survival
from abovechance.resampling import seed_of, tail
from abovechance.settings import Settings

# ----------------------------------------------------------------------------------------------
# The interval that an assessment has first, as groups, weights and sampling change it.
# ----------------------------------------------------------------------------------------------


def _of_the_line(measure: Measure, predictions: Any, facts: frozenset[Fact] = frozenset()) -> bool:
    """Whether a measure is the aspect of calibration it declares, not that in other units."""
    if measure.calibration is None:
        return False
    declared = (m for m in every().values() if m.calibration is measure.calibration)
    if any(m.for_outcome(predictions.kind).formula is measure.formula for m in declared):
        return True
    value = measure.of(predictions)
    known = (m for m in applicable(predictions) if m.calibration is measure.calibration)
    return any(bool(np.isclose(m.of(predictions), value, rtol=1e-9)) for m in known)


def _line_of_classes(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    line = (Calibration.LEVEL, Calibration.INTERCEPT, Calibration.SLOPE)
    return measure.calibration in line and _of_the_line(measure, predictions)


@interval(
    name="recalibration",
    title="robust profile likelihood[, Student's t with {df:.0f} df][, sampling weights{weights}]"
    "[, weights for censoring{censoring}][, unbounded on one side{unbounded}]",
    words="the profile likelihood, adjusted for misfit[ and sampling weights{weights}]"
    "[ and weights for censoring{censoring}]"
    "[, with Student's t for the few cases in doubt, {df:.0f} degrees of freedom]"
    "[, unbounded on one side{unbounded}]",
    source=("venzon1988", "royall2003"),
    default=[Law.CALIBRATION],
    allows=[Fact.CLUSTERS, Fact.WEIGHTS],
    outcomes=["binary", "multiclass"],
    fits=_line_of_classes,
    otherwise="observed_expected",
)
def interval_of_recalibration(measure: Measure, predictions: Any, settings: Settings) -> Interval:
    """Profile likelihood of the recalibration line."""
    aspect = measure.calibration
    parameter = "in_the_large" if aspect is Calibration.LEVEL else str(aspect)
    return lines.recalibration(predictions, parameter, confidence_level=settings.level)


def _ratio_of_classes(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    return measure.calibration is Calibration.RATIO and _of_the_line(measure, predictions)


@interval(
    name="observed_expected",
    heading="Student's t on the log scale",
    title="log scale[, t over {cases} cases][, t over {clusters} clusters]",
    words="Student's t on the log scale[ over {cases} cases][ over {clusters} clusters]",
    source="cochran1977",
    laws=[Law.CALIBRATION],
    allows=[Fact.CLUSTERS],
    outcomes=["binary", "multiclass"],
    fits=_ratio_of_classes,
    otherwise="linear_calibration",
)
def interval_of_ratio(measure: Measure, predictions: Any, settings: Settings) -> Interval:
    """Observed to expected outcomes, on the log scale."""
    return lines.observed_expected(predictions, confidence_level=settings.level)


@interval(
    name="linear_calibration",
    title="sandwich[ HC3{cases:?}][ over {clusters} clusters], Student's t",
    words="the sandwich estimate[ HC3{cases:?}][ over {clusters} clusters] with Student's t",
    source=("[{cases:?}mackinnon1985]", "[{clusters:?}bell2002]"),
    laws=[Law.CALIBRATION],
    allows=[Fact.CLUSTERS],
    outcomes=["numeric"],
    fits=_of_the_line,
    otherwise="observed_expected_at",
)
def interval_of_linear_calibration(
    measure: Measure, predictions: Any, settings: Settings
) -> Interval:
    """The line of outcomes on predicted numbers."""
    aspect = str(measure.calibration)
    return lines.linear_calibration(predictions, aspect, confidence_level=settings.level)


@interval(
    name="observed_expected_at",
    title="Greenwood, log scale",
    words="Greenwood's variance on the log scale",
    source="greenwood1926",
    laws=[Law.CALIBRATION],
    allows=[Fact.CLUSTERS],  # to be refused there: nothing stands in for it
    outcomes=["survival"],
    fits=_of_the_line,
    otherwise="studentised_bootstrap",
)
def at_horizon(measure: Measure, predictions: Survival, settings: Settings) -> Interval:
    """Calibration at a time: observed to expected events, or the slope of weighted cases."""
    from abovechance.measures.survival import at_horizon

    if predictions.weight is not None or predictions.cases.groups is not None:
        raise NotApplicable(f"{measure.title} has an interval for independent cases only.")
    level = settings.level
    known = at_horizon(predictions, measure.parameters["t"])
    if measure.calibration is Calibration.RATIO:
        value = measure.of(predictions)
        return lines.observed_expected_at(predictions, value, known.time, confidence_level=level)
    seen = known.weight > 0
    outcome = known.happened[seen].astype(np.float64)
    return lines.weighted_slope(
        outcome, known.risk[seen], known.weight[seen], confidence_level=level
    )


def has_interval(measure: Measure) -> bool:
    """Whether a measure has an interval at all: calibration distances and statistics have not."""
    if measure.law is not Law.CALIBRATION:
        return True
    return measure.calibration not in (None, Calibration.DISTANCE, Calibration.SCORE)


def depends_on_size(measure: Measure) -> bool:
    """Whether the expected value changes with the number of cases alone.

    Chance makes distances and largest values greater than they are, the more so the fewer the
    cases; test statistics grow with the cases. Values of samples of different sizes then differ
    although the models do not: equal expected calibration errors of 1174 and 2348 cases were told
    apart in .18 of samples.
    """
    return measure.extreme or not has_interval(measure)


# ----------------------------------------------------------------------------------------------
# Intervals of recalibration lines: which intercepts and slopes do the outcomes not rule out?
# ----------------------------------------------------------------------------------------------


PARAMETERS = ("in_the_large", "intercept", "slope")
SINGULAR = 1e14  # condition of a matrix that rounding has made
LOPSIDED = 1e12  # condition of a line that hangs on one cluster
LEVERAGE = 0.99  # of a case that holds its line alone: left out, there is nothing to compare with
HELD = 1e-9  # of leverage: a line that one case holds, but for rounding
OPEN = 1e300  # a slope beyond it is as good as infinite
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
    :math:`2 (\ell(\hat\theta) - \max \ell(\theta)) \le \lambda \chi^2_1`, the maximum over the
    other parameter. λ is by how much the sandwich variance (HC3) exceeds the likelihood's, and at
    least 1: where the line does not fit (an intercept whose slope is kept at 1 though the
    probabilities are too extreme), the likelihood alone claims too much. Where the classes are
    separated one limit is infinite, and the method says so. With sampling weights: the weighted
    likelihood of as many cases as they are worth, λ by weighted scores, and Student's t. With
    groups: the sandwich estimate over clusters and Student's t. The quantile of a slope is
    Student's where fewer than 60 cases of even odds would say as much,
    :math:`4 \sum_i p_i (1 - p_i)`, with two degrees of freedom less, and at least three.

    Parameters
    ----------
    predictions
        Probabilities of two classes, made with `Binary`.
    parameter
        "slope" or "intercept" of the line with both free, or "in_the_large": the intercept with
        the slope kept at 1.

    Raises
    ------
    NotApplicable
        For an unknown parameter; for predictions pooled over folds and cases in time order.

    See Also
    --------
    abovechance.significance.likelihood_ratio : the test that goes with it.

    References
    ----------
    Venzon & Moolgavkar (1988); Royall & Tsou (2003) on misfit; Heinze & Schemper (2002) on
    separation.

    Examples
    --------
    >>> from abovechance import examples
    >>> print(recalibration(examples.breast_cancer("p_texture")))
    0.624 to 1.046
    """
    if parameter not in PARAMETERS:
        raise NotApplicable(f"parameter must be one of {', '.join(PARAMETERS)}; got {parameter!r}.")
    predictions = checked("recalibration", predictions)
    y, x, weight = _informative(predictions)
    if predictions.cases.groups is not None:
        refuse_one_class("the recalibration line", predictions)
        groups = predictions.cases.groups[_inside(predictions)]
        return _sandwich(_Fits(y, x, weight), groups, parameter, confidence_level)
    return _profiled(_Fits.of(predictions, y, x, _worth(weight)), parameter, confidence_level)


def _worth(weight: Floats | None) -> Floats | None:
    """Weights whose sum is how many cases they are worth; none where all are alike."""
    if weight is None or alike(weight):
        return None
    return weight * (weight.sum() / (weight @ weight))


def _profiled(fits: "_Fits", parameter: str, level: float, weights: str = "weights") -> Interval:
    """What the likelihood does not rule out, with Student's t where few cases tell."""
    known: dict[str, Any] = {}
    quantile = critical_value(level)
    if fits.weight is not None:
        known[weights] = True
        quantile = critical_value(level, max(float(fits.weight.sum()) - 1.0, 1.0))
    doubtful = _doubtful(fits.x, fits.weight)
    if parameter == "slope" and doubtful < ENOUGH_DOUBT:
        known["df"] = max(doubtful - 2.0, LEAST_FREEDOM)
        quantile = max(quantile, critical_value(level, known["df"]))
    best, centre, error, profile = _profile(fits, parameter)
    found = _by_sandwich(fits, parameter)
    reach = quantile * max(1.0, found.times)
    if fits.weight is not None:  # that go with the class are worth more cases than their sum says
        own = max(quantile, critical_value(level, found.freedom))
        reach = min(reach, own * max(found.fitting, found.times))
    low, high = _limits(profile, best, centre, error, reach)
    if np.isinf(low) or np.isinf(high):
        known["unbounded"] = True
    return limits("recalibration", low, high, level, **known)


ENOUGH_DOUBT = 60.0  # cases of even odds, from which Student's t is nearly normal


def _doubtful(x: Floats, weight: Floats | None) -> float:
    """How many cases of even odds would say as much of a slope as these do.

    Of probabilities near 0 and 1 few cases do, however many there are: with the normal quantile
    slopes of 20 to 60 cases, nearly separated or few of one class, covered .77 to .90.
    """
    return float(4.0 * information(x, 0.0, 1.0, weight)[0, 0])


def observed_expected(predictions: Binary, *, confidence_level: float = 0.95) -> Interval:
    r"""Interval of the ratio of observed to expected outcomes.

    On the log scale, with the variance of a ratio of means
    :math:`\sum_i (y_i - R p_i)^2 / (\sum_i y_i)^2`; with groups, of cluster totals.

    Parameters
    ----------
    predictions
        Probabilities of two classes, made with `Binary`.

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
    y, p = predictions.positive.astype(np.float64), _probability(predictions)
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
    if leverage.max() >= 1.0 - HELD:
        raise NotApplicable(
            "one case alone is predicted otherwise than all the rest and decides the line, so "
            "nothing says how it varies."
        )
    if groups is None:
        score = design * (residual / (1.0 - leverage))
        freedom, known = len(x) - 2, {"cases": len(x)}
        spread = inner @ (score @ score.T) @ inner
    else:
        moved = _over_clusters(design, residual, np.ones(len(x)), groups)
        spread, units = moved.T @ moved, len(moved)
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
    if survived >= 1.0:
        raise NotApplicable("nobody had the event by the time, so the spread is not known.")
    spread = survived * np.sqrt(float((deaths / (left * (left - deaths))).sum()))
    half = critical_value(confidence_level) * spread / (1.0 - survived)
    low, high = value * np.exp(-half), value * np.exp(half)
    return limits("observed_expected_at", low, high, confidence_level)


def weighted_slope(
    y: Floats, risk: Floats, weight: Floats, *, confidence_level: float = 0.95
) -> Interval:
    """Interval of a recalibration slope of weighted cases, as that of `recalibration`.

    The weights are taken as given; where all are alike nothing is weighted.
    """
    if np.where(y == 1.0, risk == 0.0, risk == 1.0).any():
        raise NotApplicable("something of predicted probability 0 happened: no line, no interval.")
    inside = (risk > 0.0) & (risk < 1.0)
    fits = _Fits(y[inside], log_odds(risk[inside]), _worth(weight[inside]))
    return _profiled(fits, "slope", confidence_level, "censoring")


@dataclass(frozen=True, eq=False)
class _Fits:
    """The cases that tell about a line, and what is fitted to them, once."""

    y: Floats
    x: Floats
    weight: Floats | None
    predictions: Binary | None = None  # whose line is kept, where cases count one each

    @classmethod
    def of(cls, predictions: Binary, y: Floats, x: Floats, weight: Floats | None) -> "_Fits":
        """Those of predictions, kept with them."""
        key = "recalibration fits"
        made = cls(y, x, weight, predictions if predictions.weight is None else None)
        return cast(_Fits, predictions.once(key, lambda: made))

    @cached_property
    def line(self) -> Line:
        if self.predictions is not None:
            return kept_line(self.predictions)
        return line(self.y, self.x, self.weight)

    @cached_property
    def shift(self) -> float:
        if self.predictions is not None:
            return kept_shift(self.predictions)
        return float(shift(self.y, self.x, None, self.weight))

    @cached_property
    def at_line(self) -> float:
        """The greatest log-likelihood of any line."""
        return line_log_likelihood(self.line, self.y, self.x, self.weight)

    @cached_property
    def at_shift(self) -> float:
        """The greatest log-likelihood of a line of slope 1."""
        if np.isinf(self.shift):
            return 0.0
        return float(log_likelihood(self.y, self.x, self.weight, self.shift))


def _profile(fits: _Fits, parameter: str) -> tuple[float, float, float, Callable[[float], float]]:
    """Greatest log-likelihood, estimate, its standard error, and the log-likelihood elsewhere."""
    y, x, weight = fits.y, fits.x, fits.weight
    if parameter == "in_the_large":
        centre = fits.shift
        finite = np.isfinite(centre)
        error = information(x, centre, 1.0, weight)[0, 0] ** -0.5 if finite else 1.0
        return fits.at_shift, centre, error, lambda a: float(log_likelihood(y, x, weight, a))
    intercept, slope = (float(part) for part in fits.line)
    if np.isnan(slope):
        raise NotApplicable("the recalibration line is not defined, so it has no interval.")
    if np.isinf(slope):
        if parameter == "intercept":
            raise NotApplicable("the classes are separated, so the intercept is not defined.")
        return fits.at_line, slope, 1.0 / float(x.std()), partial(_most, fits, "slope", 0.0, 0.0)
    spread = _inverse(information(x, intercept, slope, weight))
    k = PAIR.index(parameter)
    centre, other = (intercept, slope) if k == 0 else (slope, intercept)
    tilt = float(spread[0, 1] / spread[k, k])  # how the other goes along, were it a parabola
    seek = partial(_most, fits, parameter, other - tilt * centre, tilt)
    return fits.at_line, centre, float(np.sqrt(spread[k, k])), seek


PAIR = ("intercept", "slope")


def _inverse(matrix: Floats) -> Floats:
    """Refused where rounding decides: lines through nearly equal or nearly certain predictions."""
    if not np.isfinite(matrix).all() or np.linalg.cond(matrix) > SINGULAR:
        raise NotApplicable("the cases hardly tell a line apart from others, so no interval.")
    return np.asarray(np.linalg.inv(matrix))


def _most(fits: _Fits, parameter: str, start: float, tilt: float, value: float) -> float:
    """The greatest log-likelihood of a line with one parameter given, as a limit if need be.

    The other one is sought from `start` + `tilt` · value on.
    """
    y, x, weight = fits.y, fits.x, fits.weight
    seek = free_intercept if parameter == "slope" else free_slope
    theta = seek(y, x, value, weight, start + tilt * value)
    if np.isfinite(theta):
        at = (theta, value) if parameter == "slope" else (value, theta)
        return float(log_likelihood(y, x, weight, *at))
    if parameter == "slope":
        return 0.0
    still = x == 0.0  # only these keep a likelihood below 1 in the limit
    w = None if weight is None else weight[still]
    return float(log_likelihood(y[still], x[still], w, value))


@dataclass(frozen=True)
class _Sandwich:
    """Standard error of a parameter by the sandwich HC3, beside that of its likelihood.

    Where the line does not fit, or cases weigh differently, the drop of the likelihood is that
    ratio squared times chi-squared.
    """

    times: float
    fitting: float = 1.0  # the same of a line that fits, with weights that go with the class
    freedom: float = np.inf  # degrees of freedom of its spread, where cases weigh


def _by_sandwich(fits: _Fits, parameter: str) -> _Sandwich:
    alone = parameter == "in_the_large"
    intercept, slope = (fits.shift, 1.0) if alone else (float(part) for part in fits.line)
    if not (np.isfinite(intercept) and np.isfinite(slope)):
        return _Sandwich(1.0)  # separated: the likelihood is all there is
    size, k = (1 if alone else 2), (1 if parameter == "slope" else 0)
    inner = _inverse(information(fits.x, intercept, slope, fits.weight)[:size, :size])
    square = fourth = expected = 0.0
    classes = None if fits.weight is None else _OfClasses.of(fits.y == 1.0, fits.weight)
    for some in parts(len(fits.x)):
        x = fits.x[some]
        p, w = expit(intercept + slope * x), 1.0 if fits.weight is None else fits.weight[some]
        design = np.stack([np.ones(len(x)), x])[:size]
        lever = np.einsum("in,in->n", inner @ design, design) * w * p * (1.0 - p)
        moves = inner[k] @ design
        squares = (moves * w * (fits.y[some] - p) / (1.0 - np.minimum(lever, LEVERAGE))) ** 2
        square, fourth = square + float(squares.sum()), fourth + float(squares @ squares)
        if classes is not None:
            expected += float(moves**2 @ classes.expected(p))
    times = float(np.sqrt(square / inner[k, k]))
    if classes is None or square == 0.0:
        return _Sandwich(times)
    units = len(fits.x)
    freedom = 2.0 * units / max(units * fourth / square**2 - 1.0, 1e-9)
    least = min(float(np.sqrt(expected / inner[k, k])), 1.0)
    return _Sandwich(
        times,
        1.0 - classes.explained * (1.0 - least),
        min(max(freedom, LEAST_FREEDOM), units - 1.0),
    )


@dataclass(frozen=True)
class _OfClasses:
    """Weights beside the classes: means, and those of squares, of negatives and positives."""

    mean: tuple[float, float]
    square: tuple[float, float]
    explained: float  # share of the weights' variance that is between the classes

    @classmethod
    def of(cls, positive: Bools, weight: Floats) -> "_OfClasses":
        """A class without cases is taken to weigh as the other does."""
        held = [weight[side] if side.any() else weight for side in (~positive, positive)]
        mean = [float(w.mean()) for w in held]
        within = float(((weight - np.where(positive, mean[1], mean[0])) ** 2).mean())
        explained = 1.0 - within / spread if (spread := float(weight.var())) > 0.0 else 0.0
        square = [float((w**2).mean()) for w in held]
        return cls((mean[0], mean[1]), (square[0], square[1]), explained)

    def expected(self, p: Floats) -> Floats:
        """Mean squares of weighted residuals of cases with these probabilities.

        A class that weighs less was sampled more often, so that it is met more often here.
        """
        positive, negative = p / self.mean[1], (1.0 - p) / self.mean[0]
        found = positive * self.square[1] * (1.0 - p) ** 2 + negative * self.square[0] * p**2
        return np.asarray(found / (positive + negative), dtype=np.float64)


def _fitted(fits: _Fits, parameter: str) -> tuple[Floats, Floats]:
    """What a recalibration multiplies, and the log odds that it ends with."""
    x = fits.x
    if parameter == "in_the_large":
        return np.ones((1, len(x))), x + fits.shift
    found = fits.line
    with np.errstate(invalid="ignore"):  # of a line that is not finite
        at = float(found.intercept) + float(found.slope) * x
    return np.stack([np.ones(len(x)), x]), at


def _limits(
    profile: Callable[[float], float], best: float, centre: float, error: float, z: float
) -> tuple[float, float]:
    """Where the root of twice the log-likelihood's drop reaches a quantile, on both sides."""

    @cache
    def beyond(value: float) -> float:
        # its root is nearly a straight line, the drop a parabola: quicker to solve
        if value == centre:
            return -z
        return float(np.sqrt(2.0 * max(best - profile(value), 0.0))) - z

    step = 1.2 * z * error
    return _limit(beyond, centre, -step), _limit(beyond, centre, step)


def _limit(beyond: Callable[[float], float], centre: float, step: float) -> float:
    """One limit: steps away from the estimate that double until the drop is large enough."""

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
    return float(crossing(beyond, near, far, xtol=1e-10 * max(abs(step), 1e-3), rtol=1e-12))


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
        if stride > OPEN:
            raise NotApplicable("the predictions hardly differ, so the limits are not known.")
    return near, far


def _sandwich(fits: _Fits, groups: Array, parameter: str, level: float) -> Interval:
    """Student's t with the sandwich estimate over clusters."""
    design, at = _fitted(fits, parameter)
    if parameter == "in_the_large":
        estimate = fits.shift
    else:
        estimate = float(fits.line.slope if parameter == "slope" else fits.line.intercept)
    if not np.isfinite(estimate) or not np.isfinite(at).all():
        raise NotApplicable("the recalibration line is not finite; no interval over clusters.")
    chance, w = expit(at), 1.0 if fits.weight is None else fits.weight
    moved = _over_clusters(design, w * (fits.y - chance), w * chance * (1.0 - chance), groups)
    own = moved[:, 1 if parameter == "slope" else 0]
    freedom = min(freedom_of(own), freedom_over_classes(own, groups, fits.y))
    ends = _student(estimate, float(np.sqrt(own @ own)), freedom, level)
    return limits("sandwich", *ends, level, clusters=len(own))


def _over_clusters(design: Floats, residual: Floats, curvature: Floats, groups: Array) -> Floats:
    """How much each cluster moves a line that is fitted without it (one step), a row per cluster.

    CR3: their squares sum to its covariance. Plain scores make it too small when clusters are few.
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
    return np.asarray(np.sqrt((units - 1) / units) * moved)


def _log_ratio(y: Floats, p: Floats, groups: Array | None, level: float) -> Interval:
    if y.sum() == 0 or p.sum() == 0:
        raise NotApplicable("nothing was observed or expected, so the ratio has no interval.")
    with np.errstate(over="ignore"):
        ratio = float(y.sum() / p.sum())
    if np.isinf(ratio):
        raise NotApplicable("hardly anything was expected, so the ratio has no interval.")
    residual = y - ratio * p
    if groups is not None:
        residual = _cluster_sums(residual[None], groups)[0]
    units = len(residual)
    if units < 2:
        raise NotApplicable("an interval needs at least two cases or clusters.")
    error = np.sqrt(units / (units - 1) * float((residual**2).sum())) / float(y.sum())
    with np.errstate(over="ignore"):  # of two cases a limit may be infinite
        low, high = np.exp(_student(np.log(ratio), error, units - 1, level))
    known = {"cases": units} if groups is None else {"clusters": units}
    return limits("observed_expected", low, high, level, **known)


def _cluster_sums(scores: Floats, groups: Array) -> Floats:
    _, code = np.unique(groups, return_inverse=True)
    return np.stack([np.bincount(code, weights=row) for row in scores])


def _student(centre: float, error: float, freedom: float, level: float) -> tuple[float, float]:
    half = critical_value(level, freedom) * error
    if not np.isfinite(half):
        raise NotApplicable("the spread is not known with so few cases.")
    if half <= 1e-12 * max(abs(centre), 1.0):
        raise NotApplicable("the cases show no spread: every one lies on the line.")
    return centre - half, centre + half


def _inside(predictions: Binary) -> Array:
    p, weight = _probability(predictions), predictions.weight
    inside = (p > 0.0) & (p < 1.0)
    return inside if weight is None else inside & (weight > 0.0)


def _probability(predictions: Binary) -> Floats:
    if predictions.probability is None:
        raise NotApplicable("calibration needs predicted probabilities; there are none here.")
    return predictions.probability


def _informative(
    predictions: Binary,
    impossible: str = "no line, no interval.",
    certain: str = "every probability is 0 or 1, which says nothing about a line.",
) -> tuple[Floats, Floats, Floats | None]:
    """Outcomes, log odds and counts of the cases that tell about a line."""
    p, y = _probability(predictions), predictions.positive
    if np.where(y, p == 0.0, p == 1.0).any():
        raise NotApplicable(f"something of predicted probability 0 happened: {impossible}")
    inside = _inside(predictions)
    if not inside.any():
        raise NotApplicable(certain)
    weight = None if predictions.weight is None else predictions.weight[inside]
    found: tuple[Floats, Floats] = predictions.once(
        "informative", lambda: (y[inside].astype(np.float64), log_odds(p[inside]))
    )
    return *found, weight


# ----------------------------------------------------------------------------------------------
# Did outcomes happen as often as predicted? Tests of the hypothesis that probabilities are right.
#
# The hypothesis is Y ~ Bernoulli(p), case by case and independently: it says everything about the
# outcomes, so what any calibration error would be under it can be simulated.
# ----------------------------------------------------------------------------------------------


RIGHT = "outcomes happen with the predicted probabilities, independently"
DRAWS = 999
PLACES = 250  # where a curve is compared with the diagonal when there are more cases
LINE_OF = {  # what of the recalibration line a measure's test asks
    Calibration.INTERCEPT: "intercept",
    Calibration.SLOPE: "slope",
    Calibration.LEVEL: "in_the_large",
    Calibration.RATIO: "in_the_large",
    Calibration.DIFFERENCE: "in_the_large",
}


@dataclass(frozen=True, kw_only=True)
class CalibrationError(Result, kind="calibration_error"):
    """A calibration error beside what chance alone makes of right probabilities.

    `debiased` is the value less what is expected of right probabilities; it may be negative.
    """

    measure: str
    value: float
    expected: float
    debiased: float
    test: Test

    def __str__(self) -> str:
        return f"{self.measure} {self.value:.3f}; {remark(self)}; {self.test}"


def remark(error: CalibrationError) -> str:
    """Value and expectation in words."""
    return f"{number(error.expected)} expected if right; excess {signed(error.debiased)}"


def calibration(
    predictions: Binary | Multiclass,
    measure: Measure | str = "ece",
    *,
    draws: int = DRAWS,
    rng: Any = None,
    workers: int = 1,
) -> CalibrationError:
    """Test whether probabilities are right, by a calibration error.

    Outcomes are simulated from the probabilities, and the error of the observed ones is compared
    with theirs. There is no interval: resampling cases always gives distances greater than 0, so
    that limits would never cover a true value of 0.

    Parameters
    ----------
    predictions
        Probabilities of classes, made with `Binary` or `Multiclass`.
    measure
        A calibration error or its name: "ece", "mce", "ici", "brier_miscalibration", …
    draws
        Number of simulated samples; 999 unless stated.

    Returns
    -------
    CalibrationError
        The observed `value`, the one `expected` if probabilities are right, and the `test`.

    Raises
    ------
    NotApplicable
        If the measure cannot be simulated or is undefined here; for predictions pooled over folds,
        cases in time order, clusters and sampling weights.

    See Also
    --------
    likelihood_ratio : of the recalibration line; more powerful where probabilities are too extreme.
    abovechance.curves.calibration : where probabilities are wrong, and how far.

    References
    ----------
    Bröcker & Smith (2007), Increasing the reliability of reliability diagrams.

    Examples
    --------
    >>> from abovechance import examples
    >>> found = calibration(examples.breast_cancer("p_texture"), "ece", rng=1)
    >>> found.value, found.expected, found.test.p_value
    (0.082, 0.055, 0.025)
    """
    chosen = find(measure) if isinstance(measure, str) else measure
    chosen = fit(chosen, predictions)
    settings = Settings(draws=draws, seed=seed_of(rng), workers=workers)
    found = simulated(predictions, [chosen], settings)
    if chosen.label not in found:
        raise NotApplicable(f"{chosen.title} cannot be simulated or is undefined here.")
    return found[chosen.label]


def likelihood_ratio(predictions: Binary, hypothesis: str = "line") -> Test:
    """Test whether probabilities are right, by the line that would recalibrate them.

    Parameters
    ----------
    predictions
        Probabilities of two classes, made with `Binary`.
    hypothesis
        "line": intercept 0 and slope 1, both at once; "in_the_large": intercept 0, the slope being
        1; "slope": slope 1, whatever the intercept; "intercept": intercept 0, whatever the slope.

    Raises
    ------
    NotApplicable
        For an unknown hypothesis, or where the line is not defined: all probabilities equal, or the
        classes separated; for predictions pooled over folds, cases in time order, clusters and
        sampling weights.

    See Also
    --------
    abovechance.intervals.recalibration : the interval that goes with it.

    References
    ----------
    Cox (1958); Miller, Hui & Tierney (1991).

    Examples
    --------
    >>> from abovechance import examples
    >>> likelihood_ratio(examples.breast_cancer("p_texture")).p_value
    0.203
    """
    from scipy.special import chdtrc

    words = {
        "line": "intercept 0 and slope 1 of the recalibration line",
        "in_the_large": "intercept 0 where the slope is 1",
        "slope": "slope 1 of the recalibration line, whatever its intercept",
        "intercept": "intercept 0 of the recalibration line, whatever its slope",
    }
    if hypothesis not in words:
        raise NotApplicable(f"hypothesis must be one of {', '.join(words)}; got {hypothesis!r}.")
    predictions = _checked(predictions, "likelihood_ratio")
    y, x, weight = _informative(
        predictions,
        "that refutes them.",
        "every probability is 0 or 1 and came true; there is nothing to test.",
    )
    fits = _Fits.of(predictions, y, x, weight)
    at = {"shifted": fits.at_shift}
    if hypothesis in ("line", "in_the_large"):
        at["given"] = float(log_likelihood(y, x, weight))
    if hypothesis != "in_the_large":
        if np.isnan(fits.line.slope):
            raise NotApplicable("the recalibration line is not defined here, so it is not tested.")
        at["free"] = fits.at_line
    if hypothesis == "intercept":
        if np.isinf(fits.line.slope):
            raise NotApplicable("the classes are separated, so the intercept is not defined.")
        turned = free_slope(y, x, 0.0, weight)
        at["turned"] = float(log_likelihood(y, x, weight, 0.0, turned))
    lower, upper, df = {
        "line": ("given", "free", 2),
        "in_the_large": ("given", "shifted", 1),
        "slope": ("shifted", "free", 1),
        "intercept": ("turned", "free", 1),
    }[hypothesis]
    statistic = max(0.0, 2.0 * (at[upper] - at[lower]))
    return answer(
        "likelihood_ratio",
        statistic=statistic,
        p_value=never_zero(chdtrc(df, statistic)),
        alternative="two-sided",
        hypothesis=words[hypothesis],
        df=df,
    )


@test(
    title="Hosmer–Lemeshow[, χ² on {df} df]",
    words="Hosmer and Lemeshow's test[ (χ² on {df} df)]",
    source="hosmer1980",
    hypothesis=RIGHT,
    laws=[Law.CALIBRATION],
    takes=Takes.PARTS,
)
def hosmer_lemeshow(
    predictions: Binary,
    *,
    groups: int = 10,
    fitted: bool = False,
    method: str = "simulated",
    draws: int = DRAWS,
    rng: Any = None,
) -> Test:
    """Hosmer and Lemeshow's test whether probabilities are right, in groups of rising probability.

    Parameters
    ----------
    predictions
        Probabilities of two classes, made with `Binary`.
    groups
        Number of groups; 10 unless stated.
    fitted
        Whether a logistic model was fitted to these very cases; False for predictions of new ones.
    method
        "simulated": outcomes are drawn from the probabilities; "chi2": χ² on as many degrees of
        freedom as there are groups, which rejects right probabilities too often where a group
        expects few events. For fitted cases, which the model has followed, it is χ² on two degrees
        of freedom fewer.
    draws
        Number of simulated samples; 999 unless stated.

    Raises
    ------
    NotApplicable
        For an unknown method, or when the groups leave no degree of freedom; for predictions pooled
        over folds, cases in time order, clusters and sampling weights.

    See Also
    --------
    likelihood_ratio : does not depend on groups.

    References
    ----------
    Hosmer & Lemeshow (1980); Hosmer, Lemeshow & Sturdivant (2013), section 5.2.

    Examples
    --------
    >>> from abovechance import examples
    >>> hosmer_lemeshow(examples.breast_cancer("p_texture"), rng=1).p_value
    0.15
    """
    from scipy.special import chdtrc

    predictions = _checked(predictions, "hosmer_lemeshow")
    probability = _probability(predictions)
    measure = find("hosmer_lemeshow").with_parameters(groups=groups)
    statistic = measure.of(predictions)
    common: dict[str, Any] = {
        "statistic": statistic,
        "alternative": "greater",
        "hypothesis": RIGHT,
    }
    if method not in ("simulated", "chi2"):
        raise NotApplicable(f"method must be 'simulated' or 'chi2'; got {method!r}.")
    if method == "simulated" and not fitted:
        settings = Settings(draws=draws, seed=seed_of(rng))
        null = null_of(_Simulated(predictions, (measure,)), settings, draws, predictions.n)
        found = tail(statistic, null[measure.label])
        return answer("calibration", **common, p_value=found.p_value, draws=found.draws)
    y = predictions.positive.astype(np.float64)
    kept = len(decile_groups(y, probability, groups)[0])
    df = kept - 2 if fitted else kept
    if df < 1:
        raise NotApplicable(f"{kept} groups leave no degree of freedom; take more groups.")
    p = never_zero(chdtrc(df, statistic))
    return answer("hosmer_lemeshow", **common, p_value=p, df=df)


def spiegelhalter(predictions: Binary) -> Test:
    """Spiegelhalter's test whether the Brier score is what right probabilities give, two-sided.

    The p-value is `nan` where every probability is 0, 1/2 or 1.

    Parameters
    ----------
    predictions
        Probabilities of two classes, made with `Binary`.

    Raises
    ------
    NotApplicable
        For predictions pooled over folds, cases in time order, clusters and sampling weights.

    See Also
    --------
    likelihood_ratio : tests the line of recalibration.

    References
    ----------
    Spiegelhalter (1986).

    Examples
    --------
    >>> from abovechance import examples
    >>> spiegelhalter(examples.breast_cancer("p_texture")).p_value
    0.037
    """
    return _standard(find("spiegelhalter_z"), predictions)


def _standard(measure: Measure, predictions: Binary) -> Test:
    """Of a score that is standard normal if the probabilities are right."""
    from scipy.special import erfc

    z = measure.of(_checked(predictions, "spiegelhalter"))
    return answer(
        "spiegelhalter",
        statistic=z,
        p_value=never_zero(erfc(abs(z) / np.sqrt(2.0))),
        alternative="two-sided",
        measure=measure.title,
    )


def simulated(
    predictions: Binary | Multiclass, measures: Sequence[Measure], settings: Settings
) -> dict[str, CalibrationError]:
    """Calibration errors beside those of outcomes simulated from the probabilities, by label."""
    predictions = _checked(predictions)
    fitted = tuple(fit(m, predictions) for m in measures)
    values = {m.label: m.of(predictions) for m in fitted}
    fitted = tuple(m for m in fitted if np.isfinite(values[m.label]))
    if not fitted:
        return {}
    work = _Simulated(predictions, fitted)
    observed, inside = work.observed(), _Condensed.of(work)
    null: dict[str, Array] = {}
    if inside is not None:
        total = affordable_draws(settings, inside.count, slow=True)
        null.update(null_of(inside, settings, total, inside.count))
    rest = tuple(m for m in fitted if m.label not in null)
    if rest:
        total = affordable_draws(settings, predictions.n, slow=True)
        null.update(null_of(replace(work, measures=rest), settings, total, predictions.n))
    found = {}
    for m in fitted:
        value = values[m.label]
        where = tail(observed[m.label], null[m.label])
        expected = float(null[m.label].mean())
        result = answer(
            "calibration",
            statistic=value,
            p_value=where.p_value,
            alternative="greater",
            draws=where.draws,
            **({"cells": inside.count} if inside is not None and m not in rest else {}),
        )
        found[m.label] = CalibrationError(
            measure=m.label, value=value, expected=expected, debiased=value - expected, test=result
        )
    return found


def calibration_tests(
    predictions: Any, measures: Sequence[Measure], settings: Settings
) -> tuple[dict[str, Test], dict[str, str]]:
    """Tests of every calibration measure that has one, and remarks on errors, by label."""
    tests: dict[str, Test] = {}
    remarks: dict[str, str] = {}
    if not Sample.of(predictions).classes:
        return tests, remarks
    predictions = cast(Binary | Multiclass, _checked(predictions))
    first, facts = first_of(Kind.TEST, Law.CALIBRATION), facts_of(predictions)
    by = {m: next(suited(first, m, predictions, facts), None) for m in measures}
    if settings.quick:
        by = {m: method for m, method in by.items() if method is not None and not method.drawn}
    errors = [m for m, method in by.items() if method is not None and method.name == "calibration"]
    for label, error in simulated(predictions, errors, settings).items():
        tests[label], remarks[label] = error.test, remark(error)
    for m, method in by.items():
        if method is None or m in errors:
            continue
        assert method.function is not None
        with suppress(NotApplicable):
            found = method.function(m, predictions, settings)
            if not np.isnan(found.p_value):
                tests[m.label] = found
    return tests, remarks


def _of_a_line(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    return predictions.kind == "binary" and measure.calibration in LINE_OF


@test(
    name="likelihood_ratio",
    title="likelihood ratio[, χ² on {df} df]",
    words="a likelihood-ratio test[ (χ² on {df} df)]",
    source="cox1958",
    hypothesis="intercept 0 and slope 1 of the recalibration line",
    default=[Law.CALIBRATION],
    fits=_of_a_line,
    otherwise="spiegelhalter",
)
def of_line(measure: Measure, predictions: Binary, settings: Settings) -> Test:
    """What of the recalibration line a measure tells, by likelihood ratio."""
    assert measure.calibration is not None
    return likelihood_ratio(predictions, LINE_OF[measure.calibration])


def _of_a_score(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    return predictions.kind == "binary" and measure.calibration is Calibration.SCORE


@test(
    name="spiegelhalter",
    title="[{measure}, ]normal, two-sided",
    words="[{measure}, ]a normal test, two-sided",
    source="spiegelhalter1986",
    hypothesis=RIGHT,
    laws=[Law.CALIBRATION],
    fits=_of_a_score,
    otherwise="calibration",
)
def of_score(measure: Measure, predictions: Binary, settings: Settings) -> Test:
    """A score that is standard normal if the probabilities are right."""
    return _standard(measure, predictions)


def _of_a_distance(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    return measure.calibration is Calibration.DISTANCE


@test(
    name="calibration",
    drawn=True,
    title="outcomes simulated from the probabilities[, in {cells} cells of nearly equal ones]",
    words="a test with outcomes simulated from the probabilities"
    "[ in {cells} cells of nearly equal ones]",
    source="dinga2019",
    hypothesis=RIGHT,
    laws=[Law.CALIBRATION],
    takes=Takes.MEASURES,
    fits=_of_a_distance,
)
def of_distances(
    predictions: Any, measures: Sequence[Measure], settings: Settings
) -> dict[str, Test]:
    """Distances beside those of outcomes simulated from the probabilities."""
    return {
        label: error.test for label, error in simulated(predictions, measures, settings).items()
    }


def _checked(predictions: Any, test: str = "calibration") -> Any:
    """Cases whose outcomes may be taken for independent draws from the probabilities."""
    return checked(test, predictions, Kind.TEST)


@dataclass(frozen=True, eq=False)
class _Simulated:
    """Calibration errors of simulated outcomes, as work for blocks."""

    predictions: Binary | Multiclass
    measures: tuple[Measure, ...]

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        uniform = rng.random((size, self.predictions.n))
        columns = self._columns
        # class k where the uniform number falls between the sums of probabilities around it
        upto = np.cumsum(columns, axis=0)
        if len(columns) == 1:
            return self.errors(uniform < columns[0])
        return self.errors((uniform[:, None, :] * upto[-1] >= upto[None, :-1]).sum(axis=1))

    def errors(self, outcome: Array) -> dict[str, Array]:
        """Values for many outcomes (draws, n); the same curve serves several measures."""
        sample = Sample.of(self.predictions).observed(outcome)
        found: dict[str, Array] = {}
        shared: dict[tuple[Any, ...], Floats] = {}
        for m in self.measures:
            if m.distances is None or m.of_distances is None:
                found[m.label] = evaluate(m, sample)
                continue
            key = tuple(m.parameters.values())
            if key not in shared:
                shared[key] = m.distances(sample, self.places, **m.parameters)
            values = m.of_distances(shared[key])
            found[m.label] = values if values.ndim == 1 else values.mean(axis=-1)
        return found

    def observed(self) -> dict[str, float]:
        """The same for the outcomes as they are."""
        itself = self.errors(Sample.of(self.predictions).outcome[None])
        return {label: float(values[0]) for label, values in itself.items()}

    @property
    def _columns(self) -> Floats:
        """Probabilities, one row per class; of two classes that of the positive one."""
        return np.atleast_2d(Sample.of(self.predictions).column("probability"))

    @cached_property
    def places(self) -> list[Floats] | Floats:
        """Where curves are compared: at every case, or at enough of them in order."""
        each = [_spread_out(p) for p in self._columns]
        return each[0] if len(each) == 1 else each


FEWEST_CONDENSED = 5_000  # cases from which cells of nearly equal probability hold several
CELL_ODDS = 0.05  # log odds that the cases of a cell may lie apart
CELL_SHARE = 256  # no cell holds more than this part of the cases, or of the probabilities' range
FARTHEST_ODDS = 40.0  # beyond, probabilities are 0 or 1 to the last digit


@dataclass(frozen=True, eq=False)
class _Condensed:
    """Calibration errors of simulated outcomes where cases of nearly equal probability are drawn
    together, as work for blocks.

    Groups and linear curves read outcomes through sums. A cell lies within one group of every
    grouping, so that what a group expects is as it was, and what is drawn for it has the mean
    probability of its cases: a variance too great by the variance within cells, at most 0.00005 of
    it. Curves are theirs of the probabilities as they are, plus what the drawn numbers differ from
    their means by, each with the mean weight of its cell.
    """

    sizes: Array
    expected: Floats
    groups: dict[str, tuple[Measure, Floats]]  # by label, which cells every group has
    curves: tuple[tuple[tuple[Measure, ...], Smoother, Floats], ...]  # of cells; if right
    places: Floats

    @classmethod
    def of(cls, work: _Simulated) -> "_Condensed | None":
        """Of measures whose outcomes can be drawn so; None where there are none, or few cases."""
        sample = Sample.of(work.predictions)
        if sample.kind != "binary" or sample.n < FEWEST_CONDENSED:
            return None
        p = sample.column("probability")
        codes: dict[str, tuple[Measure, Array]] = {}
        shared: dict[Any, tuple[list[Measure], Smoother]] = {}
        for m in work.measures:
            if m.grouping is not None and m.of_groups is not None:
                code = m.grouping(p, **m.parameters)
                if code is not None:
                    codes[m.label] = (m, code)
            elif m.curve is not None and m.of_distances is not None:
                key = (m.curve, *m.parameters.values())
                curve = shared[key][1] if key in shared else m.curve(sample, **m.parameters)
                if curve is not None:
                    shared.setdefault(key, ([], curve))[0].append(m)
        if not codes and not shared:
            return None
        known = [curve.order for _, curve in shared.values() if curve.order is not None]
        order = known[0] if known else np.argsort(p)
        starts = _cells(p[order], [code[order] for _, code in codes.values()])
        sizes = np.diff(starts, append=sample.n)
        first = order[starts]
        curves = [
            (
                tuple(some),
                Smoother(
                    curve.vertices,
                    np.stack(
                        [
                            np.add.reduceat(row[order] if curve.order is None else row, starts)
                            for row in curve.rows
                        ]
                    )
                    / sizes,
                ),
                curve.curve(p, cast(Floats, work.places)),
            )
            for some, curve in shared.values()
        ]
        return cls(
            sizes,
            np.add.reduceat(p[order], starts),
            {
                label: (m, (code[first][:, None] == np.unique(code)).astype(np.float64))
                for label, (m, code) in codes.items()
            },
            tuple(curves),
            cast(Floats, work.places),
        )

    @property
    def count(self) -> int:
        """How many cells there are."""
        return len(self.sizes)

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        chance = np.minimum(self.expected / self.sizes, 1.0)
        return self.errors(rng.binomial(self.sizes, chance, size=(size, self.count)))

    def errors(self, drawn: Array) -> dict[str, Array]:
        """Values for positives of every cell (draws, cells)."""
        found: dict[str, Array] = {}
        for label, (m, member) in self.groups.items():
            assert m.of_groups is not None
            sums = (self.sizes @ member, drawn @ member, self.expected @ member)
            found[label] = m.of_groups(*sums)
        for some, curve, right in self.curves:
            beyond = curve.curve(drawn - self.expected, self.places)
            distance = distance_of(right + beyond, self.places)
            for m in some:
                assert m.of_distances is not None
                found[m.label] = m.of_distances(distance)
        return found


def _cells(p: Floats, codes: Sequence[Array]) -> Array:
    """Where cells of rising probabilities begin: by log odds, number, distance and groups.

    Curves read probabilities by number and distance, whatever their log odds.
    """
    odds = np.clip(log_odds(p), -FARTHEST_ODDS, FARTHEST_ODDS)
    far = (p - p[0]) / max(p[-1] - p[0], np.finfo(np.float64).tiny)
    borders = [
        np.floor(odds / CELL_ODDS),
        np.arange(len(p)) * CELL_SHARE // len(p),
        np.floor(far * CELL_SHARE),
        *codes,
    ]
    new = np.zeros(len(p), dtype=np.bool_)
    new[0] = True
    for code in borders:
        new[1:] |= code[1:] != code[:-1]
    return np.flatnonzero(new)


def _spread_out(p: Floats) -> Floats:
    if len(p) <= PLACES:
        return p
    return np.sort(p)[np.linspace(0, len(p) - 1, PLACES).astype(np.int64)]
