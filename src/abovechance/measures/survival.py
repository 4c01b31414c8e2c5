"""The survival family: do higher risks meet their event earlier?

Risks are higher for earlier events (`predicted_time=` is read the other way round). Of predicted
survival curves alone the risk is 1 − S at the last predicted time, for `auc_at` at its own. How
good predicted survival probabilities are is in `survival_probability`.
"""

from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.measures.chance import constant
from abovechance.measures.measure import Law, Measure, measure
from abovechance.measures.survival_probability import SURVIVAL, inverse_before
from abovechance.numerics.censoring import Concordance, concordance_counts
from abovechance.numerics.ranks import auc, tied_groups
from abovechance.predictions import Survival, View

TIES = ("harrell", "strict", "drop", "both_events")
NO_PAIR = "no two cases can be compared: no event is followed by another case"


def _one_half(predictions: Survival, measure: Measure) -> float:
    """One half: of any two comparable cases either is as likely to have the higher risk."""
    return float("nan") if measure.parameters.get("ties") == "drop" else 0.5


OF_RISK: dict[str, Any] = {
    **SURVIVAL,
    "reads": View.RISK,
    "range": (0.0, 1.0),
    "best": 1.0,
    "chance": _one_half,
    "reference": constant(0.5),
}


@measure(
    title="Concordance index",
    aliases=(
        "concordance_index",
        "concordance_index_harrell",
        "c_index_harrell",
        "harrell_c",
    ),
    **OF_RISK,
    law=Law.CENSORED_PAIRS,
    undefined=NO_PAIR,
    source="Harrell, Lee, Mark (1996); familiar 1.5.0, concordance index",
)
def c_index(predictions: Survival, *, ties: str = "harrell", tau: float | None = None) -> float:
    r"""Share of comparable pairs of cases in which the higher risk has the earlier event.

    .. math:: \frac{C + T/2}{C + D + T}

    with C concordant and D discordant pairs, and T pairs of equal risk. A pair is comparable when
    the earlier time is an event. Two events at the same time are not compared; an event and a
    censoring at the same time are, for the censored case outlives the other. Its value depends on
    how many cases were censored, and when; `uno_c` does not. Survival curves are ordered by 1 − S
    at the last predicted time.

    `ties="strict"` compares only different times; `ties="drop"` leaves pairs of equal risk out;
    `ties="both_events"` compares only different times, and counts as T the pairs of equal risk in
    which both cases had their event, whatever their times: the rule that familiar's documentation
    prints, which is not what it computes (`dialect="familiar"`).
    With `tau` only events before it open pairs. With weights a pair counts the product of its two.

    Parameters
    ----------
    ties
        Which pairs are compared: "harrell", "strict", "drop" or "both_events", as above.
    tau
        Only events before this time count; all of them when not given.

    Examples
    --------
    >>> c_index([5, 2, 9, 4], [1, 1, 0, 1], risk=[0.3, 0.9, 0.1, 0.2])
    0.833
    >>> c_index([5, 2, 9, 4], [1, 1, 0, 1], predicted_time=[6, 1, 8, 7])
    0.833
    >>> c_index([5, 2, 9, 4], [1, 1, 0, 1], risk=[0.3, 0.9, 0.3, 0.3], ties="both_events")
    0.875
    """
    if ties not in TIES:
        raise NotApplicable(f"ties must be one of {', '.join(TIES)}; got {ties!r}.")
    pairs = concordance_counts(
        predictions.time,
        predictions.event,
        predictions.risk,
        event_censored_ties=ties not in ("strict", "both_events"),
        tau=tau,
        weight=predictions.weight,
    )
    if ties == "both_events":
        return share(pairs._replace(tied_risk=_tied_events(predictions, tau)))
    return share(pairs._replace(tied_risk=0.0) if ties == "drop" else pairs)


def _tied_events(predictions: Survival, tau: float | None) -> float:
    """How many pairs of events have the same risk, whatever their times."""
    inside = predictions.event if tau is None else predictions.event & (predictions.time < tau)
    weight = np.ones(predictions.n) if predictions.weight is None else predictions.weight
    _, at = np.unique(predictions.risk[inside], return_inverse=True)
    total = np.bincount(at, weights=weight[inside], minlength=1)
    # a row that stands for k cases holds pairs of its own; a weight does not
    own = weight[inside] if predictions.cases.counts is not None else weight[inside] ** 2
    return float((total**2).sum() - own.sum()) / 2.0


