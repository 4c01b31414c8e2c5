"""Run a published study and put its values beside the paper's."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

import abovechance as ac
from abovechance.errors import AboveChanceError, did_you_mean
from abovechance.resampling import Executor, Store, Workers
from abovechance.studies import Cell, PowerStudy
from replications.catalogue import find_study
from replications.study import Study
from replications.tables import findings


def reproduce(
    study: Study | str,
    *,
    replications: int | None = None,
    statistics: Sequence[str] | None = None,
    rng: int | np.random.Generator | None = 0,
    workers: Workers = 1,
    executor: Executor | None = None,
    store: Store | str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> PowerStudy:
    """Simulate a published study again, at the paper's settings.

    A cell's `reference` is the paper's value where there is one, otherwise the formula's; `z` is
    the difference in standard errors of both. `theory` is the formula's value in any case. The
    bar: no cell further than 3.9 standard errors away, and at most 2 % further than 3.

    Parameters
    ----------
    study
        A study, or its name.
    replications
        Samples in every setting; without, a number that takes minutes.
    statistics
        Only these of the paper's names.
    rng, workers, executor, store, progress
        As in `abovechance.power`.

    Returns
    -------
    PowerStudy
        The cells under the paper's names, with `remarks` on departures from the paper and
        `findings` of the comparison.

    Raises
    ------
    AboveChanceError
        If no study, or no statistic of the study, has that name.

    Examples
    --------
    >>> done = reproduce("rosenblatt-fig5b", statistics=["sd"], replications=40)
    >>> [cell.reference for cell in done.cells]
    [0.056, 0.532, 1.0]
    """
    chosen = find_study(study) if isinstance(study, str) else study
    simulated = ac.power(
        chosen.design,
        _tests(chosen, statistics),
        settings=[(n, effect) for effect in chosen.effects for n in chosen.n],
        replications=chosen.replications if replications is None else replications,
        draws=chosen.draws,
        rule=chosen.rule,
        rng=rng,
        workers=workers,
        executor=executor,
        store=store,
        progress=progress,
    )
    done = PowerStudy(
        cells=tuple(_beside(cell, chosen) for cell in simulated.cells),
        alpha=simulated.alpha,
        draws=simulated.draws,
        seed=simulated.seed,
        digest=simulated.digest,
        title=f"{chosen.name}: {chosen.title}. {chosen.source}",
        remarks=chosen.departures,
    )
    return replace(done, findings=findings(done, chosen))


def _tests(study: Study, statistics: Sequence[str] | None) -> dict[str, str]:
    """The tests of a study, or some of them, by the paper's names."""
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
    """The cell under the study's name and with the paper's value beside it, if there is one."""
    # The paper's names stand for tests and settings, so ours are left out.
    plain = replace(cell, design=study.name, title=None, alternative=None, setting=None)
    published = study.expected.get((cell.statistic, cell.n, cell.effect))
    if published is None:
        return replace(plain, theory=cell.reference, theory_z=cell.z)
    return plain.beside(published.power, published.runs, study.reference)
