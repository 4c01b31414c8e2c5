"""Power that `power` promises and `assess` or `compare` then has, on fresh samples."""

from collections.abc import Callable

import numpy as np

import abovechance as ac
from abovechance.studies import Binormal, CorrelatedModels, power
from statistical.seams.seam import seam

PER = 2  # samples of each side in a replicate; their difference is near 0 on average


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


def _promised(design: object, test: str, n: int, effect: float, rng: np.random.Generator) -> float:
    found = power(design, [test], n=n, effects=effect, replications=PER, draws=99, rng=_seed(rng))  # type: ignore[arg-type]
    return float(found.cells[0].power)


def _compared(n: int, effect: float, noise: float) -> Callable[[np.random.Generator], float]:
    """What `power` says of comparing two areas, less how often `compare` rejects."""

    def replicate(rng: np.random.Generator) -> float:
        design, rejected = CorrelatedModels(noise=noise), 0
        for _ in range(PER):
            drawn = design(n, effect, rng)
            models = {
                name: ac.Binary(drawn.positive, probability=p)
                for name, p in (("a", drawn.first), ("b", drawn.second))
            }
            p = ac.compare(models, ["auc"], draws=99, rng=1)["auc"].p_value
            rejected += p is not None and p <= 0.05
        return _promised(design, "auc", n, effect, rng) - rejected / PER

    return replicate


def _accuracy(n: int, auc: float, prevalence: float) -> Callable[[np.random.Generator], float]:
    """What `power` says of accuracy, less how often `assess` rejects."""

    def replicate(rng: np.random.Generator) -> float:
        design, rejected = Binormal(prevalence=prevalence), 0
        for _ in range(PER):
            drawn = design(n, auc, rng)
            cases = ac.Binary(drawn.positive, probability=drawn.probability)
            p = ac.assess(cases, ["accuracy"], rng=1)["accuracy"].p_value
            rejected += p is not None and p <= 0.05
        return _promised(design, "accuracy", n, auc, rng) - rejected / PER

    return replicate


FIGURE = "power less rejection rate"
seam("power", "comparing AUCs, n = 20", FIGURE, low=-0.01, high=0.01)(_compared(20, 0.6, 0.3))
seam("power", "accuracy, prevalence 0.2, n = 100", FIGURE, low=-0.01, high=0.01)(
    _accuracy(100, 0.8, 0.2)
)
