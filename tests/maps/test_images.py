"""Images in and out: NIfTI, images and maskers by what they have, files that are read back."""

import builtins
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import AboveChanceError, FileError, NotApplicable
from abovechance.maps.images import image_of

AFFINE = np.array([[3.0, 0, 0, -10], [0, 3, 0, 5], [0, 0, 3.5, 0], [0, 0, 0, 1]])
Y = np.arange(20) % 2
ASKED: dict[str, Any] = {"radius": 4.0, "draws": 5, "rng": 1}


class Image:
    """What an image of nibabel has that is used here."""

    def __init__(self, cells: np.ndarray, affine: np.ndarray = AFFINE) -> None:
        self.dataobj, self.affine, self.shape = cells, affine, cells.shape


class Masker:
    """What a fitted masker of nilearn has that is used here."""

    def __init__(self, mask: np.ndarray) -> None:
        self.mask_img_ = Image(mask.astype(np.int8))

    def fit(self) -> "Masker":
        return self

    def transform(self, image: Any) -> np.ndarray:
        return np.asarray(image.dataobj)[self.mask_img_.dataobj > 0].T * 2.0 + 1.0


def cells() -> np.ndarray:
    X = np.random.default_rng(4).normal(size=(4, 5, 4, 20))
    X[:2, :2] += Y
    return X


def mask() -> np.ndarray:
    inside = np.ones((4, 5, 4), dtype=bool)
    inside[3, 4] = False
    return inside


def as_arrays(**facts: Any) -> Any:
    return ac.searchlight(cells(), Y, mask=mask(), affine=AFFINE, **{**ASKED, **facts})


def test_images_tables_and_lists_of_volumes_are_the_same_data() -> None:
    wanted = as_arrays()
    shown = Image(mask().astype(float))
    table = cells()[mask()].T
    volumes = [Image(cells()[..., k]) for k in range(20)]
    for images in (Image(cells()), table, volumes):
        found = ac.searchlight(images, Y, mask=shown, **ASKED)
        assert np.array_equal(found.null, wanted.null)
        assert np.array_equal(found.geometry.affine, AFFINE)
    assert wanted.geometry.coordinates[0].tolist() == [-10.0, 5.0, 0.0]


def test_a_masker_reads_the_images_and_gives_the_mask() -> None:
    found = ac.searchlight(Image(cells()), Y, mask=Masker(mask()), **ASKED)
    np.testing.assert_allclose(found.null, as_arrays().null, rtol=1e-5)
    unfitted = Masker(mask())
    del unfitted.mask_img_
    with pytest.raises(AboveChanceError, match=r"a masker must have its mask; call its fit\(\)"):
        ac.searchlight(Image(cells()), Y, mask=unfitted, **ASKED)


def test_centres_of_a_smaller_mask_have_the_values_they_have_among_all() -> None:
    centres = np.zeros((4, 5, 4))
    centres[1, 2, 1:3] = 1
    found = as_arrays(process_mask_img=Image(centres))
    everywhere = as_arrays()
    assert found.as_volume()[1, 2, 1] == everywhere.as_volume()[1, 2, 1]
    assert len(found.observed) == 2


@pytest.mark.parametrize(
    ("images", "facts", "message"),
    [
        (Image(cells(), np.eye(4)), {}, "images of sub-01 must be on the grid of the mask; its"),
        (Image(cells()[:3]), {}, "images of sub-01 must have the shape of the mask, (4, 5, 4)"),
        (Image(cells()[..., 0]), {}, "images of sub-01 must have four axes, trials last"),
        (
            Image(cells()),
            {"process_mask_img": Image(mask(), np.eye(4))},
            "process_mask_img must be on the grid of the mask",
        ),
        (
            Image(cells()),
            {"radius": None, "parcels": Image(np.ones((4, 5, 4)), np.eye(4))},
            "parcels must be on the grid of the mask",
        ),
    ],
)
def test_other_grids_are_refused_in_one_line(
    images: Any, facts: dict[str, Any], message: str
) -> None:
    with pytest.raises(AboveChanceError) as refused:
        ac.searchlight(images, Y, mask=Image(mask()), **{**ASKED, **facts})
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_without_nibabel_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = as_arrays()
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "nibabel":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(NotApplicable, match=r"pip install abovechance\[neuro\]"):
        ac.searchlight("a.nii.gz", Y, mask="mask.nii.gz")
    with pytest.raises(NotApplicable, match=r"pip install abovechance\[neuro\]"):
        image_of(found.geometry, found.observed)


