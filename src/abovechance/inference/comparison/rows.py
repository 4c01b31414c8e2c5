"""The rows of a comparison: every pair of models, every measure, with what is known of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, cast

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.inference.comparison.by_law import Family, asked_for
from abovechance.inference.comparison.contrasts import Alike, Contrast, How, Standardised, less
from abovechance.inference.comparison.folds import correlated_t
from abovechance.inference.comparison.margins import beside_margin, margin_for
from abovechance.inference.comparison.pairs import identical
from abovechance.inference.comparison.posteriors import posterior_of
from abovechance.inference.comparison.results import Difference, shown
from abovechance.inference.comparison.shares import turn
from abovechance.inference.comparison.unpaired import unpaired
from abovechance.inference.method import Fact, Kind, find, first_of
from abovechance.inference.multiplicity import adjusted
from abovechance.measures import Measure
from abovechance.resampling import Alternative


@dataclass(frozen=True)
class Question:
    """What is asked of every difference."""

    alternative: Alternative
    level: float
    margin: Any
    rope: float | None
    adjust: str
    naive: bool
    how: How


def paired_rows(
    models: Mapping[str, Any], measures: Sequence[Measure], asked: Question
) -> Iterator[Difference]:
    """All pairs of models on the same cases, p-values adjusted within each measure."""
    names, cases = list(models), list(models.values())
    timed = cases[0].cases.order is not None  # then folds are stretches of one time
    crossed = any(p.origin != "test" for p in cases) and not timed
    for measure in measures:
        family = Family(measure, cases, asked.how)
        rows = []
        for i, j in combinations(range(len(names)), 2):
            frame = replace(
                _frame(measure, names[i], names[j], cases[i].n),
                identical=identical(cases[i], cases[j]),
            )
            if crossed:
                rows.append(_over_folds(frame, measure, cases[i], cases[j], asked))
                continue
            row = _filled(frame, measure, family.contrast(i, j), asked)
            beside = posterior_of(measure, cases[i], cases[j], asked.rope)
            rows.append(replace(row, posterior=beside))
        yield from concluded(rows, asked)


def _over_folds(
    frame: Difference, measure: Measure, first: Any, second: Any, asked: Question
) -> Difference:
    try:
        contrast = _contrast_over_folds(measure, first, second, asked)
    except NotApplicable as reason:
        value = measure.of(first)
        if identical(first, second) and not np.isnan(value):
            return _filled(frame, measure, Alike(infinite=not np.isfinite(value)), asked)
        gap = less(value, measure.of(second))
        return replace(_valued(frame, measure, gap), undefined=str(reason))
    row = _filled(frame, measure, contrast, asked)
    if not isinstance(contrast, Standardised):
        return row
    return replace(row, posterior=correlated_t(contrast.gap, turn(measure), asked.rope))


def _contrast_over_folds(measure: Measure, first: Any, second: Any, asked: Question) -> Contrast:
    """By the method asked for, else by that of folds."""
    facts = frozenset({Fact.FOLDS})
    method = asked.how.chosen.get(measure.label)
    if method is None and asked.naive:
        method = find("naive_t", Kind.COMPARISON)
    if method is None:
        method = first_of(Kind.COMPARISON, measure.law, facts)
    if Fact.FOLDS not in method.needs | method.allows:
        return asked_for(method, measure, first, second, asked.how)  # and is refused there
    assert method.function is not None
    return cast(Contrast, method.function(measure, first, second, asked.how))


def unpaired_rows(
    models: Mapping[str, Any], measures: Sequence[Measure], asked: Question
) -> Iterator[Difference]:
    """All pairs of models on different cases."""
    if any(p.origin != "test" for p in models.values()):
        raise NotApplicable(
            "cross-validated predictions of different cases cannot be compared: cases depend on "
            "each other through the folds."
        )
    for measure in measures:
        rows = [
            _filled(
                replace(_frame(measure, a, b, models[a].n + models[b].n), paired=False),
                measure,
                unpaired(measure, models[a], models[b], asked.how),
                asked,
            )
            for a, b in combinations(models, 2)
        ]
        yield from concluded(rows, asked)


def _frame(measure: Measure, first: str, second: str, n: int) -> Difference:
    return Difference(
        measure=measure.label,
        title=measure.title,
        first=first,
        second=second,
        difference=float("nan"),
        n=n,
    )


def _filled(frame: Difference, measure: Measure, contrast: Contrast, asked: Question) -> Difference:
    """A row with what its contrast knows; what it does not know is said."""
    row = _valued(frame, measure, contrast.difference)
    reasons = []
    try:
        row = replace(row, interval=contrast.interval(asked.level))
    except NotApplicable as reason:
        reasons.append(str(reason))
    try:
        found = contrast.test(asked.alternative)
    except NotApplicable as reason:
        reasons.append(str(reason))
    else:
        row = replace(
            row,
            p_value=found.test.p_value,
            mid_p=found.mid_p,
            least_p=found.least,
            alternative=found.test.alternative,
            hypothesis=found.test.hypothesis,
            test=found.test.method,
            test_by=found.test.by,
            statistic=found.test.statistic,
            draws=found.test.draws,
        )
    margin = margin_for(measure, asked.margin)
    if margin is not None:
        try:
            row = replace(row, margin=beside_margin(contrast, measure, margin, asked.level))
        except NotApplicable as reason:
            reasons.append(str(reason))
    said = dict.fromkeys(reason.removesuffix(".") for reason in reasons)
    return replace(row, undefined="; ".join(said) or None)


def _valued(frame: Difference, measure: Measure, difference: float) -> Difference:
    better = None
    if measure.higher_is_better is not None and difference != 0 and difference == difference:
        better = frame.first if turn(measure) * difference > 0 else frame.second
    return replace(frame, difference=difference, better=better)


def concluded(rows: Sequence[Difference], asked: Question) -> Iterator[Difference]:
    """Rows with p-values adjusted over all of them, and whether each difference was shown."""
    p = [float("nan") if row.p_value is None else row.p_value for row in rows]
    for row, value in zip(rows, adjusted(p, asked.adjust), strict=True):
        own = None if np.isnan(value) else float(value)
        inside = None if row.interval is None else (row.interval.low, row.interval.high)
        yield replace(
            row,
            p_adjusted=own,
            shown=shown(
                difference=row.difference,
                p=own,
                interval=inside,
                alternative=row.alternative,
                alpha=1.0 - asked.level,
            ),
        )
