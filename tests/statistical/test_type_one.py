"""Tests against chance reject a true hypothesis no more often than they say."""

import pytest

from statistical import type_one
from statistical.bars import off_level, too_many

COUNT = len(type_one.SETTINGS)


@pytest.mark.part(4)
@pytest.mark.parametrize("key", list(type_one.SETTINGS), ids=" · ".join)
def test_level_is_held_in_a_small_simulation(key: tuple[str, str]) -> None:
    (cell,) = type_one.simulate({key: type_one.SETTINGS[key]}, 300)
    assert not too_many(cell, COUNT), cell
    assert not off_level(cell, COUNT), cell


@pytest.mark.slow
@pytest.mark.parametrize("key", list(type_one.SETTINGS), ids=" · ".join)
def test_level_is_held(key: tuple[str, str]) -> None:
    (cell,) = type_one.simulate({key: type_one.SETTINGS[key]}, 10_000)
    assert not too_many(cell, COUNT), cell
    assert not off_level(cell, COUNT), cell


def test_ignoring_clusters_inflates_type_one_error() -> None:
    for cell in type_one.simulate(type_one.WARNINGS, 300):
        assert cell.rate > 0.08, cell
