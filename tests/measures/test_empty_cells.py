"""Weighted tables with empty cells: what is not there must not come back as rounding."""

from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.measures import applicable
from abovechance.numerics.counts import one_against_rest


def _labelled(classes: int, without: int, seed: int) -> Any:
    """Weighted cases of which none falls in one cell of the confusion table."""
    rng = np.random.default_rng((without, seed))
    names = np.arange(classes)
    y, label = rng.integers(0, classes, 40), rng.integers(0, classes, 40)
    row, column = divmod(without, classes)
    label = np.where((y == row) & (label == column), (column + 1) % classes, label)
    pos = {"pos_label": 1} if classes == 2 else {}
    kind = ac.Binary if classes == 2 else ac.Multiclass
    return kind(y, label=label, labels=names, sample_weight=rng.gamma(2.0, size=40), **pos)


@pytest.mark.parametrize(
    ("classes", "without"), [(k, cell) for k in (2, 3) for cell in range(k * k)]
)
def test_every_value_of_a_table_with_an_empty_cell_is_in_its_range(
    classes: int, without: int
) -> None:
    for cases in (_labelled(classes, without, seed) for seed in range(20)):
        for m in applicable(cases):
            value, (low, high) = float(m.of(cases)), m.range
            assert np.isnan(value) or low - 1e-9 <= value <= high + 1e-9, (m.name, value)
            assert not 1e9 < abs(value) < np.inf, (m.name, value)


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_cells_against_the_rest_are_sums_without_rounding_where_nothing_is(classes: int) -> None:
    rng = np.random.default_rng(classes)
    for _ in range(20):
        table = rng.gamma(2.0, size=(classes, classes)) * (rng.random((classes, classes)) < 0.4)
        found = np.array(one_against_rest(table))
        for k in range(classes):
            rest = np.delete(np.arange(classes), k)
            parts = (
                table[k, k],
                table[rest, k].sum(),
                table[k, rest].sum(),
                table[np.ix_(rest, rest)].sum(),
            )
            assert found[:, k] == pytest.approx(parts, rel=1e-12)
            assert ((found[:, k] == 0.0) == (np.array(parts) == 0.0)).all()
