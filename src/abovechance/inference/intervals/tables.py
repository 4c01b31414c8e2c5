"""Intervals of everything that is a function of a confusion table, whatever the cases are like.

Independent, weighted or clustered cases and classes sampled apart differ in one thing only: how
many independent cases each class is worth (`effective_counts`). The rest follows from what the
formula is (`table_facts`): a share, a mean of class recalls, or any other function.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference import method
from abovechance.inference.intervals.effective_counts import ONE_CLUSTER, Cells, Worth, worth
from abovechance.inference.intervals.proportions import score_limits
from abovechance.inference.intervals.table_facts import (
    Rows,
    as_rows,
    as_share,
    evenly,
    free_of_prevalence,
    linear_in_rows,
    of_accuracy_alone,
    one_way,
)
from abovechance.inference.results import Interval
from abovechance.measures import Law, Measure
from abovechance.measures.evaluation import COUNTING

DRAWS = 20_000
NUMBERS = 16_000_000  # drawn at most for tables with many cells
LEAST_DRAWS = 2_000
MOST_UNDEFINED = 0.01
GRADE = 1.05  # measures that vary alike share their draws
STEP = 1e-6  # of numerical derivatives, relative to the number of cases
LAWS = (Law.SHARE, Law.CONDITIONAL, Law.BALANCED, Law.UNKNOWN)
Stream = Callable[[], np.random.Generator]


def of_table(measure: Measure) -> bool:
    """Whether the intervals here are for this measure."""
    return measure.form in COUNTING and measure.law in LAWS


def of_mean_score(score: Floats, predictions: Any, level: float) -> Interval:
    """Wilson's interval of the mean of scores from 0 to 1, one a case."""
    groups = predictions.cases.groups
    unit = None if groups is None else np.unique(groups, return_inverse=True)[1]
    found = worth(score, predictions.weight, unit, level)
    known = {} if groups is None else {"clusters": found.units}
    return _wilson(found, level, effective=True, **known)


def share(measure: Measure, cells: Cells, level: float) -> Interval | None:
    """Wilson's interval of a share, or of a function of accuracy; None for what is neither."""
    k = len(cells.table)
    found = as_share(measure, k)
    if found is not None:
        low, high = found.bounds
        score = np.where(found.inside, (found.score - low) / (high - low), 0.0)
        share = _of_scores(cells, score, found.inside, level)
        ends = [low + (high - low) * x for x in (share.low, share.high)]
    elif of_accuracy_alone(measure, k):
        share = _of_scores(cells, np.eye(k), np.ones((k, k), dtype=np.bool_), level)
        ends = [float(measure.on_counts(evenly(x, k))) for x in (share.low, share.high)]
    else:
        return None
    return _around(measure, cells, replace(share, low=min(ends), high=max(ends)))


def balanced(measure: Measure, cells: Cells, level: float) -> Interval | None:
    """MOVER for two classes, Wilson at the effective n for more; None when not linear in recalls.

    References
    ----------
    Zou & Donner (2008); with dependent parts: Zou (2008).
    """
    rows = as_rows(measure, cells.table.sum(axis=1))
    if rows is None:
        return None
    parts = [k for k, reach in enumerate(rows.reach) if reach > 0]
    worths = [cells.row_worth(k, rows.scores[k], level) for k in parts]
    if all(worth.units < 2 for worth in worths) and cells.unit is not None:
        raise NotApplicable(ONE_CLUSTER)
    together = cells.correlations(rows.scores)[np.ix_(parts, parts)]
    if len(cells.table) == 2:
        low, high = _mover(rows, parts, worths, together, level)
        found = method.limits("mover", low, high, level, **cells.known)
    else:
        extra = _of_frequencies(measure, cells, level)
        low, high = _effective(rows, parts, worths, together, extra, level)
        found = method.limits("wilson", low, high, level, effective=True, **cells.known)
    return _around(measure, cells, found)


def law_of(measure: Measure, classes: int) -> Law:
    """The law that a formula of tables turns out to have: a share's, a mean of shares' or none.

    Of two classes MOVER holds their sizes fixed: only for what does not depend on these.
    """
    if as_share(measure, classes) is not None or of_accuracy_alone(measure, classes):
        return Law.SHARE
    if linear_in_rows(measure, classes) and (classes > 2 or free_of_prevalence(measure)):
        return Law.BALANCED
    return Law.UNKNOWN


