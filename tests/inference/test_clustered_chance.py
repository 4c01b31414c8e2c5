"""Chance of clustered cases: one shuffle for all rows that show it."""

import numpy as np

import abovechance as ac


def clustered(rng: np.random.Generator) -> ac.Binary:
    groups = np.repeat(np.arange(8), [1, 2, 3, 4, 5, 6, 7, 12])
    y = (rng.random(40) < np.linspace(0.2, 0.8, 8)[groups]).astype(int)
    return ac.Binary(y, probability=np.clip(0.3 * y + 0.6 * rng.random(40), 0, 1), groups=groups)


def test_a_row_without_a_test_shows_no_chance_of_another_shuffle() -> None:
    found = ac.assess(clustered(np.random.default_rng(1)), rng=1, draws=99)
    shown = [e for e in found if e.chance is not None]
    assert [e.measure for e in shown if e.p_value is None] == []
    assert "error_rate" in [e.measure for e in shown]
    assert found["expected_cost"].skill is not None


def test_independent_cases_keep_the_chance_of_utility() -> None:
    cases = clustered(np.random.default_rng(1))
    found = ac.assess(
        ac.Binary(cases.positive.astype(int), probability=cases.probability),
        ["error_rate", "expected_cost"],
        rng=1,
    )
    assert found["error_rate"].chance == found["expected_cost"].chance
