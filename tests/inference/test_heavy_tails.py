"""Few cases that make up much of the error are said, and what has no spread is refused."""

import numpy as np

import abovechance as ac


def _codes(error: np.ndarray) -> set[str]:
    x = np.random.default_rng(1).normal(size=len(error))
    return {a.code for a in ac.assess(ac.Numeric(x + error, x), ["mse"], rng=1, draws=49).advice}


def test_heavy_tails_and_few_cases_are_said() -> None:
    rng = np.random.default_rng(2)
    assert {"AC033", "AC034"}.isdisjoint(_codes(rng.normal(size=200)))
    assert "AC034" in _codes(rng.standard_cauchy(size=200))
    assert "AC033" in _codes(rng.normal(size=30))


def test_a_line_through_every_case_has_no_interval() -> None:
    x = np.arange(12.0)
    for groups in (None, np.repeat(np.arange(4), 3)):
        row = ac.assess(
            ac.Numeric(2 * x + 1, x, groups=groups), ["linear_calibration_slope"], rng=1
        ).estimates[0]
        assert row.interval is None
        assert "no spread" in str(row.remark)


def test_undefined_mcnemar_says_why() -> None:
    assert "never disagree" in ac.significance.mcnemar(0, 0, method="chi2").method
