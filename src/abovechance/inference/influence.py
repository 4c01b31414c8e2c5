"""How much each case moves a value: one function behind every variance that is not resampled.

`influence` is the derivative of a value by what a case counts. Its squares sum to the variance of
the value for independent cases, and the squares of its sums over clusters to that for clusters. It
is known in closed form for means, tables, areas, concordances and correlations, and a numerical
derivative for all other measures. `components` holds those of several models on the same cases.

Do two models order the classes equally well? DeLong's test, for any number of models at once.

Intervals of concordance with censored times, by the infinitesimal jackknife.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import NotApplicable
from abovechance.measures import Form, Law, Measure, find
from abovechance.measures.rank import AREA, AreaScale, area_scale, concordance_scale, pair_scale
from abovechance.measures.sample import (
    COUNTING,
    Sample,
    case_losses,
    class_values,
    evaluate,
    made_of,
    on_counts,
    resampled,
)
from abovechance.measures.sufficient_statistics import condensed
from abovechance.numerics.censoring import concordance_by_case
from abovechance.numerics.counts import one_against_rest, weighted_mean
from abovechance.numerics.kernels import worthwhile
from abovechance.numerics.ranks import Part, covariance
from abovechance.predictions import Survival

NO_SCORE = "areas under ROC curves need a score or a probability."
ONE_CLASS = "an area under the ROC curve needs cases of both classes."
ONE_CASE = (
    "one case of a class shows no spread: DeLong's variance needs at least two cases of every "
    "class."
)
ONE_CLUSTER = "over clusters every class must have cases in at least two of them."
TWO_CLUSTERS = "an answer over clusters needs at least two of them."
NOT_AN_AREA = "is not linear in areas under ROC curves."
STEP = 1e-4  # of what a case counts, for derivatives
CELLS = 1 << 21  # how many weights are held at once
ADDITIVE = 1e-6  # relative: how far derivatives may be off from sums of two by rounding
FEW_CLASSES = 4  # up to which every cell of a table is tried
MOST_CLASSES = 200  # beyond which cells that follow from no margins are not tried one by one


class NotLinear(NotApplicable):
    """A measure whose law is that of pairs, but which is no linear function of their areas."""


@dataclass(frozen=True, eq=False)
class Components:
    """Values of models on the same cases, and how much every case moves each of them.

    `influence` (models, cases) sums to zero within every stratum: the classes, or one stratum
    where class sizes are random. `scale` leads from the area to the values; `classes` numbers the
    class of every case, `parts` says how much of the values each class has part in, and `weight`
    what every case counts.
    """

    areas: Floats
    influence: Floats
    stratum: Array
    groups: Array | None = None
    scale: AreaScale = AREA
    classes: Array | None = None
    parts: Floats | None = None
    weight: Floats | None = None

    @property
    def covariance(self) -> Floats:
        """DeLong's covariance of the values; with groups Obuchowski's."""
        return np.asarray(sum(part.matrix for part in self.spread(self.influence)))

    def difference(self, first: int, second: int) -> "Gap":
        """One value less another, its standard error and degrees of freedom."""
        gap = float(self.areas[first] - self.areas[second])
        moved = (self.influence[first] - self.influence[second])[None, :]
        parts = [(float(part.matrix[0, 0]), part.df) for part in self.spread(moved)]
        found = Gap.of_parts(gap, parts)
        if self.groups is None or np.isfinite(found.df):
            return found
        return Gap(gap, found.error, parts[0][1])

    def spread(self, influence: Floats) -> list[Part]:
        """Independent parts of the covariance of sums of influences."""
        try:
            return covariance(influence, self.stratum, self.groups)
        except ValueError:
            if self.groups is None:
                raise NotApplicable(ONE_CASE) from None
            single = len(np.unique(self.groups)) < 2
            raise NotApplicable(TWO_CLUSTERS if single else ONE_CLUSTER) from None


@dataclass(frozen=True)
class Gap:
    """A difference with its standard error and the degrees of freedom of that."""

    difference: float
    error: float
    df: float

    @classmethod
    def of_parts(
        cls, difference: float, parts: Sequence[tuple[float, float]], at_most: float = np.inf
    ) -> "Gap":
        """From independent variances with their degrees of freedom (Welch and Satterthwaite)."""
        total, below = sum(v for v, _ in parts), sum(v**2 / df for v, df in parts)
        df = min(total**2 / below if below > 0 else np.inf, at_most)
        return cls(difference, float(np.sqrt(max(total, 0.0))), df)

    @property
    def freedom(self) -> dict[str, Any]:
        """The degrees of freedom for the name of a method; without spread there are none to say."""
        return {"df": self.df} if np.isfinite(self.df) else {}


def influence(measure: Measure, sample: Sample) -> Floats:
    """How much each case moves a value, in the value's units; the sum is 0.

    The derivative by the logarithm of the case's weight. In closed form where there is one: means
    of losses, functions of a confusion table, areas, concordances of censored times, and what a
    measure declares. Else a central difference in blocks of bounded memory; of measures that know
    no weights, what leaving the case out does.

    >>> from abovechance.predictions import Binary
    >>> cases = Binary([0, 0, 1, 1], probability=[0.1, 0.6, 0.4, 0.9])
    >>> influence(find("auc"), Sample.of(cases))
    array([ 0.125, -0.125, -0.125,  0.125])
    >>> influence(find("brier"), Sample.of(cases))
    array([-0.044,  0.044,  0.044, -0.044])
    """
    measure = measure.for_outcome(sample.kind)
    with np.errstate(divide="ignore", invalid="ignore"):
        for closed in (_of_losses, _of_table, _of_pairs, _of_censored_pairs):
            found = closed(measure, sample)
            if found is not None:
                return found
        found = declared_influence(measure, sample)
        return numerical_influence(measure, sample) if found is None else found


def declares_influence(measure: Measure, sample: Sample) -> bool:
    """Whether `declared_influence` has an answer; where a formula stands, it is not asked."""
    own = measure.for_outcome(sample.kind)
    plain = sample.weight is None and sample.outputs == 1
    if not plain or (own.influence is not None and own.after is None):
        return plain
    with np.errstate(divide="ignore", invalid="ignore"):
        few = None if sample.columns else condensed(own, sample)
        return few is not None and few.slopes(partial(_value_of_few, own, sample)) is not None


def _value_of_few(measure: Measure, sample: Sample, columns: dict[str, Any]) -> Floats:
    return evaluate(measure, made_of(sample, columns))


def declared_influence(measure: Measure, sample: Sample) -> Floats | None:
    """The same from what a measure declares: the influence itself, or the means that suffice.

    None where it declares neither, and of cases that do not count one each.
    """
    if sample.weight is not None or sample.outputs > 1:
        return None
    measure = measure.for_outcome(sample.kind)
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure.influence is not None and measure.after is None:
            censored = measure.form is Form.CENSORED
            columns = (sample.predictions(),) if censored else sample.formula_columns(measure)
            return measure.influence(*columns, **measure.parameters) / sample.n
        few = None if sample.columns else condensed(measure, sample)
        return None if few is None else few.influence(partial(_value_of_few, measure, sample))


def numerical_influence(measure: Measure, sample: Sample) -> Floats:
    """The same from the values alone, for any measure."""
    n = sample.n
    rows = max(1, CELLS // max(1, n))
    blocks = [np.arange(start, min(start + rows, n)) for start in range(0, n, rows)]
    if not measure.weighted:
        without = np.concatenate(
            [resampled(measure, sample, np.arange(n) != some[:, None]) for some in blocks]
        )
        return (without.mean() - without) * (n - 1.0) / n
    own = np.ones(n) if sample.weight is None else sample.weight
    parts = []
    for some in blocks:
        step = STEP * own * (np.arange(n) == some[:, None])
        up, down = (evaluate(measure, sample.reweighted(own + side * step)) for side in (1, -1))
        parts.append((up - down) / (2.0 * STEP))
    return np.concatenate(parts)


def frequency_variance(value: Callable[[Floats], Floats], share: Floats, cases: float) -> float:
    r"""Variance of a value that comes from how frequent the classes happen to be.

    `value` is given factors by which each class (last axis) counts more, and returns the values;
    `share` is how frequent the classes are among so many cases. With :math:`g_k` the slope of the
    value in the logarithm of how much class k counts, the variance is
    :math:`\sum_k g_k^2 / \pi_k / n`. Of the prevalence itself it is p (1 − p) / n:

    >>> share = np.array([0.8, 0.2])
    >>> frequency_variance(lambda f: f[:, 1] * 0.2 / (f @ share), share, 100)
    0.0016
    """
    steps = STEP * np.eye(len(share))
    slopes = (value(1.0 + steps) - value(1.0 - steps)) / (2.0 * STEP)
    return float((slopes**2 / share).sum() / cases)


def table_slopes(measure: Measure, tables: Floats) -> Floats:
    """Derivatives of a function of confusion tables (…, K, K) by every cell.

    As the measure declares them. Averages over classes go by the chain rule: a case adds to one of
    the four counts of each class. Most other functions depend on the margins and the diagonal
    alone; then the derivative by a cell off the diagonal is a sum of one term for its row and one
    for its column, and 3 K cells tell all K². Whether it is so is tried out.

    >>> table_slopes(find("accuracy"), np.array([[3.0, 1.0], [0.0, 4.0]]))
    array([[ 0.016, -0.109],
           [-0.109,  0.016]])
    """
    k = tables.shape[-1]
    measure = measure.for_outcome("multiclass" if k > 2 else "binary")
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure.slopes is not None:
            slopes = measure.slopes(tables, **measure.parameters)
            if _bears_out(measure, tables.reshape(-1, k, k)[0], slopes.reshape(-1, k, k)[0]):
                return slopes
        if measure.form is not Form.COUNTS:
            return _slopes_of_classes(measure, tables)
        return numerical_slopes(measure, tables)


def numerical_slopes(measure: Measure, tables: Floats) -> Floats:
    """The same from the values alone, for any function of a table; nan of very many classes."""
    k = tables.shape[-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = None if k <= FEW_CLASSES else _slopes_of_margins(measure, tables)
        if found is not None:
            return found
        if k > MOST_CLASSES:
            return np.full(tables.shape, np.nan)
        every = [_slope(measure, tables, a, c) for a in range(k) for c in range(k)]
        return np.stack(every, axis=-1).reshape(tables.shape)


def _bears_out(measure: Measure, table: Floats, slopes: Floats) -> bool:
    """Whether a formula moves as declared: one that was put in another's place need not."""
    step = min(_step(table), 1e-3 * float(table.mean()))
    towards = step * np.random.default_rng(len(table)).uniform(0.5, 1.5, table.shape)
    up, down = (float(on_counts(measure, table + side * towards)) for side in (1.0, -1.0))
    size, rounding = float(np.abs(slopes * towards).sum()), 1e-14 * max(1.0, len(table) / 10.0)
    off = abs((up - down) / 2.0 - float((slopes * towards).sum()))
    return not off > ADDITIVE * size + rounding


