"""SPSS, Stata and SAS files: value labels, values declared missing, dates."""

import sys
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from abovechance.errors import DataError, FileError
from abovechance.io import read, read_table

FRAME = pd.DataFrame(
    {
        "y": [0.0, 1.0, 1.0, 0.0],
        "p": [0.25, 0.5, 0.75, 0.125],
        "site": ["a", "b", "a", "b"],
        "seen": [date(2024, 1, day) for day in (1, 2, 3, 4)],
    }
)
LABELS = {"y": {0: "well", 1: "sick"}}
WRITERS = {
    "a.sav": (pyreadstat.write_sav, {"variable_value_labels": LABELS}),
    "a.zsav": (pyreadstat.write_sav, {"variable_value_labels": LABELS, "compress": True}),
    "a.dta": (pyreadstat.write_dta, {"variable_value_labels": LABELS}),
    "old.dta": (pyreadstat.write_dta, {"variable_value_labels": LABELS, "version": 8}),
    "a.por": (pyreadstat.write_por, {}),
    "a.xpt": (pyreadstat.write_xport, {"file_format_version": 8}),
    "old.xpt": (pyreadstat.write_xport, {"file_format_version": 5}),
}


def written(folder, name, frame=FRAME, **options):
    write, usual = WRITERS[name]
    if write is pyreadstat.write_dta and "variable_value_labels" in usual:
        frame = frame.assign(y=frame["y"].astype("int32"))  # Stata labels whole numbers only
    write(frame, str(folder / name), **{**usual, **options})
    return folder / name


@pytest.mark.part(2)
@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_numbers(tmp_path, name):
    path = written(tmp_path, name)
    table = read_table(path if name.startswith("a") else path.read_bytes())
    found = {column.lower(): column for column in table.names}
    assert table.number(found["y"]).tolist() == [0, 1, 1, 0]
    assert table.number(found["p"]).tolist() == [0.25, 0.5, 0.75, 0.125]
    assert table.text(found["site"]).tolist() == ["a", "b", "a", "b"]
    assert table.holds_dates(found["seen"])


@pytest.mark.part(2)
@pytest.mark.parametrize("name", ["a.sav", "a.zsav", "a.dta", "old.dta"])
def test_an_outcome_goes_by_its_value_labels_and_says_so(tmp_path, name):
    path = written(tmp_path, name)
    with pytest.raises(DataError, match="pos_label must say which class is positive"):
        read(path)
    made = read(path, pos_label="sick")
    assert made.positive.tolist() == [0, 1, 1, 0]
    (note,) = made.notes
    assert str(note) == (
        "[AC708] column 'y' has value labels (0 = well, 1 = sick); as classes its values go by them"
    )


def test_remarks_on_columns_that_are_not_used_are_left_out(tmp_path):
    assert read(written(tmp_path, "a.sav"), outcome="site", score="p", pos_label="a").notes == ()


def test_labels_of_some_values_leave_numbers_as_they_are(tmp_path):
    frame = FRAME.assign(p=[0.25, 0.5, 0.0, 1.0])
    labels = {"p": {0: "surely not", 1: "surely"}}
    path = written(tmp_path, "a.sav", frame, variable_value_labels=labels)
    made = read(path)
    assert made.probability.tolist() == [0.25, 0.5, 0.0, 1.0]
    assert "labels for some of its values only (0 = surely not, 1 = surely)" in str(made.notes[0])


def test_one_label_for_two_values_leaves_numbers_as_they_are(tmp_path):
    path = written(tmp_path, "a.sav", variable_value_labels={"y": {0: "x", 1: "x"}})
    assert read_table(path).labels("y").tolist() == [0, 1, 1, 0]


