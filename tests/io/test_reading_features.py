"""Features of a table: which columns they are, what is dropped, and what is refused."""

import numpy as np
import pytest

from abovechance.errors import ColumnError, DataError
from abovechance.io.reading import counts_rows, features_in

TABLE = {
    "y": ["a", "b", "a", "b"],
    "height": [1.5, 1.7, None, 1.6],
    "site": ["x", None, "x", "z"],
    "row": [3, 1, 4, 2],
}


def test_what_is_missing_is_dropped_when_asked() -> None:
    found = features_in(TABLE, "y", blocks="site", missing="drop")
    assert (found.X.ravel().tolist(), found.y.tolist()) == ([1.5, 1.6], ["a", "b"])
    assert found.blocks is not None
    assert found.blocks.tolist() == ["x", "z"]
    assert found.described == (
        "outcome = y; 1 feature; 2 rows; features: height; left out: row (counting the rows); "
        "1 case with a missing value dropped; 1 case without a block dropped"
    )


@pytest.mark.parametrize(
    ("blocks", "said"), [(None, "features and outcome must not be missing; they are at row 3")]
)
def test_what_is_missing_is_refused_with_its_row(blocks, said) -> None:
    with pytest.raises(DataError, match=said):
        features_in(TABLE, "y", blocks=blocks)
    with pytest.raises(DataError, match="blocks must not be missing; they are at row 2"):
        features_in(TABLE, "y", ["row"], blocks="site")


def test_named_features_are_taken_as_they_are() -> None:
    assert features_in(TABLE, "y", ["row"]).names == ["row"]
    with pytest.raises(ColumnError, match="no column of numbers is left"):
        features_in({"y": [0, 1, 0], "row": [1, 2, 3]}, "y")


@pytest.mark.parametrize("start", [0, 1, 101])
def test_a_running_number_counts_the_rows_in_any_order(start) -> None:
    running = np.arange(start, start + 20.0)
    assert counts_rows(running)
    assert counts_rows(np.random.default_rng(1).permutation(running))
    assert counts_rows(running[::-1])


@pytest.mark.parametrize(
    "values", [[1.0, 2.0, 2.0, 3.0], [1.0, 2.0, 4.0], [0.5, 1.5, 2.5], [np.nan, 1.0, 2.0], [1.0]]
)
def test_other_numbers_do_not_count_the_rows(values) -> None:
    assert not counts_rows(np.array(values))
