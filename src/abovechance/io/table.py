"""A table as it was read: named columns, as text, numbers or labels only when asked for."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import ColumnError, DataError, did_you_mean, listed
from abovechance.format import thousands

# ----------------------------------------------------------------------------------------------
# Arrow columns as numpy arrays, straight from their buffers.
#
# Arrow's own conversions load pandas wherever it is installed, which takes longer than reading
# most files of predictions.
# ----------------------------------------------------------------------------------------------


MOST_BYTES = 2**31 - 1  # that an Arrow array of ordinary text can hold


def floats(column: Any) -> Floats:
    """Numbers as floats, nan where they are null."""
    import pyarrow as pa

    array = unchunked(column.cast(pa.float64(), safe=False))
    numbers = fixed(array, np.dtype(np.float64)).copy()
    if array.null_count:
        numbers[~bools(array.is_valid())] = np.nan
    return numbers


def integers(column: Any) -> Array:
    """Whole numbers without nulls as 64-bit integers."""
    import pyarrow as pa

    return fixed(unchunked(column.cast(pa.int64())), np.dtype(np.int64)).copy()


def bools(column: Any) -> Bools:
    """Truth values; null counts as false."""
    array = unchunked(column)
    if len(array) == 0:
        return np.zeros(0, dtype=np.bool_)
    truth = _bits(array.buffers()[1], array)
    return truth & _bits(array.buffers()[0], array) if array.null_count else truth


def strings(column: Any) -> Array:
    """Texts without nulls as a numpy array of text."""
    array = unchunked(column)
    if len(array) == 0:
        return np.zeros(0, dtype="U1")
    _, ends, content = array.buffers()
    offset_type = np.dtype(np.int32 if str(array.type) == "string" else np.int64)
    offsets = _values(ends, offset_type, array.offset, len(array) + 1)
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


def unchunked(column: Any) -> Any:
    """A column of several pieces as one Arrow array."""
    import pyarrow as pa

    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    if pa.types.is_string(column.type) and column.nbytes > MOST_BYTES:
        column = column.cast(pa.large_string())
    return pa.concat_arrays(column.chunks or [pa.nulls(0, column.type)])


def fixed(array: Any, kind: np.dtype[Any]) -> Array:
    """The values of an Arrow array of numbers where they lie; those at nulls mean nothing."""
    return _values(array.buffers()[1], kind, array.offset, len(array))


def _values(buffer: Any, kind: np.dtype[Any], start: int, many: int) -> Array:
    # counted, for a buffer may end anywhere after its last value
    if many == 0:
        return np.zeros(0, dtype=kind)
    return np.frombuffer(buffer, kind, many, start * kind.itemsize)


def _bits(buffer: Any, array: Any) -> Bools:
    size = array.offset + len(array)
    bits = np.unpackbits(np.frombuffer(buffer, np.uint8), count=size, bitorder="little")
    return bits[array.offset :].astype(np.bool_)


# ----------------------------------------------------------------------------------------------
# One column of a table as text, as numbers or as labels; text is converted here and nowhere else.
#
# A column is an Arrow array: text from CSV and its relatives, typed from Parquet, Arrow, JSON and
# dataframes. The rules, the same for all:
#
# * blanks around a text are not part of it; an empty text is a missing value;
# * where numbers are wanted, NA, N/A, NaN, null, none and . are missing values too, in any case;
# * a text column counts as numbers when all its texts but those words are plainly written numbers;
#   007 is not one, so it stays an id, and NA among other words stays a class;
# * TRUE/FALSE, True/False and true/false are how programs write logical columns as text: a column
#   of one such pair is logical. Yes/no, T/F and every other pair are words.
# ----------------------------------------------------------------------------------------------


MISSING_WORDS = ("", "na", "n/a", "nan", "null", "none", ".", "#n/a")
MISSING_PATTERN = f"^({'|'.join(map(re.escape, MISSING_WORDS))})$"
LOGICAL_WORDS = (("FALSE", "TRUE"), ("False", "True"), ("false", "true"))
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)
DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?")
PLAIN_NUMBER = r"^-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
HEAD = 1000  # a glance at so many rows tells most columns of words from numbers
EXACT = 2.0**53  # beyond it floats skip whole numbers


class Kind(StrEnum):
    """What a column holds, whatever it is stored as."""

    LOGICAL = "logical"
    NUMBER = "number"
    TEXT = "text"


def as_text(name: str, column: Any) -> Array:
    """Every value as text; None where it is missing."""
    texts, missing = _texts(name, column)
    values = strings(texts)
    return _with_none(values, missing) if missing.any() else values


def as_numbers(name: str, column: Any, *, decimal_comma: bool = False) -> Floats:
    """Every value as a float; nan where it is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = _plain(name, column)
    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    if not _is_text(column.type):
        if not _is_number(column.type):
            dates = pa.types.is_temporal(column.type)
            found = "dates or times. Write days since a day" if dates else column.type
            raise DataError(f"column {name!r} must hold numbers; it holds {found}.")
        return floats(column)
    return _parsed(name, pc.utf8_trim_whitespace(column), decimal_comma)


