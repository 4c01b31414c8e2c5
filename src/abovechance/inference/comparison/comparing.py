"""From models and measures to differences, each with its test and its interval."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from abovechance.errors import DataError, NotApplicable
from abovechance.inference.assessment import PRIMARY
from abovechance.inference.comparison.by_law import Family
from abovechance.inference.comparison.contrasts import Contrast, How, less
from abovechance.inference.comparison.folds import correlated_t, over_folds
from abovechance.inference.comparison.letters import compact_letters
from abovechance.inference.comparison.margins import beside_margin, margin_for, refuse_unknown
from abovechance.inference.comparison.omnibus import safe_omnibus
from abovechance.inference.comparison.pairs import Matched, matched, same_classes, same_kind
from abovechance.inference.comparison.posteriors import posterior_of
from abovechance.inference.comparison.remarks import remarks
from abovechance.inference.comparison.results import Comparison, Difference, Omnibus, Place
from abovechance.inference.comparison.shares import turn
from abovechance.inference.comparison.unpaired import unpaired
from abovechance.inference.defaults import expanded
from abovechance.inference.estimates import Estimate
from abovechance.inference.intervals.folds import fold_values
from abovechance.inference.multiplicity import adjusted
from abovechance.inference.values import estimate
from abovechance.measures import Measure, applicable, find
from abovechance.predictions import Predictions
from abovechance.resampling import Alternative, Resampling, seed_of

USUAL = {
    "binary": ("log_score", "brier", "auc", "balanced_accuracy", "accuracy"),
    "multiclass": ("log_score", "brier", "auc", "balanced_accuracy", "accuracy"),
    "numeric": ("mse", "mae", "r2"),
    "survival": ("c_index", "integrated_brier"),
}


@dataclass(frozen=True)
class _Question:
    """What is asked of every difference."""

    alternative: Alternative
    level: float
    margin: Any
    rope: float | None
    adjust: str
    naive: bool
    how: How


def compare(
    models: Mapping[str, Predictions],
    measures: Iterable[str | Measure] | None = None,
    *,
    margin: float | Mapping[str, float] | None = None,
    alternative: Alternative = "two-sided",
    adjust: str = "holm",
    confidence_level: float = 0.95,
    draws: int | None = None,
    rng: Any = None,
    rope: float | None = None,
    paired: bool | None = None,
    by: Any = None,
    by_name: str = "",
    studentised: bool = False,
    naive: bool = False,
    workers: int = 1,
    store: Any = None,
    progress: Any = None,
) -> Comparison:
    """Compare models on the same cases: differences with intervals and the tests of their laws.

    A difference is the first model's value less the second's, in the units of the measure; every
    pair is compared in the order in which the models are given.

    Parameters
    ----------
    models
        Predictions by name. Cases are paired by id when all have ids, else by row.
    measures
        Names or measures; one of each family when not given.
    margin
        How much worse is still acceptable, in the units of the measure (or a mapping from
        measures to such numbers): adds statements of non-inferiority and equivalence.
    alternative
        "two-sided"; "greater" when the question is whether the first model is better.
    adjust
        "holm", "bh" or "none": how the p-values of all pairs of one measure are adjusted.
    draws
        Sign flips, exchanges and bootstrap samples; 9999 and 1999 when not given.
    rng
        Seed of all draws; it is in the result.
    rope
        Half the width of the region of practical equivalence, for the posteriors.
    paired
        False for models that predicted different cases. None: paired where cases are shared.
    by
        One value a case: every model's differences between subgroups, too.
    studentised
        Test mean losses without assuming that differences are symmetric.
    naive
        Over folds, use the t-test that ignores the overlap of training sets.
    workers, store
        Processes to share draws between, and a file to resume them from.

    Examples
    --------
    >>> from abovechance import examples
    >>> two = {name: examples.breast_cancer(name) for name in ("p_forest", "p_texture")}
    >>> found = compare(two, ["auc", "brier"], rng=1)
    >>> print(found["auc"].sentence)
    Area under the ROC curve: p_forest is better than p_texture by 0.174 (difference +0.1259 to
    +0.2221), p = 1.3e-12
    """
    if not 0.0 < confidence_level < 1.0:
        raise DataError(f"confidence_level must lie between 0 and 1; got {confidence_level}.")
    if rope is not None and not rope > 0:
        raise DataError(f"rope must be a positive number; got {rope!r}.")
    adjusted([], adjust)
    if len(models) < 2 and by is None:
        raise DataError("there must be at least two models to compare, or subgroups (by=).")
    seed = seed_of(rng)
    streams = Resampling(seed=seed, workers=workers, store=store, progress=progress)
    how = How(draws, streams, studentised)
    asked = _Question(alternative, confidence_level, margin, rope, adjust, naive, how)
    same_kind(models)
    chosen = _chosen(models, measures)
    refuse_unknown(margin, chosen)
    found = _matched(models, paired)
    if found is None:
        parts = same_classes([expanded(p) for p in models.values()])
        found = Matched(dict(zip(models, parts, strict=True)), "none", dict.fromkeys(models, 0))
        rows = list(_all_unpaired(found.models, chosen, asked))
    else:
        rows = list(_all_paired(found.models, chosen, asked))
    if by is not None:
        rows.extend(_subgroups(models, chosen, asked, np.asarray(by), by_name))
    return _gathered(found, models, chosen, rows, asked, seed)


def _matched(models: Mapping[str, Predictions], paired: bool | None) -> Matched | None:
    if paired is False:
        return None
    found = matched(models)
    if found is None and paired:
        raise DataError("the models must share cases to be paired; no id is in all of them.")
    return found


def _chosen(
    models: Mapping[str, Predictions], measures: Iterable[str | Measure] | None
) -> list[Measure]:
    from abovechance.measures.evaluation import fit

    first = next(iter(models.values()))
    if measures is not None:
        named = [find(m) if isinstance(m, str) else m for m in measures]
        if not named:
            raise NotApplicable("no measure was named; leave measures= out for the usual ones.")
        return [fit(m, p) for m in named for p in models.values()][:: len(models)]
    usual = [find(name).for_outcome(first.kind) for name in USUAL[first.kind]]
    shared = [m for m in usual if all(m.applies(p) for p in models.values())]
    others = (m for m in applicable(first) if all(m.applies(p) for p in models.values()))
    return shared or list(others)


def _all_paired(
    models: Mapping[str, Any], measures: Sequence[Measure], asked: _Question
) -> Iterator[Difference]:
    names, cases = list(models), list(models.values())
    crossed = any(p.origin != "test" for p in cases)
    for measure in measures:
        family = Family(measure, cases, asked.how)
        rows = []
        for i, j in combinations(range(len(names)), 2):
            frame = _frame(measure, names[i], names[j], cases[i].n)
            if crossed:
                rows.append(_over_folds(frame, measure, cases[i], cases[j], asked))
                continue
            row = _filled(frame, measure, family.contrast(i, j), asked)
            beside = posterior_of(measure, cases[i], cases[j], asked.rope, asked.how)
            rows.append(replace(row, posterior=beside))
        yield from _adjusted(rows, asked.adjust)


def _over_folds(
    frame: Difference, measure: Measure, first: Any, second: Any, asked: _Question
) -> Difference:
    try:
        contrast = over_folds(measure, first, second, naive=asked.naive)
    except NotApplicable as reason:
        gap = less(measure.of(first), measure.of(second))
        return replace(_valued(frame, measure, gap), undefined=str(reason))
    row = _filled(frame, measure, contrast, asked)
    return replace(row, posterior=correlated_t(contrast.gap, turn(measure), asked.rope))


def _all_unpaired(
    models: Mapping[str, Any], measures: Sequence[Measure], asked: _Question
) -> Iterator[Difference]:
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
        yield from _adjusted(rows, asked.adjust)


def _subgroups(
    models: Mapping[str, Predictions],
    measures: Sequence[Measure],
    asked: _Question,
    by: Any,
    name: str,
) -> Iterator[Difference]:
    """Differences between subgroups of the cases, for every model."""
    for model, predictions in models.items():
        if by.shape != (predictions.n,):
            raise DataError(
                f"by must hold one value for each of the {predictions.n} cases; got {by.shape}."
            )
        values = by.astype(str)
        labels = np.unique(values).tolist()
        if len(labels) < 2:
            raise DataError(f"by must tell two subgroups apart; all cases are {labels[0]!r}.")
        parts = {
            (f"{name}={label}" if name else label): expanded(predictions.take(values == label))
            for label in labels
        }
        for row in _all_unpaired(parts, measures, asked):
            yield replace(row, model=model)


def _frame(measure: Measure, first: str, second: str, n: int) -> Difference:
    return Difference(
        measure=measure.label,
        title=measure.title,
        first=first,
        second=second,
        difference=float("nan"),
        n=n,
    )


def _filled(
    frame: Difference, measure: Measure, contrast: Contrast, asked: _Question
) -> Difference:
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
            draws=found.test.draws,
        )
    margin = margin_for(measure, asked.margin)
    if margin is not None:
        try:
            row = replace(row, margin=beside_margin(contrast, measure, margin, asked.level))
        except NotApplicable as reason:
            reasons.append(str(reason))
    return replace(row, undefined="; ".join(dict.fromkeys(reasons)) or None)


def _valued(frame: Difference, measure: Measure, difference: float) -> Difference:
    better = None
    if measure.higher_is_better is not None and difference != 0 and difference == difference:
        better = frame.first if turn(measure) * difference > 0 else frame.second
    return replace(frame, difference=difference, better=better)


def _adjusted(rows: list[Difference], method: str) -> Iterator[Difference]:
    p = [float("nan") if row.p_value is None else row.p_value for row in rows]
    for row, value in zip(rows, adjusted(p, method), strict=True):
        yield row if np.isnan(value) else replace(row, p_adjusted=float(value))


def _values(models: Mapping[str, Any], measures: Sequence[Measure]) -> Iterator[Estimate]:
    """Every model's value of every measure; over folds the mean of the folds."""
    for measure in measures:
        for name, p in models.items():
            row = replace(estimate(measure, p), model=name)
            if p.origin != "test":
                with suppress(NotApplicable):
                    row = replace(row, value=float(fold_values(measure, p)[0].mean()))
            yield row


