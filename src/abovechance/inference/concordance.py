"""Concordance of risks with times, by the infinitesimal jackknife; correlations, by Fisher's z."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.inference.bootstrap import freedom_of
from abovechance.inference.influence import Components, concordance_influence
from abovechance.inference.method import Fact, Takes, checked, interval, limits
from abovechance.inference.results import Interval
from abovechance.measures import Law, Measure
from abovechance.measures.rank import concordance_scale
from abovechance.numerics.exact import critical_value
from abovechance.predictions import Survival
from abovechance.settings import Settings

# ----------------------------------------------------------------------------------------------
# The interval that an assessment has first, as groups, weights and sampling change it.
# ----------------------------------------------------------------------------------------------


@interval(
    name="jackknife",
    title="[{infinitesimal} ]jackknife[ over {clusters} clusters], logit scale",
    heading="infinitesimal jackknife, logit scale",
    words="the[ {infinitesimal}] jackknife[ over {clusters} clusters] on the logit scale",
    source="therneau2015",
    default=[Law.CENSORED_PAIRS],
    allows=[Fact.CLUSTERS],
    otherwise="normal",
)
def interval_of_concordance(
    measure: Measure, predictions: Survival, settings: Settings
) -> Interval | None:
    """Infinitesimal jackknife on the logit scale."""
    pairs = _pairs(measure, predictions)
    concordance, _ = concordance_influence(predictions, **pairs)
    scale = concordance_scale(measure, measure.of(predictions), concordance)
    if scale is None:
        return None
    found = jackknife(predictions, confidence_level=settings.level, **pairs)
    low, high = scale.limits(found.low, found.high)
    return replace(found, low=low, high=high)


def _pairs(measure: Measure, predictions: Survival) -> dict[str, Any]:
    """Which pairs of cases a measure counts, and what each of them weighs."""
    weigh = measure.pair_weight
    weight = None if weigh is None else weigh(predictions, **measure.parameters)
    return {"tau": measure.parameters.get("tau"), "pair_weight": weight}


# ----------------------------------------------------------------------------------------------
# Intervals of concordance with censored times, by the infinitesimal jackknife.
# ----------------------------------------------------------------------------------------------


def jackknife(
    predictions: Survival,
    *,
    confidence_level: float = 0.95,
    tau: float | None = None,
    pair_weight: Floats | None = None,
) -> Interval:
    """Interval of a concordance index of censored times, on the logit scale.

    The variance is the sum of squared influences, as if each case had been left out. Student's t
    allows for how few of them make up the variance (coverage .94 with 40 to 100 cases of which four
    in five are censored, where the normal quantile has .91). Of up to 100 clusters each is left
    out, and what that changes is squared as it is, since pairs within a cluster lean to one side;
    the degrees of freedom are one less than as many clusters of one size would be worth.
    The weights of an inverse-probability index are taken as known.

    Parameters
    ----------
    predictions
        Predictions of times to an event, made with `Survival`.
    tau
        Only events before this time are compared; all of them when not given.
    pair_weight
        What the pairs opened by each case weigh; all weigh the same when not given.

    Raises
    ------
    NotApplicable
        If every comparable pair is ordered alike, or there is not one weight per case; for
        predictions pooled over folds, cases in time order, and sampling weights.

    See Also
    --------
    abovechance.assess : gives it for `c_index` and `uno_c`.

    References
    ----------
    Therneau & Watson (2015), The concordance statistic and the Cox model; Efron (1982).

    Examples
    --------
    >>> from abovechance import Survival
    >>> print(jackknife(Survival([1, 2, 3, 4, 5, 6], [1, 1, 0, 1, 1, 1], risk=[5, 6, 3, 4, 2, 1])))
    0.262 to 0.997
    """

    predictions = checked("jackknife", predictions)
    if pair_weight is not None and len(pair_weight) != predictions.n:
        raise NotApplicable(
            f"pair_weight must hold one weight per case, {predictions.n}; got {len(pair_weight)}."
        )
    value, influence = concordance_influence(predictions, tau=tau, pair_weight=pair_weight)
    groups = predictions.cases.groups
    known: dict[str, Any] = {"infinitesimal": "infinitesimal"}
    units = len(influence)
    if groups is not None:
        code, sizes = np.unique(groups, return_inverse=True, return_counts=True)[1:]
        influence = np.bincount(code, weights=influence).astype(np.float64)
        units = len(influence)
        known["clusters"] = units
    error = units / max(units - 1.0, 1.0) * float(np.sqrt((influence**2).sum()))
    freedom = freedom_of(influence)
    if groups is not None and 1 < units <= LEFT_OUT:
        del known["infinitesimal"]
        moved = value - _without_clusters(predictions, code, tau, pair_weight)
        error, freedom = float(np.sqrt(moved @ moved)), freedom_of(moved)
        freedom = max(min(freedom, float(sizes.sum() ** 2 / (sizes @ sizes)) - 1.0), 1.0)
    if not 0.0 < value < 1.0 or error == 0.0:
        raise NotApplicable("every comparable pair is ordered alike: the jackknife sees no spread.")
    centre = np.log(value / (1.0 - value))
    quantile = critical_value(confidence_level, freedom)
    half = quantile * error / (value * (1.0 - value))
    with np.errstate(over="ignore"):  # so far out a limit is 0
        low, high = (float(1.0 / (1.0 + np.exp(-(centre + side * half)))) for side in (-1.0, 1.0))
    return limits("jackknife", low, high, confidence_level, **known)


LEFT_OUT = 100  # clusters that are left out one by one; how much each of more moves is the same


def _without_clusters(
    predictions: Survival, code: Ints, tau: float | None, pair_weight: Floats | None
) -> Floats:
    """Concordances without one cluster each."""
    found = []
    for one in range(int(code.max()) + 1):
        rest = np.flatnonzero(code != one)
        weight = None if pair_weight is None else pair_weight[rest]
        kept = predictions.take(rest)
        found.append(concordance_influence(kept, tau=tau, pair_weight=weight)[0])
    return np.array(found)


# ----------------------------------------------------------------------------------------------
# Concordances of several models at once, and how much each case moves them.
# ----------------------------------------------------------------------------------------------

EQUAL_CONCORDANCES = "the concordances are equal"


def concordances(measure: Measure, models: Sequence[Any]) -> Components | None:
    """Concordances of models and how much each case moves them; None if they are no such thing."""
    found = []
    for p in models:
        value, moved = concordance_influence(p, **_pairs(measure, p))
        scale = concordance_scale(measure, measure.of(p), value)
        if scale is None:
            return None
        found.append((scale.of(value), scale.slope * moved))
    values, influence = zip(*found, strict=True)
    stratum = np.zeros(models[0].n, dtype=np.int64)
    return Components(np.array(values), np.stack(influence), stratum, models[0].cases.groups)


# ----------------------------------------------------------------------------------------------
# Intervals of correlations on Fisher's z scale.
# ----------------------------------------------------------------------------------------------


SPREAD = {"pearson": 1.0, "spearman": 1.06, "kendall": 0.437}


@interval(
    title="Fisher z",
    words="Fisher's z transformation",
    source="fisher1921",
    laws=[Law.UNKNOWN],
    takes=Takes.PARTS,
)
def fisher_z(
    correlation: float, n: int, *, kind: str = "pearson", confidence_level: float = 0.95
) -> Interval:
    r"""Interval of a correlation by Fisher's transformation.

    .. math:: \tanh(\operatorname{artanh} r \pm z \sqrt{c/(n-d)})

    with c = 1 and d = 3 for Pearson's, c = 1.06 and d = 3 for Spearman's, c = 0.437 and d = 4 for
    Kendall's correlation.

    Parameters
    ----------
    correlation
        The correlation, between −1 and 1.
    n
        Number of cases.
    kind
        Whose correlation: "pearson", "spearman" or "kendall".

    Raises
    ------
    NotApplicable
        For an unknown kind, or if there are no more than d cases.

    See Also
    --------
    bootstrap : where outcomes or predictions are far from normal.

    References
    ----------
    Fisher (1921); Fieller, Hartley & Pearson (1957).

    Examples
    --------
    >>> print(fisher_z(0.6, 50))
    0.386 to 0.753
    """

    if kind not in SPREAD:
        raise NotApplicable(f"kind must be one of {', '.join(SPREAD)}; got {kind!r}.")
    less = 4 if kind == "kendall" else 3
    if n <= less:
        raise NotApplicable(f"the interval of a correlation needs more than {less} cases.")
    if abs(correlation) >= 1.0:
        return limits("fisher_z", correlation, correlation, confidence_level)
    half = critical_value(confidence_level) * np.sqrt(SPREAD[kind] / (n - less))
    centre = np.arctanh(correlation)
    low, high = np.tanh(centre - half), np.tanh(centre + half)
    return limits("fisher_z", low, high, confidence_level)
