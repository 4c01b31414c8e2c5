"""What a measure is on average when outcomes are shuffled: each order as likely as any other.

That is the hypothesis of the tests of association, so this is the level they test against. It is
known without drawing where a measure is linear in what a shuffle changes: the cells of a confusion
table between fixed margins, losses summed over cases. Whether it is, its formula is asked.
"""

from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.measures.catalogue import find
from abovechance.measures.chance import NEXT_TO_ZERO
from abovechance.measures.evaluation import fit
from abovechance.measures.measure import Errors, Form, Law, Measure
from abovechance.measures.sample import COUNTING, Sample, after, evaluate, made_of
from abovechance.measures.sufficient_statistics import moments_beside, of_moments
from abovechance.numerics.exact import log_hypergeometric
from abovechance.numerics.kernels import worthwhile
from abovechance.numerics.ranks import tied_groups
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, View

PAIRINGS = 1 << 22  # outcomes times predictions that are paired one by one
BESIDE = 1 << 23  # probabilities, each beside every class
MOST_LOSSES = 1 << 27  # the same of losses, which are summed in blocks
BLOCK = 1 << 14
LINEAR = 1e-9  # relative: how far a linear formula may be off by rounding
ROUNDING = 1e-12  # what is left of a zero in a table of shares
REACH = 12.0  # standard deviations beyond which a table has no probability to speak of
TILTS = 3


def shuffled(measure: Measure, predictions: Predictions) -> float | None:
    """The mean of a measure over all orders of the outcomes; None where only drawing tells.

    Examples
    --------
    >>> from abovechance.measures import find
    >>> cases = Binary([0, 0, 0, 1], probability=[0.1, 0.2, 0.6, 0.9])
    >>> [shuffled(find(name), cases) for name in ("accuracy", "auc", "brier")]
    [0.5, 0.5, 0.33]
    """
    found: float | None = predictions.once(
        ("shuffled", measure), lambda: _shuffled(fit(measure, predictions), predictions)
    )
    return found


def _shuffled(measure: Measure, predictions: Predictions) -> float | None:
    if measure.law is Law.CALIBRATION or measure.higher_is_better is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        try:
            found = _known(measure, predictions)
        except NotApplicable:  # of predictions of which only a summary is left
            return None
    return None if found is None or np.isnan(found) else float(found)


def level(values: Floats, probability: Floats | None = None) -> float | None:
    """The mean of what is defined; the median where the mean is infinite, as of odds ratios.

    >>> level(np.array([1.0, 2.0, np.nan])), level(np.array([1.0, 1.5, np.inf]))
    (1.5, 1.5)
    """
    weight = np.ones(values.shape) if probability is None else probability
    defined = ~np.isnan(values) & (weight > 0)
    values, weight = values[defined], weight[defined]
    if not values.size:
        return None
    with np.errstate(invalid="ignore"):
        mean = float(np.average(values, weights=weight))
    if np.isfinite(mean):
        return mean
    order = np.argsort(values)
    reached = np.cumsum(weight[order]) / weight.sum()
    return float(values[order][np.searchsorted(reached, 0.5)])


def _known(measure: Measure, predictions: Any) -> float | None:
    if measure.chance is not None:
        return measure.chance(predictions, measure)
    if measure.form in COUNTING:
        return _of_tables(measure, predictions)
    if isinstance(predictions, Binary | Multiclass):
        if measure.form is Form.RANKS and measure.law is Law.PAIRS:
            return _of_ties(measure, predictions)
        if measure.form in (Form.LOSSES, Form.SAMPLE) and measure.reads is View.PROBABILITY:
            return _of_classes(measure, predictions)
    if isinstance(predictions, Numeric) and measure.form is Form.LOSSES and measure.after is None:
        found = _on_scale(measure, predictions)
        return _of_pairings(measure, predictions) if found is None else found
    return None


def _of_tables(measure: Measure, predictions: Any) -> float | None:
    """Of fixed margins: at the expected table if the formula is linear in it, else over all."""
    table = predictions.confusion
    tables = predictions.once("tilted tables", lambda: _tilted(table))
    found, *ends = measure.on_counts(tables).tolist()
    between = np.reshape(ends, (TILTS, 2)).mean(axis=1)
    if np.isfinite(found) and np.allclose(between, found, rtol=LINEAR, atol=LINEAR):
        return 0.0 if abs(found) < ROUNDING else found
    if len(table) > 2 or predictions.weight is not None:
        return None
    positives, called = int(table[1].sum()), int(table[:, 1].sum())
    return _over_tables(measure, int(table.sum()), positives, called)


