"""Predictions in a file larger than memory, read piece by piece and assessed from summaries."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from abovechance.advice import Advice
from abovechance.errors import DataError, FileError, NotApplicable
from abovechance.inference.advising import advice_on_primary, advice_on_rate, advice_on_tests
from abovechance.inference.assessment import PRIMARY, stated_rates
from abovechance.inference.defaults import Setting
from abovechance.inference.estimates import Assessment, Estimate, Skill
from abovechance.inference.intervals import summarised as of_two
from abovechance.inference.intervals import summarised_others as of_others
from abovechance.inference.readings import BOUND
from abovechance.inference.results import Interval, Test
from abovechance.inference.significance import summarised as tests_of
from abovechance.inference.significance.accuracy import NO_SHARE, counted_against
from abovechance.inference.significance.constant import gain_over, table_skill
from abovechance.inference.stream_kinds import read_summary, stream_roles
from abovechance.inference.values import reference_level, rows_per_class
from abovechance.io.arrow_files import Stream, open_stream
from abovechance.io.roles import Roles, weight_like
from abovechance.io.streamed_cases import Progress
from abovechance.measures import Law, Measure, applicable, find
from abovechance.measures.catalogue import named
from abovechance.measures.class_summary import SummarisedClasses, from_classes
from abovechance.measures.evaluation import fit
from abovechance.measures.number_summary import SummarisedNumbers, from_numbers
from abovechance.measures.shuffled import shuffled
from abovechance.measures.summary import Summarised, error_bound, from_summary
from abovechance.measures.utility import at_threshold, labelling_threshold
from abovechance.resampling import seed_of

View = Summarised | SummarisedClasses | SummarisedNumbers


def assess_stream(
    path: str | os.PathLike[str],
    measures: Iterable[str | Measure] | None = None,
    *,
    outcome: str | None = None,
    probability: str | None = None,
    probabilities: Sequence[str] | None = None,
    score: str | None = None,
    label: str | None = None,
    value: str | None = None,
    pos_label: Any = None,
    threshold: float | None = None,
    origin: str | None = None,
    missing: str = "refuse",
    primary: str | None = None,
    rate: float | str | Mapping[str, float] | None = None,
    confidence_level: float = 0.95,
    inference: bool = True,
    exact: bool = False,
    bound: float = BOUND,
    draws: int | None = None,
    rng: Any = None,
    progress: Progress | None = None,
) -> Assessment:
    """Every measure that counts, sums and binned ranks can give, of a Parquet file of any size.

    The file is read piece by piece, in memory that does not grow with it. Areas under the ROC curve
    are certain to within `bound`; means have normal intervals; what would have to resample the
    cases has none, and what needs all of them at once is left out. Cases count one each and
    are independent: weights, groups and folds are refused, and ids are not looked at.

    Parameters
    ----------
    path
        The Parquet file.
    measures
        Names or measures; all that a summary gives when not given.
    outcome, probability, probabilities, score, label, value
        Columns, found by name where not stated; one kind of prediction.
    pos_label
        The positive class; needed unless classes are coded 0/1.
    threshold
        A label is positive when the probability lies above it: 0.5 unless stated.
    origin
        "test" (independent test set), "cv" or "repeated_cv"; "test" when not stated.
    missing
        "refuse", or "drop" cases with a missing value and say how many.
    primary
        The measure the study is about, as in `assess`.
    rate
        Test shares against a rate stated beforehand, as in `assess`.
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.
    inference
        Whether to give intervals and tests at all.
    exact
        Whether to sort all scores out by further readings: exact ranks, whatever the memory.
    bound
        By how much the area may be off. Where the first reading leaves more open, the file is read
        again.
    draws
        Number of draws of the posteriors of measures of a table.
    rng
        Seed of these draws; a fresh one when not given. It is in the result.
    progress
        Called with the number of rows read and to be read.

    Returns
    -------
    Assessment
        As `assess` gives, with the measures that a summary allows.

    Raises
    ------
    FileError
        If it is not a Parquet file.
    DataError
        If the values are not what they must be.
    NotApplicable
        For weights, groups and folds, and measures that need all cases at once.

    See Also
    --------
    assess : for what fits into memory; it reads large Parquet files this way too.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np, pyarrow as pa, pyarrow.parquet
    >>> table = pa.table({"y": np.arange(1000) % 2, "p": (np.arange(1000) % 9 + 0.5) / 9})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "cases.parquet")
    ...     pa.parquet.write_table(table, file)
    ...     assess_stream(file, ["auc", "brier"], rng=1)["brier"].value
    0.332
    """
    if not 0.0 < confidence_level < 1.0:
        raise DataError(f"confidence_level must lie between 0 and 1; got {confidence_level}.")
    if missing not in ("refuse", "drop"):
        raise DataError(f"missing must be 'refuse' or 'drop'; got {missing!r}.")
    stream = open_stream(path)
    if stream is None:
        raise FileError(f"only Parquet files are read in pieces; {os.fspath(path)} is none.")
    stated = Roles(
        outcome=(outcome,) if outcome else (),
        probability=probability,
        probabilities=tuple(probabilities or ()),
        score=score,
        label=label,
        value=(value,) if value else (),
    )
    roles = stream_roles(stream, stated, origin, categorical=pos_label is not None)
    predictions, dropped = read_summary(
        stream,
        roles,
        pos_label=pos_label,
        threshold=threshold,
        missing=missing,
        exact=exact,
        bound=bound,
        progress=progress,
    )
    seed = seed_of(rng)
    chosen = _chosen(predictions, measures)
    main = _primary(predictions, [m.label for m in chosen], primary)
    setting = Setting(predictions, chosen, confidence_level, draws, seed)
    named_ones = measures is not None
    rates = stated_rates(rate, chosen, predictions.kind, named=named_ones) if inference else {}
    rows = list(_rows(predictions, chosen, setting, inference, named=named_ones))
    rows, untested = _against_rates(predictions, chosen, rows, rates)
    return Assessment(
        outcome=predictions.kind,
        n=predictions.n,
        origin="test",
        origin_stated=origin is not None,
        threshold=labelling_threshold(predictions),
        seed=seed if inference else None,
        primary=main,
        estimates=tuple(rows),
        advice=(
            *advice_on_primary(main),
            *_advice(predictions, chosen, rows, inference),
            *untested,
            *_unused(stream, roles),
        ),
        described=roles.sentence(stream.rows),
        dropped=dropped,
    )


class _Known(NamedTuple):
    """What can be told from a summary of one kind of predictions."""

    value: Callable[..., float]
    chance: Callable[..., float | None]
    interval: Callable[..., Interval | None]
    skill: Callable[..., Skill | None] | None
    tests: Callable[..., Mapping[str, Test]]


KNOWN: dict[str, _Known] = {
    "binary": _Known(
        from_summary, of_two.chance, of_two.interval, of_two.skill, tests_of.against_chance
    ),
    "multiclass": _Known(
        from_classes,
        shuffled,
        of_others.of_classes,
        of_others.skill_of_classes,
        tests_of.classes_against_chance,
    ),
    "numeric": _Known(
        from_numbers,
        of_others.chance_of_numbers,
        of_others.of_numbers,
        None,
        tests_of.numbers_against_chance,
    ),
}


def _chosen(predictions: View, measures: Iterable[str | Measure] | None) -> Sequence[Measure]:
    if measures is None:
        return [at_threshold(m, predictions) for m in applicable(predictions)]
    return [fit(m, predictions) for m in named(measures)]


def _primary(predictions: View, labels: Sequence[str], primary: str | None) -> str | None:
    if primary is not None:
        label = find(primary).for_outcome(predictions.kind).label
        if label not in labels:
            raise NotApplicable(f"the primary measure {label!r} is not among those assessed.")
        return label
    usual = [name for name in PRIMARY[predictions.kind] if name in labels]
    return usual[0] if usual else next(iter(labels), None)


def _rows(
    predictions: View,
    measures: Sequence[Measure],
    setting: Setting,
    inference: bool,
    named: bool,
) -> Iterator[Estimate]:
    """A row for each measure; those that need the cases only where they were asked for by name."""
    known = KNOWN[predictions.kind]
    values, reasons = {}, {}
    for m in measures:
        try:
            values[m] = known.value(m, predictions)
        except NotApplicable as reason:
            reasons[m] = str(reason)
    tests = known.tests(predictions, values) if inference else {}
    for m in measures:
        value = values.get(m, float("nan"))
        row = Estimate(measure=m.label, title=m.heading, family=m.family.value, value=value)
        if m in reasons:
            if named:
                yield replace(row, undefined=reasons[m])
            continue
        words = _remark(m, predictions, value)
        row = replace(
            row,
            chance=known.chance(m, predictions),
            reference=_reference(m, predictions),
            undefined=words if np.isnan(value) else None,
            remark=None if np.isnan(value) else words,
        )
        if inference:
            row = replace(row, interval=known.interval(m, predictions, value, setting))
            row = replace(row, skill=_skill(row, m, predictions, setting))
        yield _tested(row, tests.get(m.label))
    if isinstance(predictions, SummarisedClasses):
        yield from _per_class(predictions, list(values))


def _against_rates(
    predictions: View,
    measures: Sequence[Measure],
    rows: list[Estimate],
    rates: Mapping[str, float | str],
) -> tuple[list[Estimate], list[Advice]]:
    """Rows tested against the rates that were stated, and a remark on those that cannot be."""
    known = {m.label: m for m in measures}
    found, untested = [], []
    for row in rows:
        if row.measure in rates and row.class_ is None:
            try:
                if isinstance(predictions, SummarisedNumbers):
                    raise NotApplicable(NO_SHARE)
                table = predictions.confusion
                test, rate = counted_against(known[row.measure], table, rates[row.measure])
                row = replace(_tested(row, test), chance=rate)
            except NotApplicable as reason:
                untested.append(f"{row.measure}: {reason}")
        found.append(row)
    return found, [advice_on_rate(" ".join(untested))] if untested else []


def _per_class(predictions: SummarisedClasses, measures: list[Measure]) -> Iterator[Estimate]:
    """Rows for each class: those of counts, which come first; calibration needs the cases."""
    try:
        yield from rows_per_class(measures, predictions, None)
    except NotApplicable:
        return


def _reference(measure: Measure, predictions: View) -> float | None:
    try:
        return reference_level(measure, predictions)
    except NotApplicable:
        if isinstance(predictions, SummarisedNumbers):
            return of_others.reference_of_numbers(measure, predictions)
        return None


def _skill(row: Estimate, measure: Measure, predictions: View, setting: Setting) -> Skill | None:
    if measure.law is Law.SHARE and row.reference is not None and np.isfinite(row.value):
        table = predictions.confusion  # type: ignore[union-attr]  # shares are of classes
        return table_skill(measure, table, row.value, row.reference, setting.level)
    told = KNOWN[predictions.kind].skill
    found = None if told is None else told(measure, predictions, row.value, setting)
    return gain_over(row, measure) if found is None else found


def _tested(row: Estimate, test: Test | None) -> Estimate:
    if test is None:
        return row
    return replace(
        row,
        p_value=test.p_value,
        alternative=test.alternative,
        hypothesis=test.hypothesis,
        test=test.method,
    )


def _remark(measure: Measure, predictions: View, value: float) -> str | None:
    if np.isnan(value):
        return measure.undefined or "not defined for these cases"
    if not np.isinf(value):
        return None
    count = predictions.sums.impossible if isinstance(predictions, Summarised) else 0
    if count:
        return f"{count} case{'s' * (count != 1)} had an outcome of predicted probability 0"
    return "an outcome had a predicted probability of 0" if measure.law is Law.MEAN else None


def _advice(
    predictions: View, measures: Sequence[Measure], rows: Sequence[Estimate], inference: bool
) -> Iterator[Advice]:
    yield from _on_bounds(predictions, measures)
    told = {row.measure for row in rows}
    law = {m.label: m.law for m in measures}
    if inference:
        yield from advice_on_tests(rows)
        whole = [r for r in rows if r.class_ is None and law[r.measure] is not Law.CALIBRATION]
        bare = [r.measure for r in whole if r.interval is None and np.isfinite(r.value)]
        said = (
            "intervals of means and of functions of means are normal, and tests other than those "
            "of two classes' counts use the normal distribution: a stream is not resampled."
        )
        if bare:
            said += f" No interval for {', '.join(bare)}."
        yield Advice("AC461", said)
    left_out = [m.label for m in measures if m.label not in told]
    if left_out:
        yield Advice(
            "AC462",
            f"left out, for they need all cases at once: {', '.join(left_out)}. Assess a random "
            "part of the cases in memory for them.",
        )


def _on_bounds(predictions: View, measures: Sequence[Measure]) -> Iterator[Advice]:
    if not isinstance(predictions, Summarised):
        return
    bounds = ((m.label, error_bound(m, predictions)) for m in measures)
    told = [f"{label} ± {off:.1g}" for label, off in bounds if off > 0]
    if told:
        yield Advice(
            "AC460",
            f"from class counts in narrow cells of the score axis, certain to within: "
            f"{', '.join(told)}. exact=True (--exact) reads the file again for exact ranks.",
        )


def _unused(stream: Stream, roles: Roles) -> Iterator[Advice]:
    name = weight_like(stream.head(1), roles)
    if name is not None:
        yield Advice("AC463", f"column {name!r} was not used; a stream takes no weights.")
