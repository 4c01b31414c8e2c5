"""Parquet files in pieces: the same cases, and complaints that name the row of the file."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from abovechance.errors import DataError, FileError
from abovechance.io.arrow_files import PIECE, Seen, StreamCases, open_stream


def written(path: Path, group: int = 1000, **columns: Any) -> Path:
    parquet.write_table(pa.table(columns), path / "cases.parquet", row_group_size=group)
    return path / "cases.parquet"


def cases(path: Path, pos_label: Any = None, **options: Any) -> StreamCases:
    stream = open_stream(path)
    assert stream is not None
    probabilities = options.pop("probabilities", True)
    return StreamCases(stream, "y", "p", probabilities, seen=Seen.of(pos_label), **options)


def together(found: StreamCases) -> tuple[list[bool], list[float]]:
    pieces = list(found.read())
    return (
        np.concatenate([y for y, _ in pieces]).tolist(),
        np.concatenate([p for _, p in pieces]).tolist(),
    )


@pytest.mark.parametrize(
    ("y", "pos_label"),
    [
        (pa.array([1, 0, 1], pa.int8()), None),
        (pa.array([1, 0, 1], pa.uint64()), None),
        (pa.array([1.0, 0.0, 1.0]), None),
        (pa.array([1.0, 0.0, 1.0], pa.float32()), None),
        (pa.array([True, False, True]), None),
        (pa.array(["1", "0", "1"]), None),
        (pa.array(["TRUE", "FALSE", "TRUE"]), None),
        (pa.array(["TRUE", "FALSE", "TRUE"]), "true"),
        (pa.array(["sick", "well", "sick"]), "sick"),
        (pa.array(["sick", "well", "sick"], pa.large_string()), "sick"),
        (pa.array(["sick", "well", "sick"]).dictionary_encode(), "sick"),
        (pa.array([2, 1, 2], pa.int16()), 2),
        (pa.array([2, 1, 2], pa.int16()), "2"),
        (pa.array([0, 1, 0]), 0),
    ],
)
def test_outcomes_are_recognised_however_they_are_stored(
    tmp_path: Path, y: Any, pos_label: Any
) -> None:
    found = cases(written(tmp_path, y=y, p=[0.9, 0.2, 0.4]), pos_label)
    assert together(found) == ([True, False, True], [0.9, 0.2, 0.4])
    assert together(found) == ([True, False, True], [0.9, 0.2, 0.4])  # and once more


def test_numbers_come_as_floats_however_they_are_stored(tmp_path: Path) -> None:
    p = pa.array([0.5, 0.25, 1.0], pa.float32())
    assert together(cases(written(tmp_path, y=[1, 0, 1], p=p)))[1] == [0.5, 0.25, 1.0]
    scores = cases(written(tmp_path, y=[1, 0, 1], p=[3, -2, 7]), probabilities=False)
    assert together(scores)[1] == [3.0, -2.0, 7.0]
    assert scores.extremes() == (-2.0, 7.0)


def test_text_is_no_number(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="column 'p' must be stored as numbers"):
        together(cases(written(tmp_path, y=[1, 0], p=["0.2", "0.3"])))


def long(**changes: Any) -> dict[str, Any]:
    """More rows than a piece, with something at the row before the last."""
    n = PIECE + 5
    columns = {"y": [0, 1] * (n // 2) + [0], "p": [0.25] * n}
    for name, value in changes.items():
        columns[name] = [*columns[name][: n - 2], value, columns[name][0]]
    return columns


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"p": 1.5}, r"probability must lie in \[0, 1\]; got 1.5 at row 65540. If these"),
        ({"p": -0.5}, r"probability must lie in \[0, 1\]; got -0.5 at row 65540"),
        ({"p": None}, "probability must not be missing; it is at row 65540"),
        ({"p": float("nan")}, "probability must not be missing; it is at row 65540"),
        ({"y": None}, "outcome must not be missing; it is at row 65540"),
        ({"y": 2}, "pos_label must say which class is positive .* got 2 at row 65540"),
    ],
)
def test_complaints_name_the_row_of_the_file(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        together(cases(written(tmp_path, group=3000, **long(**changes))))


def test_an_infinite_score_is_refused(tmp_path: Path) -> None:
    found = cases(written(tmp_path, y=[0, 1], p=[0.0, np.inf]), probabilities=False)
    with pytest.raises(DataError, match="finite to be read in pieces; got inf at row 2"):
        together(found)


def test_a_third_class_is_refused_where_it_stands(tmp_path: Path) -> None:
    y = ["well"] * PIECE + ["sick", "sik"]
    with pytest.raises(DataError, match="found 'well' and, at row 65538, 'sik'"):
        together(cases(written(tmp_path, y=y, p=[0.5] * len(y)), "sick"))


def test_a_positive_class_that_does_not_occur_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the positive class 'sik'; found 'sick' and, at row 2"):
        together(cases(written(tmp_path, y=["sick", "well"], p=[0.5, 0.5]), "sik"))


def test_missing_cases_are_dropped_and_counted(tmp_path: Path) -> None:
    path = written(tmp_path, y=[1, None, 0, 1, 0], p=pa.array([0.9, 0.1, None, float("nan"), 0.3]))
    found = cases(path, missing="drop")
    assert together(found) == ([True, False], [0.9, 0.3])
    assert found.seen.dropped == 3
    texts = written(tmp_path, y=["a", None, "b", ""], p=[0.1, 0.2, 0.3, 0.4])
    found = cases(texts, "a", missing="drop")
    assert together(found) == ([True, False], [0.1, 0.3])
    assert found.seen.classes == ("b", "a")


def test_progress_is_told_in_rows(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    for _ in cases(written(tmp_path, **long())).read(lambda done, all_: told.append((done, all_))):
        pass
    assert told == [(PIECE, PIECE + 5), (PIECE + 5, PIECE + 5)]


def test_other_files_are_not_streams(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,p\n1,0.5\n")
    assert open_stream(tmp_path / "a.csv") is None


def test_a_file_cut_off_is_refused_in_one_line(tmp_path: Path) -> None:
    path = written(tmp_path, **long())
    (tmp_path / "cut.parquet").write_bytes(path.read_bytes()[:-200])
    with pytest.raises(FileError, match=r"cut.parquet must be a whole Parquet file"):
        open_stream(tmp_path / "cut.parquet")


def test_pages_that_cannot_be_read_are_refused_in_one_line(tmp_path: Path) -> None:
    path = written(tmp_path, **long(), q=np.random.default_rng(0).random(PIECE + 5))
    data = bytearray(path.read_bytes())
    data[40 : len(data) // 2] = b"\xff" * (len(data) // 2 - 40)
    path.write_bytes(data)
    with pytest.raises(FileError, match="damaged or cut off"):
        together(cases(path))
