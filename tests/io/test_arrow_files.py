"""Parquet and Arrow files, whole and in batches."""

import gzip

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, ipc, parquet

from abovechance.errors import ColumnError, FileError
from abovechance.io import batches, read_table

TABLE = pa.table(
    {
        "id": ["007", "008", None],
        "y": [1, 0, None],
        "p": [0.25, None, 0.5],
        "flag": [True, False, True],
        "ph.ecog": [1.0, 2.0, 3.0],
    }
)


def write_stream(table, path):
    with ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


def write_file(table, path):
    with ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


WRITERS = {
    "parquet": parquet.write_table,
    "feather": feather.write_feather,
    "arrow": write_file,
    "arrows": write_stream,
}


@pytest.mark.parametrize("extension", WRITERS)
@pytest.mark.parametrize("named", [None, "csv"])
def test_typed_columns_stay_typed_whatever_the_file_is_called(tmp_path, extension, named):
    path = tmp_path / f"a.{named or extension}"
    WRITERS[extension](TABLE, str(path))
    for source in (path, str(path), path.read_bytes(), gzip.compress(path.read_bytes())):
        table = read_table(source)
        assert table.rows == 3
        assert table.text("id").tolist() == ["007", "008", None]
        np.testing.assert_array_equal(table.labels("y"), [1.0, 0.0, np.nan])
        np.testing.assert_array_equal(table.number("p"), [0.25, np.nan, 0.5])
        assert table.labels("flag").tolist() == [True, False, True]
        assert table.number("ph.ecog").tolist() == [1.0, 2.0, 3.0]


def test_columns_of_parquet_are_read_only_when_asked_for(tmp_path):
    parquet.write_table(TABLE, tmp_path / "a.parquet")
    table = read_table(tmp_path / "a.parquet")
    assert table.names == ("id", "y", "p", "flag", "ph.ecog")
    assert len(table.columns) == 5
    with pytest.raises(
        ColumnError, match=r"no column 'flags' in a\.parquet; did you mean 'flag'\?"
    ):
        table.labels("flags")


@pytest.mark.parametrize("extension", WRITERS)
def test_a_damaged_file_is_refused(tmp_path, extension):
    path = tmp_path / "a"
    WRITERS[extension](TABLE, str(path))
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(FileError, match=r"a must be a whole .* it is damaged or cut off"):
        read_table(path)


def test_twin_names_are_refused(tmp_path):
    write_file(pa.table([[1], [2]], names=["y", "y"]), str(tmp_path / "a.arrow"))
    with pytest.raises(FileError, match="columns 1, 2 are all called 'y'"):
        read_table(tmp_path / "a.arrow")


def test_no_rows_are_refused(tmp_path):
    parquet.write_table(TABLE.slice(0, 0), tmp_path / "a.parquet")
    with pytest.raises(FileError, match=r"a\.parquet must hold at least one row"):
        read_table(tmp_path / "a.parquet")


def test_batches_give_every_row_once_and_in_order(tmp_path):
    n = 10_000
    table = pa.table({"y": np.arange(n) % 2, "p": np.arange(n) / n, "other": ["x"] * n})
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=3000)
    pieces = list(batches(tmp_path / "a.parquet", ["p", "y"], rows=1024))
    assert all(list(piece) == ["p", "y"] for piece in pieces)
    assert all(len(piece["p"]) <= 1024 for piece in pieces)
    np.testing.assert_array_equal(np.concatenate([b["p"] for b in pieces]), np.arange(n) / n)
    np.testing.assert_array_equal(np.concatenate([b["y"] for b in pieces]), np.arange(n) % 2)


def test_batches_refuse_an_unknown_column(tmp_path):
    parquet.write_table(TABLE, tmp_path / "a.parquet")
    with pytest.raises(ColumnError, match="no column 'q' in"):
        next(batches(tmp_path / "a.parquet", ["q"]))


def test_batches_refuse_what_is_not_parquet(tmp_path):
    (tmp_path / "a.csv").write_text("y,p\n1,0.5\n")
    with pytest.raises(FileError, match=r"a\.csv must be a whole Parquet file"):
        next(batches(tmp_path / "a.csv", ["y"]))
    with pytest.raises(FileError, match="no file"):
        next(batches(tmp_path / "b.parquet", ["y"]))
