"""JSON: lines, lists and columns."""

import json

import pytest

from abovechance.errors import DataError, FileError
from abovechance.io import read_table


def table(text):
    return read_table(text.encode(), name="a.jsonl")


def test_one_object_per_line_is_one_row_per_line():
    found = table('{"id": "007", "y": 1, "p": 0.25}\n\n{"id": "008", "y": 0}\n')
    assert found.text("id").tolist() == ["007", "008"]
    assert found.labels("y").tolist() == [1, 0]
    assert found.missing("p").tolist() == [False, True]


def test_a_list_of_objects_and_an_object_of_lists_are_tables():
    for text in ('[{"y": 1}, {"y": 0}]', '{"y": [1, 0]}', '{\n "y": [1,\n 0]\n}'):
        assert table(text).labels("y").tolist() == [1, 0]


def test_text_that_looks_like_something_else_stays_text():
    found = table('{"id": "2024-01-01", "y": "007"}\n')
    assert found.text("id").tolist() == ["2024-01-01"]
    assert found.labels("y").tolist() == ["007"]


def test_mixed_columns_are_read_as_the_text_they_print_as():
    assert table('{"y": 1}\n{"y": "a"}\n{"y": null}\n').labels("y").tolist() == ["1", "a", None]


def test_true_and_false_are_logical():
    assert table('{"y": true}\n{"y": false}\n').labels("y").tolist() == [True, False]


def test_a_line_cut_off_is_left_out_and_said():
    found = table('{"y": 1}\n{"y": 0}\n{"y": ')
    assert found.rows == 2
    assert str(found.notes[0]).startswith("[AC706] the last line of a.jsonl is cut off")


def test_a_damaged_line_is_refused_by_number():
    with pytest.raises(FileError, match="must be one JSON object; line 2 is not JSON"):
        table('{"y": 1}\n{"y": \n{"y": 0}\n')
    with pytest.raises(FileError, match="line 2 is a list"):
        table('{"y": 1}\n[0]\n')


def test_lines_that_are_objects_only_when_joined_are_refused():
    with pytest.raises(FileError, match="line 2 is not JSON"):
        table('{"y": 1}\n{"y": 0}, {"y": 1}\n')


def test_a_damaged_list_is_refused():
    with pytest.raises(FileError, match=r"a\.jsonl must be whole JSON; expecting"):
        table('[{"y": 1},')
    with pytest.raises(FileError, match="must be a list of objects; row 2 is a int"):
        table('[{"y": 1}, 3]')


def test_a_name_that_stands_twice_is_refused():
    with pytest.raises(FileError, match="columns 1, 2 are all called 'y'"):
        table('{"y": 1, "y": 2}\n')


def test_nested_values_are_refused_when_asked_for():
    with pytest.raises(DataError, match="column 'x' must hold one value per row"):
        table('{"x": {"a": 1}}\n').labels("x")


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(FileError, match="'p' has 1 values, 'y' 2"):
        table(json.dumps({"y": [1, 0], "p": [0.5]}))
