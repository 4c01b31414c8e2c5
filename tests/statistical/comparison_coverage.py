"""How often intervals of a difference contain the difference they estimate."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from abovechance.inference.law_contrasts import ModelFamily
from abovechance.inference.results import Interval
from abovechance.measures import find
from abovechance.predictions import Binary, Numeric, Survival
from abovechance.resampling import Settings

Rng = np.random.Generator
LARGE = 400_000  # cases that stand for the population
DRAWS = 499


@dataclass(frozen=True)
class Covered:
    """The share of intervals that contain the true difference, in one setting."""

    measure: str
    setting: str
    rate: float
    replications: int
    truth: float
    method: str


def probable(prevalence: float, gain: float = 0.4) -> Callable[[Rng, int], list]:
    def make(rng: Rng, n: int) -> list[Binary]:
        y = rng.random(n) < prevalence
        y[:2] = (False, True)
        base = rng.normal(size=n) + 1.2 * y - 0.6
        logits = (base + gain * (2 * y - 1), base + 0.6 * rng.normal(size=n))
        return [Binary(y, probability=1 / (1 + np.exp(-x))) for x in logits]

    return make


def clustered(size: int) -> Callable[[Rng, int], list]:
    def make(rng: Rng, n: int) -> list[Binary]:
        groups = np.arange(n) // size
        ease = rng.normal(size=(2, groups[-1] + 1))[:, groups]
        y = rng.random(n) < 0.4
        y[:2] = (False, True)
        shift = np.array([[0.9], [0.5]])
        s = (2.0 * y - 1.0) * (shift + 0.6 * ease) + rng.normal(size=(2, n))
        return [Binary(y, probability=1 / (1 + np.exp(-row)), groups=groups) for row in s]

    return make


def numbers(rng: Rng, n: int) -> list[Numeric]:
    y = rng.normal(size=n)
    return [Numeric(y, y + s * rng.normal(size=n)) for s in (0.7, 1.0)]


def times(rng: Rng, n: int) -> list[Survival]:
    hazard = rng.normal(size=n)
    event, censor = rng.exponential(np.exp(-hazard)), rng.exponential(3.0, size=n)
    noise = rng.normal(size=(2, n)) * [[0.5], [1.0]]
    time, happened = np.minimum(event, censor), event <= censor
    return [Survival(time, happened, risk=hazard + e) for e in noise]


SETTINGS: dict[tuple[str, str], tuple[Callable[[Rng, int], list], int, float]] = {
    ("accuracy", "n = 50"): (probable(0.5), 50, 1),
    ("accuracy", "n = 200"): (probable(0.3), 200, 1),
    ("sensitivity", "n = 200, prevalence .3"): (probable(0.3), 200, 1),
    ("balanced_accuracy", "n = 120, prevalence .4"): (probable(0.4), 120, 1),
    ("balanced_accuracy", "n = 400, prevalence .2"): (probable(0.2), 400, 1),
    ("auc", "n = 120, prevalence .45"): (probable(0.45), 120, 1),
    ("auc", "n = 400, prevalence .2"): (probable(0.2), 400, 1),
    ("brier", "n = 100"): (probable(0.5), 100, 1),
    ("log_score", "n = 200, prevalence .3"): (probable(0.3), 200, 1),
    ("mse", "n = 200"): (numbers, 200, 1),
    ("rmse", "n = 200"): (numbers, 200, 0.5),
    ("f1", "n = 200, prevalence .3"): (probable(0.3), 200, 0.5),
    ("ppv", "n = 200, prevalence .4"): (probable(0.4), 200, 0.5),
    ("pearson", "n = 200"): (numbers, 200, 0.2),
    ("c_index", "n = 150"): (times, 150, 0.5),
    ("accuracy", "30 clusters of 6"): (clustered(6), 180, 1),
    ("auc", "30 clusters of 6"): (clustered(6), 180, 1),
    ("brier", "30 clusters of 6"): (clustered(6), 180, 1),
}


def replicate(key: tuple[str, str], r: int) -> Interval:
    """The interval of the difference in replication `r` of a setting."""
    make, n, _ = SETTINGS[key]
    number = list(SETTINGS).index(key)
    rng = np.random.default_rng(np.random.SeedSequence(42, spawn_key=(number, r)))
    pair = make(rng, n)
    how = Settings(draws=DRAWS, seed=int(rng.integers(2**53)))
    measure = find(key[0]).for_outcome(pair[0].kind)
    return ModelFamily(measure, pair, how).contrast(0, 1).interval(0.95)


def simulate(key: tuple[str, str], replications: int) -> Covered:
    make, _, share = SETTINGS[key]
    measure = find(key[0])
    large = 20_000 if key[0] == "c_index" else LARGE
    population = make(np.random.default_rng(7), large)
    truth = measure.of(population[0]) - measure.of(population[1])
    count, hit, method = max(50, int(share * replications)), 0, ""
    for r in range(count):
        found = replicate(key, r)
        hit += truth in found
        method = found.method
    return Covered(*key, hit / count, count, truth, method)


def table(rows: list[Covered], command: str) -> str:
    lines = [
        "# Coverage of the intervals of differences",
        "",
        f"Made by `{command}`. Level .95; standard error "
        f"{np.sqrt(0.95 * 0.05 / rows[0].replications):.4f} at {rows[0].replications} "
        "replications.",
        "",
        "| measure | setting | coverage | true difference | interval | replications |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {r.measure} | {r.setting} | {r.rate:.3f} | {r.truth:+.4f} | {r.method} "
        f"| {r.replications} |"
        for r in rows
    ]
    return "\n".join(lines) + "\n"
