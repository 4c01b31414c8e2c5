"""Comparisons of equally good models find a difference no more often than they say."""

import pytest

from statistical import comparison_type_one
from statistical.bars import off_level, too_many

SETTINGS = comparison_type_one.SETTINGS
COUNT = len(SETTINGS)


@pytest.mark.part(4)
@pytest.mark.parametrize("key", list(SETTINGS), ids=" · ".join)
def test_level_is_held_in_a_small_simulation(key: tuple[str, str]) -> None:
    (cell,) = comparison_type_one.simulate({key: SETTINGS[key]}, 50)
    assert not too_many(cell, COUNT), cell
    assert not off_level(cell, COUNT), cell


@pytest.mark.slow
@pytest.mark.parametrize("key", list(SETTINGS), ids=" · ".join)
def test_level_is_held(key: tuple[str, str]) -> None:
    (cell,) = comparison_type_one.simulate({key: SETTINGS[key]}, 10_000)
    assert not too_many(cell, COUNT), cell
    assert not off_level(cell, COUNT), cell


def test_what_the_defaults_avoid_does_go_wrong() -> None:
    for cell in comparison_type_one.simulate(comparison_type_one.WARNINGS, 300):
        assert cell.rate > 0.07, cell
