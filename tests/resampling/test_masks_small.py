"""Subsets of a few cases, as permutation within small clusters draws them."""

import numpy as np
import pytest

from abovechance.resampling import LabelPermutations


@pytest.mark.parametrize("n", range(2, 12))
def test_every_size_of_a_small_subset_is_drawn_uniformly(n: int) -> None:
    for positives in range(1, n):
        labels = np.arange(n) < positives
        drawn = LabelPermutations(labels).draw(np.random.default_rng(1), 2000)
        assert (drawn.sum(axis=1) == positives).all()
        share = drawn.mean(axis=0)
        assert np.abs(share - positives / n).max() < 5 * np.sqrt(0.25 / 2000)
