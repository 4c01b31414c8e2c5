"""From one value per class to one for all: macro, micro and weighted averages."""

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.measures.measure import Form, Measure


def class_values(measure: Measure, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> Floats:
    """The value of each class; 0/0 is undefined."""
    found = measure.formula(tp, fp, fn, tn, **measure.parameters)
    if measure.form is Form.CLASS_RATIO:
        found = np.divide(*found)
    return np.asarray(found if measure.after is None else measure.after(found))


def averaged(measure: Measure, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> Floats:
    """One value over the classes, the last axis.

    Micro pools the counts. Macro is the mean over the classes where the value is defined;
    weighted weighs those by their prevalence. No class counts as 0 for being undefined.
    """
    if measure.average == "micro":
        pooled = (c.sum(axis=-1) for c in (tp, fp, fn, tn))
        return class_values(measure, *pooled)
    values = class_values(measure, tp, fp, fn, tn)
    return defined_mean(values, tp + fn if measure.average == "weighted" else 1.0)


def defined_mean(values: Floats, weight: Floats | float = 1.0) -> Floats:
    """Weighted mean over the last axis, skipping what is undefined."""
    weight = np.where(np.isnan(values), 0.0, weight)
    terms = np.where(weight > 0, values, 0.0) * weight
    return np.asarray(terms.sum(axis=-1) / weight.sum(axis=-1))


def undefined_classes(measure: Measure, counts: tuple[Floats, ...]) -> Bools:
    """Which classes an average had to leave out."""
    if measure.average in (None, "micro"):
        return np.zeros(counts[0].shape, dtype=np.bool_)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.isnan(class_values(measure, *counts))
