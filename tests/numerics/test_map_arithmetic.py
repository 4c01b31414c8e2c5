"""Maps combined, counted, clustered and enhanced: compiled loops equal their plain forms."""

import numpy as np
import pytest

from abovechance.arrays import Array
from abovechance.numerics.map_arithmetic import (
    Adjacent,
    added,
    cluster_sizes,
    clusters,
    counted,
    enhanced,
    highest,
    smallest,
)

pytest.importorskip("numba")


def grid(*shape: int) -> Adjacent:
    """Cells of a grid that share a face."""
    number = np.arange(np.prod(shape)).reshape(shape)
    pairs = []
    for axis in range(len(shape)):
        first = np.take(number, range(shape[axis] - 1), axis).ravel()
        second = np.take(number, range(1, shape[axis]), axis).ravel()
        pairs += [(a, b) for a, b in zip(first, second, strict=True)]
    near: list[list[int]] = [[] for _ in range(number.size)]
    for a, b in pairs:
        near[a].append(int(b))
        near[b].append(int(a))
    starts = np.concatenate([[0], np.cumsum([len(one) for one in near])])
    every = np.array([other for one in near for other in sorted(one)], dtype=np.int64)
    return Adjacent(starts.astype(np.int64), every)


def noise(*shape: int, seed: int = 1) -> Array:
    return np.random.default_rng(seed).normal(size=shape)


def test_sums_are_the_same_to_the_last_bit() -> None:
    maps = noise(30, 5000).astype(np.float32)
    rng = np.random.default_rng(2)
    rows, signs = rng.integers(30, size=(20, 6)), rng.choice([-1.0, 1.0], (20, 6))
    shift, scale = noise(5000, seed=3), np.abs(noise(5000, seed=4))
    quick, plain = (added(maps, rows, signs, shift, scale, fast=fast) for fast in (True, False))
    assert np.array_equal(quick, plain)
    by_hand = (signs[4] @ maps[rows[4]].astype(float) - shift) * scale
    np.testing.assert_allclose(quick[4], by_hand, atol=1e-12)


def test_smallest_values_are_the_same() -> None:
    maps, rows = (
        noise(30, 3000).astype(np.float32),
        np.random.default_rng(2).integers(30, size=(9, 4)),
    )
    assert np.array_equal(smallest(maps, rows, fast=True), smallest(maps, rows, fast=False))
    assert np.array_equal(smallest(maps, rows, fast=True)[3], maps[rows[3]].min(axis=0))


@pytest.mark.parametrize("kept", [0, 1, 7, 60])
def test_counts_and_highest_values_are_the_same(kept: int) -> None:
    values = np.round(noise(50, 200), 1)  # with ties
    bar = np.round(noise(200, seed=2), 1)
    quick, plain = (counted(values, bar, kept, fast=fast) for fast in (True, False))
    for one, other in zip(quick, plain, strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(quick.exceed, (values >= bar).sum(axis=0))
    assert np.array_equal(highest(values, 7), np.sort(values, axis=0)[::-1][:7])


def test_clusters_of_a_plane_by_hand() -> None:
    inside = np.array([[1, 1, 0, 1], [0, 1, 0, 1], [1, 0, 0, 0]], dtype=bool)
    label = clusters(inside.ravel(), grid(3, 4)).reshape(3, 4)
    assert label.tolist() == [[1, 1, 0, 2], [0, 1, 0, 2], [3, 0, 0, 0]]


def test_sizes_of_clusters_are_the_same() -> None:
    near, values, bar = grid(9, 8, 7), noise(40, 504), np.full(504, 0.6)
    quick, plain = (cluster_sizes(values, bar, near, fast=fast) for fast in (True, False))
    assert np.array_equal(quick[0], plain[0])
    assert np.array_equal(quick[1], plain[1])
    assert (quick[0] * np.arange(505)).sum() == (values > bar).sum()


def test_no_cluster_has_size_nought() -> None:
    histogram, largest = cluster_sizes(np.zeros((3, 6)), np.ones(6), grid(6), fast=True)
    assert not histogram.any()
    assert not largest.any()


def test_enhanced_maps_are_the_same_to_the_last_bit() -> None:
    near = grid(8, 7, 6)
    values = noise(10, 336) + 0.8
    quick, plain = (enhanced(values, near, fast=fast) for fast in (True, False))
    assert np.array_equal(quick, plain)


@pytest.mark.parametrize("fast", [True, False])
def test_enhancement_of_a_row_by_hand(fast: bool) -> None:
    # Steps of 1: at height 1 a cluster of 3 and one of 1, at height 2 clusters of 1 and 1.
    values = np.array([[2.5, 1.0, 2.0, 0.9, 1.2]])
    found = enhanced(values, grid(5), step=1.0, fast=fast)[0]
    one, two = 3**0.5 * 1, 1 * 4
    np.testing.assert_allclose(found, [one + two, one, one + two, 0.0, 1.0])


@pytest.mark.parametrize("fast", [True, False])
def test_a_map_below_nought_has_no_support(fast: bool) -> None:
    assert not enhanced(-np.ones((2, 5)), grid(5), fast=fast).any()


def test_enhancement_goes_with_its_places() -> None:
    near, values = grid(6, 6), noise(1, 36) + 1
    order = np.random.default_rng(5).permutation(36)
    place = np.argsort(order)  # the new number of each place
    rows = [np.sort(place[near.neighbours[near.starts[v] : near.starts[v + 1]]]) for v in order]
    starts = np.concatenate([[0], np.cumsum([len(one) for one in rows])])
    moved = Adjacent(starts, np.concatenate(rows))
    first, other = enhanced(values, near, fast=True), enhanced(values[:, order], moved, fast=True)
    assert np.array_equal(other, first[:, order])
