"""Files of text: what a file is by its first bytes, its encoding, its layout, its cells."""

import codecs
import csv
import gzip
import io
import json
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Any, NoReturn

from abovechance.advice import Advice
from abovechance.errors import FileError, listed
from abovechance.format import thousands
from abovechance.io.table import NUMBER, Table, counted
from abovechance.limits import refuse_swollen, room_for

# ----------------------------------------------------------------------------------------------
# What a file is, seen from its first bytes; names and extensions may lie.
# ----------------------------------------------------------------------------------------------


class Format(StrEnum):
    """The formats a table can be read from."""

    PARQUET = "Parquet file"
    ARROW_FILE = "Arrow file"
    ARROW_STREAM = "Arrow stream"
    WORKBOOK = "workbook"
    NUMPY = "NumPy file"
    SPSS = "SPSS file"
    SPSS_PORTABLE = "portable SPSS file"
    STATA = "Stata file"
    SAS = "SAS file"
    SAS_TRANSPORT = "SAS transport file"
    TEXT = "text"


ARROW = (Format.PARQUET, Format.ARROW_FILE, Format.ARROW_STREAM)
LABELLED = (Format.SPSS, Format.SPSS_PORTABLE, Format.STATA, Format.SAS, Format.SAS_TRANSPORT)
HEAD = 64  # bytes that tell a format
READABLE = (
    (b"PAR1", Format.PARQUET),
    (b"ARROW1", Format.ARROW_FILE),
    (b"\xff\xff\xff\xff", Format.ARROW_STREAM),
    (b"\xd0\xcf\x11\xe0", Format.WORKBOOK),  # before 2007, or with a password
    (b"\x93NUMPY", Format.NUMPY),
    (b"$FL2", Format.SPSS),
    (b"$FL3", Format.SPSS),
    (b"<stata_dta>", Format.STATA),
    (bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011"), Format.SAS),
    (b"HEADER RECORD*******LIB", Format.SAS_TRANSPORT),
)
ZIP = b"PK\x03\x04"
# Stata before version 13: a release from 105 to 115, the byte order, 1 for a file of data, a zero.
OLD_STATA = re.compile(rb"[\x69-\x73][\x01\x02]\x01\x00")

# First bytes of what people do try, with what to do instead.
FOREIGN = (
    (b"FEA1", "a Feather file of the first version", "Write it again as Feather 2 or Parquet."),
    (b"PARE", "an encrypted Parquet file", "Decrypt it first."),
    (b"\xfd7zXZ\x00", "compressed with xz", "Unpack it, or compress it with gzip."),
    (b"BZh", "compressed with bzip2", "Unpack it, or compress it with gzip."),
    (b"\x28\xb5\x2f\xfd", "compressed with Zstandard", "Unpack it, or compress it with gzip."),
    (b"\x89HDF", "an HDF5 file", "Write the table as CSV or Parquet."),
    (b"SQLite format 3", "an SQLite database", "Export the table as CSV."),
    (b"RDX", "an R workspace", "In R: write.csv(x, file, row.names = FALSE)."),
    (b"RDA", "an R workspace", "In R: write.csv(x, file, row.names = FALSE)."),
    (b"X\n\x00\x00", "an R object", "In R: write.csv(x, file, row.names = FALSE)."),
    (b"\x80\x04\x95", "a Python pickle", "Write the table as CSV or Parquet."),
    (b"\x80\x05\x95", "a Python pickle", "Write the table as CSV or Parquet."),
    (b"%PDF", "a PDF document", "Export the table as CSV."),
    (b"\x89PNG", "a picture", "Give a table of predictions."),
)


def recognise(data: bytes, source: str) -> Format:
    """The format of a file; a foreign one is refused by name.

    Its first `HEAD` bytes tell, but of a zip archive, which must be given whole.

    >>> recognise(b"PAR1....", "mislabelled.csv")
    <Format.PARQUET: 'Parquet file'>
    """
    head = data[:HEAD]
    if head.startswith(ZIP):
        return _archive(data, source)
    for magic, readable in READABLE:
        if head.startswith(magic):
            return readable
    if OLD_STATA.match(head):
        return Format.STATA
    if b"ASCII SPSS" in head:
        return Format.SPSS_PORTABLE
    for magic, what, remedy in FOREIGN:
        if head.startswith(magic):
            raise FileError(f"{source} must hold a table; it is {what}. {remedy}")
    return Format.TEXT


def is_zip(head: bytes) -> bool:
    """Whether these bytes begin a zip archive, as workbooks and .npz files are."""
    return head.startswith(ZIP)


def _archive(data: bytes, source: str) -> Format:
    """What a zip archive is, seen from the names in it."""
    try:
        members = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError, OSError, ValueError):
        raise FileError(
            f"{source} must be a whole file; it is a zip archive or workbook that is damaged or "
            "cut off. Copy it again."
        ) from None
    refuse_swollen(sum(member.file_size for member in members), len(data), source)
    names = [member.filename for member in members]
    if any(name.startswith("xl/") for name in names) or "content.xml" in names:
        return Format.WORKBOOK
    if names and all(name.endswith(".npy") for name in names):
        return Format.NUMPY
    raise FileError(f"{source} must hold a table; it is a zip archive. Unpack it.")


