"""Neighbourhoods: which columns of the data belong to each centre of a map."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import DataError, NotApplicable
from abovechance.format import plural
from abovechance.maps.subject_map import Geometry
from abovechance.predictions.checks import unmasked

Places = npt.NDArray[np.int32]
ROUNDING = 1e-6  # a share of a radius by which a distance may exceed it: √3 · 2 mm has 27 voxels
CELLS = 2**22  # columns looked up at a time


@dataclass(frozen=True, eq=False, kw_only=True)
class Neighbourhoods:
    """The columns that belong to each of C centres, and where the centres lie.

    Centre c has the columns `members[starts[c]:starts[c + 1]]`, in increasing order; `words` says
    what the neighbourhoods are.

    >>> times = windows(1, np.array([0.0, 0.1, 0.2]), 3)
    >>> [times.of(c).tolist() for c in range(3)]
    [[0, 1], [0, 1, 2], [1, 2]]
    """

    starts: Ints
    members: Places
    geometry: Geometry
    words: str

    def __len__(self) -> int:
        return len(self.starts) - 1

    def of(self, centre: int) -> Places:
        """The columns of a centre."""
        return self.members[self.starts[centre] : self.starts[centre + 1]]

    @property
    def sizes(self) -> Ints:
        """How many columns each centre has."""
        return np.diff(self.starts)

    @property
    def columns(self) -> int:
        """How many columns the data must have, at least."""
        return int(self.members.max()) + 1

    def among(self, kept: Bools) -> "Neighbourhoods":
        """The same without the columns that are not kept; a centre may be left with none."""
        inside = kept[self.members]
        counted = np.concatenate([[0], np.cumsum(inside)])
        return Neighbourhoods(
            starts=counted[self.starts],
            members=self.members[inside],
            geometry=self.geometry,
            words=self.words,
        )


def _from_table(table: Places, geometry: Geometry, words: str) -> Neighbourhoods:
    """Neighbourhoods from a table (C, K) of columns, -1 where there is none."""
    inside = table >= 0
    starts = np.concatenate([[0], np.cumsum(inside.sum(axis=1))])
    return Neighbourhoods(starts=starts, members=table[inside], geometry=geometry, words=words)


# ----------------------------------------------------------------------------------------------
# Of the voxels of a volume.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Volume:
    """A grid of voxels: those in the mask are the columns, those in `centres` have a value.

    The affine goes from places in the grid to millimetres; without one, places are counted in
    voxels.
    """

    mask: Bools
    affine: Floats
    centres: Bools
    unit: str = "mm"

    @property
    def at(self) -> Ints:
        """Places of the centres in the grid (3, C)."""
        return np.array(np.nonzero(self.centres))

    @property
    def geometry(self) -> Geometry:
        """Where the centres lie."""
        at = self.at
        return Geometry(
            coordinates=at.T @ self.affine[:3, :3].T + self.affine[:3, 3],
            unit=self.unit,
            shape=self.mask.shape,
            indices=np.flatnonzero(self.centres),
            affine=self.affine,
        )

    def offsets(self, reach: float) -> tuple[Ints, Floats]:
        """Steps of the grid within so many millimetres, in the order of the grid; how long."""
        edges = self.affine[:3, :3]
        # the slab of steps along one axis is as far apart as rows of the inverse are short
        far = np.floor(reach * np.linalg.norm(np.linalg.inv(edges), axis=1) * (1 + ROUNDING))
        far = np.minimum(far, np.array(self.mask.shape) - 1).astype(int)
        axes = [np.arange(-steps, steps + 1) for steps in far]
        steps = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
        length = np.sqrt(((steps @ edges.T) ** 2).sum(axis=1))
        near = length <= reach * (1 + ROUNDING)
        return steps[near], length[near]

    def columns_at(self, steps: Ints) -> Places:
        """The columns (C, K) that so many steps lead to from every centre, -1 outside the mask."""
        pad = int(np.abs(steps).max(initial=0))
        number = np.full(tuple(size + 2 * pad for size in self.mask.shape), -1, dtype=np.int32)
        inner = number[(slice(pad, -pad or None),) * 3]
        inner[self.mask] = np.arange(np.count_nonzero(self.mask), dtype=np.int32)
        here = np.ravel_multi_index(tuple(self.at + pad), number.shape)
        strides = np.array(number.strides) // number.itemsize
        flat, away = number.ravel(), (steps @ strides)[None, :]
        found = np.empty((len(here), len(steps)), dtype=np.int32)
        rows = max(1, CELLS // max(1, len(steps)))
        for k in range(0, len(here), rows):
            found[k : k + rows] = flat[here[k : k + rows, None] + away]
        return found


def volume(mask: Array, affine: Array | None = None, centres: Array | None = None) -> Volume:
    """A checked mask with its affine; centres are all voxels of it unless others are given."""
    inside = np.asarray(mask)
    if inside.ndim != 3:
        raise DataError(f"a mask must have three axes; got shape {inside.shape}.")
    inside = _filled("mask", inside)
    matrix = np.eye(4) if affine is None else np.asarray(affine, dtype=float)
    if matrix.shape != (4, 4) or not abs(np.linalg.det(matrix[:3, :3])) > 0:
        raise DataError(f"an affine must be a regular 4 × 4 matrix; got shape {matrix.shape}.")
    unit = "voxels" if affine is None else "mm"
    if centres is None:
        return Volume(inside, matrix, inside, unit)
    chosen = np.asarray(centres)
    if chosen.shape != inside.shape:
        raise DataError(
            f"process_mask_img must have the shape of the mask, {inside.shape}; got {chosen.shape}."
        )
    return Volume(inside, matrix, _filled("process_mask_img", chosen) & inside, unit)


def _filled(name: str, mask: Array) -> Bools:
    if mask.dtype.kind == "f" and not np.isfinite(mask).all():
        raise DataError(f"{name} must hold no missing values; set them to 0.")
    inside = np.asarray(mask != 0)
    if not inside.any():
        raise DataError(f"{name} must hold a voxel that is not 0; it is empty.")
    return inside


def spheres(space: Volume, radius: float, *, voxels: bool = False) -> Neighbourhoods:
    """The voxels of the mask within a radius of each centre, in millimetres or in voxels.

    A distance equal to the radius counts, whatever rounding says: √3 voxels hold 27 of them.

    >>> block = volume(np.ones((5, 5, 5)))
    >>> [int(spheres(block, r).sizes.max()) for r in (1, 2**0.5, 3**0.5, 2)]
    [7, 19, 27, 33]
    """
    if not 0 <= radius < np.inf:
        raise DataError(f"radius must be a number from 0 on; got {radius!r}.")
    scale = Volume(space.mask, np.eye(4), space.centres) if voxels else space
    steps, _ = scale.offsets(float(radius))
    unit = "voxels" if voxels else space.unit
    words = f"spheres of radius {radius:g} {unit}"
    return _from_table(space.columns_at(steps), space.geometry, words)


def nearest(space: Volume, count: int) -> Neighbourhoods:
    """The voxels of the mask that are nearest to each centre, itself among them.

    Of voxels at the same distance those come first that stand first in the grid.

    >>> sorted(set(nearest(volume(np.ones((5, 5, 5))), 27).sizes.tolist()))
    [27]
    """
    many = int(np.count_nonzero(space.mask))
    if not 1 <= count <= many:
        raise DataError(
            f"neighbours must lie between 1 and the {many} voxels of the mask; got {count}."
        )
    cell = abs(np.linalg.det(space.affine[:3, :3])) ** (1 / 3)
    reach = cell * ((3 * count / (4 * np.pi)) ** (1 / 3) + 0.5)
    found = np.full((int(np.count_nonzero(space.centres)), count), -1, dtype=np.int32)
    todo = np.arange(len(found))
    while len(todo):
        steps, length = space.offsets(reach)
        order = np.argsort(np.round(length / cell, 6), kind="stable")
        part = Volume(space.mask, space.affine, _only(space.centres, todo))
        table = part.columns_at(steps[order])
        place = np.cumsum(table >= 0, axis=1)
        full = place[:, -1] >= count
        first = (table >= 0) & (place <= count)
        found[todo[full]] = table[full][first[full]].reshape(-1, count)
        todo, reach = todo[~full], 2 * reach
    found.sort(axis=1)
    return _from_table(found, space.geometry, f"the {count} nearest voxels")


def _only(centres: Bools, which: Ints) -> Bools:
    found = np.zeros(centres.shape, dtype=bool)
    found.flat[np.flatnonzero(centres)[which]] = True
    return found


def parcels(space: Volume, atlas: Array, names: Any = None) -> Neighbourhoods:
    """The voxels of each parcel of an atlas: whole numbers on the grid of the mask, 0 outside.

    >>> halves = parcels(volume(np.ones((2, 1, 1))), np.array([[[1]], [[2]]]))
    >>> halves.sizes.tolist(), halves.geometry.adjacency().nnz
    ([1, 1], 2)
    """
    found = np.asarray(atlas)
    if found.shape != space.mask.shape:
        raise DataError(
            f"parcels must have the shape of the mask, {space.mask.shape}; got {found.shape}."
        )
    if not (found == np.round(found)).all():
        raise DataError("parcels must be whole numbers, one for each region, and 0 outside.")
    inside = np.where(space.mask, found, 0).astype(np.int64)
    numbers, region = np.unique(inside, return_inverse=True)
    if numbers[0] != 0:
        region, numbers = region + 1, np.concatenate([[0], numbers])
    numbers, region = numbers[1:], region.reshape(inside.shape) - 1
    if not len(numbers):
        raise DataError("parcels must hold a region inside the mask; there is none.")
    called = dict(zip(numbers.tolist(), map(str, numbers.tolist()), strict=True))
    called |= {int(k): str(v) for k, v in dict(names or {}).items() if int(k) in called}
    of_column = region[space.mask]
    order = np.argsort(of_column, kind="stable")
    order = order[of_column[order] >= 0]
    starts = np.searchsorted(of_column[order], np.arange(len(numbers) + 1))
    at = np.array(np.nonzero(space.mask)).T @ space.affine[:3, :3].T + space.affine[:3, 3]
    centre = [at[order[a:b]].mean(axis=0) for a, b in pairwise(starts)]
    geometry = Geometry(
        coordinates=np.array(centre),
        unit=space.unit,
        shape=space.mask.shape,
        affine=space.affine,
        regions=region.ravel().astype(np.int32),
        pairs=_touching(region),
        names=tuple(called[int(number)] for number in numbers),
    )
    words = plural(len(numbers), "parcel")
    members = order.astype(np.int32)
    return Neighbourhoods(starts=starts, members=members, geometry=geometry, words=words)


def _touching(region: Ints) -> Ints:
    """Regions (E, 2) of which voxels share a face."""
    found = []
    for axis in range(region.ndim):
        near = np.moveaxis(region, axis, 0)
        both = np.stack([near[:-1].ravel(), near[1:].ravel()], axis=1)
        found.append(np.sort(both[(both >= 0).all(axis=1) & (both[:, 0] != both[:, 1])], axis=1))
    return np.unique(np.concatenate(found), axis=0)


# ----------------------------------------------------------------------------------------------
# Of vertices, sensors and time points.
# ----------------------------------------------------------------------------------------------


def pairs_of(adjacency: Any, many: int) -> Ints:
    """Neighbours (E, 2), each pair once, from a square matrix, pairs or triangles of vertices."""
    if hasattr(adjacency, "tocoo"):
        matrix = adjacency.tocoo()
        _square(matrix.shape, many)
        found = np.column_stack([matrix.row, matrix.col])[matrix.data != 0]
    else:
        given = unmasked(adjacency, "adjacency")
        if given.ndim != 2:
            raise DataError(f"adjacency must be a table; got shape {given.shape}.")
        if given.shape[1] == 3 and given.dtype.kind in "iu" and len(given) != 3:
            found = np.concatenate([given[:, [0, 1]], given[:, [1, 2]], given[:, [0, 2]]])
        elif given.shape[1] == 2 and given.dtype.kind in "iu" and len(given) != 2:
            found = given
        else:
            _square(given.shape, many)
            found = np.argwhere(given)
    if len(found) and not 0 <= found.min() <= found.max() < many:
        raise DataError(
            f"adjacency must name centres from 0 to {many - 1}; got {found.min()} to {found.max()}."
        )
    found = np.sort(found[found[:, 0] != found[:, 1]], axis=1)
    return np.unique(found, axis=0).astype(np.int64)


def _square(shape: Any, many: int) -> None:
    if tuple(shape) != (many, many):
        raise DataError(
            f"adjacency must be a table of {many} × {many}, pairs or triangles; got shape "
            f"{tuple(shape)}."
        )


def steps_away(pairs: Ints, many: int, steps: int = 1) -> Neighbourhoods:
    """Each of so many vertices with those that at most so many steps along pairs lead to.

    >>> steps_away(np.array([[0, 1], [1, 2]]), 3).sizes.tolist()
    [2, 3, 2]
    """
    from scipy.sparse import csr_array, eye_array

    if steps < 1:
        raise DataError(f"radius must be a step or more on a surface; got {steps}.")
    ones = np.ones(2 * len(pairs), dtype=np.int64)
    ends = (np.concatenate([pairs[:, 0], pairs[:, 1]]), np.concatenate([pairs[:, 1], pairs[:, 0]]))
    near = csr_array((ones, ends), shape=(many, many)) + eye_array(many, dtype=np.int64)
    found = near
    for _ in range(steps - 1):
        found = (found @ near).tocsr()
        found.data[:] = 1
    found = found.tocsr()
    found.sort_indices()
    return Neighbourhoods(
        starts=found.indptr.astype(np.int64),
        members=found.indices.astype(np.int32),
        geometry=Geometry(
            coordinates=np.arange(many, dtype=float)[:, None],
            axes=("vertex",),
            unit="",
            pairs=pairs,
        ),
        words=f"vertices at most {plural(steps, 'step')} away",
    )


def windows(
    sensors: int, times: Floats, width: int = 1, pairs: Ints | None = None, names: Any = ()
) -> Neighbourhoods:
    """Windows of time of so many points, of all sensors, or of each sensor and its neighbours.

    Columns are sensors × times, the times fastest. At both ends windows are cut.
    """
    if width < 1 or width % 2 == 0:
        raise DataError(f"window must be an odd number of time points; got {width}.")
    many, half = len(times), width // 2
    if width > many:
        raise DataError(f"window must be at most the {many} time points; got {width}.")
    after = np.arange(many)[:, None] + np.arange(-half, half + 1)
    after = np.where((after >= 0) & (after < many), after, -1)
    span = "" if width == 1 else f" in windows of {width} time points"
    if pairs is None:
        table = np.arange(sensors)[None, :, None] * many + after[:, None, :]
        table = np.where(after[:, None, :] < 0, -1, table).reshape(many, -1)
        geometry = Geometry(
            coordinates=np.asarray(times, float)[:, None],
            axes=("time",),
            unit="s",
            shape=(many,),
            indices=np.arange(many),
        )
        return _from_table(table.astype(np.int32), geometry, f"all sensors{span}")
    around = steps_away(pairs, sensors)
    width_of = int(around.sizes.max())
    near = np.full((sensors, width_of), -1, dtype=np.int64)
    for s in range(sensors):
        near[s, : around.sizes[s]] = around.of(s)
    table = near[:, None, :, None] * many + after[None, :, None, :]
    table = np.where((near[:, None, :, None] < 0) | (after[None, :, None, :] < 0), -1, table)
    number = np.arange(sensors * many).reshape(sensors, many)
    in_time = np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], axis=1)
    across = np.concatenate(
        [np.stack([number[a], number[b]], axis=1) for a, b in pairs]
        or [np.empty((0, 2), dtype=np.int64)]
    )
    geometry = Geometry(
        coordinates=np.column_stack(
            [np.repeat(np.arange(sensors), many), np.tile(np.asarray(times, float), sensors)]
        ),
        axes=("sensor", "time"),
        unit="s",
        pairs=np.concatenate([in_time, across]),
        names=tuple(str(name) for name in names for _ in range(many)),
    )
    words = f"each sensor with its neighbours{span}"
    return _from_table(table.reshape(sensors * many, -1).astype(np.int32), geometry, words)


def checked(found: Neighbourhoods, columns: int) -> Neighbourhoods:
    """Neighbourhoods of so many columns in which nobody is alone; else the reason."""
    if not len(found):
        raise NotApplicable("a map needs a centre; process_mask_img and the mask share none.")
    if found.columns > columns:
        raise DataError(
            f"neighbourhoods name column {found.columns}; the data have {columns} columns."
        )
    return found
