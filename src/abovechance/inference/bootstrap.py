"""The bootstrap and the jackknife, and the limits and p-values that follow from them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.inference import method
from abovechance.inference.influence import clusters_of, declared_influence, fewest_clusters
from abovechance.inference.method import checked, limits
from abovechance.inference.results import Interval
from abovechance.measures import Form, LabelScore, Law, Measure, find
from abovechance.measures.catalogue import along_the_same_curve
from abovechance.measures.evaluation import fit
from abovechance.measures.measure import Errors
from abovechance.measures.rank import AreaScale, area_scale
from abovechance.measures.sample import (
    COUNTING,
    Sample,
    after,
    case_losses,
    resampled,
    resampled_together,
)
from abovechance.numerics.counts import of_unit_size, table_blocks
from abovechance.numerics.exact import critical_value, p_of
from abovechance.numerics.roots import crossing
from abovechance.predictions import Predictions
from abovechance.resampling import DEFAULT, Alternative, Tail, replicate_blocks, tail
from abovechance.resampling.draws import Bootstrap, Sorted, binary_bootstrap
from abovechance.settings import BOOTSTRAPS, Settings

# ----------------------------------------------------------------------------------------------
# Bootstrap replicates of many measures from one set of draws.
# ----------------------------------------------------------------------------------------------


CELLS = 1 << 21  # how many weights are held at once


def replicates(
    predictions: Predictions,
    measures: Sequence[Measure],
    rng: np.random.Generator,
    size: int,
    *,
    stratified: bool = False,
    groups: Array | None = None,
) -> dict[str, Floats]:
    """Values of measures on `size` bootstrap samples of the cases, by label.

    Confusion tables, areas, average precision and mean losses of binary predictions come from one
    sweep over cases sorted once; other measures take the same cases as weights, and those that
    cannot be weighted as rows.
    """
    fitted = [fit(m, predictions) for m in measures]
    sample = Sample.of(predictions)
    quick = [m for m in fitted if _swept(m, sample)]
    found: dict[str, Floats] = {}
    strata = sample.strata if stratified else None
    if groups is None:
        medians = [m for m in fitted if _of_median(m, sample)]
        found.update({m.label: resampled_medians(_errors(sample), rng, size) for m in medians})
    if quick:
        found.update(_from_sweep(sample, quick, rng, size, strata, groups))
    rest = [m for m in fitted if m.label not in found]
    if rest:
        order = _order(sample)
        scheme = Bootstrap(
            predictions.n,
            strata=None if strata is None else strata[order],
            groups=None if groups is None else groups[order],
            kind="indices" if groups is None and _indexed(rest) else "counts",
        )
        found.update(_from_draws(sample.taken(order), rest, scheme, rng, size))
    return found


def _of_median(measure: Measure, sample: Sample) -> bool:
    """Whether a measure is the median of absolute errors that count one each."""
    one = sample.kind == "numeric" and sample.outputs == 1 and sample.weight is None
    return one and measure.errors is Errors.MEDIAN and not measure.dialect


def _errors(sample: Sample) -> Floats:
    return np.asarray(np.sort(np.abs(sample.outcome[0] - sample.column("value")[0])))


def resampled_medians(ascending: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Medians of `size` bootstrap samples, without drawing the samples.

    Which of n values a sample takes are the whole parts of n times uniform numbers, of which the
    k-th smallest is distributed as Beta(k, n - k + 1), and the next one given it as the least of
    n - k uniform numbers above.

    >>> drawn = resampled_medians(np.arange(4.0), np.random.default_rng(1), 20_000)
    >>> exact = np.mean([np.median(np.array(i)) == 1.5 for i in np.ndindex(4, 4, 4, 4)])
    >>> bool(abs(np.mean(drawn == 1.5) - exact) < 0.02)
    True
    """
    n = len(ascending)
    below = (n + 1) // 2
    first = rng.beta(below, n - below + 1, size)
    second = first if n % 2 else 1.0 - (1.0 - first) * rng.random(size) ** (1.0 / (n - below))
    places = np.minimum((n * np.stack([first, second])).astype(np.int64), n - 1)
    return np.asarray(ascending[places].mean(axis=0))


def medians_without(ascending: Floats) -> Floats:
    """Medians without one value each."""
    n = len(ascending)
    place = np.arange(n)
    first, second = (n - 2) // 2, (n - 1) // 2  # of the others
    left = (ascending[low + (place <= low)] for low in (first, second))
    return np.asarray(sum(left) / 2.0)


def _indexed(measures: Sequence[Measure]) -> bool:
    return any(m.needs_index_draws for m in measures)


def _order(sample: Sample) -> Any:
    """Cases by score, so that sweeps over sorted cases read memory in order."""
    score = sample.column("score") if sample.kind == "binary" else None
    return slice(None) if score is None else np.argsort(score, kind="stable")


def _swept(measure: Measure, sample: Sample) -> bool:
    """Whether one compiled sweep over the sorted cases of two classes gives the replicates."""
    if sample.kind != "binary" or sample.weight is not None:
        return False
    if measure.form in COUNTING:
        return sample.column("score") is not None and not sample.source.labels_stated
    if measure.form is Form.RANKS:
        return measure.swept is not None or _scale(measure, sample) is not None
    return measure.form is Form.LOSSES and sample.column("probability") is not None


def _scale(measure: Measure, sample: Sample) -> AreaScale | None:
    """The line from the area to a measure that only the order of the cases decides."""
    if measure.law is not Law.PAIRS and measure.label_score is not LabelScore.MIDRANK:
        return None
    return area_scale(measure, measure.of(sample.source), sample.source.rank_summary.auc)


