"""Verbs that train models, in settings drawn at random: do the interval of `validate` and the band
of `learning_curve` cover, and do features that say nothing stay out of the stable set?"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import abovechance as ac
from abovechance.inference.stability_selection import most_selected
from statistical import learning_coverage, validation_coverage
from statistical.validation_coverage import Setting

SCREEN, CONFIRM = 40, 300
BAR, ENOUGH = 0.93, 50  # coverage asked for, and cases of a class from which on it is


def drawn(seed: int, index: int) -> Setting:
    """Setting number `index` of a seed: a learner, cases, and features from few to half as many."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,)))
    learner = str(rng.choice(["logistic", "trees", "linear", "Cox"], p=[0.4, 0.2, 0.25, 0.15]))
    n = round(np.exp(rng.uniform(np.log(50), np.log(400))))
    most = 0.25 if learner == "Cox" else 0.5
    return Setting(learner, n, max(2, round(n * np.exp(rng.uniform(np.log(0.02), np.log(most))))))


@dataclass(frozen=True)
class Screened:
    """One measure of a setting: how often its interval was given, and how often it covered."""

    setting: Setting
    measure: str
    given: float
    covers: float
    samples: int

    @property
    def amiss(self) -> bool:
        """Whether it covers less often than it must, beyond its Monte Carlo error."""
        shown = self.given * self.samples
        if shown < 1 or self.setting.n < 3 * ENOUGH:  # a third of the cases are positive
            return False
        return self.covers < BAR - 3.0 * np.sqrt(BAR * (1 - BAR) / shown)


def screen(setting: Setting, samples: int, seed: int) -> Iterator[Screened]:
    """The interval that `validate` shows by default, by every measure."""
    for cell in validation_coverage.cells(setting, samples, seed):
        covers, given = float(cell["covers"]), float(cell["given"])
        yield Screened(setting, str(cell["measure"]), given, covers, samples)


def screen_curve(setting: Setting, samples: int, seed: int) -> Iterator[Screened]:
    """The band of `learning_curve` at sizes that were trained on, and beyond them."""
    for cell in learning_coverage.cells(setting, samples, seed):
        covers, given = float(cell["covers"]), float(cell["given"])
        yield Screened(setting, f"{cell['measure']}, {cell['place']}", given, covers, samples)


def of_curve(seed: int, index: int) -> bool:
    """Whether setting number `index` of a seed is of a learning curve; every fourth is."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index, 2)))
    return bool(rng.random() < 0.25)


def examine(setting: Setting, curve: bool = False) -> dict[str, Any]:
    """All that is known of a setting, as JSON; what looks wrong is looked at with other samples."""
    look = screen_curve if curve else screen
    first = list(look(setting, SCREEN, 1))
    suspects = [row.measure for row in first if row.amiss]
    again = list(look(setting, CONFIRM, 2)) if suspects else []
    verb = "learning_curve" if curve else "validate"
    return {
        "words": f"{verb} {setting.learner}, n={setting.n}, features={setting.features}",
        "intervals": sum(row.given > 0 for row in first),
        "suspects": suspects,
        "findings": [
            {"measure": row.measure, "what": "coverage", "figure": f"{row.covers:.3f}"}
            for row in again
            if row.amiss
        ],
    }


def stable_noise(seed: int, index: int, tables: int) -> dict[str, Any]:
    """Features without any signal, alike to some degree: mean number of stable ones, and bound."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index, 1)))
    n, p = int(rng.integers(40, 121)), int(rng.integers(8, 41))
    alike, pairs = float(rng.choice([0.0, 0.5])), 25
    take = most_selected(p, 1.0, 0.75, pairs)
    from sklearn.feature_selection import SelectKBest, f_classif

    found = []
    for _ in range(tables):
        X = rng.normal(size=(n, p)) + alike * rng.normal(size=(n, 1))
        y = rng.permutation(np.arange(n) % 2)
        chosen = SelectKBest(f_classif, k=take)
        found.append(ac.stability(X, y, selector=chosen, draws=pairs, rng=int(rng.integers(2**31))))
    rows = [one.selectors[0] for one in found]
    stable = np.array([len(row.stable) for row in rows])
    return {"n": n, "features": p, "alike": alike, "stable": stable, "bound": rows[0].bound}
