"""Random words: the published generator, any order, no bias."""

import numpy as np

from abovechance.resampling.words import bounded, keys, words


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
