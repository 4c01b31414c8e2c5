"""Intervals and tests of calibration, by name and in an assessment."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import stdtrit

import abovechance as ac
from abovechance import examples
from abovechance.errors import NotApplicable
from abovechance.inference import miscalibration
from abovechance.inference.intervals import linear_calibration, observed_expected, recalibration
from abovechance.inference.miscalibration import PARAMETERS, simulated, weighted_slope
from abovechance.inference.significance import calibration as error_of
from abovechance.inference.significance import (
    hosmer_lemeshow,
    likelihood_ratio,
    spiegelhalter,
)
from abovechance.measures import find
from abovechance.resampling import Settings

# ----------------------------------------------------------------------------------------------
# Intervals of recalibration lines: likelihoods at their limits, separation, clusters.
# ----------------------------------------------------------------------------------------------


QUANTILE = 3.841458820694124  # of chi-square on one degree of freedom, 95 %


def binary(n: int = 150, seed: int = 1, power: float = 1.3, **extra: object) -> ac.Binary:
    rng = np.random.default_rng(seed)
    p = rng.beta(2, 3, n)
    return ac.Binary(rng.random(n) < p**power, probability=p, **extra)


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


def excess(predictions: ac.Binary, parameter: str, a: float, b: float) -> float:
    """By how much the sandwich HC3 exceeds the likelihood's variance, case by case; from 1."""
    p, y = predictions.probability, predictions.positive
    assert p is not None
    x = np.log(p / (1 - p))
    size = 1 if parameter == "in_the_large" else 2
    inner, middle = np.zeros((size, size)), np.zeros((size, size))
    at = 1 / (1 + np.exp(-(a + b * x)))
    rows = [np.array([1.0, z])[:size] for z in x]
    for row, q in zip(rows, at, strict=True):
        inner += q * (1 - q) * np.outer(row, row)
    inner = np.linalg.inv(inner)
    for row, q, seen in zip(rows, at, y, strict=True):
        left = (seen - q) / (1 - q * (1 - q) * row @ inner @ row)
        middle += left**2 * np.outer(row, row)
    k = 1 if parameter == "slope" else 0
    return max(1.0, float((inner @ middle @ inner)[k, k] / inner[k, k]))


@pytest.mark.parametrize("power", [1.3, 3.0], ids=["nearly right", "too extreme"])
def test_at_its_limits_the_profile_has_dropped_by_the_quantile(power: float) -> None:
    predictions = binary(power=power)
    a, b = (find(f"calibration_{k}").of(predictions) for k in ("intercept", "slope"))
    top = likelihood(predictions, a, b)
    for parameter, free in (("slope", "intercept"), ("intercept", "slope")):
        interval = recalibration(predictions, parameter)
        for limit in (interval.low, interval.high):
            drop = 2 * (top - best_over(free, predictions, limit))
            wanted = QUANTILE * excess(predictions, parameter, a, b)
            assert drop == pytest.approx(wanted, rel=1e-6)
    large = recalibration(predictions, "in_the_large")
    shifted = find("citl").of(predictions)
    top = likelihood(predictions, shifted, 1.0)
    wanted = QUANTILE * excess(predictions, "in_the_large", shifted, 1.0)
    for limit in (large.low, large.high):
        assert 2 * (top - likelihood(predictions, limit, 1.0)) == pytest.approx(wanted, rel=1e-9)


