"""How often intervals hold for numbers, censored times, clusters and chosen thresholds.

Make the committed table: `./run python tests/statistical/calibration_dependence.py`.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from abovechance.inference.interval_choice import Shared, interval_by_law
from abovechance.inference.miscalibration import (
    linear_calibration,
    observed_expected,
    recalibration,
)
from abovechance.inference.net_benefit import gain, utility
from abovechance.inference.thresholds import thresholds
from abovechance.measures import find
from abovechance.predictions import Binary, Numeric, Survival
from abovechance.settings import Settings

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])  # not this folder: numba would import coverage.py

from statistical.calibration_coverage import (
    LARGE,
    Rate,
    expit,
    log_odds,
    table,
)

Draw = Callable[[np.random.Generator, int], Any]
Cover = Callable[[Any, int], Any]

# ---------------------------------------------------------------- numbers


def numbers(errors: str, groups: int = 0) -> Draw:
    """Outcomes 2 + 0.7 · prediction + error; clusters share a part of the error."""

    def draw(rng: np.random.Generator, n: int) -> Numeric:
        value = rng.normal(size=n) if errors != "skewed predictions" else rng.lognormal(size=n)
        spread = np.exp(value / 2) if errors == "spreading errors" else 1.0
        error = spread * rng.normal(size=n)
        if not groups:
            return Numeric(2.0 + 0.7 * value + error, value)
        code = np.arange(n) % groups
        value = 0.6 * rng.normal(size=groups)[code] + 0.8 * value
        shared = rng.normal(size=groups)[code]
        return Numeric(2.0 + 0.7 * value + 0.6 * shared + 0.8 * error, value, groups=code)

    return draw


# ---------------------------------------------------------------- clusters


def clustered(groups: int) -> Draw:
    """Risks that vary between and within clusters, which differ in what is not predicted."""

    def draw(rng: np.random.Generator, n: int) -> Binary:
        code = np.arange(n) % groups
        x = 0.8 * rng.normal(size=groups)[code] + 0.8 * rng.normal(size=n) - 0.5
        hidden = 0.6 * rng.normal(size=groups)[code]
        return Binary(rng.random(n) < expit(x + hidden), probability=expit(x), groups=code)

    return draw


@cache
def population() -> Binary:
    """A million cases, each a cluster of its own: what intervals over clusters should cover."""
    found: Binary = clustered(LARGE)(np.random.default_rng(1), LARGE)
    return found


def true_gain() -> float:
    found = gain(population(), 0.3, rng=np.random.default_rng(1))
    return found.difference


# ---------------------------------------------------------------- censored times

HORIZON = 1.0


def survived(wrong: float, censored: float) -> Draw:
    """Exponential times; the predicted log hazard is `wrong` times the true one."""

    def draw(rng: np.random.Generator, n: int) -> Survival:
        x = rng.normal(size=n)
        time = rng.exponential(1.0 / np.exp(x - 0.5))
        stop = rng.exponential(1.0 / censored, size=n)
        predicted = np.exp(-HORIZON * np.exp(wrong * x - 0.5))
        return Survival(
            np.minimum(time, stop), time <= stop, survival=predicted[:, None], times=[HORIZON]
        )

    return draw


@cache
def true_at_horizon(measure: str, wrong: float) -> float:
    whole = survived(wrong, 1e-9)(np.random.default_rng(1), LARGE)
    if measure == "observed_expected_at":
        happened, risk = whole.time <= HORIZON, 1.0 - whole.survival[0]
        return float(happened.mean() / risk.mean())
    y, p = (whole.time <= HORIZON).astype(float), 1.0 - whole.survival[0]
    return float(find("calibration_slope")(y, p))


def at_horizon(measure: str) -> Cover:
    chosen = find(measure)
    return lambda cases, r: interval_by_law(
        chosen, cases, Shared.among(Settings(), cases, [chosen])
    )


# ---------------------------------------------------------------- thresholds


def scored(share: float, gap: float) -> Draw:
    """Normal scores of two classes a gap apart, as the right probabilities."""

    def draw(rng: np.random.Generator, n: int) -> Binary:
        y = rng.random(n) < share
        odds = np.log(share / (1 - share)) + gap * (rng.normal(size=n) + gap * y - gap / 2)
        return Binary(y, probability=expit(odds))

    return draw


COSTS = {"cost_fp": 1.0, "cost_fn": 3.0}


def best_threshold(criterion: str, share: float) -> float:
    """Where the criterion is best in the population, as a probability."""
    if criterion == "cost":
        return COSTS["cost_fp"] / sum(COSTS.values())
    # the densities are equal halfway between the classes, where the odds are those of the classes
    # (Youden); there both error rates are equal too, and by symmetry the corner is nearest
    return share


def chosen(criterion: str) -> Cover:
    return lambda cases, r: thresholds(cases, draws=200, rng=r, **COSTS)[criterion].interval


def optimism(share: float, gap: float, n: int, replications: int) -> Iterator[str]:
    """What is left of the gap between apparent and true worth once it is corrected."""
    from scipy.special import ndtr

    draw, values = scored(share, gap), []
    for r in range(replications):
        rng = np.random.default_rng(np.random.SeedSequence(45, spawn_key=(n, r)))
        found = thresholds(draw(rng, n), draws=100, rng=r)["youden"]
        odds = float(log_odds(np.clip(found.threshold, 1e-300, 1 - 1e-16)))
        cut = (odds - np.log(share / (1 - share))) / gap + gap / 2
        true = float(ndtr(cut) - ndtr(cut - gap))
        values.append((found.value - true, found.corrected - true))
    (apparent, left), (_, error) = np.mean(values, axis=0), np.std(values, axis=0)
    part, spread = left / apparent, error / np.sqrt(replications) / apparent
    yield f"| {share:g} positive, {gap:g} apart, n = {n} | {apparent:.3f} | {left:+.3f} | "
    yield f"{part:+.2f} | {spread:.2f} | {replications} |\n"


# ---------------------------------------------------------------- the rows

NB = find("net_benefit", threshold=0.3)


def rows() -> list[tuple[str, str, Draw, int, Cover, Callable[[], float], float | None]]:
    """What, setting, draw, cases, interval, what it should cover, bar."""
    found: list[tuple[str, str, Draw, int, Cover, Callable[[], float], float | None]] = []
    for errors, n in (("equal errors", 50), ("spreading errors", 100), ("skewed predictions", 100)):
        for parameter, truth in (("slope", 0.7), ("intercept", 2.0)):
            found.append(
                (
                    f"{parameter} of numbers",
                    f"{errors}, n = {n}",
                    numbers(errors),
                    n,
                    lambda p, r, k=parameter: linear_calibration(p, k),
                    lambda v=truth: v,
                    0.93,
                )
            )
    for groups, bar in ((12, None), (40, 0.93)):
        found.append(
            (
                "slope of numbers",
                f"{groups} clusters of 10",
                numbers("equal errors", groups),
                10 * groups,
                lambda p, r: linear_calibration(p),
                lambda: 0.7,
                bar,
            )
        )
    lines = {
        "slope": lambda p, r: recalibration(p, "slope"),
        "in the large": lambda p, r: recalibration(p, "in_the_large"),
        "observed/expected": lambda p, r: observed_expected(p),
        "net benefit at .3": lambda p, r: utility(p, NB, rng=np.random.default_rng(r)),
        "gain at .3": lambda p, r: gain(p, 0.3, rng=np.random.default_rng(r)).interval,
    }
    truths: dict[str, Callable[[], float]] = {
        "slope": lambda: find("calibration_slope").of(population()),
        "in the large": lambda: find("calibration_in_the_large").of(population()),
        "observed/expected": lambda: find("observed_expected_ratio").of(population()),
        "net benefit at .3": lambda: NB.of(population()),
        "gain at .3": true_gain,
    }
    for groups, bar in ((12, None), (40, 0.93)):
        for what, cover in lines.items():
            setting = f"{groups} clusters of 15"
            found.append((what, setting, clustered(groups), 15 * groups, cover, truths[what], bar))
    for measure in ("observed_expected_at", "calibration_slope_at"):
        for wrong, censored, n in ((1.0, 0.3, 200), (1.5, 0.3, 200), (1.0, 1.0, 400)):
            setting = f"predicted effect × {wrong:g}, censoring rate {censored:g}, n = {n}"
            found.append(
                (
                    measure.replace("_", " "),
                    setting,
                    survived(wrong, censored),
                    n,
                    at_horizon(measure),
                    lambda m=measure, w=wrong: true_at_horizon(m, w),
                    0.93,
                )
            )
    for share, gap, n in ((0.3, 1.2, 100), (0.3, 1.2, 300), (0.5, 2.0, 300)):
        for criterion in ("cost", "youden", "closest"):
            found.append(
                (
                    f"chosen threshold, {criterion}",
                    f"{share:g} positive, {gap:g} apart, n = {n}",
                    scored(share, gap),
                    n,
                    chosen(criterion),
                    lambda c=criterion, s=share: best_threshold(c, s),
                    0.93 if share * n >= 50 else None,
                )
            )
    return found


def cover(index: int, replications: int) -> Rate:
    what, setting, draw, n, interval, truth, bar = rows()[index]
    target, covered = truth(), 0
    for r in range(replications):
        rng = np.random.default_rng(np.random.SeedSequence(44, spawn_key=(index, r)))
        covered += target in interval(draw(rng, n), r)
    return Rate(what, setting, covered / replications, None, replications, bar)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=1000)
    count = parser.parse_args().replications
    rates = []
    for index in range(len(rows())):
        rates.append(cover(index, count))
        print(f"{rates[-1].what}, {rates[-1].setting}: {rates[-1].rate:.3f}", file=sys.stderr)
    text = table(
        rates, count, "Coverage for numbers, clusters, censored times, thresholds", __file__
    )
    text += "\n## Optimism of a threshold chosen by Youden's J\n\nApparent and corrected less true "
    text += "worth on new cases, and what is left of the gap.\n\n"
    text += "| setting | apparent | corrected | left | s.e. | replications |\n"
    text += "|---|---|---|---|---|---|\n"
    for share, gap, n in ((0.3, 1.2, 60), (0.5, 1.2, 60), (0.3, 1.2, 200), (0.5, 2.0, 200)):
        text += "".join(optimism(share, gap, n, count))
    path = Path(__file__).parent / "tables" / "calibration_dependence.md"
    path.write_text(text, "utf-8")
