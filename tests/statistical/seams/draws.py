"""Intervals by leaving out and by resampling, over clusters, folds and curves; simulated tests."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit

import abovechance as ac
from statistical.seams.seam import seam

Pairs = tuple[Any, Any]
NO_ANSWER = float("nan")


def _covered(found: Any, truth: float) -> float:
    if found is None:
        return NO_ANSWER
    return float(found.low - 1e-12 <= truth <= found.high + 1e-12)


def _interval(predictions: Any, name: str, draws: int = 99) -> Any:
    return ac.assess(predictions, [name], rng=1, draws=draws).estimates[0].interval


# ---------------------------------------------------------------- correlations


def _spreading(rng: np.random.Generator, n: int) -> Pairs:
    x = rng.normal(size=n)
    return x, x + (0.3 + abs(x)) * rng.normal(size=n)


def _costs(rng: np.random.Generator, n: int) -> Pairs:
    x = rng.gamma(1.0, 1.0, n)
    return x, x * rng.gamma(1.0, 1.0, n)


def _log_normal(rng: np.random.Generator, n: int) -> Pairs:
    x = rng.normal(size=n)
    return np.exp(0.8 * x), np.exp(0.8 * x + 0.8 * rng.normal(size=n))


def _close(rng: np.random.Generator, n: int) -> Pairs:
    x = rng.normal(size=n)
    return x, 0.95 * x + np.sqrt(1.0 - 0.95**2) * rng.normal(size=n)


def _counts(rng: np.random.Generator, n: int) -> Pairs:
    x = rng.normal(size=n)
    return np.exp(0.5 * x).round(), rng.poisson(np.exp(0.5 * x)).astype(float)


# true values: of spreading errors and costs by moments, of ranks by ten million draws
CORRELATIONS: tuple[tuple[str, str, Callable[..., Pairs], int, float], ...] = (
    ("Pearson", "error grows with the prediction", _spreading, 100, 0.6239),
    ("Pearson", "error grows with the prediction", _spreading, 500, 0.6239),
    ("Pearson", "skewed costs", _costs, 200, 1.0 / np.sqrt(3.0)),
    ("Pearson", "log-normal", _log_normal, 100, 0.5876),
    ("Pearson", "log-normal", _log_normal, 500, 0.5876),
    ("Spearman", "normal, .95", _close, 50, 6.0 / np.pi * np.arcsin(0.475)),
    ("Kendall", "counts with ties", _counts, 60, 0.3412),
)
for _kind, _words, _draw, _n, _truth in CORRELATIONS:

    @seam("Correlations", f"{_kind}, {_words}, n = {_n}", "coverage", low=0.93)
    def _correlation(
        rng: np.random.Generator,
        kind: str = _kind.lower(),
        draw: Callable[..., Pairs] = _draw,
        n: int = _n,
        truth: float = _truth,
    ) -> float:
        value, outcome = draw(rng, n)
        return _covered(_interval(ac.Numeric(outcome, value), kind, 9), truth)


# ---------------------------------------------------------------- clusters of unequal size


def _sizes(rng: np.random.Generator, clusters: int) -> Any:
    each = np.minimum(1 + rng.geometric(0.15, size=clusters), 40)
    return np.repeat(np.arange(clusters), each)


def _clustered(rng: np.random.Generator, clusters: int) -> ac.Binary:
    """Risks and outcomes that share a part within a cluster."""
    while True:
        groups = _sizes(rng, clusters)
        x = rng.normal(size=len(groups)) + 0.7 * rng.normal(size=clusters)[groups]
        odds = x - 0.5 + 0.8 * rng.normal(size=clusters)[groups]
        y = (rng.random(len(groups)) < expit(odds)).astype(int)
        if 2 < y.sum() < len(y) - 2:
            return ac.Binary(y, probability=expit(1.2 * x - 0.5), pos_label=1, groups=groups)


def _clustered_numbers(rng: np.random.Generator, clusters: int) -> ac.Numeric:
    groups = _sizes(rng, clusters)
    x = rng.normal(size=len(groups)) + 0.6 * rng.normal(size=clusters)[groups]
    y = x + 0.8 * rng.normal(size=len(groups)) + 0.6 * rng.normal(size=clusters)[groups]
    return ac.Numeric(y, x, groups=groups)


@seam(
    "Clusters of unequal size", "20 clusters, all measures", "without interval", high=0, fixed=True
)
def _answered(rng: np.random.Generator) -> float:
    names = ["balanced_accuracy", "f1", "mcc", "kappa", "average_precision", "scaled_brier"]
    found = ac.assess(
        _clustered(np.random.default_rng(5), 20), [*names, "tjur_r2"], rng=1, draws=99
    )
    return float(sum(row.interval is None for row in found))


# true values of 40 000 clusters
CLUSTERED: tuple[tuple[str, Callable[..., Any], int, float, float], ...] = (
    ("average_precision", _clustered, 15, 0.682, 0.90),
    ("average_precision", _clustered, 30, 0.682, 0.92),
    ("scaled_brier", _clustered, 15, 0.1857, 0.90),
    ("tjur_r2", _clustered, 15, 0.2335, 0.90),
    ("brier", _clustered, 15, 0.1974, 0.90),
    ("r2", _clustered_numbers, 15, 0.5767, 0.90),
    ("spearman", _clustered_numbers, 15, 0.7445, 0.90),
    ("medae", _clustered_numbers, 15, 0.6706, 0.90),
)
for _name, _make, _units, _truth, _bar in CLUSTERED:

    @seam("Clusters of unequal size", f"{_name}, {_units} clusters", "coverage", low=_bar)
    def _over_clusters(
        rng: np.random.Generator,
        name: str = _name,
        make: Callable[..., Any] = _make,
        units: int = _units,
        truth: float = _truth,
    ) -> float:
        return _covered(_interval(make(rng, units), name), truth)


# ---------------------------------------------------------------- weights


def _selected(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Cases drawn with a chance that grows with x, and its inverse."""
    x = rng.normal(size=12 * n)
    chance = np.maximum(expit(1.2 * x + 0.5), 0.08)
    kept = np.flatnonzero(rng.random(12 * n) < chance)[:n]
    return x[kept], 1.0 / chance[kept]


