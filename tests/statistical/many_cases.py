"""Many cases in closed form: `./run python tests/statistical/many_cases.py --replications 2000`.

How often intervals of survival measures cover that rest on how much each case moves the value
rather than on leaving it out or drawing it anew, and so differences of two models of numbers; and
how often tests of numbers reject that turn one random order, or take a rank statistic as normal.

`--only tests` makes the second table anew and keeps the first.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.inference.contrasts import Resampled
from abovechance.inference.interval_choice import Shared, interval_by_law
from abovechance.inference.permutation import permutation
from abovechance.measures import find
from abovechance.predictions import Numeric, Predictions, Survival
from abovechance.settings import Settings

TABLE = Path(__file__).parent / "tables" / "many_cases.md"
COMMAND = "./run python tests/statistical/many_cases.py --replications {replications}"
SECOND = "## Tests of numbers, and differences of two models"
TRUTH = 400_000  # cases that say what is estimated
Generate = Callable[[np.random.Generator, int, bool], Predictions]


@dataclass(frozen=True)
class Covered:
    """How often an interval contained the true value, and how wide it was on average."""

    measure: str
    setting: str
    n: int
    rate: float
    width: float
    method: str
    replications: int

    @property
    def error(self) -> float:
        return float(np.sqrt(max(self.rate * (1 - self.rate), 1e-6) / self.replications))


def survival(censored: float, wrong: float) -> Generate:
    """Exponential times; curves that are `wrong` by a factor of the hazard's logarithm."""

    def make(rng: np.random.Generator, n: int, whole: bool) -> Predictions:
        x = rng.normal(size=n)
        event, stop = rng.exponential(3.0 * np.exp(-x)), rng.exponential(censored, size=n)
        if whole:
            stop[:] = np.inf
        times = np.array([1.0, 2.0, 3.0])
        curves = np.exp(-times * np.exp(wrong * x + 0.3 * rng.normal(size=n))[:, None] / 3.0)
        return Survival(np.minimum(event, stop), event <= stop, survival=curves, times=times)

    return make


SETTINGS: dict[str, tuple[Generate, tuple[str, ...]]] = {
    f"censored after {scale:g} on average, slope {wrong}": (
        survival(scale, wrong),
        ("auc_at", "brier_at", "integrated_brier"),
    )
    for scale in (6.0, 1.5)
    for wrong in (0.8, 2.0)
}


@cache
def truth(setting: str, measure: str) -> float:
    make, _ = SETTINGS[setting]
    return find(measure).of(make(np.random.default_rng(1), TRUTH, True))


def coverage(setting: str, n: int, replications: int) -> list[Covered]:
    """Of all measures of a setting, on the same samples."""
    make, names = SETTINGS[setting]
    hit, width, method = (dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0), {})
    for seed in range(replications):
        cases = make(np.random.default_rng([n, seed]), n, False)
        for name in names:
            settings = Shared.among(Settings(seed=seed), cases, [find(name)])
            try:
                found = interval_by_law(find(name), cases, settings)
            except NotApplicable:
                continue
            hit[name] += found.low <= truth(setting, name) <= found.high
            width[name] += (found.high - found.low) / replications
            method[name] = found.method
    return [
        Covered(m, setting, n, hit[m] / replications, width[m], method[m], replications)
        for m in names
    ]


def numbers(rng: np.random.Generator, n: int, step: float) -> Numeric:
    """Long-tailed numbers that have nothing to do with each other, rounded for ties."""
    y, x = np.exp(rng.normal(size=(2, n)))
    return Numeric(np.ceil(y / step) * step, np.ceil(x / step) * step)


def level(measure: str, n: int, step: float, replications: int) -> float:
    """How often a test of unrelated numbers has p at most .05."""
    found = (
        permutation(numbers(np.random.default_rng([n, k]), n, step), measure, rng=k).p_value
        for k in range(replications)
    )
    return sum(p <= 0.05 for p in found) / replications


def differences(measure: str, n: int, replications: int) -> float:
    """How often the interval of two equally good models' difference covers 0."""
    covered = 0
    for k in range(replications):
        rng = np.random.default_rng([n, k])
        y = rng.gamma(3.0, size=n)
        first, second = (Numeric(y, y * rng.uniform(0.6, 1.4, size=n)) for _ in range(2))
        found = Resampled(find(measure), first, second, Settings(seed=k)).interval(0.95)
        covered += found.low <= 0.0 <= found.high
    return covered / replications


TESTS = [
    *(("level", name, 1000, 1e-6, 0.05) for name in ("mae", "medae", "pearson")),
    *(("level", "kendall", n, step, 0.05) for n in (201, 1000) for step in (1e-6, 1.0)),
    *(("coverage of a difference", name, 1500, 1e-6, 0.95) for name in ("r2", "spearman")),
]


def tests(replications: int) -> str:
    """The second table."""
    lines = [
        SECOND,
        "",
        "Outcomes and predictions are lognormal and unrelated, distinct or rounded up to whole "
        f"numbers; two equally good models. Made with {replications} replications.",
        "",
        "| figure | measure | cases | ties | found | s.e. | nominal |",
        "|---|---|---|---|---|---|---|",
    ]
    for figure, name, n, step, nominal in TESTS:
        found = (
            level(name, n, step, replications)
            if figure == "level"
            else differences(name, n, replications)
        )
        error = np.sqrt(nominal * (1 - nominal) / replications)
        ties = "whole numbers" if step == 1.0 else "none"
        lines.append(
            f"| {figure} | {name} | {n} | {ties} | {found:.3f} | {error:.3f} | {nominal} |"
        )
    return "\n".join(lines) + "\n"


def table(replications: int) -> str:
    lines = [
        "# Many cases in closed form",
        "",
        f"Made by `{COMMAND.format(replications=replications)}`. The true value is that of "
        f"{TRUTH:,} uncensored cases; a right 95 % interval covers 0.95.",
        "",
        "| measure | setting | cases | coverage | s.e. | width | interval | replications |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for setting in SETTINGS:
        for n in (300, 1500):
            lines += [
                f"| {c.measure} | {c.setting} | {c.n} | {c.rate:.3f} | {c.error:.3f} "
                f"| {c.width:.3f} | {c.method} | {c.replications} |"
                for c in coverage(setting, n, replications)
            ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])  # not this folder: numba would import coverage.py
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--replications", type=int, default=2000)
    asked.add_argument("--only", choices=["tests"])
    given = asked.parse_args()
    if given.only:
        first = TABLE.read_text("utf-8").split(SECOND)[0].rstrip() + "\n"
    else:
        first = table(given.replications)
    TABLE.write_text(f"{first}\n{tests(given.replications)}", "utf-8")
