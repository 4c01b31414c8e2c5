"""Random bits, and random subsets of cases as bit masks."""

from itertools import combinations

import numpy as np
import pytest

from abovechance.resampling import draws as sums
from abovechance.resampling.draws import LabelPermutations, SignFlips, flip_sums, label_sums
from abovechance.resampling.random_bits import (
    bounded,
    flip_masks,
    keys,
    masked_sums,
    plan,
    random_subsets,
    subset_masks,
    unpack,
    width,
    words,
)

# ----------------------------------------------------------------------------------------------
# Random words: the published generator, any order, no bias.
# ----------------------------------------------------------------------------------------------


def test_words_are_those_of_splitmix64() -> None:
    # first outputs of the reference implementation for the seed 1234567
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert words(np.array([1234567], dtype=np.uint64), 0, 4)[0].tolist() == expected


def test_a_word_does_not_depend_on_the_others_asked_for() -> None:
    key = keys(np.random.default_rng(1), 5)
    assert np.array_equal(words(key, 0, 9)[:, 4:], words(key, 4, 5))


def test_keys_continue_where_the_last_call_ended() -> None:
    once, twice = np.random.default_rng(2), np.random.default_rng(2)
    assert np.array_equal(keys(once, 7), np.concatenate([keys(twice, 3), keys(twice, 4)]))


def test_keys_are_the_whole_numbers_that_numpy_draws() -> None:
    one, other = np.random.default_rng(2), np.random.default_rng(2)
    for shape in ((5,), (3, 2)):
        drawn = other.integers(0, 2**64, size=shape, dtype=np.uint64)
        assert np.array_equal(keys(one, *shape), drawn)


def test_bounded_integers_are_uniform() -> None:
    values = bounded(keys(np.random.default_rng(3), 20_000), 0, 7, 7)
    counts = np.bincount(values.ravel(), minlength=7)
    assert values.min() == 0
    assert values.max() == 6
    assert np.sum((counts - 20_000) ** 2 / 20_000) < 22.5  # chi-square, 6 df, 0.1 %


def test_a_rejected_word_is_drawn_again_and_stays_in_range() -> None:
    # a limit just above half of 2^32 rejects nearly every second half
    limit = 2**31 + 1
    values = bounded(keys(np.random.default_rng(4), 2_000), 0, 5, limit)
    assert values.min() >= 0
    assert values.max() < limit
    assert abs(values.mean() / limit - 0.5) < 4 * np.sqrt(1 / 12 / values.size)


def test_a_rejection_at_one_place_leaves_the_others_alone() -> None:
    limit = 2**31 + 1
    key = keys(np.random.default_rng(5), 50)
    assert np.array_equal(bounded(key, 0, 9, limit)[:, :4], bounded(key, 0, 4, limit))


# ----------------------------------------------------------------------------------------------
# Random subsets of fixed size: uniform, and the same bits on both paths.
# ----------------------------------------------------------------------------------------------


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
    from abovechance.numerics.kernels import draw_loops

    scores, key = generator(3).normal(size=(4, n)), keys(generator(), 257)
    masks = subset_masks(key, n, positives)
    fast = np.empty((width(n), 257), dtype=np.uint64)
    draw_loops.subset_masks(key, n, *plan(n, positives), fast)
    assert np.array_equal(fast.T, masks)
    assert np.array_equal(random_subsets(key, n, positives), masks)
    out = np.empty((4, 257))
    draw_loops.masked_sums(scores, fast, out)
    assert np.array_equal(out, masked_sums(scores, masks))


@pytest.mark.parametrize("n", [1, 63, 64, 65, 1000])
def test_plain_and_compiled_flip_sums_agree_to_the_last_bit(n: int) -> None:
    from abovechance.numerics.kernels import draw_loops

    values, key = generator(3).normal(size=(2, n)), keys(generator(), 257)
    out = np.empty((2, 257))
    draw_loops.half_sums(values, key, out)
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


# ----------------------------------------------------------------------------------------------
# Subsets of a few cases, as permutation within small clusters draws them.
# ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(2, 12))
def test_every_size_of_a_small_subset_is_drawn_uniformly(n: int) -> None:
    for positives in range(1, n):
        labels = np.arange(n) < positives
        drawn = LabelPermutations(labels).draw(np.random.default_rng(1), 2000)
        assert (drawn.sum(axis=1) == positives).all()
        share = drawn.mean(axis=0)
        assert np.abs(share - positives / n).max() < 5 * np.sqrt(0.25 / 2000)
