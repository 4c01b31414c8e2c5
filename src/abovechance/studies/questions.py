"""The tests a study asks of a sample, all on the same permutations or flips."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import comb
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.errors import AboveChanceError, did_you_mean
from abovechance.numerics.binomial import at_least, hypergeometric_tails
from abovechance.numerics.placements import delong
from abovechance.numerics.ranks import midranks
from abovechance.resampling import LabelPermutations, SignFlips, flip_sums, label_sums, p_values
from abovechance.studies.samples import Groups, Pair, Predicted, Sample, UserTest, name_of

AGAINST_CHANCE = ("accuracy", "fisher", "auc", "brier", "log_score")
COMPARISONS = ("accuracy", "auc", "brier", "log_score")
DRAWN = ("brier", "log_score")
"""Tests of predictions that permute labels or flip signs."""

ALIASES: dict[type, dict[str, str]] = {
    Predicted: {"binomial": "accuracy", "log": "log_score"},
    Pair: {"mcnemar": "accuracy", "delong": "auc", "log": "log_score"},
}
INSTEAD = {
    Predicted: (
        "compares two models and this design has one; against chance ask for",
        {"accuracy": "accuracy or fisher"},
    ),
    Pair: (
        "tests one model against chance and this design has two; to compare them ask for",
        {"fisher": "accuracy, which is McNemar's test"},
    ),
}
"""What to say, and what to offer, where a test belongs to the other question."""

QUESTIONS: dict[type, str] = {
    Predicted: "one model against chance",
    Pair: "two models compared",
    Groups: "two groups of rows",
}
"""What can be asked of a kind of sample, in words."""

NO_ORACLE = "the oracle needs a design whose covariance is known. Leave it out."
EXACT_BELOW = 50  # cases in each class: R's wilcox.test counts rank sums below, else normal

ROUNDING = 1e-9
"""How far a p-value may lie above the level, relative to it, and still be taken for equal."""

Scores: TypeAlias = Callable[[], Floats]
Rule = Literal["valid", "share"]
"""How a p-value is made of B draws: (1 + k)/(B + 1), or k/B as the two-group papers do."""


def known_tests(kind: type) -> tuple[str, ...]:
    """The tests that can be asked of a kind of sample by name."""
    if kind is Predicted:
        return AGAINST_CHANCE
    if kind is Pair:
        return COMPARISONS
    from abovechance.signal import known_names

    return ("oracle", *known_names())


def named(test: str | UserTest, kind: type) -> str | UserTest:
    """The test as the study knows it; names are checked, functions pass."""
    if not isinstance(test, str):
        if not callable(test):
            raise AboveChanceError(
                f"a test must be a name or a function of (sample, rng); got {test!r}."
            )
        return test
    if kind is Groups:
        canonical(test, kind)
        return test
    return canonical(test, kind)


def canonical(test: str, kind: type) -> str:
    """The one name of a test, of all it goes by where this kind of sample is drawn.

    A measure stands for the test of its permuted labels: everything that is read off a 2 x 2
    table but accuracy for Fisher's.

    >>> canonical("mcnemar", Pair), canonical("balanced_accuracy", Predicted)
    ('accuracy', 'fisher')
    """
    if kind is Groups:
        from abovechance.signal import find

        return "oracle" if test.lower() == "oracle" else find(test).name
    meant = _meant(test, kind)
    if meant is not None:
        return meant
    elsewhere = _meant(test, Pair if kind is Predicted else Predicted)
    if elsewhere is not None:
        why, offers = INSTEAD[kind]
        raise AboveChanceError(f"{test} {why} {offers.get(elsewhere, elsewhere)}.")
    known = known_tests(kind)
    close = did_you_mean(test, known) or f"; choose from {', '.join(known)}."
    raise AboveChanceError(f"unknown test {test!r}{close}")


def _meant(test: str, kind: type) -> str | None:
    name = ALIASES[kind].get(test.lower(), test.lower())
    return name if name in known_tests(kind) else _of_measure(name, kind)


def _of_measure(name: str, kind: type) -> str | None:
    """The test of a measure: its own, or against chance that of all with its label score."""
    from abovechance.measures import find
    from abovechance.measures.measure import LabelScore

    try:
        measure = find(name)
    except AboveChanceError:
        return None
    if measure.name in known_tests(kind):
        return measure.name
    if kind is not Predicted or measure.label_score is None:
        return None
    return {
        LabelScore.LABEL: "fisher",
        LabelScore.MIDRANK: "auc",
        LabelScore.PROBABILITY: "brier",
        LabelScore.LOGIT: "log_score",
    }[measure.label_score]


def uses_draws(test: str | UserTest, kind: type) -> bool:
    """Whether a test by name rests on permutations or flips."""
    return isinstance(test, str) and (kind is Groups or test in DRAWN)


def rejects(p: Any, alpha: float) -> Any:
    """Whether p-values are at most the level; one that differs by rounding only is equal to it.

    >>> rejects(0.05 + 1e-16, 0.05), rejects(0.0501, 0.05)
    (True, False)
    """
    return p <= alpha * (1.0 + ROUNDING)


def ask(
    sample: Sample,
    tests: Sequence[str | UserTest],
    rng: np.random.Generator,
    *,
    draws: int = 999,
    rule: Rule = "valid",
) -> Floats:
    """The p-value of every test on one sample.

    Tests against chance are one-sided, comparisons two-sided. Accuracy: exact binomial test
    against the share of the larger class in the sample, as in the simulations of Dinga et al.
    (`assess` tests accuracy by Fisher's test, here "fisher"), or McNemar's exact test. AUC:
    Mann–Whitney, or DeLong. Brier and log score: labels permuted, or signs of the loss
    differences flipped; by the valid rule all of them where there are no more than `draws`, and p
    is exact. Statistics of two groups: labels permuted.

    >>> rng = np.random.default_rng(1)
    >>> sample = Predicted(np.arange(40) < 20, np.linspace(0.9, 0.1, 40))
    >>> ask(sample, ["fisher", "brier"], rng).round(3)
    array([0.   , 0.001])
    """
    own = {i: _own(test, sample, rng) for i, test in enumerate(tests) if not isinstance(test, str)}
    names = [test for test in tests if isinstance(test, str)]
    if isinstance(sample, Predicted):
        found = _against_chance(sample, names, rng, draws, rule)
    elif isinstance(sample, Pair):
        found = _compared(sample, names, rng, draws, rule)
    else:
        found = _grouped(sample, names, rng, draws, rule)
    return np.array([found[t] if isinstance(t, str) else own[i] for i, t in enumerate(tests)])


def _own(test: UserTest, sample: Sample, rng: np.random.Generator) -> float:
    """What a test of one's own returns, if it is a p-value."""
    found: Any = test(sample, rng)
    if isinstance(found, np.ndarray) and found.ndim == 0:
        found = found.item()
    number = isinstance(found, Real) and not isinstance(found, bool)
    if number and 0.0 <= found <= 1.0 + ROUNDING:
        return min(float(found), 1.0)
    what = f"{found}" if found is None or number else f"a {type(found).__name__}"
    raise AboveChanceError(
        f"a test must return a p-value, a number in [0, 1]; {name_of(test)} returned {what}."
    )


def _against_chance(
    sample: Predicted, names: Sequence[str], rng: np.random.Generator, draws: int, rule: Rule
) -> dict[str, float]:
    y, p = sample.positive, sample.probability
    n, positives = y.size, int(y.sum())
    called = p > sample.threshold
    found = {}
    if "accuracy" in names:
        rate = max(positives, n - positives) / n
        found["accuracy"] = _binomial(int((called == y).sum()), n, rate)
    if "fisher" in names:
        hits = int((called & y).sum())
        found["fisher"] = _fisher(hits, n, positives, int(called.sum()))
    if "auc" in names:
        found["auc"] = rank_sum_p(midranks(p), y)
    scores: dict[str, Scores] = {"brier": lambda: p, "log_score": lambda: _logit(p)}
    drawn = [name for name in scores if name in names]
    if drawn:
        rows = np.stack([scores[name]() for name in drawn])
        found |= dict(zip(drawn, _permuted(rows, y, rng, draws, rule), strict=True))
    return found


def _compared(
    sample: Pair, names: Sequence[str], rng: np.random.Generator, draws: int, rule: Rule
) -> dict[str, float]:
    y, both = sample.positive, np.stack([sample.first, sample.second])
    found = {}
    if "accuracy" in names:
        right = (both > 0.5) == y
        only = [int((right[i] & ~right[1 - i]).sum()) for i in (0, 1)]
        total = sum(only)
        found["accuracy"] = min(1.0, 2 * _binomial(max(only), total, 0.5)) if total else 1.0
    if "auc" in names:
        found["auc"] = _delong_p(both, y)
    outcome = y.astype(np.float64)
    losses: dict[str, Scores] = {
        "brier": lambda: (both - outcome) ** 2,
        "log_score": lambda: -np.log(np.where(y, both, 1.0 - both)),
    }
    drawn = [name for name in losses if name in names]
    if drawn:
        rows = np.stack([np.subtract(*losses[name]()) for name in drawn])
        found |= dict(zip(drawn, _flipped(rows, rng, draws, rule), strict=True))
    return found


def _permuted(
    rows: Floats, positive: Bools, rng: np.random.Generator, draws: int, rule: Rule
) -> Floats:
    """P-values of sums over the positives: all labellings if they are few, as `assess` does."""
    scheme = LabelPermutations(positive)
    observed = rows[:, positive].sum(axis=1)
    # There are at least as many labellings as cases; to count them takes long where both are many.
    if rule == "valid" and positive.size <= draws and scheme.arrangements <= draws:
        null = _labellings(positive.size, int(positive.sum())) @ rows.T
        return p_values(observed, null, exact=True)
    return _p(observed, label_sums(rows, scheme, rng, draws), rule, "greater")


def _flipped(rows: Floats, rng: np.random.Generator, draws: int, rule: Rule) -> Floats:
    """P-values of sums of differences: all sign patterns if they are few."""
    scheme = SignFlips(rows.shape[1])
    observed = rows.sum(axis=1)
    if rule == "valid" and scheme.arrangements <= draws:
        null = scheme.enumerate() @ rows.T
        return p_values(observed, null, alternative="two-sided", exact=True, center=0.0)
    return _p(observed, flip_sums(rows, scheme, rng, draws), rule, "two-sided")


def _grouped(
    sample: Groups, names: Sequence[str], rng: np.random.Generator, draws: int, rule: Rule
) -> dict[str, float]:
    if not names:
        return {}
    from abovechance.signal import evaluate

    statistics = [_statistic(name, sample) for name in names]
    permuted = LabelPermutations(sample.labels).draw(rng, draws)
    labels = np.concatenate([sample.labels[None], permuted.astype(np.int64)])
    values = evaluate(sample.X, labels, statistics, rng)
    # A statistic that is not defined on these labels rejects nothing.
    undefined = np.isnan(values).any(axis=0)
    found = _p(*_finite(values), rule, "greater")
    return dict(zip(names, np.where(undefined, 1.0, found), strict=True))


def _statistic(name: str, sample: Groups) -> Any:
    from abovechance.signal import find, oracle

    if name.lower() != "oracle":
        return find(name)
    if sample.covariance is None:
        raise AboveChanceError(NO_ORACLE)
    return oracle(sample.covariance)


def _finite(values: Floats) -> tuple[Floats, Floats]:
    filled = np.where(np.isnan(values), 0.0, values)
    return filled[0], filled[1:]


def _p(observed: Floats, null: Floats, rule: Rule, alternative: Any) -> Floats:
    center = 0.0 if alternative == "two-sided" else None
    found = p_values(observed, null, alternative=alternative, center=center)
    if rule == "valid":
        return found
    draws = len(null)
    return np.asarray(np.rint(found * (draws + 1) - 1) / draws)


def _logit(p: Floats) -> Floats:
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


@lru_cache(maxsize=4096)
def _fisher(hits: int, n: int, positives: int, called: int) -> float:
    """One-sided p of Fisher's test."""
    return hypergeometric_tails(hits, n, positives, called)[0]


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
