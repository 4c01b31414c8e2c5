"""Logistic recalibration: to the digits of 40-digit arithmetic, and where no line exists."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from abovechance.numerics import recalibration
from abovechance.numerics.recalibration import (
    expit,
    information,
    line,
    line_log_likelihood,
    lines,
    log_likelihood,
    log_odds,
    shift,
)

Reference = Callable[[str], Any]
CASES = ("well_calibrated", "overconfident", "underconfident", "rare", "small", "tenths", "anti")


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, reference: Reference) -> tuple[Any, Any, Any]:
    (found,) = [c for c in reference("calibration")["cases"] if c["id"] == request.param]
    y, p = (np.array(found["input"][k], dtype=float) for k in "yp")
    return y, log_odds(p), {k: v.get("mpmath") for k, v in found["expected"].items()}


def test_lines_equal_maximum_likelihood_in_forty_digits(case: tuple[Any, Any, Any]) -> None:
    y, x, expected = case
    found = line(y, x)
    assert found.slope == pytest.approx(expected["calibration_slope"], rel=1e-12)
    assert found.intercept == pytest.approx(expected["calibration_intercept_joint"], rel=1e-12)
    alone = shift(y, x)
    assert alone == pytest.approx(expected["calibration_in_the_large_intercept"], rel=1e-12)


def test_information_gives_the_standard_errors(case: tuple[Any, Any, Any]) -> None:
    y, x, expected = case
    found = line(y, x)
    spread = np.linalg.inv(information(x, float(found.intercept), float(found.slope)))
    assert spread[1, 1] ** 0.5 == pytest.approx(expected["calibration_slope_se"], rel=1e-10)
    assert spread[0, 0] ** 0.5 == pytest.approx(
        expected["calibration_intercept_joint_se"], rel=1e-10
    )
    alone = information(x, float(shift(y, x)), 1.0)[0, 0]
    assert alone**-0.5 == pytest.approx(expected["calibration_in_the_large_se"], rel=1e-10)


def test_likelihoods_give_the_ratio_statistics(case: tuple[Any, Any, Any]) -> None:
    y, x, expected = case
    given, shifted = log_likelihood(y, x, None), log_likelihood(y, x + shift(y, x), None)
    free = line_log_likelihood(line(y, x), y, x)
    assert 2 * (free - given) == pytest.approx(expected["lr_unreliability_chi2_2df"], rel=1e-10)
    assert 2 * (shifted - given) == pytest.approx(expected["lr_intercept_chi2_1df"], rel=1e-10)
    assert 2 * (free - shifted) == pytest.approx(
        expected["lr_slope_given_intercept_chi2_1df"], rel=1e-10
    )


def batch(rows: int = 6) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    x = rng.normal(size=120)
    y = (rng.random(120) < expit(0.3 + 0.8 * x)).astype(float)
    return y, x, rng.multinomial(120, np.full(120, 1 / 120), size=rows).astype(float)


def test_many_weightings_equal_each_alone_and_repeated_cases() -> None:
    y, x, weights = batch()
    together = line(y, x, weights)
    for k, w in enumerate(weights):
        alone = line(y, x, w)
        times = np.repeat(np.arange(120), w.astype(int))
        repeated = line(y[times], x[times])
        for found in (alone, repeated):
            assert together.slope[k] == pytest.approx(found.slope, rel=1e-11)
            assert together.intercept[k] == pytest.approx(found.intercept, rel=1e-10)
    shifts = shift(y, x, None, weights)
    assert shifts[2] == pytest.approx(float(shift(y, x, None, weights[2])), rel=1e-11)


def test_many_outcomes_equal_each_alone() -> None:
    y, x, _ = batch()
    outcomes = np.stack([y, 1 - y, np.roll(y, 1)])
    together = line(outcomes, x)
    assert together.slope == pytest.approx([float(line(o, x).slope) for o in outcomes], rel=1e-11)


def test_compiled_sums_equal_plain_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    y, x, weights = batch()
    a, b = np.linspace(-1, 1, 6), np.linspace(0.5, 2, 6)
    rows = np.broadcast_to(y, weights.shape)
    monkeypatch.setattr(recalibration, "worthwhile", lambda size: False)
    plain = recalibration._sums(rows, x, weights, a, b)
    monkeypatch.setattr(recalibration, "worthwhile", lambda size: True)
    for fast, slow in zip(recalibration._sums(rows, x, weights, a, b), plain, strict=True):
        assert fast == pytest.approx(slow, rel=1e-12)


@pytest.mark.parametrize(
    ("y", "x", "slope", "most"),
    [
        ([0, 0, 1, 1], [-2, -1, 1, 2], np.inf, 0.0),
        ([1, 1, 0, 0], [-2, -1, 1, 2], -np.inf, 0.0),
        ([0, 0, 1, 1], [-1, 0, 0, 2], np.inf, 2 * np.log(0.5)),
        ([0, 1, 1, 0, 1], [0, 0, 0, -3, 2], np.inf, 2 * np.log(2 / 3) + np.log(1 / 3)),
        ([1, 1, 0, 0, 0], [-1, 0, 0, 0, 1], -np.inf, 2 * np.log(2 / 3) + np.log(1 / 3)),
    ],
)
def test_separation_is_seen_and_its_likelihood_is_the_limit(
    y: list[float], x: list[float], slope: float, most: float
) -> None:
    outcome, odds = np.array(y, dtype=float), np.array(x, dtype=float)
    found = line(outcome, odds)
    assert found.slope == slope
    assert np.isnan(found.intercept)
    limit = line_log_likelihood(found, outcome, odds)
    assert limit == pytest.approx(most, abs=1e-12)
    steep = 60.0 * np.sign(slope)
    touching = shift(outcome, steep * odds)
    assert log_likelihood(outcome, steep * odds + touching, None) == pytest.approx(limit, abs=1e-6)


def test_a_case_without_weight_does_not_undo_separation() -> None:
    y, x = np.array([0.0, 0, 1, 1, 0]), np.array([-2.0, -1, 1, 2, 3])
    assert np.isfinite(line(y, x).slope)
    assert line(y, x, np.array([1.0, 1, 1, 1, 0])).slope == np.inf


def test_what_has_no_line_is_undefined() -> None:
    assert np.isnan(line(np.ones(3), np.array([1.0, 2, 3])).slope)
    assert np.isnan(line(np.array([0.0, 1, 1]), np.full(3, 0.4)).slope)


def test_a_shift_is_infinite_where_all_outcomes_agree() -> None:
    x = np.array([0.5, -1.0])
    assert shift(np.ones(2), x) == np.inf
    assert shift(np.zeros(2), x) == -np.inf
    assert shift(np.array([0.0, 1]), np.zeros(2), np.array([-1.0, 2])) == np.inf


def test_lines_nearly_separated_are_found() -> None:
    rng = np.random.default_rng(8)
    x = np.sort(rng.normal(size=400))
    y = (x > 0).astype(float)
    border = int((x <= 0).sum())
    y[border - 1], y[border] = 1.0, 0.0  # one pair out of order
    found = line(y, x)
    assert 50 < found.slope < 1e4
    residual = y - expit(found.intercept + found.slope * x)
    assert abs(residual.sum()) < 1e-8
    assert abs(residual @ x) < 1e-8


def test_far_away_log_odds_do_not_overflow() -> None:
    y = np.array([0.0, 1, 0, 1, 0, 1])
    x = np.array([-700.0, 700, -3, 2, 1, -1])
    found = line(y, x)
    assert np.isfinite(found.slope)
    assert np.isfinite(shift(y, x))


def test_lines_of_many_rows_leave_nothing_to_explain() -> None:
    """At the largest likelihood weighted residuals sum to 0, and so do they times the log odds."""
    rng = np.random.default_rng(5)
    odds = rng.normal(0.4, 1.3, size=(6, 30))
    outcome = (rng.random((6, 30)) < expit(0.7 * odds - 0.5)).astype(float)
    weight = rng.integers(0, 4, size=(6, 30)).astype(float)
    found = lines(outcome, odds, weight)
    assert np.isfinite(found.slope).all()
    left = weight * (
        outcome - 1 / (1 + np.exp(-(found.intercept[:, None] + found.slope[:, None] * odds)))
    )
    np.testing.assert_allclose(left.sum(axis=1), 0.0, atol=1e-7)
    np.testing.assert_allclose((left * odds).sum(axis=1), 0.0, atol=1e-7)


def test_lines_that_do_not_exist_are_left_undefined() -> None:
    """Classes apart, touching, apart but for a case of no weight; equal odds; one that exists."""
    odds = np.array([[-2.0, -1, 1, 2]] * 2 + [[-1.0, 1, 1, 2], [-2, -1, 1, 2], [1, 1, 1, 1]])
    odds = np.vstack([odds, [[-2.0, -1, 1, 2]]])
    outcome = np.array(
        [[0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 1], [0, 1, 0, 1], [0, 1, 0, 1]]
    ).astype(float)
    weight = np.ones((6, 4))
    weight[3, 0] = 0.0
    found = lines(outcome, odds, weight)
    assert np.isnan(found.slope).tolist() == [True] * 5 + [False]
    assert np.isnan(found.intercept).tolist() == [True] * 5 + [False]


def test_lines_of_rare_negatives_are_found_from_their_share() -> None:
    """Odds that tell nothing: the slope is 0, the intercept the log odds of the share."""
    odds = np.array([[-1.0, -1, 1, 1]] * 3)
    outcome = np.array([[0.0, 1, 0, 1]] * 3)
    weight = np.array([[1.0, rare, 1.0, rare] for rare in (3.0, 1e6, 1e9)])
    found = lines(outcome, odds, weight)
    np.testing.assert_allclose(found.intercept, np.log([3.0, 1e6, 1e9]), rtol=1e-8)
    np.testing.assert_allclose(found.slope, 0.0, atol=1e-8)


def test_a_long_row_is_fitted_part_by_part_as_it_is_at_once(monkeypatch):
    rng = np.random.default_rng(3)
    odds = rng.normal(size=1_000)
    y = (rng.random(1_000) < expit(0.4 + 0.8 * odds)).astype(float)
    weight = rng.uniform(0.5, 2.0, size=1_000)
    at_once = shift(y, odds), shift(y, odds * 0.0, odds, weight), log_likelihood(y, odds, None)
    monkeypatch.setattr(recalibration, "AT_ONCE", 64)
    in_parts = shift(y, odds), shift(y, odds * 0.0, odds, weight), log_likelihood(y, odds, None)
    np.testing.assert_allclose(in_parts, at_once, rtol=1e-12)
    # the first parts hold one class alone: only all of them say whether more is always better
    late = np.repeat([0.0, 1.0], 500)
    np.testing.assert_allclose(shift(late, odds), shift(late[None], odds)[0], rtol=1e-9)
    assert shift(np.ones(1_000), odds) == np.inf
    assert shift(np.zeros(1_000), odds) == -np.inf
