"""How often a goal is falsely met, or falsely not met, when the true value is the goal itself.

Each claim may be wrong in at most half of what the level leaves, .025 at 95 %: exactly so for
shares of independent cases, which are enumerated; others are simulated, or enumerated where they
are functions of two shares.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from scipy.stats import binom, norm

from abovechance import Binary
from abovechance.inference.assessment import Evidence
from abovechance.inference.confusion_tables import TwoRecalls
from abovechance.inference.goals import MET, NOT_MET, Goal
from abovechance.inference.intervals import clopper_pearson, wilson
from abovechance.inference.results import Interval
from abovechance.measures import find
from abovechance.settings import Settings

RISK = 0.025
SETTINGS = Settings.of("assess", {"draws": 999, "rng": 0})
SIZES, SHARES = (20, 30, 50, 100, 200, 500), (0.5, 0.7, 0.85, 0.95, 0.98)
BALANCED = (((15, 15), 0.8), ((24, 36), 0.988), ((20, 80), 0.75), ((30, 270), 0.8))
AREAS = (((20, 80), 0.7), ((20, 80), 0.9), ((50, 50), 0.8), ((30, 270), 0.95))


@dataclass(frozen=True)
class Risk:
    """One setting: shares of samples in which either claim was made."""

    what: str
    met: float
    not_met: float
    replications: int | None = None  # None where it was enumerated

    @property
    def bar(self) -> float:
        """What a true risk of .025 stays below, by three standard errors of a simulation."""
        error = 0.0 if self.replications is None else np.sqrt(RISK * 0.975 / self.replications)
        return RISK + 3.0 * float(error)


def of_share(n: int, goal: float, interval: Callable[..., object] = clopper_pearson) -> Risk:
    """Exact: over every number of cases that may be right."""
    x = np.arange(n + 1)
    weight = binom.pmf(x, n, goal)
    found = [_verdict(interval(float(k), float(n)), goal) for k in x]
    return Risk(f"share, n = {n}, goal {goal:g}", *_shares(found, weight))


def exact_recalls(right: list[int], sizes: list[int]) -> Interval:
    """What a goal of the balanced accuracy is judged by."""
    found = TwoRecalls(0.0, (0.5, 0.5), (right[0], right[1]), (sizes[0], sizes[1]))
    return Interval(*found.limits(0.95), 0.95, "exact")


def of_balanced(
    sizes: tuple[int, int], goal: float, interval: Callable[..., object] = exact_recalls
) -> Risk:
    """Exact: over every number of right cases in both classes, equally likely to be right."""
    found, weight = [], []
    for first in range(sizes[0] + 1):
        for second in range(sizes[1] + 1):
            chance = binom.pmf(first, sizes[0], goal) * binom.pmf(second, sizes[1], goal)
            if chance > 1e-6:
                found.append(_verdict(interval([first, second], list(sizes)), goal))
                weight.append(chance)
    cases = " + ".join(map(str, sizes))
    return Risk(f"balanced accuracy, {cases}, goal {goal:g}", *_shares(found, np.array(weight)))


def of_area(sizes: tuple[int, int], goal: float, replications: int, seed: int = 1) -> Risk:
    """Normal scores whose area is the goal."""
    apart = np.sqrt(2.0) * norm.ppf(goal)
    outcome = np.repeat([1, 0], sizes)

    def sample(rng: np.random.Generator) -> Binary:
        return Binary(outcome, score=rng.normal(size=sum(sizes)) + apart * outcome)

    cases = " + ".join(map(str, sizes))
    return _simulated(
        f"area under the ROC curve, {cases}, goal {goal:g}", "auc", goal, sample, replications, seed
    )


def calibrated(rng: np.random.Generator, n: int) -> Binary:
    """Cases whose probabilities are right."""
    p = expit(rng.normal(size=n))
    return Binary((rng.random(n) < p).astype(int), probability=p, labels=[0, 1])


def of_brier(n: int, replications: int, seed: int = 1) -> Risk:
    p = expit(np.random.default_rng(0).normal(size=2_000_000))
    goal = float((p * (1 - p)).mean())
    return _simulated(
        f"Brier score, n = {n}, goal {goal:.3f}",
        "brier",
        goal,
        lambda rng: calibrated(rng, n),
        replications,
        seed,
    )


def of_slope(n: int, replications: int, seed: int = 1) -> Risk:
    return _simulated(
        f"calibration slope, n = {n}, goal 1",
        "calibration_slope",
        1.0,
        lambda rng: calibrated(rng, n),
        replications,
        seed,
    )


def _simulated(
    what: str,
    measure: str,
    goal: float,
    sample: Callable[[np.random.Generator], Binary],
    replications: int,
    seed: int,
) -> Risk:
    found, wanted = [], [find(measure)]
    for rng in np.random.default_rng(seed).spawn(replications):
        # what `assess` does, without its tests against chance
        known = Evidence.gather(sample(rng), wanted, SETTINGS, tests=False)
        interval = known.intervals.get(measure)
        found.append("" if interval is None else _verdict(interval, goal, measure))
    return Risk(what, *_shares(found, np.full(replications, 1 / replications)), replications)


def _verdict(interval: object, goal: float, measure: str = "") -> str:
    """What `assess(goals=…)` says of such an interval."""
    low, high = interval.low, interval.high  # type: ignore[attr-defined]
    aim = Goal(measure, high=goal) if measure == "brier" else Goal(measure, low=goal)
    return aim.verdict(low, high)


def _shares(found: list[str], weight: np.ndarray) -> tuple[float, float]:
    made = np.array(found)
    return float(weight[made == MET].sum()), float(weight[made == NOT_MET].sum())


def settings(replications: int) -> Iterator[Risk]:
    """All rows of the table."""
    for n in SIZES:
        each = [of_share(n, goal) for goal in SHARES]
        goals = ", ".join(f"{goal:g}" for goal in SHARES)
        worst = max(row.met for row in each), max(row.not_met for row in each)
        yield Risk(f"share, n = {n}, the worst of goals {goals}", *worst)
    yield from (of_balanced(sizes, goal) for sizes, goal in BALANCED)
    yield from (of_area(sizes, goal, replications) for sizes, goal in AREAS)
    yield from (of_brier(n, replications // 2) for n in (50, 200))
    yield from (of_slope(n, replications // 2) for n in (100, 300))


def table(replications: int, command: str) -> str:
    lines = [
        "# Risk of a wrong verdict on a goal",
        "",
        f"Made by `{command}`. The true value is the goal itself, where the risk is largest; by "
        f"95 % intervals it may be claimed as met, and as not met, in {RISK} of samples each.",
        "",
        "| measure | falsely met | falsely not met | how |",
        "|---|---|---|---|",
    ]
    for row in settings(replications):
        how = "enumerated" if row.replications is None else f"{row.replications} samples"
        lines.append(f"| {row.what} | {row.met:.4f} | {row.not_met:.4f} | {how} |")
    wilsons = [of_share(n, goal, wilson) for n in SIZES for goal in SHARES]
    lines += [
        "",
        "Why shares with a goal have Clopper and Pearson's interval: by Wilson's the worst of "
        f"these goals and sizes would be met falsely in {max(r.met for r in wilsons):.3f} of "
        f"samples and not met falsely in {max(r.not_met for r in wilsons):.3f}.",
    ]
    return "\n".join(lines) + "\n"
