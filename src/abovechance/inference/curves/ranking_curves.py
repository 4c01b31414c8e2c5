"""Curves of what the order of scores says: ROC, precision–recall, distributions, guesses."""

from functools import partial
from typing import Any

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.inference.curves.curve import (
    Above,
    Curve,
    Sweep,
    case_weight,
    each_case,
    numbers_of,
    ranking_of,
    share_limits,
    thresholds_of,
)
from abovechance.inference.method import pooled
from abovechance.measures import find
from abovechance.predictions import Binary
from abovechance.settings import Settings, settled

# ----------------------------------------------------------------------------------------------
# ROC and precision–recall curves, with bands by bootstrap.
# ----------------------------------------------------------------------------------------------


REACHED = 1e-12  # shares of a sample that differ by less differ by rounding


@settled
def roc(predictions: Binary, **given: Any) -> Curve:
    """The ROC curve: true positive rate against false positive rate over all thresholds.

    A case is called positive when its score is at least the threshold. The band holds for the true
    positive rate at each false positive rate: Wilson's limits with the variance of bootstrap
    curves, cases drawn within classes (percentiles cover far less than they say near the
    corners). With more than 1000 distinct scores the curve is drawn at 1000 of them.

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
    precision_recall : where positive cases are rare.
    abovechance.intervals.delong : the interval of the area under it.

    References
    ----------
    Pepe (2003), chapter 5.

    Examples
    --------
    >>> from abovechance import examples
    >>> curve = roc(examples.breast_cancer("p_texture"), rng=1)
    >>> curve.at(0.2)
    {'y': 0.613, 'low': 0.484, 'high': 0.728}
    """
    settings = Settings.of("roc", given)
    predictions = each_case(predictions)
    score = ranking_of(predictions, "the ROC curve")
    sweep = Sweep(predictions, score, thresholds_of(score), settings)
    points = sweep.points
    x, y = _from_origin(points.false_positive_rate), _from_origin(points.sensitivity)
    stratified = predictions.cases.groups is None
    limits = None
    if not pooled(predictions):
        rates, which = np.unique(x, return_inverse=True)

        def height(drawn: Above) -> Floats:
            fpr, tpr = drawn.false_positive_rate, drawn.sensitivity
            return _rightmost(rates, _from_origin(fpr), _from_origin(tpr))

        values = sweep.resampled(
            height, stratified=stratified, counted=partial(_rightmost_of_counts, rates)
        )
        positives = float(points.all_positives) / case_weight(predictions)
        own = _rightmost(rates, x[None], y[None])[0]
        low, high = share_limits(own, values, positives, sweep.level, sweep.clusters)
        # of a vertical stretch those of its upper end
        limits = np.minimum(low[which], y), high[which]
    return sweep.curve(
        limits,
        curve="roc",
        title="ROC curve",
        x_name="False positive rate",
        y_name="True positive rate",
        x=x,
        y=y,
        method=_method("within classes" if stratified else "of clusters", settings.bootstraps),
        columns={"threshold": np.concatenate([[np.inf], sweep.thresholds[::-1]])},
        summary={"auc": find("auc").of(predictions)},
    )


@settled
def precision_recall(predictions: Binary, **given: Any) -> Curve:
    """Precision against recall over all thresholds.

    Points are not joined: between two of them precision jumps, as average precision takes it. The
    band holds for the precision at the highest threshold that reaches a recall.

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
    roc : does not depend on how frequent the classes are.

    References
    ----------
    Davis & Goadrich (2006).

    Examples
    --------
    >>> from abovechance import examples
    >>> curve = precision_recall(examples.breast_cancer("p_texture"), rng=1)
    >>> curve.at(0.5)
    {'y': 0.746, 'low': 0.568, 'high': 0.868}
    """
    settings = Settings.of("precision_recall", given)
    predictions = each_case(predictions)
    score = ranking_of(predictions, "the precision–recall curve")
    sweep = Sweep(predictions, score, thresholds_of(score), settings)
    points = sweep.points
    whole = predictions.cases.groups is None
    recall, precision = points.sensitivity[::-1], points.precision[::-1]
    limits = None
    if not pooled(predictions):
        wanted, first, which = np.unique(recall, return_index=True, return_inverse=True)

        def height(drawn: Above) -> Floats:
            return _where_reached(
                wanted, drawn.sensitivity[:, ::-1], np.ascontiguousarray(drawn.precision[:, ::-1])
            )

        values = sweep.resampled(height, counted=partial(_reached_by_counts, wanted))
        called = (points.positives + points.negatives)[::-1] / case_weight(predictions)
        low, high = share_limits(
            precision[first], values, called[first], sweep.level, sweep.clusters
        )
        # more negatives called at the same recall: points below the one that the band is of
        limits = np.minimum(low[which], precision), high[which]
    return sweep.curve(
        limits,
        curve="precision_recall",
        title="Precision–recall curve",
        x_name="Recall",
        y_name="Precision",
        x=recall,
        y=precision,
        method=_method("of cases" if whole else "of clusters", settings.bootstraps),
        columns={
            "threshold": sweep.thresholds[::-1],
            "chance": np.full(len(recall), predictions.prevalences[1]),
        },
        summary={"average_precision": find("average_precision").of(predictions)},
    )


