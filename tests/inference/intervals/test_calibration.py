"""Intervals of recalibration lines: likelihoods at their limits, separation, clusters."""

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import NotApplicable
from abovechance.inference.intervals import linear_calibration, observed_expected, recalibration
from abovechance.inference.intervals.calibration import PARAMETERS, weighted_slope
from abovechance.measures import find

QUANTILE = 3.841458820694124  # of chi-square on one degree of freedom, 95 %


def binary(n: int = 150, seed: int = 1, **extra: object) -> ac.Binary:
    rng = np.random.default_rng(seed)
    p = rng.beta(2, 3, n)
    return ac.Binary(rng.random(n) < p**1.3, probability=p, **extra)


def likelihood(predictions: ac.Binary, a: float, b: float) -> float:
    """Log-likelihood of a line, written out."""
    p, y = predictions.probability, predictions.positive
    assert p is not None
    odds = a + b * np.log(p / (1 - p))
    return float(np.sum(y * odds - np.log1p(np.exp(odds))))


def best_over(free: str, predictions: ac.Binary, fixed: float) -> float:
    """The greatest log-likelihood over the other parameter, by golden-section search."""
    low, high = -10.0, 10.0
    ratio = (np.sqrt(5) - 1) / 2

    def at(value: float) -> float:
        pair = (value, fixed) if free == "intercept" else (fixed, value)
        return likelihood(predictions, *pair)

    while high - low > 1e-9:
        x1, x2 = high - ratio * (high - low), low + ratio * (high - low)
        if at(x1) > at(x2):
            high = x2
        else:
            low = x1
    return at((low + high) / 2)


def test_at_its_limits_the_profile_has_dropped_by_the_quantile() -> None:
    predictions = binary()
    a, b = (find(f"calibration_{k}").of(predictions) for k in ("intercept", "slope"))
    top = likelihood(predictions, a, b)
    for parameter, free in (("slope", "intercept"), ("intercept", "slope")):
        interval = recalibration(predictions, parameter)
        for limit in (interval.low, interval.high):
            drop = 2 * (top - best_over(free, predictions, limit))
            assert drop == pytest.approx(QUANTILE, rel=1e-6)
    large = recalibration(predictions, "in_the_large")
    top = likelihood(predictions, find("citl").of(predictions), 1.0)
    for limit in (large.low, large.high):
        assert 2 * (top - likelihood(predictions, limit, 1.0)) == pytest.approx(QUANTILE, rel=1e-9)


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_counts_are_repeated_cases(parameter: str) -> None:
    predictions = binary(60)
    times = np.random.default_rng(2).integers(0, 4, 60)
    counted = ac.Binary(predictions.positive, probability=predictions.probability, counts=times)
    repeated = predictions.take(np.repeat(np.arange(60), times))
    one, other = recalibration(counted, parameter), recalibration(repeated, parameter)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-8)


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_a_higher_level_is_wider_around_the_estimate(parameter: str) -> None:
    predictions = binary()
    name = {"in_the_large": "calibration_in_the_large"}.get(parameter, f"calibration_{parameter}")
    narrow = recalibration(predictions, parameter, confidence_level=0.5)
    wide = recalibration(predictions, parameter, confidence_level=0.99)
    assert wide.low < narrow.low < find(name).of(predictions) < narrow.high < wide.high


def test_separation_leaves_one_side_open_and_says_so() -> None:
    predictions = ac.Binary([0, 0, 0, 1, 1, 1], probability=[0.1, 0.2, 0.3, 0.6, 0.7, 0.8])
    interval = recalibration(predictions)
    assert interval.high == np.inf
    assert 0 < interval.low < 2
    assert interval.method == "profile likelihood, unbounded on one side"
    drop = -2 * best_over("intercept", predictions, interval.low)  # the limit of likelihoods is 1
    assert drop == pytest.approx(QUANTILE, rel=1e-6)
    turned = ac.Binary([1, 1, 1, 0, 0, 0], probability=predictions.probability)
    assert recalibration(turned).low == -np.inf
    assert recalibration(turned).high == pytest.approx(-interval.low, rel=1e-8)
    with pytest.raises(NotApplicable, match="separated"):
        recalibration(predictions, "intercept")


def test_quasi_separation_leaves_one_side_open() -> None:
    predictions = ac.Binary([0, 0, 1, 0, 1, 1], probability=[0.1, 0.5, 0.5, 0.5, 0.7, 0.8])
    interval = recalibration(predictions)
    assert interval.high == np.inf
    assert np.isfinite(interval.low)


def test_one_class_bounds_the_intercept_on_one_side() -> None:
    interval = recalibration(ac.Binary([1, 1, 1], probability=[0.1, 0.2, 0.2]), "in_the_large")
    assert interval.high == np.inf
    assert likelihood(
        ac.Binary([1, 1, 1], probability=[0.1, 0.2, 0.2]), interval.low, 1.0
    ) == pytest.approx(-QUANTILE / 2, rel=1e-9)


