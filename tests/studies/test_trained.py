"""Designs that train a model: sizes, sides, and that training sees no test row."""

from pathlib import Path

import numpy as np
import pytest

from abovechance.errors import AboveChanceError
from abovechance.studies import Features, Table, Trained, TrainedOnLess, power
from abovechance.studies.replications import data_studies, find_studies, reproduce


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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a small table of the studies on real data, one class rarer."""
    rng = np.random.default_rng(6)
    rows = [f"{x},{y},{'pos' if x + y > 1 else 'neg'}" for x, y in rng.normal(size=(900, 2))]
    text = "\n".join(["a,b,diabetes", *rows])
    (tmp_path / "mlbench_PimaIndiansDiabetes.csv").write_text(text + "\n")
    return tmp_path


def test_a_study_on_a_real_table_without_effect_tests_balanced_halves(folder: Path) -> None:
    (study,) = data_studies(folder)
    shares = [study.design(20, 0.0, np.random.default_rng(i)).positive.mean() for i in range(20)]  # type: ignore[union-attr]
    assert set(shares) == {0.5}


def test_models_on_real_tables_have_a_study_in_which_none_is_better(folder: Path) -> None:
    (null,) = find_studies("dinga-compare-data-null", folder)
    assert null.name == "dinga-compare-data-null-pima"
    assert find_studies(null.name, folder)[0].title == null.title
    assert [s.name for s in find_studies("dinga-compare-data", folder)] == [
        "dinga-compare-data-pima"
    ]
    found = reproduce(null, replications=16, rng=1)
    assert np.mean([cell.power for cell in found.cells]) < 0.12


def test_a_table_that_is_too_small_is_refused() -> None:
    with pytest.raises(AboveChanceError, match="too few rows of a class for n = 20"):
        Table(np.zeros((30, 1)), np.arange(30) < 12)(20, 1.0, np.random.default_rng(1))


def test_power_of_a_trained_model_can_be_asked() -> None:
    study = power(Trained(), ["auc"], n=20, effects=2.0, replications=10, rng=1)
    assert study.cells[0].power == 1.0
