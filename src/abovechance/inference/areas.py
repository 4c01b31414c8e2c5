"""The law of pairs: intervals of areas under ROC curves, and tests of whether scores differ."""

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.influence import (
    NO_SCORE,
    ONE_CASE,
    ONE_CLASS,
    Components,
    NotLinear,
    clusters_of,
    components,
)
from abovechance.inference.interval_choice import SAMPLED
from abovechance.inference.method import Fact, Kind, Takes, answer, checked, interval, limits, test
from abovechance.inference.results import Interval, Test
from abovechance.measures import Law, Measure
from abovechance.measures.rank import area_scale
from abovechance.numerics.exact import critical_value, never_zero
from abovechance.numerics.ranks import RankSummary, hanley_mcneil_variance, midranks, placements
from abovechance.predictions import Binary
from abovechance.resampling import (
    Alternative,
    LabelPermutations,
    countable,
    exact_rank_sum,
    null_distribution,
    seed_of,
)
from abovechance.settings import Settings

# ----------------------------------------------------------------------------------------------
# The interval that an assessment has first, as groups, weights and sampling change it.
# ----------------------------------------------------------------------------------------------


@interval(
    name="newcombe_delong",
    heading="the wider limits of Newcombe and logit DeLong",
    title="Newcombe[ and logit {variance}][ over {clusters} clusters][, binned{binned}]",
    words="[{variance:?}the wider limits of ]Newcombe's method[ and {variance}'s on the logit "
    "scale][ over {clusters} clusters][, binned{binned}]",
    source=("newcombe2006", "[{variance:?}delong1988]", "[{clusters:?}obuchowski1997]"),
    default=[Law.PAIRS],
    allows=SAMPLED,
    otherwise="normal",
)
def interval_of_area(measure: Measure, predictions: Any, settings: Settings) -> Interval | None:
    """Newcombe's and logit DeLong's limits, the wider on each side; of several classes too.

    Every measure that is linear in areas has them on its own scale; others are bootstrapped.
    Weighted cases count as many as would tell as much.
    """
    try:
        if predictions.ranking is not None and predictions.weight is None:
            area = area_of(predictions)
            scale = area_scale(measure, measure.of(predictions), area.value)
        else:
            found = components([predictions], measure, weighted=True)
            area, scale = area_in(found, 0), found.scale
    except NotLinear:
        scale = None
    if scale is None:
        return None
    found_limits = area.interval(settings.level)
    low, high = scale.limits(found_limits.low, found_limits.high)
    return replace(found_limits, low=low, high=high)


# ----------------------------------------------------------------------------------------------
# Intervals for areas under ROC curves.
# ----------------------------------------------------------------------------------------------


SCALES = ("wider", "adjusted_logit", "logit", "identity")
STEPS = 45  # halvings of an interval, to 3e-14