@pytest.mark.parametrize(
    ("y", "p", "reason"),
    [
        ([0, 1, 1], [0.0, 1.0, 1.0], "says nothing about a line"),
        ([1, 1, 0], [0.0, 0.3, 0.6], "probability 0 happened"),
        ([0, 1, 1], [0.3, 0.3, 0.3], "not defined"),
    ],
)
def test_where_there_is_no_line_there_is_no_interval(
    y: list[int], p: list[float], reason: str
) -> None:
    with pytest.raises(NotApplicable, match=reason):
        recalibration(ac.Binary(y, probability=p))


def test_sampling_weights_have_no_likelihood() -> None:
    weighted = binary(30, sample_weight=np.linspace(1, 2, 30))
    with pytest.raises(NotApplicable, match="sampling weights"):
        recalibration(weighted)


def test_clusters_of_one_case_are_none_and_of_hardly_more_nearly_so() -> None:
    alone = binary(600, groups=np.arange(600))
    nearly = binary(600, groups=np.maximum(np.arange(600), 1))
    for parameter in PARAMETERS:
        sandwich, profile = recalibration(nearly, parameter), recalibration(binary(600), parameter)
        assert recalibration(alone, parameter) == profile
        assert sandwich.low == pytest.approx(profile.low, abs=0.06)
        assert sandwich.high == pytest.approx(profile.high, abs=0.06)
        assert "599 clusters" in sandwich.method


def test_a_line_through_two_numbers_has_no_interval() -> None:
    with pytest.raises(NotApplicable, match="two cases"):
        linear_calibration(ac.Numeric([1.0, 2.0], [0.0, 3.0]))


def test_repeating_every_case_in_clusters_gains_nothing() -> None:
    predictions = binary(200)
    twice = predictions.take(np.tile(np.arange(200), 4))
    clustered = ac.Binary(
        twice.positive, probability=twice.probability, groups=np.tile(np.arange(200), 4)
    )
    wide = recalibration(clustered)
    assert wide.high - wide.low > 1.8 * (lambda i: i.high - i.low)(recalibration(twice))


def test_the_ratio_contains_its_estimate_and_no_negative_numbers() -> None:
    predictions = binary(40)
    interval = observed_expected(predictions)
    assert 0 < interval.low < find("oe_ratio").of(predictions) < interval.high
    with pytest.raises(NotApplicable, match="nothing was observed"):
        observed_expected(ac.Binary([0, 0], probability=[0.1, 0.2]))


def test_numbers_have_the_robust_interval_of_their_line() -> None:
    rng = np.random.default_rng(3)
    value = rng.normal(size=80)
    y = 0.4 * value + rng.normal(size=80) * (1 + np.abs(value))
    predictions = ac.Numeric(y, value)
    design = np.column_stack([np.ones(80), value])
    inner = np.linalg.inv(design.T @ design)
    residual = y - design @ (inner @ design.T @ y)
    leverage = np.einsum("ni,ij,nj->n", design, inner, design)
    spread = inner @ ((design.T * (residual / (1 - leverage)) ** 2) @ design) @ inner
    half = 1.9908470688116918 * np.sqrt(spread[1, 1])  # t on 78 df
    slope = find("linear_calibration_slope").of(predictions)
    interval = linear_calibration(predictions)
    assert (interval.low, interval.high) == pytest.approx((slope - half, slope + half), rel=1e-9)


def test_weights_of_one_give_the_wald_interval_up_to_robustness() -> None:
    predictions = binary(2000)
    assert predictions.probability is not None
    y = predictions.positive.astype(float)
    interval = weighted_slope(y, predictions.probability, np.ones(2000))
    profile = recalibration(predictions)
    assert (interval.low, interval.high) == pytest.approx((profile.low, profile.high), abs=0.02)


def test_clusters_of_numbers_are_left_out_in_turn() -> None:
    """For a straight line one step is the whole way: the jackknife over clusters, about its own
    estimate."""
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(9), 7)
    value = rng.normal(size=63) + rng.normal(size=9)[groups]
    y = 0.5 * value + rng.normal(size=9)[groups] + rng.normal(size=63)
    slope = np.polyfit(value, y, 1)[0]
    without = [np.polyfit(value[groups != g], y[groups != g], 1)[0] for g in range(9)]
    half = 2.306004135204166 * np.sqrt(8 / 9 * np.sum((np.array(without) - slope) ** 2))
    found = linear_calibration(ac.Numeric(y, value, groups=groups))
    assert (found.low, found.high) == pytest.approx((slope - half, slope + half), rel=1e-9)


def test_a_line_that_hangs_on_one_cluster_has_no_interval() -> None:
    value, groups = np.array([1.0, 1, 1, 1, 2, 3]), [1, 1, 2, 2, 3, 3]
    y = np.array([0.5, 1.2, 0.7, 1.1, 2.2, 2.9])
    with pytest.raises(NotApplicable, match="without one of the clusters"):
        linear_calibration(ac.Numeric(y, value, groups=groups))
    with pytest.raises(NotApplicable, match="all predictions are equal"):
        linear_calibration(ac.Numeric(y, np.ones(6)))
