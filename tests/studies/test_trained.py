"""Designs that train a model: sizes, sides, and that training sees no test row."""

import numpy as np
import pytest

from abovechance.errors import AboveChanceError
from abovechance.studies import Features, Table, Trained, TrainedOnLess, power


def test_halves_have_the_sizes_of_the_study() -> None:
    sample = Trained()(40, 0.3, np.random.default_rng(1))
    assert sample.positive.size == 80
    assert sample.positive.sum() == 40


def test_a_strong_shift_is_learned_and_none_is_not() -> None:
    rng = np.random.default_rng(2)
    strong = Trained()(60, 3.0, rng)
    assert ((strong.probability > 0.5) == strong.positive).mean() > 0.9
    nothing = [Trained()(60, 0.0, rng) for _ in range(8)]
    right = np.mean([((one.probability > 0.5) == one.positive).mean() for one in nothing])
    assert abs(right - 0.5) < 0.1


def test_more_rows_make_the_better_model() -> None:
    design = TrainedOnLess(Features(signal=6, noise=2), shift=0.8)
    rng = np.random.default_rng(3)
    gaps = []
    for _ in range(10):
        pair = design(40, 0.1, rng)
        losses = [np.mean((p - pair.positive) ** 2) for p in (pair.first, pair.second)]
        gaps.append(losses[1] - losses[0])
    assert np.mean(gaps) > 0


def test_a_table_is_drawn_balanced_and_apart() -> None:
    X = np.arange(60.0)[:, None]
    y = np.arange(60) < 25
    halves = Table(X, y)(20, 1.0, np.random.default_rng(4))
    assert halves.y.sum() == halves.y_test.sum() == 10
    assert not set(halves.X.ravel()) & set(halves.X_test.ravel())
    np.testing.assert_array_equal(halves.y, halves.X.ravel() < 25)


def test_shuffled_halves_are_as_balanced_as_the_others_and_know_nothing() -> None:
    X, y = np.arange(200.0)[:, None], np.arange(200) < 30
    rng = np.random.default_rng(5)
    drawn = [Table(X, y)(12, 0.0, rng) for _ in range(300)]
    assert {int(part.sum()) for one in drawn for part in (one.y, one.y_test)} == {6}
    for one in drawn:
        assert (one.X < 30).sum() == (one.X_test < 30).sum() == 6
    agree = np.mean([one.y_test == (one.X_test.ravel() < 30) for one in drawn])
    assert abs(agree - 0.5) < 0.05


def test_a_table_keeps_its_labels_when_models_are_compared() -> None:
    y = np.arange(60) < 30
    X = np.where(y, 3.0, -3.0)[:, None] + np.random.default_rng(1).normal(size=(60, 1))
    for shift in (0.0, 0.4):
        pair = TrainedOnLess(Table(X, y), shift=shift)(20, 0.9, np.random.default_rng(2))
        assert ((pair.first > 0.5) == pair.positive).mean() > 0.9


def test_a_table_that_is_too_small_is_refused() -> None:
    with pytest.raises(AboveChanceError, match="too few rows of a class for n = 20"):
        Table(np.zeros((30, 1)), np.arange(30) < 12)(20, 1.0, np.random.default_rng(1))


def test_power_of_a_trained_model_can_be_asked() -> None:
    study = power(Trained(), ["auc"], n=20, effects=2.0, replications=10, rng=1)
    assert study.cells[0].power == 1.0
