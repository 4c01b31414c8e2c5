"""Laws that stand for draws hold their levels."""

import pytest

from statistical import bars, limit_laws
from statistical.limit_laws import LEVELS, SHUFFLED, SIMULATED, Row


def test_shuffled_outcomes_in_a_small_simulation() -> None:
    rows = list(limit_laws.shuffled(SHUFFLED[1], 500, seed=2))
    assert [row.measure for row in rows] == [*limit_laws.SUMS, *limit_laws.RANKS]
    assert all(row.within for row in rows), rows


def test_simulated_outcomes_in_a_small_simulation(monkeypatch) -> None:
    monkeypatch.setattr(limit_laws, "CELL_DRAWS", 4_999)
    rows = list(limit_laws.simulated(SIMULATED[1], 500, seed=2))
    assert all(row.within for row in rows), rows


def test_a_law_of_too_small_a_spread_would_be_found() -> None:
    assert not Row("brier", "", (160, 40, 8), 2_000).within  # 8 % at .05, 2 % at .01


@pytest.mark.parametrize("setting", [*SHUFFLED, *SIMULATED], ids=str)
def test_the_committed_table_holds_the_levels(setting) -> None:
    found = [
        row
        for row in bars.rows(limit_laws.TABLE.read_text("utf-8"))
        if row["setting"] == str(setting)
    ]
    assert found
    for row in found:
        replications = int(row["replications"])
        counts = tuple(round(float(row[f"{level:g}"]) * replications) for level in LEVELS)
        assert Row(row["measure"], row["setting"], counts, replications).within, row
