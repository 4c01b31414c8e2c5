"""Tables already in memory: any dataframe, a dictionary of columns, a list of records."""

from collections.abc import Mapping
from typing import Any

from abovechance.errors import DataError
from abovechance.io.layout import refuse_twins
from abovechance.io.records import arrow, from_columns, from_records
from abovechance.io.table import Table


def from_frame(frame: Any, source: str = "the dataframe") -> Table:
    """A table from a dataframe (pandas, polars, pyarrow, ...), a mapping or a list of records.

    >>> from_frame({"y": [0, 1], "p": [0.2, 0.9]}, "the columns").number("p").tolist()
    [0.2, 0.9]
    """
    if isinstance(frame, Mapping):
        return from_columns(frame, source)
    if isinstance(frame, list) and all(isinstance(record, Mapping) for record in frame):
        return from_records(frame, source)
    import narwhals.stable.v1 as nw

    try:
        known = nw.from_native(frame)
    except TypeError:
        raise DataError(
            "predictions are read from a path, a dataframe, a dictionary of columns or a list of "
            f"records; got {type(frame).__name__}."
        ) from None
    except ValueError as error:  # narwhals' DuplicateError
        said = " ".join(str(error).split()).rstrip(".")
        raise DataError(f"every column of {source} must have its own name. {said}.") from None
    table = known.collect() if isinstance(known, nw.LazyFrame) else known
    names = [str(name) for name in table.columns]
    refuse_twins(names, source)
    columns = dict(zip(names, map(_column, table.iter_columns()), strict=True))
    return Table(columns, len(table), (), source)


def _column(series: Any) -> Any:
    import pyarrow as pa

    try:
        return arrow(series.to_arrow())
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        return arrow(series.to_list())
