"""Which voxels, vertices, sensors and time points belong together."""

from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from abovechance.errors import DataError
from abovechance.maps.neighbourhoods import (
    Neighbourhoods,
    nearest,
    pairs_of,
    parcels,
    spheres,
    steps_away,
    volume,
    windows,
)

COUNTS = {1.0: 7, 2**0.5: 19, 3**0.5: 27, 2.0: 33, 3.0: 123}


def odd_mask() -> np.ndarray:
    """A mask with a hole, an edge and a voxel on its own."""
    mask = np.random.default_rng(3).random((7, 8, 6)) < 0.7
    mask[0, 0, 0] = True
    return mask


TURNED = np.array([[0, -2.0, 0.3, 5], [3.0, 0, 0, -9], [0.1, 0, 3.5, 1], [0, 0, 0, 1]])


@pytest.mark.parametrize("size", [1.0, 2.0, 3.0, 3.5])
@pytest.mark.parametrize("radius", list(COUNTS))
def test_a_sphere_inside_has_as_many_voxels_as_its_radius_says(size: float, radius: float) -> None:
    space = volume(np.ones((9, 9, 9)), np.diag([size, size, size, 1]))
    in_mm = spheres(space, radius * size)
    in_voxels = spheres(space, radius, voxels=True)
    middle = 4 * 81 + 4 * 9 + 4
    assert in_mm.sizes[middle] == in_voxels.sizes[middle] == COUNTS[radius]
    assert np.array_equal(in_mm.members, in_voxels.members)


def by_distance(space: object, radius: float) -> list[list[int]]:
    at = np.array(np.nonzero(space.mask)).T @ space.affine[:3, :3].T  # type: ignore[attr-defined]
    return [np.flatnonzero(row <= radius + 1e-9).tolist() for row in cdist(at, at)]


def test_spheres_are_those_of_all_distances_at_edges_and_holes_and_in_turned_grids() -> None:
    for affine, radius in ((np.eye(4), 2.0), (TURNED, 4.3)):
        space = volume(odd_mask(), affine)
        found = spheres(space, radius)
        assert [found.of(c).tolist() for c in range(len(found))] == by_distance(space, radius)


def test_a_corner_of_a_block_has_eight_of_the_27_voxels() -> None:
    found = spheres(volume(np.ones((4, 4, 4))), 3**0.5)
    assert found.sizes[0] == 8
    assert sorted(set(found.sizes.tolist())) == [8, 12, 18, 27]


def test_the_nearest_voxels_are_as_many_everywhere_and_none_is_farther_than_one_left_out() -> None:
    space = volume(odd_mask(), TURNED)
    found = nearest(space, 27)
    at = np.array(np.nonzero(space.mask)).T @ TURNED[:3, :3].T
    for c, row in enumerate(cdist(at, at)):
        assert len(found.of(c)) == 27
        assert c in found.of(c)
        out = np.setdiff1d(np.arange(len(row)), found.of(c))
        assert row[found.of(c)].max() <= row[out].min() + 1e-5


def test_inside_a_block_the_27_nearest_are_the_sphere_of_the_root_of_three() -> None:
    space = volume(np.ones((5, 5, 5)), np.diag([3.5, 3.5, 3.5, 1]))
    middle = 2 * 25 + 2 * 5 + 2
    assert (
        nearest(space, 27).of(middle).tolist() == spheres(space, 3.5 * 3**0.5).of(middle).tolist()
    )


def test_all_voxels_may_be_asked_for_and_not_one_more() -> None:
    space = volume(np.ones((3, 2, 2)))
    assert nearest(space, 12).sizes.tolist() == [12] * 12
    with pytest.raises(DataError, match="neighbours must lie between 1 and the 12 voxels"):
        nearest(space, 13)


def test_centres_may_be_fewer_than_voxels() -> None:
    mask = np.ones((5, 5, 5))
    centres = np.zeros((5, 5, 5))
    centres[2, 2, 2] = 1
    found = spheres(volume(mask, None, centres), 1.0)
    assert found.sizes.tolist() == [7]
    assert found.geometry.coordinates.tolist() == [[2.0, 2.0, 2.0]]
    assert found.geometry.as_volume(np.array([5.0])).sum() == 5.0


def test_parcels_hold_their_voxels_and_touch_where_faces_are_shared() -> None:
    atlas = np.zeros((4, 2, 2), dtype=int)
    atlas[0], atlas[1], atlas[3] = 7, 2, 5
    mask = np.ones((4, 2, 2))
    mask[0, 0, 0] = 0
    found = parcels(volume(mask, np.diag([2.0, 2, 2, 1])), atlas, {7: "left"})
    assert found.geometry.names == ("2", "5", "left")
    assert found.sizes.tolist() == [4, 4, 3]
    assert found.geometry.coordinates[0].tolist() == [2.0, 1.0, 1.0]
    assert found.geometry.adjacency().toarray().tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    painted = found.geometry.as_volume(np.array([1.0, 2.0, 3.0]))
    assert painted[0, 0, 0] == 0.0
    assert painted[0, 1, 1] == 3.0
    assert (painted[2] == 0).all()


