"""Encodings: what is assumed is said, what is damaged is refused."""

import pytest

from abovechance.errors import FileError
from abovechance.io.encoding import as_utf8

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
