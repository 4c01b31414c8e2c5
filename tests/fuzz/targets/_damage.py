"""Files of predictions as they should be, and what may have happened to them since."""

import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from fuzz.frame import settle

ODD = (0, 1, 9, 10, 13, 0x22, 0x27, 0x2C, 0x2D, 0x3B, 0x7B, 0x7F, 0x80, 0xFF)
NUMBERS = (
    b"\xff" * 8,
    b"\x00" * 8,
    (2**31 - 1).to_bytes(8, "little"),
    (2**62).to_bytes(8, "little"),
)


SOUND = 400  # files of each kind that are made, once in a process; there is no end of damage


def one_of(made: Callable[[Random], bytes], rng: Random) -> bytes:
    """A sound file of a kind: making one takes longer than reading it."""
    return _made(made, rng.randrange(SOUND))


@cache
def _made(made: Callable[[Random], bytes], number: int) -> bytes:
    return made(Random(f"{made.__name__}:{number}"))


def damaged(data: bytes, rng: Random, keep: int = 0) -> bytes:
    """Some bytes changed, cut out, doubled or cut off behind the first `keep`."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if len(found) <= keep + 8:
            break
        here, there = sorted(rng.randrange(keep, len(found)) for _ in range(2))
        kind = rng.random()
        if kind < 0.5:
            for _ in range(rng.choice((1, 1, 2, 8))):
                at = rng.randrange(keep, len(found))
                found[at] = rng.choice((rng.randrange(256), rng.choice(ODD)))
        elif kind < 0.6:
            found[here] ^= 1 << rng.randrange(8)
        elif kind < 0.72:
            wide = rng.choice((2, 4, 8))
            found[here : here + wide] = rng.choice(NUMBERS)[:wide]
        elif kind < 0.8:
            del found[here:]
        elif kind < 0.9:
            del found[here : min(there, here + 200)]
        else:
            at = rng.randrange(keep, len(found))
            found[at:at] = found[here : min(there, here + 200)] * rng.choice((1, 1, 5))
    return bytes(found)


def columns(rng: Random) -> dict[str, list[Any]]:
    """A small table of predictions of some kind."""
    n = rng.choice((1, 2, 12, 40))
    p = [round(rng.random(), 3) for _ in range(n)]
    outcome: list[Any] = rng.choice(
        (
            [rng.randrange(2) for _ in range(n)],
            [rng.choice(("sick", "well")) for _ in range(n)],
            [rng.choice("abc") for _ in range(n)],
            [rng.gauss(0, 3) for _ in range(n)],
            [rng.random() < 0.5 for _ in range(n)],
        )
    )
    found: dict[str, list[Any]] = {"id": [f"case {i}" for i in range(n)], "y": outcome, "p": p}
    if rng.random() < 0.5:
        found["site"] = [rng.choice(("Åbo", "Łódź", "", None, "x" * 300)) for _ in range(n)]
    if rng.random() < 0.3:
        found["n" * rng.choice((3, 2000))] = [rng.choice((1, None, 2.5)) for _ in range(n)]
    return found


def into_read(data: bytes) -> str:
    """Whatever can be asked of a file that was read."""
    from abovechance.errors import AboveChanceError
    from abovechance.io import read, read_table

    def call() -> None:
        table = read_table(data)
        for name in table.names[:20]:
            for ask in (table.text, table.number, table.labels, table.holds_dates):
                quietly(lambda ask=ask, name=name: ask(name))
        read(table)

    def quietly(ask: Callable[[], Any]) -> None:
        try:
            ask()
        except AboveChanceError as refused:
            from fuzz.frame import readable

            readable(str(refused))

    return settle(call)


def as_text(rng: Random) -> bytes:
    """A table as separated values, JSON lines, a JSON list or an object of lists."""
    table = columns(rng)
    names, rows = list(table), list(zip(*table.values(), strict=True))
    kind = rng.randrange(4)
    if kind == 0:
        import csv

        text = io.StringIO(newline="")
        end = rng.choice(("\n", "\r\n", "\r"))
        writer = csv.writer(text, delimiter=rng.choice(",;\t|"), lineterminator=end)
        writer.writerows([names, *rows])
        data = text.getvalue().encode(
            rng.choice(("utf-8", "utf-8-sig", "utf-16", "cp1250")), "replace"
        )
    elif kind == 1:
        lines = [json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) for row in rows]
        data = "\n".join(lines).encode()
    elif kind == 2:
        data = json.dumps([dict(zip(names, row, strict=True)) for row in rows]).encode()
    else:
        data = json.dumps(table).encode()
    return data


def as_columns(rng: Random) -> bytes:
    """A table as Parquet or Arrow, in one of the ways they can be written."""
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table(columns(rng))
    for at, name in enumerate(table.column_names):
        kind, draw = table.schema.field(at).type, rng.random()
        if pa.types.is_string(kind) and draw < 0.4:
            table = table.set_column(at, name, table[at].dictionary_encode())
        elif pa.types.is_floating(kind) and draw < 0.3:
            table = table.set_column(at, name, table[at].cast(pa.float32()))
        elif pa.types.is_floating(kind) and draw < 0.5:
            scaled = table[at].cast(pa.decimal128(30, 20), safe=False)
            table = table.set_column(at, name, scaled)
    file = io.BytesIO()
    if rng.random() < 0.5:
        parquet.write_table(
            table,
            file,
            compression=rng.choice(("none", "snappy", "gzip", "zstd")),
            use_dictionary=rng.random() < 0.5,
            data_page_version=rng.choice(("1.0", "2.0")),
            row_group_size=rng.choice((7, 1000)),
        )
        return file.getvalue()
    written = pa.ipc.new_file if rng.random() < 0.5 else pa.ipc.new_stream
    options = pa.ipc.IpcWriteOptions(compression=rng.choice((None, "lz4", "zstd")))
    with written(file, table.schema, options=options) as writer:
        writer.write_table(table)
    return file.getvalue()


def as_archive(rng: Random) -> bytes:
    """A table as a workbook or as arrays of NumPy."""
    table = columns(rng)
    file = io.BytesIO()
    if rng.random() < 0.3:
        arrays = {name[:50]: np.array([str(v) for v in held]) for name, held in table.items()}
        np.savez(file, **(arrays | {"p": np.array(table["p"])}))
        return timeless(file.getvalue())
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(list(table))
    for row in zip(*table.values(), strict=True):
        sheet.append(row)
    book.save(file)
    return timeless(file.getvalue())


def as_labelled(rng: Random) -> bytes:
    """A table as SPSS, Stata or SAS write it, with value labels and values declared missing."""
    import pandas as pd
    import pyreadstat

    n = rng.choice((1, 3, 12, 40))
    first = date(2024, 1, 1)
    frame = pd.DataFrame(
        {
            "y": pd.Series([rng.randrange(2) for _ in range(n)], dtype="int32"),
            "p": [round(rng.random(), 3) for _ in range(n)],
            "site": [rng.choice(("a", "Łódź", "x" * rng.choice((3, 200)), "")) for _ in range(n)],
            "seen": [first + timedelta(days=rng.randrange(900)) for _ in range(n)],
        }
    )
    labels = {"variable_value_labels": {"y": {0: "well", 1: "sick"}}} if rng.random() < 0.6 else {}
    missing = {"missing_ranges": {"y": [1]}} if rng.random() < 0.3 else {}
    kind = rng.choice(("sav", "zsav", "dta", "old dta", "por", "xpt", "old xpt"))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        if kind in ("sav", "zsav"):
            pyreadstat.write_sav(frame, path, compress=kind == "zsav", **labels, **missing)
        elif kind.endswith("dta"):
            pyreadstat.write_dta(frame, path, version=15 if kind == "dta" else 8, **labels)
        elif kind == "por":
            pyreadstat.write_por(frame.drop(columns="site"), path)
        else:
            pyreadstat.write_xport(frame, path, file_format_version=8 if kind == "xpt" else 5)
        data = path.read_bytes()
    for pattern in WRITTEN_AT:
        data = re.sub(pattern, lambda found: re.sub(rb"[0-9A-Za-z]", b"1", found[0]), data)
    return data


# When the file was written, in each of the ways these formats say it.
WRITTEN_AT = (
    rb"\d\d [A-Z][a-z]{2} \d\d\d\d:\d\d:\d\d",
    rb"\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d",
    rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d",
    rb"(?<=8/)[\d\r\n]{8,10}(?=6/)",
    rb"(?<=6/)[\d\r\n]{6,8}(?=8/ReadStat)",
)


def timeless(data: bytes) -> bytes:
    """The archive as it would be whenever it was made."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            content = re.sub(rb"\d{4}-\d\d-\d\dT[\d:]{8}Z", b"2000-01-01T00:00:00Z", old.read(name))
            new.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def within_archive(data: bytes, rng: Random) -> bytes:
    """The archive with one of its members damaged, and everything else in order."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w") as new:
        struck = rng.choice(old.namelist())
        for name in old.namelist():
            content = old.read(name)
            struck_or_not = damaged(content, rng) if name == struck else content
            new.writestr(zipfile.ZipInfo(name), struck_or_not)
    return file.getvalue()


def packed(data: bytes, rng: Random) -> bytes:
    """The same compressed, then perhaps damaged."""
    zipped = gzip.compress(data, mtime=0)
    return damaged(zipped, rng, 3) if rng.random() < 0.5 else zipped
