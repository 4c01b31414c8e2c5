"""Images in and out: NIfTI files, images of nibabel, maskers of nilearn; tables of trials."""

import zlib
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from abovechance.arrays import Array, Bools, Floats, floats_or_none
from abovechance.errors import ColumnError, DataError, FileError, NotApplicable, shown
from abovechance.format import plural
from abovechance.io import Table, read_table
from abovechance.maps.neighbourhoods import Volume, volume
from abovechance.maps.subject_map import Geometry
from abovechance.predictions.checks import unmasked

SAME_GRID = 1e-3  # millimetres by which affines of one grid may differ
NEURO = "images need nibabel; install it with the extra: pip install abovechance[neuro]"


def nibabel() -> Any:
    """The library that reads images, or how to get it."""
    try:
        import nibabel
    except ImportError as error:
        raise NotApplicable(NEURO) from error
    return nibabel


def is_path(thing: Any) -> bool:
    """Whether it is the name of a file."""
    return isinstance(thing, str | PathLike)


def is_image(thing: Any) -> bool:
    """Whether it is an image: voxels with an affine, as nibabel's have."""
    return hasattr(thing, "dataobj") and hasattr(thing, "affine")


def is_masker(thing: Any) -> bool:
    """Whether it is a masker, as nilearn's: it turns images into tables."""
    return hasattr(thing, "transform") and (hasattr(thing, "mask_img_") or hasattr(thing, "fit"))


def opened(thing: Any) -> Any:
    """An image, from a file if it is the name of one."""
    if not is_path(thing):
        return thing
    library = nibabel()
    try:
        return library.load(fspath(thing))
    except (OSError, library.filebasedimages.ImageFileError) as error:
        raise FileError(
            f"{fspath(thing)!r} cannot be read as an image ({_first_line(error)})."
        ) from None


def numbers_of(thing: Any, name: str) -> Floats:
    """Numbers of any shape; refused where there is anything else."""
    found = floats_or_none(thing)
    if found is None:
        raise DataError(f"{name} must hold numbers; got {shown(thing)}.")
    return found


def voxels_of(image: Any, name: str) -> Array:
    """The numbers of an image or an array."""
    if not is_image(image):
        found = unmasked(image, name)
        if found.dtype.kind not in "biuf":
            raise DataError(f"{name} must hold numbers; got {shown(image)}.")
        return found
    try:
        return np.asanyarray(image.dataobj)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        file = getattr(image, "get_filename", lambda: None)() or "the image"
        raise FileError(
            f"{file!r} cannot be read to its end ({_first_line(error)}); it may be cut short."
        ) from None


def shape_of(image: Any) -> tuple[int, ...]:
    """The shape of an image or an array; an image is not read for it."""
    return tuple(image.shape) if is_image(image) else unmasked(image, "images").shape


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


# ----------------------------------------------------------------------------------------------
# The grid of a study: mask, centres, affine.
# ----------------------------------------------------------------------------------------------


def space_of(mask: Any, centres: Any = None, affine: Any = None) -> Volume:
    """The grid that a mask stands on; `centres` is a smaller mask on the same grid."""
    if is_masker(mask):
        mask = getattr(mask, "mask_img_", None)
        if mask is None:
            raise DataError("a masker must have its mask; call its fit() first.")
    image = opened(mask)
    grid = image.affine if is_image(image) else affine
    inner = None
    if centres is not None:
        inner = opened(centres)
        if is_image(inner) and grid is not None:
            _same_affine("process_mask_img", inner.affine, grid)
        inner = _three(voxels_of(inner, "process_mask_img"))
    return volume(_three(voxels_of(image, "mask")), grid, inner)


def _three(array: Array) -> Array:
    """A volume without a fourth axis of length one."""
    return array[..., 0] if array.ndim == 4 and array.shape[3] == 1 else array


def _same_affine(name: str, affine: Any, grid: Any) -> None:
    if not np.allclose(affine, grid, rtol=0, atol=SAME_GRID):
        far = float(np.abs(np.asarray(affine) - np.asarray(grid)).max())
        raise DataError(
            f"{name} must be on the grid of the mask; its affine differs by up to {far:.3g}. "
            "Resample one to the other, as nilearn.image.resample_to_img does."
        )


def on_grid(name: str, thing: Any, space: Volume) -> Array:
    """The numbers of a volume that must be on the grid of the mask, as an atlas."""
    image = opened(thing)
    if is_image(image):
        _same_affine(name, image.affine, space.affine)
    found = _three(voxels_of(image, name))
    _same_shape(name, found.shape, space)
    return found


