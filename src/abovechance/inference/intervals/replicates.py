"""Bootstrap replicates of many measures from one set of draws."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.measures import Form, LabelScore, Law, Measure
from abovechance.measures.area_scale import AreaScale, area_scale
from abovechance.measures.evaluation import fit
from abovechance.measures.sample import COUNTING, Sample, after, case_losses, resampled
from abovechance.predictions import Predictions
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
    sample = Sample.of(predictions)
    quick = [m for m in fitted if _swept(m, sample)]
    found: dict[str, Floats] = {}
    strata = sample.strata if stratified else None
    if quick:
        found.update(_from_sweep(sample, quick, rng, size, strata, groups))
    rest = [m for m in fitted if m.label not in found]
    if rest:
        order = _order(sample)
        scheme = Bootstrap(
            predictions.n,
            strata=None if strata is None else strata[order],
            groups=None if groups is None else groups[order],
            kind="indices" if groups is None and _indexed(rest) else "counts",
        )
        found.update(_from_draws(sample.taken(order), rest, scheme, rng, size))
    return found


def _indexed(measures: Sequence[Measure]) -> bool:
    return any(m.needs_index_draws for m in measures)


def _order(sample: Sample) -> Any:
    """Cases by score, so that sweeps over sorted cases read memory in order."""
    score = sample.column("score") if sample.kind == "binary" else None
    return slice(None) if score is None else np.argsort(score, kind="stable")


def _swept(measure: Measure, sample: Sample) -> bool:
    """Whether one compiled sweep over the sorted cases of two classes gives the replicates."""
    if sample.kind != "binary" or sample.weight is not None:
        return False
    if measure.form in COUNTING:
        return sample.column("score") is not None and not sample.source.labels_stated
    if measure.form is Form.RANKS:
        return measure.swept is not None or _scale(measure, sample) is not None
    return measure.form is Form.LOSSES and sample.column("probability") is not None


def _scale(measure: Measure, sample: Sample) -> AreaScale | None:
    """The line from the area to a measure that only the order of the cases decides."""
    if measure.law is not Law.PAIRS and measure.label_score is not LabelScore.MIDRANK:
        return None
    return area_scale(measure, measure.of(sample.source), sample.source.rank_summary.auc)


def _from_sweep(
    sample: Sample,
    measures: Sequence[Measure],
    rng: np.random.Generator,
    size: int,
    strata: Array | None,
    groups: Array | None,
) -> dict[str, Floats]:
    ranking, n = sample.column("score"), sample.n
    order = np.argsort(ranking, kind="stable")
    ordered = ranking[order]
    group = np.cumsum(np.diff(ordered, prepend=ordered[0]) != 0)
    means = [m for m in measures if m.form is Form.LOSSES]
    with np.errstate(divide="ignore"):
        losses = [case_losses(m, sample)[order] for m in means]
    above = sample.column("label")
    first = n if above is None else n - int(above.sum())
    cases = Sorted(
        sample.outcome[order], group, first, np.stack(losses) if losses else np.empty((0, n))
    )
    scheme = Bootstrap(
        n,
        strata=None if strata is None else strata[order],
        groups=None if groups is None else groups[order],
        kind="indices" if groups is None else "counts",  # clusters need not be of one size
    )
    wanted = any(m.swept == "average_precision" for m in measures)
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
            elif m.swept is not None:
                found[m.label] = drawn[m.swept]
            elif m.form is Form.RANKS:
                scale = _scale(m, sample)
                assert scale is not None
                found[m.label] = scale.of(area)
            else:
                found[m.label] = after(m, drawn["losses"][:, means.index(m)] / (n1 + n0))
    return found


def _from_draws(
    sample: Sample,
    measures: Sequence[Measure],
    scheme: Bootstrap,
    rng: np.random.Generator,
    size: int,
) -> dict[str, Floats]:
    parts: dict[str, list[Floats]] = {m.label: [] for m in measures}
    rows = max(1, CELLS // sample.n)
    for start in range(0, size, rows):
        drawn = scheme.draw(rng, min(rows, size - start))
        counts = drawn if scheme.kind == "counts" else _counts(drawn, sample.n)
        for m in measures:
            parts[m.label].append(resampled(m, sample, counts))
    return {label: np.concatenate(values) for label, values in parts.items()}


def _counts(index: Array, n: int) -> Array:
    rows = np.arange(len(index))[:, None] * n
    return np.bincount((index + rows).ravel(), minlength=len(index) * n).reshape(len(index), n)


def leave_one_out(measure: Measure, predictions: Predictions) -> tuple[Floats, Floats]:
    """Values without one case each, and how many cases each value stands for.

    Of many cases whole parts are left out at once: what is made of these values, an acceleration,
    is then close to zero.
    """
    measure, sample = fit(measure, predictions), Sample.of(predictions)
    n = predictions.n
    if measure.form in COUNTING and sample.weight is None:
        table = sample.confusion
        at = np.argwhere(table > 0)
        less = np.repeat(table[None], len(at), axis=0)
        less[np.arange(len(at)), at[:, 0], at[:, 1]] -= 1.0
        return measure.on_counts(less), table[at[:, 0], at[:, 1]]
    parts = np.arange(n)
    if measure.form is not Form.LOSSES or sample.weight is not None:
        parts = parts if n <= 1000 else parts % (500 if n <= 20_000 else 100)
    values = without_parts(measure, sample, parts)
    return values, np.ones(len(values))


def without_parts(measure: Measure, sample: Sample, parts: Array) -> Floats:
    """Values without the cases of each part: 0, 1, …; parts of one case each leave out that one."""
    count = int(parts.max()) + 1
    if measure.form is Form.LOSSES:
        return _means_without(measure, sample, parts)
    rows = max(1, CELLS // sample.n)
    numbers = [np.arange(start, min(start + rows, count)) for start in range(0, count, rows)]
    return np.concatenate([resampled(measure, sample, parts != k[:, None]) for k in numbers])


def _means_without(measure: Measure, sample: Sample, parts: Array) -> Floats:
    """Of mean losses: what is left of sums."""
    with np.errstate(divide="ignore", invalid="ignore"):
        outputs = np.atleast_2d(case_losses(measure, sample))
        own = np.ones(sample.n) if sample.weight is None else sample.weight
        weighed = np.array([np.bincount(parts, weights=own * losses) for losses in outputs])
        counts = np.bincount(parts, weights=own)
        means = (weighed.sum(axis=-1, keepdims=True) - weighed) / (counts.sum() - counts)
        return np.mean(after(measure, means), axis=0)
