"""The harm that the site states of common habits is there, and a table says how much."""

import re

import pytest

from statistical import habits


def test_standard_errors_over_repeated_folds_cover_far_too_little() -> None:
    few, covered = habits.over_folds(80, 100, 10, 10, 3)
    many, _ = habits.over_folds(80, 100, 10, 20, 1)
    assert covered < 0.8
    assert many > 1.3 * few  # the spread is that of the size of folds


def test_a_useless_model_beats_one_half_where_classes_are_unequal() -> None:
    accuracy, found = habits.useless(500, 100, 0.1)
    assert accuracy == pytest.approx(0.9, abs=0.01)
    assert found > 0.99
    assert habits.useless(2000, 100, 0.5)[1] < 0.07


def test_delong_hardly_finds_a_marker_that_the_model_finds() -> None:
    areas, ratio = habits.nested(150, 200, 0.4)
    assert areas < 0.3 < 0.55 < ratio
    areas, ratio = habits.nested(400, 200, 0.0)
    assert areas < 0.02
    assert 0.02 < ratio < 0.09


def test_the_table_says_how_it_was_made() -> None:
    text = habits.TABLE.read_text("utf-8")
    assert re.search(r"habits\.py --replications \d{4}", text)
    assert text.count("|---|---|---|---|") == 3