def as_labels(name: str, column: Any, *, decimal_comma: bool = False) -> Array:
    """Every value as the class or number it stands for.

    Whole numbers become integers, so that 1, 1.0 and the text 1 are the same class. Missing values
    are nan among numbers and None among texts.
    """
    import pyarrow as pa

    column = _plain(name, column)
    if pa.types.is_boolean(column.type):
        return floats(column.cast(pa.int8())) if column.null_count else bools(column)
    if pa.types.is_signed_integer(column.type) and not column.null_count:
        return integers(column)
    if pa.types.is_null(column.type) or _is_number(column.type):
        return _as_integers(as_numbers(name, column))
    texts, missing = _texts(name, column)
    if _all_numbers(texts.slice(0, HEAD), decimal_comma) and _all_numbers(texts, decimal_comma):
        return _as_integers(as_numbers(name, texts, decimal_comma=decimal_comma))
    coded = unchunked(texts).dictionary_encode()
    distinct = coded.dictionary.to_pylist()
    truth = _truth(distinct)
    values = np.array(distinct, dtype=np.str_) if truth is None else truth
    labels: Array = values[integers(coded.indices)]
    return _with_none(labels, missing) if truth is None and missing.any() else labels


def kind_of(labels: Array) -> Kind:
    """What labels made by `as_labels` are."""
    return {"b": Kind.LOGICAL, "i": Kind.NUMBER, "f": Kind.NUMBER}.get(labels.dtype.kind, Kind.TEXT)


def where_missing(labels: Array) -> Array:
    """Where labels made by `as_labels` are missing."""
    if labels.dtype.kind == "f":
        return np.isnan(labels)
    if labels.dtype.kind == "O":
        return np.array([label is None for label in labels.tolist()], dtype=bool)
    return np.zeros(labels.shape, dtype=bool)


def _plain(name: str, column: Any) -> Any:
    """The column without dictionary or extension wrapping; nested ones are refused."""
    import pyarrow as pa

    if isinstance(column.type, pa.BaseExtensionType):
        column = pa.chunked_array([c.storage for c in column.chunks], column.type.storage_type)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    if pa.types.is_nested(column.type):
        raise DataError(
            f"column {name!r} must hold one value per row; it holds {column.type}. "
            "Write one column per value."
        )
    return column


def _texts(name: str, column: Any) -> tuple[Any, Array]:
    """Trimmed texts without nulls, and where they are missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = _plain(name, column)
    if pa.types.is_floating(column.type):
        column = _written(column)
    if not _is_text(column.type):
        try:
            column = column.cast(pa.large_string())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise DataError(f"column {name!r} must hold text; it holds {column.type}.") from None
    if column.num_chunks == 0:
        column = pa.chunked_array([pa.nulls(0, column.type)])
    texts = pc.utf8_trim_whitespace(column)
    texts = pc.fill_null(texts, "") if texts.null_count else texts
    return texts, integers(pc.binary_length(texts)) == 0


def _written(column: Any) -> Any:
    """Floats ready to become text: nan is missing, and 7.0 is written 7 when all are whole."""
    import pyarrow as pa

    numbers = floats(column)
    known = ~np.isnan(numbers)
    kept = np.where(known, numbers, 0.0)
    whole = _as_integers(kept)
    return pa.chunked_array([pa.array(whole if whole.dtype.kind == "i" else kept, mask=~known)])


def _parsed(name: str, texts: Any, decimal_comma: bool) -> Floats:
    """Trimmed texts as floats."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if decimal_comma and pc.any(pc.match_substring(texts, ",")).as_py():
        if pc.any(pc.match_substring(texts, ".")).as_py():
            raise DataError(
                f"column {name!r} must write numbers one way; it has both decimal commas and "
                "points. Write plain numbers without a thousands separator."
            )
        texts = pc.replace_substring(texts, ",", ".")
    try:
        return floats(texts.cast(pa.float64()))
    except pa.ArrowInvalid:
        said = pc.invert(_is_missing_word(texts))
    try:
        numbers = np.full(len(texts), np.nan)
        numbers[bools(said)] = floats(texts.filter(said).cast(pa.float64()))
        return numbers
    except pa.ArrowInvalid:
        return np.array([_number(name, row, text) for row, text in enumerate(texts.to_pylist(), 1)])


