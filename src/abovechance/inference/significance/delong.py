"""Do two models order the classes equally well? DeLong's test, for any number of models at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import NotApplicable
from abovechance.inference.guards import INTERVAL, independent, refuse_dependent
from abovechance.inference.results import Test
from abovechance.numerics.kernels import worthwhile
from abovechance.numerics.p_values import never_zero
from abovechance.predictions import Binary, Multiclass
from abovechance.resampling import Alternative

EQUAL_AREAS = "the areas under the ROC curves are equal"
TEST = "DeLong's test"
REFERENCES = ("normal", "t")


@dataclass(frozen=True, eq=False)
class Components:
    """Areas of models on the same cases, and how much every case moves each of them.

    `influence` (models, cases) sums to zero within every class; `stratum` numbers the classes.
    """

    areas: Floats
    influence: Floats
    stratum: Array
    groups: Array | None = None

    @property
    def covariance(self) -> Floats:
        """DeLong's covariance of the areas; with groups Obuchowski's."""
        return self._summed(self.influence)[0]

    def difference(self, first: int, second: int) -> "Gap":
        """One area less another, its standard error and degrees of freedom."""
        gap = float(self.areas[first] - self.areas[second])
        variance, df = self._summed((self.influence[first] - self.influence[second])[None, :])
        return Gap(gap, float(np.sqrt(max(float(variance[0, 0]), 0.0))), df)

    def _summed(self, influence: Floats) -> tuple[Floats, float]:
        """Covariance of sums of influences, with Satterthwaite's degrees of freedom."""
        if self.groups is not None:
            code = np.unique(self.groups, return_inverse=True)[1]
            units = int(code.max()) + 1
            if units < 2:
                raise NotApplicable("a comparison over clusters needs at least two of them.")
            sums = np.stack([np.bincount(code, weights=row, minlength=units) for row in influence])
            return sums @ sums.T * units / (units - 1), units - 1.0
        total = np.zeros((len(influence), len(influence)))
        below = 0.0
        for k, size in enumerate(np.bincount(self.stratum).tolist()):
            if size > 1:
                scatter = (influence * (self.stratum == k)) @ influence.T * size / (size - 1)
                total += scatter
                below += float(scatter[0, 0]) ** 2 / (size - 1)
        return total, float(total[0, 0]) ** 2 / below if below > 0 else np.inf


@dataclass(frozen=True)
class Gap:
    """A difference with its standard error and the degrees of freedom of that."""

    difference: float
    error: float
    df: float


def delong(
    first: Binary | Multiclass,
    second: Binary | Multiclass,
    *,
    alternative: Alternative = "two-sided",
    paired: bool = True,
    reference: str = "normal",
) -> Test:
    """Test whether two models have the same area under the ROC curve.

    Parameters
    ----------
    alternative
        "greater": the first area is larger. No area is ever turned round: a model that orders
        the classes the wrong way has an area below one half, and keeps it.
    paired
        Whether both models predicted the same cases. Otherwise the areas are independent and
        their difference is referred to Student's t with Welch's degrees of freedom, as in pROC.
    reference
        "normal", as DeLong; "t" with Satterthwaite's degrees of freedom over the classes, which
        keeps the level when the smaller class has less than about 50 cases.

    With groups, clusters are what varies (Obuchowski). With more than two classes the area is
    Hand and Till's, whose components are sums of DeLong's over pairs of classes.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), eqs. 4–8; Obuchowski (1997); unpaired: Robin et al.
    (2011), pROC.

    Examples
    --------
    >>> from abovechance import examples
    >>> print(delong(examples.breast_cancer("p_forest"), examples.breast_cancer("p_texture")))
    p = 1.35e-12, DeLong, paired; H0: the areas under the ROC curves are equal
    """
    if reference not in REFERENCES:
        raise NotApplicable(f"reference must be 'normal' or 't'; got {reference!r}.")
    if not paired:
        gap = unpaired_gap(*(independent(p, TEST, weights=INTERVAL) for p in (first, second)))
        return gap_test(gap, alternative, f"DeLong, unpaired, t({gap.df:.1f})")
    from abovechance.inference.comparison.pairs import two_on_the_same_cases

    for predictions in (first, second):
        refuse_dependent(predictions, TEST, weights=INTERVAL)
    found = components(two_on_the_same_cases(first, second))
    gap = found.difference(0, 1)
    clusters = "" if found.groups is None else f" over {len(np.unique(found.groups))} clusters"
    name = f"{'DeLong' if found.groups is None else 'Obuchowski'}, paired{clusters}"
    if reference == "normal":
        gap = Gap(gap.difference, gap.error, np.inf)
    elif np.isfinite(gap.df):
        name += f", t({gap.df:.1f})"
    return gap_test(gap, alternative, name)


