"""A measure in scikit-learn's `scoring=`: the same number, negated where lower is better."""

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import Ridge
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from abovechance.errors import DataError, NotApplicable
from abovechance.measures import find

TWO = make_classification(120, 5, flip_y=0.2, weights=[0.7], random_state=3)
THREE = make_classification(
    180, 8, n_informative=5, n_classes=3, flip_y=0.1, weights=[0.4, 0.3], random_state=4
)
NUMBERS = make_regression(90, 4, noise=20.0, random_state=5)
NUMBERS = (NUMBERS[0], np.exp(NUMBERS[1] / 200.0))
MODEL = GaussianNB(var_smoothing=0.1)


def compare(model: Any, data: Any, name: str) -> None:
    theirs = cross_validate(model, *data, scoring=get_scorer(name), cv=4)["test_score"]
    ours = cross_validate(model, *data, scoring=find(name).scorer(), cv=4)["test_score"]
    assert ours == pytest.approx(theirs, rel=1e-10)
    assert np.isfinite(ours).all()


@pytest.mark.parametrize(
    "name",
    [
        "accuracy",
        "average_precision",
        "balanced_accuracy",
        "d2_brier_score",
        "d2_log_loss_score",
        "f1",
        "f1_macro",
        "f1_micro",
        "f1_weighted",
        "jaccard",
        "jaccard_macro",
        "matthews_corrcoef",
        "neg_brier_score",
        "neg_log_loss",
        "neg_negative_likelihood_ratio",
        "positive_likelihood_ratio",
        "precision",
        "precision_weighted",
        "recall",
        "recall_macro",
        "roc_auc",
    ],
)
def test_scores_of_two_classes_equal_those_of_scikit_learn(name: str) -> None:
    compare(MODEL, TWO, name)


@pytest.mark.parametrize(
    "name",
    [
        "accuracy",
        "balanced_accuracy",
        "d2_log_loss_score",
        "f1_macro",
        "f1_micro",
        "f1_weighted",
        "jaccard_macro",
        "jaccard_micro",
        "jaccard_weighted",
        "matthews_corrcoef",
        "neg_log_loss",
        "precision_macro",
        "precision_micro",
        "precision_weighted",
        "recall_macro",
        "recall_micro",
        "recall_weighted",
        "roc_auc_ovo",
        "roc_auc_ovo_weighted",
        "roc_auc_ovr",
        "roc_auc_ovr_weighted",
    ],
)
def test_scores_of_three_classes_equal_those_of_scikit_learn(name: str) -> None:
    compare(MODEL, THREE, name)


def test_the_summed_brier_score_of_three_classes_is_the_one_of_scikit_learn() -> None:
    theirs = cross_validate(MODEL, *THREE, scoring="neg_brier_score", cv=4)["test_score"]
    ours = cross_validate(MODEL, *THREE, scoring=find("brier_sum").scorer(), cv=4)["test_score"]
    assert ours == pytest.approx(theirs, rel=1e-10)


@pytest.mark.parametrize(
    "name",
    [
        "d2_absolute_error_score",
        "explained_variance",
        "neg_max_error",
        "neg_mean_absolute_error",
        "neg_mean_absolute_percentage_error",
        "neg_mean_squared_error",
        "neg_mean_squared_log_error",
        "neg_median_absolute_error",
        "neg_root_mean_squared_error",
        "neg_root_mean_squared_log_error",
        "r2",
    ],
)
def test_scores_of_numbers_equal_those_of_scikit_learn(name: str) -> None:
    compare(Ridge(50.0), NUMBERS, name)


def test_a_grid_search_selects_by_a_measure() -> None:
    grid = {"var_smoothing": [0.01, 1.0, 100.0]}
    ours = GridSearchCV(MODEL, grid, scoring=find("brier").scorer(), cv=3).fit(*TWO)
    theirs = GridSearchCV(MODEL, grid, scoring="neg_brier_score", cv=3).fit(*TWO)
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-10)


def test_several_measures_are_scored_at_once() -> None:
    scoring = {name: find(name).scorer() for name in ("auc", "brier", "sensitivity")}
    found = cross_validate(MODEL, *TWO, scoring=scoring, cv=3)
    assert (found["test_brier"] < 0).all()
    assert (found["test_sensitivity"] >= 0).all()


def test_words_need_a_positive_class() -> None:
    words = np.array(["well", "sick"])[TWO[1]]
    model = GaussianNB(var_smoothing=0.1).fit(TWO[0], words)
    with pytest.raises(NotApplicable, match=r"'sick' and 'well': say which is positive"):
        find("brier").scorer()(model, TWO[0], words)
    with pytest.raises(DataError, match="pos_label must say which class is positive"):
        find("sensitivity").scorer()(model, TWO[0], words)
    assert find("accuracy").scorer()(model, TWO[0], words) > 0.7


@pytest.mark.parametrize("name", ["brier", "auc", "sensitivity", "average_precision"])
def test_either_class_of_words_may_be_positive(name: str) -> None:
    words = np.array(["well", "sick"])[TWO[1]]
    model = GaussianNB(var_smoothing=0.1).fit(TWO[0], words)
    for positive, y in (("sick", TWO[1]), ("well", 1 - TWO[1])):
        found = find(name).scorer(pos_label=positive)(model, TWO[0], words)
        wanted = find(name).scorer()(GaussianNB(var_smoothing=0.1).fit(TWO[0], y), TWO[0], y)
        assert found == pytest.approx(wanted, rel=1e-3)


def test_decision_values_do_for_ranks_whichever_class_is_positive() -> None:
    model = LinearSVC().fit(*TWO)
    up = find("auc").scorer()(model, *TWO)
    down = find("auc").scorer(pos_label=0)(model, *TWO)
    assert up == pytest.approx(get_scorer("roc_auc")(model, *TWO), rel=1e-12)
    assert down == pytest.approx(up, rel=1e-12)


def test_one_class_of_three_may_be_scored_against_the_rest() -> None:
    model = GaussianNB(var_smoothing=0.1).fit(*THREE)
    found = find("auc").scorer(pos_label=2)(model, *THREE)
    column = model.predict_proba(THREE[0])[:, 2]
    assert found == find("auc")(THREE[1] == 2, column)


def test_weights_reach_the_measure() -> None:
    model, weight = GaussianNB(var_smoothing=0.1).fit(*TWO), np.arange(120) + 1.0
    found = find("brier").scorer()(model, *TWO, sample_weight=weight)
    loss = (TWO[1] - model.predict_proba(TWO[0])[:, 1]) ** 2
    assert found == pytest.approx(-np.average(loss, weights=weight), rel=1e-12)


def test_what_cannot_be_scored_is_refused() -> None:
    with pytest.raises(NotApplicable, match="no better direction to select by"):
        find("mean_error").scorer()
    with pytest.raises(NotApplicable, match="needs survival times"):
        find("c_index").scorer()
    with pytest.raises(NotApplicable, match="LinearSVC must have predict_proba"):
        find("brier").scorer()(LinearSVC().fit(*TWO), *TWO)
    with pytest.raises(NotApplicable, match="more than two classes"):
        find("auc").scorer()(LinearSVC().fit(*THREE), *THREE)


def test_a_scorer_can_be_sent_to_another_process() -> None:
    scorer = pickle.loads(pickle.dumps(find("f05_score").scorer(pos_label=1)))
    assert scorer.measure.label == "f_beta(0.5)"
    assert scorer.pos_label == 1