def _number(name: str, row: int, text: str | None) -> float:
    if text is None or text.lower() in MISSING_WORDS:
        return np.nan
    if NUMBER.fullmatch(text):
        return float(text)
    hints = {
        r"[+-]?\d*,\d+": " A decimal comma is understood in files separated by semicolons or tabs.",
        r"[\d.,]+\s*%": " Write percentages as shares, without the sign: 0.73 for 73%.",
    }
    hint = next((said for form, said in hints.items() if re.fullmatch(form, text)), "")
    raise DataError(f"column {name!r} must hold numbers; got {text!r} at row {row}.{hint}")


def _all_numbers(texts: Any, decimal_comma: bool) -> bool:
    """Whether all texts are plainly written numbers or words for missing ones."""
    import pyarrow.compute as pc

    points = pc.replace_substring(texts, ",", ".") if decimal_comma else texts
    plain = pc.match_substring_regex(points, PLAIN_NUMBER)
    if pc.all(plain).as_py():
        return True
    if not pc.all(pc.or_(plain, _is_missing_word(texts))).as_py():
        return False
    # Nothing but one word for missing is a column of missing numbers; of two words, classes.
    words = pc.unique(pc.utf8_lower(texts)).to_pylist() if not pc.any(plain).as_py() else []
    return len(set(words) - {""}) <= 1


def _truth(distinct: list[str]) -> Array | None:
    """What the distinct texts of a logical column stand for; None when it is not one."""
    said = {text for text in distinct if text.lower() not in MISSING_WORDS}
    for pair in LOGICAL_WORDS:
        if said and said <= set(pair):
            truth = np.array([float(pair.index(t)) if t in pair else np.nan for t in distinct])
            return truth if np.isnan(truth).any() else truth == 1.0
    return None


def _is_missing_word(texts: Any) -> Any:
    import pyarrow.compute as pc

    # Not is_in: to make its set of words Arrow loads pandas, as for every new array or scalar.
    return pc.match_substring_regex(texts, MISSING_PATTERN, ignore_case=True)


def _as_integers(numbers: Floats) -> Array:
    """Whole numbers as integers; anything else, and anything with missing values, as it is."""
    with np.errstate(invalid="ignore"):
        if numbers.size and (np.abs(numbers) < EXACT).all() and (numbers == np.rint(numbers)).all():
            return numbers.astype(np.int64)
    return numbers


def _with_none(values: Array, missing: Array) -> Array:
    values = values.astype(object)
    values[missing] = None
    return values


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    t = pa.types
    return bool(t.is_integer(kind) or t.is_floating(kind) or t.is_decimal(kind))