@interval(
    title="[{scale} ][{variance}]",
    heading="DeLong",
    words="DeLong's[{clusters:?}, or Obuchowski's,] method[ on the {scale} scale]",
    source=("delong1988", "[{clusters:?}obuchowski1997]"),
    laws=[Law.PAIRS],
    allows=[Fact.CLUSTERS],
    takes=Takes.PARTS,
)
def delong(
    predictions: Binary,
    *,
    confidence_level: float = 0.95,
    scale: str = "wider",
) -> Interval:
    r"""Interval of the area under the ROC curve.

    With `groups` the variance is Obuchowski's, clusters being what varies, and Student's t with one
    degree of freedom less than the clusters of the scarcer class replaces the normal distribution.

    Parameters
    ----------
    predictions
        Predictions of two classes with a score or a probability, made with `Binary`.
    scale
        "wider" (default): on each side the wider limit of "logit" and of Newcombe's, the areas
        :math:`A` with :math:`(\hat A - A)^2 = z^2 V(A)`, V being Hanley and McNeil's variance,
        the larger of both ways round. It covers when the area is near or at 1, and narrows as
        cases are added. "logit": DeLong's variance on the logit scale. "adjusted_logit": the same
        at :math:`A' = (U + ½) / (n_1 n_0 + 1)` with the larger of DeLong's variance and Hanley and
        McNeil's; near 1 it is far too wide. "identity": DeLong's variance on the area itself,
        clipped to [0, 1] as pROC does.

    Raises
    ------
    NotApplicable
        If a class was not observed, only labels were predicted, or the scale is unknown; for
        predictions pooled over folds, cases in time order, and sampling weights.

    See Also
    --------
    newcombe_auc : from the area and the class sizes alone.
    abovechance.significance.delong : the test whether two models have the same area.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988); Hanley & McNeil (1982); Newcombe (2006), method 5;
    Obuchowski (1997).

    Examples
    --------
    >>> from abovechance import examples
    >>> print(delong(examples.breast_cancer("p_texture")))
    0.756 to 0.865
    """
    if scale not in SCALES:
        raise NotApplicable(f"scale must be one of {', '.join(SCALES)}; got {scale!r}.")
    found = area_of(predictions)
    if scale == "wider":
        return found.interval(confidence_level)
    if found.variance is None and scale != "adjusted_logit":
        raise NotApplicable(ONE_CASE)
    reach = quantile(confidence_level, found.df)
    if scale == "adjusted_logit":
        pairs = found.n1 * found.n0
        centre = (found.value * pairs + 0.5) / (pairs + 1.0)
        spread = max(found.variance or 0.0, hanley_mcneil_variance(centre, found.n1, found.n0))
        low, high = logit_limits(centre, spread, reach)
        low, high = min(low, found.value), max(high, found.value)
        return limits("delong", low, high, confidence_level, scale="adjusted-logit", **found.known)
    assert found.variance is not None
    if scale == "logit":
        low, high = logit_limits(found.value, found.variance, reach)
        return limits("delong", low, high, confidence_level, scale="logit", **found.known)
    half = reach * np.sqrt(found.variance)
    low, high = np.clip([found.value - half, found.value + half], 0.0, 1.0)
    return limits("delong", low, high, confidence_level, **found.known)


@interval(
    title="Newcombe",
    words="Newcombe's method",
    source="newcombe2006",
    laws=[Law.PAIRS],
    takes=Takes.PARTS,
)
def newcombe_auc(auc: float, n1: int, n0: int, *, confidence_level: float = 0.95) -> Interval:
    r"""Newcombe's interval of an area under the ROC curve, from the area and the class sizes.

    The areas :math:`A` with :math:`(\hat A - A)^2 = z^2 V(A)`, where

    .. math:: V(A) = \frac{A (1 - A)}{n_1 n_0} \left(1 + (N - 1)
              \left[\frac{1 - A}{2 - A} + \frac{A}{1 + A}\right]\right), \quad
              N = \frac{n_1 + n_0}{2}

    Parameters
    ----------
    auc
        The area, between 0 and 1.
    n1, n0
        Number of positive and of negative cases.

    Raises
    ------
    DataError
        If the area does not lie in [0, 1].
    NotApplicable
        If a class has no cases.

    See Also
    --------
    delong : from the cases themselves.

    References
    ----------
    Newcombe (2006), method 5.

    Examples
    --------
    >>> print(newcombe_auc(1.0, 20, 20))
    0.899 to 1.000
    """
    if not 0.0 <= auc <= 1.0:
        raise DataError(f"an area under the ROC curve lies between 0 and 1; got {auc:g}.")
    if min(n1, n0) < 1:
        raise NotApplicable(ONE_CLASS)
    middle = (n1 + n0) / 2.0
    # of two classes of this size the variance is that above but for the number of pairs
    share = middle * middle / (n1 * n0)
    reach = quantile(confidence_level) * np.sqrt(share)
    low, high = (newcombe_limit(float(auc), middle, middle, float(reach), e) for e in (0.0, 1.0))
    return limits("newcombe_auc", low, high, confidence_level)


