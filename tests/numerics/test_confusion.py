"""Counts of actual against predicted classes."""

import numpy as np
import pytest

from abovechance.numerics.confusion import confusion, one_against_rest


def by_loop(actual, predicted, classes, weight):
    table = np.zeros((classes, classes))
    for row, column, mass in zip(actual, predicted, weight, strict=True):
        table[row, column] += mass
    return table


@pytest.mark.parametrize("code", [np.uint8, np.int64])
@pytest.mark.parametrize(("n", "classes"), [(1, 2), (50, 2), (200, 7), (300, 20)])
def test_confusion_equals_a_loop_over_cases(n, classes, code):
    rng = np.random.default_rng(n)
    actual, predicted = rng.integers(0, classes, (2, n)).astype(code)
    weight = rng.random(n)
    assert np.array_equal(
        confusion(actual, predicted, classes), by_loop(actual, predicted, classes, np.ones(n))
    )
    np.testing.assert_allclose(
        confusion(actual, predicted, classes, weight),
        by_loop(actual, predicted, classes, weight),
        rtol=1e-13,
    )


@pytest.mark.parametrize("which", ["weights", "predicted", "both", "actual and weights"])
def test_a_batch_of_tables_equals_its_rows(which):
    rng = np.random.default_rng(3)
    classes, n = 3, 40
    many_actual, many_predicted = rng.integers(0, classes, (2, 2, 5, n))
    many_weights = rng.integers(0, 4, (2, 5, n)).astype(float)
    actual = many_actual if "actual" in which else many_actual[0, 0]
    predicted = many_predicted if which in ("predicted", "both") else many_predicted[0, 0]
    weight = None if which == "predicted" else many_weights
    tables = confusion(actual, predicted, classes, weight)
    assert tables.shape == (2, 5, classes, classes)
    for i, j in np.ndindex(2, 5):
        expected = by_loop(
            np.broadcast_to(actual, many_actual.shape)[i, j],
            np.broadcast_to(predicted, many_actual.shape)[i, j],
            classes,
            np.ones(n) if weight is None else weight[i, j],
        )
        assert np.array_equal(tables[i, j], expected)


def test_classes_that_never_occur_have_empty_rows_and_columns():
    table = confusion(np.array([0, 3]), np.array([3, 3]), 5, np.ones((2, 2)))
    assert table.shape == (2, 5, 5)
    assert np.array_equal(table.sum(axis=(0, 1)), [0, 0, 0, 4, 0])


def test_one_against_rest_counts_every_case_once_per_class():
    table = np.array([[5, 2, 0], [1, 7, 3], [4, 0, 6]])
    tp, fp, fn, tn = one_against_rest(np.stack([table, table.T]))
    assert np.array_equal(tp[0], [5, 7, 6])
    assert np.array_equal(fp[0], [5, 2, 3])
    assert np.array_equal(fn[0], [2, 4, 4])
    assert np.array_equal(tp + fp + fn + tn, np.full((2, 3), 28))
    assert np.array_equal(fp[1], fn[0])
