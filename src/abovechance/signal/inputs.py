"""What features and labels must be, checked once before any statistic sees them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import DataError, NotApplicable, listed

MOST_CLASSES = 20  # more different numbers than this are taken for a quantity
ROUNDING = 1e-14  # spread, as a share of its size, by which a feature that varies exceeds rounding
ABSENT = {"None", "nan", "<NA>", "NaT"}  # how missing values of all libraries print


def features_of(X: Any, names: Sequence[str] | None = None) -> Floats:
    """Features as numbers (n, p): finite, and none of them constant.

    Messages call columns by `names`, by those of a dataframe, or by their number.
    """
    if hasattr(X, "toarray"):
        raise DataError("features must be a dense table; got a sparse one. Use X.toarray().")
    called = _column_names(X) if names is None else [repr(name) for name in names]
    try:
        features = np.asarray(X, dtype=float)
    except (TypeError, ValueError):
        words = [
            name for name, cells in zip(called, _cells(X), strict=False) if not _numbers(cells)
        ]
        where = f"; column {listed(words)} holds something else" if words else ""
        raise DataError(f"features must be numbers{where}. Encode or drop such columns.") from None
    if features.ndim != 2 or 0 in features.shape:
        raise DataError(
            f"features must be a table of rows and columns; got shape {features.shape}. "
            "One feature: X.reshape(-1, 1)."
        )
    if names is not None and len(names) != features.shape[1]:
        raise DataError(
            f"feature names must be one for each of the {features.shape[1]} columns; "
            f"got {len(names)}. Name all of them, or none."
        )
    called = called or [str(column + 1) for column in range(features.shape[1])]
    bad = np.argwhere(~np.isfinite(features))
    if len(bad):
        row, column = bad[0]
        raise DataError(
            f"features must be finite; got {features[row, column]} at row {row + 1}, "
            f"column {called[column]}. Drop or impute such rows."
        )
    still = [called[column] for column in np.flatnonzero(~_varying(features))]
    if still:
        one = len(still) == 1
        raise DataError(
            f"features must vary; column{'' if one else 's'} {listed(still)} "
            f"{'is' if one else 'are'} constant. Drop {'it' if one else 'them'}."
        )
    return features


def _column_names(X: Any) -> list[str]:
    return [repr(str(name)) for name in getattr(X, "columns", ())]


def _cells(X: Any) -> Array:
    """The columns of a table that is not all numbers."""
    return np.atleast_2d(np.asarray(X, dtype=object)).T


def _numbers(cells: Array) -> bool:
    try:
        cells.astype(float)
    except (TypeError, ValueError):
        return False
    return True


def _varying(X: Floats) -> Bools:
    """Which features vary by more than rounding, whatever their unit."""
    size = np.abs(X).max(axis=0)
    unit = X / np.where(size > 0, size, 1.0)
    scatter = ((unit - unit.mean(axis=0)) ** 2).sum(axis=0)
    return np.asarray(scatter > ROUNDING**2 * (unit**2).sum(axis=0))


def present(what: str, values: Any) -> Array:
    """Values as an array, refused when one is missing or when they cannot be put in order.

    >>> present("labels", ["a", None])
    Traceback (most recent call last):
    ...
    abovechance.errors.DataError: labels must not be missing; got None at row 2. Drop such rows...
    """
    # An array made of a list would turn what is missing among words into a word.
    kept = np.asarray(values, dtype=object if isinstance(values, list | tuple) else None)
    if kept.ndim == 1 and kept.dtype.kind in "fcmMO":
        gone = [str(v) in ABSENT and not isinstance(v, str) for v in kept.tolist()]
        if any(gone):
            row = gone.index(True)
            raise DataError(
                f"{what} must not be missing; got {kept[row]} at row {row + 1}. "
                "Drop such rows, or complete them."
            )
    found = np.asarray(values)
    try:
        np.unique(found)
    except TypeError:
        kinds = sorted({type(value).__name__ for value in found.ravel().tolist()})
        raise DataError(
            f"{what} must be all of one type; got {listed(kinds)}. Write them all as text."
        ) from None
    return found


def classes_of(y: Any, n: int) -> tuple[Ints, Array]:
    """Labels as class numbers 0, 1, … in sorted order, and the classes themselves."""
    labels = present("labels", y)
    if labels.shape != (n,):
        raise DataError(f"labels must be one for each of the {n} rows; got shape {labels.shape}.")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        row = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise DataError(f"labels must be finite; got {labels[row]} at row {row + 1}.")
    classes, codes = np.unique(labels, return_inverse=True)
    return codes.astype(np.int64), classes


def holds_numbers(y: Any) -> bool:
    """Whether an outcome is a quantity and not a class: fractions, or many different numbers.

    >>> holds_numbers(np.array([1, 2, 3])), holds_numbers(np.array([1.5, 2.0, 3.0]))
    (False, True)
    """
    outcome = np.asarray(y)
    if outcome.dtype.kind not in "iuf":
        return False
    different = len(np.unique(outcome))
    fractions = outcome.dtype.kind == "f" and bool((outcome != np.round(outcome)).any())
    return (fractions and different > 2) or different > MOST_CLASSES


def numbers_of(y: Any, n: int) -> Floats:
    """An outcome as numbers, finite and not all the same."""
    try:
        outcome = np.asarray(y, dtype=float)
    except (TypeError, ValueError):
        raise DataError("a numeric outcome must hold numbers.") from None
    if outcome.shape != (n,):
        raise DataError(f"outcomes must be one for each of the {n} rows; got {outcome.shape}.")
    if not np.isfinite(outcome).all():
        row = int(np.flatnonzero(~np.isfinite(outcome))[0])
        raise DataError(f"outcomes must be finite; got {outcome[row]} at row {row + 1}.")
    if np.ptp(outcome) == 0:
        raise NotApplicable("permuting needs outcomes that differ; all are the same.")
    return outcome


def two_groups(X: Any, y: Any) -> tuple[Floats, Ints]:
    """Features and labels 0 and 1, or the reason why they are not two groups."""
    features = features_of(X)
    labels, classes = classes_of(y, len(features))
    if len(classes) != 2:
        raise NotApplicable(
            f"two groups are compared; the labels hold {len(classes)} values "
            f"({listed(list(classes))}). With more, use detect with hotelling, goeman, mmd or "
            "energy, or an accuracy such as lda.cv8."
        )
    return features, labels
