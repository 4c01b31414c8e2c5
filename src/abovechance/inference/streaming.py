"""Predictions in a file larger than memory, read piece by piece and assessed from summaries."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.errors import DataError, FileError, NotApplicable
from abovechance.inference.assessment import PRIMARY
from abovechance.inference.defaults import Setting
from abovechance.inference.estimates import Assessment, Estimate
from abovechance.inference.intervals.summarised import interval, skill
from abovechance.inference.results import Test
from abovechance.inference.significance.summarised import against_chance
from abovechance.inference.values import chance_level
from abovechance.io.roles import Roles, find_roles, weight_like
from abovechance.io.stream_cases import Progress, Seen, StreamCases
from abovechance.io.streams import Stream, open_stream
from abovechance.measures import Law, Measure, applicable, find
from abovechance.measures.evaluation import fit
from abovechance.measures.summary import BinarySummary, Summarised, error_bound, from_summary
from abovechance.numerics.binned_ranks import UNIT, Grid
from abovechance.numerics.finer_ranks import (
    BUFFER,
    Collector,
    Splitter,
    Stretches,
    collectable,
    heaviest,
    unsettled,
)
from abovechance.numerics.rank_bounds import RankTotals
from abovechance.resampling import seed_of

BOUND = 1e-6  # by how much the area under the ROC curve may be off
MOST_READINGS = 8  # to make the cells finer
DEPENDENCE = ("groups", "sample_weight", "counts", "fold", "repeat")
OTHER_KINDS = ("probabilities", "label", "value", "time", "event", "risk", "predicted_time")
TWO_CLASSES = (
    "a stream is assessed for two classes and one column of probabilities or scores; "
    "{what} needs all cases in memory."
)


def assess_stream(
    path: str | os.PathLike[str],
    measures: Iterable[str | Measure] | None = None,
    *,
    outcome: str | None = None,
    probability: str | None = None,
    score: str | None = None,
    pos_label: Any = None,
    threshold: float | None = None,
    origin: str | None = None,
    missing: str = "refuse",
    primary: str | None = None,
    rate: float | str | None = None,
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
    outcome, probability, score
        Columns, found by name where not stated; a probability or a score, not both.
    bound
        By how much the area may be off. Where the first reading leaves more open, the file is read
        again.
    exact
        Whether to sort all scores out by further readings: exact ranks, whatever the memory.
    progress
        Called with the number of rows read and to be read.

    Others are as in `assess` and `read`.
    """
    if not 0.0 < confidence_level < 1.0:
        raise DataError(f"confidence_level must lie between 0 and 1; got {confidence_level}.")
    stream = open_stream(path)
    if stream is None:
        raise FileError(f"only Parquet files are read in pieces; {os.fspath(path)} is none.")
    stated = Roles(outcome=(outcome,) if outcome else (), probability=probability, score=score)
    roles = stream_roles(stream, stated, origin)
    cases = _cases(stream, roles, pos_label, missing)
    predictions = summarised(
        cases, threshold=threshold, exact=exact, bound=bound, progress=progress
    )
    seed = seed_of(rng)
    chosen = _chosen(predictions, measures)
    labels = [m.label for m in chosen]
    main = _primary(labels, primary)
    setting = Setting(predictions, chosen, confidence_level, draws, seed)
    rows = list(_rows(predictions, chosen, setting, rate, inference, named=measures is not None))
    return Assessment(
        outcome="binary",
        n=predictions.n,
        origin="test",
        seed=seed if inference else None,
        primary=main,
        estimates=tuple(rows),
        advice=(*_advice(predictions, chosen, rows, inference), *_unused(stream, roles)),
        described=roles.sentence(stream.rows),
        dropped=cases.seen.dropped,
    )