def _ranking(
    measures: Sequence[Measure],
    values: Sequence[Estimate],
    rows: Sequence[Difference],
    alpha: float,
) -> Iterator[Place]:
    for measure in measures:
        own = [e for e in values if e.measure == measure.label and e.value == e.value]
        if len(own) < 3:
            continue
        distance = [_from_best(measure, e.value) for e in own]
        ordered = [own[i] for i in np.argsort(distance, kind="stable")]
        apart = [
            (row.first, row.second)
            for row in rows
            if row.measure == measure.label
            and row.model is None
            and (row.p_adjusted or 1.0) <= alpha
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


def _gathered(
    found: Matched,
    given: Mapping[str, Predictions],
    measures: Sequence[Measure],
    rows: Sequence[Difference],
    asked: _Question,
    seed: int,
) -> Comparison:
    models = found.models
    first = next(iter(models.values()))
    is_paired = found.by != "none"
    values = tuple(_values(models, measures))
    tests: list[Omnibus] = []
    if is_paired and first.origin == "test":
        families = (Family(m, list(models.values()), asked.how) for m in measures)
        tests = [test for test in map(safe_omnibus, families) if test is not None]
    labels = [m.label for m in measures]
    main = [name for name in PRIMARY[first.kind] if name in labels]
    notes = dict.fromkeys(note for p in given.values() for note in p.notes)
    return Comparison(
        outcome=first.kind,
        n=first.n if is_paired else sum(p.n for p in models.values()),
        origin=first.origin,
        seed=seed,
        models=tuple(models),
        paired=is_paired,
        matched_by=found.by if is_paired else None,
        unmatched=found.unmatched,
        primary=main[0] if main else labels[0],
        adjust=asked.adjust,
        estimates=values,
        differences=tuple(rows),
        omnibus=tuple(tests),
        ranking=tuple(_ranking(measures, values, rows, 1.0 - asked.level)),
        advice=(*notes, *found.notes, *remarks(found, rows, asked.level, naive=asked.naive)),
        described="\n".join(f"{name}: {p.described}" for name, p in given.items() if p.described),
    )