# ----------------------------------------------------------------------------------------------
# A table as it was read: named columns, converted only when asked for and only as asked.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Table:
    """Columns by name, the number of rows, and what had to be assumed to read them.

    Attributes
    ----------
    columns
        Arrow arrays: text from CSV and its relatives, typed from other formats.
    notes
        What was assumed or left out while reading.
    source
        What messages call the table: a file name, or "the dataframe".
    decimal_comma
        Whether a comma in a number is the decimal sign.
    codes
        The numbers behind columns of labels, where a file has both.
    remarks
        What is to be known of a column if it is used.
    sheet, sheets
        The sheet of the workbook that was read, and those that could have been meant.

    Examples
    --------
    >>> from abovechance.io import read_table
    >>> table = read_table(b"id,y,p\\n007,NA,0.5\\n008,EU,.\\n")
    >>> table.text("id").tolist(), table.labels("y").tolist(), table.number("p").tolist()
    (['007', '008'], ['NA', 'EU'], [0.5, nan])
    """

    columns: Mapping[str, Any]
    rows: int
    notes: tuple[Advice, ...] = ()
    source: str = "the table"
    decimal_comma: bool = False
    codes: Mapping[str, Any] = field(default_factory=dict)
    remarks: Mapping[str, tuple[Advice, ...]] = field(default_factory=dict)
    sheet: str = ""
    sheets: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self.columns)

    @property
    def file(self) -> str:
        """The name of the file, where it came from one."""
        return "" if self.source.startswith("the ") else self.source

    def text(self, name: str) -> Array:
        """A column as text, None where a field is empty; what identifies rather than measures."""
        column = self._column(name)
        with _converted(name, "text"):
            return as_text(name, column)

    def number(self, name: str) -> Floats:
        """A column as floats, nan where a field is empty or says NA, NaN, null, None or a dot."""
        column = self.codes[name] if name in self.codes else self._column(name)
        with _converted(name, "numbers"):
            return as_numbers(name, column, decimal_comma=self.decimal_comma)

    def labels(self, name: str) -> Array:
        """A column as classes: numbers when all are, true/false when all are, else words.

        >>> from abovechance.io import read_table
        >>> table = read_table(b"y,z,w\\n1,TRUE,007\\n0,FALSE,7\\n")
        >>> [table.labels(name).tolist() for name in table.names]
        [[1, 0], [True, False], ['007', '7']]
        """
        column = self._column(name)
        with _converted(name, "classes"):
            return as_labels(name, column, decimal_comma=self.decimal_comma)

    def kind(self, name: str) -> Kind:
        """Whether a column holds numbers, true/false or words."""
        return kind_of(self.labels(name))

    def missing(self, name: str) -> Bools:
        """Where a column is missing: empty fields; among numbers also NA, NaN, null, None, dot."""
        return where_missing(self.labels(name))

    def holds_dates(self, name: str) -> bool:
        """Whether a column holds dates or times of day, by its type or as they are written.

        >>> from abovechance.io import read_table
        >>> table = read_table(b"seen,y\\n2024-01-31,1\\n2024-02-01,0\\n")
        >>> table.holds_dates("seen"), table.holds_dates("y")
        (True, False)
        """
        import pyarrow as pa

        column = self._column(name)
        with _converted(name, "text"):
            column = _plain(name, column)
            if not _is_text(column.type):
                return bool(pa.types.is_temporal(column.type))
            known = [
                text for text in unchunked(column).unique().to_pylist() if text and text.strip()
            ]
        return bool(known) and all(DATE.fullmatch(text.strip()) for text in known)

    def require(self, names: Iterable[str]) -> None:
        """Refuse names that no column has."""
        for name in names:
            if name not in self.columns:
                raise ColumnError(unknown_column(name, self.names, self.source))

    def _column(self, name: str) -> Any:
        self.require([name])
        return self.columns[name]


@contextmanager
def _converted(name: str, what: str) -> Iterator[None]:
    """What Arrow cannot convert, in one line of ours."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, UnicodeError, OverflowError, MemoryError) as error:
        said = str(error).split("\n")[0].rstrip(".") or "it does not fit the memory"
        raise DataError(f"column {name!r} must hold {what}; it cannot be read ({said}).") from None


def unknown_column(name: str, known: Iterable[str], source: str) -> str:
    """The message for a column that is not there, with the nearest one and the list.

    >>> unknown_column("outcom", ["id", "outcome"], "a.csv")
    "no column 'outcom' in a.csv; did you mean 'outcome'? Its columns: id, outcome."
    """
    names = list(known)
    alike = [n for n in names if n.casefold().strip() == str(name).casefold().strip()]
    meant = f"; did you mean {alike[0]!r}?" if alike else did_you_mean(str(name), names) or "."
    return f"no column {name!r} in {source}{meant} Its columns: {listed_names(names)}."


def counted(rows: int) -> str:
    """A number of rows for a message.

    >>> counted(1), counted(12000)
    ('1 row', '12\\u202f000 rows')
    """
    return f"{thousands(rows)} row{'s' * (rows != 1)}"


def listed_names(names: Iterable[Any], most: int = 20) -> str:
    r"""Names for a message; one that would not print as it is, is quoted and escaped.

    >>> print(listed_names(["y", "red\x1b[31m"]))
    y, 'red\x1b[31m'
    """
    return listed([_shown(str(name)) for name in names], most)


def _shown(name: str) -> str:
    return name if name.isprintable() and name.strip() == name != "" else repr(name)
