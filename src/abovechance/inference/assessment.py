"""From predictions to every applicable measure, each with what is known about it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.estimates import Assessment, Estimate
from abovechance.measures import Measure, applicable, find, per_class, per_output
from abovechance.measures.averaging import undefined_classes
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, View

OF_EACH_CLASS = ("sensitivity", "specificity", "ppv", "npv", "f1")


def assess(
    predictions: Predictions,
    measures: Iterable[str | Measure] | None = None,
    *,
    primary: str | Measure | None = None,
    by: Any = None,
    by_name: str = "",
    dialect: str | None = None,
) -> Assessment:
    """Every applicable measure of predictions, in one table.

    Parameters
    ----------
    predictions
        Binary, Multiclass, Numeric or Survival.
    measures
        Names or measures; all applicable ones when not given.
    primary
        The measure the study is about; the others are descriptive. The log score when
        probabilities are given, else balanced accuracy.
    by
        One value a case: the measures again for each subgroup.
    dialect
        "familiar" computes as that R package does.

    Examples
    --------
    >>> from abovechance.predictions import Binary
    >>> assessment = assess(Binary([0, 0, 1, 1], probability=[0.1, 0.4, 0.6, 0.9]))
    >>> assessment["brier"].value
    0.085
    """
    chosen = _chosen(predictions, measures, dialect)
    main = _primary(predictions, chosen, primary)
    rows = list(_rows(predictions, chosen, None))
    for name, part in _parts(predictions, by, by_name):
        rows.extend(_rows(part, chosen, name))
    return Assessment(
        outcome=predictions.kind,
        n=predictions.n,
        origin=predictions.origin,
        seed=None,
        primary=main,
        estimates=tuple(rows),
        advice=(*predictions.notes, *_advice(predictions)),
        described=predictions.described,
        dropped=predictions.dropped,
    )


def estimate(measure: Measure, predictions: Predictions, by: str | None = None) -> Estimate:
    """One measure of all cases: its value, its chance level, and why it is undefined if it is."""
    measure = measure.for_outcome(predictions.kind)
    value = measure.of(predictions)
    return Estimate(
        measure=measure.label,
        title=measure.title,
        family=measure.family.value,
        value=value,
        chance=chance_level(measure, predictions),
        by=by,
        undefined=remark(measure, predictions, value),
    )


def chance_level(measure: Measure, predictions: Predictions) -> float | None:
    """What an uninformative prediction would score here."""
    if measure.chance is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        level = measure.chance(predictions, measure)
    return None if np.isnan(level) else level


def remark(measure: Measure, predictions: Predictions, value: float) -> str | None:
    """Why a value is undefined or infinite, or what an average had to leave out."""
    if np.isnan(value):
        return measure.undefined or "not defined for these cases"
    if isinstance(predictions, Binary | Multiclass):
        if np.isinf(value) and measure.reads is View.PROBABILITY:
            return _impossible(predictions)
        if isinstance(predictions, Multiclass) and measure.average is not None:
            left_out = undefined_classes(measure, predictions.class_counts)
            names = [str(c) for c, out in zip(predictions.classes, left_out, strict=True) if out]
            if names:
                return f"left out {', '.join(names)}: {measure.undefined}"
    return None


def _impossible(predictions: Binary | Multiclass) -> str:
    assert predictions.probability is not None
    if isinstance(predictions, Binary):
        given = np.where(predictions.positive, predictions.probability, 1 - predictions.probability)
    else:
        given = predictions.probability[predictions.actual, np.arange(predictions.n)]
    count = int((given == 0).sum())
    return f"{count} case{'s' * (count != 1)} had an outcome of predicted probability 0"


def _chosen(
    predictions: Predictions, measures: Iterable[str | Measure] | None, dialect: str | None
) -> list[Measure]:
    if measures is None:
        known = applicable(predictions)
        return known if dialect is None else [find(m.name, dialect=dialect) for m in known]
    chosen = [find(m, dialect=dialect) if isinstance(m, str) else m for m in measures]
    if not chosen:
        raise NotApplicable("no measure was named; leave measures= out for all that apply.")
    from abovechance.measures.evaluation import fit

    return [fit(m, predictions) for m in chosen]


def _primary(
    predictions: Predictions, chosen: Sequence[Measure], primary: str | Measure | None
) -> str | None:
    if primary is not None:
        named = find(primary) if isinstance(primary, str) else primary
        label = named.for_outcome(predictions.kind).label
        if label not in {m.label for m in chosen}:
            raise NotApplicable(f"the primary measure {label!r} is not among those assessed.")
        return label
    order = {
        "binary": ("log_score", "balanced_accuracy", "auc"),
        "multiclass": ("log_score", "balanced_accuracy"),
        "numeric": ("mse", "arrmse"),
        "survival": ("c_index", "integrated_brier"),
    }
    labels = [m.label for m in chosen]
    found = [name for name in order[predictions.kind] if name in labels]
    return found[0] if found else (labels[0] if labels else None)


def _rows(
    predictions: Predictions, measures: Sequence[Measure], by: str | None
) -> Iterator[Estimate]:
    outputs = predictions.outputs if isinstance(predictions, Numeric) else ()
    for measure in measures:
        if isinstance(predictions, Numeric) and len(outputs) > 1 and not measure.many_outputs:
            yield from _each_output(measure, predictions, by)
        else:
            yield estimate(measure, predictions, by)
    if isinstance(predictions, Multiclass):
        yield from _each_class(measures, predictions, by)


def _each_output(measure: Measure, predictions: Numeric, by: str | None) -> Iterator[Estimate]:
    values = per_output(measure, predictions)
    for d, name in enumerate(predictions.outputs):
        single = predictions.output(d)
        yield Estimate(
            measure=measure.label,
            title=measure.title,
            family=measure.family.value,
            value=float(values[d]),
            chance=chance_level(measure, single),
            by=by,
            output=name,
            undefined=remark(measure, single, float(values[d])),
        )


def _each_class(
    measures: Sequence[Measure], predictions: Multiclass, by: str | None
) -> Iterator[Estimate]:
    wanted = {m.name for m in measures}
    for name in OF_EACH_CLASS:
        if not wanted & {name, f"{name}_macro"}:
            continue
        measure = find(name)
        values = per_class(measure, predictions)
        for label, value in zip(predictions.classes, values, strict=True):
            yield Estimate(
                measure=measure.name,
                title=measure.title,
                family=measure.family.value,
                value=float(value),
                chance=chance_level(measure, predictions.against_rest(label)),
                by=by,
                class_=str(label),
                undefined=measure.undefined if np.isnan(value) else None,
            )


def _parts(predictions: Predictions, by: Any, name: str) -> Iterator[tuple[str, Predictions]]:
    if by is None:
        return
    column = np.asarray(by)
    if column.shape != (predictions.n,):
        raise DataError(
            f"by must hold one value for each of the {predictions.n} cases; got {column.shape}."
        )
    for value in np.unique(column.astype(str) if column.dtype.kind == "O" else column).tolist():
        mask = column.astype(str) == str(value) if column.dtype.kind == "O" else column == value
        yield (f"{name}={value}" if name else str(value)), predictions.take(mask)


def _advice(predictions: Predictions) -> Iterator[Advice]:
    if predictions.dropped:
        yield Advice(
            "AC001",
            f"{predictions.dropped} cases with a missing value were dropped; "
            "if they are not missing at random the results do not hold for all.",
        )
    if isinstance(predictions, Binary | Multiclass):
        absent = [
            str(c)
            for c, share in zip(predictions.classes, predictions.prevalences, strict=True)
            if share == 0
        ]
        if absent:
            yield Advice("AC002", f"no case of {', '.join(absent)} was observed.")