def _from_sweep(
    sample: Sample,
    measures: Sequence[Measure],
    rng: np.random.Generator,
    size: int,
    strata: Array | None,
    groups: Array | None,
) -> dict[str, Floats]:
    ranking, n = sample.column("score"), sample.n
    order = np.argsort(ranking, kind="stable")
    ordered = ranking[order]
    group = np.cumsum(np.diff(ordered, prepend=ordered[0]) != 0)
    means = [m for m in measures if m.form is Form.LOSSES]
    with np.errstate(divide="ignore"):
        losses = [case_losses(m, sample)[order] for m in means]
    above = sample.column("label")
    first = n if above is None else n - int(above.sum())
    cases = Sorted(
        sample.outcome[order], group, first, np.stack(losses) if losses else np.empty((0, n))
    )
    scheme = Bootstrap(
        n,
        strata=None if strata is None else strata[order],
        groups=None if groups is None else groups[order],
        kind="indices" if groups is None else "counts",  # clusters need not be of one size
    )
    wanted = any(m.swept == "average_precision" for m in measures)
    drawn = binary_bootstrap(cases, scheme, rng, size, average_precision=wanted)
    n1, n0 = drawn["positives"].astype(float), drawn["negatives"].astype(float)
    table = np.empty((size, 2, 2))
    table[:, 1, 1], table[:, 0, 1] = drawn["tp"], drawn["fp"]
    table[:, 1, 0], table[:, 0, 0] = n1 - drawn["tp"], n0 - drawn["fp"]
    found: dict[str, Floats] = {}
    with np.errstate(divide="ignore", invalid="ignore"):
        area = drawn["doubled_u"] / (2.0 * n1 * n0)
        for m in measures:
            if m.form in COUNTING:
                found[m.label] = m.on_counts(table)
            elif m.swept is not None:
                found[m.label] = drawn[m.swept]
            elif m.form is Form.RANKS:
                scale = _scale(m, sample)
                assert scale is not None
                found[m.label] = scale.of(area)
            else:
                found[m.label] = after(m, drawn["losses"][:, means.index(m)] / (n1 + n0))
    return found