def _slope(measure: Measure, tables: Floats, actual: int, called: int) -> Floats:
    step = _step(tables)
    cell = np.zeros(tables.shape[-2:])
    cell[actual, called] = step
    return (on_counts(measure, tables + cell) - on_counts(measure, tables - cell)) / (2.0 * step)


def _step(tables: Floats) -> float:
    """A small part of a case; less where weights add up to less than cases would."""
    return STEP * min(1.0, float(tables.sum(axis=(-2, -1)).min()) / 100.0)


def _slopes_of_margins(measure: Measure, tables: Floats) -> Floats | None:
    """From one row, one column and the diagonal; None where other cells do not follow."""
    k = tables.shape[-1]
    row, column = np.zeros((2, *tables.shape[:-2], k))  # what a cell gets by either
    for called in range(1, k):
        column[..., called] = _slope(measure, tables, 0, called)
    row[..., 1] = _slope(measure, tables, 1, 2) - column[..., 2]
    first = [_slope(measure, tables, actual, 0) for actual in range(1, k)]
    column[..., 0] = first[0] - row[..., 1]
    for actual in range(2, k):
        row[..., actual] = first[actual - 1] - column[..., 0]
    slopes = row[..., :, None] + column[..., None, :]
    for one in range(k):
        slopes[..., one, one] = _slope(measure, tables, one, one)
    size = np.abs(slopes).max()
    for actual, called in ((2, 1), (k - 1, 1), (k - 2, k - 1), (k // 2, k - 1)):
        off = np.abs(_slope(measure, tables, actual, called) - slopes[..., actual, called])
        if not (off <= ADDITIVE * size).all():
            return None
    return slopes


def _slopes_of_classes(measure: Measure, tables: Floats) -> Floats:
    counts = one_against_rest(tables)
    if measure.average is None:
        tp, fp, fn, tn = _partials(measure, [c[..., 1] for c in counts], _step(tables))
        return np.stack([tn, fp, fn, tp], axis=-1).reshape(*tp.shape, 2, 2)
    k = tables.shape[-1]
    if measure.average == "micro":
        pooled = [c.sum(axis=-1)[..., None] for c in counts]
        each = [np.repeat(d, k, axis=-1) for d in _partials(measure, pooled, _step(tables))]
    else:
        values = class_values(measure, *counts)
        size = counts[0] + counts[2] if measure.average == "weighted" else np.ones(values.shape)
        weight = np.where(np.isnan(values), 0.0, size)
        share = weight / weight.sum(axis=-1, keepdims=True)
        partials = _partials(measure, list(counts), _step(tables))
        each = [np.where(share > 0, share * d, 0.0) for d in partials]
        if measure.average == "weighted":  # a case of a class makes that class weigh more
            known = np.where(weight > 0, values, 0.0)
            mean = (share * known).sum(axis=-1, keepdims=True)
            more = np.where(weight > 0, known - mean, 0.0) / weight.sum(axis=-1, keepdims=True)
            each = [each[0] + more, each[1], each[2] + more, each[3]]
    tp, fp, fn, tn = each
    slopes = (fn - tn)[..., :, None] + (fp - tn)[..., None, :]
    slopes[..., np.arange(k), np.arange(k)] = tp - tn
    return np.asarray(slopes + tn.sum(axis=-1)[..., None, None])


def _partials(measure: Measure, counts: list[Floats], step: float) -> list[Floats]:
    """Derivatives of the value of each class by its four counts."""
    found = []
    for which in range(4):
        up, down = (
            class_values(measure, *(c + s * step * (i == which) for i, c in enumerate(counts)))
            for s in (1.0, -1.0)
        )
        found.append((up - down) / (2.0 * step))
    return found


def _of_losses(measure: Measure, sample: Sample) -> Floats | None:
    if measure.form is not Form.LOSSES:
        return None
    losses, own = case_losses(measure, sample), sample.formula_weight(measure)
    mean = weighted_mean(losses, own)
    each = np.ones(sample.n) if sample.weight is None else sample.weight
    found = (losses - mean[..., None]) * each / each.sum()
    if measure.after is not None:
        step = 1e-5 * np.maximum(np.abs(mean), 1e-300)
        change = measure.after(mean + step) - measure.after(mean - step)
        found = found * (change / (2.0 * step))[..., None]
    return found.mean(axis=0) if sample.has_outputs(measure) else found


def _of_table(measure: Measure, sample: Sample) -> Floats | None:
    if measure.form not in COUNTING:
        return None
    slopes = table_slopes(measure, np.asarray(sample.confusion, dtype=np.float64))
    actual, called = (np.asarray(sample.column(c), dtype=np.int64) for c in ("outcome", "label"))
    moved = slopes[actual, called]
    return moved if sample.weight is None else moved * sample.weight


def _of_pairs(measure: Measure, sample: Sample) -> Floats | None:
    if measure.law is not Law.PAIRS:
        return None
    try:
        return _area_of(measure, sample).influence
    except NotLinear:
        return None


def _of_censored_pairs(measure: Measure, sample: Sample) -> Floats | None:
    if measure.law is not Law.CENSORED_PAIRS or sample.weight is not None:
        return None
    predictions = sample.predictions()
    weight = None
    if measure.pair_weight is not None:
        weight = measure.pair_weight(predictions, **measure.parameters)
    tau = measure.parameters.get("tau")
    value, moved = concordance_influence(predictions, tau=tau, pair_weight=weight)
    scale = concordance_scale(measure, measure.of(predictions), value)
    return None if scale is None else scale.slope * moved


def concordance_influence(
    predictions: Survival, *, tau: float | None = None, pair_weight: Floats | None = None
) -> tuple[float, Floats]:
    """Harrell's C, and how much each case moves it: the derivative by the case's weight."""
    given = {"tau": tau, "pair_weight": pair_weight}
    options: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    counts = concordance_by_case(predictions.time, predictions.event, predictions.risk, **options)
    right = counts.concordant + counts.tied_risk / 2.0
    pairs = counts.concordant + counts.discordant + counts.tied_risk
    total = pairs.sum() / 2.0
    if total == 0:
        raise NotApplicable("no two cases can be compared: their order in time is not known.")
    value = float(right.sum() / 2.0 / total)
    return value, (right - value * pairs) / total


def components(
    models: Sequence[Any], measure: Measure | None = None, *, weighted: bool = False
) -> Components:
    """Values and influences of models on the same cases; by default of their areas.

    `measure` is any measure linear in areas: of two classes, or of the areas of all pairs of
    several. Where it depends on how frequent classes are, class sizes are taken as random. Tests
    count cases: sampling weights are refused unless `weighted`.

    >>> y = [0, 0, 1, 1]
    >>> from abovechance.predictions import Binary
    >>> found = components([Binary(y, score=[1, 3, 2, 4]), Binary(y, score=[1, 2, 3, 4])])
    >>> found.areas, found.difference(0, 1).error
    (array([0.75, 1.  ]), 0.354)
    """
    for p in models:
        if p.cases.sample_weight is not None and not weighted:
            raise NotApplicable("DeLong's test is for cases that count one each, not for weights.")
    first = models[0]
    measure = (find("auc") if measure is None else measure).for_outcome(first.kind)
    found = [_area_of(measure, Sample.of(p)) for p in models]
    classes = np.asarray(Sample.of(first).outcome, dtype=np.int64)
    random = any(area.random for area in found)
    return Components(
        np.array([area.value for area in found]),
        np.stack([area.influence for area in found]),
        np.zeros_like(classes) if random else classes,
        clusters_of(first),
        found[0].scale,
        classes,
        found[0].parts,
        first.weight,
    )


class _Area(NamedTuple):
    """A measure linear in areas: its value, influences, the scale from the area, the part that
    every class has in it, and whether it depends on how frequent classes are."""

    value: float
    influence: Floats
    scale: AreaScale
    parts: Floats
    random: bool


def _area_of(measure: Measure, sample: Sample) -> _Area:
    return _two_classes(sample, measure) if sample.kind == "binary" else _many(sample, measure)


def clusters_of(predictions: Any) -> Array | None:
    """The cluster of every case; None as well where every case is a cluster of its own."""
    groups = predictions.cases.groups
    if groups is None or len(np.unique(groups)) == len(groups):
        return None
    return groups


def fewest_clusters(predictions: Any, groups: Array) -> tuple[int, str]:
    """How many clusters there are, or hold the class that fewest of them hold, and which that is.

    What is said of a class rests on the clusters that hold it, however many there are of others.
    """
    seen = slice(None) if predictions.weight is None else predictions.weight > 0
    groups = groups[seen]
    count, of_class = len(np.unique(groups)), ""
    classes = getattr(predictions, "classes", ())
    if len(classes) and count > 1:
        actual = Sample.of(predictions).outcome[seen]
        for k, name in enumerate(classes):
            held = len(np.unique(groups[actual == k]))
            if 0 < held < count:
                count, of_class = held, f" with cases of {name}"
    return count, of_class


CLUSTERS_FOR_A_VERDICT = 20  # that hold the class which fewest hold


def too_few_for_a_verdict(predictions: Any, what: str) -> str | None:
    """That clusters are too few for a verdict on a margin, or a goal; None if they are not.

    Means over clusters are skewed (most of them small, some large), and one over few that happen to
    hold no large one is small and looks sure.
    """
    groups = clusters_of(predictions)
    if groups is None:
        return None
    count, of_class = fewest_clusters(predictions, groups)
    if count >= CLUSTERS_FOR_A_VERDICT:
        return None
    return (
        f"a verdict on a {what} needs {CLUSTERS_FOR_A_VERDICT} clusters{of_class}, and there "
        f"{'is' if count == 1 else 'are'} {count}; the interval stands."
    )


def placed(score: Floats, positive: Bools) -> Floats:
    """Share of the other class on the right side of every case, from one sort; ties count half.

    As `numerics.placements.placements`, but in the order of the cases.

    >>> placed(np.array([0.1, 0.6, 0.4, 0.9]), np.array([False, False, True, True]))
    array([1. , 0.5, 0.5, 1. ])
    """
    if worthwhile(len(score), module="class_loops"):
        return _placed_compiled(score, positive)
    order = np.argsort(score)
    ordered, called = score[order], positive[order]
    n1, n = int(np.count_nonzero(positive)), len(order)
    positives = np.cumsum(called, dtype=np.float64)
    negatives = np.arange(1.0, n + 1.0) - positives
    begins = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    if len(begins) < n - 1:
        positives, negatives = (_midpoints(x, begins) for x in (positives, negatives))
    share = np.empty(n)
    share[order] = np.where(called, negatives / (n - n1), (n1 - positives) / n1)
    return share


def _placed_compiled(score: Floats, positive: Bools) -> Floats:
    from abovechance.numerics.kernels.class_loops import place
    from abovechance.numerics.kernels.pair_loops import ascending_order

    share = np.empty(len(score))
    place(*ascending_order(np.ascontiguousarray(score)), positive, share)
    return share


def _midpoints(running: Floats, begins: Array) -> Floats:
    """Running counts, halfway between before and after every run of equal scores."""
    after = running[np.append(begins, len(running)) - 1]
    before = np.concatenate([[0.0], after[:-1]])
    sizes = np.diff(np.concatenate([[0], begins, [len(running)]]))
    return np.repeat((before + after) / 2.0, sizes)


def _two_classes(sample: Sample, measure: Measure) -> _Area:
    score = sample.column("score")
    if score is None:
        raise NotApplicable(NO_SCORE)
    area, moved = _one_area(score, np.asarray(sample.outcome, dtype=np.bool_), sample.weight)
    scale = area_scale(measure, _value_of(measure, sample), area)
    if scale is None:
        raise NotLinear(f"{measure.title} {NOT_AN_AREA}")
    return _Area(float(scale.of(area)), scale.slope * moved, scale, np.ones(2), False)


def _value_of(measure: Measure, sample: Sample) -> float:
    """By the measure's own shortcut where nothing of the sample was changed."""
    return float(evaluate(measure, sample)) if sample.columns else measure.of(sample.source)


def _many(sample: Sample, measure: Measure) -> _Area:
    columns = sample.column("score")
    if columns is None:
        raise NotApplicable("areas under ROC curves need probabilities.")
    classes = np.asarray(sample.outcome, dtype=np.int64)
    k, weight = sample.classes, sample.weight
    present = np.unique(classes if weight is None else classes[weight > 0])
    if len(present) < 2:
        raise NotApplicable(ONE_CLASS)
    each = np.ones(len(classes)) if weight is None else weight
    shares = np.bincount(classes, weights=each, minlength=k) / each.sum()
    areas = np.full((k, k), np.nan)
    moved: dict[tuple[int, int], tuple[Array, Floats]] = {}
    for one in present.tolist():
        for other in present[present != one].tolist():
            inside = np.flatnonzero((classes == one) | (classes == other))
            areas[one, other], shifts = _one_area(
                columns[one, inside],
                classes[inside] == one,
                None if weight is None else weight[inside],
            )
            moved[one, other] = (inside, shifts)
    found = pair_scale(measure, areas, shares)
    if found is None:
        raise NotLinear(f"{measure.title} {NOT_AN_AREA}")
    total = found.by_class[classes] * each / each.sum()
    for (one, other), (inside, shifts) in moved.items():
        total[inside] += found.slopes[one, other] * shifts
    return _Area(found.value, total, found.scale, found.parts, bool(found.by_class.any()))


def _one_area(score: Floats, positive: Bools, weight: Floats | None = None) -> tuple[float, Floats]:
    n1, n = int(np.count_nonzero(positive)), len(score)
    if n1 in (0, n):
        raise NotApplicable(ONE_CLASS)
    if weight is not None:
        return _weighted_area(score, positive, weight)
    share = placed(score, positive)
    area = min(float(np.dot(share, positive)) / n1, 1.0)
    return area, (share - area) / np.where(positive, n1, n - n1)


def _weighted_area(score: Floats, positive: Bools, weight: Floats) -> tuple[float, Floats]:
    """The same where a pair counts the product of its weights."""
    tied = np.unique(score, return_inverse=True)[1]
    groups = int(tied.max()) + 1
    ours, theirs = (
        np.bincount(tied, weights=weight * side, minlength=groups) for side in (positive, ~positive)
    )
    below = np.cumsum(theirs) - theirs / 2.0
    above = ours.sum() - np.cumsum(ours) + ours / 2.0
    share = np.where(positive, below[tied] / theirs.sum(), above[tied] / ours.sum())
    area = min(float(np.dot(share * positive, weight)) / float(ours.sum()), 1.0)
    return area, weight * (share - area) / np.where(positive, ours.sum(), theirs.sum())
