"""How a file of separated values is laid out: its separator, its header, and how it ends."""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from abovechance.errors import FileError, listed
from abovechance.io.columns import NUMBER
from abovechance.io.encoding import CUT

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
SAMPLE = 2**16
RECORDS = 100


@dataclass(frozen=True)
class Layout:
    """The separator, the names of the columns, and the lines before the first row."""

    separator: str
    names: tuple[str, ...]
    skip: int


def layout_of(data: bytes, source: str, separator: str | None = None) -> Layout:
    """Find separator and header.

    The separator is the one that cuts the first hundred lines into as many fields as the header;
    of several such the one with most fields. Excel's first line ``sep=;`` is obeyed.

    >>> layout_of(b"id;p\\n1;0,73\\n", "a.csv")
    Layout(separator=';', names=('id', 'p'), skip=1)
    """
    sample = _sample(data)
    told = 0
    if sample[:4].lower() == "sep=" and (first := sample.splitlines()[0])[5:] == "":
        separator, told = separator or first[4:5], 1
        sample = sample[len(first) :].lstrip("\r").removeprefix("\n")
    separator = separator or _separator(sample)
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=separator)
    header = next(_quietly(reader), [])
    return Layout(separator, _names(header, source), told + reader.line_num)


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
    fields = len(next(csv.reader([line], delimiter=layout.separator), []))
    cut = line.endswith(CUT) or _unclosed(line, layout.separator)
    if cut or fields < len(layout.names):
        return start, fields
    return None


def first_fault(data: bytes, layout: Layout, source: str) -> str | None:
    """What is wrong with the lines, slowly and exactly: the first ragged row or open quote."""
    text = io.StringIO(data.decode(errors="replace"), newline="")
    for _ in range(layout.skip):
        text.readline()
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


def _sample(data: bytes) -> str:
    """The first lines; more of them when the header is very wide."""
    size = SAMPLE
    while size < len(data) and b"\n" not in data[:size] and b"\r" not in data[:size]:
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
