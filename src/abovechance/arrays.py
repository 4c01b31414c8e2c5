"""Names of array types. Cases are the last axis; leading axes are batches."""

import math
from typing import Any, TypeAlias

import numpy as np

# Spelt out: from numpy 2.5 on NDArray is a name whose type cannot be told from a signature.
Array: TypeAlias = np.ndarray[tuple[Any, ...], np.dtype[Any]]
Bools: TypeAlias = np.ndarray[tuple[Any, ...], np.dtype[np.bool_]]
Floats: TypeAlias = np.ndarray[tuple[Any, ...], np.dtype[np.float64]]
Ints: TypeAlias = np.ndarray[tuple[Any, ...], np.dtype[np.int64]]


PAGE = 4096  # bytes
APART = 1408  # bytes: some cache lines, far from a whole page and from none


def spread_out(count: int, shape: tuple[int, ...]) -> list[Floats]:
    """Arrays of one shape to be filled, of which no two lie a whole number of pages apart.

    Large arrays whose size is a multiple of a page follow each other like that, and a processor
    that reads from one and writes to another then waits for itself: by the address within a page
    it seems to read what it has just written.

    >>> one, two = spread_out(2, (512, 8))
    >>> (two.ctypes.data - one.ctypes.data) % PAGE
    1408
    """
    size = math.prod(shape)
    step = size + (APART - 8 * size) % PAGE // 8
    room = np.empty(count * step)
    return [room[i * step : i * step + size].reshape(shape) for i in range(count)]


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
