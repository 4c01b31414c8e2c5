"""From files, frames and columns to predictions."""

import gzip
import io
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from abovechance.errors import ColumnError, DataError, FileError
from abovechance.io import read, read_table
from abovechance.predictions import Binary, Multiclass, Numeric, Survival

# ----------------------------------------------------------------------------------------------
# Dataframes of several libraries, dictionaries and records.
# ----------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------
# Where tables come from: paths, bytes, open files; and what is not there.
# ----------------------------------------------------------------------------------------------


DATA = b"y,p\n1,0.5\n"


def test_a_path_bytes_and_an_open_file_give_the_same(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(DATA)
    with path.open("rb") as file:
        for source in (path, str(path), DATA, bytearray(DATA), io.BytesIO(DATA), file):
            assert read_table(source).number("p").tolist() == [0.5]


def test_a_missing_file_is_refused_with_the_nearest_name(tmp_path):
    (tmp_path / "predictions.csv").write_bytes(DATA)
    with pytest.raises(FileError, match=r"did you mean 'predictions\.csv'\?"):
        read_table(tmp_path / "prediction.csv")
    with pytest.raises(FileError, match="there is no folder"):
        read_table(tmp_path / "nowhere" / "a.csv")


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(FileError, match="must be a file; it is a folder"):
        read_table(tmp_path)


@pytest.mark.parametrize(
    ("head", "what"),
    [
        (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
        (b"%PDF-1.7", "a PDF document"),
        (b"\x80\x04\x95....", "a Python pickle"),
    ],
)
def test_files_of_other_kinds_are_refused_by_name(tmp_path, head, what):
    (tmp_path / "a.csv").write_bytes(head)
    with pytest.raises(FileError, match=f"a.csv must hold a table; it is {what}"):
        read_table(tmp_path / "a.csv")


def test_a_gzip_file_cut_off_or_damaged_is_refused():
    import gzip

    whole = gzip.compress(DATA * 1000)
    for data in (whole[:-20], whole[:-6] + b"xx" + whole[-4:], b"\x1f\x8b\x08aaaa"):
        with pytest.raises(FileError, match=r"a\.csv\.gz must be a whole gzip file"):
            read_table(data, name="a.csv.gz")


def test_a_file_name_that_would_not_print_is_escaped(tmp_path):
    path = tmp_path / "a\x1b[31m.csv"
    path.write_bytes(b"")
    with pytest.raises(FileError) as caught:
        read_table(path)
    assert str(caught.value).isprintable()


def test_a_million_rows_are_read_whole(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,y,p\n" + "0000007,sick,0.123456\n" * 1_000_000)
    table = read_table(path)
    assert (table.labels("y") == "sick").all()
    assert table.number("p").sum() == pytest.approx(123456.0)
    assert table.text("id").size == 1_000_000


@pytest.mark.parametrize(
    ("code", "loaded"),
    [
        ("import abovechance.io", []),
        (
            "from abovechance.io import read; read(b'y,p,id\\n1,NA,7\\n0,1,8\\n', missing='drop')",
            ["pyarrow"],
        ),
    ],
)
def test_nothing_is_loaded_before_it_is_needed(code, loaded):
    modules = (
        "[m for m in ('pyarrow', 'narwhals', 'pandas', 'polars', 'scipy') if m in sys.modules]"
    )
    code = f"import sys; {code}; print({modules})"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == str(loaded)


# ----------------------------------------------------------------------------------------------
# From files to predictions, with the edges users meet.
# ----------------------------------------------------------------------------------------------


def test_a_csv_of_zeros_and_ones_needs_nothing_stated():
    found = read(b"id,y,p\n007,1,0.9\n008,0,0.2\n")
    assert isinstance(found, Binary)
    assert found.positive.tolist() == [True, False]
    assert found.probability.tolist() == [0.9, 0.2]
    assert found.cases.id.tolist() == ["007", "008"]
    assert found.described == "outcome = y, probability = p, id = id (found by name); 2 rows"
    assert found.notes == ()


def test_every_source_gives_the_same_predictions(tmp_path):
    columns = {"y": ["sick", "well", "sick"], "p": [0.75, 0.5, 0.25], "site": ["a", "b", "a"]}
    text = "y,p,site\nsick,0.75,a\nwell,0.5,b\nsick,0.25,a\n"
    pl.DataFrame(columns).write_parquet(tmp_path / "a.parquet")
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text.encode()))
    sources = (
        *(
            text.encode(),
            text.replace(",", ";").replace("0.", "0,").encode(),
            text.encode("utf-16"),
        ),
        *(tmp_path / "a.parquet", tmp_path / "a.csv.gz"),
        *(pd.DataFrame(columns), pl.DataFrame(columns), columns, read_table(columns)),
    )
    for source in sources:
        found = read(source, pos_label="sick", groups="site")
        assert found.positive.tolist() == [True, False, True]
        assert found.probability.tolist() == [0.75, 0.5, 0.25]
        assert found.cases.groups.tolist() == ["a", "b", "a"]


@pytest.mark.parametrize("role", ["time", "event", "probability", "id"])
def test_true_is_no_name_of_a_column(role):
    with pytest.raises(ColumnError, match=f"^{role} must be the name of a column; got True.$"):
        read(b"y,p\n1,.2\n0,.3\n", outcome="y", **{role: True})


def test_what_was_assumed_travels_with_the_predictions():
    found = read("y;p\nkränk;0,7\nwohl;0,2\nkränk".encode("latin-1"), pos_label="kränk")
    assert [note.code for note in found.notes] == ["AC701", "AC702", "AC703"]
    assert found.classes == ("wohl", "kränk")


def test_words_need_pos_label():
    with pytest.raises(DataError, match="pos_label must say which class is positive"):
        read(b"y,p\nyes,0.9\nno,0.2\n")
    with pytest.raises(DataError, match="pos_label must say which class is positive"):
        read(b"y,p_yes,p_no\nyes,0.9,0.1\nno,0.2,0.8\n")


def test_pos_label_as_text_matches_numbers_and_logicals():
    assert read(b"y,p\n2,0.9\n1,0.2\n", pos_label="2").positive.tolist() == [True, False]
    assert read(b"y,p\nTRUE,0.9\nFALSE,0.2\n").positive.tolist() == [True, False]
    for word in ("FALSE", "False", "false"):
        assert read(b"y,p\nTRUE,0.9\nFALSE,0.2\n", pos_label=word).positive.tolist() == [
            False,
            True,
        ]


def test_the_probability_of_the_positive_class_is_chosen_by_name():
    data = b"y,p_well,p_sick\nsick,0.1,0.9\nwell,0.7,0.3\n"
    assert read(data, pos_label="sick").probability.tolist() == [0.9, 0.3]
    assert read(data, pos_label="well").probability.tolist() == [0.1, 0.7]
    assert read(b"y,p_1,p_0\n1,0.9,0.1\n0,0.7,0.3\n").probability.tolist() == [0.9, 0.7]


def test_probabilities_of_two_classes_must_sum_to_one():
    with pytest.raises(DataError, match=r"must sum to 1; row 2 sums to 1\.4"):
        read(b"y,p_0,p_1\n1,0.1,0.9\n0,0.7,0.7\n")


def test_only_the_other_class_s_probability_is_refused():
    with pytest.raises(ColumnError, match="positive class 'sick' must have a column"):
        read(b"y,p_well\nsick,0.1\nwell,0.7\n", pos_label="sick")


def test_three_classes_are_multiclass_with_columns_matched_by_name():
    for order in (["a", "b", "c"], ["c", "a", "b"]):
        p = {"a": "0.7", "b": "0.2", "c": "0.1"}
        header = ",".join(["y", *(f"p_{c}" for c in order)])
        row = ",".join(p[c] for c in order)
        found = read(f"{header}\na,{row}\nb,{row}\nc,{row}\n".encode())
        assert isinstance(found, Multiclass)
        assert found.classes == ("a", "b", "c")
        np.testing.assert_array_equal(found.probability[:, 0], [0.7, 0.2, 0.1])


def test_a_class_that_never_occurs_is_kept_and_said():
    found = read(b"y,p_a,p_b,p_c\na,0.5,0.3,0.2\nb,0.4,0.4,0.2\n")
    assert found.classes == ("a", "b", "c")
    assert str(found.notes[0]) == "[AC704] the outcome never takes the class c"


def test_a_class_without_its_column_is_refused():
    with pytest.raises(ColumnError, match="none for 'c' among p_a, p_b"):
        read(b"y,p_a,p_b\na,0.5,0.5\nb,0.4,0.6\nc,0.5,0.5\n")


def test_one_probability_for_three_classes_is_refused():
    with pytest.raises(DataError, match="one column of probability needs two classes; 'y' has 3"):
        read(b"y,p\na,0.5\nb,0.4\nc,0.5\n")


def test_labels_may_name_a_class_that_was_never_observed():
    found = read(b"y,label\na,b\nb,c\n")
    assert isinstance(found, Multiclass)
    assert found.classes == ("a", "b", "c")


def test_a_class_called_na_stays_a_class():
    found = read(b"y,label\nNA,EU\nEU,EU\nNA,NA\n", pos_label="NA")
    assert found.positive.tolist() == [True, False, True]


def test_numbers_are_numeric_with_one_output_or_several():
    one = read(b"y,yhat\n1.5,1\n2,2.5\n")
    assert isinstance(one, Numeric)
    assert one.value.tolist() == [[1.0, 2.5]]
    two = read(b"a,b,c,d\n1,2,3,4\n5,6,7,8\n", outcome=["a", "b"], value=["c", "d"])
    assert two.outcome.tolist() == [[1.0, 5.0], [2.0, 6.0]]
    assert two.outputs == ("a", "b")


def test_time_and_event_make_survival_predictions():
    found = read(b"time,event,S_24,S_12\n5,1,0.2,0.6\n9,0,0.5,0.8\n")
    assert isinstance(found, Survival)
    assert found.times.tolist() == [12.0, 24.0]
    assert found.survival.tolist() == [[0.6, 0.8], [0.2, 0.5]]
    stated = read(
        b"t,e,m12,m24\n5,1,0.6,0.2\n9,0,0.8,0.5\n", time="t", event="e", survival=["m24", "m12"]
    )
    assert stated.times.tolist() == [12.0, 24.0]
    mapped = read(
        b"t,e,a,b\n5,1,0.6,0.2\n9,0,0.8,0.5\n", time="t", event="e", survival={24: "b", 12: "a"}
    )
    np.testing.assert_array_equal(mapped.survival, stated.survival)


def test_an_event_in_words_or_codes_needs_pos_label():
    words = b"time,status,risk\n5,dead,0.2\n9,alive,0.5\n3,,0.1\n"
    with pytest.raises(DataError, match=r"column 'status' holds alive, dead\. Say which"):
        read(words)
    assert read(words, pos_label="dead", missing="drop").event.tolist() == [True, False]
    codes = b"time,status,risk\n5,2,0.2\n9,1,0.5\n"
    with pytest.raises(DataError, match=r"column 'status' holds 1, 2\. Say which"):
        read(codes)
    assert read(codes, pos_label="2").event.tolist() == [True, False]
    with pytest.raises(DataError, match="got '3' among 1, 2"):
        read(codes, pos_label="3")


def test_survival_columns_need_their_times_once_each():
    with pytest.raises(ColumnError, match="must have its time in its name, as S_12; got 'a'"):
        read(b"time,event,a\n1,1,0.5\n", survival="a")
    with pytest.raises(ColumnError, match="'S_12' and 'surv_12' have the same"):
        read(b"time,event,S_12,surv_12\n1,1,0.5,0.5\n")


def test_folds_and_repeats_say_where_predictions_came_from():
    data = b"id,y,p,fold,repeat\n1,1,0.9,1,1\n2,0,0.2,2,1\n1,1,0.8,2,2\n2,0,0.3,1,2\n"
    assert read(data).origin == "repeated_cv"
    assert read(b"y,p,fold\n1,0.9,1\n0,0.2,2\n").origin == "cv"
    assert read(b"y,p,fold\n1,0.9,1\n0,0.2,2\n", fold=False).origin == "test"
    assert read(b"y,p\n1,0.9\n0,0.2\n", origin="cv").origin == "cv"


def test_a_column_called_weight_is_left_alone_and_said():
    found = read(b"y,p,weight\n1,0.9,80\n0,0.2,70\n")
    assert found.weight is None
    assert str(found.notes[0]).startswith("[AC705] column 'weight' was not used")
    assert read(b"y,p,weight\n1,0.9,2\n0,0.2,1\n", sample_weight="weight").weight.tolist() == [2, 1]
    assert read(b"y,p,count\n1,0.9,2\n0,0.2,1\n").total == 3


def test_a_threshold_makes_labels_of_scores_only_when_stated():
    assert read(b"y,score\n1,2\n0,-1\n").label is None
    assert read(b"y,score\n1,2\n0,-1\n", threshold=0).label.tolist() == [True, False]


# The edge table: each with its own message.


def test_a_missing_column_is_refused_with_the_nearest():
    with pytest.raises(ColumnError, match=r"no column 'outcom' .* did you mean 'outcome'\?"):
        read(b"outcome,p\n1,0.9\n", outcome="outcom")


def test_duplicate_ids_are_refused():
    with pytest.raises(DataError, match="id must name every case once; 007 occurs more than once"):
        read(b"id,y,p\n007,1,0.9\n007,0,0.2\n")


def test_an_empty_file_and_no_rows_are_refused():
    with pytest.raises(FileError, match="it is empty"):
        read(b"")
    with pytest.raises(FileError, match="must hold at least one row"):
        read(b"y,p\n")


def test_one_row_is_read():
    assert read(b"y,p\n1,0.9").n == 1


def test_missing_values_are_refused_with_their_rows_or_dropped_and_counted():
    data = b"y,p\n1,0.9\n,0.2\n0,NA\n0,0.1\n"
    with pytest.raises(DataError, match="outcome must not be missing; it is at row 2"):
        read(data)
    found = read(data, missing="drop")
    assert (found.n, found.dropped) == (2, 2)


def test_missing_facts_about_cases_are_refused_unless_the_case_is_dropped():
    data = b"id,y,p\na,1,0.9\n,,0.2\nc,0,0.1\n"
    assert read(data, missing="drop").cases.id.tolist() == ["a", "c"]
    with pytest.raises(DataError, match="id must not be missing; it is at row 2"):
        read(b"id,y,p\na,1,0.9\n,0,0.2\n", missing="drop")
    assert read(b"id,y,p\na,1,0.9\n,0,0.2\n", id=False).n == 2


def test_what_is_no_number_is_refused_with_column_and_row():
    with pytest.raises(DataError, match="column 'p' must hold numbers; got 'high' at row 2"):
        read(b"y,p\n1,0.9\n0,high\n")


def test_probabilities_outside_the_unit_interval_are_refused():
    with pytest.raises(DataError, match=r"must lie in \[0, 1\]; got 1.7 at row 2"):
        read(b"y,p\n1,0.9\n0,1.7\n")


# ----------------------------------------------------------------------------------------------
# What other tools hand over: JSON of pandas and MLflow, scores of folds, datasets.
# ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("orient", ["columns", "split", "records"])
@pytest.mark.parametrize("indent", [None, 2])
def test_json_of_pandas_is_understood(orient, indent):
    frame = pd.DataFrame({"targets": ["a", "b", None], "p": [0.25, 0.5, 0.75]})
    table = read_table(frame.to_json(orient=orient, indent=indent).encode())
    assert table.names == ("targets", "p")
    assert table.labels("targets").tolist() == ["a", "b", None]
    assert table.number("p").tolist() == [0.25, 0.5, 0.75]


def test_a_table_of_rows_that_lack_a_value_is_refused():
    with pytest.raises(
        FileError, match=r"every row of data in a\.json must have one value per col"
    ):
        read_table(b'{"columns": ["y", "p"], "data": [[1, 0.5], [0]]}', name="a.json")


def test_scores_of_folds_are_no_predictions():
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, cross_validate

    X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 0, 1, 1])
    with pytest.raises(DataError, match=r"return_indices=True\) and pass its results to from_cro"):
        read(cross_validate(LogisticRegression(), X, y, cv=2))
    search = GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=2).fit(X, y)
    with pytest.raises(DataError, match=r"from_cv\(search, X, y\)"):
        read(search.cv_results_)