def posterior(
    measure: Measure, cells: Cells, level: float, stream: Stream, kept: dict[Any, Floats]
) -> Interval:
    """Equal-tailed limits of the posterior of any function of a table.

    The prior is half a case per cell for two classes; for more it is one case over all cells, for
    half a case in each of many cells would outweigh the data. Each class has as many cases as it
    is worth, and so have the frequencies of the classes. `kept` holds draws for other measures.
    """
    if cells.unit is not None and cells.unit.max() == 0:
        raise NotApplicable(ONE_CLUSTER)
    slower = _together(measure, cells)
    if slower not in kept:
        kept[slower] = _drawn_tables(cells, slower, level, stream())
    found = _of_draws(measure, cells, measure.on_counts(kept[slower]), level)
    _refuse_what_hangs_on_one_case(measure, cells.table, found)
    return found


def _refuse_what_hangs_on_one_case(measure: Measure, table: Floats, found: Interval) -> None:
    """Of several classes: a product of recalls is 0 when no case of one class is right.

    Where one case more or less that is right takes the value farther than half of the limits'
    distance, a few cases of one class decide it, and limits mean nothing (they cover .40 to .63).
    """
    if len(table) == 2:
        return
    value, half = float(measure.on_counts(table)), (found.high - found.low) / 2.0
    never = np.flatnonzero((np.diag(table) == 0) & (table.sum(axis=1) > 0))
    if len(never):  # of several such classes one case more in each
        other = table.copy()
        other[never, table[never].argmax(axis=1)] -= 1.0
        other[never, never] += 1.0
        changed = float(measure.on_counts(np.maximum(other, 0.0)))
        if abs(changed - value) > half:
            raise NotApplicable(
                f"no case of {len(never)} class{'es' * (len(never) > 1)} is predicted rightly; "
                f"with one of each {measure.title} would be {changed:.2g}, not {value:.2g}."
            )
    for row in np.flatnonzero(table.sum(axis=1) > 0).tolist():
        wrong = table[row].copy()
        wrong[row] = -1.0
        at = int(np.argmax(wrong))
        for step in (min(1.0, float(table[row, at])), -min(1.0, float(table[row, row]))):
            other = table.copy()
            other[row, at] -= step
            other[row, row] += step
            changed = float(measure.on_counts(other))
            if step and abs(changed - value) > half:
                raise NotApplicable(
                    f"one case of a class decides: with one {'more' if step > 0 else 'less'} that "
                    f"is predicted rightly {measure.title} would be {changed:.2g}, not {value:.2g}."
                )


def at_prevalence(
    measure: Measure,
    cells: Cells,
    prevalence: float,
    level: float,
    stream: Stream,
    of_counts: Callable[[Floats], Floats] | None = None,
) -> Interval:
    """Interval where positives are as frequent as stated, from classes sampled apart.

    `of_counts` is the measure as a function of tables where its formula takes something else. A
    function that rises or falls throughout with sensitivity and with specificity has MOVER's
    limits from Wilson's of both; any other, those of the posterior of both.

    References
    ----------
    Zou & Donner (2008); Mercaldo, Lau & Zhou (2007).
    """
    right, worth_of = np.eye(2), of_counts or measure.on_counts
    worths = [cells.row_worth(k, right[k], level) for k in (0, 1)]
    for found in worths:
        if found.units < 2 and cells.unit is not None:
            raise NotApplicable(ONE_CLUSTER)

    def value(specificity: Any, sensitivity: Any) -> Floats:
        return np.asarray(worth_of(_stated(specificity, sensitivity, prevalence)))

    limits = [score_limits(w.mean * w.cases, w.cases, level) for w in worths]
    grid = value(*np.meshgrid(*(np.linspace(*ends, 9) for ends in limits), indexing="ij"))
    means = [w.mean for w in worths]
    centre = float(value(*means))
    if not (one_way(grid) and one_way(grid.T)):
        rng = stream()
        drawn = [
            rng.beta(w.mean * w.cases + 0.5, (1 - w.mean) * w.cases + 0.5, DRAWS) for w in worths
        ]
        return _of_draws(measure, cells, value(*drawn), level, centre)
    ends = np.array(
        [
            [float(value(x, means[1])) for x in limits[0]],
            [float(value(means[0], x)) for x in limits[1]],
        ]
    )
    rising = np.where(ends[:, 1] >= ends[:, 0], 1.0, -1.0)
    together = float(cells.correlations(right)[0, 1] * rising.prod())
    below, above = centre - ends.min(axis=1), ends.max(axis=1) - centre
    low = max(centre - _joined(below, together), float(np.nanmin(grid)))
    high = min(centre + _joined(above, together), float(np.nanmax(grid)))
    return _around(measure, cells, method.limits("mover", low, high, level, **cells.known), centre)


