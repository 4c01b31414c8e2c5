"""A goal that the true value just reaches is claimed no more often than stated."""

from pathlib import Path

import pytest

from abovechance.inference.intervals import mover, wilson
from statistical import goal_risks
from statistical.goal_risks import AREAS, BALANCED, RISK, SHARES, SIZES

TABLE = Path(__file__).parent / "tables" / "goal_risks.md"


@pytest.mark.parametrize("n", [*SIZES, 1, 7, 61])
def test_shares_hold_the_risk_exactly(n: int) -> None:
    for goal in SHARES:
        found = goal_risks.of_share(n, goal)
        assert found.met <= RISK + 1e-12, found
        assert found.not_met <= RISK + 1e-12, found


def test_wilson_would_not() -> None:
    worst = [goal_risks.of_share(n, 0.98, wilson).not_met for n in (20, 30, 50)]
    assert max(worst) > 2 * RISK


@pytest.mark.parametrize(("sizes", "goal"), BALANCED[:2])
def test_balanced_accuracy_holds_the_risk(sizes: tuple[int, int], goal: float) -> None:
    found = goal_risks.of_balanced(sizes, goal)
    assert found.met <= RISK
    assert found.not_met <= RISK
    assert f"| {found.what} | {found.met:.4f} | {found.not_met:.4f} |" in TABLE.read_text("utf-8")
    # limits of both shares by MOVER would not
    assert goal_risks.of_balanced(sizes, goal, mover).not_met > 2 * RISK


def test_areas_in_a_small_simulation() -> None:
    found = goal_risks.of_area((20, 80), 0.8, 200)
    assert found.met <= found.bar, found
    assert found.not_met <= found.bar, found


@pytest.mark.slow
@pytest.mark.parametrize(("sizes", "goal"), AREAS)
def test_areas_hold_the_risk(sizes: tuple[int, int], goal: float) -> None:
    found = goal_risks.of_area(sizes, goal, 4000, seed=2)
    assert found.met <= found.bar, found
    assert found.not_met <= found.bar, found


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 200])
def test_brier_scores_are_met_falsely_no_more_often(n: int) -> None:
    found = goal_risks.of_brier(n, 2000, seed=2)
    assert found.met <= found.bar, found


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 300])
def test_slopes_stay_near_the_risk(n: int) -> None:
    found = goal_risks.of_slope(n, 2000, seed=2)
    assert max(found.met, found.not_met) <= 0.045, found