def stream_roles(stream: Stream, stated: Roles, origin: str | None = None) -> Roles:
    """Which column is what, seen from the first rows; refused if a stream cannot take it."""
    head = stream.head()
    roles = find_roles(head, stated)
    for role in OTHER_KINDS:
        if roles.columns(role):
            raise NotApplicable(TWO_CLASSES.format(what=f"{role} ({roles.columns(role)[0]})"))
    for role in DEPENDENCE:
        if roles.columns(role) and not (role in ("fold", "repeat") and origin == "test"):
            raise NotApplicable(
                f"cases of a stream count one each and are independent; column "
                f"{roles.columns(role)[0]!r} holds {role}. Assess such a file in memory."
            )
    if origin not in (None, "test"):
        raise NotApplicable(f"a stream is taken for a test set; origin is {origin!r}.")
    if roles.columns("probability") and roles.columns("score"):
        raise NotApplicable(TWO_CLASSES.format(what="a probability beside a score"))
    return roles


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
    readings = _Readings(cases, progress)
    grid = UNIT if cases.probabilities else Grid.over(*cases.extremes(readings.next()))
    if threshold is None and cases.probabilities:
        threshold = 0.5
    summary = BinarySummary.gather(
        cases.read(readings.next()),
        threshold=threshold,
        grid=grid,
        probabilities=cases.probabilities,
    )
    if summary.n == 0:
        raise DataError("there must be at least one complete case; there is none.")
    stretches = Stretches.of(summary.ranks)
    totals = stretches.totals
    for _ in range(MOST_READINGS):
        chosen = np.zeros(len(stretches), dtype=np.bool_)
        if totals.auc_bound > bound:
            chosen |= heaviest(stretches, bound)
        if exact:
            chosen |= unsettled(stretches) & (stretches.size > buffer)
        if not chosen.any():
            break
        splitter = Splitter(stretches, chosen)
        readings.feed(splitter.add)
        stretches = splitter.stretches
        totals = stretches.totals
    if exact:
        totals = _sorted_out(stretches, totals, readings, buffer)
    return Summarised(summary, stretches=stretches, totals=totals, classes=cases.seen.classes)


def _sorted_out(
    stretches: Stretches, totals: RankTotals, readings: "_Readings", buffer: int
) -> RankTotals:
    """Exact ranks: the scores of run after run of stretches are collected and sorted."""
    of = totals.n_positive, totals.n_negative
    found, below = RankTotals(n_positive=of[0], n_negative=of[1]), (0, 0)
    runs = list(collectable(stretches, buffer))
    readings.planned += sum(bool(wanted.any()) for _, wanted in runs)
    for run, wanted in runs:
        part = stretches[run]
        collector = Collector(part, wanted)
        if wanted.any():
            readings.feed(collector.add, planned=True)
        found = found + collector.totals(below, of)
        below = below[0] + int(part.positives.sum()), below[1] + int(part.negatives.sum())
    return found


class _Readings:
    """Readings of the same cases one after another, as one progress."""

    def __init__(self, cases: StreamCases, progress: Progress | None) -> None:
        self._cases, self._progress = cases, progress
        self._begun = 0
        self.planned = 1 if cases.probabilities else 2

    def next(self) -> Progress | None:
        """The progress of one more reading."""
        before, self._begun = self._begun, self._begun + 1
        progress = self._progress
        if progress is None:
            return None

        def tell(done: int, rows: int) -> None:
            progress(before * rows + done, max(self.planned, self._begun) * rows)

        return tell

    def feed(self, add: Callable[[Any, Any], None], *, planned: bool = False) -> None:
        """Read all cases once more, into something that takes scores and classes."""
        self.planned += 0 if planned else 1
        for positive, score in self._cases.read(self.next()):
            add(score, positive)


def _cases(stream: Stream, roles: Roles, pos_label: Any, missing: str) -> StreamCases:
    if missing not in ("refuse", "drop"):
        raise DataError(f"missing must be 'refuse' or 'drop'; got {missing!r}.")
    column = (*roles.columns("probability"), *roles.columns("score"))[0]
    probabilities = bool(roles.columns("probability"))
    seen = Seen.of(pos_label)
    return StreamCases(stream, roles.outcome[0], column, probabilities, missing, seen)