def _of_scores(cells: Cells, score: Floats, inside: Any, level: float) -> Interval:
    found = cells.worth(score, inside, level)
    if found.units < 2 and cells.unit is not None:
        raise NotApplicable(ONE_CLUSTER)
    if cells.independent and np.isin(score[inside], (0.0, 1.0)).all():
        return _wilson(found, level)
    known = cells.known if cells.unit is None else {"clusters": found.units}
    return _wilson(found, level, effective=True, **known)


def _wilson(found: Worth, level: float, **known: Any) -> Interval:
    low, high = score_limits(found.mean * found.cases, found.cases, level)
    low = 0.0 if found.mean == 0.0 else min(float(low), found.mean)
    high = 1.0 if found.mean == 1.0 else max(float(high), found.mean)
    return method.limits("wilson", low, high, level, **known)


def _mover(
    rows: Rows, parts: list[int], worths: list[Worth], together: Floats, level: float
) -> tuple[float, float]:
    reach, means = rows.reach[parts], np.array([w.mean for w in worths])
    limits = [_wilson(w, level) for w in worths]
    below = reach * (means - np.array([x.low for x in limits]))
    above = reach * (np.array([x.high for x in limits]) - means)
    centre = rows.bottom + float(reach @ means)
    return (
        centre - float(np.sqrt(max(below @ together @ below, 0.0))),
        centre + float(np.sqrt(max(above @ together @ above, 0.0))),
    )


def _effective(
    rows: Rows,
    parts: list[int],
    worths: list[Worth],
    together: Floats,
    extra: float,
    level: float,
) -> tuple[float, float]:
    """Wilson's limits of a mean of shares at its effective number of cases."""
    reach = rows.reach[parts]
    whole = float(reach.sum())
    means, cases = np.array([w.mean for w in worths]), np.array([w.cases for w in worths])
    moved = (means * cases + 0.5) / (cases + 1.0)
    spread = reach / whole * np.sqrt(moved * (1.0 - moved) / cases)
    centre = float(reach @ moved) / whole
    variance = float(spread @ together @ spread) + extra / whole**2
    count = centre * (1.0 - centre) / variance
    value = float(reach @ means) / whole
    low, high = score_limits(value * count, count, level)
    return rows.bottom + whole * float(low), rows.bottom + whole * float(high)


def _of_frequencies(measure: Measure, cells: Cells, level: float) -> float:
    """Variance that comes from how frequent the classes happen to be, when these count."""
    if measure.prevalence_free:
        return 0.0
    table = cells.table
    k = len(table)
    seen = table.sum(axis=1) > 0
    grown = np.repeat(table[None], k, axis=0)
    grown[np.arange(k), np.arange(k)] *= 1.0 + STEP
    slope = (measure.on_counts(grown) - measure.on_counts(table)) / STEP
    share = table.sum(axis=1) / table.sum()
    return float((slope[seen] ** 2 / share[seen]).sum() / cells.margin_worth(level))


