"""The rank family: what the order of the scores says, whatever their scale."""

from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.measures.averaging import defined_mean
from abovechance.measures.chance import constant, prevalence
from abovechance.measures.measure import Family, Form, LabelScore, Law, measure
from abovechance.numerics import ranks
from abovechance.numerics.ranks import Ranked
from abovechance.predictions import Binary, View

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
    multiclass_facts={"form": Form.PAIR_AUCS, "title": "Area under the ROC curve (Hand–Till)"},
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


@measure(
    title="Partial area under the ROC curve",
    **RANK,
    outcomes=BINARY,
    range=(0.0, 1.0),
    best=1.0,
    reference=constant(0.5),
    prevalence_free=True,
    law=Law.UNKNOWN,
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
    area = ranks.partial_area(ranked, max_fpr)
    if not standardised:
        return area
    least, most = max_fpr**2 / 2.0, max_fpr
    return (1.0 + (area - least) / (most - least)) / 2.0


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


@measure(
    title="Area under the ROC curve, each class against the rest",
    aliases=("roc_auc_ovr",),
    **PAIRWISE,
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