def _same_shape(name: str, shape: tuple[int, ...], space: Volume) -> None:
    if tuple(shape[:3]) != space.mask.shape:
        raise DataError(
            f"{name} must have the shape of the mask, {space.mask.shape}; got {tuple(shape[:3])}. "
            "Resample one to the other, as nilearn.image.resample_to_img does."
        )


# ----------------------------------------------------------------------------------------------
# One subject's data: trials × voxels of the mask.
# ----------------------------------------------------------------------------------------------


def data_of(images: Any, space: Volume, name: str, masker: Any = None) -> Floats:
    """A table of trials × voxels from images of four axes (trials last), several of three, a table.

    Only voxels of the mask are kept.
    """
    if masker is not None and not _is_table(images):
        found = np.asarray(masker.transform(images), dtype=float)
        return _as_wide(found, space, name)
    if _is_table(images):
        return _as_wide(numbers_of(images, f"images of {name}"), space, name)
    if isinstance(images, Sequence) and not is_path(images):
        return np.stack([_masked(opened(one), space, name) for one in images])
    image = opened(images)
    shape = shape_of(image)
    if len(shape) != 4:
        raise DataError(
            f"images of {name} must have four axes, trials last, or be a table of trials × voxels; "
            f"got shape {shape}."
        )
    return np.ascontiguousarray(_masked(image, space, name).T)


def _is_table(images: Any) -> bool:
    return not is_path(images) and not is_image(images) and np.ndim(images) == 2


def _as_wide(table: Floats, space: Volume, name: str) -> Floats:
    wide = int(np.count_nonzero(space.mask))
    if table.ndim != 2 or table.shape[1] != wide:
        raise DataError(
            f"images of {name} must have a column for each of the {wide} voxels of the mask; "
            f"got shape {table.shape}."
        )
    return table


def _masked(image: Any, space: Volume, name: str) -> Floats:
    _same_shape(f"images of {name}", shape_of(image), space)
    if is_image(image):
        _same_affine(f"images of {name}", image.affine, space.affine)
    return np.asarray(voxels_of(image, f"images of {name}")[space.mask], dtype=float)


def subjects_of(images: Any, names: Sequence[str] | None) -> tuple[list[Any], list[str], bool]:
    """Data of each subject, their names, and whether there are several.

    A mapping names its subjects. A list holds one subject's volumes if they have three axes, and
    several subjects otherwise.
    """
    if isinstance(images, Mapping):
        found, called, several = list(images.values()), [str(k) for k in images], True
    elif isinstance(images, list | tuple) and not _volumes(images):
        found, several = list(images), True
        called = [_called(one, k) for k, one in enumerate(found)]
    else:
        found, several = [images], False
        called = [_called(images, 0)]
    if not found:
        raise DataError("images must hold a subject; there is none.")
    if names is not None:
        called = [names] if isinstance(names, str) else [str(name) for name in names]
    if len(called) != len(found):
        raise DataError(f"subjects must name all {len(found)} of them; got {len(called)} names.")
    doubled = sorted({name for name in called if called.count(name) > 1})
    if doubled:
        raise DataError(
            f"subjects must have different names; got {doubled[0]!r} more than once. "
            "Name them by subjects=."
        )
    return found, called, several


def _volumes(images: Sequence[Any]) -> bool:
    """Whether a list holds single volumes, which are one subject's trials."""
    if not images:
        return False
    return len(shape_of(opened(images[0]))) == 3


def _called(thing: Any, number: int) -> str:
    """A subject's name: sub-… in the path of the file, as BIDS has it; else its number.

    >>> _called("data/sub-07/func/sub-07_task-voice_bold.nii.gz", 0), _called(None, 1)
    ('sub-07', 'sub-02')
    """
    import re

    path = thing if is_path(thing) else getattr(thing, "get_filename", lambda: None)()
    parts = re.findall(r"sub-[A-Za-z0-9]+", fspath(path)) if path else []
    if parts:
        return str(parts[-1])
    return f"sub-{number + 1:02d}" if path is None else Path(fspath(path)).name.split(".")[0]