def test_an_intercept_beside_a_wrong_slope_is_less_sure_than_its_likelihood_says() -> None:
    rng = np.random.default_rng(3)
    odds = -0.5 + 1.5 * rng.normal(size=400)
    outcome = rng.random(400) < 1 / (1 + np.exp(-odds))
    right, extreme = (ac.Binary(outcome, probability=1 / (1 + np.exp(-k * odds))) for k in (1, 2))
    shift = find("citl").of(extreme)
    assert excess(right, "in_the_large", find("citl").of(right), 1.0) < 1.1
    assert 1.4 < excess(extreme, "in_the_large", shift, 1.0) < 2.0


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
    p = np.array([0.1, 0.15, 0.2, 0.25, 0.3, 0.6, 0.7, 0.75, 0.8, 0.9])
    predictions = ac.Binary(p > 0.5, probability=p)
    interval = recalibration(predictions)
    assert interval.high == np.inf
    assert 0 < interval.low < 2
    df = 4 * p @ (1 - p) - 2
    assert 3 < df < 6
    said = f"robust profile likelihood, Student's t with {df:.0f} df, unbounded on one side"
    assert interval.method == said
    drop = -2 * best_over("intercept", predictions, interval.low)  # the limit of likelihoods is 1
    assert drop == pytest.approx(stdtrit(df, 0.975) ** 2, rel=1e-6)
    turned = ac.Binary(p < 0.5, probability=p)
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


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_sampling_weights_drop_the_weighted_likelihood_of_what_they_are_worth(
    parameter: str,
) -> None:
    """As without weights, written out case by case; the quantile is Student's."""
    weight = np.random.default_rng(4).gamma(2.0, size=90)
    predictions = binary(90, seed=3)
    weighted = binary(90, seed=3, sample_weight=weight)
    w = weight * weight.sum() / (weight @ weight)
    y, p = predictions.positive, predictions.probability
    assert p is not None
    x = np.log(p / (1 - p))
    free = parameter != "in_the_large"
    rows = np.stack([np.ones(90), x])[: 1 + free]

    def likelihood_at(odds: np.ndarray) -> float:
        return float(w @ (y * odds - np.log1p(np.exp(odds))))

    def scores(odds: np.ndarray) -> np.ndarray:
        return w * (y - 1 / (1 + np.exp(-odds)))

    fit = [find(f"calibration_{k}").of(weighted) for k in ("intercept", "slope")]
    at = fit[0] + fit[1] * x if free else find("citl").of(weighted) + x
    assert rows @ scores(at) == pytest.approx(np.zeros(len(rows)), abs=1e-7)
    q = 1 / (1 + np.exp(-at))
    inner = np.linalg.inv((rows * w * q * (1 - q)) @ rows.T)
    lever = np.array([w[i] * q[i] * (1 - q[i]) * r @ inner @ r for i, r in enumerate(rows.T)])
    robust = inner @ ((rows * (scores(at) / (1 - lever)) ** 2) @ rows.T) @ inner
    k = 1 if parameter == "slope" else 0
    more = max(1.0, robust[k, k] / inner[k, k])
    assert more > 1.0  # or it would not tell the two apart
    found = recalibration(weighted, parameter)
    for limit in (found.low, found.high):
        if not free:
            most = likelihood_at(limit + x)
        else:
            fixed, other = (limit * x, np.ones(90)) if k else (np.full(90, limit), x)
            root = brentq(lambda t: other @ scores(fixed + t * other), -20, 20, xtol=1e-12)  # noqa: B023
            most = likelihood_at(fixed + root * other)
        # a slope is known by the cases in doubt, fewer than the weights are worth
        df = 4.0 * w @ (p * (1 - p)) - 2.0 if parameter == "slope" else w.sum() - 1.0
        assert df <= w.sum() - 1.0
        wanted = more * stdtrit(df, 0.975) ** 2
        assert 2 * (likelihood_at(at) - most) == pytest.approx(wanted, rel=1e-6)
    again = recalibration(binary(90, seed=3, sample_weight=1e3 * weight), parameter)
    assert (again.low, again.high) == pytest.approx((found.low, found.high), rel=1e-9)


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_equal_weights_are_hardly_weights(parameter: str) -> None:
    plain, equal = (
        recalibration(binary(400, **extra), parameter, confidence_level=0.9)
        for extra in ({}, {"sample_weight": np.where(np.arange(400), 1.0, 1.001)})
    )
    assert (equal.low, equal.high) == pytest.approx((plain.low, plain.high), rel=0.01, abs=0.003)


def test_weights_count_within_clusters() -> None:
    groups, weight = np.arange(120) % 30, 1.0 + (np.arange(120) % 30)
    plain = recalibration(binary(120, groups=groups))
    weighted = recalibration(binary(120, groups=groups, sample_weight=weight))
    value = find("calibration_slope").of(binary(120, groups=groups, sample_weight=weight))
    assert weighted.low < value < weighted.high
    assert (weighted.low + weighted.high) / 2 == pytest.approx(value)
    assert weighted.high - weighted.low > plain.high - plain.low


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