def _from_draws(
    sample: Sample,
    measures: Sequence[Measure],
    scheme: Bootstrap,
    rng: np.random.Generator,
    size: int,
) -> dict[str, Floats]:
    parts: dict[str, list[Floats]] = {m.label: [] for m in measures}
    rows = max(1, CELLS // sample.n)
    for start in range(0, size, rows):
        drawn = scheme.draw(rng, min(rows, size - start))
        counts = drawn if scheme.kind == "counts" else _counts(drawn, sample.n)
        for m in measures:
            parts[m.label].append(resampled(m, sample, counts))
    return {label: np.concatenate(values) for label, values in parts.items()}


def _counts(index: Array, n: int) -> Array:
    rows = np.arange(len(index))[:, None] * n
    return np.bincount((index + rows).ravel(), minlength=len(index) * n).reshape(len(index), n)


def leave_one_out(measure: Measure, predictions: Predictions) -> tuple[Floats, Floats]:
    """Values without one case each, and how many cases each value stands for.

    From 300 cases on how much each moves the value stands for leaving it out, where that is known.
    Else of many cases whole parts are left out at once: what is made of these values, an
    acceleration, is then close to zero.
    """
    measure, sample = fit(measure, predictions), Sample.of(predictions)
    n = predictions.n
    if measure.form in COUNTING and sample.weight is None:
        table = sample.confusion
        at = np.argwhere(table > 0)
        left = []
        for some in table_blocks(len(at), len(table)):
            less = np.repeat(table[None], len(some), axis=0)
            less[np.arange(len(some)), at[some, 0], at[some, 1]] -= 1.0
            left.append(measure.on_counts(less))
        return np.concatenate(left), table[at[:, 0], at[:, 1]]
    if _of_median(measure, sample) and n > 1:
        return medians_without(_errors(sample)), np.ones(n)
    moved = declared_influence(measure, sample) if n >= SMOOTH else None
    if moved is not None:
        moved *= -n / (n - 1.0)
        moved += measure.of(predictions)
        return moved, np.ones(n)
    parts = np.arange(n)
    if measure.form is not Form.LOSSES or sample.weight is not None:
        parts = parts if n <= 1000 else parts % (500 if n <= 20_000 else 100)
    if measure.form is Form.LOSSES:
        values = _means_without(measure, sample, parts)
        return values, np.ones(len(values))
    values = kept_resamples(
        measure, predictions, "left out", partial(_parts_left, parts, max(1, CELLS // n))
    )
    return values, np.ones(len(values))


def kept_resamples(
    measure: Measure, predictions: Predictions, key: Any, draws: Callable[[], Iterator[Array]]
) -> Floats:
    """Values on samples that each case is in as often as counts say, which `draws` gives in blocks.

    A comparison asks for those of every model again with every other one: they are found once, and
    with them those of other measures along the same curve.
    """
    known = predictions.once(("resampled", key), dict)
    if (measure.label, measure.formula) not in known:
        sample, together = Sample.of(predictions), along_the_same_curve(measure)
        blocks = [resampled_together(together, sample, counts) for counts in draws()]
        for m in together:
            values = np.concatenate([block[m.label] for block in blocks])
            known[m.label, m.formula] = values
    found: Floats = known[measure.label, measure.formula]
    return found


def without_parts(measure: Measure, sample: Sample, parts: Array) -> Floats:
    """Values without the cases of each part: 0, 1, …; parts of one case each leave out that one."""
    if measure.form is Form.LOSSES:
        return _means_without(measure, sample, parts)
    every = _parts_left(parts, max(1, CELLS // sample.n))
    return np.concatenate([resampled(measure, sample, left) for left in every])


def _parts_left(parts: Array, rows: int) -> Iterator[Array]:
    """Which cases are left without each part, so many parts at once."""
    count = int(parts.max()) + 1
    for start in range(0, count, rows):
        yield parts != np.arange(start, min(start + rows, count))[:, None]


def _means_without(measure: Measure, sample: Sample, parts: Array) -> Floats:
    """Of mean losses: what is left of sums."""
    with np.errstate(divide="ignore", invalid="ignore"):
        outputs = np.atleast_2d(case_losses(measure, sample))
        own = np.ones(sample.n) if sample.weight is None else sample.weight
        weighed = np.array([np.bincount(parts, weights=own * losses) for losses in outputs])
        counts = np.bincount(parts, weights=own)
        means = (weighed.sum(axis=-1, keepdims=True) - weighed) / (counts.sum() - counts)
        return np.mean(after(measure, means), axis=0)


# ----------------------------------------------------------------------------------------------
# Intervals by leaving out: what each case, or each cluster, does to a value.
#
# Leaving out asks as many times as there are cases, takes clusters of any size and weights of any
# kind, and says where it can say nothing. Limits are found on the scale that the measure's range
# suggests, so that they lie within it, and Student's quantile knows how well the spread is known.
# ----------------------------------------------------------------------------------------------


MOST = 1000  # cases left out one by one; of more clusters than this some are left out together
SMOOTH = 300  # cases from which how much each moves a value stands for leaving it out
ROUNDING = 1e-12  # of the value: a spread below is none
LEAST_FREEDOM = 3.0
LEAST_CASES = 5  # that are not of the largest class
EXTREME = "chance makes what is largest greater than it is; compare it with what chance gives."


class Scale(NamedTuple):
    """From a range to the whole line and back."""

    to: Callable[[float], float]
    slope: Callable[[float], float]
    back: Callable[[float], float]


def scale_of(low: float, high: float) -> Scale:
    """Logit between two ends, logarithm beyond one, as it is without ends.

    >>> scale_of(-1.0, 1.0).to(0.6) / 2, float(np.arctanh(0.6))
    (0.693, 0.693)
    """
    if np.isfinite(low) and np.isfinite(high):
        return Scale(
            lambda v: float(np.log((v - low) / (high - v))),
            lambda v: 1.0 / (v - low) + 1.0 / (high - v),
            lambda x: float(low + (high - low) / (1.0 + np.exp(-x))),
        )
    if np.isfinite(low):
        return Scale(
            lambda v: float(np.log(v - low)),
            lambda v: 1.0 / (v - low),
            lambda x: float(low + np.exp(x)),
        )
    if np.isfinite(high):
        return Scale(
            lambda v: float(-np.log(high - v)),
            lambda v: 1.0 / (high - v),
            lambda x: float(high - np.exp(-x)),
        )
    return Scale(lambda v: v, lambda v: 1.0, lambda x: x)


def jackknifed(
    measure: Measure,
    predictions: Predictions,
    *,
    confidence_level: float = 0.95,
    strata: Bools | None = None,
) -> Interval:
    r"""Interval of a smooth measure by leaving out each case, or each cluster, in turn.

    .. math:: h(\hat\theta) \pm t_\nu \, |h'(\hat\theta)|
        \sqrt{\tfrac{G-1}{G} \sum_g (\hat\theta_{-g} - \bar\theta)^2}, \quad
        \nu = \min\left(\frac{2 G}{\kappa - 1},\, G - 1\right)

    for G cases or clusters, h the logit or logarithm that fits the measure's range, and
    :math:`\kappa` the kurtosis of the values left: a spread that few of them make is known badly.
    Of clusters, :math:`\nu` is no more than those that hold each class allow.
    Classes that were sampled apart (`strata`) keep their weight when a case is left out of one of
    them, and each has its own mean of the values left.

    References
    ----------
    Efron & Tibshirani (1993), chapter 11; Satterthwaite (1946) for the degrees of freedom.
    """
    measure = fit(measure, predictions)
    groups = predictions.cases.groups
    if strata is not None:
        return _in_strata(measure, predictions, strata, confidence_level)
    if predictions.n < 2:
        raise NotApplicable("an interval needs at least two cases.")
    if groups is None:
        refuse_one_class(measure.title, predictions)
        without, times = leave_one_out(measure, predictions)
    else:
        without = without_clusters(measure, predictions, groups)  # refuses one cluster
        refuse_one_class(measure.title, predictions)
        times = np.ones(len(without))
    unit = "case" if groups is None else "cluster"
    _refuse_lost(measure, int(times[~np.isfinite(without)].sum()), unit)
    known = {"clusters": len(np.unique(groups))} if groups is not None else {"cases": predictions.n}
    value = measure.of(predictions)
    gap, error = jackknife_spread(without, times, unit)
    clustered = groups is not None
    freedom = freedom_over_clusters(gap, predictions) if clustered else freedom_of(gap, times)
    low, high = _reach(value, error, freedom, measure, unit, confidence_level)
    return method.limits("left_out", low, high, confidence_level, **known)


def refuse_one_class(what: str, predictions: Predictions) -> None:
    """No interval where nearly all cases, or clusters, are of one class.

    How predictions vary among two to four cases says little of others: of 60 cases of which one in
    twenty is positive, intervals of Tjur's R² then covered .56 to .80 (400 samples). Weighted cases
    count what they are worth together, and clusters one each, if they hold a case that counts.
    """
    others, found = predictions.once("fewest of a class", lambda: _fewest(predictions))
    if others < LEAST_CASES - ROUNDING:
        raise NotApplicable(
            f"{found}: too few others (below {LEAST_CASES}) to say how {what} varies."
        )


def _fewest(predictions: Predictions) -> tuple[float, str]:
    """How many cases, or clusters, are not of the most frequent class, also in words."""
    sample, groups = Sample.of(predictions), clusters_of(predictions)
    if not sample.classes:
        return np.inf, ""
    actual = np.asarray(sample.outcome, dtype=np.int64)
    other = actual != np.bincount(actual).argmax()
    weight = np.ones(len(actual)) if sample.weight is None else sample.weight
    if groups is not None:
        other &= weight > 0.0
        others = float(len(np.unique(groups[other])))
        found = f"all but {others:g} clusters are of one class"
    else:
        own = weight[other]
        others = float(own.sum() ** 2 / (own @ own)) if own.any() else 0.0
        worth = "" if sample.weight is None else ", by what they are worth,"
        found = f"all but {int(others)} cases{worth} are of one class"
    return others, found


def _refuse_lost(measure: Measure, lost: int, unit: str) -> None:
    if lost:
        raise NotApplicable(
            f"{measure.title} is undefined or infinite when one of {lost} {unit}"
            f"{'s' * (lost != 1)} is left out, so it has no interval."
        )


def _in_strata(measure: Measure, predictions: Predictions, strata: Bools, level: float) -> Interval:
    """Leaving out units of two classes that were sampled apart and have stated weights."""
    groups = predictions.cases.groups
    unit = np.arange(predictions.n) if groups is None else np.unique(groups, return_inverse=True)[1]
    units = int(unit.max()) + 1
    without = _without_units(measure, predictions, strata.astype(np.int64), unit)
    known, what = {"cases": units}, "case"
    if groups is not None:
        known, what = {"clusters": units}, "cluster"
    _refuse_lost(measure, int((~np.isfinite(without)).sum()), what)
    positive = np.bincount(unit, weights=strata) > 0
    negative = np.bincount(unit, weights=~strata) > 0
    crossing = bool((positive & negative).any())
    parts = [np.ones(units, dtype=np.bool_)] if crossing else [positive, negative]
    gap = np.empty(units)
    for part in parts:
        count = int(part.sum())
        if count < 2:
            raise NotApplicable(f"an interval needs at least two {what}s of each class.")
        gap[part] = np.sqrt((count - 1.0) / count) * (without[part] - without[part].mean())
    value = measure.of(predictions)
    freedom = min(freedom_of(gap), *(float(part.sum()) - 1.0 for part in parts))
    low, high = _reach(value, float(np.sqrt(gap @ gap)), freedom, measure, what, level)
    return method.limits("left_out", low, high, level, strata=True, **known)


def _without_units(measure: Measure, predictions: Predictions, stratum: Ints, unit: Ints) -> Floats:
    """Values without one unit each, every stratum keeping its whole weight."""
    own = np.ones(predictions.n) if predictions.weight is None else predictions.weight
    units = int(unit.max()) + 1
    place = 2 * unit + stratum
    held = np.bincount(place, weights=own, minlength=2 * units).reshape(units, 2)
    whole = held.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        grown = whole / (whole - held)  # how much heavier the others of a stratum become
        if measure.form is Form.LOSSES:
            losses = own * measure.losses(predictions)
            sums = np.bincount(place, weights=losses, minlength=2 * units).reshape(units, 2)
            means = ((sums.sum(axis=0) - sums) * grown).sum(axis=1) / whole.sum()
            return np.asarray(means if measure.after is None else measure.after(means))
        if measure.needs_index_draws:
            raise NotApplicable(f"{measure.title} has no weighted form.")
        rows = max(1, CELLS // predictions.n)
        found = []
        for start in range(0, units, rows):
            some = np.arange(start, min(start + rows, units))
            weight = np.where(unit == some[:, None], 0.0, own * grown[some][:, stratum])
            found.append(measure.batch(predictions, weight))
    return np.concatenate(found)


def spread_of_clusters(
    measure: Measure, predictions: Predictions, values: Floats, *, confidence_level: float = 0.95
) -> Interval:
    """Interval of what is not smooth from bootstrap samples of whole clusters, with Student's t.

    Percentiles of few clusters cover .85 to .93 where this has .92 to .95.
    """
    units = len(np.unique(np.asarray(predictions.cases.groups)))
    told = values[np.isfinite(values)]
    if units < 2 or len(told) < 0.99 * len(values):
        raise NotApplicable(f"{measure.title} is not known in too many samples of the clusters.")
    value = measure.of(predictions)
    fewest = float(fewest_clusters(predictions, np.asarray(predictions.cases.groups))[0])
    freedom = max(fewest - 1.0, 1.0)
    low, high = _reach(value, float(told.std()), freedom, measure, "cluster", confidence_level)
    return method.limits(
        "bootstrap", low, high, confidence_level, clusters=units, draws=len(values)
    )


def jackknife_spread(without: Floats, times: Floats, unit: str) -> tuple[Floats, float]:
    """How far each value left is from their mean, and the standard error that these make."""
    units = float(times.sum())
    if units < 2:
        raise NotApplicable(f"an interval needs at least two {unit}s.")
    gap = without - times @ without / units
    return gap, float(np.sqrt((units - 1.0) / units * float(times @ gap**2)))


def freedom_of(gap: Floats, times: Floats | None = None) -> float:
    """Degrees of freedom of a spread that these gaps make: fewer where few make most of it.

    >>> round(freedom_of(np.r_[np.ones(20), -np.ones(20)])), freedom_of(np.r_[np.zeros(39), 1.0])
    (39, 3.0)
    """
    each = np.ones(len(gap)) if times is None else times
    squares = of_unit_size(gap) ** 2
    units, square = float(each.sum()), float(each @ squares)
    squares *= squares
    kurtosis = units * float(each @ squares) / square**2 if square > 0 else 1.0
    return min(max(2.0 * units / max(kurtosis - 1.0, 1e-9), LEAST_FREEDOM), units - 1.0)


def freedom_over_clusters(gap: Floats, predictions: Predictions) -> float:
    """Degrees of freedom of a spread that clusters make, fewer where few hold a class."""
    sample, found = Sample.of(predictions), freedom_of(gap)
    if not sample.classes:
        return found
    return min(found, freedom_over_classes(gap, predictions.cases.groups, sample.outcome))


def freedom_over_classes(gap: Floats, groups: Array | None, actual: Array) -> float:
    """Degrees of freedom of a spread over clusters, by how many of them hold each class.

    What is said of a class rests on the clusters that hold it. A cluster counts for the class that
    fewest clusters hold of those it has cases of, and the parts of the spread are put together as
    Satterthwaite (1946) does.

    >>> groups = np.repeat(np.arange(20), 2)  # of which four hold the positives
    >>> freedom_over_classes(np.where(np.arange(20) < 4, 2.0, 0.1), groups, groups < 4)
    3.06
    """
    code = np.unique(np.asarray(groups), return_inverse=True)[1]
    units = int(code.max()) + 1
    if units == len(code) or len(gap) != units:  # cases; or clusters left out some at once
        return len(gap) - 1.0
    of_case = np.asarray(actual, dtype=np.int64)
    held = np.zeros((units, int(of_case.max()) + 1), dtype=np.bool_)
    held[code, of_case] = True
    scarcest = np.where(held, held.sum(axis=0), units + 1).argmin(axis=1)
    parts, counts = np.bincount(scarcest, weights=of_unit_size(gap) ** 2), np.bincount(scarcest)
    spread = float((parts**2 / np.maximum(counts - 1.0, 0.5)).sum())
    return max(float(parts.sum()) ** 2 / spread, 1.0) if spread > 0.0 else units - 1.0


def _reach(
    value: float, error: float, freedom: float, measure: Measure, unit: str, level: float
) -> tuple[float, float]:
    """Limits about a value on the scale of its range."""
    bottom, top = measure.range
    if not bottom < value < top:
        raise NotApplicable(
            f"{measure.title} is {value:g}, as far as it can go: the cases show no spread."
        )
    # of a value near 0 the ends of its range tell what is rounding
    ends = [abs(end) for end in (bottom, top) if np.isfinite(end)]
    if error <= ROUNDING * max(abs(value), *ends, 0.0):
        raise NotApplicable(
            f"{measure.title} stays the same whichever {unit} is left out: no spread to see."
        )
    scale = scale_of(bottom, top)
    half = critical_value(level, freedom) * error * scale.slope(value)
    centre = scale.to(value)
    with np.errstate(over="ignore"):
        low, high = (scale.back(centre + side * half) for side in (-1.0, 1.0))
    # there and back again may differ in the last digit
    return max(min(low, value), bottom), min(max(high, value), top)


def without_clusters(measure: Measure, predictions: Predictions, groups: Array) -> Floats:
    """Values without one cluster each; of very many clusters, without some at once."""
    _, code = np.unique(groups, return_inverse=True)
    units = int(code.max()) + 1
    if units < 2:
        raise NotApplicable("an interval over clusters needs at least two of them.")
    if units > MOST and measure.form is not Form.LOSSES:
        # clusters in the order of their names may be sorted by what they hold
        code = np.random.default_rng(units).permutation(units)[code] % MOST
    return without_parts(measure, Sample.of(predictions), code)


# ----------------------------------------------------------------------------------------------
# Means in their own standard errors: limits and p-values from the same resamples.
#
# Flipping signs asks whether differences are symmetric about zero. Models with equal mean losses,
# one of which is rarely far off, break that. Resampling cases (or clusters) about their mean,
# each mean divided by its own standard error, asks for the means alone.
# ----------------------------------------------------------------------------------------------


FEW = 30  # cases or clusters, below which a resampled standard error is too unsteady to test with
MANY_UNITS = 500  # above which fewer resamples do
FEWER = 1999
CLOSED = 500  # cases from which resamples of values without long tails only repeat a closed form
MOST_LEAN = 0.1  # of the skewness of a mean for that
MOST_TAIL = 0.03  # and of its kurtosis
LARGE = 50_000  # cases from which it stands for resamples whatever the tails
LEAST_SPREAD = 1e-6  # of the spread of all: a resample with less has no standard error to speak of
MOST_DEGENERATE = 0.01
LIGHT_LEAN = 0.01  # of the skewness of a mean: what values drawn by their sum may have part in
LIGHT_TAIL = 0.01  # and of its kurtosis
LEAST_LARGE = 64  # values that are drawn one by one
LACKING = 8  # of the largest values, which one resample in some thousands has none of
LEAST_LEAN = 1e-7  # skewness below which a cubic root would cost more digits than it changes
UNIT_ROUNDING = 1e-12
UNIT_CELLS = 1 << 21
BLOCK = 256
SAME = "the difference is the same in every case, so it has no standard error."


@dataclass(frozen=True, eq=False)
class Units:
    """What varies: cases, or clusters with the sums of their cases, one row per quantity.

    The mean of a row is its total over `sizes.sum()`.
    """

    totals: Floats
    sizes: Floats

    @classmethod
    def of(cls, values: Floats, groups: Array | None = None) -> "Units":
        """From one value per case, or several rows of them."""
        rows = np.atleast_2d(np.asarray(values, dtype=np.float64))
        if groups is None:
            return cls(rows, np.ones(rows.shape[1]))
        code = np.unique(groups, return_inverse=True)[1]
        sums = np.stack([np.bincount(code, weights=row) for row in rows]).astype(np.float64)
        return cls(sums, np.bincount(code).astype(np.float64))

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def means(self) -> Floats:
        return np.asarray(self.totals.sum(axis=1) / self.sizes.sum())

    @cached_property
    def residuals(self) -> Floats:
        """Totals less what units of their sizes have on average."""
        found = self.means[:, None] * self.sizes
        return np.asarray(np.subtract(self.totals, found, out=found))

    @cached_property
    def errors(self) -> Floats:
        """Standard errors of the means."""
        count = len(self)
        squares = (self.residuals**2).sum(axis=1)
        return np.asarray(np.sqrt(squares * count / (count - 1)) / self.sizes.sum())

    @cached_property
    def vary(self) -> Bools:
        """Which rows differ between units by more than rounding."""
        scale = np.abs(self.totals).max(axis=1)
        return np.asarray(np.abs(self.residuals).max(axis=1) > UNIT_ROUNDING * scale)

    @cached_property
    def lean(self) -> Floats:
        """Skewness of the mean of each row, were cases drawn from these: that of one over √n."""
        return self._moment(3)

    @cached_property
    def closed(self) -> Bools:
        """Which rows need no resamples: pivots of theirs follow from skewness alone.

        What the closed form leaves out is of the order of lean² and of kurtosis over n: a
        hundredth of a standard error at most, less than 9999 resamples leave open.
        """
        if len(self) > LARGE:
            return self.vary
        if len(self) < CLOSED or np.ptp(self.sizes) > 0:
            return np.zeros(len(self.totals), dtype=np.bool_)
        mild = (np.abs(self.lean) <= MOST_LEAN) & (self._moment(4) <= MOST_TAIL)
        return np.asarray(self.vary & mild)

    def _moment(self, order: int) -> Floats:
        """A standardised moment of a case over that power of √n which a mean's has."""
        squares = self.residuals**2
        scale = np.sqrt(squares.sum(axis=1))
        # powers beyond squares are slow as such
        powers = squares * (self.residuals if order == 3 else squares)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(powers.sum(axis=1) / scale**order)

    def checked(self) -> "Units":
        """Refused where there is no standard error."""
        if len(self) < 2:
            raise NotApplicable("a standard error needs at least two cases (or clusters).")
        if not self.vary.all():
            raise NotApplicable(SAME)
        return self


@dataclass(frozen=True, eq=False)
class Pivots:
    """Means of resamples about the mean, in standard errors of their own, as work for blocks."""

    residuals: Floats
    sizes: Floats
    greatest: bool = False

    def __call__(self, rng: np.random.Generator, size: int) -> Floats:
        found = self.of_rows(rng, size)
        return np.abs(found).max(axis=1) if self.greatest else found[:, 0]

    def of_rows(self, rng: np.random.Generator, size: int) -> Floats:
        """Every row's pivot on the same resamples (size, rows)."""
        rows = max(1, UNIT_CELLS // len(self.sizes))
        parts = [self._drawn(rng, min(rows, size - at)) for at in range(0, size, rows)]
        return np.concatenate(parts)

    @cached_property
    def bulks(self) -> list["Bulk | None"]:
        """Of every row the units whose sums are normal, where units are many and of one size."""
        if len(self.sizes) < MANY_CASES or np.ptp(self.sizes) > 0 or self.greatest:
            return []
        return [Bulk.of(row) for row in self.residuals / self.sizes[0]]

    def _drawn(self, rng: np.random.Generator, size: int) -> Floats:
        if self.bulks:
            return pivots_by_bulks(self.bulks, rng, size, self._spelled_out)
        return self._spelled_out(rng, size)

    def _spelled_out(self, rng: np.random.Generator, size: int, some: Any = slice(None)) -> Floats:
        count, rows = len(self.sizes), self.residuals[some]
        drawn = rng.integers(count, size=(size, count))
        drawn += np.arange(size)[:, None] * count
        times = np.bincount(drawn.ravel(), minlength=size * count).reshape(size, count)
        times = times.astype(np.float64)
        whole = (times @ self.sizes)[:, None]
        means = times @ rows.T / whole
        squares = times @ (rows**2).T
        if np.ptp(self.sizes) == 0:
            spread = squares - means**2 * whole * self.sizes[0]
        else:
            spread = squares - 2.0 * means * (times @ (rows * self.sizes).T)
            spread += means**2 * (times @ self.sizes**2)[:, None]
        spread[spread <= LEAST_SPREAD * (rows**2).sum(axis=1)] = np.nan
        return np.asarray(means * whole / np.sqrt(spread * count / (count - 1)))


@dataclass(frozen=True, eq=False)
class Bulk:
    """Resamples of many values of which few are large: the large ones drawn one by one.

    The sum of all others, and that of their squares, are normal as far as draws can tell: what is
    left out is of the order of `LIGHT_LEAN`, the skewness that they give the mean.
    """

    count: int
    large: Floats
    light: Floats  # (2,): the mean of the others and of their squares
    factor: Floats  # (2, 2): a root of their covariance
    whole: float  # the sum of all squares

    @classmethod
    def of(cls, values: Floats) -> "Bulk | None":
        """None where too many values are large."""
        n, sizes = len(values), values**2
        whole = float(sizes.sum())
        order = np.argsort(-sizes, kind="stable")
        # a resample may lack the largest of all, and has the spread of the others then
        usual = float(sizes[order[LACKING:]].sum())
        some = LEAST_LARGE
        while usual > ROUNDING * whole and some <= n // 4:
            others = values[order[some:]]
            apart = others - others.mean()
            squares = apart**2
            lean, tail = abs(float(squares @ apart)), float(squares @ squares)
            if lean <= LIGHT_LEAN * usual**1.5 and tail <= LIGHT_TAIL * usual**2:
                both = np.stack([others, others**2])
                share, turn = np.linalg.eigh(np.cov(both, bias=True))
                factor = turn * np.sqrt(np.maximum(share, 0.0))
                return cls(n, values[order[:some]], both.mean(axis=1), factor, whole)
            some *= 2
        return None

    def pivots(self, rng: np.random.Generator, size: int) -> Floats:
        """Means of resamples in standard errors of their own."""
        n, some = self.count, len(self.large)
        found = rng.binomial(n, some / n, size)
        which = rng.integers(some, size=int(found.sum()))
        which += np.repeat(np.arange(size) * some, found)
        times = np.bincount(which, minlength=size * some).reshape(size, some).astype(np.float64)
        left = (n - found)[:, None].astype(np.float64)
        sums = left * self.light + np.sqrt(left) * (rng.normal(size=(size, 2)) @ self.factor.T)
        sums += times @ np.stack([self.large, self.large**2]).T
        total, squares = sums.T
        spread = squares - total**2 / n
        spread[spread <= LEAST_SPREAD * self.whole] = np.nan
        return np.asarray(total / np.sqrt(spread * n / (n - 1)))


def pivots_by_bulks(
    bulks: Sequence[Bulk | None],
    rng: np.random.Generator,
    size: int,
    plain: Callable[[np.random.Generator, int, list[int]], Floats],
) -> Floats:
    """Pivots of several rows (size, rows), each as it has them alone; `plain` without a bulk."""
    seed = int(rng.integers(1 << 63))
    found = np.empty((size, len(bulks)))
    for row, bulk in enumerate(bulks):
        if bulk is not None:
            found[:, row] = bulk.pivots(np.random.default_rng(seed), size)
    rest = [row for row, bulk in enumerate(bulks) if bulk is None]
    if rest:
        found[:, rest] = plain(np.random.default_rng(seed), size, rest)
    return found


@dataclass(frozen=True, eq=False)
class Studentised:
    """A mean with its standard error, beside the pivots of its resamples.

    Without pivots, means in their standard errors are Student's once `straightened`.
    """

    mean: float
    error: float
    pivots: Floats  # sorted, undefined ones left out
    df: float
    lean: float = 0.0  # skewness of the mean

    def limits(self, level: float) -> tuple[float, float]:
        """Symmetric about the mean: what the two-sided test does not reject.

        References
        ----------
        Hall (1988), On symmetric bootstrap confidence intervals.
        """
        if not len(self.pivots):
            reach = critical_value(level, self.df)
        else:
            reach = self._largest(np.sort(np.abs(self.pivots)), 1.0 - level)
        return self.mean - reach * self.error, self.mean + reach * self.error

    def bounds(self, level: float) -> tuple[float, float]:
        """Two one-sided bounds, each at (1 + level) / 2: what the one-sided tests reject beyond."""
        if not len(self.pivots):
            reach = critical_value(level, self.df)
            low, high = (self.mean - leaning(q, self.lean) * self.error for q in (reach, -reach))
            return low, high
        outside = (1.0 - level) / 2.0
        above = self._largest(self.pivots, outside)
        below = self._largest(-self.pivots[::-1], outside)
        # of few draws all may lie on one side; the mean is one of the values it may have
        above, below = max(above, 0.0), max(below, 0.0)
        return self.mean - above * self.error, self.mean + below * self.error

    def p_value(self, alternative: Alternative = "two-sided", against: float = 0.0) -> float:
        """p of the hypothesis that the mean is `against` (or beyond it, one-sided)."""
        if not len(self.pivots):
            pivot = (self.mean - against) / self.error
            if alternative != "two-sided":  # of both sides together skewness is none
                pivot = straightened(pivot, self.lean)
            return p_of(pivot, self.df, alternative)
        return self.tail(alternative, against).p_value

    def tail(self, alternative: Alternative = "two-sided", against: float = 0.0) -> Tail:
        """Where the mean lies among its resamples."""
        center = 0.0 if alternative == "two-sided" else None
        pivot = (self.mean - against) / self.error
        return tail(pivot, self.pivots, alternative=alternative, center=center)

    @property
    def name(self) -> str:
        """The method: resamples, or the closed form that stands for them."""
        return "studentised_bootstrap" if len(self.pivots) else "student"

    def known(self, *, one_sided: bool) -> dict[str, Any]:
        """What is known of this use of the method; of both sides together skewness is none."""
        if len(self.pivots):
            return {"draws": len(self.pivots)}
        return {"corrected": True} if one_sided else {}

    @property
    def least(self) -> float:
        """The smallest p-value that the draws allow."""
        return 1.0 / (len(self.pivots) + 1) if len(self.pivots) else 0.0

    def _largest(self, ascending: Floats, outside: float) -> float:
        """The k-th largest pivot, so that a limit excludes what (b + 1) / (m + 1) rejects."""
        k = max(int(round((len(ascending) + 1) * outside, 9)), 1)
        return float(ascending[-min(k, len(ascending))])


def straightened(pivot: float, lean: float) -> float:
    r"""A mean in its standard errors as a number that is Student's though cases are skewed.

    .. math:: g(t) = t + \frac{a t^2}{3} + \frac{a^2 t^3}{27} + \frac{a}{6}

    for a mean of skewness a. It only ever rises, and `leaning` leads back.

    >>> straightened(2.0, 0.06), leaning(straightened(2.0, 0.06), 0.06)
    (2.091, 2.0)

    References
    ----------
    Hall (1992), On the removal of skewness by transformation.
    """
    return pivot + lean * pivot**2 / 3.0 + lean**2 * pivot**3 / 27.0 + lean / 6.0


def leaning(number: float, lean: float) -> float:
    """The pivot that `straightened` makes this number of."""
    if abs(lean) < LEAST_LEAN:
        return number
    return 3.0 / lean * float(np.cbrt(1.0 + lean * (number - lean / 6.0)) - 1.0)


def studentised(units: Units, settings: Settings = DEFAULT) -> Studentised | None:
    """A mean with its resamples; None where too many of these have no standard error.

    Of many cases without long tails there are no resamples: their pivots have a closed form.
    """
    return studentised_rows(Units(units.totals[:1], units.sizes), settings)[0]


def studentised_rows(units: Units, settings: Settings = DEFAULT) -> list[Studentised | None]:
    """The same of every row, on the same resamples: each as `studentised` has it alone."""
    units.checked()
    closed = units.closed & (settings.draws is None or len(units) > LARGE)
    drawn = Pivots(units.residuals[~closed], units.sizes).of_rows
    columns = iter(())
    if not closed.all():
        found = replicate_blocks(drawn, fewer(settings, len(units)), block=BLOCK)
        columns = iter(np.asarray(found).T)
    return [
        _of_pivots(units, row, np.empty(0) if known else next(columns))
        for row, known in enumerate(closed)
    ]


def _of_pivots(units: Units, row: int, found: Floats) -> Studentised | None:
    defined = found[~np.isnan(found)]
    if len(found) - len(defined) > MOST_DEGENERATE * len(found):
        return None
    mean, error = float(units.means[row]), float(units.errors[row])
    lean = 0.0 if len(found) else float(units.lean[row])
    return Studentised(mean, error, np.sort(defined), len(units) - 1.0, lean)


def enough(units: Units) -> bool:
    """Whether means can be tested."""
    return len(units) >= FEW


def fewer(settings: Settings, count: int) -> Settings:
    """The settings with no more draws than many units need."""
    if count <= MANY_UNITS or settings.flips <= FEWER:
        return settings
    return replace(settings, draws=FEWER)


@dataclass(frozen=True)
class Padded:
    """A mean of values few of which are not alike: Student's t after Bonett and Price.

    Resamples would often hold equal values only. Instead one value of the largest size is added on
    either side, as Bonett and Price (2012) add one case on either side for paired shares.
    """

    mean: float
    centre: float
    error: float
    df: float

    @classmethod
    def of(cls, units: Units) -> "Padded":
        units.checked()
        rows = units.totals[0]
        most = float(np.abs(rows).max())
        size = float(units.sizes.mean())
        padded = Units(
            np.concatenate([rows, [most, -most]])[None],
            np.concatenate([units.sizes, [size, size]]),
        )
        return cls(
            float(units.means[0]),
            float(padded.means[0]),
            float(padded.errors[0]),
            len(units) - 1.0,
        )

    def limits(self, level: float) -> tuple[float, float]:
        half = critical_value(level, self.df) * self.error
        return min(self.centre - half, self.mean), max(self.centre + half, self.mean)

    def p_value(self, alternative: Alternative = "two-sided", against: float = 0.0) -> float:
        return p_of((self.centre - against) / self.error, self.df, alternative)


def span(bounds: tuple[float, float]) -> tuple[float, float]:
    """Between which numbers a difference of two values within bounds lies."""
    reach = bounds[1] - bounds[0]
    return (-reach, reach) if np.isfinite(reach) else (-np.inf, np.inf)


# ----------------------------------------------------------------------------------------------
# Bootstrap intervals: percentile, bias-corrected and accelerated, studentised.
# ----------------------------------------------------------------------------------------------


METHODS = ("bca", "percentile", "studentised")
MOST_UNDEFINED = 0.01
MEAN_ROUNDING = 1e-12  # of the scale: a spread below is none
MANY_CASES = 1000  # cases from which on resamples are counted rather than spelled out


def bootstrap(
    predictions: Predictions,
    measure: Measure | str,
    *,
    method: str = "bca",
    confidence_level: float = 0.95,
    draws: int = BOOTSTRAPS,
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
    draws
        Number of bootstrap samples; 1999 unless stated.

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
    return bool(np.ptp(values) > MEAN_ROUNDING * np.abs(values).max())


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
    draws: int = BOOTSTRAPS,
    rng: np.random.Generator,
    pivots: Floats | None = None,
) -> Interval:
    """Bootstrap-t interval of a mean loss; its `pivots` where they are known."""
    if predictions.weight is not None:
        raise NotApplicable("the studentised bootstrap is for cases that count one each.")
    losses = measure.losses(predictions)
    found = studentised_interval(losses, confidence_level, draws, rng, pivots)
    return of_mean_losses(measure, losses, found)


def of_mean_losses(measure: Measure, losses: Floats, found: Interval) -> Interval:
    """The limits of a mean of losses as those of the measure."""
    found = _within_bounds(measure, losses, found)
    if measure.after is not None:
        bottom = measure.range[0]
        low, high = (float(measure.after(max(x, bottom))) for x in (found.low, found.high))
        found = replace(found, low=low, high=high)
    return clamped(measure, found)


def _within_bounds(measure: Measure, losses: Floats, found: Interval) -> Interval:
    """Limits no wider than any losses within the measure's range can have.

    Where a few cases make up nearly all of the loss, resamples without them have hardly any spread
    and the bootstrap's limits run away. Those of Hoeffding, at a tenth of the error, hold for any
    values that have bounds.
    """
    bottom, top = measure.range
    span = top - bottom
    if measure.after is not None or not np.isfinite(span):
        return found
    if losses.min() < bottom or losses.max() > top:
        return found
    error = (1.0 - found.level) / 2.0 / 10.0
    ends = bounded_mean_limits((float(losses.mean()) - bottom) / span, len(losses), error)
    low, high = (bottom + span * x for x in ends)
    if low <= found.low and found.high <= high:
        return found
    known = {**found.by, "bounds": "Hoeffding's bound"}
    return limits(
        known.pop("name"), max(low, found.low), min(high, found.high), found.level, **known
    )


def bounded_mean_limits(mean: float, n: int, error: float) -> tuple[float, float]:
    """How far the true mean of n values within [0, 1] may be, on each side but for `error`.

    The relative entropy between two coins that show the mean and the limit is log(1 / error) / n.

    >>> low, high = bounded_mean_limits(0.01, 50, 0.0025)
    >>> round(low, 6), round(high, 3)
    (0.0, 0.146)

    References
    ----------
    Hoeffding (1963), Probability inequalities for sums of bounded random variables, theorem 1.
    """
    from scipy.special import rel_entr

    far = -np.log(error) / n

    def beyond(x: float) -> float:
        return float(rel_entr(mean, x) + rel_entr(1.0 - mean, 1.0 - x)) - far

    least, most = 1e-15, 1.0 - 1e-15
    low = float(crossing(beyond, least, mean)) if mean > least and beyond(least) > 0 else 0.0
    high = float(crossing(beyond, mean, most)) if mean < most and beyond(most) > 0 else 1.0
    return low, high


def studentised_interval(
    values: Floats,
    level: float,
    draws: int,
    rng: np.random.Generator,
    pivots: Floats | None = None,
) -> Interval:
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
    if error <= MEAN_ROUNDING * float(np.abs(values).max()):
        raise NotApplicable("every case has the same loss: the cases show no spread.")
    centred = values - mean
    if pivots is None:
        pivots = _pivots_of_rows(centred[None], rng, draws)[0]
    known = pivots[np.isfinite(pivots)]
    if len(pivots) - len(known) > MOST_UNDEFINED * len(pivots):
        half = critical_value(level, freedom_of(centred)) * error
        return limits("student", mean - half, mean + half, level)
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(known, [tail, 1.0 - tail], method="inverted_cdf")
    ends = float(mean - high * error), float(mean - low * error)
    return limits(
        "studentised_bootstrap", min(ends[0], mean), max(ends[1], mean), level, draws=draws
    )


def mean_pivots(
    measures: Sequence[Measure],
    predictions: Predictions,
    draws: int,
    rng: np.random.Generator,
    *,
    undrawn: bool = False,
) -> dict[str, Floats]:
    """Pivots of mean losses on the same resamples, by label; without those that have none.

    With `undrawn`, those in closed form are left out too.
    """
    rows: dict[str, Any] = {m.label: np.asarray(m.losses(predictions)) for m in measures}
    rows = {label: values for label, values in rows.items() if np.isfinite(values).all()}
    if not rows or predictions.n < 2:
        return {}
    centred = np.stack([values - float(values.mean()) for values in rows.values()])
    if undrawn:
        drawn = ~Units.of(centred).closed
        rows = {label: None for label, needed in zip(rows, drawn, strict=True) if needed}
        if not rows:
            return {}
        centred = centred[drawn]
    different, same = np.unique(centred, axis=0, return_inverse=True)
    return dict(zip(rows, _pivots_of_rows(different, rng, draws)[same], strict=True))


def _pivots_of_rows(centred: Floats, rng: np.random.Generator, draws: int) -> Floats:
    """Means of resamples in standard errors of their own, (rows, draws); nan where of rounding."""
    n = centred.shape[1]
    centred = of_unit_size(centred)  # pivots have no unit
    if n >= MANY_CASES:
        return pivots_by_bulks(
            [Bulk.of(row) for row in centred],
            rng,
            draws,
            lambda own, size, some: _pivots_by_counts(centred[some], own, size).T,
        ).T
    slices = _slices(draws, max(1, (1 << 21) // n))
    return np.concatenate([_pivots(centred, rng, size) for size in slices], axis=1)


def _pivots(centred: Floats, rng: np.random.Generator, size: int) -> Floats:
    """From the cases that were drawn, one by one."""
    rows, n = centred.shape
    index = rng.integers(n, size=(size, n))
    found = np.full((rows, size), np.nan)
    for row, values in enumerate(centred):
        drawn = values[index]
        errors = drawn.std(axis=1, ddof=1) / np.sqrt(n)
        told = errors > MEAN_ROUNDING * np.abs(values).max()
        np.divide(drawn.mean(axis=1), errors, out=found[row], where=told)
    return found


def _pivots_by_counts(centred: Floats, rng: np.random.Generator, size: int) -> Floats:
    """From how often every case was drawn, its values and their squares: fast for many."""
    rows, n = centred.shape
    sums_of = np.stack([centred, centred**2], axis=1).reshape(2 * rows, n)
    alike = Sorted(np.zeros(n, dtype=bool), np.arange(n), n, sums_of)
    drawn = binary_bootstrap(alike, Bootstrap(n), rng, size)["losses"].T
    sums, squares = drawn[::2], drawn[1::2]
    spread = squares - sums**2 / n
    told = spread > MEAN_ROUNDING * squares
    scale = np.sqrt(np.where(told, spread, 1.0) * n / (n - 1))
    return np.where(told, sums / scale, np.nan)


def _slices(total: int, most: int) -> list[int]:
    return [min(most, total - start) for start in range(0, total, most)]


def _adjusted(
    at: Floats, values: Floats, estimate: float, measure: Measure, predictions: Predictions
) -> Floats:
    if predictions.cases.groups is None:
        without, times = leave_one_out(measure, predictions)
    else:
        without = without_clusters(measure, predictions, predictions.cases.groups)
        times = np.ones(len(without))
    return accelerated(at, values, estimate, without, times)


def accelerated(
    at: Floats, values: Floats, estimate: float, without: Floats, times: Floats
) -> Floats:
    """Percentiles moved for bias and for a spread that changes with the value (BCa).

    `without` are values with cases left out, each standing for so many.
    """
    below = (values < estimate).mean() + (values == estimate).mean() / 2.0
    kept = np.isfinite(without)
    gap = np.average(without[kept], weights=times[kept]) - without[kept]
    scale = (times[kept] @ gap**2) ** 1.5
    acceleration = (times[kept] @ gap**3) / (6.0 * scale) if scale > 0 else 0.0
    return moved_percentiles(at, below, len(values), acceleration)


def moved_percentiles(at: Any, below: Any, draws: int, acceleration: Any) -> Floats:
    """Where BCa reads its limits: by the share of replicates below the value and acceleration.

    References
    ----------
    Efron (1987); Efron & Tibshirani (1993), section 14.3.
    """
    from scipy.special import ndtr, ndtri

    bias = ndtri(np.clip(below, 0.5 / draws, 1.0 - 0.5 / draws))
    shifted = bias + ndtri(at)
    moved: Floats = ndtr(bias + shifted / (1.0 - acceleration * shifted))
    return moved
