"""Files that are damaged, endless or of a strange name: one line of ours, whatever they hold."""

import gzip
import io
import os
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow as pa
import pytest
from pyarrow import parquet

from abovechance import limits
from abovechance.errors import AboveChanceError, DataError, FileError, NotApplicable, Unfinished
from abovechance.inference import assess, compare
from abovechance.io import batches, read_table, write_text
from abovechance.io.arrow_files import open_stream
from abovechance.predictions import Multiclass

TABLE = pa.table({"y": [0, 1, 1] * 20, "p": np.linspace(0, 1, 60), "site": ["Åbo", "b", "c"] * 20})


def as_parquet(table: pa.Table, **options: object) -> bytes:
    file = io.BytesIO()
    parquet.write_table(table, file, **options)
    return file.getvalue()


def as_arrow(table: pa.Table) -> bytes:
    file = io.BytesIO()
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()


def test_a_page_that_does_not_unpack_is_one_line(tmp_path: Path) -> None:
    data = bytearray(as_parquet(TABLE, compression="gzip", use_dictionary=False))
    first = parquet.ParquetFile(pa.BufferReader(bytes(data))).metadata.row_group(0).column(0)
    end = first.data_page_offset + first.total_compressed_size
    data[end - 12 : end] = bytes(12)  # of what was compressed
    table = read_table(bytes(data), name="a.parquet")
    with pytest.raises(FileError, match=r"a\.parquet must be a whole Parquet file; it is damaged"):
        table.text("y")
    (tmp_path / "a.parquet").write_bytes(data)
    with pytest.raises(FileError, match="damaged or cut off"):
        list(batches(tmp_path / "a.parquet", ["y", "p"]))
    stream = open_stream(tmp_path / "a.parquet")
    assert stream is not None
    with pytest.raises(FileError, match="damaged or cut off"):
        list(stream.pieces(["y", "p"]))


def test_text_that_is_no_text_is_refused_and_not_handed_on() -> None:
    data = as_parquet(TABLE, compression="none").replace("Åbo".encode(), b"\xff\xfebo")
    table = read_table(data, name="a.parquet")
    assert table.number("p")[-1] == 1.0
    with pytest.raises(FileError, match="whole Parquet file"):
        table.text("site")


def test_codes_of_no_dictionary_are_refused_rather_than_followed() -> None:
    codes = pa.array([0, 1, 2**30] * 20, pa.int32())
    wild = pa.DictionaryArray.from_arrays(codes, pa.array(["a", "b"]), safe=False)
    data = as_arrow(pa.table({"y": wild, "p": TABLE["p"]}))
    with pytest.raises(FileError, match="must be a whole Arrow file"):
        read_table(data)


def test_decimals_of_an_impossible_scale_are_refused() -> None:
    kind = pa.decimal128(20, 17)
    good = as_arrow(
        pa.table({"w": pa.array([1, 2], pa.int64()).cast(pa.decimal128(20, 0)).cast(kind)})
    )
    # precision and scale stand side by side in every copy of the schema
    pair = (17).to_bytes(4, "little") + (20).to_bytes(4, "little")
    at = [i for i in range(0, len(good), 4) if good[i : i + 8] in (pair, pair[4:] + pair[:4])]
    assert at
    bad = bytearray(good)
    for i in at:
        scale = i if good[i] == 17 else i + 4
        bad[scale : scale + 4] = (14_614_545).to_bytes(4, "little")
    with pytest.raises(FileError, match="decimals of scale"):
        read_table(bytes(bad))


def test_more_rows_than_memory_are_refused_before_they_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "memory", lambda: 500)
    with pytest.raises(FileError, match=r"must fit the memory .* 60 rows would take"):
        read_table(as_parquet(TABLE))
    with pytest.raises(FileError, match=r"must fit the memory .* 60 rows would take"):
        read_table(as_arrow(TABLE))


def test_what_grows_without_end_when_unpacked_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ROOM", 10_000)
    table = b"y,p\n" + b"1,0.5\n" * 10_000
    with pytest.raises(FileError, match=r"its [\d,]+ bytes are more than"):
        read_table(gzip.compress(table))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", bytes(100_000))
    with pytest.raises(FileError, match=r"its [\d,]+ bytes are more than"):
        read_table(file.getvalue())
    assert read_table(gzip.compress(table[:598])).rows == 99


