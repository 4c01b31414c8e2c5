"""Arrow's buffers as numpy arrays: the same values Arrow itself would give."""

import numpy as np
import pyarrow as pa
import pytest

from abovechance.io.buffers import bools, floats, integers, strings

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
