"""What the page sends: a line of JSON, then the files one after the other."""

import json
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from abovechance.app.columns import KINDS, Choices
from abovechance.errors import DataError, FileError
from abovechance.io import read_table
from abovechance.io.files import is_gzip
from abovechance.io.table import Table

LARGEST = 200 * 2**20  # bytes in all, as sent and as unpacked
MOST_FILES = 6
LONGEST = 200  # letters of a file name that are kept
LINE = 2**20


class Parcel(NamedTuple):
    """The files of a request as tables, and what was chosen."""

    tables: list[Table]
    choices: Choices


def opened(body: bytes) -> Parcel:
    """Read a request.

    >>> parcel = opened(b'{"files":[{"name":"a.csv","size":8}]}\\ny,p\\n1,.5')
    >>> parcel.tables[0].source, parcel.tables[0].rows
    ('a.csv', 1)
    """
    line, _, rest = body.partition(b"\n")
    try:
        told = json.loads(line[:LINE])
        sizes = [(str(f["name"])[:LONGEST], int(f["size"])) for f in told["files"]]
    except (ValueError, KeyError, TypeError):
        raise DataError("the page sent something unreadable; load it again.") from None
    if not 1 <= len(sizes) <= MOST_FILES:
        raise DataError(f"there must be 1 to {MOST_FILES} files; got {len(sizes)}.")
    if any(size < 0 for _, size in sizes) or sum(size for _, size in sizes) != len(rest):
        raise DataError("the page sent something unreadable; load it again.")
    tables, at = [], 0
    for name, size in sizes:
        tables.append(read_table(_bounded(rest[at : at + size], name), name=name))
        at += size
    return Parcel(tables, _choices(told.get("choices") or {}))


def _choices(told: Any) -> Choices:
    if not isinstance(told, dict) or told.get("kind", "probability") not in KINDS:
        raise DataError("the page sent something unreadable; load it again.")
    predicted = told.get("predicted") or []
    if not isinstance(predicted, Sequence) or isinstance(predicted, str):
        raise DataError("the page sent something unreadable; load it again.")
    texts = {
        name: str(told.get(name) or "")
        for name in ("outcome", "positive", "time", "event", "id", "groups", "fold")
    }
    kind = str(told.get("kind") or "probability")
    return Choices(kind=kind, predicted=tuple(str(p) for p in predicted), **texts)


def _bounded(data: bytes, name: str) -> bytes:
    """What was compressed, unpacked as far as is allowed."""
    if not is_gzip(data):
        return data
    packed = zlib.decompressobj(wbits=31)
    try:
        found = packed.decompress(data, LARGEST)
    except zlib.error:
        return data  # the reader says what is wrong with it
    if packed.unconsumed_tail:
        raise FileError(f"{name} must unpack to at most {LARGEST >> 20} MB; it does not.")
    return found if packed.eof and not packed.unused_data else data
