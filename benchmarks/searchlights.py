"""Searchlights of 27 voxels, 40 trials in five runs, 100 null maps, against loops and nilearn.

nilearn maps one labelling of a part of the centres and is scaled to all of ours, 1 + 100
labellings of every centre: it spends the same time on each. That accuracies are equal is checked
with its own map. The plain loop is Srivastava and Du's formula, one labelling and one sphere
after another.
"""

import resource
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import harness
import nibabel
import numpy as np
from harness import Race, race
from nilearn.decoding import SearchLight
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from abovechance import maps, searchlight
from abovechance.maps.neighbourhoods import spheres, volume
from abovechance.resampling.draws import WithinBlocks
from abovechance.signal import srivastava_du

SIDE, LONG, VOXEL, DRAWS = 9, 15, 3.0, 100  # voxels along a cube, of accuracies and of others
RADIUS = VOXEL * (3**0.5 + 1e-6)  # nilearn needs the hair that ours adds
PART = 60  # centres that nilearn maps
LOOP = 3  # spheres of the plain loop
RUNS = np.repeat(np.arange(5), 8)
Y = np.arange(40) % 2


def data(side: int) -> tuple[np.ndarray, np.ndarray]:
    """A cube of voxels with neighbours alike, and its affine."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(side, side, side, len(Y)))
    X[1:] += 0.6 * X[:-1]
    X[:3, :3, :3] += 0.5 * Y
    return X, np.diag([VOXEL, VOXEL, VOXEL, 1.0])


def ours(X: np.ndarray, affine: np.ndarray, statistic: Any) -> Any:
    asked: dict[str, Any] = {"runs": RUNS, "draws": DRAWS, "rng": 1}
    return searchlight(X, Y, affine=affine, radius=RADIUS, statistic=statistic, **asked)


def nilearn(X: np.ndarray, affine: np.ndarray, estimator: Any) -> np.ndarray:
    """Accuracies of one labelling at some centres."""
    everywhere = np.ones(X.shape[:3], dtype=np.int8)
    some = np.zeros_like(everywhere)
    some.flat[np.linspace(0, some.size - 1, PART).astype(int)] = 1
    light = SearchLight(
        nibabel.Nifti1Image(everywhere, affine),
        process_mask_img=nibabel.Nifti1Image(some, affine),
        radius=RADIUS,
        estimator=estimator,
        cv=LeaveOneGroupOut(),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        light.fit(nibabel.Nifti1Image(X, affine), Y, groups=RUNS)
    return np.where(some, light.scores_, np.nan)


def same_accuracies(found: Any, theirs: np.ndarray) -> None:
    inside = ~np.isnan(theirs)
    np.testing.assert_allclose(found.as_volume()[inside], theirs[inside], atol=1e-6)


def loop(X: np.ndarray, affine: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The plain formula around a few inner centres."""
    around = spheres(volume(np.ones(X.shape[:3]), affine), RADIUS)
    inner = np.flatnonzero(around.sizes == 27)[:LOOP]
    table = X.reshape(-1, len(Y)).T
    return np.array(
        [[srivastava_du.naive(table[:, around.of(int(c))], y) for y in labels] for c in inner]
    )


def scaled(found: list[Race], times: float, floor: float) -> list[Race]:
    """Races in which the peer did one part in `times` of the work."""
    return [replace(r, theirs=r.theirs * times, ratio=r.ratio * times, floor=floor) for r in found]


def accuracy_races(X: np.ndarray, affine: np.ndarray) -> Iterator[Race]:
    scaler = StandardScaler()
    for name, estimator, floor in (
        ("LDA", LinearDiscriminantAnalysis(), 3_000),
        ("linear SVM, C = 1", make_pipeline(scaler, SVC(kernel="linear", C=1.0)), 60),
    ):
        found = race(
            f"{name}, {SIDE**3} centres, 1 + {DRAWS} labellings, five runs left out in turn",
            partial(ours, X, affine, estimator),
            {"nilearn SearchLight": partial(nilearn, X, affine, estimator)},
            agree=same_accuracies,
            rounds=2,
        )
        yield from scaled(found, SIDE**3 / PART * (1 + DRAWS), floor)


def statistic_race(X: np.ndarray, affine: np.ndarray) -> Iterator[Race]:
    orders = WithinBlocks(RUNS).draw(np.random.default_rng(1), DRAWS)
    labels = np.vstack([Y, Y[orders]])
    found = race(
        f"Srivastava and Du, {LONG**3} centres, 1 + {DRAWS} labellings",
        partial(ours, X, affine, "srivastava_du"),
        {"a numpy loop": partial(loop, X, affine, labels)},
        agree=same_statistics(X, affine),
        rounds=3,
    )
    yield from scaled(found, LONG**3 / LOOP, 300)


def same_statistics(X: np.ndarray, affine: np.ndarray) -> Any:
    around = spheres(volume(np.ones(X.shape[:3]), affine), RADIUS)
    inner = np.flatnonzero(around.sizes == 27)[:LOOP]

    def agree(found: Any, theirs: np.ndarray) -> None:
        np.testing.assert_allclose(found.observed[inner], theirs[:, 0], rtol=1e-6)

    return agree


def whole_brain(subjects: int = 20, voxel: float = 3.8) -> str:
    """Twenty brains, from data in memory to null maps; wall time and memory of one process."""
    brains = maps.simulate_subjects(1, voxel=voxel, rng=1)
    rng = np.random.default_rng(1)
    shape = brains.images[0].shape
    ours = {f"sub-{k:02d}": rng.normal(size=shape) for k in range(subjects)}
    begun = time.perf_counter()
    found = searchlight(
        ours, brains.labels, mask=brains.mask, affine=brains.affine, runs=brains.runs, rng=1
    )
    spent = time.perf_counter() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    assert len(found) == subjects
    return (
        f"Whole brain: {subjects} subjects × {shape[1]} centres × 27 nearest voxels × {DRAWS} null "
        f"maps of srivastava_du took {spent:.0f} s of one process, which never held more than "
        f"{memory:.1f} GB, the data of all subjects included"
    )


def races() -> Iterator[Race]:
    yield from statistic_race(*data(LONG))
    yield from accuracy_races(*data(SIDE))


if __name__ == "__main__":
    told = whole_brain()
    print(told, file=sys.stderr)
    sys.exit(
        harness.main(
            "searchlights",
            "Searchlights against nilearn and a loop",
            races,
            ("nilearn", "scikit-learn"),
            checked=f"{harness.CHECKED}; nilearn and the loop did a part of the centres, nilearn "
            f"one labelling of them, and are scaled to all. {told}",
        )
    )
