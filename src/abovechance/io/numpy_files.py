"""NumPy files: arrays by name, a table of probabilities in one column per class."""

import io
import sys
import tokenize
import warnings
import zipfile
import zlib
from typing import Any

import numpy as np

from abovechance.arrays import Array
from abovechance.errors import FileError
from abovechance.io.table import Table
from abovechance.io.text_files import from_columns

# What reading a damaged archive has been seen to raise; a header is Python text that is parsed.
ANYTHING = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    TypeError,
    OverflowError,
    MemoryError,
    SyntaxError,
    RuntimeError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of files that an older Python wrote
            found = np.load(io.BytesIO(data), allow_pickle=False)
            named = not isinstance(found, np.ndarray)
            arrays = {name: found[name] for name in found} if named else None
    except ANYTHING as error:
        if "allow_pickle" in str(error):
            raise FileError(
                f"{source} must hold plain arrays; it holds Python objects, which are not loaded "
                "from files. Save texts as array(…, dtype=str)."
            ) from None
        if "password" in str(error):
            raise FileError(
                f"{source} must be readable without a password; it holds an encrypted array. "
                "Save it again without one."
            ) from None
        said = str(error).split("\n")[0].rstrip(".")
        raise FileError(
            f"{source} must be a whole NumPy file; it is damaged or cut off ({said}). "
            "Copy it again."
        ) from None
    if arrays is None:
        return _fields(found, source)
    foreign = [name for name, array in arrays.items() if not _sound(array)]
    if foreign:
        raise FileError(
            f"{source} must be a whole NumPy file; {foreign[0]!r} in it is no array of numbers or "
            "texts. Copy it again."
        )
    return arrays


def _sound(array: Any) -> bool:
    """Whether this is an array, and of text only if its letters are letters."""
    if not isinstance(array, np.ndarray):
        return False
    if array.dtype.kind != "U" or not array.size:
        return True
    letters = np.ascontiguousarray(array).view(
        np.dtype(np.uint32).newbyteorder(array.dtype.byteorder)
    )
    return bool(letters.max() <= sys.maxunicode)


def _fields(array: Array, source: str) -> dict[str, Array]:
    if array.dtype.names is None:
        raise FileError(
            f"{source} must hold named columns; it is one array of shape {array.shape}. "
            "Save them by name: numpy.savez(file, y=y, p=p)."
        )
    found = {name: array[name] for name in array.dtype.names}
    if not all(map(_sound, found.values())):
        raise FileError(
            f"{source} must be a whole NumPy file; a text in it cannot be read. Copy it again."
        )
    return found


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