def is_gzip(head: bytes) -> bool:
    """Whether gzip made these bytes."""
    return head.startswith(b"\x1f\x8b")


def unzipped(data: bytes, source: str) -> bytes:
    """What was compressed with gzip; a damaged file is refused rather than half read."""
    most = room_for(len(data))
    try:
        with gzip.open(io.BytesIO(data)) as packed:
            found = packed.read(most + 1)
        refuse_swollen(len(found), len(data), source)
        return found
    except EOFError:
        _damaged(source, "it is cut off")
    except (OSError, zlib.error) as error:
        _damaged(source, str(error))


def _damaged(source: str, found: str) -> NoReturn:
    raise FileError(f"{source} must be a whole gzip file; {found}. Copy it again.")


# ----------------------------------------------------------------------------------------------
# Bytes of a text file as UTF-8, whatever they were written in; what was assumed is said.
# ----------------------------------------------------------------------------------------------


# The four-byte mark first: it begins with the two-byte one.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
SAMPLE = 4096
CUT = "\N{REPLACEMENT CHARACTER}"  # stands at the end of a text cut off inside a character
CONTROL = bytes(set(range(32)) - set(b"\t\n\r\x0b\x0c\x1a\x1b"))


@dataclass(frozen=True)
class Text:
    """The content of a text file in UTF-8, without mark, and what was assumed."""

    data: bytes
    notes: tuple[Advice, ...] = ()


def as_utf8(data: bytes, source: str, encoding: str | None = None) -> Text:
    """The same text in UTF-8.

    A byte-order mark decides; without one the text is UTF-8 if it can be, UTF-16 if every other
    byte is zero, else Windows-1252, of which latin-1 is the part most files use.

    >>> print(as_utf8("Bögen".encode("latin-1"), "a.csv").notes[0])
    [AC701] a.csv is not UTF-8; it was read as latin-1
    """
    for mark, name in MARKS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], encoding or name, source, said=name != "utf-8")
    if encoding is not None:
        return _decoded(data, encoding, source, said=False)
    if b"\0" in data:
        guessed = _unmarked(data)
        if guessed is None:
            _refuse_nul(data, source)
        return _decoded(data, guessed, source, said=True)
    _refuse_binary(data, source)
    if data.isascii():
        return Text(data)
    return _decoded(data, "utf-8", source, said=False)


def _decoded(data: bytes, encoding: str, source: str, *, said: bool) -> Text:
    try:
        text = data.decode(encoding)
    except LookupError:
        raise FileError(f"encoding must be one Python knows; got {encoding!r}.") from None
    except UnicodeDecodeError as error:
        ends = error.reason in ("unexpected end of data", "truncated data")
        # A single odd byte at the end of plain ASCII rather speaks for latin-1.
        if ends and not (encoding == "utf-8" and data[: error.start].isascii()):
            cut = data[: error.start] + CUT.encode(encoding)
            return _decoded(cut, encoding, source, said=said)
        if encoding != "utf-8":
            raise FileError(
                f"{source} must be {_name(encoding)} text; byte {thousands(error.start + 1)} is "
                "not."
            ) from None
        text, encoding, said = *_western(data), True
    if "\0" in text:
        _refuse_nul(text.encode(), source)
    utf8 = data if encoding == "utf-8" else text.encode()
    note = f"{source} is not UTF-8; it was read as {_name(encoding)}"
    return Text(utf8, (Advice("AC701", note),) if said else ())


def _western(data: bytes) -> tuple[str, str]:
    """Latin-1, unless bytes that mean nothing in it mean something in Windows-1252."""
    if len(data.translate(None, bytes(range(0x80, 0xA0)))) == len(data):
        return data.decode("latin-1"), "latin-1"
    try:
        return data.decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


