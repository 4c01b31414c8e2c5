"""A replication as a page to keep: what was run, its values, the published ones."""

from itertools import chain

from abovechance.studies.powering import Cell, PowerStudy
from abovechance.studies.replications.study import Study

FAR = 3.9
"""Standard errors: further than this is not the same study."""

SURPRISING = 3.0
"""Standard errors that one cell in fifty may be away."""


def distances(found: PowerStudy) -> list[float]:
    """How far every cell lies from its published value and from theory, in standard errors."""
    pairs = ((cell.z if published(cell) else None, cell.theory_z) for cell in found.cells)
    return [abs(z) for z in chain.from_iterable(pairs) if z is not None]


def published(cell: Cell) -> bool:
    """Whether the reference is a published value and not a formula's."""
    return bool(cell.reference_se)


def verdict(found: PowerStudy) -> str:
    """The comparison in a sentence."""
    far = distances(found)
    if not far:
        return "No published or known value to compare with."
    return (
        f"{len(far)} comparisons: largest |z| {max(far):.1f}, "
        f"{sum(z > SURPRISING for z in far)} beyond {SURPRISING:g}, "
        f"{sum(z > FAR for z in far)} beyond {FAR:g}."
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


def page(found: PowerStudy, study: Study) -> str:
    """The replication in Markdown, with the command that makes it."""
    times = found.cells[0].replications
    names = list(dict.fromkeys(cell.statistic for cell in found.cells))
    some = "" if len(names) == len(study.tests) else f" --statistics {','.join(names)}"
    lines = [
        f"# {study.name}",
        "",
        f"{study.title}. {study.source}.",
        "",
        f"Made by `abovechance reproduce {study.name} --replications {times} "
        f"--seed {found.seed}{some}`; {found.draws} draws, level {found.alpha:g}, "
        f"digest `{found.digest}`.",
        f"Published values: {study.reference if study.expected else 'none'}. {verdict(found)}",
        "",
        *(f"- {text}." for text in found.remarks),
        "",
        f"| statistic | {study.size} | effect | power | se | published | z | theory | z |",
        "|---|---|---|---|---|---|---|---|---|",
        *(f"| {' | '.join(row(cell))} |" for cell in found.cells),
    ]
    return "\n".join(lines) + "\n"
