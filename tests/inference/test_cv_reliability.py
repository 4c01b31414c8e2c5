"""Reliability: a repetition by hand, correlations and their intervals, the dial, refusals."""

import json

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import abovechance as ac
from abovechance.errors import AboveChanceError
from abovechance.inference.cv_reliability import (
    Repetitions,
    apportioned,
    correlation_interval,
    spearman_without,
)
from abovechance.learning.from_sklearn import splitter_of
from abovechance.measures import find
from abovechance.resampling import child_seed, stream


def data(n=300, seed=1):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 3)), (np.arange(n) % 3 == 0).astype(int)
    X[:, 0] += 1.5 * y
    return X, y


FEW = {"n": 30, "draws": 8, "rng": 3}


def test_repetitions_are_those_of_a_plain_loop() -> None:
    """Rows, flips and folds from the same stream; fits and measures by scikit-learn alone."""
    X, y = data()
    model = GaussianNB()
    found = ac.reliability(
        model, X, y, measures=["accuracy", "brier", "log_score"], cv=3, holdout=200, **FEW
    )
    scores = {
        "accuracy": lambda t, p: accuracy_score(t, p > 0.5),
        "brier": brier_score_loss,
        "log_score": lambda t, p: -log_loss(t, p),
    }
    dial = np.linspace(0, 0.2, 20)
    work = Repetitions(
        model, X, y, y, (), 30, 200, tuple(dial), 3, balanced=False, pos_label=1, seed=3
    )
    inside, outside = ({name: [] for name in scores} for _ in range(2))
    seed = child_seed(3, "reliability", 30)
    for block in range(2):  # four repetitions share a stream
        rng = stream(seed, block)
        for _ in range(4):
            train, held = work.drawn(rng)
            flip = float(rng.choice(work.flips))
            labels, truth = work.flipped(train, flip, rng), work.flipped(held, flip, rng)
            assert (labels != y[train]).sum() == round(flip * 30)
            folds = splitter_of(model, 3, labels, None, int(rng.integers(2**31)))
            parts = list(folds.split(X[train], labels))
            whole = clone(model).fit(X[train], labels).predict_proba(X[held])[:, 1]
            for name, score in scores.items():
                each = []
                for first, second in parts:
                    fitted = clone(model).fit(X[train][first], labels[first])
                    p = fitted.predict_proba(X[train][second])[:, 1]
                    each.append(score(labels[second], p))
                inside[name].append(np.mean(each))
                outside[name].append(score(truth, whole))
    for name in scores:
        row, kept = found[name], found.repeated[0]
        assert kept.cv[name] == pytest.approx(inside[name], abs=1e-12)
        assert kept.holdout[name] == pytest.approx(outside[name], abs=1e-12)
        rho = spearmanr(np.round(inside[name], 12), np.round(outside[name], 12)).statistic
        assert row.spearman == pytest.approx(rho, abs=1e-12)
        apart = np.subtract(inside[name], outside[name])
        assert row.bias == pytest.approx(apart.mean())
        assert row.spread == pytest.approx(apart.std(ddof=1))
        assert row.error == pytest.approx(np.sqrt(np.mean(apart**2)))


def test_leaving_each_repetition_out_is_what_it_says() -> None:
    rng = np.random.default_rng(1)
    x = np.round(rng.normal(size=25), 1)  # with ties
    y = x + rng.normal(size=25)
    value, without = spearman_without(x, y)
    assert value == pytest.approx(spearmanr(x, y).statistic)
    for i in range(25):
        assert without[i] == pytest.approx(spearmanr(np.delete(x, i), np.delete(y, i)).statistic)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_the_interval_of_a_correlation_covers(rho) -> None:
    rng = np.random.default_rng(4)
    true = 6 / np.pi * np.arcsin(rho / 2)
    hits = 0
    for _ in range(200):
        z = rng.normal(size=(2, 60))
        value, without = spearman_without(z[0], rho * z[0] + np.sqrt(1 - rho**2) * z[1])
        found = correlation_interval(value, without, 0.95)
        assert found is not None
        hits += true in found
    assert hits / 200 >= 0.90


def test_classes_are_drawn_as_they_are_or_in_equal_numbers() -> None:
    X, y = data()
    work = Repetitions(
        GaussianNB(), X, y, y, (), 30, 90, (0.0,), 3, balanced=False, pos_label=1, seed=0
    )
    train, held = work.drawn(np.random.default_rng(1))
    assert (y[train].sum(), y[held].sum()) == (10, 30)
    assert not set(train) & set(held)
    even = ac.reliability(GaussianNB(), X, y, balanced=True, measures="brier", **FEW)
    assert even.holdout == 170  # twice the smaller class, less those learned from
    assert apportioned(np.array([1 / 3, 2 / 3]), 10).tolist() == [3, 7]


