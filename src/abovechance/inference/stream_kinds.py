"""What a stream holds: its columns' roles, and the summary of the kind of predictions they make."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from abovechance.errors import ColumnError, DataError, NotApplicable
from abovechance.inference.readings import BOUND, NO_CASE, Readings, summarised
from abovechance.io.arrow_files import Stream
from abovechance.io.roles import Roles, class_columns, distinct, find_roles
from abovechance.io.streamed_cases import (
    ClassCases,
    NumberCases,
    Progress,
    Seen,
    StreamCases,
    classes_of,
)
from abovechance.measures import every
from abovechance.measures.class_summary import ClassSummary, SummarisedClasses
from abovechance.measures.measure import Form, Measure
from abovechance.measures.number_summary import NumberSummary, SummarisedNumbers
from abovechance.measures.summary import BinarySummary, Summarised
from abovechance.numerics.binned_ranks import BinnedRanks
from abovechance.numerics.counts import ClassSums
from abovechance.predictions.binary import two_classes
from abovechance.predictions.checks import same_label

DEPENDENCE = ("groups", "sample_weight", "counts", "fold", "repeat", "order")
PREDICTIONS = ("probability", "probabilities", "score", "label", "value")
Found = tuple[Summarised | SummarisedClasses | SummarisedNumbers, int]


def stream_roles(
    stream: Stream, stated: Roles, origin: str | None = None, *, categorical: bool = False
) -> Roles:
    """Which column is what, seen from the first rows; refused if a stream cannot take it."""
    roles = find_roles(stream.head(), stated, categorical=categorical)
    if roles.columns("time"):
        raise NotApplicable("survival times need all cases in memory; a stream cannot take them.")
    for role in DEPENDENCE:
        if roles.columns(role) and not (role in ("fold", "repeat") and origin == "test"):
            raise NotApplicable(
                f"cases of a stream count one each and are independent; column "
                f"{roles.columns(role)[0]!r} holds {role}. Assess such a file in memory."
            )
    if origin not in (None, "test"):
        raise NotApplicable(f"a stream is taken for a test set; origin is {origin!r}.")
    kinds = [role for role in PREDICTIONS if roles.columns(role)]
    if len(kinds) > 1 or len(roles.outcome) > 1 or len(roles.value) > 1:
        what = " and ".join(kinds) if len(kinds) > 1 else "several outcomes or values"
        raise NotApplicable(
            f"a stream takes one outcome and one kind of prediction; there are {what}. "
            "Say which, or assess the file in memory."
        )
    return roles


def read_summary(
    stream: Stream,
    roles: Roles,
    *,
    pos_label: Any = None,
    threshold: float | None = None,
    missing: str = "refuse",
    exact: bool = False,
    bound: float = BOUND,
    progress: Progress | None = None,
) -> Found:
    """The summary of all cases of a stream, and how many were dropped."""
    outcome = roles.outcome[0]
    if roles.value:
        return _numbers(NumberCases(stream, outcome, roles.value[0], missing), progress)
    if roles.columns("label"):
        return _labels(stream, roles, pos_label, missing, progress)
    columns = _columns_of_classes(stream, roles)
    if len(columns) > 2:
        cases = ClassCases(stream, outcome, tuple(columns), None, columns, missing)
        return _classes(cases, Readings(progress))
    if columns:
        column, probabilities = _of_positive(columns, pos_label), True
    else:
        column = (*roles.columns("probability"), *roles.columns("score"))[0]
        probabilities = bool(roles.columns("probability"))
    two = StreamCases(stream, outcome, column, probabilities, missing, Seen.of(pos_label))
    found = summarised(two, threshold=threshold, exact=exact, bound=bound, progress=progress)
    return found, two.seen.dropped


def _numbers(cases: NumberCases, progress: Progress | None) -> Found:
    summary = NumberSummary.gather(_means("numeric"), cases.read(Readings(progress).next()))
    if summary is None:
        raise DataError(NO_CASE)
    return SummarisedNumbers(summary, name=cases.outcome), cases.seen.dropped


def _classes(cases: ClassCases, readings: Readings) -> Found:
    measures, found = _means("multiclass"), None
    for actual, prediction in cases.read(readings.next()):
        more = ClassSummary.of(measures, actual, prediction, len(cases.classes))
        found = more if found is None else found + more
    if found is None:
        raise DataError(NO_CASE)
    return SummarisedClasses(found, cases.classes), cases.seen.dropped


def _labels(
    stream: Stream, roles: Roles, pos_label: Any, missing: str, progress: Progress | None
) -> Found:
    """Predicted labels: one reading for the classes, another to count; two classes or more."""
    readings = Readings(progress, planned=2)
    outcome, label = roles.outcome[0], roles.columns("label")[0]
    classes = classes_of(stream, [outcome, label], readings.next())
    if len(classes) > 2:
        return _classes(ClassCases(stream, outcome, tuple(classes), label, {}, missing), readings)
    pair = two_classes(np.array(classes), None, pos_label, None)
    found, dropped = _classes(ClassCases(stream, outcome, pair, label, {}, missing), readings)
    (tn, fp), (fn, tp) = found.confusion.astype(int).tolist()  # type: ignore[union-attr]
    summary = BinarySummary(
        positives=ClassSums(n=fn + tp, called=tp),
        negatives=ClassSums(n=tn + fp, called=fp),
        ranks=BinnedRanks.empty(),
        probabilities=False,
    )
    return Summarised(summary, classes=pair), dropped


def _columns_of_classes(stream: Stream, roles: Roles) -> dict[Any, str]:
    if not roles.probabilities:
        return {}
    return class_columns(roles.probabilities, distinct(stream.head().labels(roles.outcome[0])))


def _of_positive(columns: dict[Any, str], pos_label: Any) -> str:
    positive = 1 if pos_label is None else pos_label
    fits = [name for label, name in columns.items() if same_label(label, positive)]
    if not fits:
        raise ColumnError(
            f"the positive class {positive!r} must have a column of probabilities; there is only "
            f"{', '.join(columns.values())}. Say which class is positive with pos_label=."
        )
    return fits[0]


def _means(kind: str) -> Sequence[Measure]:
    """Every measure of a kind of outcome that is a mean of one loss a case."""
    versions = [m.for_outcome(kind) for m in every().values() if kind in m.outcomes]
    return [m for m in versions if m.form is Form.LOSSES and not m.many_outputs]