@seam("Weights", "Brier score, n = 50, chance of selection grows with risk", "coverage", low=0.92)
def _weighted_brier(rng: np.random.Generator) -> float:
    x, weight = _selected(rng, 50)
    y = (rng.random(50) < expit(x - 0.5)).astype(int)
    if not 0 < y.sum() < 50:
        return NO_ANSWER
    made = ac.Binary(y, probability=expit(1.3 * x - 0.5), pos_label=1, sample_weight=weight)
    return _covered(_interval(made, "brier"), 0.20094)


@seam("Weights", "R², n = 50, chance of selection grows with the prediction", "coverage", low=0.91)
def _weighted_r2(rng: np.random.Generator) -> float:
    x, weight = _selected(rng, 50)
    made = ac.Numeric(x + 0.8 * rng.normal(size=50), x, sample_weight=weight)
    return _covered(_interval(made, "r2"), 1.0 - 0.64 / 1.64)


# ---------------------------------------------------------------- perfect results


@seam("Perfect results", "ranks, losses, correlations", "intervals of no width", high=0, fixed=True)
def _no_width(rng: np.random.Generator) -> float:
    y = np.repeat([0, 1], 10)
    certain = ac.Binary(y, probability=y.astype(float), pos_label=1)
    exact = ac.Numeric(np.arange(20.0), np.arange(20.0))
    rows = [
        *ac.assess(certain, ["average_precision", "ks", "partial_auc", "brier", "tjur_r2"], rng=1),
        *ac.assess(exact, ["mse", "mae", "r2", "pearson", "spearman", "kendall"], rng=1),
    ]
    return float(sum(r.interval is not None and r.interval.low == r.interval.high for r in rows))


