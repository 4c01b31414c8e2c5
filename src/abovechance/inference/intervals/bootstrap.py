"""Bootstrap intervals: percentile, bias-corrected and accelerated, studentised."""

from dataclasses import replace
from typing import Any

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.errors import NotApplicable
from abovechance.inference.intervals.left_out import without_clusters
from abovechance.inference.intervals.replicates import leave_one_out, replicates
from abovechance.inference.method import checked, limits
from abovechance.inference.results import Interval
from abovechance.measures import Law, Measure, find
from abovechance.predictions import Predictions
from abovechance.resampling.bootstrap_draws import Bootstrap, Sorted, binary_bootstrap

METHODS = ("bca", "percentile", "studentised")
DRAWS = 1999
MOST_UNDEFINED = 0.01
ROUNDING = 1e-12  # of the scale: a spread below is none
MANY = 1000  # cases from which on resamples are counted rather than spelled out


def bootstrap(
    predictions: Predictions,
    measure: Measure | str,
    *,
    method: str = "bca",
    confidence_level: float = 0.95,
    draws: int = DRAWS,
    rng: Any = None,
) -> Interval:
    """Interval of any measure from bootstrap samples of the cases.

    Cases are drawn with replacement: within classes for measures that do not depend on
    prevalence, whole clusters when there are groups.

    Parameters
    ----------
    predictions
        Predictions of any kind.
    measure
        A measure or its name.
    method
        "bca": bias-corrected and accelerated percentiles; "percentile": those of the samples as
        they are; "studentised": for means of losses, each sample in standard errors of its own.
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.
    draws
        Number of bootstrap samples; 1999 unless stated.
    rng
        Seed of the draws: a number, a numpy Generator, or None for a fresh seed each time.

    Returns
    -------
    Interval
        Its limits `low` and `high`, its `level`, and its `method` in words.

    Raises
    ------
    NotApplicable
        For an unknown method; for predictions pooled over folds and cases in time order, which
        depend on each other; for clusters and weights, when the method is "studentised".

    See Also
    --------
    abovechance.assess : chooses the interval that suits a measure.

    References
    ----------
    Efron & Tibshirani (1993), chapters 12 to 14.

    Examples
    --------
    >>> from abovechance import examples
    >>> print(bootstrap(examples.breast_cancer("p_texture"), "f1", rng=1))
    0.519 to 0.680
    """
    if method not in METHODS:
        raise NotApplicable(f"method must be one of {', '.join(METHODS)}; got {method!r}.")
    chosen = find(measure) if isinstance(measure, str) else measure
    chosen = chosen.for_outcome(predictions.kind)
    by = "studentised_bootstrap" if method == "studentised" else "bootstrap"
    predictions = checked(by, predictions)
    stream = np.random.default_rng(rng)
    if method == "studentised":
        return studentised_mean(
            chosen, predictions, confidence_level=confidence_level, draws=draws, rng=stream
        )
    groups = predictions.cases.groups
    found = replicates(
        predictions,
        [chosen],
        stream,
        draws,
        stratified=chosen.prevalence_free and groups is None,
        groups=groups,
    )
    return from_replicates(
        chosen, predictions, found[chosen.label], method=method, confidence_level=confidence_level
    )


def from_replicates(
    measure: Measure,
    predictions: Predictions,
    values: Floats,
    *,
    method: str = "bca",
    confidence_level: float = 0.95,
    estimate: float | None = None,
) -> Interval:
    """An interval from replicates that were already drawn."""
    estimate = measure.of(predictions) if estimate is None else estimate
    defined = values[_kept(measure, values)]
    lost = len(values) - len(defined)
    if not np.isfinite(estimate) or len(defined) == 0:
        raise NotApplicable(f"{measure.title} is not finite here, so it has no interval.")
    if lost > MOST_UNDEFINED * len(values):
        raise NotApplicable(
            f"{measure.title} is undefined or infinite in {lost} of {len(values)} bootstrap "
            "samples, so it has no interval."
        )
    if not _varied(defined):
        raise NotApplicable(
            f"{measure.title} is the same in every bootstrap sample: the cases show no spread."
        )
    tail = (1.0 - confidence_level) / 2.0
    at = np.array([tail, 1.0 - tail])
    kind = method
    if method == "bca":
        at = _adjusted(at, defined, estimate, measure, predictions)
        kind = "BCa"
    # between infinite replicates there is nothing to interpolate
    whole = bool(np.isfinite(defined).all())
    low, high = np.quantile(defined, at, method="linear" if whole else "inverted_cdf")
    # bias may put the value itself beyond a percentile
    low, high = min(float(low), estimate), max(float(high), estimate)
    found = limits("bootstrap", low, high, confidence_level, kind=kind, draws=len(values))
    return clamped(measure, found)


def _varied(values: Floats) -> bool:
    """Whether replicates differ by more than rounding."""
    if np.isinf(values).any():
        return True
    return bool(np.ptp(values) > ROUNDING * np.abs(values).max())


def _kept(measure: Measure, values: Floats) -> Bools:
    """Replicates that say something.

    An odds ratio may be infinite and a limit with it. A utility is infinite only for lack of
    positives, and infinities of both signs are no limits.
    """
    infinite = np.isinf(values)
    if infinite.any() and (
        measure.law is Law.UTILITY or len(np.unique(np.sign(values[infinite]))) > 1
    ):
        return np.isfinite(values)
    return ~np.isnan(values)


