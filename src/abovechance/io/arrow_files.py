"""Parquet and Arrow files: typed columns, read when asked for, whole or piece by piece."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import ColumnError, DataError, FileError
from abovechance.io.files import HEAD as HEAD_BYTES
from abovechance.io.files import Format, explained, is_zip, recognise
from abovechance.io.table import Table, as_labels, floats, listed_names, unknown_column
from abovechance.io.text_files import refuse_twins

# ----------------------------------------------------------------------------------------------
# Parquet and Arrow files: typed columns, read when asked for; and in batches.
# ----------------------------------------------------------------------------------------------


BATCH = 2**18


@dataclass(frozen=True, eq=False)
class ParquetColumns(Mapping[str, Any]):
    """The columns of a Parquet file, each read from the file when it is asked for."""

    file: Any

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.file.schema_arrow.names)}

    def __getitem__(self, name: str) -> Any:
        if name not in self._places:
            raise KeyError(name)
        return self.file.read(columns=[name], use_threads=True).column(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def read_arrow(data: bytes | str, kind: Format, source: str) -> Table:
    """The table in a Parquet or Arrow file, given as its path or as its bytes."""
    import pyarrow as pa

    if kind is Format.PARQUET:
        file = _parquet(data, source)
        refuse_twins(file.schema_arrow.names, source)
        return Table(ParquetColumns(file), file.metadata.num_rows, (), source)
    opened = pa.OSFile(data) if isinstance(data, str) else pa.BufferReader(data)
    try:
        if kind is Format.ARROW_FILE:
            table = pa.ipc.open_file(opened).read_all()
        else:
            table = pa.ipc.open_stream(opened).read_all()
    except (pa.ArrowInvalid, OSError) as error:
        raise _damaged(source, kind, error) from None
    refuse_twins(table.column_names, source)
    return Table(dict(zip(table.column_names, table.columns, strict=True)), len(table), (), source)


def batches(
    path: str | os.PathLike[str], columns: Sequence[str], rows: int = BATCH
) -> Iterator[dict[str, Array]]:
    """Read some columns of a Parquet file piece by piece, in memory that does not grow.

    Yields a dictionary of arrays for every `rows` rows, in order; numbers as the file stores them
    (nan where they are missing), text as objects.
    """
    place = Path(os.fspath(path)).expanduser()
    with explained(place):
        file = _parquet(str(place), place.name)
    known = file.schema_arrow.names
    for name in columns:
        if name not in known:
            raise ColumnError(unknown_column(name, known, place.name))
    for batch in file.iter_batches(batch_size=rows, columns=list(columns), use_threads=False):
        yield {name: batch.column(name).to_numpy(zero_copy_only=False) for name in columns}


def _parquet(data: bytes | str, source: str) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    opened = pa.OSFile(data) if isinstance(data, str) else pa.BufferReader(data)
    try:
        return parquet.ParquetFile(opened, pre_buffer=False)
    except (pa.ArrowInvalid, OSError) as error:
        raise _damaged(source, Format.PARQUET, error) from None


def _damaged(source: str, kind: Format, error: Exception) -> FileError:
    said = str(error).split("\n")[0].strip().rstrip(".")
    return FileError(
        f"{source} must be a whole {kind.value}; it is damaged or cut off ({said}). Copy it again."
    )


# ----------------------------------------------------------------------------------------------
# Parquet files read piece by piece, in memory that does not grow with them.
# ----------------------------------------------------------------------------------------------


PIECE = 2**16  # rows: what fits the processor's cache is summed fastest
BUFFER = 2**20  # bytes read ahead of each column
HEAD = 1000


@dataclass(frozen=True, eq=False)
class Stream:
    """A Parquet file of which one piece is in memory at a time."""

    path: Path
    source: str
    rows: int
    bytes: int
    names: tuple[str, ...]

    def head(self, rows: int = HEAD) -> Table:
        """The first rows as a table, for finding out which column is what."""
        import pyarrow as pa

        with _opened(self.path, self.source) as file:
            batch = next(file.iter_batches(batch_size=rows, use_threads=False), None)
            if batch is None:
                raise FileError(f"{self.source} must hold at least one row; it has none.")
            table = pa.Table.from_batches([batch])
        return Table(
            dict(zip(table.column_names, table.columns, strict=True)), len(batch), (), self.source
        )

    def pieces(self, columns: Sequence[str], rows: int = PIECE) -> Iterator[tuple[int, list[Any]]]:
        """The columns piece by piece as Arrow arrays, each with the number of rows before it."""
        import pyarrow as pa

        start, wanted = 0, list(dict.fromkeys(columns))
        with _opened(self.path, self.source, columns) as file:
            batches = file.iter_batches(batch_size=rows, columns=wanted, use_threads=False)
            while True:
                try:
                    batch = next(batches, None)
                except (pa.ArrowInvalid, OSError) as error:
                    raise _damaged(self.source, Format.PARQUET, error) from None
                if batch is None:
                    return
                yield start, [batch.column(name) for name in columns]
                start += len(batch)


def open_stream(path: str | os.PathLike[str]) -> Stream | None:
    """A Parquet file, ready to be read in pieces; None if the file is something else."""
    place = Path(os.fspath(path)).expanduser()
    shown = listed_names([place.name])
    with explained(place):
        if not place.is_file():
            return None
        with place.open("rb") as file:
            head = file.read(HEAD_BYTES)
            if is_zip(head) or recognise(head, shown) is not Format.PARQUET:
                return None
        size = place.stat().st_size
    with _opened(place, shown) as parquet:
        names = tuple(parquet.schema_arrow.names)
        refuse_twins(names, shown)
        return Stream(place, shown, parquet.metadata.num_rows, size, names)


def numbers(name: str, column: Any) -> Floats:
    """An Arrow array of numbers as floats, nan where they are missing; copied only if need be."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_float64(kind) and not column.null_count and len(column):
        return _fixed(column)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return floats(column)
    raise DataError(
        f"column {name!r} must be stored as numbers to be read in pieces; it holds {kind}."
    )


