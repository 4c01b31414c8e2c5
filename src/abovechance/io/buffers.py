"""Arrow columns as numpy arrays, straight from their buffers.

Arrow's own conversions load pandas wherever it is installed, which takes longer than reading
most files of predictions.
"""

from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats

MOST_BYTES = 2**31 - 1  # that an Arrow array of ordinary text can hold


def floats(column: Any) -> Floats:
    """Numbers as floats, nan where they are null."""
    import pyarrow as pa

    array = whole(column.cast(pa.float64(), safe=False))
    numbers = _fixed(array, np.dtype(np.float64)).copy()
    if array.null_count:
        numbers[~bools(array.is_valid())] = np.nan
    return numbers


def integers(column: Any) -> Array:
    """Whole numbers without nulls as 64-bit integers."""
    import pyarrow as pa

    return _fixed(whole(column.cast(pa.int64())), np.dtype(np.int64)).copy()


def bools(column: Any) -> Bools:
    """Truth values; null counts as false."""
    array = whole(column)
    if len(array) == 0:
        return np.zeros(0, dtype=np.bool_)
    truth = _bits(array.buffers()[1], array)
    return truth & _bits(array.buffers()[0], array) if array.null_count else truth


def strings(column: Any) -> Array:
    """Texts without nulls as a numpy array of text."""
    array = whole(column)
    if len(array) == 0:
        return np.zeros(0, dtype="U1")
    _, ends, content = array.buffers()
    offset_type = np.int32 if str(array.type) == "string" else np.int64
    offsets = np.frombuffer(ends, offset_type)[array.offset : array.offset + len(array) + 1]
    start, stop = int(offsets[0]), int(offsets[-1])
    data = np.frombuffer(content, np.uint8)[start:stop] if stop > start else np.zeros(0, np.uint8)
    lengths = np.diff(offsets)
    width = max(int(lengths.max()), 1)
    if (data > 127).any() or width * len(array) > 16 * (len(data) + 1024):
        return np.array(array.to_pylist(), dtype=np.str_)
    # ASCII: a character is a byte, and numpy's texts are four bytes a character.
    letters = np.zeros((len(array), width), dtype=np.uint32)
    letters[np.arange(width) < lengths[:, None]] = data
    return letters.view(f"U{width}").reshape(-1)


def whole(column: Any) -> Any:
    """A column of several pieces as one Arrow array."""
    import pyarrow as pa

    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    if pa.types.is_string(column.type) and column.nbytes > MOST_BYTES:
        column = column.cast(pa.large_string())
    return pa.concat_arrays(column.chunks or [pa.nulls(0, column.type)])


def _fixed(array: Any, kind: np.dtype[Any]) -> Array:
    if len(array) == 0:
        return np.zeros(0, dtype=kind)
    return np.frombuffer(array.buffers()[1], kind)[array.offset : array.offset + len(array)]


def _bits(buffer: Any, array: Any) -> Bools:
    size = array.offset + len(array)
    bits = np.unpackbits(np.frombuffer(buffer, np.uint8), count=size, bitorder="little")
    return bits[array.offset :].astype(np.bool_)
