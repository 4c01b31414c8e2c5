"""What features, labels and blocks must be, and what is said where they are not."""

import numpy as np
import pytest

from abovechance import detect
from abovechance.errors import DataError, NotApplicable
from abovechance.signal import (
    features_of,
    holds_numbers,
    hotelling,
    hotelling_shrink,
    present,
    statistic,
)


@pytest.mark.parametrize("unit", [1.0, 1e-50, 1e50, 1e69])
def test_a_column_constant_but_for_rounding_is_constant_in_every_unit(unit) -> None:
    rng = np.random.default_rng(1)
    rounded = np.where(rng.random(40) < 0.5, 0.1 + 0.2, 0.3)
    X = np.c_[rng.normal(size=40), rounded]
    assert np.ptp(rounded) > 0
    with pytest.raises(DataError, match="column 2 is constant"):
        features_of(X * unit)
    features_of(X[:, :1] * unit)
    features_of((1 + 1e-12 * X[:, :1]) * unit)


def test_a_column_of_zeros_is_constant() -> None:
    with pytest.raises(DataError, match="column 1 is constant"):
        features_of(np.zeros((4, 1)))


def test_values_that_are_not_finite_are_found_by_the_columns_name() -> None:
    X = np.ones((3, 2))
    X[1, 1] = np.nan
    with pytest.raises(DataError, match="got nan at row 2, column 'b'"):
        features_of(X, ["a", "b"])


@pytest.mark.parametrize("unit", [1e71, 1e-71])
def test_numbers_whose_fourth_powers_are_none_are_refused(unit: float) -> None:
    with pytest.raises(
        DataError, match="within ±1e\\+70 and differ by 1e-70 or more; those of column"
    ):
        features_of(np.column_stack([np.arange(4.0), unit * np.arange(4.0)]))


def test_columns_of_words_are_called_by_their_name() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"age": [1.0, 2.0], "site": ["x", "y"], "seen": [3, 4]})
    with pytest.raises(DataError, match="column 'site' holds something else"):
        features_of(table)
    with pytest.raises(DataError, match="features must be numbers"):
        features_of(np.array([["a", "b"]]))


def test_missing_values_of_every_library_are_seen() -> None:
    pandas = pytest.importorskip("pandas")
    for values in (
        ["a", None],
        ["a", float("nan")],
        np.array(["a", None], dtype=object),
        np.array([1.0, np.nan]),
        np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"),
        pandas.Series(["a", pandas.NA], dtype="string"),
    ):
        with pytest.raises(DataError, match=r"labels must not be missing; got .* at row 2"):
            present("labels", values)
    assert present("labels", ["nan", "None"]).tolist() == ["nan", "None"]


def test_shrunken_covariances_of_two_pairs_are_refused_where_they_are_singular() -> None:
    X, y = np.random.default_rng(1).normal(size=(5, 3)), np.array([0, 0, 1, 1, 1])
    with pytest.raises(NotApplicable, match=r"hotelling_shrink needs 5 rows or more.*Use goeman"):
        detect(X[:4], y[:4], tests=["hotelling_shrink"])
    assert np.isfinite(hotelling_shrink(X, y))
    assert np.isfinite(hotelling_shrink(X[:4, :2], y[:4]))


@pytest.mark.parametrize("apart", [1.0, 1e-2, 1e-3, 1e-5, 1e-7, 1e-9, 0.0])
def test_features_that_nearly_follow_from_others_are_found_as_singular_values_find_them(
    apart: float,
) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 5))
    X[:, 4] = X[:, 0] - 2.0 * X[:, 1] + apart * X[:, 4]
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    least = np.linalg.svd(standard, compute_uv=False)[-1] / np.sqrt(40)
    assert statistic._plainly_apart(standard) == (least > statistic.PLAINLY)
    if least > statistic.COLLINEAR:
        hotelling.require(X, np.arange(40) % 2)
    else:
        with pytest.raises(NotApplicable, match="of rank 4"):
            hotelling.require(X, np.arange(40) % 2)


def test_whole_numbers_far_apart_are_a_quantity_however_large():
    ends = np.iinfo(np.int64)
    assert holds_numbers(np.linspace(ends.min, ends.max - 2048, 30).astype(np.int64))
    assert not holds_numbers(np.array([ends.min, ends.max, 0]))
    assert not holds_numbers(np.arange(20) + ends.max - 20)