@pytest.mark.parametrize("n", [25, 400])
def test_slopes_of_equal_weights_are_those_of_two_classes(n: int) -> None:
    predictions = binary(n)
    assert predictions.probability is not None
    y = predictions.positive.astype(float)
    interval = weighted_slope(y, predictions.probability, np.full(n, 1.7))
    assert interval == recalibration(predictions)


def test_a_slope_at_a_time_that_nobody_was_censored_before_is_that_of_two_classes() -> None:
    """With one event before the time its sandwich was three times too narrow: .37 of .90."""
    rng = np.random.default_rng(3)
    time, risk = rng.exponential(size=60), rng.uniform(0.05, 0.6, size=60)
    event = (time < 1.0) | (rng.random(60) < 0.5)
    cases = ac.Survival(time, event, survival=1.0 - risk[:, None], times=[0.3])
    found = ac.assess(cases, ["calibration_slope_at"], rng=1)["calibration_slope_at"]
    plain = ac.Binary(time <= 0.3, probability=risk)
    expected = ac.assess(plain, ["calibration_slope"], rng=1)["calibration_slope"]
    assert found.value == pytest.approx(expected.value, rel=1e-9)
    assert found.interval.by == expected.interval.by
    limits = expected.interval.low, expected.interval.high
    assert (found.interval.low, found.interval.high) == pytest.approx(limits, rel=1e-9)


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


# ----------------------------------------------------------------------------------------------
# Tests of calibration: R's statistics, and p-values that hold their level.
# ----------------------------------------------------------------------------------------------


Reference = Callable[[str], Any]
CASES = ("well_calibrated", "overconfident", "underconfident", "overestimating", "rare", "small")


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, reference: Reference) -> tuple[ac.Binary, Any]:
    (found,) = [c for c in reference("calibration")["cases"] if c["id"] == request.param]
    return ac.Binary(found["input"]["y"], probability=found["input"]["p"]), found["expected"]


def test_likelihood_ratios_equal_r(case: tuple[ac.Binary, Any]) -> None:
    predictions, expected = case
    whole = likelihood_ratio(predictions)
    wanted = expected["lr_unreliability_chi2_2df"]["mpmath"]
    assert whole.statistic == pytest.approx(wanted, rel=1e-10)
    assert whole.p_value == pytest.approx(expected["lr_unreliability_p"]["mpmath"], rel=1e-9)
    large, slope = (likelihood_ratio(predictions, h) for h in ("in_the_large", "slope"))
    assert large.statistic == pytest.approx(expected["lr_intercept_chi2_1df"]["mpmath"], rel=1e-9)
    assert slope.statistic == pytest.approx(
        expected["lr_slope_given_intercept_chi2_1df"]["mpmath"], rel=1e-9
    )


@pytest.mark.parametrize("groups", [5, 10])
def test_hosmer_lemeshow_has_g_degrees_of_freedom_for_new_cases(
    case: tuple[ac.Binary, Any], groups: int
) -> None:
    predictions, expected = case
    key = f"hosmer_lemeshow_g{groups}_p_df_G"
    external = hosmer_lemeshow(predictions, groups=groups, method="chi2")
    wanted = expected[f"{key}_external_validation"]["mpmath_from_groups"]
    assert external.p_value == pytest.approx(wanted, rel=1e-9)
    fitted = hosmer_lemeshow(predictions, groups=groups, fitted=True)
    assert fitted.p_value == pytest.approx(
        expected[f"{key}_minus_2"]["mpmath_from_groups"], rel=1e-9
    )


def test_spiegelhalter_is_two_sided(case: tuple[ac.Binary, Any]) -> None:
    predictions, expected = case
    found = spiegelhalter(predictions)
    assert found.p_value == pytest.approx(expected["spiegelhalter_p"]["exact"], rel=1e-9)


ERRORS = ("ece", "mce", "rmsce", "ici", "e50", "e90", "emax")


