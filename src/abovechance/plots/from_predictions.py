"""From predictions straight to pictures: the numbers are made below, in curves and groups."""

from collections.abc import Callable
from typing import Any

from abovechance.errors import NotApplicable
from abovechance.measures import find
from abovechance.plots.chart import Chart
from abovechance.plots.curves import all_binary, named, precision_recall_points, roc_points
from abovechance.plots.words import number
from abovechance.predictions import Binary, Multiclass, Numeric, Survival


def of_probabilities(predictions: Any) -> Chart:
    """Clouds of predicted probabilities."""
    from abovechance.plots.pictures.probabilities import class_probabilities, probabilities

    ((name, one),) = named(predictions).items()
    if isinstance(one, Binary):
        return probabilities(one, name=name)
    if isinstance(one, Multiclass):
        return class_probabilities(one, name=name)
    raise NotApplicable(f"probabilities are predicted for classes; got {one.kind} outcomes.")


def of_roc(predictions: Any) -> Chart:
    """ROC curves with the area beside each name."""
    from abovechance.plots.pictures.curves import roc

    found = all_binary(predictions, "the ROC curve")
    notes = {name: f"AUC {number(find('auc').of(p))}" for name, p in found.items()}
    return roc({name: roc_points(p) for name, p in found.items()}, notes=notes)


def of_precision_recall(predictions: Any) -> Chart:
    """Precision and recall with the average precision beside each name."""
    from abovechance.plots.pictures.curves import precision_recall

    found = all_binary(predictions, "precision and recall")
    area = find("average_precision")
    notes = {name: f"average {number(area.of(p))}" for name, p in found.items()}
    prevalence = float(next(iter(found.values())).prevalences[1])
    curves = {name: precision_recall_points(p) for name, p in found.items()}
    return precision_recall(curves, prevalence, notes=notes)


def of_confusion(predictions: Any) -> Chart:
    """The confusion table."""
    from abovechance.plots.pictures.confusion import confusion

    ((name, one),) = named(predictions).items()
    if isinstance(one, Binary) and one.label is None:
        raise NotApplicable("a confusion table needs labels; state threshold=.")
    if not isinstance(one, Binary | Multiclass):
        raise NotApplicable(f"a confusion table is of classes; got {one.kind} outcomes.")
    return confusion(one.confusion, one.classes, name=name)


def of_predicted_observed(predictions: Any) -> Chart:
    """Observed against predicted numbers."""
    from abovechance.plots.pictures.numeric import predicted_observed

    ((name, one),) = named(predictions).items()
    return predicted_observed(_numeric(one), name=name)


def of_residuals(predictions: Any) -> Chart:
    """Residuals against predicted numbers."""
    from abovechance.plots.pictures.numeric import residuals

    ((name, one),) = named(predictions).items()
    return residuals(_numeric(one), name=name)


def of_kaplan_meier(predictions: Any) -> Chart:
    """Survival in groups of predicted risk."""
    from abovechance.plots.pictures.survival import kaplan_meier
    from abovechance.plots.risk_groups import risk_groups

    ((name, one),) = named(predictions).items()
    if not isinstance(one, Survival):
        raise NotApplicable(f"survival curves are of times to an event; got {one.kind} outcomes.")
    return kaplan_meier(risk_groups(one), name=name)


def _numeric(predictions: Any) -> Numeric:
    if not isinstance(predictions, Numeric):
        raise NotApplicable(f"residuals are of numbers; got {predictions.kind} outcomes.")
    return predictions


MAKERS: dict[str, Callable[[Any], Chart]] = {
    "confusion": of_confusion,
    "kaplan_meier": of_kaplan_meier,
    "precision_recall": of_precision_recall,
    "predicted_observed": of_predicted_observed,
    "probabilities": of_probabilities,
    "residuals": of_residuals,
    "roc": of_roc,
}
OVERLAID = frozenset({"calibration", "decision", "precision_recall", "roc", "auc_over_time"})
