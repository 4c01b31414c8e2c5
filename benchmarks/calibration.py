"""Calibration and utility with bands at n = 100 000: lines, curves, 1000 bootstrap replicates."""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import harness
import numpy as np
from harness import Race, cpu_time, race
from sklearn.calibration import calibration_curve
from sklearn.metrics import precision_recall_curve, roc_curve

import abovechance as ac
from abovechance.measures import find
from abovechance.numerics.recalibration import line, log_odds
from abovechance.numerics.smooth import loess

DRAWS = 1000
THRESHOLDS = np.arange(1, 100) / 100
MEASURES = (
    "calibration_in_the_large",
    "calibration_intercept",
    "calibration_slope",
    "observed_expected_ratio",
    "hosmer_lemeshow",
    "spiegelhalter_z",
    "ece",
    "mce",
    "ici",
    "e50",
    "e90",
    "emax",
    "net_benefit(0.2)",
    "standardised_net_benefit(0.2)",
    "expected_cost",
    "cost_weighted_accuracy",
)


def sample(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    p = rng.beta(1, 3, n)
    return (rng.random(n) < p).astype(np.float64), p


def close(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-8)


def lines(rng: np.random.Generator) -> Iterator[Race]:
    import statsmodels.api as sm

    for n in (1_000, 100_000):
        y, p = sample(n, rng)
        x = log_odds(p)

        def glm(y: Any = y, x: Any = x) -> Any:
            return sm.GLM(y, sm.add_constant(x), family=sm.families.Binomial()).fit().params

        yield from race(
            f"recalibration line, n = {n:.0e}",
            lambda y=y, x=x: [float(v) for v in line(y, x)],
            {"statsmodels GLM": glm},
            agree=close,
            rounds=3,
        )


def smooth(rng: np.random.Generator) -> Iterator[Race]:
    from skmisc.loess import loess as theirs

    for n in (1_000, 20_000):
        y, p = sample(n, rng)

        def peer(y: Any = y, p: Any = p) -> Any:
            fitted = theirs(p, y)
            fitted.fit()
            return fitted.outputs.fitted_values

        yield from race(
            f"loess at every case, n = {n:.0e}",
            lambda y=y, p=p: loess(p).curve(y, p),
            {"scikit-misc loess": peer},
            agree=close,
            rounds=3,
        )


def decisions(rng: np.random.Generator) -> Iterator[Race]:
    """One curve of dcurves has no limits; ours has, from 1000 bootstrap replicates."""
    import pandas as pd
    from dcurves import dca

    y, p = sample(100_000, rng)
    frame = pd.DataFrame({"y": y, "p": p})
    predictions = ac.Binary(y, probability=p)

    def peer() -> Any:
        table = dca(data=frame, outcome="y", modelnames=["p"], thresholds=THRESHOLDS)
        return table[table["model"] == "p"]["net_benefit"].to_numpy()

    yield from race(
        f"decision curve at 99 thresholds, n = 1e+05: ours with {DRAWS} replicates, theirs without",
        lambda: ac.curves.decision(predictions, THRESHOLDS, draws=DRAWS, rng=1).y,
        {"dcurves": peer},
        agree=close,
        rounds=3,
    )


def one_replicate(y: np.ndarray, p: np.ndarray, rng: np.random.Generator) -> Any:
    """What a script does for each bootstrap sample: line, bins, curves, net benefits."""
    import statsmodels.api as sm

    rows = rng.integers(len(y), size=len(y))
    outcome, chance = y[rows], p[rows]
    glm = sm.GLM(outcome, sm.add_constant(log_odds(chance)), family=sm.families.Binomial()).fit()
    bins = calibration_curve(outcome, chance, n_bins=10)
    roc = roc_curve(outcome, chance)
    precision = precision_recall_curve(outcome, chance)
    benefit = [
        np.mean(np.where(chance >= t, outcome - (1 - outcome) * t / (1 - t), 0.0))
        for t in THRESHOLDS
    ]
    return glm.params, bins, roc, precision, benefit


def everything(y: np.ndarray, p: np.ndarray) -> Any:
    """All measures of calibration and utility, all curves with bands, and thresholds."""
    predictions = ac.Binary(y, probability=p)
    return (
        ac.assess(predictions, [find(m) for m in MEASURES], draws=DRAWS, rng=1),
        ac.curves.calibration(predictions),
        ac.curves.calibration(predictions, method="isotonic"),
        ac.curves.calibration(predictions, method="binned"),
        ac.curves.roc(predictions, draws=DRAWS, rng=1),
        ac.curves.precision_recall(predictions, draws=DRAWS, rng=1),
        ac.curves.decision(predictions, draws=DRAWS, rng=1),
        ac.curves.cost(predictions, draws=DRAWS, rng=1),
        ac.thresholds(predictions, cost_fp=1, cost_fn=4, draws=DRAWS, rng=1),
    )


def whole(rng: np.random.Generator) -> Iterator[Race]:
    y, p = sample(100_000, rng)
    everything(y[:2000], p[:2000])  # load and compile
    ours = min(cpu_time(lambda: everything(y, p)) for _ in range(2))
    each = min(cpu_time(lambda: one_replicate(y, p, rng)) for _ in range(3))
    yield Race(
        f"16 measures, 7 curves with bands, thresholds: n = 1e+05, {DRAWS} replicates",
        f"statsmodels and scikit-learn in a loop ({DRAWS} × one replicate)",
        ours,
        DRAWS * each,
        DRAWS * each / ours,
        20.0,
    )


def races() -> Iterator[Race]:
    rng = np.random.default_rng(20_240_603)
    parts: tuple[Callable[[np.random.Generator], Iterator[Race]], ...] = (
        lines,
        smooth,
        decisions,
        whole,
    )
    for part in parts:
        try:
            yield from part(rng)
        except ModuleNotFoundError as missing:
            print(f"left out {part.__name__}: {missing.name} is not installed", file=sys.stderr)


if __name__ == "__main__":
    title = "Calibration and utility against statsmodels, scikit-misc, dcurves and scikit-learn"
    sys.exit(harness.main("calibration", title, races, ("scikit-learn", "statsmodels", "numba")))
