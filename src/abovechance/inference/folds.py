"""Cross-validation folds, whose training sets overlap: intervals, and models compared."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.areas import area_in
from abovechance.inference.bootstrap import span
from abovechance.inference.confusion_tables import as_share, linear_in_rows
from abovechance.inference.contrasts import Standardised, class_sizes, classes_of
from abovechance.inference.influence import (
    Gap,
    NotLinear,
    components,
    frequency_variance,
    influence,
)
from abovechance.inference.interval_choice import Shared, interval_by_law, one_run
from abovechance.inference.method import (
    Fact,
    Takes,
    answer,
    comparison,
    declared_difference,
    interval,
    limits,
    test,
)
from abovechance.inference.results import Interval, Posterior, Test
from abovechance.inference.shares import turn
from abovechance.measures import Form, Law, Measure, find
from abovechance.measures.measure import Calibration
from abovechance.measures.sample import COUNTING, Sample, evaluate
from abovechance.numerics.exact import critical_value, never_zero
from abovechance.predictions import Predictions
from abovechance.resampling import seed_of
from abovechance.resampling.draws import codes
from abovechance.settings import Settings

# ----------------------------------------------------------------------------------------------
# Intervals over cross-validation folds, corrected for the overlap of training sets.
# ----------------------------------------------------------------------------------------------


ROUNDING = 1e-12  # of the values: a spread below is none
OF_CLASSES = ("binary", "multiclass")
TOLD = 0.02  # of the variance: less than this of it is not worth a word


AVERAGED = (Law.SHARE, Law.CONDITIONAL, Law.BALANCED, Law.PAIRS, Law.CENSORED_PAIRS, Law.MEAN)
BIASED = "is biased in small folds, and the bias does not average out over them."


def fold_values(measure: Measure, predictions: Predictions) -> tuple[Floats, int]:
    """The measure of every fold of every repeat, and the number of folds in a repeat."""
    parts, folds = _parts(predictions)
    total = int(parts.max()) + 1
    if predictions.kind in OF_CLASSES:
        code = codes(classes_of(predictions))
        held = np.bincount(parts * (int(code.max()) + 1) + code, minlength=total * (code.max() + 1))
        if ((held.reshape(total, -1) > 0).sum(axis=1) < 2).any():
            raise NotApplicable("a fold holds one class only; use stratified folds.")
    if predictions.kind == "binary" and measure.form in (*COUNTING, Form.RANKS, Form.LOSSES):
        return evaluate(measure, Sample.of(predictions).folded(parts)), folds
    return np.array([measure.of(predictions.take(parts == k)) for k in range(total)]), folds


def _parts(predictions: Predictions) -> tuple[Ints, int]:
    """The number of each case's fold within its repeat, and how many a repeat has."""
    fold, repeat = predictions.cases.fold, predictions.cases.repeat
    if fold is None:
        raise NotApplicable("an interval over folds needs the fold of every case.")

    def numbered() -> tuple[Ints, int]:
        within = codes(fold)
        run = np.zeros_like(within) if repeat is None else codes(repeat)
        parts = codes(run * (int(within.max()) + 1) + within)
        return parts, round((int(parts.max()) + 1) / (int(run.max()) + 1))

    parts, folds = predictions.once("folds of repeats", numbered)
    if np.bincount(parts).max() == 1:
        raise NotApplicable("leave-one-out folds hold one case each: no spread within a fold.")
    return parts, folds


def averages(measure: Measure, predictions: Predictions) -> bool:
    """Whether a mean over small folds estimates what a large one would show: means and pairs do.

    So does what is linear in the cases of each class, by its values on tables.
    """
    if measure.law in AVERAGED or measure.decomposable:
        return True
    if measure.form not in COUNTING or predictions.prevalences is None:
        return False
    return not measure.extreme and linear_in_rows(measure, len(predictions.prevalences))


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
    Stratified folds all have the classes as frequent as the whole sample has; how much another
    sample's frequencies would change the value is added, as far as the folds do not show it (not
    in the source; without it accuracy of 352 cases, 13 % positive, covers .44). So is how far
    models trained on other cases would call cases otherwise for their other class frequencies,
    which all folds share (not in the source; without it sensitivity of 991 cases covers .88). Only
    means and
    pairs are averaged: others are biased in small folds. Means over cases count folds by their
    size, so that theirs is the mean over all cases.

    Parameters
    ----------
    measure
        A mean of losses or an area under the ROC curve, or its name.
    predictions
        Cross-validated predictions: made with `fold=`, and `repeat=` where it was repeated.

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
    found = interval_over_folds(measure, predictions, confidence_level=confidence_level)
    if found.interval is None:
        raise NotApplicable(found.reason)
    return found.interval


