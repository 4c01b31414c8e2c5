"""DeLong's interval of the area under the ROC curve."""

import sys
from collections.abc import Iterator

import harness
import numpy as np
from harness import Race, race

import abovechance as ac


def ours(y: np.ndarray, p: np.ndarray) -> tuple[float, float]:
    """The interval on the area itself, as the peer has it; checks included."""
    found = ac.intervals.delong(ac.Binary(y, probability=p), scale="identity")
    return found.low, found.high


def theirs(y: np.ndarray, p: np.ndarray) -> tuple[float, float]:
    from confidenceinterval import roc_auc_score

    return roc_auc_score(y, p, confidence_level=0.95)[1]


def near(first: tuple[float, float], second: tuple[float, float]) -> None:
    """The peer computes in single precision."""
    np.testing.assert_allclose(first, second, atol=2e-6)


def races() -> Iterator[Race]:
    rng = np.random.default_rng(1)
    for n, floor in ((1_000, None), (10_000, 60), (100_000, 60), (1_000_000, 60)):
        y = (rng.random(n) < 0.4).astype(int)
        p = 1 / (1 + np.exp(-rng.normal(y - 0.5)))
        yield from race(
            f"DeLong interval, n = {n:.0e}, checks included",
            lambda y=y, p=p: ours(y, p),
            {"confidenceinterval": lambda y=y, p=p: theirs(y, p)},
            agree=near,
            floors={"confidenceinterval": floor} if floor else None,
            rounds=3,
        )


if __name__ == "__main__":
    sys.exit(harness.main("areas", __doc__.splitlines()[0], races, ("confidenceinterval",)))