def components(models: Sequence[Any], area: str = "auc") -> Components:
    """Areas and influences of models on the same cases; the area of K classes is Hand and Till's.

    `area` may name another area of K classes: one-against-rest, or pairs by prevalence. Those
    depend on how frequent classes are, so class sizes are then taken as random.

    >>> y = [0, 0, 1, 1]
    >>> found = components([Binary(y, score=[1, 3, 2, 4]), Binary(y, score=[1, 2, 3, 4])])
    >>> found.areas, found.difference(0, 1).error
    (array([0.75, 1.  ]), 0.354)
    """
    for p in models:
        if p.cases.sample_weight is not None:
            raise NotApplicable("DeLong's test is for cases that count one each, not for weights.")
    first = models[0]
    if isinstance(first, Binary):
        stratum = first.positive.astype(np.int64)
        found = [_two_classes(p, stratum) for p in models]
    else:
        stratum = np.asarray(first.actual, dtype=np.int64)
        found = [_many_classes(p, stratum, area) for p in models]
        if area != "auc":
            stratum = np.zeros(len(stratum), dtype=np.int64)
    areas, influence = (np.stack(part) for part in zip(*found, strict=True))
    return Components(areas, influence, stratum, first.cases.groups)


def unpaired_gap(first: Any, second: Any) -> Gap:
    """The difference of two areas from different cases."""
    parts = [components([p]) for p in (first, second)]
    variances = [float(part.covariance[0, 0]) for part in parts]
    units = [
        p.n if p.cases.groups is None else len(np.unique(p.cases.groups)) for p in (first, second)
    ]
    below = sum(v**2 / (n - 1) for v, n in zip(variances, units, strict=True))
    total = sum(variances)
    df = total**2 / below if below > 0 else np.inf
    return Gap(float(parts[0].areas[0] - parts[1].areas[0]), float(np.sqrt(total)), df)


def gap_test(
    gap: Gap, alternative: Alternative, method: str, hypothesis: str = EQUAL_AREAS
) -> Test:
    """A difference over its standard error; no difference without spread is z = 0, as in pROC."""
    if gap.error == 0.0 and gap.difference != 0.0:
        raise NotApplicable("the difference has no spread in these cases, so no standard error.")
    z = gap.difference / gap.error if gap.error > 0 else 0.0
    return Test(
        statistic=float(z),
        p_value=p_of(z, gap.df, alternative),
        alternative=alternative,
        hypothesis=hypothesis,
        method=method,
    )


def p_of(z: float, df: float, alternative: Alternative) -> float:
    """Tail of the normal distribution, or of Student's when there are degrees of freedom."""
    from scipy.special import ndtr, stdtr

    def below(x: float) -> float:
        return float(ndtr(x)) if not np.isfinite(df) else float(stdtr(df, x))

    tails = {"greater": below(-z), "less": below(z), "two-sided": 2.0 * below(-abs(z))}
    if alternative not in tails:
        raise NotApplicable(f"alternative must be one of {', '.join(tails)}; got {alternative!r}.")
    return never_zero(tails[alternative])