def _drawn_tables(cells: Cells, slower: float, level: float, rng: np.random.Generator) -> Floats:
    table = cells.table
    k = len(table)
    prior = 0.5 if k == 2 else 1.0 / k**2
    size = (max(LEAST_DRAWS, min(DRAWS, NUMBERS // k**2)), k, k)
    if cells.independent:
        drawn = rng.standard_gamma(table + prior, size=size)
        return np.asarray(drawn / drawn.sum(axis=(-2, -1), keepdims=True))
    totals = table.sum(axis=1)
    seen = totals > 0
    right = np.eye(k)
    rows = np.zeros(k)
    for row in np.flatnonzero(seen).tolist():
        rows[row] = cells.row_worth(row, right[row], level).cases / slower
    inner = table / np.where(seen, totals, 1.0)[:, None] * rows[:, None]
    drawn = rng.standard_gamma(inner + prior, size=size)
    drawn /= np.maximum(drawn.sum(axis=-1, keepdims=True), np.finfo(float).tiny)
    margin = totals / totals.sum() * cells.margin_worth(level) / slower
    frequency = rng.standard_gamma(margin + prior * k, size=size[:2])
    frequency /= frequency.sum(axis=-1, keepdims=True)
    return np.asarray(drawn * frequency[..., None])


def _together(measure: Measure, cells: Cells) -> float:
    """How many times a value varies as much as if classes varied independently over clusters."""
    if cells.unit is None:
        return 1.0
    slope = _slopes(measure, cells.table)
    if slope is None:
        return 1.0
    total = cells.table.sum(axis=1, keepdims=True)
    centre = (cells.table * slope).sum(axis=1, keepdims=True) / np.where(total > 0, total, 1.0)
    inner = cells.sums(slope - centre)
    outer = cells.sums(np.broadcast_to(centre, slope.shape)).sum(axis=1)
    apart = float((inner**2).sum() + (outer**2).sum())
    if apart <= 1e-18 * float((np.abs(slope) * cells.table).sum()) ** 2:
        return 1.0
    found = max(1.0, float(((inner.sum(axis=1) + outer) ** 2).sum()) / apart)
    return float(GRADE ** np.ceil(np.log(found) / np.log(GRADE) - 1e-6))


def _slopes(measure: Measure, table: Floats) -> Floats | None:
    """How a value changes with one case more in each cell; None where that is undefined."""
    k, step = len(table), STEP * float(table.sum())
    value = float(measure.on_counts(table))
    found = np.empty((k, k))
    for row in range(k):
        more = np.repeat(table[None], k, axis=0)
        more[np.arange(k), row, np.arange(k)] += step
        found[row] = (measure.on_counts(more) - value) / step
    return found if np.isfinite(found).all() else None


def _of_draws(
    measure: Measure, cells: Cells, values: Floats, level: float, value: float | None = None
) -> Interval:
    defined = values[~np.isnan(values)]
    if len(values) - len(defined) > MOST_UNDEFINED * len(values):
        raise NotApplicable(
            f"{measure.title} is undefined for too many tables that the cases do not rule out."
        )
    tail = (1.0 - level) / 2.0
    whole = bool(np.isfinite(defined).all())
    ends = np.quantile(defined, [tail, 1.0 - tail], method="linear" if whole else "inverted_cdf")
    prior = "jeffreys" if len(cells.table) == 2 else "one_case"
    known = {} if cells.independent else {"effective": True, **cells.known}
    found = method.limits("dirichlet", ends[0], ends[1], level, **{prior: True}, **known)
    return _around(measure, cells, found, value)


def _around(
    measure: Measure, cells: Cells, found: Interval, value: float | None = None
) -> Interval:
    """Limits within the measure's range that go up to its value."""
    if value is None:
        value = float(measure.on_counts(cells.table))
    bottom, top = measure.range
    low, high = max(found.low, bottom), min(found.high, top)
    if np.isfinite(value):
        low, high = min(low, value), max(high, value)
    return replace(found, low=float(low), high=float(high))


def _stated(specificity: Any, sensitivity: Any, prevalence: float) -> Floats:
    """Tables of classes that are as frequent as stated."""
    c, s = np.asarray(specificity), np.asarray(sensitivity)
    table = np.empty((*np.broadcast(c, s).shape, 2, 2))
    table[..., 0, 0], table[..., 0, 1] = (1 - prevalence) * c, (1 - prevalence) * (1 - c)
    table[..., 1, 0], table[..., 1, 1] = prevalence * (1 - s), prevalence * s
    return table


def _joined(parts: Floats, together: float) -> float:
    first, second = parts
    return float(np.sqrt(max(first**2 + second**2 + 2.0 * together * first * second, 0.0)))


def share_by(method_: Any, measure: Measure, cells: Cells, level: float) -> Interval | None:
    """An interval of x of n cases, for any measure that is a share; None for what is none."""
    found = as_share(measure, len(cells.table))
    if found is None or not cells.independent:
        return None
    low, high = found.bounds
    hits = float((cells.table * (found.score - low) / (high - low))[found.inside].sum())
    limits = method_.function(hits, float(cells.table[found.inside].sum()), confidence_level=level)
    ends = sorted(low + (high - low) * x for x in (limits.low, limits.high))
    return _around(measure, cells, replace(limits, low=ends[0], high=ends[1]))
