"""Curves of what acting on predictions is worth, or costs, at every threshold."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference.curves.curve import (
    Above,
    Curve,
    Sweep,
    each_case,
    ranking_of,
    thresholds_of,
)
from abovechance.inference.net_benefit import (
    MOVER,
    gain_limits,
    gain_of,
    net_benefit_limits,
    net_benefit_of,
)
from abovechance.inference.proportions import score_limits
from abovechance.predictions import Binary, checks
from abovechance.settings import Settings, settled

# ----------------------------------------------------------------------------------------------
# Decision curves: what acting on predictions is worth at every threshold of risk.
# ----------------------------------------------------------------------------------------------


THRESHOLDS = np.arange(1, 100) / 100.0
SPARSE = 10  # cases above a threshold


@settled
def decision(
    predictions: Binary, thresholds: Sequence[float] | Floats | None = None, **given: Any
) -> Curve:
    """Net benefit of acting where the probability is at least a threshold, at every threshold.

    Columns: `treat_all`, `treat_none`; `gain` over the better of the two with its limits;
    `standardised` net benefit; `interventions_avoided` per case, against acting on all; `above`,
    the cases at or above the threshold. Limits are those of two shares, Wilson's combined; over
    clusters and rows with weights they are percentiles, which say little of few cases above.

    Parameters
    ----------
    predictions
        Probabilities of two classes, made with `Binary`.
    thresholds
        Probabilities from which on one would act; 0.01 to 0.99 in steps of 0.01 when not given.

    Raises
    ------
    NotApplicable
        If there are no probabilities, only one class was observed, or a threshold does not lie
        between 0 and 1.

    See Also
    --------
    decision_difference : one model's net benefit less another's.
    abovechance.thresholds : the threshold that goes with stated costs.

    References
    ----------
    Vickers & Elkin (2006); Vickers et al. (2008) for intervals.

    Examples
    --------
    >>> from abovechance import examples
    >>> curve = decision(examples.breast_cancer("p_texture"), [0.1, 0.2, 0.5], rng=1)
    >>> curve.y
    array([0.321, 0.245, 0.109])
    """
    settings = Settings.of("decision", given)
    predictions = each_case(predictions)
    p, at = _probability(predictions), _checked(thresholds)
    sweep = Sweep(predictions, p, at, settings)
    tables = sweep.points.tables
    worth, gain = net_benefit_of(at), gain_of(at, tables)
    y = worth(tables)
    if sweep.plain:
        limits = net_benefit_limits(at, tables, settings.level)
        gain_low, gain_high = gain_limits(at, tables, settings.level)
    else:
        drawn = sweep.resampled(lambda cut: cut.tables)
        limits, (gain_low, gain_high) = (
            sweep.percentile(worth(drawn)),
            sweep.percentile(gain(drawn)),
        )
    share = float(predictions.prevalences[1])
    everyone = share - (1.0 - share) * at / (1.0 - at)
    with np.errstate(divide="ignore", invalid="ignore"):
        standardised = y / share
    acted_on = (p[:, None] >= at).sum(axis=0).astype(np.float64)
    method = _method(predictions, settings.bootstraps)
    return sweep.curve(
        limits,
        curve="decision",
        title="Decision curve",
        x_name="Threshold probability",
        y_name="Net benefit",
        x=at,
        y=y,
        method=method,
        columns={
            "treat_all": everyone,
            "treat_none": np.zeros(len(at)),
            "gain": gain(tables),
            "gain_low": gain_low,
            "gain_high": gain_high,
            "standardised": standardised,
            "interventions_avoided": (y - everyone) * (1.0 - at) / at,
            "above": acted_on,
        },
        advice=() if method == MOVER else _sparse(at, acted_on),
    )


@settled
def decision_difference(
    first: Binary, second: Binary, thresholds: Sequence[float] | Floats | None = None, **given: Any
) -> Curve:
    """Net benefit of one model minus that of another on the same cases, at every threshold.

    Both models' decisions on a case are drawn together: what counts of a case is its class and
    which of the two would act on it. State the thresholds beforehand; a band is pointwise.

    Parameters
    ----------
    first, second
        Probabilities of two models for the same cases in the same order, made with `Binary`.
    thresholds
        Probabilities from which on one would act; 0.01 to 0.99 in steps of 0.01 when not given.

    Raises
    ------
    NotApplicable
        If the models did not predict the same cases, there are no probabilities, cases have
        weights, or a threshold does not lie between 0 and 1.

    See Also
    --------
    decision : the net benefit of one model.

    References
    ----------
    Vickers et al. (2008).

    Examples
    --------
    >>> from abovechance import examples
    >>> forest, texture = examples.breast_cancer(), examples.breast_cancer("p_texture")
    >>> decision_difference(forest, texture, [0.2, 0.5], rng=1).y
    array([0.103, 0.214])
    """
    settings = Settings.of("decision_difference", given)
    first, second = each_case(first), each_case(second)
    p, q = _probability(first), _probability(second)
    _paired(first, second)
    at = _checked(thresholds)
    sweep = Sweep(first, p, at, settings)
    odds = at / (1.0 - at)
    acted = [(scores[:, None] >= at).astype(np.int8) for scores in (p, q)]
    cell = 4 * first.positive[:, None] + 2 * acted[0] + acted[1]
    value = np.array([0, -1, 1, 0])  # of acting by the first alone, and by the second alone

    def worth(counts: Floats) -> Floats:
        negative, positive = counts[..., :4] @ value, counts[..., 4:] @ value
        return np.asarray((positive - odds * negative) / counts.sum(axis=-1))

    draws, stream = settings.bootstraps, settings.rng()
    counts = np.stack([np.bincount(column, minlength=8) for column in cell.T]).astype(np.float64)
    if first.cases.groups is None:
        replicates = worth(_resampled(counts, draws, stream))
    else:
        replicates = worth(_resampled_clusters(cell, first.cases.groups, draws, stream))
    return sweep.curve(
        sweep.percentile(replicates),
        curve="decision_difference",
        title="Difference of decision curves",
        x_name="Threshold probability",
        y_name="Difference in net benefit",
        x=at,
        y=worth(counts),
        method=_method(first, draws, f"bootstrap percentile of counts, {draws} draws"),
        columns={"first": net_benefit_of(at)(sweep.points.tables)},
    )


def _sparse(at: Floats, acted_on: Floats) -> tuple[Advice, ...]:
    """Advice where limits by resampling rest on few cases above the threshold."""
    few = acted_on < SPARSE
    if not few.any():
        return ()
    text = (
        f"fewer than {SPARSE} cases lie above thresholds from {at[few.argmax()]:g} on: there "
        "the limits cover less than they say."
    )
    return (Advice("AC253", text),)


def _resampled(counts: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Counts of eight kinds of cases at every threshold: (draws, thresholds, 8)."""
    n = int(counts[0].sum())
    drawn = [rng.multinomial(n, row / n, size=draws) for row in counts]
    return np.stack(drawn, axis=1).astype(np.float64)


