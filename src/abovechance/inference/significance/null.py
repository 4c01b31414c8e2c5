"""Permutation nulls: what measures would be if predictions had nothing to do with outcomes.

One set of permutations serves every measure. With fixed predictions, binary measures that are
monotone in a sum over the positives (accuracy, AUC, Brier, log score and kin) share one pass.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import NotApplicable
from abovechance.measures import Form, LabelScore, Measure
from abovechance.measures.evaluation import COUNTING, fit
from abovechance.numerics.ranks import midranks, tied_groups
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival
from abovechance.resampling import (
    LabelPermutations,
    Permutations,
    WholeBlocks,
    WithinBlocks,
    label_sums,
)


def label_scores(predictions: Binary, kinds: Sequence[LabelScore]) -> Floats:
    """One number a case for each kind of sum over the positives (kinds, n).

    Logits of probabilities 0 and 1 are left out here; `linear_null` sees to them.
    """
    rows = []
    for kind in kinds:
        if kind is LabelScore.LABEL:
            assert predictions.label is not None
            rows.append(predictions.label.astype(np.float64))
        elif kind is LabelScore.MIDRANK:
            assert predictions.ranking is not None
            rows.append(midranks(predictions.ranking))
        else:
            p = predictions.probability
            assert p is not None
            rows.append(p if kind is LabelScore.PROBABILITY else _finite_logit(p))
    return np.stack(rows)


def linear_null(
    predictions: Binary, kinds: Sequence[LabelScore], scheme: LabelPermutations, labels: Any
) -> dict[LabelScore, Floats]:
    """Sums over the positives under permuted labels.

    `labels` is a generator and a number of draws, or the enumerated arrangements (draws, n). A
    sum of logits is minus infinity where something happened that had probability 0.
    """
    scores = label_scores(predictions, kinds)
    p = predictions.probability
    extreme = LabelScore.LOGIT in kinds and p is not None and (p.min() == 0.0 or p.max() == 1.0)
    if extreme:
        scores = np.vstack([scores, p == 0.0, p == 1.0])
    if isinstance(labels, tuple):
        sums = label_sums(scores, scheme, *labels)
    else:
        sums = labels.astype(np.float64) @ scores.T
    found = {kind: sums[:, i] for i, kind in enumerate(kinds)}
    if extreme:
        impossible = sums[:, -2] + (scores[-1].sum() - sums[:, -1])
        at = found[LabelScore.LOGIT]
        found[LabelScore.LOGIT] = np.where(impossible > 0.5, -np.inf, at)
    return found


def observed_sums(predictions: Binary, kinds: Sequence[LabelScore]) -> dict[LabelScore, float]:
    """The same sums for the labels as they are."""
    itself = predictions.positive[None, :]
    found = linear_null(predictions, kinds, LabelPermutations(predictions.positive), itself)
    return {kind: float(values[0]) for kind, values in found.items()}


def scheme_for(predictions: Predictions) -> tuple[Any, str]:
    """How to permute, and in words what that tests; refused where every order is the same.

    Whole clusters change places when outcomes are constant within them, else cases within
    clusters.
    """
    if not isinstance(predictions, Binary):
        return orders_for(predictions)
    groups = predictions.cases.groups
    if groups is None:
        return LabelPermutations(predictions.positive), ""
    if _whole(outcomes(predictions), groups):
        scheme = LabelPermutations(predictions.positive, blocks=groups, permute="whole")
        return scheme, "whole clusters permuted"
    words = "labels permuted within clusters: tests discrimination within clusters"
    return LabelPermutations(predictions.positive, blocks=groups), words


def orders_for(predictions: Predictions) -> tuple[Any, str]:
    """The same for any outcomes, as orders of the cases."""
    groups, observed = predictions.cases.groups, outcomes(predictions)
    if (observed == observed[:, :1]).all():
        raise NotApplicable(
            "all outcomes are the same, so permuting them changes nothing; there must be cases "
            "that turned out differently."
        )
    if groups is None:
        return Permutations(predictions.n), ""
    if _whole(observed, groups):
        return WholeBlocks(groups), "whole clusters permuted"
    return WithinBlocks(groups), "permuted within clusters: tests prediction within clusters"


def outcomes(predictions: Predictions) -> Array:
    """What was observed, one column a case: a class, numbers, or time and event."""
    if isinstance(predictions, Binary):
        return predictions.positive[None, :]
    if isinstance(predictions, Multiclass):
        return predictions.actual[None, :]
    if isinstance(predictions, Numeric):
        return predictions.outcome
    if isinstance(predictions, Survival):
        return np.stack([predictions.time, predictions.event.astype(np.float64)])
    raise NotApplicable("these outcomes cannot be permuted.")


def _whole(outcome: Array, groups: Array) -> bool:
    """Whether clusters change places as wholes: when no outcome differs within any of them."""
    return all(constant_within(row, groups) for row in outcome)


def constant_within(values: Array, groups: Array) -> bool:
    """Whether every cluster has one value only."""
    pairs = np.unique(
        np.stack(
            [np.unique(groups, return_inverse=True)[1], np.unique(values, return_inverse=True)[1]]
        ),
        axis=1,
    )
    return pairs.shape[1] == len(np.unique(groups))


def permuted(
    measures: Sequence[Measure], predictions: Predictions, index: Array
) -> dict[str, Floats]:
    """Values of measures with outcomes taken in other orders: index (draws, n) says which."""
    fitted = [fit(m, predictions) for m in measures]
    with np.errstate(divide="ignore", invalid="ignore"):
        return {m.label: _permuted(m, predictions, index) for m in fitted}


def permuted_labels(
    measures: Sequence[Measure], predictions: Binary, labels: Bools
) -> dict[str, Floats]:
    """Values of binary measures under permuted labels (draws, n)."""
    found = {}
    ranked = None
    with np.errstate(divide="ignore", invalid="ignore"):
        for m in measures:
            m = fit(m, predictions)
            if m.form is Form.RANKS and predictions.weight is None:
                assert predictions.ranking is not None
                ranked = ranked or tied_groups(predictions.ranking, labels)
                found[m.label] = np.asarray(m.formula(ranked, **m.parameters))
            elif m.form is Form.LOSSES and predictions.weight is None:
                assert predictions.probability is not None
                found[m.label] = _formula(m, labels.astype(np.float64), predictions.probability)
            elif m.form is Form.SAMPLE and predictions.weight is None:
                found[m.label] = _either_way(m, predictions, labels)
            else:
                found[m.label] = np.array([m.of(with_labels(predictions, row)) for row in labels])
    return found


def _either_way(measure: Measure, predictions: Binary, labels: Bools) -> Floats:
    """A formula takes one set of outcomes: every case once as each class, labels are weights."""
    assert predictions.probability is not None
    outcome = np.repeat([1.0, 0.0], predictions.n)
    weight = np.concatenate([labels, ~labels], axis=1).astype(np.float64)
    given = np.tile(predictions.probability, 2)
    values = measure.formula(outcome, given, weight, **measure.parameters)
    return np.asarray(values if measure.after is None else measure.after(values))


def with_labels(predictions: Binary, positive: Bools) -> Binary:
    """The same predictions beside other outcomes."""
    other = predictions.take(slice(None))
    other.__dict__.update(positive=positive)
    return other


def _formula(measure: Measure, outcome: Floats, prediction: Floats) -> Floats:
    if measure.form is Form.LOSSES:
        values = measure.formula(outcome, prediction, **measure.parameters).mean(axis=-1)
    else:
        values = measure.formula(outcome, prediction, None, **measure.parameters)
    return np.asarray(values if measure.after is None else measure.after(values))


def _permuted(measure: Measure, predictions: Any, index: Array) -> Floats:
    if isinstance(predictions, Multiclass) and measure.form is Form.LOSSES:
        return _class_losses(measure, predictions, index)
    if isinstance(predictions, Multiclass) and measure.form in COUNTING:
        from abovechance.numerics.counts import confusion

        k = len(predictions.classes)
        label = np.broadcast_to(predictions.label, index.shape)
        return measure.on_counts(confusion(predictions.actual[index], label, k))
    single = isinstance(predictions, Numeric) and len(predictions.outputs) == 1
    if single and not measure.needs_index_draws and predictions.weight is None:
        return _formula(measure, predictions.outcome[0][index], predictions.value[0])
    return np.array([measure.of(reordered(predictions, row)) for row in index])


def _class_losses(measure: Measure, predictions: Multiclass, index: Array) -> Floats:
    """Every case's loss under every class once, then sums of the right ones."""
    k, n = len(predictions.classes), predictions.n
    table = np.empty((k, n))
    for c in range(k):
        onehot = np.zeros((k, n))
        onehot[c] = 1.0
        table[c] = measure.formula(onehot, predictions.probability, **measure.parameters)
    values = table[predictions.actual[index], np.arange(n)].mean(axis=-1)
    return np.asarray(values if measure.after is None else measure.after(values))


def reordered(predictions: Any, row: Array) -> Any:
    """Outcomes in another order, predictions as they are."""
    other = predictions.take(slice(None))
    if isinstance(predictions, Binary):
        other.__dict__.update(positive=predictions.positive[row])
    elif isinstance(predictions, Multiclass):
        other.__dict__.update(actual=predictions.actual[row])
    elif isinstance(predictions, Numeric):
        other.__dict__.update(outcome=predictions.outcome[..., row])
    elif isinstance(predictions, Survival):
        other.__dict__.update(time=predictions.time[row], event=predictions.event[row])
    else:
        raise NotApplicable("these outcomes cannot be permuted.")
    return other


def _finite_logit(p: Floats) -> Floats:
    inside = (p > 0.0) & (p < 1.0)
    safe = np.where(inside, p, 0.5)
    return np.where(inside, np.log(safe) - np.log1p(-safe), 0.0)