@dataclass(frozen=True)
class Area:
    """An area with what its limits depend on.

    `variance` is DeLong's or, over clusters, Obuchowski's; None where a class has one case.
    `n1` and `n0` are the class sizes, or the sizes of two classes that would tell as much.
    """

    value: float
    variance: float | None
    n1: float
    n0: float
    df: float = np.inf
    clusters: int | None = None

    @property
    def known(self) -> dict[str, Any]:
        """Whose variance it is, and over how many clusters."""
        if self.clusters is None:
            return {"variance": "DeLong"}
        return {"variance": "Obuchowski", "clusters": self.clusters}

    @property
    def known_of_limits(self) -> dict[str, Any]:
        """The same of the wider limits, which are Newcombe's alone where no variance is known."""
        known = self.known
        if self.variance is None:
            del known["variance"]
        return known

    def interval(self, level: float) -> Interval:
        """On each side the wider limit of Newcombe's and of DeLong's on the logit scale."""
        low, high = self.limits(quantile(level, self.df))
        return limits("newcombe_delong", low, high, level, **self.known_of_limits)

    def limits(self, reach: float) -> tuple[float, float]:
        """The limits that lie `reach` standard errors away."""
        return self.limit(reach, 0.0), self.limit(reach, 1.0)

    def limit(self, reach: float, end: float) -> float:
        """The limit towards one end, 0 or 1."""
        found = newcombe_limit(self.value, self.n1, self.n0, reach, end)
        if self.variance is None or not 0.0 < self.value < 1.0:
            return found
        other = logit_limits(self.value, self.variance, reach)[int(end)]
        return max(found, other) if end else min(found, other)


def area_of(predictions: Binary) -> Area:
    """The area of predictions of two classes; over clusters as Obuchowski."""
    predictions = checked("delong", predictions)
    n1, n0 = int(predictions.positive.sum()), int((~predictions.positive).sum())
    if min(n1, n0) < 1:
        raise NotApplicable(ONE_CLASS)
    if predictions.ranking is None:
        raise NotApplicable(NO_SCORE)
    if clusters_of(predictions) is not None:
        return area_in(components([predictions]), 0)
    return summarised_area(predictions.rank_summary)


def summarised_area(ranks: RankSummary) -> Area:
    """The area of independent cases, from sums over their placements."""
    n1, n0 = ranks.n_positive, ranks.n_negative
    area, variance = ranks.auc, None
    if min(n1, n0) > 1:
        squares = (ranks.placement_squares_positive / n1, ranks.placement_squares_negative / n0)
        parts = [(s - area**2) / (n - 1) for s, n in zip(squares, (n1, n0), strict=True)]
        variance = max(sum(parts), 0.0)
    return Area(area, variance, n1, n0)


def area_in(found: Components, model: int) -> Area:
    """The area of one of several models, or the mean area of several classes.

    Over clusters, and of several classes whose pairs have a mean area, Newcombe's limits are taken
    at the sizes of two classes of independent cases that would tell as much.
    """
    assert found.classes is not None
    assert found.parts is not None
    influence = found.influence[model : model + 1] / found.scale.slope
    value = found.scale.area(float(found.areas[model]))
    each = np.ones(len(found.classes)) if found.weight is None else found.weight
    sizes = _effective(found.classes, each, len(found.parts))
    seen = sizes > 0
    clusters, df = None, np.inf
    units, least = np.arange(len(found.classes)), sizes
    if found.groups is not None:
        units = np.unique(found.groups, return_inverse=True)[1]
        clusters = int(units.max()) + 1
        table = np.zeros((len(sizes), clusters))
        np.add.at(table, (found.classes, units), each)
        least = _effective(np.repeat(np.arange(len(sizes)), clusters), table.ravel(), len(sizes))
        df = float((table > 0).sum(axis=1)[seen].min()) - 1.0
    try:
        variance = float(sum(part.matrix[0, 0] for part in found.spread(influence)))
    except NotApplicable:
        if clusters is not None:
            raise
        return Area(value, None, *_as_two(sizes, found.parts))
    two = _as_two(least, found.parts)
    if clusters is not None or seen.sum() > 2:
        squares = np.bincount(units, weights=influence[0]).astype(np.float64) ** 2
        most = (np.inf, np.inf) if seen.sum() > 2 else _as_two(sizes, found.parts)
        two = _as_seen(value, variance, squares, two, most)
    return Area(value, variance, *two, df, clusters)


