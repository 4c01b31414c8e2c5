"""What common habits do: the harm that docs/what-not-to-do.md states, simulated.

Classifiers here are linear and fitted in closed form, so that thousands of studies take seconds.
"""

import argparse
from pathlib import Path

import numpy as np
from scipy.stats import binom, f, norm

from abovechance.numerics.ranks import delong

TABLE = Path(__file__).parent / "tables/habits.md"
HALF = 1.2  # distance of the class means, in standard deviations, along one of the features


def stream(*key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(14, spawn_key=key))


def folded(
    rng: np.random.Generator, n: int, p: int, folds: int, repeats: int
) -> tuple[np.ndarray, float]:
    """Accuracies of a nearest-mean classifier fold by fold, and their true mean on new cases."""
    y = np.arange(n) % 2 == 1
    X = rng.normal(size=(n, p))
    X[y, 0] += HALF
    middle = np.zeros(p)
    middle[0] = HALF / 2
    seen, true = [], []
    for _ in range(repeats):
        fold = np.empty(n, dtype=int)
        for label in (False, True):
            fold[y == label] = rng.permutation(np.arange((y == label).sum()) % folds)
        for k in range(folds):
            train, test = fold != k, fold == k
            one, none = X[train & y].mean(axis=0), X[train & ~y].mean(axis=0)
            direction, cut = one - none, (one + none) / 2
            seen.append(np.mean(((X[test] - cut) @ direction > 0) == y[test]))
            length = np.sqrt(direction @ direction)
            # the share of new cases of either class on its own side of the plane
            away = (cut - middle) @ direction / length
            half = HALF / 2 * direction[0] / length
            true.append((norm.cdf(half - away) + norm.cdf(half + away)) / 2)
    return np.array(seen), float(np.mean(true))


def over_folds(replications: int, n: int, p: int, folds: int, repeats: int) -> tuple[float, float]:
    """Mean standard deviation over folds; coverage of the mean ± 1.96 s.d./√(number of folds).

    The target is the expected accuracy of the learner on new cases, trained on as many.
    """
    found = [
        folded(stream(1, n, folds, repeats, r), n, p, folds, repeats) for r in range(replications)
    ]
    target = np.mean([true for _, true in found])
    spread = np.array([seen.std(ddof=1) for seen, _ in found])
    centre = np.array([seen.mean() for seen, _ in found])
    half = 1.96 * spread / np.sqrt(folds * repeats)
    return float(spread.mean()), float(np.mean(np.abs(centre - target) <= half))


def useless(replications: int, n: int, prevalence: float) -> tuple[float, float]:
    """A model that has learned only how common the classes are, on cases without any signal.

    Its mean accuracy, and how often a binomial test finds it better than one half.
    """
    rng = stream(2, n, round(100 * prevalence))
    positive = rng.random((replications, n)) < prevalence
    score = rng.normal(size=(replications, n)) * 0.2 + np.log(prevalence / (1 - prevalence))
    right = ((score > 0) == positive).sum(axis=1)
    return float(np.mean(right / n)), float(np.mean(binom.sf(right - 1, n, 0.5) <= 0.05))


def nested(replications: int, n: int, gain: float) -> tuple[float, float]:
    """How often a marker added to a model is found: by DeLong's test, and by the F test of it.

    Both models are linear discriminants (as least squares fits them), judged on the cases that they
    were fitted to, as is common.
    """
    found = np.zeros(2)
    for r in range(replications):
        rng = stream(3, n, round(100 * gain), r)
        y = np.arange(n) < n // 2
        X = rng.normal(size=(n, 3))
        X[y] += [0.8, 0.5, gain]
        design = np.column_stack([np.ones(n), X])
        fits = []
        for columns in (3, 4):
            part = design[:, :columns]
            fits.append(part @ np.linalg.lstsq(part, y.astype(float), rcond=None)[0])
        small, large = (float(((y - fit) ** 2).sum()) for fit in fits)
        ratio = (small - large) / (large / (n - 4))
        areas = delong(np.stack(fits), y)
        variance = areas.covariance[0, 0] + areas.covariance[1, 1] - 2 * areas.covariance[0, 1]
        z = (areas.values[1] - areas.values[0]) / np.sqrt(max(variance, 1e-300))
        found += [2 * norm.sf(abs(z)) <= 0.05, f.sf(ratio, 1, n - 4) <= 0.05]
    return float(found[0] / replications), float(found[1] / replications)


def table(replications: int) -> str:
    command = f"./run python tests/statistical/habits.py --replications {replications}"
    parts = [
        "# What common habits do",
        "",
        f"Made by `{command}`.",
        "",
        "## Standard deviations over folds",
        "",
        "A nearest-mean classifier of ten features; the true value is its expected accuracy on new "
        "cases. A right 95 % interval covers 0.95.",
        "",
        "| cases | folds | mean s.d. over folds | coverage of mean ± 1.96 s.d./√folds |",
        "|---|---|---|---|",
    ]
    for n, folds, repeats in ((100, 5, 1), (100, 10, 1), (100, 20, 1), (100, 10, 10)):
        spread, covered = over_folds(replications, n, 10, folds, repeats)
        called = f"{repeats} × {folds}" if repeats > 1 else f"{folds}"
        parts.append(f"| {n} | {called} | {spread:.3f} | {covered:.3f} |")
    parts += [
        "",
        "## Accuracy against one half when classes are unequal",
        "",
        "A model that knows how common the classes are and nothing else; binomial test at level "
        ".05.",
        "",
        "| cases | positive | mean accuracy | found better than one half |",
        "|---|---|---|---|",
    ]
    for n, prevalence in ((100, 0.5), (100, 0.3), (100, 0.1)):
        mean, rejected = useless(replications, n, prevalence)
        parts.append(f"| {n} | {prevalence} | {mean:.3f} | {rejected:.3f} |")
    parts += [
        "",
        "## DeLong's test of nested models",
        "",
        "A marker is added to a linear discriminant of two others; both are judged on the cases "
        "that they were fitted to; level .05.",
        "",
        "| cases | marker | DeLong finds it | F test of the marker finds it |",
        "|---|---|---|---|",
    ]
    for n, gain in ((200, 0.0), (200, 0.4)):
        areas, ratio = nested(replications, n, gain)
        called = f"{gain} s.d. apart" if gain else "useless"
        parts.append(f"| {n} | {called} | {areas:.3f} | {ratio:.3f} |")
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--replications", type=int, default=1000)
    TABLE.write_text(table(asked.parse_args().replications), "utf-8")
