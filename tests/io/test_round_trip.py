"""What was written is read: random tables, all layouts, and files cut off at every byte."""

import csv
import gzip
import io

import numpy as np
import pytest

from abovechance.errors import AboveChanceError
from abovechance.io import read_table

PIECES = [
    "a",
    "Z",
    "0",
    "7",
    " x",
    'q"q',
    ",",
    ";",
    "\t",
    "|",
    "ä",
    "ж",
    "漢",
    "'",
    "\n",
    "=1",
    "é",
]


def written(rows, separator, end="\n"):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, lineterminator=end).writerows(rows)
    return text.getvalue()


def random_rows(rng, rows, columns):
    def field():
        return "".join(rng.choice(PIECES, rng.integers(1, 5))).strip() or "x"

    return [[f"c{i}" for i in range(columns)]] + [
        [field() for _ in range(columns)] for _ in range(rows)
    ]


@pytest.mark.parametrize("seed", range(40))
def test_random_texts_come_back_as_they_were_written(seed):
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, int(rng.integers(1, 30)), int(rng.integers(2, 6)))
    separator = str(rng.choice([",", ";", "\t", "|"]))
    text = written(rows, separator, str(rng.choice(["\n", "\r\n"])))
    data = text.encode(str(rng.choice(["utf-8", "utf-8-sig", "utf-16"])))
    table = read_table(gzip.compress(data) if seed % 2 else data, separator=separator)
    assert table.names == tuple(rows[0])
    for place, name in enumerate(rows[0]):
        assert table.text(name).tolist() == [row[place] for row in rows[1:]]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("quoted", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_a_file_cut_off_anywhere_gives_whole_rows_or_a_refusal(encoding, quoted):
    rows = [["id", "klasse", "p"], ["007", "kränk", "0.25"], ["08", "a,b", "0.5"], ["9", "c", "1"]]
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n", quoting=quoted).writerows(rows)
    data = text.getvalue().encode(encoding)
    seen = set()
    for size in range(len(data)):
        try:
            table = read_table(data[:size])
        except AboveChanceError:
            continue
        found = list(zip(*(table.text(name).tolist() for name in table.names), strict=True))
        whole = [tuple(row) for row in rows[1 : len(found) + 1]]
        # Only the last field of a line without end can be shorter than it was.
        assert found[:-1] == whole[:-1]
        if table.names == tuple(rows[0]):
            assert found[-1][:-1] == whole[-1][:-1]
            assert whole[-1][-1].startswith(found[-1][-1] or "")
            seen.add(len(found))
    assert seen == {1, 2, 3}


@pytest.mark.parametrize("seed", range(5))
def test_numbers_come_back_to_the_last_bit(seed):
    numbers = np.random.default_rng(seed).standard_normal(1000) * 10.0 ** np.arange(-10, 10).repeat(
        50
    )
    texts = [repr(float(x)) for x in numbers]
    plain = read_table(written([["x", "y"], *([t, "1"] for t in texts)], ",").encode())
    np.testing.assert_array_equal(plain.number("x"), numbers)
    comma = written([["x", "y"], *([t.replace(".", ","), "1"] for t in texts)], ";")
    np.testing.assert_array_equal(read_table(comma.encode()).number("x"), numbers)
