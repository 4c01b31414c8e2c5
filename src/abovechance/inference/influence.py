"""Areas under ROC curves, and how much every case moves them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import NotApplicable
from abovechance.measures import Measure, find
from abovechance.measures.area_scale import AREA, AreaScale, area_scale, pair_scale
from abovechance.numerics.kernels import worthwhile
from abovechance.numerics.ranks import Part, covariance
from abovechance.predictions import Binary, Multiclass

NO_SCORE = "areas under ROC curves need a score or a probability."
ONE_CLASS = "an area under the ROC curve needs cases of both classes."
ONE_CASE = (
    "one case of a class shows no spread: DeLong's variance needs at least two cases of every "
    "class."
)
ONE_CLUSTER = "over clusters every class must have cases in at least two of them."
TWO_CLUSTERS = "an answer over clusters needs at least two of them."
NOT_AN_AREA = "is not linear in areas under ROC curves."


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
        found = [(float(part.matrix[0, 0]), part.df) for part in self.spread(moved)]
        variance = sum(v for v, _ in found)
        below = sum(v**2 / df for v, df in found)
        df = (
            variance**2 / below if below > 0 else found[0][1] if self.groups is not None else np.inf
        )
        return Gap(gap, float(np.sqrt(max(variance, 0.0))), df)

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


def components(
    models: Sequence[Any], measure: Measure | None = None, *, weighted: bool = False
) -> Components:
    """Values and influences of models on the same cases; by default of their areas.

    `measure` is any measure linear in areas: of two classes, or of the areas of all pairs of
    several. Where it depends on how frequent classes are, class sizes are taken as random. Tests
    count cases: sampling weights are refused unless `weighted`.

    >>> y = [0, 0, 1, 1]
    >>> found = components([Binary(y, score=[1, 3, 2, 4]), Binary(y, score=[1, 2, 3, 4])])
    >>> found.areas, found.difference(0, 1).error
    (array([0.75, 1.  ]), 0.354)
    """
    for p in models:
        if p.cases.sample_weight is not None and not weighted:
            raise NotApplicable("DeLong's test is for cases that count one each, not for weights.")
    first = models[0]
    measure = (find("auc") if measure is None else measure).for_outcome(first.kind)
    groups = clusters_of(first)
    if isinstance(first, Binary):
        found = [_two_classes(p, measure) for p in models]
        stratum = classes = first.positive.astype(np.int64)
        parts = np.ones(2)
    else:
        classes = np.asarray(first.actual, dtype=np.int64)
        many = [_many_classes(p, classes, measure) for p in models]
        found = [(value, moved, scale) for value, moved, scale, _, _ in many]
        stratum = np.zeros_like(classes) if any(random for *_, random in many) else classes
        parts = many[0][3]
    values, influence, scales = zip(*found, strict=True)
    return Components(
        np.array(values),
        np.stack(influence),
        stratum,
        groups,
        scales[0],
        classes,
        parts,
        first.weight,
    )


def clusters_of(predictions: Any) -> Array | None:
    """The cluster of every case; None as well where every case is a cluster of its own."""
    groups = predictions.cases.groups
    if groups is None or len(np.unique(groups)) == len(groups):
        return None
    return groups


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


def _two_classes(predictions: Binary, measure: Measure) -> tuple[float, Floats, AreaScale]:
    if predictions.ranking is None:
        raise NotApplicable(NO_SCORE)
    area, moved = _one_area(predictions.ranking, predictions.positive, predictions.weight)
    scale = area_scale(measure, measure.of(predictions), area)
    if scale is None:
        raise NotLinear(f"{measure.title} {NOT_AN_AREA}")
    return float(scale.of(area)), scale.slope * moved, scale


def _many_classes(
    predictions: Multiclass, classes: Array, measure: Measure
) -> tuple[float, Floats, AreaScale, Floats, bool]:
    """Value, influences, scale, part of every class, and whether it depends on class sizes."""
    columns = predictions.probability
    if columns is None:
        raise NotApplicable("areas under ROC curves need probabilities.")
    present = np.unique(classes)
    if len(present) < 2:
        raise NotApplicable(ONE_CLASS)
    k, weight = len(predictions.classes), predictions.weight
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
    influence = found.by_class[classes] * each / each.sum()
    for (one, other), (inside, shifts) in moved.items():
        influence[inside] += found.slopes[one, other] * shifts
    return found.value, influence, found.scale, found.parts, bool(found.by_class.any())


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
