"""Refitting under permuted outcomes: valid p-values, blocks, stopping, resuming."""

import json

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB

from abovechance import __version__, permutation_test
from abovechance.errors import NotApplicable


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
