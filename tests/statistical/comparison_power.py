"""The comparison claim of Dinga et al.: accuracy finds an improvement last, then the area.

Experiment B.1: two models share most of their signal, the second is better by a little.
"""

from collections.abc import Sequence

import numpy as np

from abovechance.inference.law_contrasts import ModelFamily
from abovechance.measures import find
from abovechance.predictions import Binary
from abovechance.resampling import Settings

MEASURES = ("accuracy", "auc", "brier", "log_score")
SIZES = (20, 120, 220, 320, 420)  # cases of each class
# Found independently with 300 replications, DeLong's test with the normal reference.
INDEPENDENT = {
    20: (0.000, 0.120, 0.277, 0.320),
    120: (0.117, 0.917, 0.950, 0.950),
    220: (0.250, 0.990, 0.990, 0.990),
    320: (0.423, 1.0, 1.0, 1.0),
    420: (0.503, 1.0, 1.0, 1.0),
}


def models(rng: np.random.Generator, size: int, gain: float = 0.05) -> list[Binary]:
    """A = logistic(L + e) and B = logistic(L − e ± gain) with L ~ N(±½, 1), e ~ N(0, 0.1)."""
    y = np.arange(2 * size) < size
    side = np.where(y, 1.0, -1.0)
    latent, noise = rng.normal(size=2 * size) + side / 2, 0.1 * rng.normal(size=2 * size)
    logits = (latent + noise, latent - noise + gain * side)
    return [Binary(y, probability=1 / (1 + np.exp(-x))) for x in logits]


def simulate(
    size: int, replications: int, gain: float = 0.05, draws: int = 999
) -> dict[str, float]:
    """How often each measure's own comparison finds a difference at .05."""
    rejected = dict.fromkeys(MEASURES, 0)
    for r in range(replications):
        rng = np.random.default_rng(np.random.SeedSequence(41, spawn_key=(size, r)))
        pair = models(rng, size, gain)
        how = Settings(draws=draws, seed=int(rng.integers(2**53)))
        for name in MEASURES:
            test = ModelFamily(find(name), pair, how).contrast(0, 1).test("two-sided").test
            rejected[name] += test.p_value <= 0.05
    return {name: count / replications for name, count in rejected.items()}


def table(replications: int, command: str, sizes: Sequence[int] = SIZES) -> str:
    """Power and level by the size of each class."""
    lines = [
        "# Power to detect a small improvement",
        "",
        f"Made by `{command}`. Experiment B.1 of Dinga et al.; standard error at most "
        f"{0.5 / np.sqrt(replications):.3f}. In brackets values found independently, where the "
        "area is tested with DeLong's normal reference at every size.",
        "",
        "| cases of each class | accuracy | AUC | Brier score | log score |",
        "|---|---|---|---|---|",
    ]
    for size in sizes:
        found = simulate(size, replications)
        cells = (
            f"{found[name]:.3f} ({other:.3f})"
            for name, other in zip(MEASURES, INDEPENDENT[size], strict=True)
        )
        lines.append(f"| {size} | {' | '.join(cells)} |")
    lines += ["", "No improvement:", "", *lines[4:6]]
    for size in (20, 220):
        found = simulate(size, replications, gain=0.0)
        lines.append(f"| {size} | {' | '.join(f'{found[name]:.3f}' for name in MEASURES)} |")
    return "\n".join(lines) + "\n"


def near(found: float, other: float, replications: int, limit: float = 3.9) -> bool:
    """Whether two shares differ by no more than chance, the other from 300 replications."""
    pooled = (found * replications + other * 300 + 0.5) / (replications + 301)
    error = np.sqrt(pooled * (1 - pooled) * (1 / replications + 1 / 300))
    return bool(abs(found - other) <= limit * error)