def _resampled_clusters(cell: Any, groups: Any, draws: int, rng: np.random.Generator) -> Floats:
    _, code = np.unique(groups, return_inverse=True)
    units = int(code.max()) + 1
    times = rng.multinomial(units, np.full(units, 1.0 / units), size=draws)
    found = []
    for column in cell.T:
        brings = np.zeros((units, 8))
        np.add.at(brings, (code, column), 1.0)
        found.append(times @ brings)
    return np.stack(found, axis=1)


def _method(predictions: Binary, draws: int, plain: str = MOVER) -> str:
    if predictions.cases.groups is not None:
        return f"bootstrap of clusters, {draws} draws"
    if predictions.weight is not None:
        return f"bootstrap of rows, {draws} draws"
    return plain


def _probability(predictions: Binary) -> Floats:
    ranking_of(predictions, "a decision curve")
    if predictions.probability is None:
        raise NotApplicable("a decision curve needs probabilities: its thresholds are risks.")
    return predictions.probability


def _checked(thresholds: Sequence[float] | Floats | None) -> Floats:
    given = THRESHOLDS if thresholds is None else np.atleast_1d(checks.unmasked(thresholds))
    at = np.unique(checks.numbers("thresholds", checks.vector("thresholds", given)))
    if not at.size or not ((at > 0.0) & (at < 1.0)).all():
        raise NotApplicable("thresholds must lie between 0 and 1.")
    return at


