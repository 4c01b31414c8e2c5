"""Tests against chance from a summary of the cases: of counts exactly, else as if normal."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from abovechance.inference.results import Test
from abovechance.inference.significance.association import SCORES, fisher
from abovechance.inference.significance.counts import binomial
from abovechance.inference.significance.ranks import SAME
from abovechance.measures import LabelScore, Law, Measure
from abovechance.measures.summary import BinarySummary, Summarised


def against_chance(
    predictions: Summarised,
    values: Mapping[Measure, float],
    rate: float | str | None = None,
) -> dict[str, Test]:
    """One-sided tests of measures with their values, by label.

    Exact of tables, else by normal approximation; undefined ones are left out.
    """
    if min(predictions.summary.positives.n, predictions.summary.negatives.n) == 0:
        return {}
    found: dict[LabelScore | None, Test | None] = {
        LabelScore.LABEL: fisher(predictions) if predictions.threshold is not None else None,
        LabelScore.MIDRANK: _mann_whitney(predictions),
    }
    if predictions.summary.probabilities:
        found[LabelScore.PROBABILITY] = _permutation(predictions.summary, "p")
        found[LabelScore.LOGIT] = _permutation(predictions.summary, "odds")
    chosen = {}
    for m, value in values.items():
        test = found.get(m.label_score)
        if test is None or np.isnan(value) or m.law in (Law.CALIBRATION, Law.UTILITY):
            continue
        sums = m.label_score in (LabelScore.PROBABILITY, LabelScore.LOGIT)
        chosen[m.label] = replace(test, statistic=value) if sums else test
    if rate is not None and "accuracy" in chosen:
        chosen["accuracy"] = _of_accuracy(predictions, rate)
    return chosen


def _mann_whitney(predictions: Summarised) -> Test:
    """By the normal approximation, at the least U that the bins allow."""
    totals = predictions.totals
    n1, n0 = totals.n_positive, totals.n_negative
    n = n1 + n0
    u = (totals.twice_u - totals.slack) / 2.0
    spread = np.sqrt(n1 * n0 / 12.0 * (n + 1 - totals.ties / (n * (n - 1))))
    p = _upper((u - n1 * n0 / 2.0 - 0.5) / spread) if spread > 0 else 1.0
    return Test(
        statistic=u,
        p_value=p,
        alternative="greater",
        hypothesis=SAME,
        method="Mann–Whitney, normal approximation",
    )


def _permutation(summary: BinarySummary, kind: str) -> Test | None:
    """Of the sum of p, or of the log odds, over the positives if labels were exchangeable."""
    positives, negatives, n = summary.positives, summary.negatives, summary.n
    if kind == "p":
        ours, rest = positives.p, negatives.p
        squares = positives.squared_p + negatives.losses
    else:
        both = positives + negatives
        if both.impossible or both.certain:
            return None
        ours, rest, squares = positives.odds, -negatives.odds, both.squared_odds
    mean = (ours + rest) / n
    spread = np.sqrt(positives.n * negatives.n / (n - 1) * max(squares / n - mean**2, 0.0))
    return Test(
        statistic=ours,
        p_value=_upper((ours - positives.n * mean) / spread) if spread > 0 else 1.0,
        alternative="greater",
        hypothesis=SCORES,
        method="permutation, normal approximation",
    )


def _of_accuracy(predictions: Summarised, rate: float | str) -> Test:
    table = predictions.confusion
    right = int(np.trace(table))
    if rate != "majority":
        return binomial(right, predictions.n, float(rate))
    largest = int(predictions.prevalences.argmax())
    gained, lost = int(table[1 - largest, 1 - largest]), int(table[largest, 1 - largest])
    return Test(
        statistic=float(gained - lost),
        p_value=binomial(gained, gained + lost, 0.5).p_value if gained + lost else 1.0,
        alternative="greater",
        hypothesis="no more accurate than always predicting the largest class",
        method="McNemar against the largest class, exact",
    )


def _upper(z: float) -> float:
    """Probability of a standard normal number above z; never 0."""
    from scipy.special import ndtr

    return max(float(ndtr(-z)), float(np.finfo(np.float64).tiny))
