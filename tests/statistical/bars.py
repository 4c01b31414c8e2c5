"""The bars that a correct build passes: how far a simulated rate may lie from its level."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

ALPHA = 0.05
FAMILY = 0.001  # probability that any cell of a correct build fails


@dataclass(frozen=True)
class Cell:
    """Rejections of a test under its own null hypothesis in one setting."""

    test: str
    setting: str
    rejected: int
    randomised: int | None
    replications: int

    @property
    def rate(self) -> float:
        return self.rejected / self.replications

    @property
    def randomised_rate(self) -> float | None:
        return None if self.randomised is None else self.randomised / self.replications


def rejections(
    test: str, setting: str, weak: Sequence[float], strict: Sequence[float] | None, seed: int
) -> Cell:
    """Count p-values at most alpha, as they are and randomised between ties."""
    p = np.asarray(weak)
    randomised = None
    if strict is not None:
        uniform = np.random.default_rng(seed).random(len(p))
        lower = np.asarray(strict)
        randomised = int((lower + uniform * (p - lower) <= ALPHA).sum())
    return Cell(test, setting, int((p <= ALPHA).sum()), randomised, len(p))


def too_many(cell: Cell, cells: int) -> bool:
    """More rejections than a test of level alpha has, Bonferroni over all cells."""
    return cell.rejected > binom.isf(FAMILY / cells, cell.replications, ALPHA)


def off_level(cell: Cell, cells: int) -> bool:
    """The randomised p-value is exactly uniform, so both sides count."""
    if cell.randomised is None:
        return False
    tail = FAMILY / cells / 2
    low = binom.ppf(tail, cell.replications, ALPHA)
    high = binom.isf(tail, cell.replications, ALPHA)
    return not low <= cell.randomised <= high


def type_one_table(cells: Sequence[Cell], command: str) -> str:
    """The cells as a table with the command that made it."""
    lines = [
        f"Made by `{command}`. Level {ALPHA}; standard error of a rate near it: "
        f"{np.sqrt(ALPHA * (1 - ALPHA) / cells[0].replications):.4f} at "
        f"{cells[0].replications} replications.",
        "",
        "| test | setting | rejection rate | randomised | replications |",
        "|---|---|---|---|---|",
    ]
    for c in cells:
        randomised = "" if c.randomised_rate is None else f"{c.randomised_rate:.4f}"
        lines.append(f"| {c.test} | {c.setting} | {c.rate:.4f} | {randomised} | {c.replications} |")
    return "\n".join(lines) + "\n"


def rows(page: str) -> list[dict[str, str]]:
    """The rows of every table on a page, by the headings of their columns."""
    found: list[dict[str, str]] = []
    heading: list[str] = []
    for line in page.splitlines():
        cells = [c.strip() for c in line.strip().removeprefix("|").removesuffix("|").split("|")]
        if not line.startswith("|"):
            heading = []
        elif not heading:
            heading = cells
        elif set(line) - set("|-"):
            found.append(dict(zip(heading, cells, strict=True)))
    return found


def cells_of(page: str) -> dict[tuple[str, str], Cell]:
    """The cells that such a table was made of, by test and setting."""
    found = {}
    for row in rows(page):
        count, randomised = int(row["replications"]), row["randomised"]
        found[row["test"], row["setting"]] = Cell(
            row["test"],
            row["setting"],
            round(float(row["rejection rate"]) * count),
            round(float(randomised) * count) if randomised else None,
            count,
        )
    return found
