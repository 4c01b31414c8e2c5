"""P-values beyond the last draw."""

import numpy as np
import pytest
from scipy import stats

from abovechance.numerics.pareto_tail import extrapolated, fits, pareto_fit, survival


def falling(values: np.ndarray, kept: int = 251) -> np.ndarray:
    return np.sort(values, axis=0)[::-1][:kept]


@pytest.mark.parametrize("shape", [-0.3, 0.0, 0.2])
def test_survival_is_that_of_scipy(shape: float) -> None:
    x = np.array([0.0, 0.3, 1.0, 2.5])
    expected = stats.genpareto(shape, scale=0.8).sf(x)
    assert survival(x, np.full(4, 0.8), np.full(4, shape)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("shape", [-0.3, 0.0, 0.3])
def test_a_fit_recovers_the_distribution_that_was_drawn_from(shape: float) -> None:
    drawn = stats.genpareto(shape, scale=2.0).rvs((2000, 40), random_state=1)
    scale, found = pareto_fit(np.sort(drawn, axis=0))
    assert found.mean() == pytest.approx(shape, abs=0.02)
    assert scale.mean() == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize("shape", [-0.3, -0.1, 0.1])
def test_a_right_fit_is_refused_in_five_percent_of_samples(shape: float) -> None:
    drawn = np.sort(stats.genpareto(shape).rvs((250, 2000), random_state=2), axis=0)
    refused = 1 - fits(drawn, *pareto_fit(drawn)).mean()
    assert 0.03 < refused < 0.07


def test_a_wrong_fit_is_refused() -> None:
    drawn = np.sort(np.random.default_rng(3).choice([0.5, 1.0], (250, 20)), axis=0)
    assert not fits(drawn, *pareto_fit(drawn)).any()


def test_ties_all_the_way_have_no_fit() -> None:
    assert np.isnan(extrapolated(np.array([3.0]), np.ones((251, 1)), 9999).p_value).all()


@pytest.mark.parametrize("p", [1e-5, 1e-6])
def test_p_values_of_a_normal_null_are_met_far_beyond_the_draws(p: float) -> None:
    null = np.random.default_rng(4).normal(size=(9999, 200))
    observed = np.full(200, stats.norm.isf(p))
    found = extrapolated(observed, falling(null), 9999)
    known = found.p_value[~np.isnan(found.p_value)]
    assert known.size > 150
    # a factor: single fits scatter by one, their middle is near
    assert 0.3 < np.median(known) / p < 3.0
    assert np.isfinite(known).all()
    assert (known > 0).all()


def test_no_p_value_where_the_fitted_tail_ends_below_what_was_observed() -> None:
    null = np.random.default_rng(5).uniform(size=(9999, 1))
    found = extrapolated(np.array([5.0]), falling(null), 9999)
    assert found.fitted[0] > 0
    assert np.isnan(found.p_value[0])


def test_few_draws_are_fitted_by_a_quarter_at_most() -> None:
    null = np.random.default_rng(6).normal(size=(400, 50))
    assert extrapolated(np.full(50, 4.0), falling(null), 400).fitted.max() <= 100


@pytest.mark.parametrize("shape", [-0.3, 0.3])
def test_a_fit_is_that_of_zhang_and_stephens(shape: float) -> None:
    """The estimator of their section 3, one number after the other."""
    x = np.sort(stats.genpareto(shape, scale=2.0).rvs(60, random_state=7))
    n, m = 60, 20 + int(60**0.5)
    theta = [
        1 / x[-1] + (1 - (m / (j - 0.5)) ** 0.5) / (3 * x[int(n / 4 + 0.5) - 1])
        for j in range(1, m + 1)
    ]
    k = [-np.mean([np.log(1 - t * one) for one in x]) for t in theta]
    likelihood = [n * (np.log(a / b) + b - 1) for a, b in zip(theta, k, strict=True)]
    weight = [1 / sum(np.exp(other - one) for other in likelihood) for one in likelihood]
    mean = sum(t * w for t, w in zip(theta, weight, strict=True))
    expected = np.mean([np.log(1 - mean * one) for one in x])
    scale, found = pareto_fit(x[:, None])
    assert found[0] == pytest.approx(expected, rel=1e-10)
    assert scale[0] == pytest.approx(-expected / mean, rel=1e-10)
