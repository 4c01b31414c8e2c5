"""Names of array types. Cases are the last axis; leading axes are batches."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Bools: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]


def floats_or_none(values: Any) -> Floats | None:
    """Numbers of any shape as floats, masked ones as NaN; None for what holds anything else.

    That is text, dates, records, complex numbers, rows of several lengths, integers that no float
    holds. So a caller refuses in its own words whatever it is given.

    >>> floats_or_none([[1, 2], [3, 4]]).shape, floats_or_none([[1], [2, 3]]), floats_or_none(1j)
    ((2, 2), None, None)
    """
    try:
        if isinstance(values, np.ma.MaskedArray):
            return np.asarray(np.ma.filled(values.astype(np.float64), np.nan))
        array = np.asarray(values)
        return None if array.dtype.kind in "cmMV" else np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