def test_an_atlas_without_background_has_all_its_regions() -> None:
    found = parcels(volume(np.ones((2, 1, 1))), np.array([[[4]], [[9]]]))
    assert found.geometry.names == ("4", "9")


RING = np.array([[0, 1], [1, 2], [2, 3], [3, 0]])


@pytest.mark.parametrize(
    "given",
    [
        RING,
        np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]),
        csr_array(np.array([[1, 1, 0, 1], [1, 1, 1, 0], [0, 1, 1, 1], [1, 0, 1, 1]])),
    ],
    ids=["pairs", "matrix", "sparse"],
)
def test_adjacency_is_read_from_pairs_and_matrices(given: object) -> None:
    assert pairs_of(given, 4).tolist() == [[0, 1], [0, 3], [1, 2], [2, 3]]


def test_triangles_have_three_edges() -> None:
    faces = np.array([[0, 1, 2], [1, 2, 3]])
    assert pairs_of(faces, 4).tolist() == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]


def test_steps_lead_around_a_ring() -> None:
    assert [c.tolist() for c in map(steps_away(pairs_of(RING, 4), 4).of, range(4))] == [
        [0, 1, 3],
        [0, 1, 2],
        [1, 2, 3],
        [0, 2, 3],
    ]
    assert steps_away(pairs_of(RING, 4), 4, steps=2).sizes.tolist() == [4] * 4


def test_windows_of_all_sensors_and_of_neighbours() -> None:
    times = np.array([0.0, 0.1, 0.2, 0.3])
    alone = windows(2, times)
    assert alone.of(1).tolist() == [1, 5]
    wide = windows(3, times, 3, pairs=np.array([[0, 1]]))
    number = {(s, t): s * 4 + t for s, t in product(range(3), range(4))}
    assert wide.of(number[0, 0]).tolist() == [number[s, t] for s in (0, 1) for t in (0, 1)]
    assert wide.of(number[2, 2]).tolist() == [number[2, t] for t in (1, 2, 3)]
    touching = wide.geometry.adjacency().toarray()
    assert touching[number[0, 1]].nonzero()[0].tolist() == [
        number[0, 0],
        number[0, 2],
        number[1, 1],
    ]


def test_columns_left_out_leave_the_others_in_their_neighbourhoods() -> None:
    found = spheres(volume(np.ones((3, 1, 1))), 1.0)
    kept = found.among(np.array([True, False, True]))
    assert isinstance(kept, Neighbourhoods)
    assert [kept.of(c).tolist() for c in range(3)] == [[0], [0, 2], [2]]


@pytest.mark.parametrize(("touching", "many"), [("faces", 6), ("edges", 18), ("corners", 26)])
def test_cells_of_a_grid_touch_by_faces_edges_or_corners(touching: str, many: int) -> None:
    geometry = volume(np.ones((3, 3, 3))).geometry
    found = geometry.adjacency(touching)  # type: ignore[arg-type]
    assert found[[13]].sum() == many
    assert (found != found.T).nnz == 0


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (lambda: volume(np.zeros((2, 2, 2))), "mask must hold a voxel that is not 0; it is empty"),
        (lambda: volume(np.ones((2, 2))), "a mask must have three axes; got shape"),
        (lambda: volume(np.full((2, 2, 2), np.nan)), "mask must hold no missing values"),
        (lambda: volume(np.ones((2, 2, 2)), np.zeros((4, 4))), "an affine must be a regular"),
        (
            lambda: volume(np.ones((2, 2, 2)), None, np.ones((3, 2, 2))),
            "process_mask_img must have the shape of the mask",
        ),
        (lambda: spheres(volume(np.ones((2, 2, 2))), -1), "radius must be a number from 0 on"),
        (
            lambda: parcels(volume(np.ones((2, 2, 2))), np.zeros((2, 2, 2))),
            "parcels must hold a region inside the mask",
        ),
        (
            lambda: parcels(volume(np.ones((2, 2, 2))), np.full((2, 2, 2), 0.5)),
            "parcels must be whole numbers",
        ),
        (lambda: windows(2, np.arange(5.0), 2), "window must be an odd number"),
        (lambda: windows(2, np.arange(5.0), 7), "window must be at most the 5 time points"),
        (lambda: pairs_of(np.array([[0, 9], [1, 2], [0, 1]]), 4), "adjacency must name centres"),
        (lambda: pairs_of(np.ones((2, 4)), 4), "adjacency must be a table of 4 × 4"),
    ],
)
def test_what_makes_no_neighbourhoods_is_refused_in_one_line(asked: object, message: str) -> None:
    with pytest.raises(DataError) as refused:
        asked()  # type: ignore[operator]
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