def test_the_dial_makes_models_differ_and_without_it_this_is_said() -> None:
    X, y = data(n=600)
    asked = {"measures": "brier", "n": 60, "holdout": 400, "draws": 40, "rng": 2}
    dialled = ac.reliability(GaussianNB(), X, y, flips=[0.0, 0.4], **asked)
    still = ac.reliability(GaussianNB(), X, y, flips=0, **asked)
    assert dialled["brier"].spearman > 0.5 > still["brier"].spearman
    assert "AC742" in {one.code for one in still.advice}
    assert "AC742" not in {one.code for one in dialled.advice}
    assert set(dialled.repeated[0].flip) == {0.0, 0.4}


def test_numbers_several_classes_and_several_sizes() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 2))
    numbers = ac.reliability(
        LinearRegression(), X, X[:, 0] + rng.normal(size=200), n=[20, 40], cv=4, draws=6, rng=1
    )
    assert [(row.measure, row.n) for row in numbers.measures] == [
        ("r2", 20), ("mse", 20), ("mae", 20), ("r2", 40), ("mse", 40), ("mae", 40)
    ]  # fmt: skip
    assert numbers.flips == (0.0,)
    assert numbers["mse", 40].n == 40
    three = np.digitize(X[:, 0], [-0.5, 0.5])
    several = ac.reliability(GaussianNB(), X, three, n=40, cv=3, draws=6, rng=1)
    assert several["accuracy"].cv < 1
    assert several["auc"].measure.startswith("auc")


def test_processes_and_a_store_change_no_bit(tmp_path) -> None:
    X, y = data()
    asked = {"measures": ["accuracy", "brier"], "cv": 3, **FEW}
    whole = ac.reliability(GaussianNB(), X, y, **asked)
    assert ac.reliability(GaussianNB(), X, y, workers=2, **asked).to_dict() == whole.to_dict()
    kept = tmp_path / "repetitions.db"
    ac.reliability(GaussianNB(), X, y, store=kept, **{**asked, "draws": 5})
    assert ac.reliability(GaussianNB(), X, y, store=kept, **asked).to_dict() == whole.to_dict()


def test_logistic_regressions_of_all_folds_at_once_are_scikit_learns() -> None:
    X, y = data()
    exact = LogisticRegression(solver="newton-cholesky", tol=1e-12)
    fast = ac.reliability(exact, X, y, cv=3, **FEW)
    other = LogisticRegression(solver="newton-cg", tol=1e-12, class_weight={0: 1.0, 1: 1.0})
    slow = ac.reliability(other, X, y, cv=3, **FEW)
    for name in ("accuracy", "auc", "brier", "log_score"):
        one, two = (np.array(found.repeated[0].cv[name]) for found in (fast, slow))
        np.testing.assert_allclose(one, two, atol=1e-6)


def test_a_result_prints_saves_and_is_read_again() -> None:
    X, y = data()
    found = ac.reliability(GaussianNB(), X, y, cv=3, **FEW)
    text = str(found)
    assert "Cross-validation beside held-out cases" in text
    assert max(map(len, text.splitlines())) <= 80
    saved = json.loads(found.to_json())
    assert saved["kind"] == "reliability"
    page = ac.report(saved)
    assert "Can the cross-validation be believed?" in page.html
    assert len(page.document.charts) == 2
    assert len(found.rows()) == 4
    assert found.rows()[0]["interval_low"] is not None
    assert find("auc").label in {row.measure for row in found.measures}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"n": 300}, "cases left to hold out"),
        ({"n": 2}, "n must be at least 4"),
        ({"n": 30.5}, "n must be a whole number"),
        ({"n": []}, "n must say"),
        ({"holdout": 290}, "holdout must be at most the 270"),
        ({"balanced": True, "n": 199}, "cases left to hold out"),
        ({"flips": 1.0}, "flips must be shares"),
        ({"flips": "many"}, "flips must be a share"),
        ({"cv": 20}, "no more folds than"),
        ({"y": np.zeros(300)}, "two classes"),
        ({"estimator": LinearSVC()}, "predict_proba"),
        ({"estimator": "logistic"}, "fit and predict"),
        ({"measures": "brierr"}, "did you mean 'brier'"),
        ({"X": np.array([["a", 1, 2]] * 300, dtype=object)}, "features must be numbers"),
        ({"y": np.r_[np.zeros(299), np.nan]}, "must not be missing"),
        ({"draws": 3}, "draws must be at least 5"),
    ],
)
def test_bad_input_gets_one_line(change, said) -> None:
    X, y = data()
    asked = {"estimator": GaussianNB(), "X": X, "y": y, "cv": 3, **FEW, **change}
    with pytest.raises(AboveChanceError, match=said) as refused:
        ac.reliability(**asked)
    assert "\n" not in str(refused.value)
