"""Read a table from wherever it is."""

import io
import os
from pathlib import Path
from typing import Any

from abovechance.errors import FileError
from abovechance.io.arrow_files import read_arrow
from abovechance.io.encoding import as_utf8
from abovechance.io.formats import Format, is_gzip, recognise, unzipped
from abovechance.io.frames import from_frame
from abovechance.io.paths import explained
from abovechance.io.records import looks_like_json, read_json
from abovechance.io.separated import read_separated
from abovechance.io.table import Table, listed_names

HEAD = 16


def read_table(
    source: Any,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    name: str | None = None,
) -> Table:
    """Read a table, text columns as text, and say what had to be assumed.

    Parameters
    ----------
    source
        A path; the bytes of a file or an open binary file; a dataframe of any library; a
        dictionary of columns; a list of records. The format of a file is seen from its content:
        values separated by commas, semicolons, tabs or bars; JSON lines or a JSON list; Parquet;
        Arrow (Feather); any of them compressed with gzip.
    separator, encoding
        Of a text file, when what is found by looking would be wrong.
    name
        What messages call the table; the file's name when not given.

    Examples
    --------
    >>> table = read_table("id;p\\n007;0,73\\n".encode("utf-16"), name="autumn.csv")
    >>> table.text("id").tolist(), table.number("p").tolist()
    (['007'], [0.73])
    >>> print(*table.notes, sep="\\n")
    [AC701] autumn.csv is not UTF-8; it was read as UTF-16
    [AC702] autumn.csv was read as separated by semicolons; a comma in a number was read ...
    """
    if isinstance(source, str | os.PathLike):
        table = _from_path(Path(os.fspath(source)).expanduser(), separator, encoding, name)
    elif isinstance(source, bytes | bytearray | memoryview):
        table = _from_bytes(bytes(source), separator, encoding, name or "the data")
    elif isinstance(source, io.BufferedIOBase | io.RawIOBase):
        table = _from_bytes(source.read(), separator, encoding, name or "the file")
    else:
        table = from_frame(source, name or "the dataframe")
    if table.rows == 0:
        raise FileError(
            f"{table.source} must hold at least one row; it has a header and no complete row."
            if table.columns
            else f"{table.source} must hold a table; it has no columns."
        )
    return table


def _from_path(path: Path, separator: str | None, encoding: str | None, name: str | None) -> Table:
    shown = name or listed_names([path.name])
    with explained(path):
        if path.is_file():
            with path.open("rb") as file:
                head = file.read(HEAD)
            kind = Format.TEXT if is_gzip(head) else recognise(head, shown)
            if kind is not Format.TEXT:
                return read_arrow(str(path), kind, shown)
        return _from_bytes(path.read_bytes(), separator, encoding, shown)


def _from_bytes(data: bytes, separator: str | None, encoding: str | None, source: str) -> Table:
    if is_gzip(data):
        data = unzipped(data, source)
    if not data.strip():
        raise FileError(f"{source} must hold a table; it is empty.")
    kind = recognise(data[:HEAD], source)
    if kind is not Format.TEXT:
        return read_arrow(data, kind, source)
    text = as_utf8(data, source, encoding)
    if not text.data.strip():
        raise FileError(f"{source} must hold a table; it is empty.")
    if separator is None and looks_like_json(text.data):
        return read_json(text, source)
    return read_separated(text, source, separator)
