"""Many statistics on the same labellings."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

from abovechance.errors import DataError, NotApplicable
from abovechance.learning import Estimator, Resubstitution, cross_validate
from abovechance.signal import TWO_GROUP, Accuracy, evaluate, find, oracle, table


def data(n=24, p=3, batch=6, ones=None, seed=0):
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < (n // 2 if ones is None else ones)).astype(np.int64)
    X = rng.normal(size=(n, p)) + y[:, None]
    return X, rng.permuted(np.tile(y, (batch, 1)), axis=1)


def stream(seed=7):
    return np.random.default_rng(seed)


MIXED = [
    "hotelling",
    "energy",
    "lda.cv4",
    "lda.cv4.z",
    "lda.cv4.legacy_z",
    "svm.c10.cv4",
    "lda.resub",
    "dlda.bloo.B5",
    "dlda.bloo.B12",
    "dlda.b632.B12",
    "dlda.b632plus.B12",
    "sdlda.cv3.r2",
    "lda.cv5.unbalanced",
    "hdrda.l0.5.g0.2.resub",
    "l2svm.c0.1.cv4",
]


def test_values_do_not_depend_on_what_else_is_asked_for():
    X, labels = data()
    together = evaluate(X, labels, [find(name) for name in MIXED], stream())
    assert together.shape == (6, len(MIXED))
    assert np.isfinite(together).all()
    for column, name in enumerate(MIXED):
        alone = evaluate(X, labels, [find(name)], stream())
        np.testing.assert_array_equal(together[:, column], alone[:, 0], err_msg=name)


def test_values_follow_from_the_stream():
    X, labels = data()
    statistics = [find("lda.cv4"), find("dlda.bloo.B5")]
    first = evaluate(X, labels, statistics, stream())
    np.testing.assert_array_equal(first, evaluate(X, labels, statistics, stream()))
    assert (first != evaluate(X, labels, statistics, stream(8))).any()


def test_two_group_columns_are_the_statistics_themselves():
    X, labels = data()
    values = evaluate(X, labels, TWO_GROUP, stream())
    for column, statistic in enumerate(TWO_GROUP):
        expected = [statistic(X, row) for row in labels]
        np.testing.assert_allclose(values[:, column], expected, rtol=1e-10)


FAST = {
    "cross-validation and resubstitution": [s.name for s in table("1")],
    "bootstrap": ["lda.b632.B4", "lda.b632plus.B4", "svm.c10.bloo.B2"],
    "high dimension": ["dlda.cv4", "sdlda.cv4", "sdlda.b632.B3", "l2svm.c0.1.cv4"],
}


@pytest.mark.part(3)
@pytest.mark.parametrize("kind", FAST)
def test_fast_and_slow_battery_agree(kind):
    X, labels = data(n=40, p=23, batch=60)
    statistics = [find(name) for name in FAST[kind]]
    fast = evaluate(X, labels, statistics, stream())
    slow = evaluate(X, labels, statistics, stream(), fast=False)
    np.testing.assert_allclose(fast, slow, rtol=1e-12)


def test_foldings_are_drawn_anew_for_every_labelling():
    X, labels = data(batch=1)
    same = np.tile(labels, (40, 1))
    values = evaluate(X, same, [find("lda.cv4"), find("lda.resub")], stream())
    assert len(np.unique(values[:, 0])) > 1
    assert len(np.unique(values[:, 1])) == 1


def test_standardised_accuracy_is_a_straight_function_of_accuracy():
    X, labels = data(ones=8)
    values = evaluate(X, labels, [find("lda.cv4"), find("lda.cv4.z")], stream())
    share = 16 / 24
    expected = (values[:, 0] - share) / np.sqrt(share * (1 - share))
    np.testing.assert_allclose(values[:, 1], expected, rtol=1e-12)


def test_mixed_bootstrap_is_made_of_its_parts():
    X, labels = data()
    names = ["dlda.resub", "dlda.bloo.B9", "dlda.b632.B9"]
    values = evaluate(X, labels, [find(name) for name in names], stream())
    np.testing.assert_allclose(values[:, 2], 0.368 * values[:, 0] + 0.632 * values[:, 1])


def test_repeated_folds_average_over_repeats():
    X, labels = data()
    once = evaluate(X, labels, [find("lda.cv4")], stream())[:, 0]
    twice = evaluate(X, labels, [find("lda.cv4.r2")], stream())[:, 0]
    second = 2 * twice - once
    assert ((second > -1e-9) & (second < 1 + 1e-9)).all()
    assert (second != once).any()


def test_three_classes_are_evaluated_by_accuracies_and_refused_by_two_group_statistics():
    rng = stream()
    y = np.arange(30) % 3
    X = rng.normal(size=(30, 3)) + 5 * np.eye(3)[y]
    values = evaluate(X, y[None], [find("lda.cv5"), find("svm.cv5"), find("dlda.bloo.B5")], rng)
    assert (values > 0.8).all()
    with pytest.raises(NotApplicable, match="two groups"):
        find("hotelling")(X, y)
    with pytest.raises(NotApplicable, match="use hotelling, goeman, mmd or energy"):
        evaluate(X, y[None], [find("srivastava_du")], rng)


def test_any_classifier_can_be_evaluated():
    from sklearn.tree import DecisionTreeClassifier

    X, labels = data()
    tree = Accuracy(Estimator(DecisionTreeClassifier(random_state=0)), Resubstitution())
    assert (evaluate(X, labels, [tree], stream()) == 1).all()
    assert 0 <= tree(X, labels[0], rng=stream()) <= 1


def test_folds_more_than_rows_are_refused():
    X, labels = data(n=6)
    with pytest.raises(NotApplicable, match="as many rows as folds; got 6 rows"):
        evaluate(X, labels, [find("lda.cv8")], stream())


def test_labellings_of_other_sizes_are_refused():
    X, labels = data()
    other = labels.copy()
    other[2, np.flatnonzero(other[2])[0]] = 0
    with pytest.raises(DataError, match="labelling 3 differs"):
        evaluate(X, other, [find("lda.cv4")], stream())
    with pytest.raises(DataError, match="rows of 24 labels"):
        evaluate(X, labels[:, :5], [find("lda.cv4")], stream())


def test_leave_one_out_is_as_many_folds_as_rows():
    X, labels = data(n=16)
    values = evaluate(X, labels, [find("lda.cv16"), find("lda.cv16.unbalanced")], stream())
    folds = np.tile(np.arange(16), (6, 1))
    expected = (cross_validate(find("lda.cv16").learner, X, labels, folds) == labels).mean(axis=1)
    np.testing.assert_allclose(values[:, 0], expected)
    np.testing.assert_allclose(values[:, 1], expected)


def test_statistics_travel_to_other_processes():
    X, labels = data()
    statistics = [*TWO_GROUP, oracle(np.eye(3)), find("svm.c10.cv4"), find("sdlda.b632.B3")]
    sent = pickle.loads(pickle.dumps(statistics))
    np.testing.assert_array_equal(
        evaluate(X, labels, sent, stream()), evaluate(X, labels, statistics, stream())
    )


def test_importing_signal_loads_nothing_heavy():
    code = (
        "import sys, abovechance.signal; "
        "print([m for m in ('scipy.stats', 'sklearn', 'numba', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