def mean_over_folds(measure: Measure, predictions: Predictions) -> float:
    """The value that an interval over folds is about; of all cases for what is a mean over them."""
    if not averages(measure, predictions):
        raise NotApplicable(f"{measure.title} {BIASED}")
    if _sizes(measure, predictions) is not None:
        return float(measure.of(predictions))
    values, _ = fold_values(measure, predictions)
    if not np.isfinite(values).all():
        raise NotApplicable(f"{measure.title} is undefined in a fold.")
    return float(values.mean())


def interval_over_folds(
    measure: Measure, predictions: Predictions, *, confidence_level: float = 0.95
) -> OverFolds:
    """The same with the mean that it is about."""

    if not averages(measure, predictions):
        raise NotApplicable(f"{measure.title} {BIASED}")
    inner = _before_root(measure)
    values, folds = fold_values(inner, predictions)
    if not np.isfinite(values).all():
        raise NotApplicable(f"{measure.title} is undefined in a fold.")
    if folds < 2:
        raise NotApplicable("an interval over folds needs at least two folds.")
    total = len(values)
    unseen, elsewhere = _unseen_by_folds(inner, predictions), _by_cut(inner, predictions)
    seen = (1.0 / total + 1.0 / (folds - 1)) * values.var(ddof=1) + unseen
    error = np.sqrt(seen + (elsewhere or 0.0))
    mean = float(np.average(values, weights=_sizes(measure, predictions)))
    counts = _of_counts(measure, predictions, mean, confidence_level)
    if counts is None and error <= ROUNDING * float(np.abs(values).max()):
        alike = f"{measure.title} is the same in every fold: they show no spread."
        return OverFolds(mean if measure.after is None else measure.after(mean), None, alike)
    half = critical_value(confidence_level, total - 1) * float(error)
    bottom, top = measure.range
    ends = [max(mean - half, bottom), mean, min(mean + half, top)]
    if measure.after is not None:
        ends = [float(measure.after(x)) for x in ends]
    low, mean, high = ends
    known: dict[str, Any] = {"folds": total, "mean": mean}
    if counts is not None and (counts.low < low or counts.high > high):
        low, high = min(low, counts.low), max(high, counts.high)
        known["widened"] = counts.method
    if unseen > TOLD * float(error) ** 2:
        known["stratified"] = "class frequencies"
    if elsewhere is None:
        known["calls"] = None
    elif measure.form in COUNTING and predictions.kind in OF_CLASSES:
        known["calls"] = float(np.sqrt(elsewhere / seen)) if seen > 0 else 1.0
        if elsewhere > TOLD * float(error) ** 2:
            known["cut"] = "other models' calls"
    return OverFolds(mean, limits("nadeau_bengio", low, high, confidence_level, **known))


