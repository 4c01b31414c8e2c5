"""Folds, bootstrap samples and the accuracies made of them."""

from fractions import Fraction

import numpy as np
import pytest

from abovechance.errors import DataError
from abovechance.learning import LeftOut, VFold, balanced_folds, bootstrap_counts, unbalanced_folds
from abovechance.learning.schemes import (
    adaptive_accuracy,
    fold_accuracy,
    left_out_shares,
    legacy_standardise,
    mixed_accuracy,
    no_information,
    standardise,
)


def labellings(sizes, batch, seed=0):
    y = np.repeat(np.arange(len(sizes)), sizes)
    return np.random.default_rng(seed).permuted(np.tile(y, (batch, 1)), axis=1)


@pytest.mark.parametrize("sizes", [(20, 20), (17, 5), (3, 9, 8)])
@pytest.mark.parametrize("folds", [2, 4, 8, 20])
def test_balanced_folds_hold_each_class_as_evenly_as_can_be(sizes, folds):
    labels = labellings(sizes, 50)
    drawn = balanced_folds(labels, folds, np.random.default_rng(1))
    for row, fold in zip(labels, drawn, strict=True):
        for k, size in enumerate(sizes):
            held = np.bincount(fold[row == k], minlength=folds)
            assert set(held) <= {size // folds, -(-size // folds)}
            assert held.sum() == size


def test_balanced_folds_of_the_paper_have_four_to_six_rows():
    drawn = balanced_folds(labellings((20, 20), 400), 8, np.random.default_rng(1))
    sizes = np.concatenate([np.bincount(row, minlength=8) for row in drawn])
    assert set(sizes) == {4, 5, 6}


def test_rest_and_places_of_balanced_folds_are_random():
    labels = np.tile(np.repeat([0, 1], 5), (4000, 1))
    drawn = balanced_folds(labels, 4, np.random.default_rng(2))
    shares = np.stack([(drawn == v).mean(axis=0) for v in range(4)])
    assert np.abs(shares - 0.25).max() < 5 * np.sqrt(0.25 * 0.75 / 4000)


def test_unbalanced_folds_differ_by_one_row_at_most_and_ignore_labels():
    drawn = unbalanced_folds(200, 43, 8, np.random.default_rng(3))
    assert {tuple(np.bincount(row)) for row in drawn} == {(6, 6, 6, 5, 5, 5, 5, 5)}
    assert len({row.tobytes() for row in drawn}) == 200


def test_draws_follow_from_the_stream():
    labels = labellings((6, 9), 20)
    for draw in (
        lambda rng: balanced_folds(labels, 4, rng),
        lambda rng: unbalanced_folds(20, 15, 4, rng),
        lambda rng: bootstrap_counts(3, 20, 15, rng),
    ):
        first, again = draw(np.random.default_rng(5)), draw(np.random.default_rng(5))
        np.testing.assert_array_equal(first, again)
        assert (first != draw(np.random.default_rng(6))).any()


def test_fewer_bootstrap_samples_are_the_first_of_more():
    few = bootstrap_counts(3, 7, 12, np.random.default_rng(1))
    many = bootstrap_counts(10, 7, 12, np.random.default_rng(1))
    np.testing.assert_array_equal(few, many[:3])


def test_bootstrap_leaves_out_about_a_third():
    counts = bootstrap_counts(50, 20, 40, np.random.default_rng(1))
    assert (counts == 0).mean() == pytest.approx((1 - 1 / 40) ** 40, abs=0.01)


def test_fold_accuracy_is_the_mean_over_folds_and_passes_empty_ones_over():
    correct = np.array([[1, 0, 1, 1, 1, 0]], dtype=bool)
    folds = np.array([[0, 0, 0, 2, 2, 4]])
    expected = (Fraction(2, 3) + 1 + 0) / 3
    assert fold_accuracy(correct, folds, 5)[0] == pytest.approx(float(expected), rel=1e-15)


def test_a_sample_that_leaves_no_row_out_has_no_accuracy_on_them():
    counts = np.array([[[1, 1]], [[2, 0]]])
    correct = np.array([[[False, False]], [[False, True]]])
    np.testing.assert_array_equal(left_out_shares(correct, counts), [[np.nan], [1.0]])


def test_mixed_accuracy_weighs_rows_left_out_by_0632():
    assert mixed_accuracy(np.array([1.0]), np.array([0.5]))[0] == pytest.approx(0.368 + 0.316)


def test_adaptive_accuracy_of_a_learner_that_overfits_fully_is_that_of_rows_left_out():
    assert adaptive_accuracy(np.array([1.0]), np.array([0.5]), np.array([0.5]))[0] == 0.5
    # Worse than no information counts as no information.
    assert adaptive_accuracy(np.array([1.0]), np.array([0.3]), np.array([0.5]))[0] == 0.5


def test_adaptive_accuracy_without_overfitting_is_the_0632():
    left, inside = np.array([0.8]), np.array([0.7])
    expected = mixed_accuracy(inside, left)
    assert adaptive_accuracy(inside, left, np.array([0.5]))[0] == pytest.approx(expected[0])


def test_no_information_is_the_chance_agreement_of_the_margins():
    labels, found = np.array([[0, 0, 1, 1, 1]]), np.array([[1, 1, 1, 1, 0]])
    assert no_information(found, labels, 2)[0] == pytest.approx(0.2 * 0.4 + 0.8 * 0.6)


def test_standardised_accuracy_keeps_its_sign():
    labels = np.array([[0, 0, 0, 1]])
    assert standardise(np.array([0.5]), labels)[0] == pytest.approx(-0.25 / np.sqrt(3 / 16))


def test_legacy_standardisation_rewards_wrong_predictions_as_much_as_right_ones():
    labels, folds = np.array([[0, 1, 0, 1]]), np.array([[0, 0, 1, 1]])
    right = np.ones((1, 4), dtype=bool)
    assert legacy_standardise(right, labels, folds, 2)[0] == 1
    assert legacy_standardise(~right, labels, folds, 2)[0] == 1


def test_schemes_that_cannot_be_are_refused():
    with pytest.raises(DataError, match="2 folds or more"):
        VFold(1)
    with pytest.raises(DataError, match="1 draw or more"):
        LeftOut("bloo", 0)
