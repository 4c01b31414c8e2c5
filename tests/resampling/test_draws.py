"""Permutations, sign flips and what may be rearranged."""

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from abovechance.errors import DataError, NotApplicable
from abovechance.resampling import (
    BayesianBootstrap,
    Bootstrap,
    LabelPermutations,
    Permutations,
    SignFlips,
    WholeBlocks,
    WithinBlocks,
)
from abovechance.resampling.draws import labellings

# ----------------------------------------------------------------------------------------------
# Schemes: what they rearrange, how many arrangements there are, what they refuse.
# ----------------------------------------------------------------------------------------------


BLOCKS = np.array(["x", "y", "z", "x", "y", "z", "z", "y"])
LABELS = np.array([0, 1, 1, 1, 0, 0, 1, 0])

ENUMERABLE = [
    Permutations(5),
    WithinBlocks(BLOCKS),
    WholeBlocks(BLOCKS),
    WholeBlocks([0, 0, 1, 1, 2, 2]),
    LabelPermutations(LABELS),
    LabelPermutations(LABELS, blocks=BLOCKS),
    LabelPermutations([1, 1, 0, 0, 0, 1], blocks=[0, 0, 1, 2, 2, 3], permute="whole"),
    SignFlips(6),
    SignFlips(6, groups=[1, 1, 2, 2, 3, 3]),
]
SCHEMES = [
    *ENUMERABLE,
    Permutations(300),
    SignFlips(130),
    LabelPermutations(np.arange(100) < 30),
    Bootstrap(9),
    Bootstrap(9, kind="counts"),
    Bootstrap(8, strata=BLOCKS),
    Bootstrap(8, groups=BLOCKS, kind="counts"),
    Bootstrap(6, groups=[0, 0, 1, 1, 2, 2]),
    BayesianBootstrap(5),
]


def name(scheme: Any) -> str:
    return type(scheme).__name__


@pytest.mark.parametrize("scheme", SCHEMES, ids=name)
def test_draws_are_sequential(scheme: Any) -> None:
    once, twice = np.random.default_rng(1), np.random.default_rng(1)
    parts = [scheme.draw(twice, 1), scheme.draw(twice, 40), scheme.draw(twice, 59)]
    assert np.array_equal(scheme.draw(once, 100), np.concatenate(parts))


@pytest.mark.parametrize("scheme", SCHEMES, ids=name)
def test_a_draw_has_one_entry_per_case(scheme: Any) -> None:
    assert scheme.draw(np.random.default_rng(1), 3).shape == (3, scheme.n)


@pytest.mark.parametrize("scheme", ENUMERABLE, ids=name)
def test_the_list_holds_every_arrangement_once(scheme: Any) -> None:
    rows = scheme.enumerate()
    assert len(rows) == scheme.arrangements
    assert len(np.unique(rows, axis=0)) == len(rows)


@pytest.mark.parametrize("scheme", ENUMERABLE, ids=name)
def test_draws_are_listed_arrangements_and_equally_likely(scheme: Any) -> None:
    rows = scheme.enumerate().astype(np.int64)
    each = 200
    draws = scheme.draw(np.random.default_rng(5), each * len(rows)).astype(np.int64)
    assert draws.dtype == rows.dtype
    every, counts = np.unique(np.concatenate([rows, draws]), axis=0, return_counts=True)
    assert len(every) == len(rows)
    chi = np.sum((counts - 1 - each) ** 2) / each
    df = len(rows) - 1
    assert chi < df + 3.3 * math.sqrt(2 * df) + 5  # beyond the 99.9 % point for all these df


def test_permutations_within_blocks_stay_in_their_block() -> None:
    drawn = WithinBlocks(BLOCKS).draw(np.random.default_rng(2), 200)
    assert np.all(BLOCKS[drawn] == BLOCKS)
    assert np.all(np.sort(drawn, axis=1) == np.arange(8))


def test_equal_blocks_exchange_their_cases_in_order() -> None:
    drawn = WholeBlocks([0, 1, 0, 1, 2, 2]).draw(np.random.default_rng(2), 100)
    assert np.all(np.sort(drawn, axis=1) == np.arange(6))
    firsts, seconds = drawn[:, [0, 1, 4]], drawn[:, [2, 3, 5]]
    partner = {0: 2, 1: 3, 4: 5}
    assert np.array_equal(np.vectorize(partner.get)(firsts), seconds)


def test_blocks_of_different_sizes_exchange_their_labels() -> None:
    blocks, labels = np.array([0, 0, 0, 1, 2]), np.array(["a", "a", "a", "b", "b"])
    permuted = labels[WholeBlocks(blocks, labels=labels).draw(np.random.default_rng(2), 50)]
    by_block = permuted[:, [0, 3, 4]]
    assert np.all(permuted[:, 0] == permuted[:, 1])
    assert np.all((by_block == "a").sum(axis=1) == 1)  # as many blocks of a as before
    assert set((permuted == "a").sum(axis=1)) == {1, 3}  # not as many cases


def test_label_permutations_keep_the_number_of_positives_in_every_block() -> None:
    drawn = LabelPermutations(LABELS, blocks=BLOCKS).draw(np.random.default_rng(3), 100)
    for block in "xyz":
        assert np.all(drawn[:, block == BLOCKS].sum(axis=1) == LABELS[block == BLOCKS].sum())


