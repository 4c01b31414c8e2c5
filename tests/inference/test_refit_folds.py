"""Measures of many labellings at once are those of each, and ties do not hang on rounding."""

import numpy as np
import pytest

from abovechance.inference.refit import fold_means, labelled, levelled, over_folds
from abovechance.measures import find
from abovechance.measures.sample import evaluate
from abovechance.predictions import Binary

MEASURES = ["accuracy", "mcc", "precision", "auc", "average_precision", "ks", "partial_auc"]
MEASURES += ["brier", "log_score", "somers_d"]


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("rare", [False, True], ids=["both classes", "a rare class"])
def test_a_batch_has_the_values_of_each_labelling(name, rare) -> None:
    rng = np.random.default_rng(2)
    batch, n = 12, 30
    positive = rng.permuted(np.tile(np.arange(n) % (10 if rare else 2) == 0, (batch, 1)), axis=1)
    probability = rng.integers(1, 9, (batch, n)) / 10  # many ties
    folds = rng.permuted(np.tile(np.repeat(np.arange(4), [5, 7, 8, 10]), (batch, 1)), axis=1)
    sample = labelled(positive.astype(np.int64), probability, 0.5).folded(folds)
    found = fold_means(find(name), sample)
    each = [
        over_folds(find(name), Binary(y, probability=p, fold=k))
        for y, p, k in zip(positive.astype(int), probability, folds, strict=True)
    ]
    np.testing.assert_allclose(found, each, rtol=1e-12)


def test_an_empty_fold_counts_for_nothing() -> None:
    positive, probability = np.array([[0, 1, 0, 1]]), np.array([[0.1, 0.9, 0.8, 0.4]])
    folds = np.array([[0, 0, 2, 2]])
    sample = labelled(positive, probability, 0.5).folded(folds)
    assert fold_means(find("auc"), sample).item() == 0.5
    assert fold_means(find("accuracy"), sample).item() == 0.5


def test_probabilities_that_differ_by_rounding_become_equal() -> None:
    rows = np.array([[0.3, 0.7, 0.3 * (1 + 1e-13)], [1e-12, 0.2, 2e-12]])
    found = levelled(rows)
    assert found[0, 0] == found[0, 2]
    assert np.unique(found[1]).size == 3
    np.testing.assert_allclose(found, rows, rtol=1e-12)


def test_levelling_keeps_large_probabilities_apart_and_moves_none_over_one_half() -> None:
    assert np.unique(levelled(1 - np.array([1e-11, 1e-12, 1e-13]))).size == 3
    near = np.array([0.5 - 1e-13, 0.5, 0.5 + 1e-13])
    np.testing.assert_array_equal(levelled(near), near)


@pytest.mark.parametrize("name", ["auc", "average_precision", "ks", "partial_auc"])
def test_ranks_in_folds_are_the_same_compiled_and_plain(name, monkeypatch) -> None:
    rng = np.random.default_rng(6)
    folds = rng.permuted(np.tile(np.arange(40) % 6, (50, 1)), axis=1)
    y, score = rng.integers(0, 2, (50, 40)), rng.integers(0, 9, (50, 40)) / 8.0
    found = []
    for compiled in (True, False):
        monkeypatch.setattr("abovechance.measures.sample.worthwhile", lambda *size, c=compiled: c)
        found.append(evaluate(find(name), labelled(y, score, 0.5).folded(folds)))
    assert np.isnan(found[0]).any()  # folds of one class
    np.testing.assert_array_equal(*found)
