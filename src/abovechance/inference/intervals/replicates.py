"""Bootstrap replicates of many measures from one set of draws."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.measures import Form, LabelScore, Law, Measure
from abovechance.measures.area_scale import AreaScale, area_scale
from abovechance.measures.evaluation import COUNTING, fit
from abovechance.predictions import Binary, Multiclass, Predictions
from abovechance.resampling.bootstrap_draws import Bootstrap, Sorted, binary_bootstrap

CELLS = 1 << 21  # how many weights are held at once


def replicates(
    predictions: Predictions,
    measures: Sequence[Measure],
    rng: np.random.Generator,
    size: int,
    *,
    stratified: bool = False,
    groups: Array | None = None,
) -> dict[str, Floats]:
    """Values of measures on `size` bootstrap samples of the cases, by label.

    Confusion tables, areas, average precision and mean losses of binary predictions come from one
    sweep over cases sorted once; other measures take the same cases as weights, and those that
    cannot be weighted as rows.
    """
    fitted = [fit(m, predictions) for m in measures]
    if isinstance(predictions, Binary) and predictions.weight is None:
        quick = [m for m in fitted if _swept(m, predictions)]
    else:
        quick = []
    found: dict[str, Floats] = {}
    strata = _strata(predictions) if stratified else None
    if quick:
        assert isinstance(predictions, Binary)
        found.update(_from_sweep(predictions, quick, rng, size, strata, groups))
    rest = [m for m in fitted if m.label not in found]
    if rest:
        order = _order(predictions)
        scheme = Bootstrap(
            predictions.n,
            strata=None if strata is None else strata[order],
            groups=None if groups is None else groups[order],
            kind="indices" if groups is None and _indexed(rest) else "counts",
        )
        found.update(_from_draws(predictions.take(order), rest, scheme, rng, size))
    return found


def _indexed(measures: Sequence[Measure]) -> bool:
    return any(m.needs_index_draws for m in measures)


def _order(predictions: Any) -> Any:
    """Cases by score, so that sweeps over sorted cases read memory in order."""
    ranking = predictions.ranking if isinstance(predictions, Binary) else None
    return slice(None) if ranking is None else np.argsort(ranking, kind="stable")


def _strata(predictions: Any) -> Array | None:
    if isinstance(predictions, Binary):
        return predictions.positive
    return predictions.actual if isinstance(predictions, Multiclass) else None


def _swept(measure: Measure, predictions: Binary) -> bool:
    if measure.form in COUNTING:
        return predictions.ranking is not None and predictions.stated_label is None
    if measure.form is Form.RANKS:
        return _scale(measure, predictions) is not None or measure.name == "average_precision"
    return measure.form is Form.LOSSES and predictions.probability is not None


def _scale(measure: Measure, predictions: Binary) -> AreaScale | None:
    """The line from the area to a measure that only the order of the cases decides."""
    if measure.law is not Law.PAIRS and measure.label_score is not LabelScore.MIDRANK:
        return None
    return area_scale(measure, measure.of(predictions), predictions.rank_summary.auc)


def _from_sweep(
    predictions: Binary,
    measures: Sequence[Measure],
    rng: np.random.Generator,
    size: int,
    strata: Array | None,
    groups: Array | None,
) -> dict[str, Floats]:
    ranking = predictions.ranking
    assert ranking is not None
    order = np.argsort(ranking, kind="stable")
    ordered = ranking[order]
    group = np.cumsum(np.diff(ordered, prepend=ordered[0]) != 0)
    means = [m for m in measures if m.form is Form.LOSSES]
    losses = [m.losses(predictions)[order] for m in means]
    above = predictions.label
    first = predictions.n if above is None else predictions.n - int(above.sum())
    cases = Sorted(
        predictions.positive[order],
        group,
        first,
        np.stack(losses) if losses else np.empty((0, predictions.n)),
    )
    scheme = Bootstrap(
        predictions.n,
        strata=None if strata is None else strata[order],
        groups=None if groups is None else groups[order],
        kind="indices" if groups is None else "counts",  # clusters need not be of one size
    )
    wanted = any(m.name == "average_precision" for m in measures)
    drawn = binary_bootstrap(cases, scheme, rng, size, average_precision=wanted)
    n1, n0 = drawn["positives"].astype(float), drawn["negatives"].astype(float)
    table = np.empty((size, 2, 2))
    table[:, 1, 1], table[:, 0, 1] = drawn["tp"], drawn["fp"]
    table[:, 1, 0], table[:, 0, 0] = n1 - drawn["tp"], n0 - drawn["fp"]
    found: dict[str, Floats] = {}
    with np.errstate(divide="ignore", invalid="ignore"):
        area = drawn["doubled_u"] / (2.0 * n1 * n0)
        for m in measures:
            if m.form in COUNTING:
                found[m.label] = m.on_counts(table)
            elif m.name == "average_precision":
                found[m.label] = drawn["average_precision"]
            elif m.form is Form.RANKS:
                scale = _scale(m, predictions)
                assert scale is not None
                found[m.label] = scale.of(area)
            else:
                mean = drawn["losses"][:, means.index(m)] / (n1 + n0)
                found[m.label] = mean if m.after is None else m.after(mean)
    return found


def _from_draws(
    predictions: Predictions,
    measures: Sequence[Measure],
    scheme: Bootstrap,
    rng: np.random.Generator,
    size: int,
) -> dict[str, Floats]:
    parts: dict[str, list[Floats]] = {m.label: [] for m in measures}
    rows = max(1, CELLS // predictions.n)
    own = predictions.weight
    for start in range(0, size, rows):
        drawn = scheme.draw(rng, min(rows, size - start))
        counted = scheme.kind == "counts"
        weights = drawn.astype(np.float64) if counted else _counts(drawn, predictions.n)
        if own is not None:
            weights = weights * own
        for m in measures:
            if m.needs_index_draws:
                taken = (_repeated(row) for row in drawn) if counted else drawn
                values = np.array([m.of(predictions.take(i)) for i in taken])
            else:
                values = m.batch(predictions, weights)
            parts[m.label].append(values)
    return {label: np.concatenate(values) for label, values in parts.items()}


def _repeated(counts: Array) -> Array:
    """Each case as often as it was drawn."""
    return np.repeat(np.arange(len(counts)), counts)


def _counts(index: Array, n: int) -> Floats:
    rows = np.arange(len(index))[:, None] * n
    flat = np.bincount((index + rows).ravel(), minlength=len(index) * n)
    return flat.reshape(len(index), n).astype(np.float64)


def leave_one_out(measure: Measure, predictions: Predictions) -> tuple[Floats, Floats]:
    """Values without one case each, and how many cases each value stands for.

    Of many cases whole parts are left out at once: what is made of these values, an acceleration,
    is then close to zero.
    """
    measure = fit(measure, predictions)
    n = predictions.n
    if measure.form in COUNTING and predictions.weight is None:
        assert isinstance(predictions, Binary | Multiclass)
        table = predictions.confusion
        at = np.argwhere(table > 0)
        less = np.repeat(table[None], len(at), axis=0)
        less[np.arange(len(at)), at[:, 0], at[:, 1]] -= 1.0
        return measure.on_counts(less), table[at[:, 0], at[:, 1]]
    if measure.form is Form.LOSSES and predictions.weight is None:
        losses = measure.losses(predictions)
        means = (losses.sum() - losses) / (n - 1)
        return np.asarray(means if measure.after is None else measure.after(means)), np.ones(n)
    parts = np.arange(n) if n <= 1000 else np.arange(n) % (500 if n <= 20_000 else 100)
    count = int(parts.max()) + 1
    own = np.ones(n) if predictions.weight is None else predictions.weight
    if measure.needs_index_draws:
        values = np.array([measure.of(predictions.take(parts != k)) for k in range(count)])
        return values, np.ones(count)
    rows = max(1, CELLS // n)
    left_out = [np.arange(count)[start : start + rows, None] for start in range(0, count, rows)]
    found = [measure.batch(predictions, np.where(parts == some, 0.0, own)) for some in left_out]
    return np.concatenate(found), np.ones(count)