def _tilted(table: Floats) -> Floats:
    """The expected table of these margins, and pairs of others beside it."""
    rows, columns, n = table.sum(axis=1), table.sum(axis=0), table.sum()
    expected = np.outer(rows, columns) / n
    rng = np.random.default_rng(0)
    tables = [expected]
    for _ in range(TILTS):  # cases moved between cells, margins kept, by as much either way
        along, across = (_centred(rng.normal(size=len(rows)), m) for m in (rows, columns))
        move = expected * np.outer(along, across)
        tables += [expected + move, expected - move]
    return np.stack(tables)


def _centred(values: Floats, margin: Floats) -> Floats:
    found = values - np.average(values, weights=margin)
    size = np.abs(np.where(margin > 0, found, 0.0)).max()
    return np.asarray(found / size if size > 0 else found)


def _over_tables(measure: Measure, n: int, positives: int, called: int) -> float | None:
    """Over all tables of two classes, each as probable as the hypergeometric law has it."""
    mean = positives * called / n
    spread = np.sqrt(mean * (n - positives) * (n - called) / max(n * (n - 1.0), 1.0))
    low = max(0, positives + called - n, int(mean - REACH * spread - 1))
    high = min(positives, called, int(mean + REACH * spread + 1))
    hits = np.arange(low, high + 1)
    probability = np.exp(log_hypergeometric(hits, n, positives, called))
    return level(np.asarray(measure.on_counts(tables_of(hits, n, positives, called))), probability)


def tables_of(hits: Array, n: int, positives: int, called: int) -> Floats:
    """Confusion tables (…, 2, 2) of two classes by their true positives, margins fixed."""
    true = np.asarray(hits, dtype=np.float64)
    cells = [n - positives - called + true, called - true, positives - true, true]
    return np.stack(cells, axis=-1).reshape(*true.shape, 2, 2)


def _of_ties(measure: Measure, predictions: Any) -> float:
    """Measures linear in the area: that of scores which are all the same."""
    assert isinstance(predictions, Binary)
    alike = np.zeros(predictions.n)
    ranked = tied_groups(alike, predictions.positive, predictions.weight)
    found = measure.formula(ranked, **measure.parameters)
    return float(found if measure.after is None else measure.after(found))


def _of_classes(measure: Measure, predictions: Any) -> float | None:
    """Every prediction beside every class, weighted by how frequent that is."""
    shares, losses = predictions.prevalences, measure.form is Form.LOSSES
    if len(shares) ** 2 * predictions.n > (MOST_LOSSES if losses else BESIDE):
        return None
    chance = np.broadcast_to(shares[:, None], (len(shares), predictions.n))
    found = _spread(measure, predictions, chance)
    if losses and measure.after is None:
        return found
    if not np.isfinite(found):
        return None
    one, other = np.argsort(shares)[-2:]  # of two classes that were observed, some cases change
    tilt = np.linspace(-0.5, 0.5, predictions.n) * shares[one]
    sides = []
    for way in (1.0, -1.0):
        moved = chance.copy()
        moved[one] += way * tilt
        moved[other] -= way * tilt
        sides.append(_spread(measure, predictions, moved))
    linear = np.allclose(np.mean(sides), found, rtol=LINEAR, atol=LINEAR)
    return found if linear else None


