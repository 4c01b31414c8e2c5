"""Tables of separated values: CSV, TSV, semicolons with decimal commas."""

import re
from typing import Any

from abovechance.advice import Advice
from abovechance.errors import FileError
from abovechance.io.encoding import Text
from abovechance.io.layout import SEPARATORS, Layout, cut_off, first_fault, layout_of
from abovechance.io.table import Table, counted

BLOCK = 2**20
LARGEST_BLOCK = 2**31 - 1
DECIMAL_COMMA = re.compile(rb"[+-]?\d*,\d+")
THOUSANDS = re.compile(rb"[+-]?\d{1,3}(,\d{3})+")


def read_separated(text: Text, source: str, separator: str | None = None) -> Table:
    """The table in a text, all its columns as text."""
    layout = layout_of(text.data, source, separator)
    data, notes = text.data, list(text.notes)
    cut = cut_off(data, layout)
    if cut is not None:
        data = data[: cut[0]]
    columns = _columns(data, layout, source)
    rows = len(columns[layout.names[0]]) if layout.names else 0
    decimal_comma = layout.separator == ";" or (
        layout.separator != "," and _has_decimal_commas(data[:BLOCK], layout.separator)
    )
    if layout.separator != ",":
        notes.append(Advice("AC702", _assumed(source, layout.separator, decimal_comma)))
    if cut is not None:
        notes.append(
            Advice(
                "AC703",
                f"the last line of {source} is cut off ({cut[1]} of {len(layout.names)} fields) "
                f"and was left out; {counted(rows)} read whole",
            )
        )
    return Table(columns, rows, tuple(notes), source, decimal_comma)


def _columns(data: bytes, layout: Layout, source: str) -> dict[str, Any]:
    """Columns by name, parsed fast; any fault is looked for again, slowly, to name its row."""
    import pyarrow as pa

    if not _has_rows(data, layout):
        return {name: pa.chunked_array([pa.nulls(0, pa.string())]) for name in layout.names}
    try:
        try:
            width = sum(map(len, layout.names)) + len(layout.names)
            parsed = _parsed(data, layout, max(BLOCK, 8 * width))
        except pa.ArrowInvalid as error:
            if "straddl" not in str(error) and "block" not in str(error):
                raise
            parsed = _parsed(data, layout, min(len(data) + BLOCK, LARGEST_BLOCK))  # a long row
    except pa.ArrowInvalid as error:
        fault = first_fault(data, layout, source)
        raise FileError(fault or f"{source} must be a table; {error}.") from None
    if b'"' in data and _lines(data) != parsed.num_rows + layout.skip:
        # A text over several lines, or a forgotten quotation mark that swallowed some.
        fault = first_fault(data, layout, source)
        if fault is not None:
            raise FileError(fault)
    return dict(zip(layout.names, parsed.columns, strict=True))


def _parsed(data: bytes, layout: Layout, block: int) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    places = [str(i) for i in range(len(layout.names))]
    return csv.read_csv(
        pa.BufferReader(data),
        read_options=csv.ReadOptions(
            column_names=places, skip_rows=layout.skip, block_size=block, encoding="utf8"
        ),
        parse_options=csv.ParseOptions(delimiter=layout.separator, newlines_in_values=b'"' in data),
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(places, pa.string()),
            strings_can_be_null=False,
            check_utf8=False,
        ),
    )


def _has_rows(data: bytes, layout: Layout) -> bool:
    end, start = _line_end(data), 0
    for _ in range(layout.skip):
        start = data.find(end, start) + 1
        if start == 0:
            return False
    return len(data) - start > BLOCK or bool(data[start:].strip(b"\r\n"))


def _line_end(data: bytes) -> bytes:
    return b"\n" if b"\n" in data else b"\r"


def _lines(data: bytes) -> int:
    end = _line_end(data)
    return data.count(end) + (not data.endswith(end))


def _has_decimal_commas(sample: bytes, separator: str) -> bool:
    """Whether some number has a comma that cannot be a thousands separator."""
    fields = re.split(rb"[\r\n" + re.escape(separator.encode()) + rb"]", sample)
    numbers = (field.strip(b' "') for field in fields if b"," in field)
    return any(DECIMAL_COMMA.fullmatch(n) and not THOUSANDS.fullmatch(n) for n in numbers)


def _assumed(source: str, separator: str, decimal_comma: bool) -> str:
    named = SEPARATORS.get(separator, repr(separator))
    comma = "; a comma in a number was read as the decimal sign" if decimal_comma else ""
    return f"{source} was read as separated by {named}{comma}"
