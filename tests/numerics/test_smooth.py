"""Local regression: the curves of R, and what must hold of any linear smoother."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from abovechance.errors import NotApplicable
from abovechance.numerics.smooth import POINTS, Repeated, loess, lowess

CASES = (
    "well_calibrated",
    "overconfident",
    "underconfident",
    "overestimating",
    "rare",
    "small",
    "rounded",
    "tenths",
    "anti",
)
Reference = Callable[[str], Any]


def case(reference: Reference, name: str) -> tuple[np.ndarray, np.ndarray, Any]:
    (found,) = [c for c in reference("calibration")["cases"] if c["id"] == name]
    y, p = (np.array(found["input"][k], dtype=float) for k in "yp")
    return y, p, found["expected"]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("surface", ["interpolate", "direct"])
def test_curve_equals_that_of_r(reference: Reference, name: str, surface: str) -> None:
    y, p, expected = case(reference, name)
    wanted = expected[f"loess_fitted_{surface}"][f"R::loess_{surface}"]
    assert loess(p, surface=surface).curve(y, p) == pytest.approx(wanted, abs=1e-13)


@pytest.mark.parametrize("name", CASES)
def test_lowess_gives_the_errors_of_val_prob(reference: Reference, name: str) -> None:
    y, p, expected = case(reference, name)
    error = np.abs(lowess(p, y) - p)
    found = {"Eavg": error.mean(), "E90": np.quantile(error, 0.9), "Emax": error.max()}
    for key, value in found.items():
        assert value == pytest.approx(expected[f"{key}_lowess_iter0"]["rms::val.prob"], rel=1e-12)


def test_lowess_follows_a_line_and_copes_with_ties() -> None:
    x = np.repeat(np.linspace(0, 1, 30), 3)
    assert lowess(x, 3 - 2 * x) == pytest.approx(3 - 2 * x, abs=1e-12)
    assert lowess(np.ones(5), np.array([0.0, 1, 1, 0, 1])) == pytest.approx(np.full(5, 0.6))
    assert lowess(np.ones(1), np.array([0.3])).tolist() == [0.3]


@pytest.mark.parametrize("surface", ["interpolate", "direct"])
def test_a_quadratic_is_reproduced(surface: str) -> None:
    x = np.random.default_rng(1).random(60)
    y = 1.0 - 2.0 * x + 3.0 * x**2
    at = np.linspace(x.min(), x.max(), 25)
    assert loess(x, surface="interpolate").curve(y, at) == pytest.approx(
        1.0 - 2.0 * at + 3.0 * at**2, abs=1e-10
    )
    assert loess(x, surface=surface).curve(y, x) == pytest.approx(y, abs=1e-10)


def test_many_outcomes_at_once_equal_each_alone() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.random(50), rng.random((4, 50))
    smoother = loess(x)
    together = smoother.curve(y, x)
    for row, alone in zip(together, y, strict=True):
        assert row == pytest.approx(smoother.curve(alone, x), abs=1e-14)
    assert smoother.coefficients(y) @ smoother.basis(x).T == pytest.approx(together, abs=1e-13)


def test_variance_is_the_sum_over_cases_of_squared_weights() -> None:
    rng = np.random.default_rng(3)
    x, noise = rng.random(40), rng.random(40)
    at = np.array([0.2, 0.5, 0.8])
    smoother = loess(x)
    weights = smoother.curve(np.eye(40), at)  # what each case contributes at each place
    assert smoother.variance(noise, at) == pytest.approx((weights.T**2) @ noise, rel=1e-10)


@pytest.mark.parametrize("values", [[0.3], [0.2, 0.7], [0.1, 0.4, 0.9]])
def test_few_distinct_values_get_their_means(values: list[float]) -> None:
    x = np.repeat(values, 4)
    y = np.tile([0.0, 1.0, 1.0, 0.0], len(values)) + x
    assert loess(x).curve(y, np.array(values)) == pytest.approx(0.5 + np.array(values))


def test_two_values_are_joined_by_a_line() -> None:
    x, y = np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.5, 0.75])
    assert loess(x).curve(y, np.array([0.5])) == pytest.approx(0.5)


def test_a_neighbourhood_of_one_value_is_a_mean() -> None:
    x = np.concatenate([np.full(90, 0.5), [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0]])
    y = np.concatenate([np.tile([0.0, 1.0], 45), np.ones(10)])
    found = loess(x).curve(y, x)
    assert np.isfinite(found).all()
    assert found[0] == pytest.approx(0.5)


def test_equal_weights_change_nothing_and_others_do() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.random(60), rng.random(60)
    plain = loess(x).curve(y, x)
    assert loess(x, weight=np.full(60, 3.0)).curve(y, x) == pytest.approx(plain, abs=1e-12)
    heavy = np.where(y > 0.5, 5.0, 1.0)
    assert (loess(x, weight=heavy).curve(y, x) > plain).mean() > 0.9


def test_a_direct_curve_of_many_values_is_blended_between_some() -> None:
    rng = np.random.default_rng(5)
    x = rng.random(POINTS + 500)
    y = (rng.random(x.size) < x).astype(float)
    smoother = loess(x, surface="direct")
    assert len(smoother.vertices) == POINTS
    between = loess(x, surface="interpolate").curve(y, x)
    assert np.abs(smoother.curve(y, x) - between).max() < 0.02


def test_order_of_cases_is_ignored() -> None:
    rng = np.random.default_rng(6)
    x, y = np.round(rng.random(80), 1), rng.random(80)
    mixed = rng.permutation(80)
    at = np.linspace(0, 1, 7)
    assert loess(x[mixed]).curve(y[mixed], at) == pytest.approx(loess(x).curve(y, at), abs=1e-12)


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(NotApplicable, match="surface must be"):
        loess(np.arange(9.0), surface="kd")
    with pytest.raises(NotApplicable, match="span must be greater than 0"):
        loess(np.arange(9.0), span=0.0)


def places(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """Probabilities of three classes: different ones, a few, tied at one end, hardly any."""
    x = rng.random((3, n))
    return {"smooth": x, "tenths": np.round(x, 1), "crowded": x**4, "few": np.round(2 * x) / 2}[
        kind
    ]


@pytest.mark.parametrize("kind", ["smooth", "tenths", "crowded", "few"])
@pytest.mark.parametrize("n", [5, 13, 40, 300])
@pytest.mark.parametrize("span", [0.75, 0.4, 1.5])
def test_curves_of_counted_cases_equal_those_of_repeated_ones(
    kind: str, n: int, span: float
) -> None:
    rng = np.random.default_rng(n)
    x, code = places(kind, n, rng), rng.integers(0, 3, n)
    drawn = rng.multinomial(n, np.full(n, 1.0 / n), size=4)
    for counts in (*drawn, (np.arange(n) != 2).astype(np.int64), np.zeros(n, np.int64) + 2):
        found = Repeated.of(x, code).curves(counts, span)
        for k in range(3):
            at = np.repeat(x[k], counts)
            expected = loess(at, span=span).curve(np.repeat(code == k, counts), at)
            np.testing.assert_allclose(found[k], expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("at", [[0.1, 0.4, 0.9], [0.0, 0.7, 0.8], [-2.0, 1.0, 7.0], [0.2, 0.9]])
def test_between_few_distinct_values_runs_the_polynomial_through_their_means(
    at: list[float],
) -> None:
    """A parabola through three values and a line through two, between them too."""
    x = np.repeat(at, 3)
    between = np.linspace(at[0], at[-1], 17)
    for power in range(len(at)):
        y = x**power
        assert loess(x).curve(y, between) == pytest.approx(between**power, abs=1e-12)
