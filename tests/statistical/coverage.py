"""How often intervals contain what they estimate."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from abovechance.inference.interval_choice import Shared, interval_by_law
from abovechance.inference.proportions import score_limits
from abovechance.inference.results import Interval
from abovechance.measures import Measure, find
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival
from abovechance.settings import Settings

LEVEL = 0.95
Generate = Callable[[np.random.Generator, int], Predictions]


@dataclass(frozen=True)
class Coverage:
    """The share of intervals that contain the true value, in one setting."""

    measure: str
    setting: str
    covered: int
    replications: int
    width: float
    truth: float
    method: str

    @property
    def rate(self) -> float:
        return self.covered / self.replications


def logistic(prevalence: float, gap: float, bold: float = 1.0, digits: int = 17) -> Generate:
    """Scores a normal distance apart, turned into probabilities; `bold` ones overstate."""

    def make(rng: np.random.Generator, n: int) -> Predictions:
        y = rng.random(n) < prevalence
        y[:2] = (False, True)
        x = rng.normal(size=n) + gap * y
        logit = bold * (gap * x - gap**2 / 2 + np.log(prevalence / (1 - prevalence)))
        p = np.round(1 / (1 + np.exp(-logit)), digits)
        return Binary(y, probability=np.clip(p, 1e-9, 1 - 1e-9))

    return make


def fixed_sizes(n1: int, n0: int, gap: float, step: float = 0.0) -> Generate:
    """Both classes of stated size, scores a normal distance apart, rounded for ties."""

    def make(rng: np.random.Generator, n: int) -> Predictions:
        times = max(1, n // (n1 + n0))
        y = np.arange((n1 + n0) * times) < n1 * times
        score = rng.normal(size=len(y)) + gap * y
        return Binary(y, score=np.round(score / step) * step if step else score)

    return make


def three_classes(rng: np.random.Generator, n: int) -> Predictions:
    y = np.concatenate([[0, 1, 2], rng.choice(3, size=n - 3, p=[0.25, 0.35, 0.4])])
    logits = rng.normal(size=(n, 3)) + 1.5 * np.eye(3)[y]
    p = np.exp(logits)
    return Multiclass(y, probability=p / p.sum(axis=1, keepdims=True))


def linear_numbers(noise: float, tails: float | None = None) -> Generate:
    def make(rng: np.random.Generator, n: int) -> Predictions:
        x = rng.normal(size=n)
        e = rng.normal(size=n) if tails is None else rng.standard_t(tails, size=n)
        return Numeric(x + noise * e, 0.8 * x)

    return make


def censored(rng: np.random.Generator, n: int) -> Predictions:
    x = rng.normal(size=n)
    event = rng.exponential(np.exp(-0.8 * x))
    censor = rng.exponential(2.0, size=n)
    return Survival(np.minimum(event, censor), event <= censor, risk=x)


def clustered(clusters: int, size: int, with_groups: bool = True) -> Generate:
    """Accuracy and scores vary between clusters: some subjects are easier than others."""

    def make(rng: np.random.Generator, n: int) -> Predictions:
        count = max(clusters, n // size) if n > clusters * size else clusters
        groups = np.repeat(np.arange(count), size)
        ease = rng.normal(size=count)[groups]
        y = rng.random(len(groups)) < 0.5
        x = (1.0 + 1.2 * ease) * (y - 0.5) * 2 + rng.normal(size=len(groups))
        p = 1 / (1 + np.exp(-x))
        return Binary(y, probability=p, groups=groups if with_groups else None)

    return make


# measure, setting, cases, how to make them, whether the bar applies, share of the replications
SETTINGS: list[tuple[str, str, int, Generate, bool, float]] = [
    ("auc", "15 + 15, AUC .95", 30, fixed_sizes(15, 15, 2.326), False, 1),
    ("auc", "50 + 50, AUC .70", 100, fixed_sizes(50, 50, 0.742), True, 1),
    ("auc", "50 + 50, AUC .95", 100, fixed_sizes(50, 50, 2.326), True, 1),
    ("auc", "50 + 450, AUC .80", 500, fixed_sizes(50, 450, 1.190), True, 1),
    ("auc", "60 + 60, ties", 120, fixed_sizes(60, 60, 1.0, 0.5), True, 1),
    ("brier", "n = 100", 100, logistic(0.5, 1.0), True, 1),
    ("brier", "n = 250, prevalence .2, overconfident", 250, logistic(0.2, 1.0, 3.0), True, 1),
    ("log_score", "n = 100", 100, logistic(0.5, 1.0), True, 1),
    ("log_score", "n = 250, prevalence .2, overconfident", 250, logistic(0.2, 1.0, 3.0), True, 1),
    ("log_score", "n = 150, 3 classes", 150, three_classes, True, 1),
    ("mae", "n = 100", 100, linear_numbers(0.6), True, 1),
    ("mse", "n = 100", 100, linear_numbers(0.6), True, 1),
    ("mse", "n = 100, t(5) errors", 100, linear_numbers(0.6, 5.0), False, 1),
    ("rmse", "n = 100", 100, linear_numbers(0.6), True, 1),
    ("r2", "n = 100", 100, linear_numbers(0.6), True, 1),
    ("pearson", "n = 50", 50, linear_numbers(0.6), True, 1),
    ("balanced_accuracy", "n = 150, 3 classes", 150, three_classes, True, 1),
    ("auc", "n = 150, 3 classes (Hand–Till)", 150, three_classes, True, 0.2),
    ("kappa", "n = 150, 3 classes", 150, three_classes, True, 1),
    ("f1", "n = 200, prevalence .3", 200, logistic(0.3, 1.5), True, 1),
    ("mcc", "n = 200, prevalence .3", 200, logistic(0.3, 1.5), True, 1),
    ("average_precision", "n = 250, prevalence .3", 250, logistic(0.3, 1.5), True, 1),
    ("scaled_brier", "n = 200", 200, logistic(0.5, 1.0), True, 1),
    ("c_index", "n = 100, a third censored", 100, censored, True, 1),
    ("accuracy", "15 clusters of 10", 150, clustered(15, 10), False, 1),
    ("accuracy", "15 clusters of 10, clusters ignored", 150, clustered(15, 10, False), False, 1),
    ("accuracy", "40 clusters of 5", 200, clustered(40, 5), False, 1),
    ("auc", "40 clusters of 5", 200, clustered(40, 5), False, 1),
    ("auc", "15 clusters of 10, clusters ignored", 150, clustered(15, 10, False), False, 1),
    ("brier", "40 clusters of 5", 200, clustered(40, 5), False, 1),
]


def interval_of(measure: Measure, predictions: Predictions, seed: int) -> Interval:
    """The default interval, as an assessment gives it."""
    settings = Settings(level=LEVEL, draws=999, seed=seed)
    setting = Shared.among(settings, predictions, [measure])
    setting.needed.add(measure.label)
    return interval_by_law(measure, predictions, setting)


def replicate(index: int, r: int) -> Interval:
    """The default interval of replication `r` of a setting."""
    name, _, n, make, _, _ = SETTINGS[index]
    sample = make(np.random.default_rng(np.random.SeedSequence(2, spawn_key=(index, r))), n)
    return interval_of(find(name).for_outcome(sample.kind), sample, r)


def simulate(index: int, replications: int, truth_cases: int = 2_000_000) -> Coverage:
    """One setting: the truth from a very large sample, then intervals of small ones."""
    name, label, _, make, _, share = SETTINGS[index]
    large = make(np.random.default_rng(np.random.SeedSequence(1, spawn_key=(index,))), truth_cases)
    measure = find(name).for_outcome(large.kind)
    if large.cases.groups is not None:
        from dataclasses import replace

        large.__dict__["cases"] = replace(large.cases, groups=None)
    truth = measure.of(large)
    count, covered, width, method = max(50, int(replications * share)), 0, 0.0, ""
    for r in range(count):
        found = replicate(index, r)
        covered += truth in found
        width += found.high - found.low
        method = found.method
    return Coverage(name, label, covered, count, width / count, truth, method)


def share_coverage(n: int, grid: np.ndarray) -> np.ndarray:
    """Exact coverage of Wilson's interval at each true share, by enumeration."""
    x = np.arange(n + 1)
    low, high = score_limits(x, np.full(n + 1, float(n)), LEVEL)
    inside = (low[None] <= grid[:, None]) & (grid[:, None] <= high[None])
    return (binom.pmf(x[None], n, grid[:, None]) * inside).sum(axis=1)


