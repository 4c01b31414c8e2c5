"""Reading cases of a stream as often as a summary of them needs."""

from collections.abc import Callable
from typing import Any

import numpy as np

from abovechance.errors import DataError
from abovechance.io.streamed_cases import Progress, StreamCases
from abovechance.measures.summary import BinarySummary, Summarised
from abovechance.numerics.binned_ranks import (
    BUFFER,
    UNIT,
    Collector,
    Grid,
    RankTotals,
    Splitter,
    Stretches,
    collectable,
    heaviest,
    unsettled,
)

BOUND = 1e-6  # by how much the area under the ROC curve may be off
MOST_READINGS = 8  # to make the cells finer
NO_CASE = "there must be at least one complete case; there is none."


class Readings:
    """Readings of the same rows one after another, as one progress."""

    def __init__(self, progress: Progress | None, planned: int = 1) -> None:
        self._progress = progress
        self._begun = 0
        self.planned = planned

    def next(self) -> Progress | None:
        """The progress of one more reading."""
        before, self._begun = self._begun, self._begun + 1
        progress = self._progress
        if progress is None:
            return None

        def tell(done: int, rows: int) -> None:
            progress(before * rows + done, max(self.planned, self._begun) * rows)

        return tell


def summarised(
    cases: StreamCases,
    *,
    threshold: float | None = None,
    exact: bool = False,
    bound: float = BOUND,
    buffer: int = BUFFER,
    progress: Progress | None = None,
) -> Summarised:
    """The summary of cases, read as often as ranks need to be known to within a bound."""
    readings = Readings(progress, 1 if cases.probabilities else 2)
    grid = UNIT
    if not cases.probabilities:
        low, high = cases.extremes(readings.next())
        if low > high:
            raise DataError(NO_CASE)
        grid = Grid.over(low, high)
    if threshold is None and cases.probabilities:
        threshold = 0.5
    summary = BinarySummary.gather(
        cases.read(readings.next()),
        threshold=threshold,
        grid=grid,
        probabilities=cases.probabilities,
    )
    if summary.n == 0:
        raise DataError(NO_CASE)
    stretches = _finer(Stretches.of(summary.ranks), cases, readings, exact, bound, buffer)
    totals = stretches.totals
    if exact:
        totals = _sorted_out(stretches, cases, readings, buffer)
    return Summarised(summary, stretches=stretches, totals=totals, classes=cases.seen.classes)


def _finer(
    stretches: Stretches,
    cases: StreamCases,
    readings: Readings,
    exact: bool,
    bound: float,
    buffer: int,
) -> Stretches:
    """Stretches split until they leave open no more than the bound, and each fits the buffer."""
    for _ in range(MOST_READINGS):
        chosen = np.zeros(len(stretches), dtype=np.bool_)
        if stretches.totals.auc_bound > bound:
            chosen |= heaviest(stretches, bound)
        if exact:
            chosen |= unsettled(stretches) & (stretches.size > buffer)
        if not chosen.any():
            break
        splitter = Splitter(stretches, chosen)
        readings.planned += 1
        _feed(cases, readings, splitter.add)
        stretches = splitter.stretches
    return stretches


def _sorted_out(
    stretches: Stretches, cases: StreamCases, readings: Readings, buffer: int
) -> RankTotals:
    """Exact ranks: the scores of run after run of stretches are collected and sorted."""
    of = int(stretches.positives.sum()), int(stretches.negatives.sum())
    found, below = RankTotals(n_positive=of[0], n_negative=of[1]), (0, 0)
    runs = list(collectable(stretches, buffer))
    readings.planned += sum(bool(wanted.any()) for _, wanted in runs)
    for run, wanted in runs:
        part = stretches[run]
        collector = Collector(part, wanted)
        if wanted.any():
            _feed(cases, readings, collector.add)
        found = found + collector.totals(below, of)
        below = below[0] + int(part.positives.sum()), below[1] + int(part.negatives.sum())
    return found


def _feed(cases: StreamCases, readings: Readings, add: Callable[[Any, Any], None]) -> None:
    """Read all cases once more, into something that takes scores and classes."""
    for positive, score in cases.read(readings.next()):
        add(score, positive)