def simulated_by_hand(predictions: ac.Binary, name: str, draws: int) -> np.ndarray:
    rng = np.random.default_rng(11)
    p = predictions.probability
    assert p is not None
    return np.array([find(name)(rng.random(len(p)) < p, p) for _ in range(draws)])


@pytest.mark.parametrize("name", ERRORS)
def test_expectation_is_that_of_simulated_outcomes(name: str, reference: Reference) -> None:
    (case,) = [c for c in reference("calibration")["cases"] if c["id"] == "overconfident"]
    predictions = ac.Binary(case["input"]["y"], probability=case["input"]["p"])
    found = error_of(predictions, name, draws=1999, rng=1)
    null = simulated_by_hand(predictions, name, 400)
    assert found.expected == pytest.approx(null.mean(), abs=4 * null.std() / 20)
    assert found.debiased == pytest.approx(found.value - found.expected)
    assert found.value == find(name).of(predictions)
    assert found.test.p_value == pytest.approx((null >= found.value).mean(), abs=0.08)


def test_many_places_stand_for_all_cases() -> None:
    rng = np.random.default_rng(5)
    p = rng.beta(1, 3, 6000)
    predictions = ac.Binary(rng.random(6000) < p, probability=p)
    found = error_of(predictions, "ici", draws=99, rng=1)
    assert found.value == find("ici").of(predictions)
    assert 0.002 < found.expected < 0.02


def test_several_classes_are_simulated_too() -> None:
    rng = np.random.default_rng(6)
    p = rng.dirichlet(np.ones(3), 150)
    y = np.array([rng.choice(3, p=row) for row in p])
    right = ac.Multiclass(y, probability=p)
    wrong = ac.Multiclass((y + 1) % 3, probability=p)
    for name in ("ece", "classwise_ece", "ici"):
        assert error_of(right, name, draws=99, rng=1).test.p_value > 0.02
        assert error_of(wrong, name, draws=99, rng=1).test.p_value == 0.01


def test_p_values_of_right_probabilities_are_uniform_enough() -> None:
    """A level of 0.1 in 300 samples: between 12 and 50 rejections, all but 1 in 10 000 times."""
    rng = np.random.default_rng(7)
    rejected = dict.fromkeys(("ece", "emax", "line", "in_the_large", "hl", "spiegelhalter"), 0)
    for k in range(300):
        p = rng.beta(2, 3, 120)
        predictions = ac.Binary(rng.random(120) < p, probability=p)
        draws = Settings(draws=99, seed=k)
        errors = simulated(predictions, [find("ece"), find("emax")], draws)
        p_values = {name: error.test.p_value for name, error in errors.items()}
        p_values |= {h: likelihood_ratio(predictions, h).p_value for h in ("line", "in_the_large")}
        p_values["hl"] = hosmer_lemeshow(predictions, draws=99, rng=k).p_value
        p_values["spiegelhalter"] = spiegelhalter(predictions).p_value
        for name, value in p_values.items():
            rejected[name] += value <= 0.1
    assert all(12 <= count <= 50 for count in rejected.values()), rejected


def test_separation_is_tested_by_its_limit() -> None:
    predictions = ac.Binary([0, 0, 1, 1], probability=[0.1, 0.4, 0.6, 0.9])
    given = 2 * (np.log(0.9) + np.log(0.6))
    assert likelihood_ratio(predictions).statistic == pytest.approx(-2 * given)


@pytest.mark.parametrize("extra", [{"groups": [1, 1, 2, 2]}, {"sample_weight": [1, 2, 1, 2]}])
def test_dependent_and_weighted_cases_are_refused(extra: dict[str, Any]) -> None:
    predictions = ac.Binary([0, 1, 1, 0], probability=[0.1, 0.4, 0.6, 0.9], **extra)
    for test in (likelihood_ratio, hosmer_lemeshow, spiegelhalter, error_of):
        with pytest.raises(NotApplicable, match=r"cluster|weights"):
            test(predictions)


# ----------------------------------------------------------------------------------------------
# Calibration and utility in an assessment: what is tested, what has no interval, and why.
# ----------------------------------------------------------------------------------------------


DISTANCES = ("ece", "mce", "ici", "e50", "e90", "emax")


