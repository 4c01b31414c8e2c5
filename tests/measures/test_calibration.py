"""Recalibration lines, ratios and tests of fit: hand cases, R's numbers, and the extremes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import NotApplicable
from abovechance.measures import find
from abovechance.measures.calibration import in_deciles, remark_on

Reference = Callable[[str], Any]
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


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, reference: Reference) -> tuple[Any, Any, Any]:
    (found,) = [c for c in reference("calibration")["cases"] if c["id"] == request.param]
    return found["input"]["y"], found["input"]["p"], found["expected"]


def test_both_intercepts_and_the_slope_equal_r(case: tuple[Any, Any, Any]) -> None:
    y, p, expected = case
    names = {
        "calibration_in_the_large": "calibration_in_the_large_intercept",
        "calibration_intercept": "calibration_intercept_joint",
        "calibration_slope": "calibration_slope",
    }
    for name, key in names.items():
        value = find(name)(y, p)
        assert value == pytest.approx(expected[key]["mpmath"], rel=1e-10)
        assert value == pytest.approx(expected[key]["R::glm"], rel=1e-10)
        if "rms::val.prob" in expected[key]:  # it stops its iterations early
            assert value == pytest.approx(expected[key]["rms::val.prob"], rel=1e-6)


def test_the_two_intercepts_are_not_the_same_thing(reference: Reference) -> None:
    (case,) = [c for c in reference("calibration")["cases"] if c["id"] == "overconfident"]
    y, p = case["input"]["y"], case["input"]["p"]
    assert find("calibration_in_the_large")(y, p) == pytest.approx(0.2209, abs=1e-4)
    assert find("calibration_intercept")(y, p) == pytest.approx(0.1445, abs=1e-4)


def test_ratio_and_difference_equal_exact_arithmetic(case: tuple[Any, Any, Any]) -> None:
    y, p, expected = case
    ratio, gap = find("observed_expected_ratio")(y, p), find("calibration_difference")(y, p)
    assert ratio == pytest.approx(expected["observed_expected_ratio"]["exact"], rel=1e-12)
    assert gap == pytest.approx(expected["mean_calibration_difference"]["exact"], rel=1e-12)


@pytest.mark.parametrize("groups", [5, 10])
def test_hosmer_lemeshow_equals_r(case: tuple[Any, Any, Any], groups: int) -> None:
    y, p, expected = case
    wanted = expected[f"hosmer_lemeshow_g{groups}_statistic"]["mpmath_from_groups"]
    assert find("hosmer_lemeshow", groups=groups)(y, p) == pytest.approx(wanted, rel=1e-12)


def test_spiegelhalter_equals_exact_arithmetic(case: tuple[Any, Any, Any]) -> None:
    y, p, expected = case
    wanted = expected["spiegelhalter_z"]
    assert find("spiegelhalter_z")(y, p) == pytest.approx(wanted["exact"], rel=1e-12)
    assert find("spiegelhalter_z")(y, p) == pytest.approx(wanted["rms::val.prob"], rel=1e-12)


LINES = ("calibration_in_the_large", "calibration_intercept", "calibration_slope")
PERFECT = dict(zip(LINES, (0.0, 0.0, 1.0), strict=True))


@pytest.mark.parametrize("name", LINES)
def test_certain_and_right_predictions_are_calibrated(name: str) -> None:
    assert find(name)([0, 1, 1, 0], [0.0, 1.0, 1.0, 0.0]) == PERFECT[name]


@pytest.mark.parametrize("name", LINES)
def test_certain_and_right_cases_say_nothing_about_a_line(name: str) -> None:
    y, p = [0, 1, 0, 1, 1, 0], [0.2, 0.3, 0.6, 0.9, 0.4, 0.5]
    with_certain = find(name)([*y, 0, 1, 1], [*p, 0.0, 1.0, 1.0])
    assert with_certain == pytest.approx(find(name)(y, p), rel=1e-12)


@pytest.mark.parametrize("name", LINES)
def test_an_impossible_outcome_leaves_no_line(name: str) -> None:
    predictions = ac.Binary([0, 1, 0, 1, 1], probability=[0.2, 0.3, 0.6, 0.9, 0.0])
    assert np.isnan(find(name).of(predictions))
    assert remark_on(predictions, np.nan) == (
        "1 case had an outcome of predicted probability 0; no line can mend that"
    )


def test_an_impossible_outcome_without_weight_does_not_count() -> None:
    y, p = [0, 1, 0, 1, 1], [0.2, 0.3, 0.6, 0.9, 0.0]
    weighted = find("calibration_slope")(y, p, sample_weight=[1, 1, 1, 1, 0])
    assert weighted == pytest.approx(find("calibration_slope")(y[:4], p[:4]), rel=1e-12)


def test_separation_is_an_infinite_slope_with_a_reason() -> None:
    predictions = ac.Binary([0, 0, 1, 1], probability=[0.1, 0.4, 0.6, 0.7])
    assert find("calibration_slope").of(predictions) == np.inf
    assert np.isnan(find("calibration_intercept").of(predictions))
    assert np.isfinite(find("calibration_in_the_large").of(predictions))
    assert "separate the classes" in (remark_on(predictions, np.inf) or "")
    turned = ac.Binary([1, 1, 0, 0], probability=[0.1, 0.4, 0.6, 0.7])
    assert find("calibration_slope").of(turned) == -np.inf


def test_equal_probabilities_have_no_slope() -> None:
    predictions = ac.Binary([0, 1, 1, 0, 1], probability=np.full(5, 0.3))
    assert np.isnan(find("calibration_slope").of(predictions))
    assert remark_on(predictions, np.nan) == "all probabilities are equal, so there is no slope"
    large = find("calibration_in_the_large").of(predictions)
    assert large == pytest.approx(np.log(1.5) - np.log(3 / 7))


def test_one_class_has_an_infinite_intercept() -> None:
    predictions = ac.Binary([1, 1, 1], probability=[0.2, 0.5, 0.6])
    assert find("calibration_in_the_large").of(predictions) == np.inf
    assert np.isnan(find("calibration_slope").of(predictions))
    assert "only one class" in (remark_on(predictions, np.inf) or "")


def test_the_slope_does_not_depend_on_which_class_is_positive() -> None:
    rng = np.random.default_rng(1)
    p = rng.random(60)
    y = rng.random(60) < p
    slope, intercept = find("calibration_slope"), find("calibration_intercept")
    assert slope(~y, 1 - p) == pytest.approx(slope(y, p), rel=1e-10)
    assert intercept(~y, 1 - p) == pytest.approx(-intercept(y, p), rel=1e-10)


def test_recalibrated_probabilities_are_calibrated() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    y = rng.random(300) < 1 / (1 + np.exp(-0.5 * x))
    p = 1 / (1 + np.exp(-2 * x))
    a, b = find("calibration_intercept")(y, p), find("calibration_slope")(y, p)
    again = 1 / (1 + np.exp(-(a + 2 * b * x)))
    assert find("calibration_slope")(y, again) == pytest.approx(1.0, rel=1e-10)
    assert find("calibration_intercept")(y, again) == pytest.approx(0.0, abs=1e-10)
    assert find("calibration_in_the_large")(y, again) == pytest.approx(0.0, abs=1e-10)


def test_spiegelhalter_of_certainty() -> None:
    z = find("spiegelhalter_z")
    assert z([0, 1], [0.0, 1.0]) == 0.0
    assert z([1, 1], [0.0, 1.0]) == np.inf
    assert np.isnan(z([0, 1], [0.5, 0.5]))


def test_hosmer_lemeshow_of_certainty() -> None:
    statistic = find("hosmer_lemeshow", groups=2)
    assert statistic([0, 0, 1, 1], [0.0, 0.0, 1.0, 1.0]) == 0.0
    assert statistic([0, 0, 1, 0], [0.0, 0.0, 1.0, 1.0]) == np.inf


def test_one_class_against_the_rest() -> None:
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.ones(3), 90)
    y = np.array([rng.choice(3, p=row) for row in p])
    slope = find("calibration_slope")
    assert slope(y, p, pos_label=2) == pytest.approx(slope(y == 2, p[:, 2]), rel=1e-12)


def test_all_cases_can_be_one_group() -> None:
    """Then the statistic is the squared distance of all that happened from all that was said."""
    y, p = [0, 1, 1, 1], [0.2, 0.3, 0.6, 0.5]
    found = find("hosmer_lemeshow").with_parameters(groups=1).of(ac.Binary(y, probability=p))
    assert found == pytest.approx((3 - 1.6) ** 2 / (1.6 * (1 - 1.6 / 4)), rel=1e-12)


@pytest.mark.parametrize("groups", [1, 2, 1_000_000])
def test_groups_are_cut_at_quantiles_from_one_group_to_the_most(groups: int) -> None:
    at = in_deciles(np.array([0.7, 0.1, 0.3, 0.4]), groups=groups)
    assert np.unique(at).size == min(groups, 4)
    assert (np.diff(at[[1, 2, 3, 0]]) >= 0).all()


@pytest.mark.parametrize("groups", [0, 1_000_001])
def test_other_numbers_of_groups_are_refused(groups: int) -> None:
    with pytest.raises(NotApplicable, match="groups must be from 1 to"):
        in_deciles(np.array([0.1, 0.3]), groups=groups)
