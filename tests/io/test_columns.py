"""One column as text, as numbers, as labels: the same rules for text and typed columns."""

import numpy as np
import pyarrow as pa
import pytest

from abovechance.errors import DataError
from abovechance.io.columns import Kind, as_labels, as_numbers, as_text, kind_of, where_missing


def column(values, kind=None):
    return pa.chunked_array([pa.array(values, kind)])


def test_an_id_with_leading_zeros_stays_text():
    assert as_text("id", column(["007", "08"])).tolist() == ["007", "08"]
    assert as_labels("id", column(["007", "8"])).tolist() == ["007", "8"]


def test_blanks_around_a_text_are_not_part_of_it():
    assert as_text("y", column([" sick ", "well\t"])).tolist() == ["sick", "well"]
    assert as_numbers("p", column([" 0.5", "1 "])).tolist() == [0.5, 1.0]


def test_an_empty_field_is_missing_in_every_reading():
    texts = column(["a", "", "  "])
    assert as_text("x", texts).tolist() == ["a", None, None]
    assert as_labels("x", texts).tolist() == ["a", None, None]
    numbers = as_numbers("x", column(["1", "", " "]))
    assert np.isnan(numbers).tolist() == [False, True, True]


@pytest.mark.parametrize("word", ["NA", "N/A", "NaN", "nan", "null", "None", ".", "#N/A"])
def test_words_for_missing_are_missing_among_numbers_only(word):
    assert np.isnan(as_numbers("p", column(["0.5", word]))).tolist() == [False, True]
    assert where_missing(as_labels("y", column(["1", word]))).tolist() == [False, True]
    assert as_labels("y", column(["EU", word])).tolist() == ["EU", word]


def test_a_column_of_one_missing_word_is_missing_but_two_words_are_classes():
    assert np.isnan(as_labels("y", column(["NA", "NA", ""]))).all()
    assert as_labels("y", column(["NA", "none"])).tolist() == ["NA", "none"]


def test_numbers_are_read_to_the_last_digit():
    texts = ["0.1", "1e-3", "+2", ".5", "5.", "-inf", "Infinity", "123456789.123456789"]
    assert as_numbers("x", column(texts)).tolist() == [float(t) for t in texts]


@pytest.mark.parametrize("wrong", ["abc", "1_000", "0x1F", "12 %", "1.2.3", "--1"])
def test_what_is_no_number_is_named_with_column_row_and_text(wrong):
    with pytest.raises(DataError) as caught:
        as_numbers("p", column(["0.5", "NA", wrong]))
    assert str(caught.value) == f"column 'p' must hold numbers; got {wrong!r} at row 3."


def test_a_decimal_comma_is_read_only_where_it_is_expected():
    texts = column(["0,73", "1", "-,5"])
    assert as_numbers("p", texts, decimal_comma=True).tolist() == [0.73, 1.0, -0.5]
    assert as_labels("p", column(["0,73", "1"]), decimal_comma=True).tolist() == [0.73, 1.0]
    with pytest.raises(DataError, match=r"'0,73' at row 1\. A decimal comma is understood in"):
        as_numbers("p", texts)


def test_commas_and_points_together_are_refused_as_ambiguous():
    with pytest.raises(DataError, match="both decimal commas and points"):
        as_numbers("p", column(["1.234,5", "2"]), decimal_comma=True)


def test_the_same_classes_come_out_of_text_integers_and_floats():
    expected = [1, 0, 1]
    for values in (["1", "0", "1"], ["1.0", "0.0", "1.0"], [1, 0, 1], [1.0, 0.0, 1.0]):
        labels = as_labels("y", column(values))
        assert labels.tolist() == expected
        assert labels.dtype == np.int64


def test_small_and_unsigned_integers_and_decimals_are_numbers():
    for kind in (pa.int8(), pa.uint64(), pa.float32(), pa.decimal128(25, 2)):
        assert as_labels("y", column([1, 2], pa.int64()).cast(kind)).tolist() == [1, 2]
    big = 2**60 + 1
    assert as_labels("y", column([big])).tolist() == [big]


@pytest.mark.parametrize("pair", [("TRUE", "FALSE"), ("True", "False"), ("true", "false")])
def test_written_logical_columns_are_logical(pair):
    labels = as_labels("y", column(list(pair)))
    assert labels.tolist() == [True, False]
    assert kind_of(labels) is Kind.LOGICAL
    assert as_labels("y", column([True, False])).tolist() == [True, False]


@pytest.mark.parametrize("pair", [("T", "F"), ("yes", "no"), ("TRUE", "false"), ("Y", "N")])
def test_other_pairs_of_words_stay_words(pair):
    assert as_labels("y", column(list(pair))).tolist() == list(pair)


def test_logical_columns_keep_their_gaps():
    for values in (["TRUE", "NA", "FALSE"], [True, None, False]):
        np.testing.assert_array_equal(as_labels("y", column(values)), [1.0, np.nan, 0.0])


def test_typed_columns_become_text_as_they_are_written():
    assert as_text("id", column([7, 8])).tolist() == ["7", "8"]
    assert as_text("id", column([7.0, np.nan, 1e7])).tolist() == ["7", None, "10000000"]
    assert as_text("id", column([True, None])).tolist() == ["true", None]


def test_dictionaries_of_text_are_text():
    coded = pa.chunked_array([pa.array(["b", "a", None]).dictionary_encode()])
    assert as_labels("y", coded).tolist() == ["b", "a", None]


def test_text_in_several_chunks_is_one_column():
    chunks = pa.chunked_array([["b"], ["a", "b"]])
    assert as_labels("y", chunks).tolist() == ["b", "a", "b"]
    assert as_text("y", chunks).tolist() == ["b", "a", "b"]


def test_an_empty_column_has_no_values():
    empty = pa.chunked_array([], pa.string())
    assert as_text("y", empty).size == as_labels("y", empty).size == 0


def test_nested_columns_are_refused():
    with pytest.raises(DataError, match="column 'x' must hold one value per row"):
        as_labels("x", column([[1], [2, 3]]))


def test_dates_are_no_numbers_but_can_name_a_case():
    import datetime

    dates = column([datetime.date(2024, 5, 1)])
    assert as_text("day", dates).tolist() == ["2024-05-01"]
    with pytest.raises(DataError, match="column 'day' must hold numbers; it holds date"):
        as_numbers("day", dates)


def test_words_after_many_numbers_make_a_column_of_words():
    labels = as_labels("y", column([str(i) for i in range(2000)] + ["a"]))
    assert kind_of(labels) is Kind.TEXT
    assert labels[-2:].tolist() == ["1999", "a"]