@interval(
    name="over_cases",
    title="influences of cases that models were not fitted to[ over {clusters} clusters]"
    "[, widened to {widened}]",
    words="how much each[{cases:?} case][{clusters:?} cluster] moves the cross-validated value, "
    "with the Nadeau–Bengio correction[, widened to {widened}]",
    source="nadeau2003",
    laws=tuple(Law),
    takes=Takes.PARTS,
    needs=[Fact.FOLDS],
    allows=[Fact.CLUSTERS],
)
def interval_over_cases(
    measure: Measure,
    predictions: Predictions,
    value: float,
    apparent: float | None,
    overfitting: float,
    *,
    confidence_level: float = 0.95,
) -> Interval:
    r"""Interval of a cross-validated value, for the model trained on all of the cases.

    .. math:: \hat\theta \pm t \sqrt{\left(1 + w \frac{k}{k-1}\right) \sum_i u_i^2}

    with k folds and :math:`u_i` how much case i moves the value, by its predictions from models
    that were not fitted to it (with clusters, the sum over a cluster). The second term is Nadeau
    and Bengio's for training sets that overlap. The first is not divided by the repeats, as theirs
    is: repeats judge the same cases again. Cases err together as far as a model follows the cases
    it is fitted to, so that w is three times the relative `overfitting`, from ¼ to 1, and 1 for
    lines of calibration. Limits are laid where a measure has no ends, shares and areas by log odds,
    and turned back. Unlike means over folds it serves any measure that each case moves a little.

    Folds train on a part 1 − 1/k of the cases, which costs up to a share 1/(k − 1) of the optimism
    (on that scale, where one end alone is open). Where that is more than a standard error there is
    no interval; of measures without bounds or curved in the predictions, as R² and slopes, where it
    is more than 0.4 of one. Without an `apparent` value nothing is lost: the interval is for
    training on as many cases as folds leave.

    These rules were chosen by simulation and then measured on other samples
    (`tests/statistical/tables/validation.md`).
    """

    if measure.extreme or measure.calibration is Calibration.DISTANCE:
        raise NotApplicable(f"{measure.title} {ONE_SIDED}")
    folds = _parts(predictions)[1] if predictions.cases.fold is not None else 0
    if folds < 2:
        raise NotApplicable("an interval after cross-validation needs at least two folds.")
    repeat = predictions.cases.repeat
    runs = np.zeros(predictions.n, dtype=np.int64) if repeat is None else codes(repeat)
    moved = np.mean(
        [
            influence(measure, Sample.of(predictions.take(runs == run)))
            for run in range(min(RUNS, int(runs.max()) + 1))
        ],
        axis=0,
    )
    groups = predictions.cases.groups
    if groups is not None:
        moved = np.bincount(codes(groups[runs == 0]), moved)
    units = len(moved)
    if units < 2 or not np.isfinite(moved).all():
        raise NotApplicable(f"{measure.title} depends on single cases.")
    own = units / (units - 1.0) * float((moved**2).sum())
    whole = measure.law is Law.CALIBRATION or not np.isfinite(overfitting)
    share = 1.0 if whole else float(np.clip(3.0 * overfitting, *LEAST_MOST))
    elsewhere = _by_cut(_before_root(measure), predictions) or 0.0
    error = float(np.sqrt((1.0 + share * folds / (folds - 1.0)) * own + elsewhere))
    bottom, top = measure.range
    bounded = np.isfinite([bottom, top]).all() and averages(measure, predictions)
    lost = 0.0 if apparent is None else _distance(apparent, value, bottom, top) / (folds - 1.0)
    if lost > (1.0 if bounded else LOST) * error > 0.0:
        raise NotApplicable(
            f"the model overfits so much that models of {folds - 1} of {folds} folds may differ "
            "from it by much of a standard error; ask for more folds"
        )
    low, high = value, value
    if bottom < value < top and error > ROUNDING * max(1.0, abs(value)):
        half = critical_value(confidence_level, units - 1) * error
        low, high = _without_ends(value, half, bottom, top)
    known: dict[str, Any] = {"clusters" if groups is not None else "cases": units}
    counts = _of_counts(measure, predictions, value, confidence_level)
    if counts is not None and (counts.low < low or counts.high > high):
        low, high = min(low, counts.low), max(high, counts.high)
        known["widened"] = counts.method
    if not low < high:
        raise NotApplicable(f"{measure.title} is the same whichever case is left out.")
    return limits("over_cases", low, high, confidence_level, **known)


RUNS = 2  # repeats from which is seen how cases move a value: more hardly change it
LOST = 0.4  # standard errors that training on fewer cases may cost what has no bounds
LEAST_MOST = (0.25, 1.0)  # of Nadeau and Bengio's term that is counted
ONE_SIDED = "is above its best value by chance alone, so that limits about it would mislead."


def _distance(one: float, other: float, bottom: float, top: float) -> float:
    """How far values lie apart, in units at the second, where one end alone is open.

    >>> _distance(1.0, 2.0, 0.0, np.inf), _distance(0.2, 0.3, 0.0, 1.0)
    (1.386, 0.1)
    """
    if one == other or np.isfinite(bottom) == np.isfinite(top):
        return abs(one - other)
    end = bottom if np.isfinite(bottom) else top
    if other == end:
        return abs(one - other)
    with np.errstate(divide="ignore"):
        return float(abs(other - end) * abs(np.log(abs(one - end)) - np.log(abs(other - end))))