def placed(score: Floats, positive: Bools) -> Floats:
    """Share of the other class on the right side of every case, from one sort; ties count half.

    As `numerics.placements.placements`, but in the order of the cases.

    >>> placed(np.array([0.1, 0.6, 0.4, 0.9]), np.array([False, False, True, True]))
    array([1. , 0.5, 0.5, 1. ])
    """
    if worthwhile(len(score), module="placements"):
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
    from abovechance.numerics.kernels.concordance import ascending_order
    from abovechance.numerics.kernels.placements import place

    share = np.empty(len(score))
    place(*ascending_order(np.ascontiguousarray(score)), positive, share)
    return share


def _midpoints(running: Floats, begins: Array) -> Floats:
    """Running counts, halfway between before and after every run of equal scores."""
    after = running[np.append(begins, len(running)) - 1]
    before = np.concatenate([[0.0], after[:-1]])
    sizes = np.diff(np.concatenate([[0], begins, [len(running)]]))
    return np.repeat((before + after) / 2.0, sizes)


def _two_classes(predictions: Binary, stratum: Array) -> tuple[float, Floats]:
    if predictions.ranking is None:
        raise NotApplicable("areas under ROC curves need a score or a probability.")
    return _one_area(predictions.ranking, predictions.positive)


def _many_classes(predictions: Multiclass, stratum: Array, area: str) -> tuple[float, Floats]:
    if predictions.probability is None:
        raise NotApplicable("areas under ROC curves need probabilities.")
    present = np.unique(stratum)
    if len(present) < 2:
        raise NotApplicable("an area under the ROC curve needs cases of both classes.")
    if area.startswith("auc_ovr"):
        return _against_rest(predictions.probability, stratum, present, area == "auc_ovr_weighted")
    return _over_pairs(predictions.probability, stratum, present, area == "auc_ovo_weighted")


def _over_pairs(
    columns: Floats, stratum: Array, present: Array, weighted: bool
) -> tuple[float, Floats]:
    """Hand and Till's mean over ordered pairs of classes, or weighted by their cases."""
    shares = np.bincount(stratum) / len(stratum)
    k = len(present)
    influence, total = np.zeros(len(stratum)), 0.0
    by_class = np.zeros(len(columns))  # weighted: what more cases of a class would add
    for one in present:
        for other in present[present != one]:
            inside = np.flatnonzero((stratum == one) | (stratum == other))
            area, moved = _one_area(columns[one, inside], stratum[inside] == one)
            weight = (shares[one] + shares[other]) / (2 * k - 2) if weighted else 1 / (k * (k - 1))
            total += weight * area
            influence[inside] += weight * moved
            by_class[[one, other]] += area / (2 * k - 2)
    if weighted:
        influence += (by_class[stratum] - total) / len(stratum)
    return total, influence


def _against_rest(
    columns: Floats, stratum: Array, present: Array, weighted: bool
) -> tuple[float, Floats]:
    """Mean over classes, or by prevalence, of the area of each class against all others."""
    found = [_one_area(columns[k], stratum == k) for k in present]
    areas, moved = (np.stack(part) for part in zip(*found, strict=True))
    if not weighted:
        return float(areas.mean()), moved.mean(axis=0)
    sizes = np.bincount(stratum)[present] / len(stratum)
    value = float(sizes @ areas)
    own = areas[np.searchsorted(present, stratum)]
    return value, sizes @ moved + (own - value) / len(stratum)


def _one_area(score: Floats, positive: Bools) -> tuple[float, Floats]:
    n1, n = int(np.count_nonzero(positive)), len(score)
    if n1 in (0, n):
        raise NotApplicable("an area under the ROC curve needs cases of both classes.")
    share = placed(score, positive)
    area = float(np.dot(share, positive)) / n1
    return area, (share - area) / np.where(positive, n1, n - n1)