def test_values_declared_missing_are_missing_and_counted(tmp_path):
    frame = FRAME.assign(y=[0.0, 1.0, 99.0, 98.0])
    labels = {"y": {0: "well", 1: "sick", 99: "refused"}}
    missing = {"y": [{"lo": 98, "hi": 99}]}
    path = written(tmp_path, "a.sav", frame, variable_value_labels=labels, missing_ranges=missing)
    with pytest.raises(DataError, match="rows 3, 4"):
        read(path, pos_label="sick")
    made = read(path, pos_label="sick", missing="drop")
    assert made.n == 2
    assert "2 values declared missing in the file (98, 99) count as missing" in str(made.notes[0])
    assert "(0 = well, 1 = sick)" in str(made.notes[1])


def test_words_declared_missing_are_missing(tmp_path):
    path = written(tmp_path, "a.sav", missing_ranges={"site": ["b"]})
    assert read_table(path).text("site").tolist() == ["a", None, "a", None]


def test_stata_missing_values_are_missing(tmp_path):
    frame = FRAME.assign(p=[0.5, np.nan, 0.5, 0.5])
    np.testing.assert_array_equal(
        read_table(written(tmp_path, "a.dta", frame)).number("p"), [0.5, np.nan, 0.5, 0.5]
    )


def test_dates_are_no_outcome_and_no_number(tmp_path):
    path = written(tmp_path, "a.sav")
    with pytest.raises(DataError, match="the outcome must hold classes or numbers; column 'seen'"):
        read(path, outcome="seen", probability="p")
    with pytest.raises(DataError, match="'seen' must hold numbers; it holds dates or times"):
        read(path, outcome="y", score="seen", pos_label="sick")


@pytest.mark.parametrize("name", ["a.sav", "a.dta"])
def test_a_file_cut_off_is_refused(tmp_path, name):
    data = written(tmp_path, name).read_bytes()
    with pytest.raises(FileError, match=r"must be a whole (SPSS|Stata) file; it is damaged"):
        read_table(data[: len(data) // 2])


def test_letters_that_are_none_are_refused(tmp_path):
    data = written(tmp_path, "a.dta").read_bytes()
    with pytest.raises(FileError, match="must be a whole Stata file; it is damaged") as refused:
        read_table(data.replace(b"well\0", b"w\xff\xfel\0"))
    assert "\n" not in str(refused.value)


def test_a_column_without_a_name_and_two_of_one_name_are_refused(tmp_path):
    data = written(tmp_path, "a.xpt").read_bytes()
    at = data.index(b"OBSV8")
    twins = data[:at].replace(b"site    ", b"p       ")
    with pytest.raises(FileError, match=r"must be a whole SAS transport file.*'p' is duplicated"):
        read_table(twins + data[at:])
    nameless = data[:at].replace(b"site    ", b"        ")
    with pytest.raises(FileError, match=r"a whole SAS transport file.*column 3 has no name"):
        read_table(nameless + data[at:])


def test_a_file_that_crashes_its_reader_is_refused():
    found = Path(__file__).parents[1] / "fuzz" / "corpus" / "labelled_files" / "b22b5fbf7cb2"
    with pytest.raises(FileError, match=r"must be a whole SPSS file.*its reader crashed"):
        read_table(found.read_bytes())


def test_the_reader_imports_nothing_from_the_folder_of_the_file(tmp_path, monkeypatch):
    path = written(tmp_path, "a.dta")
    (tmp_path / "pyreadstat.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(tmp_path)
    assert read_table(path).number("p").tolist() == [0.25, 0.5, 0.75, 0.125]


def test_the_first_bytes_of_sas_are_known():
    head = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")
    with pytest.raises(FileError, match="must be a whole SAS file"):
        read_table(head + bytes(300))


def test_without_the_reader_the_extra_is_named(tmp_path, monkeypatch):
    path = written(tmp_path, "a.dta")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(FileError) as refused:
        read_table(path)
    assert str(refused.value) == (
        "a.dta is a Stata file, and to read it pyreadstat is needed; "
        "pip install 'abovechance[stats]'."
    )
