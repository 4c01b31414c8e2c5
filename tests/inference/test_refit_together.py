"""Refits done together give the numbers of refits done one by one by scikit-learn."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    KFold,
    LeaveOneGroupOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    check_cv,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from abovechance import permutation_test
from abovechance.errors import NotApplicable
from abovechance.learning.from_sklearn import (
    _by_libsvm,
    _fold_decisions,
    _order_unsure,
    _settle,
    cross_predictions,
    folds_of,
    folds_of_each,
    known,
)
from abovechance.measures.catalogue import applicable
from abovechance.measures.sample import COUNTING
from abovechance.predictions import Binary

# libsvm stops within its tolerance of the optimum, and where it stops differs between builds and
# CPUs: as an oracle of labels it must stop so near that no case lies in between.
TIGHT = 1e-6
ESTIMATORS = {
    "discriminant": LinearDiscriminantAnalysis(),
    "scaled discriminant": make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
    "machine": SVC(kernel="linear", tol=TIGHT),
    "scaled machine": make_pipeline(StandardScaler(), SVC(kernel="linear", tol=TIGHT)),
    "shrunken discriminant": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    "discriminant shrunken by half": LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.5),
    "scaled liblinear": make_pipeline(StandardScaler(), LinearSVC(tol=1e-9, max_iter=100_000)),
    "regression": LogisticRegression(tol=1e-11, max_iter=1_000),
    "scaled regression": make_pipeline(
        StandardScaler(), LogisticRegression(C=10, tol=1e-11, max_iter=1_000)
    ),
}
DRAWS = 20


@pytest.fixture(autouse=True)
def always_worthwhile(monkeypatch) -> None:
    """Take the fast way for few permutations too, in blocks smaller than their number."""
    monkeypatch.setattr("abovechance.inference.refit.worthwhile", lambda size: True)
    monkeypatch.setattr("abovechance.inference.refit.TOGETHER_BLOCK", 16)


def data(n: int = 40, p: int = 4, shift: float = 0.5, seed: int = 1):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, p)) + shift * y[:, None], y


def both_ways(estimator, X, y, **settings):
    """The same test together and one by one, after checking that it was so."""
    settings = {"draws": DRAWS, "rng": 3, "cv": 4} | settings
    found = permutation_test(estimator, X, y, **settings)
    alone = permutation_test(estimator, X, y, fast=False, **settings)
    assert (found.together, alone.together) == (True, False)
    return found, alone


def assert_same(found, alone) -> None:
    assert found.null.keys() == alone.null.keys()
    for row, other in zip(found.tests, alone.tests, strict=True):
        assert row.value == pytest.approx(other.value, rel=1e-10, abs=1e-12)
        assert (row.p_value, row.draws) == (other.p_value, other.draws)
        np.testing.assert_allclose(
            found.null[row.measure], alone.null[row.measure], rtol=1e-10, atol=1e-12
        )


@pytest.mark.parametrize(("cost", "tolerance"), [(0.1, TIGHT), (10.0, 1e-3)])
def test_ranks_by_decision_values_of_machines_have_the_same_null(cost, tolerance) -> None:
    X, y = data()
    machine = make_pipeline(StandardScaler(), SVC(kernel="linear", C=cost, tol=tolerance))
    ranks = ["accuracy", "auc", "average_precision", "ks"]
    assert_same(*both_ways(machine, X, y, measures=ranks))
    # a fold with one class: ranks of all cases at once
    few = np.arange(40) < 3
    assert_same(*both_ways(machine, X, few.astype(int), measures=["auc"], cv=KFold(4)))


def test_ranks_by_decision_values_of_liblinear_have_the_same_null() -> None:
    X, y = data()
    assert_same(*both_ways(ESTIMATORS["scaled liblinear"], X, y, measures=["auc", "ks"]))


def test_folds_whose_order_the_solvers_could_tell_differently_are_found() -> None:
    values = np.array([[0.0, 0.1, 0.5, 0.52, 0.9, 1.5, 2.0, 2.01]])
    labels, folds = np.array([[0, 0, 0, 1, 1, 1, 0, 1]]), np.array([[0, 0, 1, 1, 2, 2, 3, 3]])
    found = _order_unsure(values, labels, folds, 4, 0.05)
    assert found.tolist() == [[False, True, False, True]]  # fold 1 by its own two, fold 3 as well
    found = _order_unsure(values, labels, folds[:, [0, 1, 2, 4, 3, 5, 6, 7]], 4, 0.05)
    assert found[0, [1, 2]].all()  # both cases of a near pair in two folds, ranked together


@pytest.mark.part(3)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_measure_of_labels_has_the_same_null(name) -> None:
    X, y = data()
    labels = Binary(y, label=y)
    counting = [m for m in applicable(labels) if m.form in COUNTING]
    directed = [m for m in counting if m.higher_is_better is not None]
    assert len(directed) > 10
    assert_same(*both_ways(ESTIMATORS[name], X, y, measures=directed))


EXACT = [name for name in ESTIMATORS if "discriminant" in name]


@pytest.mark.parametrize("name", EXACT)
def test_measures_of_probabilities_have_the_same_null(name) -> None:
    X, y = data()
    chosen = ["auc", "brier", "log_score", "balanced_accuracy"]
    assert_same(*both_ways(ESTIMATORS[name], X, y, measures=chosen))


@pytest.mark.parametrize("name", ["regression", "scaled regression"])
def test_regressions_run_to_their_optimum_by_scikit_learn_have_the_same_null(name) -> None:
    X, y = data()
    chosen = ["accuracy", "auc", "brier", "log_score"]
    found, alone = both_ways(ESTIMATORS[name], X, y, measures=chosen)
    for row, other in zip(found.tests, alone.tests, strict=True):
        assert row.value == pytest.approx(other.value, rel=1e-8)
        assert row.p_value == other.p_value
        np.testing.assert_allclose(found.null[row.measure], alone.null[row.measure], rtol=1e-8)


def test_regressions_as_they_stop_by_default_differ_within_their_tolerance() -> None:
    X, y = data()
    found, alone = both_ways(LogisticRegression(), X, y, measures=["brier", "log_score"])
    for name, null in found.null.items():
        np.testing.assert_allclose(null, alone.null[name], rtol=2e-3)


def test_a_regression_that_runs_out_of_steps_is_refitted_one_by_one() -> None:
    X, y = data()
    with pytest.warns(UserWarning, match="failed to converge"):
        found = permutation_test(LogisticRegression(max_iter=1), X, y, draws=DRAWS, rng=3)
    assert not found.together


@pytest.mark.parametrize("positive", ["ill", "well"])
def test_either_of_two_named_classes_may_be_positive(positive) -> None:
    X, y = data()
    words = np.array(["ill", "well"])[y]
    chosen = ["sensitivity", "precision", "balanced_accuracy"]
    for estimator in (ESTIMATORS["discriminant"], ESTIMATORS["machine"]):
        assert_same(*both_ways(estimator, X, words, measures=chosen, pos_label=positive))


def test_a_rare_class_leaves_measures_undefined_in_the_same_folds() -> None:
    X, _ = data(n=42)
    y = (np.arange(42) % 7 == 0).astype(int)
    chosen = ["precision", "mcc", "accuracy"]
    assert_same(*both_ways(ESTIMATORS["discriminant"], X, y, cv=3, measures=chosen))


def test_more_features_than_cases_agree() -> None:
    X, y = data(p=60, shift=0.2)
    assert_same(*both_ways(ESTIMATORS["discriminant"], X, y))
    assert_same(*both_ways(ESTIMATORS["scaled machine"], X, y))


@pytest.mark.parametrize("seed", [0, 2])
@pytest.mark.parametrize("positive", [0, 1])
def test_ties_among_whole_numbers_are_ties_both_ways(seed, positive) -> None:
    X, y = np.random.default_rng(seed).integers(0, 3, (36, 4)), (np.arange(36) % 3 == 0).astype(int)
    chosen = ["auc", "accuracy", "brier", "log_score", "average_precision", "ks"]
    settings = {"cv": KFold(6), "measures": chosen, "pos_label": positive}
    assert_same(*both_ways(ESTIMATORS["discriminant"], X, y, **settings))


COLUMNS = {
    "ones": np.ones(40),
    "a fraction": np.full(40, 0.1),
    "the class": np.arange(40) % 2,
    "one case": np.arange(40) == 3,
    "a sum": data()[0][:, :2].sum(axis=1),
}


@pytest.mark.part(5)
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("name", [n for n in ESTIMATORS if n != "scaled discriminant"])
def test_a_feature_that_stands_still_or_is_known_from_others_agrees(name, column) -> None:
    X, y = data()
    X = np.c_[X, COLUMNS[column]]
    assert_same(*both_ways(ESTIMATORS[name], X, y, draws=8))


def test_features_but_for_whole_constants_are_trained_together() -> None:
    X, _ = data()
    found = known(ESTIMATORS["discriminant"], np.c_[X, np.ones(40), np.full(40, 0.1)])
    np.testing.assert_array_equal(found.varying, np.c_[X, np.full(40, 0.1)])
    assert found.X.shape == (40, 6)


def test_whole_blocks_of_unequal_size_agree() -> None:
    X, _ = data(n=42)
    blocks = np.repeat(np.arange(12), [1, 2, 3, 4, 5, 6] * 2)
    settings = {"permute": "blocks", "blocks": blocks, "cv": 3}
    assert_same(*both_ways(ESTIMATORS["discriminant"], X, blocks % 2, **settings))


SPLITTERS = {
    "stratified": StratifiedKFold(5, shuffle=True, random_state=2),
    "unshuffled": StratifiedKFold(3),
    "blind to labels": KFold(4, shuffle=True, random_state=1),
    "a list": list(KFold(5, shuffle=True, random_state=1).split(np.zeros(40))),
    "predefined": PredefinedSplit(np.arange(40) % 3),
}


@pytest.mark.parametrize("name", SPLITTERS)
def test_any_splitter_that_tests_every_case_once_agrees(name) -> None:
    X, y = data()
    assert_same(*both_ways(ESTIMATORS["discriminant"], X, y, cv=SPLITTERS[name]))


def test_splits_that_run_out_are_kept() -> None:
    X, y = data()
    splits = SPLITTERS["a list"]
    found = permutation_test(LogisticRegression(), X, y, cv=iter(splits), draws=4, rng=1)
    again = permutation_test(LogisticRegression(), X, y, cv=splits, draws=4, rng=1)
    assert found.tests == again.tests


def test_cases_tested_several_times_are_left_to_scikit_learn() -> None:
    X, y = data()
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1)
    found = permutation_test(ESTIMATORS["discriminant"], X, y, cv=cv, draws=DRAWS, rng=1)
    assert not found.together


@pytest.mark.parametrize("permute", ["within", "blocks"])
def test_blocks_and_groups_agree(permute) -> None:
    X, y = data(n=48)
    blocks = np.arange(48) // 4
    if permute == "blocks":
        y = (blocks % 2).astype(int)
    settings = {"permute": permute, "blocks": blocks, "cv_groups": blocks}
    assert_same(*both_ways(ESTIMATORS["discriminant"], X, y, cv=3, **settings))
    settings["cv"] = LeaveOneGroupOut()
    assert_same(*both_ways(ESTIMATORS["discriminant"], X, y, **settings))


def test_workers_stores_and_stopping_agree(tmp_path) -> None:
    X, y = data()
    estimator, file = ESTIMATORS["scaled machine"], tmp_path / "refits.sqlite"
    plain, alone = both_ways(estimator, X, y, draws=40)
    settings = {"cv": 4, "rng": 3}
    short = permutation_test(estimator, X, y, draws=DRAWS, store=file, **settings)
    resumed = permutation_test(estimator, X, y, draws=40, store=file, **settings)
    spread = permutation_test(estimator, X, y, draws=40, workers=2, **settings)
    for other in (resumed, spread, alone):
        assert_same(plain, other)
    np.testing.assert_array_equal(
        short.null["balanced_accuracy"], plain.null["balanced_accuracy"][:DRAWS]
    )
    assert_same(*both_ways(estimator, X, y, draws=30, stop="gandy"))


@pytest.mark.parametrize("name", ["discriminant", "machine"])
def test_a_store_goes_on_though_the_way_changes(name, tmp_path, monkeypatch) -> None:
    X, y = data()
    settings = {"cv": 4, "rng": 3, "store": tmp_path / "refits.sqlite"}
    monkeypatch.setattr("abovechance.inference.refit.worthwhile", lambda size: size > 16 * 40)
    runs = [
        permutation_test(ESTIMATORS[name], X, y, draws=draws, **settings) for draws in (16, 48, 16)
    ]
    assert [found.together for found in runs] == [False, True, False]
    whole = permutation_test(ESTIMATORS[name], X, y, draws=48, cv=4, rng=3)
    for found in runs:
        null = found.null["balanced_accuracy"]
        np.testing.assert_allclose(null, whole.null["balanced_accuracy"][: len(null)], rtol=1e-10)
    alone = permutation_test(ESTIMATORS[name], X, y, draws=48, fast=False, **settings)
    assert_same(whole, alone)


def test_few_permutations_are_not_worth_loading_compiled_code(monkeypatch) -> None:
    monkeypatch.undo()
    X, y = data()
    assert not permutation_test(ESTIMATORS["discriminant"], X, y, draws=9, rng=1).together


@pytest.mark.parametrize(
    ("estimator", "X"),
    [
        (LogisticRegression(class_weight="balanced"), data()[0]),
        (LinearDiscriminantAnalysis(), data()[0].astype(np.float32)),
        (LinearDiscriminantAnalysis(solver="lsqr"), data()[0]),
    ],
    ids=["unknown learner", "single precision", "another solver"],
)
def test_what_is_not_known_to_agree_is_refitted(estimator, X) -> None:
    assert known(estimator, X) is None
    assert known(LinearDiscriminantAnalysis(), data()[0]) is not None


@pytest.mark.parametrize("name", ["discriminant", "scaled machine"])
def test_many_labellings_in_eight_unequal_folds_predict_as_scikit_learn(name) -> None:
    rng = np.random.default_rng(5)
    X, y = data(p=23, shift=0.25)
    labels = rng.permuted(np.tile(y, (80, 1)), axis=1).astype(np.int64)
    uneven = np.repeat(np.arange(8), [3, 4, 4, 5, 5, 6, 6, 7])
    folds = rng.permuted(np.tile(uneven, (80, 1)), axis=1)
    fast = known(ESTIMATORS[name], X)
    ours = cross_predictions(fast, labels, folds) > (0.5 if fast.kind == "probability" else 0)
    theirs, clear = np.empty_like(labels), np.empty(labels.shape, dtype=bool)
    for b, v in np.ndindex(80, 8):
        test = folds[b] == v
        fitted = ESTIMATORS[name].fit(X[~test], labels[b, ~test])
        theirs[b, test] = fitted.predict(X[test])
        clear[b, test] = np.abs(fitted.decision_function(X[test])) > 40 * TIGHT
    assert clear.mean() > 0.999
    np.testing.assert_array_equal(ours[clear], theirs[clear])


@pytest.mark.parametrize("name", SPLITTERS)
def test_folds_of_many_labellings_are_those_of_each(name) -> None:
    rng = np.random.default_rng(7)
    y = np.arange(40) % 3 == 0
    labels = rng.permuted(np.tile(y, (30, 1)), axis=1).astype(np.int64)
    splitter = SPLITTERS[name]
    if isinstance(splitter, list):
        splitter = PredefinedSplit(folds_of(KFold(5), np.zeros((40, 1)), y))
    X, seen = np.zeros((40, 1)), 0
    for rows, folds in folds_of_each(splitter, X, labels):
        for b, fold in zip(rows, folds, strict=True):
            np.testing.assert_array_equal(fold, folds_of(splitter, X, labels[b]))
            seen += 1
    assert seen == 30


def test_a_seed_larger_than_scikit_learn_takes_is_taken() -> None:
    X, y = data()
    assert permutation_test(LogisticRegression(), X, y, cv=3, draws=2, rng=2**40).seed == 2**40
    assert permutation_test(LogisticRegression(), X, y, cv=3, draws=2).seed >= 0


@pytest.mark.parametrize("name", ["discriminant", "scaled machine"])
def test_shuffled_labels_give_super_uniform_p_values(name) -> None:
    chosen = ["accuracy", "mcc"]
    p = []
    for seed in range(80):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(20, 3)), rng.permutation(np.arange(20) % 2)
        found = permutation_test(ESTIMATORS[name], X, y, cv=4, measures=chosen, draws=19, rng=seed)
        p.append([row.p_value for row in found.tests])
    for level in (0.05, 0.1, 0.25, 0.5):
        bound = level + 3.9 * (level * (1 - level) / 80) ** 0.5
        assert (np.mean(np.array(p) <= level + 1e-12, axis=0) <= bound).all()


def test_whole_blocks_of_constant_labels_have_the_right_level() -> None:
    subject, rejected = np.repeat(np.arange(12), 3), {"labels": 0, "blocks": 0}
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = rng.permutation(np.arange(12) % 2)[subject]
        X = rng.normal(size=(36, 2)) + 4 * rng.normal(size=(12, 2))[subject]
        for permute in rejected:
            units = subject if permute == "blocks" else None
            found = permutation_test(
                ESTIMATORS["discriminant"],
                X,
                y,
                cv=4,
                permute=permute,
                blocks=units,
                draws=19,
                rng=seed,
            )
            rejected[permute] += found.tests[0].p_value <= 0.05
    # binomial(40, .05) exceeds 9 with probability below 1e-4
    assert rejected["blocks"] <= 9
    assert rejected["labels"] > 9


class OneByOne:
    """Blocks computed one by one, as by processes."""

    def map(self, task, blocks):
        return ((block, task(block)) for block in blocks)


@pytest.mark.parametrize("name", ["discriminant", "scaled machine", "shrunken discriminant"])
def test_blocks_done_as_one_have_the_bits_of_blocks_done_one_by_one(name) -> None:
    X, y = data()
    measures = ["accuracy", "auc"] + ["brier"] * ("machine" not in name)
    asked = {"draws": 40, "rng": 3, "cv": 4, "measures": measures}
    joined = permutation_test(ESTIMATORS[name], X, y, **asked)
    alone = permutation_test(ESTIMATORS[name], X, y, workers=OneByOne(), **asked)
    for measure in joined.null:
        np.testing.assert_array_equal(joined.null[measure], alone.null[measure])


@pytest.mark.parametrize(("cost", "tolerance"), [(0.05, 1e-3), (1.0, 1e-2), (10.0, 1e-3)])
def test_folds_that_are_settled_have_the_signs_and_order_of_libsvm(cost, tolerance) -> None:
    rng = np.random.default_rng(8)
    X, y = data(p=12, shift=0.25)
    machine = make_pipeline(StandardScaler(), SVC(kernel="linear", C=cost, tol=tolerance))
    fast = known(machine, X)
    labels = rng.permuted(np.tile(y, (60, 1)), axis=1).astype(np.int64)
    folds = next(iter(folds_of_each(StratifiedKFold(8), X, labels)))[1]
    values, unsure = _fold_decisions(fast, labels, folds, 8)
    asked = ~unsure
    near = asked.copy()
    _settle(fast, labels, folds, near, values, ranked=True)
    settled = np.argwhere(asked & ~near)
    assert 0.3 < len(settled) / asked.sum() < 1.0  # some are too near for anybody to tell
    for b, v in settled:
        test = folds[b] == v
        exact, theirs = values[b, test], _by_libsvm(machine, X, labels[b], test)
        label = labels[b, test]
        np.testing.assert_array_equal(np.sign(exact), np.sign(theirs))
        gaps = [np.subtract.outer(v[label == 1], v[label == 0]) for v in (exact, theirs)]
        np.testing.assert_array_equal(*np.sign(gaps))


def test_where_folds_of_one_class_are_ranked_together_no_fold_is_settled_by_itself() -> None:
    X, _ = data()
    fast = known(SVC(kernel="linear"), X)
    labels, folds = (np.arange(40) < 18).astype(np.int64)[None], (np.arange(40) % 20 // 5)[None]
    lone = (np.arange(40) < 5).astype(np.int64)[None]
    for case, left in ((labels, False), (lone, True)):
        values, _ = _fold_decisions(fast, case, folds, 4)
        near = np.ones((1, 4), dtype=bool)
        _settle(fast, case, folds, near, 1e3 * values, ranked=True)
        assert near.all() == left


def test_a_discriminant_that_is_sure_to_be_fitted_is_not_fitted_for_it(monkeypatch) -> None:
    X, y = data()
    fitted = []
    monkeypatch.setattr(
        LinearDiscriminantAnalysis, "fit", lambda self, X, y: fitted.append(len(X)) or self
    )
    assert permutation_test(LinearDiscriminantAnalysis(), X, y, draws=5, rng=1, cv=4).together
    assert not fitted


@pytest.mark.parametrize("y", [[0.5, 1.5] * 20, np.arange(40) % 2], ids=["numbers", "setting"])
def test_what_scikit_learn_refuses_is_refused(y) -> None:
    told = False if isinstance(y, list) else "yes"
    with pytest.raises(NotApplicable, match="could not be fitted"):
        permutation_test(
            LinearDiscriminantAnalysis(store_covariance=told), data()[0], y, draws=5, cv=KFold(4)
        )


def test_splits_given_as_masks_are_folds() -> None:
    fold = np.arange(40) % 4
    splits = [(fold != k, fold == k) for k in range(4)]
    wrapped = check_cv(splits)
    np.testing.assert_array_equal(folds_of(wrapped, np.zeros((40, 1)), fold), fold)
    assert folds_of(check_cv(splits[:3]), np.zeros((40, 1)), fold) is None
    assert folds_of(check_cv([(fold == 1, fold == 0)]), np.zeros((40, 1)), fold) is None
