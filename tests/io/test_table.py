"""Columns as text, numbers and labels, and the table they stand in."""

import numpy as np
import pyarrow as pa
import pytest

from abovechance.errors import ColumnError, DataError
from abovechance.io import read_table
from abovechance.io.table import (
    Kind,
    as_labels,
    as_numbers,
    as_text,
    bools,
    floats,
    integers,
    kind_of,
    strings,
    where_missing,
)

# ----------------------------------------------------------------------------------------------
# Arrow's buffers as numpy arrays: the same values Arrow itself would give.
# ----------------------------------------------------------------------------------------------


TEXTS = [
    ["a", "bcd", "", "ef"],
    ["ä", "b", "漢字"],
    ["x" * 5000, "y"],
    [""],
    [],
]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
@pytest.mark.parametrize("texts", TEXTS)
def test_texts_are_the_same(texts, kind):
    array = pa.array(texts, kind)
    assert strings(array).tolist() == texts
    assert strings(pa.chunked_array([array, array])).tolist() == texts * 2
    assert strings(pa.chunked_array([array]).slice(1)).tolist() == texts[1:]
    assert strings(pa.chunked_array([], kind)).tolist() == []


def test_numbers_are_the_same_with_gaps_and_in_slices():
    array = pa.array([1.5, None, np.nan, -2.0, None])
    for column in (array, pa.chunked_array([array]), pa.chunked_array([array[:2], array[2:]])):
        np.testing.assert_array_equal(floats(column), [1.5, np.nan, np.nan, -2.0, np.nan])
        np.testing.assert_array_equal(floats(column.slice(3)), [-2.0, np.nan])
    assert integers(pa.array([3, 4, 5], pa.int8()).slice(1)).tolist() == [4, 5]
    assert floats(pa.array([], pa.int64())).tolist() == []


def test_truth_values_are_the_same_with_gaps_and_in_slices():
    rng = np.random.default_rng(0)
    truth = rng.random(1000) < 0.5
    assert (bools(pa.array(truth)) == truth).all()
    assert (bools(pa.array(truth).slice(13)) == truth[13:]).all()
    gaps = rng.random(1000) < 0.2
    column = pa.array(truth, mask=gaps)
    assert (bools(column.slice(5)) == (truth & ~gaps)[5:]).all()
    assert bools(pa.array([], pa.bool_())).tolist() == []


def test_what_comes_out_can_be_written_to():
    for array in (floats(pa.array([1.0])), integers(pa.array([1])), strings(pa.array(["a"]))):
        assert array.flags.writeable


# ----------------------------------------------------------------------------------------------
# One column as text, as numbers, as labels: the same rules for text and typed columns.
# ----------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("wrong", ["abc", "1_000", "0x1F", "1.2.3", "--1"])
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


# ----------------------------------------------------------------------------------------------
# Tables: columns asked for by name.
# ----------------------------------------------------------------------------------------------


TABLE = read_table(b"id,Outcome,p,flag\n007,NA,0.5,TRUE\n008,EU,,FALSE\n", name="a.csv")


def test_a_missing_column_is_named_with_the_nearest_and_the_list():
    with pytest.raises(ColumnError) as caught:
        TABLE.number("outcom")
    assert str(caught.value) == (
        "no column 'outcom' in a.csv; did you mean 'Outcome'? Its columns: id, Outcome, p, flag."
    )


def test_a_name_in_other_letters_is_suggested():
    with pytest.raises(ColumnError, match=r"no column 'P' in a\.csv; did you mean 'p'\?"):
        TABLE.require(["id", "P"])


def test_a_name_like_no_other_gets_the_list_only():
    with pytest.raises(ColumnError, match=r"no column 'zzz' in a\.csv\. Its columns: id"):
        TABLE.text("zzz")


def test_a_column_is_read_as_asked():
    assert TABLE.names == ("id", "Outcome", "p", "flag")
    assert TABLE.text("id").tolist() == ["007", "008"]
    assert TABLE.labels("Outcome").tolist() == ["NA", "EU"]
    np.testing.assert_array_equal(TABLE.number("p"), [0.5, np.nan])
    assert TABLE.missing("p").tolist() == [False, True]
    assert not TABLE.missing("Outcome").any()
    assert [TABLE.kind(n) for n in TABLE.names] == [
        Kind.TEXT,
        Kind.TEXT,
        Kind.NUMBER,
        Kind.LOGICAL,
    ]


def test_names_that_would_not_print_are_escaped_in_messages():
    table = read_table({"a\x1b[31m": [1], "b\u202e": [2]})
    with pytest.raises(ColumnError) as caught:
        table.require(["c"])
    assert str(caught.value).isprintable()