@seam("Limits", "4 classes, equal losses", "limits infinite or without width", high=0, fixed=True)
def _limits(rng: np.random.Generator) -> float:
    y = np.repeat(np.arange(4), 5)
    p = np.full((20, 4), 0.1)
    p[np.arange(20), y] = 0.7
    rows = ac.assess(ac.Multiclass(y, probability=p), ["brier", "log_score"], rng=1, draws=99)
    found = [x for r in rows for x in (r.interval, r.skill and r.skill.interval) if x is not None]
    wide = [np.isfinite([x.low, x.high]).all() and x.high - x.low > 1e-9 for x in found]
    return float(sum(not good for good in wide))


# ---------------------------------------------------------------- cross-validation


def _null_folds(rng: np.random.Generator, n: int, prevalence: float) -> ac.Binary:
    """Stratified 10-fold cross-validation of a nearest-mean rule on features of no use."""
    y = np.arange(n) < round(prevalence * n)
    x = rng.normal(size=(n, 10))
    fold = np.empty(n, dtype=int)
    for side in (y, ~y):
        fold[side] = rng.permutation(np.arange(side.sum()) % 10)
    score = np.empty(n)
    for k in range(10):
        train = fold != k
        way = x[train & y].mean(axis=0) - x[train & ~y].mean(axis=0)
        score[~train] = x[~train] @ way
    return ac.Binary(y, score=score, fold=fold)


for _name, _n, _prevalence, _truth in (
    ("average_precision", 100, 0.5, 0.5),
    ("average_precision", 200, 0.1, 0.1),
    ("ks", 200, 0.1, 0.0),
):

    @seam("Cross-validation", f"{_name}, no signal, n = {_n}, 10 folds", "coverage", low=0.93)
    def _over_folds(
        rng: np.random.Generator,
        name: str = _name,
        n: int = _n,
        prevalence: float = _prevalence,
        truth: float = _truth,
    ) -> float:
        return _covered(_interval(_null_folds(rng, n, prevalence), name), truth)


@seam("Cross-validation", "AUC, folds on scales of their own", "value outside its interval", high=0)
def _outside(rng: np.random.Generator) -> float:
    y, fold = np.arange(100) // 5 % 2 == 0, np.arange(100) % 5
    score = y + 3.0 * fold + rng.normal(size=100)
    row = ac.assess(ac.Binary(y, score=score, fold=fold), ["auc"], rng=1)["auc"]
    return float(row.interval is not None and row.value not in row.interval)


@seam("Cross-validation", "ROC band of pooled folds", "shown without a word", high=0, fixed=True)
def _band(rng: np.random.Generator) -> float:
    curve = ac.curves.roc(_null_folds(np.random.default_rng(1), 60, 0.5), draws=19, rng=1)
    return float(curve.low is not None and not curve.advice)


