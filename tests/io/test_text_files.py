"""Encodings, separated values and JSON."""

import codecs
import gzip
import json

import pytest

from abovechance.errors import DataError, FileError
from abovechance.io import read_table
from abovechance.io.text_files import as_utf8

# ----------------------------------------------------------------------------------------------
# Encodings: what is assumed is said, what is damaged is refused.
# ----------------------------------------------------------------------------------------------


TEXT = "y,p\nkränk,0.5\n"


def test_utf8_is_the_default_and_needs_no_word():
    assert as_utf8(TEXT.encode(), "a.csv").data == TEXT.encode()
    assert as_utf8(TEXT.encode(), "a.csv").notes == ()


def test_a_mark_before_utf8_is_left_out():
    text = as_utf8(TEXT.encode("utf-8-sig"), "a.csv")
    assert text.data == TEXT.encode()
    assert text.notes == ()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf16_and_utf32_are_recognised_and_said(encoding):
    text = as_utf8(TEXT.encode(encoding), "a.csv")
    assert text.data == TEXT.encode()
    assert text.notes[0].text.startswith("a.csv is not UTF-8; it was read as UTF-")


def test_latin1_is_assumed_and_said():
    text = as_utf8(TEXT.encode("latin-1"), "a.csv")
    assert text.data == TEXT.encode()
    assert text.notes[0].text == "a.csv is not UTF-8; it was read as latin-1"
    assert text.notes[0].code == "AC701"


@pytest.mark.parametrize("text", ["y\nä\n", "y\nä"])
def test_latin1_is_told_from_a_cut_off_text(text):
    assert as_utf8(text.encode("latin-1"), "a.csv").data == text.encode()


def test_windows_quotes_are_read_as_windows_1252():
    text = as_utf8("y\n“a”\n".encode("cp1252"), "a.csv")
    assert text.data == "y\n“a”\n".encode()
    assert "Windows-1252" in text.notes[0].text


def test_an_encoding_that_is_stated_is_obeyed():
    assert as_utf8("y\nж\n".encode("cp1251"), "a.csv", "cp1251").data == "y\nж\n".encode()
    with pytest.raises(FileError, match="encoding must be one Python knows; got 'klingon'"):
        as_utf8(b"y\n", "a.csv", "klingon")
    with pytest.raises(FileError, match=r"a\.csv must be ascii text; byte 3 is not"):
        as_utf8("y\nжжжж\n".encode(), "a.csv", "ascii")


def test_nul_bytes_are_refused_with_their_place():
    with pytest.raises(FileError) as caught:
        as_utf8(b"y,p\n1,0.5\n0,\x000.3\n", "a.csv")
    assert "there is one at byte 13 (line 3)" in str(caught.value)


def test_nul_characters_in_utf16_are_refused_too():
    with pytest.raises(FileError, match=r"at byte 5 \(line 2\)"):
        as_utf8("y,p\n\0,1\n".encode("utf-16"), "a.csv")


def test_a_binary_file_without_nul_is_refused():
    with pytest.raises(FileError, match="a binary file of another kind"):
        as_utf8(bytes(range(1, 256)) * 10, "a.bin")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_text_cut_inside_a_character_ends_with_the_replacement_character(encoding):
    data = "y,z\nä,1\nb,ä".encode(encoding)[:-1]
    assert as_utf8(data, "a.csv").data.decode() == "y,z\nä,1\nb,\ufffd"


# ----------------------------------------------------------------------------------------------
# Separated values: separator, header, quotes, ragged rows, files cut off.
# ----------------------------------------------------------------------------------------------


def values(data, **options):
    table = read_table(data, name="a.csv", **options)
    return {name: table.text(name).tolist() for name in table.names}


def notes(data):
    return [str(note) for note in read_table(data, name="a.csv").notes]


def refusal(data):
    with pytest.raises(FileError) as caught:
        read_table(data, name="a.csv")
    return str(caught.value)


@pytest.mark.parametrize(
    ("separator", "named"), [(";", "semicolons"), ("\t", "tabs"), ("|", "bars"), (",", None)]
)
def test_the_separator_is_found_and_said_unless_it_is_the_comma(separator, named):
    data = f"id{separator}y\n007{separator}a\n".encode()
    assert values(data) == {"id": ["007"], "y": ["a"]}
    said = notes(data)
    assert said == [] if named is None else f"read as separated by {named}" in said[0]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_is_understood(end):
    assert values(end.join(["y,p", "1,2", "3,4", ""]).encode()) == {
        "y": ["1", "3"],
        "p": ["2", "4"],
    }
    assert values(end.join(["y,p", "1,2", "3,4"]).encode()) == {"y": ["1", "3"], "p": ["2", "4"]}


def test_semicolons_come_with_decimal_commas():
    table = read_table(b"id;p\n1;0,73\n2;1\n", name="a.csv")
    assert table.number("p").tolist() == [0.73, 1.0]
    assert str(table.notes[0]) == (
        "[AC702] a.csv was read as separated by semicolons; "
        "a comma in a number was read as the decimal sign"
    )


def test_tabs_come_with_decimal_commas_when_some_cannot_be_thousands():
    assert read_table(b"id\tp\n1\t0,5\n2\t1,500\n").number("p").tolist() == [0.5, 1.5]
    with pytest.raises(DataError, match="must hold numbers; got '1,500' at row 1"):
        read_table(b"id\tp\n1\t1,500\n").number("p")


def test_a_comma_inside_semicolon_fields_does_not_make_it_the_separator():
    assert list(values(b"a;b;c\n0,1;0,2;0,3\n0,4;0,5;0,6\n")) == ["a", "b", "c"]


