"""Validated models: against plain loops, against each other, and what is refused."""

import json

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import abovechance as ac
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.contract import kind_of
from abovechance.inference.folds import interval_over_cases
from abovechance.inference.validation import plus_632, relative_overfitting
from abovechance.learning.learner_tasks import task_of
from abovechance.resampling import stream


def two_classes(n=90, features=4, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, features))
    return X, (X[:, 0] + rng.normal(size=n) > 0.3).astype(int)


X, Y = two_classes()
NAMES = ("auc", "brier", "log_score", "accuracy", "balanced_accuracy", "sensitivity")
BY_HAND = {
    "auc": lambda y, p: metrics.roc_auc_score(y, p),
    "brier": lambda y, p: np.mean((y - p) ** 2),
    "log_score": lambda y, p: np.mean(np.log(np.where(y == 1, p, 1 - p))),
    "accuracy": lambda y, p: np.mean(y == (p > 0.5)),
    "balanced_accuracy": lambda y, p: metrics.balanced_accuracy_score(y, p > 0.5),
    "sensitivity": lambda y, p: metrics.recall_score(y, p > 0.5),
}
ESTIMATORS = [
    GaussianNB(),
    BernoulliNB(),
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(reg_param=0.1),
    LogisticRegression(),
    make_pipeline(StandardScaler(), LogisticRegression(C=0.1)),
    KNeighborsClassifier(15),
    DecisionTreeClassifier(max_depth=1, random_state=0),
    RandomForestClassifier(5, max_depth=2, random_state=0),
    ExtraTreesClassifier(5, max_depth=2, random_state=0),
]


@pytest.mark.part(3)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("method", ["optimism", ".632+"])
def test_corrected_values_equal_a_plain_loop(estimator, method):
    draws, seed = 6, 5
    found = ac.validate(
        estimator, X, Y, measures=NAMES, method=method, draws=draws, rng=seed, fast=False
    )
    task = task_of(estimator, X, Y, seed=seed)
    samples = task.bootstrap().draw(stream(seed, 0), draws)
    whole = clone(task.estimator).fit(X, Y).predict_proba(X)[:, 1]
    inside, among, outside = ({name: [] for name in NAMES} for _ in range(3))
    for counts in samples:
        rows = np.repeat(np.arange(len(Y)), counts)
        p = clone(task.estimator).fit(X[rows], Y[rows]).predict_proba(X)[:, 1]
        with np.errstate(divide="ignore"):
            for name, value in BY_HAND.items():
                inside[name].append(value(Y[rows], p[rows]))
                among[name].append(value(Y, p))
                outside[name].append(value(Y[counts == 0], p[counts == 0]))
    for name, value in BY_HAND.items():
        apparent = value(Y, whole)
        assert found[name].apparent == pytest.approx(apparent, abs=1e-12)
        if not np.isfinite(np.concatenate([inside[name], among[name], outside[name]])).all():
            assert found[name].undefined is not None
            continue
        if method == "optimism":
            wanted = apparent - np.mean(np.subtract(inside[name], among[name]))
        else:
            wanted = by_hand_632_plus(name, apparent, float(np.mean(outside[name])), whole)
        assert found[name].corrected == pytest.approx(wanted, abs=1e-12), name


def by_hand_632_plus(name, apparent, left_out, p):
    """Efron and Tibshirani's formulas in errors, whichever way the measure points."""
    share, said = Y.mean(), (p > 0.5).mean()
    gamma = {
        "auc": 0.5,
        "brier": np.mean(share * (1 - p) ** 2 + (1 - share) * p**2),
        "log_score": np.mean(share * np.log(p) + (1 - share) * np.log(1 - p)),
        "accuracy": share * said + (1 - share) * (1 - said),
        "balanced_accuracy": 0.5,
        "sensitivity": said,
    }[name]
    sign = 1 if name == "brier" else -1
    error, other, none = (sign * value for value in (apparent, left_out, gamma))
    other = min(other, none)
    rate = (other - error) / (none - error) if other > error and none > error else 0.0
    weight = 0.632 / (1 - 0.368 * rate)
    return sign * ((1 - weight) * error + weight * other)


def test_632_is_the_stated_mixture():
    one = ac.validate(GaussianNB(), X, Y, measures=["auc", "brier"], method=".632", draws=9, rng=2)
    for row in one.validated:
        assert row.corrected == pytest.approx(0.368 * row.apparent + 0.632 * row.left_out)
        assert row.optimism == pytest.approx(row.apparent - row.corrected)


