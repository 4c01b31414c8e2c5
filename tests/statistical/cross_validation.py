"""Why pooled cross-validation predictions get no p-value: what the naive tests would do."""

import numpy as np

from abovechance.inference.significance import against_rate, mann_whitney
from abovechance.predictions import Binary


def pooled(rng: np.random.Generator, n: int, p: int, folds: int) -> Binary:
    """Cross-validated scores of a linear classifier on features that mean nothing."""
    X = rng.normal(size=(n, p))
    y = rng.permutation(np.arange(n) < n // 2)
    fold = np.empty(n, dtype=int)
    for label in (False, True):
        at = np.flatnonzero(y == label)
        fold[at] = rng.permutation(np.arange(len(at)) % folds)
    score = np.empty(n)
    for k in range(folds):
        train, test = fold != k, fold == k
        centre1, centre0 = X[train & y].mean(axis=0), X[train & ~y].mean(axis=0)
        direction = centre1 - centre0
        score[test] = (X[test] - (centre1 + centre0) / 2) @ direction
    return Binary(y, score=score, label=score > 0)


def rates(replications: int, n: int, p: int, folds: int) -> tuple[float, float]:
    """Rejection rates at .05 of the binomial and the Mann–Whitney test on pooled folds."""
    binomial = ranks = 0
    for r in range(replications):
        rng = np.random.default_rng(np.random.SeedSequence(3, spawn_key=(n, p, folds, r)))
        made = pooled(rng, n, p, folds)
        binomial += against_rate(made, 0.5).p_value <= 0.05
        ranks += mann_whitney(made).p_value <= 0.05
    return binomial / replications, ranks / replications


def table(replications: int, command: str) -> str:
    lines = [
        "# Naive tests on pooled cross-validation predictions",
        "",
        f"Made by `{command}`. Features carry no signal; level .05, {replications} replications, "
        f"standard error {np.sqrt(0.05 * 0.95 / replications):.4f}.",
        "",
        "| cases | features | folds | exact binomial | Mann–Whitney |",
        "|---|---|---|---|---|",
    ]
    for n, p, folds in ((40, 5, 5), (40, 20, 5), (100, 10, 10), (100, 50, 10), (200, 20, 5)):
        first, second = rates(replications, n, p, folds)
        lines.append(f"| {n} | {p} | {folds} | {first:.4f} | {second:.4f} |")
    return "\n".join(lines) + "\n"
