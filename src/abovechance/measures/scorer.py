"""A measure as a scikit-learn scorer."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.measures.calling import predictions_for
from abovechance.measures.measure import Measure
from abovechance.predictions import View, checks


@dataclass(frozen=True)
class Scorer:
    """Callable as scikit-learn's `scoring=` wants it: greater is better, losses negated."""

    measure: Measure
    pos_label: Any = None

    def __post_init__(self) -> None:
        if self.measure.higher_is_better is None:
            raise NotApplicable(f"{self.measure.title} has no better direction to select by.")
        if "survival" in self.measure.outcomes:
            raise NotApplicable(f"{self.measure.title} needs survival times; no scorer for it.")

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The measure of the estimator's predictions for X, negated where lower is better."""
        classes = getattr(estimator, "classes_", None)
        labels = None if classes is None else np.asarray(classes).tolist()
        measure, pos_label = self.measure, self.pos_label
        two = labels is not None and len(labels) == 2
        if measure.reads is View.LABEL:
            prediction = estimator.predict(X)
            pos_label = pos_label if measure.average is None else None
        elif measure.reads is View.VALUE:
            prediction, labels = estimator.predict(X), None
        else:
            prediction = _scores(estimator, X, measure.reads)
            if two:
                prediction, pos_label = _positive(prediction, labels, pos_label)
        made = predictions_for(
            measure, y, prediction, pos_label=pos_label, labels=labels, sample_weight=sample_weight
        )
        value = measure.of(made)
        return value if measure.higher_is_better else -value


def _scores(estimator: Any, X: Any, reads: View) -> Any:
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X))
    if reads is View.SCORE and hasattr(estimator, "decision_function"):
        values = np.asarray(estimator.decision_function(X))
        if values.ndim == 1:
            return values
        raise NotApplicable(
            "decision values of more than two classes cannot be compared with each other; "
            f"{type(estimator).__name__} must have predict_proba for them."
        )
    raise NotApplicable(
        f"{type(estimator).__name__} must have predict_proba for a measure of probabilities."
    )


def _positive(prediction: Any, labels: Any, pos_label: Any) -> tuple[Any, Any]:
    """The column of the positive class; scores are turned when it is scikit-learn's first."""
    positive = labels[1] if pos_label is None and labels in ([0, 1], [False, True]) else pos_label
    if positive is None:
        raise NotApplicable(
            f"the classes are {labels[0]!r} and {labels[1]!r}: say which is positive with "
            "measure.scorer(pos_label=…)."
        )
    first = checks.same_label(labels[0], positive)
    if prediction.ndim == 2:
        return prediction[:, 0 if first else 1], positive
    return (-prediction if first else prediction), positive
