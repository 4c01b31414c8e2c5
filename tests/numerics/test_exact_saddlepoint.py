"""Saddlepoint tails against exact and drawn ones."""

import math

import numpy as np
import pytest

from abovechance.numerics.exact import label_sum_tail
from abovechance.resampling import (
    LabelPermutations,
    exact_rank_sum,
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


def test_it_is_smooth_across_the_centre() -> None:
    scores = np.random.default_rng(4).normal(size=50)
    scale = math.sqrt(15 * 35 / 49) * scores.std()
    steps = np.linspace(-0.01, 0.01, 201)
    labels = [label_sum_tail(scores, 15, 15 * scores.mean() + s * scale) for s in steps]
    slopes = np.diff(labels)
    assert np.all(slopes < 0)
    assert slopes.min() == pytest.approx(slopes.max(), rel=0.02)


def test_it_does_not_depend_on_location_and_scale() -> None:
    scores = np.random.default_rng(5).normal(size=30)
    p = label_sum_tail(scores, 10, 4.0)
    assert label_sum_tail(1e6 * scores - 7e6, 10, 4e6 - 7e7) == pytest.approx(p, rel=1e-6)


def test_far_tails_are_small_and_positive() -> None:
    assert 0 < label_sum_tail(np.arange(200.0), 100, 14_500.0) < 1e-20


def test_perfect_separation_is_undefined() -> None:
    assert math.isnan(label_sum_tail(np.arange(10.0), 5, 35.0))
    assert math.isnan(label_sum_tail(np.arange(10.0), 5, 10.0))
    assert math.isnan(label_sum_tail(np.ones(10), 5, 5.0))
    assert math.isnan(label_sum_tail([-np.inf, 0.0, 1.0], 1, 1.0))
