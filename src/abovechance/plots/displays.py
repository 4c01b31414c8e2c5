"""Displays in the manner of scikit-learn: from arrays or from a fitted estimator to a plot.

A display holds its chart, so that it can be drawn again on other axes.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from abovechance.errors import NotApplicable
from abovechance.plots.chart import Chart
from abovechance.plots.plotting import chart_of
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions


@dataclass(frozen=True, eq=False)
class Display:
    """A chart and the axes it was last drawn on."""

    chart: Chart
    ax: Any = None
    kind: ClassVar[str] = ""

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        pos_label: Any = None,
        labels: Any = None,
        name: str = "",
        ax: Any = None,
    ) -> Self:
        """Draw from observed outcomes and what was predicted for them.

        Parameters
        ----------
        y_true
            Observed classes or numbers.
        y_pred
            What was predicted: probabilities, scores, labels or numbers, as the picture needs them.
        pos_label
            The positive class; needed unless classes are coded 0/1.
        labels
            The declared classes; those that occur when not given.
        name
            What to call the model in the legend; nothing when not given.
        ax
            Axes to draw on; new ones when not given.

        Returns
        -------
        Display
            With the `chart` as data and the axes `ax` that it was drawn on.

        Raises
        ------
        DataError
            If the values are not what they must be; the message names the row and the remedy.

        See Also
        --------
        Display.from_estimator : from a fitted estimator.
        abovechance.plot : from predictions and results.

        Examples
        --------
        >>> import matplotlib; matplotlib.use("Agg")
        >>> from abovechance.plots import RocDisplay
        >>> RocDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9]).ax.get_xlabel()
        'False positive rate'
        """
        return cls._drawn(cls._gathered(y_true, y_pred, pos_label, labels), name, ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw from a fitted scikit-learn estimator and the cases to predict.

        Parameters
        ----------
        estimator
            A fitted scikit-learn classifier or regressor.
        X
            Features of cases that it was not fitted to.
        y
            Their observed classes or numbers.
        pos_label
            The positive class; needed unless classes are coded 0/1.
        name
            What to call the model in the legend; the class of the estimator when not given.
        ax
            Axes to draw on; new ones when not given.

        Returns
        -------
        Display
            With the `chart` as data and the axes `ax` that it was drawn on.

        Raises
        ------
        NotApplicable
            If the estimator does not predict what the picture needs.

        See Also
        --------
        Display.from_predictions : from arrays.
        abovechance.from_estimator : the predictions, for all other questions.

        Examples
        --------
        >>> import matplotlib; matplotlib.use("Agg")
        >>> import numpy as np
        >>> from sklearn.linear_model import LogisticRegression
        >>> from abovechance.plots import CalibrationDisplay
        >>> X, y = np.arange(40.0)[:, None], (np.arange(40) * 7) % 40 > 18
        >>> model = LogisticRegression().fit(X[::2], y[::2])
        >>> CalibrationDisplay.from_estimator(model, X[1::2], y[1::2]).ax.get_ylabel()
        'Observed frequency'
        """
        predicted, labels = _answers(estimator, X, cls.kind, pos_label)
        called = type(estimator).__name__ if name is None else name
        return cls._drawn(cls._gathered(y, predicted, pos_label, labels), called, ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw again, on these axes or new ones.

        Parameters
        ----------
        ax
            Axes to draw on; new ones when not given.

        Returns
        -------
        Display
            The same chart with the axes that it was drawn on.

        Raises
        ------
        NotApplicable
            If matplotlib is not installed.

        See Also
        --------
        Display.from_predictions : makes a display and draws it.

        Examples
        --------
        >>> import matplotlib; matplotlib.use("Agg")
        >>> from abovechance.plots import RocDisplay
        >>> display = RocDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
        >>> display.plot().chart is display.chart
        True
        """
        from abovechance.plots.matplotlib_renderer import draw

        return type(self)(self.chart, draw(self.chart, ax))

    @classmethod
    def _drawn(cls, predictions: Predictions, name: str, ax: Any) -> Self:
        return cls(chart_of({name: predictions}, cls.kind)).plot(ax)

    @classmethod
    def _gathered(cls, y_true: Any, y_pred: Any, pos_label: Any, labels: Any) -> Predictions:
        return Binary(y_true, probability=y_pred, pos_label=pos_label)


class ProbabilityDisplay(Display):
    """Predicted probabilities of each class, with Tjur's gap."""

    kind = "probabilities"


class RocDisplay(Display):
    """The ROC curve, from probabilities or scores."""

    kind = "roc"

    @classmethod
    def _gathered(cls, y_true: Any, y_pred: Any, pos_label: Any, labels: Any) -> Predictions:
        return Binary(y_true, score=y_pred, pos_label=pos_label)


class PrecisionRecallDisplay(RocDisplay):
    """Precision against recall, from probabilities or scores."""

    kind = "precision_recall"


class CalibrationDisplay(Display):
    """Observed frequencies against predicted probabilities."""

    kind = "calibration"


class DecisionDisplay(Display):
    """Net benefit over the thresholds at which one would act."""

    kind = "decision"


class ConfusionDisplay(Display):
    """The confusion table, from predicted labels."""

    kind = "confusion"

    @classmethod
    def _gathered(cls, y_true: Any, y_pred: Any, pos_label: Any, labels: Any) -> Predictions:
        return Multiclass(y_true, label=y_pred, labels=labels)


class ResidualsDisplay(Display):
    """Observed minus predicted numbers, against the predicted ones."""

    kind = "residuals"

    @classmethod
    def _gathered(cls, y_true: Any, y_pred: Any, pos_label: Any, labels: Any) -> Predictions:
        return Numeric(y_true, y_pred)


class PredictedObservedDisplay(ResidualsDisplay):
    """Observed numbers against the predicted ones."""

    kind = "predicted_observed"


def _answers(estimator: Any, X: Any, kind: str, pos_label: Any) -> tuple[Any, Any]:
    """What the picture needs of an estimator: labels, numbers, scores or probabilities."""
    if kind in ("confusion", "residuals", "predicted_observed"):
        return estimator.predict(X), getattr(estimator, "classes_", None)
    classes = list(estimator.classes_)
    if len(classes) != 2:
        raise NotApplicable(f"this picture is for two classes; the estimator has {len(classes)}.")
    column = classes.index(pos_label) if pos_label in classes else 1
    if hasattr(estimator, "predict_proba"):
        return estimator.predict_proba(X)[:, column], None
    if kind in ("roc", "precision_recall"):
        score = estimator.decision_function(X)
        return (score if column == 1 else -score), None
    raise NotApplicable("this picture needs probabilities; the estimator has no predict_proba.")
