"""Tests of calibration: R's statistics, and p-values that hold their level."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import NotApplicable
from abovechance.inference.significance import calibration as error_of
from abovechance.inference.significance import (
    hosmer_lemeshow,
    likelihood_ratio,
    spiegelhalter,
)
from abovechance.inference.significance.association import Draws
from abovechance.inference.significance.calibration import simulated
from abovechance.measures import find
from abovechance.resampling import Resampling

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
        draws = Draws(99, Resampling(seed=k))
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
