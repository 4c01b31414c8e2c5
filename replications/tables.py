"""A replication as a page to keep: what was run, its values, the published ones."""

import re
from collections.abc import Collection, Iterator
from itertools import chain
from pathlib import Path

from abovechance.studies import Cell, PowerStudy
from replications.study import Study

FAR = 3.9
"""Standard errors: further than this is not the same study."""

SURPRISING = 3.0
"""Standard errors that one cell in fifty may be away."""


def distances(powers: PowerStudy, without: Collection[str] = ()) -> list[float]:
    """How far every cell lies from its published value and from theory, in standard errors."""
    pairs = (
        (cell.z if published(cell) else None, cell.theory_z)
        for cell in powers.cells
        if cell.statistic not in without
    )
    return [abs(z) for z in chain.from_iterable(pairs) if z is not None]


def published(cell: Cell) -> bool:
    """Whether the reference is a published value and not a formula's."""
    return bool(cell.reference_se)


def findings(powers: PowerStudy, study: Study) -> tuple[str, ...]:
    """The comparison in sentences: all cells together, every one that misses, and the claims."""
    sentences = [_verdict(distances(powers, study.artefacts)), *_misses(powers, study)]
    return (*sentences, *(study.claims(powers) if study.claims is not None else ()))


def _verdict(far: list[float]) -> str:
    if not far:
        return "No published or known value to compare with."
    return (
        f"{len(far)} comparisons: largest |z| {max(far):.1f}, "
        f"{sum(z > SURPRISING for z in far)} beyond {SURPRISING:g}, "
        f"{sum(z > FAR for z in far)} beyond {FAR:g}."
    )


def _misses(powers: PowerStudy, study: Study) -> Iterator[str]:
    """Cells that are not the paper's, those of artefacts included."""
    artefacts = [c for c in powers.cells if c.statistic in study.artefacts and published(c)]
    if artefacts:
        names = ", ".join(dict.fromkeys(cell.statistic for cell in artefacts))
        far = sum(abs(cell.z or 0.0) > FAR for cell in artefacts)
        yield f"No bar, and not counted: {len(artefacts)} cells of {names}, {far} beyond {FAR:g}."
    for cell in powers.cells:
        if published(cell) and abs(cell.z or 0.0) > FAR:
            yield (
                f"Not met: {cell.statistic} at effect {cell.effect:.3g} and n = {cell.n} is "
                f"{cell.power:.3f} here and {cell.reference:.3f} in the paper (z = {cell.z:+.1f})."
            )


def row(cell: Cell) -> list[str]:
    """A cell as texts: statistic, n, effect, power, se, published, z, theory, z."""
    return [
        cell.statistic,
        str(cell.n),
        f"{cell.effect:.3g}",
        f"{cell.power:.3f}",
        f"{cell.se:.3f}",
        f"{cell.reference:.3f}" if published(cell) else "",
        f"{cell.z:+.1f}" if published(cell) else "",
        "" if cell.theory is None else f"{cell.theory:.3f}",
        "" if cell.theory_z is None else f"{cell.theory_z:+.1f}",
    ]


def page(powers: PowerStudy, study: Study) -> str:
    """The replication in Markdown, with the command that makes it."""
    times = powers.cells[0].replications
    names = list(dict.fromkeys(cell.statistic for cell in powers.cells))
    some = "" if len(names) == len(study.tests) else f" --statistics {','.join(names)}"
    lines = [
        f"# {study.name}",
        "",
        f"{study.title}. {study.source}.",
        "",
        f"Made by `abovechance reproduce {study.name} --replications {times} "
        f"--seed {powers.seed}{some}{study.options}`; {powers.draws} draws, "
        f"level {powers.alpha:g}, digest `{powers.digest}`.",
        f"Published values: {study.reference if study.expected else 'none'}.",
        "",
        *(f"- {text}" for text in powers.findings),
        "",
        "Departures from the paper's text, or from its code:",
        "",
        *(f"- {text}." for text in powers.remarks),
        "",
        f"![Power of each statistic]({study.name}.svg)",
        "",
        f"| statistic | {study.size} | effect | power | se | published | z | theory | z |",
        "|---|---|---|---|---|---|---|---|---|",
        *(f"| {' | '.join(row(cell))} |" for cell in powers.cells),
    ]
    return "\n".join(lines) + "\n"


def contents(folder: Path) -> str:
    """The pages of a folder in one table: what was run, how often, and how near it came."""
    lines = ["| study | replications | came of it |", "|---|---:|---|"]
    for file in sorted(folder.glob("*-*.md")):
        text = file.read_text("utf-8")
        times = re.search(r"--replications (\d+)", text)
        if times is not None:
            before = text.partition("\nDepartures")[0].splitlines()
            bullets = [line.removeprefix("- ") for line in before if line.startswith("- ")]
            came = " ".join(bullets).replace("|", r"\|")
            lines.append(f"| [{file.stem}]({file.name}) | {times[1]} | {came} |")
    return "# Pages\n\n" + "\n".join(lines) + "\n"