def coded(name: str, column: Any) -> tuple[Array, Array]:
    """An Arrow array of labels as codes, and the labels they stand for; -1 where it is missing."""
    import pyarrow as pa

    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
        codes = _fixed(column) if not column.null_count else _integers(column)
        return codes, np.array([False, True])
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    labels = as_labels(name, pa.chunked_array([column.dictionary]))
    return _integers(column.indices), labels


def stored_numbers(column: Any) -> Array | None:
    """An Arrow array of numbers without missing values as they are stored; None if it is none."""
    import pyarrow as pa

    known = pa.types.is_integer(column.type) or pa.types.is_float64(column.type)
    if not known or column.null_count or not len(column):
        return None
    return _fixed(column)


def _fixed(column: Any) -> Array:
    kind = np.dtype("float64" if str(column.type) == "double" else str(column.type))
    return np.frombuffer(column.buffers()[1], kind)[column.offset : column.offset + len(column)]


def _integers(column: Any) -> Array:
    """Codes, -1 where they are null."""
    codes = floats(column)
    return np.where(np.isnan(codes), -1.0, codes).astype(np.int64)


def _opened(path: Path, source: str, columns: Sequence[str] = ()) -> Any:
    """The file; text in the columns asked for comes as codes into a list of distinct texts."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        schema = parquet.read_schema(path) if columns else None
        texts = [n for n in columns if schema is not None and _is_text(schema.field(n).type)]
        return parquet.ParquetFile(
            path, pre_buffer=False, buffer_size=BUFFER, read_dictionary=texts or None
        )
    except (pa.ArrowInvalid, OSError) as error:
        raise _damaged(source, Format.PARQUET, error) from None


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
