"""NumPy files: arrays by name, a table of probabilities in one column per class."""

import io
import zipfile
from typing import Any

import numpy as np

from abovechance.arrays import Array
from abovechance.errors import FileError
from abovechance.io.table import Table
from abovechance.io.text_files import from_columns

CLASSES = ("classes", "classes_")
"""Names under which an archive says what the columns of its tables stand for."""


def read_numpy(data: bytes, source: str) -> Table:
    """The arrays of an .npz archive, or the fields of one .npy array.

    An array of two axes becomes a column per class when the archive has `classes`, as the
    `classes_` of an estimator, else a column per number, from 0 on.
    """
    arrays = _loaded(data, source)
    classes = next((arrays.pop(name) for name in CLASSES if name in arrays), None)
    columns: dict[str, Any] = {}
    for name, array in arrays.items():
        columns |= _columns(name, array, classes, source)
    return from_columns(columns, source)


def _loaded(data: bytes, source: str) -> dict[str, Array]:
    try:
        found = np.load(io.BytesIO(data), allow_pickle=False)
        arrays = None if isinstance(found, np.ndarray) else {name: found[name] for name in found}
    except (OSError, EOFError, ValueError, zipfile.BadZipFile) as error:
        if "allow_pickle" in str(error):
            raise FileError(
                f"{source} must hold plain arrays; it holds Python objects, which are not loaded "
                "from files. Save texts as array(…, dtype=str)."
            ) from None
        said = str(error).split("\n")[0].rstrip(".")
        raise FileError(
            f"{source} must be a whole NumPy file; it is damaged or cut off ({said}). "
            "Copy it again."
        ) from None
    return _fields(found, source) if arrays is None else arrays


def _fields(array: Array, source: str) -> dict[str, Array]:
    if array.dtype.names is None:
        raise FileError(
            f"{source} must hold named columns; it is one array of shape {array.shape}. "
            "Save them by name: numpy.savez(file, y=y, p=p)."
        )
    return {name: array[name] for name in array.dtype.names}


def _columns(name: str, array: Array, classes: Array | None, source: str) -> dict[str, Any]:
    if array.ndim == 1:
        return {name: array}
    if array.ndim != 2:
        raise FileError(
            f"arrays of {source} must have one or two axes, cases first; {name!r} has {array.ndim}."
        )
    if classes is not None and len(classes) == array.shape[1]:
        return {f"{name}_{label}": array[:, at] for at, label in enumerate(classes.tolist())}
    return {f"{name}_{at}": array[:, at] for at in range(array.shape[1])}