def clamped(measure: Measure, found: Interval) -> Interval:
    """Limits never outside the measure's range."""
    bottom, top = measure.range
    return replace(
        found, low=min(max(found.low, bottom), top), high=max(min(found.high, top), bottom)
    )


def studentised_mean(
    measure: Measure,
    predictions: Predictions,
    *,
    confidence_level: float = 0.95,
    draws: int = DRAWS,
    rng: np.random.Generator,
) -> Interval:
    """Bootstrap-t interval of a mean loss."""
    if predictions.weight is not None:
        raise NotApplicable("the studentised bootstrap is for cases that count one each.")
    found = studentised(measure.losses(predictions), confidence_level, draws, rng)
    if measure.after is not None:
        bottom = measure.range[0]
        low, high = (float(measure.after(max(x, bottom))) for x in (found.low, found.high))
        found = replace(found, low=low, high=high)
    return clamped(measure, found)


def studentised(values: Floats, level: float, draws: int, rng: np.random.Generator) -> Interval:
    """Bootstrap-t limits of the mean of independent values.

    A resample whose values are equal but for rounding has no spread to be measured in. Where more
    than one in a hundred are so, the limits are Student's instead.
    """
    n = len(values)
    if n < 2:
        raise NotApplicable("an interval of a mean needs at least two cases.")
    if not np.isfinite(values).all():
        raise NotApplicable("a mean with infinite losses has no interval.")
    mean, error = float(values.mean()), float(values.std(ddof=1) / np.sqrt(n))
    if error <= ROUNDING * float(np.abs(values).max()):
        raise NotApplicable("every case has the same loss: the cases show no spread.")
    centred = values - mean
    if n >= MANY:
        pivots = _pivots_by_counts(centred, rng, draws)
    else:
        slices = _slices(draws, max(1, (1 << 21) // n))
        pivots = np.concatenate([_pivots(centred, rng, size) for size in slices])
    known = pivots[np.isfinite(pivots)]
    if len(pivots) - len(known) > MOST_UNDEFINED * len(pivots):
        half = _student(centred, level) * error
        return limits("student", mean - half, mean + half, level)
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(known, [tail, 1.0 - tail], method="inverted_cdf")
    ends = float(mean - high * error), float(mean - low * error)
    return limits(
        "studentised_bootstrap", min(ends[0], mean), max(ends[1], mean), level, draws=draws
    )


def studentised_limits(
    values: Floats, level: float, draws: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Bootstrap-t limits of the mean of independent values."""
    found = studentised(values, level, draws, rng)
    return found.low, found.high


def _student(centred: Floats, level: float) -> float:
    """Student's quantile; few values that make most of the spread leave it badly known."""
    from scipy.special import stdtrit

    n = len(centred)
    kurtosis = n * float((centred**4).sum()) / float((centred**2).sum()) ** 2
    freedom = min(max(2.0 * n / max(kurtosis - 1.0, 1e-9), min(3.0, n - 1.0)), n - 1.0)
    return float(stdtrit(freedom, 0.5 + level / 2.0))


def _pivots(centred: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Means of resamples in standard errors of their own; nan where these are rounding."""
    n = len(centred)
    drawn = centred[rng.integers(n, size=(size, n))]
    errors = drawn.std(axis=1, ddof=1) / np.sqrt(n)
    told = errors > ROUNDING * np.abs(centred).max()
    return np.divide(drawn.mean(axis=1), errors, out=np.full(size, np.nan), where=told)


def _pivots_by_counts(centred: Floats, rng: np.random.Generator, size: int) -> Floats:
    """The same from how often every case was drawn, its value and its square: fast for many."""
    n = len(centred)
    alike = Sorted(np.zeros(n, dtype=bool), np.arange(n), n, np.stack([centred, centred**2]))
    sums, squares = binary_bootstrap(alike, Bootstrap(n), rng, size)["losses"].T
    spread = squares - sums**2 / n
    told = spread > ROUNDING * squares
    scale = np.sqrt(np.where(told, spread, 1.0) * n / (n - 1))
    return np.where(told, sums / scale, np.nan)


def _slices(total: int, most: int) -> list[int]:
    return [min(most, total - start) for start in range(0, total, most)]


def _adjusted(
    at: Floats, values: Floats, estimate: float, measure: Measure, predictions: Predictions
) -> Floats:
    """Percentiles moved for bias and for a spread that changes with the value."""
    from scipy.special import ndtr, ndtri

    below = (values < estimate).mean() + (values == estimate).mean() / 2.0
    if below in (0.0, 1.0):
        below = np.clip(below, 0.5 / len(values), 1.0 - 0.5 / len(values))
    bias = ndtri(below)
    if predictions.cases.groups is None:
        without, times = leave_one_out(measure, predictions)
    else:
        without = without_clusters(measure, predictions, predictions.cases.groups)
        times = np.ones(len(without))
    kept = np.isfinite(without)
    centre = np.average(without[kept], weights=times[kept])
    gap = centre - without[kept]
    scale = (times[kept] @ gap**2) ** 1.5
    acceleration = (times[kept] @ gap**3) / (6.0 * scale) if scale > 0 else 0.0
    shifted = bias + ndtri(at)
    moved: Floats = ndtr(bias + shifted / (1.0 - acceleration * shifted))
    return moved
