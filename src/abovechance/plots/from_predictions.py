"""From predictions straight to pictures: the numbers are made in inference, and below."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from abovechance.errors import NotApplicable
from abovechance.measures import find
from abovechance.plots.chart import Chart
from abovechance.plots.curves import (
    Curve,
    HasCurve,
    all_binary,
    named,
    precision_recall_points,
    roc_points,
    until,
)
from abovechance.plots.words import number
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival

MANY = 50_000  # cases beyond which groups of cases say as much as a smooth curve, at once
SEED = 1  # of bands, where the caller states none: the same picture every time


def of_probabilities(predictions: Any, seed: int = SEED) -> Chart:
    """Clouds of predicted probabilities."""
    from abovechance.plots.pictures.probabilities import class_probabilities, probabilities

    ((name, one),) = named(predictions).items()
    if isinstance(one, Binary):
        return probabilities(one, name=name)
    if isinstance(one, Multiclass):
        return class_probabilities(one, name=name)
    raise NotApplicable(f"probabilities are predicted for classes; got {one.kind} outcomes.")


def of_roc(predictions: Any, seed: int = SEED) -> Chart:
    """ROC curves with bands, the area beside each name."""
    from abovechance.inference import curves
    from abovechance.plots.pictures.curves import roc

    found = all_binary(predictions, "the ROC curve")
    notes = _notes(found, "auc", "AUC")
    return roc(
        {n: curves.roc(p, rng=seed) if _banded(p) else roc_points(p) for n, p in found.items()},
        notes=notes,
    )


def of_precision_recall(predictions: Any, seed: int = SEED) -> Chart:
    """Precision and recall with bands, the average precision beside each name."""
    from abovechance.inference import curves
    from abovechance.plots.pictures.curves import precision_recall

    found = all_binary(predictions, "precision and recall")
    notes = _notes(found, "average_precision", "average")
    prevalence = float(next(iter(found.values())).prevalences[1])
    shown = {
        name: until(curves.precision_recall(p, rng=seed))
        if _banded(p)
        else precision_recall_points(p)
        for name, p in found.items()
    }
    return precision_recall(shown, prevalence, notes=notes)


def of_calibration(predictions: Any, seed: int = SEED) -> Chart:
    """Smooth calibration curves with bands; of one model with its groups of cases."""
    from abovechance.inference import curves
    from abovechance.plots.pictures.curves import calibration

    found = named(predictions)
    if all(isinstance(p, Binary) and p.n > MANY and p.weight is None for p in found.values()):
        binned = {n: curves.calibration(p, method="binned", bins=20) for n, p in found.items()}
        return calibration(None, binned, notes=_notes(found, "calibration_slope", "slope"))
    smooth = {name: curves.calibration(p) for name, p in found.items()}
    groups = None
    if len(found) == 1 and all(isinstance(p, Binary) and p.weight is None for p in found.values()):
        groups = {name: curves.calibration(p, method="binned") for name, p in found.items()}
    first = next(iter(smooth.values()))
    notes = {}
    if all(isinstance(p, Binary) for p in found.values()):
        notes = _notes(found, "calibration_slope", "slope")
    return calibration(
        {name: _as_banded(c, found[name]) for name, c in smooth.items()},
        groups,
        notes=notes,
        titles=(first.x_name, first.y_name),
    )


def of_decision(predictions: Any, seed: int = SEED) -> Chart:
    """Decision curves with bands."""
    from abovechance.inference import curves
    from abovechance.plots.pictures.curves import decision

    found = all_binary(predictions, "a decision curve")
    drawn = {name: curves.decision(p, rng=seed) for name, p in found.items()}
    first = next(iter(drawn.values()))
    everyone = Curve(x=first.x, y=first.columns["treat_all"])
    return decision({n: _as_banded(c, found[n]) for n, c in drawn.items()}, everyone)


def of_confusion(predictions: Any, seed: int = SEED) -> Chart:
    """The confusion table."""
    from abovechance.measures.utility import labelling_threshold
    from abovechance.plots.pictures.confusion import confusion

    ((name, one),) = named(predictions).items()
    if isinstance(one, Binary) and one.label is None:
        raise NotApplicable("a confusion table needs labels; state threshold=.")
    if not isinstance(one, Binary | Multiclass):
        raise NotApplicable(f"a confusion table is of classes; got {one.kind} outcomes.")
    threshold = labelling_threshold(one)
    return confusion(one.confusion, one.classes, name=name, threshold=threshold)


def of_null(predictions: Any, seed: int = SEED) -> Chart:
    """The primary measure under permuted outcomes, and as observed."""
    from abovechance.plots.nulls import null_values
    from abovechance.plots.pictures.null import null

    ((_, one),) = named(predictions).items()
    measure, values = null_values(one, seed=seed)
    return null(values, measure.of(one), title=measure.title)


def of_cumulative(predictions: Any, seed: int = SEED) -> Chart:
    """The cumulative distributions of scores in both classes."""
    from abovechance.plots.pictures.classes import cumulative

    (one,) = all_binary(predictions, "cumulative distributions of classes").values()
    return cumulative(one)


def of_roc_thresholds(predictions: Any, seed: int = SEED) -> Chart:
    """The ROC curve with thresholds marked."""
    from abovechance.plots.pictures.classes import roc_thresholds

    (one,) = all_binary(predictions, "the ROC curve").values()
    return roc_thresholds(one)


def of_binomial_null(predictions: Any, seed: int = SEED) -> Chart:
    """How many cases guesses get right, every class as likely, beside how many were right."""
    from abovechance.plots.pictures.classes import binomial_null

    ((_, one),) = named(predictions).items()
    if not isinstance(one, Binary | Multiclass) or one.label is None:
        raise NotApplicable("right and wrong are of labels; state threshold=, or give labels.")
    if one.origin != "test" or one.cases.groups is not None or one.weight is not None:
        raise NotApplicable(
            "the binomial law is of independent cases that count one each; these come from folds, "
            "in clusters or with weights."
        )
    table = one.confusion
    return binomial_null(int(table.sum()), 1 / len(one.classes), int(table.trace()))


def of_predicted_observed(predictions: Any, seed: int = SEED) -> Chart:
    """Observed against predicted numbers."""
    from abovechance.plots.pictures.numeric import predicted_observed

    ((name, one),) = named(predictions).items()
    return predicted_observed(_numeric(one), name=name)


def of_residuals(predictions: Any, seed: int = SEED) -> Chart:
    """Residuals against predicted numbers."""
    from abovechance.plots.pictures.numeric import residuals

    ((name, one),) = named(predictions).items()
    return residuals(_numeric(one), name=name)


def of_kaplan_meier(predictions: Any, seed: int = SEED) -> Chart:
    """Survival in groups of predicted risk."""
    from abovechance.plots.pictures.survival import kaplan_meier
    from abovechance.plots.risk_groups import risk_groups

    ((name, one),) = named(predictions).items()
    return kaplan_meier(risk_groups(_survival(one)), name=name)


def of_auc_over_time(predictions: Any, seed: int = SEED) -> Chart:
    """The area under the ROC curve for events until each time."""
    from abovechance.plots.auc_times import auc_over_times
    from abovechance.plots.pictures.survival import auc_over_time

    found = named(predictions)
    return auc_over_time({name: auc_over_times(_survival(p)) for name, p in found.items()})


def _banded(predictions: Predictions) -> bool:
    """Whether resampling cases gives a band: not where cases of different folds depend."""
    return predictions.origin == "test"


def _as_banded(curve: Any, predictions: Predictions) -> HasCurve:
    found: HasCurve = curve if _banded(predictions) else replace(curve, low=None, high=None)
    return found


def _notes(models: Mapping[str, Binary], measure: str, word: str) -> dict[str, str]:
    return {name: f"{word} {number(find(measure).of(p))}" for name, p in models.items()}


def _numeric(predictions: Any) -> Numeric:
    if not isinstance(predictions, Numeric):
        raise NotApplicable(f"residuals are of numbers; got {predictions.kind} outcomes.")
    return predictions


def _survival(predictions: Any) -> Survival:
    if not isinstance(predictions, Survival):
        raise NotApplicable(f"this picture is of times to an event; got {predictions.kind}.")
    return predictions


MAKERS: dict[str, Callable[[Any, int], Chart]] = {
    "auc_over_time": of_auc_over_time,
    "binomial_null": of_binomial_null,
    "calibration": of_calibration,
    "confusion": of_confusion,
    "cumulative": of_cumulative,
    "decision": of_decision,
    "kaplan_meier": of_kaplan_meier,
    "null": of_null,
    "precision_recall": of_precision_recall,
    "predicted_observed": of_predicted_observed,
    "probabilities": of_probabilities,
    "residuals": of_residuals,
    "roc": of_roc,
    "roc_thresholds": of_roc_thresholds,
}
OVERLAID = frozenset({"auc_over_time", "calibration", "decision", "precision_recall", "roc"})