def _unmarked(data: bytes) -> str | None:
    """UTF-16 without a mark: Western text has a zero in every other byte."""
    sample = data[: SAMPLE // 2 * 2]
    first, second = sample[0::2], sample[1::2]
    if second.count(0) > 0.9 * len(second) and not first.count(0):
        return "utf-16-le"
    if first.count(0) > 0.9 * len(first) and not second.count(0):
        return "utf-16-be"
    return None


def _refuse_nul(data: bytes, source: str) -> NoReturn:
    where = data.index(0)
    line = data.count(b"\n", 0, where) + 1
    raise FileError(
        f"{source} must be text without NUL bytes; there is one at byte {thousands(where + 1)} "
        f"(line {thousands(line)}). The file is damaged, or not a table: write it again."
    )


def _refuse_binary(data: bytes, source: str) -> None:
    sample = data[:SAMPLE]
    odd = len(sample) - len(sample.translate(None, CONTROL))
    if odd > 0.02 * len(sample):
        raise FileError(
            f"{source} must hold a table (CSV, TSV, JSON lines, Parquet or Arrow); "
            "it is a binary file of another kind."
        )


def _name(encoding: str) -> str:
    return {"cp1252": "Windows-1252"}.get(
        encoding, encoding.removesuffix("-le").removesuffix("-be").replace("utf", "UTF")
    )


# ----------------------------------------------------------------------------------------------
# How a file of separated values is laid out: its separator, its header, and how it ends.
# ----------------------------------------------------------------------------------------------


SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
LAYOUT_SAMPLE = 2**16
RECORDS = 100
LONGEST_HEADER = 2**25  # bytes
MOST_COLUMNS = 100_000


@dataclass(frozen=True)
class Layout:
    """The separator, the names of the columns, and the lines and bytes before the first row."""

    separator: str
    names: tuple[str, ...]
    skip: int
    start: int


def layout_of(data: bytes, source: str, separator: str | None = None) -> Layout:
    """Find separator and header.

    The separator is the one that cuts the first hundred lines into as many fields as the header;
    of several such the one with most fields. Excel's first line ``sep=;`` is obeyed.

    >>> layout_of(b"id;p\\n1;0,73\\n", "a.csv")
    Layout(separator=';', names=('id', 'p'), skip=1, start=5)
    """
    sample = _sample(data, source)
    taken: list[str] = []
    first = io.StringIO(sample, newline="").readline()
    if sample[:4].lower() == "sep=" and first.rstrip("\r\n")[5:] == "":
        separator = separator or first[4:5]
        taken, sample = [first], sample[len(first) :]
    _refuse_wide(max(sample.count(s, 0, len(first)) for s in (separator, *SEPARATORS) if s), source)
    separator = separator or _separator(sample)
    told = len(taken)
    # The header ends where the reader stops: a name may hold line ends, of any kind.
    reader = csv.reader(_noted(io.StringIO(sample, newline=""), taken), delimiter=separator)
    header = next(_quietly(reader), [])
    start = len("".join(taken).encode())
    return Layout(separator, _names(header, source), told + reader.line_num, start)


def _noted(lines: Iterator[str], taken: list[str]) -> Iterator[str]:
    for line in lines:
        taken.append(line)
        yield line


def cut_off(data: bytes, layout: Layout) -> tuple[int, int] | None:
    """Where an unfinished last line begins and how many fields it has; None if it is whole.

    A last line without line end is whole when it has all its fields.
    """
    start = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
    tail = data[start:]
    if start == 0 or not tail.strip():
        return None
    if tail.count(b'"') % 2 and data.count(b'"') % 2 == 0:
        return None  # the end of a quoted text that runs over several lines
    line = tail.decode(errors="replace")
    reader = csv.reader([line], delimiter=layout.separator)
    fields = len(next(_quietly(reader), line.split(layout.separator)))
    cut = line.endswith(CUT) or _unclosed(line, layout.separator)
    if cut or fields < len(layout.names):
        return start, fields
    return None


def first_fault(data: bytes, layout: Layout, source: str) -> str | None:
    """What is wrong with the lines, slowly and exactly: the first ragged row or open quote."""
    text = io.StringIO(data[layout.start :].decode(errors="replace"), newline="")
    reader = csv.reader(text, delimiter=layout.separator, strict=True)
    expected, row, line = len(layout.names), 0, layout.skip
    try:
        for record in reader:
            line, row = layout.skip + reader.line_num, row + bool(record)
            if record and len(record) != expected:
                return _ragged(len(record), expected, row, line, source)
    except csv.Error as error:
        if "field limit" in str(error) and b'"' not in data:
            return None  # a text too long for this reader, not for the fast one
        return (
            f"{source} must close every quotation mark; row {row + 1} (line {line + 1}) "
            f"does not ({error}). Double a mark that belongs to a text."
        )
    return None


def _sample(data: bytes, source: str) -> str:
    """The first lines; more of them when the header is very wide."""
    size = LAYOUT_SAMPLE
    while size < len(data) and b"\n" not in data[:size] and b"\r" not in data[:size]:
        if size > LONGEST_HEADER:
            raise FileError(
                f"the first line of {source} must hold the names of the columns; it has no end "
                f"within {LONGEST_HEADER >> 20} MiB. Write one row per line."
            )
        size *= 8
    sample = data[:size]
    end = max(sample.rfind(b"\n"), sample.rfind(b"\r")) + 1
    return sample[: end if len(data) > size and end else None].decode(errors="replace")


def _separator(sample: str) -> str:
    best, most = ",", (False, 1)
    for separator in SEPARATORS:
        reader = csv.reader(io.StringIO(sample, newline=""), delimiter=separator)
        records = list(islice(_quietly(reader), RECORDS))
        if not records or len(records[0]) < 2:
            continue
        # The last record of a sample may be unfinished, so it does not vote.
        even = all(len(r) == len(records[0]) for r in records[1:-1] or records)
        if (even, len(records[0])) > most:
            best, most = separator, (even, len(records[0]))
    return best


def _quietly(reader: Iterator[list[str]]) -> Iterator[list[str]]:
    """Records up to the first one that cannot be read; blank lines left out."""
    try:
        yield from filter(None, reader)
    except csv.Error:
        return


def _unclosed(line: str, separator: str) -> bool:
    try:
        list(csv.reader([line], delimiter=separator, strict=True))
    except csv.Error:
        return True
    return False


def _refuse_wide(separators: int, source: str) -> None:
    """Refuse a header of so many columns before it is taken apart."""
    if separators >= MOST_COLUMNS:
        raise FileError(
            f"{source} must have at most {thousands(MOST_COLUMNS)} columns; its first line has "
            f"{thousands(separators)} separators. Write one row per case, and only columns that "
            "are needed."
        )


def _names(header: Sequence[str], source: str) -> tuple[str, ...]:
    """Names without blanks around them; a nameless column is called by its position."""
    stripped = [name.strip() for name in header]
    if stripped and all(NUMBER.fullmatch(name) for name in stripped):
        whole = all(name.isdecimal() for name in stripped)
        if not whole or len(set(stripped)) < len(stripped):
            raise FileError(
                f"the first line of {source} must name the columns; it holds numbers: "
                f"{listed(stripped)}. Add a line of names."
            )
    names = tuple(name or f"column {i}" for i, name in enumerate(stripped, 1))
    refuse_twins(names, source)
    return names


def refuse_twins(names: Sequence[str], source: str) -> None:
    """Refuse two columns of one name."""
    twins = [name for name, times in Counter(names).items() if times > 1]
    if twins:
        places = [i for i, name in enumerate(names, 1) if name == twins[0]]
        raise FileError(
            f"every column of {source} must have its own name; columns {listed(places)} are all "
            f"called {twins[0]!r}. Rename them."
        )


def _ragged(found: int, expected: int, row: int, line: int, source: str) -> str:
    hint = ""
    if row == 1 and found == expected + 1:
        hint = " If it was written by R, write it with row.names = FALSE."
    elif found > expected:
        hint = " Put quotation marks around a text that contains the separator."
    return (
        f"every row of {source} must have {expected} fields, as its header; "
        f"row {row} (line {line}) has {found}.{hint}"
    )


# ----------------------------------------------------------------------------------------------
# Tables of separated values: CSV, TSV, semicolons with decimal commas.
# ----------------------------------------------------------------------------------------------


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
    if b'"' in data and _lines(data) - _lines(data[: layout.start]) != parsed.num_rows:
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
        pa.py_buffer(data)[layout.start :],
        read_options=csv.ReadOptions(column_names=places, block_size=block, encoding="utf8"),
        parse_options=csv.ParseOptions(delimiter=layout.separator, newlines_in_values=b'"' in data),
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(places, pa.string()),
            strings_can_be_null=False,
            check_utf8=False,
        ),
    )


