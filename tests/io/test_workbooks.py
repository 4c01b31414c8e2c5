"""Workbooks: one table on a sheet is read; what only looks like one is refused with its place."""

import io
import sys
from datetime import date

import numpy as np
import openpyxl
import pytest

from abovechance.errors import DataError, FileError
from abovechance.io import read, read_table

ROWS = [["id", "y", "p"], ["007", "sick", 0.75], ["008", "well", 0.25], ["009", "sick", 0.5]]


def workbook(change=None, **sheets):
    """The bytes of a workbook with these sheets; `change` edits the first of them."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in (sheets or {"Sheet": ROWS}).items():
        page = made.create_sheet(name)
        for row in rows:
            page.append(row)
    if change is not None:
        change(made.worksheets[0])
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def refused(data, said, **options):
    with pytest.raises(FileError, match=said):
        read_table(data, name="a.xlsx", **options)


def test_a_sheet_becomes_predictions(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(workbook())
    made = read(tmp_path / "a.xlsx", pos_label="sick")
    assert (
        made.described == "outcome = y, probability = p, id = id (found by name); 3 rows of a.xlsx"
    )
    assert made.cases.id.tolist() == ["007", "008", "009"]
    assert made.probability.tolist() == [0.75, 0.25, 0.5]


def test_numbers_stay_numbers_and_7_beside_words_is_7():
    table = read_table(workbook(S=[["n", "mixed", "b"], [1, 7, True], [2.5, "x", False]]))
    assert table.number("n").tolist() == [1.0, 2.5]
    assert table.text("mixed").tolist() == ["7", "x"]
    assert table.labels("b").tolist() == [True, False]


def test_a_table_may_begin_anywhere():
    table = read_table(workbook(S=[[], [None, None, "y", "p"], [None, None, 1, 0.5]]))
    assert table.names == ("y", "p")


def test_a_cell_without_value_is_missing():
    def change(page):
        page["C3"] = "=1/0"  # never calculated
        page["C4"] = "#N/A"
        page["C4"].data_type = "e"

    np.testing.assert_array_equal(read_table(workbook(change)).number("p"), [0.75, np.nan, np.nan])


def test_a_column_of_formulas_never_calculated_is_refused():
    rows = [["y", "p"], [1, "=1/3"], [0, "=1/4"]]
    refused(workbook(S=rows), r"column 'p' of a\.xlsx has a name and no values\. If it holds form")


def test_which_of_several_sheets_must_be_said():
    data = workbook(Results=ROWS, Notes=[["made by Ada"]])
    refused(data, r"a\.xlsx has 2 sheets with content: Results, Notes; say which with sheet=")
    table = read_table(data, sheet="Results")
    assert (table.rows, table.sheet, table.sheets) == (3, "Results", ("Results", "Notes"))
    refused(data, r"no sheet 'results' in a\.xlsx; did you mean 'Results'\?", sheet="results")
    refused(data, r"the names of the columns|at least one row", sheet="Notes")


def test_hidden_and_empty_sheets_are_not_offered_but_can_be_named():
    def hide(page):
        page.sheet_state = "hidden"

    data = workbook(hide, Old=[["y"], [1]], New=ROWS, Empty=[])
    assert read_table(data).sheet == "New"
    assert read_table(data, sheet="Old").names == ("y",)


def test_a_sheet_of_a_text_file_is_refused():
    refused(b"y,p\n1,.5\n", r"sheet is for workbooks; a\.xlsx is not one", sheet="S")


def test_merged_names_are_refused_with_their_place():
    rows = [["id", "Model", None], ["a", 0.1, 0.2], ["b", 0.3, 0.4]]
    data = workbook(lambda page: page.merge_cells("B1:C1"), S=rows)
    refused(data, r"names of columns are in merged cells \(B1:C1\)\. Unmerge")


def test_merged_values_are_refused_with_their_place():
    data = workbook(lambda page: page.merge_cells("A2:A3"))
    refused(data, r"values are in merged cells \(A2:A3\)\. Unmerge")


@pytest.mark.parametrize("merged", [True, False])
def test_a_title_above_the_names_is_refused(merged):
    def change(page):
        if merged:
            page.merge_cells("A1:C1")

    data = workbook(change, S=[["Results of 2024"], *ROWS])
    refused(data, r"row 1 has one cell, 'Results of 2024'\. Delete what stands above the names")


def test_values_under_no_name_are_refused():
    rows = [["y", None, "p"], [1, "x", 0.5]]
    refused(workbook(S=rows), "must have a name in row 1; B1 is empty and there are values below")


def test_an_empty_row_within_is_refused():
    rows = [["y", "p"], [1, 0.5], [], ["mean", 0.5]]
    refused(workbook(S=rows), "row 3 is empty and rows follow")


def test_twin_names_are_refused():
    with pytest.raises(DataError, match="columns 1, 2 are all called 'y'"):
        read_table(workbook(S=[["y", "y"], [1, 0]]))


def test_an_empty_workbook_is_refused():
    refused(workbook(S=[]), "all its visible sheets are empty")
    refused(workbook(S=[["y", "p"]]), "at least one row")


def test_dates_are_no_outcome():
    data = workbook(S=[["y", "p"], [date(2024, 1, 2), 0.5], [date(2024, 5, 6), 0.25]])
    with pytest.raises(DataError, match=r"column 'y' holds dates\. For a time to an event"):
        read(data)


def test_what_is_damaged_or_another_archive_is_refused():
    refused(workbook()[:-200], "zip archive or workbook that is damaged or cut off")
    refused(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "must be a whole workbook")
    import zipfile

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.csv", "y,p\n")
    refused(file.getvalue(), r"it is a zip archive\. Unpack it")


def test_without_the_reader_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    refused(
        workbook(),
        r"^a\.xlsx is a workbook, and to read it python-calamine is needed; "
        r"pip install 'abovechance\[excel\]'\.$",
    )
