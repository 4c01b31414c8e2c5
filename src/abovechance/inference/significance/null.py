"""Permutation nulls: what measures would be if predictions had nothing to do with outcomes.

One set of permutations serves every measure. With fixed predictions, binary measures that are
monotone in a sum over the positives (accuracy, AUC, Brier, log score and kin) share one pass.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import NotApplicable
from abovechance.measures import LabelScore, Measure
from abovechance.measures.evaluation import fit
from abovechance.measures.sample import Sample, evaluate
from abovechance.numerics.ranks import midranks
from abovechance.predictions import Binary, Predictions
from abovechance.resampling import (
    LabelPermutations,
    Permutations,
    WholeBlocks,
    WithinBlocks,
    label_sums,
)

WHOLE_CLUSTERS = "whole clusters permuted"


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
    if predictions.kind != "binary":
        return orders_for(predictions)
    groups, positive = predictions.cases.groups, Sample.of(predictions).outcome
    if groups is None:
        return LabelPermutations(positive), ""
    if _whole(outcomes(predictions), groups):
        return LabelPermutations(positive, blocks=groups, permute="whole"), WHOLE_CLUSTERS
    words = "labels permuted within clusters: tests discrimination within clusters"
    return LabelPermutations(positive, blocks=groups), words


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
        return WholeBlocks(groups), WHOLE_CLUSTERS
    return WithinBlocks(groups), "permuted within clusters: tests prediction within clusters"


def outcomes(predictions: Predictions) -> Array:
    """What was observed, one column per case: a class, numbers, or time and event."""
    return np.atleast_2d(Sample.of(predictions).outcome)


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
    sample = Sample.of(predictions).permuted(index)
    return {m.label: evaluate(m, sample) for m in (fit(m, predictions) for m in measures)}


def permuted_labels(
    measures: Sequence[Measure], predictions: Binary, labels: Bools
) -> dict[str, Floats]:
    """Values of binary measures under permuted labels (draws, n)."""
    sample = Sample.of(predictions).observed(labels)
    return {m.label: evaluate(m, sample) for m in (fit(m, predictions) for m in measures)}


def _finite_logit(p: Floats) -> Floats:
    inside = (p > 0.0) & (p < 1.0)
    safe = np.where(inside, p, 0.5)
    return np.where(inside, np.log(safe) - np.log1p(-safe), 0.0)