def _grown(by: float) -> float:
    """The exponential, infinite where it is too large for a number."""
    with np.errstate(over="ignore"):
        return float(np.exp(by))


def _without_ends(value: float, half: float, bottom: float, top: float) -> tuple[float, float]:
    """Limits so far from a value on a scale on which it has no ends.

    >>> _without_ends(0.9, 0.09, 0.0, 1.0)
    (0.768, 0.961)
    """
    if np.isinf(bottom) and np.isinf(top):
        return value - half, value + half
    if np.isinf(bottom):
        wide = _grown(half / (top - value))
        return top - (top - value) * wide, top - (top - value) / wide
    if np.isinf(top):
        wide = _grown(half / (value - bottom))
        return bottom + (value - bottom) / wide, bottom + (value - bottom) * wide
    share = (value - bottom) / (top - bottom)
    at, wide = np.log(share) - np.log1p(-share), half / (top - bottom) / (share * (1.0 - share))
    low, high = (1.0 / (1.0 + _grown(-at - side * wide)) for side in (-1.0, 1.0))
    return bottom + low * (top - bottom), bottom + high * (top - bottom)


def _before_root(measure: Measure) -> Measure:
    """What folds are averaged by: a root of a mean is biased where the mean is not."""
    return measure if measure.after is None else replace(measure, after=None, shortcut=None)


def _about_mean(measure: Measure, predictions: Predictions) -> tuple[Floats, int]:
    """Values of the folds whose mean is the value that `assess` shows, and folds in a repeat.

    A root has the slope that it has at the mean, as the delta method takes it.
    """
    values, folds = fold_values(_before_root(measure), predictions)
    if measure.after is None or not np.isfinite(values).all():
        return values, folds
    mean = float(np.average(values, weights=_sizes(measure, predictions)))
    step = 1e-4 * mean
    slope = 0.0
    if step > 0.0:
        up, down = (float(measure.after(mean + side * step)) for side in (1.0, -1.0))
        slope = (up - down) / (2.0 * step)
    return float(measure.after(mean)) + slope * (values - mean), folds


def _of_counts(
    measure: Measure, predictions: Predictions, value: float, level: float
) -> Interval | None:
    """The limits that the counts of one run have if its cases are taken for independent.

    A share or an area that is nearly 0 or 1 hardly varies from fold to fold, and a few hits or
    pairs less or more are then seen in the counts alone. Independent cases are the least that folds
    must allow for.
    """
    if measure.law is Law.PAIRS and predictions.kind in OF_CLASSES:
        return _of_class_sizes(measure, predictions, value, level)
    if measure.form not in COUNTING or predictions.kind not in OF_CLASSES:
        return None
    one = one_run(predictions)
    try:
        return interval_by_law(measure, one, Shared.among(Settings(level=level), one, [measure]))
    except NotApplicable:
        return None


def _of_class_sizes(
    measure: Measure, predictions: Predictions, value: float, level: float
) -> Interval | None:
    """Newcombe's limits of an area about the mean over folds, at the class sizes of one run."""
    try:
        found = components([one_run(predictions)], measure, weighted=True)
        area = area_in(found, 0)
    except (NotApplicable, NotLinear):
        return None
    about = replace(area, value=found.scale.area(value), variance=None)
    low, high = found.scale.limits(*about.limits(critical_value(level, about.df)))
    return limits("newcombe_auc", low, high, level)


def _unseen_by_folds(measure: Measure, predictions: Predictions) -> float:
    """Variance from how frequent the classes happen to be, as far as folds do not show it.

    Folds at random vary by it too, stratified ones do not: the share that is missing is seen from
    how evenly they hold the classes.
    """
    if measure.prevalence_free or predictions.kind not in OF_CLASSES:
        return 0.0
    actual = classes_of(predictions)
    parts, folds = _parts(predictions)
    classes = np.unique(actual)
    held = np.array(
        [np.bincount(parts[actual == k], minlength=int(parts.max()) + 1) for k in classes]
    )
    share = held.sum(axis=1) / predictions.n
    expected = share[:, None] * held.sum(axis=0)
    freedom = (held.shape[1] - held.shape[1] / folds) * (len(classes) - 1.0)
    missing = max(0.0, 1.0 - float(((held - expected) ** 2 / expected).sum()) / freedom)
    own = np.ones(predictions.n) if predictions.weight is None else predictions.weight
    code = np.searchsorted(classes, actual)
    cases = predictions.n * folds / held.shape[1]  # each once, however often it was predicted
    try:
        found = missing * frequency_variance(
            lambda factors: measure.batch(predictions, own * factors[:, code]), share, cases
        )
    except NotApplicable:  # no weighted form
        return 0.0
    return found if np.isfinite(found) else 0.0