def _has_rows(data: bytes, layout: Layout) -> bool:
    rest = len(data) - layout.start
    return rest > BLOCK or bool(data[layout.start :].strip(b"\r\n"))


def _lines(data: bytes) -> int:
    end = b"\n" if b"\n" in data else b"\r"
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


# ----------------------------------------------------------------------------------------------
# Tables written as JSON: one object per line, a list of objects, or an object of lists.
# ----------------------------------------------------------------------------------------------


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


SPLIT = {"columns", "data", "index"}


def read_json(text: Text, source: str) -> Table:
    """The table in a JSON text."""
    start = text.data.lstrip()
    if start.startswith(b"["):
        return _json_table(_whole_json(text.data, source), source, text.notes)
    try:
        first = _loaded(start.splitlines()[0], object_pairs_hook=Pairs)
    except ValueError:  # an object over several lines, or no JSON at all
        first = None
    if isinstance(first, Pairs):
        refuse_twins([name for name, _ in first], source)
    if first is None or (first and all(type(value) in (list, Pairs) for _, value in first)):
        whole = _whole_json(text.data, source)
        columns = _as_columns(whole, source) if isinstance(whole, dict) else {}
        if columns and (first is None or all(type(c) is list for c in columns.values())):
            return from_columns(columns, source, text.notes)
    return _json_lines(text, source)


