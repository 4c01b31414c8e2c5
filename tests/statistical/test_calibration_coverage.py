"""Intervals, bands and tests of calibration and utility hold what they say."""

from pathlib import Path

import pytest

from statistical import calibration_coverage as simulation
from statistical.calibration_coverage import BANDS, INTERVALS, TEST_SETTINGS, TESTS

BARRED = [i for i, row in enumerate(INTERVALS) if row[-1]]
BARRED_BANDS = [i for i, row in enumerate(BANDS) if row[4] is not None]
TABLE = Path(__file__).parent / "tables" / "calibration_coverage.md"


def named(index: int) -> str:
    return f"{INTERVALS[index][0]} · {INTERVALS[index][1]} · {INTERVALS[index][3]}"


def banded(index: int) -> str:
    return " · ".join(map(str, BANDS[index][1:4]))


@pytest.mark.part(4)
@pytest.mark.parametrize("index", BARRED, ids=named)
def test_an_interval_covers_in_a_small_simulation(index: int) -> None:
    found = simulation.cover_interval(index, 60)
    assert found.met, found


SMALL = [i for i in BARRED_BANDS if BANDS[i][3] <= 500]


@pytest.mark.part(4)
@pytest.mark.parametrize("index", SMALL, ids=banded)
def test_a_band_covers_in_a_small_simulation(index: int) -> None:
    found = simulation.cover_band(index, 80)
    assert found.met, found


@pytest.mark.parametrize("test", [t for t in TESTS if not t.startswith("simulated")])
def test_right_probabilities_are_seldom_rejected_in_a_small_simulation(test: str) -> None:
    found = simulation.reject(test, "balanced", 100, 400)
    assert found.met, found


@pytest.mark.parametrize("measure", ["ece", pytest.param("ici", marks=pytest.mark.slow)])
def test_a_percentile_interval_of_a_distance_never_covers_0(measure: str) -> None:
    assert simulation.never_covers(measure, 500).rate == 0.0


@pytest.mark.slow
def test_a_fixed_span_would_lose_coverage_with_many_cases() -> None:
    fixed = next(i for i, row in enumerate(BANDS) if "span" in row[0])
    assert simulation.cover_band(fixed, 1000).rate < 0.85


def test_the_committed_table_misses_no_bar() -> None:
    text = TABLE.read_text("utf-8")
    assert "missed" not in text
    assert text.count("\n| ") > len(INTERVALS) + len(BANDS)


@pytest.mark.slow
@pytest.mark.parametrize("index", BARRED, ids=named)
def test_an_interval_covers(index: int) -> None:
    found = simulation.cover_interval(index, 2000)
    assert found.met, found


@pytest.mark.slow
@pytest.mark.parametrize("index", BARRED_BANDS, ids=banded)
def test_a_band_covers(index: int) -> None:
    found = simulation.cover_band(index, 2000)
    assert found.met, found


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(("risks", "n"), TEST_SETTINGS)
def test_right_probabilities_are_seldom_rejected(test: str, risks: str, n: int) -> None:
    found = simulation.reject(test, risks, n, 2000)
    assert found.met, found
