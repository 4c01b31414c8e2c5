"""Power of two-group and accuracy tests where the papers' figures give it.

Forty cases, 23 features, a shift of e in every one; the papers' rule: 300 permutations, p without
the observed labelling, rejected when at most .05. Figure 5b: balanced 8-fold cross-validation.
"""

from dataclasses import dataclass

import numpy as np

from abovechance.resampling import LabelPermutations, stream
from abovechance.signal import evaluate, find

N, P, DRAWS, ALPHA = 40, 23, 300, 0.05
EFFECTS = (0.0, 0.25, 0.5)
FIGURE_5B = {  # statistic: rejection rates at the three effects, from about 4000 replications
    "hotelling": (0.052, 0.259, 0.885),
    "hotelling_shrink": (0.053, 0.544, 1.000),
    "srivastava_du": (0.056, 0.532, 1.000),
    "lda.cv8": (0.050, 0.213, 0.730),
    "lda.resub": (0.021, 0.125, 0.573),
    "svm.c10.cv8": (0.044, 0.273, 0.896),
    "svm.c0.1.cv8": (0.051, 0.300, 0.920),
    "svm.c10.resub": (0.000, 0.000, 0.000),
    "svm.c0.1.resub": (0.025, 0.198, 0.844),
}
CHEAP = ("hotelling", "hotelling_shrink", "srivastava_du", "lda.cv8", "lda.resub")
PAPER_REPLICATIONS = 4000


@dataclass(frozen=True)
class Cell:
    """A rejection rate beside the paper's."""

    statistic: str
    effect: float
    rate: float
    paper: float
    replications: int

    @property
    def z(self) -> float:
        """Their difference in standard errors, from the pooled rate (x + ½) / (R + 1)."""
        total = self.replications + PAPER_REPLICATIONS
        events = self.rate * self.replications + self.paper * PAPER_REPLICATIONS
        pooled = (events + 0.5) / (total + 1)
        spread = pooled * (1 - pooled) * (1 / self.replications + 1 / PAPER_REPLICATIONS)
        return float((self.rate - self.paper) / np.sqrt(spread))


def simulate(names: tuple[str, ...], effect: float, replications: int) -> list[Cell]:
    """Rejection rates of some statistics at one effect, all on the same data sets."""
    statistics = [find(name) for name in names]
    rejected = np.zeros(len(statistics), dtype=int)
    for r in range(replications):
        rng = stream(int(100 * effect) + 7, r)
        y = rng.permutation(np.arange(N) % 2)
        X = rng.normal(size=(N, P)) + effect * y[:, None]
        drawn = LabelPermutations(y == 1).draw(rng, DRAWS)
        labels = np.vstack([y, drawn]).astype(np.int64)
        values = evaluate(X, labels, statistics, rng)
        slack = 1e-9 * np.ptp(values, axis=0)
        p = (values[1:] >= values[0] - slack).mean(axis=0)
        rejected += p <= ALPHA
    return [
        Cell(
            name, effect, count / replications, FIGURE_5B[name][EFFECTS.index(effect)], replications
        )
        for name, count in zip(names, rejected, strict=True)
    ]


def table(replications: int, command: str) -> str:
    """Figure 5b: ours beside the paper's, cheap statistics with all replications."""
    costly = tuple(name for name in FIGURE_5B if name not in CHEAP)
    cells = []
    for effect in EFFECTS:
        cells += simulate(CHEAP, effect, replications)
        cells += simulate(costly, effect, max(100, replications // 5))
    lines = [
        "# Power of tests of signal: figure 5b of Rosenblatt et al.",
        "",
        f"Made by `{command}`. Forty cases, 23 features, 300 permutations under the paper's rule.",
        "",
        "| statistic | shift | ours | paper | difference in s.e. | replications |",
        "|---|---|---|---|---|---|",
    ]
    for c in sorted(cells, key=lambda c: (list(FIGURE_5B).index(c.statistic), c.effect)):
        lines.append(
            f"| {c.statistic} | {c.effect:g} | {c.rate:.3f} | {c.paper:.3f} | {c.z:+.1f} "
            f"| {c.replications} |"
        )
    return "\n".join(lines) + "\n"
