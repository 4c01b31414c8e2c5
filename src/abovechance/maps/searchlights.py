"""Where is the signal? `searchlight`: a statistic around every voxel, with its null maps."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import DataError, NotApplicable, listed
from abovechance.format import plural
from abovechance.gate import Matrix
from abovechance.inference.detection import statistic_of, with_seeds
from abovechance.inference.permutation import scheme_of
from abovechance.learning.from_sklearn import recognise
from abovechance.learning.learners import Estimator
from abovechance.learning.schemes import VFold
from abovechance.maps.engine import MapWork, computed, one_store, required
from abovechance.maps.images import (
    data_of,
    is_masker,
    numbers_of,
    on_grid,
    space_of,
    subjects_of,
    trials_are_finite,
)
from abovechance.maps.neighbourhoods import (
    Neighbourhoods,
    Volume,
    checked,
    nearest,
    pairs_of,
    spheres,
    steps_away,
)
from abovechance.maps.neighbourhoods import (
    parcels as parcels_of,
)
from abovechance.maps.subject_map import SubjectMap, SubjectMaps
from abovechance.resampling import LabelPermutations
from abovechance.resampling.draws import labellings
from abovechance.resampling.replicates import child_seed
from abovechance.settings import Settings, settled
from abovechance.signal import Accuracy, AnyStatistic, classes_of, holds_numbers, present

LEVEL = 0.05  # of the usual tests, by which it is said what a single subject can show
NEIGHBOURS = 27
"""Voxels of a neighbourhood unless stated, as many as a cube of three has."""

STILL = 1e-14  # spread, as a share of its size, by which a voxel that varies exceeds rounding


# ----------------------------------------------------------------------------------------------
# Labels of the trials, the runs they come from, and how they may be permuted.
# ----------------------------------------------------------------------------------------------


def outcome_of(labels: Any, n: int, name: str) -> tuple[Ints, Array]:
    """Class numbers of the trials, and the classes."""
    if holds_numbers(labels):
        raise DataError(
            "labels must be classes; they hold numbers that look like measurements. Cut them into "
            "classes, or write classes as text."
        )
    found = present("labels", labels)
    if found.shape != (n,):
        raise DataError(
            f"labels of {name} must be one for each of its {n} trials; got {found.size}."
        )
    numbers, classes = classes_of(found, n)
    if len(classes) < 2:
        raise DataError(f"labels of {name} must hold two classes or more; got {classes[0]} alone.")
    return numbers, classes


def runs_of(runs: Any, outcome: Ints, name: str) -> Ints | None:
    """The number of the run of every trial; refused where nothing could be permuted within."""
    if runs is None:
        return None
    found = present("runs", runs)
    if found.shape != outcome.shape:
        raise DataError(
            f"runs of {name} must be one for each of its {len(outcome)} trials; got {found.size}."
        )
    _, number, sizes = np.unique(found, return_inverse=True, return_counts=True)
    if len(sizes) < 2:
        raise DataError(f"runs of {name} must be two or more; got one. Leave runs out.")
    if sizes.max() == 1:
        raise NotApplicable(
            f"labels are permuted within runs, and every run of {name} has one trial only. Leave "
            "runs out to permute freely."
        )
    if all(len(np.unique(outcome[number == k])) == 1 for k in range(len(sizes))):
        raise NotApplicable(
            f"labels are permuted within runs, and every run of {name} holds one class only. Leave "
            "runs out to permute freely."
        )
    return number.astype(np.int64)


def permutations_of(outcome: Ints, runs: Ints | None) -> Any:
    """How labels may be permuted: within runs, or freely; as `detect` does."""
    if runs is not None:
        return scheme_of(outcome, "within", runs)
    return (
        LabelPermutations(outcome == 1)
        if outcome.max() == 1
        else scheme_of(outcome, "labels", None)
    )


def statistic_for(
    asked: Any, seed: int, runs: Ints | None
) -> tuple[AnyStatistic, Literal["runs", "drawn"] | None]:
    """The statistic, with each run left out in turn where there are runs; where folds come from."""
    (statistic,) = with_seeds([statistic_of(asked)], seed)
    if not isinstance(statistic, Accuracy):
        return statistic, None
    if isinstance(statistic.learner, Estimator):  # one of scikit-learn's that has a fast form
        known = recognise(statistic.learner.estimator)
        statistic = statistic if known is None else replace(statistic, learner=known)
    if runs is None or not isinstance(statistic.scheme, VFold):
        return statistic, "drawn"
    return replace(statistic, scheme=VFold(int(runs.max()) + 1)), "runs"


def title_of(statistic: AnyStatistic, folds: str | None, outcome: Ints) -> str:
    """What the statistic is, in words."""
    if folds == "runs" and isinstance(statistic, Accuracy):
        return f"{statistic.title.partition(',')[0]}, each run left out in turn"
    several = getattr(statistic, "several", None)
    return str(several.title if outcome.max() > 1 and several is not None else statistic.title)


def chance_of(statistic: AnyStatistic, outcome: Ints) -> float | None:
    """What an accuracy is when classes do not differ, known of classes of one size."""
    if not isinstance(statistic, Accuracy):
        return None
    sizes = np.bincount(outcome)
    if statistic.scaling == "plain":
        return 1 / len(sizes) if (sizes == sizes[0]).all() else None
    return 0.0 if statistic.scaling == "z" and (sizes == sizes[0]).all() else None


# ----------------------------------------------------------------------------------------------
# One subject's map.
# ----------------------------------------------------------------------------------------------


def mapped(
    X: Floats,
    labels: Any,
    runs: Any,
    around: Neighbourhoods,
    asked: Any,
    settings: Settings,
    *,
    subject: str,
    space: Volume | None = None,
    file: Path | None = None,
    before: int = 0,
    total: int | None = None,
    kind: Callable[..., MapWork] = MapWork,
) -> SubjectMap:
    """The map of one subject from trials × columns, by one kind of work."""
    trials_are_finite(X, subject, space)
    outcome, classes = outcome_of(labels, len(X), subject)
    chunks = runs_of(runs, outcome, subject)
    around, still = _varying(X, around, subject, "voxel" if space is not None else "column")
    statistic, folds = statistic_for(asked, settings.seed, chunks)
    required(statistic, X, around, outcome)
    work = kind(
        X,
        around.starts,
        around.members,
        outcome,
        statistic,
        permutations_of(outcome, chunks),
        settings.flips,
        settings.seed,
        chunks if folds == "runs" else None,
    )
    observed, null = computed(work, settings, file, before=before, total=total)
    within = "" if chunks is None else "within runs, "
    return SubjectMap(
        observed=observed,
        null=null,
        chance=chance_of(statistic, outcome),
        statistic=statistic.name,
        title=title_of(statistic, folds, outcome),
        sizes=np.repeat(around.sizes, len(observed) // len(around)),
        geometry=around.geometry,
        neighbourhood=around.words,
        n=len(X),
        classes=tuple(str(one) for one in classes),
        class_sizes=tuple(int(k) for k in np.bincount(outcome)),
        runs=None if chunks is None else int(chunks.max()) + 1,
        folds=folds,
        hypothesis=f"{within}the neighbourhood's values have the same distribution in all classes",
        seed=settings.seed,
        subject=subject,
        advice=tuple(_advice(still, outcome, chunks, settings, statistic, around)),
    )


def _varying(X: Floats, around: Neighbourhoods, name: str, what: str) -> tuple[Neighbourhoods, int]:
    """Neighbourhoods without columns that stand still, and how many those are."""
    size = np.abs(X).max(axis=0)
    unit = X / np.where(size > 0, size, 1.0)
    varies = ((unit - unit.mean(axis=0)) ** 2).sum(axis=0) > STILL**2 * (unit**2).sum(axis=0)
    used = np.zeros(X.shape[1], dtype=bool)
    used[around.members] = True
    still = int((used & ~varies).sum())
    if not still:
        return around, 0
    found = around.among(varies)
    empty = np.flatnonzero(found.sizes == 0)
    if len(empty):
        place = ", ".join(f"{k:g}" for k in found.geometry.coordinates[empty[0]])
        raise DataError(
            f"every neighbourhood must hold a {what} that varies over trials; in {name} "
            f"{plural(len(empty), 'neighbourhood')} of {len(found)} hold{'s' * (len(empty) == 1)} "
            f"none, the first at ({place}). Leave out {what}s without data, as by the mask."
        )
    return found, still


def _advice(
    still: int,
    outcome: Ints,
    runs: Ints | None,
    settings: Settings,
    statistic: AnyStatistic,
    around: Neighbourhoods,
) -> list[Advice]:
    found = []
    if still:
        found.append(
            Advice(
                "AC570",
                f"{plural(still, 'column')} of the data did not vary over trials and "
                f"{'was' if still == 1 else 'were'} left out of the neighbourhoods; see the map of "
                "their sizes.",
            )
        )
    ways = labellings(outcome, "labels" if runs is None else "within", runs)
    if ways < 1 + settings.flips:
        found.append(
            Advice(
                "AC571",
                f"labels can be permuted in {int(ways)} ways only, so {settings.flips} null maps "
                "repeat each other; p of one subject cannot be small.",
            )
        )
    if isinstance(statistic, Accuracy) and runs is None and isinstance(statistic.scheme, VFold):
        found.append(
            Advice(
                "AC572",
                "folds mix trials of the whole session, and neighbouring trials resemble "
                "each other, so give runs to leave out whole runs and to permute within them.",
            )
        )
    least = 1 / (1 + settings.flips)
    many = len(around.geometry)
    if least * many > LEVEL:
        found.append(
            Advice(
                "AC573",
                f"p of one subject is {least:.2g} at least and {many} centres are tested, "
                "so no centre of this map alone can stand after adjustment; its null maps are made "
                "to be combined over subjects (group_maps).",
            )
        )
    return found


# ----------------------------------------------------------------------------------------------
# The verb.
# ----------------------------------------------------------------------------------------------


@settled
def searchlight(
    images: Any,
    labels: Any,
    *,
    mask: Any = None,
    process_mask_img: Any = None,
    affine: Matrix | None = None,
    radius: float | None = None,
    radius_unit: Literal["mm", "voxels"] = "mm",
    neighbours: int | None = None,
    parcels: Any = None,
    adjacency: Any = None,
    statistic: Any = "srivastava_du",
    runs: Any = None,
    subjects: Sequence[str] | None = None,
    folder: str | PathLike[str] | None = None,
    **given: Any,
) -> SubjectMap | SubjectMaps:
    """Map where in the brain classes differ: a statistic around every voxel, with null maps.

    Permutations are drawn once for a subject and applied to all neighbourhoods, so every null map
    depends on place as the data do. One subject's map is a step on the way: `group_maps` asks what
    holds over subjects.

    Parameters
    ----------
    images
        One subject: an image of four axes, trials last (a file, an image of nibabel or an array),
        a list of volumes, or a table of trials × voxels of the mask. Several subjects: a list of
        those, or a mapping from their names.
    labels
        The class of each trial; for several subjects one such list for all, or one for each.
    mask
        Voxels that are used: a file, an image or an array, not 0 inside; or a fitted masker of
        nilearn, which then reads the images. Arrays of four axes need none.
    process_mask_img
        A smaller mask whose voxels are the centres; all of the mask when not given.
    affine
        From places in the grid to millimetres, where mask and images are arrays.
    radius
        Of spheres around the centres; a distance equal to it counts. On a surface, steps.
    radius_unit
        "mm", or "voxels".
    neighbours
        So many voxels nearest to each centre instead, which at the edge of the mask are as many as
        inside; 27 when neither this, `radius` nor `parcels` is given.
    parcels
        An atlas on the grid of the mask instead: a whole number for each region, 0 outside.
    adjacency
        Of the vertices of a surface, whose columns the images then have: a square matrix, pairs, or
        triangles.
    statistic
        A statistic of `detect`: of two groups as `srivastava_du`, or an accuracy as `lda.cv8`,
        `svm.c1.cv8` or a scikit-learn classifier.
    runs
        The run of each trial, given as labels are. Labels are then permuted within runs, and
        accuracies in folds leave out each run in turn.
    subjects
        Names of the subjects; sub-… from file names, or numbers, when not given.
    folder
        Where null maps are kept as files that are mapped into memory; in memory when not given.

    Returns
    -------
    SubjectMap
        Observed values and null maps; `SubjectMaps` for several subjects.

    Raises
    ------
    DataError
        If images, mask and labels do not fit together.
    NotApplicable
        If the statistic does not suit them, or nibabel is needed and not there.

    See Also
    --------
    detect : the same statistics on one table.
    decode_over_time : the same for recordings over time.

    References
    ----------
    Kriegeskorte, Goebel and Bandettini (2006); Stelzer, Chen and Turner (2013); Rosenblatt et al.
    (2019).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> y = np.arange(24) % 2
    >>> X = rng.normal(size=(5, 5, 5, 24))
    >>> X[1:3, 1:3, 1:3] += y
    >>> found = searchlight(X, y, radius=1, draws=50, rng=1)
    >>> int(found.sizes.max()), found.geometry.coordinates[found.observed.argmax()].tolist()
    (7, [2.0, 2.0, 1.0])
    """
    settings = Settings.of("searchlight", given)
    each, names, several = subjects_of(images, subjects)
    all_labels = per_subject("labels", labels, names, several)
    all_runs = per_subject("runs", runs, names, several)
    masker = mask if is_masker(mask) else None
    space = _space(each[0], mask, process_mask_img, affine, parcels, adjacency)
    around = _around(each[0], space, radius, radius_unit, neighbours, parcels, adjacency)
    kept = None if folder is None else Path(folder)
    settings = replace(
        settings,
        store=one_store(
            settings,
            statistic=statistic_of(statistic).name,
            draws=settings.flips,
            neighbourhood=around.words,
        ),
    )
    maps = []
    for number, (one, name) in enumerate(zip(each, names, strict=True)):
        X = _table(one, name) if space is None else data_of(one, space, name, masker)
        checked(around, X.shape[1])
        seed = child_seed(settings.seed, "subject", name) if several else settings.seed
        maps.append(
            mapped(
                X,
                all_labels[number],
                all_runs[number],
                around,
                statistic,
                replace(settings, seed=seed),
                subject=name,
                space=space,
                file=None if kept is None else kept / name / "null.npy",
                before=number * len(around),
                total=len(each) * len(around),
            )
        )
    return gathered(maps, settings.seed) if several else maps[0]


def gathered(maps: Sequence[SubjectMap], seed: int) -> SubjectMaps:
    """Maps of several subjects; what is to be said of all of them is said once."""
    first = maps[0].advice
    shared = tuple(one for one in first if all(one in other.advice for other in maps))
    kept = [replace(one, advice=tuple(a for a in one.advice if a not in shared)) for one in maps]
    return SubjectMaps(maps=tuple(kept), seed=seed, advice=shared)


def _space(
    images: Any, mask: Any, centres: Any, affine: Any, parcels: Any, adjacency: Any
) -> Volume | None:
    if adjacency is not None:
        if any(one is not None for one in (mask, centres, affine, parcels)):
            raise NotApplicable(
                "adjacency is of surfaces, which have neither mask, affine nor parcels."
            )
        return None
    if parcels is not None and centres is not None:
        raise NotApplicable("process_mask_img is of centres; parcels have none. Leave one out.")
    if mask is not None:
        return space_of(mask, centres, affine)
    if parcels is not None:
        return space_of(parcels, centres, affine)
    shape = np.shape(images) if isinstance(images, np.ndarray) else ()
    if len(shape) != 4:
        raise DataError(
            "mask must say which voxels are used; only an array of four axes, or a surface with "
            "adjacency, needs none. nilearn.masking.compute_brain_mask makes one."
        )
    return space_of(np.ones(shape[:3], dtype=bool), centres, affine)


def _around(
    images: Any,
    space: Volume | None,
    radius: float | None,
    unit: str,
    neighbours: int | None,
    parcels: Any,
    adjacency: Any,
) -> Neighbourhoods:
    asked = {"radius": radius, "neighbours": neighbours, "parcels": parcels}
    chosen = [name for name, value in asked.items() if value is not None]
    if len(chosen) > 1:
        raise NotApplicable(f"give one of radius, neighbours and parcels; got {listed(chosen)}.")
    if space is None:
        if neighbours is not None or (radius is not None and radius != int(radius)):
            raise NotApplicable("on a surface, give radius as a whole number of steps, or nothing.")
        many = _table(images, "the first subject").shape[1]
        return steps_away(pairs_of(adjacency, many), many, 1 if radius is None else int(radius))
    if parcels is not None:
        return parcels_of(space, on_grid("parcels", parcels, space))
    if radius is not None:
        return spheres(space, radius, voxels=unit == "voxels")
    return nearest(space, NEIGHBOURS if neighbours is None else int(neighbours))


def _table(images: Any, name: str) -> Floats:
    found = numbers_of(images, f"data of {name}")
    if found.ndim != 2:
        raise DataError(
            f"data of {name} must be a table of trials × vertices; got shape {found.shape}."
        )
    return found


def per_subject(what: str, given: Any, names: Sequence[str], several: bool) -> list[Any]:
    """What is given for each subject, or for all of them."""
    if given is None or not several:
        return [given] * len(names)
    if isinstance(given, Mapping):
        missing = [name for name in names if name not in given]
        if missing:
            raise DataError(f"{what} must be given for every subject; {missing[0]!r} has none.")
        return [given[name] for name in names]
    nested = isinstance(given, list | tuple) and all(
        not isinstance(one, str) and np.ndim(one) == 1 for one in given
    )
    if not nested and np.ndim(given) == 2:
        given, nested = list(given), True
    if not nested:
        return [given] * len(names)
    if len(given) != len(names):
        raise DataError(
            f"{what} must be one list for all, or one for each of the {len(names)} subjects; "
            f"got {len(given)}."
        )
    return list(given)