def test_excel_s_own_separator_line_is_obeyed():
    assert values(b"sep=;\r\na;b\r\n1;2\r\n") == {"a": ["1"], "b": ["2"]}


def test_a_stated_separator_wins():
    assert values(b"a;b,c\n1;2,3\n", separator=";") == {"a": ["1"], "b,c": ["2,3"]}


def test_a_single_column_is_a_table():
    assert values(b"p\n0.5\n0.7\n") == {"p": ["0.5", "0.7"]}


def test_blanks_around_names_are_stripped_and_nameless_columns_numbered():
    assert list(values(b' y , "p" ,\n1,2,3\n')) == ["y", '"p"', "column 3"]
    assert list(values(b",y\n1,2\n")) == ["column 1", "y"]


def test_quoted_texts_may_hold_separators_marks_and_line_ends():
    data = b'y,p\n"a,b",1\n"say ""hi""",2\n"two\nlines",3\n5" pipe,4'
    assert values(data)["y"] == ["a,b", 'say "hi"', "two\nlines", '5" pipe']


def test_blank_lines_are_no_rows():
    assert values(b"\ny,p\n\n1,2\n\n\n3,4\n\n")["y"] == ["1", "3"]


def test_a_duplicated_name_is_refused_with_its_places():
    assert refusal(b"y,p,y\n1,2,3\n") == (
        "every column of a.csv must have its own name; columns 1, 3 are all called 'y'. "
        "Rename them."
    )


def test_a_file_without_names_is_refused():
    assert "the first line of a.csv must name the columns" in refusal(b"0.3,1\n0.4,0\n")
    assert list(values(b"0,1,2\n0.3,1,0\n")) == ["0", "1", "2"]


def test_ragged_rows_are_refused_with_row_expected_and_found():
    assert refusal(b"y,p\n1,2\n3,4,5\n6,7\n") == (
        "every row of a.csv must have 2 fields, as its header; row 2 (line 3) has 3. "
        "Put quotation marks around a text that contains the separator."
    )
    assert "row 3 (line 5) has 1." in refusal(b"y,p\n1,2\n\n3,4\n6\n7,8\n")


def test_a_ragged_row_far_down_a_large_file_is_found():
    rows = ["1,2"] * 300_000
    rows[271_828] = "1"
    assert "row 271829 (line 271830) has 1." in refusal("\n".join(["y,p", *rows, ""]).encode())


def test_row_names_written_by_r_are_recognised():
    assert "write it with row.names = FALSE" in refusal(b"y,p\n1,0,0.5\n2,1,0.7\n")


@pytest.mark.parametrize(
    "data", [b'y,p\na,1\n"b,2\nc,3\n', b'y,p\na,1\n"b,2\nc,3\n"d,4\n', b'y,p\na,1\n"b" x,2\nc\n']
)
def test_a_forgotten_quotation_mark_is_refused_where_it_opens(data):
    assert "must close every quotation mark; row 2 (line 3) does not" in refusal(data)


def test_an_empty_file_is_refused():
    for data in (b"", b"\n \n", codecs.BOM_UTF8, gzip.compress(b"")):
        assert refusal(data) == "a.csv must hold a table; it is empty."


def test_a_header_without_rows_is_refused():
    for data in (b"y,p", b"y,p\n", b"y,p\r\n\r\n", b"y,p\n1"):
        assert refusal(data) == (
            "a.csv must hold at least one row; it has a header and no complete row."
        )


def test_one_row_is_a_table():
    assert read_table(b"y,p\n1,0.5").rows == 1


def test_a_last_line_cut_off_is_left_out_and_said():
    data = b"y,p,site\n1,0.5,a\n0,0.3,b\n1,0."
    assert values(data)["y"] == ["1", "0"]
    assert notes(data) == [
        "[AC703] the last line of a.csv is cut off (2 of 3 fields) and was left out; "
        "2 rows read whole"
    ]


@pytest.mark.parametrize("tail", [b'0,"b', "ä,0,ä".encode()[2:-1]])
def test_a_last_field_cut_off_is_seen_by_its_open_quote_or_half_character(tail):
    data = "y,p\nä,a\n".encode() + tail
    assert values(data)["y"] == ["ä"]
    assert "[AC703]" in notes(data)[0]


def test_a_whole_last_line_needs_no_line_end():
    for data in (b"y,p\n1,2\n3,4", b'y,p\n1,2\n3,"4\n5"', b'y,p\n1,2\n3,5" pipe'):
        assert len(values(data)["y"]) == 2
        assert notes(data) == []


def test_very_wide_files_are_read():
    names = [f"feature_{i}" for i in range(100_000)]
    data = "\n".join([",".join(names), ",".join(["1.5"] * 100_000), ""]).encode()
    table = read_table(data)
    assert len(table.names) == 100_000
    assert table.number("feature_99999").tolist() == [1.5]


def test_a_field_longer_than_a_block_is_read():
    text = "x" * 3_000_000
    assert values(f"y,p\n{text},1\nb,2\n".encode())["y"] == [text, "b"]


def test_all_kinds_of_compressed_text_are_read():
    for text in (b"y,p\n1,0.5\n", b"y\tp\n1\t0.5\n", b'{"y": 1, "p": 0.5}\n'):
        assert read_table(gzip.compress(text)).number("p").tolist() == [0.5]


# ----------------------------------------------------------------------------------------------
# JSON: lines, lists and columns.
# ----------------------------------------------------------------------------------------------


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