def _by_cut(measure: Measure, *models: Predictions) -> float | None:
    """Variance from where models trained on other cases would part the classes; None: unknown.

    Folds share nearly all training cases, so their models err alike in how frequent the classes
    are and call too few or too many cases together, which no spread over folds shows. Models
    trained on other cases differ by the sampling error of these frequencies at least:
    probabilities are moved by it, class by class. Where as many calls are lost as won, as for
    accuracy at a half, it hardly matters. Of two models it is the variance of the difference.
    """
    if measure.form not in COUNTING or models[0].kind not in OF_CLASSES:
        return 0.0
    changes = [_moved(measure, one_run(p)) for p in models]
    if any(c is None for c in changes):
        return None if _sizes(measure, models[0]) is None else 0.0
    apart = changes[0] if len(models) == 1 else changes[0] - changes[1]
    found = float((apart**2).sum())
    return found if np.isfinite(found) else None


def _moved(measure: Measure, predictions: Predictions) -> Any:
    """Half the change of a value when each class seems a standard error rarer or commoner."""
    both = predictions.once("called", lambda: list(_called(predictions)))  # for all measures
    if any(more is None for more, _ in both):
        return None
    return np.array([(measure.of(more) - measure.of(fewer)) / 2.0 for more, fewer in both])


def _called(predictions: Predictions) -> Iterator[tuple[Predictions | None, Predictions | None]]:
    """The cases called as if each class were a standard error commoner, and rarer."""
    counts = class_sizes(predictions)
    for k in np.flatnonzero(counts):
        factor = np.ones(len(counts))
        factor[k] = np.exp(1.0 / np.sqrt(counts[k]))
        yield predictions.called(factor), predictions.called(1.0 / factor)


@interval(
    name="nadeau_bengio",
    title="Nadeau–Bengio[ over {folds} folds][, with {stratified}][, with {cut}]"
    "[, widened to {widened}][ (mean {mean:.3f})]",
    words="the Nadeau–Bengio correction[ over {folds} folds][, allowing for {stratified}]"
    "[, allowing for {cut}][, widened to {widened}]",
    source="nadeau2003",
    default=tuple(Law),
    needs=[Fact.FOLDS],
    allows=[Fact.CLUSTERS, Fact.WEIGHTS, Fact.CASE_CONTROL],
)
def interval_by_folds(measure: Measure, predictions: Predictions, settings: Settings) -> OverFolds:
    """The interval over folds, with the mean that it is about."""
    return interval_over_folds(measure, predictions, confidence_level=settings.level)


def _sizes(measure: Measure, predictions: Predictions) -> Floats | None:
    """What folds count in a mean: their cases where it is one over cases."""
    of_all = measure.law is Law.SHARE or measure.decomposable
    if not of_all and measure.form in COUNTING and predictions.prevalences is not None:
        found = as_share(measure, len(predictions.prevalences))
        of_all = found is not None and bool(found.inside.all())
    if not of_all:
        return None
    return np.bincount(_parts(predictions)[0], weights=predictions.weight).astype(np.float64)


# ----------------------------------------------------------------------------------------------
# Algorithms compared over cross-validation folds, whose training sets overlap.
# ----------------------------------------------------------------------------------------------


EQUAL = "both algorithms have the same expected value when trained on as many cases"


declared_difference(
    name="corrected_t",
    title="corrected resampled t[, {folds} folds]",
    words="the corrected resampled t-test[ over {folds} folds]",
    source="nadeau2003",
    hypothesis=EQUAL,
    laws=tuple(Law),
    needs=[Fact.FOLDS],
    origin=__name__,
)
declared_difference(
    name="naive_t",
    title="t-test over folds, not corrected[, {folds} folds]",
    words="a t-test over[ {folds}] folds, not corrected",
    source="dietterich1998",
    hypothesis=EQUAL,
    laws=tuple(Law),
    needs=[Fact.FOLDS],
    origin=__name__,
)


