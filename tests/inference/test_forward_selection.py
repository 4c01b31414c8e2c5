"""Forward selection: a plain loop says the same, in the order of selection, by any measure."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import abovechance as ac
from abovechance.errors import AboveChanceError, DataError, NotApplicable
from abovechance.inference.forward_selection import (
    Judge,
    Logistics,
    Task,
    forward,
    logistic_of,
    splits_of,
    usual_learner,
)
from abovechance.inference.verdicts import _improved

SCORES = {
    "accuracy": lambda y, p: np.mean((p > 0.5) == y),
    "auc": roc_auc_score,
    "brier": lambda y, p: -brier_score_loss(y, p),
    "log_score": lambda y, p: -log_loss(y, p),
}


def data(seed, n=90, features=6):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, features)), np.repeat([0, 1], n // 2)
    X[:, -1] += 1.2 * y
    X[:, -2] += 0.8 * y
    return X, y


def plain_loop(X, y, splits, score, learner, steps):
    """Greedy forward selection as one would write it first: values, then the order."""

    def value(columns):
        found = []
        for train, test in splits:
            model = learner().fit(X[np.ix_(train, columns)], y[train])
            found.append(score(y[test], model.predict_proba(X[np.ix_(test, columns)])[:, 1]))
        return np.mean(found)

    order, values = [], []
    while len(order) < steps:
        left = [j for j in range(X.shape[1]) if j not in order]
        tried = [value([*order, j]) for j in left]
        order.append(left[int(np.argmax(tried))])
        values.append(max(tried))
    return order, values


@pytest.mark.part(3)
@pytest.mark.parametrize("measure", SCORES)
@pytest.mark.parametrize("cv", [1 / 3, 4])
def test_order_and_values_are_those_of_a_plain_loop(measure, cv) -> None:
    X, y = data(1)
    rng = np.random.default_rng(7)
    splits = splits_of(cv, np.arange(len(y)), y, y, rng)
    order, values = plain_loop(X, y, splits, SCORES[measure], lambda: usual_learner(False), steps=4)
    found = ac.select(X, y, measure=measure, cv=splits, features=4, ties="first", rng=1)
    assert [step.column for step in found.steps] == order
    sign = -1 if measure == "brier" else 1
    assert [sign * step.value for step in found.steps] == pytest.approx(values, abs=1e-9)


def test_the_order_is_that_of_selection_and_not_of_columns() -> None:
    X, y = data(2, n=200)
    found = ac.select(X, y, features=2, rng=1)
    assert found.selected == ["feature 6", "feature 5"]
    assert found.rows()[0]["step"] == 1


def test_many_fits_at_once_give_the_numbers_of_scikit_learn() -> None:
    X, y = data(3)
    rng = np.random.default_rng(1)
    splits = [splits_of(cv, np.arange(len(y)), y, y, rng) for cv in (1 / 3, 3, 1 / 4)]
    names = ["accuracy", "auc", "brier", "log_score", "calibration_slope", "mcc"]
    task = Task.of(
        X,
        np.array(["b", "a"])[y],
        measures=names,
        learner=None,
        feature_names=None,
        kind=None,
        pos_label="b",
        seed=1,
    )
    assert isinstance(task.judge.together, Logistics)
    fast, slow = (
        forward(judge, splits, 4) for judge in (task.judge, replace(task.judge, together=None))
    )
    assert np.array_equal(fast.order, slow.order)
    np.testing.assert_allclose(fast.values, slow.values, rtol=1e-6, atol=1e-9)


def test_every_way_to_the_optimum_is_known_and_nothing_else() -> None:
    scaled = make_pipeline(StandardScaler(), LogisticRegression(C=3, solver="newton-cg"))
    assert logistic_of(scaled) is not None
    others = (
        LogisticRegression(solver="liblinear"),
        LogisticRegression(class_weight="balanced"),
        LogisticRegression(fit_intercept=False),
        make_pipeline(StandardScaler(with_mean=False), LogisticRegression()),
        GaussianNB(),
    )
    assert [logistic_of(one) for one in others] == [None] * len(others)


def test_selection_ends_when_nothing_improves_and_says_so() -> None:
    rng = np.random.default_rng(5)
    noise, y = rng.normal(size=(80, 4)), np.repeat([0, 1], 40)
    found = ac.select(noise, y, measure="log_score", gain=0.05, rng=1)
    assert not found.steps
    assert found.stopped == "no feature that is left improves log_score by more than 0.05"
    assert "None of 4 features selected" in str(found)
    X, y = data(4, n=120)
    by_rule = ac.select(X, y, rng=1)
    strict = ac.select(X, y, gain=0.05, rng=1)
    assert all(step.gain > 0 for step in by_rule.steps)
    assert len(strict.steps) < len(by_rule.steps)
    assert strict.selected == by_rule.selected[: len(strict.steps)]
    every = ac.select(X, y, features=6, rng=1)
    assert sorted(every.selected) == sorted(f"feature {j}" for j in range(1, 7))


def test_ties_are_broken_at_random_unless_the_first_column_is_asked_for() -> None:
    X, y = data(6, features=3)
    twin = np.column_stack([X[:, 2], X[:, 2]])
    first = {ac.select(twin, y, features=1, ties="first", rng=s).selected[0] for s in range(8)}
    any_ = {ac.select(twin, y, features=1, rng=s).selected[0] for s in range(8)}
    assert first == {"feature 1"}
    assert any_ == {"feature 1", "feature 2"}


@pytest.mark.parametrize(
    ("learner", "measure"),
    [
        (GaussianNB(), "auc"),
        (RandomForestClassifier(5), "balanced_accuracy"),
        (LinearSVC(), "accuracy"),
        (LogisticRegression(), "calibration_slope"),
    ],
)
def test_any_learner_and_any_measure_will_do(learner, measure) -> None:
    X, y = data(7, n=100)
    found = ac.select(X, y, learner=learner, measure=measure, cv=2, features=2, rng=1)
    again = ac.select(X, y, learner=learner, measure=measure, cv=2, features=2, rng=1)
    assert found.to_dict() == again.to_dict()
    assert len(found.steps) == 2
    assert "2 of 6 features selected" in str(found)


def test_numbers_and_several_classes_are_selected_for_too() -> None:
    rng = np.random.default_rng(8)
    X = rng.normal(size=(90, 4))
    y = 3 * X[:, 1] - X[:, 3] + rng.normal(size=90)
    found = ac.select(X, y, measure="mse", cv=KFold(3), rng=1)
    assert found.selected[:2] == ["feature 2", "feature 4"]
    assert ac.select(X, y, measure="r2", learner=LinearRegression(), rng=1).learner.startswith("Li")
    three = np.digitize(X[:, 2], [-0.5, 0.5])
    found = ac.select(X, three, cv=StratifiedKFold(3), features=1, rng=1)
    assert found.selected == ["feature 3"]


def test_a_dataframe_names_its_columns_and_rows_are_brought_in_order() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = data(9)
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    plain = ac.select(frame, pandas.Series(y), features=2, rng=1)
    assert set(plain.selected) == {"e", "f"}
    turned = ac.select(frame, pandas.Series(y).sample(frac=1, random_state=1), features=2, rng=1)
    assert turned.selected == plain.selected
    assert turned.advice[0].code == "AC004" or "order" in turned.advice[0].text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"X": np.column_stack([np.ones(60), np.arange(60)])}, "constant"),
        ({"X": np.array([["a", 1]] * 60, dtype=object)}, "features must be numbers"),
        ({"y": np.zeros(60)}, "two classes"),
        ({"y": np.r_[np.zeros(57), 1, 1, 1]}, "at least 5 cases"),
        ({"features": 9}, "features must be at most the 3"),
        ({"features": 0}, "features must be at least 1"),
        ({"gain": -1}, "gain must not be negative"),
        ({"cv": 1}, "cv must be a share"),
        ({"cv": "five"}, "cv must be a share"),
        ({"ties": "last"}, "ties must be"),
        ({"measure": "brierr"}, "did you mean 'brier'"),
        ({"learner": LinearSVC()}, "needs a predicted probability"),
        ({"measure": "sensitivity", "y": np.repeat(["a", "b"], 30)}, "pos_label must say"),
        ({"pos_label": "c"}, "pos_label must be one of"),
        ({"kind": "ordinal"}, "kind must be"),
    ],
)
def test_bad_input_gets_one_line(change, said) -> None:
    X, y = data(1, n=60, features=3)
    with pytest.raises(AboveChanceError, match=said) as refused:
        ac.select(**{"X": X, "y": y, "rng": 1, **change})
    assert "\n" not in str(refused.value)
    assert isinstance(refused.value, DataError | NotApplicable | AboveChanceError)


def test_a_measure_that_is_undefined_everywhere_is_refused() -> None:
    X, y = data(1, n=60, features=3)
    judge = Judge(GaussianNB(), X, y, ())
    assert judge.same.strategy == "prior"
    with pytest.raises(NotApplicable):
        ac.select(X, y.astype(float) / 2 + X[:, 0], measure="auc", rng=1)


def test_the_sentence_ends_with_the_value_of_the_last_step():
    steps = [{"feature": f, "value": v} for f, v in (("a", 0.6), ("b", 0.7), ("c", 0.81))]
    said = _improved({"title": "AUC", "steps": steps, "start": 0.5})
    assert said.endswith("goes from 0.500 to 0.810.")
    assert _improved({"title": "AUC", "steps": [], "start": 0.5}).startswith("No feature improves")


def test_four_numbers_are_enough_and_three_are_not():
    rng = np.random.default_rng(1)
    asked = {"measure": "mse", "cv": 2, "rng": 1, "kind": "numeric"}
    assert ac.select(rng.normal(size=(4, 2)), [1.0, 2.5, 2.0, 4.0], **asked).steps is not None
    with pytest.raises(DataError, match="at least 4 cases; got 3"):
        ac.select(rng.normal(size=(3, 2)), [1.0, 2.5, 2.0], **asked)


@pytest.mark.parametrize("cv", [0.3, 2, 4])
@pytest.mark.parametrize("classes", [True, False])
def test_whole_groups_are_dealt_to_parts_of_which_none_is_empty(cv: float, classes: bool) -> None:
    """With or without classes: every group is on one side, every part has a case of each class."""
    rng = np.random.default_rng(7)
    groups = rng.permutation(np.repeat(np.arange(12), 3))
    y = rng.integers(0, 2, 36)
    strata = y if classes else None
    for train, test in splits_of(cv, np.arange(36), y.astype(float), strata, rng, groups=groups):
        assert set(groups[train]).isdisjoint(groups[test])
        assert sorted([*train, *test]) == list(range(36))
        for part in (train, test):
            assert len(part) > 0
            assert not classes or set(y[part]) == {0, 1}
