"""Dinga et al., figure 6: power of accuracy against that of the other measures, all tables."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from abovechance.resampling import Store, Workers
from abovechance.studies import PowerStudy
from replications.catalogue import find_studies
from replications.claims import OTHERS
from replications.dinga import SOURCE
from replications.running import reproduce

NAME = "dinga-figure6"
TITLE = "Power against chance of accuracy beside the other measures, over all tables"
SIMULATED = ("dinga-power-simulated", "dinga-power-svm")
DEPARTURES = (
    "a table counts at every size at which the paper drew from it; OASIS white matter diagnosis is "
    "there too, where the paper's figure had grey matter twice",
    "simulated predictions are 0.5 standard deviations apart, as in the paper's code",
)


@dataclass(frozen=True, eq=False)
class Joint:
    """Cells of several studies, a row for each table and size."""

    powers: PowerStudy
    findings: tuple[str, ...]

    def rows(self) -> list[dict[str, Any]]:
        """Table, size and the power of each test."""
        found: dict[tuple[str, int], dict[str, Any]] = {}
        for cell in self.powers.cells:
            table = cell.design.removeprefix("dinga-power-").removeprefix("data-")
            key = (table, cell.n)
            found.setdefault(key, {"table": table, "n": cell.n})[cell.statistic] = cell.power
        return list(found.values())


def joint(
    *,
    data: str | Path | None,
    replications: int | None,
    rng: int,
    workers: Workers,
    store: Store | None,
    progress: Callable[[str], Any],
) -> Joint:
    """All studies against chance with something to be found, one after the other."""
    studies = [one for name in SIMULATED for one in find_studies(name)]
    if data is not None:
        studies += find_studies("dinga-power-data", data)
    done = []
    for study in studies:
        effect = 0.5 if study.name == SIMULATED[0] else max(study.effects)
        with progress(study.name) as tell:
            done.append(
                reproduce(
                    replace(study, effects=(effect,), claims=None),
                    replications=replications,
                    rng=rng,
                    workers=workers,
                    store=store,
                    progress=tell,
                )
            )
    cells = tuple(cell for one in done for cell in one.cells)
    title = f"{NAME}: {TITLE}. {SOURCE}"
    whole = replace(done[0], cells=cells, title=title, findings=(), remarks=DEPARTURES)
    found = Joint(whole, ())
    said = claims(found)
    return Joint(replace(whole, findings=said), said)


def claims(found: Joint) -> tuple[str, ...]:
    """In how many places every other measure has more power, and how much where it matters."""
    rows = found.rows()
    said = []
    for other in OTHERS:
        gaps = np.array([row[other] - row["accuracy"] for row in rows])
        said.append(
            f"{other} has more power than accuracy in {(gaps > 0).sum()} of {len(gaps)} places, "
            f"as much in {(gaps == 0).sum()}, less in {(gaps < 0).sum()}; {gaps.mean():+.3f} on "
            "average."
        )
    near = [row for row in rows if 0.7 <= np.mean([row[o] for o in OTHERS]) <= 0.9]
    if near:
        others = np.mean([[row[o] for o in OTHERS] for row in near])
        accuracy = np.mean([row["accuracy"] for row in near])
        said.append(
            f"Where the others have 70 to 90 % power ({len(near)} places, {others:.0%} on "
            f"average), accuracy has {accuracy:.0%}; the paper says 60 % where they have 80 %."
        )
    return tuple(said)


def figure_of(found: Joint) -> Any:
    """A panel for each measure, its power against that of accuracy, a point for each place."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(OTHERS), figsize=(9, 3.3), sharey=True)
    rows = found.rows()
    for axis, other in zip(axes, OTHERS, strict=True):
        axis.plot([0, 1], [0, 1], color="0.6", linewidth=1)
        for table in dict.fromkeys(row["table"] for row in rows):
            mine = [row for row in rows if row["table"] == table]
            axis.plot([r["accuracy"] for r in mine], [r[other] for r in mine], "o", ms=4)
        axis.set(xlim=(0, 1), ylim=(0, 1), xlabel="Power of accuracy", title=other)
    axes[0].set_ylabel("Power of the other measure")
    figure.tight_layout()
    return figure


def page(found: Joint) -> str:
    """The figure in Markdown, with the command that makes it."""
    powers = found.powers
    names = ("table", "n", "accuracy", *OTHERS)
    return "\n".join(
        [
            f"# {NAME}",
            "",
            f"{TITLE}. {SOURCE}.",
            "",
            f"Made by `abovechance reproduce {NAME} --replications {powers.cells[0].replications} "
            f"--seed {powers.seed} --data DIR`; {powers.draws} draws, level {powers.alpha:g}.",
            "",
            *(f"- {text}" for text in found.findings),
            "",
            "Departures from the paper's text, or from its code:",
            "",
            *(f"- {text}." for text in DEPARTURES),
            "",
            f"![Power of accuracy beside the others]({NAME}.svg)",
            "",
            f"| {' | '.join(names)} |",
            f"|{'---|' * len(names)}",
            *(
                f"| {row['table']} | {row['n']} | "
                + " | ".join(f"{row[name]:.3f}" for name in names[2:])
                + " |"
                for row in found.rows()
            ),
            "",
        ]
    )
