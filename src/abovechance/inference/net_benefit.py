"""The law of utility: what decisions are worth, and the gain over acting on all or on none."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.errors import NotApplicable
from abovechance.inference import confusion_tables, method
from abovechance.inference.bootstrap import (
    freedom_over_clusters,
    jackknife_spread,
    moved_percentiles,
    refuse_one_class,
)
from abovechance.inference.confusion_tables import Cells
from abovechance.inference.interval_choice import SAMPLED
from abovechance.inference.method import Fact, interval
from abovechance.inference.method import gain as gain_method
from abovechance.inference.proportions import score_limits
from abovechance.inference.results import Interval, Skill
from abovechance.measures import Form, Law, Measure
from abovechance.measures.sample import COUNTING
from abovechance.measures.utility import exchange, threshold_of
from abovechance.numerics.exact import critical_value
from abovechance.predictions import Binary
from abovechance.settings import BOOTSTRAPS, ONE_MODEL, Settings

# ----------------------------------------------------------------------------------------------
# The interval that an assessment has first, as groups, weights and sampling change it.
# ----------------------------------------------------------------------------------------------


@interval(
    name="two_shares",
    title="MOVER of the two shares' Wilson limits",
    words="the MOVER method with Wilson's limits of the two shares",
    source=("zou2008", "wilson1927"),
    default=[Law.UTILITY],
    allows=(*SAMPLED, Fact.SUMMARY),
    otherwise="normal",
)
def interval_of_utility(measure: Measure, predictions: Any, settings: Settings) -> Interval:
    """MOVER of two shares, else a bootstrap of counts; over clusters each left out in turn.

    With sampling weights, MOVER of sensitivity, specificity and how frequent positives are: a false
    positive that was not seen may weigh much (30 clusters of 4, negatives sampled one in nineteen:
    a bootstrap covered .71).
    """
    if settings.prevalence is not None or predictions.weight is not None:
        worth, acted = worth_of(measure, predictions)  # of two classes alone
        cells = Cells.of(predictions, acted)
        if settings.prevalence is not None or cells.weight is not None:
            return confusion_tables.at_prevalence(measure, cells, settings, worth)
        if not cells.table.sum(axis=1).all():
            raise NotApplicable(confusion_tables.NO_WEIGHT)
    return utility(
        predictions,
        measure,
        confidence_level=settings.level,
        draws=settings.bootstraps,
        rng=settings.rng(ONE_MODEL, 7),
    )


# ----------------------------------------------------------------------------------------------
# Intervals of what decisions are worth: of the shares they are sums of, or of counts.
#
# Net benefit and costs depend on a sample only through how many cases of each class were acted
# on. Where they are sums of two shares their limits are MOVER's with Wilson's, which are open where
# no error was seen. Else cases are drawn with replacement, which makes those four numbers
# multinomial, so a replicate is one draw of four counts and not of n cases. With clusters each in
# turn is left out instead: few clusters make few different bootstrap samples, and Student's t
# allows for that. Curves, of which many places are asked, have the shares' limits over clusters
# too, at the number of cases that would vary as much as resamples do.
# ----------------------------------------------------------------------------------------------


MOST_UNDEFINED = 0.01
TN, FP, FN, TP = range(4)
STILL = 1e-12  # standard deviation of shares, below which it is rounding
FEW_HITS = 10.0  # cases of a share, from which on its own resamples tell how it depends on clusters
MOVER = "MOVER of the two shares' Wilson limits"
Worth = Callable[[Floats], Floats]
"""From tables (…, 2, 2), rows actual and columns acted on, to values (…)."""


@dataclass(frozen=True)
class Gain:
    """What a model adds to the better of acting on every case and on none."""

    reference: float
    difference: float
    interval: Interval


def of_counts(
    worth: Worth,
    table: Floats,
    *,
    confidence_level: float = 0.95,
    draws: int = BOOTSTRAPS,
    rng: np.random.Generator,
) -> Interval:
    """BCa interval of a function of one 2 × 2 table by multinomial draws."""
    if table.sum() < 2:
        raise NotApplicable("an interval needs at least two cases.")
    replicates = worth(resampled(table, draws, rng))
    defined = np.isfinite(replicates)
    if not defined.all():
        lost = int((~defined).sum())
        if lost > MOST_UNDEFINED * draws:
            raise NotApplicable(f"the value is undefined in {lost} of {draws} bootstrap samples.")
        replicates = replicates[defined]
    if np.ptp(replicates) == 0.0:
        raise NotApplicable("all cases are worth the same here, so resampling tells no spread.")
    low, high = bca_limits(worth, table, replicates, confidence_level)
    return method.limits(
        "bootstrap", low, high, confidence_level, kind="BCa", counts=True, draws=draws
    )


def resampled(table: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Tables of cases drawn with replacement: (draws, 2, 2)."""
    n = int(table.sum())
    counts = rng.multinomial(n, table.ravel() / table.sum(), size=draws)
    return counts.reshape(draws, 2, 2).astype(np.float64)


