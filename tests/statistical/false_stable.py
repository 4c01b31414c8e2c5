"""How many features are stable when none says anything, beside the bound on false selections.

Outcomes are independent of all features, so every stable feature is false. One false selection is
allowed on average, as by default; tables with more are counted.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.feature_selection import SelectKBest, f_classif

import abovechance as ac
from abovechance.inference.stability_selection import most_selected

PAIRS, CUTOFF, ERRORS = 50, 0.75, 1.0


@dataclass(frozen=True)
class Setting:
    """Noise features, and what selects among them; `alike` is the correlation of neighbours."""

    what: str
    n: int
    features: int
    measures: tuple[str, ...] = ()
    alike: float = 0.0

    @property
    def take(self) -> int:
        """How many features each half may select."""
        return most_selected(self.features, ERRORS, CUTOFF, PAIRS)


SETTINGS = (
    Setting("forward selection", 60, 8, ("accuracy", "log_score")),
    Setting("SelectKBest", 100, 40),
    Setting("SelectKBest, neighbours alike", 60, 100, alike=0.5),
)


@dataclass(frozen=True)
class Found:
    """One way to select in one setting: stable features of every run, and their bounds."""

    setting: Setting
    selector: str
    bounds: dict[str, float]
    stable: np.ndarray

    @property
    def within(self) -> float:
        """Share of tables with no more stable features than were allowed."""
        return float((self.stable <= ERRORS).mean())


def noise(setting: Setting, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian features, neighbours correlated, and half of the cases positive at random."""
    X = rng.normal(size=(setting.n, setting.features))
    for j in range(1, setting.features):
        X[:, j] = setting.alike * X[:, j - 1] + np.sqrt(1 - setting.alike**2) * X[:, j]
    return X, rng.permutation(np.arange(setting.n) % 2)


def simulate(setting: Setting, runs: int, seed: int = 0) -> list[Found]:
    """Stable features of so many tables of noise."""
    stable: dict[str, list[int]] = {}
    bounds: dict[str, dict[str, float]] = {}
    for run in range(runs):
        X, y = noise(setting, np.random.default_rng([seed, run]))
        asked = {"draws": PAIRS, "rng": run}
        if setting.measures:
            found = ac.stability(X, y, measure=setting.measures, steps=setting.take, **asked)
        else:
            found = ac.stability(X, y, selector=SelectKBest(f_classif, k=setting.take), **asked)
        for row in found.selectors:
            stable.setdefault(row.selector, []).append(len(row.stable))
            bounds[row.selector] = dict(row.bounds)
    return [Found(setting, name, bounds[name], np.array(of)) for name, of in stable.items()]


def table(runs: int, command: str) -> str:
    """All settings in Markdown."""
    lines = [
        "# Stable features among noise",
        "",
        f"Made by `{command}`. Features are independent of the outcome, so every stable one is "
        f"false; cut-off {CUTOFF:g}, {PAIRS} pairs of halves, {runs} tables of noise in every "
        "setting. Each half selects as many features as the unimodal bound allows for 1 false "
        "selection on average. Within: share of tables with at most 1 stable feature; none: with "
        "none. The bounds are on the mean.",
        "",
        "| selection | cases | features | per half | by | mean stable | within | none | bound, "
        "no assumption | unimodal | r-concave |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for setting in SETTINGS:
        for one in simulate(setting, runs):
            bounds = " | ".join(f"{value:.3f}" for value in one.bounds.values())
            lines.append(
                f"| {setting.what} | {setting.n} | {setting.features} | {setting.take} | "
                f"{one.selector} | {one.stable.mean():.3f} | {one.within:.3f} | "
                f"{(one.stable == 0).mean():.3f} | {bounds} |"
            )
    return "\n".join(lines) + "\n"
