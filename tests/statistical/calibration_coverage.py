"""How often intervals, bands and tests of calibration and utility hold what they say.

Make the committed table: `./run python tests/statistical/calibration_coverage.py`.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from abovechance.inference import curves
from abovechance.inference.miscalibration import observed_expected, recalibration
from abovechance.inference.net_benefit import gain, utility
from abovechance.inference.significance import (
    calibration,
    hosmer_lemeshow,
    likelihood_ratio,
    spiegelhalter,
)
from abovechance.measures import find
from abovechance.predictions import Binary

LEVEL, ALPHA = 0.95, 0.05
LARGE = 1_000_000
PLACES = np.linspace(0.05, 0.95, 37)  # of the predictions, where bands are looked at

Draw = Callable[[np.random.Generator, int], np.ndarray]
Truth = Callable[[np.ndarray], np.ndarray]


def expit(x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-x))


def log_odds(p: Any) -> Any:
    return np.log(p) - np.log1p(-p)


def normal(mean: float, spread: float) -> Draw:
    return lambda rng, n: expit(rng.normal(mean, spread, n))


def line(a: float, b: float) -> Truth:
    return lambda p: expit(a + b * log_odds(p))


def bent(p: np.ndarray) -> np.ndarray:
    return np.clip(0.05 + 0.9 * p + 0.12 * np.sin(2 * np.pi * p), 0, 1)


RISKS: dict[str, Draw] = {
    "balanced": normal(0.0, 1.5),
    "rare": normal(-2.0, 1.0),
    "skewed": lambda rng, n: rng.beta(1, 3, n),
}
TRUTHS: dict[str, Truth] = {
    "right": line(0.0, 1.0),
    "too extreme": line(0.0, 0.6),
    "not extreme enough": line(0.0, 1.6),
    "too high": line(-0.7, 1.0),
    "bent": bent,
}


@dataclass(frozen=True)
class Rate:
    """How often something held in one setting."""

    what: str
    setting: str
    rate: float
    least: float | None
    replications: int
    bar: float | None
    """The least (or, for tests, the greatest) rate that is acceptable; None: only tabulated."""
    upper: bool = False

    @property
    def met(self) -> bool:
        if self.bar is None:
            return True
        error = np.sqrt(self.bar * (1 - self.bar) / self.replications)
        return (
            self.rate <= self.bar + 3.3 * error if self.upper else self.rate >= self.bar - 3 * error
        )


def sample(draw: Draw, truth: Truth, rng: np.random.Generator, n: int) -> Binary:
    p = draw(rng, n)
    return Binary(rng.random(n) < truth(p), probability=p)


# ---------------------------------------------------------------- intervals

Interval = Callable[[Binary, int], Any]


def net_benefit(threshold: float) -> Interval:
    measure = find("net_benefit", threshold=threshold)
    return lambda p, seed: utility(p, measure, draws=999, rng=np.random.default_rng(seed))


def gained(threshold: float) -> Interval:
    return lambda p, seed: gain(p, threshold, draws=999, rng=np.random.default_rng(seed)).interval


def true_benefit(threshold: float, beyond: bool = False) -> Callable[[Draw, Truth], float]:
    def value(draw: Draw, truth: Truth) -> float:
        p = draw(np.random.default_rng(1), LARGE)
        chance, odds = truth(p), threshold / (1 - threshold)
        each = np.where(p >= threshold, chance - (1 - chance) * odds, 0.0)
        share = chance.mean()
        return float(each.mean() - (max(share - (1 - share) * odds, 0.0) if beyond else 0.0))

    return value


def true_ratio(draw: Draw, truth: Truth) -> float:
    p = draw(np.random.default_rng(1), LARGE)
    return float(truth(p).mean() / p.mean())


def known(value: float) -> Callable[[Draw, Truth], float]:
    return lambda draw, truth: value


PROFILE: dict[str, Interval] = {
    k: (lambda p, seed, k=k: recalibration(p, k)) for k in ("slope", "intercept", "in_the_large")
}
# what, risks, truth, cases, interval, true value, whether the bar applies
INTERVALS: list[
    tuple[str, str, Truth, str, int, Interval, Callable[[Draw, Truth], float], bool]
] = [
    ("slope", "balanced", line(0, 1), "right", 50, PROFILE["slope"], known(1.0), False),
    ("slope", "balanced", line(0, 1), "right", 120, PROFILE["slope"], known(1.0), True),
    ("slope", "balanced", line(0.3, 0.6), "too extreme", 120, PROFILE["slope"], known(0.6), True),
    (
        "slope",
        "balanced",
        line(0, 1.6),
        "not extreme enough",
        200,
        PROFILE["slope"],
        known(1.6),
        True,
    ),
    ("slope", "rare", line(0, 1), "right", 200, PROFILE["slope"], known(1.0), False),
    ("slope", "rare", line(0, 1), "right", 500, PROFILE["slope"], known(1.0), True),
    (
        "intercept",
        "balanced",
        line(0.3, 0.6),
        "too extreme",
        120,
        PROFILE["intercept"],
        known(0.3),
        True,
    ),
    ("intercept", "rare", line(0, 1), "right", 500, PROFILE["intercept"], known(0.0), True),
    (
        "in the large",
        "balanced",
        line(0, 1),
        "right",
        120,
        PROFILE["in_the_large"],
        known(0.0),
        True,
    ),
    (
        "in the large",
        "rare",
        line(-0.5, 1),
        "too high",
        500,
        PROFILE["in_the_large"],
        known(-0.5),
        True,
    ),
    (
        "observed/expected",
        "balanced",
        line(0, 1),
        "right",
        120,
        lambda p, s: observed_expected(p),
        true_ratio,
        True,
    ),
    (
        "observed/expected",
        "rare",
        line(-0.5, 1),
        "too high",
        500,
        lambda p, s: observed_expected(p),
        true_ratio,
        True,
    ),
    (
        "net benefit at .2",
        "rare",
        line(0, 1),
        "right",
        500,
        net_benefit(0.2),
        true_benefit(0.2),
        True,
    ),
    (
        "net benefit at .1",
        "rare",
        line(-0.5, 1),
        "too high",
        500,
        net_benefit(0.1),
        true_benefit(0.1),
        True,
    ),
    (
        "net benefit at .5",
        "balanced",
        line(0, 1),
        "right",
        120,
        net_benefit(0.5),
        true_benefit(0.5),
        True,
    ),
    (
        "net benefit at .3",
        "balanced",
        line(0, 0.6),
        "too extreme",
        120,
        net_benefit(0.3),
        true_benefit(0.3),
        True,
    ),
    (
        "net benefit at .2",
        "skewed",
        line(0, 1),
        "right",
        100,
        net_benefit(0.2),
        true_benefit(0.2),
        False,
    ),
    ("gain at .2", "rare", line(0, 1), "right", 500, gained(0.2), true_benefit(0.2, True), True),
    (
        "gain at .5",
        "balanced",
        line(0, 0.6),
        "too extreme",
        200,
        gained(0.5),
        true_benefit(0.5, True),
        True,
    ),
]


def cover_interval(index: int, replications: int) -> Rate:
    what, risks, truth, wrong, n, interval, value, barred = INTERVALS[index]
    target = value(RISKS[risks], truth)
    covered = 0
    for r in range(replications):
        rng = np.random.default_rng(np.random.SeedSequence(31, spawn_key=(index, r)))
        found = interval(sample(RISKS[risks], truth, rng, n), r)
        covered += target in found
    setting = f"{risks} risks, {wrong}, n = {n}"
    return Rate(what, setting, covered / replications, None, replications, 0.93 if barred else None)


# ---------------------------------------------------------------- bands

# method, risks, truth, cases, bar, share of the replications
BANDS: list[tuple[str, str, str, int, float | None, float]] = [
    ("loess", "balanced", "right", 200, None, 0.2),
    *(("loess", risks, truth, 500, 0.90, 0.2) for risks in RISKS for truth in TRUTHS),
    ("loess", "skewed", "bent", 2_000, 0.90, 0.1),
    ("loess", "balanced", "not extreme enough", 2_000, 0.90, 0.1),
    ("loess", "balanced", "bent", 10_000, 0.90, 0.05),
    ("loess", "balanced", "not extreme enough", 50_000, 0.90, 0.02),
    ("loess, span .75", "balanced", "not extreme enough", 50_000, None, 0.02),
    ("isotonic", "balanced", "right", 500, 0.90, 0.05),
    ("isotonic", "skewed", "bent", 2_000, 0.90, 0.05),
]


def cover_band(index: int, replications: int) -> Rate:
    """Pointwise coverage over the central 90 % of predictions."""
    method, risks, name, n, bar, share = BANDS[index]
    draw, truth = RISKS[risks], TRUTHS[name]
    count = max(20, int(replications * share))
    inside = np.zeros(len(PLACES))
    for r in range(count):
        rng = np.random.default_rng(np.random.SeedSequence(32, spawn_key=(index, r)))
        predictions = sample(draw, truth, rng, n)
        span = 0.75 if "span" in method else None
        curve = curves.calibration(predictions, method=method.partition(",")[0], span=span)
        at = np.quantile(predictions.probability, PLACES)
        low, high = (np.interp(at, curve.x, limit) for limit in (curve.low, curve.high))
        inside += (low <= truth(at)) & (truth(at) <= high)
    rates = inside / count
    setting = f"{risks} risks, {name}, n = {n}"
    return Rate(f"band, {method}", setting, rates.mean(), rates.min(), count, bar)


def cover_roc(replications: int) -> Iterator[Rate]:
    """Bands of ROC and precision–recall curves of two normal scores, at x from .05 to .95."""
    from scipy.special import ndtr, ndtri

    x = np.linspace(0.05, 0.95, 19)
    for n1, n0, gap, area in ((50, 50, 1.2, ".80"), (50, 450, 1.2, ".80"), (300, 300, 2.3, ".95")):
        inside, count = np.zeros((2, len(x))), max(20, replications // 10)
        share = n1 / (n1 + n0)
        for r in range(count):
            rng = np.random.default_rng(np.random.SeedSequence(33, spawn_key=(n1, n0, r)))
            y = np.arange(n1 + n0) < n1
            scores = Binary(y, score=rng.normal(size=n1 + n0) + gap * y)
            rising = ndtr(ndtri(x) + gap)
            false = ndtr(ndtri(x) - gap) * (1 - share)  # false positives where recall is x
            pairs = (
                (curves.roc(scores, rng=r, draws=500), rising),
                (
                    curves.precision_recall(scores, rng=r, draws=500),
                    share * x / (share * x + false),
                ),
            )
            for k, (curve, truth) in enumerate(pairs):
                low, high = (np.interp(x, curve.x, limit) for limit in (curve.low, curve.high))
                inside[k] += (low <= truth) & (truth <= high)
        for name, rates in zip(("ROC", "precision–recall"), inside / count, strict=True):
            bar = 0.90 if name == "ROC" and n1 + n0 >= 500 else None
            yield Rate(
                f"band, {name}", f"{n1} + {n0}, AUC {area}", rates.mean(), rates.min(), count, bar
            )


def cover_difference(replications: int) -> Rate:
    """Difference in net benefit of a model and a blurred copy."""
    threshold, covered = 0.3, 0
    draw = RISKS["balanced"]

    def pair(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        p = draw(rng, n)
        return p, expit(log_odds(p) + rng.normal(0, 1, n))

    p, q = pair(np.random.default_rng(1), 4 * LARGE)
    odds = threshold / (1 - threshold)
    worth = p - (1 - p) * odds
    target = float((worth * ((p >= threshold) * 1.0 - (q >= threshold))).mean())
    for r in range(replications):
        rng = np.random.default_rng(np.random.SeedSequence(34, spawn_key=(r,)))
        p, q = pair(rng, 300)
        y = rng.random(300) < p
        models = (Binary(y, probability=v) for v in (p, q))
        found = curves.decision_difference(*models, [threshold], draws=999, rng=r)
        covered += found.low[0] <= target <= found.high[0]
    rate = covered / replications
    return Rate("difference of net benefits at .3", "n = 300", rate, None, replications, 0.93)


# ---------------------------------------------------------------- tests

TESTS: dict[str, Callable[[Binary, int], float]] = {
    "likelihood ratio, line": lambda p, r: likelihood_ratio(p).p_value,
    "likelihood ratio, in the large": lambda p, r: likelihood_ratio(p, "in_the_large").p_value,
    "Hosmer–Lemeshow, G df": lambda p, r: hosmer_lemeshow(p, method="chi2").p_value,
    "Spiegelhalter": lambda p, r: spiegelhalter(p).p_value,
    "simulated, ece": lambda p, r: calibration(p, "ece", draws=199, rng=r).test.p_value,
    "simulated, ici": lambda p, r: calibration(p, "ici", draws=199, rng=r).test.p_value,
}
TEST_SETTINGS = [("balanced", 100), ("rare", 500)]


def reject(test: str, risks: str, n: int, replications: int) -> Rate:
    """Rejections at level .05 of right probabilities.

    The asymptotic tests may reject up to .06; simulation is exact.
    """
    exact = test.startswith("simulated")
    count = max(200, replications // 5) if exact else replications
    rejected = 0
    for r in range(count):
        rng = np.random.default_rng(np.random.SeedSequence(35, spawn_key=(n, r)))
        rejected += TESTS[test](sample(RISKS[risks], TRUTHS["right"], rng, n), r) <= ALPHA
    bar = ALPHA if exact else 0.06
    return Rate(test, f"{risks} risks, n = {n}", rejected / count, None, count, bar, upper=True)


def never_covers(measure: str, replications: int) -> Rate:
    """Percentile bootstrap of a calibration error when the true one is 0."""
    covered, count = 0, max(50, replications // 25)
    for r in range(count):
        rng = np.random.default_rng(np.random.SeedSequence(36, spawn_key=(r,)))
        found = sample(RISKS["balanced"], TRUTHS["right"], rng, 300)
        chosen = find(measure)
        values = [chosen.of(found.take(rng.integers(300, size=300))) for _ in range(99)]
        covered += np.quantile(values, 0.025) <= 0.0
    return Rate(
        f"percentile bootstrap of {measure}", "right, n = 300", covered / count, None, count, None
    )


# ---------------------------------------------------------------- the table


def everything(replications: int) -> Iterator[Rate]:
    for index in range(len(INTERVALS)):
        yield cover_interval(index, replications)
    yield cover_difference(replications)
    for index in range(len(BANDS)):
        yield cover_band(index, replications)
    yield from cover_roc(replications)
    for measure in ("ece", "ici"):
        yield never_covers(measure, replications)
    for test in TESTS:
        for risks, n in TEST_SETTINGS:
            yield reject(test, risks, n, replications)


TITLE = "Coverage and level of calibration and utility"


def table(rows: list[Rate], replications: int, title: str = TITLE, script: str = __file__) -> str:
    command = f"./run python tests/statistical/{Path(script).name} --replications {replications}"
    lines = [
        f"# {title}",
        "",
        f"Made by `{command}`. Intervals and bands of level {LEVEL}; bands pointwise, mean and "
        "least over the central 90 % of predictions; tests at .05 under right probabilities.",
        "",
        "| what | setting | rate | least | s.e. | replications | bar |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        error = np.sqrt(row.rate * (1 - row.rate) / row.replications)
        least = "" if row.least is None else f"{row.least:.3f}"
        sign = "≤" if row.upper else "≥"
        bar = "" if row.bar is None else f"{sign} {row.bar:.2f}{'' if row.met else ' **missed**'}"
        lines.append(
            f"| {row.what} | {row.setting} | {row.rate:.3f} | {least} | {error:.3f} "
            f"| {row.replications} | {bar} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=2000)
    count = parser.parse_args().replications
    found = []
    for rate in everything(count):
        found.append(rate)
        print(f"{rate.what}, {rate.setting}: {rate.rate:.3f}", file=sys.stderr)
    path = Path(__file__).parent / "tables" / "calibration_coverage.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(table(found, count), "utf-8")