def difference_over_folds(
    measure: Measure, first: Any, second: Any, *, naive: bool = False
) -> Standardised:
    r"""Corrected resampled t-test of two algorithms on the same folds.

    .. math:: t = \frac{\bar d}{\sqrt{\left(\frac{1}{kr} + \frac{1}{k-1}\right) s_d^2}}

    with k folds, r repeats, :math:`kr - 1` degrees of freedom. The naive t-test leaves 1/(k − 1)
    out: it treats folds as independent experiments and finds differences too often. Only means and
    pairs are averaged over folds: others are biased in small ones. Means over cases count folds by
    their size, so that a difference is that of the values that are shown.

    References
    ----------
    Nadeau & Bengio (2003), eq. 9; Bouckaert & Frank (2004).
    """
    gaps, folds = fold_gaps(measure, first, second)
    total = len(gaps)
    factor = 1.0 / total if naive else 1.0 / total + 1.0 / (folds - 1)
    elsewhere = 0.0 if naive else _by_cut(_before_root(measure), first, second) or 0.0
    error = float(np.sqrt(factor * gaps.var(ddof=1) + elsewhere))
    if np.ptp(gaps) <= ROUNDING * float(np.abs(gaps).max()):
        error = 0.0
    return Standardised(
        Gap(float(np.average(gaps, weights=_sizes(measure, first))), error, total - 1.0),
        turn(measure),
        "naive_t" if naive else "corrected_t",
        EQUAL,
        {"folds": total},
        span(measure.range),
    )


@comparison(
    name="corrected_t",
    title="corrected resampled t",
    words="the corrected resampled t-test over folds",
    source="nadeau2003",
    hypothesis=EQUAL,
    default=tuple(Law),
    needs=[Fact.FOLDS],
    allows=[Fact.CLUSTERS, Fact.WEIGHTS],
)
def difference_by_folds(
    measure: Measure, first: Any, second: Any, settings: Settings
) -> Standardised:
    """Over folds, corrected for the overlap of training sets."""
    return difference_over_folds(measure, first, second)


@comparison(
    name="naive_t",
    title="t-test over folds, not corrected",
    words="a t-test over folds, not corrected",
    source="dietterich1998",
    hypothesis=EQUAL,
    laws=tuple(Law),
    needs=[Fact.FOLDS],
    allows=[Fact.CLUSTERS, Fact.WEIGHTS],
)
def difference_by_folds_alone(
    measure: Measure, first: Any, second: Any, settings: Settings
) -> Standardised:
    """Over folds as if they were independent experiments."""
    return difference_over_folds(measure, first, second, naive=True)


def correlated_t(gap: Gap, turned: float, rope: float | None = None) -> Posterior:
    """The posterior of the difference that belongs to the corrected t-test.

    Student's t around the mean difference with the corrected standard error as its scale: folds
    correlate by 1/k, the prior is flat.

    References
    ----------
    Corani & Benavoli (2015), A Bayesian approach for comparing cross-validated algorithms; Benavoli
    et al. (2017), section 3.

    >>> correlated_t(Gap(0.02, 0.01, 9), 1.0, rope=0.01).p_first
    0.828
    """
    from scipy.special import stdtr

    prior = "flat, folds correlated by 1/k"
    gain = turned * gap.difference
    if gap.error == 0.0:
        certain = 0.5 if gain == 0 else float(gain > 0)
        if rope is None:
            return Posterior(p_better=certain, prior=prior)
        sides = (float(gain > rope), float(abs(gain) <= rope), float(gain < -rope))
        return _posterior(certain, prior, rope, sides)
    p_better = float(stdtr(gap.df, gain / gap.error))
    if rope is None:
        return Posterior(p_better=p_better, prior=prior)
    above = float(stdtr(gap.df, (gain - rope) / gap.error))
    below = float(stdtr(gap.df, (-rope - gain) / gap.error))
    return _posterior(p_better, prior, rope, (above, max(1.0 - above - below, 0.0), below))