def balanced_coverage(n1: int, n0: int, grid: np.ndarray) -> np.ndarray:
    """Exact coverage of the interval of balanced accuracy on a grid of true shares."""
    from abovechance.inference.proportions import combined

    x1, x0 = np.arange(n1 + 1.0), np.arange(n0 + 1.0)
    low1, high1 = score_limits(x1, np.full(n1 + 1, float(n1)), LEVEL)
    low0, high0 = score_limits(x0, np.full(n0 + 1, float(n0)), LEVEL)
    limits = np.array(
        [
            [
                combined(
                    np.array([a / n1, b / n0]),
                    np.array([la, lb]),
                    np.array([ha, hb]),
                    np.full(2, 0.5),
                )
                for b, lb, hb in zip(x0, low0, high0, strict=True)
            ]
            for a, la, ha in zip(x1, low1, high1, strict=True)
        ]
    )
    rates = []
    for share1 in grid:
        for share0 in grid:
            weight = np.outer(binom.pmf(x1, n1, share1), binom.pmf(x0, n0, share0))
            value = (share1 + share0) / 2
            inside = (limits[..., 0] <= value) & (value <= limits[..., 1])
            rates.append((weight * inside).sum())
    return np.array(rates)


def bar(coverage: Coverage) -> float:
    """The least acceptable rate: .93 less three Monte Carlo standard errors."""
    return 0.93 - 3 * np.sqrt(0.93 * 0.07 / coverage.replications)


def table(rows: list[Coverage], command: str) -> str:
    """The settings as a table with the command that made it."""
    lines = [
        f"Made by `{command}`. Nominal level {LEVEL}.",
        "",
        "| measure | setting | coverage | s.e. | mean width | true value | interval |",
        "|---|---|---|---|---|---|---|",
    ]
    for c in rows:
        error = np.sqrt(c.rate * (1 - c.rate) / c.replications)
        lines.append(
            f"| {c.measure} | {c.setting} | {c.rate:.3f} | {error:.3f} | {c.width:.3f} "
            f"| {c.truth:.3f} | {c.method} |"
        )
    return "\n".join(lines) + "\n"


def shares_table() -> Iterator[str]:
    """Exact coverage of the intervals of shares."""
    grid = np.linspace(0.02, 0.98, 97)
    yield "| interval | cases | mean coverage | least |"
    yield "|---|---|---|---|"
    for n in (10, 20, 50, 100, 500):
        found = share_coverage(n, grid)
        yield f"| Wilson | {n} | {found.mean():.3f} | {found.min():.3f} |"
    for n1, n0 in ((10, 10), (20, 20), (10, 40), (50, 50)):
        found = balanced_coverage(n1, n0, np.linspace(0.05, 0.95, 19))
        yield f"| MOVER with Wilson | {n1} + {n0} | {found.mean():.3f} | {found.min():.3f} |"
