"""Predictions from scikit-learn estimators, their splits and their seeds."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from abovechance import permutation_test
from abovechance.errors import DataError
from abovechance.learning.from_sklearn import (
    from_cross_validate,
    from_cv,
    from_estimator,
    seeded,
    seeded_splitter,
)
from abovechance.measures import find
from abovechance.predictions import Binary, Multiclass, Numeric

# ----------------------------------------------------------------------------------------------
# One seed makes everything random repeatable, and leaves alone what has its own.
# ----------------------------------------------------------------------------------------------


FOREST = RandomForestClassifier(3, max_depth=2)


def search(**settings) -> GridSearchCV:
    """A choice between learners by folds that are shuffled."""
    inner = StratifiedKFold(3, shuffle=True, **settings)
    return GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=inner)


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    y = np.arange(30) % 2
    return rng.normal(size=(30, 3)) + 0.5 * y[:, None], y


@pytest.mark.parametrize(
    "settings",
    [
        {"estimator": FOREST, "cv": 3},
        {"estimator": make_pipeline(StandardScaler(), FOREST), "cv": 3},
        {"estimator": DecisionTreeClassifier(), "cv": StratifiedKFold(3, shuffle=True)},
        {"estimator": make_pipeline(StandardScaler(), search()), "cv": 3},
    ],
    ids=["forest", "pipeline", "splitter", "inner splitter"],
)
def test_a_seed_repeats_a_random_learner_and_random_folds(data, settings) -> None:
    X, y = data
    one, two = (permutation_test(X=X, y=y, draws=4, rng=1, **settings) for _ in range(2))
    assert one.tests == two.tests
    np.testing.assert_array_equal(one.null["balanced_accuracy"], two.null["balanced_accuracy"])


def test_what_was_given_is_not_changed() -> None:
    nested = make_pipeline(StandardScaler(), BaggingClassifier(DecisionTreeClassifier()))
    found = seeded(nested, 5)
    states = [v for k, v in found.get_params().items() if k.endswith("random_state")]
    assert len(set(states)) == 2
    assert None not in states
    assert nested.get_params()["baggingclassifier__random_state"] is None
    own = make_pipeline(StandardScaler(), RandomForestClassifier(random_state=7))
    assert seeded(own, 5).get_params()["randomforestclassifier__random_state"] == 7


def test_another_seed_gives_another_state() -> None:
    assert seeded(FOREST, 1).random_state != seeded(FOREST, 2).random_state


def test_only_splitters_that_shuffle_by_chance_are_seeded() -> None:
    for splitter in (KFold(3, shuffle=True), ShuffleSplit(2), RepeatedKFold(n_splits=2)):
        assert seeded_splitter(splitter, 2**40 + 3).random_state == 3
        assert splitter.random_state is None
    for same in (KFold(3), KFold(3, shuffle=True, random_state=4), 5, [(0, 1)]):
        assert seeded_splitter(same, 1) is same


def test_splitters_inside_an_estimator_are_seeded_unless_they_have_their_own() -> None:
    given = search()
    assert seeded(given, 1).cv.random_state == seeded(given, 1).cv.random_state
    assert seeded(given, 1).cv.random_state not in (None, seeded(given, 2).cv.random_state)
    assert given.cv.random_state is None
    assert seeded(search(random_state=7), 1).cv.random_state == 7
    nested = make_pipeline(StandardScaler(), search())
    assert seeded(nested, 1).get_params()["gridsearchcv__cv"].random_state is not None


def test_a_splitter_beside_it_does_not_change_the_state_of_a_learner() -> None:
    grid = {"max_depth": [1, 2]}
    plain, shuffled = (GridSearchCV(FOREST, grid, cv=cv) for cv in (3, KFold(3, shuffle=True)))
    states = [seeded(s, 4).get_params()["estimator__random_state"] for s in (plain, shuffled)]
    assert states[0] == states[1]


# ----------------------------------------------------------------------------------------------
# From scikit-learn's estimators to predictions that know where they came from.
# ----------------------------------------------------------------------------------------------


X, Y = make_classification(60, 4, flip_y=0.1, random_state=1)
WORDS = np.array(["well", "sick"])[Y]
X3, Y3 = make_classification(90, 5, n_informative=3, n_classes=3, random_state=2)
NAMES = np.array(["ash", "birch", "cedar"])[Y3]
FOLDS = StratifiedKFold(4, shuffle=True, random_state=3)


# ---------------------------------------------------------------- a fitted estimator


def test_probabilities_of_an_estimator_are_those_of_the_positive_class() -> None:
    model = GaussianNB().fit(X[:40], WORDS[:40])
    columns = dict(zip(model.classes_, model.predict_proba(X[40:]).T, strict=True))
    for positive in ("sick", "well"):
        found = from_estimator(model, X[40:], WORDS[40:], pos_label=positive)
        assert isinstance(found, Binary)
        assert found.origin == "test"
        assert found.pos_label == positive
        assert found.probability.tolist() == columns[positive].tolist()


def test_the_positive_class_may_be_spelled_as_in_a_file() -> None:
    model = GaussianNB().fit(X[:40], Y[:40])
    zero = from_estimator(model, X[40:], Y[40:], pos_label="0")
    assert zero.probability.tolist() == model.predict_proba(X[40:])[:, 0].tolist()
    assert zero.positive.tolist() == (Y[40:] == 0).tolist()


def test_words_need_a_positive_class() -> None:
    model = GaussianNB().fit(X, WORDS)
    with pytest.raises(DataError, match=r"pos_label must say which class is positive.*'sick', 'w"):
        from_estimator(model, X, WORDS)
    with pytest.raises(DataError, match="pos_label must be one of sick, well; got 'ill'"):
        from_estimator(model, X, WORDS, pos_label="ill")
    assert from_estimator(GaussianNB().fit(X, Y == 1), X, Y == 1).pos_label is True


def test_decision_values_are_scores_with_a_threshold_of_zero() -> None:
    model = LinearSVC().fit(X[:40], WORDS[:40])
    for positive in ("sick", "well"):
        found = from_estimator(model, X[40:], WORDS[40:], pos_label=positive)
        assert found.probability is None
        assert found.label.tolist() == (model.predict(X[40:]) == positive).tolist()
    up, down = (from_estimator(model, X, WORDS, pos_label=p) for p in ("well", "sick"))
    assert up.score.tolist() == (-down.score).tolist()


def test_several_classes_keep_their_names() -> None:
    model = GaussianNB().fit(X3[:60], NAMES[:60])
    found = from_estimator(model, X3[60:], NAMES[60:])
    assert isinstance(found, Multiclass)
    assert found.classes == ("ash", "birch", "cedar")
    assert np.array_equal(found.probability.T, model.predict_proba(X3[60:]))
    one = from_estimator(model, X3[60:], NAMES[60:], pos_label="birch")
    assert one.classes == ("not birch", "birch")
    labels = from_estimator(LinearSVC().fit(X3, NAMES), X3, NAMES)
    assert labels.probability is None
    assert labels.views == {"label"}


def test_numbers_of_one_output_or_several() -> None:
    features, y = make_regression(40, 3, n_targets=2, random_state=4)
    two = from_estimator(Ridge().fit(features, y), features, y)
    one = from_estimator(Ridge().fit(features, y[:, 0]), features, y[:, 0])
    assert isinstance(two, Numeric)
    assert (len(two.outputs), len(one.outputs)) == (2, 1)


def test_facts_about_cases_are_kept() -> None:
    found = from_estimator(
        GaussianNB().fit(X, Y),
        X[:3],
        Y[:3],
        id=["a", "b", "c"],
        groups=[1, 1, 2],
        sample_weight=[1.0, 2.0, 3.0],
    )
    assert found.cases.id.tolist() == ["a", "b", "c"]
    assert found.cases.groups.tolist() == [1, 1, 2]
    assert found.weight.tolist() == [1.0, 2.0, 3.0]


# ---------------------------------------------------------------- cross-validation


def test_every_case_is_predicted_by_a_model_that_had_not_seen_it() -> None:
    found = from_cv(GaussianNB(), X, Y, cv=FOLDS)
    theirs = cross_val_predict(GaussianNB(), X, Y, cv=FOLDS, method="predict_proba")[:, 1]
    assert found.origin == "cv"
    assert found.probability == pytest.approx(theirs)
    assert found.cases.id.tolist() == list(range(1, 61))
    assert found.cases.repeat is None
    for fold, (_, test) in enumerate(FOLDS.split(X, Y)):
        assert set(found.cases.fold[test]) == {fold + 1}


def test_repeated_cross_validation_gives_repeats() -> None:
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=5)
    found = from_cv(GaussianNB(), X, Y, cv=cv, id=[f"case {i}" for i in range(60)])
    assert found.origin == "repeated_cv"
    assert found.n == 240
    assert np.bincount(found.cases.repeat).tolist() == [0, 60, 60, 60, 60]
    assert len(np.unique(found.cases.fold)) == 12
    for repeat in range(1, 5):
        rows = found.cases.repeat == repeat
        assert found.cases.id[rows].tolist() == [f"case {i}" for i in range(60)]
        assert len(np.unique(found.cases.fold[rows])) == 3
        assert np.array_equal(found.positive[rows], Y == 1)


def test_a_splitter_that_leaves_cases_out_leaves_them_out() -> None:
    found = from_cv(GaussianNB(), X, Y, cv=ShuffleSplit(1, test_size=10, random_state=6))
    assert found.n == 10
    assert found.origin == "cv"
    often = from_cv(GaussianNB(), X, Y, cv=ShuffleSplit(8, test_size=10, random_state=6))
    assert often.n == 80
    assert often.origin == "repeated_cv"


def test_groups_stay_together_and_stay_with_the_predictions() -> None:
    groups = np.repeat(np.arange(12), 5)
    for cv in (GroupKFold(4), 4):
        found = from_cv(GaussianNB(), X, Y, cv=cv, groups=groups, rng=1)
        assert np.array_equal(found.cases.groups, groups)
        folds = [set(found.cases.fold[groups == g]) for g in range(12)]
        assert all(len(f) == 1 for f in folds)
    features, y = make_regression(60, 3, random_state=7)
    found = from_cv(Ridge(), features, y, cv=3, groups=groups)
    assert all(len(set(found.cases.fold[groups == g])) == 1 for g in range(12))


def test_a_number_of_folds_is_stratified_and_repeatable() -> None:
    found = from_cv(GaussianNB(), X, Y, cv=5, rng=11)
    again = from_cv(GaussianNB(), X, Y, cv=5, rng=11)
    other = from_cv(GaussianNB(), X, Y, cv=5, rng=np.random.default_rng(12))
    assert np.array_equal(found.cases.fold, again.cases.fold)
    assert not np.array_equal(found.cases.fold, other.cases.fold)
    positives = [Y[found.cases.fold == k].sum() for k in range(1, 6)]
    assert max(positives) - min(positives) <= 1


def test_rows_of_train_and_test_may_be_given() -> None:
    halves = [(np.arange(30), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))]
    found = from_cv(GaussianNB(), X, Y, cv=halves)
    assert found.cases.fold.tolist() == [2] * 30 + [1] * 30
    with pytest.raises(DataError, match="cv must give at least one split; it gave none"):
        from_cv(GaussianNB(), X, Y, cv=[])


@pytest.mark.parametrize(
    "features",
    [
        X.tolist(),
        pd.DataFrame(X, columns=list("abcd"), index=np.arange(100, 160)),
        pl.DataFrame(X, schema=list("abcd")),
    ],
    ids=["lists", "pandas", "polars"],
)
def test_features_may_be_any_table(features: Any) -> None:
    wanted = from_cv(GaussianNB(), X, Y, cv=FOLDS)
    found = from_cv(make_pipeline(StandardScaler(), GaussianNB()), features, Y, cv=FOLDS)
    assert found.probability == pytest.approx(wanted.probability, rel=1e-6)


def test_features_may_be_sparse() -> None:
    wanted = from_cv(LinearSVC(), X, Y, cv=FOLDS)
    found = from_cv(LinearSVC(), csr_array(X), Y, cv=FOLDS)
    assert found.score == pytest.approx(wanted.score, abs=1e-3)


def test_outcomes_may_be_a_series() -> None:
    found = from_cv(GaussianNB(), X, pd.Series(WORDS, dtype="category"), cv=FOLDS, pos_label="sick")
    assert np.array_equal(found.positive, WORDS == "sick")


def test_a_class_missing_from_a_fold_keeps_its_column() -> None:
    y = np.array(["a"] * 10 + ["b"] * 10 + ["c"] * 2)
    features = np.random.default_rng(8).normal(size=(22, 2))
    halves = [(np.arange(22)[y != "c"], [20, 21]), (np.arange(5, 22), np.arange(5))]
    found = from_cv(GaussianNB(), features, y, cv=halves)
    assert found.classes == ("a", "b", "c")
    assert found.probability[2, -2:].tolist() == [0.0, 0.0]
    assert find("log_score").of(found) == -np.inf
    labels = from_cv(LinearSVC(), features, y, cv=halves)
    assert labels.views == {"label"}


class Guess(ClassifierMixin, BaseEstimator):
    """Predicts labels only."""

    def fit(self, X: Any, y: Any) -> "Guess":
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


def test_an_estimator_without_scores_gives_labels() -> None:
    found = from_cv(Guess(), X, Y, cv=KFold(3))
    assert found.views == {"label"}
    assert find("sensitivity").of(found) == 0.0


def test_each_case_alone_may_be_a_fold() -> None:
    found = from_cv(GaussianNB(), X[:12], Y[:12], cv=LeaveOneOut())
    assert found.cases.fold.tolist() == list(range(1, 13))


def test_the_estimator_given_is_not_fitted() -> None:
    model = GaussianNB()
    from_cv(model, X, Y, cv=3)
    assert not hasattr(model, "classes_")


def test_weights_go_with_the_cases() -> None:
    weight = np.arange(60) + 1.0
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=5)
    found = from_cv(GaussianNB(), X, Y, cv=cv, sample_weight=weight)
    assert found.weight.tolist() == [*weight, *weight]


# ----------------------------------------------------------------------------------------------
# The results of cross_validate.
# ----------------------------------------------------------------------------------------------


def validated(estimator, X, y, **options):
    from sklearn.model_selection import cross_validate

    kept = {"return_estimator": True, "return_indices": True}
    return cross_validate(estimator, X, y, **kept, **options)


def test_results_of_cross_validate_give_what_from_cv_gives():
    from sklearn.datasets import make_classification
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold

    X, y = make_classification(60, random_state=1)
    words = np.array(["well", "sick"])[y]
    for cv in (
        StratifiedKFold(3),
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1),
    ):
        found = from_cross_validate(
            validated(LogisticRegression(), X, words, cv=cv), X, words, pos_label="sick"
        )
        wanted = from_cv(LogisticRegression(), X, words, cv=cv, pos_label="sick")
        np.testing.assert_array_equal(found.probability, wanted.probability)
        np.testing.assert_array_equal(found.cases.fold, wanted.cases.fold)
        np.testing.assert_array_equal(found.cases.id, wanted.cases.id)
        assert found.origin == wanted.origin


def test_results_of_cross_validate_of_regressors_and_several_classes():
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LinearRegression
    from sklearn.svm import LinearSVC

    X, y = load_iris(return_X_y=True)
    found = from_cross_validate(validated(LinearSVC(), X, y), X, y)
    np.testing.assert_array_equal(
        found.label, from_cv(LinearSVC(), X, y, cv=validated_folds()).label
    )
    assert from_cross_validate(validated(LinearRegression(), X, X[:, 0]), X, X[:, 0]).n == 150


def validated_folds():
    from sklearn.model_selection import StratifiedKFold

    return StratifiedKFold(5)


def test_results_without_estimators_or_of_other_data_are_refused():
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_validate

    X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 0, 1, 1])
    with pytest.raises(DataError, match=r"no 'estimator' and no 'indices'\. Call cross_val"):
        from_cross_validate(cross_validate(LogisticRegression(), X, y, cv=2), X, y)
    results = validated(LogisticRegression(), X, y, cv=2)
    with pytest.raises(DataError, match="its folds are of 8 cases, y has 7"):
        from_cross_validate(results, X[:7], y[:7])
    results["estimator"][1] = LogisticRegression()
    with pytest.raises(DataError, match="that of fold 2 failed to fit"):
        from_cross_validate(results, X, y)