def _paired(first: Binary, second: Binary) -> None:
    if first.n != second.n or (first.positive != second.positive).any():
        raise NotApplicable("both models must predict the same cases in the same order.")
    if first.weight is not None or second.weight is not None:
        raise NotApplicable("differences of decision curves are for cases that count one each.")


# ----------------------------------------------------------------------------------------------
# Cost curves: what the best threshold would cost, for every balance of costs and frequencies.
# ----------------------------------------------------------------------------------------------


POINTS = 101


@settled
def cost(predictions: Binary, **given: Any) -> Curve:
    r"""Expected cost at the best threshold, over all ratios of costs and prevalences.

    .. math:: c(x) = \min_t \, (1 - TPR_t) \, x + FPR_t (1 - x), \quad
        x = \frac{\pi c_{FN}}{\pi c_{FN} + (1 - \pi) c_{FP}}

    0 for perfect predictions, 1 when everything is wrong; always calling all cases alike costs
    min(x, 1 − x), the column `trivial`. The threshold of each point is chosen on these cases, so
    the curve flatters; the band holds for the thresholds so chosen.

    Parameters
    ----------
    predictions
        Predictions of two classes with a score or a probability, made with `Binary`.

    Raises
    ------
    NotApplicable
        If only labels were predicted, or only one class was observed.

    See Also
    --------
    decision : for probabilities, and thresholds stated beforehand.
    abovechance.thresholds : the threshold that goes with stated costs.

    References
    ----------
    Drummond & Holte (2006).

    Examples
    --------
    >>> from abovechance import examples
    >>> cost(examples.breast_cancer("p_texture"), rng=1).at(0.5)
    {'y': 0.263, 'low': 0.216, 'high': 0.320}
    """
    settings = Settings.of("cost", given)
    predictions = each_case(predictions)
    score = ranking_of(predictions, "a cost curve")
    sweep = Sweep(predictions, score, thresholds_of(score), settings)
    points = sweep.points
    x = np.linspace(0.0, 1.0, POINTS)
    # beyond the highest score nothing is called positive
    miss = np.append(1.0 - points.sensitivity, 1.0)
    alarm = np.append(points.false_positive_rate, 0.0)
    costs = miss[:, None] * x + alarm[:, None] * (1.0 - x)
    best = costs.argmin(axis=0)
    if sweep.plain:
        sizes = float(points.all_positives), float(points.all_negatives)
        limits = _mover((miss[best], alarm[best]), sizes, x, settings.level)
        method = "MOVER with Wilson at the chosen thresholds"
    else:

        def at_best(drawn: Above) -> Floats:
            ends = np.ones((len(drawn.positives), 1))
            misses = np.hstack([1.0 - drawn.sensitivity, ends])[:, best]
            alarms = np.hstack([drawn.false_positive_rate, 0.0 * ends])[:, best]
            return misses * x + alarms * (1.0 - x)

        limits = sweep.percentile(sweep.resampled(at_best))
        method = f"bootstrap at the chosen thresholds, {settings.bootstraps} draws"
    return sweep.curve(
        limits,
        curve="cost",
        title="Cost curve",
        x_name="Probability-cost of positives",
        y_name="Normalised expected cost",
        x=x,
        y=costs[best, np.arange(POINTS)],
        method=method,
        columns={
            "trivial": np.minimum(x, 1.0 - x),
            "threshold": np.append(sweep.thresholds, np.inf)[best],
        },
    )


def _mover(
    rates: tuple[Floats, Floats], sizes: tuple[float, float], x: Floats, level: float
) -> tuple[Floats, Floats]:
    """Limits of a weighted sum of two independent shares from Wilson's limits of each."""
    weights = x, 1.0 - x
    below, above_ = np.zeros(len(x)), np.zeros(len(x))
    for rate, n, weight in zip(rates, sizes, weights, strict=True):
        low, high = score_limits(rate * n, np.full(len(x), n), level)
        below += (weight * (rate - low)) ** 2
        above_ += (weight * (high - rate)) ** 2
    centre = rates[0] * weights[0] + rates[1] * weights[1]
    return np.maximum(centre - np.sqrt(below), 0.0), np.minimum(centre + np.sqrt(above_), 1.0)