def _effective(classes: Array, weight: Floats, count: int) -> Floats:
    """How many units of equal weight tell as much, class by class.

    References
    ----------
    Kish (1965), section 11.2.

    >>> _effective(np.array([0, 0, 1, 1]), np.array([1.0, 1.0, 1.0, 3.0]), 2)
    array([2. , 1.6])
    """
    total = np.bincount(classes, weights=weight, minlength=count)
    squares = np.bincount(classes, weights=weight**2, minlength=count)
    return np.divide(total**2, squares, out=np.zeros(count), where=squares > 0)


def _as_seen(
    value: float,
    variance: float,
    squares: Floats,
    least: tuple[float, float],
    most: tuple[float, float],
) -> tuple[float, float]:
    """Class sizes at which Hanley and McNeil's variance is the one seen, between two bounds.

    `least` are the sizes if the cases of a cluster never differ, or all pairs of classes go the
    same way. The variance seen says how far that is from what is; where few units have shown a
    misplaced case it says little, and nothing where all are placed right: so it is drawn
    towards that of `least`, the less the more units (`squares` of their influences) tell.
    """
    telling = float(squares.sum() ** 2 / (squares**2).sum()) if squares.any() else 0.0
    pairs = least[0] * least[1]
    at_most = hanley_mcneil_variance((value * pairs + 0.5) / (pairs + 1.0), *least)
    ratio = min((telling * variance / at_most + 1.0) / (telling + 1.0), 1.0)
    n1, n0 = (max(min(n / ratio, m), n) for n, m in zip(least, most, strict=True))
    return n1, n0


def _as_two(sizes: Floats, parts: Floats) -> tuple[float, float]:
    """Sizes of two classes in which an area varies as the mean area of several does at most.

    The half of the classes that adds most to the variance stands for one of the two.

    >>> _as_two(np.array([10.0, 20.0]), np.ones(2)), _as_two(np.full(3, 20.0), np.full(3, 2 / 3))
    ((10.0, 20.0), (30.0, 30.0))
    """
    inside = (sizes > 0) & (parts > 0)
    costs = np.sort(parts[inside] ** 2 / sizes[inside])[::-1]
    upper = np.clip(len(costs) / 2.0 - np.arange(len(costs)), 0.0, 1.0)
    return float(1.0 / (costs * upper).sum()), float(1.0 / (costs * (1.0 - upper)).sum())


@lru_cache(maxsize=256)
def newcombe_limit(area: float, n1: float, n0: float, reach: float, end: float) -> float:
    """The area towards one end, 0 or 1, that lies `reach` of its own standard errors away.

    >>> newcombe_limit(1.0, 100, 100, 1.96, 0.0)
    0.98
    """

    def inside(other: float) -> bool:
        return (area - other) ** 2 <= reach**2 * hanley_mcneil_variance(other, n1, n0)

    if inside(end):
        return end
    # bisected: the variance is the larger of two curves, and where they cross it has no derivative
    near, far = area, end
    for _ in range(STEPS):
        middle = (near + far) / 2.0
        if inside(middle):
            near = middle
        else:
            far = middle
    return near


def logit_limits(area: float, variance: float, reach: float) -> tuple[float, float]:
    """Limits on the logit scale; of a perfect or reversed order none but the area itself."""
    if not 0.0 < area < 1.0:
        return (area, area) if variance == 0 else (0.0, 1.0)
    centre = np.log(area / (1.0 - area))
    half = reach * np.sqrt(variance) / (area * (1.0 - area))
    low, high = (1.0 / (1.0 + np.exp(-np.clip(centre + d, -700, 700))) for d in (-half, half))
    return float(low), float(high)


