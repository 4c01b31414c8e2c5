"""Bytes of a text file as UTF-8, whatever they were written in; what was assumed is said."""

import codecs
from dataclasses import dataclass
from typing import NoReturn

from abovechance.advice import Advice
from abovechance.errors import FileError

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
                f"{source} must be {_name(encoding)} text; byte {error.start + 1:,} is not."
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
        f"{source} must be text without NUL bytes; there is one at byte {where + 1:,} "
        f"(line {line:,}). The file is damaged, or not a table: write it again."
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
