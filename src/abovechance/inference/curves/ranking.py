"""ROC and precision–recall curves, with bands by bootstrap."""

from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.inference.curves.curve import Curve
from abovechance.inference.curves.resampled import (
    DRAWS,
    above,
    percentile,
    ranking_of,
    resampled_above,
    thresholds_of,
)
from abovechance.predictions import Binary
from abovechance.resampling import seed_of


def roc(
    predictions: Binary, *, confidence_level: float = 0.95, draws: int = DRAWS, rng: Any = None
) -> Curve:
    """The ROC curve: true positive rate against false positive rate over all thresholds.

    A case is called positive when its score is at least the threshold. The band holds for the true
    positive rate at each false positive rate: cases are drawn within classes, curves are joined
    by straight lines. With more than 1000 distinct scores the curve is drawn at 1000 of them.

    References
    ----------
    Pepe (2003), chapter 5.

    Examples
    --------
    >>> from abovechance import examples
    >>> curve = roc(examples.breast_cancer("p_texture"), rng=1)
    >>> curve.at(0.2)
    {'y': 0.613, 'low': 0.508, 'high': 0.743}
    """
    score = ranking_of(predictions, "the ROC curve")
    seed = seed_of(rng)
    thresholds = thresholds_of(score)
    points = above(predictions, score, thresholds)
    x, y = _from_origin(points.false_positive_rate), _from_origin(points.sensitivity)
    stratified = predictions.cases.groups is None
    drawn = resampled_above(
        predictions, score, thresholds, np.random.default_rng(seed), draws, stratified=stratified
    )
    values = np.stack(
        [
            _rightmost(x, _from_origin(fpr), _from_origin(tpr))
            for fpr, tpr in zip(drawn.false_positive_rate, drawn.sensitivity, strict=True)
        ]
    )
    low, high = percentile(values, confidence_level)
    return Curve(
        kind="roc",
        title="ROC curve",
        x_name="False positive rate",
        y_name="True positive rate",
        x=x,
        y=y,
        low=np.minimum(low, y),
        high=np.maximum(high, y),
        level=confidence_level,
        method=f"bootstrap within classes, {draws} draws" if stratified else _clustered(draws),
        n=predictions.n,
        seed=seed,
        columns={"threshold": np.concatenate([[np.inf], thresholds[::-1]])},
    )


def precision_recall(
    predictions: Binary, *, confidence_level: float = 0.95, draws: int = DRAWS, rng: Any = None
) -> Curve:
    """Precision against recall over all thresholds.

    Points are not joined: between two of them precision jumps, as average precision takes it. The
    band holds for the precision at the highest threshold that reaches a recall.

    References
    ----------
    Davis & Goadrich (2006).

    Examples
    --------
    >>> from abovechance import examples
    >>> curve = precision_recall(examples.breast_cancer("p_texture"), rng=1)
    >>> curve.at(0.5)
    {'y': 0.746, 'low': 0.598, 'high': 0.903}
    """
    score = ranking_of(predictions, "the precision–recall curve")
    seed = seed_of(rng)
    thresholds = thresholds_of(score)
    points = above(predictions, score, thresholds)
    recall, precision = points.sensitivity[::-1], points.precision[::-1]
    drawn = resampled_above(predictions, score, thresholds, np.random.default_rng(seed), draws)
    values = np.stack(
        [
            own[np.minimum(np.searchsorted(reached, recall * (1 - 1e-12)), len(own) - 1)]
            for reached, own in zip(
                drawn.sensitivity[:, ::-1], drawn.precision[:, ::-1], strict=True
            )
        ]
    )
    low, high = percentile(values, confidence_level)
    whole = predictions.cases.groups is None
    return Curve(
        kind="precision_recall",
        title="Precision–recall curve",
        x_name="Recall",
        y_name="Precision",
        x=recall,
        y=precision,
        low=np.minimum(low, precision),
        high=np.maximum(high, precision),
        level=confidence_level,
        method=f"bootstrap, {draws} draws" if whole else _clustered(draws),
        n=predictions.n,
        seed=seed,
        columns={
            "threshold": thresholds[::-1],
            "chance": np.full(len(recall), predictions.prevalences[1]),
        },
    )


def _clustered(draws: int) -> str:
    return f"bootstrap of clusters, {draws} draws"


def _from_origin(descending: Floats) -> Floats:
    """Rates by falling threshold, from none called positive."""
    return np.concatenate([[0.0], descending[::-1]])


def _rightmost(x: Floats, fpr: Floats, tpr: Floats) -> Floats:
    """The curve at some false positive rates: on a vertical stretch its upper end."""
    last = np.append(np.diff(fpr) > 0, True)
    return np.interp(x, fpr[last], tpr[last])
