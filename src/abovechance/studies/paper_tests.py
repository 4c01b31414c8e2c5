"""The papers' own tests, under their own names, so that their studies can be repeated.

Dinga et al. test accuracy by the binomial law, areas as R's wilcox.test and DeLong did, Brier and
log scores by a fixed number of permutations or plain sign flips. `assess` and `compare` answer the
same questions by other tests where these mislead; those are in `studies.sample_tests`.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import comb
from typing import Any, TypeAlias

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.errors import AboveChanceError
from abovechance.numerics.exact import at_least
from abovechance.numerics.ranks import delong, midranks
from abovechance.resampling import LabelPermutations, SignFlips, flip_sums, label_sums, p_values
from abovechance.settings import Rule
from abovechance.studies.designs import Pair, Predicted

AGAINST_CHANCE = ("binomial", "wilcoxon", "permutation.brier", "permutation.log_score")
COMPARISONS = ("delong", "sign_flip.brier", "sign_flip.log_score")
EXACT_BELOW = 50  # cases in each class: R's wilcox.test counts rank sums below, else normal

Scores: TypeAlias = Callable[[], Floats]


def against_chance(
    sample: Predicted, names: Sequence[str], rng: np.random.Generator, draws: int, rule: Rule
) -> dict[str, float]:
    """One-sided p-values by name.

    "binomial": accuracy against the share of the larger class in the sample. "wilcoxon": rank
    sums, counted below 50 cases per class without ties, else normal. "permutation.…": labels
    permuted, all of them where they are no more than `draws`. NaN where one class is absent.
    """
    y, p = sample.positive, sample.probability
    n, positives = y.size, int(y.sum())
    if positives in (0, n):
        return dict.fromkeys(names, float("nan"))
    answers = {}
    if "binomial" in names:
        rate = max(positives, n - positives) / n
        right = int(((p > sample.threshold) == y).sum())
        answers["binomial"] = _binomial(right, n, rate)
    if "wilcoxon" in names:
        answers["wilcoxon"] = rank_sum_p(midranks(p), y)
    scores: dict[str, Scores] = {
        "permutation.brier": lambda: p,
        "permutation.log_score": lambda: logits(p),
    }
    drawn = [name for name in scores if name in names]
    if drawn:
        rows = np.stack([scores[name]() for name in drawn])
        answers |= dict(zip(drawn, _permuted(rows, y, rng, draws, rule), strict=True))
    return answers


def compared(
    sample: Pair, names: Sequence[str], rng: np.random.Generator, draws: int, rule: Rule
) -> dict[str, float]:
    """Two-sided p-values by name: "delong" by the normal law, "sign_flip.…" as they are."""
    y, both = sample.positive, np.stack([sample.first, sample.second])
    answers = {}
    if "delong" in names and (y.all() or not y.any()):
        answers, names = {"delong": float("nan")}, [name for name in names if name != "delong"]
    if "delong" in names:
        answers["delong"] = _delong_p(both, y)
    outcome = y.astype(np.float64)
    losses: dict[str, Scores] = {
        "sign_flip.brier": lambda: (both - outcome) ** 2,
        "sign_flip.log_score": lambda: -np.log(np.where(y, both, 1.0 - both)),
    }
    drawn = [name for name in losses if name in names]
    if drawn:
        rows = np.stack([np.subtract(*losses[name]()) for name in drawn])
        answers |= dict(zip(drawn, _flipped(rows, rng, draws, rule), strict=True))
    return answers


def _permuted(
    rows: Floats, positive: Bools, rng: np.random.Generator, draws: int, rule: Rule
) -> Floats:
    """P-values of sums over the positives: all labellings if they are few."""
    scheme = LabelPermutations(positive)
    observed = rows[:, positive].sum(axis=1)
    # There are at least as many labellings as cases; to count them takes long where both are many.
    if rule == "standard" and positive.size <= draws and scheme.arrangements <= draws:
        null = _labellings(positive.size, int(positive.sum())) @ rows.T
        return p_values(observed, null, exact=True)
    return p_by_rule(observed, label_sums(rows, scheme, rng, draws), rule, "greater")


def _flipped(rows: Floats, rng: np.random.Generator, draws: int, rule: Rule) -> Floats:
    """P-values of sums of differences: all sign patterns if they are few."""
    scheme = SignFlips(rows.shape[1])
    observed = rows.sum(axis=1)
    if rule == "standard" and scheme.arrangements <= draws:
        null = scheme.enumerate() @ rows.T
        return p_values(observed, null, alternative="two-sided", exact=True, center=0.0)
    return p_by_rule(observed, flip_sums(rows, scheme, rng, draws), rule, "two-sided")


def p_by_rule(observed: Floats, null: Floats, rule: Rule, alternative: Any) -> Floats:
    """P-values of draws: (1 + k)/(B + 1), or the share k/B."""
    center = 0.0 if alternative == "two-sided" else None
    answers = p_values(observed, null, alternative=alternative, center=center)
    if rule == "standard":
        return answers
    draws = len(null)
    return np.asarray(np.rint(answers * (draws + 1) - 1) / draws)


def logits(p: Floats) -> Floats:
    """Logits of probabilities; refused where one is infinite."""
    if ((p <= 0.0) | (p >= 1.0)).any():
        raise AboveChanceError(
            "the log score needs probabilities between 0 and 1; some are exactly 0 or 1. "
            "Leave log_score out."
        )
    return np.asarray(np.log(p) - np.log1p(-p))


def _delong_p(scores: Floats, positive: Any) -> float:
    from scipy.special import ndtr

    areas = delong(scores, positive)
    gap = float(areas.values[0] - areas.values[1])
    turned = np.array([1.0, -1.0])
    error = float(np.sqrt(max(float(turned @ areas.covariance @ turned), 0.0)))
    return float(2 * ndtr(-abs(gap) / error)) if error > 0 else 1.0


def rank_sum_p(ranks: Floats, positive: Any) -> float:
    """One-sided p of Mann and Whitney's U: counted in small samples without ties, else normal.

    >>> rank_sum_p(np.array([1.0, 2.0, 3.0, 4.0]), np.array([False, False, True, True]))
    0.16667
    """
    from scipy.special import ndtr

    n, n1 = ranks.size, int(positive.sum())
    n0 = n - n1
    u = float(ranks[positive].sum()) - n1 * (n1 + 1) / 2
    times = np.unique(ranks, return_counts=True)[1].astype(np.float64)
    if max(n1, n0) < EXACT_BELOW and times.size == n:
        return float(_rank_tail(min(n1, n0), max(n1, n0))[round(u)])
    ties = (times**3 - times).sum() / (n * (n - 1))
    spread = np.sqrt(n1 * n0 / 12.0 * (n + 1 - ties))
    return float(ndtr(-(u - n1 * n0 / 2 - 0.5) / spread)) if spread > 0 else 1.0


def least_rank_sum_p(n1: int, n0: int) -> float:
    """The smallest p of `rank_sum_p`, when every positive is above every negative.

    >>> least_rank_sum_p(2, 3)
    0.1
    """
    if max(n1, n0) < EXACT_BELOW:
        return 1 / comb(n1 + n0, n1)
    return rank_sum_p(np.arange(1.0, n1 + n0 + 1), np.arange(n1 + n0) >= n0)


@lru_cache(maxsize=4096)
def _binomial(hits: int, n: int, rate: float) -> float:
    """P(at least so many hits); a study meets the same counts again and again."""
    return at_least(hits, n, rate)


@lru_cache(maxsize=16)
def _labellings(n: int, positives: int) -> Floats:
    """All ways to have so many positives: ones and zeros (labellings, n)."""
    return LabelPermutations(np.arange(n) < positives).enumerate().astype(np.float64)


@lru_cache(maxsize=64)
def _rank_tail(n1: int, n0: int) -> Floats:
    """P(U ≥ u) for u = 0 … n₁n₀: Gaussian binomial coefficients in whole numbers."""
    counts = np.zeros(n1 * n0 + 1, dtype=object)
    counts[0] = 1
    for i in range(1, n1 + 1):
        if n0 + i < counts.size:
            counts[n0 + i :] = counts[n0 + i :] - counts[: -(n0 + i)]
        for start in range(i):
            counts[start::i] = np.add.accumulate(counts[start::i])
    total = int(counts.sum())
    return np.array([int(c) / total for c in np.add.accumulate(counts[::-1])[::-1]])
