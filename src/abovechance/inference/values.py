"""Point values as rows: of all cases, of each class, of each output."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from abovechance.inference.estimates import Estimate
from abovechance.measures import Calibration, Law, Measure, find, per_class, per_output
from abovechance.measures.averaging import undefined_classes
from abovechance.measures.calibration import remark_on
from abovechance.measures.sample import Sample
from abovechance.measures.shuffled import shuffled
from abovechance.predictions import Multiclass, Numeric, Predictions, View

LINES = (Calibration.LEVEL, Calibration.INTERCEPT, Calibration.SLOPE)
CALIBRATION_OF_EACH_CLASS = ("calibration_in_the_large", "calibration_slope", "ece")
OF_EACH_CLASS = ("sensitivity", "specificity", "ppv", "npv", "f1")


def estimate(measure: Measure, predictions: Predictions, by: str | None = None) -> Estimate:
    """One measure of all cases: its value, its chance level, and why it is undefined if it is."""
    measure = measure.for_outcome(predictions.kind)
    value = measure.of(predictions)
    words = remark(measure, predictions, value)
    return Estimate(
        measure=measure.label,
        title=titled(measure, predictions),
        family=measure.family.value,
        value=value,
        time=time_of(measure, predictions),
        chance=shuffled(measure, predictions),
        reference=reference_level(measure, predictions),
        by=by,
        undefined=words if np.isnan(value) else None,
        remark=None if np.isnan(value) else words,
    )


def time_of(measure: Measure, predictions: Any) -> float | None:
    """The time a survival measure is at: as stated, else the last that was predicted."""
    if predictions.kind != "survival" or "t" not in measure.parameters:
        return None
    stated, times = measure.parameters["t"], predictions.times
    if stated is not None:
        return float(stated)
    return None if times is None else float(times[-1])


def titled(measure: Measure, predictions: Predictions) -> str:
    """The title of a measure with all that its value depends on; a time by its number."""
    time = time_of(measure, predictions)
    if time is None:
        return measure.heading
    plain = replace(measure, parameters={**measure.parameters, "t": None}).heading
    return plain.replace("at a time", f"at time {time:g}")


def reference_level(measure: Measure, predictions: Predictions) -> float | None:
    """What the same prediction for every case would score here at best."""
    if measure.reference is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        level = measure.reference(predictions, measure)
    return None if np.isnan(level) else level


def remark(measure: Measure, predictions: Any, value: float) -> str | None:
    """Why a value is undefined or infinite, or what an average had to leave out."""
    line = measure.calibration in LINES and not np.isfinite(value)
    if line and predictions.kind == "binary" and View.PROBABILITY in predictions.views:
        return remark_on(predictions, value)
    if np.isnan(value):
        return measure.undefined or "not defined for these cases"
    if measure.parameters.get("t", 0) is None:
        times = getattr(predictions, "times", None)
        if times is not None and len(times) > 1:
            return f"the last of {len(times)} predicted times; {measure.name}(t) for another"
    if np.isinf(value) and measure.reads is View.PROBABILITY:
        return _impossible(predictions) or measure.undefined or None
    if predictions.kind == "multiclass" and measure.average is not None:
        left_out = undefined_classes(measure, predictions.class_counts)
        names = [str(c) for c, out in zip(predictions.classes, left_out, strict=True) if out]
        if names:
            return f"left out {', '.join(names)}: {measure.undefined}"
    return None


def rows_per_output(measure: Measure, predictions: Numeric, by: str | None) -> Iterator[Estimate]:
    """A row for each output."""
    values = per_output(measure, predictions)
    for d, name in enumerate(predictions.outputs):
        single = predictions.output(d)
        words = remark(measure, single, float(values[d]))
        yield Estimate(
            measure=measure.label,
            title=measure.heading,
            family=measure.family.value,
            value=float(values[d]),
            chance=shuffled(measure, single),
            reference=reference_level(measure, single),
            by=by,
            output=name,
            undefined=words if np.isnan(values[d]) else None,
            remark=None if np.isnan(values[d]) else words,
        )


def rows_per_class(
    measures: Sequence[Measure], predictions: Multiclass, by: str | None
) -> Iterator[Estimate]:
    """A row for each class, of the measures clinicians ask for."""
    wanted = {m.name for m in measures}
    for name in OF_EACH_CLASS:
        if not wanted & {name, f"{name}_macro"}:
            continue
        measure = find(name)
        values = per_class(measure, predictions)
        for label, value in zip(predictions.classes, values, strict=True):
            yield Estimate(
                measure=measure.name,
                title=measure.heading,
                family=measure.family.value,
                value=float(value),
                chance=shuffled(measure, predictions.against_rest(label)),
                reference=reference_level(measure, predictions.against_rest(label)),
                by=by,
                class_=str(label),
                undefined=measure.undefined if np.isnan(value) else None,
            )
    if predictions.probability is not None and any(m.law is Law.CALIBRATION for m in measures):
        for label in predictions.classes:
            alone = predictions.against_rest(label)
            for name in CALIBRATION_OF_EACH_CLASS:
                yield replace(estimate(find(name), alone, by), class_=str(label))


def _impossible(predictions: Predictions) -> str:
    """How many cases happened against all odds, in words; empty when none did."""
    given = Sample.of(predictions).probability_given
    cases = predictions.cases
    each = cases.counts if cases.counts is not None else np.ones(predictions.n)
    weighed = cases.sample_weight is None or cases.sample_weight > 0
    count = int(each[(given == 0) & weighed].sum())
    words = f"{count} case{'s' * (count != 1)} had an outcome of predicted probability 0"
    return words if count else ""
