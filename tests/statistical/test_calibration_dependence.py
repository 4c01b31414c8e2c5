"""Intervals for numbers, clusters, censored times and thresholds hold what they say."""

from pathlib import Path

import pytest

from statistical import calibration_dependence as simulation
from statistical import calibration_held_out as held_out

TABLES = Path(__file__).parent / "tables"
ROWS = simulation.rows()
BARRED = [i for i, row in enumerate(ROWS) if row[-1] is not None]
QUICK = [i for i in BARRED if "threshold" not in ROWS[i][0]]


def named(index: int) -> str:
    return f"{ROWS[index][0]} · {ROWS[index][1]}"


@pytest.mark.part(4)
@pytest.mark.parametrize("index", QUICK, ids=named)
def test_an_interval_covers_in_a_small_simulation(index: int) -> None:
    found = simulation.cover(index, 60)
    assert found.met, found


@pytest.mark.slow
@pytest.mark.parametrize("index", BARRED, ids=named)
def test_an_interval_covers(index: int) -> None:
    found = simulation.cover(index, 1000)
    assert found.met, found


@pytest.mark.parametrize("index", [0, 5, 10, 15])
def test_a_band_covers_a_family_held_out_in_a_small_simulation(index: int) -> None:
    found = held_out.cover_band(index, 25)
    assert found.met, found


@pytest.mark.parametrize("name", ["calibration_dependence", "calibration_held_out"])
def test_the_committed_table_misses_no_bar(name: str) -> None:
    text = (TABLES / f"{name}.md").read_text("utf-8")
    assert "missed" not in text
    assert text.count("\n| ") > 20
