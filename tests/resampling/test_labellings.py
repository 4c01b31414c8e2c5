"""How many labellings permuting can give, against listing them all."""

import math
from itertools import permutations

import numpy as np
import pytest

from abovechance.resampling.blocks import labellings


@pytest.mark.parametrize("outcome", [[0, 0, 1, 1, 1], [0, 1, 2, 2, 1, 0], [0.5, 0.5, 1.5, 2.5]])
def test_free_labellings_are_counted_once_each(outcome) -> None:
    assert labellings(outcome) == len(set(permutations(outcome)))


def test_labellings_within_blocks_multiply() -> None:
    outcome, blocks = np.array([0, 1, 0, 0, 1, 1, 1]), np.array(list("aabbbcc"))
    each = [set(permutations(outcome[blocks == b].tolist())) for b in "abc"]
    assert labellings(outcome, "within", blocks) == math.prod(map(len, each)) == 6


def test_whole_blocks_are_counted_as_units_whatever_their_size() -> None:
    blocks = np.repeat(np.arange(4), 5)
    assert labellings(blocks % 2, "blocks", blocks) == 6
    unequal = np.repeat(np.arange(4), [1, 2, 3, 4])
    assert labellings(unequal % 2, "blocks", unequal) == 6


def test_many_labellings_are_called_infinite() -> None:
    assert labellings(np.arange(200_000) % 2) == math.inf
    assert labellings(np.random.default_rng(1).normal(size=5000)) == math.inf
