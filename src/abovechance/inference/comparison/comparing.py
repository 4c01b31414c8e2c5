"""From models and measures to differences, each with its test and its interval."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from abovechance.errors import DataError, NotApplicable, listed
from abovechance.inference.arguments import models_given, share
from abovechance.inference.assessment import PRIMARY
from abovechance.inference.comparison.by_law import Family
from abovechance.inference.comparison.contrasts import How
from abovechance.inference.comparison.margins import refuse_unknown
from abovechance.inference.comparison.omnibus import safe_omnibus
from abovechance.inference.comparison.pairs import Matched, matched, same_classes, same_kind
from abovechance.inference.comparison.ranking import ranking, values_of
from abovechance.inference.comparison.remarks import remarks
from abovechance.inference.comparison.results import Comparison, Difference, Interaction, Omnibus
from abovechance.inference.comparison.rows import (
    Question,
    paired_rows,
    unpaired_rows,
)
from abovechance.inference.comparison.subgroups import (
    Parts,
    between_rows,
    interactions,
    within_rows,
)
from abovechance.inference.defaults import expanded
from abovechance.inference.method import Kind, asked_for
from abovechance.inference.multiplicity import adjusted
from abovechance.measures import Measure, applicable, find
from abovechance.measures.catalogue import named
from abovechance.measures.utility import at_threshold
from abovechance.predictions import Predictions
from abovechance.resampling import Alternative, Resampling, Store, digest, seed_of, whole_draws

USUAL = {
    "binary": ("log_score", "brier", "auc", "balanced_accuracy", "accuracy"),
    "multiclass": ("log_score", "brier", "auc", "balanced_accuracy", "accuracy"),
    "numeric": ("mse", "mae", "r2"),
    "survival": ("c_index", "integrated_brier"),
}


def compare(
    models: Any,
    y_true: Any = None,
    measures: Any = None,
    *,
    primary: str | Measure | None = None,
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
    between: bool = False,
    studentised: bool | None = None,
    methods: Mapping[str, Any] | None = None,
    naive: bool = False,
    workers: int = 1,
    store: Any = None,
    progress: Any = None,
    **facts: Any,
) -> Comparison:
    """Compare models on the same cases: differences with intervals and the tests of their laws.

    A difference is the first model's value less the second's, in the units of the measure; every
    pair is compared in the order in which the models are given.

    Parameters
    ----------
    models
        Predictions by name, or a list of them (model 1, model 2, …); or, with `y_true`, what each
        predicted. Cases are paired by id when all have ids, else by row (dataframes: by index).
    y_true
        What was observed, where `models` are plain arrays:
        `compare({"old": p0, "new": p1}, y, groups=site)`.
    measures
        Names or measures; one of each family when not given. After predictions it may be the
        second argument.
    primary
        The measure the study is about; the others are descriptive. As in `assess` when not given.
    margin
        How much worse is still acceptable, in the units of the measure (or a mapping from
        measures to such numbers): adds statements of non-inferiority and equivalence.
    alternative
        "two-sided" (default); "greater" when the question is whether the first model is better;
        "less".
    adjust
        "holm", "bh" or "none": how the p-values of all pairs of one measure are adjusted, and
        with `by` those of all pairs in all subgroups.
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.
    draws
        Number of sign flips, exchanges and bootstrap samples; 9999 and 1999 when not given.
    rng
        Seed of all draws; a fresh one when not given. It is in the result.
    rope
        Half the width of the region of practical equivalence, for the posteriors.
    paired
        False for models that predicted different cases. None: paired where cases are shared.
    by
        One value per case, its subgroup: the models are compared again within each, and for
        every pair it is tested whether their difference differs between subgroups.
    by_name
        What `by` is called in tables, as in "site=3"; only its values are shown when not given.
    between
        With `by`: also every model's differences between the subgroups; always for one model.
    studentised
        Whether mean losses are tested without assuming that differences are symmetric; when not
        given, from 30 cases (or clusters) on.
    methods
        Other methods than those of a measure's law, by name or as declared: {"auc": "exchange"};
        comparisons, and intervals of the models' values. `ac.methods` lists and declares them.
    naive
        Over folds, use the t-test that ignores the overlap of training sets.
    workers
        Number of processes to share the draws between, or an executor such as `Dask`; the results
        are the same.
    store
        File that keeps finished draws, so that a run that was stopped goes on; none when not given.
    progress
        True to show how far it is, or a function that is called with the numbers done and to do.
    **facts
        Of plain arrays, what `assess` takes beside them: pos_label=, groups=, …

    Returns
    -------
    Comparison
        One difference per measure and pair; `comparison["auc"]` has its interval and p-value.

    Raises
    ------
    DataError
        If there is a single model and no subgroup, or the models do not share cases.
    UnknownMeasure
        If no measure goes by a name.
    NotApplicable
        If a measure that was named cannot be computed from these predictions.

    See Also
    --------
    assess : one model.
    power : how many cases it takes to tell two models apart.

    Examples
    --------
    >>> from abovechance import examples
    >>> two = {name: examples.breast_cancer(name) for name in ("p_forest", "p_texture")}
    >>> found = compare(two, ["auc", "brier"], rng=1)
    >>> print(found["auc"].sentence)
    Area under the ROC curve: p_forest is better than p_texture (difference +0.174, 95% interval
    +0.124 to +0.2339; p = 1.3e-12)
    """
    models, measures = models_given(models, y_true, measures, facts)
    share("confidence_level", confidence_level)
    whole_draws(draws)
    if alternative not in ("two-sided", "greater", "less"):
        raise DataError(
            f"alternative must be 'two-sided', 'greater' or 'less'; got {alternative!r}."
        )
    if rope is not None and not rope > 0:
        raise DataError(f"rope must be a positive number; got {rope!r}.")
    adjusted([], adjust)
    if len(models) < 2 and by is None:
        raise DataError("there must be at least two models to compare, or subgroups (by=).")
    seed = seed_of(rng)
    same_kind(models)
    chosen = _chosen(models, measures)
    refuse_unknown(margin, chosen)
    main = _primary(next(iter(models.values())).kind, chosen, primary)
    parts = None if by is None else Parts.of(models, by, by_name)
    kept = _shared(store, models, chosen, seed)
    streams = Resampling(seed=seed, workers=workers, store=kept, progress=progress)
    kind = next(iter(models.values())).kind
    methods_asked = asked_for(methods, chosen, kind, (Kind.COMPARISON, Kind.INTERVAL))
    how = How(draws, streams, studentised, methods_asked)
    asked = Question(alternative, confidence_level, margin, rope, adjust, naive, how)
    found = _matched(models, paired)
    if found is None:
        cases = same_classes([expanded(p) for p in models.values()])
        found = Matched(dict(zip(models, cases, strict=True)), "none", dict.fromkeys(models, 0))
        rows = list(unpaired_rows(found.models, chosen, asked))
    else:
        rows = list(paired_rows(found.models, chosen, asked))
    tested: list[Interaction] = []
    if parts is not None and len(models) > 1:
        within = within_rows(parts, chosen, asked, paired=found.by != "none")
        tested = list(interactions(within, parts, chosen, adjust))
        rows.extend(within)
    if parts is not None and (between or len(models) == 1):
        rows.extend(between_rows(parts, chosen, asked))
    gathered = _gathered(found, models, chosen, main, rows, asked, seed)
    if parts is None:
        return gathered
    return replace(gathered, subgroups=parts.sizes(), interactions=tuple(tested))


def _primary(kind: str, measures: Sequence[Measure], primary: str | Measure | None) -> str:
    """The label of the primary measure: the one asked for, the usual one, else the first."""
    labels = [m.label for m in measures]
    if primary is None:
        return next((name for name in PRIMARY[kind] if name in labels), labels[0])
    label = find(primary).for_outcome(kind).label
    if label not in labels:
        raise NotApplicable(
            f"the primary measure {label!r} must be among those compared: {listed(labels, 10)}."
        )
    return label


def _shared(
    store: Any, models: Mapping[str, Predictions], chosen: Sequence[Measure], seed: int
) -> Any:
    """One file for the several nulls of a comparison, known by what is compared."""
    if store is None or isinstance(store, Store):
        return store
    names = [m.label for m in chosen]
    about = digest(list(models), list(models.values()), names)
    return Store(store, configuration={"compare": about, "seed": seed})


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
        chosen = [at_threshold(m, first) for m in named(measures)]
        return [fit(m, p) for m in chosen for p in models.values()][:: len(models)]
    usual = [at_threshold(find(name).for_outcome(first.kind), first) for name in USUAL[first.kind]]
    shared = [m for m in usual if all(m.applies(p) for p in models.values())]
    others = (m for m in applicable(first) if all(m.applies(p) for p in models.values()))
    return shared or list(others)


def _gathered(
    found: Matched,
    given: Mapping[str, Predictions],
    measures: Sequence[Measure],
    primary: str,
    rows: Sequence[Difference],
    asked: Question,
    seed: int,
) -> Comparison:
    models = found.models
    first = next(iter(models.values()))
    is_paired = found.by != "none"
    values = tuple(values_of(models, measures, asked))
    tests: list[Omnibus] = []
    if is_paired and first.origin == "test":
        families = (Family(m, list(models.values()), asked.how) for m in measures)
        tests = [test for test in map(safe_omnibus, families) if test is not None]
    notes = dict.fromkeys(note for p in given.values() for note in p.notes)
    return Comparison(
        outcome=first.kind,
        n=first.n if is_paired else sum(p.n for p in models.values()),
        origin=first.origin,
        origin_stated=all(p.origin_stated for p in given.values()),
        seed=seed,
        models=tuple(models),
        paired=is_paired,
        matched_by=found.by if is_paired else None,
        unmatched=found.unmatched,
        primary=primary,
        adjust=asked.adjust,
        estimates=values,
        differences=tuple(rows),
        omnibus=tuple(tests),
        ranking=tuple(ranking(measures, values, rows)),
        level=asked.level,
        advice=(
            *notes,
            *found.notes,
            *remarks(found, rows, measures, asked.level, naive=asked.naive),
        ),
        described="\n".join(f"{name}: {p.described}" for name, p in given.items() if p.described),
    )
