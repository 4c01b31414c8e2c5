"""Tests against chance from a summary of the cases: of counts exactly, else as if normal."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from abovechance.arrays import Floats
from abovechance.inference.influence import table_slopes
from abovechance.inference.method import answer
from abovechance.inference.results import Test
from abovechance.inference.significance.association import fisher
from abovechance.measures import LabelScore, Law, Measure, find
from abovechance.measures.class_summary import SummarisedClasses
from abovechance.measures.measure import Statistic
from abovechance.measures.number_summary import SummarisedNumbers, from_numbers
from abovechance.measures.sample import COUNTING
from abovechance.measures.summary import BinarySummary, Summarised
from abovechance.numerics.exact import never_zero
from abovechance.predictions import View


def against_chance(
    predictions: Summarised,
    values: Mapping[Measure, float],
) -> dict[str, Test]:
    """One-sided tests of measures with their values, by label.

    Exact of tables, else by normal approximation; undefined ones are left out.
    """
    if min(predictions.summary.positives.n, predictions.summary.negatives.n) == 0:
        return {}
    found: dict[LabelScore | None, Test | None] = {
        LabelScore.LABEL: fisher(predictions) if predictions.threshold is not None else None,
        LabelScore.MIDRANK: _mann_whitney(predictions) if View.SCORE in predictions.views else None,
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
    return chosen


def numbers_against_chance(
    predictions: SummarisedNumbers, values: Mapping[Measure, float]
) -> dict[str, Test]:
    """One test for all measures that only the covariance changes when outcomes are permuted.

    A correlation r then has mean 0 and variance 1 / (n − 1).
    """
    pearson = from_numbers(find("pearson"), predictions)
    if np.isnan(pearson):
        return {}
    p = _tail(pearson * np.sqrt(predictions.n - 1.0))
    return {
        m.label: _permuted(value, p)
        for m, value in values.items()
        if m.sufficient is Statistic.MOMENTS and m.calibration is None and not np.isnan(value)
    }


def classes_against_chance(
    predictions: SummarisedClasses, values: Mapping[Measure, float]
) -> dict[str, Test]:
    r"""Test of the number of cases called by their class, both margins fixed.

    With r and c the row and column totals, shares of n, it has under permutation the variance
    :math:`n^2/(n - 1) \sum_{kl} r_k c_l ([k = l] - c_k - r_l + \sum_j r_j c_j)^2`.

    References
    ----------
    Hoeffding (1951), theorem 2.
    """
    table, n = predictions.confusion, predictions.n
    rows, columns = table.sum(axis=1) / n, table.sum(axis=0) / n
    if np.count_nonzero(rows) < 2:
        return {}
    matched = np.eye(len(rows)) - columns[:, None] - rows[None, :] + rows @ columns
    spread = np.sqrt(n * n / (n - 1.0) * float(rows @ matched**2 @ columns))
    gap = float(np.trace(table)) - n * float(rows @ columns)
    p = _tail(gap / spread) if spread > 0 else 1.0
    return {m.label: _permuted(v, p) for m, v in values.items() if _of_matches(m, table)}


def _of_matches(measure: Measure, table: Floats) -> bool:
    """Whether a measure is better the more cases are called by their class, margins fixed.

    Then moving cases between cells does what the matches among them do, and nothing else.
    """
    if measure.form not in COUNTING or measure.higher_is_better is None:
        return False
    left, matches = (_within_margins(x) for x in (table_slopes(measure, table), np.eye(len(table))))
    rate = float((left * matches).sum() / (matches**2).sum())
    if not np.isfinite(rate):
        return False
    alike = bool(np.allclose(left, rate * matches, rtol=0.0, atol=1e-6 * abs(rate)))
    return alike and (rate > 0) is measure.higher_is_better


def _within_margins(slopes: Floats) -> Floats:
    """What is left of derivatives by cells once rows and columns keep their totals."""
    by_row, by_column = slopes.mean(axis=1, keepdims=True), slopes.mean(axis=0, keepdims=True)
    return slopes - by_row - by_column + slopes.mean()


def _permuted(value: float, p: float) -> Test:
    return answer(
        "permutation", statistic=value, p_value=p, alternative="greater", approximation=True
    )


def _mann_whitney(predictions: Summarised) -> Test:
    """By the normal approximation, at the least U that the bins allow."""
    totals = predictions.totals
    n1, n0 = totals.n_positive, totals.n_negative
    n = n1 + n0
    u = (totals.twice_u - totals.slack) / 2.0
    spread = np.sqrt(n1 * n0 / 12.0 * (n + 1 - totals.ties / (n * (n - 1))))
    p = _tail((u - n1 * n0 / 2.0 - 0.5) / spread) if spread > 0 else 1.0
    return answer("mann_whitney", statistic=u, p_value=p, alternative="greater", approximation=True)


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
    return _permuted(ours, _tail((ours - positives.n * mean) / spread) if spread > 0 else 1.0)


def _tail(z: float) -> float:
    """Probability of a standard normal number above z; never 0."""
    from scipy.special import ndtr

    return never_zero(float(ndtr(-z)))