def quantile(level: float, df: float = np.inf) -> float:
    """How many standard errors an interval reaches to either side; refused where it has none."""
    if not 0.0 < level < 1.0:
        raise DataError(f"confidence_level must lie between 0 and 1; got {level}.")
    if df < 1.0:
        raise NotApplicable(
            "a class is in one cluster alone; an interval over clusters needs two that hold it."
        )
    return critical_value(level, df)


# ----------------------------------------------------------------------------------------------
# Do positive cases score higher? Mann and Whitney's test, exact with ties when it can be.
# ----------------------------------------------------------------------------------------------


SAME = "scores have the same distribution in both classes"
EXACT_UP_TO = 200  # cases: beyond, the normal approximation is as good and at once


def mann_whitney(
    predictions: Binary,
    *,
    alternative: Alternative = "greater",
    method: str = "auto",
    continuity: bool = True,
) -> Test:
    """Test whether positive cases score higher than negative ones.

    The null hypothesis is that scores have the same distribution in both classes, not only that
    the area under the ROC curve is one half: for that alone see `studentised_permutation`.

    Parameters
    ----------
    predictions
        Predictions of two classes with a score or a probability, made with `Binary`.
    alternative
        "greater" (default): positive cases score higher; "less"; or "two-sided".
    method
        "exact": the permutation distribution of the midranks, ties included; "normal": its
        normal approximation with the variance corrected for ties; "auto": exact up to 200 cases.
    continuity
        Whether the approximation moves the statistic half a step towards its mean.

    Raises
    ------
    NotApplicable
        If there are no scores, only one class was observed, or the method is unknown; for
        predictions pooled over folds, cases in time order, clusters and sampling weights.

    See Also
    --------
    studentised_permutation : tests the area alone.
    abovechance.intervals.delong : the interval of the area.

    References
    ----------
    Mann & Whitney (1947); ties: Lehmann (2006), section 1.4.

    Examples
    --------
    >>> from abovechance import Binary
    >>> print(mann_whitney(Binary([0, 0, 0, 1, 1, 1], score=[1, 2, 4, 3, 5, 6])))
    p = 0.1, Mann–Whitney, exact; H0: scores have the same distribution in both classes
    """
    score, positive, n1, n0 = _both_classes("mann_whitney", predictions)
    n = n1 + n0
    ranks = midranks(score)
    u = float(ranks[positive].sum() - n1 * (n1 + 1) / 2)
    if method not in ("auto", "exact", "normal"):
        raise NotApplicable(f"method must be 'auto', 'exact' or 'normal'; got {method!r}.")
    doubled = np.rint(2 * ranks).astype(np.int64)
    small = n <= EXACT_UP_TO and countable(doubled, n1)
    if method == "exact" or (method == "auto" and small):
        p, known = _exact(doubled, positive, n1, alternative), {"exact": True}
    else:
        _, times = np.unique(ranks, return_counts=True)
        times = times.astype(np.float64)
        p = rank_sum_tail(u, (times**3 - times).sum(), n1, n0, alternative, continuity)
        known = {"approximation": True}
    return answer("mann_whitney", statistic=u, p_value=p, alternative=alternative, **known)


