"""One column of a table as text, as numbers or as labels; text is converted here and nowhere else.

A column is an Arrow array: text from CSV and its relatives, typed from Parquet, Arrow, JSON and
dataframes. The rules, the same for all:

* blanks around a text are not part of it; an empty text is a missing value;
* where numbers are wanted, NA, N/A, NaN, null, none and . are missing values too, in any case;
* a text column counts as numbers when all its texts but those words are plainly written numbers;
  007 is not one, so it stays an id, and NA among other words stays a class;
* TRUE/FALSE, True/False and true/false are how programs write logical columns as text: a column of
  one such pair is logical. Yes/no, T/F and every other pair are words.
"""

import re
from enum import StrEnum
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import DataError
from abovechance.io.buffers import bools, floats, integers, strings, whole

MISSING_WORDS = ("", "na", "n/a", "nan", "null", "none", ".", "#n/a")
MISSING_PATTERN = f"^({'|'.join(map(re.escape, MISSING_WORDS))})$"
LOGICAL_WORDS = (("FALSE", "TRUE"), ("False", "True"), ("false", "true"))
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)
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
            raise DataError(f"column {name!r} must hold numbers; it holds {column.type}.")
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
        return _whole(as_numbers(name, column))
    texts, missing = _texts(name, column)
    if _all_numbers(texts.slice(0, HEAD), decimal_comma) and _all_numbers(texts, decimal_comma):
        return _whole(as_numbers(name, texts, decimal_comma=decimal_comma))
    coded = whole(texts).dictionary_encode()
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
    whole = _whole(kept)
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
    hint = " A decimal comma is understood in files separated by semicolons or tabs."
    raise DataError(
        f"column {name!r} must hold numbers; got {text!r} at row {row}."
        + (hint if re.fullmatch(r"[+-]?\d*,\d+", text) else "")
    )


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


def _whole(numbers: Floats) -> Array:
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