def test_cases_of_a_group_flip_together() -> None:
    signs = SignFlips(5, groups=["p", "q", "p", "q", "q"]).draw(np.random.default_rng(3), 100)
    assert np.all(signs[:, 0] == signs[:, 2])
    assert np.all(signs[:, 1] == signs[:, 4])
    assert set(np.unique(signs)) == {-1, 1}


def test_strata_keep_their_size() -> None:
    drawn = Bootstrap(8, strata=BLOCKS).draw(np.random.default_rng(4), 100)
    assert np.all(BLOCKS[drawn] == BLOCKS)
    counts = Bootstrap(8, strata=BLOCKS, kind="counts").draw(np.random.default_rng(4), 100)
    assert np.array_equal(counts, [np.bincount(row, minlength=8) for row in drawn])


def test_cases_of_a_group_are_drawn_together() -> None:
    counts = Bootstrap(8, groups=BLOCKS, kind="counts").draw(np.random.default_rng(4), 100)
    groups = counts[:, [0, 1, 2]]
    assert np.all(groups.sum(axis=1) == 3)
    assert np.all(counts == groups[:, [0, 1, 2, 0, 1, 2, 2, 1]])


def test_bootstrap_counts_have_the_moments_of_the_multinomial() -> None:
    counts = Bootstrap(20, kind="counts").draw(np.random.default_rng(6), 20_000)
    covariance = np.cov(counts.T)
    assert np.allclose(counts.mean(axis=0), 1, atol=0.03)
    assert np.allclose(np.diag(covariance), 0.95, atol=0.05)
    assert np.allclose(
        covariance - np.diag(np.diag(covariance)), -0.05 * (1 - np.eye(20)), atol=0.04
    )


def test_bayesian_weights_have_the_moments_of_the_flat_dirichlet() -> None:
    weights = BayesianBootstrap(10).draw(np.random.default_rng(6), 20_000)
    assert np.allclose(weights.sum(axis=1), 10)
    assert np.allclose(weights.mean(axis=0), 1, atol=0.03)
    assert np.allclose(weights.var(axis=0), 9 / 11, atol=0.05)


def test_constant_labels_within_blocks_are_refused_with_the_remedy() -> None:
    for refused in (
        lambda: LabelPermutations([1, 1, 0, 0], blocks=[1, 1, 2, 2]),
        lambda: WithinBlocks([1, 1, 2, 2], labels=["a", "a", "b", "b"]),
    ):
        with pytest.raises(NotApplicable, match="permute whole blocks instead"):
            refused()


def test_mixed_labels_in_whole_blocks_are_refused_with_the_remedy() -> None:
    with pytest.raises(NotApplicable, match=r"1 of 2 blocks hold both\. Permute within"):
        LabelPermutations([1, 0, 0, 0], blocks=[1, 1, 2, 2], permute="whole")
    with pytest.raises(NotApplicable, match="permute within"):
        WholeBlocks([1, 1, 2], labels=[1, 0, 0])


def test_schemes_that_change_nothing_are_refused() -> None:
    with pytest.raises(NotApplicable, match="one class only"):
        LabelPermutations([1, 1, 1])
    with pytest.raises(NotApplicable, match="every block has one"):
        WithinBlocks([1, 2, 3])
    with pytest.raises(NotApplicable, match="at least two blocks"):
        WholeBlocks([1, 1, 1])
    with pytest.raises(NotApplicable, match="changes nothing"):
        WholeBlocks([1, 1, 2], labels=[0, 0, 0])


def test_columns_of_the_wrong_length_are_refused() -> None:
    with pytest.raises(DataError, match="one entry per case; got 2 for 3 cases"):
        SignFlips(3, groups=[1, 2])
    with pytest.raises(DataError, match="got 4 for 3"):
        LabelPermutations([1, 0, 0], blocks=[1, 1, 2, 2])
    with pytest.raises(DataError, match="strata"):
        Bootstrap(3, strata=[1, 2])


def test_groups_of_different_sizes_cannot_be_given_as_indices() -> None:
    with pytest.raises(NotApplicable, match="kind='counts'"):
        Bootstrap(3, groups=[1, 1, 2])
    with pytest.raises(NotApplicable, match="not both"):
        Bootstrap(3, groups=[1, 1, 2], strata=[1, 2, 2])


def test_too_many_arrangements_are_not_listed() -> None:
    with pytest.raises(NotApplicable, match="Draw at random instead"):
        SignFlips(30).enumerate()
    with pytest.raises(NotApplicable, match="not equally likely"):
        Bootstrap(3).enumerate()


def test_numbers_of_arrangements() -> None:
    assert LabelPermutations(np.arange(20) < 10).arrangements == 184756
    assert WithinBlocks([1, 1, 1, 2, 2]).arrangements == 12
    assert SignFlips(20).arrangements == 2**20
    assert Permutations(10**6).arrangements == math.inf
    assert Bootstrap(4).arrangements == math.inf


# ----------------------------------------------------------------------------------------------
# How many labellings permuting can give, against listing them all.
# ----------------------------------------------------------------------------------------------


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
