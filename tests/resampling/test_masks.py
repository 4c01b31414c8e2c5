"""Random subsets of fixed size: uniform, and the same bits on both paths."""

from itertools import combinations

import numpy as np
import pytest

from abovechance.resampling import sums
from abovechance.resampling.draws import LabelPermutations, SignFlips
from abovechance.resampling.masks import (
    flip_masks,
    masked_sums,
    plan,
    random_subsets,
    subset_masks,
    unpack,
    width,
)
from abovechance.resampling.sums import flip_sums, label_sums
from abovechance.resampling.words import keys

SIZES = [
    (2, 1),
    (8, 3),
    (63, 31),
    (64, 20),
    (65, 64),
    (130, 77),
    (1000, 5),
    (1000, 300),
    (1000, 990),
]


def generator(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("positives", [3, 5])
def test_every_subset_of_eight_is_equally_likely(positives: int) -> None:
    draws = 56 * 2_000
    masks = subset_masks(keys(generator(7), draws), 8, positives)[:, 0]
    values = [sum(1 << i for i in chosen) for chosen in combinations(range(8), positives)]
    counts = np.bincount(masks.astype(np.int64), minlength=256)[values]
    assert counts.sum() == draws
    assert np.sum((counts - 2_000) ** 2 / 2_000) < 93.2  # chi-square, 55 df, 0.1 %


def test_every_pair_of_cases_in_a_large_subset_is_equally_likely() -> None:
    # 200 of 1000 takes the dyadic start and the mending; pairs see what single cases do not
    chosen = unpack(subset_masks(keys(generator(8), 4_000), 1000, 200), 1000)[:, ::37].astype(float)
    together = (chosen.T @ chosen / 4_000)[np.triu_indices(chosen.shape[1], 1)]
    expected = 200 * 199 / (1000 * 999)
    z = (together - expected) / np.sqrt(expected * (1 - expected) / 4_000)
    assert abs(z).max() < 4.5
    assert 0.8 < z.std() < 1.2


@pytest.mark.parametrize(("n", "positives"), SIZES)
def test_subsets_have_their_size(n: int, positives: int) -> None:
    masks = subset_masks(keys(generator(), 300), n, positives)
    assert masks.shape == (300, width(n))
    assert np.all(unpack(masks, n).sum(axis=1) == positives)
    assert np.all(np.bitwise_count(masks).sum(axis=1) == positives)


@pytest.mark.parametrize(("n", "positives"), SIZES)
def test_a_plan_starts_near_the_size_it_wants(n: int, positives: int) -> None:
    size, complement, numerator, bits = plan(n, positives)
    assert size == min(positives, n - positives)
    assert complement == (positives > n - positives)
    assert abs(numerator / 2**bits * n - size) <= max(n / 32, np.sqrt(n) / 2, n / 128)


@pytest.mark.parametrize(("n", "positives"), SIZES)
def test_label_sums_are_the_sums_over_the_drawn_labels(path: str, n: int, positives: int) -> None:
    scores = generator(2).normal(size=(3, n))
    scheme = LabelPermutations(np.arange(n) < positives)
    found = label_sums(scores, scheme, generator(), 200)
    drawn = scheme.draw(generator(), 200)
    assert np.allclose(found, drawn @ scores.T, rtol=0, atol=1e-12 * n)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 1000])
def test_flip_sums_are_the_sums_under_the_drawn_signs(path: str, n: int) -> None:
    differences = generator(2).normal(size=(2, n))
    found = flip_sums(differences, SignFlips(n), generator(), 200)
    drawn = SignFlips(n).draw(generator(), 200)
    assert np.allclose(found, drawn @ differences.T, rtol=0, atol=1e-12 * n)


@pytest.mark.parametrize(("n", "positives"), SIZES)
def test_plain_and_compiled_label_sums_agree_to_the_last_bit(n: int, positives: int) -> None:
    from abovechance.numerics.kernels import permutation

    scores, key = generator(3).normal(size=(4, n)), keys(generator(), 257)
    masks = subset_masks(key, n, positives)
    fast = np.empty((width(n), 257), dtype=np.uint64)
    permutation.subset_masks(key, n, *plan(n, positives), fast)
    assert np.array_equal(fast.T, masks)
    assert np.array_equal(random_subsets(key, n, positives), masks)
    out = np.empty((4, 257))
    permutation.masked_sums(scores, fast, out)
    assert np.array_equal(out, masked_sums(scores, masks))


@pytest.mark.parametrize("n", [1, 63, 64, 65, 1000])
def test_plain_and_compiled_flip_sums_agree_to_the_last_bit(n: int) -> None:
    from abovechance.numerics.kernels import flips

    values, key = generator(3).normal(size=(2, n)), keys(generator(), 257)
    out = np.empty((2, 257))
    flips.half_sums(values, key, out)
    assert np.array_equal(out, masked_sums(values, flip_masks(key, n)))


def test_label_sums_within_blocks_and_of_whole_blocks(path: str) -> None:
    blocks = np.array([0, 0, 0, 1, 1, 2, 2, 2, 3])
    scores = generator(4).normal(size=(2, 9))
    within = LabelPermutations([1, 0, 0, 1, 0, 1, 1, 1, 0], blocks=blocks)
    whole = LabelPermutations(np.isin(blocks, [0, 3]), blocks=blocks, permute="whole")
    for scheme in (within, whole):
        drawn = scheme.draw(generator(), 100)
        found = label_sums(scores, scheme, generator(), 100)
        assert np.allclose(found, drawn @ scores.T, rtol=0, atol=1e-13)


def test_flip_sums_of_groups(path: str) -> None:
    groups = ["a", "b", "a", "c"]
    differences = np.array([[1.0, 2.0, 4.0, 8.0]])
    found = flip_sums(differences, SignFlips(4, groups=groups), generator(), 500).ravel()
    assert sorted(set(found)) == [-15, -11, -5, -1, 1, 5, 11, 15]


def test_infinite_scores_stay_infinite_only_where_drawn(path: str) -> None:
    scores = np.array([[-np.inf, 1.0, 2.0, 3.0]])
    scheme = LabelPermutations([1, 1, 0, 0])
    found = label_sums(scores, scheme, generator(), 100).ravel()
    assert np.array_equal(np.isinf(found), scheme.draw(generator(), 100)[:, 0])


def test_what_memory_cannot_hold_is_summed_in_parts(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = generator(5).normal(size=(2, 200))
    labels, signs = LabelPermutations(np.arange(200) < 70), SignFlips(200)
    whole = label_sums(scores, labels, generator(), 50), flip_sums(scores, signs, generator(), 50)
    monkeypatch.setattr(sums, "CELLS", 30)
    parts = label_sums(scores, labels, generator(), 50), flip_sums(scores, signs, generator(), 50)
    assert np.array_equal(whole, parts)
