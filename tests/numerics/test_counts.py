"""Counts and sums over cases."""

from dataclasses import asdict, fields

import numpy as np
import pytest

from abovechance.numerics.counts import (
    ClassSums,
    _class_sums_compiled,
    _class_sums_plain,
    class_sums,
    confusion,
    moments,
    of_unit_size,
    one_against_rest,
    probability_sums,
)

# ----------------------------------------------------------------------------------------------
# Counts of actual against predicted classes.
# ----------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------
# One reading of outcomes and probabilities.
# ----------------------------------------------------------------------------------------------


def test_published_log_loss_and_brier_score(reference, path):
    for case in reference("rank_statistics")["cases"]:
        y, p = np.array(case["input"]["y"]) == 1, np.array(case["input"]["p"])
        sums = probability_sums(y, p)
        for name, found in (("log_loss", -sums.sum_log), ("brier", sums.sum_squares)):
            for expected in case["expected"].get(name, {}).values():
                np.testing.assert_allclose(found / y.size, expected, rtol=1e-12, err_msg=case["id"])


@pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 1000])
def test_sums_equal_a_loop_over_cases(n, path):
    rng = np.random.default_rng(n)
    positive, p = rng.random(n) < 0.3, np.round(rng.random(n), 3) * 0.99 + 0.005
    given = np.where(positive, p, 1 - p)
    expected = {
        "n": n,
        "n_positive": positive.sum(),
        "sum_p": sum(p),
        "sum_p_positive": sum(p[positive]),
        "sum_squares": sum((1 - given) ** 2),
        "sum_log": sum(np.log(given)),
        "impossible": 0,
        "tp": sum(positive & (p > 0.4)),
        "fp": sum(~positive & (p > 0.4)),
        "lowest": min(p),
        "highest": max(p),
        "nans": 0,
    }
    found = asdict(probability_sums(positive, p, 0.4))
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-13, err_msg=name)


def test_the_threshold_itself_is_not_above_it(path):
    sums = probability_sums(np.array([True, False, True]), np.array([0.5, 0.5, 0.6]))
    assert (sums.tp, sums.fp) == (1, 0)


def test_impossible_events_that_happened_are_counted(path):
    positive = np.arange(40) % 2 == 0
    p = np.where(positive, 0.9, 0.2)
    p[[0, 1, 4, 5]] = [0, 1, 1, 0]
    sums = probability_sums(positive, p)
    assert sums.sum_log == -np.inf
    assert sums.impossible == 2
    assert (sums.lowest, sums.highest) == (0, 1)


def test_tiny_probabilities_lose_no_digits(path):
    """Their product would be below the smallest number there is."""
    p = np.full(64, 1e-200)
    sums = probability_sums(np.ones(64, dtype=bool), p)
    np.testing.assert_allclose(sums.sum_log, 64 * np.log(1e-200), rtol=1e-14)
    assert sums.impossible == 0


@pytest.mark.parametrize(
    ("wrong", "lowest", "highest", "nans"),
    [
        (np.nan, 0.25, 0.75, 1),
        (-0.5, -0.5, 0.75, 0),
        (1.5, 0.25, 1.5, 0),
        (np.inf, 0.25, np.inf, 0),
    ],
)
def test_values_that_are_no_probabilities_show(wrong, lowest, highest, nans, path):
    p = np.array([0.25, 0.75] * 20 + [wrong])
    sums = probability_sums(np.arange(41) % 3 == 0, p)
    assert (sums.lowest, sums.highest, sums.nans) == (lowest, highest, nans)


def test_negative_zero_is_zero(path):
    sums = probability_sums(np.array([False, True]), np.array([-0.0, 0.5]))
    assert sums.lowest == 0
    np.testing.assert_allclose(sums.sum_log, np.log(0.5))


# ----------------------------------------------------------------------------------------------
# Sums by class: the compiled reading against plain formulas, and joining of parts.
# ----------------------------------------------------------------------------------------------


SIZES = (1, 127, 128, 129, 5000)


def cases(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.random(n) < 0.3, rng.random(n)


def same(first: ClassSums, second: ClassSums) -> None:
    for part in fields(ClassSums):
        a, b = getattr(first, part.name), getattr(second, part.name)
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-11, err_msg=part.name)


