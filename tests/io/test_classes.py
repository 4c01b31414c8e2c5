"""Probabilities matched to classes by name."""

import numpy as np
import pytest

from abovechance.errors import ColumnError, DataError
from abovechance.io import read_table
from abovechance.io.classes import class_columns, class_family, distinct, sums_checked


def test_columns_are_matched_by_name_in_any_order():
    expected = {"a": "p_a", "b": "p_b"}
    assert class_columns(["p_a", "p_b"], ["a", "b"]) == expected
    assert class_columns(["p_b", "p_a"], ["a", "b"]) == expected


def test_a_column_may_be_the_class_itself_or_have_any_prefix():
    assert class_columns(["a", "b"], ["a", "b"]) == {"a": "a", "b": "b"}
    assert class_columns(["model1.a", "model1.b"], ["a", "b"]) == {"a": "model1.a", "b": "model1.b"}
    assert class_columns(["p_0", "p_1"], [0, 1]) == {0: "p_0", 1: "p_1"}
    assert class_columns(["p_-1", "p_1"], [-1, 1]) == {-1: "p_-1", 1: "p_1"}


def test_the_longest_class_and_the_exact_spelling_win():
    assert class_columns(["p_a", "p_b_a"], ["a", "b_a"]) == {"a": "p_a", "b_a": "p_b_a"}
    assert class_columns(["p_A", "p_a"], ["A", "a"]) == {"A": "p_A", "a": "p_a"}
    assert class_columns(["p_sick"], ["Sick", "Well"]) == {"Sick": "p_sick"}


def test_a_mapping_is_taken_as_it_is():
    assert class_columns({"a": "x", "b": "y"}, ["a", "b"]) == {"a": "x", "b": "y"}


def test_a_column_of_the_same_prefix_is_a_class_that_does_not_occur():
    assert class_columns(["p_a", "p_zz"], ["a", "b"]) == {"a": "p_a", "zz": "p_zz"}


def test_a_column_called_after_no_class_is_refused():
    with pytest.raises(ColumnError, match="column 'x' must be called after its class, as p_a"):
        class_columns(["p_a", "x"], ["a", "b"])
    with pytest.raises(ColumnError, match="'a' has 'p_a' and 'prob_a'"):
        class_columns(["p_a", "prob_a"], ["a", "b"])


def table(header, *rows):
    return read_table("\n".join([header, *rows, ""]).encode())


def test_a_column_that_merely_begins_like_a_probability_stays_out():
    found = table("p_a,p_b,p_value", "0.4,0.6,0.01", "0.5,0.5,0.2")
    assert class_family(found, ["a", "b"], ()) == ("p_a", "p_b")


def test_a_class_that_never_occurs_joins_when_it_completes_the_sum():
    found = table("p_a,p_b,p_c", "0.4,0.5,0.1", "0.5,0.3,0.2")
    assert class_family(found, ["a", "b"], ()) == ("p_a", "p_b", "p_c")


def test_two_sets_of_probabilities_are_refused():
    found = table("p_a,p_b,prob_a,prob_b", "0.4,0.6,0.4,0.6")
    with pytest.raises(ColumnError, match="stand there twice: p_a, p_b, prob_a, prob_b"):
        class_family(found, ["a", "b"], ())


def test_two_columns_must_sum_to_one():
    sums_checked(np.array([0.25, np.nan]), np.array([0.75, 1.0]))
    with pytest.raises(DataError, match=r"must sum to 1; row 2 sums to 1\.2"):
        sums_checked(np.array([0.25, 0.5]), np.array([0.75, 0.7]))


def test_distinct_values_leave_missing_ones_out():
    assert distinct(np.array(["b", None, "a"], dtype=object)) == ["a", "b"]
    assert distinct(np.array([1.0, np.nan, 0.0])) == [0.0, 1.0]