def test_published_values_of_the_632_plus_bootstrap():
    assert plus_632(0.0, 0.41, 0.5) == pytest.approx(0.41 * 0.632 / (1 - 0.368 * 0.82))
    assert relative_overfitting(0.4, 0.45, 0.5, higher=True) == 0.0  # apparent below chance
    assert relative_overfitting(0.9, 0.95, 0.5, higher=True) == 0.0  # left out, it does better


def test_cross_validation_is_the_mean_over_folds_and_pools_what_is_biased_in_them():
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    found = ac.validate(
        GaussianNB(), X, Y, measures=["auc", "accuracy", "nagelkerke_r2"], method="cv", cv=folds,
        rng=1,
    )  # fmt: skip
    pooled = ac.from_cv(GaussianNB(), X, Y, cv=folds)
    areas = [ac.measures.auc.of(pooled.take(pooled.cases.fold == k)) for k in range(1, 6)]
    assert found["auc"].corrected == pytest.approx(np.mean(areas))
    assert found["accuracy"].corrected == pytest.approx(ac.measures.accuracy.of(pooled))
    assert found["nagelkerke_r2"].corrected == pytest.approx(ac.measures.nagelkerke_r2.of(pooled))
    assert found.interval_for == "the model trained on these data"
    assert (found.folds, found.draws) == (5, 1)
    assert found["nagelkerke_r2"].interval is not None


def test_limits_are_those_of_influences_with_the_term_for_shared_training_cases():
    """By hand: how each case moves a mean loss, and log odds of the value."""
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    found = ac.validate(GaussianNB(), X, Y, measures=["brier"], method="cv", cv=folds, rng=1)
    row = found["brier"]
    pooled = ac.from_cv(GaussianNB(), X, Y, cv=folds)
    losses = (pooled.probability - Y) ** 2
    overfitting = (row.corrected - row.apparent) / (row.chance - row.apparent)
    share = np.clip(3 * overfitting, 0.25, 1)
    error = np.sqrt((1 + share * 5 / 4) * losses.var(ddof=1) / len(Y))
    mean = losses.mean()
    half = stats.t.ppf(0.975, len(Y) - 1) * error / (mean * (1 - mean))
    middle = np.log(mean / (1 - mean))
    wanted = 1 / (1 + np.exp(-np.array([middle - half, middle + half])))
    assert [row.interval.low, row.interval.high] == pytest.approx(wanted.tolist())


def test_splits_that_do_not_judge_every_case_once_have_no_interval():
    splits = StratifiedShuffleSplit(6, test_size=30, random_state=1)
    found = ac.validate(GaussianNB(), X, Y, measures=["auc"], method="cv", cv=splits, rng=1)
    assert np.isfinite(found["auc"].corrected)
    assert "do not judge every case once; ask for folds" in found["auc"].no_interval


def test_clusters_that_are_alike_have_wider_limits():
    """Ten copies of each case in a cluster tell no more than the case itself."""
    copies, outcome = np.repeat(X, 10, axis=0), np.repeat(Y, 10)
    asked = {"measures": ["auc", "brier", "nagelkerke_r2"], "draws": 2, "rng": 1, "cv": 5}
    whole = ac.validate(GaussianNB(), copies, outcome, groups=np.repeat(np.arange(90), 10), **asked)
    once = ac.validate(GaussianNB(), X, Y, **asked)
    for one, other in zip(whole.validated, once.validated, strict=True):
        widths = [row.interval.high - row.interval.low for row in (one, other)]
        assert widths[0] == pytest.approx(widths[1], rel=0.35)


