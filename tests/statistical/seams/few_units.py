"""Few clusters of unequal size, and few cases of a class."""

from functools import cache

import numpy as np

import abovechance as ac
from statistical.seams.seam import seam

TOPIC = "few clusters of unequal size"


def _times(n: int, groups: int, rng: np.random.Generator, *, alone: bool = False) -> ac.Survival:
    """Times of which a cluster's part is .6 and most are censored; each case its own cluster."""
    sizes = rng.lognormal(sigma=0.8, size=groups)
    group = np.arange(n) if alone else rng.choice(groups, size=n, p=sizes / sizes.sum())
    signal, clusters = rng.normal(size=n), rng.normal(size=n)[group]
    time = np.exp(np.sqrt(0.4) * rng.normal(size=n) + np.sqrt(0.6) * clusters - 0.6 * signal)
    limit = 0.6 * rng.exponential(size=n)
    risk = 0.9 * signal + np.sqrt(1.0 - 0.81) * rng.normal(size=n)
    known = {} if alone else {"groups": group}
    return ac.Survival(np.minimum(time, limit), time <= limit, risk=risk, **known)


@cache
def _concordance() -> float:
    rng, measure = np.random.default_rng(1), ac.measures.find("c_index")
    return float(np.mean([measure.of(_times(20_000, 1, rng, alone=True)) for _ in range(5)]))


for _groups in (8, 15):

    @seam(TOPIC, f"C-index of 300 times in {_groups} clusters, ICC .6", "coverage", low=0.93)
    def _covers(rng: np.random.Generator, groups: int = _groups) -> float:
        row = ac.assess(_times(300, groups, rng), ["c_index"], draws=99, rng=1)["c_index"]
        if row.interval is None:
            return float("nan")
        return float(row.interval.low <= _concordance() <= row.interval.high)


SLOPES = "slopes that few cases tell"


def _two_classes(n: int, positive: int, apart: float, rng: np.random.Generator) -> ac.Binary:
    """Calibrated probabilities of normal classes of stated sizes."""
    y = np.arange(n) < positive
    x = apart * y + rng.normal(size=n)
    odds = apart * x - apart**2 / 2.0 + np.log(positive / (n - positive))
    return ac.Binary(y, probability=1.0 / (1.0 + np.exp(-odds)))


for _n, _positive, _apart in ((21, 1, 1.2), (21, 5, 2.5), (60, 4, 2.5), (40, 20, 1.2)):

    @seam(
        SLOPES,
        f"calibration slope, {_positive} of {_n} positive, {_apart} apart",
        "coverage",
        low=0.93,
    )
    def _covers_slope(
        rng: np.random.Generator, n: int = _n, positive: int = _positive, apart: float = _apart
    ) -> float:
        cases = _two_classes(n, positive, apart, rng)
        found = ac.assess(cases, ["calibration_slope"], draws=99, rng=1)["calibration_slope"]
        if found.interval is None:
            return float("nan")
        return float(found.interval.low <= 1.0 <= found.interval.high)


@seam(
    "hardly any error",
    "observed to expected, 40 cases, one positive in 50 surely called wrongly",
    "coverage",
    low=0.93,
)
def _covers_ratio(rng: np.random.Generator) -> float:
    called = np.arange(40) % 2
    y = np.where(rng.random(40) < 0.02, 0, called)
    p = np.where(called == 1, rng.beta(40, 1, 40), rng.beta(1, 40, 40))
    measure = "observed_expected_ratio"
    found = ac.assess(ac.Binary(y, probability=p), [measure], draws=99, rng=1)[measure].interval
    if found is None:
        return float("nan")
    return float(found.low <= 0.98 <= found.high)  # half of all are expected, 49 in 100 happen


@cache
def _areas() -> float:
    rng = np.random.default_rng(1)
    first, second = _weighted(1_000_000, rng)
    measure = ac.measures.find("auc")
    return float(measure.of(first) - measure.of(second))


def _weighted(n: int, rng: np.random.Generator) -> list[ac.Binary]:
    """Scores of two models of which one in ten cases is positive, weighted by the first score."""
    y = np.arange(n) % 10 == 0
    shared = rng.normal(size=n)
    scores = [a * y + np.sqrt(0.9) * shared + np.sqrt(0.1) * rng.normal(size=n) for a in (1.5, 0.8)]
    kept = rng.random(n) < 1.0 / (1.0 + np.exp(-scores[0])) if n < 1_000_000 else y | True
    weight = {} if n >= 1_000_000 else {"sample_weight": 1.0 + np.exp(-scores[0][kept])}
    return [ac.Binary(y[kept], score=score[kept], **weight) for score in scores]


@seam(
    "few weighted positives",
    "difference of areas, about 5 of 35 positive, weighted",
    "coverage",
    low=0.93,
)
def _covers_areas(rng: np.random.Generator) -> float:
    first, second = _weighted(70, rng)
    if first.positive.sum() < 2:
        return float("nan")
    row = ac.compare({"first": first, "second": second}, ["auc"], draws=99, rng=1).differences[0]
    if row.interval is None:
        return float("nan")
    return float(row.interval.low <= _areas() <= row.interval.high)
