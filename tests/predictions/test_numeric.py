"""Numbers, of one output or several."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from abovechance.errors import DataError
from abovechance.measures import find
from abovechance.predictions import Numeric


@pytest.mark.parametrize(
    ("y", "value", "message"),
    [
        ([1, 2], [1, np.inf], "value must be finite; got an infinite value at row 2."),
        ([-np.inf, 2], [1, 2], "outcome must be finite; got an infinite value at row 1."),
        ([1, 2], [1, np.nan], "value must not be missing; it is at row 2."),
        ([1, 2], ["1", "x"], "value must hold numbers; got 'x' at row 2."),
        ([1, 2], [1, 2, 3], "outcome has 2, value has 3."),
        ([[1, 2], [3, 4]], [[1], [2]], "must have the same outputs; got 2 and 1."),
        (np.zeros((2, 2, 2)), np.zeros((2, 2, 2)), "one number per case, or cases × outputs."),
        ([], [], "there must be at least one case; got 0 rows."),
    ],
)
def test_what_is_refused_says_what_must_hold(y: Any, value: Any, message: str) -> None:
    with pytest.raises(DataError) as refused:
        Numeric(y, value)
    assert message in str(refused.value)


def test_the_names_of_outputs_must_be_as_many() -> None:
    with pytest.raises(DataError, match="outputs must name the one output; got 2 names"):
        Numeric([1, 2], [1, 2], outputs=["a", "b"])
    with pytest.raises(DataError, match="outputs must name the 2 outputs; got 1 names"):
        Numeric([[1, 2]], [[1, 2]], outputs=["a"])


def test_outputs_come_first_inside() -> None:
    predictions = Numeric([[1, 2], [3, 4], [5, 6]], np.zeros((3, 2)))
    assert predictions.outcome.tolist() == [[1, 3, 5], [2, 4, 6]]
    assert predictions.outputs == ("output 1", "output 2")
    second = predictions.output(1)
    assert (second.outcome.tolist(), second.outputs) == ([[2, 4, 6]], ("output 2",))


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_dataframes_give_outputs_their_names_and_are_matched_by_them(library: Any) -> None:
    y = library.DataFrame({"height": [1.0, 2.0], "weight": [30.0, 40.0]})
    value = library.DataFrame({"weight": [30.0, 44.0], "height": [1.0, 2.0]})
    predictions = Numeric(y, value)
    assert predictions.outputs == ("height", "weight")
    assert predictions.value.tolist() == [[1, 2], [30, 44]]
    renamed = library.DataFrame({"p1": [1.0, 2.0], "p2": [30.0, 44.0]})
    assert Numeric(y, renamed).value.tolist() == [[1, 2], [30, 44]]
    assert Numeric(y, value, outputs=["a", "b"]).outputs == ("a", "b")


def test_text_that_spells_numbers_is_numbers() -> None:
    assert Numeric(["1", "2.5"], ["1e0", "2"]).outcome.tolist() == [[1, 2.5]]


def test_one_row_is_enough_for_an_error() -> None:
    one = Numeric([3.0], [4.0])
    assert find("mae").of(one) == 1.0
    assert np.isnan(find("r2").of(one))
    assert np.isnan(find("pearson").of(one))
