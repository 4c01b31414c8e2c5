"""What may be permuted, which class is positive, and what a refit test says of itself."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import GroupKFold, PredefinedSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from abovechance import permutation_test
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.refit_guards import symmetric
from abovechance.measures import find

GROUPS = np.repeat(np.arange(12), 8)


def joined(found: object) -> str:
    """What is printed, on one line."""
    return " ".join(str(found).split())


def clustered(seed: int):
    """No signal, but cases of a group resemble each other and share their outcome."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(12) % 2)[GROUPS]
    return 2 * rng.normal(size=(12, 2))[GROUPS] + 0.5 * rng.normal(size=(96, 2)), y


def codes(found) -> set[str]:
    return {advice.code for advice in found.advice}


def test_groups_of_one_outcome_are_not_taken_apart() -> None:
    X, y = clustered(1)
    with pytest.raises(NotApplicable, match="permute='blocks', blocks=cv_groups"):
        permutation_test(GaussianNB(), X, y, cv=4, cv_groups=GROUPS, draws=9, rng=1)
    halves = np.arange(96) // 4
    with pytest.raises(NotApplicable, match="permute='blocks', blocks=cv_groups"):
        permutation_test(
            GaussianNB(), X, y, cv=4, cv_groups=GROUPS, permute="blocks", blocks=halves, draws=9
        )
    site = np.arange(96) // 48
    with pytest.raises(NotApplicable, match="permute='blocks', blocks=cv_groups"):
        permutation_test(
            GaussianNB(), X, y, cv=4, cv_groups=GROUPS, permute="within", blocks=site, draws=9
        )


def test_whole_groups_keep_the_level_where_their_cases_would_not(monkeypatch) -> None:
    monkeypatch.setattr("abovechance.inference.refit.worthwhile", lambda size: True)
    learner, settings = LinearDiscriminantAnalysis(), {"measures": "accuracy", "draws": 19}
    grouped = {"permute": "blocks", "blocks": GROUPS, "cv_groups": GROUPS, "cv": GroupKFold(4)}
    alone = {"cv": PredefinedSplit(GROUPS % 4)}
    whole = cases = 0
    for seed in range(60):
        X, y = clustered(seed)
        found = permutation_test(learner, X, y, rng=seed, **grouped, **settings)
        whole += found.tests[0].p_value <= 0.05
        found = permutation_test(learner, X, y, rng=seed, **alone, **settings)
        cases += found.tests[0].p_value <= 0.05
    # binomial(60, .05) exceeds 11 with probability below 1e-4
    assert whole <= 11
    assert cases > 11


def test_outcomes_that_vary_within_groups_are_better_permuted_there() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    groups = np.arange(40) // 4
    settings = {"cv": 4, "cv_groups": groups, "draws": 9, "rng": 1}
    assert "AC649" in codes(permutation_test(GaussianNB(), X, y, **settings))
    within = permutation_test(GaussianNB(), X, y, permute="within", blocks=groups, **settings)
    assert "AC649" not in codes(within)
    single = settings | {"cv_groups": np.arange(40)}
    assert "AC649" not in codes(permutation_test(GaussianNB(), X, y, **single))


