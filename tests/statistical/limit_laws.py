"""Laws that stand for draws among many cases, under their own null hypotheses.

`./run python tests/statistical/limit_laws.py --replications 20000` writes the table. Outcomes are
shuffled among the cases, each time all of them, and the p-value is that of the law; or they are
simulated from the probabilities, each case by itself, and the p-value is among outcomes drawn in
cells. Settings are of the fewest cases that the laws are used for, and of the rarest positives.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])  # not this folder: numba would import coverage.py

import numpy as np
from scipy.stats import binom

from abovechance.inference.miscalibration import _Condensed, _Simulated
from abovechance.inference.permutation import label_scores, permuted, scheme_for
from abovechance.measures import find
from abovechance.measures.sample import Sample
from abovechance.numerics.shuffles import of_sum
from abovechance.predictions import Binary

TABLE = Path(__file__).parent / "tables" / "limit_laws.md"
COMMAND = "./run python tests/statistical/limit_laws.py --replications {replications}"
LEVELS = (0.05, 0.01, 0.001)
SUMS, RANKS = ("brier", "log_score"), ("average_precision", "partial_auc", "ks")
DISTANCES = ("ece", "mce", "hosmer_lemeshow", "ici", "e90", "emax")
CELL_DRAWS = 39_999
AT_ONCE = 250


@dataclass(frozen=True)
class Setting:
    """Cases, the share of positives, how probabilities spread, and to how many digits."""

    n: int
    share: float
    spread: float = 1.0
    digits: int | None = None

    def __str__(self) -> str:
        rounded = "" if self.digits is None else f", probabilities of {self.digits} digits"
        return f"{self.n} cases, {self.share:g} positive, log odds' s.d. {self.spread:g}{rounded}"

    def cases(self, seed: int = 0) -> Binary:
        rng = np.random.default_rng(seed)
        odds = np.log(self.share / (1 - self.share)) + self.spread * rng.normal(size=self.n)
        p = 1.0 / (1.0 + np.exp(-odds))
        p = p if self.digits is None else np.clip(np.round(p, self.digits), 0.01, 0.99)
        positive = np.arange(self.n) < round(self.share * self.n)
        return Binary(rng.permutation(positive), probability=p)


SHUFFLED = (
    Setting(10_000, 0.5),
    Setting(10_000, 0.3, 2.0),
    Setting(10_000, 0.1),
    Setting(10_000, 0.03),
    Setting(10_000, 0.3, digits=2),
    Setting(50_000, 0.01),
)
SIMULATED = (
    Setting(5_000, 0.5),
    Setting(5_000, 0.3, 3.0),
    Setting(5_000, 0.03),
    Setting(5_000, 0.5, 0.02),
    Setting(5_000, 0.3, digits=2),
    Setting(20_000, 0.005),
)


@dataclass(frozen=True)
class Row:
    """How often p was at most each level, of outcomes that the hypothesis holds for."""

    measure: str
    setting: str
    rejected: tuple[int, ...]
    replications: int

    @property
    def within(self) -> bool:
        """No more than a test of each level has, Bonferroni over all cells at 99.9 %."""
        cells = len(LEVELS) * (len(SHUFFLED) * 5 + len(SIMULATED) * len(DISTANCES))
        return all(
            count <= binom.isf(0.001 / cells, self.replications, level)
            for count, level in zip(self.rejected, LEVELS, strict=True)
        )


def shuffled(setting: Setting, replications: int, seed: int = 1) -> Iterator[Row]:
    """Laws of sums and ranks where outcomes are shuffled among all cases."""
    cases = setting.cases()
    positives, ranked = int(cases.positive.sum()), Sample.of(cases).ranked
    laws = {}
    for name in SUMS:
        score = label_scores(cases, [find(name).label_score])[0]
        law = of_sum(score, positives)
        if law is not None:
            laws[name] = law, score
    for name in RANKS:
        measure = find(name)
        sizes = ranked.positives + ranked.negatives
        law = measure.shuffled_limit(sizes, positives, **measure.parameters)
        if law is not None:
            laws[name] = law, None
    found: dict[str, list[float]] = {name: [] for name in laws}
    scheme, _ = scheme_for(cases)
    by_rank = [find(name) for name in laws if name in RANKS]
    for block in range(-(-replications // AT_ONCE)):
        labels = scheme.draw(np.random.default_rng([seed, block]), AT_ONCE)
        values = permuted(by_rank, cases, labels) if by_rank else {}
        for name, (law, score) in laws.items():
            drawn = values[name] if score is None else labels @ score
            found[name] += [law.tail(value) for value in drawn]
    for name, p in found.items():
        yield _row(name, setting, np.array(p[:replications]))


def simulated(setting: Setting, replications: int, seed: int = 1) -> Iterator[Row]:
    """Calibration errors of outcomes simulated case by case, among those drawn in cells."""
    cases = setting.cases()
    work = _Simulated(cases, tuple(find(name) for name in DISTANCES))
    inside = _Condensed.of(work)
    null = inside(np.random.default_rng([seed, 0]), CELL_DRAWS)
    parts = [
        work(np.random.default_rng([seed, k]), AT_ONCE)
        for k in range(1, 1 + -(-replications // AT_ONCE))
    ]
    for name in DISTANCES:
        values = np.concatenate([part[name] for part in parts])[:replications]
        ordered = np.sort(null[name])
        above = CELL_DRAWS - np.searchsorted(ordered, values * (1.0 - 1e-9))
        yield _row(name, setting, (above + 1) / (CELL_DRAWS + 1))


def _row(name: str, setting: Setting, p: np.ndarray) -> Row:
    return Row(name, str(setting), tuple(int((p <= x).sum()) for x in LEVELS), len(p))


def table(rows: list[Row]) -> str:
    replications = rows[0].replications
    lines = [
        "# Laws that stand for draws among many cases",
        "",
        f"Made by `{COMMAND.format(replications=replications)}`. Share of p-values at most each "
        "level where the hypothesis holds. Sums and ranks: outcomes shuffled among all cases, p by "
        "the law that `assess` takes from 10 000 cases on; a measure that is missing in a setting "
        "is drawn there, for the law would be too skewed or scores too often equal. Calibration: "
        "outcomes simulated case by case, p among outcomes drawn in cells of nearly equal "
        "probability, which `assess` does from 5 000 cases on.",
        "",
        f"| measure | setting | {' | '.join(f'{x:g}' for x in LEVELS)} | replications |",
        f"|---|---|{'---|' * len(LEVELS)}---|",
    ]
    for row in rows:
        rates = " | ".join(f"{count / row.replications:.4f}" for count in row.rejected)
        lines.append(f"| {row.measure} | {row.setting} | {rates} | {row.replications} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=20_000)
    replications = parser.parse_args().replications
    rows = [row for one in SHUFFLED for row in shuffled(one, replications)]
    rows += [row for one in SIMULATED for row in simulated(one, replications)]
    TABLE.write_text(table(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
