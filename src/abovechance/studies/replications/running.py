"""Run a published study and put its values beside the paper's."""

from dataclasses import replace

import numpy as np

from abovechance.resampling import Executor, Store, Workers, digest, seed_of
from abovechance.resampling.replicate import Progress
from abovechance.studies.powering import (
    Budget,
    Cell,
    PowerStudy,
    Replications,
    cell_of,
    distance,
)
from abovechance.studies.questions import rejects
from abovechance.studies.replications.catalogue import find_study
from abovechance.studies.replications.study import Expected, Study
from abovechance.studies.replications.tables import findings


def reproduce(
    study: Study | str,
    *,
    replications: int | None = None,
    statistics: list[str] | None = None,
    rng: int | np.random.Generator | None = 0,
    workers: Workers = 1,
    executor: Executor | None = None,
    store: Store | str | None = None,
    progress: Progress | None = None,
) -> PowerStudy:
    """Simulate a published study again, at the paper's settings.

    A cell's `reference` is the paper's value where there is one, otherwise the formula's; `z` is
    the difference in standard errors of both. `theory` is the formula's value in any case. The
    bar: no cell further than 3.9 standard errors away, and at most 2 % further than 3.

    Parameters
    ----------
    replications
        Samples in every setting; without, a number that takes minutes.
    statistics
        Only these of the paper's names.

    Examples
    --------
    >>> found = reproduce("rosenblatt-fig5b", statistics=["sd"], replications=40)
    >>> [cell.reference for cell in found.cells]
    [0.056, 0.532, 1.0]
    """
    asked = find_study(study) if isinstance(study, str) else study
    tests = _chosen(asked, statistics)
    budget = Budget(
        replications=asked.replications if replications is None else replications,
        draws=asked.draws,
        seed=seed_of(rng),
        rule=asked.rule,
        workers=workers,
        executor=executor,
        store=store,
        progress=progress,
    )
    settings = tuple((n, effect) for effect in asked.effects for n in asked.n)
    work = Replications(asked.design, tuple(tests.values()), settings, asked.draws, asked.rule)
    found = budget.p_values(work)
    rejected = np.sum(rejects(found, budget.alpha), axis=0)
    cells = [
        _beside(cell_of(asked.design, test, setting, int(rejected[i, j]), budget, name), asked)
        for i, setting in enumerate(settings)
        for j, (name, test) in enumerate(tests.items())
    ]
    done = PowerStudy(
        cells=tuple(cells),
        alpha=budget.alpha,
        draws=asked.draws,
        seed=budget.seed,
        digest=digest(found),
        title=f"{asked.name}: {asked.title}. {asked.source}",
        remarks=asked.departures,
    )
    return replace(done, findings=findings(done, asked))


def _chosen(study: Study, statistics: list[str] | None) -> dict[str, str]:
    from abovechance.errors import AboveChanceError, did_you_mean

    if statistics is None:
        return dict(study.tests)
    if not statistics:
        raise AboveChanceError(f"statistics must name one of {', '.join(study.tests)}; got none.")
    for name in statistics:
        if name not in study.tests:
            close = did_you_mean(name, study.tests) or f"; it has {', '.join(study.tests)}."
            raise AboveChanceError(f"{study.name} has no statistic {name!r}{close}")
    return {name: study.tests[name] for name in statistics}


def _beside(cell: Cell, study: Study) -> Cell:
    """The cell with the paper's value as its reference."""
    theory = {"theory": cell.reference, "theory_z": cell.z}
    expected: Expected | None = study.expected.get((cell.statistic, cell.n, cell.effect))
    if expected is None:
        return replace(cell, design=study.name, **theory)  # type: ignore[arg-type]
    rejected = round(cell.power * cell.replications)
    rate = (expected.power * expected.runs + 0.5) / (expected.runs + 1)
    return replace(
        cell,
        design=study.name,
        reference=expected.power,
        reference_se=float(np.sqrt(rate * (1 - rate) / expected.runs)),
        reference_method=study.reference,
        z=distance(rejected, cell.replications, expected.power, expected.runs),
        **theory,  # type: ignore[arg-type]
    )
