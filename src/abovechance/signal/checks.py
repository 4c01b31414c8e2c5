"""What features and labels must be, checked once before any statistic sees them."""

import numpy as np

from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import DataError, NotApplicable, listed

MOST_CLASSES = 20  # more different numbers than this are taken for a quantity


def features_of(X: Array) -> Floats:
    """Features as numbers (n, p): finite, and none of them constant."""
    try:
        features = np.asarray(X, dtype=float)
    except (TypeError, ValueError):
        raise DataError("features must be numbers; encode text columns first.") from None
    if features.ndim != 2 or 0 in features.shape:
        raise DataError(
            f"features must be a table of rows and columns; got shape {features.shape}. "
            "One feature: X.reshape(-1, 1)."
        )
    bad = np.argwhere(~np.isfinite(features))
    if len(bad):
        row, column = bad[0]
        raise DataError(
            f"features must be finite; got {features[row, column]} at row {row + 1}, "
            f"column {column + 1}. Drop or impute such rows."
        )
    constant = np.flatnonzero(np.ptp(features, axis=0) == 0)
    if len(constant):
        raise DataError(
            f"features must vary; column {listed(list(constant + 1))} is constant. Drop it."
        )
    return features


def classes_of(y: Array, n: int) -> tuple[Ints, Array]:
    """Labels as class numbers 0, 1, … in sorted order, and the classes themselves."""
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise DataError(f"labels must be one for each of the {n} rows; got shape {labels.shape}.")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        row = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise DataError(f"labels must not be missing; got {labels[row]} at row {row + 1}.")
    classes, codes = np.unique(labels, return_inverse=True)
    return codes.astype(np.int64), classes


def holds_numbers(y: Array) -> bool:
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


def numbers_of(y: Array, n: int) -> Floats:
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


def two_groups(X: Array, y: Array) -> tuple[Floats, Ints]:
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