@pytest.mark.parametrize("n", SIZES)
def test_the_compiled_reading_equals_the_formulas(n: int) -> None:
    positive, p = cases(n)
    for ours, plain in zip(
        _class_sums_compiled(positive, p, 0.5), _class_sums_plain(positive, p, 0.5), strict=True
    ):
        same(ours, plain)


@pytest.mark.parametrize("extreme", [0.0, 1.0, 5e-324, 1e-310, 1e-300, 1 - 2**-53])
def test_extreme_probabilities_are_taken_as_they_are(extreme: float) -> None:
    positive, p = cases(1000)
    p[::7] = extreme
    for ours, plain in zip(
        _class_sums_compiled(positive, p, 0.5), _class_sums_plain(positive, p, 0.5), strict=True
    ):
        same(ours, plain)


def test_what_was_called_impossible_or_certain_is_counted_and_left_out_of_logarithms() -> None:
    positives, negatives = class_sums(
        np.array([True, True, False, False, True]), np.array([0.0, 1.0, 0.0, 1.0, 0.5])
    )
    assert (positives.impossible, positives.certain) == (1, 1)
    assert (negatives.impossible, negatives.certain) == (1, 1)
    assert positives.logs == pytest.approx(np.log(0.5), rel=1e-15)
    assert negatives.logs == 0.0


@pytest.mark.parametrize("wrong", [np.nan, -1e-9, 1.0000001, np.inf, -np.inf])
@pytest.mark.parametrize("read", [_class_sums_compiled, _class_sums_plain])
def test_what_is_no_probability_is_not_summed(wrong: float, read: object) -> None:
    positive, p = cases(300)
    p[211] = wrong
    assert read(positive, p, 0.5) is None


def test_minus_zero_is_a_probability() -> None:
    positive, p = cases(6000)
    p[3] = -0.0
    assert class_sums(positive, p) is not None


def test_sums_of_parts_add_up_in_any_order() -> None:
    positive, p = cases(3000)
    cuts = [slice(0, 10), slice(10, 2000), slice(2000, 3000)]
    parts = [class_sums(positive[cut], p[cut]) for cut in cuts]
    whole = class_sums(positive, p)
    for k in (0, 1):
        same(parts[0][k] + parts[1][k] + parts[2][k], whole[k])
        same(parts[2][k] + parts[0][k] + parts[1][k], whole[k])


def test_squared_probabilities_follow_from_losses() -> None:
    positive, p = cases(1000)
    positives, negatives = class_sums(positive, p)
    assert positives.squared_p == pytest.approx((p[positive] ** 2).sum(), rel=1e-12)
    assert negatives.losses == pytest.approx((p[~positive] ** 2).sum(), rel=1e-12)


def test_every_row_is_brought_to_unit_size_by_its_own_power_of_two() -> None:
    values = np.array([[3e200, -1.5e200], [0.25, -3.0], [0.0, 0.0]])
    found = of_unit_size(values)
    for row, one in zip(values[:2], found[:2], strict=True):
        assert 0.5 <= np.abs(one).max() < 1.0
        assert one[0] / one[1] == row[0] / row[1]
    assert found[1].tolist() == [0.0625, -0.75]
    assert found[2].tolist() == [0.0, 0.0]


def test_moments_of_a_batch_keep_their_digits_where_one_output_of_two_lies_far() -> None:
    """A weighting that leaves only cases near 1e6, of one output: whole numbers, by hand."""
    first = np.array([[0.0, 0, 0, 1e6, 1e6 + 1, 1e6 + 2], [1.0, 2, 3, 1, 2, 3]])
    second = np.array([[0.0, 0, 0, 1e6, 1e6 + 2, 1e6 + 4], [1.0, 1, 1, 1, 2, 6]])
    weight = np.array([[[0.0, 0, 0, 1, 1, 1]], [[1.0, 1, 1, 1, 1, 1]]])
    found = moments(first, second, weight)
    np.testing.assert_allclose(found.first[0], [2 / 3, 2 / 3], rtol=1e-12)
    np.testing.assert_allclose(found.second[0], [8 / 3, 14 / 3], rtol=1e-12)
    np.testing.assert_allclose(found.covariance[0], [4 / 3, 5 / 3], rtol=1e-12)
