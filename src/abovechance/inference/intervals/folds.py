"""Intervals over cross-validation folds, corrected for the overlap of training sets."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.inference.method import Fact, interval, limits
from abovechance.inference.results import Interval
from abovechance.measures import Law, Measure
from abovechance.predictions import Binary, Multiclass, Predictions

ROUNDING = 1e-12  # of the values: a spread below is none


AVERAGED = (Law.SHARE, Law.CONDITIONAL, Law.BALANCED, Law.PAIRS, Law.CENSORED_PAIRS, Law.MEAN)
BIASED = "is biased in small folds, and the bias does not average out over them."


def fold_values(measure: Measure, predictions: Predictions) -> tuple[Floats, int]:
    """The measure of every fold of every repeat, and the number of folds in a repeat."""
    parts, folds = _parts(predictions)
    values = np.empty(int(parts.max()) + 1)
    for k in range(len(values)):
        part = predictions.take(parts == k)
        if isinstance(part, Binary | Multiclass) and (part.prevalences > 0).sum() < 2:
            raise NotApplicable("a fold holds one class only; use stratified folds.")
        values[k] = measure.of(part)
    return values, folds


def _parts(predictions: Predictions) -> tuple[Ints, int]:
    """The number of each case's fold within its repeat, and how many a repeat has."""
    fold, repeat = predictions.cases.fold, predictions.cases.repeat
    if fold is None:
        raise NotApplicable("an interval over folds needs the fold of every case.")
    runs = np.zeros(predictions.n) if repeat is None else np.unique(repeat, return_inverse=True)[1]
    parts = np.unique(
        np.stack([runs, np.unique(fold, return_inverse=True)[1]]), axis=1, return_inverse=True
    )[1].ravel()
    if np.bincount(parts).max() == 1:
        raise NotApplicable("leave-one-out folds hold one case each: no spread within a fold.")
    return parts, round((int(parts.max()) + 1) / len(np.unique(runs)))


def averages(measure: Measure) -> bool:
    """Whether a mean over small folds estimates what a large one would show: means and pairs do."""
    return measure.law in AVERAGED or measure.decomposable


class OverFolds(NamedTuple):
    """The mean over folds that an interval is about, and the interval, or why there is none."""

    mean: float
    interval: Interval | None
    reason: str = ""


def nadeau_bengio(
    measure: Measure, predictions: Predictions, *, confidence_level: float = 0.95
) -> Interval:
    r"""Interval of the mean over folds, for the algorithm trained on as many cases.

    .. math:: \bar m \pm t_{kr-1} \sqrt{\left(\frac{1}{kr} + \frac{1}{k-1}\right) s^2}

    with k folds, r repeats and :math:`s^2` the variance over all kr folds. Training sets
    overlap, so folds vary less than independent experiments would: 1/(k − 1) makes up for it.
    Only means and pairs are averaged: others are biased in small folds. Means over cases count
    folds by their size, so that theirs is the mean over all cases.

    Parameters
    ----------
    measure
        A mean of losses or an area under the ROC curve, or its name.
    predictions
        Cross-validated predictions: made with `fold=`, and `repeat=` where it was repeated.
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.

    Returns
    -------
    Interval
        Its limits `low` and `high`, its `level`, and its `method` in words.

    Raises
    ------
    NotApplicable
        If there are fewer than two folds, the measure is undefined in one or is the same in all of
        them, or it is biased in small folds.

    See Also
    --------
    abovechance.permutation_test : a test against chance that refits the model.

    References
    ----------
    Nadeau & Bengio (2003), eq. 9; Bouckaert & Frank (2004); Forman & Scholz (2010) on bias.

    Examples
    --------
    >>> from abovechance import examples, measures
    >>> print(nadeau_bengio(measures.mae, examples.diabetes()))
    39.928 to 48.771
    """
    found = over_folds(measure, predictions, confidence_level=confidence_level)
    if found.interval is None:
        raise NotApplicable(found.reason)
    return found.interval


def over_folds(
    measure: Measure, predictions: Predictions, *, confidence_level: float = 0.95
) -> OverFolds:
    """The same with the mean that it is about."""
    from scipy.special import stdtrit

    if not averages(measure):
        raise NotApplicable(f"{measure.title} {BIASED}")
    # a root of a mean is biased where the mean is not
    inner = measure if measure.after is None else replace(measure, after=None, shortcut=None)
    values, folds = fold_values(inner, predictions)
    if not np.isfinite(values).all():
        raise NotApplicable(f"{measure.title} is undefined in a fold.")
    if folds < 2:
        raise NotApplicable("an interval over folds needs at least two folds.")
    total = len(values)
    error = np.sqrt((1.0 / total + 1.0 / (folds - 1)) * values.var(ddof=1))
    mean = float(np.average(values, weights=_sizes(measure, predictions)))
    if error <= ROUNDING * float(np.abs(values).max()):
        alike = f"{measure.title} is the same in every fold: they show no spread."
        return OverFolds(mean if measure.after is None else measure.after(mean), None, alike)
    half = float(stdtrit(total - 1, 0.5 + confidence_level / 2.0)) * float(error)
    bottom, top = measure.range
    ends = [max(mean - half, bottom), mean, min(mean + half, top)]
    if measure.after is not None:
        ends = [float(measure.after(x)) for x in ends]
    low, mean, high = ends
    found = limits("nadeau_bengio", low, high, confidence_level, folds=total, mean=mean)
    return OverFolds(mean, found)


@interval(
    name="nadeau_bengio",
    title="Nadeau–Bengio[ over {folds} folds][ (mean {mean:.3f})]",
    words="the Nadeau–Bengio correction[ over {folds} folds]",
    source="nadeau2003",
    default=tuple(Law),
    needs=[Fact.FOLDS],
    allows=[Fact.CLUSTERS, Fact.WEIGHTS, Fact.CASE_CONTROL],
)
def by_folds(measure: Measure, predictions: Predictions, setting: Any) -> OverFolds:
    """The interval over folds, with the mean that it is about."""
    return over_folds(measure, predictions, confidence_level=setting.level)


def _sizes(measure: Measure, predictions: Predictions) -> Floats | None:
    """What folds count in a mean: their cases where it is one over cases."""
    if measure.law is not Law.SHARE and not measure.decomposable:
        return None
    return np.bincount(_parts(predictions)[0], weights=predictions.weight).astype(np.float64)