@pytest.fixture(scope="module")
def assessed() -> ac.Assessment:
    return ac.assess(examples.breast_cancer("p_texture"), rng=1, draws=199)


def test_families_stand_together_discrimination_calibration_utility(
    assessed: ac.Assessment,
) -> None:
    families = [e.family for e in assessed if e.class_ is None]
    order = list(dict.fromkeys(families))
    assert order == [
        "categorical",
        "rank",
        "quadratic",
        "information",
        "calibration",
        "utility",
    ]
    assert families == sorted(families, key=order.index)


def test_lines_have_profile_intervals_and_likelihood_ratios(assessed: ac.Assessment) -> None:
    for name in ("calibration_in_the_large", "calibration_intercept", "calibration_slope"):
        row = assessed[name]
        assert row.interval is not None
        assert row.interval.method == "robust profile likelihood"
        assert row.value in row.interval
        assert (row.test or "").startswith("likelihood ratio")


@pytest.mark.parametrize("model", ["p_forest", "p_texture"])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_the_p_of_a_line_tests_the_number_beside_it(model: str, level: float) -> None:
    right = {
        "calibration_in_the_large": 0.0,
        "calibration_intercept": 0.0,
        "calibration_slope": 1.0,
    }
    assessed = ac.assess(
        examples.breast_cancer(model), measures=list(right), confidence_level=level
    )
    for name, value in right.items():
        row = assessed[name]
        assert row.interval is not None
        assert row.p_value is not None
        assert (row.p_value < 1 - level) == (value not in row.interval), name


@pytest.mark.parametrize("name", DISTANCES)
def test_distances_have_an_expectation_and_no_interval(assessed: ac.Assessment, name: str) -> None:
    row = assessed[name]
    assert row.interval is None
    assert row.p_value is not None
    assert "expected if right" in (row.remark or "")
    assert "Bernoulli" in (row.hypothesis or "") or "probabilities" in (row.hypothesis or "")
    assert "AC040" in [a.code for a in assessed.advice]


def test_net_benefit_has_an_interval_and_a_gain_but_no_test(assessed: ac.Assessment) -> None:
    row = assessed["net_benefit"]
    assert row.p_value is None
    assert row.interval is not None
    assert row.skill is not None
    assert row.skill.difference == pytest.approx(row.value - row.skill.reference)
    assert row.skill.interval is not None
    assert row.skill.p_value is None
    for name in ("standardised_net_benefit", "expected_cost", "cost_weighted_accuracy"):
        assert assessed[name].interval is not None
        assert assessed[name].p_value is None


def test_separation_is_reported_with_half_an_interval() -> None:
    p = np.array([0.05, 0.1, 0.2, 0.3, 0.6, 0.7, 0.8, 0.9])
    found = ac.assess(ac.Binary(p > 0.5, probability=p), rng=1, draws=99)
    row = found["calibration_slope"]
    assert row.value == np.inf
    assert row.interval is not None
    assert np.isfinite(row.interval.low)
    assert row.interval.high == np.inf
    assert "separate the classes" in (row.remark or "")
    assert "AC042" in [a.code for a in found.advice]
    facts = json.loads(found.to_json())
    (slope,) = [e for e in facts["estimates"] if e["measure"] == "calibration_slope"]
    assert slope["value"] == "Infinity"
    assert slope["interval"]["high"] == "Infinity"


