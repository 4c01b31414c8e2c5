"""Fits to parts, judged on other parts, against scikit-learn called by hand."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import KFold, RepeatedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from abovechance import Binary, Multiclass, Numeric, Survival
from abovechance.errors import DataError, NotApplicable
from abovechance.learning.learner_tasks import measures_for, split_parts, task_of
from abovechance.measures import find


def two_classes(n=60, features=3, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, features))
    return X, (X[:, 0] + rng.normal(size=n) > 0.4).astype(int)


class RiskScore(BaseEstimator):
    """The least a survival model has to offer: a risk that is higher for earlier events."""

    def fit(self, X, y):
        self.weights_ = np.linalg.lstsq(X, -np.log(y["time"]), rcond=None)[0]
        return self

    def predict(self, X):
        return X @ self.weights_

    def predict_survival_function(self, X):
        return [lambda times, risk=risk: np.exp(-times * np.exp(risk)) for risk in self.predict(X)]


@pytest.mark.parametrize(
    "estimator",
    [
        GaussianNB(),
        make_pipeline(StandardScaler(), LogisticRegression(C=0.3)),
        DecisionTreeClassifier(max_depth=2),
        LinearSVC(),
    ],
    ids=lambda one: type(one).__name__,
)
def test_values_are_those_of_predictions_made_by_hand(estimator):
    X, y = two_classes()
    task = task_of(estimator, X, y, seed=3, fast=False)
    train = task.bootstrap().draw(np.random.default_rng(2), 6)
    fits = task.fits(train)
    measures, _ = measures_for(task, fits.predictions(0), None)
    inside, outside = fits.values(measures, train), fits.values(measures, train == 0)
    for f, counts in enumerate(train):
        rows = np.repeat(np.arange(len(y)), counts)
        by_hand = clone(task.estimator).fit(X[rows], y[rows])
        kind = "probability" if hasattr(by_hand, "predict_proba") else "score"
        found = (
            by_hand.predict_proba(X)[:, 1]
            if kind == "probability"
            else by_hand.decision_function(X)
        )
        threshold = 0.5 if kind == "probability" else 0.0
        for part, values in ((rows, inside), (np.flatnonzero(counts == 0), outside)):
            made = Binary(y[part], threshold=threshold, labels=[0, 1], **{kind: found[part]})
            for m in measures:
                np.testing.assert_allclose(values[m.label][f], m.of(made), rtol=1e-12, atol=1e-12)


def test_discriminants_are_fitted_together_with_the_same_numbers():
    X, y = two_classes(80)
    fast, slow = (task_of(LinearDiscriminantAnalysis(), X, y, fast=way) for way in (True, False))
    assert fast.known is not None
    assert slow.known is None
    train = fast.bootstrap().draw(np.random.default_rng(4), 20)
    np.testing.assert_allclose(fast.fits(train).predicted, slow.fits(train).predicted, atol=1e-10)


def test_every_kind_of_outcome_has_its_predictions():
    flowers, species = load_iris(return_X_y=True)
    patients, progress = load_diabetes(return_X_y=True)
    event = np.arange(len(progress)) % 3 > 0
    given = [
        (GaussianNB(), flowers, species, {}, Multiclass),
        (Ridge(), patients, progress, {}, Numeric),
        (RiskScore(), patients, progress, {"event": event, "times": [100.0, 200.0]}, Survival),
    ]
    for estimator, X, y, facts, kind in given:
        task = task_of(estimator, X, y, **facts)
        train = task.bootstrap().draw(np.random.default_rng(5), 3)
        fits = task.fits(train)
        measures, without = measures_for(task, fits.predictions(0), None)
        assert isinstance(fits.predictions(0), kind)
        assert not without
        values = fits.values(measures, train == 0)
        for m in measures:
            alone = [m.of(fits.predictions(f, train[f] == 0)) for f in range(3)]
            np.testing.assert_allclose(values[m.label], alone, rtol=1e-12)


def test_a_structured_outcome_is_one_of_survival():
    X, y = two_classes()
    pairs = np.array(
        list(zip(y == 1, np.arange(1.0, 61.0), strict=True)),
        dtype=[("event", "?"), ("time", "<f8")],
    )
    task = task_of(RiskScore(), X, pairs)
    assert task.kind == "survival"
    np.testing.assert_array_equal(task.y["time"], np.arange(1.0, 61.0))


def test_bootstrap_samples_keep_groups_whole_and_hold_every_class():
    groups = np.repeat(np.arange(12), 5)
    X, y = two_classes()
    y = (np.arange(60) < 3).astype(int)  # one group holds all positives
    task = task_of(GaussianNB(), X, y, groups=groups)
    train = task.bootstrap().draw(np.random.default_rng(6), 40)
    assert (train.reshape(40, 12, 5).std(axis=2) == 0).all()
    assert (train[:, y == 1].sum(axis=1) > 0).all()


def test_pooled_predictions_know_their_folds_and_repeats():
    X, y = two_classes(30)
    task = task_of(GaussianNB(), X, y)
    train, judged = split_parts(KFold(3), X, y)
    one = task.fits(train).pooled(judged)
    assert one.origin == "cv"
    np.testing.assert_array_equal(one.cases.fold, np.repeat([1, 2, 3], 10))
    train, judged = split_parts(RepeatedKFold(n_splits=3, n_repeats=2, random_state=0), X, y)
    twice = task.fits(train).pooled(judged)
    assert twice.origin == "repeated_cv"
    assert twice.n == 60
    by_hand = GaussianNB().fit(X[train[4] > 0], y[train[4] > 0]).predict_proba(X)[:, 1]
    at = twice.cases.fold == 5
    np.testing.assert_array_equal(twice.probability[at], by_hand[judged[4]])


def test_a_class_called_positive_turns_scores_round():
    X, y = two_classes()
    words = np.where(y == 1, "a", "b")
    for estimator in (GaussianNB(), SVC(), SVC(probability=False)):
        ways = [
            task_of(estimator, X, words, pos_label=one).fits(np.ones((1, 60), dtype=int))
            for one in ("a", "b")
        ]
        auc, sensitivity, specificity = (
            [float(fits.values([find(name)])[name][0]) for fits in ways]
            for name in ("auc", "sensitivity", "specificity")
        )
        assert auc[0] == pytest.approx(auc[1])
        assert sensitivity == specificity[::-1]


def test_a_pipeline_is_refitted_from_its_first_step():
    pandas = pytest.importorskip("pandas")
    X, y = two_classes()
    table = pandas.DataFrame({"a": X[:, 0], "site": np.where(X[:, 1] > 0, "north", "south")})
    encoded = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["site"]), remainder="passthrough"), GaussianNB()
    )
    fits = task_of(encoded, table, y).fits(np.ones((1, 60), dtype=int))
    assert isinstance(fits.predictions(0), Binary)
    with pytest.raises(DataError, match="features must be numbers; 'site' holds text"):
        task_of(GaussianNB(), table, y).fits(np.ones((1, 60), dtype=int))


def test_what_cannot_be_learned_is_refused_in_one_line():
    X, y = two_classes()
    refused = [
        (GaussianNB, X, y, "estimator must have scikit-learn's fit and predict"),
        (GaussianNB(), X[:, 0], y, "X must be a table"),
        (GaussianNB(), X, y[:-1], "X and y must have as many cases; got 60 and 59"),
        (GaussianNB(), X, np.ones(60), "two classes of at least 2 cases each; all 60 are 1.0"),
        (GaussianNB(), X, np.arange(60) == 0, "two classes of at least 2 cases each; True has 1"),
        (GaussianNB(), X, np.where(y, "a", "b"), "pos_label must say which class is positive"),
        (LinearRegression(), X, np.where(y, 1.0, np.nan), "y must not be missing; it is at row"),
        (RiskScore(), X, np.zeros(60, dtype=[("a", "f8"), ("b", "f8")]), "two fields, one of them"),
    ]
    for estimator, features, outcome, said in refused:
        with pytest.raises(DataError, match=said) as caught:
            task_of(estimator, features, outcome)
        assert "\n" not in str(caught.value)
    with pytest.raises(DataError, match="no more folds than cases of the rarest class; got 40"):
        task_of(GaussianNB(), X, y).splitter(40, 0)
    with pytest.raises(DataError, match="Ridge could not be fitted to 60 of the 60 cases"):
        task_of(Ridge(), np.where(X > 2, np.nan, X), y).fits(np.ones((1, 60), dtype=int))


def test_a_measure_that_the_estimator_does_not_allow_is_refused_or_left_out():
    X, y = two_classes()
    task = task_of(LinearSVC(), X, y)
    made = task.fits(np.ones((1, 60), dtype=int)).predictions(0)
    found, without = measures_for(task, made, None)
    assert "auc" in [m.name for m in found]
    assert "Brier score" in without
    with pytest.raises(NotApplicable, match="LinearSVC has no predict_proba"):
        measures_for(task, made, ["brier"])
