"""Curves of what acting on predictions is worth, or costs, at every threshold."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference.curves.curve import (
    Above,
    Curve,
    Sweep,
    case_weight,
    each_case,
    ranking_of,
    thresholds_of,
)
from abovechance.inference.net_benefit import (
    MOVER,
    Shares,
    gain_limits,
    gain_of,
    net_benefit_limits,
    net_benefit_of,
)
from abovechance.predictions import Binary, checks
from abovechance.settings import Settings, settled

# ----------------------------------------------------------------------------------------------
# Decision curves: what acting on predictions is worth at every threshold of risk.
# ----------------------------------------------------------------------------------------------


ALIKE = 1e-5  # apart, probabilities that were rounded on their way are
THRESHOLDS = np.arange(1, 100) / 100.0


@settled
def decision(
    predictions: Binary, thresholds: Sequence[float] | Floats | None = None, **given: Any
) -> Curve:
    """Net benefit of acting where the probability is at least a threshold, at every threshold.

    Columns: `treat_all`, `treat_none`; `gain` over the better of the two with its limits;
    `standardised` net benefit; `interventions_avoided` per case, against acting on all; `above`,
    the cases at or above the threshold. Limits are those of two shares, Wilson's combined; over
    clusters and rows with weights at the number of cases that would vary as much as resamples do.

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
    cells, y = tables.reshape(len(at), 4), net_benefit_of(at)(tables)
    if sweep.plain:
        shares = Shares.of_cells(cells)
    else:
        drawn = sweep.resampled(lambda cut: cut.tables).reshape(-1, *cells.shape)
        most = float(tables[0].sum()) / case_weight(predictions)
        shares = Shares.of_drawn_cells(cells, drawn, most, sweep.resampled_units)
    gain_low, gain_high = gain_limits(at, shares, sweep.level)
    share = float(predictions.prevalences[1])
    everyone = share - (1.0 - share) * at / (1.0 - at)
    with np.errstate(divide="ignore", invalid="ignore"):
        standardised = y / share
    acted_on = (p[:, None] >= at).sum(axis=0).astype(np.float64)
    method = _method(predictions, settings.bootstraps)
    return sweep.curve(
        net_benefit_limits(at, shares, sweep.level),
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
            "gain": gain_of(at, tables)(tables),
            "gain_low": gain_low,
            "gain_high": gain_high,
            "standardised": standardised,
            "interventions_avoided": (y - everyone) * (1.0 - at) / at,
            "above": acted_on,
        },
    )


@settled
def decision_difference(
    first: Binary, second: Binary, thresholds: Sequence[float] | Floats | None = None, **given: Any
) -> Curve:
    """Net benefit of one model minus that of another on the same cases, at every threshold.

    What counts of a case is its class and which of the two models alone would act on it: limits are
    MOVER's with Wilson's of these four shares, over clusters at the number of cases that would vary
    as much as resamples do. State the thresholds beforehand; a band is pointwise.

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
    counts = np.stack([np.bincount(column, minlength=8) for column in cell.T]).astype(np.float64)
    # negatives and positives that the second model alone would act on, or the first
    terms: list[tuple[float | Floats, int]] = [(odds, 1), (-odds, 2), (-1.0, 5), (1.0, 6)]
    if first.cases.groups is None:
        shares = Shares.of_cells(counts)
    else:
        drawn = _resampled_clusters(cell, first.cases.groups, settings.bootstraps, settings.rng())
        shares = Shares.of_drawn_cells(counts, drawn, float(first.n), sweep.resampled_units)
    if np.abs(p - q).max() < ALIKE:  # one model twice: nothing differs, in any sample
        limits = np.zeros(len(at)), np.zeros(len(at))
    else:
        limits = shares.sum_limits(terms, sweep.level)
    alone = counts[:, [2, 6]] - counts[:, [1, 5]]
    return sweep.curve(
        limits,
        curve="decision_difference",
        title="Difference of decision curves",
        x_name="Threshold probability",
        y_name="Difference in net benefit",
        x=at,
        y=(alone[:, 1] - odds * alone[:, 0]) / first.n,
        method=_method(first, settings.bootstraps, "MOVER of the four shares' Wilson limits"),
        columns={"first": net_benefit_of(at)(sweep.points.tables)},
    )


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
    if predictions.weight is None and predictions.cases.groups is None:
        return plain
    units = "rows" if predictions.cases.groups is None else "clusters"
    return f"{plain} at effective numbers of cases, {draws} bootstrap samples of {units}"


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
    the curve flatters; the band holds for the thresholds so chosen: MOVER's limits with Wilson's of
    both error rates, as those of decision curves.

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
    each = 1.0 if sweep.plain else case_weight(predictions)
    sizes = float(points.all_positives) / each, float(points.all_negatives) / each
    rates = Shares.of_classes(np.stack([miss[best], alarm[best]], axis=-1), sizes)
    method = "MOVER with Wilson at the chosen thresholds"
    if not sweep.plain:

        def at_best(drawn: Above) -> Floats:
            ends = np.ones((len(drawn.positives), 1))
            misses = np.hstack([1.0 - drawn.sensitivity, ends])[:, best]
            alarms = np.hstack([drawn.false_positive_rate, 0.0 * ends])[:, best]
            return np.stack([misses, alarms], axis=-1)

        rates = rates.varying(sweep.resampled(at_best), sweep.units)
        method = _method(predictions, settings.bootstraps, method)
    low, high = rates.sum_limits([(x, 0), (1.0 - x, 1)], sweep.level)
    return sweep.curve(
        (np.maximum(low, 0.0), np.minimum(high, 1.0)),
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