def test_groups_of_another_length_are_refused() -> None:
    X, y = clustered(1)
    with pytest.raises(DataError, match="cv_groups must hold one value for each of the 96 cases"):
        permutation_test(GaussianNB(), X, y, cv_groups=GROUPS[1:], draws=9)


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("gap", [np.nan, None])
def test_what_is_missing_is_refused_by_name(gap, fast) -> None:
    X = np.random.default_rng(1).normal(size=(24, 2))
    y, units = np.arange(24) % 2, [f"s{row // 4}" for row in range(24)]
    holed = [*units[:5], gap, *units[6:]]
    learner = LinearDiscriminantAnalysis()
    with pytest.raises(DataError, match=r"cv_groups must not be missing; got .* at row 6"):
        permutation_test(learner, X, y, cv_groups=holed, cv=3, draws=9, fast=fast)
    for permute, outcome in (("within", y), ("blocks", np.arange(24) // 4 % 2)):
        with pytest.raises(DataError, match=r"blocks must not be missing; got .* at row 6"):
            permutation_test(
                learner, X, outcome, permute=permute, blocks=holed, cv=3, draws=9, fast=fast
            )
    with pytest.raises(DataError, match=r"outcomes must not be missing; got .* at row 1"):
        permutation_test(learner, X, [gap, *y[1:].tolist()], cv=3, draws=9, fast=fast)
    numbers = np.where(np.arange(24) == 5, np.nan, np.arange(24) // 4)
    with pytest.raises(DataError, match="cv_groups must not be missing; got nan at row 6"):
        permutation_test(learner, X, y, cv_groups=numbers, cv=3, draws=9, fast=fast)


def test_blocks_spread_over_folds_are_mentioned() -> None:
    X, y = clustered(3)
    settings = {"cv": 4, "permute": "blocks", "blocks": GROUPS, "draws": 9, "rng": 1}
    learner = KNeighborsClassifier(1)
    spread = permutation_test(learner, X, y, **settings)
    kept = permutation_test(learner, X, y, cv_groups=GROUPS, **settings)
    assert "AC648" in codes(spread)
    assert "AC648" not in codes(kept)
    assert spread.tests[0].value > kept.tests[0].value
    splits = list(GroupKFold(4).split(X, y, GROUPS))
    assert "AC648" not in codes(permutation_test(learner, X, y, **(settings | {"cv": splits})))


@pytest.mark.parametrize(
    ("permute", "said"),
    [
        ("labels", "features and outcome are independent"),
        ("within", "within blocks, features and outcome are independent"),
        ("blocks", "features and outcome of whole blocks are independent"),
    ],
)
def test_the_hypothesis_is_that_of_what_was_permuted(permute, said) -> None:
    X = np.random.default_rng(1).normal(size=(24, 2))
    blocks = np.arange(24) // 4
    y = blocks % 2 if permute == "blocks" else np.arange(24) % 2
    units = None if permute == "labels" else blocks
    found = permutation_test(GaussianNB(), X, y, cv=2, permute=permute, blocks=units, draws=9)
    assert found.hypothesis == said


@pytest.mark.parametrize(
    ("n", "permute", "blocks", "least"),
    [(20, "blocks", 4, "0.17"), (24, "blocks", 6, "0.05"), (6, "labels", None, "0.05")],
)
def test_labellings_limit_the_smallest_p(n, permute, blocks, least) -> None:
    rng = np.random.default_rng(1)
    unit = np.arange(n) if blocks is None else np.arange(n) * blocks // n
    y, units = unit % 2, None if blocks is None else unit
    X = rng.normal(size=(n, 2)) + 9 * y[:, None]
    found = permutation_test(GaussianNB(), X, y, permute=permute, blocks=units, cv=2, draws=9)
    (text,) = [advice.text for advice in found.advice if advice.code == "AC645"]
    assert text.endswith(f"p cannot fall much below {least}.")


def test_many_labellings_need_no_remark() -> None:
    X = np.random.default_rng(1).normal(size=(40, 2))
    assert not codes(permutation_test(GaussianNB(), X, np.arange(40) % 2, cv=2, draws=9, rng=1))


@pytest.mark.parametrize("classes", [("a", "b"), (1, 2), ("1", "0")])
@pytest.mark.parametrize("measure", ["accuracy", "balanced_accuracy", "auc", "brier", "mcc"])
def test_no_class_need_be_positive_for_a_symmetric_measure(classes, measure) -> None:
    rng = np.random.default_rng(1)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 2)) + y[:, None]
    settings = {"cv": 4, "measures": [measure], "draws": 9, "rng": 1}
    coded = permutation_test(GaussianNB(), X, y, **settings)
    named = permutation_test(GaussianNB(), X, np.array(sorted(classes))[y], **settings)
    assert named.tests == coded.tests


def test_a_measure_of_one_class_asks_which() -> None:
    X, y = clustered(1)
    words = np.array(["ill", "well"])[y]
    asked = "pos_label must say which class is positive for sensitivity; the classes are ill, well"
    with pytest.raises(DataError, match=asked):
        permutation_test(GaussianNB(), X, words, measures=["accuracy", "sensitivity"])


def test_which_measures_are_symmetric() -> None:
    same = ["youden_j", "log_score", "somers_d", "expected_cost"]
    differ = ["precision", "f1", "average_precision", "specificity", "net_benefit"]
    assert all(symmetric(find(name)) for name in same)
    assert not any(symmetric(find(name)) for name in differ)


class Coin(ClassifierMixin, BaseEstimator):
    """A classifier whose name says enough."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_learner_and_folds_are_named() -> None:
    X, y = np.zeros((12, 1)), np.arange(12) % 2
    found = permutation_test(Coin(), X, y, cv=3, measures="accuracy", draws=3, rng=1)
    assert found.described.startswith("Coin(), cross-validated by StratifiedKFold(n_splits=3")
    assert found.described in joined(found)
    assert found.to_dict()["described"] == found.described
    halves = [(np.arange(6), np.arange(6, 12)), (np.arange(6, 12), np.arange(6))]
    given = permutation_test(Coin(), X, y, cv=halves, measures="accuracy", draws=3, rng=1)
    assert given.described == "Coin(), cross-validated by 2 given splits"


def test_tests_are_rows_of_a_csv() -> None:
    X, y = clustered(2)
    settings = {"cv": 2, "draws": 19, "rng": 1}
    found = permutation_test(GaussianNB(), X, y, measures=["accuracy", "brier"], **settings)
    header, first, second = found.to_csv().strip().splitlines()
    assert header.startswith("measure,title,value,p_value,draws")
    assert (first.split(",")[0], second.split(",")[0]) == ("accuracy", "brier")
    stopped = permutation_test(GaussianNB(), X, y, measures=find("bac"), stop="gandy", **settings)
    assert [row["stopped"] for row in stopped.rows()] == [stopped.tests[0].stopped.decision]
    assert len(stopped.to_frame()) == 1


def test_one_measure_may_be_named_alone() -> None:
    X, y = clustered(2)
    found = permutation_test(GaussianNB(), X, y, cv=2, measures="accuracy", draws=3, rng=1)
    assert [row.measure for row in found.tests] == ["accuracy"]
    with pytest.raises(NotApplicable, match="no measure was named"):
        permutation_test(GaussianNB(), X, y, measures=[])
