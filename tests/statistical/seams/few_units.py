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