def _chosen(predictions: Summarised, measures: Iterable[str | Measure] | None) -> Sequence[Measure]:
    if measures is None:
        return applicable(predictions)
    named = [find(m) if isinstance(m, str) else m for m in measures]
    if not named:
        raise NotApplicable("no measure was named; leave measures= out for all that apply.")
    return [fit(m, predictions) for m in named]


def _primary(labels: Sequence[str], primary: str | None) -> str | None:
    if primary is not None:
        label = find(primary).label
        if label not in labels:
            raise NotApplicable(f"the primary measure {label!r} is not among those assessed.")
        return label
    usual = [name for name in PRIMARY["binary"] if name in labels]
    return usual[0] if usual else next(iter(labels), None)


def _rows(
    predictions: Summarised,
    measures: Sequence[Measure],
    setting: Setting,
    rate: float | str | None,
    inference: bool,
    named: bool,
) -> Iterator[Estimate]:
    """A row for each measure; those that need the cases only where they were asked for by name."""
    values, reasons = {}, {}
    for m in measures:
        try:
            values[m] = from_summary(m, predictions)
        except NotApplicable as reason:
            reasons[m] = str(reason)
    tests = against_chance(predictions, values, rate) if inference else {}
    for m in measures:
        value = values.get(m, float("nan"))
        row = Estimate(measure=m.label, title=m.heading, family=m.family.value, value=value)
        if m in reasons:
            if named:
                yield replace(row, undefined=reasons[m])
            continue
        row = replace(
            row, chance=chance_level(m, predictions), undefined=_remark(m, predictions, value)
        )
        if inference:
            row = replace(
                row,
                interval=interval(m, predictions, value, setting),
                skill=skill(m, predictions, value, setting),
            )
        yield _tested(row, tests.get(m.label))


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


def _remark(measure: Measure, predictions: Summarised, value: float) -> str | None:
    if np.isnan(value):
        return measure.undefined or "not defined for these cases"
    count = predictions.sums.impossible
    if np.isinf(value) and count:
        return f"{count} case{'s' * (count != 1)} had an outcome of predicted probability 0"
    return None


def _advice(
    predictions: Summarised, measures: Sequence[Measure], rows: Sequence[Estimate], inference: bool
) -> Iterator[Advice]:
    yield from _on_bounds(predictions, measures)
    bare = [row.measure for row in rows if row.interval is None and np.isfinite(row.value)]
    law = {m.label: m.law for m in measures}
    bare = [name for name in bare if law[name] is not Law.CALIBRATION]
    if inference:
        said = "intervals of means and of functions of means are normal, and tests other than "
        said += "Fisher's use the normal distribution: a stream is not resampled."
        if bare:
            said += f" No interval for {', '.join(bare)}."
        yield Advice("AC061", said)
    left_out = [m.label for m in measures if m.label not in {row.measure for row in rows}]
    if left_out:
        yield Advice(
            "AC062",
            f"left out, for they need all cases at once: {', '.join(left_out)}. Assess a random "
            "part of the cases in memory for them.",
        )


def _on_bounds(predictions: Summarised, measures: Sequence[Measure]) -> Iterator[Advice]:
    bounds = ((m.label, error_bound(m, predictions)) for m in measures)
    told = [f"{label} ± {off:.1g}" for label, off in bounds if off > 0]
    if told:
        yield Advice(
            "AC060",
            f"from class counts in narrow cells of the score axis, certain to within: "
            f"{', '.join(told)}. exact=True (--exact) reads the file again for exact ranks.",
        )


def _unused(stream: Stream, roles: Roles) -> Iterator[Advice]:
    name = weight_like(stream.head(1), roles)
    if name is not None:
        yield Advice("weights", f"column {name!r} was not used; a stream takes no weights.")