def _method(units: str, draws: int) -> str:
    return f"Wilson with the variance of a bootstrap {units}, {draws} draws"


def _from_origin(descending: Floats) -> Floats:
    """Rates (…, thresholds) by falling threshold, from none called positive."""
    none = np.zeros((*descending.shape[:-1], 1))
    return np.concatenate([none, descending[..., ::-1]], axis=-1)


def _rightmost(x: Floats, fpr: Floats, tpr: Floats) -> Floats:
    """Curves (B, points) at some false positive rates: on a vertical stretch its upper end.

    Curves stand one after the other, so that all are read at once; one without a rate has none.
    """
    fpr, apart, unknown = _one_after_another(fpr)
    last = np.flatnonzero(np.append(np.diff(fpr) > 0, True))
    found = np.interp((x + apart).ravel(), fpr[last], tpr.ravel()[last]).reshape(len(tpr), -1)
    found[unknown] = np.nan
    return found


def _where_reached(wanted: Floats, reached: Floats, own: Floats) -> Floats:
    """What curves (B, points) have where they first reach what is wanted."""
    reached, apart, unknown = _one_after_another(reached)
    first = np.flatnonzero(np.diff(reached, prepend=-1.0) > 0)
    # by interpolation, which searches on from where it was
    at = np.interp((wanted - REACHED + apart).ravel(), reached[first], np.arange(len(first)))
    found = own.ravel()[first[np.ceil(at).astype(np.int64)]].reshape(len(own), -1)
    found[unknown] = np.nan
    return found


def _rightmost_of_counts(x: Floats, positive: Ints, negative: Ints) -> Floats:
    """`_rightmost` of whole numbers by falling score (B, cells), from the points that it reads.

    Those are the points before a cell with negatives, and the last; every sample has both classes.
    """
    read = negative > 0
    read[:, -1] = True
    at, sample = _where(read)
    tpr, fpr = (
        (sums.take(at) - side.take(at)) / sums[:, -1].take(sample)
        for side, sums in ((side, _sums(side)) for side in (positive, negative))
    )
    apart = 2.0 * np.arange(len(positive), dtype=np.float64)[:, None]
    return np.interp((x + apart).ravel(), fpr + 2.0 * sample, tpr).reshape(len(positive), -1)


def _reached_by_counts(wanted: Floats, positive: Ints, negative: Ints) -> Floats:
    """`_where_reached` of precision at recalls, likewise: where a cell has positives, and first."""
    read = positive > 0
    read[:, 0], read[:, -1] = True, False  # the last cell lies below all thresholds
    at, sample = _where(read)
    positives, negatives = _sums(positive), _sums(negative)
    unknown = positives[:, -1] == 0
    right = positives.take(at)
    reached = right / np.where(unknown, 1, positives[:, -1]).take(sample) + 2.0 * sample
    with np.errstate(invalid="ignore"):
        precision = right / (right + negatives.take(at))
    apart = 2.0 * np.arange(len(positive), dtype=np.float64)[:, None]
    place = np.interp((wanted - REACHED + apart).ravel(), reached, np.arange(len(reached)))
    found = precision.take(np.ceil(place).astype(np.int64)).reshape(len(positive), -1)
    found[unknown] = np.nan
    return found


def _sums(counts: Ints) -> Ints:
    return np.cumsum(counts, axis=1, dtype=counts.dtype)


def _where(read: Bools) -> tuple[Ints, Ints]:
    """Places in rows that follow each other, and the row of each."""
    return np.flatnonzero(read), np.repeat(np.arange(len(read)), np.count_nonzero(read, axis=1))


def _one_after_another(shares: Floats) -> tuple[Floats, Floats, Bools]:
    """Ascending shares (B, points) as one row, what was added to each, and which have none."""
    apart: Floats = 2.0 * np.arange(len(shares), dtype=np.float64)[:, None]
    unknown: Bools = np.isnan(shares[:, -1])  # all of a curve are shares of the same number
    row: Floats = shares + apart
    row[unknown] = apart[unknown]
    return row.ravel(), apart, unknown