def trials_are_finite(X: Floats, name: str, space: Volume | None) -> None:
    """Refuse values that are no numbers, and say where the first is."""
    if np.isfinite(X).all():
        return
    row, column = (int(k) for k in np.argwhere(~np.isfinite(X))[0])
    many = int((~np.isfinite(X)).any(axis=0).sum())
    if space is None:
        raise DataError(
            f"values must be finite; got {X[row, column]} in column {column + 1}, trial {row + 1} "
            f"of {name} ({plural(many, 'such column')} in all). Leave them out, or complete them."
        )
    place = np.unravel_index(np.flatnonzero(space.mask)[column], space.mask.shape)
    raise DataError(
        f"voxels in the mask must be finite; got {X[row, column]} at voxel "
        f"({', '.join(str(int(k)) for k in place)}), trial {row + 1} of {name} "
        f"({plural(many, 'such voxel')} in all). Leave them out of the mask."
    )


# ----------------------------------------------------------------------------------------------
# Maps as images.
# ----------------------------------------------------------------------------------------------


def image_of(geometry: Geometry, values: Array, fill: float = 0.0) -> Any:
    """Values at the centres (V,), or several maps (M, V), as an image with the data's affine."""
    affine = np.eye(4) if geometry.affine is None else geometry.affine
    given = np.asarray(values)
    cells = geometry.as_volume(given, fill)
    if cells.ndim == 4:
        cells = np.moveaxis(cells, 0, -1)
    kept = cells.astype(np.int32 if given.dtype.kind in "iub" else np.float32)
    return nibabel().Nifti1Image(kept, affine)


def write_image(
    path: str | PathLike[str], geometry: Geometry, values: Array, fill: float = 0.0
) -> None:
    """Values at the centres as a NIfTI file."""
    nibabel().save(image_of(geometry, values, fill), fspath(path))


# ----------------------------------------------------------------------------------------------
# Labels and runs of trials from tables beside the images, as BIDS keeps events.
# ----------------------------------------------------------------------------------------------


LABELS = ("label", "labels", "trial_type", "condition")
RUNS = ("run", "runs", "chunk", "chunks")
SUBJECTS = ("participant_id", "subject", "sub")


class Trials(NamedTuple):
    """Labels and runs of one subject's trials, and what was taken for what."""

    labels: Array
    runs: Array | None
    described: str


def trials_of(
    tables: Sequence[str],
    images: Sequence[str],
    subjects: Sequence[str],
    *,
    label: str | None = None,
    runs: str | None = None,
) -> Mapping[str, Trials]:
    """Trials of every subject, from one table, one for each, or one beside each image.

    `runs` is the name of a column, or "no".
    """
    if len(tables) not in (1, len(images)):
        raise DataError(
            f"labels must be one file for all, or one for each of the {len(images)} images; got "
            f"{len(tables)}."
        )
    paths = [Path(tables[0])] * len(images) if len(tables) == 1 else [Path(t) for t in tables]
    if len(tables) == 1 and not paths[0].exists() and paths[0].name == str(paths[0]):
        paths = [Path(image).parent / paths[0] for image in images]
    known: dict[Path, Table] = {}
    found = {}
    for subject, path in zip(subjects, paths, strict=True):
        if path not in known:
            if not path.exists():
                raise FileError(f"{str(path)!r}, the labels of {subject}, does not exist.")
            known[path] = read_table(str(path))
        found[subject] = _trials(known[path], subject, path.name, label, runs)
    return found


def _trials(table: Table, subject: str, file: str, label: str | None, runs: str | None) -> Trials:
    named = label or _first(table, LABELS)
    if named is None:
        raise ColumnError(
            f"{file} must have a column of labels; none of its columns is called "
            f"{' or '.join(LABELS)}. Name it with --label-column."
        )
    chunk = None if runs == "no" else runs or _first(table, RUNS)
    table.require([named, *([chunk] if chunk else [])])
    mine = _rows_of(table, subject, file)
    said = [f"labels = {named}", f"runs = {chunk}" if chunk else "no runs"]
    return Trials(
        table.labels(named)[mine],
        None if chunk is None else table.text(chunk)[mine].astype(str),
        f"{file}: {'; '.join(said)}",
    )


def _first(table: Table, names: Sequence[str]) -> str | None:
    return next((name for name in names if name in table.names), None)


def _rows_of(table: Table, subject: str, file: str) -> Bools:
    """The rows of one subject where a table holds several; all of them otherwise."""
    column = _first(table, SUBJECTS)
    if column is None:
        return np.ones(len(table.text(table.names[0])), dtype=bool)
    who = np.array([str(name).removeprefix("sub-") for name in table.text(column)])
    mine = who == subject.removeprefix("sub-")
    if not mine.any():
        raise DataError(f"{file} must have rows of every subject; {subject} has none in {column}.")
    return np.asarray(mine)