def test_a_splitter_whose_repeats_would_be_the_same_is_taken_as_it_is():
    repeated = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1)
    for cv, groups in ((GroupKFold(3), np.arange(len(Y)) // 3), (repeated, None)):
        asked = {"measures": "brier", "cv": cv, "groups": groups, "rng": 1}
        found = ac.validate(GaussianNB(), X, Y, **asked)
        assert found.method == "cv"
        assert found["brier"] == ac.validate(GaussianNB(), X, Y, method="cv", **asked)["brier"]
        assert found["brier"].interval is not None
    shuffled = ac.validate(GaussianNB(), X, Y, measures="brier", cv=StratifiedKFold(3), rng=1)
    assert shuffled.method == "cv"
    again = StratifiedKFold(3, shuffle=True, random_state=1)
    assert ac.validate(GaussianNB(), X, Y, measures="brier", cv=again).method == "repeated_cv"


def test_repeats_are_those_of_a_splitter_that_repeats():
    often = ac.validate(GaussianNB(), X, Y, measures="auc", method="repeated_cv", draws=4, rng=1)
    assert often.draws == 4
    splits = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=1)
    given = ac.validate(GaussianNB(), X, Y, measures="brier", method="cv", cv=splits, rng=1)
    made = ac.from_cv(GaussianNB(), X, Y, cv=splits)
    assert given["brier"].corrected == pytest.approx(ac.measures.brier.of(made))


def test_bootstrap_cross_validation_judges_no_case_that_was_trained_on():
    class Parrot(BaseEstimator):
        """Right about whatever it has seen, of no use else."""

        _estimator_type = "classifier"

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            self.seen_ = {tuple(row): label for row, label in zip(X.tolist(), y, strict=True)}
            return self

        def predict(self, X):
            return np.array([self.seen_.get(tuple(row), 0) for row in X.tolist()])

        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.estimator_type = "classifier"
            return tags

    found = ac.validate(
        Parrot(), X, Y, measures="sensitivity", method="bootstrap_cv", cv=4, draws=5, rng=1
    )
    assert found["sensitivity"].apparent == 1.0
    assert found["sensitivity"].corrected == 0.0
    assert any(advice.code == "AC855" for advice in found.advice)


def test_the_same_numbers_from_any_number_of_processes_and_after_a_stop(tmp_path):
    asked = {"measures": ["auc", "brier"], "draws": 20, "rng": 4}
    alone = ac.validate(GaussianNB(), X, Y, **asked)
    again = ac.validate(GaussianNB(), X, Y, **asked, workers=2, store=tmp_path / "kept.db")
    longer = ac.validate(GaussianNB(), X, Y, **{**asked, "draws": 24}, store=tmp_path / "kept.db")
    assert alone.to_dict() == again.to_dict()
    assert longer.draws == 24
    assert longer["auc"].corrected != alone["auc"].corrected


def test_logistic_regressions_fitted_together_are_those_of_a_tight_solver():
    for learner in (
        LogisticRegression(tol=1e-10, max_iter=10_000),
        make_pipeline(StandardScaler(), LogisticRegression(tol=1e-10, max_iter=10_000)),
    ):
        asked = {"measures": ["auc", "brier", "calibration_slope"], "draws": 12, "rng": 6}
        fast, slow = (ac.validate(learner, X, Y, **asked, fast=way) for way in (True, False))
        assert fast.together
        assert not slow.together
        for one, other in zip(fast.validated, slow.validated, strict=True):
            assert one.corrected == pytest.approx(other.corrected, abs=1e-5)


def test_intervals_contain_their_value_lie_in_the_range_and_say_what_they_are_for():
    X, y = two_classes(200, 3, seed=8)
    found = ac.validate(LogisticRegression(), X, y, rng=1, draws=2)
    assert found.interval_for == "the model trained on these data"
    with_interval = [row for row in found.validated if row.interval is not None]
    assert {"auc", "brier", "calibration_slope"} <= {row.measure for row in with_interval}
    for row in with_interval:
        low, high = ac.measures.find(row.measure).range
        assert low <= row.interval.low < row.corrected < row.interval.high <= high
    wider = ac.validate(LogisticRegression(), X, y, rng=1, draws=2, confidence_level=0.99)
    assert wider["auc"].interval.high > found["auc"].interval.high


@pytest.mark.parametrize("method", ["optimism", ".632", ".632+", "bootstrap_cv"])
def test_corrections_by_bootstrap_have_no_interval_and_say_so(method):
    found = ac.validate(GaussianNB(), X, Y, measures=["auc"], method=method, draws=3, rng=1)
    assert found["auc"].interval is None
    assert "none was found to cover" in found["auc"].no_interval


def test_where_a_model_overfits_much_what_hangs_on_the_number_of_cases_has_no_interval():
    X, y = two_classes(80, 40, seed=9)
    asked = {"measures": ["auc", "brier", "calibration_slope"], "method": "cv", "rng": 1}
    found = ac.validate(LogisticRegression(C=100.0), X, y, **asked)
    assert "ask for more folds" in found["calibration_slope"].no_interval
    assert "9 of 10 folds" in found["calibration_slope"].no_interval
    assert found["brier"].interval is not None
    plain = ac.validate(LogisticRegression(), X[:, :2], y, **asked)
    assert plain["calibration_slope"].interval is not None


def test_a_model_that_follows_its_cases_has_wider_limits():
    """Of two models with equal predictions the one that appears better has the wider interval."""
    made = ac.from_cv(GaussianNB(), X, Y, cv=StratifiedKFold(5, shuffle=True, random_state=3))
    value = ac.measures.brier.of(made)
    some, much = (
        interval_over_cases(ac.measures.brier, made, value, value - 0.01, overfitting)
        for overfitting in (0.1, 0.6)
    )
    assert much.low < some.low < value < some.high < much.high


def test_no_limits_are_laid_about_a_distance_or_a_largest_gap():
    asked = {"measures": ["ece", "ks"], "method": "cv", "cv": 5, "rng": 1}
    for row in ac.validate(GaussianNB(), X, Y, **asked).validated:
        assert "by chance alone" in row.no_interval


def test_folds_are_fewer_where_a_class_is_rare():
    rare = np.r_[np.ones(4, dtype=int), np.zeros(86, dtype=int)]
    found = ac.validate(GaussianNB(), X, rare, measures=["auc", "brier"], draws=2, rng=1)
    assert found.folds == 4
    assert ac.validate(GaussianNB(), X, Y, measures="brier", draws=2, rng=1).folds == 10


def test_shrinkage_by_heuristic_and_bootstrap():
    X, y = two_classes(150, 3, seed=10)
    learner = LogisticRegression(C=np.inf, tol=1e-8, max_iter=1000)
    asked = {"measures": ["calibration_slope"], "rng": 1}
    found = ac.validate(learner, X, y, **asked, method="optimism", draws=30)
    p = learner.fit(X, y).predict_proba(X)[:, 1]
    gain = 2 * (
        np.log(np.where(y == 1, p, 1 - p)).sum()
        - len(y) * (y.mean() * np.log(y.mean()) + (1 - y.mean()) * np.log(1 - y.mean()))
    )
    assert found.shrinkage.heuristic == pytest.approx((gain - 3) / gain, abs=1e-4)
    slope = found["calibration_slope"].corrected
    assert found.shrinkage.refitted == pytest.approx(slope, abs=0.02)
    folds = ac.validate(learner, X, y, **asked, method="cv")
    assert folds.shrinkage.refitted == folds["calibration_slope"].corrected
    assert folds.shrinkage.heuristic == found.shrinkage.heuristic
    penalised = ac.validate(LogisticRegression(), X, y, draws=5, rng=1)
    assert penalised.shrinkage.heuristic is None
    assert ac.validate(GaussianNB(), X, y, draws=5, rng=1).shrinkage is None


@pytest.mark.parametrize("method", ["repeated_cv", "optimism"])
def test_the_calibration_curve_is_corrected_towards_the_mean(method):
    X, y = two_classes(120, 12, seed=11)
    asked = {"measures": "brier", "method": method, "rng": 1}
    curve = ac.validate(LogisticRegression(C=100.0), X, y, **asked).calibration
    low, high = curve.predicted < 0.3, curve.predicted > 0.7
    assert (curve.corrected[low] > curve.apparent[low]).mean() > 0.8
    assert (curve.corrected[high] < curve.apparent[high]).mean() > 0.8
    assert ((curve.corrected >= 0) & (curve.corrected <= 1)).all()


def test_numbers_classes_and_survival_are_validated():
    patients, progress = load_diabetes(return_X_y=True)
    numbers = ac.validate(LinearRegression(), patients, progress, draws=2, rng=1)
    assert numbers.outcome == "numeric"
    assert numbers["rmse"].optimism < 0 < numbers["r2"].optimism
    assert numbers.shrinkage.coefficients == 10
    flowers, species = load_iris(return_X_y=True)
    classes = ac.validate(GaussianNB(), flowers, species, draws=2, rng=1)
    assert classes.outcome == "multiclass"
    assert classes["accuracy"].chance == pytest.approx(1 / 3, abs=0.01)

    class Risk(BaseEstimator):
        def fit(self, X, y):
            self.weights_ = np.linalg.lstsq(X, -np.log(y["time"]), rcond=None)[0]
            return self

        def predict(self, X):
            return X @ self.weights_

    event = np.arange(len(progress)) % 3 > 0
    for method in ("optimism", "cv"):
        found = ac.validate(Risk(), patients, progress, event=event, method=method, draws=4, rng=1)
        assert found.outcome == "survival"
        assert 0.5 < found["c_index"].corrected < 0.8


def test_groups_are_drawn_and_left_out_as_wholes():
    groups = np.repeat(np.arange(18), 5)
    found = ac.validate(
        GaussianNB(), X, Y, measures="auc", method="cv", cv=GroupKFold(6), groups=groups, rng=1
    )
    assert (found.groups, found.folds) == (18, 6)
    asked = {"measures": "auc", "method": "optimism", "draws": 5, "rng": 1}
    drawn = ac.validate(GaussianNB(), X, Y, groups=groups, **asked)
    task = task_of(GaussianNB(), X, Y, groups=groups, seed=1)
    samples = task.bootstrap().draw(stream(1, 0), 5)
    assert (samples.reshape(5, 18, 5).std(axis=2) == 0).all()
    assert drawn["auc"].used == 5


def test_a_result_survives_json_and_prints_within_a_screen():
    found = ac.validate(GaussianNB(), X, Y, draws=2, rng=1)
    facts = json.loads(found.to_json())
    assert kind_of(facts) == "validation"
    assert facts["validated"][0]["measure"] == "auc"
    assert max(len(line) for line in str(found).splitlines()) <= 80
    assert "expected on new cases" in str(found)
    assert "Internal validation" in ac.report(facts).html
    assert [row["measure"] for row in found.rows()][:2] == ["auc", "brier"]


def test_what_is_infinite_or_undefined_is_said():
    learner = DecisionTreeClassifier(random_state=0)
    tree = ac.validate(learner, X, Y, method="optimism", draws=5, rng=1)
    assert tree["log_score"].undefined.startswith("infinite in ")
    assert np.isnan(tree["log_score"].corrected)
    assert np.isfinite(tree["auc"].corrected)


def test_remarks_name_constant_features_few_cases_and_missing_probabilities():
    data = load_breast_cancer()
    wide = np.column_stack([data.data[:60, :3], np.ones(60)])
    found = ac.validate(LinearSVC(), wide, data.target[:60], cv=5, draws=2, rng=1)
    few = ac.validate(GaussianNB(), X, Y, measures="auc", method="optimism", draws=6, rng=1)
    said = {advice.code: advice.text for advice in (*found.advice, *few.advice)}
    assert "column 4 holds one value" in said["AC851"]
    assert "LinearSVC predicts no probability" in said["AC850"]
    assert {"AC852", "AC854"} <= set(said)


def test_bad_input_is_refused_in_one_line():
    wrong = [
        ({"method": "jackknife"}, DataError, "method must be 'optimism'"),
        ({"method": "cv", "cv": 50}, DataError, "no more folds than cases of the rarest class"),
        ({"measures": ["mae"]}, NotApplicable, "numeric outcomes, not binary"),
        ({"method": "bootstrap_cv", "cv": GroupKFold(3)}, DataError, "needs a number of folds"),
        ({"groups": np.arange(3)}, DataError, "groups must have one value per case"),
        ({"method": "repeated_cv", "cv": GroupKFold(3)}, DataError, "a splitter that shuffles"),
        ({"metric": "auc"}, TypeError, "did you mean 'measures'"),
    ]
    for given, error, said in wrong:
        with pytest.raises(error, match=said) as caught:
            ac.validate(GaussianNB(), X, Y, draws=2, rng=1, **given)
        assert "\n" not in str(caught.value)


def test_a_class_that_a_part_misses_is_named():
    groups = np.where(Y == 1, 0, np.arange(len(Y)))  # one group holds all positive cases
    with pytest.raises(
        DataError, match=r"must hold every class; one of \d+ cases has none of class 1"
    ):
        ac.validate(LogisticRegression(), X, Y, groups=groups, draws=2, rng=1, fast=False)


def test_frames_of_polars_are_taken_with_their_names():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": np.ones(len(Y))})
    asked = {"measures": "brier", "method": "cv", "rng": 1}
    found = ac.validate(LogisticRegression(), frame, Y, **asked)
    plain = ac.validate(LogisticRegression(), frame.to_numpy(), Y, **asked)
    assert found["brier"] == plain["brier"]
    assert "'c' holds one value" in found.advice[0].text


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"y": 3}, "y must hold one value per case; got 3"),
        ({"X": [[1], [2, 3]]}, "X must be a table of cases and features"),
        ({"feature_names": ["a"]}, "feature_names must name each of the 4 features; got 1 names"),
    ],
)
def test_what_is_no_table_of_cases_is_refused(given, said):
    with pytest.raises(ac.AboveChanceError, match=said):
        ac.validate(**{"estimator": GaussianNB(), "X": X, "y": Y, **given})
