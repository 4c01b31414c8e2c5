"""Dataframes of several libraries, dictionaries and records."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from abovechance.errors import DataError, FileError
from abovechance.io import read_table

COLUMNS = {
    "id": ["007", "008", "009"],
    "y": [1, 0, 1],
    "p": [0.25, 0.5, 0.75],
    "flag": [True, False, True],
    "class": ["a", None, "NA"],
}
FRAMES = {
    "pandas": pd.DataFrame(COLUMNS),
    "polars": pl.DataFrame(COLUMNS),
    "lazy polars": pl.LazyFrame(COLUMNS),
    "pyarrow": pa.table(COLUMNS),
    "dictionary": COLUMNS,
    "arrays": {name: np.array(values) for name, values in COLUMNS.items()},
    "records": [
        dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)
    ],
}


@pytest.mark.parametrize("library", FRAMES)
def test_every_library_gives_the_same_table(library):
    table = read_table(FRAMES[library])
    assert table.rows == 3
    assert table.text("id").tolist() == ["007", "008", "009"]
    assert table.labels("y").tolist() == [1, 0, 1]
    assert table.number("p").tolist() == [0.25, 0.5, 0.75]
    assert table.labels("flag").tolist() == [True, False, True]
    assert table.labels("class").tolist() == ["a", None, "NA"]


def test_pandas_own_types_are_understood():
    table = read_table(
        pd.DataFrame(
            {
                "category": pd.Categorical(["b", "a", None]),
                "integer": pd.array([1, None, 3], dtype="Int64"),
                "logical": pd.array([True, None, False], dtype="boolean"),
                "mixed": pd.Series([1, "a", None], dtype=object),
                5: [1.0, np.nan, 2.5],
            }
        ).set_index(pd.Index([10, 20, 30]))
    )
    assert table.labels("category").tolist() == ["b", "a", None]
    np.testing.assert_array_equal(table.labels("integer"), [1.0, np.nan, 3.0])
    np.testing.assert_array_equal(table.labels("logical"), [1.0, np.nan, 0.0])
    assert table.labels("mixed").tolist() == ["1", "a", None]
    np.testing.assert_array_equal(table.number("5"), [1.0, np.nan, 2.5])


def test_polars_own_types_are_understood():
    frame = pl.DataFrame({"c": ["b", "a"], "d": [1, 2]}).with_columns(
        pl.col("c").cast(pl.Categorical), pl.col("d").cast(pl.Int8)
    )
    table = read_table(frame)
    assert table.labels("c").tolist() == ["b", "a"]
    assert table.labels("d").tolist() == [1, 2]


def test_twin_names_are_refused():
    with pytest.raises(DataError, match="every column of the dataframe must have its own name"):
        read_table(pd.DataFrame([[1, 2]], columns=["y", "y"]))
    with pytest.raises(DataError, match="columns 1, 2 are all called '1'"):
        read_table(pd.DataFrame([[1, 2]], columns=["1", 1]))


def test_an_empty_frame_is_refused():
    with pytest.raises(FileError, match="the dataframe must hold at least one row"):
        read_table(pd.DataFrame({"y": []}))
    with pytest.raises(FileError, match="the dataframe must hold a table; it has no columns"):
        read_table({})


def test_a_column_of_two_axes_is_refused():
    with pytest.raises(FileError, match="a column must be a list or array of one axis"):
        read_table({"y": np.zeros((2, 2))})


def test_what_is_no_table_is_refused():
    with pytest.raises(DataError, match="records; got int"):
        read_table(3)
