"""Simulated subjects: a brain of known active regions in smooth noise."""

import math
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import DataError
from abovechance.format import thousands
from abovechance.gate import Matrix
from abovechance.maps.images import nibabel, space_of
from abovechance.maps.neighbourhoods import Neighbourhoods, Volume, nearest, spheres, volume
from abovechance.resampling.replicates import child_seed
from abovechance.settings import positive, seed_of, share, whole_number

BRAIN = (70.0, 88.0, 64.0)
"""Half axes in millimetres of an ellipsoid as large as a brain in MNI space."""

MIDDLE = (0.0, -18.0, 10.0)  # its middle, in the coordinates of MNI space
REGIONS = ((-48.0, -24.0, 8.0, 16.0), (48.0, -24.0, 8.0, 16.0))
"""Active regions unless stated: x, y, z and radius, about where voices are heard on both sides."""

MOST = 2**29  # numbers that are simulated at most: 4 GB of them
WIDTH = 2.0 * (2.0 * np.log(2.0)) ** 0.5
"""Full width at half maximum of a normal curve, in standard deviations."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SimulatedSubjects:
    """Data of subjects in which it is known where classes differ.

    Parameters
    ----------
    images
        Trials × voxels of the mask, of each subject.
    labels, runs
        The class and the run of every trial, the same for all subjects.
    mask
        Which places of the grid are brain.
    affine
        From places in the grid to millimetres.
    active
        Which voxels of the mask differ between classes.
    carriers
        Which subjects have the difference.

    See Also
    --------
    simulate_subjects : makes them.

    Examples
    --------
    >>> subjects = simulate_subjects(2, voxel=16, rng=1)
    >>> int(subjects.active.sum()), subjects.images[0].shape
    (6, (40, 395))
    """

    images: tuple[Floats, ...]
    labels: Ints
    runs: Ints
    mask: Bools
    affine: Floats
    active: Bools
    carriers: Bools

    @property
    def space(self) -> Volume:
        """Mask and affine as the grid of a map."""
        return volume(self.mask, self.affine)

    def truth(
        self,
        *,
        radius: float | None = None,
        radius_unit: Literal["mm", "voxels"] = "mm",
        neighbours: int | None = None,
    ) -> Bools:
        """Which centres have an active voxel in their neighbourhood, as `searchlight` makes it."""
        around: Neighbourhoods
        if radius is not None:
            around = spheres(self.space, radius, voxels=radius_unit == "voxels")
        else:
            around = nearest(self.space, 27 if neighbours is None else neighbours)
        return np.asarray(np.logical_or.reduceat(self.active[around.members], around.starts[:-1]))

    def image(self, subject: int) -> Any:
        """A subject's data as an image of nibabel, trials last."""
        cells = np.zeros((*self.mask.shape, len(self.labels)), dtype=np.float32)
        cells[self.mask] = self.images[subject].T
        return nibabel().Nifti1Image(cells, self.affine)

    def write(self, folder: str | PathLike[str]) -> list[Path]:
        """Files as `abovechance searchlight` reads them: sub-01/bold.nii.gz, …, labels, mask."""
        library, place = nibabel(), Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        written = [place / "mask.nii.gz", place / "labels.tsv"]
        library.save(library.Nifti1Image(self.mask.astype(np.uint8), self.affine), written[0])
        rows = [f"{label}\t{run}" for label, run in zip(self.labels, self.runs, strict=True)]
        written[1].write_text("\n".join(["label\trun", *rows]) + "\n", "utf-8")
        for number in range(len(self.images)):
            path = place / f"sub-{number + 1:02d}" / "bold.nii.gz"
            path.parent.mkdir(exist_ok=True)
            library.save(self.image(number), path)
            written.append(path)
        return written


