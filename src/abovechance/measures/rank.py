"""The rank family: what the order of the scores says, and measures that are linear in its areas."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.measures.chance import constant, prevalence
from abovechance.measures.evaluation import value
from abovechance.measures.measure import Family, Form, LabelScore, Law, Measure, measure
from abovechance.measures.sample import defined_mean
from abovechance.numerics import ranks, shuffles
from abovechance.numerics.ranks import Ranked
from abovechance.predictions import Binary, Survival, View

# ----------------------------------------------------------------------------------------------
# The rank family: what the order of the scores says, whatever their scale.
# ----------------------------------------------------------------------------------------------


ONE_CLASS = "only one class was observed"
BINARY = frozenset({"binary"})
RANK: dict[str, Any] = {
    "family": Family.RANK,
    "reads": View.SCORE,
    "form": Form.RANKS,
    "directed": True,
    "undefined": ONE_CLASS,
}
PAIRWISE: dict[str, Any] = {
    "family": Family.RANK,
    "reads": View.SCORE,
    "form": Form.PAIR_AUCS,
    "outcomes": frozenset({"multiclass"}),
    "range": (0.0, 1.0),
    "best": 1.0,
    "law": Law.PAIRS,
    "chance": constant(0.5),
    "reference": constant(0.5),
}


def _auc_shortcut(predictions: Binary) -> float:
    summary = predictions.rank_summary
    pairs = summary.n_positive * summary.n_negative
    return summary.pairs_twice_u / (2.0 * pairs) if pairs else np.nan


def _hand_till(areas: Floats, shares: Floats) -> Floats:
    k = areas.shape[-1]
    pairs = (areas + np.swapaxes(areas, -1, -2)) / 2.0
    return defined_mean(pairs[..., ~np.eye(k, dtype=bool)])


def _hand_till_slopes(areas: Floats, shares: Floats) -> Floats:
    seen = _seen(areas)
    return np.asarray(seen / seen.sum())


def _seen(areas: Floats) -> Floats:
    """1 for every pair of classes that has an area, else 0."""
    return np.asarray(np.isfinite(areas) & ~np.eye(len(areas), dtype=bool), dtype=np.float64)


@measure(
    title="Area under the ROC curve",
    aliases=(
        "auc_roc",
        "roc_auc",
        "auroc",
        "c_statistic",
        "auc_hand_till",
        "roc_auc_ovo",
        "auc_ovo_macro",
    ),
    **RANK,
    range=(0.0, 1.0),
    best=1.0,
    chance=constant(0.5),
    reference=constant(0.5),
    prevalence_free=True,
    law=Law.PAIRS,
    label_score=LabelScore.MIDRANK,
    shortcut=_auc_shortcut,
    multiclass=_hand_till,
    multiclass_facts={
        "form": Form.PAIR_AUCS,
        "title": "Area under the ROC curve (Hand–Till)",
        "slopes": _hand_till_slopes,
    },
    source="Mann & Whitney (1947); K classes: Hand & Till (2001), eq. 7",
)
def auc(ranked: Ranked) -> Floats:
    r"""Probability that a positive case has the higher score than a negative one.

    .. math:: \frac{U}{n_1 n_0} = \frac{1}{n_1 n_0} \sum_{i \in P, j \in N}
              \left( [s_i > s_j] + \tfrac12 [s_i = s_j] \right)

    The share of concordant pairs and the Mann–Whitney statistic over the number of pairs are
    the same number. Never flipped: a model that orders the classes the wrong way round scores
    below one half. With more than two classes: Hand and Till's mean over pairs of classes of
    both directions.

    Examples
    --------
    >>> auc([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    0.75
    """
    return ranks.auc(ranked)


def _somers_shortcut(predictions: Binary) -> float:
    return 2.0 * _auc_shortcut(predictions) - 1.0


@measure(
    title="Somers' D",
    aliases=("gini", "somers_dxy"),
    **RANK,
    outcomes=BINARY,
    range=(-1.0, 1.0),
    best=1.0,
    chance=constant(0.0),
    reference=constant(0.0),
    prevalence_free=True,
    law=Law.PAIRS,
    label_score=LabelScore.MIDRANK,
    shortcut=_somers_shortcut,
    source="Somers (1962)",
)
def somers_d(ranked: Ranked) -> Floats:
    r"""Concordant minus discordant pairs, of all: :math:`2 \cdot AUC - 1`.

    Examples
    --------
    >>> somers_d([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    0.5
    """
    return 2.0 * ranks.auc(ranked) - 1.0


def of_partial_area(
    outcome: Floats, score: Floats, *, max_fpr: float, standardised: bool
) -> Floats:
    """Of the partial area: of a positive the rates it counts at, of a negative those it moves."""
    ranked, place = _placed(outcome, score)
    tpr, fpr = (ranks.from_above(c) / c.sum() for c in (ranked.positives, ranked.negatives))
    above = np.append(fpr[1:], 0.0), np.append(tpr[1:], 0.0)
    area = float(ranks.partial_area(ranked, max_fpr))
    width, height = fpr - above[0], tpr - above[1]
    inside = np.clip(max_fpr - above[0], 0.0, width)
    share = np.divide(inside, width, out=np.zeros(width.shape), where=width > 0)
    cut = int(np.argmax(fpr[::-1] >= max_fpr))  # groups from above until the last rate
    at = len(fpr) - 1 - cut
    reached = above[1][at] + share[at] * height[at]  # true positive rate at the last rate
    # a positive: the false positive rates from its own score on, half of those tied with it
    later = np.maximum(max_fpr - fpr, 0.0) + inside - inside * share / 2.0
    # a negative: the rate at its own score less that at the end, which it moves nearer
    mean = above[1] + share * height / 2.0
    nearer = share * (mean - reached)
    positive = (later - area) / ranked.positives.sum()
    negative = (nearer + max_fpr * reached - area) / ranked.negatives.sum()
    slope, _ = _of_area(max_fpr, standardised)
    return np.asarray(slope * len(score) * np.where(outcome > 0, positive[place], negative[place]))


def of_average_precision(outcome: Floats, score: Floats) -> Floats:
    """Of average precision: a case changes the precision at its score and at all below it."""
    ranked, place = _placed(outcome, score)
    total = ranked.positives.sum()
    tp, fp = ranks.from_above(ranked.positives), ranks.from_above(ranked.negatives)
    called = tp + fp
    share, precision = ranked.positives / total, tp / called
    more, less = np.cumsum(share * fp / called**2), np.cumsum(share * tp / called**2)
    positive = (precision - share @ precision) / total + more
    return np.asarray(len(score) * np.where(outcome > 0, positive[place], -less[place]))


def _placed(outcome: Floats, score: Floats) -> tuple[Ranked, Array]:
    """Positives and negatives at each score, and which of the scores every case has."""
    values, place = np.unique(score, return_inverse=True)
    sides = (
        np.bincount(place, weights=side, minlength=len(values)) for side in (outcome, 1.0 - outcome)
    )
    positives, negatives = (side.astype(np.float64) for side in sides)
    return Ranked(values, positives, negatives), place


def _of_area(max_fpr: float, standardised: bool) -> tuple[float, float]:
    """The line from the plain area to the measure."""
    if not 0.0 < max_fpr <= 1.0:
        raise NotApplicable(f"max_fpr must lie above 0 and be at most 1; got {max_fpr:g}.")
    least, most = max_fpr**2 / 2.0, max_fpr
    slope = 0.5 / (most - least)
    return (slope, 0.5 - slope * least) if standardised else (1.0, 0.0)


def _shuffled_partial_area(
    sizes: Floats, positives: int, *, max_fpr: float, standardised: bool
) -> shuffles.Shuffled | None:
    found = shuffles.of_partial_area(sizes, positives, max_fpr)
    return None if found is None else found.scaled(*_of_area(max_fpr, standardised))


@measure(
    title="Partial area under the ROC curve",
    **RANK,
    outcomes=BINARY,
    range=(0.0, 1.0),
    best=1.0,
    reference=constant(0.5),
    prevalence_free=True,
    law=Law.UNKNOWN,
    influence=of_partial_area,
    shuffled_limit=_shuffled_partial_area,
    source="McClish (1989)",
)
def partial_auc(ranked: Ranked, *, max_fpr: float = 0.2, standardised: bool = True) -> Floats:
    r"""Area under the ROC curve where few negatives are called positive.

    .. math:: \frac12 \left(1 + \frac{A - f^2/2}{f - f^2/2}\right)

    with :math:`A` the area over false positive rates from 0 to :math:`f` = `max_fpr`, so that a
    guess scores one half and perfection one. `standardised=False` gives the plain area
    :math:`A`, between 0 and :math:`f`.

    Parameters
    ----------
    max_fpr
        The largest false positive rate that is looked at.
    standardised
        Whether the area is put on a scale where guessing is 0.5 and perfect ranking 1.

    Examples
    --------
    >>> partial_auc([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], max_fpr=0.5, standardised=False)
    0.25
    """
    slope, shift = _of_area(max_fpr, standardised)
    return slope * ranks.partial_area(ranked, max_fpr) + shift


def _average_precision_shortcut(predictions: Binary) -> float:
    return float(predictions.rank_summary.average_precision)


@measure(
    title="Average precision",
    aliases=("pr_auc",),
    **{**RANK, "undefined": "no case was positive"},
    outcomes=BINARY,
    range=(0.0, 1.0),
    best=1.0,
    reference=prevalence,
    law=Law.UNKNOWN,
    shortcut=_average_precision_shortcut,
    swept="average_precision",
    influence=of_average_precision,
    shuffled_limit=shuffles.of_average_precision,
    source="Davis & Goadrich (2006); as a sum over thresholds",
)
def average_precision(ranked: Ranked) -> Floats:
    r"""Mean positive predictive value over the positives, each at its own score.

    .. math:: \sum_t (R_t - R_{t-1}) \, PPV_t

    over the distinct scores from the highest down, :math:`R_t` the share of positives reached.

    Examples
    --------
    >>> average_precision([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    0.833
    """
    return ranks.average_precision(ranked)


def _ks_shortcut(predictions: Binary) -> float:
    return float(predictions.rank_summary.ks)


@measure(
    title="Kolmogorov–Smirnov distance",
    aliases=("kolmogorov_smirnov", "max_youden_j"),
    **RANK,
    outcomes=BINARY,
    range=(0.0, 1.0),
    best=1.0,
    reference=constant(0.0),
    prevalence_free=True,
    law=Law.UNKNOWN,
    extreme=True,
    shortcut=_ks_shortcut,
    shuffled_limit=shuffles.of_largest_excess,
    source="Kolmogorov (1933); Smirnov (1939)",
)
def ks(ranked: Ranked) -> Floats:
    r"""Largest excess of the true over the false positive rate at any threshold.

    Examples
    --------
    >>> ks([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    0.5
    """
    return ranks.kolmogorov_smirnov(ranked)


def _against_rest(areas: Floats, shares: Floats) -> Floats:
    """Area of each class against all others: pairs weighed by the size of the other class."""
    k = areas.shape[-1]
    others = shares[..., None, :] * ~np.eye(k, dtype=bool)
    filled = np.where(others > 0, areas, 0.0)
    values = (filled * others).sum(axis=-1) / others.sum(axis=-1)
    return np.where(shares > 0, values, np.nan)


def _ovr_slopes(areas: Floats, shares: Floats) -> Floats:
    others = _seen(areas) * shares
    return np.asarray(others / others.sum(axis=1, keepdims=True) / len(shares))


def _ovr_weighted_slopes(areas: Floats, shares: Floats) -> Floats:
    return np.asarray(_ovr_slopes(areas, shares) * len(shares) * shares[:, None])


def _ovo_weighted_slopes(areas: Floats, shares: Floats) -> Floats:
    pair = _seen(areas) * (shares[:, None] + shares)
    return np.asarray(pair / pair.sum())


@measure(
    title="Area under the ROC curve, each class against the rest",
    aliases=("roc_auc_ovr",),
    **PAIRWISE,
    slopes=_ovr_slopes,
    undefined="a class was not observed",
    source="Provost & Domingos (2000)",
)
def auc_ovr_macro(areas: Floats, shares: Floats) -> Floats:
    r"""Mean over classes of the area of that class's probability against all other cases.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([[.6, .3, .1], [.2, .5, .3], [.3, .3, .4], [.5, .2, .3]])
    >>> auc_ovr_macro([0, 1, 2, 2], p)
    0.958
    """
    return _against_rest(areas, shares).mean(axis=-1)


@measure(
    title="Area under the ROC curve, each class against the rest, by prevalence",
    aliases=("roc_auc_ovr_weighted",),
    **PAIRWISE,
    slopes=_ovr_weighted_slopes,
    undefined="a class was not observed",
    source="Provost & Domingos (2000)",
)
def auc_ovr_weighted(areas: Floats, shares: Floats) -> Floats:
    r"""Mean over classes, by prevalence, of the area of that class against all other cases.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([[.6, .3, .1], [.2, .5, .3], [.3, .3, .4], [.5, .2, .3]])
    >>> auc_ovr_weighted([0, 1, 2, 2], p)
    0.938
    """
    return (_against_rest(areas, shares) * shares).sum(axis=-1)


@measure(
    title="Area under the ROC curve, pairs of classes by prevalence",
    aliases=("roc_auc_ovo_weighted",),
    **PAIRWISE,
    slopes=_ovo_weighted_slopes,
    undefined="fewer than two classes were observed",
    source="Hand & Till (2001), pairs weighed by their share of cases",
)
def auc_ovo_weighted(areas: Floats, shares: Floats) -> Floats:
    r"""Hand and Till's area with each pair of classes weighed by its share of cases.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([[.6, .3, .1], [.2, .5, .3], [.3, .3, .4], [.5, .2, .3]])
    >>> auc_ovo_weighted([0, 1, 2, 2], p)
    0.953
    """
    k = areas.shape[-1]
    pair = (shares[..., :, None] + shares[..., None, :]) * ~np.eye(k, dtype=bool)
    pair = np.where(np.isnan(areas), 0.0, pair)
    both = np.where(pair > 0, (areas + np.swapaxes(areas, -1, -2)) / 2.0, 0.0)
    return (both * pair).sum(axis=(-2, -1)) / pair.sum(axis=(-2, -1))


# ----------------------------------------------------------------------------------------------
# Measures that are linear in areas under ROC curves, found by evaluating their formulas.
# ----------------------------------------------------------------------------------------------


TOLERANCE = 1e-9  # how far a measure may stray from a straight line by rounding
STEP = 1e-5  # of numerical derivatives by the classes' shares
CELLS = 1 << 20  # areas that are held at once


@dataclass(frozen=True)
class AreaScale:
    """A straight line from an area to a measure: its values at reversed and at perfect order.

    >>> gini = AreaScale(-1.0, 1.0)
    >>> gini.of(0.75), gini.area(0.5), gini.limits(0.7, 0.8)
    (0.5, 0.75, (0.4, 0.6))
    """

    reversed: float = 0.0
    perfect: float = 1.0

    @property
    def slope(self) -> float:
        return self.perfect - self.reversed

    def of(self, area: Any) -> Any:
        """The measure at an area."""
        return self.reversed + self.slope * area

    def area(self, value: float) -> float:
        """The area at a value of the measure, never outside 0 and 1."""
        return min(max((value - self.reversed) / self.slope, 0.0), 1.0)

    def limits(self, low: float, high: float) -> tuple[float, float]:
        """Two areas as values, the smaller first: a measure may fall as the area rises."""
        one, other = float(self.of(low)), float(self.of(high))
        return min(one, other), max(one, other)


AREA = AreaScale()


def area_scale(measure: Measure, found: float, area: float) -> AreaScale | None:
    """The line of a measure of two classes; None if `found` does not lie on it at `area`.

    Whatever a measure is called, it is an area up to scale if it has the value of a perfect order,
    that of a reversed one, and lies between them as the area does.

    >>> from abovechance.measures import find
    >>> area_scale(find("somers_d"), 0.5, 0.75)
    AreaScale(reversed=-1.0, perfect=1.0)
    >>> area_scale(find("average_precision"), 0.8, 0.75) is None
    True
    """
    return _line(_ends_of_area(measure), found, area)


@lru_cache(maxsize=256)
def _ends_of_area(measure: Measure) -> list[float]:
    """Values of a reversed and of a perfect order."""
    score = np.array([0.2, 0.4, 0.6, 0.8])
    orders = [Binary([0, 0, 1, 1], probability=p) for p in (score[::-1], score)]
    return [value(measure, p) for p in orders]


def concordance_scale(measure: Measure, found: float, concordance: float) -> AreaScale | None:
    """The line from a concordance to a measure of survival; None if `found` does not lie on it."""
    time, seen = [1.0, 2.0, 3.0, 4.0], [1, 1, 1, 1]
    risk = np.array([4.0, 3.0, 2.0, 1.0])
    orders = [Survival(time, seen, risk=r) for r in (risk[::-1], risk)]
    return _line([value(measure, p) for p in orders], found, concordance)


def _line(ends: list[float], found: float, area: float) -> AreaScale | None:
    if not np.isfinite(ends).all() or ends[0] == ends[1]:
        return None
    scale = AreaScale(*ends)
    near = abs(scale.of(area) - found) <= TOLERANCE * max(abs(ends[0]), abs(ends[1]))
    return scale if near else None


@dataclass(frozen=True, eq=False)
class PairScale:
    """A measure linear in the areas of pairs of classes, at the shares the classes have.

    `slopes` (K, K): what every area adds; `by_class` (K,): what more cases of a class add, all
    zero where the measure does not depend on how frequent classes are.
    """

    value: float
    slopes: Floats
    by_class: Floats
    scale: AreaScale

    @property
    def parts(self) -> Floats:
        """How much of the measure's span the areas of each class hold; of two classes all."""
        size = np.abs(self.slopes)
        return np.asarray((size.sum(axis=0) + size.sum(axis=1)) / abs(self.scale.slope))


def pair_scale(measure: Measure, areas: Floats, shares: Floats) -> PairScale | None:
    """How a measure of several classes depends on the areas of their pairs; None if not linearly.

    >>> from abovechance.measures import find
    >>> hand_till = find("auc").for_outcome("multiclass")
    >>> found = pair_scale(hand_till, np.full((3, 3), 0.8), np.array([0.2, 0.3, 0.5]))
    >>> found.value, found.parts
    (0.8, array([0.667, 0.667, 0.667]))
    """
    if measure.form is not Form.PAIR_AUCS:
        return None
    seen = np.where(np.isfinite(areas), 1.0, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        base, low, high = (float(_at(measure, x, shares)) for x in (areas, 0.0 * seen, seen))
        slopes = _slopes(measure, areas, shares, base)
        by_class = _by_class(measure, areas, shares)
    line = low + float((slopes * np.where(np.isfinite(areas), areas, 0.0)).sum())
    reach = TOLERANCE * max(abs(low), abs(high))
    if not np.isfinite([base, low, high]).all() or low == high or not abs(line - base) <= reach:
        return None
    return PairScale(base, slopes, by_class, AreaScale(low, high))


def _slopes(measure: Measure, areas: Floats, shares: Floats, base: float) -> Floats:
    """What every area adds: as declared where the formula bears it out, else by trying each."""
    if measure.slopes is not None:
        slopes = np.asarray(measure.slopes(areas, shares, **measure.parameters))
        other = np.random.default_rng(len(shares)).random(areas.shape)
        other = np.where(np.isfinite(areas), other, np.nan)
        change = float(_at(measure, other, shares)) - base
        expected = float((slopes * np.where(np.isfinite(areas), other - areas, 0.0)).sum())
        if abs(change - expected) <= TOLERANCE * np.abs(slopes).sum():
            return slopes
    at = np.argwhere(_seen(areas) > 0)
    slopes = np.zeros(areas.shape)
    for some in _in_turn(at, areas.size):
        steps = np.where(areas[tuple(some.T)] < 0.5, 0.5, -0.5)
        moved = np.repeat(areas[None], len(some), axis=0)
        moved[np.arange(len(some)), some[:, 0], some[:, 1]] += steps
        slopes[tuple(some.T)] = (_at(measure, moved, shares) - base) / steps
    return slopes


def _by_class(measure: Measure, areas: Floats, shares: Floats) -> Floats:
    k = len(shares)
    towards = (np.eye(k) - shares) * (shares > 0)[:, None]
    step = STEP * float(shares[shares > 0].min())
    found = np.empty(k)
    for some in _in_turn(np.arange(k), areas.size):
        many = np.broadcast_to(areas, (len(some), k, k))
        up, down = (_at(measure, many, shares + way * towards[some]) for way in (step, -step))
        found[some] = (up - down) / (2.0 * step)
    flat = np.abs(found).max() <= 1e-6 * max(abs(measure.range[0]), abs(measure.range[1]), 1e-300)
    return np.zeros(k) if flat else found


def _in_turn(items: Array, size: int) -> list[Array]:
    """So many at a time that as many matrices of this size can be held."""
    rows = max(1, CELLS // size)
    return [items[start : start + rows] for start in range(0, len(items), rows)]


def _at(measure: Measure, areas: Floats, shares: Floats) -> Any:
    found = measure.formula(areas, shares, **measure.parameters)
    return found if measure.after is None else measure.after(found)