def fold_gaps(measure: Measure, first: Any, second: Any) -> tuple[Floats, int]:
    """The difference in every fold of every repeat, and the number of folds in a repeat."""
    if first.cases.fold is None or second.cases.fold is None:
        raise NotApplicable(
            "cross-validated models are compared fold by fold; give the fold of every case "
            "(fold=, --fold)."
        )
    if not averages(measure, first):
        raise NotApplicable(f"{measure.title} {BIASED}")
    (one, folds), (other, _) = (_about_mean(measure, p) for p in (first, second))
    if len(one) != len(other):
        raise DataError("both models must have the same folds to be compared over them.")
    if folds < 2:
        raise NotApplicable("a comparison over folds needs at least two folds.")
    with np.errstate(invalid="ignore"):
        gaps = one - other
    if not np.isfinite(gaps).all():
        raise NotApplicable(f"{measure.title} is undefined or infinite in a fold.")
    return np.where(np.abs(gaps) > ROUNDING * (np.abs(one) + np.abs(other)), gaps, 0.0), folds


@test(
    title="5 × 2 cv F-test",
    words="the F-test of five repetitions of two-fold cross-validation",
    source="alpaydin1999",
    hypothesis="both algorithms learn equally well from half of the cases",
    laws=tuple(Law),
    takes=Takes.PARTS,
    models=2,
)
def five_by_two(
    first: Any,
    second: Any,
    X: Any,
    y: Any,
    *,
    measure: Measure | str | None = None,
    pos_label: Any = None,
    rng: Any = None,
) -> Test:
    r"""Compare two scikit-learn estimators by five repetitions of two-fold cross-validation.

    .. math:: F = \frac{\sum_{i=1}^5 \sum_{j=1}^2 d_{ij}^2}{2 \sum_{i=1}^5 s_i^2}

    with :math:`d_{ij}` the difference in fold j of repetition i and :math:`s_i^2` the sum of
    squares of its two differences about their mean; F(10, 5) under the hypothesis that both learn
    equally well from half of the cases.

    Parameters
    ----------
    measure
        Accuracy for classifiers and mean squared error for regressors when not given.

    References
    ----------
    Alpaydın (1999); Dietterich (1998) for the t-test it improves on.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = np.arange(40.0)[:, None], np.repeat([0, 1], 20)
    >>> five_by_two(GaussianNB(), DummyClassifier(), X, y, rng=1).p_value < 0.01
    True
    """
    from scipy.special import fdtrc

    gaps = np.array(list(_halves(first, second, X, np.asarray(y), measure, pos_label, rng)))
    spread = ((gaps - gaps.mean(axis=1, keepdims=True)) ** 2).sum()
    if spread == 0.0 and (gaps != 0).any():
        raise NotApplicable("every half differs by the same amount: no spread to compare with.")
    statistic = float((gaps**2).sum() / (2.0 * spread)) if spread > 0 else 0.0
    return answer(
        "five_by_two",
        statistic=statistic,
        p_value=never_zero(fdtrc(10, 5, statistic)),
        alternative="two-sided",
    )


def _halves(
    first: Any, second: Any, X: Any, y: Any, measure: Measure | str | None, pos_label: Any, rng: Any
) -> Any:
    from sklearn.base import clone, is_classifier
    from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

    from abovechance.learning.from_sklearn import from_estimator

    classes = is_classifier(first)
    name = measure or ("accuracy" if classes else "mse")
    chosen = find(name) if isinstance(name, str) else name
    split = RepeatedStratifiedKFold if classes else RepeatedKFold
    seed = np.random.SeedSequence(seed_of(rng)).generate_state(1)[0]
    rows: list[float] = []
    for train, rest in split(n_splits=2, n_repeats=5, random_state=int(seed)).split(X, y):
        values = []
        for estimator in (first, second):
            fitted = clone(estimator).fit(_taken(X, train), y[train])
            made = from_estimator(fitted, _taken(X, rest), y[rest], pos_label=pos_label)
            values.append(chosen.for_outcome(made.kind).of(made))
        rows.append(values[0] - values[1])
        if len(rows) == 2:
            yield rows
            rows = []


def _taken(X: Any, rows: Any) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else np.asarray(X)[rows]


def _posterior(
    p_better: float, prior: str, rope: float, sides: tuple[float, float, float]
) -> Posterior:
    return Posterior(
        p_better=p_better,
        prior=prior,
        rope=rope,
        p_first=sides[0],
        p_equal=sides[1],
        p_second=sides[2],
    )
