"""Where tables come from: paths, bytes, open files; and what is not there."""

import io
import subprocess
import sys

import pytest

from abovechance.errors import FileError
from abovechance.io import read_table

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
        (b"PK\x03\x04....", "a zip archive or Excel workbook. Save the sheet as CSV"),
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