def test_maps_are_written_as_images_and_read_back(tmp_path: Path) -> None:
    nibabel = pytest.importorskip("nibabel")
    found = as_arrays()
    written = found.write(tmp_path / "sub-01")
    assert sorted(path.name for path in written) == [
        "centres.npz",
        "log10p.nii.gz",
        "map.json",
        "null.npy",
        "observed.nii.gz",
        "p.nii.gz",
        "sizes.nii.gz",
    ]
    values = {
        "observed": found.as_volume(),
        "p": found.as_volume(found.p_values, 1.0),
        "log10p": found.as_volume(-np.log10(found.p_values)),
        "sizes": found.as_volume(found.sizes),
    }
    for name, wanted in values.items():
        image = nibabel.load(tmp_path / "sub-01" / f"{name}.nii.gz")
        np.testing.assert_allclose(np.asarray(image.dataobj), wanted, rtol=1e-6)
        assert np.array_equal(image.affine, AFFINE)
    facts = json.loads((tmp_path / "sub-01" / "map.json").read_text("utf-8"))
    assert (facts["seed"], facts["rule"], facts["draws"]) == (1, "(b + 1) / (m + 1)", 5)
    assert facts["versions"]["numpy"] == np.__version__
    again = ac.maps.read_map(tmp_path / "sub-01")
    assert isinstance(again.null, np.memmap)
    assert again.to_json() == found.to_json()
    assert np.array_equal(again.null, found.null)
    assert np.array_equal(again.as_volume(), found.as_volume())
    assert (again.geometry.adjacency() != found.geometry.adjacency()).nnz == 0


def test_an_image_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    nibabel = pytest.importorskip("nibabel")
    file = tmp_path / "bold.nii.gz"
    nibabel.save(nibabel.Nifti1Image(cells().astype(np.float32), AFFINE), file)
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileError, match="cannot be read to its end"):
        ac.searchlight(file, Y, mask=mask(), affine=AFFINE, **ASKED)


def test_maps_of_times_are_read_back_without_images(tmp_path: Path) -> None:
    X = np.random.default_rng(1).normal(size=(20, 3, 5))
    line = [[0, 1], [1, 2], [0, 2]]
    found = ac.decode_over_time(X, Y, adjacency=line, draws=3, rng=1)
    assert [path.name for path in found.write(tmp_path)] == ["map.json", "centres.npz", "null.npy"]
    again = ac.maps.read_map(tmp_path)
    assert again.geometry.names == found.geometry.names
    assert (again.geometry.adjacency() != found.geometry.adjacency()).nnz == 0


def test_a_folder_without_a_map_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="must hold the files of a map; no such file"):
        ac.maps.read_map(tmp_path)
    X = np.random.default_rng(1).normal(size=(20, 3, 5))
    ac.decode_over_time(X, Y, draws=3, rng=1).write(tmp_path)
    np.save(tmp_path / "null.npy", np.zeros((2, 5), dtype=np.float32))
    with pytest.raises(FileError, match="do not belong to one map"):
        ac.maps.read_map(tmp_path)


def test_a_masker_of_nilearn_and_its_searchlight_agree_with_ours() -> None:
    maskers = pytest.importorskip("nilearn.maskers")
    nibabel, decoding = pytest.importorskip("nibabel"), pytest.importorskip("nilearn.decoding")
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.model_selection import LeaveOneGroupOut

    image = nibabel.Nifti1Image(cells(), AFFINE)
    shown = nibabel.Nifti1Image(mask().astype(np.int8), AFFINE)
    runs = np.repeat([0, 1, 2, 3, 4], 4)
    asked = {**ASKED, "radius": 3.2, "statistic": "lda.cv5", "runs": runs}
    masker = maskers.NiftiMasker(shown, standardize=None).fit()
    found = ac.searchlight(image, Y, mask=masker, **asked)
    theirs = decoding.SearchLight(
        shown, radius=3.2, estimator=LinearDiscriminantAnalysis(), cv=LeaveOneGroupOut()
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of every estimator that is not its own
        theirs.fit(image, Y, groups=runs)
    np.testing.assert_allclose(found.as_volume(), theirs.scores_, atol=1e-6)