def test_a_dataset_goes_by_the_names_of_its_classes():
    datasets = pytest.importorskip("datasets")
    classes = datasets.ClassLabel(names=["well", "sick"])
    features = datasets.Features({"y": classes, "p": datasets.Value("float64")})
    columns = {"y": [0, 1, -1], "p": [0.25, 0.5, 0.75]}
    dataset = datasets.Dataset.from_dict(columns, features=features)
    made = read(dataset, pos_label="sick", missing="drop")
    assert made.positive.tolist() == [0, 1]
    assert "value labels (0 = well, 1 = sick)" in str(made.notes[0])
    assert read(dataset.select([1, 0]), pos_label="sick").probability.tolist() == [0.5, 0.25]
    with pytest.raises(DataError, match=r"has train, test\. Pass one, as dataset\['test'\]"):
        read(datasets.DatasetDict({"train": dataset, "test": dataset}))
    with pytest.raises(DataError, match="this one is streamed"):
        read(dataset.to_iterable_dataset())


def test_percentages_are_answered_with_the_remedy():
    with pytest.raises(DataError, match=r"got '73%' at row 1\. Write percentages as shares"):
        read(b"y,p\n1,73%\n0,20%\n")
    with pytest.raises(DataError, match="If these are percentages, divide by 100"):
        read(b"y,p\n1,73\n0,20\n")


def test_dates_are_no_outcome():
    with pytest.raises(DataError, match="column 'y' holds dates"):
        read(b"y,p\n2024-01-02,.5\n2024-01-03 11:30,.4\n")
    frame = pd.DataFrame({"y": pd.to_datetime(["2024-01-02", "2024-01-03"]), "p": [0.5, 0.4]})
    with pytest.raises(DataError, match="column 'y' holds dates"):
        read(frame)
