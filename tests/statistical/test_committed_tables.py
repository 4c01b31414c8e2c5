"""Committed tables are of the settings and of the methods of today."""

from pathlib import Path

import pytest

from statistical import (
    bars,
    comparison_coverage,
    comparison_type_one,
    coverage,
    type_one,
)

TABLES = Path(__file__).parent / "tables"
ALIKE = 3  # samples among which the method of the table must be found


def rows(name: str) -> list[dict[str, str]]:
    return bars.rows((TABLES / f"{name}.md").read_text("utf-8"))


@pytest.mark.parametrize("index", range(len(coverage.SETTINGS)))
def test_coverage_is_that_of_the_interval_that_is_given_today(index: int) -> None:
    row, (measure, setting, *_, barred, _) = rows("coverage")[index], coverage.SETTINGS[index]
    assert (row["measure"], row["setting"]) == (measure, setting)
    assert row["interval"] in {coverage.replicate(index, r).method for r in range(ALIKE)}
    rate, error = float(row["coverage"]), float(row["s.e."])
    assert rate + 3 * error >= 0.93 or not barred


def test_every_interval_of_the_coverage_table_has_its_setting() -> None:
    assert len(rows("coverage")) == len(coverage.SETTINGS)
    assert len(rows("comparison_coverage")) == len(comparison_coverage.SETTINGS)


@pytest.mark.parametrize("number", range(len(comparison_coverage.SETTINGS)))
def test_coverage_of_differences_is_that_of_the_interval_that_is_given_today(number: int) -> None:
    key, row = list(comparison_coverage.SETTINGS)[number], rows("comparison_coverage")[number]
    assert (row["measure"], row["setting"]) == key
    assert row["interval"] in {comparison_coverage.replicate(key, r).method for r in range(ALIKE)}


@pytest.mark.parametrize(
    ("name", "study"), [("type_one", type_one), ("comparison_type_one", comparison_type_one)]
)
def test_type_one_errors_are_those_of_the_tests_of_today_and_within_their_bars(name, study) -> None:
    cells = bars.cells_of((TABLES / f"{name}.md").read_text("utf-8"))
    assert list(cells) == [*study.SETTINGS, *study.WARNINGS]
    for key in study.SETTINGS:
        assert not bars.too_many(cells[key], len(study.SETTINGS)), cells[key]
        assert not bars.off_level(cells[key], len(study.SETTINGS)), cells[key]
