"""Simulated subjects: noise as smooth as stated, a difference where stated."""

from pathlib import Path

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import DataError
from abovechance.maps import simulate_subjects


def test_the_same_seed_gives_the_same_subjects_and_more_subjects_begin_with_them() -> None:
    few, many = simulate_subjects(2, voxel=16, rng=3), simulate_subjects(4, voxel=16, rng=3)
    assert np.array_equal(few.images[1], many.images[1])
    assert not np.array_equal(many.images[0], many.images[1])


def test_noise_has_variance_one_and_the_smoothness_that_was_asked_for() -> None:
    found = simulate_subjects(1, trials=400, runs=1, effect=0, voxel=8, smoothness=12, rng=1)
    X = found.images[0]
    assert X.var(axis=0).mean() == pytest.approx(1.0, abs=0.03)
    cells = np.zeros((*found.mask.shape, len(X)))
    cells[found.mask] = X.T
    both = found.mask[1:] & found.mask[:-1]
    near = (cells[1:][both] * cells[:-1][both]).mean()
    width = 12 / (8 * np.log(2)) ** 0.5  # two such curves convolved: variance doubled
    assert near == pytest.approx(np.exp(-(8**2) / (4 * width**2)), abs=0.05)


def test_classes_differ_in_the_regions_of_carriers_alone() -> None:
    found = simulate_subjects(
        4, trials=400, effect=1.0, between=0.0, prevalence=0.5, voxel=12, rng=2
    )
    assert found.carriers.tolist() == [True, True, False, False]
    shifts = [X[found.labels == 1].mean(0) - X[found.labels == 0].mean(0) for X in found.images]
    for shift, carries in zip(shifts, found.carriers, strict=True):
        assert shift[found.active].mean() == pytest.approx(float(carries), abs=0.15)
        assert shift[~found.active].mean() == pytest.approx(0.0, abs=0.05)


def test_a_mixed_pattern_averages_to_nothing_over_subjects() -> None:
    found = simulate_subjects(8, trials=80, effect=1.5, between=0, pattern="mixed", voxel=8, rng=2)
    shifts = np.array(
        [X[found.labels == 1].mean(0) - X[found.labels == 0].mean(0) for X in found.images]
    )[:, found.active]
    assert abs(shifts.mean()) < 0.1
    assert np.abs(shifts).mean() > 1.2


def test_labels_are_balanced_in_every_run() -> None:
    found = simulate_subjects(1, trials=24, runs=3, voxel=20, rng=1)
    assert [found.labels[found.runs == run].sum() for run in (1, 2, 3)] == [4, 4, 4]


def test_the_truth_is_what_neighbourhoods_touch() -> None:
    found = simulate_subjects(1, voxel=10, regions=[(0, -18, 10, 1)], rng=1)
    assert found.active.sum() == 1
    assert found.truth(radius=10).sum() == 7
    assert found.truth(radius=1, radius_unit="voxels").sum() == 7
    assert found.truth(neighbours=1).sum() == 1


def test_a_map_of_a_subject_shows_the_regions() -> None:
    found = simulate_subjects(1, effect=1.5, between=0, voxel=10, rng=1)
    one = ac.searchlight(
        found.images[0],
        found.labels,
        mask=found.mask,
        affine=found.affine,
        runs=found.runs,
        radius=10,
        draws=99,
        rng=1,
    )
    true = found.truth(radius=10)
    assert (one.p_values[true] < 0.05).mean() > 0.6
    assert (one.p_values[~true] < 0.05).mean() < 0.1
    assert true[one.observed.argmax()]


def test_files_are_those_that_the_command_reads(tmp_path: Path) -> None:
    pytest.importorskip("nibabel")
    found = simulate_subjects(2, voxel=20, rng=1)
    written = {str(path.relative_to(tmp_path)) for path in found.write(tmp_path)}
    assert written == {"mask.nii.gz", "labels.tsv", "sub-01/bold.nii.gz", "sub-02/bold.nii.gz"}
    asked = {"neighbours": 7, "draws": 3, "rng": 1}
    read = ac.searchlight(
        [tmp_path / "sub-01/bold.nii.gz", tmp_path / "sub-02/bold.nii.gz"],
        found.labels,
        mask=tmp_path / "mask.nii.gz",
        **asked,
    )
    here = ac.searchlight(
        dict(zip(("sub-01", "sub-02"), found.images, strict=True)),
        found.labels,
        mask=found.mask,
        affine=found.affine,
        **asked,
    )
    for one, other in zip(read, here, strict=True):
        np.testing.assert_allclose(one.null, other.null, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"trials": 10}, "trials must be divisible by twice the 4 runs"),
        ({"regions": [(900, 0, 0, 1)]}, "regions must hold a voxel of the mask"),
        ({"prevalence": 2.0}, "prevalence must lie between 0 and 1"),
        ({"voxel": 0}, "voxel must be a positive number"),
        (
            {"voxel": 0.1},
            "subjects × trials × voxels must be at most 536.870.912 numbers",
        ),
        ({"effect": np.inf}, "effect must be a finite number; got inf"),
        ({"smoothness": -1}, "smoothness must lie between 0 and the"),
        ({"regions": [(1, 2, 3)]}, "regions must be four numbers each"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(facts: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        simulate_subjects(1, **facts)  # type: ignore[arg-type]
