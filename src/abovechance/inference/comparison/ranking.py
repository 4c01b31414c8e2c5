"""Every model's values, and their order with letters for what was told apart."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.inference.comparison.letters import compact_letters
from abovechance.inference.comparison.results import Difference, Place
from abovechance.inference.comparison.rows import Question
from abovechance.inference.comparison.shares import turn
from abovechance.inference.estimates import Estimate
from abovechance.inference.evidence import Evidence
from abovechance.inference.intervals.folds import fold_values
from abovechance.inference.values import estimate
from abovechance.measures import Measure
from abovechance.resampling import Resampling


def values_of(
    models: Mapping[str, Any], measures: Sequence[Measure], asked: Question
) -> Iterator[Estimate]:
    """Every model's value of every measure with its interval; over folds the mean of the folds."""
    known = {
        name: Evidence.gather(
            p,
            measures,
            level=asked.level,
            draws=asked.how.draws,
            tests=False,
            methods=asked.how.methods,
            resampling=Resampling(seed=asked.how.resampling.seed),
        )
        for name, p in models.items()
    }
    for measure in measures:
        for name, p in models.items():
            row = known[name].added_to(replace(estimate(measure, p), model=name), measure)
            if p.origin != "test":
                with suppress(NotApplicable):
                    row = replace(row, value=float(fold_values(measure, p)[0].mean()))
            yield row


def ranking(
    measures: Sequence[Measure],
    values: Sequence[Estimate],
    rows: Sequence[Difference],
) -> Iterator[Place]:
    """Models from best to worst by every measure, when there are more than two."""
    for measure in measures:
        own = [e for e in values if e.measure == measure.label and e.value == e.value]
        if len(own) < 3:
            continue
        distance = [_from_best(measure, e.value) for e in own]
        ordered = [own[i] for i in np.argsort(distance, kind="stable")]
        apart = [
            (row.first, row.second)
            for row in rows
            if row.measure == measure.label and row.model is row.by is None and row.shown
        ]
        letters = compact_letters([str(e.model) for e in ordered], apart)
        for rank, e in enumerate(ordered, 1):
            model = str(e.model)
            yield Place(
                measure=measure.label, model=model, rank=rank, value=e.value, letters=letters[model]
            )


def _from_best(measure: Measure, value: float) -> float:
    if measure.higher_is_better is None:
        return abs(value - measure.best)
    return -turn(measure) * value