def _uno_weight(predictions: Survival, *, tau: float | None = None) -> Floats:
    """Squared inverse probabilities of not yet being censored; 0 for cases that open no pair."""
    opening = predictions.event if tau is None else predictions.event & (predictions.time < tau)
    return np.asarray(np.where(opening, inverse_before(predictions), 0.0) ** 2)


@measure(
    title="Uno's concordance",
    aliases=("concordance_index_uno", "c_index_uno", "concordance_index_ipcw"),
    **OF_RISK,
    law=Law.CENSORED_PAIRS,
    pair_weight=_uno_weight,
    undefined=f"{NO_PAIR}; or one lies beyond the follow-up of censoring= (state an earlier tau)",
    source="Uno et al. (2011)",
)
def uno_c(predictions: Survival, *, tau: float | None = None) -> float:
    r"""Concordance index that does not depend on how cases were censored.

    .. math:: \frac{\sum_{i,j} \delta_i G(T_i-)^{-2} \, [T_i < T_j, T_i < \tau]
        \left( [r_i > r_j] + \tfrac12 [r_i = r_j] \right)}
        {\sum_{i,j} \delta_i G(T_i-)^{-2} \, [T_i < T_j, T_i < \tau]}

    with G the probability of not yet being censored (reverse Kaplan–Meier, from the evaluated
    cases or the training data given as `censoring=`). Ties are treated as in `c_index`. Few cases
    remain at late times and weigh much: state a `tau` within the follow-up.

    Parameters
    ----------
    tau
        Only events before this time count; all of them when not given.

    Examples
    --------
    >>> uno_c([5, 2, 9, 4, 3], [1, 1, 0, 1, 0], risk=[0.3, 0.9, 0.1, 0.2, 0.2], tau=8)
    0.810
    """
    weight = _uno_weight(predictions, tau=tau)
    if np.isnan(weight).any():
        return float("nan")
    pairs = concordance_counts(
        predictions.time,
        predictions.event,
        predictions.risk,
        tau=tau,
        weight=predictions.weight,
        pair_weight=weight,
    )
    return share(pairs)


@measure(
    title="Area under the ROC curve at a time",
    aliases=("cumulative_dynamic_auc",),
    **OF_RISK,
    law=Law.UNKNOWN,
    undefined="no time was stated, no event was seen by then, nobody was seen event-free after it, "
    "or it lies beyond the follow-up of censoring=",
    source="Uno et al. (2007); Hung, Chiang (2010)",
)
def auc_at(predictions: Survival, *, t: float | None = None) -> float:
    r"""Chance that a case with the event by a time had a higher risk than one still free of it.

    .. math:: \frac{\sum_{i,j} \delta_i [T_i \le t] [T_j > t] \, G(T_i-)^{-1}
        \left( [r_i > r_j] + \tfrac12 [r_i = r_j] \right)}
        {\sum_{i,j} \delta_i [T_i \le t] [T_j > t] \, G(T_i-)^{-1}}

    Cumulative cases against dynamic controls; the controls' weight 1/G(t) cancels. `t` is the last
    of the predictions' `times` if not stated. Where survival curves alone were predicted, r is
    1 − S(t), and `t` must be one of their times.

    Parameters
    ----------
    t
        The time at which predictions are judged; the last predicted time when not given.

    Examples
    --------
    >>> auc_at([5, 2, 9, 4, 3], [1, 1, 0, 1, 0], risk=[0.3, 0.9, 0.1, 0.2, 0.2], t=4)
    0.714
    """
    if t is None:
        if predictions.times is None:
            return float("nan")
        t = float(predictions.times[-1])
    happened = predictions.event & (predictions.time <= t)
    known = happened | (predictions.time > t)
    if not happened.any() or not (known & ~happened).any():
        return float("nan")
    weight = np.where(happened, inverse_before(predictions), 1.0)
    if predictions.weight is not None:
        weight = weight * predictions.weight
    if np.isnan(weight[known]).any():
        return float("nan")
    risk = predictions.risk_by(t)
    return float(auc(tied_groups(risk[known], happened[known], weight[known])))


def share(pairs: Concordance) -> float:
    """Concordant pairs and half of the tied ones among all, `nan` if there are none."""
    total = sum(pairs)
    return (pairs.concordant + pairs.tied_risk / 2.0) / total if total > 0 else float("nan")