@pytest.mark.parametrize(
    "p",
    [
        [0.0, 0.0, 1.0, 1.0, 0.0, 1.0],
        [0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
        [0.0, 1.0, 0.0, 1.0, 1.0, 0.0],
        [0.0, 0.2, 1.0, 0.7, 0.4, 0.9],
    ],
    ids=["certain and right", "constant", "certain and wrong", "some certain"],
)
def test_extreme_probabilities_are_assessed_with_reasons(p: list[float]) -> None:
    found = ac.assess(ac.Binary([0, 0, 1, 1, 0, 1], probability=p), rng=1, draws=99)
    for row in found:
        if np.isnan(row.value):
            assert row.undefined or row.remark
    json.loads(found.to_json())


def test_clusters_have_intervals_and_a_reason_for_no_test() -> None:
    rng = np.random.default_rng(2)
    p = rng.beta(2, 2, 160)
    groups = np.repeat(np.arange(40), 4)
    predictions = ac.Binary(rng.random(160) < p, probability=p, groups=groups)
    found = ac.assess(predictions, rng=1, draws=99)
    slope = found["calibration_slope"]
    assert slope.interval is not None
    assert "40 clusters" in slope.interval.method
    assert slope.p_value is None
    assert "AC041" in [a.code for a in found.advice]
    assert found["net_benefit"].interval is not None


def test_cross_validated_distances_have_no_interval_over_folds() -> None:
    rng = np.random.default_rng(3)
    p = rng.beta(2, 2, 200)
    predictions = ac.Binary(rng.random(200) < p, probability=p, fold=np.arange(200) % 5)
    found = ac.assess(predictions, rng=1)
    assert found["calibration_slope"].interval is None
    assert "biased" in str(found["calibration_slope"].remark)
    assert found["ece"].interval is None
    assert found["ece"].p_value is None


def test_sampling_weights_give_intervals_of_lines() -> None:
    rng = np.random.default_rng(4)
    p = rng.beta(2, 2, 120)
    weight = rng.uniform(0.5, 2, 120)
    predictions = ac.Binary(rng.random(120) < p, probability=p, sample_weight=weight)
    found = ac.assess(predictions, rng=1, draws=199)
    slope = found["calibration_slope"].interval
    assert slope is not None
    assert slope.method == "robust profile likelihood, sampling weights"
    assert found["ece"].interval is None


def test_classes_numbers_and_survival_are_assessed_too() -> None:
    several = ac.assess(examples.iris(), rng=1, draws=99)
    assert {"ece", "classwise_ece", "ici"} <= {e.measure for e in several if e.class_ is None}
    slopes = [e for e in several if e.measure == "calibration_slope"]
    assert [e.class_ for e in slopes] == ["setosa", "versicolor", "virginica"]
    numbers = ac.assess(examples.diabetes(), rng=1, draws=99)
    assert numbers["linear_calibration_slope"].interval is None  # of folds
    whole = examples.diabetes()
    tested = ac.Numeric(whole.outcome[0], whole.value[0])
    assert ac.assess(tested, ["linear_calibration_slope"], rng=1).estimates[0].interval is not None
    rng = np.random.default_rng(5)
    rate = rng.uniform(0.1, 0.5, 150)
    time, until = rng.exponential(1 / rate), rng.uniform(1, 9, 150)
    predicted = np.exp(-np.outer(rate, [1.0, 2.0]))
    alive = ac.Survival(np.minimum(time, until), time <= until, survival=predicted, times=[1, 2])
    survival = ac.assess(alive, rng=1, draws=99)
    for name in ("observed_expected_at", "calibration_slope_at"):
        assert survival[name].interval is not None
        assert survival[name].value in survival[name].interval
    assert survival["ici_at"].interval is None


def test_the_printed_assessment_shows_its_advice_and_no_rounding() -> None:
    y = np.arange(40) % 2
    reversed_ = ac.assess(ac.Binary(y, probability=0.7 - 0.4 * y), measures=["auc", "brier"], rng=1)
    assert [a.code for a in reversed_.advice if a.code in str(reversed_)]
    level = ac.assess(ac.Binary(y, probability=np.full(40, 0.5)), ["calibration_in_the_large"])
    assert "e-" not in str(level).splitlines()[1].split("[")[0]


@pytest.mark.parametrize("kind", ["binary", "numeric"])
def test_equal_losses_tell_no_spread_of_what_scales_them(kind: str) -> None:
    y = (np.arange(60) % 3 == 0).astype(int)
    if kind == "binary":
        cases: ac.Binary | ac.Numeric = ac.Binary(y, probability=0.01 + 0.98 * y)
        names = ["brier", "scaled_brier", "log_loss", "nagelkerke_r2", "mcfadden_r2"]
    else:
        cases = ac.Numeric(np.arange(60.0), np.arange(60.0) + 1.0)
        names = ["mse", "r2", "rse", "rae"]
    for row in ac.assess(cases, names, rng=1, draws=99):
        assert row.interval is None, row.measure
        assert "same loss" in (row.remark or ""), row.measure


def test_a_line_that_one_case_holds_has_no_interval() -> None:
    y = np.arange(12.0)
    value = np.where(np.arange(12) == 4, 2.0, 1.0)
    with pytest.raises(NotApplicable, match="one case alone"):
        ac.intervals.linear_calibration(ac.Numeric(y, value), "intercept")


# ----------------------------------------------------------------------------------------------
# Many cases: outcomes are drawn in cells of nearly equal probability.
# ----------------------------------------------------------------------------------------------


DISTANCES = ["ece", "mce", "rmsce", "hosmer_lemeshow", "ici", "e50", "e90", "emax"]


def many_cases(n: int, seed: int = 3, *, crowded: bool = False) -> ac.Binary:
    rng = np.random.default_rng(seed)
    odds = rng.normal(-2.0, 2.5, size=n) if not crowded else rng.normal(0.0, 0.02, size=n)
    p = 1.0 / (1.0 + np.exp(-odds))
    p[: n // 500], p[-n // 500 :] = 0.0, 1.0
    return ac.Binary(rng.random(n) < p, probability=p, pos_label=True)


def condensed(cases: ac.Binary) -> Any:
    fitted = tuple(find(name) for name in DISTANCES)
    return miscalibration._Condensed.of(miscalibration._Simulated(cases, fitted))


@pytest.mark.parametrize("crowded", [False, True])
def test_cells_have_the_distances_of_their_cases(crowded: bool) -> None:
    cases = many_cases(6_000, crowded=crowded)
    work = condensed(cases)
    assert work.sizes.sum() == cases.n
    order = np.argsort(cases.probability)
    starts = np.cumsum(work.sizes) - work.sizes
    drawn = np.add.reduceat(cases.positive[order].astype(int), starts)[None]
    found = work.errors(drawn)
    for name in DISTANCES[:4]:
        assert found[name][0] == pytest.approx(find(name).of(cases), rel=1e-9), name
    plain = miscalibration._Simulated(cases, tuple(find(name) for name in DISTANCES)).observed()
    for name in DISTANCES[4:]:  # of curves that weigh the cases of a cell alike
        assert found[name][0] == pytest.approx(plain[name], abs=2e-3), name


@pytest.mark.parametrize("crowded", [False, True])
def test_what_is_expected_and_p_do_not_jump_where_cells_take_over(
    monkeypatch, crowded: bool
) -> None:
    cases, fitted = many_cases(5_000, crowded=crowded), [find(name) for name in DISTANCES]
    settings = Settings(draws=1_999, seed=1)
    inside = simulated(cases, fitted, settings)
    monkeypatch.setattr(miscalibration, "FEWEST_CONDENSED", 5_001)
    plain = simulated(cases, fitted, settings)
    for name in DISTANCES:
        one, other = inside[name], plain[name]
        assert "cells" in one.test.by
        assert "cells" not in other.test.by
        assert one.value == other.value
        assert one.expected == pytest.approx(other.expected, rel=0.04), name
        pooled = (one.test.p_value + other.test.p_value) / 2.0
        error = np.sqrt(2.0 * pooled * (1.0 - pooled) / 1_999)
        assert abs(one.test.p_value - other.test.p_value) < 4.0 * error + 0.002, name


def test_cells_are_said_in_the_result_and_few_cases_have_none() -> None:
    few, many = many_cases(4_999), many_cases(5_000)
    assert "cells" not in error_of(few, "ece", draws=99, rng=1).test.method
    said = error_of(many, "ece", draws=99, rng=1).test
    assert said.method == (
        f"outcomes simulated from the probabilities, in {said.by['cells']} cells of nearly equal "
        "ones"
    )
    # borders of equal counts divide cases, and a robust curve is not linear: all cases are drawn
    counted = find("ece").with_parameters(binning="count")
    robust = find("ici").with_parameters(smoother="lowess")
    found = simulated(many, [counted, robust], Settings(draws=9, seed=1))
    assert all("cells" not in one.test.by for one in found.values())
