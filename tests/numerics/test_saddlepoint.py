"""Saddlepoint tails against exact and drawn ones."""

import math

import numpy as np
import pytest

from abovechance.numerics.saddlepoint import flip_sum_tail, label_sum_tail
from abovechance.resampling import (
    LabelPermutations,
    SignFlips,
    exact_rank_sum,
    flip_sums,
    label_sums,
    tail,
)


@pytest.mark.parametrize("observed", [300, 350, 390, 410, 430, 470, 520, 560])
def test_rank_sums_agree_with_counting(observed: int) -> None:
    # a lattice: the approximation is the mid-point of the two exact tails
    exact = exact_rank_sum(2 * np.arange(40), 20, 2 * observed)
    middle = (exact.p_value + exact.p_strict) / 2
    assert label_sum_tail(np.arange(40.0), 20, observed) == pytest.approx(middle, rel=0.01)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_sums_of_logits_agree_with_drawing(alternative: str) -> None:
    rng = np.random.default_rng(1)
    scores = rng.gumbel(size=60)
    positive = np.arange(60) < 20
    null = label_sums(scores, LabelPermutations(positive), rng, 200_000).ravel()
    sign = 1 if alternative == "greater" else -1
    for share in (0.5, 0.9, 0.99, 0.999):
        observed = float(np.quantile(sign * null, share))
        drawn = tail(observed, sign * null).p_value
        found = label_sum_tail(sign * scores, 20, observed)
        assert abs(found - drawn) < 4 * math.sqrt(drawn / 200_000) + 0.01 * drawn


def test_flipped_sums_agree_with_drawing() -> None:
    rng = np.random.default_rng(2)
    differences = rng.normal(size=40) ** 3
    null = flip_sums(differences, SignFlips(40), rng, 200_000).ravel()
    for share in (0.5, 0.9, 0.99, 0.999):
        observed = float(np.quantile(null, share))
        drawn = tail(observed, null).p_value
        found = flip_sum_tail(differences, observed)
        assert abs(found - drawn) < 4 * math.sqrt(drawn / 200_000) + 0.02 * drawn


def test_few_flips_agree_roughly_with_enumeration() -> None:
    differences = np.random.default_rng(3).normal(0.5, size=18)
    every = SignFlips(18).enumerate() @ differences
    exact = tail(float(differences.sum()), every, exact=True).p_value
    assert flip_sum_tail(differences) == pytest.approx(exact, rel=0.1)


def test_both_are_smooth_across_the_centre() -> None:
    scores = np.random.default_rng(4).normal(size=50)
    scale = math.sqrt(15 * 35 / 49) * scores.std()
    steps = np.linspace(-0.01, 0.01, 201)
    labels = [label_sum_tail(scores, 15, 15 * scores.mean() + s * scale) for s in steps]
    flips = [flip_sum_tail(scores, s * math.sqrt(np.square(scores).sum())) for s in steps]
    for values in (labels, flips):
        slopes = np.diff(values)
        assert np.all(slopes < 0)
        assert slopes.min() == pytest.approx(slopes.max(), rel=0.02)


def test_it_does_not_depend_on_location_and_scale() -> None:
    scores = np.random.default_rng(5).normal(size=30)
    p = label_sum_tail(scores, 10, 4.0)
    assert label_sum_tail(1e6 * scores - 7e6, 10, 4e6 - 7e7) == pytest.approx(p, rel=1e-6)
    assert flip_sum_tail(1e-6 * scores, 4e-6) == pytest.approx(flip_sum_tail(scores, 4.0), rel=1e-9)


def test_far_tails_are_small_and_positive() -> None:
    assert 0 < label_sum_tail(np.arange(200.0), 100, 14_500.0) < 1e-20
    assert 0 < flip_sum_tail(np.ones(400), 300.0) < 1e-50


def test_perfect_separation_is_undefined() -> None:
    assert math.isnan(label_sum_tail(np.arange(10.0), 5, 35.0))
    assert math.isnan(label_sum_tail(np.arange(10.0), 5, 10.0))
    assert math.isnan(label_sum_tail(np.ones(10), 5, 5.0))
    assert math.isnan(label_sum_tail([-np.inf, 0.0, 1.0], 1, 1.0))
    assert math.isnan(flip_sum_tail([1.0, 2.0]))
    assert math.isnan(flip_sum_tail([0.0, 0.0]))