# ----------------------------------------------------------------------------------------------
# Scores of both classes as distribution functions, and how many guesses are right by chance.
# ----------------------------------------------------------------------------------------------


def cumulative(predictions: Binary, thresholds: Floats | None = None) -> Curve:
    """The share of each class at or below every threshold.

    Of the positives it is the false negative rate, of the negatives the true negative rate. The
    upright gap between the two is sensitivity + specificity − 1.

    Parameters
    ----------
    predictions
        Scores or probabilities of two classes.
    thresholds
        Where the shares are wanted; at every distinct score when not given.

    Returns
    -------
    Curve
        Threshold against the false negative rate; its column `true_negative_rate` is that of the
        other class. `summary` holds the area under the ROC curve, the largest gap between the two
        and the threshold it is at.

    Raises
    ------
    NotApplicable
        Where only labels were predicted, or cases of one class are missing.

    See Also
    --------
    roc : one rate against the other.

    References
    ----------
    Dinga et al. (2019), figure 2B.

    Examples
    --------
    >>> from abovechance import Binary
    >>> both = cumulative(Binary([0, 1, 0, 1], score=[1, 2, 3, 4]))
    >>> both.y.tolist(), both.columns["true_negative_rate"].tolist()
    ([0.0, 0.5, 0.5, 1.0], [0.5, 0.5, 1.0, 1.0])
    """
    if predictions.ranking is None:
        raise NotApplicable("this picture needs a score or a probability; labels have none.")
    positive = predictions.positive
    if positive.all() or not positive.any():
        raise NotApplicable("this picture needs cases of both classes; only one was found.")
    score = np.asarray(predictions.ranking, dtype=np.float64)
    weight = np.ones(predictions.n) if predictions.weight is None else predictions.weight
    at = np.unique(score) if thresholds is None else numbers_of(thresholds, "thresholds")
    missed, rejected = (_below(score[side], weight[side], at) for side in (positive, ~positive))
    gap = np.abs(rejected - missed)
    widest = int(np.argmax(gap))
    word = "Score"
    if predictions.probability is not None:
        word = f"Predicted probability of {predictions.classes[1]}"
    return Curve(
        curve="cumulative",
        title="Cumulative distributions of both classes",
        x_name=word,
        y_name="False negative rate",
        x=at,
        y=missed,
        low=None,
        high=None,
        level=0.95,
        method="",
        n=predictions.n,
        columns={"true_negative_rate": rejected},
        summary={
            "auc": float(find("auc").of(predictions)),
            "largest_gap": float(gap[widest]),
            "at": float(at[widest]),
        },
    )


def _below(score: Floats, weight: Floats, at: Floats) -> Floats:
    """The share of weight with scores at or below each place."""
    order = np.argsort(score)
    running = np.concatenate([[0.0], np.cumsum(weight[order])])
    return np.asarray(running[np.searchsorted(score[order], at, side="right")] / running[-1])


def guesses(n: int, rate: float = 0.5) -> Curve:
    """How many of n guesses are right by chance, and the p-value of so many or more.

    Parameters
    ----------
    n
        How many cases are guessed.
    rate
        How often a guess is right, stated beforehand.

    Returns
    -------
    Curve
        Number right against its probability; the column `p_value` is that of so many or more.

    Raises
    ------
    NotApplicable
        Unless n is at least 1 and the rate lies between 0 and 1.

    See Also
    --------
    abovechance.significance.binomial_critical : how many must be right.

    References
    ----------
    Dinga et al. (2019), figure 5, whose caption counts one too few: p = .021 takes 15 of 20.

    Examples
    --------
    >>> law = guesses(20)
    >>> round(float(law.columns["p_value"][15]), 3)
    0.021
    """
    from abovechance.inference.significance import binomial

    if not (n >= 1 and 0.0 < rate < 1.0):
        raise NotApplicable(f"guesses need n ≥ 1 and 0 < rate < 1; got n = {n}, rate {rate}.")
    hits = np.arange(n + 1)
    p = np.array([binomial(int(k), n, rate).p_value for k in hits])
    return Curve(
        curve="guesses",
        title=f"Right by chance among {n}",
        x_name="Cases predicted right",
        y_name="Probability",
        x=hits.astype(np.float64),
        y=np.append(p[:-1] - p[1:], p[-1]),
        low=None,
        high=None,
        level=0.95,
        method="binomial",
        n=n,
        columns={"p_value": p},
        summary={"rate": rate},
    )
