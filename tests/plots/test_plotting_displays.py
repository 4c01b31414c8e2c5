"""Displays in the manner of scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC

from abovechance.errors import NotApplicable
from abovechance.plots import (
    CalibrationDisplay,
    ConfusionDisplay,
    DecisionDisplay,
    PrecisionRecallDisplay,
    PredictedObservedDisplay,
    ProbabilityDisplay,
    ResidualsDisplay,
    RocDisplay,
)

RNG = np.random.default_rng(2)
X = RNG.normal(size=(60, 2))
Y = np.where(X[:, 0] + RNG.normal(size=60) > 0, "yes", "no")


def test_a_display_from_predictions_holds_its_axes() -> None:
    display = RocDisplay.from_predictions([0, 1, 0, 1], [0.1, 0.6, 0.4, 0.9], name="mine")
    assert display.ax.get_xlabel() == "False positive rate"
    assert display.chart.series[0].name == "mine"


def test_a_display_from_an_estimator_equals_one_from_its_predictions() -> None:
    model = LogisticRegression().fit(X, Y)
    one = ProbabilityDisplay.from_estimator(model, X, Y, pos_label="yes")
    other = ProbabilityDisplay.from_predictions(Y, model.predict_proba(X)[:, 1], pos_label="yes")
    assert np.array_equal(one.chart.series[0].columns[0], other.chart.series[0].columns[0])
    assert one.chart.name == "LogisticRegression"


def test_the_other_class_may_be_the_positive_one() -> None:
    model = LogisticRegression().fit(X, Y)
    display = ProbabilityDisplay.from_estimator(model, X, Y, pos_label="no")
    expected = np.sort(model.predict_proba(X)[Y == "no", 0])
    assert np.asarray(display.chart.series[0].columns[0]) == pytest.approx(expected, rel=1e-12)


def test_scores_serve_curves_but_not_probabilities() -> None:
    model = LinearSVC().fit(X, Y)
    assert (
        len(PrecisionRecallDisplay.from_estimator(model, X, Y, pos_label="yes").chart.series) == 1
    )
    with pytest.raises(NotApplicable, match="no predict_proba"):
        ProbabilityDisplay.from_estimator(model, X, Y, pos_label="yes")


def test_a_display_can_be_drawn_again() -> None:
    from matplotlib import pyplot

    display = ConfusionDisplay.from_estimator(LogisticRegression().fit(X, Y), X, Y)
    _, ax = pyplot.subplots()
    assert display.plot(ax).ax is ax
    assert display.chart.x.labels == ("no", "yes")


def test_residuals_of_a_regression() -> None:
    model = LinearRegression().fit(X, X[:, 0] * 2)
    display = ResidualsDisplay.from_estimator(model, X, X[:, 0] * 2)
    assert np.abs(np.asarray(display.chart.series[0].columns[1])).max() < 1e-9


def test_predicted_and_observed_numbers_of_a_regression() -> None:
    model = LinearRegression().fit(X, X[:, 0] * 2)
    display = PredictedObservedDisplay.from_estimator(model, X, X[:, 0] * 2)
    predicted, observed = (np.asarray(c) for c in display.chart.series[0].columns[:2])
    assert predicted == pytest.approx(observed, abs=1e-9)


@pytest.mark.parametrize(
    ("display", "title"),
    [(CalibrationDisplay, "Predicted probability"), (DecisionDisplay, "Threshold probability")],
)
def test_probabilities_of_an_estimator_serve_calibration_and_decisions(
    display: type[CalibrationDisplay], title: str
) -> None:
    model = LogisticRegression().fit(X, Y)
    assert display.from_estimator(model, X, Y, pos_label="yes").ax.get_xlabel() == title


def test_more_than_two_classes_are_refused() -> None:
    three = np.where(X[:, 1] > 1, "maybe", Y)
    with pytest.raises(NotApplicable, match="the estimator has 3"):
        RocDisplay.from_estimator(LogisticRegression().fit(X, three), X, three)


@pytest.fixture(autouse=True)
def close() -> None:
    from matplotlib import pyplot

    pyplot.close("all")
