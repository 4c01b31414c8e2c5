"""Learners refitted under permuted outcomes, and what must hold before."""

import json

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, PredefinedSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from abovechance import __version__, permutation_test
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.refit import symmetric
from abovechance.measures import find

# ----------------------------------------------------------------------------------------------
# Refitting under permuted outcomes: valid p-values, blocks, stopping, resuming.
# ----------------------------------------------------------------------------------------------


def joined(found: object) -> str:
    """What is printed, on one line."""
    return " ".join(str(found).split())


def data(n: int = 40, shift: float = 0.0, seed: int = 1):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 3)) + shift * y[:, None], y


def test_signal_reaches_the_smallest_p_for_every_measure() -> None:
    X, y = data(shift=2.0)
    found = permutation_test(
        GaussianNB(), X, y, cv=4, measures=["auc", "brier", "bac"], draws=39, rng=1
    )
    assert [row.p_value for row in found.tests] == [1 / 40] * 3


def test_json_names_the_version() -> None:
    found = permutation_test(GaussianNB(), *data(), cv=4, draws=9, rng=1)
    facts = json.loads(found.to_json())
    assert facts["abovechance"] == __version__
    assert facts["tests"][0]["draws"] == 9


def test_shuffled_labels_give_super_uniform_p_values() -> None:
    p = []
    for seed in range(30):
        X, y = data(n=24, seed=seed)
        p.append(permutation_test(GaussianNB(), X, y, cv=3, draws=9, rng=seed).tests[0].p_value)
    # P(p <= .1) <= .1: more than 10 of 30 has probability below 1e-4
    assert (np.array(p) <= 0.1).sum() <= 10


def test_numbers_are_predicted_too() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=40)
    found = permutation_test(Ridge(), X, y, cv=4, measures=["mse", "r2"], draws=19, rng=1)
    assert [row.p_value for row in found.tests] == [0.05, 0.05]


def test_constant_labels_within_blocks_are_refused_with_the_remedy() -> None:
    X, y = data()
    with pytest.raises(NotApplicable, match="permute='blocks'"):
        permutation_test(GaussianNB(), X, y, permute="within", blocks=y)


def test_whole_blocks_are_permuted_where_labels_are_constant() -> None:
    rng = np.random.default_rng(2)
    subject = np.repeat(np.arange(12), 3)
    y = (np.arange(12) % 2)[subject]
    X = rng.normal(size=(36, 2)) + 2.5 * y[:, None]
    found = permutation_test(
        GaussianNB(),
        X,
        y,
        cv=3,
        permute="blocks",
        blocks=subject,
        cv_groups=subject,
        draws=39,
        rng=1,
    )
    assert found.tests[0].p_value <= 0.05


def test_workers_give_the_same_null() -> None:
    X, y = data(shift=0.5)
    one = permutation_test(LogisticRegression(), X, y, cv=3, draws=20, rng=4)
    two = permutation_test(LogisticRegression(), X, y, cv=3, draws=20, rng=4, workers=2)
    np.testing.assert_array_equal(one.null["balanced_accuracy"], two.null["balanced_accuracy"])


def test_a_store_resumes(tmp_path) -> None:
    X, y = data(shift=0.5)
    file = tmp_path / "refits.sqlite"
    short = permutation_test(GaussianNB(), X, y, cv=3, draws=16, rng=4, store=file)
    longer = permutation_test(GaussianNB(), X, y, cv=3, draws=24, rng=4, store=file)
    np.testing.assert_array_equal(
        short.null["balanced_accuracy"], longer.null["balanced_accuracy"][:16]
    )


def test_sequential_stopping_reports_how_it_ended() -> None:
    X, y = data(seed=5)
    found = permutation_test(GaussianNB(), X, y, cv=3, draws=300, rng=4, stop="gandy")
    assert found.tests[0].stopped is not None
    assert found.tests[0].draws == found.tests[0].stopped.steps


def test_a_measure_without_a_value_says_why() -> None:
    settings = {"cv": 4, "measures": ["mcc", "accuracy"], "draws": 9, "rng": 1}
    found = permutation_test(DummyClassifier(), *data(), **settings)
    undefined, defined = found.tests
    why = "all cases, or all predictions, are of one class"
    assert (undefined.undefined, defined.undefined) == (why, None)
    assert why in joined(found)
    assert "nan" not in str(found)
    rows = json.loads(found.to_json())["tests"]
    assert [row["undefined"] for row in rows] == [why, None]
    assert found.to_csv().splitlines()[1].endswith(f',"{why}"')
    assert found.rows()[0]["undefined"] == why


def test_a_measure_without_a_value_is_not_decided() -> None:
    settings = {"cv": 4, "measures": "mcc", "draws": 40, "rng": 1, "stop": "gandy"}
    row = permutation_test(DummyClassifier(), *data(), **settings).tests[0]
    assert row.stopped is None
    assert np.isnan(row.p_value)


# ----------------------------------------------------------------------------------------------
# What may be permuted, which class is positive, and what a refit test says of itself.
# ----------------------------------------------------------------------------------------------


GROUPS = np.repeat(np.arange(12), 8)


def clustered(seed: int):
    """No signal, but cases of a group resemble each other and share their outcome."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(12) % 2)[GROUPS]
    return 2 * rng.normal(size=(12, 2))[GROUPS] + 0.5 * rng.normal(size=(96, 2)), y


def codes(found) -> set[str]:
    return {advice.code for advice in found.advice}


@pytest.mark.parametrize("word", ["groups", "cv_groups"])
def test_groups_are_called_what_the_caller_called_them(word: str) -> None:
    X, y = clustered(1)
    with pytest.raises(NotApplicable, match=f"group of {word}, .* blocks={word}"):
        permutation_test(GaussianNB(), X, y, cv=4, draws=9, rng=1, **{word: GROUPS})
    with pytest.raises(DataError, match=f"y has 96, {word} has 95"):
        permutation_test(GaussianNB(), X, y, draws=9, **{word: GROUPS[1:]})
    other = np.arange(96) // 4
    free = np.random.default_rng(2).integers(2, size=96)
    found = permutation_test(GaussianNB(), X, free, cv=4, draws=9, rng=1, **{word: other})
    said = next(a.text for a in found.advice if a.code == "AC649")
    assert f"groups of {word}," in said
    assert f"blocks={word})" in said


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
    with pytest.raises(DataError, match="X has 96, y has 96, cv_groups has 95"):
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


@pytest.mark.part(3)
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
