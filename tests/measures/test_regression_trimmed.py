"""Trimmed and winsorised regression measures; familiar's numbers are in test_regression."""

import pickle

import numpy as np
import pytest

from abovechance.errors import NotApplicable
from abovechance.measures import every, find
from abovechance.measures.regression import trimmed, winsorised
from abovechance.predictions import Numeric

SINGLE = [m for m in every().values() if m.outcomes == {"numeric"} and not m.many_outputs]


@pytest.fixture
def arrays():
    y = np.arange(1.0, 42.0)
    predicted = y + np.where(np.arange(41) % 2, 1.0, -1.0) * np.arange(41) / 10
    predicted[5] = 500.0
    return y, predicted


@pytest.mark.parametrize("measure", SINGLE, ids=lambda m: m.name)
def test_trimming_leaves_the_largest_errors_out(measure, arrays):
    y, predicted = arrays
    kept = np.argsort(np.abs(y - predicted))[:39]  # of 41, the quantile is the 39th
    expected = measure(y[kept], predicted[kept])
    assert trimmed(measure)(y, predicted) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("measure", SINGLE, ids=lambda m: m.name)
def test_winsorising_moves_predictions_to_the_quantile(measure, arrays):
    y, predicted = arrays
    limit = np.sort(np.abs(y - predicted))[38]
    nearer = np.clip(predicted, y - limit, y + limit)
    assert winsorised(measure)(y, predicted) == pytest.approx(measure(y, nearer), rel=1e-10)


def test_they_are_measures_of_their_own():
    measure = find("mean_absolute_error_trim")
    assert measure.name == "mae_trim"
    assert measure.law == "unknown"
    assert not measure.listed
    assert find("root_mean_square_error_winsor").name == "rmse_winsor"


def test_parameters_reach_the_measure_inside(arrays):
    y, predicted = arrays
    kept = np.argsort(np.abs(y - predicted))[:39]
    expected = find("r2")(y[kept], predicted[kept], adjusted=3)
    assert find("r2_trim")(y, predicted, adjusted=3) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("tag", ["mae_trim", "r2_winsor", "kendall_trim"])
@pytest.mark.parametrize("dialect", [None, "familiar"])
def test_they_survive_pickling(tag, dialect, arrays):
    measure = find(tag, dialect=dialect)
    again = pickle.loads(pickle.dumps(measure))
    assert again.name == tag
    assert again(*arrays) == measure(*arrays)


def test_pickling_keeps_parameters(arrays):
    measure = find("r2_trim").with_parameters(adjusted=3)
    assert pickle.loads(pickle.dumps(measure))(*arrays) == measure(*arrays)


def test_counts_are_cases_repeated(arrays):
    y, predicted = arrays
    counts = np.arange(41) % 3
    repeated = find("mae_trim")(np.repeat(y, counts), np.repeat(predicted, counts))
    assert find("mae_trim")(y, predicted, counts=counts) == repeated


def test_there_is_no_weighted_form(arrays):
    with pytest.raises(NotApplicable, match="no weighted form"):
        find("mae_trim")(*arrays, sample_weight=np.ones(41))


@pytest.mark.parametrize(
    ("tag", "centre"), [("mae_trim", np.median), ("r2_winsor", np.mean), ("rrse_trim", np.mean)]
)
def test_predicting_the_best_single_number_scores_the_reference(tag, centre, arrays):
    y, predicted = arrays
    uninformative = find(tag)(y, np.full(41, centre(y)))
    assert find(tag).reference(Numeric(y, predicted), find(tag)) == pytest.approx(uninformative)


@pytest.mark.parametrize("tag", ["arrmse", "accuracy", "mae_trim"])
def test_only_measures_of_one_output_are_trimmed(tag):
    with pytest.raises(NotApplicable, match="not trimmed"):
        trimmed(find(tag))