@seam("Cross-validation", "100 cases predicted five times", "cases counted", high=100, fixed=True)
def _counted(rng: np.random.Generator) -> float:
    y, fold = np.tile(np.arange(100) % 2, 5), np.tile(np.arange(100) // 20, 5)
    made = ac.Binary(y, label=y, fold=fold, repeat=np.repeat(np.arange(5), 100))
    return float(ac.assess(made, ["accuracy"], rng=1).n)


# ---------------------------------------------------------------- Hosmer–Lemeshow

for _n, _rare, _spread in ((80, 0.08, 1.0), (300, 0.05, 1.0), (100, 0.5, 3.0)):
    for _level in (0.05, 0.01):

        @seam(
            "Hosmer–Lemeshow",
            f"right probabilities about {_rare:g}, spread {_spread:g}, n = {_n}, at {_level:g}",
            "level",
            high=_level,
        )
        def _hosmer_lemeshow(
            rng: np.random.Generator,
            n: int = _n,
            rare: float = _rare,
            spread: float = _spread,
            level: float = _level,
        ) -> float:
            p = expit(spread * rng.normal(size=n) + np.log(rare / (1.0 - rare)))
            y = rng.random(n) < p
            if not 0 < y.sum() < n:
                return NO_ANSWER
            made = ac.Binary(y, probability=p)
            seed = int(rng.integers(2**31))
            found = ac.assess(made, ["hosmer_lemeshow"], rng=seed, draws=99).estimates[0].p_value
            return NO_ANSWER if found is None else float(found <= level)


# ---------------------------------------------------------------- maxima and decision curves


@seam("Maxima", "KS distance, n = 300, nearly no difference", "coverage", low=0.93)
def _ks(rng: np.random.Generator) -> float:
    from scipy.special import ndtr

    y = rng.random(300) < 0.3
    made = ac.Binary(y, score=0.1 * y + rng.normal(size=300))
    return _covered(_interval(made, "ks"), 2.0 * float(ndtr(0.05)) - 1.0)


def _decision(rng: np.random.Generator, threshold: float) -> Any:
    y = rng.random(100) < 0.1
    if not 0 < y.sum() < 100:
        return None
    p = expit(np.log(0.1 / 0.9) + y + rng.normal(size=100) - 0.5)
    return ac.curves.decision(ac.Binary(y, probability=p), [threshold], draws=99, rng=1)


def _net_benefit(threshold: float) -> float:
    from scipy.special import ndtr

    cut = np.log(threshold / (1 - threshold)) - np.log(0.1 / 0.9) + 0.5
    return float(0.1 * ndtr(1.0 - cut) - 0.9 * ndtr(-cut) * threshold / (1.0 - threshold))


for _threshold, _widest in ((0.2, 0.12), (0.3, 0.12), (0.4, 0.12), (0.5, 0.12)):

    @seam(
        "Decision curve", f"n = 100, 10 % positive, threshold {_threshold:g}", "coverage", low=0.93
    )
    def _band_covers(rng: np.random.Generator, threshold: float = _threshold) -> float:
        curve = _decision(rng, threshold)
        if curve is None:
            return NO_ANSWER
        truth = _net_benefit(threshold)
        return float(curve.low[0] - 1e-12 <= truth <= curve.high[0] + 1e-12)

    @seam(
        "Decision curve",
        f"n = 100, 10 % positive, at {_threshold:g}",
        "width",
        low=1e-3,
        high=_widest,
    )
    def _band_width(rng: np.random.Generator, threshold: float = _threshold) -> float:
        curve = _decision(rng, threshold)
        return NO_ANSWER if curve is None else float(curve.high[0] - curve.low[0])


# ---------------------------------------------------------------- heavy tails, censoring


def _silent(name: str, predictions: Any, truth: float) -> float:
    """Whether an interval missed and no advice but that of the design was given."""
    found = ac.assess(predictions, [name], rng=1, draws=99)
    row = found.estimates[0]
    missed = row.interval is not None and not row.interval.low <= truth <= row.interval.high
    return float(missed and not any(a.code in ("AC033", "AC034") for a in found.advice))


@seam("Heavy tails", "mean squared error, t(3), n = 100", "missed without a word", high=0.07)
def _heavy_mse(rng: np.random.Generator) -> float:
    x = rng.normal(size=100)
    return _silent("mse", ac.Numeric(x + rng.standard_t(3, size=100), x), 3.0)


@seam("Heavy tails", "R², log-normal errors, n = 100", "missed without a word", high=0.07)
def _heavy_r2(rng: np.random.Generator) -> float:
    x = rng.normal(size=100)
    error = 0.4 * np.exp(rng.normal(size=100))
    spread = 0.16 * (np.exp(1) - 1) * np.exp(1)
    truth = 1.0 - 0.16 * np.exp(2) / (1.0 + spread)
    return _silent("r2", ac.Numeric(x + error, x), truth)


@seam("C-index", "n = 40, three in four censored", "coverage", low=0.93)
def _censored(rng: np.random.Generator) -> float:
    x = rng.normal(size=40)
    time, until = rng.exponential(np.exp(-x)), rng.exponential(0.25, size=40)
    if (time <= until).sum() < 3:
        return NO_ANSWER
    made = ac.Survival(np.minimum(time, until), time <= until, risk=x)
    return _covered(_interval(made, "c_index"), 0.7449)