def test_a_sheet_with_one_cell_far_out_is_refused() -> None:
    book = openpyxl.Workbook()
    book.active.append(["y", "p"])
    book.active["XFD1048576"] = 1
    file = io.BytesIO()
    book.save(file)
    with pytest.raises(FileError, match=r"a sheet of 1.048.576 × 16.384 cells would take 1024 GiB"):
        read_table(file.getvalue())


def test_a_header_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileError, match=r"at most 100.000 columns; its first line has 200.000"):
        read_table(b"a" + b",a" * 200_000 + b"\n")
    monkeypatch.setattr("abovechance.io.text_files.LONGEST_HEADER", 2**18)
    with pytest.raises(FileError, match="has no end within"):
        read_table(b"x" * 2**23)


def test_a_name_may_hold_line_ends_of_any_kind() -> None:
    for end in ("\n", "\r\n", "\r"):
        for inside in ("\n", "\r", "\r\n", "\n\n"):
            text = f'"a{inside}b",p{end}"x{inside}y",1{end}z,2{end}'
            table = read_table(text.encode())
            assert table.names == (f"a{inside}b", "p")
            assert table.text(table.names[0]).tolist() == [f"x{inside}y", "z"]
            assert table.number("p").tolist() == [1.0, 2.0]


def test_byte_133_is_an_ellipsis_unless_latin_1_is_stated() -> None:
    data = "id,y\nä\x85,1\n".encode("latin-1")
    guessed = read_table(data, name="a.csv")
    assert guessed.text("id").tolist() == ["ä…"]
    assert "read as Windows-1252" in str(guessed.notes[0])
    assert read_table(data, encoding="latin-1").text("id").tolist() == ["ä"]  # a blank, trimmed
    assert read_table(data.replace(b"\x85", b"\x85x"), encoding="latin-1").text("id").tolist() == [
        "ä\x85x"
    ]


def test_json_of_any_depth_and_half_characters_is_answered() -> None:
    with pytest.raises(AboveChanceError):
        read_table(b'[{"a": ' + b"[" * 100_000)
    table = read_table(b'[{"y": "\\ud800", "p": 1}]')
    assert table.text("y").tolist() == ["\\ud800"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("x" * 300 + ".csv", "longer than the system allows"),
        ("loop", "lead round in a circle"),
        ("a.csv/b.csv", "should be a folder is a file"),
        ("nul\0.csv", "NUL byte"),
    ],
)
def test_what_is_wrong_with_a_path_is_said(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,p\n1,0.5\n")
    os.symlink("loop", tmp_path / "loop")
    with pytest.raises(FileError, match=said):
        read_table(tmp_path / name)


def test_a_home_of_nobody_is_said() -> None:
    with pytest.raises(FileError, match="of no known user"):
        read_table("~nobody-of-this-name/a.csv")
    with pytest.raises(FileError, match="of no known user"):
        write_text("~nobody-of-this-name/a.html", "text")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
def test_a_full_disk_is_said_and_leaves_no_draft(tmp_path: Path) -> None:
    with pytest.raises(Unfinished, match="the disk is full"):
        write_text("/dev/full", "text")
    os.symlink("/dev/full", tmp_path / "a.html")
    with pytest.raises(Unfinished, match="the disk is full"):
        write_text(tmp_path / "a.html", "text")
    assert [p.name for p in tmp_path.iterdir()] == ["a.html"]


def test_more_classes_than_a_table_can_hold_are_refused() -> None:
    many = np.arange(200_000)
    for labels in (None, many.tolist()):
        with pytest.raises(DataError, match="few enough classes"):
            Multiclass(many, label=many, labels=labels)
    some = np.arange(4200) % 2100
    with pytest.raises(NotApplicable, match=r"2000 of them; these are 2100\. Ask for values"):
        assess(Multiclass(some, label=some))
    with pytest.raises(NotApplicable, match=r"500 of them; these are 2100\. Ask for values"):
        compare({m: Multiclass(some, label=some) for m in "ab"})


def test_a_last_line_of_any_length_is_found_to_be_cut_off() -> None:
    data = b"y,p\n" + b"1,0.5\n" * 10 + b"0" * 200_000
    assert read_table(data).rows == 10
