"""Parquet and Arrow files: typed columns, read when asked for; and in batches."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from abovechance.arrays import Array
from abovechance.errors import ColumnError, FileError
from abovechance.io.formats import Format
from abovechance.io.layout import refuse_twins
from abovechance.io.paths import explained
from abovechance.io.table import Table, unknown_column

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