def bca_limits(worth: Worth, tables: Floats, replicates: Floats, level: float) -> Floats:
    """Bias-corrected and accelerated limits for tables (…, 2, 2) and replicates (draws, …).

    The jackknife leaves out one case of each cell in turn, as often as the cell has cases.
    """
    estimate = worth(tables)
    draws = len(replicates)
    close = np.isclose(replicates, estimate, rtol=1e-12, atol=1e-14)
    below = ((replicates < estimate) & ~close).mean(axis=0) + close.mean(axis=0) / 2.0
    acceleration, ordered = _acceleration(worth, tables), np.sort(replicates, axis=0)
    tail = (1.0 - level) / 2.0
    places = (moved_percentiles(at, below, draws, acceleration) for at in (tail, 1.0 - tail))
    return np.stack([_quantile(ordered, np.asarray(place)) for place in places])


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares of cases (…, shares), the independent cases each is worth, and how they correlate.

    Shares of a table are in the order of `TN, FP, FN, TP`.
    """

    share: Floats
    cases: Floats
    together: Floats  # (…, shares, shares)

    @classmethod
    def of_cells(cls, counts: Floats) -> "Shares":
        """Of the cells that independent cases fall in, which count one each."""
        cases = np.asarray(counts.sum(axis=-1, keepdims=True))
        share = counts / cases
        return cls(share, np.broadcast_to(cases, counts.shape), _of_one_sample(share))

    @classmethod
    def of_drawn_cells(cls, counts: Floats, drawn: Floats, most: float, units: float) -> "Shares":
        """Of the cells that clusters or weighted cases fall in, by resamples (draws, …)."""
        share = counts / counts.sum(axis=-1, keepdims=True)
        own = cls(share, np.full(share.shape, most), _of_one_sample(share))
        with np.errstate(invalid="ignore"):  # of a resample without weight
            return own.varying(drawn / drawn.sum(axis=-1, keepdims=True), units)

    @classmethod
    def of_classes(cls, rates: Floats, sizes: tuple[float, ...]) -> "Shares":
        """Of classes (…, classes), each of its own cases."""
        return cls(rates, np.broadcast_to(sizes, rates.shape), np.eye(len(sizes)))

    def varying(self, drawn: Floats, units: float) -> "Shares":
        """Worth the cases that would vary as much as resamples do, and no more than here.

        Of a share that hardly a case tells of, resamples know nothing: it depends on clusters as
        what is beside it does. Where nothing varies, so many `units` are counted.
        """
        told = np.isfinite(drawn).all(axis=-1, keepdims=True)  # resamples may lack a class
        count = np.maximum(told.sum(axis=0), 1)
        x = np.where(told, drawn, 0.0)
        x = np.where(told, x - x.sum(axis=0) / count, 0.0)
        products = np.einsum("d...i,d...j->...ij", x, x) / count[..., None]
        variance = np.einsum("...ii->...i", products)
        varies = variance > STILL**2
        scale = np.sqrt(variance[..., :, None] * variance[..., None, :])
        known = varies[..., :, None] & varies[..., None, :]
        together = np.where(known, products / np.where(known, scale, 1.0), self.together)
        alone = self.share * (1.0 - self.share) / self.cases
        known = varies & (alone > 0.0)
        above, below = (np.where(known, v, 0.0).sum(-1, keepdims=True) for v in (variance, alone))
        beside = np.where(
            below > 0.0, above / np.where(below > 0.0, below, 1.0), self.cases / units
        )
        own = np.divide(variance, alone, out=np.ones(alone.shape), where=known)
        trust = np.clip(np.minimum(self.share, 1.0 - self.share) * self.cases / FEW_HITS, 0.0, 1.0)
        effect = np.where(known, trust * own + (1.0 - trust) * beside, beside)
        return Shares(self.share, self.cases / np.maximum(effect, 1.0), together)

    def sum_limits(
        self, terms: Sequence[tuple[float | Floats, int]], level: float
    ) -> tuple[Floats, Floats]:
        r"""Limits of :math:`\sum_k a_k p_k`: the factor and the place of each share.

        MOVER with Wilson's limits. Where counts are few it covers what resampling them, which
        cannot exceed them, does not.

        References
        ----------
        Zou & Donner (2008), eq. 6.
        """
        at = [k for _, k in terms]
        share, cases = self.share[..., at], self.cases[..., at]
        together = self.together[..., at, :][..., at]
        factor = np.stack([np.broadcast_to(a, share.shape[:-1]) for a, _ in terms], axis=-1)
        low, high = score_limits(share * cases, cases, level)
        centre, ends = (factor * share).sum(axis=-1), []
        for side in (-1.0, 1.0):
            room = factor * np.where(side * factor > 0.0, high - share, share - low)
            square = np.einsum("...i,...ij,...j->...", room, together, room)
            ends.append(np.asarray(centre + side * np.sqrt(np.maximum(square, 0.0))))
        return ends[0], ends[1]


def _of_one_sample(share: Floats) -> Floats:
    """How the shares of cells of the same independent cases are correlated, (…, cells, cells)."""
    odds = np.divide(share, 1.0 - share, out=np.full(share.shape, np.inf), where=share < 1.0)
    with np.errstate(invalid="ignore"):
        products = np.nan_to_num(odds[..., :, None] * odds[..., None, :], nan=1.0)
    together = -np.sqrt(np.minimum(products, 1.0))
    each = np.arange(share.shape[-1])
    together[..., each, each] = 1.0
    return np.asarray(together)


def net_benefit_limits(
    threshold: float | Floats, shares: Shares, level: float
) -> tuple[Floats, Floats]:
    """Limits of net benefit from those of its two shares, true and false positives of all cases."""
    odds = np.asarray(threshold) / (1.0 - np.asarray(threshold))
    return shares.sum_limits([(1.0, TP), (-odds, FP)], level)


def gain_limits(threshold: float | Floats, shares: Shares, level: float) -> tuple[Floats, Floats]:
    """Limits of the gain over acting on none, or on all where that is better in these tables.

    Over acting on all a model gains what negatives it spares and loses the positives it misses.
    """
    odds = np.asarray(threshold) / (1.0 - np.asarray(threshold))
    ours = net_benefit_limits(threshold, shares, level)
    spared = shares.sum_limits([(odds, TN), (-1.0, FN)], level)
    share = shares.share
    all_better = share[..., FN] + share[..., TP] > odds * (share[..., TN] + share[..., FP])
    low, high = (np.where(all_better, s, o) for s, o in zip(spared, ours, strict=True))
    return low, high


def net_benefit_of(threshold: float | Floats) -> Worth:
    """Net benefit at a threshold (or one each for the last axis of tables), from a table."""
    odds = np.asarray(threshold) / (1.0 - np.asarray(threshold))

    def worth(table: Floats) -> Floats:
        return np.asarray((table[..., 1, 1] - odds * table[..., 0, 1]) / table.sum(axis=(-2, -1)))

    return worth


def gain_of(threshold: float | Floats, tables: Floats) -> Worth:
    """Net benefit less that of acting on all or on none, whichever is better in these tables.

    The better one is chosen once and kept in every replicate: choosing it again in each would
    count the luck of the better one twice (coverage .90 to .93 where this has .94 to .95).
    """
    odds = np.asarray(threshold) / (1.0 - np.asarray(threshold))
    model = net_benefit_of(threshold)

    def everyone(table: Floats) -> Floats:
        share = table[..., 1, :].sum(axis=-1) / table.sum(axis=(-2, -1))
        return np.asarray(share - odds * (1.0 - share))

    all_better = everyone(tables) > 0.0

    def worth(table: Floats) -> Floats:
        return np.asarray(model(table) - np.where(all_better, everyone(table), 0.0))

    return worth


def worth_of(measure: Measure, predictions: Binary) -> tuple[Worth, Bools | None]:
    """A measure of utility as a function of a table, and cases acted on unless as labelled."""
    if measure.form in COUNTING:
        return measure.on_counts, None
    return of_four_cases(measure), acted_on(predictions, threshold_of(measure))


def of_four_cases(measure: Measure) -> Worth:
    """A measure of outcomes and probabilities on one case of each cell, weighted by the counts."""
    outcome, acted = np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0])

    def worth(table: Floats) -> Floats:
        weight = table.reshape(*table.shape[:-2], 4)
        with np.errstate(divide="ignore", invalid="ignore"):
            if measure.form is not Form.LOSSES:
                return np.asarray(measure.formula(outcome, acted, weight, **measure.parameters))
            each = measure.formula(outcome, acted, **measure.parameters)
            return np.asarray(weight @ each / weight.sum(axis=-1))

    return worth


def of_two_shares(worth: Worth, table: Floats, level: float) -> Interval | None:
    """Limits of what is a sum over cases, two kinds of which differ from the rest; else None."""
    with np.errstate(divide="ignore", invalid="ignore"):
        each = worth(np.eye(4).reshape(4, 2, 2))
    counts, n = table.ravel(), table.sum()
    if not np.isfinite(each).all() or not np.isclose(each @ counts / n, float(worth(table))):
        return None
    values, kind, cells = np.unique(each, return_inverse=True, return_counts=True)
    if len(values) > 3:
        return None
    rest = int(cells.argmax())
    others = [k for k in range(len(values)) if k != rest]
    if not others:
        return None
    shares = Shares.of_cells(np.asarray(np.bincount(kind, weights=counts)))
    low, high = shares.sum_limits([(values[k] - values[rest], k) for k in others], level)
    return _mover((low + values[rest], high + values[rest]), level)


def _mover(limits: tuple[Floats, Floats], level: float) -> Interval:
    return method.limits("two_shares", limits[0], limits[1], level)


def acted_on(predictions: Binary, threshold: float) -> Bools:
    """Cases whose probability is at least the threshold."""
    exchange(threshold)
    assert predictions.probability is not None
    return np.asarray(predictions.probability >= threshold)


def table_of(predictions: Binary, acted: Bools) -> Floats:
    """Counts, rows actual, with those acted on in the second column."""
    cell = 2 * predictions.positive + acted
    counts = np.bincount(cell, weights=predictions.weight, minlength=4)
    return counts.reshape(2, 2).astype(np.float64)


def over_clusters(
    worth: Worth, predictions: Binary, acted: Bools, *, confidence_level: float = 0.95
) -> Interval:
    r"""Interval of a function of a table by leaving out each cluster in turn.

    .. math:: \hat\theta \pm t_\nu \sqrt{\tfrac{G-1}{G} \sum_g (\hat\theta_{-g} - \bar\theta)^2}

    with as many degrees of freedom :math:`\nu` as the clusters that hold each class allow.

    References
    ----------
    Efron & Tibshirani (1993), chapter 11, with clusters for cases.
    """

    _, code = np.unique(np.asarray(predictions.cases.groups), return_inverse=True)
    units = int(code.max()) + 1
    if units < 2:
        raise NotApplicable("an interval over clusters needs at least two of them.")
    cell = 4 * code + 2 * predictions.positive + acted
    own = np.bincount(cell, weights=predictions.weight, minlength=4 * units).reshape(-1, 2, 2)
    table = own.sum(axis=0)
    without = worth(table - own)
    lost = int((~np.isfinite(without)).sum())
    if lost:
        raise NotApplicable(
            f"the value is undefined or infinite without one of {lost} of the {units} clusters."
        )
    refuse_one_class("what acting is worth", predictions)
    gap, error = jackknife_spread(without, np.ones(units), "cluster")
    if error == 0.0:
        raise NotApplicable("leaving out a cluster changes nothing, so the spread is not known.")
    half = critical_value(confidence_level, freedom_over_clusters(gap, predictions)) * error
    centre = float(worth(table))
    return method.limits("left_out", centre - half, centre + half, confidence_level, clusters=units)


def gain(
    predictions: Binary,
    threshold: float,
    *,
    confidence_level: float = 0.95,
    draws: int = BOOTSTRAPS,
    rng: np.random.Generator,
) -> Gain:
    """Net benefit beside the better of acting on every case and on none.

    References
    ----------
    Vickers & Elkin (2006).
    """
    acted = acted_on(predictions, threshold)
    table = table_of(predictions, acted)
    worth = gain_of(threshold, table)
    difference = float(worth(table))
    value = float(net_benefit_of(threshold)(table))
    if predictions.cases.groups is None:
        shares = Shares.of_cells(table.ravel())
        interval = _mover(gain_limits(threshold, shares, confidence_level), confidence_level)
    else:
        interval = over_clusters(worth, predictions, acted, confidence_level=confidence_level)
    return Gain(value - difference, difference, interval)


def utility(
    predictions: Binary,
    measure: Measure,
    *,
    confidence_level: float = 0.95,
    draws: int = BOOTSTRAPS,
    rng: np.random.Generator,
) -> Interval:
    """Interval of net benefit or a cost from the counts it depends on; jackknife over clusters."""
    worth, acted = worth_of(measure, predictions)
    if predictions.weight is not None:  # all alike
        table = Cells.of(predictions, acted).table
    else:
        table = predictions.confusion if acted is None else table_of(predictions, acted)
    if table.sum() < 2:
        raise NotApplicable("an interval needs at least two cases.")
    if not np.isfinite(worth(table)):
        raise NotApplicable(f"{measure.title} is not finite here, so it has no interval.")
    if predictions.cases.groups is None:
        known = of_two_shares(worth, table, confidence_level)
        if known is None:
            known = of_counts(worth, table, confidence_level=confidence_level, draws=draws, rng=rng)
        return _within(measure, known)
    acted = np.asarray(predictions.label, dtype=np.bool_) if acted is None else acted
    found = over_clusters(worth, predictions, acted, confidence_level=confidence_level)
    return _within(measure, found)


def _within(measure: Measure, found: Interval) -> Interval:
    bottom, top = measure.range
    return replace(found, low=max(found.low, bottom), high=min(found.high, top))


def _acceleration(worth: Worth, tables: Floats) -> Floats:
    """Skewness of the jackknife values over cells, in sixths; 0 where they do not differ."""
    flat = tables.reshape(*tables.shape[:-2], 4)
    without = []
    for cell in range(4):
        less = flat.copy()
        less[..., cell] = np.maximum(less[..., cell] - 1.0, 0.0)
        without.append(worth(less.reshape(tables.shape)))
    values = np.stack(without, axis=-1)
    values = np.where(np.isfinite(values), values, worth(tables)[..., None])
    total = flat.sum(axis=-1, keepdims=True)
    centre = (flat * values).sum(axis=-1, keepdims=True) / total
    gap = centre - values
    scale = (flat * gap**2).sum(axis=-1) ** 1.5
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(scale > 0, (flat * gap**3).sum(axis=-1) / (6.0 * scale), 0.0)


def _quantile(ordered: Floats, at: Floats) -> Floats:
    """Quantiles along the first axis, a different one in every column, linear between values."""
    place = at * (len(ordered) - 1)
    lower = np.floor(place).astype(np.int64)
    upper = np.minimum(lower + 1, len(ordered) - 1)
    low = np.take_along_axis(ordered, lower[None], axis=0)[0]
    high = np.take_along_axis(ordered, upper[None], axis=0)[0]
    return np.asarray(low + (place - lower) * (high - low))


# ----------------------------------------------------------------------------------------------
# The gain as an assessment shows it.
# ----------------------------------------------------------------------------------------------


@gain_method(
    name="net_gain",
    title="gain over the better of acting on all and on none",
    words="the gain over the better of acting on all and on none",
    source="vickers2006",
    default=[Law.UTILITY],
    allows=[Fact.CLUSTERS],
)
def net_gain(measure: Measure, cases: Any, settings: Settings) -> Skill | None:
    """Net benefit beside the better of acting on every case and on none; None of other utility."""
    if not measure.decomposable or "threshold" not in measure.parameters:
        return None
    found = gain(
        cases,
        threshold_of(measure),
        confidence_level=settings.level,
        draws=settings.bootstraps,
        rng=settings.rng(8),
    )
    return Skill(reference=found.reference, difference=found.difference, interval=found.interval)