@test(
    title="studentised permutation[, exact{exact}]",
    words="a[n exact{exact}] studentised permutation test",
    source=("janssen1997", "pauly2016"),
    hypothesis="the area under the ROC curve is one half",
    laws=[Law.PAIRS],
    takes=Takes.PARTS,
)
def studentised_permutation(
    predictions: Binary, *, draws: int = 9999, rng: int | np.random.Generator | None = None
) -> Test:
    """Test whether the area under the ROC curve is more than one half.

    Unlike Mann and Whitney's test its hypothesis is the area alone: scores may be spread
    differently in the two classes. Labels are permuted and every area divided by its own
    standard error.

    Parameters
    ----------
    predictions
        Predictions of two classes with a score or a probability, made with `Binary`.
    draws
        Number of permutations; 9999 unless stated. All are counted when there are no more.

    Raises
    ------
    NotApplicable
        If there are no scores, or a class has fewer than two cases; for predictions pooled over
        folds, cases in time order, clusters and sampling weights.

    See Also
    --------
    mann_whitney : the usual test, of a stronger hypothesis.

    References
    ----------
    Janssen (1997); Pauly, Asendorf & Konietschke (2016).

    Examples
    --------
    >>> from abovechance import Binary
    >>> cases = Binary([0, 0, 0, 0, 1, 1, 1, 1], score=[1, 2, 3, 5, 4, 6, 7, 8])
    >>> studentised_permutation(cases).p_value
    0.0286
    """
    score, positive, n1, n0 = _both_classes("studentised_permutation", predictions)
    if min(n1, n0) < 2:
        raise NotApplicable("a standard error needs two cases of each class.")
    observed = float(_pivots(score, positive[None, :])[0])
    settings = Settings(draws=draws, seed=seed_of(rng))
    null = null_distribution(partial(_pivots, score), LabelPermutations(positive), settings)
    found = null.tail(observed)
    return answer(
        "studentised_permutation",
        statistic=observed,
        p_value=found.p_value,
        alternative="greater",
        draws=found.draws,
        **({"exact": True} if null.exact else {}),
    )


def _both_classes(test: str, predictions: Binary) -> tuple[Floats, Bools, int, int]:
    predictions = checked(test, predictions, Kind.TEST)
    if predictions.ranking is None:
        raise NotApplicable("rank tests need a score or a probability.")
    n1 = int(predictions.positive.sum())
    n0 = predictions.n - n1
    if min(n1, n0) == 0:
        raise NotApplicable("a rank test needs cases of both classes.")
    return predictions.ranking, predictions.positive, n1, n0


def _exact(doubled: Ints, positive: Bools, n1: int, alternative: Alternative) -> float:
    observed = int(doubled[positive].sum())
    upper = exact_rank_sum(doubled, n1, observed).p_value
    if alternative == "greater":
        return upper
    turned = int(doubled.max()) + int(doubled.min()) - doubled
    lower = exact_rank_sum(turned, n1, int(turned[positive].sum())).p_value
    return lower if alternative == "less" else min(1.0, 2.0 * min(upper, lower))


def rank_sum_tail(
    u: float,
    ties: float,
    n1: int,
    n0: int,
    alternative: Alternative = "greater",
    continuity: bool = True,
) -> float:
    """p of Mann and Whitney's U by the normal law, `ties` being the sum of t³ − t over them."""
    from scipy.special import ndtr

    n = n1 + n0
    spread = np.sqrt(n1 * n0 / 12.0 * (n + 1 - ties / (n * (n - 1))))
    gap = u - n1 * n0 / 2.0
    if spread == 0:
        return 1.0
    step = 0.5 if continuity else 0.0
    if alternative == "greater":
        return never_zero(ndtr(-(gap - step) / spread))
    if alternative == "less":
        return never_zero(ndtr((gap + step) / spread))
    z = (gap - np.sign(gap) * step) / spread
    return never_zero(2.0 * ndtr(-abs(z)))


def _pivots(score: Floats, labels: Bools) -> Floats:
    """(area − ½) over its standard error, for each row of labels."""
    found = np.empty(len(labels))
    for row, positive in enumerate(labels):
        below, above = placements(score, positive)
        variance = below.var(ddof=1) / below.size + above.var(ddof=1) / above.size
        gap = below.mean() - 0.5
        found[row] = gap / np.sqrt(variance) if variance > 0 else np.sign(gap) * np.inf
    return np.nan_to_num(found, nan=0.0, posinf=np.inf, neginf=-np.inf)