def simulate_subjects(
    subjects: int = 12,
    *,
    trials: int = 40,
    runs: int = 4,
    effect: float = 1.0,
    between: float = 0.25,
    prevalence: float = 1.0,
    regions: Matrix = REGIONS,
    pattern: Literal["uniform", "mixed"] = "uniform",
    smoothness: float = 8.0,
    voxel: float = 8.0,
    mask: Any = None,
    rng: Any = None,
) -> SimulatedSubjects:
    """Simulate subjects whose trials of two classes differ in known regions of a brain.

    A trial is smooth normal noise of standard deviation 1 in every voxel. In the regions, trials of
    class 1 are shifted by the subject's effect.

    Parameters
    ----------
    subjects
        How many.
    trials
        Trials of each subject, half of them of each class in every run.
    runs
        Runs of each subject.
    effect
        Mean shift in the regions, in standard deviations of the noise.
    between
        Standard deviation of the shift between subjects.
    prevalence
        Share of the subjects that have the shift at all; the first ones do.
    regions
        Active balls: x, y, z and radius in millimetres.
    pattern
        "uniform": all voxels of the regions shift in the same direction; "mixed": each up or down
        at random, in every subject another way, so that averages over voxels or subjects show
        nothing.
    smoothness
        Full width at half maximum, in millimetres, of the normal curve that noise is smoothed with.
    voxel
        Length of the edge of a voxel in millimetres.
    mask
        Another brain: a file, an image or an array, as nilearn's
        `datasets.load_mni152_brain_mask()`; an ellipsoid of the size of MNI's when not given.
    rng
        Seed of all draws.

    Returns
    -------
    SimulatedSubjects
        Data, labels, runs, mask, and where classes differ.

    Raises
    ------
    DataError
        If the numbers do not fit together.

    See Also
    --------
    searchlight : maps them.

    Examples
    --------
    >>> found = simulate_subjects(2, voxel=16, rng=1)
    >>> found.labels[:4].tolist(), found.runs[[0, 39]].tolist()
    ([0, 1, 0, 1], [1, 4])
    """
    whole_number("subjects", subjects)
    whole_number("runs", runs)
    if whole_number("trials", trials, 2) % (2 * runs):
        raise DataError(
            f"trials must be divisible by twice the {runs} runs, so that classes are of one size "
            f"in each; got {trials}."
        )
    positive("voxel", voxel)
    if mask is None:
        brain = 4 / 3 * np.pi * math.prod(BRAIN)
        _enough_room(subjects * trials * brain / max(voxel**3, 1e-99))
    for name, value in (("effect", effect), ("between", between)):
        if not math.isfinite(value):
            raise DataError(f"{name} must be a finite number; got {value}.")
    if prevalence != 1.0:
        share("prevalence", prevalence)
    space = _brain(voxel) if mask is None else space_of(mask)
    long = float(np.linalg.norm(space.affine[:3, :3] @ space.mask.shape))
    if not 0 <= smoothness <= long:
        raise DataError(
            f"smoothness must lie between 0 and the {long:.0f} mm from end to end; "
            f"got {smoothness:g}."
        )
    balls = np.asarray(regions)
    if balls.shape[1:] != (4,):
        raise DataError(
            f"regions must be four numbers each, x, y, z and radius; got shape {balls.shape}."
        )
    at = np.array(np.nonzero(space.mask)).T @ space.affine[:3, :3].T + space.affine[:3, 3]
    active = np.zeros(len(at), dtype=bool)
    for ball in balls:
        active |= ((at - ball[:3]) ** 2).sum(axis=1) <= ball[3] ** 2
    if effect and not active.any():
        raise DataError("regions must hold a voxel of the mask; there is none. Make them larger.")
    labels = np.tile([0, 1], trials // 2)
    carriers = np.arange(subjects) < round(prevalence * subjects)
    seed = seed_of(rng)
    images = []
    for number in range(subjects):
        stream = np.random.default_rng(child_seed(seed, "subject", number))
        X = _noise(space, trials, smoothness, stream)
        shift = (effect + between * stream.normal()) * carriers[number] if effect else 0.0
        signs = np.ones(int(active.sum()))
        if pattern == "mixed":
            signs = stream.choice([-1.0, 1.0], size=len(signs))
        X[:, active] += shift * labels[:, None] * signs
        images.append(X)
    return SimulatedSubjects(
        images=tuple(images),
        labels=labels,
        runs=np.repeat(np.arange(1, runs + 1), trials // runs),
        mask=space.mask,
        affine=space.affine,
        active=active,
        carriers=carriers,
    )


def _enough_room(numbers: float) -> None:
    if not numbers <= MOST:
        raise DataError(
            f"subjects × trials × voxels must be at most {thousands(MOST)} numbers, 4 GB of "
            f"memory; these would be {numbers:.1g}. Ask for fewer subjects or larger voxels."
        )


def _brain(voxel: float) -> Volume:
    """An ellipsoid of the size and place of a brain in MNI space."""
    steps = [int(np.ceil(half / voxel)) for half in BRAIN]
    axes = [voxel * np.arange(-k, k + 1) for k in steps]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"))
    mask = sum((axis / half) ** 2 for axis, half in zip(grid, BRAIN, strict=True)) <= 1.0
    affine = np.diag([voxel, voxel, voxel, 1.0])
    affine[:3, 3] = np.array(MIDDLE) - voxel * np.array(steps)
    return volume(np.asarray(mask), affine)


def _noise(space: Volume, trials: int, smoothness: float, rng: np.random.Generator) -> Array:
    """Smooth noise (trials, voxels) of variance 1 everywhere: the grid is closed to a ring."""
    from scipy.ndimage import gaussian_filter

    edges = np.linalg.norm(space.affine[:3, :3], axis=0)
    width = np.asarray(smoothness) / WIDTH / edges
    single = np.zeros(space.mask.shape)
    single[(0, 0, 0)] = 1.0
    scale = np.sqrt((gaussian_filter(single, width, mode="wrap") ** 2).sum())
    found = np.empty((trials, int(np.count_nonzero(space.mask))))
    for trial in range(trials):
        field = rng.normal(size=space.mask.shape)
        found[trial] = (gaussian_filter(field, width, mode="wrap") / scale)[space.mask]
    return found
