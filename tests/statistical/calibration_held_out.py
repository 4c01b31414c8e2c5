"""Bands on families of curves and scores that no choice was made on.

The span of the smooth curve and the limits of ROC and precision–recall curves were chosen with the
families of `calibration_coverage` in view. These here were written down afterwards, with their
seeds, and were looked at once.

Make the committed table: `./run python tests/statistical/calibration_held_out.py`.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])  # not this folder: numba would import coverage.py

from abovechance.inference import curves
from abovechance.predictions import Binary
from statistical.calibration_coverage import PLACES, Rate, Truth, expit, log_odds, sample, table

Draw = Callable[[np.random.Generator, int], np.ndarray]


def mixed(rng: np.random.Generator, n: int) -> np.ndarray:
    """Two groups of cases, of low and of high risk."""
    low = rng.random(n) < 0.7
    return np.where(low, rng.beta(2, 12, n), rng.beta(8, 4, n))


RISKS: dict[str, Draw] = {
    "U-shaped": lambda rng, n: rng.beta(0.6, 0.6, n),
    "two groups": mixed,
    "uniform": lambda rng, n: rng.random(n),
    "heavy-tailed": lambda rng, n: expit(-1.0 + 0.8 * rng.standard_t(4, n)),
}
TRUTHS: dict[str, Truth] = {
    "plateau": lambda p: 0.1 + 0.7 / (1.0 + np.exp(-12.0 * (p - 0.5))),
    "square root": np.sqrt,
    "asymmetric": lambda p: expit(0.4 + 1.3 * log_odds(p) - 0.5 * (p > 0.5) * (p - 0.5)),
    "kinked": lambda p: np.where(p < 0.3, 0.5 * p, 0.15 + 1.1 * (p - 0.3)),
}
BANDS = [("loess", risks, truth, 500) for risks in RISKS for truth in TRUTHS] + [
    ("loess", "uniform", "plateau", 3000),
    ("loess", "two groups", "kinked", 3000),
    ("isotonic", "uniform", "plateau", 500),
    ("isotonic", "two groups", "square root", 500),
    ("isotonic", "U-shaped", "kinked", 1000),
]


def cover_band(index: int, replications: int) -> Rate:
    method, risks, name, n = BANDS[index]
    draw, truth = RISKS[risks], TRUTHS[name]
    inside = np.zeros(len(PLACES))
    for r in range(replications):
        rng = np.random.default_rng(np.random.SeedSequence(52, spawn_key=(index, r)))
        predictions = sample(draw, truth, rng, n)
        curve = curves.calibration(predictions, method=method)
        at = np.quantile(predictions.probability, PLACES)
        low, high = (np.interp(at, curve.x, limit) for limit in (curve.low, curve.high))
        inside += (low <= truth(at)) & (truth(at) <= high)
    rates = inside / replications
    setting = f"{risks} risks, {name}, n = {n}"
    return Rate(f"band, {method}", setting, rates.mean(), rates.min(), replications, 0.90)


# exponential and gamma scores: survival functions of negatives and positives, and their inverses
def families() -> Iterator[tuple[str, float, float]]:
    yield "exponential scores", 1.0, 3.0
    yield "gamma scores", 2.0, 2.5


def cover_rank(replications: int) -> Iterator[Rate]:
    """ROC and precision–recall of gamma scores, positives drawn out by a factor."""
    from scipy.special import gammaincc, gammainccinv

    x = np.linspace(0.05, 0.95, 19)
    for name, shape, factor in families():
        for n1, n0 in ((60, 440), (250, 250)):
            rising = gammaincc(shape, gammainccinv(shape, x) / factor)
            false = gammaincc(shape, gammainccinv(shape, x) * factor) * n0
            precision = n1 * x / (n1 * x + false)
            inside = np.zeros((2, len(x)))
            for r in range(replications):
                rng = np.random.default_rng(np.random.SeedSequence(53, spawn_key=(n1, n0, r)))
                y = np.arange(n1 + n0) < n1
                cases = Binary(y, score=rng.gamma(shape, np.where(y, factor, 1.0)))
                drawn = {"draws": 300, "rng": r}
                pairs = (
                    (curves.roc(cases, **drawn), rising),
                    (curves.precision_recall(cases, **drawn), precision),
                )
                for k, (curve, truth) in enumerate(pairs):
                    low, high = (np.interp(x, curve.x, limit) for limit in (curve.low, curve.high))
                    inside[k] += (low <= truth) & (truth <= high)
            for kind, rates in zip(("ROC", "precision–recall"), inside / replications, strict=True):
                what, setting = f"band, {kind}", f"{name}, {n1} + {n0}"
                yield Rate(what, setting, rates.mean(), rates.min(), replications, 0.90)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=300)
    count = parser.parse_args().replications
    found = []
    for index in range(len(BANDS)):
        found.append(cover_band(index, count))
        print(found[-1], file=sys.stderr)
    for rate in cover_rank(count):
        found.append(rate)
        print(rate, file=sys.stderr)
    path = Path(__file__).parent / "tables" / "calibration_held_out.md"
    path.write_text(table(found, count, "Bands on families held out", __file__), "utf-8")
