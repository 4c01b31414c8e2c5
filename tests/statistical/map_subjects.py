"""Maps of made-up subjects: smooth noise on a small grid, with or without a signal."""

from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter

from abovechance.arrays import Array
from abovechance.maps import Geometry, SubjectMap


def volume(*shape: int, millimetres: float = 3.0) -> Geometry:
    """Every cell of a grid is a centre; the axes of a volume run from left, back and below."""
    places = np.arange(int(np.prod(shape)))
    cells = np.array(np.unravel_index(places, shape)).T
    if len(shape) < 3:
        axes = ("time",) if len(shape) == 1 else ("training time", "test time")
        return Geometry(coordinates=0.1 * cells, axes=axes, unit="s", shape=shape, indices=places)
    affine = np.diag([millimetres] * 3 + [1.0])
    affine[:3, 3] = [-20.0, -30.0, 10.0]
    at = cells @ affine[:3, :3].T + affine[:3, 3]
    return Geometry(coordinates=at, shape=shape, indices=places, affine=affine)


def smooth(
    rng: np.random.Generator, many: int, shape: tuple[int, ...], width: float = 1.2
) -> Array:
    """Maps of smooth noise (many, V), standard normal at each centre."""
    raw = rng.normal(size=(many, *shape))
    found = gaussian_filter(raw, (0, *[width] * len(shape)), mode="wrap")
    # of noise that is smoothed round the grid the variance is the kernel's sum of squares
    point = np.zeros(shape)
    point[(0,) * len(shape)] = 1.0
    kernel = gaussian_filter(point, width, mode="wrap")
    return (found / np.sqrt((kernel**2).sum())).reshape(many, -1)


def subject(
    observed: Any, null: Any, geometry: Geometry, *, chance: float | None = None, **facts: Any
) -> SubjectMap:
    """A map with these values."""
    known: dict[str, Any] = {
        "statistic": "srivastava_du" if chance is None else "lda.cv8",
        "title": "Srivastava–Du" if chance is None else "Accuracy",
        "sizes": np.full(len(geometry), 27),
        "neighbourhood": "27 nearest voxels",
        "n": 40,
        "classes": ("a", "b"),
        "class_sizes": (20, 20),
        "hypothesis": "features have the same distribution in all classes",
        "seed": 1,
    }
    kept = np.asarray(observed, dtype=np.float32).astype(np.float64)
    many = np.asarray(null, dtype=np.float32).reshape(-1, len(geometry))
    return SubjectMap(observed=kept, null=many, geometry=geometry, chance=chance, **known | facts)


def group(
    rng: np.random.Generator,
    geometry: Geometry,
    subjects: int = 12,
    maps: int = 50,
    *,
    signal: Array | float = 0.0,
    chance: float | None = None,
) -> list[SubjectMap]:
    """Subjects whose maps are smooth noise, the observed one with a signal."""
    assert geometry.shape is not None
    found = []
    for _ in range(subjects):
        made = smooth(rng, maps + 1, geometry.shape)
        found.append(subject(made[0] + signal, made[1:], geometry, chance=chance))
    return found


def ball(geometry: Geometry, radius: float) -> Array:
    """1 within so many cells of the middle of the grid, 0 elsewhere."""
    assert geometry.shape is not None
    assert geometry.indices is not None
    cells = np.array(np.unravel_index(geometry.indices, geometry.shape)).T
    middle = np.array(geometry.shape) // 2
    return (((cells - middle) ** 2).sum(axis=1) <= radius**2).astype(float)
