"""Scores of both classes as distribution functions, and how many guesses are right by chance."""

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference.curves.curve import Curve
from abovechance.inference.curves.resampled import numbers_of
from abovechance.measures import find
from abovechance.predictions import Binary


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
