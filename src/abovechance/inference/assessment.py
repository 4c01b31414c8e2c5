"""From predictions to every applicable measure, each with what is known about it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.errors import DataError, NotApplicable, shown
from abovechance.inference.advising import advice_for, advice_on_primary
from abovechance.inference.arguments import predictions_given, share
from abovechance.inference.estimates import Assessment, Estimate
from abovechance.inference.evidence import Evidence
from abovechance.inference.method import Kind, asked_for
from abovechance.inference.subgroups import in_order, subgroup
from abovechance.inference.values import estimate, rows_per_class, rows_per_output
from abovechance.measures import Law, Measure, applicable, find
from abovechance.measures.catalogue import named
from abovechance.measures.utility import at_threshold, labelling_threshold
from abovechance.predictions import Multiclass, Numeric, Predictions
from abovechance.predictions.checks import in_order_of
from abovechance.resampling import Resampling, Store, digest, seed_of, whole_draws

PRIMARY = {
    "binary": ("log_score", "balanced_accuracy", "auc"),
    "multiclass": ("log_score", "balanced_accuracy"),
    "numeric": ("mse",),
    "several outputs": ("arrmse", "multi_r2"),
    "survival": ("c_index", "integrated_brier"),
}


def assess(
    predictions: Any,
    prediction: Any = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    primary: str | Measure | None = None,
    by: Any = None,
    by_name: str = "",
    dialect: str | None = None,
    confidence_level: float = 0.95,
    draws: int | None = None,
    rng: Any = None,
    rate: float | str | Mapping[str, float] | None = None,
    exact: bool = False,
    sampling: str = "random",
    prevalence: float | None = None,
    inference: bool = True,
    methods: Mapping[str, Any] | None = None,
    workers: int = 1,
    store: Any = None,
    progress: Any = None,
    **facts: Any,
) -> Assessment:
    """Every applicable measure of predictions, with interval and test where they are defensible.

    Parameters
    ----------
    predictions, prediction
        Binary, Multiclass, Numeric or Survival, and nothing else; or what was observed and what
        was predicted, whose kind is seen from the values and said; or a dataframe or file, whose
        columns are found by name as `read` does.
    measures
        Names or measures; all applicable ones when not given. After predictions, a dataframe or a
        file it may be the second argument.
    primary
        The measure the study is about; the others are descriptive. When not given, the log score
        where there are probabilities, else balanced accuracy.
    by
        One value per case: values and intervals again for each subgroup; none when not given.
    by_name
        What `by` is called in tables, as in "site=3"; only its values are shown when not given.
    dialect
        "familiar" computes as that R package does; as the formulas here when not given.
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.
    draws
        Number of permutations, flips and bootstrap samples; 9999 and 1999 when not given.
    rng
        Seed of all draws; a fresh one when not given. It is in the result.
    rate
        Test shares against a rate stated beforehand (exact binomial on their denominator): a
        number for accuracy, or for every measure named; {"sensitivity": 0.8} for some. "majority"
        tests accuracy against the constant prediction of the largest class (exact McNemar).
    exact
        Count all arrangements of the outcomes where there are at most 2 000 000; says which
        p-values are not exact.
    sampling
        "random", or "case-control" when the classes were sampled separately: measures that depend
        on prevalence then need `prevalence`.
    prevalence
        Share of the positive class in the population, where the sample does not show it.
    inference
        Whether to give intervals and tests at all.
    methods
        Other methods than those of a measure's law, by name or as declared:
        {"accuracy": "clopper_pearson", "auc": [my_interval, my_test]}. `ac.methods` lists and
        declares them. One that does not allow for these data is refused.
    workers
        Number of processes to share the draws between, or an executor such as `Dask`; the results
        are the same.
    store
        File that keeps finished draws, so that a run that was stopped goes on; none when not given.
    progress
        True to show how far it is, or a function that is called with the numbers done and to do.
    **facts
        Of observed and predicted values, or a table: pos_label=, labels=, threshold=, groups=,
        sample_weight=, … as in `Binary` and `read`; score=, label= or value= instead of
        `prediction` where its kind cannot be seen.

    Returns
    -------
    Assessment
        One estimate per measure; `assessment["auc"]` has its value, interval, chance and p-value.

    Raises
    ------
    DataError
        If the values are not what they must be; the message names the row and the remedy.
    UnknownMeasure
        If no measure goes by a name.
    NotApplicable
        If a measure that was named cannot be computed from these predictions.

    See Also
    --------
    compare : two models or more.
    report : the result as a page.
    measures.applicable : which measures these are.

    Examples
    --------
    >>> print(assess([0, 0, 1, 1], [0.2, 0.6, 0.4, 0.9], ["auc"])["auc"].value)
    0.75
    >>> from abovechance import examples
    >>> assessment = assess(examples.breast_cancer("p_texture"), ["auc", "brier"], rng=1)
    >>> print(assessment["auc"].interval)
    0.756 to 0.865
    """
    predictions, measures = predictions_given("assess", predictions, prediction, measures, facts)
    share("confidence_level", confidence_level)
    whole_draws(draws)
    chosen = _chosen(predictions, measures, dialect)
    rates = stated_rates(rate, chosen, predictions.kind, named=measures is not None)
    main = _primary(predictions, chosen, primary)
    seed = seed_of(rng)
    asked = asked_for(methods, chosen, predictions.kind, (Kind.INTERVAL, Kind.TEST))
    evidence = Evidence.gather(
        predictions,
        chosen,
        level=confidence_level,
        draws=draws,
        rates=rates,
        exact=exact,
        sampling=sampling,
        prevalence=prevalence,
        inference=inference,
        methods=asked,
        resampling=Resampling(
            seed=seed,
            workers=workers,
            store=_shared(store, predictions, chosen, seed),
            progress=progress,
        ),
    )
    within = partial(
        Evidence.gather,
        level=confidence_level,
        draws=draws,
        sampling=sampling,
        prevalence=prevalence,
        inference=inference,
        tests=False,
        methods=asked,
        resampling=Resampling(seed=seed),
    )
    rows = list(_rows(predictions, chosen, evidence, within))
    parts = list(_parts(predictions, by, by_name))
    for name, part in parts:
        rows.extend(_rows(part, chosen, within(part, chosen), within, name))
    return Assessment(
        outcome=predictions.kind,
        n=distinct_cases(predictions),
        origin=predictions.origin,
        origin_stated=predictions.origin_stated,
        threshold=labelling_threshold(predictions),
        seed=seed if inference else None,
        primary=main,
        estimates=tuple(rows),
        advice=(
            *predictions.notes,
            *(advice_on_primary(main) if inference else ()),
            *advice_for(predictions, rows, evidence),
            *_on_rate(rate, measures, chosen),
        ),
        described=predictions.described,
        dropped=predictions.dropped,
        subgroups=tuple(subgroup(name, part) for name, part in parts),
    )


def _on_rate(rate: Any, measures: Any, chosen: Sequence[Measure]) -> Iterator[Advice]:
    """A number without names is a rate of accuracy; whoever meant another share is told how."""
    if measures is None and isinstance(rate, Real):
        others = [m.label for m in chosen if m.law is Law.CONDITIONAL]
        if others:
            yield Advice(
                "AC019",
                f"the rate was tested for accuracy alone; for other shares name them, as "
                f"rate={{{others[0]!r}: {rate}}} (--rate {others[0]}={rate}).",
            )


def stated_rates(
    rate: Any, measures: Sequence[Measure], kind: str, *, named: bool
) -> dict[str, float | str]:
    """Which measures are tested against which rate, by label.

    One number is for the measures that were named; for accuracy when none were.
    """
    if rate is None:
        return {}
    labels = [m.label for m in measures]
    if isinstance(rate, Mapping):
        found: dict[str, float | str] = {}
        for name, value in rate.items():
            label = find(name).for_outcome(kind).label
            if label not in labels:
                raise NotApplicable(f"{label!r} has a rate and is not among those assessed.")
            found[label] = value if value == "majority" else share(f"rate of {label}", value)
        return found
    if not isinstance(rate, str) or rate != "majority":
        if not isinstance(rate, Real):
            raise DataError(f"rate must lie between 0 and 1, or be 'majority'; got {shown(rate)}.")
        rate = share("rate", rate)
    return dict.fromkeys(labels if named and rate != "majority" else ["accuracy"], rate)


def distinct_cases(predictions: Predictions) -> int:
    """How many cases there are: repeats of a cross-validation predict the same ones again."""
    repeat = predictions.cases.repeat
    if predictions.origin != "repeated_cv" or repeat is None:
        return int(predictions.total)
    return round(float(predictions.total) / len(np.unique(repeat)))


def _shared(store: Any, predictions: Predictions, chosen: Sequence[Measure], seed: int) -> Any:
    """One file for the several nulls of an assessment, known by what is assessed."""
    if store is None or isinstance(store, Store):
        return store
    names = [m.label for m in chosen]
    return Store(store, configuration={"assess": digest(predictions, names), "seed": seed})


def _chosen(
    predictions: Predictions,
    measures: str | Measure | Iterable[str | Measure] | None,
    dialect: str | None,
) -> list[Measure]:
    from abovechance.measures.evaluation import fit

    if measures is None:
        known = applicable(predictions)
        if dialect is not None:
            known = [find(m.name, dialect=dialect) for m in known]
        return [fit(at_threshold(m, predictions), predictions) for m in known]
    asked = [measures] if isinstance(measures, str | Measure) else list(measures)
    own = {m.partition("(")[0].strip() for m in asked if isinstance(m, str) and "(" in m}
    chosen = [
        m if {m.name, *m.aliases} & own else at_threshold(m, predictions)
        for m in named(asked, dialect=dialect)
    ]
    return [fit(m, predictions) for m in chosen]


def _primary(
    predictions: Predictions, chosen: Sequence[Measure], primary: str | Measure | None
) -> str | None:
    labels = [m.label for m in chosen]
    if primary is not None:
        label = find(primary).for_outcome(predictions.kind).label
        if label not in labels:
            label = at_threshold(find(primary), predictions).label
        if label not in labels:
            raise NotApplicable(f"the primary measure {label!r} is not among those assessed.")
        return label
    several = isinstance(predictions, Numeric) and len(predictions.outputs) > 1
    usual = PRIMARY["several outputs" if several else predictions.kind]
    found = [name for name in usual if name in labels]
    return found[0] if found else (labels[0] if labels else None)


def _rows(
    predictions: Predictions,
    measures: Sequence[Measure],
    evidence: Evidence,
    within: Callable[[Predictions, Sequence[Measure]], Evidence],
    by: str | None = None,
) -> Iterator[Estimate]:
    """Rows of all cases, with what is known of them; then of each class, with intervals."""
    parts: dict[str | None, Evidence] = {}
    for measure in measures:
        several = isinstance(predictions, Numeric) and len(predictions.outputs) > 1
        if isinstance(predictions, Numeric) and several and not measure.many_outputs:
            for d, row in enumerate(rows_per_output(measure, predictions, by)):
                if row.output not in parts:
                    alone = [m for m in measures if not m.many_outputs]
                    parts[row.output] = within(predictions.output(d), alone)
                yield parts[row.output].added_to(row, measure)
        else:
            yield evidence.added_to(estimate(measure, predictions, by), measure)
    if isinstance(predictions, Multiclass):
        yield from _class_rows(predictions, measures, within, by)


def _class_rows(
    predictions: Multiclass,
    measures: Sequence[Measure],
    within: Callable[[Predictions, Sequence[Measure]], Evidence],
    by: str | None,
) -> Iterator[Estimate]:
    rows = list(rows_per_class(measures, predictions, by))
    names = list(dict.fromkeys(row.measure for row in rows))
    known = {
        str(label): within(predictions.against_rest(label), [find(name) for name in names])
        for label in (predictions.classes if names else ())
    }
    for row in rows:
        assert row.class_ is not None
        yield known[row.class_].added_to(row, find(row.measure))


def _parts(predictions: Predictions, by: Any, name: str) -> Iterator[tuple[str, Predictions]]:
    if by is None:
        return
    column = np.asarray(in_order_of(predictions.cases.index, "by", by))
    if column.shape != (predictions.n,):
        raise DataError(
            f"by must hold one value for each of the {predictions.n} cases; got {column.shape}."
        )
    values = column.astype(str)
    for value in in_order(values.tolist()):
        yield (f"{name}={value}" if name else value), predictions.take(values == value)
