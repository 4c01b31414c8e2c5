"""The power claim of Dinga et al.: accuracy detects less than AUC, Brier score and log score.

Predictions half a standard deviation apart in logits: experiment A.1, their code's effect size.
"""

import numpy as np

from abovechance.resampling import LabelPermutations, label_sums, p_values

SIZES = (20, 80, 140, 200)
EXACT_ACCURACY = (0.123, 0.539, 0.718, 0.852)  # power of the exact binomial test


def simulate(n: int, replications: int, gap: float = 0.5, draws: int = 499) -> dict[str, float]:
    """Rejection rates at .05 of the exact binomial test and of three permutation tests."""
    from abovechance.inference.significance import binomial
    from abovechance.numerics.ranks import midranks

    rejected = dict.fromkeys(("accuracy", "auc", "brier", "log_score"), 0)
    y = np.arange(n) < n // 2
    for r in range(replications):
        rng = np.random.default_rng(np.random.SeedSequence(4, spawn_key=(n, r)))
        logit = rng.normal(size=n) + np.where(y, gap / 2, -gap / 2)
        p = 1 / (1 + np.exp(-logit))
        right = int(((p > 0.5) == y).sum())
        rejected["accuracy"] += binomial(right, n, 0.5).p_value <= 0.05
        scores = np.stack([midranks(p), p, logit])
        null = label_sums(scores, LabelPermutations(y), rng, draws)
        found = p_values(scores[:, y].sum(axis=1), null)
        for name, value in zip(("auc", "brier", "log_score"), found, strict=True):
            rejected[name] += value <= 0.05
    return {name: count / replications for name, count in rejected.items()}
