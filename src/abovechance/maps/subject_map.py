"""What a map is: a value at every centre, its null maps, and where the centres lie."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from abovechance import __version__
from abovechance.advice import Advice
from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import NotApplicable, listed
from abovechance.inference.results import Result
from abovechance.io.export import jsonable
from abovechance.paths import written
from abovechance.resampling.tails import p_values

Singles = npt.NDArray[np.float32]
Touching = Literal["faces", "edges", "corners"]
POINTS = 60
"""Values at which centres are counted."""

SHARED = {"faces": 1, "edges": 2, "corners": 3}
"""In how many directions of a grid two neighbours may differ, at most."""


# ----------------------------------------------------------------------------------------------
# Where the centres of a map lie, and which are neighbours.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class Geometry:
    """Where the V centres of a map lie, and which of them are next to each other.

    Centres of a volume, of a row of times or of a plane of two times are cells of a grid: `shape`
    is the grid's and `indices` their places in it, flat, the last axis fastest. Others, as the
    vertices of a surface, have `pairs` of neighbours instead.

    Parameters
    ----------
    coordinates
        Of the centres (V, d), in `unit`.
    axes
        What the d coordinates are called.
    unit
        What they are measured in.
    shape, indices
        Of a grid: its size, and the place of every centre in it.
    affine
        Of a volume: from places in the grid to millimetres (4, 4).
    regions
        Of parcels: the number of the parcel at every place of the grid, -1 outside.
    pairs
        Without cells of a grid: neighbours (E, 2), each pair once.
    names
        What the centres are called, as the parcels of an atlas.

    See Also
    --------
    SubjectMap : values at these centres.

    Examples
    --------
    >>> row = Geometry(coordinates=np.array([[0.0], [0.1]]), axes=("time",), unit="s",
    ...                shape=(2,), indices=np.arange(2))
    >>> row.adjacency().toarray().tolist()
    [[0, 1], [1, 0]]
    """

    coordinates: Floats
    axes: tuple[str, ...] = ("x", "y", "z")
    unit: str = "mm"
    shape: tuple[int, ...] | None = None
    indices: Ints | None = None
    affine: Floats | None = None
    regions: npt.NDArray[np.int32] | None = None
    pairs: Ints | None = None
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        """How many centres there are."""
        return len(self.coordinates)

    def adjacency(self, touching: Touching = "faces") -> Any:
        """Which centres are neighbours (V, V), as a sparse matrix of ones in rows (CSR).

        Cells of a grid are neighbours when they share a face (6 of them in a volume), an edge too
        (18) or a corner too (26).
        """
        from scipy.sparse import csr_array

        pairs = self._grid_pairs(touching) if self.pairs is None else self.pairs
        rows = np.concatenate([pairs[:, 0], pairs[:, 1]])
        columns = np.concatenate([pairs[:, 1], pairs[:, 0]])
        ones = np.ones(len(rows), dtype=np.int8)
        found = csr_array((ones, (rows, columns)), shape=(len(self), len(self)))
        found.sort_indices()
        return found

    def _grid_pairs(self, touching: Touching) -> Ints:
        shape, indices = self._grid()
        number = np.full(tuple(size + 2 for size in shape), -1, dtype=np.int64)
        inner = number[(slice(1, -1),) * len(shape)]
        inner.flat[indices] = np.arange(len(indices))
        here = np.array(np.unravel_index(indices, shape)) + 1
        found = []
        for step in np.ndindex((3,) * len(shape)):
            offset = np.array(step) - 1
            moved = np.count_nonzero(offset)
            if not 0 < moved <= SHARED[touching] or tuple(offset) < (0,) * len(shape):
                continue
            there = number[tuple(here + offset[:, None])]
            both = np.flatnonzero(there >= 0)
            found.append(np.column_stack([both, there[both]]))
        return np.concatenate(found) if found else np.empty((0, 2), dtype=np.int64)

    def as_volume(self, values: Array, fill: float = 0.0) -> Array:
        """Values (…, V) at their places in the grid (…, and its shape), `fill` elsewhere."""
        given = np.asarray(values)
        if self.regions is not None and self.shape is not None:
            painted = np.where(self.regions < 0, fill, given[..., self.regions])
            return painted.astype(given.dtype).reshape(*given.shape[:-1], *self.shape)
        shape, indices = self._grid()
        found = np.full((*given.shape[:-1], int(np.prod(shape))), fill, dtype=given.dtype)
        found[..., indices] = given
        return found.reshape(*given.shape[:-1], *shape)

    def _grid(self) -> tuple[tuple[int, ...], Ints]:
        if self.shape is None or self.indices is None:
            raise NotApplicable(
                "these centres are not cells of a grid; use their coordinates and adjacency()."
            )
        return self.shape, self.indices

    def facts(self) -> dict[str, Any]:
        """What is said of it in JSON."""
        found: dict[str, Any] = {"centres": len(self), "axes": list(self.axes), "unit": self.unit}
        if self.shape is not None:
            found["shape"] = list(self.shape)
        if self.affine is not None:
            found["affine"] = self.affine.tolist()
        return found


# ----------------------------------------------------------------------------------------------
# A statistic at every centre, of one subject.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class SubjectMap(Result, kind="subject_map"):
    """A statistic in every neighbourhood of one subject's data, and under permuted labels.

    Permutation m is the same labelling at all centres, so `null[m]` is a map as chance would make
    it, with the dependence between centres that the data have. Values are kept to the precision of
    32-bit numbers, the observed ones too, so that ties stay ties.

    Parameters
    ----------
    observed
        The statistic at the V centres.
    null
        The same under M permutations of the labels (M, V); may be mapped from a file.
    chance
        What the statistic is when classes do not differ, where that is known: of an accuracy of
        classes of equal size.
    statistic, title
        Its declared name, and what it is in words.
    sizes
        How many voxels, sensors or time points each neighbourhood holds.
    geometry
        Where the centres lie.
    neighbourhood
        What the neighbourhoods are, in words.
    n, classes, class_sizes
        Trials, classes, and trials in each class.
    runs
        Number of runs within which labels were permuted; None if they were permuted freely.
    folds
        Where accuracies come from: "runs", each left out in turn, or "drawn" as in `detect`.
    hypothesis
        What the p-values test.
    seed
        Of the permutations.
    subject
        Whose map it is.
    advice
        What a reader should know.

    See Also
    --------
    Geometry : where the centres lie.
    SubjectMaps : several of them.

    Examples
    --------
    >>> row = Geometry(coordinates=np.array([[0.0], [0.1]]), axes=("time",), unit="s",
    ...                shape=(2,), indices=np.arange(2))
    >>> one = SubjectMap(
    ...     observed=np.array([0.9, 0.5]), null=np.array([[0.5, 0.6], [0.4, 0.5], [0.6, 0.4]]),
    ...     chance=0.5, statistic="lda.cv8", title="Accuracy", sizes=np.array([3, 3]),
    ...     geometry=row, neighbourhood="all sensors", n=10, classes=("a", "b"),
    ...     class_sizes=(5, 5), hypothesis="no difference", seed=1)
    >>> one.p_values
    array([0.25, 0.75])
    """

    observed: Floats
    null: Singles
    chance: float | None
    statistic: str
    title: str
    sizes: Ints
    geometry: Geometry
    neighbourhood: str
    n: int
    classes: tuple[str, ...]
    class_sizes: tuple[int, ...]
    runs: int | None = None
    folds: Literal["runs", "drawn"] | None = None
    hypothesis: str
    seed: int
    subject: str = ""
    described: str = ""
    advice: tuple[Advice, ...] = field(default=())

    @property
    def draws(self) -> int:
        """Number of null maps."""
        return len(self.null)

    @cached_property
    def p_values(self) -> Floats:
        """How often a permutation does as well at the same centre: (b + 1) / (M + 1)."""
        step = max(1, 2**22 // max(1, self.draws))
        parts = [
            p_values(self.observed[k : k + step], self.null[:, k : k + step])
            for k in range(0, len(self.observed), step)
        ]
        return np.concatenate(parts)

    @cached_property
    def reached(self) -> dict[str, list[float]]:
        """The share of centres that reach each of some values, here and in null maps."""
        finite = self.observed[np.isfinite(self.observed)]
        bottom = float(np.median(self.null[0]))
        top = max(float(finite.max(initial=bottom)), float(np.median(self.null.max(axis=1))))
        values = np.linspace(bottom, top if np.isfinite(top) else bottom + 1.0, POINTS)
        shares = np.array([_shares_above(one, values) for one in self.null])
        low, middle, high = np.quantile(shares, [0.05, 0.5, 0.95], axis=0)
        return {
            "value": values.tolist(),
            "observed": _shares_above(self.observed, values).tolist(),
            "low": low.tolist(),
            "null": middle.tolist(),
            "high": high.tolist(),
        }

    @cached_property
    def course(self) -> dict[str, list[float]] | None:
        """Along a row of centres, as of times: values, and where nine in ten null values lie."""
        if self.geometry.shape is None or len(self.geometry.shape) != 1:
            return None
        low, middle, high = np.quantile(self.null, [0.05, 0.5, 0.95], axis=0)
        return {
            "at": self.geometry.coordinates[:, 0].tolist(),
            "observed": self.observed.tolist(),
            "low": low.tolist(),
            "null": middle.tolist(),
            "high": high.tolist(),
        }

    def as_volume(self, values: Array | None = None, fill: float = 0.0) -> Array:
        """The observed values, or others at the same centres, at their places in the grid."""
        return self.geometry.as_volume(self.observed if values is None else values, fill)

    def to_dict(self) -> dict[str, Any]:
        """What is known of the map, without the values at its centres."""
        peak = int(np.argmax(self.observed))
        facts = {
            "abovechance": __version__,
            "kind": self.kind,
            "subject": self.subject,
            "statistic": self.statistic,
            "title": self.title,
            "chance": self.chance,
            "n": self.n,
            "classes": list(self.classes),
            "class_sizes": list(self.class_sizes),
            "runs": self.runs,
            "folds": self.folds,
            "hypothesis": self.hypothesis,
            "rule": "(b + 1) / (m + 1)",
            "draws": self.draws,
            "seed": self.seed,
            "neighbourhood": self.neighbourhood,
            "sizes": [int(self.sizes.min()), float(np.median(self.sizes)), int(self.sizes.max())],
            "geometry": self.geometry.facts(),
            "largest": {
                "value": float(self.observed[peak]),
                "p_value": float(self.p_values[peak]),
                "at": self.geometry.coordinates[peak].tolist(),
            },
            "median": float(np.median(self.observed)),
            "null_mean": float(np.mean(self.null, dtype=np.float64)),
            "least_p": float(self.p_values.min()),
            "at_least_p": int((self.p_values == self.p_values.min()).sum()),
            "reached": self.reached,
            "course": self.course,
            "described": self.described,
            "advice": [vars(one) for one in self.advice],
        }
        found: dict[str, Any] = jsonable(facts)
        return found

    def rows(self) -> list[dict[str, Any]]:
        """A row for every centre: coordinates, size of the neighbourhood, value and p."""
        names = self.geometry.names or ("",) * len(self.geometry)
        found = []
        for v, place in enumerate(self.geometry.coordinates):
            row: dict[str, Any] = {"name": names[v]} if self.geometry.names else {}
            row |= dict(zip(self.geometry.axes, place.tolist(), strict=True))
            row |= {
                "size": int(self.sizes[v]),
                "value": float(self.observed[v]),
                "p_value": float(self.p_values[v]),
            }
            found.append(row)
        return found

    def write(self, folder: str | PathLike[str]) -> list[Path]:
        """Files of the map in a folder: images where it is a volume, JSON, null maps.

        `read_map` reads them back.
        """
        from abovechance.maps.map_files import write_map

        with written(folder):
            return write_map(self, folder)


def _shares_above(values: Array, limits: Floats) -> Floats:
    """Which share of values reaches each of some limits.

    >>> _shares_above(np.array([1.0, 2.0, 3.0, 3.0]), np.array([0.0, 2.0, 3.5])).tolist()
    [1.0, 0.75, 0.0]
    """
    order = np.sort(values)
    return np.asarray(1 - np.searchsorted(order, limits, side="left") / len(order))


@dataclass(frozen=True, kw_only=True, eq=False)
class SubjectMaps(Result, kind="subject_maps"):
    """Maps of several subjects, to be combined by `group_maps`.

    Parameters
    ----------
    maps
        One of each subject, in order.
    seed
        From which those of the subjects follow.
    described
        What was read.
    advice
        What a reader should know of all of them.

    See Also
    --------
    SubjectMap : one of them.

    Examples
    --------
    >>> import abovechance as ac
    >>> subjects = ac.maps.simulate_subjects(3, voxel=20, rng=1)
    >>> maps = ac.searchlight(subjects.images, subjects.labels, mask=subjects.mask,
    ...                       affine=subjects.affine, neighbours=7, draws=9, rng=1)
    >>> len(maps), maps["sub-02"].subject
    (3, 'sub-02')
    """

    maps: tuple[SubjectMap, ...]
    seed: int
    described: str = ""
    advice: tuple[Advice, ...] = ()

    def __len__(self) -> int:
        """How many subjects there are."""
        return len(self.maps)

    def __iter__(self) -> Iterator[SubjectMap]:
        """Each subject's map."""
        return iter(self.maps)

    def __getitem__(self, which: int | str) -> SubjectMap:
        """A subject's map by number or name."""
        if isinstance(which, str):
            named = {one.subject: one for one in self.maps}
            if which not in named:
                raise NotApplicable(
                    f"there is no subject {which!r}; there are {listed(list(named))}."
                )
            return named[which]
        return self.maps[which]

    def write(self, folder: str | PathLike[str]) -> list[Path]:
        """Files of every subject in a folder of its own."""
        return [path for one in self.maps for path in one.write(Path(folder) / one.subject)]

    def to_dict(self) -> dict[str, Any]:
        """What is known of the maps, without the values at their centres."""
        return {
            "abovechance": __version__,
            "kind": self.kind,
            "maps": [one.to_dict() for one in self.maps],
            "seed": self.seed,
            "described": self.described,
            "advice": [vars(one) for one in self.advice],
        }

    def rows(self) -> list[dict[str, Any]]:
        """A row for every subject."""
        kept = ("subject", "statistic", "n", "runs", "draws", "seed", "median", "null_mean")
        found = []
        for one in self.maps:
            facts = one.to_dict()
            largest = facts["largest"]
            row = {name: facts[name] for name in kept}
            found.append(row | {"largest": largest["value"], "p_value": largest["p_value"]})
        return found
