"""Tables of any text, written and read again: what comes back is what was written."""

import csv
import io
import json
from random import Random

from fuzz.frame import Target, settle

LETTERS = 'a Z 0 7 q"q " , ; | ä ж 漢 \' =1 é € 😀 NA'
BLANKS = "\t \n \r \x0b \x0c \x1f \x85 \xa0 \u2028 \u200b"
PIECES = (*LETTERS.split(" "), *BLANKS.split(" "), "\r\n", " x")


def text(rng: Random) -> str:
    return "".join(rng.choice(PIECES) for _ in range(rng.randrange(1, 5))).strip() or "x"


def draw(rng: Random) -> bytes:
    wide = rng.randrange(2, 5)
    names: list[str] = []
    while len(names) < wide:
        name = text(rng) if rng.random() < 0.5 else f"c{len(names)}"
        names += [name] * (name not in names)
    rows = [[text(rng) for _ in names] for _ in range(rng.randrange(1, 9))]
    how = {
        "separator": rng.choice(",;\t|"),
        "end": rng.choice(("\n", "\r\n", "\r")),
        "encoding": rng.choice(("utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252")),
        "last": rng.random() < 0.8,
        "format": rng.choice(("csv", "csv", "csv", "jsonl", "parquet", "arrow")),
    }
    return json.dumps([names, rows, how]).encode()


def attempt(data: bytes) -> str:
    from abovechance.io import read_table

    names, rows, how = json.loads(data)

    def call() -> None:
        try:
            file = written(names, rows, how)
        except UnicodeEncodeError:  # letters that the drawn encoding has not
            how["encoding"] = "utf-8"
            file = written(names, rows, how)
        options = {}
        if how["format"] == "csv":
            options = {
                "separator": how["separator"],
                "encoding": how["encoding"].removesuffix("-sig"),
            }
        table = read_table(file, **options)
        found = [table.text(name).tolist() for name in table.names]
        if table.names != tuple(names):
            raise AssertionError(f"names came back as {table.names!r}"[:300])
        if list(zip(*found, strict=True)) != [tuple(row) for row in rows]:
            raise AssertionError(f"cells came back as {found!r}"[:300])

    return settle(call)


def written(names: list[str], rows: list[list[str]], how: dict[str, str]) -> bytes:
    if how["format"] == "jsonl":
        lines = (json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) for row in rows)
        return "\n".join(lines).encode()
    if how["format"] != "csv":
        import pyarrow as pa
        from pyarrow import feather, parquet

        table = pa.table({name: [row[at] for row in rows] for at, name in enumerate(names)})
        file = io.BytesIO()
        (parquet.write_table if how["format"] == "parquet" else feather.write_feather)(table, file)
        return file.getvalue()
    out = io.StringIO(newline="")
    # all in quotation marks: some versions of this writer leave a carriage return without
    writer = csv.writer(
        out, delimiter=how["separator"], lineterminator=how["end"], quoting=csv.QUOTE_ALL
    )
    writer.writerows([names, *rows])
    text = out.getvalue()
    return (text if how["last"] else text.removesuffix(how["end"])).encode(how["encoding"])


TARGET = Target("tables of any text written and read again", draw, attempt)