def _as_columns(whole: dict[str, Any], source: str) -> dict[str, Any]:
    """Columns by name, of the layouts in which pandas writes a frame as one JSON object.

    MLflow writes its tables of evaluations so: names in `columns`, rows in `data`.
    """
    names, rows = whole.get("columns"), whole.get("data")
    if isinstance(names, list) and isinstance(rows, list) and set(whole) <= SPLIT:
        if not all(isinstance(row, list) and len(row) == len(names) for row in rows):
            raise FileError(f"every row of data in {source} must have one value per column.")
        refuse_twins([str(name) for name in names], source)
        return {str(name): [row[at] for row in rows] for at, name in enumerate(names)}
    if whole and all(_by_row_number(column) for column in whole.values()):
        index = dict.fromkeys(label for column in whole.values() for label in column)
        return {name: [column.get(i) for i in index] for name, column in whole.items()}
    return whole


def _by_row_number(column: Any) -> bool:
    return isinstance(column, dict) and all(label.isdigit() for label in column)


def from_records(
    records: Sequence[Mapping[str, Any]], source: str, notes: tuple[Advice, ...] = ()
) -> Table:
    """A table of records; a name some of them lack is missing there."""
    names = dict.fromkeys(records[0]) if records else {}
    if not all(record.keys() == names.keys() for record in records):
        names = dict.fromkeys(name for record in records for name in record)
    columns = {_spelt(name): arrow([record.get(name) for record in records]) for name in names}
    return Table(columns, len(records), notes, source)


def from_columns(columns: Mapping[str, Any], source: str, notes: tuple[Advice, ...] = ()) -> Table:
    """A table of named columns of equal length."""
    made = {_spelt(name): arrow(values) for name, values in columns.items()}
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
    except (pa.ArrowException, OverflowError, UnicodeError):
        texts = [None if v is None else _printed_json(v) for v in values]
        return pa.chunked_array([pa.array(texts, pa.string())])


def _json_lines(text: Text, source: str) -> Table:
    lines = [line for line in text.data.splitlines() if line.strip()]
    try:  # all at once, which is faster; the slow way names the line at fault
        records = _loaded(b"[" + b",".join(lines) + b"]")
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
            record = _loaded(line)
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


def _loaded(data: bytes, **options: Any) -> Any:
    try:
        return json.loads(data, **options)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _whole_json(data: bytes, source: str) -> Any:
    try:
        return _loaded(data)
    except ValueError as error:
        if data.lstrip().startswith(b"{"):
            return None
        raise FileError(
            f"{source} must be whole JSON; {str(error)[0].lower()}{str(error)[1:]}. "
            "The file is damaged or cut off."
        ) from None


def _json_table(records: Any, source: str, notes: tuple[Advice, ...]) -> Table:
    for row, record in enumerate(records, 1):
        if not isinstance(record, dict):
            raise FileError(
                f"{source} must be a list of objects; row {row} is a {type(record).__name__}."
            )
    return from_records(records, source, notes)


def _printed_json(value: Any) -> str | None:
    if isinstance(value, float) and value != value:
        return None
    return _spelt(value)


def _spelt(value: Any) -> str:
    r"""As text; half a character, which JSON can write and no file of text can hold, is spelt out.

    >>> _spelt("p"), _spelt("\ud800")
    ('p', '\\ud800')
    """
    return str(value).encode("utf-8", "backslashreplace").decode("utf-8", "replace")
