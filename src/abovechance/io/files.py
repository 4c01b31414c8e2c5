"""What a file is, seen from its first bytes, and what can be wrong with its path."""

import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import NoReturn

from abovechance.errors import FileError, did_you_mean

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
        names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    except zipfile.BadZipFile:
        raise FileError(
            f"{source} must be a whole file; it is a zip archive or workbook that is damaged or "
            "cut off. Copy it again."
        ) from None
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
    try:
        return gzip.decompress(data)
    except EOFError:
        _damaged(source, "it is cut off")
    except (OSError, zlib.error) as error:
        _damaged(source, str(error))


def _damaged(source: str, found: str) -> NoReturn:
    raise FileError(f"{source} must be a whole gzip file; {found}. Copy it again.")


# ----------------------------------------------------------------------------------------------
# What can be wrong with a path, said with the remedy.
# ----------------------------------------------------------------------------------------------


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what the system says of a path to be read into a message for its user."""
    try:
        yield
    except FileNotFoundError:
        raise FileError(f"no file {str(path)!r}{_nearby(path)}") from None
    except IsADirectoryError:
        raise FileError(
            f"{str(path)!r} must be a file; it is a folder. Name a file in it."
        ) from None
    except PermissionError:
        raise FileError(f"{str(path)!r} must be readable; permission was denied.") from None


def _nearby(path: Path) -> str:
    """The nearest name in the same folder, or what is wrong with the folder."""
    folder = path.parent
    if not folder.is_dir():
        return f"; there is no folder {str(folder)!r}."
    return did_you_mean(path.name, (p.name for p in folder.iterdir() if p.is_file())) or "."