def _spread(measure: Measure, predictions: Any, chance: Floats) -> float:
    """The value when case j is of class k with probability `chance` (K, n)."""
    k, n = chance.shape
    if measure.form is Form.LOSSES:
        total = sizes = 0.0
        step = max(1, BLOCK // k)
        for start in range(0, n, step):
            *cases, weight = _beside(predictions, chance, slice(start, start + step))
            total += float(measure.formula(*cases, **measure.parameters) @ weight)
            sizes += float(weight.sum())
        found = np.float64(total) / sizes
    else:
        found = measure.formula(*_beside(predictions, chance, slice(n)), **measure.parameters)
    return float(after(measure, found))


def _beside(predictions: Any, chance: Floats, some: slice) -> tuple[Floats, Floats, Floats]:
    """Outcomes, probabilities and weights of some cases, once for every class."""
    k, weight = len(chance), chance[:, some]
    if predictions.weight is not None:
        weight = weight * predictions.weight[some]
    given = np.tile(predictions.probability[..., some], k)
    if isinstance(predictions, Binary):
        outcome = np.repeat([0.0, 1.0], weight.shape[1])
    else:
        outcome = np.repeat(np.eye(k), weight.shape[1], axis=1)
    flat = weight.ravel()
    seen = flat > 0
    if not seen.all():
        outcome, given, flat = outcome[..., seen], given[..., seen], flat[seen]
    return outcome, given, flat


def _on_scale(measure: Measure, predictions: Numeric) -> float | None:
    """What is another measure of numbers on a scale, as that one has it there."""
    if measure.on_scale is None or predictions.weight is not None:
        return None
    scale, name = measure.on_scale
    outcome, value = scale(predictions.outcome.T), scale(predictions.value.T)
    other = find(name)
    if other.chance is None or not (np.isfinite(outcome).all() and np.isfinite(value).all()):
        return None
    return other.chance(Numeric(outcome, value), other)


def _of_pairings(measure: Measure, predictions: Numeric) -> float | None:
    """Every prediction beside every outcome."""
    if predictions.n**2 * len(predictions.outputs) > PAIRINGS:
        return None
    weight = predictions.weight
    if weight is None and len(predictions.outputs) == 1 and measure.errors is not None:
        every = sum_of_all(measure, predictions)
        if every is not None:
            return every / predictions.n**2
    means = []
    for outcome, value in zip(predictions.outcome, predictions.value, strict=True):
        pairs = measure.formula(outcome[:, None], value[None, :], **measure.parameters)
        over = np.average(pairs, axis=0, weights=weight)
        means.append(float(np.average(over, weights=weight)))
    return float(np.mean(means))


# ----------------------------------------------------------------------------------------------
# Measures of numbers beside outcomes in many other orders, all of them turns of one.
#
# What only products of outcomes and predictions change comes from one transform for all orders, and
# what absolute errors say from loops over stretches of one row; see `resampling.Turns`.
# ----------------------------------------------------------------------------------------------


LARGE = 1e30  # errors beyond which a product of some of them may be infinite
TRIED = 16  # orders whose medians say where the others lie
BEYOND = 6.0  # standard deviations of those within which nearly all do


def turned(measure: Measure, sample: Sample, turns: Any) -> Floats | None:
    """The values under every turn; None where orders must be spelled out.

    For one number per case, each case counting one, as the predictions have them.
    """
    if measure.on_scale is not None:
        scale, name = measure.on_scale
        return turned(find(name), sample.scaled(scale), turns)
    if of_moments(measure, sample):
        return evaluate(measure, _four_points(sample, turns))
    outcome, value = sample.column("outcome")[0], sample.column("value")[0]
    size = len(turns.which) * turns.n
    if measure.errors is None or measure.dialect or not worthwhile(size, module="error_loops"):
        return None
    if not (np.isfinite(outcome).all() and np.isfinite(value).all()):
        return None
    found = _of_errors(measure.errors, turns.row(outcome), turns.starts, value[turns.order])
    if found is None:
        return None
    return np.asarray(after(measure, found / turns.n if measure.form is Form.LOSSES else found))


def _four_points(sample: Sample, turns: Any) -> Sample:
    """Four cases with the moments of all under every turn, for all measures that these suffice."""
    key = ("four points", turns)
    if key not in sample.kept:
        outcome, value = sample.column("outcome")[0], sample.column("value")[0]
        products = turns.products(outcome - outcome.mean(), value - value.mean())
        made = moments_beside(outcome, value, products / turns.n)
        sample.kept[key] = made_of(sample, made)
    return sample.kept[key]


def sum_of_all(measure: Measure, predictions: Any) -> float | None:
    """The sum of what errors add of every prediction beside every outcome; None for the formula."""
    outcome, value = predictions.outcome[0], predictions.value[0]
    if measure.errors is None or measure.form is not Form.LOSSES or measure.dialect:
        return None
    if not worthwhile(len(value) ** 2, module="error_loops"):
        return None
    row = np.concatenate([outcome, outcome])
    found = _of_errors(measure.errors, row, np.arange(len(value)), np.ascontiguousarray(value))
    return None if found is None else float(found.sum())


def _of_errors(kind: Errors, row: Floats, starts: Ints, value: Floats) -> Floats | None:
    """Sums, or medians, or the largest, of absolute errors in every stretch of a row."""
    from abovechance.numerics.kernels import error_loops as loops

    found = np.empty(len(starts))
    if kind is Errors.LARGEST:
        loops.largest(row, starts, value, found)
    elif kind is Errors.MEDIAN:
        windows = np.lib.stride_tricks.sliding_window_view(row, len(value))
        errors = np.abs(windows[starts[:TRIED]] - value)
        tried = np.median(errors, axis=1)
        centre, reach, rate = tried.mean(), BEYOND * tried.std(), 0.0
        if len(np.unique(tried)) == len(tried):  # else ties, about which counting tells little
            rate = float((np.abs(errors - centre) <= reach).mean()) * len(value) / (2.0 * reach)
        loops.medians(row, starts, value, centre, reach, rate, found)
        for at in np.flatnonzero(np.isnan(found)):
            found[at] = np.median(np.abs(windows[starts[at]] - value))
    elif kind is Errors.LOGS:
        if max(np.abs(row).max(), np.abs(value).max()) > LARGE:
            return None
        loops.log_sums(row, starts, value, found)
    elif kind is Errors.RELATIVE:
        if np.abs(row).min() <= NEXT_TO_ZERO:
            return None
        loops.sums(row, starts, value, 1.0 / np.abs(row), found)
    else:
        loops.sums(row, starts, value, np.empty(0), found)
    return found
