"""CSV without formulas, JSON without NaN, files whole or not at all."""

import json
import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np
import pytest

from abovechance.advice import Advice
from abovechance.errors import FileError, Unfinished
from abovechance.io import jsonable, read_table, to_csv_text, write_text


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_a_text_that_a_spreadsheet_would_run_is_escaped(start):
    text = to_csv_text([{"model": start + "cmd|' /C calc'!A0"}])
    assert read_table(text.encode(), separator=",").labels("model")[0].startswith("'")


def test_names_of_columns_are_escaped_too():
    assert to_csv_text([{"=A1": 1}]) == "'=A1\n1\n"


def test_numbers_stay_numbers():
    row = {"a": -0.5, "b": np.float64(0.1), "c": np.int64(-3), "d": "-1", "e": True}
    assert to_csv_text([row]) == "a,b,c,d,e\n-0.5,0.1,-3,-1,True\n"


def test_what_is_absent_is_empty_and_what_is_undefined_is_said():
    rows = [{"a": None, "b": float("nan")}, {"c": float("inf")}, {"c": -np.inf}]
    assert to_csv_text(rows) == "a,b,c\n,NaN,\n,,Infinity\n,,-Infinity\n"


def test_floats_survive_a_round_trip():
    value = 0.1 + 0.2
    assert read_table(to_csv_text([{"x": value}]).encode()).number("x").tolist() == [value]


def test_json_has_null_for_nan_and_words_for_infinity():
    class Law(StrEnum):
        MEAN = "mean"

    @dataclass
    class Fact:
        advice: Advice
        law: Law

    value = {
        "a": [np.nan, np.inf, -np.inf, 1.5],
        1: np.array([[1, 2]]),
        "b": np.bool_(True),
        "c": Fact(Advice("x", "y"), Law.MEAN),
        "d": {3, 1},
        "e": Path("x"),
        "f": (np.str_("s"), None),
    }
    assert json.loads(json.dumps(jsonable(value), allow_nan=False)) == {
        "a": [None, "Infinity", "-Infinity", 1.5],
        "1": [[1, 2]],
        "b": True,
        "c": {"advice": {"code": "x", "text": "y", "source": ""}, "law": "mean"},
        "d": [1, 3],
        "e": "x",
        "f": ["s", None],
    }


def test_json_refuses_what_it_cannot_hold():
    with pytest.raises(TypeError, match="object has no form in JSON"):
        jsonable(object())


def test_a_file_is_written_whole_and_leaves_nothing_beside(tmp_path):
    path = tmp_path / "a.csv"
    write_text(path, "ä\n")
    write_text(path, "b\n")
    assert path.read_bytes() == b"b\n"
    assert os.listdir(tmp_path) == ["a.csv"]


def test_a_failed_write_leaves_the_old_file_and_nothing_beside(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    write_text(path, "old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Unfinished, match="could not be written: the disk is full"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.csv"]


def test_a_replaced_file_keeps_its_permissions_and_links(tmp_path):
    path, link = tmp_path / "a.csv", tmp_path / "link.csv"
    write_text(path, "old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_text(link, "new")
    assert path.read_text() == "new"
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_folder_or_a_place_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(FileError, match="must be a file to write; it is a folder"):
        write_text(tmp_path, "x")
    with pytest.raises(FileError, match="there is no folder"):
        write_text(tmp_path / "nowhere" / "a.csv", "x")


def test_a_device_is_written_to_and_not_replaced():
    write_text(os.devnull, "x")
    assert not Path(os.devnull).is_file()
