"""Tables written as JSON: one object per line, a list of objects, or an object of lists."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from abovechance.advice import Advice
from abovechance.errors import FileError
from abovechance.io.encoding import Text
from abovechance.io.layout import refuse_twins
from abovechance.io.table import Table, counted


class Pairs(list[tuple[str, Any]]):
    """The names and values of a JSON object, as they stand there."""


def looks_like_json(data: bytes) -> bool:
    """Whether a text starts as JSON does: an object, or a list of objects.

    >>> looks_like_json(b' {"y": 1}'), looks_like_json(b"[{"), looks_like_json(b"[a],b")
    (True, True, False)
    """
    head = data[:1000].split()
    start = b"".join(head[:3])
    return start.startswith((b'{"', b"{}", b"[{", b"[]"))


def read_json(text: Text, source: str) -> Table:
    """The table in a JSON text."""
    start = text.data.lstrip()
    if start.startswith(b"["):
        return _table(_whole(text.data, source), source, text.notes)
    try:
        first = json.loads(start.splitlines()[0], object_pairs_hook=Pairs)
    except ValueError:  # an object over several lines, or no JSON at all
        first = None
    if isinstance(first, Pairs):
        refuse_twins([name for name, _ in first], source)
    if first is None or (first and all(type(value) is list for _, value in first)):
        whole = _whole(text.data, source)
        if isinstance(whole, dict):
            return from_columns(whole, source, text.notes)
    return _lines(text, source)


def from_records(
    records: Sequence[Mapping[str, Any]], source: str, notes: tuple[Advice, ...] = ()
) -> Table:
    """A table of records; a name some of them lack is missing there."""
    names = dict.fromkeys(records[0]) if records else {}
    if not all(record.keys() == names.keys() for record in records):
        names = dict.fromkeys(name for record in records for name in record)
    columns = {str(name): arrow([record.get(name) for record in records]) for name in names}
    return Table(columns, len(records), notes, source)


def from_columns(columns: Mapping[str, Any], source: str, notes: tuple[Advice, ...] = ()) -> Table:
    """A table of named columns of equal length."""
    made = {str(name): arrow(values) for name, values in columns.items()}
    lengths = {name: len(column) for name, column in made.items()}
    if len(set(lengths.values())) > 1:
        short, long = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)
        raise FileError(
            f"the columns of {source} must have one length; {short!r} has {lengths[short]} values, "
            f"{long!r} {lengths[long]}."
        )
    return Table(made, next(iter(lengths.values()), 0), notes, source)


def arrow(values: Any) -> Any:
    """Values as an Arrow column; of mixed kinds, as the texts they print as."""
    import numpy as np
    import pyarrow as pa

    if isinstance(values, pa.ChunkedArray):
        return values
    if isinstance(values, pa.Array):
        return pa.chunked_array([values])
    flat = isinstance(values, list) or np.ndim(values) == 1
    if isinstance(values, str | bytes | Mapping) or not flat:
        raise FileError("a column must be a list or array of one axis; pass one for every name.")
    try:
        return pa.chunked_array([pa.array(values, from_pandas=True)])
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        texts = [v if v is None or isinstance(v, str) else _printed(v) for v in values]
        return pa.chunked_array([pa.array(texts, pa.string())])


def _lines(text: Text, source: str) -> Table:
    lines = [line for line in text.data.splitlines() if line.strip()]
    try:  # all at once, which is faster; the slow way names the line at fault
        records = json.loads(b"[" + b",".join(lines) + b"]")
    except ValueError:
        return _one_by_one(text, source)
    if len(records) != len(lines) or not all(type(record) is dict for record in records):
        return _one_by_one(text, source)
    return from_records(records, source, text.notes)


def _one_by_one(text: Text, source: str) -> Table:
    lines = text.data.splitlines()
    records: list[dict[str, Any]] = []
    notes = text.notes
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError:
            if number == len(lines) and not text.data.endswith((b"\n", b"\r")):
                said = f"the last line of {source} is cut off and was left out; "
                notes += (Advice("AC706", said + f"{counted(len(records))} read whole"),)
                break
            raise FileError(
                f"every line of {source} must be one JSON object; line {number} is not JSON."
            ) from None
        if not isinstance(record, dict):
            raise FileError(
                f"every line of {source} must be one JSON object; line {number} is "
                f"a {type(record).__name__}."
            )
        records.append(record)
    return from_records(records, source, notes)


def _whole(data: bytes, source: str) -> Any:
    try:
        return json.loads(data)
    except ValueError as error:
        if data.lstrip().startswith(b"{"):
            return None
        raise FileError(
            f"{source} must be whole JSON; {str(error)[0].lower()}{str(error)[1:]}. "
            "The file is damaged or cut off."
        ) from None


def _table(records: Any, source: str, notes: tuple[Advice, ...]) -> Table:
    for row, record in enumerate(records, 1):
        if not isinstance(record, dict):
            raise FileError(
                f"{source} must be a list of objects; row {row} is a {type(record).__name__}."
            )
    return from_records(records, source, notes)


def _printed(value: Any) -> str | None:
    if isinstance(value, float) and value != value:
        return None
    return str(value)
